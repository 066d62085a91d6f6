/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Describes a file of emitted C: its features, its texts for the words that runtime/ leaves open, and its
 * parts in order.
 */
#include "emitters/mpi_c/mpi_c.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* --- features ------------------------------------------------------------ */

/* Returns the features that a collective needs, whatever the algorithm. The root of a bcast has no other
 * place for its data than the others. */
static uint64_t of_collective(enum collective collective)
{
    const struct collective_info *info = &collective_table[collective];
    const bool is_alike = info->numbering == NUMBERED_WHOLE && info->before == HELD_ROOT;
    return (info->numbering != NUMBERED_NONE ? C(DATA) : 0) | (info->rooted ? C(ROOT) : 0) |
           (info->rooted && !is_alike ? C(IN_PLACE) : 0) | (info->reduces ? C(MOVE) | C(REDUCTION) : 0) |
           (info->numbering == NUMBERED_PAIRS ? C(MOVE) | C(ALLOC) : 0);
}

static uint64_t of_form(enum collective_form form)
{
    if (form == FORM_EQUAL)
        return 0;
    return C(COUNTS) | C(UNEQUAL) | (form == FORM_alltoallw ? C(TYPES) : 0);
}

/* Adds the features that others imply. */
static uint64_t unit_complete(uint64_t features)
{
    const bool is_cut_scratch = (features & C(TMP)) && (features & C(SEGMENTS));
    if (features & C(COPY))
        features |= C(MOVE);
    if (features & (C(TMP) | C(REDUCTION)))
        features |= C(ALLOC);
    if ((features & C(SEGMENTS)) && !(features & C(REDUCTION))) /* cut in bytes, perhaps packed */
        features |= C(ALLOC) | C(MOVE);
    if (is_cut_scratch && !(features & C(UNEQUAL)))
        features |= C(HELD);
    if (!(features & C(PLACE)))
        features &= ~C(EACH);
    if (features & C(HELD))
        features |= C(EACH);
    if (features & C(EACH))
        features &= ~C(RANGE);
    if (features & C(MAP))
        features &= ~C(ORDERED);
    return features;
}

bool c_is_by_rank(enum collective collective)
{
    bool found = false;
    for (int buffer = 0; buffer < BUFFER_TMP; buffer++)
        found = found || collective_is_by_rank(collective, (enum buffer)buffer);
    return found;
}

void c_unit_init(struct c_unit *unit, enum collective collective, enum collective_form form,
                 const char *algorithm, uint64_t features, const struct emit_c_options *options)
{
    *unit = (struct c_unit){
        .collective = collective, .form = form, .algorithm = algorithm, .map = options->map,
        .clusters = options->clusters};
    if (options->map)
        features |= C(MAP) | (c_is_by_rank(collective) ? C(PLACE) : 0);
    features |= of_collective(collective) | of_form(form);
    features |= (options->with_main ? C(MAIN) : 0) | (options->clusters ? C(MACHINES) : 0);
    unit->features = unit_complete(features);
    c_name_function(unit, options->function);
}

static bool unit_is_name(const char *name, size_t length, const char *of)
{
    if (strlen(of) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] != toupper((unsigned char)of[i]))
            return false;
    return true;
}

bool c_unit_has(const struct c_unit *unit, const char *name, size_t length)
{
    static const char *const features[] = {
#define FEATURE(name) #name,
#include "emitters/mpi_c/features.def"
#undef FEATURE
    };
    bool is_helper = false;
    for (int i = 0; i < N_FEATURES; i++)
        if (unit_is_name(name, length, features[i]))
            return unit->features >> i & 1;
    for (int form = FORM_EQUAL + 1; form < N_FORMS; form++)
        if (unit_is_name(name, length, collective_name(unit->collective, (enum collective_form)form)))
            return unit->form == (enum collective_form)form;
    for (int collective = 0; collective < N_COLLECTIVES; collective++)
        if (unit_is_name(name, length, collective_table[collective].name))
            return unit->form == FORM_EQUAL && unit->collective == (enum collective)collective;
    const bool is_used = c_helper_is_used(unit->helpers, name, length, &is_helper);
    assert(is_helper);
    return is_used;
}

/* --- words --------------------------------------------------------------- */

struct signature {
    const char *collective, *mpi_name, *parameters, *arguments;
};

static const struct signature *signature_of(const struct c_unit *unit)
{
    static const struct signature all[] = {
#define SIGNATURE(name, mpi, parameters, arguments) {#name, #mpi, #parameters, #arguments},
#include "emitters/mpi_c/signatures.def"
#undef SIGNATURE
    };
    const char *name = collective_name(unit->collective, unit->form);
    const struct signature *signature = all;
    while (strcmp(signature->collective, name) != 0)
        signature++;
    return signature;
}

/* Prints "alltoall/ring" as a literal of C. */
static void unit_print_title(const struct c_unit *unit, struct text *out)
{
    text_printf(out, "\"%s/", collective_name(unit->collective, unit->form));
    for (const char *c = unit->algorithm; *c; c++)
        text_printf(out, "%c", strchr("\"\\\n%", *c) ? '_' : *c);
    text_printf(out, "\"");
}

