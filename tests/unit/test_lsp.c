/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The language server, spoken to as an editor does: bytes in, bytes out. A real editor is at the other
 * end in tests/cli/lsp.sh.
 */
#include "base/embedded.h"
#include "base/memory.h"
#include "compiler/language/survey.h"
#include "compiler/lsp/lsp.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dialogue.h"
#include "scene.h"
#include "suite.h"

/* --- the protocol -------------------------------------------------------- */

static void test_life(void)
{
    struct dialogue dialogue = {.n_requests = 0};
    const int early = ask_document(&dialogue, "textDocument/documentSymbol", "file:///a.coll");
    tell(&dialogue, "textDocument/didOpen", json_object()); /* too early, and wrong: dropped */
    const int first = ask(&dialogue, "initialize", json_pack("{s:n, s:{}}", "processId", "capabilities"));
    const int again = ask(&dialogue, "initialize", json_object());
    tell(&dialogue, "$/setTrace", json_pack("{s:s}", "value", "off"));
    const int unknown = ask(&dialogue, "textDocument/none", json_object());
    const int closed = ask_place(&dialogue, "textDocument/hover", "file:///a.coll", 0, 0);
    const int lacks = ask(&dialogue, "textDocument/hover", NULL);
    const int last = ask(&dialogue, "shutdown", NULL);
    const int late = ask(&dialogue, "initialize", json_object());
    tell(&dialogue, "exit", NULL);
    ask(&dialogue, "initialize", json_object()); /* nobody reads it */
    listen(&dialogue);
    CU_ASSERT(dialogue.ended_well);
    CU_ASSERT_EQUAL(json_array_size(dialogue.heard), 8);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, early)), -32002);
    CU_ASSERT(json_is_true(json_object_get(json_object_get(result_of(&dialogue, first), "capabilities"),
                                           "hoverProvider")));
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, again)), -32600);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, unknown)), -32601);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, closed)), -32602);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, lacks)), -32602);
    CU_ASSERT(json_is_null(result_of(&dialogue, last)));
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, late)), -32600);
    end(&dialogue);
}

static void test_leaving(void)
{
    struct dialogue dialogue = begin();
    listen(&dialogue);
    CU_ASSERT(!dialogue.ended_well);
    end(&dialogue);
    dialogue = begin();
    tell(&dialogue, "exit", NULL);
    listen(&dialogue);
    CU_ASSERT(!dialogue.ended_well);
    end(&dialogue);
}

/* After each of these the next request is answered, and what was wrong is said once. */
static void test_wrong_messages(void)
{
    static const struct {
        const char *bytes;
        int code;
    } wrong[] = {
        {"Content-Length: 4\r\n\r\n{no}", -32700},
        {"content-length:2\n\n[]", -32600},
        {"Content-Length: 4\r\n\r\nnull", -32700},
        {"Content-Length: 9\r\n\r\n\"\\ud800\"x", -32700},
        {"Content-Length: 6\r\n\r\n[\"\xff\xfe\"]", -32700},
        {"Content-Type: x\r\n\r\n", -32700},
        {"\r\n", -32700},
        {"Content-Length: many\r\n\r\n", -32700},
        {"Content-Length: -5\r\n\r\n", -32700},
        {"Content-Length: 99999999999999999999999\r\n\r\n", -32700},
        {"Content-Length: 12 and more\r\n\r\n{\"id\": 3}", -32700}, /* the content is lost */
        {"Content-Length: 0\r\n\r\n", -32700},
        {"Content-Length: 19\r\n\r\n{\"jsonrpc\":\"2.0\" , }", -32700},
        {"Content-Length: 15\r\n\r\n{\"method\": true}", -32700},
        {"Content-Length: 16\r\n\r\n{\"method\": true}", -32600},
        {"Content-Length: 26\r\n\r\n{\"method\":\"exit\",\"id\":[1]}", -32600},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct dialogue dialogue = begin();
        say_bytes(&dialogue, wrong[i].bytes);
        const int next = ask(&dialogue, "textDocument/none", NULL);
        listen(&dialogue);
        CU_ASSERT_EQUAL(json_array_size(dialogue.heard), 3);
        CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, next)), -32601);
        json_t *refusal = json_array_get(dialogue.heard, 1);
        CU_ASSERT_EQUAL(error_code(refusal), wrong[i].code);
        CU_ASSERT(json_is_null(json_object_get(refusal, "id")));
        if (json_array_size(dialogue.heard) != 3 || error_code(refusal) != wrong[i].code)
            printf("after %s\n", wrong[i].bytes);
        end(&dialogue);
    }
}

