//! The entries of the assembly: functions of threads.
//!
//! ```text
//! map     thread t: indices of t; out[..] = value
//! reduce  thread t: indices of t in the loops that are kept; out = sum over the others
//!         of many values for few results: first, thread (t, c) sums every n-th one from c on
//! scan    thread t: indices of t in the loops that are kept; the results of a row in their order
//! product thread t: batch, row and column; sum over k of a * b
//! scatter one thread: all iterations in their order
//! ```
//!
//! Equal entries are one. Threads beyond the number of results do nothing.
//!
//! Not done: neighbouring threads read neighbouring elements where the innermost loop of a result
//! does, and nothing is kept in shared memory.

use std::collections::BTreeMap;
use std::fmt::Write;

use melior::Context;
use melior::ir::r#type::IntegerType;
use tfx_ir::ops::{arith, builtin, llvm, scf};
use tfx_ir::{Builder, Op, Value, gpu, module};

use super::super::code::Code;
use super::super::kernel::{Call, Kernel, Product};
use super::super::loops::{self, Every, Indices, Parameters, Reduce, Scan, Scatter};
use super::super::plan::Operand;
use super::convolution;
use crate::element::Element;
use crate::extent::Extent;
use crate::scalar::{Constant, Function};

/// The reason why functions without code of their own have no code for devices.
pub(super) const NO_LIBRARY: &str = "it calls a function of C's library, which devices do not have";

/// The work of the threads of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// A kernel, with the types of its buffers and scalars.
    Kernel(Kernel, Vec<Element>, Vec<Element>),
    /// A number of parts of a reduction: each thread has one in so many iterations of a loop. Their
    /// memory is the last input.
    Parts(Kernel, Vec<Element>, Vec<Element>, Split),
    /// The results of a reduction, of the parts in the first input.
    Combined(Kernel, Vec<Element>, Split),
    /// This number of elements of the first input go to the second one.
    Copy(Element, i64),
    /// Operations on scalars, by one thread.
    Scalars(Vec<ScalarStep>),
}

/// The split of a reduction into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Split {
    /// The loop whose iterations are split.
    pub(super) number: usize,
    /// The parts of each result.
    pub(super) parts: i64,
}

/// The results from which a reduction has enough threads without parts.
const MANY_RESULTS: i64 = 1 << 14;
/// The values of a result below which one thread combines them.
const FEW_VALUES: i64 = 512;
/// The values that a part combines, at least.
const LEAST_OF_PART: i64 = 8;
/// The parts of a result, at most: one thread combines them.
const MOST_PARTS: i64 = 256;

impl Split {
    /// Returns the split of a kernel, if it is a reduction of many values to few results.
    pub(super) fn of_kernel(kernel: &Kernel) -> Option<Self> {
        let Kernel::Reduce { sizes, reduced, .. } = kernel else {
            return None;
        };
        let sizes: Vec<i64> = sizes.iter().map(Extent::as_known).collect::<Option<_>>()?;
        let of_kind = |is_reduced: bool| {
            let loops = sizes
                .iter()
                .zip(reduced)
                .filter(move |(_, it)| **it == is_reduced);
            loops.fold(1i64, |product, (size, _)| product.saturating_mul(*size))
        };
        if of_kind(false) >= MANY_RESULTS || of_kind(true) < FEW_VALUES {
            return None;
        }
        let loops = (0..sizes.len()).filter(|&number| reduced[number]);
        let number = loops.max_by_key(|&number| sizes[number])?;
        let parts = (sizes[number] / LEAST_OF_PART).min(MOST_PARTS);
        (parts > 1).then_some(Split { number, parts })
    }

    /// Returns the work of both launches of a call.
    pub(super) fn works(self, call: &Call) -> [Work; 2] {
        let scalars = call.scalars.iter().map(|scalar| scalar.element()).collect();
        let (kernel, elements) = (call.kernel.clone(), call.elements.clone());
        [
            Work::Parts(kernel.clone(), elements.clone(), scalars, self),
            Work::Combined(kernel, elements, self),
        ]
    }
}

/// An operation on scalars of the plan, whose memory is an input by position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScalarStep {
    Load(usize, usize, Element),
    Compute(usize, Function, Vec<Operand>),
    Store(usize, Operand, Element),
}

