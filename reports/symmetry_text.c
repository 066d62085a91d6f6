/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The proof of a verdict by symmetry, for people (docs/symmetry.md).
 */
#include "reports/verdict.h"
#include "study/symmetric.h"

#include <inttypes.h>

static void symmetry_text_print_extents(uint32_t n, const uint32_t *extent, struct text *out)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u", i ? " x " : "", extent[i]);
}

/* True if blocks have the numbers of ranks. */
static bool symmetry_text_is_by_rank(const struct symmetry *symmetry, const struct zone *zone)
{
    uint32_t stride = 1;
    for (uint32_t i = 0; i < zone->n; stride *= symmetry->shifts.extent[zone->coordinate[i]], i++)
        if (symmetry->shifts.stride[zone->coordinate[i]] != stride)
            return false;
    return stride == symmetry->shifts.n_ranks;
}

/* Chunks of a buffer that are shifted: "tmp[4..19] by y in x", blocks of y being smaller. */
static void print_zone(const struct symmetry *symmetry, enum buffer buffer, const struct zone *zone,
                       uint64_t n_chunks, struct text *out)
{
    text_printf(out, "%s", buffer_name[buffer]);
    const uint32_t plane = symmetry_plane(symmetry, (uint8_t)buffer, zone->first);
    if (zone->first > 0 || zone->end < n_chunks)
        text_printf(out, "[%u..%u]", zone->first - plane, zone->end - 1 - plane);
    for (uint32_t i = 0; i < zone->n && !symmetry_text_is_by_rank(symmetry, zone); i++)
        text_printf(out, " %s %s", i ? "in" : "by", symmetry->coordinate[zone->coordinate[i]]);
}

static void symmetry_text_print_buffers(const struct verdict *verdict, bool moves, struct text *out)
{
    const struct symmetry *symmetry = &verdict->symmetric->symmetry;
    const char *separator = "";
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const uint64_t n_chunks = schedule_chunks(verdict->header, buffer);
        const uint32_t n_zones = symmetry->n_zones[buffer];
        if (!n_chunks || (n_zones > 0) != moves)
            continue;
        for (uint32_t i = 0; i < (moves ? n_zones : 1); i++) {
            text_printf(out, "%s", separator);
            if (moves)
                print_zone(symmetry, buffer, &symmetry->zones[buffer][i], n_chunks, out);
            else
                text_printf(out, "%s", buffer_name[buffer]);
            separator = ", ";
        }
    }
    text_printf(out, "%s", *separator ? "" : "none");
}

/* The coordinates that are shifted, or those that are not; with `behind` after each. */
static void symmetry_text_print_coordinates(const struct symmetry *symmetry, bool is_shifted, bool has_period,
                                            struct text *out)
{
    const char *separator = "";
    for (uint32_t i = 0; i < symmetry->shifts.n; i++) {
        if ((symmetry->period[i] < symmetry->shifts.extent[i]) != is_shifted)
            continue;
        text_printf(out, "%s%s", separator, symmetry->coordinate[i]);
        if (has_period)
            text_printf(out, " + %u", symmetry->period[i]);
        separator = ", ";
    }
}

static void symmetry_text_print_group(const struct verdict *verdict, struct text *out)
{
    const struct symmetry *symmetry = &verdict->symmetric->symmetry;
    const struct shifts *shifts = &symmetry->shifts;
    uint32_t n = 0, extent[SHIFTS_MAX];
    if (shifts->is_xor) {
        text_printf(out, "  group       r to r xor g, for each g below %u: shifts of the %u bits of a rank\n",
                    shifts->n_ranks, shifts->n);
        return;
    }
    for (uint32_t i = 0; i < shifts->n; i++)
        if (symmetry->period[i] < shifts->extent[i])
            extent[n++] = shifts->extent[i] / symmetry->period[i];
    text_printf(out, "  group       shifts of (");
    symmetry_text_print_coordinates(symmetry, true, false, out);
    text_printf(out, "), each coordinate cyclic: ");
    symmetry_text_print_extents(n, extent, out);
    if (symmetry->n_orbits == 1)
        text_printf(out, ", one for each of %u ranks\n  generators  ", shifts->n_ranks);
    else
        text_printf(out, "\n  generators  ");
    symmetry_text_print_coordinates(symmetry, true, true, out);
    text_printf(out, "\n");
    if (shifts->is_mirrored)
        text_printf(out,
                    "  mirrors     a shift by an odd number g of places takes place x to g - x, one by an\n"
                    "              even number to x + g; -s is where that goes which takes s to rank 0\n");
    if (symmetry->n_orbits > 1)
        text_printf(
            out,
            "  orbits      %u, of %u ranks each, which shifts take to one another; the lowest rank of\n"
            "              each represents it\n",
            symmetry->n_orbits, shifts->n_ranks / symmetry->n_orbits);
}

static void print_witnesses(const struct symmetry *symmetry, struct text *out)
{
    enum { FEW = 6 };
    const uint32_t n = symmetry->n_witnesses;
    for (uint32_t i = 0; i < n && (n <= FEW || i < FEW); i++)
        text_printf(out, "%s %u", i ? "," : "", symmetry->witness[n > FEW && i + 1 == FEW ? n - 1 : i]);
    if (n > FEW)
        text_printf(out, " and %u others", n - FEW);
}

