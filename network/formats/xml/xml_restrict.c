/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Restricts a network by the elements `failed` and `machines` behind a shape of the native description,
 * in the words of --fail and --machines (network/restrict.h).
 */
#include "network/restrict.h"
#include "base/codes.h"
#include "network/formats/xml/xml_topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- failed ---- */

/* Reads the attribute that names the failed part. Returns false after reporting unless there is exactly
 * one. */
static bool xml_restrict_read_word(struct xml_reader *reader, const xmlNode *element,
                                   struct failed_word *word)
{
    static const char *const names[] = {
        [FAILED_LINK] = "link", [FAILED_NODE] = "node", [FAILED_NUMBER] = "number"};
    uint32_t n = 0;
    for (int sort = FAILED_LINK; sort <= FAILED_NUMBER; sort++) {
        const char *text = xml_find_attribute(element, names[sort]);
        if (!text)
            continue;
        *word = (struct failed_word){(enum failed_sort)sort, text, reader->source,
                                     xml_attribute_slice(reader, element, names[sort], true)};
        n++;
    }
    if (n != 1)
        xml_report(reader, CODE_T002, xml_element_slice(reader, element), "failed",
                   "one attribute is needed")
            ->help = "write link=\"A:B\", node=\"NAME\" or number=\"LINK\"";
    return n == 1;
}

/* Takes the elements `failed` up to an element `machines` as one list; leaves *element at the latter. */
static struct topology *take_failed(struct xml_reader *reader, struct topology *topology,
                                    const xmlNode **element)
{
    struct failed_word *words = NULL, word;
    size_t n = 0, capacity = 0;
    for (; *element && !xml_is(*element, "machines"); *element = (*element)->next) {
        if (!xml_is(*element, "failed"))
            continue;
        xml_check_attributes(reader, *element);
        if (!xml_restrict_read_word(reader, *element, &word))
            continue;
        words = mem_grow(words, &capacity, n + 1, sizeof *words);
        words[n++] = word;
    }
    if (topology)
        topology = restrict_links(topology, words, n, reader->diagnostics);
    free(words);
    return topology;
}

/* ---- machines ---- */

/* Restricts to the machines in the text inside, which is the text of the file unless that has references,
 * comments or the like. */
static struct topology *xml_restrict_take_machines(struct xml_reader *reader, struct topology *topology,
                                                   const xmlNode *element)
{
    struct slice raw = xml_content_slice(reader, element);
    struct machine_words words = {.source = reader->source, .place = raw};
    struct arena *arena = &reader->diagnostics->arena;
    xmlChar *content = libxml2()->xmlNodeGetContent(element);
    xml_check_attributes(reader, element);
    bool is_plain = !memchr(raw.text, '&', raw.length) &&
                    strncmp(raw.text + raw.length, "</", 2) == 0;
    if (is_plain)
        words.text = arena_strndup(arena, raw.text, raw.length);
    else
        words.text = arena_strndup(arena, content ? (char *)content : "",
                                   content ? strlen((char *)content) : 0);
    if (!is_plain || !raw.length)
        words.place = xml_element_slice(reader, element);
    (*libxml2()->xmlFree)(content);
    return topology ? restrict_machines(topology, &words, reader->diagnostics) : NULL;
}

/* ---- the elements ---- */

struct topology *xml_restrict(struct xml_reader *reader, struct topology *topology,
                              const xmlNode *element)
{
    bool had_topology = topology;
    while (element) {
        topology = take_failed(reader, topology, &element);
        if (!element)
            break;
        topology = xml_restrict_take_machines(reader, topology, element);
        element = element->next;
    }
    reader->failed |= had_topology && !topology;
    return topology;
}