/// An input of an entry: the memory of a buffer, or a scalar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Input {
    /// A parameter: the address of an operand of the launch, and a distance in bytes.
    Address { operand: i64, offset: i64 },
    /// Constant elements.
    Elements(Vec<u8>),
    /// A constant scalar.
    Number(Constant),
    /// Memory that only native code uses: packed columns and padded images.
    Unused,
}

impl Work {
    /// Returns the work of a call.
    ///
    /// # Errors
    /// The reason why an accelerator does not run it.
    pub(super) fn of_call(call: &Call) -> Result<Self, &'static str> {
        let mut functions = call.kernel.functions();
        if functions.any(|(function, element)| function.calls_library(element)) {
            return Err(NO_LIBRARY);
        }
        let scalars = call.scalars.iter().map(|scalar| scalar.element());
        let elements = call.elements.clone();
        Ok(Work::Kernel(
            call.kernel.clone(),
            elements,
            scalars.collect(),
        ))
    }

    /// Returns the number of threads; none if it is unknown or too large for 64 bits.
    pub(super) fn threads(&self) -> Option<i64> {
        match self {
            Work::Kernel(Kernel::Map { sizes, .. }, ..) => count(sizes.iter()),
            Work::Kernel(kernel @ Kernel::Reduce { .. }, ..) => results_of(kernel),
            Work::Kernel(kernel @ Kernel::Scan { .. }, ..) => {
                let scan = Scan::of(kernel)?;
                let kept = scan.kept_loops().into_iter();
                count(kept.map(|number| &scan.sizes[number]))
            }
            Work::Kernel(Kernel::Product(Product { batch, m, n, .. }), ..) => {
                count([batch, m, n].into_iter())
            }
            Work::Kernel(Kernel::Convolution(kernel), ..) => {
                count(convolution::results(kernel).iter())
            }
            Work::Kernel(Kernel::Scatter { .. }, ..) | Work::Scalars(_) => Some(1),
            Work::Parts(kernel, _, _, split) => results_of(kernel)?.checked_mul(split.parts),
            Work::Combined(kernel, ..) => results_of(kernel),
            Work::Copy(_, count) => Some(*count),
        }
    }
}

/// Returns the number of results of a reduction.
fn results_of(kernel: &Kernel) -> Option<i64> {
    let Kernel::Reduce { sizes, reduced, .. } = kernel else {
        return None;
    };
    let kept = sizes
        .iter()
        .zip(reduced)
        .filter(|(_, is_reduced)| !**is_reduced);
    count(kept.map(|(size, _)| size))
}

/// Returns the product of known sizes.
fn count<'s>(mut sizes: impl Iterator<Item = &'s Extent>) -> Option<i64> {
    sizes.try_fold(1i64, |product, size| product.checked_mul(size.as_known()?))
}

/// The entries of a text of assembly.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    names: BTreeMap<(Work, Vec<Input>, i64), usize>,
    all: Vec<(Work, Vec<Input>, i64)>,
}

impl Entries {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Adds an entry, unless there is an equal one, and returns its name.
    pub(super) fn add(&mut self, work: Work, mut inputs: Vec<Input>, threads: i64) -> String {
        for input in &mut inputs {
            if let Input::Address { operand, offset } = input {
                (*operand, *offset) = (0, 0);
            }
        }
        let key = (work, inputs, threads);
        let number = *self.names.entry(key.clone()).or_insert_with(|| {
            self.all.push(key);
            self.all.len() - 1
        });
        name(number)
    }

    /// Returns the assembly; none after MLIR has reported an error.
    pub(crate) fn assembly(&self, context: &Context, chip: &str, features: &str) -> Option<String> {
        let text = self.skeleton(chip, features);
        let mut module = module::parse(context, &text, "kernels")?;
        let body = builtin::Module::cast(module::as_op(&module))?
            .body_region()
            .entry()?;
        let kernels = body.ops().next()?.region(0).entry()?;
        let functions = kernels
            .ops()
            .filter(|op| op.num_regions() > 0 && op.attribute(KERNEL).is_some());
        for (function, (work, inputs, threads)) in functions.zip(&self.all) {
            emit(function, work, inputs, *threads)?;
        }
        gpu::ptx(&mut module)
    }

