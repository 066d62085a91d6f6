# SPDX-License-Identifier: BSD-3-Clause
# Checks of single files: they compile, without warnings, and look alike.

# compile COMPILER FILE...: those that have changed since they passed, or include what has.
compile() {
    local compiler=$1 stamps=$build/lint
    shift
    [ "$compiler" = gcc ] || stamps=$stamps/$compiler
    MAKEFLAGS= MAKELEVEL= make -s -k -j "$(nproc)" -f tests/lint/compile.mk CC="$compiler" \
        STAMPS="$stamps" BUILD="$build" FILES="$*"
}

# a_share: of the files on standard input, each eighth, in the long form all.
a_share() {
    sort | if [ "$form" = long ]; then cat; else awk 'NR % 8 == 1'; fi
}

# Sources of tests/mpi are for the compilers of MPIs.
check_headers() { compile gcc $(find $folders tests -name '*.h' ! -path 'tests/mpi/*' | a_share); }

# The build kept what the compiler said of its sources, with the same warnings; the rest is
# compiled here. What is for compilers of MPIs: tests/lint/runtime.sh, and a helper that the build compiled.
check_warnings() {
    local file said others= found=
    for file in $(find $folders tests/unit tests/bench -name '*.c' ! -path '*/runtime/*' \
        ! -path 'study/parallel/helper/*' ! -path tests/bench/library.c); do
        said=$build/${file%.c}.said
        if [ ! "$said" -nt "$file" ]; then others="$others $file"; elif [ -s "$said" ]; then found="$found $said"; fi
    done
    cat /dev/null $found
    compile gcc $others
    cat "$build"/collc-mpi-*.said 2>/dev/null || :
}

# Another compiler has other warnings.
check_clang() {
    compile clang $(find $folders tests/unit tests/bench -name '*.c' ! -path '*/runtime/*' ! -path 'study/parallel/helper/*' \
        ! -path tests/bench/library.c | a_share)
}

check_cppcheck() {
    mkdir -p "$build/lint/cppcheck"
    cppcheck -q --std=c11 --enable=warning,portability --inline-suppr -I. \
        --max-configs=1 --suppress=missingIncludeSystem --suppressions-list=tests/lint/cppcheck.txt \
        --cppcheck-build-dir="$build/lint/cppcheck" \
        -i emitters/mpi_c/runtime -j "$(nproc)" $folders
}

# without_licence LINES FILE...: those that do not say it in their first LINES lines
without_licence() {
    local lines=$1
    shift
    awk -v lines="$lines" '
        FNR <= lines && /SPDX-License-Identifier: BSD-3-Clause/ { says[FILENAME]; nextfile }
        END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in says)) print ARGV[i] }' "$@"
}

# Every source says its licence in its first line, a script in its second.
check_licences() {
    without_licence 1 "$@" $(find $folders -name '*.def')
    without_licence 2 $(find scripts -maxdepth 1 -type f) reproduction/*.awk reproduction/run-one reproduction/*/runs \
        reproduction/*/derive.awk tests/run tests/*/run .ci/run Makefile
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
    for file in scripts/* reproduction/run-one reproduction/*/runs tests/run tests/lib.sh tests/lint/run tests/lint/*.sh tests/mpi/run tests/bench/run tests/bench/nwtopo tests/cli/*.sh tests/pages/*.sh tests/runtime/*.sh; do
        [ -f "$file" ] || continue
        { read -r first; read -r second; } <"$file"
        case $first$second in *bash*) bash -n "$file" ;; *) sh -n "$file" ;; esac
    done
}

# Under set -e a negated command ends no script: `absent` of tests/helpers.sh does.
check_negations() {
    grep -nE '^ *! [^-]' $(grep -lE '^set -[a-z]*e' scripts/* tests/*.sh tests/*/run tests/*/*.sh tests/*/*.cmd) |
        grep -v '||'
}

check_manual() { "$build/collc" help --format markdown | diff -u docs/command-line.md -; }

