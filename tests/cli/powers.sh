# '^' written for exclusive or (W013): said by lint and verify where 'xor' in its place makes the algorithm right.
set -e
. "$root/tests/helpers.sh"

# doubling NAME PARTNER [HEADER-LINE]: an allreduce by recursive doubling.
doubling() {
    {
        printf 'allreduce %s\nranks r: p\n' "$1"
        [ -z "${3-}" ] || printf '%s\n' "$3"
        printf 'for k in 0 .. floor_log2(p) - 1\n  step\n    send buf to %s\n    reduce buf from %s\n' "$2" "$2"
    } >"$1.coll"
}
says() { # NAME PLACE: both commands, with the place, the numbers of ranks and the word
    collc verify "$1.coll" -t star:8 >said 2>&1 || [ $? -le 2 ]
    present "^$1.coll:$2: warning: '^' is the power here; with 'xor' in its place the algorithm is right for 8 ranks.*\[W013\]" said
    present "= help: for exclusive or, bit by bit, write 'xor'" said
    collc lint "$1.coll" >said || [ $? -eq 1 ]
    present "^$1.coll:$2: .*\[W013\]" said
    expect "times for $1" "$(grep -c 'W013\]' said)" 1
}
doubling plain 'r ^ 2^k' 'requires 2^floor_log2(p) == p'
says plain 6:17
doubling unrequired 'r ^ 2^k'
says unrequired 5:17
doubling braces 'r ^ (2^k)'
says braces 5:17
doubling turned '(2^k) ^ r'
says turned 5:17
doubling open '2^k ^ r'
says open 5:19
doubling sum 'r ^ 2^(k+1-1)'
says sum 5:17
{ printf 'allgather pair\nranks r: p\nrequires p mod 2 == 0\nlet partner = r ^ 1\ncopy in to out[r]\n'
  printf 'step\n  send in to partner\n  recv out[partner] from partner\n'
  printf 'for i in 1 .. p/2-1\n  step\n    send out[2*(r/2)] to r + 2*i\n    send out[2*(r/2)+1] to r + 2*i\n'
  printf '    recv out[2*(r/2)-2*i] from r - 2*i\n    recv out[2*(r/2)+1-2*i] from r - 2*i\n'; } >pair.coll
sed 's/r ^ 1/r xor 1/' pair.coll >right.coll
collc verify right.coll -t star:8 -q
says pair 4:15

# With ranks for which xor is not right either, and where the power is too large to be counted.
for n in 6 64; do
    collc verify unrequired.coll -t star:$n >said 2>&1 || [ $? -le 2 ]
    present 'W013\]' said
done

# No warning: programs that are right, those that xor does not mend, and powers of a number.
doubling right2 'r xor 2^k' 'requires 2^floor_log2(p) == p'
doubling other 'r - r^2 + 3'
doubling number 'r + 2^k'
for name in right2 other number; do
    collc verify $name.coll -t star:8 >said 2>&1 || [ $? -le 2 ]
    absent W013 said
    collc lint $name.coll >said || [ $? -eq 1 ]
    absent W013 said
done
# A power of ranks that is meant: the squares of numbers below p.
{ printf 'allgather squares\nranks r: p\nlet zero = (r + 1)^2 - r^2 - 2*r - 1\ncopy in to out[r]\n'
  printf 'for i in 1 .. p-1\n  step\n    send in to r + i + zero\n    recv out[r-i] from r - i - zero\n'; } >squares.coll
collc verify squares.coll -t star:8 -q
sed 's/send in to r + i + zero/send in to r + i + 1 + zero/' squares.coll >wrong.coll
collc verify wrong.coll -t star:8 >said || [ $? -eq 1 ]
present 'error: ' said
absent W013 said
# A schedule has no text.
collc compile right2.coll -t star:4 | sed '0,/send/s/send.*/send buf[0] to 2/' >a.sched
collc verify a.sched >said 2>&1 || [ $? -le 2 ]
absent W013 said
