# libprof - see `make help`.
#
#   O=DIR        build directory (default build; variants add a suffix)
#   DEBUG=1|2|3  -Og -g3, assertions       SAN=address|undefined|thread   sanitizer build
#   V=1          show commands             PREFIX=, DESTDIR=              for install
#   VIEW=0       without the page of prof view, which npm builds where there is one
#   -jN          processors for all, demo, deb, dist, rpm, view (all of them)

PREFIX ?= /usr/local
VERSION = 0.1
DEBUG ?= 0
SAN ?=
V ?= 0
O ?= build$(if $(SAN),-$(SAN))$(if $(filter-out 0,$(DEBUG)),-debug)
# (or the prerequisites found under one spelling of a file's name would not be known under another)
override O := $(patsubst $(CURDIR)/%,%,$O)
# Goals by their whole names.
WHOLE = $(filter $(CURDIR)/%,$(MAKECMDGOALS))
Q := $(if $(filter 1,$(V)),,@)
CC = gcc
CXX = g++
# The processor that CC compiles for: a folder of arch/. A fresh system has no CC yet.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)))

# Debian 12 packages, and after the slash the version that this was developed with. apt installs
# what the release has today (point releases move the last digits), so the version is not asked for.
# What other releases call them: docs/packaging/releases.
DEPS = $(call names,$(DEPS_VERSIONS))
DEPS_VERSIONS = gcc/4:12.2.0 g++/4:12.2.0 make/4.3 binutils/2.40 pkg-config/1.8.1 libunwind-dev/1.6.2 \
	libpfm4/4.13.0 libpfm4-dev/4.13.0 uthash-dev/2.3.0 libdw-dev/0.188 libelf-dev/0.188 libjansson-dev/2.14 \
	libprotobuf-c-dev/1.4.1 protobuf-c-compiler/1.4.1 zlib1g-dev/1:1.2.13
DEPS_TEST = $(call names,libcriterion-dev/2.4.1 libtbb-dev/2021.8.0 jq/1.6 clang/1:14.0 libomp-14-dev/1:14.0.6 \
	protobuf-compiler/3.21.12 valgrind/1:3.19.0 gnuplot-nox/5.4.4 libdebuginfod1/0.188 dwz/0.15 \
	libxml2-utils/2.9.14 python3/3.11.2 strace/6.1 procps/2:4.0.2 $(if $(filter aarch64,$(ARCH)),gcc-x86-64-linux-gnu,gcc-aarch64-linux-gnu)/4:12.2.0)
# For make deb: what states the dependences of a package.
DEPS_DEB = $(call names,dpkg-dev/1.21.22)
# For make dist: what elfutils needs besides, as archives.
DEPS_DIST = $(call names,libbz2-dev/1.0.8 liblzma-dev/5.4.1)
DEPS_RPM = $(call names,rpm/4.18.0)
DEPS_DEMO = $(call names,mathicgb/1.0~git20220621 libtbb-dev/2021.8.0)
# For the page of prof view (its npm packages: report/view/package-lock.json); not asked for where
# an npm of any origin is.
NPM := $(shell command -v npm)
DEPS_VIEW = $(if $(NPM),,$(call names,nodejs/18.20.4 npm/9.2.0 ca-certificates/20230311))
DEPS_VIEW_TEST = $(call names,chromium/156.0.8078.79 fonts-dejavu-core/2.37)
# Third-party programs, which tests/hosts runs natively and preloaded: those of make check-all, and
# what make check-hosts has besides.
DEPS_HOSTS_QUICK = $(call names,python3-numpy/1:1.24.2 default-jdk-headless/2:1.17 rustc/1.63.0 ruby/1:3.1 \
	perl/5.36.0 erlang-base/1:25.2.3 git/1:2.39.5 postgresql-15/15.18 nginx-light/1.22.1 curl/7.88.1 redis-tools/5:7.0.15 \
	xz-utils/5.4.1 zstd/1.5.4 pigz/2.6 gdb/13.1 bubblewrap/0.8.0 libjemalloc2/5.3.0 libtcmalloc-minimal4/2.10 \
	libmimalloc2.0/2.0.9 musl-tools/1.2.3 sqlite3/3.40.1 openssl/3.0.19 zsh/5.9 tmux/3.3a vim/2:9.0.1378 memcached/1.6.18 \
	socat/1.7.4.4 lua5.4/5.4.4 php-cli/2:8.2 stress-ng/0.15.06)
DEPS_HOSTS = $(DEPS_HOSTS_QUICK) $(DEPS_VIEW_TEST) $(call names,golang-go/2:1.19 cargo/0.66.0 librust-rayon-dev/1.6.1 \
	ffmpeg/7:5.1.9 firefox-esr/153.7.0 guile-3.0/3.0.8 sbcl/2:2.2.9 qemu-user/1:7.2 openssh-server/1:9.2p1 openssh-client/1:9.2p1 \
	r-base-core/4.2.2 libopenblas0-pthread/0.3.21 hpcc/1.5.0 lammps/20220106 mumps-test/5.5.1 \
	nwchem-openmpi/7.0.2 cp2k/2023.1 scalapack-mpi-test/2.2.1 ptscotch/7.0.3 phyml/3:3.3.20220408 \
	openmpi-bin/4.1.4 mpich/4.0.2)
