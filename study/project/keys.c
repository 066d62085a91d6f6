/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See keys.h.
 */
#include "study/project/keys.h"

#include "base/codes.h"
#include "base/suggest.h"

#include <string.h>

struct diagnostic *keys_refuse(struct key_reader *reader, uint32_t code, const struct yaml_node *node,
                               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diagnostic *found =
        report_va(reader->diagnostics, code, yaml_position(reader->source, node), format, args);
    va_end(args);
    reader->failed = true;
    return found;
}

/* Returns the key of a table that an example has: one that must be there, or else the first. */
static const char *keys_example(const struct key_table *table)
{
    size_t i = 0;
    while (i < table->n && !table->items[i].needed)
        i++;
    return table->items[i < table->n ? i : 0].name;
}

/* Refuses what is no mapping with the keys of a table, or, where that is NULL, no value. */
static void keys_refuse_kind(struct key_reader *reader, const struct yaml_node *node,
                             const struct key_table *table)
{
    static const char *const names[] = {"a value", "a list", "a mapping"};
    struct diagnostics *diagnostics = reader->diagnostics;
    const char *name = reader->key ? reader->key->name : NULL;
    struct diagnostic *found = keys_refuse(reader, CODE_K001, node, "expected %s, found %s",
                                           table ? "a mapping" : "a value", names[node->kind]);
    if (table && !name)
        found->help = diagnostics_text(diagnostics, "a file has keys, such as 'networks: star:4' (%s)", reader->page);
    else if (table)
        found->help = diagnostics_text(diagnostics, reader->key->is_list ? "write '%s:', and below it '- %s: ...' (%s)"
                                                                         : "write '%s:', and below it, further in, '%s: ...' (%s)",
                                       name, keys_example(table), reader->page);
    else
        found->help = diagnostics_text(diagnostics, reader->key && reader->key->is_list
                                                        ? "'%s' takes a value, or a list of values: [A, B] (%s)"
                                                        : "'%s' takes one value (%s)",
                                       name ? name : "it", reader->page);
}

bool keys_is_scalar(struct key_reader *reader, const struct yaml_node *value)
{
    if (value->kind == YAML_SCALAR && value->text.length && strlen(value->text.text) == value->text.length)
        return true;
    if (value->kind == YAML_SCALAR)
        keys_refuse(reader, CODE_K002, value, "a value is missing")->help = "write one, or leave the key out";
    else
        keys_refuse_kind(reader, value, NULL);
    return false;
}

/* Refuses a value that is none of the words of its kind, if it has any. */
static bool keys_check_words(struct key_reader *reader, const struct yaml_node *value,
                             const struct key_kind *kind)
{
    const char *words = kind->words;
    struct arena *arena = &reader->diagnostics->arena;
    const char **names = arena_alloc(arena, words ? strlen(words) / 2 + 1 : 0, sizeof *names), *list = NULL;
    size_t n = 0;
    for (const char *word = words; word; word = strchr(word, '|')) {
        word += *word == '|';
        names[n] = arena_strndup(arena, word, strcspn(word, "|"));
        if (value->kind == YAML_SCALAR && strcmp(names[n], value->text.text) == 0)
            return true;
        list = list ? arena_printf(arena, "%s, %s", list, names[n]) : names[n];
        n++;
    }
    if (!words || !keys_is_scalar(reader, value))
        return !words;
    const char *help = kind->help ? kind->help(value->text.text) : NULL;
    keys_refuse(reader, CODE_K002, value, "'%s' is none of %s", value->text.text, list)->help =
        help ? help
             : did_you_mean(arena, nearest(value->text.text, value->text.length, names, n), "write one of these");
    return false;
}

static void keys_read_value(struct key_reader *reader, const struct key *key, const struct yaml_node *value,
                            void *into)
{
    if (keys_check_words(reader, value, key->kind))
        key->kind->read(reader, value, into);
}

static void keys_read_values(struct key_reader *reader, const struct key *key, const struct yaml_node *value,
                             void *into)
{
    reader->key = key;
    if (!key->is_list || value->kind != YAML_SEQUENCE) {
        keys_read_value(reader, key, value, into);
        return;
    }
    if (!value->first)
        keys_refuse(reader, CODE_K002, value, "the list is empty")->help =
            "name something, or leave the key out";
    for (const struct yaml_node *item = value->first; item; item = item->next)
        keys_read_value(reader, key, item, into);
}

static void keys_refuse_name(struct key_reader *reader, const struct yaml_node *key,
                             const struct key_table *table)
{
    struct arena *arena = &reader->diagnostics->arena;
    const char **names = arena_alloc(arena, table->n, sizeof *names);
    const char *list = arena_printf(arena, "the keys here are '%s'", table->items[0].name);
    for (size_t i = 0; i < table->n; i++)
        names[i] = table->items[i].name;
    for (size_t i = 1; i < table->n; i++)
        list = arena_printf(arena, "%s, '%s'", list, names[i]);
    keys_refuse(reader, CODE_K001, key, "unknown key '%s'", key->text.text)->help =
        did_you_mean(arena, nearest(key->text.text, key->text.length, names, table->n),
                     arena_printf(arena, "%s (%s)", list, reader->page));
}

/* Refuses a mapping in the place of a list, all of whose keys are names that nobody knows. Returns true if it
 * is one. */
static bool keys_refuse_names(struct key_reader *reader, const struct yaml_node *mapping,
                              const struct key_table *table)
{
    const char *name = reader->key && reader->key->is_list ? reader->key->name : NULL;
    for (size_t i = 0; i < table->n && name; i++)
        if (yaml_find(mapping, table->items[i].name))
            name = NULL;
    if (!name || !mapping->first || (mapping->first->kind == YAML_SCALAR && !mapping->first->next))
        return false;
    keys_refuse(reader, CODE_K001, mapping->first->key, "'%s' is a list, and no mapping of names", name)->help =
        diagnostics_text(reader->diagnostics, "begin each with '- ', as in '- %s: ...' (%s)", keys_example(table),
                         reader->page);
    return true;
}

void keys_read(struct key_reader *reader, const struct yaml_node *mapping, const struct key_table *table,
               void *record)
{
    if (mapping->kind != YAML_MAPPING) {
        keys_refuse_kind(reader, mapping, table);
        return;
    }
    if (keys_refuse_names(reader, mapping, table))
        return;
    for (const struct yaml_node *value = mapping->first; value; value = value->next) {
        size_t i = 0;
        while (i < table->n && strcmp(table->items[i].name, value->key->text.text) != 0)
            i++;
        if (i < table->n)
            keys_read_values(reader, &table->items[i], value, (char *)record + table->items[i].field);
        else
            keys_refuse_name(reader, value->key, table);
    }
    for (size_t i = 0; i < table->n && !reader->failed; i++)
        if (table->items[i].needed && !yaml_find(mapping, table->items[i].name))
            keys_refuse(reader, CODE_K001, mapping, "the key '%s' is missing", table->items[i].name)->help =
                table->items[i].needed;
}

void keys_read_text(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    if (keys_is_scalar(reader, value))
        *(const char **)into = value->text.text;
}

void keys_read_word(struct key_reader *reader, const struct yaml_node *value, void *into)
{
    if (keys_is_scalar(reader, value))
        *(struct key_word *)into = (struct key_word){value->text.text, yaml_position(reader->source, value)};
}

const struct key_kind key_text = {.read = keys_read_text}, key_word = {.read = keys_read_word};
