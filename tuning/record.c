/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See record.h.
 */
#include "tuning/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool record_fail(struct recording *recording, const char *problem, const char *help)
{
    recording->problem = problem;
    recording->help = help;
    return false;
}

/* Calls begin .. end-1 of the request, which one launch makes. */
struct record_batch {
    const struct record_request *request;
    size_t begin, end;
    const struct record_point *fixed; /* forces its algorithm for the whole launch, or NULL */
    struct recording *recording;
    struct arena *arena;
};

static uint32_t record_most_ranks(const struct record_batch *batch)
{
    const struct record_request *request = batch->request;
    uint32_t most = 0;
    for (size_t i = batch->begin; i < batch->end; i++)
        most = request->points[i].n_ranks > most ? request->points[i].n_ranks : most;
    return most;
}

/* ---- the launch ---- */

static bool is_same_choice(const struct record_point *a, const struct record_point *b)
{
    return strcmp(a->collective, b->collective) == 0 && a->choice.algorithm == b->choice.algorithm &&
           a->choice.parameters.segment_bytes == b->choice.parameters.segment_bytes &&
           a->choice.parameters.fan_out == b->choice.parameters.fan_out;
}

/* True if an algorithm of the collective is forced from the launch on. */
static bool is_of_launch(const struct record_request *request, const struct record_point *point)
{
    const char *fixed = request->mpi->kind->fixed_collective;
    return request->mpi->is_recorded_alone || (fixed && strcmp(point->collective, fixed) == 0);
}

/* True if the program has to force the algorithm: it is not the MPI's own, nor forced from the launch on. */
static bool is_forced_later(const struct record_request *request, const struct record_point *point)
{
    return point->choice.algorithm && !is_of_launch(request, point);
}

/* Fills the header of the data of a call. */
static struct schedule_header record_header(const struct record_point *point)
{
    enum collective_form form;
    const enum collective collective =
        collective_find_form(point->collective, strlen(point->collective), &form);
    const bool is_spread = collective == COLLECTIVE_neighbor_allgather;
    return (struct schedule_header){
        .collective = collective,
        .form = point->form,
        .n_ranks = point->n_ranks,
        .root = point->root,
        .segments = 1,
        .needs = point->neighbors ? neighborhood_needs(point->neighbors, is_spread) : NULL,
        .n_in = !point->neighbors ? 0
                : is_spread       ? 1
                                  : point->neighbors->most[SIDE_OUT],
        .n_out = point->neighbors ? point->neighbors->most[SIDE_IN] : 0,
        .counts = point->counts};
}

/* Returns the blocks of a buffer that a rank really has. */
static uint64_t n_blocks_of(const struct record_point *point, const struct schedule_header *header,
                            uint32_t rank, enum buffer buffer)
{
    if (point->neighbors && (buffer == BUFFER_OUT || header->collective == COLLECTIVE_neighbor_alltoall)) {
        const size_t *first = &point->neighbors->first[buffer == BUFFER_OUT ? SIDE_IN : SIDE_OUT][rank];
        return first[1] - first[0];
    }
    return schedule_has(header, rank, (uint8_t)buffer) ? schedule_chunks(header, buffer) : 0;
}

/* Returns the size of a block that nobody sends: that of the smallest one. */
static uint64_t record_least_bytes(const struct record_point *point, const struct schedule_header *header)
{
    uint32_t row;
    uint64_t least = point->bytes;
    for (uint64_t i = 0; point->counts && i < schedule_n_counts(header, &row); i++) {
        const uint64_t bytes = point->counts->bytes(point->counts, i);
        least = bytes && bytes < least ? bytes : least; /* 0: a place that a rank has no neighbour at */
    }
    return least;
}

/* Writes the sizes of the blocks of all ranks, in elements. */
static void put_blocks(const struct record_point *point, struct text *out)
{
    const struct schedule_header header = record_header(point);
    for (uint32_t rank = 0; rank < point->n_ranks; rank++)
        for (enum buffer buffer = BUFFER_IN; buffer <= BUFFER_OUT; buffer++) {
            const uint64_t n = n_blocks_of(point, &header, rank, buffer);
            text_printf(out, "%s %" PRIu32, buffer_name[buffer], rank);
            for (uint32_t block = 0; block < n; block++) {
                const uint64_t datum =
                    point->counts ? schedule_chunk_datum(&header, rank, buffer, block) : NO_DATUM;
                const uint64_t bytes = datum == NO_DATUM ? record_least_bytes(point, &header)
                                                         : point->counts->bytes(point->counts, datum);
                text_printf(out, " %" PRIu64, bytes / TRACE_ELEMENT);
            }
            text_printf(out, "\n");
        }
    needs_free(header.needs);
}

