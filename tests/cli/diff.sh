# collc diff: reports of verify and check, schedules, another fabric, wrong input.
set -e
. "$root/tests/helpers.sh"

# run STATUS ARGUMENT...: collc diff gives that status; its output in ./out, its messages in ./said.
run() {
    wanted=$1
    shift
    status=0
    collc diff "$@" >out 2>said || status=$?
    [ $status -eq "$wanted" ] || { echo "diff $*: status $status, not $wanted"; cat out said; exit 1; }
}

# Schedules, and the same from their reports.
collc verify alltoall/ring -t fattree:4x4 --format json >old.json
collc verify alltoall/ring -t fattree:4x4,up=1x2 --format json >new.json
run 1 old.json new.json
grep -Eq '^  max_link_load +1 -> 2 +worse$' out && grep -q '^1 compared: 1 worse' out
cp out of_reports
run 1 alltoall/ring alltoall/ring -t fattree:4x4 -t fattree:4x4,up=1x2
grep -Eq '^  (worse|gone) +L00[14] +[0-9]+ -> [0-9]+ +(sw|m)[0-9]+ -> ' out
grep '^  max_\|^  sum_' of_reports >figures
grep '^  max_\|^  sum_' out | cmp - figures
run 0 new.json old.json
grep -Eq '^  max_link_load +2 -> 1 +better$' out && grep -q '1 only better' out
run 0 old.json old.json
grep -q '^  nothing has changed$' out
run 0 old.json old.json --format json
holds '.version == 1 and (.is_worse | not) and .reports[0].worse == 0 and .reports[0].figures == []' out

# Each change of a link is what the reports with all links say.
collc verify alltoall/ring -t torus:4x4 --max-total-load 0 --format json >ring.json || [ $? -eq 1 ]
collc verify alltoall/spread -t torus:4x4 --max-total-load 0 --format json >spread.json || [ $? -eq 1 ]
status=0
collc diff ring.json spread.json --format json >out || status=$?
jq -r '.findings[] | "\(.link_from) -> \(.link_to) \(.value)"' ring.json | sort >ring
jq -r '.findings[] | "\(.link_from) -> \(.link_to) \(.value)"' spread.json | sort >spread
comm -3 ring spread | wc -l >by_comm
jq '[.reports[0].findings[] | (.old != null), (.new != null)] | map(select(.)) | length' out | cmp - by_comm
[ $status -eq "$(jq 'if .is_worse then 1 else 0 end' out)" ]

# Reports of a project: by schedule, network and ranks; one is gone, one has come.
cp -r "$root/examples/ci" project
collc check project --format json >before
run 0 before before
grep -q '^24 compared: 0 worse, 0 only better, 24 as before$' out
sed -i '/networks: tree/,/max-link-load: 2/d; s/ranks: .*/ranks: [4, 17, 18]/' project/collc.yaml
collc check project --format json >after || [ $? -eq 1 ]
run 1 before after
grep -q '^only in the old one: schedules/rush.coll on tree, 16 ranks$' out
grep -q '^only in the new one: schedules/rush.coll on tree, 18 ranks$' out
grep -q '^  new  *L001  *- -> 2 ' out
# A link that the old report does not have has no old value there, and is new, not worse.
collc verify alltoall/ring -t fattree:4x4,up=1x2 --max-link-load 1 --format json >of_two.json || [ $? -eq 1 ]
jq '.findings[].link_from |= "other" + .' of_two.json >renamed.json
run 1 of_two.json renamed.json
grep -q '^  new  *L001  *- -> 2  *othersw' out && grep -q '^  gone  *L001  *2 -> -  *sw' out
grep -q '^1 compared: 0 worse, 1 with new findings, 0 only better, 0 as before$' out
run 1 of_two.json renamed.json --format json
holds '.reports[0] | .worse == .new_findings and .worse > 0' out
run 1 before after
run 1 before after --format json
holds '.is_worse and (.only_old | length) == (.only_new | length) + 6' out || { jq -c '[.only_old, .only_new]' out; exit 1; }

# Files that are no report, and schedules that cannot be verified.
echo '{' >broken.json
echo '{"a": [1]}' >other.json
run 2 broken.json old.json
grep -q '^broken.json:.*no JSON.*\[K010\]$' said && [ ! -s out ]
run 2 old.json other.json
grep -q '^other.json: error: this is no report of .*\[K010\]$' said
run 2 old.json nowhere.sched
run 2 old.json alltoall/pairwise -t star:6
run 2 alltoall/ring alltoall/ring -t star:4 -t star:4 -t star:4
run 2 - old.json
printf '{"reports": []}' >empty.json
run 0 empty.json empty.json
grep -q '^0 compared' out

# Schedules that were checked and are lost: now broken, not for this, or gone; and new ones that are broken.
mkdir lost
pairwise='alltoall x\nranks r: p\nREQUIRES\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i\n    recv out[r-i] from r - i\n'
# report FILE RANKS REQUIRES: of the project with that.
report() {
    printf "$pairwise" | sed "s/^REQUIRES$/$3/" >lost/x.coll
    printf "schedules: x.coll\nnetworks: star:16\nranks: [$2]\n" >lost/collc.yaml
    collc check lost --format json >"$1" || true
}
report ok.json 4,8 ''
report notfor.json 4,8 'requires p < 8'
report gone.json 4 ''
report broken.json 4,8 'tmp 5 - p'
report nonsense.json 4,8 'nonsense'
for new in notfor gone broken nonsense; do
    run 1 ok.json $new.json
    run 1 ok.json $new.json --format json
    holds '.is_worse' out
    run 0 $new.json ok.json
    run 0 $new.json $new.json
done
run 1 ok.json broken.json
grep -Eq '^  verdict  *ok -> broken  *worse$' out
run 1 ok.json gone.json
grep -q '^only in the old one: x.coll on star:16, 8 ranks$' out && grep -q '; 1 lost, or new and refused$' out
run 1 gone.json broken.json
grep -q '^only in the new one: x.coll on star:16, 8 ranks (broken)$' out
# One more of a code in a file that has it already.
printf "$pairwise  if r == 0\n    copy in[0] to out[1]\n" | sed '/^REQUIRES$/d' >one.coll
{ cat one.coll; printf '  if r == 1\n    copy in[0] to out[2]\n'; } >two.coll
for n in one two; do collc verify $n.coll --ranks 4 --format json | sed 's/two\.coll/one.coll/' >$n.json || true; done
run 1 one.json two.json
run 0 two.json one.json
run 0 one.json one.json
