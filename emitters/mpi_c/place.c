/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the places of ranks and chunks as C: the numbers found out at run time, the coordinates of a
 * rank and the rank at some coordinates, and the test that the algorithm is defined for a communicator.
 *
 * The order of coordinates is that of the expansion: over servers and slots the table of the servers
 * decides; over nx, ny, nz x is fastest; else the first coordinate is slowest.
 */
#include "emitters/mpi_c/program.h"

#include <inttypes.h>
#include <stdio.h>

/* --- names and their values ------------------------------------------- */

/* Returns the root's name; under a map the steps count in the numbers of the algorithm. */
static const char *root_name(const struct emit_c_options *options)
{
    return options->map ? "lead" : "root";
}

static const char *rank_name(const struct emit_c_options *options)
{
    return options->map ? "number" : "rank";
}

static void print_named(const struct emit_c_options *options, uint32_t index, struct text *out)
{
    static const char *const value[N_NAMED] = {
        [NAMED_p] = "run->p",
        [NAMED_present] = "run->p",
        [NAMED_servers] = "run->own->servers",
        [NAMED_slots] = "run->own->slots",
        [NAMED_max_slots] = "run->own->max_slots",
        [NAMED_clusters] = "run->own->clusters",
        [NAMED_cluster_servers] = "run->own->cluster_servers",
        [NAMED_cluster_ranks] = "run->own->cluster_ranks",
        [NAMED_max_out_degree] = "run->neighbors->most_out",
        [NAMED_max_in_degree] = "run->neighbors->most_in",
        [NAMED_isomorphic] = "run->neighbors->is_isomorphic",
        [NAMED_nx] = "run->grid[0]",
        [NAMED_ny] = "run->grid[1]",
        [NAMED_nz] = "run->grid[2]",
        [NAMED_dimensions] = "run->dimensions",
    };
    if (index == NAMED_root)
        text_printf(out, "run->%s", root_name(options));
    else if (index == NAMED_dimensions && options->n_grid)
        text_printf(out, "%" PRIu32, options->n_grid);
    else if (index >= NAMED_nx && options->n_grid)
        text_printf(out, "%" PRIu32,
                    index - NAMED_nx < options->n_grid ? options->grid[index - NAMED_nx] : 1);
    else
        text_printf(out, "%s", value[index]);
}

uint32_t c_parameter_index(const struct program *program, uint32_t variable)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < variable; i++)
        n += program->variables[i].kind == VARIABLE_PARAMETER;
    return n;
}

static void place_print_value(const struct c_form *form, uint32_t variable, struct text *out)
{
    const struct variable *v = &form->program->variables[variable];
    const struct expr constant = {.kind = EXPR_INTEGER,
                                  .integer = form->options->parameters
                                                 ? form->options->parameters[variable]
                                                 : 0};
    if (v->kind == VARIABLE_PARAMETER && form->options->is_library) {
        text_printf(out, "collc_parameter(run, %" PRIu32 ", ", c_parameter_index(form->program, variable));
        c_expr(form->program, v->value, out);
        text_printf(out, ")");
    } else if (v->kind == VARIABLE_NAMED)
        print_named(form->options, v->index, out);
    else if (v->kind == VARIABLE_COORDINATE)
        text_printf(out, "run->coordinate[%" PRIu32 "]", v->index);
    else if (v->kind == VARIABLE_PARAMETER && form->options->parameters)
        c_expr(form->program, &constant, out);
    else
        c_expr(form->program, v->value, out);
}

static bool is_declared_on_top(const struct variable *variable)
{
    switch (variable->kind) {
    case VARIABLE_NAMED:
    case VARIABLE_PARAMETER:
    case VARIABLE_COORDINATE:
        return true;
    case VARIABLE_LET:
        return variable->value != NULL;
    case VARIABLE_LOOP:
    case VARIABLE_ARGUMENT:
    case VARIABLE_ALGORITHM:
    case VARIABLE_AREA: break;
    }
    return false;
}

