# A command that takes longer than a second says on a terminal how far it is, and nowhere else. Its output then is
# what is printed without it. The clock is a fast one.
set -e
. "$root/tests/helpers.sh"
is_short && exit 0 # the library of a sanitizer has to be the first
if ! command -v script >/dev/null; then
    echo "skipped: no script (package bsdutils)"
    exit 0
fi
gcc -O1 -shared -fPIC "$root/tests/cli/clock.c" -o clock.so -ldl
LD_PRELOAD=$PWD/clock.so
export LD_PRELOAD

escape=$(printf '\033')
# on_terminal: writes to `terminal` what a terminal gets; to `left`, what is left when the command has ended.
on_terminal() { # COMMAND...
    script -qec "$*" terminal >/dev/null </dev/null
    sed -e 1d -e 's/\r$//' terminal | head -n -2 | sed -e 's/.*\r\x1b\[K//' >left
}
# is_left: what is left is what is printed where there is no terminal.
is_left() { # COMMAND...
    on_terminal "$@"
    "$@" >printed 2>said
    absent "$escape" said
    sed '/"seconds"/d' left | sort >left.figures
    cat said printed | sed '/"seconds"/d' | sort | cmp - left.figures
}
seen() { # PATTERN COMMAND...
    local pattern=$1
    shift
    is_left "$@"
    tr '\r' '\n' <terminal | grep "$pattern" >lines || { echo "nothing like '$pattern': $*"; cat -v terminal; exit 1; }
}
shows() { # PATTERN COMMAND...
    seen "$@"
    shift
    on_terminal "$@" -q
    absent "$escape" terminal
}
shows 'collc verify: [0-9]* of about 262144 messages, about [0-9]* s left$' \
    collc verify alltoall/ring -t fattree:8x8x8 --no-symmetry --jobs 1
# The first one of several processes alone says something, if there is anything left to do for it.
is_left collc verify alltoall/ring -t fattree:8x8x8 --no-symmetry --jobs 2 --per-step --format json
shows 'collc verify: [0-9]* messages$' collc verify alltoall/bruck -t "$root/examples/clusters/plafrim1.txt"
shows 'collc simulate: [0-9]* of about 65536 messages, ' collc simulate alltoall/ring -t star:256 --bytes 8
shows 'collc compile: [0-9]* of about 65536 messages, ' collc compile alltoall/ring -t star:256 -o made.sched
shows 'collc verify: [0-9]* messages$' collc verify made.sched --jobs 1
shows 'collc map: [0-9]* of about [0-9]* messages, ' collc map alltoall/ring -t torus:16x16
shows 'collc predict: [0-9]* of about 65536 messages, ' \
    collc predict alltoall/ring -t torus:16x16 --no-symmetry --model step --sizes 8
shows 'collc predict: 12 of 20 sizes, about [0-9]* s left$' collc predict bcast/chain -t mesh:2x3 --model flow --jobs 1
shows 'collc predict: [0-9]* of 20 sizes' collc predict bcast/chain -t mesh:2x3 --model flow --jobs 2
shows 'collc best: 12 of [0-9]* algorithms, about [0-9]* s left$' collc best bcast -t mesh:4x4 --model step
shows 'collc best: 3 schedules played$' collc best bcast -t mesh:2x3 --model flow --jobs 1
shows 'collc best: [0-9]* of 20 sizes' collc best bcast -t mesh:2x3 --model flow --jobs 2
shows 'collc best: [0-9]* schedules measured$' collc best bcast --to ompi-5.0 -t star:48 --ranks 48 -o x.rules
# These have no -q.
seen 'collc route: [0-9]* of 64 destinations, ' \
    collc route "$root/examples/clusters/ft2_4s8l64h.txt" --metrics --jobs 1
seen 'collc route: [0-9]* of 255 shifts, ' collc route torus:16x16 --metrics --jobs 1
seen 'collc route: [0-9]* of 256 sources, ' collc route torus:16x16 --link 3
for jobs in 1 2; do
    seen 'collc check: [0-9]* of [0-9]* combinations' collc check "$root/examples/ci" --jobs $jobs
    absent 'messages' lines
done
seen 'collc synth: [0-9]* of [0-9]* pieces' collc synth allreduce -t torus:4x4 -o made.sched

# A schedule on standard output leaves no room for a line, and what is found later takes it away.
on_terminal collc compile alltoall/ring -t star:256
absent 'collc compile:' terminal
absent "$escape" terminal
LD_PRELOAD= collc compile alltoall/ring -t star:256 | cmp - left
