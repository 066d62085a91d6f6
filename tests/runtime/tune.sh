# collc tune: a default that is slow on purpose is found and left, and the rule acts; a run goes on where it
# was stopped; and each way to fail is named, with nothing left running and nothing written.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.openmpi mpirun.openmpi >/dev/null || { echo "skip: no Open MPI"; exit 0; }
mpirun.openmpi --version | grep -q ' 4\.1\.' || { echo "skip: not Open MPI 4.1"; exit 0; }
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export TMPDIR=$PWD

# A pipeline in segments of 64 bytes is no way to send 64 KiB.
export OMPI_MCA_coll_tuned_bcast_algorithm=3 OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=64
tune() { collc tune bcast --target ompi-4.1 --ranks 2,3 --sizes 64KiB --segments 16KiB --time ${seconds}s "$@"; }
# If other work runs beside it, a second may be too short for both to be seen.
for seconds in 1 4 16; do
    rm -f slow.rules slow.rules.times
    tune -o slow.rules >report 2>said || { cat report said; exit 1; }
    ! grep -q '^rules for 2 of 2 points' report || break
done
grep -q '^collc: tune: proved: each rule acts$' said
[ "$(grep -c ' launch[es]* to come' said)" -eq 17 ]
[ "$(grep -c '^launch [0-9]* again$' slow.rules.times)" -eq 7 ]
[ "$(grep -c ', again 0\.[0-9]*, p 0\.[0-9]*; launches of the default differ [0-9.]* times$' report)" -eq 2 ]
grep -q '^collc: tune: this machine: [0-9]* core' said
grep -q '^# this machine: [0-9]* core' slow.rules
grep -q '^rules for 2 of 2 points, which take down to' report || { cat report; exit 1; }
grep -q ' ratio 0\.[0-4]' report
collc lint slow.rules --target ompi-4.1 --quiet
collc pick slow.rules --target ompi-4.1 bcast --ranks 3 --bytes 64KiB --format json >picked
jq -e '.ranges[0].line and .ranges[0].segment_bytes != 64' picked >/dev/null

# All times are there: nothing is launched but the proof, and the rules are the same.
grep -v '^#' slow.rules >first
tune --from slow.rules.times -o again.rules -q
grep -v '^#' again.rules | cmp - first
[ ! -e again.rules.times ]
# So it is without any MPI, and a chart is drawn.
(PATH=${build:-$root/build}:/nowhere; collc tune bcast --target ompi-4.1 --ranks 2,3 --from slow.rules.times --decide -o decided.rules -q
    collc tune bcast --target ompi-4.1 --ranks 3 --from slow.rules.times --decide -o decided3.rules --chart decided.svg -q)
grep -v '^#' decided.rules | cmp - first
grep -q 'tuned' decided.svg && grep -q 'pipeline' decided.svg
# A launch that was stopped half-way is made again.
sed '/^launch 17 /,$d' slow.rules.times >half.times
tune --from half.times -o half.rules >report 2>said
[ "$(grep -c ' launch[es]* to come' said)" -eq 1 ] && [ "$(grep -c '^launch ' half.times)" -eq 17 ]
grep -q '^launch 17 again$' half.times
# A choice that stood in one series and not in the other is no rule; nor is one that was slower there.
sed '/ again$/,$ { /^time .* default /s/ [0-9]* [0-9]*$/ 9 9/ }' slow.rules.times >once.times
collc tune bcast --target ompi-4.1 --ranks 2,3 --from once.times --decide -o once.rules >report
[ "$(grep -c ': does not come again; ' report)" -eq 2 ]
grep -q '^nothing is significantly faster' report
# Times of one series are told from those of two.
sed '/ again$/,$d' slow.rules.times >one.times
collc tune bcast --target ompi-4.1 --ranks 2,3 --from one.times --decide -o one.rules >report
[ "$(grep -c ', not measured again; ' report)" -eq 2 ]
# A file without times, as a run leaves that failed at once, is no reason to stop.
printf '# times measured by collc tune\nlaunch 1 sample\n' >empty.rules.times
refused 'no times of these' collc tune bcast --target ompi-4.1 --ranks 2 --from empty.rules.times --decide -o none.rules
tune -o empty.rules -q || [ $? -eq 1 ]
grep -q '^launch [0-9]* confirm$' empty.rules.times

