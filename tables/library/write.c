/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes tables of a library of algorithms from plans, and names the algorithms that plans may have: all
 * built-in ones of a collective, with some numbers of segments and radices. The name of one with parameters
 * is as in a rule, "chain segments=16".
 */
#include "tables/library/library.h"

#include "base/embedded.h"
#include "ir/collective.h"
#include "tables/rules/plan.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_NAMES = 2048, MOST_LENGTH = 64 };

/* The algorithms of all collectives, listed at the first question. */
static struct {
    size_t n;
    uint32_t collective[MOST_NAMES];
    char name[MOST_NAMES][MOST_LENGTH];
} library_names;

static void write_add_name(uint32_t collective, int length, const char *name, const char *parameter)
{
    const size_t n = library_names.n;
    if (n == MOST_NAMES)
        return;
    const int printed = snprintf(library_names.name[n], MOST_LENGTH, "%.*s%s", length, name, parameter);
    if (printed >= MOST_LENGTH)
        return;
    library_names.collective[n] = collective;
    library_names.n++;
}

/* Adds the algorithm of a file, if it is one of the folder. */
static void write_add_file(uint32_t collective, const char *folder, const struct embedded_file *file)
{
    static const char *const settings[] = {" segments=4", " segments=16", " segments=64", " radix=4",
                                           " radix=8"};
    const char *name = file->path + strlen(folder), *end = strrchr(file->path, '.');
    if (strncmp(file->path, folder, strlen(folder)) != 0 || strchr(name, '/') || !end ||
        strcmp(end, ".coll") != 0)
        return;
    write_add_name(collective, (int)(end - name), name, "");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const struct collc_word parameter = {settings[i] + 1, strcspn(settings[i] + 1, "=")};
        if (library_takes(file, parameter))
            write_add_name(collective, (int)(end - name), name, settings[i]);
    }
}

/* Lists algorithms under the collective's own name and, for unequal counts, of its collective. */
static void write_list_names(const struct table_loader *loader)
{
    for (uint32_t c = 0; c < loader->n_collectives; c++) {
        enum collective_form form = FORM_EQUAL;
        const char *name = loader->collectives[c];
        const enum collective collective = collective_find_form(name, strlen(name), &form);
        const char *const folders[] = {name, collective_table[collective].name};
        for (size_t k = 0; k < (form == FORM_EQUAL ? 1 : 2); k++) {
            struct text folder = {0};
            text_printf(&folder, "compiler/algorithms/%s/", folders[k]);
            for (size_t i = 0; i < n_embedded_files; i++)
                write_add_file(c, folder.data, &embedded_files[i]);
            text_free(&folder);
        }
    }
}

static bool library_write_algorithm(const struct table_loader *loader, uint32_t collective, size_t i,
                                    struct table_algorithm *algorithm)
{
    if (library_names.n == 0)
        write_list_names(loader);
    for (size_t k = 0; k < library_names.n; k++)
        if (library_names.collective[k] == collective && i-- == 0) {
            *algorithm = (struct table_algorithm){.name = library_names.name[k]};
            return true;
        }
    return false;
}

/* A library leaves what an algorithm is not defined for to the MPI. */
static struct table_range library_write_outcome(const struct table_loader *loader,
                                                const struct table_query *query,
                                                const struct table_choice *choice, uint64_t bytes)
{
    (void)loader, (void)query;
    return (struct table_range){.bytes = {bytes, bytes}, .algorithm = choice->algorithm};
}

/* True of collectives with unequal counts whose bytes not all ranks know. */
static bool library_write_has_one_choice(const struct table_loader *loader, uint32_t collective)
{
    return !library_is_sized(loader->collectives[collective]);
}

static void write_put_span(const char *key, struct span span, struct span all, struct text *out)
{
    if (span.first <= all.first && span.last >= all.last)
        return;
    text_printf(out, " %s=%" PRIu64, key, span.first);
    if (span.last >= all.last)
        text_printf(out, "..");
    else if (span.last != span.first)
        text_printf(out, "..%" PRIu64, span.last);
}

static void library_write_plan(const struct table_plan *plan, struct text *out, struct text *lost)
{
    static const struct span all_bytes = {0, SPAN_NO_END};
    (void)lost;
    text_printf(out, "collc-table 1\n");
    for (const char *line = plan->title; line && *line; line += strcspn(line, "\n") + 1)
        text_printf(out, "# %.*s\n", (int)strcspn(line, "\n"), line);
    for (size_t i = 0; i < plan->n_rules; i++) {
        const struct plan_rule *rule = &plan->rules[i];
        const char *name = plan->loader->collectives[rule->collective];
        if (!rule->choice.algorithm)
            continue;
        text_printf(out, "%s", name);
        write_put_span("ranks", rule->ranks, ANY_NODES, out);
        write_put_span("hosts", rule->nodes, ANY_NODES, out);
        if (library_is_sized(name))
            write_put_span("bytes", rule->bytes, all_bytes, out);
        text_printf(out, " use %s\n", rule->choice.algorithm);
    }
}

const struct table_writer library_writer = {
    .algorithm = library_write_algorithm,
    .outcome = library_write_outcome,
    .has_one_choice = library_write_has_one_choice,
    .write = library_write_plan,
    .launch = {"mpirun -x LD_PRELOAD=$PWD/libcollc-mpi.so -x COLLC_TABLE=", " PROGRAM"}};
