/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See observe.h.
 */
#include "tuning/observe.h"

#include "base/integer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls to be made ---- */

enum { MAX_SIZES = 24 }; /* limit for a collective on a number of ranks */

struct sizes_around {
    struct span within;
    uint64_t *items;
    size_t n, capacity;
};

static void observe_add_size(struct sizes_around *sizes, uint64_t bytes)
{
    if (!span_has(sizes->within, bytes))
        return;
    sizes->items = mem_grow(sizes->items, &sizes->capacity, sizes->n + 1, sizeof *sizes->items);
    sizes->items[sizes->n++] = bytes;
}

/* Adds sizes on both sides of a possible change of choice. */
static void add_around(void *context, uint64_t bytes)
{
    observe_add_size(context, bytes);
    if (bytes > 0)
        observe_add_size(context, bytes - 1);
}

static void unique(struct sizes_around *sizes)
{
    size_t n = 0;
    qsort(sizes->items, sizes->n, sizeof *sizes->items, compare_uint64);
    for (size_t i = 0; i < sizes->n; i++)
        if (n == 0 || sizes->items[n - 1] != sizes->items[i])
            sizes->items[n++] = sizes->items[i];
    sizes->n = n;
}

static bool observe_is_one_of(const char *name, const char *words)
{
    const size_t length = strlen(name);
    for (const char *word = words; *word; word += strspn(word, " ")) {
        const size_t next = strcspn(word, " ");
        if (next == length && strncmp(word, name, length) == 0)
            return true;
        word += next;
    }
    return false;
}

/* Text of calls to make, and the number of those left out: they would end the program and so show nothing. */
struct calls {
    struct text text;
    uint64_t n_left_out;
};

/* Writes a call, or counts it as left out. */
static void put_call(const struct observe_request *request, struct table_query query, const char *mode,
                     uint64_t bytes, struct calls *calls)
{
    struct arena arena = {0};
    const struct table_loader *loader = request->table->loader;
    query.is_in_place = strcmp(mode, "in-place") == 0;
    query.is_ordered = strcmp(mode, "ordered") == 0;
    const bool ends = request->mpi->kind->fails_end_program && !request->mpi->is_library &&
                      loader->choose(request->table, &query, false, bytes, &arena).fails;
    calls->n_left_out += ends;
    if (!ends)
        text_printf(&calls->text, "call %s %u %llu %s %llu\n", loader->collectives[query.collective], query.n_ranks,
                    (unsigned long long)query.type_bytes, mode, (unsigned long long)bytes);
    arena_free(&arena);
}

/* Writes the calls of a size: plain ones; elements of 8 bytes if algorithms test elements; in place and
 * with an operation that does not commute if the collective allows it. */
static void observe_put_size(const struct observe_request *request, struct table_query query, uint64_t bytes,
                             struct calls *calls)
{
    const char *name = request->table->loader->collectives[query.collective];
    put_call(request, query, "plain", bytes, calls);
    if (observe_is_one_of(name, "allgather allgatherv alltoall allreduce"))
        put_call(request, query, "in-place", bytes, calls);
    if (observe_is_one_of(name, "allreduce reduce reduce_scatter reduce_scatter_block"))
        put_call(request, query, "ordered", bytes, calls);
    if (bytes % 8 == 0 && observe_is_one_of(name, "allreduce bcast reduce exscan scan")) {
        query.type_bytes = 8;
        put_call(request, query, "plain", bytes, calls);
    }
}

static void put_calls(const struct observe_request *request, uint32_t collective, uint32_t n_ranks,
                      struct calls *calls)
{
    const struct table *table = request->table;
    const char *name = table->loader->collectives[collective];
    const struct table_query query = {.collective = collective, .n_ranks = n_ranks, .type_bytes = 1};
    struct sizes_around sizes = {.n = 0};
    if (strcmp(name, "barrier") == 0) {
        put_call(request, query, "plain", 0, calls);
        return;
    }
    for (size_t i = 0; i < request->bytes.n; i++) {
        sizes.within = request->bytes.items[i];
        table->loader->changes(table, &query, add_around, &sizes);
        observe_add_size(&sizes, sizes.within.first);
        observe_add_size(&sizes, sizes.within.last);
    }
    unique(&sizes);
    const size_t every = sizes.n / MAX_SIZES + 1;
    for (size_t i = 0; i < sizes.n; i++)
        if (i % every == 0 || i + 1 == sizes.n)
            observe_put_size(request, query, sizes.items[i], calls);
    free(sizes.items);
}

