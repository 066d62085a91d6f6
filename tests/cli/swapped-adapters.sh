# Two adapters of a host that are cabled to each other's switch: cables between the same nodes, and yet a fault.
set -e
. "$root/tests/helpers.sh"
base=$root/tests/data/rails/four-rails.txt
collc topo "$base" --against "$base" >same 2>&1
present 'nothing has changed' same
# mlx5_0 and mlx5_1 of n0, in the lines of the switches and in their own.
sed '/^Switch/,/^$/{
        s/"H-bb00000000000001"\[1\](bb00000000000001)\(.*\)"n0 mlx5_0" lid 10/"H-SWAP"\1/
        s/"H-bb00000000000002"\[1\](bb00000000000002)\(.*\)"n0 mlx5_1" lid 11/"H-bb00000000000001"[1](bb00000000000001)\1"n0 mlx5_0" lid 10/
        s/"H-SWAP"\(.*\) 4x/"H-bb00000000000002"[1](bb00000000000002)\1"n0 mlx5_1" lid 11 4x/
    }
    s/^\[1\](bb00000000000001)\(.*\)"S-aa00000000000001"\(.*\)"rail0" lid 1/[1](bb00000000000001)\1"S-aa00000000000002"\2"rail1" lid 2/
    s/^\[1\](bb00000000000002)\(.*\)"S-aa00000000000002"\(.*\)"rail1" lid 2/[1](bb00000000000002)\1"S-aa00000000000001"\2"rail0" lid 1/' \
    "$base" >swapped.txt
[ "$(diff "$base" swapped.txt | grep -c '^>')" -eq 4 ]
status=0; collc topo swapped.txt --against "$base" >report 2>&1 || status=$?
expect status $status 1
present "port 1 of 'n0 mlx5_0' and port 1 of 'n0 mlx5_1' are swapped: .*'rail1'.*'rail0' \[G004\]" report
expect findings "$(grep -c '\[G0' report)" 1
# A cable that is away is no swap: the other adapters are what they were.
grep -v 'bb00000000000001' "$base" >away.txt
status=0; collc topo away.txt --against "$base" >report 2>&1 || status=$?
expect status $status 1
absent 'G004' report
present 'G003' report
