/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the header of a schedule file (docs/schedule-format.md): one table of
 * fields, then the checks that need several of them. Fields may come in any
 * order, each once. Nothing is allocated by a claimed count alone: `ranks` is
 * bounded before the placement is built.
 */
#include "network/networks.h"
#include "base/codes.h"
#include "ir/schedule_sizes.h"

#include <stdlib.h>
#include <string.h>

struct run {
    uint32_t machine, n_ranks;
};

struct header_reader {
    struct scanner *scanner;
    struct schedule_header *header;
    struct run *runs; /* of the placement */
    size_t n_runs, capacity;
    struct needs_reader needs;
    uint64_t n_placed;
};

#define FIELDS(X)                   \
    X(COLLECTIVE, "collective")     \
    X(ALGORITHM, "algorithm")       \
    X(RANKS, "ranks")               \
    X(ROOT, "root")                 \
    X(SEGMENTS, "segments")         \
    X(IN, "in")                     \
    X(OUT, "out")                   \
    X(TMP, "tmp")                   \
    X(HAS, "has")                   \
    X(NEEDS, "needs")               \
    X(ORDERED, "ordered")           \
    X(EXACT, "exact")               \
    X(CHUNK_BYTES, "chunk-bytes")   \
    X(TOPOLOGY, "topology")         \
    X(PLACEMENT, "placement")       \
    X(NETWORKS, "networks")         \
    X(ADAPTERS, "adapters")         \
    X(COUNTS, "counts")             \
    X(LIKE, "like")

enum field {
#define X(name, word) FIELD_##name,
    FIELDS(X)
#undef X
    N_FIELDS
};

static const char *const field_word[N_FIELDS] = {
#define X(name, word) word,
    FIELDS(X)
#undef X
};

static bool schedule_header_read_collective(struct header_reader *reader)
{
    struct scanner *scanner = reader->scanner;
    const char *from = scanner->at, *name = scan_name(scanner, "the name of a collective");
    if (!name)
        return false;
    reader->header->collective = collective_find_any(name, strlen(name), &reader->header->form);
    if (reader->header->collective != N_COLLECTIVES)
        return true;
    struct text known = {0};
    for (unsigned i = 0; i < N_COLLECTIVES; i++)
        text_printf(&known, "%s%s", i ? ", " : "", collective_table[i].name);
    for (enum collective_form form = FORM_EQUAL + 1; form < N_FORMS; form++)
        text_printf(&known, ", %s", collective_name(N_COLLECTIVES, form));
    struct diagnostic *diagnostic =
        scan_error(scanner, CODE_S001, from, "unknown collective '%s'", name);
    diagnostic->help =
        diagnostics_text(scanner->diagnostics, "the collectives are %s", known.data);
    text_free(&known);
    return false;
}

/* A number from `least` to `most`; S003 outside. */
static bool read_bounded(struct scanner *scanner, const char *what, uint64_t least, uint64_t most,
                         uint64_t *value)
{
    const char *from = scanner->at;
    if (!scan_number(scanner, what, value))
        return false;
    if (*value >= least && *value <= most)
        return true;
    scan_error(scanner, CODE_S003, from, "%s must be between %llu and %llu, not %llu", what,
               (unsigned long long)least, (unsigned long long)most, (unsigned long long)*value);
    return false;
}

static bool schedule_header_read_count(struct scanner *scanner, const char *what, uint64_t most,
                                       uint32_t *count)
{
    uint64_t value = 0;
    bool done = read_bounded(scanner, what, 1, most, &value);
    if (done)
        *count = (uint32_t)value;
    return done;
}

static bool schedule_header_read_root(struct header_reader *reader)
{
    uint64_t root = 0;
    bool done = read_bounded(reader->scanner, "the root", 0, SCHEDULE_MAX_RANKS - 1, &root);
    reader->header->root = (uint32_t)root;
    return done;
}

static bool schedule_header_read_topology(struct header_reader *reader)
{
    reader->header->topology = scan_name(reader->scanner, "the topology in quotes");
    return reader->header->topology &&
           scan_hex(reader->scanner, "the fingerprint of the topology",
                    &reader->header->fingerprint);
}

