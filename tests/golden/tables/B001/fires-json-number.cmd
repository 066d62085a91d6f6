collc lint fires-json-number.txt --target ompi-6
