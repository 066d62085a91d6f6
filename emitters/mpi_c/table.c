/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI C from an explicit schedule: one table of operations, sorted by rank, and a loop over the rank's
 * part of it. Valid for the schedule's number of ranks (and root) only. Steps without operations of a
 * rank leave no trace: there is nothing to post and nothing to wait for.
 */
#include "emitters/mpi_c/mpi_c.h"

#include "ir/counts.h"
#include "ir/needs.h"

#include <inttypes.h>
#include <stdlib.h>

struct table_entry {
    struct op op;
    uint64_t step;
};

struct table {
    const struct schedule_header *header;
    struct table_entry *entries; /* in the order of steps; in each copies come first */
    size_t n, capacity;
    size_t *order;               /* entries by rank, in the order of steps */
    size_t *first;               /* [rank] index into `order`; n_ranks + 1 of them */
    uint64_t features;
    uint32_t (*ranges)[2]; /* of messages of sets: first chunk, and number of chunks */
    size_t n_ranges, ranges_capacity;
};

/* True for a message without data in a schedule that has data. */
static bool is_signal(const struct schedule_header *header, const struct op *op)
{
    return collective_has_data(header->collective) && op->n_chunks == 0 && !op_is_local(op);
}

/* Puts the ranges of a message into the list, and names them in its place. */
static void list_ranges(struct table *table, struct op *op)
{
    struct op_ranges ranges = op_ranges(table->header, op);
    op->chunk = (uint32_t)table->n_ranges;
    while (op_ranges_next(&ranges)) {
        table->ranges =
            mem_grow(table->ranges, &table->ranges_capacity, table->n_ranges + 1, sizeof *table->ranges);
        table->ranges[table->n_ranges][0] = ranges.chunk;
        table->ranges[table->n_ranges++][1] = ranges.n;
    }
    op->n_chunks = (uint32_t)table->n_ranges - op->chunk;
}

static void mpi_c_table_add_ops(struct table *table, uint64_t step, const struct op *ops, size_t n)
{
    static const uint64_t feature_of[] = {
        [OP_SEND] = C(SEND), [OP_RECV] = C(RECV), [OP_REDUCE] = C(RECV_REDUCE), [OP_COPY] = C(COPY),
        [OP_COMBINE] = C(COMBINE)};
    table->entries =
        mem_grow(table->entries, &table->capacity, table->n + n, sizeof *table->entries);
    for (size_t i = 0; i < n; i++) {
        if (!op_is_local(&ops[i]) && ops[i].is_set) {
            table->features |= C(SETS);
            table->entries[table->n] = (struct table_entry){ops[i], step};
            list_ranges(table, &table->entries[table->n++].op);
            continue;
        }
        bool is_range = ops[i].n_chunks > 1 && ops[i].buffer != BUFFER_BUF;
        table->features |= is_signal(table->header, &ops[i]) ? C(SIGNAL) : feature_of[ops[i].kind];
        table->features |= is_range && !op_is_local(&ops[i]) ? C(RANGE) : 0;
        table->entries[table->n++] = (struct table_entry){ops[i], step};
    }
}

static bool mpi_c_table_read_steps(struct table *table, struct schedule *schedule)
{
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        mpi_c_table_add_ops(table, step.index, step.copies, step.n_copies);
        mpi_c_table_add_ops(table, step.index, step.sends, step.n_sends);
        mpi_c_table_add_ops(table, step.index, step.receives, step.n_receives);
    }
    return !schedule->failed;
}

/* Sorts by rank (counting sort); stable, so steps stay in order. */
static void mpi_c_table_sort_by_rank(struct table *table)
{
    uint32_t n_ranks = table->header->n_ranks;
    table->first = mem_alloc((size_t)n_ranks + 1, sizeof *table->first);
    table->order = mem_alloc(table->n, sizeof *table->order);
    size_t *next = mem_alloc((size_t)n_ranks + 1, sizeof *next);
    for (size_t i = 0; i < table->n; i++)
        table->first[table->entries[i].op.rank + 1]++;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        next[rank + 1] = table->first[rank + 1] += table->first[rank];
    for (size_t i = 0; i < table->n; i++)
        table->order[next[table->entries[i].op.rank]++] = i;
    free(next);
}

