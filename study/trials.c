/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs one trial of an algorithm, and chooses its places. See trials.h.
 */
#include "study/trials.h"

#include "base/codes.h"
#include "ir/counts.h"
#include "ir/use.h"
#include "network/formats/formats.h"
#include "network/networks.h"
#include "network/view.h"
#include "study/scene.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- one trial ---- */

/* Passes on the steps to the verifier and shows them to the watch. */
struct watched {
    struct schedule schedule; /* first */
    struct schedule *inner;
    struct trial_run *run;
};

static bool trials_watched_next(struct schedule *schedule, struct step *step)
{
    struct watched *watched = (struct watched *)schedule;
    struct trial_run *run = watched->run;
    bool has_step = !run->is_cut && watched->inner->next(watched->inner, step);
    if (has_step)
        run->work += step->n_sends + step->n_receives + step->n_copies + schedule->header.n_ranks;
    run->is_cut |= run->work > run->most_work;
    schedule->failed = watched->inner->failed || run->is_cut;
    if (has_step && run->watch)
        run->watch(run, schedule, step);
    return has_step;
}

static void trials_watched_rewind(struct schedule *schedule)
{
    struct watched *watched = (struct watched *)schedule;
    watched->inner->rewind(watched->inner);
}

/* Returns how it went. It is no fault to be refused for a reason that the algorithm, a part that it runs, or
 * binding states. */
static enum outcome outcome_of(struct trial_run *run, const struct diagnostics *diagnostics)
{
    run->is_cut |= diagnostics->n_of_code[CODE_E010] > 0;
    if (diagnostics->n_of_code[CODE_E009])
        return TRIAL_REFUSED;
    if (diagnostics_has_errors(diagnostics) && !diagnostics->n_of_code[CODE_E010])
        return TRIAL_WRONG;
    return run->is_cut ? TRIAL_CUT : TRIAL_RIGHT;
}

enum outcome trial_run_schedule(struct trial_run *run, struct schedule *schedule,
                                const struct placement *placement,
                                struct diagnostics *diagnostics)
{
    struct watched watched = {.schedule = *schedule, .inner = schedule, .run = run};
    watched.schedule.next = trials_watched_next;
    watched.schedule.rewind = trials_watched_rewind;
    struct verify_request request = {.placement = placement,
                                     .see_brackets = run->see_brackets,
                                     .brackets_context = run->brackets_context};
    struct verify_report report = {0};
    verify_schedule(&watched.schedule, &request, &report, diagnostics);
    verify_report_free(&report);
    return outcome_of(run, diagnostics);
}

/* Makes counts of 0, 8, 16, 24 bytes and so on, different for neighbours. */
static struct counts *unequal_counts(enum collective collective, uint32_t p)
{
    struct counts_runs *counts = counts_new();
    const uint64_t n = counts_needed(collective, p);
    for (uint64_t i = 0; i < n; i++)
        counts_add(counts, 8 * ((3 * (i / p) + i % p + 1) % 4), 1);
    return &counts->counts;
}

enum outcome trial_run(struct trial_run *run, const struct trial *trial,
                       struct diagnostics *diagnostics)
{
    struct scene scene = {.program = run->program,
                          .topology = trial->topology,
                          .placement = trial->placement,
                          .neighbors = trial->neighbors,
                          .settings = run->settings,
                          .n_settings = run->n_settings};
    if (run->is_cut)
        return TRIAL_CUT;
    if (run->has_unequal_counts)
        scene.counts = scene.owned.counts =
            unequal_counts(run->program->collective, trial->placement->n_ranks);
    if (scene_bind(&scene, trial->root, diagnostics)) {
        scene.binding->coverage = run->coverage;
        scene_expand(&scene, diagnostics);
    }
    const enum outcome outcome =
        scene.schedule ? trial_run_schedule(run, scene.schedule, trial->placement, diagnostics)
                       : outcome_of(run, diagnostics);
    scene_free(&scene);
    return outcome;
}

