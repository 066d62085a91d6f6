/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of diagnostics, source files and positions. See diagnostic.h; the
 * rendering with carets is in diagnostic_print.c.
 */
#include "base/codes.h"
#include "base/suggest.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* The claim that a family refutes, by its name. */
enum {
#define FAMILY(name, refutes) REFUTED_BY_##name = CLAIM_##refutes,
#define CODE(id, family, severity, title)
#define RULE(id, family, severity, title)
#include "base/codes.def"
};

#define INFO(id, family, severity, is_rule, title) \
    {#id, #family, SEVERITY_##severity, (enum claim)REFUTED_BY_##family, is_rule, title},
const struct code_info code_table[] = {
#define FAMILY(name, refutes)
#define CODE(id, family, severity, title) INFO(id, family, severity, false, title)
#define RULE(id, family, severity, title) INFO(id, family, severity, true, title)
#include "base/codes.def"
};
const uint32_t n_codes = N_CODES;
static_assert(N_CODES <= MAX_CODES, "raise MAX_CODES");

uint32_t code_find(const char *id)
{
    uint32_t code = 0;
    while (code < N_CODES && strcasecmp(code_table[code].id, id) != 0)
        code++;
    return code;
}

/* Returns a new diagnostic. One that is not kept, for a finding that is only counted, has fields that
 * the caller may set and nobody reads. */
static struct diagnostic *new_diagnostic(struct diagnostics *diagnostics, bool keep)
{
    struct diagnostic *diagnostic = arena_alloc(&diagnostics->arena, 1, sizeof *diagnostic);
    if (!keep)
        return diagnostic;
    diagnostic->order = diagnostics->last ? diagnostics->last->order + 1 : 0;
    if (diagnostics->last)
        diagnostics->last->next = diagnostic;
    else
        diagnostics->first = diagnostic;
    diagnostics->last = diagnostic;
    return diagnostic;
}

static void count_n(struct diagnostics *diagnostics, uint32_t code, uint64_t n)
{
    diagnostics->n_of_code[code] += n;
    diagnostics->n_of_severity[code_table[code].severity] += n;
}

static void diagnostic_count(struct diagnostics *diagnostics, uint32_t code)
{
    count_n(diagnostics, code, 1);
}

bool diagnostics_is_full(const struct diagnostics *diagnostics, uint32_t code)
{
    uint32_t limit = diagnostics->keep_per_code ? diagnostics->keep_per_code : DIAGNOSTICS_KEEP;
    return diagnostics->n_kept[code] >= limit;
}

bool diagnostics_only_counts(struct diagnostics *diagnostics, uint32_t code)
{
    if (!diagnostics_is_full(diagnostics, code))
        return false;
    diagnostic_count(diagnostics, code);
    return true;
}

bool diagnostics_join(struct diagnostics *diagnostics, uint32_t code, uint64_t step)
{
    struct diagnostic *last = diagnostics->last_of[code];
    if (!diagnostics->is_joined || !last || last->place.step != (int64_t)step)
        return false;
    last->n_more++;
    diagnostic_count(diagnostics, code);
    return true;
}

bool diagnostics_join_help(struct diagnostics *diagnostics, uint32_t code, const struct source *source,
                           const char *help)
{
    struct diagnostic *d = diagnostics->first;
    while (d && (d->code != code || d->position.source != source || !d->help || strcmp(d->help, help) != 0))
        d = d->next;
    if (!d)
        return false;
    d->n_more++;
    diagnostic_count(diagnostics, code);
    return true;
}

/* Key by which diagnostics are joined. */
struct join_key {
    const struct source *source;
    uint32_t code, line;
    int64_t step; /* -1 where there is a line */
};

static struct join_key join_key_of(const struct diagnostic *d)
{
    return (struct join_key){d->position.source, d->code, d->position.line,
                             d->position.line ? -1 : d->place.step};
}

static uint32_t hash_of_key(const struct join_key *key)
{
    return map_hash_number((uint64_t)(uintptr_t)key->source ^ (uint64_t)key->line << 20 ^
                           key->code ^ (uint64_t)key->step << 40);
}

static uint32_t hash_of_item(const void *items, uint32_t item)
{
    const struct join_key key = join_key_of(((struct diagnostic *const *)items)[item]);
    return hash_of_key(&key);
}

static bool has_key(const void *items, uint32_t item, const void *key)
{
    const struct join_key a = join_key_of(((struct diagnostic *const *)items)[item]);
    const struct join_key *b = key;
    return a.source == b->source && a.code == b->code && a.line == b->line && a.step == b->step;
}

/* Returns the first diagnostic of the list that `d` may be joined to; `d` itself, which is one
 * from then on, if there is none. */
static struct diagnostic *find_or_add_join(struct diagnostics *diagnostics, struct diagnostic *d)
{
    const struct join_key key = join_key_of(d);
    diagnostics->joins = mem_grow(diagnostics->joins, &diagnostics->joins_capacity,
                                  diagnostics->by_line.n + 1, sizeof(struct diagnostic *));
    map_reserve(&diagnostics->by_line, hash_of_item, diagnostics->joins);
    uint32_t *slot =
        map_slot(&diagnostics->by_line, hash_of_key(&key), has_key, diagnostics->joins, &key);
    if (*slot != MAP_NONE)
        return diagnostics->joins[*slot];
    diagnostics->joins[diagnostics->by_line.n] = d;
    map_fill(&diagnostics->by_line, slot);
    return d;
}

/* Forgets what can be joined to, and enters the list again, as far as positions are known on
 * report. */
static void enter_again(struct diagnostics *diagnostics)
{
    map_free(&diagnostics->by_line);
    memset(diagnostics->last_of, 0, sizeof diagnostics->last_of);
    for (struct diagnostic *d = diagnostics->first; diagnostics->is_joined && d; d = d->next) {
        diagnostics->last_of[d->code] = d;
        if (!d->is_measured && d->position.line)
            find_or_add_join(diagnostics, d);
    }
}

static bool join_line(struct diagnostics *diagnostics, uint32_t code,
                      const struct position *position)
{
    if (!diagnostics->is_joined || !position->line)
        return false;
    const struct join_key key = {position->source, code, position->line, -1};
    const uint32_t item =
        map_find(&diagnostics->by_line, hash_of_key(&key), has_key, diagnostics->joins, &key);
    if (item == MAP_NONE)
        return false;
    diagnostics->joins[item]->n_more++;
    diagnostic_count(diagnostics, code);
    return true;
}

void diagnostics_join_lines(struct diagnostics *diagnostics)
{
    struct diagnostic **link = &diagnostics->first;
    if (!diagnostics->is_joined)
        return;
    map_free(&diagnostics->by_line);
    while (*link) {
        struct diagnostic *d = *link;
        struct diagnostic *same = d->is_measured ? d : find_or_add_join(diagnostics, d);
        if (same == d) {
            diagnostics->last = d;
            link = &d->next;
        } else {
            same->n_more += 1 + d->n_more;
            *link = d->next;
        }
    }
    enter_again(diagnostics);
}

__attribute__((format(printf, 4, 0))) static struct diagnostic *
diagnostic_append(struct diagnostics *diagnostics, uint32_t code, struct position position,
                  const char *format, va_list args)
{
    diagnostic_count(diagnostics, code);
    diagnostics->n_kept[code]++;
    struct diagnostic *diagnostic = new_diagnostic(diagnostics, true);
    diagnostic->code = code;
    diagnostic->severity = code_table[code].severity;
    diagnostic->position = position;
    diagnostic->place = NO_PLACE;
    diagnostic->counted.limit = NO_LIMIT;
    diagnostic->message = arena_vprintf(&diagnostics->arena, format, args);
    diagnostics->last_of[code] = diagnostic;
    return diagnostic;
}

struct diagnostic *report_va(struct diagnostics *diagnostics, uint32_t code,
                             struct position position, const char *format, va_list args)
{
    if (join_line(diagnostics, code, &position) || diagnostics_only_counts(diagnostics, code)) {
        if (!diagnostics->dummy)
            diagnostics->dummy = new_diagnostic(diagnostics, false);
        return diagnostics->dummy;
    }
    struct diagnostic *added = diagnostic_append(diagnostics, code, position, format, args);
    if (diagnostics->is_joined && position.line)
        find_or_add_join(diagnostics, added);
    return added;
}

struct diagnostic *report_measured_va(struct diagnostics *diagnostics, uint32_t code,
                                      struct position position, uint64_t n_left,
                                      const char *format, va_list args)
{
    struct diagnostic *diagnostic = diagnostic_append(diagnostics, code, position, format, args);
    diagnostic->is_measured = true;
    count_n(diagnostics, code, n_left);
    return diagnostic;
}

struct diagnostic *report(struct diagnostics *diagnostics, uint32_t code, struct position position,
                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diagnostic *diagnostic = report_va(diagnostics, code, position, format, args);
    va_end(args);
    return diagnostic;
}

static const char *copy_words(struct diagnostics *diagnostics, const char *words)
{
    return words ? arena_strndup(&diagnostics->arena, words, strlen(words)) : NULL;
}

void diagnostics_append_one(struct diagnostics *diagnostics, const struct diagnostic *d)
{
    struct diagnostic *copy = report(diagnostics, d->code, d->position, "%s", d->message);
    copy->place = d->place;
    copy->help = copy_words(diagnostics, d->help);
    copy->related = d->related;
    copy->related_text = copy_words(diagnostics, d->related_text);
}

void diagnostics_append(struct diagnostics *diagnostics, const struct diagnostics *from)
{
    for (const struct diagnostic *d = from->first; d; d = d->next)
        diagnostics_append_one(diagnostics, d);
    for (uint32_t code = 0; code < N_CODES; code++)
        count_n(diagnostics, code, from->n_of_code[code] - from->n_kept[code]);
}

/* Read twice, a file is two sources. */
static bool is_same_file(const struct source *a, const struct source *b)
{
    return a == b || (a && b && strcmp(a->path, b->path) == 0);
}

void diagnostic_of_run(struct diagnostic *diagnostic, struct position run)
{
    const struct position *own = &diagnostic->position;
    if (!run.line || diagnostic->related.line ||
        (run.line == own->line && is_same_file(run.source, own->source)))
        return;
    diagnostic->related = run;
    diagnostic->related_text = "the algorithm is run here";
}

void diagnostics_of_run(struct diagnostics *diagnostics, const struct diagnostic *last,
                        struct position run)
{
    for (struct diagnostic *d = last ? last->next : diagnostics->first; d; d = d->next)
        if (!is_same_file(d->position.source, run.source))
            diagnostic_of_run(d, run);
}

const char *diagnostics_text(struct diagnostics *diagnostics, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&diagnostics->arena, format, args);
    va_end(args);
    return text;
}

