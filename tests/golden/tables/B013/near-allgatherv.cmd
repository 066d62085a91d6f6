# One algorithm for all sizes; of communicators of one rank there is no choice, and no rule acts.
printf '1\n1\n1\n2\n2\n0 3 0 0\n8192 3 0 0\n' | collc lint - --target ompi-4.1
printf '%s' '{ "rule_file_version": 3, "module": "tuned", "collectives": { "allgatherv": [
  { "comm_size_max": 1, "rules": [ { "msg_size_max": 8191, "alg": 2 }, { "alg": 3 } ] } ] } }' |
    collc lint - --target ompi-6 | grep -v coll/han
