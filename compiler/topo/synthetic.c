/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthetic strings:
 *
 *   KIND ":" NUMBER {"x" NUMBER} {"," OPTION "=" VALUE}
 *
 * KIND is star, full, mesh, torus or fattree; in a mesh or torus a number may
 * carry the suffix t (wraps) or m (does not). Options: up (fattree only), bw,
 * lat, ports. topology_shape prints the same language.
 */
#include "compiler/topo/readers.h"

#include <string.h>

static const char *const kinds[] = {"star", "full", "mesh", "torus", "fattree"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };
#define KINDS_HELP "the kinds are star:24, full:8, mesh:9x9, torus:8x8x8 and fattree:16x16x16"

struct spec {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct shape_request request;
    struct slice numbers; /* after the colon */
    struct slice rest;    /* not read yet */
    uint32_t seen;        /* options, one bit each */
};

/* ---- shared with the XML reader ---- */

static struct topology *make_grid(const struct shape_request *request, const char **problem)
{
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];
    for (uint32_t i = 0; i < request->down.n; i++) {
        char suffix = request->down.suffix[i];
        wraps[i] = suffix ? suffix == 't' : request->kind[0] == 't';
    }
    return topology_new_grid(&request->settings, request->down.n, request->down.value, wraps,
                             problem);
}

static struct topology *make_tree(const struct shape_request *request, const char **problem)
{
    uint32_t up[TOPOLOGY_MAX_DIMENSIONS] = {1};
    for (uint32_t i = 1; i < request->down.n; i++)
        up[i] = request->down.value[i - 1];
    if (request->up.n)
        memcpy(up, request->up.value, sizeof up);
    return topology_new_tree(&request->settings, request->down.n, request->down.value, up, problem);
}

struct topology *shape_make(const struct shape_request *request, const char **problem)
{
    if (strcmp(request->kind, "full") == 0)
        return topology_new_full(&request->settings, request->down.value[0], problem);
    if (request->kind[0] == 'm' || request->kind[0] == 't')
        return make_grid(request, problem);
    return make_tree(request, problem);
}

struct position slice_position(const struct source *source, struct slice slice)
{
    return source_position(source, (size_t)(slice.text - source->text),
                           slice.length ? slice.length : 1);
}

/* ---- pieces of the string ---- */

static struct slice until(struct slice *rest, char stop)
{
    const char *found = memchr(rest->text, stop, rest->length);
    size_t length = found ? (size_t)(found - rest->text) : rest->length;
    struct slice piece = {rest->text, length};
    rest->text += length + (found != NULL);
    rest->length -= length + (found != NULL);
    return piece;
}

static bool slice_is(struct slice slice, const char *text)
{
    return strlen(text) == slice.length && memcmp(text, slice.text, slice.length) == 0;
}

static bool complain(const struct spec *spec, enum code code, struct slice slice,
                     const char *message, const char *help)
{
    report(spec->diagnostics, code, slice_position(spec->source, slice), "'%.*s': %s",
           (int)slice.length, slice.text, message)->help = help;
    return false;
}

static const char *find_kind(struct slice slice)
{
    for (int i = 0; i < N_KINDS; i++)
        if (slice_is(slice, kinds[i]))
            return kinds[i];
    return NULL;
}

bool looks_like_synthetic(const char *spec)
{
    const char *colon = strchr(spec, ':');
    return colon && find_kind((struct slice){spec, (size_t)(colon - spec)});
}

/* ---- reading ---- */

static bool read_factors(const struct spec *spec, struct slice slice, struct factors *factors)
{
    size_t at;
    enum value_result result = parse_factors(slice, factors, &at);
    if (result == VALUE_OK)
        return true;
    struct slice wrong = {slice.text + at, slice.length - at};
    if (result == VALUE_RANGE)
        return complain(spec, CODE_T006, wrong, "at most 8 numbers, each below 2^32", NULL);
    return complain(spec, CODE_T001, wrong, "expected a number",
                    "numbers are joined by 'x', as in 8x8x4");
}

static bool read_kind(struct spec *spec)
{
    struct slice kind = until(&spec->rest, ':');
    spec->request.kind = find_kind(kind);
    if (!spec->request.kind)
        return complain(spec, CODE_T001, kind, "unknown kind of topology", KINDS_HELP);
    return true;
}

static bool is_grid(const struct spec *spec)
{
    return spec->request.kind[0] == 'm' || spec->request.kind[0] == 't';
}

