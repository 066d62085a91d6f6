# Lists the cables of an ibnetdiscover dump, a line for each: NAME PORT NAME PORT RATE, the switch last; names have
# no blanks. With -v write=1 it is the other way: such a list becomes a dump in the layout of ibnetdiscover -p, with
# GUIDs and LIDs made from the names' numbers.
function name_of(text) { match(text, /# "[^"]*"/); text = substr(text, RSTART + 3, RLENGTH - 4); sub(/ .*/, "", text); return text }
function number_of(name) { if (!(name in number)) number[name] = ++n_names; return number[name] }
function kind_of(name) { return name in is_switch ? "SW" : "CA" }
function side(name, port) {
    return sprintf("%s %d %d 0x%016x", kind_of(name), number_of(name), port, 65536 + 16 * number_of(name))
}
!write && /^Switch/ { here = name_of($0); inside = 1; next }
!write && /^(Ca|Rt)/ { inside = 0; next }
!write && inside && /^\[/ {
    match($0, /^\[[0-9]+\]/); port = substr($0, 2, RLENGTH - 2)
    match($0, /"[SH]-[0-9a-f]+"\[[0-9]+\]/); peer = substr($0, RSTART, RLENGTH)
    of_switch = peer ~ /^"S/; sub(/^[^\[]*\[/, "", peer); sub(/\]/, "", peer)
    if (!of_switch || name_of($0) < here)
        print name_of($0), peer, here, port, $NF
}
write { line[NR] = $0; is_switch[$3] = 1 }
END {
    for (i = 1; write && i <= NR; i++) {
        split(line[i], c, " ")
        rate = c[5]; sub(/^4x/, "4x ", rate); sub(/^1x/, "1x ", rate)
        printf "%s %s - %s ( '%s' - '%s' )\n", side(c[1], c[2]), rate, side(c[3], c[4]), c[1], c[3]
        printf "%s %s - %s ( '%s' - '%s' )\n", side(c[3], c[4]), rate, side(c[1], c[2]), c[3], c[1]
    }
}
