/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a selection file of one MPICH to one for another: the same tree in the conditions and
 * algorithms of the other version. Keys that MPICH reads otherwise than they look are written as it reads
 * them. A leaf that would make a legal call wrong, as no condition tests for the needs of its algorithm,
 * gets an algorithm that is defined for every call.
 */
#include "tables/mpich/lint.h"

#include <string.h>

/* The hosts of the ranks for which a part of the tree is written. */
enum hosts { HOSTS_ANY, HOSTS_ONE, HOSTS_SEVERAL };

struct converting {
    const struct mpich_table *of;
    const struct mpich_version *to;
    unsigned unmade; /* CALL_... */
    struct text *out;
    struct diagnostics *lost;
    enum hosts hosts;
};

static struct diagnostic *lose(struct converting *converting, const struct mpich_node *node,
                               const char *text)
{
    return report(converting->lost, CODE_B031, json_node_position(converting->of->table.source, node->json),
                  "%s", text);
}

static void mpich_convert_indent(struct text *out, unsigned depth)
{
    text_printf(out, "\n%*s", (int)(2 * depth), "");
}

/* ---- leaves ---- */

/* Returns the algorithm under its name in the other version, NULL if it is not there. `parameters` must be
 * added. */
static const struct mpich_algorithm *counterpart(const struct converting *converting,
                                                 const struct mpich_node *leaf, const char **parameters)
{
    static const char *const names[][3] = {
        {"Barrier_intra_dissemination", "Barrier_intra_k_dissemination", "\"k=2\": {}"}};
    const struct mpich_setting *k = &leaf->settings[PARAMETER_K];
    *parameters = NULL;
    if (mpich_has(converting->to, leaf->algorithm))
        return leaf->algorithm;
    if (converting->of->layer != MPICH_OWN)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (leaf->algorithm == mpich_algorithm_find(converting->of->version, names[i][0])) {
            *parameters = names[i][2];
            return mpich_algorithm_find(converting->to, names[i][1]);
        }
        if (leaf->algorithm == mpich_algorithm_find(converting->of->version, names[i][1]) && k->is_set &&
            k->value == 2) {
            *parameters = "";
            return mpich_algorithm_find(converting->to, names[i][0]);
        }
    }
    return NULL;
}

/* Returns an algorithm that is defined for every call of the collective and has no needs and parameters;
 * one for all communicators if the kind has none. */
static const struct mpich_algorithm *substitute(const struct mpich_version *to,
                                                const struct mpich_algorithm *algorithm)
{
    const struct mpich_algorithm *of_all = NULL;
    for (size_t i = 0; i < mpich_n_algorithms; i++) {
        const struct mpich_algorithm *other = &mpich_algorithms[i];
        if (other->collective != algorithm->collective || other->needs || other->parameters ||
            !mpich_has(to, other))
            continue;
        if (strcmp(other->kind, algorithm->kind) == 0)
            return other;
        if (strcmp(other->kind, "allcomm") == 0)
            of_all = other;
    }
    return of_all;
}

static void put_parameters(struct converting *converting, const struct mpich_node *leaf,
                           const struct mpich_algorithm *algorithm)
{
    const char *separator = "";
    for (unsigned i = 0; i < MPICH_N_PARAMETERS; i++) {
        const struct mpich_setting *setting = &leaf->settings[i];
        if (!setting->is_set || !(algorithm->parameters & 1u << i))
            continue;
        text_printf(converting->out, "%s\"%s=", separator, mpich_parameter_names[i]);
        if (i == PARAMETER_TREE || i == PARAMETER_CCL)
            text_printf(converting->out, "%s\": {}", setting->text);
        else
            text_printf(converting->out, "%d\": {}", setting->value);
        separator = ", ";
    }
}

static void say_parameters(struct converting *converting, const struct mpich_node *leaf)
{
    for (const struct json_node *member = leaf->given->first; member; member = member->next)
        if (strncmp(member->key, "topo_", 5) == 0)
            report(converting->lost, CODE_B031, json_node_position(converting->of->table.source, member),
                   "'%.40s' is not kept", member->key);
}

/* Returns the calls that the leaf gets and its algorithm is not for; NULL: there are none, or programs do not
 * make them, or the algorithm is one of another collective. */
