/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A topology on its way to a drawing: the nodes that are drawn, the lines, and their look.
 */
#ifndef COLLC_EMITTERS_DRAWING_TOPOLOGY_MAP_H
#define COLLC_EMITTERS_DRAWING_TOPOLOGY_MAP_H

#include "emitters/drawing/draw.h"

#include "network/grid.h"

/* Every node; machines as part of their switch; nodes that are alike as one. */
enum detail { DETAIL_ALL, DETAIL_LEAVES, DETAIL_FOLDED };
#define NO_LEVEL UINT32_MAX

/* A link between two drawn nodes, seen from the one with the lower number. */
struct cable {
    uint32_t low, high; /* drawn nodes */
    bool is_forward;    /* from low to high */
    bool is_cut;        /* drawn as two ends: it wraps around, or leads to another plane of a grid */
    uint32_t link;
    uint64_t load;
};

/* A line to draw: a cable, one direction of it, or many cables. */
struct line {
    uint32_t low, high;
    enum { BOTH_WAYS, UPWARDS, DOWNWARDS } way; /* from low to high is upwards */
    uint64_t load;
    uint32_t link;    /* one of them */
    bool has_network; /* it has the colour of the link's network */
    bool is_bundle;
    char label[96]; /* lines that end in '\n'; empty: none */
};

struct map {
    const struct topology *topology;
    const struct grid *grid;  /* NULL: no grid */
    const uint32_t *place;    /* [node] its node of the grid that an explicit network is; else NULL */
    double stretch;           /* factor for the horizontal steps of a grid, for long names; at least 1 */
    uint32_t *guest;          /* [router] the machine that is drawn with it, if `place` is set */
    const uint64_t *load;     /* or NULL */
    uint64_t block_units;     /* by which it is divided for people */
    const struct schedule_header *header; /* header of the schedule that makes the load, or NULL */
    const struct step *step;  /* the step that makes the load, or NULL for all */
    enum detail detail;
    uint32_t n_nodes;         /* number in the topology */
    uint32_t *level;          /* [node] distance from the nearest machine */
    uint32_t *drawn;          /* [node] node that is drawn for it */
    uint32_t *n_members;      /* [node] machines (or nodes) that are drawn as it */
    uint64_t *inside;         /* [node] largest load of the links between nodes that are drawn as it */
    bool has_rails;           /* some machines are on several switches */
    bool is_flat;             /* most cables between switches lead to a switch of the same level */
    bool is_in_rows;          /* we place nodes and lines ourselves (rows.h) */
    struct cable *cables;
    size_t n_cables;
    double calm_load;         /* most that is no harm */
    bool is_least;            /* it is a lower bound, not the mean of loaded links */
    uint64_t max_load, total_load, n_loaded, n_busiest; /* n_busiest: links with max_load */
    struct drawing *drawing;
    struct drawing_node **nodes; /* [drawn] */
    uint32_t n_outside;
    struct line *lines; /* is_in_rows: collected, and drawn when all are there */
    size_t n_lines;
};

/* True if a load is more than is no harm; rounding is none. */
static inline bool draw_is_harm(const struct map *map, uint64_t load)
{
    return (double)load > 1.005 * map->calm_load;
}

/* Sets level, is_flat, detail, is_in_rows, drawn and n_members, which must be zero. O(links x levels). */
void draw_choose_nodes(struct map *map);
/* DETAIL_FOLDED: sets drawn and n_members. O(links x rounds), of which there are at most 24. */
void draw_fold(struct map *map);
/* Sets colour, width and tooltip of a line. */
void draw_look(const struct map *map, struct drawing_edge *edge, const struct line *line);
/* Appends the label of a node; a line break is "\\n", as in DOT. */
void draw_label_of(const struct map *map, uint32_t node, struct text *label);
/* is_in_rows: places the nodes, which are drawn already, and draws the lines and their labels. */
void draw_in_rows(struct map *map);

#endif
