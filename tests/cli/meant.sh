# Values and options that are meant otherwise are met with how to write them.
set -e
. "$root/tests/helpers.sh"

helped() { # WORDS COMMAND...: it is refused, and these words help
    words=$1
    shift
    refused "collc: help: $words" "$@"
}
draw='collc draw alltoall/ring -t star:4'
helped "'--load total|step' is an option of its own: colour links by the load of the whole schedule" $draw --what load
helped "one number is taken here; several, as 2..8, by 'ranks:' in the project file of 'check', and by 'best'" \
    collc verify alltoall/ring --ranks 2-8
helped 'one number is taken here; several, as 2..8,16,' collc verify alltoall/ring --ranks 2..8,16
helped "try 'collc verify --help'" collc verify alltoall/ring --ranks 8x
helped 'a range is written 2..8, the smaller number first' collc best alltoall -t star:8 --ranks 2:8 --to ompi-4.1
sizes='collc best alltoall -t star:8 --sizes'
helped "did you mean '1MB', of 1000, or '1MiB', of 1024?" $sizes 1M
helped "did you mean '1.5kB', of 1000, or '1.5KiB', of 1024?" $sizes 8..1.5k
helped "did you mean '2GB', of 1000, or '2GiB', of 1024?" $sizes 8,2G,4
helped 'units are kB' $sizes 1Q
helped "did you mean '4kB', of 1000, or '4KiB', of 1024?" collc verify alltoall/ring -t star:8 --bytes 4K
helped "did you mean '1MB', of 1000, or '1MiB', of 1024?" collc pick --target ompi-4.1 bcast --ranks 8 --bytes 1..1M
helped "'collc help' lists the commands, 'collc help COMMAND' all options of one" collc help --all
refused "'help' has no option '--verbose'" collc help --verbose
absent 'it is an option of' message
