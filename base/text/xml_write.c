/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text and attributes of XML. See xml_write.h.
 */
#include "base/text/xml_write.h"

void xml_write_escaped(const char *text, struct text *out)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            text_printf(out, "&amp;");
        else if (c == '<')
            text_printf(out, "&lt;");
        else if (c == '"')
            text_printf(out, "&quot;");
        else if (c == '\t' || c == '\n' || c == '\r')
            text_printf(out, "&#%u;", c);
        else
            text_append(out, c < ' ' ? "?" : text, 1);
    }
}

void xml_write_attribute(const char *name, const char *value, struct text *out)
{
    text_printf(out, " %s=\"", name);
    xml_write_escaped(value, out);
    text_printf(out, "\"");
}