/* True if some of the calls get what the table says: a rule of a list, of a tree, or a setting. */
static bool observe_decides(const struct observe_request *request, uint32_t collective)
{
    const struct table *table = request->table;
    struct arena arena = {0};
    bool decides = false;
    for (size_t i = 0; i < table->n_rules; i++)
        decides = decides || table->rules[i].collective == collective;
    for (size_t i = 0; i < request->ranks.n; i++)
        for (size_t k = 0; k < request->bytes.n && !decides; k++) {
            const struct table_query query = {
                .collective = collective, .n_ranks = (uint32_t)request->ranks.items[i], .type_bytes = 1};
            struct table_ranges ranges = table_pick(table, &query, false, request->bytes.items[k], &arena);
            for (size_t range = 0; range < ranges.n; range++)
                decides = decides || ranges.items[range].rule;
            table_ranges_free(&ranges);
        }
    arena_free(&arena);
    return decides;
}

/* Returns the collectives that are called [of the loader]: those asked for; else those that the table
 * decides, or all where it decides none. */
static bool *observe_called(const struct observe_request *request)
{
    const struct table_loader *loader = request->table->loader;
    bool *called = mem_alloc(loader->n_collectives, sizeof *called), decides_any = false;
    for (uint32_t i = 0; i < loader->n_collectives && !request->collectives; i++) {
        called[i] = observe_decides(request, i);
        decides_any = decides_any || called[i];
    }
    for (size_t i = 0; request->collectives && i < request->n_collectives; i++)
        called[request->collectives[i]] = true;
    for (uint32_t i = 0; i < loader->n_collectives; i++)
        called[i] = (called[i] || (!request->collectives && !decides_any)) &&
                    mpi_has_collective(loader->collectives[i]);
    return called;
}

/* Leaves out what the MPI itself called meanwhile, to make communicators. */
static void observe_keep_called(const struct observe_request *request, struct observation *seen)
{
    bool *called = observe_called(request);
    size_t n = 0;
    for (size_t i = 0; i < seen->n; i++)
        if (called[seen->items[i].query.collective])
            seen->items[n++] = seen->items[i];
    seen->n = n;
    free(called);
}

/* Writes the file of the calls; returns its path. */
static const char *write_calls(const struct observe_request *request, struct observation *seen)
{
    struct calls calls = {.n_left_out = 0};
    bool *called = observe_called(request);
    for (uint32_t collective = 0; collective < request->table->loader->n_collectives; collective++) {
        if (!called[collective])
            continue;
        for (size_t i = 0; i < request->ranks.n; i++)
            put_calls(request, collective, (uint32_t)request->ranks.items[i], &calls);
    }
    free(called);
    const char *path = mpi_write(request->mpi, "calls", &calls.text);
    seen->n_left_out = calls.n_left_out;
    text_free(&calls.text);
    return path;
}

/* ---- what was seen ---- */

static const char *kept(const char *word, struct arena *arena)
{
    return strcmp(word, "-") == 0 ? NULL : arena_strndup(arena, word, strlen(word));
}

/* Returns a name whose blanks were written as commas. */
static const char *observe_words(char *word, struct arena *arena)
{
    for (char *c = word; *c; c++)
        *c = *c == ',' ? ' ' : *c;
    return arena_strndup(arena, word, strlen(word));
}

static struct observed *observe_add_item(struct observation *seen)
{
    seen->items = mem_grow(seen->items, &seen->capacity, seen->n + 1, sizeof *seen->items);
    seen->items[seen->n] = (struct observed){0};
    return &seen->items[seen->n++];
}

