/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verdicts by symmetry against those of the expansion: whatever is decided by symmetry must be without a
 * finding when every rank is looked at, with the same figures in sum and step by step. Over the
 * built-in algorithms, over texts mutated at random, with limits and without, on networks that are
 * symmetric and on others. A symmetric algorithm with one broken rank is never called symmetric.
 */
#include "base/embedded.h"
#include "compiler/passes/neighbors.h"
#include "compiler/passes/rank_grid.h"
#include "network/placement/placement_make.h"
#include "study/symmetric.h"
#include "tests/unit/congruent_check.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    uint64_t state; /* of the generator */
    uint64_t hash;  /* of the operations of all ranks, of the program that was looked at last */
    unsigned n, repeats, decided, of_orbits, mirrored, by_classes, by_flows, refused, findings, disagreed;
    struct alike_tally alike;
};

static uint32_t below(struct tally *tally, uint32_t n)
{
    tally->state = tally->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((tally->state >> 33) % n);
}

/* ---- comparison ---- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(a);
}

static bool same_record(const struct step_record *a, const struct step_record *b)
{
    return a->n_messages == b->n_messages && a->max_link_load == b->max_link_load &&
           a->max_fan_in == b->max_fan_in && a->max_fan_out == b->max_fan_out &&
           a->max_sends == b->max_sends && a->is_contended == b->is_contended &&
           is_near(a->hol_slowdown, b->hol_slowdown);
}

/* The same link or port, named for the same line and steps. */
static bool same_worst(const struct worst *a, const struct worst *b)
{
    bool is_same = a->value == b->value && a->steps.n == b->steps.n &&
                   (!a->value || (a->subject == b->subject && a->line == b->line && a->step == b->step));
    for (size_t i = 0; is_same && i < a->steps.n; i++)
        is_same = a->steps.items[i].first == b->steps.items[i].first &&
                  a->steps.items[i].end == b->steps.items[i].end;
    return is_same && (!a->value || a->steps.items[0].first == a->step);
}

static bool same_report(const struct verify_report *a, const struct verify_report *b)
{
    bool is_same = a->n_steps == b->n_steps && a->n_messages == b->n_messages &&
                   a->n_idle == b->n_idle && a->n_records == b->n_records &&
                   a->is_matched == b->is_matched && a->waiting == b->waiting &&
                   a->is_complete == b->is_complete && a->agreement == b->agreement &&
                   a->n_unrouted == b->n_unrouted &&
                   a->has_network == b->has_network && a->max_link_load == b->max_link_load &&
                   a->max_total_load == b->max_total_load &&
                   a->total_link == b->total_link && a->sum_step_load == b->sum_step_load &&
                   a->sum_step_units == b->sum_step_units && a->bound_ratio == b->bound_ratio &&
                   a->contended_steps == b->contended_steps &&
                   a->drift_link_load == b->drift_link_load && a->drift_fan_in == b->drift_fan_in &&
                   a->max_fan_in == b->max_fan_in && a->max_fan_out == b->max_fan_out &&
                   a->hol_steps == b->hol_steps && is_near(a->max_hol_slowdown, b->max_hol_slowdown) &&
                   a->max_sends == b->max_sends && a->eager == b->eager &&
                   a->eager_chunks == b->eager_chunks && a->n_networks == b->n_networks &&
                   same_worst(&a->worst_link, &b->worst_link) && same_worst(&a->worst_port, &b->worst_port);
    for (uint64_t step = 0; is_same && step < a->n_records; step++)
        is_same = same_record(&a->per_step[step], &b->per_step[step]);
    return is_same;
}

/* Steps with the flows of an earlier one are measured once only if nothing is limited: with a limit that
 * nothing passes all figures must be the same, and what each link carries in all. */
static bool same_once_measured(struct schedule *schedule, const struct verify_request *request,
                               struct tally *tally)
{
    struct verify_request once = *request, each = *request;
    struct verify_report of_once, of_each;
    struct diagnostics findings = {0}, others = {0};
    once.limits = each.limits = (struct verify_limits){0};
    each.limits.max_steps = limit_of(1e9);
    once.keep_link_load = each.keep_link_load = true;
    const bool is_done = verify_schedule(schedule, &once, &of_once, &findings);
    bool is_same = is_done == verify_schedule(schedule, &each, &of_each, &others);
    if (is_done && is_same) {
        is_same = same_report(&of_once, &of_each) && of_once.max_total_load == of_each.max_total_load &&
                  memcmp(findings.n_of_code, others.n_of_code, sizeof findings.n_of_code) == 0;
        for (uint32_t link = 0; is_same && of_each.link_load && link < request->topology->n_link_ids; link++)
            is_same = of_once.link_load[link] == of_each.link_load[link];
    }
    tally->repeats++;
    verify_report_free(&of_once);
    verify_report_free(&of_each);
    diagnostics_free(&findings);
    diagnostics_free(&others);
    return is_same;
}

/* ---- the claim, rank by rank ---- */

/* Returns the place to which a shift by `by` takes one of `extent` places, by the claim; computed anew. */
static uint32_t moved_place(const struct symmetry *claim, uint32_t place, uint32_t by, uint32_t extent)
{
    const bool is_turned = claim->shifts.is_mirrored && by % 2 == 1;
    return (is_turned ? extent + by - place : place + by) % extent;
}

/* The same of a number of mixed radix. */
static uint32_t moved(const struct symmetry *claim, uint32_t number, const uint32_t *by)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < claim->shifts.n; i++) {
        const uint32_t digit = number / claim->shifts.stride[i] % claim->shifts.extent[i];
        sum += moved_place(claim, digit, by[i], claim->shifts.extent[i]) * claim->shifts.stride[i];
    }
    return sum;
}

/* Returns the place to which a chunk comes by the zones of a buffer, seen `up` chunks higher. */
static uint32_t moved_in_zones(const struct symmetry *claim, uint8_t buffer, uint32_t chunk, uint32_t up,
                               const uint32_t *by)
{
    for (uint32_t i = 0; i < claim->n_zones[buffer]; i++) {
        const struct zone *zone = &claim->zones[buffer][i];
        if (chunk + up < zone->first || chunk + up >= zone->end)
            continue;
        uint32_t place = chunk + up - zone->first, size = zone->block, to = place % size;
        place /= size;
        for (uint32_t k = 0; k < zone->n; k++) {
            const uint32_t extent = claim->shifts.extent[zone->coordinate[k]];
            to += moved_place(claim, place % extent, by[zone->coordinate[k]], extent) * size;
            place /= extent;
            size *= extent;
        }
        return zone->first - up + to + place * size;
    }
    return chunk;
}

/* In scratch a line moves chunks only where it is labelled, by the zone of that plane. */
static uint32_t moved_chunk(const struct symmetry *claim, uint32_t line, uint8_t buffer, uint32_t chunk,
                            const uint32_t *by)
{
    uint32_t up = 0;
    bool moves = buffer != BUFFER_TMP || !claim->n_areas;
    for (uint32_t i = 0; i < claim->n_labels && !moves; i++) {
        const struct area *area = &claim->areas[claim->labels[i].area];
        moves = claim->labels[i].line == line && area->first <= chunk && chunk < area->end;
        up = moves ? claim->labels[i].plane * claim->plane : 0;
    }
    return moves ? moved_in_zones(claim, buffer, chunk, up, by) : chunk;
}

/* True if all of a range comes to lie in it. */
static bool is_kept(const struct symmetry *claim, uint32_t line, uint8_t buffer, uint32_t chunk, uint32_t n,
                    const uint32_t *by)
{
    bool is = true;
    for (uint32_t k = 0; is && k < n; k++)
        is = moved_chunk(claim, line, buffer, chunk + k, by) - chunk < n;
    return is;
}

/* Returns the place of chunk k of one side of a copy whose other side moves. A range needs no label in an
 * area where all of it comes to lie in it: its chunks change places there all the same. */
static uint32_t moved_side(const struct symmetry *claim, uint32_t line, uint8_t buffer, uint32_t chunk,
                           uint32_t n, uint32_t k, const uint32_t *by)
{
    bool is_whole = true;
    for (uint32_t i = 0; is_whole && i < n; i++)
        is_whole = moved_chunk(claim, line, buffer, chunk + i, by) == chunk + i &&
                   moved_in_zones(claim, buffer, chunk + i, 0, by) - chunk < n;
    return is_whole ? moved_in_zones(claim, buffer, chunk + k, 0, by)
                    : moved_chunk(claim, line, buffer, chunk + k, by);
}

/* The effect of an operation on one chunk, or that it is there if it has no chunks. `nth` orders messages. */
struct deed {
    uint32_t nth, kind, peer, buffer, chunk, to_buffer, to_chunk;
};

static int compare_deeds(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct deed));
}

/* Operations of a step, and the sets of their messages. */
struct deed_list {
    const struct schedule_header *header;
    const struct op *ops;
    size_t n;
};

/* The deeds of a rank in a list of operations, moved, sorted; the caller frees them. */
static struct deed *deeds_of(const struct symmetry *claim, const struct deed_list *list, uint32_t rank,
                             const uint32_t *by, size_t *n_deeds)
{
    struct deed *deeds = NULL;
    size_t capacity = 0;
    uint32_t nth = 0;
    *n_deeds = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct op *op = &list->ops[i];
        if (op->rank != rank)
            continue;
        const bool is_local = op->kind >= OP_COPY, is_set = !is_local && op->is_set;
        const bool stays = !is_set && is_kept(claim, op->line, op->buffer, op->chunk, op->n_chunks, by) &&
                           (!is_local || is_kept(claim, op->line, op->to_buffer, op->peer, op->n_chunks, by));
        const uint32_t none[SHIFTS_MAX] = {0}, *to = stays ? none : by;
        struct op_ranges ranges = op_ranges(list->header, op);
        nth++;
        for (uint32_t k = 0, left = 0; k < (op->n_chunks ? op->n_chunks : 1); k++, left--) {
            if (left == 0 && op_ranges_next(&ranges))
                left = ranges.n;
            struct deed deed = {.kind = op->kind};
            if (is_local) {
                deed.to_buffer = op->to_buffer;
                deed.to_chunk = moved_side(claim, op->line, op->to_buffer, op->peer, op->n_chunks, k, to);
            } else {
                deed.nth = nth;
                deed.peer = moved(claim, op->peer, by);
            }
            deed.buffer = op->n_chunks ? op->buffer : 0;
            if (op->n_chunks && is_local)
                deed.chunk = moved_side(claim, op->line, op->buffer, op->chunk, op->n_chunks, k, to);
            else if (op->n_chunks)
                deed.chunk = moved_chunk(claim, op->line, op->buffer, ranges.chunk + ranges.n - left, to);
            deeds = mem_grow(deeds, &capacity, *n_deeds + 1, sizeof *deeds);
            deeds[(*n_deeds)++] = deed;
        }
    }
    if (*n_deeds)
        qsort(deeds, *n_deeds, sizeof *deeds, compare_deeds);
    return deeds;
}

static bool same_deeds(const struct symmetry *claim, const struct deed_list *list, uint32_t lowest,
                       uint32_t rank, const uint32_t *by)
{
    const uint32_t none[SHIFTS_MAX] = {0};
    size_t n_own, n_others;
    struct deed *own = deeds_of(claim, list, lowest, by, &n_own);
    struct deed *others = deeds_of(claim, list, rank, none, &n_others);
    const bool is_same = n_own == n_others && (!n_own || memcmp(own, others, n_own * sizeof *own) == 0);
    free(own);
    free(others);
    return is_same;
}

/* True if each rank does what the lowest of its orbit does, moved: in every step, chunk by chunk. */
static bool is_as_claimed(const struct symmetry *claim, struct schedule *schedule)
{
    struct step step;
    bool is_right = true;
    schedule->rewind(schedule);
    while (is_right && schedule->next(schedule, &step)) {
        const struct deed_list lists[] = {{&schedule->header, step.sends, step.n_sends},
                                          {&schedule->header, step.receives, step.n_receives},
                                          {&schedule->header, step.copies, step.n_copies}};
        for (uint32_t rank = 0; is_right && rank < claim->shifts.n_ranks; rank++) {
            uint32_t by[SHIFTS_MAX], lowest = 0;
            for (uint32_t i = 0; i < claim->shifts.n; i++) {
                const uint32_t digit = rank / claim->shifts.stride[i] % claim->shifts.extent[i];
                const uint32_t rest = digit % claim->period[i];
                by[i] = digit - rest;
                lowest += rest * claim->shifts.stride[i];
            }
            for (size_t i = 0; is_right && i < sizeof lists / sizeof *lists; i++)
                is_right = same_deeds(claim, &lists[i], lowest, rank, by);
        }
    }
    return is_right;
}

static uint64_t hashed(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 31);
}

