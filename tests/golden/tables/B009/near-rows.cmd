collc lint near-rows.txt --target mpich-4.0
