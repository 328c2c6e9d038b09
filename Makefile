# Heliograph's build and tests. `make` lists the targets.

RUN_PACKAGES := libwebsockets-dev libwebsockets-evlib-ev libssl-dev libsqlite3-dev libqrencode-dev pkg-config libnghttp2-dev zlib1g-dev esbuild
TEST_PACKAGES := chromium chromium-headless-shell curl fonts-dejavu-core nodejs node-typescript tmux python3-venv strace procps sqlite3 faketime nftables iproute2 \
	nghttp2-client nghttp2-server systemd openssl openssh-client dpkg-dev binutils man-db firefox-esr libnotify4 dbus-daemon libpq5 tzdata \
	postgresql-client zsh fish lintian webkit2gtk-driver xvfb
# Servers that are unpacked into .build/servers instead of installed, because their packages would start services.
TEST_SERVERS := nginx caddy prometheus postgresql pgbouncer libc-ares2
# Packages for the C programs that `make bench` compares the relay with.
BENCH_PACKAGES := gcc libc6-dev libsqlite3-dev libwebsockets-dev pkg-config openssl

# `make run ARGS="--listen 127.0.0.1:9000"` passes arguments on.
ARGS ?=
# Factor on the tests' time limits, because machines are shared and busy.
PATIENCE ?= 3
# On a machine where faults can be simulated a skipped test of faults counts as failed; elsewhere the run lists the skipped ones.
SKIPS ?= $(shell Tests/Tools/may-make-faults && echo fail || echo allow)
MINUTES ?= 10
# The tests of real agents to run: `changed` runs all tests of agents that changed and the others' journeys; `all` runs every test.
AGENTS ?= changed
# Processes that run the integration tests' files in parallel. Most tests wait, so there may be more processes than processors.
WORKERS ?= 6
# Seconds of processor time for each fuzz target.
SECONDS ?= 60
JOBS ?= 1
RELEASE := swift build -c release --static-swift-stdlib --disable-local-rpath --product
BINARY := .build/release/heliograph
# The main program, and the small one that agents' hooks call; both are in one folder.
PROGRAMS := $(RELEASE) heliograph && $(RELEASE) heliograph-hook
# Further programs in the package.
PROGRAMS_BESIDE := $(RELEASE) heliograph-bench && $(RELEASE) heliograph-apns-simulator
PYTHON := .venv/bin/python
NO_SKIPS = HELIOGRAPH_SKIPS=$(SKIPS)
# Package.swift reads this variable: warnings in the tests' own targets become errors.
STRICT := HELIOGRAPH_STRICT=1
# One build for every test, with assertions and `-enable-testing`: modules that compute are optimised, process modules and tests are not
# (`asWritten` in Package.swift). That is the only difference from the released programs; `make nightly` tests the released flags.
CHECKED := .build/check
BUILD_CHECKED := HELIOGRAPH_CHECKED=1 $(STRICT) swift build -c release -Xswiftc -enable-testing --scratch-path $(CHECKED)
TESTED := $(CHECKED)/release/heliograph
SIMULATE := $(CHECKED)/release/heliograph-simulate
# The program that `swift test` runs, called directly because `swift test` locks the build folder.
SUITES := $(CHECKED)/release/heliographPackageTests.xctest --testing-library swift-testing
# The build of a single module's tests: unoptimised and linked alone, a few seconds after a change.
MODULE_SCRATCH := .build/tests
MODULE_SUITES := $(MODULE_SCRATCH)/debug/heliographPackageTests.xctest --testing-library swift-testing
# First seed of the simulated worlds, derived from the commit so that each commit tries other worlds.
FROM ?= $(shell printf %d 0x$$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1))
WORLDS ?= 500
INTEGRATION = $(NO_SKIPS) HELIOGRAPH_AGENTS=$(AGENTS) HELIOGRAPH_PATIENCE=$(PATIENCE) WORKERS=$(WORKERS) \
	Tests/Tools/untouched Tests/Tools/reaped $(PYTHON) Tests/Tools/integration.py --timeout=$$((120 * $(PATIENCE))) Tests/Integration $(PYTEST)
