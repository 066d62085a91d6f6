/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placements as users ask for them: block and cyclic, over the machines in some order,
 * or a file of one of several kinds, which are told apart by what they begin with.
 */
#include "network/placement/placement_files.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

#define HOST_FILE_LIMIT ((size_t)64 << 20)

/* ---- block and cyclic ---- */

static struct placement *placement_make_refuse(const struct request *request, const char *message,
                                               const char *help)
{
    report(request->diagnostics, CODE_A001, (struct position){0}, "%s", message)->help = help;
    return NULL;
}

static const char *too_many_text(const struct request *request, uint32_t n_ranks,
                                 uint32_t per_machine)
{
    uint32_t n_machines = request->topology->n_machines;
    return diagnostics_text(request->diagnostics,
                            "%u ranks at %u per machine do not fit on %u machine%s", n_ranks,
                            per_machine, n_machines, n_machines == 1 ? "" : "s");
}

/* "block", "cyclic, machines by switch", "block, machines in random order (seed 7)" */
static const char *name_of_rule(const struct request *request, bool cyclic)
{
    const char *rule = cyclic ? "cyclic" : "block";
    const struct placement_request *asked = request->asked;
    if (!asked->order || strcmp(asked->order, "name") == 0)
        return rule;
    if (strcmp(asked->order, "switch") == 0)
        return diagnostics_text(request->diagnostics, "%s, machines by switch", rule);
    return diagnostics_text(request->diagnostics, "%s, machines in random order (seed %u)", rule,
                            asked->seed);
}

static struct placement *fill_machines(const struct request *request, bool cyclic,
                                       uint32_t n_ranks, uint32_t n_machines)
{
    uint32_t per_machine =
        request->asked->ranks_per_machine ? request->asked->ranks_per_machine : 1;
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    uint32_t *order = order_machines(request->topology, request->asked);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t turn = cyclic ? rank % n_machines : rank / per_machine;
        machine[rank] = order ? order[turn] : turn;
    }
    struct placement *placement =
        placement_of_machines(machine, n_ranks, name_of_rule(request, cyclic));
    free(order);
    free(machine);
    return placement;
}

static struct placement *place_by_rule(const struct request *request, bool cyclic)
{
    uint32_t per_machine =
        request->asked->ranks_per_machine ? request->asked->ranks_per_machine : 1;
    uint64_t n_ranks = request->asked->n_ranks;
    if (!n_ranks)
        n_ranks = (uint64_t)request->topology->n_machines * per_machine;
    if (n_ranks > MAX_RANKS)
        return placement_make_refuse(request, "more than 67108864 ranks", "ask for fewer with --ranks");
    uint32_t n_machines = (uint32_t)((n_ranks + per_machine - 1) / per_machine);
    if (n_machines > request->topology->n_machines)
        return placement_make_refuse(request, too_many_text(request, (uint32_t)n_ranks, per_machine),
                                     "raise --ranks-per-machine or lower --ranks");
    return fill_machines(request, cyclic, (uint32_t)n_ranks, n_machines);
}

/* ---- which kind of file ---- */

static bool placement_make_is_number(struct slice word)
{
    uint32_t ignored;
    return parse_count(word, &ignored) == VALUE_OK;
}

/* "0:" or "0:node" */
static bool is_label(struct slice word)
{
    const char *colon = memchr(word.text, ':', word.length);
    return colon && placement_make_is_number((struct slice){word.text, (size_t)(colon - word.text)});
}

/* "(x,y,z)" and nothing, or core= and mem=, behind it: a host file would have a count. */
static bool is_coordinate_line(struct line_reader reader)
{
    const char *close = memchr(reader.line.text, ')', reader.line.length);
    if (*reader.line.text != '(' || !close)
        return false;
    size_t length = (size_t)(close + 1 - reader.line.text);
    reader.line = (struct slice){close + 1, reader.line.length - length};
    bool has_blank = reader.line.length && strchr(" \t\r", *reader.line.text);
    struct slice word = slice_take_word(&reader.line);
    return !word.length || (has_blank && (slice_starts(word, "core=") ||
                                          slice_starts(word, "mem=")));
}

/* Any line that no host file has: names in brackets, in a list, or with a star. */
static bool is_node_lists(struct line_reader reader)
{
    do {
        struct slice word = slice_take_word(&reader.line);
        if (*word.text != '(' && (memchr(word.text, '[', word.length) ||
                                  memchr(word.text, ',', word.length) ||
                                  memchr(word.text, '*', word.length)))
            return true;
    } while (placement_next_words(&reader));
    return false;
}