static void print_entry(const struct table *table, const struct op *op, bool ends_step,
                        struct text *out)
{
    static const char letters[] = {
        [OP_SEND] = 's', [OP_RECV] = 'r', [OP_REDUCE] = '+', [OP_COPY] = 'c', [OP_COMBINE] = 'l'};
    static const char letters_of_sets[] = {[OP_SEND] = 'p', [OP_RECV] = 'q', [OP_REDUCE] = 'm'};
    const bool is_set = !op_is_local(op) && op->is_set;
    const char letter = is_set                        ? letters_of_sets[op->kind]
                        : !is_signal(table->header, op) ? letters[op->kind]
                        : op->kind == OP_SEND         ? 'S'
                                                      : 'R';
    if (!collective_has_data(table->header->collective)) {
        text_printf(out, "{'%c', %d, %" PRIu32 "}", letter, ends_step, op->peer);
        return;
    }
    text_printf(out, "{'%c', %d, %s, %" PRIu32 ", %" PRIu32 ", %" PRIu32, letter, ends_step,
                buffer_name[op->buffer], op->chunk, op->n_chunks, op->peer);
    if (table->features & (C(COPY) | C(COMBINE)))
        text_printf(out, ", %s", buffer_name[op_is_local(op) ? op->to_buffer : op->buffer]);
    text_printf(out, "}");
}

static void print_rank(const struct table *table, uint32_t rank, struct text *out)
{
    text_printf(out, "    /* rank %" PRIu32 " */\n", rank);
    for (size_t i = table->first[rank]; i < table->first[rank + 1]; i++) {
        const struct table_entry *entry = &table->entries[table->order[i]];
        bool begins = i == table->first[rank] ||
                      entry->step != table->entries[table->order[i - 1]].step;
        bool ends = i + 1 == table->first[rank + 1] ||
                    entry->step != table->entries[table->order[i + 1]].step;
        text_printf(out, "%s", begins ? "    " : " ");
        print_entry(table, &entry->op, ends, out);
        text_printf(out, ends ? ",\n" : ",");
    }
}

static void print_type(const struct table *table, struct text *out)
{
    bool is_barrier = !collective_has_data(table->header->collective);
    bool has_local = table->features & (C(COPY) | C(COMBINE));
    text_printf(out,
                "/* What the ranks do, a line for each step of a rank. kind: 's' send,\n"
                " * 'r' receive%s%s%s%s%s. */\n",
                table->features & C(SIGNAL) ? ", 'S' and 'R' without data" : "",
                table->features & C(RECV_REDUCE) ? ", '+' receive and combine" : "",
                table->features & C(COPY) ? ", 'c' copy" : "",
                table->features & C(COMBINE) ? ", 'l' combine locally" : "",
                table->features & C(SETS)
                    ? "; 'p' send, 'q' receive, 'm' combine chunks apart:\n * n_chunks of collc_ranges"
                    : "");
    text_printf(out, "static const struct collc_op {\n"
                     "    char kind;\n"
                     "    char ends_step;\n");
    if (!is_barrier)
        text_printf(out, "    char buffer;\n"
                         "    int chunk, n_chunks;\n");
    text_printf(out, "    int peer;%s\n%s} collc_ops[] = {\n",
                has_local ? " /* 'c', 'l': the first chunk written */" : "",
                has_local ? "    char to_buffer;\n" : "");
}

static void mpi_c_table_print_ranges(const struct table *table, struct text *out)
{
    text_printf(out, "/* Chunks of messages that lie apart: the first of a range, and how many. */\n"
                     "static const int collc_ranges[][2] = {");
    for (size_t i = 0; i < table->n_ranges; i++)
        text_printf(out, "%s{%" PRIu32 ", %" PRIu32 "}", i % 8 ? ", " : i ? ",\n    " : "\n    ",
                    table->ranges[i][0], table->ranges[i][1]);
    text_printf(out, "\n};\n\n");
}

static void mpi_c_table_print_table(const struct table *table, struct text *out)
{
    if (table->n_ranges)
        mpi_c_table_print_ranges(table, out);
    print_type(table, out);
    for (uint32_t rank = 0; rank < table->header->n_ranks; rank++)
        print_rank(table, rank, out);
    text_printf(out, "    /* the end */\n    {0}\n};\n\n"
                     "/* Rank r does collc_first[r] .. collc_first[r + 1] - 1. */\n"
                     "static const int64_t collc_first[] = {\n    ");
    for (uint32_t rank = 0; rank <= table->header->n_ranks; rank++)
        text_printf(out, "%zu%s", table->first[rank],
                    rank == table->header->n_ranks ? "\n};\n\n" : rank % 12 == 11 ? ",\n    " : ", ");
}

