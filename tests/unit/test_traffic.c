/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Traffic that is read as a pattern. The loads of links are compared with sums over a table, made without
 * routes: on a star a host's link carries its row or its column, on a tree a leaf's links what leaves it.
 * Each form of file must say the same, and what is written is what was read.
 */
#include "tests/unit/suite.h"

#include "base/codes.h"
#include "base/embedded.h"
#include "emitters/emit.h"
#include "network/formats/formats.h"
#include "schedules/schedules.h"
#include "schedules/traffic/traffic.h"
#include "study/demand.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_RANKS = 24 };

/* A table of bytes by sender and receiver. */
struct table {
    uint32_t n;
    uint64_t bytes[MAX_RANKS][MAX_RANKS];
};

static uint64_t seed = 1;

static uint32_t draw(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static struct table random_table(uint32_t n, uint32_t density)
{
    struct table table = {.n = n};
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            table.bytes[from][to] = draw(100) < density ? 1 + draw(100000) : 0;
    table.bytes[n - 1][0] = 7; /* so that a list has all ranks */
    return table;
}

/* ---- forms ---- */

static void write_matrix(const struct table *table, struct text *out)
{
    for (uint32_t from = 0; from < table->n; from++)
        for (uint32_t to = 0; to < table->n; to++)
            text_printf(out, "%" PRIu64 "%c", table->bytes[from][to], to + 1 < table->n ? ' ' : '\n');
}

static void write_labelled(const struct table *table, struct text *out)
{
    for (uint32_t to = 0; to < table->n; to++)
        text_printf(out, ",%u", table->n - 1 - to);
    text_printf(out, "\r\n");
    for (uint32_t from = 0; from < table->n; from++) {
        text_printf(out, "%u", from);
        for (uint32_t to = 0; to < table->n; to++)
            text_printf(out, ",%.18e", (double)table->bytes[from][table->n - 1 - to]);
        text_printf(out, "\r\n");
    }
}

/* With a word above the names of the rows. */
static void write_cornered(const struct table *table, struct text *out)
{
    text_printf(out, "\"from\\to\"");
    write_labelled(table, out);
}

static void write_list(const struct table *table, struct text *out)
{
    text_printf(out, "receiver;time;sender;what;size (KB)\n");
    for (uint32_t to = table->n; to-- > 0;)
        for (uint32_t from = 0; from < table->n; from++)
            if (table->bytes[from][to])
                text_printf(out, "%u;0.5;%u;\"a;b\";%" PRIu64 ".%03" PRIu64 "\n", to, from,
                            table->bytes[from][to] / 1000, table->bytes[from][to] % 1000);
}

/* Without names of columns, each message in two parts. */
static void write_parts(const struct table *table, struct text *out)
{
    for (int part = 0; part < 2; part++)
        for (uint32_t from = table->n; from-- > 0;)
            for (uint32_t to = 0; to < table->n; to++)
                if (table->bytes[from][to])
                    text_printf(out, "# part\n %u\t%u\t%" PRIu64 "\n", from, to,
                                part ? table->bytes[from][to] / 2 : (table->bytes[from][to] + 1) / 2);
}

static void write_coordinates(const struct table *table, struct text *out)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < table->n * table->n; i++)
        n += table->bytes[i / table->n][i % table->n] != 0;
    text_printf(out, "%%%%MatrixMarket matrix coordinate real general\n%% a comment\n%u %u %u\n", table->n,
                table->n, n);
    for (uint32_t to = 0; to < table->n; to++)
        for (uint32_t from = 0; from < table->n; from++)
            if (table->bytes[from][to])
                text_printf(out, "%u %u %" PRIu64 "\n", from + 1, to + 1, table->bytes[from][to]);
}

static void write_monitoring(const struct table *table, struct text *out)
{
    for (uint32_t rank = 0; rank < table->n; rank++) {
        text_printf(out, "# POINT TO POINT\n");
        for (uint32_t to = 0; to < table->n; to += 2)
            if (table->bytes[rank][to])
                text_printf(out, "%c\t%u\t%u\t%" PRIu64 " bytes\t3 msgs sent\t0,1,2\n", to % 4 ? 'E' : 'I',
                            rank, to, table->bytes[rank][to]);
        text_printf(out, "# OSC\n");
        for (uint32_t from = 0; from < table->n; from++)
            if (rank % 2 && table->bytes[from][rank])
                text_printf(out, "R\t%u\t%u\t%" PRIu64 " bytes\t1 msgs sent\n", rank, from,
                            table->bytes[from][rank]);
        text_printf(out,
                    "# COLLECTIVES\nC\t%u\t%u\t999 bytes\t1 msgs sent\nD\tMPI_COMM_WORLD\tprocs: 0,1\n"
                    "O2A\t%u\t0 bytes\t0 msgs sent\n",
                    rank, 0, rank);
    }
}

