# With adapters of ranks a verdict by symmetry has the figures of the expanded schedule, totals of links, too.
set -e
. "$root/tests/helpers.sh"
figures() { jq -c '[.max_link_load, .max_total_load, .sum_step_load, .contended_steps, .max_fan_in, .hol_steps,
    .bound_ratio, .busiest_link, .busiest_link_in_all, .busiest_port]' "$1"; }
n=0
collc topo rail:2x3x3,up=2 --to xml >from_file.xml
collc algorithms --format json 2>/dev/null | jq -r ".[] | \"\\(.collective)/\\(.algorithm)\"" | some_of 12 >names
[ -s names ]
while read -r name; do
    for setting in 'slot --between-rails host' 'slot --between-rails fabric' block stripe; do
        for network in rail:8x2 from_file.xml; do
            # shellcheck disable=SC2086 # words of the setting
            set -- "$name" -t "$network" --ranks-per-machine 2 --rank-adapters $setting --format json
            collc verify "$@" >by_symmetry 2>/dev/null || continue
            collc verify "$@" --no-symmetry >expanded 2>/dev/null
            expect "$*" "$(figures by_symmetry)" "$(figures expanded)"
            [ "$(jq -r .decided_by by_symmetry)" != symmetry ] || n=$((n + 1))
        done
    done
done <names
[ "$n" -ge "$(usually 8 2)" ]
