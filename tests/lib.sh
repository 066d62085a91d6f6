# SPDX-License-Identifier: BSD-3-Clause
# The suites of tests/run, in bash, which sets root, build, asan, only, work and results.
# A case reports through pass and fail; nothing else is counted.

limit=${LIMIT:-1800} # seconds of the CPU that one program may use: SIGXCPU then ends it
guard=${GUARD:-10800} # seconds until what waits for ever is ended, with status 124; no verdict is to depend on it

# limited COMMAND...: runs it within both limits.
limited() { (ulimit -S -t "$limit"; exec timeout "$guard" "$@"); }
pass() { echo "ok $prefix$1" >>"$results"; }
# fail NAME [FILE-WITH-DETAILS]
fail() {
    echo "not ok $prefix$1" >>"$results"
    echo "not ok $prefix$1"
    [ -z "${2-}" ] || sed 's/^/    /' "$2" | head -n 40
}

# ---- the pool ----
# Suites are planned first: a job is a function of this file that runs some cases of a suite in a
# process, with `work` and `results` of its own. The jobs of all suites then run one more at a time
# than there are cores, as some wait, those that take long first. What they printed and found is put
# together in the order in which they were planned.

at_a_time=$(($(nproc 2>/dev/null || echo 1) + 1))
planned=() # lines "TURN FOLDER SUITE FUNCTION ARGUMENT..."

# Sets what is under test.
enter() { # SUITE
    suite=$1 collc=$build/collc prefix=
    [ "$1" != asan ] || { collc=$asan/collc; prefix='asan '; }
}

# turn_of NAME: prints the turn of a job. What took long in the last run of this build folder comes early, what that
# run did not have before all. $build/seconds has lines "SECONDS CPU-SECONDS SUITE JOB", the newest last.
declare -A took=()
while read -r seconds _ of job; do took["$of $job"]=$seconds; done < <(cat "$build/seconds" 2>/dev/null)
turn_of() {
    local known=${took["$suite $1"]-}
    if [ -n "$known" ]; then echo $((100000000 - 10#${known/./})); else echo 0; fi
}
# Keeps for the next run the newest line of each job.
remember_seconds() {
    cat "$build/seconds" "$work/seconds" 2>/dev/null |
        awk '{ newest[$3 " " $4] = $0 } END { for (job in newest) print newest[job] }' >"$work/newest"
    cp "$work/newest" "$build/seconds"
}

# wanted NAME: true if --only names the case, or was not given.
wanted() { [[ -z ${only-} || $1 =~ $only ]]; }

# plan NAME FUNCTION ARGUMENT...: a job of $suite.
plan() {
    local at=$work/$suite/$1
    mkdir -p "$at"
    echo "$at" >>"$work/$suite.jobs"
    planned+=("$(turn_of "$1") $at $suite $(printf '%q ' "${@:2}")")
}

run_job() { # FOLDER SUITE FUNCTION ARGUMENT...
    local before=$EPOCHREALTIME
    enter "$2"
    # A sanitizer finds what it finds at few sizes, and takes ten times as long.
    [ "$2" != asan ] || case $COLLC_TESTS_FORM in
    long) export COLLC_TESTS_FORM=short ;;
    *) export COLLC_TESTS_FORM=least ;;
    esac
    work=$1
    results=$work/results
    : >"$results"
    "${@:3}" >"$work/said" 2>&1 </dev/null
    times >"$work/times"
    awk -v before="$before" -v after="$EPOCHREALTIME" -v job="$2 ${1##*/}" -v said="$seconds_of_jobs" '
        { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); cpu += 60 * part[1] + part[2] } }
        END { print cpu; printf "%.1f %.1f %s\n", after - before, cpu, job >>said }' \
        "$work/times" >"$work/seconds"
}

