/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The links that have failed: words of the user become pairs of nodes, and one pass over
 * all links, however many words there are, finds the links between them.
 */
#include "base/suggest.h"
#include "base/search.h"
#include "network/restrict.h"

#include "network/parts.h"
#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

#define NO_LINK UINT32_MAX

/* Facts about a node, as bits. */
enum { NODE_IS_END = 1, NODE_FAILS = 2, NODE_HAS_LINKS = 4 };

/* A word asks for every link between two nodes, or for one of them and its way back. */
struct wish {
    uint64_t pair; /* the lower node in the upper half */
    uint32_t link; /* NO_LINK: all */
    size_t word;
};

/* A link between two nodes that some word names. */
struct tie {
    uint64_t pair;
    uint32_t link;
    bool goes_down; /* from the higher node to the lower */
};

struct finder {
    const struct topology *topology;
    unsigned char *node; /* [node] */
    bool *is_found;      /* [word] */
    struct wish *wishes; /* by pair */
    size_t n_wishes, wishes_capacity;
    struct tie *ties; /* by pair, then by link */
    size_t n_ties, ties_capacity;
    uint32_t *links; /* the answer */
    uint32_t n_links;
    size_t links_capacity;
};

static void restrict_links_append(struct finder *finder, uint32_t link)
{
    finder->links = mem_grow(finder->links, &finder->links_capacity, (size_t)finder->n_links + 1,
                             sizeof *finder->links);
    finder->links[finder->n_links++] = link;
}

/* ---- words ---- */

static uint64_t restrict_links_pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static void wish(struct finder *finder, uint32_t a, uint32_t b, uint32_t link, size_t word)
{
    finder->wishes = mem_grow(finder->wishes, &finder->wishes_capacity, finder->n_wishes + 1,
                              sizeof *finder->wishes);
    finder->wishes[finder->n_wishes++] = (struct wish){restrict_links_pair_of(a, b), link, word};
    finder->node[a] |= NODE_IS_END;
    finder->node[b] |= NODE_IS_END;
}

static uint32_t restrict_links_find_node(const struct finder *finder, const char *name, size_t length)
{
    return topology_find_node(finder->topology, name, length);
}

static bool restrict_links_take_node(struct finder *finder, const char *name)
{
    uint32_t node = restrict_links_find_node(finder, name, strlen(name));
    if (node < finder->topology->n_nodes)
        finder->node[node] |= NODE_FAILS;
    return node < finder->topology->n_nodes;
}

/* A name may have ':' in it: every one is tried as the one between two names. */
static void restrict_links_take_pair(struct finder *finder, const char *name, size_t word)
{
    uint32_t n_nodes = finder->topology->n_nodes;
    for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        uint32_t a = restrict_links_find_node(finder, name, (size_t)(colon - name));
        uint32_t b = restrict_links_find_node(finder, colon + 1, strlen(colon + 1));
        if (a < n_nodes && b < n_nodes)
            wish(finder, a, b, NO_LINK, word);
    }
}

static bool restrict_links_is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static void restrict_links_take_number(struct finder *finder, const char *text, size_t word)
{
    unsigned long long link = strtoull(text, NULL, 10);
    uint32_t from, to;
    if (!restrict_links_is_number(text) || link >= finder->topology->n_link_ids ||
        !topology_has_link(finder->topology, (uint32_t)link))
        return;
    topology_link_ends(finder->topology, (uint32_t)link, &from, &to);
    wish(finder, from, to, (uint32_t)link, word);
}

static void restrict_links_take_word(struct finder *finder, const struct failed_word *words, size_t word)
{
    const char *text = words[word].text;
    switch (words[word].sort) {
    case FAILED_NODE:
        restrict_links_take_node(finder, text);
        break;
    case FAILED_LINK:
        restrict_links_take_pair(finder, text, word);
        break;
    case FAILED_NUMBER:
        restrict_links_take_number(finder, text, word);
        break;
    case FAILED_ANY:
        if (restrict_links_is_number(text))
            restrict_links_take_number(finder, text, word);
        else if (!restrict_links_take_node(finder, text))
            restrict_links_take_pair(finder, text, word);
        break;
    }
}

/* ---- links ---- */