bool diagnostics_has_errors(const struct diagnostics *diagnostics)
{
    return diagnostics->n_of_severity[SEVERITY_ERROR] > 0;
}

bool diagnostics_has_domain(const struct diagnostics *diagnostics)
{
    const struct diagnostic *d = diagnostics->first;
    while (d && !d->is_domain)
        d = d->next;
    return d;
}

bool diagnostics_refute(const struct diagnostics *diagnostics, enum claim claim)
{
    for (uint32_t code = 0; code < N_CODES; code++)
        if (diagnostics->n_of_code[code] && code_table[code].refutes == claim &&
            code_table[code].severity == SEVERITY_ERROR)
            return true;
    return false;
}

void diagnostics_withdraw(struct diagnostics *diagnostics, enum claim claim)
{
    for (uint32_t code = 0; code < N_CODES; code++) {
        if (code_table[code].refutes != claim)
            continue;
        diagnostics->n_of_severity[code_table[code].severity] -= diagnostics->n_of_code[code];
        diagnostics->n_of_code[code] = 0;
        diagnostics->n_kept[code] = 0;
    }
    struct diagnostic **link = &diagnostics->first;
    diagnostics->last = NULL;
    while (*link) {
        if (code_table[(*link)->code].refutes == claim) {
            *link = (*link)->next;
        } else {
            diagnostics->last = *link;
            link = &(*link)->next;
        }
    }
    enter_again(diagnostics);
}

