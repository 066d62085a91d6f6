/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a plan as a selection file of MPICH. A file replaces the whole compiled-in tree, so gaps in the
 * plan get the branches of that tree (compiled_in_4_0.json) that can still be reached there: conditions
 * that are answered on the way are not repeated (decide.c).
 *
 * Below a collective the file tests the kind of communicator, then numbers of ranks, sizes, and the needs
 * of the plan's algorithm: calls for which it is not defined also get MPICH's own decision.
 *
 * If sizes are totals, each number of ranks of a rule has conditions of its own; above MAX_ENTRIES of
 * them only as many that sizes are wrong by 1/32, and never more than MAX_ENTRIES.
 */
#include "tables/mpich/decide.h"

#include "base/embedded.h"
#include "tables/rules/plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ENTRIES = 64, PAGE = 4096 };

struct writing {
    const struct table_plan *plan;
    const struct mpich_version *version;
    struct text *out, *lost;
    const struct mpich_node *own;   /* the compiled-in tree of the current collective */
    uint32_t collective;
};

/* Rules first .. end - 1 have the same collective, ranks and nodes. */
struct group {
    size_t first, end;
    struct span ranks;
};

/* ---- what is compiled in ---- */

static const struct table *mpich_write_read_text(const struct table_loader *loader, const char *text,
                                                 size_t length, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text("compiled in", text, length, arena);
    struct table *table = mpich_read(loader, source, arena, &diagnostics);
    assert(table && !table->ignored);
    table->source = NULL;
    diagnostics_free(&diagnostics);
    return table;
}

/* Returns the compiled-in tree. The trees of 4.1 to 4.3 are that of 4.0 in their words, with one change:
 * k_dissemination with k=2 instead of dissemination (maint/tuning/coll/mpir/generic.json). */
static const struct table *compiled_in(const struct table_loader *loader, struct arena *arena)
{
    const struct mpich_version *version = loader->version;
    const struct embedded_file *file = embedded_files;
    while (strcmp(file->path, "tables/mpich/compiled_in_4_0.json") != 0)
        file++;
    if (version->number == 40)
        return mpich_write_read_text(loader, file->text, file->length, arena);
    struct diagnostics lost = {0};
    struct text text = {0};
    mpich_convert(mpich_write_read_text(&mpich_4_0_loader, file->text, file->length, arena), loader, 0, &text,
                  &lost);
    const struct table *table =
        mpich_write_read_text(loader, arena_strndup(arena, text.data, text.length), text.length, arena);
    text_free(&text);
    diagnostics_free(&lost);
    return table;
}

static const struct mpich_node *own_of(const struct mpich_table *of, uint32_t collective)
{
    const struct mpich_node *node = of->root;
    while (node && node->value != (int32_t)collective)
        node = node->failure;
    assert(node);
    return node->success;
}

static void put_own(const struct writing *writing, const struct mpich_known *known, unsigned depth)
{
    mpich_put_decided(writing->own, known, depth, writing->out);
}

/* ---- objects ---- */

static void mpich_write_put_key(const struct writing *writing, unsigned depth, bool is_first, const char *key)
{
    text_printf(writing->out, "%s\n%*s\"%s\": ", is_first ? "{" : ",", (int)(2 * depth + 2), "", key);
}

static void put_number_key(const struct writing *writing, unsigned depth, bool is_first, const char *key,
                           uint64_t number)
{
    char words[64];
    snprintf(words, sizeof words, "%s<=%llu", key, (unsigned long long)number);
    mpich_write_put_key(writing, depth, is_first, words);
}

static void put_end(const struct writing *writing, unsigned depth)
{
    text_printf(writing->out, "\n%*s}", (int)(2 * depth), "");
}

/* ---- a choice ---- */

/* Writes an algorithm. Parameters that a plan has no word for get the values that change least. */
static void mpich_write_put_algorithm(const struct writing *writing, const struct mpich_algorithm *algorithm,
                                      const struct table_parameters *parameters)
{
    const char *separator = "";
    text_printf(writing->out, "{\"algorithm=MPIR_%c%s\": {", algorithm->spelling[0] - 'a' + 'A',
                algorithm->spelling + 1);
    for (unsigned i = 0; i < MPICH_N_PARAMETERS; i++) {
        if (!(algorithm->parameters & 1u << i))
            continue;
        text_printf(writing->out, "%s\"%s=", separator, mpich_parameter_names[i]);
        if (i == PARAMETER_TREE)
            text_printf(writing->out, "kary");
        else
            text_printf(writing->out, "%llu",
                        (unsigned long long)(i == PARAMETER_K       ? parameters->fan_out
                                             : i == PARAMETER_CHUNK ? parameters->segment_bytes
                                                                    : 0));
        text_printf(writing->out, "\": {}");
        separator = ", ";
    }
    text_printf(writing->out, "}}");
}

