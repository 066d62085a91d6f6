/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Meaning of the ending of the name of an output. See options_internal.h.
 */
#include "compiler/driver/options_internal.h"

#include "compiler/driver/messages.h"

#include <string.h>

/* Returns the choice of that name that the command has, or NULL. */
static const struct option_info *find_choice(const struct options *options, const char *name)
{
    for (size_t i = 0; i < n_options; i++) {
        const struct option_info *info = &option_table[i];
        if (info->kind == OPTION_CHOICE && (info->commands & (1u << options->command)) &&
            strcmp(info->name, name) == 0)
            return info;
    }
    return NULL;
}

/* The field of that choice is set to `word` if that is one of its words; else false. */
static bool choose_by_ending(struct options *options, const char *name, const char *word)
{
    const struct option_info *info = find_choice(options, name);
    if (!info || !is_word_of(word, info->argument))
        return false;
    *(const char **)((char *)options + info->field) = word;
    return true;
}

/* A file whose ending promises a picture, or of a drawing anything, that the command does not make would hold
 * something else. */
static bool is_misleading(const struct options *options, const char *ending)
{
    const bool is_drawing = options->command == COMMAND_draw;
    return (is_drawing && strcmp(ending, "gv") != 0) ||
           (options->command != COMMAND_report && is_word_of(ending, "html|htm")) ||
           is_word_of(ending, "svg|png|pdf|bmp|eps|gif|jpeg|jpg|ps|tif|tiff|webp");
}

/* Usage error: 'svg', 'png' and so on, whatever of --to and --format is an ending. */
static void refuse_ending(const struct options *options, const char *ending)
{
    static const char *const names[] = {"to", "format"};
    struct text forms = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct option_info *choice = find_choice(options, names[i]);
        for (const char *word = choice ? choice->argument : NULL; word; word = strchr(word, '|')) {
            word += *word == '|';
            text_printf(&forms, "%s--%s %.*s", forms.length ? ", " : "", names[i], (int)strcspn(word, "|"), word);
        }
    }
    if (forms.length)
        usage_error_with("say which, and the name may be any; without it the ending says so",
                         "'%s' writes no .%s: there is %s", command_table[options->command].name, ending, forms.data);
    else
        usage_error_with("give the file another ending", "'%s' writes no .%s",
                         command_table[options->command].name, ending);
    text_free(&forms);
}

bool options_take_ending(struct options *options)
{
    const char *slash = options->output ? strrchr(options->output, '/') : NULL;
    const char *name = slash ? slash + 1 : options->output;
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (!dot || dot == name || options->to || options->format || choose_by_ending(options, "to", dot + 1) ||
        choose_by_ending(options, "format", dot + 1) || !is_misleading(options, dot + 1))
        return true;
    refuse_ending(options, dot + 1);
    return false;
}
