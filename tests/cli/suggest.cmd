# A slip is met with what was probably meant, wherever there is a list to know it by.
ask() { collc "$@" 2>&1 | grep -o "did you mean.*"; }
ask verfy alltoall/ring --ranks 4
ask help algoritms
ask verify alltoall/ring --rnaks 4
ask verify alltoall/ring --ranks 4 --format jsno
ask verify bcast/binomail --ranks 4
ask verify two_level_rnig --ranks 4
ask verify bcast/binomial --ranks 4 --param segmets=2
ask emit bcast/binomial --param segmets=2
ask best alltoal --ranks 4
ask explain EO09
ask topo tours:4x4
ask topo ibnetdiscovre:file.txt
ask topo torus:4x4,bandwith=1GB/s
ask topo star:4,pors=1
for words in 'bcst flat' 'bcast flat(segs = 1)
requires flor_log2(p) > 0' 'bcast flat
ranks r: p form root' 'bcast flat
stpe'; do
    printf '%s\n' "$words" >slip.coll
    ask fmt slip.coll
done
program() { printf 'bcast flat\nranks rank: p\nstep\n  %s\n' "$1" >slip.coll; ask fmt slip.coll; }
program 'send bfu to rank'
program 'send buf to rnak'
program 'send buf too rank'
program 'recv buf form rank'
program 'sned buf to rank'
printf 'graph g {\n a -- s [bandwith="1GB/s"]\n b -- s [label="x", style=dotted]\n}\n' >slip.dot
collc topo slip.dot
collc route star:4 --metrics --from m0
collc topo star:3 --to xml | collc topo -
collc verify bcast -t star:4; echo $?
collc lint allgatherv; echo $?
collc verify ring; echo $?
collc lint trivance; echo $?
collc algorithms knomial; echo $?
ask best broadcast -t star:4
ask best all-to-all -t star:4
ask best exclusive_scan -t star:4
printf 'broadcast flat\nranks r: p from root\n' >slip.coll
ask fmt slip.coll
for kind in star torus fattree; do collc topo $kind; echo $?; done
collc best bcast -t tofu; echo $?
cp slip.dot star
collc topo star --to xml | head -n 1
# Names that launchers, benchmarks and MPI use.
for option in '-n 4' '-np 4' '--ntasks 4' '--ppn 4' '--hostfile f' '--nodelist n[1-2]' '--size 8' '-w n1' '--network star:4'; do
    ask verify alltoall/ring $option
done
ask topo star:4 -n 4
ask best MPI_Alltoallv -t star:4
collc verify alltoall/ring -t star:4 -o report; echo $?
collc verify MPI_Bcast -t star:4; echo $?
collc verify broadcast/vandegeijn -t star:4; echo $?
# One thing in the place of another.
collc alltoall/ring; echo $?
collc topo star:4 --to xml >net.xml
collc verify net.xml -t star:4; echo $?
collc verify alltoall/ring star:4; echo $?
collc verify alltoall/ring -t star:4 --placement Cyclic; echo $?
collc verify alltoall/ring -t star:4 --placement 'm[0-3]'; echo $?
collc verify alltoall/ring -t star:4 --placement hosts; echo $?
collc verify alltoall/ring -t star:4 --placement net.xml; echo $?
printf 'm0 slots=2\nm1 two\nm2 cpus=2\n' >hosts.txt
collc verify alltoall/ring -t star:4 --placement hosts.txt; echo $?
collc verify alltoall/ring -t star:4 --machines 'm[2-9],node1'; echo $?
collc verify alltoallv/ring -t star:4 --counts '(i+j)%3'; echo $?
collc verify alltoall/ring --ranks 4 --bytes 1M; echo $?
collc verify alltoall/ring --ranks 4 --bytes 8..64; echo $?
collc predict alltoall/ring -t star:4 --sizes 8-64; echo $?
collc route star:4 --from m0 --to n1; echo $?
collc draw bcast/binomial --ranks 8 --what step --step 3; echo $?
# a file without its ending; a number that is not there; sizes where there are counts
echo 'bcst flat' >mine.coll
ask verify mine --ranks 4
collc topo torus:8x 2>&1 | head -n 1
collc topo star: 2>&1 | head -n 1
echo 8 8 8 >counts.txt
collc predict allgatherv/ring -t star:3 --counts counts.txt --bytes 1KiB 2>&1 | head -n 1
collc predict allgatherv/ring -t star:3 --counts i --bytes 1KiB 2>&1 | head -n 1
collc topo "$root/examples/clusters/ft2_4s8l64h.txt" --fail laef03 2>&1 | grep -c "did you mean 'leaf03'?"
collc topo "$root/examples/clusters/ft2_4s8l64h.txt" --fail leaf03:spin01 2>&1 | grep -c "did you mean 'leaf03:spine01'?"
collc topo "$root/examples/clusters/ft2_4s8l64h.txt" --machines nod003 2>&1 | grep -c "did you mean 'node003'?"
collc check --fail leaf03 2>&1 | head -n 2
# Kinds of networks as others write them; what is none; a file whose name is nearly right; a folder of several.
mkdir nets
cp "$root/examples/clusters/plafrim1.txt" "$root/examples/clusters/torus4x4x4.txt" nets
for network in fat-tree:8x8 Torus:8x8 torus8x8 torus-8X8,bw=2.5GB/s tor:8x8 clos full-mesh:4 nets/plafrim.txt; do
    ask topo $network
