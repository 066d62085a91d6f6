# More conditions beside each other than are read.
{ printf '{"collective=bcast": {'; seq -f '"avg_msg_size<=%g": {},' 1100; printf '"x": {}}}'; } | collc lint - --target mpich-4.0
