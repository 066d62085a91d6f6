# Several jobs on one network at the same time: collc simulate --beside.
. "$root/tests/helpers.sh"
network=star:4,bw=1GB/s,lat=0ns
free='--overhead 0ns --gap 0ns'
job() { # NAME MACHINES ALGORITHM OPTION...: compiles it for these machines
    name=$1 machines=$2
    shift 2
    printf '%s\n' $machines >hosts
    collc compile "$@" -t $network --placement hosts -o $name.sched
}
ends() { # OPTION...: of the jobs, and of all
    collc simulate "$@" --format json | jq -c '[.jobs[].time_ns, .time_ns, .jobs[].alone_ns]'
}
job a 'm0 m2' bcast/linear --bytes 1MB
job b 'm1 m2' bcast/linear --bytes 1MB
job c 'm1 m3' bcast/linear --bytes 3MB

# Two messages to one machine: one after the other, or at half the rate both. Elsewhere nobody notices.
expect 'asap' "$(ends a.sched --beside b.sched $free --send-order queue)" '[1000000,2000000,2000000,1000000,1000000]'
expect 'flow' "$(ends a.sched --beside b.sched $free --model flow)" '[2000000,2000000,2000000,1000000,1000000]'
expect 'apart' "$(ends a.sched --beside c.sched $free)" '[1000000,3000000,3000000,1000000,3000000]'
expect 'three' "$(ends a.sched --beside b.sched --beside c.sched $free --model flow)" \
    '[2000000,2000000,4000000,4000000,1000000,1000000,3000000]'
expect 'text' "$(collc simulate a.sched --beside c.sched $free | grep -c '1.00x')" 2
expect 'by flits' "$(collc simulate a.sched --beside b.sched $free --model flit --format json |
    jq '.jobs | map(.time_ns > 1.9 * .alone_ns) | any')" true

# The same as one schedule that has the operations of both, ranks of the second numbered behind the first.
network=torus:4x2
job ring 'm0 m2 m5 m7' alltoall/ring --bytes 40KB
job other 'm1 m3 m4 m6' alltoall/pairwise --bytes 40KB
{
    sed '/^step/,$d; s/^ranks 4/ranks 8/; s/^placement.*/placement 0x1 2x1 5x1 7x1 1x1 3x1 4x1 6x1/' ring.sched
    for step in 0 1 2 3 4; do
        echo "step $step"
        awk -v now=-1 -v step=$step '/^step/ { now = $2; next } now == step && !/^end/' ring.sched
        awk -v now=-1 -v step=$step '/^step/ { now = $2; next } now != step || /^end/ { next }
            $2 == "copy" { $1 += 4; print; next } { $1 += 4; $5 += 4; print }' other.sched
    done
    echo end
} >both.sched
ends ring.sched --beside other.sched --simulation-seed 3 >of_jobs
collc simulate both.sched --simulation-seed 3 --format json >of_both 2>err || [ $? = 1 ] # data of none are whole
expect 'as one schedule' "$(jq .time_ns of_both)" "$(jq '.[2]' of_jobs)"
holds '.[2] == (.[:2] | max) and .[2] > (.[3:] | max)' of_jobs

# Jobs that cannot be played so.
refused() { # WORDS OPTION...
    words=$1 status=0
    shift
    collc simulate "$@" >out 2>err || status=$?
    expect "$words" "$status" 2
    grep -q -- "$words" err || { cat err; exit 1; }
}
collc compile alltoall/ring --ranks 4 --bytes 8 -o nowhere.sched
collc compile alltoall/ring -t star:5 --bytes 8 -o elsewhere.sched
collc compile alltoall/ring -t torus:4x2 -o unsized.sched
refused 'it has no machines of this topology' ring.sched --beside elsewhere.sched -t torus:4x2
refused 'it has no machines of this topology' ring.sched --beside nowhere.sched -t torus:4x2
refused 'it has no size' ring.sched --beside unsized.sched
refused "'alltoall/ring' is an algorithm; 'collc compile alltoall/ring -t torus:4x2 --bytes SIZE" \
    ring.sched --beside alltoall/ring -t torus:4x2
refused 'without barriers' ring.sched --beside other.sched --sync barrier
refused 'without barriers' ring.sched --beside other.sched --model step
refused 'per-step' ring.sched --beside other.sched --per-step
refused 'cannot open' ring.sched --beside none.sched
