# With 2 and more they end; what convert writes has 2, as Bruck's algorithm has in the versions before.
printf '%s' '{ "rule_file_version": 3, "module": "tuned", "collectives": { "allgather": [ { "rules": [
  { "msg_size_max": 9, "alg": "bruck-k-fanout", "faninout": 2 }, { "alg": 2, "faninout": 4 } ] } ] } }' |
    collc lint - --target ompi-6
printf '1\n0\n1\n2\n1\n0 2 0 0\n' | collc convert - --target ompi-5.0 --to ompi-6
printf '1\n0\n1\n2\n1\n0 2 0 0\n' | collc lint - --target ompi-5.0
