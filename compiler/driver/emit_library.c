/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc emit --to library: reads a table, the algorithms that it names, verifies each with the parameters of
 * its rules, and writes them as one library (docs/library.md).
 */
#include "compiler/driver/emit_library.h"

#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/combinations.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "compiler/driver/version.h"
#include "compiler/passes/expand.h"
#include "study/certify.h"
#include "study/scene.h"
#include "tables/library/library.h"
#include "tables/loaders.h"

#include <stdlib.h>
#include <string.h>

/* An algorithm of the library. */
struct member {
    struct scene scene;
    const char *name; /* "bcast/chain" */
};

struct library {
    const struct options *options;
    const struct table *table;
    struct diagnostics diagnostics;
    struct arena arena;
    struct member **members;
    size_t n, capacity;
};

static struct member *library_find(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->n; i++)
        if (strcmp(library->members[i]->name, name) == 0)
            return library->members[i];
    return NULL;
}

/* Reads an algorithm, unless it is there already. A file that cannot be one of the form is left out, without
 * a report if `is_optional`. Returns it, or NULL. */
static struct member *library_add(struct library *library, const char *name, bool is_optional)
{
    struct diagnostics said = {0};
    struct member *member = library_find(library, name);
    if (member)
        return member;
    member = mem_alloc(1, sizeof *member);
    member->name = arena_printf(&library->arena, "%s", name);
    const bool is_read = scene_read(&member->scene, member->name, &said) && !diagnostics_has_errors(&said);
    if (!is_read && !is_optional)
        say_diagnostics(library->options, &said);
    diagnostics_free(&said);
    if (!is_read) {
        scene_free(&member->scene);
        free(member);
        return NULL;
    }
    library->members =
        mem_grow(library->members, &library->capacity, library->n + 1, sizeof *library->members);
    library->members[library->n++] = member;
    return member;
}

/* Tries the algorithm with the parameters of a rule, or its own. Returns false after saying what is wrong. */
static bool library_verify(struct library *library, struct member *member, const struct collc_rule *rule)
{
    const struct program *program = member->scene.program;
    struct diagnostics said = {0};
    int64_t *values = arena_alloc(&library->arena, program->n_variables, sizeof *values);
    bool is_given = false, is_known = true;
    for (int k = 0; k < rule->n_parameters; k++) {
        const struct parameter_setting setting = {
            .name = arena_strndup(&library->arena, rule->parameter[k].text, rule->parameter[k].length),
            .value = rule->value[k]};
        bind_check_setting(program, &setting, &said);
    }
    if (diagnostics_has_errors(&said)) {
        say_diagnostics(library->options, &said);
        diagnostics_free(&said);
        return usage_refuse(library->options, "line %d of the table: see above", rule->line);
    }
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *v = &program->variables[i];
        if (v->kind != VARIABLE_PARAMETER)
            continue;
        is_known = is_known && v->value->kind == EXPR_INTEGER;
        values[i] = v->value->kind == EXPR_INTEGER ? v->value->integer : 0;
        for (int k = 0; k < rule->n_parameters; k++)
            if (collc_is_word(rule->parameter[k], v->name)) {
                values[i] = rule->value[k];
                is_given = true;
                is_known = true;
            }
    }
    const struct certify_request request = {.program = program,
                                            .is_untested = !member->scene.is_builtin,
                                            .parameters = is_given && is_known ? values : NULL};
    struct certificate certificate = certify(&request);
    const bool is_right = certificate.result == CERTIFIED_RIGHT;
    if (certificate.result == CERTIFIED_WRONG) {
        say_diagnostics(library->options, &certificate.findings);
        usage_error_with(certificate.help,
                         "nothing is written, as line %d of the table asks for %s: it is wrong", rule->line,
                         certificate.where.data);
    }
    certificate_free(&certificate);
    return is_right;
}

/* Adds all built-in algorithms of a collective, as MPI's programs name it. */
static bool library_add_all_of(struct library *library, const char *of, int line)
{
    enum collective_form form;
    const enum collective collective = collective_find_form(of, strlen(of), &form);
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name = builtin_algorithm_of(&embedded_files[i], collective, form, &library->arena);
        struct member *member = name ? library_add(library, name, true) : NULL;
        if (member && !library_verify(library, member, &(struct collc_rule){.line = line}))
            return false;
    }
    return true;
}

/* Adds what a line with `have *` asks for. */
static bool library_add_all(struct library *library, const struct collc_rule *rule)
{
    const struct table_loader *loader = library->table->loader;
    for (uint32_t i = 0; i < loader->n_collectives; i++)
        if ((collc_is_word(rule->collective, "*") ||
             collc_is_word(rule->collective, loader->collectives[i])) &&
            !library_add_all_of(library, loader->collectives[i], rule->line))
            return false;
    return true;
}

