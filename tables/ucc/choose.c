/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Picks the algorithm for a call from score strings; the loader's record.
 */
#include "tables/ucc/ucc.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* An algorithm of tl/ucp, and the first release from 1.2 on that has it, 4 for 1.4; a NULL ends a list. */
struct ucc_known {
    const char *name;
    uint32_t since;
};
enum { UCC_LATEST = 8 };

/* In the order of their numbers. */
static const struct ucc_known allgather[] = {{"knomial", 2}, {"ring", 2},   {"neighbor", 3}, {"bruck", 4},
                                             {"sparbit", 4}, {"linear", 5}, {"batched", 5},  {NULL, 0}};
static const struct ucc_known allreduce[] = {{"knomial", 2}, {"sra_knomial", 2}, {"sliding_window", 4},
                                             {"dbt", 4},     {"ring", 8},        {NULL, 0}};
static const struct ucc_known alltoall[] = {{"pairwise", 2}, {"bruck", 2}, {"onesided", 2}, {NULL, 0}};
static const struct ucc_known bcast[] = {{"knomial", 2}, {"sag_knomial", 2}, {"dbt", 3}, {NULL, 0}};
static const struct ucc_known reduce[] = {{"knomial", 2}, {"dbt", 4}, {"srg", 4}, {NULL, 0}};
static const struct ucc_known allgatherv[] = {{"ring", 2}, {"knomial", 4}, {NULL, 0}};
static const struct ucc_known alltoallv[] = {{"pairwise", 2}, {"hybrid", 2}, {"onesided", 3}, {NULL, 0}};
static const struct ucc_known reduce_scatter[] = {{"ring", 2}, {"knomial", 4}, {NULL, 0}};
static const struct ucc_known reduce_scatterv[] = {{"ring", 2}, {NULL, 0}};
static const struct ucc_known *const algorithms[UCC_N_COLLECTIVES] = {
    [UCC_ALLGATHER] = allgather,
    [UCC_ALLGATHERV] = allgatherv,
    [UCC_ALLREDUCE] = allreduce,
    [UCC_ALLTOALL] = alltoall,
    [UCC_ALLTOALLV] = alltoallv,
    [UCC_BCAST] = bcast,
    [UCC_REDUCE] = reduce,
    [UCC_REDUCE_SCATTER] = reduce_scatter,
    [UCC_REDUCE_SCATTERV] = reduce_scatterv};

/* The choices compiled into tl/ucp: the first of a collective with `end` above the size, 0 for all sizes, and
 * algorithms that the release has. */
static const struct {
    enum ucc_collective collective;
    uint64_t end;              /* UCC's size, without `is_of_ranks` */
    bool is_of_ranks;          /* times the ranks */
    uint32_t since;            /* release */
    const char *even, *odd;    /* by the number of ranks */
} own_choices[] = {{UCC_ALLGATHER, 4096, false, 2, "knomial", "knomial"},
                   {UCC_ALLGATHER, 0, false, 3, "neighbor", "ring"},
                   {UCC_ALLGATHER, 0, false, 2, "ring", "ring"},
                   {UCC_ALLREDUCE, 4096, false, 2, "knomial", "knomial"},
                   {UCC_ALLREDUCE, 0, false, 2, "sra_knomial", "sra_knomial"},
                   {UCC_ALLTOALL, 129, true, 2, "bruck", "bruck"},
                   {UCC_ALLTOALL, 0, false, 2, "pairwise", "pairwise"},
                   {UCC_BCAST, 32768, false, 2, "knomial", "knomial"},
                   {UCC_BCAST, 0, false, 2, "sag_knomial", "sag_knomial"},
                   {UCC_REDUCE, 32768, false, 2, "knomial", "knomial"},
                   {UCC_REDUCE, 0, false, 4, "srg", "srg"},
                   {UCC_REDUCE, 0, false, 2, "knomial", "knomial"}};
enum { N_OWN_CHOICES = sizeof own_choices / sizeof *own_choices };

