/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One run: which algorithm it is, what its names stand for here, and which chunks here
 * its buffers are.
 */
#include "compiler/language/inline.h"
#include "base/codes.h"
#include "base/embedded.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char folder[] = "compiler/algorithms/";

/* --- the algorithm ----------------------------------------------------- */

/* Returns the name in an embedded path of that collective, or NULL. */
static const char *name_in(const char *path, enum collective collective, struct arena *arena)
{
    const char *of = collective_table[collective].name;
    const size_t length = strlen(of);
    if (strncmp(path, folder, strlen(folder)) != 0)
        return NULL;
    path += strlen(folder);
    if (strncmp(path, of, length) != 0 || path[length] != '/')
        return NULL;
    path += length + 1;
    return arena_strndup(arena, path, strcspn(path, "."));
}

static const struct source *find_embedded(struct inliner *inliner, enum collective collective,
                                          const char *name)
{
    struct arena *arena = &inliner->diagnostics->arena;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        const char *found = name_in(file->path, collective, arena);
        if (found && strcmp(found, name) == 0)
            return source_of_text(file->path, file->text, file->length, arena);
    }
    return NULL;
}

/* Returns the name without the collective in front, as `collc algorithms` lists it. */
static const char *bare_name(const char *name, enum collective collective)
{
    const char *of = collective_table[collective].name;
    const size_t length = strlen(of);
    return strncmp(name, of, length) == 0 && name[length] == '/' ? name + length + 1 : name;
}

static bool is_file_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".coll") == 0;
}

/* NAME.coll, also written with its end, beside the file that runs it; a path as it is.
 * Beside a built-in algorithm there are no others; NULL. */
static const char *path_of(struct inliner *inliner, const char *name)
{
    const char *path = inliner->program->source->path, *slash = strrchr(path, '/');
    if (strchr(name, '/'))
        return name;
    if (strncmp(path, folder, strlen(folder)) == 0)
        return NULL;
    return diagnostics_text(inliner->diagnostics, "%.*s%s%s",
                            slash ? (int)(slash + 1 - path) : 0, path, name,
                            is_file_name(name) ? "" : ".coll");
}

static const char *candidates(struct inliner *inliner, const struct group_run *run, const char *name)
{
    struct arena *arena = &inliner->diagnostics->arena;
    const char **names = arena_alloc(arena, n_embedded_files, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        names[n] = name_in(embedded_files[i].path, run->collective, arena);
        n += names[n] != NULL;
    }
    const char *near = nearest(name, strlen(name), names, n);
    if (near)
        return diagnostics_text(inliner->diagnostics, "did you mean '%s'?", near);
    struct text text = {0};
    for (size_t i = 0; i < n; i++)
        text_printf(&text, "%s%s", i ? ", " : "", names[i]);
    const char *help = diagnostics_text(inliner->diagnostics,
                                        "built in are %s; others are files beside this one",
                                        text.data);
    text_free(&text);
    return help;
}

/* Returns the last setting of that parameter, or NULL. */
static const struct parameter_setting *instance_setting_of(const struct reading *reading, const char *name)
{
    const struct parameter_setting *found = NULL;
    for (size_t i = 0; reading->depth == 0 && i < reading->n_settings; i++)
        if (strcmp(reading->settings[i].name, name) == 0)
            found = &reading->settings[i];
    return found;
}

static const struct source *find_source(struct inliner *inliner, const struct group_run *run)
{
    const char *name = run->name;
    struct position position = run->position;
    if (run->parameter != NO_VARIABLE) {
        const struct variable *variable = &inliner->variables[run->parameter];
        const struct parameter_setting *setting = instance_setting_of(inliner->reading, variable->name);
        name = setting && setting->text ? setting->text : variable->algorithm;
        position = setting ? setting->position : variable->position;
    }
    const struct source *source =
        find_embedded(inliner, run->collective, bare_name(name, run->collective));
    const char *path = path_of(inliner, name);
    if (source)
        return source;
    if (path && access(path, R_OK) == 0)
        return source_read(path, MAX_FILE_BYTES, &inliner->diagnostics->arena,
                           inliner->diagnostics);
    report(inliner->diagnostics, CODE_E003, position, "no algorithm '%s/%s'",
           collective_table[run->collective].name, name)
        ->help = candidates(inliner, run, name);
    return NULL;
}

