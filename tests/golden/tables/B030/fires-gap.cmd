collc lint fires-gap.txt --target ompi-6
