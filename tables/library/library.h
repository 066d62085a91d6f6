/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the loader of tables of libraries that collc emits (docs/library.md).
 */
#ifndef COLLC_TABLES_LIBRARY_LIBRARY_H
#define COLLC_TABLES_LIBRARY_LIBRARY_H

#include "base/embedded.h"
#include "tables/library/rules.h"
#include "tables/rules/table.h"

struct library_table {
    struct table table;      /* must be first; its rules are those of `read`, in order */
    struct collc_rules read; /* in the arena */
    const char *remedy;      /* of the fault for which it is ignored */
    const struct embedded_file **files; /* [rule] its algorithm; NULL: there is none */
};

static inline const struct library_table *library_table_of(const struct table *table)
{
    return (const struct library_table *)(const void *)table;
}

extern const struct table_loader library_loader;
extern const struct table_writer library_writer;

/* Returns the position of a part of the text of the table. */
struct position library_position(const struct table *table, struct collc_word word);

/* Returns the next line of a table or an algorithm that is not empty, without its comment and the blanks
 * around; of length 0 at the end. */
struct slice library_next_line(struct slice *rest);
/* Returns the head of an algorithm, "bcast ring(segments)". */
struct slice library_head(const struct embedded_file *file);

bool library_is_file(const struct table_loader *loader, const struct source *source,
                     const struct settings *settings);
struct table *library_read(const struct table_loader *loader, const struct source *source,
                           struct arena *arena, struct diagnostics *diagnostics);
/* Returns the built-in algorithm that a rule of the collective names, or NULL. One with unequal counts may be
 * that of its collective. */
const struct embedded_file *library_file(const char *collective, struct collc_word algorithm);
/* Returns the path of the site's own file that the rule names, or NULL. */
const char *library_own_file(const struct table *table, const struct table_rule *rule);
/* Returns the reason why rules of the collective cannot name the site's own file, such as "cannot be read", or
 * NULL. Its first line has to be of the collective, and to have the name of the file, which no built-in one
 * has. NULL for a file: it could not be read. */
const char *library_own_fault(const char *collective, struct collc_word path,
                              const struct embedded_file *file, struct arena *arena, const char **help);
/* True if the algorithm of the file has the parameter. */
bool library_takes(const struct embedded_file *file, struct collc_word parameter);
/* True if rules of the collective may go by bytes: all ranks know those of a block. */
bool library_is_sized(const char *collective);
void library_lint(const struct table *table, struct diagnostics *findings);

#endif