    /// Returns a module with an empty function for each entry.
    fn skeleton(&self, chip: &str, features: &str) -> String {
        let mut text = format!(
            "module attributes {{gpu.container_module}} {{\n\
             gpu.module @kernels [#nvvm.target<O = 3, chip = \"{chip}\", features = \"{features}\">] {{\n"
        );
        let mut constants = 0;
        for (number, (_, inputs, threads)) in self.all.iter().enumerate() {
            let (mut parameters, mut addresses) = (Vec::new(), String::new());
            for input in inputs {
                match input {
                    Input::Address { .. } => {
                        let number = parameters.len();
                        parameters.push(format!("%p{number}: !llvm.ptr {{llvm.noalias}}"));
                    }
                    Input::Elements(bytes) => {
                        let size = bytes.len();
                        let digits = bytes.iter().fold(String::new(), |mut digits, byte| {
                            _ = write!(digits, "{byte:02x}");
                            digits
                        });
                        // Text of an operation is complete, whatever is written.
                        _ = writeln!(
                            text,
                            "llvm.mlir.global internal constant @elements_{constants}(dense<\"0x{digits}\"> \
                             : tensor<{size}xi8>) {{addr_space = 1 : i32, alignment = 64 : i64}} \
                             : !llvm.array<{size} x i8>"
                        );
                        _ = writeln!(
                            addresses,
                            "%g{constants} = llvm.mlir.addressof @elements_{constants} : !llvm.ptr<1>\n\
                             %c{constants} = llvm.addrspacecast %g{constants} : !llvm.ptr<1> to !llvm.ptr"
                        );
                        constants += 1;
                    }
                    Input::Number(_) | Input::Unused => {}
                }
            }
            _ = writeln!(
                text,
                "llvm.func @{}({}) attributes {{nvvm.kernel}} {{\n\
                 {addresses}\
                 %x = nvvm.read.ptx.sreg.tid.x : i32\n\
                 %y = nvvm.read.ptx.sreg.ctaid.x : i32\n\
                 %z = nvvm.read.ptx.sreg.ntid.x : i32\n\
                 %0 = arith.extui %x : i32 to i64\n\
                 %1 = arith.extui %y : i32 to i64\n\
                 %2 = arith.extui %z : i32 to i64\n\
                 %3 = arith.muli %1, %2 : i64\n\
                 %4 = arith.addi %3, %0 : i64\n\
                 %5 = arith.constant {threads} : i64\n\
                 %6 = arith.cmpi ult, %4, %5 : i64\n\
                 scf.if %6 {{\n}}\n\
                 llvm.return\n}}",
                name(number),
                parameters.join(", ")
            );
        }
        text.push_str("}\n}\n");
        text
    }
}

/// The attribute of entries.
const KERNEL: &str = "nvvm.kernel";

fn name(number: usize) -> String {
    format!("tfx_kernel_{number}")
}

/// Emits the work of a thread into an empty function.
fn emit<'a>(function: Op<'a>, work: &Work, inputs: &[Input], threads: i64) -> Option<()> {
    let entry = function.region(0).entry()?;
    let thread = entry.ops().filter_map(arith::AddI::cast).next()?.result();
    let guard = entry.ops().filter_map(scf::If::cast).next()?;
    let end = guard.op().region(0).entry()?.terminator()?;
    let mut code = Code {
        builder: Builder::before(end),
        fuses: true,
    };
    let mut parameters = entry.arguments();
    let mut constants = entry.ops().filter_map(llvm::AddrSpaceCast::cast);
    let values = inputs.iter().map(|input| match input {
        Input::Address { .. } => parameters.next(),
        Input::Elements(_) => Some(constants.next()?.res()),
        Input::Number(constant) => Some(constant.build(&mut code.builder)),
        Input::Unused => entry.arguments().next(),
    });
    let values: Vec<Value<'a>> = values.collect::<Option<_>>()?;
    match work {
        Work::Kernel(kernel, elements, scalars) | Work::Parts(kernel, elements, scalars, _) => {
            let (buffers, given) = values.split_at(elements.len());
            let of_scalars = given.iter().zip(&inputs[elements.len()..]).zip(scalars);
            let scalars = of_scalars.map(|((value, input), element)| match input {
                Input::Number(_) => *value,
                _ => code.load(*value, *element),
            });
            let scalars: Vec<_> = scalars.collect();
            let parameters = Parameters {
                buffers,
                elements,
                scalars: &scalars,
                sizes: &[],
            };
            let thread = (thread, threads);
            match work {
                Work::Parts(.., split) => {
                    let parts = (*values.last()?, *split);
                    emit_parts(&mut code, kernel, &parameters, thread, parts)?;
                }
                _ => emit_kernel(&mut code, kernel, &parameters, thread),
            }
        }
        Work::Combined(kernel, elements, split) => {
            let parameters = Parameters {
                buffers: &values[1..],
                elements,
                scalars: &[],
                sizes: &[],
            };
            let parts = (values[0], *split);
            emit_combined(&mut code, kernel, &parameters, (thread, threads), parts)?;
        }
        Work::Copy(element, _) => {
            let from = code.address(values[0], thread, *element);
            let value = code.load(from, *element);
            let to = code.address(values[1], thread, *element);
            code.store(value, to, *element);
        }
        Work::Scalars(steps) => emit_scalars(&mut code, steps, &values),
    }
    Some(())
}

