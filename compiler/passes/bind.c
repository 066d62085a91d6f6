/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binding: gives the names of a program their values for one placement, one
 * root and the parameters the user set, and checks what the algorithm requires.
 * Only names the program uses have to have a value, so an algorithm without
 * `slots` runs on servers of unequal size. See expand.h.
 */
#include "compiler/language/language.h"
#include "compiler/passes/variables.h"
#include "base/codes.h"
#include "base/integer.h"
#include "compiler/passes/expand.h"
#include "network/placement/clusters.h"
#include "ir/use.h"
#include "network/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct binder {
    const struct program *program;
    const struct bind_request *request;
    struct binding *binding;
    struct environment *environment;
    struct diagnostics *diagnostics;
    bool failed;
    bool lacks_grid; /* that was reported */
};

static struct diagnostic *bind_complain(struct binder *binder, uint32_t code, struct position position,
                                        const char *format, ...) __attribute__((format(printf, 4, 5)));

static struct diagnostic *bind_complain(struct binder *binder, uint32_t code, struct position position,
                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&binder->diagnostics->arena, format, args);
    va_end(args);
    binder->failed = true;
    return report(binder->diagnostics, code, position, "%s", message);
}

/* Marks a complaint as one of a place that the algorithm is not for by what its head declares. */
static struct diagnostic *decline(struct diagnostic *complaint, bool is_declared)
{
    complaint->is_domain = is_declared;
    return complaint;
}

/* --- named values ----------------------------------------------------- */

/* Why the topology and placement have no nx, ny, nz; NULL if they have. */
static const char *grid_problem(const struct binder *binder)
{
    const struct topology *topology = binder->request->topology;
    const struct placement *placement = binder->request->placement;
    if (!topology)
        return "no topology is given";
    if (!topology_grid(topology))
        return diagnostics_text(binder->diagnostics, "'%s' is no grid", topology->name);
    return grid_of_ranks(topology, placement) ? NULL
                                              : "the ranks are not one on every machine, in machine order";
}

/* True if the head of the algorithm uses a name or a function of the grid. */
static bool declares_grid(const struct program *program)
{
    bool is_declared = head_use(program, A_GRID_FUNCTION);
    for (uint32_t named = NAMED_nx; named <= NAMED_dimensions && !is_declared; named++)
        is_declared = head_use(program, named); /* named values are the first variables */
    return is_declared;
}

/* Returns the logical view that the ranks are on; NULL after reporting that `use` needs one. */
static const struct topology *bind_need_grid(struct binder *binder, const struct expr *use, const char *what)
{
    const char *problem = grid_problem(binder);
    if (!problem)
        return topology_grid(binder->request->topology);
    if (binder->lacks_grid) /* said of another use */
        return NULL;
    binder->lacks_grid = true;
    decline(bind_complain(binder, CODE_E009, use->position, "'%s' is %s of a grid, but %s",
                          expression_text(binder->environment, use), what, problem),
            declares_grid(binder->program))
        ->help = "the algorithm runs on a mesh or torus with one rank on every machine, such as "
                 "--topology torus:8x8";
    return NULL;
}

/* The same of a neighbourhood collective, whose grid is that of its communicator. */
static int64_t neighbors_grid_value(const struct neighborhood *of, enum named_value named)
{
    const uint32_t axis = named - NAMED_nx;
    return named == NAMED_dimensions ? of->n_dimensions : axis < of->n_dimensions ? of->extent[axis] : 1;
}

static int64_t grid_value(struct binder *binder, enum named_value named, const struct expr *use)
{
    bool is_number = named == NAMED_dimensions;
    if (binder->binding->neighbors)
        return neighbors_grid_value(binder->binding->neighbors, named);
    const struct topology *grid =
        bind_need_grid(binder, use, is_number ? "the number of dimensions" : "an extent");
    uint32_t axis = named - NAMED_nx;
    if (!grid || is_number)
        return grid ? view_n_axes(grid) : 1;
    return axis < view_n_axes(grid) ? view_extent(grid, axis) : 1;
}

/* Returns a use of the name that needs its value, or NULL. */
static const struct expr *use_of(const struct binder *binder, uint32_t variable)
{
    const struct expr *use = program_use(binder->program, variable);
    return use || !binder->request->with_costs ? use : costs_use(binder->program, variable);
}

