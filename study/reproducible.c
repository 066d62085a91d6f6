/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the expressions of results. See reproducible.h.
 *
 * An evaluation is one schedule: the text of the expression of each chunk of the result of each rank.
 * Each text is kept twice: whole, and without the ranks that the number tried before did not have.
 */
#include "study/reproducible.h"

#include "base/memory.h"
#include "verify/agreement.h"
#include "verify/data.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORK (UINT64_C(1) << 22) /* operations of all trials of one question */

/* ---- the expressions of one schedule ---- */

struct evaluation {
    uint32_t n_ranks, segments; /* segments of the block that a rank gets */
    enum buffer buffer;         /* with the result */
    char **whole, **below;      /* [rank * segments + segment]; NULL: the rank has no result */
    struct text place;          /* "4 ranks on 2 servers" */
};

/* Returns the buffer that has the result. */
static enum buffer reproducible_result_buffer(enum collective collective)
{
    return collective_has(collective, BUFFER_BUF) ? BUFFER_BUF : BUFFER_OUT;
}

static void free_texts(char **texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++)
        free(texts[i]);
    free(texts);
}

static void evaluation_free(struct evaluation *evaluation)
{
    const size_t n = (size_t)evaluation->n_ranks * evaluation->segments;
    free_texts(evaluation->whole, n);
    free_texts(evaluation->below, n);
    text_free(&evaluation->place);
    *evaluation = (struct evaluation){.n_ranks = 0};
}

static char *print_expression(const struct agreement *agreement, uint64_t expression, uint32_t below)
{
    struct text text = {0};
    brackets_print_below(agreement_brackets(agreement), expression, below, &text);
    return text.data;
}

/* The evaluation that see_brackets fills, and the ranks that `below` keeps. */
struct evaluating {
    struct evaluation *evaluation;
    uint32_t below;
};

/* Fills the evaluation. Each rank has the chunks of one block. */
static void see_brackets(void *context, const struct agreement *agreement, const struct data *data)
{
    const struct evaluating *evaluating = context;
    struct evaluation *evaluation = evaluating->evaluation;
    const struct schedule_header *header = data->header;
    const size_t n = (size_t)header->n_ranks * header->segments;
    evaluation->n_ranks = header->n_ranks;
    evaluation->segments = header->segments;
    evaluation->buffer = reproducible_result_buffer(header->collective);
    evaluation->whole = mem_alloc(n, sizeof *evaluation->whole);
    evaluation->below = mem_alloc(n, sizeof *evaluation->below);
    for (size_t i = 0; i < n; i++) {
        const uint32_t rank = (uint32_t)(i / header->segments), chunk = (uint32_t)(i % header->segments);
        struct run required;
        if (!data_required(data, rank, evaluation->buffer, chunk, &required))
            continue;
        const uint64_t expression = agreement_expression(agreement, data, rank, evaluation->buffer, chunk);
        evaluation->whole[i] = print_expression(agreement, expression, UINT32_MAX);
        evaluation->below[i] = print_expression(agreement, expression, evaluating->below);
    }
}

/* ---- comparing ---- */

/* An element of a result: the texts of its evaluation that say how it was combined. */
struct element {
    const struct evaluation *evaluation;
    size_t index;
};

static void reproducible_describe(const struct element *element, struct text *out)
{
    const struct evaluation *evaluation = element->evaluation;
    const uint32_t segments = evaluation->segments;
    text_printf(out, "%s of rank %u is %s with ", buffer_name[evaluation->buffer],
                (uint32_t)(element->index / segments), evaluation->whole[element->index]);
    if (segments > 1)
        text_printf(out, "%u of %u segments, ", (uint32_t)(element->index % segments) + 1, segments);
    text_append(out, evaluation->place.data, evaluation->place.length);
}

static void reproducible_find(struct dependence *dependence, const struct element *a, const struct element *b)
{
    struct text text = {0};
    reproducible_describe(a, &text);
    text_printf(&text, "; ");
    reproducible_describe(b, &text);
    dependence->known = DEPENDENCE_FOUND;
    dependence->witness = text.data;
}

