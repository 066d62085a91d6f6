/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc COMMAND [OPTIONS] [ARGUMENTS]: finds the command and runs it. Each
 * command is a file of this folder; what they share is the pipeline
 * (job.h) and the output (output.h).
 */
#include "base/diagnostic.h"
#include "compiler/driver/budget.h"
#include "compiler/driver/combinations.h"
#include "compiler/driver/help.h"
#include "compiler/driver/launch.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "compiler/driver/targets.h"
#include "compiler/driver/version.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static int (*const run[N_COMMANDS])(const struct options *options) = {
#define COMMAND(name, arguments, least, most, groups, summary, description) command_##name,
#include "compiler/driver/commands.def"
};

/* A standard stream that is closed must not become a file of ours, with messages
 * written into it: its number is taken, and using it fails as if it were closed. */
static void occupy_closed_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)!open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

static bool are_consistent(const struct options *options)
{
    return options_check_files(options) && combinations_check(options) && emit_target_check(options);
}

static int run_command(int argc, char **argv, enum command command)
{
    struct options options = {.command = command};
    int status = STATUS_FAILED;
    const bool is_parsed = options_parse(argc, argv, &options);
    if (is_parsed && options.help) {
        status = help_of_command(command);
    } else if (is_parsed && options.usage) {
        status = help_usage_of_command(command);
    } else if (is_parsed && are_consistent(&options)) {
        budget_guard(&options);
        status = run[command](&options);
    }
    options_free(&options);
    return status;
}

int main(int argc, char **argv)
{
    occupy_closed_streams();
    source_opened = output_note_input;
    if (argc < 2) {
        help_usage(stderr);
        return STATUS_FAILED;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("collc %s\n", COLLC_VERSION);
        return output_close_stdout(STATUS_CLEAN);
    }
    bool is_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    enum command command = is_help ? COMMAND_help : command_find(argv[1]);
    if (command == N_COMMANDS)
        return help_unknown_command(argv[1]);
    if (!launch_share(command, argv))
        return STATUS_FAILED;
    return output_close_stdout(run_command(argc - 1, argv + 1, command));
}