static void record_put_neighbors(const struct neighborhood *of, struct text *out)
{
    bool is_open = false;
    for (size_t i = 0; i < of->first[SIDE_OUT][of->n_ranks]; i++)
        is_open |= of->list[SIDE_OUT][i].rank == of->n_ranks;
    if (of->is_cartesian)
        text_printf(out, "grid %d %" PRIu32 " %" PRIu32 "\n", is_open, of->extent[0], of->extent[1]);
    for (uint32_t rank = 0; rank < of->n_ranks && !of->is_cartesian; rank++)
        for (enum neighbor_side side = SIDE_OUT; side < N_SIDES; side++) {
            text_printf(out, "%s %" PRIu32, side == SIDE_OUT ? "to" : "from", rank);
            for (size_t i = of->first[side][rank]; i < of->first[side][rank + 1]; i++)
                text_printf(out, " %" PRIu32, of->list[side][i].rank);
            text_printf(out, "\n");
        }
}

/* Writes the lines for the driver: an algorithm is named before the first of the calls with it that follow
 * each other. */
static const char *record_lines(const struct record_batch *batch)
{
    const struct record_request *request = batch->request;
    struct text text = {0};
    uint32_t index = 0;
    for (size_t i = batch->begin; i < batch->end; i++) {
        const struct record_point *point = &request->points[i];
        const struct table_choice *choice = &point->choice;
        const bool is_forced = is_forced_later(request, point);
        if (i == batch->begin || !is_same_choice(point, point - 1)) {
            index += is_forced;
            text_printf(&text, "candidate %s %" PRIu32 " %s %" PRId64 " %" PRIu64 " %" PRIu64 "\n",
                        point->collective, is_forced ? index : 0,
                        choice->algorithm ? choice->algorithm : "default",
                        is_forced ? point->number : 0, choice->parameters.segment_bytes,
                        choice->parameters.fan_out);
        }
        if (point->neighbors)
            record_put_neighbors(point->neighbors, &text);
        if (point->neighbors || point->counts)
            put_blocks(point, &text);
        text_printf(&text, "record %s %" PRIu32 " %" PRIu32 " %" PRIu64 " plain%s%s%s %" PRIu32 "\n",
                    point->collective, point->n_ranks, point->root, point->bytes,
                    request->is_ordered ? "+ordered" : "", request->is_in_place ? "+in-place" : "",
                    request->is_nonblocking ? "+non-blocking" : "", is_forced ? index : 0);
    }
    const char *path = mpi_write(request->mpi, "lines", &text);
    text_free(&text);
    return path;
}

