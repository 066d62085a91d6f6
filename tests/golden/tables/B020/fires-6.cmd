collc lint table.txt --target ompi-6
