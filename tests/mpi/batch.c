/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batch SECONDS NAME...: runs emitted programs, linked together, one after the other in
 * one launch. Each was compiled after batch.h, and its main as collc_main_NAME; TESTS is a
 * file with a line TEST(NAME) for each. The output of each stands between
 *   begin NAME
 *   end NAME STATUS
 * STATUS being the largest of all ranks. One that takes more than so many seconds ends the
 * launch, after a line "collc: no end after ... s".
 *
 * COLLC_BATCH=issend makes every send of theirs synchronous, COLLC_BATCH=turns gives them
 * servers whose ranks are not next to each other.
 */
#include "batch.h"

#undef MPI_Init
#undef MPI_Finalize
#undef PMPI_Isend
#undef PMPI_Send
#undef PMPI_Comm_split_type

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
    const char *name;
    int (*run)(int argc, char **argv);
};

#define TEST(name) int collc_main_##name(int argc, char **argv);
#include TESTS
#undef TEST

static const struct entry entries[] = {
#define TEST(name) {#name, collc_main_##name},
#include TESTS
#undef TEST
};

static char late[64];
static int is_synchronous, has_turns;

int collc_batch_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return MPI_SUCCESS;
}

int collc_batch_Finalize(void)
{
    return MPI_SUCCESS;
}

int collc_batch_Isend(const void *data, int count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm comm, MPI_Request *request)
{
    return (is_synchronous ? MPI_Issend : MPI_Isend)(data, count, type, peer, tag, comm, request);
}

int collc_batch_Send(const void *data, int count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm comm)
{
    return (is_synchronous ? MPI_Ssend : MPI_Send)(data, count, type, peer, tag, comm);
}

/* Servers by turns, as such a placement makes them and COLLC_SLOTS does not. With an odd
 * number of ranks they are unequal. */
int collc_batch_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *server)
{
    int rank;

    if (!has_turns)
        return MPI_Comm_split_type(comm, type, key, info, server);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return MPI_Comm_split(comm, rank % 2, key, server);
}

static void give_up(int signal)
{
    ssize_t written = write(STDOUT_FILENO, late, strlen(late));

    (void)signal, (void)written;
    _exit(124);
}

static const struct entry *find(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!strcmp(entries[i].name, name))
            return &entries[i];
    fprintf(stderr, "batch: no test %s\n", name);
    return NULL;
}

static void run(const struct entry *entry, unsigned seconds)
{
    char name[256];
    char *argv[] = {name, NULL};
    int rank, status, worst;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s", entry->name);
    if (rank == 0)
        printf("begin %s\n", entry->name);
    fflush(stdout);
    alarm(seconds);
    status = entry->run(1, argv);
    fflush(stdout);
    PMPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    alarm(0);
    if (rank == 0)
        printf("end %s %d\n", entry->name, worst);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int status = 0;
    unsigned seconds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    const char *setting = getenv("COLLC_BATCH");

    is_synchronous = setting && !strcmp(setting, "issend");
    has_turns = setting && !strcmp(setting, "turns");
    /* The programs fill and free the same large buffers again and again. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    MPI_Init(&argc, &argv);
    snprintf(late, sizeof late, "\ncollc: no end after %u s\n", seconds);
    signal(SIGALRM, give_up);
    for (int i = 2; i < argc && status == 0; i++) {
        const struct entry *entry = find(argv[i]);

        if (entry)
            run(entry, seconds);
        else
            status = 2;
    }
    MPI_Finalize();
    return status;
}
