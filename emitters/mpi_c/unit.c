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
    const bool reduces = info->reduces && info->combines != COMBINES_SAID; /* a pattern if it says so */
    return (info->numbering != NUMBERED_NONE ? C(DATA) : 0) | (info->rooted ? C(ROOT) : 0) |
           (info->rooted && !is_alike ? C(IN_PLACE) : 0) | (reduces ? C(MOVE) | C(REDUCTION) : 0) |
           (info->numbering == NUMBERED_PAIRS ? C(MOVE) | C(ALLOC) : 0) |
           (collective_is_of_neighbors(collective) ? C(NEIGHBORS) : 0);
}

static uint64_t of_form(enum collective_form form)
{
    if (form == FORM_EQUAL)
        return 0;
    return C(COUNTS) | C(UNEQUAL) |
           (form == FORM_alltoallw || form == FORM_neighbor_alltoallw ? C(TYPES) : 0);
}

/* Adds the features that others imply. */
static uint64_t unit_complete(uint64_t features)
{
    if (features & (C(RECV_REDUCE) | C(COMBINE)))
        features |= C(MOVE) | C(REDUCTION);
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
    else if (features & C(EACH)) /* a map moves the blocks of a range apart */
        features = (features & ~C(EACH)) | C(SETS);
    if ((features & C(EACH)) || !(features & (C(SEND) | C(RECV) | C(RECV_REDUCE))))
        features &= ~C(RANGE);
    if (features & C(SIZED)) /* its messages are described by their parts (runtime/sized.c) */
        features = (features & ~(C(RANGE) | C(SETS) | C(EACH) | C(SEND) | C(RECV) | C(SIGNAL))) | C(MOVE);
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
    if (options->is_library) /* a barrier's messages are signals there */
        features |= C(LIBRARY) | C(DATA);
    if (options->with_main && collective_is_pattern(collective)) /* what ranks need is put together */
        features |= C(ALLOC) | C(MOVE);
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

const char *c_trait_name(size_t trait)
{
    static const char *const features[] = {
#define FEATURE(name) #name,
#include "emitters/mpi_c/features.def"
#undef FEATURE
    };
    if (trait < N_FEATURES)
        return features[trait];
    trait -= N_FEATURES;
    if (trait < N_COLLECTIVES)
        return collective_name((enum collective)trait, FORM_EQUAL);
    trait -= N_COLLECTIVES - 1; /* FORM_EQUAL has no name of its own */
    return trait < N_FORMS ? collective_name(collective_of_form((enum collective_form)trait),
                                             (enum collective_form)trait)
                           : NULL;
}

/* Returns the trait of that name, in capitals, or N_TRAITS. */
static size_t unit_trait(const char *name, size_t length)
{
    size_t trait = 0;
    while (c_trait_name(trait) && !unit_is_name(name, length, c_trait_name(trait)))
        trait++;
    return trait;
}

bool c_unit_has_trait(const struct c_unit *unit, size_t trait)
{
    if (trait < N_FEATURES)
        return unit->features >> trait & 1;
    return strcmp(c_trait_name(trait), collective_name(unit->collective, unit->form)) == 0;
}

bool c_unit_has(const struct c_unit *unit, const char *name, size_t length)
{
    const size_t trait = unit_trait(name, length);
    bool is_helper = false;
    if (c_trait_name(trait))
        return c_unit_has_trait(unit, trait);
    const bool is_used = c_helper_is_used(unit->helpers, name, length, &is_helper);
    assert(is_helper);
    return is_used;
}

void c_trait(const struct c_set *set, const char *name, size_t length, struct text *out)
{
    const size_t trait = unit_trait(name, length);
    assert(c_trait_name(trait));
    set->traits[trait] = true;
    text_printf(out, "run->has->");
    for (size_t i = 0; i < length; i++)
        text_printf(out, "%c", tolower((unsigned char)name[i]));
}

/* --- words --------------------------------------------------------------- */

struct signature {
    const char *collective, *mpi_name, *parameters, *arguments;
};

static const struct signature *signature_of(const struct c_unit *unit)
{
    static const struct signature all[] = {
#define SIGNATURE(name, mpi, parameters, arguments) {#name, #mpi, #parameters, #arguments},
#define PATTERN_SIGNATURES
#include "emitters/mpi_c/signatures.def"
#undef PATTERN_SIGNATURES
#undef SIGNATURE
    };
    const char *name = collective_name(unit->collective, unit->form);
    const struct signature *signature = all;
    while (strcmp(signature->collective, name) != 0) {
        signature++;
        assert(signature < all + sizeof all / sizeof *all); /* it has no line in signatures.def */
    }
    return signature + (collective_is_pattern(unit->collective) && unit->features & C(REDUCTION));
}

void c_change_counts(const char *list, const char *before, const char *instead, const char *behind,
                     struct text *out)
{
    static const char *const counts[] = {"count,", "sendcount,", "recvcount,"};
    for (const char *at = list + 1; at[1];) {
        const size_t length = strncmp(at, before, strlen(before)) == 0 ? strlen(before) : 0;
        const char *found = NULL;
        for (size_t i = 0; i < sizeof counts / sizeof *counts && (length || !*before); i++)
            if (strncmp(at + length, counts[i], strlen(counts[i])) == 0 && (at[-1] == ' ' || at[-1] == '('))
                found = counts[i];
        if (found) {
            text_printf(out, "%s%.*s%s", instead, (int)strlen(found) - 1, found, behind);
            at += length + strlen(found) - 1;
        } else {
            text_append(out, at++, 1);
        }
    }
}

/* Prints "alltoall/ring" as a literal of C. */
static void unit_print_title(const struct c_unit *unit, struct text *out)
{
    text_printf(out, "\"%s/", collective_name(unit->collective, unit->form));
    for (const char *c = unit->algorithm; *c; c++)
        text_printf(out, "%c", strchr("\"\\\n%", *c) ? '_' : *c);
    text_printf(out, "\"");
}

/* Prints the texts that a library has for words: it calls MPI's functions behind its own, and those of
 * the algorithm that was chosen. */
static bool unit_library_text(const struct c_set *set, const char *word, size_t length, struct text *out)
{
    static const struct {
        const char *word, *text;
        const char *end; /* behind MPI's name of the collective; NULL: the text has no such name */
    } all[] = {{"COLLC_FUNCTION", "collc_take_", ""},
               {"COLLC_LARGE_FUNCTION", "collc_take_", "_c"},
               {"COLLC_LARGE_MPI", "MPI_", "_c"},
               {"COLLC_LARGE_UPPER", "PMPI_", "_c"},
               {"COLLC_LARGE_PMPI", "collc_real.", "_c"},
               {"COLLC_LARGE_TOOL", "collc_tool.", "_c"},
               {"COLLC_MPI", "MPI_", ""},
               {"COLLC_UPPER", "PMPI_", ""},
               {"COLLC_PMPI", "collc_real.", ""},
               {"COLLC_TOOL", "collc_tool.", ""},
               {"COLLC_ALLREDUCE", "collc_real.Allreduce", NULL},
               {"COLLC_BCAST", "collc_real.Bcast", NULL},
               {"COLLC_ALLGATHER", "collc_real.Allgather", NULL},
               {"COLLC_FITS", "run->algorithm->fits", NULL},
               {"COLLC_STEPS", "run->algorithm->steps", NULL},
               {"COLLC_LIKE", "run->algorithm->like", NULL},
               {"COLLC_LIKE_BUFFER", "run->algorithm->like_buffer", NULL}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (unit_is_name(word, length, all[i].word)) {
            text_printf(out, "%s", all[i].text);
            if (all[i].end)
                text_printf(out, "%s%s", signature_of(set->units[0])->mpi_name, all[i].end);
            return true;
        }
    if (unit_is_name(word, length, "COLLC_COLLECTIVE"))
        text_printf(out, "%zu", set->collective);
    else if (unit_is_name(word, length, "COLLC_VERSION"))
        text_printf(out, "\"%s\"", set->version);
    else
        return false;
    return true;
}

bool c_unit_text(const struct c_set *set, const char *word, size_t length, struct text *out)
{
    const struct c_unit *unit = set->units[0];
    const struct signature *signature = signature_of(unit);
    const char *parameters = signature->parameters, *arguments = signature->arguments;
    const size_t before = out->length;
    if (set->is_library && unit_library_text(set, word, length, out))
        return true;
    if (unit_is_name(word, length, "COLLC_FUNCTION"))
        text_printf(out, "%s", unit->function);
    else if (unit_is_name(word, length, "COLLC_MPI"))
        text_printf(out, "MPI_%s", signature->mpi_name);
    else if (unit_is_name(word, length, "COLLC_PMPI"))
        text_printf(out, "%s%s",
                    !collective_is_pattern(unit->collective) ? "PMPI_"
                    : unit->features & C(MAIN)               ? "collc_reference"
                                                             : "collc_refuse",
                    signature->mpi_name);
    else if (unit_is_name(word, length, "COLLC_ALLREDUCE"))
        text_printf(out, "PMPI_Allreduce");
    else if (unit_is_name(word, length, "COLLC_BCAST"))
        text_printf(out, "PMPI_Bcast");
    else if (unit_is_name(word, length, "COLLC_ALLGATHER"))
        text_printf(out, "PMPI_Allgather");
    else if (unit_is_name(word, length, "COLLC_PARAMETERS")) /* without their parentheses */
        text_append(out, parameters + 1, strlen(parameters) - 2);
    else if (unit_is_name(word, length, "COLLC_ARGUMENTS"))
        text_append(out, arguments + 1, strlen(arguments) - 2);
    else if (unit_is_name(word, length, "COLLC_LARGE_PARAMETERS"))
        c_change_counts(parameters, "int ", "MPI_Count ", "", out);
    else if (unit_is_name(word, length, "COLLC_SMALL_ARGUMENTS"))
        c_change_counts(arguments, "", "collc_small(", ")", out);
    else if (unit_is_name(word, length, "COLLC_NAME"))
        unit_print_title(unit, out);
    else if (unit_is_name(word, length, "COLLC_CHUNKS"))
        text_printf(out, unit->features & C(PLACE) ? "collc_placed" : "collc_chunks");
    else if (unit_is_name(word, length, "COLLC_FITS"))
        text_printf(out, "collc_fits");
    else if (unit_is_name(word, length, "COLLC_STEPS"))
        text_printf(out, "collc_steps");
    else if (unit_is_name(word, length, "COLLC_LIKE"))
        text_printf(out, "collc_like");
    else if (unit_is_name(word, length, "COLLC_LIKE_BUFFER"))
        text_printf(out, "collc_like_buffer");
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

/* Prints how a function is called that is none of MPI's. */
static void print_pattern_use(const struct c_unit *unit, struct text *out)
{
    text_printf(out,
                unit->features & C(REDUCTION)
                    ? " * %s: `count` elements of `datatype` are a chunk, of sendbuf and of recvbuf.\n"
                      " * Chunks are combined by `op`, which must commute.\n"
                    : " * %s: sendcount elements of sendtype are a chunk of sendbuf,\n"
                      " * recvcount of recvtype one of recvbuf. They are as many bytes on all ranks.\n",
                unit->function);
    text_printf(out, " * Chunks lie end to end. On a communicator that the pattern is not for it returns\n"
                     " * MPI_ERR_UNSUPPORTED_OPERATION, by the error handler.\n */\n");
}

void c_heading(const struct c_unit *unit, struct text *out)
{
    const char *name = signature_of(unit)->mpi_name;
    const bool is_pattern = collective_is_pattern(unit->collective);
    text_printf(out, "/* SPDX-License-Identifier: 0BSD */\n/* %s%s", is_pattern ? "The pattern " : "MPI_",
                is_pattern ? "" : name);
    text_printf(out, is_pattern ? "" : " by the algorithm ");
    for (const char *c = unit->algorithm; *c; c++)
        text_printf(out, "%c", strchr("*/\n", *c) ? '_' : *c);
    text_printf(out, ". Generated by collc.\n *\n");
    if (unit->description && *unit->description) {
        print_comment(unit->description, out);
        text_printf(out, " *\n");
    }
    text_printf(out, " * %s\n *\n", unit->scope);
    if (is_pattern) {
        print_pattern_use(unit, out);
        return;
    }
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

void c_template_one(const struct c_unit *unit, const char *name, struct text *out)
{
    bool traits[C_MAX_TRAITS];
    c_template(&(struct c_set){.units = &unit, .n = 1, .traits = traits}, name, out);
}

void c_runtime(const struct c_unit *unit, struct text *out)
{
    c_template_one(unit, "types.c", out);
    if (unit->clusters && (unit->features & C(CLUSTERS)))
        print_machines(unit->clusters, out);
    c_template_one(unit, "clusters.c", out);
    c_template_one(unit, "communicator.c", out);
    c_template_one(unit, "neighbors.c", out);
    if (unit->map) {
        print_map(unit->map, out);
        c_template_one(unit, "map.c", out);
    }
    c_template_one(unit, "buffers.c", out);
    c_template_one(unit, "messages.c", out);
    c_template_one(unit, "sets.c", out);
    c_template_one(unit, "sized.c", out);
    c_template_one(unit, "step.c", out);
}

const char c_needs_begin[] =
    "static void collc_need(struct collc_run *run, int64_t chunk, int64_t n, int64_t from, int rank);\n\n"
    "/* What this rank needs in the end. */\n"
    "static void collc_say_needs(struct collc_run *run)\n{\n";

void c_entry(const struct c_unit *unit, struct text *out)
{
    c_template_one(unit, "operation.c", out);
    c_template_one(unit, "open.c", out);
    c_template_one(unit, "layout.c", out);
    c_template_one(unit, "entry.c", out);
    if (unit->features & C(MAIN)) {
        if (unit->features & C(DATA)) {
            c_template_one(unit, "test.c", out);
            c_template_one(unit, "test_call.c", out);
            c_template_one(unit, "test_try.c", out);
        } else {
            c_template_one(unit, "test_barrier.c", out);
        }
        c_template_one(unit, "test_main.c", out);
    }
}
