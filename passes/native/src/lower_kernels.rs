//! `tfx-lower-kernels`: emits the code of the graphs that `tfx-cluster-native` has outlined.
//!
//! ```text
//! graph private @g.native(%x, %w) -> ...     graph private @g.native(...) attributes
//!   %h = MatMul(%x, %w)                          {tfx.native = #code of @g.native.code}   unchanged
//!   %a = Relu(%h)                     ──►    func.func private @g.native.code(addresses)
//!   return %a                                func.func private @tfx.kernel.0(...)
//! ```
//!
//! The image of each program that calls the graph names the function, with the sizes of its results
//! and of its working memory (`images.rs` of the lowering); the native executor calls it in place
//! of the graph. Where the code gives up, because the sizes of the arguments are not as it assumes
//! or an operation fails, the interpreter runs the graph.
//!
//! # Algorithm
//!
//! ```text
//! extent.rs    unknown sizes
//! plan.rs      the graph as kernels and scalar operations on numbered buffers; fusion
//! rows.rs      kernels on the same rows, block by block
//! tasks.rs     parts of the rows, for several threads
//! kernel.rs    kernels as data: equal ones share a function
//! memory.rs    offsets of the buffers in the working memory
//! emit.rs      the function of the graph; loops.rs, product.rs, convolution.rs: the functions of
//!              kernels
//! ```
//!
//! Code for wide vectors has the instructions of the processors that have them: x86-64-v3 for 32
//! bytes, x86-64-v4 for 64.
//!
//! Cost: linear in the graphs with their callees expanded, for each size of vectors.
//!
//! Not guaranteed: the same rounding as in the interpreter. Products fuse multiplications and
//! additions, and sums are added in another order, in the type of the elements. Elementwise
//! operations round as the interpreter does.

mod code;
mod constants;
mod convolution;
mod emit;
pub(crate) mod gpu;
mod kernel;
mod loops;
mod memory;
pub(crate) mod plan;
mod product;
mod rows;
pub mod tasks;

use std::collections::HashMap;

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::native::{CLUSTER, Code, Part, Size, Version};
use tfx_dialects::tensor;
use tfx_ir::diag;
use tfx_ir::ops::builtin;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, upstream};

use crate::element::Element;
use crate::extent::{Extent, Shape};
use memory::Layout;
use plan::{NotPlanned, Plan};
use product::Tile;
use tasks::TASK_COST;

tfx_ir::options! {
    /// The options of `tfx-lower-kernels`.
    pub struct LowerKernelsOptions {
        /// The size in bytes of the vector registers of the target: 16, 32 or 64; or 0 for code
        /// for each of them, of which the machine takes the widest.
        vector_bytes: u64 = 0,
        /// The cost of a task, at least, in multiplications of a product: loops that cost less are
        /// not split for several threads.
        task_cost: i64 = TASK_COST,
        /// Have AddressSanitizer check each access of the code to memory. The process needs its
        /// runtime.
        sanitize: bool = false,
    }
}

const GRAPHS: Statistic = Statistic::new("graphs", "Graphs with native code");
const KERNELS: Statistic = Statistic::new("kernels", "Functions of kernels");
const MEMORY: Statistic = Statistic::new("memory", "Bytes of working memory of known sizes");
const BOUND: Statistic = Statistic::new("memory-bound", "The lower bound of these bytes");

/// `tfx-lower-kernels`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct LowerKernels;

impl Pass for LowerKernels {
    type Options = LowerKernelsOptions;
    const NAME: &'static str = "TfxLowerKernels";
    const ARGUMENT: &'static str = "tfx-lower-kernels";
    const DESCRIPTION: &'static str = "Emit the code of native clusters";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[GRAPHS, KERNELS, MEMORY, BOUND];

