/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a selection file as MPICH does (csel.c, csel_container.c): json-c parses it, with its leniences.
 * The last value of a key that occurs twice takes the place of the first. Blanks in keys are left out,
 * and atoi converts numbers. An error ends the program in MPI_Init.
 */
#include "base/codes.h"
#include "tables/mpich/mpich.h"

#include <stdlib.h>
#include <string.h>

/* json-c 0.15, as json_tokener_parse asks for it. */
static const struct json_dialect json_c = {.has_comments = true,
                                           .has_single_quotes = true,
                                           .has_trailing_commas = true,
                                           .ends_early = true,
                                           .has_raw_controls = true,
                                           .max_depth = 32};

struct reader {
    struct mpich_table *of;
    struct arena *arena;
    size_t capacity;                /* capacity of `all`, which is on the heap meanwhile */
    const struct json_node *beyond; /* first node above a limit; NULL: none */
};

static bool mpich_read_refuse(struct reader *reader, const struct json_node *json, const char *why)
{
    if (reader->of->table.ignored)
        return false;
    reader->of->table.ignored = why;
    reader->of->table.ignored_at = json_node_position(reader->of->table.source, json);
    return false;
}

/* ---- keys ---- */

static const struct word {
    const char *key;
    enum mpich_test test;
    int32_t value;
} words[] =
    {
        {"is_multi_threaded=yes", TEST_THREADS, 1},
        {"is_multi_threaded=no", TEST_THREADS, 0},
        {"comm_type=intra", TEST_INTRA, 0},
        {"comm_type=inter", TEST_INTER, 0},
        {"comm_size=pow2", TEST_RANKS_POWER, 0},
        {"comm_size=node_comm_size", TEST_RANKS_NODE, 0},
        {"count<pow2", TEST_COUNT_POWER, 0},
        {"is_commutative=yes", TEST_COMMUTES, 1},
        {"is_commutative=no", TEST_COMMUTES, 0},
        {"is_sendbuf_inplace=yes", TEST_IN_PLACE, 1},
        {"is_sendbuf_inplace=no", TEST_IN_PLACE, 0},
        {"is_op_built_in=yes", TEST_BUILT_IN, 1},
        {"is_op_built_in=no", TEST_BUILT_IN, 0},
        {"is_block_regular=yes", TEST_REGULAR, 1},
        {"is_block_regular=no", TEST_REGULAR, 0},
        {"is_node_consecutive=yes", TEST_CONSECUTIVE, 1},
        {"is_node_consecutive=no", TEST_CONSECUTIVE, 0},
        {"comm_hierarchy=parent", TEST_HIERARCHY, HIERARCHY_PARENT},
        {"comm_hierarchy=node_roots", TEST_HIERARCHY, HIERARCHY_OTHER},
        {"comm_hierarchy=node", TEST_HIERARCHY, HIERARCHY_OTHER},
        {"comm_hierarchy=flat", TEST_HIERARCHY, HIERARCHY_FLAT},
},
  old_any[] = {
      /* before 4.2 */
      {"comm_size=any", TEST_ANY, 0},
      {"count=any", TEST_ANY, 0},
      {"avg_msg_size=any", TEST_ANY, 0},
      {"total_msg_size=any", TEST_ANY, 0},
      {"comm_hierarchy=any", TEST_HIERARCHY, HIERARCHY_ANY},
};
/* A word that begins another one stands behind it. */
static const struct word numbers[] = {
    {"comm_size<=", TEST_RANKS_LE, 0},     {"comm_size<", TEST_RANKS_LT, 0},
    {"count<=", TEST_COUNT_LE, 0},         {"avg_msg_size<=", TEST_AVERAGE_LE, 0},
    {"avg_msg_size<", TEST_AVERAGE_LT, 0}, {"total_msg_size<=", TEST_TOTAL_LE, 0},
    {"total_msg_size<", TEST_TOTAL_LT, 0}, {"comm_avg_ppn<=", TEST_PPN_LE, 0},
    {"comm_avg_ppn<", TEST_PPN_LT, 0},
};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* Returns the result of atoi on glibc. */
static int32_t mpich_read_number_of(const char *digits)
{
    return (int32_t)(uint32_t)(uint64_t)strtoll(digits, NULL, 10);
}

