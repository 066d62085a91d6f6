/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See points.h. A line of numbers belongs to the benchmark whose heading came last, and its columns are
 * those of the last line of titles.
 */
#include "costs/points.h"

#include "base/codes.h"
#include "base/text/excerpt.h"
#include "base/text/hostlist.h"
#include "base/text/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_COLUMNS = 24,
    NUMBER_BYTES = 64,
    OSU_WINDOW = 64,            /* window of osu_bw, without -W */
    MOST_RANKS = 1 << 16,
    MOST_SETTINGS = 8
};

/* Measured things besides collectives. */
enum { OF_MESSAGE = N_COLLECTIVES, OF_STREAM, OF_UNKNOWN };
enum suite { SUITE_NONE, SUITE_OSU, SUITE_IMB, SUITE_NCCL };

/* The names in the benchmark suites. */
static const struct title {
    enum suite suite;
    const char *words;
    uint32_t of;
} titles[] = {
    {SUITE_OSU, "Latency", OF_MESSAGE},
    {SUITE_OSU, "Bandwidth", OF_STREAM},
    {SUITE_OSU, "Allgather Latency", COLLECTIVE_allgather},
    {SUITE_OSU, "Allreduce Latency", COLLECTIVE_allreduce},
    {SUITE_OSU, "All-to-All Personalized Exchange Latency", COLLECTIVE_alltoall},
    {SUITE_OSU, "Barrier Latency", COLLECTIVE_barrier},
    {SUITE_OSU, "Broadcast Latency", COLLECTIVE_bcast},
    {SUITE_OSU, "Gather Latency", COLLECTIVE_gather},
    {SUITE_OSU, "Reduce Latency", COLLECTIVE_reduce},
    {SUITE_OSU, "Scatter Latency", COLLECTIVE_scatter},
    {SUITE_IMB, "PingPong", OF_MESSAGE},
    {SUITE_IMB, "Allgather", COLLECTIVE_allgather},
    {SUITE_IMB, "Allreduce", COLLECTIVE_allreduce},
    {SUITE_IMB, "Alltoall", COLLECTIVE_alltoall},
    {SUITE_IMB, "Barrier", COLLECTIVE_barrier},
    {SUITE_IMB, "Bcast", COLLECTIVE_bcast},
    {SUITE_IMB, "Gather", COLLECTIVE_gather},
    {SUITE_IMB, "Reduce", COLLECTIVE_reduce},
    {SUITE_IMB, "Scatter", COLLECTIVE_scatter},
    {SUITE_NCCL, "all_gather_perf", COLLECTIVE_allgather},
    {SUITE_NCCL, "all_reduce_perf", COLLECTIVE_allreduce},
    {SUITE_NCCL, "alltoall_perf", COLLECTIVE_alltoall},
    {SUITE_NCCL, "broadcast_perf", COLLECTIVE_bcast},
    {SUITE_NCCL, "gather_perf", COLLECTIVE_gather},
    {SUITE_NCCL, "reduce_perf", COLLECTIVE_reduce},
    {SUITE_NCCL, "reduce_scatter_perf", COLLECTIVE_reduce_scatter_block},
    {SUITE_NCCL, "scatter_perf", COLLECTIVE_scatter},
};

struct reader {
    struct timed_points *points;
    const struct points_request *request;
    struct arena *arena;
    struct lines lines;
    enum suite suite;
    uint32_t of;
    uint32_t n_ranks;                  /* 0: not said */
    struct slice title;                /* of the benchmark, as its heading has it */
    uint32_t bytes_column, time_column, wrong_column; /* MAX_COLUMNS: there is none */
    uint32_t n_columns;
    struct text row;                    /* of nccl-tests, as much of it as came so far */
    uint32_t n_words;                   /* of it */
    bool is_log;                        /* other lines may stand around what is read */
    bool has_rows;                      /* of this output */
    bool is_unnamed;                    /* neither the output nor the request names the collective */
    const char *hosts;                  /* NULL: not said */
    uint32_t n_hosts;
    struct text printed;                /* hosts of ranks 0, 1 ... that a benchmark prints */
    uint32_t n_printed;
    const char *hosts_of_ranks;         /* the same, whole; NULL: not said */
};

