# SPDX-License-Identifier: BSD-3-Clause
# The suites of tests/run, which sets root, build, asan, work and results.
# A case reports through pass and fail; nothing else is counted.

prefix=
limit=${LIMIT:-300} # seconds that one program may take; timeout then gives status 124
pass() { echo "ok $prefix$1" >>"$results"; }
# fail NAME [FILE-WITH-DETAILS]
fail() {
    echo "not ok $prefix$1" >>"$results"
    echo "not ok $prefix$1"
    [ -z "${2-}" ] || sed 's/^/    /' "$2" | head -n 40
}

run_suite() {
    before_passed=$(grep -c '^ok ' "$results")
    before_failed=$(grep -c '^not ok ' "$results")
    start=$(date +%s)
    collc=$build/collc
    skipped=
    "suite_$1"
    [ -z "$skipped" ] || { printf '%-7s skipped\n' "$1"; return; }
    passed=$(($(grep -c '^ok ' "$results") - before_passed))
    failed=$(($(grep -c '^not ok ' "$results") - before_failed))
    printf '%-7s %5d passed %3d failed  %3d s\n' "$1" "$passed" "$failed" $(($(date +%s) - start))
    [ $((passed + failed)) -gt 0 ] || [ -n "$skipped" ] || fail "$1: suite has no cases"
}

# same NAME EXPECTED ACTUAL: one case; with BLESS=1 the actual becomes the expected.
same() {
    if [ "${BLESS-}" = 1 ] && [ -z "$prefix" ]; then
        cmp -s "$2" "$3" || { cp "$3" "$2" && echo "blessed $2"; }
        pass "$1"
    elif [ ! -f "$2" ]; then
        echo "no expectation $2" >"$work/diff"
        fail "$1" "$work/diff"
    elif diff -u "$2" "$3" >"$work/diff" 2>&1; then
        pass "$1"
    else
        fail "$1" "$work/diff"
    fi
}

# A sanitizer report is a failure wherever it appears: 99 is no status of collc.
export ASAN_OPTIONS="exitcode=99:detect_leaks=1:strict_string_checks=1"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:halt_on_error=1"
export LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0"

# Every test function of a CUnit executable is a case: "  Test: NAME ...passed". What it
# says it 'counted N NAME' are N cases; the lines after '  | ' are for people.
count_unit() { # NAME: run by run_units
    name=$1
    mv "$work/units/$name.out" "$work/out"
    status=$(cat "$work/units/$name.status")
    awk -v name="$name" '
        /^ *Test: / {
            test = $0; sub(/^ *Test: /, "", test); sub(/ *\.\.\..*/, "", test)
            ok = 0; pending = 1
        }
        pending && /passed *$/ { print "ok " name ": " test; pending = 0 }
        pending && /FAILED *$/ { print "not ok " name ": " test; pending = 0 }
        /^counted [0-9]+ / {
            n = $2; sub(/^counted [0-9]+ /, "")
            for (i = 1; i <= n; i++) print "ok " name ": " $0 " " i
        }
        pending { next }
        # A file that runs quietly: only the summary counts its tests.
        /^ *tests +[0-9]/ && !test {
            for (i = 1; i <= $4; i++) print "ok " name ": test " i
            for (i = 1; i <= $5; i++) print "not ok " name ": failed test " i
        }
        END { if (pending) print "not ok " name ": " test " (did not end)" }' \
        "$work/out" >"$work/cases"
    if ! grep -q . "$work/cases"; then
        echo "not ok $name (no test ran, exit $status)" >"$work/cases"
    elif [ $status -ne 0 ] && ! grep -q '^not ok' "$work/cases"; then
        echo "not ok $name (exit $status)" >>"$work/cases"
    fi
    sed "s|^ok |&$prefix|; s|^not ok |&$prefix|" "$work/cases" >>"$results"
    [ -n "$prefix" ] || sed -n 's/^  | //p' "$work/out"
    grep -q '^not ok' "$work/cases" || return 0
    grep '^not ok' "$work/cases"
    sed 's/^/    /' "$work/out" | head -n 60
}

