# SPDX-License-Identifier: BSD-3-Clause
# The run time of emitted C, compiled in place by every MPI that is installed: for each collective
# alone, with all features, and with those that exclude each other.

helpers='GROUPS_BEFORE DIV MOD POW CEIL_LOG2 FLOOR_LOG2 CEIL_LOG REVERSE_BITS MIN MAX ABS LCM
  REVERSE_DIGITS CIRCULANT_BLOCK OUT_DEGREE IN_DEGREE OUT_NEIGHBOR IN_NEIGHBOR IN_TURN IN_PLACE_OF OUT_HOP OUT_LIKE
  OUT_HOPS EXTENT_OF COORDINATE SHIFT DISPLACE ROTATE'

# "NAME MPI_NAME|PARAMETERS|ARGUMENTS" of each collective.
signatures() {
    { echo '#define SIGNATURE(name, mpi_name, parameters, arguments) name mpi_name|parameters|arguments'
      cat emitters/mpi_c/signatures.def; } | ${CC:-gcc} -E -P -DPATTERN_SIGNATURES -x c - | tr -d '\n' |
        sed 's/|(/|/g; s/)|/|/g; s/)\([a-z]\)/\n\1/g; s/)$//'
    echo
}

features_of() { # COLLECTIVE: what it needs whatever the algorithm
    case $1 in
    barrier) ;;
    alltoall*) echo DATA MOVE ALLOC ;;
    bcast) echo DATA ROOT COLLC_BUF ;;
    allgather*) echo DATA ;;
    reduce) echo DATA MOVE REDUCTION ALLOC ROOT IN_PLACE COLLC_BUF ;;
    allreduce | scan | exscan) echo DATA MOVE REDUCTION ALLOC COLLC_BUF ;;
    gather* | scatter*) echo DATA ROOT IN_PLACE ;;
    reduce_scatter*) echo DATA MOVE REDUCTION ALLOC ;;
    neighbor_*) echo DATA MOVE ALLOC NEIGHBORS ;;
    pattern) echo DATA MOVE ALLOC PATTERN ;;
    pattern_combined) echo DATA MOVE REDUCTION ALLOC PATTERN ;;
    esac
    case $1 in
    *alltoallw) echo COUNTS UNEQUAL TYPES ;;
    *v | reduce_scatter) echo COUNTS UNEQUAL ;;
    esac
}

# The sets of features to compile with, a line each.
feature_sets() { # COLLECTIVE
    local more='WINDOW SERVERS CLUSTERS MACHINES COORDINATES GRID DIMENSIONS RAGGED SEND RECV'
    [ "$1" = barrier ] || more="$more COPY MOVE TMP ALLOC SIGNAL"
    case $1 in *reduce* | *scan | *combined) more="$more COMBINE RECV_REDUCE" ;; esac
    echo SEND RECV MAIN
    echo "$more" MAIN $(echo $helpers)
    [ "$1" != barrier ] || return
    case $1 in neighbor_*) echo "$more" GRID DIMENSIONS SETS MAIN $(echo $helpers); return ;; esac
    case $1 in pattern*) echo "$more" MAP RANGE SETS MAIN; return ;; esac
    echo "$more" RANGE ORDERED
    echo SEND RECV SEGMENTS LEAST MOVE ALLOC RANGE MAIN
    case $1 in alltoallv | alltoallw) echo SEND RECV COPY TMP MOVE ALLOC SEGMENTS RANGE KNOWN MAIN ;; esac
    case $1 in
    *v | *w | reduce_scatter) echo "$more" SEGMENTS LEAST RANGE MAIN; return ;;
    esac
    echo "$more" SEGMENTS LEAST HELD EACH
    echo "$more" SEGMENTS LEAST UNEQUAL RANGE
    case $1 in
    alltoall | *gather | scatter | reduce_scatter_block)
        echo "$more" MAP PLACE EACH
        echo "$more" SEGMENTS MAP PLACE EACH HELD ;;
    *) echo "$more" MAP RANGE ORIGIN ;;
    esac
}

# A line for each compilation: options of the compiler.
compilations() {
    local name mpi_name parameters arguments set word
    signatures | while IFS='|' read -r name parameters arguments; do
        mpi_name=${name#* }
        name=${name% *}
        feature_sets "$name" | while read -r set; do
            printf '%s' "'-DCOLLC_PARAMETERS=$parameters' '-DCOLLC_ARGUMENTS=$arguments' \
                -DCOLLC_FUNCTION=collc_lint -DCOLLC_MPI=MPI_$mpi_name -DCOLLC_PMPI=${mpi_name:+P}${mpi_name:+MPI_}${mpi_name:-collc_theirs}"
            for word in $(features_of "$name") $set $(echo "$name" | tr a-z A-Z); do
                printf ' -D%s=1' "$word"
            done
            echo
        done
    done
}

# A library of all algorithms, whose text is made of the same files.
check_library() { # MPI
    printf 'collc-table 1\n* have *\n' >"$work/all.rules"
    "$build/collc" emit "$work/all.rules" --to library -o "$work/all.c" &&
        mpicc.$1 -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only "$work/all.c" ||
        echo "library by mpicc.$1"
}

# All by the first MPI, by the second those with all features; in the short form each eighth.
check_runtime() {
    compilations | awk -v short="$([ "$form" != short ] || echo 1)" '!short || NR % 8 == 1' >"$work/compilations"
    [ "$(wc -l <"$work/compilations")" -gt "$([ "$form" = short ] && echo 11 || echo 90)" ] || echo 'too few compilations'
    grep GROUPS_BEFORE "$work/compilations" >"$work/compilations.mpich"
    cp "$work/compilations" "$work/compilations.openmpi"
    for mpi in openmpi mpich; do
        command -v mpicc.$mpi >/dev/null || continue
        xargs -P "$(nproc)" -d '\n' -I '{}' sh -c "mpicc.$mpi -std=c99 -Wall -Wextra -Wpedantic \
            -Wconversion -Wshadow -Wno-unused-function -Werror -DCOLLC_SHIM=1 -I. -fsyntax-only \
            {} tests/lint/runtime.c || echo \"mpicc.$mpi {}\"" <"$work/compilations.$mpi"
        check_library $mpi
    done
}
