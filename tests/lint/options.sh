# SPDX-License-Identifier: BSD-3-Clause
# A command reads each option that it accepts: some function that command_NAME or main calls, directly or through
# others of the driver, reads its field of struct options. Parsing does not count, nor does refusing combinations.

# Prints those that are not read. lsp says by --stdio what is so anyhow. The network of topo and route stands for
# their argument.
check_options_read() {
    "${CC:-gcc}" -std=c11 -I. -o "$work/options" tests/lint/options.c &&
        "$work/options" | grep -vxE 'lsp stdio stdio|(topo|route) topology topology' | sort -s -k 1,1 >"$work/options.txt" &&
        awk -f tests/lint/options.awk "$work/options.txt" $(ls compiler/driver/*.c |
            grep -v '/\(options\|options_table\|option_[a-z]*\|combinations\|commands\)\.c$')
}
