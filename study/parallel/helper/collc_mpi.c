/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc-mpi-openmpi, collc-mpi-mpich: the program that collc becomes when an MPI has launched several of
 * it. It starts collc again and hands its frames (study/parallel/pool.h) to number 0: collc itself is
 * linked with no MPI.
 *
 *   collc-mpi-NAME COLLC COMMAND...
 *
 * Number 0 has standard output, and its exit status is ours; the others are silent. Number 0 waits
 * without using a processor that workers need.
 */
#define _GNU_SOURCE /* environ */
#include "study/parallel/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TAG_HEAD, TAG_BODY, TAG_END, MOST = 1 << 28 /* bytes in a message */ };

static const char *name; /* name of this executable */

static _Noreturn void collc_mpi_fail(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", name, what, strerror(errno));
    exit(2);
}

/* Returns the number that the launcher gave to this process, or the number of processes it launched; -1 if
 * it is another launcher. */
static int told(const char *openmpi, const char *mpich)
{
    const char *words = getenv(openmpi) ? getenv(openmpi) : getenv(mpich);
    return words ? atoi(words) : -1;
}

/* Starts collc; *descriptor is the end of the pipe that we have: to read, or, of number 0, to write. */
static pid_t collc_mpi_start(char **command, int number, int n, int *descriptor)
{
    posix_spawn_file_actions_t files;
    const int its = number ? 1 : 0; /* end of the pipe */
    char words[64];
    int ends[2];
    pid_t process;
    if (pipe(ends) != 0)
        collc_mpi_fail("cannot make a pipe");
    *descriptor = ends[!its];
    fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
    snprintf(words, sizeof words, "%d %d %d", number, n, ends[its]);
    setenv(POOL_VARIABLE, words, 1);
    posix_spawn_file_actions_init(&files);
    for (int stream = STDOUT_FILENO; number && stream <= STDERR_FILENO; stream++)
        posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
    if ((errno = posix_spawn(&process, command[0], &files, NULL, command, environ)) != 0)
        collc_mpi_fail(command[0]);
    posix_spawn_file_actions_destroy(&files);
    close(ends[its]);
    return process;
}

static int collc_mpi_end_of(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "%s: collc was ended by signal %d\n", name, WTERMSIG(status));
    return 2;
}

/* Waits for a message. MPIs poll while they wait; this sleeps in between. */
static void collc_mpi_wait_for(int tag, MPI_Status *status)
{
    int is_there = 0;
    for (long pause = 50000;; pause = pause < 2000000 ? pause * 2 : pause) {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, status);
        if (is_there)
            return;
        nanosleep(&(struct timespec){0, pause}, NULL);
    }
}

/* ---- number 1 and the others ---- */

static int read_whole(int descriptor, void *data, size_t length)
{
    for (char *at = data; length;) {
        const ssize_t n = read(descriptor, at, length);
        if (n == 0 || (n < 0 && errno != EINTR))
            return 0;
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return 1;
}

static void send_head(const struct pool_frame *frame, int n)
{
    MPI_Send(frame, n * (int)sizeof *frame, MPI_BYTE, 0, TAG_HEAD, MPI_COMM_WORLD);
}

static void send_frames(int descriptor)
{
    struct pool_frame frame;
    char *body = NULL;
    while (read_whole(descriptor, &frame, sizeof frame)) {
        char *larger = realloc(body, frame.length + 1);
        body = larger ? larger : body;
        if (!larger || !read_whole(descriptor, body, frame.length))
            break;
        send_head(&frame, 1);
        for (uint64_t at = 0; at < frame.length; at += MOST)
            MPI_Send(body + at, (int)(frame.length - at < MOST ? frame.length - at : MOST), MPI_BYTE, 0,
                     TAG_BODY, MPI_COMM_WORLD);
    }
    free(body);
    send_head(&frame, 0); /* nothing more comes */
    MPI_Status status;
    collc_mpi_wait_for(TAG_END, &status); /* MPI_Finalize would wait without sleep */
    MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- number 0 ---- */

static void collc_mpi_write_whole(int descriptor, const char *data, size_t length)
{
    while (length) {
        const ssize_t n = write(descriptor, data, length);
        if (n < 0 && errno != EINTR)
            return; /* collc has ended, or does without */
        data += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
}

static void pass_on(int from, const struct pool_frame *frame, int descriptor)
{
    char *body = malloc(frame->length + 1);
    if (!body)
        collc_mpi_fail("cannot keep what came");
    for (uint64_t at = 0; at < frame->length; at += MOST)
        MPI_Recv(body + at, (int)(frame->length - at < MOST ? frame->length - at : MOST), MPI_BYTE, from,
                 TAG_BODY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    collc_mpi_write_whole(descriptor, (const char *)frame, sizeof *frame);
    collc_mpi_write_whole(descriptor, body, frame->length);
    free(body);
}

static void receive_frames(int n, int descriptor)
{
    for (int n_ended = 1; n_ended < n;) {
        struct pool_frame frame;
        MPI_Status status;
        int n_bytes;
        collc_mpi_wait_for(TAG_HEAD, &status);
        MPI_Get_count(&status, MPI_BYTE, &n_bytes);
        MPI_Recv(&frame, n_bytes, MPI_BYTE, status.MPI_SOURCE, TAG_HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (n_bytes)
            pass_on(status.MPI_SOURCE, &frame, descriptor);
        else
            n_ended++;
    }
    for (int i = 1; i < n; i++)
        MPI_Send(NULL, 0, MPI_BYTE, i, TAG_END, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const int number = told("OMPI_COMM_WORLD_RANK", "PMI_RANK");
    const int n = told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    int descriptor, real_number, real_n;
    name = argv[0];
    if (argc < 3 || number < 0 || n < 1) {
        fprintf(stderr, "usage: mpirun -n N collc COMMAND...\n");
        return 2;
    }
    /* Before MPI begins: some MPIs do not like it afterwards. */
    const pid_t process = collc_mpi_start(argv + 1, number, n, &descriptor);
    signal(SIGPIPE, SIG_IGN);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &real_number);
    MPI_Comm_size(MPI_COMM_WORLD, &real_n);
    if (real_number != number || real_n != n) {
        fprintf(stderr, "%s: another MPI launched this\n", name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (number)
        send_frames(descriptor);
    else
        receive_frames(n, descriptor);
    MPI_Finalize();
    close(descriptor);
    const int status = collc_mpi_end_of(process);
    return number ? 0 : status;
}
