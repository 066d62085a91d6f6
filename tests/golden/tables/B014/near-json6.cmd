collc lint near-json6.txt --target ompi-6