/// Emits the work of a thread, given its number and that of all threads.
fn emit_kernel<'a>(
    code: &mut Code<'a>,
    kernel: &Kernel,
    parameters: &Parameters<'_, 'a>,
    (thread, threads): (Value<'a>, i64),
) {
    match kernel {
        Kernel::Map {
            sizes,
            body,
            output,
        } => {
            let loops: Vec<usize> = (0..sizes.len()).collect();
            let indices = indices(code, sizes, &loops, (thread, threads));
            loops::map_once(code, parameters, body, output, &indices);
        }
        Kernel::Reduce { .. } => {
            let reduce = Reduce::of(kernel).expect("it is a reduction");
            let loops = reduce.kept_loops();
            let mut indices = indices(code, reduce.sizes, &loops, (thread, threads));
            reduce.emit_once(code, parameters, &mut indices);
        }
        Kernel::Scan { .. } => {
            let scan = Scan::of(kernel).expect("it is a scan");
            let loops = scan.kept_loops();
            let mut indices = indices(code, scan.sizes, &loops, (thread, threads));
            scan.emit_row(code, parameters, &mut indices);
        }
        Kernel::Product(product) => {
            emit_product(code, product, parameters.buffers, (thread, threads))
        }
        Kernel::Scatter { .. } => {
            let scatter = Scatter::of(kernel).expect("it is a scatter");
            loops::scatter(code, parameters, &scatter, false);
        }
        Kernel::Convolution(kernel) => {
            convolution::emit(code, kernel, parameters.buffers, (thread, threads));
        }
    }
}

