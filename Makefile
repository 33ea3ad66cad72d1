# Each target installs the tools that it needs and that are missing. `make help` lists the targets.

# The folder where rustup installs cargo, for shells started before the installation.
export PATH := $(PATH):$(HOME)/.cargo/bin
# TensorFlow for the tests and the tools, unless the environment names another one.
export TFX_TENSORFLOW_DIR ?= $(CURDIR)/.tensorflow

# The tests, the random programs and the mutants verify the IR after each pass, not only the result.
python test-rust test-fuzz test-extended-programs test-extended-rules fuzz fuzz-derivatives fuzz-copies fuzz-python mutants: export TFX_VERIFY_EACH = 1

LLVM_CONFIG ?= llvm-config-22
export LLVM_CONFIG
# Evaluated only when a recipe runs: LLVM is installed by then.
llvm_prefix = $(shell $(LLVM_CONFIG) --prefix)
cargo_environment = MLIR_SYS_220_PREFIX=$(llvm_prefix) TABLEGEN_220_PREFIX=$(llvm_prefix)
cargo = $(cargo_environment) cargo
tools = $(or $(CARGO_TARGET_DIR),target)/release
lit = $(llvm_prefix)/bin/lit
our_cpp = $(shell git ls-files '*.cpp' '*.h' | xargs grep -L 'Generated with cbindgen')

.DEFAULT_GOAL := help
.PHONY: help demo build install mlir-library python array-api deb test-deb test test-all test-rust test-lit test-streams test-fuzz test-extended test-extended-programs test-extended-rules fuzz fuzz-derivatives fuzz-copies fuzz-python fuzz-long fuzz-bytes mutants bench bench-runtime soak sanitize sanitize-native lint format docs tensorflow browser clean distclean set-up set-up-lint set-up-docs

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-24s%s\n", $$1, $$2 }' Makefile

demo: set-up ## train a network on handwritten digits, with graph code and host code
	$(cargo) build --release -p tfxc
	$(tools)/tfxc run examples/digits.mlir --stats

build: set-up ## build the tools into target/release
	$(cargo) build --release --workspace

mlir-library: build
	@scripts/mlir-library $(tools)
	@scripts/shared-mlir plugin $(tools)

PREFIX ?= /usr/local
install: build mlir-library ## install tools, libraries and headers into PREFIX (/usr/local)
	TFX_BUILD_DIR=$(tools) scripts/install $(PREFIX)

python: build ## build the Python package into target/release/packages, and test it
	@scripts/setup python
	scripts/python-package test $(tools)

array-api: build ## run the public test suite of the array API standard from a folder SUITE
	@scripts/setup python
	@scripts/python-package install $(tools)
	$(tools)/python-venv/bin/python scripts/array-api $(SUITE) $(EXAMPLES)

deb: build mlir-library ## build Debian packages into target/packages
	@$(cargo_environment) scripts/shared-mlir tools $(tools)
	scripts/package $(or $(CARGO_TARGET_DIR),target)/packages

test-deb: deb ## install the packages on a bare Debian 12, in a folder, and run them there; needs root
	scripts/test-packages $(or $(CARGO_TARGET_DIR),target)/packages

test: build tensorflow browser ## run the Rust tests, the lit tests, and some random programs
	@status=0; for kind in rust lit fuzz; do $(MAKE) --no-print-directory test-$$kind || status=1; done; exit $$status

test-all: ## run the tests of `make test` with more random programs: 10,000, and 500 on TensorFlow
	@status=0; for tests in test test-extended; do $(MAKE) --no-print-directory $$tests || status=1; done; exit $$status

test-rust: build tensorflow browser ## run only the Rust tests
	$(cargo) test --release --workspace --no-fail-fast

test-lit: build mlir-library tensorflow ## run only the lit tests; LIT_FLAGS is passed to lit
	$(lit) -sv --param build_dir=$(tools) $(LIT_FLAGS) tests/lit

STREAMS ?= 3
test-streams: build ## run the programs of the lit tests with all parts of graphs on STREAMS streams
	$(lit) -sv --param build_dir=$(tools) --param streams=$(STREAMS) tests/lit/programs

