collc lint near-msccl.txt --target msccl
collc pick near-msccl.txt --target msccl allreduce --ranks 2 --bytes 1..1MiB
collc pick near-msccl.txt --target msccl allgather --ranks 2 --bytes 1..1MiB
collc pick near-msccl.txt --target msccl allreduce --ranks 4 --bytes 1..1MiB
