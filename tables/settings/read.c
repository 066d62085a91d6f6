/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads settings from text; see settings.h. The text is split into statements and words as a shell does it,
 * with two differences: a quote that does not end on its line is a character like others (prose has
 * apostrophes), and each statement is read on its own, so that no branch is left out.
 */
#include "tables/settings/settings.h"

#include <stdlib.h>

enum { MAX_WORDS = 1024, MAX_DEPTH = 3, MAX_LOOKED_AT = 4096 };

struct word {
    struct slice written; /* with its quotes */
    struct slice value;   /* without */
    bool is_quoted, is_computed;
};

struct reader {
    struct settings *of;
    struct arena *arena;
    const char *at, *end; /* what is left of the text, or of the quoted words in view */
    const char *counted;  /* lines are counted up to here ... */
    uint32_t line;        /* ... and this is its line */
    size_t capacity;
    size_t n_visible; /* settings whose values a statement can use: none of its own, but for plain
                                assignments */
    uint32_t command, n_commands, stretch;
    bool is_plain;          /* the file has nothing but NAME=VALUE, and comments */
    bool exports_all;       /* after set -a */
    struct slice *exported; /* names of `export NAME` */
    size_t n_exported, exported_capacity;
    struct slice mapping; /* the NAME of `name: NAME` on the line before */
    unsigned depth;
};

/* ---- words ---- */

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || text_is_digit(c) || c == '.';
}

static bool is_line_end(char c)
{
    return c == '\n';
}

