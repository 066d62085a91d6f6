/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks for what a table of a library says and does not mean.
 */
#include "tables/library/library.h"

#include "base/codes.h"
#include "ir/collective.h"

#include <ctype.h>

/* Returns the built-in algorithm COLLECTIVE/NAME, or NULL. */
static const struct embedded_file *lint_find_file(const char *collective, struct collc_word name)
{
    struct text path = {0};
    const struct embedded_file *found = NULL;
    text_printf(&path, "compiler/algorithms/%s/%.*s.coll", collective, (int)name.length, name.text);
    for (size_t i = 0; !found && i < n_embedded_files; i++)
        if (strcmp(embedded_files[i].path, path.data) == 0)
            found = &embedded_files[i];
    text_free(&path);
    return found;
}

const struct embedded_file *library_file(const char *name, struct collc_word algorithm)
{
    enum collective_form form = FORM_EQUAL;
    const struct embedded_file *file = lint_find_file(name, algorithm);
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    return file || form == FORM_EQUAL ? file : lint_find_file(collective_table[collective].name, algorithm);
}

bool library_takes(const struct embedded_file *file, struct collc_word parameter)
{
    const struct slice head = library_head(file);
    for (size_t i = 0, n; i < head.length; i += n ? n : 1) {
        const char *at = head.text + i;
        for (n = 0; i + n < head.length && (isalnum((unsigned char)at[n]) || at[n] == '_');)
            n++;
        if (n == parameter.length && memcmp(at, parameter.text, n) == 0)
            return true;
    }
    return false;
}

/* Reports a parameter that the algorithm has not; file NULL: it is the MPI's. */
static void lint_refuse_parameter(const struct table *table, const struct collc_rule *rule, int i,
                                  const struct embedded_file *file, struct diagnostics *findings)
{
    const struct slice head = file ? library_head(file) : (struct slice){"", 0};
    report(findings, CODE_B001, library_position(table, rule->parameter[i]),
           "the library is off: '%.*s' has no parameter '%.*s'", (int)rule->algorithm.length,
           rule->algorithm.text, (int)rule->parameter[i].length, rule->parameter[i].text)
        ->help = file ? diagnostics_text(findings, "it is %.*s", (int)head.length, head.text) : "leave it";
}

const char *library_own_fault(const char *collective, struct collc_word path,
                              const struct embedded_file *file, struct arena *arena, const char **help)
{
    const struct collc_word name = collc_algorithm_name(path);
    struct slice head, first;
    *help = "its path is from the folder of the table";
    if (!file)
        return "cannot be read";
    head = library_head(file);
    head = slice_take_until(&head, '(');
    first = slice_take_word(&head);
    head = slice_take_word(&head);
    *help = arena_printf(arena, "it begins with '%.*s'", (int)first.length, first.text);
    if (!slice_is(first, collective))
        return arena_printf(arena, "is no algorithm of %s", collective);
    *help = arena_printf(arena, "a library knows it by the name of its file: call that %.*s.coll",
                         (int)head.length, head.text);
    if (slice_compare(head, (struct slice){name.text, name.length}) != 0)
        return arena_printf(arena, "has the algorithm '%.*s'", (int)head.length, head.text);
    *help = "give this one, and its file, another name";
    if (library_file(collective, name))
        return arena_printf(arena, "has the name of a built-in algorithm, '%.*s'", (int)name.length, name.text);
    return NULL;
}

/* Reports what is wrong with a file of the site's own; NULL: it cannot be read. */
static void library_lint_own(const struct table *table, const struct collc_rule *rule,
                             const struct embedded_file *file, struct diagnostics *findings)
{
    const uint32_t collective = table->rules[rule - library_table_of(table)->read.items].collective;
    const char *help;
    const char *fault = library_own_fault(table->loader->collectives[collective], rule->algorithm, file,
                                          &findings->arena, &help);
    if (fault)
        report(findings, CODE_B010, library_position(table, rule->algorithm), "'%.*s' %s",
               (int)rule->algorithm.length, rule->algorithm.text, fault)
            ->help = help;
}

