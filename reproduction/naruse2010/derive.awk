# SPDX-License-Identifier: BSD-3-Clause
#
# Gains in percent, where SA is overtaken, and what the all-to-alls make of a program of which they are a
# part: the rest takes as long with either ring.
{ v[$1, $2, $3] = $4; if (!(($1, $3) in seen)) { seen[$1, $3]; x[$1, ++n_x[$1]] = $3 } }

function gains(figure,    p, i, name, ring, two) {
    for (p = 1; p <= 8; p *= 2) {
        name = p == 1 ? "1 process" : p " processes"
        for (i = 1; i <= n_x[figure]; i++) {
            ring = v[figure, "ring, " name, x[figure, i]]
            two = v[figure, "2-level ring, " name, x[figure, i]]
            if (ring && two)
                print figure "-gain", name, x[figure, i], (two / ring - 1) * 100
        }
    }
}

# Between the sizes around it the ratio is a straight line of the logarithm of the size.
function crossing(f,    i, ratio, before, at) {
    for (i = 1; i <= n_x[f]; i++) {
        ratio = v[f, "SA, 8 processes", x[f, i]] / v[f, "2-level ring, 8 processes", x[f, i]] - 1
        if (i > 1 && before > 0 && ratio <= 0)
            print f "-crossing", "SA", "-", at * exp((log(x[f, i]) - log(at)) * before / (before - ratio)) / 1000
        at = x[f, i]
        before = ratio
    }
}

END {
    gains(10)
    gains(11)
    gains("11-turns")
    crossing(12)
    crossing("12-turns")
    f = "table-3"
    for (i = 1; i <= n_x[f]; i++) {
        ring = v[f, "ring", x[f, i]]
        two = v[f, "2-level ring", x[f, i]]
        print f "-gain", "gain", x[f, i], (1 / (1 - ring + two) - 1) * 100
        print f, "falls by, %", x[f, i], (1 - two / ring) * 100
        print 13, "all-to-all", x[f, i] ", ring", ring
        print 13, "rest", x[f, i] ", ring", 1 - ring
        print 13, "all-to-all", x[f, i] ", 2-level ring", two
        print 13, "rest", x[f, i] ", 2-level ring", 1 - ring
    }
}
