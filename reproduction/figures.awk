# SPDX-License-Identifier: BSD-3-Clause
#
# Reads FIGURES PAPER RESULTS, what is drawn and printed: figures, what the paper states, and our numbers.
/^#/ { next }
FILENAME == ARGV[1] {
    order[++n_figures] = $1
    form[$1] = $2
    x_label[$1] = $3
    y_label[$1] = $4
    title[$1] = $5
    next
}
FILENAME == ARGV[2] {
    paper_series[$1, ++n_paper[$1]] = $2
    paper_x[$1, n_paper[$1]] = $3
    paper_value[$1, n_paper[$1]] = $4
    paper_kind[$1, n_paper[$1]] = $5 # measured, simulated, stated, formula or input
    next
}
{
    value[$1, $2, $3] = $4
    if (!(($1, "s", $2) in seen))
        series[$1, ++n_series[$1]] = $2
    if (!(($1, "x", $3) in seen))
        xs[$1, ++n_x[$1]] = $3
    seen[$1, "s", $2]
    seen[$1, "x", $3]
}
