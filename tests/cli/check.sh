# collc check: the example, every form of its report, exit statuses, baseline, and wrong project files.
set -e
. "$root/tests/helpers.sh"

# run STATUS ARGUMENT...: collc check gives that status; its output in ./out, its messages in ./said.
run() {
    wanted=$1
    shift
    status=0
    collc check "$@" >out 2>said || status=$?
    [ $status -eq "$wanted" ] || { echo "check $*: status $status, not $wanted"; cat out said; exit 1; }
}

cp -r "$root/examples/ci" project
mkdir project/.git # a repository of its own
run 0 project
grep -q '^24 combinations: 20 ok, 4 for which the schedule is not' out
cd project/schedules # found upwards
run 0
mv out said ../..
cd ../..
grep -q '^schedules/halves.coll  tree  *ok  *-  *ok  *-$' out
run 0 project/collc.yaml
[ "$(collc check project --jobs 1)" = "$(collc check project --jobs 7)" ]

# Without the override shifts meet between the leaves of the tree: L001 at the line that sends.
sed -i '/networks: tree/,/max-link-load: 2/d' project/collc.yaml
run 1 project
grep -q '^schedules/shift.coll:[0-9]*:5: error: link .sw[0-9]*. -> .* the limit is 1; worst in step .*, from ranks .* \[L001\]$' out
grep -q '^note: in schedules/shift.coll on tree, 17 ranks$' out
grep -Eq '^schedules/shift.coll   tree +ok +ok +ok +L001$' out
run 1 project --format concise
[ "$(grep -c ': error: .*\[L001\] schedules/' out)" = 1 ]
grep -q "; 2 more links are above it, 'sw[0-9]*' -> 'sw[0-9]*' with 2, " out
run 1 project --format github
grep -Eq '^::error file=schedules/shift.coll,line=[0-9]+,col=5,title=collc \(L001\)::link ' out
run 1 project --format gitlab
holds 'length == 1 and all(.[]; .check_name == "L001" and .severity == "major" and .location.lines.begin > 1)' out
holds '([.[].fingerprint] | unique | length) == length' out
run 1 project --format junit
xmllint --noout out
[ "$(grep -c '<testcase' out)" = 24 ] && [ "$(grep -c '<skipped' out)" = 4 ]
[ "$(grep -c '<failure' out)" = "$(sed -nE 's/.*failures="([0-9]+)".*/\1/p' out)" ]
[ "$(xmllint --xpath 'count(//failure[not(@type) or not(contains(., concat("[", @type, "]")))])' out)" = 0 ]
run 1 project --format sarif
holds '.version == "2.1.0" and (.runs | length) == 1 and .runs[0].tool.driver.name == "collc"' out
holds '.runs[0] as $run | all($run.results[]; .ruleId == $run.tool.driver.rules[.ruleIndex].id and
    .locations[0].physicalLocation.region.startLine > 1 and .partialFingerprints["collc/v2"] != null)' out
run 1 project --format json
holds '.version == 1 and (.reports | length) == 24 and .verdicts.ok + .verdicts.findings == 20' out
holds 'any(.reports[]; .verdict == "findings" and .report.complete and .report.max_link_load == 2)' out
holds '[.reports[] | select(.verdict == "not-for") | .problems[0].code] == ["E009", "E009", "E009", "E009"]' out
run 0 project --ignore L
run 0 project --select H001,E
run 2 project --select Q
grep -q "no code begins with 'Q'" said

# A schedule that is wrong, one that cannot be read, and what is known already.
run 0 project --write-baseline base
head -n 3 base | diff - - 3<<'X' && printf 'collc-baseline 2\nL001 schedules/shift.coll: send in[r+i] to r + i\n  schedules/shift.coll on tree, 17 ranks: 3 x 2\n' | diff - base
X
run 0 project --baseline base
grep -q '; the baseline knows 1 finding$' out
grep -Eq '^schedules/shift.coll   tree +ok +ok +ok +known$' out
sed -i 's/^    send in\[r+i\] to r + i/    # lines move\n    send in[r+i] to r + i/' project/schedules/shift.coll
run 0 project --baseline base
sed -i 's/ranks: .*/ranks: [4, 6, 37]/' project/collc.yaml # more ranks, more load
run 1 project --baseline base
sed 's/recv out\[r-i\]/recv out[r]/' project/schedules/shift.coll >project/schedules/wrong.coll
run 1 project --baseline base
grep -Eq '^schedules/wrong.coll   star:64 +wrong +wrong +wrong$' out
echo 'nonsense' >project/schedules/broken.coll
run 2 project
grep -Eq '^schedules/broken.coll  star:64 +broken' out
rm project/schedules/broken.coll project/schedules/wrong.coll
for damage in 1s/2/1/ 1s/2/3/ 1d 2d 3p 's/L001/Q001/' 's/L001/L*/' '3s/: .*/: 3/' '3s/: .*/: -3 x 2/' '3s/: .*/: 3 x -2/' \
    '3s/: .*/: 3 x inf/' '3s/: .*/: 3 x 1e999/' '3s/: .*/: 3 x 2, 3 x 2/' '3s/: .*/: 0 x 2/' '3s/: .*/: /' '2s/ .*//'; do
    sed "$damage" base >damaged
    run 2 project --baseline damaged
    grep -q 'damaged:[0-9]*:[0-9]*: error: .*\[K004\]$' said && grep -q 'help: write it again' said && [ ! -s out ] ||
        { echo "$damage"; cat out said; exit 1; }
done
run 2 project --baseline nowhere

