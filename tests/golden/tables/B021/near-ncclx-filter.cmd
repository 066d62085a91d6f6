d=$(mktemp -d) && cp near-ncclx-filter.txt $d/t.json
(cd $d && collc lint t.json --target ncclx); s=$?; rm -r $d; exit $s
