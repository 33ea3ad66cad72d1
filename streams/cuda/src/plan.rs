//! The part of an executable that does not change: the devices, and the code of each command.
//!
//! ```text
//!   command ── Code::Ptx ── function (on the device of its stream), blocks, operands, product
//!           └─ Code::Host ── function of the host
//! ```
//!
//! Each module is compiled once for each device on which a command launches one of its entries. All
//! names and numbers that a launch needs are checked here, so that a run fails by its calls only.

use std::collections::BTreeMap;
use std::sync::Arc;

use tfx_commands::{Detail, Verified, uses};
use tfx_schedule::{
    Agent, Body, Command, Device, DeviceId, Lifetime, Op, Part, Space, StreamId, Work,
};

use crate::driver::{Blas, Context, Driver, Function, MAX_BLOCKS, Module, THREADS};
use crate::error::Error;
use crate::executable::Options;
use crate::kernels::{DeviceKernels, HostKernel, Launch, LaunchOperand, PtxKernel};
use crate::lifetimes::Lifetimes;
use crate::product::Product;

/// A launch that is ready.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub(crate) function: Function,
    pub(crate) blocks: u32,
    pub(crate) operands: Vec<LaunchOperand>,
    /// The product that the function computes; its parameters are operands.
    pub(crate) product: Option<Product>,
}

/// The code of a command.
#[derive(Clone)]
pub(crate) enum Code {
    /// It needs none, such as a copy.
    None,
    Ptx(Vec<Ready>),
    Host(String, HostKernel),
    /// The host reads a decision.
    Decision,
}

/// See the description of the file.
pub(crate) struct Plan {
    pub(crate) verified: Verified,
    pub(crate) driver: Arc<Driver>,
    /// The library of products, if they do not run by their entries.
    pub(crate) blas: Option<Arc<Blas>>,
    /// By device of the schedule: none for those of the CPU.
    contexts: Vec<Option<Arc<Context>>>,
    /// By command.
    code: Vec<Code>,
    /// By part.
    lifetimes: Vec<Lifetimes>,
    /// Set if the list can be captured as a graph.
    pub(crate) is_straight: bool,
}

impl Plan {
    pub(crate) fn new(
        verified: Verified,
        kernels: &DeviceKernels,
        driver: Arc<Driver>,
        options: &Options,
    ) -> Result<Self, Error> {
        let schedule = verified.list().schedule();
        let contexts = contexts(&schedule.devices, &driver, options.devices.as_deref())?;
        let lifetimes = schedule.parts.iter().map(Lifetimes::new).collect();
        let code = vec![Code::None; schedule.places.len()];
        let mut plan = Self {
            contexts,
            code,
            lifetimes,
            is_straight: false,
            driver,
            blas: options.blas.clone(),
            verified,
        };
        plan.check_roots()?;
        let mut compiler = Compiler {
            kernels,
            modules: BTreeMap::new(),
        };
        for part in 0..plan.parts().len() {
            plan.find_code(part, &mut compiler)?;
        }
        plan.is_straight = plan
            .parts()
            .last()
            .is_some_and(|entry| plan.is_graph(entry));
        Ok(plan)
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.verified.list().schedule().parts
    }

    pub(crate) fn devices(&self) -> usize {
        self.contexts.len()
    }

    pub(crate) fn is_cuda(&self, device: DeviceId) -> bool {
        let context = self.contexts.get(device.0 as usize);
        context.is_some_and(Option::is_some)
    }

    /// Returns the context of a CUDA device, by its number in the schedule.
    pub(crate) fn context(&self, device: usize) -> Result<&Arc<Context>, Error> {
        let context = self.contexts.get(device).and_then(Option::as_ref);
        context.ok_or(Error::Unsupported("a device that does not exist"))
    }

    pub(crate) fn contexts(&self) -> impl Iterator<Item = &Arc<Context>> {
        self.contexts.iter().flatten()
    }

    /// Returns a context for pinned memory.
    pub(crate) fn any_context(&self) -> Result<&Arc<Context>, Error> {
        let context = self.contexts().next();
        context.ok_or(Error::Unsupported("a schedule without a CUDA device"))
    }

    pub(crate) fn code(&self, command: &Command) -> &Code {
        let code = self.code.get(command.id.0 as usize);
        code.unwrap_or(&Code::None)
    }