/* Returns the length of a line end behind a backslash; 0 if none is there. */
static size_t continuation(const char *at, const char *end)
{
    if (end - at >= 2 && at[0] == '\\' && at[1] == '\n')
        return 2;
    return end - at >= 3 && at[0] == '\\' && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* Returns the quote that ends the one at `at`, or NULL if there is none on the line. */
static const char *closing_quote(const char *at, const char *end)
{
    const char quote = *at;
    for (at++; at < end && !is_line_end(*at); at++) {
        if (*at == quote)
            return at;
        if (quote == '"' && *at == '\\' && at + 1 < end)
            at += continuation(at, end) == 3 ? 2 : 1;
    }
    return NULL;
}

/* Returns the end of $(...), ${...} or `...` at `at`; NULL if it does not end on the line. */
static const char *closing_bracket(const char *at, const char *end)
{
    const bool is_tick = *at == '`';
    const char open = is_tick ? '`' : at[1], close = open == '(' ? ')' : open == '{' ? '}' : '`';
    unsigned depth = 0;
    if (!is_tick && (end - at < 2 || (open != '(' && open != '{')))
        return NULL;
    for (at += is_tick ? 1 : 2; at < end && !is_line_end(*at); at++) {
        if (*at == close && depth-- == 0)
            return at + 1;
        depth += *at == open && !is_tick;
    }
    return NULL;
}

/* True for what ends a word; in a file of nothing but NAME=VALUE blanks alone do. */
static bool ends_word(const struct reader *reader, char c)
{
    return text_is_blank(c) || (!reader->is_plain && c && strchr(";&|()", c));
}

/* The value of a word as it grows: a piece of the source as long as that is possible. */
struct value {
    const char *first;
    struct text text;
    bool is_piece;
};

static void value_append(struct value *value, const char *at, size_t length)
{
    if (length && !value->text.length)
        value->first = at;
    value->is_piece &= at == value->first + value->text.length || !length;
    text_append(&value->text, at, length);
}

/* Appends the text between quotes; a backslash takes the meaning of the characters that have one there. */
static void settings_append_quoted(struct value *value, const char *at, const char *end, char quote,
                                   bool *is_computed)
{
    while (at < end) {
        const size_t joined = quote == '"' ? continuation(at, end) : 0;
        *is_computed |= quote == '"' && (*at == '$' || *at == '`');
        if (quote == '"' && !joined && *at == '\\' && at + 1 < end && strchr("\"\\$`", at[1]))
            at++;
        if (!joined)
            value_append(value, at, 1);
        at += joined ? joined : 1;
    }
}

/* Appends what begins at `at`, and returns its end. */
static const char *append_part(struct value *value, struct word *word, const char *at, const char *end)
{
    const char *close = *at == '"' || *at == '\'' ? closing_quote(at, end) : NULL;
    const char *bracket = *at == '$' || *at == '`' ? closing_bracket(at, end) : NULL;
    word->is_computed |= *at == '$' || *at == '`';
    if (close) {
        settings_append_quoted(value, at + 1, close, *at, &word->is_computed);
        word->is_quoted = true;
        return close + 1;
    }
    if (bracket) {
        value_append(value, at, (size_t)(bracket - at));
        return bracket;
    }
    if (continuation(at, end))
        return at + continuation(at, end);
    at += *at == '\\' && at + 1 < end && !text_is_blank(at[1]);
    value_append(value, at, 1);
    return at + 1;
}

/* Returns the word that begins at `at`, or is there up to `end` if that is before a word ends. */
static struct word settings_word_at(const struct reader *reader, const char *at, const char *end)
{
    struct word word = {.written = {at, 0}};
    struct value value = {.first = at, .is_piece = true};
    while (at < end && !ends_word(reader, *at))
        at = append_part(&value, &word, at, end);
    word.written.length = (size_t)(at - word.written.text);
    word.value = (struct slice){
        value.is_piece ? value.first : arena_strndup(reader->arena, value.text.data, value.text.length),
        value.text.length};
    text_free(&value.text);
    return word;
}

/* ---- settings ---- */

static bool is_name(struct slice name)
{
    for (size_t i = 0; i < name.length; i++)
        if (!is_name_letter(name.text[i]))
            return false;
    return name.length > 0 && !text_is_digit(*name.text) && *name.text != '.';
}

static uint32_t line_of(struct reader *reader, const char *at)
{
    if (at < reader->counted) {
        reader->counted = reader->of->source->text;
        reader->line = 1;
    }
    for (; reader->counted < at; reader->counted++)
        reader->line += is_line_end(*reader->counted);
    return reader->line;
}

static bool has_capital(struct slice name)
{
    size_t i = 0;
    while (i < name.length && !(name.text[i] >= 'A' && name.text[i] <= 'Z'))
        i++;
    return i < name.length;
}

/* Returns the only setting of a variable so far, if its value is known; NULL if there is no such one. */
static const struct setting *only_setting(const struct reader *reader, struct slice name)
{
    const struct settings *of = reader->of;
    const struct setting *found = NULL;
    for (size_t i = 0; i < of->n && i < reader->n_visible; i++) {
        if (of->items[i].command || slice_compare(of->items[i].name, name) != 0)
            continue;
        if (found)
            return NULL;
        found = &of->items[i];
    }
    return found && !found->is_computed && !found->is_undone ? found : NULL;
}

/* Appends the value of the variable at `at`, behind its '$'. Returns its end; NULL if that is not known. */
static const char *append_variable(const struct reader *reader, struct text *out, const char *at,
                                   const char *end)
{
    const bool is_braced = at < end && *at == '{';
    const char *first = at + is_braced;
    for (at = first; at < end && is_name_letter(*at) && *at != '.';)
        at++;
    const struct slice name = {first, (size_t)(at - first)};
    const struct setting *setting = is_name(name) ? only_setting(reader, name) : NULL;
    if (!setting || (is_braced && (at == end || *at != '}')))
        return NULL;
    text_append(out, setting->value.text, setting->value.length);
    return at + is_braced;
}

/* Replaces variables that the file sets once, to something known, by their values. */
static void expand_value(struct reader *reader, struct word *word)
{
    struct text out = {0};
    const char *at = word->value.text, *end = at + word->value.length;
    enum { MAX_EXPANDED = 1 << 16 };
    if (reader->of->n > MAX_LOOKED_AT || memchr(word->written.text, '\'', word->written.length))
        return;
    while (at && at < end && out.length < MAX_EXPANDED) {
        if (*at == '$')
            at = append_variable(reader, &out, at + 1, end);
        else if (*at == '`')
            at = NULL;
        else
            text_append(&out, at++, 1);
    }
    if (at == end) {
        word->value =
            (struct slice){arena_strndup(reader->arena, out.length ? out.data : "", out.length), out.length};
        word->is_computed = false;
    }
    text_free(&out);
}

/* Adds a setting, if the name is one. NAME=VALUE alone on a line is hidden until show_exported. */
static void settings_add(struct reader *reader, struct slice name, struct word value, enum setting_form form,
                         bool is_parameter)
{
    struct settings *of = reader->of;
    if (!is_name(name))
        return;
    if (value.is_computed)
        expand_value(reader, &value);
    of->is_script |= form == SETTING_EXPORT || form == SETTING_OPTION || form == SETTING_MCA;
    of->items = mem_grow(of->items, &reader->capacity, of->n + 1, sizeof *of->items);
    of->items[of->n++] =
        (struct setting){.name = name,
                         .value = value.value,
                         .written = value.written,
                         .form = form,
                         .line = line_of(reader, value.written.text),
                         .stretch = reader->stretch,
                         .command = form > SETTING_EXPORT ? reader->command : 0,
                         .is_computed = value.is_computed,
                         .is_hidden = form == SETTING_LINE && has_capital(name) && !is_parameter};
}

/* Returns the part of a word from `first` of its value on. */
static struct word word_from(const struct word *word, size_t first)
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

/* Adds NAME=VALUE; returns false if the word is none. */
static bool add_assignment(struct reader *reader, const struct word *word, enum setting_form form)
{
    const char *equals = memchr(word->value.text, '=', word->value.length);
    if (!equals)
        return false;
    const struct slice name = {word->value.text, (size_t)(equals - word->value.text)};
    if (!is_name(name))
        return false;
    const char *written = word->written.text, *end = written + word->written.length;
    const bool is_bare = word->written.length > name.length && memcmp(written, name.text, name.length) == 0 &&
                         written[name.length] == '=';
    settings_add(reader, name,
                 is_bare ? settings_word_at(reader, written + name.length + 1, end)
                         : word_from(word, name.length + 1),
                 form, false);
    return true;
}

/* Adds the parts of a list N=V,N=V; words without '=' only name variables. */
static void add_list(struct reader *reader, struct word list, size_t first)
{
    struct slice rest = {list.value.text + first, list.value.length - first};
    while (rest.length) {
        const struct slice part = slice_take_until(&rest, ',');
        const struct word word = {.written = part, .value = part, .is_computed = list.is_computed};
        (void)add_assignment(reader, &word, SETTING_OPTION);
    }
}

/* ---- statements ---- */

static bool is_one_of(struct slice word, const char *const *list)
{
    while (*list && !slice_is(word, *list))
        list++;
    return *list != NULL;
}

/* Words before a command, that begin or end a branch or are followed by the command. */
static const char *const branch_words[] = {"then", "else", "elif",  "fi",       "do",    "done",
                                           "esac", "case", "if",    "while",    "until", "for",
                                           "{",    "}",    "else{", "function", NULL};
static const char *const before_command[] = {"!",       "time", "exec", "nohup", "sudo",
                                             "command", "eval", "RUN",  "run",   NULL};
static const char *const speaking[] = {"echo", "printf",      "cat",    "grep",  "egrep",
                                       "sed",  "awk",         "logger", "puts",  "whatis",
                                       "help", "LmodMessage", "puts(",  "print", NULL};
static const char *const exporting[] = {"export", "declare", "typeset", "local", "readonly", NULL};
static const char *const environment_options[] = {"-x", "-genv",  "-env", "--env", "-e",
                                                  "-E", "--genv", "--x",  NULL};

static bool is_launcher(struct slice word)
{
    static const char *const begins[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun",
                                         "sbatch", "aprun",   "jsrun",   "ibrun",   "flux", "torchrun",
                                         "qsub",   "lrun",    "mpprun",  "./",      NULL};
    for (size_t i = word.length; i-- > 1;)
        if (word.text[i] == '/' && i + 1 < word.length && !slice_starts(word, "./")) {
            word = (struct slice){word.text + i + 1, word.length - i - 1};
            break;
        }
    for (size_t i = 0; begins[i]; i++)
        if (slice_starts(word, begins[i]))
            return true;
    return word.length > 1 && *word.text == '$';
}

/* Reads the options of a launcher among the words from `first` on. */
static void read_options(struct reader *reader, const struct word *words, size_t first, size_t n)
{
    for (size_t i = first; i < n; i++) {
        const struct slice option = words[i].value;
        const struct word *next = i + 1 < n ? &words[i + 1] : NULL;
        const bool is_mca = slice_is(option, "--mca") || slice_is(option, "-mca");
        const bool is_gmca = slice_is(option, "--gmca") || slice_is(option, "-gmca");
        if ((is_mca || is_gmca) && i + 2 < n) {
            settings_add(reader, next->value, words[i + 2], is_gmca ? SETTING_GMCA : SETTING_MCA, false);
            i += 2;
        } else if (is_one_of(option, environment_options) && next) {
            const bool takes_two = slice_is(option, "-genv") || slice_is(option, "-env");
            if (!add_assignment(reader, next, SETTING_OPTION) && takes_two && i + 2 < n)
                settings_add(reader, next->value, words[++i + 1], SETTING_OPTION, false);
            i++;
        } else if (slice_starts(option, "--export=")) {
            add_list(reader, words[i], strlen("--export="));
        } else if (slice_starts(option, "--env=")) {
            const struct word rest = word_from(&words[i], strlen("--env="));
            (void)add_assignment(reader, &rest, SETTING_OPTION);
        } else if ((slice_is(option, "--export") || slice_is(option, "-v")) && next) {
            add_list(reader, *next, 0);
        }
    }
}

static void settings_undo(struct reader *reader, struct slice name)
{
    for (size_t i = reader->of->n; i-- > 0;) {
        struct setting *setting = &reader->of->items[i];
        if (setting->stretch != reader->stretch)
            return;
        setting->is_undone |= setting->command == 0 && setting->name.length == name.length &&
                              memcmp(setting->name.text, name.text, name.length) == 0;
    }
}

static void note_exported(struct reader *reader, struct slice name)
{
    reader->exported = mem_grow(reader->exported, &reader->exported_capacity, reader->n_exported + 1,
                                sizeof *reader->exported);
    reader->exported[reader->n_exported++] = name;
}

/* Reads export and its like; `declare` exports with -x alone. */
static void read_export(struct reader *reader, const struct word *words, size_t n)
{
    bool exports = slice_is(words[0].value, "export");
    for (size_t i = 1; i < n; i++) {
        if (words[i].value.length && *words[i].value.text == '-')
            exports |= memchr(words[i].value.text, 'x', words[i].value.length) != NULL;
        else if (!add_assignment(reader, &words[i], exports ? SETTING_EXPORT : SETTING_LINE) && exports)
            note_exported(reader, words[i].value);
    }
}

/* Returns the word without the braces that are quotes in Tcl. */
static struct word without_braces(struct word word)
{
    const struct slice value = word.value;
    if (value.length > 1 && *value.text == '{' && value.text[value.length - 1] == '}')
        word.value = (struct slice){value.text + 1, value.length - 2};
    return word;
}

/* Reads a statement whose command says by itself that it sets something. False if it is another one. */
static bool read_setter(struct reader *reader, const struct word *words, size_t n)
{
    const struct slice command = words[0].value;
    const bool is_setenv = slice_is(command, "setenv") || slice_is(command, "pushenv");
    const bool is_fish = slice_is(command, "set") && n == 4 && words[1].value.length > 1 &&
                         *words[1].value.text == '-' &&
                         memchr(words[1].value.text, 'x', words[1].value.length);
    if (is_one_of(command, exporting)) {
        read_export(reader, words, n);
    } else if (is_setenv && n >= 3) {
        settings_add(reader, words[1].value, without_braces(words[2]), SETTING_EXPORT, false);
    } else if (is_fish) {
        settings_add(reader, words[2].value, words[3], SETTING_EXPORT, false);
    } else if (slice_is(command, "ENV") && n >= 2) {
        bool is_pair = false;
        for (size_t i = 1; i < n; i++)
            is_pair |= add_assignment(reader, &words[i], SETTING_EXPORT);
        if (!is_pair && n >= 3)
            settings_add(reader, words[1].value, words[2], SETTING_EXPORT, false);
    } else if (slice_is(command, "set") && n > 1 && slice_is(words[1].value, "-a")) {
        reader->exports_all = true;
    } else if (slice_is(command, "unset") || slice_is(command, "unsetenv")) {
        for (size_t i = 1; i < n; i++)
            settings_undo(reader, words[i].value);
    } else {
        return false;
    }
    return true;
}

static void read_text(struct reader *reader, const char *begin, const char *end);

/* Reads what stands in quotes for a later command line. */
static void read_quoted(struct reader *reader, const struct word *words, size_t n)
{
    if (reader->depth >= MAX_DEPTH)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *begin = words[i].written.text, *end = begin + words[i].written.length;
        const char *open = begin;
        while (open < end && *open != '"' && *open != '\'')
            open++;
        const char *close = words[i].is_quoted && open < end ? closing_quote(open, end) : NULL;
        if (close && memchr(open, ' ', (size_t)(close - open)))
            read_text(reader, open + 1, close);
    }
}

