/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives ranks their adapters: by a rule, or by a file of names or numbers. See placement_make.h.
 */
#include "network/placement/placement_files.h"

#include "base/codes.h"
#include "base/text/units.h"
#include "network/adapters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADAPTER_FILE_LIMIT = 1 << 28 };

struct adapter_choice {
    const struct topology *topology;
    struct placement *placement;
    struct diagnostics *diagnostics;
    struct slice *words; /* of a file: one for each slot, or for each rank */
    uint32_t n_words;
    const struct source *source;
    const struct near_adapters *near;
};

/* Reports about a word of the file; NULL: about the option. Names the host of `machine`. */
static struct diagnostic *adapters_complain(const struct adapter_choice *choice, const struct slice *word,
                                            uint32_t rank, const char *problem)
{
    char host[256];
    struct position position = {.source = NULL};
    if (word)
        position = source_position(choice->source, (size_t)(word->text - choice->source->text), word->length);
    topology_node_name(choice->topology, choice->placement->machine[rank], host, sizeof host);
    return report(choice->diagnostics, CODE_A005, position, "host '%s' of rank %u %s", host, rank, problem);
}

/* ---- rules ---- */

/* Gives the rank in a slot one of the ports that its host was built with. */
static bool adapters_by_rule(struct adapter_choice *choice, bool is_block)
{
    const struct placement *placement = choice->placement;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        const uint32_t slots = placement_slots(placement, placement->server[rank]);
        const uint32_t slot = placement->slot[rank];
        const uint32_t n = host_ports_count(choice->topology, placement->machine[rank]);
        if (n)
            placement->adapters->rail[rank] = (uint8_t)(is_block ? (uint64_t)slot * n / slots : slot % n);
    }
    return true;
}

/* ---- stripes ---- */

static uint32_t mask_of_ports(const struct topology *topology, uint32_t machine)
{
    uint8_t ports[WAYS_MAX_PORTS];
    const uint32_t n = host_ports_list(topology, machine, ports);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < n; i++)
        mask |= UINT32_C(1) << ports[i];
    return mask;
}

/* Cuts messages into a stripe for each rail that a host has. */
static bool adapters_by_stripes(struct adapter_choice *choice)
{
    const struct placement *placement = choice->placement;
    struct rank_adapters *adapters = placement->adapters;
    uint32_t rails = 0;
    for (uint32_t server = 0; server < placement->n_servers; server++)
        rails |= mask_of_ports(choice->topology, placement->server_machine[server]);
    adapters->n_stripes = 0;
    for (uint32_t rail = 0; rail < WAYS_MAX_PORTS; rail++)
        if (rails >> rail & 1)
            adapters->stripe_rail[adapters->n_stripes++] = (uint8_t)rail;
    memset(adapters->rail, adapters->stripe_rail[0], placement->n_ranks);
    return true;
}

/* ---- the nearest ---- */

/* Returns the unit at which a rank runs; UINT32_MAX after reporting that there are too few. */
static uint32_t adapters_unit_of(const struct adapter_choice *choice, uint32_t rank)
{
    const struct near_adapters *near = choice->near;
    const struct placement *placement = choice->placement;
    const uint32_t slot = placement->slot[rank], slots = placement_slots(placement, placement->server[rank]);
    if (slots <= near->n_units)
        return near->are_gpus ? slot : (uint32_t)((uint64_t)slot * near->n_units / slots);
    char problem[160];
    snprintf(problem, sizeof problem, "has %u ranks, but %u %s by the file", slots, near->n_units,
             near->are_gpus ? "GPUs" : "cores");
    adapters_complain(choice, NULL, rank, problem)->help =
        "a rank uses a GPU, or, where the file has none, a core: place fewer ranks on a host";
    return UINT32_MAX;
}

/* Returns the mask of the ports of a machine at the adapters that are nearest to a unit; 0: none is on this
 * network. `ports` are those of all adapters. */
static uint32_t adapters_nearest(const struct near_adapters *near, uint32_t unit, const uint32_t *ports)
{
    const uint32_t *distance = &near->distance[(size_t)unit * near->n_adapters];
    uint32_t least = UINT32_MAX, mask = 0;
    for (uint32_t i = 0; i < near->n_adapters; i++) {
        if (ports[i] == NO_NEXT_LINK || distance[i] > least || distance[i] == UINT32_MAX)
            continue;
        mask = (distance[i] < least ? 0 : mask) | UINT32_C(1) << ports[i];
        least = distance[i];
    }
    return mask;
}