/* A need of an algorithm, the test that answers it, and the keys of the first and the second condition. */
static const struct need {
    unsigned need;
    enum mpich_test test;
    int32_t value;                 /* value of the first condition */
    const char *first, *second;
    bool is_first;                 /* the algorithm is for the calls of the first key */
} needs[] = {
    {NEEDS_POWER, TEST_RANKS_POWER, 0, "comm_size=pow2", "comm_size=any", true},
    {NEEDS_HIERARCHY, TEST_HIERARCHY, HIERARCHY_PARENT, "comm_hierarchy=parent", "comm_hierarchy=any", true},
    {NEEDS_IN_PLACE, TEST_IN_PLACE, 1, "is_sendbuf_inplace=yes", "is_sendbuf_inplace=no", true},
    {NEEDS_NOT_IN_PLACE, TEST_IN_PLACE, 1, "is_sendbuf_inplace=yes", "is_sendbuf_inplace=no", false},
    {NEEDS_EQUAL_BLOCKS, TEST_REGULAR, 1, "is_block_regular=yes", "is_block_regular=no", true},
    {NEEDS_COMMUTES, TEST_COMMUTES, 1, "is_commutative=yes", "is_commutative=no", true},
    {NEEDS_BUILT_IN, TEST_BUILT_IN, 1, "is_op_built_in=yes", "is_op_built_in=no", true},
    {NEEDS_PER_POWER, TEST_COUNT_POWER, 0, "count<pow2", "count=any", false},
};
enum { N_NEEDS = sizeof needs / sizeof *needs };

/* Writes the needs from needs[i] on. */
static void put_needing(const struct writing *writing, const struct mpich_algorithm *algorithm,
                        const struct table_parameters *parameters, unsigned i,
                        const struct mpich_known *known, unsigned depth)
{
    while (i < N_NEEDS && !(algorithm->needs & needs[i].need))
        i++;
    if (i == N_NEEDS) {
        mpich_write_put_algorithm(writing, algorithm, parameters);
        return;
    }
    const struct mpich_node asked = {.test = needs[i].test, .value = needs[i].value};
    const struct mpich_known so = mpich_known_with(known, &asked, true);
    const struct mpich_known other = mpich_known_with(known, &asked, false);
    mpich_write_put_key(writing, depth, true, needs[i].first);
    if (needs[i].is_first)
        put_needing(writing, algorithm, parameters, i + 1, &so, depth + 1);
    else
        put_own(writing, &so, depth + 1);
    mpich_write_put_key(writing, depth, false, needs[i].second);
    if (needs[i].is_first)
        put_own(writing, &other, depth + 1);
    else
        put_needing(writing, algorithm, parameters, i + 1, &other, depth + 1);
    put_end(writing, depth);
}

/* Returns the algorithm with that name for communicators as users make them, or NULL. */
static const struct mpich_algorithm *algorithm_named(const struct mpich_version *version,
                                                     uint32_t collective, const char *name)
{
    for (size_t i = 0; i < mpich_n_algorithms; i++)
        if (mpich_algorithms[i].collective == collective && strcmp(mpich_algorithms[i].kind, "inter") != 0 &&
            strcmp(mpich_algorithms[i].name, name) == 0 && mpich_has(version, &mpich_algorithms[i]))
            return &mpich_algorithms[i];
    return NULL;
}

static void mpich_write_put_choice(const struct writing *writing, const struct table_choice *choice,
                                   const struct mpich_known *known, unsigned depth)
{
    const struct mpich_algorithm *algorithm =
        choice->algorithm ? algorithm_named(writing->version, writing->collective, choice->algorithm) : NULL;
    if (algorithm)
        put_needing(writing, algorithm, &choice->parameters, 0, known, depth);
    else
        put_own(writing, known, depth);
}

/* ---- sizes ---- */

