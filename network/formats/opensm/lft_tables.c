/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the routes of a topology from the text of forwarding tables: matches switches by GUID and LIDs by
 * owner, and reports mismatches.
 */
#include "network/formats/opensm/lft.h"
#include "base/codes.h"
#include "base/text/excerpt.h"
#include "network/formats/opensm/tables.h"
#include "network/unrouted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Entries with an error: their number, and the first of them. */
struct odd_entries {
    uint64_t n;
    struct position position;
    uint32_t router;   /* its switch */
    bool is_elsewhere; /* other switches have some, too */
    uint32_t lid, now; /* as written, and the one that it counts for */
    uint8_t port, before; /* its port, and that of the entry that it replaces */
};

struct filler {
    const struct subnet_index *index;
    struct forwarding *forwarding;
    struct diagnostics *diagnostics;
    uint32_t router;        /* whose table is read, or GRAPH_NONE */
    struct position *first; /* [router] heading of its table */
    bool *is_unknown;       /* [lid] no port has it */
    uint32_t n_unknown;
    struct position unknown;
    bool keep_lids;
    struct odd_entries moved; /* for another LID than written */
    struct odd_entries twice; /* entries that replace one with another port */
};

static void begin_table(void *context, struct lines *lines, uint64_t guid, const char *at)
{
    struct filler *filler = context;
    size_t length = (size_t)(lines->at - at);
    filler->router = subnet_find_router(filler->index, guid);
    if (filler->router == GRAPH_NONE) {
        lines_fail(lines, CODE_T010, at, length, "no switch of the topology has GUID 0x%016" PRIx64,
                   guid)
            ->help = "take topology and tables from the same subnet";
        return;
    }
    if (filler->forwarding->has_table[filler->router]) {
        const struct graph *graph = filler->index->graph;
        struct diagnostic *found =
            lines_fail(lines, CODE_T010, at, length, "a second table of switch '%s'",
                       graph_name(graph, graph->n_machines + filler->router));
        found->related = filler->first[filler->router];
        found->related_text = "the first is here";
        found->help = "give each table once";
        return;
    }
    filler->forwarding->has_table[filler->router] = true;
    filler->first[filler->router] = lines_position(lines, at, length);
}

static void note_unknown(struct filler *filler, const struct lines *lines, uint32_t lid)
{
    if (filler->is_unknown[lid])
        return;
    filler->is_unknown[lid] = true;
    if (!filler->n_unknown++)
        filler->unknown = lines_position(lines, lines->start, 6);
}

static uint32_t lft_tables_lid_of(const struct filler *filler, const struct lft_entry *entry)
{
    return filler->keep_lids ? entry->lid
                             : subnet_current_lid(filler->index, entry->lid, entry->port_guid);
}

/* Counts the entry of the line, and keeps the first. */
static void note_odd(struct odd_entries *odd, const struct odd_entries *here, const struct lines *lines)
{
    odd->is_elsewhere = odd->n && (odd->is_elsewhere || odd->router != here->router);
    if (odd->n++)
        return;
    *odd = *here;
    odd->n = 1;
    odd->position = lines_position(lines, lines->start, 6);
}

static void lft_tables_add_entry(void *context, struct lines *lines, const struct lft_entry *entry)
{
    struct filler *filler = context;
    if (filler->router == GRAPH_NONE)
        return;
    uint32_t lid = lft_tables_lid_of(filler, entry);
    struct odd_entries here = {
        .router = filler->router, .lid = entry->lid, .now = lid, .port = entry->port};
    if (lid != entry->lid)
        note_odd(&filler->moved, &here, lines);
    if (filler->index->owner[lid] == GRAPH_NONE || lid >= filler->forwarding->n_lids) {
        note_unknown(filler, lines, lid);
        return;
    }
    here.before = forwarding_port(filler->forwarding, filler->router, lid);
    if (here.before != FORWARDING_NONE && here.before != entry->port)
        note_odd(&filler->twice, &here, lines);
    forwarding_set(filler->forwarding, filler->router, lid, entry->port);
}

/* ---- what is wrong with the tables as a whole ---- */

