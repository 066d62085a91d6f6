# SPDX-License-Identifier: BSD-3-Clause
# collc: build, test, install. `make help` lists the targets.
#
# `make demo` and `make test` install the Debian packages they lack, so that they
# work on a machine that has nothing but git and make.
.DEFAULT_GOAL := all

O ?= build
prefix ?= /usr/local# as elsewhere it is written
PREFIX ?= $(prefix)
DESTDIR ?=
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
libexecdir ?= $(PREFIX)/libexec
includedir ?= $(PREFIX)/include
datarootdir ?= $(PREFIX)/share
mandir ?= $(datarootdir)/man
docdir ?= $(datarootdir)/doc/collc
modulesdir ?= $(datarootdir)/modulefiles
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
# Says what is done, as `$(call say,CC,FILE)`, without a program of its own; nothing with V=1.
say = $(if $(filter 1,$(V)),,$(info $(empty)  $1  $2))
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif
MAKEFLAGS += --no-print-directory

CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
# Debug information would be a tenth of the build: make O=build/debug CFLAGS='-Og -g' has it.
CFLAGS ?= -O3
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
  -Wmissing-prototypes -Wvla -Wundef -Wcast-qual -Wformat=2 -Wswitch-enum
LINKED := libcgraph yaml-0.1 jansson hwloc
PKGS := libxml-2.0 $(LINKED)
# Of collc alone: what checks certificates counts exactly, and libcollc has none of it.
COUNTING := gmp
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) $(COUNTING) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(LINKED) 2>/dev/null)
# libxml2 is loaded where XML is read (base/text/libxml2.h).
LIBXML2_FILE := $(or $(wildcard $(shell pkg-config --variable=libdir libxml-2.0 2>/dev/null)/libxml2.so),\
  $(shell $(CC) -print-file-name=libxml2.so 2>/dev/null))
