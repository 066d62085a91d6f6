# make install puts everything under DESTDIR and PREFIX.
set -e
. "$root/tests/helpers.sh"
is_short && exit 0 # reads no input
[ -f "$root/Makefile" ]
[ -f "$build/collc" ]
MAKEFLAGS= MAKELEVEL= make -s -C "$root" O="$build" install DESTDIR="$PWD/stage" PREFIX=/usr >/dev/null
[ -x stage/usr/bin/collc ]
stage/usr/bin/collc --version
# The helpers are found from where they are installed.
[ -x stage/usr/libexec/collc/collc-hwloc ]
COLLC_LIBEXEC= stage/usr/bin/collc bound alltoall --format json \
    -t "$root/examples/clusters/loginoff-qdr-fdr10-2014.txt" | grep -q '"bound_load_exact": "2880/7"'
for file in man/man1/collc.1 man/man1/collc-verify.1 bash-completion/completions/collc \
    zsh/site-functions/_collc fish/vendor_completions.d/collc.fish doc/collc/CHANGELOG.md; do
    [ -s stage/usr/share/$file ]
done
[ -s stage/usr/share/doc/collc/README.md ]
# The links of the installed pages lead to installed files.
(cd stage/usr/share/doc/collc
    for page in README.md docs/*.md docs/start/*.md docs/codes/*.md examples/*/README.md; do
        grep -oE '\]\([^)#:]+[)#]' "$page" | sed 's/^](//; s/[)#]$//' | while read -r target; do
            [ -e "$(dirname "$page")/$target" ] || { echo "$page: no '$target'"; exit 1; }
        done
    done)
# A distribution has folders of its own; from its lib/ARCHITECTURE the library finds the helpers, too.
MAKEFLAGS= MAKELEVEL= make -s -C "$root" O="$build" install DESTDIR="$PWD/multi" PREFIX=/usr libdir=/usr/lib/some-arch \
    mandir=/usr/man >/dev/null
[ -s multi/usr/man/man1/collc.1 ]
grep -qx 'libdir=/usr/lib/some-arch' multi/usr/lib/some-arch/pkgconfig/collc.pc
# The module file names the folders as they are; nothing is left open in it.
version=$(collc --version) version=${version#collc }
module=multi/usr/share/modulefiles/collc/$version
present '^prepend-path PATH  *"/usr/bin"$' "$module"
present '^prepend-path LD_LIBRARY_PATH "/usr/lib/some-arch"$' "$module"
absent @ "$module"
# A file of somebody else stays, and nothing of ours does.
touch multi/usr/bin/other
MAKEFLAGS= MAKELEVEL= make -s -C "$root" O="$build" uninstall DESTDIR="$PWD/multi" PREFIX=/usr \
    libdir=/usr/lib/some-arch mandir=/usr/man >/dev/null
expect 'left' "$(cd multi && find . ! -type d)" ./usr/bin/other
[ -z "$(find multi -name '*collc*')" ]
# The answer of pkg-config must not depend on the folder in which it is asked.
for name in PREFIX prefix; do
    MAKEFLAGS= MAKELEVEL= make -n -C "$root" O="$build" install $name=here | grep -q "s|@LIBDIR@|/.*/here/lib|"
done
