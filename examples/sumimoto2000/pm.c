/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of table 3 of Sumimoto et al. 2000 over MPI: devices that are opened by name, contexts with
 * messages that are polled for, and remote memory as an option. Each device has a protocol of its own
 * (table 2): `shmem` only the flow control of a ring of buffers for each pair of ranks, with copies from
 * process to process by the kernel; `net` what MPI has. `composite` chooses between the two by the
 * destination: a table that is made when nodes are associated, and an indirect call.
 *
 *   mpicc -std=gnu11 -O2 pm.c -o pm && mpirun -n 4 ./pm
 *
 * PM_HOST=n makes every n ranks a host, to try `net` on one machine. Rank 0 prints its table of
 * destinations, as table 1, what went wrong, and round trips by `shmem` alone and within `composite`, as
 * table 6.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LONGEST = 8192, SLOTS = 8, MOST_NODES = 64, REMOTE_MEMORY = 1 };

struct slot {
    int length, from;
    char data[LONGEST];
};

/* Messages from one rank to another: one writes, one reads. Full is the flow control. */
struct ring {
    atomic_uint sent, taken;
    struct slot slots[SLOTS];
};

typedef struct pm_context {
    const struct pm_device *device;
    MPI_Comm comm;
    int rank, n, next;                    /* next: the rank whose ring is polled first; composite: calls */
    int to;                               /* of the message that is being built */
    struct ring *rings[MOST_NODES];       /* shmem: [from] of this rank; NULL: not on this host */
    struct ring *away[MOST_NODES];        /* shmem: of the ring to that rank */
    pid_t pid[MOST_NODES];
    struct ring *read;                    /* shmem: the ring that the last message came from */
    MPI_Win window;
    MPI_Request requests[SLOTS];          /* net: of the slots */
    struct slot *slots;
    unsigned slot;
    struct pm_context *parts[2], *received; /* composite */
    struct pm_context *table[MOST_NODES];   /* composite: by destination */
} pm_context;

struct pm_device {
    const char *name, *label;
    void (*open)(pm_context *);
    void (*close)(pm_context *);
    void (*associate)(pm_context *, int node);
    void *(*get_send_buffer)(pm_context *, int node, int length); /* NULL: none is free now */
    void (*send)(pm_context *);
    struct slot *(*receive)(pm_context *); /* NULL: nothing has come */
    void (*release)(pm_context *);
    void (*lock)(pm_context *, void *, size_t, int is_locked);
    int (*copy)(pm_context *, int node, MPI_Aint there, void *here, size_t, int is_write);
    void (*finish)(pm_context *, int node);
};

