collc lint near-key.txt --target ompi-6
