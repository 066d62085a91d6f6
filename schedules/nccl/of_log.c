/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The channels of a communicator by what its ranks say in a log. A ring is in a
 * line of rank 0, which NCCL cuts at some 115 or 127 letters: of more ranks the
 * rest follows from their connections. Trees are told by each rank.
 */
#include "schedules/nccl/channels.h"
#include "schedules/nccl/comms.h"

#include "base/codes.h"
#include "base/integer.h"

#include <stdlib.h>

struct log_channels {
    struct nccl_channels *channels;
    struct nccl_log log;
    struct nccl_comms comms;
    uint32_t comm;
    uint32_t *of_rank;         /* [rank] a member, or NCCL_NONE */
    uint8_t *phase;            /* [saying] NCCL_RINGS_DONE: said while rings were connected;
                                  NCCL_TREES_DONE */
    uint32_t *trees;           /* [rank] what it says of trees: a saying, or NCCL_NONE */
    struct nccl_saying *wired; /* connections by an adapter, by channel, sender, receiver */
    uint32_t n_wired;
    uint32_t n_channels;
};

/* Returns the rank that said so in the communicator, NCCL_NONE: it was said in
 * another one. */
static uint32_t of_log_speaker(const struct log_channels *of, const struct nccl_saying *saying)
{
    return of->comms.of_member[saying->member] == of->comm ? of->comms.rank[saying->member] : NCCL_NONE;
}

/* ---- the communicator ---- */

/* Takes the communicator that is asked for, or the largest. False after
 * reporting. */
static bool of_log_choose(struct log_channels *of)
{
    struct nccl_channels *channels = of->channels;
    const struct nccl_request *request = channels->request;
    const struct nccl_comms *comms = &of->comms;
    of->comm = request->comm == NCCL_NONE ? 0 : request->comm;
    for (uint32_t i = 0; request->comm == NCCL_NONE && i < comms->n; i++)
        if (comms->items[i].n_ranks > comms->items[of->comm].n_ranks)
            of->comm = i;
    if (!comms->n)
        nccl_refuse(channels, 0,
                    "the log tells no channels: no line says which ranks a ring or "
                    "a tree has")
            ->help = "NCCL_DEBUG=INFO writes lines such as 'Channel 00/02 : 0 1 2 "
                     "3' and 'Trees [0] ...'; where "
                     "NCCL_DEBUG_SUBSYS is set, INIT and GRAPH have to be in it";
    else if (of->comm >= comms->n)
        nccl_refuse(channels, 0, "there is no communicator %u: the log has %u, from 0 on", of->comm,
                    comms->n);
    if (channels->failed)
        return false;
    channels->n_ranks = comms->items[of->comm].n_ranks;
    if (comms->n > 1 && request->comm == NCCL_NONE)
        report(request->diagnostics, CODE_S010,
               (struct position){request->source, comms->items[of->comm].line, 1, 1},
               "communicator %u, of %u ranks, is taken; left out: %u other%s", of->comm, channels->n_ranks,
               comms->n - 1, plural(comms->n - 1))
            ->help = "FILE:comm=N takes another one; they are numbered from 0 on "
                     "in the order of the log";
    if (comms->n_lost)
        report(request->diagnostics, CODE_S010, (struct position){.source = request->source},
               "left out: what %u thread%s of communicators that no line names", comms->n_lost,
               comms->n_lost == 1 ? " says" : "s say")
            ->help =
            "join the logs of all processes: the line 'Init COMPLETE' or 'ncclCommInitRank' names them";
    return true;
}