/* Too long a message is skipped, without room for it; a message that does not end is the end. */
static void test_long_messages(void)
{
    enum { TOO_LONG = (8 << 20) + 1 };
    struct dialogue dialogue = begin();
    char *content = mem_alloc(TOO_LONG + 1, 1);
    memset(content, ' ', TOO_LONG);
    text_printf(&dialogue.said, "Content-Length: %d\r\n\r\n%s", TOO_LONG, content);
    free(content);
    const int next = ask(&dialogue, "textDocument/none", NULL);
    say_bytes(&dialogue, "Content-Length: 123456789012345678\r\n\r\n{}");
    listen(&dialogue);
    CU_ASSERT_EQUAL(json_array_size(dialogue.heard), 3);
    CU_ASSERT_EQUAL(error_code(json_array_get(dialogue.heard, 1)), -32700);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, next)), -32601);
    CU_ASSERT(!dialogue.ended_well);
    end(&dialogue);
}

/* --- documents ----------------------------------------------------------- */

static const char ring[] = "# Around.\n"
                           "alltoall own(turns = 1)\n"
                           "ranks r: p\n"
                           "let last = p - turns\n"
                           "\n"
                           "def post(d)\n"
                           "  send in[r+d] to r + d\n"
                           "  recv out[r-d] from r - d\n"
                           "\n"
                           "for i in 0 .. last\n"
                           "  step\n"
                           "    post(i) # i hops\n";

static void test_places(void)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, ring, strlen(ring));
    static const struct {
        int line, character;
        const char *declared, *hover;
    } places[] = {
        {1, 0, "1:0-1:12", "**alltoall own**"},
        {1, 13, "1:13-1:18", "parameter of the algorithm"},
        {3, 16, "1:13-1:18", "alltoall own(turns = 1)"},
        {3, 20, "1:13-1:18", "parameter"}, /* behind the last letter */
        {6, 10, "2:6-2:7", "coordinate of the rank"},
        {6, 12, "5:9-5:10", "argument of a definition"},
        {7, 22, "2:6-2:7", "ranks r: p"},
        {9, 14, "3:4-3:8", "let last = p - turns"},
        {11, 4, "5:4-5:8", "def post(d)"},
        {11, 9, "9:4-9:5", "for i in 0 .. last"},
        {2, 9, NULL, "`p`: number of ranks"},
        {10, 2, NULL, "`step`: what a rank posts together"},
        {9, 6, NULL, "`in`: buffer"},
        {11, 14, NULL, ""}, /* in a comment */
        {4, 0, NULL, ""},
        {99, 99, NULL, ""},
    };
    enum { N_PLACES = sizeof places / sizeof *places };
    int hovers[N_PLACES], definitions[N_PLACES];
    for (size_t i = 0; i < N_PLACES; i++) {
        hovers[i] = ask_place(&dialogue, "textDocument/hover", uri, places[i].line, places[i].character);
        definitions[i] =
            ask_place(&dialogue, "textDocument/definition", uri, places[i].line, places[i].character);
    }
    listen(&dialogue);
    for (size_t i = 0; i < N_PLACES; i++) {
        const char *hover = hover_text(&dialogue, hovers[i]);
        CU_ASSERT(*places[i].hover ? strstr(hover, places[i].hover) != NULL : !*hover);
        json_t *found = result_of(&dialogue, definitions[i]);
        if (!places[i].declared) {
            CU_ASSERT(json_is_null(found));
            continue;
        }
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(found, "uri")), uri);
        expect_range(json_object_get(found, "range"), places[i].declared);
    }
    end(&dialogue);
}

static void test_symbols(void)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, ring, strlen(ring));
    const int id = ask_document(&dialogue, "textDocument/documentSymbol", uri);
    listen(&dialogue);
    json_t *algorithm = json_array_get(result_of(&dialogue, id), 0), *child;
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(algorithm, "name")), "own");
    expect_range(json_object_get(algorithm, "range"), "0:0-12:0");
    expect_range(json_object_get(algorithm, "selectionRange"), "1:0-1:12");
    struct text names = {0};
    size_t i;
    json_array_foreach(json_object_get(algorithm, "children"), i, child)
        text_printf(&names, " %s", json_string_value(json_object_get(child, "name")));
    CU_ASSERT_STRING_EQUAL(names.data, " turns r last post");
    text_free(&names);
    end(&dialogue);
}

