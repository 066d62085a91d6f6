/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables of NCCL that select algorithms and protocols, for each collective or all of them:
 *
 *   NCCL_ALGO=ring,tree    NCCL_ALGO=^nvls    NCCL_ALGO="ring;allreduce:tree,collnetdirect"
 *
 * and the CSV that they name. A row acts only if what it chooses is selected. Words are of either case. This
 * is known from the sources (src/graph/tuning.cc, 2.24 and later), not from running them.
 */
#include "base/codes.h"
#include "base/suggest.h"
#include "tables/nccl/model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The words of variables; those of the CSV have underscores. */
static const char *const algorithm_words[NCCL_N_ALGORITHMS] = {
    "Tree", "Ring", "CollnetDirect", "CollnetChain", "NVLS", "NVLSTree", "PAT"};
static const char *const protocol_words[NCCL_N_PROTOCOLS] = {"LL", "LL128", "Simple"};

static struct slice nccl_key(const struct setting *setting)
{
    const bool is_known = slice_is(setting->name, "NCCL_ALGO") || slice_is(setting->name, "NCCL_PROTO") ||
                          slice_is(setting->name, "NCCL_TUNER_CONFIG_FILE");
    return is_known ? setting->name : (struct slice){0};
}

static const char *nccl_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting;
    (void)arena;
    return "every collective";
}

size_t nccl_variables(const char **names, struct arena *arena)
{
    static const char *const all[] = {
#define VARIABLE(name) name,
#include "tables/nccl/variables.def"
    };
    _Static_assert(sizeof all / sizeof *all <= SETTINGS_MOST_NAMES, "too many names");
    (void)arena;
    memcpy(names, all, sizeof all);
    return sizeof all / sizeof *all;
}

const struct settings_dialect nccl_dialect = {
    .example = "'export NCCL_ALGO=Ring' or 'mpirun -x NCCL_PROTO=Simple'",
    .key = nccl_key,
    .calls = nccl_calls,
    .names = nccl_variables,
    .prefix = "NCCL_",
    .library = "NCCL"};

/* True for what may be a table: a line with several commas outside of an assignment. */
bool nccl_is_file(const struct table_loader *loader, const struct source *source,
                  const struct settings *settings)
{
    enum { LEAST_COMMAS = 3 };
    struct slice rest = {source->text, source->length};
    if (settings_have(settings, loader->dialect))
        return false;
    while (rest.length) {
        struct slice line = slice_trim(slice_take_until(&rest, '\n'));
        unsigned n_commas = 0;
        if (line.length && (*line.text == '#' || memchr(line.text, '=', line.length)))
            continue;
        for (size_t i = 0; i < line.length; i++)
            n_commas += line.text[i] == ',';
        if (n_commas >= LEAST_COMMAS)
            return true;
    }
    return false;
}

/* ---- lists ---- */

static unsigned word_number(struct slice word, const char *const *words, unsigned n)
{
    unsigned i = 0;
    while (i < n && (strlen(words[i]) != word.length || strncasecmp(words[i], word.text, word.length) != 0))
        i++;
    return i;
}

static bool list_fail(struct nccl_list *list, struct slice where, const char *what)
{
    if (!list->wrong.length) {
        list->wrong = where;
        list->what = what;
    }
    return false;
}

/* Reads one list, perhaps with '^' before it, into the collectives from `first` to before `end`. */
static bool read_elements(struct nccl_list *list, struct slice text, unsigned first, unsigned end)
{
    const bool is_exclusive = text.length && *text.text == '^';
    if (is_exclusive)
        text = (struct slice){text.text + 1, text.length - 1};
    for (unsigned i = first; i < end; i++)
        list->selected[i] = is_exclusive ? (1u << list->n_words) - 1 : 0;
    while (text.length) {
        const struct slice word = slice_take_until(&text, ',');
        const unsigned number = word_number(word, list->words, list->n_words);
        if (word.length == 0)
            continue;
        if (number == list->n_words)
            return list_fail(list, word, list->noun);
        for (unsigned i = first; i < end; i++)
            list->selected[i] =
                is_exclusive ? list->selected[i] & ~(1u << number) : list->selected[i] | 1u << number;
    }
    return true;
}

