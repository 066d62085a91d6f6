/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See budget.h. The kernel counts the CPU time, and those that are started inherit the limit: no pass has to
 * ask how late it is. Files are written aside, so none is damaged.
 */
#include "compiler/driver/budget.h"

#include "base/memory.h"
#include "compiler/driver/messages.h"

#include <libgen.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>

enum { WORTH_SAYING = 30 }; /* seconds */

static char words[256]; /* message of a process that is stopped */
static char words_when_long[192];
static char words_of_memory[128];
static pid_t owner;

double budget_of(const struct options *options)
{
    enum { HOUR = 3600 };
    return options->budget.is_set ? (double)options->budget.value * 1e-9 : HOUR;
}

double budget_enough(const struct options *options)
{
    const double budget = budget_of(options);
    return budget > 0 ? 2 * budget : HUGE_VAL;
}

/* "1.2e+05 messages and 4.3e+09 copies" */
struct work_words {
    char text[64];
};

static struct work_words words_of_work(const struct estimate *estimate)
{
    struct work_words of_work;
    const int n = snprintf(of_work.text, sizeof of_work.text, "%.2g %s", estimate->n_messages,
                           estimate->items ? estimate->items : "messages");
    if (estimate->n_copies > estimate->n_messages)
        snprintf(of_work.text + n, sizeof of_work.text - (size_t)n, " and %.2g copies", estimate->n_copies);
    return of_work;
}

bool budget_refuse(const struct options *options, const char *what, const struct estimate *estimate)
{
    const bool is_verified = options->command == COMMAND_verify;
    struct text help = {0};
    text_printf(&help, "%s; --budget allows more",
                estimate->instead ? estimate->instead
                : is_verified     ? "fewer ranks, or an algorithm and a network that symmetry decides "
                                    "(docs/symmetry.md)"
                                  : "fewer ranks");
    usage_error_with(help.data, "%s %s takes about %.0f s of CPU time, the budget is %.4g s", what,
                     words_of_work(estimate).text, estimate->seconds, budget_of(options));
    text_free(&help);
    return false;
}

/* Returns the bytes of memory that nobody uses; without /proc all that there are. */
static double bytes_free(void)
{
    double kib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1024;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib * 1024;
}

/* Returns the bytes of data that this process has; a sanitizer maps more than there is. */
static double bytes_mapped(void)
{
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*s %*s %*s %*s %*s %lf", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

/* Returns the bytes of memory that there are, or that this process may have. */
static double bytes_there(void)
{
    const double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && (double)limit.rlim_cur < all ? (double)limit.rlim_cur : all;
}

bool budget_allows(const struct options *options, const struct estimate *estimate)
{
    if (estimate->is_at_least)
        return budget_refuse(options, "to look at more than", estimate);
    if (estimate->bytes > bytes_there()) {
        usage_error_with("fewer ranks, or an algorithm with more and smaller steps",
                         "a step of %.2g messages and copies takes about %.2g GB of memory, there are "
                         "%.2g GB",
                         estimate->most_in_step, estimate->bytes * 1e-9, bytes_there() * 1e-9);
        return false;
    }
    if (estimate->seconds > WORTH_SAYING && !options->quiet)
        fprintf(stderr, "collc: %s to look at, some %.0f seconds%s%s\n",
                words_of_work(estimate).text, estimate->seconds,
                estimate->instead ? "; at once: " : "", estimate->instead ? estimate->instead : "");
    return true;
}

/* Bytes that the file system of this file, or of the folder where it will be, has room for;
 * HUGE_VAL: it is no file, or that is not known. */
static double room_at(const char *path)
{
    struct stat status;
    struct statvfs room;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return HUGE_VAL;
    char *copy = mem_alloc(strlen(path) + 1, 1);
    strcpy(copy, path);
    const bool is_known = statvfs(dirname(copy), &room) == 0;
    free(copy);
    return is_known ? (double)room.f_bavail * (double)room.f_frsize : HUGE_VAL;
}

bool budget_allows_text(const struct options *options, double bytes)
{
    enum { WORTH_SAYING_GB = 1 };
    const bool is_file = options->output && strcmp(options->output, "-") != 0;
    const double room = is_file ? room_at(options->output) : HUGE_VAL;
    if (bytes > room) {
        usage_error_with("fewer ranks; the other commands take the algorithm itself, and need no such file",
                         "'%s' will have about %.2g GB, and there is room for %.2g GB", options->output,
                         bytes * 1e-9, room * 1e-9);
        return false;
    }
    if (bytes > WORTH_SAYING_GB * 1e9)
        fprintf(stderr, "collc: about %.2g GB to write\n", bytes * 1e-9);
    return true;
}

/* A process that was started ends without a word: its work is not there, and the owner is soon here, too. */
static void budget_stop(int signal)
{
    (void)signal;
    if (getpid() == owner && write(STDERR_FILENO, words, strlen(words)) < 0)
        _exit(STATUS_FAILED);
    _exit(STATUS_FAILED);
}

static void say_long(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, words_when_long, strlen(words_when_long)) < 0)
        return;
}

