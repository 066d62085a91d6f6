# Fat pipes carry no load, and hosts forward where routes lead through them only.
collc route "$root/tests/simgrid/platforms/flat-backbone.xml" --metrics | sed -n '2,8p'
collc route "$root/tests/simgrid/platforms/torus-5x3-limiter.xml" --metrics | sed -n '2,7p'
collc route "$root/tests/simgrid/platforms/zones.xml" --metrics | sed -n '2,7p'
collc route torus:4x4 --metrics | sed -n '2,7p'
