printf '1\nbcast 1 2 2 1 3 0 han 100 basic 8 tuned 010 1 0 tuned\n' | collc convert - --target ompi-4.1-han --to ompi-5.0-han 2>&1
