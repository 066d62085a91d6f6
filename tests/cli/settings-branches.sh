# Branches of scripts behind && and ||, defaults of variables, and dictionaries that are only read.
set -e
. "$root/tests/helpers.sh"
D='export OMPI_MCA_coll_tuned_use_dynamic_rules=1'
V=OMPI_MCA_coll_tuned_alltoall_algorithm
script() { # LINE...: into the file job.sh
    printf '%s\n' "$D" "$@" 'mpirun ./app' >job.sh
}
takes() { # WORDS: what pick says of 1 KiB
    collc pick job.sh alltoall --target ompi-4.1 --ranks 8 --bytes 1KiB >out 2>&1
    grep -q "$1" out || { echo "not '$1':"; cat job.sh out; exit 1; }
}
finds() { # CODES, or nothing
    collc lint job.sh --target ompi-4.1 >out || true
    expect "findings of $(tr '\n' ' ' <job.sh)" "$(grep -o '\[B[0-9]*\]' out | sort -u | tr -d '\n')" "$1"
}

# A branch of one statement ends with it: what comes behind undoes and overrides what was before.
# shellcheck disable=SC2016
for line in 'cd "$WORK" || exit 1' 'cd "$WORK" && true; true' 'test -d a ||
    exit 1'; do
    script "export $V=2" "$line" "unset $V"
    takes 'linear_sync .* no algorithm is forced'
    script "export $V=3" "$line" "export $V=4"
    takes "linear_sync .* forced by $V"
    finds '[B039]'
done
script "export $V=2" "test -d a && unset $V"
takes "pairwise .* forced by $V"
script "export $V=3" "test -d a && export $V=4"
finds ''
script "export $V=3" 'test -d a || {' "export $V=4" '}'
finds ''

# An empty value is none for ":-"; one that a branch sets may be another.
script 'ALG=' "export $V=\${ALG:-2}"
takes "pairwise .* forced by $V"
finds ''
script 'ALG=' "export $V=\${ALG-2}"
takes 'linear_sync'
finds ''
# shellcheck disable=SC2016
script '[ "$N" -gt 4 ] && ALG=4' "export $V=\${ALG:-2}"
finds '[B041]'
grep -q 'is not judged' out
script "export OMPI_MCA_coll_tuned_bcast_algorithm=\${ALG:=2}" "export $V=\${ALG:-3}"
takes "pairwise .* forced by $V"

# A folder that is not known: only files are looked for beside the script.
echo x >site.rules
script "export $V=\$A/site.rules"
finds '[B041]'
mkdir -p a
script "export OMPI_MCA_coll_tuned_dynamic_rules_filename=\$A/a/../site.rules"
collc lint job.sh --target ompi-4.1 >out || true
grep -q "is taken to be 'site.rules'" out
script "export OMPI_MCA_coll_tuned_dynamic_rules_filename=\$A/../../site.rules"
mkdir -p b/c
mv job.sh b/c
cp site.rules site.rules.txt
collc lint b/c/job.sh --target ompi-4.1 >out || true
grep -q 'is not judged' out

cat >read.py <<'END'
env = {}
env["I_MPI_ADJUST_ALLTOALL"] = "1"
print(env["I_MPI_ADJUST_ALLTOALL"], "was asked for")
ok = (True and
      env["I_MPI_ADJUST_ALLTOALL"] == "3")
END
collc lint read.py --target intel-mpi >out
grep -q ' 0 findings' out
collc pick read.py alltoall --target intel-mpi --ranks 8 --bytes 1KiB >out
grep -q '^1024  *1 .* 2 ' out

