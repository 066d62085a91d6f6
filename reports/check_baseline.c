/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The baseline: what is found already, for people to review. A block for each rule and line of a
 * file, in it a line for each combination:
 *
 *   collc-baseline 2
 *   L001 schedules/shift.coll: send in[r+i] to r + i
 *     schedules/shift.coll on tree, 16 ranks: 2 x 4, 16 x 3
 *
 * Two links carry 4 messages, 16 carry 3. What is found later is known if each value has a
 * counterpart here: as many links, none of which carries more. Which links they are does not count.
 */
#include "reports/check.h"

#include "base/codes.h"
#include "base/text/lines.h"

#include <math.h>
#include <stdlib.h>

enum { BASELINE_LIMIT = 64 << 20 };
static const char first_line[] = "collc-baseline 2", old_line[] = "collc-baseline 1";
static const char renew[] = "write it again: collc check --write-baseline FILE";

/* So many links, or lines, have that value. */
struct run {
    uint64_t n;
    double value;
};

struct known {
    const char *header, *cell; /* as they are written */
    uint32_t code;
    struct run *runs; /* the largest value first */
    size_t n_runs;
    struct position position;
    bool is_found, is_larger; /* than what is found */
};

struct baseline {
    struct known *items; /* by header and cell */
    size_t n, capacity;
    const struct source *source;
};

/* ---- words ---- */

/* Appends text that stays in its line: bytes that are no text, and backslashes, become \xNN. */
static void print_words(const char *words, struct text *out)
{
    const char *end = words + strlen(words);
    while (words < end) {
        const size_t length = utf8_length(words, UTF8_LONGEST);
        if (!length || (unsigned char)*words < ' ' || *words == 0x7f || *words == '\\')
            text_printf(out, "\\x%02x", (unsigned char)*words);
        else
            text_append(out, words, length);
        words += length ? length : 1;
    }
}

/* Appends a name, in quotes if it has blanks or quotes. */
static void check_baseline_print_name(const char *name, struct text *out)
{
    const char *quote = *name && !strpbrk(name, " \"") ? "" : "\"";
    text_printf(out, "%s", quote);
    for (; *name; name += strcspn(name, "\"") + (name[strcspn(name, "\"")] == '"')) {
        const size_t length = strcspn(name, "\"");
        struct text part = {0};
        text_append(&part, name, length);
        print_words(part.data, out);
        text_free(&part);
        if (name[length])
            text_printf(out, "\\x22");
    }
    text_printf(out, "%s", quote);
}

/* "L001 schedules/shift.coll: send in[r+i] to r + i" */
static void check_baseline_print_header(const struct check_finding *finding, struct text *out)
{
    text_printf(out, "%s ", code_table[finding->code].id);
    check_baseline_print_name(finding->path ? finding->path : "-", out);
    text_printf(out, ":%s", *finding->place ? " " : "");
    print_words(finding->place, out);
}

/* "schedules/shift.coll on tree, 16 ranks"; root 0 is not said. */
static void print_cell(const struct check *check, size_t number, struct text *out)
{
    if (number == CHECK_NO_CELL) {
        text_printf(out, "the project");
        return;
    }
    const struct project_cell cell = project_cell(check->project, number);
    check_baseline_print_name(cell.schedule, out);
    if (cell.network) {
        text_printf(out, " on ");
        check_baseline_print_name(cell.network->name, out);
    }
    if (cell.n_ranks)
        text_printf(out, ", %u rank%s", cell.n_ranks, plural(cell.n_ranks));
    if (cell.root)
        text_printf(out, ", root %u", cell.root);
}

/* With as many digits as tell it from all others. */
static void check_baseline_print_value(double value, struct text *out)
{
    char digits[32];
    for (int n = 6; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, value);
        if (!(strtod(digits, NULL) < value || strtod(digits, NULL) > value))
            break;
    }
    text_printf(out, "%s", digits);
}

static void check_baseline_print_values(const struct check_entry *entry, struct text *out)
{
    size_t end;
    for (size_t first = 0; first < entry->n; first = end) {
        for (end = first; end < entry->n && !(entry->values[end] < entry->values[first]); end++)
            ;
        text_printf(out, "%s%zu x ", first ? ", " : "", end - first);
        check_baseline_print_value(entry->values[first], out);
    }
}

/* ---- writing ---- */

struct line {
    struct text header, cell;
    const struct check_entry *entry;
};