void diagnostics_free(struct diagnostics *diagnostics)
{
    arena_free(&diagnostics->arena);
    free(diagnostics->joins);
    map_free(&diagnostics->by_line);
    *diagnostics = (struct diagnostics){0};
}

struct position source_position(const struct source *source, size_t offset, size_t length)
{
    struct position position = {source, source->first_line ? source->first_line : 1, 1,
                                (uint32_t)(length ? length : 1)};
    if (offset > source->length)
        offset = source->length;
    const char *line = source->text, *end = source->text + offset;
    for (const char *newline; (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1)
        position.line++;
    position.column = (uint32_t)(end - line) + 1;
    return position;
}

const struct source *source_of_text(const char *path, const char *text, size_t length,
                                    struct arena *arena)
{
    struct source *source = arena_alloc(arena, 1, sizeof *source);
    source->path = arena_strndup(arena, path, strlen(path));
    source->text = arena_strndup(arena, text, length);
    source->length = length;
    return source;
}

/* A source without text, to hang an I/O error on. */
static struct position position_of_file(const char *path, struct diagnostics *diagnostics)
{
    const struct source *source = source_of_text(path, "", 0, &diagnostics->arena);
    return (struct position){source, 0, 0, 1};
}

void source_report_unreadable(const char *verb, const char *path, struct diagnostics *diagnostics)
{
    static const char check[] = "check the name and the permissions";
    int error = errno;
    report(diagnostics, CODE_I001, position_of_file(path, diagnostics), "cannot %s '%s': %s", verb,
           path, strerror(error))
        ->help = error == EISDIR ? "name a file in it"
                 : error == ENOENT
                     ? did_you_mean(&diagnostics->arena, nearest_file(path, &diagnostics->arena), check)
                     : check;
}

void source_report_too_large(const char *path, size_t limit, struct diagnostics *diagnostics)
{
    report(diagnostics, CODE_I002, position_of_file(path, diagnostics),
           "'%s' is larger than %zu bytes", path, limit)
        ->help = "check that this is the file you meant";
}

/* Is it known to be too large before a byte is read? */
static bool diagnostic_is_too_large(FILE *file, size_t limit)
{
    struct stat status;
    return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
           (uint64_t)status.st_size > limit;
}

/* Reads to the end, or past the first NUL byte: such a file is no text, and
 * source_check_utf8 says so; the rest of it may be enormous. */
static const struct source *source_read_stream(FILE *file, const char *path, size_t limit,
                                               struct arena *arena,
                                               struct diagnostics *diagnostics)
{
    struct text text = {0};
    char buffer[65536];
    size_t n = 1;
    const struct source *source = NULL;
    for (bool is_text = true; is_text && n > 0 && text.length <= limit;) {
        n = fread(buffer, 1, sizeof buffer, file);
        text_append(&text, buffer, n);
        is_text = !memchr(buffer, '\0', n);
    }
    if (ferror(file))
        source_report_unreadable("read", path, diagnostics);
    else if (text.length > limit)
        source_report_too_large(path, limit, diagnostics);
    else
        source = source_of_text(path, text.data ? text.data : "", text.length, arena);
    text_free(&text);
    return source;
}

void (*source_opened)(FILE *file);

FILE *source_open(const char *path, size_t limit, struct diagnostics *diagnostics)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        source_report_unreadable("open", path, diagnostics);
    } else if (diagnostic_is_too_large(file, limit)) {
        source_report_too_large(path, limit, diagnostics);
        fclose(file);
        file = NULL;
    } else if (source_opened) {
        source_opened(file);
    }
    return file;
}