/* Lines end in three ways, and characters are counted in UTF-16: a clef is two of them, three or four
 * bytes of UTF-8 before it are one or two. */
static void test_utf16(void)
{
    static const char text[] = "# \xc3\xa9\r\n"
                               "alltoall own\r\n"
                               "ranks r: p\r\n"
                               "step \xf0\x9d\x84\x9e \xe2\x82\xac \xf0\x9d\x84\x9e\n"
                               "  send in[none] to r # \xf0\x9d\x84\x9e\n";
    static const char hidden[] = "# Says it.\nbarrier own\nranks r: p\nstep\n  send to r\r  recv \xe2\x82\xac none\n";
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, text, strlen(text));
    open_text(&dialogue, "file:///b.coll", hidden, strlen(hidden));
    listen(&dialogue);
    json_t *list = diagnostics_of(&dialogue, uri), *one;
    struct text found = {0};
    size_t i;
    json_array_foreach(list, i, one) {
        int line, from, to;
        const char *code;
        json_unpack(one, "{s:s, s:{s:{s:i, s:i}, s:{s:i}}}", "code", &code, "range", "start", "line", &line,
                    "character", &from, "end", "character", &to);
        text_printf(&found, "%s %d:%d-%d\n", code, line, from, to);
    }
    /* "step " is 5, clef 2, blank 1, euro 1, blank 1 */
    CU_ASSERT_STRING_EQUAL(found.data, "E001 3:5-7\nE001 3:8-9\nE001 3:10-12\nE003 4:10-14\n");
    if (strcmp(found.data, "E001 3:5-7\nE001 3:8-9\nE001 3:10-12\nE003 4:10-14\n") != 0)
        printf("%s", found.data);
    text_free(&found);
    one = json_array_get(diagnostics_of(&dialogue, "file:///b.coll"), 0);
    expect_range(json_object_get(one, "range"), "4:11-5:0"); /* the CR, a line end to the editor */
    one = json_array_get(diagnostics_of(&dialogue, "file:///b.coll"), 1);
    expect_range(json_object_get(one, "range"), "5:7-5:8");
    end(&dialogue);
}

static void test_diagnostics(void)
{
    struct dialogue dialogue = begin();
    static const char twice[] = "alltoall own\nranks r: p\nlet a = 1\nlet a = 2\nstep\n  send in[a] to r\n";
    open_text(&dialogue, uri, twice, strlen(twice));
    static const char unused[] = "# Says it.\nbarrier own\nranks r: p\n"
                                 "let a = 1\nstep\n  send to r\n  recv from r\n";
    open_text(&dialogue, "untitled:1", unused, strlen(unused));
    listen(&dialogue);
    json_t *one = json_array_get(diagnostics_of(&dialogue, uri), 0);
    expect_range(json_object_get(one, "range"), "3:4-3:5");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(one, "message")),
                           "the name 'a' is already taken; choose another name");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(one, "severity")), 1);
    json_t *related = json_array_get(json_object_get(one, "relatedInformation"), 0);
    expect_range(json_object_get(json_object_get(related, "location"), "range"), "2:4-2:5");
    one = json_array_get(diagnostics_of(&dialogue, "untitled:1"), 0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(one, "code")), "W001");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(one, "severity")), 2);
    end(&dialogue);
}

/* Expects that the verifier finds this in a text, first, and nothing if there is no code. */
static void expect_found(const char *text, const char *code, const char *range, const char *words)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, text, strlen(text));
    listen(&dialogue);
    json_t *list = diagnostics_of(&dialogue, uri), *one = json_array_get(list, 0);
    CU_ASSERT_EQUAL(json_array_size(list) > 0, code != NULL);
    if (code && one) {
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(one, "code")), code);
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(one, "severity")), 1);
        expect_range(json_object_get(one, "range"), range);
        CU_ASSERT_PTR_NOT_NULL(strstr(json_string_value(json_object_get(one, "message")), words));
    }
    end(&dialogue);
}

