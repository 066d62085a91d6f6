/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells the formats apart by their content, and reads files by them.
 */
#include "network/formats/formats.h"
#include "base/codes.h"
#include "base/text/excerpt.h"
#include "base/text/file_list.h"
#include "base/text/slice.h"
#include "base/text/xml.h"
#include "network/formats/synthetic/shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limit in bytes of a file: a cluster of 10^5 machines needs about 100 MB of ibnetdiscover text. */
#define FILE_LIMIT ((size_t)256 << 20)

/* Limit in bytes of the files of a folder together. */
#define FOLDER_LIMIT ((size_t)1 << 30)

static const char formats_help[] = "known formats, see docs/formats.md:"
#define READS(name, spelling, title) " " spelling
#include "network/formats/formats.def"
    "; FORMAT:FILE names one; strings are such as star:24, torus:8x8x8, fattree:16x16; any other network can be "
    "written as DOT: graph { n0 -- sw0; n1 -- sw0 }";

/* Files that users often give instead of a network: words in them, and help. */
static const struct stranger {
    const char *words, *help;
} strangers[] = {
    {"Unicast lids", "these are forwarding tables: give them with --routes, beside the topology they belong to"},
    {"dump_ucast_routes", "these are forwarding tables: give them with --routes, beside the topology they belong to"},
    {"Ca\t : 0x", "this is a list of nodes, without cables: take what ibnetdiscover prints without -l"},
    {"Ca\t: 0x", "this is a list of nodes, without cables: take what ibnetdiscover prints, not ibhosts or ibnodes"},
    {"Switch\t : 0x", "this is a list of nodes, without cables: take what ibnetdiscover prints without -l"},
    {"Switch\t: 0x", "this is a list of nodes, without cables: take what ibnetdiscover prints, not ibswitches"},
    {"Switch: guid 0x", "these are OpenSM's distances between ports: take its opensm-subnet.lst, or ibnetdiscover"},
    {"JobId=", "this is about a job: the network is in topology.conf, or in 'scontrol show topology'"},
    {"\"nodes\"", "of JSON there are lists of LLDP, UFM and clouds; any other network can be written as DOT: "
                  "graph { n0 -- sw0; n1 -- sw0 }"},
};

