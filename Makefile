# Builds, checks and installs the two programs. SwiftPM does the work; the libraries need nothing from here.
#
#   make                      both programs, linked for shipping, in out/bin
#   make test lint format     the test suite; the style checks; reformat the sources
#   make clients              the checks of the clients in Python and C, with a hub that was built
#   make docs                 the documentation of the libraries as static HTML, in out/docs; a link that leads nowhere fails
#   make demo                 a hub, three subscriber processes and a writer, in ten seconds
#   make man                  the manual pages, from what the programs say about themselves
#   make install uninstall    [DESTDIR=] [PREFIX=/usr/local]; install-strip leaves the symbols out
#   make deb                  a Debian package of all this, in out/deb; MAINTAINER='Name <address>' is who answers for it
#   make dist                  everything that a release publishes, in out/dist: archive, packages, image, checksums
#   make clean

SWIFT ?= swift
PREFIX ?= /usr/local
bindir = $(PREFIX)/bin
mandir = $(PREFIX)/share/man
docdir = $(PREFIX)/share/doc/statehub
unitdir = $(PREFIX)/lib/systemd
systemunitdir = $(unitdir)/system
systempresetdir = $(unitdir)/system-preset

programs = out/bin/statehub out/bin/statectl
pages = out/man/statehub.8 out/man/statectl.1
sources = Package.swift $(wildcard Sources Tests Tools Examples Benchmarks)

.PHONY: all statehub statectl man test clients lint format docs demo install install-strip uninstall deb dist clean
.DELETE_ON_ERROR:

all: statehub statectl

# The Swift runtime is linked statically, glibc dynamically: user and group names come from NSS, which loads modules. Nothing
# looks for symbols of the program, so it exports none, and the linker drops what is not used.
statehub: | out/link
	$(SWIFT) build -c release --product statehub --static-swift-stdlib $(linking) \
	  -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic
	install -D -C -m 755 .build/release/statehub out/bin/statehub