/* Returns how deep the file stands among those that run each other, or UINT32_MAX. The outermost does not
 * count: it may run other algorithms than its defaults. */
static uint32_t instance_depth_of(const struct reading *reading, const struct source *source)
{
    for (uint32_t i = 1; i <= reading->depth; i++)
        if (strcmp(reading->sources[i]->path, source->path) == 0 &&
            strcmp(reading->sources[i]->text, source->text) == 0)
            return i;
    return UINT32_MAX;
}

/* "a.coll -> b.coll -> a.coll": the files from that depth on, and what the last one runs. */
static const char *chain_from(struct inliner *inliner, uint32_t depth, const struct source *source)
{
    const struct reading *reading = inliner->reading;
    const char *chain = reading->sources[depth]->path;
    for (uint32_t i = depth + 1; i <= reading->depth; i++)
        chain = diagnostics_text(inliner->diagnostics, "%s -> %s", chain, reading->sources[i]->path);
    return diagnostics_text(inliner->diagnostics, "%s -> %s", chain, source->path);
}

/* Once there was too much of something nothing more is read. */
static bool is_too_much(struct inliner *inliner, const struct group_run *run,
                        const struct source *source)
{
    const struct reading *reading = inliner->reading;
    const uint32_t same = instance_depth_of(reading, source);
    if (inliner->diagnostics->n_of_code[CODE_E010])
        return true;
    if (same != UINT32_MAX)
        report(inliner->diagnostics, CODE_E010, run->position, "an algorithm runs itself: %s",
               chain_from(inliner, same, source))
            ->help = "what is run is put in the place of the run, whatever the ranks: there is no end";
    else if (reading->depth == MAX_RUN_DEPTH)
        report(inliner->diagnostics, CODE_E010, run->position, "runs nested deeper than %d: %s",
               MAX_RUN_DEPTH, chain_from(inliner, 0, source))
            ->help = "write the steps of the innermost ones out in place of the runs";
    else if (reading->n_read == MAX_ALGORITHMS_READ)
        report(inliner->diagnostics, CODE_E010, run->position, "more than %d algorithms are run",
               MAX_ALGORITHMS_READ)
            ->help = "put a 'run' that repeats in a 'for'; it counts once there";
    else
        return false;
    return true;
}

/* Chunks by rank that are cut in segments are no chunks of a run. */
static bool instance_is_whole(struct inliner *inliner, const struct group_run *run)
{
    const struct program *program = inliner->program;
    if (program->segments == NO_VARIABLE || collective_has(program->collective, BUFFER_BUF))
        return true;
    struct diagnostic *diagnostic =
        report(inliner->diagnostics, CODE_E011, run->position,
               "'%s' cuts its chunks in segments, and so can run no algorithm on them",
               program->name);
    diagnostic->related = program->variables[program->segments].position;
    diagnostic->related_text = "they are cut here";
    diagnostic->help = "leave out 'segments', or write out the steps of the other one";
    return false;
}

static const struct program *instance_read_algorithm(struct inliner *inliner, const struct group_run *run)
{
    const struct source *source = find_source(inliner, run);
    if (!source || is_too_much(inliner, run, source))
        return NULL;
    inliner->reading->depth++;
    inliner->reading->n_read++;
    struct program *part = program_read_part(source, inliner->reading, inliner->diagnostics);
    inliner->reading->depth--;
    if (!part)
        return NULL;
    part->next_part = inliner->program->parts;
    inliner->program->parts = part;
    const bool is_of = part->collective == run->collective && part->form == FORM_EQUAL;
    if (is_of && part->n_coordinates <= 1)
        return instance_is_whole(inliner, run) ? part : NULL;
    if (!is_of)
        report(inliner->diagnostics, CODE_E005, run->position, "'%s' is no algorithm for '%s'",
               source->path, collective_table[run->collective].name)
            ->help = "its first line names another collective: 'collc algorithms' lists those of each";
    else
        report(inliner->diagnostics, CODE_E011, run->position,
               "'%s' has %u coordinates, but a group of ranks has one", part->name,
               part->n_coordinates)
            ->help = "run an algorithm whose 'ranks' clause is 'ranks r: p'";
    return NULL;
}

