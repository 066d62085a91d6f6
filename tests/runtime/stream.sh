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
on h0 cat /proc/net/snmp | awk '/^Tcp:/ && ++n == 2 { print $12 } /^Udp:/ && ++m == 2 { print $5 }'
END
status=0
"$root/scripts/netns-cluster" --build "$build" star:2,bw=10Mb/s -- sh run.sh >seen 2>message || status=$?
if [ $status -eq 2 ] && grep -Eq 'no namespaces|iproute2' message; then
    echo "skipped: $(cat message)"
    exit 0
fi
expect 'status' $status 0
expect 'sizes' "$(sed -n 's/^\([0-9]*\) [0-9.]* [0-9.]*$/\1/p' seen | tr '\n' ' ')" '64 1464 '
# 16,384 and 716 messages, each a packet or more. TCP/IP would have as many, if none shared one; packets that are sent
# again are not among its own. How many it shares depends on who waits for whom.
{ read -r segments; read -r packets; } <<END
$(tail -n 2 seen)
END
[ "$packets" -ge 17100 ] || { echo "$packets packets"; exit 1; }
[ "$segments" -gt 724 ] && [ "$segments" -lt 2500 ] || { echo "$segments segments"; exit 1; }
