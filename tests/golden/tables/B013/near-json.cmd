collc lint near-json.txt --target ompi-6
