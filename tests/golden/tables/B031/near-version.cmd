printf '1\n0\n2\n0\n2\n0 6 0 0\n65536 4 0 0\n8 1 0 3 0 0\n' | collc convert - --target ompi-4.1 --to ompi-6 2>&1
