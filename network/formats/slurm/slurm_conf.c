/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads topology.conf: lines of KEY=VALUE words, '#' comments, a backslash at the end of a line that
 * continues.
 *
 *   SwitchName=leaf0 Nodes=node[00-15]          BlockName=b0 Nodes=node[00-17]
 *   SwitchName=root  Switches=leaf[0-3]         RingName=r0  Nodes=node[0-7]
 *   Include racks.conf
 *
 * and the output of `scontrol show topology`, which adds the level of a switch, the number of a block or
 * ring, all nodes below a switch that has others below it, and merged blocks; none of these is needed.
 */
#include "network/formats/slurm/slurm.h"
#include "base/codes.h"
#include "base/text/lines.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* A piece of a logical line: its place in the line and in the source. */
struct piece {
    size_t joined, at;
};

/* A file, and those that include it. */
struct conf_file {
    const struct source *source;
    const struct conf_file *outer; /* NULL: the first */
    uint32_t depth;
};

struct conf_reader {
    struct slurm_network *network;
    const struct conf_file *file;
    uint32_t n_files; /* that were included */
    struct lines lines;
    struct text joined; /* the logical line */
    struct piece *pieces;
    size_t n_pieces, pieces_capacity;
    size_t at;          /* in the logical line */
    size_t n_of_kind[N_SLURM_KINDS];
    struct slurm_value first_of_kind[N_SLURM_KINDS];
};

/* ---- logical lines ---- */

static void append_piece(struct conf_reader *reader, const char *text, size_t length)
{
    reader->pieces = mem_grow(reader->pieces, &reader->pieces_capacity, reader->n_pieces + 1,
                              sizeof *reader->pieces);
    reader->pieces[reader->n_pieces++] = (struct piece){
        reader->joined.length, (size_t)(text - reader->file->source->text)};
    text_append(&reader->joined, text, length);
}

/* Reads the next line with its continuations, without comments. Returns false after the last. */
static bool slurm_conf_next_line(struct conf_reader *reader)
{
    reader->joined.length = reader->n_pieces = reader->at = 0;
    while (lines_next(&reader->lines)) {
        const char *start = reader->lines.start;
        size_t length = (size_t)(reader->lines.end - start);
        const char *comment = memchr(start, '#', length);
        length = comment ? (size_t)(comment - start) : length;
        bool goes_on = !comment && length && start[length - 1] == '\\';
        append_piece(reader, start, length - goes_on);
        if (!goes_on)
            return true;
    }
    return reader->n_pieces > 0;
}

/* Returns the offset in the source of a place in the logical line. */
static size_t slurm_conf_offset_of(const struct conf_reader *reader, size_t joined)
{
    size_t i = reader->n_pieces - 1;
    while (i && reader->pieces[i].joined > joined)
        i--;
    return reader->pieces[i].at + (joined - reader->pieces[i].joined);
}

static struct slurm_value slurm_conf_value_of(struct conf_reader *reader, size_t start, size_t length)
{
    const char *text = reader->joined.data ? reader->joined.data + start : "";
    struct slurm_value value = {{arena_strndup(&reader->network->arena, text, length), length},
                                slurm_conf_offset_of(reader, start), reader->file->source};
    return value;
}

/* ---- words ---- */

static char current(const struct conf_reader *reader)
{
    return reader->at < reader->joined.length ? reader->joined.data[reader->at] : '\0';
}

static void slurm_conf_skip_blanks(struct conf_reader *reader)
{
    while (text_is_blank(current(reader)))
        reader->at++;
}

/* Takes a word up to a blank or the end, or to '=' for a key. */
static struct slurm_value slurm_conf_take_word(struct conf_reader *reader, bool is_key)
{
    size_t start = reader->at;
    while (current(reader) && !text_is_blank(current(reader)) && !(is_key && current(reader) == '='))
        reader->at++;
    return slurm_conf_value_of(reader, start, reader->at - start);
}

static bool slurm_conf_refuse(struct conf_reader *reader, const struct slurm_value *value,
                              const char *message)
{
    slurm_report(reader->network, CODE_T016, value, value->text, "'%.*s': %s",
                 value->text.length < 80 ? (int)value->text.length : 80, value->text.text, message)
        ->help = "lines are SwitchName=NAME with Nodes=HOSTS or Switches=NAMES, BlockName=NAME "
                 "or RingName=NAME with Nodes=HOSTS, BlockSizes=SIZES, and Include FILE";
    return false;
}

static bool slurm_conf_take_quoted(struct conf_reader *reader, struct slurm_value *value)
{
    size_t start = ++reader->at;
    while (current(reader) && current(reader) != '"')
        reader->at++;
    *value = slurm_conf_value_of(reader, start, reader->at - start);
    if (!current(reader))
        return slurm_conf_refuse(reader, value, "the quote is not closed");
    reader->at++;
    return true;
}

