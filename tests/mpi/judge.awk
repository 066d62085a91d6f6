# SPDX-License-Identifier: BSD-3-Clause
#
# awk -v work=FOLDER -f judge.awk PLAN: what became of each line of a plan of tests/mpi/run. What a
# program printed stands in FOLDER/out/MPI-RANKS-SETTING/PROGRAM, its status beside it.
# Lines that are no part of the plan are printed as they are.
BEGIN { FS = "\t" }

function exists(file,    line, found)
{
    found = (getline line <file) >= 0
    close(file)
    return found
}

function text_of(file,    line, text)
{
    while ((getline line <file) > 0)
        text = text line "\n"
    close(file)
    return text
}

function pass(name) { print "ok - " name }

function fail(name, details,    lines, n, i)
{
    print "not ok - " name
    n = split(details, lines, "\n")
    for (i = 1; i <= n && i <= 20; i++)
        if (i < n || lines[i] != "")
            print "# " lines[i]
}

# The number in the first line that has something like "BEFORE12 AFTER", as a string; or nothing.
function number_in(text, pattern,    found)
{
    if (!match(text, pattern))
        return ""
    found = substr(text, RSTART, RLENGTH)
    match(found, /[0-9]+/)
    return substr(found, RSTART, RLENGTH)
}

# Reductions with an operation that does not commute are the MPI's own unless the algorithm is
# ordered: 10 cases, 15 where counts are unequal, or 5 for every root that is tried (at most 6). Of `exact`
# algorithms floats and operations of the user are so, too: 20 cases more.
function left_by_right(name, ranks,    algorithm)
{
    algorithm = name
    sub(/[^a-z0-9_\/].*/, "", algorithm)
    if (index(" " exact " ", " " algorithm " "))
        return 30
    if (name ~ /^(allreduce|reduce_scatter_block)\//)
        return 10
    if (algorithm ~ /^pattern\/(gradients|parameter_server|rows)$/)
        return 5
    if (name ~ /^reduce_scatter\//)
        return 15
    return name ~ /^reduce\// ? 5 * (ranks < 6 ? ranks : 6) : 0
}

function judge(status, output, mpi, ranks, who, name,    cases, left)
{
    cases = number_in(output, ": ok \\([0-9]+ cases\\)\n")
    left = number_in(output, "collc: [0-9]+ of them (by the MPI|do nothing)") + 0
    if (who == "own" && left < cases + 0 && left == left_by_right(name, ranks))
        left = 0
    name = name " (" mpi ", " ranks " ranks)"
    if (output ~ /collc: no end after / || status == 124 || status == 137)
        fail(name, "hangs")
    else if (status != 0 || cases == "")
        fail(name, "exit status " status "\n" output)
    else if (who == "own" && left != 0)
        fail(name, left " of " cases " cases were left to the MPI's own collective")
    else if (who == "mpi" && left != cases)
        fail(name, "only " left " of " cases " cases were left to the MPI's own collective")
    else
        pass(name)
}

$1 == "build" {
    if (!exists(work "/objects/" $2 "." $3 ".o"))
        fail($2 ": compile (" $3 ")", text_of(work "/objects/" $2 "." $3 ".log"))
    else
        built[$2, $3] = 1
    next
}
$1 == "run" || $1 == "ran" {
    file = work "/out/" $3 "-" $4 "-" $5 "/" $2
    if ($1 == "ran" || built[$2, $3]) {
        status = text_of(file ".status")
        sub(/\n$/, "", status)
        judge(status == "" ? "unknown" : status, text_of(file), $3, $4, $6, $7)
    }
    next
}
{ print }
