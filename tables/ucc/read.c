/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads ucc.conf, and settings of scripts for the same variables. See ucc.h.
 */
#include "base/codes.h"
#include "tables/ucc/ucc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_ITEMS = 4096 };

struct reader {
    struct ucc_table *of;
    struct arena *arena;
    uint32_t line;
    size_t section_capacity, string_capacity, item_capacity;
};

const char *const ucc_collective_names[UCC_N_COLLECTIVES] = {
    "allgather", "allreduce",      "alltoall",        "barrier", "bcast",      "reduce",
    "allgatherv", "alltoallv",     "fanin",           "fanout",  "gather",     "gatherv",
    "reduce_scatter", "reduce_scatterv", "scatter",   "scatterv"};

static bool ucc_read_is_word(struct slice slice, const char *word)
{
    return slice.length == strlen(word) && strncasecmp(slice.text, word, slice.length) == 0;
}

static bool ucc_read_drop(struct reader *reader, struct slice where, const char *why)
{
    struct table *table = &reader->of->table;
    if (!table->ignored) {
        table->ignored = why;
        table->ignored_at = slice_position(table->source, where);
    }
    return false;
}

/* Takes the next token as strtok finds it: length 0 only if there is none. */
static struct slice ucc_read_next_token(struct slice *rest, char stop)
{
    while (rest->length && *rest->text == stop) {
        rest->text++;
        rest->length--;
    }
    return slice_take_until(rest, stop);
}

/* ---- numbers ---- */

static bool ucc_read_number(struct slice word, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (!text_is_digit(word.text[i]) || *value > INT32_MAX)
            return false;
        *value = *value * 10 + (uint64_t)(word.text[i] - '0');
    }
    return word.length > 0;
}

/* Reads a number as sscanf does by "%ld%c%c": digits, a unit, perhaps a b; the rest is ignored. */
static bool read_memunits(struct slice word, uint64_t *value)
{
    static const char units[] = "BKMGT";
    size_t i = 0;
    uint64_t number = 0;
    if (ucc_read_is_word(word, "inf") || ucc_read_is_word(word, "auto")) {
        *value = UINT64_MAX;
        return true;
    }
    while (i < word.length && text_is_digit(word.text[i])) {
        if (number > UINT64_C(1) << 40)
            return false;
        number = number * 10 + (uint64_t)(word.text[i++] - '0');
    }
    if (i == 0)
        return false;
    if (i < word.length) {
        const char *unit = strchr(units, toupper((unsigned char)word.text[i]));
        if (!unit || (i + 1 < word.length && tolower((unsigned char)word.text[i + 1]) != 'b'))
            return false;
        number = number << 10 * (unit - units);
    }
    *value = number;
    return true;
}

/* ---- tokens of an item ---- */

static bool ucc_read_take_collectives(struct ucc_item *item, struct slice token)
{
    uint32_t found = 0;
    for (struct slice word; (word = ucc_read_next_token(&token, ',')).length;) {
        uint32_t i = 0;
        while (i < UCC_N_COLLECTIVES && !ucc_read_is_word(word, ucc_collective_names[i]))
            i++;
        if (i == UCC_N_COLLECTIVES)
            return false;
        found |= UINT32_C(1) << i;
    }
    item->collectives = found;
    return true;
}

static bool take_memories(struct ucc_item *item, struct slice token)
{
    static const char *const names[] = {"host", "cuda", "cuda_managed", "rocm", "rocm_managed"};
    bool is_of_host = false;
    for (struct slice word; (word = ucc_read_next_token(&token, ',')).length;) {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && !ucc_read_is_word(word, names[i]))
            i++;
        if (i == sizeof names / sizeof *names)
            return false;
        is_of_host |= i == 0;
    }
    item->is_of_host = is_of_host;
    return true;
}

static bool take_score(struct ucc_item *item, struct slice token)
{
    if (ucc_read_is_word(token, "inf"))
        item->score = UINT64_MAX;
    else if (!ucc_read_number(token, &item->score))
        return false;
    item->has_score = true;
    return true;
}

static bool take_sizes(struct ucc_item *item, struct slice token)
{
    uint32_t n = 0;
    for (struct slice range; (range = ucc_read_next_token(&token, ',')).length;) {
        const struct slice first = ucc_read_next_token(&range, '-'), last = ucc_read_next_token(&range, '-');
        if (n == UCC_MAX_RANGES || !last.length || ucc_read_next_token(&range, '-').length ||
            !read_memunits(first, &item->sizes[n].from) || !read_memunits(last, &item->sizes[n].end))
            return false;
        n++;
    }
    item->n_sizes = n;
    return n > 0;
}

