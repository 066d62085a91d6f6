/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See explain_keys.h.
 */
#include "compiler/driver/explain_keys.h"

#include <string.h>
#include <strings.h>

#define RECORD(name, ...)
#define SHARED_RECORD(name, ...)
#define END
#define LET(...)
#define JOIN(...)
#define FIELD(key, kind, when, value, meaning)              {#key, meaning},
#define VALUES(key, kind, when, loop, value, meaning)       {#key, meaning},
#define OBJECT(key, record, when, arguments, meaning)       {#key, meaning},
#define LIST(key, record, when, loop, arguments, meaning)   {#key, meaning},
#define LIST_BY(key, record, when, call, meaning)           {#key, meaning},
static const struct explained_key {
    const char *key, *meaning;
} explained_keys[] = {
#include "reports/records.def"
};
enum { N_EXPLAINED_KEYS = sizeof explained_keys / sizeof *explained_keys };

static bool is_explained_key(const char *key, const char *word)
{
    for (; *key && *word; key++, word++) {
        const char wanted = *word == '-' || *word == ' ' ? '_' : *word;
        if (strncasecmp(key, &wanted, 1) != 0)
            return false;
    }
    return !*key && !*word;
}

/* True if a key before number i has that name and meaning. */
static bool is_said(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(explained_keys[k].key, explained_keys[i].key) == 0 &&
            strcmp(explained_keys[k].meaning, explained_keys[i].meaning) == 0)
            return true;
    return false;
}

bool explain_keys(const char *word, struct text *out)
{
    bool has_any = false;
    for (size_t i = 0; i < N_EXPLAINED_KEYS; i++)
        if (is_explained_key(explained_keys[i].key, word) && !is_said(i)) {
            text_printf(out, "%s%s", has_any ? "; " : "", explained_keys[i].meaning);
            has_any = true;
        }
    return has_any;
}
