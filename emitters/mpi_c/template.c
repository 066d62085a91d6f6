/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies the files of runtime/ into emitted C: without their heads, and without the lines whose `#if`
 * does not hold. A condition is made of names (features.def), &&, ||, ! and parentheses; an unknown name
 * is our mistake. `#ifdef` and `#ifndef` are left to the C compiler, like other lines. Words that begin
 * with COLLC_ and have a text in the unit (c_unit_text) are replaced by it.
 *
 * A file of several algorithms has everything that one of them needs. Outside of functions the first branch
 * of an `#if` that some algorithm takes stands for all, so the most general one must come first. In a
 * function a branch that only some take becomes an `if` on the traits of the call, `run->has`. ANY(NAME) in a
 * condition is true for all if it is for one: for what does no harm to the others.
 */
#include "emitters/mpi_c/mpi_c.h"

#include "base/embedded.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- conditions ---------------------------------------------------------- */

struct condition {
    const struct c_set *set;
    const struct c_unit *unit;
    const char *at;
};

static bool either(struct condition *condition);

static bool template_take(struct condition *condition, const char *word)
{
    condition->at += strspn(condition->at, " ");
    if (strncmp(condition->at, word, strlen(word)) != 0)
        return false;
    condition->at += strlen(word);
    return true;
}

static size_t template_word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

/* Evaluates the condition in parentheses for all algorithms of the file. */
static bool template_any(struct condition *condition)
{
    struct condition of = *condition;
    bool value = false;
    for (size_t i = 0; i < condition->set->n; i++) {
        of.unit = condition->set->units[i];
        of.at = condition->at;
        value = either(&of) || value;
    }
    condition->at = of.at;
    return value;
}

static bool primary(struct condition *condition)
{
    if (template_take(condition, "!"))
        return !primary(condition);
    const bool is_any = template_take(condition, "ANY(");
    if (is_any || template_take(condition, "(")) {
        const bool value = is_any ? template_any(condition) : either(condition);
        assert(*condition->at == ')');
        condition->at++;
        return value;
    }
    const char *name = condition->at;
    condition->at += template_word_length(name);
    return c_unit_has(condition->unit, name, template_word_length(name));
}

static bool both(struct condition *condition)
{
    bool value = primary(condition);
    while (template_take(condition, "&&"))
        value = primary(condition) && value;
    return value;
}

static bool either(struct condition *condition)
{
    bool value = both(condition);
    while (template_take(condition, "||"))
        value = both(condition) || value;
    return value;
}

static bool template_holds(const struct c_set *set, const struct c_unit *unit, const char *text)
{
    struct condition condition = {set, unit, text};
    const bool value = either(&condition);
    assert(*condition.at == '\n');
    return value;
}

/* Prints a condition as C asks it of a call. */
static void template_print_condition(const struct c_set *set, const char *text, struct text *out)
{
    while (*text != '\n') {
        const size_t length = template_word_length(text);
        if (strncmp(text, "ANY(", 4) == 0) {
            struct condition any = {set, NULL, text + 4};
            text_printf(out, "%d", template_any(&any));
            text = any.at + 1;
            continue;
        }
        if (length)
            c_trait(set, text, length, out);
        else
            text_append(out, text, 1);
        text += length ? length : 1;
    }
}

/* --- lines --------------------------------------------------------------- */

enum { MAX_DEPTH = 16, INDENT = 4 };

/* The `#if`s around a line. */
struct nest {
    struct {
        bool is_theirs;     /* left to the C compiler */
        bool is_on;         /* the branch is printed */
        bool is_asked;      /* by an `if` of C */
        bool is_over;       /* an earlier branch stands for all */
        bool has_others;    /* it has several branches */
        bool *takes, *left; /* [unit] true if it takes the branch; if it has taken none */
        bool *inside;       /* [unit] true if it may come to the lines of the branch */
        size_t column;      /* of its `if` */
    } level[MAX_DEPTH];
    int depth, n_asked;
    bool is_in_function;
};

