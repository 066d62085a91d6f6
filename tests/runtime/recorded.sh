# docs/recorded.md: what scripts/recorded-table finds on a few ranks is what the page says of 2 to 17. In the long
# form alone, as it takes minutes.
set -e
. "$root/tests/helpers.sh"
[ "$(form)" = long ] || { echo "skip: only in the long form"; exit 0; }
command -v mpirun.openmpi mpirun.mpich >/dev/null || { echo "skip: not both MPIs"; exit 0; }
export TMPDIR=$PWD
# A line for each algorithm: its table, what is recorded, and the verdict without numbers of ranks.
rows() {
    awk -F' [|] ' '/^### / { title = $0 }
        $1 ~ /`$/ { named = index($1, ": `"); n = split($2, items, "; ")
            parts = split(named ? substr($1, 1, named - 1) : "all", part, "; ")
            collectives = split(named ? substr($1, named + 2) : $1, collective, ", ")
            for (i = 1; i <= n; i++) { gsub(/ =.*| \([-0-9,]*\)|`/, "", items[i])
                for (k = 1; k <= parts; k++) for (c = 1; c <= collectives; c++)
                    print title "|" part[k] "|" collective[c] "|" items[i] } }' "$1" | sort
}
"$root/scripts/recorded-table" --build "$build" --ranks 3,4,6 openmpi mpich counts neighbors >found.md
rows found.md >found
rows "$root/docs/recorded.md" >stated
comm -23 found stated >new
[ ! -s new ] || { echo 'not in docs/recorded.md:'; cat new; exit 1; }
[ "$(wc -l <found)" -gt 100 ]
