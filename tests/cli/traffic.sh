# Measured traffic as a schedule argument: docs/traffic.md has the usual commands, these are the others.
set -e
. "$root/tests/helpers.sh"
tree=fattree:4x4,up=1x1
run=$root/examples/traffic/adi16.prof
ft=$root/examples/clusters/ft2_4s8l64h.txt

# A map takes the bytes off the worst link, and the renumbered traffic has the same sizes.
collc map "$run" -t $tree -o run.map
before=$(collc verify "$run" -t $tree --format json | jq .heaviest_link.value)
after=$(collc verify "$run" -t $tree --map run.map --format json | jq .heaviest_link.value)
expect 'worst link' "$before $after" '7865920 2622464'
expect 'sizes' "$(collc emit "$run" -t $tree --map run.map --to traffic | cut -d, -f3 | sort)" \
    "$(collc emit "$run" --to traffic | cut -d, -f3 | sort)"

# Written, read and written again; as a schedule file; from standard input; mirrored by the profile's own format.
collc emit "$run" --to traffic -o run.csv
collc emit run.csv --to traffic | cmp - run.csv
collc emit - --to traffic <"$run" | cmp - run.csv
collc compile run.csv -o run.sched
collc compile run.sched | cmp - run.sched
collc emit run.sched --to traffic | cmp - run.csv
expect 'bytes' "$(awk -F '\t' '/^[EI]/ { sub(/ bytes/, "", $4); n += $4 } END { print n }' "$run")" \
    "$(awk -F, 'NR > 1 { n += $3 } END { print n }' run.csv)"

# A pattern from a file and the alltoallv that its demand is; several processes say the same as one.
expect 'bound' "$(collc bound "$run" -t $tree --format json | jq '[.bounds[].bound_load] | max')" $before
collc synth "$run" -t $tree -o made.sched
expect 'made' "$(collc verify made.sched -t $tree --format json | jq '.complete, .contended_steps, .heaviest_link.value' |
    tr '\n' ' ')" "true 0 $before "
collc emit made.sched --to traffic | cmp - run.csv
collc best "$run" -t $tree >best
grep -q 'alltoallv/linear' best
for jobs in 1 2 3; do collc verify "$run" -t $tree --jobs $jobs >said.$jobs; cmp said.1 said.$jobs; done

# Hosts are where they are called so; a placement that is asked for leaves the names out.
collc verify "$root/examples/traffic/hosts.csv" -t "$ft" | grep -q "^  heaviest    'node000' -> 'leaf00'"
collc verify "$root/examples/traffic/hosts.csv" -t star:8 --placement block | grep -q "^  heaviest    'm0' -> 'sw0'"
expect 'servers' "$(printf 'src dst bytes\na.x b 1\nb a.x 2\n' | collc verify - | sed -n 1p)" \
    'pattern/traffic: 2 ranks on 2 servers'
expect 'names above a matrix' "$(printf '\ta.x\tb\na.x\t0\t1\nb\t2\t0\n' | collc emit - --to traffic)" \
    "$(printf 'src dst bytes\na.x b 1\nb a.x 2\n' | collc emit - --to traffic)"
status=0; printf 'src dst bytes\nnode000.site.org node01 5\n' | collc verify - -t "$ft" 2>said || status=$?
expect 'unknown host' "$status $(sed -n 1p said)" \
    "2 <stdin>:2:18: error: 'node01': the topology has no machine of this name [A002]"
expect 'help' "$(grep -c -- '--placement block leaves the names out' said)" 1

# Faults have a place and a remedy, and no file is written.
printf '0 1 5\n1 0 -7\n' >bad.csv
status=0; collc compile bad.csv -o bad.sched 2>said || status=$?
expect 'negative' "$status $(sed -n 1p said)" "2 bad.csv:2:5: error: '-7': a size is not negative [S007]"
[ ! -e bad.sched ]
status=0; collc bound bad.csv -t star:2 2>said || status=$?
expect 'negative, of a bound' "$status $(grep -c S007 said)" '2 1'
status=0; collc best "$run" -t $tree --counts 5 2>said || status=$?
expect 'counts of its own' "$status $(grep -c 'says what ranks send: --counts has no effect' said)" '2 1'
status=0; collc emit allreduce/ring --ranks 4 --to traffic 2>said || status=$?
expect 'no bytes' "$status $(grep -c 'traffic is in bytes: give --bytes' said)" '2 1'

# One failure after another.
cat >collc.yaml <<EOF
schedules: [run.csv]
networks: ['$tree']
EOF
collc check --fail each --format json >failures.json || [ $? -eq 1 ]
expect 'failures' "$(jq '.. | objects | select(has("failures")) | .failures | length > 0' failures.json | sort -u)" true

# Names of columns in all their forms, others anywhere, and a unit as the name of the sizes.
for ends in src,dst source,dest sender_id,receiver_rank From,To_Node destination_host,originid; do
    from=${ends%,*} to=${ends#*,}
    printf '%s,tag,%s,kB,note\n3,9,1,5,x\n' "$from" "$to" >named.csv
    case $from in destination*) wanted=1,3,5000 ;; *) wanted=3,1,5000 ;; esac
    expect "$ends" "$(collc emit named.csv --to traffic | tail -n 1)" "$wanted"
done