bool c_unit_text(const struct c_unit *unit, const char *word, size_t length, struct text *out)
{
    const struct signature *signature = signature_of(unit);
    const char *parameters = signature->parameters, *arguments = signature->arguments;
    const size_t before = out->length;
    if (unit_is_name(word, length, "COLLC_FUNCTION"))
        text_printf(out, "%s", unit->function);
    else if (unit_is_name(word, length, "COLLC_MPI"))
        text_printf(out, "MPI_%s", signature->mpi_name);
    else if (unit_is_name(word, length, "COLLC_PMPI"))
        text_printf(out, "PMPI_%s", signature->mpi_name);
    else if (unit_is_name(word, length, "COLLC_PARAMETERS")) /* without their parentheses */
        text_append(out, parameters + 1, strlen(parameters) - 2);
    else if (unit_is_name(word, length, "COLLC_ARGUMENTS"))
        text_append(out, arguments + 1, strlen(arguments) - 2);
    else if (unit_is_name(word, length, "COLLC_NAME"))
        unit_print_title(unit, out);
    else if (unit_is_name(word, length, "COLLC_CHUNKS"))
        text_printf(out, unit->features & C(PLACE) ? "collc_placed" : "collc_chunks");
    else if (unit_is_name(word, length, "COLLC_MAP_RANKS"))
        text_printf(out, "%" PRIu32, unit->map->n);
    else if (unit_is_name(word, length, "COLLC_LEAD"))
        text_printf(out, "%" PRIu32, unit->map->lead);
    else if (unit_is_name(word, length, "COLLC_LEAD_RANK"))
        text_printf(out, "%" PRIu32, unit->map->rank[unit->map->lead]);
    return out->length > before;
}

/* --- parts --------------------------------------------------------------- */

/* Prints text inside a comment, which it must not end. */
static void print_comment(const char *text, struct text *out)
{
    text_printf(out, " *");
    for (const char *c = text, *line = text; *c; c++) {
        bool is_delimiter =
            c > line && ((c[-1] == '*' && *c == '/') || (c[-1] == '/' && *c == '*'));
        if (*c == '\n') {
            text_printf(out, "\n *");
            line = c + 1;
            continue;
        }
        text_printf(out, "%s%s%c", c == line ? " " : "", is_delimiter ? " " : "", *c);
    }
    text_printf(out, "\n");
}

void c_heading(const struct c_unit *unit, struct text *out)
{
    const char *name = signature_of(unit)->mpi_name;
    text_printf(out, "/* SPDX-License-Identifier: 0BSD */\n/* MPI_%s by the algorithm ", name);
    for (const char *c = unit->algorithm; *c; c++)
        text_printf(out, "%c", strchr("*/\n", *c) ? '_' : *c);
    text_printf(out, ". Generated by collc.\n *\n");
    if (unit->description && *unit->description) {
        print_comment(unit->description, out);
        text_printf(out, " *\n");
    }
    text_printf(out, " * %s\n *\n", unit->scope);
    text_printf(out,
                " * Call %s as MPI_%s is called.\n"
                " * Compiled with -DCOLLC_SHIM -shared -fPIC it is a library that takes the place of\n"
                " * MPI_%s by LD_PRELOAD.\n"
                " */\n",
                unit->function, name, name);
    if (unit->features & C(MAIN) && !collective_has_data(unit->collective))
        text_printf(out, "#define _POSIX_C_SOURCE 199309L /* clock_gettime */\n\n");
}

/* Prints a name as a string of C, with special characters in octal. */
static void print_string(const char *name, struct text *out)
{
    text_printf(out, "\"");
    for (const char *c = name; *c; c++) {
        const bool is_plain = *c >= ' ' && *c <= '~' && *c != '"' && *c != '\\' && *c != '?';
        text_printf(out, is_plain ? "%c" : "\\%03o", (unsigned)(unsigned char)*c);
    }
    text_printf(out, "\"");
}

/* Prints the clusters of the topology's machines by name. */
static void print_machines(const struct cluster_names *names, struct text *out)
{
    text_printf(out, "/* The clusters of the machines of the topology. */\n"
                     "static const struct {\n    const char *name;\n    int cluster;\n"
                     "} collc_machines[] = {\n");
    for (uint32_t i = 0; i < names->n; i++) {
        text_printf(out, "    {");
        print_string(names->machine[i], out);
        text_printf(out, ", %u},\n", (unsigned)names->cluster[i]);
    }
    text_printf(out, "};\n\n");
}

static void print_map(const struct rank_map *map, struct text *out)
{
    enum { PER_LINE = 12 };
    text_printf(out, "/* The rank that runs each rank of the algorithm, where there are %" PRIu32
                     ". */\nstatic const int collc_map[%" PRIu32 "] = {", map->n, map->n);
    for (uint32_t v = 0; v < map->n; v++)
        text_printf(out, "%s%" PRIu32 "%s", v % PER_LINE ? " " : "\n    ", map->rank[v],
                    v + 1 < map->n ? "," : "");
    text_printf(out, "\n};\n\n");
}

void c_runtime(const struct c_unit *unit, struct text *out)
{
    c_template(unit, "types.c", out);
    if (unit->clusters && (unit->features & C(CLUSTERS)))
        print_machines(unit->clusters, out);
    if (unit->features & C(CLUSTERS))
        c_template(unit, "clusters.c", out);
    c_template(unit, "communicator.c", out);
    if (unit->map) {
        print_map(unit->map, out);
        c_template(unit, "map.c", out);
    }
    c_template(unit, "buffers.c", out);
    c_template(unit, "messages.c", out);
    c_template(unit, "step.c", out);
}

void c_entry(const struct c_unit *unit, struct text *out)
{
    c_template(unit, "open.c", out);
    c_template(unit, "layout.c", out);
    c_template(unit, "entry.c", out);
    if (unit->features & C(MAIN)) {
        c_template(unit, unit->features & C(DATA) ? "test.c" : "test_barrier.c", out);
        c_template(unit, "test_main.c", out);
    }
}