/* Returns the key that compares sizes; a total is one in bytes. */
static const char *size_key(uint32_t collective, enum mpich_test *test)
{
    const struct mpich_collective_info *info = &mpich_collectives[collective];
    *test = info->average == SIZE_BYTES ? TEST_AVERAGE_LE : TEST_TOTAL_LE;
    return info->average == SIZE_BYTES ? "avg_msg_size" : info->total == SIZE_TOTAL ? "total_msg_size" : NULL;
}

/* State of writing sizes: what is known after the conditions so far. */
struct sizes {
    const struct writing *writing;
    const char *key;
    enum mpich_test test;
    uint64_t factor;
    struct mpich_known known;
    unsigned depth, n_keys;
};

/* Writes the undecided sizes up to `last`. Returns false if none can be expressed. */
static bool put_sizes(struct sizes *sizes, uint64_t last, const struct table_choice *choice)
{
    uint64_t limit;
    const struct writing *writing = sizes->writing;
    struct mpich_known known = sizes->known;
    const bool is_last =
        last == SPAN_NO_END || !mem_multiply(last, sizes->factor, &limit) || limit > INT32_MAX;
    if (is_last && last != SPAN_NO_END)
        text_printf(writing->lost, "sizes of %s above 2147483647 bytes are not told apart\n",
                    mpich_collective_names[writing->collective]);
    if (is_last) {
        if (!sizes->n_keys) {
            mpich_write_put_choice(writing, choice, &known, sizes->depth);
            return false;
        }
        char any[64];
        snprintf(any, sizeof any, "%s=any", sizes->key);
        mpich_write_put_key(writing, sizes->depth, false, any);
    } else {
        const struct mpich_node asked = {.test = sizes->test, .value = (int32_t)limit};
        known = mpich_known_with(&sizes->known, &asked, true);
        sizes->known = mpich_known_with(&sizes->known, &asked, false);
        put_number_key(writing, sizes->depth, sizes->n_keys == 0, sizes->key, limit);
        sizes->n_keys++;
    }
    mpich_write_put_choice(writing, choice, &known, sizes->depth + 1);
    return !is_last;
}

/* Writes the rules of a group on some of its ranks; totals count with `ranks` ranks. */
static void put_group_sizes(const struct writing *writing, const struct group *group, uint64_t ranks,
                            const struct mpich_known *known, unsigned depth)
{
    static const struct table_choice own = {0};
    const struct plan_rule *rules = writing->plan->rules;
    struct sizes sizes = {.writing = writing, .known = *known, .depth = depth};
    sizes.key = size_key(writing->collective, &sizes.test);
    sizes.factor = sizes.test == TEST_TOTAL_LE ? ranks : 1;
    if (!sizes.key) {
        mpich_write_put_choice(writing, &rules[group->first].choice, known, depth);
        return;
    }
    uint64_t at = 0;
    bool is_open = true;
    for (size_t i = group->first; i < group->end && is_open; i++) {
        if (rules[i].bytes.first > at)
            is_open = put_sizes(&sizes, rules[i].bytes.first - 1, &own);
        is_open = is_open && put_sizes(&sizes, rules[i].bytes.last, &rules[i].choice);
        at = rules[i].bytes.last + 1;
    }
    if (is_open)
        put_sizes(&sizes, SPAN_NO_END, &own);
    if (sizes.n_keys)
        put_end(writing, depth);
}

/* ---- numbers of ranks ---- */

static struct group mpich_write_group_from(const struct writing *writing, size_t first)
{
    return (struct group){first, plan_like_end(writing->plan, first), writing->plan->rules[first].ranks};
}

/* True if sizes mean something else for each number of ranks. */
static bool mpich_write_depends_on_ranks(const struct writing *writing, const struct group *group)
{
    enum mpich_test test;
    const struct plan_rule *rules = writing->plan->rules;
    const bool has_sizes = group->end - group->first > 1 || rules[group->first].bytes.first > 0 ||
                           rules[group->first].bytes.last != SPAN_NO_END;
    return has_sizes && size_key(writing->collective, &test) && test == TEST_TOTAL_LE;
}

/* State of writing numbers of ranks: those from `at` on are still open. */
struct numbers {
    uint64_t at;
    struct mpich_known known;
    unsigned depth, n_keys;
};

