/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See combinations.h. What depends on more than the command line, such as a topology that
 * a schedule file names, is checked where that is known.
 */
#include "compiler/driver/combinations.h"

#include "compiler/driver/messages.h"

#include <string.h>

#define ON(name) (1u << COMMAND_##name)
#define EVERY ((1u << N_COMMANDS) - 1)

/* Words of a list are separated by '|'. */
struct combination {
    unsigned commands;
    const char *options; /* each of these */
    const char *others;  /* needs one of these options, or none of them may be there */
    bool is_needed;
};

static const struct combination combinations[] = {
    {EVERY, "lids", "routes", true},
    {EVERY & ~ON(route) & ~ON(synth), "seed", "order", true},
    {EVERY & ~ON(best), "exact-only", "best", true},
    {EVERY, "as", "best|param", false},
    {ON(pick), "topology|ranks-per-machine|placement", "diff", true},
    {ON(lint), "target", "topology", false},
    {ON(pick), "diff", "in-place|insignificant|level", false},
    {EVERY & ~ON(pick) & ~ON(record), "rules|non-commutative|type-bytes", "as", true},
    {EVERY, "between-rails", "rank-adapters", true},
    {ON(compile), "rank-adapters", "timed", true},
    {ON(algorithms), "root|ranks-per-machine|placement", "ranks|topology", true},
    {ON(tune), "decide", "from", true},
    {ON(tune), "check", "output|from|decide|chart|strategy|segments", false},
    {ON(tune), "decide", "time|strategy|segments|mpirun|mpicc", false},
    {ON(predict), "per-step", "to", false},
    {ON(simulate), "beside", "per-step", false},
    {ON(route), "all", "from", true},
    {ON(route), "ranks|ranks-per-machine|placement", "networks", true},
    {ON(route), "seed|matchings", "from|link|networks", false},
    {ON(route), "link", "from|to", false},
    {ON(route), "all|sl|sl2vl", "networks", false},
    {ON(topo), "format|hwloc", "to", false},
    {ON(record), "param", "like", true},
    {ON(fmt), "output", "check|diff|in-place", false},
    {ON(fmt), "in-place", "check|diff", false},
    {ON(fmt), "diff", "check", false},
    {ON(synth), "format", "explain", true},
    {ON(bound), "certificate|schedule|max-fan-in|time|solver", "check", false},
};

/* Options that 'draw' does not use for a topology alone. */
static const char of_drawn_schedule[] =
    "ranks|ranks-per-machine|placement|rank-adapters|order|map|bytes|counts|best|as|root|param|load|"
    "overhead|gap|memory-bandwidth|memory-latency|inside-bandwidth";

static const char of_hosts[] = "overhead|gap|memory-bandwidth|memory-latency|inside-bandwidth";

static const struct option_info *find_option(enum command command, const char *name, size_t length)
{
    for (size_t i = 0; i < n_options; i++)
        if (option_table[i].commands & (1u << command) &&
            strncmp(option_table[i].name, name, length) == 0 && !option_table[i].name[length])
            return &option_table[i];
    return NULL;
}

/* True if the option's field has another value than none, the default. */
static bool is_given(const struct options *options, const struct option_info *info)
{
    const void *field = (const char *)options + info->field;
    switch (info->kind) {
    case OPTION_FLAG: return *(const bool *)field;
    case OPTION_TEXT:
    case OPTION_CHOICE: return *(const char *const *)field;
    case OPTION_NUMBER:
    case OPTION_COUNT:
    case OPTION_RANKS: return *(const uint32_t *)field;
    case OPTION_LIMIT:
    case OPTION_FACTOR: return ((const struct limit *)field)->is_set;
    case OPTION_SIZE: return *(const uint64_t *)field;
    case OPTION_SIZES:
    case OPTION_RANK_LIST: return ((const struct size_list *)field)->n;
    case OPTION_SPANS: return ((const struct span_list *)field)->n;
    case OPTION_TIME:
    case OPTION_DURATION:
    case OPTION_AMOUNT:
    case OPTION_RATE: return ((const struct quantity *)field)->is_set;
    case OPTION_LIST: return ((const struct text_list *)field)->n;
    case OPTION_SETTING: return *(const size_t *)field;
    }
    return false;
}

const struct option_info *options_given(const struct options *options, const char *list,
                                        const char *allowed)
{
    for (const char *word = list; word; word = strchr(word, '|')) {
        word += *word == '|';
        const struct option_info *info = find_option(options->command, word, strcspn(word, "|"));
        if (info && is_given(options, info) && !is_word_of(info->name, allowed))
            return info;
    }
    return NULL;
}

static const struct option_info *find_given(const struct options *options, const char *list)
{
    return options_given(options, list, "");
}

/* "--a or --b" */
static const char *name_options(struct arena *arena, const char *list)
{
    const size_t length = strcspn(list, "|");
    const char *first = arena_printf(arena, "--%.*s", (int)length, list);
    return list[length] ? arena_printf(arena, "%s or %s", first, name_options(arena, list + length + 1))
                        : first;
}

/* Returns the option that has no effect, by a line of the table, with the other that excludes it, if one
 * does; or NULL. */
static const struct option_info *combinations_useless(const struct options *options,
                                                      const struct combination *combination,
                                                      const struct option_info **other)
{
    const struct option_info *info = find_given(options, combination->options);
    if (!info || !(combination->commands & (1u << options->command)))
        return NULL;
    *other = find_given(options, combination->others);
    return !*other == !combination->is_needed ? NULL : info;
}

static bool driver_combinations_check(const struct options *options, const struct combination *combination)
{
    const struct option_info *other, *info = combinations_useless(options, combination, &other);
    struct arena arena = {0};
    if (!info)
        return true;
    if (other)
        usage_error(options, "with --%s, --%s has no effect: leave out one of them", other->name,
                    info->name);
    else
        usage_error(options, "--%s has no effect without %s", info->name,
                    name_options(&arena, combination->others));
    arena_free(&arena);
    return false;
}

/* Returns an option of a schedule for a drawing without one; or NULL. */
static const struct option_info *combinations_of_schedule(const struct options *options)
{
    const bool is_alone = options->command == COMMAND_draw && !options->n_arguments;
    return is_alone ? find_given(options, of_drawn_schedule) : NULL;
}

/* True if there are costs of hosts, and no time that they are for. */
static bool has_useless_costs(const struct options *options)
{
    const bool is_predicted = options->command == COMMAND_predict || options->command == COMMAND_best ||
                              options->command == COMMAND_simulate || options->command == COMMAND_fit ||
                              options->command == COMMAND_why ||
                              options->command == COMMAND_report || options->best || options->timed ||
                              option_is(options->what, "dependencies");
    return !is_predicted && find_given(options, of_hosts);
}

bool combinations_has_effect(const struct options *options, const struct option_info *info)
{
    const struct option_info *other;
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++)
        if (combinations_useless(options, &combinations[i], &other) == info)
            return false;
    return combinations_of_schedule(options) != info &&
           !(has_useless_costs(options) && is_word_of(info->name, of_hosts));
}

bool combinations_check(const struct options *options)
{
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++)
        if (!driver_combinations_check(options, &combinations[i]))
            return false;
    const struct option_info *useless = combinations_of_schedule(options);
    if (useless)
        return usage_refuse(options, "--%s is of a schedule: name one", useless->name);
    if (has_useless_costs(options))
        return usage_refuse(options, options->command == COMMAND_compile
                                         ? "the costs of hosts are for times: give --best or --timed"
                                         : "the costs of hosts are for choosing an algorithm: give --best");
    return true;
}
