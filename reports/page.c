/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See page.h. Pictures are drawn for a white ground; where the page is dark, light and dark change places and
 * hues stay.
 */
#include "reports/page.h"

#include "base/diagnostic.h"
#include "base/text/xml_write.h"

#include <string.h>

static const char page_style[] =
    ":root{color-scheme:light dark;--line:#8886;--good:#00714f;--bad:#b00020}"
    "@media (prefers-color-scheme:dark){:root{--good:#4cd6a3;--bad:#ff8a8a}}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:1500px;margin:0 auto;padding:1rem 2rem}"
    "h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    ".line{font-size:1.15rem;margin:.25rem 0 1rem;border-left:.35rem solid;padding-left:.75rem}"
    ".good{border-color:var(--good)}.bad{border-color:var(--bad)}td.bad{color:var(--bad);font-weight:bold}"
    "nav a{margin-right:1.25rem}pre{overflow-x:auto;line-height:1.35;font-size:.9rem}#findings pre{white-space:pre-wrap}"
    "figure{margin:0;overflow-x:auto;background:#fff;color:#000;border:1px solid var(--line);padding:.5rem}"
    "figure svg{display:block;max-width:100%;height:auto;margin:auto}"
    "table{border-collapse:collapse}th,td{padding:.2rem .9rem;border-bottom:1px solid var(--line);"
    "text-align:right;font-variant-numeric:tabular-nums}th:first-child,td:first-child{text-align:left}"
    "@media screen and (prefers-color-scheme:dark){figure{filter:invert(.93) hue-rotate(180deg)}}"
    "footer{margin-top:2.5rem;font-size:.85rem;border-top:1px solid var(--line);padding-top:.5rem}"
    "@media print{nav{display:none}pre{white-space:pre-wrap}body{max-width:none;padding:0}section{break-inside:avoid-page}"
    "figure{border:0;overflow:visible}}";

/* Appends words of which none is markup, and none ends the line. */
static void page_words(struct text *out, const char *words)
{
    struct text safe = {0};
    text_append_safe(&safe, words);
    xml_write_escaped(safe.data ? safe.data : "", out);
    text_free(&safe);
}

void page_begin(struct text *out, const char *title, const char *line, bool is_good,
                const struct page_section *sections, size_t n)
{
    text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    page_words(out, title);
    text_printf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", page_style);
    page_words(out, title);
    text_printf(out, "</h1>\n<p class=\"line %s\">", is_good ? "good" : "bad");
    page_words(out, line);
    text_printf(out, "</p>\n<nav>");
    for (size_t i = 0; i < n; i++) {
        text_printf(out, "<a href=\"#%s\">", sections[i].id);
        page_words(out, sections[i].title);
        text_printf(out, "</a>\n");
    }
    text_printf(out, "</nav>\n<main>\n");
}

void page_end(struct text *out, const char *made_by)
{
    text_printf(out, "</main>\n<footer>");
    page_words(out, made_by);
    text_printf(out, "</footer>\n</body>\n</html>\n");
}

void page_open_section(struct text *out, const struct page_section *section)
{
    text_printf(out, "<section id=\"%s\">\n<h2>", section->id);
    page_words(out, section->title);
    text_printf(out, "</h2>\n");
}

void page_close_section(struct text *out)
{
    text_printf(out, "</section>\n");
}

void page_paragraph(struct text *out, const char *words)
{
    text_printf(out, "<p>");
    page_words(out, words);
    text_printf(out, "</p>\n");
}

void page_lines(struct text *out, const struct text *lines)
{
    text_printf(out, "<pre>");
    for (const char *line = lines->data ? lines->data : ""; *line;) {
        const size_t n = strcspn(line, "\n");
        struct text words = {0};
        text_append(&words, line, n);
        page_words(out, words.data ? words.data : "");
        text_free(&words);
        text_append(out, "\n", 1);
        line += n + (line[n] == '\n');
    }
    text_printf(out, "</pre>\n");
}

void page_section_of_lines(struct text *out, const struct page_section *section, const struct text *lines)
{
    page_open_section(out, section);
    if (lines->length)
        page_lines(out, lines);
    else
        page_paragraph(out, "None.");
    page_close_section(out);
}

void page_picture(struct text *out, const struct text *svg, const char *label)
{
    const char *from = svg->data ? strstr(svg->data, "<svg") : NULL;
    text_printf(out, "<figure role=\"img\" aria-label=\"");
    page_words(out, label);
    text_printf(out, "\">\n%s</figure>\n", from ? from : "");
}

static void page_cells(struct text *out, const char *tag, const char *const *cells, const bool *is_bad,
                       size_t n)
{
    text_printf(out, "<tr>");
    for (size_t i = 0; i < n; i++) {
        text_printf(out, "<%s%s>", tag, is_bad && is_bad[i] ? " class=\"bad\"" : "");
        page_words(out, cells[i]);
        text_printf(out, "</%s>", tag);
    }
    text_printf(out, "</tr>\n");
}

void page_open_table(struct text *out, const char *const *heads, size_t n)
{
    text_printf(out, "<table>\n");
    page_cells(out, "th", heads, NULL, n);
}

void page_row(struct text *out, const char *const *cells, const bool *is_bad, size_t n)
{
    page_cells(out, "td", cells, is_bad, n);
}

void page_close_table(struct text *out)
{
    text_printf(out, "</table>\n");
}
