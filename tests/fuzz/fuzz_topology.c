/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as a topology, in every form: whatever is accepted must have routes
 * that join, and must read back the same from the XML it is written as.
 */
#include "base/text/excerpt.h"
#include "network/formats/formats.h"
#include "network/formats/synthetic/shape.h"
#include "network/networks.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CHECKED = 40, MAX_HOPS = 4096 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_route(const struct topology *topology, uint32_t source, uint32_t destination,
                        struct hop *hops)
{
    uint32_t n = topology_route(topology, source, destination, hops), at = source, from, to;
    bool is_joined = topology_network(topology, source, destination) != NO_NETWORK;
    const struct graph *graph = topology_as_graph(topology);
    /* by links that have failed, or as the file says */
    bool may_be_cut = topology->base || topology_n_networks(topology) > 1 || (graph && graph->may_be_apart);
    require(n <= topology->max_hops && (source != destination && is_joined ? n || may_be_cut : !n));
    if (!n)
        return;
    for (uint32_t i = 0; i < n; i++) {
        require(topology_has_link(topology, hops[i].link));
        topology_link_ends(topology, hops[i].link, &from, &to);
        require(from == at);
        at = to;
    }
    require(at == destination);
}

static void check_routes(const struct topology *topology)
{
    uint32_t n = topology->n_machines < MAX_CHECKED ? topology->n_machines : MAX_CHECKED;
    if (topology->max_hops > MAX_HOPS)
        return;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t source = 0; source < n; source++)
        for (uint32_t destination = 0; destination < n; destination++)
            check_route(topology, source, topology->n_machines - 1 - destination, hops);
    free(hops);
}

/* Every write starts with one '?' at each end of the declaration; more stand for
 * control characters in names, which XML cannot hold. */
static bool is_faithful(const struct text *xml)
{
    uint32_t n = 0;
    for (size_t i = 0; i < xml->length; i++)
        n += xml->data[i] == '?';
    return n == 2;
}

/* A shape that is claimed is one that can be read, of as many machines. */
static void check_shape(const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct text text = {0};
    const char *problem = NULL;
    if (shape_format.write(topology, &text, &problem)) {
        const struct source *source =
            source_of_text("shape", text.data, text.length - 1, &arena);
        struct topology *again = synthetic_read(source, &(struct shape_others){0}, &diagnostics);
        require(again && again->n_machines == topology->n_machines);
        topology_free(again);
    } else {
        require(problem != NULL);
    }
    text_free(&text);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

static void check_written(const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct text xml = {0};
    const char *problem = NULL;
    if (!xml_format.write(topology, &xml, &problem)) {
        /* names that no list can hold, or a kind that has a string and no element */
        require(problem && (topology_n_networks(topology) > 1 || topology->base ||
                            topology_is_implicit(topology)));
        text_free(&xml);
        return;
    }
    const struct source *source = source_of_text("written", xml.data, xml.length, &arena);
    struct topology *again = topology_read_source(&xml_format, source, &diagnostics);
    if (is_faithful(&xml))
        require(again && again->fingerprint == topology->fingerprint);
    topology_free(again);
    text_free(&xml);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

/* A file in that format; NULL: a string. */
static void try_reader(const struct topology_format *format, const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    struct topology *topology = NULL;
    if (source_check_utf8(source, &diagnostics))
        topology = format ? topology_read_source(format, source, &diagnostics)
                          : synthetic_read(source, &(struct shape_others){0}, &diagnostics);
    require((topology != NULL) == !diagnostics_has_errors(&diagnostics));
    if (topology) {
        check_routes(topology);
        check_written(topology);
        check_shape(topology);
    }
    struct text text = {0};
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    topology_free(topology);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

static const struct topology_format *const formats[] = {
#define READS(name, spelling, title) &name##_format,
#include "network/formats/formats.def"
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* The format that recognises the file; of what none does, any: a file may be given by the name of its
 * format. Not those of which other things are required, in targets of their own: descriptions of machines are
 * tried by another program (fuzz_machine.c), DOT says routes, of which some may be missing (fuzz_dot.c), and
 * a link of a platform may be crossed in several places (fuzz_simgrid.c). */
static const struct topology_format *format_of(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    const struct topology_format *format = formats[size % N_FORMATS];
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->is(source)) {
            format = formats[i];
            break;
        }
    arena_free(&arena);
    const bool is_tried_elsewhere =
        format == &hwloc_format || format == &dot_format || format == &simgrid_format;
    return is_tried_elsewhere ? &xml_format : format;
}

static uint32_t count_lines(const struct source *source)
{
    uint32_t n = 0;
    for (size_t i = 0; i < source->length; i++)
        n += source->text[i] == '\n';
    return n;
}

static bool is_any(const struct source *source)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i] != &hwloc_format && formats[i]->is(source))
            return true;
    return false;
}

/* Lines that are taken off, or left out, leave the numbers of lines as they are. */
static void try_excerpt(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    const struct source *clean = excerpt_clean(source, &arena);
    uint32_t line;
    require(clean->length <= source->length && count_lines(clean) == count_lines(source));
    const struct source *part = size < 4096 ? excerpt_find(clean, is_any, &arena, &line) : NULL;
    require(!part || (is_any(part) && line <= count_lines(part) + 1));
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_excerpt(data, size);
    const bool is_string = size < 200 && memchr(data, ':', size) && !memchr(data, '\n', size);
    try_reader(is_string ? NULL : format_of(data, size), data, size);
    return 0;
}
