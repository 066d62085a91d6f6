# On a machine without the packages `make` names them and stops, and installs nothing.
set -e
[ -f "$root/Makefile" ]
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/pkg-config
printf '#!/bin/sh\necho installed >>"$0.called"\n' >bin/apt-get
# dpkg-query -W -f FORMAT PACKAGE: all are there but one.
printf '#!/bin/sh\n[ "$4" != libgraphviz-dev ] && echo "install ok installed"\n' >bin/dpkg-query
chmod +x bin/*
status=0
MAKEFLAGS= MAKELEVEL= PATH="$PWD/bin:$PATH" make -C "$root" O="$PWD/new" >said 2>&1 || status=$?
[ "$status" -eq 2 ]
grep -q 'needs packages that are not installed' said
grep -qx 'apt-get install -y --no-install-recommends libgraphviz-dev' said
if grep -q 'error:' said; then cat said; exit 1; fi
[ ! -e bin/apt-get.called ]
# All are there, but pkg-config finds the libraries no more.
printf '#!/bin/sh\necho "install ok installed"\n' >bin/dpkg-query
MAKEFLAGS= MAKELEVEL= PATH="$PWD/bin:$PATH" make -C "$root" O="$PWD/new" >said 2>&1 && exit 1
grep -q 'pkg-config finds not all of: libxml-2.0' said
if grep -q 'error:' said; then cat said; exit 1; fi
