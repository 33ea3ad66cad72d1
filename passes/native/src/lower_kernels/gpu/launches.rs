//! The launches of a plan: which entries, with which memory.
//!
//! ```text
//! s0 = load b0; s1 = exp s0         launch of one thread, which stores s1 in the working memory
//! run map b1 * s1 -> b2      ──►    launch of a thread for each element of b2
//! ```
//!
//! Scalars are kept in the working memory, after the buffers: each has eight bytes. One that is
//! the element of an argument is read there.

use std::collections::BTreeSet;

use tfx_dialects::launches::DeviceLaunch;

use super::super::kernel::{Call, position};
use super::super::memory::{Layout, Offset};
use super::super::plan::{Operand, Place, Plan, Step};
use super::super::tasks;
use super::entries::{Entries, Input, NO_LIBRARY, ScalarStep, Split, Work};
use super::products;

/// The alignment of buffers and of the working memory, in bytes.
pub(crate) const SCRATCH_ALIGNMENT: u64 = 64;

/// The size of a scalar in the working memory, in bytes.
const SCALAR_BYTES: u64 = 8;

/// The bytes of the constants of a kernel, at most: they are text in the assembly.
const MOST_CONSTANT_BYTES: usize = 1 << 16;

/// The threads of a launch, at most: those of 2^31 - 1 blocks of 256 threads.
const MOST_THREADS: i64 = ((1 << 31) - 1) * 256;

/// The launches of a kernel.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    pub(crate) all: Vec<DeviceLaunch>,
    /// The bytes of the working memory.
    pub(crate) scratch: u64,
}

impl Launches {
    /// Returns the launches of a plan, whose entries are added.
    ///
    /// # Errors
    /// The reason why an accelerator does not run it.
    pub(super) fn of_plan(
        plan: &Plan,
        layout: &Layout,
        entries: &mut Entries,
    ) -> Result<Self, &'static str> {
        if !plan.sizes.is_empty() || !layout.parts.is_empty() {
            return Err("the sizes of its tensors are unknown");
        }
        if plan.constants.iter().map(Vec::len).sum::<usize>() > MOST_CONSTANT_BYTES {
            return Err("it has large constants: pass them as arguments");
        }
        let memory = Memory::new(plan, layout);
        let mut launches = Launches::default();
        let steps = plan.steps.iter();
        let mut steps = steps.filter(|step| !memory.is_argument(step)).peekable();
        // The memory for the parts of a reduction, which its two launches use.
        let parts_at = memory.size().next_multiple_of(SCRATCH_ALIGNMENT);
        let mut part_bytes = 0;
        while let Some(step) = steps.next() {
            match step {
                Step::Run(call) => {
                    let (work, inputs) = (Work::of_call(call)?, memory.inputs(call));
                    let Some(split) = Split::of_kernel(&call.kernel) else {
                        let product = products::product(call, &inputs);
                        launches.push(entries, work, inputs)?;
                        if let Some(launch) = launches.all.last_mut() {
                            launch.product = product;
                        }
                        continue;
                    };
                    let parts = Input::Address {
                        operand: memory.scratch(),
                        offset: parts_at as i64,
                    };
                    let element = plan.buffers.element(call.output());
                    let [first, second] = split.works(call);
                    let bytes = first.threads().unwrap_or(0) as u64 * element.size();
                    part_bytes = bytes.max(part_bytes);
                    // The parts do not write the result, and to combine them reads nothing else.
                    let (mut reads, mut writes) = (inputs, Vec::new());
                    for (place, &buffer) in call.buffers.iter().enumerate() {
                        writes.push(match buffer == call.output() {
                            true => std::mem::replace(&mut reads[place], Input::Unused),
                            false => Input::Unused,
                        });
                    }
                    reads.push(parts.clone());
                    writes.insert(0, parts);
                    launches.push(entries, first, reads)?;
                    launches.push(entries, second, writes)?;
                }
                Step::Copy { from, to } => {
                    let described = plan.buffers.get(*from);
                    let count = described.count.as_known().unwrap_or(0);
                    let inputs = [*from, *to].map(|buffer| memory.buffer(buffer)).to_vec();
                    launches.push(entries, Work::Copy(described.element, count), inputs)?;
                }
                Step::Compute { .. } | Step::Load { .. } | Step::Store { .. } => {
                    let mut group = vec![step];
                    while let Some(step) = steps.next_if(|step| is_scalar(step)) {
                        group.push(step);
                    }
                    if group.iter().any(|step| calls_library(step)) {
                        return Err(NO_LIBRARY);
                    }
                    let (work, inputs) = memory.scalars(&group);
                    launches.push(entries, work, inputs)?;
                }
                Step::Branch { .. } | Step::Loop(_) => return Err("it has control flow"),
                Step::Fail(_) => return Err("it may fail"),
                Step::Rows(_) => return Err("it has blocks of rows"),
            }
        }
        let mut used = launches.all.iter().flat_map(|launch| &launch.parameters);
        if used.any(|(operand, _)| *operand == memory.scratch()) {
            launches.scratch = match part_bytes {
                0 => memory.size(),
                bytes => parts_at + bytes,
            };
        }
        Ok(launches)
    }

    /// Adds a launch.
    fn push(
        &mut self,
        entries: &mut Entries,
        work: Work,
        inputs: Vec<Input>,
    ) -> Result<(), &'static str> {
        let threads = work.threads().filter(|threads| *threads <= MOST_THREADS);
        let threads = threads.ok_or("it has too many elements")?;
        let addresses = inputs.iter().filter_map(|input| match input {
            Input::Address { operand, offset } => Some((*operand, *offset)),
            _ => None,
        });
        let parameters = addresses.collect();
        self.all.push(DeviceLaunch {
            entry: entries.add(work, inputs, threads),
            threads,
            parameters,
            product: None,
        });
        Ok(())
    }
}

