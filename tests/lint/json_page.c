/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints docs/json.md, which it reads from standard input, with the tables of records as the .def files of
 * reports/ have them (reports/record.h): between `<!-- record NAME -->` and `<!-- end -->` a row a field.
 * Fields of records inside follow, with a path as key. A record stands once, then is referred to. Rows that
 * several records have, or one several times, stand once, between `<!-- shared -->` and `<!-- end -->`.
 * Records that only processes of collc hand to each other, brief_NAME, are left out.
 * Exit status 1 if the page names a record that does not exist, or has no place for one that does.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field, as a line of a table says it. JOINED: the fields of the record `kind` stand here. */
struct row {
    const char *key, *kind;
    enum { PLAIN, ARRAY, NESTED, NESTED_ARRAY, JOINED } shape;
    enum { IS_ALWAYS, IS_NULLABLE, IS_OPTIONAL } when;
    const char *meaning;
};

#define ALWAYS IS_ALWAYS
#define NULL_UNLESS(...) IS_NULLABLE
#define LEFT_OUT_UNLESS(...) IS_OPTIONAL
#define LET(...)
#define FIELD(key, kind, when, value, meaning) {#key, #kind, PLAIN, when, meaning},
#define VALUES(key, kind, when, loop, value, meaning) {#key, #kind, ARRAY, when, meaning},
#define OBJECT(key, record, when, arguments, meaning) {#key, #record, NESTED, when, meaning},
#define LIST(key, record, when, loop, arguments, meaning) {#key, #record, NESTED_ARRAY, when, meaning},
#define LIST_BY(key, record, when, call, meaning) {#key, #record, NESTED_ARRAY, when, meaning},
#define JOIN(record, when, arguments) {NULL, #record, JOINED, when, NULL},

#define RECORD(name, ...) static const struct row name##_rows[] = {
#define SHARED_RECORD RECORD
#define END {0}};
#include "reports/records.def"
#undef RECORD
#undef END
#undef LET
#undef FIELD
#undef VALUES
#undef OBJECT
#undef LIST
#undef LIST_BY
#undef JOIN

#define RECORD(name, ...) {#name, name##_rows},
#define END
#define LET(...)
#define FIELD(...)
#define VALUES(...)
#define OBJECT(...)
#define LIST(...)
#define LIST_BY(...)
#define JOIN(...)
static const struct record {
    const char *name;
    const struct row *rows;
} records[] = {
#include "reports/records.def"
};
enum { N_RECORDS = sizeof records / sizeof *records };

/* First place of a record on the page: heading of its section, and path there; "" for a report itself. */
static struct {
    bool is_on_page;
    char section[64], path[96];
} homes[N_RECORDS];

enum { MAX_LINES = 2048, MAX_WORDS = 1024 };

/* A row of the page, in the order of the tables. `report` numbers these. */
static struct line {
    unsigned report;
    char path[96], type[64]; /* type: without what the next two say */
    bool is_nullable, is_optional;
    const char *key, *meaning;
    size_t home; /* number of the record that stands elsewhere, plus 1 */
} lines[MAX_LINES];
static size_t n_lines;

static char section[64];

/* Returns the number of the record, or N_RECORDS. */
static size_t find_record(const char *name)
{
    for (size_t i = 0; i < N_RECORDS; i++)
        if (!strcmp(records[i].name, name))
            return i;
    fprintf(stderr, "json_page: there is no record '%s'\n", name);
    return N_RECORDS;
}

/* Returns the name that readers know a kind by. */
static const char *word_of(const char *kind)
{
    static const char *const words[][2] = {
        {"unsigned", "integer"}, {"index", "integer?"},      {"integer", "integer"},
        {"ns", "ns"},            {"bytes", "bytes"},         {"bandwidth", "bytes/s"},
        {"real", "number"},      {"bool", "boolean"},        {"string", "string"},
        {"load", "number"},      {"span", "[first,last]"},   {"cost", "number?"},
        {"cause", "string"},     {"default", "any?"},        {"cable", "string"},
        {"string_or_null", "string?"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], kind))
            return words[i][1];
    fprintf(stderr, "json_page: there is no kind '%s'\n", kind);
    exit(1);
}

static bool is_internal(const char *record) { return !strncmp(record, "brief_", 6); }

