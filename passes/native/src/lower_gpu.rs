//! `tfx-lower-gpu`: emits the code of the kernels that schedules launch on CUDA devices.
//!
//! ```text
//! schedule @g.schedule(%t: stream<cuda>, ...) {       schedule ... {tfx_stream.ptx = ".entry ..."} {
//!   launch %t @g.kernel(%x read, %y write)              %m = alloc on %t
//!                                             ──►       launch %t @g.kernel(%x read, %y write,
//!                                                                           %m scratch)
//!                                                       free %m on %t
//! graph @g.kernel(%x) {                               graph @g.kernel(%x) attributes {
//!   %a = Sum(%x); %y = Mul(%x, %a)                        tfx.launches = [[@e0, 64, ...], ...]}
//! ```
//!
//! The plan of a kernel is that of native code (`lower_kernels/plan.rs`), without blocks of rows:
//! each step is a launch of its own, with a thread for each element of its result
//! (`lower_kernels/gpu/entries.rs`). Working memory is an operand of the launch, so that
//! `tfx-plan-memory` plans it with all other memory. The code of a schedule is one text of PTX,
//! which the driver compiles for the device. A launch that is exactly one product of matrices also
//! says so (`lower_kernels/gpu/products.rs`), for cuBLAS.
//!
//! An operation without code runs on the host: the executor copies its operands there and its
//! results back. A warning says so.
//!
//! Cost: linear in the operations of the kernels, apart from LLVM.
//!
//! Not done: tiles of products in shared memory, tensor cores, a function of a product's elements
//! in the call of cuBLAS, fused kernels on the same rows, loops inside of kernels and branches on
//! the device, and failures on the device, such as an index out of range: kernels that may fail run
//! on the host.

use std::collections::{BTreeSet, HashMap};

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::Type;
use melior::ir::attribute::StringAttribute;
use tfx_dialects::launches::{DeviceLaunch, PTX};
use tfx_dialects::schedules::{Device, ScheduleType, Space};
use tfx_dialects::stream::{Alloc, Free, Launch, Schedule};
use tfx_dialects::tensor;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Builder, Op, upstream};

use crate::expansions;
use crate::lower_kernels::gpu::{self, Entries, SCRATCH_ALIGNMENT};
use crate::lower_kernels::plan::NotPlanned;

tfx_ir::options! {
    /// The options of `tfx-lower-gpu`.
    pub struct LowerGpuOptions {
        /// The oldest architecture whose devices run the code.
        chip: String = "sm_70".to_owned(),
        /// The version of PTX, as a feature of LLVM's target.
        features: String = "+ptx60".to_owned(),
    }
}

const KERNELS: Statistic = Statistic::new("kernels", "Kernels with code for CUDA devices");
const ENTRIES: Statistic = Statistic::new("entries", "Entries of the code");
const ON_HOST: Statistic = Statistic::new("on-host", "Kernels of CUDA devices that the host runs");

/// The number of `scratch` in `tfx_stream.launch`.
const SCRATCH: i32 = 3;

/// `tfx-lower-gpu`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct LowerGpu;

impl Pass for LowerGpu {
    type Options = LowerGpuOptions;
    const NAME: &'static str = "TfxLowerGpu";
    const ARGUMENT: &'static str = "tfx-lower-gpu";
    const DESCRIPTION: &'static str = "Emit the code of the kernels of CUDA devices";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[KERNELS, ENTRIES, ON_HOST];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::gpu(),
            DialectHandle::llvm(),
            DialectHandle::scf(),
            DialectHandle::cf(),
            upstream::math(),
            upstream::nvvm(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, LowerGpuOptions>) -> PassResult {
        let schedules = module.children().filter_map(Schedule::cast);
        let without_code = schedules.filter(|schedule| schedule.op().attribute(PTX).is_none());
        let launched: Vec<_> = without_code.map(Launched::new).collect();
        if launched.iter().all(|launched| launched.launches.is_empty()) {
            return Ok(());
        }
        expansions::expand(module);
        let graphs = module.collect(tensor::Graph::NAME);
        let graphs = gpu::by_symbol(&graphs);
        for launched in launched {
            launched.lower(&graphs, cx)?;
        }
        Ok(())
    }
}

