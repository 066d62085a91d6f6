/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the statements of shells: assignments, exports, commands.
 */
#include "tables/settings/reader.h"

#include <stdlib.h>

enum { MAX_DEPTH = 3 };

/* Words before a command, that begin or end a branch or are followed by the command. */
static const char *const branch_words[] = {
    "then",   "else",     "elif",     "fi",      "do",     "done",    "esac",  "case",  "if",      "while",
    "until",  "for",      "{",        "}",       "else{",  "function", "switch", "default:", "breaksw", "endsw",
    "endif",  "foreach",  "end",      "elseif",  "else:",  "try:",    "except", "except:", "finally:", "def",
    NULL};
static const char *const before_command[] = {"!",       "time", "exec", "nohup", "sudo",
                                             "command", "eval", "RUN",  "run",   NULL};
static const char *const speaking[] = {"echo", "printf",      "cat",    "grep",  "egrep",
                                       "sed",  "awk",         "logger", "puts",  "whatis",
                                       "help", "LmodMessage", "puts(",  "print", NULL};
static const char *const exporting[] = {"export", "declare", "typeset", "local", "readonly", NULL};

/* Reads "export NAME := VALUE" of make, and the same with blanks in a shell, where it sets nothing; false if it
 * is none. */
static bool read_export_with_blanks(struct reader *reader, const struct word *words, size_t n)
{
    static const char *const signs[] = {":=", "::=", "?=", NULL};
    static const struct setting_fault fault = {
        "with a blank at '=' a shell reports an error, or sets an empty value",
        "write export NAME=VALUE, without blanks"};
    const bool is_of_make = n > 3 && settings_is_one_of(words[2].value, signs);
    const struct slice name = n > 2 ? words[1].value : (struct slice){0};
    const struct slice sign = n > 2 ? words[2].value : name;
    reader->is_make |= is_of_make;
    if (is_of_make || (reader->is_make && n > 3 && slice_is(sign, "="))) {
        settings_add(reader, name, words[3], SETTING_EXPORT, false);
        return true;
    }
    if (slice_starts(sign, "=")) {
        settings_add_fault(reader, name, words[n > 3 && sign.length == 1 ? 3 : 2], &fault);
        return true;
    }
    if (name.length < 2 || name.text[name.length - 1] != '=' || settings_is_name(sign) ||
        (sign.length && memchr(sign.text, '=', sign.length)))
        return false;
    settings_add_fault(reader, (struct slice){name.text, name.length - 1}, words[2], &fault);
    return true;
}

/* Returns the name in a word NAME or NAME=VALUE. */
static struct slice assigned_name(struct slice word)
{
    const char *equals = word.length ? memchr(word.text, '=', word.length) : NULL;
    return equals ? (struct slice){word.text, (size_t)(equals - word.text)} : word;
}

