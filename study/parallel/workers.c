/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See workers.h. A worker reads the number of an item from one pipe and writes the length of a text, and
 * the text, into another; then it gets the next item. A worker that dies is replaced.
 */
#include "study/parallel/workers.h"

#include "study/parallel/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORKERS = 64, TICK_MS = 500 };

struct worker {
    pid_t process;
    int to, from;     /* -1: there is none */
    size_t item;
    struct text text; /* received part of the item's text, behind its length */
};

struct pool {
    const struct workers *workers;
    struct worker worker[MAX_WORKERS];
    uint32_t n;
    size_t next, n_done;
};

/* ---- in the worker ---- */

static bool workers_transfer(ssize_t (*call)(int, void *, size_t), int descriptor, void *data, size_t length)
{
    for (char *at = data; length;) {
        ssize_t n = call(descriptor, at, length);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static ssize_t write_some(int descriptor, void *data, size_t length)
{
    return write(descriptor, data, length);
}

static void workers_serve(const struct workers *workers, int from, int to)
{
    uint64_t item;
    while (workers_transfer(read, from, &item, sizeof item)) {
        struct text text = {0};
        workers->work(workers->context, (size_t)item, &text);
        uint64_t length = text.length;
        if (!workers_transfer(write_some, to, &length, sizeof length) ||
            !workers_transfer(write_some, to, text.data, text.length))
            break;
        text_free(&text);
    }
    _exit(0);
}

/* ---- in this process ---- */

static void open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        fatal("cannot make a pipe");
}

/* Closes the ends of other workers' pipes in a new one, as a worker ends when its pipe does. */
static void close_others(const struct pool *pool)
{
    for (uint32_t i = 0; i < pool->n; i++) {
        if (pool->worker[i].from < 0)
            continue;
        close(pool->worker[i].to);
        close(pool->worker[i].from);
    }
}

static void workers_start(struct pool *pool, struct worker *worker)
{
    int items[2], texts[2];
    open_pipe(items);
    open_pipe(texts);
    fflush(NULL);
    worker->process = fork();
    if (worker->process < 0)
        fatal("cannot start a process");
    if (worker->process == 0) {
        close_others(pool);
        close(items[1]);
        close(texts[0]);
        workers_serve(pool->workers, items[0], texts[1]);
    }
    close(items[0]);
    close(texts[1]);
    worker->to = items[1];
    worker->from = texts[0];
}

static int workers_stop(struct worker *worker)
{
    int status = 0;
    close(worker->to);
    close(worker->from);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
        ;
    worker->from = worker->to = -1;
    return status;
}

/* Gives the worker the next item, or ends it. */
static void feed(struct pool *pool, struct worker *worker)
{
    if (pool->next == pool->workers->n_items) {
        workers_stop(worker);
        return;
    }
    worker->item = pool->next++;
    worker->text.length = 0;
    uint64_t item = worker->item;
    (void)workers_transfer(write_some, worker->to, &item,
                           sizeof item); /* a dead one is seen when it is read */
}

static bool workers_is_whole(const struct worker *worker)
{
    uint64_t length;
    if (worker->text.length < sizeof length)
        return false;
    memcpy(&length, worker->text.data, sizeof length);
    return worker->text.length - sizeof length == length;
}

static void workers_finish(struct pool *pool, struct worker *worker, const char *text, size_t length,
                           int status)
{
    pool->n_done++;
    pool->workers->done(pool->workers->context, worker->item, text, length, status);
}

static void workers_take(struct pool *pool, struct worker *worker)
{
    char buffer[65536];
    ssize_t n = read(worker->from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) { /* it died on this item */
        workers_finish(pool, worker, NULL, 0, workers_stop(worker));
        if (pool->next < pool->workers->n_items) {
            workers_start(pool, worker);
            feed(pool, worker);
        }
        return;
    }
    text_append(&worker->text, buffer, (size_t)n);
    if (!workers_is_whole(worker))
        return;
    workers_finish(pool, worker, worker->text.data + sizeof(uint64_t), worker->text.length - sizeof(uint64_t),
                   0);
    feed(pool, worker);
}

static uint32_t count_workers(const struct workers *workers)
{
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = workers->n_workers ? workers->n_workers : n_processors > 0 ? (size_t)n_processors : 1;
    n = n < MAX_WORKERS ? n : MAX_WORKERS;
    return (uint32_t)(n < workers->n_items ? n : workers->n_items);
}

/* Runs the items with processes of this machine. */
static void run_here(const struct workers *workers)
{
    struct pool pool = {.workers = workers};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    const uint32_t n = count_workers(workers);
    for (uint32_t i = 0; i < n; i++) {
        workers_start(&pool, &pool.worker[i]);
        pool.n++;
        feed(&pool, &pool.worker[i]);
    }
    while (pool.n_done < workers->n_items) {
        struct pollfd wanted[MAX_WORKERS];
        for (uint32_t i = 0; i < n; i++)
            wanted[i] = (struct pollfd){.fd = pool.worker[i].from, .events = POLLIN};
        if (poll(wanted, n, TICK_MS) < 0 && errno != EINTR)
            fatal("cannot wait for a process");
        for (uint32_t i = 0; i < n; i++)
            if (wanted[i].revents && pool.worker[i].from >= 0)
                workers_take(&pool, &pool.worker[i]);
        if (workers->tick)
            workers->tick(workers->context, pool.n_done);
    }
    for (uint32_t i = 0; i < n; i++)
        text_free(&pool.worker[i].text);
    sigaction(SIGPIPE, &before, NULL);
}

/* ---- by processes that were launched ---- */

/* A part's share: part `part` of n has the items part, part + n, ... */
struct share {
    const struct workers *workers;
    uint32_t part, n;
    struct text *out; /* destination of their texts; NULL: workers->done */
};

/* Header of a text. */
struct item_head {
    uint64_t item, length;
    int status;
    bool has_text;
};

static void work_of_share(void *context, size_t item, struct text *out)
{
    const struct share *share = context;
    share->workers->work(share->workers->context, share->part + item * share->n, out);
}

static void done_in_share(void *context, size_t item, const char *text, size_t length, int status)
{
    const struct share *share = context;
    const struct item_head head = {share->part + item * share->n, length, status, text};
    if (!share->out) {
        share->workers->done(share->workers->context, (size_t)head.item, text, length, status);
        return;
    }
    text_append(share->out, (const char *)&head, sizeof head);
    if (length)
        text_append(share->out, text, length);
}

static void tick_in_share(void *context, size_t n_done)
{
    const struct share *share = context;
    if (share->workers->tick)
        share->workers->tick(share->workers->context, n_done * share->n);
}

/* Runs a share, one item at a time unless more are asked for: the launcher has one process for each
 * processor. */
static void run_share(struct share *share)
{
    const size_t n_items = share->workers->n_items;
    const struct workers own = {.n_items = (n_items + share->n - 1 - share->part) / share->n,
                                .n_workers = share->workers->n_workers ? share->workers->n_workers : 1,
                                .context = share,
                                .work = work_of_share,
                                .done = done_in_share,
                                .tick = tick_in_share};
    run_here(&own);
}

static void workers_run_part(void *context, uint32_t part, uint32_t n, struct text *out)
{
    const struct workers *workers = context;
    struct share share = {workers, part, n, out};
    text_append(out, "", 1); /* also where there are no items */
    run_share(&share);
}

/* Takes the items of a part; does those of a lost part here. */
static void take_part(const struct workers *workers, struct pool *pool, uint32_t part, uint32_t n)
{
    struct share share = {workers, part, n, NULL};
    size_t length, at = 1;
    const char *text = pool_text(pool, part, &length);
    if (!text) {
        run_share(&share);
        return;
    }
    while (at < length) {
        struct item_head head;
        memcpy(&head, text + at, sizeof head);
        at += sizeof head;
        workers->done(workers->context, (size_t)head.item, head.has_text ? text + at : NULL,
                      (size_t)head.length, head.status);
        at += head.length;
    }
}

void workers_run(const struct workers *workers)
{
    const uint32_t n = pool_n_launched();
    if (n == 1) {
        run_here(workers);
        return;
    }
    struct workers shared = *workers; /* which work is handed, as it may change what it works on */
    struct pool *pool = pool_begin(n, workers_run_part, &shared);
    if (!pool)
        return;
    run_share(&(struct share){workers, 0, n, NULL});
    for (uint32_t part = 1; part < n; part++)
        take_part(workers, pool, part, n);
    pool_end(pool);
}