# The rules are measured again beside the default: they hold. The slow default as a rule does not.
for seconds in 1 4 16; do
    status=0
    collc tune bcast --target ompi-4.1 --ranks 2,3 --sizes 64KiB --time ${seconds}s --check slow.rules >report 2>said || status=$?
    [ $status -ne 0 ] || break
done
expect 'check' "$status $(grep -c ' holds .* instead of .*, ratio 0\.' report)" '0 2'
grep -q '^2 of 2 rules hold at these sizes$' report
printf '1\n7\n1\n3\n1\n0 3 0 64\n' >slowing.rules
status=0
(unset OMPI_MCA_coll_tuned_bcast_algorithm OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize
collc tune bcast --target ompi-4.1 --ranks 3 --sizes 64KiB --time 1s --check slowing.rules >report 2>said) || status=$?
expect 'check of a slow rule' "$status $(grep -c ' does not hold ' report)" '1 1'
refused 'has no rule that acts on these' collc tune bcast --target ompi-4.1 --ranks 9 --sizes 8 --time 1s --check slowing.rules
refused '--check has no effect' collc tune bcast --target ompi-4.1 --ranks 3 --check slowing.rules -o none.rules

refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" collc tune "$@"
    [ ! -e none.rules ]
}
one='bcast --target ompi-4.1 --ranks 2 --sizes 8 --time 1s'
refuse 'an earlier run' bcast --target ompi-4.1 --ranks 2 -o slow.rules
refuse 'say where the rules go' $one
refuse 'say on how many ranks' bcast --target ompi-4.1 -o none.rules
refuse 'have no rules for' gatherv --target ompi-4.1 --ranks 2 -o none.rules
refuse 'no times of these' bcast --target ompi-4.1 --ranks 9 --from slow.rules.times --decide -o none.rules
refuse 'no effect without --from' bcast --target ompi-4.1 --ranks 9 --decide -o none.rules
refuse 'one number of ranks' bcast --target ompi-4.1 --ranks 2,3 --chart none.svg -o none.rules
refuse 'is named twice' bcast bcast --target ompi-4.1 --ranks 2 -o none.rules
refuse 'is not of Open MPI' $one --mpirun echo -o none.rules
printf 'launch 1 sample\ntime bcast 2 8 quickest 0 0 1 1 1\n' >odd.times
refuse 'odd.times:2:16: error: bcast of' $one --from odd.times -o none.rules

# Launchers that fail, say nothing, or are stopped by us.
launcher() { # COMMANDS
    printf '#!/bin/sh\ncase $* in\n*--version*) echo "mpirun (Open MPI) 4.1.4" ;;\n*) %s ;;\nesac\n' "$1" >launcher
    chmod +x launcher
}
launcher 'echo broken >&2; exit 3'
refuse "'./launcher' ended with status 3; it said:" $one --mpirun ./launcher -o none.rules
grep -q '^  broken$' message
rm -f none.rules.times
launcher 'true'
refuse 'there are no times of 1 of 1 points' $one --mpirun ./launcher -o none.rules
rm -f none.rules.times
stayer
launcher "touch started; '$PWD/stayer' 7778"
collc tune $one --mpirun ./launcher -o none.rules >out 2>message &
collc_process=$!
while [ ! -e started ]; do sleep 0.1; done
kill -TERM $collc_process
status=0
wait $collc_process || status=$?
[ $status -eq 2 ] && grep -q 'interrupted' message && [ ! -e none.rules ]
none_stays
[ -z "$(ls -d collc.* 2>/dev/null)" ]
