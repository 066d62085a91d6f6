/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads variables that force algorithms, and judges them; see forced.h. The names of 4.0, the order of the
 * prefixes and the outcome of values that are wrong were seen with 4.0.2.
 */
#include "tables/mpich/forced.h"

#include "base/codes.h"
#include "base/suggest.h"
#include "tables/rules/plan.h"

#include <string.h>
#include <strings.h>

static const char *const prefixes[] = {"MPICH_", "MPIR_PARAM_", "MPIR_CVAR_"}; /* the last wins */
enum { N_PREFIXES = sizeof prefixes / sizeof *prefixes, N_FORMS = SETTING_GMCA + 1 };

static const char intra[] = "_INTRA_ALGORITHM", inter[] = "_INTER_ALGORITHM";

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
    const bool is_known = slice_ends(key, intra) || slice_ends(key, inter) ||
                          slice_is(key, "COLL_SELECTION_TUNING_JSON_FILE") ||
                          slice_is(key, "COLLECTIVE_FALLBACK") || slice_is(key, "DEVICE_COLLECTIVES");
    return is_known ? key : (struct slice){0};
}

static unsigned mpich_order(const struct setting *setting)
{
    return prefix_of(setting) * N_FORMS + (unsigned)settings_same_order(setting->form);
}

/* Returns the collective of a key that forces an algorithm; MPICH_N_COLLECTIVES if it does not. */
static uint32_t forced_collective(struct slice key)
{
    const bool is_forcing = slice_ends(key, intra) || slice_ends(key, inter);
    const size_t length = is_forcing ? key.length - strlen(intra) : 0;
    uint32_t i = 0;
    while (i < MPICH_N_COLLECTIVES && (strlen(mpich_collective_names[i]) != length ||
                                       strncasecmp(mpich_collective_names[i], key.text, length) != 0))
        i++;
    return i;
}

static const char *mpich_calls(const struct setting *setting, struct arena *arena)
{
    (void)arena;
    const struct slice key = mpich_key(setting);
    const uint32_t collective = forced_collective(key);
    return collective < MPICH_N_COLLECTIVES ? mpich_collective_names[collective] : "every collective";
}

const struct settings_dialect mpich_dialect = {
    "'export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling'",
    mpich_key,
    mpich_order,
    "MPIR_CVAR_ comes before MPIR_PARAM_, that before MPICH_; options of the launcher before the environment",
    NULL,
    mpich_calls};

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
        const uint32_t collective = forced_collective(key);
        if (collective == MPICH_N_COLLECTIVES || setting->is_computed ||
            settings_acting(of->settings, &mpich_dialect, key) != setting)
            continue;
        if (!of->refused && mpich_is_refused(version, collective, key, setting->value))
            of->refused = setting;
        if (slice_ends(key, intra))
            of->of[collective] = (struct mpich_forced){setting,
                                                       forced_named(version, collective, key, setting->value),
                                                       {.collective = collective, .line = setting->line}};
    }
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
    of->file = mpich_acting(settings, "COLL_SELECTION_TUNING_JSON_FILE");
    const struct setting *fallback = mpich_acting(settings, "COLLECTIVE_FALLBACK"),
                         *device = mpich_acting(settings, "DEVICE_COLLECTIVES");
    of->fails_otherwise = fallback && slice_is(fallback->value, "error");
    of->is_without_device = device && (slice_is(device->value, "none") || slice_is(device->value, "0"));
    const struct source *file = of->file ? table_named_file(settings->source, of->file->value, arena) : NULL;
    of->is_of_file = of->file && of->file->value.length;
    if (file)
        of->base = mpich_read(loader, file, arena, diagnostics);
    else if (!of->is_of_file)
        of->base = loader->writer->none(loader, arena);
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
    if (of->is_of_file)
        range.why = arena_printf(arena, "%s, of '%s'", range.why, of->base->source->path);
    else
        range.rule = NULL; /* no line of a file decides */
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

void mpich_lint_settings(const struct mpich_table *of, struct diagnostics *findings)
{
    const struct mpich_settings *forced = of->forced;
    for (size_t i = 0; i < forced->settings->n; i++) {
        const struct setting *setting = &forced->settings->items[i];
        const struct slice key = settings_key(&mpich_dialect, setting);
        if ((slice_ends(key, intra) || slice_ends(key, inter)) && !setting->is_computed)
            lint_forced(of, setting, key, findings);
    }
    lint_applied(of, findings);
    if (forced->is_of_file && !forced->base)
        report(findings, CODE_B041, settings_position(forced->settings, forced->file->value),
               "the selection file is not here: it is not judged")
            ->help = "a program that does not find it ends in MPI_Init";
    if (forced->is_of_file && forced->base)
        mpich_lint(forced->base, findings);
}
