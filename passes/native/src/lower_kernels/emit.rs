//! The code of a plan: a function of the graph, which calls functions of kernels.
//!
//! ```text
//! func.func private @g.code(%arguments, %results, %memory, %run, %sizes)     addresses
//!   %x = load %arguments[0] ...   %n = load %sizes[0] ...
//!   call @tfx.kernel.0(%x, %w, %memory + 256, %n)
//!   scf.while (%i, %current, %next) { ... condition and not cancelled } do { ... }
//!   return %failed
//! ```
//!
//! `%run` has the address of a byte that is not zero if the run is cancelled, and the address of a
//! function that runs tasks on several threads (`emit/rows.rs`). A loop ends if the run is
//! cancelled, or if the code has given up, and the rest of the function then computes with what is
//! there; nobody reads the results. `%sizes` are the sizes that the plan lists, those of the parts
//! of the working memory whose sizes are unknown, and the offsets of these parts in bytes.

mod rows;
mod sanitize;

use std::collections::{BTreeMap, HashMap};

use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Location, Type};
use tfx_dialects::native::FUNCTION;
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::{builtin, func, llvm, scf};
use tfx_ir::{Block, Builder, Op, Value};

use super::code::{self, Code, pointer};
use super::convolution::{self, Addresses};
use super::kernel::{Call, Kernel};
use super::loops::{self, Parameters, Reduce, Scan, Scatter};
use super::memory::{Layout, Offset};
use super::plan::{CarriedBuffer, Loop, Operand, Place, Plan, Sequence, Step};
use super::product::{self, Operands, Tile};
use crate::element::Element;
use crate::extent::{Extent, count};
use crate::scalar::Function;
use sanitize::Allocated;

/// The number of iterations below which LLVM may inline a kernel: small kernels are mostly calls,
/// and the functions of graphs stay small enough for LLVM.
const INLINED_ITERATIONS: i64 = 256;

/// The number of calls of kernels up to which the code of a graph may have kernels inlined. LLVM's
/// time is not linear in the size of a function.
const MOST_CALLS: usize = 64;

/// The weight of kernels, by which those of constant sizes are limited: LLVM takes as long for a
/// product, with its tiles, as for this number of other kernels.
const PRODUCT_WEIGHT: usize = 16;

/// The weight of kernels of constant sizes in a version of the code. Further kernels are for all
/// sizes, so that there are few: a program with many different sizes would take long to compile.
const MOST_WEIGHT: usize = 128;

/// The position of the address of the flag in the run that the code gets.
const CANCELLED: usize = 0;

/// The attribute of a function with the linkage that it has as a function of LLVM.
const LINKAGE: &str = "llvm.linkage";

/// The functions of a module that are emitted so far.
pub(super) struct Module<'a> {
    block: Block<'a>,
    location: Location<'a>,
    kernels: BTreeMap<Key, String>,
    /// The weight of the kernels of constant sizes, by size of vectors.
    weights: BTreeMap<u64, usize>,
    constants: usize,
    tasks: usize,
    /// True if AddressSanitizer checks the code.
    sanitizes: bool,
}

/// A function of a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    vector_bytes: u64,
    kernel: Kernel,
    /// The types of buffers.
    elements: Vec<Element>,
    /// The types of scalars.
    scalars: Vec<Element>,
    is_inlined: bool,
}

impl<'a> Module<'a> {
    /// Starts with no functions. If `sanitizes` is true, AddressSanitizer checks them.
    pub(super) fn new(module: builtin::Module<'a>, sanitizes: bool) -> Self {
        let block = module.body_region().entry();
        Module {
            block: block.expect("a module has a block"),
            location: module.op().location(),
            kernels: BTreeMap::new(),
            weights: BTreeMap::new(),
            constants: 0,
            tasks: 0,
            sanitizes,
        }
    }

    /// Returns the number of functions of kernels.
    pub(super) fn kernels(&self) -> usize {
        self.kernels.len()
    }

