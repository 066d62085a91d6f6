/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The language server: where names stand, other names, what may stand at a place, and what mends an error.
 */
#include "base/embedded.h"

#include "dialogue.h"
#include "scene.h"

/* Applies the edits of a document, in one line each, to places of the old text; the text is to be freed. */
static char *with_edits(const char *text, json_t *edits)
{
    struct text out = {0};
    json_t *edit;
    size_t i;
    for (size_t at = 0; at <= strlen(text); at++) {
        size_t skipped = 0;
        json_array_foreach(edits, i, edit)
        {
            int line = 0, from = 0, to = 0;
            const char *by = "";
            json_unpack(edit, "{s:{s:{s:i, s:i}, s:{s:i}}, s:s}", "range", "start", "line", &line,
                        "character", &from, "end", "character", &to, "newText", &by);
            if ((size_t)(line_of(text, line) - text) + (size_t)from != at)
                continue;
            text_append(&out, by, strlen(by));
            skipped = (size_t)(to - from);
        }
        at += skipped;
        text_append(&out, text + at, text[at] != '\0');
    }
    return out.data;
}

static json_t *edits_of(json_t *result)
{
    return json_object_get(json_object_get(result, "changes"), uri);
}

static int ask_rename(struct dialogue *dialogue, int line, int character, const char *name)
{
    return ask(dialogue, "textDocument/rename",
               json_pack("{s:{s:s}, s:{s:i, s:i}, s:s}", "textDocument", "uri", uri, "position", "line", line,
                         "character", character, "newName", name));
}

static bool has_errors(const struct dialogue *dialogue)
{
    json_t *one, *list = diagnostics_of(dialogue, uri);
    size_t i;
    json_array_foreach(list, i,
                       one) if (json_integer_value(json_object_get(one, "severity")) == 1) return true;
    return false;
}

static const char around[] =
    "# Around.\nalltoall own(turns = 1)\nranks r: p\nlet last = p - turns\n\ndef post(d)\n"
    "  send in[r+d] to r + d\n  recv out[r-d] from r - d\n\nfor i in 0 .. last\n  step\n"
    "    post(i)\n";

static void test_references(void)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, around, strlen(around));
    const int all = ask(&dialogue, "textDocument/references",
                        json_pack("{s:{s:s}, s:{s:i, s:i}, s:{s:b}}", "textDocument", "uri", uri, "position",
                                  "line", 6, "character", 10, "context", "includeDeclaration", 1));
    const int uses = ask(&dialogue, "textDocument/references",
                         json_pack("{s:{s:s}, s:{s:i, s:i}, s:{s:b}}", "textDocument", "uri", uri, "position",
                                   "line", 11, "character", 5, "context", "includeDeclaration", 0));
    const int none = ask_place(&dialogue, "textDocument/references", uri, 0, 3);
    listen(&dialogue);
    CU_ASSERT_EQUAL(json_array_size(result_of(&dialogue, all)), 5); /* r: ranks, two lines of two */
    CU_ASSERT_EQUAL(json_array_size(result_of(&dialogue, uses)), 1);
    expect_range(json_object_get(json_array_get(result_of(&dialogue, uses), 0), "range"), "11:4-11:8");
    CU_ASSERT_EQUAL(json_array_size(result_of(&dialogue, none)), 0);
    end(&dialogue);
}

static void test_rename(void)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, around, strlen(around));
    const int good = ask_rename(&dialogue, 6, 12, "distance");
    static const char *const bad[] = {"r", "post", "recv", "p", "1a", "a b", "", "segments"};
    int refused[8];
    for (int i = 0; i < 8; i++)
        refused[i] = ask_rename(&dialogue, 6, 12, bad[i]);
    const int word = ask_rename(&dialogue, 6, 3, "other"),
              own = ask_place(&dialogue, "textDocument/prepareRename", uri, 5, 9),
              not = ask_place(&dialogue, "textDocument/prepareRename", uri, 6, 3);
    open_text(&dialogue, uri, "alltoall own\nranks r: p\nstep\n  send in[q] to r\n", 45);
    const int wrong = ask_rename(&dialogue, 1, 6, "other");
    listen(&dialogue);
    char *text = with_edits(around, edits_of(result_of(&dialogue, good)));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "def post(distance)\n  send in[r+distance] to r + distance\n"
                                        "  recv out[r-distance] from r - distance\n"));
    free(text);
    for (int i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, refused[i])), -32602);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, word)), -32602);
    CU_ASSERT_EQUAL(error_code(answer_to(&dialogue, wrong)), -32602);
    expect_range(result_of(&dialogue, own), "5:9-5:10");
    CU_ASSERT(json_is_null(result_of(&dialogue, not )));
    end(&dialogue);
}

static bool is_in_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct declared {
    int line, character;
};

static int compare_declared(const void *a, const void *b)
{
    const struct declared *x = a, *y = b;
    return x->line != y->line ? x->line - y->line : x->character - y->character;
}

