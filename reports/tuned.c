/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See tuned.h.
 */
#include "reports/tuned.h"

#include "base/quantity.h"
#include "reports/model_table.h"

/* Prints what the second series says. */
static void again_text(const struct decision *decision, struct text *out)
{
    if (decision->repeated.algorithm)
        text_printf(out, ", again %.2f, p %.4f%s", decision->again_ratio, decision->again_p,
                    decision->choice.algorithm ? "" : ": does not come again");
    else if (decision->choice.algorithm)
        text_printf(out, ", not measured again");
}

static void decision_text(const struct table_loader *loader, const struct decision *decision,
                          struct text *out)
{
    struct text stands = {0}, tested = {0}, size = {0};
    const bool is_tested = decision->candidate.algorithm && decision->n_launches;
    print_size(decision->point.bytes, &size);
    table_choice_text(&decision->choice, &stands);
    text_printf(out, "%-12s %5u %8s  %-38s ", loader->collectives[decision->point.collective],
                decision->point.n_ranks, size.data, stands.data);
    if (is_tested) {
        print_time(decision->time, &tested);
        text_printf(&tested, " instead of ");
        print_time(decision->default_time, &tested);
        text_printf(out, "%s, ratio %.2f, p %.4f", tested.data, decision->ratio, decision->p);
        again_text(decision, out);
        if (decision->spread > 0)
            text_printf(out, "; launches of the default differ %.2f times", decision->spread);
        if (!decision->choice.algorithm) {
            text_printf(out, ": ");
            table_choice_text(&decision->candidate, out);
        }
    } else {
        text_printf(out, "nothing was faster");
    }
    text_printf(out, "\n");
    text_free(&stands);
    text_free(&tested);
    text_free(&size);
}

static void print_summary(const struct tuned *tuned, struct text *out)
{
    size_t n = 0;
    double least = 1;
    for (size_t i = 0; i < tuned->n; i++) {
        const struct decision *decision = &tuned->decisions[i];
        n += decision->choice.algorithm != NULL;
        if (decision->choice.algorithm && decision->ratio < least)
            least = decision->ratio;
    }
    if (n)
        text_printf(out,
                    "rules for %zu of %zu points, which take down to %.0f %% of the time of the default\n", n,
                    tuned->n, least * 100);
    else
        text_printf(out,
                    "nothing is significantly faster than the default, which stands for all %zu point%s\n",
                    tuned->n, plural(tuned->n));
}

void tuned_text(const struct table_loader *loader, const struct tuned *tuned, struct text *out)
{
    text_printf(out, "%-12s %5s %8s  %-38s %s\n", "collective", "ranks", "bytes", "stands", "measured");
    for (size_t i = 0; i < tuned->n; i++)
        decision_text(loader, &tuned->decisions[i], out);
    print_summary(tuned, out);
}

static void checked_line(const struct table_loader *loader, const struct decision *decision,
                         struct text *out)
{
    struct text rule = {0}, size = {0};
    print_size(decision->point.bytes, &size);
    table_choice_text(&decision->candidate, &rule);
    text_printf(out, "%-12s %5u %8s  %-38s %-13s  ", loader->collectives[decision->point.collective],
                decision->point.n_ranks, size.data, rule.data,
                decision->choice.algorithm ? "holds" : "does not hold");
    print_time(decision->time, out);
    text_printf(out, " instead of ");
    print_time(decision->default_time, out);
    text_printf(out, ", ratio %.2f, p %.4f; launches of the default differ %.2f times\n",
                decision->again_ratio, decision->again_p, decision->spread);
    text_free(&rule);
    text_free(&size);
}

size_t checked_text(const struct table_loader *loader, const struct tuned *tuned, struct text *out)
{
    size_t n = 0;
    text_printf(out, "%-12s %5s %8s  %-38s %-13s  %s\n", "collective", "ranks", "bytes", "rule", "",
                "measured");
    for (size_t i = 0; i < tuned->n; i++) {
        checked_line(loader, &tuned->decisions[i], out);
        n += !tuned->decisions[i].choice.algorithm;
    }
    text_printf(out, "%zu of %zu rules hold at these sizes\n", tuned->n - n, tuned->n);
    return n;
}
