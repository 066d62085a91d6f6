/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a rule file of coll/han for another version: the rules that act, in ascending order, collectives
 * by name and levels by number, which all versions read.
 */
#include "base/codes.h"
#include "tables/han/han.h"

struct converting {
    const struct han_table *of;
    const struct han_version *to;
    struct text *out;
    struct diagnostics *lost;
};

/* True if the level acts in both versions: rules that never acted must not begin to. */
static bool han_convert_is_kept(const struct converting *converting, const struct han_level_set *level)
{
    const bool acts_in_both = converting->of->version->has_levels && converting->to->has_levels;
    return !level->replaced_by &&
           (level->level == HAN_GLOBAL || acts_in_both || converting->of->version == converting->to);
}

static bool han_convert_acts(struct span span)
{
    return span.first <= span.last;
}

static void han_convert_put_row(struct converting *converting, const struct han_row *row)
{
    const char *name = han_component_names[row->rule.algorithm - 1];
    text_printf(converting->out, "%llu %s", (unsigned long long)row->rule.keys.first, name);
    if (row->algorithm && converting->to->has_names)
        text_printf(converting->out, " @%s", row->algorithm);
    else if (row->algorithm)
        report(converting->lost, CODE_B031, slice_position(converting->of->table.source, row->at),
               "%s takes no algorithm here: '@%s' is left out", converting->to->title, row->algorithm)
            ->help = "coll_han_use_simple_... chooses it there";
    text_printf(converting->out, "\n");
}

static size_t count_rows(const struct han_table *of, const struct han_size *size)
{
    size_t n = 0;
    for (size_t i = size->first; i < size->first + size->n; i++)
        n += han_convert_acts(of->rows[i].rule.keys);
    return n;
}

/* Writes a size and its rows. Each size and row that acts begins above those before it. */
static void han_convert_put_size(struct converting *converting, const struct han_size *size)
{
    const struct han_table *of = converting->of;
    const uint64_t first = size->acts_on.first;
    text_printf(converting->out, "%llu %zu\n", (unsigned long long)(first ? first : 1), count_rows(of, size));
    for (size_t i = size->first; i < size->first + size->n; i++)
        if (han_convert_acts(of->rows[i].rule.keys))
            han_convert_put_row(converting, &of->rows[i]);
}

static void put_level(struct converting *converting, const struct han_level_set *level)
{
    const struct han_table *of = converting->of;
    size_t n = 0;
    for (size_t i = level->first; i < level->first + level->n; i++)
        n += han_convert_acts(of->sizes[i].acts_on);
    text_printf(converting->out, "%d %zu # %s\n", (int)level->level, n, han_level_names[level->level]);
    for (size_t i = level->first; i < level->first + level->n; i++)
        if (han_convert_acts(of->sizes[i].acts_on))
            han_convert_put_size(converting, &of->sizes[i]);
}

static void put_set(struct converting *converting, const struct han_set *set)
{
    const struct han_table *of = converting->of;
    size_t n = 0;
    for (size_t i = set->first; i < set->first + set->n; i++) {
        const struct han_level_set *level = &of->levels[i];
        n += han_convert_is_kept(converting, level);
        if (!level->replaced_by && !han_convert_is_kept(converting, level))
            report(converting->lost, CODE_B031, slice_position(of->table.source, level->at),
                   "rules for level %s are left out: they act in Open MPI 5.0 alone",
                   han_level_names[level->level]);
    }
    text_printf(converting->out, "%s %zu\n", ompi_collective_names[set->collective], n);
    for (size_t i = set->first; i < set->first + set->n; i++)
        if (han_convert_is_kept(converting, &of->levels[i]))
            put_level(converting, &of->levels[i]);
}

void han_convert(const struct table *table, const struct table_loader *to, unsigned unmade,
                  struct text *out, struct diagnostics *lost)
{
    (void)unmade; /* rows name components, and these ask what the call is like */
    struct converting converting = {han_table_of(table), to->version, out, lost};
    size_t n = 0;
    for (size_t i = 0; i < converting.of->n_sets; i++)
        n += !converting.of->sets[i].replaced_by;
    text_printf(out, "%zu # collectives\n", n);
    for (size_t i = 0; i < converting.of->n_sets; i++)
        if (!converting.of->sets[i].replaced_by)
            put_set(&converting, &converting.of->sets[i]);
}