static void write_nccl(const struct table *table, struct text *out)
{
    for (uint32_t rank = 0; rank < table->n; rank++)
        text_printf(out, "gpu:%u:1 [0] NCCL INFO comm 0x%x rank %u nranks %u cudaDev 0 - Init COMPLETE\n",
                    rank % 3, rank, rank, table->n);
    for (uint32_t from = 0; from < table->n; from++)
        for (uint32_t to = 0; to < table->n; to++) {
            const uint64_t bytes = table->bytes[from][to];
            const bool is_even = bytes % 8 == 0;
            if (bytes)
                text_printf(
                    out,
                    "gpu:%u:1 [0] NCCL INFO Send: opCount 7 sendbuff (nil) recvbuff 0x1 count %" PRIu64
                    " datatype %d op 0 root %u comm 0x%x [nranks=%u] stream 0x3\n",
                    from % 3, is_even ? bytes / 8 : bytes, is_even ? 8 : 0, to, from, table->n);
        }
}

static void write_ipm(const struct table *table, struct text *out)
{
    text_printf(out, "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<ipm_job_profile>\n");
    for (uint32_t from = 0; from < table->n; from++) {
        text_printf(out, "<task mpi_rank=\"%u\" mpi_size=\"%u\" flags=\"1\">\n<hash nlog=\"9\">\n", from,
                    table->n);
        for (uint32_t to = 0; to < table->n; to++) {
            const uint64_t bytes = table->bytes[from][to], count = bytes % 10 == 0 ? 10 : 1;
            if (bytes)
                text_printf(
                    out,
                    "<hent key=\"1\" call=\"%s\" bytes=\"%" PRIu64 "\" orank=\"%u\" count=\"%" PRIu64
                    "\" >1 2 3</hent>\n<hent call=\"MPI_Recv\" bytes=\"9\" orank=\"%u\" count=\"1\"/>\n",
                    to % 2 ? "MPI_Isend" : "MPI_Send", bytes / count, to, count, to);
        }
        text_printf(out, "</hash>\n</task>\n");
    }
    text_printf(out, "</ipm_job_profile>\n");
}

/* ---- reading and writing ---- */

static struct schedule *read_text(const struct text *text, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text("traffic", text->data, text->length, arena);
    CU_ASSERT_FATAL(schedules_is_file(source));
    struct schedule *schedule = schedules_read(source, NULL, &diagnostics);
    if (diagnostics.first)
        fprintf(stderr, "%u: %s\n%s", diagnostics.first->position.line, diagnostics.first->message,
                text->data);
    CU_ASSERT_FATAL(schedule && !diagnostics_has_errors(&diagnostics));
    diagnostics_free(&diagnostics);
    return schedule;
}

/* True if the text of `emit --to traffic` has exactly the entries of the table. */
static bool is_of_table(const struct table *table, const struct text *written)
{
    struct text expected = {0};
    text_printf(&expected, "src,dst,bytes\n");
    for (uint32_t from = 0; from < table->n; from++)
        for (uint32_t to = 0; to < table->n; to++)
            if (table->bytes[from][to])
                text_printf(&expected, "%u,%u,%" PRIu64 "\n", from, to, table->bytes[from][to]);
    const bool is_same =
        expected.length == written->length && memcmp(expected.data, written->data, expected.length) == 0;
    text_free(&expected);
    return is_same;
}

static void check_form(const struct table *table, void (*write)(const struct table *, struct text *))
{
    struct text text = {0}, written = {0}, again = {0};
    struct arena arena = {0};
    write(table, &text);
    struct schedule *schedule = read_text(&text, &arena);
    const struct emit_request request = {.schedule = schedule};
    CU_ASSERT(!emit_traffic(&request, &written));
    CU_ASSERT(is_of_table(table, &written));
    struct schedule *other = read_text(&written, &arena);
    const struct emit_request of_other = {.schedule = other};
    CU_ASSERT(!emit_traffic(&of_other, &again) && is_of_table(table, &again));
    other->destroy(other);
    schedule->destroy(schedule);
    text_free(&text);
    text_free(&written);
    text_free(&again);
    arena_free(&arena);
}

