/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main of all unit programs: the name by which it is called says which.
 */
#include <stdio.h>
#include <string.h>

#define PROGRAM(name) int main_of_##name(void);
#include "gen/unit.def"
#undef PROGRAM

static const struct {
    const char *name;
    int (*run)(void);
} programs[] = {
#define PROGRAM(name) {#name, main_of_##name},
#include "gen/unit.def"
#undef PROGRAM
};

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].name, name) == 0)
            return programs[i].run();
    fprintf(stderr, "no unit program is called '%s'\n", name);
    return 2;
}
