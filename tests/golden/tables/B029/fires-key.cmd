collc lint fires-key.txt --target ompi-6
