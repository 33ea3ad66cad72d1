"""How lit runs the tests in this folder.

    lit tests/lit                              all of them
    lit -v tests/lit/passes/sese               one folder, with what failed
    lit --param build_dir=target/debug ...     other tools than those in target/release (or TFX_BUILD_DIR)
    lit --param roundtrip=0 ...                without --verify-roundtrip

Each `tfx-opt` of a test gets `--verify-roundtrip`, so every input is also printed and parsed back, as text and as
bytecode. A test about tfx-opt's own command line writes `%tfx-opt` instead, which is left alone.
"""

import os
import shlex
import shutil
import subprocess
import sys

import lit.formats

# Longer than any test takes on a busy machine; a test that hangs fails instead of holding up the rest.
SECONDS_PER_TEST = 300

source_root = os.path.dirname(os.path.abspath(__file__))
repository = os.path.dirname(os.path.dirname(source_root))


def setting(parameter, variable, default):
    """A value from `lit --param`, else from the environment."""
    return lit_config.params.get(parameter) or os.environ.get(variable) or default


def llvm_tools_folder():
    llvm_config = os.environ.get("LLVM_CONFIG") or "llvm-config-22"
    try:
        return subprocess.check_output([llvm_config, "--bindir"], text=True).strip()
    except (OSError, subprocess.CalledProcessError) as error:
        lit_config.fatal(f"'{llvm_config}' does not run ({error}): run 'make test', which installs LLVM 22")


def tool(folder, name):
    path = os.path.join(folder, name)
    if not os.access(path, os.X_OK):
        lit_config.fatal(f"there is no '{path}': run 'make build', or name its folder by --param build_dir=FOLDER")
    return path


target = os.path.join(repository, os.environ.get("CARGO_TARGET_DIR") or "target")
build_dir = os.path.abspath(setting("build_dir", "TFX_BUILD_DIR", os.path.join(target, "release")))
llvm_dir = llvm_tools_folder()

config.name = "tfx"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = source_root
config.test_exec_root = os.path.join(target, "lit")

# Tools are found on the path: ours, then those of LLVM that test them.
for name in ["tfx-fuzz", "tfx-lsp-server", "tfx-reduce", "tfx-translate", "tfxc"]:
    tool(build_dir, name)
for name in ["FileCheck", "count", "llvm-dwarfdump", "llvm-readelf", "mlir-opt", "not", "opt", "split-file"]:
    tool(llvm_dir, name)
tool_dirs = [build_dir, llvm_dir]
# `--param streams=N`: `tfxc run` and `tfxc build` make schedules of all parts of graphs that can
# have one.
streams = lit_config.params.get("streams")
if streams:
    wrapped = os.path.join(config.test_exec_root, "streams")
    os.makedirs(wrapped, exist_ok=True)
    options = f"--streams {int(streams)} --streams-gain 0 --streams-launch 0"
    with open(os.path.join(wrapped, "tfxc"), "w") as script:
        script.write(f'''#!/bin/sh
command=$1
shift
case $command in
run | build) exec {shlex.quote(tool(build_dir, "tfxc"))} "$command" {options} "$@" ;;
*) exec {shlex.quote(tool(build_dir, "tfxc"))} "$command" "$@" ;;
esac
''')
    os.chmod(script.name, 0o755)
    tool_dirs.insert(0, wrapped)
config.environment["PATH"] = os.pathsep.join(tool_dirs + [os.environ.get("PATH", "")])

# `tfx-opt` as a word of its own in a RUN line, not as part of a path, a flag or another name.
tfx_opt = shlex.quote(tool(build_dir, "tfx-opt"))
roundtrip = setting("roundtrip", "TFX_ROUNDTRIP", "1") != "0"
config.substitutions.append(("%tfx-opt", tfx_opt))
config.substitutions.append(
    (r"(?<![\w./%=-])tfx-opt(?![\w./-])", tfx_opt + " --verify-roundtrip" if roundtrip else tfx_opt)
)

# Where a test finds the rest of the repository.
for folder in ["bench", "docs", "examples", "scripts"]:
    config.substitutions.append(("%" + folder, shlex.quote(os.path.join(repository, folder))))
config.substitutions.append(("%build_dir", shlex.quote(build_dir)))

# The C compiler's library of AddressSanitizer, for processes that run code with its checks.
asan = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
config.substitutions.append(("%asan", asan.stdout.strip()))

# Each test compiles its programs, whatever ran before.
config.environment["TFX_CACHE"] = ""
# Tools verify after each pass, as `tfx-opt` does.
config.environment["TFX_VERIFY_EACH"] = "1"

for name in ["HOME", "TERM", "TFX_EXECUTOR"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# REQUIRES: libraries, which `make test-lit` builds, and cmake.
libraries = ["libtfx_c.so", "libtfx_mlir.a", "libtfx_runtime.a", "tfx-mlir-plugin.so"]
if all(os.path.exists(os.path.join(build_dir, name)) for name in libraries) and shutil.which("cmake"):
    config.available_features.add("libraries")
config.substitutions.append(("%llvm_prefix", shlex.quote(os.path.dirname(llvm_dir))))

# REQUIRES: tensorflow
tensorflow_dir = os.environ.get("TFX_TENSORFLOW_DIR") or os.path.join(repository, ".tensorflow")
if os.path.exists(os.path.join(tensorflow_dir, "lib", "libtensorflow.so")):
    config.available_features.add("tensorflow")
    config.environment["TFX_TENSORFLOW_DIR"] = tensorflow_dir

# REQUIRES: gdb, and that it may run a program here.
try:
    tried = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "--args", "true"], capture_output=True, text=True)
    if "exited normally" in tried.stdout:
        config.available_features.add("gdb")
except OSError:
    pass

# REQUIRES: tensorflow-python, numpy, torch: a Python with that module, by TFX_PYTHON or the one that runs lit. Asking for a module is slow; where it would be, is not.
python = os.environ.get("TFX_PYTHON") or sys.executable
config.substitutions.append(("%python", shlex.quote(python)))
for feature, module in {"tensorflow-python": "tensorflow", "numpy": "numpy", "torch": "torch"}.items():
    finds_module = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    try:
        if subprocess.run([python, "-c", finds_module]).returncode == 0:
            config.available_features.add(feature)
    except OSError:
        pass

try:
    import psutil  # lit ends a hanging test and its children with it.

    lit_config.maxIndividualTestTime = SECONDS_PER_TEST
except ImportError:
    lit_config.note("python3-psutil is not installed: a test that hangs is not ended")
