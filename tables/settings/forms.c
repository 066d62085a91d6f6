/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads lines that are no statements of a shell.
 */
#include "tables/settings/reader.h"

static struct slice rest_of_line(const struct reader *reader, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(reader->end - at));
    return slice_trim((struct slice){at, (size_t)((end ? end : reader->end) - at)});
}

/* Takes `name = value` with a blank before or behind the '=', where a shell would see a command, and in a
 * file of parameters without. */
bool settings_take_parameter(struct reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    while (at < end && settings_is_name_letter(*at))
        at++;
    const struct slice name = {reader->at, (size_t)(at - reader->at)};
    const char *before = at;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (!settings_is_name(name) || at == end || *at != '=' || (at + 1 < end && at[1] == '='))
        return false;
    const struct slice value = rest_of_line(reader, at + 1);
    const bool has_blank = at > before || (at + 1 < end && text_is_blank(at[1]));
    if (!has_blank && !reader->is_parameters)
        return false;
    if (at == before && settings_has_capital(name))
        return false;
    if (value.length && strchr("{[", *value.text)) { /* of Python: its items are read */
        reader->at = value.text;
        return true;
    }
    settings_add(reader, name, (struct word){.written = value, .value = slice_unquoted(value)}, SETTING_LINE,
                 true);
    reader->at = value.text + value.length;
    return true;
}

/* Takes `NAME: value` of YAML, and its `value:` behind `- name: NAME`. */
bool settings_take_mapping(struct reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    while (at < end && (*at == '-' || *at == ' '))
        at++;
    struct slice key = {at, 0};
    while (at < end && settings_is_name_letter(*at))
        at++;
    key.length = (size_t)(at - key.text);
    if (at + 1 >= end || *at != ':' || (at[1] != ' ' && at[1] != '\n'))
        return false;
    const struct slice value = rest_of_line(reader, at + 1);
    if (value.length && *value.text == '[') {
        reader->at = value.text;
        return settings_take_sequence(reader) || true;
    }
    const struct slice outer = reader->mapping;
    const bool is_value = slice_is(key, "value") && outer.length;
    reader->mapping = slice_is(key, "name") ? slice_unquoted(value) : (struct slice){0};
    const bool is_setting = is_value || (settings_has_capital(key) && memchr(key.text, '_', key.length));
    if (!is_setting && !slice_is(key, "name"))
        return false;
    if (is_setting)
        settings_add(reader, is_value ? outer : key,
                     (struct word){.written = value, .value = slice_unquoted(value)}, SETTING_EXPORT, false);
    reader->of->is_script = true;
    reader->at = at + 1;
    settings_skip_line(reader);
    return true;
}

/* ---- assignments of systemd and supervisor ---- */

/* Takes a line Environment=N=V "N=V", or environment=N="V",N="V". */
bool settings_take_environment(struct reader *reader)
{
    static const char *const begins[] = {"Environment=", "environment="};
    const struct slice line = rest_of_line(reader, reader->at);
    const bool is_list = slice_starts(line, begins[1]);
    if (!is_list && !slice_starts(line, begins[0]))
        return false;
    const char *at = line.text + strlen(begins[0]), *end = line.text + line.length;
    while (at < end) {
        const char *comma = is_list ? memchr(at, ',', (size_t)(end - at)) : NULL;
        const struct word word = settings_word_at(reader, at, comma ? comma : end);
        (void)settings_add_assignment(reader, &word, SETTING_EXPORT);
        at += word.written.length ? word.written.length : 1;
    }
    reader->of->is_script = true;
    reader->at = end;
    return true;
}

/* ---- lists: YAML, JSON, Python ---- */

/* Reads the items of a list as the words of a command, or as variables if they all are assignments. */
static void read_items(struct reader *reader, const struct word *items, size_t n)
{
    size_t n_assigned = 0;
    for (size_t i = 0; i < n; i++) {
        const char *equals =
            items[i].value.length ? memchr(items[i].value.text, '=', items[i].value.length) : NULL;
        n_assigned += equals && settings_is_name((struct slice){items[i].value.text,
                                                                (size_t)(equals - items[i].value.text)});
    }
    reader->of->is_script |= n_assigned == n;
    if (n_assigned < n)
        settings_read_statement(reader, items, n);
    for (size_t i = 0; i < n && n_assigned == n; i++)
        (void)settings_add_assignment(reader, &items[i], SETTING_EXPORT);
}

