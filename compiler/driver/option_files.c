/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that a command line names, by their roles in options.def: no command destroys what it reads.
 * Files that are read because another file names them are compared when the output is opened (output.c).
 */
#include "compiler/driver/options.h"

#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"

#include <stdio.h>
#include <string.h>

/* A value of an option with a role, or an argument: "--map", "argument". */
struct named_file {
    const char *path;
    char from[40];
};

/* Compares an output with another file; returns false after refusing it. */
typedef bool compare_file(const struct options *options, const struct named_file *output,
                          const struct named_file *file);

/* Returns the values of an option: of a list all of them. */
static const char *const *values_of(const struct options *options, const struct option_info *info, size_t *n)
{
    const void *field = (const char *)options + info->field;
    if (info->kind == OPTION_LIST) {
        const struct text_list *list = field;
        *n = list->n;
        return list->items;
    }
    *n = *(const char *const *)field != NULL;
    return field;
}

static bool has_role(const struct options *options, size_t i, enum option_role role)
{
    return option_table[i].role == role && (option_table[i].commands >> options->command & 1);
}

/* Calls `compare` for every file of that role among the options from number `first` on; returns false at
 * the first that it refuses. */
static bool each_file(const struct options *options, enum option_role role, size_t first,
                      compare_file *compare, const struct named_file *output)
{
    for (size_t i = first; i < n_options; i++) {
        size_t n = 0;
        const char *const *values =
            has_role(options, i, role) ? values_of(options, &option_table[i], &n) : NULL;
        for (size_t k = 0; k < n; k++) {
            struct named_file file = {.path = values[k]};
            snprintf(file.from, sizeof file.from, "--%s", option_table[i].name);
            if (!compare(options, output, &file))
                return false;
        }
    }
    return true;
}

static bool compare_with_input(const struct options *options, const struct named_file *output,
                               const struct named_file *input)
{
    if (!output_overwrites(output->path, input->path))
        return true;
    usage_error(options, "output file '%s' (%s) is the input file '%s' (%s)", output->path, output->from, input->path,
                input->from);
    return false;
}

static bool compare_with_output(const struct options *options, const struct named_file *output,
                                const struct named_file *other)
{
    if (!output_is_same(output->path, other->path))
        return true;
    usage_error(options, "output file '%s' (%s) is the output file '%s' (%s), too", output->path, output->from,
                other->path, other->from);
    return false;
}

static bool check_arguments(const struct options *options, const struct named_file *output)
{
    for (uint32_t i = 0; i < options->n_arguments; i++)
        if (!compare_with_input(options, output, &(struct named_file){options->arguments[i], "argument"}))
            return false;
    return true;
}

/* Compares the output that the option number i names with all inputs and with the outputs behind it. */
static bool check_output(const struct options *options, size_t i)
{
    const char *path = *(const char *const *)((const char *)options + option_table[i].field);
    struct named_file output = {.path = path};
    snprintf(output.from, sizeof output.from, "--%s", option_table[i].name);
    return !path || (check_arguments(options, &output) &&
                     each_file(options, ROLE_IN, 0, compare_with_input, &output) &&
                     each_file(options, ROLE_OUT, i + 1, compare_with_output, &output));
}

static bool allow_renewing(const struct options *options, const struct named_file *output,
                           const struct named_file *file)
{
    (void)options;
    (void)output;
    output_may_renew(file->path);
    return true;
}

bool options_check_files(const struct options *options)
{
    each_file(options, ROLE_OLD, 0, allow_renewing, NULL);
    for (size_t i = 0; i < n_options; i++) {
        if (has_role(options, i, ROLE_OUT) && !check_output(options, i))
            return false;
        if (has_role(options, i, ROLE_SAME))
            for (uint32_t k = 0; k < options->n_arguments; k++)
                output_may_renew(options->arguments[k]);
    }
    return true;
}
