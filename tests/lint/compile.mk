# SPDX-License-Identifier: BSD-3-Clause
# usage: make -f tests/lint/compile.mk STAMPS=FOLDER BUILD=FOLDER FILES='FILE...' [CC=clang]
# Compiles sources, and headers alone, every warning being an error. A file that passed leaves a
# stamp in STAMPS and is compiled again when it, or something that it includes, is newer.
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
  -Wmissing-prototypes -Wvla -Wundef -Wcast-qual -Wformat=2 -Wswitch-enum
COMPILE := $(CC) -std=c11 $(WARNINGS) -Werror -I. -I$(BUILD) -D_POSIX_C_SOURCE=200809L -DLIBXML2_NAME='"none"' \
  $(shell pkg-config --cflags libxml-2.0 libcgraph jansson yaml-0.1 hwloc gmp)
DEPENDENCIES = -MMD -MP -MT $@ -MF $(@:.ok=.d)

all: $(FILES:%=$(STAMPS)/%.ok)

# -O2 lets gcc see more than -O0 would; what clang warns of, it finds before that.
CODE := $(if $(findstring clang,$(CC)),-fsyntax-only,-O2 -c -o /dev/null)
$(STAMPS)/%.c.ok: %.c tests/lint/compile.mk
	@mkdir -p $(@D)
	@$(COMPILE) $(CODE) $(DEPENDENCIES) $<
	@touch $@

$(STAMPS)/%.h.ok: %.h tests/lint/compile.mk
	@mkdir -p $(@D)
	@printf '#include "$<"\ntypedef int not_empty;\n' | \
	  $(COMPILE) -Wno-unused-function $(DEPENDENCIES) -fsyntax-only -x c -
	@touch $@

-include $(wildcard $(FILES:%=$(STAMPS)/%.d))
