/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes findings, and the words in them for ranks, machines and data. See rule.h.
 */
#include "verify/rule.h"

#include "base/integer.h"
#include "network/wiring.h"

#include <stdlib.h>
#include <string.h>

bool finding_is_counted(const struct judge *judge)
{
    return diagnostics_only_counts(judge->verifier->diagnostics, judge->code);
}

bool finding_is_joined(const struct judge *judge, uint64_t step)
{
    return diagnostics_join(judge->verifier->diagnostics, judge->code, step) ||
           finding_is_counted(judge);
}

struct diagnostic *finding_at(const struct judge *judge, const struct op *op, uint64_t step,
                              const char *format, ...)
{
    const struct verifier *verifier = judge->verifier;
    va_list args;
    va_start(args, format);
    struct diagnostic *finding =
        report_va(verifier->diagnostics, judge->code, schedule_position(verifier->schedule, op),
                  format, args);
    va_end(args);
    finding->place.rank = op->rank;
    finding->place.peer = op_is_local(op) ? -1 : (int64_t)op->peer;
    finding->place.step = (int64_t)step;
    return finding;
}

struct diagnostic *finding_of(const struct judge *judge, const char *format, ...)
{
    const struct verifier *verifier = judge->verifier;
    const struct position whole = {verifier->schedule->source, 0, 0, 1};
    va_list args;
    va_start(args, format);
    struct diagnostic *finding =
        report_va(verifier->diagnostics, judge->code, whole, format, args);
    va_end(args);
    return finding;
}

void finding_relate(const struct judge *judge, struct diagnostic *finding, const struct op *op,
                    const char *text)
{
    finding->related = schedule_position(judge->verifier->schedule, op);
    finding->related_text = text;
}

void finding_set_ranks(const struct judge *judge, struct diagnostic *finding, uint32_t *ranks,
                       size_t n)
{
    uint32_t *kept = arena_alloc(&judge->verifier->diagnostics->arena, n, sizeof *kept);
    finding->ranks = kept;
    finding->n_ranks = 0;
    qsort(ranks, n, sizeof *ranks, compare_uint32);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || ranks[i] != ranks[i - 1])
            kept[finding->n_ranks++] = ranks[i];
}

void finding_set_steps(const struct judge *judge, struct diagnostic *finding, uint64_t *steps,
                       size_t n)
{
    struct step_span *kept = arena_alloc(&judge->verifier->diagnostics->arena, n, sizeof *kept);
    size_t n_kept = 0;
    qsort(steps, n, sizeof *steps, compare_uint64);
    for (size_t i = 0; i < n; i++) {
        if (n_kept && steps[i] <= kept[n_kept - 1].last + 1)
            kept[n_kept - 1].last = steps[i];
        else
            kept[n_kept++] = (struct step_span){steps[i], steps[i]};
    }
    finding->steps = kept;
    finding->n_steps = n_kept;
}

/* Keeps a list in the arena of the findings. */
static void *finding_keep(const struct judge *judge, const void *items, size_t n, size_t size)
{
    void *kept = arena_alloc(&judge->verifier->diagnostics->arena, n, size);
    if (n)
        memcpy(kept, items, n * size);
    return kept;
}

struct diagnostic *finding_of_excess(const struct judge *judge, const struct fact_excess *fact,
                                     const char *unit, const char *format, ...)
{
    const struct verifier *verifier = judge->verifier;
    struct position position = {verifier->schedule->source, 0, 0, 1};
    if (fact->send && fact->send->line)
        position = schedule_position(verifier->schedule, fact->send);
    va_list args;
    va_start(args, format);
    struct diagnostic *finding = report_measured_va(verifier->diagnostics, judge->code, position,
                                                    fact->n_left, format, args);
    va_end(args);
    finding->steps = finding_keep(judge, fact->steps, fact->n_steps, sizeof *fact->steps);
    finding->n_steps = fact->n_steps;
    finding->place.step = fact->n_steps ? (int64_t)fact->worst.last : -1;
    finding->counted = (struct counted){unit, fact->value, fact->limit};
    finding->ranks = finding_keep(judge, fact->ranks, fact->n_ranks, sizeof *fact->ranks);
    finding->n_ranks = fact->n_ranks;
    finding->machines = finding_keep(judge, fact->machines, fact->n_machines, sizeof *fact->machines);
    finding->n_machines = fact->n_machines;
    return finding;
}