static bool template_is_on(const struct nest *nest)
{
    for (int i = 0; i < nest->depth; i++)
        if (!nest->level[i].is_theirs && !nest->level[i].is_on)
            return false;
    return true;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Returns the column of the first line of C behind the directive. */
static size_t template_column(const char *line)
{
    do
        line = strchr(line, '\n') + 1;
    while (*line == '#' || *line == '\n');
    return strspn(line, " ");
}

/* True if the `#if` has an `#else` or `#elif`. */
static bool template_has_others(const char *line)
{
    int depth = 1;
    while (depth > 0) {
        line = strchr(line, '\n') + 1;
        if (begins(line, "#if"))
            depth++;
        else if (begins(line, "#endif"))
            depth--;
        else if (depth == 1 && begins(line, "#el"))
            return true;
    }
    return false;
}

/* Opens a level. Its units are those that may come to this line. */
static void template_open(struct nest *nest, const struct c_set *set, const char *line)
{
    bool *units = mem_alloc(3 * set->n, sizeof *units);
    assert(nest->depth < MAX_DEPTH);
    int outer = nest->depth - 1;
    while (outer >= 0 && nest->level[outer].is_theirs)
        outer--;
    for (size_t i = 0; i < set->n; i++)
        units[set->n + i] = units[2 * set->n + i] = outer < 0 || nest->level[outer].inside[i];
    memset(&nest->level[nest->depth], 0, sizeof nest->level[0]);
    nest->level[nest->depth].column = template_column(line) + (size_t)nest->n_asked * INDENT;
    nest->level[nest->depth].has_others = template_has_others(line);
    nest->level[nest->depth].takes = units;
    nest->level[nest->depth].left = units + set->n;
    nest->level[nest->depth++].inside = units + 2 * set->n;
}

/* Begins a branch of the innermost level; `text` is its condition, NULL for `#else`. */
static void template_branch(struct nest *nest, const struct c_set *set, const char *text, struct text *out)
{
    const int last = nest->depth - 1;
    const bool was_asked = nest->level[last].is_asked;
    bool *takes = nest->level[last].takes, *left = nest->level[last].left;
    size_t n_taking = 0, n_left = 0;
    for (size_t i = 0; i < set->n; i++) {
        takes[i] = left[i] && (!text || template_holds(set, set->units[i], text));
        left[i] = left[i] && !takes[i];
        if (nest->is_in_function || !nest->level[last].has_others)
            nest->level[last].inside[i] = takes[i]; /* else the others call the function as well */
        n_taking += takes[i];
        n_left += left[i];
    }
    nest->level[last].is_on = !nest->level[last].is_over && n_taking > 0;
    if (!nest->level[last].is_on || !template_is_on(nest))
        return;
    if (!nest->is_in_function || (n_left == 0 && !was_asked)) {
        nest->level[last].is_over = true;
        return;
    }
    text_printf(out, "%*s%s", (int)nest->level[last].column, "", was_asked ? "} else " : "");
    nest->level[last].is_asked = true;
    nest->n_asked += !was_asked;
    if (n_left > 0) {
        text_printf(out, "if (");
        template_print_condition(set, text, out);
        text_printf(out, ") ");
    }
    text_printf(out, "{\n");
}

/* Follows a directive of ours. Returns false for other lines. */
static bool template_follow(struct nest *nest, const struct c_set *set, const char *line, struct text *out)
{
    if (begins(line, "#if")) {
        template_open(nest, set, line);
        if (begins(line, "#if "))
            template_branch(nest, set, line + 4, out);
        else
            nest->level[nest->depth - 1].is_theirs = true;
        return begins(line, "#if ");
    }
    const bool is_else = begins(line, "#else"), is_elif = begins(line, "#elif ");
    if (!is_else && !is_elif && !begins(line, "#endif"))
        return false;
    assert(nest->depth > 0);
    const int last = nest->depth - 1;
    const bool is_theirs = nest->level[last].is_theirs;
    if (is_else || is_elif) {
        if (!is_theirs)
            template_branch(nest, set, is_else ? NULL : line + 6, out);
        return !is_theirs;
    }
    if (nest->level[last].is_asked)
        text_printf(out, "%*s}\n", (int)nest->level[last].column, "");
    nest->n_asked -= nest->level[last].is_asked;
    free(nest->level[last].takes);
    nest->depth--;
    return !is_theirs;
}

/* Prints a line with its words replaced; breaks such a line if it is too long. */
static void template_print_line(const struct c_set *set, const char *line, size_t indent, struct text *out)
{
    struct text full = {0};
    bool is_filled = false;
    for (const char *c = line; *c != '\n';) {
        const size_t length = template_word_length(c);
        if (length > 6 && begins(c, "COLLC_") && c_unit_text(set, c, length, &full))
            is_filled = true;
        else
            text_append(&full, c, length ? length : 1);
        c += length ? length : 1;
    }
    if (is_filled)
        c_line(indent + strspn(full.data, " "), full.data + strspn(full.data, " "), out);
    else if (full.data && *full.data)
        text_printf(out, "%*s%s\n", (int)indent, "", full.data);
    else
        text_printf(out, "\n");
    text_free(&full);
}

/* --- files --------------------------------------------------------------- */

static const char *find_file(const char *name)
{
    static const char *const folders[] = {"emitters/mpi_c/runtime/", "tables/library/"};
    for (size_t i = 0; i < n_embedded_files; i++)
        for (size_t j = 0; j < sizeof folders / sizeof *folders; j++)
            if (begins(embedded_files[i].path, folders[j]) &&
                strcmp(embedded_files[i].path + strlen(folders[j]), name) == 0)
                return embedded_files[i].text;
    assert(0 && "a file of runtime/");
    return "";
}

void c_template(const struct c_set *set, const char *name, struct text *out)
{
    const char *line = find_file(name);
    struct nest nest = {.depth = 0};
    while (!begins(line, " */\n"))
        line = strchr(line, '\n') + 1;
    for (line += 4; *line; line = strchr(line, '\n') + 1) {
        if (begins(line, "{\n") || begins(line, "}\n"))
            nest.is_in_function = *line == '{';
        const bool was_on = template_is_on(&nest);
        if (!template_follow(&nest, set, line, out) && was_on)
            template_print_line(set, line, (size_t)nest.n_asked * INDENT, out);
    }
    assert(nest.depth == 0);
}
