# All ranks of an allreduce get the same floats, bit by bit: of the emitted C of each built-in algorithm, under each
# MPI that is installed. That of an `exact` algorithm leaves floats to the MPI, which gives the same to all.
#
#   FLOATS_RANKS  numbers of ranks (default 3 8 12); make long has all from 2 to 17
set -eu
. "$root/tests/helpers.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export HWLOC_COMPONENTS=-gl

ls "$root"/compiler/algorithms/allreduce/*.coll | sed 's/.*\///; s/\.coll$//' >names
for name in $(cat names); do
    collc emit "allreduce/$name" -o "$name.c" 2>message || { cat message; exit 1; }
done

for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >compiler || { echo "skipped: $mpi is not installed"; continue; }
    mkdir $mpi
    "mpicc.$mpi" -O1 -o $mpi/floats "$root/tests/runtime/floats.c" -ldl -lm
    "mpicc.$mpi" -O1 -shared -fPIC -o $mpi/idle.so "$root/tests/mpi/idle.c" -ldl
    xargs -P "$(nproc)" -I% "mpicc.$mpi" -O0 -std=c99 -shared -fPIC -DCOLLC_SHIM -DCOLLC_LEAST_SEGMENT=16 \
        -o $mpi/%.so %.c <names
    for ranks in ${FLOATS_RANKS:-3 8 12}; do
        LD_PRELOAD=$PWD/$mpi/idle.so on_one_core "mpirun.$mpi" -n "$ranks" \
            $mpi/floats $(sed "s|.*|$PWD/$mpi/&.so|" names) >found 2>message || { cat found message; exit 1; }
        expect "$mpi, $ranks ranks: libraries" "$(wc -l <found)" "$(wc -l <names)"
        awk -v mpi=$mpi -v ranks=$ranks '$2 || $3 { print mpi ", " ranks " ranks:", $0; bad = 1 } END { exit bad }' found
    done
done