# run_units FOLDER NAME...: as many at a time as there are cores.
run_units() {
    folder=$1
    shift
    rm -rf "$work/units"
    mkdir "$work/units"
    export COLLC="$collc"
    printf '%s\n' "$@" | (cd "$root" && xargs -P "$(nproc 2>/dev/null || echo 1)" -I NAME sh -c '
        timeout "$1" "$2/tests/unit/NAME" >"$3/NAME.out" 2>&1
        echo $? >"$3/NAME.status"' sh "$limit" "$folder" "$work/units")
    for name; do count_unit "$name"; done
}

# The longest first.
units_in() {
    run_units "$1" test_library $(basename -a -s .c "$root"/tests/unit/test_*.c | grep -vx test_library)
}

suite_unit() { units_in "$build"; }
# The part of unit that prints the table of all algorithms.
suite_library() { run_units "$build" test_library; }

# args_of FILE: the words after '# args:' in its first lines.
args_of() { sed -n '1,5s/^# *args: *//p' "$1" | head -n 1; }

# in_folder FILE COMMAND...: runs collc beside the file, so that messages name
# it without folders. Leaves out, err and status.
in_folder() {
    folder=$(dirname "$1")
    shift
    (cd "$folder" && eval "timeout $limit \"\$collc\" $*") >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# Message cases: exit 2 and this text on stderr.
message_case() { # FILE COMMAND
    in_folder "$1" "$2" "$(basename "$1")" "$(args_of "$1")"
    [ $status -eq 2 ] || echo "exit $status, not 2" >>"$work/err"
    same "${1#"$root"/tests/}" "${1%.*}.err" "$work/err"
}

# Layout cases: exit 0 and this text on stdout; printing that text again gives it again.
layout_case() {
    in_folder "$1" fmt "$(basename "$1")"
    [ $status -eq 0 ] || { echo "exit $status, not 0"; cat "$work/err"; } >>"$work/out"
    same "${1#"$root"/tests/}" "${1%.*}.fmt" "$work/out"
    [ -f "${1%.*}.fmt" ] || return 0
    cp "${1%.*}.fmt" "$work/again.coll"
    in_folder "$work/again.coll" fmt again.coll
    same "${1#"$root"/tests/} (printed again)" "${1%.*}.fmt" "$work/out"
}

# Rule cases: stdout and the exit status of the command, 'verify' or 'lint'.
rule_case() { # FILE COMMAND
    case $1 in
    *.cmd) (cd "$(dirname "$1")" && PATH="$(dirname "$collc"):$PATH" timeout "$limit" sh "$1") \
        >"$work/out" 2>"$work/err" </dev/null
        status=$? ;;
    *) in_folder "$1" "$2" "$(basename "$1")" "$(args_of "$1")" ;;
    esac
    [ $status -ne 2 ] && [ $status -le 2 ] || cat "$work/err" >>"$work/out"
    echo "exit $status" >>"$work/out"
    same "${1#"$root"/tests/}" "${1%.*}.out" "$work/out"
}

# Topology cases: with NAME.out, it can be read, and this is said of it, standard error after a
# line '--- stderr' if there is any; else a message case.
topology_case() {
    in_folder "$1" topo "$(basename "$1")" "$(args_of "$1")"
    if [ -f "${1%.*}.out" ] || { [ $status -eq 0 ] && [ ! -f "${1%.*}.err" ]; }; then
        [ ! -s "$work/err" ] || { echo '--- stderr'; cat "$work/err"; } >>"$work/out"
        [ $status -eq 0 ] || echo "exit $status, not 0" >>"$work/out"
        same "${1#"$root"/tests/}" "${1%.*}.out" "$work/out"
    else
        [ $status -eq 2 ] || echo "exit $status, not 2" >>"$work/err"
        same "${1#"$root"/tests/}" "${1%.*}.err" "$work/err"
    fi
}

# Files that are read, not expected: all but expectations, pages and scripts.
inputs_in() { # FOLDER... FIND-CONDITION...
    find "$@" -type f ! -name '*.err' ! -name '*.out' ! -name '*.fmt' ! -name '*.md' \
        ! -name '*.cmd' | sort
}

# golden_files KIND FILE...: a line "KIND FILE" for each.
golden_files() {
    kind=$1
    shift
    for file; do [ ! -e "$file" ] || echo "$kind $file"; done
}

golden_cases() {
    golden=$root/tests/golden
    golden_files 'message_case fmt' "$golden"/language/*.coll
    golden_files 'layout_case fmt' "$golden"/language/ok/*.coll
    golden_files 'message_case verify' "$golden"/expand/*.coll "$golden"/schedule/*.sched
    golden_files 'topology_case topo' $(inputs_in "$golden/topology")
    golden_files 'rule_case lint' "$golden"/tables/*/*.rules "$golden"/tables/*/*.cmd
    golden_files 'rule_case verify' "$golden"/rules/*/*.sched "$golden"/rules/*/*.coll "$golden"/rules/*/*.cmd
}

# side_by_side RUNNER: every line of standard input to one of as many RUNNERs as there are cores;
# each has a work folder of its own, and its results are added afterwards.
side_by_side() {
    cat >"$work/lines"
    n_cores=$(nproc 2>/dev/null || echo 1)
    for core in $(seq "$n_cores"); do
        mkdir -p "$work/$core"
        (
            awk -v n="$n_cores" -v i="$core" 'NR % n == i % n' "$work/lines" >"$work/$core/lines"
            work=$work/$core
            results=$work/results
            : >"$results"
            "$1" <"$work/lines" >"$work/said" 2>&1
        ) &
    done
    wait
    for core in $(seq "$n_cores"); do
        cat "$work/$core/said"
        cat "$work/$core/results" >>"$results"
        rm -rf "${work:?}/$core"
    done
}