static void lft_tables_report_unknown(const struct filler *filler)
{
    if (filler->n_unknown)
        report(filler->diagnostics, CODE_T013, filler->unknown,
               "the tables have entries for %u LID%s that no port of the topology has, this is "
               "the first",
               filler->n_unknown, plural(filler->n_unknown))
            ->help = "harmless if the ports are gone or were left out; else take topology and "
                     "tables at the same time";
}

/* Appends "LID 63 of 'node007'". */
static void print_lid(const struct filler *filler, uint32_t lid, struct text *out)
{
    const uint32_t machine = subnet_find_machine(filler->index, lid);
    text_printf(out, "LID %u", lid);
    if (machine != GRAPH_NONE)
        text_printf(out, " of '%s'", graph_name(filler->index->graph, machine));
}

/* Appends "port 3 to 'leaf1'". */
static void lft_tables_print_port(const struct filler *filler, uint32_t router, uint8_t port,
                                  struct text *out)
{
    const struct forwarding *forwarding = filler->forwarding;
    const uint32_t node = port < forwarding->stride
                              ? forwarding->exits[(size_t)router * forwarding->stride + port].node
                              : GRAPH_NONE;
    text_printf(out, "port %u", port);
    if (node == GRAPH_NONE)
        text_printf(out, ", which has no cable");
    else
        text_printf(out, " to '%s'", graph_name(filler->index->graph, node));
}

/* Reports odd entries: `words` behind their number and their switches, `first` of the first of them. */
static void lft_tables_report_odd(const struct filler *filler, const struct odd_entries *odd,
                                  const char *words, const struct text *first, const char *help)
{
    const struct graph *graph = filler->index->graph;
    report(filler->diagnostics, CODE_T015, odd->position, "%" PRIu64 " entr%s of switch '%s'%s %s; %s%s", odd->n,
           odd->n == 1 ? "y" : "ies", graph_name(graph, graph->n_machines + odd->router),
           odd->is_elsewhere ? " and others" : "", words, odd->n == 1 ? "it" : "the first", first->data)
        ->help = help;
}

static void report_disagreement(const struct filler *filler)
{
    const struct odd_entries *moved = &filler->moved, *twice = &filler->twice;
    struct text first = {0};
    if (moved->n) {
        text_printf(&first, " says LID %u and counts for ", moved->lid);
        print_lid(filler, moved->now, &first);
        lft_tables_report_odd(filler, moved,
                              moved->n == 1 ? "is for a port that has another LID in the topology"
                                            : "are for ports that have another LID in the topology",
                              &first, "--lids table takes the LIDs as written");
    }
    text_free(&first);
    if (twice->n) {
        text_printf(&first, " sends ");
        print_lid(filler, twice->now, &first);
        text_printf(&first, " by ");
        lft_tables_print_port(filler, twice->router, twice->port, &first);
        text_printf(&first, ", not by ");
        lft_tables_print_port(filler, twice->router, twice->before, &first);
        lft_tables_report_odd(filler, twice,
                              twice->n == 1 ? "replaces one of the same LID with another port"
                                            : "replace one of the same LID with another port",
                              &first, "the table is damaged: take it again");
    }
    text_free(&first);
}

static void lft_tables_report_holes(const struct topology *topology, const char *name,
                                    struct diagnostics *diagnostics)
{
    const struct forwarding *forwarding = topology_as_graph(topology)->forwarding;
    static const char *const reasons[N_FATES] = {
        [FATE_NO_LID] = "without LID",       [FATE_NO_TABLE] = "a table missing",
        [FATE_NO_ENTRY] = "no entry",        [FATE_NO_CABLE] = "a port without cable",
        [FATE_ASTRAY] = "a wrong machine",   [FATE_LOOPS] = "a loop"};
    struct text list = {0}, who = {0};
    uint64_t n_pairs = 0, n_lost = 0;
    for (int fate = 0; fate < N_FATES; fate++) {
        n_pairs += forwarding->pairs[fate];
        if (fate == FATE_ARRIVES || !forwarding->pairs[fate])
            continue;
        n_lost += forwarding->pairs[fate];
        text_printf(&list, "%s%" PRIu64 " %s", list.length ? ", " : "", forwarding->pairs[fate],
                    reasons[fate]);
    }
    if (n_lost) {
        unrouted_say(topology, NULL, 0, ": ", &who);
        report(diagnostics, CODE_T011, (struct position){0},
               "'%s': %" PRIu64 " of %" PRIu64 " pairs of hosts have no route (%s)%s", name, n_lost, n_pairs,
               list.data, who.data ? who.data : "")
            ->help = "collc route --unrouted lists them all; a schedule with a message between two such hosts is "
                     "not complete (L002)";
    }
    text_free(&list);
    text_free(&who);
}

