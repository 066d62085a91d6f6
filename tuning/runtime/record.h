/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records the messages that an MPI sends in a call of a collective. Every element is 8 bytes long and names
 * its origin: a rank and a number. What an operation makes of two elements gets a name of the rank that
 * made it. The file $COLLC_TRACE.RANK has these lines, numbers in decimal but for addresses, values and keys:
 *
 *   call RANKS ROOT ELEMENTS COLLECTIVE      a call begins; ELEMENTS of a block
 *   buffer in|out ADDRESS ELEMENTS           a buffer of the caller
 *   send ID TO KEY ELEMENTS PIECE...         a send is posted; PIECE is ADDRESS:ELEMENTS:VALUE
 *   recv ID KEY ELEMENTS PIECE...            a receive is posted; PIECE is ADDRESS:ELEMENTS; KEY '*': any
 *   done ID KEY PIECE...                     the rank goes on after a send or a receive; of a receive with its
 *                                            data; KEY '-': the one it was posted with
 *   op VALUE PIECE...                        the operation; PIECE is LEFT:RIGHT:ELEMENTS:LEFT-VALUE:RIGHT-VALUE,
 *                                            the first two are addresses; results begin with VALUE
 *   lost WORDS                               something that cannot be followed
 *   end PIECE...                             the call returned; the data of `out`
 *   fails                                    the call returned an error
 *
 * In a piece addresses go up by an element and values by 1. A send meets the receive with the same key at the
 * rank it goes to. The functions that see messages are in record_ompi.h and record_mpich.h; each has
 * record_open, which must return why messages cannot be seen, or NULL.
 */
#include <inttypes.h>
#include <stdarg.h>

enum { ELEMENT = 8, VALUE_RANK_SHIFT = 40 };

static FILE *trace;
static int is_recording;
static int record_rank;
static uint64_t next_value, next_id;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(trace, format, arguments);
    va_end(arguments);
}

static uint64_t value_at(uint64_t address)
{
    uint64_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static int is_next(const uint64_t *addresses, const uint64_t *values, size_t i)
{
    return (!addresses || addresses[i] == addresses[i - 1] + ELEMENT) &&
           (!values || values[i] == values[i - 1] + 1);
}

/* Puts elements as pieces and ends the line. Without addresses they are all 0; without values none are put. */
static void put_pieces(const uint64_t *addresses, const uint64_t *values, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && is_next(addresses, values, end);)
            end++;
        put(" %" PRIx64 ":%zu", addresses ? addresses[i] : 0, end - i);
        if (values)
            put(":%" PRIx64, values[i]);
    }
    put("\n");
}

/* Puts elements with the values that lie at their addresses. */
static void put_contents(const uint64_t *addresses, size_t n)
{
    uint64_t *values = malloc(n * sizeof *values + 1);
    if (!values)
        abort();
    for (size_t i = 0; i < n; i++)
        values[i] = value_at(addresses[i]);
    put_pieces(addresses, values, n);
    free(values);
}

/* Returns the addresses of consecutive elements, to be freed. */
static uint64_t *addresses_from(const void *begin, size_t n)
{
    uint64_t *addresses = malloc(n * sizeof *addresses + 1);
    if (!addresses)
        abort();
    for (size_t i = 0; i < n; i++)
        addresses[i] = (uint64_t)(uintptr_t)begin + i * ELEMENT;
    return addresses;
}

/* The operation of recorded calls: the name of a result is new. */
static void combine_recorded(void *from, void *to, int *n, MPI_Datatype *type)
{
    uint64_t *left = from, *right = to;
    (void)type;
    if (!is_recording || *n < 1)
        return;
    put("op %" PRIx64, next_value);
    for (int i = 0, end; i < *n; i = end) {
        for (end = i + 1; end < *n && left[end] == left[end - 1] + 1 && right[end] == right[end - 1] + 1;)
            end++;
        put(" %" PRIx64 ":%" PRIx64 ":%d:%" PRIx64 ":%" PRIx64, (uint64_t)(uintptr_t)&left[i],
            (uint64_t)(uintptr_t)&right[i], end - i, left[i], right[i]);
    }
    put("\n");
    for (int i = 0; i < *n; i++)
        right[i] = next_value++;
}

/* Opens the file of the rank in MPI_COMM_WORLD. */
static void open_trace(int rank)
{
    char path[4096];
    const char *prefix = getenv("COLLC_TRACE");
    if (trace)
        return;
    snprintf(path, sizeof path, "%s.%d", prefix ? prefix : "trace", rank);
    trace = fopen(path, "w");
    if (!trace) {
        fprintf(stderr, "cannot write '%s'\n", path);
        exit(3);
    }
    setvbuf(trace, NULL, _IOFBF, 1 << 20);
    record_rank = rank;
}

/* Fills n elements with names of this rank. */
static void name_elements(void *buffer, size_t n)
{
    uint64_t *elements = buffer;
    for (size_t i = 0; i < n; i++)
        elements[i] = (uint64_t)(record_rank + 1) << VALUE_RANK_SHIFT | i;
    next_value = ((uint64_t)(record_rank + 1) << VALUE_RANK_SHIFT) + n;
}

#ifdef OPEN_MPI
#include "record_ompi.h"
#else
static const char *record_open(MPI_Comm comm)
{
    (void)comm;
    return "messages are seen in Open MPI only";
}
static void record_close(void)
{
}
#endif