/* Returns the hash of all operations, whatever their lines. */
static uint64_t hash_of(struct schedule *schedule)
{
    uint64_t hash = 1;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends + step.n_receives + step.n_copies; i++) {
            const struct op *op = i < step.n_sends ? &step.sends[i]
                                  : i < step.n_sends + step.n_receives
                                      ? &step.receives[i - step.n_sends]
                                      : &step.copies[i - step.n_sends - step.n_receives];
            const uint64_t values[] = {step.index,   op->rank,   op->kind,     op->peer,
                                       op->n_chunks, op->buffer, op->to_buffer};
            for (size_t k = 0; k < sizeof values / sizeof *values; k++)
                hash = hashed(hash, values[k]);
            for (struct op_ranges ranges = op_ranges(&schedule->header, op); op_ranges_next(&ranges);)
                hash = hashed(hash, ranges.chunk);
        }
    return hash;
}

/* Both ways. Returns whether it was decided by symmetry. */
static bool compare(const struct binding *binding, struct verify_request *request, const char *label,
                    const char *text, struct tally *tally)
{
    struct verify_report expanded = {0}, symmetric;
    struct diagnostics findings = {0};
    struct schedule *schedule = expand_program(binding, &findings);
    request->keep_per_step = true;
    struct symmetric_verdict verdict = verify_by_symmetry(binding, request, &symmetric);
    const bool is_clean = schedule && verify_schedule(schedule, request, &expanded, &findings) &&
                          !findings.first;
    bool is_right = true;
    tally->hash = schedule ? hash_of(schedule) : 0;
    tally->n++;
    tally->decided += verdict.is_decided;
    tally->findings += !is_clean;
    if (verdict.is_decided) {
        tally->by_classes += verdict.argument.measured_by == MEASURED_CLASSES;
        tally->by_flows += verdict.argument.measured_by == MEASURED_FLOWS;
        tally->of_orbits += verdict.symmetry.n_orbits > 1;
        tally->mirrored += verdict.symmetry.shifts.is_mirrored;
        const bool is_plain = verdict.symmetry.n_orbits == 1 && !verdict.symmetry.shifts.is_mirrored;
        is_right = is_clean && same_report(&expanded, &symmetric) &&
                   (tally->n % (is_plain ? 16 : 2) ||
                    is_as_claimed(&verdict.symmetry, schedule));
    }
    if (schedule && tally->n % 4 == 0)
        is_right = same_once_measured(schedule, request, tally) && is_right;
    is_right = alike_is_right(binding, schedule, request->topology, request->placement, label,
                              &tally->alike) && is_right;
    if (!is_right)
        printf("\n  disagree (%s): %s\n%s", is_clean ? "figures" : "findings", label, text);
    tally->disagreed += !is_right;
    verify_report_free(&expanded);
    verify_report_free(&symmetric);
    symmetric_verdict_free(&verdict);
    if (schedule)
        schedule->destroy(schedule);
    diagnostics_free(&findings);
    return verdict.is_decided;
}

static const struct {
    const char *topology;
    uint32_t per_machine;
    const char *placement, *adapters, *between_rails;
} networks[] = {
    {"star:5", 1, NULL, NULL, NULL}, {"star:8", 1, NULL, NULL, NULL}, {"star:7", 1, NULL, NULL, NULL},
    {"star:4", 3, NULL, NULL, NULL}, {"star:3", 4, NULL, NULL, NULL}, {"star:4", 3, "cyclic", NULL, NULL},
    {"full:6", 1, NULL, NULL, NULL}, {"full:4", 2, NULL, NULL, NULL}, {"torus:7", 1, NULL, NULL, NULL},
    {"torus:8", 1, NULL, NULL, NULL}, {"torus:5x5", 1, NULL, NULL, NULL},
    {"torus:4x3,lat=1us:3us,bw=2GB/s:1GB/s", 1, NULL, NULL, NULL}, {"torus:3x3x3", 1, NULL, NULL, NULL},
    {"torus:4x2", 2, NULL, NULL, NULL}, {"mesh:5x5", 1, NULL, NULL, NULL}, {"mesh:6", 1, NULL, NULL, NULL},
    {"fattree:2x4,up=1x2", 2, NULL, NULL, NULL},
    {"fattree:4x3,bw=4GB/s:1GB/s,lat=3us:1us", 1, NULL, NULL, NULL},
    {"fattree:3x3,up=1x1", 1, NULL, NULL, NULL}, {"torus:3x3", 2, "cyclic", NULL, NULL},
    {"torus:2x2", 1, NULL, NULL, NULL}, {"star:24", 1, NULL, NULL, NULL}, {"star:16", 1, NULL, NULL, NULL},
    {"torus:6x5", 1, NULL, NULL, NULL}, {"fattree:2x2x3", 1, NULL, NULL, NULL},
    {"fattree:4x2x2,up=1x2x1,bw=1GB/s:2GB/s:9GB/s", 1, NULL, NULL, NULL},
    {"fattree:4x4,up=1x2,lat=1us:9us", 1, NULL, NULL, NULL}, {"torus:2x4", 3, NULL, NULL, NULL},
    {"torus:6x4", 1, NULL, NULL, NULL}, {"torus:4x4", 1, NULL, NULL, NULL},
    {"torus:8x2", 1, NULL, NULL, NULL},
    {"torus:3x4x2,lat=5us:1us:9us,bw=3GB/s:1GB/s:2GB/s", 1, NULL, NULL, NULL},
    {"rail:4x2", 2, NULL, "slot", "host"},
    {"rail:2x3x4,up=2,lat=1us:5us,bw=1GB/s:2GB/s", 3, NULL, "slot", "host"},
    {"rail:4x2x2,up=2", 4, NULL, "block", "fabric"},
    {"rail:3x2x2,up=3x0", 2, NULL, "stripe", "host"},
    {"rail:4x2x2,up=3", 2, NULL, "slot", "fabric"},
    {"tests/data/rails/four-rails.txt", 4, NULL, "slot", "host"},
    {"tests/data/rails/four-rails.txt", 2, NULL, "stripe", "host"},
};
enum { N_NETWORKS = sizeof networks / sizeof *networks };

/* Limits that are passed at times. */
static void set_limits(struct verify_request *request, struct tally *tally)
{
    struct limit *const limits[] = {&request->limits.max_link_load, &request->limits.max_total_load,
                                    &request->limits.max_contended_steps, &request->limits.max_fan_in,
                                    &request->limits.max_fan_out, &request->limits.max_hol_slowdown,
                                    &request->limits.ports, &request->limits.max_steps,
                                    &request->limits.max_idle_steps, &request->limits.max_bound_ratio};
    *limits[below(tally, 10)] = limit_of(below(tally, 2) ? below(tally, 4) + 1 : below(tally, 30) + 1);
}

/* Binds a text on the network and compares; false if it cannot be bound. */
static bool try_text(const char *path, const char *text, uint32_t network, struct tally *tally,
                     bool *is_decided)
{
    struct diagnostics diagnostics = {0};
    *is_decided = false;
    const struct program *program = scene_program(path, text, &diagnostics);
    struct topology *topology = topology_read(networks[network].topology, &diagnostics);
    struct placement_request where = {.ranks_per_machine = networks[network].per_machine,
                                      .rule = networks[network].placement,
                                      .adapters = networks[network].adapters,
                                      .between_rails = networks[network].between_rails};
    struct placement *placement = placement_make(topology, &where, &diagnostics);
    if (where.adapters)
        CU_ASSERT_FATAL(placement_use_adapters(placement, topology, &where, &diagnostics));
    struct bind_request request = {.topology = topology, .placement = placement};
    static const enum neighborhood_kind kinds[] = {NEIGHBORS_CARTESIAN, NEIGHBORS_STENCIL,
                                                   NEIGHBORS_CARTESIAN, NEIGHBORS_OPEN};
    struct arena arena = {0};
    if (program && collective_is_of_neighbors(program->collective))
        request.neighbors = neighborhood_of_grid(grid_of_ranks(topology, placement), placement->n_ranks,
                                                 kinds[below(tally, 4)], &arena);
    struct binding *binding = program ? bind_program(program, &request, &diagnostics) : NULL;
    const bool is_bound = binding;
    if (is_bound) {
        char label[256];
        struct verify_request verify = {.topology = below(tally, 8) ? topology : NULL,
                                        .placement = placement,
                                        .least = {.kind = below(tally, 4) ? "test" : NULL, .units = 5}};
        if (below(tally, 3) == 0)
            set_limits(&verify, tally);
        if (!verify.topology)
            verify.limits = (struct verify_limits){0};
        snprintf(label, sizeof label, "%s on %s x %u %s", path, networks[network].topology,
                 networks[network].per_machine, where.adapters ? where.adapters : "");
        *is_decided = compare(binding, &verify, label, text, tally);
        binding_free(binding);
    } else {
        tally->refused++;
    }
    arena_free(&arena);
    placement_free(placement);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return is_bound;
}

static void print_alike(const struct alike_tally *tally)
{
    printf("\n  of %u expansions %u also by unlike steps, with %u like those, %u by one rank; %u measured and %u "
           "by one rank by symmetry; %u disagree ",
           tally->n, tally->known, tally->n_likes, tally->uniform, tally->n_symmetric,
           tally->n_uniform_symmetric, tally->disagreed);
}

/* ---- the built-in algorithms ---- */

static void test_library(void)
{
    struct tally tally = {.state = 1};
    const uint32_t by = by_form(4, 1, 1);
    unsigned n_symmetric = 0;
    for (size_t i = 0; i < scene_n_files(); i++) {
        char name[SCENE_NAME];
        const char *text = embedded_files[i].text;
        const bool is_algorithm = scene_algorithm(i, name);
        bool is_symmetric = false, is_decided;
        for (uint32_t network = (uint32_t)i % by; is_algorithm && network < N_NETWORKS; network += by) {
            try_text(name, text, network, &tally, &is_decided);
            is_symmetric |= is_decided;
        }
        n_symmetric += is_symmetric;
    }
    printf("\n  %u of the algorithms are symmetric: %u of %u verdicts, %u by several orbits, %u links by "
           "classes, %u by flows, %u with findings; %u disagree ",
           n_symmetric, tally.decided, tally.n, tally.of_orbits, tally.by_classes, tally.by_flows,
           tally.findings, tally.disagreed);
    print_alike(&tally.alike);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(tally.alike.known > tally.alike.n / 4 && tally.alike.n_likes > tally.alike.known);
    CU_ASSERT(tally.alike.uniform > enough(by_form(50, 100, 100)) && tally.alike.n_symmetric > enough(100) &&
              tally.alike.n_uniform_symmetric > enough(by_form(50, 100, 100)));
    CU_ASSERT(tally.repeats > enough(by_form(200, 500, 500)));
    CU_ASSERT(n_symmetric >= enough(60));
    CU_ASSERT(tally.by_classes > enough(100) && tally.by_flows > enough(20));
}

/* ---- mutants ---- */

/* An allgather whose messages go as many places on as back; `rest` comes before them. */
#define MIRRORED(rest) \
    "allgather t\nranks r: p\nrequires p == extent(0) * extent(1)\n" \
    "let s = 1 - 2 * (coordinate(r, 0) mod 2)\nlet t = 1 - 2 * (coordinate(r, 1) mod 2)\n" rest \
    "copy in to out[r]\nfor i in 0 .. extent(0)-1\n  for j in 0 .. extent(1)-1\n    if i + j > 0\n" \
    "      step\n        let f = shift(shift(r, 0, s*i*(2*(i mod 2)-1)), 1, t*j*(2*(j mod 2)-1))\n" \
    "        send in to shift(shift(r, 0, s*i), 1, t*j)\n        recv out[f] from f\n"

