# With adapters of ranks a verdict by symmetry has the figures of the expanded schedule, totals of links, too.
set -e
. "$root/tests/helpers.sh"
figures() { jq -c '[.max_link_load, .max_total_load, .sum_step_load, .contended_steps, .max_fan_in, .hol_steps,
    .bound_ratio, .busiest_link, .busiest_link_in_all, .busiest_port]' "$1"; }
n=0
turn=0
collc topo rail:2x3x3,up=2 --to xml >from_file.xml
# Adapters of some hosts are in another order: no shift is left, unless rails go by switches.
awk -f "$root/tests/cli/rail-plan.awk" -v hosts=2 -v rails=3 -v groups=3 -v spines=2 -v swap='1:0:2;4:1:2' </dev/null >order.csv
collc algorithms --format json 2>/dev/null | jq -r ".[] | \"\\(.collective)/\\(.algorithm)\"" | some_of 12 >names
[ -s names ]
while read -r name; do
    for setting in 'slot --between-rails host' 'slot --between-rails fabric' block stripe; do
        turn=$((turn + 1))
        case $((turn % 5 % 2)) in
        0) networks='rail:8x2|from_file.xml' ;;
        1) networks='order.csv|order.csv --adapters rails-by-switch' ;;
        esac
        for network in "${networks%|*}" "${networks#*|}"; do
            # shellcheck disable=SC2086 # words of network and setting
            set -- "$name" -t $network --ranks-per-machine 2 --rank-adapters $setting --format json
            collc verify "$@" >by_symmetry 2>/dev/null || continue
            collc verify "$@" --no-symmetry >expanded 2>/dev/null
            expect "$*" "$(figures by_symmetry)" "$(figures expanded)"
            [ "$(jq -r .decided_by by_symmetry)" != symmetry ] || n=$((n + 1))
        done
    done
done <names
[ "$n" -ge "$(usually 8 2)" ]
