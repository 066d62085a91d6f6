/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map of ranks in emitted C (docs/mapping.md): the steps count in the numbers of the
 * algorithm, `run->number` and `run->lead` for the rank and the root, and what they name
 * becomes a rank where a message or chunk is looked up, collc_rank_of. The table is for one
 * number of ranks; with any other every number is its rank.
 */
#include "emitters/mpi_c.h"

#include <inttypes.h>

static void print_table(const struct c_unit *unit, struct text *out)
{
    enum { PER_LINE = 12 };
    const struct rank_map *map = unit->map;
    text_printf(out, "/* The rank that runs each rank of the algorithm, where there are %" PRIu32
                     ". */\nstatic const int collc_map[%" PRIu32 "] = {", map->n, map->n);
    for (uint32_t v = 0; v < map->n; v++)
        text_printf(out, "%s%" PRIu32 "%s", v % PER_LINE ? " " : "\n    ", map->rank[v],
                    v + 1 < map->n ? "," : "");
    text_printf(out, "\n};\n\n");
}

/* Another root than that of the map: the two change places. */
static void print_rank_of(const struct c_unit *unit, struct text *out)
{
    const bool is_rooted = unit->features & C_ROOT;
    const uint32_t lead = unit->map->lead;
    text_printf(out, "/* The rank that runs `number` of the algorithm.%s */\n",
                is_rooted ? " The root of the call changes\n * places with the one that the map "
                            "was made for." : "");
    text_printf(out, "static int64_t collc_rank_of(const struct collc_run *run, int64_t number)\n{\n"
                     "    if (!run->is_mapped)\n        return number;\n");
    if (is_rooted)
        text_printf(out,
                    "    if (number == %" PRIu32 ")\n        return run->root;\n"
                    "    if (number == run->stand_in)\n        return %" PRIu32 ";\n",
                    lead, unit->map->rank[lead]);
    text_printf(out, "    return collc_map[number];\n}\n\n");
}

static void print_renumber(const struct c_unit *unit, struct text *out)
{
    const bool is_rooted = unit->features & C_ROOT;
    text_printf(out,
                "/* Finds the numbers of this rank%s in the algorithm. */\n"
                "static void collc_renumber(struct collc_run *run)\n{\n"
                "    run->is_mapped = run->p == %" PRIu32 ";\n"
                "    run->number = run->rank;\n",
                is_rooted ? " and of the root" : "", unit->map->n);
    if (is_rooted)
        text_printf(out,
                    "    run->lead = run->is_mapped ? %" PRIu32 " : run->root;\n"
                    "    for (int i = 0; run->is_mapped && i < run->p; i++)\n"
                    "        if (collc_map[i] == run->root)\n"
                    "            run->stand_in = i;\n", unit->map->lead);
    text_printf(out, "    for (int i = 0; run->is_mapped && i < run->p; i++)\n"
                     "        if (collc_rank_of(run, i) == run->rank)\n"
                     "            run->number = i;\n}\n\n");
}

/* Chunks that are named by ranks. */
static void print_place(const struct c_unit *unit, struct text *out)
{
    static const char *const name[] = {"in", "out", "buf"};
    const char *separator = "";
    text_printf(out, "/* Where a chunk lies: that of a number, at its rank. */\n"
                     "static int64_t collc_place_of(const struct collc_run *run, int which, "
                     "int64_t chunk)\n{\n    return ");
    for (int buffer = 0; buffer < BUFFER_TMP; buffer++) {
        if (!collective_is_by_rank(unit->collective, (enum buffer)buffer))
            continue;
        text_printf(out, "%swhich == %s", separator, name[buffer]);
        separator = " || ";
    }
    if (unit->features & C_SEGMENTS)
        text_printf(out, " ?\n               collc_rank_of(run, chunk / run->segments) * run->segments +\n"
                         "                   chunk %% run->segments : chunk;\n}\n\n");
    else
        text_printf(out, " ? collc_rank_of(run, chunk) : chunk;\n}\n\n");
}

bool c_is_by_rank(enum collective collective)
{
    bool found = false;
    for (int buffer = 0; buffer < BUFFER_TMP; buffer++)
        found = found || collective_is_by_rank(collective, (enum buffer)buffer);
    return found;
}

void c_map(const struct c_unit *unit, struct text *out)
{
    print_table(unit, out);
    print_rank_of(unit, out);
    print_renumber(unit, out);
    if (unit->features & C_PLACE)
        print_place(unit, out);
}
