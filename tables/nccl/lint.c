/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of tables in CSV.
 */
#include "base/codes.h"
#include "base/suggest.h"
#include "tables/nccl/nccl.h"

#include <string.h>

static struct position at_field(const struct nccl_table *of, const struct nccl_row *row, unsigned field)
{
    return slice_position(of->table.source, row->fields[field]);
}

/* ---- lines ---- */

static void lint_line(const struct nccl_table *of, size_t i, struct diagnostics *findings)
{
    const struct nccl_line *line = &of->lines[i];
    const struct nccl_row *row = &of->rows[i];
    const struct position at = slice_position(of->table.source, line->text);
    if (line->is_cut)
        report(findings, CODE_B033, at,
               "the line is longer than 255 bytes: what is behind them is read as the next "
               "line");
    if (line->has_empty)
        report(findings, CODE_B033, at,
               "commas beside each other count as one: the fields behind them move up")
            ->help = "write -1 for any";
    if (line->has_more)
        report(findings, CODE_B004, at, "fields behind the tenth are not read");
    if (row->n_fields && row->n_fields < LEAST_FIELDS)
        report(findings, CODE_B004, at, "the line has %u fields of at least %d: it is not read",
               row->n_fields, LEAST_FIELDS);
}

/* ---- words and numbers ---- */

static void lint_word(const struct nccl_table *of, const struct nccl_row *row, unsigned field,
                      bool is_known, const char *const *names, size_t n, const char *otherwise,
                      struct diagnostics *findings)
{
    if (is_known)
        return;
    const struct slice word = row->fields[field];
    struct diagnostic *finding =
        report(findings, CODE_B010, at_field(of, row, field), "%s has no '%.*s': %s", of->version->title,
               (int)(word.length < 40 ? word.length : 40), word.text,
               of->version->skips_unknown ? "the row is left out" : otherwise);
    finding->help = did_you_mean(&findings->arena, nearest(word.text, word.length, names, n), NULL);
}

static bool is_whole_number(struct slice word)
{
    const bool is_negative = word.length && *word.text == '-';
    size_t n = is_negative;
    while (n < word.length && text_is_digit(word.text[n]))
        n++;
    const bool has_return = n + 1 == word.length && word.text[n] == '\r';
    return n > is_negative && (n == word.length || has_return);
}

static void nccl_lint_numbers(const struct nccl_table *of, const struct nccl_row *row,
                              struct diagnostics *findings)
{
    for (unsigned i = 0; i < row->n_fields; i++) {
        if (i == FIELD_COLLECTIVE || i == FIELD_ALGORITHM || i == FIELD_PROTOCOL ||
            is_whole_number(row->fields[i]))
            continue;
        const int64_t value = nccl_number(row->fields[i]);
        report(findings, CODE_B027, at_field(of, row, i), "it is read as %lld", (long long)value)->help =
            "write decimal digits alone: no units";
    }
    if (row->channels == -1 && !of->version->has_default)
        report(findings, CODE_B032, at_field(of, row, FIELD_CHANNELS),
               "-1 channels are one channel here: the plugin sets "
               "1 before it looks for a row")
            ->help = "write 0, which NCCL takes for its own choice, or a number";
}

/* ---- rows beside each other ---- */

static bool is_same_call(const struct nccl_row *a, const struct nccl_row *b)
{
    return a->rule.collective == b->rule.collective && a->nodes == b->nodes && a->ranks == b->ranks &&
           a->pipe_ops == b->pipe_ops && a->registered == b->registered;
}

/* True if a fits every call that b fits. */
static bool is_wider(const struct nccl_row *a, const struct nccl_row *b)
{
    return a->rule.collective == b->rule.collective && (a->nodes == -1 || a->nodes == b->nodes) &&
           (a->ranks == -1 || a->ranks == b->ranks) && (a->pipe_ops == -1 || a->pipe_ops == b->pipe_ops) &&
           (a->registered == -1 || a->registered == b->registered);
}

static bool nccl_lint_acts(const struct nccl_row *row)
{
    return row->is_read && nccl_can_act(row->rule.collective, row->algorithm) &&
           row->rule.keys.first <= row->rule.keys.last;
}

/* True if rows before it have all its calls; combines up to MAX_STEPS adjacent rows. */
static bool nccl_lint_is_hidden(const struct nccl_table *of, size_t which)
{
    const struct nccl_row *row = &of->rows[which];
    enum { MAX_STEPS = 64 };
    uint64_t at = row->rule.keys.first;
    unsigned n_steps = 0;
    for (size_t i = 0; i < which && n_steps < MAX_STEPS;) {
        const struct nccl_row *other = &of->rows[i++];
        if (!nccl_lint_acts(other) || !is_wider(other, row) || !span_has(other->rule.keys, at))
            continue;
        if (other->rule.keys.last >= row->rule.keys.last)
            return true;
        at = other->rule.keys.last + 1;
        n_steps++;
        i = 0;
    }
    return false;
}