void points_add(struct timed_points *points, const struct timed_point *point)
{
    points->items = mem_grow(points->items, &points->capacity, points->n + 1, sizeof *points->items);
    points->items[points->n++] = *point;
}

void points_free(struct timed_points *points)
{
    free(points->items);
    *points = (struct timed_points){0};
}

static bool points_fail(struct reader *reader, struct slice word, const char *what)
{
    lines_fail(&reader->lines, CODE_Y001, word.text, word.length ? word.length : 1, "%s is expected", what)
        ->help = "a line of one's own is 'time alltoall/ring 24 1MB 15.3ms' (docs/fitting.md)";
    return false;
}

/* ---- times of algorithms ---- */

static bool points_take_setting(struct reader *reader, struct slice word, struct timed_point *point)
{
    const char *equal = memchr(word.text, '=', word.length);
    uint32_t value;
    if (!equal || equal == word.text ||
        parse_count((struct slice){equal + 1, word.length - (size_t)(equal + 1 - word.text)}, &value) !=
            VALUE_OK)
        return points_fail(reader, word, "NAME=NUMBER");
    const size_t length = (size_t)(equal - word.text);
    if (slice_is((struct slice){word.text, length}, "ranks-per-machine")) {
        point->ranks_per_machine = value;
        return value > 0 || points_fail(reader, word, "a number above 0");
    }
    if (point->n_settings == MOST_SETTINGS)
        return points_fail(reader, word, "the end of the line, behind so many parameters,");
    if (!point->settings)
        point->settings = arena_alloc(reader->arena, MOST_SETTINGS, sizeof *point->settings);
    point->settings[point->n_settings++] =
        (struct parameter_setting){.name = arena_strndup(reader->arena, word.text, length), .value = value};
    return true;
}

static bool points_take_time(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    struct timed_point point = {.position = lines_position(lines, lines->start, 1), .hosts = reader->hosts};
    uint64_t time;
    struct slice word = lines_take_word(lines);
    if (!memchr(word.text, '/', word.length))
        return points_fail(reader, word, "an algorithm, such as bcast/binomial,");
    point.algorithm = arena_strndup(reader->arena, word.text, word.length);
    word = lines_take_word(lines);
    if (parse_count(word, &point.n_ranks) != VALUE_OK || point.n_ranks == 0 || point.n_ranks > MOST_RANKS)
        return points_fail(reader, word, "a number of ranks up to 65536");
    word = lines_take_word(lines);
    if (parse_size(word, &point.bytes) != VALUE_OK)
        return points_fail(reader, word, "a size, such as 64KiB,");
    word = lines_take_word(lines);
    if (parse_latency(word, &time) != VALUE_OK || time == 0)
        return points_fail(reader, word, "a time above 0, such as 12.5us,");
    point.time = (double)time;
    while ((word = lines_take_word(lines)).length && *word.text != '#')
        if (!points_take_setting(reader, word, &point))
            return false;
    points_add(reader->points, &point);
    return true;
}

/* Takes a list of hosts, or `all`. */
static bool points_take_hosts(struct reader *reader)
{
    const struct slice rest = slice_trim(lines_rest(&reader->lines));
    struct hostlist list;
    reader->n_ranks = 0;
    reader->hosts = NULL;
    if (slice_is(rest, "all"))
        return true;
    const bool is_list = hostlist_expand(rest, MOST_RANKS, &list);
    reader->hosts = arena_strndup(reader->arena, rest.text, rest.length);
    reader->n_hosts = list.n;
    hostlist_free(&list);
    return is_list || points_fail(reader, rest, "a list of hosts, such as node[1-4],gpu3,");
}

/* ---- headings of benchmarks ---- */

/* Takes "Rank  0 Group  0 Pid   12 on   node3 device ..." of nccl-tests, behind the word Rank. */
static void take_rank(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    uint32_t n;
    lines_skip_blanks(lines);
    if (!lines_take_decimal(lines, &n) || n >= MOST_RANKS || n < reader->n_ranks)
        return;
    reader->n_ranks = n + 1;
    if (reader->n_printed != n || !lines_take_after(lines, " on "))
        return;
    const struct slice host = lines_take_word(lines);
    text_printf(&reader->printed, "%s%.*s", n ? "," : "", (int)host.length, host.text);
    reader->n_printed += host.length > 0;
}