static bool check_numbers(const struct spec *spec)
{
    const struct shape_request *request = &spec->request;
    bool one = request->kind[0] == 's' || strcmp(request->kind, "full") == 0;
    if (one && request->down.n != 1)
        return complain(spec, CODE_T001, spec->numbers, "this kind takes one number, the machines",
                        NULL);
    for (uint32_t i = 0; i < request->down.n; i++)
        if (request->down.suffix[i] && !is_grid(spec))
            return complain(spec, CODE_T001, spec->numbers,
                            "the suffixes m and t belong to mesh and torus", NULL);
    return true;
}

static bool read_numbers(struct spec *spec)
{
    spec->numbers = until(&spec->rest, ',');
    return read_factors(spec, spec->numbers, &spec->request.down) && check_numbers(spec);
}

static bool check_value(const struct spec *spec, enum value_result result, struct slice value,
                        const char *help)
{
    if (result == VALUE_SYNTAX)
        return complain(spec, CODE_T001, value, "not a number with a known unit", help);
    if (result == VALUE_RANGE)
        return complain(spec, CODE_T006, value, "value out of range", help);
    return true;
}

static bool read_up(struct spec *spec, struct slice value)
{
    if (strcmp(spec->request.kind, "fattree") != 0)
        return complain(spec, CODE_T001, value, "option 'up' belongs to fattree", NULL);
    if (!read_factors(spec, value, &spec->request.up))
        return false;
    for (uint32_t i = 0; i < spec->request.up.n; i++)
        if (spec->request.up.suffix[i])
            return complain(spec, CODE_T001, value, "the suffixes m and t belong to mesh and torus",
                            NULL);
    if (spec->request.up.n != spec->request.down.n)
        return complain(spec, CODE_T001, value, "not as many numbers as levels",
                        "give the parents of a node of level 0, 1, ..., as in "
                        "fattree:16x16x8,up=1x8x8");
    return true;
}

static bool read_ports(struct spec *spec, struct slice value)
{
    const char *help = "the number of messages a machine can inject at once, 1 to 65536";
    enum value_result result = parse_count(value, &spec->request.settings.ports);
    if (result == VALUE_OK &&
        (!spec->request.settings.ports || spec->request.settings.ports > 65536))
        result = VALUE_RANGE;
    return check_value(spec, result, value, help);
}

static bool read_value(struct spec *spec, int option, struct slice value)
{
    struct topology_settings *settings = &spec->request.settings;
    switch (option) {
    case 0: return read_up(spec, value);
    case 1:
        return check_value(spec, parse_bandwidth(value, &settings->bandwidth), value,
                           BANDWIDTH_HELP);
    case 2: return check_value(spec, parse_latency(value, &settings->latency), value, LATENCY_HELP);
    default: return read_ports(spec, value);
    }
}

static bool read_option(struct spec *spec, struct slice value)
{
    static const char *const options[] = {"up", "bw", "lat", "ports"};
    if (!memchr(value.text, '=', value.length))
        return complain(spec, CODE_T001, value, "expected OPTION=VALUE",
                        "the options are up, bw, lat and ports");
    struct slice name = until(&value, '=');
    for (int i = 0; i < 4; i++) {
        if (!slice_is(name, options[i]))
            continue;
        if (spec->seen & 1u << i)
            return complain(spec, CODE_T001, name, "option given twice", NULL);
        spec->seen |= 1u << i;
        return read_value(spec, i, value);
    }
    return complain(spec, CODE_T001, name, "unknown option",
                    "the options are up, bw, lat and ports");
}

/* Options are all read, so that one run shows every mistake in them. */
static bool read_options(struct spec *spec)
{
    bool good = true;
    struct slice piece = spec->numbers;
    while (piece.text[piece.length] == ',') { /* the source ends in a NUL */
        piece = until(&spec->rest, ',');
        good = read_option(spec, piece) && good;
    }
    return good;
}

struct topology *read_synthetic(const struct source *source, struct diagnostics *diagnostics)
{
    struct spec spec = {.source = source,
                        .diagnostics = diagnostics,
                        .request.settings.latency = TOPOLOGY_DEFAULT_LATENCY,
                        .rest = {source->text, source->length}};
    bool good = read_kind(&spec) && read_numbers(&spec);
    if (!good || !read_options(&spec))
        return NULL;
    spec.request.settings.name = source->text;
    const char *problem;
    struct topology *topology = shape_make(&spec.request, &problem);
    if (!topology)
        complain(&spec, CODE_T006, spec.numbers, problem, NULL);
    return topology;
}