/* Algorithms that give way, to what is named or else to the choice compiled in. */
static const struct ucc_substitution substitutions[] = {
    {UCC_ALLGATHER, "neighbor", UCC_FOR_EVEN, "ring", "teams of an odd number of ranks get ring"},
    {UCC_ALLREDUCE, "ring", UCC_FOR_MULTIPLES, NULL,
     "calls whose elements are no multiple of the ranks get UCC's own choice"},
    {UCC_ALLREDUCE, "dbt", UCC_FOR_NOT_IN_PLACE, NULL, "calls with MPI_IN_PLACE get UCC's own choice"},
    {UCC_ALLREDUCE, "sliding_window", UCC_FOR_MAPPED, NULL,
     "it needs memory mapped by the caller, which no MPI passes: UCC's own choice runs"},
    {UCC_ALLTOALL, "onesided", UCC_FOR_MAPPED, NULL,
     "it needs memory mapped by the caller, which no MPI passes: UCC's own choice runs"},
    {UCC_ALLTOALLV, "onesided", UCC_FOR_MAPPED, NULL,
     "it needs memory mapped by the caller, which no MPI passes: UCC's own choice runs"}};
enum { N_SUBSTITUTIONS = sizeof substitutions / sizeof *substitutions };

uint32_t ucc_release(const struct table *table)
{
    return *(const uint32_t *)table->loader->version;
}

/* Returns NULL behind the last of the release. */
static const char *algorithm_name(uint32_t release, uint32_t collective, int64_t number)
{
    const struct ucc_known *known = algorithms[collective];
    for (int64_t i = 0; known && known[i].name; i++)
        if (i == number)
            return known[i].since <= release ? known[i].name : NULL;
    return NULL;
}

static bool ucc_choose_is_number(struct slice name)
{
    size_t i = 0;
    while (i < name.length && text_is_digit(name.text[i]))
        i++;
    return i == name.length;
}

int64_t ucc_algorithm(uint32_t release, uint32_t collective, struct slice name)
{
    int64_t number = 0;
    if (ucc_choose_is_number(name)) {
        for (size_t i = 0; i < name.length && number < INT32_MAX; i++)
            number = number * 10 + (name.text[i] - '0');
        return algorithm_name(release, collective, number) ? number : UCC_NO_ALGORITHM;
    }
    for (const char *known; (known = algorithm_name(release, collective, number)); number++)
        if (strlen(known) == name.length && strncasecmp(known, name.text, name.length) == 0)
            return number;
    return UCC_NO_ALGORITHM;
}

uint32_t ucc_since(uint32_t collective, struct slice name)
{
    const int64_t number = ucc_algorithm(UCC_LATEST, collective, name);
    return number == UCC_NO_ALGORITHM ? 0 : algorithms[collective][number].since;
}

const struct ucc_substitution *ucc_substitution(uint32_t release, uint32_t collective, struct slice name)
{
    const int64_t number = ucc_algorithm(release, collective, name);
    const char *named = number >= 0 ? algorithm_name(release, collective, number) : "";
    for (size_t i = 0; i < N_SUBSTITUTIONS; i++)
        if (substitutions[i].collective == collective && strcmp(substitutions[i].algorithm, named) == 0)
            return &substitutions[i];
    return NULL;
}

/* ---- a string, for a team and a collective ---- */

static bool is_for_team(const struct ucc_item *item, uint64_t n_ranks)
{
    bool is = item->n_teams == 0;
    for (uint32_t i = 0; i < item->n_teams; i++)
        is |= span_has(item->teams[i], n_ranks);
    return is;
}

/* Inserts a piece behind the last one that ends before it begins. Returns false if it overlaps the one that
 * follows; pieces before that one are not compared. */
