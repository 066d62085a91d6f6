# docs/papers.md: each item has a command, and a verdict before its words unless it works. Commands of collc run, with status 0 or 1, and print what is in
# `code` beside them; others name a figure that scripts/reproduce has, or a file. The first table counts the verdicts.
. "$root/tests/helpers.sh"
page=$root/docs/papers.md
mkdir tree
ln -s "$root"/* tree
cd tree || exit 1
awk -F ' [|] ' '/^## / { paper++ } /^[0-9N]+: .* [|] / { command = $3
    verdict = match($2, /^[*][a-z]+[*]: /) ? substr($2, 2, RLENGTH - 4) : "works"
    sub(/: .*/, "", $1)
    print paper "\t" $1 "\t" $2 "\t" verdict "\t" substr(command, 2, length(command) - 2) }' "$page" >../items
wc -l <../items | grep -qx 126 || echo "$(wc -l <../items) items, not 126" >>../wrong
cut -f 5 ../items | grep '^collc ' | sort -u >../commands
[ "$(wc -l <../commands)" -ge 60 ] || echo "only $(wc -l <../commands) commands" >>../wrong
n=0
while read -r command; do
    status=0
    sh -c "$command" >../out 2>&1 </dev/null || status=$?
    [ $status -lt 2 ] || { echo "'$command' ends with status $status"; head -n 3 ../out; } >>../wrong
    n=$((n + 1))
    tr -s ' \n' ' ' <../out >../"printed-$n"
done <../commands
while IFS="$(printf '\t')" read -r paper item ours verdict command; do
    case $verdict in works | partly | differs | not) ;; *) echo "$paper.$item: verdict '$verdict'" ;; esac
    case $command in
    'scripts/reproduce '*)
        set -- $command
        runs=$root/reproduction/$2/runs
        [ -f "$runs" ] || echo "$paper.$item: no paper '$2'"
        shift 2
        for figure; do cut -f 1 "${runs%runs}figures.tsv" | grep -qx "$figure\(-.*\)\?" || echo "$paper.$item: no figure '$figure'"; done
        ;;
    'collc '*)
        printed=../printed-$(grep -nxF -e "$command" ../commands | cut -d : -f 1)
        echo "$ours" | awk -F '`' '{ for (i = 2; i <= NF; i += 2) print $i }' | while read -r words; do
            grep -qF -e "$words" "$printed" || echo "$paper.$item: '$command' does not print '$words'"
        done
        ;;
    *) [ -e "$root/$command" ] || echo "$paper.$item: no '$command'" ;;
    esac
done <../items >>../wrong
awk -F '\t' '{ n[$1, $4]++; all[$4]++ } END { for (p = 1; p <= 5; p++) print n[p, "works"] + 0, n[p, "partly"] + 0,
    n[p, "differs"] + 0, n[p, "not"] + 0; print all["works"], all["partly"], all["differs"], all["not"] }' ../items >../counted
sed -n '/^paper | works/,/^$/s/^[[A-Z].* | \([0-9]*\) | \([0-9]*\) | \([0-9]*\) | \([0-9]*\)$/\1 \2 \3 \4/p' "$page" |
    diff ../counted - >../differ || { echo 'docs/papers.md counts otherwise:'; cat ../differ; } >>../wrong
[ ! -s ../wrong ] || { cat ../wrong; exit 1; }
