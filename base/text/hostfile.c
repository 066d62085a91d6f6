/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See hostfile.h. The words are those that mpirun of Open MPI 4.1.4 and mpiexec of MPICH 4.0.2 take.
 */
#include "base/text/hostfile.h"

#include <string.h>

static bool hostfile_is_count(struct slice word)
{
    size_t n = 0;
    while (n < word.length && text_is_digit(word.text[n]))
        n++;
    return n && n == word.length;
}

static bool hostfile_is_among(struct slice word, const char *const *list)
{
    while (*list && !slice_is(word, *list))
        list++;
    return *list;
}

enum hostfile_option hostfile_take_option(struct slice *line, struct slice *whole, struct slice *value)
{
    static const char *const counts[] = {"slots", "cpu", "count", NULL};
    static const char *const others[] = {"max_slots", "max-slots", "slots_max", "slots-max", "cpu_max",
                                         "cpu-max",   "count_max", "count-max", "username",  "user_name",
                                         "user-name", "port",      "user",      "binding",   NULL};
    slice_skip_blanks(line);
    struct slice rest = *line, name = {line->text, 0};
    *value = (struct slice){0};
    if (!rest.length)
        return HOSTFILE_END;
    for (const char *at = rest.text; name.length < rest.length && !text_is_blank(*at) && *at != '='; at++)
        name.length++;
    rest = (struct slice){rest.text + name.length, rest.length - name.length};
    const char *end = rest.text;
    slice_skip_blanks(&rest);
    if (rest.length && *rest.text == '=') {
        rest = (struct slice){rest.text + 1, rest.length - 1};
        *value = slice_take_word(&rest);
        end = rest.text;
    }
    *whole = (struct slice){name.text, (size_t)(end - name.text)};
    if (!value->text && hostfile_is_count(*whole))
        *value = *whole;
    else if (!value->text && memchr(whole->text, '@', whole->length)) /* a queue, and what SGE binds to */
        *whole = *value = *line;
    end = value->text == whole->text ? whole->text + whole->length : end;
    *line = (struct slice){end, (size_t)(line->text + line->length - end)};
    if (value->text == whole->text)
        return hostfile_is_count(*value) ? HOSTFILE_COUNT : HOSTFILE_OTHER;
    return !value->text ? HOSTFILE_UNKNOWN
           : hostfile_is_among(name, counts) ? HOSTFILE_COUNT
           : hostfile_is_among(name, others) ? HOSTFILE_OTHER
                                    : HOSTFILE_UNKNOWN;
}

bool hostfile_has_pairs(struct slice line)
{
    uint32_t n = 0;
    for (struct slice name; (name = slice_take_word(&line)).length; n++)
        if (hostfile_is_count(name) || !hostfile_is_count(slice_take_word(&line)))
            return false;
    return n > 1;
}
