collc lint fires-executor.txt --target msccl-executor