void c_declarations(const struct use *use, struct text *out)
{
    const struct program *program = use->form->program;
    size_t before = out->length;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        if (!use->variable[i] || !is_declared_on_top(&program->variables[i]))
            continue;
        struct text line = {0};
        text_printf(&line, "const int64_t ");
        c_name(program->variables[i].name, &line);
        text_printf(&line, " = ");
        place_print_value(use->form, i, &line);
        text_printf(&line, ";");
        c_line(4, line.data, out);
        text_free(&line);
    }
    if (out->length > before)
        text_printf(out, "\n");
}

/* --- coordinates ------------------------------------------------------- */

void c_rank_at(const struct c_form *form, struct expr *const *coordinates, uint32_t n,
               struct text *out)
{
    text_printf(out, "collc_at%s(run", form->suffix);
    for (uint32_t i = 0; i < n; i++) {
        text_printf(out, ", ");
        c_expr(form->program, coordinates[i], out);
    }
    text_printf(out, ")");
}

static void print_index(const struct program *program, struct text *out)
{
    char extent[64] = "run->p";
    uint32_t n = program->n_coordinates;
    struct text line = {0};
    text_printf(&line, "int64_t index = ");
    for (uint32_t i = 0; i < n || i == 0; i++) {
        if (n > 1)
            snprintf(extent, sizeof extent, "run->extent[%" PRIu32 "]", i);
        text_printf(&line, "%s%scollc_mod(%c, %s)", i ? " + " : "", program->from_root ? "(" : "",
                    'a' + (int)i, extent);
        if (program->from_root)
            text_printf(&line, " + run->origin[%" PRIu32 "]) %% %s", i, extent);
        if (n > 1)
            text_printf(&line, " * run->stride[%" PRIu32 "]", i);
    }
    text_printf(&line, ";");
    c_line(4, line.data, out);
    text_free(&line);
}

/* Returns the coordinate of the server, over `servers` and `max_slots`. */
static uint32_t server_coordinate(const struct program *program)
{
    return program_named_extent(program, 0) == NAMED_servers ? 0 : 1;
}

/* Prints the body of collc_at if a server may have fewer ranks than there are slots. */
static void print_ragged(const struct program *program, struct text *out)
{
    const uint32_t server = server_coordinate(program);
    text_printf(out, ")\n{\n    const struct collc_comm *own = run->own;\n    int64_t server = ");
    if (program->from_root)
        text_printf(out, "(");
    text_printf(out, "collc_mod(%c, own->servers)", 'a' + (int)server);
    if (program->from_root)
        text_printf(out, " + run->origin[%" PRIu32 "]) %% own->servers", server);
    text_printf(out, ";\n    int64_t slot = collc_mod(%c, own->max_slots);\n"
                     "    int n = own->n_slots[server];\n\n    if (slot >= n)\n"
                     "        return -1;\n    return own->rank_at[own->first[server] + ",
                'a' + (int)(1 - server));
    if (program->from_root)
        text_printf(out, "(slot + run->origin[%" PRIu32 "]) %% n", 1 - server);
    else
        text_printf(out, "slot");
    text_printf(out, "];\n}\n\n");
}

void c_define_rank_at(const struct c_form *form, struct text *out)
{
    const struct program *program = form->program;
    uint32_t n = program->n_coordinates ? program->n_coordinates : 1;
    const char *absent = program_is_ragged(program) ? "; -1: none" : "";
    text_printf(out, "/* The rank at %s%s. */\nstatic int collc_at%s(const struct collc_run *run",
                n == 1 ? "a coordinate, which wraps around" : "these coordinates, which wrap around",
                absent, form->suffix);
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, ", int64_t %c", 'a' + (int)i);
    if (program_is_ragged(program)) {
        print_ragged(program, out);
        return;
    }
    text_printf(out, ")\n{\n");
    print_index(program, out);
    const char *rank = "(int)index";
    if (program_is_over_servers(program))
        rank = "run->own->rank_at[index]";
    else if (program_is_over_clusters(program))
        rank = "run->own->at_place[index]";
    text_printf(out, "\n    return %s;\n}\n\n", rank);
}

