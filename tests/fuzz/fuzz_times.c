/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of measured times: anything is refused with a diagnostic, or what was read is printed and read
 * again to the
 * same number of times, and can be decided from.
 */
#include "tables/loaders.h"
#include "tuning/decide.h"

#include <stdlib.h>
#include <string.h>

static bool read_times(const char *data, size_t size, struct measurements *read)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    *read = (struct measurements){.loader = table_loader_find("ompi-4.1")};
    const bool is_read = measurements_read(read, source_of_text("fuzz", data, size, &arena), &diagnostics);
    if (is_read == diagnostics_has_errors(&diagnostics))
        abort();
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_read;
}

static void read_again(const struct measurements *read)
{
    struct text text = {0};
    struct measurements again;
    for (size_t i = 0; i < read->n; i++) {
        text_printf(&text, "launch %u %s\n", read->items[i].launch, phase_name[read->items[i].phase]);
        measurement_print(read->loader, &read->items[i], &text);
    }
    if (!read_times(text.data ? text.data : "", text.length, &again) || again.n != read->n)
        abort();
    measurements_free(&again);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_SIZE = 1 << 12 };
    struct measurements read = {0};
    if (size > MAX_SIZE || memchr(data, '\0', size))
        return 0;
    char *text = strndup((const char *)data, size);
    if (text && read_times(text, size, &read)) {
        struct decision decision;
        read_again(&read);
        if (read.n)
            decide(&read, &(struct point){read.items[0].collective, read.items[0].n_ranks,
                read.items[0].bytes}, 1,
                   &decision);
    }
    measurements_free(&read);
    free(text);
    return 0;
}