/* --- its names --------------------------------------------------------- */

static const struct run_setting *instance_find_setting(const struct group_run *run, const char *name)
{
    const struct run_setting *found = NULL;
    for (uint32_t i = 0; i < run->n_settings; i++)
        if (strcmp(run->settings[i].name, name) == 0)
            found = &run->settings[i];
    return found;
}

static void check_setting(const struct instance *instance, const struct run_setting *setting)
{
    struct diagnostics *diagnostics = instance->inliner->diagnostics;
    const struct program *algorithm = instance->algorithm;
    const struct variable *parameter = program_parameter(algorithm, setting->name);
    if (!parameter)
        report(diagnostics, CODE_E003, setting->position, "'%s' has no parameter '%s'",
               algorithm->name, setting->name)
            ->help = program_help_with_parameters(algorithm, setting->name, diagnostics);
    else if (parameter->kind == VARIABLE_ALGORITHM)
        report(diagnostics, CODE_E003, setting->position, "'%s' of '%s' is the name of an algorithm",
               setting->name, algorithm->name)
            ->help = "a run sets numbers only: to run another algorithm there write a file with "
                     "that default";
    else if (!inline_is_of_header(instance->inliner, setting->value))
        report(diagnostics, CODE_E006, setting->value->position,
               "a parameter of a run must be known above the first statement")
            ->help = "it is made of numbers, parameters and lets of the header";
}

/* Returns a value of the header: a number or a name as it is, anything else under a name. */
static struct expr *named(struct instance *instance, const char *name, struct expr *value)
{
    if (value->kind == EXPR_INTEGER || value->kind == EXPR_VARIABLE)
        return value;
    return inline_header_let(instance->inliner, name, instance->copy, value, instance->run->position);
}

/* The root is a coordinate, cyclic as in a target. */
static struct expr *instance_root_of(struct instance *instance)
{
    struct inliner *inliner = instance->inliner;
    return instance->root ? expr_new_operation(inliner, EXPR_MOD, instance->root, instance->extent)
                          : expr_new_integer(inliner, 0, instance->run->position);
}

static void bind_name(struct instance *instance, uint32_t i)
{
    const struct variable *variable = &instance->algorithm->variables[i];
    const struct run_setting *setting = NULL;
    if (variable->kind == VARIABLE_NAMED && variable->index == NAMED_p)
        instance->value[i] = instance->extent;
    else if (variable->kind == VARIABLE_NAMED && variable->index == NAMED_root)
        instance->value[i] = instance_root_of(instance);
    else if (variable->kind == VARIABLE_PARAMETER) {
        setting = instance_find_setting(instance->run, variable->name);
        instance->value[i] = named(instance, variable->name,
                                   setting ? setting->value : clone_expr(instance, variable->value));
    } else if (variable->kind == VARIABLE_LET && variable->value)
        instance->value[i] = named(instance, variable->name, clone_expr(instance, variable->value));
}

/* --- requirements ------------------------------------------------------ */

static bool instance_holds(const struct expr *expr)
{
    if (!expr->a || !expr->b || expr->a->kind != EXPR_INTEGER || expr->b->kind != EXPR_INTEGER)
        return expr_is_integer(expr, 1);
    const int64_t a = expr->a->integer, b = expr->b->integer;
    return (expr->kind == EXPR_EQ && a == b) || (expr->kind == EXPR_GE && a >= b) ||
           (expr->kind == EXPR_LE && a <= b) || (expr->kind == EXPR_GT && a > b) ||
           (expr->kind == EXPR_LT && a < b);
}

