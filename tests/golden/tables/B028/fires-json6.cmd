collc lint fires-json6.txt --target ompi-6