fn is_scalar(step: &Step) -> bool {
    matches!(
        step,
        Step::Compute { .. } | Step::Load { .. } | Step::Store { .. }
    )
}

fn calls_library(step: &Step) -> bool {
    match step {
        Step::Compute {
            function, operands, ..
        } => {
            let elements: Vec<_> = operands.iter().map(|operand| operand.element()).collect();
            function.calls_library(function.result(&elements))
        }
        _ => false,
    }
}

/// The memory of a plan, as operands of the launch: the arguments, the results, and the working
/// memory.
struct Memory<'p> {
    plan: &'p Plan,
    layout: &'p Layout,
    /// The scalars that are elements of arguments, with the argument.
    arguments: Vec<Option<usize>>,
    /// The first byte of the scalars in the working memory.
    scalars: u64,
}

impl<'p> Memory<'p> {
    fn new(plan: &'p Plan, layout: &'p Layout) -> Self {
        let mut arguments = vec![None; plan.scalars];
        for step in &plan.steps {
            if let Step::Load { result, buffer } = step
                && let Place::Argument(position) = plan.buffers.get(*buffer).place
            {
                arguments[*result] = Some(position);
            }
        }
        Memory {
            plan,
            layout,
            arguments,
            scalars: layout.size.next_multiple_of(SCRATCH_ALIGNMENT),
        }
    }

    /// Returns whether a step only reads an argument.
    fn is_argument(&self, step: &Step) -> bool {
        matches!(step, Step::Load { result, .. } if self.arguments[*result].is_some())
    }

    /// Returns the position of the working memory among the operands.
    fn scratch(&self) -> i64 {
        (self.plan.arguments.len() + self.plan.results.len()) as i64
    }

    /// Returns the bytes of the working memory.
    fn size(&self) -> u64 {
        self.scalars + SCALAR_BYTES * self.plan.scalars as u64
    }

