collc lint fires-ucc-other.txt --target ucc
collc pick fires-ucc-other.txt --target ucc bcast --ranks 4 --bytes 1..1MiB
