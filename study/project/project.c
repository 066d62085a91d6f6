/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the project file from a tree of YAML. See project.h. Each mapping has a table of its keys (keys.h).
 */
#include "study/project/project.h"

#include "base/codes.h"
#include "base/suggest.h"
#include "network/formats/synthetic/shape.h"
#include "ir/collective.h"
#include "study/known_file.h"
#include "study/project/keys.h"
#include "study/project/waivers.h"
#include "tables/loaders.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static struct project *project_of(const struct key_reader *reader)
{
    return reader->whole;
}

/* Reads a number from 1 to `most`. */
static void read_up_to(struct key_reader *reader, const struct yaml_node *value, uint32_t most,
                       uint32_t *count)
{
    if (keys_is_scalar(reader, value) &&
        (parse_count(value->text, count) != VALUE_OK || *count == 0 || *count > most))
        keys_refuse(reader, CODE_K002, value, "'%s' is not a number from 1 to %u", value->text.text, most)
            ->help = "write a whole number";
}

static void project_read_count(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    read_up_to(reader, value, UINT32_MAX, into);
}

static void project_read_version(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    (void)into;
    if (keys_is_scalar(reader, value) && strcmp(value->text.text, "1") != 0)
        keys_refuse(reader, CODE_K002, value, "version '%s' of project files is not known",
                       value->text.text)
            ->help = "this collc reads version 1";
}

/* ---- lists ---- */

