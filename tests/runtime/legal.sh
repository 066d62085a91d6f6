# Which algorithms of Open MPI 4.1 get a legal call wrong is measured: every algorithm, with and without segments, on
# 2 to 9 ranks, in calls of every kind (legal_calls.c). The linter says B037 of a row for each that is wrong with an
# operation that does not commute, and of no other; no other kind of call is wrong. Under what best and convert
# write for the MPIs that are installed, no call drawn by chance is wrong. CALLS is how many, for each file.
set -e
. "$root/tests/helpers.sh"
calls=${CALLS:-400}
command -v mpicc.openmpi mpirun.openmpi ompi_info >/dev/null || { echo "skip: no Open MPI"; exit 0; }
ompi_info --version | grep -q 'v4\.1\.' || { echo "skip: not Open MPI 4.1"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_COMPONENTS=-gl
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl
mpicc.openmpi -std=c99 -O2 -Wall -Wextra -Werror -I "$root" -o legal "$root/tests/runtime/legal_calls.c" -ldl

open_mpi() { # [TABLE] ARGUMENT...: of legal
    on_one_core mpirun.openmpi -x LD_PRELOAD="$PWD/idle.so" -np 9 --mca coll_tuned_use_dynamic_rules 1 "$@"
}

open_mpi ./legal sweep 1 >seen
[ "$(wc -l <seen)" -gt 4000 ]
# A line for each algorithm and segment size: whether an operation that does not commute gets wrong data; what
# else is not right, but for two_proc on more ranks.
awk '{ key = $1 " " $2 " " $3; if (!(key in wrong)) wrong[key] = 0
       if ($6 == "wrong" && $5 ~ /^ordered/) wrong[key] = 1
       else if ($6 != "right" && !(key ~ /^(allgather 6|alltoall 5|barrier 5) / && $4 > 2)) print >"others" }
     END { for (key in wrong) print key, wrong[key] }' seen | sort >measured
[ ! -e others ] || { echo "not right:"; cat others; exit 1; }
awk '{ print $1, $2 }' measured | sort -u | wc -l | { read -r n; [ "$n" -gt 55 ]; }
number_of() { awk -v name="$1" '$2 == name { print $1 }' numbers; }
cat >numbers <<END
0 allgather
1 allgatherv
2 allreduce
3 alltoall
4 alltoallv
6 barrier
7 bcast
8 exscan
9 gather
11 reduce
12 reduce_scatter
13 reduce_scatter_block
14 scan
15 scatter
END
while read -r collective algorithm segment wrong; do
    printf '1 %s 1 0 1 0 %s 0 %s\n' "$(number_of "$collective")" "$algorithm" "$segment" >row.rules
    said=$(collc lint row.rules --target ompi-4.1 | grep -c 'does not commute get wrong data \[B037\]' || true)
    expect "$collective $algorithm with segments of $segment: B037" "$said" "$wrong"
done <measured
expect "unsafe algorithms" "$(awk '$4 { print $1, $2 }' measured | sort -u | wc -l)" 8

all='allgather allgatherv allreduce alltoall alltoallv bcast exscan gather reduce reduce_scatter
    reduce_scatter_block scan scatter'
collc best $all --to ompi-4.1 -t fattree:4x4,up=1x2 --ranks 2..9 --sizes 8..256KiB -o best.rules -q
collc convert "$root/tests/data/tables/sound.rules" --target ompi-4.1 --to ompi-4.1 >convert.rules 2>said || true
for table in best convert; do
    open_mpi --mca coll_tuned_dynamic_rules_filename "$PWD/$table.rules" ./legal "$calls" 7 >seen
    expect "$table.rules" "$(tail -n 1 seen)" "$calls calls, 0 wrong"
done

command -v mpicc.mpich mpirun.mpich mpichversion >/dev/null || { echo "skipped: no MPICH"; exit 0; }
mpichversion | grep -q 'Version:[[:space:]]*4\.0\.' || { echo "skipped: not MPICH 4.0"; exit 0; }
mpicc.mpich -std=c99 -O2 -Wall -Wextra -Werror -I "$root" -o legal_mpich "$root/tests/runtime/legal_calls.c" -ldl
collc best $all --to mpich-4.0 -t fattree:4x4,up=1x2 --ranks 2..9 --sizes 8..256KiB -o best.json -q
collc convert best.json --target mpich-4.0 --to mpich-4.0 >convert.json
for table in best convert; do
    on_one_core mpirun.mpich -np 9 -genv MPIR_CVAR_DEVICE_COLLECTIVES none \
        -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE "$PWD/$table.json" ./legal_mpich "$calls" 7 >seen
    expect "$table.json" "$(tail -n 1 seen)" "$calls calls, 0 wrong"
done
