# SPDX-License-Identifier: BSD-3-Clause
#
# The table of scripts/netns-alltoall, of three files: lines `BYTES BOUND`, `NAME BYTES PREDICTED` and
# `MPI NAME BYTES MEDIAN LEAST`, times in nanoseconds, sizes in the order in which they are shown. The
# name of an MPI's own algorithm is own:NAME.

function milliseconds(time) { return sprintf(time < 1e7 ? "%.3f ms" : time < 1e9 ? "%.1f ms" : "%.0f ms", time / 1e6) }

FNR == 1 { file++ }

file == 1 {
    sizes[++n_sizes] = $1
    bound[$1] = $2
}

file == 2 { predicted[$1, $2] = $3 }

file == 3 {
    name = $2
    if (sub(/^own:/, "", name))
        name = ($1 == "mpich" ? "MPICH's " : "Open MPI's ") name
    line = sprintf("  %-26s %-9s %11s %11s %11s %9.2f", name, $1 == "mpich" ? "MPICH" : "Open MPI",
        ($2, $3) in predicted ? milliseconds(predicted[$2, $3]) : "-", milliseconds($4), milliseconds($5),
        $4 / bound[$3])
    rows[$3] = rows[$3] line "\n"
}

END {
    for (i = 1; i <= n_sizes; i++) {
        printf "%s%d bytes a pair, bound %s\n\n", (i > 1 ? "\n" : ""), sizes[i], milliseconds(bound[sizes[i]])
        printf "  %-26s %-9s %11s %11s %11s %9s\n", "", "under", "predicted", "measured", "least", "x bound"
        printf "%s", rows[sizes[i]]
    }
}