/* MACHINExRANKS ... */
static bool read_placement(struct header_reader *reader)
{
    struct scanner *scanner = reader->scanner;
    do {
        uint64_t machine, n_ranks;
        const char *from = scanner->at;
        if (!read_bounded(scanner, "a machine", 0, UINT32_MAX - 1, &machine))
            return false;
        if (!scan_char(scanner, 'x')) {
            scan_error(scanner, CODE_S001, from, "expected MACHINExRANKS, such as 0x8");
            return false;
        }
        if (!read_bounded(scanner, "ranks of a machine", 1, SCHEDULE_MAX_RANKS, &n_ranks))
            return false;
        reader->n_placed += n_ranks; /* at most 2^26 for every 4 bytes of text: no overflow */
        reader->runs = mem_grow(reader->runs, &reader->capacity, reader->n_runs + 1,
                                sizeof *reader->runs);
        reader->runs[reader->n_runs++] = (struct run){(uint32_t)machine, (uint32_t)n_ranks};
    } while (!scan_at_line_end(scanner));
    return true;
}

static bool schedule_header_is_taken(const struct schedule_header *header, const char *label)
{
    for (uint32_t i = 0; i < header->n_networks; i++)
        if (strcmp(header->networks[i], label) == 0)
            return true;
    return false;
}

/* LABEL ... */
static bool schedule_header_read_networks(struct header_reader *reader)
{
    struct scanner *scanner = reader->scanner;
    struct schedule_header *header = reader->header;
    const char **labels = arena_alloc(scanner->arena, NETWORKS_MAX, sizeof *labels);
    header->networks = labels;
    do {
        const char *from = scanner->at, *label = scan_name(scanner, "the label of a network");
        if (!label)
            return false;
        if (header->n_networks == NETWORKS_MAX)
            scan_error(scanner, CODE_S003, from, "more than %d networks", NETWORKS_MAX);
        else if (!network_is_label(label))
            scan_error(scanner, CODE_S001, from, "'%s' is no label of a network", label)->help =
                "a label is a word of up to 8 letters and digits, such as FE";
        else if (schedule_header_is_taken(header, label))
            scan_error(scanner, CODE_S002, from, "network '%s' is named twice", label);
        else
            labels[header->n_networks++] = label;
    } while (!scanner->failed && !scan_at_line_end(scanner));
    return !scanner->failed;
}

/* OUT IN ...: names, or numbers */
static bool schedule_header_read_adapters(struct header_reader *reader)
{
    struct scanner *scanner = reader->scanner;
    struct schedule_header *header = reader->header;
    struct schedule_via *vias = arena_alloc(scanner->arena, SCHEDULE_MAX_VIAS + 1, sizeof *vias);
    header->vias = vias;
    header->n_vias = 1;
    do {
        const char *from = scanner->at, *out = scan_name(scanner, "the adapter by which messages leave");
        const char *in = out && !scan_at_line_end(scanner)
                             ? scan_name(scanner, "the adapter by which they arrive") : NULL;
        if (!out)
            return false;
        if (!in) {
            scan_error(scanner, CODE_S001, from, "adapter '%s' stands alone", out)->help =
                "the line has pairs: the adapter by which messages leave and that by which they arrive";
            return false;
        }
        if (header->n_vias > SCHEDULE_MAX_VIAS) {
            scan_error(scanner, CODE_S003, from, "more than %d pairs of adapters", SCHEDULE_MAX_VIAS);
            return false;
        }
        vias[header->n_vias++] = schedule_via_of(out, in);
    } while (!scan_at_line_end(scanner));
    return true;
}

static bool read_field(struct header_reader *reader, enum field field)
{
    struct scanner *scanner = reader->scanner;
    struct schedule_header *header = reader->header;
    switch (field) {
    case FIELD_COLLECTIVE:
        return schedule_header_read_collective(reader);
    case FIELD_ALGORITHM:
        header->algorithm = scan_name(scanner, "the name of the algorithm");
        return header->algorithm;
    case FIELD_RANKS:
        return schedule_header_read_count(scanner, "the number of ranks", SCHEDULE_MAX_RANKS,
                                          &header->n_ranks);
    case FIELD_ROOT:
        return schedule_header_read_root(reader);
    case FIELD_SEGMENTS:
        return schedule_header_read_count(scanner, "the number of segments", SCHEDULE_MAX_CHUNKS,
                                          &header->segments);
    case FIELD_IN:
        return schedule_header_read_count(scanner, "the number of chunks of in", SCHEDULE_MAX_CHUNKS,
                                          &header->n_in);
    case FIELD_OUT:
        return schedule_header_read_count(scanner, "the number of chunks of out", SCHEDULE_MAX_CHUNKS,
                                          &header->n_out);
    case FIELD_TMP:
        return schedule_header_read_count(scanner, "the number of chunks of tmp", SCHEDULE_MAX_CHUNKS,
                                          &header->n_tmp);
    case FIELD_HAS:
        return scan_has(scanner, &reader->needs);
    case FIELD_NEEDS:
        return scan_need(scanner, &reader->needs);
    case FIELD_ORDERED:
        return header->is_ordered = true;
    case FIELD_EXACT:
        return header->is_exact = true;
    case FIELD_CHUNK_BYTES:
        return read_bounded(scanner, "the bytes of a chunk", 1, UINT64_MAX, &header->chunk_bytes);
    case FIELD_TOPOLOGY:
        return schedule_header_read_topology(reader);
    case FIELD_PLACEMENT:
        return read_placement(reader);
    case FIELD_NETWORKS:
        return schedule_header_read_networks(reader);
    case FIELD_ADAPTERS:
        return schedule_header_read_adapters(reader);
    case FIELD_COUNTS:
        return scan_counts(scanner, header);
    case FIELD_LIKE:
        return scan_like(scanner, header);
    case N_FIELDS:
        break;
    }
    return false;
}

