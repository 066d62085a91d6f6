collc lint fires-msccl.txt fires-msccl-2.txt fires-msccl-3.txt fires-msccl-4.txt fires-msccl-5.txt --target msccl
