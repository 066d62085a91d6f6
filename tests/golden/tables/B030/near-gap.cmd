collc lint near-gap.txt --target ompi-6
