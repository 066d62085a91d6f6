/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Goes through a text; see settings.h.
 */
#include "tables/settings/reader.h"

#include <stdlib.h>

/* Goes on with the stretch around a branch that && or || began. */
static void end_branch(struct reader *reader)
{
    if (!reader->is_awaited)
        reader->stretch = reader->outer;
}

/* Begins a branch behind "&&" or "||", which lasts for a statement, or as a block does; and one behind ";;". Ends
 * it behind any other end of a statement. */
static void pass_branch(struct reader *reader, const char *begin)
{
    const char *at = reader->at;
    reader->is_awaited = false;
    if (at == begin || at == reader->end || *at != at[-1] || !*at || !strchr("&|;", *at)) {
        if (at > begin && (at[-1] == ';' || settings_is_line_end(at[-1])))
            end_branch(reader);
        return;
    }
    reader->at++;
    const char *next = reader->at;
    while (next < reader->end && (*next == ' ' || *next == '\t'))
        next++;
    if (*at == ';' || (next < reader->end && (*next == '{' || *next == '('))) {
        settings_part(reader);
    } else {
        reader->stretch = ++reader->n_stretches;
        reader->is_awaited = true;
    }
}

/* Opens or closes the bracket at the end of a statement of n words; one in front of a statement is of a
 * subshell. */
static void pass_bracket(struct reader *reader, const char *begin, size_t n)
{
    const char end = reader->at > begin ? reader->at[-1] : '\0';
    if (end == '(') {
        if (reader->n_brackets < SETTINGS_MAX_BRACKETS)
            reader->brackets[reader->n_brackets] =
                (struct settings_bracket){reader->of->n, n == 0};
        reader->n_brackets++;
    } else if (end == ')' && reader->n_brackets && --reader->n_brackets < SETTINGS_MAX_BRACKETS) {
        const struct settings_bracket *bracket = &reader->brackets[reader->n_brackets];
        if (bracket->is_shell)
            settings_end_shell(reader, bracket->first);
    }
}

void settings_read_text(struct reader *reader, const char *begin, const char *end)
{
    const char *outer_at = reader->at, *outer_end = reader->end;
    struct word *words = mem_alloc(SETTINGS_MAX_WORDS, sizeof *words);
    bool is_at_line = reader->depth == 0;
    reader->at = begin;
    reader->end = end;
    reader->depth++;
    while (reader->at < end) {
        if (text_is_blank(*reader->at)) {
            if (settings_is_line_end(*reader->at) && reader->depth == 1) {
                is_at_line = true;
                end_branch(reader);
            }
            reader->is_build &= !is_at_line;
            reader->at++;
        } else if (settings_skip_comment(reader, is_at_line) || settings_take_call(reader) ||
                   settings_take_pair(reader) || settings_take_sequence(reader) ||
                   (is_at_line && (settings_take_parameter(reader) || settings_take_environment(reader) ||
                                   settings_take_mapping(reader) || settings_take_item(reader)))) {
            is_at_line = false;
        } else {
            const size_t n = settings_take_statement(reader, words);
            settings_read_statement(reader, words, n);
            pass_bracket(reader, begin, n);
            is_at_line = false;
            pass_branch(reader, begin);
        }
    }
    free(words);
    reader->depth--;
    reader->at = outer_at;
    reader->end = outer_end;
}

/* True if every line is one word NAME=VALUE, or a comment. */
static bool is_plain_file(const struct source *source)
{
    struct slice rest = {source->text, source->length};
    while (rest.length) {
        const struct slice line = slice_trim(slice_take_until(&rest, '\n'));
        const char *equals = line.length ? memchr(line.text, '=', line.length) : NULL;
        if (line.length == 0 || *line.text == '#')
            continue;
        if (!equals || !settings_is_name((struct slice){line.text, (size_t)(equals - line.text)}))
            return false;
        const struct slice value = {equals + 1, (size_t)(line.text + line.length - equals) - 1};
        const struct slice words = slice_unquoted(value);
        if (words.length == value.length ? memchr(value.text, ' ', value.length) != NULL
                                         : memchr(words.text, *value.text, words.length) != NULL)
            return false;
    }
    return true;
}