static void read_list(struct nccl_list *list)
{
    struct slice rest = list->by->value;
    for (bool is_first = true; rest.length; is_first = false) {
        struct slice elements = slice_take_until(&rest, ';');
        struct slice prefix = {0};
        unsigned first = 0, end = NCCL_N_COLLECTIVES;
        if (elements.length && memchr(elements.text, ':', elements.length)) {
            prefix = slice_take_until(&elements, ':');
            first = word_number(prefix, nccl_collective_names, NCCL_N_COLLECTIVES);
            end = first + 1;
        }
        if (first == NCCL_N_COLLECTIVES)
            list_fail(list, prefix, "collective");
        else if (!is_first && !prefix.length)
            list_fail(list, elements.length ? elements : list->by->value, NULL);
        else if (read_elements(list, elements, first, end))
            continue;
        return;
    }
}

static void list_open(struct nccl_list *list, const struct table *table, const char *name, const char *noun,
                      const char *const *words, unsigned n_words)
{
    const struct setting *by = settings_acting(table->settings, table->loader->dialect, slice_of(name));
    *list = (struct nccl_list){.by = by && !by->is_computed && by->value.length ? by : NULL,
                               .noun = noun,
                               .words = words,
                               .n_words = n_words};
    for (unsigned i = 0; i < NCCL_N_COLLECTIVES; i++)
        list->selected[i] = (1u << n_words) - 1;
    if (list->by)
        read_list(list);
}

struct table *nccl_read_settings(const struct table_loader *loader, const struct settings *settings,
                                 struct arena *arena, struct diagnostics *diagnostics)
{
    struct nccl_table *table = arena_alloc(arena, 1, sizeof *table);
    struct nccl_forced *of = arena_alloc(arena, 1, sizeof *of);
    *table =
        (struct nccl_table){.table = {.loader = loader, .source = settings->source, .settings = settings},
                            .version = loader->version,
                            .forced = of};
    list_open(&of->algorithms, &table->table, "NCCL_ALGO", "algorithm", algorithm_words, NCCL_N_ALGORITHMS);
    list_open(&of->protocols, &table->table, "NCCL_PROTO", "protocol", protocol_words, NCCL_N_PROTOCOLS);
    of->file = settings_acting(settings, loader->dialect, slice_of("NCCL_TUNER_CONFIG_FILE"));
    const struct source *file = of->file && !of->file->is_computed
                                    ? table_named_file(settings->source, of->file->value, arena)
                                    : NULL;
    of->rule.line = of->algorithms.by ? of->algorithms.by->line : 0;
    if (file)
        of->rows = nccl_read(loader, file, arena, diagnostics);
    if (table->version->model)
        table->system = nccl_system_read(settings, loader->dialect, arena, diagnostics);
    return table->version->model && !table->system ? NULL : &table->table;
}

/* ---- pick ---- */

/* Returns the algorithms of the collective that are selected, a bit each. */
static unsigned selected_algorithms(const struct nccl_forced *of, uint32_t collective)
{
    unsigned found = 0;
    for (unsigned i = 0; i < NCCL_N_ALGORITHMS; i++)
        if (of->algorithms.selected[collective] >> i & 1 && nccl_can_act(collective, (enum nccl_algorithm)i))
            found |= 1u << i;
    return found;
}

static bool is_single(unsigned bits)
{
    return bits && !(bits & (bits - 1));
}

static unsigned first_bit(unsigned bits)
{
    unsigned i = 0;
    while (!(bits >> i & 1))
        i++;
    return i;
}