LIBXML2 := $(shell readelf -d $(LIBXML2_FILE) 2>/dev/null | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
CPPFLAGS_ALL := -I. -I$(O) $(PKG_CFLAGS) -D_POSIX_C_SOURCE=200809L $(CPPFLAGS)
CFLAGS_ALL := -std=c11 $(WARNINGS) -ffile-prefix-map=$(CURDIR)=. -MMD -MP $(CFLAGS)
LIBS := $(PKG_LIBS) -lm
TOOL_LIBS := $(LIBS) $(shell pkg-config --libs $(COUNTING) 2>/dev/null)
# A quick linker does the links of the tests in half the time.
TEST_LDFLAGS := $(if $(shell command -v mold),-fuse-ld=mold,$(if $(shell command -v ld.gold),-fuse-ld=gold))
# Without a compiler or these libraries nothing is compiled: the packages are named instead.
LACKS := $(if $(shell pkg-config --exists $(PKGS) $(COUNTING) 2>/dev/null && command -v $(firstword $(CC))),,packages-named)

# The folders of the tool, from the ground up (docs/architecture.md): all but the library.
FOLDERS := base lp network ir measure schedules tables compiler mapping routes verify bound synth predict simulate emitters study tuning costs reports
SOURCES := $(sort $(shell find $(wildcard $(FOLDERS)) -name '*.c' ! -path 'compiler/driver/*' ! -path '*/runtime/*' ! -path '*/helper/*'))
DRIVER := $(sort $(wildcard compiler/driver/*.c))
EMBEDDED := $(O)/gen/embedded.c
OBJECTS := $(SOURCES:%.c=$(O)/%.o) $(EMBEDDED:.c=.o) $(STARTED_BY:%.c=$(O)/%.o)
# The library: the same objects of base/ and network/ as in collc.
NWTOPO := $(sort $(wildcard nwtopo/*.c))
SHARED_OBJECTS := $(patsubst %.c,$(O)/%.o,$(filter base/% network/%,$(SOURCES))) \
  $(EMBEDDED:.c=.o)
LIBRARY_OBJECTS := $(NWTOPO:%.c=$(O)/%.o) $(SHARED_OBJECTS)
VERSION := $(shell sed -n 's/.*COLLC_VERSION "\(.*\)"/\1/p' compiler/driver/version.h)
UNIT := $(patsubst %.c,$(O)/%,$(sort $(wildcard tests/unit/test_*.c)))
# One executable for all unit programs: links of their own would take as long as compiling everything once more.
UNIT_ALONE := $(O)/tests/unit/test_nwtopo_memory
UNIT_TOGETHER := $(filter-out $(UNIT_ALONE),$(UNIT))
UNIT_HELPERS := $(patsubst %.c,$(O)/%.o,$(filter-out tests/unit/test_% tests/unit/programs.c,$(wildcard tests/unit/*.c)))
REPLAY := $(patsubst tests/fuzz/fuzz_%.c,$(O)/tests/fuzz/replay_%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
BUILT_IN := $(sort $(wildcard compiler/algorithms/*/*.coll docs/codes/*.md docs/glossary.md docs/schema/*.rng emitters/mpi_c/runtime/*.c tuning/runtime/* tables/library/rules.h tables/mpich/*.json))

# By which several of collc that an MPI launched share work: for each MPI whose compiler is here.
MPICC_openmpi := $(shell command -v mpicc.openmpi || \
  { mpicc --showme:version 2>/dev/null | grep -q 'Open MPI' && command -v mpicc; })
MPICC_mpich := $(shell command -v mpicc.mpich || { mpicc -compile_info >/dev/null 2>&1 && command -v mpicc; })
MPI_HELPERS := $(foreach mpi,openmpi mpich,$(if $(MPICC_$(mpi)),$(O)/collc-mpi-$(mpi)))

# What is made of the tables of commands and options. When building for another machine, HELP_BY is a collc
# of the same version that runs on this one.
COMMANDS := $(shell sed -n 's/^COMMAND.\([a-z]*\),.*/\1/p' compiler/driver/commands.def)
MANUAL := $(O)/man/collc.1 $(COMMANDS:%=$(O)/man/collc-%.1)
COMPLETIONS := $(O)/completions/collc.bash $(O)/completions/_collc $(O)/completions/collc.fish
HELP_BY ?= $(O)/collc

.PHONY: all reproduce demo test quick check long bench lint fuzz asan install uninstall dist dist-portable clean help print-objects FORCE \
  with-packages packages-named units sanitized test-build asan-build
.DELETE_ON_ERROR:

##   all      build/collc, its manual pages and completions, the library libcollc (default)
all: $(O)/collc $(O)/collc-hwloc $(O)/collc-lp $(MPI_HELPERS) $(MANUAL) $(COMPLETIONS) $(O)/libcollc.so.0 $(O)/libcollc.a

$(O)/collc: $(DRIVER:%.c=$(O)/%.o) $(OBJECTS)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)

# What libhwloc might die of is tried by an executable beside collc and libcollc.
$(O)/collc-hwloc: $(O)/network/formats/hwloc/helper/collc_hwloc.o
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs hwloc 2>/dev/null)
# GLPK's licence does not go with that of cgraph: an executable of its own solves linear programs.
$(O)/collc-lp: $(O)/lp/helper/collc_lp.o
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ -lglpk

$(O)/collc-mpi-%: study/parallel/helper/collc_mpi.c study/parallel/pool.h | $(LACKS)
	$(call say,LINK ,$@)
	@mkdir -p $(@D)
	$(Q)$(MPICC_$*) -std=c11 $(WARNINGS) -ffile-prefix-map=$(CURDIR)=. -I. $(CPPFLAGS) \
	  $(filter-out -fsanitize% -fno-sanitize%,$(CFLAGS)) -o $@ $< 2>$@.said || { cat $@.said >&2; exit 1; }
	@cat $@.said >&2

# What the compiler said stays beside the object: the lint reads it. One shell for all of it: with more, starting
# programs would be a fifth of the build.
$(O)/%.o: %.c | $(LACKS)
	$(call say,CC   ,$<)
	$(Q)[ -d $(@D) ] || mkdir -p $(@D); \
	  $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $< 2>$(@:.o=.said); status=$$?; \
	  [ ! -s $(@:.o=.said) ] || cat $(@:.o=.said) >&2; exit $$status

$(O)/base/text/libxml2.o: CPPFLAGS_ALL += -DLIBXML2_NAME='"$(LIBXML2)"'

# A list is part of the input: a file taken away must go from the executable too.
$(O)/gen/list: LISTED = $(BUILT_IN)
$(O)/gen/unit.def: LISTED = $(patsubst %,PROGRAM(%),$(notdir $(UNIT_TOGETHER)))
$(O)/gen/fuzz.def: LISTED = $(patsubst replay_%,TARGET(%),$(notdir $(REPLAY)))
$(O)/gen/list $(O)/gen/unit.def $(O)/gen/fuzz.def: FORCE
	@mkdir -p $(@D)
	@echo '$(LISTED)' | cmp -s - $@ || echo '$(LISTED)' >$@
$(EMBEDDED): scripts/embed $(O)/gen/list $(BUILT_IN)
	$(call say,EMBED,$@)
	$(Q)scripts/embed $(BUILT_IN) >$@.new && mv $@.new $@
$(EMBEDDED:.c=.o): $(EMBEDDED) | $(LACKS)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(LIBRARY_OBJECTS): CFLAGS_ALL += -fPIC -fvisibility=hidden
$(O)/libcollc.so.0: $(LIBRARY_OBJECTS) nwtopo/libcollc.map
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -shared -Wl,-soname,$(@F) -pthread \
	  -Wl,--version-script=nwtopo/libcollc.map $(if $(findstring sanitize,$(CFLAGS)),,-Wl,-z,defs) \
	  -o $@ $(LIBRARY_OBJECTS) $(LIBS)
	$(Q)ln -sf $(@F) $(O)/libcollc.so
# One object in which only nwtopo_* is global: names such as `fatal` stay the user's.
$(O)/libcollc.a: $(LIBRARY_OBJECTS)
	$(call say,AR   ,$@)
	$(Q)$(LD) -r -o $(O)/libcollc.o $^ && objcopy --localize-hidden $(O)/libcollc.o
	$(Q)rm -f $@ && $(AR) rc $@ $(O)/libcollc.o

$(MANUAL) $(COMPLETIONS): $(O)/collc
	@mkdir -p $(@D)
	$(Q)$(HELP_BY) help $(HELP_OF) >$@
$(O)/man/collc.1: HELP_OF = --format man
$(O)/man/collc-%.1: HELP_OF = --format man $*
$(O)/completions/collc.bash: HELP_OF = --format bash
$(O)/completions/_collc: HELP_OF = --format zsh
$(O)/completions/collc.fish: HELP_OF = --format fish

##   demo     what it can do, on one screen; installs what is missing
demo: with-packages
	+$(Q)$(MAKE) all
	$(Q)scripts/demo $(O)

##   test     everything: build, unit, golden, command line, lint, sanitizers, two MPIs
test: with-packages
	+$(Q)$(MAKE) test-build asan-build
	$(Q)tests/run --build $(O) --asan $(O)/asan all

##   quick    some seconds of tests, chosen by what was changed since they passed last
quick: all
	+$(Q)tests/quick $(O)

##   check    the quick part of the tests, for the inner loop
check: test-build
	$(Q)tests/run --build $(O) --form short unit golden cli lint

##   asan     unit and golden tests under the address and undefined-behaviour sanitizers
asan: asan-build
	$(Q)tests/run --build $(O) --asan $(O)/asan asan

test-build: all units $(O)/tests/bench/measure $(O)/tests/simgrid/pairs $(O)/tests/lint/json_page
units: $(UNIT) $(O)/collc-hwloc $(O)/collc-lp
sanitized: $(O)/collc units $(REPLAY) $(MPI_HELPERS)
asan-build:
	+$(Q)$(MAKE) O=$(O)/asan CFLAGS='-Og -g1 -fno-pie -no-pie -fno-omit-frame-pointer $(if $(findstring clang,$(CC)),,-static-libasan) -fsanitize=address,undefined -fsanitize-undefined-trap-on-error' \
	  CPPFLAGS='$(CPPFLAGS) -DARENA_MALLOC' WARNINGS=-w TEST_CFLAGS= STARTED_BY=tests/asan_start.c sanitized

# A test is compiled more often than it computes.
TEST_CFLAGS ?= -O1
$(O)/tests/unit/%.o: CFLAGS_ALL += $(TEST_CFLAGS)
# Second opinions do not go through a sanitizer: it is to look at what they check.
$(UNIT_HELPERS): CFLAGS_ALL += -fno-sanitize=all
$(O)/tests/unit/programs.o: $(O)/gen/unit.def
$(O)/tests/unit/programs: $(O)/tests/unit/programs.o $(UNIT_TOGETHER:%=%.o) $(UNIT_HELPERS) $(NWTOPO:%.c=$(O)/%.o) $(OBJECTS)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ -lcunit $(TOOL_LIBS)
$(UNIT_TOGETHER): $(O)/tests/unit/programs
	$(Q)ln -sf $(<F) $@
$(UNIT_ALONE:%=%.o): CPPFLAGS_ALL += -DALONE
$(UNIT_ALONE): %: %.o $(NWTOPO:%.c=$(O)/%.o) $(OBJECTS)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(TEST_LDFLAGS) -pthread -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup \
	  -o $@ $^ -lcunit $(TOOL_LIBS)
$(O)/tests/fuzz/replay.o: $(O)/gen/fuzz.def
$(O)/tests/fuzz/replays: $(O)/tests/fuzz/replay.o $(REPLAY:$(O)/tests/fuzz/replay_%=$(O)/tests/fuzz/fuzz_%.o) $(OBJECTS)
	$(call say,LINK ,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ $(TOOL_LIBS)
$(REPLAY): $(O)/tests/fuzz/replays
	$(Q)ln -sf $(<F) $@
# libFuzzer calls a target by a name that is the same in each; several in one executable need names of their own.
$(O)/tests/fuzz/fuzz_%.o: CFLAGS_ALL += -Wno-missing-prototypes \
  $(if $(findstring fuzzer,$(CFLAGS)),,-DLLVMFuzzerTestOneInput=$(*F))
$(O)/tests/bench/measure $(O)/tests/bench/loop $(O)/tests/lint/json_page: $(O)/%: $(O)/%.o
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^
$(O)/tests/simgrid/pairs $(O)/tests/bench/model $(O)/tests/bench/decompose: $(O)/%: $(O)/%.o $(OBJECTS)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)
$(O)/tests/bench/expand $(O)/tests/bench/simulate $(O)/tests/bench/slice: $(O)/%: $(O)/%.o $(O)/tests/unit/scene.o $(OBJECTS)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)
$(O)/tests/bench/nwtopo: $(O)/tests/bench/nwtopo.o $(LIBRARY_OBJECTS)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -pthread -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=strdup \
	  -o $@ $^ $(LIBS)
