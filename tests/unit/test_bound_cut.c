/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Certificates of bounds by cuts: each is accepted, alone and beside its fabric; with a number changed
 * none is, but for another set that proves the same.
 */
#include "bound/check/check.h"
#include "network/formats/formats.h"
#include "reports/certificate.h"
#include "tests/unit/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Changes the number at that byte; the text is at least a digit longer than it was. */
static void change_number(const char *from, size_t at, char *to)
{
    char *end;
    const unsigned long long number = strtoull(from + at, &end, 10);
    memcpy(to, from, at);
    snprintf(to + at, 32, "%llu", number ? number - 1 : 7);
    strcat(to, end);
}

static bool is_proved(const char *text, const struct check_subject *subject)
{
    struct text verdict = {0};
    const bool is_good = proof_file_check(text, strlen(text), subject, &verdict);
    text_free(&verdict);
    return is_good;
}

/* Returns how many changes were refused. */
static unsigned check_changes(const char *text, const struct check_subject *subject)
{
    char *changed = mem_alloc(strlen(text) + 64, 1);
    const char *inside = strstr(text, "\"inside\"");
    unsigned n_refused = 0;
    for (size_t at = 1; text[at]; at++) {
        const bool is_number = isdigit((unsigned char)text[at]) && !isalnum((unsigned char)text[at - 1]) &&
                               text[at - 1] != '-' && text[at - 1] != ')';
        if (!is_number)
            continue;
        change_number(text, at, changed);
        if (!is_proved(changed, subject))
            n_refused++;
        else
            CU_ASSERT_TRUE(text + at > inside);
    }
    free(changed);
    return n_refused;
}

static unsigned check_one(const char *spec, enum collective collective, uint32_t per_machine)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    const uint32_t n = topology->n_machines * per_machine;
    struct placement *placement = placement_by_slots(n, per_machine, false);
    const struct bound_request request = {collective, 1, topology, placement, NULL, false};
    const struct check_subject subject = {collective_table[collective].name, &request};
    struct cut_proof proof = cut_prove(&request);
    struct text text = {0};
    CU_ASSERT_TRUE_FATAL(proof.n_proofs > 0);
    cut_certificate(&proof, &request, subject.collective, &text);
    CU_ASSERT_TRUE(is_proved(text.data, NULL));
    CU_ASSERT_TRUE(is_proved(text.data, &subject));
    const unsigned n_refused = check_changes(text.data, &subject);
    text_free(&text);
    cut_proof_free(&proof);
    placement_free(placement);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return n_refused;
}

static void test_changes(void)
{
    static const char *const specs[] = {"torus:3x3", "star:5", "fattree:3x2,up=1x2", "mesh:2x4,bw=1GB/s:2GB/s",
                                        "full:4"};
    static const enum collective collectives[] = {COLLECTIVE_allgather, COLLECTIVE_bcast, COLLECTIVE_reduce,
                                                  COLLECTIVE_reduce_scatter_block, COLLECTIVE_allreduce};
    unsigned n_refused = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (size_t j = 0; j < sizeof collectives / sizeof *collectives; j++)
            n_refused += check_one(specs[i], collectives[j], 1 + (i + j) % 2);
    printf("%u changed certificates refused: ", n_refused);
    CU_ASSERT_TRUE(n_refused > 1000);
}

UNIT_PROGRAM(test_bound_cut)
{
    CU_TestInfo tests[] = {{"changed certificates of cuts", test_changes}, CU_TEST_INFO_NULL};
    return run_suite("bounds by cuts", tests);
}
