/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Picks the file for a call, and judges files; the loaders' records.
 */
#include "base/codes.h"
#include "base/integer.h"
#include "tables/msccl/msccl.h"

#include <string.h>

static const char *const collectives[] = {"allreduce", "allgather", "reduce",
                                          "broadcast", "alltoall",  "reducescatter"};
enum {
    ALLGATHER = 1,
    ALLTOALL = 4,
    REDUCESCATTER = 5,
    N_COLLECTIVES = sizeof collectives / sizeof *collectives
};

/* Without maxBytes microsoft/msccl takes 128 MiB. */
static const int64_t msccl_most = INT64_C(1) << 27;

/* ---- pick ---- */

static bool is_of(const struct algo *algo, uint32_t collective)
{
    const struct slice name = algo->texts[ALGO_coll];
    return slice_is(name, collectives[collective]) ||
           (collective == REDUCESCATTER && slice_is(name, "reduce_scatter"));
}

/* Returns the library's bytes: those of all ranks where each has a block of its own. */
static uint64_t algo_key(const struct table_query *query, uint64_t bytes)
{
    const bool is_of_ranks =
        query->collective == ALLGATHER || query->collective == ALLTOALL || query->collective == REDUCESCATTER;
    return is_of_ranks ? multiply_within(bytes, query->n_ranks) : bytes;
}

/* Returns the sizes of a file, both ends included. */
static struct span algo_sizes(const struct algo_version *version, const struct algo *algo)
{
    const int64_t first = algo->numbers[ALGO_minBytes],
                  most = algo->texts[ALGO_maxBytes].text ? algo->numbers[ALGO_maxBytes] : msccl_most;
    struct span sizes = {first > 0 ? (uint64_t)first : 0, most > 0 ? (uint64_t)most : 0};
    if (version->is_executor)
        return most == 0 ? (struct span){sizes.first, SPAN_NO_END} : sizes;
    return sizes.last > sizes.first ? (struct span){sizes.first, sizes.last - 1} : SPAN_EMPTY;
}

/* Returns the first reason for which the file does not answer the call; NULL: it does. */
static const char *algo_why_not(const struct algo_version *version, const struct algo *algo,
                           const struct table_query *query, uint64_t key)
{
    struct slice place;
    const bool is_exchange = query->collective == ALLTOALL && !version->is_executor;
    const bool serves_in_place = algo->numbers[ALGO_inplace] != 0,
               serves_out_of_place =
                   version->is_executor ? algo->numbers[ALGO_outofplace] != 0 : !serves_in_place;
    if (algo_refused(version, algo, &place))
        return "the file is refused";
    if (!is_of(algo, query->collective))
        return "the file is of another collective";
    if (algo->numbers[ALGO_ngpus] != query->n_ranks)
        return "the file is for another number of GPUs";
    if (!is_exchange && !(query->is_in_place ? serves_in_place : serves_out_of_place))
        return query->is_in_place ? "the file is for calls out of place" : "the file is for calls in place";
    return span_has(algo_sizes(version, algo), key) ? NULL : "the file is for other sizes";
}

static struct table_range algo_choose(const struct table *table, const struct table_query *query,
                                      bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct algo_table *of = algo_table_of(table);
    struct table_range range = {.algorithm = "default", .why = "no file: the library's own choice"};
    for (size_t i = 0; i < of->n; i++) {
        const struct algo *algo = &of->algos[i];
        const char *why = algo_why_not(of->version, algo, query, algo_key(query, bytes));
        range.why = why && of->n == 1 ? arena_printf(arena, "%s: the library's own choice", why) : range.why;
        if (why)
            continue;
        const struct slice name = algo->texts[algo->texts[ALGO_name].length ? ALGO_name : ALGO_coll];
        return (struct table_range){
            .algorithm = arena_strndup(arena, name.text, name.length),
            .rule = &algo->rule,
            .protocol = slice_is(algo->texts[ALGO_proto], "LL")      ? "ll"
                        : slice_is(algo->texts[ALGO_proto], "LL128") ? "ll128"
                                                                     : "simple",
            .has_channels = true,
            .channels = (uint64_t)algo->numbers[ALGO_nchannels],
            .why = arena_printf(arena, "'%s', for elements that are a multiple of %lld", algo->source->path,
                                (long long)algo->numbers[ALGO_nchunksperloop])};
    }
    return range;
}

static void algo_changes(const struct table *table, const struct table_query *query,
                         void (*note)(void *context, uint64_t bytes), void *context)
{
    const struct algo_table *of = algo_table_of(table);
    const uint64_t factor = algo_key(query, 1);
    for (size_t i = 0; i < of->n; i++) {
        const struct span sizes = algo_sizes(of->version, &of->algos[i]);
        note(context, divide_up(sizes.first, factor));
        note(context, sizes.last == SPAN_NO_END ? 0 : divide_up(sizes.last + 1, factor));
    }
}

/* ---- lint ---- */