/* True for a file of parameters: it has lines 'name = value' with names of small letters, blanks or not, and
 * no words of a shell. */
static bool is_parameter_file(const struct source *source)
{
    struct slice rest = {source->text, source->length};
    bool has_parameter = false;
    while (rest.length) {
        struct slice line = slice_trim(slice_take_until(&rest, '\n'));
        struct slice name = {line.text, 0};
        while (name.length < line.length && settings_is_name_letter(line.text[name.length]))
            name.length++;
        line = slice_trim((struct slice){line.text + name.length, line.length - name.length});
        const bool is_set = slice_starts(line, "=") && !slice_starts(line, "==");
        const bool has_words = name.length && memchr(name.text, '_', name.length);
        if (slice_starts(line, "#!") || (name.length && !is_set && !has_words))
            return false;
        has_parameter |= is_set && has_words && !settings_has_capital(name);
    }
    return has_parameter;
}

/* True if what reads such a file takes the carriage return of a Windows line end for a character like others:
 * shells, and readers of parameter files. */
static bool keeps_returns(const struct source *source, struct slice file)
{
    static const char *const ends[] = {".yml", ".yaml", ".json", ".py", ".lua", ".toml", NULL};
    const char *start = source_start(source);
    bool keeps = strncmp(start, "#%Module", 8) != 0 && strncmp(start, "FROM ", 5) != 0;
    for (size_t i = 0; ends[i]; i++)
        keeps &= file.length < strlen(ends[i]) ||
                 memcmp(file.text + file.length - strlen(ends[i]), ends[i], strlen(ends[i])) != 0;
    return keeps;
}

/* Says of what is exported behind the last launch, and behind all that may start something else, that it sets
 * nothing. */
static void refuse_late(const struct reader *reader)
{
    static const struct setting_fault fault = {"it stands behind the last launch of the script",
                                               "write it before the launch"};
    bool has_launch = false, has_function = false; /* which any word may call */
    for (size_t i = 0; i < reader->of->n_listed; i++) {
        has_launch |= reader->of->launches[i].is_launcher && !reader->of->launches[i].is_small;
        has_function |= reader->of->launches[i].moment == UINT32_MAX;
    }
    for (size_t i = 0; i < reader->of->n && has_launch && !has_function; i++) {
        struct setting *setting = &reader->of->items[i];
        if (setting->command == 0 && setting->moment > reader->last_command && !setting->fault)
            setting->fault = &fault;
    }
}

const struct settings *settings_read(const struct source *source, struct arena *arena)
{
    struct settings *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct settings){.source = source};
    struct reader reader = {
        .of = of, .arena = arena, .counted = source->text, .line = 1, .is_plain = is_plain_file(source),
        .is_parameters = is_parameter_file(source)};
    const char *start = source_start(source), *slash = strrchr(source->path, '/');
    const struct slice file = slice_of(slash ? slash + 1 : source->path);
    reader.is_make = slice_starts(file, "Makefile") || slice_starts(file, "makefile") ||
                     slice_starts(file, "GNUmakefile") ||
                     (file.length > 3 && memcmp(file.text + file.length - 3, ".mk", 3) == 0);
    reader.keeps_returns = !reader.is_make && keeps_returns(source, file);
    settings_read_text(&reader, start, source->text + source->length);
    settings_show_exported(&reader);
    refuse_late(&reader);
    free(reader.exported);
    free(reader.dropped);
    for (size_t i = 0; i < of->n && !of->n_listed; i++)
        of->items[i].is_undone |= of->items[i].undone;
    of->items = arena_take(of->items, of->n, sizeof *of->items, arena);
    of->launches = arena_take(of->launches, of->n_listed, sizeof *of->launches, arena);
    return of;
}

/* ---- launches ---- */

/* True if the launch counts for the library. */
static bool read_counts(const struct settings *settings, const struct settings_dialect *dialect,
                        const struct settings_launch *launch)
{
    size_t i = launch->outer;
    while (i < launch->outer_end && !dialect->key(&settings->items[i]).length)
        i++;
    return launch->is_launcher || i < launch->outer_end;
}