/* Judges the algorithm of a rule and its parameters. */
static void library_lint_algorithm(const struct table *table, size_t which, struct diagnostics *findings)
{
    const struct collc_rule *rule = &library_table_of(table)->read.items[which];
    const bool is_mpi = collc_is_word(rule->algorithm, "mpi");
    if (rule->is_had && (collc_is_word(rule->algorithm, "*") || collc_is_word(rule->collective, "*")))
        return;
    const struct embedded_file *file = is_mpi ? NULL : library_table_of(table)->files[which];
    if (collc_is_file(rule->algorithm))
        library_lint_own(table, rule, file, findings);
    else if (!is_mpi && !file)
        report(findings, CODE_B010, library_position(table, rule->algorithm),
               "%.*s has no built-in algorithm '%.*s'", (int)rule->collective.length, rule->collective.text,
               (int)rule->algorithm.length, rule->algorithm.text)
            ->help = diagnostics_text(findings, "'collc algorithms %.*s' lists them",
                                      (int)rule->collective.length, rule->collective.text);
    for (int i = 0; i < rule->n_parameters && (file || is_mpi); i++)
        if (is_mpi || !library_takes(file, rule->parameter[i]))
            lint_refuse_parameter(table, rule, i, file, findings);
        else if (rule->value[i] < 1 && collc_is_word(rule->parameter[i], "segments"))
            report(findings, CODE_B014, library_position(table, rule->parameter[i]),
                   "data are cut into one segment or more: the MPI gets these calls")
                ->help = "write segments=1, or leave it";
}

/* True if `outer` has all calls of `inner`. */
static bool lint_covers(const struct collc_rule *outer, const struct collc_rule *inner)
{
    for (int key = 0; key < collc_n_keys; key++)
        if (outer->range[key].first > inner->range[key].first ||
            outer->range[key].last < inner->range[key].last)
            return false;
    return true;
}

/* Reports a rule that never acts. O(rules) for each. */
static void library_lint_hidden(const struct table *table, size_t which, struct diagnostics *findings)
{
    const struct collc_rule *items = library_table_of(table)->read.items;
    for (size_t i = 0; i < which; i++) {
        if (items[i].is_had || table->rules[i].collective != table->rules[which].collective ||
            !lint_covers(&items[i], &items[which]))
            continue;
        struct diagnostic *finding =
            report(findings, CODE_B009, library_position(table, items[which].algorithm),
                   "the rule never acts: the one of line %d has all its calls", items[i].line);
        finding->help = "let the narrower rule come first";
        return;
    }
}

/* Reports conditions that no call of the collective meets. */
static void library_lint_keys(const struct table *table, size_t which, struct diagnostics *findings)
{
    enum collective_form form = FORM_EQUAL;
    const struct collc_rule *rule = &library_table_of(table)->read.items[which];
    const char *name = table->loader->collectives[table->rules[which].collective];
    const enum collective collective = collective_find_form(name, strlen(name), &form);
    if (!library_is_sized(name) && collc_asks(rule, collc_key_bytes))
        report(findings, CODE_B023, library_position(table, rule->algorithm),
               collective_has_data(collective) ? "the rule never acts: no rank of %s knows the bytes of all"
                                               : "the rule never acts: %s has no bytes",
               name)
            ->help = "leave 'bytes='";
    if (!collective_table[collective].reduces &&
        (collc_asks(rule, collc_key_exact) || rule->range[collc_key_commutes].last == 0 ||
         rule->range[collc_key_commutes].first > 0))
        report(findings, CODE_B023, library_position(table, rule->algorithm),
               "the rule never acts: %s has no operation", name)
            ->help = "leave 'commutes=' and 'exact='";
}

static void lint_report_collective(const struct table *table, const struct collc_rule *rule,
                                   struct diagnostics *findings)
{
    const char *near = collective_nearest(rule->collective.text, rule->collective.length);
    const bool is_known = near && collc_is_word(rule->collective, near);
    struct diagnostic *finding =
        report(findings, CODE_B010, library_position(table, rule->collective), "'%.*s' is no collective%s",
               (int)rule->collective.length, rule->collective.text, is_known ? " of libraries" : "");
    finding->help = is_known ? "libraries leave it to the MPI"
                    : near   ? diagnostics_text(findings, "did you mean '%s'?", near)
                         : "write it as MPI does, in small letters: 'alltoall', 'bcast'";
}

void library_lint(const struct table *table, struct diagnostics *findings)
{
    const struct library_table *of = library_table_of(table);
    if (table->ignored)
        report(findings, CODE_B001, table->ignored_at, "the library is off: %s", table->ignored)->help =
            of->remedy;
    for (size_t i = 0; i < of->read.n; i++) {
        const struct collc_rule *rule = &of->read.items[i];
        const bool is_any = rule->is_had && collc_is_word(rule->collective, "*");
        if (!is_any && table->rules[i].collective == table->loader->n_collectives) {
            lint_report_collective(table, rule, findings);
            continue;
        }
        library_lint_algorithm(table, i, findings);
        if (rule->is_had)
            continue;
        library_lint_hidden(table, i, findings);
        library_lint_keys(table, i, findings);
    }
}