run_pool() {
    local job
    [ ${#planned[@]} -gt 0 ] || return 0 # --only takes none
    while read -r _ job; do
        while [ "$(jobs -rp | wc -l)" -ge "$at_a_time" ]; do wait -n; done
        eval "run_job $job" &
    done < <(printf '%s\n' "${planned[@]}" | sort -s -k 1,1n)
    wait
    planned=()
    remember_seconds
}

# The results of a suite, after the pool.
count_suite() { # SUITE
    local at seconds before_passed before_failed passed failed
    [ -e "$work/$1.jobs" ] || return 0 # --only takes none of its cases
    before_passed=$(grep -c '^ok ' "$results")
    before_failed=$(grep -c '^not ok ' "$results")
    while read -r at; do
        cat "$at/said"
        cat "$at/results" >>"$results"
    done <"$work/$1.jobs"
    if ls "$work/$1"/*/skipped >/dev/null 2>&1; then
        printf '%-7s skipped\n' "$1"
        return
    fi
    passed=$(($(grep -c '^ok ' "$results") - before_passed))
    failed=$(($(grep -c '^not ok ' "$results") - before_failed))
    [ $((passed + failed)) -gt 0 ] || [ -z "${only-}" ] || return 0
    seconds=$(cat "$work/$1"/*/seconds | awk '{ n += $1 } END { printf "%.0f", n }')
    printf '%-7s %5d passed %3d failed  %4d s of CPU\n' "$1" "$passed" "$failed" "$seconds"
    [ $((passed + failed)) -gt 0 ] || fail "$1: suite has no cases"
    rm -rf "${work:?}/$1"
}

# run_suites SUITE...: side by side.
run_suites() {
    local name
    for name; do enter "$name" && "plan_$name"; done
    run_pool
    prefix=
    for name; do count_suite "$name"; done
}

# fires_as_named EXPECTED ACTUAL: false for a case CODE/fires-... in which that code is not.
fires_as_named() {
    case $1 in */fires-*.out) code=${1%/*}; grep -q "\[${code##*/}\]" "$2" ;; esac
}