/* Returns number n, or n modulo how many there are, of the ports in a mask. */
static uint8_t adapters_port_in(uint32_t mask, uint32_t n)
{
    for (n %= (uint32_t)__builtin_popcount(mask); n; n--)
        mask &= mask - 1;
    return (uint8_t)__builtin_ctz(mask);
}

/* Reports that no adapter of the file is one of the host of a rank. */
static bool complain_of_nearest(const struct adapter_choice *choice, uint32_t rank)
{
    const struct near_adapters *near = choice->near;
    struct text problem = {0};
    text_printf(&problem, "has none of the adapters that '%s' tells: ", near->path);
    for (uint32_t i = 0; i < near->n_adapters && i < 4; i++) {
        text_printf(&problem, "%s'", i ? ", " : "");
        text_append_safe(&problem, near->names[i]);
        text_printf(&problem, "'");
    }
    text_printf(&problem, "%s", near->n_adapters > 4 ? " ..." : "");
    adapters_complain(choice, NULL, rank, problem.data)->help =
        "'collc topo' lists the adapters of the network by their names; take the XML of such a host, with names of "
        "adapters in it, or name adapters in a file";
    text_free(&problem);
    return false;
}

/* Returns the port at the adapter of that name; NO_NEXT_LINK: there is none, or its cable has failed. */
static uint32_t adapters_port_in_use(const struct topology *topology, uint32_t machine, const char *name)
{
    const uint32_t port = host_ports_find(topology, machine, name, strlen(name));
    const bool is_there =
        port != NO_NEXT_LINK && host_ports_link(topology, machine, port, false) != NO_NEXT_LINK;
    return is_there ? port : NO_NEXT_LINK;
}

static bool adapters_by_nearness(struct adapter_choice *choice)
{
    const struct placement *placement = choice->placement;
    const struct near_adapters *near = choice->near;
    uint32_t *ports = mem_alloc((size_t)near->n_adapters + 1, sizeof *ports);
    uint32_t *masks = mem_alloc(placement->max_slots, sizeof *masks); /* of the ranks of a host */
    bool is_right = true;
    for (uint32_t server = 0; server < placement->n_servers && is_right; server++) {
        const uint32_t *ranks = &placement->ranks[placement->first[server]];
        for (uint32_t i = 0; i < near->n_adapters; i++)
            ports[i] =
                adapters_port_in_use(choice->topology, placement->server_machine[server], near->names[i]);
        for (uint32_t slot = 0; slot < placement_slots(placement, server) && is_right; slot++) {
            const uint32_t unit = adapters_unit_of(choice, ranks[slot]);
            uint32_t n_same = 0;
            is_right = unit != UINT32_MAX;
            masks[slot] = is_right ? adapters_nearest(near, unit, ports) : 0;
            is_right = is_right && (masks[slot] || complain_of_nearest(choice, ranks[slot]));
            for (uint32_t other = 0; other < slot; other++)
                n_same += masks[other] == masks[slot];
            if (is_right)
                placement->adapters->rail[ranks[slot]] = adapters_port_in(masks[slot], n_same);
        }
    }
    free(ports);
    free(masks);
    return is_right;
}

/* ---- files ---- */

