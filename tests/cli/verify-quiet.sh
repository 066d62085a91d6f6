# -q leaves the report away, and nothing of what is found: what no schedule is below is in the help of findings.
set -e
for limit in '--max-link-load 4' '--max-bound-ratio 1' '--max-total-load 300' '--max-contended-steps 3'; do
    status=0 quiet=0
    # shellcheck disable=SC2086
    collc verify alltoall/ring -t "$root/examples/clusters/plafrim1.txt" $limit >whole || status=$?
    # shellcheck disable=SC2086
    collc verify alltoall/ring -t "$root/examples/clusters/plafrim1.txt" $limit -q >found || quiet=$?
    [ $status = 1 ] && [ $quiet = 1 ] && [ -s found ] || { echo "$limit: $status $quiet"; exit 1; }
    tail -n "$(wc -l <found)" whole | cmp - found || { echo "$limit"; exit 1; }
done
grep -q 'bound' whole
[ -z "$(collc verify alltoall/ring -t star:5 -q)" ]
