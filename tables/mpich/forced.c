/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads variables that force algorithms, and judges them; see forced.h. The names of 4.0, the order of the
 * prefixes and the outcome of values that are wrong were seen with 4.0.2.
 */
#include "tables/mpich/forced.h"

#include "base/codes.h"
#include "base/suggest.h"
#include "tables/rules/plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const char *const prefixes[] = {"MPICH_", "MPIR_PARAM_", "MPIR_CVAR_"}; /* the last wins */
enum { N_PREFIXES = sizeof prefixes / sizeof *prefixes, N_FORMS = SETTING_GMCA + 1 };

static const char intra[] = "_INTRA_ALGORITHM", inter[] = "_INTER_ALGORITHM",
                  posix[] = "_POSIX_INTRA_ALGORITHM", ofi[] = "_OFI_INTRA_ALGORITHM",
                  composition[] = "_COMPOSITION";

/* Variables that name files, in pairs with the layer of what is in them. */
static const struct {
    const char *key;
    enum mpich_layer layer;
} files[MPICH_N_FILES] = {
    [MPICH_FILE] = {"COLL_SELECTION_TUNING_JSON_FILE", MPICH_OWN},
    [MPICH_FILE_CH4] = {"CH4_COLL_SELECTION_TUNING_JSON_FILE", MPICH_CH4},
    [MPICH_FILE_CH4_GPU] = {"CH4_COLL_SELECTION_TUNING_JSON_FILE_GPU", MPICH_CH4},
    [MPICH_FILE_POSIX] = {"CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE", MPICH_POSIX},
    [MPICH_FILE_POSIX_GPU] = {"CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE_GPU", MPICH_POSIX}};

/* The words that variables of the device take, by what stands before _INTRA_ALGORITHM. */
static const struct {
    const char *key;
    unsigned since;
    const char *words[5];
} device_words[] = {{"BCAST_POSIX", 42, {"auto", "mpir", "release_gather", "ipc_read"}},
                    {"BCAST_POSIX", 40, {"auto", "mpir", "release_gather"}},
                    {"REDUCE_POSIX", 40, {"auto", "mpir", "release_gather"}},
                    {"ALLREDUCE_POSIX", 40, {"auto", "mpir", "release_gather"}},
                    {"BARRIER_POSIX", 40, {"auto", "mpir", "release_gather"}},
                    {"IBCAST_POSIX", 41, {"auto", "mpir", "release_gather"}},
                    {"IREDUCE_POSIX", 41, {"auto", "mpir", "release_gather"}},
                    {"ALLTOALL_POSIX", 42, {"mpir", "ipc_read"}},
                    {"ALLGATHER_POSIX", 43, {"mpir", "ipc_read"}},
                    {"ALLGATHERV_POSIX", 43, {"mpir", "ipc_read"}},
                    {"BCAST_OFI", 42, {"auto", "mpir", "trigger_tree_tagged", "trigger_tree_rma"}}};
enum { N_DEVICE_WORDS = sizeof device_words / sizeof *device_words };

static bool slice_ends(struct slice slice, const char *end)
{
    const size_t length = strlen(end);
    return slice.length > length && memcmp(slice.text + slice.length - length, end, length) == 0;
}

static unsigned prefix_of(const struct setting *setting)
{
    unsigned i = 0;
    while (i < N_PREFIXES && !slice_starts(setting->name, prefixes[i]))
        i++;
    return i;
}

static struct slice mpich_key(const struct setting *setting)
{
    const unsigned prefix = prefix_of(setting);
    if (prefix == N_PREFIXES)
        return (struct slice){0};
    const size_t length = strlen(prefixes[prefix]);
    const struct slice key = {setting->name.text + length, setting->name.length - length};
    bool is_known = slice_ends(key, intra) || slice_ends(key, inter) || slice_ends(key, composition) ||
                    slice_is(key, "COLLECTIVE_FALLBACK") || slice_is(key, "DEVICE_COLLECTIVES");
    for (size_t i = 0; i < MPICH_N_FILES; i++)
        is_known |= slice_is(key, files[i].key);
    return is_known ? key : (struct slice){0};
}