# Schedule files stay on the machines that they were compiled for, unless the project says where ranks are,
# and each is compared with the bound of these machines.
mkdir placed placed/.git
tree=fattree:4x2,up=1x1
printf 'm0\nm1\nm4\nm5\n' >across
collc compile alltoall/ring -t $tree --ranks 4 -o placed/within.sched
collc compile alltoall/ring -t $tree --placement across -o placed/across.sched
printf 'schedules: [within.sched, across.sched]\nnetworks: ["%s"]\nranks: [4]\n' $tree >placed/collc.yaml
figures='[.schedule, .report.sum_step_load, .report.bound_load]'
run 0 placed --format json
jq -c ".reports[] | $figures" out >checked
printf '["within.sched",3,3]\n["across.sched",4,4]\n' | diff - checked
for file in within across; do
    collc verify placed/$file.sched -t $tree --format json | jq -c "[\"$file.sched\", .sum_step_load, .bound_load]"
done | diff - checked
echo 'ranks-per-machine: 1' >>placed/collc.yaml
run 0 placed --format json
expect 'where the project says' "$(jq -c ".reports[] | $figures[1:]" out | sort -u)" '[3,3]'

# Waivers: of the line below, of the same line; of no use, ended, wrong.
cp -r "$root/examples/ci" waived
sed -i '/networks: tree/,/max-link-load: 2/d' waived/collc.yaml
cp waived/schedules/shift.coll shift.coll
# waive STATUS SCRIPT: with the schedule edited so.
waive() { sed "$2" shift.coll >waived/schedules/shift.coll && run "$1" waived --format concise ${3-}; }
waive 1 ''
waive 0 's/^    send.*/    # collc: allow L001 because it is known\n\n    # and why\n&/'
[ ! -s out ]
waive 0 's/^    send.*/&  # collc: allow H001,L001 until 9999-12-31 because it is known/'
grep -q 'shift.coll:[0-9]*:43: warning: nothing is found that the waiver of H001 covers \[K007\]$' out || { cat out; exit 1; }
[ "$(wc -l <out)" = 1 ]
waive 1 's/^    send.*/&  # collc: allow H001,L001 because it is known/' '--fail-on warning'
waive 1 's/^    send.*/&  # collc: allow L001 until 2000-02-29 because it was known/'
grep -q 'the waiver of L001 ended on 2000-02-29 \[K008\]$' out
waive 1 's/^    recv.*/&  # collc: allow L001 because it is in the wrong line/'
for wrong in 'allow Q001 because x' 'allow L001' 'allow L001 because' 'allow because x' 'deny L001 because x' \
    'allow L001 until soon because x' 'allow L001 until 2026-13-01 because x' 'allow'; do
    waive 2 "s/^    send.*/&  # collc: $wrong/"
    grep -q 'schedules/shift.coll:9:.*\[K006\]$' said && [ ! -s out ] || { echo "$wrong"; cat said; exit 1; }
done

# Waivers in the project file.
cp shift.coll waived/schedules/shift.coll
cp waived/collc.yaml unwaived.yaml
# waive_in STATUS TEXT: with these waivers.
waive_in() { { cat unwaived.yaml; printf "waivers:\n$2"; } >waived/collc.yaml && run "$1" waived --format concise ${3-}; }
waive_in 0 '  - {allow: L001, because: it is known}\n'
[ ! -s out ]
waive_in 0 '  - {allow: [L001], networks: tree, schedules: "schedules/s*", because: x, until: 9999-12-31}\n'
waive_in 1 '  - {allow: L001, networks: "star*", because: x}\n'
grep -q '^collc.yaml:[0-9]*:13: warning: nothing is found that the waiver of L001 covers \[K007\]$' out
waive_in 1 '  - {allow: [L001, H001], because: x}\n' '--fail-on warning'
[ "$(grep -c . out)" = 1 ] && grep -q 'waiver of H001' out
waive_in 1 '  - {allow: L001, because: x, until: 2000-02-29}\n'
grep -q 'the waiver of L001 ended on 2000-02-29 \[K008\]$' out
for wrong in '{allow: Q001, because: x}' '{allow: L001}' '{because: x}' '{allow: L001, because: x, until: soon}' \
    '{allow: L001, becauze: x}' '{allow: [], because: x}' 'L001'; do
    waive_in 2 "  - $wrong\\n"
    grep -q '^collc.yaml:[0-9]*:[0-9]*: error: .*\[K00[126]\]$' said && [ ! -s out ] || { echo "$wrong"; cat said; exit 1; }
done

# Numbers by which a schedule is not run; roots of a collective that has none; ranks without a network.
mkdir plain
printf 'schedules: [bcast/binomial, alltoall/ring]\nranks: 3..4\nroots: [0, 3]\n' >plain/collc.yaml
run 0 plain
grep -Eq '^bcast/binomial  root 3 +- +ok$' out && grep -Eq '^alltoall/ring   root 3 +- +-$' out

