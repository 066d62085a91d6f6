# Outputs of benchmarks as logs have them: marks before the lines, rows without a time, wrong results, benchmarks that
# are not known.
cp "$root"/tests/data/times/marked.log "$root"/tests/data/times/unmeasured.txt .
collc fit marked.log -t star:2 --model step -o /dev/null | head -1
collc fit unmeasured.txt -t star:2 --ranks 2 --algorithm bcast/linear --model step -o /dev/null | head -1