/* Prints the chunk that each chunk of tmp is as large as, by rank. */
static void print_like(const struct schedule_header *header, struct text *out)
{
    text_printf(out, "/* Chunks of tmp are as large as chunks of this buffer, and which. */\n"
                     "enum { collc_like_buffer = %s, collc_n_tmp = %" PRIu32 " };\n\n"
                     "static const int collc_like_chunks[] = {\n",
                buffer_name[header->tmp_sizes->buffer], header->n_tmp);
    for (uint32_t rank = 0; rank < header->n_ranks; rank++) {
        text_printf(out, "   ");
        for (uint32_t chunk = 0; chunk < header->n_tmp; chunk++)
            text_printf(out, " %" PRIu32 ",", schedule_like_chunk(header, rank, chunk));
        text_printf(out, "\n");
    }
    text_printf(out, "};\n\n"
                     "static int64_t collc_like(const struct collc_run *run, int64_t chunk)\n{\n"
                     "    return collc_like_chunks[(int64_t)run->rank * collc_n_tmp + chunk];\n}\n\n");
}

/* Counts of all ranks, and by rank what chunks of tmp are as large as: data that are passed on. */
static void print_known(const struct schedule_header *header, struct text *out)
{
    const uint32_t n_ranks = header->n_ranks;
    size_t *end = mem_alloc(n_ranks, sizeof *end), n = 0;
    text_printf(out, "/* Bytes from rank i for rank j: collc_bytes[i * collc_known_ranks + j]. */\n"
                     "enum { collc_known_ranks = %" PRIu32 " };\n\n"
                     "static const int collc_bytes[] = {\n", n_ranks);
    for (uint32_t from = 0; from < n_ranks; from++) {
        text_printf(out, "   ");
        for (uint32_t to = 0; to < n_ranks; to++)
            text_printf(out, " %" PRIu64 ",",
                        header->counts->bytes(header->counts, (uint64_t)from * n_ranks + to));
        text_printf(out, "\n");
    }
    text_printf(out, "};\n\n/* Bytes of chunks of tmp, by rank. */\n"
                     "static const int collc_tmp_bytes[] = {\n");
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t n_tmp = header->n_tmp;
        while (n_tmp > 0 && schedule_chunk_datum(header, rank, BUFFER_TMP, n_tmp - 1) == NO_DATUM)
            n_tmp--;
        text_printf(out, "   ");
        for (uint32_t chunk = 0; chunk < n_tmp; chunk++)
            text_printf(out, " %" PRIu64 ",",
                        schedule_units(header, &(struct op){.rank = rank, .buffer = BUFFER_TMP,
                                                            .chunk = chunk, .n_chunks = 1}));
        text_printf(out, "\n");
        end[rank] = n += n_tmp;
    }
    text_printf(out, "    0 /* the end */\n};\n\n"
                     "static const int64_t collc_tmp_first[] = {0");
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        text_printf(out, ",%s%zu", rank % 12 == 11 ? "\n    " : " ", end[rank]);
    text_printf(out, "};\n\n");
    free(end);
}

static void print_fits(const struct c_unit *unit, const struct schedule_header *header,
                       struct text *out)
{
    text_printf(out, "/* The table is for one number of ranks%s. */\n"
                     "static int collc_fits(struct collc_run *run)\n{\n",
                unit->features & C(ROOT) ? " and one root" : "");
    if (unit->features & C(SEGMENTS))
        text_printf(out, "    run->segments = %" PRIu32 ";\n", header->segments);
    if ((unit->features & C(TMP)) && !(unit->features & C(KNOWN)))
        text_printf(out, "    run->n_tmp = %" PRIu32 ";\n", header->n_tmp);
    if (collective_is_said(unit->collective))
        text_printf(out, "    run->n_in = %" PRIu32 ";\n    run->n_out = %" PRIu32 ";\n", header->n_in,
                    header->n_out);
    text_printf(out, "    return run->p == %" PRIu32, header->n_ranks);
    if (unit->features & C(ROOT))
        text_printf(out, " && run->root == %" PRIu32, header->root);
    text_printf(out, ";\n}\n\n");
}

