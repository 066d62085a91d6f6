# Ports, LIDs and fates of a part of a network that is routed by tables.
cp "$root/examples/clusters/ft2_4s8l64h.txt" net.txt
cp "$root/examples/clusters/ft2_4s8l64h-ftree.dump" net.dump
collc route net.txt --routes net.dump --from node001 --to node040 --machines 'node[001-008,040]'
collc route net.txt --routes net.dump --from node001 --to node040 --machines 'node[001-008,040]' --fail leaf01:spine01
collc route net.txt --routes net.dump --from node001 --to node040 --machines 'node[001-008,040]' --fail leaf00:spine00
collc route net.txt --routes net.dump --from node001 --to node040 --machines 'node[001-008,040]' --fail leaf00:spine00 --format json
collc route net.txt --routes net.dump --machines 'node[001-008,040]' --fail leaf00:spine00 --metrics
collc route net.txt --routes net.dump --machines 'node[001-008,040]' --fail leaf00:spine00 --metrics --format json | grep -A8 pairs
collc route net.txt --routes net.dump --machines 'node[001,040]' --link leaf00:spine00
# a table with a hole, numbers of machines other than in the whole network, and a service level
sed 45d net.dump >hole.dump
collc route net.txt --routes hole.dump --machines 'node[003,040]' --from node003 --to node040
collc route net.txt --routes hole.dump --machines 'node[003,040]' --fail leaf00:spine00 --metrics | grep pairs
collc route net.txt --routes net.dump --machines 'node[001,040]' --from node001 --to node040 --sl /dev/null | head -2
