/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads attributes of SimGrid platforms: the allowed ones of an element, units, names.
 */
#include "network/formats/simgrid/simgrid.h"

#include "base/codes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME_BYTES = 255, MAX_NUMBER_BYTES = 40 };

struct diagnostic *simgrid_report(struct simgrid *reader, uint32_t code, const xmlNode *element,
                                  const char *attribute, const char *message)
{
    const char *value = attribute ? xml_find_attribute(element, attribute) : NULL;
    struct slice slice = value ? xml_attribute_slice(&reader->xml, element, attribute, true)
                               : xml_element_slice(&reader->xml, element);
    return xml_report(&reader->xml, code, slice, value ? value : (const char *)element->name,
                      message);
}

struct slice simgrid_text(const xmlNode *element, const char *attribute)
{
    const char *text = xml_find_attribute(element, attribute);
    return slice_of(text ? text : "");
}

/* ---- which attributes ---- */

static const struct vocabulary {
    const char *element;
    const char *attributes; /* words, a blank before and after each */
} vocabulary[] = {
    {"platform", " version "},
    {"zone", " id routing "},
    {"AS", " id routing "},
    {"host", " id speed power core availability availability_file speed_file state state_file "
             "pstate coordinates "},
    {"router", " id coordinates "},
    {"link", " id bandwidth bandwidth_file latency latency_file state state_file sharing_policy "},
    {"link_ctn", " id direction "},
    {"route", " src dst symmetrical "},
    {"zoneRoute", " src dst gw_src gw_dst symmetrical "},
    {"ASroute", " src dst gw_src gw_dst symmetrical "},
    {"cluster", " id prefix suffix radical speed power core bw lat sharing_policy bb_bw bb_lat "
                "bb_sharing_policy availability_file state_file router_id limiter_link topology "
                "topo_parameters loopback_bw loopback_lat "},
    {"cabinet", " id prefix suffix radical speed power bw lat "},
    {"backbone", " id bandwidth latency "},
    {"host_link", " id up down "},
};

static bool simgrid_values_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strchr(words, ' '); at[1]; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, word, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

void simgrid_check_attributes(struct simgrid *reader, const xmlNode *element)
{
    const struct vocabulary *word = NULL;
    for (size_t i = 0; i < sizeof vocabulary / sizeof *vocabulary; i++)
        if (xml_is(element, vocabulary[i].element))
            word = &vocabulary[i];
    for (const xmlAttr *attribute = word ? element->properties : NULL; attribute;
         attribute = attribute->next) {
        const char *name = (const char *)attribute->name;
        if (!simgrid_values_has_word(word->attributes, name))
            xml_report(&reader->xml, CODE_T017,
                       xml_attribute_slice(&reader->xml, element, name, false), name,
                       diagnostics_text(reader->xml.diagnostics, "'%s' has no such attribute",
                                        word->element));
        reader->n_unread += strlen(name) > 5 && strcmp(name + strlen(name) - 5, "_file") == 0;
    }
}

/* ---- names ---- */

bool simgrid_need_name(struct simgrid *reader, const xmlNode *element, const char *attribute,
                       struct slice *name)
{
    const char *text = xml_find_attribute(element, attribute);
    if (!text) {
        simgrid_report(reader, CODE_T017, element, NULL,
                       diagnostics_text(reader->xml.diagnostics, "attribute '%s' missing",
                                        attribute));
        return false;
    }
    *name = slice_of(text);
    if (name->length >= 1 && name->length <= MAX_NAME_BYTES)
        return true;
    simgrid_report(reader, CODE_T006, element, attribute, "out of the range of names")->help =
        "a name has 1 to 255 bytes";
    return false;
}

bool simgrid_is_free(struct simgrid *reader, const xmlNode *element, const char *attribute,
                     struct slice name)
{
    struct zone_point point;
    if (!zones_find_point(reader->zones, name.text, name.length, &point))
        return true;
    const char *message = "a host, router or zone above has this name";
    const char *value = xml_find_attribute(element, attribute);
    if (!value || strcmp(value, name.text) != 0) /* a name that was made */
        message = diagnostics_text(reader->xml.diagnostics, "'%.*s': %s", (int)name.length,
                                   name.text, message);
    simgrid_report(reader, CODE_T004, element, attribute, message);
    return false;
}

static bool simgrid_values_has_link(const struct simgrid *reader, struct slice name, const char *suffix)
{
    struct text text = {0};
    text_append(&text, name.text, name.length);
    text_append(&text, suffix, strlen(suffix));
    bool found = zones_find_link(reader->zones, text.data, text.length, 0) != ZONES_NONE;
    text_free(&text);
    return found;
}

bool simgrid_link_is_free(struct simgrid *reader, const xmlNode *element, struct slice name,
                          bool is_split)
{
    bool is_taken = is_split ? simgrid_values_has_link(reader, name, "_UP") ||
                                   simgrid_values_has_link(reader, name, "_DOWN")
                             : simgrid_values_has_link(reader, name, "");
    if (is_taken)
        simgrid_report(reader, CODE_T004, element, "id", "a link above has this name");
    return !is_taken;
}

