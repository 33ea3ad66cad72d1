# Each target sets up what it needs and is not on this machine yet; `make help` lists them.

# Where rustup puts cargo, for shells that were started before it.
export PATH := $(PATH):$(HOME)/.cargo/bin
# TensorFlow for the tests and the tools, unless another one is named.
export TFX_TENSORFLOW_DIR ?= $(CURDIR)/.tensorflow
# The same for the `tensorflow` crate, which the tests judge GraphDefs with.
export TENSORFLOW_DIR ?= $(TFX_TENSORFLOW_DIR)/lib

LLVM_CONFIG ?= llvm-config-22
export LLVM_CONFIG
# Asked only when a recipe runs: by then it is installed.
llvm_prefix = $(shell $(LLVM_CONFIG) --prefix)
cargo_environment = MLIR_SYS_220_PREFIX=$(llvm_prefix) TABLEGEN_220_PREFIX=$(llvm_prefix)
cargo = $(cargo_environment) cargo
tools = $(or $(CARGO_TARGET_DIR),target)/release
lit = $(llvm_prefix)/bin/lit
our_cpp = $(shell git ls-files '*.cpp' '*.h' | xargs grep -L 'Generated with cbindgen')

.DEFAULT_GOAL := help
.PHONY: help demo build test test-rust test-lit test-fuzz fuzz fuzz-copies fuzz-long fuzz-bytes mutants bench bench-runtime soak sanitize lint format docs tensorflow browser clean distclean set-up set-up-lint

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile

demo: build ## train a network on handwritten digits, half graph and half host
	$(tools)/tfxc run examples/digits.mlir --executor embedded --stats

build: set-up ## the tools, into target/release
	$(cargo) build --release --workspace

test: build tensorflow browser ## the Rust tests, the lit tests, then random programs
	@status=0; for kind in rust lit fuzz; do $(MAKE) --no-print-directory test-$$kind || status=1; done; exit $$status

test-rust: build tensorflow browser ## the Rust tests alone
	$(cargo) test --release --workspace --no-fail-fast

test-lit: build tensorflow ## the lit tests alone; LIT_FLAGS goes to lit
	$(lit) -sv --param build_dir=$(tools) $(LIT_FLAGS) tests/lit

# What `make test` tries of random programs: as many as fit into some minutes on two cores.
TEST_PROGRAMS ?= 3000
TEST_PROGRAMS_TENSORFLOW ?= 200
# Of programs with outlined code, each beside its code in place.
TEST_OUTLINED ?= 2000
# Of each kind of input from outside.
TEST_INPUTS ?= 2000
test-fuzz: build tensorflow ## random programs alone, through every stage, on both executors
	$(tools)/tfx-fuzz run --seed 1 --count $(TEST_PROGRAMS) --folder $(tools)/fuzz-mismatches
	$(tools)/tfx-fuzz run --seed 1 --count $(TEST_PROGRAMS_TENSORFLOW) --executor tensorflow --folder $(tools)/fuzz-mismatches
	$(tools)/tfx-fuzz run --outline --seed 1 --count $(TEST_OUTLINED) --mix outlined=8 --folder $(tools)/fuzz-mismatches
	$(tools)/tfx-fuzz bytes --seed 1 --count $(TEST_INPUTS) --folder $(tools)/fuzz-mismatches

SEED ?= 1
COUNT ?= 10000
EXECUTOR ?= embedded
# What programs have of what, such as size=50,objects=0; nothing: as their seeds have it.
MIX ?=
fuzz: build ## COUNT random programs from SEED through every stage; EXECUTOR=tensorflow for the other executor
	$(tools)/tfx-fuzz run --seed $(SEED) --count $(COUNT) --executor $(EXECUTOR) --mix '$(MIX)' --folder $(tools)/fuzz-mismatches

fuzz-copies: build ## what is said of copies, beside what COUNT random programs from SEED do
	$(tools)/tfx-fuzz run --copies --seed $(SEED) --count $(COUNT) --folder $(tools)/fuzz-mismatches

# The first number is how many programs may look for a fault; NAMES chooses faults by parts of their names.
MUTANT_PROGRAMS ?= 10000
mutants: build ## put each fault of fuzz/faults into the compiler, and let random programs look for it
	$(cargo_environment) $(tools)/tfx-fuzz mutants --folder $(abspath $(or $(CARGO_TARGET_DIR),target)/mutants) --count $(MUTANT_PROGRAMS) $(NAMES)

# Half the size is a third of the time, and where a fault is seldom one of size; compiled code, which takes longer than all else, is for `make fuzz`.
LONG_PROGRAMS ?= 1000000
fuzz-long: ## a million random programs of half the size, up to the graphs
	$(MAKE) --no-print-directory fuzz COUNT=$(LONG_PROGRAMS) EXECUTOR=none MIX=size=50