static bool ucc_choose_add_piece(struct ucc_pieces *pieces, struct ucc_piece piece)
{
    size_t at = 0;
    if (piece.sizes.from >= piece.sizes.end)
        return false;
    while (at < pieces->n && piece.sizes.from >= pieces->items[at].sizes.end)
        at++;
    if (at < pieces->n && pieces->items[at].sizes.from < piece.sizes.end)
        return false;
    pieces->items = mem_grow(pieces->items, &pieces->capacity, pieces->n + 1, sizeof *pieces->items);
    memmove(pieces->items + at + 1, pieces->items + at, (pieces->n - at) * sizeof *pieces->items);
    pieces->items[at] = piece;
    pieces->n++;
    return true;
}

/* Adds the ranges of one item. Returns true if the last of them was taken. */
static bool ucc_choose_add_item(struct ucc_pieces *pieces, const struct ucc_item *item)
{
    const struct ucc_range all = {0, UINT64_MAX};
    bool is_added = true;
    for (uint32_t i = 0; i < (item->n_sizes ? item->n_sizes : 1); i++) {
        is_added =
            ucc_choose_add_piece(pieces, (struct ucc_piece){item->n_sizes ? item->sizes[i] : all, item});
        if (!is_added && !pieces->left_out)
            pieces->left_out = item;
    }
    return is_added;
}

static void ucc_choose_refuse(struct ucc_pieces *pieces, const struct ucc_item *item, const char *why)
{
    if (pieces->refused)
        return;
    pieces->refused = item;
    pieces->why = why;
}

/* True if the collective is the item's last: an item of several collectives and memories fails the string
 * only by its last. */
static bool is_last_of(const struct ucc_item *item, uint32_t collective)
{
    return collective + 1 == UCC_N_COLLECTIVES || !(item->collectives >> (collective + 1));
}

struct ucc_pieces ucc_take(const struct ucc_table *of, const struct ucc_string *string, uint32_t collective,
                           uint64_t n_ranks)
{
    struct ucc_pieces pieces = {0};
    for (size_t i = string->first; i < string->first + string->n; i++) {
        const struct ucc_item *item = &of->items[i];
        const bool is_of = item->collectives >> collective & 1;
        if (item->wrong.length)
            ucc_choose_refuse(&pieces, item, "a part of it is nothing that UCC knows");
        if (!is_for_team(item, n_ranks) || (!item->has_score && !item->algorithm.length))
            continue;
        const uint32_t n_judged = item->algorithm.length && string->is_ucp ? UCC_N_COLLECTIVES : 0;
        for (uint32_t other = 0; other < n_judged; other++)
            if (item->collectives >> other & 1 &&
                ucc_algorithm(ucc_release(&of->table), other, item->algorithm) == UCC_NO_ALGORITHM)
                ucc_choose_refuse(&pieces, item, "there is no such algorithm");
        if (is_of && item->is_of_host && !ucc_choose_add_item(&pieces, item) && is_last_of(item, collective))
            ucc_choose_refuse(&pieces, item, "its sizes overlap others, or end before they begin");
    }
    return pieces;
}

/* ---- pick ---- */

static bool is_per_team(uint32_t collective)
{
    return collective == UCC_ALLGATHER || collective == UCC_ALLTOALL;
}

/* Returns UCC's size, the whole buffer, for the user's, which goes to a pair or comes from a rank. */
static uint64_t ucc_choose_key_of(const struct table_query *query, uint64_t bytes)
{
    uint64_t key = 0;
    if (query->collective == UCC_BARRIER)
        return 0;
    const uint64_t factor = is_per_team(query->collective) ? query->n_ranks : 1;
    return mem_multiply(bytes, factor, &key) ? key : UINT64_MAX - 1;
}

static bool ucc_choose_fits(const struct ucc_section *section, const struct table_query *query)
{
    const uint64_t nodes = query->n_nodes ? query->n_nodes : 1;
    const uint64_t least = query->n_ranks / nodes, most = least + (query->n_ranks % nodes != 0);
    return span_has(section->teams, query->n_ranks) && span_has(section->nodes, nodes) &&
           section->per_node.first <= least && most <= section->per_node.last;
}