static void lint_acting(const struct nccl_table *of, size_t i, struct diagnostics *findings)
{
    const struct nccl_row *row = &of->rows[i];
    if (!row->is_read)
        return;
    const struct position at = at_field(of, row, FIELD_COLLECTIVE);
    if (!nccl_can_act(row->rule.collective, row->algorithm))
        report(findings, CODE_B009, at_field(of, row, FIELD_ALGORITHM),
               "the row never acts: there is no %s for %s", nccl_algorithm_names[row->algorithm],
               nccl_collective_names[row->rule.collective]);
    else if (row->rule.keys.first > row->rule.keys.last)
        report(findings, CODE_B009, at, "the row never acts: its sizes end before they begin");
    else if (nccl_lint_is_hidden(of, i))
        report(findings, CODE_B009, at, "the row never acts: rows before it have all its calls");
}

/* Returns the next row for the same calls behind `i`, or NULL. */
static const struct nccl_row *next_alike(const struct nccl_table *of, size_t i)
{
    for (size_t j = i + 1; j < of->n_rows; j++)
        if (nccl_lint_acts(&of->rows[j]) && is_same_call(&of->rows[i], &of->rows[j]))
            return &of->rows[j];
    return NULL;
}

static bool has_byte(const struct nccl_table *of, const struct nccl_row *row, uint64_t byte)
{
    for (size_t i = 0; i < of->n_rows; i++)
        if (nccl_lint_acts(&of->rows[i]) && is_wider(&of->rows[i], row) &&
            span_has(of->rows[i].rule.keys, byte))
            return true;
    return false;
}

static void nccl_lint_gap(const struct nccl_table *of, size_t i, struct diagnostics *findings)
{
    const struct nccl_row *row = &of->rows[i];
    const uint64_t last = row->rule.keys.last;
    if (!nccl_lint_acts(row) || last == UINT64_MAX || has_byte(of, row, last + 1))
        return;
    report(findings, CODE_B030, at_field(of, row, FIELD_LAST), "no row for %s from %llu bytes on%s",
           nccl_collective_names[row->rule.collective], (unsigned long long)last + 1,
           of->version->has_default ? ": the library chooses"
                                    : ": the library chooses, and takes one channel")
        ->help = "end the last row with 18446744073709551615";
}

/* Reports a choice between two that are equal and differ from it. */
static void lint_flip(const struct nccl_table *of, size_t i, struct diagnostics *findings)
{
    const struct nccl_row *a = &of->rows[i], *b = nccl_lint_acts(a) ? next_alike(of, i) : NULL;
    const struct nccl_row *c = b ? next_alike(of, (size_t)(b - of->rows)) : NULL;
    if (!c || b->rule.keys.first != a->rule.keys.last + 1 || c->rule.keys.first != b->rule.keys.last + 1)
        return;
    const bool is_back =
        a->algorithm == c->algorithm && a->protocol == c->protocol && a->channels == c->channels;
    const bool is_other =
        a->algorithm != b->algorithm || a->protocol != b->protocol || a->channels != b->channels;
    if (is_back && is_other)
        report(findings, CODE_B034, at_field(of, b, FIELD_ALGORITHM),
               "rows before and behind it choose alike, and it "
               "does not")
            ->help = "measurements that differ by their noise alone give such rows: repeat this one";
}

/* True if no field of the line is a word or a number that its column takes: names of columns. */
static bool is_header(const struct nccl_row *row)
{
    bool has_known = row->is_known[0] || row->is_known[1] || row->is_known[2];
    for (unsigned i = 0; i < row->n_fields && !has_known; i++)
        has_known = is_whole_number(row->fields[i]);
    return row->n_fields >= LEAST_FIELDS && !has_known;
}

static void lint_header(const struct nccl_table *of, const struct nccl_row *row, struct diagnostics *findings)
{
    report(findings, CODE_B033, at_field(of, row, FIELD_COLLECTIVE),
           of->version->skips_unknown ? "the names of the columns are read as a row, which is left out"
                                      : "the names of the columns are read as a row, which never acts")
        ->help = "write '#' before them";
}

void nccl_lint(const struct table *table, struct diagnostics *findings)
{
    const struct nccl_table *of = nccl_table_of(table);
    if (of->forced)
        nccl_lint_settings(of, findings);
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct nccl_row *row = &of->rows[i];
        if (is_header(row)) {
            lint_header(of, row, findings);
            continue;
        }
        lint_line(of, i, findings);
        if (row->n_fields < LEAST_FIELDS)
            continue;
        lint_word(of, row, FIELD_COLLECTIVE, row->is_known[0], nccl_collective_names, NCCL_N_COLLECTIVES,
                  "it is read as allreduce", findings);
        lint_word(of, row, FIELD_ALGORITHM, row->is_known[1], nccl_algorithm_names, NCCL_N_ALGORITHMS,
                  "it is read as ring", findings);
        lint_word(of, row, FIELD_PROTOCOL, row->is_known[2], nccl_protocol_names, NCCL_N_PROTOCOLS,
                  "it is read as simple", findings);
        nccl_lint_numbers(of, row, findings);
        lint_acting(of, i, findings);
        nccl_lint_gap(of, i, findings);
        lint_flip(of, i, findings);
    }
}
