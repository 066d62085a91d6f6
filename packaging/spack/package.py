# SPDX-License-Identifier: BSD-3-Clause
# A package file of Spack: copy it to packages/collc of a repository of yours, and name where the tarball is that
# `make dist` writes (spack install --source, or `spack dev-build collc@0.1.0` in a clone).
from spack.package import *


class Collc(MakefilePackage):
    """Compiler and static verifier for collective-communication schedules of MPI: which messages meet on which
    link, how far that is from the best possible, and what an MPI is to use instead."""

    license("BSD-3-Clause AND 0BSD")

    version("0.1.0")

    variant("mpi", default=True, description="Let several collc that an MPI launched share their work")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("binutils", type="build")
    depends_on("libxml2")
    depends_on("graphviz")
    depends_on("libyaml")
    depends_on("jansson")
    depends_on("hwloc")
    depends_on("gmp")
    depends_on("glpk")
    depends_on("mpi", when="+mpi")

    build_targets = ["all"]

    @property
    def install_targets(self):
        return ["install", "PREFIX={0}".format(self.prefix)]

    def check(self):
        Executable("build/collc")("verify", "alltoall/ring", "-t", "star:8", "--quiet")
