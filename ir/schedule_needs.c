/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines `needs` of a schedule file: RANK out[A..B] FROM:in[A..B], or
 * FROM..LAST:in[A..B] where the chunks of several ranks are combined. What
 * several lines say of one chunk is combined, too.
 */
#include "ir/schedule_sizes.h"

#include "base/codes.h"

#include <stdlib.h>

/* Reads NUMBER or NUMBER..NUMBER below a limit. */
static bool needs_scan_range(struct scanner *scanner, const char *what, uint64_t limit, uint32_t *first,
                             uint32_t *last)
{
    const char *from = scanner->at;
    uint64_t a, b;
    if (!scan_number(scanner, what, &a))
        return false;
    b = a;
    if (scan_char(scanner, '.') && (!scan_char(scanner, '.') || !scan_number(scanner, what, &b))) {
        if (!scanner->failed)
            scan_error(scanner, CODE_S001, from, "expected %s, such as 0..3", what);
        return false;
    }
    if (b < a || b >= limit) {
        scan_error(scanner, CODE_S003, from, "no range of %s", what);
        return false;
    }
    *first = (uint32_t)a;
    *last = (uint32_t)b;
    return true;
}

/* WORD[A..B] */
static bool needs_scan_chunks(struct scanner *scanner, const char *word, uint32_t *first, uint32_t *last)
{
    const char *from = scanner->at;
    if (!scan_word(scanner, word) || !scan_char(scanner, '[')) {
        scan_error(scanner, CODE_S001, from, "expected chunks of %s, such as %s[0..3]", word, word)->help =
            "what a rank needs is written: needs RANK out[A..B] FROM:in[A..B]";
        return false;
    }
    if (!needs_scan_range(scanner, "chunks", SCHEDULE_MAX_CHUNKS, first, last))
        return false;
    if (!scan_char(scanner, ']')) {
        scan_error(scanner, CODE_S001, scanner->at, "expected ']'");
        return false;
    }
    scan_blanks(scanner);
    return true;
}

bool scan_need(struct scanner *scanner, struct needs_reader *needs)
{
    struct need_term term = {.line = scanner->line, .adds = true};
    uint32_t unused, last, from_end;
    if (scan_at_line_end(scanner))
        return true;
    const char *from = scanner->at;
    if (!needs_scan_range(scanner, "a rank", SCHEDULE_MAX_RANKS, &term.rank, &unused) ||
        !needs_scan_chunks(scanner, "out", &term.chunk, &last) ||
        !needs_scan_range(scanner, "ranks", SCHEDULE_MAX_RANKS, &term.from, &term.last))
        return false;
    if (!scan_char(scanner, ':')) {
        scan_error(scanner, CODE_S001, scanner->at, "expected ':' behind a rank, such as 2:in[0]");
        return false;
    }
    if (!needs_scan_chunks(scanner, "in", &term.from_chunk, &from_end))
        return false;
    term.n = last - term.chunk + 1;
    if (from_end - term.from_chunk != last - term.chunk || unused != term.rank) {
        scan_error(scanner, CODE_S002, from, "the two sides have different numbers of chunks, or ranks");
        return false;
    }
    needs->terms = mem_grow(needs->terms, &needs->capacity, needs->n + 1, sizeof *needs->terms);
    needs->terms[needs->n++] = term;
    return true;
}

bool scan_has(struct scanner *scanner, struct needs_reader *needs)
{
    struct need_term term = {.line = scanner->line};
    uint32_t unused, last;
    needs->is_has = true;
    if (scan_at_line_end(scanner))
        return true;
    const char *from = scanner->at;
    if (!needs_scan_range(scanner, "a rank", SCHEDULE_MAX_RANKS, &term.rank, &unused) ||
        !needs_scan_chunks(scanner, "in", &term.from_chunk, &last))
        return false;
    if (unused != term.rank) {
        scan_error(scanner, CODE_S001, from, "expected one rank");
        return false;
    }
    term.n = last - term.from_chunk + 1;
    needs->has = mem_grow(needs->has, &needs->has_capacity, needs->n_has + 1, sizeof *needs->has);
    needs->has[needs->n_has++] = term;
    return true;
}

/* Reports, at the line of the term. */
static void needs_refuse(struct scanner *scanner, uint32_t line, const char *words, const char *help)
{
    report(scanner->diagnostics, CODE_S002, schedule_line(scanner->source, line), "%s",
           arena_printf(&scanner->diagnostics->arena, "%s", words))
        ->help = help;
    scanner->failed = true;
}

/* Sets which chunks ranks have; NULL: all. False after reporting. */
static bool needs_make_has(struct scanner *scanner, const struct needs_reader *needs,
                           const struct schedule_header *header, bool **has)
{
    const uint64_t n_places = (uint64_t)header->n_ranks * header->n_in;
    *has = NULL;
    if (!needs->is_has)
        return true;
    if (n_places > NEEDS_MAX_PLACES) {
        scan_error(scanner, CODE_S003, scanner->at, "'has' for more than %d chunks of 'in' of all ranks",
                   NEEDS_MAX_PLACES);
        return false;
    }
    for (size_t i = 0; i < needs->n_has; i++)
        if (needs->has[i].rank >= header->n_ranks ||
            (uint64_t)needs->has[i].from_chunk + needs->has[i].n > header->n_in) {
            needs_refuse(scanner, needs->has[i].line, "'has' names a rank or a chunk that is not there",
                         "ranks and chunks are below the numbers in the lines 'ranks' and 'in'");
            return false;
        }
    *has = mem_alloc(n_places + 1, sizeof **has);
    for (size_t i = 0; i < needs->n_has; i++)
        for (uint32_t k = 0; k < needs->has[i].n; k++)
            (*has)[(size_t)needs->has[i].rank * header->n_in + needs->has[i].from_chunk + k] = true;
    return true;
}

void scan_make_needs(struct scanner *scanner, struct needs_reader *needs, struct schedule_header *header)
{
    struct need_fault fault;
    for (size_t i = 0; i < needs->n; i++) {
        const struct need_term *term = &needs->terms[i];
        const bool is_outside = term->rank >= header->n_ranks || term->last >= header->n_ranks ||
                                (uint64_t)term->chunk + term->n > header->n_out ||
                                (uint64_t)term->from_chunk + term->n > header->n_in;
        if (is_outside) {
            needs_refuse(scanner, term->line, "'needs' names a rank or a chunk that is not there",
                         "ranks and chunks are below the numbers in the lines "
                         "'ranks', 'in' and 'out'");
            return;
        }
    }
    bool *has;
    if (!needs_make_has(scanner, needs, header, &has))
        return;
    header->needs = needs_new(header->n_ranks, header->n_in, needs->terms, needs->n, has, &fault);
    needs->terms = NULL;
    if (!header->needs)
        needs_refuse(scanner, fault.a.line, fault.words, fault.help);
}
