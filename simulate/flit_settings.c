/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The settings of the flit model, as numbers and as text (flit.def is the table).
 */
#include "simulate/flit.h"

#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

struct number {
    size_t offset;
    const char *name;
    uint64_t least, most;
};
struct word {
    size_t offset;
    uint32_t value;
    const char *name;
};

static const struct number numbers[] = {
#define FLIT_NUMBER(field, name, least, most, usual, paper, text)                                \
    {offsetof(struct flit_settings, field), name, least, most},
#define FLIT_WORD(field, value, name, text)
#include "simulate/flit.def"
};

static const struct word words[] = {
#define FLIT_NUMBER(field, name, least, most, usual, paper, text)
#define FLIT_WORD(field, value, name, text) {offsetof(struct flit_settings, field), value, name},
#include "simulate/flit.def"
};

static uint32_t *field_at(struct flit_settings *settings, size_t offset)
{
    return (uint32_t *)(void *)((char *)settings + offset);
}

struct flit_settings flit_defaults(void)
{
    return (struct flit_settings){
#define FLIT_NUMBER(field, name, least, most, usual, paper, text) .field = usual,
#define FLIT_WORD(field, value, name, text)
#include "simulate/flit.def"
        .switching = FLIT_WORMHOLE, .arbitration = FLIT_PACKET};
}

struct flit_settings flit_takaue2010(void)
{
    return (struct flit_settings){
#define FLIT_NUMBER(field, name, least, most, usual, paper, text) .field = paper,
#define FLIT_WORD(field, value, name, text)
#include "simulate/flit.def"
        .switching = FLIT_WORMHOLE, .arbitration = FLIT_PACKET};
}

const char *flit_check(const struct flit_settings *settings)
{
    if (settings->switching == FLIT_CUT_THROUGH && settings->buffer_flits &&
        settings->buffer_flits < settings->packet_flits)
        return "virtual cut-through needs buffers of a packet or more";
    return NULL;
}

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !memcmp(name, text, length);
}

/* Reads NAME=NUMBER where `name_length` is known; NULL, or what is wrong. */
static char *flit_settings_read_number(struct flit_settings *settings, const char *item, size_t name_length,
                                       size_t length)
{
    struct text problem = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number *number = &numbers[i];
        const size_t n_digits = length - name_length - 1;
        uint64_t value = 0;
        if (!is_named(number->name, item, name_length))
            continue;
        bool is_right = n_digits && n_digits <= 10;
        for (size_t at = length - n_digits; at < length && is_right; at++) {
            is_right = item[at] >= '0' && item[at] <= '9';
            value = value * 10 + (uint64_t)(item[at] - '0');
        }
        if (is_right && value >= number->least && value <= number->most) {
            *field_at(settings, number->offset) = (uint32_t)value;
            return NULL;
        }
        text_printf(&problem, "'%s' is a number from %" PRIu64 " to %" PRIu64, number->name,
                    number->least, number->most);
        return problem.data;
    }
    text_printf(&problem, "'%.*s' is no number of the model flit, which are", (int)name_length, item);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        text_printf(&problem, " %s", numbers[i].name);
    return problem.data;
}

/* Reads a preset or a word; NULL, or what is wrong. */
static char *flit_settings_read_word(struct flit_settings *settings, const char *item, size_t length)
{
    struct text problem = {0};
    if (is_named("takaue2010", item, length)) {
        *settings = flit_takaue2010();
        return NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_named(words[i].name, item, length)) {
            *field_at(settings, words[i].offset) = words[i].value;
            return NULL;
        }
    text_printf(&problem, "'%.*s' is no word of the model flit, which are takaue2010", (int)length, item);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        text_printf(&problem, " %s", words[i].name);
    return problem.data;
}

char *flit_read(const char *text, struct flit_settings *settings)
{
    *settings = flit_defaults();
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const char *sign = memchr(at, '=', length);
        char *problem = sign ? flit_settings_read_number(settings, at, (size_t)(sign - at), length)
                             : flit_settings_read_word(settings, at, length);
        if (problem)
            return problem;
        at += length;
        if (!*at)
            break;
    }
    struct text problem = {0};
    if (flit_check(settings))
        text_printf(&problem, "%s", flit_check(settings));
    return problem.data;
}

void flit_print(const struct flit_settings *settings, struct text *out)
{
    struct flit_settings copy = *settings;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (*field_at(&copy, words[i].offset) == words[i].value)
            text_printf(out, "%s,", words[i].name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        text_printf(out, "%s%s=%u", i ? "," : "", numbers[i].name,
                    *field_at(&copy, numbers[i].offset));
}