/* Finds the member that each rank is. False after reporting that two are. */
static bool of_log_find_ranks(struct log_channels *of)
{
    const struct nccl_comms *comms = &of->comms;
    struct nccl_channels *channels = of->channels;
    of->of_rank = mem_alloc(channels->n_ranks, sizeof *of->of_rank);
    memset(of->of_rank, 0xff, channels->n_ranks * sizeof *of->of_rank);
    for (uint32_t i = 0; i < of->log.n_members; i++) {
        if (comms->of_member[i] != of->comm || comms->rank[i] >= channels->n_ranks)
            continue;
        uint32_t *of_rank = &of->of_rank[comms->rank[i]];
        const struct nccl_member *member = &of->log.members[i];
        if (*of_rank != NCCL_NONE && !comms->items[of->comm].has_id &&
            slice_compare(of->log.members[*of_rank].process, member->process) != 0) {
            nccl_refuse(channels, member->line,
                        "rank %u of %u ranks is there twice, here and in line %u: "
                        "the log has several runs, or several "
                        "communicators of this size",
                        comms->rank[i], channels->n_ranks, of->log.members[*of_rank].line)
                ->help = "logs of NCCL before 2.18 do not say which ranks are in one "
                         "communicator: give the lines "
                         "of one, or set NCCL_DEBUG_FILE=log.%h.%p and join the "
                         "files of its processes";
            return false;
        }
        if (*of_rank == NCCL_NONE)
            *of_rank = i;
    }
    return true;
}

static void of_log_place(struct log_channels *of)
{
    struct nccl_channels *channels = of->channels;
    uint32_t n_missing = 0;
    for (uint32_t rank = 0; rank < channels->n_ranks; rank++)
        n_missing += of->of_rank[rank] == NCCL_NONE || !of->log.members[of->of_rank[rank]].host.length;
    if (n_missing) {
        report(channels->request->diagnostics, CODE_S010,
               (struct position){.source = channels->request->source},
               "the log has no line of %u of %u ranks, so it does not tell the hosts", n_missing,
               channels->n_ranks)
            ->help = "ranks are placed as any: --ranks-per-machine and --placement "
                     "say where they are";
        return;
    }
    channels->hosts = arena_alloc(&channels->arena, channels->n_ranks, sizeof *channels->hosts);
    for (uint32_t rank = 0; rank < channels->n_ranks; rank++) {
        const struct nccl_member *member = &of->log.members[of->of_rank[rank]];
        channels->hosts[rank] = (struct schedule_host){
            arena_strndup(&channels->arena, member->host.text, member->host.length), member->line, 1};
    }
}

/* ---- which connections are of rings ---- */

/* A rank connects its rings first, then its trees, and says so after each. */
static void of_log_find_phases(struct log_channels *of)
{
    const struct nccl_log *log = &of->log;
    uint8_t *next = mem_alloc((size_t)log->n_members + 1, 1);
    of->phase = mem_alloc((size_t)log->n_sayings + 1, 1);
    for (uint32_t i = log->n_sayings; i-- > 0;) {
        const struct nccl_saying *saying = &log->sayings[i];
        if (saying->topic == NCCL_RINGS_DONE || saying->topic == NCCL_TREES_DONE)
            next[saying->member] = saying->topic;
        of->phase[i] = next[saying->member];
    }
    free(next);
}

/* Sets the ranks behind others in the ring of a channel, as connections say,
 * where that is not said yet. */
static void of_log_follow(const struct log_channels *of, uint32_t channel, uint32_t *next)
{
    for (uint32_t i = 0; i < of->log.n_sayings; i++) {
        const struct nccl_saying *saying = &of->log.sayings[i];
        const uint32_t speaker = of_log_speaker(of, saying), n_ranks = of->channels->n_ranks;
        if (speaker == NCCL_NONE || saying->channel != channel || saying->from >= n_ranks ||
            saying->to >= n_ranks)
            continue;
        const bool is_of_ring =
            saying->topic == NCCL_LINK ||
            (saying->topic == NCCL_SEND && speaker == saying->from && of->phase[i] != NCCL_TREES_DONE) ||
            (saying->topic == NCCL_RECEIVE && speaker == saying->to && of->phase[i] == NCCL_RINGS_DONE);
        if (is_of_ring && (next[saying->from] == NCCL_NONE || saying->topic == NCCL_LINK))
            next[saying->from] = saying->to;
    }
}

/* ---- rings ---- */

uint32_t nccl_read_ring(struct slice text, uint32_t *ranks, uint32_t n)
{
    uint32_t n_read = 0, rank;
    while (parse_count(slice_take_word(&text), &rank) == VALUE_OK && rank < SCHEDULE_MAX_RANKS &&
           n_read < NCCL_NONE - 1) {
        if (n_read < n)
            ranks[n_read] = rank;
        n_read++;
    }
    return n_read;
}