/* Takes a line of the spy. Returns false if it is none. */
static bool take_record(const struct observe_request *request, const char *line, struct observation *seen,
                        struct arena *arena)
{
    char collective[64], place[16], flags[16], algorithm[128], runs[64];
    unsigned ranks, nodes, type;
    unsigned long long bytes, ignored, segment, fan_out, calls;
    if (sscanf(line, "%63s %u %u %u %llu %15s %15s %llu %127s %63s %llu %llu %llu", collective, &ranks, &nodes,
               &type, &bytes, place, flags, &ignored, algorithm, runs, &segment, &fan_out, &calls) != 13)
        return false;
    const uint32_t which = table_collective(request->table->loader, collective);
    if (which == request->table->loader->n_collectives || ranks < 1 || type < 1)
        return false;
    const bool is_in_place = strchr(flags, 'p'), has_ignored = strchr(flags, 'i');
    struct observed *item = observe_add_item(seen);
    *item = (struct observed){
        .query = {.collective = which, .n_ranks = ranks, .n_nodes = nodes, .type_bytes = type,
                  .is_in_place = is_in_place,
                  .is_ordered = strchr(flags, 'o'), .is_exact = strchr(flags, 'e'),
                  .has_insignificant = has_ignored,
                  .insignificant_bytes = ignored},
        .is_elsewhere = has_ignored && strcmp(place, "elsewhere") == 0,
        .is_uneven = strchr(flags, 'u'),
        .first = bytes, .last = bytes,
        .algorithm = observe_words(algorithm, arena), .runs_as = kept(runs, arena),
        .segment_bytes = segment, .fan_out = fan_out, .n_calls = calls};
    return true;
}

static bool take_file(const struct observe_request *request, const char *path, struct observation *seen,
                      struct arena *arena)
{
    char line[1024];
    bool is_whole = true;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        is_whole &= take_record(request, line, seen, arena);
    if (file)
        fclose(file);
    return file && is_whole;
}

/* Takes the files of all ranks and returns their number. */
static unsigned take_files(const struct observe_request *request, struct observation *seen,
                           struct arena *arena)
{
    unsigned n = 0;
    DIR *folder = opendir(request->mpi->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, "seen.", 5) == 0 && !strstr(entry->d_name, ".part"))
            n += take_file(request, mpi_path(request->mpi, entry->d_name), seen, arena);
    if (folder)
        closedir(folder);
    return n;
}

/* Context of reading the driver's lines for calls that ended in an error. */
struct failing {
    const struct observe_request *request;
    struct observation *seen;
    struct arena *arena;
};

static void take_failure(void *context, char *line)
{
    const struct failing *failing = context;
    char collective[64], mode[16];
    unsigned ranks, type;
    unsigned long long bytes;
    if (sscanf(line, "fails %63s %u %u %15s %llu", collective, &ranks, &type, mode, &bytes) != 5)
        return;
    const bool is_in_place = strcmp(mode, "in-place") == 0;
    struct observed *item = observe_add_item(failing->seen);
    *item = (struct observed){
        .query = {.collective = table_collective(failing->request->table->loader, collective), .n_ranks =
            ranks,
                  .type_bytes = type, .is_in_place = is_in_place, .is_ordered = strcmp(mode, "ordered") == 0},
        .first = bytes, .last = bytes, .algorithm = "fails", .n_calls = 1};
}

/* Passes a line of the program to standard error, as it is not collc's output. */
static void pass_line(void *context, char *line)
{
    (void)context;
    fprintf(stderr, "%s\n", line);
}

/* ---- beside the table ---- */

