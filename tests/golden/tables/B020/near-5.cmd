# Open MPI 5.0 knows no JSON: what it finds are the numbers in it.
collc lint table.txt --target ompi-5.0