static void read_command(struct reader *reader, const struct word *words, size_t n, size_t n_assigned)
{
    size_t first = n_assigned;
    const bool is_env = slice_is(words[first].value, "env");
    reader->command = ++reader->n_commands;
    for (size_t i = 0; i < n_assigned; i++)
        (void)add_assignment(reader, &words[i], SETTING_COMMAND);
    if (is_env)
        for (first++; first < n; first++)
            if (!add_assignment(reader, &words[first], SETTING_COMMAND) && *words[first].written.text != '-')
                break;
    read_options(reader, words, first, n);
    if (first < n && is_launcher(words[first].value)) {
        reader->of->n_launches++;
        reader->of->is_script = true;
        reader->stretch++;
    }
}

static void settings_read_statement(struct reader *reader, const struct word *words, size_t n)
{
    for (; n; words++, n--) {
        if (is_one_of(words->value, branch_words))
            reader->stretch++;
        else if (!is_one_of(words->value, before_command))
            break;
    }
    size_t n_assigned = 0;
    while (n_assigned < n) {
        const struct slice value = words[n_assigned].value;
        const char *equals = memchr(value.text, '=', value.length);
        if (!equals || !is_name((struct slice){value.text, (size_t)(equals - value.text)}))
            break;
        n_assigned++;
    }
    if (n == 0 || is_one_of(words[n_assigned < n ? n_assigned : 0].value, speaking))
        return;
    reader->n_visible = n_assigned == n ? SIZE_MAX : reader->of->n;
    if (n_assigned == n)
        for (size_t i = 0; i < n; i++)
            (void)add_assignment(reader, &words[i],
                                 reader->depth > 1     ? SETTING_COMMAND
                                 : reader->exports_all ? SETTING_EXPORT
                                                       : SETTING_LINE);
    else if (n_assigned || !read_setter(reader, words, n))
        read_command(reader, words, n, n_assigned);
    read_quoted(reader, words, n);
}