/* Checks that a ring has each rank once. False after reporting. */
static bool of_log_check_ring(struct log_channels *of, const struct nccl_saying *said, uint32_t channel,
                              const uint32_t *ring, uint32_t n)
{
    const uint32_t n_ranks = of->channels->n_ranks, line = said ? said->line : 0;
    bool *is_there = mem_alloc(n_ranks, sizeof *is_there);
    for (uint32_t i = 0; i < n && !of->channels->failed; i++) {
        if (ring[i] >= n_ranks)
            nccl_refuse(of->channels, line, "channel %u: there is no rank %u of %u", channel, ring[i],
                        n_ranks)
                ->help = "lines of several communicators are mixed, or the log has lost lines";
        else if (is_there[ring[i]])
            nccl_refuse(of->channels, line, "channel %u: rank %u is in its ring twice", channel, ring[i])
                ->help = "lines of several communicators are mixed, or the log has lost lines";
        else
            is_there[ring[i]] = true;
    }
    free(is_there);
    return !of->channels->failed;
}

/* Goes on behind the n ranks that the line has. False after reporting that
 * nothing tells the rest. */
static bool of_log_complete_ring(struct log_channels *of, const struct nccl_saying *said, uint32_t channel,
                                 uint32_t *ring, uint32_t n)
{
    const uint32_t n_ranks = of->channels->n_ranks;
    uint32_t *next = mem_alloc(n_ranks, sizeof *next), at = n;
    memset(next, 0xff, n_ranks * sizeof *next);
    of_log_follow(of, channel, next);
    if (!n)
        ring[at++] = 0;
    for (; at < n_ranks && next[ring[at - 1]] != NCCL_NONE; at++)
        ring[at] = next[ring[at - 1]];
    if (at < n_ranks)
        nccl_refuse(of->channels, said ? said->line : 0,
                    "channel %u: the log tells %u of the %u ranks of its ring; "
                    "where rank %u sends is missing",
                    channel, at, n_ranks, ring[at - 1])
            ->help = "NCCL cuts long lines: the rest is in the lines 'Channel 00/0 "
                     ": 0[0] -> 1[1] via ...' of all ranks "
                     "(NCCL_DEBUG_SUBSYS=INIT), or in 'Ring 00 : ...' (GRAPH)";
    else if (next[ring[at - 1]] != NCCL_NONE && next[ring[at - 1]] != ring[0])
        nccl_refuse(of->channels, said ? said->line : 0, "channel %u: its ring does not come back to rank %u",
                    channel, ring[0]);
    free(next);
    return !of->channels->failed && of_log_check_ring(of, said, channel, ring, n_ranks);
}

/* Returns the first line on that topic with this channel, NULL: there is none.
 */
static const struct nccl_saying *of_log_find_line(const struct log_channels *of, enum nccl_topic topic,
                                                  uint32_t channel)
{
    for (uint32_t i = 0; i < of->log.n_sayings; i++) {
        const struct nccl_saying *saying = &of->log.sayings[i];
        if (saying->topic == topic && saying->channel == channel && of_log_speaker(of, saying) != NCCL_NONE)
            return saying;
    }
    return NULL;
}

static bool of_log_read_ring(struct log_channels *of, uint32_t channel)
{
    struct nccl_channels *channels = of->channels;
    const struct nccl_saying *said = of_log_find_line(of, NCCL_RING, channel);
    uint32_t *ring = arena_alloc(&channels->arena, channels->n_ranks, sizeof *ring);
    const uint32_t n = said ? nccl_read_ring(said->text, ring, channels->n_ranks) : 0;
    if (n > channels->n_ranks)
        nccl_refuse(channels, said->line, "channel %u: %u ranks, but the communicator has %u", channel, n,
                    channels->n_ranks)
            ->help = "lines of several communicators are mixed, or the log has lost lines";
    if (channels->failed || !of_log_check_ring(of, said, channel, ring, n) ||
        (n < channels->n_ranks && !of_log_complete_ring(of, said, channel, ring, n)))
        return false;
    nccl_channels_add(channels, channel)->ring = ring;
    return true;
}

/* ---- trees ---- */

/* The place of a rank in a tree. */
struct log_place {
    uint32_t channel, rank;
    uint32_t up, down; /* to which it sends, from which it gets; NCCL_NONE */
    uint32_t children[8], n_children;
};