static bool mpich_read_is_word(struct mpich_node *node, const struct word *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(node->key, list[i].key) == 0) {
            node->test = list[i].test;
            node->value = list[i].value;
            return true;
        }
    return false;
}

static bool mpich_read_is_number(const struct mpich_version *version, struct mpich_node *node)
{
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        const size_t length = strlen(numbers[i].key);
        if (strncmp(node->key, numbers[i].key, length) != 0 ||
            (numbers[i].test == TEST_PPN_LT && !version->has_ppn_below))
            continue;
        node->test = numbers[i].test;
        node->digits = node->key + length;
        node->value = mpich_read_number_of(node->digits);
        return true;
    }
    return false;
}

static bool ends_in_any(const char *key)
{
    const size_t length = strlen(key);
    return strcmp(key, "any") == 0 || (length >= 4 && strcmp(key + length - 4, "=any") == 0);
}

static bool is_collective(struct mpich_node *node)
{
    static const char prefix[] = "collective=";
    if (strncmp(node->key, prefix, strlen(prefix)) != 0)
        return false;
    node->test = TEST_COLLECTIVE;
    node->value = 0;
    while (node->value < MPICH_N_COLLECTIVES &&
           strcmp(mpich_collective_names[node->value], node->key + strlen(prefix)) != 0)
        node->value++;
    return true;
}

static bool mpich_read_condition(struct reader *reader, struct mpich_node *node)
{
    const struct mpich_version *version = reader->of->version;
    if (is_collective(node) && node->value == MPICH_N_COLLECTIVES)
        return mpich_read_refuse(reader, node->json, "there is no collective of that name");
    const bool is_word = mpich_read_is_word(node, words, LENGTH(words));
    if (version->has_two_kinds && node->test == TEST_HIERARCHY && node->value == HIERARCHY_OTHER)
        node->value = HIERARCHY_FLAT;
    if (node->test == TEST_COLLECTIVE || is_word || mpich_read_is_number(version, node))
        return true;
    if (version->has_any && ends_in_any(node->key)) {
        node->test = TEST_ANY;
        return true;
    }
    if (!version->has_any && mpich_read_is_word(node, old_any, LENGTH(old_any)))
        return true;
    const bool is_later = strncmp(node->key, "per_proc_msg_size", strlen("per_proc_msg_size")) == 0;
    return mpich_read_refuse(reader, node->json,
                             arena_printf(reader->arena, "%s has no such condition%s", version->title,
                                          is_later ? ", which no release has" : ""));
}

/* ---- leaves ---- */

static const char *without_blanks(const char *key, struct arena *arena)
{
    char *copy = arena_alloc(arena, strlen(key) + 1, 1), *out = copy;
    for (; *key; key++)
        if (*key != ' ')
            *out++ = *key;
    *out = '\0';
    return copy;
}

static bool is_leaf_key(const char *key)
{
    return strncmp(key, "algorithm=", 10) == 0 || strncmp(key, "composition=", 12) == 0;
}

static void mpich_read_settings(struct reader *reader, struct mpich_node *leaf,
                                const struct json_node *object)
{
    for (const struct json_node *member = object->first; member; member = member->next) {
        const char *key = without_blanks(member->key, reader->arena);
        for (unsigned i = 0; i < MPICH_N_PARAMETERS; i++) {
            const size_t length = strlen(mpich_parameter_names[i]);
            if (strncmp(key, mpich_parameter_names[i], length) == 0 && key[length] == '=')
                leaf->settings[i] =
                    (struct mpich_setting){true, mpich_read_number_of(key + length + 1), key + length + 1};
        }
    }
}

/* Returns why the file cannot have that leaf. */
static const char *no_such_leaf(struct reader *reader, const char *key)
{
    const struct mpich_version *version = reader->of->version;
    const enum mpich_layer layer = mpich_layer_of(key);
    if (layer == reader->of->layer || !mpich_leaf_find(version, layer, key))
        return arena_printf(reader->arena, "%s has no such algorithm", version->title);
    return arena_printf(reader->arena,
                        "that stands in a file of MPIR_CVAR_%s, and this is one of MPIR_CVAR_%s",
                        mpich_layer_variable(layer), mpich_layer_variable(reader->of->layer));
}