# Keys of reports stand in tables alone; certificates and what forges read have forms of their own.
check_keys() {
    grep -nE 'json_(put_[a-z]+|open)\([^;]*"' reports/*.c |
        grep -vE '^reports/(check_formats|certificate|json|schema)\.c:'
}

# The tables of records: build/tests/lint/json_page <docs/json.md makes the page anew.
check_json_page() { "$build/tests/lint/json_page" <docs/json.md | diff -u docs/json.md -; }

# Links from README and docs to files of the project lead somewhere, and those to a heading to one.
check_links() {
    local page target pages
    pages=$(ls README.md docs/*.md docs/start/*.md docs/codes/*.md examples/*/README.md 2>/dev/null)
    links $pages >"$work/links"
    while read -r page target; do
        [ -e "${target%%#*}" ] || echo "$page: no '${target%%#*}'"
    done <"$work/links"
    headings $pages >"$work/headings"
    awk 'FNR == NR { known[$0]; next }
         $2 ~ /\.md#/ && !($2 in known) { print $1 ": no heading " $2 }' "$work/headings" "$work/links"
}
# links PAGE...: "PAGE FILE#HEADING" of each link to a file, seen from the top folder
links() {
    awk '{ rest = $0
           while (match(rest, /\]\([^):]+\)/)) {
               target = substr(rest, RSTART + 2, RLENGTH - 3)
               rest = substr(rest, RSTART + RLENGTH)
               folder = FILENAME
               if (!sub("/[^/]*$", "/", folder)) folder = ""
               target = target ~ /^#/ ? FILENAME target : folder target
               while (sub("[^/]+/[.][.]/", "", target)) continue
               print FILENAME, target } }' "$@"
}
# headings PAGE...: "PAGE#NAME" by the names by which GitHub links to the headings, and those that a page gives itself
headings() {
    awk 'FNR == 1 { code = 0 }
         /^```/ { code = !code }
         !code && /^#+ / { name = $0
                           sub(/^#+ /, "", name)
                           while (match(name, /\[[^]]*\]\([^)]*\)/)) {
                               text = substr(name, RSTART + 1, RLENGTH - 1)
                               sub(/\].*/, "", text)
                               name = substr(name, 1, RSTART - 1) text substr(name, RSTART + RLENGTH) }
                           name = tolower(name)
                           gsub(/[^a-z0-9 _-]/, "", name)
                           gsub(/ /, "-", name)
                           print FILENAME "#" name }
         match($0, /<a id="[^"]*">/) { print FILENAME "#" substr($0, RSTART + 7, RLENGTH - 9) }' "$@"
}

# docs/index.md leads to every page.
check_index() {
    for page in docs/*.md docs/start/*.md; do
        [ "$page" = docs/index.md ] || grep -qF "](${page#docs/}" docs/index.md || echo "docs/index.md does not name $page"
    done
}

# Each format of topologies has a wrong case and a valid one.
check_formats() {
    formats=$(sed -nE 's/^READS(_AND_WRITES)?\(([a-z_]+),.*/\2/p' network/formats/formats.def)
    [ -n "$formats" ] || echo 'no format found in formats.def'
    for format in $formats; do
        for kind in err out; do
            ls tests/golden/topology/"$format"/*."$kind" >/dev/null 2>&1 ||
                echo "tests/golden/topology/$format: no case with *.$kind"
        done
    done
}

# The version stands in version.h; the changes and the packages have the same.
check_versions() {
    version=$(sed -n 's/.*COLLC_VERSION "\(.*\)"/\1/p' compiler/driver/version.h)
    grep -m 1 '^## ' CHANGELOG.md | grep -qx "## $version" || echo "CHANGELOG.md does not begin with $version"
    grep -qx "Version:  *$version" packaging/collc.spec || echo "packaging/collc.spec is not of $version"
    grep -qF "version(\"$version\")" packaging/spack/package.py || echo "packaging/spack is not of $version"
    head -n 1 packaging/debian/changelog | grep -q "^collc ($version-" || echo "packaging/debian is not of $version"
}