/* Takes '-1', '7', or a list such as '1/2/-1', without those that are -1.
 * False: there is no number. */
static bool of_log_take_ends(struct slice *rest, uint32_t ends[8], uint32_t *n, bool *is_list)
{
    *n = 0;
    *is_list = false;
    for (;;) {
        const bool is_none = slice_starts(*rest, "-1");
        size_t length = is_none ? 2 : 0;
        while (!is_none && length < rest->length && text_is_digit(rest->text[length]))
            length++;
        const struct slice number = {rest->text, length};
        uint32_t end = NCCL_NONE;
        if (!is_none && parse_count(number, &end) != VALUE_OK)
            return false;
        if (!is_none && *n < 8)
            ends[(*n)++] = end;
        *rest = (struct slice){rest->text + length, rest->length - length};
        if (!slice_starts(*rest, "/"))
            return true;
        *is_list = true;
        *rest = (struct slice){rest->text + 1, rest->length - 1};
    }
}

static bool of_log_take_arrow(struct slice *rest)
{
    if (!slice_starts(*rest, "->"))
        return false;
    *rest = (struct slice){rest->text + 2, rest->length - 2};
    return true;
}

/* Takes 'CHILDREN->RANK->PARENT' or 'PARENT->RANK->CHILDREN': the children are
 * a list. */
static bool of_log_take_arrows(struct slice *rest, struct log_place *place, uint32_t *parent)
{
    uint32_t first[8], last[8], rank[8], n_first, n_last, n;
    bool is_list, is_rank_list, is_last_list;
    if (!of_log_take_ends(rest, first, &n_first, &is_list) || !of_log_take_arrow(rest) ||
        !of_log_take_ends(rest, rank, &n, &is_rank_list) || n != 1 || !of_log_take_arrow(rest) ||
        !of_log_take_ends(rest, last, &n_last, &is_last_list) || is_list == is_last_list)
        return false;
    place->rank = rank[0];
    place->n_children = is_list ? n_first : n_last;
    memcpy(place->children, is_list ? first : last, sizeof first);
    *parent = (is_list ? n_last : n_first) == 0 ? NCCL_NONE : is_list ? last[0] : first[0];
    return true;
}

/* Takes '[0] 1/-1/-1->0->-1', of 2.5 to 2.7 with '|-1->0->1/-1/-1' for the way
 * down behind it. */
static bool of_log_take_place(struct slice *rest, struct log_place *place)
{
    uint32_t ignored[8], n;
    bool is_list;
    slice_skip_blanks(rest);
    if (!slice_starts(*rest, "["))
        return false;
    *rest = (struct slice){rest->text + 1, rest->length - 1};
    const struct slice channel = slice_take_until(rest, ']');
    slice_skip_blanks(rest);
    if (parse_count(channel, &place->channel) != VALUE_OK || place->channel >= NCCL_MAX_CHANNELS ||
        !of_log_take_arrows(rest, place, &place->up))
        return false;
    place->down = place->up;
    if (!slice_starts(*rest, "|"))
        return true;
    *rest = (struct slice){rest->text + 1, rest->length - 1};
    if (of_log_take_ends(rest, ignored, &n, &is_list) && !is_list && of_log_take_arrow(rest))
        place->down = n ? ignored[0] : NCCL_NONE;
    slice_take_word(rest);
    return true;
}

uint32_t nccl_rank_of_trees(struct slice text)
{
    struct log_place place;
    return of_log_take_place(&text, &place) ? place.rank : NCCL_NONE;
}

/* Takes the place of a rank in the tree of a channel, if its line has it.
 * False: there is none. */
static bool of_log_find_place(const struct log_channels *of, uint32_t rank, uint32_t channel,
                              struct log_place *place, uint32_t *line)
{
    const struct nccl_saying *saying =
        of->trees[rank] == NCCL_NONE ? NULL : &of->log.sayings[of->trees[rank]];
    struct slice text = saying ? saying->text : (struct slice){0};
    *line = saying ? saying->line : 0;
    while (of_log_take_place(&text, place))
        if (place->channel == channel)
            return true;
    return false;
}

/* Checks that the children that a rank names send to it. False after reporting.
 */
