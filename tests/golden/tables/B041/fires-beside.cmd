# A file in a folder that the script makes is the one beside the script; what is unknown is no lack of a setting.
collc lint fires-beside.txt --target ompi-4.1
collc pick fires-beside.txt alltoall --target ompi-4.1 --ranks 4 --bytes 8
sed 's|/fires|/no|' fires-beside.txt | collc pick - alltoall --target ompi-4.1 --ranks 4 --bytes 8