/* True if no other file has an algorithm of that name; else says so. */
static bool library_is_only(const struct library *library, const struct member *member,
                            const struct collc_rule *rule)
{
    const struct program *program = member->scene.program;
    if (!program)
        return usage_refuse(library->options, "line %d of the table: '%s' is no algorithm", rule->line,
                            member->name);
    for (size_t i = 0; i < library->n; i++) {
        const struct program *other = library->members[i]->scene.program;
        if (library->members[i] != member && other->collective == program->collective &&
            other->form == program->form && strcmp(other->name, program->name) == 0)
            return usage_refuse(library->options, "line %d of the table: '%s' and '%s' have algorithms of one name",
                                rule->line, library->members[i]->name, member->name);
    }
    if (program->n_networks && !library->options->quiet)
        fprintf(stderr, "collc: note: '%s' names networks with 'via': which one a message takes is left to the "
                        "MPI (docs/networks.md)\n", member->name);
    return true;
}

static bool library_add_rule(struct library *library, const struct collc_rule *rule)
{
    if (collc_is_word(rule->algorithm, "mpi") && !rule->is_had)
        return true;
    if (rule->is_had && collc_is_word(rule->algorithm, "*"))
        return library_add_all(library, rule);
    const struct library_table *table = library_table_of(library->table);
    const char *own = library_own_file(library->table, &library->table->rules[rule - table->read.items]);
    const char *name =
        own ? own
            : arena_printf(&library->arena, "%.*s/%.*s", (int)rule->collective.length, rule->collective.text,
                           (int)rule->algorithm.length, rule->algorithm.text);
    struct member *member = library_add(library, name, false);
    return member && (!own || library_is_only(library, member, rule)) &&
           library_verify(library, member, rule);
}

/* Reads what the table names. Returns false after saying what is wrong with it. */
static bool library_read_all(struct library *library)
{
    struct diagnostics findings = {0};
    table_lint(library->table, &findings);
    const bool has_errors = diagnostics_has_errors(&findings);
    say_diagnostics(library->options, &findings);
    diagnostics_free(&findings);
    if (has_errors)
        return false;
    const struct collc_rules *rules = &library_table_of(library->table)->read;
    for (size_t i = 0; i < rules->n; i++)
        if (!library_add_rule(library, &rules->items[i]))
            return false;
    if (library->n == 0)
        return usage_refuse(library->options,
                            "the table names no algorithm: there is nothing to be in a library");
    return true;
}

/* Appends the library, with the text of the table as it is. */
static void library_write(struct library *library, const struct emit_target *target, struct text *out)
{
    const struct program **programs = mem_alloc(library->n, sizeof *programs);
    for (size_t i = 0; i < library->n; i++)
        programs[i] = library->members[i]->scene.program;
    const struct emit_library of = {.programs = programs,
                                    .n = library->n,
                                    .version = COLLC_VERSION,
                                    .table = arena_strndup(&library->arena, library->table->source->text,
                                                           library->table->source->length)};
    target->write(&(struct emit_request){.library = &of, .arena = &library->arena}, out);
    free(programs);
}

bool emit_library_text(const struct options *options, const struct table *table, struct text *out)
{
    struct library library = {.options = options, .table = table};
    const bool is_read = library_read_all(&library);
    if (is_read)
        library_write(&library, emit_target_named(COMMAND_emit, "library"), out);
    say_diagnostics(options, &library.diagnostics);
    for (size_t i = 0; i < library.n; i++) {
        scene_free(&library.members[i]->scene);
        free(library.members[i]);
    }
    free(library.members);
    diagnostics_free(&library.diagnostics);
    arena_free(&library.arena);
    return is_read;
}

int emit_library_job(const struct options *options)
{
    static const char of_schedules[] =
        "topology|routes|lids|fail|machines|adapters|ranks|ranks-per-machine|placement|order|seed|best|exact-"
        "only|"
        "param|root|map|bytes|counts|overhead|gap|memory-bandwidth|memory-latency|inside-bandwidth";
    const struct option_info *given = options_given(options, of_schedules, "");
    if (given)
        return usage_error(options, "--%s has no effect with --to library: the table says all", given->name);
    enum collective_form form;
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct text out = {0};
    const char *path = options->arguments[0];
    if (builtin_of_name(path, &form))
        return usage_error_with("a table has lines such as 'alltoall use ring' (docs/library.md)",
                                "'%s' is an algorithm, and '--to library' takes a table of rules", path);
    const struct table *table = read_table(&library_loader, path, &arena, &diagnostics);
    const bool is_written = table && emit_library_text(options, table, &out);
    if (is_written)
        output_text(options->output, &out);
    say_diagnostics(options, &diagnostics);
    text_free(&out);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_written ? STATUS_CLEAN : STATUS_FAILED;
}
