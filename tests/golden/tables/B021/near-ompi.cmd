collc lint near-ompi.txt --target ompi-6