/* Appends the sentences of the heading on where the table is valid. */
static void mpi_c_table_describe(const struct schedule_header *header, struct text *out)
{
    text_printf(out, "Valid for %" PRIu32 " ranks", header->n_ranks);
    if (collective_table[header->collective].rooted)
        text_printf(out, " and root %" PRIu32, header->root);
    if (header->tmp_sizes && header->tmp_sizes->is_of_others)
        text_printf(out, " and the counts below");
    text_printf(out, collective_is_pattern(header->collective)
                         ? " only."
                         : " only; otherwise it calls the MPI's own collective.");
    if (header->topology && *header->topology) {
        text_printf(out, "\n * Made for ranks placed as in the schedule, on the topology ");
        for (const char *c = header->topology; *c; c++)
            text_printf(out, "%c", *c == '*' || (*c == '/' && c[1] == '*') || *c == '\n' ? '_' : *c);
        text_printf(out, ".");
    }
}

/* Prints what ranks need, a line for each range of chunks. */
static void mpi_c_table_print_needs(const struct schedule_header *header, struct text *out)
{
    const size_t n = header->needs ? header->needs->n_terms : 0;
    text_printf(out,
                "/* What ranks need: n chunks of out from a rank, or several ones, which are combined. */\n"
                "static const struct collc_need {\n    int rank, chunk, n, first, last, from;\n"
                "} collc_needs[] = {\n");
    for (size_t i = 0; i < n; i++) {
        const struct need_term *term = &header->needs->terms[i];
        text_printf(out,
                    "    {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
                    term->rank, term->chunk, term->n, term->from, term->last, term->from_chunk);
    }
    text_printf(
        out,
        "    {-1, 0, 0, 0, 0, 0} /* the end */\n};\n\n%s"
        "    for (const struct collc_need *need = collc_needs; need->rank >= 0; need++)\n"
        "        for (int from = need->first; need->rank == run->rank && from <= need->last; from++)\n"
        "            collc_need(run, need->chunk, need->n, need->from, from);\n"
        "}\n\n",
        c_needs_begin);
}

static void mpi_c_table_print_unit(const struct table *table, struct c_unit *unit, struct text *out)
{
    struct text form = {0};
    mpi_c_table_describe(table->header, &form);
    unit->scope = form.data;
    c_heading(unit, out);
    c_runtime(unit, out);
    mpi_c_table_print_table(table, out);
    print_fits(unit, table->header, out);
    if (unit->features & C(KNOWN))
        print_known(table->header, out);
    else if ((unit->features & C(UNEQUAL)) && (unit->features & C(TMP)))
        print_like(table->header, out);
    c_template_one(unit, "table.c", out);
    if (collective_is_pattern(unit->collective) && unit->features & C(MAIN))
        mpi_c_table_print_needs(table->header, out);
    c_entry(unit, out);
    text_free(&form);
}

bool emit_mpi_c_schedule(struct schedule *schedule, const struct emit_c_options *options,
                         struct text *out)
{
    const struct schedule_header *header = &schedule->header;
    struct table table = {.header = header};
    struct c_unit unit;
    bool done = mpi_c_table_read_steps(&table, schedule);
    if (done) {
        uint64_t sizes = (header->segments > 1 ? C(SEGMENTS) : 0) | (header->n_tmp ? C(TMP) : 0) |
                         (header->is_ordered ? C(ORDERED) : 0) |
                         (header->is_exact ? C(EXACT) : 0) |
                         (header->n_tmp && header->tmp_sizes ? C(UNEQUAL) : 0) |
                         (header->tmp_sizes && header->tmp_sizes->is_of_others ? C(KNOWN) | C(SEGMENTS) : 0);
        c_unit_init(&unit, header->collective, header->form, header->algorithm ? header->algorithm : "schedule",
                    table.features | sizes, options);
        table.features = unit.features;
        mpi_c_table_sort_by_rank(&table);
        mpi_c_table_print_unit(&table, &unit, out);
        done = c_name_fill(&unit, out);
    }
    free(table.entries);
    free(table.ranges);
    free(table.order);
    free(table.first);
    return done;
}
