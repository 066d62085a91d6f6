# Which adapter of its host a rank uses: by slot, by block, by a file; and what is wrong with that.
cp "$root"/tests/data/rails/*.txt .
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
collc verify $on --rank-adapters slot --fail n0:rail0; echo $?
# Refused.
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
