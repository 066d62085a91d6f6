/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See mpi.h.
 */
#define _GNU_SOURCE /* mkdtemp */
#include "tuning/mpi.h"

#include "base/embedded.h"
#include "ir/collective.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool mpi_fail(struct mpi *mpi, const char *help, const char *problem)
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

static bool mpi_is_on_path(const char *name, struct arena *arena)
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

/* Returns the name of a command as Debian installs several MPIs side by side. */
static const char *usual_name(const struct mpi *mpi, const char *name)
{
    const char *own = arena_printf(mpi->arena, "%s%s", name, mpi->kind->suffix);
    return mpi_is_on_path(own, mpi->arena) ? own : name;
}

static void mpi_keep_line(void *context, char *line)
{
    struct text *text = context;
    text_printf(text, "%s\n", line);
}

static const struct mpi_kind *const kinds[] = {&mpi_kind_ompi, &mpi_kind_mpich};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Takes the kind of MPI whose words these are, where any will do. */
static void mpi_take_kind(struct mpi *mpi, const char *said)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i]->find_release(said))
            mpi->kind = kinds[i];
}

/* Returns the release of a version number, NULL if it is none that can be run. */
static const struct mpi_release *mpi_release_of(const struct mpi_kind *kind, const char *number)
{
    for (const struct mpi_release *release = kind->releases; release->target; release++) {
        const size_t n = strlen(release->number);
        if (strncmp(number, release->number, n) == 0 && (number[n] == '.' || number[n] == '\0'))
            return release;
    }
    return NULL;
}

/* Returns the targets that can be run under an MPI, or those of all kinds. */
static const char *mpi_list_targets(const struct mpi *mpi, const struct mpi_kind *kind)
{
    struct text list = {0};
    for (size_t i = 0; i < N_KINDS; i++)
        for (const struct mpi_release *release = kinds[i]->releases; release->target; release++)
            if (!kind || kind == kinds[i])
                text_printf(&list, "%s%s", list.length ? ", " : "", release->target);
    const char *words = arena_printf(mpi->arena, "%s", list.data);
    text_free(&list);
    return words;
}

static bool mpi_read_version(struct mpi *mpi, const char *said)
{
    const bool is_any = mpi->is_library || !mpi->target;
    if (is_any)
        mpi_take_kind(mpi, said);
    const struct mpi_kind *kind = mpi->kind;
    const char *number = kind->find_release(said);
    if (!number && is_any)
        return mpi_fail(mpi, "give that of Open MPI or MPICH by --mpirun and --mpicc",
                        arena_printf(mpi->arena, "'%s' is of no MPI that is known here", mpi->mpirun[0]));
    if (!number)
        return mpi_fail(mpi, arena_printf(mpi->arena, "give that of %s by --mpirun and --mpicc", kind->name),
                        arena_printf(mpi->arena, "'%s' is not of %s", mpi->mpirun[0], kind->name));
    mpi->version = arena_printf(mpi->arena, "%s %.*s", kind->name, (int)strcspn(number, " \n"), number);
    if (mpi->is_library)
        return true;
    const struct mpi_release *release = mpi_release_of(kind, number);
    if (!release)
        return mpi_fail(mpi,
                        arena_printf(mpi->arena, "%s can be run; name other commands by --mpirun and --mpicc",
                                     mpi_list_targets(mpi, kind)),
                        arena_printf(mpi->arena, "'%s' is of %s, which cannot be run here", mpi->mpirun[0],
                                     mpi->version));
    if (mpi->target && strcmp(mpi->target, release->target) != 0)
        return mpi_fail(mpi,
                        arena_printf(mpi->arena,
                                     "say '--target %s', or name other commands by --mpirun and --mpicc",
                                     release->target),
                        arena_printf(mpi->arena, "'%s' is of %s, not of '%s'", mpi->mpirun[0], mpi->version,
                                     mpi->target));
    mpi->target = release->target;
    mpi->is_recorded_alone = release->is_recorded_alone;
    return true;
}