/* ---- where ---- */

const uint32_t trial_ranks[TRIAL_RANKS] = {
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,  21,  22,
    23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 63, 64, 65, 97, 100, 127, 128, 129};

void trial_list_ranks(const bool *is_in, size_t n, struct text *text)
{
    bool is_first = true;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && (!is_in || is_in[end]) && trial_ranks[end] - trial_ranks[i] == end - i;)
            end++;
        if (end > i)
            text_printf(text, "%s%u", is_first ? "" : ", ", trial_ranks[i]);
        if (end > i + 1)
            text_printf(text, "%s%u", end > i + 2 ? " .. " : ", ", trial_ranks[end - 1]);
        is_first &= end == i;
        end += end == i;
    }
}

struct tour {
    const struct program *program;
    void (*visit)(void *context, const struct trial *trial);
    void *context;
};

bool trials_need_placement(const struct program *program)
{
    if (program_use(program, A_GRID_FUNCTION))
        return true;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_NAMED && variable->index >= NAMED_slots &&
            variable->index != NAMED_max_slots && program_use(program, i))
            return true;
    }
    return false;
}

/* Visits other neighbours than those of a Cartesian communicator that wraps round: borders, corners, and a
 * graph whose ranks have unlike many, some twice. */
static void visit_neighbors(const struct tour *tour, struct trial trial)
{
    const uint32_t p = trial.placement->n_ranks;
    const struct topology *grid = trial.topology ? topology_grid(trial.topology) : NULL;
    struct neighbor_edge *edges = mem_alloc(3 * (size_t)p, sizeof *edges);
    struct arena arena = {0};
    size_t n = 0;
    for (uint32_t rank = 0; rank < p; rank++)
        for (uint32_t k = 0; k < 3; k++)
            if ((rank + k) % 4)
                edges[n++] = (struct neighbor_edge){rank, (uint32_t)((rank * (uint64_t)rank + k / 2) % p)};
    const struct neighborhood *const all[] = {neighborhood_of_grid(grid, p, NEIGHBORS_OPEN, &arena),
                                              neighborhood_of_grid(grid, p, NEIGHBORS_STENCIL, &arena),
                                              neighborhood_of_edges(grid, p, edges, n, &arena)};
    static const char *const names[] = {"--neighbors open", "--neighbors stencil", "neighbours of a graph"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        trial.neighbors = all[i];
        trial.neighbors_name = names[i];
        tour->visit(tour->context, &trial);
    }
    arena_free(&arena);
    free(edges);
}

/* Visits the roots that matter: the first, a middle one, the last. */
static void visit_roots(const struct tour *tour, struct trial trial)
{
    uint32_t p = trial.placement->n_ranks;
    bool is_rooted = collective_table[tour->program->collective].rooted;
    tour->visit(tour->context, &trial);
    if (collective_is_of_neighbors(tour->program->collective))
        visit_neighbors(tour, trial);
    for (trial.root = p / 2; is_rooted && trial.root > 0 && trial.root < p; trial.root += p - 1 - p / 2) {
        tour->visit(tour->context, &trial);
        if (trial.root == p - 1)
            break;
    }
}

/* Takes the topology, unless it is NULL. */
static void visit_topology(const struct tour *tour, struct trial trial, struct topology *topology)
{
    if (!topology)
        return;
    trial.topology = topology;
    visit_roots(tour, trial);
    topology_free(topology);
}

/* Places servers of four, three, two, one ranks, and so on. */
static struct placement *place_falling(uint32_t p)
{
    uint32_t *machine = mem_alloc(p, sizeof *machine);
    uint32_t server = 0, size = 4, n = 0;
    for (uint32_t rank = 0; rank < p; rank++) {
        if (n++ == size) {
            size = size > 1 ? size - 1 : 4;
            server++;
            n = 1;
        }
        machine[rank] = server;
    }
    struct placement *placement = placement_of_machines(machine, p, "block");
    free(machine);
    return placement;
}