/* The text is right, and wrong where a few ranks carry it out. */
static void test_verdicts(void)
{
    /* All wait for what their neighbour sends later. */
    expect_found("# In turn.\nbarrier own\nranks r: p\nstep\n  recv from r - 1\nstep\n  send to r + 1\n", "D001",
                 "4:2-4:17", "with 2 ranks");
    /* A message that nobody takes; data that do not arrive, from three ranks on. */
    expect_found("# Away.\nbarrier own\nranks r: p\nstep\n  if r == 0  send to 1\n", "M001", "4:2-4:22", "with 2 ranks");
    expect_found("# Not all.\nallgather own\nranks r: p\nstep\n  copy in[0] to out[r]\nstep\n"
                 "  send in[0] to r + 1\n  recv out[r-1] from r - 1\n",
                 "R001", "7:2-7:26", "with 3 ranks");
    /* Not for that many: no fault. */
    expect_found("# For two.\nallgather own\nranks r: p\nrequires p == 2\nstep\n  copy in[0] to out[r]\nstep\n"
                 "  send in[0] to r + 1\n  recv out[r-1] from r - 1\n",
                 NULL, NULL, NULL);
}

/* A change is the whole text; one that is none is logged and changes nothing. */
static void test_changes(void)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, "alltoall", 8);
    tell(&dialogue, "textDocument/didChange",
         json_pack("{s:{s:s, s:i}, s:[{s:s}, {s:s}]}", "textDocument", "uri", uri, "version", 7, "contentChanges",
                   "text", "none", "text", ring));
    tell(&dialogue, "textDocument/didChange",
         json_pack("{s:{s:s, s:i}, s:[]}", "textDocument", "uri", uri, "version", 8, "contentChanges"));
    const int hover = ask_place(&dialogue, "textDocument/hover", uri, 1, 0);
    tell(&dialogue, "textDocument/didClose", json_pack("{s:{s:s}}", "textDocument", "uri", uri));
    const int closed = ask_place(&dialogue, "textDocument/hover", uri, 1, 0);
    listen(&dialogue);
    CU_ASSERT_PTR_NOT_NULL(strstr(hover_text(&dialogue, hover), "Around."));
    CU_ASSERT_EQUAL(json_array_size(diagnostics_of(&dialogue, uri)), 0); /* taken back */
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, closed)), -32602);
    json_t *changed = json_object_get(json_array_get(dialogue.heard, 2), "params");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(changed, "version")), 7);
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(json_array_get(dialogue.heard, 3), "method")), "window/logMessage");
    end(&dialogue);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
}

/* The algorithm that a file runs stands beside it, in a folder whose name needs escapes in URIs. */
static void test_runs(void)
{
    char folder[] = "/tmp/collc lsp \xc3\xa9 XXXXXX", path[100], of_inner[200] = "file:///tmp/collc%20lsp%20%c3%a9%20";
    static const char outer[] = "# Runs.\nbcast outer(other = inner)\nranks (a: servers, b: slots) from root\n"
                                "run bcast/binomial over a\nrun bcast/other over b\n";
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/inner.coll", folder);
    write_file(path, "# Of its own.\nbcast inner\nranks r: p from root\ncosts steps p - 1\n\n"
                     "for k in 0 .. p-2\n  step\n    if r == k  send buf to r + 1\n"
                     "    if r == k + 1  recv buf from r - 1\n");
    strcat(of_inner, folder + strlen(folder) - 6);
    char *of_outer = strcat(strcpy(mem_alloc(200, 1), of_inner), "/outer.coll");
    strcat(of_inner, "/inner.coll");
    struct dialogue dialogue = begin();
    open_text(&dialogue, of_outer, outer, strlen(outer));
    const int built_in = ask_place(&dialogue, "textDocument/hover", of_outer, 3, 5);
    const int none = ask_place(&dialogue, "textDocument/definition", of_outer, 3, 5);
    const int own = ask_place(&dialogue, "textDocument/hover", of_outer, 4, 5);
    const int file = ask_place(&dialogue, "textDocument/definition", of_outer, 4, 5);
    const int parameter = ask_place(&dialogue, "textDocument/definition", of_outer, 4, 11);
    listen(&dialogue);
    CU_ASSERT_PTR_NOT_NULL(strstr(hover_text(&dialogue, built_in), "ceil_log2(p)"));
    CU_ASSERT(json_is_null(result_of(&dialogue, none)));
    CU_ASSERT_PTR_NOT_NULL(strstr(hover_text(&dialogue, own), "Of its own.\n\nsteps: p - 1"));
    const char *found = json_string_value(json_object_get(result_of(&dialogue, file), "uri"));
    CU_ASSERT(found && strcasecmp(found, of_inner) == 0);
    expect_range(json_object_get(result_of(&dialogue, parameter), "range"), "1:12-1:17");
    end(&dialogue);
    free(of_outer);
    unlink(path);
    rmdir(folder);
}

