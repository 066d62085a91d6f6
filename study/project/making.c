/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See making.h.
 */
#include "study/project/making.h"

#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/language/language.h"
#include "ir/counts.h"
#include "network/placement/placement_make.h"
#include "schedules/schedules.h"
#include "study/project/placed.h"

#include <stdlib.h>

/* ---- the schedule ---- */

static bool read_schedule(struct making *making)
{
    const char *name = making->cell->schedule;
    const struct embedded_file *file = builtin_of_name(name, &making->form);
    making->source = file ? source_of_text(file->path, file->text, file->length, &making->arena)
                          : source_read(name, SCHEDULE_FILE_LIMIT, &making->arena, &making->problems);
    if (!making->source)
        return false;
    if (schedules_is_file(making->source))
        making->schedule = schedules_read(making->source, &making->problems);
    else
        making->program = program_read(making->source, &making->problems);
    if (making->program && making->form != FORM_EQUAL)
        return program_take_form(making->program, making->form, &making->problems);
    return making->program || making->schedule;
}

/* True if a schedule file is for the cell's ranks and root. */
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

/* True if the ranks of a schedule file are placed as it states: the project states nothing else, and the
 * network is the one that it was compiled for. */
static bool is_placed_by_file(const struct making *making)
{
    const struct project_network *network = making->cell->network;
    const struct schedule_header *header = making->schedule ? &making->schedule->header : NULL;
    if (making->program || !header || !header->machine || ranks_per_machine(making))
        return false;
    return !network || (!network->placement && !network->order &&
                        header->fingerprint == making->topology->fingerprint);
}

static bool making_place(struct making *making)
{
    const struct project_network *network = making->cell->network;
    const uint32_t n_ranks =
        making->schedule ? making->schedule->header.n_ranks : making->cell->n_ranks;
    if (is_placed_by_file(making)) {
        making->placement = placed_by_header(making->schedule, making->topology, &making->problems);
    } else if (network) {
        const struct placement_request request = {n_ranks, ranks_per_machine(making),
                                                  network->placement, network->order, 0};
        making->placement = placement_make(making->topology, &request, &making->problems);
    } else {
        making->placement = place_without_network(making, n_ranks);
    }
    return making->placement;
}

/* True if the root is a rank; a collective without root runs once. */
static bool has_root(const struct making *making)
{
    const bool is_rooted = collective_table[making->program->collective].rooted;
    const uint32_t first = making->project->roots.n ? making->project->roots.items[0] : 0;
    return is_rooted ? making->cell->root < making->placement->n_ranks : making->cell->root == first;
}

static bool making_expand(struct making *making)
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

bool making_make(struct making *making)
{
    if (!read_schedule(making))
        return false;
    making->is_not_for = making->schedule && !is_for_cell(making);
    if (making->is_not_for || !making_place(making))
        return false;
    if (making->schedule)
        return true;
    making->is_not_for = !has_root(making);
    if (making->is_not_for && collective_table[making->program->collective].rooted)
        report(&making->problems, CODE_E009, (struct position){0}, "root %u is not among %u ranks", making->cell->root,
               making->placement->n_ranks)->is_domain = true;
    return !making->is_not_for && making_expand(making);
}

void making_free(struct making *making)
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

bool making_is_not_for(const struct making *making)
{
    const struct diagnostics *problems = &making->problems;
    const uint64_t n_room = problems->n_of_code[CODE_A001];
    return making->is_not_for || diagnostics_has_domain(problems) ||
           (n_room && problems->n_of_severity[SEVERITY_ERROR] == n_room);
}

struct verify_limits making_limits(const struct making *making)
{
    struct verify_limits limits = making->cell->limits;
    if (!limits.ports.is_set && making->topology && making->topology->ports)
        limits.ports = limit_of(making->topology->ports);
    return limits;
}

struct least_load making_least(const struct making *making, struct lower_bound_cache *cache)
{
    const struct lower_bound_request request =
        lower_bound_request_of(&making->schedule->header, making->topology, making->placement);
    const struct lower_bound least =
        is_placed_by_file(making) ? lower_bound_of(&request) : lower_bound_cached(cache, &request);
    return least_load(&least, schedule_block_units(&making->schedule->header));
}
