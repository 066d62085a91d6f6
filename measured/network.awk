# SPDX-License-Identifier: BSD-3-Clause
#
# A network in DOT, as collc writes it, to what `ip` and `tc` are to do: scripts/netns-cluster.
#
#   awk -f network.awk -v out=FOLDER -v buffer=BYTES network.dot
#
# Machine i is the namespace h<i>, router j is s<j>; a cable is a pair of interfaces, whose rates are
# limited at the end where packets leave. Machine i has the address 10.77.<i / 256>.<i % 256 + 1> on
# an interface of its own, `data`, whatever cables it has, and 10.76... on `manage`, an Ethernet beside
# the network by which programs are launched. Routes are those of the file, an entry for each destination.
#
# In FOLDER: `create` for ip -batch; NODE.ip and NODE.tc for -batch within a namespace; `nodes`, a line
# `NODE NAME` each, machines first.

# The bytes of data in a frame of Ethernet that carries TCP with timestamps, and its length for tc.
BEGIN { DATA = 1448; FRAME = 1514; FS = "\"" }

# Numbers are as topology_print_bandwidth writes them: whole, of a decimal unit.
function bytes_per_second(text,    unit) {
    unit = text
    sub(/^[0-9]+/, "", unit)
    return text * (unit == "B/s" ? 1 : unit == "KB/s" ? 1e3 : unit == "MB/s" ? 1e6 : 1e9)
}

# attribute NAME="VALUE" of the line, or what is said for all.
function attribute(name, otherwise,    i) {
    for (i = 1; i < NF; i++)
        if ($i ~ "(^|[ [])" name "=$")
            return $(i + 1)
    return otherwise
}

function largest(a, b) { return a > b ? a : b }

function address(net, i) { return "10." net "." int(i / 256) "." i % 256 + 1 }

# Routers have addresses so that their neighbours find them.
function address_of(node) { return address(node ~ /^h/ ? 77 : 78, substr(node, 2)) }

# The queue of a machine is its own memory; that of a router's port is its buffer. What goes out at
# once after a pause (burst) is what a processor that is late by 2 ms has missed.
function limit_rate(node, end, bandwidth,    rate) {
    rate = bandwidth * FRAME / DATA
    printf "qdisc add dev c%d root tbf rate %.0fbit burst %.0f limit %.0f\n", end, rate * 8,
        largest(rate * 0.002, 4 * FRAME), node ~ /^h/ ? 2 ^ 24 : buffer >(out "/" node ".tc")
}

/^  bandwidth=/ { bandwidth = $2 }

/type=host/ {
    machine[$2] = n_machines
    node_of[$2] = "h" n_machines++
    name[node_of[$2]] = $2
}
/type=switch/ {
    node_of[$2] = "s" n_routers + 0
    name["s" n_routers++] = $2
}

# A channel: the k-th from a to b and the k-th back are the two directions of a cable.
/" -> "/ {
    a = node_of[$2]
    b = node_of[$4]
    k = n_channels[a, b]++
    if (!((b, a, k) in end_of)) {
        end_of[a, b, k] = n_ends++
        end_of[b, a, k] = n_ends++
        printf "link add name c%d netns %s type veth peer name c%d netns %s\n",
            end_of[a, b, k], a, end_of[b, a, k], b >(out "/links")
    }
    end = end_of[a, b, k]
    printf "link set c%d up\n", end >(out "/" a ".ip")
    limit_rate(a, end, bytes_per_second(attribute("bandwidth", bandwidth)))
    n = split(attribute("comment", ""), to, ",")
    for (i = 1; i <= n; i++)
        routes[a] = routes[a] sprintf("route add %s via %s dev c%d onlink%s\n",
            to[i] == "*" ? "default" : address(77, machine[to[i]]) "/32", address_of(b), end,
            a ~ /^h/ ? " src " address_of(a) : "")
}

function write_node(node) {
    print "netns add " node >(out "/create")
    print node, name[node] >(out "/nodes")
    print "link set lo up" >(out "/" node ".ip")
}

END {
    if (!n_machines)
        exit 1
    for (i = 0; i < n_machines; i++) {
        node = "h" i
        write_node(node)
        printf "link add name manage netns %s type veth peer name m%d\n", node, i >(out "/links")
        printf "link set m%d master manage up\n", i >(out "/links")
        printf "link add data type veth peer name stub\nlink set data up\nlink set stub up\n" \
            "address add %s/16 dev data noprefixroute\nlink set manage up\n" \
            "address add %s/16 dev manage\n%s", address(77, i), address(76, i), routes[node] >(out "/" node ".ip")
        print address(76, i), node >(out "/hosts")
    }
    for (j = 0; j < n_routers; j++) {
        node = "s" j
        write_node(node)
        printf "address add %s/32 dev lo\n%s", address(78, j), routes[node] >(out "/" node ".ip")
    }
    close(out "/create")
    system("cat '" out "/links' >>'" out "/create'")
}
