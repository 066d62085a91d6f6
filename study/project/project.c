/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the project file from a tree of YAML. See project.h. Each mapping has a table of its keys; any
 * other key is an error, as a misspelt one would otherwise be a limit that is never checked.
 */
#include "study/project/project.h"

#include "base/codes.h"
#include "base/suggest.h"
#include "base/text/yaml_tree.h"
#include "network/formats/synthetic/shape.h"
#include "ir/collective.h"
#include "study/project/waivers.h"
#include "tables/loaders.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 32 };

struct reader {
    struct project *project;
    struct arena *arena;
    struct diagnostics *diagnostics;
    bool failed;
};

/* ---- what is wrong ---- */

static struct diagnostic *project_refuse(struct reader *reader, uint32_t code, const struct yaml_node *node,
                                         const char *format, ...) __attribute__((format(printf, 4, 5)));
static struct diagnostic *project_refuse(struct reader *reader, uint32_t code, const struct yaml_node *node,
                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diagnostic *found =
        report_va(reader->diagnostics, code, yaml_position(reader->project->source, node), format,
                  args);
    va_end(args);
    reader->failed = true;
    return found;
}

static void refuse_kind(struct reader *reader, const struct yaml_node *node, const char *kind)
{
    static const char *const names[] = {"a value", "a list", "a mapping"};
    project_refuse(reader, CODE_K001, node, "expected %s, found %s", kind, names[node->kind])->help =
        "docs/ci.md shows a project file with all keys";
}

/* ---- mappings ---- */

struct key {
    const char *name;
    void (*read)(struct reader *reader, const struct yaml_node *value, void *into);
    size_t field; /* offset in what is read */
};

static const char *list_keys(struct arena *arena, const char *const *names, size_t n)
{
    const char *list = arena_printf(arena, "the keys here are '%s'", names[0]);
    for (size_t i = 1; i < n; i++)
        list = arena_printf(arena, "%s, '%s'", list, names[i]);
    return arena_printf(arena, "%s (docs/ci.md)", list);
}

/* Reads each value of the mapping by the key's function into the field of `record`. */
static void read_mapping(struct reader *reader, const struct yaml_node *mapping,
                         const struct key *keys, size_t n_keys, void *record)
{
    const char *names[MAX_KEYS];
    if (mapping->kind != YAML_MAPPING) {
        refuse_kind(reader, mapping, "a mapping");
        return;
    }
    for (size_t i = 0; i < n_keys; i++)
        names[i] = keys[i].name;
    for (const struct yaml_node *value = mapping->first; value; value = value->next) {
        const struct slice name = value->key->text;
        size_t i = 0;
        while (i < n_keys && strcmp(keys[i].name, name.text) != 0)
            i++;
        if (i < n_keys)
            keys[i].read(reader, value, (char *)record + keys[i].field);
        else
            project_refuse(reader, CODE_K001, value->key, "unknown key '%s'", name.text)->help =
                did_you_mean(&reader->diagnostics->arena, nearest(name.text, name.length, names, n_keys),
                             list_keys(&reader->diagnostics->arena, names, n_keys));
    }
}

#define KEY(name, function, record, field) {name, function, offsetof(record, field)}

/* ---- values ---- */

static bool is_scalar(struct reader *reader, const struct yaml_node *value)
{
    if (value->kind == YAML_SCALAR && value->text.length && strlen(value->text.text) == value->text.length)
        return true;
    if (value->kind == YAML_SCALAR)
        project_refuse(reader, CODE_K002, value, "a value is missing")->help =
            "write one, or leave the key out";
    else
        refuse_kind(reader, value, "a value");
    return false;
}

static void project_read_text(struct reader *reader, const struct yaml_node *value, void *into)
{
    if (is_scalar(reader, value))
        *(const char **)into = value->text.text;
}

static void project_read_word(struct reader *reader, const struct yaml_node *value, void *into)
{
    if (is_scalar(reader, value))
        *(struct project_word *)into = (struct project_word){
            value->text.text, yaml_position(reader->project->source, value)};
}

static void read_order(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_text(reader, value, into);
    const char *order = *(const char **)into;
    if (order && strcmp(order, "name") != 0 && strcmp(order, "switch") != 0)
        project_refuse(reader, CODE_K002, value, "'%s' is no order of machines", order)->help =
            "write name or switch";
}