# For tests/mpi: Open MPI and, in make check-all, MPICH next to it.
DEPS_MPI = $(call names,libopenmpi-dev/4.1.4 openmpi-bin/4.1.4 gfortran/4:12.2.0)
DEPS_MPICH = $(call names,libmpich-dev/4.0.2 mpich/4.0.2)
# For root file systems of other releases: tests/matrix.
DEPS_MATRIX = $(call names,mmdebstrap/1.3.5 $(if $(findstring -arm64,$(RELEASES)),qemu-user-static/1:7.2 g++-aarch64-linux-gnu/4:12.2.0))
CODENAME := $(shell . /etc/os-release 2>/dev/null && echo $$VERSION_CODENAME)
# Of PACKAGES, those that are not installed, a shell's word list. A package may provide another one.
missing = $$(dpkg-query -W -f='$${Package} $${db:Status-Status} $${Provides}\n' 2>/dev/null | \
	awk -v want="$(1)" '$$2 == "installed" { for (i = 1; i <= NF; i++) { sub(/,$$/, "", $$i); have[$$i] = 1 } } \
	  END { n = split(want, w, " "); for (i = 1; i <= n; i++) if (!have[w[i]]) printf " %s", w[i] }')
names = $(shell awk -v release=$(CODENAME) -v want='$(1)' -f docs/packaging/names.awk docs/packaging/releases)

OPT = $(if $(filter 0,$(DEBUG)),-O2 -g,-Og -g3 -DLIBPROF_DEBUG=$(DEBUG))
SANFLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
WARN = -Wall -Wextra -Wno-unused-parameter -Wstrict-prototypes -Wmissing-prototypes -Wno-stringop-truncation -Wno-unterminated-string-initialization
# -fexceptions: the program's exceptions pass through our hooks, which need unwind tables and
#   run cleanups. initial-exec TLS: no __tls_get_addr (it may allocate). -fno-plt, -z now: calls to
#   libc are bound at start, never lazily inside a hook. -z nodelete: see clock/tsc.c. LTO: the
#   agents' hooks and the engine's rules become one piece of code; fat objects, for the unit tests
#   have none. No SLP vectoriser, and no copies of structures by two words at a time: they load in
#   pairs what was stored one by one just before, and the load waits for both stores. No slow string
#   instructions for structures that begin as zeros: each takes as long as two readings of the clock.
LTO = $(if $(filter 0,$(DEBUG)),-flto=auto -ffat-lto-objects)
ifeq ($(ARCH),x86_64)
SO_STORES = -mmemset-strategy=unrolled_loop:1024:noalign,libcall:-1:noalign \
	-mtune-ctrl=^sse_unaligned_load_optimal
endif
SO_CFLAGS = -std=gnu11 $(OPT) $(SO_STORES) $(WARN) -fPIC -fvisibility=hidden -fexceptions -ftls-model=initial-exec -fno-plt \
	-fno-tree-slp-vectorize $(OLD_GCC) \
	-Iinclude -Ipreload -I.
SO_LDFLAGS = -shared -Wl,-soname,libprof.so -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -Wl,--as-needed \
	-fdata-sections -Wl,--sort-section=alignment \
	-Wl,--version-script=preload/exports.map -Wl,--wrap=_Unwind_Resume,--wrap=__gcc_personality_v0
# gcc before 11 does not know the attribute no_stack_protector.
OLD_GCC := $(shell $(CC) -dumpversion 2>/dev/null | awk -F. '$$1 < 11 { print "-fno-stack-protector -Wno-attributes" }')
SO_LIBS = $(LIBC_PARTS)
# glibc before 2.34 has parts of libc beside it. Their symbols appear when LTO is done, too late for
# --as-needed.
LIBC_PARTS := $(shell echo minor __GLIBC_MINOR__ | $(CC) -E -P -include features.h - 2>/dev/null | \
	awk '$$1 == "minor" && $$2 < 34 { print "-Wl,--no-as-needed -ldl -lpthread" }')
PROF_CFLAGS = -std=gnu11 $(OPT) $(WARN) $(SANFLAGS) -Iinclude -Ireport -I.
PROF_LIBS = -ldw -lelf -ljansson -lprotobuf-c -lz -lpfm -lstdc++ -lm $(LIBC_PARTS)

