collc lint table.json --target ompi-6