/* Returns the field whose word starts the line, passed; N_FIELDS after reporting. */
static enum field schedule_header_find_field(struct scanner *scanner)
{
    for (unsigned i = 0; i < N_FIELDS; i++)
        if (scan_word(scanner, field_word[i]))
            return (enum field)i;
    scan_error(scanner, CODE_S001, scanner->at, "unknown line in the header")->help =
        "a header has the lines collective, algorithm, ranks, root, segments, in, out, tmp, has, needs, "
        "ordered, "
        "chunk-bytes, counts, like, topology, placement, networks and adapters, then the steps follow";
    return N_FIELDS;
}

/* Is the scanner at a line of the steps (step, end, or a rank number)? */
static bool is_at_steps(const struct scanner *scanner)
{
    struct scanner ahead = *scanner;
    return scan_word(&ahead, "step") || scan_word(&ahead, "end") ||
           (*scanner->at >= '0' && *scanner->at <= '9');
}

static void read_header_line(struct header_reader *reader, bool has[N_FIELDS])
{
    struct scanner *scanner = reader->scanner;
    const char *from = scanner->at;
    enum field field = schedule_header_find_field(scanner);
    if (field == N_FIELDS)
        return;
    bool may_repeat =
        field == FIELD_COUNTS || field == FIELD_LIKE || field == FIELD_NEEDS || field == FIELD_HAS;
    if (has[field] && !may_repeat)
        scan_error(scanner, CODE_S002, from, "second line '%s'", field_word[field]);
    else if (read_field(reader, field))
        scan_end_of_line(scanner);
    has[field] = true;
}

static void schedule_header_require(struct scanner *scanner, bool has, const char *word, const char *help)
{
    if (!has)
        scan_error(scanner, CODE_S002, scanner->at, "header has no line '%s'", word)->help = help;
}

static void schedule_header_check_root(struct scanner *scanner, const struct schedule_header *header,
                                       const bool has[N_FIELDS])
{
    const struct collective_info *info = &collective_table[header->collective];
    if (info->rooted)
        schedule_header_require(scanner, has[FIELD_ROOT], "root",
                                "write the rank that has the data, as in: root 0");
    else if (has[FIELD_ROOT])
        scan_error(scanner, CODE_S002, scanner->at, "'root' does not apply to %s", info->name);
    if (header->n_ranks && header->root >= header->n_ranks)
        scan_error(scanner, CODE_S002, scanner->at, "root %u is not one of %u ranks", header->root,
                   header->n_ranks);
}

static void check_placement(struct header_reader *reader, const bool has[N_FIELDS])
{
    struct scanner *scanner = reader->scanner;
    const struct schedule_header *header = reader->header;
    if (has[FIELD_PLACEMENT] && !has[FIELD_TOPOLOGY])
        scan_error(scanner, CODE_S002, scanner->at, "'placement' without 'topology'")->help =
            "machines are numbers of a topology: name it in a line before the placement";
    if (has[FIELD_PLACEMENT] && header->n_ranks && reader->n_placed != header->n_ranks)
        scan_error(scanner, CODE_S002, scanner->at, "placement has %llu ranks, the schedule %u",
                   (unsigned long long)reader->n_placed, header->n_ranks);
}

static void check_segments(struct scanner *scanner, const struct schedule_header *header,
                           bool is_said)
{
    uint64_t most = 0;
    for (enum buffer buffer = 0; buffer < BUFFER_TMP; buffer++)
        most = schedule_chunks(header, buffer) > most ? schedule_chunks(header, buffer) : most;
    if (is_said && (!most || collective_is_said(header->collective)))
        scan_error(scanner, CODE_S002, scanner->at, "'segments' does not apply to %s",
                   collective_table[header->collective].name);
    if (most > SCHEDULE_MAX_CHUNKS)
        scan_error(scanner, CODE_S003, scanner->at, "%llu chunks in a buffer, more than %lu",
                   (unsigned long long)most, (unsigned long)SCHEDULE_MAX_CHUNKS);
}