static void put_type(struct line *line, const struct row *row)
{
    const bool is_nested = row->shape == NESTED || row->shape == NESTED_ARRAY;
    const bool is_array = row->shape == ARRAY || row->shape == NESTED_ARRAY;
    const char *word = is_nested ? "object" : word_of(row->kind);
    const int width = is_array ? (int)strlen(word) : (int)strcspn(word, "?");
    snprintf(line->type, sizeof line->type, "%s%.*s%s", is_array ? "[" : "", width, word, is_array ? "]" : "");
    line->is_nullable = row->when == IS_NULLABLE || (!is_array && word[width]);
}

/* Adds the rows of a record, and of those inside, whose keys begin with `prefix`. */
static void add_rows(unsigned report, const char *prefix, const struct row *row, bool is_optional)
{
    for (; row->kind; row++) {
        const bool is_left_out = is_optional || row->when == IS_OPTIONAL;
        if (row->shape == JOINED) {
            const size_t joined = find_record(row->kind);
            homes[joined].is_on_page = true;
            add_rows(report, prefix, records[joined].rows, is_left_out);
            continue;
        }
        if (is_internal(row->kind))
            continue;
        struct line *line = &lines[n_lines++];
        *line = (struct line){
            .report = report, .is_optional = is_left_out, .key = row->key, .meaning = row->meaning};
        snprintf(line->path, sizeof line->path, "%s%s", prefix, row->key);
        put_type(line, row);
        if (row->shape != NESTED && row->shape != NESTED_ARRAY)
            continue;
        const size_t nested = find_record(row->kind);
        if (homes[nested].is_on_page) {
            line->home = nested + 1;
            continue;
        }
        homes[nested].is_on_page = true;
        strcpy(homes[nested].section, section);
        snprintf(homes[nested].path, sizeof homes[nested].path, "%.*s", (int)sizeof line->path - 1, line->path);
        char inside[128];
        snprintf(inside, sizeof inside, "%s%s.", line->path, row->shape == NESTED_ARRAY ? "[]" : "");
        add_rows(report, inside, records[nested].rows, false);
    }
}

static bool is_like(const struct line *one, const struct line *other)
{
    return !strcmp(one->key, other->key) && !strcmp(one->type, other->type) && one->home == other->home &&
           !strcmp(one->meaning, other->meaning);
}

/* True if another row says the same of the key. */
static bool has_twin(const struct line *line)
{
    for (size_t i = 0; i < n_lines; i++)
        if (&lines[i] != line && is_like(line, &lines[i]))
            return true;
    return false;
}

/* True if the row stands in the table of shared ones: of several meanings of a key the first with a twin. */
static bool is_shared(const struct line *line)
{
    for (size_t i = 0; i < n_lines; i++)
        if (!strcmp(lines[i].key, line->key) && has_twin(&lines[i]))
            return is_like(line, &lines[i]);
    return false;
}

/* Adds to `words`, which has room for MAX_WORDS letters, those of `more` without the marks of Markdown, of a
 * link the page alone. */
static void add_plain(char *words, const char *more)
{
    char *end = words + strlen(words);
    for (; *more && end < words + MAX_WORDS - 1; more++) {
        if (!strncmp(more, "](", 2))
            more += strcspn(more, ")");
        else if (*more != '`' && *more != '[')
            *end++ = *more;
    }
    *end = 0;
}

/* Adds where a record stands, and its section if that is another: " (as times of collc predict)". */
static void add_home(char *words, size_t home)
{
    const bool is_elsewhere = !*homes[home].path || strcmp(homes[home].section, section) != 0;
    add_plain(words, " (as ");
    strncat(words, homes[home].path, MAX_WORDS - 1 - strlen(words));
    if (is_elsewhere)
        add_plain(words, *homes[home].path ? " of " : "the report of ");
    add_plain(words, is_elsewhere ? homes[home].section : "");
    add_plain(words, ")");
}

/* Writes the key and its type, unless that is an integer, as most are. */
static void put_key(char *words, const char *key, const struct line *line, bool is_nullable, bool is_optional)
{
    const bool is_integer =
        !strcmp(line->type, "integer") || !strcmp(line->type, "ns") || !strcmp(line->type, "bytes");
    if (!is_optional && !is_nullable && is_integer)
        snprintf(words, MAX_WORDS, "%s", key);
    else
        snprintf(words, MAX_WORDS, "%s %s%s%s%s", key, is_optional ? "(" : "", line->type,
                 is_nullable ? "?" : "", is_optional ? ")" : "");
}

