/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges recorded schedules: verifies them and compares their messages with those of the library's
 * algorithms.
 */
#ifndef COLLC_TUNING_JUDGE_H
#define COLLC_TUNING_JUDGE_H

#include "study/same_messages.h"
#include "tuning/record.h"

struct judged {
    const struct record_point *point;
    const struct recorded *recorded;
    uint64_t n_errors;  /* of the verifier */
    struct text found;  /* their codes, "R006, R007"; none: it is right */
    const char *like;   /* the algorithm of the library that it was compared with; NULL: none */
    const char *unlike; /* why it could not be compared, or NULL */
    struct same_messages same;
};

struct judge_request {
    const struct table_loader *loader; /* of the MPI */
    const char *like; /* the algorithm to compare with; NULL: the counterpart of the MPI's. Of its own
                         decision that of what it is known to take, if the messages are the same, or
                         any with the same messages */
    bool has_host_each;                       /* each rank counts as a host of its own */
    const struct parameter_setting *settings; /* of `like` */
    size_t n_settings;
};

/* Verifies and compares a schedule that has no problem; findings go to `findings`, of which `path` is the
 * file. Returns false after reporting that `like` cannot be read. Release with judged_free. */
bool judge(const struct judge_request *request, const struct record_point *point,
           const struct recorded *recorded, const char *path, struct judged *judged,
           struct diagnostics *findings, struct arena *arena);
void judged_free(struct judged *judged);
/* True if it is right, and like what it was to be like. */
bool judged_is_well(const struct judge_request *request, const struct judged *judged);

#endif
