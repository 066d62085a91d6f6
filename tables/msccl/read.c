/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the attributes of a file, and looks for XML that is right and that the loaders' own reader of
 * characters does not take.
 */
#include "base/codes.h"
#include "base/text/xml.h"
#include "tables/msccl/msccl.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 255 };

const char *const algo_attribute_names[ALGO_N_ATTRIBUTES] = {
#define ATTRIBUTE(word, kind, msccl, executor) #word,
#include "tables/msccl/attributes.def"
};
const enum algo_kind algo_kinds[ALGO_N_ATTRIBUTES] = {
#define ATTRIBUTE(word, kind, msccl, executor) KIND_##kind,
#include "tables/msccl/attributes.def"
};

enum algo_use algo_use(const struct algo_version *version, enum algo_attribute attribute)
{
    static const enum algo_use uses[ALGO_N_ATTRIBUTES][2] = {
#define ATTRIBUTE(word, kind, msccl, executor) {USE_##msccl, USE_##executor},
#include "tables/msccl/attributes.def"
    };
    return uses[attribute][version->is_executor];
}

/* ---- the loaders' reader of characters ---- */

static bool algo_trap(struct algo *algo, const char *at, size_t length, const char *words)
{
    if (!algo->trap.length) {
        algo->trap = (struct slice){at, length};
        algo->trap_words = words;
    }
    return false;
}

/* Checks from an attribute's '=' on, and returns the end of its value; NULL after noting what is wrong. */
static const char *algo_check_value(struct algo *algo, const char *equals, const char *end)
{
    const char *open = equals + 1;
    const char *close = open < end ? memchr(open + 1, *open, (size_t)(end - open) - 1) : NULL;
    if (open == end || *open != '"' || !close)
        return algo_trap(algo, equals, 1, "a value that does not begin with '\"' behind '='"), NULL;
    if (close - open > MOST_VALUE)
        return algo_trap(algo, open, 1, "a value of more than 254 bytes"), NULL;
    return close + 1;
}

/* Checks a tag from '<' on: a blank, and nothing else, stands before each attribute. Returns its end. */
static const char *check_tag(struct algo *algo, const char *at, const char *end)
{
    if (end - at > 1 &&
        (at[1] == '?' || (at[1] == '!' && !slice_starts((struct slice){at, (size_t)(end - at)}, "<!--"))))
        return algo_trap(algo, at, 2, "a declaration in front"), NULL;
    while (at < end && *at != '>') {
        if (*at == '\n' || *at == '\r' || *at == '\t')
            return algo_trap(algo, at, 1, "a line end or a tab between attributes"), NULL;
        at = *at == '=' ? algo_check_value(algo, at, end) : at + 1;
        if (!at)
            return NULL;
    }
    return at < end ? at + 1 : end;
}

static void check_characters(struct algo *algo)
{
    const char *at = source_start(algo->source), *end = algo->source->text + algo->source->length;
    while (at && at < end) {
        const struct slice rest = {at, (size_t)(end - at)};
        if (slice_starts(rest, "<!--")) {
            while (at < end && !slice_starts((struct slice){at, (size_t)(end - at)}, "-->"))
                at++;
            at += at < end ? 3 : 0;
        } else if (*at == '<') {
            at = check_tag(algo, at, end);
        } else if (*at == ' ' || *at == '\n' || *at == '\r') {
            at++;
        } else {
            (void)algo_trap(algo, at, 1, *at == '\t' ? "a tab" : "text between elements");
            return;
        }
    }
}

/* ---- attributes ---- */

static void read_attributes(struct xml_reader *xml, const xmlNode *root, const struct algo_version *version,
                            struct algo *algo)
{
    algo->element = xml_element_slice(xml, root);
    for (unsigned i = 0; i < ALGO_N_ATTRIBUTES; i++) {
        const char *value = xml_find_attribute(root, algo_attribute_names[i]);
        if (!value)
            continue;
        algo->texts[i] = xml_attribute_slice(xml, root, algo_attribute_names[i], true);
        algo->numbers[i] = strtoll(value, NULL, 0);
    }
    for (const xmlAttr *attribute = root->properties; attribute && !algo->other.length;
         attribute = attribute->next) {
        unsigned i = 0;
        while (i < ALGO_N_ATTRIBUTES && strcmp((const char *)attribute->name, algo_attribute_names[i]) != 0)
            i++;
        if (i == ALGO_N_ATTRIBUTES || algo_use(version, i) == USE_NONE)
            algo->other = xml_attribute_slice(xml, root, (const char *)attribute->name, false);
    }
}

