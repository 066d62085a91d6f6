/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads topologies from text of any known format; read.c tells the formats apart.
 */
#ifndef COLLC_NETWORK_FORMATS_FORMATS_H
#define COLLC_NETWORK_FORMATS_FORMATS_H

#include "network/format.h"

#define READS(name, spelling, title) extern const struct topology_format name##_format;
#define WRITES(name, spelling, title) extern const struct topology_format name##_format;
#include "network/formats/formats.def"

/* Reads `spec`: a synthetic string ("star:24,bw=2GB/s,lat=1us"), or a file or folder. The content or a name
 * before it ("slurm:topology.conf") decides its format; network/formats/formats.def lists the formats.
 * Returns NULL after reporting errors. Release with topology_free. */
struct topology *topology_read(const char *spec, struct diagnostics *diagnostics);
/* Reads a text in that format, which must have a reader. */
struct topology *topology_read_source(const struct topology_format *format,
                                      const struct source *source,
                                      struct diagnostics *diagnostics);

/* Returns the name of the format that the content of a file is recognised by, or NULL. */
const char *topology_format_name(const struct source *source);
/* Returns help for a file that is often given instead of a network, such as forwarding tables; or NULL. */
const char *topology_stranger_help(const struct source *source);

/* Returns the writer for the form that `collc topo --to` calls so, or NULL. */
topology_writer *topology_writer_find(const char *spelling);

#endif
