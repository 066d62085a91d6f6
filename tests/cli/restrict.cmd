# Parts of a network: failed cables, the machines of a job.
collc topo torus:4x4 --fail '(0,0):(1,0)' --fail '(2,2)' --format json
collc route torus:8 --fail 0 --from m0 --to m1
collc route mesh:4x4 --fail '(0,0):(1,0)' --from '(0,0)' --to '(3,0)'
collc route fattree:4x4 --fail m5 --from m0 --to m5
collc verify alltoall/a2at -t torus:5x5 --fail '(0,0):(1,0)'
collc topo tofu:2x2x2 --machines '(0-3,0-2,0),(0,0,0,0,0,1)'
printf 'node00[1-3] # the first three\nnode[010,012]\n' >job
collc verify alltoall/ring -t "$root/examples/clusters/ft2_4s8l64h.txt" --machines job --quiet && echo fine
collc verify alltoall/ring -t "$root/examples/clusters/ft2_4s8l64h.txt" --machines 'node[008-009]' --fail leaf01 --quiet --colour never
# as XML
collc topo torus:4x4 --fail '(2,2)' --fail '(0,0):(1,0)' --machines '(0-1,0-3),(3,3)' --to xml -o part.xml
tail -5 part.xml
collc topo torus:4x4 --fail '(2,2)' --fail '(0,0):(1,0)' --machines '(0-1,0-3),(3,3)' | grep fingerprint
collc topo part.xml | grep fingerprint
collc topo "$root/examples/clusters/ft2_4s8l64h.txt" --fail leaf01 --fail leaf02:spine01 --machines 'node[001-009,033-044]' --to xml | tail -4
# what is not there
collc topo torus:4x4 --fail '(0,0):(2,0)'
collc topo star:4 --fail 8 --fail sw1
collc verify alltoall/ring -t star:4 --fail each
collc topo star:8 --machines 'm[7-8]'
collc topo torus:4x4 --machines '(0-3)'
collc topo torus:4x4 --machines '(0-3,3-1)'
collc topo torus:4x4 --machines '(0,4)'
collc topo torus:4x4 --machines '(0-9,0)'
collc topo tofu:2x2x2 --machines '(0,0,4)'
collc topo star:4 --machines '(0,0)'
collc topo star:4 --machines 'm[1-'
collc topo star:4 --machines ' , # nobody'
# The host file of an MPI names the hosts of a job, also in full.
printf 'm0.cluster.org slots = 2 # login\nm2:2 binding=user:0,1\n' >hosts.txt
collc topo star:4 --machines hosts.txt
# So do those of SGE and LSF, and standard input.
printf 'm0 2 all.q@m0 UNDEFINED\nm1 1 m2 1\n' | collc topo star:4 --machines -
collc verify alltoall/ring -t star:4 --fail m2/mlx5_1 --colour never
# A name in the other case is that name; what is excluded elsewhere is not here.
collc topo $root/examples/clusters/ft2_4s8l64h.txt --machines NODE004
collc topo fattree:4x4 --machines '^m3'
