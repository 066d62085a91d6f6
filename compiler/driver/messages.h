/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of the command line itself on standard error, and the exit statuses.
 */
#ifndef COLLC_DRIVER_MESSAGES_H
#define COLLC_DRIVER_MESSAGES_H

#include "base/diagnostic.h"
#include "compiler/driver/options.h"

/* Exit statuses: of every command. */
enum { STATUS_CLEAN = 0, STATUS_FINDINGS = 1, STATUS_FAILED = 2 };

/* Says "collc: error: ..." with a pointer to the help of the command; returns STATUS_FAILED, so
 * that a command can return it. */
int usage_error(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Does the same for a step of a job (job.h): returns false. */
bool usage_refuse(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Does the same with its own help: what to write instead. */
int usage_error_with(const char *help, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports the last of these messages (K005), if there is one and no error is in the list: what a program
 * reads then says why nothing was done. */
void usage_report(struct diagnostics *diagnostics);

/* Returns the end of such a message: "; did you mean 'NEAR'?", or "" if `near` is NULL. In the arena. */
const char *usage_did_you_mean(struct arena *arena, const char *near);

/* Prints, with --verbose, "collc: WHAT 'SUBJECT'". */
void say_verbose(const struct options *options, const char *what, const char *subject);
/* Prints the diagnostics, with their carets, after known_file_help. */
void say_diagnostics(const struct options *options, struct diagnostics *diagnostics);
/* True if messages to `descriptor` are coloured. */
bool options_use_colour(const struct options *options, int descriptor);

/* Returns the severity of --fail-on, or `otherwise` if that is not given. */
enum severity options_least_severity(const struct options *options, enum severity otherwise);
/* True if the list has a diagnostic of at least the severity of --fail-on (`otherwise` if that is not
 * given). */
bool has_failures(const struct options *options, enum severity otherwise,
                  const struct diagnostics *list);

#endif