/* Only a pattern has numbers of chunks of its own. */
static void schedule_header_check_buffers(struct scanner *scanner, const struct schedule_header *header,
                                          const bool has[N_FIELDS])
{
    const char *word = has[FIELD_IN] ? "in" : has[FIELD_OUT] ? "out" : "needs";
    if (!collective_is_said(header->collective) && (has[FIELD_IN] || has[FIELD_OUT] || has[FIELD_NEEDS]))
        scan_error(scanner, CODE_S002, scanner->at, "'%s' does not apply to %s", word,
                   collective_table[header->collective].name)
            ->help = "MPI says how many chunks it has, and what ranks need; 'collective pattern' does so "
                     "itself";
}

static void schedule_header_check_header(struct header_reader *reader, const bool has[N_FIELDS])
{
    struct scanner *scanner = reader->scanner;
    const struct schedule_header *header = reader->header;
    schedule_header_require(scanner, has[FIELD_COLLECTIVE], "collective",
                            "write one, as in: collective alltoall");
    schedule_header_require(scanner, has[FIELD_ALGORITHM], "algorithm",
                            "write a name, as in: algorithm ring");
    schedule_header_require(scanner, has[FIELD_RANKS], "ranks", "write the number of ranks, as in: ranks 16");
    if (header->collective < N_COLLECTIVES && has[FIELD_COLLECTIVE]) {
        schedule_header_check_root(scanner, header, has);
        check_segments(scanner, header, has[FIELD_SEGMENTS]);
        schedule_header_check_buffers(scanner, header, has);
        if (has[FIELD_ORDERED] && !collective_table[header->collective].reduces)
            scan_error(scanner, CODE_S002, scanner->at, "'ordered', but %s combines no data",
                       collective_table[header->collective].name);
        if (has[FIELD_EXACT] && !collective_agrees(header->collective))
            scan_error(scanner, CODE_S002, scanner->at, "'exact', but ranks of %s get no common result",
                       collective_table[header->collective].name);
    }
    check_placement(reader, has);
    if (!scanner->failed)
        scan_check_sizes(scanner, header);
    if (has[FIELD_HAS] && !has[FIELD_NEEDS])
        scan_error(scanner, CODE_S002, scanner->at, "'has' without 'needs'")->help =
            "what ranks have matters where it is said what they need: add lines 'needs'";
    if (!scanner->failed && has[FIELD_NEEDS])
        scan_make_needs(scanner, &reader->needs, reader->header);
}

static uint32_t *expand_runs(const struct header_reader *reader)
{
    uint32_t *machine = mem_alloc(reader->header->n_ranks, sizeof *machine), *at = machine;
    for (size_t i = 0; i < reader->n_runs; i++)
        for (uint32_t n = reader->runs[i].n_ranks; n > 0; n--)
            *at++ = reader->runs[i].machine;
    return machine;
}

static bool schedule_header_read_version(struct scanner *scanner, struct schedule_header *header)
{
    const char *from = scanner->at;
    uint64_t version;
    if (!scan_line(scanner) || !scan_word(scanner, "collc-schedule")) {
        scan_error(scanner, CODE_S001, scanner->at, "not a schedule file")->help =
            "the first line is: collc-schedule 1";
        return false;
    }
    from = scanner->at;
    if (!scan_number(scanner, "the version of the format", &version))
        return false;
    if (version != 1 && version != 2) {
        scan_error(scanner, CODE_S002, from, "version %llu of the format is not known",
                   (unsigned long long)version)
            ->help = "this collc reads version 1, and 2, in which operations have times";
        return false;
    }
    header->is_timed = version == 2;
    return scan_end_of_line(scanner);
}

bool scan_header(struct scanner *scanner, struct schedule_header *header, uint32_t **machine)
{
    struct header_reader reader = {.scanner = scanner, .header = header};
    bool has[N_FIELDS] = {false};
    *machine = NULL;
    header->segments = 1;
    if (!schedule_header_read_version(scanner, header))
        return false;
    for (scan_skip_line(scanner); scan_line(scanner) && !is_at_steps(scanner);
         scan_skip_line(scanner))
        read_header_line(&reader, has);
    if (!scanner->failed)
        schedule_header_check_header(&reader, has);
    if (!scanner->failed && reader.n_runs)
        header->machine = *machine = expand_runs(&reader);
    free(reader.runs);
    free(reader.needs.terms);
    free(reader.needs.has);
    return !scanner->failed;
}
