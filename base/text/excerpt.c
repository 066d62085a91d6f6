/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See excerpt.h. A mark is what a tool puts before each line; a prompt is a line of its own.
 */
#include "base/text/excerpt.h"
#include "base/text/lines.h"

#include <string.h>

enum { MAX_STARTS = 500, LEAST_LINES = 3, /* fewer lines alike may be chance */
       MAX_INDENTED = 1 << 20 /* bytes of a text that is copied to look at a part of it */ };

/* ---- terminal sequences ---- */

/* Returns the end of a sequence that begins with ESC: "ESC [ 31 m", "ESC ] 0 ; title BEL", "ESC ( B". */
static const char *skip_sequence(const char *at, const char *end)
{
    if (++at == end)
        return end;
    if (*at == '[') {
        for (at++; at < end && *at != '\n' && (*at < '@' || *at > '~'); at++)
            ;
        return at < end && *at != '\n' ? at + 1 : at;
    }
    if (*at == ']') {
        while (at < end && *at != '\n' && *at != '\a' && *at != '\033')
            at++;
        if (at < end && *at == '\033' && at + 1 < end && at[1] == '\\')
            return at + 2;
        return at < end && *at == '\a' ? at + 1 : at;
    }
    if ((*at == '(' || *at == ')') && at + 1 < end && at[1] != '\n')
        return at + 2;
    return *at == '\n' ? at : at + 1;
}

/* Returns a copy of the source with other text, of as many lines, and frees that. */
static const struct source *with_text(const struct source *source, struct text *text, struct arena *arena)
{
    struct source *copy = arena_alloc(arena, 1, sizeof *copy);
    *copy = *source;
    copy->text = arena_strndup(arena, text->data ? text->data : "", text->length);
    copy->length = text->length;
    text_free(text);
    return copy;
}

/* Returns the end of "[1;31m" at `at`, whose ESC a page has lost or shows as "^["; NULL if it is none. */
static const char *skip_lost_sequence(const char *at, const char *end)
{
    if (end - at > 2 && at[0] == '^' && at[1] == '[')
        at += 2;
    if (at == end || *at++ != '[')
        return NULL;
    while (at < end && (text_is_digit(*at) || *at == ';'))
        at++;
    return at < end && *at == 'm' ? at + 1 : NULL;
}

static const struct source *without_sequences(const struct source *source, struct arena *arena)
{
    const char *at = source->text, *end = at + source->length;
    const bool has_lost = strstr(source->text, "[0m") || strstr(source->text, "[m");
    if (!memchr(at, '\033', source->length) && !has_lost)
        return source;
    struct text text = {0};
    while (at < end) {
        const char *behind = *at == '\033' ? skip_sequence(at, end)
                             : has_lost     ? skip_lost_sequence(at, end)
                                            : NULL;
        if (!behind)
            text_append(&text, at, 1);
        at = behind ? behind : at + 1;
    }
    return with_text(source, &text, arena);
}

/* ---- what a word processor makes of it ---- */

/* Returns the plain letter for a typographic quote or a blank that does not break, '\0' if it is none;
 * *length bytes. */
static char plain_of(const char *at, const char *end, size_t *length)
{
    *length = 3;
    if (end - at >= 3 && memcmp(at, "\xe2\x80", 2) == 0 && (unsigned char)at[2] >= 0x98 &&
        (unsigned char)at[2] <= 0x9f)
        return (unsigned char)at[2] < 0x9c ? '\'' : '"';
    *length = 2;
    return end - at >= 2 && memcmp(at, "\xc2\xa0", 2) == 0 ? ' ' : '\0';
}

/* Puts plain quotes and blanks in the place of others, in a text without plain double quotes. */
static const struct source *with_plain_quotes(const struct source *source, struct arena *arena)
{
    const char *end = source->text + source->length;
    struct text text = {0};
    if (memchr(source->text, '"', source->length) ||
        (!strstr(source->text, "\xe2\x80") && !strstr(source->text, "\xc2\xa0")))
        return source;
    for (const char *at = source->text; at < end;) {
        size_t length;
        const char plain = plain_of(at, end, &length);
        text_append(&text, plain ? &plain : at, 1);
        at += plain ? length : 1;
    }
    return with_text(source, &text, arena);
}

/* ---- marks ---- */

/* Returns the end of a text like the pattern, where 0 is any digit; NULL if it is none. */
static const char *skip_like(const char *at, const char *end, const char *pattern)
{
    for (; *pattern; pattern++, at++)
        if (at == end || (*pattern == '0' ? !text_is_digit(*at) : *at != *pattern))
            return NULL;
    return at;
}

