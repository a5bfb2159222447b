# SPDX-License-Identifier: MIT
# The front door. Every target installs what is missing (scripts/packages.sh), configures, builds, and runs; the work
# itself is CMake's, CTest's and mnlab's. Programs land in build/PRESET/bin, results in results/.
#
#	make matrix
#	make PRESET=asan test
#	make compare BY=victim DIR=results/quick
PRESET ?= release
BY ?= steal
DIR ?= results/default

BUILD := build/$(PRESET)
BIN := $(BUILD)/bin
JOBS := $(shell nproc)
# Package sets beyond the common one, by preset.
SETS_clang := clang
SETS_tsan := clang
SETS_aarch64 := cross
# Sanitizers need their shadow where a kernel that randomises widely may have put something else.
PLAIN_asan := fixed
PLAIN_ubsan := fixed
PLAIN_tsan := fixed
FIXED_ADDRESSES = $(if $(PLAIN_$(PRESET)),$$(setarch -R true 2>/dev/null && echo setarch -R))

.DEFAULT_GOAL := help
.PHONY: help matrix quick plots compare bench build test packages clean
# One front-door target after the other: they share the build folder.
.NOTPARALLEL:

help: ## this list
	@printf 'make TARGET [PRESET=%s] ..\n\n' '$(PRESET)'
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r t w; do printf '%-10s %s\n' "$$t" "$$w"; done
	@printf '\npresets: '; sed -n 's/^    {"name": "\([a-z0-9]*\)", "inherits": "[a-z]*", "desc.*/\1/p' CMakePresets.json | paste -s -d ' '

matrix: build ## the default experiment matrix on this machine, resumed if interrupted; its charts and table
	@scripts/experiment.sh $(BIN)/mnlab experiments/default.matrix results/default

quick: build ## the same, small: under a minute
	@scripts/experiment.sh $(BIN)/mnlab experiments/quick.matrix results/quick

plots: build ## charts again from stored results, nothing re-run (DIR=results/default)
	@$(BIN)/mnlab plot $(DIR)

compare: build ## verdict table of stored results (BY=steal DIR=results/default)
	@$(BIN)/mnlab compare $(DIR) --by $(BY)

bench: build ## micro-benchmarks of the scheduler's parts
	@for bench in $(BIN)/micro_*; do echo "== $$bench"; $$bench || exit; done

build: $(BUILD)/build.ninja ## packages, configure, build, nothing else
	@cmake --build $(BUILD)

test: build ## every test of the preset
	@$(FIXED_ADDRESSES) ctest --preset $(PRESET) -j $(JOBS)

packages: ## install what the preset needs, nothing else
	@scripts/packages.sh build $(SETS_$(PRESET))

# Ninja itself configures again when a CMake file changes; presets it does not know.
$(BUILD)/build.ninja: CMakePresets.json | packages
	@cmake --preset $(PRESET) && touch $@

clean: ## remove everything that was built; results stay
	rm -rf build