static void points_begin(struct reader *reader, enum suite suite, struct slice words)
{
    reader->printed.length = 0;
    reader->n_printed = 0;
    reader->hosts_of_ranks = NULL;
    reader->suite = suite;
    reader->title = words;
    reader->of = OF_UNKNOWN;
    reader->is_unnamed = reader->has_rows = false;
    reader->bytes_column = reader->time_column = reader->wrong_column = MAX_COLUMNS;
    reader->n_words = reader->n_columns = 0;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (titles[i].suite == suite && slice_is(words, titles[i].words))
            reader->of = titles[i].of;
    if (suite != SUITE_NCCL)
        reader->n_ranks = 0;
    if (suite == SUITE_OSU) { /* its titles of columns are no words of their own */
        const bool has_size = reader->of >= N_COLLECTIVES || collective_has_data((enum collective)reader->of);
        reader->bytes_column = has_size ? 0 : MAX_COLUMNS;
        reader->time_column = has_size ? 1 : 0;
    }
}

/* Takes "# OSU LIBRARY ... Test v7.0". Of MPI, MPI-CUDA, NCCL-CUDA and so on the title is what stands before
 * Test; of another library it begins with its name, and the benchmark is not known. */
static bool take_osu_heading(struct reader *reader)
{
    static const char *const libraries[] = {"MPI", "NCCL", "RCCL", "XCCL"};
    struct lines *lines = &reader->lines;
    if (!lines_take_text(lines, "# OSU "))
        return false;
    const char *title = lines->at;
    const struct slice library = lines_take_word(lines);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const size_t length = strlen(libraries[i]);
        if (slice_starts(library, libraries[i]) && (library.length == length || library.text[length] == '-'))
            title = lines->at;
    }
    for (struct slice word; (word = lines_take_word(lines)).length;)
        if (slice_is(word, "Test")) {
            points_begin(reader, SUITE_OSU, slice_trim((struct slice){title, (size_t)(word.text - title)}));
            return true;
        }
    return false;
}

/* Takes "# Benchmarking PingPong"; more words are somebody's comment. */
static bool take_imb_heading(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    if (!lines_take_text(lines, "# Benchmarking "))
        return false;
    const struct slice name = lines_take_word(lines);
    lines_skip_blanks(lines);
    if (!name.length || !(lines_at_end(lines) || lines_starts(lines, "(") || lines_starts(lines, "#")))
        return false;
    points_begin(reader, SUITE_IMB, name);
    return true;
}

/* Takes the last word of a heading, or the word behind some text. */
static bool take_heading(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    uint32_t n;
    const char *start = lines->at;
    if (take_osu_heading(reader))
        return true;
    lines->at = start;
    if (take_imb_heading(reader))
        return true;
    lines->at = start;
    if (lines_take_text(lines, "# Collective test starting:")) {
        points_begin(reader, SUITE_NCCL, lines_take_word(lines));
        reader->n_ranks = 0;
    } else if (lines_take_text(lines, "# #processes =") || lines_take_text(lines, "# ( #processes =")) {
        lines_skip_blanks(lines);
        if (lines_take_decimal(lines, &n))
            reader->n_ranks = n;
    } else if ((reader->suite != SUITE_NCCL || reader->has_rows) && lines_take_text(lines, "# nThread")) {
        points_begin(reader, SUITE_NCCL, slice_of("nccl-tests")); /* before 2.13: not named */
        reader->n_ranks = 0;
        reader->of = reader->request->unnamed;
        reader->is_unnamed = reader->of == N_COLLECTIVES;
    } else if (reader->suite == SUITE_NCCL && lines_take_text(lines, "#") &&
               slice_is(lines_take_word(lines), "Rank")) {
        take_rank(reader);
    } else {
        return false;
    }
    return true;
}