static void forms(void)
{
    static void (*const writes[])(const struct table *, struct text *) = {
        write_matrix,      write_labelled,   write_cornered, write_list, write_parts,
        write_coordinates, write_monitoring, write_nccl, write_ipm};
    for (unsigned i = 0; i < by_form(20, 200, 2000); i++) {
        const struct table table = random_table(4 + draw(MAX_RANKS - 4), 1 + draw(100));
        for (size_t k = 0; k < sizeof writes / sizeof *writes; k++)
            check_form(&table, writes[k]);
    }
}

/* ---- loads ---- */

/* A network, and the leaf that each host is at; a star has one. */
struct tree {
    const char *spec;
    uint32_t n, per_leaf;
};

/* Sums bytes, or messages, of the pairs that cross a link, by the names of its ends: "m3" is a host, and
 * switches of the lower level have the lower numbers. */
static uint64_t naive_load(const struct table *table, const struct tree *tree,
                           const struct topology *topology, uint32_t link, bool is_bytes)
{
    uint32_t from, to;
    uint64_t sum = 0;
    topology_link_ends(topology, link, &from, &to);
    for (uint32_t a = 0; a < table->n; a++)
        for (uint32_t b = 0; b < table->n; b++) {
            const bool is_out = from < tree->n && from == a, is_in = to < tree->n && to == b;
            if (a != b && (is_out || is_in) && table->bytes[a][b])
                sum += is_bytes ? table->bytes[a][b] : 1;
        }
    return sum;
}

/* Sums what leaves a leaf, and what comes to it. */
static uint64_t naive_leaf(const struct table *table, const struct tree *tree, uint32_t leaf, bool leaves)
{
    uint64_t sum = 0;
    for (uint32_t a = 0; a < table->n; a++)
        for (uint32_t b = 0; b < table->n; b++)
            if (a / tree->per_leaf != b / tree->per_leaf && (leaves ? a : b) / tree->per_leaf == leaf)
                sum += table->bytes[a][b];
    return sum;
}

static void check_links(const struct table *table, const struct tree *tree, const struct topology *topology,
                        const struct verify_report *report)
{
    uint64_t up[MAX_RANKS] = {0}, down[MAX_RANKS] = {0}, most = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        topology_link_ends(topology, link, &from, &to);
        most = report->link_units[link] > most ? report->link_units[link] : most;
        if (from < tree->n || to < tree->n) {
            CU_ASSERT_EQUAL(report->link_units[link], naive_load(table, tree, topology, link, true));
            CU_ASSERT_EQUAL(report->link_load[link], naive_load(table, tree, topology, link, false));
        } else if (from < to) {
            up[from - tree->n] += report->link_units[link];
        } else {
            down[to - tree->n] += report->link_units[link];
        }
    }
    CU_ASSERT_EQUAL(most, report->heaviest_bytes); /* all links are equally fast */
    CU_ASSERT_EQUAL(report->heaviest_bytes ? report->link_units[report->heaviest_link] : 0, most);
    for (uint32_t leaf = 0; leaf < tree->n / tree->per_leaf && tree->per_leaf < tree->n; leaf++) {
        CU_ASSERT_EQUAL(up[leaf], naive_leaf(table, tree, leaf, true));
        CU_ASSERT_EQUAL(down[leaf], naive_leaf(table, tree, leaf, false));
    }
}

static void check_tree(const struct table *table, const struct tree *tree)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct text text = {0};
    struct verify_report report;
    write_list(table, &text);
    struct schedule *schedule = read_text(&text, &arena);
    struct topology *topology = topology_read(tree->spec, &diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    const struct verify_request request = {.topology = topology, .keep_link_load = true};
    CU_ASSERT(verify_schedule(schedule, &request, &report, &diagnostics));
    CU_ASSERT(!diagnostics_has_errors(&diagnostics));
    check_links(table, tree, topology, &report);
    verify_report_free(&report);
    topology_free(topology);
    schedule->destroy(schedule);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    text_free(&text);
}

static void loads(void)
{
    static const struct tree trees[] = {{"star:6", 6, 6},
                                        {"star:24", 24, 24},
                                        {"fattree:4x3,up=1x2", 12, 4},
                                        {"fattree:6x4,up=1x3", 24, 6},
                                        {"fattree:2x8,up=1x1", 16, 2}};
    for (unsigned i = 0; i < by_form(10, 100, 1000); i++)
        for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
            const struct table table = random_table(trees[k].n, 1 + draw(100));
            check_tree(&table, &trees[k]);
        }
}

/* ---- demand ---- */

