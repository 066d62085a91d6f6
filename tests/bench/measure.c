/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure [--cpu] COMMAND...: runs a command, its output thrown away, and prints
 *   SECONDS RSS_KIB STATUS
 * wall-clock time, with --cpu that of the processor, and the largest resident set, which a shell cannot see.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static _Noreturn void become(char **command)
{
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0)
        dup2(null, STDOUT_FILENO);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    const bool is_cpu = argc > 1 && strcmp(argv[1], "--cpu") == 0;
    if (argc < 2 + is_cpu) {
        fprintf(stderr, "usage: measure [--cpu] COMMAND...\n");
        return 2;
    }
    double start = now();
    pid_t child = fork();
    if (child == 0)
        become(argv + 1 + is_cpu);
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("measure");
        return 2;
    }
    double seconds = now() - start;
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.4f %ld %d\n", is_cpu ? seconds_of(&usage) : seconds, usage.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return 0;
}
