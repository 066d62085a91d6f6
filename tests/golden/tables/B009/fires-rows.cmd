collc lint fires-rows.txt --target mpich-4.0