/* Opens what stands for ranks up to `last`; what is known there. The caller puts it. */
static struct mpich_known mpich_write_put_ranks(const struct writing *writing, struct numbers *numbers,
                                                uint64_t last)
{
    const struct mpich_known before = numbers->known;
    numbers->at = last >= INT32_MAX ? 0 : last + 1;
    if (numbers->at == 0) {
        mpich_write_put_key(writing, numbers->depth, numbers->n_keys++ == 0, "comm_size=any");
        return before;
    }
    const struct mpich_node asked = {.test = TEST_RANKS_LE, .value = (int32_t)last};
    numbers->known = mpich_known_with(&before, &asked, false);
    put_number_key(writing, numbers->depth, numbers->n_keys++ == 0, "comm_size", last);
    return mpich_known_with(&before, &asked, true);
}

static void mpich_write_put_group(const struct writing *writing, const struct group *group,
                                  struct numbers *numbers)
{
    enum { STEP = 32 };
    const bool depends = mpich_write_depends_on_ranks(writing, group);
    const bool is_exact = !depends || group->ranks.last - group->ranks.first < MAX_ENTRIES;
    uint64_t ranks = numbers->at;
    for (unsigned n = 1; ranks && ranks <= group->ranks.last; n++) {
        const uint64_t step = ranks < STEP || is_exact ? 1 : ranks / STEP;
        const bool is_last = !depends || n == MAX_ENTRIES || group->ranks.last - ranks < step;
        const uint64_t last = is_last ? group->ranks.last : ranks + step - 1;
        const struct mpich_known known = mpich_write_put_ranks(writing, numbers, last);
        put_group_sizes(writing, group, ranks, &known, numbers->depth + 1);
        ranks = numbers->at;
    }
    if (!is_exact)
        text_printf(writing->lost,
                    "%s is looked up with the total of all ranks: of %llu ranks and more there is not a "
                    "condition for each number, and sizes are not exact\n",
                    mpich_collective_names[writing->collective], (unsigned long long)group->ranks.first);
}

/* Writes the rules of the collective from `first` on and returns the first rule of the next one. */
static size_t put_intra(const struct writing *writing, size_t first, const struct mpich_known *known)
{
    const struct table_plan *plan = writing->plan;
    struct numbers numbers = {.at = 1, .known = *known, .depth = 2};
    size_t at = first;
    while (at < plan->n_rules && plan->rules[at].collective == writing->collective) {
        const struct group group = mpich_write_group_from(writing, at);
        at = group.end;
        if (!numbers.at || group.ranks.last < numbers.at || group.ranks.first > INT32_MAX)
            continue; /* ranks on other nodes, or ranks that do not occur */
        if (group.ranks.first > numbers.at && group.ranks.first > 2) {
            const struct mpich_known below = mpich_write_put_ranks(writing, &numbers, group.ranks.first - 1);
            put_own(writing, &below, numbers.depth + 1);
        }
        mpich_write_put_group(writing, &group, &numbers);
    }
    if (numbers.at) {
        const struct mpich_known above = mpich_write_put_ranks(writing, &numbers, SPAN_NO_END);
        put_own(writing, &above, numbers.depth + 1);
    }
    put_end(writing, 2);
    return at;
}

/* ---- the file ---- */

static void mpich_write_say_lost(const struct writing *writing)
{
    const struct table_plan *plan = writing->plan;
    bool has_nodes = false;
    for (size_t i = 0; i < plan->n_rules;) {
        enum mpich_test test;
        const struct group group = mpich_write_group_from(writing, i);
        const struct plan_rule *rule = &plan->rules[i];
        has_nodes |= rule->nodes.first > 1 || rule->nodes.last != SPAN_NO_END;
        if (!size_key(rule->collective, &test) &&
            (group.end - group.first > 1 || rule->bytes.first > 0 || rule->bytes.last != SPAN_NO_END))
            text_printf(writing->lost,
                        "%s is not looked up by its size: the first rule of %llu ranks acts on all sizes\n",
                        mpich_collective_names[rule->collective], (unsigned long long)rule->ranks.first);
        i = group.end;
    }
    if (has_nodes)
        text_printf(writing->lost,
                    "no condition goes by the number of nodes: for each number of ranks the rules of the "
                    "least act\n");
}

