/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of the XML formats a text is in: by the name of its first element.
 */
#include "base/text/xml.h"

#include <string.h>

/* Behind a declaration, comment or document type; NULL if it does not end. */
static const char *skip_markup(const char *at)
{
    const char *mark = strncmp(at, "<!--", 4) == 0 ? "-->" : ">";
    const char *subset = strncmp(at, "<!DOCTYPE", 9) == 0 ? strchr(at, '[') : NULL;
    const char *end = strstr(at, mark);
    if (subset && end && subset < end)
        end = strstr(subset, "]");
    return end ? end + strlen(mark) : NULL;
}

bool xml_root_is(const struct source *source, const char *name)
{
    const char *at = source_start(source);
    while (at && *at == '<' && (at[1] == '?' || at[1] == '!')) {
        at = skip_markup(at);
        if (at)
            at += strspn(at, " \t\r\n>");
    }
    size_t length = strlen(name);
    return at && *at == '<' && strncmp(at + 1, name, length) == 0 &&
           strchr(" \t\r\n/>", at[1 + length]) && at[1 + length];
}
