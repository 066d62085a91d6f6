/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A text comes as a frame, through a pipe: each copy has a pipe of its own, launched processes share one.
 * Frames of processes that are ahead of others wait in a list. See pool.h.
 */
#define _GNU_SOURCE /* F_SETPIPE_SZ; prctl: a copy must not outlive this process */
#include "study/parallel/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A frame that has arrived. */
struct arrived {
    struct pool_frame frame;
    char *text;
    struct arrived *next;
};

/* A pipe that frames come from. */
struct source {
    int descriptor;          /* -1: closed */
    pid_t process;           /* process of a copy; 0: launched */
    struct pool_frame frame; /* header being received, */
    struct arrived *coming;  /* message being received, NULL until the header is complete, */
    size_t n_there;          /* bytes received so far of both */
};

struct pool {
    uint32_t n, piece;
    struct source *sources;
    size_t n_sources;
    struct arrived **list;
    struct arrived *own; /* messages of copies */
};

/* State of the process: how it was launched, and its received messages. */
static struct {
    bool is_known;
    uint32_t number, n;
    uint32_t n_pieces; /* begun so far: the same in all of them */
    struct source source;
    struct arrived *list;
} launch;

static void know_launch(void)
{
    const char *words = getenv(POOL_VARIABLE);
    unsigned number, n;
    int descriptor, end = 0;
    if (launch.is_known)
        return;
    launch.is_known = true;
    launch.n = 1;
    if (!words || sscanf(words, "%u %u %d%n", &number, &n, &descriptor, &end) != 3 || words[end] || n < 2 ||
        number >= n || descriptor < 0)
        return;
    launch.number = number;
    launch.n = n;
    launch.source.descriptor = descriptor;
    signal(SIGPIPE, SIG_IGN);
}

uint32_t pool_n_launched(void)
{
    know_launch();
    return launch.n;
}

uint32_t pool_number(void)
{
    know_launch();
    return launch.number;
}

uint32_t pool_n_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

/* ---- a part ---- */

enum { PIPE_BYTES = 1 << 20 }; /* largest size without privileges */