static void demand(void)
{
    for (unsigned i = 0; i < by_form(10, 100, 1000); i++) {
        const struct table table = random_table(4 + draw(MAX_RANKS - 4), 1 + draw(100));
        struct arena arena = {0};
        struct text text = {0};
        const char *problem;
        write_parts(&table, &text);
        struct schedule *schedule = read_text(&text, &arena);
        struct counts *counts = demand_of(schedule, NULL, false, 1, &problem);
        CU_ASSERT_FATAL(counts && !problem);
        for (uint64_t datum = 0; datum < (uint64_t)table.n * table.n; datum++) {
            const uint32_t n = draw((uint32_t)(table.n * table.n - datum) + 1);
            uint64_t sum = 0;
            for (uint64_t at = datum; at < datum + n; at++)
                sum += table.bytes[at / table.n][at % table.n];
            CU_ASSERT_EQUAL(counts->bytes(counts, datum), table.bytes[datum / table.n][datum % table.n]);
            CU_ASSERT_EQUAL(counts->sum(counts, datum, n), sum);
        }
        counts->destroy(counts);
        schedule->destroy(schedule);
        text_free(&text);
        arena_free(&arena);
    }
}

/* ---- phases and hosts ---- */

static void phases(void)
{
    struct arena arena = {0};
    struct text text = {0};
    struct step step;
    text_printf(&text, "%s", "src,dst,bytes,time\n0,1,10,2.5\n1,2,20,-1\n0,2,30,2.5\n1,2,5,-1\n0,1,1,1e3\n");
    struct schedule *schedule = read_text(&text, &arena);
    const size_t n_sends[] = {1, 2, 1};
    const uint64_t bytes[] = {25, 40, 1};
    for (size_t i = 0; i < 3; i++) {
        uint64_t sum = 0;
        CU_ASSERT_FATAL(schedule->next(schedule, &step));
        CU_ASSERT_EQUAL(step.n_sends, n_sends[i]);
        CU_ASSERT_EQUAL(step.n_receives, n_sends[i]);
        for (size_t k = 0; k < step.n_sends; k++) {
            sum += schedule_units(&schedule->header, &step.sends[k]);
            CU_ASSERT_EQUAL(schedule_units(&schedule->header, &step.receives[k]),
                            schedule_units(&schedule->header, &step.sends[k]));
        }
        CU_ASSERT_EQUAL(sum, bytes[i]);
    }
    CU_ASSERT(!schedule->next(schedule, &step));
    schedule->destroy(schedule);
    text_free(&text);
    arena_free(&arena);
}

static void hosts(void)
{
    struct arena arena = {0};
    struct text text = {0}, written = {0};
    text_printf(&text, "%s", "n10 n2 100\nn1 n10 64KiB\nn2 n2 0\n\nn3 n3 0");
    struct schedule *schedule = read_text(&text, &arena);
    CU_ASSERT_EQUAL(schedule->header.n_ranks, 4);
    CU_ASSERT_STRING_EQUAL(schedule->header.hosts[1].name, "n2");
    CU_ASSERT_STRING_EQUAL(schedule->header.hosts[3].name, "n10");
    const struct emit_request request = {.schedule = schedule};
    CU_ASSERT(!emit_traffic(&request, &written));
    CU_ASSERT_STRING_EQUAL(written.data, "src,dst,bytes\nn1,n10,65536\nn10,n2,100\nn3,n3,0\n");
    schedule->destroy(schedule);
    text_free(&text);
    text_free(&written);
    arena_free(&arena);
}

/* ---- what is refused ---- */

