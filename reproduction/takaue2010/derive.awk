# SPDX-License-Identifier: BSD-3-Clause
#
# The ratios and the means over both networks of which the text of Takaue et al. 2010 has means.
{ time[$1, $2, $3] = $4; if (!(($1, $3) in seen)) { seen[$1, $3]; x[$1, ++n_x[$1]] = $3 } }

# ratio FIGURE SERIES OVER UNDER: of two series of a figure, at every x.
function ratio(figure, series, over, under,    i, at) {
    for (i = 1; i <= n_x[figure]; i++) {
        at = x[figure, i]
        if ((figure, over, at) in time && (figure, under, at) in time)
            print figure "-over", series, at, time[figure, over, at] / time[figure, under, at]
    }
}
END {
    split("torus mesh", networks, " ")
    for (i = 1; i <= 2; i++) {
        on = networks[i]
        ratio(5, on ", y inside", on ", A2AND, y inside", on ", A2AT")
        ratio(5, on ", x inside", on ", A2AND, x inside", on ", A2AT")
        ratio(7, on ", NCT 1 / NCT 2", on ", local, NCT 1", on ", local, NCT 2")
        ratio(7, on ", NCT 2 / NCT 4", on ", local, NCT 2", on ", local, NCT 4")
    }
    ratio("7-channels", "torus, NCT 2 / NCT 4", "torus, local, NCT 2", "torus, local, NCT 4")
    for (i = 1; i <= n_x[5]; i++)
        print "5-both", "A2AT, torus and mesh", x[5, i], (time[5, "torus, A2AT", x[5, i]] + time[5, "mesh, A2AT", x[5, i]]) / 2
    # The theory for NCT 2 is N(N+1)(N-1)/6 on a torus and /4 on a mesh, over /3 for NCT 1.
    for (i = 1; i <= n_x[7]; i++) {
        at = x[7, i]
        on_torus = time[7, "torus, local, NCT 2", at] * 2
        on_mesh = time[7, "mesh, local, NCT 2", at] * 4 / 3
        print "7-theory", "torus", at, on_torus
        print "7-theory", "mesh", at, on_mesh
        print "7-theory", "torus and mesh", at, (on_torus + on_mesh) / 2
    }
    split("11 17", sizes, " ")
    for (i = 1; i <= 2; i++) {
        grid = sizes[i] " x " sizes[i]
        ratio(6, grid, grid ", synchronisation none", grid ", synchronisation local")
    }
}
