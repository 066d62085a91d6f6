/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds the assignments that are found, and puts in values of variables that a file sets once.
 */
#include "tables/settings/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint32_t line_of(struct reader *reader, const char *at)
{
    if (at < reader->counted) {
        reader->counted = reader->of->source->text;
        reader->line = 1;
    }
    for (; reader->counted < at; reader->counted++)
        reader->line += settings_is_line_end(*reader->counted);
    return reader->line;
}

/* Returns the only setting of a variable so far, if its value is known; NULL if there is no such one. */
static const struct setting *only_setting(const struct reader *reader, struct slice name, bool *is_set)
{
    const struct settings *of = reader->of;
    const struct setting *found = NULL;
    *is_set = false;
    for (size_t i = 0; i < of->n && i < reader->n_visible; i++) {
        if (of->items[i].command || slice_compare(of->items[i].name, name) != 0)
            continue;
        if (*is_set)
            return NULL;
        *is_set = true;
        found = &of->items[i];
    }
    return found && !found->is_computed && !found->is_undone ? found : NULL;
}

/* Returns the text behind the ":-", "-", ":=" or "=" at `at` up to the '}'; its text is NULL if none is
 * there, or it is made of other values. */
static struct slice default_at(const char *at, const char *end)
{
    const char *first = at + (at < end && *at == ':');
    const bool is_default = first < end && (*first == '-' || *first == '=');
    const char *close = is_default ? memchr(first, '}', (size_t)(end - first)) : NULL;
    for (at = first; close && at < close; at++)
        if (*at == '$' || *at == '`' || *at == '{')
            close = NULL;
    return close ? slice_unquoted((struct slice){first + 1, (size_t)(close - first) - 1}) : (struct slice){0};
}

/* Appends the value of the variable at `at`, behind its '$'. Returns its end; NULL if that is not known. */
static const char *append_variable(struct reader *reader, struct text *out, struct word *word, const char *at,
                                   const char *end)
{
    const bool is_braced = at < end && *at == '{';
    const char *first = at + is_braced;
    bool is_set = false;
    for (at = first; at < end && settings_is_name_letter(*at) && *at != '.';)
        at++;
    const struct slice name = {first, (size_t)(at - first)};
    const struct setting *setting = settings_is_name(name) ? only_setting(reader, name, &is_set) : NULL;
    const struct slice other = is_braced && name.length ? default_at(at, end) : (struct slice){0};
    const bool ends = !is_braced || other.text || (at < end && *at == '}');
    if (!ends || (!setting && (is_set || !other.text)))
        return NULL;
    /* Set in another branch only, it may have its default. */
    if (setting && other.text && setting->stretch && setting->stretch != reader->stretch)
        return NULL;
    const bool is_default = !setting || (other.text && *at == ':' && !setting->value.length);
    if (setting)
        word->assumed = setting->assumed ? setting->assumed : word->assumed;
    else
        word->assumed = arena_printf(reader->arena, "that is its default, where $%.*s is not set before",
                                     (int)name.length, name.text);
    const struct slice value = is_default ? other : setting->value;
    text_append(out, value.text, value.length);
    if (is_default && at[*at == ':'] == '=')
        settings_add_variable(
            reader, name, (struct word){.written = word->written, .value = other, .assumed = word->assumed});
    return is_braced ? (const char *)memchr(at, '}', (size_t)(end - at)) + 1 : at;
}

