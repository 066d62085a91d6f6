/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthetic strings:
 *
 *   KIND ":" NUMBER {"x" NUMBER} {"," OPTION "=" VALUE}
 *
 * shapes.def lists the kinds; in a mesh or torus a number may carry the suffix t (wraps) or m (does
 * not). Options: up (fattree, rail, dragonfly+), cables (star, fattree), bw, lat, ports; bw and lat take one
 * value, or one for each dimension or level with ':' between. topology_shape prints the same language.
 */
#include "network/formats/synthetic/shape.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <string.h>

static const char kinds_help[] = "the kinds, by an example of each:"
#define SHAPE(name, example, ...) " " example
#include "network/formats/synthetic/shapes.def"
    "; any other network is given as a file, such as DOT (docs/formats.md)";

/* Names that others use for our kinds. */
static const struct {
    const char *theirs, *ours;
} namesakes[] = {{"clos", "fattree"},  {"foldedclos", "fattree"}, {"xgft", "fattree"}, {"grid", "mesh"},
                 {"ring", "torus"},    {"fullmesh", "full"},      {"complete", "full"}, {"clique", "full"},
                 {"switch", "star"},   {"crossbar", "star"},   {"rails", "rail"},     {"railoptimised", "rail"},
                 {"railoptimized", "rail"},      {"line", "mesh"},    {"tofud", "tofu"},
                 {"dragonflyplus", "dragonfly+"}};

struct spec {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct shape_request request;
    struct slice numbers; /* after the colon */
    struct slice rest;    /* not read yet */
    uint32_t seen;        /* options, one bit each */
};

/* ---- pieces of the string ---- */

static bool synthetic_complain(const struct spec *spec, uint32_t code, struct slice slice,
                               const char *message, const char *help)
{
    report(spec->diagnostics, code, slice_position(spec->source, slice), "'%.*s': %s",
           (int)slice.length, slice.text, message)->help = help;
    return false;
}

bool synthetic_is(const char *spec)
{
    const char *colon = strchr(spec, ':');
    return colon && shape_find((struct slice){spec, (size_t)(colon - spec)});
}

const char *synthetic_example(const char *name)
{
    const struct shape_kind *kind = shape_find(slice_of(name));
    return kind ? kind->example : NULL;
}

/* ---- reading ---- */

static bool synthetic_read_factors(const struct spec *spec, struct slice slice, struct factors *factors)
{
    static const char joined[] = "numbers are joined by 'x', as in 8x8x4";
    size_t at;
    enum value_result result = parse_factors(slice, factors, &at);
    if (result == VALUE_OK)
        return true;
    struct slice wrong = {slice.text + at, slice.length - at};
    if (result == VALUE_RANGE)
        return synthetic_complain(spec, CODE_T006, wrong, "at most 8 numbers, each below 2^32",
                                  "a topology has up to 8 dimensions or levels and 2^30 machines");
    if (wrong.length)
        return synthetic_complain(spec, CODE_T001, wrong, "expected a number", joined);
    const char *from = spec->source->text;
    report(spec->diagnostics, CODE_T001, slice_position(spec->source, wrong),
           "'%.*s': a number is missing at its end", (int)(wrong.text - from), from)->help = joined;
    return false;
}

/* Returns the kind that a word means, in any case, with and without hyphens; NULL if none. */
static const char *kind_like(struct slice word)
{
    char plain[32];
    size_t n = 0;
    for (size_t i = 0; i < word.length && n + 1 < sizeof plain; i++) {
        const char letter = word.text[i];
        if (letter != '-' && letter != '_')
            plain[n++] = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
    }
    plain[n] = '\0';
    for (size_t i = 0; i < sizeof namesakes / sizeof *namesakes; i++)
        if (strcmp(plain, namesakes[i].theirs) == 0)
            return namesakes[i].ours;
    for (size_t i = 0; n > 2 && i < shape_n_names; i++)
        if (strncmp(shape_names[i], plain, n) == 0)
            return shape_names[i];
    return nearest(plain, n, shape_names, shape_n_names);
}

/* Returns the string that was probably meant by one of no kind and no file: "torus:8x8" for "Torus8x8";
 * NULL if unknown. The arena owns it. The word ends before the first digit; only numbers of a kind may
 * follow it. */
static const char *what_is_meant(const char *spec, struct arena *arena)
{
    const size_t length = strcspn(spec, "0123456789:,=");
    const char *rest = spec + length + (spec[length] == ':' || spec[length] == '=');
    const struct slice word = {spec, length};
    const bool is_path = memchr(spec, '/', length) || memchr(spec, '.', length);
    const char *kind = length && !is_path ? kind_like(word) : NULL;
    const size_t numbers = strspn(rest, "0123456789xXmt*");
    if (!kind || (rest[numbers] && rest[numbers] != ','))
        return NULL;
    if (!numbers)
        return synthetic_example(kind);
    char *text = arena_printf(arena, "%s:%s", kind, rest);
    for (char *at = text + strlen(kind); *at && *at != ','; at++)
        *at = *at == 'X' || *at == '*' ? 'x' : *at;
    return text;
}

