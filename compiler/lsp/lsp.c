/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The methods. Each request is answered before the next message is read; a change of a document is
 * followed by its diagnostics.
 */
#include "compiler/lsp/lsp.h"

#include "compiler/lsp/answers.h"
#include "compiler/lsp/message.h"

#include <string.h>

/* Error codes of JSON-RPC and of the protocol. */
enum failure {
    NO_FAILURE = 0,
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMETERS = -32602,
    NOT_INITIALIZED = -32002
};

struct server {
    FILE *out;
    const char *version;
    struct document *documents;
    bool is_initialized, is_shut_down, has_exited;
    enum failure failure; /* of the method that runs, with `problem` */
    char problem[200];
};

/* --- what goes out ------------------------------------------------------- */

static void send_message(struct server *server, json_t *message)
{
    if (!message_write(server->out, message))
        fatal("cannot write to the client:");
    json_decref(message);
}

static void notify(struct server *server, const char *method, json_t *parameters)
{
    send_message(server, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", parameters));
}

/* `id`: NULL where the request could not be read. */
static void lsp_refuse(struct server *server, json_t *id, enum failure failure, const char *problem)
{
    send_message(server, json_pack("{s:s, s:o, s:{s:i, s:o}}", "jsonrpc", "2.0", "id",
                                   id ? json_incref(id) : json_null(), "error", "code", (int)failure,
                                   "message", message_string(problem)));
}

static void lsp_publish(struct server *server, const struct document *document)
{
    notify(server, "textDocument/publishDiagnostics", answer_diagnostics(document));
}

/* --- parameters ---------------------------------------------------------- */

static json_t *lsp_fail(struct server *server, enum failure failure, const char *problem)
{
    server->failure = failure;
    snprintf(server->problem, sizeof server->problem, "%s", problem);
    return NULL;
}

static struct document **lsp_find_slot(struct server *server, const char *uri)
{
    struct document **slot = &server->documents;
    while (*slot && strcmp((*slot)->uri, uri) != 0)
        slot = &(*slot)->next;
    return slot;
}

/* textDocument.uri of an open document; NULL after saying what is wrong. */
static struct document *document_named(struct server *server, json_t *parameters)
{
    const char *uri;
    json_error_t error;
    if (json_unpack_ex(parameters, &error, 0, "{s:{s:s}}", "textDocument", "uri", &uri) != 0) {
        lsp_fail(server, INVALID_PARAMETERS, error.text);
        return NULL;
    }
    struct document *document = *lsp_find_slot(server, uri);
    if (!document)
        lsp_fail(server, INVALID_PARAMETERS, "the document is not open");
    return document;
}

/* Does the same, and finds the byte of `position`. */
static struct document *document_with_place(struct server *server, json_t *parameters, size_t *offset)
{
    struct document *document = document_named(server, parameters);
    json_int_t line, character;
    json_error_t error;
    if (!document)
        return NULL;
    if (json_unpack_ex(parameters, &error, 0, "{s:{s:I, s:I}}", "position", "line", &line, "character",
                       &character) != 0) {
        lsp_fail(server, INVALID_PARAMETERS, error.text);
        return NULL;
    }
    *offset = document_offset(document, line, character);
    return document;
}

/* --- requests: the result, or NULL and a failure ------------------------- */

static json_t *initialize(struct server *server, json_t *parameters)
{
    (void)parameters;
    if (server->is_initialized)
        return lsp_fail(server, INVALID_REQUEST, "the server is initialized already");
    server->is_initialized = true;
    return json_pack("{s:{s:{s:b, s:i, s:b}, s:b, s:b, s:b, s:b, s:b, s:{}, s:{s:b}, s:{s:[s]}}, s:{s:s, s:s}}",
                     "capabilities",
                     "textDocumentSync", "openClose", 1, "change", 1 /* whole texts */, "save", 1,
                     "hoverProvider", 1, "definitionProvider", 1, "documentSymbolProvider", 1,
                     "documentFormattingProvider", 1, "referencesProvider", 1, "completionProvider", "renameProvider",
                     "prepareProvider", 1, "codeActionProvider", "codeActionKinds", "quickfix", "serverInfo", "name", "collc", "version",
                     server->version);
}

static json_t *shut_down(struct server *server, json_t *parameters)
{
    (void)parameters;
    server->is_shut_down = true;
    return json_null();
}

static json_t *references(struct server *server, json_t *parameters)
{
    size_t offset;
    const struct document *document = document_with_place(server, parameters, &offset);
    const json_t *context = json_object_get(parameters, "context");
    return document ? answer_references(document, offset,
                                        json_is_true(json_object_get(context, "includeDeclaration")))
                    : NULL;
}

static json_t *lsp_rename(struct server *server, json_t *parameters)
{
    size_t offset;
    const struct document *document = document_with_place(server, parameters, &offset);
    const char *name = json_string_value(json_object_get(parameters, "newName")), *problem = "'newName' is missing";
    json_t *edits = document && name ? answer_rename(document, offset, name, &problem) : NULL;
    return edits || !document ? edits : lsp_fail(server, INVALID_PARAMETERS, problem);
}

static json_t *actions(struct server *server, json_t *parameters)
{
    const struct document *document = document_named(server, parameters);
    json_int_t line[2], character[2];
    json_error_t error;
    if (!document)
        return NULL;
    if (json_unpack_ex(parameters, &error, 0, "{s:{s:{s:I, s:I}, s:{s:I, s:I}}}", "range", "start", "line", &line[0],
                       "character", &character[0], "end", "line", &line[1], "character", &character[1]) != 0)
        return lsp_fail(server, INVALID_PARAMETERS, error.text);
    return answer_actions(document, document_offset(document, line[0], character[0]),
                          document_offset(document, line[1], character[1]));
}

/* --- notifications: NULL, with or without a failure ---------------------- */

static json_t *initialized(struct server *server, json_t *parameters)
{
    (void)server, (void)parameters;
    return NULL;
}

static json_t *lsp_leave(struct server *server, json_t *parameters)
{
    (void)parameters;
    server->has_exited = true;
    return NULL;
}

static json_t *did_open(struct server *server, json_t *parameters)
{
    const char *uri, *text;
    size_t length;
    json_int_t version = 0;
    json_error_t error;
    if (json_unpack_ex(parameters, &error, 0, "{s:{s:s, s:s%, s?I}}", "textDocument", "uri", &uri, "text",
                       &text, &length, "version", &version) != 0)
        return lsp_fail(server, INVALID_PARAMETERS, error.text);
    struct document **slot = lsp_find_slot(server, uri);
    if (!*slot)
        *slot = document_new(uri);
    (*slot)->version = version;
    document_set(*slot, text, length);
    lsp_publish(server, *slot);
    return NULL;
}

/* Takes the last of several changes: each is the whole text. */
static json_t *did_change(struct server *server, json_t *parameters)
{
    struct document *document = document_named(server, parameters);
    json_t *changes = json_object_get(parameters, "contentChanges");
    json_t *last = json_array_get(changes, json_array_size(changes) - 1);
    const json_t *text = json_object_get(last, "text");
    if (!document)
        return NULL;
    if (!json_is_string(text) || json_object_get(last, "range"))
        return lsp_fail(server, INVALID_PARAMETERS, "a change is the whole text");
    document->version = json_integer_value(json_object_get(json_object_get(parameters, "textDocument"), "version"));
    document_set(document, json_string_value(text), json_string_length(text));
    lsp_publish(server, document);
    return NULL;
}

/* Others may run it. */
static json_t *did_save(struct server *server, json_t *parameters)
{
    (void)parameters;
    for (struct document *document = server->documents; document; document = document->next) {
        document_renew(document);
        lsp_publish(server, document);
    }
    return NULL;
}

static json_t *did_close(struct server *server, json_t *parameters)
{
    struct document *document = document_named(server, parameters);
    if (!document)
        return NULL;
    notify(server, "textDocument/publishDiagnostics",
           json_pack("{s:s, s:[]}", "uri", document->uri, "diagnostics"));
    *lsp_find_slot(server, document->uri) = document->next;
    document_free(document);
    return NULL;
}

/* --- what comes in ------------------------------------------------------- */

/* One of `run`, `at` and `whole` answers: of any parameters, of a place in a document, of a document. */
static const struct method {
    const char *name;
    bool is_request;
    json_t *(*run)(struct server *server, json_t *parameters);
    json_t *(*at)(const struct document *document, size_t offset);
    json_t *(*whole)(const struct document *document);
} methods[] = {
    {"initialize", true, .run = initialize},
    {"initialized", false, .run = initialized},
    {"shutdown", true, .run = shut_down},
    {"exit", false, .run = lsp_leave},
    {"textDocument/didOpen", false, .run = did_open},
    {"textDocument/didChange", false, .run = did_change},
    {"textDocument/didSave", false, .run = did_save},
    {"textDocument/didClose", false, .run = did_close},
    {"textDocument/hover", true, .at = answer_hover},
    {"textDocument/definition", true, .at = answer_definition},
    {"textDocument/documentSymbol", true, .whole = answer_symbols},
    {"textDocument/references", true, .run = references},
    {"textDocument/prepareRename", true, .at = answer_prepare_rename},
    {"textDocument/rename", true, .run = lsp_rename},
    {"textDocument/completion", true, .at = answer_completion},
    {"textDocument/codeAction", true, .run = actions},
    {"textDocument/formatting", true, .whole = answer_formatting},
};

static const struct method *find_method(const char *name, bool is_request)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].is_request == is_request && strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

