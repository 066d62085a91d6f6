/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the writers of XML share.
 */
#ifndef COLLC_BASE_TEXT_XML_WRITE_H
#define COLLC_BASE_TEXT_XML_WRITE_H

#include "base/memory.h"

/* Appends text for XML 1.0: what XML cannot hold becomes '?', blanks other than the space become references,
 * because attribute values are normalised. */
void xml_write_escaped(const char *text, struct text *out);
void xml_write_attribute(const char *name, const char *value, struct text *out);

#endif
