/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the form of a traffic file and reads it. See traffic.h and internal.h.
 */
#include "schedules/traffic/internal.h"

#include <string.h>

struct traffic_form {
    const char *title;
    bool (*is)(const struct source *source);
    void (*read)(struct traffic *traffic);
};

static const struct traffic_form traffic_forms[] = {
#define FORM(name, title) {title, name##_is_form, name##_read},
#include "schedules/traffic/forms.def"
};

static const struct traffic_form *read_find_form(const struct source *source)
{
    for (size_t i = 0; i < sizeof traffic_forms / sizeof *traffic_forms; i++)
        if (traffic_forms[i].is(source))
            return &traffic_forms[i];
    return NULL;
}

/* True if the file begins with a comment as other languages have it, and what follows is an algorithm. */
static bool read_is_algorithm(const struct source *source)
{
    const char *text = source->text + strspn(source->text, " \t\r\n");
    return strncmp(text, "//", 2) == 0 || strncmp(text, "/*", 2) == 0 || strncmp(text, "--", 2) == 0 ||
           (*text && strchr(";%", *text) && strstr(text, "\nranks "));
}

bool traffic_is_file(const struct source *source)
{
    return !read_is_algorithm(source) && read_find_form(source);
}

struct schedule *traffic_read(const struct source *source, struct diagnostics *diagnostics)
{
    struct traffic traffic = {.source = source, .diagnostics = diagnostics};
    struct schedule *schedule = NULL;
    if (!source_check_utf8(source, diagnostics))
        return NULL;
    traffic_open(&traffic);
    read_find_form(source)->read(&traffic);
    if (!traffic.failed && traffic_gather(&traffic))
        schedule = traffic_pattern(&traffic);
    else
        traffic_release(&traffic);
    return schedule;
}
