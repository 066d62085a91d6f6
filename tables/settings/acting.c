/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings that win over others, and those that have no effect; see settings.h.
 */
#include "base/codes.h"
#include "base/suggest.h"
#include "tables/settings/settings.h"

enum { MAX_COMPARED = 1024 }; /* settings of a library that are compared with each other */

static unsigned order_of(const struct settings_dialect *dialect, const struct setting *setting)
{
    const enum setting_form form = settings_same_order(setting->form);
    return 2 * (dialect->order ? dialect->order(setting) : (unsigned)form) - (setting->is_behind ? 1 : 0);
}

/* Returns why the library does not look at what is written like a setting; NULL if it does. */
static const struct setting_fault *fault_of(const struct settings_dialect *dialect,
                                            const struct setting *setting)
{
    return setting->fault || !dialect->fault ? setting->fault : dialect->fault(setting);
}

struct slice settings_key(const struct settings_dialect *dialect, const struct setting *setting)
{
    const struct slice none = {0};
    const bool is_seen = !setting->is_hidden && !setting->is_undone && !setting->is_argument &&
                         !fault_of(dialect, setting);
    return is_seen ? dialect->key(setting) : none;
}

bool settings_have(const struct settings *settings, const struct settings_dialect *dialect)
{
    for (size_t i = 0; i < settings->n; i++)
        if (dialect->key(&settings->items[i]).length)
            return true;
    return false;
}

const struct setting *settings_acting(const struct settings *settings, const struct settings_dialect *dialect,
                                      struct slice key)
{
    const struct setting *found = NULL;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        const struct slice of = settings_key(dialect, setting);
        if (of.length && slice_compare(of, key) == 0 &&
            (!found || order_of(dialect, setting) >= order_of(dialect, found)))
            found = setting;
    }
    return found;
}

/* ---- lint ---- */

/* True if no program sees `other` because of `setting`, for all that the file says. */
static bool hides(const struct settings *settings, const struct settings_dialect *dialect,
                  const struct setting *setting, const struct setting *other)
{
    const bool is_later = setting > other;
    const unsigned order = order_of(dialect, setting), other_order = order_of(dialect, other);
    if (order < other_order || (order == other_order && !is_later))
        return false;
    if (setting->command)
        return other->command ? setting->command == other->command : settings->n_launches <= 1;
    return other->command == 0 && setting->stretch == other->stretch;
}

static void lint_hidden_by(const struct settings *settings, const struct settings_dialect *dialect,
                           const struct setting *other, const struct setting *setting,
                           struct diagnostics *findings)
{
    struct diagnostic *finding =
        report(findings, CODE_B039, settings_position(settings, other->written),
               "'%.*s' here has no effect: line %u%s%s sets it to '%.*s', and wins", (int)other->name.length,
               other->name.text, setting->line, setting->source != other->source ? " of " : "",
               setting->source == other->source ? "" : setting->source ? setting->source->path
                                                                       : settings->source->path,
               (int)(setting->value.length < 60 ? setting->value.length : 60), setting->value.text);
    finding->related = settings_position(settings, setting->written);
    finding->related_text = "this one acts";
    finding->help = setting->form == other->form && dialect->order == NULL
                        ? "of two alike the last acts; give each setting once"
                    : dialect->order_words ? dialect->order_words
                                           : "options of a launcher come first, then variables of one "
                                             "command, then exported ones";
}

static bool are_refused(const struct settings_dialect *dialect, const struct setting *a,
                        const struct setting *b)
{
    return dialect->refuses && dialect->refuses(a < b ? a : b, a < b ? b : a);
}

/* Reports one parameter given twice to one launcher, which then refuses to start. */
static void lint_twice(const struct settings *settings, const struct settings_dialect *dialect,
                       const struct setting *const *list, size_t n, struct diagnostics *findings)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const struct setting *first = list[i], *again = list[j];
            if (!are_refused(dialect, first, again))
                continue;
            struct diagnostic *finding =
                report(findings, CODE_B021, settings_position(settings, again->name),
                       "mpirun starts no program: '%.*s' stands twice on its command line",
                       (int)again->name.length, again->name.text);
            finding->related = settings_position(settings, first->name);
            finding->related_text = "the first";
            finding->help = "give each parameter once";
        }
}

static void lint_overridden(const struct settings *settings, const struct settings_dialect *dialect,
                            const struct setting *const *list, size_t n, struct diagnostics *findings)
{
    for (size_t i = 0; i < n; i++) {
        const struct setting *other = list[i], *winner = NULL;
        for (size_t j = 0; j < n; j++)
            if (j != i && slice_compare(dialect->key(list[j]), dialect->key(other)) == 0 &&
                hides(settings, dialect, list[j], other) && !are_refused(dialect, list[j], other) &&
                (!winner || order_of(dialect, list[j]) >= order_of(dialect, winner)))
                winner = list[j];
        if (winner && slice_compare(winner->value, other->value) != 0)
            lint_hidden_by(settings, dialect, other, winner, findings);
    }
}

