# Values and options that are meant otherwise are met with how to write them.
set -e
. "$root/tests/helpers.sh"

helped() { # WORDS COMMAND...: it is refused, and these words help
    words=$1
    shift
    refused "collc: help: $words" "$@"
}
draw='collc draw alltoall/ring -t star:4'
helped "'--load total|step' is an option of its own: colour links by the load of the whole schedule" $draw --what load
helped "one number is taken here; several, as 2..8, by 'ranks:' in the project file of 'check', and by 'best'" \
    collc verify alltoall/ring --ranks 2-8
helped 'one number is taken here; several, as 2..8,16,' collc verify alltoall/ring --ranks 2..8,16
helped "try 'collc verify --help'" collc verify alltoall/ring --ranks 8x
helped 'a range is written 2..8, the smaller number first' collc best alltoall -t star:8 --ranks 2:8 --to ompi-4.1
sizes='collc best alltoall -t star:8 --sizes'
helped "did you mean '1MB', of 1000, or '1MiB', of 1024?" $sizes 1M
helped "did you mean '1.5kB', of 1000, or '1.5KiB', of 1024?" $sizes 8..1.5k
helped "did you mean '2GB', of 1000, or '2GiB', of 1024?" $sizes 8,2G,4
helped 'units are kB' $sizes 1Q
helped "did you mean '4kB', of 1000, or '4KiB', of 1024?" collc verify alltoall/ring -t star:8 --bytes 4K
helped "did you mean '1MB', of 1000, or '1MiB', of 1024?" collc pick --target ompi-4.1 bcast --ranks 8 --bytes 1..1M
helped "'collc help' lists the commands, 'collc help COMMAND' all options of one" collc help --all
refused "'help' has no option '--verbose'" collc help --verbose
absent 'it is an option of' message
# A file in the place of another is told, with the command or option that takes it.
printf '1\n3\n1\n8\n1\n0 3 0 0\n' >rules.conf
printf '#!/bin/bash\nexport OMPI_MCA_coll_tuned_use_dynamic_rules=1\nmpirun ./app\n' >job.sh
printf 'SwitchName=s0 Nodes=n[0-3]\n' >topology.conf
cp "$root/tests/data/nccl/rails.log" "$root/tests/data/public/nccl_tuner.conf" .
cp "$root/compiler/algorithms/alltoall/ring.coll" "$root/examples/why/slow-host.osu" .
collc compile alltoall/ring --ranks 4 -o a.sched
printf 'schedules: alltoall/ring\nnetworks: star:4\n' >collc.yaml
told() { # WORDS COMMAND...: it is refused, and the help of a file begins so
    words=$1
    shift
    refused "= help: $words" "$@"
}
told 'this is a log of NCCL' collc topo rails.log
told "this is a log of NCCL: 'collc verify rails.log'" collc verify alltoall/ring -t rails.log
told 'this is a schedule' collc topo a.sched
told "this is a project file: 'collc check collc.yaml'" collc topo collc.yaml
told 'this is an algorithm' collc topo ring.coll
told 'these are measured times' collc topo slow-host.osu
told "this has settings of ompi-4.1: 'collc lint job.sh --target ompi-4.1'" collc topo job.sh
told 'this is a rule table of ompi-4.1' collc topo rules.conf
told 'this is a rule table of ompi-4.1' collc verify rules.conf -t star:4
told 'this is a rule table of nccl' collc verify nccl_tuner.conf -t star:4
told 'these are measured times' collc verify slow-host.osu -t star:4
told 'this has settings of ompi-4.1' collc verify job.sh
told 'this is a network (slurm)' collc verify topology.conf
told 'this is a network (slurm)' collc check topology.conf
told 'this is a network (slurm)' collc pick topology.conf --target ompi-4.1 bcast --ranks 8 --bytes 8
told 'this is a network (slurm)' collc why topology.conf --as ompi-4.1 -t star:4
told 'this is a network (slurm)' collc verify alltoall/ring -t topology.conf --placement topology.conf
refused "'rules.conf' has rules of ompi-4.1: say --target" collc lint rules.conf
refused 'this is a project file' collc lint collc.yaml

# In project files the help shows the key that is wrong.
project() { # WORDS TEXT: `check` refuses it with this help
    printf "$2" >wrong.yaml
    told "$1" collc check wrong.yaml
}
project "write 'networks: VALUE'" 'schedules: a\nnetworks star:4\n'
project 'write each on a line of its own' 'schedules: a\nnetworks: star:4, torus:4x4\n'
project "begin each with '- ', as in '- network: ...'" 'schedules: a\nnetworks:\n  a: star:4\n  b: star:5\n'
project "write 'limits:', and below it, further in, 'max-link-load: ...'" 'schedules: a\nlimits: 5\n'
project "'schedules' takes a value, or a list of values: [A, B]" 'schedules: {a: b}\n'
project "'network' takes one value" 'schedules: a\nnetworks:\n  - network: [star:4]\n'
project 'MVAPICH chooses by tables of its own' 'as: {target: mvapich2, collectives: bcast, bytes: 8}\nnetworks: star:4\n'
refused 'MVAPICH chooses by tables of its own' collc verify --as mvapich2 bcast --bytes 8 -t star:4
