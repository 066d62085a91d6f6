/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a fuzz target over the files named, without a fuzzer: the test suite
 * does that under the sanitizers of gcc, with the inputs it has anyway. All targets are one executable: the
 * name by which it is called, replay_TARGET, says which.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int target(const uint8_t *data, size_t size);

#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "gen/fuzz.def"
#undef TARGET

static const struct {
    const char *name;
    target *try;
} targets[] = {
#define TARGET(name) {"replay_" #name, fuzz_##name},
#include "gen/fuzz.def"
#undef TARGET
};

static int replay(target *try, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    uint8_t *data = NULL;
    size_t size = 0, length;
    do {
        uint8_t *grown = realloc(data, size + 65536);
        if (!grown)
            abort();
        data = grown;
        length = fread(data + size, 1, 65536, file);
        size += length;
    } while (length > 0);
    int failed = ferror(file);
    fclose(file);
    if (!failed)
        try(data, size);
    free(data);
    return failed;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    size_t t = 0;
    while (t < sizeof targets / sizeof *targets && strcmp(targets[t].name, name) != 0)
        t++;
    if (t == sizeof targets / sizeof *targets) {
        fprintf(stderr, "no fuzz target is called '%s'\n", name);
        return 2;
    }
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay(targets[t].try, argv[i]);
    return failed;
}
