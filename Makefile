# Causeway: the commands of this repository. `make` alone lists them.

SWIFT ?= swift
# Passed to every build and test, for example BUILD_FLAGS="--sanitize=thread".
BUILD_FLAGS ?=
# Passed to `make test` and `make check`, for example FILTER=Outbox.
FILTER ?=
# The output folder of `make screenshots`.
SCREENSHOTS ?= .build/screenshots
# The output folder of `make documentation`.
DOCUMENTATION ?= .build/documentation
PREFIX ?= /usr/local
DESTDIR ?=

PROGRAMS := causeway causewayd causeway-hub causeway-status
UNITS := causewayd.service causeway-hub.service causeway-status.service
SWIFT_SOURCES = Package.swift $(wildcard Apps Examples Modules Tests Tools)

export SWIFT

.DEFAULT_GOAL := help
# One step after the other, even with -j: the steps share the build folder, and the cheap ones come first.
.NOTPARALLEL:
.PHONY: help setup setup-tests build check test soak-tests test-simulations test-kills test-tsan torture torture-copies torture-disk judge-histories proof replay hostile mutants test-browser test-socket test-uploads test-websocket test-proxy flap-link test-contract test-examples screenshots tidy lint format documentation demo simulate simulate-clients simulate-events live-histories torture-media \
	bench bench-live bench-store bench-page bench-network bench-fanout bench-catch-up bench-link-up bench-media install clean

help: ## List these targets
	@echo 'usage: make TARGET [SWIFT=swift] [BUILD_FLAGS=…] [FILTER=…] [PREFIX=/usr/local] [DESTDIR=…]'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## Install the missing requirements of building and running, after listing them
	@Tools/setup

setup-tests: ## The same with the requirements of testing: a browser, Python packages, and some tools
	@Tools/setup --tests

build: ## Build everything for debugging
	@BUILD_FLAGS='$(BUILD_FLAGS)' Tools/build

check: ## Check format and style rules, build, run the tests; print the duration of each step
	@BUILD_FLAGS='$(BUILD_FLAGS)' Tools/check $(if $(FILTER),'$(FILTER)')

test: setup-tests check ## Run setup-tests, then check; CI begins with this

soak-tests: ## Run `make test` RUNS times (20) with a busy process beside it, and print how each run went
	@Tools/soak-tests $(RUNS)

test-simulations: setup ## Run the simulators, built for release: many seeds, the small worlds, every planted fault
	@Tools/simulate check
	@Tools/simulate-clients check
	@RECONNECTS=100000 Tools/simulate-events check

test-tsan: setup ## Run the tests of live collections under the thread sanitizer
	@Tools/test-threads

torture: setup ## Kill the real daemon KILLS times (3000) and check that nothing is lost, doubled or out of order
	@Tools/torture

torture-disk: setup ## Fail every call of both stores to the disk in turn, damage their files, and cut the power POWER_FAILURES times (5000)
	@Tools/torture-disk

test-kills: setup build ## Kill processes that write, KILLS times (320) for each store, and check that nothing acknowledged is lost
	@KILLS=$(or $(KILLS),320) Tools/run-tests --filter 'whatWasAcknowledgedSurvivesEveryKill' --skip-build

torture-copies: setup ## Back up, restore and copy stores in HISTORIES histories (200) on the real programs, and check that every copy continues
	@Tools/torture copies

torture-media: setup ## Send a file of MEBIBYTES (1024) over a link that breaks, kill both programs, and cut the hub's power
	@Tools/torture-media

judge-histories: setup ## Record HISTORIES histories (1000) of the real programs under faults, and judge them by the contract alone
	@Tools/judge-histories

proof: setup ## Run the simulators and the judge of histories at length, and write their figures to Documentation/Proof.md
	@Tools/proof

replay: setup ## Play STORIES stories (2000) in the simulator and on the real parts, and compare their ends
	@Tools/replay

hostile: setup ## Run hostile clients beside a well-behaved one; print its p99 and the hub's peak memory
	@bin=$$(Tools/build-release causeway-hub) && Tools/hostile-clients --hub "$$bin/causeway-hub"

mutants: setup ## Plant faults in a copy of the source, one at a time, and check that the tests notice each of them
	@Tools/mutants/mutants

test-browser: setup-tests build ## Run only the tests of the status page in a real browser
	@Tools/test-browser

test-socket: setup-tests build ## Run only the tests of the hub's socket with an independent client
	@Tools/test-socket --verbose

test-websocket: setup-tests build ## Run the Autobahn test suite against both ends of a WebSocket: all cases
	@Tools/test-websocket --all

