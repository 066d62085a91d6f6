# collc prove: what ran is what was picked, of calls of our own and of a program; what acts besides the
# table shows; and each way to fail is named, with nothing left running.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.openmpi mpirun.openmpi >/dev/null || { echo "skip: no Open MPI"; exit 0; }
mpirun.openmpi --version | grep -q ' 4\.1\.' || { echo "skip: not Open MPI 4.1"; exit 0; }
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export TMPDIR=$PWD
sound=$root/tests/data/tables/sound.rules

collc prove "$sound" --target ompi-4.1 --ranks 2,6 --bytes 1..64KiB --format json >seen
jq -e '.different == 0 and .compared > 150' seen >/dev/null || { cat seen; exit 1; }
jq -e '[.seen[] | select(.collective == "bcast" and .ranks == 6)] | map([.first, .last, .algorithm, .segment_bytes]) ==
    [[1, 4095, "binary_tree", 0], [4096, 65535, "knomial", 1024], [65536, 65536, "scatter_allgather_ring", 0]]' \
    seen >/dev/null || { jq -c '.seen[] | select(.collective == "bcast")' seen; exit 1; }

# A program of somebody else's.
mpicc.openmpi -o program "$root/tests/runtime/broadcasts.c"
collc prove "$sound" --target ompi-4.1 --ranks 4 -- ./program --said >seen 2>said
[ "$(grep -c '^--said$' said)" -eq 4 ]
grep -q '^bcast  *4  400  *binomial  *binomial$' seen
grep -q '^bcast  *4  20000  *chain x8 4KiB  *chain x8 4KiB$' seen
grep -q '^2 kinds of calls compared, 0 differ$' seen

# A choice forced from outside acts if no row does: that is seen, and is no answer of pick.
printf '1 3 1 2 1 0 2 0 0\n' >alltoall.rules
status=0
OMPI_MCA_coll_tuned_bcast_algorithm=1 collc prove alltoall.rules --target ompi-4.1 --ranks 4 -- ./program >seen || status=$?
[ $status -eq 1 ] && grep -q 'basic_linear .*DIFFERS' seen

refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" collc prove "$sound" --target ompi-4.1 "$@"
}
refuse 'no collective of the program was seen' --ranks 2 -- true
refuse 'is not a list of numbers' --ranks 1x2
refuse "there is no command 'no.such'" --mpirun no.such
refuse "there is no command 'no.such'" --mpicc no.such
refuse 'is not of Open MPI' --mpirun echo
refuse 'one number of ranks' --ranks 2,4 -- true
refuse 'two ranks and more' --ranks 1
stayer
refuse 'took longer than 1 s' --ranks 2 --time 1s -- "$PWD/stayer" 7777
none_stays
[ -z "$(ls -d collc.* 2>/dev/null)" ]
