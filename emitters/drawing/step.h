/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the drawings of schedules have in common, and the two forms in which a step is drawn.
 */
#ifndef COLLC_EMITTERS_DRAWING_STEP_H
#define COLLC_EMITTERS_DRAWING_STEP_H

#include "emitters/drawing/draw.h"

/* Of messages: within a server, between servers, to a server that receives from several. */
#define DRAW_GREY "#8a939c"
#define DRAW_BLUE "#2b6cb0"
#define DRAW_RED "#b3132b"

/* Fonts and sizes; `layout` is a program of Graphviz. */
void drawing_set_up(struct drawing *drawing, const char *layout);
/* "alltoall/ring" appended to a caption. */
void drawing_name_schedule(const struct schedule_header *header, struct text *html);

/* The caption of a step: `first`, HTML-like, and below it what the colours mean, each word on its colour. */
void drawing_caption_step(struct drawing *drawing, const char *first, const char *within_server,
                          const char *to_several);

/* The servers of the messages of a step, and of each how many others send to it. */
struct server_pair {
    uint32_t from, to;
};
struct step_servers {
    const struct placement *placement; /* or NULL: every rank is a server */
    uint32_t n_servers;
    size_t n_pairs;
    struct server_pair *pairs; /* a pair for each message, sorted by receiver, then by sender */
    uint32_t *fan_in;          /* [server] source servers, itself left out */
};
uint32_t server_of_rank(const struct placement *placement, uint32_t rank);

/* Every rank twice, in boxes for the servers, a line for each message. */
void draw_step_lines(const struct schedule_header *header, const struct step_servers *servers,
                     const struct step *step, struct text *out);
/* A row for each server that sends and a column for each that receives, with numbers of messages. */
void draw_step_matrix(const struct schedule_header *header, const struct step_servers *servers,
                      const struct step *step, struct text *out);

#endif
