printf '1\nbcast 2 2 1 1 1 0 han @simple 0 1 1 1 0 basic\n' | collc convert - --target ompi-5.0-han --to ompi-4.1-han 2>&1
