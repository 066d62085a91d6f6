/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A dense matrix: a row of numbers for each sender, a column for each receiver. The rows may begin with the
 * names of the senders, below a line with those of the receivers. The monitoring library of Open MPI,
 * TreeMatch and numpy.savetxt write it.
 *
 *   0 100 0                        ,n01,n02
 *   0 0   7                    or  n01,0,100
 *   5 0   0                        n02,5,0
 */
#include "schedules/traffic/internal.h"

#include <stdlib.h>

struct matrix {
    struct traffic *traffic;
    bool is_labelled; /* the first line has names, and each row one */
    uint32_t n;       /* columns */
    uint32_t row;     /* rows read */
    uint32_t *number; /* [column] its rank; NULL: the column */
};

/* The first line: numbers, or the names of the columns, behind an empty field, a word, or nothing. */
enum matrix_head { HEAD_NUMBERS, HEAD_BEHIND_FIELD, HEAD_ALONE, HEAD_OTHER };

/* Counts the fields of the next line, and those but the first that are no numbers. */
static uint32_t matrix_count_fields(struct traffic *traffic, struct slice *first, uint32_t *n_words)
{
    struct slice field;
    uint32_t n = 0;
    *n_words = 0;
    if (!traffic_next_line(traffic))
        return 0;
    for (; traffic_take_field(traffic, &field); n++) {
        *first = n ? *first : field;
        *n_words += n && !traffic_is_number(field);
    }
    return n;
}

/* True if the next line has the field. */
static bool matrix_has_field(struct traffic *traffic, struct slice wanted)
{
    struct slice field;
    bool has = false;
    while (!has && traffic_take_field(traffic, &field))
        has = slice_compare(field, wanted) == 0;
    return has;
}

/* Tells the head by the first two lines: names are those of rows, too. */
static enum matrix_head matrix_find_head(const struct source *source)
{
    struct traffic traffic = {.source = source}, both = {.source = source};
    struct slice first = {0}, row = {0};
    uint32_t n_words, n_row_words;
    traffic_open(&traffic);
    if (!traffic_next_line(&traffic))
        return HEAD_OTHER;
    if (*traffic.lines.at == ',' || *traffic.lines.at == ';')
        return HEAD_BEHIND_FIELD;
    traffic_open(&both);
    const uint32_t n = matrix_count_fields(&both, &first, &n_words);
    if (traffic_is_number(first))
        return n_words ? HEAD_OTHER : HEAD_NUMBERS;
    const uint32_t n_in_row = matrix_count_fields(&both, &row, &n_row_words);
    if (n_row_words || n < 2 || !matrix_has_field(&traffic, row))
        return HEAD_OTHER;
    return n_in_row == n && n > 2                   ? HEAD_BEHIND_FIELD
           : n_in_row == n + 1 && n_words + 1 == n ? HEAD_ALONE
                                                    : HEAD_OTHER;
}

bool matrix_is_form(const struct source *source) { return matrix_find_head(source) != HEAD_OTHER; }

/* Reads the names of the columns. */
static bool matrix_read_head(struct matrix *matrix)
{
    struct traffic *traffic = matrix->traffic;
    struct slice field;
    size_t capacity = 0;
    const enum matrix_head head = matrix_find_head(traffic->source);
    if (head == HEAD_NUMBERS || !traffic_next_line(traffic))
        return true;
    matrix->is_labelled = true;
    if (head == HEAD_BEHIND_FIELD)
        traffic_take_field(traffic, &field);
    traffic->has_names = true;
    while (traffic_take_field(traffic, &field)) {
        uint32_t number;
        matrix->number = mem_grow(matrix->number, &capacity, (size_t)matrix->n + 1, sizeof *matrix->number);
        if (!matrix->n)
            traffic->has_names = !traffic_is_whole(field);
        if (!(traffic->has_names ? traffic_take_name(traffic, field, &number)
                                 : traffic_take_rank(traffic, field, &number)))
            return false;
        matrix->number[matrix->n++] = number;
    }
    if (traffic->n_ranks == matrix->n)
        return true;
    traffic_refuse(traffic, lines_rest(&traffic->lines), "the columns are not of different ranks")->help =
        "name each host, or each rank from 0 on, once";
    return false;
}

/* Reads the name of the row; sets its rank. */
static bool matrix_take_sender(struct matrix *matrix, uint32_t *from)
{
    struct traffic *traffic = matrix->traffic;
    struct slice field = {0};
    *from = matrix->row;
    if (!matrix->is_labelled)
        return true;
    traffic_take_field(traffic, &field);
    if (!(traffic->has_names ? traffic_take_name(traffic, field, from)
                             : traffic_take_rank(traffic, field, from)))
        return false;
    if (traffic->n_ranks == matrix->n)
        return true;
    traffic_refuse(traffic, field, "'%.*s' has a row, but no column", (int)field.length, field.text)->help =
        "rows and columns are of the same ranks";
    return false;
}

/* Reads a row whose name was taken. Returns the number of its fields. */
static uint32_t matrix_read_row(struct matrix *matrix, uint32_t from)
{
    struct traffic *traffic = matrix->traffic;
    struct slice field;
    uint64_t bytes;
    uint32_t n = 0;
    for (; traffic_take_field(traffic, &field); n++) {
        if (field.length == 1 && *field.text == '0')
            continue;
        if (!traffic_take_size(traffic, field, 1, &bytes))
            return n + 1;
        if (bytes && (n < matrix->n || !matrix->n))
            traffic_add(traffic, from, matrix->number && n < matrix->n ? matrix->number[n] : n, bytes);
    }
    return n;
}

/* Reads one line. */
static void matrix_read_line(struct matrix *matrix)
{
    struct traffic *traffic = matrix->traffic;
    const struct slice line = lines_rest(&traffic->lines);
    uint32_t from;
    if (!matrix_take_sender(matrix, &from))
        return;
    const uint32_t n = matrix_read_row(matrix, from);
    if (traffic->failed)
        return;
    if (!matrix->n && n <= SCHEDULE_MAX_RANKS)
        matrix->n = n;
    if (n != matrix->n)
        traffic_refuse(traffic, line, "row %u has %u number%s, and the first has %u", matrix->row, n,
                       plural(n), matrix->n)
            ->help = "a matrix has as many columns as rows: one number for each receiver; a list of messages "
                     "begins with a line 'src,dst,bytes'";
    else if (matrix->row == matrix->n)
        traffic_refuse(traffic, line, "more rows than columns, which are %u", matrix->n)->help =
            "a matrix has a row for each sender and a column for each receiver";
    matrix->row++;
}

void matrix_read(struct traffic *traffic)
{
    struct matrix matrix = {.traffic = traffic};
    bool is_first = true;
    if (!matrix_read_head(&matrix))
        traffic->failed = true;
    else if (!matrix.is_labelled)
        traffic_open(traffic);
    while (!traffic->failed && traffic_next_line(traffic)) {
        matrix_read_line(&matrix);
        is_first = false;
    }
    if (!traffic->failed && (is_first || matrix.row < matrix.n))
        traffic_refuse(traffic, (struct slice){traffic->lines.start, 1}, "%u rows, and %u columns",
                       matrix.row, matrix.n)
            ->help = "a matrix has a row for each sender and a column for each receiver; a list of messages "
                     "begins with a line 'src,dst,bytes'";
    if (traffic->n_ranks < matrix.n)
        traffic->n_ranks = matrix.n;
    free(matrix.number);
}
