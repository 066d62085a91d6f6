/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the table of a library of algorithms (docs/library.md). collc includes this file, and a
 * library that collc emitted has it as text: so both read a table alike.
 */
#ifndef COLLC_TABLES_LIBRARY_RULES_H
#define COLLC_TABLES_LIBRARY_RULES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { collc_table_version = 1, collc_most_parameters = 4, collc_most_rules = 1 << 20 };

/* A part of the text. */
struct collc_word {
    const char *text;
    size_t length;
};

/* Numbers first .. last; UINT64_MAX: no end. */
struct collc_range {
    uint64_t first, last;
};

enum collc_key {
    collc_key_bytes,
    collc_key_ranks,
    collc_key_hosts,
    collc_key_per_host,
    collc_key_commutes,
    collc_key_exact,
    collc_n_keys
};

/* A line `COLLECTIVE KEY=RANGE ... use ALGORITHM PARAMETER=VALUE ...`; one with `have` is no rule,
 * but asks for the algorithm to be in the library. */
struct collc_rule {
    struct collc_word collective, algorithm;
    struct collc_range range[collc_n_keys];
    struct collc_word parameter[collc_most_parameters];
    int64_t value[collc_most_parameters];
    int n_parameters;
    unsigned is_set; /* bit i: value[i] is given */
    int is_had;
    int line;          /* from 1 */
    const void *found; /* for who carries out the table: the algorithm */
};

struct collc_rules {
    struct collc_rule *items;
    size_t n, capacity;
    uint64_t after; /* calls on a communicator that are left to the MPI; UINT64_MAX: not said */
};

/* The fault of a table that cannot be read. */
struct collc_fault {
    int line;
    struct collc_word at;
    const char *cause, *remedy;
};

struct collc_scan {
    const char *at, *end; /* of the line */
    struct collc_fault *fault;
    int line;
};

