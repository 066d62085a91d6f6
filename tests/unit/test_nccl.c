/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs of NCCL: random rings and trees are written as its versions and RCCL
 * write them, with the lines of all threads mixed, and read again. Each
 * schedule has to be complete, and its messages have to keep to the rings and
 * trees that were drawn, each with its share of the data.
 */
#include "tests/unit/suite.h"

#include "base/codes.h"
#include "schedules/schedules.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_RANKS = 40, MAX_CHANNELS = 6, MAX_LINES = 4096 };

enum dialect { OF_2_4, OF_2_5, OF_2_8, OF_2_20, OF_RCCL, N_DIALECTS };

struct drawn {
    uint32_t n, n_channels, slots;
    uint32_t ring[MAX_CHANNELS][MAX_RANKS];
    uint32_t up[MAX_CHANNELS][MAX_RANKS]; /* UINT32_MAX: the root */
};

static uint64_t seed = 7;

static uint32_t draw(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* Some channels repeat the one before. */
static void draw_channels(struct drawn *drawn)
{
    *drawn = (struct drawn){
        .n = 2 + draw(MAX_RANKS - 2), .n_channels = 1 + draw(MAX_CHANNELS), .slots = 1 + draw(4)};
    for (uint32_t c = 0; c < drawn->n_channels; c++) {
        uint32_t order[MAX_RANKS], n_children[MAX_RANKS] = {0};
        for (uint32_t i = 0; i < drawn->n; i++)
            order[i] = i;
        for (uint32_t i = drawn->n - 1; i > 0; i--) {
            const uint32_t k = draw(i + 1), kept = order[k];
            order[k] = order[i];
            order[i] = kept;
        }
        if (c && draw(3) == 0) {
            memcpy(drawn->ring[c], drawn->ring[c - 1], sizeof drawn->ring[c]);
            memcpy(drawn->up[c], drawn->up[c - 1], sizeof drawn->up[c]);
            continue;
        }
        uint32_t first = 0;
        while (order[first] != 0)
            first++;
        for (uint32_t i = 0; i < drawn->n; i++)
            drawn->ring[c][i] = order[(first + i) % drawn->n];
        drawn->up[c][order[0]] = UINT32_MAX;
        for (uint32_t i = 1; i < drawn->n; i++) {
            uint32_t above = order[draw(i)];
            while (n_children[above] == 3)
                above = order[draw(i)];
            n_children[above]++;
            drawn->up[c][order[i]] = above;
        }
    }
}

/* ---- writing ---- */

/* Lines of each rank in their order. */
struct lines_of {
    struct text lines[MAX_LINES];
    uint32_t thread[MAX_LINES], n;
};

static struct text *new_line(struct lines_of *lines, const struct drawn *drawn, uint32_t rank)
{
    struct text *line = &lines->lines[lines->n];
    lines->thread[lines->n++] = rank;
    *line = (struct text){0};
    text_printf(line, "%snode%u:%u:%u [%u] NCCL INFO ", rank % 2 ? "[1,3]<stdout>:" : "", rank / drawn->slots,
                100 + rank, 200 + rank, rank % drawn->slots);
    return line;
}

/* As NCCL cuts it: RCCL and old versions after some ranks without a word, new
 * ones by dots. */
static void write_ring(const struct drawn *drawn, uint32_t c, enum dialect dialect, struct text *line)
{
    char ring[MAX_RANKS * 12];
    size_t n = 0;
    text_printf(line, dialect == OF_2_4 ? "Channel %02u :" : "Channel %02u/%02u :", c, drawn->n_channels);
    for (uint32_t i = 0; i < drawn->n && (dialect >= OF_2_20 || i < 24); i++)
        n += (size_t)sprintf(ring + n, " %3u", drawn->ring[c][i]);
    if (n > 111)
        strcpy(ring + 108, "...");
    text_append(line, ring, n > 111 ? 111 : n);
}

static void write_children(const struct drawn *drawn, uint32_t c, uint32_t rank, struct text *line)
{
    uint32_t n = 0;
    for (uint32_t other = 0; other < drawn->n; other++)
        if (drawn->up[c][other] == rank)
            text_printf(line, n++ ? "/%u" : "%u", other);
    for (; n < 3; n++)
        text_printf(line, n ? "/-1" : "-1");
}

static void write_trees(const struct drawn *drawn, uint32_t rank, enum dialect dialect, struct text *line)
{
    text_printf(line, "Trees");
    for (uint32_t c = 0; c < drawn->n_channels; c++) {
        const int up = (int)drawn->up[c][rank];
        text_printf(line, " [%u] ", c);
        if (dialect == OF_2_4)
            text_printf(line, "%d->%u->", up, rank);
        write_children(drawn, c, rank, line);
        if (dialect != OF_2_4)
            text_printf(line, "->%u->%d", rank, up);
        if (dialect == OF_2_5) {
            text_printf(line, "|%d->%u->", up, rank);
            write_children(drawn, c, rank, line);
        }
    }
    if (dialect == OF_RCCL)
        text_printf(line, " comm 0x%x nRanks %02u busId 1000", 0xa00 + rank, drawn->n);
}

static void write_link(const struct drawn *drawn, uint32_t c, uint32_t from, uint32_t to, bool is_receive,
                       enum dialect dialect, struct text *line)
{
    const bool is_far = from / drawn->slots != to / drawn->slots;
    text_printf(line, "%s %02u%s", dialect <= OF_2_5 ? "Ring" : "Channel", c, dialect >= OF_2_20 ? "/0" : "");
    text_printf(line, dialect == OF_2_4 ? " : %u -> %u" : " : %u[1a000] -> %u[1b000]", from, to);
    if (is_far)
        text_printf(line, " [%s] via NET/AWS Libfabric/%u/GDRDMA", is_receive ? "receive" : "send", c % 2);
    else
        text_printf(line, " via P2P/IPC");
    if (dialect == OF_RCCL)
        text_printf(line, " comm 0x%x nRanks %02u", 0xa00 + from, drawn->n);
}

static void write_rank(const struct drawn *drawn, uint32_t rank, enum dialect dialect, struct lines_of *lines)
{
    if (dialect >= OF_2_20) {
        text_printf(new_line(lines, drawn, rank),
                    "ncclCommInitRank comm 0x%x rank %u nranks %u cudaDev 0 "
                    "nvmlDev 0 busId 1000 commId 0x77 - Init START",
                    0xa00 + rank, rank, drawn->n);
        text_printf(new_line(lines, drawn, rank),
                    "comm 0x%x rank %u nRanks %u nNodes 1 localRanks 1 localRank 0 MNNVL 0", 0xa00 + rank,
                    rank, drawn->n);
    }
    for (uint32_t c = 0; rank == 0 && c < drawn->n_channels; c++)
        write_ring(drawn, c, dialect, new_line(lines, drawn, rank));
    write_trees(drawn, rank, dialect, new_line(lines, drawn, rank));
    for (uint32_t c = 0; c < drawn->n_channels; c++) {
        uint32_t at = 0;
        while (drawn->ring[c][at] != rank)
            at++;
        const uint32_t before = drawn->ring[c][(at + drawn->n - 1) % drawn->n];
        if (before / drawn->slots != rank / drawn->slots)
            write_link(drawn, c, before, rank, true, dialect, new_line(lines, drawn, rank));
        write_link(drawn, c, rank, drawn->ring[c][(at + 1) % drawn->n], false, dialect,
                   new_line(lines, drawn, rank));
    }
    if (dialect >= OF_2_8)
        text_printf(new_line(lines, drawn, rank), "Connected all rings");
    for (uint32_t c = 0; c < drawn->n_channels; c++)
        if (drawn->up[c][rank] != UINT32_MAX)
            write_link(drawn, c, rank, drawn->up[c][rank], false, dialect, new_line(lines, drawn, rank));
    if (dialect >= OF_2_8)
        text_printf(new_line(lines, drawn, rank), "Connected all trees");
    text_printf(new_line(lines, drawn, rank),
                "%scomm 0x%x rank %u nranks %u cudaDev 0 busId 1000%s - Init COMPLETE",
                dialect >= OF_2_20 ? "ncclCommInitRank " : "", 0xa00 + rank, rank, drawn->n,
                dialect >= OF_2_20 ? " commId 0x77" : "");
}

/* Mixes the lines of threads, each of which keeps its order. */
static void mix(const struct lines_of *lines, struct text *out)
{
    bool is_written[MAX_LINES] = {false};
    for (uint32_t n = 0; n < lines->n; n++) {
        uint32_t at = draw(lines->n);
        while (is_written[at])
            at = (at + 1) % lines->n;
        for (uint32_t i = 0; i < at; i++)
            if (!is_written[i] && lines->thread[i] == lines->thread[at])
                at = i;
        is_written[at] = true;
        text_append(out, lines->lines[at].data, lines->lines[at].length);
        text_printf(out, "\n");
    }
}

/* Also a smaller communicator of two of the processes, before or after. */
static void write_log(const struct drawn *drawn, enum dialect dialect, struct text *out)
{
    static struct lines_of lines;
    lines.n = 0;
    for (uint32_t rank = 0; rank < drawn->n; rank++) {
        for (uint32_t end = 0; rank < 2 && end < 1 && drawn->n > 2; end++) {
            if (rank == 0)
                text_printf(new_line(&lines, drawn, rank), "Channel 00/01 :    0   1");
            text_printf(new_line(&lines, drawn, rank), "Trees [0] %s",
                        rank ? "-1/-1/-1->1->0" : "1/-1/-1->0->-1");
            text_printf(new_line(&lines, drawn, rank),
                        "comm 0x%x rank %u nranks 2 cudaDev 0 busId 1000 - Init COMPLETE", 0xb00 + rank,
                        rank);
        }
        write_rank(drawn, rank, dialect, &lines);
    }
    mix(&lines, out);
    for (uint32_t i = 0; i < lines.n; i++)
        text_free(&lines.lines[i]);
}

/* ---- checking ---- */

/* Chunks that go from one rank to another. */
typedef uint64_t sums[MAX_RANKS][MAX_RANKS];

static void sum_schedule(struct schedule *schedule, sums sum)
{
    struct step step;
    memset(sum, 0, sizeof(sums));
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++)
            sum[step.sends[i].rank][step.sends[i].peer] += step.sends[i].n_chunks;
    schedule->rewind(schedule);
}

