# Slips of somebody new: each gets its cause, and a remedy that can be typed.
said() { echo "$ collc $*"; collc "$@" 2>&1 >/dev/null; echo $?; }
# Times that a command may take have minutes and hours, and are as long as the default at least.
for budget in 3600s 2h 90min; do said verify alltoall/ring --ranks 4 --budget $budget; done
for budget in 10 10m 12d 2000000s; do said verify alltoall/ring --ranks 4 --budget $budget; done
said verify alltoall/ring --ranks 4 --gap 5
said predict alltoall/ring -t star:4 --sizes '8, 16'
# A file that cannot be written is refused before the work begins, with the reason.
for to in nowhere/x . /dev/full slips/x; do
    : >slips
    said compile alltoall/ring --ranks 4 -o $to
done
collc compile alltoall/ring --ranks 1000000 -o large 2>&1 | sed 's/[0-9.e+]* GB/N GB/g'; ls large 2>&1
# Names of machines and links.
for machines in m4 m0-m3 'm{0..3}' 4 'm[0-3' 'm[3-0]' 'n[0-1]' mm1; do said verify alltoall/ring -t star:4 --machines "$machines"; done
said route star:4 --from m0 --to m9
for link in m0:sw1 m0:m1 m0 99; do said route star:4 --link $link; done
# One file in the place of another.
printf 'JobId=7 JobName=a2a\n   NodeList=n[0-3] NumTasks=8\n' >job
said verify alltoall/ring -t star:4 --placement job
said topo job
printf 'Ca\t: 0x0002c9 ports 1 "n0 HCA-1"\n' >hosts
said topo hosts
printf 'n0 sw0\nn1 sw0\n' >edges
said topo edges
printf '# a\n' | gzip -n >net.gz
collc topo net.gz 2>&1 | tail -n 1
printf '\377\376g\0' >wide
collc topo wide 2>&1 | tail -n 1
# Surprises of YAML in a project file.
project() { printf '%b' "$1" >collc.yaml; said check; }
project 'schedules:\n\t- a.coll\n'
project 'schedules: [*.coll]\n'
project 'schedules: [alltoall/ring]\nschedules: []\n'
project 'schedules: [alltoall/ring]\nnetworks: [fattree:8x8,up=1x4]\n'
project 'schedules: [alltoall/ring]\nnetworks: [torus: 5x5]\n'
printf 'schedules: [bcast/chain]\nnetworks: star:4\nroots: [9]\n' >collc.yaml
collc check | head -n 1
collc compile alltoall/ring --ranks 2 -o ring.sched
said check ring.sched
# Signs of other languages.
for words in 'send in to r+2**k' 'send in to r+(1<<k)' 'send in to r>>1' '// next'; do
    printf 'allgather a\nranks r: p\nlet k = 2\nstep\n  %s\n' "$words" >slip.coll
    collc fmt slip.coll 2>&1 | grep help
done
# Words of options, and of strings.
for target in ompi-4 ompi5 mpich xy; do said pick --target $target bcast; done
printf '1 7 1 2 1 0 6 0 0\n' >site.rules
said convert site.rules --target ompi-4.1 --to mpich-4.0
said simulate alltoall/ring -t star:4 --bytes 8 --model flit --flit foo
said simulate alltoall/ring -t star:4 --bytes 8 --model flit --flit vcs=2
said version
for topology in torus:8,8 star:8, star:8,bandwidth=1GB/s; do said topo $topology; done
collc topo star:4 --to ibsim >net
collc topo opensm_subnet:net 2>&1 | head -n 4
# Nothing is counted of what could not be read.
collc lint nofile
collc lint nccl.env
printf "#!/bin/bash\nexport NCCL_ALGO=Ring\nsrun ./train\n" >train.sh
collc lint train.sh
# Arguments that are no schedule.
for argument in alltoall-ring bcast_binomail lat=1us; do said verify $argument -t star:4; done
for text in '{}' 'num_ranks 2' '<trees/>' '{"name": "a", "gpus": [{"threadblocks": []}]}' '{"msccl_type": "algorithm"}' '{"7-Flows": {}}'; do
    printf '%s\n' "$text" >foreign
    collc verify foreign --ranks 2 2>&1 | tail -n 1
done
printf '<topology version="1">\n<torus extents="4"/></topology>\n' >net.xml
said topo net.xml
# Words in the place of codes, options misspelt before any command, and two nodes that no cable joins.
said explain xq
collc explain deadlock; collc explain NOBODY; echo $?
said --versoin
said verify alltoall/ring -t fattree:2x2 --fail sw0:sw1
said best alltoall bcast -t star:4
said best alltoall -t star:4 --to openmpi
