# The trace for SimGrid's replay: messages by step, a wait for each rank that has some. Copies, and
# messages without data by the counts, are not in it; a message without chunks is.
collc emit bcast/binomial --ranks 3 --bytes 1MB --root 1 --to ti-trace
collc emit alltoall/ring --ranks 2 --bytes 8 --to ti-trace
collc emit gatherv/linear --ranks 3 --bytes 100 --counts 'bytes*(i mod 2)' --to ti-trace
collc emit barrier/dissemination --ranks 2 --to ti-trace
collc emit alltoall/ring --ranks 2 --to ti-trace
collc emit alltoall/ring --ranks 2 --bytes 8 --main --to ti-trace