static int check_baseline_compare_lines(const void *a, const void *b)
{
    const struct check_entry *x = ((const struct line *)a)->entry,
                             *y = ((const struct line *)b)->entry;
    const int path = strcmp(x->finding->path ? x->finding->path : "-",
                            y->finding->path ? y->finding->path : "-");
    const int header =
        strcmp(((const struct line *)a)->header.data, ((const struct line *)b)->header.data);
    if (path || header)
        return path ? path : header;
    return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* True of what may be known later: a combination that cannot be checked has to be mended, and what
 * is wrong with a baseline is no part of the next one. */
static bool is_written(const struct check *check, const struct check_entry *entry)
{
    return entry->finding->code != CODE_K012 &&
           (entry->cell == CHECK_NO_CELL || check->cells[entry->cell].verdict != VERDICT_BROKEN);
}

void baseline_write(const struct check *check, struct text *out)
{
    struct line *lines = mem_alloc(check->n_entries + 1, sizeof *lines);
    size_t n = 0;
    for (size_t i = 0; i < check->n_entries; i++) {
        if (!is_written(check, check->entries[i]))
            continue;
        struct line *line = &lines[n++];
        *line = (struct line){.entry = check->entries[i]};
        check_baseline_print_header(line->entry->finding, &line->header);
        print_cell(check, line->entry->cell, &line->cell);
    }
    if (n)
        qsort(lines, n, sizeof *lines, check_baseline_compare_lines);
    text_printf(out, "%s\n", first_line);
    for (size_t i = 0; i < n; i++) {
        if (!i || strcmp(lines[i].header.data, lines[i - 1].header.data) != 0)
            text_printf(out, "%s\n", lines[i].header.data);
        text_printf(out, "  %s: ", lines[i].cell.data);
        check_baseline_print_values(lines[i].entry, out);
        text_append(out, "\n", 1);
    }
    for (size_t i = 0; i < n; i++) {
        text_free(&lines[i].header);
        text_free(&lines[i].cell);
    }
    free(lines);
}

/* ---- reading ---- */

static bool refuse_line(struct lines *lines, const char *message)
{
    lines_fail(lines, CODE_K004, lines->start, (size_t)(lines->end - lines->start), "%s", message)
        ->help = renew;
    return false;
}

/* "16" or "1.25", and moves behind it; false if it is no number above 0 that is finite. */
static bool check_baseline_take_number(const char **at, const char *end, double *value)
{
    char digits[40];
    size_t n = 0;
    while (*at + n < end && n + 1 < sizeof digits && strchr("0123456789.e+-", (*at)[n]))
        n++;
    memcpy(digits, *at, n);
    digits[n] = '\0';
    char *behind = digits;
    *value = text_is_digit(digits[0]) ? strtod(digits, &behind) : 0;
    *at += n;
    return n && behind == digits + n && isfinite(*value) && *value > 0;
}

/* "2 x 4, 16 x 3" */
static bool read_runs(const char *at, const char *end, struct known *known, struct arena *arena)
{
    size_t n = 1;
    for (const char *comma = at; comma < end; comma++)
        n += *comma == ',';
    known->runs = arena_alloc(arena, n, sizeof *known->runs);
    while (known->n_runs < n) {
        struct run *run = &known->runs[known->n_runs];
        double count;
        if (known->n_runs && (end - at < 2 || memcmp(at, ", ", 2) != 0))
            return false;
        at += known->n_runs ? 2 : 0;
        if (!check_baseline_take_number(&at, end, &count) || count > UINT32_MAX || floor(count) < count ||
            end - at < 3 || memcmp(at, " x ", 3) != 0)
            return false;
        at += 3;
        if (!check_baseline_take_number(&at, end, &run->value) ||
            (known->n_runs && run->value >= run[-1].value))
            return false;
        run->n = (uint64_t)count;
        known->n_runs++;
    }
    return at == end;
}

/* The last ": " of a line. */
static const char *last_colon(const struct lines *lines)
{
    for (const char *at = lines->end; at - lines->start >= 2; at--)
        if (at[-2] == ':' && at[-1] == ' ')
            return at - 2;
    return NULL;
}

static bool read_known(struct lines *lines, const char *header, uint32_t code,
                       struct baseline *baseline, struct arena *arena)
{
    const char *colon = last_colon(lines), *start = lines->start + 2;
    struct known known = {.header = header, .code = code};
    if (!header)
        return refuse_line(lines, "a combination without a rule and a line above it");
    if (!colon || colon <= start || !read_runs(colon + 2, lines->end, &known, arena))
        return refuse_line(
            lines,
            "expected a combination and its values, '  SCHEDULE on NETWORK, N ranks: N x VALUE', "
            "the largest first");
    known.cell = arena_strndup(arena, start, (size_t)(colon - start));
    known.position = lines_position(lines, start, (size_t)(lines->end - start));
    baseline->items =
        mem_grow(baseline->items, &baseline->capacity, baseline->n + 1, sizeof *baseline->items);
    baseline->items[baseline->n++] = known;
    return true;
}

/* "CODE FILE: TEXT" */
static const char *check_baseline_read_header(struct lines *lines, uint32_t *code, struct arena *arena)
{
    const size_t length = (size_t)(lines->end - lines->start);
    const char *header = arena_strndup(arena, lines->start, length);
    const size_t word = strcspn(header, " ");
    *code = code_find(arena_strndup(arena, header, word));
    if (*code == n_codes) {
        lines_fail(lines, CODE_K004, lines->start, word ? word : 1, "there is no rule '%.*s'",
                   (int)word, header)
            ->help = renew;
        return NULL;
    }
    if (*code == CODE_K012) {
        refuse_line(lines, "a baseline does not know what is wrong with it");
        return NULL;
    }
    if (header[word] && strchr(header + word, ':'))
        return header;
    refuse_line(lines, "expected a rule, a file and a line of it, 'CODE FILE: TEXT'");
    return NULL;
}

static bool read_first_line(struct lines *lines, const struct source *source,
                            struct diagnostics *diagnostics)
{
    const bool is_there = lines_next(lines);
    if (is_there && lines_take_text(lines, first_line) && lines_at_end(lines))
        return true;
    const bool is_old = is_there && lines_starts(lines, old_line);
    report(
        diagnostics, CODE_K004, source_position(source, 0, 1), "%s",
        is_old
            ? "a baseline of version 1, which does not say in which combinations it knows something"
            : "this is no baseline of version 2")
        ->help = renew;
    return false;
}

static int check_baseline_compare_known(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    const int header = strcmp(x->header, y->header);
    return header ? header : strcmp(x->cell, y->cell);
}

/* One line for each combination: a second one would hide which of them counts. */
static bool refuse_twice(const struct baseline *baseline, struct diagnostics *diagnostics)
{
    for (size_t i = 1; i < baseline->n; i++) {
        const struct known *known = &baseline->items[i];
        if (check_baseline_compare_known(known - 1, known) != 0)
            continue;
        const bool is_later = known->position.line > known[-1].position.line;
        struct diagnostic *d = report(diagnostics, CODE_K004, known[is_later ? 0 : -1].position,
                                      "this combination stands here twice");
        d->related = known[is_later ? -1 : 0].position;
        d->related_text = "the first time";
        d->help = renew;
        return true;
    }
    return false;
}

struct baseline *baseline_read(const char *path, struct arena *arena,
                               struct diagnostics *diagnostics)
{
    const struct source *source = source_read(path, BASELINE_LIMIT, arena, diagnostics);
    struct lines lines;
    const char *header = NULL;
    uint32_t code = 0;
    if (!source || !source_check_utf8(source, diagnostics))
        return NULL;
    lines_open(&lines, source, diagnostics);
    if (!read_first_line(&lines, source, diagnostics))
        return NULL;
    struct baseline *baseline = mem_alloc(1, sizeof *baseline);
    *baseline = (struct baseline){.source = source};
    while (!lines.failed && lines_next(&lines)) {
        if (lines.start == lines.end)
            continue;
        if (lines_starts(&lines, "  "))
            read_known(&lines, header, code, baseline, arena);
        else
            header = check_baseline_read_header(&lines, &code, arena);
    }
    if (baseline->n)
        qsort(baseline->items, baseline->n, sizeof *baseline->items, check_baseline_compare_known);
    if (!lines.failed && !refuse_twice(baseline, diagnostics))
        return baseline;
    baseline_free(baseline);
    return NULL;
}

void baseline_set_path(struct baseline *baseline, const char *path, struct arena *arena)
{
    struct source *source = arena_alloc(arena, 1, sizeof *source);
    *source = *baseline->source;
    source->path = path;
    baseline->source = source;
    for (size_t i = 0; i < baseline->n; i++)
        baseline->items[i].position.source = source;
}

void baseline_free(struct baseline *baseline)
{
    if (baseline)
        free(baseline->items);
    free(baseline);
}

/* ---- comparing ---- */

/* The sorted values have counterparts if the first of them has the first one for its own, and so
 * on. */
static bool has_counterparts(struct known *known, const struct check_entry *entry)
{
    size_t run = 0;
    uint64_t before = 0; /* values of earlier runs */
    for (size_t i = 0; i < entry->n; i++) {
        while (run < known->n_runs && before + known->runs[run].n <= i)
            before += known->runs[run++].n;
        if (run == known->n_runs || entry->values[i] > known->runs[run].value)
            return false;
        known->is_larger |= entry->values[i] < known->runs[run].value;
    }
    known->is_larger |= run + 1 < known->n_runs || before + known->runs[run].n > entry->n;
    return true;
}

/* True if both name the same combination of as:, but for the version of the MPI. */
static bool is_of_other_version(const char *a, const char *b)
{
    const char *as[2] = {strstr(a, " --as "), strstr(b, " --as ")}, *rest[2];
    size_t family[2];
    for (size_t i = 0; i < 2; i++) {
        if (!as[i])
            return false;
        const char *at = as[i] + strlen(" --as ");
        family[i] = strcspn(at, " 0123456789");
        rest[i] = at + family[i] + strspn(at + family[i], "0123456789.");
    }
    return as[0] - a == as[1] - b && family[0] == family[1] && strcmp(rest[0], rest[1]) == 0 &&
           memcmp(a, b, (size_t)(as[0] - a) + strlen(" --as ") + family[0]) == 0;
}

/* True if the project still has the MPI of a combination of as:. */
static bool has_target_of(const struct project *project, const char *cell)
{
    const char *target = strstr(cell, " --as ") + strlen(" --as ");
    for (size_t i = 0; i < project->n_as; i++)
        if (strlen(project->as[i].target.text) == strcspn(target, " ") &&
            strncmp(project->as[i].target.text, target, strcspn(target, " ")) == 0)
            return true;
    return false;
}

/* Returns the known item of the key, or that of another version of its MPI, which the project has no longer;
 * NULL if there is none. */
static struct known *find_known(struct baseline *baseline, const struct project *project,
                                const struct known *key)
{
    struct known *known = NULL;
    if (baseline->n)
        known = bsearch(key, baseline->items, baseline->n, sizeof *key, check_baseline_compare_known);
    for (size_t i = 0; i < baseline->n && !known; i++)
        if (strcmp(baseline->items[i].header, key->header) == 0 &&
            is_of_other_version(baseline->items[i].cell, key->cell) &&
            !has_target_of(project, baseline->items[i].cell))
            known = &baseline->items[i];
    return known;
}

bool baseline_knows(struct baseline *baseline, const struct check *check,
                    const struct check_entry *entry)
{
    struct text header = {0}, cell = {0};
    check_baseline_print_header(entry->finding, &header);
    print_cell(check, entry->cell, &cell);
    const struct known key = {.header = header.data, .cell = cell.data};
    struct known *known = find_known(baseline, check->project, &key);
    text_free(&header);
    text_free(&cell);
    if (!known)
        return false;
    known->is_found = true;
    return has_counterparts(known, entry);
}

/* One finding for a block: what is no longer there would hide what comes anew. */
static void say_block(const struct known *first, size_t n, struct check *check)
{
    const struct known *example = NULL;
    size_t n_gone = 0, n_larger = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_idle = !first[i].is_found || first[i].is_larger;
        n_gone += !first[i].is_found;
        n_larger += first[i].is_found && first[i].is_larger;
        example = is_idle && (!example || first[i].position.line < example->position.line)
                      ? &first[i]
                      : example;
    }
    if (!example || !check_wants(check, example->code))
        return;
    const struct check_finding finding = {
        .code = CODE_K012,
        .severity = SEVERITY_WARNING,
        .position = example->position,
        .message =
            arena_printf(&check->arena, "the baseline knows %s: %s, in %zu combination%s",
                         n_gone ? "what is not found" : "more than is found", example->header,
                         n_gone ? n_gone : n_larger, plural(n_gone ? n_gone : n_larger)),
        .help = "it would hide what comes there anew: write it again with --write-baseline"};
    check_add_of_no_cell(check, &finding, example->header, false);
}

void baseline_say_idle(const struct baseline *baseline, struct check *check)
{
    size_t end;
    for (size_t first = 0; first < baseline->n; first = end) {
        for (end = first + 1; end < baseline->n && strcmp(baseline->items[end].header,
                                                          baseline->items[first].header) == 0;
             end++)
            ;
        say_block(&baseline->items[first], end - first, check);
    }
}