    fn dialects(registry: &DialectRegistry) {
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::func(),
            DialectHandle::llvm(),
            DialectHandle::scf(),
            upstream::math(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, LowerKernelsOptions>) -> PassResult {
        let tiles = tiles(module, cx.options())?;
        let target = builtin::Module::cast(module).expect("the pass runs on modules");
        let graphs = module.collect(tensor::Graph::NAME);
        let by_symbol: HashMap<_, _> = graphs
            .iter()
            .filter_map(|&graph| Some((graph.symbol_name()?, graph)))
            .collect();
        let mut symbols = SymbolTable::new(module);
        let sanitizes = cx.options().sanitize;
        let mut emitted = emit::Module::new(target, sanitizes);
        for graph in graphs {
            if graph.attribute(CLUSTER).is_none() || Code::of(graph).is_some() {
                continue;
            }
            let planned = plan::plan(graph, &by_symbol, cx.options().task_cost);
            let planned = planned
                .map_err(|NotPlanned { reason, .. }| reason)
                .and_then(|mut plan| {
                    if sanitizes {
                        plan.list_buffers();
                    }
                    let layout = memory::layout(&plan).map_err(|error| error.to_string())?;
                    Ok((plan, layout))
                });
            match planned {
                Ok((plan, layout)) => {
                    let name = format!("{}.code", graph.symbol_name().unwrap_or_default());
                    let constants = emitted.constants(&plan);
                    let mut versions = Vec::new();
                    for &tile in &tiles {
                        let parts = (&plan, &layout, &constants[..]);
                        let function = emitted.function(&name, parts, tile, graph.location());
                        versions.push(Version {
                            vector_bytes: tile.vector_bytes as i64,
                            function: symbols.insert(function.op()).to_owned(),
                        });
                    }
                    describe(versions, &plan, &layout).set(graph);
                    cx.count(GRAPHS, 1);
                    cx.count(MEMORY, layout.size);
                    cx.count(BOUND, layout.bound);
                }
                Err(reason) => {
                    let message = format!("no native code for this cluster: {reason}");
                    diag::warning(graph.location(), message).emit();
                }
            }
        }
        if sanitizes {
            emitted.declare_allocation(&symbols);
        }
        cx.count(KERNELS, emitted.kernels() as u64);
        Ok(())
    }
}

/// Returns the tiles of each version of the code.
fn tiles<'a>(
    module: Op<'a>,
    options: &LowerKernelsOptions,
) -> Result<Vec<Tile>, diag::Diagnostic<'a>> {
    let all: &[u64] = match cfg!(target_arch = "x86_64") {
        true => &[16, 32, 64],
        false => &[16],
    };
    let tile = |&vector_bytes: &u64| Tile { vector_bytes };
    match options.vector_bytes {
        0 => Ok(all.iter().map(tile).collect()),
        vector_bytes @ (16 | 32 | 64) => Ok(vec![Tile { vector_bytes }]),
        other => {
            let message = format!("expected vector-bytes to be 0, 16, 32 or 64, got {other}");
            Err(diag::error(module.location(), message))
        }
    }
}

/// Returns the description of the code of a plan.
fn describe(versions: Vec<Version>, plan: &Plan, layout: &Layout) -> Code {
    let mut sizes: Vec<Size> = plan.sizes.iter().map(size).collect();
    let dimension = |extent: &Extent| match extent.as_known() {
        Some(size) => size,
        None => {
            let listed = plan.sizes.iter().position(|size| size == extent);
            Code::unknown(listed.expect("the plan lists the sizes of arguments and results"))
        }
    };
    let ty = |(element, shape): &(Element, Shape)| {
        let element = element.data_type() as i64;
        std::iter::once(element)
            .chain(shape.iter().map(dimension))
            .collect()
    };
    let arguments = plan.arguments.iter().map(ty).collect();
    let results = plan.results.iter().map(ty).collect();
    let mut parts = Vec::new();
    for part in &layout.parts {
        parts.push(Part {
            units: part.units as i64,
            size: sizes.len() as i64,
        });
        sizes.push(size(&part.unit));
    }
    Code {
        versions,
        memory: layout.size as i64,
        arguments,
        results,
        sizes,
        parts,
    }
}

fn size(extent: &Extent) -> Size {
    Size {
        factor: extent.factor(),
        symbols: extent.symbols().iter().map(|&it| it.into()).collect(),
    }
}