/* Prints a key and, in `column` beside it, what it means. */
static void print_row(const char *key, const struct line *line, int column)
{
    enum { INDENT = 4, WIDTH = 110 };
    char words[MAX_WORDS] = "";
    add_plain(words, line->meaning);
    if (line->home)
        add_home(words, line->home - 1);
    int at = printf("%*s%-*s", INDENT, "", column, key);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        if (at > INDENT + column && at + 1 + (int)strlen(word) > WIDTH)
            at = printf("\n%*s", INDENT + column, "") - 1;
        at += printf(" %s", word);
    }
    printf("\n");
}

/* Prints "`times[].ranks,bytes`": the shared keys of a report, those of one object together. */
static void print_shared_of(unsigned report)
{
    const char *object = NULL;
    int width = 0;
    for (const struct line *line = lines; line < lines + n_lines; line++) {
        if (line->report != report || !is_shared(line))
            continue;
        const int inside = (int)(strlen(line->path) - strlen(line->key));
        if (object && inside == width && !strncmp(object, line->path, (size_t)width))
            printf(",");
        else
            printf("%s%.*s", object ? "`, `" : "\nShared: `", inside, line->path);
        printf("%s%s%s%s", line->is_optional ? "(" : "", line->key, line->is_nullable ? "?" : "",
               line->is_optional ? ")" : "");
        object = line->path;
        width = inside;
    }
    printf("%s\n", object ? "`.\n" : "");
}

/* Prints rows, the meanings behind the longest key; the shared table's without what differs by report. */
static void print_rows(const struct line *const *rows, size_t n, bool is_of_all)
{
    char key[MAX_WORDS];
    int column = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        printf("%s", pass && n ? "\n" : "");
        for (size_t i = 0; i < n; i++) {
            const struct line *row = rows[i];
            put_key(key, is_of_all ? row->key : row->path, row, !is_of_all && row->is_nullable,
                    !is_of_all && row->is_optional);
            if (pass)
                print_row(key, row, column);
            else if (column < (int)strlen(key))
                column = (int)strlen(key);
        }
    }
}

static void print_report(unsigned report)
{
    static const struct line *rows[MAX_LINES];
    size_t n = 0;
    for (const struct line *line = lines; line < lines + n_lines; line++)
        if (line->report == report && !is_shared(line))
            rows[n++] = line;
    print_rows(rows, n, false);
    print_shared_of(report);
}

static int by_key(const void *left, const void *right)
{
    const struct line *const *one = left, *const *other = right;
    const int order = strcmp((*one)->key, (*other)->key);
    return order ? order : *one < *other ? -1 : 1;
}

static void print_shared(void)
{
    static const struct line *shared[MAX_LINES];
    size_t n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        bool is_new = is_shared(&lines[i]);
        for (size_t k = 0; k < n; k++)
            is_new &= !is_like(shared[k], &lines[i]);
        if (is_new)
            shared[n++] = &lines[i];
    }
    qsort(shared, n, sizeof *shared, by_key);
    print_rows(shared, n, true);
    printf("\n");
}

/* Copies the page; the first time it only collects rows. */
static bool copy_page(char *page, bool is_printed)
{
    char name[64];
    bool is_table = false, is_sound = true;
    unsigned report = 0;
    for (char *line = page, *end; *line; line = end) {
        end = strchr(line, '\n') ? strchr(line, '\n') + 1 : line + strlen(line);
        const int width = (int)(end - line);
        if (sscanf(line, "## %63[^\n]", name) == 1)
            strcpy(section, name);
        is_table &= strncmp(line, "<!-- end -->", 12) != 0;
        if (is_printed && !is_table)
            printf("%.*s", width, line);
        if (!strncmp(line, "<!-- shared -->", 15)) {
            is_table = true;
            if (is_printed)
                print_shared();
        }
        if (sscanf(line, "<!-- record %63s -->", name) != 1)
            continue;
        is_table = true;
        const size_t record = find_record(name);
        if (record == N_RECORDS) {
            is_sound = false;
        } else if (is_printed) {
            print_report(report++);
        } else {
            homes[record].is_on_page = true;
            strcpy(homes[record].section, section);
            add_rows(report++, "", records[record].rows, false);
        }
    }
    return is_sound;
}

int main(void)
{
    static char page[1 << 20];
    page[fread(page, 1, sizeof page - 1, stdin)] = 0;
    bool is_sound = copy_page(page, false) && copy_page(page, true);
    for (size_t i = 0; i < N_RECORDS; i++)
        if (!homes[i].is_on_page && !is_internal(records[i].name)) {
            fprintf(stderr, "json_page: docs/json.md has no table of '%s'\n", records[i].name);
            is_sound = false;
        }
    return is_sound ? 0 : 1;
}