static const char *const names[] = {
#define READS(name, spelling, title) spelling,
#include "network/formats/formats.def"
};
static const struct topology_format *const formats[] = {
#define READS(name, spelling, title) &name##_format,
#include "network/formats/formats.def"
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* ---- which format ---- */

/* Returns the format named in front of a file, and the file; NULL if none is named. */
static const struct topology_format *named_format(const char **spec)
{
    size_t length = strcspn(*spec, ":");
    if ((*spec)[length] != ':')
        return NULL;
    for (uint32_t i = 0; i < N_FORMATS; i++)
        if (slice_is((struct slice){*spec, length}, names[i])) {
            *spec += length + 1;
            return formats[i];
        }
    return NULL;
}

/* Returns the number of the format of the text, or N_FORMATS. */
static uint32_t format_of(const struct source *source)
{
    uint32_t i = 0;
    while (i < N_FORMATS && !formats[i]->is(source))
        i++;
    return i;
}

const char *topology_format_name(const struct source *source)
{
    const uint32_t i = format_of(source);
    const bool is_other_xml = i < N_FORMATS && formats[i] == &xml_format && !xml_root_is(source, "topology");
    return i < N_FORMATS && !is_other_xml ? names[i] : NULL;
}

const char *topology_stranger_help(const struct source *source)
{
    size_t of = 0;
    while (of < sizeof strangers / sizeof *strangers && !strstr(source->text, strangers[of].words))
        of++;
    return of < sizeof strangers / sizeof *strangers ? strangers[of].help : NULL;
}

/* True if a part of a text is in some format, but a list of names: prose has such lines, too. */
static bool formats_read_is_known(const struct source *source)
{
    const uint32_t i = format_of(source);
    return i < N_FORMATS && formats[i] != &hosts_format;
}

/* Puts in place of a file the part of it that `is` knows, and says so. False if there is none. */
static bool formats_read_find(const struct source **source, bool (*is)(const struct source *source),
                              struct diagnostics *diagnostics)
{
    uint32_t line;
    const struct source *part = excerpt_find(*source, is, &diagnostics->arena, &line);
    if (!part)
        return false;
    report(diagnostics, CODE_T008, (struct position){.source = *source},
           "'%s': what is read begins in line %u; the rest is left out", (*source)->path, line);
    *source = part;
    return true;
}

/* Returns the format of a file, or of the part of it that is in one. NULL after reporting T007. */
static const struct topology_format *formats_read_recognise(const struct source **file,
                                                            struct diagnostics *diagnostics)
{
    uint32_t i = format_of(*file);
    if ((i == N_FORMATS || excerpt_has_fences(*file)) &&
        formats_read_find(file, formats_read_is_known, diagnostics))
        i = format_of(*file);
    if (i < N_FORMATS)
        return formats[i];
    const struct source *source = *file;
    const char *help = topology_stranger_help(source);
    report(diagnostics, CODE_T007, source_position(source, 0, 1),
           *source_start(source) ? "'%s' has none of the topology formats" : "'%s' is empty",
           source->path)
        ->help = help ? help : formats_help;
    return NULL;
}

/* ---- files ---- */

/* A file, or a folder, as it was named. */
struct formats_place {
    const char *path;
    const char *part;           /* of a file with several networks, or NULL */
    const struct source *whole; /* the file that names it, or NULL */
};

/* Says in a copy how it is named. */
static const struct source *name_by(const struct source *source, const struct formats_place *place,
                                    struct arena *arena)
{
    struct source *copy = arena_alloc(arena, 1, sizeof *copy);
    *copy = *source;
    copy->named_by = place->whole;
    copy->part = place->part;
    return copy;
}

/* Splits "topology.yaml:fast" where there is no file of that name, but one called topology.yaml. */
static struct formats_place formats_find_place(const char *name, const struct source *whole,
                                               struct arena *arena)
{
    struct formats_place place = {name, NULL, whole};
    const char *colon = strrchr(name, ':');
    if (!colon || colon == name || !colon[1] || access(name, F_OK) == 0)
        return place;
    const char *path = arena_strndup(arena, name, (size_t)(colon - name));
    if (access(path, F_OK) == 0)
        place = (struct formats_place){path, colon + 1, whole};
    return place;
}

/* True for "tor:8x8", a slip in a kind, unless a file has that name. */
static bool is_meant_as_synthetic(const char *spec, struct arena *arena)
{
    size_t letters = strspn(spec, "abcdefghijklmnopqrstuvwxyz");
    return synthetic_is(spec) || (letters && spec[letters] == ':' && access(spec, F_OK) != 0 &&
                                  !formats_find_place(spec, NULL, arena).part);
}

/* Reads all of them; false after reporting. */
static bool formats_read_sources(const struct file_list *paths, const struct formats_place *place,
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
        files->items[files->n] = excerpt_clean(name_by(source, place, &diagnostics->arena),
                                               &diagnostics->arena);
    }
    return true;
}

static topology_part_reader formats_read_part;

static const char *formats_read_name_of(const struct topology_format *format)
{
    uint32_t i = 0;
    while (formats[i] != format)
        i++;
    return names[i];
}