static void read_between_rails(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_text(reader, value, into);
    const char *where = *(const char **)into;
    if (where && strcmp(where, "host") != 0 && strcmp(where, "fabric") != 0)
        project_refuse(reader, CODE_K002, value, "'%s' is no way between rails", where)->help =
            "write host or fabric";
}

/* Reads a number from 1 to `most`. */
static void read_up_to(struct reader *reader, const struct yaml_node *value, uint32_t most, uint32_t *count)
{
    if (is_scalar(reader, value) &&
        (parse_count(value->text, count) != VALUE_OK || *count == 0 || *count > most))
        project_refuse(reader, CODE_K002, value, "'%s' is not a number from 1 to %u", value->text.text, most)
            ->help = "write a whole number";
}

static void project_read_count(struct reader *reader, const struct yaml_node *value, void *into)
{
    read_up_to(reader, value, UINT32_MAX, into);
}

static void project_read_version(struct reader *reader, const struct yaml_node *value, void *into)
{
    (void)into;
    if (is_scalar(reader, value) && strcmp(value->text.text, "1") != 0)
        project_refuse(reader, CODE_K002, value, "version '%s' of project files is not known",
                       value->text.text)
            ->help = "this collc reads version 1";
}

/* ---- lists: one value stands for a list of one ---- */

static void project_read_list(struct reader *reader, const struct yaml_node *value, void *into,
                              void (*read)(struct reader *, const struct yaml_node *, void *))
{
    if (value->kind != YAML_SEQUENCE) {
        read(reader, value, into);
        return;
    }
    if (!value->first)
        project_refuse(reader, CODE_K002, value, "the list is empty")->help =
            "name something, or leave the key out";
    for (const struct yaml_node *item = value->first; item; item = item->next)
        read(reader, item, into);
}

static void project_add_word(struct reader *reader, const struct yaml_node *value, void *into)
{
    struct project_words *words = into;
    if (!is_scalar(reader, value))
        return;
    words->items = mem_grow(words->items, &words->capacity, words->n + 1, sizeof *words->items);
    project_read_word(reader, value, &words->items[words->n++]);
}

static void read_words(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_word);
}

static void project_add_number(struct project_numbers *numbers, uint32_t number)
{
    for (size_t i = 0; i < numbers->n; i++)
        if (numbers->items[i] == number)
            return;
    numbers->items = mem_grow(numbers->items, &numbers->capacity, numbers->n + 1, sizeof *numbers->items);
    numbers->items[numbers->n++] = number;
}

/* Adds "8" or "4..16". */
static void project_add_range(struct reader *reader, const struct yaml_node *value, void *into)
{
    struct project_numbers *numbers = into;
    uint32_t first, last;
    if (!is_scalar(reader, value))
        return;
    const char *dots = strstr(value->text.text, "..");
    const size_t length = dots ? (size_t)(dots - value->text.text) : value->text.length;
    const struct slice low = {value->text.text, length};
    const struct slice high = dots ? (struct slice){dots + 2, strlen(dots + 2)} : low;
    if (parse_count(low, &first) != VALUE_OK || parse_count(high, &last) != VALUE_OK || first > last)
        project_refuse(reader, CODE_K002, value, "'%s' is neither a number nor a range", value->text.text)
            ->help = "write 16, or 2..16 with the smaller number first";
    else if (last - first >= PROJECT_MAX_NUMBERS - numbers->n)
        project_refuse(reader, CODE_K002, value, "these are more than %d numbers", PROJECT_MAX_NUMBERS)
            ->help = "choose some of them";
    else
        for (uint64_t number = first; number <= last; number++)
            project_add_number(numbers, (uint32_t)number);
}

static void project_read_numbers(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_range);
}

static void read_ranks(struct reader *reader, const struct yaml_node *value, void *into)
{
    struct project_numbers *ranks = into;
    project_read_numbers(reader, value, ranks);
    for (size_t i = 0; i < ranks->n; i++)
        if (ranks->items[i] == 0 || ranks->items[i] > SCHEDULE_MAX_RANKS) {
            project_refuse(reader, CODE_K002, value, "%u ranks are not between 1 and %d", ranks->items[i],
                           SCHEDULE_MAX_RANKS)
                ->help = "write numbers of ranks";
            return;
        }
}

static void read_job_ranks(struct reader *reader, const struct yaml_node *value, void *into)
{
    read_up_to(reader, value, SCHEDULE_MAX_RANKS, into);
}