typedef bool file_reader(struct line_reader *reader, struct assignment *assignment);

/* Refuses the output of 'scontrol show job', which names the nodes and the total number of ranks only. */
static bool refuse_job(struct line_reader *reader, struct assignment *assignment)
{
    (void)assignment;
    placement_next_words(reader);
    placement_complain(reader, CODE_A003, slice_take_word(&reader->line),
                       "this is of 'scontrol show job', which does not say what ranks each node has")->help =
        "within the job 'env | grep SLURM_ >FILE' writes a file that does; or give its NodeList to --machines, with "
        "--ranks and --ranks-per-machine";
    return false;
}

/* Returns the first of these that fits; docs/placement.md has the list for users. */
static file_reader *placement_make_recognise(struct line_reader reader)
{
    if (!placement_next_words(&reader))
        return placement_read_hosts;
    struct line_reader words = reader;
    struct slice first = slice_take_word(&words.line), second = slice_take_word(&words.line);
    if (placement_is_slurm(reader))
        return placement_read_slurm;
    if (slice_starts(first, "JobId="))
        return refuse_job;
    if (slice_is(first, "rank"))
        return placement_read_ranks;
    if (is_coordinate_line(reader))
        return placement_read_coordinates;
    if (placement_make_is_number(first) && placement_make_is_number(second))
        return placement_read_map;
    if (is_label(first) && (second.length || first.text[first.length - 1] == ':'))
        return placement_read_labelled;
    if (placement_is_adapter_order(reader))
        return placement_read_adapter_order;
    if (placement_is_rank_order(reader))
        return placement_read_rank_order;
    return is_node_lists(reader) ? placement_read_node_lists : placement_read_hosts;
}

static struct placement *place_as(const struct request *request, const struct source *source,
                                  file_reader *read)
{
    struct line_reader reader = {
        .request = request, .source = source, .rest = {source->text, source->length}};
    struct assignment assignment = {0};
    bool good = (read ? read : placement_make_recognise(reader))(&reader, &assignment);
    struct placement *placement =
        good ? placement_of_machines(assignment.machine, assignment.n_ranks, source->path) : NULL;
    free(assignment.machine);
    return placement;
}

struct placement *place_by_source(const struct request *request, const struct source *source)
{
    return place_as(request, source, NULL);
}

/* Returns what may have been meant by a rule that is no file. */
static const char *help_with_rule(const struct request *request)
{
    static const char *const rules[] = {"block", "cyclic"};
    const char *rule = request->asked->rule;
    if (strpbrk(rule, "[,"))
        return "a list of hosts stands in a file; --machines also takes one on the command line";
    return did_you_mean(&request->diagnostics->arena, nearest(rule, strlen(rule), rules, 2),
                        "a placement is block, cyclic or a file (docs/placement.md): check the name and the permissions");
}

/* Before the name of a SLURM_HOSTFILE, which may look like a host file. */
static const char slurm_prefix[] = "slurm:";

static struct placement *place_by_file(const struct request *request)
{
    const char *rule = request->asked->rule;
    const bool is_slurm = strncmp(rule, slurm_prefix, strlen(slurm_prefix)) == 0;
    const struct source *source = source_read(rule + (is_slurm ? strlen(slurm_prefix) : 0), HOST_FILE_LIMIT,
                                              &request->diagnostics->arena, request->diagnostics);
    if (!source && request->diagnostics->last->code == CODE_I001)
        request->diagnostics->last->help = help_with_rule(request);
    if (!source || !source_check_utf8(source, request->diagnostics))
        return NULL;
    if (!is_slurm)
        return place_by_source(request, source);
    struct placement_request asked = *request->asked;
    asked.ranks_per_machine = 0; /* each name is a rank */
    const struct request of_names = {request->topology, &asked, request->diagnostics};
    return place_as(&of_names, source, placement_read_node_lists);
}

struct placement *placement_make(const struct topology *topology,
                                 const struct placement_request *asked,
                                 struct diagnostics *diagnostics)
{
    struct request request = {topology, asked, diagnostics};
    if (!asked->rule || strcmp(asked->rule, "block") == 0)
        return place_by_rule(&request, false);
    if (strcmp(asked->rule, "cyclic") == 0)
        return place_by_rule(&request, true);
    return place_by_file(&request);
}
