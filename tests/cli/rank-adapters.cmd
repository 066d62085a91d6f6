# Which adapter of its host a rank uses: by slot, by block, by a file; and what is wrong with that.
cp "$root"/tests/data/rails/*.txt "$root"/tests/data/rails/*.xml .
on='alltoall/ring -t four-rails.txt --ranks-per-machine 4'
collc verify $on --rank-adapters slot | grep -v routing
collc verify $on --rank-adapters slot --between-rails fabric | grep -E 'link load|contended|hol'
echo 'mlx5_0, mlx5_0, mlx5_2, 2 # by slot' >a
collc verify $on --rank-adapters a | grep -E 'link load|contended|hol'
collc verify alltoall/ring -t four-rails.txt --ranks-per-machine 8 --rank-adapters block | grep -E 'link load|contended'
# Times: what crosses its host takes its memory; messages leave by ports of their own.
for model in step asap flow; do
  for between in host fabric; do
    collc simulate $on --rank-adapters slot --between-rails $between --bytes 64KiB --model $model | grep ' time  '
  done
done
collc predict $on --rank-adapters slot --sizes 64KiB --format json | jq -c '.times[0] | [.bytes, .time_ns]'
# A rank has the adapter that its host has; a failed one is not there.
for rule in slot stripe; do collc verify $on --rank-adapters $rule --fail n0:rail0 2>&1 | grep -E "warning|help|link load|contended|fan-in"; done
collc verify alltoall/ring -t lacks-one.xml --rank-adapters slot --ranks-per-machine 3 2>&1 | grep -E "warning|link load"
collc simulate alltoall/ring -t lacks-one.xml --rank-adapters stripe --ranks-per-machine 3 --bytes 1MiB 2>&1 | grep -E "warning|time  "
# The nearest to a GPU by NCCL's topology.
collc verify $on --rank-adapters near:gpus.xml | grep -E 'adapters|link load'
# A message on all rails: a stripe for each. Loads and limits are of stripes, what a host sends is of messages.
collc verify $on --rank-adapters stripe --max-link-load 3 --max-findings 1 2>&1 | grep -v routing
collc verify $on --rank-adapters stripe --format json | jq -c '[.rank_adapters, .between_rails, .stripes, .max_link_load, .busiest_link.unit, .bound_ratio]'
collc verify $on --rank-adapters slot --format json | jq -c '[.rank_adapters, .between_rails, .stripes]'
for model in step asap flow flit; do
  collc simulate $on --rank-adapters stripe --bytes 64KiB --model $model | grep -E 'adapters  |time  '
done
collc predict $on --rank-adapters stripe --sizes 64KiB --format json | jq -c '[.rank_adapters, .stripes, .times[0].time_ns]'
collc compile $on --rank-adapters stripe --bytes 64KiB --timed -o striped.sched
collc verify striped.sched -t four-rails.txt --ranks-per-machine 4 --rank-adapters stripe | grep -E 'verdict|load'
# Times that were measured (NVIDIA/nccl#569): a ring allreduce of 1.6 GB on 8 GPUs, 363 ms by one adapter in each of
# 8 hosts, 173 ms by two in each of 4, 132 ms by four in each of 2.
costs='--sizes 1600MB --memory-bandwidth 800GB/s --inside-bandwidth 63GB/s'
for model in step asap flow; do
  collc predict allreduce/ring -t star:8,bw=8GB/s $costs --model $model | tail -1
  collc predict allreduce/ring -t rail:4x2,up=0,bw=8GB/s --ranks-per-machine 2 --rank-adapters stripe $costs --model $model | tail -1
  collc predict allreduce/ring -t rail:2x4,up=0,bw=8GB/s --ranks-per-machine 4 --rank-adapters stripe $costs --model $model | tail -1
done
# 64 hosts of 8 rails: an all-to-all that stays on its rails has no contention, one across them has.
big='alltoall/ring -t rail:64x8,up=16 --ranks-per-machine 8 --rank-adapters slot'
collc verify $big | grep -E 'link load|contended|hol  '
collc verify $big --between-rails fabric | grep -E 'link load|contended|hol  '
# Refused.
collc verify $on --rank-adapters near:none.xml; echo $?
collc verify $on --rank-adapters near:star:3; echo $?
collc verify alltoall/ring -t four-rails.txt --ranks-per-machine 5 --rank-adapters near:gpus.xml; echo $?
sed 's/mlx5_/roce_/' gpus.xml >roce.xml
collc verify $on --rank-adapters near:roce.xml; echo $?
collc verify alltoall/ring -t storage.txt --rank-adapters stripe; echo $?
collc verify $on --rank-adapters b; echo $?
echo 'mlx5_0 mlx5_9 0 0' >b
collc verify $on --rank-adapters b; echo $?
echo '0 1 2' >b
collc verify $on --rank-adapters b; echo $?
collc verify alltoall/ring -t storage.txt --ranks-per-machine 2 --rank-adapters slot; echo $?
collc verify alltoall/ring -t star:4 --rank-adapters slot; echo $?
collc verify alltoall/ring --ranks 4 --rank-adapters slot; echo $?
collc verify $on --between-rails fabric; echo $?
collc compile $on --rank-adapters slot; echo $?
# In a project.
printf '%s\n' 'schedules: alltoall/ring' 'networks:' '  - network: four-rails.txt' '    rank-adapters: slot' '    between-rails: fabric' '    ranks-per-machine: 4' 'limits:' '  max-link-load: 1' >collc.yaml
collc check collc.yaml 2>&1 | tail -4
printf '%s\n' 'schedules: alltoall/ring' 'networks:' '  - network: four-rails.txt' '    rank-adapters: slot' '    between-rails: air' >collc.yaml
collc check collc.yaml; echo $?
# Failures are of whole messages.
printf '%s\n' 'schedules: alltoall/ring' 'networks:' '  - network: four-rails.txt' '    rank-adapters: stripe' '    ranks-per-machine: 4' >collc.yaml
collc check collc.yaml --fail each 2>&1 | tail -6
