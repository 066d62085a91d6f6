# The installed library: header, pkg-config, symbols, soname; the example of Trinaryx3 is built
# against it and runs under each MPI that is installed.
set -e
. "$root/tests/helpers.sh"
MAKEFLAGS= MAKELEVEL= make -s -C "$root" O="$build" install DESTDIR="$PWD/stage" PREFIX=/usr >/dev/null
export PKG_CONFIG_PATH=$PWD/stage/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/stage
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export LD_LIBRARY_PATH=$PWD/stage/usr/lib
pkg-config --exists collc

# nothing but nwtopo_* is to be seen
library=stage/usr/lib/libcollc.so.0
objdump -p "$library" | grep -q 'SONAME *libcollc.so.0$'
for file in "$library" stage/usr/lib/libcollc.a; do
    case $file in *.a) dynamic= ;; *) dynamic=-D ;; esac
    nm $dynamic -g --defined-only "$file" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' >symbols
    [ "$(grep -c '^nwtopo_' symbols)" -eq "$(grep -c '^NWTOPO_EXPORT' stage/usr/include/nwtopo.h)" ]
    absent -v '^nwtopo_' symbols
done

# the header in C and in C++, and a program linked with each library
cat >user.c <<'END'
#include <nwtopo.h>
#include <stdio.h>
/* names that the library uses inside */
void fatal(void) { }
int report = 0;
int main(void)
{
    nwtopo_topology_t topology;
    if (nwtopo_topology_init(&topology) || nwtopo_topology_load(topology))
        return 1;
    nwtopo_obj_t me = nwtopo_topology_get_this_machine(topology);
    printf("%u machines, this is %lu\n", nwtopo_topology_get_num_machines(topology), me->id);
    nwtopo_topology_destroy(topology);
    return report;
}
END
flags="-Wall -Wextra -Wpedantic -Werror"
${CC:-gcc} -std=c11 $flags user.c -o shared $(pkg-config --cflags --libs collc)
${CC:-gcc} -std=c11 $flags user.c -o static $(pkg-config --cflags collc) stage/usr/lib/libcollc.a \
    $(pkg-config --static --libs-only-l --libs-only-other collc | sed 's/-lcollc//')
for program in ./shared ./static; do
    [ "$(NWTOPO_SYNTHETIC=torus:3x3 NWTOPO_HOSTNAME='(2,1)' $program)" = "9 machines, this is 5" ]
done
# the file of the site, and the hosts of a job of Slurm
if unshare -rm true 2>/dev/null; then
    cat >site.sh <<'END'
mount -t tmpfs none /etc && cp "$1" /etc/nwtopo.xml
SLURM_JOB_NODELIST='n[0-1,9]' NWTOPO_HOSTNAME=n1 ./shared
END
    [ "$(unshare -rm sh site.sh "$root/tests/data/nwtopo/dragonfly.xml")" = "3 machines, this is 1" ]
fi
echo '#include <nwtopo.h>' >header.cpp
if command -v g++ >/dev/null; then
    g++ $flags -fsyntax-only $(pkg-config --cflags collc) header.cpp
fi

# libhwloc is tried by an executable beside the library, never by a fork of a program with threads
${CC:-gcc} -std=c11 -Wall -Wextra -Werror -pthread "$root/tests/runtime/hwloc_threads.c" -o threads \
    $(pkg-config --cflags --libs collc) $(PKG_CONFIG_SYSROOT_DIR= pkg-config --cflags --libs hwloc)
unset COLLC_LIBEXEC
threads="./threads $root/tests/golden/topology/hwloc/two-packages.xml $root/tests/golden/topology/hwloc/not-understood.xml"
HWLOC_COMPONENTS=-gl $threads
if command -v strace >/dev/null; then
    strace -f -e trace=execve -o calls $threads
    grep -q 'execve(.*/usr/lib/../libexec/collc/collc-hwloc' calls
fi

# Trinaryx3
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_osc=pt2pt
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export TRINARYX3_RANK_IS_MACHINE=1
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl
big=$(usually torus:2x2x2:8 torus:2x2x2:8 torus:3x3x3:27) # what no MPI changes is run under the first one
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null || continue
    "mpicc.$mpi" -std=c11 -O1 $flags "$root/examples/kawashima2013/trinaryx3.c" -o trinaryx3 \
        $(pkg-config --cflags --libs collc)
    spare=
    [ $mpi = openmpi ] || spare="-genv LD_PRELOAD $PWD/idle.so -genv UCX_TLS self,sm"
    for shape in torus:2x3x2:12 tofu:1x1x1:12 $big; do
        export NWTOPO_SYNTHETIC=${shape%:*}
        ranks=${shape##*:}
        "mpirun.$mpi" $spare -n "$ranks" ./trinaryx3 </dev/null >out 2>err || { cat err; exit 1; }
        [ "$(cat out)" = "$ranks ranks, 0 differences" ]
    done
    [ -n "$big" ] || continue
    big=
    if [ "$(form)" = long ]; then
        NWTOPO_SYNTHETIC=torus:2x3x2 "mpirun.$mpi" $spare -n 12 ./trinaryx3 throughput </dev/null >out
        [ "$(grep -cE '^[0-9]+ [0-9.]+ [0-9.]+ [0-9.]+$' out)" -eq 5 ]
    fi
    NWTOPO_SYNTHETIC=torus:2x3x2 "mpirun.$mpi" $spare -n 12 ./trinaryx3 neighbours </dev/null >out
    diff "$root/tests/data/nwtopo/neighbours.txt" out
    # every link but the three into the root carries one tree
    awk '{ sends = 0
           for (i = 3; i <= NF; i++) {
               if ($i == "tree") { sends = 0; tree = $(++i) }
               else if ($i == "from") i++
               else if ($i == "to") sends = 1
               else if (sends && $i != "nobody") { n++; of[$1]++; heard[$i, tree]++ }
           } }
         END { if (n != 33) exit 1
               for (rank in of) if (of[rank] > 3) exit 1
               for (pair in heard) if (heard[pair] != 1) exit 1 }' out
done

# A built tree of netloc in $NETLOC: it and nwtopo name the same neighbours.
if [ -n "${NETLOC:-}" ]; then
    ${CC:-gcc} -D_GNU_SOURCE -I"$NETLOC/include" -I"$NETLOC/jansson" -I"$NETLOC/jansson/src" \
        "$root/examples/kawashima2013/netloc.c" "$NETLOC"/src/*.o "$NETLOC"/jansson/src/*.o \
        $(pkg-config --cflags --libs collc) -o beside
    mkdir data
    for shape in torus:2x3x2 mesh:3x4 torus:4x6x16; do
        ./beside $shape data | grep -q 'neighbours differ on 0 hosts$'
    done
fi