/* --- chunks ------------------------------------------------------------ */

static void print_whole(const struct c_form *form, enum buffer buffer, struct text *out)
{
    const bool is_cut = form->features & C(SEGMENTS);
    if (is_by_rank(form->program, buffer))
        text_printf(out, is_cut ? "0, run->p * run->segments" : "0, run->p");
    else if (buffer == BUFFER_TMP || collective_is_said(form->program->collective))
        text_printf(out, "0, run->n_%s", buffer_name[buffer]);
    else
        text_printf(out, is_cut ? "0, run->segments" : "0, 1");
}

/* Prints a number: of a rank, which wraps around, or of a chunk. */
static void place_print_number(const struct c_form *form, const struct chunks *chunks, struct text *out)
{
    bool wraps = is_by_rank(form->program, chunks->buffer);
    text_printf(out, "%s", wraps ? "collc_mod(" : "");
    c_expr(form->program, chunks->index[0], out);
    text_printf(out, "%s", wraps ? ", run->p)" : "");
}

/* Prints the conversion from the number of a rank to that of its first chunk, or of a segment of it. */
static void print_segment(const struct c_form *form, const struct chunks *chunks, struct text *out)
{
    const struct expr *segment = chunks->segment;
    if (!is_by_rank(form->program, chunks->buffer) || form->program->segments == UINT32_MAX)
        return;
    text_printf(out, " * run->segments");
    if (!segment)
        return;
    const bool is_plain = segment->kind == EXPR_INTEGER || segment->kind == EXPR_VARIABLE;
    text_printf(out, is_plain ? " + " : " + (");
    c_expr(form->program, segment, out);
    text_printf(out, is_plain ? "" : ")");
}

/* Prints the number of chunks in a chunk by rank. */
static void print_n_segments(const struct c_form *form, const struct chunks *chunks,
                             struct text *out)
{
    if (chunks->last_segment)
        c_count(form->program, chunks->segment, chunks->last_segment, out);
    else if (chunks->segment || form->program->segments == UINT32_MAX)
        text_printf(out, "1");
    else
        text_printf(out, "run->segments");
}

void c_first_chunk(const struct c_form *form, const struct chunks *chunks, struct text *out)
{
    if (chunks->n == 0)
        text_printf(out, "0");
    else if (is_by_coordinates(form->program, chunks))
        c_rank_at(form, chunks->index, chunks->n, out);
    else
        place_print_number(form, chunks, out);
    if (chunks->n)
        print_segment(form, chunks, out);
}

void c_chunks(const struct c_form *form, const struct chunks *chunks, struct text *out)
{
    const bool by_rank = is_by_rank(form->program, chunks->buffer);
    const bool is_cut = by_rank && form->program->segments != UINT32_MAX;
    if (chunks->n == 0) {
        print_whole(form, chunks->buffer, out);
        return;
    }
    c_first_chunk(form, chunks, out);
    text_printf(out, chunks->last && is_cut ? ", (" : ", ");
    if (chunks->last)
        c_count(form->program, chunks->index[0], chunks->last, out);
    else if (by_rank)
        print_n_segments(form, chunks, out);
    else
        text_printf(out, "1");
    text_printf(out, chunks->last && is_cut ? ") * run->segments" : "");
}

/* --- what chunks of tmp are as large as -------------------------------- */

static bool has_like_index(const struct program *program)
{
    const bool is_cut = program->segments != UINT32_MAX;
    return program->like.line && program->tmp_like.n &&
           (is_cut || is_by_rank(program, program->tmp_like.buffer));
}

void use_like(struct use *use)
{
    const struct program *program = use->form->program;
    const struct chunks *like = &program->tmp_like;
    if (!has_like_index(program))
        return;
    for (uint32_t i = 0; i < like->n; i++)
        use_expr(use, like->index[i]);
    use_expr(use, like->segment);
    use->rank_at = use->rank_at || is_by_coordinates(program, like);
    use->helper[EXPR_MOD] |= !is_by_coordinates(program, like);
}

