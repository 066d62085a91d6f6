/* SPDX-License-Identifier: BSD-3-Clause
 *
 * editors/: the words that the grammar colours are those of the language, each of them and no others.
 */
#include "base/memory.h"
#include "compiler/language/survey.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

static json_t *read_json(const char *path)
{
    json_error_t error;
    json_t *value = json_load_file(path, 0, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(value);
    return value;
}

/* The words that stand in a regular expression as they are: `word` of "\\b(word)\\s+[A-Z]". */
static void add_words(const char *pattern, json_t *words)
{
    while (*pattern) {
        size_t length = 0;
        while (isalnum((unsigned char)pattern[length]) || pattern[length] == '_')
            length++;
        if (length) {
            char *word = strndup(pattern, length);
            json_object_set_new(words, word, json_true());
            free(word);
        } else if (*pattern == '\\')
            length = 2;
        else if (*pattern == '[')
            length = strcspn(pattern, "]");
        pattern += length ? length : 1;
    }
}

/* Adds the words of all patterns in the grammar. */
static void collect(json_t *value, json_t *words)
{
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach(value, key, member)
        if (strcmp(key, "match") == 0 || strcmp(key, "begin") == 0 || strcmp(key, "end") == 0)
            add_words(json_string_value(member), words);
        else
            collect(member, words);
    json_array_foreach(value, i, member)
        collect(member, words);
}

static json_t *language(void)
{
    json_t *words = json_object();
    for (size_t i = 0; i < n_language_words; i++)
        add_words(isalpha((unsigned char)*language_words[i].spelling) ? language_words[i].spelling : "", words);
    for (enum collective collective = 0; collective < N_COLLECTIVES; collective++)
        add_words(collective_table[collective].name, words);
    for (enum collective_form form = FORM_EQUAL + 1; form < N_FORMS; form++)
        add_words(collective_name(collective_of_form(form), form), words);
    return words;
}

static void expect_within(json_t *words, json_t *others, const char *problem)
{
    const char *word;
    json_t *value;
    json_object_foreach(words, word, value) {
        CU_ASSERT_PTR_NOT_NULL(json_object_get(others, word));
        if (!json_object_get(others, word))
            printf("'%s' %s\n", word, problem);
    }
}

static void test_words(void)
{
    json_t *grammar = read_json("editors/collc.tmLanguage.json"), *coloured = json_object(), *words = language();
    collect(grammar, coloured);
    CU_ASSERT(json_object_size(words) > 60);
    expect_within(words, coloured, "is a word of the language, which the grammar lacks");
    expect_within(coloured, words, "is no word of the language, but in the grammar");
    json_decref(grammar);
    json_decref(coloured);
    json_decref(words);
}

/* Meanings are shown by the language server, and every word has one. */
static void test_meanings(void)
{
    for (size_t i = 0; i < n_language_words; i++)
        CU_ASSERT(strlen(language_words[i].meaning) > 2);
}

/* The parts of the grammar that are included are there, and the files that the manifest names. */
static void test_parts(void)
{
    json_t *manifest = read_json("editors/package.json"), *grammar = read_json("editors/collc.tmLanguage.json");
    const char *configuration, *path, *scope;
    CU_ASSERT_EQUAL_FATAL(json_unpack(manifest, "{s:{s:[{s:s}], s:[{s:s, s:s}]}}", "contributes", "languages",
                                      "configuration", &configuration, "grammars", "path", &path, "scopeName",
                                      &scope), 0);
    CU_ASSERT_EQUAL(chdir("editors"), 0);
    json_decref(read_json(configuration));
    CU_ASSERT_EQUAL(access(path, R_OK), 0);
    CU_ASSERT_EQUAL(chdir(".."), 0);
    CU_ASSERT_STRING_EQUAL(scope, json_string_value(json_object_get(grammar, "scopeName")));
    json_t *include;
    size_t i;
    json_array_foreach(json_object_get(grammar, "patterns"), i, include)
        CU_ASSERT_PTR_NOT_NULL(json_object_get(json_object_get(grammar, "repository"),
                                               json_string_value(json_object_get(include, "include")) + 1));
    json_decref(manifest);
    json_decref(grammar);
}

UNIT_PROGRAM(test_grammar)
{
    CU_TestInfo tests[] = {
        {"words of the grammar", test_words},
        {"meanings of words", test_meanings},
        {"parts of the grammar", test_parts},
        CU_TEST_INFO_NULL,
    };
    return run_suite("grammar", tests);
}
