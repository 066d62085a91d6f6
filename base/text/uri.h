/* SPDX-License-Identifier: BSD-3-Clause
 *
 * URIs of files (RFC 8089).
 */
#ifndef COLLC_BASE_TEXT_URI_H
#define COLLC_BASE_TEXT_URI_H

#include "base/memory.h"

/* Returns the URI of an absolute path, in the arena; NULL: it is none. */
const char *uri_of_path(const char *path, struct arena *arena);
/* Returns the URI of the page of a code, in the documentation beside this executable; NULL: there is none. */
const char *uri_of_code(const char *id, struct arena *arena);

#endif