static const char *skip_digits(const char *at, const char *end, size_t least, size_t most)
{
    size_t n = 0;
    while (at + n < end && text_is_digit(at[n]) && n < most)
        n++;
    return n >= least ? at + n : NULL;
}

/* Returns the end of "2024-01-02" or "Jan  2", NULL if there is none. */
static const char *skip_date(const char *at, const char *end)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (size_t i = 0; i < sizeof months - 1 && end - at > 6; i += 3)
        if (memcmp(at, months + i, 3) == 0 && at[3] == ' ')
            return skip_digits(at + (at[4] == ' ' ? 5 : 4), end, 1, 2);
    return skip_like(at, end, "0000-00-00");
}

/* Returns the end of "10:00:00", "10:00:00.123Z", "10:00:00+01:00". */
static const char *skip_clock(const char *at, const char *end)
{
    at = skip_like(at, end, "00:00:00");
    if (at && at < end && (*at == '.' || *at == ',')) {
        const char *fraction = skip_digits(at + 1, end, 1, 9);
        at = fraction ? fraction : at;
    }
    if (!at || at == end || (*at != 'Z' && *at != '+' && *at != '-'))
        return at;
    const char *zone = skip_like(at + 1, end, *at == 'Z' ? "" : "00:00");
    return zone ? zone : at;
}

/* Returns the end of a time before a line, and of one blank behind it: "[2024-01-02 10:00:00] ", "10:00:00 ",
 * "[  123.456789] ". NULL if there is none. */
static const char *skip_time(const char *at, const char *end)
{
    const bool has_bracket = at < end && *at == '[';
    at += has_bracket;
    const char *date = skip_date(at, end), *clock;
    if (date)
        clock = date < end && (*date == ' ' || *date == 'T') ? skip_clock(date + 1, end) : NULL;
    else
        clock = skip_clock(at, end);
    if (!clock && has_bracket && !date) { /* seconds since the start */
        while (at < end && *at == ' ')
            at++;
        clock = skip_digits(at, end, 1, 9);
        clock = clock && clock < end && *clock == '.' ? skip_digits(clock + 1, end, 3, 9) : NULL;
    }
    if (!clock || (has_bracket && (clock == end || *clock++ != ']')))
        return NULL;
    return clock < end && (*clock == ' ' || *clock == '\t') ? clock + 1 : clock == end ? clock : NULL;
}

/* Returns the end of "> ", also of several. */
static const char *skip_quote(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at == '>')
        at += end - at > 1 && at[1] == ' ' ? 2 : 1;
    return at > start ? at : NULL;
}

/* Returns the end of a word without these letters, NULL if there is none. */
static const char *skip_word(const char *at, const char *end, const char *others)
{
    const char *start = at;
    while (at < end && !text_is_blank(*at) && !strchr(others, *at))
        at++;
    return at > start ? at : NULL;
}

/* Returns the end of a colon and the blank behind it; NULL if it is none, or `at` is NULL. */
static const char *skip_colon(const char *at, const char *end)
{
    if (!at || at == end || *at != ':')
        return NULL;
    return at + 1 == end ? end : at[1] == ' ' ? at + 2 : NULL;
}

/* Returns the end of "node7: ", as pdsh and clush write it. */
static const char *skip_host(const char *at, const char *end)
{
    return skip_colon(skip_word(at, end, ":=\"'{}[]<>,;"), end);
}

/* Returns the end of "head ibnetdiscover[12]: ", as a system log has it behind the time. */
static const char *excerpt_skip_tag(const char *at, const char *end)
{
    static const char others[] = "\"'{}()<>:";
    at = skip_word(at, end, others);
    return skip_colon(at && at < end && *at == ' ' ? skip_word(at + 1, end, others) : NULL, end);
}

/* Returns the end of a number of the line, "   12\t", "12: " or "12| ", and the number. */
static const char *skip_number(const char *at, const char *end, uint64_t *number)
{
    while (at < end && *at == ' ')
        at++;
    const char *digits = at;
    at = skip_digits(at, end, 1, 9);
    *number = 0;
    for (; at && digits < at; digits++)
        *number = *number * 10 + (uint64_t)(*digits - '0');
    if (!at || at == end)
        return at;
    if (*at == '\t')
        return at + 1;
    return *at == ':' || *at == '|' ? (at + 1 < end && at[1] == ' ' ? at + 2 : at + 1) : NULL;
}