/* ---- forms that are no statements of a shell ---- */

static void skip_line(struct reader *reader)
{
    while (reader->at < reader->end && !is_line_end(*reader->at))
        reader->at++;
}

static struct slice rest_of_line(const struct reader *reader, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(reader->end - at));
    return slice_trim((struct slice){at, (size_t)((end ? end : reader->end) - at)});
}

/* Takes `name = value` with a blank before or behind the '='; a shell would see a command there. */
static bool take_parameter(struct reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    while (at < end && is_name_letter(*at))
        at++;
    const struct slice name = {reader->at, (size_t)(at - reader->at)};
    const char *before = at;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (!is_name(name) || at == end || *at != '=' || (at + 1 < end && at[1] == '='))
        return false;
    const struct slice value = rest_of_line(reader, at + 1);
    const char *blank = value.length ? memchr(value.text, ' ', value.length) : NULL;
    const bool has_comment = blank && blank + 1 < value.text + value.length && blank[1] == '#';
    if (at == before && (has_capital(name) || at + 1 == end || !(text_is_blank(at[1]) || has_comment)))
        return false;
    settings_add(reader, name, (struct word){.written = value, .value = slice_unquoted(value)}, SETTING_LINE,
                 true);
    reader->at = value.text + value.length;
    return true;
}

