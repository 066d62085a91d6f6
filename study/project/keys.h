/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of the keys that a mapping in a YAML file may have. Files are read by them (collc.yaml, the
 * user's config.yaml), and JSON schemas are written from them (reports/schema.h). A key that is in no table
 * is an error, as a misspelt one would otherwise be a limit that is never checked.
 */
#ifndef COLLC_STUDY_PROJECT_KEYS_H
#define COLLC_STUDY_PROJECT_KEYS_H

#include "base/text/yaml_tree.h"

#include <stddef.h>

struct key_table;
struct key_reader {
    const struct source *source;
    struct arena *arena;
    struct diagnostics *diagnostics;
    const char *page; /* page of the file, for help */
    void *whole;      /* record of the whole file */
    bool failed;
    const struct key *key; /* that is read; NULL: that of the file */
};

/* A kind of value. Several of integer, pattern and keys: the value is one of these. None of them, and no
 * words: any text. */
struct key_kind {
    void (*read)(struct key_reader *reader, const struct yaml_node *value, void *into);
    const char *number;           /* "integer" or "number", or NULL */
    uint64_t least, most;         /* limits of the number; most 0: none */
    const char *pattern;          /* regular expression of a text, or NULL */
    const char *words;            /* "name|switch": one of these, or NULL */
    const char *(*help)(const char *text); /* help for what is none of the words; may be, and return, NULL */
    const struct key_table *keys; /* keys of a mapping, or NULL */
};

struct key {
    const char *name;
    const struct key_kind *kind;
    size_t field;       /* offset in the record */
    bool is_list;       /* a list of values, or one alone */
    const char *needed; /* help if it is missing; NULL: it may be */
    const char *meaning;
};
struct key_table {
    const struct key *items;
    size_t n;
};
#define KEY(name, kind, record, field, meaning)                                                              \
    {                                                                                                        \
        name, &(kind), offsetof(record, field), false, NULL, meaning                                         \
    }
#define KEY_LIST(name, kind, record, field, meaning)                                                         \
    {                                                                                                        \
        name, &(kind), offsetof(record, field), true, NULL, meaning                                          \
    }
#define KEY_TABLE(keys)                                                                                      \
    {                                                                                                        \
        keys, sizeof(keys) / sizeof *(keys)                                                                  \
    }

/* Reads each value of the mapping by its key into the field of `record`. */
void keys_read(struct key_reader *reader, const struct yaml_node *mapping, const struct key_table *table,
               void *record);
/* Reports that a value is wrong. The caller adds help. */
struct diagnostic *keys_refuse(struct key_reader *reader, uint32_t code, const struct yaml_node *node,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
/* True if it is a value and no list or mapping; else reports it. */
bool keys_is_scalar(struct key_reader *reader, const struct yaml_node *value);

/* A text in the file, and its position. */
struct key_word {
    const char *text;
    struct position position;
};
void keys_read_text(struct key_reader *reader, const struct yaml_node *value, void *into); /* const char * */
void keys_read_word(struct key_reader *reader, const struct yaml_node *value,
                    void *into);                 /* struct key_word */
extern const struct key_kind key_text, key_word; /* any text, by these two */

#endif