static const char *const bases[] = {
    "alltoall t\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i\n"
    "    recv out[r-i] from r - i\n",
    "alltoall t\nranks (s: servers, l: slots)\nfor j in 0 .. servers-1\n  for k in 0 .. slots-1\n"
    "    step\n      send in[s+j, l+k] to (s+j, l+k)\n      recv out[s-j, l-k] from (s-j, l-k)\n",
    "allreduce t\nranks r: p\nlet segments = p\nfor i in 0 .. p-2\n  step\n"
    "    send buf[(r-i) mod p] to r + 1\n    reduce buf[(r-i-1) mod p] from r - 1\n"
    "for i in 0 .. p-2\n  step\n    send buf[(r-i+1) mod p] to r + 1\n"
    "    recv buf[(r-i) mod p] from r - 1\n",
    "allreduce t\nranks r: p\ntmp 1\nexact\nlet n = p - 1\ncopy buf to tmp\nwindow 3\n  for i in 1 .. n\n"
    "    step\n      send tmp to r + i\n      reduce buf from r - i\n",
    "allgather t\nranks r: p\ncopy in to out[r]\nfor i in 0 .. p-2\n  step\n    send out[r-i] to r + 1\n"
    "    recv out[r-i-1] from r - 1\n",
    /* flows that come twice, twice and often */
    "allgather t\nranks r: p\ntmp 1\nfor i in 0 .. 3\n  step\n    send in to r + 5 - i / 2 * 2\n"
    "    recv tmp from r - 5 + i / 2 * 2\ncopy in to out[r]\nfor i in 0 .. p-2\n  step\n"
    "    send out[r-i] to r + 1\n    recv out[r-i-1] from r - 1\n",
    "allgather t\nranks r: p\ncopy in to out[r]\nwindow 3\n  for i in 1 .. p-1\n    step\n"
    "      send in to r + i\n      recv out[r-i] from r - i\n",
    "reduce_scatter_block t\nranks r: p\ntmp 2\ncopy in[r] to out\nfor i in 1 .. p-1\n  step\n"
    "    send in[r+i] to r + i\n    recv tmp[i mod 2] from r - i\n  reduce tmp[i mod 2] to out\n",
    "reduce_scatter_block t\nranks r: p\ntmp p\nlet x = r + 1\nfor i in 0 .. p-1\n"
    "  copy in[x+i] to tmp[(r+i+1) mod p]\nfor i in 1 .. p-1\n  step\n"
    "    send tmp[(r-i) mod p] to r + 1\n    reduce tmp[(r-i-1) mod p] from r - 1\n"
    "copy tmp[r] to out\n",
    "reduce_scatter_block t\nranks r: p\ntmp p\ncopy in to tmp\nfor i in 1 .. p-1\n  step\n"
    "    send tmp[(r-i) mod p] to r + 1\n    reduce tmp[(r-i-1) mod p] from r - 1\ncopy tmp[r] to out\n",
    "alltoall t\nranks (x: nx, y: ny)\ncopy in[x, y] to out[x, y]\nfor i in 0 .. nx-1\n"
    "  for j in 0 .. ny-1\n    if i + j > 0\n      step\n        send in[x+i, y-j] to (x+i, y-j)\n"
    "        recv out[x-i, y+j] from (x-i, y+j)\n",
    "allgather t\nranks (x: nx, y: ny)\ncopy in to out[x, y]\nfor i in 0 .. nx-2\n  step\n"
    "    send out[x-i, y] to (x+1, y)\n    recv out[x-i-1, y] from (x-1, y)\nfor j in 0 .. ny-2\n"
    "  step\n    for i in 0 .. nx-1\n      send out[x+i, y-j] to (x, y+1)\n"
    "      recv out[x+i, y-j-1] from (x, y-1)\n",
    "barrier t\nranks r: p\nfor k in 0 .. ceil_log2(p)-1\n  step\n    send to r + 2^k\n"
    "    recv from r - 2^k\n",
    "allgather t\nranks r: p\nlet segments = 2\ncopy in to out[r]\nfor i in 0 .. p-2\n  for g in 0 .. 1\n"
    "    step\n      send out[r-i; g] to r + 1\n      recv out[r-i-1; g] from r - 1\n",
    "barrier t\nranks r: p\nfor d in 1 .. p-1\n  step\n    send to r + d; recv from r - d\n"
    "    send to r + 3*d + 1; recv from r - 3*d - 1\n"
    "for i in 0 .. ceil_log2(p)-1\n  step\n    send to r + 2^i\n    recv from r - 2^i\n",
    "alltoall t\nranks r: p\ndef both(d)\n  send in[r+d] to r + d\n  recv out[r-d] from r - d\n"
    "for i in 0 .. p/2\n  step\n    both(i)\n    if i > 0 and 2*i < p  both(-i)\n",
    "alltoall t\nranks r: p\ncopy in[r] to out[r]\nfor v in 1 .. p-1\n  step\n"
    "    send in[displace(r, v, 1)] to displace(r, v, 1)\n"
    "    recv out[displace(r, v, -1)] from displace(r, v, -1)\n",
    "allgather t\nranks r: p\ntmp p\ncopy in to tmp[r]\nfor i in 1 .. extent(0)-1\n  step\n"
    "    send tmp[shift(r, 0, 1-i)] to shift(r, 0, 1)\n    recv tmp[shift(r, 0, -i)] from shift(r, 0, "
    "-1)\n"
    "for j in 1 .. p/extent(0)-1\n  step\n    for i in 0 .. extent(0)-1\n"
    "      send tmp[displace(r, i+extent(0)*(j-1), -1)] to shift(r, 1, 1)\n"
    "      recv tmp[displace(r, i+extent(0)*j, -1)] from shift(r, 1, -1)\n"
    "for v in 0 .. p-1\n  copy tmp[displace(r, v, 1)] to out[displace(r, v, 1)]\n",
    "alltoall t\nranks r: p\nrequires 2^floor_log2(p) == p\ncopy in[r] to out[r]\n"
    "for i in 1 .. p-1\n  step\n    send in[r xor i] to r xor i\n    recv out[r xor i] from r xor i\n",
    "allgather t\nranks r: p\nrequires 2^floor_log2(p) == p\ncopy in to out[r]\n"
    "for k in 0 .. ceil_log2(p)-1\n  step\n    for i in 0 .. 2^k-1\n"
    "      send out[r xor i] to r xor 2^k\n      recv out[r xor i xor 2^k] from r xor 2^k\n",
    "allreduce t\nranks r: p\nrequires 2^floor_log2(p) == p\nfor k in 0 .. ceil_log2(p)-1\n  step\n"
    "    send buf to r xor 2^k\n    reduce buf from r xor 2^k\n",
    "allreduce t\nranks r: p\nlet segments = p * 3\nfor g in 0 .. 2\n  for i in 0 .. p-2\n    step\n"
    "      send buf[3*((r-i) mod p)+g] to r + 1\n      reduce buf[3*((r-i-1) mod p)+g] from r - 1\n"
    "for i in 0 .. p-2\n  step\n    let give = 3 * ((r - i + 1) mod p)\n"
    "    let get = 3 * ((r - i) mod p)\n    send buf[give .. give+2] to r + 1\n"
    "    recv buf[get .. get+2] from r - 1\n",
    "allgather t\nranks (s: servers, l: slots)\ntmp p\nif l == 0  copy in to tmp[s*slots]\nif slots > 1\n"
    "  step\n    if l > 0  send in to (s, 0)\n    else\n      for k in 1 .. slots-1\n"
    "        recv tmp[s*slots+k] from (s, k)\nfor i in 0 .. servers-2\n  step\n    if l == 0\n"
    "      let give = (s - i) mod servers * slots\n      let get = (s - i - 1) mod servers * slots\n"
    "      send tmp[give .. give+slots-1] to (s+1, 0)\n      recv tmp[get .. get+slots-1] from (s-1, 0)\n"
    "if slots > 1\n  step\n    if l == 0\n      for k in 1 .. slots-1\n        send tmp to (s, k)\n"
    "    else  recv tmp from (s, 0)\nfor j in 0 .. servers-1\n  for k in 0 .. slots-1\n"
    "    copy tmp[j*slots+k] to out[j, k]\n",
    "barrier t\nranks (s: servers, l: slots)\nif slots > 1\n  step\n    if l > 0  send to (s, 0)\n    "
    "else\n"
    "      for k in 1 .. slots-1\n        recv from (s, k)\nfor i in 0 .. ceil_log2(servers)-1\n  step\n"
    "    if l == 0\n      send to (s+2^i, 0)\n      recv from (s-2^i, 0)\nif slots > 1\n  step\n"
    "    if l > 0  recv from (s, 0)\n    else\n      for k in 1 .. slots-1\n        send to (s, k)\n",
    "allreduce t\nranks (s: servers, l: slots)\nlet segments = servers\nif slots > 1\n  step\n"
    "    if l > 0  send buf to (s, 0)\n    else\n      for k in 1 .. slots-1\n        reduce buf from "
    "(s, k)\n"
    "for i in 0 .. servers-2\n  step\n    if l == 0\n      send buf[(s-i) mod servers] to (s+1, 0)\n"
    "      reduce buf[(s-i-1) mod servers] from (s-1, 0)\nfor i in 0 .. servers-2\n  step\n    if l == "
    "0\n"
    "      send buf[(s-i+1) mod servers] to (s+1, 0)\n      recv buf[(s-i) mod servers] from (s-1, 0)\n"
    "if slots > 1\n  step\n    if l > 0  recv buf from (s, 0)\n    else\n      for k in 1 .. slots-1\n"
    "        send buf to (s, k)\n",
    "allgather t\nranks r: p\nrequires p mod 2 == 0\nlet even = 1 - r mod 2\nlet q = r / 2\ncopy in to "
    "out[r]\n"
    "step\n  if even\n    send in to r + 1\n    recv out[r+1] from r + 1\n  else\n    send in to r - 1\n"
    "    recv out[r-1] from r - 1\nfor i in 1 .. p/2-1\n  step\n    let give = (2*q - 2*i + 2) mod p\n"
    "    let get = (2*q - 2*i) mod p\n    send out[give .. give+1] to r + 2\n"
    "    recv out[get .. get+1] from r - 2\n",
    "alltoall t\nranks (s: servers, l: slots)\ntmp 4 * p\nfor j in 0 .. servers-1\n  for k in 0 .. "
    "slots-1\n"
    "    copy in[j, k] to tmp[k*servers+j]\nfor e in 0 .. slots-1\n  step\n    let a = (l + e) mod "
    "slots\n"
    "    let at = (l - e) mod slots\n    send tmp[a*servers .. a*servers+servers-1] to (s, l+e)\n"
    "    recv tmp[p+at*servers .. p+at*servers+servers-1] from (s, l-e)\nfor j in 0 .. servers-1\n"
    "  for k in 0 .. slots-1\n    copy tmp[p+k*servers+j] to tmp[2*p+j*slots+k]\nfor d in 0 .. "
    "servers-1\n"
    "  step\n    let a = 2 * p + (s + d) mod servers * slots\n    let at = 3 * p + (s - d) mod servers * "
    "slots\n"
    "    send tmp[a .. a+slots-1] to (s+d, l)\n    recv tmp[at .. at+slots-1] from (s-d, l)\n"
    "for j in 0 .. servers-1\n  for k in 0 .. slots-1\n    copy tmp[3*p+j*slots+k] to out[j, k]\n",
    "reduce_scatter_block t\nranks r: p\ntmp p\nfor i in 0 .. p-1\n"
    "  copy in[r+i] to tmp[(r+i) mod p + (r+i)/p*p - r]\nfor i in 1 .. p-1\n  step\n"
    "    send tmp[(r+i) mod p + (r+i)/p*p - r .. (r+i+1) mod p + (r+i+1)/p*p - r - 1] to r + i\n"
    "    reduce tmp[0] from r - i\ncopy tmp[0] to out\n",
    "reduce_scatter_block t\nranks r: p\nlet q = ceil_log2(max(2, p))\ntmp p\ncopy in to tmp\n"
    "for k in q-1 .. 0 by -1\n  step\n    let s = (p + 2^(q-k) - 1) / 2^(q-k)\n    for j in 1 .. p-1\n"
    "      let g = min(0, circulant_block(p, j, k))\n      if g >= 0\n"
    "        send tmp[(r-j) mod p+g] to r - s\n        reduce tmp[(r+s-j) mod p+g] from r + s\n"
    "copy tmp[r] to out\n",
    "reduce_scatter t\nranks r: p\ntmp j: p like in[j]\ncopy in to tmp\nfor i in 0 .. p-2\n  step\n"
    "    send tmp[(r-1-i) mod p] to r + 1\n    reduce tmp[(r-2-i) mod p] from r - 1\ncopy tmp[r] to out\n",
    "allgatherv t\nranks r: p\ntmp j: p like out[r-j]\ncopy in to tmp[0]\nfor i in 0 .. p-2\n  step\n"
    "    send tmp[i] to r + 1\n    recv tmp[i+1] from r - 1\nfor i in 0 .. p-1\n  copy tmp[i] to out[r-i]\n",
    "allgather t\nranks r: p\nrequires p mod 2 == 0\nlet s = 1 - 2 * (r mod 2)\ncopy in to out[r]\n"
    "for i in 0 .. p/2-1\n  let w = (r + s * (2*i + 1)) mod p\n  step\n    if r < p and w >= 0\n"
    "      send in to w\n      recv out[w] from w\nstep\n  let w = (r + s) mod p\n"
    "  for b in 1 .. p/2-1\n    send out[(w-s*2*b) mod p] to w\n    recv out[(r+s*2*b) mod p] from w\n",
    "reduce_scatter_block t\nranks r: p\ntmp p\ncopy in to tmp\nfor i in 1 .. p-1\n  step\n"
    "    let at = (r + i) mod p\n    if at < p\n      send tmp[at] to r + i\n"
    "      reduce tmp[r] from r - i\ncopy tmp[r] to out\n",
    "allreduce t\nranks (x: nx, y: ny)\nlet segments = p\nlet row = (x + 1) mod nx * ny\n"
    "for i in 0 .. nx-2\n  step\n    let give = (x - i) mod nx * ny\n"
    "    let get = (x - i - 1) mod nx * ny\n    send buf[give .. give+ny-1] to (x+1, y)\n"
    "    reduce buf[get .. get+ny-1] from (x-1, y)\nfor i in 0 .. ny-2\n  step\n"
    "    send buf[row+(y-i) mod ny] to (x, y+1)\n    reduce buf[row+(y-i-1) mod ny] from (x, y-1)\n"
    "for i in 0 .. ny-2\n  step\n    send buf[row+(y-i+1) mod ny] to (x, y+1)\n"
    "    recv buf[row+(y-i) mod ny] from (x, y-1)\nfor i in 0 .. nx-2\n  step\n"
    "    let give = (x - i + 1) mod nx * ny\n    let get = (x - i) mod nx * ny\n"
    "    send buf[give .. give+ny-1] to (x+1, y)\n    recv buf[get .. get+ny-1] from (x-1, y)\n",
    "allreduce t\nranks (x: nx, y: ny)\nlet segments = 2 * p\n"
    "def ring(d, i, a, n, first, size, is_gather)\n  if 0 <= i and i < n - 1\n"
    "    let give = first + (a - i + is_gather) mod n * size\n"
    "    let get = first + (a - i - 1 + is_gather) mod n * size\n"
    "    send buf[give .. give+size-1] to (x+1-d, y+d)\n"
    "    if is_gather  recv buf[get .. get+size-1] from (x-1+d, y-d)\n"
    "    else  reduce buf[get .. get+size-1] from (x-1+d, y-d)\ndef part(d, t, first, a, na, b, nb)\n"
    "  let row = first + (a + 1) mod na * nb\n  ring(d, t, a, na, first, nb, 0)\n"
    "  ring(1-d, t-na+1, b, nb, row, 1, 0)\n  ring(1-d, t-na-nb+2, b, nb, row, 1, 1)\n"
    "  ring(d, t-na-2*nb+3, a, na, first, nb, 1)\nfor t in 0 .. 2*(nx+ny)-5\n  step\n"
    "    part(0, t, 0, x, nx, y, ny)\n    part(1, t, p, y, ny, x, nx)\n",
    "allreduce t\nranks r: p\nlet segments = p\ndef rings(d, size, is_gather, place)\n"
    "  for i in 1 .. extent(d)-1\n    step\n"
    "      let first = place / (size * extent(d)) * (size * extent(d))\n"
    "      let give = first + (coordinate(r, d) - i + is_gather) mod extent(d) * size\n"
    "      let get = first + (coordinate(r, d) - i - 1 + is_gather) mod extent(d) * size\n"
    "      send buf[give .. give+size-1] to shift(r, d, 1)\n"
    "      if is_gather  recv buf[get .. get+size-1] from shift(r, d, -1)\n"
    "      else  reduce buf[get .. get+size-1] from shift(r, d, -1)\nlet n = extent(0)\n"
    "let place = coordinate(r, 0) + n * (coordinate(r, 1) + extent(1) * coordinate(r, 2))\n"
    "rings(2, n*extent(1), 0, place); rings(1, n, 0, place); rings(0, 1, 0, place)\n"
    "rings(0, 1, 1, place); rings(1, n, 1, r); rings(2, n*extent(1), 1, r)\n",
    "reduce_scatter_block t\nranks (x: nx, y: ny)\ntmp p\nfor i in 0 .. p-1\n"
    "  copy in[i mod nx, i/nx] to tmp[i]\nfor i in ny-2 .. 0 by -1\n  step\n"
    "    let give = nx * ((y - i - 1) mod ny)\n    let get = nx * ((y - i) mod ny)\n"
    "    send tmp[give .. give+nx-1] to (x, y-1)\n    reduce tmp[get .. get+nx-1] from (x, y+1)\n"
    "for i in nx-2 .. 0 by -1\n  step\n    send tmp[nx*y+(x-i-1) mod nx] to (x-1, y)\n"
    "    reduce tmp[nx*y+(x-i) mod nx] from (x+1, y)\ncopy tmp[x+nx*y] to out\n",
    "reduce_scatter_block t\nranks (x: nx, y: ny)\nlet segments = 2\n"
    "tmp j: 2 * p like in[0, 0; j/p]\nfor i in 0 .. nx-1\n  for j in 0 .. ny-1\n"
    "    copy in[i, j; 0] to tmp[i*ny+j]\n    copy in[i, j; 1] to tmp[p+j*nx+i]\n"
    "for i in nx-2 .. 0 by -1\n  step\n"
    "    send tmp[(x-i-1) mod nx*ny .. (x-i-1) mod nx*ny+ny-1] to (x-1, y)\n"
    "    reduce tmp[(x-i) mod nx*ny .. (x-i) mod nx*ny+ny-1] from (x+1, y)\n"
    "for i in ny-2 .. 0 by -1\n  step\n    send tmp[x*ny+(y-i-1) mod ny] to (x, y-1)\n"
    "    reduce tmp[x*ny+(y-i) mod ny] from (x, y+1)\n"
    "    send tmp[p+(y-i-1) mod ny*nx .. p+(y-i-1) mod ny*nx+nx-1] to (x, y-1)\n"
    "    reduce tmp[p+(y-i) mod ny*nx .. p+(y-i) mod ny*nx+nx-1] from (x, y+1)\n"
    "for i in nx-2 .. 0 by -1\n  step\n    send tmp[p+y*nx+(x-i-1) mod nx] to (x-1, y)\n"
    "    reduce tmp[p+y*nx+(x-i) mod nx] from (x+1, y)\ncopy tmp[x*ny+y] to out[0]\n"
    "copy tmp[p+y*nx+x] to out[1]\n",
    "allgather t\nranks r: p\ntmp p\nlet n = extent(0)\nlet m = p / n\ncopy in to tmp[r]\n"
    "for i in 0 .. n-2\n  step\n    let row = r / n * n\n"
    "    send tmp[row+(coordinate(r, 0)-i) mod n] to shift(r, 0, 1)\n"
    "    recv tmp[row+(coordinate(r, 0)-i-1) mod n] from shift(r, 0, -1)\nfor i in 0 .. m-2\n"
    "  step\n    let give = (coordinate(r, 1) - i) mod m * n\n"
    "    let get = (coordinate(r, 1) - i - 1) mod m * n\n"
    "    send tmp[give .. give+n-1] to shift(r, 1, 1)\n"
    "    recv tmp[get .. get+n-1] from shift(r, 1, -1)\nfor q in 0 .. p-1\n"
    "  copy tmp[coordinate(q, 0)+n*(q/n)] to out[q]\n",
    "alltoall t\nranks r: p\ntmp 3 * p\nfor j in 0 .. p-1\n  copy in[j] to tmp[j]\nfor i in 1 .. p-1\n  "
    "step\n"
    "    copy tmp[(r+i) mod p] to tmp[p]\n    send tmp[p] to r + i\n"
    "    recv tmp[2*p+(r-i) mod p] from r - i\ncopy tmp[r] to tmp[2*p+r]\nfor j in 0 .. p-1\n"
    "  copy tmp[2*p+j] to tmp[p+j]\nfor j in 0 .. p-1\n  copy tmp[p+j] to out[j]\n",
    "alltoall t\nranks (s: servers, l: slots)\nlet q = slots * p\nlet m = 2 * q\ntmp m + p + slots^2\n"
    "for j in 0 .. servers-1\n  for k in 0 .. slots-1\n    copy in[j, k] to tmp[j*slots+k]\nif slots > 1\n"
    "  step\n    if l > 0  send tmp[0 .. p-1] to (s, 0)\n    else\n      for i in 1 .. slots-1\n"
    "        recv tmp[i*p .. i*p+p-1] from (s, i)\nfor d in 0 .. servers-1\n  step\n    if l == 0\n"
    "      let j = (s + d) mod servers * slots\n      let i = (s - d) mod servers * slots^2\n"
    "      for k in 0 .. slots-1\n"
    "        copy tmp[k*p+j .. k*p+j+slots-1] to tmp[m+k*slots .. m+k*slots+slots-1]\n"
    "      send tmp[m .. m+slots^2-1] to (s+d, 0)\n      recv tmp[q+i .. q+i+slots^2-1] from (s-d, 0)\n"
    "if l == 0\n  for i in 0 .. p-1\n    copy tmp[q+i*slots] to tmp[m+i]\nif slots > 1\n  step\n"
    "    if l > 0  recv tmp[m .. m+p-1] from (s, 0)\n    else\n      for k in 1 .. slots-1\n"
    "        for i in 0 .. p-1\n          copy tmp[q+i*slots+k] to tmp[k*p+i]\n"
    "        send tmp[k*p .. k*p+p-1] to (s, k)\nfor j in 0 .. servers-1\n  for k in 0 .. slots-1\n"
    "    copy tmp[m+j*slots+k] to out[j, k]\n",
    "allgather t\nranks (s: servers, l: slots)\ntmp 2 * p\nfor e in 0 .. slots-1\n  step\n    send in to (s, "
    "l+e)\n"
    "    recv tmp[s*slots+(l-e) mod slots] from (s, l-e)\nstep\n  send tmp[s*slots .. s*slots+slots-1] to "
    "(s, l+1)\n"
    "  recv tmp[p .. p+slots-1] from (s, l-1)\nfor d in 0 .. servers-1\n  step\n"
    "    send tmp[p .. p+slots-1] to (s+d, l)\n"
    "    recv tmp[(s-d) mod servers*slots .. (s-d) mod servers*slots+slots-1] from (s-d, l)\n"
    "for v in 0 .. p-1\n  copy tmp[v] to tmp[p+v]\nfor v in 0 .. p-1\n"
    "  copy tmp[p+v] to out[v/slots, v mod slots]\n",
    "allgather t\nranks (x: nx, y: ny)\nrequires nx mod 2 == 0 and ny mod 2 == 0\nlet t = 1 - 2 * (x mod 2)\n"
    "let s = 1 - 2 * (y mod 2)\ncopy in to out[x, y]\nfor i in 0 .. nx-1\n  for j in 0 .. ny-1\n"
    "    if i + j > 0\n      step\n        let u = x + t * i * (2 * (i mod 2) - 1)\n"
    "        let v = y + s * j * (2 * (j mod 2) - 1)\n        send in to (x+t*i, y+s*j)\n"
    "        recv out[u, v] from (u, v)\n",
    "allreduce t\nranks r: p\nrequires extent(0) mod 2 == 0 and p == extent(0) * extent(1)\n"
    "requires extent(1) mod 2 == 0\nlet segments = 2 * p\ndef exchange(d, i, j, is_gather)\n"
    "  let s = 1 - 2 * (coordinate(r, d) mod 2)\n  let t = 1 - 2 * (coordinate(r, 1-d) mod 2)\n"
    "  let w = shift(shift(r, d, s*i), 1-d, t*j)\n"
    "  let f = shift(shift(r, d, s*i*(2*(i mod 2)-1)), 1-d, t*j*(2*(j mod 2)-1))\n  for c in 0 .. 1\n"
    "    if is_gather\n      send buf[c*p+r] to w\n      recv buf[c*p+f] from f\n    else\n"
    "      send buf[c*p+w] to w\n      reduce buf[c*p+r] from f\nfor is_gather in 0 .. 1\n"
    "  for d in 0 .. 1\n    for i in 0 .. extent(d)-1\n      for j in 0 .. extent(1-d)-1\n"
    "        if i + j > 0 and (i + j) mod 2 == d\n          step\n"
    "            exchange(d, i, j, is_gather)\n",
    MIRRORED(""),
    "allreduce t\nranks r: p\nrequires extent(0) mod 2 == 0 and p == extent(0) * extent(1)\n"
    "requires extent(1) mod 2 == 0\nlet segments = 2 * p\ndef exchange(d, e, i, j, is_gather)\n"
    "  let s = 1 - 2 * (coordinate(r, d) mod 2)\n  let t = 1 - 2 * (coordinate(r, e) mod 2)\n"
    "  let w = shift(shift(r, d, s*i), e, t*j)\n"
    "  let f = shift(shift(r, d, s*i*(2*(i mod 2)-1)), e, t*j*(2*(j mod 2)-1))\n  for c in 0 .. 1\n"
    "    if is_gather\n      send buf[c*p+r] to w\n      recv buf[c*p+f] from f\n    else\n"
    "      send buf[c*p+w] to w\n      reduce buf[c*p+r] from f\nfor is_gather in 0 .. 1\n"
    "  for d in 0 .. 1\n    let e = 1 - d\n    for i in 0 .. extent(d)-1\n"
    "      for j in 0 .. extent(e)-1\n        if i + j > 0 and (i + j) mod 2 == d\n          step\n"
    "            exchange(d, e, i, j, is_gather)\n",
    "alltoall t\nranks r: p\ndef away(i) = i if 2 * i < p else i - p\nfor i in 0 .. p-1\n  step\n"
    "    let w = r + (away(i) if i > 1 else i)\n    send in[w] to w\n    recv out[r-away(i)] from r - i\n",
    "allgather t\nranks r: p\nrequires p mod 2 == 0\ndef right(k) = r + 1 if (r + k) mod 2 == 0 else r - 1\n"
    "copy in to out[r]\nstep\n  send in to right(0)\n  recv out[right(0)] from right(0)\n"
    "for i in 1 .. p/2-1\n  step\n    let f = (r / 2 * 2 + (2 if r mod 2 == 0 else -2) * (i / 2 if i mod 2 "
    "== 0 else "
    "-(i + 1) / 2)) mod p\n    let g = (r / 2 * 2 + (2 if r mod 2 == 0 else -2) * (i / 2 if i mod 2 == 1 "
    "else "
    "-i / 2)) mod p\n    send out[g .. g+1] to right(i)\n    recv out[f .. f+1] from right(i)\n",
    "alltoall t\nranks r: p\nrequires p == extent(0) * extent(1)\nfor i in 0 .. extent(0)-1\n"
    "  for j in 0 .. extent(1)-1\n    step\n"
    "      let w = shift(r, 0, i) if j == 0 else shift(shift(r, 0, i), 1, j)\n"
    "      send in[w] to w\n      recv out[shift(shift(r, 0, -i), 1, -j)] from "
    "shift(shift(r, 1, -j) if j > 1 else shift(r, 1, -j), 0, -i)\n",
    "alltoall t\nranks r: p\ntmp goes[p]\ntmp comes[p]\nfor i in 0 .. p-1\n  copy in[r+i] to goes[i]\n"
    "for i in 0 .. p-1\n  step\n    send goes[i] to r + i\n    recv comes[(r-i) mod p] from r - i\n"
    "for i in 0 .. p-1\n  copy comes[i] to out[i]\n",
    "alltoall t\nranks r: p\ntmp 2 * p\nfor i in 0 .. p-1\n  copy in[r+i] to tmp[i]\n"
    "for k in 0 .. ceil_log2(p)-1\n  step\n"
    "    send tmp[i for i in 0 .. p-1 if i/2^k mod 2 == 1] to r + 2^k\n"
    "    recv tmp[p+i for i in 0 .. p-1 if i/2^k mod 2 == 1] from r - 2^k\n  for i in 0 .. p-1\n"
    "    if i / 2^k mod 2 == 1  copy tmp[p+i] to tmp[i]\nfor i in 0 .. p-1\n  copy tmp[i] to out[r-i]\n",
    "allgather t\nranks r: p\ncopy in to out[r]\nfor k in 0 .. ceil_log2(p)-1\n  step\n"
    "    let n = min(2^k, p-2^k)\n    send out[r+i for i in 0 .. n-1] to r - 2^k\n"
    "    recv out[r+2^k+i for i in 0 .. n-1] from r + 2^k\n",
    "alltoall t\nranks (s: servers, l: slots)\ntmp mine[p]\nfor d in 0 .. slots-1\n  step\n"
    "    send in[s+j, l+d for j in 0 .. servers-1] to (s, l+d)\n"
    "    recv mine[(l-d) mod slots*servers+j for j in 0 .. servers-1] from (s, l-d)\n"
    "for e in 0 .. servers-1\n  step\n    send mine[i*servers+e for i in 0 .. slots-1] to (s+e, l)\n"
    "    recv out[s-e, i for i in 0 .. slots-1] from (s-e, l)\n",
    "reduce_scatter_block t\nranks r: p\nrequires p == 2^floor_log2(p)\ntmp p\nfor j in 0 .. p-1\n"
    "  copy in[r xor j] to tmp[r xor j]\nfor k in 0 .. floor_log2(p)-1\n  step\n"
    "    send tmp[r xor 2^k xor j*2^(k+1) for j in 0 .. p/2^(k+1)-1] to r xor 2^k\n"
    "    reduce tmp[r xor j*2^(k+1) for j in 0 .. p/2^(k+1)-1] from r xor 2^k\ncopy tmp[r] to out\n",
    "allreduce t\nranks r: p\nlet segments = 2 * p\nfor i in 0 .. p-2\n  step\n"
    "    send buf[2*((r-i) mod p)], buf[2*((r-i) mod p)+1] to r + 1\n"
    "    reduce buf[2*((r-i-1) mod p)+h for h in 0 .. 1] from r - 1\n"
    "for i in 0 .. p-2\n  step\n    send buf[2*((r-i+1) mod p)+1], buf[2*((r-i+1) mod p)] to r + 1\n"
    "    recv buf[2*((r-i) mod p)+1-h for h in 0 .. 1] from r - 1\n",
    "pattern t\nranks r: p\nin 2\nout 2\nneeds\n  out[0] = in[1] of r - 1\n  out[1] = in[0] of r + 1\n"
    "step\n  send in[0] to r - 1\n  send in[1] to r + 1\n  recv out[1] from r + 1\n"
    "  recv out[0] from r - 1\n",
    "pattern t\nranks (x: nx, y: ny)\nin 4\nout 4\nneeds\n  out[0 .. 1] = in[0 .. 1] of (x-1, y)\n"
    "  out[2 .. 3] = in[2 .. 3] of (x, y-1)\nstep\n  send in[0 .. 1] to (x+1, y)\n"
    "  recv out[0 .. 1] from (x-1, y)\nstep\n  send in[2], in[3] to (x, y+1)\n"
    "  recv out[2 .. 3] from (x, y-1)\n",
    "pattern t\nranks r: p\nin p\nout p\nneeds\n  for i in 0 .. p-1\n    out[i] = in[r] of i\n"
    "copy in[r] to out[r]\nfor i in 1 .. p-1\n  step\n    send in[(r+i) mod p] to r + i\n"
    "    recv out[(r-i) mod p] from r - i\n",
    "pattern t\nranks (s: servers, l: slots)\nin 2\nout 1\nhas in[0]\nneeds out = in[0] of (s+1, l)\ntmp 1\n"
    "step\n  send in[0] to (s-1, l)\n  recv tmp from (s+1, l)\ncopy tmp to out\n",
    "pattern t\nranks r: p\nin 1\nout 1\nfor i in 1 .. p-1\n  step\n    send in to r + i\n"
    "    recv out from r - i\n",
    "alltoall t\nranks r: p\nrequires extent(0) mod 2 == 0 and p == extent(0)\ntmp 4 * p + 2\n"
    "let s = 1 - 2 * (coordinate(r, 0) mod 2)\ncopy in[r] to out[r]\nfor i in 1 .. extent(0)-1\n"
    "  let w = shift(r, 0, s*i)\n  let f = shift(r, 0, s*i*(2*(i mod 2)-1))\n  copy in[w] to tmp[4*w+2]\n"
    "  step\n    send tmp[4*w+2] to w\n    recv tmp[4*f+1] from f\n  copy tmp[4*f+1] to out[f]\n",
};
enum { N_BASES = sizeof bases / sizeof *bases, MAX_TEXT = 2048 };