/* Returns what stands behind blanks and line ends. */
static const char *behind_blanks(const char *at, const char *end)
{
    while (at < end && text_is_blank(*at))
        at++;
    return at;
}

/* Takes ["mpirun", "-x", "N=V"], over lines as well. */
bool settings_take_sequence(struct reader *reader)
{
    enum { MOST = 256 };
    struct word items[MOST];
    size_t n = 0;
    const char *at = reader->at, *end = reader->end;
    if (*at != '[')
        return false;
    do {
        at = behind_blanks(at + 1, end);
        if (at < end && *at == ']' && n)
            break; /* behind a last comma */
        const char *close = at < end && (*at == '"' || *at == '\'') ? settings_closing_quote(at, end) : NULL;
        if (!close || n == MOST)
            return false;
        items[n++] = (struct word){.written = {at, (size_t)(close - at) + 1},
                                   .value = {at + 1, (size_t)(close - at) - 1},
                                   .is_quoted = true};
        at = behind_blanks(close + 1, end);
    } while (at < end && *at == ',');
    const bool is_variable = n == 1 && memchr(items[0].value.text, '=', items[0].value.length);
    if (at == end || *at != ']' || (n < 2 && !is_variable))
        return false;
    read_items(reader, items, n);
    reader->at = at + 1;
    return true;
}

/* True if the line is an item of a list that is a scalar without blanks, which is taken. */
static bool take_scalar(const struct reader *reader, const char **at, struct word *item)
{
    const char *first = *at;
    while (first < reader->end && (*first == ' ' || *first == '\t'))
        first++;
    if (reader->end - first < 3 || first[0] != '-' || first[1] != ' ')
        return false;
    const struct slice written = rest_of_line(reader, first + 1), value = slice_unquoted(written);
    if (!value.length || (value.length == written.length && memchr(value.text, ' ', value.length)) ||
        strchr("|>[{", *value.text) || value.text[value.length - 1] == ':')
        return false;
    *item = (struct word){.written = written, .value = value, .is_quoted = value.length < written.length};
    *at = written.text + written.length;
    return true;
}

/* Takes lines '- ITEM' of YAML; of one with blanks, the '-' alone. */
bool settings_take_item(struct reader *reader)
{
    enum { MOST = 256 };
    struct word items[MOST];
    size_t n = 0;
    const char *at = reader->at;
    if (*at != '-' || reader->end - at < 2 || at[1] != ' ')
        return false;
    while (n < MOST && take_scalar(reader, &at, &items[n])) {
        n++;
        reader->at = at;
        at += at < reader->end;
    }
    if (n)
        read_items(reader, items, n);
    else
        reader->at++;
    return true;
}

/* ---- names and values in quotes: JSON, Python, Lua ---- */

/* Takes a value: a string, or a number or word up to what may stand behind it. Anything else is one that is
 * made when the file is read, up to the end of the line. */
static struct word take_value(const struct reader *reader, const char **at)
{
    const char *first = *at, *end = reader->end;
    const char *close =
        first < end && (*first == '"' || *first == '\'') ? settings_closing_quote(first, end) : NULL;
    const char *stop = close ? close + 1 : first;
    while (!close && stop < end && (settings_is_name_letter(*stop) || *stop == '-' || *stop == '+'))
        stop++;
    const char *behind = stop;
    while (behind < end && (*behind == ' ' || *behind == '\t'))
        behind++;
    const bool is_number = stop > first && text_is_digit(*first);
    const bool ends = behind == end || settings_is_line_end(*behind) || strchr("),}];#-\r", *behind);
    *at = stop;
    if (ends && close)
        return (struct word){.written = {first, (size_t)(stop - first)},
                             .value = {first + 1, (size_t)(close - first) - 1}};
    if (ends && is_number)
        return (struct word){.written = {first, (size_t)(stop - first)},
                             .value = {first, (size_t)(stop - first)}};
    const struct slice rest = rest_of_line(reader, first);
    *at = rest.text + rest.length;
    return (struct word){.written = rest, .value = rest, .is_computed = true};
}