/* Says after a minute of CPU time when the command will end. The timer is this process's alone; its children
 * do not inherit it. */
static void promise_an_end(const struct options *options)
{
    enum { LONG = 60 }; /* seconds of CPU */
    const double seconds = ceil(2 * budget_of(options));
    struct sigaction action = {.sa_handler = say_long, .sa_flags = SA_RESTART};
    const struct itimerval after = {.it_value = {.tv_sec = LONG}};
    char end[64] = "no --budget ends it";
    if (options->quiet || (seconds > 0 && seconds <= LONG))
        return;
    if (seconds > 0)
        snprintf(end, sizeof end, "it ends after %.0f s, twice the --budget", seconds);
    snprintf(words_when_long, sizeof words_when_long, "%scollc: at work for %d s of CPU time; %s\n",
             isatty(STDERR_FILENO) ? "\r\033[K" : "", LONG, end);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &after, NULL);
}

static bool has_budget(enum command command)
{
    for (size_t i = 0; i < n_options; i++)
        if (option_table[i].field == offsetof(struct options, budget) &&
            option_table[i].commands >> command & 1)
            return true;
    return false;
}

/* Limits memory so that a command that no estimate foresaw ends with a message before the kernel ends a
 * process. */
static void guard_memory(void)
{
    const double most = bytes_mapped() + bytes_free();
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    if (most < (double)limit.rlim_cur) {
        limit.rlim_cur = (rlim_t)most;
        setrlimit(RLIMIT_DATA, &limit);
    }
    snprintf(words_of_memory, sizeof words_of_memory,
             "it takes more than the %.2g GB that there are: fewer ranks, or smaller steps",
             fmin((double)limit.rlim_cur, bytes_there()) * 1e-9);
    fatal_help_with_memory(words_of_memory);
}

static void guard_time(const struct options *options)
{
    const double seconds = ceil(2 * budget_of(options));
    struct sigaction action = {.sa_handler = budget_stop};
    struct rlimit limit;
    if (seconds == 0 || getrlimit(RLIMIT_CPU, &limit) != 0 || seconds >= (double)limit.rlim_cur)
        return;
    owner = getpid();
    snprintf(words, sizeof words,
             "%scollc: error: stopped after %.0f s of CPU time, the budget is %.4g s\n"
             "collc: help: fewer ranks, steps or sizes; --budget allows more\n",
             isatty(STDERR_FILENO) ? "\r\033[K" : "", seconds, budget_of(options));
    limit.rlim_cur = (rlim_t)seconds;
    sigaction(SIGXCPU, &action, NULL);
    setrlimit(RLIMIT_CPU, &limit);
}

void budget_guard(const struct options *options)
{
    if (!has_budget(options->command))
        return;
    guard_memory();
    guard_time(options);
    promise_an_end(options);
}
