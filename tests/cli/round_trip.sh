# compile -> verify says what verify of the algorithm says, for every built-in
# algorithm; the schedule file is read and printed again byte for byte.
set -e
. "$root/tests/helpers.sh"
collc algorithms --format json |
    jq -r '.[] | "\(.collective)/\(.algorithm)"' | some_of 2 >names
[ -s names ]
measured() { grep -vE '"(file|seconds|line|column)":' "$1"; }
tried=0
while read -r name; do
    for network in "-t star:4 --ranks-per-machine 4" "-t torus:5x5" "-t mesh:5x5" "-t star:2" "-t star:9" \
        "-t torus:4x4" "-t torus:3x3"; do
        collc compile "$name" $network -o a.sched 2>message || continue
        collc verify "$name" $network --no-symmetry --format json --per-step >direct ||
            { echo "$name $network"; cat direct; exit 1; }
        collc verify a.sched --format json --per-step >read
        measured direct >direct.measured
        measured read >read.measured
        diff direct.measured read.measured || { echo "$name $network"; exit 1; }
        collc compile a.sched | cmp - a.sched
        tried=$((tried + 1))
        break
    done
    [ -f a.sched ] || { echo "$name fits no network tried"; exit 1; }
    rm a.sched
done <names
[ $tried -eq "$(wc -l <names)" ]