static void project_add_word(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project_words *words = into;
    if (!keys_is_scalar(reader, value))
        return;
    words->items = mem_grow(words->items, &words->capacity, words->n + 1, sizeof *words->items);
    keys_read_word(reader, value, &words->items[words->n++]);
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
static void project_add_range(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project_numbers *numbers = into;
    uint32_t first, last;
    if (!keys_is_scalar(reader, value))
        return;
    const char *dots = strstr(value->text.text, "..");
    const size_t length = dots ? (size_t)(dots - value->text.text) : value->text.length;
    const struct slice low = {value->text.text, length};
    const struct slice high = dots ? (struct slice){dots + 2, strlen(dots + 2)} : low;
    if (parse_count(low, &first) != VALUE_OK || parse_count(high, &last) != VALUE_OK || first > last)
        keys_refuse(reader, CODE_K002, value, "'%s' is neither a number nor a range", value->text.text)
            ->help = "write 16, or 2..16 with the smaller number first";
    else if (last - first >= PROJECT_MAX_NUMBERS - numbers->n)
        keys_refuse(reader, CODE_K002, value, "these are more than %d numbers", PROJECT_MAX_NUMBERS)
            ->help = "choose some of them";
    else
        for (uint64_t number = first; number <= last; number++)
            project_add_number(numbers, (uint32_t)number);
}

static void project_add_ranks(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project_numbers *ranks = into;
    const size_t n = ranks->n;
    project_add_range(reader, value, ranks);
    for (size_t i = n; i < ranks->n; i++)
        if (ranks->items[i] == 0 || ranks->items[i] > SCHEDULE_MAX_RANKS) {
            keys_refuse(reader, CODE_K002, value, "%u ranks are not between 1 and %d", ranks->items[i],
                        SCHEDULE_MAX_RANKS)
                ->help = "write numbers of ranks";
            return;
        }
}

static void read_job_ranks(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    read_up_to(reader, value, SCHEDULE_MAX_RANKS, into);
}

#define RANGE "^[0-9]+\\.\\.[0-9]+$"
static const struct key_kind kind_version = {.read = project_read_version, .number = "integer", .least = 1, .most = 1},
                             kind_count = {.read = project_read_count, .number = "integer", .least = 1, .most = UINT32_MAX},
                             kind_roots = {.read = project_add_range, .number = "integer", .pattern = RANGE},
                             kind_ranks = {.read = project_add_ranks, .number = "integer", .least = 1,
                                      .most = SCHEDULE_MAX_RANKS, .pattern = RANGE},
                             kind_job_ranks = {.read = read_job_ranks, .number = "integer", .least = 1,
                                          .most = SCHEDULE_MAX_RANKS},
                             kind_words = {.read = project_add_word},
                             kind_order = {.read = keys_read_text, .words = "name|switch"},
                             kind_between_rails = {.read = keys_read_text, .words = "host|fabric"};

/* ---- limits ---- */

static void read_limit(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    uint32_t most;
    if (!keys_is_scalar(reader, value))
        return;
    if (parse_count(value->text, &most) == VALUE_OK)
        *(struct limit *)into = limit_of(most);
    else
        keys_refuse(reader, CODE_K002, value, "'%s' is not a number from 0 to 4294967295",
                       value->text.text)
            ->help = "write what may be at most";
}

static void read_factor(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    double most;
    if (!keys_is_scalar(reader, value))
        return;
    if (parse_factor(value->text, &most) == VALUE_OK)
        *(struct limit *)into = limit_of(most);
    else
        keys_refuse(reader, CODE_K002, value, "'%s' is not a number from 1 to 1000000", value->text.text)
            ->help = "write how many times as long a step may take, such as 1.5";
}

#define KIND_LIMIT kind_limit
#define KIND_FACTOR kind_factor
static const struct key_kind kind_limit = {.read = read_limit, .number = "integer", .most = UINT32_MAX},
                             kind_factor = {.read = read_factor, .number = "number", .least = 1, .most = 1000000};
static const struct key limit_keys[] = {
#define LIMIT(field, option, kind, needs_network, measured, words)                                           \
    KEY(option, KIND_##kind, struct verify_limits, field, words),
#include "verify/limits.def"
};
static const struct key_table limit_table = KEY_TABLE(limit_keys);

static void read_limits(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    keys_read(reader, value, &limit_table, into);
}

static const struct key_kind kind_limits = {.read = read_limits, .keys = &limit_table};

/* ---- networks and overrides ---- */

/* Refuses a string such as "torus:8x8" that YAML takes for something else: with a comma for two items of a
 * list in brackets, with a blank behind its colon for a mapping. Returns true if it is one. */
static bool refuse_torn_string(struct key_reader *reader, const struct yaml_node *value)
{
    static const char *const options[] = {"up=", "bw=", "lat=", "ports="};
    const struct project *project = project_of(reader);
    const struct yaml_node *only = value->kind == YAML_MAPPING ? value->first : NULL;
    struct arena *arena = &reader->diagnostics->arena;
    const char *meant = NULL;
    for (size_t i = 0; value->kind == YAML_SCALAR && i < sizeof options / sizeof *options; i++)
        if (project->n_networks && slice_starts(value->text, options[i]))
            meant = arena_printf(arena, "%s,%s", project->networks[project->n_networks - 1].name, value->text.text);
    const char *blank = value->kind == YAML_SCALAR ? strchr(value->text.text, ' ') : NULL;
    if (blank && synthetic_is(value->text.text) && synthetic_is(blank + strspn(blank, " "))) {
        keys_refuse(reader, CODE_K001, value, "several networks in one value")->help =
            "write each on a line of its own, behind '- '";
        return true;
    }
    if (only && !only->next && only->kind == YAML_SCALAR) {
        const char *joined = arena_printf(arena, "%s:%s", only->key->text.text, only->text.text);
        meant = synthetic_is(joined) ? joined : NULL;
    }
    if (meant)
        keys_refuse(reader, CODE_K001, value, "a network of which YAML makes two words")->help =
            arena_printf(arena, "write \"%s\", in quotes", meant);
    return meant;
}

static const struct key network_keys[] = {
    {"network", &key_word, offsetof(struct project_network, spec), false,
     "write network: with a file or a string such as star:64", "file, or string such as star:64, as for --topology"},
    KEY("name", key_text, struct project_network, name, "its name in this file and in reports"),
    KEY("placement", key_text, struct project_network, placement, "block, cyclic or a file: hosts of ranks"),
    KEY("order", kind_order, struct project_network, order, "how block and cyclic take the hosts"),
    KEY("machines", key_text, struct project_network, machines, "only these hosts, such as node[001-064]"),
    KEY("adapters", key_text, struct project_network, adapters, "only these adapters of hosts with several"),
    KEY("rank-adapters", key_text, struct project_network, rank_adapters,
        "adapter of each rank: slot, block, stripe, near:FILE or a file"),
    KEY("between-rails", kind_between_rails, struct project_network, between_rails,
        "how a message gets from one rail to another"),
    KEY("ranks-per-machine", kind_count, struct project_network, ranks_per_machine, "ranks on each host"),
    KEY_LIST("routes", kind_words, struct project_network, routes, "forwarding tables, files or folders"),
    KEY_LIST("fail", kind_words, struct project_network, failed, "failed cables A:B, switches or hosts"),
};
static const struct key_table network_table = KEY_TABLE(network_keys);

static void add_network(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project *project = project_of(reader);
    (void)into;
    if (refuse_torn_string(reader, value))
        return;
    project->networks = mem_grow(project->networks, &project->networks_capacity,
                                 project->n_networks + 1, sizeof *project->networks);
    struct project_network *network = &project->networks[project->n_networks++];
    *network = (struct project_network){.name = NULL};
    if (value->kind == YAML_SCALAR)
        keys_read_word(reader, value, &network->spec);
    else
        keys_read(reader, value, &network_table, network);
    if (!network->name)
        network->name = network->spec.text ? network->spec.text : "";
    for (size_t i = 0; i + 1 < project->n_networks; i++)
        if (strcmp(project->networks[i].name, network->name) == 0 && !reader->failed)
            keys_refuse(reader, CODE_K002, value, "two networks are called '%s'", network->name)->help =
                "give them different names with name:";
}

static const struct key override_keys[] = {
    KEY_LIST("schedules", kind_words, struct project_override, schedules, "patterns of schedules; without, all"),
    KEY_LIST("networks", kind_words, struct project_override, networks, "patterns of names of networks; without, all"),
    KEY_LIST("ranks", kind_ranks, struct project_override, ranks, "numbers of ranks; without, all"),
    {"limits", &kind_limits, offsetof(struct project_override, limits), false,
     "write limits: with what is different for these", "limits that are different for these"},
};
static const struct key_table override_table = KEY_TABLE(override_keys);

static void add_override(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project *project = project_of(reader);
    (void)into;
    project->overrides = mem_grow(project->overrides, &project->overrides_capacity,
                                  project->n_overrides + 1, sizeof *project->overrides);
    struct project_override *override = &project->overrides[project->n_overrides++];
    *override = (struct project_override){.ranks = {NULL, 0, 0}};
    keys_read(reader, value, &override_table, override);
}

/* ---- jobs ---- */

static const struct key job_keys[] = {
    KEY("name", key_text, struct project_job, name, "its name in reports"),
    {"schedule", &key_word, offsetof(struct project_job, schedule), false,
     "write schedule: with a file or a built-in algorithm", "file or built-in algorithm"},
    KEY("network", key_word, struct project_job, on, "name of the network, if there are several"),
    KEY("ranks", kind_job_ranks, struct project_job, n_ranks, "its number of ranks; without, all of its hosts"),
    KEY("machines", key_text, struct project_job, machines, "its hosts, such as node[001-008]"),
    KEY("placement", key_text, struct project_job, placement, "block, cyclic or a file: hosts of ranks"),
    KEY("order", kind_order, struct project_job, order, "how block and cyclic take the hosts"),
    KEY("ranks-per-machine", kind_count, struct project_job, ranks_per_machine, "ranks on each host"),
};
static const struct key_table job_table = KEY_TABLE(job_keys);

static void project_add_job(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project *project = project_of(reader);
    (void)into;
    project->jobs =
        mem_grow(project->jobs, &project->jobs_capacity, project->n_jobs + 1, sizeof *project->jobs);
    struct project_job *job = &project->jobs[project->n_jobs++];
    *job = (struct project_job){.name = NULL};
    keys_read(reader, value, &job_table, job);
    if (!job->name)
        job->name = arena_printf(reader->arena, "job%zu", project->n_jobs);
    for (size_t i = 0; i + 1 < project->n_jobs; i++)
        if (strcmp(project->jobs[i].name, job->name) == 0 && !reader->failed)
            keys_refuse(reader, CODE_K002, value, "two jobs are called '%s'", job->name)->help =
                "give them different names with name:";
    if (project->n_jobs > PROJECT_MAX_JOBS && !reader->failed)
        keys_refuse(reader, CODE_K002, value, "these are more than %d jobs", PROJECT_MAX_JOBS)->help =
            "choose those that may meet";
}

/* Finds the network of each job. */
static void find_networks_of_jobs(struct key_reader *reader, const struct yaml_node *root)
{
    struct project *project = project_of(reader);
    for (size_t i = 0; i < project->n_jobs && !reader->failed; i++) {
        struct project_job *job = &project->jobs[i];
        const struct yaml_node *jobs = yaml_find(root, "jobs");
        while (job->on.text && job->network < project->n_networks &&
               strcmp(project->networks[job->network].name, job->on.text) != 0)
            job->network++;
        if (!job->on.text && project->n_networks != 1)
            keys_refuse(reader, CODE_K001, jobs, "job '%s' does not say on which network it is", job->name)
                ->help = "write network: with the name of one of networks:";
        else if (job->network >= project->n_networks)
            report(reader->diagnostics, CODE_K003, job->on.position, "there is no network '%s'", job->on.text)
                ->help = "write the name: of one of networks:, or what it is read from if it has none";
        reader->failed |= job->network >= project->n_networks;
    }
}

/* ---- what MPIs take ---- */

static void project_add_collective(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    enum collective_form form;
    project_add_word(reader, value, into);
    if (!reader->failed && collective_find_form(value->text.text, value->text.length, &form) == N_COLLECTIVES)
        keys_refuse(reader, CODE_K002, value, "there is no collective '%s'", value->text.text)->help =
            did_you_mean(&reader->diagnostics->arena,
                         collective_nearest(value->text.text, value->text.length),
                         "'collc algorithms' lists them");
}

static void project_add_size(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    uint64_t bytes;
    project_add_word(reader, value, into);
    if (!reader->failed && (parse_size(value->text, &bytes) != VALUE_OK || bytes == 0))
        keys_refuse(reader, CODE_K002, value, "'%s' is no size above 0", value->text.text)->help =
            "write 1000, 64kB (of 1000) or 64KiB (of 1024)";
}

#define AS_HELP "write as: with target, collectives and bytes (docs/as.md)"
/* "|ompi-4.1|..." */
static const char target_words[] =
#define TARGET(name, spelling, title) "|" spelling
#include "tables/loaders.def"
    ;
static const struct key_kind kind_target = {.read = keys_read_word,
                                            .words = target_words + 1,
                                            .help = table_loader_help},
                             kind_collectives = {.read = project_add_collective},
                             kind_sizes = {.read = project_add_size, .number = "integer", .least = 1,
                                      .pattern = "^[0-9]+(\\.[0-9]+)?([kKMGTPE]?B|[KMGTPE]iB)?$"};
static const struct key as_keys[] = {
    {"target", &kind_target, offsetof(struct project_as, target), false, AS_HELP, "the MPI whose choices are taken"},
    KEY("rules", key_word, struct project_as, rules, "its rule table; without, what is compiled into it"),
    {"collectives", &kind_collectives, offsetof(struct project_as, collectives), true, AS_HELP, "names of collectives"},
    {"bytes", &kind_sizes, offsetof(struct project_as, bytes), true, AS_HELP, "sizes, such as 64KiB"},
};
static const struct key_table as_table = KEY_TABLE(as_keys);

static void project_add_as(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project *project = project_of(reader);
    (void)into;
    project->as = mem_grow(project->as, &project->as_capacity, project->n_as + 1, sizeof *project->as);
    struct project_as *as = &project->as[project->n_as++];
    *as = (struct project_as){.target = {.text = NULL}};
    keys_read(reader, value, &as_table, as);
}

/* ---- waivers ---- */

static void add_code(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    project_add_word(reader, value, into);
    if (!reader->failed && code_find(value->text.text) == n_codes)
        keys_refuse(reader, CODE_K006, value, "there is no code '%s'", value->text.text)->help =
            "'collc explain' lists them";
}

static void read_until(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    keys_read_word(reader, value, into);
    if (!reader->failed && !waiver_is_date(value->text))
        keys_refuse(reader, CODE_K006, value, "'%s' is no date", value->text.text)->help =
            "write a day such as 2027-01-31";
}

static const struct key_kind kind_codes = {.read = add_code, .pattern = "^[A-Z][0-9]{3}$"},
                             kind_day = {.read = read_until, .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"};
static const struct key waiver_keys[] = {
    {"allow", &kind_codes, offsetof(struct project_waiver, codes), true,
     "write allow: with a code, or a list of them", "codes that are allowed"},
    KEY_LIST("schedules", kind_words, struct project_waiver, schedules, "patterns of schedules; without, all"),
    KEY_LIST("networks", kind_words, struct project_waiver, networks, "patterns of names of networks; without, all"),
    {"because", &key_text, offsetof(struct project_waiver, because), false, "a waiver says why", "the reason"},
    KEY("until", kind_day, struct project_waiver, until, "the last day on which it holds, such as 2027-01-31"),
};
static const struct key_table waiver_table = KEY_TABLE(waiver_keys);

static void project_add_waiver(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    struct project *project = project_of(reader);
    (void)into;
    project->waivers = mem_grow(project->waivers, &project->waivers_capacity, project->n_waivers + 1,
                                sizeof *project->waivers);
    struct project_waiver *waiver = &project->waivers[project->n_waivers++];
    *waiver = (struct project_waiver){.because = NULL};
    keys_read(reader, value, &waiver_table, waiver);
}

/* ---- the file ---- */

/* Checks that limits of links have a network. */
static void project_check_limits(struct key_reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *limits = yaml_find(root, "limits");
    const struct project *project = project_of(reader);
    if (project->n_networks || !limits)
        return;
#define LIMIT(field, option, kind, needs_network, measured, words)                                           \
    if (needs_network && project->limits.field.is_set)                                                       \
        keys_refuse(reader, CODE_K002, limits, "'" option "' is about links, and there is no network")    \
            ->help = "name networks:, or leave the limit out";
#include "verify/limits.def"
}

static const struct key_kind kind_as = {.read = project_add_as, .keys = &as_table},
                             kind_networks = {.read = add_network, .keys = &network_table, .pattern = "."},
                             kind_overrides = {.read = add_override, .keys = &override_table},
                             kind_jobs = {.read = project_add_job, .keys = &job_table},
                             kind_waivers = {.read = project_add_waiver, .keys = &waiver_table};
static const struct key root_keys[] = {
    KEY("version", kind_version, struct project, source, "version of project files: 1"),
    KEY_LIST("schedules", kind_words, struct project, patterns,
             "files, patterns such as schedules/*.coll, and built-in algorithms"),
    KEY_LIST("as", kind_as, struct project, as, "what an MPI takes"),
    KEY_LIST("networks", kind_networks, struct project, networks, "networks, as for --topology"),
    KEY_LIST("ranks", kind_ranks, struct project, ranks, "numbers of ranks, such as 8..16; without, all hosts"),
    KEY("ranks-per-machine", kind_count, struct project, ranks_per_machine, "ranks on each host"),
    KEY_LIST("roots", kind_roots, struct project, roots, "roots of collectives that have one; without, 0"),
    KEY("limits", kind_limits, struct project, limits, "what may be at most"),
    KEY_LIST("overrides", kind_overrides, struct project, overrides, "limits for some combinations; the later wins"),
    KEY_LIST("jobs", kind_jobs, struct project, jobs, "schedules that run at the same time"),
    KEY_LIST("waivers", kind_waivers, struct project, waivers, "findings that are allowed, and why"),
};
const struct key_table project_keys = KEY_TABLE(root_keys);

static void project_read_root(struct key_reader *reader, const struct yaml_node *root)
{
    struct project *project = project_of(reader);
    keys_read(reader, root, &project_keys, project);
    if (reader->failed)
        return;
    if (!project->patterns.n && !project->n_as && !project->n_jobs)
        keys_refuse(reader, CODE_K001, root, "the key 'schedules' is missing")->help =
            "write schedules: with files, patterns such as schedules/*.coll, or built-in algorithms";
    else if (!project->n_networks && !project->ranks.n)
        keys_refuse(reader, CODE_K001, root, "there are neither networks nor ranks")->help =
            "write networks:, or ranks: with numbers of ranks";
    if (project->ranks.n)
        project->ranks_position = yaml_position(project->source, yaml_find(root, "ranks"));
    project_check_limits(reader, root);
    find_networks_of_jobs(reader, root);
}

/* Refuses a file that is something else. */
static bool refuse_other_file(struct key_reader *reader)
{
    const struct known_file file = known_file_of(reader->source, reader->arena);
    if (file.kind <= KNOWN_PROJECT || file.kind == KNOWN_SCRIPT || file.kind == KNOWN_HOSTS)
        return false;
    report(reader->diagnostics, CODE_K001, source_position(reader->source, 0, 1), "this is no project file")->help =
        diagnostics_text(reader->diagnostics, "%s; a project file names it (docs/ci.md)", file.help);
    return true;
}

bool project_read(const struct source *source, struct project *project, struct arena *arena,
                  struct diagnostics *diagnostics)
{
    struct key_reader reader = {source, arena, diagnostics, "docs/ci.md", project, false, NULL};
    *project = (struct project){.source = source};
    if (!source_check_utf8(source, diagnostics))
        return false;
    if (refuse_other_file(&reader))
        return false;
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
