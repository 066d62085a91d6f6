/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MSCCL's XML as its two loaders take it, inside this folder: microsoft/msccl, which drops a file that it
 * does not take, and Azure's executor, which RCCL has too and which then makes no communicator. A file is one
 * row: the calls of its collective, size, number of GPUs, in place or not. Steps are judged elsewhere
 * (schedules/msccl). Known from the sources, never seen running.
 */
#ifndef COLLC_TABLES_MSCCL_MSCCL_H
#define COLLC_TABLES_MSCCL_MSCCL_H

#include "tables/rules/table.h"

enum algo_attribute {
#define ATTRIBUTE(word, kind, msccl, executor) ALGO_##word,
#include "tables/msccl/attributes.def"
    ALGO_N_ATTRIBUTES
};
enum algo_kind { KIND_TEXT, KIND_NUMBER, KIND_PROTOCOL, KIND_COLLECTIVE };
enum algo_use { USE_NONE, USE_MAY, USE_MUST };

struct algo_version {
    bool is_executor;
    const char *const *collectives; /* words of coll; NULL behind the last */
};

/* A file. */
struct algo {
    const struct source *source;
    struct slice texts[ALGO_N_ATTRIBUTES];  /* in the source; text NULL: not there */
    int64_t numbers[ALGO_N_ATTRIBUTES];     /* as the loader reads it */
    struct slice element;                   /* <algo ...> */
    struct slice trap;                      /* text that the loaders' reader of XML does not take, or empty */
    const char *trap_words;
    struct slice other;                     /* first attribute that the loader does not read */
    struct table_rule rule;
};

enum { ALGO_MOST = 4 };

struct algo_table {
    struct table table;
    const struct algo_version *version;
    struct algo algos[ALGO_MOST];
    size_t n;
    const struct setting *named; /* MSCCL_XML_FILES, or NULL */
    size_t n_named;              /* files in it */
};

static inline const struct algo_table *algo_table_of(const struct table *table)
{
    return (const struct algo_table *)(const void *)table;
}

bool algo_is_file(const struct table_loader *loader, const struct source *source,
                  const struct settings *settings);
struct table *algo_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                        struct diagnostics *diagnostics);
struct table *algo_read_settings(const struct table_loader *loader, const struct settings *settings,
                                 struct arena *arena, struct diagnostics *diagnostics);
extern const char *const algo_attribute_names[ALGO_N_ATTRIBUTES];
extern const enum algo_kind algo_kinds[ALGO_N_ATTRIBUTES];
/* Returns what the loader does with the attribute. */
enum algo_use algo_use(const struct algo_version *version, enum algo_attribute attribute);
/* Returns why the loader refuses the file, and where; NULL: it takes it. */
const char *algo_refused(const struct algo_version *version, const struct algo *algo, struct slice *place);

#endif