/* Reads export and its like; `declare` exports with -x alone, and `export -n` and `declare +x` end that. */
static void read_export(struct reader *reader, const struct word *words, size_t n)
{
    bool exports = slice_is(words[0].value, "export"), ends = false;
    if (exports && read_export_with_blanks(reader, words, n))
        return;
    for (size_t i = 1; i < n; i++) {
        const struct slice word = words[i].value;
        const bool is_option = word.length > 1 && (*word.text == '-' || *word.text == '+');
        if (is_option && memchr(word.text, *word.text == '+' ? 'x' : 'n', word.length))
            ends = true;
        else if (is_option)
            exports |= memchr(word.text, 'x', word.length) != NULL;
        else if (ends)
            settings_undo(reader, assigned_name(word));
        else if (!settings_add_assignment(reader, &words[i], exports ? SETTING_EXPORT : SETTING_LINE) &&
                 exports)
            settings_note_exported(reader, words[i].value);
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

/* Reads ${NAME:=VALUE}, which gives a value to a variable without one. */
static void read_default(struct reader *reader, const struct word *word)
{
    const struct slice written = word->written;
    const char *sign = written.length ? memchr(written.text, '=', written.length) : NULL;
    const char *first = written.length ? memchr(written.text, '{', written.length) : NULL;
    const char *end = written.length ? memchr(written.text, '}', written.length) : NULL;
    if (!sign || !first || !end || sign < first || end < sign)
        return;
    const struct slice name = {first + 1, (size_t)(sign - first) - 1 - (sign[-1] == ':')};
    const struct slice value = {sign + 1, (size_t)(end - sign) - 1};
    settings_add(reader, name, (struct word){.written = value, .value = slice_unquoted(value)}, SETTING_LINE,
                 false);
}

/* Reads a statement whose command says by itself that it sets something. False if it is another one. */
static bool read_setter(struct reader *reader, const struct word *words, size_t n)
{
    const struct slice command = words[0].value;
    const bool is_setenv = slice_is(command, "setenv") || slice_is(command, "pushenv");
    const bool is_fish = slice_is(command, "set") && n == 4 && words[1].value.length > 1 &&
                         *words[1].value.text == '-' &&
                         memchr(words[1].value.text, 'x', words[1].value.length);
    if (settings_is_one_of(command, exporting)) {
        read_export(reader, words, n);
    } else if (is_setenv && n >= 3) {
        size_t first = 1; /* behind options, such as --set-if-undef */
        while (first + 2 < n && words[first].value.length && *words[first].value.text == '-')
            first++;
        settings_add(reader, words[first].value, without_braces(words[first + 1]), SETTING_EXPORT, false);
    } else if (is_fish) {
        settings_add(reader, words[2].value, words[3], SETTING_EXPORT, false);
    } else if (slice_is(command, "ENV") && n >= 2) {
        bool is_pair = false;
        for (size_t i = 1; i < n; i++)
            is_pair |= settings_add_assignment(reader, &words[i], SETTING_EXPORT);
        if (!is_pair && n >= 3)
            settings_add(reader, words[1].value, words[2], SETTING_EXPORT, false);
    } else if (slice_is(command, "set") && n > 1 && slice_is(words[1].value, "-a")) {
        reader->exports_all = true;
    } else if (slice_is(command, "set") && n > 2 && words[1].value.length && *words[1].value.text != '-') {
        settings_add_variable(reader, words[1].value,
                              without_braces(words[slice_is(words[2].value, "=") && n > 3 ? 3 : 2]));
    } else if (slice_is(command, ":") && n > 1) {
        for (size_t i = 1; i < n; i++)
            read_default(reader, &words[i]);
    } else if (slice_is(command, "unset") || slice_is(command, "unsetenv")) {
        for (size_t i = 1; i < n; i++)
            settings_undo(reader, words[i].value);
    } else {
        return false;
    }
    return true;
}

void settings_read_text(struct reader *reader, const char *begin, const char *end);

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
        const char *close = words[i].is_quoted && open < end ? settings_closing_quote(open, end) : NULL;
        if (close && memchr(open, ' ', (size_t)(close - open)))
            settings_read_text(reader, open + 1, close);
    }
}

/* Adds 'name value' and 'name: value' alone on a line, which a parameter file passes over. */
static void read_without_sign(struct reader *reader, const struct word *words, size_t n)
{
    static const struct setting_fault fault = {
        "without '=' the parameter file's reader reports an error and leaves the line out",
        "write NAME = VALUE"};
    struct slice name = words->value;
    const bool has_sign = n == 3 && (slice_is(words[1].value, ":") || slice_is(words[1].value, ":="));
    if (!has_sign && name.length && name.text[name.length - 1] == ':')
        name.length--;
    if ((n == 2 || has_sign) && !reader->of->is_script && !settings_has_capital(name) && name.length &&
        memchr(name.text, '_', name.length))
        settings_add_fault(reader, name, words[n - 1], &fault);
}

/* Counts the branches around statements, and sees functions begin and end. */
static void enter_branch(struct reader *reader, struct slice word)
{
    static const char *const opening[] = {"if", "for", "while", "until", "case", "foreach", "switch", NULL};
    static const char *const closing[] = {"fi", "done", "esac", "end", "endif", "endsw", NULL};
    reader->n_branches += settings_is_one_of(word, opening);
    reader->n_branches -= reader->n_branches && settings_is_one_of(word, closing);
    reader->in_function = (reader->in_function || slice_is(word, "function")) && !slice_is(word, "}");
}

