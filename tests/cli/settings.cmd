# Settings of libraries in scripts and parameter files: judged, picked from, compared between nodes.
cat >mca-params.conf <<'EOF'
# site defaults
coll_tuned_use_dynamic_rules = 1
coll_tuned_dynamic_rules_filename = site.rules
coll_tuned_alltoall_algorithm = pairwise
EOF
printf '1\n7\n1\n0\n2\n0 1 0 0\n4096 6 0 0\n' >site.rules
collc lint mca-params.conf --target ompi-4.1; echo $?
collc pick mca-params.conf --target ompi-4.1 alltoall --ranks 8 --bytes 64; echo $?
collc pick mca-params.conf --target ompi-4.1 bcast --ranks 8 --bytes 1KiB..8KiB; echo $?
collc pick mca-params.conf --target ompi-5.0 bcast --ranks 8 --nodes 2 --bytes 1KiB; echo $?
collc convert mca-params.conf --target ompi-4.1 --to ompi-6; echo $?
printf 'export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=reduce_scatter_allgather\n' >cvar.sh
collc pick cvar.sh --target mpich-4.0 allreduce --ranks 4 --bytes 1..1KiB --type-bytes 4; echo $?
printf 'export MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM=noncommutative MPIR_CVAR_COLLECTIVE_FALLBACK=error\n' >wrong.sh
collc lint wrong.sh --target mpich-4.3; echo $?
collc pick wrong.sh --target mpich-4.3 reduce_scatter --ranks 3 --bytes 8; echo $?
printf 'mpirun -genv I_MPI_ADJUST_ALLREDUCE 5 -genv I_MPI_ADJUST_ALLTOALL="2:0-64;0" ./a\n' >intel.sh
collc pick intel.sh --target intel-mpi alltoall --ranks 4 --bytes 1..1KiB; echo $?
printf 'export NCCL_ALGO="^ring;allreduce:nvls" NCCL_PROTO=simple\n' >nccl.sh
collc pick nccl.sh --target nccl allreduce --ranks 8 --bytes 1KiB; echo $?
collc pick nccl.sh --target nccl broadcast --ranks 8 --bytes 1KiB; echo $?
printf 'UCC_TL_UCP_TUNE=allreduce:@knomial\nmpirun -x UCC_TL_UCP_TUNE=allreduce:@ring ./a\n' >ucc.sh
collc lint ucc.sh --target ucc; echo $?
collc pick ucc.sh --target ucc allreduce --ranks 4 --bytes 64; echo $?
collc pick ucc.sh --target ucc reduce_scatter --ranks 4 --bytes 64; echo $?
collc lint /dev/null --target ompi-4.1; echo $?
collc pick ucc.sh --target intel-mpi alltoall --ranks 4 --bytes 64; echo $?
printf 'export OMPI_MCA_coll_han_dynamic_rules_filename=gone.rules\n' >han.sh
collc lint han.sh --target ompi-4.1-han; echo $?
mkdir east west && cp intel.sh east/run.sh && sed 's/ALLREDUCE 5/ALLREDUCE 4/' intel.sh >west/run.sh && echo text >west/notes
collc lint east/ west/ --target intel-mpi; echo $?
collc lint east/run.sh west/run.sh --target intel-mpi; echo $?
cp site.rules node1.rules && sed 's/^4096 6/8192 6/' site.rules >node2.rules
collc lint node1.rules node2.rules --target ompi-4.1 --format json | jq -r '.[] | .code'; echo $?
# The device of MPICH: its own files, compositions and words.
printf '{"collective=bcast": {"comm_type=intra": {"comm_hierarchy=parent": {"avg_msg_size<=4096": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}, "avg_msg_size=any": {"composition=MPIDI_Bcast_intra_composition_gamma": {}}}}}}' >ch4.json
printf 'export MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=ch4.json MPIR_CVAR_REDUCE_COMPOSITION=2 MPIR_CVAR_SCAN_COMPOSITION=1\nexport MPIR_CVAR_ALLREDUCE_COMPOSITION=9 MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM=ipc MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE=gone.json\n' >device.sh
collc lint ch4.json device.sh --target mpich-5.0; echo $?
sed -i 's/=ipc/=ipc_read/' device.sh
for collective in bcast reduce alltoall; do collc pick device.sh --target mpich-5.0 $collective --ranks 8 --nodes 2 --bytes 4KiB..4097; done; echo $?
printf 'export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=ch4.json\n' >swapped.sh
collc lint swapped.sh --target mpich-5.0; echo $?
printf '{"collective=alltoall": {"composition=MPIDI_Alltoall_intra_composition_beta": {}}}' >beta.json
collc convert beta.json --target mpich-5.0 --to mpich-4.0; echo $?
printf '{"collective=scan": {"comm_hierarchy=node": {"algorithm=MPIR_Scan_intra_smp": {}}, "comm_hierarchy=any": {"algorithm=MPIR_Scan_intra_recursive_doubling": {}}}}' >kinds.json
collc convert kinds.json --target mpich-4.3 --to mpich-5.0; echo $?
collc convert kinds.json --target mpich-5.0 --to mpich-4.3; echo $?
# UCC's own choices, and what it runs in the place of an algorithm.
printf 'export UCC_TL_UCP_TUNE="allgather:@neighbor#allreduce:64k-inf:@ring#alltoall:@onesided"\n' >odd.sh
for collective in allgather allreduce alltoall bcast reduce; do collc pick odd.sh --target ucc $collective --ranks 5 --bytes 1..1MiB; done; echo $?
# Nodes with folders inside: the same by other words, one value, a file that one of them lacks.
for i in 1 2 3 4; do mkdir -p n$i/etc; printf 'coll_tuned_use_dynamic_rules = 1\ncoll_tuned_alltoall_algorithm = 2\n' >n$i/etc/mca.conf; printf 'export NCCL_ALGO=Ring\n' >n$i/env.sh; done
printf 'coll_tuned_alltoall_algorithm=pairwise\ncoll_tuned_use_dynamic_rules=yes\n' >n2/etc/mca.conf
collc lint n1 n2/ n4 --target ompi-4.1; echo $?
sed -i 's/= 2/= 3/' n3/etc/mca.conf; mv n4/etc/mca.conf n4/etc/gone.conf; sed -i 's/_rules/_rule/' n4/etc/gone.conf
collc lint n?/ --target ompi-4.1; echo $?
rm n2/env.sh; printf '1\n7\n1\n0\n1\n0 1 0 0\n' | tee n1/x.rules >n3/x.rules
collc lint n1 n2 n3 --target ompi-4.1 | grep x.rules; echo $?
# Collectives of which nothing but the form is judged.
printf 'export I_MPI_ADJUST_BCAST=3 I_MPI_ADJUST_IALLREDUCE=2 I_MPI_ADJUST_ALTOALL=1 I_MPI_ADJUST_GATHER="0:0-8;2:9-64;3"\n' >intel.sh
collc lint intel.sh --target intel-mpi; echo $?
printf 'export UCC_TL_UCP_TUNE=reduce_scatter:@ring#allreduce:@knomial\n' >ucc.sh
collc lint ucc.sh --target ucc; echo $?
printf 'mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename gone.rules ./a\n' >gone.sh
collc lint gone.sh --target ompi-4.1; echo $?
sed 's|gone|/etc/gone|' gone.sh >far.sh
collc lint far.sh --target ompi-4.1; echo $?