    /// Returns the inputs of a call: its buffers, then its scalars.
    fn inputs(&self, call: &Call) -> Vec<Input> {
        let unused = tasks::scratch(&call.kernel);
        let buffers = call.buffers.iter().enumerate();
        let buffers = buffers.map(|(place, &buffer)| match unused.contains(&place) {
            true => Input::Unused,
            false => self.buffer(buffer),
        });
        let scalars = call.scalars.iter().map(|&scalar| self.scalar(scalar));
        buffers.chain(scalars).collect()
    }

    fn buffer(&self, buffer: usize) -> Input {
        let whole = |operand: usize| Input::Address {
            operand: operand as i64,
            offset: 0,
        };
        match self.plan.buffers.get(buffer).place {
            Place::Argument(position) => whole(position),
            Place::Result(position) => whole(self.plan.arguments.len() + position),
            Place::Constant(position) => Input::Elements(self.plan.constants[position].clone()),
            Place::Arena | Place::Carried | Place::Task => Input::Address {
                operand: self.scratch(),
                offset: match self.layout.places[buffer] {
                    Offset::Known(offset) => offset as i64,
                    Offset::Part { .. } => unreachable!("plans with unknown sizes are rejected"),
                },
            },
        }
    }

    fn scalar(&self, scalar: Operand) -> Input {
        match scalar {
            Operand::Constant(constant) => Input::Number(constant),
            Operand::Computed(number, _) => self.slot(number),
            Operand::Size(..) => unreachable!("plans with unknown sizes are rejected"),
        }
    }

    /// Returns the memory of a computed scalar.
    fn slot(&self, number: usize) -> Input {
        match self.arguments[number] {
            Some(position) => Input::Address {
                operand: position as i64,
                offset: 0,
            },
            None => Input::Address {
                operand: self.scratch(),
                offset: (self.scalars + SCALAR_BYTES * number as u64) as i64,
            },
        }
    }

    /// Returns the work of steps on scalars: it reads those that are computed before, and stores
    /// those that it computes. Its parameters are different addresses.
    fn scalars(&self, group: &[&Step]) -> (Work, Vec<Input>) {
        let (mut steps, mut inputs) = (Vec::new(), Vec::new());
        let mut known = BTreeSet::new();
        let mut computed = Vec::new();
        for step in group {
            let operands = match step {
                Step::Compute { operands, .. } => &operands[..],
                Step::Store { value, .. } => std::slice::from_ref(value),
                _ => &[],
            };
            for operand in operands {
                if let Operand::Computed(number, element) = *operand
                    && known.insert(number)
                {
                    let from = position(&mut inputs, self.slot(number));
                    steps.push(ScalarStep::Load(number, from, element));
                }
            }
            match step {
                Step::Compute {
                    result,
                    function,
                    operands,
                } => {
                    let elements: Vec<_> = operands.iter().map(|it| it.element()).collect();
                    known.insert(*result);
                    computed.push((*result, function.result(&elements)));
                    steps.push(ScalarStep::Compute(*result, *function, operands.clone()));
                }
                Step::Load { result, buffer } => {
                    let element = self.plan.buffers.element(*buffer);
                    known.insert(*result);
                    computed.push((*result, element));
                    let from = position(&mut inputs, self.buffer(*buffer));
                    steps.push(ScalarStep::Load(*result, from, element));
                }
                Step::Store { buffer, value } => {
                    let element = self.plan.buffers.element(*buffer);
                    let to = position(&mut inputs, self.buffer(*buffer));
                    steps.push(ScalarStep::Store(to, *value, element));
                }
                _ => {}
            }
        }
        for (number, element) in computed {
            let to = position(&mut inputs, self.slot(number));
            let value = Operand::Computed(number, element);
            steps.push(ScalarStep::Store(to, value, element));
        }
        (Work::Scalars(steps), inputs)
    }
}
