# Every code that is listed has a page with its title, family and severity; letter case does not matter.
set -e
. "$root/tests/helpers.sh"
collc explain >list
[ "$(wc -l <list)" -ge 30 ]
while read -r code family severity title; do
    collc explain "$code" | head -n 1 | grep -qxF "# $code: $title"
    collc explain "$code" | sed -n 3p | grep -qxF "Family: $family. Severity: $severity."
done <<END
$(some_of <list)
END
collc explain m001 | cmp - "$root/docs/codes/M001.md"
[ "$(collc explain --format json | grep -c '"code"')" -eq "$(wc -l <list)" ]