static void stop(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- shmem ---- */

/* The rings of all ranks that share memory, in memory that they share; the ring [from] of each receiver. */
static void shmem_open(pm_context *context)
{
    MPI_Comm host;
    int n, me, ranks[MOST_NODES], unit;
    struct ring *mine;
    MPI_Aint bytes;
    MPI_Comm_split_type(context->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &n);
    MPI_Comm_rank(host, &me);
    MPI_Allgather(&context->rank, 1, MPI_INT, ranks, 1, MPI_INT, host);
    MPI_Win_allocate_shared((MPI_Aint)((size_t)n * sizeof *mine), 1, MPI_INFO_NULL, host, &mine,
                            &context->window);
    memset(mine, 0, (size_t)n * sizeof *mine);
    for (int i = 0; i < n; i++) {
        struct ring *theirs;
        MPI_Win_shared_query(context->window, i, &bytes, &unit, &theirs);
        context->rings[ranks[i]] = mine + i;
        context->away[ranks[i]] = theirs + me;
    }
    MPI_Barrier(host);
    MPI_Comm_free(&host);
}

static void shmem_close(pm_context *context)
{
    MPI_Win_free(&context->window);
}

static void shmem_associate(pm_context *context, int node)
{
    if (!context->away[node])
        stop("a node that shares no memory");
}

static void *shmem_get_send_buffer(pm_context *context, int node, int length)
{
    struct ring *ring = context->away[node];
    const unsigned sent = atomic_load_explicit(&ring->sent, memory_order_relaxed);
    struct slot *slot = &ring->slots[sent % SLOTS];
    if (sent - atomic_load_explicit(&ring->taken, memory_order_acquire) == SLOTS)
        return NULL;
    context->to = node;
    slot->from = context->rank;
    slot->length = length;
    return slot->data;
}

static void shmem_send(pm_context *context)
{
    atomic_fetch_add_explicit(&context->away[context->to]->sent, 1, memory_order_release);
}

static struct slot *shmem_receive(pm_context *context)
{
    for (int i = 0; i < context->n; i++) {
        struct ring *ring = context->rings[(context->next + i) % context->n];
        if (!ring)
            continue;
        const unsigned taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
        if (atomic_load_explicit(&ring->sent, memory_order_acquire) == taken)
            continue;
        context->next = (context->next + i + 1) % context->n;
        context->read = ring;
        return &ring->slots[taken % SLOTS];
    }
    return NULL;
}

static void shmem_release(pm_context *context)
{
    atomic_fetch_add_explicit(&context->read->taken, 1, memory_order_release);
}

static void shmem_lock(pm_context *context, void *start, size_t bytes, int is_locked)
{
    (void)context, (void)start, (void)bytes, (void)is_locked; /* the kernel finds the pages */
}

/* Copies from process to process. Returns nonzero if the kernel does not allow it. */
static int shmem_copy(pm_context *context, int node, MPI_Aint there, void *here, size_t bytes, int is_write)
{
    const struct iovec mine = {here, bytes}, theirs = {(void *)there, bytes};
    const ssize_t n = is_write ? process_vm_writev(context->pid[node], &mine, 1, &theirs, 1, 0)
                               : process_vm_readv(context->pid[node], &mine, 1, &theirs, 1, 0);
    return n != (ssize_t)bytes;
}

static void shmem_finish(pm_context *context, int node)
{
    (void)context, (void)node; /* it is done when the copy returns */
}

/* ---- net ---- */

static void net_open(pm_context *context)
{
    context->slots = calloc(SLOTS + 1, sizeof *context->slots);
    if (!context->slots)
        stop("calloc");
    for (int i = 0; i < SLOTS; i++)
        context->requests[i] = MPI_REQUEST_NULL;
    MPI_Win_create_dynamic(MPI_INFO_NULL, context->comm, &context->window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, context->window);
}

static void net_close(pm_context *context)
{
    for (int i = 0; i < SLOTS; i++)
        MPI_Wait(&context->requests[i], MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(context->window);
    MPI_Win_free(&context->window);
    free(context->slots);
}

static void net_associate(pm_context *context, int node)
{
    (void)context, (void)node; /* MPI connects when the first message is sent */
}

static void *net_get_send_buffer(pm_context *context, int node, int length)
{
    int is_free;
    MPI_Test(&context->requests[context->slot % SLOTS], &is_free, MPI_STATUS_IGNORE);
    if (!is_free)
        return NULL;
    context->to = node;
    context->slots[context->slot % SLOTS].length = length;
    return context->slots[context->slot % SLOTS].data;
}

static void net_send(pm_context *context)
{
    struct slot *slot = &context->slots[context->slot % SLOTS];
    MPI_Isend(slot->data, slot->length, MPI_BYTE, context->to, 0, context->comm,
              &context->requests[context->slot++ % SLOTS]);
}

static struct slot *net_receive(pm_context *context)
{
    struct slot *slot = &context->slots[SLOTS];
    MPI_Message message;
    MPI_Status status;
    int has_come;
    MPI_Improbe(MPI_ANY_SOURCE, 0, context->comm, &has_come, &message, &status);
    if (!has_come)
        return NULL;
    slot->from = status.MPI_SOURCE;
    MPI_Get_count(&status, MPI_BYTE, &slot->length);
    MPI_Mrecv(slot->data, slot->length, MPI_BYTE, &message, &status);
    return slot;
}

static void net_release(pm_context *context)
{
    (void)context;
}

static void net_lock(pm_context *context, void *start, size_t bytes, int is_locked)
{
    if (is_locked)
        MPI_Win_attach(context->window, start, (MPI_Aint)bytes);
    else
        MPI_Win_detach(context->window, start);
}

static int net_copy(pm_context *context, int node, MPI_Aint there, void *here, size_t bytes, int is_write)
{
    return is_write ? MPI_Put(here, (int)bytes, MPI_BYTE, node, there, (int)bytes, MPI_BYTE, context->window)
                    : MPI_Get(here, (int)bytes, MPI_BYTE, node, there, (int)bytes, MPI_BYTE, context->window);
}

static void net_finish(pm_context *context, int node)
{
    MPI_Win_flush(node, context->window);
}

/* ---- composite ---- */

/* True if the rank is on this host: it shares memory, and belongs to the same PM_HOST ranks. */
static int is_near(const pm_context *shmem, int node)
{
    const int n = getenv("PM_HOST") ? atoi(getenv("PM_HOST")) : shmem->n;
    return shmem->away[node] && node / n == shmem->rank / n;
}

static void composite_associate(pm_context *context, int node)
{
    pm_context *part = context->parts[is_near(context->parts[0], node) ? 0 : 1];
    part->device->associate(part, node);
    context->table[node] = part;
}

static void *composite_get_send_buffer(pm_context *context, int node, int length)
{
    context->to = node;
    return context->table[node]->device->get_send_buffer(context->table[node], node, length);
}

static void composite_send(pm_context *context)
{
    context->table[context->to]->device->send(context->table[context->to]);
}

/* A look at `net` costs as much as several messages of `shmem`, so most calls leave it out. */
static struct slot *composite_receive(pm_context *context)
{
    enum { OFTEN = 32 };
    const int n = context->next++ % OFTEN == 0 ? 2 : 1;
    for (int i = 0; i < n; i++) {
        struct slot *slot = context->parts[i]->device->receive(context->parts[i]);
        context->received = context->parts[i];
        if (slot)
            return slot;
    }
    return NULL;
}

static void composite_release(pm_context *context)
{
    context->received->device->release(context->received);
}

static void composite_lock(pm_context *context, void *start, size_t bytes, int is_locked)
{
    for (int i = 0; i < 2; i++)
        context->parts[i]->device->lock(context->parts[i], start, bytes, is_locked);
}

/* Leaves the copy to `net` where the kernel forbids copies from process to process. */
static int composite_copy(pm_context *context, int node, MPI_Aint there, void *here, size_t bytes,
                          int is_write)
{
    return context->table[node]->device->copy(context->table[node], node, there, here, bytes, is_write) &&
           net_copy(context->parts[1], node, there, here, bytes, is_write);
}

static void composite_finish(pm_context *context, int node)
{
    for (int i = 0; i < 2; i++)
        context->parts[i]->device->finish(context->parts[i], node);
}

/* ---- the functions of table 3 ---- */

#define DEVICE(name) \
    name##_associate, name##_get_send_buffer, name##_send, name##_receive, name##_release, name##_lock, \
        name##_copy, name##_finish
static void composite_open(pm_context *context);
static void composite_close(pm_context *context);
static const struct pm_device devices[] = {
    {"shmem", "SH", shmem_open, shmem_close, DEVICE(shmem)},
    {"net", "NET", net_open, net_close, DEVICE(net)},
    {"composite", "-", composite_open, composite_close, DEVICE(composite)},
};

static const struct pm_device *pmOpenDevice(const char *name)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].name, name) == 0)
            return &devices[i];
    errno = ENODEV;
    return NULL;
}