/* Replaces n characters at `at` by `with`. */
static void splice(char *text, size_t at, size_t n, const char *with)
{
    const size_t length = strlen(with), rest = strlen(text + at + n) + 1;
    if (at + length + rest > MAX_TEXT)
        return;
    memmove(text + at + length, text + at + n, rest);
    memcpy(text + at, with, length);
}

/* A place behind the clause `ranks` with one of these characters, or 0. */
static size_t find_one(const char *text, const char *wanted, struct tally *tally)
{
    const char *body = strstr(text, "\nranks");
    body = strchr(body + 1, '\n');
    size_t places[MAX_TEXT], n = 0;
    for (const char *at = body; *at; at++)
        if (strchr(wanted, *at))
            places[n++] = (size_t)(at - text);
    return n ? places[below(tally, (uint32_t)n)] : 0;
}

/* The start of a random line of operations, its indentation skipped, or 0. */
static size_t find_operation(const char *text, struct tally *tally)
{
    static const char *const words[] = {"send ", "recv ", "reduce ", "copy ", "combine "};
    size_t places[MAX_TEXT], n = 0;
    for (size_t at = 1; text[at]; at++)
        for (size_t k = 0; k < 5; k++)
            if ((text[at - 1] == ' ' || text[at - 1] == '\n') &&
                strncmp(text + at, words[k], strlen(words[k])) == 0)
                places[n++] = at;
    return n ? places[below(tally, (uint32_t)n)] : 0;
}