# Ends a test run that prints nothing for 300 s, many times what the longest test needs; the last line then names the test that hangs.
WATCHED := Tests/Tools/reaped Tests/Tools/watched 300 stdbuf --output=L
# Modules below Tests/ that are tools rather than tests, and follow the rules of Sources.
TOOLS := APNsSimulator APNsSimulatorServer HeliographBench RelaySimulation heliograph-apns-simulator heliograph-bench heliograph-simulate
# Modules whose folders may depend on each other in larger circles than pairs; record 0038 gives the reasons.
WITH_CIRCLES := Tests/APNsSimulator Sources/HeliographHTTP2 Tests/RelaySimulation Sources/WebSocketEngine
WITHOUT_CIRCLES := $(filter-out $(WITH_CIRCLES),$(wildcard Sources/*) $(addprefix Tests/,$(TOOLS)))
# Swift tests without sockets, daemons and clocks: they only compute, and can run while others wait.
PURE_TESTS := AgentACP AgentClaude AgentCodex AgentLocal APNsSimulator ChannelAPNs ChannelWeb Consent ConsentKeys DeviceConsent Fuzz HeliographCrypto HeliographKit HeliographLink HeliographQRCode \
	HeliographZlib HostCore Layering LiveActivityKit PageBundle PushPlanner RelayCluster RelayCore RelayNode RelayProtocol RelaySimulation
EMPTY :=
THE_PURE := ^($(subst $(EMPTY) $(EMPTY),|,$(strip $(PURE_TESTS))))Tests[.]
THE_STORES := ^(RelayStore|StorePostgres|StoreSQLite)Tests[.]
# Paths that `swift format` checks.
SWIFT := Package.swift Sources Tests deploy/ios

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

run: packages ## Install what is missing, build, and start the relay on http://127.0.0.1:8787
	@$(PROGRAMS)
	@exec $(BINARY) serve $(ARGS)

build: packages ## Build the release binary, .build/release/heliograph, with heliograph-hook, -bench and -apns-simulator next to it
	$(PROGRAMS) && $(PROGRAMS_BESIDE)

demo: build ## Play a recorded session, and a phone, into the relay of `make run` (or one of its own)
	@Tests/Tools/install-packages python3 openssl
	@exec python3 Tests/Tools/demo.py $(ARGS)

gallery: build-tests venv ## Take pictures of every view in every state, to look at: .build/gallery/index.html (ARGS="--only inbox --locale de-DE")
	HELIOGRAPH_BIN=$(abspath $(TESTED)) $(PYTHON) Tests/Tools/gallery.py $(ARGS)

pictures: build venv ## Take the README's pictures, of the page and of the Lock Screen
	$(PYTHON) Tests/Tools/screenshot.py $(ARGS)

test: test-web ## Every test: the page's modules, Swift, the simulation, and the programs with real agents and browsers
	@NICENESS=0 Tests/Tools/beside .build/installing.log "$(MAKE) --no-print-directory servers venv" "$(MAKE) --no-print-directory build-tests"
	@# Most tests wait for something, and leave the processors to what only computes.
	@NICENESS=10 Tests/Tools/beside .build/computing.log "$(MAKE) --no-print-directory test-pure test-simulation" \
		"$(MAKE) --no-print-directory test-serial test-integration"

build-tests: packages
	$(BUILD_CHECKED) --build-tests

# Two groups run in parallel, stores and all others, and each runs one test at a time: many tests depend on the timing of real sockets and
# processes, on machines of two processors, and most of them wait.
test-serial:
	@NICENESS=0 Tests/Tools/beside .build/stores.log "$(MAKE) --no-print-directory test-stores" "$(MAKE) --no-print-directory test-sockets"

test-stores:
	$(STRICT) $(NO_SKIPS) Tests/Tools/untouched $(WATCHED) $(SUITES) --no-parallel --filter '$(THE_STORES)'

test-sockets:
	$(STRICT) $(NO_SKIPS) Tests/Tools/untouched $(WATCHED) $(SUITES) --no-parallel --skip '$(THE_PURE)' --skip '$(THE_STORES)'

# One test at a time, because in parallel a test with a time limit would wait for all others.
test-pure:
	$(STRICT) $(NO_SKIPS) $(WATCHED) $(SUITES) --no-parallel --filter '$(THE_PURE)'

test-module: packages ## Build and run the tests of one module: M=HostCore, FILTER=NameOfSuite
	HELIOGRAPH_MODULE=$(M) $(STRICT) swift build --build-tests --scratch-path $(MODULE_SCRATCH)
	$(STRICT) $(NO_SKIPS) $(WATCHED) $(MODULE_SUITES) --no-parallel --filter '^$(M)Tests[.]$(FILTER)'

# Fails unless the simulation detects every planted fault.
test-simulation:
	$(SIMULATE) --from $(FROM) --seeds $(WORLDS)
	$(SIMULATE) --nodes --from $(FROM) --seeds $(WORLDS)
	$(SIMULATE) --plants --seeds 500

simulator: packages
	$(RELEASE) heliograph-simulate

test-web: test-packages
	node --test --test-reporter=spec Tests/Web

# With AGENTS=all every test with a real agent runs; otherwise only the journeys of unchanged agents do.
test-integration: build-tests venv servers
	HELIOGRAPH_BIN=$(abspath $(TESTED)) $(INTEGRATION)

check: lint test ## What CI runs: format, words, types, then every test (layering and the fuzz targets' kept corpus are among them)

nightly: ## Hours, a report in .build/nightly: every agent's tests, the released flags, 100,000 worlds, fuzzing, soak, sanitizers; ARGS="--only fuzz"
	Tests/Tools/nightly.py $(ARGS)

# Runs the relay's tests with sealed content: Tests/Integration/sealed_relay.py.
test-sealed: build-tests venv servers
	HELIOGRAPH_CONTENT=sealed HELIOGRAPH_BIN=$(abspath $(TESTED)) $(INTEGRATION)

# Runs the integration tests with programs built like released ones.
test-released: build build-tests venv servers
	$(INTEGRATION)

# Half of the soak has to be long enough for the core's memory to reach the level that retention permits.
worlds: simulator
	.build/release/heliograph-simulate --seed 1 --hours 16
	.build/release/heliograph-simulate --from $(FROM) --seeds 50000
	.build/release/heliograph-simulate --nodes --from $(FROM) --seeds 50000

fuzz: packages ## Fuzz what untrusted bytes reach, and keep what was found: SECONDS=3600 of processor time a target, JOBS=2 at a time, ARGS="--only codec"
	@# As a release, whose modules are compiled as a whole: two thirds of the time.
	$(STRICT) HELIOGRAPH_FUZZ=1 swift build -c release -Xswiftc -enable-testing --product fuzz --scratch-path .build/fuzz
	Tests/Tools/fuzz.py --keep --seconds $(SECONDS) --jobs $(JOBS) $(ARGS)

redaction: ## What would be hidden as a secret in a file of commands, one a line: COMMANDS=file
	HELIOGRAPH_COMMANDS=$(COMMANDS) $(MAKE) --no-print-directory test-module M=HostCore FILTER=SecretMeasureTests/ofOnesOwn

rules: ## How many lines of a file of commands the rules' parser reads, held against bash: COMMANDS=file
	HELIOGRAPH_COMMANDS=$(COMMANDS) $(MAKE) --no-print-directory test-module M=HostRules FILTER=ParserMeasureTests

sanitize: packages venv ## Run the tests under the address and the thread sanitizer (half an hour each); ARGS="--only thread"
	$(PYTHON) Tests/Tools/sanitize.py $(ARGS)

openhands-check: build venv ## The rest of what was tried with the real OpenHands: each of these starts it anew (`make test` runs most)
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/check_openhands.py \
		Tests/Integration/check_openhands_steering.py $(PYTEST)

claude-check: build venv servers ## The tests with the real Claude Code on its oldest, pinned and newest version, from PyPI, as a table (an hour); ARGS=0.2.182
	$(PYTHON) Tests/Tools/claude_versions.py $(ARGS)

pydantic-check: build venv ## Decide about, and steer, an agent behind the real pydantic-acp, from PyPI
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/check_pydantic.py $(PYTEST)

codex-check: build venv ## Decide in, and steer, old versions of the real Codex, from PyPI, at a server started by hand (their installation takes minutes)
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/check_codex.py $(PYTEST)

autobahn: build venv ## Run the Autobahn test suite against the engine, libwebsockets and Python's websockets (minutes); ARGS=--quick
	@Tests/Tools/install-packages $(BENCH_PACKAGES)
	$(RELEASE) autobahn-echo
	$(PYTHON) Tests/Tools/autobahn.py $(ARGS)

deploy-check: build venv test-packages servers ## Check what deploy/ holds: proxies, units, package, containers, rules (part of `make test`)
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/test_deploy_*.py Tests/Integration/test_proxies.py $(PYTEST)

deb: build ## Build the Debian package, .build/heliograph_….deb
	@Tests/Tools/install-packages dpkg-dev binutils python3
	@rm -f .build/heliograph_*.deb .build/heliograph-dbgsym_*.deb
	deploy/debian/build $(BINARY) .build

deb-check: build venv test-packages ## Install, run, upgrade, remove and purge the package in a clean Debian root, then under its systemd (root, minutes)
	@Tests/Tools/install-packages debootstrap systemd-container
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/check_debian_root.py $(PYTEST)

image-check: build venv test-packages ## Build the container's image by hand in clean roots of its Debian, run it, and test the engine on its libwebsockets (root, a quarter of an hour)
	@Tests/Tools/install-packages debootstrap
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/check_image.py $(PYTEST)

wire: ## Write what is made from the wire's table: the page's types, and the fields in the protocol document
	HELIOGRAPH_WIRE=write $(MAKE) --no-print-directory test-module M=RelayProtocol FILTER=WireFilesTests

lint: test-packages ## Check the format of the Swift, words, circles among folders, and the types of the page and of what is for iPhones
	swift format lint --strict --recursive --parallel $(SWIFT)
	Tests/Tools/check-apple-sources
	Tests/Tools/check-words
	Tests/Tools/check-comments Sources $(addprefix Tests/,$(TOOLS))
	Tests/Tools/circles --max 2 $(WITHOUT_CIRCLES)
	tsc -p web

format: ## Format the Swift
	swift format --in-place --recursive --parallel $(SWIFT)

simulate: simulator ## Run seeds through the simulator: SEEDS=100000 for a night, SEED=n to replay one with its trace, HOURS=24 to soak and see that it does not grow
	@exec .build/release/heliograph-simulate $(if $(HOURS),--hours $(HOURS)) $(if $(SEED),--seed $(SEED) $(if $(HOURS),,--trace),--seeds $(or $(SEEDS),10000))

upgrade-check: build venv servers ## Nodes of an older commit and of this one side by side on one database: OLD=main; its program is built once
	HELIOGRAPH_OLD_BIN=$$(Tests/Tools/old-program $(or $(OLD),main)) $(PYTHON) -m pytest -c Tests/Integration/pytest.ini \
		Tests/Integration/test_node_versions.py $(PYTEST)

bench: build venv servers ## Measure against the machine's limit in the same run, and print the ratios; ARGS=--quick for three minutes, ARGS="--only cluster" for several nodes
	@Tests/Tools/install-packages $(BENCH_PACKAGES)
	$(RELEASE) push-bench
	$(PYTHON) Tests/Tools/bench.py $(ARGS)

bench-peers: build venv ## The same load against nchan, NATS, mosquitto and a uWebSockets server, where they are installed
	@Tests/Tools/install-packages $(BENCH_PACKAGES)
	$(PYTHON) Tests/Tools/bench/peers.py $(ARGS)

soak: build venv ## Let a relay work for MINUTES=10 and see that it does not grow
	$(PYTHON) Tests/Tools/bench/soak.py --minutes $(MINUTES)

clean: ## Remove what was built, and the Python environment
	rm -rf .build .venv

packages:
	@Tests/Tools/install-packages $(RUN_PACKAGES)

test-packages: packages
	@Tests/Tools/install-packages $(TEST_PACKAGES)

servers: test-packages
	@Tests/Tools/unpack-packages .build/servers $(TEST_SERVERS)

venv: test-packages .venv/installed

.venv/installed: Tests/Integration/requirements.txt
	python3 -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.PHONY: help run build demo pictures gallery redaction rules test test-module build-tests test-serial test-stores test-sockets test-pure test-simulation test-web test-integration check nightly test-released test-sealed worlds fuzz simulator sanitize openhands-check claude-check codex-check pydantic-check autobahn deploy-check deb deb-check image-check wire lint format simulate upgrade-check bench bench-peers soak clean packages test-packages servers venv
