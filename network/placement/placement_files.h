/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types and functions that the files of the placement share. placement.c has the rules and tells the files
 * apart; each kind of file has a reader here, which ends in machine[rank].
 */
#ifndef COLLC_NETWORK_PLACEMENT_PLACEMENT_FILES_H
#define COLLC_NETWORK_PLACEMENT_PLACEMENT_FILES_H

#include "base/text/hostlist.h"
#include "network/placement/placement_make.h"

/* 2^26 ranks need 1 GiB of placement. */
#define UNPLACED UINT32_MAX
enum { MAX_RANKS = 1 << 26, MAX_NAMES = 1 << 22 };

struct request {
    const struct topology *topology;
    const struct placement_request *asked;
    struct diagnostics *diagnostics;
};

/* Incomplete machine[rank]; UNPLACED where a rank has not come yet. */
struct assignment {
    uint32_t *machine;
    size_t capacity;
    uint32_t n_ranks;
};

/* File read line by line and word by word; '#' starts a comment. */
struct line_reader {
    const struct request *request;
    const struct source *source;
    struct slice rest; /* rest of the file */
    struct slice line; /* rest of the current line */
    uint32_t number;
    const char *start; /* start of the current line */
    uint32_t n_names;  /* names made of host lists so far, at most MAX_NAMES */
    const char *absent_help; /* help for the last machine that the topology lacks */
    bool failed;
};

/* Returns the placement in a file; NULL after reporting. (placement_make.c) */
struct placement *place_by_source(const struct request *request, const struct source *source);

/* ---- placement_lines.c ---- */

/* Advances to the next line with a word in it, whose first word stays in the line. */
bool placement_next_words(struct line_reader *reader);
/* The next word of the line; length 0 at its end. */
bool placement_take_char(struct line_reader *reader, char c);
/* Reports about a slice of the current line, quoted; sets failed. */
struct diagnostic *placement_complain(struct line_reader *reader, uint32_t code, struct slice slice,
                                      const char *message);
/* Reports about the whole file; sets failed. */
struct diagnostic *placement_complain_file(struct line_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the machine of that name, as written or without its domain; `where` is what to underline.
 * n_machines after reporting. */
uint32_t placement_find_machine(struct line_reader *reader, struct slice name, struct slice where);
bool placement_take_rank(struct line_reader *reader, struct slice number, uint32_t *rank);
/* Places the rank; reports if it has a place. */
void place_rank(struct line_reader *reader, struct assignment *assignment, uint32_t rank,
                uint32_t machine, struct slice where);
/* Places the next n ranks; false, after reporting, above MAX_RANKS. */
bool placement_append_ranks(struct line_reader *reader, struct assignment *assignment, uint32_t machine,
                            uint64_t n, struct slice where);
/* Checks that every rank has a machine, and that there are as many as asked for; cuts off more. */
bool placement_finish_ranks(struct line_reader *reader, struct assignment *assignment, const char *help);

/* ---- one for each kind of file; false after reporting ---- */

bool placement_read_hosts(struct line_reader *reader, struct assignment *assignment);
bool placement_read_ranks(struct line_reader *reader, struct assignment *assignment);
bool placement_read_labelled(struct line_reader *reader, struct assignment *assignment);
bool placement_read_node_lists(struct line_reader *reader, struct assignment *assignment);
bool placement_read_slurm(struct line_reader *reader, struct assignment *assignment);
/* True if it is such a file: the reader is at its first line with words. */
bool placement_is_slurm(struct line_reader reader);
/* True if it is such a file, as above. */
bool placement_is_rank_order(struct line_reader reader);
bool placement_read_rank_order(struct line_reader *reader, struct assignment *assignment);
bool placement_is_adapter_order(struct line_reader reader);
bool placement_read_adapter_order(struct line_reader *reader, struct assignment *assignment);
bool placement_read_coordinates(struct line_reader *reader, struct assignment *assignment);
bool placement_read_map(struct line_reader *reader, struct assignment *assignment);

/* ---- placement_adapters.c ---- */

/* Reads the adapters of ranks: placement->adapters, which is there, gets the rails. False after reporting
 * A005. */
bool placement_read_adapters(struct placement *placement, const struct topology *topology,
                             const struct source *source, struct diagnostics *diagnostics);

/* ---- placement_order.c ---- */

/* Returns the machines in the order in which block and cyclic fill them; NULL: by number. Release with
 * free. */
uint32_t *order_machines(const struct topology *topology, const struct placement_request *asked);

#endif
