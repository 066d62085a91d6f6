# All ranks of an allreduce get the same floats, bit by bit, and of a scan or reduce_scatter the same again: of the
# emitted C of each built-in algorithm, under each MPI that is installed. That of an `exact` algorithm leaves floats
# to the MPI, which gives the same to all.
set -eu
. "$root/tests/helpers.sh"
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1

collectives='allreduce reduce_scatter reduce_scatter_block scan exscan'
for collective in $collectives; do
    # The form with unequal counts has the algorithms of its collective, too.
    mkdir "$collective"
    folders=$root/compiler/algorithms/$collective
    [ "$collective" != reduce_scatter ] || folders="$folders $root/compiler/algorithms/reduce_scatter_block"
    find $folders -name '*.coll' | sed 's|.*/||; s|\.coll$||' | sort -u >all
    for name in $(cat all); do
        # E020: not served with unequal counts.
        if collc emit "$collective/$name" -o "$collective/$name.c" 2>message; then
            echo "$collective/$name"
        else
            grep -qF '[E020]' message || { cat message >&2; exit 1; }
        fi
    done >"$collective/names"
done

mpis=
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >compiler || { echo "skipped: $mpi is not installed"; continue; }
    mpis="$mpis $mpi"
    mkdir $mpi
    (cd $mpi && mkdir $collectives)
    "mpicc.$mpi" -O1 -o $mpi/floats "$root/tests/runtime/floats.c" -ldl -lm
    "mpicc.$mpi" -O1 -shared -fPIC -o $mpi/idle.so "$root/tests/mpi/idle.c" -ldl
done
# The MPIs take turns; in the long form each has all numbers of ranks.
set -- $mpis
for ranks in $(usually "3 8" 3 "$(seq -s ' ' 2 17)"); do
    [ $# -gt 0 ] || break
    for mpi in $(usually "$1" "$1" "$mpis"); do
        # The files compute the same, whatever compiles them. tcc takes a tenth of the time.
        compiler="mpicc.$mpi -O0 -std=c99"
        ! command -v tcc >/dev/null || compiler="tcc $("mpicc.$mpi" -show | tr ' ' '\n' | grep '^-I' | tr '\n' ' ')"
        # shellcheck disable=SC2086 # words
        [ -e $mpi/compiled ] || cat */names | xargs -P "$(nproc)" -I% $compiler -shared -fPIC \
            -DCOLLC_SHIM -DCOLLC_LEAST_SEGMENT=16 -o $mpi/%.so %.c
        : >$mpi/compiled
        LD_PRELOAD=$PWD/$mpi/idle.so on_one_core "mpirun.$mpi" -n "$ranks" $mpi/floats \
            $(for collective in $collectives; do
                echo $collective
                sed "s|.*|$PWD/$mpi/&.so|" $collective/names
            done) >found 2>message || { cat found message; exit 1; }
        expect "$mpi, $ranks ranks: libraries" "$(wc -l <found)" "$(cat */names | wc -l)"
        awk -v mpi=$mpi -v ranks=$ranks '$2 || $3 { print mpi ", " ranks " ranks:", $0; bad = 1 }
            END { exit bad }' found
    done
    set -- "$@" "$1"
    shift
done