static void instance_require(struct instance *instance, struct expr *expr, const char *text, const char *help)
{
    struct inliner *inliner = instance->inliner;
    struct requirement **tail = &inliner->program->requirements;
    if (instance_holds(expr) || !inline_is_of_header(inliner, expr) || inliner_is_full(inliner))
        return;
    inline_count_statement(inliner, expr->position);
    while (*tail)
        tail = &(*tail)->next;
    *tail = arena_alloc(inliner->program->arena, 1, sizeof **tail);
    **tail = (struct requirement){.expr = expr,
                                  .before = (uint32_t)inliner->n_variables,
                                  .of_run = true,
                                  .run = instance->run->position};
    (*tail)->text = text;
    (*tail)->help = help;
}

/* Does the same with other words, and how the text is changed to hold it, or NULL. */
static void require_here(struct instance *instance, struct expr *expr, const char *text, const char *help)
{
    struct inliner *inliner = instance->inliner;
    expr->position = instance->run->position;
    instance_require(instance, expr,
                     diagnostics_text(inliner->diagnostics, "'%s' %s", instance->algorithm->name, text), help);
}

static struct expr *named_p(struct inliner *inliner, struct position position)
{
    return expr_new_variable(inliner, NAMED_p, position);
}

/* Checks the requirements of the algorithm up to its name `before`. Returns the rest of the list. */
static const struct requirement *require_until(struct instance *instance,
                                               const struct requirement *r, uint32_t before)
{
    struct inliner *inliner = instance->inliner;
    for (; r && r->before <= before; r = r->next) {
        struct expr *expr = clone_expr(instance, r->expr);
        instance_require(instance, expr, r->text, r->help);
        if (inline_is_of_header(inliner, expr) || inliner_is_full(inliner))
            continue;
        struct diagnostic *diagnostic =
            report(inliner->diagnostics, CODE_E006, instance->run->position,
                   "the root of '%s' must be known above the first statement: something is "
                   "required of it",
                   instance->algorithm->name);
        diagnostic->related = r->expr->position;
        diagnostic->related_text = "it is required here";
        diagnostic->help = "run it from a number, or from a value of the header";
    }
    return r;
}

static void bind_header(struct instance *instance)
{
    const struct program *algorithm = instance->algorithm;
    struct inliner *inliner = instance->inliner;
    const struct requirement *r = algorithm->requirements;
    for (uint32_t i = 0; i < instance->run->n_settings; i++)
        check_setting(instance, &instance->run->settings[i]);
    if (algorithm->n_coordinates)
        instance->value[algorithm->coordinate[0]] = instance->rank;
    for (uint32_t i = 0; i < algorithm->n_variables; i++) {
        r = require_until(instance, r, i);
        bind_name(instance, i);
    }
    require_until(instance, r, UINT32_MAX);
    if (algorithm->n_coordinates) {
        struct expr *extent = clone_expr(instance, algorithm->extent[0]);
        if (!expr_is_same(extent, instance->extent))
            require_here(instance, expr_new_operation(inliner, EXPR_EQ, extent, instance->extent),
                    "is run by another number of ranks than it has", NULL);
    }
    instance->segments = algorithm->segments != NO_VARIABLE
                             ? instance->value[algorithm->segments]
                             : expr_new_integer(inliner, 1, instance->run->position);
}

/* Servers have equally many ranks; which the algorithm needs because of what the text says. */
static void require_equal_servers(struct instance *instance, const char *text, const char *help)
{
    struct inliner *inliner = instance->inliner;
    const struct position position = instance->run->position;
    struct expr *points =
        expr_new_operation(inliner, EXPR_MUL, expr_new_variable(inliner, NAMED_servers, position),
                           expr_new_variable(inliner, NAMED_max_slots, position));
    require_here(instance, expr_new_operation(inliner, EXPR_EQ, points, named_p(inliner, position)), text,
                 help);
}

/* Over `max_slots` the last ranks of a group may be absent, which the algorithm must be made for;
 * counted from another root than 0 they are not the last ones. */