void c_define_like(const struct c_form *form, struct text *out)
{
    const struct program *program = form->program;
    struct use use;
    use_open(&use, form);
    use_like(&use);
    bool has_name = program->tmp_index != UINT32_MAX && use.variable[program->tmp_index];
    text_printf(out, "/* Chunks of tmp are as large as chunks of this buffer, and which. */\n"
                     "enum { collc_like_buffer%s = %s };\n\n"
                     "static int64_t collc_like%s(const struct collc_run *run, int64_t ",
                form->suffix, buffer_name[program->tmp_like.buffer], form->suffix);
    c_name(has_name ? program->variables[program->tmp_index].name : "chunk", out);
    text_printf(out, ")\n{\n");
    c_declarations(&use, out);
    if (!has_like_index(program)) {
        text_printf(out, "    return chunk %% run->buffer[%s].chunks;\n",
                    buffer_name[program->tmp_like.buffer]);
    } else {
        struct text line = {0};
        text_printf(out, "%s", has_name ? "" : "    (void)chunk;\n");
        text_printf(&line, "return ");
        c_first_chunk(form, &program->tmp_like, &line);
        text_printf(&line, ";");
        c_line(4, line.data, out);
        text_free(&line);
    }
    text_printf(out, "}\n\n");
    use_close(&use);
}

/* --- whether the algorithm is defined ---------------------------------- */

void use_header(struct use *use)
{
    const struct program *program = use->form->program;
    struct expr segments = {.kind = EXPR_VARIABLE, .variable = program->segments};
    if (program->segments != UINT32_MAX)
        use_expr(use, &segments);
    if ((use->features | use->form->features) & C(TMP))
        use_expr(use, program->n_tmp);
    use_expr(use, program->n_in);
    use_expr(use, program->n_out);
    for (uint32_t i = 0; i < program->n_coordinates && !program_is_ragged(program); i++)
        use_expr(use, program->extent[i]);
    for (const struct requirement *r = program->requirements; r; r = r->next)
        use_expr(use, r->expr);
}

static bool uses_named(const struct use *use, uint32_t low, uint32_t high)
{
    const struct program *program = use->form->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *v = &program->variables[i];
        if (use->variable[i] && v->kind == VARIABLE_NAMED && v->index >= low && v->index <= high)
            return true;
    }
    return false;
}

uint64_t use_grid(const struct use *use)
{
    const bool is_given = use->form->options->n_grid;
    uint64_t features = 0;
    if (collective_is_of_neighbors(use->form->program->collective))
        return uses_named(use, NAMED_isomorphic, NAMED_dimensions) || use->helper[EXPR_OUT_HOP] ||
                       use->helper[EXPR_OUT_HOPS] || use->helper[EXPR_OUT_LIKE] ||
                       use->helper[EXPR_IN_PLACE] || use->helper[EXPR_EXTENT]
                   ? C(GRID) | C(DIMENSIONS)
                   : 0;
    if (uses_named(use, NAMED_nx, NAMED_nz) && !is_given)
        features |= C(GRID);
    if (use->helper[EXPR_EXTENT] ||
        (uses_named(use, NAMED_dimensions, NAMED_dimensions) && !is_given))
        features |= C(GRID) | C(DIMENSIONS);
    return features;
}

/* Returns the dimensions of a grid that is not given: as many as have names. */
static uint32_t n_grid_needed(const struct use *use)
{
    uint32_t n = use_grid(use) & C(DIMENSIONS) ? NAMED_nz : NAMED_nx;
    while (n < NAMED_nz && uses_named(use, n + 1, NAMED_nz))
        n++;
    return n - NAMED_nx + 1;
}

static void print_given_grid(const struct use *use, struct text *out)
{
    const struct emit_c_options *options = use->form->options;
    text_printf(out, "    if (run->p != ");
    for (uint32_t i = 0; i < options->n_grid; i++)
        text_printf(out, "%s%" PRIu32, i ? " * " : "", options->grid[i]);
    text_printf(out, ")\n        return 0;\n");
    for (uint32_t i = 0; use_grid(use) & C(GRID) && i < options->n_grid; i++)
        text_printf(out, "    run->grid[%" PRIu32 "] = %" PRIu32 ";\n", i, options->grid[i]);
}

