# SPDX-License-Identifier: BSD-3-Clause
# A command reads each option that it accepts: some function that command_NAME or main calls, directly or through
# others of the driver, reads its field of struct options. Parsing does not count, nor does refusing combinations.

# Prints those that are not read. lsp says by --stdio what is so anyhow.
check_options_read() {
    "${CC:-gcc}" -std=c11 -I. -o "$work/options" tests/lint/options.c &&
        "$work/options" | grep -vx 'lsp stdio stdio' | sort -s -k 1,1 >"$work/options.txt" &&
        awk -f tests/lint/options.awk "$work/options.txt" $(ls compiler/driver/*.c |
            grep -v '/\(options\|options_table\|option_[a-z]*\|combinations\|commands\)\.c$')
}