static const char *unserved(const struct converting *converting, const struct mpich_node *leaf)
{
    const char *condition = "";
    const char *need = mpich_unknown_need(converting->of, leaf, &condition);
    const bool is_unmade = converting->unmade & CALL_ORDERED && strcmp(condition, "is_commutative=yes") == 0;
    return is_unmade || leaf->algorithm->collective != mpich_collective_above(leaf) ? NULL : need;
}

/* Returns what stands in the place of the leaf's algorithm, and says why. */
static const struct mpich_algorithm *mpich_convert_replace(struct converting *converting,
                                                           const struct mpich_node *leaf, const char *need)
{
    const enum mpich_layer layer = converting->of->layer;
    const struct mpich_algorithm *algorithm = leaf->algorithm;
    const struct mpich_algorithm *other = layer == MPICH_OWN
                                              ? substitute(converting->to, algorithm)
                                              : mpich_leaf_instead(converting->to, layer, algorithm);
    const char *collective = mpich_collective_names[algorithm->collective];
    const char *name = other ? other->name : "nothing else is there, so it";
    const char *verb = other ? "stands there" : "stays";
    lose(converting, leaf,
         need ? diagnostics_text(converting->lost,
                                 "%s of %s is for %s, and no condition asks for that: %s %s",
                                 algorithm->name, collective, need, name, verb)
              : diagnostics_text(converting->lost, "%s has no %s of %s: %s %s",
                                 converting->to->title, algorithm->name, collective, name, verb));
    return other ? other : algorithm; /* something has to stand there */
}

static void mpich_convert_put_leaf(struct converting *converting, const struct mpich_node *leaf)
{
    const char *parameters, *need = unserved(converting, leaf);
    const struct mpich_algorithm *algorithm = counterpart(converting, leaf, &parameters);
    say_parameters(converting, leaf);
    if (!algorithm || need) {
        algorithm = mpich_convert_replace(converting, leaf, need);
        parameters = NULL;
    }
    text_printf(converting->out, "{\"");
    mpich_put_leaf_key(converting->of->layer, algorithm, converting->out);
    text_printf(converting->out, "\": {");
    if (parameters)
        text_printf(converting->out, "%s", parameters);
    else if (algorithm == leaf->algorithm)
        put_parameters(converting, leaf, algorithm);
    text_printf(converting->out, "}}");
}

/* ---- conditions ---- */

/* Returns the key. Of those that 5.0 takes for flat, the first beside others is flat elsewhere, and the
 * others hold for no communicator of a user. */
static const char *key_of_kind(const struct converting *converting, const struct mpich_node *node)
{
    const struct mpich_node *before = mpich_first_beside(converting->of, node);
    if (node->test != TEST_HIERARCHY || node->value != HIERARCHY_FLAT)
        return node->key;
    while (before != node && (before->test != TEST_HIERARCHY || before->value != HIERARCHY_FLAT))
        before = before->failure;
    return before == node                             ? "comm_hierarchy=flat"
           : strcmp(node->key, "comm_hierarchy=flat") ? node->key
                                                      : before->key;
}

static void mpich_convert_put_key(struct converting *converting, const struct mpich_node *node, bool is_cut)
{
    const struct mpich_condition *condition = &mpich_conditions[node->test];
    const bool is_below = condition->bound == BOUND_BELOW && (is_cut || node->test != TEST_RANKS_LT);
    if (mpich_holds_always(node)) {
        text_printf(converting->out, "\"comm_size=any\": ");
    } else if (node->test == TEST_PPN_LT && !converting->to->has_ppn_below) {
        lose(converting, node,
             diagnostics_text(converting->lost,
                              "%s has no comm_avg_ppn<N: comm_avg_ppn<=%d "
                              "stands there",
                              converting->to->title, node->value - 1));
        text_printf(converting->out, "\"comm_avg_ppn<=%d\": ", node->value - 1);
    } else if (condition->bound != BOUND_OTHER) {
        text_printf(converting->out, "\"%s%s%d\": ", mpich_number_names[condition->number],
                    is_below ? "<" : "<=", node->value);
    } else {
        text_printf(converting->out, "\"%s\": ", key_of_kind(converting, node));
    }
}

/* True for a condition on MPICH's own communicators that the other version would apply to all that are flat.
 * The last of an object stays, as something has to. */
