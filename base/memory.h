/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory by lifetime. An arena holds what lives as long as its owner (a
 * program, a topology, a list of diagnostics) and is freed in one call;
 * growable arrays of scratch data use mem_grow. Running out of memory is a
 * fault of the environment and ends the process with exit status 2, so no
 * caller checks for NULL.
 *
 * Built with -DARENA_MALLOC every arena allocation is a malloc of its own, so
 * that AddressSanitizer sees overruns between objects.
 */
#ifndef COLLC_BASE_MEMORY_H
#define COLLC_BASE_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
    struct arena_block *blocks; /* newest first; zero-initialise to start */
};

/* Returns n * size zeroed bytes that live until arena_free. */
void *arena_alloc(struct arena *arena, size_t n, size_t size);
/* Moves an array from the heap, where it grew, to the arena. */
void *arena_take(void *items, size_t n, size_t size, struct arena *arena);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void arena_free(struct arena *arena);

/* Returns n * size zeroed bytes from the heap, to be released with free(). */
void *mem_alloc(size_t n, size_t size);

/* Makes room for at least `need` elements of `size` bytes in the array `data`
 * of *capacity elements, growing by half or more; returns the array (moved
 * perhaps). New elements are not initialised. */
void *mem_grow(void *data, size_t *capacity, size_t need, size_t size);

/* Returns the array `data` with room for exactly n elements, moved perhaps. */
void *mem_resize(void *data, size_t n, size_t size);

/* True, with *product = a * b, if the product fits. */
bool mem_multiply(uint64_t a, uint64_t b, uint64_t *product);

/* Prints "collc: fatal: ..." on stderr (with the text of errno if the format ends in a colon) and exits with
 * status 2: for faults of the environment. */
_Noreturn void fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Does the same with help on how to mend it; NULL: nothing is known. */
_Noreturn void fatal_with(const char *help, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the help that follows the message of a failed allocation; the caller keeps the string. */
void fatal_help_with_memory(const char *words);

/* Guard for libraries, which must not end the process: between enter and leave, `fatal` on this thread leaves
 * the guard and jumps to guard->resume (setjmp before enter). Memory that was allocated since and has no
 * owner yet that frees it is lost. Guards nest. */
struct fatal_guard {
    jmp_buf resume;
    struct fatal_guard *outer;
};
void fatal_guard_enter(struct fatal_guard *guard);
void fatal_guard_leave(struct fatal_guard *guard);

/* Growing string. Zero-initialise; release with text_free. */
struct text {
    char *data; /* always NUL-terminated once something was appended */
    size_t length, capacity;
};
void text_append(struct text *text, const char *data, size_t length);
void text_printf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

/* Returns the ending of an English noun after a number. */
static inline const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
