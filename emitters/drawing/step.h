/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the drawings of schedules; declares the two forms in which a step is drawn.
 */
#ifndef COLLC_EMITTERS_DRAWING_STEP_H
#define COLLC_EMITTERS_DRAWING_STEP_H

#include "emitters/drawing/draw.h"

/* Colours of messages: within a server, between servers, to a server that receives from several. */
#define DRAW_GREY "#8a939c"
#define DRAW_BLUE "#2b6cb0"
#define DRAW_RED "#b3132b"

/* Sets fonts and sizes; `layout` is a program of Graphviz. */
void drawing_set_up(struct drawing *drawing, const char *layout);
/* Appends "alltoall/ring" to a caption. */
void drawing_name_schedule(const struct schedule_header *header, struct text *html);

/* Sets the caption of a step: `first`, HTML-like, and below it the meanings of the colours, each word on
 * its colour. */
void drawing_caption_step(struct drawing *drawing, const char *first, const char *within_server,
                          const char *to_several);

/* The servers of the messages of a step, and the number of servers that send to each. */
struct server_pair {
    uint32_t from, to;
};
struct step_servers {
    const struct placement *placement; /* NULL: every rank is a server */
    uint32_t n_servers;
    size_t n_pairs;
    struct server_pair *pairs; /* a pair for each message, sorted by receiver, then by sender */
    uint32_t *fan_in;          /* [server] number of source servers other than itself */
};
uint32_t server_of_rank(const struct placement *placement, uint32_t rank);

/* Draws every rank twice, in boxes for the servers, and a line for each message. */
void draw_step_lines(const struct schedule_header *header, const struct step_servers *servers,
                     const struct step *step, struct text *out);
/* Draws a row for each server that sends and a column for each that receives, with numbers of messages. */
void draw_step_matrix(const struct schedule_header *header, const struct step_servers *servers,
                      const struct step *step, struct text *out);

#endif
