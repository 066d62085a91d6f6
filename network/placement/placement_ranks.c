/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files with a line for each rank: lists "rank 3 node005", rank files of Open MPI,
 * "rank 3=node005 slot=1:0-2", and the output of `srun -l hostname`, "3: node005".
 */
#include "network/placement/placement_files.h"

#include "base/codes.h"

#include <string.h>

static struct slice placement_ranks_take_digits(struct line_reader *reader)
{
    slice_skip_blanks(&reader->line);
    struct slice digits = {reader->line.text, 0};
    while (digits.length < reader->line.length && digits.text[digits.length] >= '0' &&
           digits.text[digits.length] <= '9')
        digits.length++;
    reader->line.text += digits.length;
    reader->line.length -= digits.length;
    return digits;
}

/* Behind the host of a rank file: cores, which make no difference here. */
static bool read_slot(struct line_reader *reader)
{
    struct slice word = slice_take_word(&reader->line);
    if (!word.length || ((slice_starts(word, "slot=") || slice_starts(word, "slots=")) &&
                         word.text[word.length - 1] != '='))
        return true;
    placement_complain(reader, CODE_A003, word, "expected 'slot=CORES' after the host")->help =
        "lines of a rank file are like 'rank 0=node001 slot=1:0-2'";
    return false;
}

/* "3=node005 slot=1:0-2" or "3 node005" */
static void read_rank_line(struct line_reader *reader, struct assignment *assignment)
{
    struct slice keyword = slice_take_word(&reader->line);
    struct slice number = placement_ranks_take_digits(reader);
    bool is_rank_file = placement_take_char(reader, '=');
    if (!number.length)
        number = slice_take_word(&reader->line);
    struct slice name = slice_take_word(&reader->line);
    uint32_t rank;
    if (!slice_is(keyword, "rank") || !name.length) {
        placement_complain(reader, CODE_A003, keyword, "expected 'rank NUMBER MACHINE'")->help =
            "a file whose first word is 'rank' has one such line for every rank, or "
            "'rank NUMBER=MACHINE slot=CORES'";
        return;
    }
    if (is_rank_file && slice_starts(name, "+n")) {
        placement_complain(reader, CODE_A003, name, "expected the name of a host, not its number for mpirun")
            ->help = "which host is '+n1' depends on the host file and on where mpirun is started: write its name";
        return;
    }
    if (!placement_take_rank(reader, number, &rank) || (is_rank_file && !read_slot(reader)))
        return;
    struct slice more = slice_take_word(&reader->line);
    if (more.length) {
        placement_complain(reader, CODE_A003, more, "expected 'rank NUMBER MACHINE'")->help =
            "a line places one rank on one machine";
        return;
    }
    uint32_t machine = placement_find_machine(reader, name, name);
    if (machine < reader->request->topology->n_machines)
        place_rank(reader, assignment, rank, machine, number);
}

bool placement_read_ranks(struct line_reader *reader, struct assignment *assignment)
{
    while (placement_next_words(reader))
        read_rank_line(reader, assignment);
    return placement_finish_ranks(reader, assignment,
                                  "every rank from 0 on needs a line 'rank NUMBER MACHINE'");
}

static void read_labelled_host(struct line_reader *reader, struct assignment *assignment)
{
    struct slice line = reader->line, number = placement_ranks_take_digits(reader);
    bool has_colon = placement_take_char(reader, ':');
    struct slice name = slice_take_word(&reader->line), more = slice_take_word(&reader->line);
    uint32_t rank;
    if (!number.length || !has_colon || !name.length || more.length) {
        placement_complain(reader, CODE_A003, more.length ? more : line, "expected 'RANK: MACHINE'")->help =
            "a file that begins so is the output of 'srun -l hostname'";
        return;
    }
    if (!placement_take_rank(reader, number, &rank))
        return;
    uint32_t machine = placement_find_machine(reader, name, name);
    if (machine < reader->request->topology->n_machines)
        place_rank(reader, assignment, rank, machine, number);
}

bool placement_read_labelled(struct line_reader *reader, struct assignment *assignment)
{
    while (placement_next_words(reader))
        read_labelled_host(reader, assignment);
    return placement_finish_ranks(reader, assignment, "every rank from 0 on needs a line 'RANK: MACHINE'");
}