/* Writes the title as comments, which json-c accepts. */
static void mpich_write_put_title(const char *title, struct text *out)
{
    if (!title)
        return;
    for (const char *begin = "/* "; *title; begin = " * ") {
        const size_t length = strcspn(title, "\n");
        text_printf(out, "%s", begin);
        for (size_t i = 0; i < length; i++)
            text_printf(out, "%c", title[i] == '*' && title[i + 1] == '/' ? '+' : title[i]);
        title += length + (title[length] == '\n');
        text_printf(out, *title ? "\n" : " */\n");
    }
}

static void mpich_write_put_collective(struct writing *writing, const struct mpich_table *of, size_t *at)
{
    const struct mpich_known nothing = mpich_known_nothing();
    const struct mpich_node asked = {.test = TEST_INTRA};
    const struct mpich_known intra = mpich_known_with(&nothing, &asked, true);
    const struct mpich_known inter = mpich_known_with(&nothing, &asked, false);
    char key[64];
    writing->own = own_of(of, writing->collective);
    snprintf(key, sizeof key, "collective=%s", mpich_collective_names[writing->collective]);
    mpich_write_put_key(writing, 0, writing->collective == 0, key);
    if (*at == writing->plan->n_rules || writing->plan->rules[*at].collective != writing->collective) {
        put_own(writing, &nothing, 1);
        return;
    }
    mpich_write_put_key(writing, 1, true, "comm_type=intra");
    *at = put_intra(writing, *at, &intra);
    mpich_write_put_key(writing, 1, false, "comm_type=inter");
    put_own(writing, &inter, 2);
    put_end(writing, 1);
}

static void mpich_write_plan(const struct table_plan *plan, struct text *out, struct text *lost)
{
    struct arena arena = {0};
    struct writing writing = {.plan = plan, .version = plan->loader->version, .out = out, .lost = lost};
    const size_t before = out->length;
    size_t at = 0;
    const struct mpich_table *of = mpich_table_of(compiled_in(plan->loader, &arena));
    mpich_write_say_lost(&writing);
    mpich_write_put_title(plan->title, out);
    for (writing.collective = 0; writing.collective < MPICH_N_COLLECTIVES; writing.collective++)
        mpich_write_put_collective(&writing, of, &at);
    text_printf(out, "\n}\n");
    if ((out->length - before) % PAGE == 0) /* MPICH reads on behind such a file */
        text_printf(out, "\n");
    arena_free(&arena);
}

/* ---- the target ---- */

static bool mpich_write_list_algorithm(const struct table_loader *loader, uint32_t collective, size_t i,
                                       struct table_algorithm *algorithm)
{
    for (size_t j = 0; j < mpich_n_algorithms; j++) {
        const struct mpich_algorithm *found = &mpich_algorithms[j];
        if (found->collective != collective || strcmp(found->kind, "inter") == 0 ||
            !mpich_has(loader->version, found) || i-- > 0)
            continue;
        *algorithm = (struct table_algorithm){.name = found->name,
                                              .has_segment = found->parameters & 1u << PARAMETER_CHUNK,
                                              .has_fan_out = found->parameters & 1u << PARAMETER_K};
        return true;
    }
    return false;
}

static struct table_range outcome(const struct table_loader *loader, const struct table_query *query,
                                  const struct table_choice *choice, uint64_t bytes)
{
    struct table_range range = {.bytes = {bytes, bytes}, .algorithm = choice->algorithm,
                                .parameters = choice->parameters};
    const struct mpich_algorithm *algorithm =
        algorithm_named(loader->version, query->collective, choice->algorithm);
    if (!algorithm)
        return range;
    range.has_segment = algorithm->parameters & 1u << PARAMETER_CHUNK;
    range.has_fan_out = algorithm->parameters & 1u << PARAMETER_K;
    range.fails = mpich_undefined_for(algorithm, query, bytes);
    return range;
}

/* True if the collective has no sizes in bytes: totals of gather, scatter and their like count elements,
 * which ranks may describe differently. */
static bool mpich_write_has_one_choice(const struct table_loader *loader, uint32_t collective)
{
    enum mpich_test test;
    (void)loader;
    return !size_key(collective, &test);
}

const struct table_writer mpich_writer = {mpich_write_list_algorithm,
                                          outcome,
                                          NULL,
                                          compiled_in,
                                          mpich_write_has_one_choice,
                                          mpich_write_plan,
                                          {"MPIR_CVAR_DEVICE_COLLECTIVES=none "
                                           "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=",
                                           " mpirun PROGRAM"}};
