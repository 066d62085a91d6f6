/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The scanner of schedule files: words, numbers and names of one line, with
 * positions for messages. See schedule_scan.h. It may assume a NUL-terminated
 * text without NUL bytes inside (source_check_utf8 ran before).
 */
#include "ir/schedule_scan.h"

#include "base/codes.h"
#include "base/text/units.h"

#include <string.h>

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

void scan_blanks(struct scanner *scanner)
{
    while (*scanner->at == ' ' || *scanner->at == '\t' || *scanner->at == '\r')
        scanner->at++;
}

struct diagnostic *scan_error(struct scanner *scanner, uint32_t code, const char *from,
                              const char *format, ...)
{
    const char *end = scanner->at;
    if (end <= from)
        for (end = from; is_word_char(*end) || (unsigned char)*end >= 0x80; end++)
            continue;
    while (end > from + 1 && strchr(" \t\r", end[-1]))
        end--;
    struct position position = {scanner->source, scanner->line,
                                (uint32_t)(from - scanner->line_start) + 1,
                                end > from ? (uint32_t)(end - from) : 1};
    va_list args;
    va_start(args, format);
    char *message = arena_vprintf(&scanner->diagnostics->arena, format, args);
    va_end(args);
    scanner->failed = true;
    return report(scanner->diagnostics, code, position, "%s", message);
}

bool scan_at_line_end(const struct scanner *scanner)
{
    return *scanner->at == '\0' || *scanner->at == '\n' || *scanner->at == '#';
}

void scan_skip_line(struct scanner *scanner)
{
    while (*scanner->at && *scanner->at != '\n')
        scanner->at++;
}

bool scan_line(struct scanner *scanner)
{
    scan_blanks(scanner);
    while (scan_at_line_end(scanner)) {
        scan_skip_line(scanner);
        if (!*scanner->at)
            return false;
        scanner->line_start = ++scanner->at;
        scanner->line++;
        scan_blanks(scanner);
    }
    return true;
}

bool scan_word(struct scanner *scanner, const char *word)
{
    const char *at = scanner->at;
    while (*word && *at == *word)
        at++, word++;
    if (*word || is_word_char(*at))
        return false;
    scanner->at = at;
    scan_blanks(scanner);
    return true;
}

bool scan_char(struct scanner *scanner, char c)
{
    if (*scanner->at != c)
        return false;
    scanner->at++;
    return true;
}

bool scan_number(struct scanner *scanner, const char *what, uint64_t *number)
{
    const char *from = scanner->at;
    uint64_t value = 0;
    bool overflow = false;
    for (; *scanner->at >= '0' && *scanner->at <= '9'; scanner->at++) {
        unsigned digit = (unsigned)(*scanner->at - '0');
        overflow |= value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    *number = value;
    if (scanner->at == from) {
        scan_error(scanner, CODE_S001, from, "expected %s, a number", what);
        return false;
    }
    if (overflow)
        scan_error(scanner, CODE_S003, from, "%s does not fit in 64 bits", what);
    scan_blanks(scanner);
    return !overflow;
}

bool scan_hex(struct scanner *scanner, const char *what, uint64_t *number)
{
    const char *from = scanner->at;
    unsigned n_digits = 0;
    *number = 0;
    bool has_prefix = from[0] == '0' && from[1] == 'x';
    if (has_prefix)
        scanner->at += 2;
    for (int digit; has_prefix && (digit = hexadecimal_digit(*scanner->at)) >= 0; scanner->at++) {
        *number = *number << 4 | (uint64_t)digit;
        n_digits++;
    }
    if (n_digits == 0 || n_digits > 16) {
        scan_error(scanner, CODE_S001, from, "expected %s, 0x and up to 16 hexadecimal digits",
                   what);
        return false;
    }
    scan_blanks(scanner);
    return true;
}

/* Reads one character inside quotes; the escape \xHH may not make a NUL byte. */
static bool scan_quoted_char(struct scanner *scanner, char *c)
{
    const char *from = scanner->at;
    *c = *scanner->at++;
    if (*c != '\\')
        return true;
    *c = *scanner->at;
    if (*c == '"' || *c == '\\') {
        scanner->at++;
        return true;
    }
    int high = *c == 'x' ? hexadecimal_digit(scanner->at[1]) : -1;
    int low = high >= 0 ? hexadecimal_digit(scanner->at[2]) : -1;
    if (low < 0 || high * 16 + low == 0) {
        scan_error(scanner, CODE_S001, from, "unknown escape in a name")->help =
            "write \\\", \\\\ or \\x and two hexadecimal digits";
        return false;
    }
    *c = (char)(high * 16 + low);
    scanner->at += 3;
    return true;
}

static const char *scan_quoted(struct scanner *scanner, const char *what)
{
    const char *from = scanner->at++;
    size_t room = 0, n = 0;
    while (scanner->at[room] && scanner->at[room] != '\n')
        room++;
    char *name = arena_alloc(scanner->arena, room + 1, 1);
    while (*scanner->at != '"') {
        if (!*scanner->at || *scanner->at == '\n') {
            scan_error(scanner, CODE_S001, from, "%s has no closing quote", what);
            return NULL;
        }
        if (!scan_quoted_char(scanner, &name[n++]))
            return NULL;
    }
    scanner->at++;
    scan_blanks(scanner);
    return name;
}

const char *scan_name(struct scanner *scanner, const char *what)
{
    if (*scanner->at == '"')
        return scan_quoted(scanner, what);
    const char *from = scanner->at;
    while (is_word_char(*scanner->at))
        scanner->at++;
    if (scanner->at == from) {
        scan_error(scanner, CODE_S001, from, "expected %s", what);
        return NULL;
    }
    const char *name = arena_strndup(scanner->arena, from, (size_t)(scanner->at - from));
    scan_blanks(scanner);
    return name;
}

bool scan_end_of_line(struct scanner *scanner)
{
    if (scan_at_line_end(scanner))
        return true;
    scan_error(scanner, CODE_S001, scanner->at, "unexpected text at the end of the line");
    return false;
}
