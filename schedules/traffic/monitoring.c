/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles of the component pml/monitoring of Open MPI (mpirun --mca pml_monitoring_enable 2 --mca
 * pml_monitoring_enable_output 3 --mca pml_monitoring_filename prof/run). Each process writes a file; put one
 * behind the other they are the traffic of the run.
 *
 *   # POINT TO POINT
 *   E  0  1  3000 bytes  3 msgs sent  0,0,0 ...     from rank 0 to rank 1; a histogram of sizes may follow
 *   I  0  2  8 bytes     1 msgs sent                the same, of collectives and the like (negative tags)
 *   # OSC
 *   S  0  1  64 bytes    1 msgs sent                put by rank 0
 *   R  0  1  64 bytes    1 msgs sent                got by rank 0: data of rank 1
 *   # COLLECTIVES
 *   C  0  1  8 bytes     1 msgs sent                 what collectives would send directly; lines I are what
 * they did D  MPI_COMM_WORLD  procs: 0,1,2,3 O2A ..., A2O ..., A2A ...                        of the
 * communicator in the line D
 */
#include "schedules/traffic/internal.h"

bool monitoring_is_form(const struct source *source)
{
    struct lines lines;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines))
        if (!lines_at_end(&lines))
            return lines_starts(&lines, "# POINT TO POINT");
    return false;
}

/* Reads a line of a pair. */
static void monitoring_read_pair(struct traffic *traffic, bool is_got)
{
    struct lines *lines = &traffic->lines;
    uint32_t rank, peer;
    uint64_t bytes;
    if (!traffic_take_rank(traffic, lines_take_word(lines), &rank) ||
        !traffic_take_rank(traffic, lines_take_word(lines), &peer) ||
        !traffic_take_size(traffic, lines_take_word(lines), 1, &bytes))
        return;
    const struct slice unit = lines_take_word(lines);
    if (slice_is(unit, "bytes"))
        traffic_add(traffic, is_got ? peer : rank, is_got ? rank : peer, bytes);
    else
        traffic_refuse(traffic, unit.length ? unit : (struct slice){lines->end, 1}, "expected 'bytes'")
            ->help = "a line is as in 'E 0 1 3000 bytes 3 msgs sent'; the file may have been cut short";
}

/* Reads the ranks of a communicator: all of the run are in that of MPI_COMM_WORLD. */
static void monitoring_read_ranks(struct traffic *traffic)
{
    struct slice field;
    uint32_t rank;
    if (!lines_take_after(&traffic->lines, "procs:"))
        return;
    traffic->separator = ',';
    while (!traffic->failed && traffic_take_field(traffic, &field))
        traffic_take_rank(traffic, field, &rank);
}

static void monitoring_read_line(struct traffic *traffic)
{
    const struct slice word = lines_take_word(&traffic->lines);
    static const char *const others[] = {"C", "O2A", "A2O", "A2A"};
    if (slice_is(word, "E") || slice_is(word, "I") || slice_is(word, "S") || slice_is(word, "R")) {
        monitoring_read_pair(traffic, slice_is(word, "R"));
        return;
    }
    if (slice_is(word, "D")) {
        monitoring_read_ranks(traffic);
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (slice_is(word, others[i]))
            return;
    traffic_refuse(traffic, word, "'%.*s': no line of Open MPI's monitoring",
                   (int)(word.length < 80 ? word.length : 80), word.text)
        ->help = "lines begin with E, I, S, R, C, D, O2A, A2O or A2A; docs/traffic.md";
}

void monitoring_read(struct traffic *traffic)
{
    while (!traffic->failed && traffic_next_line(traffic))
        monitoring_read_line(traffic);
}