    /// Adds the constants of a plan, and returns their symbols.
    pub(super) fn constants(&mut self, plan: &Plan) -> Vec<String> {
        let constants = plan.constants.iter();
        constants.map(|bytes| self.constant(bytes)).collect()
    }

    /// Emits the function of a plan, with this name, for a size of vectors. `constants` are the
    /// symbols of the constants of the plan.
    pub(super) fn function(
        &mut self,
        name: &str,
        (plan, layout, constants): (&Plan, &Layout, &[String]),
        tile: Tile,
        location: Location<'a>,
    ) -> func::Func<'a> {
        let context = self.location_context();
        let pointer = pointer(context);
        let status = Element::I32.value_type(context);
        let (function, mut code) = self.start(name, &[pointer; 5], &[status], tile, location);
        self.mark(function, tile, false);
        let entry = function.body().entry().expect("the function has a body");
        let [arguments, results, memory, run, sizes] =
            [0, 1, 2, 3, 4].map(|index| entry.argument(index));
        let load = |code: &mut Code<'a>, array, count: usize| -> Vec<Value<'a>> {
            (0..count)
                .map(|position| code.load_pointer(array, position))
                .collect()
        };
        let arguments = load(&mut code, arguments, plan.arguments.len());
        let results = load(&mut code, results, plan.results.len());
        let given = plan.sizes.len() + 2 * layout.parts.len();
        let given: Vec<_> = (0..given)
            .map(|position| {
                let place = code.offset(sizes, (position * size_of::<i64>()) as u64);
                code.load(place, Element::I64)
            })
            .collect();
        let (sizes, given) = given.split_at(plan.sizes.len());
        let (part_sizes, part_offsets) = given.split_at(layout.parts.len());
        let cancelled = code.load_pointer(run, CANCELLED);
        let context = match rows::most_entries(&plan.steps) {
            0 => None,
            entries => Some(code.allocate_array(Element::I64, entries)),
        };
        let failed = code.allocate(status);
        let no = code.builder.constant_int(0, status);
        llvm::Store::build(&mut code.builder, no, failed);
        let mut emitter = Emitter {
            module: self,
            tile,
            inlines: calls(&plan.steps) <= MOST_CALLS,
            plan,
            layout,
            arguments,
            results,
            memory,
            run,
            cancelled,
            context,
            failed,
            sizes: sizes.to_vec(),
            parts: part_sizes
                .iter()
                .copied()
                .zip(part_offsets.iter().copied())
                .collect(),
            constants,
            scalars: vec![None; plan.scalars],
            carried: HashMap::new(),
            allocated: None,
        };
        if emitter.module.sanitizes {
            emitter.allocate_buffers(&mut code);
        }
        emitter.steps(&mut code, &plan.steps);
        emitter.free_buffers(&mut code);
        let failed = llvm::Load::build(&mut code.builder, status, failed).res();
        func::Return::build(&mut code.builder, &[failed]);
        function
    }

    fn location_context(&self) -> &'a melior::Context {
        Builder::at_end(self.block, self.location).context()
    }

    /// Adds a private function.
    fn start(
        &mut self,
        name: &str,
        types: &[Type<'a>],
        results: &[Type<'a>],
        tile: Tile,
        location: Location<'a>,
    ) -> (func::Func<'a>, Code<'a>) {
        let mut builder = Builder::at_end(self.block, location);
        let ty = FunctionType::new(builder.context(), types, results);
        let function = func::Func::build(&mut builder, name, ty);
        function.set_sym_visibility(Some("private"));
        function.op().set_attribute(LINKAGE, self.internal());
        function
            .op()
            .set_attribute(FUNCTION, Attribute::unit(builder.context()));
        let arguments: Vec<_> = types.iter().map(|ty| (*ty, location)).collect();
        let entry = function.body().add_block(&arguments);
        let builder = builder.to_end_of(entry, location);
        let fuses = tile.fuses();
        (function, Code { builder, fuses })
    }

    /// Sets the attributes of a function of LLVM. A large one is not inlined.
    fn mark(&self, function: func::Func<'a>, tile: Tile, is_large: bool) {
        let context = self.location_context();
        let mut attributes = tile.attributes(context);
        let named = [
            ("noinline", is_large),
            (sanitize::ATTRIBUTE, self.sanitizes),
        ];
        for (name, _) in named.into_iter().filter(|(_, is_set)| *is_set) {
            attributes.push(StringAttribute::new(context, name).into());
        }
        if !attributes.is_empty() {
            let attributes = ArrayAttribute::new(context, &attributes);
            function.op().set_attribute("passthrough", attributes);
        }
    }

    /// Adds a constant of bytes, and returns its symbol.
    fn constant(&mut self, bytes: &[u8]) -> String {
        let name = format!("tfx.elements.{}", self.constants);
        self.constants += 1;
        let mut builder = Builder::at_end(self.block, self.location);
        let context = builder.context();
        let text = format!("!llvm.array<{} x i8>", bytes.len());
        let ty = Type::parse(context, &text).expect("the LLVM dialect is loaded");
        let internal = self.internal();
        let global = llvm::Global::build(&mut builder, ty, &name, internal);
        global.set_constant(true);
        global.set_alignment(Some(64));
        global.set_addr_space(Some(0));
        global.set_value(Some(tfx_ir::attribute::bytes(context, bytes)));
        name
    }

    /// Returns the linkage of functions and constants that only the module uses.
    fn internal(&self) -> Attribute<'a> {
        let internal = Attribute::parse(self.location_context(), "#llvm.linkage<internal>");
        internal.expect("the LLVM dialect is loaded")
    }

    /// Returns the symbol of the function of a kernel, which is emitted at its first use, and the
    /// sizes that it takes.
    fn kernel(&mut self, call: &Call, tile: Tile, inlines: bool) -> (String, Vec<Extent>) {
        let known = self.key(call, tile, inlines);
        if let Some(name) = self.kernels.get(&known) {
            return (name.clone(), call.sizes.clone());
        }
        let weight = match call.kernel {
            Kernel::Product(_) | Kernel::Convolution(_) => PRODUCT_WEIGHT,
            _ => 1,
        };
        let weights = self.weights.entry(tile.vector_bytes).or_default();
        if *weights + weight <= MOST_WEIGHT {
            *weights += weight;
            return (self.emit_kernel(known, call, tile), call.sizes.clone());
        }
        let general = call.general();
        let key = self.key(&general, tile, inlines);
        let name = match self.kernels.get(&key) {
            Some(name) => name.clone(),
            None => self.emit_kernel(key, &general, tile),
        };
        (name, general.sizes)
    }

    fn key(&self, call: &Call, tile: Tile, inlines: bool) -> Key {
        let iterations = call.kernel.iterations().as_known();
        let is_small = iterations.is_some_and(|iterations| iterations <= INLINED_ITERATIONS);
        Key {
            vector_bytes: tile.vector_bytes,
            kernel: call.kernel.clone(),
            elements: call.elements.clone(),
            scalars: call.scalars.iter().map(|scalar| scalar.element()).collect(),
            is_inlined: inlines && is_small,
        }
    }

    fn emit_kernel(&mut self, key: Key, call: &Call, tile: Tile) -> String {
        let name = format!("tfx.kernel.{}", self.kernels.len());
        let context = self.location_context();
        let mut types = vec![pointer(context); call.buffers.len()];
        let scalars = key.scalars.iter();
        types.extend(scalars.map(|element| element.value_type(context)));
        let bounds = if call.kernel.is_of_range() { 2 } else { 0 };
        types.extend(vec![code::index(context); call.sizes.len() + bounds]);
        let (function, mut code) = self.start(&name, &types, &[], tile, self.location);
        let attribute = |is_buffer| if is_buffer { "{llvm.noalias}" } else { "{}" };
        let attributes: Vec<_> = (0..types.len())
            .map(|index| attribute(index < call.buffers.len()))
            .collect();
        let attributes = Attribute::parse(context, &format!("[{}]", attributes.join(", ")));
        function.set_arg_attrs(attributes);
        self.mark(function, tile, !key.is_inlined);
        let entry = function.body().entry().expect("the function has a body");
        let arguments: Vec<_> = entry.arguments().collect();
        let (buffers, scalars) = arguments.split_at(call.buffers.len());
        let (scalars, sizes) = scalars.split_at(call.scalars.len());
        let (sizes, range) = sizes.split_at(call.sizes.len());
        let of_product = product::Parameters {
            sizes,
            range: match range {
                &[from, to] => Some((from, to)),
                _ => None,
            },
        };
        let parameters = Parameters {
            buffers,
            elements: &call.elements,
            scalars,
            sizes,
        };
        match &call.kernel {
            Kernel::Map {
                sizes,
                body,
                output,
            } => {
                loops::map(&mut code, &parameters, sizes, body, output);
            }
            Kernel::Reduce { .. } => {
                let reduce = Reduce::of(&call.kernel).expect("it is a reduction");
                loops::reduce(&mut code, &parameters, &reduce);
            }
            Kernel::Product(product) => {
                let operands = Operands {
                    a: buffers[0],
                    b: buffers[1],
                    packed: buffers[2],
                    c: buffers[3],
                };
                product::product(&mut code, product, operands, of_product, tile);
            }
            Kernel::Convolution(kernel) => {
                let addresses = Addresses {
                    images: buffers[0],
                    right: buffers[1],
                    padded: buffers[2],
                    packed: buffers[3],
                    result: buffers[4],
                };
                convolution::convolution(&mut code, kernel, addresses, of_product, tile);
            }
            Kernel::Scan { .. } => {
                let scan = Scan::of(&call.kernel).expect("it is a scan");
                scan.emit(&mut code, &parameters);
            }
            Kernel::Scatter { .. } => {
                let scatter = Scatter::of(&call.kernel).expect("it is a scatter");
                loops::scatter(&mut code, &parameters, &scatter, true);
            }
        }
        func::Return::build(&mut code.builder, &[]);
        self.kernels.insert(key, name.clone());
        name
    }
}

