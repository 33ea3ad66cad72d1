//! Programs that are compiled in memory, with foreign functions in C, and called.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};
use melior::Context;
use tfx::Source;
use tfx::codegen::{BuildFolder, Jit, OptimizationLevel, host_vector_bytes};
use tfx::options::{CompileOptions, NativeOptions, XlaOptions};
use tfx::runtime::{ExecutorKind, Tensor, program};

/// A compiled program. Its libraries are loaded from the folder of the build_folder.
pub(crate) struct Compiled {
    jit: Jit,
    _build_folder: BuildFolder,
}

impl Compiled {
    /// Compiles `text`, whose entry is `@main`, and `foreign`, the C functions that it calls.
    pub(crate) fn new(text: &str, foreign: &str) -> Result<Self> {
        Self::with(text, foreign, CompileOptions::default())
    }

    /// The same, with XLA for the parts of the graphs that it supports.
    pub(crate) fn with_xla(text: &str, foreign: &str) -> Result<Self> {
        let options = CompileOptions {
            xla: XlaOptions {
                xla: true,
                ..XlaOptions::default()
            },
            ..CompileOptions::default()
        };
        Self::with(text, foreign, options)
    }

    /// The same, with native code for this machine.
    pub(crate) fn native(text: &str, foreign: &str) -> Result<Self> {
        Self::with(text, foreign, for_this_machine())
    }

    /// Compiles the graph in a file, with native code for this machine if `is_native`.
    pub(crate) fn read(path: &Path, is_native: bool) -> Result<Self> {
        let options = match is_native {
            true => for_this_machine(),
            false => CompileOptions::default(),
        };
        Self::of(&Source::read(path)?, None, "", options)
    }

    /// The same, with any options.
    pub(crate) fn with(text: &str, foreign: &str, options: CompileOptions) -> Result<Self> {
        let source = Source::new("bench.mlir", text);
        Self::of(&source, Some("main"), foreign, options)
    }

    fn of(
        source: &Source,
        entry: Option<&str>,
        foreign: &str,
        options: CompileOptions,
    ) -> Result<Self> {
        let context = Context::new();
        tfx::prepare(&context);
        let program = source.parse(&context)?.with_options(options);
        let compiled = program.compile(entry)?;
        let build_folder = BuildFolder::new()?;
        let path = build_folder.path("foreign.c");
        let foreign = format!("#include \"tfx_runtime.h\"\n{foreign}");
        std::fs::write(&path, foreign)?;
        let libraries = build_folder.shared_libraries(&[path])?;
        let level = OptimizationLevel::new(2).context("there is no level 2")?;
        let jit = Jit::new(compiled.module(), &libraries, level)?;
        Ok(Compiled {
            jit,
            _build_folder: build_folder,
        })
    }

    /// Returns the seconds of one call.
    pub(crate) fn seconds(&self, executor: ExecutorKind, arguments: &[Tensor]) -> Result<f64> {
        program::set_executor(executor);
        let entry = self.jit.entry()?;
        let since = Instant::now();
        let results = (entry.call)(arguments.to_vec())?;
        let taken = since.elapsed();
        std::hint::black_box(results);
        Ok(taken.as_secs_f64())
    }

    /// Returns the results of one call.
    pub(crate) fn call(&self, executor: ExecutorKind, arguments: &[Tensor]) -> Result<Vec<Tensor>> {
        program::set_executor(executor);
        let entry = self.jit.entry()?;
        Ok((entry.call)(arguments.to_vec())?)
    }
}

/// Returns the options for native code with the vectors of this machine.
fn for_this_machine() -> CompileOptions {
    CompileOptions {
        native: NativeOptions {
            native: true,
            native_vectors: host_vector_bytes(),
            ..NativeOptions::default()
        },
        ..CompileOptions::default()
    }
}

/// Measures `figure` the given number of times, after a warm-up.
pub(crate) fn repeat(runs: usize, mut figure: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
    figure()?;
    (0..runs).map(|_| figure()).collect()
}

const MILLISECOND: f64 = 1e-3;

/// Measures runs in milliseconds, and the longer side alone: `host` seconds of computation, or a
/// run without the time of the host, which `run` with `false` measures.
pub(crate) fn with_longer_side(
    runs: usize,
    host: f64,
    run: impl Fn(bool) -> Result<f64>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    run(true)?;
    let mut figures = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let graph = run(false)?;
        figures.0.push(run(true)? / MILLISECOND);
        let since = Instant::now();
        while since.elapsed().as_secs_f64() < host {
            std::hint::spin_loop();
        }
        figures
            .1
            .push(since.elapsed().as_secs_f64().max(graph) / MILLISECOND);
    }
    Ok(figures)
}

/// Measures two figures alternately, under the same conditions.
pub(crate) fn alternate(
    runs: usize,
    mut ours: impl FnMut() -> Result<f64>,
    mut peers: impl FnMut() -> Result<f64>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    ours()?;
    peers()?;
    let mut figures = (Vec::new(), Vec::new());
    for _ in 0..runs {
        figures.0.push(ours()?);
        figures.1.push(peers()?);
    }
    Ok(figures)
}