/* Its coordinates: one of them twice if there is one. */
static const char *coordinate_of(const char *text, uint32_t which)
{
    static const char *const names[][2] = {{"s", "l"}, {"x", "y"}, {"r", "r"}};
    return names[strstr(text, "ranks (s") ? 0 : strstr(text, "ranks (x") ? 1 : 2][which];
}

static void mutate(char *text, struct tally *tally)
{
    static const char *const names[] = {"i", "j", "k", "r", "p", "0", "1", "2", "3", "(p-1)", "(p/2)"};
    static const char *const signs[] = {" + ",
                                        " - ",
                                        " * ",
                                        " mod ",
                                        " / ",
                                        " xor ",
                                        " if i > 1 else ",
                                        " if r mod 2 == 0 else ",
                                        " if 2 > 1 else "};
    enum { N_SIGNS = sizeof signs / sizeof *signs };
    char with[64];
    size_t at;
    switch (below(tally, 9)) {
    case 0:
        if ((at = find_one(text, "0123456789", tally)))
            splice(text, at, 1, names[5 + below(tally, 4)]);
        break;
    case 1:
        if ((at = find_one(text, "+-", tally)))
            splice(text, at, 1, signs[below(tally, N_SIGNS)]);
        break;
    case 2:
        if ((at = find_one(text, "r", tally)) && !strchr("abcdefghijklmnopqrstuvwxyz_", text[at + 1]))
            splice(text, at, 1, names[below(tally, 11)]);
        break;
    case 3:
        if ((at = find_operation(text, tally)))
            splice(text, at, strcspn(text + at, "\n"), "");
        break;
    case 4:
        if ((at = find_operation(text, tally))) {
            const size_t n = strcspn(text + at, "\n");
            char twice[MAX_TEXT];
            snprintf(twice, sizeof twice, "%.*s; %.*s", (int)n, text + at, (int)n, text + at);
            splice(text, at, n, twice);
        }
        break;
    case 5:
        if ((at = find_one(text, "])", tally))) {
            snprintf(with, sizeof with, "%s%s", signs[below(tally, N_SIGNS)], names[below(tally, 11)]);
            splice(text, at, 0, with);
        }
        break;
    case 6:
        if ((at = find_operation(text, tally)) && strncmp(text + at, "re", 2) == 0)
            splice(text, at, strcspn(text + at, " "), text[at + 2] == 'c' ? "reduce" : "recv");
        break;
    case 7:
        if ((at = find_one(text, "\n", tally)) && at > 1) {
            snprintf(with, sizeof with, "%s%s", signs[below(tally, N_SIGNS)], names[below(tally, 11)]);
            splice(text, at, 0, with);
        }
        break;
    default:
        if ((at = find_operation(text, tally))) {
            snprintf(with, sizeof with, "if %s %s %u  ",
                     below(tally, 2) ? "i" : coordinate_of(text, below(tally, 2)),
                     below(tally, 2) ? "==" : "!=", below(tally, 4));
            splice(text, at, 0, with);
        }
        break;
    }
}

static void test_mutants(void)
{
    struct tally tally = {.state = 42};
    const unsigned rounds = is_least() ? 8 : by_form(60, 200, 1550);
    for (unsigned round = 0; round < rounds; round++)
        for (uint32_t base = 0; base < N_BASES; base++) {
            char text[MAX_TEXT];
            bool is_decided;
            snprintf(text, sizeof text, "%s", bases[base]);
            for (uint32_t i = below(&tally, 3) + (round > 0); i > 0; i--)
                mutate(text, &tally);
            try_text("mutant.coll", text, below(&tally, N_NETWORKS), &tally, &is_decided);
        }
    printf("\n  %u mutants, %u others refused: %u with findings; %u decided by symmetry, %u of them by "
           "several "
           "orbits, %u by mirrors, %u links by classes, %u by flows; %u disagree ",
           tally.n, tally.refused, tally.findings, tally.decided, tally.of_orbits, tally.mirrored,
           tally.by_classes, tally.by_flows, tally.disagreed);
    print_alike(&tally.alike);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(tally.alike.known > tally.alike.n / 8 && tally.alike.n_likes > tally.alike.known / 4);
    CU_ASSERT(tally.mirrored > tally.n / 2000 || is_least());
    CU_ASSERT(tally.decided > tally.n / 50 && tally.of_orbits > tally.n / 500 &&
              tally.findings > tally.n / 3);
}

/* ---- generated programs with sets ---- */

/* Writes an alltoall in hops of powers of a radix. The places in which a chunk waits and comes in, the order
 * of the sets, the sign of the hops and the way in which numbers with a digit are listed are drawn. */