static void record_pass_line(void *context, char *line)
{
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static bool record_launch(const struct record_batch *batch)
{
    const struct record_request *request = batch->request;
    struct recording *recording = batch->recording;
    struct arena *arena = batch->arena;
    struct mpi *mpi = request->mpi;
    struct text why = {0};
    struct mpi_command command = mpi_command(mpi, record_most_ranks(batch));
    mpi_add_rules(&command, NULL);
    if (batch->fixed && batch->fixed->choice.algorithm)
        mpi_add_variable(&command, mpi->kind->forced_variable(batch->fixed->collective, arena),
                         mpi->is_recorded_alone ? batch->fixed->choice.algorithm
                                                : arena_printf(arena, "%" PRId64, batch->fixed->number));
    if (mpi->kind->record_variable)
        mpi_add_variable(&command, mpi->kind->record_variable, "1");
    mpi_add_variable(&command, "COLLC_TRACE", mpi_path(mpi, "trace"));
    mpi_add(&command, mpi->driver);
    mpi_add(&command, record_lines(batch));
    mpi_add(&command, arena_printf(arena, "%.0f", request->seconds + 30));
    mpi_add(&command, "1");
    struct launch launch = {.words = command.words, .seconds = request->seconds, .line = record_pass_line};
    const enum launch_end end = launch_run(&launch);
    launch_explain(&launch, end, &why);
    if (end != LAUNCH_WELL)
        record_fail(recording, arena_printf(arena, "%s", why.data),
                    end == LAUNCH_TOO_LATE
                        ? "give it longer by --time; an algorithm may hang where it is not defined"
                        : "nothing is recorded of a program that does not end well");
    text_free(&why);
    text_free(&launch.said);
    return end == LAUNCH_WELL;
}

/* ---- what was recorded ---- */

static bool read_traces(const struct record_batch *batch, struct trace *traces)
{
    struct recording *recording = batch->recording;
    struct arena *arena = batch->arena;
    struct diagnostics diagnostics = {0};
    bool is_read = true;
    for (uint32_t rank = 0; rank < record_most_ranks(batch) && is_read; rank++) {
        const char *path = mpi_path(batch->request->mpi, arena_printf(arena, "trace.%" PRIu32, rank));
        const struct source *source = source_read(path, TRACE_FILE_LIMIT, arena, &diagnostics);
        is_read = source && trace_read(source, &traces[rank], arena);
        if (!is_read)
            record_fail(recording,
                        source ? traces[rank].problem
                               : arena_printf(arena,
                                              "rank %" PRIu32 " has recorded nothing that can be read here",
                                              rank),
                        "the folder for our programs, $TMPDIR or /tmp, has to be seen by all machines");
    }
    diagnostics_free(&diagnostics);
    return is_read;
}

void record_say_choice(const struct table_choice *choice, struct text *out)
{
    const struct table_parameters *parameters = &choice->parameters;
    if (!choice->algorithm)
        return;
    text_printf(out, "%s", choice->algorithm);
    if (parameters->fan_out)
        text_printf(out, " x%" PRIu64, parameters->fan_out);
    if (parameters->segment_bytes)
        text_printf(out, " segments of %" PRIu64 " bytes", parameters->segment_bytes);
}

/* Makes the schedule of a point. Each rank below its number of ranks has one call for it; `at` counts them.
 */
static void make_schedule(const struct record_request *request, size_t which, const struct trace *traces,
                          size_t *at, struct recorded *recorded, struct arena *arena)
{
    const struct record_point *point = &request->points[which];
    const struct trace_call **calls = mem_alloc(point->n_ranks, sizeof *calls);
    struct text title = {0};
    bool has_all = true;
    for (uint32_t rank = 0; rank < point->n_ranks; rank++) {
        has_all &= at[rank] < traces[rank].n;
        calls[rank] = has_all ? &traces[rank].calls[at[rank]++] : NULL;
    }
    text_printf(&title, "%s%s", request->mpi->version, point->choice.algorithm ? " " : "");
    record_say_choice(&point->choice, &title);
    const struct schedule_header header = record_header(point);
    const struct recorded_request of = {
        .form = point->form,
        .counts = point->counts,
        .needs = header.needs,
        .n_out = header.n_out,
        .calls = calls,
        .n_ranks = point->n_ranks,
        .title = title.data,
        .comment = arena_printf(
            arena, "# recorded: MPI_%s%c%s of %s%" PRIu64 " bytes%s%s\n", request->is_nonblocking ? "I" : "",
            point->collective[0] - (request->is_nonblocking ? 0 : 'a' - 'A'), point->collective + 1,
            point->counts ? "at most " : "", point->bytes, request->is_in_place ? ", in place" : "",
            request->is_ordered ? ", with an operation that does not commute" : ""),
        .is_ordered = request->is_ordered};
    if (has_all)
        recorded_make(&of, recorded, arena);
    else
        recorded->problem = "a rank has not recorded the call";
    needs_free(header.needs);
    text_free(&title);
    free(calls);
}

static bool record_batch(const struct record_batch *batch)
{
    const uint32_t n = record_most_ranks(batch);
    if (!record_launch(batch))
        return false;
    struct trace *traces = mem_alloc(n, sizeof *traces);
    size_t *at = mem_alloc(n, sizeof *at);
    const bool is_read = read_traces(batch, traces);
    for (size_t i = batch->begin; i < batch->end && is_read; i++)
        make_schedule(batch->request, i, traces, at, &batch->recording->schedules[i], batch->arena);
    free(traces);
    free(at);
    return is_read;
}

/* Extends the batch up to the first call that has to have another algorithm from the launch on. */
static void extend_batch(struct record_batch *batch)
{
    const struct record_request *request = batch->request;
    batch->fixed = NULL;
    for (; batch->end < request->n_points; batch->end++) {
        const struct record_point *point = &request->points[batch->end];
        if (!is_of_launch(request, point))
            continue;
        if (batch->fixed && !is_same_choice(batch->fixed, point))
            return;
        batch->fixed = point;
    }
}

bool record_calls(const struct record_request *request, struct recording *recording, struct arena *arena)
{
    struct record_batch batch = {.request = request, .recording = recording, .arena = arena};
    *recording = (struct recording){.schedules = mem_alloc(request->n_points, sizeof *recording->schedules)};
    if (!mpi_compile_driver(request->mpi))
        return record_fail(recording, request->mpi->problem, request->mpi->help);
    while (batch.end < request->n_points) {
        batch.begin = batch.end;
        extend_batch(&batch);
        if (!record_batch(&batch))
            return false;
    }
    return true;
}

void recording_free(struct recording *recording, size_t n_points)
{
    for (size_t i = 0; recording->schedules && i < n_points; i++)
        text_free(&recording->schedules[i].file);
    free(recording->schedules);
}