static bool take_teams(struct ucc_item *item, struct slice token)
{
    uint32_t n = 0;
    if (token.length < 2 || *token.text != '[' || token.text[token.length - 1] != ']')
        return false;
    token = (struct slice){token.text + 1, token.length - 2};
    for (struct slice range; (range = ucc_read_next_token(&token, ',')).length;) {
        const struct slice first = ucc_read_next_token(&range, '-'), last = ucc_read_next_token(&range, '-');
        struct span *team = &item->teams[n];
        if (n++ == UCC_MAX_RANGES || ucc_read_next_token(&range, '-').length ||
            !ucc_read_number(first, &team->first))
            return false;
        team->last = ucc_read_is_word(last, "inf") ? SPAN_NO_END : team->first;
        if (last.length && !ucc_read_is_word(last, "inf") && !ucc_read_number(last, &team->last))
            return false;
        if (team->last < team->first)
            return false;
    }
    item->n_teams = n;
    return n > 0;
}

static bool take_token(struct ucc_item *item, struct slice token, bool *has_memories)
{
    if (!item->collectives && ucc_read_take_collectives(item, token))
        return true;
    if (!*has_memories && take_memories(item, token))
        return *has_memories = true;
    if (!item->has_score && take_score(item, token))
        return true;
    if (!item->n_sizes && take_sizes(item, token))
        return true;
    if (!item->n_teams && take_teams(item, token))
        return true;
    if (!item->algorithm.length && *token.text == '@') {
        item->algorithm = (struct slice){token.text + 1, token.length - 1};
        return token.length > 1;
    }
    return false;
}

static void ucc_read_item(struct reader *reader, struct slice text)
{
    struct ucc_table *of = reader->of;
    struct ucc_item item = {.rule = {.line = reader->line}, .text = text, .is_of_host = true};
    bool has_memories = false;
    for (struct slice token; !item.wrong.length && (token = ucc_read_next_token(&text, ':')).length;)
        if (!take_token(&item, token, &has_memories))
            item.wrong = token;
    if (!item.collectives)
        item.collectives = UINT32_MAX;
    of->items = mem_grow(of->items, &reader->item_capacity, of->n_items + 1, sizeof *of->items);
    of->items[of->n_items++] = item;
}

/* ---- sections and variables ---- */

static bool ucc_read_span(struct slice text, struct span *span)
{
    const struct slice first = ucc_read_next_token(&text, '-'), last = ucc_read_next_token(&text, '-');
    if (ucc_read_next_token(&text, '-').length || !ucc_read_number(first, &span->first))
        return false;
    span->last = span->first;
    return !last.length || ucc_read_number(last, &span->last);
}

static bool read_section(struct reader *reader, struct slice text)
{
    struct ucc_table *of = reader->of;
    const struct span all = {0, SPAN_NO_END};
    struct ucc_section section = {.text = text, .teams = all, .per_node = all, .nodes = all};
    for (struct slice rest = text, word; (word = ucc_read_next_token(&rest, ' ')).length;) {
        struct slice value = word;
        const struct slice key = ucc_read_next_token(&value, '=');
        if (ucc_read_is_word(key, "vendor") || slice_is(key, "model")) {
            const char *begin = section.machine.length ? section.machine.text : word.text;
            section.machine = (struct slice){begin, (size_t)(word.text + word.length - begin)};
            continue;
        }
        struct span *span = slice_is(key, "team_size") ? &section.teams
                            : slice_is(key, "ppn")     ? &section.per_node
                            : slice_is(key, "nnodes")  ? &section.nodes
                                                       : NULL;
        struct span sockets;
        if (slice_is(key, "sock"))
            span = &sockets;
        if (!span)
            return ucc_read_drop(reader, word,
                                 "a section has no such key: vendor, model, team_size, ppn, sock and nnodes");
        if (!ucc_read_span(value, span))
            return ucc_read_drop(reader, word, "it is no number, and no range of numbers");
    }
    of->sections =
        mem_grow(of->sections, &reader->section_capacity, of->n_sections + 1, sizeof *of->sections);
    of->sections[of->n_sections++] = section;
    return true;
}

static bool is_tuning(struct slice name)
{
    return name.length > 5 && memcmp(name.text + name.length - 5, "_TUNE", 5) == 0;
}

/* True if a variable stands twice in a section, which UCC keeps in one table: then it refuses the file. */
static bool is_twice(const struct ucc_table *of, struct slice name, size_t section)
{
    for (size_t i = 0; i < of->n_strings; i++)
        if (of->strings[i].section == section && of->strings[i].name.length == name.length &&
            memcmp(of->strings[i].name.text, name.text, name.length) == 0)
            return true;
    return false;
}

