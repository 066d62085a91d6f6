# Emitted C is the same every time, takes the name asked for, and is C11.
set -e
. "$root/tests/helpers.sh"
collc emit alltoall/two_level_ring --function my_alltoall -o a.c
collc emit alltoall/two_level_ring --function my_alltoall | cmp - a.c
grep -q my_alltoall a.c
collc emit alltoall/ring --table --ranks 4 -o table.c
mpicc -std=c11 -Wall -Wextra -Werror -c a.c
mpicc -std=c11 -Wall -Wextra -Werror -c table.c
status=0; collc emit bcast/binomial --param nonsense=3 2>message || status=$?
[ $status -eq 2 ]
grep -q '\[E003\]' message

# The last one of two values of a parameter counts, with ranks and without.
collc emit bcast/pipeline --param segments=2 -o last.c
collc emit bcast/pipeline --param segments=1 --param segments=2 | cmp - last.c
collc emit bcast/pipeline --ranks 3 --param segments=1 --param segments=2 | cmp - last.c

# No name that the file has already, or that C has, can be that of the function.
collc emit alltoall/two_level_ring --main -o main.c
gcc -fpreprocessed -dD -E -P main.c | sed 's/"[^"]*"//g' | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u |
    grep -vx 'collc_alltoall_two_level_ring' >names
[ "$(wc -l <names)" -gt 150 ]
for name in $(some_of 3 <names) double goto typedef qsort printf EOF PMPI_Send pthread_x _x x_t 2x a-b; do
    status=0; collc emit alltoall/two_level_ring --main --function "$name" -o x.c 2>message || status=$?
    [ $status -eq 2 ] && grep -q "'$name' is no name for the function" message || { echo "$name"; exit 1; }
done
[ ! -e x.c ]
status=0; collc emit alltoall/ring --table --ranks 4 --function collc_ops -o x.c 2>message || status=$?
[ $status -eq 2 ]
grep -q "'collc_ops' is no name" message
# Nor one that a function of the system may have, which the MPI would call instead of its own.
for name in send recv read write y0 floor clone getrandom sinf strided towards clock_gettime localtime_r sem_wait \
    aio_read quick_exit open_memstream getc_unlocked aligned_alloc; do
    status=0; collc emit alltoall/two_level_ring --function $name -o x.c 2>message || status=$?
    [ $status -eq 2 ] && grep -q "'$name' is no name .* the system has, or may have" message || { echo "$name"; exit 1; }
done
[ ! -e x.c ]
names='exchange alltoall a2a Alltoall collc_mine mine_2 my_send my_send_r Sem_r ring_alltoall aioX alltoall_if_'
for name in $(usually "$names" exchange "$names"); do
    collc emit alltoall/two_level_ring --main --function $name -o x.c
    mpicc -std=c99 -Wall -Wextra -Wshadow -Werror -c x.c
    grep -q "^int $name(const void" x.c
done

# Long statements are broken at commas and operators, ranges and conditions are as short as they can be.
for name in gather/binomial scatter/binomial alltoall/bruck allgather/recursive_doubling bcast/trinaryx3 \
    reduce_scatter_block/butterfly bcast/scatter_allgather reduce_scatter_block/two_level alltoallw/spread \
    reduce_scatter_block/bucket_multiport; do
    collc emit $name -o x.c
    awk -v name=$name 'length($0) > 100 { print name ": " $0; bad = 1 } END { exit bad }' x.c
done
for name in reduce_scatter_block/butterfly bcast/split_binary allgather/recexch; do
    collc emit $name -o x.c
    if grep -E '!\([a-z_]* [!=]= [a-z0-9]*\)|part \+ pieces - part|2 \* pieces - pieces' x.c; then exit 1; fi
done
cat >down.coll <<'END'
alltoall down
ranks r: p

for k in p - 1 .. 0 by -1
  step
    send in[r+k] to r + k
    recv out[r-k] from r - k
END
collc emit down.coll -o x.c
grep -q 'for (int64_t k = p - 1; k >= 0; k--) {' x.c
