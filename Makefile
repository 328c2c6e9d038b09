# Heliograph. `make` lists what there is.

RUN_PACKAGES := libwebsockets-dev libwebsockets-evlib-ev libssl-dev libsqlite3-dev libqrencode-dev pkg-config libnghttp2-dev zlib1g-dev
TEST_PACKAGES := chromium curl fonts-dejavu-core nodejs node-typescript tmux python3-venv strace procps sqlite3 faketime nftables iproute2 \
	nghttp2-client nghttp2-server systemd openssl openssh-client dpkg-dev binutils man-db firefox-esr libnotify4 dbus-daemon libpq5 tzdata \
	postgresql-client
# Unpacked into .build/servers, not installed: as packages they would start servers.
TEST_SERVERS := nginx caddy prometheus postgresql
# The C programs that `make bench` holds the relay against.
BENCH_PACKAGES := gcc libc6-dev libsqlite3-dev libwebsockets-dev pkg-config openssl

# `make run ARGS="--listen 127.0.0.1:9000"` passes arguments on.
ARGS ?=
# How many times what it should take a test waits for something to happen: machines are shared and busy.
PATIENCE ?= 3
# Whoever may mount, trace and make networks has failed a test of faults that is left out; elsewhere the runs say which are.
SKIPS ?= $(shell Tests/Tools/may-make-faults && echo fail || echo allow)
MINUTES ?= 10
# Processes that run the files of integration tests side by side. Most tests wait, so there may be more of them than processors.
WORKERS ?= 4
# Of processor time, for each fuzz target; and how many of them at a time.
SECONDS ?= 60
JOBS ?= 1
RELEASE := swift build -c release --static-swift-stdlib --product
BINARY := .build/release/heliograph
# The command, and what agents call instead of it; both lie in one folder.
PROGRAMS := $(RELEASE) heliograph && $(RELEASE) heliograph-hook
PYTHON := .venv/bin/python
NO_SKIPS = HELIOGRAPH_SKIPS=$(SKIPS)
# Tests are built with warnings as errors in our own targets; Package.swift looks at this.
STRICT := HELIOGRAPH_STRICT=1 $(if $(WHOLE_MODULES),HELIOGRAPH_WHOLE_MODULES=1)
# The program that `swift test` runs.
SUITES := .build/tests/debug/heliographPackageTests.xctest --testing-library swift-testing
# A module at a time and not a file: a fifth less of the compiler's time for who builds everything, and more for who changes a line.
# With threads the compiler writes an object for each file, which SwiftPM expects. And without what a debugger needs, which is a sixth of it.
# The modules that compute most are optimised then, with their assertions; Package.swift names them.
WHOLE_MODULES ?=
# A folder of their own: SwiftPM does one thing at a time in a folder, and the release binary is built while they run.
FOR_TESTS := --scratch-path .build/tests $(if $(WHOLE_MODULES),-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -debug-info-format none)
# A test that hangs is ended, and the last line of the output names it. Many times what a slow machine needs.
WATCHED := timeout --kill-after=10 1500 stdbuf --output=L
# Modules whose folders need no other that needs them, but for pairs: all but these, of which record 0047 says why.
WITH_CIRCLES := APNsSimulator HeliographHTTP2 RelaySimulation WebSocketEngine
WITHOUT_CIRCLES := $(filter-out $(addprefix Sources/,$(WITH_CIRCLES)),$(wildcard Sources/*))
# Swift tests that look at no socket, no daemon and no clock: they only compute, and may do so while others wait.
PURE_TESTS := AgentACP AgentClaude AgentCodex AgentLocal APNsSimulator ChannelAPNs ChannelWeb HeliographCrypto HeliographLink HeliographQRCode \
	HeliographZlib HostCore Layering LiveActivityKit PageBundle PushPlanner RelayCluster RelayCore RelayProtocol
EMPTY :=
THE_PURE := ^($(subst $(EMPTY) $(EMPTY),|,$(strip $(PURE_TESTS))))Tests[.]
# Everything that `swift format` looks at.
SWIFT := Package.swift Sources Tests

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

run: packages ## Install what is missing, build, and start the relay on http://127.0.0.1:8787
	@$(PROGRAMS)
	@exec $(BINARY) serve $(ARGS)

build: packages ## Build the release binary, .build/release/heliograph, and heliograph-hook next to it
	$(PROGRAMS)

demo: build ## Play a recorded session, and a phone, into the relay of `make run` (or one of its own)
	@Tests/Tools/install-packages python3 openssl
	@exec python3 Tests/Tools/demo.py $(ARGS)

pictures: build venv ## Take the README's pictures, of the page and of the Lock Screen
	$(PYTHON) Tests/Tools/screenshot.py $(ARGS)

test: test-swift test-web test-simulation test-integration ## Every test: Swift, web modules, the simulation, then the release binary with real peers

build-tests: packages venv
	$(STRICT) swift build --build-tests $(FOR_TESTS)

test-swift: test-suites test-worlds

test-suites: build-tests servers
	@# One at a time: many look at how real sockets and processes behave in time, on machines of two processors. What only computes
	@# runs at the same time, and is not put off for what is built meanwhile.
	@NICENESS=5 Tests/Tools/untouched Tests/Tools/beside .build/tests-pure.log "$(MAKE) --no-print-directory test-pure" "$(MAKE) --no-print-directory test-serial"

# It uses every processor by itself. Without `swift test`, as below, and after what builds it.
test-worlds:
	$(STRICT) $(WATCHED) $(SUITES) --filter '^RelaySimulationTests[.]'

test-serial:
	$(STRICT) $(NO_SKIPS) $(WATCHED) swift test --skip-build $(FOR_TESTS) --no-parallel --skip '$(THE_PURE)|RelaySimulationTests'

# Without `swift test`, of which there is one at a time. Not in parallel inside: a test with a limit of time would wait for all others in it.
test-pure:
	$(STRICT) $(NO_SKIPS) $(WATCHED) $(SUITES) --no-parallel --filter '$(THE_PURE)'

test-module: packages ## Build and run the tests of one module: M=HostCore, FILTER=NameOfSuite
	HELIOGRAPH_MODULE=$(M) $(STRICT) swift build --build-tests $(FOR_TESTS)
	$(STRICT) $(NO_SKIPS) $(WATCHED) $(SUITES) --no-parallel --filter '^$(M)Tests[.]$(FILTER)'

# Optimised, which is thirty times as fast; the Swift tests run a few worlds with every assertion. Every fault that is planted has to be seen.
test-simulation: test-seeds test-soak

test-seeds: simulator
	.build/release/heliograph-simulate --seeds 3000
	.build/release/heliograph-simulate --nodes --seeds 3000
	.build/release/heliograph-simulate --plants --seeds 500

test-soak: simulator
	@# Half of it has to be long enough for retention and forgetting to hold the core at what it keeps for good.
	.build/release/heliograph-simulate --seed 1 --hours 16

simulator: packages
	$(RELEASE) heliograph-simulate

# An app without a screen, for the tests of what iPhone apps use.
app-probe: packages
	$(STRICT) swift build --product app-probe $(FOR_TESTS)

test-web: test-packages
	node --test --test-reporter=spec Tests/Web

test-integration: build app-probe venv test-packages servers
	$(NO_SKIPS) HELIOGRAPH_PATIENCE=$(PATIENCE) WORKERS=$(WORKERS) Tests/Tools/untouched Tests/Tools/reaped $(PYTHON) Tests/Tools/integration.py --timeout=$$((120 * $(PATIENCE))) \
		Tests/Integration $(PYTEST)

check: lint build-tests ## What CI runs: format, types, then every test (layering is one of them), and each fuzz target for a minute
	@# Most tests leave a processor free: the release binaries, which the last of them need, and the fuzzing are made meanwhile,
	@# and the simulation, which needs no other.
	@Tests/Tools/beside .build/fuzz.log \
		"$(MAKE) --no-print-directory build test-simulation test-worlds && $(MAKE) --no-print-directory fuzz SECONDS=60 JOBS=2 ARGS=" \
		"$(MAKE) --no-print-directory test-suites test-web test-integration"

fuzz: packages ## Fuzz what untrusted bytes reach: SECONDS=3600 of processor time a target, JOBS=2 at a time, ARGS="--only codec"
	@# As a release, whose modules are compiled as a whole: two thirds of the time.
	$(STRICT) HELIOGRAPH_FUZZ=1 swift build -c release -Xswiftc -enable-testing --product fuzz --scratch-path .build/fuzz
	Tests/Tools/fuzz.py --seconds $(SECONDS) --jobs $(JOBS) $(ARGS)

redaction: build-tests ## What would be hidden as a secret in a file of commands, one a line: COMMANDS=file
	HELIOGRAPH_COMMANDS=$(COMMANDS) $(STRICT) $(SUITES) --filter '^HostCoreTests[.]SecretMeasureTests/ofOnesOwn'

sanitize: packages venv ## Run the tests under the address and the thread sanitizer (half an hour each); ARGS="--only thread"
	$(PYTHON) Tests/Tools/sanitize.py $(ARGS)

openhands-check: build venv ## The rest of what was tried with the real OpenHands: each of these starts it anew (`make test` runs most)
	$(PYTHON) -m pytest -c Tests/Integration/pytest.ini Tests/Integration/check_openhands.py \
		Tests/Integration/check_openhands_steering.py $(PYTEST)

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

wire: build-tests ## Write what is made from the wire's table: the page's types, and the fields in the protocol document
	HELIOGRAPH_WIRE=write $(STRICT) swift test --skip-build $(FOR_TESTS) --filter WireFilesTests

lint: test-packages ## Check the format of the Swift, words, circles among folders, and the types of the page
	swift format lint --strict --recursive --parallel $(SWIFT)
	Tests/Tools/check-apple-sources
	Tests/Tools/check-words
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

.PHONY: help run build demo pictures redaction test test-module build-tests test-swift test-simulation test-serial test-pure test-seeds test-soak simulator test-suites test-worlds app-probe test-web test-integration check fuzz sanitize openhands-check codex-check autobahn deploy-check deb deb-check image-check wire lint format simulate upgrade-check bench bench-peers soak clean packages test-packages servers venv
