//! Programs that are compiled in memory, with foreign functions in C, and called.

use std::time::Instant;

use melior::Context;
use tfx::runtime::{ExecutorKind, Tensor, program};
use tfx::{BuildFolder, CompileOptions, Jit, OptimizationLevel, Source, XlaOptions};

/// A compiled program. Its libraries are loaded from the folder of the build_folder.
pub(crate) struct Compiled {
    jit: Jit,
    _build_folder: BuildFolder,
}

impl Compiled {
    /// Compiles `text`, whose entry is `@main`, and `foreign`, the C functions that it calls.
    pub(crate) fn new(text: &str, foreign: &str) -> Result<Self, String> {
        Self::with(text, foreign, CompileOptions::default())
    }

    /// The same, with XLA for the parts of the graphs that it supports.
    pub(crate) fn with_xla(text: &str, foreign: &str) -> Result<Self, String> {
        let options = CompileOptions {
            xla: XlaOptions {
                xla: true,
                ..XlaOptions::default()
            },
            ..CompileOptions::default()
        };
        Self::with(text, foreign, options)
    }

    fn with(text: &str, foreign: &str, options: CompileOptions) -> Result<Self, String> {
        let context = Context::new();
        tfx::prepare(&context);
        let source = Source::new("bench.mlir", text);
        let rendered = |error: tfx::Error| tfx::render::error(&error, &source);
        let program = source
            .parse(&context)
            .map_err(rendered)?
            .with_options(options);
        let compiled = program.compile(Some("main")).map_err(rendered)?;
        let build_folder = BuildFolder::new().map_err(rendered)?;
        let path = build_folder.path("foreign.c");
        let foreign = format!("#include \"tfx_runtime.h\"\n{foreign}");
        std::fs::write(&path, foreign).map_err(|error| error.to_string())?;
        let libraries = build_folder.shared_libraries(&[path]).map_err(rendered)?;
        let level = OptimizationLevel::new(2).ok_or("there is no level 2")?;
        let jit = Jit::new(compiled.module(), &libraries, level).map_err(rendered)?;
        Ok(Compiled {
            jit,
            _build_folder: build_folder,
        })
    }

    /// Returns the seconds of one call.
    pub(crate) fn seconds(
        &self,
        executor: ExecutorKind,
        arguments: &[Tensor],
    ) -> Result<f64, String> {
        program::set_executor(executor);
        let entry = self.jit.entry().map_err(|error| error.to_string())?;
        let since = Instant::now();
        let results = (entry.call)(arguments.to_vec()).map_err(|failure| failure.to_string())?;
        let taken = since.elapsed();
        std::hint::black_box(results);
        Ok(taken.as_secs_f64())
    }
}

/// Measures `figure` the given number of times, after a warm-up.
pub(crate) fn repeat(
    runs: usize,
    mut figure: impl FnMut() -> Result<f64, String>,
) -> Result<Vec<f64>, String> {
    figure()?;
    (0..runs).map(|_| figure()).collect()
}

/// Measures two figures alternately, under the same conditions.
pub(crate) fn alternate(
    runs: usize,
    mut ours: impl FnMut() -> Result<f64, String>,
    mut peers: impl FnMut() -> Result<f64, String>,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    ours()?;
    peers()?;
    let mut figures = (Vec::new(), Vec::new());
    for _ in 0..runs {
        figures.0.push(ours()?);
        figures.1.push(peers()?);
    }
    Ok(figures)
}
