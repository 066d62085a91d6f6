/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of copies inside of a rank (struct copy_row): data of which the chunks of a row hold a progression is
 * moved as one, whatever the distance between the chunks. So what is copied costs its runs of data.
 *
 * It is for what is clean: where a copy is not, it is done by itself, and whoever gets a finding then begins
 * anew without rows (verify.c), as the order in which ranks come to their findings may be another one here.
 */
#include "verify/data.h"

#include "verify/rule.h"

/* Returns a row by its chunks: of copies of several chunks all of them, the first one written lowest. */
static struct copy_row by_chunks(const struct copy_row *row)
{
    struct copy_row chunks = *row;
    if (row->n_chunks > 1) {
        chunks.n *= row->n_chunks;
        chunks.n_chunks = 1;
        chunks.step = chunks.to_step = 1;
    } else if (row->to_step == -1) {
        chunks.chunk = (uint32_t)(row->chunk + (int64_t)row->step * (row->n - 1));
        chunks.to_chunk = row->to_chunk - (row->n - 1);
        chunks.step = -row->step;
        chunks.to_step = 1;
    }
    return chunks;
}

/* Counts, of n chunks `step` apart, those that lie in the run, as the first does. */
static uint32_t count_within(const struct run *run, uint32_t chunk, int32_t step, uint32_t n)
{
    const uint64_t inside = step > 0   ? (run->n - 1 - (uint64_t)(chunk - run->first)) / (uint64_t)step + 1
                            : step < 0 ? (uint64_t)(chunk - run->first) / (uint64_t)-(int64_t)step + 1
                                       : n;
    return inside < n ? (uint32_t)inside : n;
}

/* Returns the values of chunks `step` apart, at most n, that lie in the run, which the first does. They are
 * numbered from `number` on. One chunk only where values are too far apart to be a progression. */
static struct run take_every(const struct run *held, uint32_t chunk, int32_t step, uint32_t n,
                             uint32_t number)
{
    const uint64_t at = chunk - held->first;
    struct run part = {.first = number,
                       .n = count_within(held, chunk, step, n),
                       .datum = run_datum(held, at),
                       .set = run_set(held, at),
                       .expr = run_expr(held, at),
                       .set_stride = held->set_stride * (uint64_t)(int64_t)step};
    if (!run_stride(0, (uint64_t)((int64_t)held->datum_stride * step), &part.datum_stride) ||
        !run_stride(0, (uint64_t)((int64_t)held->expr_stride * step), &part.expr_stride))
        part.n = 1;
    return part;
}

/* Appends what the chunks hold, numbered as in the row. False: something is not there. */
static bool rows_read_row(struct data *data, uint32_t rank, const struct copy_row *row, struct run_list *list)
{
    struct run whole = {0};
    if (row->buffer == BUFFER_IN) {
        const struct op all = {.rank = rank, .n_chunks = (uint32_t)data->n_in, .buffer = BUFFER_IN};
        data_read(data, &all, 0, list);
        whole = list->runs[--list->n];
    }
    for (uint32_t k = 0; k < row->n;) {
        const uint32_t chunk = (uint32_t)(row->chunk + (int64_t)row->step * k);
        const struct run *held = &whole;
        if (row->buffer != BUFFER_IN) {
            const struct chunk_map *map = &data->maps[row->buffer][rank];
            held = chunk_map_run(map, chunk_map_find(map, chunk));
        }
        if (!held || held->first > chunk)
            return false;
        const struct run part = take_every(held, chunk, row->step, row->n - k, k);
        list->runs = mem_grow(list->runs, &list->capacity, list->n + 1, sizeof *list->runs);
        list->runs[list->n++] = part;
        k += part.n;
    }
    return true;
}

/* The copies of a row one after the other. */
static void copy_each(struct data *data, uint32_t rank, const struct copy_row *row, uint64_t step,
                      struct run_list *list)
{
    for (uint32_t k = 0; k < row->n; k++) {
        const struct op op = copy_row_op(row, rank, k);
        data_copy(data, &op, step, list);
    }
}

static void copy_row(struct data *data, uint32_t rank, const struct copy_row *row, uint64_t step,
                     struct run_list *list)
{
    const struct copy_row chunks = by_chunks(row);
    const struct op first = copy_row_op(row, rank, 0);
    list->n = 0;
    if (row->n > 1 && copy_row_is_dense(row) && !data_offer_local(data, &first, step) &&
        rows_read_row(data, rank, &chunks, list)) {
        const struct op write = {.rank = rank,
                                 .chunk = chunks.to_chunk,
                                 .n_chunks = chunks.n,
                                 .kind = OP_COPY,
                                 .buffer = row->to_buffer,
                                 .line = row->line};
        data_write(data, &write, step, list->runs, list->n);
        list->n = 0;
        return;
    }
    list->n = 0;
    copy_each(data, rank, row, step, list);
}

void data_copy_rows(struct data *data, const struct op *op, const struct step *step, struct run_list *list)
{
    for (uint32_t i = 0; i < op->n_chunks; i++)
        copy_row(data, op->rank, &step->rows[op->chunk + i], step->index, list);
}
