/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placements as Slurm tells them: host lists, as in the file of SLURM_HOSTFILE, and the
 * variables of a job's environment.
 */
#include "network/placement/placement_files.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

/* Expands; reports A003. Release with hostlist_free either way. */
static bool placement_slurm_expand(struct line_reader *reader, struct slice expression, struct hostlist *list)
{
    uint32_t left = MAX_NAMES - reader->n_names;
    bool good = hostlist_expand(expression, left < HOSTLIST_MAX_NAMES ? left : HOSTLIST_MAX_NAMES,
                                list);
    reader->n_names += list->n;
    if (good)
        return true;
    placement_complain(reader, CODE_A003, list->error, list->problem)->help =
        "names are written like node[01-16,20],login, in lists of ranks also node3*2";
    return false;
}

static uint32_t find_host(struct line_reader *reader, const struct hostlist *list, uint32_t i)
{
    return placement_find_machine(reader, hostlist_get(list, i), list->items[list->names[i].item]);
}

/* ---- lists, one or several in a line ---- */

/* Every mention of a name is a place, or --ranks-per-machine places. */
static void read_node_list(struct line_reader *reader, struct slice word,
                           struct assignment *assignment)
{
    uint32_t asked = reader->request->asked->ranks_per_machine;
    struct hostlist list = {0};
    bool good = memchr(word.text, '=', word.length) == NULL;
    if (!good)
        placement_complain(reader, CODE_A003, word, "a list of hosts has no options")->help =
            "say the number of ranks by --ranks-per-machine, or behind a list: node[01-16]*2";
    good = good && placement_slurm_expand(reader, word, &list);
    for (uint32_t i = 0; good && i < list.n; i++) {
        uint32_t machine = find_host(reader, &list, i);
        good = machine < reader->request->topology->n_machines &&
               placement_append_ranks(reader, assignment, machine, asked ? asked : 1, word);
    }
    hostlist_free(&list);
}

bool placement_read_node_lists(struct line_reader *reader, struct assignment *assignment)
{
    while (placement_next_words(reader))
        for (struct slice word = slice_take_word(&reader->line); word.length;
             word = slice_take_word(&reader->line))
            read_node_list(reader, word, assignment);
    return placement_finish_ranks(reader, assignment, "write host lists such as node[01-16]");
}

/* ---- the environment of a job ---- */

/* A variable: its value, and the line it is in, for what is wrong with it. */
struct variable {
    struct slice value;
    uint32_t number;
    const char *start;
};

struct environment {
    struct variable nodes, tasks, tasks_each, n_tasks;
    bool is_cyclic;
};

static void placement_slurm_go_back(struct line_reader *reader, const struct variable *variable)
{
    reader->number = variable->number;
    reader->start = variable->start;
}

/* Returns the word of the line that sets a variable, as env and export -p print it. */
static struct slice placement_slurm_take_setting(struct line_reader *reader)
{
    struct slice word = slice_take_word(&reader->line);
    bool is_declared = slice_is(word, "declare"); /* with options */
    if (is_declared || slice_is(word, "export"))
        word = slice_take_word(&reader->line);
    while (is_declared && slice_starts(word, "-"))
        word = slice_take_word(&reader->line);
    return word;
}

static bool sets(struct slice word, const char *name)
{
    size_t length = strlen(name);
    return slice_starts(word, name) && word.length > length && word.text[length] == '=';
}

static bool sets_nodes(struct slice word)
{
    return sets(word, "SLURM_JOB_NODELIST") || sets(word, "SLURM_NODELIST");
}

bool placement_is_slurm(struct line_reader reader)
{
    struct line_reader first = reader;
    struct slice word = placement_slurm_take_setting(&first);
    if (slice_starts(word, "SLURM_") && memchr(word.text, '=', word.length))
        return true; /* if only to say that it names no machine */
    do {
        if (sets_nodes(placement_slurm_take_setting(&reader)))
            return true;
    } while (placement_next_words(&reader));
    return false;
}

