/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The proof of a verdict by symmetry, for people (docs/symmetry.md).
 */
#include "reports/verdict.h"
#include "study/symmetric.h"

#include <inttypes.h>

static void print_point(const struct symmetry *symmetry, const char *behind, struct text *out)
{
    for (uint32_t i = 0; i < symmetry->shifts.n; i++)
        text_printf(out, "%s%s%s", i ? ", " : "", symmetry->coordinate[i], behind);
}

static void print_extents(uint32_t n, const uint32_t *extent, struct text *out)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u", i ? " x " : "", extent[i]);
}

static void print_buffers(const struct verdict *verdict, bool moves, struct text *out)
{
    const char *separator = "";
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        if (!schedule_chunks(verdict->header, buffer) ||
            verdict->symmetric->symmetry.moves[buffer] != moves)
            continue;
        text_printf(out, "%s%s", separator, buffer_name[buffer]);
        separator = ", ";
    }
    text_printf(out, "%s", *separator ? "" : "none");
}

static void print_group(const struct verdict *verdict, struct text *out)
{
    const struct symmetry *symmetry = &verdict->symmetric->symmetry;
    if (symmetry->shifts.is_xor) {
        text_printf(out, "  group       r to r xor g, for each g below %u: shifts of the %u bits of a rank\n",
                    symmetry->shifts.n_ranks, symmetry->shifts.n);
        return;
    }
    text_printf(out, "  group       shifts of (");
    print_point(symmetry, "", out);
    text_printf(out, "), each coordinate cyclic: ");
    print_extents(symmetry->shifts.n, symmetry->shifts.extent, out);
    text_printf(out, ", one for each of %u ranks\n  generators  ", symmetry->shifts.n_ranks);
    print_point(symmetry, " + 1", out);
    text_printf(out, "\n");
}

static void print_program(const struct verdict *verdict, struct text *out)
{
    const struct symmetry *symmetry = &verdict->symmetric->symmetry;
    text_printf(out,
                "  program     in %u statements, calls written out, every peer and every block of chunks\n"
                "              is the rank's own coordinates plus what all ranks agree on; and all agree\n"
                "              on conditions, loops, windows and segments. So rank g does what rank 0\n"
                "              does, shifted by g. Buffers whose blocks are shifted too: ",
                symmetry->n_statements);
    print_buffers(verdict, true, out);
    text_printf(out, ";\n              whose chunks stay: ");
    print_buffers(verdict, false, out);
    text_printf(out, "\n  seen        the operations of ranks");
    for (uint32_t i = 0; i < symmetry->n_witnesses; i++)
        text_printf(out, "%s %u", i ? "," : "", symmetry->witness[i]);
    text_printf(out, " in all steps: those of rank 0, shifted\n");
}

static void print_run(const struct verdict *verdict, struct text *out)
{
    const struct symmetric_argument *argument = &verdict->symmetric->argument;
    text_printf(out,
                "  matching    what s sends to rank 0 is what rank 0 sends to -s, shifted by s. For all %" PRIu64
                "\n              operations of rank 0: in each step its k-th receive from s has a k-th send\n"
                "              to -s, of as many chunks. So every message is received in its step\n"
                "  deadlock    none: all ranks end every step\n"
                "  data        rank 0 was carried out, by the rules of every rank, with what it sends to\n"
                "              -s, shifted by s, in place of what comes from s. What MPI gives and wants\n"
                "              is symmetric. At the end rank 0 has what MPI wants, in %" PRIu64
                " run%s of like\n              data; so has rank g, shifted by g\n",
                argument->n_operations, argument->n_runs, plural(argument->n_runs));
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
        print_extents(argument->n_server_shifts, argument->server_extent, out);
        text_printf(out, "): each\n              sends as far as server 0. By the rule above messages that go equally far load\n"
                         "              all links at one position of a class alike, so that one server says all\n");
        return;
    case MEASURED_FLOWS:
        text_printf(out,
                    "not known to be symmetric: %" PRIu64 " step%s of all ranks measured message by\n"
                    "              message; in all others rank 0 sends to the ranks of one of these\n",
                    argument->n_unlike, plural(argument->n_unlike));
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
    print_group(verdict, out);
    print_program(verdict, out);
    print_run(verdict, out);
    print_network(verdict, out);
    text_printf(out, "  claim       for these %u ranks, parameters and this network, and no others\n",
                symmetric->symmetry.shifts.n_ranks);
}
