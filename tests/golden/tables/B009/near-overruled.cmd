collc lint near-overruled.txt --target ompi-4.1
