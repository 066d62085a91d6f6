# The JSON schemas of collc.yaml and config.yaml say what the readers take.
set -e
. "$root/tests/helpers.sh"
for name in project:collc config:config; do
    collc help --format "${name%:*}-schema" >schema
    cmp schema "$root/docs/schema/${name#*:}.json" ||
        { echo "collc help --format ${name%:*}-schema >docs/schema/${name#*:}.json"; exit 1; }
done
# init names it, where it lies.
mkdir site && printf 'SwitchName=s0 Nodes=n[0-7]\n' >site/topology.conf
collc init site >/dev/null
schema=$(sed -n '1s/^# yaml-language-server: \$schema=//p' site/collc.yaml)
cmp "$schema" "$root/docs/schema/collc.json"
# helpUri in SARIF is the page of the code.
collc verify alltoall/ring -t fattree:8x4,up=1x2 --max-link-load 1 --format sarif >found.sarif || [ $? -eq 1 ]
page=$(jq -r '.runs[0].tool.driver.rules[0].helpUri' found.sarif)
cmp "${page#file://}" "$root/docs/codes/L001.md"

python=/usr/bin/python3
$python -c 'import jsonschema, yaml' 2>/dev/null || { echo 'skipped: no python3-jsonschema and python3-yaml'; exit 0; }
cat >validate.py <<'END'
import json, sys, jsonschema, yaml
class Loader(yaml.SafeLoader): pass
# A day is a text for collc, as for the core schema of YAML 1.2.
Loader.yaml_implicit_resolvers = {c: [r for r in rs if r[0] != "tag:yaml.org,2002:timestamp"]
                                  for c, rs in yaml.SafeLoader.yaml_implicit_resolvers.items()}
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
found = list(jsonschema.Draft7Validator(schema).iter_errors(yaml.load(open(sys.argv[2]), Loader)))
for error in found: print(error.message)
sys.exit(bool(found))
END
valid() { $python validate.py "$root/docs/schema/$1.json" "$2" >why; }
for file in "$root"/examples/*/collc.yaml site/collc.yaml; do
    valid collc "$file" || { echo "$file"; cat why; exit 1; }
done
# Both take a file, or both refuse it.
n=0
mkdir one
both() { # yes|no: one/collc.yaml
    status=0
    collc check one >out 2>said || status=$?
    if grep -q '\[K00[126]\]' said; then reader=no; else reader=yes; fi
    if valid collc one/collc.yaml; then schema=yes; else schema=no; fi
    [ "$reader$schema" = "$1$1" ] || { cat one/collc.yaml said why; echo "wanted $1: reader $reader, schema $schema"; exit 1; }
    n=$((n + 1))
}
while IFS= read -r line; do
    printf "%b\n" "${line#* }" >one/collc.yaml
    both "${line%% *}"
done <<'END'
yes schedules: alltoall/ring\nranks: 4
yes schedules: [alltoall/ring, bcast/*]\nranks: [4, 8..16]\nroots: 0..2
yes version: 1\nschedules: alltoall/ring\nnetworks: star:4
yes schedules: alltoall/ring\nnetworks: [star:4, {network: star:8, name: x, order: switch, ranks-per-machine: 2}]
yes schedules: alltoall/ring\nnetworks: star:4\nlimits: {max-link-load: 0, max-bound-ratio: 1.5}
yes as: {target: ompi-4.1, collectives: alltoall, bytes: [8, 1KiB]}\nnetworks: star:4
yes networks: star:4\njobs: {schedule: alltoall/ring, ranks: 2}
yes schedules: alltoall/ring\nnetworks: star:4\nwaivers: {allow: [L001, H001], because: so, until: 2999-12-31}
yes schedules: alltoall/ring\nnetworks: star:4\noverrides: {networks: star:4, limits: {max-steps: 3}}
yes networks: {network: star:4, between-rails: fabric, rank-adapters: slot}\nschedules: alltoall/ring
no version: 2\nschedules: alltoall/ring\nranks: 4
no schedule: alltoall/ring\nranks: 4
no schedules: []\nranks: 4
no schedules: {a: b}\nranks: 4
no schedules: alltoall/ring\nranks: 0
no schedules: alltoall/ring\nranks: four
no schedules: alltoall/ring\nranks: 99999999999
no schedules: alltoall/ring\nranks-per-machine: 0\nnetworks: star:4
no schedules: alltoall/ring\nnetworks: {name: x}
no schedules: alltoall/ring\nnetworks: {network: star:4, order: random}
no schedules: alltoall/ring\nnetworks: {network: star:4, between-rails: air}
no schedules: alltoall/ring\nnetworks: star:4\nlimits: {max-link-load: -1}
no schedules: alltoall/ring\nnetworks: star:4\nlimits: {max-bound-ratio: 0.5}
no schedules: alltoall/ring\nnetworks: star:4\nlimits: [max-steps]
no schedules: alltoall/ring\nnetworks: star:4\noverrides: {networks: star:4}
no schedules: alltoall/ring\nnetworks: star:4\nwaivers: {because: so}
no schedules: alltoall/ring\nnetworks: star:4\nwaivers: {allow: L001}
no schedules: alltoall/ring\nnetworks: star:4\nwaivers: {allow: l1, because: so}
no networks: star:4\njobs: {ranks: 2}
no networks: star:4\nas: {target: ompi-9, collectives: alltoall, bytes: 8}
no networks: star:4\nas: {target: ompi-4.1, bytes: 8}
no networks: star:4\nas: {target: ompi-4.1, collectives: alltoall, bytes: eight}
END
expect 'files that both judged' $n 32
printf 'topology: star:4\noverhead: 1us\nmemory-bandwidth: 10GB/s\nbetween-rails: host\n' >one.yaml
valid config one.yaml
for wrong in 'topologi: star:4' 'overhead: 1' 'gap: soon' 'between-rails: air' 'memory-bandwidth: 10GB'; do
    echo "$wrong" >one.yaml
    if valid config one.yaml; then echo "valid: $wrong"; exit 1; fi
done
