# topo and route take the network as an argument or by -t, once.
set -e
. "$root/tests/helpers.sh"
file=$root/examples/clusters/star24.txt
for command in topo route; do
    collc $command "$file" >argument
    collc $command -t "$file" | cmp - argument
    refused "'$command' needs an argument: T" collc $command
    refused "too many arguments for '$command T': 'star:4'" collc $command "$file" -t star:4
done
cp "$file" own.txt
refused 'own.txt' collc topo -t own.txt --to xml -o own.txt
cmp "$file" own.txt