random = $(tools)/tfx-fuzz $(1) --seed $(2) --count $(3) --folder $(tools)/fuzz-mismatches
# The environment of runs with CUDA devices that do not exist.
devices = TFX_CUDA_DRIVER=$(abspath $(tools))/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2
# The same with cuBLAS.
blas = $(devices) TFX_CUBLAS=$(abspath $(tools))/libtfx_fake_cuda.so
# The numbers of random programs of `make test`, which take about a minute on two cores.
TEST_PROGRAMS ?= 500
TEST_PROGRAMS_TENSORFLOW ?= 12
# Programs whose graphs run as machine code.
TEST_PROGRAMS_NATIVE ?= 200
# Programs with kernels of CUDA devices, on a driver without a device: this many whose copies name
# the devices, and as many without copies.
TEST_PROGRAMS_DEVICES ?= 20
# The same, without copies, with products by cuBLAS.
TEST_PROGRAMS_BLAS ?= 20
# Programs with outlined code, each compared with the same code inlined.
TEST_OUTLINED ?= 500
# Programs with derivatives, and those of them whose graphs run as machine code.
TEST_DERIVATIVES ?= 100
TEST_DERIVATIVES_NATIVE ?= 40
# Inputs of each kind of external input.
TEST_INPUTS ?= 500
test-fuzz: build tensorflow ## run only the random programs of `make test`, through every stage, on all executors
	$(call random,run,1,$(TEST_PROGRAMS))
	$(call random,run,1,$(TEST_PROGRAMS_TENSORFLOW)) --executor tensorflow
	$(call random,run,1,$(TEST_PROGRAMS_NATIVE)) --executor native
	$(devices) $(call random,run,1,$(TEST_PROGRAMS_DEVICES)) --executor native --mix networks=8,devices=1
	$(devices) $(call random,run,1,$(TEST_PROGRAMS_DEVICES)) --executor native --mix networks=8,devices=2
	$(blas) $(call random,run,1,$(TEST_PROGRAMS_BLAS)) --executor native --mix networks=8,devices=2
	$(call random,run --outline,1,$(TEST_OUTLINED)) --mix outlined=8
	$(call random,run --derivatives,1,$(TEST_DERIVATIVES))
	$(call random,run --derivatives,1,$(TEST_DERIVATIVES_NATIVE)) --executor native
	$(call random,bytes,1,$(TEST_INPUTS))

# The numbers of programs of `make test-extended`, whose seeds follow those of test-fuzz, so that
# each change is checked with the same programs.
EXTENDED_PROGRAMS ?= 9500
EXTENDED_PROGRAMS_TENSORFLOW ?= 488
EXTENDED_PROGRAMS_NATIVE ?= 9800
EXTENDED_PROGRAMS_DEVICES ?= 480
EXTENDED_PROGRAMS_BLAS ?= 480
# Programs with outlined code, and inputs of each kind of external input.
EXTENDED_OUTLINED ?= 1500
EXTENDED_INPUTS ?= 1500
EXTENDED_DERIVATIVES ?= 900
# Programs with many layers of networks, whose machine code AddressSanitizer checks.
EXTENDED_SANITIZED ?= 2000
# Schedules of streams of each shape, with 60 mutations each.
EXTENDED_SCHEDULES ?= 4000
test-extended: test-extended-programs test-extended-rules ## run only what `make test-all` has beyond `make test`

test-extended-programs: build tensorflow ## run only the programs of `make test-extended`
	$(call random,run,501,$(EXTENDED_PROGRAMS))
	$(call random,run,13,$(EXTENDED_PROGRAMS_TENSORFLOW)) --executor tensorflow
	$(call random,run,201,$(EXTENDED_PROGRAMS_NATIVE)) --executor native
	$(devices) $(call random,run,21,$(EXTENDED_PROGRAMS_DEVICES)) --executor native --mix networks=8,devices=1
	$(devices) $(call random,run,21,$(EXTENDED_PROGRAMS_DEVICES)) --executor native --mix networks=8,devices=2
	$(blas) $(call random,run,21,$(EXTENDED_PROGRAMS_BLAS)) --executor native --mix networks=8,devices=2
	$(call random,run --outline,501,$(EXTENDED_OUTLINED)) --mix outlined=8
	$(call random,bytes,501,$(EXTENDED_INPUTS))
	TFX_EXECUTOR=embedded $(lit) -sv --param build_dir=$(tools) $(addprefix tests/lit/,adbench cases examples programs)
	$(call random,run --derivatives,101,$(EXTENDED_DERIVATIVES))
	$(sanitized) $(call random,run,501,$(EXTENDED_SANITIZED)) --executor native --mix networks=8
	TFX_TEST_SCHEDULES=$(EXTENDED_SCHEDULES) $(cargo) test --release -p tfx-schedule --test random