/* Reports programs of one launch that have different values: they are ranks of one communicator. */
static void lint_contexts(const struct settings *settings, const struct settings_dialect *dialect,
                          const struct setting *const *list, size_t n, struct diagnostics *findings)
{
    struct arena arena = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const struct setting *setting = list[i], *other = list[j];
            if (!setting->launch || setting->launch != other->launch || setting->command == other->command ||
                slice_compare(dialect->key(setting), dialect->key(other)) != 0 || setting->is_computed ||
                other->is_computed || slice_compare(setting->value, other->value) == 0)
                continue;
            const char *calls = dialect->calls ? dialect->calls(setting, &arena) : NULL;
            if (!calls)
                continue;
            struct diagnostic *finding =
                report(findings, CODE_B042, settings_position(settings, setting->written),
                       "'%.*s' differs from that of another program of this launch: ranks choose different "
                       "algorithms, and %s can hang",
                       (int)setting->name.length, setting->name.text, calls);
            finding->help = "give all ranks of a communicator the same value";
            finding->related = settings_position(settings, other->written);
            finding->related_text = "the value there";
            break;
        }
    arena_free(&arena);
}

static void lint_one_unknown(const struct settings *settings, const struct settings_dialect *dialect,
                         const struct setting *setting, struct diagnostics *findings)
{
    const char *unread = dialect->unread ? dialect->unread(setting) : NULL;
    if (setting->is_computed)
        unread = "the value is made when the script runs";
    if (unread)
        report(findings, CODE_B041, settings_position(settings, setting->written), "'%.*s' is not judged: %s",
               (int)setting->name.length, setting->name.text, unread);
    else if (setting->assumed)
        report(findings, CODE_B041, settings_position(settings, setting->written),
               "'%.*s' is taken to be '%.*s': %s", (int)setting->name.length, setting->name.text,
               (int)(setting->value.length < 60 ? setting->value.length : 60), setting->value.text,
               setting->assumed);
}

void settings_lint_unknown(const struct settings *settings, const struct settings_dialect *dialect,
                           const char *collective, struct diagnostics *findings)
{
    struct arena arena = {0};
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        const struct slice key = settings_key(dialect, setting);
        if (!key.length || settings_acting(settings, dialect, key) != setting)
            continue;
        const char *calls = dialect->calls ? dialect->calls(setting, &arena) : NULL;
        if (!calls || strcmp(calls, collective) == 0 || strncmp(calls, "every", 5) == 0)
            lint_one_unknown(settings, dialect, setting, findings);
    }
    arena_free(&arena);
}

/* Reports why no program sees the setting, if it is so or nearly so. */
static void lint_unseen(const struct settings *settings, const struct settings_dialect *dialect,
                        const struct setting *setting, struct diagnostics *findings)
{
    const struct setting_fault *fault = fault_of(dialect, setting);
    const int length = (int)setting->name.length;
    const char *name = setting->name.text;
    const struct position place = settings_position(settings, setting->written);
    if (fault)
        report(findings, CODE_B040, place, "'%.*s' is not set: %s", length, name, fault->what)
            ->help = fault->help;
    else if (setting->is_argument || setting->is_behind)
        report(findings, CODE_B040, place, "'%.*s' stands behind the program, which gets it as an argument%s",
               length, name, setting->is_argument ? "" : "; mpirun of Open MPI 4.1 takes it, too")
            ->help = "options of a launcher stand before the program";
    else if (setting->is_hidden)
        report(findings, CODE_B040, place, "'%.*s' is a variable of the script alone: no program sees it",
               length, name)
            ->help = "write 'export' before it";
}

/* Reports values that are not as they look in an editor: those with a carriage return at their end, once for
 * each file, and those between quotes of a word processor. */
static void lint_characters(const struct settings *settings, const struct setting *setting,
                            const struct setting **returns, struct diagnostics *findings)
{
    const int length = (int)setting->name.length;
    const char *name = setting->name.text;
    if (setting->has_return && (!*returns || (*returns)->source != setting->source)) {
        const struct slice written = setting->written;
        report(findings, CODE_B033,
               settings_position(settings, (struct slice){written.text + written.length - 1, 1}),
               "the line ends in CR LF, and the carriage return becomes part of the value of '%.*s'", length,
               name)
            ->help = "remove the CR at the ends of lines: sed -i 's/\\r$//' FILE";
        *returns = setting;
    }
    if (slice_starts(setting->value, "\xE2\x80\x9C") || slice_starts(setting->value, "\xE2\x80\x98"))
        report(findings, CODE_B033, settings_position(settings, setting->written),
               "the quotes of a word processor are part of the value of '%.*s'", length, name)
            ->help = "write straight quotes, or none";
}

/* Reports variables that the library does not have, and that are nearly one. */
static void lint_slips(const struct settings *settings, const struct settings_dialect *dialect,
                       struct diagnostics *findings)
{
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        const bool is_seen = !setting->is_hidden && !setting->is_undone && !setting->is_argument;
        const char *near = is_seen ? settings_slip(dialect, setting, &findings->arena) : NULL;
        if (near)
            report(findings, CODE_B029, settings_position(settings, setting->name),
                   "'%.*s' is no variable of %s", (int)setting->name.length, setting->name.text,
                   dialect->library)
                ->help = did_you_mean(&findings->arena, near, NULL);
    }
}

void settings_lint(const struct settings *settings, const struct settings_dialect *dialect,
                   struct diagnostics *findings)
{
    const struct setting *list[MAX_COMPARED], *returns = NULL;
    size_t n = 0;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->items[i];
        if (!dialect->key(setting).length || setting->is_undone)
            continue;
        lint_unseen(settings, dialect, setting, findings);
        lint_characters(settings, setting, &returns, findings);
        if (settings_key(dialect, setting).length && n < MAX_COMPARED)
            list[n++] = setting;
        lint_one_unknown(settings, dialect, setting, findings);
    }
    lint_slips(settings, dialect, findings);
    lint_overridden(settings, dialect, list, n, findings);
    lint_twice(settings, dialect, list, n, findings);
    lint_contexts(settings, dialect, list, n, findings);
}