/* Takes {name: NAME, value: VALUE} of YAML. */
static bool take_entry(struct reader *reader)
{
    const struct slice line = rest_of_line(reader, reader->at);
    const char *close = line.length && *line.text == '{' ? memchr(line.text, '}', line.length) : NULL;
    struct slice rest = {line.text + 1, close ? (size_t)(close - line.text) - 1 : 0};
    struct slice name = slice_trim(slice_take_until(&rest, ',')), value = slice_trim(rest);
    if (!slice_starts(name, "name:") || !slice_starts(value, "value:"))
        return false;
    name = slice_trim((struct slice){name.text + strlen("name:"), name.length - strlen("name:")});
    value = slice_trim((struct slice){value.text + strlen("value:"), value.length - strlen("value:")});
    settings_add(reader, slice_unquoted(name),
                 (struct word){.written = value, .value = slice_unquoted(value)}, SETTING_EXPORT, false);
    reader->at = close + 1;
    return true;
}

/* Takes "KEY": "VALUE" from *at on, as a word. */
static bool take_member(const struct reader *reader, const char **at, const char *key, struct word *word)
{
    const char *first = behind_blanks(*at, reader->end), *end = reader->end;
    const char *close = first < end && *first == '"' ? settings_closing_quote(first, end) : NULL;
    if (!close || !slice_is((struct slice){first + 1, (size_t)(close - first) - 1}, key))
        return false;
    first = behind_blanks(close + 1, end);
    if (first == end || *first != ':')
        return false;
    first = behind_blanks(first + 1, end);
    close = first < end && *first == '"' ? settings_closing_quote(first, end) : NULL;
    if (!close)
        return false;
    *word = (struct word){.written = {first, (size_t)(close - first) + 1},
                          .value = {first + 1, (size_t)(close - first) - 1}};
    *at = behind_blanks(close + 1, end);
    return true;
}

/* True at the '[' of a list of objects. */
static bool begins_objects(const char *at, const char *end)
{
    const char *first = *at == '[' ? behind_blanks(at + 1, end) : end;
    return first < end && *first == '{';
}

/* Takes {"name": "NAME", "value": "VALUE"} of JSON, over lines as well. */
static bool take_object(struct reader *reader)
{
    const char *at = reader->at;
    struct word name, value;
    while (at < reader->end && *at && (strchr("}], ", *at) || begins_objects(at, reader->end)))
        at++;
    if (at == reader->end || *at++ != '{' || !take_member(reader, &at, "name", &name) || at == reader->end ||
        *at++ != ',' || !take_member(reader, &at, "value", &value))
        return false;
    settings_add(reader, name.value, value, SETTING_EXPORT, false);
    reader->of->is_script = true;
    reader->at = at;
    return true;
}

/* Returns what stands behind a string, number or word of JSON; `at` if there is none. */
static const char *behind_scalar(const char *at, const char *end)
{
    const char *close = at < end && *at == '"' ? settings_closing_quote(at, end) : NULL;
    if (close)
        return close + 1;
    while (at < end && (settings_is_name_letter(*at) || (*at && strchr("+-.", *at))))
        at++;
    return at;
}