/* Makes the grid that functions of the grid need, if the program has some. */
static void bind_grid(struct binder *binder)
{
    const struct expr *use = use_of(binder, A_GRID_FUNCTION);
    struct binding *binding = binder->binding;
    const struct neighborhood *of = binding->neighbors;
    const struct topology *view = use && !of ? bind_need_grid(binder, use, "a function") : NULL;
    if (of)
        rank_grid_of_extents(&binding->grid, of->n_ranks, of->n_dimensions, of->extent, of->place_of,
                             of->rank_at);
    else if (view)
        rank_grid_make(&binding->grid, view, binder->program->from_root ? binding->root : 0,
                  &binding->arena);
    binder->environment->grid = binding->grid;
}

static int64_t slots_value(struct binder *binder, const struct expr *use)
{
    const struct placement *placement = binder->request->placement;
    if (placement->slots)
        return placement->slots;
    decline(bind_complain(binder, CODE_E009, use->position,
                          "'slots' has no value: the servers have unequal numbers of ranks, up to %u",
                          placement->max_slots),
            head_use(binder->program, use->variable))
        ->help = "give every server the same number of ranks, or choose an algorithm that does not "
                 "use 'slots'; 'max_slots' has a value";
    return 1;
}

static int64_t cluster_value(struct binder *binder, enum named_value named,
                             const struct expr *use)
{
    const struct bind_request *request = binder->request;
    struct clusters clusters;
    const char *problem = clusters_find(request->topology, request->placement, &clusters,
                                        &binder->binding->arena);
    uint32_t value = named == NAMED_clusters          ? clusters.n
                     : named == NAMED_cluster_servers ? clusters.servers
                                                      : clusters.n_ranks;
    if (!problem && !value)
        problem = named == NAMED_cluster_servers ? "they have unequal numbers of servers"
                                                 : "they have unequal numbers of ranks";
    if (!problem)
        return value;
    decline(bind_complain(binder, CODE_E009, use->position, "'%s' needs clusters of servers, but %s",
                          expression_text(binder->environment, use), problem),
            head_use(binder->program, use->variable))
        ->help = "clusters are the servers on a network that does not join all, where there are "
                 "several networks: see docs/networks.md";
    return 1;
}

static int64_t neighbors_value(const struct binder *binder, enum named_value named)
{
    const struct neighborhood *neighbors = binder->binding->neighbors;
    if (!neighbors)
        return 0;
    return named == NAMED_isomorphic ? neighbors->is_isomorphic
                                     : neighbors->most[named == NAMED_max_out_degree ? SIDE_OUT : SIDE_IN];
}

/* Makes the neighbourhood of a neighbourhood collective. */
static void bind_neighbors(struct binder *binder)
{
    struct binding *binding = binder->binding;
    if (!collective_is_of_neighbors(binder->program->collective))
        return;
    binding->neighbors = binder->request->neighbors;
    if (!binding->neighbors)
        binding->neighbors = neighborhood_of_grid(grid_of_ranks(binding->topology, binding->placement),
                                                  binding->n_ranks, NEIGHBORS_CARTESIAN, &binding->arena);
    binder->environment->neighbors = binding->neighbors;
}

static int64_t named_value(struct binder *binder, const struct variable *variable,
                           const struct expr *use)
{
    switch ((enum named_value)variable->index) {
    case NAMED_p:
    case NAMED_present:
        return binder->binding->n_ranks;
    case NAMED_root:
        return binder->binding->root;
    case NAMED_servers:
        return binder->request->placement->n_servers;
    case NAMED_slots:
        return use ? slots_value(binder, use) : binder->request->placement->slots;
    case NAMED_max_slots:
        return binder->request->placement->max_slots;
    case NAMED_clusters:
    case NAMED_cluster_servers:
    case NAMED_cluster_ranks:
        return use ? cluster_value(binder, variable->index, use) : 0;
    case NAMED_max_out_degree:
    case NAMED_max_in_degree:
    case NAMED_isomorphic:
        return neighbors_value(binder, variable->index);
    case NAMED_nx:
    case NAMED_ny:
    case NAMED_nz:
    case NAMED_dimensions:
        return use ? grid_value(binder, variable->index, use) : 0;
    case N_NAMED:
        break;
    }
    return 0;
}