static void pmCloseDevice(const struct pm_device *device)
{
    (void)device;
}

static int pmGetOptionBit(const struct pm_device *device)
{
    return device->copy ? REMOTE_MEMORY : 0;
}

static pm_context *pmOpenContext(const struct pm_device *device, MPI_Comm comm)
{
    pm_context *context = calloc(1, sizeof *context);
    const pid_t pid = getpid();
    if (!context)
        stop("calloc");
    context->device = device;
    MPI_Comm_dup(comm, &context->comm);
    MPI_Comm_rank(comm, &context->rank);
    MPI_Comm_size(comm, &context->n);
    if (context->n > MOST_NODES)
        stop("more than 64 ranks");
    MPI_Allgather(&pid, sizeof pid, MPI_BYTE, context->pid, sizeof pid, MPI_BYTE, context->comm);
    device->open(context);
    return context;
}

static void pmCloseContext(pm_context *context)
{
    MPI_Barrier(context->comm);
    context->device->close(context);
    MPI_Comm_free(&context->comm);
    free(context);
}

static void pmAssociateNodes(pm_context *context, const int nodes[], int n)
{
    for (int i = 0; i < n; i++)
        context->device->associate(context, nodes[i]);
}

static void *pmGetSendBuffer(pm_context *context, int node, int length)
{
    return context->device->get_send_buffer(context, node, length);
}