/* Prints the extents of the grid; by default the most square ones that MPI finds. */
static void print_grid(const struct use *use, struct text *out)
{
    const uint32_t given = use->form->options->n_grid, n = given ? given : n_grid_needed(use);
    if (collective_is_of_neighbors(use->form->program->collective)) {
        text_printf(out, "    run->dimensions = run->neighbors->dimensions;\n"
                         "    for (int d = 0; d < run->dimensions; d++)\n"
                         "        run->grid[d] = run->neighbors->grid[d];\n");
        return;
    }
    if (use_grid(use) & C(DIMENSIONS))
        text_printf(out, "    run->dimensions = %" PRIu32 ";\n", n);
    if (use_grid(use) & C(DIMENSIONS) && use->form->program->from_root)
        text_printf(out, "    run->first = run->%s;\n", root_name(use->form->options));
    if (given)
        print_given_grid(use, out);
    else
        text_printf(out, "    if (PMPI_Dims_create(run->p, %" PRIu32 ", run->grid) != MPI_SUCCESS)\n"
                         "        return 0;\n", n);
}

static void place_print_requirements(const struct program *program, struct text *out)
{
    struct expr not = {.kind = EXPR_NOT};
    for (const struct requirement *r = program->requirements; r; r = r->next) {
        not.a = r->expr;
        text_printf(out, "    if (");
        c_condition(program, &not, out);
        text_printf(out, ")\n        return 0;\n");
    }
}

/* Prints the number of chunks of a buffer; NULL: none. */
static void print_n_chunks(const struct program *program, enum buffer buffer, const struct expr *n,
                           struct text *out)
{
    const char *name = buffer_name[buffer];
    text_printf(out, "    run->n_%s = ", name);
    if (n)
        c_expr(program, n, out);
    else
        text_printf(out, "0");
    text_printf(out, ";\n    if (run->n_%s < 0 || run->n_%s > INT32_MAX)\n        return 0;\n", name, name);
}

static void print_sizes(const struct c_form *form, struct text *out)
{
    const struct program *program = form->program;
    if (program->segments != UINT32_MAX) {
        text_printf(out, "    run->segments = ");
        c_name(program->variables[program->segments].name, out);
        text_printf(out, ";\n    if (run->segments < 1 || run->segments > INT32_MAX%s)\n"
                         "        return 0;\n", c_is_by_rank(program->collective) ? " / run->p" : "");
    }
    if (form->features & C(TMP))
        print_n_chunks(program, BUFFER_TMP, program->n_tmp, out);
    if (collective_is_said(program->collective)) {
        print_n_chunks(program, BUFFER_IN, program->n_in, out);
        print_n_chunks(program, BUFFER_OUT, program->n_out, out);
    }
}

/* Prints a test that the extents multiply to p. No partial product may pass p, so that none overflows.
 * Servers and max_slots always cover the ranks. */
static void place_print_extents(const struct program *program, struct text *out)
{
    uint32_t order[PROGRAM_MAX_COORDINATES];
    if (program->n_coordinates == 0 || program_is_ragged(program))
        return;
    program_order_coordinates(program, order);
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        text_printf(out, "    run->extent[%" PRIu32 "] = ", i);
        c_expr(program, program->extent[i], out);
        text_printf(out, ";\n");
    }
    for (uint32_t i = 0; i < program->n_coordinates; i++)
        text_printf(out,
                    "    if (run->extent[%" PRIu32 "] < 1 || run->extent[%" PRIu32 "] > run->p)\n"
                    "        return 0;\n",
                    i, i);
    text_printf(out, "    run->stride[%" PRIu32 "] = 1;\n", order[0]);
    for (uint32_t i = 1; i < program->n_coordinates; i++) {
        text_printf(out,
                    "    run->stride[%" PRIu32 "] = run->stride[%" PRIu32 "] * "
                    "run->extent[%" PRIu32 "];\n",
                    order[i], order[i - 1], order[i - 1]);
        if (i > 1)
            text_printf(out, "    if (run->stride[%" PRIu32 "] > run->p)\n        return 0;\n", order[i]);
    }
    uint32_t slowest = order[program->n_coordinates - 1];
    text_printf(out, "    if (run->stride[%" PRIu32 "] * run->extent[%" PRIu32 "] != run->p)\n"
                     "        return 0;\n", slowest, slowest);
}

