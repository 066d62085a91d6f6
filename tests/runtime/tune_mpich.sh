# collc tune under MPICH: a default that is slow on purpose is found and left, and what is written acts; a
# variable that comes before any table is refused, and what cannot be measured.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.mpich mpirun.mpich mpichversion >/dev/null || { echo "skip: no MPICH"; exit 0; }
mpichversion | grep -q 'Version:[[:space:]]*4\.0\.' && mpichversion | grep -q 'ch4:ucx' ||
    { echo "skip: not MPICH 4.0 with ch4:ucx"; exit 0; }
export TMPDIR=$PWD

# A ring in pieces of 32 bytes is no way to send 32 KiB. Communicators are made by allgathers: of what measures
# these nothing may be left when ranks that do not take part come to that.
jq '."collective=bcast"."comm_type=intra" = {"algorithm=MPIR_Bcast_allcomm_nb": {}} |
    ."collective=ibcast"."comm_type=intra" = {"algorithm=MPIR_Ibcast_intra_tsp_ring": {"chunk_size=32": {}}}' \
    "$root/tests/data/tables/mpich/sound.json" >slow.json
tune() { collc tune bcast allgather --target mpich-4.0 --ranks 3,4 --sizes 32KiB "$@"; }
# If other work runs beside it, a second may be too short for both to be seen.
for seconds in 1 4 16; do
    rm -f quick.json quick.json.times
    MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$PWD/slow.json tune --time ${seconds}s -o quick.json >report 2>said ||
        { cat report said; exit 1; }
    n_found=$(grep -c '^bcast  .* ratio 0\.[0-4]' report || :)
    [ "$n_found" -lt 2 ] || break
done
[ "$n_found" -eq 2 ] || { cat report; exit 1; }
grep -q '^collc: tune: proved: each rule acts$' said
grep -q "^collc: note: the default is what '.*/slow.json' says" said
grep -q '^rules for [2-4] of 4 points, which take down to' report
collc lint quick.json --target mpich-4.0 --fail-on warning --quiet
collc pick quick.json --target mpich-4.0 bcast --ranks 4 --bytes 32KiB --format json >picked
jq -e '.ranges[0] | .fails == null and .algorithm != "nb"' picked >/dev/null || { cat picked; exit 1; }
# Elsewhere MPICH's own decision stands.
collc pick quick.json --target mpich-4.0 bcast --ranks 8 --bytes 1MiB --format json >picked
jq -e '.ranges[0].algorithm == "scatter_ring_allgather"' picked >/dev/null || { cat picked; exit 1; }

# All times are there: without any MPI the same is written.
(PATH=${build:-$root/build}:/nowhere; collc tune bcast allgather --target mpich-4.0 --ranks 3,4 \
    --from quick.json.times --decide -o decided.json -q)
grep -v '^/\*\|^ \*' quick.json >first
grep -v '^/\*\|^ \*' decided.json | cmp - first

refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" collc tune "$@"
    [ ! -e none.json ]
}
one='bcast --target mpich-4.0 --ranks 2 --sizes 8 --time 1s -o none.json'
export MPIR_CVAR_BCAST_INTRA_ALGORITHM=nb
refuse "no table acts while this variable is set: 'MPIR_CVAR_BCAST_INTRA_ALGORITHM'" $one
unset MPIR_CVAR_BCAST_INTRA_ALGORITHM
rm -f none.json.times
refuse "'ibcast' cannot be measured here" ibcast --target mpich-4.0 --ranks 2 -o none.json
refuse 'is not of MPICH' $one --mpirun echo
[ -z "$(ls -d collc.* 2>/dev/null)" ]
