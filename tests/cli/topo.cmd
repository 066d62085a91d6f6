# A topology in the three forms.
collc topo star:24,bw=2GB/s,lat=1us
collc topo torus:8x8 --format json
collc topo star:2 --to xml