/* Reads the whole object as a leaf: each of its keys must be an algorithm, and the last counts. */
static bool read_leaf(struct reader *reader, struct mpich_node *leaf, const struct json_node *object)
{
    leaf->test = TEST_LEAF;
    for (const struct json_node *member = object->first; member; member = member->next) {
        const char *key = without_blanks(member->key, reader->arena);
        leaf->algorithm = mpich_leaf_find(reader->of->version, reader->of->layer, key);
        if (!leaf->algorithm)
            return mpich_read_refuse(reader, member,
                                     is_leaf_key(key) ? no_such_leaf(reader, key)
                                                      : "beside an algorithm there is something else");
        leaf->json = member;
        leaf->key = key;
        leaf->rule = (struct table_rule){.collective = leaf->algorithm->collective,
                                         .line = member->line,
                                         .ranks = {0, SPAN_NO_END},
                                         .keys = {0, SPAN_NO_END}};
    }
    leaf->given = json_member(object, leaf->json->key);
    if (leaf->given->kind != JSON_OBJECT_NODE)
        return mpich_read_refuse(reader, leaf->json, "the value is no object");
    mpich_read_settings(reader, leaf, leaf->given);
    return true;
}

/* ---- the tree ---- */

static struct mpich_node *mpich_read_new_node(struct reader *reader, const struct json_node *json,
                                              struct mpich_node *above)
{
    struct mpich_table *of = reader->of;
    struct mpich_node *node = arena_alloc(reader->arena, 1, sizeof *node);
    node->json = json;
    node->above = above;
    of->all = mem_grow(of->all, &reader->capacity, of->n_all + 1, sizeof(struct mpich_node *));
    of->all[of->n_all++] = node;
    return node;
}

/* True if a member with that key stands before this one. O(members of the object) each. */
static bool mpich_read_is_known(const struct json_node *object, const struct json_node *member)
{
    for (const struct json_node *at = object->first; at != member; at = at->next)
        if (strcmp(at->key, member->key) == 0)
            return true;
    return false;
}

static struct mpich_node *mpich_read_tree(struct reader *reader, const struct json_node *object,
                                          struct mpich_node *above);

/* Reads a member with the last value of its key, which json-c keeps. */
static bool mpich_read_member(struct reader *reader, const struct json_node *object,
                              const struct json_node *member, struct mpich_node *above,
                              struct mpich_node ***link)
{
    const struct json_node *value = json_member(object, member->key);
    if (value->kind != JSON_OBJECT_NODE)
        return mpich_read_refuse(reader, value, "the value is no object");
    struct mpich_node *node = mpich_read_new_node(reader, member, above);
    node->key = without_blanks(member->key, reader->arena);
    if (!mpich_read_condition(reader, node))
        return false;
    node->success = mpich_read_tree(reader, value, node);
    **link = node;
    *link = &node->failure;
    return !reader->of->table.ignored && !reader->beyond;
}

/* Limits of members of an object and of bytes; tables that people and tools write have ten or a hundred
 * members. */
enum { MAX_MEMBERS = 1 << 10, MAX_BYTES = 1 << 22 };

static struct mpich_node *mpich_read_tree(struct reader *reader, const struct json_node *object,
                                          struct mpich_node *above)
{
    struct mpich_node *first = NULL, **link = &first;
    unsigned n = 0;
    for (const struct json_node *member = object->first; member; member = member->next) {
        if (++n > MAX_MEMBERS)
            reader->beyond = member;
        if (reader->beyond)
            return NULL;
        if (mpich_read_is_known(object, member))
            continue;
        if (is_leaf_key(without_blanks(member->key, reader->arena))) {
            struct mpich_node *leaf = mpich_read_new_node(reader, member, above);
            return read_leaf(reader, leaf, object) ? leaf : NULL;
        }
        if (!mpich_read_member(reader, object, member, above, &link))
            return NULL;
    }
    return first;
}