/* Makes the network of a synthetic string, which must be right. */
static struct topology *trials_network_of(const char *shape)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(shape, &diagnostics);
    assert(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

/* Visits every grid of up to three dimensions with p machines. */
static void visit_grids(const struct tour *tour, struct trial trial)
{
    uint32_t p = trial.placement->n_ranks;
    for (uint32_t x = 1; x <= p; x++) {
        if (p % x)
            continue;
        for (uint32_t y = 1; y <= p / x; y++) {
            const uint32_t z = p / x / y;
            char shape[64];
            if (p / x % y)
                continue;
            snprintf(shape, sizeof shape, z > 1 ? "torus:%ux%ux%u" : "torus:%ux%u", x, y, z);
            visit_topology(tour, trial, trials_network_of(shape));
        }
    }
}

/* Makes a network of the machines first, first + by ... below n. */
static struct network_member trials_member(const char *label, uint64_t bandwidth, uint32_t first, uint32_t by,
                                           uint32_t n)
{
    struct network_member member = {.network = {.name = label, .label = label, .bandwidth = bandwidth}};
    uint32_t n_machines = 0;
    char shape[64];
    member.machine = mem_alloc(n, sizeof *member.machine);
    for (uint32_t machine = first; machine < n; machine += by)
        member.machine[n_machines++] = machine;
    snprintf(shape, sizeof shape, "full:%u,bw=%" PRIu64 "B/s", n_machines, bandwidth);
    member.topology = trials_network_of(shape);
    return member;
}

/* Visits two clusters whose servers alternate. */
static void visit_clusters(const struct tour *tour, struct trial trial)
{
    const uint32_t n = trial.placement->n_servers;
    const struct topology_settings settings = {.name = "two clusters"};
    struct graph *names = graph_new();
    const char *problem;
    for (uint32_t machine = 0; machine < n; machine++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "m%u", machine);
        graph_add_node(names, false, name, (size_t)length);
    }
    struct network_member members[] = {{.network = {.name = "memory", .label = "SH"}},
                                       trials_member("A", 3, 0, 2, n),
                                       trials_member("B", 2, 1, 2, n),
                                       trials_member("W", 1, 0, 1, n)};
    visit_topology(tour, trial, topology_new_composite(&settings, names, members, 4, &problem));
}

/* Visits servers of one, two, three or four ranks, or grids; if the program is for unequal servers, also
 * ones whose last has fewer, and servers of four, three, two, one. */
void trials_of_ranks(const struct program *program, uint32_t p,
                     void (*visit)(void *context, const struct trial *trial), void *context)
{
    const struct tour tour = {program, visit, context};
    const bool is_ragged = program_is_ragged(program);
    for (uint32_t slots = 1; slots <= (is_ragged ? 5 : 4); slots++) {
        if (p % slots && !is_ragged)
            continue;
        struct placement *placement = slots < 5 ? placement_by_slots(p, slots, false) : place_falling(p);
        struct trial trial = {.placement = placement};
        visit_roots(&tour, trial);
        if (slots == 1 && trials_need_placement(program))
            visit_grids(&tour, trial);
        if (placement->n_servers > 1 && program_kind(program) == KIND_CLUSTERS)
            visit_clusters(&tour, trial);
        placement_free(placement);
    }
}

void trial_name(const struct trial *trial, enum collective collective, struct text *text)
{
    const struct placement *placement = trial->placement;
    text_printf(text, "%u rank%s on %u server%s", placement->n_ranks, plural(placement->n_ranks),
                placement->n_servers, plural(placement->n_servers));
    if (trial->topology) {
        text_printf(text, ", ");
        text_append_safe(text, trial->topology->name);
    }
    if (trial->neighbors)
        text_printf(text, ", %s", trial->neighbors_name);
    if (collective_table[collective].rooted)
        text_printf(text, ", root %u", trial->root);
}