/* Sums what the drawn channels send, as multiples of the share of a channel that is
 * one chunk of a block. */
static void sum_drawn(const struct drawn *drawn, const char *part, sums sum)
{
    const uint32_t n = drawn->n;
    memset(sum, 0, sizeof(sums));
    for (uint32_t c = 0; c < drawn->n_channels; c++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = drawn->ring[c][i], to = drawn->ring[c][(i + 1) % n];
            const uint32_t n_steps = strcmp(part, "allreduce") == 0 ? 2 * (n - 1) : n - 1;
            if (strcmp(part, "allreduce/tree") == 0) {
                if (drawn->up[c][i] != UINT32_MAX) {
                    sum[i][drawn->up[c][i]]++;
                    sum[drawn->up[c][i]][i]++;
                }
            } else if (strcmp(part, "bcast,root=1") == 0) {
                sum[from][to] += to != 1;
            } else if (strcmp(part, "reduce,root=1,segments=3") == 0) {
                sum[from][to] += from != 1 ? 3 : 0;
            } else {
                sum[from][to] += n_steps;
            }
        }
    }
}

static void check_part(const struct drawn *drawn, const struct source *source, const char *part)
{
    static sums read, expected;
    struct diagnostics diagnostics = {0}, findings = {0};
    struct verify_report report;
    struct schedule *schedule = schedules_read(source, part, &diagnostics);
    if (!schedule)
        fprintf(stderr, "%s: %u: %s\n%s", part, diagnostics.last->position.line, diagnostics.last->message,
                source->text);
    CU_ASSERT_FATAL(schedule && !diagnostics_has_errors(&diagnostics));
    CU_ASSERT_EQUAL_FATAL(schedule->header.n_ranks, drawn->n);
    CU_ASSERT_FATAL(schedule->header.hosts != NULL);
    for (uint32_t rank = 0; rank < drawn->n; rank++) {
        char host[16];
        sprintf(host, "node%u", rank / drawn->slots);
        CU_ASSERT_STRING_EQUAL(schedule->header.hosts[rank].name, host);
    }
    const struct verify_request request = {0};
    CU_ASSERT(verify_schedule(schedule, &request, &report, &findings));
    CU_ASSERT(report.is_complete && !diagnostics_has_errors(&findings));
    sum_schedule(schedule, read);
    sum_drawn(drawn, part, expected);
    uint64_t read_all = 0, all = 0;
    for (uint32_t a = 0; a < drawn->n; a++)
        for (uint32_t b = 0; b < drawn->n; b++) {
            read_all += read[a][b];
            all += expected[a][b];
        }
    bool is_same = all % read_all == 0; /* equal channels share a chunk */
    for (uint32_t a = 0; a < drawn->n; a++)
        for (uint32_t b = 0; b < drawn->n; b++)
            is_same = is_same && read[a][b] * (all / read_all) == expected[a][b];
    if (!is_same)
        fprintf(stderr, "%s: other messages\n%s", part, source->text);
    CU_ASSERT(is_same);
    verify_report_free(&report);
    schedule->destroy(schedule);
    diagnostics_free(&findings);
    diagnostics_free(&diagnostics);
}

