# SPDX-License-Identifier: BSD-3-Clause
#
# figures.awk and this, -v out=FOLDER FIGURES PAPER RESULTS: a program for gnuplot that draws each figure, but those of
# the form `table`, as FOLDER/figure-ID.svg. The other forms are `lines`, `bars` and `stacked`; after them
# may stand :logx, :logy, :zoom (values do not begin at 0) and :coloursN (after N series the colours come
# again, with other dashes). Of lines, what the paper states has the colour of the same series: a ring at
# a point, a broad line for a mean over x, a field for "from .. to ..". The bars of the paper are hatched.
# The colours are those of Okabe and Ito (2008).

function quoted(text) { gsub(/"/, "\\\"", text); return "\"" text "\"" }

# What the marks of the paper are, by the kind of the first of them.
function paper_words(f) {
    return paper_kind[f, 1] == "input" ? "paper, an input here" : \
        paper_kind[f, 1] == "formula" ? "formula of the paper" : "paper"
}

function has_option(f, option) { return form[f] ~ ":" option "(:|$)" }

# ---- what is drawn in one figure, in this order ----

function add(what) { plots[++n_plots] = what }

function plot_all(    i) {
    for (i = 1; i <= n_plots; i++)
        printf "%s%s", i == 1 ? "plot " : ", \\\n  ", plots[i]
    print ""
    n_plots = 0
}

function head(f) {
    print "\nreset\nset terminal svg size 760,470 dynamic font 'sans-serif,13' background 'white'"
    printf "set output %s\n", quoted(out "/figure-" f ".svg")
    printf "set title %s noenhanced\nset ylabel %s noenhanced\n", quoted(title[f]), quoted(y_label[f])
    print "set key outside right top vertical Left reverse samplen 2.5 width -2 font ',11' noenhanced"
    print "set grid lc rgb '#dddddd' lt 1\nset border 3\nset tics nomirror"
}

# ---- lines ----

function axes(f,    i, marks) {
    printf "set xlabel %s noenhanced\n", quoted(x_label[f])
    for (i = 1; i <= n_x[f]; i++)
        marks = marks (i > 1 ? "," : "") xs[f, i]
    if (has_option(f, "logx"))
        print "set logscale x\nset format x '%.0s%c'"
    else if (n_x[f] <= 12)
        print "set xtics (" marks ")"
    print "set autoscale xfix\nset offsets graph 0.02, graph 0.02, 0, 0"
    if (has_option(f, "logy"))
        print "set logscale y\nset format y '%.0s%c'"
    else if (!has_option(f, "zoom"))
        print "set yrange [0:*]"
}

# What the paper states of a series, as x1 x2 y1 y2.
function stated(f, s,    i, x, y, rows) {
    for (i = 1; i <= n_paper[f]; i++) {
        if (paper_series[f, i] != s)
            continue
        if (split(paper_x[f, i], x, "\\.\\.") == 1) x[2] = x[1]
        if (split(paper_value[f, i], y, "\\.\\.") == 1) y[2] = y[1]
        rows = rows x[1] " " x[2] " " y[1] " " y[2] "\n"
        if (x[1] == x[2] && y[1] == y[2])
            has_point[f] = 1
        else
            has_range[f] = 1
    }
    return rows
}

function add_stated(k, rows, colour) {
    print "$p" k " << EOD\n" rows "EOD"
    add("$p" k " using 1:($4>$3?$3:NaN):1:2:3:4 with boxxyerror lc rgb '#" colour \
        "' fs transparent solid 0.15 noborder notitle")
    add("$p" k " using 1:($2>$1&&$3==$4?$3:NaN):($2-$1):(0) with vectors nohead lc rgb '#70" colour \
        "' lw 8 notitle")
    add("$p" k " using 1:($1==$2&&$3==$4?$3:NaN) with points lc rgb '#70" colour "' pt 6 ps 1.6 lw 2.5 notitle")
}

function lines(f,    i, s, k, rows, cycle) {
    axes(f)
    cycle = match(form[f], /:colours[0-9]/) ? substr(form[f], RSTART + RLENGTH - 1, 1) + 0 : n_colours
    for (k = 1; k <= n_series[f]; k++) {
        rows = stated(f, series[f, k])
        if (rows != "")
            add_stated(k, rows, colours[(k - 1) % cycle + 1])
    }
    for (k = 1; k <= n_series[f]; k++) {
        s = series[f, k]
        print "$s" k " << EOD"
        for (i = 1; i <= n_x[f]; i++)
            if (value[f, s, xs[f, i]] != "")
                print xs[f, i], value[f, s, xs[f, i]]
        print "EOD"
        add("$s" k " using 1:2 with linespoints lc rgb '#" colours[(k - 1) % cycle + 1] "' dt " \
            dashes[int((k - 1) / cycle) % 3 + 1] " lw 2 pt " markers[(k - 1) % n_markers + 1] \
            " ps 0.6 title " quoted(s))
    }
    if (has_point[f])
        add("NaN with points lc rgb '#666666' pt 6 ps 1.6 lw 2.5 title " quoted(paper_words(f)))
    if (has_range[f])
        add("NaN with lines lc rgb '#70666666' lw 8 title " quoted(paper_words(f) ": mean, or range"))
    plot_all()
}

# ---- bars, side by side or on one another ----

function stated_bar(f, s, x,    i) {
    for (i = 1; i <= n_paper[f]; i++)
        if (paper_series[f, i] == s && paper_x[f, i] == x)
            return paper_value[f, i]
    return "NaN"
}

function put_bars(f,    i, k, row, shown) {
    print "$bars << EOD"
    for (i = 1; i <= n_x[f]; i++) {
        row = quoted(xs[f, i])
        for (k = 1; k <= n_series[f]; k++) {
            shown = value[f, series[f, k], xs[f, i]]
            row = row " " (shown == "" ? "NaN" : shown) " " stated_bar(f, series[f, k], xs[f, i])
        }
        print row
    }
    print "EOD"
}

function bars(f, is_stacked,    k, s) {
    print "set style data histogram\nset style histogram " (is_stacked ? "rowstacked" : "clustered gap 1")
    print "set style fill solid 0.85 border -1\nset boxwidth 0.9\nset yrange [0:*]"
    print "set xtics rotate by -35 noenhanced"
    put_bars(f)
    for (k = 1; k <= n_series[f]; k++) {
        s = series[f, k]
        add("$bars using " 2 * k ":xtic(1) lc rgb '#" colours[k] "' title " quoted(s))
        if (!is_stacked && stated(f, s) != "")
            add("$bars using " 2 * k + 1 " lc rgb '#" colours[k] "' fs pattern " 4 + k " border -1 title " \
                quoted(s ", " paper_words(f)))
    }
    plot_all()
}

BEGIN {
    n_colours = split("0072B2 D55E00 009E73 CC79A7 E69F00 56B4E9 000000", colours, " ")
    split("1 (8,5) (2,4)", dashes, " ")
    n_markers = split("7 5 9 11 13", markers, " ")
}
END {
    for (i = 1; i <= n_figures; i++) {
        f = order[i]
        if (form[f] ~ /^table/)
            continue
        head(f)
        if (form[f] ~ /^lines/)
            lines(f)
        else
            bars(f, form[f] ~ /^stacked/)
    }
}
