/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The adapters of hosts that a program uses, by words of the user. A host of an explicit network may have
 * several cables, each at an adapter of its own: some are rails of one fabric, some lead to a network for
 * storage or management. Messages are to take those that the program takes.
 */
#ifndef COLLC_NETWORK_ADAPTERS_H
#define COLLC_NETWORK_ADAPTERS_H

#include "base/text/slice.h"
#include "network/topology.h"

/* Returns the network without the cables of hosts whose adapters the list does not name, and without what
 * only they join; owns `topology` from now on. Requires that no forwarding tables are read yet. The list is
 * of words with ',' between, '^' before the first: all but these. A word is
 *
 *   mlx5_0, mlx5_*     the name of an adapter, or a pattern (fnmatch); ':1' behind it: its port 1, be it in
 *                      the name that the file has, or the number of the port
 *   rail:0, rail:0-3   the cables of a host by number, from 0: in the order of the names of their adapters,
 *                      or of links where these are not known
 *   switch:leaf*       cables to switches whose name the pattern fits
 *   rate:200Gb/s       cables of that rate
 *
 * or the whole is a setting, as programs have it: NCCL_IB_HCA=mlx5 (beginnings of names; '=' or '^=' before
 * the first: whole names), UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1, btl_openib_if_include=mlx5_0:1.
 * "rails-by-switch", alone or with ',' before all of that, numbers rails by switches (rail_order.h).
 *
 * NULL after reporting T027 (nothing fits a word, no cable is left, or the network has none to choose from
 * or no rails by switches) or T005; T008 names hosts that are left out. O(cables * words). */
struct topology *topology_choose_adapters(struct topology *topology, const char *list,
                                          struct diagnostics *diagnostics);

/* True if hosts have several cables, and the file tells their adapters or ports; else machines may be GPUs,
 * with links of many sorts. */
bool topology_tells_adapters(const struct topology *topology);

/* The cables with one number at their hosts (rail:N above). */
struct host_rail {
    uint32_t number, n_hosts, n_switches;
    const char *adapter, *router; /* names at its first cable; adapter NULL: not known. Of the topology */
    uint64_t lowest, highest;     /* B/s */
};
/* Returns the rails, *n of them, to be freed; NULL and 0 where no host has two cables, and for files that
 * tell no adapters or ports. O(rails * links) */
struct host_rail *topology_find_rails(const struct topology *topology, uint32_t *n);
/* Returns help for a word that names no adapter: "hosts have 'mlx5_0', 'mlx5_1' ...", or how to choose
 * without names; in the arena. Requires a graph. */
const char *topology_tell_adapters(const struct topology *topology, struct slice word, struct arena *arena);
/* Returns the name of the adapter by which a link leaves a host, NULL: not known. Of the topology. */
const char *topology_adapter_name(const struct topology *topology, uint32_t link);
/* Appends "mlx5_0: 6 hosts on 2 switches, 'leaf1' first, 25GB/s". */
void host_rail_print(const struct host_rail *rail, struct text *text);

/* Returns the network with the adapters of the list, or all where it is NULL, after
 * topology_warn_of_adapters. Owns `topology`; NULL as topology_choose_adapters. */
struct topology *topology_take_adapters(struct topology *topology, const char *list,
                                        struct diagnostics *diagnostics);

/* Reports T030 if hosts have adapters in another order than their switches (rail_order.h). Reports T028 if
 * no adapters were chosen (are_all) and those of hosts are unlike: if the cables of one rail, by switches
 * after a T030, have not as many hosts, switches and bytes a second as those of another. The rails of a
 * fabric have. Says nothing where most hosts have one cable, and of files that tell no adapters or ports.
 * O(rails * links) */
void topology_warn_of_adapters(const struct topology *topology, bool are_all,
                               struct diagnostics *diagnostics);

#endif
