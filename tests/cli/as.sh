# --as: the algorithm that an MPI takes becomes the schedule of every command that takes one; what it takes, what that is
# here and why is said first; what cannot be taken is named.
set -e
. "$root/tests/helpers.sh"

# said PATTERN COMMAND...: the command succeeds, and its first line on standard error holds the pattern.
said() {
    pattern=$1
    shift
    "$@" >out 2>said || { echo "$*: status $?"; cat said; exit 1; }
    head -n 1 said | grep -q -- "$pattern" || { echo "$*: not '$pattern'"; cat said; exit 1; }
}

# The schedule is that of the algorithm named with its parameters, whatever the command.
cat >chain.rules <<X
1
7 # bcast
1
2
2
0 6 0 0
8192 2 8 4096
X
line='chain (algorithm 2), segment 4KiB, fan-out 8; here it is bcast/chain, segments=4, fanout=8 (line 7: row for bytes from 8192 on)'
as="--as ompi-4.1 --rules chain.rules -t star:16"
by="-t star:16 --param segments=4 --param fanout=8"
for command in verify compile 'draw --to dot --load total' simulate predict; do
    # shellcheck disable=SC2086 # several options each
    said "$line" collc $command bcast $as --bytes 16KiB
    mv out taken
    # shellcheck disable=SC2086
    collc $command bcast/chain $by --bytes 16KiB >out
    cmp out taken || { diff out taken | head; echo "$command: another schedule"; exit 1; }
done
# shellcheck disable=SC2086
said "$line" collc map bcast $as --bytes 16KiB -o map
# shellcheck disable=SC2086
said "$line" collc emit bcast $as --bytes 16KiB --root 3
grep -q 'MPI_Bcast by the algorithm chain' out
# shellcheck disable=SC2086
said "$line" collc verify bcast $as --bytes 16KiB --format json
holds '.algorithm == "chain" and .complete and .as.target == "ompi-4.1" and .as.table == "chain.rules" and
    .as.number == 2 and .as.segment_bytes == 4096 and .as.fan_out == 8 and .as.line == 7 and
    .as.stands_for_it == "bcast/chain" and .as.problem == null and
    .as.parameters == [{"name": "segments", "value": 4}, {"name": "fanout", "value": 8}]' out
# shellcheck disable=SC2086
collc verify bcast $as --bytes 16KiB --quiet >out 2>said
[ ! -s said ]

# Decisions compiled in go by size, ranks, hosts, elements and operation.
said 'bcast of 16 ranks on 16 hosts and 8KiB: binomial (algorithm 6); here it is bcast/binomial' \
    collc verify bcast --as ompi-4.1 -t star:16 --bytes 8KiB
said 'on 4 hosts and 64 bytes: binomial; here it is bcast/knomial, radix=2 (comm_type=intra, comm_size=pow2' \
    collc verify bcast --as mpich-4.0 -t star:4 --ranks-per-machine 4 --bytes 64
said 'ring (algorithm 4), in whose place recursive_doubling runs; here it is allreduce/recursive_doubling' \
    collc verify allreduce --as ompi-4.1 --ranks 6 --bytes 4
said 'allreduce of 6 ranks on 6 hosts and 8 bytes: ring (algorithm 4); here it is' \
    collc verify allreduce --as ompi-4.1 --ranks 6 --bytes 8 --type-bytes 1
said 'recursive_doubling (algorithm 3)' collc verify allreduce --as ompi-4.1 --ranks 6 --bytes 8 --non-commutative
said 'barrier of 6 ranks on 6 hosts: dissemination; here it is barrier/dissemination' \
    collc verify barrier --as mpich-4.0 --ranks 6
said 'default (algorithm 1); here it is allgatherv/linear' \
    collc verify allgatherv --as ompi-4.1 -t star:8 --counts 'bytes*i' --bytes 8
said 'allgatherv of 8 ranks on 8 hosts and 3500 bytes' collc verify allgatherv --as ompi-4.1 -t star:8 --counts '1000*i'
# MPICH's pairwise exchanges with the rank whose number differs in one bit, where there are such; else it is a ring.
said 'pairwise; here it is alltoall/pairwise' collc verify alltoall --as mpich-4.0 -t star:8 --bytes 64KiB
said 'pairwise; here it is alltoall/spread' collc verify alltoall --as mpich-4.0 -t star:7 --bytes 64KiB
# A limit of requests is a window; a fan-out a radix; without one there are 2.
printf 'rule-file-version-2\n1\n3\n1\n2\n1\n0 4 0 0 5\n' >requests.rules
said 'linear_sync (algorithm 4), requests 5; here it is alltoall/spread, window=5' \
    collc verify alltoall --as ompi-5.0 --rules requests.rules -t star:8 --bytes 64