/* Returns the places of the names that the text declares and uses, ascending, each once. On the heap. Asked
 * are the words, outside of notes. */
static struct declared *declared_in(const char *text, size_t *n)
{
    struct dialogue dialogue = begin();
    struct declared *places = mem_alloc(strlen(text) + 1, sizeof *places);
    int line = 0, column = 0, first = 0;
    bool is_note = false;
    open_text(&dialogue, uri, text, strlen(text));
    for (const char *at = text; *at; at++) {
        is_note = *at == '#' || (is_note && *at != '\n');
        if (!is_note && is_in_word(*at) && (at == text || !is_in_word(at[-1]))) {
            ask_place(&dialogue, "textDocument/definition", uri, line, column);
            first = first ? first : dialogue.n_requests;
        }
        column = *at == '\n' ? 0 : column + 1;
        line += *at == '\n';
    }
    listen(&dialogue);
    size_t n_found = 0;
    for (int id = first; id && id <= dialogue.n_requests; id++) {
        json_t *found = json_object_get(answer_to(&dialogue, id), "result");
        struct declared *place = &places[n_found];
        n_found += json_is_object(found) && !json_unpack(found, "{s:{s:{s:i, s:i}}}", "range", "start", "line",
                                                         &place->line, "character", &place->character);
    }
    end(&dialogue);
    qsort(places, n_found, sizeof *places, compare_declared);
    *n = 0;
    for (size_t i = 0; i < n_found; i++)
        if (!*n || compare_declared(&places[*n - 1], &places[i]) != 0)
            places[(*n)++] = places[i];
    return places;
}

/* Names of all algorithms get other ones, in the usual form one in 24: that is as right, and the old name
 * makes the old text of it. */
static void test_library(void)
{
    const size_t step = by_form(is_least() ? 120 : 60, 1, 1), every = by_form(1, 24, 1);
    int n_renamed = 0, n_back = 0;
    size_t n_names = 0;
    for (size_t i = 0; i < n_embedded_files; i += step) {
        char name[SCENE_NAME];
        const char *text = embedded_files[i].text;
        if (!scene_algorithm(i, name))
            continue;
        size_t n_places;
        struct declared *places = declared_in(text, &n_places);
        for (size_t k = 0; k < n_places; k++) {
            if (n_names++ % every)
                continue;
            const int line = places[k].line, at = places[k].character;
            struct dialogue dialogue = begin();
            open_text(&dialogue, uri, text, strlen(text));
            const int id = ask_rename(&dialogue, line, at, "zz_other");
            listen(&dialogue);
            char *other = with_edits(text, edits_of(json_object_get(answer_to(&dialogue, id), "result")));
            end(&dialogue);
            if (strcmp(other, text) == 0) { /* the line of `costs`, and the head */
                free(other);
                continue;
            }
            dialogue = begin();
            open_text(&dialogue, uri, other, strlen(other));
            const char *was = line_of(text, line) + at;
            char old[100] = "";
            for (size_t n = 0; n < sizeof old - 1 && is_in_word(was[n]); n++)
                old[n] = was[n], old[n + 1] = '\0';
            const int back = ask_rename(&dialogue, line, at, old);
            listen(&dialogue);
            const bool is_wrong = has_errors(&dialogue);
            CU_ASSERT(!is_wrong);
            char *again = with_edits(other, edits_of(json_object_get(answer_to(&dialogue, back), "result")));
            /* refused where another loop has the name */
            const bool is_back = strcmp(again, text) == 0 || error_code(answer_to(&dialogue, back));
            CU_ASSERT(is_back);
            n_back += strcmp(again, text) == 0;
            if (is_wrong || !is_back)
                printf("%s: %s at %d:%d\n", name, old, line + 1, at + 1);
            free(again);
            free(other);
            end(&dialogue);
            n_renamed++;
        }
        free(places);
    }
    CU_ASSERT(n_back > n_renamed / 2 && n_renamed > 400 / (int)(step > 1 ? step : 5));
    printf("%d names, %d of them back\n", n_renamed, n_back);
}

/* Expects the labels that are offered behind a text, with blanks between, in any order; "-WORD" is not among
 * them. */
static void expect_offered(const char *text, const char *wanted)
{
    struct dialogue dialogue = begin();
    int line = 0, column = 0;
    for (const char *at = text; *at; at++) {
        column = *at == '\n' ? 0 : column + 1;
        line += *at == '\n';
    }
    open_text(&dialogue, uri, text, strlen(text));
    const int id = ask_place(&dialogue, "textDocument/completion", uri, line, column);
    listen(&dialogue);
    json_t *list = result_of(&dialogue, id), *one;
    for (const char *at = wanted; *at; at += strcspn(at, " "), at += *at == ' ') {
        const bool is_unwanted = *at == '-';
        const size_t length = strcspn(at, " ") - is_unwanted;
        bool is_there = false;
        size_t i;
        json_array_foreach(list, i, one)
        {
            const char *label = json_string_value(json_object_get(one, "label"));
            is_there |= strlen(label) == length && strncmp(label, at + is_unwanted, length) == 0;
        }
        CU_ASSERT(is_there != is_unwanted);
        if (is_there == is_unwanted)
            printf("behind '%s': %.*s\n", text, (int)length + is_unwanted, at);
    }
    end(&dialogue);
}