# Launches have settings of their own, and what is exported before them.
launches() { # LINE...: a script of these
    printf '%s\n' "$@" >job.sh
}
T='--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 2'
launches 'mpirun ./app' "mpirun $T ./app"
takes 'pairwise .* forced by'
finds ''
launches "mpirun $T ./app" 'mpirun ./app' './collect.sh'
takes 'linear_sync .*use_dynamic_rules is not set'
finds ''
launches 'mpirun --mca coll_tuned_alltoall_algorithm 2 ./app' 'mpirun --mca coll_tuned_use_dynamic_rules 1 ./app'
finds '[B009]'
takes 'linear_sync .* no algorithm is forced'
launches "export $V=2" 'mpirun ./app' 'mpirun --mca coll_tuned_use_dynamic_rules 1 ./app'
finds ''
takes "pairwise .* forced by $V"
launches "export $V=2" 'mpirun ./app' 'srun ./app'
finds '[B009]'
launches 'mpirun ./app' "$D" "export $V=99" 'mpirun ./app' "export $V=2" 'mpirun ./app'
finds '[B010]'
takes "pairwise .* forced by $V"
launches "$D $V=2" 'mpirun ./app' "unset $V" 'mpirun ./app'
takes 'linear_sync .* no algorithm is forced'
launches "$D $V=2" 'if true; then' 'echo' 'fi' "unset $V" 'mpirun ./app'
takes 'linear_sync .* no algorithm is forced'
launches "$D $V=2" 'mpirun ./app' 'if true; then' "unset $V" 'fi' 'mpirun ./app'
takes "pairwise .* forced by $V"
# The calls of a function may stand behind what is exported; what is kept in a variable is for any launch.
launches 'run() {' '  mpirun ./app' '}' "$D" "export $V=2" 'run' "unset $V"
takes "pairwise .* forced by $V"
launches "OPTIONS='$T'" "$D" 'mpirun ./other' 'mpirun $OPTIONS ./app'
takes 'pairwise .* forced by'
launches "#SBATCH --export=ALL,OMPI_MCA_coll_tuned_use_dynamic_rules=1,$V=2" 'srun ./app' 'srun ./app'
takes "pairwise .* forced by"
launches 'NCCL_ALGO=Ring python a.py' 'NCCL_PROTO=LL python b.py' 'python plot.py'
collc pick job.sh allreduce --target nccl --ranks 8 --bytes 1KiB >out
absent 'ring' out
# Other programs stand before a launcher, which has its own settings and no others.
O="${T%?}3"
for before in time 'time -p' 'numactl -m 0' 'taskset -c 0-7' 'stdbuf -oL' 'timeout -k 5 9m' 'sudo -E' './site.sh' \
    'singularity exec --nv -B /a:/b x.sif' 'docker run --rm -e X=1 x' 'ssh n1' 'ch-run x --'; do
    launches "mpirun $O ./app" "$before mpirun -np 4 $T ./app"
    takes 'pairwise .* forced by'
    launches "$before mpirun -np 4 $T ./app" 'mpirun ./app'
    takes 'linear_sync .*use_dynamic_rules is not set'
    launches "mpirun $T ./app" "$before mpirun -np 4 ./app"
    takes 'linear_sync .*use_dynamic_rules is not set'
done
launches 'NCCL_ALGO=Tree python a.py' 'singularity exec x mpirun -x NCCL_ALGO=Ring,Tree -x NCCL_PROTO=LL ./a'
collc pick job.sh allreduce --target nccl --ranks 8 --bytes 1KiB >out
grep -q '1024 *default .* of which the library chooses' out
# Programs without collectives are no launch that counts, and commands that name a launcher are none.
for small in 'srun -l hostname -f' 'srun nvidia-smi -L' 'time mpirun date' 'srun bash -c "hostname; date"' 'srun env' \
    "srun --export=ALL,$V=1 hostname" 'srun singularity exec --nv x nvidia-smi' 'mpirun -n 1 hostname : -n 2 date' \
    'mpirun --version' 'pkill mpirun -9' 'command -v mpirun >/dev/null'; do
    launches "mpirun $T ./app" "$small"
    takes 'pairwise .* forced by'
    finds ''