static void require_presence(struct instance *instance)
{
    const struct program *program = instance->inliner->program;
    if (!program_is_ragged(program) ||
        program_named_extent(program, instance->run->coordinate) != NAMED_max_slots ||
        (instance->algorithm->absent.line && !instance->root))
        return;
    require_equal_servers(instance,
                 instance->root ? "is run from a root that may be absent on servers with fewer ranks"
                                : "is not made for absent ranks, as servers with fewer have",
                 instance->root ? NULL
                                : diagnostics_text(instance->inliner->diagnostics,
                                                   "say 'absent' in the header of '%s', if it can do without its "
                                                   "last ranks", instance->algorithm->name));
}

struct instance *instance_new(struct inliner *inliner, const struct group_run *run)
{
    struct program *program = inliner->program;
    const struct program *algorithm = instance_read_algorithm(inliner, run);
    if (!algorithm)
        return NULL;
    if (algorithm->exact.line && !program->exact.line && collective_agrees(program->collective))
        program->exact = run->position; /* what it runs is for exact operations only, and so is all of it */
    struct instance *instance = arena_alloc(program->arena, 1, sizeof *instance);
    *instance = (struct instance){.inliner = inliner, .run = run, .algorithm = algorithm,
                                  .copy = ++inliner->n_copies};
    instance->value =
        arena_alloc(program->arena, algorithm->n_variables, sizeof *instance->value);
    instance->extent = named(instance, "p", program->extent[run->coordinate]);
    instance->rank =
        expr_new_variable(inliner, program->coordinate[run->coordinate], run->position);
    instance->root = run->root && !expr_is_integer(run->root, 0) ? run->root : NULL;
    bind_header(instance);
    require_presence(instance);
    return instance;
}

/* --- its buffers ------------------------------------------------------- */

/* Returns the chunks of a whole buffer of ours. */
static struct expr *instance_size_of(struct instance *instance, enum buffer buffer)
{
    struct inliner *inliner = instance->inliner;
    const struct program *program = inliner->program;
    struct position position = instance->run->position;
    if (buffer == BUFFER_TMP && inliner->own_tmp)
        return inliner->own_tmp;
    if (buffer == BUFFER_BUF && inliner->segments)
        return inliner->segments;
    if (buffer == BUFFER_BUF && program->segments != NO_VARIABLE)
        return expr_new_variable(inliner, program->segments, position);
    if (collective_is_said(program->collective))
        return buffer == BUFFER_IN ? program->n_in : program->n_out;
    if (collective_is_by_rank(program->collective, buffer))
        return named_p(inliner, position);
    return expr_new_integer(inliner, 1, position);
}

static struct expr *parts_of(const struct instance *instance, enum buffer buffer)
{
    return collective_is_by_rank(instance->run->collective, buffer)
               ? term_product(instance->inliner, instance->extent, instance->segments)
               : instance->segments;
}

/* Reports a map of a chunk of `in` or `out` together with segments: such a chunk is not cut further. */
static void instance_check_map(struct instance *instance, enum buffer buffer)
{
    if (buffer == BUFFER_BUF || expr_is_integer(instance->segments, 1))
        return;
    report(instance->inliner->diagnostics, CODE_E011, instance->run->position,
           "'%s' cuts the chunks of '%s' in segments, which lie in a row", instance->algorithm->name,
           buffer_name[buffer])
        ->help = diagnostics_text(instance->inliner->diagnostics,
                                  "give it chunks in a row, '%s = tmp[a .. b]', and copy",
                                  buffer_name[buffer]);
}

/* Makes a chunk of the buffer some chunks of ours, by the map. */
static void place_chunk(struct instance *instance, struct area *area, const struct run_map *map)
{
    const struct chunks *chunks = &map->chunks;
    area->map = map;
    area->width = expr_new_integer(instance->inliner, 1, map->position);
    if (chunks->last)
        area->width = term_difference(instance->inliner, chunks->last, chunks->index[0], 1);
    else if (chunks->n == 0)
        area->width = instance_size_of(instance, chunks->buffer);
}

