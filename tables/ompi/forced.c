/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads parameters of coll/tuned; see forced.h. Which source wins, what a value may look like, and what an
 * unknown one does was seen with 4.1.4 (docs/tables.md).
 */
#include "tables/ompi/forced.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const ompi_parameter_names[N_OMPI_PARAMETERS] = {
    "algorithm", "algorithm_segmentsize", "algorithm_tree_fanout", "algorithm_chain_fanout",
    "algorithm_max_requests"};

static const char prefix[] = "coll_tuned_", in_environment[] = "OMPI_MCA_";

static struct slice slice_from(struct slice slice, size_t first)
{
    return (struct slice){slice.text + first, slice.length - first};
}

bool ompi_names_settings(struct slice name)
{
    static const char *const names[] = {"mca_base_envar_file_prefix", "mca_base_param_file_prefix",
                                        "mca_base_param_files"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(name, names[i]))
            return true;
    return false;
}

static bool is_misnamed(struct slice name)
{
    return slice_starts(name, "mca_coll_") || slice_is(name, "mca_coll");
}

struct slice ompi_parameter_name(const struct setting *setting)
{
    struct slice name = setting->name;
    const bool is_bare =
        setting->form == SETTING_LINE || setting->form == SETTING_MCA || setting->form == SETTING_GMCA;
    if (slice_starts(name, in_environment))
        name = slice_from(name, strlen(in_environment));
    else if (!is_bare)
        return (struct slice){0};
    return is_misnamed(name) ? slice_from(name, strlen("mca_")) : name;
}

const struct setting_fault *ompi_fault(const struct setting *setting)
{
    static const struct setting_fault with_prefix = {
        "in a parameter file Open MPI looks for names without OMPI_MCA_ before them",
        "take OMPI_MCA_ away; in the environment it is needed"},
                                      misnamed = {"names of parameters do not begin with mca_",
                                                  "take mca_ away"};
    const bool has_prefix = slice_starts(setting->name, in_environment);
    if (is_misnamed(has_prefix ? slice_from(setting->name, strlen(in_environment)) : setting->name))
        return &misnamed;
    /* With quotes it may be a file of something else, which sets the environment. */
    const bool is_quoted = setting->written.length && strchr("\"'", *setting->written.text);
    return has_prefix && setting->form == SETTING_LINE && setting->is_parameter && !is_quoted ? &with_prefix
                                                                                             : NULL;
}

bool ompi_refuses(const struct setting *first, const struct setting *again)
{
    return first->form >= SETTING_MCA && again->form == first->form && again->command == first->command &&
           first->is_behind == again->is_behind && slice_compare(first->name, again->name) == 0;
}

/* Environment variables have a prefix; on command lines and in parameter files there is none. */
static struct slice ompi_key(const struct setting *setting)
{
    const struct slice name = ompi_parameter_name(setting);
    const bool is_known = slice_starts(name, prefix) || slice_is(name, "coll") || ompi_names_settings(name);
    return is_known ? name : (struct slice){0};
}

/* Parameter files come last, and -x first: mpirun sets it in the environment of programs as it stands. */
static unsigned ompi_order(const struct setting *setting)
{
    switch (setting->form) {
    case SETTING_LINE: return slice_starts(setting->name, in_environment) ? 2 : 0;
    case SETTING_EXPORT: return 2;
    case SETTING_COMMAND: return 3;
    case SETTING_MCA: return 4;
    case SETTING_GMCA: return 5;
    case SETTING_OPTION: return 6;
    }
    return 0;
}

struct slice ompi_value(const struct setting *setting)
{
    if (setting->form != SETTING_LINE || slice_starts(setting->name, in_environment))
        return setting->value;
    struct slice value = setting->written;
    for (; value.length && (*value.text == ' ' || *value.text == '\t'); value.length--)
        value.text++;
    while (value.length && strchr(" \t", value.text[value.length - 1]))
        value.length--;
    return value;
}

static const char *ompi_calls(const struct setting *setting, struct arena *arena)
{
    uint32_t collective;
    enum ompi_parameter parameter;
    (void)arena;
    if (ompi_names_settings(ompi_key(setting)))
        return NULL;
    return ompi_parameter_of(ompi_key(setting), &collective, &parameter) ? ompi_collective_names[collective]
                                                                         : "every collective";
}