.SECONDARY:

##   long     the tests with all sizes and many more draws
long: test-build
	+$(Q)$(MAKE) asan-build
	$(Q)tests/run --build $(O) --asan $(O)/asan --form long unit tables cli lint asan runtime mpi

##   bench    speed and memory, beside a baseline measured in the same run
bench: all $(O)/tests/bench/measure $(O)/tests/bench/loop $(O)/tests/bench/expand $(O)/tests/bench/simulate $(O)/tests/bench/slice $(O)/tests/bench/decompose $(O)/tests/bench/model $(O)/tests/bench/nwtopo
	$(Q)tests/bench/run $(O)

##   reproduce  figures and tables of PAPERS (default: all five) beside ours; QUICK=1 leaves sizes out
PAPERS ?= naruse2010 imamura2009 takaue2010 sumimoto2000 kawashima2013
reproduce: all
	$(Q)scripts/install-packages build figures
	$(Q)set -e; for paper in $(PAPERS); do \
	  scripts/reproduce $(if $(QUICK),--quick) --build $(O) $$paper; done

##   lint     folder order, one page and test per code, headers alone, -Werror, cppcheck, clang
lint: all $(O)/tests/lint/json_page
	$(Q)tests/run --build $(O) --form long lint

##   fuzz     each fuzz target for SECONDS=30 with clang's libFuzzer
fuzz:
	$(Q)scripts/install-packages build fuzz
	$(Q)scripts/fuzz $(O)/fuzz $(or $(SECONDS),30)