/* Adds a string of items; its value is without quotes. */
static void add_string(struct reader *reader, struct slice name, struct slice value, bool is_acting)
{
    struct ucc_table *of = reader->of;
    struct ucc_string string = {.name = name, .section = of->n_sections - 1, .first = of->n_items,
                                .is_acting = is_acting, .is_ucp = slice_is(name, "UCC_TL_UCP_TUNE")};
    for (struct slice item; (item = ucc_read_next_token(&value, '#')).length;)
        ucc_read_item(reader, item);
    string.n = of->n_items - string.first;
    of->strings = mem_grow(of->strings, &reader->string_capacity, of->n_strings + 1, sizeof *of->strings);
    of->strings[of->n_strings++] = string;
}

static bool ucc_read_variable(struct reader *reader, struct slice name, struct slice value)
{
    bool begins = false;
    for (size_t i = 0; i + 4 <= name.length && !begins; i++)
        begins = memcmp(name.text + i, "UCC_", 4) == 0;
    if (!begins)
        return ucc_read_drop(reader, name, "the name of a variable has UCC_ in it");
    if (!is_tuning(name))
        return true;
    if (is_twice(reader->of, name, reader->of->n_sections - 1))
        return ucc_read_drop(reader, name, "the variable stands twice");
    add_string(reader, name, slice_unquoted(value), true);
    return true;
}

static bool ucc_read_line(struct reader *reader, struct slice line)
{
    line = slice_trim(line);
    if (line.length == 0 || *line.text == '#' || *line.text == ';')
        return true;
    if (*line.text == '[') {
        const char *end = memchr(line.text, ']', line.length);
        return end ? read_section(reader, (struct slice){line.text + 1, (size_t)(end - line.text) - 1})
                   : ucc_read_drop(reader, line, "a section ends with ']'");
    }
    struct slice value = line, name = slice_take_until(&value, '=');
    if (name.length == line.length)
        return ucc_read_drop(reader, line, "the line has no '='");
    return ucc_read_variable(reader, slice_trim(name), slice_trim(value));
}

static struct table *ucc_read_end(struct reader *reader, struct diagnostics *diagnostics)
{
    struct ucc_table *of = reader->of;
    of->sections = arena_take(of->sections, of->n_sections, sizeof *of->sections, reader->arena);
    of->strings = arena_take(of->strings, of->n_strings, sizeof *of->strings, reader->arena);
    of->items = arena_take(of->items, of->n_items, sizeof *of->items, reader->arena);
    if (of->n_items > MAX_ITEMS)
        report(diagnostics, CODE_B020, source_position(of->table.source, 0, 1), "more than %d items",
               MAX_ITEMS);
    return of->n_items > MAX_ITEMS ? NULL : &of->table;
}

struct table *ucc_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                       struct diagnostics *diagnostics)
{
    struct ucc_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct ucc_table){.table = {.loader = loader, .source = source}};
    struct reader reader = {.of = of, .arena = arena};
    struct slice rest = {source->text, source->length};
    (void)read_section(&reader, (struct slice){source->text, 0});
    while (rest.length && of->n_items <= MAX_ITEMS) {
        reader.line++;
        if (!ucc_read_line(&reader, slice_take_until(&rest, '\n')))
            break;
    }
    return ucc_read_end(&reader, diagnostics);
}

/* ---- settings ---- */

struct slice ucc_key(const struct setting *setting)
{
    return slice_starts(setting->name, "UCC_") ? setting->name : (struct slice){0};
}

/* A file that exports nothing and starts nothing, but has variables or sections, is a ucc.conf. */
bool ucc_is_file(const struct table_loader *loader, const struct source *source,
                 const struct settings *settings)
{
    return !settings->is_script && (settings_have(settings, loader->dialect) || *source_start(source) == '[');
}

struct position ucc_at(const struct ucc_table *of, struct slice part)
{
    return of->table.settings ? settings_position(of->table.settings, part)
                              : slice_position(of->table.source, part);
}

struct table *ucc_read_settings(const struct table_loader *loader, const struct settings *settings,
                                struct arena *arena, struct diagnostics *diagnostics)
{
    struct ucc_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct ucc_table){.table = {.loader = loader, .source = settings->source, .settings = settings}};
    struct reader reader = {.of = of, .arena = arena};
    (void)read_section(&reader, (struct slice){settings->source->text, 0});
    for (size_t i = 0; i < settings->n && of->n_items <= MAX_ITEMS; i++) {
        const struct setting *setting = &settings->items[i];
        const struct slice key = settings_key(loader->dialect, setting);
        reader.line = setting->line;
        if (is_tuning(key) && !setting->is_computed)
            add_string(&reader, key, setting->value,
                       settings_acting(settings, loader->dialect, key) == setting);
    }
    return ucc_read_end(&reader, diagnostics);
}
