# SPDX-License-Identifier: BSD-3-Clause
#
# awk -v SEED=N -v VERSION=41 -f legal_times.awk tables/ompi/algorithms.def
# awk -v SEED=N -v VERSION=40 -f legal_times.awk tables/mpich/algorithms.def
#
# Times as collc tune keeps them, by chance, for 2 to 9 ranks and three sizes: every algorithm of the version is
# faster than the default, those too that a legal call is not for.
BEGIN { FS = "[(,)] *"; srand(SEED) }
$1 != "ALGORITHM" || $2 !~ /^(all(gather|reduce|toall)|allgatherv|bcast|exscan|gather|reduce.*|scan|scatter)$/ { next }
VERSION == 41 && $5 <= 41 {
    n++
    of[n] = $2
    name[n] = $4
    is_for_two[n] = $7 == "TWO"
    fan_out[n] = $6 ~ /FAN_OUT/ ? 2 : 0
    is_cut[n] = $6 ~ /SEGMENT/
}
VERSION == 40 && $3 != "inter" && $5 <= 40 {
    n++
    of[n] = $2
    name[n] = $4
}

function put(i, ranks, bytes, segment,    key)
{
    key = i " " ranks " " bytes " " segment
    if (!(key in time))
        time[key] = 1000 + int(rand() * 100000)
    print "time", of[i], ranks, bytes, name[i], segment, fan_out[i] + 0, 9, time[key], time[key] - 9
}

function put_point(ranks, bytes,    i)
{
    for (i = 1; i <= n; i++) {
        if (of[i] != of[i - 1])
            print "time", of[i], ranks, bytes, "default", 0, 0, 9, 900000, 800000
        if (is_for_two[i] && ranks > 2)
            continue
        put(i, ranks, bytes, 0)
        if (is_cut[i])
            put(i, ranks, bytes, 1024)
    }
}

END {
    for (launch = 1; launch <= 34; launch++) {
        print "launch", launch, (launch <= 2 ? "sample" : launch <= 18 ? "confirm" : "again")
        for (ranks = 2; ranks <= 9; ranks++)
            for (bytes = 8; bytes <= 32768; bytes *= 64)
                put_point(ranks, bytes)
    }
}