/* ---- what is asserted of it ---- */

static void mpich_read_validate(struct reader *reader)
{
    for (size_t i = 0; i < reader->of->n_all && !reader->of->table.ignored; i++) {
        const struct mpich_node *node = reader->of->all[i];
        if (node->test == TEST_LEAF)
            continue;
        if (!node->success)
            mpich_read_refuse(reader, node->json, "there is nothing below it");
        else if (node->test == TEST_ANY && node->failure)
            mpich_read_refuse(reader, node->failure->json, "it stands behind what holds for all");
        else if (!mpich_conditions[node->test].may_end && !node->failure)
            mpich_read_refuse(reader, node->json,
                              "nothing stands behind it for the calls for which it does not hold");
    }
}

/* Checks that every way from the root through conditions on communicators ends at collectives, with nothing
 * else beside these. */
static void mpich_read_check_root(struct reader *reader, const struct mpich_node *node)
{
    bool is_among_collectives = false;
    for (; node && !reader->of->table.ignored; node = node->failure) {
        if (mpich_conditions[node->test].asked == ASKED_COMM || node->test == TEST_ANY) {
            if (is_among_collectives)
                mpich_read_refuse(reader, node->json, "it stands among collectives");
            mpich_read_check_root(reader, node->success);
        } else if (node->test != TEST_COLLECTIVE)
            mpich_read_refuse(reader, node->json, "it stands where collectives are looked for");
        else
            is_among_collectives = true;
    }
}

/* Returns the layer of the first leaf. */
static enum mpich_layer layer_of_tree(struct reader *reader, const struct json_node *object)
{
    while (object && object->kind == JSON_OBJECT_NODE && object->first) {
        const char *key = without_blanks(object->first->key, reader->arena);
        if (is_leaf_key(key))
            return mpich_layer_of(key);
        object = object->first;
    }
    return MPICH_OWN;
}

static void mpich_read_file(struct reader *reader, const enum mpich_layer *layer)
{
    struct mpich_table *of = reader->of;
    struct json_fault fault = {0};
    of->json = json_tree(of->table.source, &json_c, reader->arena, &fault);
    if (!of->json) {
        of->table.ignored = arena_printf(reader->arena, "it cannot be parsed: %s", fault.what);
        of->table.ignored_at = source_position(of->table.source, fault.at, 1);
        return;
    }
    if (of->json->kind != JSON_OBJECT_NODE) {
        mpich_read_refuse(reader, of->json, "it is no object");
        return;
    }
    of->layer = layer ? *layer : layer_of_tree(reader, of->json);
    of->root = mpich_read_tree(reader, of->json, NULL);
    if (reader->beyond)
        return;
    mpich_read_validate(reader);
    mpich_read_check_root(reader, of->root);
}

struct table *mpich_read(const struct table_loader *loader, const struct source *source,
                         struct arena *arena, struct diagnostics *diagnostics)
{
    return mpich_read_layer(loader, source, NULL, arena, diagnostics);
}

struct table *mpich_read_layer(const struct table_loader *loader, const struct source *source,
                               const enum mpich_layer *layer, struct arena *arena,
                               struct diagnostics *diagnostics)
{
    if (source->length > MAX_BYTES) {
        report(diagnostics, CODE_B020, source_position(source, 0, 1),
               "a selection file of more than 4 MiB");
        return NULL;
    }
    struct mpich_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct mpich_table){.table = {.loader = loader, .source = source, .ends_program = true},
                               .version = loader->version};
    struct reader reader = {.of = of, .arena = arena};
    mpich_read_file(&reader, layer);
    struct mpich_node **all = arena_alloc(arena, of->n_all, sizeof *all);
    if (of->n_all)
        memcpy(all, of->all, of->n_all * sizeof *all);
    free(of->all);
    of->all = all;
    if (of->table.ignored)
        of->root = NULL;
    if (reader.beyond)
        report(diagnostics, CODE_B020, json_node_position(source, reader.beyond),
               "more than %d conditions beside each other", MAX_MEMBERS);
    return reader.beyond ? NULL : &of->table;
}