done
for network in dragonfly dragonfly:4x4 nets/none.txt 8x8; do collc topo $network 2>&1 | grep -v '^ .*|'; done
echo text >nets/a.md
collc topo nets 2>&1 | grep -v '^ .*|'
# An algorithm that is none of its collective, nor like one.
collc verify alltoall/foo -t star:4
ask verify alltoal/rin -t star:4
# A word or an option of another command.
collc predict alltoall/ring -t star:4 --format sarif
collc draw alltoall/ring -t star:4 --what load
collc check -o report; echo $?
collc lint -t star:4 ring.coll; echo $?

# One algorithm where all of a collective are compared; other words between the ends of a cable.
collc best alltoall/ring -t star:4; echo $?
for cable in '(0,0)-(1,0)' '(0,0),(1,0)' '(0,0) -> (1,0)'; do
    collc topo torus:3x3 --fail "$cable" 2>&1 | grep -o "did you mean.*"
done
# A bracket that is not closed is shown where it was opened; a file of tables where it is named.
mkdir project
cp "$root/examples/clusters/ft2_4s8l64h.txt" "$root/examples/clusters/ft2_4s8l64h-ftree.dump" project
printf 'schedules: [alltoall/ring\nnetworks: star:4\n' >project/collc.yaml
collc check project; echo $?
printf 'schedules: alltoall/ring\nnetworks: [star:4]\nlimits: {max-link-load: 3\n' >project/collc.yaml
collc check project; echo $?
printf 'schedules: alltoall/ring\nnetworks:\n  - network: ft2_4s8l64h.txt\n    routes: ft2_4s8l64h-ftre.dump\n' >project/collc.yaml
collc check project; echo $?
# XML that is no network; machines without a route.
echo '<algo name="a2a" ngpus="8"/>' >msccl.xml
collc verify msccl.xml 2>&1 | grep -c 'this is a network'
cp "$root"/tests/golden/rules/L002/pair.txt "$root"/tests/golden/rules/L002/hole.dump .
collc best alltoall -t pair.txt --routes hole.dump --bytes 64 -q 2>&1 | grep '^collc'
# MPIs as people call them; commands that others have; ranges as others write them; networks where they are not taken.
for name in impi 'Intel MPI 2021' openmpi-4.1.5 'Open MPI 5.0.2' mpich-4.2.1 ompi-5.1; do
    collc lint x --target "$name" 2>&1 | grep -o "did you mean.*"
done
collc completion
collc man
collc pick bcast --target ompi-4.1 --ranks 8 --bytes 8:1M 2>&1 | grep help
collc pick bcast --target ompi-4.1 --ranks 8 --bytes 64-1MiB 2>&1 | grep help
collc verify alltoall -t star:4
collc route star:8 m0 m1
collc topo star:8 star:4
collc check "$root/examples/clusters/ft2_4s8l64h.txt"
collc simulate alltoall/ring -t star:4 --bytes 8 -o x.html; ls x.html
mkdir yml home home/collc && echo 'ranks: 4' >yml/collc.yml && echo 'topology: star:4' >home/collc/config.yml
collc check yml
XDG_CONFIG_HOME=$PWD/home XDG_CONFIG_DIRS=/nowhere collc bound alltoall --ranks 4 2>&1 | sed "s|$PWD/||" | head -n 1
printf 'networks: star:4\njobs: {schedule: alltoall/ring, name: first, ranks: 5}\n' >jobs.yaml
collc check jobs.yaml | head -n 1
