# SPDX-License-Identifier: BSD-3-Clause
# One code, one rule file, one page, one folder of cases: the sets are equal. Codes of rule tables
# (family table) have a folder of cases, too, in tests/golden/tables.

# codes_of CODE|RULE: the lines of that kind
codes_of() { sed -nE "s/^($1)\(([A-Z][0-9]+), .*/\2/p" base/codes.def | sort; }

codes_of_tables() { sed -nE "s/^CODE\(([A-Z][0-9]+), table, .*/\1/p" base/codes.def | sort; }

# compare WHAT FILE-OF-NAMES EXPECTED
compare() {
    diff "$3" "$2" | sed -n "s~^< \(.*\)~\1: no $1~p; s~^> \(.*\)~\1: $1, but no such code~p"
}

check_sets() {
    codes_of RULE >"$work/rules"
    codes_of 'CODE|RULE' >"$work/codes"
    [ -s "$work/rules" ] || echo 'no rule code found in base/codes.def'
    find verify -name '[A-Z][0-9]*.c' | sed 's|.*/||; s|\.c$||' | sort >"$work/files"
    find docs/codes -name '*.md' | sed 's|.*/||; s|\.md$||' | sort >"$work/pages"
    codes_of_tables >"$work/tables"
    [ -s "$work/tables" ] || echo 'no code of rule tables found in base/codes.def'
    find tests/golden/tables -mindepth 1 -maxdepth 1 -type d | sed 's|.*/||' | sort >"$work/table_folders"
    compare 'folder in tests/golden/tables/' "$work/table_folders" "$work/tables"
    find tests/golden/rules -mindepth 1 -maxdepth 1 -type d | sed 's|.*/||' | sort >"$work/folders"
    compare 'rule file in verify/' "$work/files" "$work/rules"
    compare 'page in docs/codes/' "$work/pages" "$work/codes"
    compare 'folder in tests/golden/rules/' "$work/folders" "$work/rules"
}

check_pages() {
    sed -nE 's/^(CODE|RULE)\(([A-Z][0-9]+), [a-z]+, [A-Z]+, "(.*)"\).*/\2 \3/p' base/codes.def |
        while read -r code title; do
            [ -f "docs/codes/$code.md" ] || continue
            read -r first <"docs/codes/$code.md"
            [ "$first" = "# $code: $title" ] ||
                echo "docs/codes/$code.md does not begin with '# $code: $title'"
        done
    grep -nE '^[A-Z][a-z]+ (error|warning|note)[.]$' docs/codes/*.md | sed 's/$/  (collc explain says it)/'
    return 0
}

# Each fact is offered by the one file that facts.def names, and the example of rule.h is there.
check_facts() {
    sed -nE 's/^FACT\(([a-z]+), ([A-Z]+), ([a-z_]+)\)$/\1 \3/p' verify/facts.def >"$work/facts"
    [ -s "$work/facts" ] || echo 'no fact found in verify/facts.def'
    while read -r name file; do
        grep -lE "(^|[^a-z_])offer_$name\(" verify/*.c verify/*/*.c | sort >"$work/offering"
        echo "verify/$file.c" | diff - "$work/offering" |
            sed -n "s~^< \(.*\)~\1 does not offer fact '$name'~p
                    s~^> \(.*\)~\1 offers fact '$name', which is for verify/$file.c~p"
    done <"$work/facts"
}

# The example of rule.h is a rule as it stands in its file.
check_example() {
    example=$(sed -n 's/^ \*     \(const struct rule rule_.*\)/\1/p' verify/rule.h)
    file=verify/$(echo "$example" | sed 's/.* rule_\([A-Z0-9]*\) .*/\1/').c
    { [ -n "$example" ] && grep -qFx "$example" "$file" && grep -q "$file" verify/rule.h; } ||
        echo "verify/rule.h: its example '$example' is not in $file"
}

# A rule, and a code of rule tables, has cases that fire it and near misses, and they do as they are named.
check_cases() {
    { codes_of RULE | sed 's|^|tests/golden/rules/|'
      codes_of_tables | sed 's|^|tests/golden/tables/|'; } | while read -r folder; do
        for kind in fires near; do
            set -- "$folder/$kind"-*
            [ -e "$1" ] || echo "$folder: no case $kind-*"
        done
    done
    awk '{ code = FILENAME
           sub("/[^/]*$", "", code)
           sub(".*/", "", code)
           if (index($0, "[" code "]")) fires[FILENAME] }
         END { for (i = 1; i < ARGC; i++)
                   if ((ARGV[i] ~ "/fires-") != (ARGV[i] in fires))
                       print ARGV[i] (ARGV[i] in fires ? " fires its code" : " does not fire its code") }' \
        tests/golden/rules/*/fires-*.out tests/golden/rules/*/near-*.out \
        tests/golden/tables/*/fires-*.out tests/golden/tables/*/near-*.out
}