/* ---- limits ---- */

static void read_limit(struct reader *reader, const struct yaml_node *value, void *into)
{
    uint32_t most;
    if (!is_scalar(reader, value))
        return;
    if (parse_count(value->text, &most) == VALUE_OK)
        *(struct limit *)into = limit_of(most);
    else
        project_refuse(reader, CODE_K002, value, "'%s' is not a number from 0 to 4294967295",
                       value->text.text)
            ->help = "write what may be at most";
}

static void read_factor(struct reader *reader, const struct yaml_node *value, void *into)
{
    double most;
    if (!is_scalar(reader, value))
        return;
    if (parse_factor(value->text, &most) == VALUE_OK)
        *(struct limit *)into = limit_of(most);
    else
        project_refuse(reader, CODE_K002, value, "'%s' is not a number from 1 to 1000000", value->text.text)
            ->help = "write how many times as long a step may take, such as 1.5";
}

static void read_limits(struct reader *reader, const struct yaml_node *value, void *into)
{
#define READ_LIMIT read_limit
#define READ_FACTOR read_factor
    static const struct key keys[] = {
#define LIMIT(field, option, kind, needs_network, measured, words) \
    KEY(option, READ_##kind, struct verify_limits, field),
#include "verify/limits.def"
    };
    read_mapping(reader, value, keys, sizeof keys / sizeof *keys, into);
}

/* ---- networks and overrides ---- */

/* Refuses a string such as "torus:8x8" that YAML takes for something else: with a comma for two items of a
 * list in brackets, with a blank behind its colon for a mapping. Returns true if it is one. */
static bool refuse_torn_string(struct reader *reader, const struct yaml_node *value)
{
    static const char *const options[] = {"up=", "bw=", "lat=", "ports="};
    const struct project *project = reader->project;
    const struct yaml_node *only = value->kind == YAML_MAPPING ? value->first : NULL;
    struct arena *arena = &reader->diagnostics->arena;
    const char *meant = NULL;
    for (size_t i = 0; value->kind == YAML_SCALAR && i < sizeof options / sizeof *options; i++)
        if (project->n_networks && slice_starts(value->text, options[i]))
            meant = arena_printf(arena, "%s,%s", project->networks[project->n_networks - 1].name, value->text.text);
    if (only && !only->next && only->kind == YAML_SCALAR) {
        const char *joined = arena_printf(arena, "%s:%s", only->key->text.text, only->text.text);
        meant = synthetic_is(joined) ? joined : NULL;
    }
    if (meant)
        project_refuse(reader, CODE_K001, value, "a network of which YAML makes two words")->help =
            arena_printf(arena, "write \"%s\", in quotes", meant);
    return meant;
}

static void add_network(struct reader *reader, const struct yaml_node *value, void *into)
{
    static const struct key keys[] = {
        KEY("network", project_read_word, struct project_network, spec),
        KEY("name", project_read_text, struct project_network, name),
        KEY("placement", project_read_text, struct project_network, placement),
        KEY("order", read_order, struct project_network, order),
        KEY("machines", project_read_text, struct project_network, machines),
        KEY("adapters", project_read_text, struct project_network, adapters),
        KEY("rank-adapters", project_read_text, struct project_network, rank_adapters),
        KEY("between-rails", read_between_rails, struct project_network, between_rails),
        KEY("ranks-per-machine", project_read_count, struct project_network, ranks_per_machine),
        KEY("routes", read_words, struct project_network, routes),
        KEY("fail", read_words, struct project_network, failed),
    };
    struct project *project = reader->project;
    (void)into;
    if (refuse_torn_string(reader, value))
        return;
    project->networks = mem_grow(project->networks, &project->networks_capacity,
                                 project->n_networks + 1, sizeof *project->networks);
    struct project_network *network = &project->networks[project->n_networks++];
    *network = (struct project_network){.name = NULL};
    if (value->kind == YAML_SCALAR)
        project_read_word(reader, value, &network->spec);
    else
        read_mapping(reader, value, keys, sizeof keys / sizeof *keys, network);
    if (!network->spec.text && !reader->failed)
        project_refuse(reader, CODE_K001, value, "the key 'network' is missing")->help =
            "write network: with a file or a string such as star:64";
    if (!network->name)
        network->name = network->spec.text ? network->spec.text : "";
    for (size_t i = 0; i + 1 < project->n_networks; i++)
        if (strcmp(project->networks[i].name, network->name) == 0 && !reader->failed)
            project_refuse(reader, CODE_K002, value, "two networks are called '%s'", network->name)->help =
                "give them different names with name:";
}

static void project_read_networks(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, add_network);
}

