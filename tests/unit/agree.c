/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Comparison of the engine with the reference (agree.h).
 */
#include "tests/unit/agree.h"

#include "base/codes.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the engine's verdict ---- */

static int compare_findings(const void *left, const void *right)
{
    const struct reference_finding *a = left, *b = right;
    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

/* Findings about the final data name the step in which the chunk was last
 * written; the reference does not look for it. */
static int64_t step_of(const struct diagnostic *d)
{
    bool is_final = d->code == CODE_R001 || (d->code == CODE_R006 && strstr(d->message, " ends with "));
    return is_final ? -1 : d->place.step;
}

static void add(struct reference *result, const struct diagnostic *d, int64_t step)
{
    result->findings = mem_grow(result->findings, &result->capacity, result->n_findings + 1,
                                sizeof *result->findings);
    result->findings[result->n_findings++] =
        (struct reference_finding){d->code, d->place.rank, d->place.peer, step};
}

/* Adds a finding for each step. One finding of the engine names all steps that are above a limit. */
static void add_steps(struct reference *result, const struct diagnostic *d)
{
    for (size_t i = 0; i < d->n_steps; i++)
        for (uint64_t step = d->steps[i].first; step <= d->steps[i].last; step++)
            add(result, d, (int64_t)step);
}

static bool is_sum(uint32_t code)
{
    return code == CODE_L004 || code == CODE_C001 || code == CODE_C002;
}

static void collect(const struct diagnostics *diagnostics, struct reference *result)
{
    for (const struct diagnostic *d = diagnostics->first; d; d = d->next) {
        if (!code_table[d->code].is_rule)
            continue;
        if (d->is_measured && !is_sum(d->code))
            add_steps(result, d);
        else
            add(result, d, is_sum(d->code) ? -1 : step_of(d));
    }
    if (result->n_findings)
        qsort(result->findings, result->n_findings, sizeof *result->findings, compare_findings);
}

bool engine_verify(struct schedule *schedule, const struct verify_request *request,
                   struct reference *result)
{
    struct diagnostics diagnostics = {.keep_per_code = 1u << 20};
    struct verify_request full = *request;
    *result = (struct reference){.n_findings = 0};
    full.keep_per_step = true;
    full.keep_link_load = true;
    schedule->rewind(schedule);
    bool is_done = verify_schedule(schedule, &full, &result->report, &diagnostics);
    collect(&diagnostics, result);
    diagnostics_free(&diagnostics);
    return is_done;
}

void engine_free(struct reference *result)
{
    verify_report_free(&result->report);
    free(result->findings);
    *result = (struct reference){.n_findings = 0};
}

void print_findings(const struct reference *result, struct text *out)
{
    for (size_t i = 0; i < result->n_findings; i++) {
        const struct reference_finding *f = &result->findings[i];
        text_printf(out, "%s rank=%" PRId64 " peer=%" PRId64 " step=%" PRId64 "\n",
                    code_table[f->code].id, f->rank, f->peer, f->step);
    }
}

/* ---- numbers ---- */

static void check_number(struct text *out, const char *name, uint64_t engine, uint64_t reference)
{
    if (engine != reference)
        text_printf(out, "%s: engine %" PRIu64 ", reference %" PRIu64 "\n", name, engine,
                    reference);
}

static void check_real(struct text *out, const char *name, double engine, double reference)
{
    if (!(fabs(engine - reference) <= 1e-12 * fabs(reference)))
        text_printf(out, "%s: engine %.17g, reference %.17g\n", name, engine, reference);
}

#define CHECK(field) check_number(out, #field, e->field, r->field)

static void check_step(struct text *out, uint64_t step, const struct step_record *e,
                       const struct step_record *r)
{
    size_t length = out->length;
    CHECK(n_messages);
    CHECK(max_link_load);
    CHECK(max_fan_in);
    CHECK(max_fan_out);
    CHECK(max_sends);
    CHECK(is_contended);
    check_real(out, "hol_slowdown", e->hol_slowdown, r->hol_slowdown);
    if (out->length != length)
        text_printf(out, "  in step %" PRIu64 "\n", step);
}

/* The steps with as much as there is anywhere follow from the records. */
static void check_worst(struct text *out, const struct verify_report *e, const struct worst *worst,
                        const struct worst *reference, size_t record_offset)
{
    size_t at = 0;
    check_number(out, "worst value", worst->value, reference->value);
    check_number(out, "worst subject", worst->subject, reference->subject);
    check_number(out, "worst step", worst->step, reference->step);
    check_number(out, "worst line", worst->line, reference->line);
    for (uint64_t step = 0; worst->value && step < e->n_records; step++) {
        uint32_t value;
        memcpy(&value, (const char *)&e->per_step[step] + record_offset, sizeof value);
        while (at < worst->steps.n && worst->steps.items[at].end <= step)
            at++;
        const bool is_in = at < worst->steps.n && worst->steps.items[at].first <= step;
        check_number(out, "is one of the worst steps", is_in, value == worst->value);
    }
}

static void check_report(struct text *out, const struct verify_report *e,
                         const struct verify_report *r)
{
    CHECK(n_steps);
    CHECK(n_idle);
    CHECK(n_records);
    CHECK(n_messages);
    CHECK(is_matched);
    CHECK(is_complete);
    CHECK(agreement);
    CHECK(n_unrouted);
    CHECK(has_network);
    CHECK(max_link_load);
    CHECK(max_total_load);
    CHECK(total_link);
    CHECK(sum_step_load);
    CHECK(contended_steps);
    CHECK(drift_link_load);
    CHECK(drift_fan_in);
    CHECK(max_fan_in);
    CHECK(max_fan_out);
    CHECK(hol_steps);
    CHECK(max_sends);
    check_worst(out, e, &e->worst_link, &r->worst_link, offsetof(struct step_record, max_link_load));
    check_worst(out, e, &e->worst_port, &r->worst_port, offsetof(struct step_record, max_fan_in));
    check_real(out, "max_hol_slowdown", e->max_hol_slowdown, r->max_hol_slowdown);
    for (uint64_t step = 0; e->n_records == r->n_records && step < e->n_records; step++)
        check_step(out, step, &e->per_step[step], &r->per_step[step]);
}

static void check_links(struct text *out, const struct topology *topology,
                        const struct verify_report *e, const struct verify_report *r)
{
    for (uint32_t link = 0; topology && link < topology->n_link_ids; link++)
        CHECK(link_load[link]);
}

/* ---- findings ---- */

static void order_ranks(struct reference_finding *finding)
{
    int64_t rank = finding->rank;
    if (rank <= finding->peer)
        return;
    finding->rank = finding->peer;
    finding->peer = rank;
}

/* Returns the part of a finding that both must say (agree.h). */
static struct reference_finding essence(struct reference_finding finding)
{
    const char *id = code_table[finding.code].id;
    if (finding.code == CODE_M001 || finding.code == CODE_M002)
        return finding;
    if (finding.code == CODE_M003) {
        order_ranks(&finding);
        finding.step = -1;
        return finding;
    }
    finding.peer = -1;
    if (id[0] != 'R')
        finding.rank = -1;
    if (finding.code == CODE_D001 || finding.code == CODE_R010)
        finding.step = -1;
    return finding;
}

/* Findings about what a rank holds at the end. */
static bool is_final(const struct reference_finding *finding)
{
    return (finding->code == CODE_R001 || finding->code == CODE_R006) && finding->step < 0;
}

/* The essences, sorted; equal ones once, but for D001, whose number counts. */
static size_t essences(const struct reference *result, struct reference_finding *list)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < result->n_findings; i++)
        if (!is_final(&result->findings[i]) && reference_knows(result->findings[i].code))
            list[n++] = essence(result->findings[i]);
    if (n)
        qsort(list, n, sizeof *list, compare_findings);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_findings(&list[i], &list[i - 1]) || list[i].code == CODE_D001)
            list[kept++] = list[i];
    return kept;
}

