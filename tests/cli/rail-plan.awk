# Writes a plan of cables (docs/formats.md) of a rail-optimised fabric: hosts of a group, rails, groups, spines of all or, with
# planes=1, of each rail. swap="3:0:2;5:1:2": mlx5_0 and mlx5_2 of n3 are swapped; drop="2:1": n2 has no cable on rail 1.
BEGIN {
    n = split(swap, words, ";")
    for (i = 1; i <= n; i++) {
        split(words[i], at, ":")
        name[at[1], at[2]] = at[3]
        name[at[1], at[3]] = at[2]
    }
    n = split(drop, words, ";")
    for (i = 1; i <= n; i++) { split(words[i], at, ":"); is_gone[at[1], at[2]] = 1 }
    print "#StartDevice,StartPort,EndDevice,EndPort,LinkType,Speed"
    for (g = 0; g < groups; g++)
        for (k = 0; k < rails; k++) {
            for (h = g * hosts; h < (g + 1) * hosts; h++)
                if (!((h, k) in is_gone))
                    printf "leaf%d.%d,Port %d,n%d mlx5_%d,Port 1,Data,200000\n", g, k, h % hosts + 1, h,
                        (h, k) in name ? name[h, k] : k
            for (s = 0; s < spines; s++)
                printf "leaf%d.%d,Port %d,spine%s%d,Port %d,Data,200000\n", g, k, hosts + s + 1,
                    planes ? k "." : "", s, planes ? g + 1 : g * rails + k + 1
        }
}