static bool is_left_out(struct converting *converting, const struct mpich_node *node)
{
    if (node->test != TEST_HIERARCHY || node->value != HIERARCHY_OTHER || !converting->to->has_two_kinds)
        return false;
    lose(converting, node,
         diagnostics_text(converting->lost, "in %s '%s' holds for all flat communicators%s",
                          converting->to->title, node->key, node->failure ? ": it is left out" : ""));
    return node->failure;
}

/* True if the condition holds for ranks of one host under the version of the table. */
static bool holds_on_one_host(const struct converting *converting, const struct mpich_node *node)
{
    return (node->value != 0) != converting->of->version->has_two_kinds;
}

static void put_tree(struct converting *converting, const struct mpich_node *first, unsigned depth,
                     bool is_cut, bool is_inside);

/* Writes what one host gets in front of is_node_consecutive, where the versions differ in it: one host alone
 * is consecutive up to 4.3, and is not from 5.0 on. The rest is then for several hosts. */
static void put_one_host(struct converting *converting, const struct mpich_node *node, unsigned depth,
                         bool is_cut, bool is_inside)
{
    const struct mpich_node *next = holds_on_one_host(converting, node) ? node->success : node->failure;
    const bool differs = converting->to->has_two_kinds != converting->of->version->has_two_kinds;
    if (node->test != TEST_CONSECUTIVE || !differs || converting->hosts != HOSTS_ANY || !next)
        return;
    text_printf(converting->out, "\"comm_size=node_comm_size\": ");
    converting->hosts = HOSTS_ONE;
    put_tree(converting, next, depth + 1, is_cut, is_inside);
    converting->hosts = HOSTS_SEVERAL;
    text_printf(converting->out, ",");
    mpich_convert_indent(converting->out, depth + 1);
}

/* True for a condition that is decided, as it is known how many hosts there are, and is no. */
static bool convert_is_decided(const struct converting *converting, const struct mpich_node *node)
{
    if (!node->failure)
        return false;
    return (converting->hosts == HOSTS_SEVERAL && node->test == TEST_RANKS_NODE) ||
           (converting->hosts == HOSTS_ONE && node->test == TEST_CONSECUTIVE &&
            !holds_on_one_host(converting, node));
}

/* Writes a condition with what is below it. Returns true if nothing behind it is ever asked. */
static bool put_condition(struct converting *converting, const struct mpich_node *node, unsigned depth,
                          bool is_cut, bool is_inside)
{
    const bool is_so = converting->hosts == HOSTS_ONE && node->test == TEST_CONSECUTIVE &&
                       holds_on_one_host(converting, node);
    const enum hosts outside = converting->hosts;
    if (is_so)
        text_printf(converting->out, "\"comm_size=any\": ");
    else
        mpich_convert_put_key(converting, node, is_cut);
    if (node->test == TEST_RANKS_NODE)
        converting->hosts = HOSTS_ONE;
    put_tree(converting, node->success, depth + 1, is_cut, is_inside || node->test == TEST_COLLECTIVE);
    converting->hosts = node->test == TEST_RANKS_NODE ? HOSTS_SEVERAL : outside;
    return is_so || mpich_holds_always(node);
}

static void put_tree(struct converting *converting, const struct mpich_node *first, unsigned depth,
                     bool is_cut, bool is_inside)
{
    if (first && first->test == TEST_LEAF) {
        mpich_convert_put_leaf(converting, first);
        return;
    }
    const enum hosts outside = converting->hosts;
    bool is_first = true, is_all = false;
    text_printf(converting->out, "{");
    for (const struct mpich_node *node = first; node && !is_all; node = node->failure) {
        is_cut = is_cut && mpich_is_cut(node, is_inside);
        if (is_left_out(converting, node) || convert_is_decided(converting, node))
            continue;
        if (!is_first)
            text_printf(converting->out, ",");
        is_first = false;
        mpich_convert_indent(converting->out, depth + 1);
        put_one_host(converting, node, depth, is_cut, is_inside);
        is_all = put_condition(converting, node, depth, is_cut, is_inside);
    }
    converting->hosts = outside;
    mpich_convert_indent(converting->out, depth);
    text_printf(converting->out, "}");
}

void mpich_convert(const struct table *table, const struct table_loader *to, unsigned unmade,
                  struct text *out, struct diagnostics *lost)
{
    struct converting converting = {mpich_table_of(table), to->version, unmade, out, lost, HOSTS_ANY};
    put_tree(&converting, converting.of->root, 0, true, false);
    text_printf(out, "\n");
}
