# tables.md names an MPI's own decision that is too large to be predicted: Open MPI's for 8 bytes is Bruck's
# all-to-all, whose copies on 8,201 ranks are more than a step may have, unless machines are alike. Pairwise, which
# can be predicted, is slower in truth, and no rule asks for it.
set -e
collc best alltoall --to ompi-4.1 -t star:4101 --ranks-per-machine 2 --ranks 8201 --sizes 8 -o site.rules >report 2>said
grep -qx 'alltoall, 8201 ranks, all sizes: default' report
grep -q 'not predicted and stands at all sizes: alltoall on 8201 ranks' said
grep -q 'more than 67108864 operations.*E010' said
collc pick site.rules --target ompi-4.1 alltoall --ranks 8201 --bytes 8 | grep -q 'fixed decision'
