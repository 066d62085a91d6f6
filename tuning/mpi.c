/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See mpi.h.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "tuning/mpi.h"

#include "base/embedded.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fail(struct mpi *mpi, const char *help, const char *problem)
{
    mpi->problem = problem;
    mpi->help = help;
    return false;
}

/* ---- commands ---- */

static void split_words(const char *text, const char *words[MPI_MAX_WORDS], struct arena *arena)
{
    enum { LEFT_FREE = 8 };
    size_t n = 0;
    for (const char *at = text; *at && n + LEFT_FREE < MPI_MAX_WORDS;) {
        at += strspn(at, " \t");
        const size_t length = strcspn(at, " \t");
        if (length)
            words[n++] = arena_strndup(arena, at, length);
        at += length;
    }
    words[n] = NULL;
}

static bool is_on_path(const char *name, struct arena *arena)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        const size_t length = strcspn(path, ":");
        if (access(arena_printf(arena, "%.*s/%s", (int)length, path, name), X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* Debian installs several MPIs side by side under names of their own. */
static const char *usual_name(const char *name, struct arena *arena)
{
    const char *own = arena_printf(arena, "%s.openmpi", name);
    return is_on_path(own, arena) ? own : name;
}

static void keep_line(void *context, char *line)
{
    struct text *text = context;
    text_printf(text, "%s\n", line);
}

/* "mpirun (Open MPI) 4.1.4", and under other names "mpirun.openmpi (OpenRTE) 4.1.4". */
static bool read_version(struct mpi *mpi, const char *said)
{
    const bool is_one = strstr(said, "(Open MPI) ") || strstr(said, "(OpenRTE) ");
    if (!is_one)
        return fail(mpi, "give that of Open MPI by --mpirun and --mpicc",
                    arena_printf(mpi->arena, "'%s' is not of Open MPI", mpi->mpirun[0]));
    const char *number = strchr(said, ')') + 2;
    const char *wanted = mpi->target + strlen("ompi-");
    const size_t length = strlen(wanted);
    mpi->version = arena_printf(mpi->arena, "Open MPI %.*s", (int)strcspn(number, " \n"), number);
    if (strncmp(number, wanted, length) != 0 || (number[length] != '.' && number[length] != '\0'))
        return fail(mpi,
                    "name the version that is installed by --target, or other commands by --mpirun and --mpicc",
                    arena_printf(mpi->arena, "'%s' is of %s, not of '%s'", mpi->mpirun[0], mpi->version,
                                 mpi->target));
    return true;
}

static bool ask_version(struct mpi *mpi)
{
    enum { SECONDS = 60 };
    const char *words[MPI_MAX_WORDS] = {mpi->mpirun[0], "--version", NULL};
    struct text text = {0}, why = {0};
    struct launch launch = {.words = words, .seconds = SECONDS, .line = keep_line, .context = &text};
    const enum launch_end end = launch_run(&launch);
    bool is_read = false;
    if (end == LAUNCH_WELL) {
        is_read = read_version(mpi, text.data ? text.data : "");
    } else {
        launch_explain(&launch, end, &why);
        fail(mpi, "install Open MPI, or name its commands by --mpirun and --mpicc",
             arena_printf(mpi->arena, "%s", why.data));
    }
    text_free(&text);
    text_free(&why);
    text_free(&launch.said);
    return is_read;
}

bool mpi_open(struct mpi *mpi, const char *target, const char *mpicc, const char *mpirun, struct arena *arena)
{
    *mpi = (struct mpi){.target = target, .arena = arena};
    launch_catch_signals();
    if (strcmp(target, "ompi-4.1") != 0)
        return fail(mpi, "'ompi-4.1' can be", arena_printf(arena,
                                                           "programs cannot be run under tables of '%s' here", target));
    split_words(mpicc ? mpicc : usual_name("mpicc", arena), mpi->mpicc, arena);
    split_words(mpirun ? mpirun : usual_name("mpirun", arena), mpi->mpirun, arena);
    if (!mpi->mpicc[0] || !mpi->mpirun[0])
        return fail(mpi, "give the name of a command", "--mpicc or --mpirun is blank");
    return ask_version(mpi);
}

/* ---- the folder ---- */

static void need_folder(struct mpi *mpi)
{
    const char *where = getenv("TMPDIR");
    if (mpi->folder)
        return;
    mpi->folder = arena_printf(mpi->arena, "%s/collc.XXXXXX", where && *where == '/' ? where : "/tmp");
    if (!mkdtemp(mpi->folder))
        fatal("cannot make the folder '%s':", mpi->folder);
}

const char *mpi_path(struct mpi *mpi, const char *name)
{
    need_folder(mpi);
    return arena_printf(mpi->arena, "%s/%s", mpi->folder, name);
}

const char *mpi_write(struct mpi *mpi, const char *name, const struct text *text)
{
    const char *path = mpi_path(mpi, name);
    FILE *file = fopen(path, "w");
    if (!file)
        fatal("cannot write '%s':", path);
    const bool is_written = fwrite(text->data ? text->data : "", 1, text->length, file) == text->length;
    if (fclose(file) != 0 || !is_written)
        fatal("cannot write '%s':", path);
    return path;
}

void mpi_close(struct mpi *mpi)
{
    DIR *folder = mpi->folder ? opendir(mpi->folder) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlink(mpi_path(mpi, entry->d_name));
    if (folder)
        closedir(folder);
    if (mpi->folder)
        rmdir(mpi->folder);
    mpi->folder = NULL;
    launch_release_signals();
}

/* ---- programs ---- */

static const char *put_source(struct mpi *mpi, const char *name)
{
    const char *path = arena_printf(mpi->arena, "tuning/runtime/%s", name);
    for (size_t i = 0; i < n_embedded_files; i++)
        if (strcmp(embedded_files[i].path, path) == 0) {
            struct text text = {0};
            text_append(&text, embedded_files[i].text, embedded_files[i].length);
            const char *written = mpi_write(mpi, name, &text);
            text_free(&text);
            return written;
        }
    fatal("'%s' is not built in", path);
}

static bool compile(struct mpi *mpi, const char *const options[], const char *source, const char *output)
{
    enum { SECONDS = 300 };
    const char *words[MPI_MAX_WORDS + 16];
    size_t n = 0;
    struct text ignored = {0}, why = {0};
    while (mpi->mpicc[n]) {
        words[n] = mpi->mpicc[n];
        n++;
    }
    for (; *options; options++)
        words[n++] = *options;
    words[n++] = "-o";
    words[n++] = output;
    words[n++] = source;
    words[n++] = "-ldl";
    words[n] = NULL;
    struct launch launch = {.words = words, .seconds = SECONDS, .line = keep_line, .context = &ignored};
    const enum launch_end end = launch_run(&launch);
    if (end != LAUNCH_WELL) {
        launch_explain(&launch, end, &why);
        fail(mpi, "the compiler of the MPI is needed: --mpicc", arena_printf(mpi->arena, "%s", why.data));
    }
    text_free(&ignored);
    text_free(&why);
    text_free(&launch.said);
    return end == LAUNCH_WELL;
}

bool mpi_compile_driver(struct mpi *mpi)
{
    static const char *const options[] = {"-std=gnu99", "-O2", NULL};
    const char *source = put_source(mpi, "driver.c");
    mpi->driver = mpi_path(mpi, "driver");
    return compile(mpi, options, source, mpi->driver);
}

bool mpi_compile_spy(struct mpi *mpi)
{
    static const char *const options[] = {"-std=gnu99", "-O1", "-shared", "-fPIC", NULL};
    put_source(mpi, "ompi_functions.def");
    const char *source = put_source(mpi, "spy.c");
    mpi->spy = mpi_path(mpi, "spy.so");
    return compile(mpi, options, source, mpi->spy);
}

/* ---- command lines ---- */

void mpi_add(struct mpi_command *command, const char *word)
{
    if (command->n + 1 >= sizeof command->words / sizeof *command->words)
        fatal("too many words in a command for '%s'", command->words[0]);
    command->words[command->n++] = word;
    command->words[command->n] = NULL;
}

struct mpi_command mpi_command(struct mpi *mpi, uint32_t n_ranks)
{
    struct mpi_command command = {.mpi = mpi};
    for (size_t i = 0; mpi->mpirun[i]; i++)
        mpi_add(&command, mpi->mpirun[i]);
    if (n_ranks) {
        mpi_add(&command, "-np");
        mpi_add(&command, arena_printf(mpi->arena, "%u", n_ranks));
    }
    if (!getenv("OMPI_MCA_rmaps_base_oversubscribe")) { /* as many ranks as were asked for */
        mpi_add(&command, "--mca");
        mpi_add(&command, "rmaps_base_oversubscribe");
        mpi_add(&command, "1");
    }
    return command;
}

void mpi_add_rules(struct mpi_command *command, const char *table)
{
    mpi_add(command, "--mca");
    mpi_add(command, "coll_tuned_use_dynamic_rules");
    mpi_add(command, "1");
    if (!table)
        return;
    mpi_add(command, "--mca");
    mpi_add(command, "coll_tuned_dynamic_rules_filename");
    mpi_add(command, table);
}

void mpi_add_spy(struct mpi_command *command, const char *prefix)
{
    struct mpi *mpi = command->mpi;
    mpi_add(command, "-x");
    mpi_add(command, arena_printf(mpi->arena, "LD_PRELOAD=%s", mpi->spy));
    mpi_add(command, "-x");
    mpi_add(command, arena_printf(mpi->arena, "COLLC_SPY=%s", prefix));
}