static unsigned final_faults(const struct reference *result, int64_t rank)
{
    unsigned faults = 0;
    for (size_t i = 0; i < result->n_findings; i++)
        if (is_final(&result->findings[i]) && result->findings[i].rank == rank)
            faults |= result->findings[i].code == CODE_R001 ? 1u : 2u;
    return faults;
}

static void check_final(struct text *out, const struct reference *engine,
                        const struct reference *reference)
{
    for (int64_t rank = 0; rank < REFERENCE_MAX_RANKS; rank++) {
        unsigned e = final_faults(engine, rank), r = final_faults(reference, rank);
        if ((e & ~r) || !e != !r)
            text_printf(out, "final data of rank %" PRId64 " judged differently\n", rank);
    }
}

static void check_cycles(struct text *out, const struct reference *engine,
                         const struct reference *reference)
{
    for (size_t i = 0; i < engine->n_findings; i++) {
        const struct reference_finding *f = &engine->findings[i];
        if (f->code == CODE_D001 &&
            (f->rank < 0 || f->rank >= REFERENCE_MAX_RANKS || !reference->in_cycle[f->rank] ||
             (uint64_t)f->step != reference->stopped_at[f->rank]))
            text_printf(out, "D001 at rank %" PRId64 ", step %" PRId64 ": not in a cycle there\n",
                        f->rank, f->step);
    }
}

