# The MPI that is installed, told by the words of its launcher: releases that can be run, and others.
set -e
. "$root/tests/helpers.sh"
says() { # VERSION: ./mpirun says that it is of it
    printf '#!/bin/sh\n[ "$1" = --version ] || exit 9\necho "%s"\n' "$1" >mpirun
    chmod +x mpirun
}
record() { collc record alltoall --ranks 2 --mpirun ./mpirun --mpicc ./none "$@"; }

says 'mpirun (Open MPI) 5.0.7'
refused "./mpirun' is of Open MPI 5.0.7, not of 'ompi-4.1'" record --target ompi-4.1
refused "say '--target ompi-5.0'" record --target ompi-4.1
refused "./mpirun' is not of MPICH" record --target mpich-4.0
# Without a target, and with the right one: the next thing that is missing is the compiler.
refused ./none record
refused ./none record --target ompi-5.0
says 'mpirun (Open MPI) 4.1.4'
refused ./none record
refused "say '--target ompi-4.1'" record --target ompi-5.0
printf '#!/bin/sh\nprintf "HYDRA build details:\\n    Version:    4.0.2\\n"\n' >mpirun
refused ./none record
# No release that can be run: 5.1 is not 5.0, and 4.10 not 4.1.
for version in 3.1.6 5.1.0 4.10.1 6.0.0; do
    says "mpirun (Open MPI) $version"
    refused "is of Open MPI $version, which cannot be run here" record
    refused 'ompi-4.1, ompi-5.0 can be run' record --target ompi-5.0
done
says 'mpirun of nobody'
refused 'is of no MPI that is known here' record
refused 'is not of Open MPI' record --target ompi-5.0