static struct position algo_at(const struct algo *algo, struct slice place)
{
    return place.length ? slice_position(algo->source, place) : source_position(algo->source, 0, 1);
}

static void lint_numbers(const struct algo_version *version, const struct algo *algo,
                         struct diagnostics *findings)
{
    for (unsigned i = 0; i < ALGO_N_ATTRIBUTES; i++) {
        const struct slice text = algo->texts[i];
        size_t digits = text.length && *text.text == '-';
        while (digits < text.length && text_is_digit(text.text[digits]))
            digits++;
        const bool is_octal = text.length > 1 && *text.text == '0';
        if (algo_kinds[i] == KIND_NUMBER && text.text && algo_use(version, i) != USE_NONE &&
            (digits < text.length || text.length == 0 || is_octal))
            report(findings, CODE_B027, algo_at(algo, text.length ? text : algo->element),
                   "%s is read as %lld", algo_attribute_names[i], (long long)algo->numbers[i]);
    }
}

static void lint_algo(const struct algo_version *version, const struct algo *algo,
                      struct diagnostics *findings)
{
    struct slice place;
    const char *refused = algo_refused(version, algo, &place);
    if (refused)
        report(findings, version->is_executor ? CODE_B021 : CODE_B001, algo_at(algo, place), "%s: %s",
               version->is_executor ? "no communicator is made" : "the file is ignored", refused)
            ->help = version->is_executor
                         ? "a file in the folder of algorithms that is wrong fails the start of all"
                         : "MSCCL warns, and runs its own algorithms";
    lint_numbers(version, algo, findings);
    if (algo->other.length)
        report(findings, CODE_B029, algo_at(algo, algo->other), "the attribute is not read");
    const struct span sizes = algo_sizes(version, algo);
    if (!refused && sizes.first > sizes.last)
        report(findings, CODE_B009, algo_at(algo, algo->element),
               "no size is from minBytes to maxBytes: the file never acts");
    if (!refused && version->is_executor && !algo->numbers[ALGO_inplace] && !algo->numbers[ALGO_outofplace])
        report(findings, CODE_B009, algo_at(algo, algo->element),
               "neither for calls in place nor for others: the file never acts");
    if (!refused && !version->is_executor && !algo->texts[ALGO_maxBytes].text)
        report(findings, CODE_B030, algo_at(algo, algo->element),
               "without maxBytes calls of 128 MiB and more get the library's own choice");
}

static void algo_lint(const struct table *table, struct diagnostics *findings)
{
    const struct algo_table *of = algo_table_of(table);
    for (size_t i = 0; i < of->n; i++)
        lint_algo(of->version, &of->algos[i], findings);
    if (of->n_named > ALGO_MOST)
        report(findings, CODE_B004, settings_position(table->settings, of->named->value),
               "MSCCL reads %d files: the others are left out", ALGO_MOST);
}

/* ---- records ---- */

static struct slice algo_setting_key(const struct setting *setting)
{
    return slice_is(setting->name, "MSCCL_XML_FILES") ? setting->name : (struct slice){0};
}

static struct slice no_key(const struct setting *setting)
{
    (void)setting;
    return (struct slice){0};
}

static const char *algo_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting;
    (void)arena;
    return "every collective that it is for";
}

static const struct settings_dialect msccl_dialect = {
    .example = "'export MSCCL_XML_FILES=/site/allreduce.xml'", .key = algo_setting_key, .calls = algo_calls};
/* The executor reads all files of a folder, which no setting names one by one. */
static const struct settings_dialect executor_dialect = {
    .example = "an XML file with <algo>", .key = no_key, .calls = algo_calls};

static const char *const msccl_words[] = {"allreduce", "allgather",      "reduce", "broadcast",
                                          "alltoall",  "reduce_scatter", "custom", NULL};
static const char *const executor_words[] = {"reduce",    "broadcast", "allreduce", "reducescatter",
                                             "allgather", "send",      "recv",      "gather",
                                             "scatter",   "alltoall",  "alltoallv", NULL};
static const struct algo_version version_msccl = {false, msccl_words},
                                 version_executor = {true, executor_words};

#define LOADER(name, spelling, record, words)                                                                \
    extern const struct table_loader name;                                                                   \
    const struct table_loader name = {.target = spelling,                                                    \
                                      .collectives = collectives,                                            \
                                      .n_collectives = N_COLLECTIVES,                                        \
                                      .version = &(record),                                                  \
                                      .is_file = algo_is_file,                                               \
                                      .read = algo_read,                                                     \
                                      .dialect = &(words),                                                   \
                                      .read_settings = algo_read_settings,                                   \
                                      .choose = algo_choose,                                                 \
                                      .changes = algo_changes,                                               \
                                      .lint = algo_lint}
LOADER(msccl_loader, "msccl", version_msccl, msccl_dialect);
LOADER(msccl_executor_loader, "msccl-executor", version_executor, executor_dialect);
