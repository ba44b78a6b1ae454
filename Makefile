# Builds, checks and installs the two programs. SwiftPM does the work; the libraries need nothing from here.
#
#   make                      both programs, linked for shipping, in out/bin
#   make test lint format     the test suite; the style checks; reformat the sources
#   make docs                 the documentation of the libraries, in out/docs; a link that leads nowhere fails
#   make demo                 a hub, three subscriber processes and a writer, in ten seconds
#   make install uninstall    [DESTDIR=] [PREFIX=/usr/local]; install-strip leaves the symbols out
#   make clean

SWIFT ?= swift
PREFIX ?= /usr/local
bindir = $(DESTDIR)$(PREFIX)/bin

programs = out/bin/statehub out/bin/statectl
sources = Package.swift $(wildcard Sources Tests Examples Benchmarks)

.PHONY: all statehub statectl test lint format docs demo install install-strip uninstall clean
.DELETE_ON_ERROR:

all: statehub statectl

# The Swift runtime is linked statically, glibc dynamically: user and group names come from NSS, which loads modules.
statehub:
	$(SWIFT) build -c release --product statehub --static-swift-stdlib
	install -D -C -m 755 .build/release/statehub out/bin/statehub

# Needs no NSS, and starts in half the time. (The linker warns of what Foundation has for user names; nothing calls it.)
# The build folder is its own, because SwiftPM would else compile all again whenever the two ways of linking alternate.
statectl:
	$(SWIFT) build -c release --product statectl --scratch-path .build-static -Xswiftc -static-executable
	install -D -C -m 755 .build-static/release/statectl out/bin/statectl

test:
	$(SWIFT) test

demo:
	$(SWIFT) run demo

docs:
	SWIFT=$(SWIFT) .ci/docs

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(sources)
	@find $(sources) -path '*/.build' -prune -o '(' -name '*.swift' -o -name '*.h' -o -name '*.c' ')' -print0 \
	  | xargs -0 awk -f .ci/headers.awk

format:
	$(SWIFT) format --in-place --parallel --recursive $(sources)

# What `make` has built is installed as it is: nothing is compiled by the user who may write to PREFIX.
install:
	@for program in $(programs); do \
	  test -x $$program || { echo "make install: there is no $$program: run make first" >&2; exit 1; }; \
	done
	install -d $(bindir)
	install -m 755 $(stripping) $(programs) $(bindir)

install-strip: stripping = -s
install-strip: install

uninstall:
	rm -f $(addprefix $(bindir)/,$(notdir $(programs)))

clean:
	rm -rf .build .build-static out
