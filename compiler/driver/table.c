/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See table.h.
 */
#include "compiler/driver/table.h"

#include "base/codes.h"
#include "ir/collective.h"
#include "tables/loaders.h"
#include "tables/rules/plan.h"

#include <stdio.h>
#include <string.h>

const struct table_loader *wanted_loader(const struct options *options)
{
    if (!options->target)
        usage_error(options, "say whose table it is: --target, for example '--target %s'",
                    table_loaders[0]->target);
    return options->target ? table_loader_find(options->target) : NULL;
}

const struct table *read_table(const struct table_loader *loader, const char *path, struct arena *arena,
                               struct diagnostics *diagnostics)
{
    const struct source *source = source_read(path, TABLE_FILE_LIMIT, arena, diagnostics);
    if (!source)
        return NULL;
    const char *nul = memchr(source->text, '\0', source->length);
    if (nul) {
        report(diagnostics, CODE_I003, source_position(source, (size_t)(nul - source->text), 1),
               "a NUL byte: this is neither a rule table nor a file with settings");
        return NULL;
    }
    return table_read(loader, source, arena, diagnostics);
}

int refuse_collective(const struct options *options, const struct table_loader *loader, const char *name,
                      struct arena *arena)
{
    struct text help = {0};
    const char *near = collective_nearest(name, strlen(name));
    if (near && strcmp(near, name) != 0 && table_collective(loader, near) < loader->n_collectives)
        return usage_error(options, "'%s' has no collective '%s'%s", loader->target, name,
                           usage_did_you_mean(arena, near));
    for (uint32_t i = 0; i < loader->n_collectives; i++)
        text_printf(&help, "%s%s", i ? ", " : "known of it are ", loader->collectives[i]);
    usage_error_with(help.data, "'%s' of '%s' is not known here", name, loader->target);
    text_free(&help);
    return STATUS_FAILED;
}

bool is_known_without_file(const struct table_loader *loader, const char *with_file)
{
    if ((loader->writer && loader->writer->none) || loader->decides_alone)
        return true;
    struct text help = {0};
    text_printf(&help, "give a file: %s%s", with_file,
                strncmp(loader->target, "nccl-", 5) == 0
                    ? "; FILE is a script that sets NCCL_GRAPH_DUMP_FILE and NCCL_TOPO_DUMP_FILE to what NCCL wrote "
                      "there (docs/nccl.md)"
                    : "");
    usage_error_with(help.data, "what '%s' takes without a rule table is not known here", loader->target);
    text_free(&help);
    return false;
}

unsigned unmade_calls(const struct options *options)
{
    return (options->commutative_only ? CALL_ORDERED : 0u) |
           (options->same_types_only ? CALL_UNLIKE_TYPES : 0u);
}

void say_launch(const struct options *options, const struct table_loader *loader)
{
    const char *const *launch = loader->writer->launch;
    if (!options->quiet)
        printf("a program runs under these rules by\n  %s%s%s\n", launch[0], options->output, launch[1]);
}
