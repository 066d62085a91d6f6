collc lint fires-json-ranks.txt --target ompi-6