# refused CODE LINE:COLUMN TEXT: the project file is refused there.
mkdir refused
touch refused/a.coll
refused() {
    printf "$3" >refused/collc.yaml
    run 2 refused
    [ ! -s out ] && grep -q "^collc.yaml:$2: error: .*\[$1\]$" said && grep -q 'help: ' said ||
        { echo "not refused with $1 at $2: $3"; cat out said; exit 1; }
}
refused K001 2:1 'schedules: a.coll\nrank: 4\n'
refused K001 2:1 'schedules: a.coll\ntopologies: star:4\nranks: 4\n'
grep -q "help: the keys here are 'version', 'schedules', 'as', 'networks', 'ranks'" said
refused K001 3:3 'schedules: a.coll\nlimits:\n  max-link-lode: 4\nranks: 4\n'
grep -q "did you mean 'max-link-load'" said
refused K001 1:1 'ranks: 4\n'
refused K001 1:1 'schedules: a.coll\n'
refused K001 1:12 'schedules: {a: b}\n'
refused K001 2:1 'ranks: 4\nranks: 5\n'
refused K001 1:12 'schedules: &a [*a]\n'
refused K001 1:12 'schedules: [a.coll\n'
refused K001 1:1 '[a, b]\n'
refused K001 3:5 'schedules: a.coll\nnetworks:\n  - name: x\n'
refused K001 4:5 'schedules: a.coll\nranks: 4\noverrides:\n  - ranks: 4\n'
refused K002 2:8 'schedules: a.coll\nranks: 16..4\n'
refused K002 2:8 'schedules: a.coll\nranks: 0\n'
refused K002 2:8 'schedules: a.coll\nranks: 1..4294967295\n'
refused K002 2:9 'schedules: a.coll\nranks: [4x]\n'
refused K002 2:8 'schedules: a.coll\nranks: []\n'
refused K002 1:10 'version: 2\nschedules: a.coll\n'
refused K002 3:15 'schedules: a.coll\nnetworks: [star:4,\n              star:4]\n'
refused K002 4:21 'schedules: a.coll\nranks: 4\nlimits:\n  max-hol-slowdown: 0.5\n'
refused K002 4:3 'schedules: a.coll\nranks: 4\nlimits:\n  max-link-load: 1\n'
refused K001 2:8 'networks: star:4\njobs: [{name: a}]\n'
refused K001 3:3 'networks: [star:4, star:5]\njobs:\n  - {schedule: a.coll}\n'
refused K001 3:24 'networks: star:4\njobs:\n  - {schedule: a.coll, rank: 4}\n'
refused K002 4:5 'networks: star:4\njobs:\n  - {schedule: a.coll, name: x}\n  - {schedule: a.coll, name: x}\n'
refused K002 3:31 'networks: star:4\njobs:\n  - {schedule: a.coll, ranks: 0}\n'
refused K003 3:33 'networks: star:4\njobs:\n  - {schedule: a.coll, network: star:5}\n'
refused K003 3:16 'networks: star:4\njobs:\n  - {schedule: b.coll}\n'
refused K003 1:12 'schedules: b*.coll\nranks: 4\n'
refused K003 1:13 'schedules: [alltoall/rin]\nranks: 4\n'
refused K003 4:15 'schedules: a.coll\nranks: 4\noverrides:\n  - networks: tree\n    limits: {max-steps: 1}\n'
printf 'a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a]\nschedules: *b\n' >refused/collc.yaml # a bomb
run 2 refused
grep -q 'anchors, aliases and tags are not read' said
printf '\377\376' >refused/collc.yaml
run 2 refused
grep -q I003 said
printf 'schedules: alltoall/ring\nnetworks: [star:4, nowhere.xml]\n' >refused/collc.yaml
run 2 refused
grep -q 'nowhere.xml' said && grep -q 'the network is named here' said
run 2 nowhere
mkdir -p "$PWD/empty"
( cd / && ! [ -e collc.yaml ] && ! collc check "$OLDPWD/empty" 2>"$OLDPWD/said" )
grep -q 'there is no collc.yaml' said

# Every single failure. The cable between the two switches is the only one.
mkdir failing
printf 'schedules: alltoall/ring\nnetworks: net.dot\nlimits: {max-link-load: 1}\n' >failing/collc.yaml
cat >failing/net.dot <<'X'
graph g {
    a [type=machine]; b [type=machine]; c [type=machine]; d [type=machine]
    s; t; u
    a -- s; b -- s; c -- t; d -- t; s -- t; s -- u; u -- t
}
X
collc topo failing/net.dot >out
grep -q 'machines *4' out
run 1 failing
cp out before
run 1 failing --fail each
grep -q 'single failures, the worst first; 12 messages$' out
grep -Eq '^  switch [st] and 1 alike +10 +0 ' out
grep -Eq '^  cable s:t +0 +8 ' out
run 1 failing --fail each --format json
holds '.reports[0].failures | (.each | length) == 7 + 3 + 4 and .each[0].lost == 10' out
holds '.reports[0].report as $r | .reports[0].failures | .sum_step_load == $r.sum_step_load and
    .max_link_load == $r.max_link_load and .max_total_load == $r.max_total_load' out
holds '[.reports[0].failures.each[] | select(.name == "cable s:t")][0].moved == 8' out
holds '[.findings[] | select(.code == "F001")] | length == 2 + 4' out
collc verify alltoall/ring -t failing/net.dot --fail s:t --format json >with
[ "$(jq .sum_step_load with)" = "$(jq '.reports[0].failures.each[] | select(.name == "cable s:t").sum_step_load' out)" ]
sed -i 's/: 1}/: 2}/' failing/collc.yaml
run 0 failing
run 0 failing --fail each --fail-on error
run 1 failing --fail each --fail-on note --format concise
[ "$(grep -c 'note: without cable .*no way is left for 6 messages of 12; .* reach.* no other host, and none reaches .* \[F001\]' out)" -ge 1 ]
printf 'schedules: alltoall/ring\nranks: 4\n' >failing/collc.yaml
run 2 failing --fail each
grep -q 'the project names none' said
run 2 failing --fail some

