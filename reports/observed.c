/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See observed.h.
 */
#include "reports/observed.h"

#include "base/quantity.h"
#include "reports/record.h"

static void observed_put_algorithm(const char *algorithm, const char *runs_as, uint64_t segment,
                                   uint64_t fan_out, struct text *out)
{
    text_printf(out, "%s", algorithm);
    if (runs_as)
        text_printf(out, " as %s", runs_as);
    if (fan_out)
        text_printf(out, " x%llu", (unsigned long long)fan_out);
    if (segment) {
        text_printf(out, " ");
        print_size(segment, out);
    }
}

static void put_item(const struct table *table, const struct observed *item, struct text *out)
{
    struct text bytes = {0}, ran = {0}, picked = {0}, name = {0};
    text_printf(&name, "%s%s%s%s%s", table->loader->collectives[item->query.collective],
                item->query.is_in_place ? " in place" : "", item->query.is_ordered ? " ordered" : "",
                item->query.is_exact ? " exact" : "", item->is_elsewhere ? " elsewhere" : "");
    text_printf(&bytes, "%llu", (unsigned long long)item->first);
    if (item->last != item->first)
        text_printf(&bytes, "..%llu", (unsigned long long)item->last);
    observed_put_algorithm(item->algorithm, item->runs_as, item->segment_bytes, item->fan_out, &ran);
    observed_put_algorithm(item->picked, item->picked_runs_as, item->picked_segment_bytes,
                           item->picked_fan_out, &picked);
    text_printf(out, "%-22s %5u  %-18s %-34s %s%s\n", name.data, item->query.n_ranks, bytes.data, ran.data,
                picked.data, item->differs ? "  DIFFERS" : "");
    text_free(&name);
    text_free(&bytes);
    text_free(&ran);
    text_free(&picked);
}

void observed_text(const struct table *table, const struct observation *seen, struct text *out)
{
    text_printf(out, "%-22s %5s  %-18s %-34s %s\n", "collective", "ranks", "bytes", "ran", "picked");
    for (size_t i = 0; i < seen->n; i++)
        put_item(table, &seen->items[i], out);
    text_printf(out, "%llu kind%s of calls compared, %llu differ%s", (unsigned long long)seen->n_kinds,
                plural(seen->n_kinds), (unsigned long long)seen->n_different,
                seen->n_different == 1 ? "s" : "");
    if (seen->n_failing)
        text_printf(out, ", %llu fail%s", (unsigned long long)seen->n_failing, seen->n_failing == 1 ? "s" : "");
    if (seen->n_left_out)
        text_printf(out, "; %llu call%s not made, which would end the program", (unsigned long long)seen->n_left_out,
                    plural(seen->n_left_out));
    text_printf(out, "\n");
    if (observed_misses_rules(table, seen))
        text_printf(out, "no rule of the table is for any of them\n");
}

#include "reports/observed.def"

void observed_json(const struct table *table, const struct observation *seen, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    observed_write(&json, table, seen);
    json_close(&json, '}');
}
