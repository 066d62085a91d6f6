/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dumps of NCCL's graphs and of a host, which a script names: any file is either refused with a
 * diagnostic, or read, and then NCCL's cost model takes an algorithm for each call.
 */
#define _GNU_SOURCE /* memfd_create */
#include "tables/loaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void take_all(const struct table *table, struct arena *arena)
{
    struct table_query query = {.type_bytes = 4};
    for (query.collective = 0; query.collective < table->loader->n_collectives; query.collective++)
        for (query.n_ranks = 1; query.n_ranks <= 64; query.n_ranks *= 4)
            for (uint64_t bytes = 4; bytes < 1u << 30; bytes *= 64) {
                query.n_nodes = query.n_ranks / 4;
                if (!table->loader->choose(table, &query, false, bytes, arena).algorithm)
                    abort();
            }
}

/* Returns a file in memory with these bytes. */
static int file_of(const void *bytes, size_t size)
{
    const int file = memfd_create("dump", 0);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    return file;
}

/* Reads the two files as a script names them. */
static void read_both(int graphs, int host)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const char *script = arena_printf(&arena,
                                      "export NCCL_GRAPH_DUMP_FILE=/proc/self/fd/%d\n"
                                      "export NCCL_TOPO_DUMP_FILE=/proc/self/fd/%d\n",
                                      graphs, host);
    const struct source *source = source_of_text("fuzz.sh", script, strlen(script), &arena);
    const struct table *table = table_read(table_loader_find("nccl-2.23"), source, &arena, &diagnostics);
    if (!table && !diagnostics_has_errors(&diagnostics))
        abort();
    if (table)
        take_all(table, &arena);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char graph[] = "<graph id=\"%c\" pattern=\"4\" nchannels=\"2\" speedintra=\"24\" speedinter=\"24\" "
                                "latencyinter=\"0\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"0\"/>";
    static const char host[] = "<system version=\"1\"><cpu arch=\"x86_64\"><gpu dev=\"0\" sm=\"90\"/></cpu></system>";
    char graphs[2 * sizeof graph + 40];
    int length = snprintf(graphs, sizeof graphs, "<graphs>");
    for (char id = '0'; id < '2'; id++)
        length += snprintf(graphs + length, sizeof graphs - (size_t)length, graph, id);
    length += snprintf(graphs + length, sizeof graphs - (size_t)length, "</graphs>");
    const int given = file_of(data, size), graph_file = file_of(graphs, (size_t)length),
              host_file = file_of(host, sizeof host - 1);
    read_both(given, host_file);
    read_both(graph_file, given);
    close(given);
    close(graph_file);
    close(host_file);
    return 0;
}