# `make test` structures one in twenty functions, and judges some of the rules, in a minute. This
# takes eight minutes.
test-extended-rules: build ## structure and prove all small functions, and judge all derivative rules
	TFX_TEST_ALL=1 $(cargo) test --release --workspace --test proofs
	TFX_TEST_ALL=1 $(cargo) test --release --workspace --test rules

SEED ?= 1
COUNT ?= 10000
EXECUTOR ?= embedded
# Feature weights that override those of the seed, such as size=50,objects=0.
MIX ?=
fuzz: build ## test COUNT random programs from SEED through every stage; EXECUTOR=native or tensorflow selects another executor
	$(tools)/tfx-fuzz run --seed $(SEED) --count $(COUNT) --executor $(EXECUTOR) --mix '$(MIX)' --folder $(tools)/fuzz-mismatches

fuzz-derivatives: build ## test COUNT random programs with derivatives from SEED
	$(tools)/tfx-fuzz run --derivatives --seed $(SEED) --count $(COUNT) --folder $(tools)/fuzz-mismatches

fuzz-copies: build ## compare the warnings of copies with COUNT executed random programs from SEED
	$(tools)/tfx-fuzz run --copies --seed $(SEED) --count $(COUNT) --folder $(tools)/fuzz-mismatches

fuzz-python: build ## compare COUNT random Python programs from SEED in CPython and compiled; EXECUTOR selects the executor
	@scripts/setup python
	@scripts/python-package install $(tools)
	$(tools)/python-venv/bin/python python/tests/random_programs.py --seed $(SEED) --count $(COUNT) --executor $(EXECUTOR) --folder $(tools)/fuzz-mismatches/python

# The maximal number of programs per mutant. NAMES selects mutants by parts of their names, and MIX
# sets weights of features.
MUTANT_PROGRAMS ?= 10000
mutants: build ## test with random programs whether each mutant of fuzz/mutants is killed
	$(cargo_environment) $(tools)/tfx-fuzz mutants --folder $(abspath $(or $(CARGO_TARGET_DIR),target)/mutants) --count $(MUTANT_PROGRAMS) --mix '$(MIX)' $(NAMES)

# Programs of half the size take a third of the time, and bugs rarely depend on the size. Compiled
# code takes longer than all other stages, and is tested by `make fuzz`.
LONG_PROGRAMS ?= 1000000
fuzz-long: ## test a million random programs of half the size, up to the graphs
	$(MAKE) --no-print-directory fuzz COUNT=$(LONG_PROGRAMS) EXECUTOR=none MIX=size=50

# Without bytecode: damaged bytecode can crash MLIR's own reader (docs/reliability.md).
FUZZ_KINDS ?= ir pipeline graphdef npy dlpack
# Seconds for each kind.
FUZZ_SECONDS ?= 60
# The number of nearly valid inputs from which libFuzzer starts.
FUZZ_SAMPLES = 100
libfuzzer = $(tools)/libfuzzer
# LLVM poisons memory of its allocators for AddressSanitizer, and unpoisons it only if LLVM itself
# is built with AddressSanitizer. Poisoning by users is therefore disabled.
fuzz-bytes: build ## fuzz external input with libFuzzer and AddressSanitizer (including leaks), FUZZ_SECONDS for each of FUZZ_KINDS
	cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked --version 0.13.2
	@set -e; for kind in $(FUZZ_KINDS); do \
		corpus=$(libfuzzer)/corpus/$$kind; mkdir -p $$corpus; \
		for seed in $$(seq $(FUZZ_SAMPLES)); do $(tools)/tfx-fuzz sample $$kind $$seed > $$corpus/$$seed; done; \
		RUSTC_BOOTSTRAP=1 ASAN_OPTIONS=allow_user_poisoning=0 $(cargo) fuzz run --features libfuzzer --target-dir $(libfuzzer) $$kind $$corpus -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=30 -rss_limit_mb=4096; \
	done

soak: build tensorflow ## run ten million messages and ten thousand starts in one process, whose memory must not grow
	TFX_SOAK=1 $(cargo) test --release --workspace --test soak -- --nocapture