static void print_program(const struct verdict *verdict, struct text *out)
{
    const struct symmetry *symmetry = &verdict->symmetric->symmetry;
    const bool is_one = symmetry->n_orbits == 1;
    text_printf(
        out,
        "  program     in %u statements, calls written out, every peer and every block of chunks\n"
        "              is the rank's own coordinates plus what all ranks%s agree on%s; and all\n"
        "              agree on conditions, loops, windows and segments. So %s\n"
        "              does what %s does, shifted%s.\n"
        "              Buffers whose blocks are shifted too: ",
        symmetry->n_statements, is_one ? "" : " of an orbit",
        symmetry->shifts.is_mirrored ? ", but\n              for the sign, + at even places and - at odd ones" : "",
        is_one ? "rank g" : "each rank of it",
        is_one ? "rank 0" : "its representative", is_one ? " by g" : "");
    symmetry_text_print_buffers(verdict, true, out);
    text_printf(out, "; whose chunks stay: ");
    symmetry_text_print_buffers(verdict, false, out);
    text_printf(out, "\n");
    if (symmetry->n_rotated)
        text_printf(
            out,
            "  loops       over all of a coordinate, of which each rank does the rounds in an order of\n"
            "              its own: %u. No copy there touches what another one writes\n",
            symmetry->n_rotated);
    if (verdict->symmetric->argument.turns_scratch)
        text_printf(out, "  scratch     the same chunks of tmp follow the rank in several ways, or stay, by turns:\n"
                         "              what they held before each turn counts as never written\n");
    text_printf(out, "  seen        the operations of ranks");
    print_witnesses(symmetry, out);
    text_printf(out, "\n              in all steps: those of %s, shifted\n",
                symmetry->n_orbits == 1 ? "rank 0" : "representatives");
}

/* Returns what data are given and wanted by, and what is wanted in the end. */
static const char *what_is_given(const struct verdict *verdict)
{
    return collective_is_said(verdict->header->collective) ? "What ranks have and need"
                                                           : "What MPI gives and wants";
}
static const char *what_is_wanted(const struct verdict *verdict)
{
    return collective_is_said(verdict->header->collective) ? "is needed" : "MPI wants";
}

static void symmetry_text_print_run(const struct verdict *verdict, struct text *out)
{
    const struct symmetric_argument *argument = &verdict->symmetric->argument;
    text_printf(
        out,
        "  matching    what s sends to rank 0 is what rank 0 sends to -s, shifted by s. For all %" PRIu64
        "\n              operations of rank 0: in each step its k-th receive from s has a k-th send\n"
        "              to -s, of as many chunks. So every message is received in its step\n"
        "  deadlock    none: all ranks end every step\n"
        "  data        rank 0 was carried out, by the rules of every rank, with what it sends to\n"
        "              -s, shifted by s, in place of what comes from s. %s\n"
        "              is symmetric. At the end rank 0 has what %s, in %" PRIu64
        " run%s of like\n              data; so has rank g, shifted by g\n",
        argument->n_operations, what_is_given(verdict), what_is_wanted(verdict), argument->n_runs,
        plural(argument->n_runs));
}

/* The same of several orbits. */
static void print_run_of_orbits(const struct verdict *verdict, struct text *out)
{
    const struct symmetric_argument *argument = &verdict->symmetric->argument;
    text_printf(
        out,
        "  matching    what s, g shifts from the representative of its orbit, sends to another\n"
        "              representative q is what its own one sends to q - g, shifted by g. For all\n"
        "              %" PRIu64 " operations of representatives: in each step the k-th receive from s\n"
        "              has a k-th such send, of as many chunks: every message is received in its step\n"
        "  deadlock    none: all ranks end every step\n"
        "  data        the representatives were carried out, by the rules of every rank, with\n"
        "              these sends, shifted. %s is symmetric. At the end\n"
        "              they have what %s, in %" PRIu64 " run%s of like data; so have all others,\n"
        "              shifted\n",
        argument->n_operations, what_is_given(verdict), what_is_wanted(verdict), argument->n_runs,
        plural(argument->n_runs));
}

static void print_network(const struct verdict *verdict, struct text *out)
{
    const struct symmetric_argument *argument = &verdict->symmetric->argument;
    text_printf(out, "  network     ");
    switch (argument->measured_by) {
    case MEASURED_NOTHING:
        text_printf(out, "none is given. Shifts of ranks shift servers: one port says all\n");
        return;
    case MEASURED_CLASSES:
        text_printf(out, "shifts of ranks shift servers (");
        symmetry_text_print_extents(argument->n_server_shifts, argument->server_extent, out);
        text_printf(
            out,
            "): each\n              sends as far as server 0. By the rule above messages that go equally "
            "far load\n"
            "              all links at one position of a class alike, so that one server says all\n");
        return;
    case MEASURED_FLOWS:
        text_printf(out,
                    "not known to be symmetric: %" PRIu64 " step%s of all ranks measured message by\n"
                    "              message; in all others %s to the ranks of one of these\n",
                    argument->n_unlike, plural(argument->n_unlike),
                    verdict->symmetric->symmetry.n_orbits == 1 ? "rank 0 sends" : "representatives send");
        return;
    }
}

void symmetry_text(const struct verdict *verdict, struct text *out)
{
    const struct symmetric_verdict *symmetric = verdict->symmetric;
    if (!symmetric || !symmetric->is_decided) {
        const char *reason = symmetric ? symmetric->argument.reason : NULL;
        text_printf(out, "  decided by  expansion: every step of every rank was looked at");
        if (reason)
            text_printf(out, ", as by symmetry it cannot be:\n              %s", reason);
        text_printf(out, "\n");
        return;
    }
    text_printf(out, "  decided by  symmetry\n");
    symmetry_text_print_group(verdict, out);
    print_program(verdict, out);
    if (symmetric->symmetry.n_orbits > 1)
        print_run_of_orbits(verdict, out);
    else
        symmetry_text_print_run(verdict, out);
    print_network(verdict, out);
    text_printf(out, "  claim       for these %u ranks, parameters and this network, and no others\n",
                symmetric->symmetry.shifts.n_ranks);
}