/* Prints the i-th coordinate of a rank, `name` of the run, counted from 0. */
static void print_coordinate(const struct program *program, uint32_t i, const char *name,
                             struct text *out)
{
    if (program_is_over_servers(program))
        text_printf(out, "run->own->%s[run->%s]",
                    program_named_extent(program, i) == NAMED_servers ? "server" : "slot", name);
    else if (program_is_over_clusters(program))
        text_printf(out, "run->own->place[run->%s] / run->stride[%" PRIu32 "] %% run->extent[%" PRIu32
                         "]", name, i, i);
    else if (program->n_coordinates == 1)
        text_printf(out, "run->%s", name);
    else
        text_printf(out, "run->%s / run->stride[%" PRIu32 "] %% run->extent[%" PRIu32 "]", name, i, i);
}

/* Prints the modulus of the i-th coordinate of this rank counted from the root's. */
static void print_modulus(const struct program *program, uint32_t i, struct text *out)
{
    if (!program_is_ragged(program))
        text_printf(out, " run->extent[%" PRIu32 "]", i);
    else if (i == server_coordinate(program))
        text_printf(out, " run->own->servers");
    else
        text_printf(out, "\n                                    "
                         "run->own->n_slots[run->own->server[run->rank]]");
}

static void place_print_coordinates(const struct c_form *form, struct text *out)
{
    const struct program *program = form->program;
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        if (program->from_root) {
            text_printf(out, "    run->origin[%" PRIu32 "] = ", i);
            print_coordinate(program, i, root_name(form->options), out);
            text_printf(out, ";\n");
        }
        text_printf(out, "    run->coordinate[%" PRIu32 "] = ", i);
        print_coordinate(program, i, rank_name(form->options), out);
        text_printf(out, ";\n");
        if (program->from_root) {
            text_printf(out, "    run->coordinate[%" PRIu32 "] = collc_mod(run->coordinate[%" PRIu32
                             "] - run->origin[%" PRIu32 "],", i, i, i);
            print_modulus(program, i, out);
            text_printf(out, ");\n");
        }
    }
}

/* Numbers of each server or cluster that have a value only where all have as many. */
static void print_equality(const struct use *use, struct text *out)
{
    static const struct {
        enum named_value named;
        const char *member;
    } all[] = {{NAMED_slots, "slots"},
               {NAMED_cluster_servers, "cluster_servers"},
               {NAMED_cluster_ranks, "cluster_ranks"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (uses_named(use, all[i].named, all[i].named))
            text_printf(out, "    if (run->own->%s == 0)\n        return 0;\n", all[i].member);
}

void c_define_fits(const struct c_form *form, const struct use *everything, struct text *out)
{
    struct use header;
    use_open(&header, form);
    use_header(&header);
    text_printf(out, "/* Whether the algorithm is defined here: every rank comes to the same answer.\n"
                     " * Finds sizes and coordinates. */\n"
                     "static int collc_fits%s(struct collc_run *run)\n{\n%s", form->suffix,
                form->options->map ? "    collc_renumber(run);\n" : "");
    if (uses_named(everything, NAMED_nx, NAMED_dimensions) || use_grid(everything))
        print_grid(everything, out);
    print_equality(everything, out);
    c_declarations(&header, out);
    place_print_requirements(form->program, out);
    print_sizes(form, out);
    place_print_extents(form->program, out);
    place_print_coordinates(form, out);
    text_printf(out, "    return 1;\n}\n\n");
    use_close(&header);
}