/* Appends a line, with its end if it has one. */
static void append_line(struct text *text, const struct lines *lines, const char *from, const char *to)
{
    if (from < to)
        text_append(text, from, (size_t)(to - from));
    if (lines->next > lines->start && lines->next[-1] == '\n')
        text_append(text, "\n", 1);
}

/* Takes the numbers of lines off, where every line that is not empty has the next one. */
static const struct source *without_numbers(const struct source *source, struct arena *arena)
{
    struct lines lines;
    struct text text = {0};
    uint64_t last = 0, n = 0, number;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        if (lines.start == lines.end)
            continue;
        if (!skip_number(lines.start, lines.end, &number) || (n++ && number != last + 1))
            return source;
        last = number;
    }
    if (n < LEAST_LINES)
        return source;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        append_line(&text, &lines,
                    lines.start < lines.end ? skip_number(lines.start, lines.end, &number) : lines.end,
                    lines.end);
    return with_text(source, &text, arena);
}

typedef const char *mark_skipper(const char *at, const char *end);

/* True if most lines that are not empty have the mark; `all`: all of them, and the same one. */
static bool has_mark(const struct source *source, mark_skipper *skip, bool all)
{
    struct lines lines;
    uint32_t n = 0, n_marked = 0;
    struct slice first = {"", 0};
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        if (lines.start == lines.end)
            continue;
        const char *end = skip(lines.start, lines.end);
        if (!n++ && end)
            first = (struct slice){lines.start, (size_t)(end - lines.start)};
        n_marked += end != NULL;
        if (all && (!end || (size_t)(lines.end - lines.start) + 1 < first.length ||
                    memcmp(lines.start, first.text, first.length - 1) != 0))
            return false;
    }
    return n >= LEAST_LINES && n_marked > n / 2;
}

/* Takes the marks off; lines without one are left out, where they are not of the text: around a quote. */
static const struct source *without_marks(const struct source *source, mark_skipper *skip, bool all,
                                          bool is_quote, struct arena *arena)
{
    struct lines lines;
    struct text text = {0};
    if (!has_mark(source, skip, all))
        return source;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        const char *end = skip(lines.start, lines.end);
        append_line(&text, &lines, end ? end : is_quote ? lines.end : lines.start, lines.end);
    }
    return with_text(source, &text, arena);
}

/* ---- prompts ---- */

/* True for "host$ ibnetdiscover", "root@host:~# ", "[root@host ~]# exit", "$ cat file". A lone '#' and '>'
 * begin other things than a command: before them stands user@host. */
static bool is_prompt(const char *at, const char *end)
{
    const char *start = at;
    bool has_user = false;
    if (at < end && *at == '[') {
        const char *close = memchr(at, ']', (size_t)(end - at));
        if (!close || !memchr(at, '@', (size_t)(close - at)))
            return false;
        has_user = true;
        at = close + 1;
    }
    for (; at < end && !text_is_blank(*at) && !strchr("$#%>\"'={}()", *at); at++)
        has_user = has_user || (*at == '@' && at > start);
    if (at == end || !strchr("$#%>", *at) || (*at != '$' && !has_user))
        return false;
    return at + 1 == end || at[1] == ' ';
}

/* True for a prompt with the command that ends the log: what follows is said by the shell. */
static bool leaves(const char *at, const char *end)
{
    while (end > at && text_is_blank(end[-1]))
        end--;
    const size_t n = (size_t)(end - at);
    return (n > 5 && memcmp(end - 5, " exit", 5) == 0) || (n > 7 && memcmp(end - 7, " logout", 7) == 0);
}

static const struct source *without_prompts(const struct source *source, struct arena *arena)
{
    struct lines lines;
    struct text text = {0};
    uint32_t n = 0;
    bool is_over = false;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        n += is_prompt(lines.start, lines.end);
    if (!n)
        return source;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        const bool is_left_out =
            is_prompt(lines.start, lines.end) || lines_starts(&lines, "Script started on ") || is_over;
        is_over = is_over || (is_left_out && leaves(lines.start, lines.end));
        append_line(&text, &lines, lines.start, is_left_out ? lines.start : lines.end);
    }
    return with_text(source, &text, arena);
}

/* ---- indentation ---- */

/* Returns the blanks before a line. */
static struct slice excerpt_indentation(const struct lines *lines)
{
    const char *at = lines->start;
    while (at < lines->end && text_is_blank(*at))
        at++;
    return (struct slice){lines->start, (size_t)(at - lines->start)};
}

