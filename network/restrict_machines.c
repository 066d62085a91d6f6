/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The machines of a job as people write them: host lists and, on a grid, boxes.
 */
#include "network/restrict.h"
#include "base/codes.h"
#include "base/text/hostfile.h"
#include "base/text/hostlist.h"
#include "network/grid.h"
#include "network/view.h"

#include <string.h>

struct marker {
    const struct topology *topology;
    const struct machine_words *words;
    struct diagnostics *diagnostics;
    bool *is_in;
    bool has_failed;
};

static struct position restrict_machines_position_of(const struct marker *marker, struct slice slice)
{
    const struct machine_words *words = marker->words;
    if (strlen(words->text) != words->place.length)
        return slice_position(words->source, words->place);
    slice.text = words->place.text + (slice.text - words->text);
    return slice_position(words->source, slice);
}

static struct diagnostic *restrict_machines_complain(struct marker *marker, struct slice slice,
                                                     const char *message)
{
    int shown = slice.length < 80 ? (int)slice.length : 80;
    marker->has_failed = true;
    return report(marker->diagnostics, CODE_T024, restrict_machines_position_of(marker, slice), "'%.*s': %s",
                  shown, slice.text, message);
}

/* ---- boxes ---- */

struct box {
    uint32_t n;
    uint32_t low[TOPOLOGY_MAX_DIMENSIONS], high[TOPOLOGY_MAX_DIMENSIONS];
};

/* "3" or "0-3", up to a comma or the closing bracket. */
static bool restrict_machines_parse_range(const char **at, uint32_t *low, uint32_t *high)
{
    size_t digits = strspn(*at, "0123456789");
    if (parse_count((struct slice){*at, digits}, low) != VALUE_OK)
        return false;
    *at += digits;
    *high = *low;
    if (**at != '-')
        return true;
    digits = strspn(++*at, "0123456789");
    if (parse_count((struct slice){*at, digits}, high) != VALUE_OK)
        return false;
    *at += digits;
    return *low <= *high;
}

/* From the opening bracket to the closing one, which ends the slice. */
static bool parse_box(struct slice slice, struct box *box)
{
    const char *at = slice.text + 1, *end = slice.text + slice.length - 1;
    for (box->n = 0; box->n < TOPOLOGY_MAX_DIMENSIONS; at++) {
        if (!restrict_machines_parse_range(&at, &box->low[box->n], &box->high[box->n]))
            return false;
        box->n++;
        if (at == end)
            return true;
        if (*at != ',')
            return false;
    }
    return false;
}

/* The next place in a box, the lowest dimension first; false after the last. */
static bool restrict_machines_next_place(const struct box *box, uint32_t *at)
{
    for (uint32_t i = 0; i < box->n; i++) {
        if (at[i]++ < box->high[i])
            return true;
        at[i] = box->low[i];
    }
    return false;
}

/* False, and reported, if some of the box is beyond the grid. */
static bool check_box(struct marker *marker, struct slice slice, const struct box *box,
                      bool is_logical)
{
    const struct topology *grid = topology_grid(marker->topology);
    for (uint32_t i = 0; i < box->n; i++) {
        uint32_t extent = is_logical ? view_extent(grid, i) : topology_as_grid(grid)->extent[i].value;
        if (box->high[i] < extent)
            continue;
        restrict_machines_complain(marker, slice, "reaches beyond the grid")->help = diagnostics_text(
            marker->diagnostics,
            "%u is the last place of dimension %u, counted from 0: write a number or a range up to it",
            extent - 1, i);
        return false;
    }
    return true;
}

static void mark_box(struct marker *marker, const struct topology *grid, const struct box *box,
                     bool is_logical)
{
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS];
    memcpy(at, box->low, sizeof at);
    do
        marker->is_in[is_logical ? view_machine(grid, at) : grid_machine(topology_as_grid(grid), at)] = true;
    while (restrict_machines_next_place(box, at));
}

static void take_box(struct marker *marker, struct slice slice)
{
    const struct topology *grid = topology_grid(marker->topology);
    struct box box = {0};
    if (!grid) {
        restrict_machines_complain(marker, slice, "coordinates, but the topology is no grid");
        return;
    }
    if (!parse_box(slice, &box)) {
        restrict_machines_complain(marker, slice, "not a box of coordinates")->help =
            "write a number or a range for each dimension: (0-3,0-3,2)";
        return;
    }
    bool is_logical = box.n != topology_as_grid(grid)->n_dimensions && box.n == view_n_axes(grid);
    if (box.n != topology_as_grid(grid)->n_dimensions && !is_logical)
        restrict_machines_complain(marker, slice, "another number of dimensions than the grid");
    else if (check_box(marker, slice, &box, is_logical))
        mark_box(marker, grid, &box, is_logical);
}

/* ---- names ---- */