/* --- parameters, header lets ------------------------------------------ */

static struct diagnostic *bind_report_fault(struct binder *binder)
{
    const struct fault *fault = &binder->environment->fault;
    struct diagnostic *diagnostic = bind_complain(binder, fault->code, fault->position, "%s", fault->message);
    diagnostic->help = fault->help;
    return diagnostic;
}

/* Returns the value of a uniform expression; `fallback` after reporting. */
static int64_t bind_value_of(struct binder *binder, const struct expr *expr, int64_t fallback)
{
    int64_t value;
    if (evaluate_uniform(binder->environment, expr, &value))
        return value;
    bind_report_fault(binder);
    return fallback;
}

/* Returns the last setting of that parameter, or NULL. */
static const struct parameter_setting *bind_find_setting(const struct bind_request *request, const char *name)
{
    const struct parameter_setting *found = NULL;
    for (size_t i = 0; i < request->n_settings; i++)
        if (strcmp(request->settings[i].name, name) == 0)
            found = &request->settings[i];
    return found;
}

static void bind_parameter(struct binder *binder, uint32_t variable)
{
    const struct variable *of = &binder->program->variables[variable];
    const struct parameter_setting *setting = bind_find_setting(binder->request, of->name);
    int64_t value = setting ? setting->value : bind_value_of(binder, of->value, 1);
    variables_assign_uniform(binder->environment, variable, value);
}

/* A header let that differs between ranks is left to the expansion. */
static void bind_let(struct binder *binder, uint32_t variable)
{
    struct environment *environment = binder->environment;
    int64_t value = 0;
    bool done = evaluate_uniform(environment, binder->program->variables[variable].value, &value);
    variables_assign_uniform(environment, variable, value);
    if (!done && environment->fault.code == CODE_E006)
        environment->slots[variable].kind = SLOT_LANES; /* which nobody reads */
    if (!done && environment->fault.code != CODE_E006)
        diagnostic_of_run(bind_report_fault(binder), binder->program->variables[variable].run);
}

/* All names that are used without a value here are reported. */
static void bind_names(struct binder *binder)
{
    const struct program *program = binder->program;
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind == VARIABLE_NAMED)
            variables_assign_uniform(binder->environment, i,
                                     named_value(binder, &program->variables[i], use_of(binder, i)));
}

static void passes_bind_variable(struct binder *binder, uint32_t i)
{
    const struct variable *variable = &binder->program->variables[i];
    if (variable->kind == VARIABLE_PARAMETER && variable->value)
        bind_parameter(binder, i);
    else if (variable->kind == VARIABLE_LET && variable->value)
        bind_let(binder, i);
    else if (variable->kind == VARIABLE_COORDINATE)
        binder->environment->slots[i].kind = SLOT_LANES; /* which nobody reads */
}

bool bind_check_setting(const struct program *program, const struct parameter_setting *setting,
                        struct diagnostics *diagnostics)
{
    const struct variable *parameter = program_parameter(program, setting->name);
    if (parameter && (parameter->kind == VARIABLE_ALGORITHM) == (setting->text != NULL))
        return true;
    if (parameter)
        report(diagnostics, CODE_E003, setting->position, "'%s' must be %s, not '%s'",
               setting->name, setting->text ? "a number" : "the name of an algorithm",
               setting->text ? setting->text
                             : diagnostics_text(diagnostics, "%lld", (long long)setting->value))
            ->help = setting->text ? "a parameter is a whole number, or the size of a segment, such as 4KiB"
                                   : "'collc algorithms' lists the names";
    else
        report(diagnostics, CODE_E003, setting->position, "'%s' has no parameter '%s'",
               program->name, setting->name)
            ->help = program_help_with_parameters(program, setting->name, diagnostics);
    return false;
}

static void bind_check_settings(struct binder *binder)
{
    for (size_t i = 0; i < binder->request->n_settings; i++)
        if (!bind_check_setting(binder->program, &binder->request->settings[i],
                                binder->diagnostics))
            binder->failed = true;
}

/* --- requirements and sizes ------------------------------------------- */

