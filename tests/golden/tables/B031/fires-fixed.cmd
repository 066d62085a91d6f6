printf '1\n7\n1\n2\n2\n0 0 0 0\n65536 3 0 0\n' | collc convert - --target ompi-4.1 --to ompi-5.0 2>&1
