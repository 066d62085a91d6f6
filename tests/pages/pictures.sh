# The pictures of README are drawn by these commands: the same words in the same places.
for name in ring two_level_ring; do
    collc draw "alltoall/$name" -t star:24 --ranks-per-machine 8 --what step --step 12 -o "step-$name.svg" || exit 1
    for folder in . "$root/docs/pictures"; do
        sed -n 's/.*<text [^>]* x="\([^"]*\)" y="\([^"]*\)"[^>]*>\(.*\)<.text>/\1 \2 \3/p' \
            "$folder/step-$name.svg"
    done >words
    n=$(($(wc -l <words) / 2))
    [ $n -gt 50 ] && [ "$(head -n $n words)" = "$(tail -n $n words)" ] ||
        { echo "docs/pictures/step-$name.svg is another picture"; exit 1; }
done
