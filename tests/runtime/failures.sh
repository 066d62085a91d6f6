# Emitted programs that hang, crash or give wrong data are found and named by tests/mpi/run; those
# in the same launch are run all the same.
set -e
command -v mpirun.mpich >/dev/null || exit 0
# A compiler that spoils what it emits for three algorithms, on three ranks.
cat >spoil <<'EOF'
#!/bin/sh
"$REAL_COLLC" "$@" || exit
case "$1 $2" in
"emit allgather/direct") fault='if (run->p == 3) return;' ;;
"emit allgather/linear") fault='if (run->p == 3 \&\& run->rank == 1) abort();' ;;
"emit allgather/ring") fault='extern unsigned sleep(unsigned); while (run->p == 3 \&\& run->rank == 1) sleep(1);' ;;
*) exit 0 ;;
esac
for file; do :; done
sed -i "/^static void collc_steps(struct collc_run \*run)\$/{n;s|^{|{ $fault|;}" "$file"
EOF
chmod +x spoil
REAL_COLLC=$(command -v collc) COLLC_TEST_MPIS=mpich COLLC_TEST_RANKS='2 3' COLLC_TEST_TIMEOUT=10 \
    "$root/tests/mpi/run" ./spoil "$PWD/b" long 'allgather/[dlr]i*' >said && { cat said; exit 1; }
cat >expected <<'EOF'
not ok - allgather/direct (mpich, 3 ranks)
not ok - allgather/linear (mpich, 3 ranks)
not ok - allgather/ring (mpich, 3 ranks)
EOF
grep '^not ok' said | diff expected -
grep -A1 '^not ok - allgather/direct' said | grep -q '^# exit status 1$'
grep -A1 '^not ok - allgather/linear' said | grep -q '^# exit status'
grep -A1 '^not ok - allgather/ring' said | grep -q '^# hangs$'
for name in direct linear ring; do
    for what in '' ' with MPI_Issend' ', table for 6' ', mapped'; do
        grep -q "^ok - allgather/$name$what (mpich, [0-9] ranks)" said
    done
done
