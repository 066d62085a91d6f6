/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See first_project.h.
 */
#include "study/project/first_project.h"

#include "network/formats/formats.h"
#include "schedules/schedules.h"

#include <string.h>

enum { FILE_LIMIT = 64 << 20 };

enum kind_of_file { FILE_IS_OTHER, FILE_IS_SCHEDULE, FILE_IS_NETWORK, FILE_IS_UNREAD };

static bool first_project_has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

/* A list of names is a network only if somebody says so: prose has such lines, too. */
static bool looks_like_network(const struct source *source)
{
    const char *format = topology_format_name(source);
    return format && strcmp(format, "hosts") != 0;
}

static enum kind_of_file first_project_kind_of(const char *path)
{
    struct arena arena = {0};
    struct diagnostics unread = {0};
    enum kind_of_file kind = FILE_IS_OTHER;
    const struct source *source = source_read(path, FILE_LIMIT, &arena, &unread);
    if (source && (first_project_has_ending(path, ".coll") || schedules_is_file(source))) {
        kind = FILE_IS_SCHEDULE;
    } else if (source && looks_like_network(source)) {
        struct topology *topology = topology_read(path, &unread);
        kind = topology ? FILE_IS_NETWORK : FILE_IS_UNREAD;
        topology_free(topology);
    }
    diagnostics_free(&unread);
    arena_free(&arena);
    return kind;
}

/* Appends an item of a list: a scalar of YAML in double quotes. */
static void first_project_put_item(struct text *out, const char *before, const char *name)
{
    text_printf(out, "%s\"", before);
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            text_append(out, "\\", 1);
        text_append(out, name, 1);
    }
    text_printf(out, "\"\n");
}

/* Appends the list of the files of a kind under its key; returns their number. */
static size_t first_project_put_list(const struct file_list *files, const enum kind_of_file *kinds,
                                     enum kind_of_file kind, const char *key, const char *before,
                                     struct text *out)
{
    size_t n = 0;
    for (size_t i = 0; i < files->n; i++)
        if (kinds[i] == kind) {
            const char *path = files->paths[i];
            if (!n++)
                text_printf(out, "%s", key);
            first_project_put_item(out, before, strncmp(path, "./", 2) == 0 ? path + 2 : path);
        }
    return n;
}

struct first_project first_project_write(const struct file_list *files, struct text *out)
{
    struct first_project found = {.n_schedules = 0};
    struct arena arena = {0};
    enum kind_of_file *kinds = arena_alloc(&arena, files->n + 1, sizeof *kinds);
    for (size_t i = 0; i < files->n; i++)
        kinds[i] = first_project_kind_of(files->paths[i]);
    text_printf(out, "# 'collc check' checks every schedule on every network (docs/ci.md).\nversion: 1\n");
    found.n_schedules = first_project_put_list(files, kinds, FILE_IS_SCHEDULE, "schedules:\n", "  - ", out);
    if (!found.n_schedules)
        text_printf(out, "as: # the algorithms that an MPI takes\n"
                         "  - {target: ompi-4.1, collectives: [alltoall, allreduce], bytes: [1KiB, 1MiB]}\n");
    found.n_networks = first_project_put_list(files, kinds, FILE_IS_NETWORK, "networks:\n", "  - ", out);
    if (!found.n_networks)
        text_printf(out, "networks:\n  - star:16 # a file of yours, or a shape\n");
    found.n_unread = first_project_put_list(
        files, kinds, FILE_IS_UNREAD,
        "# These look like networks and cannot be read; 'collc topo FILE' says why:\n", "#   ", out);
    text_printf(out, "# limits: {max-link-load: 2, max-fan-in: 1}\n");
    arena_free(&arena);
    return found;
}