# A tree of which one of two trunks is left to each switch: the cuts that go with a whole tree do not tell, a flow does.
mkdir halved
printf "schedules: alltoall/spread\nnetworks: 'fattree:4x4,up=1x2'\n" >halved/collc.yaml
run 0 halved --fail each
grep -Eq '^  switch sw4 and 1 alike +0 +96 +48 +4 +48 +1\.00  flow$' out
run 0 halved --fail each --format json
holds '.reports[0].failures | .bound_kind == "tree" and all(.each[]; (.bound_kind == null) == (.bound_ratio == null))' out

# Nothing is checked of ranks without room, and of schedules that are for none of the combinations.
mkdir nothing
printf 'schedules: [alltoall/ring, alltoall/pairwise]\nnetworks: [star:8, "star:3"]\nranks: [3, 7, 64, 100]\n' >nothing/collc.yaml
run 0 nothing
grep -q '^collc.yaml:3:8: warning: no network has room for 64, 100 ranks: nothing is checked of them \[K011\]$' out
grep -q "^collc.yaml:1:28: warning: 'alltoall/pairwise' is for none of these .*; '2^floor_log2(p) == p' does not hold: p = 3 \[E009\] \[K011\]$" out
[ "$(grep -c K011 out)" = 2 ]
run 1 nothing --fail-on warning --format github
[ "$(grep -c '^::warning file=.*collc.yaml,line=[13],.*(K011)' out)" = 2 ]
run 0 nothing --fail-on warning --ignore K011
# A project of which nothing at all is checked fails, whatever is ignored and known.
printf 'schedules: alltoall/pairwise\nnetworks: star:8\nranks: [3, 100]\n' >nothing/alone.yaml
run 1 nothing/alone.yaml
grep -q '^alone.yaml:1:1: error: nothing is checked: no schedule is for any combination; .* \[K011\]$' out
run 1 nothing/alone.yaml --ignore K
run 1 nothing/alone.yaml --write-baseline base.none
run 1 nothing/alone.yaml --baseline base.none
run 1 nothing/alone.yaml --format junit
sed -i 's/64, 100/4/' nothing/collc.yaml
run 0 nothing --fail-on warning # of four ranks the powers of two are one, and one network has room

# The rule tables of as: are linted, those in scripts too: an MPI that ignores one takes what is compiled in. Findings
# of tables have waivers, in their lines and in the project, and are known to a baseline.
mkdir ruled
printf '1\n3\n1\n8\n2\n1024 1 0 0\n4096 2 0 0\n' >ruled/site.rules
printf 'mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename site.rules app\n' >ruled/job.sh
for rules in site.rules job.sh; do
    printf 'as:\n  - {target: ompi-4.1, rules: %s, collectives: [alltoall, bcast], bytes: [8, 1KiB]}\n  - {target: ompi-5.0, rules: %s, collectives: alltoall, bytes: 8}\nnetworks: star:8\n' $rules $rules >ruled/collc.yaml
    run 1 ruled
    grep -q '^site.rules:6:1: error: the whole file is ignored: .* \[B001\]$' out
    grep -q '^5 combinations: 5 ok' out
    run 1 ruled --format junit
    grep -q 'tests="6" failures="1" errors="0"' out
    run 1 ruled --format sarif
    holds '[.runs[0].results[] | select(.ruleId == "B001")] | length == 1' out
    run 0 ruled --ignore B001
    run 0 ruled --write-baseline base.ruled
    grep -qx '  the project: 1 x 1' base.ruled
    run 0 ruled --baseline base.ruled
    echo 'waivers: {allow: B001, because: it is known}' >>ruled/collc.yaml
    run 0 ruled
    absent 'K007' out
done
sed -i '/^waivers/d' ruled/collc.yaml
sed -i 's/^1024.*/& # collc: allow B001 because it is known/' ruled/site.rules
sed -i 's/job.sh/site.rules/' ruled/collc.yaml
run 0 ruled
grep -q 'waivers cover' out
absent 'K007' out
sed -i 's/^1024/0/' ruled/site.rules
run 0 ruled
grep -q K007 out
# pre-commit runs it for whatever is committed: a project names files of any name.
sed -n '/id: collc-check/,/^- id/p' "$root/.pre-commit-hooks.yaml" >hook
absent '^  \(files\|types\|exclude\):' hook

# A pattern behind a collective is of built-in algorithms, if there are no such files.
printf 'schedules: "alltoall/*ring"\nnetworks: star:8\n' >nothing/collc.yaml
run 0 nothing
[ "$(sed -n 's/^\(alltoall[^ ]*\) .*/\1/p' out | tr '\n' ' ')" = 'alltoall/ring alltoall/two_level_ring ' ]
printf 'schedules: "alltoall/two_*"\nnetworks: star:8\n' >nothing/collc.yaml
run 0 nothing --fail-on warning # two_proc is for two ranks
grep -q '^alltoall/two_proc  *star:8  *-$' out
printf 'schedules: "alltoal/*"\nnetworks: star:8\n' >nothing/collc.yaml
run 2 nothing
grep -q "no file or built-in algorithm is like 'alltoal/\*'" said