/// Emits a part of a result. Those of a result are consecutive in memory.
fn emit_parts<'a>(
    code: &mut Code<'a>,
    kernel: &Kernel,
    parameters: &Parameters<'_, 'a>,
    thread: (Value<'a>, i64),
    (parts, split): (Value<'a>, Split),
) -> Option<()> {
    let reduce = Reduce::of(kernel)?;
    let mut loops = reduce.kept_loops();
    let mut sizes = reduce.sizes.to_vec();
    loops.push(sizes.len());
    sizes.push(Extent::known(split.parts));
    let mut indices = indices(code, &sizes, &loops, thread);
    let every = Every {
        number: split.number,
        first: indices.pop()??,
        step: split.parts,
    };
    let address = code.address(parts, thread.0, reduce.body.element());
    reduce.emit_part(code, parameters, &mut indices, every, address);
    Some(())
}

/// Emits a result of parts.
fn emit_combined<'a>(
    code: &mut Code<'a>,
    kernel: &Kernel,
    parameters: &Parameters<'_, 'a>,
    thread: (Value<'a>, i64),
    (parts, split): (Value<'a>, Split),
) -> Option<()> {
    let reduce = Reduce::of(kernel)?;
    let mut indices = indices(code, reduce.sizes, &reduce.kept_loops(), thread);
    let zero = code.index(0);
    let first = code.advance(zero, thread.0, split.parts);
    let parts = code.address(parts, first, reduce.body.element());
    reduce.emit_combined(code, parameters, &mut indices, (parts, split.parts));
    Some(())
}

/// Returns the indices of a thread in some loops, the last of which is innermost. They are computed
/// with 32 bits if that is enough: devices divide integers of 64 bits in many steps.
pub(super) fn indices<'a>(
    code: &mut Code<'a>,
    sizes: &[Extent],
    loops: &[usize],
    (thread, threads): (Value<'a>, i64),
) -> Indices<'a> {
    let context = code.context();
    let [short, long] = [32, 64].map(|bits| IntegerType::new(context, bits).into());
    let is_short = threads <= i64::from(i32::MAX);
    let ty = if is_short { short } else { long };
    let mut rest = match is_short {
        true => arith::TruncI::build(&mut code.builder, ty, thread).out(),
        false => thread,
    };
    let mut indices = vec![None; sizes.len()];
    for (place, &number) in loops.iter().enumerate().rev() {
        let index = match (place, sizes[number].as_known()) {
            (1.., Some(size)) => {
                let size = code.builder.constant_int(size, ty);
                let index = arith::RemUI::build(&mut code.builder, rest, size).result();
                rest = arith::DivUI::build(&mut code.builder, rest, size).result();
                index
            }
            _ => rest,
        };
        indices[number] = Some(match is_short {
            true => arith::ExtUI::build(&mut code.builder, long, index).out(),
            false => index,
        });
    }
    indices
}

/// Emits an element of a product.
fn emit_product<'a>(
    code: &mut Code<'a>,
    product: &Product,
    buffers: &[Value<'a>],
    thread: (Value<'a>, i64),
) {
    let Product {
        batch,
        m,
        n,
        k,
        element,
        ..
    } = product;
    let known = |extent: &Extent| extent.as_known().unwrap_or(0);
    let [rows, columns, depth] = [m, n, k].map(known);
    let sizes = [batch.clone(), m.clone(), n.clone()];
    let found = indices(code, &sizes, &[0, 1, 2], thread);
    let [matrix, row, column] =
        [0, 1, 2].map(|place| found[place].expect("all loops are of threads"));
    let [a, b, result] = [buffers[0], buffers[1], buffers[3]];
    // The element of an operand: its matrix, its place in the row or column, and the step of k.
    let start = |code: &mut Code<'a>, count: i64, (index, step): (Value<'a>, i64)| {
        let zero = code.index(0);
        let start = code.advance(zero, matrix, count);
        code.advance(start, index, step)
    };
    let (a_step, a_next) = if product.transpose_a {
        (1, rows)
    } else {
        (depth, 1)
    };
    let (b_step, b_next) = if product.transpose_b {
        (depth, 1)
    } else {
        (1, columns)
    };
    let a_start = start(code, rows * depth, (row, a_step));
    let b_start = start(code, depth * columns, (column, b_step));
    let place = start(code, rows * columns, (row, columns));
    let place = code.advance(place, column, 1);
    let place = code.address(result, place, *element);
    let initial = match product.accumulates {
        true => code.load(place, *element),
        false => Constant::number(*element, 0).build(&mut code.builder),
    };
    let (sum, mut inside, index) = code.loop_over((0, depth, 1), &[initial]);
    let mut operand = |base, start, step| {
        let at = inside.advance(start, index, step);
        let address = inside.address(base, at, *element);
        inside.load(address, *element)
    };
    let (x, y) = (operand(a, a_start, a_next), operand(b, b_start, b_next));
    let before = sum
        .op()
        .region(0)
        .entry()
        .expect("the loop has a body")
        .argument(1);
    let next = inside.multiply_add(*element, x, y, before);
    inside.yield_values(&[next]);
    code.store(sum.op().result(0), place, *element);
}

/// Emits operations on scalars.
fn emit_scalars<'a>(code: &mut Code<'a>, steps: &[ScalarStep], inputs: &[Value<'a>]) {
    let mut computed: BTreeMap<usize, Value<'a>> = BTreeMap::new();
    let value = |code: &mut Code<'a>, computed: &BTreeMap<usize, Value<'a>>, operand: Operand| {
        match operand {
            Operand::Constant(constant) => constant.build(&mut code.builder),
            Operand::Computed(number, _) => computed[&number],
            Operand::Size(..) => unreachable!("plans with unknown sizes are rejected"),
        }
    };
    for step in steps {
        match step {
            ScalarStep::Load(result, from, element) => {
                let loaded = code.load(inputs[*from], *element);
                computed.insert(*result, loaded);
            }
            ScalarStep::Compute(result, function, operands) => {
                let elements: Vec<_> = operands.iter().map(|operand| operand.element()).collect();
                let operands: Vec<_> = operands
                    .iter()
                    .map(|&operand| value(code, &computed, operand))
                    .collect();
                let new = loops::apply(code, *function, &elements, &operands);
                computed.insert(*result, new);
            }
            ScalarStep::Store(to, operand, element) => {
                let stored = value(code, &computed, *operand);
                code.store(stored, inputs[*to], *element);
            }
        }
    }
}
