/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See usual.h. Files are found as the XDG base directory specification has it.
 */
#include "compiler/driver/usual.h"

#include "base/codes.h"
#include "compiler/driver/combinations.h"
#include "compiler/driver/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LIMIT = 1 << 20 };

#define ON(name) (1u << COMMAND_##name)
/* Commands that need no network, and do another thing with one. */
#define NO_SITE (ON(algorithms) | ON(emit))
/* X(id, name of the key and of the option, kind, group, commands that do not take it, meaning). Those of a
 * SITE are taken with its topology only. A FILE may be named from the folder of the config. */
#define USUAL(X)                                                                                             \
    X(topology, "topology", text, SITE_FILE, ON(lint) | ON(pick) | ON(diff) | NO_SITE,                       \
      "the network where none is given")                                                                     \
    X(routes, "routes", text, SITE_FILE, NO_SITE, "its forwarding tables, a file or a folder")               \
    X(adapters, "adapters", text, SITE, NO_SITE, "only these adapters of its hosts")                         \
    X(rank_adapters, "rank-adapters", text, SITE_FILE, NO_SITE,                                              \
      "adapter of each rank: slot, block, stripe, near:FILE or a file")                                      \
    X(between_rails, "between-rails", rails, SITE, NO_SITE, "how a message gets from one rail to another")   \
    X(overhead, "overhead", time, COSTS, ON(fit) | ON(why), "o: time of a rank for each message")            \
    X(gap, "gap", time, COSTS, ON(fit) | ON(why), "g: least time between messages of a host")                \
    X(memory_bandwidth, "memory-bandwidth", rate, COSTS, ON(fit) | ON(why), "copies within a host")          \
    X(memory_latency, "memory-latency", time, COSTS, ON(fit) | ON(why), "latency within a host")             \
    X(inside_bandwidth, "inside-bandwidth", rate, COSTS, ON(fit) | ON(why),                                  \
      "messages within a host that do not share its memory")                                                 \
    X(process_bandwidth, "process-bandwidth", rate, COSTS, ON(fit) | ON(why),                                \
      "what one rank sends or receives")                                                                     \
    X(mpirun, "mpirun", text, MPI, 0, "launches MPI programs, such as mpirun --hostfile hosts")              \
    X(mpicc, "mpicc", text, MPI, 0, "compiles MPI programs")

enum usual_group { SITE, SITE_FILE, COSTS, MPI };
enum {
#define X(id, ...) USUAL_##id,
    USUAL(X)
#undef X
        N_USUAL
};
/* Words of one file; text NULL: it does not say. */
struct usual_file {
    struct key_word words[N_USUAL];
};

static const struct key_kind usual_text = {.read = keys_read_word},
                             usual_rails = {.read = keys_read_word, .words = "host|fabric"},
                             usual_time = {.read = keys_read_word, .pattern = "^[0-9.]+ ?(n|u|m)?s$"},
                             usual_rate = {.read = keys_read_word,
                                           .pattern = "^[0-9.]+ ?[KMGTkmgt]?i?(B|b|bit)/s$"};
