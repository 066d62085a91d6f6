collc lint fires-json-sizes.txt --target ompi-6
