# measured/stream.c on one cable: messages of 64 bytes over TCP/IP share packets, as Sumimoto et al. 2000 say of
# figures 4 and 5, while the other way takes a packet for each. No times: other things run here, too.
set -e
. "$root/tests/helpers.sh"
${CC:-gcc} -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror "$root/measured/stream.c" -o stream
cat >run.sh <<'END'
on h1 ./stream serve &
until on h1 ss -lnt | grep -q :7000; do
    kill -0 $! || exit 1
    sleep 0.1
done
on h0 ./stream 10.77.0.2 64 1464
on h0 tc -s qdisc show dev c0 | sed -n 's/.* \([0-9]*\) pkt .*/\1/p'
END
status=0
"$root/scripts/netns-cluster" --build "$build" star:2,bw=100Mb/s -- sh run.sh >seen 2>message || status=$?
if [ $status -eq 2 ] && grep -Eq 'no namespaces|iproute2' message; then
    echo "skipped: $(cat message)"
    exit 0
fi
expect 'status' $status 0
expect 'sizes' "$(sed -n 's/^\([0-9]*\) [0-9.]* [0-9.]*$/\1/p' seen | tr '\n' ' ')" '64 1464 '
# 16,384 and 716 messages; with one packet for each message TCP/IP alone would have 17,100 more. How many it shares
# depends on who waits for whom.
packets=$(tail -n 1 seen)
[ "$packets" -ge 17100 ] && [ "$packets" -lt 31000 ] || { echo "$packets packets"; exit 1; }
