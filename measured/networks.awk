# SPDX-License-Identifier: BSD-3-Clause
#
# Several networks, as `collc topo T --to ip-routes` writes them, to what `ip` and `tc` are to do:
# scripts/netns-cluster.
#
#   awk -f networks.awk -v out=FOLDER routes.sh
#
# A machine is the namespace of its name, a network a bridge of its number, the fastest 1. Cables are pairs of
# interfaces, named as on the machines, whose rate is that of the network where packets leave. 10.76... on
# `manage` is an Ethernet beside them by which programs are launched.
#
# In FOLDER: as network.awk.

# The bytes of data in a frame of Ethernet that carries TCP with timestamps, and its length for tc.
BEGIN { DATA = 1448; FRAME = 1514; n = 0 }

function bytes_per_second(text,    unit) {
    unit = text
    sub(/^[0-9]+/, "", unit)
    return text * (unit == "B/s" ? 1 : unit == "KB/s" ? 1e3 : unit == "MB/s" ? 1e6 : 1e9)
}

# "# MY Myrinet: myri0, 160MB/s, 4 machines"
!n_networks && /^# .*: [^ ,]+, [0-9]+[KMG]?B\/s, [0-9]+ machines?$/ {
    sub(/,$/, "", $(NF - 2))
    rates[++n_rates] = bytes_per_second($(NF - 2))
}
/^interfaces='/ {
    gsub(/^interfaces='|'$/, "")
    n_networks = split($0, interface, " ")
}
/^hosts='$/ { in_hosts = 1; next }
/^'$/ { in_hosts = 0 }
in_hosts {
    name[n] = $1
    for (k = 1; k <= n_networks; k++)
        address[n, k] = $(k + 2)
    n++
}

function write_host(i,    node, manage, k, j, rate) {
    node = name[i]
    manage = "10.76." int(i / 256) "." i % 256 + 1
    print "netns add " node >(out "/create")
    print node, node >(out "/nodes")
    print manage, node >(out "/hosts")
    printf "link add name manage netns %s type veth peer name m%d\nlink set m%d master manage up\n", node, i, i >(out "/links")
    printf "link set lo up\nlink set manage up\naddress add %s/16 dev manage\n", manage >(out "/" node ".ip")
    printf "" >(out "/" node ".tc")
    for (k = 1; k <= n_networks; k++) {
        if (address[i, k] == "-")
            continue
        printf "link add name %s netns %s type veth peer name p%d_%d\nlink set p%d_%d master b%d up\n",
            interface[k], node, i, k, i, k, k >(out "/links")
        printf "address add %s/32 dev %s\nlink set %s up\n", address[i, k], interface[k], interface[k] >(out "/" node ".ip")
        for (j = 0; j < n; j++)
            if (j != i && address[j, k] != "-")
                printf "route add %s/32 dev %s src %s\n", address[j, k], interface[k], address[i, k] >(out "/" node ".ip")
        rate = rates[k] * FRAME / DATA
        printf "qdisc add dev %s root tbf rate %.0fbit burst %.0f limit %.0f\n", interface[k], rate * 8,
            (rate * 0.002 > 4 * FRAME ? rate * 0.002 : 4 * FRAME), 2 ^ 24 >(out "/" node ".tc")
    }
}

END {
    if (!n || n_rates != n_networks)
        exit 1
    for (k = 1; k <= n_networks; k++)
        printf "link add name b%d type bridge\nlink set b%d up\n", k, k >(out "/create")
    for (i = 0; i < n; i++)
        write_host(i)
    close(out "/create")
    system("cat '" out "/links' >>'" out "/create'")
}
