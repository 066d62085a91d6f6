# A command that would take longer than twice the budget is not begun, or is stopped: exit status 2, a message with a
# remedy, and no file. A budget is seconds of the CPU, so the cases are far apart on any machine: what is refused
# is estimated after milliseconds, what is to pass takes a hundredth of its budget, what is stopped would take minutes.
set -e
refused() { # WORDS COMMAND...
    local words=$1 status=0
    shift
    collc "$@" >out 2>said || status=$?
    [ $status = 2 ] && [ ! -s out ] && grep -q "$words" said && grep -q 'budget allows more' said || { cat said; exit 1; }
}
refused 'takes about' predict alltoall/ring -t star:16384 --sizes 1KiB --budget 10s --no-symmetry
! grep -q symmetry said || exit 1 # which is no way out here
refused 'takes about' simulate alltoall/ring -t star:16384 --bytes 1KiB --budget 10s
refused 'stopped after 1 s' simulate alltoall/bruck -t mesh:16x16 --bytes 64KiB --model flit --budget 500ms --format json
cat >slow.coll <<'END'
barrier slow
ranks r: p
for i in 1 .. 8000000 # some five minutes on 256 ranks
  step
    send to r + 1
    recv from r - 1
END
refused 'stopped after 1 s' predict slow.coll -t star:256 -o out.csv --to csv --budget 1ms
[ ! -e out.csv ]
collc verify barrier/dissemination -t star:8 --budget 60s -q
# A drawing of the loads of all steps has to route them.
status=0
collc draw alltoall/ring -t star:100000 --budget 60s >out 2>said || status=$?
[ "$status" = 2 ] && [ ! -s out ] && grep -q 'to look at more than .* messages takes about .* the budget is 60 s' said
# 2^32 messages from a server to another in a step are not counted by symmetry, and not taken for none.
collc verify alltoall/linear -t star:2 --ranks-per-machine 65535 --budget 200s | grep -q 'at most 4294836225 in a step'
refused 'takes about' verify alltoall/linear -t star:2 --ranks-per-machine 65536 --budget 200s
# A sanitizer needs more time, and memory without a limit.
case $(command -v collc) in
*/asan/collc) exit 0 ;;
esac
# With many algorithms, those that are too much are left out: the budget is compared with estimates.
collc best allgather -t star:16384 --sizes 1KiB --model step --budget 5s --no-symmetry --format json >some
grep -q '"code": "E010"' some
grep -q 'of which --budget leaves' some
# A step that memory cannot hold is not begun.
(ulimit -v 1000000 && collc verify alltoall/linear -t star:3000 --no-symmetry) >out 2>said && exit 1
grep -q 'of memory, there are 1 GB' said || { cat said; exit 1; }
# A command that needs more memory than there is stops with a message.
(ulimit -d 100000 && collc verify allgather/bine --ranks 2048 --no-symmetry) >out 2>said && exit 1
[ ! -s out ] && grep -q 'help: it takes more than the 0.1 GB that there are' said || { cat said; exit 1; }
