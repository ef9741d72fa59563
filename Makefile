# The short way to everything; the build itself is CMake's (CMakePresets.json).
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
MODEL  ?= bushing
FUZZ_SECONDS ?= 120

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

export JOBS
# minutes(CPU seconds): for all cores, rounded up.
minutes       = $$(( ($(1) / $(JOBS) + 59) / 60 ))

help: ## this list
	@printf 'Rubato: stiff and constrained mechanical systems\n\n'
	awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	printf '\nVariables: JOBS=%s  PREFIX=%s (install)  MODEL=%s (demo: examples/MODEL.toml)  FUZZ_SECONDS=%s\n' $(JOBS) $(PREFIX) $(MODEL) $(FUZZ_SECONDS)

demo: ## build the program and run the flagship: a rubber bushing, shaken
	@tools/bootstrap build library
	$(say) "Building the program: about $(call minutes,480) minutes on $(JOBS) cores the first time, a moment when it is built already"
	tools/build release --target rubato_cli
	$(say) "Running (a few seconds): rubato run examples/$(MODEL).toml -o results/$(MODEL)"
	build/release/apps/rubato/rubato run examples/$(MODEL).toml -o results/$(MODEL)
	$(say) "Results are in results/$(MODEL):"
	find results/$(MODEL) -maxdepth 1 -type f | LC_ALL=C sort | sed 's/^/   /'
	printf '   Open the .svg files in a browser, motion.pvd in ParaView; .csv and .h5 hold the numbers.\n'

test: ## everything CI checks: all tests, most of them under sanitizers again, two minutes of fuzzing, code layout
	@start=$$SECONDS
	tools/bootstrap build library test
	$(MAKE) --no-print-directory dev
	$(MAKE) --no-print-directory asan
	$(MAKE) --no-print-directory fuzz
	$(say) "Code layout"
	$(MAKE) --no-print-directory check-format
	$(say) "What it took (tools/build-report tells more)"
	tools/build-report --total dev asan || true
	printf '\nmake test: all passed in %d s\n' $$((SECONDS - start))

dev: ## build the dev preset and run all tests
	@$(say) "Building (dev: optimised, with assertions)"
	tools/build dev
	$(say) "Running all tests"
	tools/timed build/dev/test-times.tsv ctest --preset dev -j$(JOBS)

asan: ## build with sanitizers and run unit and theory tests
	@$(say) "Building (asan: address and undefined-behaviour sanitizers)"
	tools/build asan
	$(say) "Running unit and theory tests under the sanitizers"
	tools/timed build/asan/test-times.tsv ctest --preset asan -j$(JOBS)

fuzz: ## FUZZ_SECONDS of generated files for the readers of models, runs, meshes, plans, tests, checkpoints, rows, with the fuzzers of the asan preset
	@tools/bootstrap build library test
	$(say) "Building the fuzzers"
	tools/build asan --target rubato_fuzzers
	readers="model gmsh abaqus plan tune run test checkpoint row"
	mkdir -p build/fuzz/{model,gmsh,abaqus,plan,tune,run,test,checkpoint,row}
	cp examples/*.toml build/fuzz/model
	grep -L generator examples/*.toml | xargs cp -t build/fuzz/run
	cp examples/*.csv build/fuzz/test
	cp tests/fuzz/data/plan.toml build/fuzz/plan
	cp tests/fuzz/data/tune.toml build/fuzz/tune
	cp tests/fuzz/data/tests.toml build/fuzz/test
	cp tests/fem/data/*.msh build/fuzz/gmsh
	cp tests/fem/data/*.inp build/fuzz/abaqus
	printf '\1any bytes behind a right checksum' >build/fuzz/checkpoint/seed  # none at all would never reach the reader
	printf '\1any bytes' >build/fuzz/row/seed
	set -- $$readers
	each=$$(( ($(FUZZ_SECONDS) + $$# - 1) / $$# ))  # 0 would be: without end
	rm -f build/fuzz/*.failed
	$(say) "Fuzzing the readers of $$readers files, $$each s each"
	failed=0
	printf '%s\n' "$$@" | ASAN_OPTIONS=allocator_may_return_null=1 tools/timed build/asan/test-times.tsv xargs -P $(JOBS) -I {} sh -c "build/asan/tests/fuzz/rubato_{}_file_fuzz -max_total_time=$$each \
	  -timeout=10 -rss_limit_mb=1000 -dict=tests/fuzz/{}_file.dict -artifact_prefix=build/fuzz/{}- -verbosity=0 -print_final_stats=1 \
	  build/fuzz/{} >build/fuzz/{}.log 2>&1 || { touch build/fuzz/{}.failed; exit 1; }" || failed=1
	for reader in $$readers; do
	  printf '%8s: %s inputs\n' $$reader "$$(awk '/number_of_executed_units/ { print $$2 }' build/fuzz/$$reader.log)"
	  [[ ! -e build/fuzz/$$reader.failed ]] || { tail -n 60 build/fuzz/$$reader.log; echo "the input that failed: build/fuzz/$$reader-*"; }
	done
	exit $$failed

bench: ## build and run the benchmarks (kernels; work against precision)
	@tools/bootstrap build library bench
	$(say) "Building the benchmarks"
	tools/build bench
	$(say) "Running the benchmarks"
	cmake --build --preset bench --target run_bench

lint: ## static analysis (clang-tidy, cppcheck); headers that stand alone
	@tools/bootstrap build library test lint
	$(say) "Compiling every public header alone"
	tools/build lint --target all_verify_interface_header_sets
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
	tools/build release
	cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything built (results/ stays)
	rm -rf build