static unsigned mpich_order(const struct setting *setting)
{
    return prefix_of(setting) * N_FORMS + (unsigned)settings_same_order(setting->form);
}

/* Returns the collective of a key that ends so; MPICH_N_COLLECTIVES if there is none. */
static uint32_t collective_before(struct slice key, const char *end)
{
    const size_t length = slice_ends(key, end) ? key.length - strlen(end) : 0;
    uint32_t i = 0;
    while (i < MPICH_N_COLLECTIVES && (strlen(mpich_collective_names[i]) != length ||
                                       strncasecmp(mpich_collective_names[i], key.text, length) != 0))
        i++;
    return i;
}

/* Returns the collective of a key that forces an algorithm; MPICH_N_COLLECTIVES if it does not. */
static uint32_t forced_collective(struct slice key)
{
    return collective_before(key, slice_ends(key, inter) ? inter : intra);
}

/* Returns the end of the key behind the collective; NULL if it forces nothing. */
static const char *end_of(struct slice key)
{
    return slice_ends(key, posix)         ? posix
           : slice_ends(key, ofi)         ? ofi
           : slice_ends(key, intra)       ? intra
           : slice_ends(key, inter)       ? inter
           : slice_ends(key, composition) ? composition
                                          : NULL;
}

static const char *mpich_calls(const struct setting *setting, struct arena *arena)
{
    (void)arena;
    const struct slice key = mpich_key(setting);
    const char *end = end_of(key);
    const uint32_t collective = end ? collective_before(key, end) : MPICH_N_COLLECTIVES;
    return collective < MPICH_N_COLLECTIVES ? mpich_collective_names[collective] : "every collective";
}

/* Names without the prefix; those of algorithms are the collectives' in capitals. */
static size_t mpich_variables(const char **names, struct arena *arena)
{
    size_t n = 0;
    for (size_t i = 0; i < MPICH_N_FILES; i++)
        names[n++] = files[i].key;
    names[n++] = "COLLECTIVE_FALLBACK";
    names[n++] = "DEVICE_COLLECTIVES";
    for (size_t i = 0; i < N_DEVICE_WORDS; i++)
        names[n++] = arena_printf(arena, "%s%s", device_words[i].key, intra);
    for (size_t i = 0; i < 2 * MPICH_N_COLLECTIVES; i++) {
        char *name = arena_printf(arena, "%s%s", mpich_collective_names[i / 2], i % 2 ? inter : intra);
        names[n++] = name;
        for (; *name; name++)
            *name = (char)toupper((unsigned char)*name);
    }
    return n;
}

const struct settings_dialect mpich_dialect = {
    .example = "'export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling'",
    .key = mpich_key,
    .order = mpich_order,
    .order_words =
        "MPIR_CVAR_ comes before MPIR_PARAM_, that before MPICH_; options of the launcher before the environment",
    .calls = mpich_calls,
    .names = mpich_variables,
    .prefix = "MPIR_CVAR_",
    .library = "MPICH"};

static bool is_blocking(uint32_t collective)
{
    return mpich_collective_names[collective][0] != 'i';
}

/* True if the value leaves the decision to MPICH. */
static bool is_auto(uint32_t collective, struct slice value)
{
    return slice_is(value, "auto") ||
           (!is_blocking(collective) && (slice_is(value, "sched_auto") || slice_is(value, "tsp_auto")));
}

static bool is_of_kind(const struct mpich_algorithm *algorithm, struct slice key)
{
    return strcmp(algorithm->kind, "allcomm") == 0 ||
           strcmp(algorithm->kind, slice_ends(key, intra) ? "intra" : "inter") == 0;
}

static const struct mpich_algorithm *forced_named(const struct mpich_version *version, uint32_t collective,
                                                  struct slice key, struct slice name)
{
    for (size_t i = 0; i < mpich_n_algorithms; i++) {
        const struct mpich_algorithm *algorithm = &mpich_algorithms[i];
        if (algorithm->collective == collective && mpich_has(version, algorithm) &&
            is_of_kind(algorithm, key) && slice_is(name, algorithm->name))
            return algorithm;
    }
    return NULL;
}

