/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of messages: a line for each, with its sender, its receiver and its bytes, in columns that a first
 * line names, or in this order without one. Ends are ranks, or hosts. Messages of a pair in a phase are
 * summed.
 *
 *   src,dst,bytes                    n01 n07 4096
 *   0,1,4096                         n01 n08 1.5e6
 */
#include "schedules/traffic/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum list_column { LIST_FROM, LIST_TO, LIST_BYTES, LIST_PHASE, N_LIST_COLUMNS };

/* Names of the columns, in small letters and digits. A word that ends in '*' stands for all that begin so.
 * Behind those of ends there may be one of end_words. */
static const char list_words_of_bytes[] =
    "bytes byte size volume amount data total totalbytes bytestotal totalsize sizebytes bytessent sentbytes "
    "msgsize msgbytes messagesize messagebytes length";
static const char *const list_words[N_LIST_COLUMNS] = {
    [LIST_FROM] = "src source from sender send origin rankfrom rank",
    [LIST_TO] = "dst dest destination to receiver recv target peer rankto",
    [LIST_BYTES] = list_words_of_bytes,
    [LIST_PHASE] = "phase step iteration iter round time* timestamp* start* sendtime",
};

static const char *const end_words[] = {"rank", "host", "node", "id"};

struct list {
    struct traffic *traffic;
    bool has_head;                  /* a first line names the columns: others are left out */
    int32_t column[N_LIST_COLUMNS]; /* numbers of the fields; -1: none */
    int32_t n_columns;              /* fields up to the last of these */
    double unit;                    /* bytes of 1 in the column of bytes */
};

/* Copies the letters and digits of a field in small letters. */
static void list_plain(struct slice field, char *plain, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < field.length && n + 1 < size; i++)
        if (isalnum((unsigned char)field.text[i]))
            plain[n++] = (char)tolower((unsigned char)field.text[i]);
    plain[n] = '\0';
}

static bool list_is_word(const char *plain, const char *words)
{
    const size_t length = strlen(plain);
    for (const char *word = words; length && *word;) {
        const size_t n = strcspn(word, " ");
        if (word[n - 1] == '*' ? length >= n - 1 && strncmp(plain, word, n - 1) == 0
                               : length == n && strncmp(plain, word, n) == 0)
            return true;
        word += n + strspn(word + n, " ");
    }
    return false;
}

/* True if a name of a column is one of the words of column i. */
static bool list_is_column(const char *plain, int i)
{
    enum { LONGEST_BASE = 32 };
    const size_t length = strlen(plain);
    bool is_column = list_is_word(plain, list_words[i]);
    for (size_t k = 0; !is_column && i <= LIST_TO && k < sizeof end_words / sizeof *end_words; k++) {
        const size_t n = strlen(end_words[k]);
        char base[LONGEST_BASE];
        if (length <= n || length >= sizeof base || strcmp(plain + length - n, end_words[k]) != 0)
            continue;
        memcpy(base, plain, length - n);
        base[length - n] = '\0';
        is_column = list_is_word(base, list_words[i]);
    }
    return is_column;
}

/* Removes the unit at the end of the name of a column, or takes it for one of bytes; returns the bytes of the
 * unit, 1 without one. */
