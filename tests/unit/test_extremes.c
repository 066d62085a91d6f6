/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verifier where numbers get large or small: drift windows longer than the
 * schedule, messages of 2^31 chunks, millions of findings, rings that do not go
 * by rank numbers, one rank, no steps. Schedules are written as files, so that
 * the cases can be read; the small ones are compared with the reference.
 */
#include "tests/unit/agree.h"

#include "base/codes.h"
#include "network/formats/formats.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <string.h>

struct trial {
    struct arena arena;
    struct diagnostics diagnostics;
    struct schedule *schedule;
    struct topology *topology;
    struct verify_request request;
    struct verify_report report;
};

static void trial_open(struct trial *trial, const char *text, const char *topology)
{
    *trial = (struct trial){.schedule = NULL};
    const struct source *source = source_of_text("trial", text, strlen(text), &trial->arena);
    trial->schedule = schedule_read(source, &trial->diagnostics);
    CU_ASSERT_FATAL(trial->schedule != NULL);
    if (topology)
        trial->topology = topology_read(topology, &trial->diagnostics);
    CU_ASSERT_FATAL(!topology || trial->topology != NULL);
    trial->request.topology = trial->topology;
}

/* Returns the number of the engine's findings of the code, with the limits and drift set. */
static uint64_t trial_count(struct trial *trial, uint32_t code)
{
    struct diagnostics findings = {0};
    verify_report_free(&trial->report);
    CU_ASSERT_FATAL(verify_schedule(trial->schedule, &trial->request, &trial->report, &findings));
    uint64_t n = findings.n_of_code[code];
    diagnostics_free(&findings);
    return n;
}

static void trial_close(struct trial *trial)
{
    verify_report_free(&trial->report);
    trial->schedule->destroy(trial->schedule);
    topology_free(trial->topology);
    diagnostics_free(&trial->diagnostics);
    arena_free(&trial->arena);
}

/* ---- drift ---- */

#define ALL_AT_ONCE                                                                    \
    "collc-schedule 1\ncollective allgather\nalgorithm x\nranks 3\nstep 0\n"           \
    "0 copy in[0] to out[0]\n1 copy in[0] to out[1]\n2 copy in[0] to out[2]\n"         \
    "0 send in[0] to 1\n0 send in[0] to 2\n1 send in[0] to 0\n1 send in[0] to 2\n"     \
    "2 send in[0] to 0\n2 send in[0] to 1\n0 recv out[1] from 1\n0 recv out[2] from 2\n" \
    "1 recv out[0] from 0\n1 recv out[2] from 2\n2 recv out[0] from 0\n2 recv out[1] from 1\n"

/* Every fault is found once, whatever the window and whether it is ever full. */
static void check_drift(const char *text)
{
    static const uint32_t drifts[] = {0, 1, 2, 3, 100, UINT32_MAX};
    for (size_t i = 0; i < sizeof drifts / sizeof *drifts; i++) {
        struct trial trial;
        trial_open(&trial, text, "star:3");
        trial.request.drift = drifts[i];
        trial.request.limits = (struct verify_limits){.max_link_load = limit_of(1),
                                                      .max_fan_in = limit_of(1),
                                                      .ports = limit_of(1)};
        CU_ASSERT(trial_count(&trial, CODE_L001) == 6); /* both ways of three cables */
        CU_ASSERT(trial_count(&trial, CODE_H001) == 3);
        CU_ASSERT(trial_count(&trial, CODE_P001) == 6); /* sends and receives of three */
        CU_ASSERT(trial.report.drift_link_load == 2 && trial.report.drift_fan_in == 2);
        trial_close(&trial);
    }
}

static void test_drift(void)
{
    check_drift(ALL_AT_ONCE "end\n");
    check_drift(ALL_AT_ONCE "step 1\n0 copy in[0] to out[0]\nend\n");
}

/* ---- large messages ---- */

#define ALL "[0..2147483647]"
#define TWO_RANKS "collc-schedule 1\ncollective bcast\nalgorithm x\nranks 2\nroot 0\n" \
    "segments 2147483648\n"

