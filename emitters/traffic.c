/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes which ranks exchange how many bytes over all steps, as the list that is read as traffic
 * (docs/traffic.md):
 *
 *   src,dst,bytes
 *   0,1,4096
 *   5,5,0              only where no line names the last rank: there are six
 *
 * Ranks that the source places on a host each are named by these.
 */
#include "emitters/emit.h"
#include "ir/rank_pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int emit_traffic_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True if a list is read with this name of a host, which is no number and has no separators. */
static bool emit_traffic_is_name(const char *name)
{
    enum { LONGEST_UNIT = 3 };
    char *rest;
    strtod(name, &rest);
    const bool is_number = rest > name && strlen(rest) <= LONGEST_UNIT;
    return *name && !is_number && !name[strcspn(name, "\",;#% \t")];
}

/* True if every rank has a host of its own, by whose name it is read again. */
static bool emit_traffic_has_names(const struct schedule_header *header)
{
    if (!header->hosts)
        return false;
    const char **names = mem_alloc(header->n_ranks, sizeof *names);
    bool differ = true;
    for (uint32_t rank = 0; rank < header->n_ranks; rank++) {
        names[rank] = header->hosts[rank].name;
        differ = differ && emit_traffic_is_name(names[rank]);
    }
    qsort(names, header->n_ranks, sizeof *names, emit_traffic_compare);
    for (uint32_t i = 1; i < header->n_ranks && differ; i++)
        differ = strcmp(names[i - 1], names[i]) != 0;
    free(names);
    return differ;
}

static void emit_traffic_put(const struct schedule_header *header, bool has_names,
                             const struct rank_pair *pair, uint64_t bytes, struct text *out)
{
    if (has_names)
        text_printf(out, "%s,%s,%" PRIu64 "\n", header->hosts[pair->from].name, header->hosts[pair->to].name,
                    bytes);
    else
        text_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n", pair->from, pair->to, bytes);
}

/* Names ranks that no message does: all hosts, else the last rank. */
static void emit_traffic_put_silent(const struct schedule_header *header, bool has_names,
                                    const struct rank_pairs *pairs, struct text *out)
{
    bool *is_named = mem_alloc(header->n_ranks, sizeof *is_named);
    for (size_t i = 0; i < pairs->n; i++)
        if (pairs->items[i].units)
            is_named[pairs->items[i].from] = is_named[pairs->items[i].to] = true;
    for (uint32_t rank = has_names ? 0 : header->n_ranks - 1; rank < header->n_ranks; rank++)
        if (!is_named[rank])
            emit_traffic_put(header, has_names, &(struct rank_pair){rank, rank, 0}, 0, out);
    free(is_named);
}

const char *emit_traffic(const struct emit_request *request, struct text *out)
{
    const struct schedule_header *header = &request->schedule->header;
    const uint64_t unit_bytes = schedule_unit_bytes(header);
    const bool has_names = emit_traffic_has_names(header);
    struct rank_pairs pairs;
    const char *refusal = NULL;
    if (!rank_pairs_gather(&pairs, request->schedule, 0, SCHEDULE_MAX_STEP_OPS))
        refusal = "";
    else if (pairs.is_too_many)
        refusal = "more than 2^26 pairs of ranks exchange messages";
    text_printf(out, "src,dst,bytes\n");
    for (size_t i = 0; i < pairs.n && !refusal; i++) {
        uint64_t bytes;
        if (!unit_bytes && pairs.items[i].units)
            refusal = "traffic is in bytes: give --bytes";
        else if (!mem_multiply(pairs.items[i].units, unit_bytes, &bytes) || bytes > INT64_MAX)
            refusal = "2^63 bytes or more go from one rank to another";
        else if (bytes)
            emit_traffic_put(header, has_names, &pairs.items[i], bytes, out);
    }
    emit_traffic_put_silent(header, has_names, &pairs, out);
    rank_pairs_free(&pairs);
    return refusal;
}