static double list_take_unit(char *plain)
{
    static const struct {
        const char *ending;
        double bytes;
    } units[] = {{"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}};
    const size_t length = strlen(plain);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t n = strlen(units[i].ending);
        if (length >= n && strcmp(plain + length - n, units[i].ending) == 0) {
            strcpy(plain + length - n, length == n ? "size" : "");
            return units[i].bytes;
        }
    }
    return 1;
}

/* Takes the names of the columns from the current line. Returns false if it has no such names. */
static bool list_take_head(struct list *list)
{
    enum { LONGEST_NAME = 32 };
    char plain[LONGEST_NAME];
    struct slice field;
    for (int i = 0; i < N_LIST_COLUMNS; i++)
        list->column[i] = -1;
    list->unit = 1;
    for (int32_t number = 0; number < INT32_MAX && traffic_take_field(list->traffic, &field); number++) {
        list_plain(field, plain, sizeof plain);
        const double unit = list_take_unit(plain);
        for (int i = 0; i < N_LIST_COLUMNS; i++) {
            if (list->column[i] >= 0 || !list_is_column(plain, i))
                continue;
            list->column[i] = number;
            list->n_columns = number + 1;
            if (i == LIST_BYTES)
                list->unit = unit;
            break;
        }
    }
    return list->column[LIST_FROM] >= 0 && list->column[LIST_TO] >= 0 && list->column[LIST_BYTES] >= 0;
}

/* True if the next line is a message with these columns: a comment may have such words by chance. Stays where
 * it is. */
static bool list_is_followed(const struct list *list)
{
    struct traffic traffic = {.source = list->traffic->source,
                              .lines = list->traffic->lines,
                              .separator = list->traffic->separator};
    struct slice field;
    if (!traffic_next_line(&traffic))
        return false;
    for (int32_t number = 0; traffic_take_field(&traffic, &field); number++)
        if (number == list->column[LIST_BYTES])
            return traffic_is_number(field);
    return false;
}

/* Finds a line of names before the first message; it may be a comment. Leaves the cursor behind it. */
static bool list_find_head(struct list *list)
{
    struct lines *lines = &list->traffic->lines;
    while (lines_next(lines)) {
        const bool is_comment = (lines_skip_blanks(lines), !lines_at_end(lines) && *lines->at == '#');
        while (!lines_at_end(lines) && (*lines->at == '#' || *lines->at == ' '))
            lines->at++;
        if (lines_at_end(lines))
            continue;
        if (list_take_head(list) && (!is_comment || list_is_followed(list)))
            return true;
        if (!is_comment)
            return false;
    }
    return false;
}

/* Counts fields of the current line, up to `most`. */
static int32_t list_count_fields(struct traffic *traffic, struct slice *fields, int32_t most)
{
    int32_t n = 0;
    struct slice more;
    while (n < most && traffic_take_field(traffic, &fields[n]))
        n++;
    return n == most && traffic_take_field(traffic, &more) ? most + 1 : n;
}

/* True if a text without names of columns is a list: three fields in a line, of which the last is a number.
 * Three lines of three numbers are a matrix. */
static bool list_is_plain(const struct source *source)
{
    enum { N_FIELDS = 3 };
    struct traffic traffic = {.source = source};
    struct slice fields[N_FIELDS];
    traffic_open(&traffic);
    if (!traffic_next_line(&traffic) || list_count_fields(&traffic, fields, N_FIELDS) != N_FIELDS ||
        !traffic_is_number(fields[2]))
        return false;
    if (!traffic_is_number(fields[0]) || !traffic_is_number(fields[1]))
        return !traffic_is_number(fields[0]) && !traffic_is_number(fields[1]);
    int n_lines = 1;
    while (n_lines <= N_FIELDS && traffic_next_line(&traffic))
        n_lines++;
    return n_lines != N_FIELDS;
}

bool list_is_form(const struct source *source)
{
    struct traffic traffic = {.source = source};
    struct list list = {.traffic = &traffic};
    traffic_open(&traffic);
    return list_find_head(&list) || list_is_plain(source);
}

/* Reads the value of a phase: a number. */
static bool list_take_phase(struct traffic *traffic, struct slice field, uint32_t *phase)
{
    double value;
    if (!traffic_take_real(field, &value)) {
        traffic_refuse(traffic, field, "'%.*s': no phase", (int)(field.length < 80 ? field.length : 80),
                       field.text)
            ->help =
            "messages with equal numbers are one phase; phases follow each other in the order of the "
            "numbers";
        return false;
    }
    *phase = traffic_phase(traffic, value);
    if (traffic->phases.map.n <= SCHEDULE_MAX_STEPS)
        return true;
    traffic_refuse(traffic, field, "more than %d phases", SCHEDULE_MAX_STEPS)->help =
        "round times to the length of a phase, or leave the column out";
    return false;
}

/* Reads an end of a message. The first line decides whether ends are ranks or names. */
static bool list_take_end(struct traffic *traffic, struct slice field, uint32_t *rank)
{
    if (traffic->has_names)
        return traffic_take_name(traffic, field, rank);
    return traffic_take_rank(traffic, field, rank);
}

/* Takes the fields of the line that are asked for. False after reporting that one is missing. */
static bool list_take_fields(struct list *list, struct slice fields[N_LIST_COLUMNS])
{
    static const char *const missing[] = {"sender", "receiver", "size", "phase"};
    struct lines *lines = &list->traffic->lines;
    struct slice field;
    for (int32_t number = 0; number < list->n_columns; number++) {
        const bool is_there = traffic_take_field(list->traffic, &field);
        for (int i = 0; i < N_LIST_COLUMNS; i++) {
            if (list->column[i] != number)
                continue;
            fields[i] = field;
            if (is_there && field.length)
                continue;
            traffic_refuse(list->traffic, (struct slice){is_there ? field.text : lines->end, 1},
                           "the %s of the message is missing", missing[i])
                ->help = "a line has a sender, a receiver and a size, such as '0 1 4096' or 'n01,n02,64KiB'";
            return false;
        }
    }
    return true;
}

/* Reads the message of the current line. */
static void list_read_line(struct list *list)
{
    struct traffic *traffic = list->traffic;
    struct slice fields[N_LIST_COLUMNS], more;
    uint32_t from, to, phase = 0;
    uint64_t bytes;
    if (!list_take_fields(list, fields) || !list_take_end(traffic, fields[LIST_FROM], &from) ||
        !list_take_end(traffic, fields[LIST_TO], &to) ||
        !traffic_take_size(traffic, fields[LIST_BYTES], list->unit, &bytes) ||
        (list->column[LIST_PHASE] >= 0 && !list_take_phase(traffic, fields[LIST_PHASE], &phase)))
        return;
    traffic_add(traffic, from, to, bytes);
    traffic->messages[traffic->n - 1].phase = phase;
    if (!list->has_head && traffic_take_field(traffic, &more))
        traffic_refuse(traffic, more, "more than a sender, a receiver and a size")->help =
            "name the columns in a first line, such as 'src,dst,bytes,phase': others are left out";
}

/* Looks at the first message: sets whether ends are names. */
static void list_find_names(struct list *list)
{
    struct slice fields[N_LIST_COLUMNS];
    const char *at = list->traffic->lines.at;
    const bool failed = list->traffic->failed;
    if (list_take_fields(list, fields))
        list->traffic->has_names =
            !traffic_is_number(fields[LIST_FROM]) || !traffic_is_number(fields[LIST_TO]);
    list->traffic->lines.at = at;
    list->traffic->failed = failed;
}

void list_read(struct traffic *traffic)
{
    struct list list = {.traffic = traffic};
    list.has_head = list_find_head(&list);
    if (!list.has_head) {
        list = (struct list){.traffic = traffic, .column = {0, 1, 2, -1}, .n_columns = 3, .unit = 1};
        traffic_open(traffic);
    }
    for (bool is_first = true; !traffic->failed && traffic_next_line(traffic); is_first = false) {
        if (is_first)
            list_find_names(&list);
        list_read_line(&list);
    }
}
