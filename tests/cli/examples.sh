# The examples in the help of each command run as they stand there, and end with status 0 or 1. Those of
# commands that need an MPI are run by tests/runtime/examples.sh.
set -e
ln -s "$root/examples" "$root/compiler" .
n=0
for command in $(collc help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
    case $command in tune | prove | record | lsp) continue ;; esac
    collc "$command" -h | sed -n 's/^  \(collc .*\)/\1/p' >examples.of
    [ -s examples.of ] || { echo "'collc $command -h' shows no example"; exit 1; }
    # As many as are in the whole help, and in the manual page.
    collc "$command" --help | grep -c '^  collc ' | grep -qx "$(wc -l <examples.of)"
    while IFS= read -r line; do
        status=0
        # shellcheck disable=SC2086 # words of the example
        $line >out 2>err </dev/null || status=$?
        [ "$status" -le 1 ] && [ -s out -o -n "${line##* -o *}" -o "$status" -eq 0 ] || {
            echo "$line: status $status"; head -5 err; exit 1; }
        case $line in *' -o '*) file=${line##* -o }; [ -s "${file%% *}" ] || [ -d "${file%% *}" ] || {
            echo "$line: wrote no ${file%% *}"; exit 1; } ;; esac
        n=$((n + 1))
    done <examples.of
done
[ "$n" -ge 40 ]