static const struct refusal {
    const char *text;
    uint32_t line, column;
    const char *message;
} refusals[] = {
    {"0 1 5\n1 0 -7\n", 2, 5, "'-7': a size is not negative"},
    {"0 1 -1KiB\n1 2 4\n", 1, 5, "'-1KiB': a size is not negative"},
    {"0 1 5\n1 0 9223372036854775808\n", 2, 5, "'9223372036854775808': a size of 2^63 bytes or more"},
    {"0 1 5\n1 0 1e19\n", 2, 5, "'1e19': a size of 2^63 bytes or more"},
    {"0 1 5\n1 0 nan\n", 2, 5, "'nan': no size"},
    {"0 1 5\n1 0 0x10\n", 2, 5, "'0x10': no size"},
    {"0 1 5\n1 0 5XB\n", 2, 5, "'5XB': no size"},
    {"0 1 9223372036854775807\n0 1 1\n", 2, 1, "2^63 bytes or more go from rank 0 to rank 1"},
    {"0 1 9223372036854775807\n1 0 1\n", 1, 1, "2^63 bytes or more in all"},
    {"0 1 5\n1 n3 5\n", 2, 3, "'n3' is no rank"},
    {"0 1 5\n1 67108864 5\n", 2, 3, "'67108864' is no rank"},
    {"0 1 5\n67108863 1 5\n", 1, 1, "67108864 ranks with 2 messages"},
    {"0 1 5\n1 0\n", 2, 4, "the size of the message is missing"},
    {"0 1 5 9\n0 1 5 9\n", 2, 1, "2 rows, and 4 columns"},
    {"a b 5\nb a 5 9\n", 2, 7, "more than a sender, a receiver and a size"},
    {"src,dst,bytes\n0,,5\n", 2, 3, "the receiver of the message is missing"},
    {"src,dst,bytes,phase\n0,1,5,x\n", 2, 7, "'x': no phase"},
    {"src,dst,bytes\n", 1, 1, "0 ranks with 0 messages"},
    {"0 1\n2 3 4\n", 2, 1, "row 1 has 3 numbers, and the first has 2"},
    {"0 1\n2 3\n4 5\n", 3, 1, "more rows than columns, which are 2"},
    {"0 1\n2 x\n", 2, 3, "'x': no size"},
    {",a,b\na,1,2\nc,3,4\n", 3, 1, "'c' has a row, but no column"},
    {"host;a;b\na;1;2\nc;3;4\n", 3, 1, "'c' has a row, but no column"},
    {"a b\na 1 2\nb 3 x\n", 3, 5, "'x': no size"},
    {",a,a\na,1,2\n", 1, 5, "the columns are not of different ranks"},
    {"%%MatrixMarket matrix array real general\n2 2\n", 1, 23, "'array' is no word of such a matrix"},
    {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 5\n", 2, 1,
     "expected rows, columns and entries"},
    {"%%MatrixMarket matrix coordinate real general\n4294967296 4294967296 1\n1 2 5\n", 2, 1,
     "4294967296 rows and columns, which are ranks"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n", 3, 3, "3 is outside of the matrix"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n", 3, 1, "1 entries, and the head says 2"},
    {"# POINT TO POINT\nE\t0\t1\t5 bytes\t1 msgs sent\nX\t0\n", 3, 1,
     "'X': no line of Open MPI's monitoring"},
    {"h:1:1 [0] NCCL INFO Send: opCount 7 count 4 root 1\n", 1, 26,
     "a Send without count, datatype and comm"},
    {"<ipm_job_profile><task mpi_rank=\"2\" mpi_size=\"2\"/></ipm_job_profile>\n", 1, 34,
     "'2': no number that is right here"},
    {"# POINT TO POINT\nE\t0\t1\t5\n", 2, 8, "expected 'bytes'"},
};

static void check_refusal(const struct refusal *refusal)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const struct source *source = source_of_text("refused", refusal->text, strlen(refusal->text), &arena);
    CU_ASSERT_FATAL(schedules_is_file(source));
    CU_ASSERT(!schedules_read(source, NULL, &diagnostics));
    const struct diagnostic *first = diagnostics.first;
    CU_ASSERT_FATAL(first != NULL);
    const bool is_right = first->code == CODE_S007 && first->position.line == refusal->line &&
                          first->position.column == refusal->column &&
                          strcmp(first->message, refusal->message) == 0 && first->help;
    if (!is_right)
        fprintf(stderr, "%u:%u: %s\n", first->position.line, first->position.column, first->message);
    CU_ASSERT(is_right);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

static void refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        check_refusal(&refusals[i]);
}

/* ---- what is no traffic ---- */

/* Heads of algorithms have words such as "from", "to" and "data" in their comments. */
static void algorithms(void)
{
    for (size_t i = 0; i < n_embedded_files; i++) {
        struct arena arena = {0};
        const struct embedded_file *file = &embedded_files[i];
        const char *ending = strrchr(file->path, '.');
        if (ending && strcmp(ending, ".coll") == 0)
            CU_ASSERT(!traffic_is_file(source_of_text(file->path, file->text, file->length, &arena)));
        arena_free(&arena);
    }
}

UNIT_PROGRAM(test_traffic)
{
    CU_TestInfo tests[] = {{"forms", forms},           {"loads", loads}, {"demand", demand},
                           {"phases", phases},         {"hosts", hosts}, {"refused", refused},
                           {"algorithms", algorithms}, CU_TEST_INFO_NULL};
    return run_suite("traffic", tests);
}