/* True if the setting forces an algorithm, and so names no file. */
static bool names_algorithm(struct slice name)
{
    static const char *const words[] = {"algorithm", "ALGORITHM", "ALGO", "ADJUST"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t at = 0; at + strlen(words[i]) <= name.length; at++)
            if (memcmp(name.text + at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* Takes the file beside the text for one in a folder that the script makes, such as $DIR/site.rules. */
static void assume_beside(struct reader *reader, struct slice name, struct word *word)
{
    struct slice rest = word->value;
    bool is_found = false;
    if (!rest.length || !strchr("$`", *rest.text) || reader->of->n > SETTINGS_MAX_LOOKED_AT ||
        names_algorithm(name))
        return;
    while (!is_found && memchr(rest.text, '/', rest.length)) {
        (void)slice_take_until(&rest, '/');
        bool is_known = rest.length > 0;
        for (size_t i = 0; i < rest.length; i++)
            is_known &= !strchr("$`(){}\"'", rest.text[i]) &&
                        !(i && rest.text[i] == '.' && rest.text[i - 1] == '.');
        if (!is_known)
            continue;
        const char *path = arena_strndup(reader->arena, rest.text, rest.length);
        char *beside = source_beside(reader->of->source, path);
        struct stat status;
        is_found = stat(beside, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
        free(beside);
    }
    if (is_found) {
        word->value = rest;
        word->is_computed = false;
        word->assumed = "that file is beside this one, and its folder is known when the script runs";
    }
}

/* Replaces variables that the file sets once, to something known, by their values. */
static void expand_value(struct reader *reader, struct slice name, struct word *word)
{
    struct text out = {0};
    const char *at = word->value.text, *end = at + word->value.length;
    enum { MAX_EXPANDED = 1 << 16 };
    if (reader->of->n > SETTINGS_MAX_LOOKED_AT || memchr(word->written.text, '\'', word->written.length))
        return;
    while (at && at < end && out.length < MAX_EXPANDED) {
        if (*at == '$')
            at = append_variable(reader, &out, word, at + 1, end);
        else if (*at == '`')
            at = NULL;
        else
            text_append(&out, at++, 1);
    }
    if (at == end) {
        word->value =
            (struct slice){arena_strndup(reader->arena, out.length ? out.data : "", out.length), out.length};
        word->is_computed = false;
    } else {
        word->assumed = NULL;
        assume_beside(reader, name, word);
    }
    text_free(&out);
}

/* Returns the name without what containers put before it. */
static struct slice plain_name(struct slice name)
{
    static const char *const prefixes[] = {"SINGULARITYENV_", "APPTAINERENV_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (slice_starts(name, prefixes[i]))
            return (struct slice){name.text + strlen(prefixes[i]), name.length - strlen(prefixes[i])};
    return name;
}

/* Takes the carriage return between a value and the end of its line into the value, with blanks before it in
 * a parameter. Returns false if none is there that its reader would take. */
static bool take_return(struct reader *reader, struct word *value, enum setting_form form)
{
    const struct source *source = reader->of->source;
    const char *end = source->text + source->length, *at = value->written.text + value->written.length;
    if (!reader->keeps_returns || (!reader->is_statement && form != SETTING_LINE) || at < source->text ||
        at > end)
        return false;
    while (!reader->is_statement && at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at == end || *at != '\r' || (at + 1 < end && at[1] != '\n'))
        return false;
    const bool is_piece =
        value->value.text + value->value.length == value->written.text + value->written.length;
    const size_t length = (size_t)(at + 1 - value->written.text), more = length - value->written.length;
    value->written.length = length;
    if (is_piece)
        value->value.length += more;
    else
        value->value = slice_of(
            arena_printf(reader->arena, "%.*s\r", (int)value->value.length, value->value.text));
    return true;
}

static struct setting *append_setting(struct reader *reader, struct slice name, struct word value,
                                      enum setting_form form)
{
    struct settings *of = reader->of;
    const struct slice text = value.value;
    if (value.is_computed && text.length &&
        (memchr(text.text, '$', text.length) || memchr(text.text, '`', text.length)))
        expand_value(reader, name, &value);
    const bool has_return = take_return(reader, &value, form);
    const bool is_behind = reader->is_behind && form >= SETTING_MCA;
    of->items = mem_grow(of->items, &reader->capacity, of->n + 1, sizeof *of->items);
    of->items[of->n] = (struct setting){.name = name,
                                        .value = value.value,
                                        .written = value.written,
                                        .form = form,
                                        .line = line_of(reader, value.written.text),
                                        .stretch = reader->stretch,
                                        .moment = reader->is_statement ? reader->moment : 0,
                                        .command = form > SETTING_EXPORT ? reader->command : 0,
                                        .launch = form > SETTING_COMMAND ? reader->launch : 0,
                                        .is_computed = value.is_computed,
                                        .assumed = value.assumed,
                                        .is_argument = reader->is_argument && !is_behind,
                                        .is_behind = is_behind,
                                        .is_parameter = form == SETTING_LINE && reader->is_parameters,
                                        .has_return = has_return};
    return &of->items[of->n++];
}

void settings_add_variable(struct reader *reader, struct slice name, struct word value)
{
    if (settings_is_name(name))
        append_setting(reader, name, value, SETTING_LINE)->is_hidden = true;
}

void settings_add_fault(struct reader *reader, struct slice name, struct word value,
                        const struct setting_fault *fault)
{
    if (settings_is_name(name) && !reader->is_build)
        append_setting(reader, name, value, SETTING_MCA)->fault = fault;
}

void settings_add(struct reader *reader, struct slice name, struct word value, enum setting_form form,
                  bool is_parameter)
{
    name = plain_name(name);
    if (!settings_is_name(name) || reader->is_build)
        return;
    reader->of->is_script |= form == SETTING_EXPORT || form == SETTING_OPTION || form == SETTING_MCA;
    struct setting *added = append_setting(reader, name, value, form);
    added->is_hidden = form == SETTING_LINE && settings_has_capital(name) && !is_parameter;
    added->is_parameter |= is_parameter;
    if (slice_is(name, "mca_base_env_list") || slice_is(name, "OMPI_MCA_mca_base_env_list"))
        settings_add_list(reader, value, 0, ';');
}

struct word settings_word_from(const struct word *word, size_t first)
{
    struct word rest = *word;
    rest.value = (struct slice){word->value.text + first, word->value.length - first};
    const char *equals = memchr(word->written.text, '=', word->written.length);
    const bool is_inside =
        rest.value.text >= word->written.text && rest.value.text <= word->written.text + word->written.length;
    if (is_inside)
        rest.written = (struct slice){rest.value.text, rest.value.length};
    else if (equals)
        rest.written =
            (struct slice){equals + 1, (size_t)(word->written.text + word->written.length - equals) - 1};
    return rest;
}

/* Adds NAME_{A,B}=VALUE, of which a shell makes two words. False if the name has not one list in braces. */
static bool add_braced(struct reader *reader, struct slice name, struct word value, enum setting_form form)
{
    const char *end = name.text + name.length;
    const char *open = name.length ? memchr(name.text, '{', name.length) : NULL;
    const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
    if (!close || memchr(close, '{', (size_t)(end - close)) || !memchr(open, ',', (size_t)(close - open)))
        return false;
    for (struct slice rest = {open + 1, (size_t)(close - open) - 1}; rest.length;) {
        const struct slice part = slice_take_until(&rest, ',');
        settings_add(reader,
                     slice_of(arena_printf(reader->arena, "%.*s%.*s%.*s", (int)(open - name.text), name.text,
                                           (int)part.length, part.text, (int)(end - close) - 1, close + 1)),
                     value, form, false);
    }
    return true;
}

bool settings_add_assignment(struct reader *reader, const struct word *word, enum setting_form form)
{
    const char *equals = memchr(word->value.text, '=', word->value.length);
    if (!equals)
        return false;
    const struct slice name = {word->value.text, (size_t)(equals - word->value.text)};
    if (!settings_is_name(name))
        return add_braced(reader, name, settings_word_from(word, name.length + 1), form);
    const char *written = word->written.text, *end = written + word->written.length;
    const bool is_bare = word->written.length > name.length && memcmp(written, name.text, name.length) == 0 &&
                         written[name.length] == '=';
    settings_add(reader, name,
                 is_bare ? settings_word_at(reader, written + name.length + 1, end)
                         : settings_word_from(word, name.length + 1),
                 form, false);
    return true;
}

void settings_add_list(struct reader *reader, struct word list, size_t first, char stop)
{
    struct slice rest = {list.value.text + first, list.value.length - first};
    while (rest.length) {
        const struct slice part = slice_trim(slice_take_until(&rest, stop));
        const bool is_inside = part.text >= reader->of->source->text &&
                               part.text <= reader->of->source->text + reader->of->source->length;
        const struct word word = {
            .written = is_inside ? part : list.written, .value = part, .is_computed = list.is_computed};
        (void)settings_add_assignment(reader, &word, SETTING_OPTION);
    }
}

void settings_undo(struct reader *reader, struct slice name)
{
    const struct settings *of = reader->of;
    const bool is_sure = !reader->n_branches && !reader->in_function && reader->stretch == reader->outer;
    const bool has_function = of->n_listed && of->launches[0].moment == UINT32_MAX;
    for (size_t i = of->n; i-- > 0;) {
        struct setting *setting = &of->items[i];
        if (setting->command || slice_compare(setting->name, name) != 0)
            continue;
        /* Greater ones are branches of this stretch. */
        if (setting->stretch >= reader->stretch && !has_function)
            setting->is_undone = true;
        else if (is_sure && !setting->undone)
            setting->undone = reader->moment;
    }
}

void settings_note_exported(struct reader *reader, struct slice name)
{
    reader->exported = mem_grow(reader->exported, &reader->exported_capacity, reader->n_exported + 1,
                                sizeof *reader->exported);
    reader->exported[reader->n_exported++] = name;
}

void settings_show_exported(struct reader *reader)
{
    struct settings *of = reader->of;
    for (size_t i = 0; i < of->n; i++)
        if (of->items[i].form == SETTING_EXPORT && reader->n_exported < SETTINGS_MAX_LOOKED_AT)
            settings_note_exported(reader, of->items[i].name);
    for (size_t i = 0; i < of->n; i++) {
        struct setting *setting = &of->items[i];
        setting->is_hidden &= of->is_script;
        if (!setting->is_hidden)
            continue;
        for (size_t j = 0; j < reader->n_exported && setting->is_hidden; j++)
            setting->is_hidden = slice_compare(reader->exported[j], setting->name) != 0;
    }
}