# A failed allocation returns a null pointer, as without sanitizers. Freed memory is quarantined
# only briefly, because a test checks that memory does not grow. The standard library is
# instrumented as well, so that the sanitizers recognize its locks; stable Rust allows this with
# RUSTC_BOOTSTRAP. The fake CUDA driver is a library that a test loads: it takes the sanitizer from
# the executable, which exports it by `-rdynamic`.
sanitizer = RUSTC_BOOTSTRAP=1 TFX_TENSORFLOW_DIR=/nowhere TSAN_OPTIONS=allocator_may_return_null=1 ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=1 \
	RUSTFLAGS="-Zsanitizer=$(1) -Clink-arg=-rdynamic" \
	cargo test --release -Zbuild-std --target x86_64-unknown-linux-gnu --target-dir $(tools)/sanitize-$(1) \
	-p tfx-channel -p tfx-runtime -p tfx-commands -p tfx-fake-cuda \
	--test threads --test programs --test control --test injected_failures --test queue --test soak --test boxes --test tapes \
	--test decisions --test planned --test random --test run --test cuda
sanitize: set-up ## run the tests of the runtime (embedded executor) and of streams under ThreadSanitizer and AddressSanitizer (including leaks)
	rustup component add rust-src
	$(call sanitizer,thread)
	$(call sanitizer,address)

# The stacks of LLVM's own allocations are not recorded, which would take much time. A failed
# allocation returns a null pointer, as without AddressSanitizer.
asan_options = detect_leaks=0:allocator_may_return_null=1:malloc_context_size=0:quarantine_size_mb=1
asan_library = $(shell cc -print-file-name=libasan.so)
sanitized = LD_PRELOAD=$(asan_library) ASAN_OPTIONS=$(asan_options)
sanitize-native: build ## check machine code of kernels and of COUNT random programs from SEED by AddressSanitizer
	$(cargo) test --release --workspace --test native_kernels \
		--config 'target."cfg(all())".runner = ["env", "LD_PRELOAD=$(asan_library)", "ASAN_OPTIONS=$(asan_options)"]'
	$(sanitized) $(call random,run,$(SEED),$(COUNT)) --executor native

lint: set-up set-up-lint ## check formatting, clippy, rustdoc, generated pages, links between pages, and the crate graph
	$(cargo) fmt --all --check
	$(llvm_prefix)/bin/clang-format --dry-run -Werror $(our_cpp) </dev/null
	scripts/dialect-docs --check
	scripts/lint-crates
	scripts/lint-words
	scripts/doc-pages --check
	$(cargo) clippy --release --workspace --all-targets --features tfx-fuzz/libfuzzer -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(cargo) doc --release --no-deps --workspace
	scripts/counts --check --doc

bench: set-up ## compare the passes with upstream's; BENCH_FLAGS is passed to tfx-bench, as in BENCH_FLAGS='--sizes 100,1000'
	$(cargo) run --release -p tfx-bench -- sese --json $(tools)/bench-sese.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- deabstraction --json $(tools)/bench-deabstraction.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- differentiate --json $(tools)/bench-differentiate.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- partition --json $(tools)/bench-partition.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- infer --json $(tools)/bench-infer.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- xla --json $(tools)/bench-xla.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- protocol --json $(tools)/bench-protocol.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- copies --json $(tools)/bench-copies.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- compile --json $(tools)/bench-compile.json $(BENCH_FLAGS)

bench-runtime: set-up tensorflow ## measure running programs; TFX_PYTHON names a Python with TensorFlow, the peer of some measurements
	$(cargo) run --release -p tfx-bench -- runtime --json $(tools)/bench-runtime.json $(BENCH_FLAGS)

format: set-up set-up-lint ## apply rustfmt and clang-format
	$(cargo) fmt --all
	$(llvm_prefix)/bin/clang-format -i $(our_cpp) </dev/null

docs: build set-up-docs ## generate docs/dialects and docs/passes.md, the crates' documentation in target/doc, and the book in target/doc/book
	scripts/dialect-docs
	scripts/pass-docs $(abspath $(tools))/tfx-opt
	RUSTDOCFLAGS="-D warnings" $(cargo) doc --release --no-deps --workspace
	mdbook build --dest-dir $(abspath $(or $(CARGO_TARGET_DIR),target))/doc/book

tensorflow: set-up ## install TensorFlow's C libraries and headers into .tensorflow
	@scripts/setup tensorflow

browser: set-up ## install a headless browser, in which reports are tested
	@scripts/setup browser

set-up:
	@scripts/setup packages

set-up-lint:
	@scripts/setup lint

set-up-docs:
	@scripts/setup docs

clean: ## remove build outputs
	cargo clean

distclean: clean ## remove build outputs and TensorFlow
	rm -rf .tensorflow .tensorflow.*