static void write_hops(char *text, struct tally *tally)
{
    static const char *const held[] = {"held[i]", "held[p-1-i]", "held[(r+i) mod p]", "out"};
    static const char *const comes[] = {"comes[i]", "comes[p-1-i]", "comes[(r-i) mod p]"};
    static const char *const loops[] = {
        "i in 0 .. p-1 if i / w mod q == j", "i in p-1 .. 0 by -1 if i / w mod q == j",
        "a in j .. (p-1)/w by q for i in a*w .. min(p, a*w+w)-1", "i in j*w .. p-1 if i / w mod q == j"};
    const bool is_down = below(tally, 2);
    const char *go = is_down ? "-" : "+", *come = is_down ? "+" : "-";
    const char *where = held[below(tally, 4)], *in = comes[below(tally, 3)], *loop = loops[below(tally, 4)];
    char own[32];
    snprintf(own, sizeof own, where[0] == 'o' ? "out[r%si]" : "%s", where[0] == 'o' ? come : where);
    snprintf(text, MAX_TEXT,
             "alltoall t\nranks r: p\ntmp held[p]\ntmp comes[p]\nlet q = %u\nfor i in 0 .. p-1\n"
             "  copy in[r%si] to %s\nfor k in 0 .. ceil_log(q, p)-1\n  let w = q^k\n  step\n"
             "    for j in 1 .. min(q-1, (p-1)/w)\n      send %.*s for %s] to r %s j * w\n"
             "      recv %.*s for %s] from r %s j * w\n  for i in 0 .. p-1\n"
             "    if i / w mod q > 0  copy %s to %s\nfor i in 0 .. p-1\n  copy %s to out[r%si]\n",
             2 + below(tally, 3), go, own, (int)strlen(own) - 1, own, loop, go, (int)strlen(in) - 1, in, loop,
             come, in, own, own, come);
}

/* Writes an allgather in which what a rank has doubles, or an allreduce or a reduce_scatter_block in which
 * what it is responsible for halves. */
static void write_doubling(char *text, struct tally *tally)
{
    const uint32_t kind = below(tally, 3), is_reversed = below(tally, 2), unit = 1 + below(tally, 2);
    const char *list = is_reversed ? "i in n-1 .. 0 by -1" : "i in 0 .. n-1";
    if (kind == 0)
        snprintf(text, MAX_TEXT,
                 "allgather t\nranks r: p\nlet segments = %u\ncopy in to out[r]\n"
                 "for k in 0 .. ceil_log2(p)-1\n  step\n    let n = min(2^k, p-2^k)\n"
                 "    send out[r+i for %s] to r - 2^k\n    recv out[r+2^k+i for %s] from r + 2^k\n",
                 unit, list, list);
    else if (kind == 1)
        snprintf(text, MAX_TEXT,
                 "allreduce t\nranks r: p\nrequires p == 2^floor_log2(p)\nlet segments = p\n"
                 "for k in 0 .. 2*floor_log2(p)-1\n  let e = min(k, 2*floor_log2(p)-1-k)\n"
                 "  let n = p / 2^(e+1)\n  step\n    if k == e\n"
                 "      send buf[r xor 2^e xor i*2^(e+1) for %s] to r xor 2^e\n"
                 "      reduce buf[r xor i*2^(e+1) for %s] from r xor 2^e\n    else\n"
                 "      send buf[r xor i*2^(e+1) for %s] to r xor 2^e\n"
                 "      recv buf[r xor 2^e xor i*2^(e+1) for %s] from r xor 2^e\n",
                 list, list, list, list);
    else
        snprintf(text, MAX_TEXT,
                 "reduce_scatter_block t\nranks r: p\ntmp p\nfor i in 0 .. p-1\n  copy in[r+i] to tmp[i]\n"
                 "for k in ceil_log2(p)-1 .. 0 by -1\n  step\n    let n = min(2^k, p-2^k)\n"
                 "    send tmp[2^k+i for %s] to r + 2^k\n    reduce tmp[i for %s] from r - 2^k\n"
                 "copy tmp[0] to out\n",
                 list, list);
}

/* Writes a pattern of neighbours so many places away, whose blocks are sent as one set or in parts. */
static void write_neighbors(char *text, struct tally *tally)
{
    const uint32_t a = 1 + below(tally, 3), size = 1 + below(tally, 3), is_back = below(tally, 2);
    const char *list = is_back ? "i in m-1 .. 0 by -1" : "i in 0 .. m-1";
    snprintf(text, MAX_TEXT,
             "pattern t\nranks r: p\nlet m = %u\nin 2 * m + 1\nout 2 * m\nneeds\n"
             "  out[0 .. m-1] = in[m .. 2*m-1] of r - %u\n  out[m .. 2*m-1] = in[0 .. m-1] of r + %u\n"
             "step\n  send in[i for %s] to r - %u\n  recv out[m+i for %s] from r + %u\nstep\n"
             "  send in[m .. 2*m-1] to r + %u\n  recv out[2*i+j for i in 0 .. m/2 for j in 0 .. 1 if 2*i+j < m] "
             "from r - %u\n",
             size, a, a, list, a, list, a, a, a);
}

/* Writes an exchange along one coordinate, then along the other, blocks for a line as one message. */
static void write_lines(char *text, struct tally *tally)
{
    static const char *const names[][4] = {{"x", "y", "nx", "ny"}, {"s", "l", "servers", "slots"}};
    const char *const *n = names[below(tally, 2)];
    const bool is_direct = below(tally, 2);
    snprintf(text, MAX_TEXT,
             "alltoall t\nranks (%s: %s, %s: %s)\nlet a = %s\nlet b = %s\ntmp mine[p]\ntmp came[p]\n"
             "for d in 0 .. b-1\n  step\n    send in[%s+j, %s+d for j in 0 .. a-1] to (%s, %s+d)\n"
             "    recv mine[(%s-d) mod b*a+j for j in 0 .. a-1] from (%s, %s-d)\n"
             "for e in 0 .. a-1\n  step\n    send mine[%se for i in 0 .. b-1] to (%s+e, %s)\n"
             "    recv %s for i in 0 .. b-1] from (%s-e, %s)\n",
             n[0], n[2], n[1], n[3], n[2], n[3], n[0], n[1], n[0], n[1], n[1], n[0], n[1], "i*a+", n[0], n[1],
             is_direct ? n[0][0] == 'x' ? "out[x-e, i" : "out[s-e, i" : n[0][0] == 'x' ? "came[(x-e) mod a*b+i"
                                                                                         : "came[(s-e) mod a*b+i",
             n[0], n[1]);
    const size_t length = strlen(text);
    if (!is_direct)
        snprintf(text + length, MAX_TEXT - length,
                 "for j in 0 .. a-1\n  for i in 0 .. b-1\n    copy came[j*b+i] to out[j, i]\n");
}

/* Writes a neighbourhood collective: blocks at once or step by step, one by one or combined by dimension. */
static void write_neighborhood(char *text, struct tally *tally)
{
    const uint32_t kind = below(tally, 4), is_spread = below(tally, 3) == 0, is_back = below(tally, 2);
    const char *head = is_spread ? "neighbor_allgather" : "neighbor_alltoall", *block = is_spread ? "0" : "k";
    const char *loop = is_back ? "max_out_degree-1 .. 0 by -1" : "0 .. max_out_degree-1";
    if (kind == 0)
        snprintf(text, MAX_TEXT,
                 "%s t\nranks r: p\nstep\n  for k in 0 .. out_degree(r)-1\n"
                 "    if out_neighbor(r, k) < p  send in[%s] to out_neighbor(r, k)\n"
                 "  for k in 0 .. in_degree(r)-1\n    let b = in_turn(r, k)\n"
                 "    if in_neighbor(r, b) < p  recv out[b] from in_neighbor(r, b)\n",
                 head, block);
    else if (kind < 3)
        snprintf(text, MAX_TEXT,
                 "%s t\nranks r: p\ntmp max_in_degree\nfor k in %s\n  step\n"
                 "    if k < out_degree(r) and out_neighbor(r, k) < p  send in[%s] to out_neighbor(r, k)\n"
                 "    if k < in_degree(r)\n      let b = in_turn(r, k)\n"
                 "      if in_neighbor(r, b) < p  recv %s[b] from in_neighbor(r, b)\n%s",
                 head, loop, block, kind == 1 ? "out" : "tmp",
                 kind == 1 ? ""
                           : "for b in 0 .. in_degree(r)-1\n"
                             "  if in_neighbor(r, b) < p  copy tmp[b] to out[b]\n");
    else
        snprintf(text, MAX_TEXT,
                 "neighbor_alltoall t\nranks r: p\nrequires isomorphic\nlet m = max_out_degree\ntmp held[m]\n"
                 "tmp came[m]\nfor k in 0 .. m-1\n  copy in[k] to held[k]\n"
                 "for d in 0 .. dimensions-1\n  step\n"
                 "    for n in 1 .. extent(d)-1\n      if out_hops(r, d, n) > 0\n"
                 "        send held[k for k in %s if out_hop(r, k, d) == n] to shift(r, d, n)\n"
                 "        recv came[k for k in %s if out_hop(r, k, d) == n] from shift(r, d, -n)\n"
                 "  for k in 0 .. m-1\n    if out_hop(r, k, d) > 0  copy came[k] to held[k]\n"
                 "for k in 0 .. m-1\n  copy held[k] to out[in_place(r, k)]\n",
                 is_back ? "m-1 .. 0 by -1" : "0 .. m-1", is_back ? "m-1 .. 0 by -1" : "0 .. m-1");
}

static void test_neighborhoods(void)
{
    struct tally tally = {.state = 12};
    const unsigned n = is_least() ? 100 : by_form(300, 1000, 20000);
    while (tally.n < n) {
        char text[MAX_TEXT];
        bool is_decided;
        write_neighborhood(text, &tally);
        for (uint32_t i = below(&tally, 4); i > 1; i--)
            mutate(text, &tally);
        try_text("neighbors.coll", text, below(&tally, N_NETWORKS), &tally, &is_decided);
    }
    printf("\n  %u neighbourhood collectives, %u others refused: %u with findings; %u decided by "
           "symmetry, %u by classes; %u disagree ",
           tally.n, tally.refused, tally.findings, tally.decided, tally.by_classes, tally.disagreed);
    print_alike(&tally.alike);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(tally.decided > tally.n / 5 && tally.findings > tally.n / 10);
}

static void test_sets(void)
{
    static void (*const writers[])(char *text, struct tally *tally) = {
        write_hops, write_doubling, write_lines, write_neighbors};
    struct tally tally = {.state = 11};
    const unsigned n = is_least() ? 200 : by_form(600, 2000, 20000);
    while (tally.n < n) {
        char text[MAX_TEXT];
        bool is_decided;
        writers[below(&tally, 4)](text, &tally);
        for (uint32_t i = below(&tally, 4); i > 1; i--)
            mutate(text, &tally);
        try_text("sets.coll", text, below(&tally, N_NETWORKS), &tally, &is_decided);
    }
    printf("\n  %u programs with sets, %u others refused: %u with findings; %u decided by symmetry, %u of them by "
           "several orbits; %u disagree ",
           tally.n, tally.refused, tally.findings, tally.decided, tally.of_orbits, tally.disagreed);
    print_alike(&tally.alike);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(tally.decided > tally.n / 5 && tally.findings > tally.n / 10);
}

/* ---- amounts ---- */

/* Loops whose rounds come in another order on other ranks: rounds of as much may be one step of
 * representatives, others are not, as their order shows. */
static void test_amounts(void)
{
    static const char *const texts[] = {
        "allgather t\nranks r: p\ntmp 2\nlet segments = 2\ncopy in to tmp\nfor i in 0 .. p-1\n  if i == r\n"
        "    copy tmp to out[i]\n  else\n    copy tmp[0] to out[i; 0]\n",
        "allgather t\nranks r: p\ntmp 2\nlet segments = 2\ncopy in to tmp\nfor i in 0 .. p-1\n  if i == r\n"
        "    copy tmp[1] to out[i; 1]\n  else\n    copy tmp[0] to out[i; 0]\n"};
    struct tally tally = {.state = 7};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (uint32_t network = 0; network < N_NETWORKS; network++) {
            bool is_decided;
            CU_ASSERT(try_text("amounts.coll", texts[i], network, &tally, &is_decided));
        }
    print_alike(&tally.alike);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(tally.alike.known == N_NETWORKS);
}

/* ---- one broken rank ---- */

/* One operation that a rank does not do, or does alone, or does otherwise. */
static void break_rank(char *text, uint32_t network, struct tally *tally)
{
    const char *name = coordinate_of(text, 0), *other = coordinate_of(text, 1);
    const bool has_slots = *other == 'l' && networks[network].per_machine > 1;
    const uint32_t rank = below(tally, name == other ? 3 : 2); /* there are as many everywhere */
    const uint32_t place = name == other ? rank : has_slots ? below(tally, 2) : 0;
    const size_t at = find_operation(text, tally), n = strcspn(text + at, "\n");
    char with[128];
    if (below(tally, 2)) {
        snprintf(with, sizeof with, "if (%s == %u and %s == %u) %s 1  ", name, rank, other, place,
                 below(tally, 2) ? "==" : "!=");
        splice(text, at, 0, with);
        return;
    }
    size_t close = at;
    for (size_t i = at; i < at + n; i++)
        close = text[i] == ']' || text[i] == ')' ? i : close;
    snprintf(with, sizeof with, " + (%s == %u) * (%s == %u)", name, rank, other, place);
    splice(text, close == at ? at + n : close, 0, with);
}