/* Takes the columns. A collective's time is that of its slowest rank: t_max, or the column of OSU's -f. */
static void points_take_columns(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    const bool is_osu = reader->suite == SUITE_OSU;
    uint32_t column = 0;
    bool has_bytes = false;
    if (is_osu && reader->of < N_COLLECTIVES && lines_starts(lines, "# Size") &&
        lines_take_after(lines, "Max Latency(us)"))
        reader->time_column = 3; /* size, average, minimum, maximum */
    if (is_osu || reader->suite == SUITE_NONE)
        return;
    const char *at = lines->at;
    while (lines->at < lines->end && (*lines->at == '#' || *lines->at == ' ' || *lines->at == '\t') &&
           !lines_starts(lines, "#bytes") && !lines_starts(lines, "#repetitions"))
        lines->at++;
    for (struct slice word; (word = lines_take_word(lines)).length && column < MAX_COLUMNS; column++) {
        const bool is_size = slice_is(word, reader->suite == SUITE_IMB ? "#bytes" : "size");
        if (is_size)
            reader->bytes_column = column;
        has_bytes |= is_size || slice_is(word, "#repetitions");
        if (slice_is(word, "#wrong") && reader->wrong_column == MAX_COLUMNS)
            reader->wrong_column = column;
        const bool is_most = slice_is(word, "t_max[usec]");
        const bool is_time = slice_is(word, "t[usec]") || slice_is(word, "time");
        if (has_bytes && (is_most || (is_time && reader->time_column == MAX_COLUMNS)))
            reader->time_column = column;
    }
    if (has_bytes)
        reader->n_columns = column;
    lines->at = at;
}

/* ---- rows of benchmarks ---- */

/* Converts the bytes of nccl-tests, those of the whole buffer, to those of MPI's users. */
static uint64_t bytes_for_users(const struct reader *reader, uint64_t bytes)
{
    const bool is_by_rank = collective_is_by_rank((enum collective)reader->of, BUFFER_IN) ||
                            collective_is_by_rank((enum collective)reader->of, BUFFER_OUT);
    return reader->suite == SUITE_NCCL && is_by_rank ? bytes / reader->n_ranks : bytes;
}

