/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports text that a rule file's loader reads otherwise than people do: digits that people do not take
 * for numbers, and counts that are wrong.
 */
#include "tables/ompi/lint.h"

#include <string.h>

static bool begins_with_header(const struct source *source)
{
    static const char header[] = "rule-file-version-";
    return strncmp(source->text, header, strlen(header)) == 0;
}

void ompi_lint_ignored(const struct ompi_table *of, struct diagnostics *findings)
{
    const struct table *table = &of->table;
    if (!table->ignored)
        return;
    if (table->ends_program) {
        report(findings, CODE_B021, table->ignored_at, "the program ends: %s", table->ignored);
        return;
    }
    struct diagnostic *finding =
        report(findings, CODE_B001, table->ignored_at, "the whole file is ignored: %s", table->ignored);
    const char *cause = "mend it";
    if (!of->version->has_header && begins_with_header(table->source))
        cause = "take the header away, and the fifth number of each row: they are for Open MPI 5.0.7";
    else if (strstr(table->ignored, "the file ends"))
        cause = "compare the counts with what follows them: one announces more than there is";
    else if (strstr(table->ignored, "first message size"))
        cause = "put a row for size 0 first, '0 0 0 0' to leave it to the fixed decisions";
    finding->help = diagnostics_text(
        findings, "%s; until then %s uses its fixed decisions for every collective%s", cause,
        of->version->title, of->version->takes_first ? "" : ", and says nothing of it");
}

/* Returns the word around a number, for a message. */
static const char *word_around(const struct ompi_table *of, const struct ompi_number *number,
                               struct diagnostics *findings)
{
    static const char blanks[] = " \t\r\n\v\f#";
    enum { MAX_WORD = 40 };
    const char *start = number->text, *end = number->text + number->length;
    while (start > of->table.source->text && !strchr(blanks, start[-1]) && number->text - start < MAX_WORD)
        start--;
    while (*end && !strchr(blanks, *end) && end - start < MAX_WORD)
        end++;
    struct text safe = {0};
    const char *word = diagnostics_text(findings, "%.*s", (int)(end - start), start);
    text_append_safe(&safe, word);
    word = diagnostics_text(findings, "%s", safe.data);
    text_free(&safe);
    return word;
}

static void lint_number(const struct ompi_table *of, const struct ompi_number *number,
                        struct diagnostics *findings)
{
    if (number->base != 10 && number->value >= 0)
        report(findings, CODE_B002, ompi_at(of, number), "'%.*s' is %s: it is read as %lld",
               (int)number->length, number->text, number->base == 8 ? "octal" : "hexadecimal",
               (long long)number->value)
            ->help = "write it in decimal, without a leading 0";
    if (number->is_glued && number->value >= 0)
        report(findings, CODE_B003, ompi_at(of, number), "the digits in '%s' are read as the number %lld",
               word_around(of, number, findings), (long long)number->value)
            ->help = "put a '#' before words, and write sizes in bytes, without a unit";
}

void ompi_lint_numbers(const struct ompi_table *of, struct diagnostics *findings)
{
    struct ompi_numbers numbers;
    struct ompi_number number;
    uint64_t version;
    ompi_numbers_open(&numbers, of->table.source);
    if (of->version->has_header)
        ompi_numbers_version(&numbers, &version);
    for (size_t i = 0; i < of->n_numbers && ompi_number_next(&numbers, &number); i++)
        lint_number(of, &number, findings);
}

/* Reports a row that begins within a line and ends on another: counts or numbers of rows are shifted from
 * their intended places. One report suffices. */
void ompi_lint_lines(const struct ompi_table *of, struct diagnostics *findings)
{
    for (size_t i = 1; i < of->n_rows; i++) {
        const struct ompi_row *row = &of->rows[i], *before = &of->rows[i - 1];
        const struct ompi_number *first = &row->numbers[0], *last = &row->numbers[row->n_numbers - 1];
        if (before->numbers[before->n_numbers - 1].line != first->line || first->line == last->line)
            continue;
        struct diagnostic *finding =
            report(findings, CODE_B005, ompi_at(of, first),
                   "a row begins with the %.*s here, and ends on line %u",
                   (int)first->length, first->text, last->line);
        finding->help = diagnostics_text(
            findings, "line ends mean nothing: %s takes %s numbers for a row%s", of->version->title,
            of->file_version > 1 ? "four or five" : "four",
            of->version->has_header && of->file_version < 2
                ? ", five only if the file begins with 'rule-file-version-2'" : "");
        return;
    }
}