static bool algo_read_file(const struct algo_version *version, const struct source *source, struct algo *algo,
                      struct diagnostics *diagnostics)
{
    *algo = (struct algo){.source = source, .rule = {.line = 1}};
    if (!source_check_utf8(source, diagnostics))
        return false;
    struct xml_reader xml = {.source = source, .diagnostics = diagnostics};
    xmlDoc *document = xml_parse(&xml);
    const xmlNode *root = document ? libxml2()->xmlDocGetRootElement(document) : NULL;
    if (root)
        read_attributes(&xml, root, version, algo);
    libxml2()->xmlFreeDoc(document);
    algo->rule.line = algo->element.length ? slice_position(source, algo->element).line : 1;
    check_characters(algo);
    return root && !xml.failed;
}

/* ---- why a file is refused ---- */

static bool is_among_words(const char *const *words, struct slice text)
{
    while (*words && !slice_is(text, *words))
        words++;
    return *words;
}

const char *algo_refused(const struct algo_version *version, const struct algo *algo, struct slice *place)
{
    static const char *const protocols[] = {"Simple", "LL", "LL128", NULL};
    *place = algo->element;
    if (algo->trap.length)
        return *place = algo->trap, algo->trap_words;
    for (unsigned i = 0; i < ALGO_N_ATTRIBUTES; i++)
        if (!algo->texts[i].text && algo_use(version, i) == USE_MUST)
            return i == ALGO_outofplace  ? "the attribute 'outofplace' is missing"
                   : i == ALGO_minBytes  ? "the attribute 'minBytes' is missing"
                   : i == ALGO_maxBytes  ? "the attribute 'maxBytes' is missing"
                   : i == ALGO_proto     ? "the attribute 'proto' is missing"
                   : i == ALGO_nchannels ? "the attribute 'nchannels' is missing"
                   : i == ALGO_coll      ? "the attribute 'coll' is missing"
                   : i == ALGO_name
                       ? "the attribute 'name' is missing"
                       : "one of the attributes 'ngpus', 'nchunksperloop' and 'inplace' is missing";
    if (!is_among_words(protocols, algo->texts[ALGO_proto]))
        return *place = algo->texts[ALGO_proto], "a protocol is Simple, LL or LL128";
    if (!is_among_words(version->collectives, algo->texts[ALGO_coll]))
        return *place = algo->texts[ALGO_coll],
               version->is_executor
                   ? "it takes no collective of that name: reduce_scatter is reducescatter here"
                   : "it takes no collective of that name: reducescatter is reduce_scatter here";
    if (version->is_executor)
        return NULL;
    if (algo->numbers[ALGO_nthreads] % 32)
        return *place = algo->texts[ALGO_nthreads], "threads come in multiples of 32";
    if (algo->numbers[ALGO_minBytes] < 0 || algo->numbers[ALGO_maxBytes] < 0)
        return *place = algo->texts[algo->numbers[ALGO_minBytes] < 0 ? ALGO_minBytes : ALGO_maxBytes],
               "the number is negative";
    if (algo->texts[ALGO_maxBytes].text && algo->numbers[ALGO_minBytes] > algo->numbers[ALGO_maxBytes])
        return *place = algo->texts[ALGO_minBytes], "minBytes is above maxBytes";
    return NULL;
}

/* ---- tables ---- */

bool algo_is_file(const struct table_loader *loader, const struct source *source,
                  const struct settings *settings)
{
    (void)loader;
    (void)settings;
    return xml_root_is(source, "algo");
}

static struct algo_table *algo_new(const struct table_loader *loader, const struct source *source,
                                   struct arena *arena)
{
    struct algo_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct algo_table){.table = {.loader = loader, .source = source}, .version = loader->version};
    return of;
}

struct table *algo_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                        struct diagnostics *diagnostics)
{
    struct algo_table *of = algo_new(loader, source, arena);
    of->n = algo_read_file(of->version, source, &of->algos[0], diagnostics);
    return of->n ? &of->table : NULL;
}

struct table *algo_read_settings(const struct table_loader *loader, const struct settings *settings,
                                 struct arena *arena, struct diagnostics *diagnostics)
{
    struct algo_table *of = algo_new(loader, settings->source, arena);
    of->table.settings = settings;
    of->named = settings_acting(settings, loader->dialect, slice_of("MSCCL_XML_FILES"));
    struct slice rest = of->named && !of->named->is_computed ? of->named->value : (struct slice){0};
    while (rest.length) {
        const struct slice path = slice_take_until(&rest, ':');
        if (path.length && of->n_named++ >= ALGO_MOST)
            continue;
        const struct source *file = path.length ? table_named_file(settings->source, path, arena) : NULL;
        if (!file && path.length) {
            report(diagnostics, CODE_B038, settings_position(settings, path), "the file '%.*s' is not here",
                   (int)path.length, path.text);
            return NULL;
        }
        if (file && !algo_read_file(of->version, file, &of->algos[of->n++], diagnostics))
            return NULL;
    }
    return &of->table;
}
