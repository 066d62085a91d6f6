# Every code that is listed has a page with its title, family and severity; letter case does not matter.
set -e
. "$root/tests/helpers.sh"
collc explain >list
[ "$(wc -l <list)" -ge 30 ]
while read -r code family severity title; do
    collc explain "$code" >page
    head -n 1 page | grep -qxF "# $code: $title"
    sed -n 3p page | grep -qixF "$family $severity."
done <<END
$(some_of 3 <list)
END
collc explain m001 | sed '3,4d' | cmp - "$root/docs/codes/M001.md"
[ "$(collc explain --format json | grep -c '"code"')" -eq "$(wc -l <list)" ]

# Each word of the glossary is explained, once; and so is each line of a report.
sed -n 's/^\([^|]*\) | .*/\1/p' "$root/docs/glossary.md" | grep -v '^word$' | sed 's/, /\n/g' >words
[ "$(wc -l <words)" -ge 80 ]
sort words | uniq -d | grep . && { echo 'twice in the glossary'; exit 1; }
for word in $(some_of 3 <words | tr ' ' _); do
    collc explain "$(echo "$word" | tr _ ' ')" >row
    [ "$(sed -n '1p' row | tr ',' '\n' | sed 's/^ //' | grep -cx "$(echo "$word" | tr _ ' ')")" -eq 1 ]
    absent '[`|]\|](' row
done
{
    collc verify allreduce/ring -t "$root/examples/clusters/plafrim2.xml" --ranks 8 -v
    collc verify alltoall/bruck -t "$root/examples/clusters/plafrim1.txt" --order random -v --drift 2
    collc topo "$root/tests/data/rails/four-rails.txt"
    collc route torus:4x4 --metrics
} | sed -nE 's/^  ([a-z][a-z -]*[a-z])  +[^ ].*/\1/p' | sort -u >labels
[ "$(wc -l <labels)" -ge 15 ]
while read -r label; do
    collc explain "$label" >row || { echo "no word of the glossary: $label"; exit 1; }
done <labels
for word in heaviest nearly summed load loads servers verify alltoall max_link_load; do collc explain "$word" >row; done
expect 'a blank or a hyphen' "$(collc explain Head-of-line-blocking)" "$(collc explain hol | head -n 3)"
refused "unknown code or word 'nothing at all'" collc explain 'nothing at all'
collc explain 'head of line blocking' --format json >record
expect 'a word in JSON' "$(field word)" 'hol, head-of-line blocking'
absent '`' record