static void list_values(struct binder *binder, const struct expr *expr, struct text *text,
                        bool seen[])
{
    if (!expr)
        return;
    if (expr->kind == EXPR_VARIABLE && !seen[expr->variable]) {
        seen[expr->variable] = true;
        text_printf(text, "%s%s = %lld", text->length ? ", " : ": ",
                    variable_source_name(&binder->program->variables[expr->variable]),
                    (long long)binder->environment->slots[expr->variable].scalar);
    }
    list_values(binder, expr->a, text, seen);
    list_values(binder, expr->b, text, seen);
    list_values(binder, expr->c, text, seen);
}

static void check_requirement(struct binder *binder, const struct requirement *requirement)
{
    const struct expr *expr = requirement->expr;
    struct text values = {0};
    if (bind_value_of(binder, expr, 1))
        return;
    bool *seen = mem_alloc(binder->program->n_variables, sizeof *seen);
    list_values(binder, expr, &values, seen);
    const char *what = requirement->text;
    if (!what)
        what = diagnostics_text(binder->diagnostics, "'%s' does not hold",
                                expression_text(binder->environment, expr));
    struct diagnostic *complaint = decline(bind_complain(binder, CODE_E009, expr->position, "%s%s", what,
                                                         values.length ? values.data : ""),
                                           !requirement->of_run);
    if (requirement->help)
        complaint->help = requirement->help;
    diagnostic_of_run(complaint, requirement->run);
    text_free(&values);
    free(seen);
}

/* Returns a number of something from `least` on; `least` after reporting, as one of a place that the
 * algorithm is not for if the head declares the number. */
static uint32_t bounded(struct binder *binder, const char *what, int64_t value,
                        struct position position, uint32_t least, bool is_declared)
{
    if (value >= least && value <= (int64_t)SCHEDULE_MAX_CHUNKS)
        return (uint32_t)value;
    struct diagnostic *complaint =
        decline(bind_complain(binder, CODE_E009, position, "%s is %lld, but must be between %u and %u", what,
                              (long long)value, least, SCHEDULE_MAX_CHUNKS),
                is_declared);
    if (!is_declared)
        complaint->help = "bound it, such as by 'max(..., 0)', or refuse such ranks by 'requires'";
    return least;
}

/* A buffer with a chunk for each rank has as many times more. */
static void bind_segments(struct binder *binder)
{
    const struct program *program = binder->program;
    struct binding *binding = binder->binding;
    uint64_t n = 0;
    binding->segments = 1;
    if (program->segments == UINT32_MAX)
        return;
    const struct position position = program->variables[program->segments].position;
    binding->segments =
        bounded(binder, "'segments'", binder->environment->slots[program->segments].scalar, position, 1,
                true);
    for (enum buffer buffer = 0; buffer < BUFFER_TMP && n <= SCHEDULE_MAX_CHUNKS; buffer++)
        n = collective_chunks(program->collective, buffer, binding->n_ranks, binding->segments);
    if (n > SCHEDULE_MAX_CHUNKS)
        bind_complain(binder, CODE_E010, position, "%llu chunks in a buffer, but there can be %lu",
                      (unsigned long long)n, (unsigned long)SCHEDULE_MAX_CHUNKS)
            ->help = "take fewer segments, or fewer ranks";
}

/* Returns how many chunks a clause gives a buffer; 0 without the clause. */
static uint32_t bind_size(struct binder *binder, const struct expr *size, enum buffer buffer)
{
    if (!size)
        return 0;
    const char *what = diagnostics_text(binder->diagnostics, "the number of chunks of '%s'", buffer_name[buffer]);
    return bounded(binder, what, bind_value_of(binder, size, 0), size->position, 0, false);
}

static void bind_sizes(struct binder *binder)
{
    const struct program *program = binder->program;
    struct binding *binding = binder->binding;
    bind_segments(binder);
    binding->n_in = bind_size(binder, program->n_in, BUFFER_IN);
    binding->n_out = bind_size(binder, program->n_out, BUFFER_OUT);
    binding->n_tmp = bind_size(binder, program->n_tmp, BUFFER_TMP);
    for (uint32_t i = 0, end = 0; i < program->n_areas; i++) {
        const uint32_t first = end;
        end += bind_size(binder, program->areas[i].n, BUFFER_TMP);
        binding->areas[i] = (struct tmp_span){first, end};
    }
    binding->bytes = binder->request->bytes;
    if (!binding->counts)
        binding->chunk_bytes =
            collective_chunk_bytes(program->collective, binding->segments, binding->bytes);
}