static void test_completion(void)
{
    struct dialogue dialogue = begin(); /* a byte 0 ends no text */
    open_text(&dialogue, uri, "# a\n\0b", 6);
    const int id = ask_place(&dialogue, "textDocument/completion", uri, 1, 2);
    listen(&dialogue);
    CU_ASSERT(json_is_array(result_of(&dialogue, id)));
    end(&dialogue);
    expect_offered("# Says it.\nall", "alltoall allreduce allgather alltoallv -bcast -send");
    expect_offered("", "bcast neighbor_alltoall pattern -send");
    expect_offered("alltoall own\nranks r: p\nst", "step -send");
    expect_offered("alltoall own(turns = 1)\nranks r: p\nlet last = p\nstep\n  send in[",
                   "r turns last p floor_log2 min -i");
    expect_offered("alltoall own\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+", "i r");
    expect_offered(
        "alltoall own\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r\nstep\n  send in[",
        "r -i");
    expect_offered(
        "alltoall own\nranks r: p\ndef post(d)\n  send in[r+d] to r + d\nfor i in 0 .. 1\n  step\n    po",
        "post -d");
    expect_offered("alltoall own\nranks r: p\nrun all", "allreduce -send");
    expect_offered("alltoall own # a", "-alltoall -as");
}

/* Expects an action with this title on a line, after which the text has no error; title NULL: none. */
static void expect_action(const char *text, int line, const char *title)
{
    struct dialogue dialogue = begin();
    open_text(&dialogue, uri, text, strlen(text));
    const int id = ask(&dialogue, "textDocument/codeAction",
                       json_pack("{s:{s:s}, s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:{s:[]}}", "textDocument", "uri",
                                 uri, "range", "start", "line", line, "character", 0, "end", "line", line,
                                 "character", 40, "context", "diagnostics"));
    listen(&dialogue);
    json_t *list = result_of(&dialogue, id), *one;
    bool is_found = false;
    size_t i;
    json_array_foreach(list, i, one)
    {
        const char *found = json_string_value(json_object_get(one, "title"));
        is_found |= title && strcmp(found, title) == 0;
        if (!title || strcmp(found, title) != 0)
            printf("offered: %s\n", found);
        struct dialogue mended = begin();
        char *other = with_edits(text, edits_of(json_object_get(one, "edit")));
        CU_ASSERT(has_errors(&dialogue));
        open_text(&mended, uri, other, strlen(other));
        listen(&mended);
        CU_ASSERT(!has_errors(&mended));
        free(other);
        end(&mended);
    }
    CU_ASSERT(is_found == (title != NULL));
    CU_ASSERT(title || json_array_size(list) == 0);
    if (is_found != (title != NULL))
        printf("not offered: %s\n", title ? title : "");
    end(&dialogue);
}

static void test_actions(void)
{
    expect_action(
        "# Around.\nalltoall own\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i\n", 5,
        "Add 'recv out[r-i] from r - i'");
    expect_action("# No end of line.\nalltoall own\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i", 5,
                  "Add 'recv out[r-i] from r - i'");
    expect_action("# Two.\nbarrier own\nranks r: p\nrequires p == 2\nstep\n  if r == 0  send to p - 1\n"
                  "  if r == p - 1  send to 0\n  if r == p - 1  recv from 0\n",
                  6, "Add 'if r == 0  recv from p - 1'");
    expect_action(
        "# Around.\nallgather own\nranks r: p\nstep\n  copy in[0] to out[r]\nfor k in 0 .. p-2\n  step\n"
        "    send out[r-k] to r + 1\n",
        7, "Add 'recv out[(r-1)-k] from r - 1'");
    expect_action("# Powers of two.\nallreduce own\nranks r: p\nfor k in 0 .. ceil_log2(p)-1\n  step\n"
                  "    send buf to r xor 2^k\n    reduce buf from r xor 2^k\n",
                  5, "Add 'requires 2^floor_log2(p) == p', with which it is right");
    expect_action(around, 6, NULL);
    /* no receive and no condition makes this right */
    expect_action("# Nothing.\nalltoall own\nranks r: p\nstep\n  send in[r+1] to r + 1\n", 4, NULL);
}

UNIT_PROGRAM(test_lsp_names)
{
    CU_TestInfo tests[] = {
        {"where a name stands", test_references},     {"another name", test_rename},
        {"other names of the library", test_library}, {"what may stand here", test_completion},
        {"what mends an error", test_actions},        CU_TEST_INFO_NULL,
    };
    return run_suite("lsp_names", tests);
}