static bool mark_name(struct marker *marker, struct slice name)
{
    const uint32_t n = marker->topology->n_machines;
    uint32_t machine = topology_find_host(marker->topology, name.text, name.length);
    size_t length = name.length; /* of the name of "node7:4", as MPICH writes it */
    while (length && text_is_digit(name.text[length - 1]))
        length--;
    if (machine == n && length && length < name.length && name.text[length - 1] == ':')
        machine = topology_find_host(marker->topology, name.text, length - 1);
    if (machine == n)
        return false;
    marker->is_in[machine] = true;
    return true;
}

#define LIST_HELP "lists are written like node[01-16,20],login"

/* True if it is how others write several names: m0-m7, m{0..7}, m0:m7, or only their number. */
static bool is_like_a_list(struct slice item)
{
    size_t n_digits = 0, n_signs = 0;
    for (size_t i = 0; i < item.length; i++) {
        if (item.text[i] == '[')
            return false;
        n_signs += strchr("-{}:;", item.text[i]) != NULL;
        n_digits += text_is_digit(item.text[i]);
    }
    return n_signs > 0 || n_digits == item.length;
}

/* `first` of the `n` names of an item that the topology lacks. */
static void restrict_machines_complain_absent(struct marker *marker, struct slice item, struct slice first,
                                              uint32_t n)
{
    struct arena *arena = &marker->diagnostics->arena;
    const char *help = topology_help_with_machine(marker->topology, first, arena);
    const int shown = first.length < 80 ? (int)first.length : 80;
    if (n > 1)
        help = arena_printf(arena, "'%.*s' and %u more are not there; %s", shown, first.text, n - 1, help);
    else if (slice_compare(item, first) != 0)
        help = arena_printf(arena, "'%.*s' is not there; %s", shown, first.text, help);
    if (item.length && (*item.text == '^' || *item.text == '!'))
        help = "the list has the machines that stay; to leave out some, name the others";
    if (is_like_a_list(item))
        help = arena_printf(arena, "%s; " LIST_HELP, help);
    restrict_machines_complain(marker, item, "no such machine in the topology")->help = help;
}

static void take_names(struct marker *marker, struct slice item)
{
    struct hostlist list = {0};
    struct slice first = {0};
    uint32_t n_absent = 0;
    if (!hostlist_expand(item, HOSTLIST_MAX_NAMES, &list))
        restrict_machines_complain(marker, list.error, list.problem)->help = LIST_HELP;
    for (uint32_t i = 0; !list.problem && i < list.n; i++)
        if (!mark_name(marker, hostlist_get(&list, i)) && n_absent++ == 0)
            first = hostlist_get(&list, i);
    if (n_absent)
        restrict_machines_complain_absent(marker, item, first, n_absent);
    hostlist_free(&list);
}

char *machine_list_expand(const char *expression, struct arena *arena, const char **problem)
{
    struct hostlist list = {0};
    struct text names = {0};
    char *result = NULL;
    *problem = NULL;
    if (hostlist_expand((struct slice){expression, strlen(expression)}, HOSTLIST_MAX_NAMES, &list)) {
        for (uint32_t i = 0; i < list.n; i++) {
            struct slice name = hostlist_get(&list, i);
            text_append(&names, name.text, name.length);
            text_append(&names, "\n", 1);
        }
        result = arena_strndup(arena, names.data, names.length);
    } else {
        *problem = list.problem;
    }
    text_free(&names);
    hostlist_free(&list);
    return result;
}

/* ---- the list ---- */

/* Returns the end of an item: a comma, blank or comment outside brackets. */
static size_t item_length(const char *text)
{
    const char *at = text;
    for (int depth = 0; *at && *at != '\n'; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth <= 0 && strchr(", \t\r#", *at))
            break;
    }
    return (size_t)(at - text);
}

/* Returns the length of an option of a host in the host file of an MPI, which does not matter here; 0 if
 * there is none. A number may be the name of a machine. */
static size_t option_length(const struct topology *topology, const char *text)
{
    struct slice line = {text, strcspn(text, "#\n")}, whole, value;
    const enum hostfile_option option = hostfile_take_option(&line, &whole, &value);
    if (option == HOSTFILE_COUNT && value.text == whole.text &&
        topology_find_machine(topology, value.text, value.length) < topology->n_machines)
        return 0;
    return option == HOSTFILE_COUNT || option == HOSTFILE_OTHER ? (size_t)(line.text - text) : 0;
}

bool mark_machines(const struct topology *topology, const struct machine_words *words, bool *is_in,
                   struct diagnostics *diagnostics)
{
    struct marker marker = {topology, words, diagnostics, is_in, false};
    bool is_empty = true, is_first = true;
    for (const char *at = words->text; *at;) {
        is_first |= *at == '\n';
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        struct slice item = {at, item_length(at)};
        const size_t option = item.length && !is_first ? option_length(topology, at) : 0;
        if (option) {
            at += option;
            continue;
        }
        at += item.length ? item.length : 1;
        if (!item.length)
            continue;
        is_empty = is_first = false;
        if (*item.text == '(')
            take_box(&marker, item);
        else
            take_names(&marker, item);
    }
    if (is_empty)
        report(diagnostics, CODE_T024, restrict_machines_position_of(&marker, (struct slice){words->text, 1}),
               "no machine is named");
    return !marker.has_failed && !is_empty;
}
