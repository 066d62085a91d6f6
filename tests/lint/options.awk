# SPDX-License-Identifier: BSD-3-Clause
# usage: awk -f options.awk OPTIONS SOURCE...: see options.sh. OPTIONS has lines "COMMAND OPTION FIELD". Sources are
# in the layout of the project: functions begin at a line that is not indented, with "{" below, and end at "}".

# Notes the words of a line that a function, or the rest of its file, has; and the fields of options that it reads.
function take(line, where,    rest, field) {
    rest = line
    while (match(rest, /options(->|\.)[a-z0-9_]+ *=?=?/)) {
        field = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (field ~ /[^=]=$/)
            continue
        sub(/^options(->|\.)/, "", field)
        sub(/[ =]*$/, "", field)
        reads[where] = reads[where] " " field
    }
    gsub(/"[^"]*"/, "", line)
    gsub(/[^A-Za-z0-9_]+/, " ", line)
    words[where] = words[where] " " line
}

# Visits what a node names: first of its own file, then of others.
function visit(node, file,    list, n, i, next_node) {
    if (node in seen)
        return
    seen[node] = 1
    n = split(reads[node], list, " ")
    for (i = 1; i <= n; i++)
        is_read[list[i]] = 1
    n = split(words[node], list, " ")
    for (i = 1; i <= n; i++) {
        next_node = (file ":" list[i]) in defined ? file ":" list[i] : list[i] in of_all ? of_all[list[i]] : ""
        if (next_node != "" && !(next_node in seen))
            visit(next_node, file_of[next_node])
    }
    visit(file ":", file)
}

FNR == 1 { number++; name = head = ""; is_comment = 0 }
number == 1 {
    command[FNR] = $1
    option[FNR] = $2
    field_of[FNR] = $3
    sub(/\..*/, "", field_of[FNR]) # of "limits.ports" the struct
    n_options = FNR
    next
}
/^\/\*/ { is_comment = 1 }
is_comment { if (/\*\//) is_comment = 0; next }
{ sub(/^__attribute__\(\([a-z]*\([^)]*\)\)\) /, "") }
/^[a-z].*\(/ && !/;$/ { # the head of a function, whose name is the word before the first "("
    head = substr($0, 1, index($0, "(") - 1)
    sub(/.*[ *]/, "", head)
    is_static = /^static/
    next
}
/^\{/ {
    name = head
    node = FILENAME ":" name
    defined[node] = 1
    file_of[node] = FILENAME
    if (!is_static)
        of_all[name] = node
    next
}
/^\}/ { name = ""; next }
/^#include/ || (name == "" && /^[a-z].*\).*;$/) { next } # no prototype
{ take($0, FILENAME ":" name) }

END {
    for (i = 1; i <= n_options; i++) {
        if (command[i] != last) {
            split("", seen)
            split("", is_read)
            visit(of_all["main"], file_of[of_all["main"]])
            visit(of_all["command_" command[i]], file_of[of_all["command_" command[i]]])
            last = command[i]
        }
        if (!is_read[field_of[i]])
            print command[i] ": option --" option[i] " is accepted and never read (field " field_of[i] ")"
    }
}
