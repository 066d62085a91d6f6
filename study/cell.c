/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cell.h.
 */
#include "study/cell.h"

#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/language/language.h"
#include "compiler/passes/expand.h"
#include "network/formats/formats.h"
#include "network/formats/opensm/tables.h"
#include "network/placement/placement_make.h"
#include "network/restrict.h"

#include <stdlib.h>

/* What a cell is made of, as far as it came. */
struct making {
    const struct project *project;
    const struct project_cell *cell;
    const struct topology *topology;
    struct diagnostics problems;
    struct arena arena;
    const struct source *source;
    enum collective_form form;
    bool is_not_for; /* found by us, not by a code */
    struct program *program;
    struct placement *placement;
    struct binding *binding;
    struct schedule *schedule;
};

/* ---- networks ---- */

static const char **texts_of(const struct project_words *words, struct arena *arena)
{
    const char **texts = arena_alloc(arena, words->n + 1, sizeof *texts);
    for (size_t i = 0; i < words->n; i++)
        texts[i] = words->items[i].text;
    return texts;
}

static struct topology *open_network(const struct project_network *network, bool has_tables,
                                     struct diagnostics *diagnostics)
{
    struct arena arena = {0};
    struct topology *topology = topology_read(network->spec.text, diagnostics);
    const struct route_files routes = {texts_of(&network->routes, &arena), network->routes.n, false};
    const struct topology_restriction restriction = {texts_of(&network->failed, &arena),
                                                     network->failed.n, network->machines};
    if (topology && has_tables && routes.n_names && !topology_read_routes(topology, &routes, diagnostics)) {
        topology_free(topology);
        topology = NULL;
    }
    if (topology)
        topology = topology_restrict(topology, &restriction, diagnostics);
    arena_free(&arena);
    return topology;
}

struct topology *cell_open_network(const struct project_network *network,
                                   struct diagnostics *diagnostics)
{
    return open_network(network, true, diagnostics);
}

struct topology *cell_open_rest(const struct project_network *network, struct diagnostics *diagnostics)
{
    struct topology *topology = open_network(network, false, diagnostics);
    return topology ? topology_let_fail(topology) : NULL;
}

/* ---- the schedule ---- */

static bool read_schedule(struct making *making)
{
    const char *name = making->cell->schedule;
    const struct embedded_file *file = builtin_of_name(name, &making->form);
    making->source = file ? source_of_text(file->path, file->text, file->length, &making->arena)
                          : source_read(name, SCHEDULE_FILE_LIMIT, &making->arena, &making->problems);
    if (!making->source)
        return false;
    if (schedule_is_file(making->source))
        making->schedule = schedule_read(making->source, &making->problems);
    else
        making->program = program_read(making->source, &making->problems);
    if (making->program && making->form != FORM_EQUAL)
        return program_take_form(making->program, making->form, &making->problems);
    return making->program || making->schedule;
}

/* A schedule file is for its own ranks and root. */
static bool is_for_cell(const struct making *making)
{
    const struct project_cell *cell = making->cell;
    const struct schedule_header *header = &making->schedule->header;
    return (!cell->n_ranks || cell->n_ranks == header->n_ranks) &&
           (!making->project->roots.n || cell->root == header->root);
}

/* ---- where ---- */

static uint32_t ranks_per_machine(const struct making *making)
{
    const struct project_network *network = making->cell->network;
    return network && network->ranks_per_machine ? network->ranks_per_machine
                                                 : making->project->ranks_per_machine;
}

static struct placement *place_without_network(const struct making *making, uint32_t n_ranks)
{
    const uint32_t per_machine = ranks_per_machine(making) ? ranks_per_machine(making) : 1;
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = rank / per_machine;
    struct placement *placement = placement_of_machines(machine, n_ranks, "block");
    free(machine);
    return placement;
}

static bool place(struct making *making)
{
    const struct project_network *network = making->cell->network;
    const uint32_t n_ranks =
        making->schedule ? making->schedule->header.n_ranks : making->cell->n_ranks;
    if (network) {
        const struct placement_request request = {n_ranks, ranks_per_machine(making),
                                                  network->placement, network->order, 0};
        making->placement = placement_make(making->topology, &request, &making->problems);
    } else {
        making->placement = place_without_network(making, n_ranks);
    }
    return making->placement;
}

/* The root is a rank, and a collective without one is run once. */
static bool has_root(const struct making *making)
{
    const bool is_rooted = collective_table[making->program->collective].rooted;
    const uint32_t first = making->project->roots.n ? making->project->roots.items[0] : 0;
    return is_rooted ? making->cell->root < making->placement->n_ranks : making->cell->root == first;
}

