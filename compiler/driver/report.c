/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc report: all that is known about a schedule, as one page (reports/page.h): the verdict, its findings,
 * the network with its loads, links and ranks in time, and the failures of single parts.
 */
#include "base/quantity.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/render.h"
#include "compiler/driver/verify.h"
#include "compiler/driver/version.h"
#include "emitters/emit.h"
#include "reports/page.h"
#include "reports/simulation_report.h"
#include "reports/verdict.h"
#include "study/fabric/failures.h"
#include "study/loads.h"
#include "study/timed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limits of a page that can be sent and looked at. */
enum {
    MOST_MESSAGES = 2000000, /* that are routed one by one for pictures */
    MOST_LINKS = 32,         /* of the chart of links */
    MOST_BARS = 6000,        /* of the chart of ranks */
    MOST_MOVES = 20000000,   /* messages times cables, for the table of failures */
    MOST_FAILURES = 12       /* rows of that table */
};

enum part {
    PART_FIGURES,
    PART_FINDINGS,
    PART_NETWORK,
    PART_TIME,
    PART_LINKS,
    PART_RANKS,
    PART_FAILURES,
    N_PARTS
};
static const struct page_section parts[N_PARTS] = {
    [PART_FIGURES] = {"figures", "Figures"},
    [PART_FINDINGS] = {"findings", "Findings"},
    [PART_NETWORK] = {"network", "Network"},
    [PART_TIME] = {"time", "Time"},
    [PART_LINKS] = {"links", "Links in time"},
    [PART_RANKS] = {"ranks", "Ranks in time"},
    [PART_FAILURES] = {"failures", "If a part fails"},
};

/* A page that is written. */
struct report_page {
    struct text out;
    bool is_shown; /* there was a verdict */
};

/* ---- figures and findings ---- */

static void report_put_figures(const struct verdict *verdict, struct text *out)
{
    struct text figures = {0};
    page_open_section(out, &parts[PART_FIGURES]);
    verdict_text(verdict, &figures);
    page_lines(out, &figures);
    page_close_section(out);
    text_free(&figures);
}

static void report_put_findings(const struct verdict *verdict, struct text *out)
{
    struct text findings = {0};
    diagnostics_print(verdict->findings, &findings, false);
    diagnostics_print(verdict->warnings, &findings, false);
    page_section_of_lines(out, &parts[PART_FINDINGS], &findings);
    text_free(&findings);
}

/* ---- the network ---- */

static void report_put_picture(const char *problem, const struct text *svg, const char *label,
                               struct text *out)
{
    if (problem)
        page_paragraph(out, *problem ? problem : "A step could not be produced.");
    else
        page_picture(out, svg, label);
}

static void report_put_network(struct job *job, struct text *out)
{
    const struct scene *scene = &job->scene;
    struct diagnostics unrouted = {0};
    struct text dot = {0}, svg = {0};
    const struct total_loads loads = loads_of_schedule(scene, &unrouted);
    const struct emit_request request = {.schedule = scene->schedule,
                                         .topology = scene->topology,
                                         .placement = scene->placement,
                                         .link_load = loads.load,
                                         .least_load = loads.least,
                                         .arena = &job->scene.arena};
    const char *problem = loads.load ? emit_drawing_topology(&request, &dot) : "";
    if (!problem && !render(&dot, "svg", &svg))
        problem = "There is no picture: the program 'dot' of Graphviz is needed for it.";
    page_open_section(out, &parts[PART_NETWORK]);
    report_put_picture(problem, &svg, "the network, its links coloured by load", out);
    page_close_section(out);
    diagnostics_free(&unrouted);
    text_free(&dot);
    text_free(&svg);
    free(loads.load);
}

/* ---- in time ---- */

static void report_put_chart(const struct job *job, enum part part, struct schedule *timed,
                             emit_function *chart, struct text *out)
{
    const struct scene *scene = &job->scene;
    struct arena arena = {0};
    struct text svg = {0};
    const struct emit_request request = {.schedule = timed,
                                         .topology = scene->topology,
                                         .placement = scene->placement,
                                         .most_rows = MOST_LINKS,
                                         .arena = &arena};
    const char *problem = chart(&request, &svg);
    page_open_section(out, &parts[part]);
    report_put_picture(problem, &svg, parts[part].title, out);
    page_close_section(out);
    text_free(&svg);
    arena_free(&arena);
}

