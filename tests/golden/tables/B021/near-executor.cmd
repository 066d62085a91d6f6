collc lint near-executor.txt --target msccl-executor
collc pick near-executor.txt --target msccl-executor allreduce --ranks 2 --bytes 1..1MiB --in-place
collc pick near-executor.txt --target msccl-executor allreduce --ranks 2 --bytes 1..1MiB