/* True if a method may be called now; else sets the failure. */
static bool is_in_time(struct server *server, const struct method *method)
{
    if (!server->is_initialized && method->run != initialize)
        lsp_fail(server, NOT_INITIALIZED, "the first request is 'initialize'");
    else if (server->is_shut_down)
        lsp_fail(server, INVALID_REQUEST, "the server is shut down");
    return server->failure == NO_FAILURE || method->run == lsp_leave;
}

static json_t *run_method(struct server *server, const struct method *method, json_t *parameters)
{
    size_t offset = 0;
    const struct document *document;
    if (method->run)
        return method->run(server, parameters);
    document = method->at ? document_with_place(server, parameters, &offset)
                          : document_named(server, parameters);
    if (!document)
        return NULL;
    return method->at ? method->at(document, offset) : method->whole(document);
}

static void answer_request(struct server *server, json_t *id, const char *name, json_t *parameters)
{
    const struct method *method = find_method(name, true);
    json_t *result = NULL;
    if (!method) {
        server->failure = METHOD_NOT_FOUND;
        snprintf(server->problem, sizeof server->problem, "no method '%.100s'", name);
    } else if (is_in_time(server, method))
        result = run_method(server, method, parameters);
    if (result)
        send_message(server, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
    else
        lsp_refuse(server, id, server->failure, server->problem);
}

/* Notifications have no answer: what is wrong with one is logged. Those that are not known are of no
 * account. */
static void take_notification(struct server *server, const char *name, json_t *parameters)
{
    enum { MESSAGE_TYPE_ERROR = 1 };
    const struct method *method = find_method(name, false);
    if (method && is_in_time(server, method))
        run_method(server, method, parameters);
    if (method && server->is_initialized && server->failure != NO_FAILURE && !server->has_exited)
        notify(server, "window/logMessage",
               json_pack("{s:i, s:o}", "type", MESSAGE_TYPE_ERROR, "message", message_string(server->problem)));
}

static void take_message(struct server *server, json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const char *name = json_string_value(json_object_get(message, "method"));
    json_t *parameters = json_object_get(message, "params");
    const bool is_answer = json_object_get(message, "result") || json_object_get(message, "error");
    server->failure = NO_FAILURE;
    if (!name && !is_answer)
        lsp_refuse(server, id, INVALID_REQUEST, "a message without a method");
    else if (id && !json_is_string(id) && !json_is_integer(id))
        lsp_refuse(server, NULL, INVALID_REQUEST, "an id is a number or a string");
    else if (name && id)
        answer_request(server, id, name, parameters);
    else if (name)
        take_notification(server, name, parameters);
}

static void take_content(struct server *server, const struct text *content)
{
    json_error_t error;
    json_t *message = json_loadb(content->data, content->length, JSON_ALLOW_NUL, &error);
    if (message)
        take_message(server, message);
    else
        lsp_refuse(server, NULL, PARSE_ERROR, error.text);
    json_decref(message);
}

bool lsp_serve(FILE *in, FILE *out, const char *version)
{
    struct server server = {.out = out, .version = version};
    struct text content = {0};
    const char *problem;
    enum message_state state = MESSAGE_READ;
    while (!server.has_exited && (state = message_read(in, &content, &problem)) != MESSAGE_END)
        if (state == MESSAGE_READ)
            take_content(&server, &content);
        else
            lsp_refuse(&server, NULL, PARSE_ERROR, problem);
    for (struct document *document = server.documents, *next; document; document = next) {
        next = document->next;
        document_free(document);
    }
    text_free(&content);
    return server.has_exited && server.is_shut_down;
}