static bool ask_version(struct mpi *mpi)
{
    enum { SECONDS = 60 };
    const char *words[MPI_MAX_WORDS] = {mpi->mpirun[0], "--version", NULL};
    struct text text = {0}, why = {0};
    struct launch launch = {.words = words, .seconds = SECONDS, .line = mpi_keep_line, .context = &text};
    const enum launch_end end = launch_run(&launch);
    bool is_read = false;
    if (end == LAUNCH_WELL) {
        is_read = mpi_read_version(mpi, text.data ? text.data : "");
    } else {
        launch_explain(&launch, end, &why);
        mpi_fail(mpi,
                 arena_printf(mpi->arena, "install %s, or name its commands by --mpirun and --mpicc",
                              mpi->kind->name),
                 arena_printf(mpi->arena, "%s", why.data));
    }
    text_free(&text);
    text_free(&why);
    text_free(&launch.said);
    return is_read;
}

static bool mpi_has_target(const struct mpi_kind *kind, const char *target)
{
    const struct mpi_release *release = kind->releases;
    while (release->target && strcmp(release->target, target) != 0)
        release++;
    return release->target;
}

/* True if the MPI's commands have names of their own here. */
static bool mpi_has_commands(const struct mpi_kind *kind, struct arena *arena)
{
    return mpi_is_on_path(arena_printf(arena, "mpirun%s", kind->suffix), arena);
}

bool mpi_open(struct mpi *mpi, const char *target, const char *mpicc, const char *mpirun, struct arena *arena)
{
    const bool is_library = target && strcmp(target, "library") == 0, is_any = is_library || !target;
    *mpi = (struct mpi){.target = target, .is_library = is_library, .arena = arena};
    launch_catch_signals();
    for (size_t i = 0; i < N_KINDS && !mpi->kind; i++)
        if (is_any ? i + 1 == N_KINDS || mpi_has_commands(kinds[i], arena) : mpi_has_target(kinds[i], target))
            mpi->kind = kinds[i];
    if (!mpi->kind)
        return mpi_fail(mpi, arena_printf(arena, "%s and library can be", mpi_list_targets(mpi, NULL)),
                        arena_printf(arena, "programs cannot be run under tables of '%s' here", target));
    split_words(mpirun ? mpirun : usual_name(mpi, "mpirun"), mpi->mpirun, arena);
    if (mpi->mpirun[0] && !ask_version(mpi))
        return false;
    split_words(mpicc ? mpicc : usual_name(mpi, "mpicc"), mpi->mpicc, arena);
    if (!mpi->mpicc[0] || !mpi->mpirun[0])
        return mpi_fail(mpi, "give the name of a command", "--mpicc or --mpirun is blank");
    return true;
}