# Jobs at the same time.
run 0 "$root/examples/jobs"
absent 'single failures' said
run 0 "$root/examples/jobs" --fail each
grep -q '^collc: note: single failures are tried with schedules:, and not with jobs: 2 combinations' said
grep -q '^2 combinations: 2 ok' out
grep -q '^jobs on packed, at the same time$' out
grep -Eq '^  b +by a +up to 4.00 times as long, 2.43 on average, on 2 links$' out
grep -Eq '^  d +by c +up to 4.00 times as long, 2.65 on average, on 6 links$' out
# Without a failure an all-to-all has the loads that it has as a job.
grep -Eo '^  [ac] .*' out | awk '$2 == "alltoall/ring" { print $5, $6, $7 }' >as_jobs
run 0 "$root/examples/jobs/failures.yaml" --fail each
awk '$1 == "nothing" { print $4, $5, $6 }' out | cmp - as_jobs
[ "$(grep -Ec 'ranks: 183 single failures' out)" = 2 ] && [ "$(wc -l <as_jobs)" = 2 ]
mkdir jobs
job() { printf "networks: [star:4, star:5]\njobs:\n  - {schedule: alltoall/linear, network: star:4$1}\n$2" >jobs/collc.yaml; }
job '' '  - {schedule: alltoall/linear, network: star:4, ranks: 2}\n  - {schedule: bcast/linear, network: star:5, name: c}\n'
run 0 jobs
grep -Eq '^  job1 +by job2 +up to 1\.' out && grep -Eq '^jobs on star:5, at the same time$' out
run 0 jobs --format json
holds '.reports | length == 2 and .[0].jobs[1].ranks == 2 and (.[0].shared_links | length) == 4' out
holds '.reports[0] | .shared_links[0].max_link_load == 4 and .jobs[0].by[0].name == "job2"' out
sed -i '1i limits: {max-link-load: 3}' jobs/collc.yaml
run 1 jobs --format concise
[ "$(grep -c "^collc.yaml:4:16: error: link .* carries up to 4 messages at once (3 of job1, 1 of job2), the limit is 3; 3 more links are above it, '.* with 4 \[F003\] jobs on star:4$" out)" = 1 ]
run 1 jobs --format sarif
holds '.runs[0].results | length == 1' out
job ', ranks: 5' ''
run 2 jobs
grep -q 'A001' out
job ', machines: m9' ''
run 2 jobs
grep -q 'T024' said && grep -q 'the job is named here' said
printf 'networks: star:4\njobs: {schedule: alltoall/pairwise, ranks: 3}\n' >jobs/collc.yaml
run 2 jobs
grep -q '^jobs  *star:4  *broken$' out

# Forges know files from the root of the repository on, wherever the project lies and collc is started. What is
# built in is no file of the repository: it is shown where the project names it.
mkdir -p repo/.git 'repo/perf/a b' outside/perf
cp "$root/compiler/algorithms/alltoall/ring.coll" repo/perf/ring.coll
cp repo/perf/ring.coll 'repo/perf/a b/r:1.coll'
printf 'schedules: ["*.coll", "./a b/../a b/*",\n            alltoall/ring]\nnetworks: "fattree:8x2,up=1x1"\nlimits: {max-link-load: 2}\n' >repo/perf/collc.yaml
cp repo/perf/ring.coll outside/perf
sed 's/\[.*,$/[ring.coll,/' repo/perf/collc.yaml >outside/perf/collc.yaml
# places FOLDER ARGUMENT: the files that each form names, started there.
places() {
    ( cd "$1" && shift && { collc check "$@" --format sarif || true; } |
        jq -r '.runs[0].results[].locations[0].physicalLocation | "\(.artifactLocation.uri):\(.region.startLine)"' ) | sort -u
    ( cd "$1" && shift && { collc check "$@" --format github || true; } | sed -n 's/.* file=\([^,]*\),line=\([0-9]*\),.*/\1:\2/p' ) | sort -u
    ( cd "$1" && shift && { collc check "$@" --format gitlab || true; } | jq -r '.[].location | "\(.path):\(.lines.begin)"' ) | sort -u
}
wanted='perf/a%20b/r:1.coll:23 perf/collc.yaml:2 perf/ring.coll:23 perf/a b/r%3A1.coll:23 perf/collc.yaml:2 perf/ring.coll:23 perf/a b/r:1.coll:23 perf/collc.yaml:2 perf/ring.coll:23'
for from in . repo repo/perf 'repo/perf/a b'; do
    case $from in . | repo) argument=${PWD}/repo/perf ;; *) argument=. ;; esac
    [ "$(echo $(places "$from" "$argument"))" = "$wanted" ] || { echo "from $from:"; places "$from" "$argument"; exit 1; }
done
if ! git rev-parse --git-dir >/dev/null 2>&1; then # in no repository: from the working directory on
    [ "$(echo $(places outside perf))" = 'perf/collc.yaml:2 perf/ring.coll:23 perf/collc.yaml:2 perf/ring.coll:23 perf/collc.yaml:2 perf/ring.coll:23' ]
    [ "$(echo $(places outside/perf))" = 'collc.yaml:2 ring.coll:23 collc.yaml:2 ring.coll:23 collc.yaml:2 ring.coll:23' ]
fi
run 1 outside/perf --format github
grep -q '^::error file=.*collc.yaml,line=2,col=13,.*(at line 23 of alltoall/ring on fattree:8x2,up=1x1)$' out

# Links above a limit are one finding for a line and a network, in all forms, with the worst of them in the text.
printf 'schedules: alltoall/ring\nnetworks: "fattree:8x4,up=1x2"\nlimits: {max-link-load: 1}\n' >failing/collc.yaml
collc verify alltoall/ring -t fattree:8x4,up=1x2 --max-link-load 1 --format json >single || [ $? -eq 1 ]
n=$(jq '.findings | length' single)
[ "$n" -gt 10 ]
for form in 'sarif .runs[0].results [.[].message.text]' 'json .findings [.[].message]' 'gitlab . [.[].description]'; do
    set -- $form
    run 1 failing --format $1
    holds "$2 | length == 1 and all($3[]; contains(\"; $((n - 1)) more links are above it, \"))" out