/* Takes "NAME": value; of a list or an object of any name what stands before it. */
bool settings_take_pair(struct reader *reader)
{
    const char *at = reader->at, *end = reader->end;
    if (take_entry(reader) || take_object(reader))
        return true;
    while (at < end && *at && (strchr("{}], ", *at) || begins_objects(at, end)))
        at++;
    const char *close = at < end && (*at == '"' || *at == '\'') ? settings_closing_quote(at, end) : NULL;
    const struct slice name = {at + 1, close ? (size_t)(close - at) - 1 : 0};
    at = close ? behind_blanks(close + 1, end) : end;
    if (at == end || *at != ':')
        return false;
    at = behind_blanks(at + 1, end);
    if (at < end && strchr("[{", *at)) {
        const char *inner = behind_blanks(at + 1, end);
        reader->at = inner < end && strchr("]}", *inner) ? inner + 1
                     : begins_objects(at, end)                  ? inner
                                                               : at;
        return true;
    }
    if (!settings_is_name(name) || !settings_has_capital(name) || !memchr(name.text, '_', name.length)) {
        const char *stop = behind_scalar(at, end), *next = behind_blanks(stop, end);
        if (stop == at || next == end || !strchr(",}]", *next))
            return false;
        reader->at = stop;
        return true;
    }
    settings_add(reader, name, take_value(reader, &at), SETTING_EXPORT, false);
    reader->of->is_script = true;
    reader->at = at;
    return true;
}

/* Returns what stands behind NAME[ or NAME.setdefault(, for a name that ends in "env", "ENV" or "environ", as
 * of dictionaries for other processes; NULL if it does not begin here. */
static const char *behind_dictionary(const struct reader *reader)
{
    static const char *const ends[] = {"env[", "ENV[", "environ[", "env.setdefault(", "environ.setdefault("};
    const char *at = reader->at, *end = reader->end;
    while (at < end && settings_is_name_letter(*at))
        at++;
    const size_t length = (size_t)(at - reader->at) + (at < end);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length >= strlen(ends[i]) &&
            memcmp(reader->at + length - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
            return reader->at + length;
    return NULL;
}

/* Returns the place of the value behind ] = ; NULL if no assignment is there. */
static const char *behind_subscript(const char *at, const char *end)
{
    at = behind_blanks(at, end);
    if (at == end || *at != ']')
        return NULL;
    at = behind_blanks(at + 1, end);
    return at + 1 < end && *at == '=' && at[1] != '=' ? behind_blanks(at + 1, end) : NULL;
}

/* Takes a call with a name in quotes and a value: setenv("N", "V") of Lua, os.environ["N"] = "V". */
bool settings_take_call(struct reader *reader)
{
    static const char *const calls[] = {"setenv(",  "pushenv(", "setenv (",   "pushenv (", "setenv{",
                                        "pushenv{", "env.set(", "os.putenv(", NULL};
    const struct slice rest = {reader->at, (size_t)(reader->end - reader->at)};
    size_t i = 0;
    while (calls[i] && !slice_starts(rest, calls[i]))
        i++;
    const char *at = calls[i] ? reader->at + strlen(calls[i]) : behind_dictionary(reader);
    if (!at)
        return false;
    const bool is_subscript = at[-1] == '[';
    at = behind_blanks(at, reader->end);
    reader->of->is_script = true;
    reader->at = at;
    const char *close =
        at < reader->end && (*at == '"' || *at == '\'') ? settings_closing_quote(at, reader->end) : NULL;
    if (!close)
        return true;
    const struct slice name = {at + 1, (size_t)(close - at) - 1};
    const char *value = close + 1;
    if (is_subscript && !(value = behind_subscript(value, reader->end))) {
        reader->at = close + 1; /* it is read, not set */
        return true;
    }
    while (!is_subscript && value < reader->end && *value && strchr(" \t,])=", *value))
        value++;
    reader->at = value;
    if (value < reader->end && !settings_is_line_end(*value))
        settings_add(reader, name, take_value(reader, &reader->at), SETTING_EXPORT, false);
    return true;
}

/* ---- comments ---- */

/* Skips a comment; one that is read by a batch system loses its '#' instead. */
bool settings_skip_comment(struct reader *reader, bool is_at_line)
{
    static const char *const directives[] = {"#SBATCH", "#PBS",    "#BSUB", "#FLUX:", "#flux:", "# flux:",
                                             "#$ ",     "#COBALT", "#MSUB", "#OAR",   "#PJM",   NULL};
    const struct slice rest = {reader->at, (size_t)(reader->end - reader->at)};
    if (is_at_line && (slice_starts(rest, "-- ") || slice_starts(rest, ";") || slice_starts(rest, "//"))) {
        settings_skip_line(reader);
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
    settings_skip_line(reader);
    return true;
}