/* --- every algorithm ----------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The header and runs: where settings stand. */
static bool may_name_others(const char *text, const char *line)
{
    while (*text == '#')
        text = line_of(text, 1);
    return line == text || strncmp(line + strspn(line, " "), "run ", 4) == 0;
}

/* Each word of the code is asked for: every one has a hover but names of settings and algorithms that
 * stand for others, and what is declared is spelt as what was asked for. */
static void judge_words(const char *text, struct dialogue *dialogue, int first)
{
    int id = first, line = 0;
    const char *line_start = text;
    bool is_comment = false;
    for (const char *at = text; *at; at++) {
        is_comment = *at == '#' || (is_comment && *at != '\n');
        if (*at == '\n') {
            line++;
            line_start = at + 1;
        }
        if (is_comment || !is_letter(*at) || (at > text && is_letter(at[-1])))
            continue;
        if (!dialogue->heard) {
            ask_place(dialogue, "textDocument/definition", uri, line, (int)(at - line_start));
            ask_place(dialogue, "textDocument/hover", uri, line, (int)(at - line_start));
            continue;
        }
        json_t *found = result_of(dialogue, id++);
        const bool has_hover = *hover_text(dialogue, id++) || (*at >= '0' && *at <= '9');
        size_t length = 0;
        while (is_letter(at[length]))
            length++;
        char declared[200] = "";
        if (!json_is_null(found))
            text_at(text, json_object_get(found, "range"), declared, sizeof declared);
        const bool is_same = strlen(declared) == length && memcmp(declared, at, length) == 0;
        const bool is_size = length == 1 && *at == 'm' && strcmp(declared, "costs") == 0;
        const bool is_head = strchr(declared, ' ') != NULL;
        const bool is_setting = strchr("=,)", at[length + strspn(at + length, " ")]) != NULL &&
                                may_name_others(text, line_start);
        CU_ASSERT(!*declared || is_same || is_size || is_head);
        CU_ASSERT(has_hover || is_setting);
        if (!has_hover && !is_setting)
            printf("%d: no hover for %.*s\n", line + 1, (int)length, at);
    }
}

/* Opens, hovers over and lays out every built-in algorithm. The CPU time is for people: no test is one of
 * speed. */
static void test_library(void)
{
    double slowest = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        char name[SCENE_NAME];
        if (!scene_algorithm(i, name))
            continue;
        struct dialogue dialogue = begin();
        open_text(&dialogue, uri, file->text, file->length);
        ask_place(&dialogue, "textDocument/hover", uri, 0, 0);
        const int formatting = ask_document(&dialogue, "textDocument/formatting", uri);
        const clock_t before = clock();
        listen(&dialogue);
        const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
        slowest = seconds > slowest ? seconds : slowest;
        CU_ASSERT_EQUAL(json_array_size(diagnostics_of(&dialogue, uri)), 0);
        CU_ASSERT(json_is_array(result_of(&dialogue, formatting)));
        CU_ASSERT_EQUAL(json_array_size(result_of(&dialogue, formatting)), 0);
        end(&dialogue);
        if (IS_SHORT && i % (is_least() ? 16 : 8))
            continue;
        dialogue = begin();
        open_text(&dialogue, uri, file->text, file->length);
        const int first = dialogue.n_requests + 1;
        judge_words(file->text, &dialogue, first);
        listen(&dialogue);
        judge_words(file->text, &dialogue, first);
        end(&dialogue);
    }
    printf("slowest file: opened, hovered over and laid out in %.1f ms of CPU\n", slowest * 1e3);
}

/* --- half typed ---------------------------------------------------------- */