golden_runner() { while read -r kind command file; do "$kind" "$file" "$command"; done; }

suite_golden() { golden_cases | side_by_side golden_runner; }

# Command-line cases: NAME.cmd with NAME.out (stdout, stderr, status of the
# script); NAME.sh checks for itself. Each runs in an empty folder with collc on
# the path and the project's folder in $root; as many at a time as there are cores,
# the largest first, as they tend to take longest.
suite_cli() { scripts_in cli "$(nproc 2>/dev/null || echo 1)"; }
# The same, with programs that run under the MPIs that are installed, which need the cores.
suite_runtime() { scripts_in runtime 1; }
scripts_in() { # FOLDER AT_A_TIME
    rm -rf "$work/scripts"
    mkdir "$work/scripts"
    find "$root/tests/$1" -maxdepth 1 \( -name '*.cmd' -o -name '*.sh' \) -printf '%s %p\n' |
        sort -rn | cut -d ' ' -f 2 |
        PATH="$(dirname "$collc"):$PATH" root=$root build=$build xargs -P "$2" -I FILE sh -c '
            at=$2/$(basename FILE)
            mkdir "$at.empty" && cd "$at.empty" || exit
            timeout "$1" sh FILE >"$at.out" 2>"$at.err" </dev/null
            echo $? >"$at.status"' sh "$limit" "$work/scripts"
    for file in "$work/scripts"/*.status; do count_script "$1" "${file%.status}"; done
}

count_script() { # FOLDER RESULT: run by scripts_in
    name=$1/${2##*/}
    status=$(cat "$2.status")
    { cat "$2.out"
      [ ! -s "$2.err" ] || { echo '--- stderr'; cat "$2.err"; }
      echo "exit $status"; } >"$work/out"
    case $name in
    *.cmd) same "$name" "$root/tests/${name%.cmd}.out" "$work/out" ;;
    *) if [ "$status" -eq 0 ]; then pass "$name"; else fail "$name" "$work/out"; fi ;;
    esac
}

# take_lines NAME COMMAND...: counts the command's own ok and not ok lines.
take_lines() {
    name=$1
    shift
    timeout 1800 "$@" >"$work/out" 2>"$work/err"
    status=$?
    sed -nE "s~^(ok|not ok) (- )?~\1 $prefix$name: ~p" "$work/out" >"$work/cases"
    [ $status -eq 0 ] || grep -q '^not ok' "$work/cases" ||
        echo "not ok $prefix$name (exit $status)" >>"$work/cases"
    cat "$work/cases" >>"$results"
    grep -q '^not ok' "$work/cases" || return 0
    grep '^not ok' "$work/cases"
    cat "$work/out" "$work/err" | grep -v '^ok ' | sed 's/^/    /' | head -n 60
}

# MPI_TESTS=quick runs one number of ranks instead of nine.
suite_mpi() { take_lines mpi "$root/tests/mpi/run" "$collc" "$build" ${MPI_TESTS-}; }

# InfiniBand tools on simulated fabrics. Not every machine has them: then it says 'skip'.
suite_opensm() {
    take_lines opensm "$root/tests/opensm/run" "$collc"
    ! grep -qx skip "$work/out" || skipped=yes
}

# Without SimGrid there is nothing to compare: said, and not counted.
suite_simgrid() {
    take_lines simgrid "$root/tests/simgrid/run" "$collc" "$build"
    skipped=$(sed -n 's/^skipped: //p' "$work/out")
    [ -z "$skipped" ] || echo "simgrid skipped: $skipped"
}

suite_lint() { take_lines lint "$root/tests/lint/run" "$build"; }

# What the fuzzers are given at first, without the fuzzer: every target reads
# every input of the golden cases, the examples and the algorithms.
replay_in() {
    inputs_in "$root/tests/golden" "$root/examples" "$root/compiler/algorithms" -size -512k >"$work/corpus"
    for target in "$1"/tests/fuzz/replay_*; do
        [ -x "$target" ] || continue
        timeout "$limit" xargs "$target" <"$work/corpus" >"$work/out" 2>&1
        status=$?
        if [ $status -eq 0 ]; then pass "$(basename "$target")"
        else fail "$(basename "$target") (exit $status)" "$work/out"; fi
    done
}

suite_asan() {
    collc=$asan/collc
    prefix='asan '
    units_in "$asan"
    suite_golden
    suite_cli
    replay_in "$asan"
    prefix=
    collc=$build/collc
}