static const char *ompi_unread(const struct setting *setting)
{
    if (!ompi_names_settings(ompi_key(setting)) || setting->is_followed)
        return NULL;
    return slice_is(ompi_key(setting), "mca_base_param_file_prefix")
               ? "Open MPI 4.1 takes nothing of it for programs, seen with 4.1.4"
               : "a file is not here";
}

static bool ompi_same(const struct setting *a, const struct setting *b);

const struct settings_dialect ompi_dialect = {
    .example =
        "'coll_tuned_bcast_algorithm = 6' in mca-params.conf, 'export OMPI_MCA_coll_tuned_bcast_algorithm=6', or "
        "'mpirun --mca coll_tuned_bcast_algorithm 6'",
    .key = ompi_key,
    .order = ompi_order,
    .order_words =
        "Open MPI takes -x OMPI_MCA_... first, then --gmca, --mca, the environment, and parameter files last",
    .value = ompi_value,
    .calls = ompi_calls,
    .unread = ompi_unread,
    .same = ompi_same,
    .fault = ompi_fault,
    .refuses = ompi_refuses};

/* Reads what strtol reads with base 0. False unless that is the whole text. */
static bool forced_read_number(struct slice value, int64_t *number)
{
    char copy[32], *end;
    if (value.length == 0 || value.length >= sizeof copy)
        return false;
    memcpy(copy, value.text, value.length);
    copy[value.length] = '\0';
    *number = strtol(copy, &end, 0);
    return *end == '\0';
}

int64_t ompi_forced_number(const struct ompi_version *version, uint32_t collective, struct slice value)
{
    int64_t number = 0;
    const int64_t last = ompi_algorithm_last(version, collective);
    if (!value.length)
        return 0;
    if (forced_read_number(value, &number))
        return number >= 0 && number <= last ? number : -1;
    for (number = 0; number <= last; number++) {
        const char *name = number ? ompi_algorithm_find(version, collective, number)->name : "ignore";
        if (strlen(name) == value.length && strncasecmp(name, value.text, value.length) == 0)
            return number;
    }
    return -1;
}

/* Reads a size: digits, and perhaps a unit behind them. */
static uint64_t forced_read_size(struct slice value)
{
    static const char units[] = "kmgt";
    int64_t number = 0;
    size_t n = value.length && (*value.text == '-' || *value.text == '+');
    while (n < value.length && (text_is_digit(value.text[n]) || value.text[n] == 'x'))
        n++;
    if (!forced_read_number((struct slice){value.text, n}, &number) || number < 0 || number > INT32_MAX)
        return 0;
    const char *unit = n < value.length ? strchr(units, value.text[n] | 0x20) : NULL;
    const uint64_t size = (uint64_t)number << (unit && *unit ? 10 * (unit - units + 1) : 0);
    return size > INT32_MAX ? 0 : size;
}

static bool forced_read_bool(struct slice value)
{
    static const char *const words[] = {"true", "t", "yes", "y", "enabled"};
    int64_t number = 0;
    if (forced_read_number(value, &number))
        return number != 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is(value, words[i]))
            return true;
    return false;
}

bool ompi_has_parameter(uint32_t collective, enum ompi_parameter parameter)
{
    const bool is_without = collective == OMPI_alltoallv || collective == OMPI_barrier ||
                            collective == OMPI_exscan || collective == OMPI_scan;
    const bool has_requests =
        collective == OMPI_alltoall || collective == OMPI_reduce || collective == OMPI_scatter;
    if (ompi_collectives[collective].key == KEY_UNUSED)
        return false;
    switch (parameter) {
    case PARAMETER_ALGORITHM: return true;
    case PARAMETER_REQUESTS: return has_requests;
    case PARAMETER_CHAIN: return !is_without && collective != OMPI_reduce_scatter_block;
    case PARAMETER_SEGMENT:
    case PARAMETER_TREE: return !is_without;
    case N_OMPI_PARAMETERS: break;
    }
    return false;
}