static void pmSend(pm_context *context)
{
    context->device->send(context);
}

static struct slot *pmReceive(pm_context *context)
{
    return context->device->receive(context);
}

static void pmReleaseReceiveBuffer(pm_context *context)
{
    context->device->release(context);
}

static void pmMLock(pm_context *context, void *start, size_t bytes)
{
    context->device->lock(context, start, bytes, 1);
}

static void pmMUnlock(pm_context *context, void *start, size_t bytes)
{
    context->device->lock(context, start, bytes, 0);
}

static int pmWrite(pm_context *context, int node, MPI_Aint there, void *here, size_t bytes)
{
    return context->device->copy(context, node, there, here, bytes, 1);
}

static int pmIsWriteDone(pm_context *context, int node)
{
    context->device->finish(context, node);
    return 1;
}

static int pmRead(pm_context *context, int node, MPI_Aint there, void *here, size_t bytes)
{
    return context->device->copy(context, node, there, here, bytes, 0);
}

static int pmIsReadDone(pm_context *context, int node)
{
    context->device->finish(context, node);
    return 1;
}

static void composite_open(pm_context *context)
{
    context->parts[0] = pmOpenContext(pmOpenDevice("shmem"), context->comm);
    context->parts[1] = pmOpenContext(pmOpenDevice("net"), context->comm);
}

static void composite_close(pm_context *context)
{
    pmCloseContext(context->parts[0]);
    pmCloseContext(context->parts[1]);
}

/* ---- trying it ---- */

static char byte_of(int from, int to, int message, int i)
{
    return (char)(from * 31 + to * 17 + message * 7 + i);
}

/* Receives as pmReceive does; lets others run after some calls in vain. */
static struct slot *poll_for(pm_context *context)
{
    static unsigned n_in_vain;
    struct slot *slot = pmReceive(context);
    if (!slot && ++n_in_vain % 256 == 0)
        sched_yield();
    return slot;
}

/* Each rank sends ROUNDS messages of many lengths to each, itself too, and gets as many. Returns wrong bytes
 * and messages out of order. */
static long try_messages(pm_context *context)
{
    enum { ROUNDS = 50 };
    int sent[MOST_NODES] = {0}, seen[MOST_NODES] = {0};
    long left = (long)ROUNDS * context->n, missing = left, n_bad = 0;
    while (left > 0 || missing > 0) {
        for (int to = 0; to < context->n && left > 0; to++) {
            const int message = sent[to], length = message * 977 % (LONGEST + 1);
            char *data = message < ROUNDS ? pmGetSendBuffer(context, to, length) : NULL;
            if (!data)
                continue;
            for (int i = 0; i < length; i++)
                data[i] = byte_of(context->rank, to, message, i);
            pmSend(context);
            sent[to]++;
            left--;
        }
        struct slot *got = poll_for(context);
        if (!got)
            continue;
        const int message = seen[got->from]++;
        n_bad += got->length != message * 977 % (LONGEST + 1);
        for (int i = 0; i < got->length; i++)
            n_bad += got->data[i] != byte_of(got->from, context->rank, message, i);
        pmReleaseReceiveBuffer(context);
        missing--;
    }
    return n_bad;
}