static bool points_number_of(struct slice word, double *value)
{
    char text[NUMBER_BYTES], *end;
    if (word.length == 0 || word.length >= sizeof text || !(text_is_digit(*word.text) || *word.text == '.'))
        return false;
    memcpy(text, word.text, word.length);
    text[word.length] = '\0';
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

static void points_add_row(struct reader *reader, uint64_t bytes, double value)
{
    struct timed_points *points = reader->points;
    struct timed_point point = {.kind = TIMED_MESSAGE,
                                .n_ranks = 2,
                                .bytes = bytes,
                                .time = value * 1000,
                                .hosts = reader->hosts,
                                .position = lines_position(&reader->lines, reader->lines.start, 1)};
    if (reader->of == OF_STREAM) { /* MB/s */
        point.kind = TIMED_STREAM;
        point.window = OSU_WINDOW;
        point.time = (double)bytes * OSU_WINDOW / value * 1000;
    }
    if (reader->of < N_COLLECTIVES) {
        point.kind = TIMED_ALGORITHM;
        point.n_ranks = reader->n_ranks;
        point.bytes = bytes_for_users(reader, bytes);
        if (!reader->hosts && !reader->request->is_placed && reader->n_printed == reader->n_ranks) {
            if (!reader->hosts_of_ranks)
                reader->hosts_of_ranks =
                    arena_strndup(reader->arena, reader->printed.data, reader->printed.length);
            point.hosts = reader->hosts_of_ranks;
            point.are_hosts_of_ranks = true;
        }
        if (!reader->request->name(reader->request->context, (enum collective)reader->of, &point)) {
            points->n_not_named++;
            points->is_not_named[reader->of] = true;
            return;
        }
    }
    points_add(points, &point);
}

/* Counts a row that is left out. */
static void points_leave_out(struct reader *reader, struct points_left_out *rows)
{
    const struct slice title = reader->title;
    const char *name = arena_printf(reader->arena, "'%.*s'", (int)title.length, title.text);
    if (!rows->n++)
        rows->first = lines_position(&reader->lines, reader->lines.start, 1);
    if (!rows->names)
        rows->names = name;
    else if (!strstr(rows->names, name))
        rows->names = arena_printf(reader->arena, "%s, %s", rows->names, name);
}

/* Returns the line before the text of NCCL's log, "HOST:PID:TID [GPU] NCCL INFO ...", which may follow a
 * number without a blank: NCCL writes in the middle of the rows of nccl-tests. */
static struct slice before_log(const struct lines *lines)
{
    struct lines log = *lines;
    const char *end, *start = lines->at;
    if (!lines_take_after(&log, " NCCL "))
        return lines_rest(lines);
    for (end = log.at - strlen(" NCCL "); end > start && *end != '['; end--)
        ;
    while (end > start && end[-1] == ' ')
        end--;
    while (end > start && end[-1] != ' ')
        end--;
    if (end == start)
        return (struct slice){start, 0};
    const bool is_nought = *end == '0'; /* what follows is of a host */
    end += *end == '-' || is_nought;
    while (!is_nought && (text_is_digit(*end) || *end == '.'))
        end++;
    return (struct slice){start, (size_t)(end - start)};
}

static uint32_t count_words(struct slice text)
{
    uint32_t n = 0;
    while (slice_take_word(&text).length)
        n++;
    return n;
}

/* Adds the line to a row of nccl-tests. Returns the row once its first times are there; what follows, and
 * a part that lacks them, are an empty row. */
static struct slice join_row(struct reader *reader)
{
    const struct slice part = before_log(&reader->lines), none = {part.text, 0};
    const uint32_t n_before = reader->n_words, wrong = reader->wrong_column;
    const uint32_t last = wrong < MAX_COLUMNS && wrong > reader->time_column ? wrong : reader->time_column;
    const bool is_cut = part.length < lines_rest(&reader->lines).length;
    double number;
    struct slice rest = part;
    if (!points_number_of(slice_take_word(&rest), &number))
        return none;
    if (!n_before && (!points_number_of(slice_take_word(&rest), &number) ||
                      points_number_of(slice_take_word(&rest), &number)))
        return none; /* a row begins with a size, a count and a type */
    if (!n_before && !is_cut)
        return part;
    if (!n_before)
        reader->row.length = 0;
    text_printf(&reader->row, " %.*s", (int)part.length, part.text);
    reader->n_words += count_words(part);
    const bool is_ready = n_before <= last && reader->n_words > last;
    if (reader->n_words >= reader->n_columns)
        reader->n_words = 0;
    return is_ready ? slice_of(reader->row.data) : none;
}

/* True if the line looks like a row whose first number is written in another way: "1,024 25.3", "1K 25.3". */
static bool points_is_row_of(struct slice first, struct slice rest)
{
    double number;
    size_t n = 0;
    while (n < first.length && (text_is_digit(first.text[n]) || strchr(",.'_", first.text[n])))
        n++;
    return text_is_digit(*first.text) && strspn(first.text + n, "KMGkmgiB") >= first.length - n &&
           points_number_of(slice_take_word(&rest), &number);
}

/* Takes a row of numbers; other lines are words for people. */
static bool points_take_row(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    double value = 0, bytes = 0, number;
    bool has_value = false, is_wrong = false, is_words = false;
    struct slice word, first = lines_rest(lines);
    struct slice row = reader->suite == SUITE_NCCL ? join_row(reader) : first;
    if (!row.length)
        return true;
    for (uint32_t column = 0; column < MAX_COLUMNS && (word = slice_take_word(&row)).length; column++) {
        const bool is_number = points_number_of(word, &number);
        if (column == 0 && !is_number)
            return !points_is_row_of(word, row) ||
                   points_fail(reader, word, "a number without separators or unit, such as 1024,");
        is_words |= column == 1 && !is_number;
        is_wrong |= is_number ? column == reader->wrong_column && number > 0 : slice_is(word, "Fail");
        if (column == reader->bytes_column && is_number)
            bytes = number;
        if (column == reader->time_column && is_number) {
            value = number;
            has_value = true;
        }
    }
    if (reader->is_unnamed) {
        lines_fail(lines, CODE_Y001, first.text, 1, "the output does not name its collective")->help =
            "name it by one --algorithm, such as allreduce/ring, or put the line '# Collective test starting: "
            "all_reduce_perf' above the output, as nccl-tests prints it from 2.13 on";
        return false;
    }
    if (reader->of == OF_UNKNOWN) {
        points_leave_out(reader, &reader->points->unknown);
        return true;
    }
    if (is_wrong || (!has_value && is_words && reader->suite == SUITE_IMB)) {
        points_leave_out(reader, is_wrong ? &reader->points->wrong : &reader->points->unmeasured);
        return true;
    }
    if (!has_value || bytes < 0 || bytes >= 0x1p62)
        return points_fail(reader, slice_trim(first), "a row with a size and a time");
    if (value <= 0 || (bytes == 0 && reader->of == OF_STREAM))
        return true; /* nothing was measured */
    if (reader->of < N_COLLECTIVES && reader->n_ranks == 0) {
        const uint32_t each = reader->request->ranks_per_machine;
        const uint64_t on_hosts = (uint64_t)reader->n_hosts * (each ? each : 1);
        reader->n_ranks =
            reader->hosts ? (uint32_t)(on_hosts <= MOST_RANKS ? on_hosts : 0) : reader->request->n_ranks;
    }
    if (reader->of < N_COLLECTIVES && reader->n_ranks == 0)
        return points_fail(reader, slice_trim(first), "a number of ranks, by --ranks, for this output,");
    reader->has_rows = true;
    points_add_row(reader, (uint64_t)bytes, value);
    return true;
}

/* Passes what launchers put before a line: "[1,0]<stdout>:", or "0: ". */
static void points_skip_tag(struct lines *lines)
{
    const char *start = lines->at;
    uint32_t rank;
    const bool is_tagged = (*start == '[' && lines_take_after(lines, "]<stdout>:")) ||
                           (lines_take_decimal(lines, &rank) && lines_take_text(lines, ": "));
    if (!is_tagged)
        lines->at = start;
    lines_skip_blanks(lines);
}

/* True if the reader's file has a heading of a benchmark: other lines may stand around its output. */
static bool points_is_log(struct reader reader)
{
    while (reader.suite == SUITE_NONE && lines_next(&reader.lines)) {
        if (!lines_at_end(&reader.lines))
            points_skip_tag(&reader.lines);
        take_heading(&reader);
    }
    return reader.suite != SUITE_NONE;
}

static bool points_take_line(struct reader *reader)
{
    struct lines *lines = &reader->lines;
    if (!lines_at_end(lines))
        points_skip_tag(lines);
    const char *start = lines->at;
    if (take_heading(reader))
        return true;
    lines->at = start;
    struct slice word = lines_take_word(lines);
    const struct slice rest = lines_rest(lines);
    if (slice_is(word, "time") && (!reader->is_log || memchr(rest.text, '/', rest.length)))
        return points_take_time(reader);
    if (slice_is(word, "hosts"))
        return points_take_hosts(reader);
    lines->at = start;
    if (word.length == 0)
        return true;
    if (*word.text == '#') {
        points_take_columns(reader);
        return true;
    }
    if (reader->suite == SUITE_NONE)
        return reader->is_log || points_fail(reader, word, "'time', or what a benchmark prints,");
    return points_take_row(reader);
}

bool points_read(struct timed_points *points, const struct points_request *request,
                 const struct source *source, struct arena *arena, struct diagnostics *diagnostics)
{
    struct reader reader = {.points = points, .request = request, .arena = arena, .of = OF_UNKNOWN,
                            .bytes_column = MAX_COLUMNS, .time_column = MAX_COLUMNS,
                            .wrong_column = MAX_COLUMNS};
    source = excerpt_clean(source, arena);
    lines_open(&reader.lines, source, diagnostics);
    reader.is_log = points_is_log(reader);
    bool is_read = true;
    while (is_read && lines_next(&reader.lines))
        is_read = points_take_line(&reader);
    text_free(&reader.printed);
    text_free(&reader.row);
    return is_read;
}
