# The pictures of README are drawn by these commands: the same words in the same places.
picture() { # NAME ARGUMENT...
    name=$1
    shift
    collc draw "$@" -o "$name.svg" || exit 1
    for folder in . "$root/docs/pictures"; do
        sed -n 's/.*<text [^>]* x="\([^"]*\)" y="\([^"]*\)"[^>]*>\(.*\)<.text>/\1 \2 \3/p' "$folder/$name.svg"
    done >words
    n=$(($(wc -l <words) / 2))
    [ $n -gt 20 ] && [ "$(head -n $n words)" = "$(tail -n $n words)" ] ||
        { echo "docs/pictures/$name.svg is another picture"; exit 1; }
}
picture load alltoall/ring -t "$root/examples/clusters/plafrim1.txt"
for name in ring two_level_ring; do
    picture "step-$name" "alltoall/$name" -t star:24 --ranks-per-machine 8 --what step --step 12
done