# Without bytecode: MLIR's own reader does not survive all that is damaged (docs/reliability.md).
FUZZ_KINDS ?= ir pipeline graphdef npy dlpack
# For each kind.
FUZZ_SECONDS ?= 60
# How many inputs that are nearly right libFuzzer starts from.
FUZZ_SAMPLES = 100
libfuzzer = $(tools)/libfuzzer
# LLVM marks memory of its allocators for AddressSanitizer, and unmarks it only where it is itself built for that: hence no marks by users.
fuzz-bytes: build ## inputs from outside by libFuzzer, under AddressSanitizer (with leaks), FUZZ_SECONDS for each of FUZZ_KINDS
	cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked --version 0.13.2
	@set -e; for kind in $(FUZZ_KINDS); do \
		corpus=$(libfuzzer)/corpus/$$kind; mkdir -p $$corpus; \
		for seed in $$(seq $(FUZZ_SAMPLES)); do $(tools)/tfx-fuzz sample $$kind $$seed > $$corpus/$$seed; done; \
		RUSTC_BOOTSTRAP=1 ASAN_OPTIONS=allow_user_poisoning=0 $(cargo) fuzz run --features libfuzzer --target-dir $(libfuzzer) $$kind $$corpus -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=30 -rss_limit_mb=4096; \
	done

soak: build tensorflow ## ten million messages and ten thousand starts in one process, whose memory must not grow
	TFX_SOAK=1 $(cargo) test --release --workspace --test soak -- --nocapture

# Memory that runs out is a null pointer, as elsewhere; what was freed is kept for a moment only, since a test looks whether memory grows. The standard library is instrumented with the rest, so its locks are seen for what they are; stable Rust allows that where it is told to.
sanitizer = RUSTC_BOOTSTRAP=1 TFX_TENSORFLOW_DIR=/nowhere TSAN_OPTIONS=allocator_may_return_null=1 ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=1 \
	RUSTFLAGS="-Zsanitizer=$(1)" \
	cargo test --release -Zbuild-std --target x86_64-unknown-linux-gnu --target-dir $(tools)/sanitize-$(1) -p tfx-channel -p tfx-runtime \
	--test threads --test programs --test control --test faults --test queue --test soak --test boxes
sanitize: set-up ## the runtime's tests on the embedded executor under ThreadSanitizer and AddressSanitizer (with leaks)
	rustup component add rust-src
	$(call sanitizer,thread)
	$(call sanitizer,address)

lint: set-up set-up-lint ## check formatting, clippy, rustdoc, generated pages, links between pages, and the crate graph
	$(cargo) fmt --all --check
	$(llvm_prefix)/bin/clang-format --dry-run -Werror $(our_cpp) </dev/null
	scripts/dialect-docs --check
	scripts/lint-crates
	scripts/doc-pages --check
	$(cargo) clippy --release --workspace --all-targets --features tfx-fuzz/libfuzzer -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(cargo) doc --release --no-deps --workspace

bench: set-up ## measure the passes beside upstream's; BENCH_FLAGS goes to tfx-bench, as in BENCH_FLAGS='--sizes 100,1000'
	$(cargo) run --release -p tfx-bench -- sese --json $(tools)/bench-sese.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- deabstraction --json $(tools)/bench-deabstraction.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- partition --json $(tools)/bench-partition.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- infer --json $(tools)/bench-infer.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- xla --json $(tools)/bench-xla.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- protocol --json $(tools)/bench-protocol.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- copies --json $(tools)/bench-copies.json $(BENCH_FLAGS)
	$(cargo) run --release -p tfx-bench -- compile --json $(tools)/bench-compile.json $(BENCH_FLAGS)

bench-runtime: set-up tensorflow ## measure programs while they run; TFX_PYTHON names a Python with TensorFlow, the peer of some
	$(cargo) run --release -p tfx-bench -- runtime --json $(tools)/bench-runtime.json $(BENCH_FLAGS)

format: set-up set-up-lint ## let rustfmt and clang-format do what lint asks for
	$(cargo) fmt --all
	$(llvm_prefix)/bin/clang-format -i $(our_cpp) </dev/null

docs: set-up ## generate docs/dialects from ODS, and the pages and the crates' documentation in target/doc
	scripts/dialect-docs
	RUSTDOCFLAGS="-D warnings" $(cargo) doc --release --no-deps --workspace
	scripts/doc-pages $(or $(CARGO_TARGET_DIR),target)/doc

tensorflow: set-up ## TensorFlow's C libraries and headers, into .tensorflow
	@scripts/setup tensorflow

browser: set-up ## a browser without a screen, in which reports are tested
	@scripts/setup browser

set-up:
	@scripts/setup packages

set-up-lint:
	@scripts/setup lint

clean: ## what was built
	cargo clean

distclean: clean ## what was built, and TensorFlow
	rm -rf .tensorflow .tensorflow.*