/// A schedule with its launches on CUDA devices.
struct Launched<'a> {
    schedule: Schedule<'a>,
    launches: Vec<Launch<'a>>,
}

impl<'a> Launched<'a> {
    fn new(schedule: Schedule<'a>) -> Self {
        let launches = schedule.walk().filter_map(Launch::cast);
        Self {
            schedule,
            launches: launches
                .filter(|launch| device(*launch).is_some())
                .collect(),
        }
    }

    /// Emits the code of all kernels.
    fn lower(
        self,
        graphs: &HashMap<&'a str, Op<'a>>,
        cx: &PassContext<'a, LowerGpuOptions>,
    ) -> Result<(), Diagnostic<'a>> {
        let mut entries = Entries::default();
        let mut scratch: HashMap<&str, u64> = HashMap::new();
        let names: BTreeSet<&str> = self.launches.iter().map(|launch| launch.kernel()).collect();
        let kernels = names
            .into_iter()
            .filter_map(|name| Some((name, *graphs.get(name)?)));
        for (name, graph) in kernels {
            match gpu::compile(graph, graphs, &mut entries) {
                Ok(launches) => {
                    DeviceLaunch::set(&launches.all, graph);
                    scratch.insert(name, launches.scratch);
                    cx.count(KERNELS, 1);
                }
                Err(NotPlanned { reason, at }) => {
                    let first = graph.region(0).entry().and_then(|block| block.ops().next());
                    let at = at.first().copied().or(first).unwrap_or(graph);
                    let message = format!("this runs on the host, and not on the device: {reason}");
                    diag::warning(at.location(), message).emit();
                    cx.count(ON_HOST, 1);
                }
            }
        }
        for launch in self.launches {
            let size = scratch.get(launch.kernel()).copied().unwrap_or(0);
            if size > 0 {
                add_scratch(launch, size);
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        cx.count(ENTRIES, entries.count() as u64);
        let options = cx.options();
        let text = entries.assembly(cx.context(), &options.chip, &options.features);
        let text = text.ok_or_else(|| cx.internal_error("the kernels have no assembly"))?;
        let text = StringAttribute::new(cx.context(), &text);
        self.schedule.op().set_attribute(PTX, text);
        Ok(())
    }
}

/// Returns the number of the CUDA device of a launch.
fn device(launch: Launch<'_>) -> Option<u32> {
    match ScheduleType::of(launch.stream().ty())? {
        ScheduleType::Stream(Device::Cuda(number)) => Some(number),
        _ => None,
    }
}

/// Adds working memory to a launch.
fn add_scratch(launch: Launch<'_>, size: u64) {
    let op = launch.op();
    let (stream, device) = (launch.stream(), device(launch).unwrap_or(0));
    let mut builder = Builder::before(op);
    let size = size.next_multiple_of(SCRATCH_ALIGNMENT);
    let text = format!("!tfx_stream.buffer<{size}, {}>", Space::Cuda(device));
    let ty = Type::parse(op.context(), &text).expect("it is a type of the dialect");
    let memory = Alloc::build(&mut builder, ty, Some(stream)).buffer();
    let buffers: Vec<_> = launch.buffers().iter().chain([memory]).collect();
    let values: Vec<_> = launch.values().iter().collect();
    let modes = [launch.modes(), vec![SCRATCH]].concat();
    let types: Vec<_> = op.results().map(|result| result.ty()).collect();
    let new = Launch::build(
        &mut builder,
        &types,
        stream,
        launch.kernel(),
        &buffers,
        &values,
        &modes,
        &launch.positions(),
        &launch.offsets(),
    );
    new.set_cost(launch.cost());
    Free::build(&mut builder, memory, Some(stream));
    let results: Vec<_> = new.op().results().collect();
    op.replace_with(&results);
}