# same NAME EXPECTED ACTUAL: one case; with BLESS=1 the actual becomes the expected.
same() {
    if [ "${BLESS-}" = 1 ] && ! fires_as_named "$2" "$3"; then
        cp "$3" "$work/diff"
        fail "$1 does not fire as its name says" "$work/diff"
    elif [ "${BLESS-}" = 1 ] && [ -z "$prefix" ]; then
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
# Undefined behaviour traps, which costs little: ASan names the line. Few frames of an allocation are kept: they
# take a third of the time; and what was freed is kept as far as 16 MiB, since pages that are touched first take a
# quarter. For more, build and run the one command by hand.
export ASAN_OPTIONS="exitcode=99:handle_sigill=1:detect_leaks=1:strict_string_checks=1:malloc_context_size=3:quarantine_size_mb=16"
export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:halt_on_error=1"
export LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0"

# Every test function of a CUnit executable is a case: "  Test: NAME ...passed". What it
# says it 'counted N NAME' are N cases; the lines after '  | ' are for people.
unit_job() { # NAME
    name=$1
    (cd "$root" && COLLC=$collc limited "${collc%/*}/tests/unit/$name") >"$work/out" 2>&1
    status=$?
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

plan_units() { local name; for name; do ! wanted "$name" || plan "$name" unit_job "$name"; done; }
# The programs that go through all algorithms, in many places, take most of the time of all.
tables="test_library test_fan_in test_verify test_expand test_symmetry test_mapping test_mutants test_random
 test_counts test_run test_flit_papers test_flit test_recognise test_circulant test_trinaryx3"
plan_tables() { plan_units $tables; }
plan_unit() {
    local name
    for name in $(basename -a -s .c "$root"/tests/unit/test_*.c); do
        [[ " $tables " = *[[:space:]]"$name"[[:space:]]* ]] || plan_units "$name"
    done
}
# The part of tables that prints the table of all algorithms.
plan_library() { plan_units test_library; }

# Golden cases are many and short: each process besides collc would be a tenth of one.

# Sets args to the words after '# args:' in the first lines of a file.
find_args() { # FILE
    local line n=0
    args=
    while [ $((n++)) -lt 5 ] && { IFS= read -r line || [ -n "$line" ]; }; do
        [[ $line =~ ^('#'|//)\ *args:\ *(.*) ]] && args=${BASH_REMATCH[2]} && return
    done <"$1"
}

# in_folder FILE COMMAND...: runs collc beside the file, so that messages name
# it without folders. Leaves out, err and status.
in_folder() {
    folder=${1%/*}
    shift
    (cd "$folder" && eval "limited \"\$collc\" $*") >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# Message cases: exit 2 and this text on stderr.
message_case() { # FILE COMMAND
    find_args "$1"
    in_folder "$1" "$2" "${1##*/}" "$args"
    [ $status -eq 2 ] || echo "exit $status, not 2" >>"$work/err"
    same "${1#"$root"/tests/}" "${1%.*}.err" "$work/err"
}

# Layout cases: exit 0 and this text on stdout; printing that text again gives it again.
layout_case() {
    in_folder "$1" fmt "${1##*/}"
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
    *.cmd) (cd "${1%/*}" && PATH=${collc%/*}:$PATH limited sh "$1") \
        >"$work/out" 2>"$work/err" </dev/null
        status=$? ;;
    *) find_args "$1"; in_folder "$1" "$2" "${1##*/}" "$args" ;;
    esac
    [ $status -ne 2 ] && [ $status -le 2 ] || cat "$work/err" >>"$work/out"
    echo "exit $status" >>"$work/out"
    same "${1#"$root"/tests/}" "${1%.*}.out" "$work/out"
}

# Topology cases: with NAME.out, it can be read, and this is said of it, standard error after a
# line '--- stderr' if there is any; else a message case.
topology_case() {
    find_args "$1"
    in_folder "$1" topo "${1##*/}" "$args"
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
    for file; do
        [ -e "$file" ] && wanted "${file#"$golden"/}" || continue
        [ "$suite" = asan ] && is_large "${file#"$golden"/}" || echo "$kind $file"
    done
}

# Cases of millions of steps, which a sanitizer would see go through the same lines again and again.
is_large() { [[ $1 = rules/D002/*-ranks-far-apart.* ]]; }

golden_cases() {
    golden=$root/tests/golden
    golden_files 'message_case fmt' "$golden"/language/*.coll
    golden_files 'layout_case fmt' "$golden"/language/ok/*.coll
    golden_files 'message_case verify' "$golden"/expand/*.coll "$golden"/schedule/*.sched
    golden_files 'topology_case topo' $(inputs_in "$golden/topology")
    golden_files 'rule_case lint' "$golden"/tables/*/*.rules "$golden"/tables/*/*.json "$golden"/tables/*/*.cmd
    golden_files 'rule_case verify' "$golden"/rules/*/*.sched "$golden"/rules/*/*.coll "$golden"/rules/*/*.cmd
}

# One of so many shares of the cases.
golden_job() { # SHARE SHARES
    local kind command file
    golden_cases | awk -v n="$2" -v i="$1" 'NR % n == i - 1' >"$work/lines"
    while read -r kind command file; do "$kind" "$file" "$command"; done <"$work/lines"
}
plan_golden() { local i; for i in 1 2 3 4 5 6 7 8; do plan "golden$i" golden_job $i 8; done; }

# Command-line cases: NAME.cmd with NAME.out (stdout, stderr, status of the
# script); NAME.sh checks for itself. Each runs in an empty folder with collc on
# the path and the project's folder in $root.
script_job() { # FOLDER FILE
    local name=$1/$2 status
    mkdir "$work/empty"
    (cd "$work/empty" && PATH=${collc%/*}:$PATH root=$root build=$build \
        limited sh "$root/tests/$name") >"$work/script.out" 2>"$work/script.err"
    status=$?
    { cat "$work/script.out"
      [ ! -s "$work/script.err" ] || { echo '--- stderr'; cat "$work/script.err"; }
      echo "exit $status"; } >"$work/out"
    case $name in
    *.cmd) same "$name" "$root/tests/${name%.cmd}.out" "$work/out" ;;
    *) if [ "$status" -eq 0 ]; then pass "$name"; else fail "$name" "$work/out"; fi
       sed -n "s~^skipped: ~$name: skipped: ~p" "$work/script.out" ;;
    esac
    rm -rf "$work/empty"
}
# Scripts that take long over figures and texts: the short form leaves them out unless --only names them, and so do
# sanitizers in the usual form, under which others run what these run.
at_length="adaptive as-table best-library best-table budget cabling check choose clusters combinations counts
 deadlock-word dump emit examples fit flow help json-keys library map msccl networks patterns pick-default
 predict predict-alike predict-jobs predict-symmetry predict-text rails-symmetry roles routes run schema
 simulate standstill subnet suggest synth verify-budget verify-jobs verify-symmetry why"
plan_scripts() { # FOLDER
    local file name
    for file in "$root/tests/$1"/*.cmd "$root/tests/$1"/*.sh; do
        name=${file##*/}
        case ${only:+named}$suite/$COLLC_TESTS_FORM in
        asan/usual | cli/short) [[ " $at_length " != *[[:space:]]"${name%.*}"[[:space:]]* ]] || continue ;;
        esac
        [ ! -e "$file" ] || ! wanted "${file#"$root"/tests/}" || plan "${file##*/}" script_job "$1" "${file##*/}"
    done
}
plan_cli() { plan_scripts cli; }
# The pages, and all algorithms: no sanitizer repeats these.
plan_pages() { plan_scripts pages; }
# The same, with programs that run under the MPIs that are installed.
plan_runtime() { plan_scripts runtime; }

# lines_job NAME COMMAND...: counts the command's own ok and not ok lines.
lines_job() {
    name=$1
    shift
    limited "$@" >"$work/out" 2>"$work/err"
    status=$?
    sed -nE "s~^(ok|not ok) (- )?~\1 $prefix$name: ~p" "$work/out" >"$work/cases"
    [ $status -eq 0 ] || grep -q '^not ok' "$work/cases" ||
        echo "not ok $prefix$name (exit $status)" >>"$work/cases"
    cat "$work/cases" >>"$results"
    grep -q '^not ok' "$work/cases" || return 0
    grep '^not ok' "$work/cases"
    cat "$work/out" "$work/err" | grep -v '^ok ' | sed 's/^/    /' | head -n 60
}

# The short form runs one number of ranks instead of nine, the long one each under all MPIs.
plan_mpi() { plan mpi lines_job mpi "$root/tests/mpi/run" "$collc" "$build" "${COLLC_TESTS_FORM:-usual}"; }

# InfiniBand tools on simulated fabrics. Not every machine has them: then it says 'skip'.
opensm_job() {
    lines_job opensm "$root/tests/opensm/run" "$collc"
    ! grep -qx skip "$work/out" || touch "$work/skipped"
}
plan_opensm() { plan opensm opensm_job; }

# Without SimGrid there is nothing to compare: said, and not counted.
simgrid_job() { # SCRIPT
    lines_job simgrid "$root/tests/simgrid/$1" "$collc" "$build"
    sed -n "s/^skipped: /simgrid $1 skipped: /p" "$work/out" | tee "$work/skipped"
    [ -s "$work/skipped" ] || rm "$work/skipped"
}
plan_simgrid() {
    plan simgrid_run simgrid_job run
    plan simgrid_replay simgrid_job replay
}

plan_lint() { plan lint lines_job lint "$root/tests/lint/run" "$build" "$COLLC_TESTS_FORM"; }

# The first inputs of the fuzzers, without the fuzzer: every target reads
# every input of the golden cases, the examples and the algorithms; one in three outside of the long form.
replay_job() { # TARGET
    inputs_in "$root/tests/golden" "$root/examples" "$root/compiler/algorithms" -size -512k |
        awk -v form="$COLLC_TESTS_FORM" 'form == "long" || NR % 3 == 1' >"$work/corpus"
    limited xargs "$asan/tests/fuzz/$1" <"$work/corpus" >"$work/out" 2>&1
    status=$?
    if [ $status -eq 0 ]; then pass "$1"; else fail "$1 (exit $status)" "$work/out"; fi
}

plan_asan() {
    local target
    plan_unit
    plan_tables
    plan_golden
    plan_cli
    for target in "$asan"/tests/fuzz/replay_*; do
        [[ $target = *.* || ! -x $target ]] || plan "${target##*/}" replay_job "${target##*/}"
    done
}
