/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading an algorithm: the passes of the front end in their order. A run in it is read here
 * again, for the algorithm that it names (instance.c).
 */
#include "compiler/language/inline.h"
#include "base/codes.h"
#include "compiler/language/language.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char known_collectives[] =
    "an algorithm begins with its collective and its name; collectives are alltoall, bcast, "
    "allgather, reduce, allreduce, gather, scatter, reduce_scatter_block, scan, exscan, barrier, "
    "neighbor_alltoall "
    "and neighbor_allgather, and with unequal counts gatherv, scatterv, allgatherv, alltoallv, alltoallw and "
    "reduce_scatter; any other "
    "pattern of messages, such as an exchange of halos, begins with 'pattern' and its name "
    "(docs/patterns.md)";

static const char foreign_help[] =
    "this is no algorithm, and no schedule file (docs/schedule-format.md): of other tools, schedules in the XML of "
    "MSCCL are read (docs/msccl.md), and none in JSON, in GOAL or in other XML";

/* Files of other tools, by a word in them. */
static const struct {
    const char *word, *help;
} foreign[] = {
    {"\"threadblocks\"",
     "this is an execution plan of MSCCL++: its thread blocks put and get, and wait for semaphores, which no schedule "
     "here can say; of the same algorithm the XML of MSCCL is read (docs/msccl.md), or a .coll file"},
    {"\"msccl_type\"",
     "this is a schedule of SCCL in JSON: what its command 'ncclize' makes of it, the XML of MSCCL, is read "
     "(docs/msccl.md)"},
    {"@ mpiP", "this is a profile of mpiP, which does not tell who receives; docs/traffic.md has those that do"},
    {"-Flows\"", "this is a result of TE-CCL: its schedule in the XML of MSCCL is read (docs/msccl.md)"},
    {"num_ranks", "this is GOAL, which 'collc emit --to goal' writes: it says nothing of data, so that nothing could "
                  "be proved of it, and is not read"}};

/* Returns help for a file in XML, JSON or GOAL; NULL if the first word is of none. */
static const char *foreign_help_for(const struct source *source, const char *word, size_t length)
{
    const bool is_goal = length == 9 && memcmp(word, "num_ranks", length) == 0;
    if (!is_goal && !(length == 1 && strchr("<{[@", *word)))
        return NULL;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strstr(source->text, foreign[i].word))
            return foreign[i].help;
    return foreign_help;
}

static const char table_help[] =
    "this is no algorithm: a list of messages begins with the names of its columns, such as 'src,dst,bytes', a "
    "matrix with numbers (docs/traffic.md says which names are known)";

/* True if the line goes on as one of a table. */
static bool is_of_table(const char *line)
{
    const size_t n = strcspn(line, "\n,;\t");
    return line[n] && line[n] != '\n';
}

/* Returns the offset of the first word of the file, or of a sign if there is no word; skips comments. */
static size_t first_word(const struct source *source, size_t *length)
{
    const char *text = source->text;
    if (source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3; /* byte order mark */
    while (text += strspn(text, " \t\r\n"), *text == '#')
        text += strcspn(text, "\n");
    *length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!*length && *text)
        *length = utf8_length(text, UTF8_LONGEST);
    return (size_t)(text - source->text);
}

/* False, and reported, if the file begins with nothing like a collective: it is something else
 * than an algorithm, and what else is no algorithm in it is not worth a message. */
static bool begins_algorithm(const struct source *source, struct diagnostics *diagnostics)
{
    size_t length, at = first_word(source, &length);
    const char *word = source->text + at;
    enum collective_form form;
    if (!length || collective_nearest(word, length) ||
        collective_find_form(word, length, &form) != N_COLLECTIVES)
        return true;
    const char *help = foreign_help_for(source, word, length);
    if (strncmp(word, "//", 2) == 0 || strncmp(word, "/*", 2) == 0 || strncmp(word, "--", 2) == 0 ||
        strchr(";%", *word))
        help = "a comment begins with '#', and goes to the end of the line";
    if (!help)
        help = is_of_table(word) ? table_help : known_collectives;
    report(diagnostics, CODE_E003, source_position(source, at, length), "unknown collective '%.*s'",
           (int)(length < 60 ? length : 60), word)
        ->help = help;
    return false;
}