/* Takes off what blanks all lines begin with that are not empty. */
static const struct source *without_indentation(const struct source *source, struct arena *arena)
{
    struct lines lines;
    struct slice common = {NULL, 0};
    struct text text = {0};
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        const struct slice own = excerpt_indentation(&lines);
        if (lines.start == lines.end)
            continue;
        if (!common.text)
            common = own;
        for (size_t i = 0; i < common.length; i++)
            if (i == own.length || own.text[i] != common.text[i])
                common.length = i;
        if (!common.length)
            return source;
    }
    if (!common.length)
        return source;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        append_line(&text, &lines, lines.start + common.length, lines.end);
    return with_text(source, &text, arena);
}

const struct source *excerpt_clean(const struct source *source, struct arena *arena)
{
    source = without_sequences(source, arena);
    source = with_plain_quotes(source, arena);
    source = without_numbers(source, arena);
    source = without_marks(source, skip_quote, false, true, arena);
    source = without_marks(source, skip_time, false, false, arena);
    source = without_marks(source, skip_host, true, false, arena);
    source = without_marks(source, excerpt_skip_tag, true, false, arena);
    source = without_prompts(source, arena);
    return without_indentation(source, arena);
}

/* ---- the part that is meant ---- */

/* Returns the lines from `first` to before `last` without the indentation of the first of them that is not
 * empty, empty lines for those before; the rest is left out. */
static const struct source *cut(const struct source *source, uint32_t first, uint32_t last,
                                struct arena *arena)
{
    struct lines lines;
    struct text text = {0};
    size_t indent = 0;
    bool has_indent = false;
    lines_open(&lines, source, NULL);
    for (uint32_t line = 1; line < last && lines_next(&lines); line++) {
        const char *from = line < first ? lines.end : lines.start;
        size_t blanks = 0;
        while (from + blanks < lines.end && text_is_blank(from[blanks]) && (!has_indent || blanks < indent))
            blanks++;
        if (!has_indent && from + blanks < lines.end) {
            indent = blanks;
            has_indent = true;
        }
        append_line(&text, &lines, from + (has_indent ? blanks : 0), lines.end);
    }
    return with_text(source, &text, arena);
}

static bool is_fence(const struct lines *lines)
{
    struct lines rest = *lines;
    lines_skip_blanks(&rest);
    return lines_starts(&rest, "```") || lines_starts(&rest, "~~~");
}

bool excerpt_has_fences(const struct source *source)
{
    struct lines lines;
    if (!strstr(source->text, "```") && !strstr(source->text, "~~~"))
        return false;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        if (is_fence(&lines))
            return true;
    return false;
}

/* Asks about each text between two fences. */
static const struct source *find_between_fences(const struct source *source,
                                                bool (*is)(const struct source *),
                                                struct arena *arena, uint32_t *line)
{
    struct lines lines;
    uint32_t open = 0, number = 0, n_asked = 0;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines) && n_asked < MAX_STARTS) {
        number++;
        if (!is_fence(&lines))
            continue;
        const struct source *part = open ? cut(source, open + 1, number, arena) : NULL;
        *line = open + 1;
        n_asked += part != NULL;
        if (part && is(part))
            return part;
        open = open ? 0 : number;
    }
    return NULL;
}

/* Asks about the text from each line on that is the first, or follows an empty one, or one that ends in a
 * colon. */
static const struct source *find_from_line(const struct source *source, bool (*is)(const struct source *),
                                           struct arena *arena, uint32_t *line)
{
    struct lines lines;
    struct source rest = *source;
    bool is_start = true;
    lines_open(&lines, source, NULL);
    for (*line = 1; *line <= MAX_STARTS && lines_next(&lines); ++*line) {
        const char *start = lines.start;
        while (start < lines.end && text_is_blank(*start))
            start++;
        const bool is_asked = is_start && start < lines.end;
        is_start = start == lines.end || lines.end[-1] == ':';
        if (is_asked) {
            const bool is_indented = start > lines.start && source->length < MAX_INDENTED;
            rest.text = start;
            rest.length = source->length - (size_t)(start - source->text);
            if (!is_indented && !is(&rest))
                continue;
            const struct source *part = cut(source, *line, UINT32_MAX, arena);
            if (is(part))
                return part;
        }
    }
    return NULL;
}

const struct source *excerpt_find(const struct source *source, bool (*is)(const struct source *source),
                                  struct arena *arena, uint32_t *line)
{
    const struct source *found = find_between_fences(source, is, arena, line);
    return found ? found : find_from_line(source, is, arena, line);
}
