# Each rank looks allgatherv up with the datatype that it sends.
printf '1\n1\n1\n2\n2\n0 2 0 0\n8192 3 0 0\n' | collc lint - --target ompi-4.1 | grep -A4 B013
printf '%s' '{ "rule_file_version": 3, "module": "tuned", "collectives": { "allgatherv": [
  { "rules": [ { "msg_size_max": 8191, "alg": 2 }, { "alg": 3 } ] } ] } }' | collc lint - --target ompi-6 | grep B013
