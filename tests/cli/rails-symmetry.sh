# With adapters of ranks a verdict by symmetry has the figures of the expanded schedule, totals of links, too.
set -e
. "$root/tests/helpers.sh"
figures() { jq -c '[.max_link_load, .max_total_load, .sum_step_load, .contended_steps, .max_fan_in, .hol_steps]' "$1"; }
n=0
collc algorithms --format json 2>/dev/null | jq -r ".[] | \"\\(.collective)/\\(.algorithm)\"" | some_of 5 >names
[ -s names ]
while read -r name; do
    for setting in 'slot --between-rails host' 'slot --between-rails fabric' block stripe; do
        # shellcheck disable=SC2086 # words of the setting
        set -- "$name" -t rail:8x2 --ranks-per-machine 2 --rank-adapters $setting --format json
        collc verify "$@" >by_symmetry 2>/dev/null || continue
        collc verify "$@" --no-symmetry >expanded 2>/dev/null
        expect "$*" "$(figures by_symmetry)" "$(figures expanded)"
        [ "$(jq -r .decided_by by_symmetry)" != symmetry ] || n=$((n + 1))
    done
done <names
[ "$n" -ge "$(usually 20 2)" ]
