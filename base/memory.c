/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arenas, checked allocation, growing text, fatal. See memory.h.
 */
#define _DEFAULT_SOURCE /* MADV_HUGEPAGE */
#include "base/memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* of Linux 6.1, which the C library may not know yet */
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

/* Blocks double from the first size to the second; what is larger has one of its own. */
enum { ARENA_FIRST_BYTES = 1024, ARENA_BLOCK_BYTES = 64 * 1024, ARENA_ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used, capacity;
    _Alignas(ARENA_ALIGNMENT) unsigned char data[];
};

bool mem_multiply(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static size_t checked_bytes(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        fatal("cannot allocate %zu elements of %zu bytes", n, size);
    return bytes;
}

/* Large pages: a page that is touched first costs much the same whatever its size, and on virtual machines
 * more than all that is done with its bytes. */
enum { SMALL_PAGE = 1 << 12, LARGE_PAGE = 1 << 21 };

/* Returns the size to allocate: from one large page on, whole large pages together with malloc's own header,
 * as Linux aligns mappings of such sizes. */
static size_t in_whole_pages(size_t bytes)
{
#ifndef ARENA_MALLOC
    enum { HEADER = 64 };
    if (bytes >= LARGE_PAGE)
        return (bytes + HEADER + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE - HEADER;
#endif
    return bytes + !bytes;
}

/* Asks for large pages for the first so many bytes. */
static void ask_for_large_pages(void *data, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t first = (uintptr_t)data & ~(uintptr_t)(SMALL_PAGE - 1);
    const uintptr_t end = ((uintptr_t)data + bytes + SMALL_PAGE - 1) & ~(uintptr_t)(SMALL_PAGE - 1);
    if (bytes >= LARGE_PAGE)
        madvise((void *)first, end - first, MADV_HUGEPAGE); /* or not: it is as good without */
#else
    (void)data, (void)bytes;
#endif
}

/* Does the same for a block fresh from malloc, whose header in front has touched a small page already, where
 * the first large one is to be. */
static void ask_for_first_pages(void *data, size_t bytes)
{
    ask_for_large_pages(data, bytes);
#ifdef MADV_HUGEPAGE
    const uintptr_t first = (uintptr_t)data & ~(uintptr_t)(SMALL_PAGE - 1);
    if (bytes >= LARGE_PAGE && first % LARGE_PAGE == 0)
        madvise((void *)first, LARGE_PAGE, MADV_COLLAPSE);
#endif
}

/* Populates less than a large page at once, from FEW_BYTES on: touched one by one small pages cost ten times
 * as much. */
enum { FEW_BYTES = 1 << 14 };
static void ask_for_small_pages(void *data, size_t bytes)
{
    const uintptr_t first = (uintptr_t)data & ~(uintptr_t)(SMALL_PAGE - 1);
    if (bytes >= FEW_BYTES && bytes < LARGE_PAGE)
        madvise((void *)first, (uintptr_t)data + bytes - first, MADV_POPULATE_WRITE); /* or not */
}

/* Zeros in small pages. */
static void *fill_small_pages(size_t bytes)
{
    void *zeros = malloc(bytes);
    if (!zeros)
        return NULL;
    ask_for_small_pages(zeros, bytes);
    return memset(zeros, 0, bytes);
}

/* Zeros, which where they are many are no memory until they are written: no large page is asked for of which
 * less than half is needed, and no more than a little is added to what is. */
static void *allocate_zeros(size_t bytes)
{
    enum { LITTLE = 16 }; /* a sixteenth */
    const size_t pages = in_whole_pages(bytes), whole = pages - bytes > bytes / LITTLE ? bytes : pages;
    const size_t needed = (bytes + LARGE_PAGE / 2) / LARGE_PAGE * LARGE_PAGE;
    if (bytes >= FEW_BYTES && bytes < LARGE_PAGE)
        return fill_small_pages(bytes);
    void *zeros = calloc(1, whole + !whole);
    if (zeros)
        ask_for_first_pages(zeros, needed < whole ? needed : whole);
    return zeros;
}

static size_t arena_capacity(const struct arena *arena, size_t bytes)
{
#ifdef ARENA_MALLOC
    (void)arena;
    return bytes;
#else
    size_t capacity = arena->blocks ? 2 * arena->blocks->capacity : ARENA_FIRST_BYTES;
    if (capacity > ARENA_BLOCK_BYTES)
        capacity = ARENA_BLOCK_BYTES;
    return bytes > capacity ? bytes : capacity;
#endif
}

/* Returns a new block with room for `bytes`: in front, unless it is filled by them; then behind the front
 * one, whose rest stays in use. */
static struct arena_block *arena_grow(struct arena *arena, size_t bytes)
{
    size_t capacity = arena_capacity(arena, bytes);
    struct arena_block *block = allocate_zeros(sizeof *block + capacity);
    if (!block)
        fatal("cannot allocate %zu bytes:", capacity);
    struct arena_block **place =
        capacity == bytes && arena->blocks ? &arena->blocks->next : &arena->blocks;
    block->capacity = capacity;
    block->next = *place;
    *place = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t n, size_t size)
{
    size_t bytes = checked_bytes(n, size);
#ifndef ARENA_MALLOC
    bytes = (bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
#endif
    struct arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < bytes || block->used == block->capacity)
        block = arena_grow(arena, bytes);
    void *result = block->data + block->used;
    block->used += bytes;
    return result;
}

void *arena_take(void *items, size_t n, size_t size, struct arena *arena)
{
    void *copy = arena_alloc(arena, n, size);
    if (n)
        memcpy(copy, items, n * size);
    free(items);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        fatal("cannot format a message:");
    char *result = arena_alloc(arena, (size_t)length + 1, 1);
    vsnprintf(result, (size_t)length + 1, format, again);
    va_end(again);
    return result;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *result = arena_vprintf(arena, format, args);
    va_end(args);
    return result;
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    arena->blocks = NULL;
}

void *mem_alloc(size_t n, size_t size)
{
    void *result = allocate_zeros(checked_bytes(n, size));
    if (!result)
        fatal("cannot allocate %zu elements of %zu bytes:", n, size);
    return result;
}

/* Moves a block of `held` bytes in small pages to large ones. */
static void *move_to_large_pages(void *data, size_t held, size_t bytes)
{
    void *moved = malloc(bytes);
    if (!moved)
        return NULL;
    ask_for_first_pages(moved, bytes);
    if (held)
        memcpy(moved, data, held);
    free(data);
    return moved;
}

/* Resizes a block. One that reaches the size of a large page moves, as a mapping has pages of one kind: a
 * part of it could not grow in place. */
void *mem_resize(void *data, size_t n, size_t size)
{
    const size_t bytes = in_whole_pages(checked_bytes(n, size)), held = data ? malloc_usable_size(data) : 0;
    const bool is_moved = held < LARGE_PAGE && bytes >= LARGE_PAGE;
    void *resized = is_moved ? move_to_large_pages(data, held, bytes) : realloc(data, bytes);
    if (!resized)
        fatal("cannot allocate %zu elements of %zu bytes:", n, size);
    if (!is_moved)
        ask_for_large_pages(resized, bytes);
    ask_for_small_pages(resized, bytes);
    return resized;
}

void *mem_grow(void *data, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return data;
    size_t wanted = *capacity + *capacity / 2 + 16;
    if (wanted < need)
        wanted = need;
    *capacity = wanted;
    return mem_resize(data, wanted, size);
}

void text_append(struct text *text, const char *data, size_t length)
{
    text->data = mem_grow(text->data, &text->capacity, text->length + length + 1, 1);
    if (length)
        memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        fatal("cannot format text:");
    text->data = mem_grow(text->data, &text->capacity, text->length + (size_t)length + 1, 1);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    va_end(again);
    text->length += (size_t)length;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

static _Thread_local struct fatal_guard *fatal_guard;

void fatal_guard_enter(struct fatal_guard *guard)
{
    guard->outer = fatal_guard;
    fatal_guard = guard;
}

void fatal_guard_leave(struct fatal_guard *guard)
{
    fatal_guard = guard->outer;
}

static const char *help_with_memory;

void fatal_help_with_memory(const char *words)
{
    help_with_memory = words;
}

/* Jumps back to the innermost guard, if there is one. */
static void memory_go_back(void)
{
    struct fatal_guard *guard = fatal_guard;
    if (!guard)
        return;
    fatal_guard_leave(guard);
    longjmp(guard->resume, 1);
}

__attribute__((format(printf, 3, 0))) static void say_fatal(int error, const char *help,
                                                            const char *format, va_list args)
{
    size_t length = strlen(format);
    fputs("collc: fatal: ", stderr);
    vfprintf(stderr, format, args);
    if (length && format[length - 1] == ':')
        fprintf(stderr, " %s", strerror(error));
    fputc('\n', stderr);
    if (error == ENOMEM && help_with_memory)
        help = help_with_memory;
    if (help)
        fprintf(stderr, "collc: help: %s\n", help);
}

_Noreturn void fatal(const char *format, ...)
{
    const int error = errno;
    va_list args;
    memory_go_back();
    va_start(args, format);
    say_fatal(error, NULL, format, args);
    va_end(args);
    exit(2);
}

_Noreturn void fatal_with(const char *help, const char *format, ...)
{
    const int error = errno;
    va_list args;
    memory_go_back();
    va_start(args, format);
    say_fatal(error, help, format, args);
    va_end(args);
    exit(2);
}