static void add_override(struct reader *reader, const struct yaml_node *value, void *into)
{
    static const struct key keys[] = {
        KEY("schedules", read_words, struct project_override, schedules),
        KEY("networks", read_words, struct project_override, networks),
        KEY("ranks", read_ranks, struct project_override, ranks),
        KEY("limits", read_limits, struct project_override, limits),
    };
    struct project *project = reader->project;
    (void)into;
    project->overrides = mem_grow(project->overrides, &project->overrides_capacity,
                                  project->n_overrides + 1, sizeof *project->overrides);
    struct project_override *override = &project->overrides[project->n_overrides++];
    *override = (struct project_override){.ranks = {NULL, 0, 0}};
    read_mapping(reader, value, keys, sizeof keys / sizeof *keys, override);
    if (value->kind == YAML_MAPPING && !yaml_find(value, "limits") && !reader->failed)
        project_refuse(reader, CODE_K001, value, "the key 'limits' is missing")->help =
            "write limits: with what is different for these";
}

static void read_overrides(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, add_override);
}

/* ---- jobs ---- */

static void project_add_job(struct reader *reader, const struct yaml_node *value, void *into)
{
    static const struct key keys[] = {
        KEY("name", project_read_text, struct project_job, name),
        KEY("schedule", project_read_word, struct project_job, schedule),
        KEY("network", project_read_word, struct project_job, on),
        KEY("ranks", read_job_ranks, struct project_job, n_ranks),
        KEY("machines", project_read_text, struct project_job, machines),
        KEY("placement", project_read_text, struct project_job, placement),
        KEY("order", read_order, struct project_job, order),
        KEY("ranks-per-machine", project_read_count, struct project_job, ranks_per_machine),
    };
    struct project *project = reader->project;
    (void)into;
    project->jobs =
        mem_grow(project->jobs, &project->jobs_capacity, project->n_jobs + 1, sizeof *project->jobs);
    struct project_job *job = &project->jobs[project->n_jobs++];
    *job = (struct project_job){.name = NULL};
    read_mapping(reader, value, keys, sizeof keys / sizeof *keys, job);
    if (!job->schedule.text && !reader->failed)
        project_refuse(reader, CODE_K001, value, "the key 'schedule' is missing")->help =
            "write schedule: with a file or a built-in algorithm";
    if (!job->name)
        job->name = arena_printf(reader->arena, "job%zu", project->n_jobs);
    for (size_t i = 0; i + 1 < project->n_jobs; i++)
        if (strcmp(project->jobs[i].name, job->name) == 0 && !reader->failed)
            project_refuse(reader, CODE_K002, value, "two jobs are called '%s'", job->name)->help =
                "give them different names with name:";
    if (project->n_jobs > PROJECT_MAX_JOBS && !reader->failed)
        project_refuse(reader, CODE_K002, value, "these are more than %d jobs", PROJECT_MAX_JOBS)->help =
            "choose those that may meet";
}

static void read_jobs(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_job);
}

/* Finds the network of each job. */
static void find_networks_of_jobs(struct reader *reader, const struct yaml_node *root)
{
    struct project *project = reader->project;
    for (size_t i = 0; i < project->n_jobs && !reader->failed; i++) {
        struct project_job *job = &project->jobs[i];
        const struct yaml_node *jobs = yaml_find(root, "jobs");
        while (job->on.text && job->network < project->n_networks &&
               strcmp(project->networks[job->network].name, job->on.text) != 0)
            job->network++;
        if (!job->on.text && project->n_networks != 1)
            project_refuse(reader, CODE_K001, jobs, "job '%s' does not say on which network it is", job->name)
                ->help = "write network: with the name of one of networks:";
        else if (job->network >= project->n_networks)
            report(reader->diagnostics, CODE_K003, job->on.position, "there is no network '%s'", job->on.text)
                ->help = "write the name: of one of networks:, or what it is read from if it has none";
        reader->failed |= job->network >= project->n_networks;
    }
}

/* ---- what MPIs take ---- */

