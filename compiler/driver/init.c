/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc init: a first project file for what is in a folder.
 */
#include "base/helper.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "study/project/first_project.h"

#include <stdio.h>
#include <unistd.h>

/* It becomes the working directory, as names in the project are from there on. */
static bool init_enter(const char *folder, struct diagnostics *diagnostics)
{
    if (chdir(folder) == 0)
        return true;
    source_report_unreadable("open", folder, diagnostics);
    return false;
}

static void init_say(const char *name, const struct first_project *found)
{
    printf("%s: ", name);
    if (found->n_schedules)
        printf("%zu schedule%s", found->n_schedules, plural(found->n_schedules));
    if (found->n_tables)
        printf("%s%zu rule table%s or script%s of an MPI", found->n_schedules ? ", " : "", found->n_tables,
               plural(found->n_tables), plural(found->n_tables));
    if (!found->n_schedules && !found->n_tables)
        printf("no schedule here, so what Open MPI 4.1 takes");
    if (found->n_networks)
        printf(", on %zu network%s", found->n_networks, plural(found->n_networks));
    else
        printf(", and no network, so star:16 as an example");
    if (found->n_unread)
        printf("; %zu that look%s like a network cannot be read", found->n_unread,
               found->n_unread == 1 ? "s" : "");
    if (found->n_others)
        printf("; %zu file%s for other commands, in comments", found->n_others, plural(found->n_others));
    printf("; 'collc check' checks it\n");
}

static int init_write(const char *name, struct diagnostics *diagnostics)
{
    struct file_list files = {0};
    struct text text = {0};
    const bool is_listed = file_list_add_tree(&files, ".", "", diagnostics);
    if (is_listed) {
        char schema[HELPER_PATH];
        if (helper_find_page("schema/collc.json", schema))
            text_printf(&text, "# yaml-language-server: $schema=%s\n", schema);
        const struct first_project found = first_project_write(&files, &text);
        output_text(name, &text);
        init_say(name, &found);
    }
    text_free(&text);
    file_list_free(&files);
    return is_listed ? STATUS_CLEAN : STATUS_FAILED;
}

int command_init(const struct options *options)
{
    static const char name[] = "collc.yaml";
    const char *folder = options->n_arguments ? options->arguments[0] : ".";
    struct diagnostics diagnostics = {0};
    int status = STATUS_FAILED;
    if (init_enter(folder, &diagnostics))
        status = access(name, F_OK) == 0
                     ? usage_error_with("'collc check' checks it", "there is a %s in '%s'", name, folder)
                     : init_write(name, &diagnostics);
    say_diagnostics(options, &diagnostics);
    diagnostics_free(&diagnostics);
    return status;
}
