printf '1\n0\n1\n0\n2\n0 7 0 0\n65536 4 0 0\n' | collc convert - --target ompi-5.0 --to ompi-4.1 2>&1
