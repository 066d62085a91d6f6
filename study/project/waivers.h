/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waivers: comments in an algorithm or schedule file that allow findings there.
 *
 *   # collc: allow L001 because the cable is doubled next week
 *   # collc: allow L001,H001 until 2027-01-31 because the leaf is replaced then
 *
 * A waiver with a line to itself is for the next line that has more than a comment, one behind a
 * statement for its line. Waivers of the project file are for cells, in all lines.
 */
#ifndef COLLC_STUDY_PROJECT_WAIVERS_H
#define COLLC_STUDY_PROJECT_WAIVERS_H

#include "base/text/slice.h"
#include "study/project/project.h"

struct waiver {
    uint32_t code;
    uint32_t line;            /* line that it covers; 0: there is none behind it */
    bool is_expired, is_used;
    const char *until;        /* "2027-01-31", or NULL */
    struct position position; /* position of the code in it */
    const struct project_waiver *of_project; /* waiver of a project, for its cells; NULL: for the line */
};
struct waivers {
    struct waiver *items;
    size_t n, capacity;
};

/* Appends the waivers of a source. Returns false after reporting K006. `today` is a date as in a waiver; a
 * waiver holds up to the end of its day. */
bool waivers_read(const struct source *source, const char *today, struct waivers *waivers,
                  struct arena *arena, struct diagnostics *diagnostics);
/* Appends the waivers of a project. */
void waivers_of_project(const struct project *project, const char *today, struct waivers *waivers);
/* True for "2027-01-31", a day that exists. */
bool waiver_is_date(struct slice word);
/* Returns the waiver of a project that covers a code in a cell, unless it is expired; or NULL. */
struct waiver *waivers_find_in_cell(const struct waivers *waivers, uint32_t code,
                                    const struct project_cell *cell);
/* Returns the waiver that covers a code in a line of the source with that name, unless it is expired; or
 * NULL. */
struct waiver *waivers_find(const struct waivers *waivers, uint32_t code, const char *path, uint32_t line);
void waivers_free(struct waivers *waivers);

#endif
