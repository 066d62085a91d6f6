/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host lists: what is read, what is refused and where, and that what is written reads
 * back as the same names in the same order.
 */
#include "base/text/hostlist.h"
#include "base/text/hostlist_write.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EQUAL(actual, expected, context)                                                           \
    do {                                                                                           \
        unsigned long long a_ = (unsigned long long)(actual), e_ = (unsigned long long)(expected); \
        if (a_ != e_)                                                                              \
            printf("\n  %s: %s is %llu, expected %llu", (context), #actual, a_, e_);               \
        CU_ASSERT_EQUAL(a_, e_);                                                                   \
    } while (0)

/* The names with a blank after each. */
static void join(const struct hostlist *list, struct text *out)
{
    for (uint32_t i = 0; i < list->n; i++)
        text_printf(out, "%s ", hostlist_get(list, i).text);
}

static void test_good(void)
{
    static const char *const cases[][2] = {
        {"n1", "n1 "},
        {"a,b", "a b "},
        {" a , b\t", "a b "},
        {"n[1-3]", "n1 n2 n3 "},
        {"n[001-003,012]", "n001 n002 n003 n012 "},
        {"n[08-11]", "n08 n09 n10 n11 "},
        {"n[8-011]", "n8 n9 n10 n11 "},
        {"[1101-1102]", "1101 1102 "},
        {"r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2 "},
        {"n[1-2]-ib", "n1-ib n2-ib "},
        {"n[2,1],n2", "n2 n1 n2 "},
        {"n*3", "n n n "},
        {"n[1-2]*2,m", "n1 n2 n1 n2 m "},
        {"n[000000000000000001]", "n000000000000000001 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hostlist list;
        struct text text = {0};
        bool good = hostlist_expand(slice_of(cases[i][0]), HOSTLIST_MAX_NAMES, &list);
        EQUAL(good, true, cases[i][0]);
        join(&list, &text);
        CU_ASSERT_STRING_EQUAL(text.data ? text.data : "", cases[i][1]);
        text_free(&text);
        hostlist_free(&list);
    }
}

static void test_bad(void)
{
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"", 0},         {"a,", 2},       {",a", 0},       {"a,,b", 2},      {"n[1-3", 1},
        {"n1-3]", 4},    {"n[]", 1},      {"n[3-1]", 2},   {"n[1-]", 4},     {"n[-1]", 2},
        {"n[1,]", 3},    {"n[,1]", 2},    {"n[a]", 2},     {"n[1;2]", 3},    {"n[[1]]", 2},
        {"a b", 1},      {"n*", 1},       {"n*0", 1},      {"n*x", 1},       {"*2", 0},
        {"a,n[1-2]x]", 9}, {"n[1234567890123456789]", 2},  {"n[0-1048576]", 2},
        {"n[0-1023]m[0-1024]", 0},        {"n[0-1048575]*2", 0},
        {"[1][1][1][1][1][1][1][1][1]", 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hostlist list;
        struct slice text = slice_of(cases[i].text);
        EQUAL(hostlist_expand(text, HOSTLIST_MAX_NAMES, &list), false, cases[i].text);
        CU_ASSERT(list.problem != NULL);
        if (list.problem)
            EQUAL(list.error.text - text.text, cases[i].at, cases[i].text);
        hostlist_free(&list);
    }
}

static void test_limits(void)
{
    struct hostlist list;
    char name[400];
    CU_ASSERT(hostlist_expand(slice_of("r[0-1023]n[0-1023]"), HOSTLIST_MAX_NAMES, &list));
    EQUAL(list.n, 1 << 20, "2^20 names");
    CU_ASSERT_STRING_EQUAL(hostlist_get(&list, list.n - 1).text, "r1023n1023");
    hostlist_free(&list);
    CU_ASSERT(!hostlist_expand(slice_of("a,b,c"), 2, &list));
    CU_ASSERT_STRING_EQUAL(list.problem, "too many names");
    hostlist_free(&list);
    memset(name, 'x', sizeof name);
    CU_ASSERT(hostlist_expand((struct slice){name, 255}, 1, &list));
    hostlist_free(&list);
    CU_ASSERT(!hostlist_expand((struct slice){name, 256}, 1, &list));
    hostlist_free(&list);
    memcpy(name + 254, "[08-12]", 7);
    CU_ASSERT(!hostlist_expand((struct slice){name, 261}, 9, &list));
    hostlist_free(&list);
}

/* ---- writing ---- */

static bool write_all(char names[][24], uint32_t n, struct text *out)
{
    struct hostlist_writer writer = {.out = out};
    bool good = true;
    for (uint32_t i = 0; i < n; i++)
        good = hostlist_write(&writer, names[i]) && good;
    hostlist_write_end(&writer);
    return good;
}

static void test_written(void)
{
    static const struct {
        char names[4][24];
        const char *expected;
    } cases[] = {
        {{"n1", "n2", "n3", "n5"}, "n[1-3,5]"},
        {{"n08", "n09", "n10", "n11"}, "n[08-11]"},
        {{"n8", "n9", "n10", "n011"}, "n[8-10],n011"},
        {{"a", "b", "b1", "b3"}, "a,b,b[1,3]"},
        {{"n3", "n2", "n1", "m1"}, "n[3,2,1],m1"},
        {{"n99", "n100", "n101", "n9"}, "n[99-101],n9"},
        {{"7", "8", "9", "x"}, "[7-9],x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[4][24];
        struct text text = {0};
        memcpy(names, cases[i].names, sizeof names);
        CU_ASSERT(write_all(names, 4, &text));
        CU_ASSERT_STRING_EQUAL(text.data, cases[i].expected);
        text_free(&text);
    }
    static const char *const bad[] = {"", "a b", "a,b", "a[", "a]", "a*", "a\"", "a\\", "a\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct text text = {0};
        struct hostlist_writer writer = {.out = &text};
        EQUAL(hostlist_write(&writer, bad[i]), false, bad[i]);
        hostlist_write_end(&writer);
        text_free(&text);
    }
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Names that are close to each other, in runs, with zeros and without. */
static void test_round_trip(void)
{
    static const char *const prefixes[] = {"n", "node", "r1n", "", "n0"};
    char names[60][24];
    uint32_t state = 11;
    for (uint32_t round = 0; round < 2000; round++) {
        struct text text = {0};
        struct hostlist list;
        for (uint32_t i = 0; i < 60; i++)
            if (i && next(&state) % 3)
                snprintf(names[i], sizeof *names, "%s%0*u", prefixes[round % 5],
                         (int)(next(&state) % 8 ? 1 + round % 3 : 4), i + round % 97);
            else
                snprintf(names[i], sizeof *names, "%s%u", prefixes[next(&state) % 5],
                         next(&state) % 1200);
        CU_ASSERT(write_all(names, 60, &text));
        CU_ASSERT(hostlist_expand((struct slice){text.data, text.length}, 60, &list));
        EQUAL(list.n, 60, text.data);
        for (uint32_t i = 0; i < list.n; i++)
            CU_ASSERT_STRING_EQUAL(hostlist_get(&list, i).text, names[i]);
        hostlist_free(&list);
        text_free(&text);
    }
}

UNIT_PROGRAM(test_hostlist)
{
    static CU_TestInfo tests[] = {{"good lists", test_good},
                                  {"bad lists", test_bad},
                                  {"limits", test_limits},
                                  {"written lists", test_written},
                                  {"written and read again", test_round_trip},
                                  CU_TEST_INFO_NULL};
    return run_suite("hostlist", tests);
}
