/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See adaptive.h.
 */
#include "study/adaptive.h"

#include "base/codes.h"

void adaptive_prepare(struct verify_request *request, struct load_ranges *ranges)
{
    *ranges = load_ranges_new(request->topology, request->placement);
    request->watch = load_ranges_see;
    request->watch_context = ranges;
    request->least = (struct least_load){.kind = NULL};
    request->limits.max_link_load.is_set = request->limits.max_contended_steps.is_set = false;
}

/* A count that has a limit, as a range. */
struct limited {
    uint32_t code;
    const struct limit *limit;
    double certain, possible;
    const char *what;
};

static void judge_limited(const struct limited *limited, const struct source *source,
                          struct diagnostics *findings)
{
    const double limit = limited->limit->most;
    const bool is_certain = limited->certain > limit;
    if (!limited->limit->is_set || limited->possible <= limit)
        return;
    if (is_certain)
        report(findings, limited->code, (struct position){.source = source},
               "%.10g or more %s, whatever the switches choose, the limit is %.10g", limited->certain,
               limited->what, limit)
            ->help = "another algorithm, placement or step order may keep these messages apart";
    else
        report(findings, CODE_L007, (struct position){.source = source},
               "up to %.10g %s, by the worst choices of the switches, the limit is %.10g", limited->possible,
               limited->what, limit)
            ->help = "adaptive routing may keep these messages apart, and does not promise it";
}

void adaptive_judge(const struct load_ranges *ranges, const struct verify_limits *limits,
                    const struct source *source, struct verify_report *report, struct diagnostics *findings)
{
    const struct limited counts[] = {{CODE_L001, &limits->max_link_load, load_ranges_least(&ranges->worst),
                                      ranges->worst.most, "messages on a link in a step"},
                                     {CODE_L005, &limits->max_contended_steps, (double)ranges->n_certain,
                                      (double)ranges->n_possible,
                                      "steps in which messages of two or more servers share a link"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        judge_limited(&counts[i], source, findings);
    report->has_network = false;
}