/* The progression decides an operation on 2^31 chunks, not chunk after chunk. */
static void test_large_messages(void)
{
    struct trial trial;
    trial_open(&trial, TWO_RANKS "tmp 2147483648\n"
               "step 0\n0 send buf" ALL " to 1\n1 recv buf" ALL " from 0\n"
               "step 1\n0 send buf" ALL " to 1\n1 recv tmp" ALL " from 0\n"
               "step 2\n0 send buf" ALL " to 1\n1 recv tmp" ALL " from 0\nend\n", NULL);
    CU_ASSERT(trial_count(&trial, CODE_R002) == 0 && trial.report.is_complete);
    trial_close(&trial);
    trial_open(&trial, TWO_RANKS
               "step 0\n1 send buf" ALL " to 0\n0 recv buf" ALL " from 1\n"
               "step 1\n0 send buf" ALL " to 1\n1 recv buf" ALL " from 0\nend\n", NULL);
    CU_ASSERT(trial_count(&trial, CODE_R004) == 1 && !trial.report.is_complete);
    trial_close(&trial);
    trial_open(&trial, "collc-schedule 1\ncollective allreduce\nalgorithm x\nranks 3\n"
               "segments 2147483648\n"
               "step 0\n0 send buf" ALL " to 1\n1 reduce buf" ALL " from 0\n"
               "step 1\n1 send buf" ALL " to 0\n0 recv buf" ALL " from 1\nend\n", NULL);
    CU_ASSERT(trial_count(&trial, CODE_R001) == 3);
    CU_ASSERT(trial_count(&trial, CODE_R002) == 0);
    trial_close(&trial);
}

/* ---- many findings ---- */

static size_t count_kept(struct trial *trial, uint64_t *n_found)
{
    struct diagnostics findings = {0};
    verify_report_free(&trial->report);
    CU_ASSERT_FATAL(verify_schedule(trial->schedule, &trial->request, &trial->report, &findings));
    *n_found = findings.n_of_severity[SEVERITY_ERROR];
    size_t length = 0;
    for (const struct diagnostic *d = findings.first; d; d = d->next)
        length++;
    diagnostics_free(&findings);
    return length;
}

/* All are counted, few are kept. */
static void test_many_findings(void)
{
    enum { N = 3000 };
    struct trial trial;
    struct text text = {0};
    uint64_t n_found;
    text_printf(&text, "collc-schedule 1\ncollective alltoall\nalgorithm x\nranks %d\nstep 0\n", N);
    for (int rank = 1; rank < N; rank++)
        text_printf(&text, "%d send in[0] to 0\n", rank);
    text_printf(&text, "end\n");
    trial_open(&trial, text.data, NULL);
    CU_ASSERT(count_kept(&trial, &n_found) == DIAGNOSTICS_KEEP);
    CU_ASSERT(n_found == N - 1);
    trial_close(&trial);
    text_free(&text);
}

static void test_only_counts(void)
{
    struct diagnostics diagnostics = {.keep_per_code = 2};
    const struct position nowhere = {0};
    CU_ASSERT(!diagnostics_only_counts(&diagnostics, CODE_M001));
    CU_ASSERT(diagnostics.n_of_code[CODE_M001] == 0);
    report(&diagnostics, CODE_M001, nowhere, "one");
    report(&diagnostics, CODE_M001, nowhere, "two");
    CU_ASSERT(diagnostics_only_counts(&diagnostics, CODE_M001));
    CU_ASSERT(!diagnostics_only_counts(&diagnostics, CODE_M002));
    report(&diagnostics, CODE_M001, nowhere, "four");
    CU_ASSERT(diagnostics.n_of_code[CODE_M001] == 4 && diagnostics.n_of_severity[SEVERITY_ERROR] == 4);
    CU_ASSERT(diagnostics.last->message && !strcmp(diagnostics.last->message, "two"));
    diagnostics_free(&diagnostics);
}

/* ---- rings in another order ---- */

/* Reduce-scatter along the ring rank, rank + stride ..., then allgather. In step
 * `broken` the ranks combine a chunk too early. */
