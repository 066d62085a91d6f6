/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as an algorithm. They are refused with a message, or accepted; and
 * then the program prints itself in text that is accepted again and prints the
 * same bytes.
 */
#include "compiler/language/language.h"
#include "ir/program.h"

#include <stdlib.h>
#include <string.h>

static void print_again(const struct text *once)
{
    struct diagnostics diagnostics = {0};
    struct source source = {.path = "printed", .text = once->data, .length = once->length};
    struct program *program = program_read_as_written(&source, &diagnostics);
    struct text twice = {0};
    if (!program)
        abort();
    program_print(program, &twice);
    if (twice.length != once->length || memcmp(twice.data, once->data, once->length) != 0)
        abort();
    text_free(&twice);
    program_free(program);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { TOO_LARGE_TO_GROW = 256 * 1024 }; /* the printed text may be longer than the limit */
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct text text = {0};
    const struct source *source = source_of_text("fuzz", (const char *)data, size, &arena);
    struct program *program = program_read(source, &diagnostics);
    if ((program == NULL) != diagnostics_has_errors(&diagnostics))
        abort();
    program_free(program);
    struct diagnostics written = {0};
    program = program_read_as_written(source, &written);
    if (program && size < TOO_LARGE_TO_GROW) {
        program_print(program, &text);
        print_again(&text);
        text_free(&text);
    }
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    program_free(program);
    diagnostics_free(&written);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