/* Returns the string of the first section for the team, else of the whole file; NULL if there is none. */
static const struct ucc_string *string_for(const struct ucc_table *of, const struct table_query *query)
{
    const struct ucc_string *found = NULL;
    for (size_t i = 0; i < of->n_strings; i++) {
        const struct ucc_string *string = &of->strings[i];
        const bool is_of_file = string->section == 0;
        if (string->is_ucp && string->is_acting && ucc_choose_fits(&of->sections[string->section], query) &&
            (!found || (found->section == 0 && !is_of_file)))
            found = string;
    }
    return found;
}

/* Returns the end of the sizes for which own_choices[i] is made; UINT64_MAX: all. */
static uint64_t own_end(size_t i, uint64_t n_ranks)
{
    return own_choices[i].end ? own_choices[i].end * (own_choices[i].is_of_ranks ? n_ranks : 1) : UINT64_MAX;
}

/* Returns the choice compiled into tl/ucp for UCC's size. */
static const char *own_choice(const struct ucc_table *of, const struct table_query *query, uint64_t key)
{
    for (size_t i = 0; i < N_OWN_CHOICES; i++)
        if (own_choices[i].collective == query->collective && key < own_end(i, query->n_ranks) &&
            own_choices[i].since <= ucc_release(&of->table))
            return query->collective == UCC_BCAST && query->n_ranks == 2 ? "knomial"
                   : query->n_ranks % 2                                  ? own_choices[i].odd
                                                                         : own_choices[i].even;
    return "default";
}

/* Says what runs in the place of the algorithm for the call, if UCC replaces it. */
static void say_substitution(const struct ucc_table *of, struct table_range *range,
                             const struct ucc_substitution *other, const struct table_query *query,
                             uint64_t key, struct arena *arena)
{
    const bool acts = other->made_for == UCC_FOR_EVEN           ? query->n_ranks % 2
                      : other->made_for == UCC_FOR_NOT_IN_PLACE ? query->is_in_place
                                                                : other->made_for == UCC_FOR_MAPPED;
    if (acts)
        range->runs_as = other->runs_as ? other->runs_as : own_choice(of, query, key);
    if (acts || other->made_for == UCC_FOR_MULTIPLES)
        range->why = arena_printf(arena, "%s; %s", range->why, other->words);
}

static struct table_range ucc_choose_range_of(const struct ucc_table *of, const struct ucc_string *string,
                                              const struct ucc_piece *piece,
                                              const struct table_query *query, uint64_t key,
                                              struct arena *arena)
{
    const uint32_t collective = query->collective, release = ucc_release(&of->table);
    const struct ucc_item *item = piece->item;
    const struct slice machine = of->sections[string->section].machine;
    const int64_t number =
        item->algorithm.length ? ucc_algorithm(release, collective, item->algorithm) : UCC_NO_ALGORITHM;
    const char *name = number >= 0 ? algorithm_name(release, collective, number) : NULL;
    struct table_range range = {.algorithm = own_choice(of, query, key), .rule = &item->rule};
    if (name)
        range.algorithm = name;
    else if (item->algorithm.length)
        range.algorithm = arena_printf(arena, "@%.*s", (int)item->algorithm.length, item->algorithm.text);
    if (item->has_score && item->score == UCC_SCORE_DISABLED)
        range.algorithm = "none";
    range.why = arena_printf(arena, "%s '%.*s'%s%.*s",
                             item->has_score && item->score == UCC_SCORE_DISABLED
                                 ? "score 0, another component than tl/ucp:"
                             : item->has_score ? "item with a score, if tl/ucp has the highest:"
                                               : "item, if tl/ucp has the highest score:",
                             (int)item->text.length, item->text.text,
                             machine.length ? ", on machines of " : "", (int)machine.length, machine.text);
    const struct ucc_substitution *other =
        name ? ucc_substitution(release, collective, item->algorithm) : NULL;
    if (other && strcmp(range.algorithm, "none") != 0)
        say_substitution(of, &range, other, query, key, arena);
    return range;
}