static void report_put_time(struct job *job, const struct simulation_request *request, struct text *out)
{
    struct simulation simulation;
    struct text figures = {0};
    page_open_section(out, &parts[PART_TIME]);
    simulation_run(request, job->scene.schedule, &simulation, &job->diagnostics);
    if (simulation.played.outcome != PLAYED_BROKEN)
        simulation_text(&simulation, &figures);
    if (figures.length)
        page_lines(out, &figures);
    else
        page_paragraph(out, simulation.played.problem ? simulation.played.problem : "It cannot be played.");
    page_close_section(out);
    simulation_free(&simulation);
    text_free(&figures);
}

static void report_put_charts(struct job *job, const struct verdict *verdict, struct text *out)
{
    struct simulation_request request;
    char *problem = NULL;
    if (!job_simulation(job, &request))
        return;
    report_put_time(job, &request, out);
    struct schedule *timed = timed_new(job->scene.schedule, &request, &problem, &job->diagnostics);
    if (timed) {
        report_put_chart(job, PART_LINKS, timed, emit_heatmap, out);
        if (verdict->report->n_messages <= MOST_BARS / 2)
            report_put_chart(job, PART_RANKS, timed, emit_gantt, out);
        timed->destroy(timed);
    }
    free(problem);
}

/* ---- failures ---- */

/* True if both do the same, so that they are one row. */
static bool report_are_alike(const struct failure *a, const struct failure *b)
{
    return a->part == b->part && a->n_moved == b->n_moved && a->n_lost == b->n_lost &&
           a->n_gone == b->n_gone && a->max_link_load == b->max_link_load &&
           a->max_total_load == b->max_total_load;
}

static const char *const failure_heads[] = {"without", "messages lost", "of the host itself",
                                            "take another way", "most on a link in a step",
                                            "most on a link in all"};
enum { N_FAILURE_HEADS = sizeof failure_heads / sizeof *failure_heads };

static void report_put_row(const char *name, const struct failure *failure, struct text *out)
{
    char figures[N_FAILURE_HEADS - 1][24];
    const uint64_t values[N_FAILURE_HEADS - 1] = {failure->n_lost, failure->n_gone, failure->n_moved,
                                                  failure->max_link_load, failure->max_total_load};
    const char *cells[N_FAILURE_HEADS] = {name};
    for (int i = 0; i < N_FAILURE_HEADS - 1; i++) {
        snprintf(figures[i], sizeof figures[i], "%" PRIu64, values[i]);
        cells[i + 1] = figures[i];
    }
    page_row(out, cells, NULL, N_FAILURE_HEADS);
}

static void report_put_failures(const struct failures *failures, const struct topology *topology,
                                struct text *out)
{
    const struct failure nothing = {.max_link_load = failures->max_link_load,
                                    .max_total_load = failures->max_total_load};
    page_open_section(out, &parts[PART_FAILURES]);
    page_open_table(out, failure_heads, N_FAILURE_HEADS);
    report_put_row("nothing", &nothing, out);
    size_t at = 0;
    for (int row = 0; at < failures->n && row < MOST_FAILURES; row++) {
        const struct failure *failure = &failures->items[at];
        struct text name = {0};
        size_t end = at + 1;
        while (end < failures->n && report_are_alike(failure, &failures->items[end]))
            end++;
        failure_print(failure, topology, &name);
        if (end - at > 1)
            text_printf(&name, " and %zu alike", end - at - 1);
        report_put_row(name.data, failure, out);
        text_free(&name);
        at = end;
    }
    page_close_table(out);
    if (at < failures->n) {
        char more[64];
        snprintf(more, sizeof more, "%zu more are less harmful.", failures->n - at);
        page_paragraph(out, more);
    }
    page_close_section(out);
}

static void report_sweep_failures(struct job *job, const struct verdict *verdict, struct text *out)
{
    const struct scene *scene = &job->scene;
    struct topology *rest = job_open_rest(job);
    struct traffic_matrix matrix = traffic_matrix_start(scene->topology, scene->placement);
    const struct verify_request request = {.topology = scene->topology,
                                           .placement = scene->placement,
                                           .watch = traffic_matrix_watch,
                                           .watch_context = &matrix};
    struct verify_report report = {0};
    struct diagnostics findings = {0};
    if (rest && verify_schedule(scene->schedule, &request, &report, &findings) && !matrix.is_too_large) {
        struct failures failures = failures_of_scene(scene, &matrix, rest, verdict->least);
        report_put_failures(&failures, scene->topology, out);
        failures_free(&failures);
    }
    diagnostics_free(&findings);
    verify_report_free(&report);
    traffic_matrix_free(&matrix);
    topology_free(rest);
}