done
run 1 failing --format json
holds '.findings[0] | .value == 4 and .places == '$n out
# verify writes the findings of its own combinations in the same formats: the same but for the project file, where a
# check shows what is built in, and the names of the command.
verify() { collc verify alltoall/ring -t fattree:8x4,up=1x2 --max-link-load 1 --format "$1" >of_verify || [ $? -eq 1 ]; }
plain() { sed 's/collc verify/collc check/; s/at line 23 of //; s/line=[0-9]*,col=[0-9]*,//; s/[a-z/]*[/.]\(coll\|yaml\)\(:23:5\|:1:12\)*//' "$1"; }
for form in concise github junit; do
    verify $form
    run 1 failing --format $form
    plain out >out_plain
    plain of_verify | diff out_plain -
done
verify gitlab
holds 'length == 1 and .[0].location == {path: "compiler/algorithms/alltoall/ring.coll", lines: {begin: 23}}' of_verify
verify sarif
run 1 failing --format sarif
holds '.runs[0] | .automationDetails.id == "collc/verify/" and .results[0].locations[0].physicalLocation.region.startLine == 23' of_verify
jq -S '.runs[0] | del(.automationDetails, .results[].locations, .results[].message)' out >out_plain
jq -S '.runs[0] | del(.automationDetails, .results[].locations, .results[].message)' of_verify | diff out_plain -
status=0 # two schedules on two networks; what cannot be read has been said, too
collc verify alltoall/ring nosuch -t fattree:8x4,up=1x2 -t star:8 --max-link-load 1 --format junit >out 2>said || status=$?
[ $status -eq 2 ] && grep -q "cannot open 'nosuch'" said && grep -q 'tests="4" failures="1" errors="2"' out
xmllint --noout out
collc check --max-link-load 5 2>said || [ $? -eq 2 ]
present "under 'limits:'" said
collc verify alltoall/ring -t star:8 --format gitlab | grep -qx '\[\]'
verify html
grep -q '^<pre>compiler/.*: error: link .* \[L001\]$' of_verify
# All of a combination are in JUnit, and a machine that sends and receives too much is one of those that do.
collc verify alltoall/linear -t star:8 --ports 1 --max-fan-in 1 --format junit >out || [ $? -eq 1 ]
expect codes "$(xmllint --xpath 'string(//failure)' out | grep -o '\[[A-Z]*[0-9]*\]' | tr -d '\n')" '[P001][H001]'
present '; 7 more machines are above it' out
# A file outside the repository has no path from its root on. The others have one.
mkdir -p repo/deep
cp "$root/compiler/algorithms/alltoall/ring.coll" repo/deep/own.coll
(cd repo/deep && collc verify alltoall/ring own.coll -t fattree:8x4,up=1x2 --max-link-load 1 --format gitlab || [ $? -eq 1 ]) |
    jq -r '.[].location.path' | sort -u >paths
printf 'compiler/algorithms/alltoall/ring.coll\ndeep/own.coll\n' | diff - paths
(cd repo/deep && collc verify own.coll -t nosuch:4 --format github 2>said || [ $? -eq 2 ]) | grep -q '^::error file=<topology>,'
# A verification that is refused is in the list, which would look clean.
for refused in '--root 2000' '--budget 1us --no-symmetry'; do
    for format in sarif gitlab github concise junit; do
        status=0
        # shellcheck disable=SC2086
        collc verify bcast/binomial -t star:1024 $refused --format $format >out 2>said || status=$?
        [ $status -eq 2 ] && grep -q 'K005\|<error message="[a-z]' out && [ -s said ] ||
            { echo "$refused $format: $status"; cat out said; exit 1; }
    done
done
# So is what keeps a check from running: in the project, on the command line, in the baseline, in a network.
mkdir -p fatal/.git fatal/perf bare
printf 'schedules: alltoall/ring\nnetworks: "star:4x"\n' >fatal/perf/network.yaml
printf 'schedules: alltoall/rung\nranks: 4\n' >fatal/perf/schedule.yaml
printf 'schedules: alltoall/ring\nranks: 4\n' >fatal/perf/collc.yaml
while read -r code place words; do
    for format in sarif github gitlab junit json html; do
        # shellcheck disable=SC2086
        run 2 $words --format $format
        case $format in sarif | json) jq -e . out >parsed ;; junit) xmllint --noout out && grep -q '<error message="[^"]' out ;; esac
        grep -q "$code" out && { [ $format = html ] || [ $format = junit ] || grep -q "\"\?\(file\|path\|uri\)\"\?[=:] *\"\?$place" out; } &&
            [ -s said ] || { echo "$words $format"; cat out said; exit 1; }
    done