static bool of_log_check_children(struct log_channels *of, const struct log_place *place, const uint32_t *up,
                                  uint32_t line)
{
    for (uint32_t i = 0; i < place->n_children; i++) {
        const uint32_t child = place->children[i];
        if (child < of->channels->n_ranks && up[child] == place->rank)
            continue;
        nccl_refuse(of->channels, line, "tree %u: rank %u has %u as a child, which does not send to it",
                    place->channel, place->rank, child)
            ->help = "lines of several communicators are mixed, or the log has lost lines";
        return false;
    }
    return true;
}

/* Reads the tree of a channel. False: no rank has it, or after reporting that
 * some lack it. */
static bool of_log_read_tree(struct log_channels *of, uint32_t channel)
{
    struct nccl_channels *channels = of->channels;
    const uint32_t n_ranks = channels->n_ranks;
    uint32_t *up = arena_alloc(&channels->arena, n_ranks, sizeof *up), missing = NCCL_NONE, n = 0, line;
    uint32_t *down = arena_alloc(&channels->arena, n_ranks, sizeof *down);
    struct log_place place;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const bool is_there = of_log_find_place(of, rank, channel, &place, &line);
        n += is_there;
        missing = is_there || missing != NCCL_NONE ? missing : rank;
        up[rank] = is_there ? place.up : NCCL_NONE;
        down[rank] = is_there ? place.down : NCCL_NONE;
    }
    if (n && missing != NCCL_NONE)
        nccl_refuse(channels, 0, "tree %u: no line tells where rank %u is in it", channel, missing)->help =
            "each rank writes its own line 'Trees [0] ...': the log has "
            "to be of all processes";
    for (uint32_t rank = 0; n && !channels->failed && rank < n_ranks; rank++)
        if (of_log_find_place(of, rank, channel, &place, &line))
            of_log_check_children(of, &place, up, line);
    if (!n || channels->failed)
        return false;
    struct nccl_channel *tree = nccl_channels_add(channels, channel);
    tree->up = up;
    tree->down = down;
    return true;
}

/* ---- adapters ---- */

static int of_log_compare_wired(const void *left, const void *right)
{
    const struct nccl_saying *x = left, *y = right;
    int order = compare_numbers(x->channel, y->channel);
    order = order ? order : compare_numbers(x->from, y->from);
    order = order ? order : compare_numbers(x->to, y->to);
    return order ? order : compare_numbers(x->topic, y->topic);
}

/* Orders connections with adapters by channel, sender and receiver. */
static void of_log_find_wired(struct log_channels *of)
{
    struct nccl_saying *wired = mem_alloc((size_t)of->log.n_sayings + 1, sizeof *wired);
    for (uint32_t i = 0; i < of->log.n_sayings; i++) {
        const struct nccl_saying *saying = &of->log.sayings[i];
        const uint32_t speaker = of_log_speaker(of, saying);
        if ((saying->topic == NCCL_SEND && speaker == saying->from && saying->device != NCCL_NONE) ||
            (saying->topic == NCCL_RECEIVE && speaker == saying->to && saying->device != NCCL_NONE))
            wired[of->n_wired++] = *saying;
    }
    qsort(wired, of->n_wired, sizeof *wired, of_log_compare_wired);
    of->wired = wired;
}