static bool is_same_word(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void observe_pick(const struct table *table, struct observed *item, uint64_t bytes,
                         struct arena *arena)
{
    const struct table_range range =
        table->loader->choose(table, &item->query, item->is_elsewhere, bytes, arena);
    item->is_by_rule = range.rule != NULL;
    item->picked = range.fails ? "fails" : range.algorithm;
    item->picked_runs_as = range.fails ? NULL : range.runs_as;
    item->picked_segment_bytes = range.fails ? item->segment_bytes : range.parameters.segment_bytes;
    item->picked_fan_out = range.fails ? item->fan_out : range.parameters.fan_out;
    /* basic_inplace is a function that libmpi does not export, so its call is not seen. */
    const char *runs_as = is_same_word(item->picked_runs_as, "basic_inplace") ? NULL : item->picked_runs_as;
    item->differs = !is_same_word(item->picked, item->algorithm) || !is_same_word(runs_as, item->runs_as) ||
                    item->picked_segment_bytes != item->segment_bytes ||
                        item->picked_fan_out != item->fan_out;
}

static void observe_compare(const struct table *table, struct observed *item, struct arena *arena)
{
    observe_pick(table, item, item->first, arena);
    if (item->differs && item->is_uneven)
        observe_pick(table, item, item->first + 1, arena);
}

static int compare_words(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* Compares everything but sizes and numbers of calls. */
static int compare_kinds(const struct observed *a, const struct observed *b)
{
    const int differences[] = {
        compare_numbers(a->query.is_in_place, b->query.is_in_place),
        compare_numbers(a->query.is_ordered, b->query.is_ordered),
        compare_numbers(a->query.is_exact, b->query.is_exact),
            compare_numbers(a->is_elsewhere, b->is_elsewhere),
        compare_words(a->algorithm, b->algorithm), compare_words(a->runs_as, b->runs_as),
        compare_numbers(a->segment_bytes, b->segment_bytes), compare_numbers(a->fan_out, b->fan_out),
        compare_words(a->picked, b->picked), compare_words(a->picked_runs_as, b->picked_runs_as),
        compare_numbers(a->is_by_rule, b->is_by_rule), compare_numbers(a->differs, b->differs)};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i])
            return differences[i];
    return 0;
}

/* Compares by collective, ranks, kind of call, and size. */
static int compare_items(const void *x, const void *y)
{
    const struct observed *a = x, *b = y;
    const int differences[] = {
        compare_numbers(a->query.collective, b->query.collective),
            compare_numbers(a->query.n_ranks, b->query.n_ranks),
        compare_numbers(a->query.is_in_place, b->query.is_in_place),
        compare_numbers(a->query.is_ordered, b->query.is_ordered),
        compare_numbers(a->query.is_exact, b->query.is_exact),
            compare_numbers(a->is_elsewhere, b->is_elsewhere),
        compare_numbers(a->first, b->first)};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i])
            return differences[i];
    return compare_kinds(a, b);
}

/* Joins consecutive items that differ only in size. */
static void observe_join(struct observation *seen)
{
    size_t n = 0;
    if (seen->n)
        qsort(seen->items, seen->n, sizeof *seen->items, compare_items);
    for (size_t i = 0; i < seen->n; i++) {
        const struct observed *item = &seen->items[i];
        struct observed *last = n ? &seen->items[n - 1] : NULL;
        /* calls that are not new were seen on another rank */
        const bool is_new_size = i == 0 || compare_items(&seen->items[i - 1], item) != 0;
        seen->n_kinds += is_new_size;
        seen->n_different += is_new_size && item->differs;
        seen->n_failing += is_new_size && strcmp(item->algorithm, "fails") == 0;
        seen->n_calls += item->n_calls;
        if (last && last->query.collective == item->query.collective &&
            last->query.n_ranks == item->query.n_ranks && compare_kinds(last, item) == 0) {
            last->last = item->last;
            last->n_calls += item->n_calls;
        } else {
            seen->items[n++] = *item;
        }
    }
    seen->n = n;
}

/* ---- the run ---- */

static bool observe_fail(struct observation *seen, const char *problem, const char *help)
{
    seen->problem = problem;
    seen->help = help;
    return false;
}

static uint32_t most_ranks(const struct observe_request *request)
{
    return request->ranks.n ? (uint32_t)request->ranks.items[request->ranks.n - 1] : 0;
}

/* Launches our driver for the lines of a file. */
static void add_driver(const struct observe_request *request, const char *lines, struct mpi_command *command)
{
    mpi_add(command, request->mpi->driver);
    mpi_add(command, lines);
    mpi_add(command, arena_printf(request->mpi->arena, "%.0f", request->seconds + 30));
    mpi_add(command, "1");
}

