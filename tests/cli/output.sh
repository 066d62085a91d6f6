# Output is whole or absent; devices are written in place; a full disk is an error.
set -e
collc compile alltoall/ring --ranks 4 -o a.sched
collc compile alltoall/ring --ranks 4 >b.sched
collc compile alltoall/ring --ranks 4 -o - | cmp - a.sched
cmp a.sched b.sched
[ "$(ls)" = "$(printf 'a.sched\nb.sched')" ]

chmod 640 a.sched
collc compile alltoall/ring --ranks 5 -o a.sched
[ "$(stat -c %a a.sched)" = 640 ]

ln -s a.sched link.sched
collc compile alltoall/ring --ranks 4 -o link.sched
[ -L link.sched ] && cmp a.sched b.sched

collc compile alltoall/ring --ranks 4 -o /dev/null
[ -c /dev/null ]

status=0; collc compile alltoall/ring --ranks 4 -o /dev/full 2>message || status=$?
[ $status -eq 2 ] && grep -q 'No space left' message
status=0; collc verify alltoall/ring --ranks 4 >/dev/full 2>message || status=$?
[ $status -eq 2 ] && grep -q 'No space left' message
status=0; collc --help >/dev/full 2>message || status=$?
[ $status -eq 2 ]
status=0; collc compile alltoall/ring --ranks 4 -o no/such/folder.sched 2>message || status=$?
[ $status -eq 2 ] && grep -q 'No such file' message

# An error leaves what was there.
cp a.sched before
status=0; collc compile alltoall/two_level_ring --ranks 5 --param nonsense=1 -o a.sched 2>message || status=$?
[ $status -eq 2 ] && cmp a.sched before
[ -z "$(find . -name '*.??????' -newer before)" ]
