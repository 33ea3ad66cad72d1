//! Kernels by name: sequences of launches of PTX, and functions of the host.
//!
//! ```text
//!   name ──► PtxKernel ── launch "entry" of n threads (operand 0, operand 2 + 64 bytes)
//!        │             │     └─ or the product of matrices that it is, by cuBLAS
//!        │             └─ launch ...
//!        └─► function of the host
//! ```
//!
//! A command of a CUDA stream uses the PTX kernel of its name. If there is none, the function of
//! the host runs in its place: the host waits for the stream, copies the operands, calls the
//! function, and copies what it has written back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tfx_commands::Operand;

use crate::product::Product;

/// A kernel of the host, with a flag that asks it to end soon. The error is the reason why it
/// failed.
pub type HostKernel =
    Arc<dyn Fn(&mut [Operand<'_>], &AtomicBool) -> Result<(), String> + Send + Sync>;

/// A parameter of a launch: the address of an operand plus an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchOperand {
    /// The number of the operand in the command. A buffer that the command reads and then writes is
    /// one operand.
    pub operand: usize,
    /// The bytes that are added to its address.
    pub offset: u64,
}

/// A launch of an entry, whose parameters are addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The name of the entry in its module.
    pub entry: String,
    /// The number of threads. It is rounded up to whole blocks, so that the entry compares its
    /// thread with the number of elements. Nothing is launched without threads.
    pub threads: u64,
    /// The parameters.
    pub operands: Vec<LaunchOperand>,
    /// The product that the entry computes, if it computes nothing else. cuBLAS computes it in
    /// place of the entry, where it is loaded.
    pub product: Option<Product>,
}

/// A kernel of a device: launches that run one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PtxKernel {
    /// The launches.
    pub launches: Vec<Launch>,
}

/// The kernels of a command list, by name.
#[derive(Clone, Default)]
pub struct DeviceKernels {
    modules: Vec<Arc<str>>,
    /// The module of each entry.
    entries: BTreeMap<String, usize>,
    ptx: BTreeMap<String, PtxKernel>,
    host: BTreeMap<String, HostKernel>,
}

impl std::fmt::Debug for DeviceKernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceKernels")
            .field("entries", &self.entries)
            .field("ptx", &self.ptx)
            .field("host", &self.host.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl DeviceKernels {
    /// Adds a module of PTX. Its entries replace earlier ones of the same names. It is compiled for
    /// the devices on which a list launches one of its entries.
    pub fn add_module(&mut self, text: &str) {
        let module = self.modules.len();
        self.modules.push(Arc::from(text));
        for entry in entries(text) {
            self.entries.insert(entry.to_string(), module);
        }
    }

    /// Adds a kernel of devices, in place of an earlier one of that name.
    pub fn add_ptx(&mut self, name: &str, kernel: PtxKernel) {
        self.ptx.insert(name.to_string(), kernel);
    }

    /// Adds a kernel of the host, in place of an earlier one of that name. It may fail, with the
    /// reason, and the run ends then. The flag that it gets is set when the run is cancelled: then
    /// it may return with any results.
    pub fn add_host(
        &mut self,
        name: &str,
        kernel: impl Fn(&mut [Operand<'_>], &AtomicBool) -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.host.insert(name.to_string(), Arc::new(kernel));
    }

    pub(crate) fn ptx(&self, name: &str) -> Option<&PtxKernel> {
        self.ptx.get(name)
    }

    pub(crate) fn host(&self, name: &str) -> Option<&HostKernel> {
        self.host.get(name)
    }

    /// Returns the number and the text of the module with an entry.
    pub(crate) fn module_of(&self, entry: &str) -> Option<(usize, &str)> {
        let module = *self.entries.get(entry)?;
        Some((module, self.modules.get(module)?))
    }
}

/// Returns the names of the entries of a module.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(".entry").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found() {
        let text =
            ".version 7.0\n.visible .entry first(\n)\n{\n}\n.entry  $second_2 (.param .u64 a)";
        assert_eq!(entries(text).collect::<Vec<_>>(), ["first", "$second_2"]);
        let mut kernels = DeviceKernels::default();
        kernels.add_module(text);
        kernels.add_module(".entry first()");
        assert_eq!(kernels.module_of("first").map(|found| found.0), Some(1));
        assert_eq!(kernels.module_of("$second_2").map(|found| found.0), Some(0));
        assert_eq!(kernels.module_of("third"), None);
    }
}
