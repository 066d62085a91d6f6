# libxml2 is loaded where XML is read: without it that is said, and all else works.
set -e
name=$(grep -ao 'libxml2\.so\.[0-9]*' "$build/collc" | head -n 1)
[ -n "$name" ]
collc topo "$root/examples/clusters/naruse2010.xml" >there
mkdir broken
echo 'no library' >"broken/$name"
LD_LIBRARY_PATH=$PWD/broken
export LD_LIBRARY_PATH
status=0
collc topo "$root/examples/clusters/naruse2010.xml" >out 2>said || status=$?
[ "$status" -eq 2 ] && [ ! -s out ]
grep -q "^collc: fatal: cannot read XML: .*$name" said
grep -qx 'collc: help: install libxml2' said
[ "$(wc -l <said)" -eq 2 ]
collc topo star:4 >out
collc verify alltoall/ring -t "$root/examples/clusters/dualrail8.txt" -q
unset LD_LIBRARY_PATH
collc topo "$root/examples/clusters/naruse2010.xml" | cmp - there
