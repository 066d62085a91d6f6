# The examples in the help of commands that need an MPI.
set -e
. "$root/tests/helpers.sh"
command -v mpirun.openmpi >/dev/null || exit 0
ln -s "$root/examples" .
for command in tune prove record; do
    collc "$command" -h | sed -n 's/^  \(collc .*\)/\1/p' >examples.of
    [ -s examples.of ]
    while IFS= read -r line; do
        # shellcheck disable=SC2086 # words of the example
        on_one_core $line --mpirun mpirun.openmpi >out 2>err </dev/null || [ $? -eq 1 ] || { echo "$line"; cat err; exit 1; }
        case $line in *' -o '*) file=${line##* -o }; [ -s "${file%% *}" ] ;; esac
    done <examples.of
done