test-proxy: setup-tests build ## Run only the tests with nginx between client and hub
	@Tools/test-proxy --verbose

flap-link: setup-tests build ## Take a daemon's link down and up every two seconds for a minute, while it sends; needs root
	@CAUSEWAY_FLAPS=30 Tools/run-tests --filter NetworkTests --skip-build

test-uploads: setup-tests build ## Run only the tests of the hub's uploads with an independent client, and with curl
	@Tools/test-uploads

test-contract: setup-tests build ## Make CASES (1000) requests for each operation of the hub's OpenAPI file, and check the responses
	@Tools/test-contract $(or $(CASES),1000)

test-examples: setup ## Build the example that is a package of its own, and run its tests
	@Tools/test-examples

documentation: setup ## Build the documentation of the library into DOCUMENTATION (.build/documentation), without warnings
	@$(SWIFT) package $$(Tools/build --print-flags) --allow-writing-to-directory '$(DOCUMENTATION)' generate-documentation \
	    --output-path '$(DOCUMENTATION)'

screenshots: setup-tests build ## Write a picture of each page into SCREENSHOTS: light and dark, wide and narrow
	@Tools/test-browser --screenshots '$(SCREENSHOTS)'

tidy: ## Check the style rules that a program can check (Tools/tidy)
	@echo '==> tidy'
	@Tools/quietly python3 -B -m unittest discover --start-directory Tools/tidy
	@Tools/tidy/tidy

lint: ## Check the format of Swift, shell and Python files; change nothing
	@echo '==> lint'
	@Tools/lint

format: ## Format the Swift files
	$(SWIFT) format --in-place --parallel --recursive $(SWIFT_SOURCES)

demo: setup ## Demonstrate an outage and a kill, after which every message arrives once and in order
	@Tools/demo

simulate: ## Run SEEDS seeds (100000) through the simulator, on all cores
	@Tools/simulate $(SEEDS)

simulate-clients: ## Run SEEDS seeds (20000) of whole clients in simulated time, and DISK_SEEDS (2000) on file stores
	@Tools/simulate-clients $(or $(SEEDS),20000)
	@Tools/simulate-clients disk $(or $(DISK_SEEDS),2000)

simulate-events: ## Run a million reconnects of followers of the hub's log in simulated time
	@Tools/simulate-events

live-histories: ## Run random histories of live queries at length
	@Tools/live-histories

bench: setup ## Measure the creation and the sending of messages, each figure beside a reference
	@status=0; Tools/bench/run || status=1; Tools/bench/run-stores --only creates || status=1; exit $$status

bench-store: setup ## Measure the file store beside SQLite: creates, and a store with a million messages
	@Tools/bench/run-stores

bench-page: setup-tests ## Measure the status page over a long outbox: a page, and 200 requests at once
	@Tools/bench/status-page

bench-network: setup ## Measure how a backlog drains over links with delay and loss; needs root
	@Tools/bench/network

bench-fanout: setup ## Measure events at many subscribers, idle sockets, and a subscriber that reads nothing
	@Tools/bench/fanout

bench-catch-up: setup ## Measure how long a reader of events takes to catch up on 10,000 changes
	@Tools/bench/catch-up

bench-link-up: setup ## Measure how soon a daemon sends after its link came up; needs root
	@Tools/bench/link-up

bench-media: setup ## Measure uploads and downloads of files beside curl, with the same hub over TLS
	@Tools/bench/media

bench-live: setup ## Measure live collections beside GRDB's ValueObservation
	@Tools/bench/run-live

install: ## Build for release; install programs and systemd units under DESTDIR/PREFIX
	@bin=$$(BUILD_FLAGS='$(BUILD_FLAGS)' Tools/build-release $(PROGRAMS)) && \
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib/systemd/system' && \
	for program in $(PROGRAMS); do \
	    install -m 0755 "$$bin/$$program" '$(DESTDIR)$(PREFIX)/bin/' && \
	    strip -S "$(DESTDIR)$(PREFIX)/bin/$$program" || exit; \
	done && \
	for unit in $(UNITS); do \
	    sed 's|@bindir@|$(PREFIX)/bin|g' "Tools/systemd/$$unit" \
	        | install -m 0644 /dev/stdin "$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit" || exit; \
	done
	@echo "installed $(PROGRAMS) in $(DESTDIR)$(PREFIX)/bin, $(UNITS) in $(DESTDIR)$(PREFIX)/lib/systemd/system"

clean: ## Remove the build's output, but not the packages that setup-tests fetched
	$(SWIFT) package clean
	rm -rf .build/tidy .build-examples .build-mutants .build-release .build-release-tests .build-simulate .build-tsan