static bool has_readable_size(const struct source *source, struct diagnostics *diagnostics)
{
    if (source->length <= MAX_FILE_BYTES)
        return true;
    report(diagnostics, CODE_E010, (struct position){source, 1, 1, 1},
           "file of %zu bytes is larger than %d", source->length, MAX_FILE_BYTES)
        ->help = "put what repeats in a 'for' or a 'def'; a list of all steps is a schedule file";
    return false;
}

bool program_serves(const struct program *program, enum collective_form form)
{
    return form == FORM_EQUAL || !program->n_tmp || program->like.line;
}

bool program_take_form(struct program *program, enum collective_form form,
                       struct diagnostics *diagnostics)
{
    const char *name = collective_name(program->collective, form);
    program->form = form;
    if (program_serves(program, form))
        return true;
    const char *how =
        collective_hides_counts(program->collective)
            ? "say which chunk of 'in' or 'out' each is as large as, and of which rank: 'tmp j: p like in[r+j]', "
              "'tmp j: p like in[r] of r+j'; where that depends on the step, the algorithm needs equal counts"
            : "say which chunk of 'in' or 'out' of the same rank each is as large as: 'tmp j: p like "
              "out[r+j]'; where that depends on the step, the algorithm needs equal counts";
    report(diagnostics, CODE_E020,
           program->n_areas ? program->variables[program->areas[0].variable].position
                            : program->n_tmp->position,
           "'%s' is no algorithm of %s: it does not say how large the chunks of 'tmp' are", program->name,
           name)
        ->help =
        program->n_areas ? diagnostics_text(diagnostics, "make one 'tmp' of its areas, and %s", how) : how;
    return false;
}

struct program *program_read_part(const struct source *source, struct reading *reading,
                                  struct diagnostics *diagnostics)
{
    uint64_t n_errors = diagnostics->n_of_severity[SEVERITY_ERROR];
    reading->sources[reading->depth] = source;
    if (!has_readable_size(source, diagnostics) || !source_check_utf8(source, diagnostics) ||
        !begins_algorithm(source, diagnostics))
        return NULL;
    struct program *program = parse_program(source, NULL, reading->is_as_written, diagnostics);
    /* where blocks were left out, what remains would be judged wrongly */
    if (!diagnostics->n_of_code[CODE_E010])
        check_program(program, diagnostics);
    if (diagnostics->n_of_severity[SEVERITY_ERROR] == n_errors && !reading->is_as_written &&
        inline_runs(program, reading, diagnostics))
        check_program(program, diagnostics);
    if (program->form != FORM_EQUAL)
        program_take_form(program, program->form, diagnostics);
    if (diagnostics->n_of_severity[SEVERITY_ERROR] == n_errors) {
        assert(program_is_sound(program, reading->is_as_written));
        return program;
    }
    program_free(program);
    return NULL;
}

struct program *program_read(const struct source *source, struct diagnostics *diagnostics)
{
    return program_read_part(source, &(struct reading){.n_settings = 0}, diagnostics);
}

struct program *program_read_with(const struct source *source,
                                  const struct parameter_setting *settings, size_t n_settings,
                                  struct diagnostics *diagnostics)
{
    struct reading reading = {.settings = settings, .n_settings = n_settings};
    return program_read_part(source, &reading, diagnostics);
}

struct program *program_read_as_written(const struct source *source,
                                        struct diagnostics *diagnostics)
{
    return program_read_part(source, &(struct reading){.is_as_written = true}, diagnostics);
}

void program_free(struct program *program)
{
    if (!program)
        return;
    for (struct program *part = program->parts, *next; part; part = next) {
        next = part->next_part;
        program_free(part);
    }
    struct arena *arena = program->arena;
    arena_free(arena);
    free(arena);
}
