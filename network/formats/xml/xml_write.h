/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What emitters/topology_xml*.c share.
 */
#ifndef COLLC_NETWORK_FORMATS_XML_XML_WRITE_H
#define COLLC_NETWORK_FORMATS_XML_XML_WRITE_H

#include "network/topology.h"

/* Text for XML 1.0: what that cannot hold becomes '?', blanks other than the space
 * references, because attribute values are normalised. */
void xml_write_escaped(const char *text, struct text *out);
void xml_write_attribute(const char *name, const char *value, struct text *out);

/* Appends the elements `failed` and `machines` that make this topology of topology_whole. False
 * and *problem set if there are none for it. O(links + machines log machines). */
bool xml_write_part(const struct topology *topology, struct text *out, const char **problem);

#endif
