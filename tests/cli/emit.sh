# Emitted C is the same every time, takes the name asked for, and is C11.
set -e
collc emit alltoall/two_level_ring --function my_alltoall -o a.c
collc emit alltoall/two_level_ring --function my_alltoall | cmp - a.c
grep -q my_alltoall a.c
collc emit alltoall/ring --table --ranks 4 -o table.c
mpicc -std=c11 -Wall -Wextra -Werror -c a.c
mpicc -std=c11 -Wall -Wextra -Werror -c table.c
status=0; collc emit bcast/binomial --param nonsense=3 2>message || status=$?
[ $status -eq 2 ] && grep -q '\[E003\]' message

# Of two values of a parameter the last one counts, with ranks and without.
collc emit bcast/pipeline --param segments=2 -o last.c
collc emit bcast/pipeline --param segments=1 --param segments=2 | cmp - last.c
collc emit bcast/pipeline --ranks 3 --param segments=1 --param segments=2 | cmp - last.c

# No name that the file has already, or that C has, can be that of the function.
collc emit alltoall/two_level_ring --main -o main.c
gcc -fpreprocessed -dD -E -P main.c | sed 's/"[^"]*"//g' | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u |
    grep -vx 'collc_alltoall_two_level_ring' >names
[ "$(wc -l <names)" -gt 150 ]
for name in $(cat names) double goto typedef qsort printf EOF PMPI_Send pthread_x _x x_t 2x a-b; do
    status=0; collc emit alltoall/two_level_ring --main --function "$name" -o x.c 2>message || status=$?
    [ $status -eq 2 ] && grep -q "'$name' is no name for the function" message || { echo "$name"; exit 1; }
done
[ ! -e x.c ]
status=0; collc emit alltoall/ring --table --ranks 4 --function collc_ops -o x.c 2>message || status=$?
[ $status -eq 2 ] && grep -q "'collc_ops' is no name" message
for name in exchange Alltoall collc_mine mine_2 alltoall; do
    collc emit alltoall/two_level_ring --main --function $name -o x.c
    mpicc -std=c99 -Wall -Wextra -Wshadow -Werror -c x.c
    grep -q "^int $name(const void" x.c
done