/* Reads the files in the format of the first one, unless one is named. */
static struct topology *read_files(const struct topology_format *format,
                                   const struct source_list *files,
                                   struct diagnostics *diagnostics)
{
    if (!format)
        format = formats_read_recognise(&files->items[0], diagnostics);
    if (!format)
        return NULL;
    for (size_t i = 0; i < files->n; i++)
        if (!format->is(files->items[i]) || excerpt_has_fences(files->items[i]))
            formats_read_find(&files->items[i], format->is, diagnostics);
    if (files->items[0]->part && !format->has_parts) {
        report(diagnostics, CODE_T024, source_position(files->items[0], 0, 1),
               "'%s': a file in the format %s holds one network", files->items[0]->part, formats_read_name_of(format))
            ->help = "FILE:NAME is for files with several, such as Slurm's topology.yaml: leave ':NAME' out";
        return NULL;
    }
    if (format->read_files)
        return format->read_files(files, diagnostics);
    if (files->n > 1) {
        report(diagnostics, CODE_T007, source_position(files->items[1], 0, 1),
               "a folder of %zu files, but %s is one file", files->n, formats_read_name_of(format))
            ->help = "name the file itself";
        return NULL;
    }
    if (format->read_with_parts)
        return format->read_with_parts(files->items[0], formats_read_part, diagnostics);
    return format->read(files->items[0], diagnostics);
}

struct topology *topology_read_source(const struct topology_format *format,
                                      const struct source *source,
                                      struct diagnostics *diagnostics)
{
    struct source_list alone = {&source, 1};
    return read_files(format, &alone, diagnostics);
}

static struct topology *formats_read_named(const char *name, const struct topology_format *format,
                                           const struct source *whole, struct diagnostics *diagnostics)
{
    struct file_list paths = {0};
    struct source_list files = {0};
    struct topology *topology = NULL;
    const struct diagnostic *before = diagnostics->last;
    const struct formats_place place = formats_find_place(name, whole, &diagnostics->arena);
    if (file_list_add(&paths, place.path, diagnostics) &&
        formats_read_sources(&paths, &place, &files, diagnostics))
        topology = read_files(format, &files, diagnostics);
    const char *seen = !topology && format && files.n ? topology_format_name(files.items[0]) : NULL;
    struct diagnostic *found = before ? before->next : diagnostics->first;
    if (seen && found && strcmp(seen, formats_read_name_of(format)) != 0)
        found->help = diagnostics_text(diagnostics, "it looks like %s: leave '%s:' out", seen,
                                       formats_read_name_of(format));
    const bool is_folder = files.n && strcmp(paths.paths[0], place.path) != 0;
    const struct source *last = is_folder && !topology ? diagnostics->last->position.source : NULL;
    if (!format && last && !topology_format_name(last))
        diagnostics->last->help =
            diagnostics_text(diagnostics, "'%s' is a folder, all files of which are read as one network: take this "
                                          "file out of the folder, or name the file of yours", name);
    file_list_free(&paths);
    return topology;
}

static const struct shape_others others = {names, N_FORMATS};

struct topology *topology_read(const char *spec, struct diagnostics *diagnostics)
{
    const struct topology_format *format = named_format(&spec);
    const char *example = format ? NULL : synthetic_example(spec);
    if (example && access(spec, F_OK) != 0) {
        report(diagnostics, CODE_T001, (struct position){0}, "'%s': a kind of topology without its numbers",
               spec)->help = diagnostics_text(diagnostics, "write %s", example);
        return NULL;
    }
    const bool is_synthetic = !format && is_meant_as_synthetic(spec, &diagnostics->arena);
    if (!format && !is_synthetic && access(spec, F_OK) != 0 && errno == ENOENT && strcmp(spec, "-") != 0 &&
        synthetic_report_unknown(spec, diagnostics))
        return NULL;
    if (!is_synthetic)
        return formats_read_named(spec, format, NULL, diagnostics);
    const struct source *source =
        source_of_text("<topology>", spec, strlen(spec), &diagnostics->arena);
    return source_check_utf8(source, diagnostics) ? synthetic_read(source, &others, diagnostics)
                                                  : NULL;
}

static struct topology *formats_read_part(const char *spec, const struct source *whole,
                                          struct diagnostics *diagnostics)
{
    const struct topology_format *format = named_format(&spec);
    if (!format && synthetic_is(spec))
        return topology_read(spec, diagnostics);
    char *path = source_beside(whole, spec);
    struct topology *topology = formats_read_named(path, format, whole, diagnostics);
    free(path);
    return topology;
}
