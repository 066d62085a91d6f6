/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See reproducible.h.
 */
#include "reports/reproducible.h"

#include "reports/record.h"

/* A question, by its name in both forms. */
struct question {
    const char *name;
    const struct dependence *answer;
};

enum { N_QUESTIONS = 3 };

static void list_questions(const struct reproducibility *reproducibility,
                           struct question questions[N_QUESTIONS])
{
    questions[0] = (struct question){"ranks", &reproducibility->ranks};
    questions[1] = (struct question){"segments", &reproducibility->segments};
    questions[2] = (struct question){"placement", &reproducibility->placement};
}

static void print_answer(const struct question *question, struct text *out)
{
    text_printf(out, "    %-9s ", question->name);
    switch (question->answer->known) {
    case DEPENDENCE_UNKNOWN: text_printf(out, "unknown: there is nothing to compare it with\n"); break;
    case DEPENDENCE_NONE: text_printf(out, "same bits\n"); break;
    case DEPENDENCE_FOUND:
        text_printf(out, "other bits: ");
        text_append_safe(out, question->answer->witness);
        text_printf(out, "\n");
        break;
    }
}

void reproducibility_text(const struct reproducibility *reproducibility, struct text *out)
{
    struct question questions[N_QUESTIONS];
    if (!reproducibility->combines) {
        text_printf(out, "  reproducible: nothing is combined\n");
        return;
    }
    if (!reproducibility->fewest) {
        text_printf(out, "  reproducible: unknown, as there was no complete result to look at\n");
        return;
    }
    text_printf(out, "  reproducible");
    if (reproducibility->fewest < reproducibility->most)
        text_printf(out, ", tried with %u to %u ranks", reproducibility->fewest, reproducibility->most);
    else
        text_printf(out, ", tried with %u ranks", reproducibility->fewest);
    text_printf(out, "\n");
    list_questions(reproducibility, questions);
    for (int i = 0; i < N_QUESTIONS; i++)
        print_answer(&questions[i], out);
}

#include "reports/reproducible.def"