static void write_ring(struct text *text, uint32_t p, uint32_t stride, uint32_t broken)
{
    uint32_t at[64]; /* rank at each place of the ring */
    for (uint32_t place = 0; place < p; place++)
        at[place] = place * stride % p;
    text_printf(text, "collc-schedule 1\ncollective allreduce\nalgorithm x\nranks %u\nsegments %u\n",
                p, p);
    for (uint32_t step = 0; step < 2 * (p - 1); step++) {
        bool is_gather = step >= p - 1;
        uint32_t lead = is_gather ? 1 + p : p, i = is_gather ? step - (p - 1) : step;
        text_printf(text, "step %u\n", step);
        for (uint32_t place = 0; place < p; place++) {
            uint32_t chunk = (place + lead - i + (step == broken)) % p;
            uint32_t back = (place + lead - i - 1 + (step == broken)) % p;
            text_printf(text, "%u send buf[%u] to %u\n", at[place], chunk, at[(place + 1) % p]);
            text_printf(text, "%u %s buf[%u] from %u\n", at[place], is_gather ? "recv" : "reduce",
                        back, at[(place + p - 1) % p]);
        }
    }
    text_printf(text, "end\n");
}

static void test_rings(void)
{
    for (uint32_t p = 2; p <= 17; p++)
        for (uint32_t stride = 1; stride < p; stride++)
            for (uint32_t broken = 0; broken < 3; broken++) {
                bool is_ring = true;
                for (uint32_t n = 1; n < p; n++)
                    is_ring = is_ring && n * stride % p != 0;
                if (!is_ring)
                    continue;
                struct trial trial;
                struct text text = {0};
                write_ring(&text, p, stride, broken ? broken : UINT32_MAX);
                trial_open(&trial, text.data, NULL);
                CU_ASSERT(agree(trial.schedule, &trial.request, "ring"));
                trial_count(&trial, CODE_R003);
                CU_ASSERT(broken || trial.report.is_complete);
                trial_close(&trial);
                text_free(&text);
            }
}

/* ---- next to nothing ---- */

static void check_small(const char *lines, bool is_complete)
{
    struct trial trial;
    char text[256];
    snprintf(text, sizeof text, "collc-schedule 1\nalgorithm x\n%send\n", lines);
    trial_open(&trial, text, "star:2");
    CU_ASSERT(agree(trial.schedule, &trial.request, lines));
    trial_count(&trial, CODE_R001);
    CU_ASSERT(trial.report.is_complete == is_complete);
    trial_close(&trial);
}

static void test_next_to_nothing(void)
{
    check_small("collective allreduce\nranks 1\n", true);
    check_small("collective barrier\nranks 1\n", true);
    check_small("collective bcast\nranks 1\nroot 0\n", true);
    check_small("collective alltoall\nranks 1\n", false);
    check_small("collective alltoall\nranks 1\nstep 0\n0 copy in[0] to out[0]\n", true);
    check_small("collective alltoall\nranks 1\nstep 0\n0 send in[0] to 0\n0 recv out[0] from 0\n",
                true);
    check_small("collective allgather\nranks 1\nstep 0\nstep 1\n0 copy in[0] to out[0]\nstep 2\n",
                true);
    check_small("collective barrier\nranks 2\nstep 0\n0 send to 1\n1 recv from 0\n", false);
    check_small("collective barrier\nranks 2\nstep 0\n0 send to 1\n0 recv from 1\n"
                "1 send to 0\n1 recv from 0\n", true);
    check_small("collective bcast\nranks 2\nroot 1\nstep 0\n0 send to 0\n0 recv from 0\n"
                "1 send buf[0] to 0\n0 recv buf[0] from 1\n", true);
    check_small("collective allreduce\nranks 2\nstep 0\n0 send to 1\n1 reduce from 0\n", false);
}

UNIT_PROGRAM(test_extremes)
{
    CU_TestInfo tests[] = {{"drift", test_drift},
                           {"large messages", test_large_messages},
                           {"many findings", test_many_findings},
                           {"only counted", test_only_counts},
                           {"rings", test_rings},
                           {"next to nothing", test_next_to_nothing},
                           CU_TEST_INFO_NULL};
    return run_suite("extremes", tests);
}