const size_t *settings_launches(const struct settings *settings, const struct settings_dialect *dialect,
                                size_t *n, struct arena *arena)
{
    size_t *list = arena_alloc(arena, settings->n_listed + 1, sizeof *list), n_counted = 0, n_large = 0;
    bool is_undone = false;
    for (size_t i = 0; i < settings->n_listed; i++)
        if (read_counts(settings, dialect, &settings->launches[i]))
            list[n_counted++] = i;
    for (size_t i = 0; i < n_counted; i++)
        if (!settings->launches[list[i]].is_small)
            list[n_large++] = list[i];
    for (size_t i = 0; i < settings->n; i++)
        is_undone |= settings->items[i].undone;
    for (size_t i = 0; i < n_counted; i++)
        is_undone |= settings->launches[list[i]].drops_all || settings->launches[list[i]].n_dropped;
    const bool has_small = n_large && n_large < n_counted;
    n_counted = n_large ? n_large : n_counted;
    *n = n_counted > 1 || is_undone || has_small ? n_counted : 0;
    return list;
}

/* True if the launch takes the variable out of its environment. */
static bool drops(const struct settings_launch *launch, struct slice name)
{
    bool is_dropped = launch->drops_all;
    for (size_t i = 0; i < launch->n_dropped; i++)
        is_dropped |= slice_compare(launch->dropped[i], name) == 0;
    return is_dropped;
}

const struct settings *settings_of_launch(const struct settings *settings,
                                          const struct settings_dialect *dialect, size_t number, bool is_last,
                                          struct arena *arena)
{
    struct settings *of = arena_alloc(arena, 1, sizeof *of);
    const struct settings_launch *launch = &settings->launches[number];
    const bool is_late = launch->moment == UINT32_MAX;
    *of = *settings;
    of->items = NULL;
    of->n = of->n_listed = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        if (!dialect->key(setting).length)
            continue;
        const bool is_exported = (setting->moment < launch->moment || is_last) &&
                                 (is_late || !setting->undone || setting->undone > launch->moment) &&
                                 !drops(launch, setting->name);
        const bool is_of_statement =
            setting->listed == SETTING_OF_STATEMENT && launch->outer <= i && i < launch->outer_end;
        if (setting->command == 0 ? is_exported
                                  : !setting->listed || setting->listed == number + 1 || is_of_statement) {
            of->items = mem_grow(of->items, &capacity, of->n + 1, sizeof *of->items);
            of->items[of->n++] = *setting;
        }
    }
    of->items = arena_take(of->items, of->n, sizeof *of->items, arena);
    return of;
}

const struct settings *settings_followed(const struct settings *settings, const struct setting *by,
                                         const struct source *file, struct arena *arena)
{
    const struct settings *more = settings_read(file, arena);
    struct settings *all = arena_alloc(arena, 1, sizeof *all);
    *all = *settings;
    all->items = arena_alloc(arena, settings->n + more->n + 1, sizeof *all->items);
    memcpy(all->items, settings->items, settings->n * sizeof *all->items);
    all->items[by - settings->items].is_followed = true;
    for (size_t i = 0; i < more->n; i++) {
        struct setting *added = &all->items[all->n++];
        *added = more->items[i];
        added->source = file;
        added->command = by->command;
        added->launch = by->launch;
        added->stretch = by->stretch;
        if (added->form == SETTING_MCA || added->form == SETTING_GMCA)
            added->form = SETTING_LINE;
    }
    return all;
}

static bool settings_is_inside(const struct source *source, struct slice part)
{
    return part.text >= source->text && part.text <= source->text + source->length;
}

struct position settings_position(const struct settings *settings, struct slice part)
{
    const struct source *source = settings->source;
    if (settings_is_inside(source, part))
        return slice_position(source, part);
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        if (setting->source && settings_is_inside(setting->source, part))
            return slice_position(setting->source, part);
        if (part.text >= setting->value.text && part.text <= setting->value.text + setting->value.length)
            return slice_position(setting->source ? setting->source : source, setting->written);
    }
    return source_position(source, 0, 1);
}
