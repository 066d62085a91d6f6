/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells the formats apart by their content, and finishes what readers of
 * explicit networks have in common.
 */
#include "network/formats/readers.h"
#include "base/codes.h"
#include "base/text/file_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A cluster of 10^5 machines needs about 100 MB of ibnetdiscover text. */
#define FILE_LIMIT ((size_t)256 << 20)

/* Files of a folder together. */
#define FOLDER_LIMIT ((size_t)1 << 30)

static const char formats_help[] = "known formats, see docs/formats.md:"
#define FORMAT(name, title) " " #name
#include "network/formats/formats.def"
    "; FORMAT:FILE names one; strings are such as star:24, torus:8x8x8, fattree:16x16";
static const char tables_help[] =
    "these are forwarding tables: give them with --routes, beside the topology they belong to";

struct format {
    const char *name;
    bool (*is_format)(const struct source *source);
    struct topology *(*read)(const struct source *source, struct diagnostics *diagnostics);
    /* of a folder format, which has no `read` */
    struct topology *(*read_files)(const struct source_list *files,
                                   struct diagnostics *diagnostics);
};

static const struct format formats[] = {
#define FORMAT(name, title) {#name, is_##name, read_##name, NULL},
#define FOLDER_FORMAT(name, title) {#name, is_##name, NULL, read_##name},
#include "network/formats/formats.def"
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const char *source_start(const struct source *source)
{
    const char *text = source->text;
    if (source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    return text + strspn(text, " \t\r\n");
}

/* ---- which format ---- */

/* The format named in front of a file, and the file; NULL: none is named. */
static const struct format *named_format(const char **spec)
{
    size_t length = strcspn(*spec, ":");
    if ((*spec)[length] != ':')
        return NULL;
    for (uint32_t i = 0; i < N_FORMATS; i++)
        if (strlen(formats[i].name) == length && memcmp(formats[i].name, *spec, length) == 0) {
            *spec += length + 1;
            return &formats[i];
        }
    return NULL;
}

static const struct format *format_of(const struct source *source)
{
    for (uint32_t i = 0; i < N_FORMATS; i++)
        if (formats[i].is_format(source))
            return &formats[i];
    return NULL;
}

const char *topology_format(const struct source *source)
{
    const struct format *format = format_of(source);
    return format ? format->name : NULL;
}

static const struct format *recognise(const struct source *source,
                                      struct diagnostics *diagnostics)
{
    const struct format *format = format_of(source);
    if (format)
        return format;
    bool is_tables = strstr(source->text, "Unicast lids") || strstr(source->text, "dump_ucast_routes");
    report(diagnostics, CODE_T007, source_position(source, 0, 1),
           *source_start(source) ? "'%s' has none of the topology formats" : "'%s' is empty",
           source->path)
        ->help = is_tables ? tables_help : formats_help;
    return NULL;
}

/* "tor:8x8" is a slip in a kind, unless there is a file of that name. */
static bool is_meant_as_synthetic(const char *spec)
{
    size_t letters = strspn(spec, "abcdefghijklmnopqrstuvwxyz");
    return looks_like_synthetic(spec) ||
           (letters && spec[letters] == ':' && access(spec, F_OK) != 0);
}

/* ---- files ---- */

/* Says in a copy by which file it is named. */
static const struct source *name_by(const struct source *source, const struct source *whole,
                                    struct arena *arena)
{
    struct source *copy = arena_alloc(arena, 1, sizeof *copy);
    *copy = *source;
    copy->named_by = whole;
    return copy;
}

/* Reads all of them; false after reporting. */
static bool read_sources(const struct file_list *paths, const struct source *whole,
                         struct source_list *files, struct diagnostics *diagnostics)
{
    size_t room = FOLDER_LIMIT;
    files->items = arena_alloc(&diagnostics->arena, paths->n, sizeof *files->items);
    for (; files->n < paths->n; files->n++) {
        size_t limit = room < FILE_LIMIT ? room : FILE_LIMIT;
        const struct source *source =
            source_read(paths->paths[files->n], limit, &diagnostics->arena, diagnostics);
        if (!source || !source_check_utf8(source, diagnostics))
            return false;
        room -= source->length;
        files->items[files->n] = name_by(source, whole, &diagnostics->arena);
    }
    return true;
}

static struct topology *read_files(const struct format *format, const struct source_list *files,
                                   struct diagnostics *diagnostics)
{
    if (!format)
        format = recognise(files->items[0], diagnostics);
    if (!format)
        return NULL;
    if (format->read_files)
        return format->read_files(files, diagnostics);
    if (files->n == 1)
        return format->read(files->items[0], diagnostics);
    report(diagnostics, CODE_T007, source_position(files->items[1], 0, 1),
           "a folder of %zu files, but %s is one file", files->n, format->name)
        ->help = "name the file itself";
    return NULL;
}

static struct topology *read_named(const char *name, const struct format *format,
                                   const struct source *whole, struct diagnostics *diagnostics)
{
    struct file_list paths = {0};
    struct source_list files = {0};
    struct topology *topology = NULL;
    if (file_list_add(&paths, name, diagnostics) &&
        read_sources(&paths, whole, &files, diagnostics))
        topology = read_files(format, &files, diagnostics);
    file_list_free(&paths);
    return topology;
}

struct topology *topology_read(const char *spec, struct diagnostics *diagnostics)
{
    const struct format *format = named_format(&spec);
    const char *example = format ? NULL : synthetic_example(spec);
    if (example && access(spec, F_OK) != 0) {
        report(diagnostics, CODE_T001, (struct position){0}, "'%s': a kind of topology without its numbers",
               spec)->help = diagnostics_text(diagnostics, "write %s", example);
        return NULL;
    }
    if (format || !is_meant_as_synthetic(spec))
        return read_named(spec, format, NULL, diagnostics);
    const struct source *source =
        source_of_text("<topology>", spec, strlen(spec), &diagnostics->arena);
    return source_check_utf8(source, diagnostics) ? read_synthetic(source, diagnostics) : NULL;
}

char *beside(const struct source *whole, const char *path)
{
    const char *slash = strrchr(whole->path, '/');
    size_t folder = slash && *path != '/' ? (size_t)(slash - whole->path) + 1 : 0;
    struct text joined = {0};
    text_append(&joined, whole->path, folder);
    text_append(&joined, path, strlen(path));
    return joined.data;
}

struct topology *topology_read_part(const char *spec, const struct source *whole,
                                    struct diagnostics *diagnostics)
{
    const struct format *format = named_format(&spec);
    if (!format && looks_like_synthetic(spec))
        return topology_read(spec, diagnostics);
    char *path = beside(whole, spec);
    struct topology *topology = read_named(path, format, whole, diagnostics);
    free(path);
    return topology;
}

/* ---- explicit networks ---- */

static void report_gap(const struct topology *topology, const struct graph_gap *gap,
                       struct position position, struct diagnostics *diagnostics)
{
    const struct graph *graph = topology->graph;
    struct diagnostic *diagnostic =
        report(diagnostics, CODE_T005, position,
               "no route between machines '%s' and '%s': the first reaches %u of %u machines",
               graph_name(graph, gap->from), graph_name(graph, gap->to), gap->n_reached,
               graph->n_machines);
    diagnostic->help = "machines forward nothing: every one must reach every other over routers; "
                       "give each of several networks a file of its own";
}

struct topology *graph_topology(const struct topology_settings *settings, struct graph *graph,
                                struct position position, struct diagnostics *diagnostics)
{
    struct graph_gap gap;
    if (!graph->n_machines) {
        report(diagnostics, CODE_T004, position, "the network has no machines");
        graph_free(graph);
        return NULL;
    }
    graph_seal(graph);
    struct topology *topology = topology_new_graph(settings, graph);
    if (!graph_find_gap(graph, &gap))
        return topology;
    report_gap(topology, &gap, position, diagnostics);
    topology_free(topology);
    return NULL;
}