/// Returns the number of calls of kernels. Recursive in the regions of the plan, whose depth is
/// bounded.
fn calls(steps: &[Step]) -> usize {
    let calls = steps.iter().map(|step| match step {
        Step::Run(_) => 1,
        Step::Rows(rows) => rows.calls.len(),
        Step::Branch { branches, .. } => branches.iter().map(|it| calls(&it.steps)).sum(),
        Step::Loop(inner) => calls(&inner.condition.steps) + calls(&inner.body.steps),
        _ => 0,
    });
    calls.sum()
}

struct Emitter<'m, 'a> {
    module: &'m mut Module<'a>,
    tile: Tile,
    /// True if small kernels may be inlined.
    inlines: bool,
    plan: &'m Plan,
    layout: &'m Layout,
    arguments: Vec<Value<'a>>,
    results: Vec<Value<'a>>,
    memory: Value<'a>,
    run: Value<'a>,
    cancelled: Value<'a>,
    /// The memory for what tasks need; none without tasks.
    context: Option<Value<'a>>,
    /// The address of the number that the function returns.
    failed: Value<'a>,
    /// The sizes that the plan lists.
    sizes: Vec<Value<'a>>,
    /// The size and the offset of each part of the working memory.
    parts: Vec<(Value<'a>, Value<'a>)>,
    /// The symbols of the constants.
    constants: &'m [String],
    /// The scalars that are computed so far, by number.
    scalars: Vec<Option<Value<'a>>>,
    /// The addresses of the buffers that loops carry.
    carried: HashMap<usize, Value<'a>>,
    /// The buffers, if each is allocated by itself.
    allocated: Option<Allocated<'a>>,
}

