/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waivers: comments in an algorithm or schedule file that allow what would be found there.
 *
 *   # collc: allow L001 because the cable is doubled next week
 *   # collc: allow L001,H001 until 2027-01-31 because the leaf is replaced then
 *
 * One that has a line to itself is for the next line that has more than a comment, one behind a statement
 * for its line. And those of the project file, which are for cells, whatever the line.
 */
#ifndef COLLC_STUDY_PROJECT_WAIVERS_H
#define COLLC_STUDY_PROJECT_WAIVERS_H

#include "base/text/slice.h"
#include "study/project/project.h"

struct waiver {
    uint32_t code;
    uint32_t line;            /* that it covers; 0: there is none behind it */
    bool is_expired, is_used;
    const char *until;        /* "2027-01-31", or NULL */
    struct position position; /* of the code in it */
    const struct project_waiver *of_project; /* it is for the cells of that; NULL: for the line */
};
struct waivers {
    struct waiver *items;
    size_t n, capacity;
};

/* Appends the waivers of a source. False after reporting K006. `today` is a date as in a waiver; a waiver
 * holds up to the end of its day. */
bool waivers_read(const struct source *source, const char *today, struct waivers *waivers,
                  struct arena *arena, struct diagnostics *diagnostics);
/* Appends those of a project. */
void waivers_of_project(const struct project *project, const char *today, struct waivers *waivers);
/* "2027-01-31", a day that there may be. */
bool waiver_is_date(struct slice word);
/* The waiver of a project that covers a code in a cell, or NULL; not one that is expired. */
struct waiver *waivers_find_in_cell(const struct waivers *waivers, uint32_t code,
                                    const struct project_cell *cell);
/* The waiver that covers a code in a line of the source of that name, or NULL; not one that is expired. */
struct waiver *waivers_find(const struct waivers *waivers, uint32_t code, const char *path, uint32_t line);
void waivers_free(struct waivers *waivers);

#endif
