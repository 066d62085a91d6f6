/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of the rules, made from codes.def: a line RULE there is a file verify/CODE.c that defines
 * rule_CODE.
 */
#include "verify/planted.h"

#include "base/codes.h"
#include "verify/rule.h"

#include <stdlib.h>

#define RULE(id, family, severity, title) extern const struct rule rule_##id;
#define CODE(id, family, severity, title)
#define FAMILY(name, refutes)
#include "base/codes.def"

struct listed {
    uint32_t code;
    const struct rule *rule;
};
static const struct listed rules[] = {
#define RULE(id, family, severity, title) {CODE_##id, &rule_##id},
#define CODE(id, family, severity, title)
#define FAMILY(name, refutes)
#include "base/codes.def"
};
enum { N_RULES = sizeof rules / sizeof *rules };

static struct listed planted; /* one more, of a test; rule NULL: none */

void rules_plant(uint32_t code, const struct rule *rule)
{
    planted = (struct listed){code, rule};
}

/* Returns the i-th rule that applies, or a later one: *i is where. NULL: there is none. */
static const struct listed *next_rule(const struct verifier *verifier, size_t *i)
{
    for (; *i < N_RULES + (planted.rule != NULL); ++*i) {
        const struct listed *listed = *i < N_RULES ? &rules[*i] : &planted;
        if (!listed->rule->applies || listed->rule->applies(verifier))
            return listed;
    }
    return NULL;
}

static void subscribe(struct verifier *verifier, enum fact fact, const struct listed *listed)
{
    struct subscribers *asked = &verifier->asked[fact];
    asked->first = mem_grow(asked->first, &asked->capacity, asked->n + 1, sizeof *asked->first);
    asked->first[asked->n++] = (struct subscriber){{verifier, listed->code}, listed->rule};
}

void rules_start(struct verifier *verifier)
{
    const struct listed *listed;
    for (size_t i = 0; (listed = next_rule(verifier, &i)); i++) {
#define FACT(name, kind, file) \
    if (listed->rule->name)    \
        subscribe(verifier, FACT_##name, listed);
#include "verify/facts.def"
    }
}

/* Returns whether the rule asks for a fact that is offered for representatives, and these are not
 * enough. */
static bool needs_all(const struct rule *rule)
{
    enum { EVERY, UNUSUAL, EXPANDED };
#define FACT(name, kind, file)             \
    if (kind != EXPANDED && rule->name) \
        return !rule->by_representatives;
#include "verify/facts.def"
    return false;
}

bool rules_need_all(struct schedule *schedule, const struct verify_request *request)
{
    const struct verifier verifier = {
        .schedule = schedule, .request = request, .n_ranks = schedule->header.n_ranks};
    const struct listed *listed;
    for (size_t i = 0; (listed = next_rule(&verifier, &i)); i++)
        if (needs_all(listed->rule))
            return true;
    return false;
}

void rules_end(struct verifier *verifier)
{
    for (size_t fact = 0; fact < N_FACTS; fact++)
        free(verifier->asked[fact].first);
}