/* Reads the sources again for the line of one entry. */
struct finder {
    const struct filler *filler;
    uint32_t router, wanted_router, wanted_lid;
    struct position found;
};

static void lft_tables_find_table(void *context, struct lines *lines, uint64_t guid, const char *at)
{
    struct finder *finder = context;
    (void)lines, (void)at;
    finder->router = subnet_find_router(finder->filler->index, guid);
}

static void lft_tables_find_entry(void *context, struct lines *lines, const struct lft_entry *entry)
{
    struct finder *finder = context;
    if (finder->router == finder->wanted_router &&
        lft_tables_lid_of(finder->filler, entry) == finder->wanted_lid)
        finder->found = lines_position(lines, lines->start, (size_t)(lines->at - lines->start));
}

static void report_loop(const struct filler *filler, const struct lft_request *request)
{
    const struct forwarding *forwarding = filler->forwarding;
    const struct graph *graph = filler->index->graph;
    if (!forwarding->pairs[FATE_LOOPS])
        return;
    struct finder finder = {filler, GRAPH_NONE, forwarding->loop_router,
                            forwarding->loop_lid, {0}};
    struct lft_listener listener = {&finder, lft_tables_find_table, lft_tables_find_entry};
    for (size_t i = 0; i < request->n_texts; i++)
        lft_read(&request->texts[i], &listener, filler->diagnostics);
    uint32_t machine = subnet_find_machine(filler->index, forwarding->loop_lid);
    report(filler->diagnostics, CODE_T012, finder.found,
           "messages for '%s' (LID %u) come back to switch '%s'; %" PRIu64
           " pairs of machines meet such a loop",
           machine == GRAPH_NONE ? "?" : graph_name(graph, machine), forwarding->loop_lid,
           graph_name(graph, graph->n_machines + forwarding->loop_router),
           forwarding->pairs[FATE_LOOPS])
        ->help = "the tables were taken while they changed, or the routing is wrong";
}

/* ---- all of it ---- */

static const struct source *read_table_file(const char *path, struct diagnostics *diagnostics)
{
    const struct source *source =
        source_read(path, TABLE_FILE_LIMIT, &diagnostics->arena, diagnostics);
    if (!source || !source_check_utf8(source, diagnostics))
        return NULL;
    return excerpt_clean(source, &diagnostics->arena);
}

static bool lft_tables_has_names(const struct topology *topology, const char *path,
                                 struct diagnostics *diagnostics)
{
    const struct graph *graph = topology_as_graph(topology);
    if (graph && graph->subnet && topology->n_routers <= SUBNET_LIDS)
        return true;
    report(diagnostics, CODE_T010, (struct position){0},
           graph && graph->subnet ? "'%s': topology '%s' has more switches than there are LIDs"
                                  : "'%s': topology '%s' has no LIDs and port numbers",
           path, topology->name)
        ->help = "give the output of ibnetdiscover as topology";
    return false;
}

static bool lft_tables_fill(struct filler *filler, const struct lft_request *request)
{
    struct lft_listener listener = {filler, begin_table, lft_tables_add_entry};
    bool good = true;
    for (size_t i = 0; i < request->n_texts; i++) {
        filler->router = GRAPH_NONE;
        good = lft_read(&request->texts[i], &listener, filler->diagnostics) && good;
    }
    return good;
}

