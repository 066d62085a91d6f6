# Which algorithms get a legal call wrong is measured: every algorithm of Open MPI 4.1, with and without segments, and of
# MPICH 4.0, on 2 to 9 ranks, in calls of every kind (legal_calls.c). Of Open MPI the linter says B037 of a row for
# each that is wrong with an operation that does not commute, B043 of each that hangs with unlike datatypes, and of no
# other; no other kind of call is wrong. Of MPICH it says B011 of a tree without conditions for each that gets some call
# wrong, and of no other. Under what best, convert and tune write for the MPIs that are installed, no call drawn by
# chance is wrong.
#
# In the long form calls by unlike datatypes are tried where they are known to hang, each for some 20 s, and the
# algorithms of MPICH one by one.
set -e
. "$root/tests/helpers.sh"
calls=$(usually 50 50 2500)
command -v mpicc.openmpi mpirun.openmpi ompi_info >/dev/null || { echo "skip: no Open MPI"; exit 0; }
ompi_info --version | grep -q 'v4\.1\.' || { echo "skip: not Open MPI 4.1"; exit 0; }
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl
mpicc.openmpi -std=c99 -O2 -Wall -Wextra -Werror -I "$root" -o legal "$root/tests/runtime/legal_calls.c" -ldl

open_mpi() { # [TABLE] ARGUMENT...: of legal
    on_one_core mpirun.openmpi -x LD_PRELOAD="$PWD/idle.so" -np 9 --mca coll_tuned_use_dynamic_rules 1 "$@"
}

open_mpi ./legal sweep 1 >seen
[ "$(wc -l <seen)" -gt 4000 ]
# A line for each algorithm and segment size: whether an operation that does not commute gets wrong data, whether
# unlike datatypes hang; what else is not right, but for two_proc on more ranks.
awk '{ key = $1 " " $2 " " $3; if (!(key in wrong)) wrong[key] = unlike[key] = 0
       if ($6 == "wrong" && $5 ~ /^ordered/) wrong[key] = 1
       else if ($6 == "hangs") unlike[key] = 1
       else if ($6 != "right" && !(key ~ /^(allgather 6|alltoall 5|barrier 5) / && $4 > 2)) print >"others" }
     END { for (key in wrong) print key, wrong[key], unlike[key] }' seen | sort >measured
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
while read -r collective algorithm segment wrong unlike; do
    printf '1 %s 1 0 1 0 %s 0 %s\n' "$(number_of "$collective")" "$algorithm" "$segment" >row.rules
    collc lint row.rules --target ompi-4.1 >linted || true
    said=$(grep -c 'does not commute get wrong data \[B037\]' linted || true)
    expect "$collective $algorithm with segments of $segment: B037" "$said" "$wrong"
    said=$(grep -c 'unlike datatypes .* \[B043\]' linted || true)
    expect "$collective $algorithm with segments of $segment, unlike datatypes: B043" "$said" "$unlike"
    # Nothing of it is left in what convert writes.
    collc convert row.rules --target ompi-4.1 --to ompi-4.1 -o converted.rules 2>said || true
    collc lint converted.rules --target ompi-4.1 >linted || true
    absent 'B037\|B043' linted
    [ "$unlike$(form)" = 1long ] || continue
    open_mpi ./legal types "$collective" "$algorithm" "$segment" >tried 2>&1 </dev/null || true
    absent '^all right' tried
done <measured
expect "unsafe algorithms" "$(awk '$4 { print $1, $2 }' measured | sort -u | wc -l)" 8

all='allgather allgatherv allreduce alltoall alltoallv bcast exscan gather reduce reduce_scatter
    reduce_scatter_block scan scatter'
collc best $all --to ompi-4.1 -t fattree:4x4,up=1x2 --ranks 2..9 --sizes 8..256KiB -o best.rules -q
collc convert "$root/tests/data/tables/sound.rules" --target ompi-4.1 --to ompi-4.1 >convert.rules 2>said || true
points='--ranks 2,3,4,5,6,7,8,9 --sizes 8,512,32KiB'
for target in ompi-4.1:41:ompi mpich-4.0:40:mpich; do
    folder=${target##*:} version=${target#*:}
    awk -v SEED=1 -v VERSION="${version%:*}" -f "$root/tests/runtime/legal_times.awk" \
        "$root/tables/$folder/algorithms.def" >$folder.times
done
collc tune $all --target ompi-4.1 $points --from ompi.times --decide -o tune.rules >report
for table in best convert tune; do
    collc lint $table.rules --target ompi-4.1 >linted || true
    absent 'B037\|B043\|B013' linted
    open_mpi --mca coll_tuned_dynamic_rules_filename "$PWD/$table.rules" ./legal "$calls" 7 >seen
    expect "$table.rules" "$(tail -n 1 seen)" "$calls calls, 0 wrong"
done

command -v mpicc.mpich mpirun.mpich mpichversion >/dev/null || { echo "skipped: no MPICH"; exit 0; }
mpichversion | grep -q 'Version:[[:space:]]*4\.0\.' || { echo "skipped: not MPICH 4.0"; exit 0; }
mpicc.mpich -std=c99 -O2 -Wall -Wextra -Werror -I "$root" -o legal_mpich "$root/tests/runtime/legal_calls.c" -ldl
collc best $all --to mpich-4.0 -t fattree:4x4,up=1x2 --ranks 2..9 --sizes 8..256KiB -o best.json -q
collc convert best.json --target mpich-4.0 --to mpich-4.0 >convert.json
collc tune $all --target mpich-4.0 $points --from mpich.times --decide -o tune.json >report
mpich() { # TABLE ARGUMENT...: of mpirun
    json=$1
    shift
    on_one_core mpirun.mpich -np 9 -genv MPIR_CVAR_DEVICE_COLLECTIVES none \
        -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE "$PWD/$json" "$@"
}
for table in best convert tune; do
    collc lint $table.json --target mpich-4.0 >linted || true
    absent 'B011\|B013' linted
    mpich $table.json ./legal_mpich "$calls" 7 >seen
    expect "$table.json" "$(tail -n 1 seen)" "$calls calls, 0 wrong"
done

[ "$(form)" = long ] || exit 0
# Each algorithm alone in the place of what is compiled in; with smp, ranks on machines of their own. One that does
# not end within a minute is not right.
awk -F'[(,)] *' '$1 == "ALGORITHM" && $2 !~ /^(i[a-z]|neighbor)/ && $3 != "inter" && $5 <= 40 {
    print $2, "algorithm=MPIR_" toupper(substr($2, 1, 1)) substr($2, 2) "_" $3 "_" $4
}' "$root/tables/mpich/algorithms.def" >algorithms
[ "$(wc -l <algorithms)" -gt 50 ]
while read -r collective algorithm; do
    jq --arg of "collective=$collective" --arg leaf "$algorithm" '.[$of] |= if has("comm_type=intra")
        then .["comm_type=intra"] = {($leaf): {}} else {($leaf): {}} end' \
        "$root/tables/mpich/compiled_in_4_0.json" >one.json
    apart=
    case $algorithm in *_smp) apart='-genv MPIR_CVAR_NOLOCAL 1' ;; esac
    mpich one.json $apart timeout 60 ./legal_mpich all "$collective" >tried 2>&1 </dev/null || true
    right=$(grep -c '^all right' tried || true)
    said=$(collc lint one.json --target mpich-4.0 | grep -c B011 || true)
    expect "$collective, $algorithm: B011" "$said" "$((1 - right))"
done <algorithms
