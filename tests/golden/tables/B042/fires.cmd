collc lint --target ompi-4.1 fires-node1.txt fires-node2.txt fires-node3.txt