/* Returns why UCC drops the string, which an item of any collective can bring about; NULL: it takes it. */
static const char *why_refused(const struct ucc_table *of, const struct ucc_string *string, uint64_t n_ranks)
{
    const char *why = NULL;
    for (uint32_t collective = 0; collective < UCC_N_COLLECTIVES && !why; collective++) {
        struct ucc_pieces pieces = ucc_take(of, string, collective, n_ranks);
        why = pieces.refused ? pieces.why : NULL;
        free(pieces.items);
    }
    return why;
}

static struct table_range ucc_choose(const struct table *table, const struct table_query *query,
                                     bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct ucc_table *of = ucc_table_of(table);
    const uint64_t key = ucc_choose_key_of(query, bytes);
    struct table_range range = {.algorithm = own_choice(of, query, key),
                                .why = "no item: what tl/ucp takes by itself"};
    const struct ucc_string *string = table->ignored ? NULL : string_for(of, query);
    if (table->ignored)
        range.why = "the file is ignored: what tl/ucp takes by itself";
    if (!string)
        return range;
    const char *refused = why_refused(of, string, query->n_ranks);
    if (refused) {
        range.why = arena_printf(arena, "UCC refuses the whole string: %s", refused);
        return range;
    }
    struct ucc_pieces pieces = ucc_take(of, string, query->collective, query->n_ranks);
    for (size_t i = 0; i < pieces.n; i++)
        if (pieces.items[i].sizes.from <= key && key < pieces.items[i].sizes.end) {
            range = ucc_choose_range_of(of, string, &pieces.items[i], query, key, arena);
            break;
        }
    free(pieces.items);
    return range;
}

static void ucc_choose_changes(const struct table *table, const struct table_query *query,
                               void (*note)(void *context, uint64_t bytes), void *context)
{
    const struct ucc_table *of = ucc_table_of(table);
    const uint64_t n = is_per_team(query->collective) ? query->n_ranks : 1;
    for (size_t i = 0; i < N_OWN_CHOICES; i++)
        if (own_choices[i].collective == query->collective && own_choices[i].end)
            note(context, divide_up(own_end(i, query->n_ranks), n));
    for (size_t i = 0; i < of->n_items; i++)
        for (uint32_t j = 0; j < of->items[i].n_sizes; j++) {
            const struct ucc_range range = of->items[i].sizes[j];
            note(context, range.from / n + (range.from % n != 0));
            note(context, range.end == UINT64_MAX ? 0 : range.end / n + (range.end % n != 0));
        }
}

static const char *ucc_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting;
    (void)arena;
    return "every collective that it is for";
}

static const struct settings_dialect dialect = {
    .example = "'export UCC_TL_UCP_TUNE=allreduce:@knomial' or 'mpirun -x UCC_TL_UCP_TUNE=...'",
    .key = ucc_key,
    .calls = ucc_calls};

#define LOADER(name, spelling, minor)                                                                      \
    extern const struct table_loader name;                                                                 \
    const struct table_loader name = {.target = spelling,                                                  \
                                      .collectives = ucc_collective_names,                                 \
                                      .n_collectives = UCC_N_PICKED,                                       \
                                      .version = &(const uint32_t){minor},                                 \
                                      .decides_alone = true,                                               \
                                      .is_file = ucc_is_file,                                              \
                                      .read = ucc_read,                                                    \
                                      .dialect = &dialect,                                                 \
                                      .read_settings = ucc_read_settings,                                  \
                                      .choose = ucc_choose,                                                \
                                      .changes = ucc_choose_changes,                                       \
                                      .lint = ucc_lint}
LOADER(ucc_loader, "ucc", UCC_LATEST);
LOADER(ucc_1_2_loader, "ucc-1.2", 2);
LOADER(ucc_1_3_loader, "ucc-1.3", 3);
LOADER(ucc_1_4_loader, "ucc-1.4", 4);
LOADER(ucc_1_5_loader, "ucc-1.5", 5);