static inline int collc_is_word(struct collc_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

/* True if the word names a file of the site's own. */
static inline int collc_is_file(struct collc_word word)
{
    return word.length > 5 && memcmp(word.text + word.length - 5, ".coll", 5) == 0;
}

/* The name of the algorithm: of the file `own/mine.coll` it is `mine`. */
static inline struct collc_word collc_algorithm_name(struct collc_word word)
{
    size_t first = word.length;

    if (!collc_is_file(word))
        return word;
    while (first > 0 && word.text[first - 1] != '/')
        first--;
    return (struct collc_word){word.text + first, word.length - first - 5};
}

static inline int collc_refuse(struct collc_scan *scan, struct collc_word at, const char *cause,
                               const char *remedy)
{
    *scan->fault = (struct collc_fault){scan->line, at, cause, remedy};
    return 0;
}

/* The next word of the line; of length 0 at its end or before a comment. */
static inline struct collc_word collc_next_word(struct collc_scan *scan)
{
    struct collc_word word;

    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
        scan->at++;
    if (scan->at < scan->end && *scan->at == '#')
        scan->end = scan->at;
    word = (struct collc_word){scan->at, 0};
    while (scan->at < scan->end && *scan->at != ' ' && *scan->at != '\t' && *scan->at != '\r')
        scan->at++;
    word.length = (size_t)(scan->at - word.text);
    return word;
}

/* Reads a number, of bytes perhaps with KiB, MiB or GiB behind it. */
static inline int collc_read_number(struct collc_word word, int is_size, uint64_t *value)
{
    static const char units[] = "KMG";
    size_t i = 0;

    *value = 0;
    for (; i < word.length && word.text[i] >= '0' && word.text[i] <= '9'; i++) {
        if (*value > (UINT64_MAX >> 1) / 10 - 9)
            return 0;
        *value = 10 * *value + (uint64_t)(word.text[i] - '0');
    }
    if (i > 0 && is_size && word.length - i == 3 && memcmp(word.text + i + 1, "iB", 2) == 0 &&
        strchr(units, word.text[i])) {
        const int shift = 10 * (int)(strchr(units, word.text[i]) - units + 1);

        if (*value > (UINT64_MAX >> 1) >> shift)
            return 0;
        *value <<= shift;
        return 1;
    }
    return i > 0 && i == word.length;
}

static inline int collc_read_range(struct collc_scan *scan, struct collc_word word, int is_size,
                                   struct collc_range *range)
{
    struct collc_word first = word, last = word;
    int is_right;

    for (size_t i = 0; i + 1 < word.length; i++)
        if (memcmp(word.text + i, "..", 2) == 0) {
            first.length = i;
            last = (struct collc_word){word.text + i + 2, word.length - i - 2};
            break;
        }
    *range = (struct collc_range){0, UINT64_MAX};
    is_right = word.length > 0 && (first.length > 0 || last.length > 0);
    if (first.length > 0)
        is_right = is_right && collc_read_number(first, is_size, &range->first);
    if (last.length > 0)
        is_right = is_right && collc_read_number(last, is_size, &range->last);
    if (!is_right)
        return collc_refuse(scan, word, "it is no range of numbers",
                            is_size ? "write 4096, 1..4KiB, 64KiB.. or ..1023"
                                    : "write 8, 2..8, 8.. or ..8");
    if (range->first > range->last)
        return collc_refuse(scan, word, "the range ends before it begins",
                            "write the smaller number first");
    return 1;
}

/* Divides a word at its first '='. Returns 0 if it has none: it is all name then. */
static inline int collc_split(struct collc_word word, struct collc_word *name,
                              struct collc_word *value)
{
    const char *sign = memchr(word.text, '=', word.length);

    *name = word;
    *value = (struct collc_word){NULL, 0};
    if (!sign)
        return 0;
    name->length = (size_t)(sign - word.text);
    *value = (struct collc_word){sign + 1, word.length - name->length - 1};
    return 1;
}

/* Reads KEY=RANGE, or KEY=yes and KEY=no. */
static inline int collc_read_key(struct collc_scan *scan, struct collc_word word,
                                 struct collc_rule *rule)
{
    static const char *const keys[] = {"bytes", "ranks", "hosts", "per_host", "commutes", "exact"};
    struct collc_word name, value;
    const int is_split = collc_split(word, &name, &value);
    int key = 0;

    while (key < collc_n_keys && !collc_is_word(name, keys[key]))
        key++;
    if (!is_split || key == collc_n_keys)
        return collc_refuse(
            scan, word, "it is no condition",
            "conditions are bytes=, ranks=, hosts=, per_host=, commutes= and exact=; "
            "then comes 'use ALGORITHM'");
    if (rule->range[key].first != 0 || rule->range[key].last != UINT64_MAX)
        return collc_refuse(scan, word, "the line has this condition twice", "leave one of them");
    if (key < collc_key_commutes)
        return collc_read_range(scan, value, key == collc_key_bytes, &rule->range[key]);
    if (!collc_is_word(value, "yes") && !collc_is_word(value, "no"))
        return collc_refuse(scan, value, "it is neither 'yes' nor 'no'", "write yes or no");
    rule->range[key].first = rule->range[key].last = collc_is_word(value, "yes") ? 1 : 0;
    return 1;
}

/* Reads PARAMETER=VALUE. */
static inline int collc_read_parameter(struct collc_scan *scan, struct collc_word word,
                                       struct collc_rule *rule)
{
    struct collc_word name, value;
    const int is_split = collc_split(word, &name, &value);
    uint64_t number = 0;

    if (!is_split || name.length == 0 || !collc_read_number(value, 0, &number) || number > INT32_MAX)
        return collc_refuse(scan, word, "it is no parameter with a number", "write segments=4");
    for (int i = 0; i < rule->n_parameters; i++)
        if (rule->parameter[i].length == name.length &&
            memcmp(rule->parameter[i].text, name.text, name.length) == 0)
            return collc_refuse(scan, word, "the line has this parameter twice",
                                "leave one of them");
    if (rule->n_parameters == collc_most_parameters)
        return collc_refuse(scan, word, "an algorithm has no more than four parameters",
                            "leave some");
    rule->parameter[rule->n_parameters] = name;
    rule->is_set |= 1u << rule->n_parameters;
    rule->value[rule->n_parameters++] = (int64_t)number;
    return 1;
}

/* Reads a line behind its first word. */
static inline int collc_read_rule(struct collc_scan *scan, struct collc_word first,
                                  struct collc_rule *rule)
{
    struct collc_word word;

    *rule = (struct collc_rule){.collective = first, .line = scan->line};
    for (int key = 0; key < collc_n_keys; key++)
        rule->range[key].last = UINT64_MAX;
    for (word = collc_next_word(scan); !collc_is_word(word, "use") && !collc_is_word(word, "have");
         word = collc_next_word(scan)) {
        if (word.length == 0)
            return collc_refuse(
                scan, word, "the line names no algorithm",
                "end it by 'use ALGORITHM', or 'use mpi' for the MPI's own decision");
        if (!collc_read_key(scan, word, rule))
            return 0;
    }
    rule->is_had = collc_is_word(word, "have");
    rule->algorithm = collc_next_word(scan);
    if (rule->algorithm.length == 0)
        return collc_refuse(scan, rule->algorithm, "the line names no algorithm",
                            "write its name, such as 'use ring'");
    for (word = collc_next_word(scan); word.length > 0; word = collc_next_word(scan))
        if (!collc_read_parameter(scan, word, rule))
            return 0;
    return 1;
}

/* Makes room for one more rule. */
static inline int collc_more_rules(struct collc_rules *rules)
{
    const size_t wanted = rules->capacity ? 2 * rules->capacity : 64;
    struct collc_rule *more;

    if (rules->n < rules->capacity)
        return 1;
    more = wanted > collc_most_rules ? NULL : realloc(rules->items, wanted * sizeof *more);
    if (!more)
        return 0;
    rules->items = more;
    rules->capacity = wanted;
    return 1;
}

/* Reads a line that is not empty: the version, `after CALLS`, or a rule. */
static inline int collc_read_line(struct collc_scan *scan, struct collc_word first,
                                  struct collc_rules *rules, int *has_version)
{
    struct collc_word word;
    uint64_t number = 0;

    if (!*has_version) {
        word = collc_next_word(scan);
        if (!collc_is_word(first, "collc-table"))
            return collc_refuse(scan, first, "it is no table of a library",
                                "the first line is 'collc-table 1'");
        if (!collc_read_number(word, 0, &number) || number != collc_table_version)
            return collc_refuse(scan, word, "the table is for another version",
                                "this one reads version 1");
        *has_version = 1;
    } else if (collc_is_word(first, "after")) {
        word = collc_next_word(scan);
        if (!collc_read_number(word, 0, &number) || number > INT32_MAX)
            return collc_refuse(scan, word, "it is no number of calls", "write 'after 32'");
        if (rules->after != UINT64_MAX)
            return collc_refuse(scan, first, "the table has this line twice", "leave one of them");
        rules->after = number;
    } else {
        if (!collc_more_rules(rules))
            return collc_refuse(scan, first, "there is no memory for so many rules", "leave some");
        if (!collc_read_rule(scan, first, &rules->items[rules->n]))
            return 0;
        rules->n++;
    }
    word = collc_next_word(scan);
    return word.length == 0 || collc_refuse(scan, word, "the line has a word too many", "leave it");
}

/* Reads a table, whose text must outlive the rules. Returns 0 and the first fault if that cannot be
 * done. O(n), and rules x their words. The caller frees rules->items in either case. */
static inline int collc_read_rules(const char *text, size_t n, struct collc_rules *rules,
                                   struct collc_fault *fault)
{
    struct collc_scan scan = {.fault = fault};
    const char *end = text + n;
    int has_version = 0;

    *rules = (struct collc_rules){.after = UINT64_MAX};
    for (const char *line = text; line < end; line = scan.end + 1) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        struct collc_word first;

        scan.at = line;
        scan.end = next ? next : end;
        scan.line++;
        first = collc_next_word(&scan);
        if (first.length > 0 && !collc_read_line(&scan, first, rules, &has_version))
            return 0;
        scan.end = next ? next : end;
    }
    if (has_version)
        return 1;
    scan.line = 1;
    return collc_refuse(&scan, (struct collc_word){text, 0}, "it is no table of a library",
                        "the first line is 'collc-table 1'");
}

/* True if the rule asks for that key. */
static inline int collc_asks(const struct collc_rule *rule, int key)
{
    return rule->range[key].first > 0 || rule->range[key].last < UINT64_MAX;
}

/* True if the numbers of a call are those of the rule. A number that is not known, UINT64_MAX, is
 * in no range. */
static inline int collc_is_met(const struct collc_rule *rule, const uint64_t number[collc_n_keys])
{
    for (int key = 0; key < collc_n_keys; key++)
        if (number[key] < rule->range[key].first || number[key] > rule->range[key].last ||
            (number[key] == UINT64_MAX && collc_asks(rule, key)))
            return 0;
    return !rule->is_had;
}

#endif
