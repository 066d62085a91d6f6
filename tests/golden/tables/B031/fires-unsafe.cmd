# A row that is unsafe for a legal call is not converted, unless programs are said not to make it.
table='1 11 1 0 2 0 1 0 0 65536 5 0 0'
echo "$table" | collc convert - --target ompi-4.1 --to ompi-5.0 2>&1
echo "status $?"
echo "$table" | collc convert - --target ompi-4.1 --to ompi-5.0 --commutative-only 2>&1
