collc lint fires-msccl.txt --target msccl