done
# shellcheck disable=SC2016
for large in 'srun bash -c "hostname; ./app"' 'mpirun hostname : ./app' 'srun $EXE test' 'srun sh job' 'srun bash -c "./a"' \
    'python -m torch.distributed.run train.py'; do
    launches "mpirun $T ./app" "$large"
    takes 'linear_sync .*use_dynamic_rules is not set'
done
# Exports of a shell in quotes or brackets end with it; it may have several launches.
for shell in "ssh n1 '%s'" '( %s )' '(
    %s
    )'; do
    # shellcheck disable=SC2059
    launches "$(printf "$shell" "$D $V=2; mpirun ./a")" 'mpirun ./b'
    takes 'linear_sync .*use_dynamic_rules is not set'
    # shellcheck disable=SC2059
    launches "mpirun $O ./b" "$(printf "$shell" "$D $V=2; mpirun ./a")"
    takes 'pairwise .* forced by'
done
launches "eval '$D $V=2; mpirun ./a'" 'mpirun ./b'
takes 'pairwise .* forced by'
launches "mpirun $O ./b" "singularity exec --env OMPI_MCA_coll_tuned_use_dynamic_rules=1,$V=2 x sh -c 'mpirun ./a; mpirun ./b'"
takes 'pairwise .* forced by'
launches "mpirun $O ./b" "ssh n1 'mpirun $T ./a; mpirun ./b'"
takes 'linear_sync .*use_dynamic_rules is not set'
# Any number of launches; of very many the last are judged.
awk -v options="$O" 'BEGIN { for (i = 0; i < 1500; i++) print "mpirun ./a"; print "mpirun " options " ./b" }' >job.sh
takes 'modified_bruck .* forced by'
grep -q 'of 1501 launches the first [0-9]* are not judged' out
# With blanks at the '=' a shell sets nothing; make does.
for line in "export $V = 2" "export $V =2" "export $V= 2"; do
    script "$line"
    finds '[B040]'
    takes 'linear_sync .* no algorithm is forced'
done
script "export $V= OMPI_MCA_x=1"
finds ''
printf '%s\n' "$D" "export $V = 2" >Makefile
collc lint Makefile --target ompi-4.1 | grep -qx '1 table, 0 findings'

# The option takes two words, whatever they are.
echo 'mpirun --mca coll_tuned_barrier_algorithm=3 --mca coll_tuned_reduce_algorithm 2 ./app' >job.sh
finds '[B040]'

# The environment of a command without what env takes out; variables that are exported no more, or in another shell.
printf '%s\n' "$D" "export $V=2" "env -u $V mpirun ./app" >job.sh
takes 'linear_sync .* no algorithm is forced'
printf '%s\n' "$D" "export $V=2" "env --unset=$V mpirun ./a" 'mpirun ./b' >job.sh
takes "pairwise .* forced by $V"
printf '%s\n' "$D" "export $V=2" "env -i A=1 mpirun ./app" >job.sh
takes 'use_dynamic_rules is not set'
for line in "export -n $V" "declare +x $V"; do
    script "export $V=2" "$line"
    takes 'linear_sync .* no algorithm is forced'
done
printf '%s\n' "($D)" "export $V=2" 'mpirun ./app' >job.sh
takes 'use_dynamic_rules is not set'

# Behind the last launch nothing acts, unless something may start another one.
late() { printf '%s\n' "$D" "export $V=3" "$@" >job.sh; }
late 'mpirun ./app' "export $V=2" 'echo done' 'exit 0'
takes "modified_bruck .* forced by $V"
finds '[B040]'
late 'for i in 1 2; do' 'mpirun ./app' "export $V=2" done
takes "pairwise .* forced by $V"
finds ''
for line in ./more.sh '. ./env.sh; run' 'python3 all.py'; do
    late 'mpirun ./app' "export $V=2" "$line"
    takes "pairwise .* forced by $V"
done
late 'mpirun hostname' "export $V=2"
takes "pairwise .* forced by $V"
