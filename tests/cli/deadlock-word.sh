# If a rank waits for ever, no report says that there is no deadlock: the word of text and JSON, for one process
# and for several.
set -e
. "$root/tests/helpers.sh"
rules=$root/tests/golden/rules

# says WORD MATCHED FILE [OPTION...]
says() {
    word=$1 matched=$2 file=$3
    shift 3
    for jobs in 1 2; do
        collc verify "$file" "$@" --jobs $jobs -v >text 2>/dev/null || [ $? -eq 1 ]
        collc verify "$file" "$@" --jobs $jobs --format json >json || [ $? -eq 1 ]
        grep -q "^  matched     $matched\$" text
        sed -n 's/^  deadlock    \([a-z]*\).*/\1/p' text >line
        expect "text of $file" "$(cat line)" "$word"
        expect "json of $file" "$(jq -r .deadlock json)" "$word"
        expect "claim of $file" "$(jq .deadlock_free json)" "$([ "$word" = none ] && echo true || echo false)"
    done
}
says none yes "$rules/M002/near-self.sched"
says certain no "$rules/M002/fires-send-missing.sched"
says possible no "$rules/M001/fires-receive-missing.sched"
says certain no "$rules/M002/fires-wrong-source.sched"
says unknown no "$rules/M003/fires-shorter-receive.sched"
says possible yes "$rules/D001/fires-both-send-first.sched"
says certain yes "$rules/D001/fires-three-in-a-circle.sched"
says certain yes alltoall/ring -t mesh:4 --fail "(1):(2)"

# A barrier in which one rank tells nobody: the others wait for it.
cat >barrier.coll <<'END'
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
says certain no barrier.coll --ranks 4

# Recursive doubling on a number of ranks that is no power of two.
cat >doubling.coll <<'END'
allreduce doubling
ranks r: p
for k in 0 .. ceil_log2(p)-1
  step
    send buf to r xor 2^k
    reduce buf from r xor 2^k
END
says certain no doubling.coll --ranks 6
says none yes doubling.coll --ranks 8