/* Each rank writes its number into the memory of each, and reads a number there. Returns wrong ones. */
static long try_remote_memory(pm_context *context)
{
    enum { N = 4096 };
    int *memory = calloc((size_t)(context->n + 1) * N, sizeof *memory), *own = memory + context->n * N;
    MPI_Aint start, of[MOST_NODES];
    long n_bad = 0;
    if (!memory)
        stop("calloc");
    for (int i = 0; i < N; i++)
        own[i] = context->rank * N + i;
    pmMLock(context, memory, (size_t)(context->n + 1) * N * sizeof *memory);
    MPI_Get_address(memory, &start);
    MPI_Allgather(&start, 1, MPI_AINT, of, 1, MPI_AINT, context->comm);
    const size_t bytes = N * sizeof *memory;
    for (int node = 0; node < context->n; node++) {
        n_bad +=
            pmWrite(context, node, of[node] + (MPI_Aint)((size_t)context->rank * bytes), own, bytes) != 0;
        n_bad += !pmIsWriteDone(context, node);
    }
    MPI_Barrier(context->comm);
    MPI_Win_sync(context->parts[1]->window);
    int *copy = malloc(bytes);
    if (!copy)
        stop("malloc");
    for (int node = 0; node < context->n; node++) {
        n_bad += pmRead(context, node, of[node] + (MPI_Aint)((size_t)context->n * bytes), copy, bytes) != 0;
        n_bad += !pmIsReadDone(context, node);
        for (int i = 0; i < N; i++)
            n_bad += (copy[i] != node * N + i) + (memory[node * N + i] != node * N + i);
    }
    MPI_Barrier(context->comm);
    pmMUnlock(context, memory, (size_t)(context->n + 1) * N * sizeof *memory);
    free(copy);
    free(memory);
    return n_bad;
}

/* Microseconds of a round trip of 4 bytes between ranks 0 and 1: the least of 500. */
static double round_trip(pm_context *context)
{
    enum { TRIPS = 500 };
    double least = 1;
    for (int i = 0; i < TRIPS && context->rank < 2; i++) {
        const double start = MPI_Wtime();
        for (int turn = 0; turn < 2; turn++)
            if (turn == context->rank) {
                while (!pmGetSendBuffer(context, 1 - context->rank, 4))
                    ;
                pmSend(context);
            } else {
                while (!poll_for(context))
                    ;
                pmReleaseReceiveBuffer(context);
            }
        const double time = MPI_Wtime() - start;
        least = time < least ? time : least;
    }
    MPI_Barrier(context->comm);
    return least * 1e6;
}

int main(int argc, char **argv)
{
    int nodes[MOST_NODES];
    MPI_Init(&argc, &argv);
    const struct pm_device *device = pmOpenDevice("composite");
    pm_context *context = pmOpenContext(device, MPI_COMM_WORLD);
    for (int i = 0; i < context->n; i++)
        nodes[i] = i;
    pmAssociateNodes(context, nodes, context->n);
    for (int i = 0; i < context->n && context->rank == 0; i++)
        printf("%d %s\n", i, i == 0 ? "-" : context->table[i]->device->label);
    long n_bad = try_messages(context), all;
    if (pmGetOptionBit(device) & REMOTE_MEMORY)
        n_bad += try_remote_memory(context);
    MPI_Allreduce(&n_bad, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (context->rank == 0)
        printf("%ld wrong\n", all);
    int is_timed = context->n > 1 && context->table[1]->device == pmOpenDevice("shmem");
    MPI_Bcast(&is_timed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_timed) {
        pm_context *alone = context->parts[0];
        const double without = round_trip(alone), with = round_trip(context);
        if (context->rank == 0)
            printf("round trip of 4 bytes: %.2f us by shmem, %.2f us within composite\n", without, with);
    }
    pmCloseContext(context);
    pmCloseDevice(device);
    MPI_Finalize();
    return all != 0;
}
