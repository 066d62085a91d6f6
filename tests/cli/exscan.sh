# The heads of the exclusive scans say how many operations there are: the most `reduce` of one rank.
set -e
for p in 2 3 4 5 7 8 9 13 14 16 31 32 33 100; do
    q=0
    while [ $((1 << q)) -lt $p ]; do q=$((q + 1)); done
    least=$q # inclusive steps: 2^q - 2^(q - i) >= p - 1
    while [ $least -gt 1 ] && [ $(((1 << q) - (1 << (q - least + 1)))) -ge $((p - 1)) ]; do
        least=$((least - 1))
    done
    most=$(collc compile exscan/inclusive_exclusive --ranks $p |
        awk '$2 == "reduce" && ++n[$1] > most { most = n[$1] } END { print most + 0 }')
    [ "$most" -le $((q + least - 2)) ] || { echo "$p ranks: $most operations"; exit 1; }
    [ $p -ne 100 ] || [ "$most" -eq $((q + least - 2)) ] || { echo "only $most"; exit 1; }
done