static void test_broken_rank(void)
{
    struct tally tally = {.state = 8};
    unsigned n_called_symmetric = 0, n_broken = 0, n_whole = 0, n_of_base[N_BASES] = {0};
    for (unsigned round = 0; round < (is_least() ? 8 : by_form(24, 60, 320)); round++)
        for (uint32_t base = 0; base < N_BASES; base++) {
            char text[MAX_TEXT];
            bool is_decided;
            const uint32_t network = below(&tally, N_NETWORKS);
            if (!try_text("whole.coll", bases[base], network, &tally, &is_decided))
                continue;
            n_whole += is_decided;
            n_of_base[base] += is_decided;
            const uint64_t whole = tally.hash;
            snprintf(text, sizeof text, "%s", bases[base]);
            break_rank(text, network, &tally);
            try_text("broken.coll", text, network, &tally, &is_decided);
            n_called_symmetric += is_decided && tally.hash != whole; /* what is in no round breaks nothing */
            n_broken += tally.hash != whole;
        }
    printf("\n  %u programs: %u whole ones symmetric, %u of %u broken ones called so; %u disagree ",
           tally.n, n_whole, n_called_symmetric, n_broken, tally.disagreed);
    CU_ASSERT(tally.disagreed == 0);
    CU_ASSERT(n_called_symmetric == 0 && n_broken > n_whole / 2);
    for (uint32_t base = 0; base < N_BASES; base++)
        CU_ASSERT(n_of_base[base] > 0 || IS_SHORT); /* else its mutants prove little */
    CU_ASSERT(n_whole > enough(by_form(30, 75, 500)));
}

/* ---- right on rank 0 alone ---- */

#define ALL_TO_ALL(chunk) \
    "for i in 0 .. p-1\n  step\n    send tmp[" chunk "] to r + i\n    recv out[r-i] from r - i\n"

#define ONE \
    "allgather t\nranks r: p\ntmp 2 * p\ncopy in to tmp[r]\nfor i in 2 .. 2\n" \
    "  let g = max(0, min(1, i xor 3))\n"
#define RING \
    "copy in to tmp\nfor i in 0 .. p-2\n  step\n    send tmp[(r-1-i) mod p] to r + 1\n" \
    "    reduce tmp[(r-2-i) mod p] from r - 1\ncopy tmp[r] to out\n"
#define ALL_IN "for i in 1 .. p-1\n  step\n    send in to r + i\n    recv out[r-i] from r - i\n"
/* An allgather in which those ranks lack their own block that the condition does not name. */
#define ALL_BUT(condition) "allgather t\nranks r: p\nif " condition "  copy in to out[r]\n" ALL_IN
#define ON_GRID "ranks (x: nx, y: ny)\nrequires nx > 1 and ny > 1\n"
#define GRID_TO_ALL(chunk) \
    "for i in 0 .. nx-1\n  for j in 0 .. ny-1\n    step\n      send tmp[" chunk "] to (x+i, y+j)\n" \
    "      recv out[x-i, y-j] from (x-i, y-j)\n"
#define GRID_IN \
    "for i in 0 .. nx-1\n  for j in 0 .. ny-1\n    if i + j > 0\n      step\n" \
    "        send in to (x+i, y+j)\n        recv out[x-i, y-j] from (x-i, y-j)\n"
#define ALL_IN_PLACE /* of a grid */ \
    "for v in 1 .. p-1\n  step\n    send in to displace(r, v, 1)\n" \
    "    recv out[displace(r, v, -1)] from displace(r, v, -1)\n"
#define FROM_2_ON \
    "for i in 2 .. p\n  step\n    send in[r+i] to r + i\n    recv out[r-i] from r - i\n"

#define IN_SPACE "ranks (x: nx, y: ny, z: nz)\nrequires nx > 1 and ny > 1 and nz > 1\n"
#define SPACE_TO_ALL(chunk) \
    "for i in 0 .. nx-1\n  for j in 0 .. ny-1\n    for k in 0 .. nz-1\n      step\n" \
    "        send tmp[" chunk "] to (x+i, y+j, z+k)\n" \
    "        recv out[x-i, y-j, z-k] from (x-i, y-j, z-k)\n"
#define LIKE_TO_ALL(chunk) \
    "copy in[r; 0] to tmp[" chunk "]\ncopy tmp[" chunk "] to out[r; 0]\ncopy in[r; 1] to out[r; 1]\n" \
    "for i in 1 .. p-1\n  step\n    send in[r+i] to r + i\n    recv out[r-i] from r - i\n"

#define MIRRORED_REST(rest) \
    "let s = 1 - 2 * (coordinate(r, 0) mod 2)\nlet t = 1 - 2 * (coordinate(r, 1) mod 2)\n" rest \
    "for i in 0 .. extent(0)-1\n  for j in 0 .. extent(1)-1\n    if i + j > 0\n" \
    "      step\n        let f = shift(shift(r, 0, s*i*(2*(i mod 2)-1)), 1, t*j*(2*(j mod 2)-1))\n" \
    "        send in to shift(shift(r, 0, s*i), 1, t*j)\n        recv out[f] from f\n"
#define MIRRORED_BUT(where, condition) \
    "allgather t\nranks r: p\nrequires p == extent(0) * extent(1) and extent(0) > 2 and " where "\n" \
    MIRRORED_REST("if " condition "  copy in to out[r]\n")
#define MIRRORED_IN(body) \
    "allgather t\nranks r: p\nrequires p == extent(0) * extent(1) and extent(0) > 2 and extent(1) > 1\n" \
    MIRRORED_REST("for d in 0 .. 1\n" body)

