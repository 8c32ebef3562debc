# Sparring: what a developer runs by hand is what the checks run.

CARGO ?= cargo
EXE ?= sparring-uci
CHROMIUM ?= /usr/bin/chromium

# The engine alone, as test rigs for engines call it: `make EXE=name`. Needs neither Node nor the daemon's crates.
# With TUNE=1 the numbers of the search are UCI options, as tuners want them.
.PHONY: engine
engine:
	$(CARGO) build --locked --profile dist --no-default-features $(if $(TUNE),--features tune) --bin sparring-uci
	cp target/dist/sparring-uci $(EXE)

.PHONY: help
help:
	@echo 'make play          build everything and play against the bot in the browser, no account needed'
	@echo 'make test          format, lints, all tests, browser tests (what .ci/run calls)'
	@echo 'make check         validate bot.toml, books and personalities'
	@echo 'make bench         the engine'"'"'s signature: nodes over fixed positions, and speed'
	@echo 'make suites        test suites at a second a move, with the bars they have to reach'
	@echo 'make ultra-blitz   self-play at 1+0.01: nobody may lose on time (GAMES=4000)'
	@echo 'make bench-daemon  start-up, memory, latency and 200 games, printed as a table'
	@echo 'make bench-books   opening books: reading, looking up, growing, compiled, printed as a table'
	@echo 'make witness-books python-chess reads our Polyglot books and must find what we say (needs python3)'
	@echo 'make judge-books   the engine looks at every end of the shipped books: none may stand below -1.2'
	@echo 'make web           build the page into web/dist'
	@echo 'make screenshots   take the pictures of the README anew (needs chromium)'
	@echo 'make deny          licences and sources of all dependencies (needs cargo-deny)'
	@echo 'make EXE=name      the UCI engine alone (default target)'

.PHONY: play
play: web
	$(CARGO) run --locked --release --bin sparring -- play

# The page. A stamp keeps npm from running when nothing changed.
.PHONY: web
web: web/dist/index.html

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

web/dist/index.html: web/node_modules/.package-lock.json $(shell find web/src web/public -type f 2>/dev/null) $(wildcard web/*.mjs web/tsconfig.json)
	cd web && npm run --silent build
	touch $@

.PHONY: test
test: fmt lint web test-rust test-web

.PHONY: fmt
fmt:
	$(CARGO) fmt --check

.PHONY: lint
lint:
	$(CARGO) clippy --locked --all-targets -- -D warnings
	$(CARGO) clippy --locked --no-default-features --lib --bin sparring-uci -- -D warnings

.PHONY: test-rust
test-rust: web
	$(CARGO) test --locked

.PHONY: test-web
test-web: web chromium
	$(CARGO) build --locked --bin sparring
	cd web && npm run --silent check && CHROMIUM=$(CHROMIUM) SPARRING_BIN=../target/debug/sparring npm test --silent

# The pictures of the README, taken from a game against the real program.
.PHONY: screenshots
screenshots: web chromium
	$(CARGO) build --locked --bin sparring
	cd web && CHROMIUM=$(CHROMIUM) SPARRING_BIN=../target/debug/sparring npm run --silent screenshots

# Debian's browser, only where it is missing.
.PHONY: chromium
chromium:
	@test -x $(CHROMIUM) || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)

.PHONY: check
check:
	$(CARGO) run --locked --release --bin sparring -- check

.PHONY: bench
bench:
	$(CARGO) run --locked --profile dist --no-default-features --bin sparring-uci -- bench

# Shared test data, which lies beside the checkout.
TESTDATA ?= ../shared/testdata
MOVETIME ?= 1000
.PHONY: suites
suites:
	$(CARGO) build --locked --release --bin sparring
	target/release/sparring suite $(TESTDATA)/suites/bratko-kopec.epd --movetime $(MOVETIME)   # at least 20 of 24
	target/release/sparring suite $(TESTDATA)/suites/iq4.epd --movetime $(MOVETIME)   # at least 165 of 183
	target/release/sparring suite $(TESTDATA)/suites/mates-classic280.epd --movetime $(MOVETIME) --up-to-mate 5   # all

# Every flag, crash and illegal move is counted as a forfeit; the clocks have no margin at all.
GAMES ?= 4000
.PHONY: ultra-blitz
ultra-blitz: engine
	$(CARGO) build --locked --release --bin sparring
	target/release/sparring match ./$(EXE) ./$(EXE) --tc 1+0.01 --games $(GAMES) --concurrency 2 --margin 0 \
		--no-adjudication --openings $(TESTDATA)/book/openings.epd

.PHONY: bench-daemon
bench-daemon:
	$(CARGO) run --locked --release --bin sparring -- bench-daemon

.PHONY: bench-books
bench-books:
	$(CARGO) build --locked --release --bin sparring
	SPARRING=target/release/sparring $(CARGO) run --locked --release --no-default-features --example book_speed

# Another program reads what we export, position by position.
WITNESS ?= target/witness
.PHONY: witness-books
witness-books: $(WITNESS)/bin/python
	$(CARGO) build --locked --release --bin sparring
	$(WITNESS)/bin/python tests/witness/polyglot.py target/release/sparring books/*.book

$(WITNESS)/bin/python:
	python3 -m venv $(WITNESS)
	$(WITNESS)/bin/pip install --quiet --disable-pip-version-check chess==1.11.2

# Warnings are failures here: a line that ends below -1.2 for a side that chose it, and is not marked.
.PHONY: judge-books
judge-books:
	$(CARGO) build --locked --release --bin sparring
	target/release/sparring book check --engine --depth 14 --worse 120 --strict books/*.book

.PHONY: deny
deny:
	cargo deny --locked check licenses bans sources