    /// Returns the streams of the entry part whose commands have products, each with the name of
    /// the last such command. The part has no control flow.
    pub(crate) fn streams_of_products(&self) -> BTreeMap<StreamId, &str> {
        let entry = self.parts().last();
        let commands = entry.into_iter().flat_map(|entry| &entry.body.commands);
        let streams = commands.filter_map(|command| match (&command.op, self.code(command)) {
            (
                Op::Work {
                    agent: Agent::Stream(stream),
                    ..
                },
                Code::Ptx(launches),
            ) => {
                let mut launches = launches.iter();
                let has_product = launches.any(|ready| ready.product.is_some());
                has_product.then(|| (*stream, self.name(command)))
            }
            _ => None,
        });
        streams.collect()
    }

    /// Returns the name of a command for users.
    pub(crate) fn name(&self, command: &Command) -> &str {
        let Op::Work { kind, .. } = &command.op else {
            return "";
        };
        match (kind, self.verified.list().detail(command.id)) {
            (_, Detail::Kernel(name)) => name,
            (Work::Copy, _) => "copy",
            (Work::Fill, _) => "fill",
            (_, Detail::Decide) => "decide",
            _ => "command",
        }
    }

    pub(crate) fn lifetimes(&self, part: usize) -> Option<&Lifetimes> {
        self.lifetimes.get(part)
    }

    /// Returns the CUDA device of a stream of a part, by its number in the schedule.
    pub(crate) fn device_of(&self, part: &Part, stream: StreamId) -> Option<usize> {
        let stream = part.streams.get(stream.0 as usize)?;
        self.is_cuda(stream.device)
            .then_some(stream.device.0 as usize)
    }

    /// The memory of the caller is memory of the host.
    fn check_roots(&self) -> Result<(), Error> {
        let Some(entry) = self.parts().last() else {
            return Ok(());
        };
        let external = entry
            .roots
            .iter()
            .filter(|root| root.lifetime == Lifetime::External);
        for (index, root) in external.enumerate() {
            if matches!(root.space, Space::Device(device) if self.is_cuda(device)) {
                return Err(Error::DeviceRoot(index));
            }
        }
        Ok(())
    }

    // ------------------------------------------------------------------------------------- code

    fn find_code(&mut self, part: usize, compiler: &mut Compiler<'_>) -> Result<(), Error> {
        let mut found = Vec::new();
        let own = &self.parts()[part];
        each(&own.body, &mut |command| {
            found.push((command.id, self.code_of(own, command, compiler)?));
            Ok(())
        })?;
        for (id, code) in found {
            if let Some(slot) = self.code.get_mut(id.0 as usize) {
                *slot = code;
            }
        }
        Ok(())
    }

    fn code_of(
        &self,
        part: &Part,
        command: &Command,
        compiler: &mut Compiler<'_>,
    ) -> Result<Code, Error> {
        let Op::Work {
            agent,
            kind: kind @ (Work::Kernel | Work::HostFunction | Work::Host),
            accesses,
        } = &command.op
        else {
            return Ok(Code::None);
        };
        let name = match self.verified.list().detail(command.id) {
            Detail::Kernel(name) => name,
            Detail::Decide => return Ok(Code::Decision),
            _ => return Err(Error::Unsupported("a command without a kernel")),
        };
        let device = match (agent, kind) {
            (Agent::Stream(stream), Work::Kernel) => self.device_of(part, *stream),
            _ => None,
        };
        let kernels = compiler.kernels;
        if let (Some(device), Some(kernel)) = (device, kernels.ptx(name)) {
            let found = uses(accesses, *kind, Some).map_or(0, |uses| uses.len());
            check_operands(name, kernel, found)?;
            let context = self.context(device)?;
            let launches = kernel.launches.iter().filter(|launch| launch.threads > 0);
            let launches = launches.map(|launch| compiler.launch(name, launch, device, context));
            return Ok(Code::Ptx(launches.collect::<Result<_, _>>()?));
        }
        match kernels.host(name) {
            Some(kernel) => Ok(Code::Host(name.clone(), Arc::clone(kernel))),
            None => Err(Error::Kernel(name.clone())),
        }
    }

    // ----------------------------------------------------------------------------------- graphs

    /// Returns whether a part is a sequence of asynchronous commands of devices.
    fn is_graph(&self, part: &Part) -> bool {
        part.body.commands.iter().all(|command| match &command.op {
            Op::Alloc { .. } | Op::Free { .. } => true,
            Op::Work {
                kind: Work::Input, ..
            } => true,
            Op::Work {
                agent: Agent::Stream(stream),
                kind,
                accesses,
            } => {
                let is_device = |index: usize| {
                    let access = accesses.get(index);
                    access.is_some_and(|access| self.is_on_device(part, access.buffer))
                };
                self.device_of(part, *stream).is_some()
                    && match kind {
                        Work::Kernel => matches!(self.code(command), Code::Ptx(_)),
                        Work::Copy => is_device(0) || is_device(1),
                        Work::Fill => is_device(0),
                        Work::HostFunction | Work::Host | Work::Input => false,
                    }
            }
            Op::Record {
                agent: Agent::Stream(stream),
                ..
            }
            | Op::Wait {
                agent: Agent::Stream(stream),
                ..
            } => self.device_of(part, *stream).is_some(),
            // The host does nothing after it has waited.
            Op::Wait {
                agent: Agent::Host, ..
            } => true,
            _ => false,
        })
    }

