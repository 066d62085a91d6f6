# The first line of the report says the same as the fields of the record in JSON.
set -e
. "$root/tests/helpers.sh"
judged() {
    collc verify "$@" >text 2>/dev/null || true
    collc verify "$@" --format json >record 2>/dev/null || true
    jq -r --arg codes "$(sed -n 's/^RULE(\([A-Z0-9]*\),.*/\1/p' "$root/base/codes.def" | paste -sd ' ')" '
        def fixed: (. * 100 | round) as $n | "\($n / 100 | floor).\("0\($n % 100)"[-2:])";
        (if .complete then "" else "not " end) + "complete, " +
        ({"none": (if .matched then "no deadlock" else "messages do not match" end), "possible": "a deadlock is possible",
          "certain": "a deadlock is certain"}[.deadlock] // "deadlock not judged") +
        (if .agrees == false then ", ranks get different floats" else "" end) +
        ([.findings[] | select(.limit != null and .severity == "error") | .code] as $passed |
         [$codes | splits(" ")] | map(select(IN($passed[]))) |
         if . == [] then "" else "; above a limit: " + join(", ") end) +
        (if .max_link_load == null then "" else
          (if (.messages_unrouted // 0) == 0 then "" elif .messages_unrouted == 1 then "; 1 message without a route"
           else "; \(.messages_unrouted) messages without a route" end) +
          (if .contended_steps > 0 then "; \(.contended_steps) of \(.steps) steps contended" else "; no step contended" end)
         end) +
        (if .hol_steps > 0 then "; \(.hol_steps) with head-of-line blocking, up to \(.max_hol_slowdown | fixed) times as long"
         else "" end) +
        (if (.bound_ratio // 0) == 0 or (.complete | not) then ""
         elif .bound_ratio < 1.005 then "; load as low as this network allows"
         else "; load summed over steps \(.bound_ratio | fixed) times the least of this network" end) +
        ((.heaviest_link // .busiest_link_in_all) as $most |
         if $most == null or (.bound_ratio // 0) == 0 or (.complete | not) or .max_total_load < 2 then ""
         else (if .bound_ratio < 1.005 then ", most on " else "; most in all on " end) +
              "\u0027\($most.link_from)\u0027 -> \u0027\($most.link_to)\u0027" end)' record >said
    [ -s said ]
    sed -n '2s/^  verdict     //p' text | cmp - said || { echo "$*"; cat text said; exit 1; }
}
cat >wrong.coll <<'END'
barrier lone
ranks r: p
step
  if r > 0  send to 0
  else
    for i in 1 .. p-1
      recv from i
step
  if r == 1  recv from 0
END
judged alltoall/ring --ranks 5
judged alltoall/ring -t "$root/examples/clusters/plafrim1.txt"
judged alltoall/linear -t fattree:4x4 --ranks-per-machine 4
judged alltoall/linear -t fattree:4x4,up=1x2 --max-link-load 1 --ports 1 --max-fan-in 1
judged allreduce/ring -t torus:4x4
judged allreduce/circulant --ranks 5
judged bcast/binomial -t star:8
judged alltoall/bruck -t "$root/examples/clusters/ft2_8s8l64h.txt" --ranks-per-machine 2
judged wrong.coll --ranks 3
judged alltoall/ring -t mesh:4 --fail '(1):(2)'
