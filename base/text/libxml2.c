/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See libxml2.h. LIBXML2_NAME is what the library calls itself where this was built.
 */
#include "base/text/libxml2.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <string.h>

_Static_assert(sizeof LIBXML2_NAME > 1, "the Makefile did not find libxml2.so, or readelf its name");

static void *libxml2_find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        fatal_with("install the libxml2 that collc was built with, or build it anew",
                   "cannot read XML: %s has no %s", LIBXML2_NAME, name);
    return found;
}

const struct libxml2 *libxml2(void)
{
    static struct libxml2 loaded;
    if (loaded.xmlNewParserCtxt)
        return &loaded;
    void *library = dlopen(LIBXML2_NAME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fatal_with("install libxml2", "cannot read XML: %s", dlerror());
    struct libxml2 found;
    void *symbol;
#define X(name)                                                                                              \
    symbol = libxml2_find(library, #name);                                                                   \
    memcpy(&found.name, &symbol, sizeof found.name);
    LIBXML2(X)
#undef X
    loaded = found;
    return &loaded;
}