    fn is_on_device(&self, part: &Part, mut buffer: tfx_schedule::BufferId) -> bool {
        use tfx_schedule::Buffer;
        loop {
            match part.buffers.get(buffer.0 as usize) {
                Some(Buffer::Slice { root, .. }) => {
                    let root = part.roots.get(root.0 as usize);
                    return root.is_some_and(
                        |root| matches!(root.space, Space::Device(device) if self.is_cuda(device)),
                    );
                }
                Some(Buffer::View { of, .. }) if *of < buffer => buffer = *of,
                _ => return false,
            }
        }
    }
}

/// Retains the context of each CUDA device.
fn contexts(
    devices: &[Device],
    driver: &Arc<Driver>,
    ordinals: Option<&[u32]>,
) -> Result<Vec<Option<Arc<Context>>>, Error> {
    let needed = devices
        .iter()
        .filter(|device| **device == Device::Cuda)
        .count();
    if let Some(named) = ordinals.map(<[u32]>::len)
        && named < needed
    {
        return Err(Error::Ordinals { needed, named });
    }
    let found = driver.device_count()?;
    let mut number = 0;
    let mut contexts = Vec::with_capacity(devices.len());
    for device in devices {
        if *device == Device::Cpu {
            contexts.push(None);
            continue;
        }
        let ordinal = ordinals.map_or(number as u32, |ordinals| ordinals[number]);
        number += 1;
        if ordinal >= found {
            return Err(Error::Devices { ordinal, found });
        }
        contexts.push(Some(Context::new(driver, ordinal)?));
    }
    let all: Vec<&Arc<Context>> = contexts.iter().flatten().collect();
    for first in &all {
        for second in all.iter().filter(|second| !Arc::ptr_eq(first, second)) {
            first.enable_peer(second)?;
        }
    }
    Ok(contexts)
}

/// Compiles modules, and finds their entries.
struct Compiler<'k> {
    kernels: &'k DeviceKernels,
    /// By device and number of the module.
    modules: BTreeMap<(usize, usize), Arc<Module>>,
}

impl Compiler<'_> {
    fn launch(
        &mut self,
        name: &str,
        launch: &Launch,
        device: usize,
        context: &Arc<Context>,
    ) -> Result<Ready, Error> {
        let blocks = launch.threads.div_ceil(u64::from(THREADS));
        let blocks = u32::try_from(blocks).ok();
        let blocks = blocks.filter(|blocks| *blocks <= MAX_BLOCKS);
        let blocks = blocks.ok_or_else(|| Error::Threads {
            kernel: name.to_string(),
            threads: launch.threads,
        })?;
        if let Some(product) = &launch.product {
            let checked = product.check(launch.operands.len());
            checked.map_err(|error| Error::Product {
                kernel: name.to_string(),
                error,
            })?;
        }
        let found = self.kernels.module_of(&launch.entry);
        let (number, text) = found.ok_or_else(|| Error::Entry {
            kernel: name.to_string(),
            entry: launch.entry.clone(),
        })?;
        let module = match self.modules.get(&(device, number)) {
            Some(module) => Arc::clone(module),
            None => Module::new(context, text)?,
        };
        self.modules.insert((device, number), Arc::clone(&module));
        Ok(Ready {
            function: module.function(&launch.entry)?,
            blocks,
            operands: launch.operands.clone(),
            product: launch.product,
        })
    }
}

fn check_operands(name: &str, kernel: &PtxKernel, found: usize) -> Result<(), Error> {
    let operands = kernel.launches.iter().flat_map(|launch| &launch.operands);
    match operands.map(|operand| operand.operand).max() {
        Some(operand) if operand >= found => Err(Error::Operand {
            kernel: name.to_string(),
            operand,
            found,
        }),
        _ => Ok(()),
    }
}

/// Calls a function with each command of a body, and of those in it.
fn each<'b>(
    body: &'b Body,
    call: &mut impl FnMut(&'b Command) -> Result<(), Error>,
) -> Result<(), Error> {
    for command in &body.commands {
        call(command)?;
        match &command.op {
            Op::Loop(inner) => each(&inner.body, call)?,
            Op::Branch(branch) => {
                for arm in &branch.arms {
                    each(arm, call)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
