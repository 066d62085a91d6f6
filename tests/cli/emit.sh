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
