collc lint fires-json.txt --target ompi-6