bool ompi_parameter_of(struct slice key, uint32_t *collective, enum ompi_parameter *parameter)
{
    char name[96];
    for (uint32_t i = 0; i < OMPI_N_COLLECTIVES; i++)
        for (unsigned j = 0; j < N_OMPI_PARAMETERS; j++) {
            snprintf(name, sizeof name, "%s%s_%s", prefix, ompi_collective_names[i], ompi_parameter_names[j]);
            if (slice_is(key, name) && ompi_has_parameter(i, (enum ompi_parameter)j)) {
                *collective = i;
                *parameter = (enum ompi_parameter)j;
                return true;
            }
        }
    return false;
}

/* The newest version knows the names of all. */
static bool ompi_same(const struct setting *a, const struct setting *b)
{
    extern const struct table_loader ompi_6_loader;
    const struct slice key = ompi_key(a), one = ompi_value(a), other = ompi_value(b);
    uint32_t collective;
    enum ompi_parameter parameter;
    if (slice_is(key, "coll_tuned_use_dynamic_rules"))
        return forced_read_bool(one) == forced_read_bool(other);
    if (!ompi_parameter_of(key, &collective, &parameter))
        return false;
    if (parameter != PARAMETER_ALGORITHM)
        return forced_read_size(one) == forced_read_size(other);
    const int64_t number = ompi_forced_number(ompi_6_loader.version, collective, one);
    return number >= 0 && number == ompi_forced_number(ompi_6_loader.version, collective, other);
}

/* True if a list of components, perhaps of those that are not wanted, leaves one out. */
static bool leaves_out(struct slice list, const char *component)
{
    const bool is_exclusive = list.length && *list.text == '^';
    bool has = false;
    if (is_exclusive)
        list = slice_from(list, 1);
    else if (!list.length)
        return false; /* as if it were not set */
    while (list.length)
        has |= slice_is(slice_take_until(&list, ','), component);
    return has == is_exclusive;
}

/* Returns why MPI_Init ends every program with these components; NULL if it does not, as far as is known.
 * Calls that no other component answers are those of basic (alltoallw) and of libnbc (nonblocking ones). */