/* Takes `NAME: value` of YAML, and its `value:` behind `- name: NAME`. */
static bool take_mapping(struct reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    while (at < end && (*at == '-' || *at == ' '))
        at++;
    struct slice key = {at, 0};
    while (at < end && is_name_letter(*at))
        at++;
    key.length = (size_t)(at - key.text);
    if (at + 1 >= end || *at != ':' || (at[1] != ' ' && at[1] != '\n'))
        return false;
    const struct slice value = rest_of_line(reader, at + 1);
    const struct slice outer = reader->mapping;
    const bool is_value = slice_is(key, "value") && outer.length;
    reader->mapping = slice_is(key, "name") ? slice_unquoted(value) : (struct slice){0};
    const bool is_setting = is_value || (has_capital(key) && memchr(key.text, '_', key.length));
    if (!is_setting && !slice_is(key, "name"))
        return false;
    if (is_setting)
        settings_add(reader, is_value ? outer : key,
                     (struct word){.written = value, .value = slice_unquoted(value)}, SETTING_EXPORT, false);
    reader->of->is_script = true;
    reader->at = at + 1;
    skip_line(reader);
    return true;
}

/* Takes a string in quotes, and the blanks, commas and brackets before it. */
static bool take_argument(const char **at, const char *end, struct word *argument)
{
    while (*at < end && !is_line_end(**at) && strchr(" \t,([])=", **at))
        ++*at;
    const char *close = *at < end && (**at == '"' || **at == '\'') ? closing_quote(*at, end) : NULL;
    if (!close)
        return false;
    *argument = (struct word){.written = {*at, (size_t)(close - *at) + 1},
                              .value = {*at + 1, (size_t)(close - *at) - 1}};
    *at = close + 1;
    return true;
}

