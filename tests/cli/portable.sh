# The folder of scripts/portable runs where there is nothing else: no library of ours, not even the loader of programs.
set -e
. "$root/tests/helpers.sh"
is_short && exit 0
"$root/scripts/portable" "$build" alone
# It finds itself from other folders and by a link.
ln -s "$PWD/alone/bin/collc" linked
(cd / && "$OLDPWD/linked" --version) >version
collc --version | cmp - version
# As the only thing that there is, but for a shell and what that loads.
mkdir -p none/bin none/tmp none/dev
: >none/dev/null
cp /bin/dash none/bin/sh
for library in $(ldd /bin/dash | grep -o '/[^ ]*'); do
    mkdir -p "none${library%/*}"
    cp -L "$library" "none$library"
done
if ! chroot none /bin/sh -c : 2>/dev/null; then
    alone() { unshare -r chroot none "$@"; }
    alone /bin/sh -c : 2>/dev/null || { echo "skipped: no chroot"; exit 0; }
else
    alone() { chroot none "$@"; }
fi
mv alone none/collc
cp "$root"/examples/clusters/* none/tmp
in_none() { alone /bin/sh -c "export PATH=/collc/bin; cd /tmp; $1"; }
# XML by libxml2, hwloc's by its helper, a linear program by its own.
for command in 'topo plafrim2.xml' 'verify alltoall/ring -t plafrim1.txt --ranks 16 --format json' \
    'bound alltoall --format json -t loginoff-qdr-fdr10-2014.txt'; do
    (cd "$root/examples/clusters" && collc $command) | sed '/"seconds"/d' >here
    in_none "collc $command" | sed '/"seconds"/d' >there
    cmp here there
done
present '"bound_load_exact": "2880/7"' there
