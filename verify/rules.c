/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of the rules, made from codes.def: a line RULE there is a file verify/CODE.c that defines
 * rule_CODE.
 */
#include "verify/rule.h"

#include "base/codes.h"

#include <stdlib.h>

#define RULE(id, family, severity, title) extern const struct rule rule_##id;
#define CODE(id, family, severity, title)
#define FAMILY(name, refutes)
#include "base/codes.def"

static const struct {
    uint32_t code;
    const struct rule *rule;
} rules[] = {
#define RULE(id, family, severity, title) {CODE_##id, &rule_##id},
#define CODE(id, family, severity, title)
#define FAMILY(name, refutes)
#include "base/codes.def"
};

static void subscribe(struct verifier *verifier, enum fact fact, uint32_t code,
                      const struct rule *rule)
{
    struct subscribers *asked = &verifier->asked[fact];
    asked->first = mem_grow(asked->first, &asked->capacity, asked->n + 1, sizeof *asked->first);
    asked->first[asked->n++] = (struct subscriber){{verifier, code}, rule};
}

void rules_start(struct verifier *verifier)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = rules[i].rule;
        if (rule->applies && !rule->applies(verifier))
            continue;
#define X(name)     \
    if (rule->name) \
        subscribe(verifier, FACT_##name, rules[i].code, rule);
        FACTS(X)
#undef X
    }
}

static void see_ops(const struct verifier *verifier, const struct op *ops, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++)
        offer_op(verifier, &(struct fact_op){&ops[i], step});
}

void rules_see_ops(const struct verifier *verifier, const struct step *step)
{
    if (!verifier->asked[FACT_op].n)
        return;
    see_ops(verifier, step->copies, step->n_copies, step->index);
    see_ops(verifier, step->sends, step->n_sends, step->index);
    see_ops(verifier, step->receives, step->n_receives, step->index);
}

void rules_end(struct verifier *verifier)
{
    for (size_t fact = 0; fact < N_FACTS; fact++)
        free(verifier->asked[fact].first);
}