bool nccl_is_selected(const struct nccl_forced *of, uint32_t collective, enum nccl_algorithm algorithm,
                      enum nccl_protocol protocol)
{
    return of->algorithms.selected[collective] >> algorithm & 1 &&
           of->protocols.selected[collective] >> protocol & 1;
}

struct table_range nccl_choose_selected(const struct nccl_forced *of, uint32_t collective)
{
    const unsigned algorithms = selected_algorithms(of, collective);
    const unsigned protocols = of->protocols.selected[collective];
    struct table_range range = {.algorithm = "default",
                                .why = "no variable selects for it: the library chooses"};
    if (of->algorithms.wrong.length || of->protocols.wrong.length) {
        range.fails = "ncclInvalidUsage: a variable has a word that NCCL 2.24 and later refuse";
        return range;
    }
    if (!algorithms || !protocols) {
        range.algorithm = "none";
        range.fails = "nothing that is selected is for this collective (before NCCL 2.24 ring is)";
    } else if (is_single(algorithms) && of->algorithms.by) {
        range.algorithm = nccl_algorithm_names[first_bit(algorithms)];
    }
    if (is_single(protocols))
        range.protocol = nccl_protocol_names[first_bit(protocols)];
    if (of->algorithms.by || of->protocols.by)
        range.why = "what NCCL_ALGO and NCCL_PROTO select, of which the library chooses";
    range.rule = of->algorithms.by ? &of->rule : NULL;
    return range;
}

/* ---- lint ---- */

static void lint_list(const struct settings *settings, const struct nccl_list *list,
                      struct diagnostics *findings)
{
    static const char help[] =
        "NCCL 2.24 and later refuse every communicator; releases before ignore the word";
    if (!list->by || !list->wrong.length)
        return;
    const struct slice word = list->wrong;
    const struct position at = settings_position(settings, word);
    const int length = (int)(word.length < 60 ? word.length : 60);
    if (!list->what) {
        report(findings, CODE_B010, at, "'%.*s' has no collective before it, and is not the first list",
               length, word.text)
            ->help = help;
        return;
    }
    const bool is_collective = strcmp(list->what, "collective") == 0;
    const char *near = is_collective
                           ? nearest(word.text, word.length, nccl_collective_names, NCCL_N_COLLECTIVES)
                           : nearest(word.text, word.length, list->words, list->n_words);
    report(findings, CODE_B010, at, "NCCL has no %s '%.*s'", list->what, length, word.text)->help =
        near ? diagnostics_text(findings, "did you mean '%s'? %s", near, help) : help;
}

/* Reports collectives for which nothing that is selected exists. */
static void lint_empty(const struct settings *settings, const struct nccl_forced *of,
                       struct diagnostics *findings)
{
    const char *names = NULL;
    for (uint32_t i = 0; i < NCCL_N_COLLECTIVES; i++)
        if (!selected_algorithms(of, i))
            names = names ? diagnostics_text(findings, "%s, %s", names, nccl_collective_names[i])
                          : nccl_collective_names[i];
    if (names && of->algorithms.by && !of->algorithms.wrong.length)
        report(findings, CODE_B012, settings_position(settings, of->algorithms.by->value),
               "none of these is an algorithm of %s: before NCCL 2.24 ring runs in its place, later the call "
               "fails",
               names)
            ->help = "select for one collective, as in 'allreduce:tree', or take ring into the list";
}

void nccl_lint_settings(const struct nccl_table *of, struct diagnostics *findings)
{
    const struct settings *settings = of->table.settings;
    const struct nccl_forced *forced = of->forced;
    lint_list(settings, &forced->algorithms, findings);
    lint_list(settings, &forced->protocols, findings);
    lint_empty(settings, forced, findings);
    if (forced->file && !forced->rows)
        report(findings, CODE_B041, settings_position(settings, forced->file->value),
               "the table is not here: it is not judged");
    if (forced->rows)
        nccl_lint(forced->rows, findings);
}