/* Returns how to cut the data so finely that the parts of the area divide its chunks. */
static const char *help_with_parts(struct instance *instance, const struct area *area, bool is_whole)
{
    struct inliner *inliner = instance->inliner;
    struct program with_variables = *inliner->program; /* which has those of runs only at the end */
    const struct program *program = &with_variables;
    with_variables.variables = inliner->variables;
    with_variables.n_variables = (uint32_t)inliner->n_variables;
    const struct variable *segments =
        program->segments == NO_VARIABLE ? NULL : &program->variables[program->segments];
    struct text parts = {0}, value = {0};
    const char *help = NULL;
    if (area->buffer == BUFFER_TMP || (segments && (segments->kind != VARIABLE_LET || !segments->value)))
        return NULL;
    program_print_expr(program, area->parts, &parts);
    program_print_expr(program,
                       segments ? expr_new_operation(inliner, EXPR_MUL, segments->value, area->parts)
                                : area->parts,
                       &value);
    help = diagnostics_text(inliner->diagnostics, "cut the data finer: 'let segments = %s'%s%s%s", value.data,
                            is_whole ? "" : ", and of the chunks that are one now take '", is_whole ? "" : parts.data,
                            is_whole ? "" : "' in a row");
    text_free(&parts);
    text_free(&value);
    return help;
}

/* All of the buffer is chunks of ours in a row. */
static void instance_place_row(struct instance *instance, struct area *area, const struct chunks *chunks)
{
    struct inliner *inliner = instance->inliner;
    struct position position = instance->run->position;
    area->first = chunks->n ? chunks->index[0] : expr_new_integer(inliner, 0, position);
    if (chunks->n == 0)
        area->n = instance_size_of(instance, chunks->buffer);
    else if (chunks->last)
        area->n = term_difference(inliner, chunks->last, chunks->index[0], 1);
    else
        area->n = expr_new_integer(inliner, 1, position);
    area->width = term_quotient(inliner, area->n, area->parts);
    if (area->width->kind == EXPR_DIV)
        require_here(instance, expr_new_operation(inliner, EXPR_EQ,
                                        expr_new_operation(inliner, EXPR_MOD, area->n, area->parts),
                                        expr_new_integer(inliner, 0, position)),
                diagnostics_text(inliner->diagnostics, "cuts '%s' in parts whose number must divide its chunks",
                                 buffer_name[area->buffer]),
                help_with_parts(instance, area, chunks->n == 0));
    if (inline_is_of_header(inliner, area->width))
        area->width = named(instance, "width", area->width);
}

static void place_buffer(struct instance *instance, enum buffer buffer)
{
    struct inliner *inliner = instance->inliner;
    const struct run_map *map = instance->run->maps[buffer];
    struct area *area = &instance->areas[buffer];
    const enum collective ours = inliner->program->collective;
    const struct chunks whole = {.buffer = buffer};
    if (!map && !(buffer == BUFFER_BUF && collective_has(ours, BUFFER_BUF))) {
        report(inliner->diagnostics, CODE_E005, instance->run->position,
               "which chunks are '%s' of '%s' is not said", buffer_name[buffer],
               instance->algorithm->name)
            ->help = buffer == BUFFER_BUF ? "write 'on tmp[...]'"
                                          : "write 'with in = ..., out[k] = ...'";
        return;
    }
    const struct chunks *chunks = map ? &map->chunks : &whole;
    area->buffer = chunks->buffer;
    area->parts = parts_of(instance, buffer);
    if (!map || (map->variable == NO_VARIABLE && chunks->n <= 1)) {
        instance_place_row(instance, area, chunks);
        return;
    }
    instance_check_map(instance, buffer);
    place_chunk(instance, area, map);
}

/* Returns the chunk of the other buffer that the first one of tmp is like, if each next one is like the next
 * one there: `tmp j: p like out[r+j]` begins with r. NULL: they are not. */
