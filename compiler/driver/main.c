/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc COMMAND [OPTIONS] [ARGUMENTS]: finds the command and runs it. Each
 * command is a file of this folder; what they share is the pipeline
 * (pipeline.h) and the output (output.h).
 */
#include "compiler/driver/help.h"
#include "compiler/driver/options.h"
#include "compiler/driver/output.h"
#include "compiler/driver/version.h"

#include <stdio.h>
#include <string.h>

static int run_command(int argc, char **argv, enum command command)
{
    struct options options = {.command = command};
    int status = STATUS_FAILED;
    if (options_parse(argc, argv, &options))
        status = options.help ? help_of_command(command) : command_table[command].run(&options);
    options_free(&options);
    return status;
}

int main(int argc, char **argv)
{
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
    if (command == N_COMMANDS) {
        fprintf(stderr, "collc: error: unknown command '%s'\ncollc: help: try 'collc --help'\n",
                argv[1]);
        return STATUS_FAILED;
    }
    return output_close_stdout(run_command(argc - 1, argv + 1, command));
}