printf '1\n0\n1\n2\n1\n0 2 4 0\n' >radix.rules
said 'bruck-k-fanout (algorithm 2), fan-out 4; here it is allgather/bruck, radix=4' \
    collc verify allgather --as ompi-6 --rules radix.rules --ranks 16 --bytes 64
# Settings in a script force.
said 'pairwise (algorithm 2); here it is alltoall/spread (line 5: forced by OMPI_MCA_coll_tuned_alltoall_algorithm)' \
    collc verify alltoall --as ompi-4.1 --rules "$root/tests/data/tables/settings/job.sh" -t star:8 --bytes 64KiB
# 5.0 decides as 4.1 where each rank has a host of its own, or all have the same.
for bytes in 8 1KiB 64KiB; do
    for where in '-t star:8' '--ranks 8 --ranks-per-machine 8'; do
        for target in ompi-4.1 ompi-5.0 ompi-6; do
            # shellcheck disable=SC2086 # several options
            collc verify allreduce --as $target $where --bytes $bytes --format json 2>/dev/null |
                jq '.as | del(.target)' >$target
        done
        cmp ompi-4.1 ompi-5.0
        cmp ompi-4.1 ompi-6
    done
done

refused "'han' has no counterpart here" collc predict allreduce --as ompi-5.0 -t star:4 --ranks-per-machine 2 --bytes 64
refused "what 'nccl' takes without a rule table is not known here" collc verify alltoall --as nccl -t star:4 --bytes 4
refused 'give a file: --as nccl --rules FILE' collc verify alltoall --as nccl -t star:4 --bytes 4
refused "what an MPI takes depends on the size: give --bytes, above 0" collc compile alltoall --as ompi-6 -t star:4
refused "did you mean 'alltoall'" collc verify alltoall/ring --as ompi-4.1 -t star:4 --bytes 8
refused "cannot open 'missing.rules'" collc verify alltoall --as ompi-4.1 --rules missing.rules -t star:4 --bytes 8
refused '--rules has no effect without --as' collc verify alltoall/ring --rules chain.rules -t star:4
refused 'with --best, --as has no effect' collc verify alltoall --as ompi-4.1 --best -t star:4 --bytes 8
refused 'with --param, --as has no effect' collc verify alltoall --as ompi-4.1 --param window=2 -t star:4 --bytes 8
printf '1\n3\n1\n2\n1\n0 5 0 0\n' >two.rules
refused "'two_proc' fails there: MPI_ERR_UNSUPPORTED_OPERATION: it is for 2 ranks" \
    collc verify alltoall --as ompi-4.1 --rules two.rules -t star:4 --bytes 8

# A library takes what its table names, with parameters; what that leaves to the MPI is asked of the MPI.
printf 'collc-table 1\nbcast bytes=4097.. use chain segments=4\nalltoallv use ring\nreduce use nothing\n' >site.rules
said 'library takes for bcast of 8 ranks on 8 hosts and 64KiB: chain segments=4; here it is bcast/chain, segments=4 (line 2' \
    collc verify bcast --as library --rules site.rules -t star:8 --bytes 64KiB
mv out taken
collc verify bcast/chain -t star:8 --param segments=4 --bytes 64KiB >out
cmp out taken
said 'here it is alltoallv/ring' collc verify alltoallv --as library --rules site.rules -t star:8 --bytes 64
refused 'default (no rule: the MPI decides): give the MPI itself by --as' \
    collc verify bcast --as library --rules site.rules -t star:8 --bytes 64
refused "no algorithm is called 'nothing': the library is off" \
    collc verify reduce --as library --rules site.rules -t star:8 --bytes 64
mkdir project
grep -v nothing site.rules >project/site.rules # which check finds, as lint does
cat >project/collc.yaml <<'X'
version: 1
networks: [star:8]
as:
  - target: library
    rules: site.rules
    collectives: [bcast]
    bytes: [64KiB]
X
collc check project --format json >record
holds ".verdicts.ok == 1 and .reports[0].report.algorithm == \"chain\" and .reports[0].report.messages == 28"

# A row whose messages have no route says so, and the finding stands below the table, once.
(cd "$root" && collc verify alltoall --as ompi-4.1 -t examples/clusters/ft2_4s8l64h.txt --routes \
    examples/clusters/ft2_4s8l64h-ftree.dump --fail leaf00:spine00) >gone || [ $? -eq 1 ]
[ "$(grep -c '(no route)' gone)" -eq 5 ]
[ "$(grep -c '^error: no route from host .* a link on the way has failed.*\[L002\]$' gone)" -eq 1 ]
absent WRONG gone

# NCCL's cost model needs two files, which the refusal names.
refused 'FILE is a script that sets NCCL_GRAPH_DUMP_FILE and NCCL_TOPO_DUMP_FILE' \
    collc verify allreduce --as nccl-2.24 -t star:8
refused 'NCCL_TOPO_DUMP_FILE' collc why "$root/tests/data/times/nccl-tests-8.txt" --as nccl-2.24 -t star:8