const struct source *source_read(const char *path, size_t limit, struct arena *arena,
                                 struct diagnostics *diagnostics)
{
    if (strcmp(path, "-") == 0) {
        if (source_opened)
            source_opened(stdin);
        return source_read_stream(stdin, "<stdin>", limit, arena, diagnostics);
    }
    FILE *file = source_open(path, limit, diagnostics);
    if (!file)
        return NULL;
    const struct source *source = source_read_stream(file, path, limit, arena, diagnostics);
    fclose(file);
    return source;
}

size_t utf8_length(const char *text, size_t available)
{
    const unsigned char *s = (const unsigned char *)text;
    static const struct { unsigned char mask, lead; uint32_t minimum; } form[] = {
        {0x80, 0x00, 1}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 1; n <= UTF8_LONGEST; n++) {
        if ((s[0] & form[n - 1].mask) != form[n - 1].lead)
            continue;
        if (n > available)
            return 0;
        uint32_t value = s[0] & (unsigned char)~form[n - 1].mask;
        for (size_t k = 1; k < n; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | (s[k] & 0x3f);
        }
        bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
        return value >= form[n - 1].minimum && value <= 0x10ffff && !is_surrogate ? n : 0;
    }
    return 0;
}

/* Eight bytes of 0x01 to 0x7f: no high bit, and none after taking 1 from each. */
static bool diagnostic_is_plain(const unsigned char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return !((word | (word - UINT64_C(0x0101010101010101))) & UINT64_C(0x8080808080808080));
}