/* Beside a send that nobody receives the engine does not say what buffers would do for a cycle. */
static void check_waiting(struct text *out, const struct reference *engine, const struct reference *reference)
{
    const enum waiting e = engine->report.waiting, r = reference->report.waiting;
    const bool is_weaker = e == WAITING_POSSIBLE && r == WAITING_CERTAIN && has_code(engine, CODE_M001) &&
                           has_code(engine, CODE_D001);
    if (e != r && !is_weaker)
        text_printf(out, "deadlock: engine %s, reference %s\n", waiting_word(e), waiting_word(r));
}

static void check_findings(struct text *out, const struct reference *engine,
                           const struct reference *reference)
{
    struct reference_finding *e = mem_alloc(engine->n_findings + 1, sizeof *e);
    struct reference_finding *r = mem_alloc(reference->n_findings + 1, sizeof *r);
    size_t n_e = essences(engine, e), n_r = essences(reference, r);
    bool is_same = n_e == n_r;
    for (size_t i = 0; is_same && i < n_e; i++)
        is_same = !compare_findings(&e[i], &r[i]);
    if (!is_same)
        text_printf(out, "findings differ\n");
    check_waiting(out, engine, reference);
    check_final(out, engine, reference);
    check_cycles(out, engine, reference);
    free(e);
    free(r);
}

/* Adds to the expected report what errors by rules that only the engine knows refute. */
static void add_verdicts(const struct reference *engine, struct verify_report *expected)
{
    for (size_t i = 0; i < engine->n_findings; i++) {
        const struct code_info *info = &code_table[engine->findings[i].code];
        if (reference_knows(engine->findings[i].code) || info->severity != SEVERITY_ERROR)
            continue;
        expected->is_matched &= info->refutes != CLAIM_MATCHED;
        if (info->refutes == CLAIM_DEADLOCK_FREE && expected->waiting == WAITING_NONE)
            expected->waiting = WAITING_UNKNOWN;
        expected->is_complete &= info->refutes == CLAIM_NOTHING;
    }
}

/* ---- both ---- */

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

static void show(struct schedule *schedule, const char *label, const struct text *differences,
                 const struct reference *engine, const struct reference *reference)
{
    struct text text = {0};
    text_printf(&text, "---- %s\n%s-- engine:\n", label, differences->data);
    print_findings(engine, &text);
    text_printf(&text, "-- reference:\n");
    print_findings(reference, &text);
    text_printf(&text, "-- schedule:\n");
    schedule->rewind(schedule);
    schedule_print(schedule, append, &text);
    fwrite(text.data, 1, text.length < 8192 ? text.length : 8192, stderr);
    text_free(&text);
}

bool agrees_with(struct schedule *schedule, const struct verify_request *request, const char *label,
                 const struct reference *engine, bool is_done)
{
    struct reference reference;
    struct text differences = {0};
    bool is_expected = reference_verify(schedule, request, &reference);
    if (is_done != is_expected)
        text_printf(&differences, "done: engine %d, reference %d\n", is_done, is_expected);
    if (is_done && is_expected) {
        add_verdicts(engine, &reference.report);
        check_report(&differences, &engine->report, &reference.report);
        check_links(&differences, request->topology, &engine->report, &reference.report);
        check_findings(&differences, engine, &reference);
    }
    bool is_same = differences.length == 0;
    if (!is_same)
        show(schedule, label, &differences, engine, &reference);
    text_free(&differences);
    reference_free(&reference);
    return is_same;
}

bool agree(struct schedule *schedule, const struct verify_request *request, const char *label)
{
    struct reference engine;
    bool is_done = engine_verify(schedule, request, &engine);
    bool is_same = agrees_with(schedule, request, label, &engine, is_done);
    engine_free(&engine);
    return is_same;
}