/* Returns the composition that the variable forces; NULL if the device decides by its table. */
static const struct mpich_algorithm *composed_of(const struct mpich_version *version, uint32_t collective,
                                                 struct slice value)
{
    return value.length == 1 && *value.text > '0' && *value.text <= '9'
               ? mpich_composition(version, collective, (unsigned)(*value.text - '0'))
               : NULL;
}

/* Returns the words that the variable of the device takes, with NULL behind the last; NULL if it is none. */
static const char *const *device_words_of(const struct mpich_version *version, struct slice key)
{
    for (size_t i = 0; i < N_DEVICE_WORDS; i++) {
        const size_t length = strlen(device_words[i].key);
        if (slice_starts(key, device_words[i].key) && key.length == length + strlen(intra) &&
            slice_ends(key, intra) && version->number >= device_words[i].since)
            return device_words[i].words;
    }
    return NULL;
}

static bool is_among(const char *const *words, struct slice value)
{
    while (*words && !slice_is(value, *words))
        words++;
    return *words;
}

/* True if MPI_Init refuses the value. That is not known of ibarrier, whose variable has names of its own. */
static bool mpich_is_refused(const struct mpich_version *version, uint32_t collective, struct slice key,
                             struct slice value)
{
    return collective != MPICH_ibarrier && !is_auto(collective, value) &&
           !forced_named(version, collective, key, value);
}

static const struct setting *mpich_acting(const struct settings *settings, const char *key)
{
    const struct setting *setting = settings_acting(settings, &mpich_dialect, slice_of(key));
    return setting && !setting->is_computed ? setting : NULL;
}

static void forced_read(struct mpich_settings *of, const struct mpich_version *version)
{
    for (size_t i = 0; i < of->settings->n; i++) {
        const struct setting *setting = &of->settings->items[i];
        const struct slice key = settings_key(&mpich_dialect, setting);
        const uint32_t collective = forced_collective(key), composed = collective_before(key, composition);
        if (setting->is_computed || settings_acting(of->settings, &mpich_dialect, key) != setting)
            continue;
        if (composed < MPICH_N_COLLECTIVES)
            of->composed[composed] = (struct mpich_forced){setting,
                                                           composed_of(version, composed, setting->value),
                                                           {.collective = composed, .line = setting->line}};
        const char *const *words = device_words_of(version, key);
        if (words && !of->refused && !is_among(words, setting->value))
            of->refused = setting;
        if (collective == MPICH_N_COLLECTIVES)
            continue;
        if (!of->refused && mpich_is_refused(version, collective, key, setting->value))
            of->refused = setting;
        if (slice_ends(key, intra))
            of->of[collective] = (struct mpich_forced){setting,
                                                       forced_named(version, collective, key, setting->value),
                                                       {.collective = collective, .line = setting->line}};
    }
}

/* Reads the files that variables name and that are here. */
static void forced_read_files(struct mpich_settings *of, const struct table_loader *loader,
                              struct arena *arena, struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < MPICH_N_FILES; i++) {
        const struct setting *setting = mpich_acting(of->settings, files[i].key);
        of->named[i] = setting && setting->value.length ? setting : NULL;
        const struct source *file =
            of->named[i] ? table_named_file(of->settings->source, setting->value, arena) : NULL;
        if (file)
            of->files[i] = mpich_read_layer(loader, file, &files[i].layer, arena, diagnostics);
    }
    of->base = of->named[MPICH_FILE] ? of->files[MPICH_FILE] : loader->writer->none(loader, arena);
}

bool mpich_is_file(const struct table_loader *loader, const struct source *source,
                   const struct settings *settings)
{
    const char first = *source_start(source);
    return !settings_have(settings, loader->dialect) && first && strchr("{[/\"'", first);
}