done <<'X'
T001 \(perf/\|\)network.yaml fatal/perf/network.yaml
K003 \(perf/\|\)schedule.yaml fatal/perf/schedule.yaml
K005 collc.yaml fatal/perf/collc.yaml --select Q
I001 [^"]*nosuch fatal/perf/collc.yaml --baseline nosuch
I001 nosuch nosuch
X
run 2 fatal/perf/network.yaml
[ ! -s out ]
# For other codes the forms list a hundred lines of a file, and count the others. Text lists three. Waivers and the
# baseline are applied to all of them before.
mkdir many
{ printf 'collc-schedule 1\ncollective bcast\nalgorithm x\nranks 2\nroot 0\nsegments 160\n'
    for step in 0 1; do echo "step $step"; for i in $(seq 0 159); do printf '0 send buf[%d] to 1\n1 recv buf[%d] from 0\n' $i $i; done; done; echo end; } >many/w.sched
printf 'schedules: w.sched\nranks: 2\n' >many/collc.yaml
run 1 many --format json
holds '(.findings | length) == 100 and .findings_left == 60 and .findings_waived == 0' out
run 1 many --format json --max-findings 150
holds '(.findings | length) == 150 and .findings_left == 10' out
run 1 many
grep -q '^note: 97 more of R002: .*; --max-findings lists more$' out && grep -q '^note: 60 more of those above' out
run 0 many --write-baseline known
[ "$(grep -c '^R002 w.sched: 1 recv buf\[[0-9]*\] from 0$' known)" = 160 ] && [ "$(wc -l <known)" = 321 ]
run 0 many --baseline known
grep -q '^w.sched  *known$' out
absent '^note:' out
sed '/recv buf\[131\]/,+1d' known >one_less
run 1 many --baseline one_less --format json
holds '[.findings[] | select(.known | not)] | length == 1 and .[0].message[:24] == "rank 1 receives buf[131]"' out
sed -i '/^step 1/,$s/^1 recv buf\[\([0-9]\|[0-9][0-9]\|10[0-9]\)\].*/&  # collc: allow R002 because x/' many/w.sched
run 1 many --format json
holds '(.findings | length) == 50 and .findings_left == 0 and .findings_waived == 110' out
sed -i '/^step 1/,$s/^1 recv buf\[1[1-9][0-9]\] from 0$/&  # collc: allow R002 because x/' many/w.sched
run 0 many
grep -q '^w.sched  *waived$' out && grep -q '^1 combination: 1 waived; waivers cover 160$' out
run 0 many --format junit
grep -q '<skipped message="waived: rank 1 receives' out
# A deadlock that is waived is never called ok.
cp "$root/tests/golden/rules/D001/fires-three-in-a-circle.sched" many/d.sched
printf 'schedules: d.sched\nranks: 4\nwaivers: [{allow: D001, because: x}]\n' >many/collc.yaml
run 0 many
grep -q '^d.sched  *waived$' out
# Findings that would not count anyway leave it ok.
run 0 many --ignore D001
grep -q '^d.sched  *ok$' out
# A defect that is known elsewhere, or was less, is found. One that is known and gone, or was more, is told.
printf '# x\nalltoall x\nranks r: p\nlet w = 4\nwindow w\n  for i in 0 .. p-1\n    step\n      send in[r+i] to r + i\n      recv out[r-i] from r - i\n' >many/x.coll
printf 'schedules: x.coll\nnetworks: [star:16, star:17]\nranks: [4, 8, 16]\nlimits: {max-link-load: 1}\n' >many/collc.yaml
run 0 many --write-baseline known
cat >wanted <<'X'
collc-baseline 2
L001 x.coll: send in[r+i] to r + i
  x.coll on star:16, 4 ranks: 8 x 3
  x.coll on star:16, 8 ranks: 16 x 4
  x.coll on star:16, 16 ranks: 32 x 4
  x.coll on star:17, 4 ranks: 8 x 3
  x.coll on star:17, 8 ranks: 16 x 4
  x.coll on star:17, 16 ranks: 32 x 4
X
diff wanted known
run 0 many --baseline known
sed '/star:17, 8/d; s/16 x 4$/15 x 4/; s/32 x 4$/30 x 4, 2 x 3/' known >less
for without in 's/8 x 3/1 x 3, 7 x 2/' '/star:17, 8/d' 's/16 x 4/15 x 4/' 's/32 x 4/31 x 4, 1 x 3.5/'; do
    sed "$without" known >less
    run 1 many --baseline less
    grep -q 'L001' out || { echo "$without"; exit 1; }
    run 1 many --baseline less --format json
    holds '[.findings[] | select(.known | not)] | length > 0 and all(.[]; .code == "L001" and .known_reports < .reports)' out
done
# told CHANGE: the baseline with it is told of, at its line, and fails with --fail-on warning only.
told() {
    sed "$1" known >more
    run 0 many --baseline more --format concise
    [ "$(grep -c '^\.\./more:[0-9]*:3: warning: the baseline knows .*\[K012\]$' out)" = 1 ] || { echo "$1"; cat out; exit 1; }
    run 1 many --baseline more --fail-on warning
}
told 's/8 x 3/8 x 999999/'
told 's/8 x 3/999999 x 3/'
told '$s/star:17, 16/star:*, 16/p;$s/star:\*/star:17/'
told '$p;$s/16 ranks/32 ranks/'
told '$aR002 x.coll: send in[r+i] to r + i\n  x.coll on star:17, 8 ranks: 1 x 1'
told '$aL001 *: *\n  *: 1 x 1'
# While something is broken, nothing is called idle, and no baseline is written.
sed 's/^schedules: x.coll/schedules: [x.coll, y.coll]/' many/collc.yaml >many/more.yaml
sed '$s/star:17, 16/star:*, 16/p;$s/star:\*/star:17/' known >more
sed 's/recv out.*/& # collc: allow H001 because x/' many/x.coll >many/y.coll
run 0 many/more.yaml --baseline more --select K
grep -q K012 out && grep -q K007 out
echo nonsense >>many/y.coll
run 2 many/more.yaml --baseline more --format concise
absent 'K012\|K007' out
cp known before
run 2 many/more.yaml --write-baseline before
cmp known before
grep -q "'before' is not written: 6 combinations cannot be checked" said && grep -q 'not yet written' out
# Another version of an MPI takes the same: what is known of it stays so, unless the old one is still there.
for target in 4.1 5.0; do
    printf 'as: {target: ompi-%s, collectives: alltoall, bytes: 64KiB}\nnetworks: "fattree:4x4,up=1x1"\nlimits: {max-link-load: 1}\n' $target >many/as-$target.yaml
done
run 0 many/as-4.1.yaml --write-baseline of_as
run 0 many/as-5.0.yaml --baseline of_as
absent K012 out
sed -i 's|: [0-9]* x .*|: 1 x 1|' of_as
run 1 many/as-5.0.yaml --baseline of_as
sed 's/^as: {/as:\n  - {target: ompi-4.1, collectives: bcast, bytes: 8}\n  - {/' many/as-5.0.yaml >many/both.yaml
run 0 many/as-4.1.yaml --write-baseline of_as
run 1 many/both.yaml --baseline of_as
# It cannot know that it is idle.
sed 's/8 x 3/8 x 999999/' known >idle
run 1 many --baseline idle --format concise --fail-on warning
sed -n 's/^[^:]*:[0-9]*:[0-9]*: warning: \(.*\) \[K012\]$/K012 ..\/idle: \1\n  the project: 1 x 1/p' out >>idle
grep -q '^K012' idle
run 2 many --baseline idle
grep -q 'a baseline does not know what is wrong with it \[K004\]$' said
printf 'schedules: x.coll\nnetworks: [star:16, star:17]\nranks: [4, 8, 16]\nlimits: {max-link-load: 3}\n' >many/collc.yaml
run 0 many --baseline known --format concise
grep -q ': the baseline knows what is not found: L001 x.coll: send .*, in 2 combinations \[K012\]$' out
# In every form.
for form in 'concise :.note:.known:.link' 'gitlab "L001:.known:' 'sarif "baselineState":."unchanged"' 'junit <skipped.message="known:' 'json "verdict":."known"' 'github ::notice.title=collc::.*known.more'; do
    run 0 many --baseline known --format ${form% *}
    grep -q "${form#* }" out || { echo "$form"; cat out; exit 1; }
done
# The action, as GitHub would run it.
status=0
COLLC_PATH=project COLLC_ARGUMENTS='--ignore H' COLLC_SARIF=found.sarif "$root/scripts/action" >out || status=$?
[ $status -eq 1 ] && grep -q '^::error file=schedules/shift.coll' out
holds '.runs[0].results | length > 0' found.sarif

# A name that is no text stays out of JUnit's XML.
mkdir odd
cp "$root/compiler/algorithms/alltoall/ring.coll" "odd/$(printf 'a\377.coll')"
printf 'schedules: "*.coll"\nranks: 4\n' >odd/collc.yaml
run 0 odd --format junit
xmllint --noout out

# SARIF is valid by its schema: with findings of all kinds, without any, with waivers.
collc check "$root/examples/jobs" --format sarif >none.sarif
holds '.runs[0].tool.driver.rules | length > 0 and all(.[]; .id as $id | .help.markdown | startswith("# \($id): "))' found.sarif
collc check failing --fail each --format sarif >failing.sarif 2>said || true
printf 'schedules: alltoall/ring\nnetworks: net.dot\n' >failing/collc.yaml
collc check failing --fail each --format sarif >failing.sarif
holds '.runs[0].results | length > 0 and all(.[]; .ruleId == "F001" and .level == "note")' failing.sarif
waive_in 1 '  - {allow: [L001, H001], because: x}\n  - {allow: H001, until: 2000-01-01, because: y}\n' '--fail-on warning'
collc check waived --format sarif >waived.sarif
printf 'schedules: [nonsense.coll, alltoall/ring]\nranks: 4\n' >failing/collc.yaml
echo nonsense >failing/nonsense.coll
collc check failing --format sarif >broken.sarif || [ $? -eq 2 ]
if python3 -c 'import jsonschema' 2>/dev/null; then
    is_valid() { python3 -W ignore -m jsonschema -i "$1" "$root/tests/data/sarif/sarif-2.1.0.json" >said 2>&1; }
    for file in *.sarif; do is_valid "$file" || { echo "$file"; cat said; exit 1; }; done
    sed 's/"level": "[a-z]*"/"level": "grave"/g' found.sarif >changed
    is_valid changed && { echo 'a wrong level is valid'; exit 1; }
    grep -q grave said
else
    echo "SARIF's schema skipped: no python3-jsonschema"
fi
if command -v Sarif.Multitool >/dev/null; then
    for file in *.sarif; do Sarif.Multitool validate "$file"; done >said
    if grep 'error SARIF\|error JSON' said; then exit 1; fi
fi

# A first project: the ring of the README.
mkdir -p first/.git first/perf
sed -n '/^# Ring: in step i/,/^```/p' "$root/README.md" | sed '/^```/d' >first/perf/ring.coll
cat >first/perf/collc.yaml <<'END'
schedules: [ring.coll, alltoall/pairwise]
networks: ["fattree:8x8,up=1x4", star:64]
ranks: [16, 32, 64]
limits:
  max-link-load: 1
END
run 1 first/perf
grep -qx '12 combinations: 6 ok, 6 with findings' out
collc check first/perf --format sarif >out || [ $? -eq 1 ]
holds '.runs[0].results | length == 2' out
holds '.runs[0].results[0] | .ruleId == "L001" and (.message.text | contains("from ranks 3, 7 on m3, m7"))' out
holds '.runs[0].results[0].locations[0].physicalLocation | .artifactLocation.uri == "perf/ring.coll" and
    .region == {startLine: 7, startColumn: 5, endLine: 7, endColumn: 26}' out
