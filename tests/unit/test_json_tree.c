/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tree of JSON with places (base/text/json_tree.h): of texts made at random, many of them broken,
 * it takes those that jansson takes, for the same values; and what dialects add.
 */
#include "suite.h"
#include "base/text/json_tree.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void add(struct text *text, const char *words)
{
    text_append(text, words, strlen(words));
}

static void add_value(struct text *text, unsigned depth)
{
    static const char *const atoms[] = {"0",
                                        "-1",
                                        "12.5",
                                        "3e4",
                                        "true",
                                        "false",
                                        "null",
                                        "\"\"",
                                        "\"a\"",
                                        "\"\\u00e9\\n\"",
                                        "\"\\ud83d\\ude00\"",
                                        "\"b\\\"c\""};
    static const char *const keys[] = {"\"a\"", "\"b\"", "\"\\u0061\"", "\"long key\"", "\"\""};
    const uint32_t kind = depth > 4 ? 2 : below(3);
    if (kind == 2) {
        add(text, atoms[below(sizeof atoms / sizeof *atoms)]);
        return;
    }
    add(text, kind ? "[" : "{");
    for (uint32_t i = 0, n = below(4); i < n; i++) {
        add(text, i ? " ," : "\n");
        if (!kind) {
            add(text, keys[below(sizeof keys / sizeof *keys)]);
            add(text, ":");
        }
        add_value(text, depth + 1);
    }
    add(text, kind ? "]" : "}");
}

static void break_text(struct text *text)
{
    static const char bytes[] = "{}[]\",:'\\0e-tx/* ";
    text->data[below((uint32_t)text->length)] = bytes[below(sizeof bytes - 1)];
}

static bool is_same(const struct json_node *node, const json_t *value)
{
    size_t n = 0;
    switch (node->kind) {
    case JSON_STRING_NODE:
        return json_is_string(value) && strcmp(node->text, json_string_value(value)) == 0;
    case JSON_NUMBER_NODE:
        return json_is_number(value) && strtod(node->text, NULL) == json_number_value(value);
    case JSON_WORD_NODE:
        return node->text[0] == 't'   ? json_is_true(value)
               : node->text[0] == 'f' ? json_is_false(value)
                                      : json_is_null(value);
    case JSON_ARRAY_NODE:
        for (const struct json_node *item = node->first; item; item = item->next)
            if (!is_same(item, json_array_get(value, n++)))
                return false;
        return json_is_array(value) && n == json_array_size(value);
    case JSON_OBJECT_NODE:
        for (const struct json_node *item = node->first; item; item = item->next) {
            const struct json_node *last = json_member(node, item->key);
            const json_t *its = json_object_get(value, item->key);
            n += last == item;
            if (!its || (last == item && !is_same(item, its)))
                return false;
        }
        return json_is_object(value) && n == json_object_size(value);
    }
    return false;
}

static const struct json_node *read_text(const char *words, const struct json_dialect *dialect,
                                         struct arena *arena)
{
    struct json_fault fault = {0};
    return json_tree(source_of_text("t", words, strlen(words), arena), dialect, arena, &fault);
}

static void test_like_jansson(void)
{
    const struct json_dialect strict = {.max_depth = 100};
    unsigned n_read = 0, n_refused = 0;
    for (int i = 0; i < 20000; i++) {
        struct arena arena = {0};
        struct text text = {0};
        json_error_t error;
        add_value(&text, 0);
        if (i % 2 && !strstr(text.data, "\\ud83d")) /* half of a pair is taken here */
            break_text(&text);
        json_t *value = json_loadb(text.data, text.length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
        const struct json_node *node = read_text(text.data, &strict, &arena);
        CU_ASSERT_EQUAL(!node, !value);
        if (node && value)
            CU_ASSERT(is_same(node, value));
        n_read += node != NULL;
        n_refused += !node;
        json_decref(value);
        text_free(&text);
        arena_free(&arena);
    }
    CU_ASSERT(n_read > 5000 && n_refused > 3000);
}

static void test_dialects(void)
{
    static const struct {
        const char *words;
        bool strict, loose;
    } cases[] = {
        {"{\"a\": {}}", true, true},
        {"{\"a\": {},}", false, true},
        {"{'a': {}}", false, true},
        {"/* c */ {\"a\": 1}", false, true},
        {"// c\n{\"a\": 1}", false, true},
        {"{\"a\": 1} x", false, true},
        {"{\"a\nb\": 1}", false, true},
        {"/* c {\"a\": 1}", false, false},
        {"{a: 1}", false, false},
        {"[[[[[[[[[1]]]]]]]]]", true, false},
        {"", false, false},
        {"{\"a\" 1}", false, false},
    };
    const struct json_dialect strict = {.max_depth = 100};
    const struct json_dialect loose = {true, true, true, true, true, true, true, 8};
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT_EQUAL(read_text(cases[i].words, &strict, &arena) != NULL, cases[i].strict);
        CU_ASSERT_EQUAL(read_text(cases[i].words, &loose, &arena) != NULL, cases[i].loose);
    }
    const struct json_node *tree = read_text("{\n \"a\": 1,\n \"b\": [2]}", &strict, &arena);
    CU_ASSERT(tree->first->line == 2 && tree->first->at == 3 && tree->first->length == 3);
    CU_ASSERT(tree->first->next->first->line == 3 && tree->first->next->first->at == 18);
    arena_free(&arena);
}

UNIT_PROGRAM(test_json_tree)
{
    CU_TestInfo tests[] = {{"texts at random, as jansson reads them", test_like_jansson},
                           {"what dialects add", test_dialects},
                           CU_TEST_INFO_NULL};
    return run_suite("json_tree", tests);
}