/* Takes a call with the name and the value in quotes: setenv("N", "V") of Lua, os.environ["N"] = "V". */
static bool take_call(struct reader *reader)
{
    static const char *const calls[] = {
        "setenv(", "pushenv(", "setenv (", "pushenv (", "os.environ[", "os.putenv(", "os.environ.setdefault(",
        NULL};
    const struct slice rest = {reader->at, (size_t)(reader->end - reader->at)};
    size_t i = 0;
    while (calls[i] && !slice_starts(rest, calls[i]))
        i++;
    if (!calls[i])
        return false;
    const char *at = reader->at + strlen(calls[i]);
    struct word name, value;
    reader->of->is_script = true;
    if (take_argument(&at, reader->end, &name) && take_argument(&at, reader->end, &value))
        settings_add(reader, name.value, value, SETTING_EXPORT, false);
    reader->at = at;
    return true;
}

/* Skips a comment; one that is read by a batch system loses its '#' instead. */
static bool skip_comment(struct reader *reader, bool is_at_line)
{
    static const char *const directives[] = {"#SBATCH", "#PBS", "#BSUB", "#FLUX:", "#flux:", "#COBALT", NULL};
    const struct slice rest = {reader->at, (size_t)(reader->end - reader->at)};
    if (is_at_line && (slice_starts(rest, "-- ") || slice_starts(rest, ";") || slice_starts(rest, "//"))) {
        skip_line(reader);
        return true;
    }
    if (*reader->at != '#')
        return false;
    for (size_t i = 0; is_at_line && directives[i]; i++)
        if (slice_starts(rest, directives[i])) {
            reader->of->is_script = true;
            return false; /* the word is a command without settings, its options count */
        }
    reader->of->is_script |= slice_starts(rest, "#!");
    skip_line(reader);
    return true;
}