static void project_read_target(struct reader *reader, const struct yaml_node *value, void *into)
{
    const char *names[MAX_KEYS];
    size_t n = 0;
    project_read_word(reader, value, into);
    if (reader->failed || table_loader_find(value->text.text))
        return;
    for (; n < n_table_loaders && n < MAX_KEYS; n++)
        names[n] = table_loaders[n]->target;
    project_refuse(reader, CODE_K002, value, "there is no target '%s'", value->text.text)->help =
        did_you_mean(&reader->diagnostics->arena, nearest(value->text.text, value->text.length, names, n),
                     "write one of 'collc pick --target'");
}

static void project_add_collective(struct reader *reader, const struct yaml_node *value, void *into)
{
    enum collective_form form;
    project_add_word(reader, value, into);
    if (!reader->failed && collective_find_form(value->text.text, value->text.length, &form) == N_COLLECTIVES)
        project_refuse(reader, CODE_K002, value, "there is no collective '%s'", value->text.text)->help =
            did_you_mean(&reader->diagnostics->arena,
                         collective_nearest(value->text.text, value->text.length),
                         "'collc algorithms' lists them");
}

static void project_read_collectives(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_collective);
}

static void project_add_size(struct reader *reader, const struct yaml_node *value, void *into)
{
    uint64_t bytes;
    project_add_word(reader, value, into);
    if (!reader->failed && (parse_size(value->text, &bytes) != VALUE_OK || bytes == 0))
        project_refuse(reader, CODE_K002, value, "'%s' is no size above 0", value->text.text)->help =
            "write 1000, 64KiB or 1MiB";
}

static void project_read_sizes(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_size);
}

static void project_add_as(struct reader *reader, const struct yaml_node *value, void *into)
{
    static const struct key keys[] = {
        KEY("target", project_read_target, struct project_as, target),
        KEY("rules", project_read_word, struct project_as, rules),
        KEY("collectives", project_read_collectives, struct project_as, collectives),
        KEY("bytes", project_read_sizes, struct project_as, bytes),
    };
    static const char *const needed[] = {"target", "collectives", "bytes"};
    struct project *project = reader->project;
    (void)into;
    project->as = mem_grow(project->as, &project->as_capacity, project->n_as + 1, sizeof *project->as);
    struct project_as *as = &project->as[project->n_as++];
    *as = (struct project_as){.target = {.text = NULL}};
    read_mapping(reader, value, keys, sizeof keys / sizeof *keys, as);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!reader->failed && !yaml_find(value, needed[i]))
            project_refuse(reader, CODE_K001, value, "the key '%s' is missing", needed[i])->help =
                "write as: with target, collectives and bytes (docs/as.md)";
}

static void project_read_as(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_as);
}

/* ---- waivers ---- */

static void add_code(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_add_word(reader, value, into);
    if (!reader->failed && code_find(value->text.text) == n_codes)
        project_refuse(reader, CODE_K006, value, "there is no code '%s'", value->text.text)->help =
            "'collc explain' lists them";
}

static void project_read_codes(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, add_code);
}

static void read_until(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_word(reader, value, into);
    if (!reader->failed && !waiver_is_date(value->text))
        project_refuse(reader, CODE_K006, value, "'%s' is no date", value->text.text)->help =
            "write a day such as 2027-01-31";
}

static void project_add_waiver(struct reader *reader, const struct yaml_node *value, void *into)
{
    static const struct key keys[] = {
        KEY("allow", project_read_codes, struct project_waiver, codes),
        KEY("schedules", read_words, struct project_waiver, schedules),
        KEY("networks", read_words, struct project_waiver, networks),
        KEY("because", project_read_text, struct project_waiver, because),
        KEY("until", read_until, struct project_waiver, until),
    };
    struct project *project = reader->project;
    (void)into;
    project->waivers = mem_grow(project->waivers, &project->waivers_capacity, project->n_waivers + 1,
                                sizeof *project->waivers);
    struct project_waiver *waiver = &project->waivers[project->n_waivers++];
    *waiver = (struct project_waiver){.because = NULL};
    read_mapping(reader, value, keys, sizeof keys / sizeof *keys, waiver);
    if (!waiver->codes.n && !reader->failed)
        project_refuse(reader, CODE_K001, value, "the key 'allow' is missing")->help =
            "write allow: with a code, or a list of them";
    else if (!waiver->because && !reader->failed)
        project_refuse(reader, CODE_K001, value, "the key 'because' is missing")->help = "a waiver says why";
}

static void project_read_waivers(struct reader *reader, const struct yaml_node *value, void *into)
{
    project_read_list(reader, value, into, project_add_waiver);
}

