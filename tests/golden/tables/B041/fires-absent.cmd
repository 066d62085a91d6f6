# A rule file that is not here is none of those that are judged, and pick says so.
collc lint fires-absent.txt --target ompi-4.1
collc pick fires-absent.txt alltoall --target ompi-4.1 --ranks 4 --bytes 8
