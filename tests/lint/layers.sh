# SPDX-License-Identifier: BSD-3-Clause
# Who may include whom (docs/architecture.md): everyone ir/; a part its own
# folder; only compiler/driver all of them.

# allowed_for FILE: an extended regular expression of what the file may include.
allowed_for() {
    case $1 in
    ir/*) echo '^ir/' ;;
    verify/*) echo '^(ir|verify)/' ;;
    bound/*) echo '^(ir|bound)/' ;;
    routes/*) echo '^(ir|routes)/' ;;
    predict/*) echo '^(ir|predict)/' ;;
    mapping/*) echo '^(ir|mapping)/' ;;
    emitters/*) echo '^(ir|emitters)/' ;;
    compiler/frontend/*) echo '^(ir|compiler/frontend)/' ;;
    compiler/topo/*) echo '^(ir|compiler/topo)/' ;;
    compiler/driver/*) echo '^(ir|compiler|mapping|routes|verify|bound|predict|emitters)/' ;;
    nwtopo/*) echo '^(ir/|nwtopo/|compiler/topo/topo\.h$)' ;;
    compiler/passes/*) echo '^(ir|compiler/passes)/' ;;
    *) echo '.' ;;
    esac
}

check_layers() {
    for file; do
        allowed=$(allowed_for "$file")
        sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file" | while read -r included; do
            case $included in
            *.h) [ ! -f "$(dirname "$file")/$included" ] || [ "${file#tests/}" = "$file" ] || continue ;;
            esac
            case $included in
            */*) [ -f "$included" ] || echo "$file: no file '$included'" ;;
            *) echo "$file: '$included' is not named from the top folder" ;;
            esac
            echo "$included" | grep -Eq "$allowed" || echo "$file must not include '$included'"
        done
    done
}