/* Forgets what env took out of the environment of a command. */
static void drop_nothing(struct reader *reader)
{
    reader->dropped = NULL;
    reader->n_dropped = reader->dropped_capacity = 0;
    reader->drops_all = false;
}

/* Lists the statement, whose settings begin with number `first`, if it starts programs. */
static void list_launch(struct reader *reader, size_t first)
{
    struct settings *of = reader->of;
    if (!reader->has_launcher && !reader->has_variables)
        return;
    of->launches = mem_grow(of->launches, &reader->launches_capacity, of->n_listed + 1, sizeof *of->launches);
    of->launches[of->n_listed++] = (struct settings_launch){
        .first = first,
        .end = of->n,
        .moment = reader->in_function ? UINT32_MAX : reader->moment,
        .is_launcher = reader->has_launcher,
        .is_small = reader->n_programs == 0,
        .dropped = arena_take(reader->dropped, reader->n_dropped, sizeof *reader->dropped, reader->arena),
        .n_dropped = reader->n_dropped,
        .drops_all = reader->drops_all};
    drop_nothing(reader);
    for (size_t i = first; i < of->n; i++)
        of->items[i].listed = (uint32_t)of->n_listed;
}

static void drop(struct reader *reader, struct slice name)
{
    reader->dropped = mem_grow(reader->dropped, &reader->dropped_capacity, reader->n_dropped + 1,
                               sizeof *reader->dropped);
    reader->dropped[reader->n_dropped++] = name;
}

/* Reads the options and assignments of env, which is words[first]; returns the place of its command. */
static size_t read_env(struct reader *reader, const struct word *words, size_t first, size_t n)
{
    size_t i = first + 1;
    for (; i < n; i++) {
        const struct slice word = words[i].value;
        if (settings_add_assignment(reader, &words[i], SETTING_COMMAND))
            continue;
        if (!word.length || *words[i].written.text != '-')
            break;
        if ((slice_is(word, "-u") || slice_is(word, "--unset")) && i + 1 < n)
            drop(reader, words[++i].value);
        else if (slice_starts(word, "--unset="))
            drop(reader, (struct slice){word.text + 8, word.length - 8});
        else if (slice_starts(word, "-u"))
            drop(reader, (struct slice){word.text + 2, word.length - 2});
        else
            reader->drops_all |= slice_is(word, "-") || slice_is(word, "-i") ||
                                 slice_is(word, "--ignore-environment");
    }
    return i;
}

/* True if the command may start programs with calls of a library, also by a file that it reads. */
static bool may_start(const struct word *words, size_t first, size_t n)
{
    const struct slice command = first < n ? words[first].value : (struct slice){0};
    return slice_is(command, ".") || slice_is(command, "source") ||
           (first < n && !settings_is_small_program(command));
}

static void read_command(struct reader *reader, const struct word *words, size_t n, size_t n_assigned)
{
    size_t first = n_assigned;
    const bool is_env = slice_is(words[first].value, "env");
    reader->command = ++reader->n_commands;
    for (size_t i = 0; i < n_assigned; i++)
        (void)settings_add_assignment(reader, &words[i], SETTING_COMMAND);
    if (is_env)
        first = read_env(reader, words, first, n);
    if (may_start(words, first, n))
        reader->last_command = reader->moment;
    const size_t launcher = settings_launcher_among(words, first, n);
    reader->has_variables |= first > 0;
    reader->has_launcher |= launcher < n && settings_is_surely_launcher(words[launcher].value);
    if (!first)
        read_without_sign(reader, words, n);
    settings_read_options(reader, words, first, n);
    if (launcher < n) {
        reader->of->n_launches++;
        reader->of->is_script = true;
        settings_part(reader);
    }
}

