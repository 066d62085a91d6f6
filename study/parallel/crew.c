/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A text comes as a frame, through a pipe: each copy has a pipe of its own, launched processes share one.
 * Frames of processes that are ahead of others wait in a list. See crew.h.
 */
#define _GNU_SOURCE /* F_SETPIPE_SZ; prctl: a copy must not outlive this process */
#include "study/parallel/crew.h"

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
    struct crew_frame frame;
    char *text;
    struct arrived *next;
};

/* A pipe that frames come from. */
struct source {
    int descriptor;          /* -1: closed */
    pid_t process;           /* process of a copy; 0: launched */
    struct crew_frame frame; /* header being received, */
    struct arrived *coming;  /* message being received, NULL until the header is complete, */
    size_t n_there;          /* bytes received so far of both */
};

struct crew {
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
    const char *words = getenv(CREW_VARIABLE);
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

uint32_t crew_n_launched(void)
{
    know_launch();
    return launch.n;
}

uint32_t crew_number(void)
{
    know_launch();
    return launch.number;
}

uint32_t crew_n_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

/* ---- a part ---- */

enum { PIPE_BYTES = 1 << 20 }; /* largest size without privileges */

static void crew_write_whole(int descriptor, const void *data, size_t length)
{
    for (const char *at = data; length;) {
        const ssize_t n = write(descriptor, at, length);
        if (n < 0 && errno != EINTR)
            return; /* number 0 has gone, or does without */
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
}

static void give(int descriptor, uint32_t part, uint32_t n, uint32_t piece, crew_work *work, void *context)
{
    struct text text = {0};
    if (part < n)
        work(context, part, n, &text);
    const struct crew_frame frame = {part, piece, text.length};
    crew_write_whole(descriptor, &frame, sizeof frame);
    crew_write_whole(descriptor, text.data, text.length);
    text_free(&text);
}

/* Does the same, silently if memory runs out: number 0 does without. */
static void give_guarded(int descriptor, uint32_t part, const struct crew *crew, crew_work *work,
                         void *context)
{
    struct fatal_guard guard;
    if (setjmp(guard.resume))
        return;
    fatal_guard_enter(&guard);
    give(descriptor, part, crew->n, crew->piece, work, context);
    fatal_guard_leave(&guard);
}

static void start_copy(struct crew *crew, uint32_t part, crew_work *work, void *context)
{
    struct source *source = &crew->sources[part - 1];
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
        give_guarded(ends[1], part, crew, work, context);
        _exit(0);
    }
    close(ends[1]);
    source->descriptor = ends[0];
}

struct crew *crew_begin(uint32_t n, crew_work *work, void *context)
{
    const uint32_t n_launched = crew_n_launched(), piece = launch.n_pieces++;
    if (launch.number > 0) {
        give(launch.source.descriptor, launch.number, n, piece, work, context);
        return NULL;
    }
    struct crew *crew = mem_alloc(1, sizeof *crew);
    *crew = (struct crew){.n = n, .piece = piece};
    if (n_launched > 1) {
        crew->sources = &launch.source;
        crew->n_sources = 1;
        crew->list = &launch.list;
        return crew;
    }
    crew->sources = mem_alloc(n, sizeof *crew->sources);
    crew->n_sources = n - 1;
    crew->list = &crew->own;
    for (uint32_t part = 1; part < n; part++)
        start_copy(crew, part, work, context);
    return crew;
}

/* ---- number 0 ---- */

/* Takes the received bytes: makes room for a text after its header, and puts a complete one into the list. */
static void crew_take(struct crew *crew, struct source *source)
{
    const struct crew_frame *frame = &source->frame;
    if (source->n_there < sizeof *frame)
        return;
    if (!source->coming) {
        source->coming = mem_alloc(1, sizeof *source->coming);
        *source->coming = (struct arrived){*frame, mem_resize(NULL, frame->length + 1, 1), NULL};
    }
    if (source->n_there < sizeof *frame + frame->length)
        return;
    source->coming->text[frame->length] = '\0';
    source->coming->next = *crew->list;
    *crew->list = source->coming;
    source->coming = NULL;
    source->n_there = 0;
}

static void crew_read_some(struct crew *crew, struct source *source)
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
    crew_take(crew, source);
}

static void free_arrived(struct arrived *arrived)
{
    if (arrived)
        free(arrived->text);
    free(arrived);
}

static struct arrived *crew_find(const struct crew *crew, uint32_t part)
{
    for (struct arrived *at = *crew->list; at; at = at->next)
        if (at->frame.part == part && at->frame.piece == crew->piece)
            return at;
    return NULL;
}

static struct source *crew_source_of(const struct crew *crew, uint32_t part)
{
    return &crew->sources[crew->n_sources > 1 ? part - 1 : 0];
}

/* Reads what is there, waiting for so long. */
static void crew_read_sources(struct crew *crew, int milliseconds)
{
    struct pollfd *wanted = mem_alloc(crew->n_sources, sizeof *wanted);
    for (size_t i = 0; i < crew->n_sources; i++)
        wanted[i] = (struct pollfd){.fd = crew->sources[i].descriptor, .events = POLLIN};
    if (poll(wanted, crew->n_sources, milliseconds) < 0 && errno != EINTR)
        fatal("cannot wait for a process");
    for (size_t i = 0; i < crew->n_sources; i++)
        if (crew->sources[i].descriptor >= 0 && wanted[i].revents)
            crew_read_some(crew, &crew->sources[i]);
    free(wanted);
}

bool crew_has_failed(struct crew *crew)
{
    bool has_failed = false;
    crew_read_sources(crew, 0);
    for (uint32_t part = 1; part < crew->n && !has_failed; part++) {
        const struct arrived *arrived = crew_find(crew, part);
        has_failed = arrived ? !arrived->frame.length : crew_source_of(crew, part)->descriptor < 0;
    }
    return has_failed;
}

const char *crew_text(struct crew *crew, uint32_t part, size_t *length)
{
    const struct arrived *arrived;
    while (!(arrived = crew_find(crew, part)) && crew_source_of(crew, part)->descriptor >= 0)
        crew_read_sources(crew, -1);
    *length = arrived ? (size_t)arrived->frame.length : 0;
    return *length ? arrived->text : NULL;
}

/* Drops the frames of this piece and of earlier ones. */
static void crew_forget(struct crew *crew)
{
    for (struct arrived **at = crew->list; *at;) {
        struct arrived *arrived = *at;
        if (arrived->frame.piece > crew->piece) {
            at = &arrived->next;
            continue;
        }
        *at = arrived->next;
        free_arrived(arrived);
    }
}

void crew_end(struct crew *crew)
{
    crew_forget(crew);
    if (crew->sources != &launch.source) {
        for (size_t i = 0; i < crew->n_sources; i++) {
            kill(crew->sources[i].process, SIGKILL);
            if (crew->sources[i].descriptor >= 0)
                close(crew->sources[i].descriptor);
            while (waitpid(crew->sources[i].process, NULL, 0) < 0 && errno == EINTR)
                continue;
            free_arrived(crew->sources[i].coming);
        }
        free(crew->sources);
    }
    free(crew);
}
