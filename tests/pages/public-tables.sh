# docs/public-tables.md: what lint finds in each public table, by code.
set -e
page=$root/docs/public-tables.md
sed -n 's/^`\([^`]*\)` | \([a-z0-9.-]*\) | \([^|]*\) |.*/\1 \2 \3/p' "$page" >rows
[ "$(wc -l <rows)" -ge 15 ]
while read -r file target findings; do
    status=0
    collc lint "$root/tests/data/public/$file" --target "$target" >found || status=$?
    [ "$status" -le 1 ]
    got=$(grep -o '\[B[0-9]*\]' found | tr -d '[]' | sort | uniq -c |
        awk '{ list = list (NR > 1 ? ", " : "") $1 " x " $2 } END { print NR ? list : "none" }')
    [ "$got" = "$findings" ] || { echo "$file, $target: '$got', the page says '$findings'"; exit 1; }
done <rows
# Every file is in it, and says where it is from.
for file in "$root"/tests/data/public/*; do
    file=${file##*/}
    [ "$file" = ORIGIN.md ] || grep -qF "\`$file\` |" "$page" || { echo "$file is not in the page"; exit 1; }
done