/* True if an element can be in segment i of n and in segment k of m. */
static bool overlaps(uint32_t i, uint32_t n, uint32_t k, uint32_t m)
{
    return (uint64_t)i * m < (uint64_t)(k + 1) * n && (uint64_t)k * n < (uint64_t)(i + 1) * m;
}

/* Compares the elements of the ranks that both have: all of a, or those of the fewer ranks of b. */
static void reproducible_compare(struct dependence *dependence, const struct evaluation *a,
                                 const struct evaluation *b)
{
    const bool is_below = a->n_ranks > b->n_ranks;
    if (dependence->known == DEPENDENCE_UNKNOWN)
        dependence->known = DEPENDENCE_NONE;
    for (uint32_t rank = 0; rank < b->n_ranks; rank++)
        for (uint32_t i = 0; i < a->segments; i++)
            for (uint32_t k = 0; k < b->segments && dependence->known != DEPENDENCE_FOUND; k++) {
                const struct element one = {a, (size_t)rank * a->segments + i};
                const struct element other = {b, (size_t)rank * b->segments + k};
                const char *text = (is_below ? a->below : a->whole)[one.index];
                if (text && b->whole[other.index] && overlaps(i, a->segments, k, b->segments) &&
                    strcmp(text, b->whole[other.index]) != 0)
                    reproducible_find(dependence, &one, &other);
            }
}

/* Compares each segment with the first one of its rank. */
static void compare_segments(struct dependence *dependence, const struct evaluation *evaluation)
{
    const uint32_t segments = evaluation->segments;
    if (dependence->known == DEPENDENCE_UNKNOWN)
        dependence->known = DEPENDENCE_NONE;
    for (size_t i = 0; i < (size_t)evaluation->n_ranks * segments; i++) {
        const struct element one = {evaluation, i - i % segments}, other = {evaluation, i};
        if (dependence->known != DEPENDENCE_FOUND && evaluation->whole[i] &&
            strcmp(evaluation->whole[one.index], evaluation->whole[i]) != 0)
            reproducible_find(dependence, &one, &other);
    }
}

/* ---- trials ---- */

struct study {
    struct reproducibility result;
    struct trial_run run;
    struct parameter_setting *settings; /* the user's, and room for one more */
    size_t n_settings;
    bool has_parameter;                 /* `segments` is one */
    struct evaluation before, first;    /* with fewer ranks; of these ranks on the first placement */
};

/* Returns true if the algorithm is right there, and fills the evaluation, which is empty. */
static bool reproducible_evaluate(struct study *study, const struct trial *trial,
                                  struct evaluation *evaluation)
{
    struct diagnostics diagnostics = {0};
    struct evaluating evaluating = {evaluation, study->before.n_ranks ? study->before.n_ranks : UINT32_MAX};
    study->run.see_brackets = see_brackets;
    study->run.brackets_context = &evaluating;
    const bool is_right = trial_run(&study->run, trial, &diagnostics) == TRIAL_RIGHT && evaluation->whole;
    if (is_right)
        trial_name(trial, study->run.program->collective, &evaluation->place);
    else
        evaluation_free(evaluation);
    diagnostics_free(&diagnostics);
    return is_right;
}

/* Tries other numbers of segments in the same place. */
static void vary_segments(struct study *study, const struct trial *trial)
{
    enum { MOST = 3 };
    for (int64_t n = 1; study->has_parameter && n <= MOST; n++) {
        struct evaluation evaluation = {.n_ranks = 0};
        study->settings[study->n_settings] = (struct parameter_setting){.name = "segments", .value = n};
        study->run.n_settings = study->n_settings + 1;
        if (reproducible_evaluate(study, trial, &evaluation)) {
            compare_segments(&study->result.segments, &evaluation);
            reproducible_compare(&study->result.segments, &study->first, &evaluation);
        }
        evaluation_free(&evaluation);
    }
    study->run.n_settings = study->n_settings;
}

static void reproducible_visit(void *context, const struct trial *trial)
{
    struct study *study = context;
    struct evaluation evaluation = {.n_ranks = 0};
    if (trial->root || !reproducible_evaluate(study, trial, &evaluation))
        return;
    compare_segments(&study->result.segments, &evaluation);
    if (study->first.n_ranks) {
        reproducible_compare(&study->result.placement, &study->first, &evaluation);
        evaluation_free(&evaluation);
        return;
    }
    study->first = evaluation;
    vary_segments(study, trial);
}