static void logs(void)
{
    static const char *const parts[] = {"allreduce",      "allgather",    "reduce_scatter",
                                        "allreduce/tree", "bcast,root=1", "reduce,root=1,segments=3"};
    for (unsigned i = 0; i < by_form(20, 100, 1000); i++) {
        struct drawn drawn;
        draw_channels(&drawn);
        for (unsigned dialect = 0; dialect < N_DIALECTS; dialect++) {
            struct text text = {0};
            struct arena arena = {0};
            write_log(&drawn, (enum dialect)dialect, &text);
            const struct source *source = source_of_text("log", text.data, text.length, &arena);
            CU_ASSERT_FATAL(schedules_is_file(source));
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
                check_part(&drawn, source, parts[k]);
            arena_free(&arena);
            text_free(&text);
        }
    }
}

/* ---- adapters ---- */

static void adapters(void)
{
    static const char text[] = "a:1:1 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; "
                               "OOB eth0:10.0.0.1<0>\n"
                               "a:1:2 [0] NCCL INFO Channel 00/02 :    0   1\n"
                               "a:1:2 [0] NCCL INFO Channel 01/02 :    0   1\n"
                               "b:1:2 [0] NCCL INFO Channel 00/0 : 0[1] -> 1[1] [receive] via "
                               "NET/IB/1/GDRDMA\n"
                               "b:1:2 [0] NCCL INFO Channel 01/0 : 1[1] -> 0[1] [send] via "
                               "NET/IB/1(0)/GDRDMA\n"
                               "a:1:2 [0] NCCL INFO Channel 00/0 : 0[1] -> 1[1] [send] via "
                               "NET/IB/0/GDRDMA\n"
                               "a:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1 - Init "
                               "COMPLETE\n"
                               "b:1:2 [0] NCCL INFO comm 0x2 rank 1 nranks 2 cudaDev 0 busId 1 - Init "
                               "COMPLETE\n";
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct schedule *schedule =
        schedules_read(source_of_text("log", text, sizeof text - 1, &arena), "allgather", &diagnostics);
    struct step step;
    CU_ASSERT_FATAL(schedule != NULL);
    CU_ASSERT_EQUAL(schedule->header.n_vias, 3);
    CU_ASSERT(schedule->next(schedule, &step) && step.n_sends == 4);
    for (size_t i = 0; i < 4; i++) {
        const struct schedule_via *via = &schedule->header.vias[step.sends[i].network];
        if (i == 0)
            CU_ASSERT(strcmp(via->out, "mlx5_0") == 0 && !via->in && via->in_number == 1);
        if (i == 3)
            CU_ASSERT(!via->out && via->out_number == 1 && via->in_number == 1);
    }
    CU_ASSERT(step.sends[1].network == 0 && step.sends[2].network == 0);
    schedule->destroy(schedule);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

/* ---- graph files of several hosts ---- */

/* A graph of two GPUs, and what ranks of two such hosts print of their trees: connectTrees of NCCL. */
static void graphs(void)
{
    static const char graph[] =
        "<graphs version=\"1\"><graph id=\"1\" pattern=\"1\" crossnic=\"0\" nchannels=\"2\">"
        "<channel><gpu dev=\"1\"/><gpu dev=\"0\"/></channel>"
        "<channel><gpu dev=\"0\"/><gpu dev=\"1\"/></channel></graph></graphs>";
    static const char log[] = "a:1:1 [0] NCCL INFO Trees [0] -1/-1/-1->0->1 [1] 1/2/-1->0->-1 [2] "
                              "-1/-1/-1->0->1 [3] 1/-1/-1->0->2\n"
                              "a:2:1 [1] NCCL INFO Trees [0] 0/3/-1->1->-1 [1] -1/-1/-1->1->0 [2] "
                              "0/-1/-1->1->3 [3] -1/-1/-1->1->0\n"
                              "b:1:1 [0] NCCL INFO Trees [0] -1/-1/-1->2->3 [1] 3/-1/-1->2->0 [2] "
                              "-1/-1/-1->2->3 [3] 3/0/-1->2->-1\n"
                              "b:2:1 [1] NCCL INFO Trees [0] 2/-1/-1->3->1 [1] -1/-1/-1->3->2 [2] "
                              "2/1/-1->3->-1 [3] -1/-1/-1->3->2\n"
                              "a:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 - Init COMPLETE\n"
                              "a:2:1 [1] NCCL INFO comm 0x1 rank 1 nranks 4 cudaDev 1 - Init COMPLETE\n"
                              "b:1:1 [0] NCCL INFO comm 0x1 rank 2 nranks 4 cudaDev 0 - Init COMPLETE\n"
                              "b:2:1 [1] NCCL INFO comm 0x1 rank 3 nranks 4 cudaDev 1 - Init COMPLETE\n";
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct schedule *of_graph = schedules_read(source_of_text("graph", graph, sizeof graph - 1, &arena),
                                               "allreduce/tree,hosts=2", &diagnostics);
    struct schedule *of_log =
        schedules_read(source_of_text("log", log, sizeof log - 1, &arena), "allreduce/tree", &diagnostics);
    struct step a, b;
    CU_ASSERT_FATAL(of_graph && of_log);
    while (of_graph->next(of_graph, &a)) {
        CU_ASSERT_FATAL(of_log->next(of_log, &b));
        CU_ASSERT_FATAL(a.n_sends == b.n_sends);
        for (size_t i = 0; i < a.n_sends; i++)
            CU_ASSERT(a.sends[i].rank == b.sends[i].rank && a.sends[i].peer == b.sends[i].peer &&
                      a.sends[i].chunk == b.sends[i].chunk);
    }
    CU_ASSERT(!of_log->next(of_log, &b));
    of_graph->destroy(of_graph);
    of_log->destroy(of_log);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

/* ---- what is refused ---- */

#define END_OF(rank, n)                                                                                      \
    "a" #rank ":1:1 [0] NCCL INFO comm 0x1 rank " #rank " nranks " #n " cudaDev 0 - Init COMPLETE\n"
#define TREES "a0:1:1 [0] NCCL INFO Channel 00/01 : 0 1\n"

static const struct refusal {
    const char *text, *part;
    uint32_t line;
    const char *message;
} refusals[] = {
    {"a0:1:1 [0] NCCL INFO Bootstrap : Using eth0\n", NULL, 0,
     "the log tells no channels: no line says which ranks a ring or a tree "
     "has"},
    {END_OF(0, 2) END_OF(1, 2), NULL, 0, "the log tells no ring of these channels"},
    {"a0:1:1 [0] NCCL INFO Channel 00/01 : 0 2 1 2\n" END_OF(0, 4), NULL, 1,
     "channel 0: rank 2 is in its ring twice"},
    {"a0:1:1 [0] NCCL INFO Channel 00/01 : 0 4 1 2\n" END_OF(0, 4), NULL, 1,
     "channel 0: there is no rank 4 of 4"},
    {"a0:1:1 [0] NCCL INFO Channel 00/01 : 0 1 2 3\n" END_OF(0, 2), NULL, 1,
     "channel 0: 4 ranks, but the communicator has 2"},
    {"a0:1:1 [0] NCCL INFO Channel 00/01 : 0 1 ...\n" END_OF(0, 4), NULL, 1,
     "channel 0: the log tells 2 of the 4 ranks of its ring; where rank 1 "
     "sends is missing"},
    {TREES END_OF(0, 2) "b:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev "
                        "0 - Init COMPLETE\n",
     NULL, 3,
     "rank 0 of 2 ranks is there twice, here and in line 1: the log has "
     "several runs, or several communicators of this "
     "size"},
    {TREES END_OF(0, 2), "allreduce/tree", 0, "the log tells no tree of these channels"},
    {TREES "a0:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1\n" END_OF(0, 2), "allreduce/tree", 0,
     "tree 0: no line tells where rank 1 is in it"},
    {"a0:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->0->1\n" END_OF(
         0, 2) "a1:1:1 [0] NCCL INFO Trees [0] 0/-1/-1->1->0\n" END_OF(1, 2),
     "allreduce/tree", 0, "tree 0: its ranks do not form one tree"},
    {"a0:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1\n" END_OF(
         0, 2) "a1:1:1 [0] NCCL INFO Trees [0] -1/-1/-1->1->-1\n" END_OF(1, 2),
     "allreduce/tree", 1, "tree 0: rank 0 has 1 as a child, which does not send to it"},
    {TREES END_OF(0, 2), "alltoall", 0, "':alltoall' takes no part of a file of NCCL"},
    {TREES END_OF(0, 2), "bcast/tree", 0, "':bcast/tree' takes no part of a file of NCCL"},
    {TREES END_OF(0, 2), "bcast,root=2", 0, "root 2 is not among 2 ranks"},
    {TREES END_OF(0, 2), "channels=3-1", 0, "':channels=3-1' takes no part of a file of NCCL"},
    {TREES END_OF(0, 2), "comm=1", 0, "there is no communicator 1: the log has 1, from 0 on"},
    {"a0:1:1 [0] NCCL INFO Channel 00/01 : 0\n" END_OF(0, 1), NULL, 0,
     "the communicator has one rank: it sends nothing"},
    {"src,dst,bytes\n0,1,4\n", "allreduce", 0, "':allreduce' takes no part of this file"},
    {"<graphs version=\"1\"></graphs>\n", NULL, 0, "the file has no graph of rings (id 0)"},
    {"<graphs version=\"1\">\n<graph id=\"0\">\n<channel><gpu dev=\"0\"/><gpu "
     "dev=\"0\"/></channel></graph></graphs>\n",
     NULL, 3, "'channel': a GPU is in it twice"},
    {"<graphs version=\"1\">\n<graph id=\"0\">\n<channel><gpu "
     "dev=\"x\"/></channel></graph></graphs>\n",
     NULL, 3, "'x': no number of a device"},
    {"<graphs version=\"1\">\n<graph id=\"0\">\n<channel><gpu "
     "dev=\"0\"/></channel>\n<channel><gpu dev=\"1\"/></channel>"
     "</graph></graphs>\n",
     NULL, 4, "'channel': has other GPUs than the first channel"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct diagnostics diagnostics = {0};
        struct arena arena = {0};
        const struct source *source =
            source_of_text("refused", refusals[i].text, strlen(refusals[i].text), &arena);
        CU_ASSERT_FATAL(schedules_is_file(source));
        CU_ASSERT(!schedules_read(source, refusals[i].part, &diagnostics));
        const struct diagnostic *last = diagnostics.last;
        CU_ASSERT_FATAL(last != NULL);
        const bool is_right = last->code == CODE_S009 && last->position.line == refusals[i].line &&
                              strcmp(last->message, refusals[i].message) == 0;
        if (!is_right)
            fprintf(stderr, "%zu: %u: %s\n", i, last->position.line, last->message);
        CU_ASSERT(is_right);
        diagnostics_free(&diagnostics);
        arena_free(&arena);
    }
}

UNIT_PROGRAM(test_nccl)
{
    CU_TestInfo tests[] = {{"logs of all versions", logs},
                           {"adapters of connections", adapters},
                           {"graphs of several hosts", graphs},
                           {"what is refused", refused},
                           CU_TEST_INFO_NULL};
    return run_suite("nccl", tests);
}
