/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that share a piece of work: this one, which is number 0, and others, each of which gives it a
 * text. They are copies of this one, made for the piece, which share what was read before. Or this one is
 * one of several that an MPI launched (docs/parallel.md): all do the same, share the pieces, and number 0
 * alone reports.
 */
#ifndef COLLC_STUDY_PARALLEL_CREW_H
#define COLLC_STUDY_PARALLEL_CREW_H

#include "base/memory.h"

/* Processes that were launched together, 1 if there is none but this one; and which of them this is. They
 * are told by CREW_VARIABLE in the environment, "NUMBER PROCESSES DESCRIPTOR": number 0 reads there, the
 * others write. */
#define CREW_VARIABLE "COLLC_CREW"
uint32_t crew_n_launched(void);
uint32_t crew_number(void);
/* Processors of this machine. */
uint32_t crew_n_processors(void);

/* What a text comes as: this, and behind it the text. Pieces of work are numbered. */
struct crew_frame {
    uint32_t part, piece;
    uint64_t length;
};

/* What number `part` of n does; nothing for `out`: it cannot. Prints and exits never. */
typedef void crew_work(void *context, uint32_t part, uint32_t n, struct text *out);

struct crew;
/* Has parts 1 .. n-1 begun. n: of those that were launched, as many as they are or fewer; else so many
 * copies. NULL: this is a process that was launched, is not number 0, and has done its part: there is
 * nothing else to do. Release with crew_end. */
struct crew *crew_begin(uint32_t n, crew_work *work, void *context);
/* Whether a part is known not to be done. Does not wait. */
bool crew_has_failed(struct crew *crew);
/* The text of a part, once it is there, which stays until crew_end; NULL: it was not done. */
const char *crew_text(struct crew *crew, uint32_t part, size_t *length);
/* Ends those that are still at work, if they are copies. */
void crew_end(struct crew *crew);

#endif