/* Returns the text after '=', without quotes. */
static struct slice placement_slurm_value_of(struct slice word)
{
    const char *equals = memchr(word.text, '=', word.length);
    struct slice value = {equals + 1, word.length - (size_t)(equals + 1 - word.text)};
    bool is_quoted = value.length >= 2 && strchr("\"'", *value.text) &&
                     value.text[value.length - 1] == *value.text;
    if (is_quoted)
        value = (struct slice){value.text + 1, value.length - 2};
    return value;
}

/* True for "cyclic"; what comes behind a colon or comma is about places within nodes. */
static bool placement_slurm_read_distribution(struct line_reader *reader, struct slice value)
{
    struct slice word = {value.text, 0};
    while (word.length < value.length && !strchr(":,", word.text[word.length]))
        word.length++;
    if (!slice_is(word, "block") && !slice_is(word, "cyclic"))
        placement_complain(reader, CODE_A003, value, "a distribution other than block or cyclic")->help =
            "give the file of SLURM_HOSTFILE instead, or lines such as 'rank 0 node01'";
    return slice_is(word, "cyclic");
}

/* Lines that set nothing are skipped, as values of other variables may have several. */
static void placement_slurm_read_variable(struct line_reader *reader, struct environment *environment)
{
    struct slice word = placement_slurm_take_setting(reader);
    if (!memchr(word.text, '=', word.length)) {
        if (slice_starts(word, "SLURM_"))
            placement_complain(reader, CODE_A003, word, "expected NAME=VALUE")->help =
                "an environment holds lines such as SLURM_JOB_NODELIST=node[01-16]";
        return;
    }
    struct variable variable = {placement_slurm_value_of(word), reader->number, reader->start};
    if (sets_nodes(word))
        environment->nodes = variable;
    else if (sets(word, "SLURM_TASKS_PER_NODE"))
        environment->tasks = variable;
    else if (sets(word, "SLURM_NTASKS_PER_NODE"))
        environment->tasks_each = variable;
    else if (sets(word, "SLURM_NTASKS") || sets(word, "SLURM_NPROCS"))
        environment->n_tasks = variable;
    else if (sets(word, "SLURM_DISTRIBUTION"))
        environment->is_cyclic = placement_slurm_read_distribution(reader, variable.value);
}

/* "2(x3)" or "1", and the comma behind it. */
static bool take_tasks(struct line_reader *reader, struct slice *rest, uint32_t *tasks,
                       uint32_t *times)
{
    const char *comma = memchr(rest->text, ',', rest->length);
    struct slice item = {rest->text, comma ? (size_t)(comma - rest->text) : rest->length};
    const char *open = memchr(item.text, '(', item.length);
    struct slice number = {item.text, open ? (size_t)(open - item.text) : item.length};
    *times = 1;
    bool good = parse_count(number, tasks) == VALUE_OK && *tasks && *tasks <= MAX_RANKS;
    if (open) {
        struct slice repeat = {open + 2, item.length - number.length};
        good = good && repeat.length > 3 && open[1] == 'x' && item.text[item.length - 1] == ')';
        repeat.length -= good ? 3 : 0;
        good = good && parse_count(repeat, times) == VALUE_OK && *times;
    }
    rest->length -= item.length + (comma != NULL);
    rest->text += item.length + (comma != NULL);
    if (!good)
        placement_complain(reader, CODE_A003, item, "expected tasks such as 2 or 2(x3)")->help =
            "SLURM_TASKS_PER_NODE is a list like 2(x3),1 for the nodes of SLURM_JOB_NODELIST";
    return good;
}

/* tasks[node] from "2(x3),1" */
static bool read_tasks(struct line_reader *reader, const struct variable *variable,
                       uint32_t *tasks, uint32_t n)
{
    struct slice rest = variable->value;
    uint32_t node = 0, count = 0, times = 0;
    placement_slurm_go_back(reader, variable);
    do {
        if (!take_tasks(reader, &rest, &count, &times))
            return false;
        if (times > n - node) {
            placement_complain(reader, CODE_A003, variable->value, "tasks for more nodes than are listed");
            return false;
        }
        while (times--)
            tasks[node++] = count;
    } while (rest.length);
    if (node < n)
        placement_complain(reader, CODE_A003, variable->value, "tasks for fewer nodes than are listed");
    return node == n;
}