bool is_near_bound(const struct judge *judge)
{
    const double near = 1.05, ratio = judge->verifier->report->bound_ratio;
    const struct diagnostics *findings = judge->verifier->diagnostics;
    return ratio > 0 && ratio < near && !diagnostics_refute(findings, CLAIM_MATCHED) &&
           !diagnostics_refute(findings, CLAIM_DEADLOCK_FREE) &&
           !diagnostics_refute(findings, CLAIM_COMPLETE);
}

/* ---- words ---- */

const char *words(const struct judge *judge, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&judge->verifier->diagnostics->arena, format, args);
    va_end(args);
    return text;
}

const char *words_from(const struct judge *judge, const struct op *op)
{
    return op_is_local(op) ? "" : words(judge, " from rank %u", op->peer);
}

const char *words_of_steps(const struct judge *judge, uint64_t first, uint64_t last)
{
    if (first == last)
        return words(judge, "step %llu", (unsigned long long)last);
    return words(judge, "steps %llu..%llu", (unsigned long long)first, (unsigned long long)last);
}

uint32_t server_machine(const struct verifier *verifier, uint32_t server)
{
    const struct placement *placement = verifier->request->placement;
    return placement ? placement->server_machine[server] : server;
}

const char *words_of_machine(const struct judge *judge, uint32_t server)
{
    const struct topology *topology = judge->verifier->request->topology;
    const uint32_t machine = server_machine(judge->verifier, server);
    char name[128];
    if (!topology)
        return words(judge, "m%u", machine);
    topology_node_name(topology, machine, name, sizeof name);
    return words(judge, "%s", name);
}

const char *words_of_link(const struct judge *judge, uint32_t link)
{
    const struct topology *topology = judge->verifier->request->topology;
    char from_name[128], to_name[128];
    uint32_t from, to;
    topology_link_ends(topology, link, &from, &to);
    topology_node_name(topology, from, from_name, sizeof from_name);
    topology_node_name(topology, to, to_name, sizeof to_name);
    return link_is_one_of_several(topology, link)
               ? words(judge, "'%s' -> '%s' (link %u)", from_name, to_name, link)
               : words(judge, "'%s' -> '%s'", from_name, to_name);
}

/* ---- words for what is above its limit ---- */

enum { MAX_SHOWN_SPANS = 4, MAX_SHOWN_MACHINES = 4 };

/* True if the worst step, or window, is the only one. */
static bool is_once(const struct fact_excess *fact)
{
    return fact->n_steps == 1 && fact->steps[0].first == fact->worst.first &&
           fact->steps[0].last == fact->worst.last;
}

const char *words_up_to(const struct fact_excess *fact)
{
    return is_once(fact) ? "" : "up to ";
}

/* "3..5, 7 ...": of n ranges, the one at i. */
static void finding_print_span(struct text *text, size_t i, uint64_t first, uint64_t last)
{
    if (i > MAX_SHOWN_SPANS)
        return;
    text_printf(text, i == MAX_SHOWN_SPANS ? " ..." : i ? ", " : "");
    if (i < MAX_SHOWN_SPANS)
        text_printf(text, first == last ? "%llu" : "%llu..%llu", (unsigned long long)first,
                    (unsigned long long)last);
}

/* Returns the text, which is freed, as words. */
static const char *words_of_text(const struct judge *judge, struct text *text)
{
    const char *kept = words(judge, "%s", text->data ? text->data : "");
    text_free(text);
    return kept;
}

const char *words_of_excess_steps(const struct judge *judge, const struct fact_excess *fact)
{
    uint64_t n = 0;
    struct text text = {0};
    if (is_once(fact))
        return words(judge, "in %s", words_of_steps(judge, fact->worst.first, fact->worst.last));
    for (size_t i = 0; i < fact->n_steps; i++)
        n += fact->steps[i].last - fact->steps[i].first + 1;
    text_printf(&text, "in %llu steps (", (unsigned long long)n);
    for (size_t i = 0; i < fact->n_steps; i++)
        finding_print_span(&text, i, fact->steps[i].first, fact->steps[i].last);
    text_printf(&text, ")");
    return words_of_text(judge, &text);
}