static struct expr *start_of_like(const struct instance *instance)
{
    const struct program *algorithm = instance->algorithm;
    const struct chunks *like = &algorithm->tmp_like;
    struct expr *none = expr_new_integer(instance->inliner, 0, instance->run->position);
    if (!algorithm->like.line || like->n > 1)
        return NULL;
    const struct expr *index = like->n ? like->index[0] : NULL;
    if (!index || (index->kind == EXPR_VARIABLE && index->variable == algorithm->tmp_index))
        return none;
    const bool is_sum = index->kind == EXPR_ADD && index->a->kind == EXPR_VARIABLE &&
                        index->b->kind == EXPR_VARIABLE;
    return is_sum && algorithm->n_coordinates && index->a->variable == algorithm->coordinate[0] &&
                   index->b->variable == algorithm->tmp_index
               ? index->a
               : NULL;
}

static const struct area *area_in_row(struct instance *instance)
{
    const struct area *like = instance->areas;
    while (like < &instance->areas[BUFFER_TMP] && !is_map_in_row(instance, like))
        like++;
    return like < &instance->areas[BUFFER_TMP] ? like : NULL;
}

/* Places tmp where a map gives the sizes of the other chunks: with the sizes of those it is like; or with
 * equal ones, if servers do not differ. False: the number is not known above the first statement. */
static bool place_unlike(struct instance *instance, struct area *area)
{
    struct inliner *inliner = instance->inliner;
    const struct area *like = area_in_row(instance);
    struct expr *zero = expr_new_integer(inliner, 0, instance->run->position);
    struct expr *n = like ? term_difference(inliner, map_first(instance, like, instance->extent),
                                            map_first(instance, like, zero), 0)
                          : NULL;
    if (!n || !inline_is_of_header(inliner, n))
        return false;
    n = named(instance, "row", n);
    area->start = start_of_like(instance);
    if (area->start && like == &instance->areas[instance->algorithm->tmp_like.buffer] &&
        expr_is_same(area->parts, instance->extent)) {
        area->like = like;
        area->n = n;
    } else if (program_is_ragged(inliner->program)) {
        require_equal_servers(instance, "has chunks of one size only, as servers with equal numbers "
                                        "of ranks have", NULL);
        area->width = term_quotient(inliner, n, instance->extent);
        area->n = term_product(inliner, area->parts, area->width);
    }
    return inline_is_of_header(inliner, area->n);
}

/* Its tmp lies behind what is there already; a chunk is as large as one of its buffers. */
static void place_tmp(struct instance *instance)
{
    struct inliner *inliner = instance->inliner;
    struct program *program = inliner->program;
    struct area *area = &instance->areas[BUFFER_TMP];
    const struct area *like = instance->areas;
    while (like->buffer == N_BUFFERS && like < area)
        like++;
    if (!instance->algorithm->n_tmp || like == area)
        return;
    struct position position = instance->run->position;
    area->buffer = BUFFER_TMP;
    area->width = like->width;
    area->parts = clone_expr(instance, instance->algorithm->n_tmp);
    area->n = term_product(inliner, area->parts, area->width);
    const bool is_known = inline_is_of_header(inliner, area->n) || place_unlike(instance, area);
    area->first = program->n_tmp ? program->n_tmp : expr_new_integer(inliner, 0, position);
    area->first = named(instance, "tmp_at", area->first);
    if (!is_known)
        report(inliner->diagnostics, CODE_E006, position,
               "how much of 'tmp' '%s' needs must be known above the first statement",
               instance->algorithm->name)
            ->help = "how many chunks its buffers have here depends on a loop or on the rank";
    program->n_tmp = term_sum(inliner, area->first, area->n, 0);
}

void instance_place(struct instance *instance)
{
    struct area *areas = instance->areas;
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        areas[buffer].buffer = N_BUFFERS;
        if (collective_has(instance->run->collective, buffer))
            place_buffer(instance, buffer);
    }
    const bool both = areas[BUFFER_IN].buffer != N_BUFFERS && areas[BUFFER_OUT].buffer != N_BUFFERS;
    if (both && !expr_is_same(areas[BUFFER_IN].width, areas[BUFFER_OUT].width))
        require_here(instance, expr_new_operation(instance->inliner, EXPR_EQ, areas[BUFFER_IN].width,
                                        areas[BUFFER_OUT].width),
                "has other chunks in 'in' than in 'out'", NULL);
    place_tmp(instance);
}
