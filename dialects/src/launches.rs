//! The attributes that connect kernels of schedules with their code for accelerators.
//!
//! ```text
//! tfx_stream.schedule @g.schedule(...) attributes {tfx_stream.ptx = ".version 6.0 ..."}
//! tfx_tensor.graph private @g.kernel(...) attributes {tfx.kernel,
//!     tfx.launches = [["tfx_kernel_0", 4096, [0, 0, 1, 0]], ["tfx_kernel_1", 64, [1, 0, 2, 256]]]}
//! ```
//!
//! `tfx-find-device-code` marks the operations that have code. `tfx-lower-gpu` sets the others, and `tfx-lower-host` writes them into the images of programs. A
//! kernel is a sequence of launches of entries of the assembly.

use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use tfx_ir::Op;
use tfx_ir::attribute::text;

use crate::native::{elements, integer, number};

/// The attribute of a schedule with the assembly of its kernels.
pub const PTX: &str = "tfx_stream.ptx";
/// The attribute of a kernel with its launches.
pub const LAUNCHES: &str = "tfx.launches";

/// The attribute of an operation that has code for accelerators.
pub const HAS_CODE: &str = "tfx.has_device_code";

/// A launch of an entry, whose parameters are addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLaunch {
    /// The name of the entry.
    pub entry: String,
    /// The number of threads.
    pub threads: i64,
    /// The parameters: positions of operands of the `tfx_stream.launch`, and distances in bytes.
    pub parameters: Vec<(i64, i64)>,
}

impl DeviceLaunch {
    /// Returns the launches of a kernel; `None` if it has no code for accelerators.
    pub fn of_kernel(graph: Op<'_>) -> Option<Vec<Self>> {
        let launches = elements(graph.attribute(LAUNCHES)?)?.into_iter();
        let launch = |launch| {
            let [entry, threads, parameters] = elements(launch)?[..] else {
                return None;
            };
            let numbers = elements(parameters)?.into_iter().map(number);
            let numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
            let pairs = numbers.chunks_exact(2);
            Some(Self {
                entry: text(entry)?.to_owned(),
                threads: number(threads)?,
                parameters: pairs.map(|pair| (pair[0], pair[1])).collect(),
            })
        };
        launches.map(launch).collect()
    }

    /// Sets the launches of a kernel.
    pub fn set(launches: &[Self], graph: Op<'_>) {
        let context = graph.context();
        let launch = |launch: &Self| -> Attribute<'_> {
            let parameters = launch.parameters.iter();
            let numbers = parameters.flat_map(|&(operand, offset)| [operand, offset]);
            let numbers: Vec<_> = numbers.map(|it| integer(context, it)).collect();
            let parts = [
                StringAttribute::new(context, &launch.entry).into(),
                integer(context, launch.threads),
                ArrayAttribute::new(context, &numbers).into(),
            ];
            ArrayAttribute::new(context, &parts).into()
        };
        let launches: Vec<_> = launches.iter().map(launch).collect();
        graph.set_attribute(LAUNCHES, ArrayAttribute::new(context, &launches));
    }
}
