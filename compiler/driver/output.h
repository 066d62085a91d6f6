/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Output that is whole or absent: a file is written aside, in the same folder,
 * and renamed when it is complete, so that neither an error nor a full disk
 * leaves half a file. What is not a regular file (a device, a pipe) is written
 * in place.
 */
#ifndef COLLC_DRIVER_OUTPUT_H
#define COLLC_DRIVER_OUTPUT_H

#include "base/memory.h"

#include <stdio.h>

struct output {
    FILE *file;
    const char *name; /* as the user wrote it; NULL: standard output */
    char *path;       /* final name of the file; NULL: written in place */
    char *temporary;  /* name while it is written; NULL: it has none yet */
};

/* Opens `path`; NULL, "-" or the file to which standard output goes is standard output. Exits with status 2
 * if it cannot. */
struct output output_open(const char *path);
/* True if `path` is a regular file and `input` is the same; "-" is standard input. Either may be NULL. */
bool output_overwrites(const char *path, const char *input);
/* True if both name one file, through links of either kind, even if it does not exist yet; or both are "-".
 * Either may be NULL. */
bool output_is_same(const char *path, const char *other);
/* Remembers a file that is read: output_open refuses to replace it, under whatever name. */
void output_note_input(FILE *input);
/* Lets outputs replace this file, if it is one, though it is read: all of it is read before. */
void output_may_renew(const char *path);
/* Appends a line about the files that this process has read since the last call, for a process that writes
 * outputs. */
void output_tell_inputs(struct text *out);
/* Remembers the files of such a line, which `text` begins with; returns its length. */
size_t output_take_inputs(const char *text);
/* Appends; false once a write failed. `output` is a struct output: the form
 * schedule_print wants. */
bool output_write(void *output, const char *data, size_t length);
/* Completes the file under its name. Exits with status 2 if that fails. */
void output_commit(struct output *output);
/* Leaves the file as it was. */
void output_discard(struct output *output);

/* Opens a file, writes a whole text and completes it. */
void output_text(const char *path, const struct text *text);

/* Flushes stdout; returns `status`, or does not return if the flush fails. */
int output_close_stdout(int status);

#endif
