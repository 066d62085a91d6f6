/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A format of topologies. Each has a folder in network/formats with its reader, its writer
 * or both, and a record that says so: `const struct topology_format NAME_format`. The record
 * has a line in network/formats/formats.def.
 */
#ifndef COLLC_NETWORK_FORMAT_H
#define COLLC_NETWORK_FORMAT_H

#include "base/diagnostic.h"
#include "network/topology.h"

/* Files of a network, in the order of their names; at least one. */
struct source_list {
    const struct source **items;
    size_t n;
};

/* Reads a topology that the file `whole` names, a string or a file in any format: a path is relative to the
 * folder of `whole`. NULL after reporting. */
typedef struct topology *topology_part_reader(const char *spec, const struct source *whole,
                                              struct diagnostics *diagnostics);

/* Appends the topology in that form. False if the form cannot express it; *problem is then one sentence
 * without full stop that lives as long as the topology, and the appended text is useless. */
typedef bool topology_writer(const struct topology *topology, struct text *out,
                             const char **problem);

/* Functions of a format; those that it does not have are NULL. Every reader returns NULL after reporting. */
struct topology_format {
    /* True if the content of a file is in the format. */
    bool (*is)(const struct source *source);
    /* True if a file may hold several networks, of which source->part names one. */
    bool has_parts;
    /* Exactly one of the three readers is set: a network is one file ... */
    struct topology *(*read)(const struct source *source, struct diagnostics *diagnostics);
    /* ... or may be several ... */
    struct topology *(*read_files)(const struct source_list *files,
                                   struct diagnostics *diagnostics);
    /* ... or is one that can name others. */
    struct topology *(*read_with_parts)(const struct source *source,
                                        topology_part_reader *read_part,
                                        struct diagnostics *diagnostics);
    topology_writer *write;
};

#endif
