# SPDX-License-Identifier: BSD-3-Clause
# Functions that scripts of the tests share: . "$root/tests/helpers.sh". jq takes reports in JSON apart.

# expect WHAT FOUND WANTED
expect() { [ "$2" = "$3" ] || { echo "$1: $2, expected $3"; exit 1; }; }

# field NAME [FILE]: of the object that the file, or ./record, is. That there is none is an error.
field() { jq -r --arg name "$1" 'if has($name) then .[$name] else error("no \($name)") end' "${2:-record}"; }

# holds FILTER [FILE]: whether the filter of jq is true of the file, or of ./record; else shows it.
holds() { jq -e "$1" "${2:-record}" >/dev/null || { echo "not so: $1"; cat "${2:-record}"; exit 1; }; }

# absent GREP-ARGUMENT...: grep finds nothing; else shows what. `! grep` under set -e fails nothing.
absent() { if grep "$@"; then echo "found, but should not be: grep $*"; exit 1; fi; }

# present PATTERN FILE: grep finds it; else shows the file.
present() { grep -q -- "$1" "$2" || { echo "not found: $1"; cat "$2"; exit 1; }; }

# refused WORDS COMMAND...: it fails with status 2, says these words, and prints nothing else. What it says is
# in ./message.
refused() {
    refused_words=$1
    shift
    status=0
    "$@" >out 2>message || status=$?
    [ $status -eq 2 ] && [ ! -s out ] && grep -qF -- "$refused_words" message ||
        { echo "$* ($status), not '$refused_words':"; cat message; exit 1; }
}

# flat FILE: writes an algorithm of a site's own, bcast/linear in one step.
flat() {
    sed 's/^bcast linear$/bcast flat/; /^costs/,/^$/d; s/^for .*/step/; s/^  step$/  for d in 1 .. p-1/' \
        "$root/compiler/algorithms/bcast/linear.coll" >"$1"
}

# on_one_core COMMAND...: for more ranks than there are cores, which do little but wait for each other: to wake one
# on another core costs more than it may wait for its turn.
on_one_core() {
    one_core=$(($$ % $(nproc)))
    if taskset -c $one_core chrt -b 0 true 2>/dev/null; then set -- taskset -c $one_core chrt -b 0 "$@"; fi
    "$@"
}

# stayer: copies sleep to ./stayer, a program that no stranger runs. none_stays: waits until none of it is left, and
# fails after some minutes: one that is left stays for hours.
stayer() { cp "$(command -v sleep)" stayer; }
none_stays() {
    for _ in $(seq 1000); do
        ps -e -o stat=,args= | grep -v '^Z' | grep -v grep | grep -qF "$PWD/stayer" || return 0
        sleep 0.2
    done
    echo 'something that was launched is left running'
    exit 1
}

# Forms of a script (tests/run --form): short for `make check` and for sanitizers in `make long`; least, the short one with
# still fewer cases, for sanitizers in `make test`; long for `make long`; usual.
form() {
    case ${COLLC_TESTS_FORM-}:$(command -v collc) in
    least:*) echo least ;;
    short:* | *:*/asan/collc) echo short ;;
    long:*) echo long ;;
    *) echo usual ;;
    esac
}
is_least() { [ "${COLLC_TESTS_FORM-}" = least ]; }
is_short() { case $(form) in short | least) true ;; *) false ;; esac }
# usually USUAL SHORT [LONG]: prints the one of the form; the long one is the usual one if it is not given.
usually() {
    case $(form) in
    short | least) echo "$2" ;;
    usual) echo "$1" ;;
    long) echo "${3-$1}" ;;
    esac
}
# some_of [N]: passes on every N-th line of standard input (default 1); in the short form every ninth, in the least one
# every eighteenth, in the long all.
some_of() {
    some_of_n=$(usually "${1:-1}" 9 1)
    if is_least; then some_of_n=18; fi
    awk -v n="$some_of_n" '(NR - 1) % n == 0'
}
