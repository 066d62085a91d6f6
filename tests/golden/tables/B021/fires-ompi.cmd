collc lint fires-ompi.txt --target ompi-6