/* Takes the words of a statement. */
static size_t take_statement(struct reader *reader, struct word *words)
{
    size_t n = 0;
    while (reader->at < reader->end) {
        if (continuation(reader->at, reader->end)) {
            reader->at += continuation(reader->at, reader->end);
        } else if (is_line_end(*reader->at)) {
            break;
        } else if (text_is_blank(*reader->at)) {
            reader->at++;
        } else if (*reader->at == '#' && n) {
            skip_line(reader);
        } else if (ends_word(reader, *reader->at)) {
            reader->at++;
            break;
        } else {
            const struct word word = settings_word_at(reader, reader->at, reader->end);
            reader->at += word.written.length;
            if (n < MAX_WORDS)
                words[n++] = word;
        }
    }
    return n;
}

static void read_text(struct reader *reader, const char *begin, const char *end)
{
    const char *outer_at = reader->at, *outer_end = reader->end;
    struct word *words = mem_alloc(MAX_WORDS, sizeof *words);
    bool is_at_line = reader->depth == 0;
    reader->at = begin;
    reader->end = end;
    reader->depth++;
    while (reader->at < end) {
        if (text_is_blank(*reader->at)) {
            is_at_line |= is_line_end(*reader->at) && reader->depth == 1;
            reader->at++;
        } else if (skip_comment(reader, is_at_line) || take_call(reader) ||
                   (is_at_line && (take_parameter(reader) || take_mapping(reader)))) {
            is_at_line = false;
        } else {
            settings_read_statement(reader, words, take_statement(reader, words));
            is_at_line = false;
        }
    }
    free(words);
    reader->depth--;
    reader->at = outer_at;
    reader->end = outer_end;
}

/* Shows NAME=VALUE where it is more than a variable of a shell: in a file without anything else, or where
 * the script exports the name. */
static void show_exported(struct reader *reader)
{
    struct settings *of = reader->of;
    for (size_t i = 0; i < of->n; i++)
        if (of->items[i].form == SETTING_EXPORT && reader->n_exported < MAX_LOOKED_AT)
            note_exported(reader, of->items[i].name);
    for (size_t i = 0; i < of->n; i++) {
        struct setting *setting = &of->items[i];
        setting->is_hidden &= of->is_script;
        if (!setting->is_hidden)
            continue;
        for (size_t j = 0; j < reader->n_exported && setting->is_hidden; j++)
            setting->is_hidden = slice_compare(reader->exported[j], setting->name) != 0;
    }
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
        if (!equals || !is_name((struct slice){line.text, (size_t)(equals - line.text)}))
            return false;
        const struct slice value = {equals + 1, (size_t)(line.text + line.length - equals) - 1};
        const struct slice words = slice_unquoted(value);
        if (words.length == value.length ? memchr(value.text, ' ', value.length) != NULL
                                         : memchr(words.text, *value.text, words.length) != NULL)
            return false;
    }
    return true;
}

const struct settings *settings_read(const struct source *source, struct arena *arena)
{
    struct settings *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct settings){.source = source};
    struct reader reader = {
        .of = of, .arena = arena, .counted = source->text, .line = 1, .is_plain = is_plain_file(source)};
    const char *start = source_start(source);
    read_text(&reader, start, source->text + source->length);
    show_exported(&reader);
    free(reader.exported);
    of->items = arena_take(of->items, of->n, sizeof *of->items, arena);
    return of;
}

struct position settings_position(const struct settings *settings, struct slice part)
{
    const struct source *source = settings->source;
    if (part.text >= source->text && part.text <= source->text + source->length)
        return slice_position(source, part);
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        if (part.text >= setting->value.text && part.text <= setting->value.text + setting->value.length)
            return slice_position(source, setting->written);
    }
    return source_position(source, 0, 1);
}