/* ---- the file ---- */

/* Checks that limits of links have a network. */
static void project_check_limits(struct reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *limits = yaml_find(root, "limits");
    const struct project *project = reader->project;
    if (project->n_networks || !limits)
        return;
#define LIMIT(field, option, kind, needs_network, measured, words)                                           \
    if (needs_network && project->limits.field.is_set)                                                       \
        project_refuse(reader, CODE_K002, limits, "'" option "' is about links, and there is no network")    \
            ->help = "name networks:, or leave the limit out";
#include "verify/limits.def"
}

static void project_read_root(struct reader *reader, const struct yaml_node *root)
{
    static const struct key keys[] = {
        KEY("version", project_read_version, struct project, source),
        KEY("schedules", read_words, struct project, patterns),
        KEY("as", project_read_as, struct project, as),
        KEY("networks", project_read_networks, struct project, networks),
        KEY("ranks", read_ranks, struct project, ranks),
        KEY("ranks-per-machine", project_read_count, struct project, ranks_per_machine),
        KEY("roots", project_read_numbers, struct project, roots),
        KEY("limits", read_limits, struct project, limits),
        KEY("overrides", read_overrides, struct project, overrides),
        KEY("jobs", read_jobs, struct project, jobs),
        KEY("waivers", project_read_waivers, struct project, waivers),
    };
    const struct project *project = reader->project;
    read_mapping(reader, root, keys, sizeof keys / sizeof *keys, reader->project);
    if (reader->failed)
        return;
    if (!project->patterns.n && !project->n_as && !project->n_jobs)
        project_refuse(reader, CODE_K001, root, "the key 'schedules' is missing")->help =
            "write schedules: with files, patterns such as schedules/*.coll, or built-in algorithms";
    else if (!project->n_networks && !project->ranks.n)
        project_refuse(reader, CODE_K001, root, "there are neither networks nor ranks")->help =
            "write networks:, or ranks: with numbers of ranks";
    if (project->ranks.n)
        reader->project->ranks_position = yaml_position(project->source, yaml_find(root, "ranks"));
    project_check_limits(reader, root);
    find_networks_of_jobs(reader, root);
}

/* True if the file is a schedule for a project, by its name or its first line. */
static bool is_schedule(const struct source *source)
{
    const size_t length = strlen(source->path);
    return strncmp(source->text, "collc-schedule ", 15) == 0 ||
           (length > 5 && strcmp(source->path + length - 5, ".coll") == 0);
}

bool project_read(const struct source *source, struct project *project, struct arena *arena,
                  struct diagnostics *diagnostics)
{
    struct reader reader = {project, arena, diagnostics, false};
    *project = (struct project){.source = source};
    if (!source_check_utf8(source, diagnostics))
        return false;
    if (is_schedule(source)) {
        report(diagnostics, CODE_K001, source_position(source, 0, 1), "a schedule, and no project file")->help =
            "'collc verify FILE' checks one schedule; a project file names it under schedules: (docs/ci.md)";
        return false;
    }
    const struct yaml_node *root = yaml_read(source, CODE_K001, arena, diagnostics);
    if (root)
        project_read_root(&reader, root);
    return root && !reader.failed;
}

static void free_words(struct project_words *words)
{
    free(words->items);
    *words = (struct project_words){0};
}

void project_free(struct project *project)
{
    for (size_t i = 0; i < project->n_networks; i++) {
        free_words(&project->networks[i].routes);
        free_words(&project->networks[i].failed);
    }
    for (size_t i = 0; i < project->n_overrides; i++) {
        free_words(&project->overrides[i].schedules);
        free_words(&project->overrides[i].networks);
        free(project->overrides[i].ranks.items);
    }
    for (size_t i = 0; i < project->n_waivers; i++) {
        free_words(&project->waivers[i].codes);
        free_words(&project->waivers[i].schedules);
        free_words(&project->waivers[i].networks);
    }
    for (size_t i = 0; i < project->n_as; i++) {
        free_words(&project->as[i].collectives);
        free_words(&project->as[i].bytes);
    }
    free(project->as);
    free_words(&project->patterns);
    free_words(&project->schedules);
    free(project->networks);
    free(project->overrides);
    free(project->jobs);
    free(project->waivers);
    free(project->ranks.items);
    free(project->roots.items);
    *project = (struct project){0};
}