static bool observe_run_launch(const struct observe_request *request, const struct mpi_command *command,
                               void (*take)(void *context, char *line), struct observation *seen,
                               struct arena *arena)
{
    struct failing failing = {request, seen, arena};
    struct text why = {0};
    struct launch launch = {
        .words = command->words, .seconds = request->seconds, .line = take, .context = &failing};
    const enum launch_end end = launch_run(&launch);
    launch_explain(&launch, end, &why);
    if (end != LAUNCH_WELL)
        observe_fail(seen, arena_printf(arena, "%s", why.data),
                     end == LAUNCH_TOO_LATE ? "give it longer by --time, or a smaller program"
                                            : "nothing is proved by a program that does not end well");
    text_free(&why);
    text_free(&launch.said);
    return end == LAUNCH_WELL;
}

/* Runs the spy's learning launch with as many ranks; *known stays NULL if there is nothing to learn. */
static bool learn(const struct observe_request *request, const char **known, struct observation *seen,
                  struct arena *arena)
{
    const struct text nothing = {0};
    struct mpi *mpi = request->mpi;
    if (!mpi->kind->add_lesson || mpi->is_library)
        return true;
    struct mpi_command command = mpi_command(mpi, most_ranks(request));
    *known = mpi_path(mpi, "known");
    mpi_add_spy(&command, mpi_path(mpi, "lesson"), NULL);
    mpi->kind->add_lesson(&command, *known);
    add_driver(request, mpi_write(mpi, "nothing", &nothing), &command);
    return observe_run_launch(request, &command, pass_line, seen, arena);
}

static bool observe_run(const struct observe_request *request, struct observation *seen, struct arena *arena)
{
    const char *known = NULL;
    if (!learn(request, &known, seen, arena))
        return false;
    struct mpi_command command = mpi_command(request->mpi, most_ranks(request));
    if (request->table && request->table->settings)
        mpi_add_settings(&command, request->table);
    else
        mpi_add_rules(&command, request->path);
    mpi_add_spy(&command, mpi_path(request->mpi, "seen"), known);
    if (!request->program)
        add_driver(request, write_calls(request, seen), &command);
    for (size_t i = 0; request->program && request->program[i]; i++)
        mpi_add(&command, request->program[i]);
    return observe_run_launch(request, &command, request->program ? pass_line : take_failure, seen, arena);
}

bool observe(const struct observe_request *request, struct observation *seen, struct arena *arena)
{
    *seen = (struct observation){0};
    const bool needs_driver =
        !request->program || (request->mpi->kind->add_lesson && !request->mpi->is_library);
    if (!mpi_compile_spy(request->mpi) || (needs_driver && !mpi_compile_driver(request->mpi)))
        return observe_fail(seen, request->mpi->problem, request->mpi->help);
    if (!observe_run(request, seen, arena))
        return false;
    const bool has_files = take_files(request, seen, arena) > 0;
    if (!has_files && seen->n_left_out)
        return observe_fail(seen, "every call would end the program", "'collc pick' says why");
    if (!has_files)
        return observe_fail(
            seen, "no collective of the program was seen",
            "it calls none with data, is linked statically, or with another MPI than --mpirun has");
    if (!request->program)
        observe_keep_called(request, seen);
    for (size_t i = 0; i < seen->n; i++)
        observe_compare(request->table, &seen->items[i], arena);
    observe_join(seen);
    return true;
}

bool observed_rules_act(const struct observation *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        if (seen->items[i].is_by_rule && seen->items[i].differs)
            return false;
    return true;
}

bool observed_misses_rules(const struct table *table, const struct observation *seen)
{
    bool misses = table->n_rules > 0 && !table->settings;
    for (size_t i = 0; i < seen->n; i++)
        misses = misses && !seen->items[i].is_by_rule;
    return misses;
}

void observation_free(struct observation *seen)
{
    free(seen->items);
    *seen = (struct observation){0};
}
