# SPDX-License-Identifier: BSD-3-Clause
# Compares includes and symbols of the folders with tests/lint/layers.txt.

# The table, '*' written out: "FOLDER ALLOWED" a line, FOLDER itself among them.
allowed_pairs() {
    awk '/^#/ || !NF { next }
         { print $1, $1
           for (i = 2; i <= NF; i++)
               if ($i == "*") for (j = 1; j <= n; j++) print $1, above[j]
               else print $1, $i
           above[++n] = $1 }' tests/lint/layers.txt
}

# An arrow of the table to a folder of a later line leads up.
check_order() {
    awk '/^#/ || !NF { next }
         { for (i = 2; i <= NF; i++)
               if ($i != "*" && !($i in above)) print $1 " may use " $i ", which is not below it"
           above[$1] = 1 }' tests/lint/layers.txt
}

# Prints those lines "FOLDER FOLDER FILE WHAT" that the table does not allow. A folder without a line
# has that of PARENT/*.
upward() {
    awk 'function line_of(folder) { any = folder; sub("/[^/]*$", "/*", any)
                                    return folder in known || !(any in known) ? folder : any }
         FNR == NR { pair[$1 " " $2] = 1; known[$1] = 1; next }
         { from = line_of($1); to = line_of($2) }
         !(from in known) { if (!told[$1]++) print $1 ": not in tests/lint/layers.txt"; next }
         $1 != $2 && (from == to || !((from " " to) in pair)) {
             print $1 " must not use " $2 ": " $3 " uses " $4 }' "$work/pairs" -
}

# Every include from one folder of another.
include_arrows() {
    grep -HE '^ *# *include *"[^"]*/[^"]*"' "$@" |
        sed -E 's|^([^:]*)/([^/:]*): *# *include *"([^"]*)/([^"/]*)".*|\1 \3 \1/\2 \3/\4|'
}

# symbol_arrows BUILD FILE...: every use of a function or an object of another folder, from the
# objects of the files.
symbol_arrows() {
    arrows_build=$1
    shift
    printf '%s\n' "$@" | sed -n "s|^\(.*\)\.c$|$arrows_build/\1.o|p" | xargs ls 2>/dev/null |
        xargs nm -Ag 2>/dev/null | sed "s|^$arrows_build/||" |
        awk '{ file = substr($1, 1, index($1, ".o:") - 1) ".c"
               if ($(NF - 1) == "U") use[++n] = file " " $NF
               else home[$NF] = file }
             END { for (i = 1; i <= n; i++) {
                       split(use[i], at, " ")
                       if (!(at[2] in home)) continue
                       from = at[1]; sub("/[^/]*$", "", from)
                       to = home[at[2]]; sub("/[^/]*$", "", to)
                       if (from != to) print from, to, at[1], at[2] } }'
}

# check_layers BUILD FILE...
check_layers() {
    layers_build=$1
    shift
    grep -HE '^ *# *include *"' "$@" | sed 's/: *# *include *"\([^"]*\)".*/ \1/' | while read -r file included; do
        case $included in
        gen/*.def) ;; # a list that make writes
        */*) [ -f "$included" ] || echo "$file: no file '$included'" ;;
        # what is compiled elsewhere lies there beside what it includes
        *) [ "${file#tests/}" != "$file" ] || [ -f "${file%/runtime/*}/runtime/$included" ] || echo "$file: '$included' is not named from the top folder" ;;
        esac
    done
    check_order
    allowed_pairs >"$work/pairs"
    product=$(printf '%s\n' "$@" | grep -v '^tests/')
    include_arrows $product | upward
    symbol_arrows "$layers_build" $product >"$work/symbols"
    [ -s "$work/symbols" ] || echo "no symbols in the objects of $layers_build"
    upward <"$work/symbols"
}

# The graph that check_layers found: a line for each folder, with the number of symbols it uses.
print_layers() {
    sort -u -k 1,2 -k 4,4 "$work/symbols" |
        awk '{ n[$1 " " $2]++ } END { for (arrow in n) print arrow, n[arrow] }' | sort |
        awk '$1 != from { printf "%s  %s:", (from ? "\n" : ""), $1; from = $1 }
             { printf " %s %d", $2, $3 } END { print "" }'
}

# Kinds of networks are the business of network/, and of nwtopo/, which has an object for each; the
# drawing knows grids, whose machines have places. Nobody else includes their headers or asks for one.
check_kinds() {
    grep -HnE '"network/(kind|grid|tree|full|graph|forwarding|parts)\.h"|topology_(as|is|new)_(grid|tofu|tree|full|graph|subset|faulty|zones)\>' "$@" |
        grep -vE '^(network|nwtopo|tests)/|^emitters/drawing/.*(network/grid\.h|topology_as_grid\()'
}