##   install  to DESTDIR and PREFIX=/usr/local; bindir, libdir, libexecdir, includedir, mandir, docdir as of GNU
INTO := install -D -m
install: all
	$(INTO) 755 $(O)/collc $(DESTDIR)$(bindir)/collc
	for helper in $(O)/collc-hwloc $(O)/collc-lp $(MPI_HELPERS); do \
	  $(INTO) 755 $$helper $(DESTDIR)$(libexecdir)/collc/$${helper##*/} || exit 1; done
	$(INTO) 644 nwtopo/nwtopo.h $(DESTDIR)$(includedir)/nwtopo.h
	$(INTO) 644 $(O)/libcollc.a $(DESTDIR)$(libdir)/libcollc.a
	$(INTO) 755 $(O)/libcollc.so.0 $(DESTDIR)$(libdir)/libcollc.so.0
	ln -sf libcollc.so.0 $(DESTDIR)$(libdir)/libcollc.so
	install -d $(DESTDIR)$(libdir)/pkgconfig
	sed -e 's|@LIBDIR@|$(abspath $(libdir))|' -e 's|@INCLUDEDIR@|$(abspath $(includedir))|' \
	  -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LIBS)|' nwtopo/collc.pc.in >$(DESTDIR)$(libdir)/pkgconfig/collc.pc
	chmod 644 $(DESTDIR)$(libdir)/pkgconfig/collc.pc
	install -d $(DESTDIR)$(modulesdir)/collc
	sed -e 's|@BINDIR@|$(abspath $(bindir))|' -e 's|@LIBDIR@|$(abspath $(libdir))|' \
	  -e 's|@INCLUDEDIR@|$(abspath $(includedir))|' -e 's|@VERSION@|$(VERSION)|' \
	  packaging/modulefile.in >$(DESTDIR)$(modulesdir)/collc/$(VERSION)
	chmod 644 $(DESTDIR)$(modulesdir)/collc/$(VERSION)
	for page in $(MANUAL); do $(INTO) 644 $$page $(DESTDIR)$(mandir)/man1/$${page##*/} || exit 1; done
	$(INTO) 644 $(O)/completions/collc.bash $(DESTDIR)$(datarootdir)/bash-completion/completions/collc
	$(INTO) 644 $(O)/completions/_collc $(DESTDIR)$(datarootdir)/zsh/site-functions/_collc
	$(INTO) 644 $(O)/completions/collc.fish $(DESTDIR)$(datarootdir)/fish/vendor_completions.d/collc.fish
	install -d $(DESTDIR)$(docdir)
	install -m 644 README.md CHANGELOG.md LICENSE $(DESTDIR)$(docdir)
	cp -R docs editors examples reproduction $(DESTDIR)$(docdir)
	$(INTO) 644 nwtopo/nwtopo.h $(DESTDIR)$(docdir)/nwtopo/nwtopo.h

##   uninstall  removes what install with the same variables puts there
uninstall:
	rm -rf $(O)/installed
	+$(Q)$(MAKE) install DESTDIR=$(abspath $(O)/installed) >/dev/null
	cd $(O)/installed && find . ! -type d | while IFS= read -r file; do rm -f "$(DESTDIR)/$$file"; done
	cd $(O)/installed && find . -depth -type d -path '*collc*' | while IFS= read -r folder; do \
	  [ ! -d "$(DESTDIR)/$$folder" ] || rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$folder"; done
	rm -rf $(O)/installed

##   dist     collc-VERSION.tar.gz of what is committed; it builds without git
dist:
	git archive --format=tar.gz --prefix=collc-$(VERSION)/ -o collc-$(VERSION).tar.gz HEAD

##   dist-portable  collc-VERSION-MACHINE.tar.gz: runs on any Linux of this kind of processor, with nothing installed
dist-portable: PACK = collc-$(VERSION)-$(shell uname -m)
dist-portable: all
	$(Q)scripts/portable $(O) $(O)/$(PACK)
	$(Q)tar -C $(O) --sort=name --owner=0 --group=0 -czf $(PACK).tar.gz $(PACK)
	$(Q)du -k $(PACK).tar.gz | awk '{ print $$2 ": " $$1 " KiB" }'

##   clean    removes the build folder
clean:
	rm -rf $(O)

print-objects:
	@echo $(OBJECTS)

help:
	@echo 'usage: make [TARGET] [O=FOLDER] [V=1] [JOBS=N] [CC=...] [CFLAGS=...]'
	@sed -n 's/^##//p' Makefile

with-packages:
	$(Q)scripts/install-packages build test
packages-named:
	$(Q)scripts/install-packages --name build
	$(Q)echo 'collc: no compiler $(firstword $(CC)), or pkg-config finds not all of: $(PKGS) $(COUNTING)' >&2; exit 1

-include $(O)/network/formats/hwloc/helper/collc_hwloc.d $(O)/lp/helper/collc_lp.d $(NWTOPO:%.c=$(O)/%.d) $(OBJECTS:.o=.d) $(DRIVER:%.c=$(O)/%.d) $(UNIT:%=%.d) $(O)/tests/unit/programs.d $(UNIT_HELPERS:.o=.d) $(wildcard $(O)/tests/fuzz/*.d $(O)/tests/bench/*.d $(O)/tests/lint/*.d $(O)/tests/simgrid/*.d)
