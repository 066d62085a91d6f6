/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the settings of the nodes of a job. Ranks that take different algorithms for one call send
 * messages that nobody receives.
 */
#include "base/codes.h"
#include "tables/settings/settings.h"

#include <stdlib.h>

enum { MAX_KEYS = 1024 };

struct keys {
    struct slice items[MAX_KEYS];
    size_t n;
};

static void nodes_note_key(struct keys *keys, struct slice key)
{
    for (size_t i = 0; i < keys->n; i++)
        if (slice_compare(keys->items[i], key) == 0)
            return;
    if (key.length && keys->n < MAX_KEYS)
        keys->items[keys->n++] = key;
}

static struct slice nodes_value(const struct settings_dialect *dialect, const struct setting *setting)
{
    return dialect->value ? dialect->value(setting) : setting->value;
}

/* True if both are set to the same, or neither is set. */
static bool nodes_agree(const struct settings_dialect *dialect, const struct setting *a,
                        const struct setting *b)
{
    if (!a || !b)
        return a == b;
    return a->is_computed || b->is_computed || (dialect->same && dialect->same(a, b)) ||
           slice_compare(nodes_value(dialect, a), nodes_value(dialect, b)) == 0;
}

/* Returns the first node that has what most nodes have. */
static size_t nodes_usual(const struct setting *const *acting, size_t n,
                          const struct settings_dialect *dialect)
{
    size_t usual = 0, most = 0;
    for (size_t i = 0; i < n && 2 * most <= n; i++) {
        size_t alike = 0;
        for (size_t j = 0; j < n; j++)
            alike += nodes_agree(dialect, acting[i], acting[j]);
        if (alike > most) {
            most = alike;
            usual = i;
        }
    }
    return usual;
}

static void report_difference(const struct settings_node *node, const struct settings_node *usual,
                              const struct setting *here, const struct setting *there, const char *calls,
                              const struct settings_dialect *dialect, struct diagnostics *findings)
{
    const struct setting *shown = here ? here : there;
    const struct settings *settings = here ? node->settings : usual->settings;
    const struct slice value = nodes_value(dialect, shown);
    struct diagnostic *finding = report(
        findings, CODE_B042, settings_position(settings, value),
        here && there ? "'%.*s' differs from '%s': ranks choose different algorithms, and %s can hang"
                      : "'%.*s' is not set in '%s': ranks choose different algorithms, and %s can hang",
        (int)shown->name.length, shown->name.text, here ? usual->name : node->name, calls);
    finding->help = "give all ranks of a communicator the same value";
    if (here && there) {
        finding->related = settings_position(usual->settings, nodes_value(dialect, there));
        finding->related_text = "the value there";
    }
}

void settings_compare(const struct settings_node *nodes, size_t n, const struct settings_dialect *dialect,
                      struct diagnostics *findings)
{
    struct arena arena = {0};
    struct keys *keys = mem_alloc(1, sizeof *keys);
    const struct setting **acting = mem_alloc(n, sizeof *acting);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nodes[i].settings->n; j++)
            nodes_note_key(keys, settings_key(dialect, &nodes[i].settings->items[j]));
    for (size_t k = 0; k < keys->n && dialect->calls; k++) {
        const char *calls = NULL;
        for (size_t i = 0; i < n; i++) {
            acting[i] = settings_acting(nodes[i].settings, dialect, keys->items[k]);
            if (acting[i] && !calls)
                calls = dialect->calls(acting[i], &arena);
        }
        const size_t usual = nodes_usual(acting, n, dialect);
        for (size_t i = 0; i < n && calls; i++)
            if (!nodes_agree(dialect, acting[i], acting[usual]))
                report_difference(&nodes[i], &nodes[usual], acting[i], acting[usual], calls, dialect,
                                  findings);
    }
    free(acting);
    free(keys);
    arena_free(&arena);
}