/* Coordinates over servers and max_slots cover the ranks however these are placed. */
static void check_points(struct binder *binder, const char *points, uint64_t product)
{
    const struct program *program = binder->program;
    const uint32_t n_ranks = binder->binding->n_ranks;
    if (program_is_ragged(program) && product > UINT32_MAX)
        bind_complain(binder, CODE_E010, program->extent[0]->position,
                      "the coordinates have %s points, but there can be %u", points, UINT32_MAX)
            ->help = "take fewer ranks, or give servers more equal numbers of them";
    else if (!program_is_ragged(program) && product != n_ranks)
        decline(bind_complain(binder, CODE_E009, program->extent[0]->position,
                              "the coordinates have %s points, but there %s %u rank%s", points,
                              n_ranks == 1 ? "is" : "are", n_ranks, plural(n_ranks)),
                true)
            ->help = "the extents of the 'ranks' clause must multiply to the number of ranks";
}

static void bind_extents(struct binder *binder)
{
    const struct program *program = binder->program;
    struct binding *binding = binder->binding;
    struct text points = {0};
    uint64_t product = 1;
    bool fits = true;
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        int64_t extent = bind_value_of(binder, program->extent[i], 1);
        text_printf(&points, "%s%lld", i ? " x " : "", (long long)extent);
        fits = fits && extent >= 1 && extent <= SCHEDULE_MAX_RANKS &&
               mem_multiply(product, (uint64_t)extent, &product);
        binding->extent[i] = fits ? (uint32_t)extent : 1;
    }
    if (program->n_coordinates && !binder->failed)
        check_points(binder, points.data, fits ? product : 0);
    text_free(&points);
}

static void bind_check_root(struct binder *binder)
{
    const struct bind_request *request = binder->request;
    uint32_t n_ranks = request->placement->n_ranks;
    if (n_ranks == 0 || n_ranks > SCHEDULE_MAX_RANKS)
        bind_complain(binder, CODE_E010, (struct position){0}, "%u ranks, but there must be between 1 and %d",
                      n_ranks, SCHEDULE_MAX_RANKS)
            ->help = "take fewer ranks";
    else if (request->root >= n_ranks)
        decline(bind_complain(binder, CODE_E009, (struct position){0}, "root %u is not one of %u ranks",
                              request->root, n_ranks),
                true)
            ->help = "ranks are numbered from 0";
}

/* Checks the requirements that stand above a variable, until one fails. Returns the first one after them. */
static const struct requirement *check_above(struct binder *binder, const struct requirement *r,
                                             uint32_t variable)
{
    for (; r && r->before <= variable && !binder->failed; r = r->next)
        check_requirement(binder, r);
    return r;
}

/* Checks what the algorithm itself requires, and its coordinates. */
static const struct requirement *check_own(struct binder *binder,
                                           const struct requirement *requirement)
{
    for (; requirement && !requirement->of_run && !binder->failed; requirement = requirement->next)
        check_requirement(binder, requirement);
    if (!binder->failed)
        bind_extents(binder);
    return requirement;
}

/* A requirement guards the lets below it, which need not have a value without it; and what
 * has none leaves nothing below it to be judged. What the algorithm declares by itself is judged
 * before what those need that it runs. */
static void bind_all(struct binder *binder)
{
    const struct program *program = binder->program;
    const struct requirement *requirement = program->requirements;
    bind_check_root(binder);
    bind_check_settings(binder);
    if (binder->failed)
        return;
    bind_neighbors(binder);
    bind_grid(binder);
    bind_names(binder);
    for (uint32_t i = 0; i < program->n_variables && !binder->failed; i++) {
        if (i == program->n_own_variables)
            requirement = check_own(binder, requirement);
        requirement = check_above(binder, requirement, i);
        if (!binder->failed)
            passes_bind_variable(binder, i);
    }
    if (!binder->failed && program->n_variables == program->n_own_variables)
        requirement = check_own(binder, requirement);
    if (binder->failed)
        return;
    for (; requirement; requirement = requirement->next)
        check_requirement(binder, requirement);
    bind_sizes(binder);
}