/* Returns help for a file that is no text, by its first bytes, or NULL. */
static const char *help_with_bytes(const unsigned char *text)
{
    static const struct {
        const char *bytes, *help;
    } kinds[] = {
        {"\x1f\x8b", "it is compressed: unpack it first, as 'gunzip -k' does"},
        {"BZh", "it is compressed: unpack it first, as 'bunzip2 -k' does"},
        {"\xfd" "7zXZ", "it is compressed: unpack it first, as 'unxz -k' does"},
        {"\x28\xb5\x2f\xfd", "it is compressed: unpack it first, as 'unzstd' does"},
        {"PK\x03\x04", "it is an archive: unpack it first, as 'unzip' does"},
        {"\xff\xfe", "it is UTF-16: 'iconv -f UTF-16 -t UTF-8 OLD >NEW' makes UTF-8 of it"},
        {"\xfe\xff", "it is UTF-16: 'iconv -f UTF-16 -t UTF-8 OLD >NEW' makes UTF-8 of it"},
        {"\x7f" "ELF", "it is a program"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp((const char *)text, kinds[i].bytes, strlen(kinds[i].bytes)) == 0)
            return kinds[i].help;
    return "is this a binary file, or text in another encoding?";
}

bool source_check_utf8(const struct source *source, struct diagnostics *diagnostics)
{
    const unsigned char *text = (const unsigned char *)source->text;
    for (size_t i = 0, n; i < source->length; i += n) {
        size_t available = source->length - i;
        n = available >= 8 && diagnostic_is_plain(text + i) ? 8 : utf8_length(source->text + i, available);
        if (n)
            continue;
        struct diagnostic *d = report(diagnostics, CODE_I003, source_position(source, i, 1),
                                      text[i] ? "byte 0x%02x is not UTF-8 text"
                                              : "byte 0x%02x does not belong in a text",
                                      text[i]);
        d->help = help_with_bytes(text);
        return false;
    }
    return true;
}