static const struct key usual_key_list[] = {
#define X(id, name, kind, group, without, meaning)                                                           \
    {name, &usual_##kind, USUAL_##id * sizeof(struct key_word), false, NULL, meaning},
    USUAL(X)
#undef X
};
const struct key_table usual_keys = KEY_TABLE(usual_key_list);

static const struct usual_use {
    enum usual_group group;
    uint32_t without; /* commands that do not take it */
} usual_uses[] = {
#define X(id, name, kind, group, without, meaning) {group, without},
    USUAL(X)
#undef X
};

/* Returns the command's option that takes key i; NULL: it has none, or the option means something else there.
 */
static const struct option_info *usual_option(enum command command, size_t i)
{
    for (size_t k = 0; k < n_options; k++)
        if (strcmp(option_table[k].name, usual_keys.items[i].name) == 0 &&
            (option_table[k].commands & ~usual_uses[i].without & (1u << command)))
            return &option_table[k];
    return NULL;
}

/* ---- files ---- */

/* Reads the file if there is one. False after saying what is wrong. */
static bool usual_read(struct options *options, const char *path, struct usual_file *file,
                       struct diagnostics *diagnostics)
{
    struct arena *arena = &options->arena;
    *file = (struct usual_file){.words = {{.text = NULL}}};
    const char *other = arena_printf(arena, "%.*s.yml", (int)(strlen(path) - strlen(".yaml")), path);
    if (access(path, F_OK) != 0 && access(other, F_OK) == 0)
        fprintf(stderr, "collc: note: '%s' is not read: the name is config.yaml\n", other);
    if (access(path, F_OK) != 0)
        return true;
    const struct source *source = source_read(path, FILE_LIMIT, arena, diagnostics);
    struct key_reader reader = {source, arena, diagnostics, "docs/topology.md", file, false, NULL};
    if (!source || !source_check_utf8(source, diagnostics))
        return false;
    const struct yaml_node *root = yaml_read(source, CODE_K001, arena, diagnostics);
    if (!root)
        return false;
    keys_read(&reader, root, &usual_keys, file);
    for (size_t i = 0; i < N_USUAL && !reader.failed; i++)
        if (usual_uses[i].group <= SITE_FILE && file->words[i].text && !file->words[USUAL_topology].text)
            keys_refuse(&reader, CODE_K001, yaml_find(root, usual_keys.items[i].name),
                        "'%s' is of a network, and there is no 'topology'", usual_keys.items[i].name)
                ->help = "write topology: with the network, or leave the key out";
    return !reader.failed;
}

/* Returns the text, or the path of the file of that name beside the config. */
static const char *usual_path(const struct key_word *word, struct arena *arena)
{
    const char *config = word->position.source->path, *slash = strrchr(config, '/');
    const char *path = arena_printf(arena, "%.*s/%s", (int)(slash - config), config, word->text);
    return word->text[0] != '/' && access(path, F_OK) == 0 ? path : word->text;
}

/* Takes key i of a file, and adds it to what is said, unless it would have no effect. */
static bool usual_take_word(struct options *options, const struct option_info *info,
                            const struct usual_file *file, size_t i, struct text *said,
                            struct diagnostics *diagnostics)
{
    const struct key_word *word = &file->words[i];
    const char *text = usual_uses[i].group == SITE_FILE ? usual_path(word, &options->arena) : word->text;
    const struct options before = *options;
    if (option_take(options, info, text) != VALUE_OK) {
        report(diagnostics, CODE_K002, word->position, "'%s' is not %s", text,
               option_domain(info, &options->arena))
            ->help = diagnostics_text(diagnostics, "'%s' is the option --%s of 'collc %s'", info->name,
                                      info->name, command_table[options->command].name);
        return false;
    }
    if (combinations_has_effect(options, info)) {
        options->is_usual_site |= usual_uses[i].group <= SITE_FILE;
        text_printf(said, " --%s %s", info->name, text);
        return true;
    }
    const struct arena arena = options->arena;
    *options = before;
    options->arena = arena;
    return true;
}

/* Takes what a file says and nobody before it; `given` grows. */
static bool usual_take_file(struct options *options, const char *path, bool *given,
                            struct diagnostics *diagnostics)
{
    struct usual_file file;
    struct text said = {0};
    bool is_good = usual_read(options, path, &file, diagnostics);
    const bool has_site = file.words[USUAL_topology].text && !given[USUAL_topology];
    for (size_t i = 0; i < N_USUAL && is_good; i++) {
        const struct option_info *info = usual_option(options->command, i);
        const bool is_of_site = usual_uses[i].group <= SITE_FILE;
        if (!info || given[i] || !file.words[i].text || (is_of_site && !has_site))
            continue;
        given[i] = true;
        is_good = usual_take_word(options, info, &file, i, &said, diagnostics);
    }
    if (is_good && said.length && !options->quiet)
        fprintf(stderr, "collc: note: %s:%s\n", path, said.data);
    text_free(&said);
    return is_good;
}

/* Takes the files of a list of folders, the first one first. Names that are not absolute do not count. */
static bool usual_take_folders(struct options *options, const char *folders, bool *given,
                               struct diagnostics *diagnostics)
{
    bool is_good = true;
    for (const char *at = folders; *at && is_good; at += strcspn(at, ":"), at += *at == ':')
        if (*at == '/')
            is_good = usual_take_file(
                options, arena_printf(&options->arena, "%.*s/collc/config.yaml", (int)strcspn(at, ":"), at),
                given, diagnostics);
    return is_good;
}

static const char *usual_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* ---- all of it ---- */

/* Takes the network of $COLLC_TOPOLOGY; false after refusing it. Set to nothing, it says that there is none.
 */
static bool usual_take_variable(struct options *options, bool *given)
{
    const char *usual = getenv("COLLC_TOPOLOGY");
    const struct option_info *info = usual_option(options->command, USUAL_topology);
    if (!usual || given[USUAL_topology])
        return true;
    given[USUAL_topology] = true;
    if (!*usual || !info)
        return true;
    options->is_usual = true;
    const enum value_result result = option_take(options, info, usual);
    if (result != VALUE_OK)
        option_refuse_value(options, info, usual, result);
    return result == VALUE_OK;
}

bool usual_take(struct options *options, const bool *given, bool has_network)
{
    bool is_given[N_USUAL] = {false}, takes_any = false;
    struct diagnostics diagnostics = {0};
    for (size_t i = 0; i < N_USUAL; i++) {
        const struct option_info *info = usual_option(options->command, i);
        is_given[i] = info && (given[info - option_table] || (i == USUAL_topology && has_network));
        takes_any |= info && !is_given[i];
    }
    const char *home = usual_environment("HOME", "");
    const char *own = usual_environment("XDG_CONFIG_HOME", arena_printf(&options->arena, "%s/.config", home));
    const bool is_good =
        !takes_any ||
        (usual_take_variable(options, is_given) && usual_take_folders(options, own, is_given, &diagnostics) &&
         usual_take_folders(options, usual_environment("XDG_CONFIG_DIRS", "/etc/xdg:/etc"), is_given,
                            &diagnostics));
    options->is_usual |= options->is_usual_site;
    say_diagnostics(options, &diagnostics);
    diagnostics_free(&diagnostics);
    return is_good;
}

void usual_leave_network(struct options *options, const char *other)
{
    if (options->is_usual_site && !options->quiet)
        fprintf(stderr, "collc: note: the schedule file names the network '%s', which counts\n", other);
    options->topology = NULL;
    if (options->is_usual_site) {
        options->routes = (struct text_list){NULL, 0};
        options->adapters = options->rank_adapters = options->between_rails = NULL;
    }
}