bool synthetic_report_unknown(const char *spec, struct diagnostics *diagnostics)
{
    const char *meant = what_is_meant(spec, &diagnostics->arena);
    if (!meant && strpbrk(spec, "./0123456789"))
        return false;
    if (!meant)
        meant = nearest_file(spec, &diagnostics->arena);
    report(diagnostics, CODE_T001, (struct position){0}, "'%s' is no file, and no kind of network", spec)
        ->help =
        did_you_mean(&diagnostics->arena, meant, kinds_help);
    return true;
}

/* Returns the string of a kind, or the word in front of a missing file, that was probably meant. */
static const char *meant(const struct spec *spec, struct slice word, const struct shape_others *others)
{
    const char *string = what_is_meant(spec->source->text, &spec->diagnostics->arena);
    return string ? string : nearest(word.text, word.length, others->words, others->n);
}

static bool read_kind(struct spec *spec, const struct shape_others *others)
{
    struct slice kind = slice_take_until(&spec->rest, ':');
    spec->request.kind = shape_find(kind);
    if (!spec->request.kind)
        return synthetic_complain(
            spec, CODE_T001, kind, "unknown kind of topology",
            did_you_mean(&spec->diagnostics->arena, meant(spec, kind, others), kinds_help));
    return true;
}

static bool has_suffix(const struct factors *factors)
{
    for (uint32_t i = 0; i < factors->n; i++)
        if (factors->suffix[i])
            return true;
    return false;
}

static bool complain_of_suffix(const struct spec *spec, struct slice slice)
{
    return synthetic_complain(spec, CODE_T001, slice,
                              "the suffixes m and t are for extents of a mesh or torus",
                              "leave the suffix out");
}

static bool check_numbers(const struct spec *spec)
{
    const struct shape_kind *kind = spec->request.kind;
    const struct factors *numbers = &spec->request.down;
    if (numbers->n < kind->least || numbers->n > kind->most)
        return synthetic_complain(spec, CODE_T001, spec->numbers,
                                  kind->least < kind->most
                                      ? diagnostics_text(spec->diagnostics, "%s takes %u to %u numbers",
                                                         kind->name, kind->least, kind->most)
                                      : diagnostics_text(spec->diagnostics, "%s takes %u number%s", kind->name,
                                                         kind->most, kind->most > 1 ? "s" : ""),
                                  diagnostics_text(spec->diagnostics, "as in %s", kind->example));
    return kind->has_suffixes || !has_suffix(numbers) || complain_of_suffix(spec, spec->numbers);
}

static bool synthetic_read_numbers(struct spec *spec)
{
    spec->numbers = slice_take_until(&spec->rest, ',');
    return synthetic_read_factors(spec, spec->numbers, &spec->request.down) && check_numbers(spec);
}

static bool check_value(const struct spec *spec, enum value_result result, struct slice value,
                        const char *help)
{
    if (result == VALUE_SYNTAX)
        return synthetic_complain(spec, CODE_T001, value, "not a number with a known unit", help);
    if (result == VALUE_RANGE)
        return synthetic_complain(spec, CODE_T006, value, "value out of range", help);
    return true;
}

static bool read_up(struct spec *spec, struct slice value)
{
    struct shape_request *request = &spec->request;
    if (request->kind->up == UP_NONE)
        return synthetic_complain(
            spec, CODE_T001, value,
            diagnostics_text(spec->diagnostics, "%s has no option 'up'", request->kind->name),
            "leave it out, or write fattree:16x16,up=1x8");
    if (!synthetic_read_factors(spec, value, &request->up))
        return false;
    if (has_suffix(&request->up))
        return complain_of_suffix(spec, value);
    if (request->kind->up == UP_SPINES)
        return request->up.n <= 2 ||
               synthetic_complain(spec, CODE_T001, value, "more than two numbers",
                                  "give the spines; besides of rails the core switches, rail:64x8,up=16x4, of "
                                  "dragonfly+ the cables between two groups, dragonfly+:4x4x5,up=4x8");
    return request->up.n == request->down.n ||
           synthetic_complain(
               spec, CODE_T001, value, "not as many numbers as levels",
               "give the parents of a node of level 0, 1, ..., as in fattree:16x16x8,up=1x8x8");
}

