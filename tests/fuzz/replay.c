/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a fuzz target over the files named, without a fuzzer: the test suite
 * does that under the sanitizers of gcc, with the inputs it has anyway.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
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
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    return failed;
}