/* Returns what one end says of a connection, NULL: nothing. */
static const struct nccl_saying *of_log_find_end(const struct log_channels *of, uint32_t channel,
                                                 uint32_t from, uint32_t to, enum nccl_topic topic)
{
    const struct nccl_saying key = {.channel = channel, .from = from, .to = to, .topic = (uint8_t)topic};
    uint32_t first = 0, end = of->n_wired;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (of_log_compare_wired(&of->wired[middle], &key) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first < of->n_wired && of_log_compare_wired(&of->wired[first], &key) == 0 ? &of->wired[first]
                                                                                     : NULL;
}

/* Returns the name of an adapter in the list of its process; NULL: it has none.
 */
static const char *of_log_adapter_name(struct log_channels *of, const struct nccl_saying *saying)
{
    struct slice list = of->log.processes[of->log.members[saying->member].of_process].adapters;
    while (list.length) {
        uint32_t number;
        const bool is_number = parse_count(slice_take_until(&list, ']'), &number) == VALUE_OK;
        const struct slice item = slice_take_until(&list, '[');
        size_t n = 0;
        while (n < item.length && !strchr(":/ ,{}", item.text[n]))
            n++;
        if (is_number && number == saying->device && n)
            return arena_strndup(&of->channels->arena, item.text, n);
    }
    return NULL;
}

static uint8_t of_log_via(struct log_channels *of, uint32_t channel, uint32_t from, uint32_t to)
{
    const struct nccl_saying *send = of_log_find_end(of, channel, from, to, NCCL_SEND);
    const struct nccl_saying *receive = of_log_find_end(of, channel, from, to, NCCL_RECEIVE);
    if (!send && !receive)
        return 0;
    send = send ? send : receive;
    receive = receive ? receive : send;
    const struct schedule_via via = {.out = of_log_adapter_name(of, send),
                                     .in = of_log_adapter_name(of, receive),
                                     .out_number = send->device,
                                     .in_number = receive->device};
    return nccl_channels_via(of->channels, &via);
}

static void of_log_wire(struct log_channels *of, struct nccl_channel *channel)
{
    const uint32_t n = of->channels->n_ranks;
    channel->via = arena_alloc(&of->channels->arena, n, 1);
    if (channel->ring) {
        for (uint32_t i = 0; i < n; i++)
            channel->via[i] = of_log_via(of, channel->number, channel->ring[i], channel->ring[(i + 1) % n]);
        return;
    }
    channel->via_down = arena_alloc(&of->channels->arena, n, 1);
    for (uint32_t rank = 0; rank < n; rank++) {
        if (channel->up[rank] != NCCL_NONE)
            channel->via[rank] = of_log_via(of, channel->number, rank, channel->up[rank]);
        if (channel->down[rank] != NCCL_NONE)
            channel->via_down[rank] = of_log_via(of, channel->number, channel->down[rank], rank);
    }
}

/* ---- what NCCL takes ---- */

/* Says what is connected besides, of which no line names neighbours. */
static void of_log_say_unnamed(const struct log_channels *of)
{
    static const char *const names[] = {"NVLS", "CollNet", "PAT"};
    const struct nccl_request *request = of->channels->request;
    struct text list = {0};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (of->log.has & 1u << i)
            text_printf(&list, "%s%s", list.length ? ", " : "", names[i]);
    if (list.length)
        report(request->diagnostics, CODE_S010, (struct position){.source = request->source},
               "left out: %s, which NCCL has connected: no line tells who sends to whom there", list.data)
            ->help = "NCCL_DEBUG_SUBSYS=TUNING says for which sizes NCCL takes these; NCCL_ALGO=Ring,Tree leaves them out";
    text_free(&list);
}

/* Takes the algorithm and the channels of the call of so many bytes. False after reporting. */
static bool of_log_take_call(struct log_channels *of)
{
    struct nccl_request *request = of->channels->request;
    const struct nccl_taken *taken = NULL;
    struct text sizes = {0};
    if (!request->bytes)
        return true;
    if (of->comms.n > 1) {
        nccl_refuse(of->channels, 0, "',bytes=' is for a log of one communicator: this one has %u", of->comms.n)
            ->help = "lines of NCCL_DEBUG_SUBSYS=TUNING do not name their communicator: give the lines of one";
        return false;
    }
    for (uint32_t i = 0; i < of->log.n_taken; i++) {
        const struct nccl_taken *call = &of->log.taken[i];
        if (call->collective != request->collective)
            continue;
        if (call->bytes == request->bytes)
            taken = call;
        if (sizes.length < 120)
            text_printf(&sizes, "%s%llu", sizes.length ? ", " : "", (unsigned long long)call->bytes);
    }
    const bool is_tree = taken && slice_is(taken->algorithm, "TREE");
    if (!taken)
        nccl_refuse(of->channels, 0, "the log has no call of %s with %llu bytes that says what NCCL took",
                    collective_table[request->collective].name, (unsigned long long)request->bytes)
            ->help = sizes.length ? diagnostics_text(request->diagnostics, "it has them with %s bytes", sizes.data)
                                  : "NCCL_DEBUG_SUBSYS=TUNING, from NCCL 2.24 on, writes 'AllReduce: 8388608 Bytes -> "
                                    "Algo RING ...'";
    else if (!slice_is(taken->algorithm, "RING") && !(is_tree && request->collective == COLLECTIVE_allreduce))
        nccl_refuse(of->channels, taken->line, "NCCL took %.*s here: the log does not tell who sends to whom in it",
                    (int)taken->algorithm.length, taken->algorithm.text)
            ->help = "without ',bytes=' the rings are taken, as NCCL_ALGO=Ring would";
    text_free(&sizes);
    if (of->channels->failed)
        return false;
    request->is_tree = is_tree;
    request->first = taken->first > request->first ? taken->first : request->first;
    request->last = taken->last < request->last ? taken->last : request->last;
    return true;
}

/* ---- all of it ---- */

/* Finds how many channels there are, and the line with the trees of each rank.
 */
static void of_log_survey(struct log_channels *of)
{
    of->trees = mem_alloc(of->channels->n_ranks, sizeof *of->trees);
    memset(of->trees, 0xff, of->channels->n_ranks * sizeof *of->trees);
    for (uint32_t i = 0; i < of->log.n_sayings; i++) {
        const struct nccl_saying *saying = &of->log.sayings[i];
        const uint32_t speaker = of_log_speaker(of, saying);
        if (speaker >= of->channels->n_ranks)
            continue;
        if (saying->topic == NCCL_TREES) {
            struct slice text = saying->text;
            struct log_place place;
            while (of_log_take_place(&text, &place))
                of->n_channels = place.channel >= of->n_channels ? place.channel + 1 : of->n_channels;
            of->trees[speaker] = of->trees[speaker] == NCCL_NONE ? i : of->trees[speaker];
        } else if (saying->topic == NCCL_RING || saying->topic == NCCL_LINK) {
            const uint32_t n = saying->topic == NCCL_RING && saying->n_channels <= NCCL_MAX_CHANNELS &&
                                       saying->n_channels > saying->channel
                                   ? saying->n_channels
                                   : saying->channel + 1;
            of->n_channels = n > of->n_channels ? n : of->n_channels;
        }
    }
}

static void of_log_read_channels(struct log_channels *of)
{
    struct nccl_channels *channels = of->channels;
    const struct nccl_request *request = channels->request;
    uint32_t n_left = 0;
    for (uint32_t c = request->first; c < of->n_channels && c <= request->last && !channels->failed; c++) {
        const bool is_there =
            request->is_tree || of_log_find_line(of, NCCL_RING, c) || of_log_find_line(of, NCCL_LINK, c);
        if (!is_there || !(request->is_tree ? of_log_read_tree(of, c) : of_log_read_ring(of, c)))
            n_left++;
    }
    if (channels->failed)
        return;
    if (!channels->n) {
        nccl_refuse(channels, 0, "the log tells no %s of these channels", request->is_tree ? "tree" : "ring")
            ->help =
            request->is_tree ? "'FILE:allreduce' takes the rings" : "'FILE:allreduce/tree' takes the trees";
        return;
    }
    if (n_left)
        report(request->diagnostics, CODE_S010, (struct position){.source = request->source},
               "left out: %u channel%s of which the log tells no %s", n_left, plural(n_left),
               request->is_tree ? "tree" : "ring")
            ->help = request->is_tree ? "join the logs of all ranks, with GRAPH in NCCL_DEBUG_SUBSYS"
                                      : "join the logs of all ranks: long lines of rings are cut";
    for (uint32_t i = 0; i < channels->n; i++)
        of_log_wire(of, &channels->items[i]);
}

void nccl_channels_of_log(struct nccl_channels *channels)
{
    struct log_channels of = {.channels = channels};
    nccl_log_read(&of.log, channels->request->source);
    nccl_comms_find(&of.comms, &of.log);
    if (of_log_choose(&of) && of_log_find_ranks(&of) && of_log_take_call(&of)) {
        of_log_say_unnamed(&of);
        of_log_find_phases(&of);
        of_log_find_wired(&of);
        of_log_survey(&of);
        of_log_read_channels(&of);
        if (!channels->failed)
            of_log_place(&of);
    }
    free(of.trees);
    free(of.of_rank);
    free(of.phase);
    free(of.wired);
    nccl_comms_free(&of.comms);
    nccl_log_free(&of.log);
}
