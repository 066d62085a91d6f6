/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of an expansion, shared by the walk over the steps (expand.c) and by
 * the posting of what stands in a step (post.c).
 */
#ifndef COLLC_COMPILER_PASSES_EXPANSION_H
#define COLLC_COMPILER_PASSES_EXPANSION_H

#include "compiler/passes/ahead.h"
#include "compiler/passes/copy_rows.h"
#include "compiler/passes/coordinates.h"
#include "compiler/passes/evaluate.h"
#include "ir/counts.h"

/* Sizes of the chunks of tmp (tmp_sizes.c): `like` of the program, evaluated for one rank and chunk at a
 * time; for all chunks at once if a rank is asked for again and again. */
struct like {
    struct tmp_sizes sizes; /* first */
    const struct schedule_header *header;
    const struct binding *binding;
    const struct coordinates *coordinates;
    struct environment *environment;
    struct diagnostics *diagnostics;
    bool failed; /* a chunk has no size, which was reported */
    uint32_t rank, n_asked; /* rank of the last question, and number of questions about it in a row */
    uint64_t *found;        /* [chunk of tmp] its datum, of that rank; or NULL */
};
/* Opens it. Requires a binding whose program has a clause `like`; the coordinates outlive it. */
void like_open(struct like *like, const struct binding *binding,
               const struct coordinates *coordinates, struct diagnostics *diagnostics);
/* False, after reporting, if one of the first chunks has no size; of the others that is reported when it is
 * asked for. Requires a header. */
bool like_check(struct like *like);
void like_close(struct like *like);

/* Block of statements that all ranks carry out in step. */
struct frame {
    const struct statement *next;  /* to do next; NULL: at the end of the block */
    const struct statement *owner; /* FOR or WINDOW that repeats or groups it, or NULL */
    int64_t value, by;             /* FOR: current value of the variable, increment */
    uint64_t left;                 /* FOR: iterations after this one; WINDOW: steps in a group */
    uint64_t n_steps;              /* WINDOW: steps in the group so far */
    bool is_ahead;                 /* FOR: several iterations may be carried out at once (ahead.h) */
};

/* Chunks that a part of a message named on a lane; all those of the message being posted (post_set.c). */
struct part {
    uint32_t chunk, n, lane;
};
struct parts {
    struct part *items, *sorted;
    size_t n, capacity, sorted_capacity;
};
void parts_free(struct parts *parts);

struct expansion {
    struct schedule schedule; /* first: the schedule's functions get a pointer to it */
    const struct binding *binding;
    struct diagnostics *diagnostics;
    struct environment *environment;
    const struct statement *body; /* of the program, specialised */
    bool is_prepared;             /* coordinates, their values and the body are made */
    struct coordinates coordinates;
    struct like like; /* sizes of tmp; environment NULL: the program does not say */
    struct arena arena;
    struct frame *frames;
    size_t n_frames, frame_capacity;
    uint32_t first_named;       /* index in header.networks of those that sends name: below are those of the
                                   topology, if it has several */
    const struct statement *at; /* statement being carried out, with its contents */
    uint64_t next_step;
    uint64_t work_limit;
    uint64_t work; /* statements that post nothing, since the last step with operations */
    uint64_t work_before; /* the step being made */
    uint32_t depth; /* blocks entered in a step */
    bool is_skipped; /* nobody looks at the step being made: schedule.use.is_wanted */
    bool is_done;
    struct op_list sends, receives, copies; /* of the step being made */
    struct chunk_sets sets;                 /* of its messages */
    struct parts parts;                     /* of the message being posted */
    struct copy_rows rows;                  /* of the step being made */
    struct ahead ahead;                     /* of several steps */
    /* [lane] result of the current statement */
    uint32_t peer[BLOCK_LANES], chunk[BLOCK_LANES], n_chunks[BLOCK_LANES];
    uint32_t to_chunk[BLOCK_LANES], to_n_chunks[BLOCK_LANES];
};

enum { MAX_POST_DEPTH = 512 }; /* each costs some 3 kB of stack */
#define MAX_ITERATIONS (UINT64_C(1) << 40)
#define LEAST_WORK_LIMIT (UINT64_C(1) << 22)
#define MOST_WORK_OF_PAIRS (UINT64_C(1) << 26) /* half a minute */

/* Counts the values of first .. last by `by`, into *n. Fails with E007 if by == 0, with E010 above
 * MAX_ITERATIONS. */
bool expand_count_iterations(struct environment *environment, const struct statement *loop, int64_t first,
                             int64_t last, int64_t by, uint64_t *n);
/* Returns the bounds of the variable of a loop. */
static inline struct range loop_values(int64_t first, int64_t last)
{
    return first < last ? range_between(first, last) : range_between(last, first);
}
/* Counts a statement carried out; fails with E010 above the limit. Not for sends and receives that are
 * posted: SCHEDULE_MAX_STEP_OPS bounds them. */
bool expand_count_work(struct expansion *expansion, const struct statement *statement);
/* Fails with E010: a step has more than SCHEDULE_MAX_STEP_OPS. */
bool expand_fail_operations(struct expansion *expansion, const struct statement *statement);

/* Returns the help of a message about chunks with numbers, or segments of a chunk, that are not there. */
const char *expand_help_with_numbers(const struct chunks *chunks);

/* Counts the ranks that carry out a statement of the program's text, where coverage is asked for. */
static inline void count_coverage(const struct expansion *expansion,
                                  const struct statement *statement, uint64_t n_ranks)
{
    const struct binding *binding = expansion->binding;
    if (binding->coverage && statement->number < binding->program->n_statements)
        binding->coverage[statement->number] += n_ranks;
}

/* Carries out a list of statements on every rank, rank-dependent control included, and appends the
 * operations. Requires that none contains a step. */
bool post_statements(struct expansion *expansion, const struct statement *first);
/* Carries out one statement, not those after it. */
bool post_statement(struct expansion *expansion, const struct statement *statement);
/* Enters the next block, *at being its number, for all of its lanes. False: there are no more. */
bool post_next_lanes(struct expansion *expansion, uint32_t *at, struct lanes *lanes);
/* Carries out a list of statements at lanes of the block. */
bool post_list(struct expansion *expansion, const struct statement *first, const struct lanes *lanes);
/* Carries out a statement at one lane of the block. */
bool post_at_lane(struct expansion *expansion, const struct statement *statement, uint32_t lane);
/* Evaluates the expression on every rank and assigns it. */
bool post_assignment(struct expansion *expansion, uint32_t variable, const struct expr *expr);

/* Finds, by lane, the first chunk that is meant, and the number of chunks (post_chunks.c). False after
 * reporting a chunk that does not exist. */
bool post_find_chunks(struct expansion *expansion, const struct chunks *chunks, const struct lanes *lanes,
                      uint32_t *chunk, uint32_t *n_chunks);
/* Finds the chunks of a message whose peers are found and present. Blocks of the peers that are named by the
 * same expressions (specialise.h) are not looked up again. */
bool post_find_message(struct expansion *expansion, const struct statement *statement,
                       const struct lanes *lanes);

/* Gives the operations of a message whose chunks are a set, one for each lane, their chunks. */
bool post_set(struct expansion *expansion, const struct statement *message, const struct lanes *lanes,
              struct op *ops);
/* Carries out a part of such a message. */
bool post_part(struct expansion *expansion, const struct statement *part, const struct lanes *lanes);

#endif
