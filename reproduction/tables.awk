# SPDX-License-Identifier: BSD-3-Clause
#
# figures.awk and this, FIGURES PAPER RESULTS: for each figure our numbers, a row for each series, or one for each x
# where there are many; and then numbers of the paper, of which kind each is, and beside it ours at these x.

function rounded(value,    magnitude) {
    if (value !~ /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$/)
        return value
    magnitude = value < 0 ? -value : value
    if (magnitude == int(magnitude) && magnitude < 1e9)
        return value + 0
    return sprintf(magnitude >= 1000 ? "%.0f" : magnitude >= 100 ? "%.1f" : magnitude >= 1 ? "%.3f" : "%.4f",
        value)
}

# Of the i-th of the rows and the j-th of the columns.
function cell_of(f, across, i, j) {
    return across ? value[f, series[f, i], xs[f, j]] : value[f, series[f, j], xs[f, i]]
}

function wider(old, text) { return length(text) > old ? length(text) : old }

# A table, transposed if its rows would be too long.
function table(f,    i, j, across, width, label, n, m, cell) {
    across = n_x[f] <= 9
    n = across ? n_series[f] : n_x[f]
    m = across ? n_x[f] : n_series[f]
    label = length(x_label[f])
    for (i = 1; i <= n; i++)
        label = wider(label, across ? series[f, i] : xs[f, i])
    printf "  %-*s", label, across ? "" : x_label[f]
    for (j = 1; j <= m; j++) {
        width[j] = wider(7, across ? xs[f, j] : series[f, j])
        for (i = 1; i <= n; i++)
            width[j] = wider(width[j], rounded(cell_of(f, across, i, j)))
        printf "  %*s", width[j], across ? xs[f, j] : series[f, j]
    }
    print ""
    for (i = 1; i <= n; i++) {
        printf "  %-*s", label, across ? series[f, i] : xs[f, i]
        for (j = 1; j <= m; j++) {
            cell = cell_of(f, across, i, j)
            printf "  %*s", width[j], cell == "" ? "-" : rounded(cell)
        }
        print ""
    }
}

# Ours where the paper has a number: at one x, or the mean over a range of them and what it lies between.
function ours(f, s, x,    part, i, v, n, sum, low, high) {
    if (x !~ /\.\./)
        return value[f, s, x]
    split(x, part, "\\.\\.")
    for (i = 1; i <= n_x[f]; i++) {
        v = value[f, s, xs[f, i]]
        if (v == "" || xs[f, i] + 0 < part[1] + 0 || xs[f, i] + 0 > part[2] + 0)
            continue
        low = !n || v + 0 < low ? v + 0 : low
        high = !n || v + 0 > high ? v + 0 : high
        sum += v
        n++
    }
    if (!n)
        return ""
    return sprintf("%s (%s to %s)", rounded(sum / n), rounded(low), rounded(high))
}

function between(text) { sub(/\.\./, " to ", text); return text }

# One number, and the same in the paper: such are counted, by their kind, and not listed.
function is_same(f, i,    here) {
    here = ours(f, paper_series[f, i], paper_x[f, i])
    return here == paper_value[f, i] || rounded(here) == rounded(paper_value[f, i])
}

# What it is that is the same. An input is no agreement: we put it in.
function told(kind, n) {
    if (kind == "input")
        return n (n == 1 ? " number" : " numbers") " of the paper went in as input, and " (n == 1 ? "comes" : "come") \
            " out again: no result of ours."
    if (kind == "formula")
        return n (n == 1 ? " value" : " values") " of the paper\047s formula, which we evaluated: ours " \
            (n == 1 ? "is" : "are") " the same."
    return n (n == 1 ? " number" : " numbers") " that the paper " (kind == "stated" ? "states" : "has " kind) ": ours " \
        (n == 1 ? "is" : "are") " the same."
}

function stated_beside_ours(f,    i, k, label, width, n_same, first, where, kinds) {
    width = length("paper")
    split("measured simulated stated formula input", kinds, " ")
    for (i = 1; i <= n_paper[f]; i++) {
        where[i] = paper_series[f, i] "; " x_label[f] " " between(paper_x[f, i])
        if (ours(f, paper_series[f, i], paper_x[f, i]) == "") {
            where[i] = ""
        } else if (is_same(f, i)) {
            n_same[paper_kind[f, i]]++
            where[i] = ""
        } else {
            label = wider(label, where[i])
            width = wider(width, between(paper_value[f, i]))
        }
    }
    for (i = 1; i <= n_paper[f]; i++) {
        if (where[i] == "")
            continue
        if (!first++)
            printf "  %-*s  %*s  %-9s  %s\n", label, "", width, "paper", "", "collc"
        printf "  %-*s  %*s  %-9s  %s\n", label, where[i], width, between(paper_value[f, i]), paper_kind[f, i],
            rounded(ours(f, paper_series[f, i], paper_x[f, i]))
    }
    for (k = 1; k in kinds; k++)
        if (n_same[kinds[k]])
            print "  " told(kinds[k], n_same[kinds[k]])
}

END {
    for (i = 1; i <= n_figures; i++) {
        f = order[i]
        print (i > 1 ? "\n" : "") title[f] (y_label[f] == "-" ? "" : ": " y_label[f])
        if (n_series[f]) {
            table(f)
            stated_beside_ours(f)
        }
    }
}