/* An algorithm as it is typed, byte by byte, with a question about each end. */
static void test_typing(void)
{
    static const char *const paths[] = {"compiler/algorithms/bcast/binomial.coll"};
    struct dialogue dialogue = begin();
    const char *text = ring;
    for (size_t i = 0; i < n_embedded_files && text == ring; i++)
        text = strcmp(embedded_files[i].path, paths[0]) == 0 ? embedded_files[i].text : ring;
    int line = 0, column = 0;
    for (size_t length = 0; length <= strlen(text); length++) {
        if (!is_least() || length % 25 == 0 || length == strlen(text)) {
            open_text(&dialogue, uri, text, length);
            ask_place(&dialogue, "textDocument/hover", uri, line, column);
            ask_place(&dialogue, "textDocument/definition", uri, line, column);
            ask_place(&dialogue, "textDocument/completion", uri, line, column);
            ask_place(&dialogue, "textDocument/references", uri, line, column);
            ask_place(&dialogue, "textDocument/prepareRename", uri, line, column);
            ask_document(&dialogue, "textDocument/documentSymbol", uri);
            ask_document(&dialogue, "textDocument/formatting", uri);
        }
        column = text[length] == '\n' ? 0 : column + 1;
        line += text[length] == '\n';
    }
    listen(&dialogue);
    for (int id = 1; id <= dialogue.n_requests; id++)
        result_of(&dialogue, id);
    CU_ASSERT_EQUAL(json_array_size(diagnostics_of(&dialogue, uri)), 0); /* in the end it is right */
    end(&dialogue);
}

/* Opens a text as large as an algorithm may be, with names and errors up to the limits. */
static void test_large(void)
{
    struct dialogue dialogue = begin();
    struct text text = {0};
    text_printf(&text, "barrier own\nranks r: p\n");
    for (int i = 0; i < 9990; i++)
        text_printf(&text, "let v%d = %d # %080d\n", i, i, 0);
    text_printf(&text, "step\n  send to r\n  recv from none\n");
    open_text(&dialogue, uri, text.data, text.length);
    const int symbols = ask_document(&dialogue, "textDocument/documentSymbol", uri);
    const int hover = ask_place(&dialogue, "textDocument/hover", uri, 9991, 5);
    const clock_t before = clock();
    listen(&dialogue);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    printf("%zu bytes: %.2f s of CPU\n", text.length, seconds);
    CU_ASSERT_PTR_NOT_NULL(strstr(hover_text(&dialogue, hover), "let v9989 = 9989"));
    json_t *algorithm = json_array_get(result_of(&dialogue, symbols), 0);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(algorithm, "children")), 9991);
    expect_range(json_object_get(json_array_get(diagnostics_of(&dialogue, uri), 0), "range"), "9994:12-9994:16");
    text_free(&text);
    end(&dialogue);
}

/* The layout of a text that is not as it is to be; applied, it is what it replaces all of. */
static void test_formatting(void)
{
    struct dialogue dialogue = begin();
    static const char loose[] = "barrier own\nranks r:p\nstep\n    send to   r+1\n    recv from r-1 # \xc3\xa9";
    open_text(&dialogue, uri, loose, strlen(loose));
    const int id = ask_document(&dialogue, "textDocument/formatting", uri);
    open_text(&dialogue, "file:///wrong.coll", "barrier", 7);
    const int wrong = ask_document(&dialogue, "textDocument/formatting", "file:///wrong.coll");
    listen(&dialogue);
    json_t *edit = json_array_get(result_of(&dialogue, id), 0);
    expect_range(json_object_get(edit, "range"), "0:0-4:21");
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(edit, "newText")),
                           "barrier own\nranks r: p\nstep\n  send to r + 1\n  recv from r - 1  # \xc3\xa9\n");
    CU_ASSERT(json_is_null(result_of(&dialogue, wrong)));
    end(&dialogue);
}

UNIT_PROGRAM(test_lsp)
{
    CU_TestInfo tests[] = {
        {"initialize, shutdown and exit", test_life},
        {"leaving without a word", test_leaving},
        {"wrong messages", test_wrong_messages},
        {"long messages", test_long_messages},
        {"what stands where, and where it is declared", test_places},
        {"symbols", test_symbols},
        {"characters of UTF-16", test_utf16},
        {"diagnostics", test_diagnostics},
        {"verdicts", test_verdicts},
        {"changes", test_changes},
        {"algorithms that run others", test_runs},
        {"every built-in algorithm", test_library},
        {"half typed", test_typing},
        {"large", test_large},
        {"layout", test_formatting},
        CU_TEST_INFO_NULL,
    };
    return run_suite("lsp", tests);
}