static bool expand(struct making *making)
{
    const struct bind_request request = {
        .topology = making->topology,
        .topology_spec = making->cell->network ? making->cell->network->spec.text : NULL,
        .placement = making->placement,
        .root = collective_table[making->program->collective].rooted ? making->cell->root : 0,
    };
    making->binding = bind_program(making->program, &request, &making->problems);
    if (making->binding)
        making->schedule = expand_program(making->binding, &making->problems);
    return making->schedule;
}

static bool make(struct making *making)
{
    if (!read_schedule(making))
        return false;
    making->is_not_for = making->schedule && !is_for_cell(making);
    if (making->is_not_for || !place(making))
        return false;
    if (making->schedule)
        return true;
    making->is_not_for = !has_root(making);
    return !making->is_not_for && expand(making);
}

static void free_making(struct making *making)
{
    if (making->schedule)
        making->schedule->destroy(making->schedule);
    binding_free(making->binding);
    placement_free(making->placement);
    if (making->program)
        program_free(making->program);
    diagnostics_free(&making->problems);
    arena_free(&making->arena);
}

/* ---- the verdict ---- */

/* Whether all that is wrong is that the algorithm, or the number of ranks, is for other places. */
static bool is_not_for(const struct making *making)
{
    const struct diagnostics *problems = &making->problems;
    const uint64_t n = problems->n_of_code[CODE_E009] + problems->n_of_code[CODE_A001];
    return making->is_not_for || (n && problems->n_of_severity[SEVERITY_ERROR] == n);
}

static struct verify_limits limits_of(const struct making *making)
{
    struct verify_limits limits = making->cell->limits;
    if (!limits.ports.is_set && making->topology && making->topology->ports)
        limits.ports = limit_of(making->topology->ports);
    return limits;
}

static struct least_load find_least(const struct making *making, struct least_cache *cache)
{
    const struct least_request request =
        least_request_of(&making->schedule->header, making->topology, making->placement);
    const struct least least = least_cached(cache, &request);
    return least_load(&least, making->schedule->header.segments);
}

/* ---- failures ---- */

static void find_failures(const struct kept_flows *kept, struct making *making, struct topology *rest,
                          uint32_t keep, struct diagnostics *findings, struct failures *failures)
{
    const struct position position = {making->source, 0, 0, 1};
    const struct failures_subject subject = {making->topology, &making->cell->limits, position, keep};
    if (kept->is_too_large) {
        report(&making->problems, CODE_K009, position, "the messages of '%s' cross more than %d links here",
               making->cell->schedule, KEPT_MAX_CROSSINGS)
            ->help = "failures are for schedules of fewer messages: choose fewer ranks";
        return;
    }
    *failures = failures_sweep(kept, rest);
    failures_judge(failures, &subject, findings);
}

void cell_run(const struct project *project, const struct project_cell *cell, struct cell_place place,
              struct cell_keep keep,
              void (*show)(void *context, const struct cell_result *result), void *context)
{
    struct making making = {.project = project, .cell = cell, .topology = place.topology,
                            .form = FORM_EQUAL};
    struct diagnostics findings = {.is_joined = true, .keep_per_code = keep.per_code};
    struct verify_report report = {0};
    struct kept_flows kept = {0};
    struct failures failures = {0};
    const struct least_load none = {NULL, 0};
    const bool is_made = make(&making), has_failures = is_made && place.rest;
    if (has_failures)
        kept = kept_flows_start(&making.schedule->header, place.topology, making.placement);
    const struct verify_request request = {.topology = place.topology,
                                           .placement = making.placement,
                                           .limits = limits_of(&making),
                                           .least = is_made ? find_least(&making, place.bounds) : none,
                                           .keep_per_step = true,
                                           .watch = has_failures ? kept_flows_watch : NULL,
                                           .watch_context = &kept,
                                           .keep_measured = keep.measured};
    const bool is_verified = is_made && verify_schedule(making.schedule, &request, &report, &findings) &&
                             !diagnostics_has_errors(&making.problems);
    if (is_verified && has_failures)
        find_failures(&kept, &making, place.rest, keep.measured, &findings, &failures);
    struct cell_result result = {.outcome = is_verified           ? CELL_VERIFIED
                                            : is_not_for(&making) ? CELL_NOT_FOR
                                                                  : CELL_BROKEN,
                                 .topology = place.topology,
                                 .placement = making.placement,
                                 .problems = &making.problems,
                                 .findings = &findings};
    if (is_verified) {
        result.header = &making.schedule->header;
        result.report = &report;
        result.least = request.least;
        result.failures = failures.n ? &failures : NULL;
    }
    show(context, &result);
    failures_free(&failures);
    kept_flows_free(&kept);
    verify_report_free(&report);
    diagnostics_free(&findings);
    free_making(&making);
}