struct table *mpich_read_settings(const struct table_loader *loader, const struct settings *settings,
                                  struct arena *arena, struct diagnostics *diagnostics)
{
    struct mpich_table *table = arena_alloc(arena, 1, sizeof *table);
    struct mpich_settings *of = arena_alloc(arena, 1, sizeof *of);
    *table =
        (struct mpich_table){.table = {.loader = loader, .source = settings->source, .settings = settings},
                             .version = loader->version,
                             .forced = of};
    of->settings = settings;
    const struct setting *fallback = mpich_acting(settings, "COLLECTIVE_FALLBACK"),
                         *device = mpich_acting(settings, "DEVICE_COLLECTIVES");
    of->fails_otherwise = fallback && slice_is(fallback->value, "error");
    of->is_without_device = device && (slice_is(device->value, "none") || slice_is(device->value, "0"));
    forced_read_files(of, loader, arena, diagnostics);
    forced_read(of, table->version);
    return &table->table;
}

/* True if MPICH does not look whether the call is one for the algorithm, and ends the program (4.0.2). */
static bool is_unguarded(const struct mpich_algorithm *algorithm)
{
    return algorithm->collective == MPICH_reduce_scatter && strcmp(algorithm->name, "noncommutative") == 0;
}

/* ---- pick ---- */

static struct table_range mpich_choose_base(const struct mpich_settings *of, const struct table_query *query,
                                            bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    if (!of->base)
        return (struct table_range){.algorithm = "default", .why = "the selection file is not here"};
    struct table_range range = mpich_choose(of->base, query, is_elsewhere, bytes, arena);
    if (of->named[MPICH_FILE])
        range.why = arena_printf(arena, "%s, of '%s'", range.why, of->base->source->path);
    else
        range.rule = NULL; /* no line of a file decides */
    return range;
}

/* Returns what the device does with the call, as far as settings say it, with algorithm NULL where these do
 * not or the device hands the call on undivided. */
static struct table_range choose_composed(const struct mpich_settings *of, const struct table_query *query,
                                          bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    const struct mpich_forced *composed = &of->composed[query->collective];
    const struct table *file = of->files[MPICH_FILE_CH4];
    if (of->is_without_device)
        return (struct table_range){0};
    if (composed->algorithm && !mpich_undefined_for(composed->algorithm, query, bytes))
        return (struct table_range){
            .algorithm = composed->algorithm->parameters & MPICH_WHOLE ? NULL : composed->algorithm->name,
            .rule = &composed->rule,
            .why = arena_printf(arena, "forced by %.*s", (int)composed->by->name.length,
                                composed->by->name.text)};
    if (!file || composed->algorithm)
        return (struct table_range){0};
    struct table_range range = mpich_choose(file, query, is_elsewhere, bytes, arena);
    range.why = arena_printf(arena, "%s, of '%s'", range.why, file->source->path);
    if (!range.fails && mpich_hands_on(file, query, bytes))
        range.algorithm = NULL;
    return range;
}

struct table_range mpich_choose_forced(const struct mpich_settings *of, const struct table_query *query,
                                       bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    const struct mpich_forced *forced = &of->of[query->collective];
    if (of->refused)
        return (struct table_range){
            .algorithm = "none",
            .why = "a variable has a value that is refused",
            .fails = arena_printf(arena, "MPI_Init ends the program: line %u", of->refused->line)};
    const struct table_range composed = choose_composed(of, query, is_elsewhere, bytes, arena);
    if (composed.algorithm)
        return composed;
    struct table_range own = mpich_choose_base(of, query, is_elsewhere, bytes, arena);
    if (!forced->algorithm)
        return own;
    const char *by =
        arena_printf(arena, "forced by %.*s", (int)forced->by->name.length, forced->by->name.text);
    const bool is_hidden = forced->algorithm->needs & NEEDS_HIERARCHY && !of->is_without_device;
    struct table_range range = {.algorithm = forced->algorithm->name, .rule = &forced->rule, .why = by};
    const char *undefined = mpich_undefined_for(forced->algorithm, query, bytes);
    if (undefined && is_unguarded(forced->algorithm)) {
        range.fails = undefined;
        return range;
    }
    if (!undefined) {
        if (is_hidden)
            range.why = arena_printf(arena, "%s, with MPIR_CVAR_DEVICE_COLLECTIVES=none alone", by);
        return range;
    }
    if (of->fails_otherwise)
        range.fails = "it is not made for this call, and MPIR_CVAR_COLLECTIVE_FALLBACK is 'error'";
    if (of->fails_otherwise)
        return range;
    own.why = arena_printf(arena, "%s is not made for this call: %s", forced->algorithm->name, own.why);
    return own;
}