/* "from ranks 0..3 on n01, n02" */
static void print_senders(const struct judge *judge, const struct fact_excess *fact,
                          struct text *text)
{
    const struct topology *topology = judge->verifier->request->topology;
    size_t n_spans = 0;
    text_printf(text, "from rank%s ", fact->n_ranks == 1 ? "" : "s");
    for (size_t i = 0, end; i < fact->n_ranks; i = end) {
        for (end = i + 1; end < fact->n_ranks &&
                          fact->ranks[end] == fact->ranks[end - 1] + 1;)
            end++;
        finding_print_span(text, n_spans++, fact->ranks[i], fact->ranks[end - 1]);
    }
    text_printf(text, " on ");
    for (size_t i = 0; i < fact->n_machines && i < MAX_SHOWN_MACHINES; i++) {
        char name[128];
        snprintf(name, sizeof name, "m%u", fact->machines[i]);
        if (topology)
            topology_node_name(topology, fact->machines[i], name, sizeof name);
        text_printf(text, "%s%s", i ? ", " : "", name);
    }
    if (fact->n_machines > MAX_SHOWN_MACHINES)
        text_printf(text, " ...");
}

const char *words_of_senders(const struct judge *judge, const struct fact_excess *fact)
{
    struct text text = {0};
    if (!is_once(fact))
        text_printf(&text, "; worst in %s",
                    words_of_steps(judge, fact->worst.first, fact->worst.last));
    if (fact->n_ranks) {
        text_printf(&text, ", ");
        print_senders(judge, fact, &text);
    }
    return words_of_text(judge, &text);
}

uint32_t server_of_port(const struct judge *judge, uint32_t port)
{
    return port / topology_n_host_ports(judge->verifier->request->topology);
}

bool words_are_adapters(const struct judge *judge)
{
    const struct placement *placement = judge->verifier->request->placement;
    return placement && placement->adapters;
}

const char *words_of_loads(const struct judge *judge)
{
    return placement_stripes(judge->verifier->request->placement) > 1 ? "stripes" : "messages";
}

const char *words_of_parties(const struct judge *judge)
{
    return words_are_adapters(judge) ? "adapters" : "servers";
}

const char *words_of_port(const struct judge *judge, uint32_t port, bool is_in)
{
    const struct topology *topology = judge->verifier->request->topology;
    const uint32_t n_ports = topology_n_host_ports(topology);
    if (n_ports == 1)
        return "";
    const uint32_t machine = server_machine(judge->verifier, port / n_ports);
    const uint32_t link = host_ports_link(topology, machine, port % n_ports, is_in);
    if (link == NO_NEXT_LINK)
        return "";
    return words(judge, " over %s", words_of_link(judge, link));
}

/* ---- data ---- */

/* Returns a datum, or all segments of one. */
static const char *words_of_block(const struct judge *judge, uint64_t datum)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    const struct collective_info *info = &collective_table[header->collective];
    if (info->numbering == NUMBERED_PAIRS)
        return words(judge, "in[%llu] of rank %llu", (unsigned long long)(datum % header->n_ranks),
                     (unsigned long long)(datum / header->n_ranks));
    if (info->numbering == NUMBERED_PLACES)
        return words(judge, "in[%llu] of rank %llu", (unsigned long long)(datum % header->n_in),
                     (unsigned long long)(datum / header->n_in));
    if (info->numbering == NUMBERED_RANKS && info->before == HELD_EACH)
        return words(judge, "in of rank %llu", (unsigned long long)datum);
    if (info->numbering == NUMBERED_RANKS && info->before == HELD_ROOT)
        return words(judge, "in[%llu] of the root", (unsigned long long)datum);
    return words(judge, "chunk %llu", (unsigned long long)datum);
}

const char *words_of_datum(const struct judge *judge, uint64_t datum)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    if (header->segments == 1 || collective_has(header->collective, BUFFER_BUF))
        return words_of_block(judge, datum);
    return words(judge, "segment %llu of %s", (unsigned long long)(datum % header->segments),
                 words_of_block(judge, datum / header->segments));
}