static bool add_tables(struct topology *topology, const struct subnet_index *index,
                       const struct lft_request *request, struct diagnostics *diagnostics)
{
    struct filler filler = {.index = index,
                            .keep_lids = request->keep_lids,
                            .forwarding = forwarding_new(topology_as_graph(topology)),
                            .diagnostics = diagnostics,
                            .first = mem_alloc(topology->n_routers, sizeof *filler.first),
                            .is_unknown = mem_alloc(SUBNET_LIDS, sizeof *filler.is_unknown)};
    bool good = lft_tables_fill(&filler, request);
    if (good) {
        topology_set_forwarding(topology, filler.forwarding);
        lft_tables_report_unknown(&filler);
        report_disagreement(&filler);
        lft_tables_report_holes(topology, request->name, diagnostics);
        report_loop(&filler, request);
    } else {
        forwarding_free(filler.forwarding);
    }
    free(filler.first);
    free(filler.is_unknown);
    return good;
}

bool lft_apply(struct topology *topology, const struct lft_request *request,
               struct diagnostics *diagnostics)
{
    struct subnet_index index;
    struct position nowhere = {0};
    if (!lft_tables_has_names(topology, request->name, diagnostics))
        return false;
    bool good = subnet_index_make(&index, topology_as_graph(topology), nowhere, diagnostics) &&
                add_tables(topology, &index, request, diagnostics);
    subnet_index_free(&index);
    return good;
}

/* Opens the files as texts; reads standard input, which cannot be read twice, at once. */
static bool open_texts(const struct file_list *files, struct lft_text *texts,
                       struct diagnostics *diagnostics)
{
    bool good = true;
    for (size_t i = 0; i < files->n; i++) {
        bool is_stdin = strcmp(files->paths[i], "-") == 0;
        texts[i].path = files->paths[i];
        texts[i].source = is_stdin ? read_table_file(files->paths[i], diagnostics) : NULL;
        good = good && (texts[i].source || !is_stdin);
    }
    return good;
}

bool topology_read_routes(struct topology *topology, const struct route_files *request,
                          struct diagnostics *diagnostics)
{
    struct file_list files = {0};
    bool good = lft_tables_has_names(topology, request->names[0], diagnostics);
    for (size_t i = 0; i < request->n_names && good; i++)
        good = file_list_add(&files, request->names[i], diagnostics);
    struct lft_text *texts = mem_alloc(files.n, sizeof *texts);
    struct lft_request tables = {texts, files.n, request->names[0], request->keep_lids};
    good = good && open_texts(&files, texts, diagnostics) &&
           lft_apply(topology, &tables, diagnostics);
    free(texts);
    file_list_free(&files);
    return good;
}

/* ---- lanes ---- */

static bool no_forwarding(const char *name, struct diagnostics *diagnostics)
{
    report(diagnostics, CODE_T010, (struct position){0}, "'%s': lanes belong to forwarding tables",
           name)
        ->help = "give the tables with --routes";
    return false;
}

bool lanes_apply_sources(struct topology *topology, const struct source *levels,
                         const struct source *maps, struct diagnostics *diagnostics)
{
    struct subnet_index index;
    struct position nowhere = {0};
    const struct graph *graph = topology_as_graph(topology);
    struct forwarding *forwarding = graph ? graph->forwarding : NULL;
    if (!forwarding)
        return no_forwarding(levels ? levels->path : maps->path, diagnostics);
    bool good = subnet_index_make(&index, graph, nowhere, diagnostics);
    if (good && !forwarding->lanes)
        forwarding->lanes = lanes_new(graph);
    good = good && (!levels || psl_read(levels, &index, forwarding, diagnostics)) &&
           (!maps || sl2vl_read(maps, &index, forwarding, diagnostics));
    subnet_index_free(&index);
    return good;
}

bool topology_read_lanes(struct topology *topology, const char *levels, const char *maps,
                         struct diagnostics *diagnostics)
{
    const struct source *sources[2] = {NULL, NULL};
    while (topology->base)
        topology = topology->base;
    if (!tables_are_used(topology))
        return no_forwarding(levels ? levels : maps, diagnostics);
    if (levels && !(sources[0] = read_table_file(levels, diagnostics)))
        return false;
    if (maps && !(sources[1] = read_table_file(maps, diagnostics)))
        return false;
    return lanes_apply_sources(topology, sources[0], sources[1], diagnostics);
}
