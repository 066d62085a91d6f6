/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See first_project.h.
 */
#include "study/project/first_project.h"

#include "network/formats/formats.h"
#include "study/known_file.h"
#include "study/taken.h"

#include <string.h>

enum { FILE_LIMIT = 64 << 20, USUAL_HOSTS = 16 };

/* A file of the folder. */
struct found_file {
    const char *path;
    struct known_file known;
    bool is_unread;      /* a network that cannot be read */
    struct arena arena;  /* of a table */
    bool lacks_network;  /* a schedule that names hosts, and no network has them */
    uint32_t n_machines; /* of a network */
};

/* The folder. */
struct first_files {
    struct found_file *items;
    size_t n;
    bool has_network;
    struct arena arena;
    struct text *out;
};

static void first_project_look(struct first_files *files, const char *path)
{
    struct diagnostics unread = {0};
    struct found_file *file = &files->items[files->n++];
    const struct source *source;
    file->path = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    source = source_read(file->path, FILE_LIMIT, &file->arena, &unread);
    if (source)
        file->known = known_file_of(source, &file->arena);
    file->known.help = file->known.help ? arena_printf(&files->arena, "%s", file->known.help) : NULL;
    if (!file->known.table) {
        arena_free(&file->arena);
        file->arena = (struct arena){0};
    }
    struct topology *topology = file->known.kind == KNOWN_NETWORK ? topology_read(path, &unread) : NULL;
    file->is_unread = file->known.kind == KNOWN_NETWORK && !topology;
    file->n_machines = topology ? topology->n_machines : 0;
    topology_free(topology);
    diagnostics_free(&unread);
}

/* Appends a scalar of YAML in double quotes. */
static void first_project_put_name(struct text *out, const char *name)
{
    text_printf(out, "\"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            text_append(out, "\\", 1);
        text_append(out, name, 1);
    }
    text_printf(out, "\"");
}

static bool first_project_lists(const struct found_file *file, enum known_kind kind)
{
    const bool is_schedule = (file->known.kind == KNOWN_SCHEDULE && !file->lacks_network) ||
                             file->known.kind == KNOWN_ALGORITHM;
    return !file->is_unread && (kind == KNOWN_SCHEDULE ? is_schedule : file->known.kind == kind);
}

/* Appends the list of the files of a kind under its key; returns their number. */
static size_t first_project_put_list(const struct first_files *files, enum known_kind kind, const char *key)
{
    size_t n = 0;
    for (size_t i = 0; i < files->n; i++) {
        if (!first_project_lists(&files->items[i], kind))
            continue;
        text_printf(files->out, "%s  - ", n++ ? "" : key);
        first_project_put_name(files->out, files->items[i].path);
        text_printf(files->out, "\n");
    }
    return n;
}

/* ---- tables ---- */

static const struct span sizes_of_table[] = {{1 << 10, 1 << 10}, {1 << 20, 1 << 20}};
#define SIZES_WORDS "[1KiB, 1MiB]"

/* True if the table decides the collective for some size on so many hosts, and the library has what it
 * takes. */
static bool first_project_decides(const struct table *table, uint32_t collective, uint32_t n_hosts,
                                  struct arena *arena)
{
    const struct table_query query = {
        .collective = collective, .n_ranks = n_hosts, .n_nodes = n_hosts, .type_bytes = 8};
    bool decides = false, has_all = true;
    for (size_t i = 0; i < sizeof sizes_of_table / sizeof *sizes_of_table; i++) {
        const struct taken taken = taken_find(table, &query, sizes_of_table[i].first, arena);
        decides = decides || taken.range.rule;
        has_all = has_all && !taken.problem;
    }
    return decides && has_all;
}

/* True if a project may ask for the collective of the table on every network. */
static bool first_project_wants(const struct first_files *files, const struct table *table,
                                uint32_t collective, struct arena *arena)
{
    enum collective_form form;
    const char *name = table->loader->collectives[collective];
    bool is_known =
        collective_find_form(name, strlen(name), &form) != N_COLLECTIVES && form == FORM_EQUAL;
    size_t n_networks = 0;
    for (size_t i = 0; i < files->n && is_known; i++)
        if (first_project_lists(&files->items[i], KNOWN_NETWORK)) {
            is_known = first_project_decides(table, collective, files->items[i].n_machines, arena);
            n_networks++;
        }
    return is_known && (n_networks || first_project_decides(table, collective, USUAL_HOSTS, arena));
}