impl<'a> Emitter<'_, 'a> {
    /// Emits steps. Recursive in the regions of the plan, whose depth is bounded.
    fn steps(&mut self, code: &mut Code<'a>, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Compute {
                    result,
                    function,
                    operands,
                } => {
                    let elements: Vec<_> =
                        operands.iter().map(|operand| operand.element()).collect();
                    let operands: Vec<_> = operands
                        .iter()
                        .map(|&operand| self.scalar(code, operand))
                        .collect();
                    let value = loops::apply(code, *function, &elements, &operands);
                    self.scalars[*result] = Some(value);
                }
                Step::Load { result, buffer } => {
                    let address = self.address(code, *buffer);
                    let value = code.load(address, self.plan.buffers.element(*buffer));
                    self.scalars[*result] = Some(value);
                }
                Step::Store { buffer, value } => {
                    let (value, address) = (self.scalar(code, *value), self.address(code, *buffer));
                    code.store(value, address, self.plan.buffers.element(*buffer));
                }
                Step::Run(call) => {
                    let (name, sizes) = self.module.kernel(call, self.tile, self.inlines);
                    let mut operands: Vec<_> = call
                        .buffers
                        .iter()
                        .map(|&buffer| self.address(code, buffer))
                        .collect();
                    operands.extend(call.scalars.iter().map(|&scalar| self.scalar(code, scalar)));
                    operands.extend(sizes.iter().map(|size| self.size(code, size)));
                    func::Call::build(&mut code.builder, &[], &name, &operands);
                }
                Step::Rows(rows) => self.rows(code, rows),
                Step::Copy { from, to } => self.copy(code, *from, *to),
                Step::Branch {
                    selector,
                    branches,
                    results,
                } => {
                    self.branch(code, *selector, branches, results);
                }
                Step::Loop(inner) => self.while_loop(code, inner),
                Step::Fail(condition) => {
                    let condition = self.scalar(code, *condition);
                    let ty = Element::I32.value_type(code.context());
                    let fails = arith::ExtUI::build(&mut code.builder, ty, condition).out();
                    let failed = llvm::Load::build(&mut code.builder, ty, self.failed).res();
                    let failed = arith::OrI::build(&mut code.builder, failed, fails).result();
                    llvm::Store::build(&mut code.builder, failed, self.failed);
                }
            }
        }
    }

    fn scalar(&mut self, code: &mut Code<'a>, operand: Operand) -> Value<'a> {
        match operand {
            Operand::Constant(constant) => constant.build(&mut code.builder),
            Operand::Computed(number, _) => {
                self.scalars[number].expect("a scalar is computed before it is used")
            }
            Operand::Size(position, element) => {
                let size = self.sizes[position];
                loops::apply(code, Function::Cast(element), &[Element::I64], &[size])
            }
        }
    }

    /// Returns the value of a size.
    fn size(&mut self, code: &mut Code<'a>, extent: &Extent) -> Value<'a> {
        match extent.as_known() {
            Some(size) => code.index(size),
            None => {
                let listed = self.plan.sizes.iter().position(|size| size == extent);
                self.sizes[listed.expect("the plan lists the sizes that it uses")]
            }
        }
    }

    /// Returns the bytes of elements.
    fn bytes(&mut self, code: &mut Code<'a>, element: Element, count: &Extent) -> Value<'a> {
        let count = self.size(code, count);
        let size = code.index(element.size() as i64);
        arith::MulI::build(&mut code.builder, count, size).result()
    }

    fn address(&mut self, code: &mut Code<'a>, buffer: usize) -> Value<'a> {
        match self.plan.buffers.get(buffer).place {
            Place::Argument(position) => self.arguments[position],
            Place::Result(position) => self.results[position],
            Place::Arena => match (&self.allocated, self.layout.places[buffer]) {
                (Some(allocated), _) => allocated.buffers[&buffer],
                (None, Offset::Known(offset)) => code.offset(self.memory, offset),
                (None, Offset::Part { part, units }) => {
                    let (size, offset) = self.parts[part];
                    let offset = code.advance(offset, size, units as i64);
                    code.offset_by(self.memory, offset)
                }
            },
            Place::Constant(position) => {
                let pointer = pointer(code.context());
                let symbol = &self.constants[position];
                llvm::AddressOf::build(&mut code.builder, pointer, symbol).res()
            }
            Place::Carried => self.carried[&buffer],
            Place::Task => unreachable!("tasks find their memory themselves"),
        }
    }

    /// Copies the elements of a buffer to another one.
    fn copy(&mut self, code: &mut Code<'a>, from: usize, to: usize) {
        let plan = self.plan;
        let described = plan.buffers.get(from);
        let [from, to] = [from, to].map(|buffer| self.address(code, buffer));
        let elements = (described.element, &described.count);
        self.copy_elements(code, elements, from, to);
    }

    /// Copies elements by a loop, which LLVM turns into a call of `memcpy`.
    fn copy_elements(
        &mut self,
        code: &mut Code<'a>,
        (element, count): (Element, &Extent),
        from: Value<'a>,
        to: Value<'a>,
    ) {
        let count = self.size(code, count);
        let (zero, one) = (code.index(0), code.index(1));
        let (_, mut inside, index) = code.loop_between((zero, count, one), &[]);
        let address = inside.address(from, index, element);
        let value = inside.load(address, element);
        let address = inside.address(to, index, element);
        inside.store(value, address, element);
        inside.yield_values(&[]);
    }

    /// Emits a sequence in a block, and returns the values that it yields.
    fn sequence(&mut self, code: &mut Code<'a>, sequence: &Sequence) -> Vec<Value<'a>> {
        self.steps(code, &sequence.steps);
        let yields = sequence.yields.iter();
        yields.map(|&operand| self.scalar(code, operand)).collect()
    }

    fn branch(
        &mut self,
        code: &mut Code<'a>,
        selector: Operand,
        branches: &[Sequence],
        results: &[(usize, Element)],
    ) {
        let context = code.context();
        let types: Vec<_> = results
            .iter()
            .map(|(_, element)| element.value_type(context))
            .collect();
        let value = self.scalar(code, selector);
        // The order of the regions is that of the operation: `scf.index_switch` has the default
        // region first.
        let (op, order): (Op<'a>, Vec<usize>) = match selector.element() {
            Element::Bool => (code.builder.scf_if(value, &types), vec![0, 1]),
            _ => {
                let last = branches.len() - 1;
                let cases: Vec<i64> = (0..last as i64).collect();
                let index = Type::index(context);
                let value = arith::IndexCast::build(&mut code.builder, index, value).out();
                let switch = code.builder.scf_index_switch(value, &cases, &types);
                (switch, std::iter::once(last).chain(0..last).collect())
            }
        };
        for (region, branch) in order.into_iter().enumerate() {
            let block = op.region(region).add_block(&[]);
            let mut inside = code.at_end(block);
            let values = self.sequence(&mut inside, &branches[branch]);
            inside.yield_values(&values);
        }
        for ((number, _), value) in results.iter().zip(op.results()) {
            self.scalars[*number] = Some(value);
        }
    }

    fn while_loop(&mut self, code: &mut Code<'a>, inner: &Loop) {
        let mut initial = Vec::new();
        for scalar in &inner.scalars {
            initial.push(self.scalar(code, scalar.initial));
        }
        for carried in &inner.buffers {
            initial.push(self.address(code, carried.initial));
            initial.push(self.address(code, carried.slots[0]));
        }
        let types: Vec<_> = initial.iter().map(|value| value.ty()).collect();
        let op = scf::While::build(&mut code.builder, &types, &initial).op();
        let location = code.builder.location();
        let arguments: Vec<_> = types.iter().map(|ty| (*ty, location)).collect();
        let [condition, body] = [0, 1].map(|region| op.region(region).add_block(&arguments));

        let mut before = code.at_end(condition);
        self.bind(inner, &condition.arguments().collect::<Vec<_>>());
        let goes_on = self.sequence(&mut before, &inner.condition)[0];
        let goes_on = self.unless_ended(&mut before, goes_on);
        let values: Vec<_> = condition.arguments().collect();
        before.builder.scf_condition(goes_on, &values);

        let mut after = code.at_end(body);
        let values: Vec<_> = body.arguments().collect();
        self.bind(inner, &values);
        let mut next = self.sequence(&mut after, &inner.body);
        let pointers = values[inner.scalars.len()..].chunks_exact(2);
        for (carried, pointers) in inner.buffers.iter().zip(pointers) {
            next.push(pointers[1]);
            let other = self.other_slot(&mut after, carried, pointers[1]);
            next.push(other);
        }
        after.yield_values(&next);

        let results: Vec<_> = op.results().collect();
        for (scalar, value) in inner.scalars.iter().zip(&results) {
            self.scalars[scalar.last] = Some(*value);
        }
        let pointers = results[inner.scalars.len()..].chunks_exact(2);
        for (carried, pointers) in inner.buffers.iter().zip(pointers) {
            self.carried.insert(carried.last, pointers[0]);
        }
    }

    /// Binds what a loop carries to the arguments of one of its regions.
    fn bind(&mut self, inner: &Loop, values: &[Value<'a>]) {
        for (scalar, value) in inner.scalars.iter().zip(values) {
            self.scalars[scalar.current] = Some(*value);
        }
        let pointers = values[inner.scalars.len()..].chunks_exact(2);
        for (carried, pointers) in inner.buffers.iter().zip(pointers) {
            self.carried.insert(carried.current, pointers[0]);
            self.carried.insert(carried.next, pointers[1]);
        }
    }

    /// Returns the address of the slot that is not at this address.
    fn other_slot(
        &mut self,
        code: &mut Code<'a>,
        carried: &CarriedBuffer,
        address: Value<'a>,
    ) -> Value<'a> {
        let [first, second] = carried.slots.map(|slot| self.address(code, slot));
        let predicate = llvm::ICmpPredicate::Eq;
        let is_first = llvm::ICmp::build(&mut code.builder, predicate, address, first).res();
        arith::Select::build(&mut code.builder, is_first, second, first).result()
    }

    /// Returns whether a condition holds, the run is not cancelled, and the code has not given up.
    fn unless_ended(&mut self, code: &mut Code<'a>, condition: Value<'a>) -> Value<'a> {
        let byte: Type<'a> = IntegerType::new(code.context(), 8).into();
        let load = llvm::Load::build(&mut code.builder, byte, self.cancelled);
        load.set_volatile(true);
        let zero = code.builder.constant_int(0, byte);
        let predicate = CmpIPredicate::Eq;
        let runs = arith::CmpI::build(&mut code.builder, predicate, load.res(), zero).result();
        let condition = arith::AndI::build(&mut code.builder, condition, runs).result();
        let status = Element::I32.value_type(code.context());
        let failed = llvm::Load::build(&mut code.builder, status, self.failed).res();
        let zero = code.builder.constant_int(0, status);
        let works = arith::CmpI::build(&mut code.builder, predicate, failed, zero).result();
        arith::AndI::build(&mut code.builder, condition, works).result()
    }
}

impl Kernel {
    /// Returns the number of iterations of all loops.
    pub(super) fn iterations(&self) -> Extent {
        match self {
            Kernel::Map { sizes, .. }
            | Kernel::Reduce { sizes, .. }
            | Kernel::Scan { sizes, .. }
            | Kernel::Scatter { sizes, .. } => count(sizes),
            Kernel::Product(product) => {
                let matrix = product.m.times(&product.n).times(&product.k);
                matrix.times(&product.batch)
            }
            Kernel::Convolution(convolution) => convolution.multiplications(),
        }
    }
}
