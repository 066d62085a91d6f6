# Settings that force algorithms act as collc pick says. Each algorithm of Open MPI 4.1 and MPICH 4.0 is forced
# in turn, for many collectives at once, and collc prove compares what ran. For Open MPI each pair of sources of one
# parameter, in both orders, gives programs the value that pick names.
set -e
. "$root/tests/helpers.sh"
tested=

# Lines "collective number name" of the algorithms that are forced: $1 is the MPI.
algorithms() {
    case $1 in
    ompi) sed -nE 's/^ALGORITHM\(([a-z_]+), ([0-9]+), ([a-z_-]+), 41, .*/\1 \2 \3/p' "$root/tables/ompi/algorithms.def" |
        grep -v two_proc ;;
    mpich) sed -nE 's/^ALGORITHM\(([a-hj-z][a-z_]*), (intra|allcomm), ([a-z_]+), 40, .*/\1 \3/p' \
        "$root/tables/mpich/algorithms.def" | grep -v -e '^reduce_scatter noncommutative' -e '^neighbor' |
        awk '{ print $1, ++n[$1], $2 }' ;;
    esac
}

# Forces algorithm number $3 of every collective that has one, for target $2.
force() {
    algorithms "$1" | while read -r collective number name; do
        [ "$number" = "$3" ] || continue
        case $1 in
        ompi) echo "export OMPI_MCA_coll_tuned_${collective}_algorithm=$name" ;;
        mpich) echo "setenv MPIR_CVAR_$(echo "$collective" | tr a-z A-Z)_INTRA_ALGORITHM $name" ;;
        esac
    done >"forced-$1-$3"
    [ ! -s "forced-$1-$3" ] || {
        [ "$1" = mpich ] || echo 'export OMPI_MCA_coll_tuned_use_dynamic_rules=1' >>"forced-$1-$3"
        collc prove "forced-$1-$3" --target "$2" --ranks $(usually 4 4 2,3,4) --bytes $(usually 1..16KiB 1..16KiB 1..64KiB) >said || {
            grep DIFFERS said | sed "s/^/$2, $3: /"
            cat "forced-$1-$3"
            exit 1
        }
        # Nothing else is called, and all of it but some that prove has no call of with this number.
        algorithms "$1" | awk -v number="$3" '$2 == number { print $1 }' | sort -u >forced
        sed '1d; $d' said | awk '{ print $1 }' | sort -u | comm -3 - forced |
            grep -vx "$(printf '\t')\(alltoall[vw]\|gatherv\|scatterv\)" >others || :
        expect "collectives called beside, or not, by number $3 of $2" "$(cat others)" ''
        tail -n 1 said
    }
}

# Writes a script that sets the parameter by source $1 to $2: lines before the launch, and options of it.
set_by() {
    case $1 in
    export) echo "export OMPI_MCA_coll_tuned_alltoall_algorithm=$2" >>before ;;
    mca) printf ' --mca coll_tuned_alltoall_algorithm %s' "$2" >>options ;;
    gmca) printf ' --gmca coll_tuned_alltoall_algorithm %s' "$2" >>options ;;
    x) printf ' -x OMPI_MCA_coll_tuned_alltoall_algorithm=%s' "$2" >>options ;;
    esac
}

pair() {
    : >before
    : >options
    set_by "$1" 2
    set_by "$2" 3
    { cat before; echo "mpirun.openmpi -np 1$(cat options) env"; } >script
    got=$(sh ./script 2>/dev/null | sed -n 's/^OMPI_MCA_coll_tuned_alltoall_algorithm=//p')
    { cat before; echo "mpirun.openmpi -np 1 --mca coll_tuned_use_dynamic_rules 1$(cat options) env"; } >script
    picked=$(collc pick script --target ompi-4.1 alltoall --ranks 4 --bytes 8 --format json | jq -r '.ranges[0].algorithm')
    case $got in
    2) got=pairwise ;;
    3) got=modified_bruck ;;
    esac
    [ "$got" = "$picked" ] || { echo "$1 before $2: Open MPI has $got, picked $picked"; exit 1; }
}

if command -v mpicc.openmpi mpirun.openmpi >/dev/null && mpirun.openmpi --version | grep -q ' 4\.1\.'; then
    tested=yes
    for number in $(usually "1 3 4 6 8" "1 3" "1 2 3 4 5 6 7 8 9"); do force ompi ompi-4.1 $number; done
    for a in export mca gmca x; do
        for b in export mca gmca x; do [ $a = $b ] || [ "$(form)$a" = usualx ] || pair $a $b; done
    done
fi
if command -v mpicc.mpich mpirun.mpich >/dev/null && mpirun.mpich --version | grep -q 'Version: *4\.0'; then
    tested=yes
    for number in $(usually "2 3 5" "2" "1 2 3 4 5 6 7"); do force mpich mpich-4.0 $number; done
fi
[ -n "$tested" ] || echo "skip: neither Open MPI 4.1 nor MPICH 4.0"