static bool is_between_words(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

/* Splits the file into words; '#' starts a comment. */
static void read_adapter_words(struct adapter_choice *choice)
{
    const char *at = choice->source->text, *end = at + choice->source->length;
    size_t capacity = 0;
    while (at < end) {
        const char *start = at;
        if (*at == '#') {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline : end;
            continue;
        }
        while (at < end && !is_between_words(*at) && *at != '#')
            at++;
        if (at > start) {
            choice->words =
                mem_grow(choice->words, &capacity, (size_t)choice->n_words + 1, sizeof *choice->words);
            choice->words[choice->n_words++] = (struct slice){start, (size_t)(at - start)};
        }
        at += at < end && *at != '#';
    }
}

/* Finds the port of the host of a rank that a word names, or numbers; false after reporting. */
static bool take_adapter_word(struct adapter_choice *choice, const struct slice *word, uint32_t rank)
{
    const struct placement *placement = choice->placement;
    const uint32_t machine = placement->machine[rank];
    uint32_t number = host_ports_find(choice->topology, machine, word->text, word->length);
    if (number == NO_NEXT_LINK && parse_count(*word, &number) != VALUE_OK)
        number = NO_NEXT_LINK;
    const bool is_there = number < host_ports_count(choice->topology, machine);
    if (!is_there)
        adapters_complain(choice, word, rank, "has no such adapter")->help = diagnostics_text(
            choice->diagnostics, "words are names, or numbers of rails from 0; %s",
            topology_tell_adapters(choice->topology->whole, *word, &choice->diagnostics->arena));
    else
        placement->adapters->rail[rank] = (uint8_t)number;
    return is_there;
}

static bool adapters_by_words(struct adapter_choice *choice)
{
    const struct placement *placement = choice->placement;
    const bool is_by_slot = choice->n_words == placement->max_slots;
    bool is_right = true;
    if (!is_by_slot && choice->n_words != placement->n_ranks) {
        report(choice->diagnostics, CODE_A005,
               (struct position){.source = choice->source, .line = 1, .column = 1, .length = 1},
               "%u adapters, but there are %u ranks, at most %u of them on a host", choice->n_words,
               placement->n_ranks, placement->max_slots)
            ->help = "give one for each slot of a host, or one for each rank";
        return false;
    }
    for (uint32_t rank = 0; is_right && rank < placement->n_ranks; rank++)
        is_right = take_adapter_word(choice, &choice->words[is_by_slot ? placement->slot[rank] : rank], rank);
    return is_right;
}

bool placement_read_adapters(struct placement *placement, const struct topology *topology,
                             const struct source *source, struct diagnostics *diagnostics)
{
    struct adapter_choice choice = {
        .topology = topology, .placement = placement, .diagnostics = diagnostics, .source = source};
    if (!source_check_utf8(source, diagnostics))
        return false;
    read_adapter_words(&choice);
    const bool is_right = adapters_by_words(&choice);
    free(choice.words);
    return is_right;
}

static bool adapters_by_file(struct adapter_choice *choice, const char *path)
{
    struct diagnostics *diagnostics = choice->diagnostics;
    const struct source *source = source_read(path, ADAPTER_FILE_LIMIT, &diagnostics->arena, diagnostics);
    if (!source)
        diagnostics->last->help = "adapters of ranks are slot, block, stripe, near:FILE or a file (docs/rails.md)";
    return source && placement_read_adapters(choice->placement, choice->topology, source, diagnostics);
}

/* ---- rails that a host lacks ---- */

/* Returns the first rail of those in a mask from `rail` on, behind the last the first. */
static uint8_t next_rail(uint32_t mask, uint32_t rail)
{
    const uint32_t behind = mask >> rail << rail;
    return (uint8_t)__builtin_ctz(behind ? behind : mask);
}

static uint32_t rails_of_ranks(const struct placement *placement, uint32_t server)
{
    uint32_t rails = 0;
    for (uint32_t i = placement->first[server]; i < placement->first[server + 1]; i++)
        rails |= UINT32_C(1) << placement->adapters->rail[placement->ranks[i]];
    return rails;
}

/* Returns the rails that each host needs; 0: those of its own ranks, as messages change rails in the
 * fabric. */
static uint32_t rails_needed(const struct placement *placement)
{
    const struct rank_adapters *adapters = placement->adapters;
    uint32_t needed = 0;
    for (uint32_t stripe = 0; adapters->n_stripes > 1 && stripe < adapters->n_stripes; stripe++)
        needed |= UINT32_C(1) << adapters->stripe_rail[stripe];
    for (uint32_t server = 0; !adapters->crosses_fabric && server < placement->n_servers; server++)
        needed |= rails_of_ranks(placement, server);
    return needed;
}

/* Says which host takes another rail in the place of one, and how many do. */
static void say_next_rail(const struct adapter_choice *choice, uint32_t server, uint32_t rail, uint32_t n)
{
    const struct placement *placement = choice->placement;
    char host[256];
    topology_node_name(choice->topology, placement->server_machine[server], host, sizeof host);
    report(choice->diagnostics, CODE_A006, (struct position){.source = NULL},
           "host '%s' has no cable on rail %u: what would take it takes rail %u%s", host, rail,
           placement_rail_of(placement, server, rail), n > 1 ? "; so do others" : "")
        ->help = "adapters that no host is to use are left out by --adapters";
}

/* Lets each host take the next rail that it has in the place of one that it lacks. False after reporting one
 * that has none. */
static bool take_next_rails(struct adapter_choice *choice)
{
    struct placement *placement = choice->placement;
    struct rank_adapters *adapters = placement->adapters;
    const uint32_t n_ports = adapters->n_ports, all = rails_needed(placement);
    uint8_t *instead = arena_alloc(&placement->arena, (size_t)placement->n_servers * n_ports, 1);
    uint32_t n_lacking = 0, first = 0, lacked = 0;
    for (uint32_t server = 0; server < placement->n_servers; server++) {
        const uint32_t rails = mask_of_ports(choice->topology, placement->server_machine[server]);
        const uint32_t lacking = ~rails & (all ? all : rails_of_ranks(placement, server));
        if (!rails)
            return !adapters_complain(choice, NULL, placement->ranks[placement->first[server]],
                                      "has no adapter");
        for (uint32_t rail = 0; rail < n_ports; rail++)
            instead[(size_t)server * n_ports + rail] = next_rail(rails, rail);
        if (lacking && !n_lacking++) {
            first = server;
            lacked = (uint32_t)__builtin_ctz(lacking);
        }
    }
    if (!n_lacking)
        return true;
    adapters->instead = instead;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        adapters->rail[rank] =
            (uint8_t)placement_rail_of(placement, placement->server[rank], adapters->rail[rank]);
    say_next_rail(choice, first, lacked, n_lacking);
    return true;
}

/* ---- all of it ---- */

static bool choose_adapters(struct adapter_choice *choice, const char *name)
{
    const bool is_block = strcmp(name, "block") == 0;
    if (strcmp(name, "stripe") == 0)
        return adapters_by_stripes(choice);
    if (choice->near)
        return adapters_by_nearness(choice);
    return is_block || strcmp(name, "slot") == 0 ? adapters_by_rule(choice, is_block)
                                                 : adapters_by_file(choice, name);
}

static bool has_usable_ports(const struct topology *topology, struct diagnostics *diagnostics)
{
    if (topology && topology_has_ways(topology))
        return true;
    const char *name = topology ? topology->name : "no network";
    const uint32_t n_ports = topology_n_host_ports(topology);
    if (n_ports > WAYS_MAX_PORTS)
        report(diagnostics, CODE_A005, (struct position){.source = NULL},
               "a host of '%s' has %u cables, more than %d from which ranks can choose", name, n_ports,
               WAYS_MAX_PORTS)
            ->help = "keep the adapters that the program uses: --adapters";
    else if (n_ports > 1)
        report(
            diagnostics, CODE_A005, (struct position){.source = NULL},
            "the cables of hosts of '%s' are in several networks, of which a message takes one by its pair",
            name)
            ->help = "give the fabric with the adapters as a network of its own";
    else
        report(diagnostics, CODE_A005, (struct position){.source = NULL},
               "no host of '%s' has several cables, so ranks cannot choose one", name)
            ->help = "leave --rank-adapters out, or give the network with every cable: as a file, or as rail:64x8";
    return false;
}

void placement_use_ways(struct placement *placement, const struct topology *topology, const uint8_t *ways,
                        uint32_t n_ways)
{
    struct rank_adapters *adapters = arena_alloc(&placement->arena, 1, sizeof *adapters);
    uint8_t *copy = arena_alloc(&placement->arena, n_ways, 1);
    memcpy(copy, ways, n_ways);
    *adapters = (struct rank_adapters){.n_ports = topology_n_host_ports(topology),
                                       .n_stripes = 1,
                                       .crosses_fabric = true,
                                       .name = "as the schedule says",
                                       .rail = arena_alloc(&placement->arena, placement->n_ranks, 1),
                                       .ways = copy,
                                       .n_ways = n_ways};
    placement->adapters = adapters;
}

bool placement_use_adapters(struct placement *placement, const struct topology *topology,
                            const struct placement_request *request, struct diagnostics *diagnostics)
{
    struct adapter_choice choice = {.topology = topology,
                                    .placement = placement,
                                    .diagnostics = diagnostics,
                                    .near = request->near};
    const char *name = request->adapters;
    if (!name)
        return true;
    if (!has_usable_ports(topology, diagnostics))
        return false;
    struct rank_adapters *adapters = arena_alloc(&placement->arena, 1, sizeof *adapters);
    *adapters = (struct rank_adapters){.n_ports = topology_n_host_ports(topology),
                                       .n_stripes = 1,
                                       .crosses_fabric = request->between_rails &&
                                                         strcmp(request->between_rails, "fabric") == 0,
                                       .name = arena_strndup(&placement->arena, name, strlen(name)),
                                       .rail = arena_alloc(&placement->arena, placement->n_ranks, 1)};
    placement->adapters = adapters;
    return choose_adapters(&choice, name) && take_next_rails(&choice);
}
