# SPDX-License-Identifier: BSD-3-Clause
# Checks of single files: they compile, without warnings, and look alike.

warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wundef -Wcast-qual -Wformat=2 -Wswitch-enum'
compile="${CC:-gcc} -std=c11 $warnings -Werror -I. -D_POSIX_C_SOURCE=200809L
  $(pkg-config --cflags libxml-2.0 libcgraph jansson yaml-0.1 hwloc)"

# Those of tests/mpi are for the compilers of MPIs.
check_headers() {
    find $folders tests -name '*.h' ! -path 'tests/mpi/*' | sort |
        xargs -P "$(nproc)" -I '{}' sh -c "printf '#include \"{}\"\\ntypedef int not_empty;\\n' |
            $(echo $compile) -Wno-unused-function -fsyntax-only -x c - || echo '{}'"
}

# -O2 lets the compiler see more than -O0 would. What is for compilers of MPIs: tests/lint/runtime.sh.
check_warnings() {
    find $folders tests/unit tests/bench -name '*.c' ! -path '*/runtime/*' | sort |
        xargs -P "$(nproc)" -I '{}' sh -c "$(echo $compile) -O2 -c -o /dev/null {} || echo '{}'"
}

# A line may be longer only for the sake of a text that would be cut in two.
check_widths() {
    grep -nHP '\t| +$' "$@" | cut -c 1-120
    awk '{ line = $0; gsub(/[\200-\277]/, "", line)
           if (length(line) > 110 && line !~ /"/) print FILENAME ":" FNR ": " length(line) " columns" }' "$@"
}

# A function's body begins with '{' and ends with '}', both in the first column.
check_lengths() {
    awk 'FNR == 1 { start = 0 }
         /^\{/ { start = FNR }
         /^}/ && start { if (FNR - start > 101) print FILENAME ":" start ": " FNR - start - 1 " lines"
                         start = 0 }' "$@"
}

# clang 14 does not find a function with clones from another file: `make fuzz` would not link.
check_clones() {
    grep -nE '^ *VECTORISED ' "$@" | grep -v 'VECTORISED static '
}

check_scripts() {
    for file in scripts/* tests/run tests/lib.sh tests/lint/run tests/lint/*.sh tests/mpi/run tests/bench/run tests/bench/nwtopo tests/cli/*.sh tests/runtime/*.sh; do
        [ -f "$file" ] || continue
        case $(head -n 1 "$file") in *bash*) bash -n "$file" ;; *) sh -n "$file" ;; esac
    done
}

# Lines '$ collc ...' of README, docs and examples must run, in a folder where they see the
# project but cannot write to it; status 1 means findings.
check_examples() {
    path=$(cd "$1" && pwd)
    mkdir "$work/tree"
    ln -s "$PWD"/* "$work/tree"
    sed -n 's/^ *\$ \(collc .*\)/\1/p' README.md docs/*.md examples/*/README.md | awk '!seen[$0]++' | while read -r line; do
        (cd "$work/tree" && PATH="$path:$PATH" sh -c "$line") >/dev/null 2>"$work/message" </dev/null
        status=$?
        [ $status -lt 2 ] || { echo "exit $status: $line"; head -n 5 "$work/message"; }
    done
}

# Links from README and docs to files of the project lead somewhere.
check_links() {
    for page in README.md docs/*.md docs/codes/*.md examples/*/README.md; do
        [ -f "$page" ] || continue
        grep -oE '\]\([^)#:]+[)#]' "$page" | sed 's/^](//; s/[)#]$//' | while read -r target; do
            [ -e "$(dirname "$page")/$target" ] || echo "$page: no '$target'"
        done
    done
}

# Each format of topologies has a wrong case and a valid one.
check_formats() {
    formats=$(sed -nE 's/^(FOLDER_)?FORMAT\(([a-z_]+),.*/\2/p' network/formats/formats.def)
    [ -n "$formats" ] || echo 'no format found in formats.def'
    for format in $formats; do
        for kind in err out; do
            ls tests/golden/topology/"$format"/*."$kind" >/dev/null 2>&1 ||
                echo "tests/golden/topology/$format: no case with *.$kind"
        done
    done
}
