/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON as a tree in which everything knows where it stands, for readers that model the reader of
 * another program: such a reader takes texts that are not JSON, and what it makes of a key that
 * occurs twice is part of what it does. Others use json.h.
 */
#ifndef COLLC_BASE_TEXT_JSON_TREE_H
#define COLLC_BASE_TEXT_JSON_TREE_H

#include "base/diagnostic.h"

/* Extensions of JSON that are accepted, and how deep values may be nested. */
struct json_dialect {
    bool has_comments;        /* as in C */
    bool has_single_quotes;
    bool has_trailing_commas;
    bool ends_early;          /* the text behind the value is ignored */
    bool has_raw_controls;    /* line ends and other control characters in strings */
    bool has_any_escape;      /* of a letter that means nothing: the letter */
    bool has_mark;            /* a byte order mark in front */
    unsigned max_depth;
};

enum json_kind { JSON_OBJECT_NODE, JSON_ARRAY_NODE, JSON_STRING_NODE, JSON_NUMBER_NODE, JSON_WORD_NODE };

/* Node of the tree. Strings are NUL-terminated without their escapes; one with \u0000 in it ends there. Half
 * of a surrogate pair is taken as it is. */
struct json_node {
    enum json_kind kind;
    const char *key;          /* of a member of an object, else NULL */
    const char *text;         /* a string; a number or word as it is written; else NULL */
    struct json_node *first;  /* member or element */
    struct json_node *next;   /* next member or element of the same parent */
    size_t at, length;        /* bytes in the source of the key, or, without one, of the value */
    size_t value_at;
    uint32_t line;            /* of `at`, from 1 */
};

struct json_fault {
    size_t at;                /* byte of the source */
    const char *what;         /* "a ':' is missing"; static */
};

/* Reads the tree; NULL after setting *fault: the text is not of this dialect. Members are in the order of the
 * text, with all of those of one key. */
struct json_node *json_tree(const struct source *source, const struct json_dialect *dialect,
                            struct arena *arena, struct json_fault *fault);

/* Returns the last member of that key, or the first, or NULL; of what is no object NULL. */
const struct json_node *json_member(const struct json_node *object, const char *key);
const struct json_node *json_first_member(const struct json_node *object, const char *key);
struct position json_node_position(const struct source *source, const struct json_node *node);

#endif