# The linker is the toolchain's lld, which searches out/link first. There is the C++ runtime as archives only: to bind
# libstdc++'s own 1,600 references takes a third of a start. And the standard library, with functions that may be dropped.
# Without such archives, or without Python for the latter, the linker uses what it finds.
linking = -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc --ld-path=$(CURDIR)/out/link/ld.lld
out/link:
	@install -d $@
	@ln -sf $$(clang -print-file-name=libstdc++.a) $@/libstdc++.a
	@ln -sf $$(clang -print-file-name=libgcc_eh.a) $@/libgcc_s.a
	@library=$$($(SWIFT)c -print-target-info -static-stdlib | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux/libswiftCore.a; \
	  if [ -f $$library ] && command -v python3 >/dev/null; then packaging/link/unretain $$library $@/libswiftCore.a; fi
	@printf '#!/bin/sh\nexec %s -L%s "$$@"\n' "$$(clang -print-prog-name=ld.lld)" '$(CURDIR)/$@' >$@/ld.lld
	@chmod +x $@/ld.lld

# Needs no NSS, and starts in half the time. (The linker warns of a dlopen in the Swift runtime, which nothing calls.)
# The build folder is its own, because SwiftPM would else compile all again whenever the two ways of linking alternate.
# What a start touches lies together, by a list that packaging/start/order writes; SwiftPM does not know of it.
order = packaging/start/statectl.order
statectl: | out/link
	@[ .build-static/release/statectl -nt $(order) ] || rm -f .build-static/release/statectl
	$(SWIFT) build -c release --product statectl --scratch-path .build-static -Xswiftc -static-executable $(linking) \
	  -Xlinker -T -Xlinker $(CURDIR)/packaging/link/statectl.ld \
	  -Xlinker --symbol-ordering-file=$(CURDIR)/$(order) -Xlinker --no-warn-symbol-ordering
	install -D -C -m 755 .build-static/release/statectl out/bin/statectl

test:
	$(SWIFT) test

clients:
	Clients/check

demo:
	$(SWIFT) run demo

docs:
	SWIFT=$(SWIFT) .ci/docs

lint:
	@.ci/tracked
	@.ci/language
	@.ci/links
	@.ci/track-record
	@.ci/limits
	$(SWIFT) format lint --strict --parallel --recursive $(sources)
	@find $(sources) '(' -path '*/.build' -o -name '*.docc' ')' -prune -o -type f '(' -name '*.swift' -o -name '*.h' -o -name '*.c' ')' -print0 \
	  | xargs -0 awk -f .ci/headers.awk

format:
	$(SWIFT) format --in-place --parallel --recursive $(sources)

man: $(pages)
out/man/statehub.8 out/man/statectl.1: out/man/%: packaging/man/%.in packaging/man/generate packaging/man/help.awk $(programs)
	packaging/man/generate out/bin/$(basename $*) $< $@

# The files to install: each as SOURCE:FOLDER, with the name of the source. Only docs/README.md has another name there, index.md,
# since all pages lie in one folder.
examples = $(wildcard Examples/*.*) $(wildcard Examples/*/*)
files = \
  $(programs:%=%:$(bindir)) \
  out/man/statehub.8:$(mandir)/man8 out/man/statectl.1:$(mandir)/man1 \
  $(addsuffix :$(systemunitdir),$(wildcard systemd/system/*)) \
  $(addsuffix :$(unitdir)/user,$(wildcard systemd/user/*)) \
  $(addsuffix :$(unitdir)/catalog,$(wildcard systemd/catalog/*)) \
  $(addsuffix :$(systempresetdir),$(wildcard systemd/system-preset/*)) \
  $(addsuffix :$(unitdir)/user-preset,$(wildcard systemd/user-preset/*)) \
  systemd/sysusers.d/statehub.conf:$(PREFIX)/lib/sysusers.d \
  systemd/tmpfiles.d/statehub.conf:$(PREFIX)/lib/tmpfiles.d \
  $(addprefix packaging/completions/,$(addsuffix :$(PREFIX)/share/bash-completion/completions,statectl statehub)) \
  packaging/completions/_statectl:$(PREFIX)/share/zsh/site-functions \
  $(addprefix packaging/completions/,$(addsuffix :$(PREFIX)/share/fish/vendor_completions.d,statectl.fish statehub.fish)) \
  $(addsuffix :$(docdir),README.md CHANGELOG.md LICENSE $(filter-out docs/api docs/internals docs/vectors,$(wildcard docs/*))) \
  $(addsuffix :$(docdir)/api,$(wildcard docs/api/*)) \
  $(addsuffix :$(docdir)/vectors,$(wildcard docs/vectors/*)) \
  $(foreach example,$(examples),$(example):$(docdir)/$(patsubst %/,%,$(dir $(example:Examples/%=examples/%))))

built = @for program in $(programs); do \
	  test -x $$program || { echo "make $@: there is no $$program: run make first" >&2; exit 1; }; \
	done

# What `make` has built is installed as it is: nothing is compiled by the user who may write to PREFIX. The units name
# the programs where they are installed.
install:
	$(built)
	@$(MAKE) --no-print-directory man
	@set -e; for file in $(files); do \
	  source=$${file%%:*} target=$(DESTDIR)$${file#*:}; \
	  install -d $$target; \
	  case $$source in \
	    out/bin/*) install -m 755 $(stripping) $$source $$target ;; \
	    systemd/*) sed 's|/usr/bin/state|$(bindir)/state|' $$source | install -m 644 /dev/stdin $$target/$${source##*/} ;; \
	    out/man/*) sed 's|/usr/share/doc/statehub|$(docdir)|' $$source | install -m 644 /dev/stdin $$target/$${source##*/} ;; \
	    docs/README.md) packaging/doc/page $$source | install -m 644 /dev/stdin $$target/index.md ;; \
	    *.md) packaging/doc/page $$source | install -m 644 /dev/stdin $$target/$${source##*/} ;; \
	    *) install -m 644 $$source $$target ;; \
	  esac; \
	done

install-strip: stripping = -s
install-strip: install

uninstall:
	@for file in $(files) index.md:$(docdir); do source=$${file%%:*}; rm -f $(DESTDIR)$${file#*:}/$${source##*/}; done
	@if [ -d $(DESTDIR)$(docdir) ]; then find $(DESTDIR)$(docdir) -depth -type d -empty -delete; fi

deb:
	$(built)
	@$(MAKE) --no-print-directory man
	version=$$(out/bin/statehub --version) && packaging/deb statehub "$${version#* }" . out/deb

dist:
	$(built)
	@$(MAKE) --no-print-directory man
	version=$$(out/bin/statehub --version) && packaging/dist "$${version#* }" out/dist

clean:
	rm -rf .build .build-static out
