/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws one step: as lines between ranks if they fit in a row, else as a matrix of servers. See
 * docs/drawing.md.
 */
#include "emitters/drawing/step.h"

#include <stdlib.h>

void drawing_set_up(struct drawing *drawing, const char *layout)
{
    drawing_set(drawing, "layout", layout);
    drawing_set(drawing, "fontname", "Helvetica");
    drawing_set(drawing, "fontsize", "11");
    drawing_set_nodes(drawing, "fontname", "Helvetica");
    drawing_set_nodes(drawing, "fontsize", "10");
    drawing_set_nodes(drawing, "style", "filled");
    drawing_set_nodes(drawing, "fillcolor", "#f6f6f2");
    drawing_set_nodes(drawing, "width", "0.4");
    drawing_set_nodes(drawing, "height", "0.3");
    drawing_set_nodes(drawing, "margin", "0.05,0.02");
    drawing_set_edges(drawing, "fontname", "Helvetica");
    drawing_set_edges(drawing, "fontsize", "9");
    drawing_set_edges(drawing, "arrowsize", "0.6");
    drawing_set_edges(drawing, "color", DRAW_GREY);
}

void drawing_name_schedule(const struct schedule_header *header, struct text *html)
{
    drawing_escape(collective_name(header->collective, header->form), html);
    text_printf(html, "/");
    drawing_escape(header->algorithm ? header->algorithm : "schedule", html);
}

void drawing_caption_step(struct drawing *drawing, const char *first, const char *within_server,
                          const char *to_several)
{
    const struct drawing_colour colours[] = {
        {DRAW_GREY, within_server}, {DRAW_BLUE, "between servers"}, {DRAW_RED, to_several}};
    drawing_caption_colours(drawing, first, colours, sizeof colours / sizeof *colours);
}

uint32_t server_of_rank(const struct placement *placement, uint32_t rank)
{
    const bool is_placed = placement && rank < placement->n_ranks;
    return is_placed ? placement->server[rank] : rank;
}

static int step_compare_pairs(const void *left, const void *right)
{
    const struct server_pair *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static struct step_servers servers_of(const struct schedule_header *header,
                                      const struct placement *placement, const struct step *step)
{
    struct step_servers servers = {.placement = placement,
                                   .n_servers = placement ? placement->n_servers : header->n_ranks};
    struct server_pair *pairs = mem_alloc(step->n_sends, sizeof *pairs);
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct server_pair pair = {server_of_rank(placement, step->sends[i].rank),
                                         server_of_rank(placement, step->sends[i].peer)};
        if (pair.from < servers.n_servers && pair.to < servers.n_servers)
            pairs[servers.n_pairs++] = pair;
    }
    if (servers.n_pairs)
        qsort(pairs, servers.n_pairs, sizeof *pairs, step_compare_pairs);
    servers.pairs = pairs;
    servers.fan_in = mem_alloc(servers.n_servers, sizeof *servers.fan_in);
    for (size_t i = 0; i < servers.n_pairs; i++) {
        const bool is_new = i == 0 || step_compare_pairs(&pairs[i - 1], &pairs[i]) != 0;
        servers.fan_in[pairs[i].to] += is_new && pairs[i].from != pairs[i].to;
    }
    return servers;
}

void draw_step(const struct schedule_header *header, const struct placement *placement,
               const struct step *step, struct text *out)
{
    struct step_servers servers = servers_of(header, placement, step);
    if (header->n_ranks > DRAW_MAX_IN_ROW)
        draw_step_matrix(header, &servers, step, out);
    else
        draw_step_lines(header, &servers, step, out);
    free(servers.pairs);
    free(servers.fan_in);
}

const char *emit_drawing_step(const struct emit_request *request, struct text *out)
{
    draw_step(&request->schedule->header, request->placement, request->step, out);
    return NULL;
}
