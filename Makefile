# The short way to everything; the build itself is CMake's (CMakePresets.json).
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
MODEL  ?= bushing
FUZZ_SECONDS ?= 60

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test dev asan fuzz bench lint format check-format install clean

# Clang-format changes its mind between versions: the layout is that of version 14.
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
SOURCES       = find $(wildcard include src catalogue experiments apps tests bench examples) -type f '(' -name '*.cpp' -o -name '*.hpp' ')'
say           = printf '\n== %s\n'

# build(preset, arguments): configure only what is not configured yet, then build. Configuring prints only on failure.
define build
	log=build/$(1)-configure.log; mkdir -p build
	cmake --preset $(1) >$$log 2>&1 || { cat $$log; exit 1; }
	cmake --build --preset $(1) -j$(JOBS) $(2)
endef

help: ## this list
	@printf 'Rubato: stiff and constrained mechanical systems\n\n'
	awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	printf '\nVariables: JOBS=%s  PREFIX=%s (install)  MODEL=%s (demo: examples/MODEL.toml)  FUZZ_SECONDS=%s\n' $(JOBS) $(PREFIX) $(MODEL) $(FUZZ_SECONDS)

demo: ## build the program and run the flagship: a rubber bushing, shaken
	@tools/bootstrap build library
	$(say) "Building the program"
	$(call build,release,--target rubato_cli)
	$(say) "Running rubato run examples/$(MODEL).toml -o results/$(MODEL)"
	build/release/apps/rubato/rubato run examples/$(MODEL).toml -o results/$(MODEL)
	$(say) "Results are in results/$(MODEL):"
	find results/$(MODEL) -maxdepth 1 -type f | LC_ALL=C sort | sed 's/^/   /'
	printf '   Open the .svg files in a browser, motion.pvd in ParaView; .csv and .h5 hold the numbers.\n'

test: ## everything CI checks: all tests, unit and theory tests under sanitizers, a minute of fuzzing per reader, code layout
	@start=$$SECONDS
	tools/bootstrap build library test
	$(MAKE) --no-print-directory dev
	$(MAKE) --no-print-directory asan
	$(MAKE) --no-print-directory fuzz
	$(say) "Code layout"
	$(MAKE) --no-print-directory check-format
	printf '\nmake test: all passed in %d s\n' $$((SECONDS - start))

dev: ## build the dev preset and run all tests
	@$(say) "Building (dev: optimised, with assertions)"
	$(call build,dev)
	$(say) "Running all tests"
	ctest --preset dev -j$(JOBS)

asan: ## build with sanitizers and run unit and theory tests
	@$(say) "Building (asan: address and undefined-behaviour sanitizers)"
	$(call build,asan)
	$(say) "Running unit and theory tests under the sanitizers"
	ctest --preset asan -j$(JOBS)

fuzz: ## throw FUZZ_SECONDS of generated files at each reader, of model and mesh files (needs Clang)
	@tools/bootstrap build library test fuzz
	$(say) "Building the fuzzers"
	$(call build,clang,--target rubato_fuzzers)
	mkdir -p build/fuzz/{model,gmsh,abaqus}
	cp examples/*.toml build/fuzz/model
	cp tests/fem/data/*.msh build/fuzz/gmsh
	cp tests/fem/data/*.inp build/fuzz/abaqus
	for reader in model gmsh abaqus; do
	  $(say) "Fuzzing the reader of $$reader files for $(FUZZ_SECONDS) s"
	  ASAN_OPTIONS=allocator_may_return_null=1 build/clang/tests/fuzz/rubato_$${reader}_file_fuzz -max_total_time=$(FUZZ_SECONDS) \
	    -timeout=10 -rss_limit_mb=1000 -dict=tests/fuzz/$${reader}_file.dict -artifact_prefix=build/fuzz/ -verbosity=0 -print_final_stats=1 \
	    build/fuzz/$$reader
	done

bench: ## build and run the benchmarks (kernels; work against precision)
	@tools/bootstrap build library bench
	$(say) "Building the benchmarks"
	$(call build,bench)
	$(say) "Running the benchmarks"
	cmake --build --preset bench --target run_bench

lint: ## static analysis (clang-tidy, cppcheck); headers that stand alone
	@tools/bootstrap build library test lint
	$(say) "Compiling every public header alone"
	$(call build,lint,--target all_verify_interface_header_sets)
	$(say) "clang-tidy"
	find src catalogue experiments apps -name '*.cpp' | LC_ALL=C sort | xargs -P $(JOBS) -n 1 clang-tidy -p build/lint --quiet \
	  2> >(grep -v ' warnings generated' >&2)
	$(say) "cppcheck"
	cppcheck --quiet --std=c++20 --language=c++ --enable=warning,performance,portability --inline-suppr \
	  --suppress=missingInclude --error-exitcode=1 -j$(JOBS) -I include -I src -I . src catalogue experiments apps

format: ## lay out all C++ files
	@$(SOURCES) | xargs $(CLANG_FORMAT) -i

check-format: ## show what `make format` would change, and fail if anything
	@$(SOURCES) | xargs $(CLANG_FORMAT) --dry-run --Werror
	printf 'clang-format: %d files are laid out as they should be\n' $$($(SOURCES) | wc -l)

install: ## install the program and the library below PREFIX
	@tools/bootstrap build library
	$(call build,release)
	cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything built (results/ stays)
	rm -rf build