/* ---- the page ---- */

/* Finds the parts that the page has. */
static void report_choose(const struct job *job, const struct verdict *verdict, bool has[N_PARTS])
{
    const struct schedule_header *header = &job->scene.schedule->header;
    const struct topology *topology = job->scene.topology;
    const uint64_t n_messages = verdict->report->n_messages;
    const bool is_routed = topology && !topology->is_adaptive && n_messages <= MOST_MESSAGES;
    const bool has_size = header->chunk_bytes || header->counts || !collective_has_data(header->collective);
    has[PART_FIGURES] = has[PART_FINDINGS] = true;
    has[PART_NETWORK] = is_routed;
    has[PART_TIME] = has[PART_LINKS] = is_routed && has_size;
    has[PART_RANKS] = has[PART_LINKS] && n_messages <= MOST_BARS / 2;
    has[PART_FAILURES] = is_routed && n_messages * (topology->n_link_ids / 2) <= MOST_MOVES;
}

/* Says what was asked for: the MPI whose algorithm it is, the size, and what is left out of the network. */
static void report_say_asked(const struct job *job, const struct verdict *verdict, struct text *out)
{
    const struct options *options = job->options;
    struct text words = {0};
    if (verdict->taken)
        text_printf(&words, "It is what %s takes for this call. ", verdict->taken->table->loader->target);
    if (verdict->header->chunk_bytes && options->bytes) {
        text_printf(&words, "The size is ");
        print_size(options->bytes, &words);
        text_printf(&words, ". ");
    }
    for (size_t i = 0; i < options->failed.n; i++)
        text_printf(&words, "%s%s", i ? ", " : "Without: ", options->failed.items[i]);
    if (words.length)
        page_paragraph(out, words.data);
    text_free(&words);
}

/* Says under the figures which parts there are not, and why. */
static void report_say_absent(const struct job *job, const bool has[N_PARTS], struct text *out)
{
    if (!job->scene.topology)
        page_paragraph(out,
                       "There is no network: with --topology the page has its loads, times and failures.");
    else if (!has[PART_NETWORK])
        page_paragraph(out, "There are no pictures and no times: routes are adaptive, or messages too many.");
    else if (!has[PART_TIME])
        page_paragraph(out, "There are no times: they depend on the size, --bytes.");
    else if (!has[PART_RANKS])
        page_paragraph(out, "There is no chart of the ranks: messages are too many to look at.");
    if (has[PART_NETWORK] && !has[PART_FAILURES])
        page_paragraph(out,
                       "Failures are not tried: messages and links are too many ('collc check' tries them).");
}

static void report_show(void *context, struct job *job, const struct verdict *verdict)
{
    struct report_page *page = context;
    struct page_section sections[N_PARTS];
    struct text title = {0}, line = {0}, *out = &page->out;
    const struct schedule_header *header = verdict->header;
    bool has[N_PARTS];
    size_t n = 0;
    report_choose(job, verdict, has);
    for (int i = 0; i < N_PARTS; i++)
        if (has[i])
            sections[n++] = parts[i];
    text_printf(&title, "%s/%s", collective_name(header->collective, header->form), header->algorithm);
    if (verdict->topology)
        text_printf(&title, " on %s", verdict->topology->name);
    verdict_line(verdict, &line);
    line.data[strcspn(line.data, "\n")] = '\0';
    page_begin(out, title.data, line.data, !has_failures(job->options, SEVERITY_ERROR, verdict->findings),
               sections, n);
    report_say_asked(job, verdict, out);
    report_put_figures(verdict, out);
    report_say_absent(job, has, out);
    report_put_findings(verdict, out);
    if (has[PART_NETWORK])
        report_put_network(job, out);
    if (has[PART_TIME])
        report_put_charts(job, verdict, out);
    if (has[PART_FAILURES])
        report_sweep_failures(job, verdict, out);
    page_end(out, "collc " COLLC_VERSION);
    page->is_shown = true;
    text_free(&title);
    text_free(&line);
}

int command_report(const struct options *options)
{
    struct report_page page = {.is_shown = false};
    const int status = verify_and_show(options, report_show, &page);
    if (page.is_shown && status != STATUS_FAILED)
        output_text(options->output, &page.out);
    text_free(&page.out);
    return status;
}