/* Tries p ranks, and compares them with the fewer before. */
static void reproducible_try_ranks(struct study *study, uint32_t p)
{
    trials_of_ranks(study->run.program, p, reproducible_visit, study);
    if (!study->first.n_ranks)
        return;
    if (study->before.n_ranks)
        reproducible_compare(&study->result.ranks, &study->first, &study->before);
    evaluation_free(&study->before);
    study->before = study->first;
    study->first = (struct evaluation){.n_ranks = 0};
    study->result.fewest = study->result.fewest ? study->result.fewest : p;
    study->result.most = p;
}

static bool has_parameter(const struct program *program)
{
    return program->segments != UINT32_MAX &&
           program->variables[program->segments].kind == VARIABLE_PARAMETER;
}

static void copy_settings(struct study *study, const struct parameter_setting *settings, size_t n)
{
    study->settings = mem_alloc(n + 1, sizeof *study->settings);
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].name, "segments") != 0)
            study->settings[study->n_settings++] = settings[i];
    study->run.settings = study->settings;
    study->run.n_settings = study->n_settings;
}

struct reproducibility reproducibility_of_program(const struct program *program,
                                                  const struct parameter_setting *settings,
                                                  size_t n_settings)
{
    struct study study = {.result = {.combines = collective_table[program->collective].reduces},
                          .run = {.program = program},
                          .has_parameter = has_parameter(program)};
    if (!study.result.combines)
        return study.result;
    copy_settings(&study, settings, n_settings);
    for (uint32_t p = 2; p <= REPRODUCIBLE_RANKS; p++) {
        study.run.most_work = study.run.work + MAX_WORK;
        study.run.is_cut = false;
        reproducible_try_ranks(&study, p);
    }
    evaluation_free(&study.before);
    free(study.settings);
    return study.result;
}

/* ---- a schedule ---- */

/* Compares each chunk of a block with the first one, by the numbers of their expressions. Linear in the
 * chunks of all results. */
static void see_chunks(void *context, const struct agreement *agreement, const struct data *data)
{
    struct reproducibility *result = context;
    const struct schedule_header *header = data->header;
    const enum buffer buffer = reproducible_result_buffer(header->collective);
    struct dependence *segments = &result->segments;
    struct run required;
    segments->known = DEPENDENCE_NONE;
    result->fewest = result->most = header->n_ranks;
    for (uint32_t rank = 0; rank < header->n_ranks; rank++) {
        if (!data_required(data, rank, buffer, 0, &required))
            continue;
        const uint64_t first = agreement_expression(agreement, data, rank, buffer, 0);
        for (uint32_t chunk = 1; chunk < header->segments && segments->known == DEPENDENCE_NONE; chunk++) {
            const uint64_t other = agreement_expression(agreement, data, rank, buffer, chunk);
            if (other == first)
                continue;
            struct text text = {0};
            segments->known = DEPENDENCE_FOUND;
            text_printf(&text, "%s[0] of rank %u is ", buffer_name[buffer], rank);
            brackets_print(agreement_brackets(agreement), first, &text);
            text_printf(&text, ", %s[%u] is ", buffer_name[buffer], chunk);
            brackets_print(agreement_brackets(agreement), other, &text);
            segments->witness = text.data;
        }
    }
}

struct reproducibility reproducibility_of_schedule(struct schedule *schedule,
                                                   const struct placement *placement)
{
    struct reproducibility result = {.combines = collective_table[schedule->header.collective].reduces};
    struct trial_run run = {
        .most_work = UINT64_MAX, .see_brackets = see_chunks, .brackets_context = &result};
    struct diagnostics diagnostics = {0};
    if (result.combines) {
        schedule->rewind(schedule);
        trial_run_schedule(&run, schedule, placement, &diagnostics);
    }
    diagnostics_free(&diagnostics);
    return result;
}

void reproducibility_free(struct reproducibility *reproducibility)
{
    free(reproducibility->ranks.witness);
    free(reproducibility->segments.witness);
    free(reproducibility->placement.witness);
}