static const char *forced_ends_init(struct slice list, struct arena *arena)
{
    static const char *const needed[] = {"basic", "libnbc"};
    if (!list.length)
        return NULL;
    for (struct slice rest = list; *list.text != '^' && rest.length;) {
        const struct slice name = slice_take_until(&rest, ',');
        if (name.length && (*name.text == ' ' || name.text[name.length - 1] == ' '))
            return arena_printf(
                arena, "MPI_Init ends every program: there is no component '%.*s', with a blank",
                (int)name.length, name.text);
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (leaves_out(list, needed[i]))
            return arena_printf(arena,
                                "MPI_Init ends every program: without %s no component answers %s", needed[i],
                                i ? "nonblocking calls" : "alltoallw");
    return NULL;
}

/* Returns the setting that one mpirun has twice, and so starts nothing; NULL if there is none. */
static const struct setting *forced_again(const struct settings *settings)
{
    for (size_t i = 0; i < settings->n; i++)
        for (size_t j = i + 1; j < settings->n; j++)
            if (ompi_key(&settings->items[i]).length &&
                ompi_refuses(&settings->items[i], &settings->items[j]))
                return &settings->items[j];
    return NULL;
}

/* Notes why no program runs with the settings, if it is so. */
static void forced_read_end(struct ompi_table *table, struct ompi_settings *of, struct arena *arena)
{
    const struct setting *again = forced_again(of->settings), *at = of->components;
    of->ends_init = at ? forced_ends_init(ompi_value(at), arena) : NULL;
    const char *why = of->ends_init;
    if (again)
        why = arena_printf(arena, "mpirun starts no program: '%.*s' stands twice on its command line",
                           (int)again->name.length, again->name.text);
    table->table.ignored = why;
    table->table.ends_program = why;
}

/* Returns the setting that acts, if its value is known. */
static const struct setting *forced_acting(const struct settings *settings, const char *name)
{
    const struct setting *setting = settings_acting(settings, &ompi_dialect, slice_of(name));
    return setting && !setting->is_computed ? setting : NULL;
}

static uint64_t forced_size(const struct ompi_forced *forced, enum ompi_parameter parameter)
{
    return forced->by[parameter] ? forced_read_size(ompi_value(forced->by[parameter])) : 0;
}

static void read_forced(struct ompi_settings *of, const struct ompi_version *version, uint32_t collective)
{
    struct ompi_forced *forced = &of->of[collective];
    char name[96];
    for (unsigned i = 0; i < N_OMPI_PARAMETERS; i++) {
        snprintf(name, sizeof name, "%s%s_%s", prefix, ompi_collective_names[collective],
                 ompi_parameter_names[i]);
        if (ompi_has_parameter(collective, (enum ompi_parameter)i))
            forced->by[i] = forced_acting(of->settings, name);
    }
    const struct setting *algorithm = forced->by[PARAMETER_ALGORITHM];
    const int64_t number = algorithm ? ompi_forced_number(version, collective, ompi_value(algorithm)) : 0;
    enum { DEFAULT_FAN_OUT = 4 }; /* of coll_tuned_..._algorithm_chain_fanout */
    forced->rule = (struct table_rule){
        .collective = collective,
        .algorithm = number > 0 ? number : 0,
        .ranks = {2, SPAN_NO_END},
        .keys = {0, SPAN_NO_END},
        .line = algorithm && !algorithm->source ? algorithm->line : 0,
        .parameters = {forced_size(forced, PARAMETER_SEGMENT),
                       forced->by[PARAMETER_CHAIN] ? forced_size(forced, PARAMETER_CHAIN) : DEFAULT_FAN_OUT,
                       forced_size(forced, PARAMETER_REQUESTS)}};
}

bool ompi_is_file(const struct table_loader *loader, const struct source *source,
                  const struct settings *settings)
{
    const struct ompi_version *version = loader->version;
    const char first = *source_start(source);
    if (settings_have(settings, loader->dialect))
        return false;
    return (version->has_json && (first == '{' || first == '[')) ||
           (!settings->is_script && table_is_of_numbers(source));
}

/* Adds the settings of the files that one setting names, in the place of parameter files. The first file
 * wins, and so comes last. */
static const struct settings *forced_follow(const struct settings *settings, const char *name,
                                            struct arena *arena)
{
    const struct setting *by = forced_acting(settings, name);
    struct slice rest = by ? ompi_value(by) : (struct slice){NULL, 0};
    const struct settings *all = settings;
    while (rest.length) {
        size_t begin = rest.length;
        while (begin && rest.text[begin - 1] != ',')
            begin--;
        const struct slice path = slice_trim(slice_from(rest, begin));
        const struct source *file = table_named_file(settings->source, path, arena);
        if (!file)
            return settings;
        all = settings_followed(all, &all->items[by - settings->items], file, arena);
        rest.length = begin ? begin - 1 : 0;
    }
    return all;
}

struct table *ompi_read_settings(const struct table_loader *loader, const struct settings *settings,
                                 struct arena *arena, struct diagnostics *diagnostics)
{
    struct ompi_table *table = arena_alloc(arena, 1, sizeof *table);
    struct ompi_settings *of = arena_alloc(arena, 1, sizeof *of);
    settings = forced_follow(settings, "mca_base_param_files", arena);
    settings = forced_follow(settings, "mca_base_envar_file_prefix", arena);
    *table =
        (struct ompi_table){.table = {.loader = loader, .source = settings->source, .settings = settings},
                            .version = loader->version,
                            .forced = of};
    of->settings = settings;
    of->dynamic = forced_acting(settings, "coll_tuned_use_dynamic_rules");
    of->is_dynamic = of->dynamic && forced_read_bool(ompi_value(of->dynamic));
    of->filename = forced_acting(settings, "coll_tuned_dynamic_rules_filename");
    of->components = forced_acting(settings, "coll");
    of->is_without_tuned = of->components && leaves_out(ompi_value(of->components), "tuned");
    forced_read_end(table, of, arena);
    const struct source *file =
        of->filename ? table_named_file(settings->source, ompi_value(of->filename), arena) : NULL;
    if (file)
        of->rules = ompi_read(loader, file, arena, diagnostics);
    for (uint32_t i = 0; i < OMPI_N_COLLECTIVES; i++)
        read_forced(of, table->version, i);
    return &table->table;
}