static struct binding *bind_numbers(const struct program *program, const struct bind_request *request,
                                    struct diagnostics *diagnostics)
{
    struct binding *binding = mem_alloc(1, sizeof *binding);
    struct binder binder = {.program = program,
                            .request = request,
                            .binding = binding,
                            .environment = environment_new(program, diagnostics),
                            .diagnostics = diagnostics};
    binding->program = program;
    binding->topology = request->topology;
    binding->topology_spec = request->topology_spec;
    binding->counts = program->form == FORM_EQUAL ? NULL : request->counts;
    binding->placement = request->placement;
    binding->n_ranks = request->placement->n_ranks;
    binding->root = collective_table[program->collective].rooted ? request->root : 0;
    servers_begin(&binder.environment->servers, binding);
    bind_all(&binder);
    binding->value = arena_alloc(&binding->arena, program->n_variables, sizeof(int64_t));
    for (uint32_t i = 0; i < program->n_variables; i++)
        binding->value[i] = binder.environment->slots[i].scalar;
    environment_free(binder.environment);
    if (!binder.failed)
        return binding;
    binding_free(binding);
    return NULL;
}

/* --- segments of a size ------------------------------------------------ */

static const struct parameter_setting *bind_setting_in_bytes(const struct bind_request *request)
{
    for (size_t i = 0; i < request->n_settings; i++)
        if (request->settings[i].bytes)
            return &request->settings[i];
    return NULL;
}

/* Adds why the size of a segment says nothing about the value of a parameter. Returns NULL. */
static struct binding *bind_refuse_size(const struct parameter_setting *setting, const char *why,
                                        const char *help, struct diagnostics *diagnostics)
{
    report(diagnostics, CODE_E003, setting->position, "'%s' has a size, %llu bytes, but %s", setting->name,
           (unsigned long long)setting->bytes, why)
        ->help = help;
    return NULL;
}

/* Binds with numbers of segments: as many as are needed for none to be larger than the setting says. How
 * many there are if the parameter is 1 tells what it counts. */
static struct binding *bind_sizes_of_segments(const struct program *program,
                                              const struct bind_request *request,
                                              struct diagnostics *diagnostics)
{
    const struct parameter_setting *sized = bind_setting_in_bytes(request);
    struct parameter_setting *settings = mem_alloc(request->n_settings, sizeof *settings);
    struct bind_request numbers = *request;
    struct binding *binding = NULL;
    uint64_t unit = 1; /* bytes of a segment, later */
    numbers.settings = settings;
    memcpy(settings, request->settings, request->n_settings * sizeof *settings);
    for (int turn = 0; turn < 2 && (turn == 0 || binding); turn++) {
        for (size_t i = 0; i < request->n_settings; i++)
            if (settings[i].bytes)
                settings[i].value = (int64_t)divide_up(unit, settings[i].bytes);
        binding_free(binding);
        binding = bind_numbers(program, &numbers, diagnostics);
        unit = binding && binding->chunk_bytes ? binding->chunk_bytes : 1;
    }
    free(settings);
    if (!binding || binding->chunk_bytes <= sized->bytes)
        return binding;
    binding_free(binding);
    return bind_refuse_size(sized, "it is no number of segments",
                            "give it a number; a size is for parameters such as 'segments'", diagnostics);
}

struct binding *bind_program(const struct program *program, const struct bind_request *request,
                             struct diagnostics *diagnostics)
{
    const struct parameter_setting *sized = bind_setting_in_bytes(request);
    assert(request->placement);
    assert(program_is_sound(program, false));
    if (!sized)
        return bind_numbers(program, request, diagnostics);
    if (request->counts)
        return bind_refuse_size(sized, "the counts are unequal", "give it a number", diagnostics);
    if (!request->bytes)
        return bind_refuse_size(sized, "the data have none", "add --bytes", diagnostics);
    return bind_sizes_of_segments(program, request, diagnostics);
}

struct environment *environment_of_binding(const struct binding *binding,
                                           struct diagnostics *diagnostics)
{
    struct environment *environment = environment_new(binding->program, diagnostics);
    environment->n_ranks = binding->n_ranks;
    environment->grid = binding->grid;
    environment->neighbors = binding->neighbors;
    servers_begin(&environment->servers, binding);
    for (uint32_t i = 0; i < binding->program->n_variables; i++)
        variables_assign_uniform(environment, i, binding->value[i]);
    return environment;
}

void binding_free(struct binding *binding)
{
    if (binding)
        arena_free(&binding->arena);
    free(binding);
}