bool mpi_has_collective(const char *name)
{
    static const char *const names[] = {
        "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "exscan", "gather",
        "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool mpi_can_record(const char *name)
{
    enum collective_form form;
    return collective_find_form(name, strlen(name), &form) != N_COLLECTIVES;
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
    struct launch launch = {.words = words, .seconds = SECONDS, .line = mpi_keep_line, .context = &ignored};
    const enum launch_end end = launch_run(&launch);
    if (end != LAUNCH_WELL) {
        launch_explain(&launch, end, &why);
        mpi_fail(mpi, "the compiler of the MPI is needed: --mpicc", arena_printf(mpi->arena, "%s", why.data));
    }
    text_free(&ignored);
    text_free(&why);
    text_free(&launch.said);
    return end == LAUNCH_WELL;
}

bool mpi_compile_driver(struct mpi *mpi)
{
    static const char *const options[] = {"-std=gnu99", "-O2", NULL};
    put_source(mpi, "calls.def");
    put_source(mpi, "mpich_algorithms.def");
    put_source(mpi, "record.def");
    put_source(mpi, "record_call.def");
    put_source(mpi, "record_ompi.def");
    put_source(mpi, "record_mpich.def");
    const char *source = put_source(mpi, "driver.c");
    mpi->driver = mpi_path(mpi, "driver");
    return compile(mpi, options, source, mpi->driver);
}

/* Compiles the library with what notes its calls. */
static bool compile_library(struct mpi *mpi)
{
    static const char *const options[] = {"-std=gnu99", "-O2",          "-shared", "-fPIC",
                                          "-pthread",   "-DCOLLC_AFTER=0", "-DCOLLC_SPY=\"library_spy.def\"", NULL};
    struct text text = {0};
    text_append(&text, mpi->library, strlen(mpi->library));
    put_source(mpi, "notes.h");
    put_source(mpi, "library_spy.def");
    const char *source = mpi_write(mpi, "library.c", &text);
    text_free(&text);
    mpi->spy = mpi_path(mpi, "spy.so");
    return compile(mpi, options, source, mpi->spy);
}

bool mpi_compile_spy(struct mpi *mpi)
{
    static const char *const options[] = {"-std=gnu99", "-O1", "-shared", "-fPIC", NULL};
    if (mpi->is_library)
        return compile_library(mpi);
    for (size_t i = 0; mpi->kind->spy_parts[i]; i++)
        put_source(mpi, mpi->kind->spy_parts[i]);
    const char *source = put_source(mpi, mpi->kind->spy);
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
    mpi->kind->add_run(&command);
    return command;
}

void mpi_add_rules(struct mpi_command *command, const char *table)
{
    if (!command->mpi->is_library)
        command->mpi->kind->add_rules(command, table);
    else /* without a name, the table built in */
        mpi_add_variable(command, "COLLC_TABLE", table ? table : "");
}

/* Returns the value, or the path from the root of the file that it names. */
static const char *mpi_setting_value(const struct table *table, struct slice value, struct arena *arena)
{
    const struct source *file =
        memchr(value.text, '.', value.length) ? table_named_file(table->source, value, arena) : NULL;
    char *path = file ? realpath(file->path, NULL) : NULL;
    const char *words =
        path ? arena_printf(arena, "%s", path) : arena_strndup(arena, value.text, value.length);
    free(path);
    return words;
}

void mpi_add_settings(struct mpi_command *command, const struct table *table)
{
    struct arena *arena = command->mpi->arena;
    const struct settings_dialect *dialect = table->loader->dialect;
    const struct mpi_kind *kind = command->mpi->kind;
    const char *variables = command->mpi->is_library ? "" : kind->variables;
    const char *file = kind->file_variable && !table->settings->is_script ? table->source->path : NULL;
    char *path = file ? realpath(file, NULL) : NULL;
    bool is_handed = false; /* the MPI reads the file itself */
    if (kind->add_beside && !command->mpi->is_library)
        command->mpi->kind->add_beside(command);
    for (size_t i = 0; i < table->settings->n; i++) {
        const struct setting *setting = &table->settings->items[i];
        const struct slice key = settings_key(dialect, setting);
        is_handed |= path && setting->is_parameter && dialect->key(setting).length;
        if (!key.length || setting->is_computed || setting->is_followed ||
            settings_acting(table->settings, dialect, key) != setting)
            continue;
        const bool is_of_file =
            path && setting->form == SETTING_LINE && slice_compare(key, setting->name) == 0;
        const char *value = mpi_setting_value(table, setting->value, arena);
        /* But a path from the folder of the file is one from the root there. */
        if (!is_of_file || (*value == '/' && *setting->value.text != '/'))
            mpi_add_variable(command, arena_printf(arena, "%s%.*s", variables, (int)key.length, key.text),
                             value);
    }
    if (is_handed)
        mpi_add_variable(command, kind->file_variable, arena_printf(arena, "%s", path));
    free(path);
}

void mpi_add_variable(struct mpi_command *command, const char *name, const char *value)
{
    const struct mpi_kind *kind = command->mpi->kind;
    mpi_add(command, kind->run_option);
    if (kind->is_set_with_equals) {
        mpi_add(command, arena_printf(command->mpi->arena, "%s=%s", name, value));
        return;
    }
    mpi_add(command, name);
    mpi_add(command, value);
}

void mpi_add_spy(struct mpi_command *command, const char *prefix, const char *known)
{
    mpi_add_variable(command, "LD_PRELOAD", command->mpi->spy);
    mpi_add_variable(command, "COLLC_SPY", prefix);
    if (command->mpi->is_library) /* which notes calls only then */
        mpi_add_variable(command, "COLLC_REPORT", mpi_path(command->mpi, "report"));
    if (known)
        mpi_add_variable(command, "COLLC_KNOWN", known);
}
