/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies the files of runtime/ into emitted C: without their heads, and without the lines whose `#if`
 * does not hold. A condition is made of names (features.def), &&, ||, ! and parentheses; an unknown name
 * is our mistake. `#ifdef` and `#ifndef` are left to the C compiler, like other lines. Words that begin
 * with COLLC_ and have a text in the unit (c_unit_text) are replaced by it.
 */
#include "emitters/mpi_c/mpi_c.h"

#include "base/embedded.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* --- conditions ---------------------------------------------------------- */

struct condition {
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

static bool primary(struct condition *condition)
{
    if (template_take(condition, "!"))
        return !primary(condition);
    if (template_take(condition, "(")) {
        const bool value = either(condition);
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

static bool template_holds(const struct c_unit *unit, const char *text)
{
    struct condition condition = {unit, text};
    const bool value = either(&condition);
    assert(*condition.at == '\n');
    return value;
}

/* --- lines --------------------------------------------------------------- */

enum { MAX_DEPTH = 16 };

/* The `#if`s around a line: the branch is not printed, or is, or an earlier one was. */
struct nest {
    enum { OFF, ON, DONE, THEIRS } level[MAX_DEPTH];
    int depth;
};

static bool template_is_on(const struct nest *nest)
{
    for (int i = 0; i < nest->depth; i++)
        if (nest->level[i] == OFF || nest->level[i] == DONE)
            return false;
    return true;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Follows a directive of ours. Returns false for other lines. */
static bool template_follow(struct nest *nest, const struct c_unit *unit, const char *line)
{
    if (begins(line, "#if")) {
        assert(nest->depth < MAX_DEPTH);
        nest->level[nest->depth] = !begins(line, "#if ") ? THEIRS : template_holds(unit, line + 4) ? ON : OFF;
        return nest->level[nest->depth++] != THEIRS;
    }
    const bool is_else = begins(line, "#else"), is_elif = begins(line, "#elif ");
    if (!is_else && !is_elif && !begins(line, "#endif"))
        return false;
    assert(nest->depth > 0);
    const int last = nest->depth - 1;
    if (!is_else && !is_elif)
        nest->depth--;
    else if (nest->level[last] == OFF)
        nest->level[last] = is_else || template_holds(unit, line + 6) ? ON : OFF;
    else if (nest->level[last] == ON)
        nest->level[last] = DONE;
    return nest->level[last] != THEIRS;
}

/* Prints a line with its words replaced; breaks such a line if it is too long. */
static void template_print_line(const struct c_unit *unit, const char *line, struct text *out)
{
    struct text full = {0};
    bool is_filled = false;
    for (const char *c = line; *c != '\n';) {
        const size_t length = template_word_length(c);
        if (length > 6 && begins(c, "COLLC_") && c_unit_text(unit, c, length, &full))
            is_filled = true;
        else
            text_append(&full, c, length ? length : 1);
        c += length ? length : 1;
    }
    if (is_filled)
        c_line(strspn(full.data, " "), full.data + strspn(full.data, " "), out);
    else
        text_printf(out, "%s\n", full.data ? full.data : "");
    text_free(&full);
}

/* --- files --------------------------------------------------------------- */

static const char *find_file(const char *name)
{
    static const char folder[] = "emitters/mpi_c/runtime/";
    for (size_t i = 0; i < n_embedded_files; i++)
        if (begins(embedded_files[i].path, folder) &&
            strcmp(embedded_files[i].path + strlen(folder), name) == 0)
            return embedded_files[i].text;
    assert(0 && "a file of runtime/");
    return "";
}

void c_template(const struct c_unit *unit, const char *name, struct text *out)
{
    const char *line = find_file(name);
    struct nest nest = {.depth = 0};
    while (!begins(line, " */\n"))
        line = strchr(line, '\n') + 1;
    for (line += 4; *line; line = strchr(line, '\n') + 1) {
        const bool was_on = template_is_on(&nest);
        if (!template_follow(&nest, unit, line) && was_on)
            template_print_line(unit, line, out);
    }
    assert(nest.depth == 0);
}