/* Takes "KEY = VALUE". */
static bool slurm_conf_take_setting(struct conf_reader *reader, struct slurm_value *key,
                                    struct slurm_value *value)
{
    *key = slurm_conf_take_word(reader, true);
    slurm_conf_skip_blanks(reader);
    if (current(reader) != '=')
        return slurm_conf_refuse(reader, key, "expected KEY=VALUE");
    reader->at++;
    slurm_conf_skip_blanks(reader);
    if (current(reader) == '"') {
        if (!slurm_conf_take_quoted(reader, value))
            return false;
    } else {
        *value = slurm_conf_take_word(reader, false);
    }
    return value->text.length || slurm_conf_refuse(reader, key, "no value is given");
}

/* ---- lines ---- */

static const struct line_kind {
    const char *key;
    enum slurm_kind kind;
    bool has_group; /* the value is the name of one */
} line_kinds[] = {{"SwitchName", SLURM_TREE, true},
                  {"BlockName", SLURM_BLOCK, true},
                  {"BlockSizes", SLURM_BLOCK, false},
                  {"RingName", SLURM_RING, true},
                  {"AggregatedBlock", N_SLURM_KINDS, true}};

/* True for a key that scontrol adds to a line. */
static bool is_added_by_scontrol(const struct slurm_value *key)
{
    static const char *const keys[] = {"Level", "BlockIndex", "BlockSize", "RingIndex"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcasecmp(key->text.text, keys[i]) == 0)
            return true;
    return false;
}

static const struct line_kind *slurm_conf_kind_of(const struct slurm_value *key)
{
    for (size_t i = 0; i < sizeof line_kinds / sizeof *line_kinds; i++)
        if (strcasecmp(key->text.text, line_kinds[i].key) == 0)
            return &line_kinds[i];
    return NULL;
}

static bool set_once(struct conf_reader *reader, struct slurm_value *field,
                     const struct slurm_value *key, const struct slurm_value *value)
{
    if (field->text.length)
        return slurm_conf_refuse(reader, key, "given twice in a line");
    if (strcmp(value->text.text, "(null)") != 0) /* as scontrol says that there is none */
        *field = *value;
    return true;
}

/* Reads the settings after the name in the line. */
static bool read_group(struct conf_reader *reader, enum slurm_kind kind,
                       struct slurm_group *group)
{
    struct slurm_value key, value;
    bool is_of_scontrol = false;
    for (slurm_conf_skip_blanks(reader); current(reader); slurm_conf_skip_blanks(reader)) {
        if (!slurm_conf_take_setting(reader, &key, &value))
            return false;
        bool good = true;
        if (strcasecmp(key.text.text, "Nodes") == 0)
            good = set_once(reader, &group->nodes, &key, &value);
        else if (kind == SLURM_TREE && strcasecmp(key.text.text, "Switches") == 0)
            good = set_once(reader, &group->children, &key, &value);
        else if (is_added_by_scontrol(&key))
            is_of_scontrol = true;
        else if (kind != SLURM_TREE || strcasecmp(key.text.text, "LinkSpeed") != 0)
            good = slurm_conf_refuse(reader, &key, "unknown key");
        if (!good)
            return false;
    }
    if (is_of_scontrol && group->children.text.length) /* the nodes are those of the switches below */
        group->nodes = (struct slurm_value){0};
    return true;
}

/* Reads "4,16,32"; as in Slurm nothing between two commas is nothing. */
static void read_sizes(struct conf_reader *reader, const struct slurm_value *value)
{
    reader->network->n_sizes = 0; /* the last line counts */
    for (size_t at = 0, length; at <= value->text.length; at += length + 1) {
        length = strcspn(value->text.text + at, ",");
        if (length)
            slurm_add_size(reader->network, (struct slurm_value){{value->text.text + at, length},
                                                                 value->at + at, value->source});
    }
}

static void slurm_conf_read_file(struct conf_reader *reader, const struct source *source);

/* Returns why a file may not be included, or NULL. It is the same file under every name that it has. One that
 * cannot be found is for the reader to report. */
static const char *slurm_conf_problem(struct conf_reader *reader, const char *path)
{
    enum { DEPTH_LIMIT = 16, MOST_FILES = 1024 };
    struct stat status, outer;
    if (stat(path, &status) == 0) {
        if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            return "a pipe or device is not included";
        for (const struct conf_file *file = reader->file; file; file = file->outer)
            if (stat(file->source->path, &outer) == 0 && outer.st_dev == status.st_dev &&
                outer.st_ino == status.st_ino)
                return "the file includes itself";
    }
    return reader->file->depth >= DEPTH_LIMIT || reader->n_files++ >= MOST_FILES
               ? "files are included more than 16 deep, or more than 1024 of them"
               : NULL;
}