/* ---- lint ---- */

static const char *nearest_algorithm(const struct mpich_version *version, uint32_t collective,
                                     struct slice key, struct slice value)
{
    enum { MOST = 64 };
    const char *names[MOST] = {"auto"};
    size_t n = 1;
    for (size_t i = 0; i < mpich_n_algorithms && n < MOST; i++)
        if (mpich_algorithms[i].collective == collective && mpich_has(version, &mpich_algorithms[i]) &&
            is_of_kind(&mpich_algorithms[i], key))
            names[n++] = mpich_algorithms[i].name;
    return nearest(value.text, value.length, names, n);
}

/* Returns "auto, nb, smp": the names that the version takes. */
static const char *mpich_names_of(const struct mpich_version *version, uint32_t collective, struct slice key,
                                  struct diagnostics *findings)
{
    const char *list = "auto";
    for (size_t i = 0; i < mpich_n_algorithms; i++)
        if (mpich_algorithms[i].collective == collective && mpich_has(version, &mpich_algorithms[i]) &&
            is_of_kind(&mpich_algorithms[i], key))
            list = diagnostics_text(findings, "%s, %s", list, mpich_algorithms[i].name);
    return list;
}

static void lint_forced(const struct mpich_table *of, const struct setting *setting, struct slice key,
                        struct diagnostics *findings)
{
    const struct settings *settings = of->forced->settings;
    const uint32_t collective = forced_collective(key);
    const struct slice value = setting->value;
    if (collective == MPICH_N_COLLECTIVES) {
        const char *near =
            nearest(key.text, key.length - strlen(intra), mpich_collective_names, MPICH_N_COLLECTIVES);
        report(findings, CODE_B029, settings_position(settings, setting->name),
               "%s has no such variable: '%.*s' is no collective", of->version->title,
               (int)(key.length - strlen(intra)), key.text)
            ->help = did_you_mean(&findings->arena, near, NULL);
        return;
    }
    if (!mpich_is_refused(of->version, collective, key, value))
        return;
    const char *near = nearest_algorithm(of->version, collective, key, value);
    report(findings, CODE_B021, settings_position(settings, value),
           "MPI_Init ends the program: %s of %s has no algorithm '%.*s'", mpich_collective_names[collective],
           of->version->title, (int)(value.length < 60 ? value.length : 60), value.text)
        ->help = did_you_mean(
        &findings->arena, near,
        diagnostics_text(findings, "it takes %s", mpich_names_of(of->version, collective, key, findings)));
}

static struct diagnostic *report_no_variable(const struct mpich_table *of, const struct setting *setting,
                                             struct diagnostics *findings)
{
    return report(findings, CODE_B029, settings_position(of->forced->settings, setting->name),
                  "%s has no such variable", of->version->title);
}

static void lint_composition(const struct mpich_table *of, const struct setting *setting, struct slice key,
                             struct diagnostics *findings)
{
    const uint32_t collective = collective_before(key, composition);
    unsigned n = 0;
    while (collective < MPICH_N_COLLECTIVES && mpich_composition(of->version, collective, n + 1))
        n++;
    if (n < 2) /* the others have one way, and no variable */
        report_no_variable(of, setting, findings);
    else if (!composed_of(of->version, collective, setting->value) && !slice_is(setting->value, "0"))
        report(findings, CODE_B009, settings_position(of->forced->settings, setting->value),
               "%s has the compositions 1 to %u: with '%.*s' the device decides by its own table",
               mpich_collective_names[collective], n, (int)setting->value.length, setting->value.text);
}

static void lint_device_word(const struct mpich_table *of, const struct setting *setting, struct slice key,
                             struct diagnostics *findings)
{
    const char *const *words = device_words_of(of->version, key);
    const struct slice value = setting->value;
    if (!words) {
        report_no_variable(of, setting, findings);
        return;
    }
    if (is_among(words, value))
        return;
    size_t n = 0;
    const char *list = words[0];
    while (words[++n])
        list = diagnostics_text(findings, "%s, %s", list, words[n]);
    report(findings, CODE_B021, settings_position(of->forced->settings, value),
           "MPI_Init ends the program: the variable takes no '%.*s'", (int)value.length, value.text)
        ->help = did_you_mean(&findings->arena, nearest(value.text, value.length, words, n),
                              diagnostics_text(findings, "it takes %s", list));
}