/* Each of them is clean on rank 0 and looks shifted in all but one respect. */
static const char *const traps[] = {
    /* the rounds of a loop read what others write */
    "allgather t\nranks r: p\ntmp p\ncopy in to tmp[r]\nfor j in 0 .. p-1\n"
    "  copy tmp[j] to tmp[(j+1) mod p]\n" ALL_TO_ALL("(r+i) mod p"),
    /* a round copies from a chunk of the same number on all ranks, which should follow the rank */
    "allgather t\nranks r: p\ntmp p\ncopy in to tmp[r]\nfor j in 0 .. p-1\n"
    "  if j == r  copy tmp[0] to out[j]\nfor i in 1 .. p-1\n  step\n    send tmp[r] to r + i\n"
    "    recv out[r-i] from r - i\n",
    /* a block behind the others on one rank, neither the last nor one in the middle */
    "allgather t\nranks r: p\ntmp 2 * p\ncopy in to tmp[r]\ncopy in to tmp[(r+2) mod p + 1]\n"
    ALL_TO_ALL("(r+3) mod p"),
    /* all blocks come from another rank, where they are in another order */
    "allgather t\nranks r: p\ntmp p\nfor i in 0 .. p-1\n  step\n    send in to r + i\n"
    "    recv tmp[(r-i-1) mod p] from r - i\nstep\n  send tmp to r + 1\n  recv out from r - 1\n",
    /* all blocks are copied to chunks that stay */
    "allgather t\nranks r: p\ntmp 2 * p\nfor i in 0 .. p-1\n  step\n    send in to r + i\n"
    "    recv tmp[(r-i) mod p] from r - i\ncopy tmp[0 .. p-1] to tmp[p .. 2*p-1]\n" ALL_TO_ALL("p"),
    /* the same by a message to itself */
    "allgather t\nranks r: p\ntmp 2 * p\nfor i in 0 .. p-1\n  step\n    send in to r + i\n"
    "    recv tmp[(r-i) mod p] from r - i\nstep\n  send tmp[0 .. p-1] to r\n"
    "  recv tmp[p .. 2*p-1] from r\n" ALL_TO_ALL("p"),
    /* in place a round writes the input, which rounds after it read: on rank 0 there is none after it */
    "allgather t\nranks r: p\ntmp 2 * p\nfor i in 1 .. p-1\n  step\n    send in to r + i\n"
    "    recv tmp[(r-i) mod p] from r - i\ncopy in to tmp[r]\nfor j in 0 .. p-1\n"
    "  copy in to tmp[p+j]\n  copy tmp[j] to out[(j+1) mod p]\nfor j in 0 .. p-1\n"
    "  copy tmp[j] to out[j]\n",
    /* a range that is empty but on one rank, where it is all blocks */
    "allgather t\nranks r: p\ntmp 2 * p\nfor i in 0 .. p-1\n  copy in to tmp[i]\ncopy in to out[r]\n"
    "for i in 1 .. p-1\n  step\n    send in to r + i\n    recv out[r-i] from r - i\n"
    "copy tmp[(r+2) mod p .. (r+1) mod p] to out[(r+2) mod p .. (r+1) mod p]\n",
    "allgather t\nranks r: p\ntmp p\ncopy in to out[r]\nfor i in 1 .. p-1\n  step\n    send in to r + i\n"
    "    recv out[r-i] from r - i\nstep\n  send out[(r+2) mod p .. (r+1) mod p] to r + 1\n"
    "  recv tmp[(r+2) mod p .. (r+1) mod p] from r - 1\n",
    "allgather t\nranks r: p\ntmp p\nfor i in 0 .. p-1\n  copy in to tmp[displace(r, i, 1)]\n"
    "copy in to out[r]\nfor v in 1 .. p-1\n  step\n    send in to displace(r, v, 1)\n"
    "    recv out[displace(r, v, -1)] from displace(r, v, -1)\n"
    "copy tmp[displace(r, 3, 1) .. displace(r, 2, 1)] to out[displace(r, 3, 1) .. displace(r, 2, 1)]\n",
    /* the same scratch by rank and as it comes: on rank 2 what is written last is the other */
    "alltoall t\nranks r: p\ntmp p\ncopy in[r+1] to tmp[r]\ncopy in[r+2] to tmp[2]\nstep\n"
    "  send tmp[r] to r + 1\n  recv out[r-1] from r - 1\n" FROM_2_ON,
    /* on rank 2 a message comes into what is sent */
    "alltoall t\nranks r: p\ntmp p\ncopy in[r+1] to tmp[2]\nstep\n  send tmp[2] to r + 1\n"
    "  recv tmp[r] from r - 1\ncopy tmp[r] to out[r-1]\n" FROM_2_ON,
    /* on ranks 1 and 2 a copy goes over itself */
    "alltoall t\nranks r: p\ntmp 2 * p\ncopy in[r+1] to tmp[3]\ncopy in[r+1] to tmp[4]\n"
    "copy tmp[3 .. 4] to tmp[2*r .. 2*r+1]\nstep\n  send tmp[2*r] to r + 1\n  recv out[r-1] from r - 1\n"
    FROM_2_ON,
    /* a round reads what rounds before it have written: on rank 0 there are none */
    "alltoall t\nranks r: p\ntmp 2 * p\ncopy in[r+1] to tmp[2]\nfor j in 0 .. p-1\n"
    "  if j == r  copy tmp[2] to tmp[p+j]\n  copy in[j] to tmp[j]\nstep\n  send tmp[p+r] to r + 1\n"
    "  recv out[r-1] from r - 1\n" FROM_2_ON,
    /* a range that is written goes farther than the scratch that is used by rank */
    "alltoall t\nranks r: p\ntmp 2 * p + 2\nfor j in 0 .. p-1\n  copy in[j] to tmp[1+j]\n"
    "copy in[r] to tmp[p+1]\nfor j in 0 .. p-1\n  copy in[j] to tmp[p+2+j]\ncopy in[r+1] to tmp[2]\n"
    "copy tmp[p+1 .. 2*p+1] to tmp[0 .. p]\nstep\n  send tmp[2] to r + 1\n  recv out[r-1] from r - 1\n"
    FROM_2_ON,
    /* a range of one block whose end is p on one rank, which is no block */
    "allgather t\nranks r: p\ncopy in to out[r]\nfor i in 1 .. p-1\n  step\n    send in to r + i\n"
    "    recv out[r-i] from r - i\ncopy out[(r+2) mod p .. (r+1) mod p + 1] to "
    "out[(r+2) mod p .. (r+1) mod p + 1]\n",
    /* what remains and the quotient are of two numbers: on one rank they differ, neither the last nor one
     * in the middle */
    "allgather t\nranks r: p\ntmp 2 * p\ncopy in to tmp[2]\nfor i in 0 .. p-1\n  step\n"
    "    send tmp[(r+2) mod p + (r+3)/p*p - r] to r + i\n    recv out[r-i] from r - i\n",
    /* what a condition says of a variable is not so behind it, nor where it is false; it does not leave out
     * the bound itself, nor say more than is known of the other side. Always g is 1: a chunk behind the
     * others on one rank */
    ONE "  if g < 1  copy in to tmp[r]\n  copy in to tmp[(r+2) mod p + g]\n" ALL_TO_ALL("(r+3) mod p"),
    ONE "  if g < 1  copy in to tmp[r]\n  else  copy in to tmp[(r+2) mod p + g]\n" ALL_TO_ALL("(r+3) mod p"),
    ONE "  if g <= 1  copy in to tmp[(r+2) mod p + g]\n" ALL_TO_ALL("(r+3) mod p"),
    ONE "  let h = max(0, min(1, i xor 3))\n  if g <= h  copy in to tmp[(r+2) mod p + g]\n"
    ALL_TO_ALL("(r+3) mod p"),
    ONE "  copy in to tmp[(r+2) mod p + g]\n" ALL_TO_ALL("(r+3) mod p"),
    /* sizes of chunks that fit on rank 0 */
    "reduce_scatter t\nranks r: p\ntmp j: p like in[j + (r == p-3)]\n" RING,
    "reduce_scatter t\nranks r: p\ntmp j: p like in[j + (r > 0 and r < p-1)]\n" RING,
    "reduce_scatter t\nranks r: p\ntmp j: 2 * p like in[j]\ncopy in[r] to tmp[2*r]\nfor d in 1 .. p-1\n"
    "  step\n    send in[r+d] to r + d\n    reduce tmp[2*r] from r - d\ncopy tmp[2*r] to out\n",
    "reduce_scatter t\nranks r: p\ntmp j: p like in[r + max(j - r, 0)]\n" RING,
    "reduce_scatter t\nranks r: p\ntmp j: p like in[j + (j - r == 2-p)]\n" RING,
    "allgatherv t\nranks r: p\ntmp j: p like out[j * (p-1)]\ncopy in to tmp[0]\nfor i in 0 .. p-2\n  step\n"
    "    send tmp[i] to r + 1\n    recv tmp[i+1] from r - 1\nfor i in 0 .. p-1\n  copy tmp[i] to out[r-i]\n",
    /* conditions that are the same but on one rank, by one: on the last rank that is looked at, they are */
    ALL_BUT("(r+2) mod p < p - 1"),
    ALL_BUT("1 - p < -((r+2) mod p)"),
    ALL_BUT("3 * ((r+2) mod p) + 5 <= 3 * p + 1"),
    ALL_BUT("(r+3) mod p + 1 > 1"),
    ALL_BUT("(r+3) mod p >= 1"),
    ALL_BUT("4 * ((r+2) mod p) + 4 * ((r+2) mod p) < 8*p - 8"),
    ALL_BUT("p - 2 >= (r+2) mod p"),
    ALL_BUT("(4*((r+2) mod p) + 2) / 4 != p - 1"),
    ALL_BUT("(r+2) mod p < (r+3) mod p or (r+2) mod p == 0"),
    /* one that sums of doubles take for true */
    "allgather t\nranks r: p\nif 9007199254740993 - 9007199254740992 == 0  copy in to out[r]\nelse\n"
    "  if (r+2) mod p < p - 1  copy in to out[r]\n" ALL_IN,
    "allgather t\nranks r: p\nif 9007199254740993 + 1 + 1 + 1 < 9007199254740996  copy in to out[r]\nelse\n"
    "  if (r+2) mod p < p - 1  copy in to out[r]\n" ALL_IN,
    /* blocks of a row come from another rank of it, where they are in another order */
    "allgather t\n" ON_GRID "tmp 2 * p\nfor i in 0 .. ny-1\n  step\n    send in to (x, y+i)\n"
    "    recv tmp[x*ny+(y-i-1) mod ny] from (x, y-i)\nstep\n  send tmp[x*ny .. x*ny+ny-1] to (x, y+1)\n"
    "  recv tmp[p+x*ny .. p+x*ny+ny-1] from (x, y-1)\n" GRID_TO_ALL("p+x*ny+y"),
    /* blocks of a row are copied to chunks that stay where they are in the row */
    "allgather t\n" ON_GRID "tmp 2 * p\nfor i in 0 .. ny-1\n  step\n    send in to (x, y+i)\n"
    "    recv tmp[x*ny+(y-i) mod ny] from (x, y-i)\n"
    "copy tmp[x*ny .. x*ny+ny-1] to tmp[p+x*ny .. p+x*ny+ny-1]\n" GRID_TO_ALL("p+x*ny"),
    /* a block behind those of its row, on one rank of the row */
    "allgather t\n" ON_GRID "requires ny != 3\ntmp 2 * p\n"
    "copy in to tmp[x*ny+y]\ncopy in to tmp[x*ny+(y+2) mod ny+1]\n"
    GRID_TO_ALL("x*ny+(y+3) mod ny"),
    /* a row that is the next one on one rank of each */
    "allgather t\n" ON_GRID "tmp 2 * p\nlet row = (ny * x + (y + 3) mod ny + 1) / ny\n"
    "copy in to tmp[row*ny+y]\n" GRID_TO_ALL("x*ny+y"),
    /* two places on a line, of which one is round the end on one rank alone */
    "allgather t\nranks r: p\nrequires p > 1\ncopy in to out[r]\n"
    "let e = coordinate(shift(r, 0, 3), 0) - coordinate(shift(r, 0, 2), 0)\n"
    "for v in 1 .. p-1\n  step\n    send in to displace(r, v, 1)\n"
    "    if e != 1 - extent(0)\n      recv out[displace(r, v, -1)] from displace(r, v, -1)\n",
    "allgather t\nranks r: p\nrequires p > 1\ncopy in to out[r]\nfor d in 0 .. 0\n"
    "  let e = coordinate(shift(r, d, 3), 0) - coordinate(shift(r, d, 2), 0)\n"
    "  for v in 1 .. p-1\n    step\n      send in to displace(r, v, 1)\n"
    "      if e != 1 - extent(0)\n        recv out[displace(r, v, -1)] from displace(r, v, -1)\n",
    /* rounds whose chunks are together the same on all ranks, and shifted for those on one plane, on which
     * are the last one and the one in the middle */
    "allgather t\n" IN_SPACE "requires ny == nz\ntmp p\nfor u in 0 .. ny-1\n  for w in 0 .. nx-1\n"
    "    copy in to tmp[w*ny*nz+(u-y) mod ny*nz+(u-y) mod nz]\n" SPACE_TO_ALL("x*ny*nz+y*nz+z"),
    /* what remains of a coordinate is the same in one dimension, and not in the other; or in whatever
     * dimension it is, of a divisor of the period alone */
    "allgather t\n" ON_GRID "let s = x mod 2\nif y mod 2 != 1  copy in to out[x, y]\n" GRID_IN,
    "allgather t\nranks r: p\nrequires extent(1) > 1\nlet s = coordinate(r, 0) mod 2\nfor d in 0 .. 1\n"
    "  if d == 1 and coordinate(r, d) mod 2 != 1  copy in to out[r]\n" ALL_IN_PLACE,
    "allgather t\nranks r: p\nrequires extent(0) > 2\nfor d in 0 .. 1\n"
    "  if d == 0 and coordinate(r, d) mod 100 != 2  copy in to out[r]\n" ALL_IN_PLACE,
    /* an odd number of places is turned: the last one is even, and beside an even one */
    MIRRORED("requires extent(0) mod 2 == 1 and extent(0) > 1\n"),
    /* the sign of one dimension in the other: the same on the first rank, the last and that in the middle */
    MIRRORED_BUT("extent(1) > 1", "shift(r, 0, t) == shift(r, 0, s)"),
    MIRRORED_BUT("extent(1) > 1", "shift(r, 0, s*t) == shift(r, 0, 1)"),
    MIRRORED_BUT("extent(1) > 1", "shift(r, 0, s-t) == r"),
    /* of dimensions that are not known: another one; what had that name before; a sign that was handed on */
    MIRRORED_IN("  let e = 1 - d\n  let u = 1 - 2 * (coordinate(r, e) mod 2)\n"
                "  let v = 1 - 2 * (coordinate(r, d) mod 2)\n"
                "  if d == 0 and shift(r, d, u) == shift(r, d, v)  copy in to out[r]\n"),
    "allgather t\nranks r: p\nrequires p == extent(0) * extent(1) and extent(1) > 1 and extent(0) > 2\n"
    "def own(d, u)\n  if shift(r, 0, u) == shift(r, d, 1 - 2 * (coordinate(r, d) mod 2)) and d == 0\n"
    "    copy in to out[r]\n" MIRRORED_REST("own(0, t)\nown(1, s)\n"),
    "allgather t\nranks r: p\nrequires p == extent(0) * extent(1) and extent(1) > 1 and extent(0) > 2\n"
    "def own(d, e, u, v)\n  if d == 0 and shift(r, d, u) == shift(r, d, v)\n    copy in to out[r]\n"
    MIRRORED_REST("for d in 0 .. 1\n  let e = 1 - d\n  let u = 1 - 2 * (coordinate(r, d) mod 2)\n"
                  "  let v = 1 - 2 * (coordinate(r, e) mod 2)\n  own(d, e, u, v)\n"),
    /* a remainder that is no parity */
    MIRRORED_BUT("extent(0) == 6", "shift(r, 0, 1 - 2 * (coordinate(r, 0) mod 4)) == shift(r, 0, s)"),
    /* a shift that is not turned, by more places where others stand */
    MIRRORED_BUT("extent(1) > 1", "shift(r, 0, 1+s) == shift(r, 0, 1+t)"),
    /* a rank needs something else than its neighbours, or has less: neither the first, nor the last, nor the
     * middle */
    "pattern t\nranks r: p\nrequires p > 4\nin 2\nout 1\nneeds\n  if r == 1  out = in[1] of r - 1\n"
    "  else  out = in[0] of r - 1\nstep\n  send in[0] to r + 1\n  recv out from r - 1\n",
    "pattern t\nranks r: p\nrequires p > 4\nin 1\nout 1\nneeds\n  if r != 1  out = in of r - 1\nstep\n"
    "  send in to r + 1\n  recv out from r - 1\nstep\n  if r == r  send in to r + 2\n  recv out from r - 2\n",
    "pattern t\nranks r: p\nrequires p > 4\nin 2\nout 1\nhas\n  in[0]\n  if r != 1  in[1]\n"
    "needs\n  out = in[0] of r - 1\nstep\n  send in[1] to r + 1\n  recv out from r - 1\nstep\n"
    "  send in[0] to r + 1\n  recv out from r - 1\n",
    /* a range that is part of a message goes behind the zone, on one rank: neither the last nor the middle */
    "alltoall t\nranks r: p\ntmp p + 1\nfor i in 0 .. p-1\n  copy in[r+i] to tmp[(r+i) mod p]\n"
    "copy in[r] to out[r]\nfor i in 1 .. p-2\n  step\n    send in[r+i] to r + i\n"
    "    recv out[r-i] from r - i\nstep\n  send tmp[(r-1) mod p], tmp[(r+2) mod p .. (r+2) mod p + 1] to r - 1\n"
    "  recv out[r+1], tmp[(r+3) mod p .. (r+3) mod p + 1] from r + 1\n",
    /* chunks that are the same on all ranks, in a set, among blocks that follow the rank */
    "allgather t\nranks r: p\ntmp p\ncopy in to tmp[r]\nfor i in 0 .. p-1\n  step\n"
    "    send tmp[j for j in 0 .. 0] to r + i\n    recv out[r-i] from r - i\n",
    /* the other end names the chunks in another order */
    "allgather t\nranks r: p\ntmp 2\nrequires p > 2\ncopy in to out[r]\nfor i in 1 .. p-2\n  step\n"
    "    send in to r + i\n    recv out[r-i] from r - i\nstep\n  send out[r+j for j in 0 .. 1] to r - 2\n"
    "  recv out[r+3-j for j in 0 .. 1] from r + 2\n",
    /* a chunk of tmp is as large as another segment than the one before it, or on one rank */
    "alltoall t\nranks r: p\nlet segments = 2\ntmp j: p like in[0; j == 1]\n" LIKE_TO_ALL("r"),
    "alltoall t\nranks r: p\nlet segments = 2\ntmp j: 1 like in[0; r == 1]\n" LIKE_TO_ALL("0"),
};

static void test_traps(void)
{
    struct tally tally = {.state = 3};
    unsigned n_called_symmetric = 0, n_bound = 0;
    const unsigned times = by_form(1, 1, 4); /* at times with limits, which none is decided with */
    for (size_t i = 0; i < times * (sizeof traps / sizeof *traps); i++)
        for (uint32_t network = 0; network < N_NETWORKS; network += is_least() ? 4 : 1) {
            bool is_decided;
            n_bound += try_text("trap.coll", traps[i / times], network, &tally, &is_decided);
            n_called_symmetric += is_decided;
        }
    printf("\n  %u programs, %u with findings: %u called symmetric; %u disagree ", tally.n, tally.findings,
           n_called_symmetric, tally.disagreed);
    CU_ASSERT(tally.disagreed == 0 && n_called_symmetric == 0);
    CU_ASSERT(n_bound > enough(100) && tally.findings == tally.n);
}

UNIT_PROGRAM(test_symmetry)
{
    CU_TestInfo tests[] = {{"every built-in algorithm, both ways", test_library},
                           {"mutants of symmetric programs", test_mutants},
                           {"generated programs with sets", test_sets},
                           {"generated neighbourhood collectives", test_neighborhoods},
                           {"amounts of turned loops", test_amounts},
                           {"one broken rank", test_broken_rank},
                           {"right on rank 0 alone", test_traps},
                           CU_TEST_INFO_NULL};
    return run_suite("symmetry", tests);
}