/* Divides SLURM_NTASKS by the nodes; reports one that leaves a rest. */
static uint32_t tasks_of_total(struct line_reader *reader, const struct variable *total, uint32_t n)
{
    uint32_t tasks = 0;
    if (n && parse_count(total->value, &tasks) == VALUE_OK && tasks && tasks % n == 0)
        return tasks / n;
    placement_slurm_go_back(reader, total);
    if (!reader->failed)
        placement_complain(reader, CODE_A003, total->value,
                           diagnostics_text(reader->request->diagnostics,
                                            "so many tasks on %u nodes: how many each has is not said", n))
            ->help = "add the line SLURM_TASKS_PER_NODE of the job, such as 2(x3),1";
    return 1;
}

/* Tasks of every node, where SLURM_TASKS_PER_NODE does not say them. */
static uint32_t tasks_of_each(struct line_reader *reader, const struct environment *environment, uint32_t n)
{
    uint32_t asked = reader->request->asked->ranks_per_machine, tasks = asked ? asked : 1;
    struct slice value = environment->tasks_each.value;
    if (!environment->tasks.start && !environment->tasks_each.start && !asked && environment->n_tasks.start)
        return tasks_of_total(reader, &environment->n_tasks, n);
    if (environment->tasks.start || !environment->tasks_each.start)
        return tasks;
    placement_slurm_go_back(reader, &environment->tasks_each);
    if (parse_count(value, &tasks) != VALUE_OK || !tasks || tasks > MAX_RANKS)
        placement_complain(reader, CODE_A003, value, "expected a number of tasks, 1 to 67108864")->help =
            "SLURM_NTASKS_PER_NODE is one number for all nodes of SLURM_JOB_NODELIST";
    return tasks;
}

static uint32_t *make_tasks(struct line_reader *reader, const struct environment *environment,
                            uint32_t n)
{
    uint32_t *tasks = mem_alloc(n, sizeof *tasks);
    uint32_t each = tasks_of_each(reader, environment, n);
    for (uint32_t node = 0; node < n; node++)
        tasks[node] = each;
    if (environment->tasks.start)
        read_tasks(reader, &environment->tasks, tasks, n);
    placement_slurm_go_back(reader, &environment->nodes);
    return tasks;
}

/* Deals tasks to the nodes in turn: one each if cyclic, else all of a node at once, until none is left. */
static void deal(struct line_reader *reader, const struct environment *environment,
                 uint32_t *tasks, const uint32_t *machine, uint32_t n,
                 struct assignment *assignment)
{
    bool is_left = n > 0;
    while (is_left && !reader->failed) {
        is_left = false;
        for (uint32_t node = 0; node < n; node++) {
            uint32_t now = environment->is_cyclic && tasks[node] ? 1 : tasks[node];
            if (!placement_append_ranks(reader, assignment, machine[node], now, environment->nodes.value))
                return;
            tasks[node] -= now;
            is_left = is_left || tasks[node];
        }
    }
}

static void place_environment(struct line_reader *reader, const struct environment *environment,
                              struct assignment *assignment)
{
    struct hostlist list;
    placement_slurm_go_back(reader, &environment->nodes);
    bool good = placement_slurm_expand(reader, environment->nodes.value, &list);
    uint32_t n = good ? list.n : 0;
    uint32_t *machine = mem_alloc(n, sizeof *machine);
    for (uint32_t i = 0; i < n; i++)
        machine[i] = find_host(reader, &list, i);
    uint32_t *tasks = make_tasks(reader, environment, n);
    if (!reader->failed)
        deal(reader, environment, tasks, machine, n, assignment);
    free(tasks);
    free(machine);
    hostlist_free(&list);
}

bool placement_read_slurm(struct line_reader *reader, struct assignment *assignment)
{
    struct environment environment = {0};
    while (placement_next_words(reader))
        placement_slurm_read_variable(reader, &environment);
    if (!reader->failed && !environment.nodes.start)
        placement_complain_file(reader, "names no machine")->help =
            "it needs a line SLURM_JOB_NODELIST=node[01-16]";
    if (!reader->failed)
        place_environment(reader, &environment, assignment);
    return placement_finish_ranks(reader, assignment, "see SLURM_JOB_NODELIST in the file");
}
