# Placement files of every kind, on the nodes of a Slurm cluster and on a torus: where the
# ranks are stands in the header of the schedule file, MACHINExRANKS.
set -e
tree=$root/examples/clusters/slurm-tree.conf

# where EXPECTED ARGUMENTS... <FILE
where() {
    expected=$1
    shift
    cat >placement
    collc compile allgather/ring "$@" --placement placement -o s.sched 2>messages ||
        { cat placement messages; exit 1; }
    found=$(sed -n 's/^placement //p' s.sched)
    [ "$found" = "$expected" ] || { cat placement; echo "ranks at $found, expected $expected"; exit 1; }
}
# Machines of the cluster are numbered as the file lists them: srv1101 is 0, srv1201 is 8 ...
where '8x1 0x2' -t "$tree" <<'END'
rank 0=srv1201 slot=0:0-3
rank 1=srv1101.cluster.example slot=1:0
rank 2=srv1101 slot=1:1
END
where '8x1 0x1 8x1' -t "$tree" <<'END'
1: srv1101
0: srv1201
2: srv1201
END
where '0x1 1x1 0x1 1x1 8x1' -t "$tree" <<'END'
srv[1101-1102]*2
srv1201
END
where '0x2 1x2 8x1' -t "$tree" <<'END'
SLURM_JOB_NODELIST=srv[1101-1102,1201]
SLURM_TASKS_PER_NODE=2(x2),1
END
where '0x1 1x1 8x1 0x1 1x1' -t "$tree" <<'END'
export SLURM_DISTRIBUTION=cyclic
export SLURM_JOB_NODELIST=srv[1101-1102,1201]
export SLURM_TASKS_PER_NODE=2(x2),1
END
where '0x1 63x1 1x1' -t torus:4x4x4 <<'END'
(0,0,0)
(3,3,3) core=0
(1,0,0)
END
where '0x1 63x1 0x1' -t torus:4x4x4 <<'END'
0 0 0 0
3 3 3 0
0 0 0 1
END
# The dimensions of a Tofu network that programs see, and its own six
where '0x2' -t tofu:2x3x2 <<'END'
(0,0,0)
(0,0,0)
END
where '0x1 143x1' -t tofu:2x3x2 <<'END'
(0,0,0,0,0,0)
(1,2,1,1,2,1)
END

# Every kind says where it is wrong; columns are checked by the unit test.
refuse() { # EXPECTED ARGUMENTS... <FILE
    expected=$1
    shift
    cat >placement
    status=0
    collc compile allgather/ring "$@" --placement placement -o s.sched 2>messages || status=$?
    [ $status -eq 2 ] && grep -qF "$expected" messages || { cat placement messages; exit 1; }
}
echo 'srv[1101-1109]' | refuse "placement:1:1: error: 'srv[1101-1109]': the topology has no machine 'srv1109' [A002]" -t "$tree"
echo '(0,0,0)' | refuse "places ranks by coordinates, but '$tree' is no grid [A001]" -t "$tree"
seq -f 'other%g' 40 | refuse '      = and 39 more like this' -t "$tree"
[ "$(grep -c A002 messages)" -eq 1 ] || { cat messages; exit 1; }
printf '(0,4,0)\n(1,5,0)\n' | refuse '      = and 1 more like this' -t torus:4x4x4
echo '(0,4,0)' | refuse "placement:1:1: error: '(0,4,0)': coordinates outside the grid [A002]" -t torus:4x4x4
echo 'rank 0=srv1101 slots' | refuse "placement:1:16: error: 'slots': expected 'slot=CORES' after the host [A003]" -t "$tree"
