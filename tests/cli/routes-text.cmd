# The text of collc route: a route, the pairs of a link, all figures, mistakes.
"$root/tests/data/routes/unpack" .
cp "$root"/tests/golden/rules/L002/* .
collc route ft4.txt --routes ft4-minhop.dump --from node000 --to node063
collc route torus:4x4 --from '(0,0)' --to '(2,3)'
collc route pair.txt --routes hole.dump --from red --to green; echo "status $?"
collc route pair.txt --routes loop.dump --from red --to green; echo "status $?"
collc route pair.txt --routes loop.dump
echo "status $?"
collc route pair.txt --routes hole.dump --link leaf1:leaf0
collc route pair.txt --routes hole.dump --link 3 --format json
collc route pair.txt --routes hole.dump --from green --to red --format json
collc route torus.txt --routes torus-dfsssp.dump --sl torus-dfsssp.psl --sl2vl torus-dfsssp.sl2vl
collc route plafrim2.txt --routes plafrim2-tables
collc route star:4 --routes hole.dump; echo "status $?"
collc route pair.txt --routes ft4-minhop.dump --from red --to blue 2>&1 | head -n 4
printf 'Multicast mlids [0xc000-0xc01f] of switch Lid 1 guid 0x0000000000000001 (leaf0):\n' >multicast
printf 'Unicast lids [0x0-0xa] of switch Lid 1 guid 0x0000000000000001 (leaf0):\n0x0008 001 : (x)\n2 valid lids dumped \n' >short
printf '0x00000000000000a0 12 16\n' >levels
collc route pair.txt --routes multicast --routes short --routes pair.txt; echo "status $?"
mkdir empty; collc route pair.txt --routes empty; echo "status $?"
collc route pair.txt --routes hole.dump --sl levels; echo "status $?"
collc route pair.txt --sl levels; echo "status $?"
collc route pair.txt --from red; echo "status $?"
collc route pair.txt --from red --to purple; echo "status $?"
collc route pair.txt --link red:green; echo "status $?"
collc route star:200000 --metrics --budget 100s; echo "status $?"
collc verify alltoall/ring --ranks 4 --routes hole.dump; echo "status $?"