static bool synthetic_read_cables(struct spec *spec, struct slice value)
{
    struct shape_request *request = &spec->request;
    if (!request->kind->has_cables)
        return synthetic_complain(
            spec, CODE_T001, value,
            diagnostics_text(spec->diagnostics, "%s has no option 'cables'", request->kind->name),
            "leave it out, or write the network as XML, whose links have cables");
    if (!synthetic_read_factors(spec, value, &request->cables))
        return false;
    if (has_suffix(&request->cables))
        return complain_of_suffix(spec, value);
    return request->cables.n == request->down.n ||
           synthetic_complain(spec, CODE_T001, value, "not as many numbers as levels",
                              "give the cables between a node of level 0, 1, ... and each parent, as in "
                              "fattree:10x5,up=1x2,cables=1x2");
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

/* Reads one value, or one for each dimension or level. */
static bool synthetic_read_quantities(struct spec *spec, struct slice value,
                                      enum value_result (*parse)(struct slice, uint64_t *),
                                      struct quantities *quantities, const char *help)
{
    struct slice wrong;
    enum value_result result = parse_quantities(value, parse, quantities, &wrong);
    if (result != VALUE_OK)
        return check_value(spec, result, wrong, help);
    uint32_t n_classes = shape_n_classes(&spec->request);
    if (quantities->n == 1 || quantities->n == n_classes)
        return true;
    return synthetic_complain(spec, CODE_T001, value, "not as many values as dimensions or levels",
                              diagnostics_text(spec->diagnostics,
                                               "give one value for all links, or one for each dimension or "
                                               "level, here %u, lowest first with ':' between",
                                               n_classes));
}

static bool synthetic_read_value(struct spec *spec, int option, struct slice value)
{
    struct shape_request *request = &spec->request;
    switch (option) {
    case 0: return read_up(spec, value);
    case 1: return synthetic_read_cables(spec, value);
    case 2:
        return synthetic_read_quantities(spec, value, parse_bandwidth, &request->bandwidths, BANDWIDTH_HELP);
    case 3:
        return synthetic_read_quantities(spec, value, parse_latency, &request->latencies, LATENCY_HELP);
    default: return read_ports(spec, value);
    }
}

static bool synthetic_read_option(struct spec *spec, struct slice value)
{
    static const char *const options[] = {"up", "cables", "bw", "lat", "ports"};
    enum { N_OPTIONS = sizeof options / sizeof *options };
    static const char list[] = "the options are up, cables, bw, lat and ports";
    if (!memchr(value.text, '=', value.length))
        return synthetic_complain(spec, CODE_T001, value, "expected OPTION=VALUE",
                                  !value.length ? "take the comma out, or write bw=2GB/s behind it"
                                  : text_is_digit(*value.text) ? "numbers are joined by 'x', as in 8x8x4"
                                                               : list);
    struct slice name = slice_take_until(&value, '=');
    for (int i = 0; i < N_OPTIONS; i++) {
        if (!slice_is(name, options[i]))
            continue;
        if (spec->seen & 1u << i)
            return synthetic_complain(spec, CODE_T001, name, "option given twice", "keep one of the two");
        spec->seen |= 1u << i;
        return synthetic_read_value(spec, i, value);
    }
    if (slice_is(name, "bandwidth") || slice_is(name, "latency"))
        return synthetic_complain(spec, CODE_T001, name, "unknown option",
                                  slice_is(name, "latency") ? "did you mean 'lat'?" : "did you mean 'bw'?");
    return synthetic_complain(spec, CODE_T001, name, "unknown option",
                              did_you_mean(&spec->diagnostics->arena,
                                           nearest(name.text, name.length, options, N_OPTIONS), list));
}

/* Reads all options, so that one run shows every mistake in them. */
static bool synthetic_read_options(struct spec *spec)
{
    bool good = true;
    struct slice piece = spec->numbers;
    while (piece.text[piece.length] == ',') { /* the source ends in a NUL */
        piece = slice_take_until(&spec->rest, ',');
        good = synthetic_read_option(spec, piece) && good;
    }
    return good;
}

struct topology *synthetic_read(const struct source *source, const struct shape_others *others,
                                struct diagnostics *diagnostics)
{
    struct spec spec = {.source = source,
                        .diagnostics = diagnostics,
                        .request.settings.latency = TOPOLOGY_DEFAULT_LATENCY,
                        .rest = {source->text, source->length}};
    bool good = read_kind(&spec, others) && synthetic_read_numbers(&spec);
    if (!good || !synthetic_read_options(&spec))
        return NULL;
    spec.request.settings.name = source->text;
    const char *problem;
    struct topology *topology = shape_make(&spec.request, &problem);
    if (!topology)
        synthetic_complain(&spec, CODE_T006, spec.numbers, problem,
                           "numbers are at least 1; a topology has up to 2^30 machines and 2^32 - 2 links, "
                           "an extent of a grid is up to 2^20, a full mesh has up to 65536 machines");
    return topology;
}
