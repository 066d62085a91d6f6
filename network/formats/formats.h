/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies from text of any known format, and their formats: read.c tells them apart.
 */
#ifndef COLLC_NETWORK_FORMATS_FORMATS_H
#define COLLC_NETWORK_FORMATS_FORMATS_H

#include "network/format.h"

#define READS(name, spelling, title) extern const struct topology_format name##_format;
#define WRITES(name, spelling, title) extern const struct topology_format name##_format;
#include "network/formats/formats.def"

/* Reads `spec`: a synthetic string ("star:24,bw=2GB/s,lat=1us"), or a file or
 * folder whose format is recognised by its content or named before it
 * ("slurm:topology.conf"); network/formats/formats.def lists them.
 * Returns NULL after reporting what is wrong. Release with topology_free. */
struct topology *topology_read(const char *spec, struct diagnostics *diagnostics);
/* The same from a text in that format, which has a reader. */
struct topology *topology_read_source(const struct topology_format *format,
                                      const struct source *source,
                                      struct diagnostics *diagnostics);

/* The name of the format that the content of a file is recognised by, or NULL. */
const char *topology_format_name(const struct source *source);

/* What writes a topology in the form that `collc topo --to` calls so, or NULL. */
topology_writer *topology_writer_find(const char *spelling);

#endif