int simgrid_word(struct simgrid *reader, const xmlNode *element, const char *attribute,
                 const char *const *words)
{
    const char *text = xml_find_attribute(element, attribute);
    struct text list = {0};
    if (!text)
        return 0;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            text_free(&list);
            return i;
        }
        text_printf(&list, "%s%s", i ? ", " : "", words[i]);
    }
    simgrid_report(reader, CODE_T017, element, attribute,
                   diagnostics_text(reader->xml.diagnostics, "not a value of attribute '%s'",
                                    attribute))
        ->help = diagnostics_text(reader->xml.diagnostics, "known values: %s", list.data);
    text_free(&list);
    return SIMGRID_NO_WORD;
}

/* ---- numbers ---- */

bool simgrid_take_number(struct slice *rest, uint32_t *value)
{
    uint64_t number = 0;
    slice_skip_blanks(rest);
    const char *start = rest->text;
    for (; rest->length && text_is_digit(*rest->text); rest->text++, rest->length--) {
        number = number * 10 + (uint64_t)(*rest->text - '0');
        if (number > INT32_MAX)
            return false;
    }
    *value = (uint32_t)number;
    bool any = rest->text != start;
    slice_skip_blanks(rest);
    return any;
}

/* Returns the bytes of a decimal number with an exponent at the front; 0 if none. */
static size_t simgrid_values_scan_decimal(const char *text)
{
    size_t n = strspn(text, "0123456789");
    bool any = n > 0;
    if (text[n] == '.') {
        size_t more = strspn(text + n + 1, "0123456789");
        any = any || more;
        n += 1 + more;
    }
    if (any && (text[n] == 'e' || text[n] == 'E')) { /* or the unit begins: 1EBps */
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        size_t digits = strspn(text + n + 1 + sign, "0123456789");
        n += digits ? 1 + sign + digits : 0;
    }
    return any && n < MAX_NUMBER_BYTES ? n : 0;
}

static double bandwidth_scale(const char *unit)
{
    static const char letters[] = "kMGTPEZY";
    double scale = 1;
    const char *letter = *unit ? strchr(letters, *unit == 'K' ? 'k' : *unit) : NULL;
    if (letter) {
        bool is_binary = unit[1] == 'i';
        unit += is_binary ? 2 : 1;
        for (const char *at = letters; at <= letter; at++)
            scale *= is_binary ? 1024 : 1000;
    }
    if (strcmp(unit, "Bps") == 0)
        return scale;
    return strcmp(unit, "bps") == 0 ? scale / 8 : 0;
}

static double latency_scale(const char *unit)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"w", 604800e9}, {"d", 86400e9}, {"h", 3600e9}, {"m", 60e9}, {"s", 1e9},
                 {"ms", 1e6},     {"us", 1e3},    {"ns", 1},     {"ps", 1e-3}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].scale;
    return 0;
}

/* The units of a value. */
struct measure {
    double (*scale)(const char *unit); /* 0: no unit */
    const char *bare;                  /* unit of a number without unit */
    const char *bare_words, *help;
    double least, most;
};

static const struct measure bandwidths = {
    bandwidth_scale, "Bps", "number without unit, taken as bytes per second",
    "write a bandwidth like 125MBps, 1Gbps or 10GiBps, at most 1000TBps", 0.5, 1e15};
static const struct measure latencies = {latency_scale, "s",
                                         "number without unit, taken as seconds",
                                         "write a latency like 50us or 1.5ms, at most 1000s", 0,
                                         1e12};

static void tell_bare(struct simgrid *reader, const xmlNode *element, const char *attribute,
                      const struct measure *measure)
{
    bool failed = reader->xml.failed;
    simgrid_report(reader, CODE_T008, element, attribute, measure->bare_words)->help =
        measure->help;
    reader->xml.failed = failed; /* only a warning */
}

static bool simgrid_values_read_value(struct simgrid *reader, const xmlNode *element, const char *attribute,
                                      const struct measure *measure, uint64_t *value)
{
    const char *text = xml_find_attribute(element, attribute);
    char number[MAX_NUMBER_BYTES] = "";
    if (!text || !*text)
        return true;
    size_t length = simgrid_values_scan_decimal(text);
    memcpy(number, text, length);
    double digits = strtod(number, NULL);
    double scale = measure->scale(text[length] ? text + length : measure->bare);
    double scaled = digits * scale;
    if (!length || scale == 0) {
        simgrid_report(reader, CODE_T017, element, attribute, "not a number with a unit")->help =
            measure->help;
        return false;
    }
    if (!(scaled >= measure->least && scaled <= measure->most)) {
        simgrid_report(reader, CODE_T006, element, attribute, "out of the range")->help =
            measure->help;
        return false;
    }
    if (!text[length] && scaled > 0)
        tell_bare(reader, element, attribute, measure);
    *value = (uint64_t)llround(scaled);
    return true;
}

bool simgrid_bandwidth(struct simgrid *reader, const xmlNode *element, const char *attribute,
                       uint64_t *value)
{
    return simgrid_values_read_value(reader, element, attribute, &bandwidths, value);
}

bool simgrid_latency(struct simgrid *reader, const xmlNode *element, const char *attribute,
                     uint64_t *value)
{
    return simgrid_values_read_value(reader, element, attribute, &latencies, value);
}
