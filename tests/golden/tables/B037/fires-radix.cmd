# Algorithms of Open MPI 6 that multiply by the fan-out never end with 0 or 1.
printf '%s' '{ "rule_file_version": 3, "module": "tuned", "collectives": { "allgather": [ { "rules": [
  { "alg": "bruck-k-fanout" } ] } ], "reduce": [ { "rules": [ { "alg": 8, "faninout": 1 } ] } ] } }' |
    collc lint - --target ompi-6 | grep -E 'B037|help: give'
printf '1\n0\n1\n2\n1\n0 2 0 0\n' | collc lint - --target ompi-6 | grep B037