/* Reads the file that an "Include FILE" names, in the folder of the file that has it. */
static void slurm_conf_include(struct conf_reader *reader, const struct slurm_value *name)
{
    enum { FILE_LIMIT = 1 << 28 };
    struct diagnostics *diagnostics = reader->network->diagnostics;
    char *path = source_beside(reader->file->source, name->text.text);
    const char *problem = slurm_conf_problem(reader, path);
    if (problem) {
        slurm_report(reader->network, CODE_T016, name, name->text, "'%s': %s", path, problem)->help =
            "leave this Include out, or give what 'scontrol show topology' prints";
    } else {
        const struct source *source = source_read(path, FILE_LIMIT, &diagnostics->arena, diagnostics);
        if (source) {
            slurm_conf_read_file(reader, source);
        } else {
            reader->network->failed = true;
            diagnostics->last->related = slurm_position(reader->network, name, name->text);
            diagnostics->last->related_text = "included here";
        }
    }
    free(path);
}

/* Reads the line if it is an "Include FILE". */
static bool slurm_conf_take_include(struct conf_reader *reader)
{
    const size_t start = reader->at;
    const struct slurm_value key = slurm_conf_take_word(reader, true);
    slurm_conf_skip_blanks(reader);
    if (strcasecmp(key.text.text, "Include") != 0 || !current(reader) || current(reader) == '=') {
        reader->at = start;
        return false;
    }
    const struct slurm_value name = slurm_conf_take_word(reader, false);
    slurm_conf_include(reader, &name);
    return true;
}

/* Reads a line. A file may have trees and blocks, for two partitions; only one of them is taken. */
static void slurm_conf_read_line(struct conf_reader *reader)
{
    struct slurm_network *network = reader->network;
    struct slurm_value key, value;
    struct slurm_group group = {0};
    slurm_conf_skip_blanks(reader);
    if (!current(reader) || slurm_conf_take_include(reader) || !slurm_conf_take_setting(reader, &key, &value))
        return;
    const struct line_kind *kind = slurm_conf_kind_of(&key);
    if (!kind) {
        slurm_conf_refuse(reader, &key, "unknown key");
        return;
    }
    if (!kind->has_group)
        read_sizes(reader, &value);
    if (!kind->has_group || !read_group(reader, kind->kind, &group) || kind->kind == N_SLURM_KINDS)
        return;
    group.name = value;
    if (!reader->n_of_kind[kind->kind]++)
        reader->first_of_kind[kind->kind] = value;
    for (size_t other = 0; other < kind->kind; other++)
        if (reader->n_of_kind[other])
            return;
    if (network->n_groups && network->kind != kind->kind)
        network->n_groups = 0;
    network->kind = kind->kind;
    *slurm_add_group(network, value) = group;
}

/* Reads the lines of a file; then the reader goes on in the one that includes it. */
static void slurm_conf_read_file(struct conf_reader *reader, const struct source *source)
{
    const struct conf_file *outer = reader->file;
    const struct conf_file file = {source, outer, outer ? outer->depth + 1 : 0};
    const struct lines lines = reader->lines;
    reader->file = &file;
    lines_open(&reader->lines, source, reader->network->diagnostics);
    while (slurm_conf_next_line(reader))
        slurm_conf_read_line(reader);
    reader->file = outer;
    reader->lines = lines;
}

static void slurm_conf_report_left_out(struct conf_reader *reader)
{
    static const char *const names[N_SLURM_KINDS] = {"switch", "block", "ring", "", ""};
    for (size_t kind = 0; kind < N_SLURM_KINDS; kind++) {
        size_t n = reader->n_of_kind[kind];
        if (!n || kind == reader->network->kind)
            continue;
        const struct slurm_value *first = &reader->first_of_kind[kind];
        slurm_report(reader->network, CODE_T008, first, first->text,
                     "left out %zu %s%s: the file describes %ses, too", n, names[kind], plural(n),
                     names[reader->network->kind])
            ->help = "give each description a file of its own";
    }
}

bool slurm_read_conf(struct slurm_network *network)
{
    struct conf_reader reader = {.network = network};
    if (network->source->part) {
        network->failed = true;
        report(network->diagnostics, CODE_T024, source_position(network->source, 0, 1),
               "topology.conf has no named topologies: '%s' is none", network->source->part)
            ->help = "FILE:NAME takes one of several topologies of topology.yaml; leave ':NAME' out";
        return false;
    }
    slurm_conf_read_file(&reader, network->source);
    if (!network->failed && !network->n_groups) {
        network->failed = true;
        report(network->diagnostics, CODE_T004, source_position(network->source, 0, 1),
               "the network has no machines");
    }
    if (!network->failed)
        slurm_conf_report_left_out(&reader);
    text_free(&reader.joined);
    free(reader.pieces);
    return !network->failed;
}
