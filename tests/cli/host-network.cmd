# A site that has nothing but the host file of its jobs: names in the order of a queue.
printf 'stage%s slots=4\n' 97 05 101 33 >jobs
collc topo jobs
collc verify alltoall/ring -t jobs --placement jobs -q; echo $?
# With names alone, and numbers of ranks behind ':'; without domain, as a placement has them.
printf 'stage97.site.example\nstage05.site.example\n' >bare
collc topo bare | head -n 3
printf '# two\nstage97:4\n\nstage05:2\n' >colons
collc verify bcast/binomial -t colons --placement colons | sed -n '1p; 3p'
collc topo jobs --to shape
# Addresses, if they say their ranks
printf '10.0.0.1 slots=4\n10.0.0.2 slots=4\n' >addresses
collc topo addresses | head -n 3
# Numbers alone, one word, prose and host lists are none, but a list that is said to be one has its line.
printf '1\n2\n' >numbers
collc topo numbers 2>&1 | head -n 1
echo stage97 >one
collc topo one 2>&1 | head -n 1
collc topo hosts:one | head -n 2
printf 'a rack\nof hosts\n' >prose
collc topo prose 2>&1 | head -n 1
printf 'stage97\nstage[01-04]\n' >lists
collc topo hosts:lists