# DIST=1: what make dist packs. But for glibc, all that prof is linked with is inside, and nothing
# that glibc 2.31 lacks is asked for (docs/packaging/dist/glibc.sh). libprof.so opens what stands
# beside it.
ifdef DIST
DIST_LDFLAGS = -s -L$O/glibc -Wl,-Map=$@.map
LIBC_PARTS = -Wl,--no-as-needed -ldl -lpthread
SO_LDFLAGS += -Wl,-rpath,'$$ORIGIN'
PROF_LIBS = $O/start.o -Wl,--wrap=__libc_start_main -static-libgcc -Wl,-Bstatic $(shell pkg-config --static --libs libdw) \
	-ljansson -lprotobuf-c -lpfm -lstdc++ -Wl,-Bdynamic -lm $(LIBC_PARTS)
all: $O/libprof_names.so
$O/libprof.so $O/libprof_workers.so $O/libprof_names.so $O/prof: $O/glibc/libc.so
$O/prof: $O/start.o
endif

SO_SRC := $(wildcard arch/$(ARCH)/*.c preload/*/*.c unwind/*.c agents/*/*.c)
PROF_SRC := $(wildcard report/*/*.c)
SO_OBJ := $(SO_SRC:%.c=$O/obj/%.o)
ifdef DIST
SO_OBJ := $(SO_OBJ:$O/obj/unwind/function_at.o=$O/function_at.o)
endif
VIEW ?= $(if $(NPM),1,0)
PROF_OBJ := $(PROF_SRC:%.c=$O/obj/%.o) $O/obj/gen/pprof.pb-c.o $O/obj/report/view/page-$(VIEW).o
VIEW_SRC := $(wildcard report/view/src/*) report/view/build.mjs report/view/index.html report/view/package.json report/view/package-lock.json
EXAMPLES := $(patsubst examples/%.cpp,$O/examples/%,$(wildcard examples/*.cpp)) $O/examples/tiny/fib $O/examples/tiny/libtiny_agent.so
# The programs of the walkthroughs, and what becomes of them there.
EXAMPLES += $(addprefix $O/examples/,similar-mended pack-mended)
# Programs of many cases, a folder each; and those of one file.
CASE_PROGRAMS = constructs flow sites
FILE_PROGRAMS := $(patsubst tests/programs/%.cpp,$O/programs/%,$(filter-out %/cases.cpp,$(wildcard tests/programs/*.cpp)))
PROGRAMS := $(CASE_PROGRAMS:%=$O/programs/%) $(FILE_PROGRAMS)
# OpenMP programs: by gcc, on libgomp, and by clang, where it has its runtime, on libomp.
ifndef CLANG
CLANG := $(shell clang -fopenmp -E -x c -include omp.h /dev/null >/dev/null 2>&1 && echo clang)
endif
OMP_COMPILERS = gcc $(if $(CLANG),clang)
OMP_PROGRAMS = $(OMP_COMPILERS:%=$O/openmp/constructs-%)
OMP_SRC := $(addprefix tests/openmp/,main.c model.c random.c) $(wildcard tests/openmp/constructs/*.c)
OMP_OBJ = $(foreach c,$(OMP_COMPILERS),$(OMP_SRC:tests/openmp/%.c=$O/openmp/$c/%.o))
OMP_EXAMPLES := $(patsubst %.c,$O/%,$(wildcard examples/openmp/*.c))
OMP_EXAMPLES += $(if $(CLANG),$(OMP_EXAMPLES:%=%-libomp)) $O/examples/openmp/integrate-mended
UNIT := $(patsubst tests/unit/%.c,$O/unit/%,$(wildcard tests/unit/test_*.c))

# Where there is no network, that is known soon. Without HOME, npm's cache is in $O/view.
NPM_CI = $(if $(HOME),,npm_config_cache="$${npm_config_cache:-$$PWD/npm}") npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=30000

# On all processors, unless -j says otherwise. (Of the others, some install packages, one after the
# other, and some measure.)
GOALS := $(or $(MAKECMDGOALS),all)
BUILDING := $(if $(filter-out all examples programs install,$(GOALS)),,1)
ifneq ($(or $(BUILDING),$(and $(filter 1,$(words $(GOALS))),$(filter demo deb dist rpm view,$(GOALS)))),)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
endif
# Who has other packages' files in their places can build without Debian's.
ifneq ($(BUILDING),)
MISSING := $(shell ! command -v dpkg-query >/dev/null || echo $(call missing,$(DEPS)))
ifneq ($(MISSING),)
ifeq ($(shell command -v $(firstword $(CC))),)
$(error packages are missing: `make deps' installs them, or as root: apt-get install $(MISSING))
endif
$(info $()  NOTE    packages are missing: `make deps' installs $(MISSING))
endif
endif

# Suites that need nothing but what is built.
SUITES_PLAIN = unit runner abi layers programs openmp mpi report policy signals integration sampling scaling verdicts debug package
.PHONY: all deps deps-test deps-check deps-check-all deps-demo deps-view view demo check check-all check-loop flaky \
	$(SUITES_PLAIN:%=check-%) check-view check-fault check-fuzz check-soak soak check-hosts hosts-table deps-hosts deps-matrix matrix fuzz causes causes-doc \
	deb deps-deb deps-dist dist deps-rpm rpm format bench bench-instructions examples programs install uninstall clean help lint
## builds libprof.so and prof (the default)
all: $O/libprof.so $O/libprof_workers.so $O/prof
.PHONY: $(WHOLE)
$(WHOLE): $(CURDIR)/%: %

# A link that is killed leaves no half of a file that looks new.
$O/libprof.so: $(SO_OBJ) preload/exports.map Makefile
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(SO_LDFLAGS) $(DIST_LDFLAGS) $(OPT) $(SO_STORES) $(LTO) -o $@.part $(SO_OBJ) $(SO_LIBS)
	$(Q)mv $@.part $@

# What prof bench preloads into trials that are not profiled.
$O/libprof_workers.so: agents/tbb/workers/workers.c agents/tbb/control.h Makefile
	@mkdir -p $(@D)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) -std=gnu11 $(OPT) $(WARN) -fPIC -shared -fvisibility=hidden -Wl,-soname,libprof_workers.so -Wl,-z,defs -Wl,-z,nodelete $(DIST_LDFLAGS) $< -o $@.part -ldl
	$(Q)mv $@.part $@

$O/prof: $(PROF_OBJ)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) $(SANFLAGS) $(DIST_LDFLAGS) -o $@.part $(PROF_OBJ) $(PROF_LIBS)
	$(Q)mv $@.part $@

# For DIST=1.
$O/glibc/libc.so: docs/packaging/dist/glibc.sh docs/packaging/dist/glibc.awk
	$(if $(Q),@echo "  GLIBC   $(@D)")
	$(Q)sh $< $(@D)

$O/start.o: docs/packaging/dist/start.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(PROF_CFLAGS) -c $< -o $@

$O/function_at.o: unwind/function_at.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(SO_CFLAGS) -DLIBUNWIND='"libprof_names.so"' $(LTO) -MMD -MP -c $< -o $@

$O/libprof_names.so: docs/packaging/dist/names.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  LINK    $@")
	$(Q)$(CC) -std=gnu11 $(OPT) $(WARN) -fPIC -shared -fvisibility=hidden -Wl,-soname,libprof_names.so -Wl,-z,defs $(DIST_LDFLAGS) $< -o $@ $(LIBC_PARTS)

# pprof's messages, from their schema.
$O/gen/pprof.pb-c.c $O/gen/pprof.pb-c.h &: report/export/pprof.proto
	@mkdir -p $(@D)
	$(if $(Q),@echo "  PROTOC  $<")
	$(Q)protoc-c --proto_path=report/export --c_out=$O/gen $<

$O/obj/gen/%.o: $O/gen/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(PROF_CFLAGS) -fmacro-prefix-map=$O/= -MMD -MP -c $< -o $@

$O/obj/report/commands/main.o: PROF_CFLAGS += -DLIBPROF_VERSION='"$(VERSION)"'
$O/obj/report/export/pprof.o: $O/gen/pprof.pb-c.h
$O/obj/report/export/pprof.o: PROF_CFLAGS += -I$O/gen
# prof view's page is bundled outside the source tree and goes into prof as two blocks of bytes.
# Without npm, or when the packages cannot be had, prof is whole but for that page; make view tries
# again.
$O/view/head.html: $(VIEW_SRC)
	@mkdir -p $(@D)
	$(if $(Q),@echo "  BUNDLE  $@")
	$(Q)cp report/view/package.json report/view/package-lock.json $(@D)/
	$(Q){ (cd $(@D) && $(NPM_CI)) && node report/view/build.mjs $(@D); } >$(@D)/log 2>&1 || { \
	  echo "  NOTE    prof view is left out: $$(awk -f report/view/reason.awk $(@D)/log) (all of it: $(@D)/log; again: make view)"; \
	  : >$@; : >$(@D)/tail.html; }

$O/obj/report/view/page-1.o: report/view/page.S $O/view/head.html
	@mkdir -p $(@D)
	$(if $(Q),@echo "  AS      $<")
	$(Q)$(CC) -DVIEW -Xassembler -I -Xassembler $O/view -c $< -o $@

$O/obj/report/view/page-0.o: report/view/page.S
	@mkdir -p $(@D)
	$(if $(Q),@echo "  NOTE    prof view is left out: $(if $(NPM),VIEW=0,no npm; make deps-view view)")
	$(Q)$(CC) -c $< -o $@

## builds the page of prof view, again if it failed
view: deps-view
	@find $O/view/head.html -size 0 -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory all VIEW=1
	@test -s $O/view/head.html

$O/obj/report/%.o: report/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(PROF_CFLAGS) -MMD -MP -c $< -o $@

# String functions of its own: nothing here may become a call of what it defines.
$O/obj/preload/base/libc.o $O/obj/preload/base/unwinder.o: LTO =
$O/obj/preload/base/libc.o: SO_CFLAGS += -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns

$O/obj/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(SO_CFLAGS) $(LTO) -MMD -MP -c $< -o $@

$O/examples/%: examples/%.cpp
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CXX     $<")
	$(Q)$(CXX) -std=c++17 -O2 -g -Wall -Iinclude -MMD -MP $< -o $@ -ltbb -pthread

$O/examples/%-mended: examples/%.cpp
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CXX     $@")
	$(Q)$(CXX) -std=c++17 -O2 -g -Wall -Iinclude -DMENDED -MMD -MP $< -o $@ -ltbb -pthread

# A runtime of its own, its agent, and a program of it: built as anybody would, with the public
# headers.
TINY_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -fPIC -fexceptions -Iinclude
$O/examples/tiny/lib%.so: examples/tiny/%.c examples/tiny/tiny.h include/libprof_agent.h
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(TINY_CFLAGS) -shared $< -o $@ -pthread -ldl

$O/examples/tiny/fib: examples/tiny/fib.c $O/examples/tiny/libtiny.so
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(TINY_CFLAGS) $< -o $@ -L$(@D) -ltiny -Wl,-rpath,'$$ORIGIN'

$O/programs/%: tests/programs/%.cpp
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CXX     $<")
	$(Q)$(CXX) -std=c++17 -O2 -g -Wall -Iinclude $(CXXFLAGS_PROGRAM) -MMD -MP $< -o $@ -ltbb -pthread -ldl

# The files of a folder are one translation unit: the headers of TBB, and the code that is made of
# them, take most of the time.
CASE_SRC = $(wildcard tests/programs/$(1)/*.cpp)
define case_program
$O/programs/obj/$(1).o: $(call CASE_SRC,$(1))
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  CXX     tests/programs/$(1)/*.cpp")
	$$(Q)printf '#include "%s"\n' $(call CASE_SRC,$(1)) | $$(CXX) -std=c++17 -O2 -g -Wall -Iinclude -Itests/programs \
		-MMD -MP -MF $$(@:.o=.d) -MT $$@ -x c++ -c - -o $$@

$O/programs/$(1): $O/programs/obj/cases.o $O/programs/obj/$(1).o
	$$(if $$(Q),@echo "  LINK    $$@")
	$$(Q)$$(CXX) $$^ -o $$@ -ltbb -pthread -ldl
endef
$O/programs/obj/cases.o: tests/programs/cases.cpp
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CXX     $<")
	$(Q)$(CXX) -std=c++17 -O2 -g -Wall -Iinclude -MMD -MP -c $< -o $@
$(foreach p,$(CASE_PROGRAMS),$(eval $(call case_program,$p)))
$O/programs/schedules: CXXFLAGS_PROGRAM = -fopenmp

OMP_EXAMPLE_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -fopenmp -Iinclude
$O/examples/openmp/%-libomp: examples/openmp/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $@")
	$(Q)$(CLANG) $(OMP_EXAMPLE_CFLAGS) -MMD -MP $< -o $@ -lm

$O/examples/openmp/%-mended: examples/openmp/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $@")
	$(Q)$(CC) $(OMP_EXAMPLE_CFLAGS) -DMENDED -MMD -MP $< -o $@ -lm

$O/examples/openmp/%: examples/openmp/%.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $@")
	$(Q)$(CC) $(OMP_EXAMPLE_CFLAGS) -MMD -MP $< -o $@ -lm

# The cases declare their dependences on variables that nothing else uses.
OMP_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-variable -Wno-sign-compare -fopenmp
define omp_program
$O/openmp/$(1)/%.o: tests/openmp/%.c
	@mkdir -p $$(@D)
	$$(if $$(Q),@echo "  CC      $$@")
	$$(Q)$(2) $$(OMP_CFLAGS) -Iinclude -Itests/openmp -MMD -MP -c $$< -o $$@

$O/openmp/constructs-$(1): $$(OMP_SRC:tests/openmp/%.c=$O/openmp/$(1)/%.o)
	$$(if $$(Q),@echo "  LINK    $$@")
	$$(Q)$(2) -fopenmp $$^ -o $$@ -ldl
endef
$(eval $(call omp_program,gcc,$(CC)))
$(if $(CLANG),$(eval $(call omp_program,clang,$(CLANG))))

# A unit test links the library's objects but not its start-up: it sets up what it needs. With SAN=,
# so do its objects have the sanitizer; libprof.so never has: a preloaded object cannot bring a
# sanitizer's runtime into a program that was not built for it.
UNIT_DIR := $O/$(if $(SAN),san,obj)
UNIT_OBJ := $(filter-out $(patsubst %,$(UNIT_DIR)/preload/lifecycle/%.o,start end exec fork posix_spawn namespaces sandbox) $(UNIT_DIR)/preload/base/libc.o $(UNIT_DIR)/agents/%,$(SO_SRC:%.c=$(UNIT_DIR)/%.o))
$O/san/%.o: %.c
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) $(SO_CFLAGS) $(SANFLAGS) -MMD -MP -c $< -o $@

.SECONDARY: $(UNIT_OBJ)
$O/unit/%: tests/unit/%.c $(addprefix tests/unit/,by_hand.c dag.c interpret.c stacks.c) $(wildcard tests/unit/*.h) $(UNIT_OBJ)
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) -std=gnu11 $(OPT) $(WARN) $(SANFLAGS) -Iinclude -Ipreload -I. -Itests/unit $(if $(filter thread,$(SAN)),-Itests/unit/tsan) \
		$(filter %.c,$^) $(UNIT_OBJ) -fno-lto -o $@ $(if $(filter thread,$(SAN)),,-lcriterion) -ldl -lpthread

# In a debug build, structures that are damaged on purpose.
$O/debug/corrupt: tests/debug/corrupt.c $(UNIT_OBJ)
	@mkdir -p $(@D)
	$(if $(Q),@echo "  CC      $<")
	$(Q)$(CC) -std=gnu11 $(OPT) $(WARN) -Iinclude -Ipreload -I. $< $(UNIT_OBJ) -fno-lto -o $@ -ldl -lpthread

## builds the programs of examples/
examples: $(EXAMPLES) $(OMP_EXAMPLES)
## builds the programs of the tests
programs: $(PROGRAMS) $(OMP_PROGRAMS)

# ---- set-up: installs what is missing, prints nothing when all is there ----
define install_packages
	@missing=$(call missing,$(1)); if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ]; then sudo=; elif command -v sudo >/dev/null; then sudo=sudo; \
	  else echo "missing packages; as root: apt-get install$$missing" >&2; exit 1; fi; \
	  echo "installing:$$missing"; \
	  { $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    --no-install-recommends --no-remove $$missing; } >/dev/null || \
	  { echo "not installed. To see what is in the way: apt-get install$$missing" >&2; exit 1; }; fi
endef
# PACKAGES, and the target that installs them: without one of them, nothing is begun.
define need_packages
	@missing=$(call missing,$(1)); [ -z "$$missing" ] || { \
	  echo "make $@: packages are missing: \`make $(2)' installs them, or as root: apt-get install$$missing" >&2; exit 1; }
endef
# Servers among them are not to be started: who may start services is told so for the time of the
# installation.
define install_quietly
	@if [ -e /usr/sbin/policy-rc.d ] || [ "$$(id -u)" != 0 ]; then :; else \
	  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d && touch $(POLICY); fi
	-$(call install_packages,$(1))
	@if [ -e $(POLICY) ]; then rm -f /usr/sbin/policy-rc.d $(POLICY); fi
endef
POLICY = /run/libprof-policy-rc.d
## installs the packages that building needs
deps: ; $(call install_packages,$(DEPS))
## installs the packages that most suites need
deps-test: deps ; $(call install_packages,$(DEPS_TEST) $(DEPS_DIST) $(DEPS_DEB))
## installs those of make demo, which does so itself
deps-demo: deps
	-$(call install_packages,$(DEPS_DEMO))
	-$(call install_packages,$(DEPS_VIEW))
## installs node and npm for the page of prof view, unless there is an npm
deps-view: deps ; $(call install_packages,$(DEPS_VIEW))

## installs packages, builds, profiles a small program and a real one
demo: deps-demo
	@$(MAKE) --no-print-directory all $O/examples/similar
	@sh examples/demo.sh $O

# What the gate uses, and what all suites use.
## installs what make check uses
deps-check: deps-test deps-view ; $(call install_packages,$(DEPS_VIEW_TEST) $(DEPS_MPI))
## installs what make check-all uses
deps-check-all: deps-check ; $(call install_quietly,$(DEPS_HOSTS_QUICK) $(DEPS_MATRIX) $(DEPS_MPICH))

TESTED = all examples programs $(UNIT)
RUN = @python3 tests/run.py $O
# The gate: what has one right answer on any machine, at any load.
## the gate: run it before each merge
check: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) $(TESTED)
	$(RUN) check

# All suites, in full. It goes on after a failure; build/check-all.txt is its table.
## all suites, in full: some 30 minutes
check-all: deps-check-all
	@$(MAKE) --no-print-directory -j$(JOBS) $(TESTED)
	$(RUN) all
JOBS := $(shell nproc)

# One case beside busy loops, N times: how often it failed. CASE is as it was printed: SUITE/NAME.
N ?= 200
## one case beside busy loops: CASE=SUITE/NAME, N=200 times
check-loop: $(TESTED)
	$(if $(CASE),,$(error make check-loop CASE=SUITE/NAME N=200))
	$(RUN) loop $(CASE) $(N)

# The gate beside busy loops, TIMES times: each case whose answers differ.
TIMES ?= 10
## the gate beside busy loops, TIMES=10 times: what differs
flaky: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) $(TESTED)
	$(RUN) flaky $(TIMES)

# One suite, in full.
$(SUITES_PLAIN:%=check-%): $(TESTED)
	$(RUN) all $(@:check-%=%)

# What libprof asks for is refused, a signal strikes at its instructions.
# FAULT=all: every call, every instruction: hours.
FAULT ?= some
check-fault: all
	@FAULT=$(FAULT) python3 tests/run.py $O all fault

# In a browser: Debian's chromium, without a screen.
check-view: deps-view
	$(call install_packages,$(DEPS_VIEW_TEST))
	@$(MAKE) --no-print-directory view examples programs
	$(RUN) all view

# Programs of Debian's packages, natively and with libprof: all of them; make check-all runs those
# that are small or quick.
## installs the programs that check-hosts runs
deps-hosts: deps-test deps-view ; $(call install_quietly,$(DEPS_HOSTS))
check-hosts: deps-hosts
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@CHECK_HOSTS=all python3 tests/run.py $O all hosts

# docs/HOSTS.md, from such a run. It fails where a host does, and writes the table all the same.
## writes docs/HOSTS.md
hosts-table: deps-hosts
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh tests/hosts/check.sh $O --table; mv $O/HOSTS.md docs/HOSTS.md

# In root file systems of other releases of Debian: builds, runs suites, and writes
# docs/PLATFORMS.md. The head of tests/matrix/matrix.sh names the other settings.
RELEASES ?= bullseye bookworm trixie sid
SUITES ?= programs openmp unit abi policy integration sampling report
## installs those of make matrix
deps-matrix: ; $(call install_packages,$(DEPS_MATRIX))
## suites on other releases of Debian: RELEASES=, SUITES=
matrix: deps-matrix
	@sh tests/matrix/matrix.sh "$(RELEASES)" "$(SUITES)"

# Tasks at full speed for a long time: SOAK=MINUTES each on TBB, libgomp and libomp, one after the
# other. make check-all has 20 seconds each.
SOAK ?= 30
## tasks at full speed: SOAK=MINUTES each on TBB, libgomp, libomp
soak check-soak: all
	@SOAK_SECONDS=$$(($(SOAK) * 60)) python3 tests/run.py $O all soak

# Hostile files: libFuzzer on everything that prof reads (tests/fuzz). FUZZ=MINUTES for each of its
# three targets.
FUZZ ?= 30
## libFuzzer on all that prof reads: FUZZ=MINUTES a target
fuzz: deps-test
	@sh tests/fuzz/run.sh $O $(FUZZ)

# The same for some seconds.
check-fuzz: deps-test
	$(RUN) all fuzz

# The page of causes, from the table that prof is built with.
causes-doc:
	python3 docs/causes.py report/analysis/causes.def tests/causes/programs \
		tests/causes/measured.md | cat -s > docs/CAUSES.md

# Random programs with known faults: what prof says against what the removal of the fault gains.
# It measures time, so an idle machine is needed, and no other target runs it. LOAD=N: next to N
# busy loops. SEEDS=programs: those of tests/causes/programs.
SEEDS ?= 1-40
LOAD ?= 0
## does prof name what costs time: SEEDS=FROM-TO, LOAD=N busy loops
causes: all
	@python3 tests/causes/test_judge.py
	@python3 tests/causes/run.py -b $O --load $(LOAD) -o $O/causes.txt \
		$(if $(filter programs,$(SEEDS)),--programs,$(SEEDS))

## costs of libprof, in pairs of runs
bench: all examples
	@bash bench/slowdown.sh -l $O/libprof.so

## the same in instructions
bench-instructions: all
	@bash bench/instructions.sh -l $O/libprof.so

## runs cppcheck
lint:
	cppcheck --quiet --enable=warning,portability --inline-suppr -DLIBPROF_VERSION='"$(VERSION)"' -Iinclude -Ipreload -I. -Ireport $(SO_SRC) $(PROF_SRC)

# Only of what was changed: the tree was not written by it.
## runs clang-format over what was changed
format:
	git diff --name-only --diff-filter=d HEAD -- '*.c' '*.h' | xargs -r clang-format -i

# Where a preload finds libprof.so by its name alone, LIBDIR=/usr/lib/MULTIARCH, prof finds it, too.
LIBDIR ?= $(PREFIX)/lib/libprof
PCDIR ?= $(PREFIX)/share/pkgconfig
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
HEADERS = include/libprof.h include/libprof_agent.h include/libprof_format.h
MANUALS = $(wildcard docs/man/*.1 docs/man/*.7)
# The pages keep their folders, so that the links between them hold.
DOCDIR ?= $(PREFIX)/share/doc/libprof
PAGES = README.md CHANGELOG.md CONTRIBUTING.md $(wildcard docs/*.md docs/pictures/*.png)
## installs under PREFIX
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR) $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PCDIR) \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7 $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR)
	install -m 755 $O/prof $(DESTDIR)$(PREFIX)/bin/prof
	install -m 644 $O/libprof.so $O/libprof_workers.so $(DESTDIR)$(LIBDIR)/
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' include/libprof.pc.in >$(DESTDIR)$(PCDIR)/libprof.pc
	chmod 644 $(DESTDIR)$(PCDIR)/libprof.pc
	install -m 644 $(filter %.1,$(MANUALS)) $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(filter %.7,$(MANUALS)) $(DESTDIR)$(PREFIX)/share/man/man7/
	for page in $(PAGES); do install -D -m 644 $$page $(DESTDIR)$(DOCDIR)/$$page || exit 1; done
	install -m 644 report/completion/prof.bash $(DESTDIR)$(BASHDIR)/prof
	install -m 644 report/completion/_prof $(DESTDIR)$(ZSHDIR)/_prof

## removes what make install has installed
uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/bin/prof $(DESTDIR)$(LIBDIR)/libprof.so $(DESTDIR)$(LIBDIR)/libprof_workers.so $(HEADERS:include/%=$(DESTDIR)$(PREFIX)/include/%) \
		$(DESTDIR)$(PCDIR)/libprof.pc $(DESTDIR)$(BASHDIR)/prof $(DESTDIR)$(ZSHDIR)/_prof \
		$(patsubst docs/man/%.1,$(DESTDIR)$(PREFIX)/share/man/man1/%.1,$(filter %.1,$(MANUALS))) \
		$(patsubst docs/man/%.7,$(DESTDIR)$(PREFIX)/share/man/man7/%.7,$(filter %.7,$(MANUALS))) \
		$(PAGES:%=$(DESTDIR)$(DOCDIR)/%)
	@rmdir $(DESTDIR)$(DOCDIR)/docs/pictures $(DESTDIR)$(DOCDIR)/docs $(DESTDIR)$(DOCDIR) 2>/dev/null || true
	@rmdir $(DESTDIR)$(LIBDIR) 2>/dev/null || true

# A package of what is built: libprof.so stands where LD_PRELOAD=libprof.so finds it.
MULTIARCH = $(shell $(CC) -print-multiarch 2>/dev/null)
## installs the packages that make deb needs
deps-deb: deps ; $(call install_packages,$(DEPS_DEB))
## makes a Debian package
deb:
	$(call need_packages,$(DEPS) $(DEPS_DEB),deps-deb)
	@$(MAKE) --no-print-directory all
	@rm -rf $O/deb && mkdir -p $O/deb
	$(Q)$(MAKE) --no-print-directory -s install O=$O DESTDIR=$(abspath $O)/deb/root PREFIX=/usr \
		LIBDIR=/usr/lib/$(MULTIARCH) PCDIR=/usr/lib/$(MULTIARCH)/pkgconfig ZSHDIR=/usr/share/zsh/vendor-completions
	@sh docs/packaging/deb.sh $O/deb/root $(VERSION) $O/deb $O/view/head.html

# The same as a tree that runs wherever it is unpacked, on machines with glibc 2.31 or later. The
# objects are those of $O, but for one that has another name inside.
DIST_NAME = libprof-$(VERSION)-$(ARCH)
## installs the packages that make dist needs
deps-dist: deps ; $(call install_packages,$(DEPS_DIST))
## makes an archive for machines with glibc 2.31 or later, to unpack anywhere
dist:
	$(call need_packages,$(DEPS) $(DEPS_DIST),deps-dist)
	@$(MAKE) --no-print-directory all
	@mkdir -p $O/dist && cp -au $O/obj $O/gen $$(find $O/view -prune 2>/dev/null) $O/dist
	$(Q)$(MAKE) --no-print-directory all DIST=1 O=$O/dist VIEW=$(VIEW)
	@rm -rf $O/dist/root
	$(Q)$(MAKE) --no-print-directory -s install DIST=1 O=$O/dist VIEW=$(VIEW) DESTDIR= PREFIX=$(abspath $O)/dist/root/$(DIST_NAME)
	@sh docs/packaging/dist/pack.sh $O/dist $O/dist/root/$(DIST_NAME) $O

# A package for rpm of that tree.
## installs the packages that make rpm needs
deps-rpm: deps-dist ; $(call install_packages,$(DEPS_RPM))
## makes a package for rpm of that archive
rpm:
	$(call need_packages,$(DEPS) $(DEPS_DIST) $(DEPS_RPM),deps-rpm)
	@$(MAKE) --no-print-directory dist
	@rm -rf $O/rpm && mkdir -p $O/rpm
	$(Q)rpmbuild -bb --quiet --target $(ARCH) --define '_topdir $(abspath $O)/rpm' --define '_rpmdir $(abspath $O)/rpm' \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		--define 'tree $(abspath $O)/dist/root/$(DIST_NAME)' --define 'number $(VERSION)' docs/packaging/libprof.spec
	@ls $O/rpm/*.rpm

## removes all builds
clean:
	rm -rf build build-*

## lists these
help: ; @awk -v more_targets="$(SUITES_PLAIN:%=check-%)" -f docs/help.awk Makefile

-include $(sort $(SO_OBJ:.o=.d) $(UNIT_OBJ:.o=.d)) $(PROF_SRC:%.c=$O/obj/%.d) $(EXAMPLES:%=%.d) $(FILE_PROGRAMS:%=%.d) $(OMP_OBJ:.o=.d) $(CASE_PROGRAMS:%=$O/programs/obj/%.d) $O/programs/obj/cases.d