static void pool_write_whole(int descriptor, const void *data, size_t length)
{
    for (const char *at = data; length;) {
        const ssize_t n = write(descriptor, at, length);
        if (n < 0 && errno != EINTR)
            return; /* number 0 has gone, or does without */
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
}

static void give(int descriptor, uint32_t part, uint32_t n, uint32_t piece, pool_work *work, void *context)
{
    struct text text = {0};
    if (part < n)
        work(context, part, n, &text);
    const struct pool_frame frame = {part, piece, text.length};
    pool_write_whole(descriptor, &frame, sizeof frame);
    pool_write_whole(descriptor, text.data, text.length);
    text_free(&text);
}

/* Does the same, silently if memory runs out: number 0 does without. */
static void give_guarded(int descriptor, uint32_t part, const struct pool *pool, pool_work *work,
                         void *context)
{
    struct fatal_guard guard;
    if (setjmp(guard.resume))
        return;
    fatal_guard_enter(&guard);
    give(descriptor, part, pool->n, pool->piece, work, context);
    fatal_guard_leave(&guard);
}

static void start_copy(struct pool *pool, uint32_t part, pool_work *work, void *context)
{
    struct source *source = &pool->sources[part - 1];
    const pid_t parent = getpid();
    int ends[2];
    if (pipe(ends) != 0)
        fatal("cannot make a pipe");
    (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* or not: then a copy waits while it is read */
    fflush(NULL);
    source->process = fork();
    if (source->process < 0)
        fatal("cannot start a process");
    if (source->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(0);
        signal(SIGPIPE, SIG_IGN);
        close(ends[0]);
        give_guarded(ends[1], part, pool, work, context);
        _exit(0);
    }
    close(ends[1]);
    source->descriptor = ends[0];
}

struct pool *pool_begin(uint32_t n, pool_work *work, void *context)
{
    const uint32_t n_launched = pool_n_launched(), piece = launch.n_pieces++;
    if (launch.number > 0) {
        give(launch.source.descriptor, launch.number, n, piece, work, context);
        return NULL;
    }
    struct pool *pool = mem_alloc(1, sizeof *pool);
    *pool = (struct pool){.n = n, .piece = piece};
    if (n_launched > 1) {
        pool->sources = &launch.source;
        pool->n_sources = 1;
        pool->list = &launch.list;
        return pool;
    }
    pool->sources = mem_alloc(n, sizeof *pool->sources);
    pool->n_sources = n - 1;
    pool->list = &pool->own;
    for (uint32_t part = 1; part < n; part++)
        start_copy(pool, part, work, context);
    return pool;
}

/* ---- number 0 ---- */

/* Takes the received bytes: makes room for a text after its header, and puts a complete one into the list. */
static void pool_take_bytes(struct pool *pool, struct source *source)
{
    const struct pool_frame *frame = &source->frame;
    if (source->n_there < sizeof *frame)
        return;
    if (!source->coming) {
        source->coming = mem_alloc(1, sizeof *source->coming);
        *source->coming = (struct arrived){*frame, mem_resize(NULL, frame->length + 1, 1), NULL};
    }
    if (source->n_there < sizeof *frame + frame->length)
        return;
    source->coming->text[frame->length] = '\0';
    source->coming->next = *pool->list;
    *pool->list = source->coming;
    source->coming = NULL;
    source->n_there = 0;
}

static void pool_read_some(struct pool *pool, struct source *source)
{
    const size_t at = source->n_there, length = source->frame.length, header = sizeof source->frame;
    const ssize_t n =
        source->coming
            ? read(source->descriptor, source->coming->text + (at - header), header + length - at)
            : read(source->descriptor, (char *)&source->frame + at, header - at);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        close(source->descriptor);
        source->descriptor = -1;
        return;
    }
    source->n_there += (size_t)n;
    pool_take_bytes(pool, source);
}

static void free_arrived(struct arrived *arrived)
{
    if (arrived)
        free(arrived->text);
    free(arrived);
}

static struct arrived *pool_find(const struct pool *pool, uint32_t part)
{
    for (struct arrived *at = *pool->list; at; at = at->next)
        if (at->frame.part == part && at->frame.piece == pool->piece)
            return at;
    return NULL;
}

static struct source *pool_source_of(const struct pool *pool, uint32_t part)
{
    return &pool->sources[pool->n_sources > 1 ? part - 1 : 0];
}

/* Reads what is there, waiting for so long. */
static void pool_read_sources(struct pool *pool, int milliseconds)
{
    struct pollfd *wanted = mem_alloc(pool->n_sources, sizeof *wanted);
    for (size_t i = 0; i < pool->n_sources; i++)
        wanted[i] = (struct pollfd){.fd = pool->sources[i].descriptor, .events = POLLIN};
    if (poll(wanted, pool->n_sources, milliseconds) < 0 && errno != EINTR)
        fatal("cannot wait for a process");
    for (size_t i = 0; i < pool->n_sources; i++)
        if (pool->sources[i].descriptor >= 0 && wanted[i].revents)
            pool_read_some(pool, &pool->sources[i]);
    free(wanted);
}

bool pool_has_failed(struct pool *pool)
{
    bool has_failed = false;
    pool_read_sources(pool, 0);
    for (uint32_t part = 1; part < pool->n && !has_failed; part++) {
        const struct arrived *arrived = pool_find(pool, part);
        has_failed = arrived ? !arrived->frame.length : pool_source_of(pool, part)->descriptor < 0;
    }
    return has_failed;
}

const char *pool_text(struct pool *pool, uint32_t part, size_t *length)
{
    const struct arrived *arrived;
    while (!(arrived = pool_find(pool, part)) && pool_source_of(pool, part)->descriptor >= 0)
        pool_read_sources(pool, -1);
    *length = arrived ? (size_t)arrived->frame.length : 0;
    return *length ? arrived->text : NULL;
}

/* Drops the frames of this piece and of earlier ones. */
static void pool_forget(struct pool *pool)
{
    for (struct arrived **at = pool->list; *at;) {
        struct arrived *arrived = *at;
        if (arrived->frame.piece > pool->piece) {
            at = &arrived->next;
            continue;
        }
        *at = arrived->next;
        free_arrived(arrived);
    }
}

void pool_end(struct pool *pool)
{
    pool_forget(pool);
    if (pool->sources != &launch.source) {
        for (size_t i = 0; i < pool->n_sources; i++) {
            kill(pool->sources[i].process, SIGKILL);
            if (pool->sources[i].descriptor >= 0)
                close(pool->sources[i].descriptor);
            while (waitpid(pool->sources[i].process, NULL, 0) < 0 && errno == EINTR)
                continue;
            free_arrived(pool->sources[i].coming);
        }
        free(pool->sources);
    }
    free(pool);
}
