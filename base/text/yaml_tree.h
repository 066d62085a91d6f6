/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A YAML document as a tree with positions, for the readers of formats in YAML. The
 * calls of libyaml stand in yaml_tree.c only. Anchors, aliases and tags are refused, so
 * that the tree is no larger than its text; nesting and size are bounded.
 */
#ifndef COLLC_BASE_TEXT_YAML_TREE_H
#define COLLC_BASE_TEXT_YAML_TREE_H

#include "base/text/units.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    struct slice text;      /* scalar: its value; NUL-terminated */
    size_t at;              /* where it starts in the source: its first byte, behind a quote */
    struct yaml_node *first; /* of a sequence or mapping: its values in order, linked by next */
    struct yaml_node *next;
    struct yaml_node *key;  /* of a value in a mapping: a scalar */
};

/* Reads the one document of the source. NULL after reporting `code`. The tree lives in
 * `arena`. */
struct yaml_node *yaml_read(const struct source *source, uint32_t code, struct arena *arena,
                            struct diagnostics *diagnostics);
/* Returns the value of that key in a mapping, or NULL. */
const struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key);
/* Returns the position of a node; a scalar is underlined. */
struct position yaml_position(const struct source *source, const struct yaml_node *node);

#endif