/* Appends an item of as: for a table; false, and nothing, if it decides nothing that can be checked. */
static bool first_project_put_table(struct first_files *files, const struct found_file *file, bool is_first)
{
    const struct table *table = file->known.table;
    struct text names = {0};
    for (uint32_t i = 0; i < table->loader->n_collectives; i++)
        if (first_project_wants(files, table, i, &files->arena))
            text_printf(&names, "%s%s", names.length ? ", " : "", table->loader->collectives[i]);
    const bool has_any = names.length;
    if (has_any) {
        text_printf(files->out, "%s  - {target: %s, rules: ", is_first ? "as: # by the rules and settings here\n" : "",
                    table->loader->target);
        first_project_put_name(files->out, file->path);
        text_printf(files->out, ", collectives: [%s], bytes: " SIZES_WORDS "}\n", names.data);
    }
    text_free(&names);
    return has_any;
}

static size_t first_project_put_tables(struct first_files *files)
{
    size_t n = 0;
    for (size_t i = 0; i < files->n; i++)
        if (first_project_lists(&files->items[i], KNOWN_TABLE)) {
            if (first_project_put_table(files, &files->items[i], n == 0))
                n++;
            else
                files->items[i].known.table = NULL; /* it is said with the others */
        }
    return n;
}

/* ---- the rest ---- */

/* Appends a comment for each other file that collc knows; returns their number. */
static size_t first_project_put_others(const struct first_files *files)
{
    size_t n = 0;
    for (size_t i = 0; i < files->n; i++) {
        const struct found_file *file = &files->items[i];
        if (file->is_unread || !file->known.help || file->known.table ||
            first_project_lists(file, KNOWN_SCHEDULE) ||
            first_project_lists(file, KNOWN_NETWORK) || first_project_lists(file, KNOWN_PROJECT))
            continue;
        text_printf(files->out, "%s#   ", n++ ? "" : "# Other commands take these:\n");
        first_project_put_name(files->out, file->path);
        text_printf(files->out, ": %s\n", file->known.help);
    }
    return n;
}

static size_t first_project_put_unread(const struct first_files *files)
{
    size_t n = 0;
    for (size_t i = 0; i < files->n; i++) {
        if (!files->items[i].is_unread)
            continue;
        text_printf(files->out, "%s#   ", n++ ? "" : "# These look like networks and cannot be read; 'collc topo FILE' "
                                                     "says why:\n");
        first_project_put_name(files->out, files->items[i].path);
        text_printf(files->out, "\n");
    }
    return n;
}

struct first_project first_project_write(const struct file_list *list, struct text *out)
{
    struct first_project found = {.n_schedules = 0};
    struct first_files files = {.out = out};
    files.items = arena_alloc(&files.arena, list->n + 1, sizeof *files.items);
    for (size_t i = 0; i < list->n; i++) {
        first_project_look(&files, list->paths[i]);
        files.has_network |= first_project_lists(&files.items[i], KNOWN_NETWORK);
    }
    for (size_t i = 0; i < files.n; i++)
        files.items[i].lacks_network = files.items[i].known.names_hosts && !files.has_network;
    text_printf(out, "# 'collc check' checks every schedule on every network (docs/ci.md).\nversion: 1\n");
    found.n_schedules = first_project_put_list(&files, KNOWN_SCHEDULE, "schedules:\n");
    found.n_tables = first_project_put_tables(&files);
    if (!found.n_schedules && !found.n_tables)
        text_printf(out, "as: # the algorithms that an MPI takes\n"
                         "  - {target: ompi-4.1, collectives: [alltoall, allreduce], bytes: " SIZES_WORDS "}\n");
    found.n_networks = first_project_put_list(&files, KNOWN_NETWORK, "networks:\n");
    if (!found.n_networks)
        text_printf(out, "networks:\n  - star:%d # a file of yours, or a shape\n", USUAL_HOSTS);
    found.n_unread = first_project_put_unread(&files);
    found.n_others = first_project_put_others(&files);
    text_printf(out, "# limits: {max-link-load: 2, max-fan-in: 1}\n");
    for (size_t i = 0; i < files.n; i++)
        arena_free(&files.items[i].arena);
    arena_free(&files.arena);
    return found;
}
