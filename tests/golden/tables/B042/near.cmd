collc lint --target ompi-4.1 near-node1.txt near-node2.txt