static int compare_wishes(const void *left, const void *right)
{
    const struct wish *a = left, *b = right;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

static bool is_wished(const struct finder *finder, uint64_t pair)
{
    struct wish key = {.pair = pair};
    return finder->n_wishes && bsearch(&key, finder->wishes, finder->n_wishes, sizeof key,
                                       compare_wishes);
}

static void restrict_links_take_link(struct finder *finder, uint32_t link)
{
    uint32_t from, to;
    topology_link_ends(finder->topology, link, &from, &to);
    unsigned char either = finder->node[from] | finder->node[to];
    if (either & NODE_FAILS) {
        finder->node[from] |= NODE_HAS_LINKS;
        finder->node[to] |= NODE_HAS_LINKS;
        restrict_links_append(finder, link);
    }
    uint64_t pair = restrict_links_pair_of(from, to);
    if (!(finder->node[from] & finder->node[to] & NODE_IS_END) || !is_wished(finder, pair))
        return;
    finder->ties = mem_grow(finder->ties, &finder->ties_capacity, finder->n_ties + 1,
                            sizeof *finder->ties);
    finder->ties[finder->n_ties++] = (struct tie){pair, link, from > to};
}

static int restrict_links_compare_ties(const void *left, const void *right)
{
    const struct tie *a = left, *b = right;
    if (a->pair != b->pair)
        return a->pair > b->pair ? 1 : -1;
    return (a->link > b->link) - (a->link < b->link);
}

static void restrict_links_find_ties(struct finder *finder)
{
    if (finder->n_wishes)
        qsort(finder->wishes, finder->n_wishes, sizeof *finder->wishes, compare_wishes);
    for (uint32_t link = 0; link < finder->topology->n_link_ids; link++)
        if (topology_has_link(finder->topology, link))
            restrict_links_take_link(finder, link);
    if (finder->n_ties)
        qsort(finder->ties, finder->n_ties, sizeof *finder->ties, restrict_links_compare_ties);
}

/* Returns the first tie of a pair, or n_ties. */
static size_t first_tie(const struct finder *finder, uint64_t pair)
{
    size_t low = 0, high = finder->n_ties;
    SEARCH_FIRST(low, high, middle, finder->ties[middle].pair < pair);
    return low;
}

/* The link back: of the n-th link from a to b, the n-th from b to a. */
static void append_cable(struct finder *finder, const struct tie *ties, size_t n, uint32_t link)
{
    size_t own = 0, before = 0;
    while (ties[own].link != link)
        own++;
    for (size_t i = 0; i < own; i++)
        before += ties[i].goes_down == ties[own].goes_down;
    restrict_links_append(finder, link);
    for (size_t i = 0; i < n; i++)
        if (ties[i].goes_down != ties[own].goes_down && before-- == 0) {
            restrict_links_append(finder, ties[i].link);
            return;
        }
}

static void grant(struct finder *finder, const struct wish *wished)
{
    size_t first = first_tie(finder, wished->pair), end = first;
    while (end < finder->n_ties && finder->ties[end].pair == wished->pair)
        end++;
    if (wished->link != NO_LINK)
        append_cable(finder, finder->ties + first, end - first, wished->link);
    for (size_t i = first; wished->link == NO_LINK && i < end; i++)
        restrict_links_append(finder, finder->ties[i].link);
    finder->is_found[wished->word] |= end > first;
}

/* ---- the answer ---- */

/* "A:B" for two names of nodes with something else between them, such as "A-B" or "A -> B"; NULL: they are
 * no names. O(length) look-ups */
static const char *other_pair(const struct finder *finder, const char *text, struct arena *arena)
{
    static const char between[] = " ,;:/=<>-_";
    const uint32_t n_nodes = finder->topology->n_nodes;
    for (const char *end = strpbrk(text, between); end; end = end[1] ? strpbrk(end + 1, between) : NULL) {
        const size_t length = (size_t)(end - text);
        if (restrict_links_find_node(finder, text, length) == n_nodes)
            continue;
        for (const char *next = end; strchr(between, *next) && *next; next++)
            if (restrict_links_find_node(finder, next + 1, strlen(next + 1)) < n_nodes)
                return arena_printf(arena, "%.*s:%s", (int)length, text, next + 1);
    }
    return NULL;
}

/* Returns the word with the nearest names in the place of those that nobody has; NULL: none is near. */
static const char *nearest_word(const struct finder *finder, const char *text, struct arena *arena)
{
    const struct topology *topology = finder->topology;
    const char *colon = strchr(text, ':'), *pair = other_pair(finder, text, arena);
    if (pair && strcmp(pair, text) != 0)
        return pair;
    if (!colon)
        return topology_nearest_node(topology, slice_of(text), false, arena);
    const struct slice ends[] = {{text, (size_t)(colon - text)}, slice_of(colon + 1)};
    const char *names[2];
    for (int i = 0; i < 2; i++) {
        const bool is_there =
            restrict_links_find_node(finder, ends[i].text, ends[i].length) < topology->n_nodes;
        names[i] = is_there ? arena_strndup(arena, ends[i].text, ends[i].length)
                            : topology_nearest_node(topology, ends[i], false, arena);
    }
    const char *near = names[0] && names[1] ? arena_printf(arena, "%s:%s", names[0], names[1]) : NULL;
    return near && strcmp(near, text) != 0 ? near : NULL;
}

/* True if the word is two nodes that are there, A:B: what lacks is the cable. */
static bool is_pair_of_nodes(const struct finder *finder, const char *text)
{
    const char *colon = strchr(text, ':');
    const uint32_t n_nodes = finder->topology->n_nodes;
    return colon && restrict_links_find_node(finder, text, (size_t)(colon - text)) < n_nodes &&
           restrict_links_find_node(finder, colon + 1, strlen(colon + 1)) < n_nodes;
}

static bool check_word(struct finder *finder, const struct failed_word *word, bool is_found,
                       struct diagnostics *diagnostics)
{
    static const char *const sorts[] = {[FAILED_ANY] = "link or node",
                                        [FAILED_LINK] = "link",
                                        [FAILED_NODE] = "node with links called",
                                        [FAILED_NUMBER] = "link with the number"};
    const struct topology *topology = finder->topology;
    bool is_name = word->sort == FAILED_NODE || word->sort == FAILED_ANY;
    uint32_t node =
        is_name ? restrict_links_find_node(finder, word->text, strlen(word->text)) : topology->n_nodes;
    if (is_found || (node < topology->n_nodes && finder->node[node] & NODE_HAS_LINKS))
        return true;
    struct position position =
        word->source ? slice_position(word->source, word->place) : (struct position){0};
    if (is_pair_of_nodes(finder, word->text)) {
        report(diagnostics, CODE_T024, position,
               "topology '%s' has no cable '%s': both are there, and no cable joins them",
               topology->name, word->text)
            ->help = "'collc draw' shows which cables there are; a machine or a switch can be named alone";
        return false;
    }
    report(diagnostics, CODE_T024, position, "topology '%s' has no %s '%s' that could fail",
           topology->name, sorts[word->sort], word->text)
        ->help = did_you_mean(&diagnostics->arena, nearest_word(finder, word->text, &diagnostics->arena),
                              strchr(word->text, '/')
                                  ? "an adapter fails with its cable: name that by its ends, HOST:SWITCH"
                                  : "name the ends of a cable as A:B, a machine, a router or the number of a link");
    return false;
}

static bool restrict_links_find_links(struct finder *finder, const struct failed_word *words, size_t n,
                                      struct diagnostics *diagnostics)
{
    bool good = true;
    for (size_t i = 0; i < n; i++)
        restrict_links_take_word(finder, words, i);
    restrict_links_find_ties(finder);
    for (size_t i = 0; i < finder->n_wishes; i++)
        grant(finder, &finder->wishes[i]);
    for (size_t i = 0; i < n; i++)
        good = check_word(finder, &words[i], finder->is_found[i], diagnostics) && good;
    return good;
}

struct topology *restrict_links(struct topology *topology, const struct failed_word *words,
                                size_t n, struct diagnostics *diagnostics)
{
    if (!n)
        return topology;
    struct finder finder = {.topology = topology,
                            .node = mem_alloc(topology->n_nodes, sizeof *finder.node),
                            .is_found = mem_alloc(n, sizeof *finder.is_found)};
    bool good = restrict_links_find_links(&finder, words, n, diagnostics);
    if (good) {
        topology = topology_new_faulty(topology, finder.links, finder.n_links);
    } else {
        topology_free(topology);
        topology = NULL;
    }
    free(finder.node);
    free(finder.is_found);
    free(finder.wishes);
    free(finder.ties);
    free(finder.links);
    return topology;
}
