collc lint fires-overruled.txt --target ompi-4.1