/* Reports what ends programs, and what MPICH never applies: the device's own choice for several ranks on a
 * machine comes first. */
static void lint_applied(const struct mpich_table *of, struct diagnostics *findings)
{
    const struct mpich_settings *forced = of->forced;
    for (uint32_t i = 0; i < MPICH_N_COLLECTIVES; i++) {
        const struct mpich_algorithm *algorithm = forced->of[i].algorithm;
        if (algorithm && is_unguarded(algorithm))
            report(findings, CODE_B011, settings_position(forced->settings, forced->of[i].by->value),
                   "%s by %s ends the program where ranks are no power of two", mpich_collective_names[i],
                   algorithm->name)
                ->help = "other algorithms give way to MPICH's own choice in such calls, this one does not";
        if (algorithm && algorithm->needs & NEEDS_HIERARCHY && !forced->is_without_device)
            report(findings, CODE_B009, settings_position(forced->settings, forced->of[i].by->value),
                   "%s by %s is never applied: the device divides the call before this variable is looked at",
                   mpich_collective_names[i], algorithm->name)
                ->help = "it is with MPIR_CVAR_DEVICE_COLLECTIVES=none";
    }
}

/* Returns the first row of MPICH's own file for a collective; NULL: there is none. */
static const struct mpich_node *rows_of(const struct mpich_settings *forced, uint32_t collective)
{
    const struct table *file = forced->files[MPICH_FILE];
    const struct mpich_table *tree = file && !file->ignored ? mpich_table_of(file) : NULL;
    for (size_t i = 0; tree && i < tree->n_all; i++)
        if (tree->all[i]->test == TEST_COLLECTIVE && (uint32_t)tree->all[i]->value == collective)
            return tree->all[i];
    return NULL;
}

/* Reports rows of MPICH's own file that come only where what is forced is not made for a call. */
static void lint_hidden_rows(const struct mpich_table *of, struct diagnostics *findings)
{
    const struct mpich_settings *forced = of->forced;
    for (uint32_t i = 0; i < MPICH_N_COLLECTIVES; i++) {
        const struct mpich_forced *one = &forced->of[i];
        const struct mpich_node *rows = one->algorithm ? rows_of(forced, i) : NULL;
        if (!rows || (one->algorithm->needs & NEEDS_HIERARCHY && !forced->is_without_device))
            continue;
        report(findings, CODE_B009, settings_position(forced->settings, one->by->value),
               "the selection file has rows for %s (line %" PRIu32 "), and this forces %s before them",
               mpich_collective_names[i], rows->json->line, one->algorithm->name)
            ->help = "take the variable away, or the rows: they act only on calls that it is not made for";
    }
}

void mpich_lint_settings(const struct mpich_table *of, struct diagnostics *findings)
{
    const struct mpich_settings *forced = of->forced;
    for (size_t i = 0; i < forced->settings->n; i++) {
        const struct setting *setting = &forced->settings->items[i];
        const struct slice key = settings_key(&mpich_dialect, setting);
        const char *end = end_of(key);
        if (end && !setting->is_computed)
            (end == composition            ? lint_composition
             : end == posix || end == ofi ? lint_device_word
                                           : lint_forced)(of, setting, key, findings);
    }
    lint_applied(of, findings);
    lint_hidden_rows(of, findings);
    for (size_t i = 0; i < MPICH_N_FILES; i++) {
        if (forced->named[i] && !forced->files[i])
            report(findings, strchr("/~$", *forced->named[i]->value.text) ? CODE_B041 : CODE_B038,
                   settings_position(forced->settings, forced->named[i]->value),
                   strchr("/~$", *forced->named[i]->value.text) ? "the selection file is not here: it is not judged"
                                                                : "the selection file is not beside this one")
                ->help = "a program that does not find it ends in MPI_Init";
        if (forced->files[i])
            mpich_lint(forced->files[i], findings);
    }
}