/* Reads a statement behind words of branches, and what stands in its quotes. */
static void read_simple(struct reader *reader, const struct word *words, size_t n)
{
    size_t n_assigned = 0;
    while (n_assigned < n) {
        const struct slice value = words[n_assigned].value;
        const char *equals = memchr(value.text, '=', value.length);
        if (!equals || !settings_is_name((struct slice){value.text, (size_t)(equals - value.text)}))
            break;
        n_assigned++;
    }
    if (n == 0 || settings_is_one_of(words[n_assigned < n ? n_assigned : 0].value, speaking))
        return;
    reader->n_visible = n_assigned == n ? SIZE_MAX : reader->of->n;
    bool is_kept = n_assigned == n; /* what stands in quotes is for later commands */
    if (is_kept)
        for (size_t i = 0; i < n; i++)
            (void)settings_add_assignment(reader, &words[i],
                                 reader->depth > 1     ? SETTING_COMMAND
                                 : reader->exports_all ? SETTING_EXPORT
                                                       : SETTING_LINE);
    else if (n_assigned || !(is_kept = read_setter(reader, words, n)))
        read_command(reader, words, n, n_assigned);
    const struct reader outer = *reader;
    reader->is_kept |= is_kept;
    read_quoted(reader, words, n);
    reader->is_kept = outer.is_kept;
    if (is_kept || (outer.has_launcher && !outer.is_shell))
        reader->n_programs = outer.n_programs;
    if (is_kept) {
        reader->has_launcher = outer.has_launcher;
        reader->has_variables = outer.has_variables;
    }
}

/* Reads a statement in the quotes of another one. Launches are listed there unless that is one. */
static void read_inner(struct reader *reader, const struct word *words, size_t n)
{
    const size_t first = reader->of->n;
    const bool had_launcher = reader->has_launcher, had_variables = reader->has_variables;
    const uint32_t n_programs = reader->n_programs;
    if (had_launcher || reader->is_kept) {
        read_simple(reader, words, n);
        return;
    }
    reader->moment++;
    reader->n_programs = 0;
    reader->has_variables = false;
    read_simple(reader, words, n);
    if (reader->has_launcher)
        list_launch(reader, first);
    reader->n_programs += n_programs;
    reader->has_variables |= had_variables;
    reader->has_launcher = false;
}

void settings_end_shell(struct reader *reader, size_t first)
{
    reader->moment++;
    for (size_t i = first; i < reader->of->n; i++) {
        struct setting *setting = &reader->of->items[i];
        if (!setting->command && setting->moment && !setting->undone)
            setting->undone = reader->moment;
    }
}

void settings_read_statement(struct reader *reader, const struct word *words, size_t n)
{
    struct settings *of = reader->of;
    const size_t first = of->n, n_listed = of->n_listed;
    bool is_eval = false;
    for (; n; words++, n--) {
        is_eval |= slice_is(words->value, "eval");
        enter_branch(reader, words->value);
        reader->is_build |= slice_is(words->value, "RUN");
        if (settings_is_one_of(words->value, branch_words))
            settings_part(reader);
        else if (!settings_is_one_of(words->value, before_command))
            break;
    }
    if (reader->depth > 1) {
        read_inner(reader, words, n);
        return;
    }
    reader->moment++;
    if (reader->n_branches || reader->in_function)
        reader->last_command = reader->moment;
    free(reader->dropped);
    drop_nothing(reader);
    reader->is_statement = true;
    reader->has_launcher = reader->has_variables = false;
    reader->n_programs = 0;
    read_simple(reader, words, n);
    reader->is_statement = false;
    if (of->n_listed > n_listed && !is_eval)
        settings_end_shell(reader, first);
    if (of->n_listed == n_listed)
        list_launch(reader, first);
    for (size_t i = first; i < of->n; i++)
        if (of->n_listed > n_listed && of->items[i].command && !of->items[i].listed)
            of->items[i].listed = SETTING_OF_STATEMENT;
    for (size_t i = n_listed; i < of->n_listed; i++) {
        of->launches[i].outer = first;
        of->launches[i].outer_end = of->n;
    }
}
