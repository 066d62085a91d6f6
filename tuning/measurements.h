/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured times, and their plain text file, a line each, launches one after the other:
 *
 *   # comment
 *   launch NUMBER PHASE
 *   time COLLECTIVE RANKS BYTES ALGORITHM SEGMENT FAN-OUT REPETITIONS MEDIAN LEAST
 *
 * PHASE is sample, confirm or again. ALGORITHM is `default` for the MPI's own decision. Times are whole
 * nanoseconds of a candidate in a launch: the median over repetitions, and the least.
 */
#ifndef COLLC_TUNING_MEASUREMENTS_H
#define COLLC_TUNING_MEASUREMENTS_H

#include "tables/rules/plan.h"

enum phase { PHASE_SAMPLE, PHASE_CONFIRM, PHASE_AGAIN, N_PHASES };
extern const char *const phase_name[N_PHASES];

struct measurement {
    uint32_t launch;
    enum phase phase;
    uint32_t collective;        /* index into loader->collectives */
    uint32_t n_ranks;
    uint64_t bytes;
    struct table_choice choice; /* algorithm NULL: the default */
    uint32_t repetitions;
    uint64_t median, least;     /* ns */
};

struct measurements {
    const struct table_loader *loader;
    struct measurement *items;
    size_t n, capacity;
    uint32_t n_launches;        /* the largest number of a launch */
    unsigned unmade;            /* calls, CALL_..., that programs are said not to make */
};

bool choices_are_alike(const struct table_choice *a, const struct table_choice *b);

void measurements_add(struct measurements *measurements, const struct measurement *measurement);
void measurements_free(struct measurements *measurements);
/* Appends the name of an algorithm as a word: blanks become commas. */
void measurement_put_algorithm(const char *name, struct text *out);
/* Appends the line of a measurement. */
void measurement_print(const struct table_loader *loader, const struct measurement *measurement,
                       struct text *out);
/* Adds the measurements of a file; names of algorithms are the loader's. Returns false after reporting Y001
 * with its line. */
bool measurements_read(struct measurements *measurements, const struct source *source,
                       struct diagnostics *diagnostics);

#endif
