/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints docs/json.md, which it reads from standard input, with the tables of records as the .def files of
 * reports/ have them (reports/record.h): between `<!-- record NAME -->` and `<!-- end -->` a row a field.
 * Exit status 1 if the page names a record that does not exist, or has no place for one that does.
 */
#include <stdbool.h>
#include <stdio.h>
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

static bool is_on_page[N_RECORDS];

static const struct record *find_record(const char *name)
{
    for (size_t i = 0; i < N_RECORDS; i++)
        if (!strcmp(records[i].name, name)) {
            is_on_page[i] = true;
            return &records[i];
        }
    fprintf(stderr, "json_page: there is no record '%s'\n", name);
    return NULL;
}

/* Returns the name that readers know a kind by. */
static const char *word_of(const char *kind)
{
    static const char *const words[][2] = {
        {"unsigned", "integer"},     {"index", "integer or `null`"}, {"integer", "integer"},
        {"ns", "ns"},                {"bytes", "bytes"},             {"bandwidth", "bytes per second"},
        {"real", "number"},          {"bool", "boolean"},            {"string", "string"},
        {"span", "`[first, last]`"}, {"load", "number"},       {"cost", "number or `null`"},
        {"default", "number, string or `null`"},
        {"cause", "string"},         {"cable", "string"},            {"string_or_null", "string or `null`"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], kind))
            return words[i][1];
    fprintf(stderr, "json_page: there is no kind '%s'\n", kind);
    return kind;
}

static void print_rows(const struct row *row, bool is_optional)
{
    for (; row->kind; row++) {
        const bool is_left_out = is_optional || row->when == IS_OPTIONAL;
        const struct record *joined = row->shape == JOINED ? find_record(row->kind) : NULL;
        if (joined)
            print_rows(joined->rows, is_left_out);
        if (row->shape == JOINED)
            continue;
        printf("| `%s` | ", row->key);
        if (row->shape == NESTED || row->shape == NESTED_ARRAY)
            printf(row->shape == NESTED ? "object" : "array of objects");
        else
            printf(row->shape == ARRAY ? "array of %s" : "%s", word_of(row->kind));
        printf("%s%s | %s |\n", row->when == IS_NULLABLE ? " or `null`" : "", is_left_out ? ", optional" : "",
               row->meaning);
    }
}

static bool print_record(const char *name)
{
    const struct record *record = find_record(name);
    if (!record)
        return false;
    printf("\n| key | value | meaning |\n|---|---|---|\n");
    print_rows(record->rows, false);
    printf("\n");
    return true;
}

int main(void)
{
    char line[4096], name[64];
    bool is_table = false, is_sound = true;
    while (fgets(line, sizeof line, stdin)) {
        if (!strcmp(line, "<!-- end -->\n"))
            is_table = false;
        if (!is_table)
            fputs(line, stdout);
        if (sscanf(line, "<!-- record %63s -->", name) == 1) {
            is_table = true;
            is_sound &= print_record(name);
        }
    }
    for (size_t i = 0; i < N_RECORDS; i++)
        if (!is_on_page[i]) {
            fprintf(stderr, "json_page: docs/json.md has no table of '%s'\n", records[i].name);
            is_sound = false;
        }
    return is_sound ? 0 : 1;
}
