//! Emission: a `func.func` for each instance, built through the library.
//!
//! ```text
//!   node of an instance      ──> block; its arguments are the leaves of the live variables
//!   edge                     ──> branch; a constant, a size or a flag adapts to the target's type
//!   tuple, struct, closure   ──> their leaves
//!   print, raise, host       ──> calls of foreign functions, which are closures of this process
//!   check                    ──> tfx_host.assert
//! ```
//!
//! Each operation has the place of its expression. Constants are built where they are used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use melior::Context;
use melior::ir::attribute::{
    BoolAttribute, DenseElementsAttribute, FloatAttribute, IntegerAttribute, StringAttribute,
    TypeAttribute,
};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute as MlirAttribute, Location, Type};
use tfx::dialects::{ad, host, tensor};
use tfx::ir::ops::func;
use tfx::ir::{Block, Value as Ir};
use tfx::program::{Builder, FunctionBuilder, Program, tensor_type};
use tfx::runtime::DType;
use tfx_python_syntax::Span;

use crate::evaluate::Evaluator;
use crate::hir::{FileId, FunctionId};
use crate::infer::{Analysis, NodeKey, statics};
use crate::keep::keep_failures;
use crate::run_block::{Outcome, State, run_block};
use crate::target::{Attribute, Elements, Foreign, Predicate, Result, Stop, Target};
use crate::value::{Constant, Leaf, TensorType, Value};
use crate::world::{Global, World};

/// A foreign function of an emitted program.
#[derive(Clone, Debug)]
pub struct ForeignCall {
    /// The symbol.
    pub name: String,
    /// Its function.
    pub function: Foreign,
    /// The types of its operands.
    pub operands: Vec<Leaf>,
    /// The types of its results.
    pub results: Vec<Leaf>,
}

/// An emitted program.
#[derive(Debug)]
pub(crate) struct Emitted<'c> {
    pub program: Program<'c>,
    pub foreign: Vec<ForeignCall>,
    pub parameters: Vec<Leaf>,
    pub captured: Vec<usize>,
    pub result: Value<()>,
}

/// The name of the emitted entry function.
pub const ENTRY: &str = "main";

/// Emits an analyzed program.
pub(crate) fn emit<'c>(
    context: &'c Context,
    analysis: &Analysis<'_>,
    entry: usize,
) -> std::result::Result<Emitted<'c>, tfx::Error> {
    let world = analysis.world;
    let body = &world.bodies[analysis.instances[entry].function];
    let builder = Builder::new(context, world.path(body.file)).with_words(&[
        ("tfx_comm.to_host", "tfx.to_host(..)"),
        ("tfx_comm.to_accelerator", "tfx.to_accelerator(..)"),
        ("tfx_ad.rule", "not yet in Python"),
        ("tfx_ad.stop", "tfx.stop_gradient(x)"),
    ]);
    let mut symbols = Symbols::default();
    let mut shared = Shared {
        names: names(analysis, entry, &mut symbols),
        foreign: Vec::new(),
        hosts: BTreeMap::new(),
        symbols,
        work: vec![entry],
        emitted: BTreeSet::from([entry]),
    };
    while let Some(id) = shared.work.pop() {
        instance(&builder, analysis, id, id == entry, &mut shared);
    }
    let instance = &analysis.instances[entry];
    let mut parameters: Vec<Leaf> = Vec::new();
    for ty in &instance.frame {
        parameters.extend(ty.leaves().into_iter().map(|(_, leaf)| leaf));
    }
    let result = instance.result.as_ref();
    let result = result.map_or(Value::None, |(result, _)| result.clone());
    let program = builder.finish()?;
    keep_failures(&program);
    Ok(Emitted {
        program,
        foreign: shared.foreign,
        parameters,
        captured: instance.captured.iter().copied().collect(),
        result,
    })
}

/// The state of the whole emission.
struct Shared {
    names: BTreeMap<usize, String>,
    foreign: Vec<ForeignCall>,
    /// The foreign functions of each host function, by its number: one for each list of types.
    hosts: BTreeMap<usize, Vec<usize>>,
    symbols: Symbols,
    work: Vec<usize>,
    emitted: BTreeSet<usize>,
}

/// Names the instances: that of the function, with a number if there are several.
fn names(analysis: &Analysis<'_>, entry: usize, symbols: &mut Symbols) -> BTreeMap<usize, String> {
    let mut names = BTreeMap::from([(entry, symbols.unique(ENTRY))]);
    for (id, instance) in analysis.instances.iter().enumerate() {
        if id == entry {
            continue;
        }
        let name = &analysis.world.bodies[instance.function].function.name;
        let name = name.trim_matches(['<', '>']);
        names.insert(id, symbols.unique(name));
    }
    names
}

/// The symbols of a program.
#[derive(Default)]
struct Symbols {
    used: BTreeSet<String>,
    /// The last number after each name.
    last: BTreeMap<String, usize>,
}

impl Symbols {
    /// Returns a new symbol: a name, with a number if it is used already.
    fn unique(&mut self, name: &str) -> String {
        let last = self.last.entry(name.to_owned()).or_default();
        loop {
            *last += 1;
            let symbol = match *last {
                1 => name.to_owned(),
                number => format!("{name}.{number}"),
            };
            if self.used.insert(symbol.clone()) {
                return symbol;
            }
        }
    }
}

fn scalar_type(context: &Context, dtype: DType) -> Type<'_> {
    match dtype {
        DType::Bool => IntegerType::new(context, 1).into(),
        DType::I8 => IntegerType::new(context, 8).into(),
        DType::I16 => IntegerType::new(context, 16).into(),
        DType::I32 => IntegerType::new(context, 32).into(),
        DType::F32 => Type::float32(context),
        DType::F64 => Type::float64(context),
        _ => IntegerType::new(context, 64).into(),
    }
}

fn ir_type<'c>(context: &'c Context, leaf: &Leaf) -> Type<'c> {
    match leaf {
        Leaf::Bool => scalar_type(context, DType::Bool),
        Leaf::Int => scalar_type(context, DType::I64),
        Leaf::Float => scalar_type(context, DType::F64),
        Leaf::Str => Type::parse(context, "!tfx_host.string").expect("the dialect is loaded"),
        Leaf::Tensor(ty) => tensor_type(scalar_type(context, ty.dtype), &ty.shape),
    }
}

/// The leaves of a function's parameters: its frame, then what it reads of the process.
fn signature(analysis: &Analysis<'_>, id: usize) -> Vec<(String, Leaf)> {
    let instance = &analysis.instances[id];
    let body = &analysis.world.bodies[instance.function];
    let slots = body.parameters.iter().copied();
    let slots = slots.chain(body.captures.iter().map(|&(_, own)| own));
    let mut leaves = Vec::new();
    let mut add = |name: &str, ty: &Value<()>| {
        let parts = ty.leaves();
        let many = parts.len() > 1;
        for (index, (_, leaf)) in parts.into_iter().enumerate() {
            let name = match many {
                true => format!("{name}.{index}"),
                false => name.to_owned(),
            };
            leaves.push((name, leaf));
        }
    };
    for (slot, ty) in slots.zip(&instance.frame) {
        add(body.slots[slot as usize].as_deref().unwrap_or("value"), ty);
    }
    for &captured in &instance.captured {
        let captured = &analysis.world.captured[captured];
        add(&captured.name, &captured.ty.generalized());
    }
    leaves
}

/// Emits an instance.
fn instance<'c>(
    builder: &Builder<'c>,
    analysis: &Analysis<'_>,
    id: usize,
    is_entry: bool,
    shared: &mut Shared,
) {
    let context = builder.context();
    let world = analysis.world;
    let instance = &analysis.instances[id];
    let body = Arc::clone(&world.bodies[instance.function]);
    let place = world.place(body.file, body.function.span);
    let location = location(builder, &place);
    let leaves = signature(analysis, id);
    let parameters: Vec<_> = leaves
        .iter()
        .map(|(name, leaf)| (name.as_str(), ir_type(context, leaf), location))
        .collect();
    let result = instance.result.as_ref().map(|(result, _)| result);
    let results: Vec<_> = result.iter().flat_map(|result| result.leaves()).collect();
    let many = results.len() > 1;
    let result_names: Vec<_> = (0..results.len())
        .map(|index| {
            if many {
                format!("result.{index}")
            } else {
                "result".to_owned()
            }
        })
        .collect();
    let result_types: Vec<_> = result_names
        .iter()
        .zip(&results)
        .map(|(name, (_, leaf))| (name.as_str(), ir_type(context, leaf)))
        .collect();
    let name = shared.names[&id].clone();
    let function = builder.function(&name, &parameters, &result_types, location);
    if !is_entry {
        function.make_private();
    }
    let arguments = function.arguments();
    let mut emitter = Emitter {
        builder,
        function,
        analysis,
        shared,
        captured: BTreeMap::new(),
        file: body.file,
        ended: false,
    };
    let mut arguments = arguments.into_iter();
    // The entry block has the parameters; a block follows for each node.
    let slots = body.parameters.iter().copied();
    let slots = slots.chain(body.captures.iter().map(|&(_, own)| own));
    let mut entry_state = State::new();
    for (slot, ty) in slots.zip(&instance.frame) {
        if *ty != Value::Unbound {
            let value = emitter.rebuild(ty, &mut arguments);
            entry_state.insert(slot, (value, body.function.span));
        }
    }
    for &captured in &instance.captured {
        let ty = world.captured[captured].ty.generalized();
        let value = emitter.rebuild(&ty, &mut arguments);
        emitter.captured.insert(captured, value);
    }
    let mut blocks: BTreeMap<NodeKey, Block<'_>> = BTreeMap::new();
    for (key, state) in &instance.nodes {
        let types: Vec<_> = node_leaves(state)
            .into_iter()
            .map(|leaf| ir_type(context, &leaf))
            .collect();
        blocks.insert(key.clone(), emitter.function.add_block(&types));
    }
    let entry_key = (0, statics(&body, 0, &entry_state));
    emitter.jump(
        &entry_key,
        &instance.nodes[&entry_key],
        blocks[&entry_key],
        &entry_state,
    );
    for (key, types) in &instance.nodes {
        let block = blocks[key];
        emitter.function.enter(block);
        emitter.ended = false;
        let mut values = block.arguments().collect::<Vec<_>>().into_iter();
        let mut state = State::new();
        for (slot, (ty, place)) in types {
            let value = emitter.rebuild(ty, &mut values);
            state.insert(*slot, (value, *place));
        }
        let outcome = run_block(&mut emitter, &body, key.0, &mut state);
        if emitter.ended {
            continue;
        }
        let edge = |emitter: &Emitter<'_, '_, '_>, block: u32| {
            let live: State<Ir<'_>> = state
                .iter()
                .filter(|(slot, _)| body.live[block as usize].contains(slot))
                .map(|(slot, value)| (*slot, value.clone()))
                .collect();
            let key = (block, statics(&body, block, &live));
            let _ = emitter;
            (key, live)
        };
        match outcome {
            Ok(Some(Outcome::Jump(to))) => {
                let (key, live) = edge(&emitter, to);
                emitter.jump(&key, &instance.nodes[&key], blocks[&key], &live);
            }
            Ok(Some(Outcome::Branch(Value::Bool(_, Some(value)), then, otherwise))) => {
                let (key, live) = edge(&emitter, if value { then } else { otherwise });
                emitter.jump(&key, &instance.nodes[&key], blocks[&key], &live);
            }
            Ok(Some(Outcome::Branch(Value::Bool(condition, None), then, otherwise))) => {
                let targets = [then, otherwise].map(|block| {
                    let (key, live) = edge(&emitter, block);
                    let values = emitter.adapted(&instance.nodes[&key], &live);
                    (blocks[&key], values)
                });
                let [(then, a), (otherwise, b)] = &targets;
                emitter
                    .function
                    .cond_br(condition, (*then, a), (*otherwise, b));
            }
            Ok(Some(Outcome::Return(value, _))) => {
                let result = result.expect("a path returns");
                let mut leaves = Vec::new();
                emitter.leaves(&value, result, &mut leaves);
                emitter.function.ret(&leaves);
            }
            Ok(Some(Outcome::Branch(..))) | Ok(None) | Err(_) => emitter.diverge(),
        }
    }
}

/// The leaves of a node's state.
fn node_leaves(state: &State<()>) -> Vec<Leaf> {
    let values = state.values().flat_map(|(ty, _)| ty.leaves());
    values.map(|(_, leaf)| leaf).collect()
}

fn location<'c>(builder: &Builder<'c>, place: &crate::error::Place) -> Location<'c> {
    Location::new(builder.context(), &place.file, place.line, place.column)
}

/// The target that builds operations.
struct Emitter<'e, 'b, 's> {
    builder: &'b Builder<'b>,
    function: FunctionBuilder<'b>,
    analysis: &'e Analysis<'e>,
    shared: &'s mut Shared,
    captured: BTreeMap<usize, Value<Ir<'b>>>,
    file: FileId,
    /// `true` once the current block has ended.
    ended: bool,
}

impl<'b> Emitter<'_, 'b, '_> {
    fn context(&self) -> &'b Context {
        self.function.context()
    }

    /// Makes a value of a type from leaves in their order; constants are built.
    fn rebuild(
        &mut self,
        ty: &Value<()>,
        leaves: &mut impl std::iter::Iterator<Item = Ir<'b>>,
    ) -> Value<Ir<'b>> {
        ty.map(&mut |part| match part.constant {
            Some(constant) => self.constant_leaf(&constant),
            None => leaves.next().expect("a value for each leaf"),
        })
    }

    fn constant_leaf(&mut self, constant: &Constant) -> Ir<'b> {
        match constant {
            Constant::Bool(value) => self.bool(*value),
            Constant::Int(value) => self.int(*value),
            Constant::Float(bits) => self.float(f64::from_bits(*bits)),
            Constant::Str(text) => self.string(text),
        }
    }

    fn jump(&mut self, _: &NodeKey, types: &State<()>, block: Block<'b>, state: &State<Ir<'b>>) {
        let values = self.adapted(types, state);
        self.function.br(block, &values);
    }

    /// The leaves that a node expects.
    fn adapted(&mut self, types: &State<()>, state: &State<Ir<'b>>) -> Vec<Ir<'b>> {
        let mut leaves = Vec::new();
        for (slot, (ty, _)) in types {
            match state.get(slot) {
                Some((value, _)) => self.leaves(value, ty, &mut leaves),
                None => self.leaves(&Value::Unbound, ty, &mut leaves),
            }
        }
        leaves
    }

    /// Adds the leaves of a value as a type that is at least as general.
    fn leaves(&mut self, from: &Value<Ir<'b>>, to: &Value<()>, out: &mut Vec<Ir<'b>>) {
        match (from, to) {
            (_, Value::Conflict(_) | Value::Unbound) => {}
            (Value::Unbound, Value::Maybe((), inner)) => {
                let flag = self.bool(false);
                out.push(flag);
                for (_, leaf) in inner.leaves() {
                    let value = self.placeholder(&leaf);
                    out.push(value);
                }
            }
            (Value::Maybe(flag, value), Value::Maybe((), inner)) => {
                out.push(*flag);
                self.leaves(value, inner, out);
            }
            (value, Value::Maybe((), inner)) => {
                let flag = self.bool(true);
                out.push(flag);
                self.leaves(value, inner, out);
            }
            (Value::Tuple(a), Value::Tuple(b)) | (Value::List(a), Value::List(b)) => {
                a.iter().zip(b).for_each(|(a, b)| self.leaves(a, b, out));
            }
            (Value::Struct(_, a), Value::Struct(_, b)) => {
                a.iter().zip(b).for_each(|(a, b)| self.leaves(a, b, out));
            }
            (from, to) => {
                let mut values = Vec::new();
                from.map(&mut |part| values.push((*part.value, part.leaf)));
                let mut values = values.into_iter();
                let mut wanted = Vec::new();
                to.map(&mut |part| wanted.push((part.leaf, part.constant.is_some())));
                for (leaf, is_constant) in wanted {
                    let Some((value, own)) = values.next() else {
                        break;
                    };
                    if !is_constant {
                        out.push(self.generalized(value, &own, &leaf));
                    }
                }
            }
        }
    }

    /// Forgets static sizes.
    fn generalized(&mut self, value: Ir<'b>, own: &Leaf, to: &Leaf) -> Ir<'b> {
        match (own, to) {
            (Leaf::Tensor(own), Leaf::Tensor(to)) if own != to => {
                self.tensor("Identity", &[value], &[], to)
            }
            _ => value,
        }
    }

    /// A value that is never read.
    fn placeholder(&mut self, leaf: &Leaf) -> Ir<'b> {
        match leaf {
            Leaf::Bool => self.bool(false),
            Leaf::Int => self.int(0),
            Leaf::Float => self.float(0.0),
            Leaf::Str => self.string(""),
            Leaf::Tensor(_) => {
                let ty = ir_type(self.context(), leaf);
                self.function.op(host::Undef::NAME).result(ty).value()
            }
        }
    }

    /// Returns the symbol of an instance, which is emitted later.
    fn symbol(&mut self, id: usize) -> String {
        if self.shared.emitted.insert(id) {
            self.shared.work.push(id);
        }
        self.shared.names[&id].clone()
    }

    fn callee(
        &mut self,
        function: FunctionId,
        arguments: &[Value<Ir<'b>>],
        captures: &[Value<Ir<'b>>],
    ) -> (usize, Vec<Ir<'b>>, Vec<usize>) {
        let types = |values: &[Value<Ir<'b>>]| values.iter().map(Value::ty).collect();
        let id = self
            .analysis
            .find(function, types(arguments), types(captures))
            .expect("inference has visited the call");
        let analysis = self.analysis;
        let callee = &analysis.instances[id];
        let mut leaves = Vec::new();
        let mut counts = Vec::new();
        for (value, ty) in arguments.iter().chain(captures).zip(&callee.frame) {
            let before = leaves.len();
            self.leaves(value, ty, &mut leaves);
            counts.push(leaves.len() - before);
        }
        for captured in &callee.captured {
            let value = self.captured[captured].clone();
            let ty = analysis.world.captured[*captured].ty.generalized();
            self.leaves(&value, &ty, &mut leaves);
        }
        (id, leaves, counts)
    }

    /// Returns the symbol of a host function with some types, if it is declared.
    fn declared(&self, function: &Foreign) -> Option<String> {
        let Foreign::Host(id, types, _) = function else {
            return None;
        };
        let declared = self.shared.hosts.get(id)?.iter();
        let mut calls = declared.map(|&index| &self.shared.foreign[index]);
        let found =
            calls.find(|call| matches!(&call.function, Foreign::Host(_, of, _) if of == types));
        found.map(|call| call.name.clone())
    }

    /// Declares a foreign function, and returns its symbol.
    fn declare(
        &mut self,
        function: Foreign,
        operands: &[(Ir<'b>, Leaf)],
        results: &[Leaf],
    ) -> String {
        let context = self.context();
        let (base, is_pure) = match &function {
            Foreign::Print(_) => ("print".to_owned(), false),
            Foreign::Format(_) => ("format".to_owned(), true),
            Foreign::Raise(class) => (format!("raise_{class}"), false),
            Foreign::CompareStrings(_) => ("compare_strings".to_owned(), true),
            Foreign::Length => ("len".to_owned(), true),
            Foreign::IntPower => ("pow".to_owned(), false),
            Foreign::Round => ("round".to_owned(), true),
            Foreign::Host(id, ..) => (self.world().host_name(*id).to_owned(), false),
        };
        let name = self.shared.symbols.unique(&base);
        let operand_types = operands.iter().map(|(_, leaf)| ir_type(context, leaf));
        let operand_types: Vec<_> = operand_types.collect();
        let result_types: Vec<_> = results.iter().map(|leaf| ir_type(context, leaf)).collect();
        let ty = melior::ir::r#type::FunctionType::new(context, &operand_types, &result_types);
        let location = self.function.location();
        let mut declarations = self.builder.declarations(location);
        let declaration = declarations.func(&name, ty, true);
        if is_pure {
            declaration.set_attribute("tfx.pure", MlirAttribute::unit(context));
        }
        if let Foreign::Host(id, ..) = &function {
            let declared = self.shared.hosts.entry(*id).or_default();
            declared.push(self.shared.foreign.len());
        }
        self.shared.foreign.push(ForeignCall {
            name: name.clone(),
            function,
            operands: operands.iter().map(|(_, leaf)| leaf.clone()).collect(),
            results: results.to_vec(),
        });
        name
    }
}

impl<'b> Target for Emitter<'_, 'b, '_> {
    type V = Ir<'b>;

    fn int(&mut self, value: i64) -> Ir<'b> {
        let ty = scalar_type(self.context(), DType::I64);
        self.function.constant_int(value, ty)
    }

    fn float(&mut self, value: f64) -> Ir<'b> {
        let ty = Type::float64(self.context());
        let attribute = FloatAttribute::new(self.context(), ty, value);
        self.function.constant(attribute, ty)
    }

    fn bool(&mut self, value: bool) -> Ir<'b> {
        self.function.constant_bool(value)
    }

    fn string(&mut self, value: &str) -> Ir<'b> {
        let ty = ir_type(self.context(), &Leaf::Str);
        let op = self.function.op("tfx_host.string");
        op.string("value", value).result(ty).value()
    }

    fn scalar(&mut self, name: &'static str, operands: &[Ir<'b>]) -> Ir<'b> {
        self.function
            .scalar_op(name, operands)
            .infer_results()
            .value()
    }

    fn compare(&mut self, is_float: bool, predicate: Predicate, a: &Ir<'b>, b: &Ir<'b>) -> Ir<'b> {
        // The numbers of MLIR's predicates; a float is unequal to NaN.
        let (name, number) = match is_float {
            false => (
                "arith.cmpi",
                match predicate {
                    Predicate::Eq => 0,
                    Predicate::Ne => 1,
                    Predicate::Lt => 2,
                    Predicate::Le => 3,
                    Predicate::Gt => 4,
                    Predicate::Ge => 5,
                },
            ),
            true => (
                "arith.cmpf",
                match predicate {
                    Predicate::Eq => 1,
                    Predicate::Gt => 2,
                    Predicate::Ge => 3,
                    Predicate::Lt => 4,
                    Predicate::Le => 5,
                    Predicate::Ne => 13,
                },
            ),
        };
        let op = self.function.scalar_op(name, &[*a, *b]);
        op.integer("predicate", 64, number).infer_results().value()
    }

    fn convert(&mut self, name: &'static str, value: &Ir<'b>, to: DType) -> Ir<'b> {
        let ty = scalar_type(self.context(), to);
        self.function.op(name).operand(*value).result(ty).value()
    }

    fn is_extended(&self, value: &Ir<'b>, from: DType) -> bool {
        let extension = value.defining_op().filter(|op| op.name() == "arith.extsi");
        extension.is_some_and(|op| op.operand(0).ty() == scalar_type(self.context(), from))
    }

    fn check(&mut self, holds: &Ir<'b>, class: &str, message: &str) {
        let text = format!("{class}: {message}");
        host::Assert::build(&mut self.function, *holds, &text, &[]);
    }

    fn tensor(
        &mut self,
        name: &'static str,
        operands: &[Ir<'b>],
        attributes: &[(&'static str, Attribute)],
        ty: &TensorType,
    ) -> Ir<'b> {
        let context = self.context();
        let ty = ir_type(context, &Leaf::Tensor(ty.clone()));
        let mut op = self.function.graph_op(name, operands, &[ty]);
        for (name, value) in attributes {
            let attribute: MlirAttribute<'_> = match value {
                Attribute::Bool(value) => BoolAttribute::new(context, *value).into(),
                Attribute::Int(value) => {
                    IntegerAttribute::new(scalar_type(context, DType::I64), *value).into()
                }
                Attribute::Float(value) => {
                    FloatAttribute::new(context, Type::float32(context), f64::from(*value)).into()
                }
                Attribute::Type(dtype) => TypeAttribute::new(scalar_type(context, *dtype)).into(),
                Attribute::Str(text) => StringAttribute::new(context, text).into(),
            };
            op = op.attribute(name, attribute);
        }
        op.value()
    }

    fn constant(&mut self, elements: &Elements, ty: &TensorType) -> Ir<'b> {
        let context = self.context();
        let element = scalar_type(context, ty.dtype);
        let shape: Vec<u64> = ty.shape.iter().map(|size| size.unwrap_or(0)).collect();
        let tensor: Type<'_> = RankedTensorType::new(&shape, element, None).into();
        let values: Vec<MlirAttribute<'_>> = match elements {
            Elements::Bools(values) => values
                .iter()
                .map(|value| BoolAttribute::new(context, *value).into())
                .collect(),
            Elements::Ints(values) => values
                .iter()
                .map(|value| IntegerAttribute::new(element, *value).into())
                .collect(),
            Elements::Floats(values) => values
                .iter()
                .map(|value| FloatAttribute::new(context, element, *value).into())
                .collect(),
        };
        let value = DenseElementsAttribute::new(tensor, &values).expect("a constant has its type");
        let op = self.function.op(tensor::Const::NAME);
        op.attribute("value", value).result(tensor).value()
    }

    fn tensor_of_scalar(&mut self, value: &Ir<'b>, dtype: DType) -> Ir<'b> {
        let ty = ir_type(self.context(), &Leaf::Tensor(TensorType::scalar(dtype)));
        let op = self.function.op(tensor::FromScalar::NAME);
        op.operand(*value).result(ty).value()
    }

    fn scalar_of_tensor(&mut self, value: &Ir<'b>, dtype: DType) -> Ir<'b> {
        let ty = scalar_type(self.context(), dtype);
        let op = self.function.op(tensor::ToScalar::NAME);
        op.operand(*value).result(ty).value()
    }

    fn foreign(
        &mut self,
        function: Foreign,
        operands: &[(Ir<'b>, Leaf)],
        results: &[Leaf],
    ) -> Vec<Ir<'b>> {
        let context = self.context();
        let name = match self.declared(&function) {
            Some(name) => name,
            None => self.declare(function, operands, results),
        };
        let result_types: Vec<_> = results.iter().map(|leaf| ir_type(context, leaf)).collect();
        let values: Vec<_> = operands.iter().map(|(value, _)| *value).collect();
        let call = self.function.op(func::Call::NAME).symbol("callee", &name);
        let call = call.operands(&values).results(&result_types).build();
        (0..results.len()).map(|index| call.result(index)).collect()
    }

    fn diverge(&mut self) {
        if !self.ended {
            host::Abort::build(
                &mut self.function,
                "the program has raised an exception",
                &[],
            );
            self.function.op(host::Unreachable::NAME).build();
            self.ended = true;
        }
    }

    fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<Ir<'b>>>,
        captures: Vec<Value<Ir<'b>>>,
        _: Span,
    ) -> Result<Value<Ir<'b>>> {
        let (id, leaves, _) = self.callee(function, &arguments, &captures);
        let name = self.symbol(id);
        let result = self.analysis.instances[id].result.clone();
        let types: Vec<_> = result
            .iter()
            .flat_map(|(result, _)| result.leaves())
            .map(|(_, leaf)| ir_type(self.context(), &leaf))
            .collect();
        let call = self.function.op(func::Call::NAME).symbol("callee", &name);
        let call = call.operands(&leaves).results(&types).build();
        let Some((result, _)) = result else {
            self.diverge();
            return Err(Stop::Diverges);
        };
        let values: Vec<_> = (0..types.len()).map(|index| call.result(index)).collect();
        Ok(self.rebuild(&result, &mut values.into_iter()))
    }

    fn gradient(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<Ir<'b>>>,
        captures: Vec<Value<Ir<'b>>>,
        wants_value: bool,
        wrt: usize,
        _: Span,
    ) -> Result<(Option<Value<Ir<'b>>>, Value<Ir<'b>>)> {
        let (id, leaves, counts) = self.callee(function, &arguments, &captures);
        let name = self.symbol(id);
        let first: usize = counts[..wrt].iter().sum();
        let positions: Vec<i64> = (first..first + counts[wrt]).map(|at| at as i64).collect();
        let Some((result, _)) = self.analysis.instances[id].result.clone() else {
            self.diverge();
            return Err(Stop::Diverges);
        };
        let context = self.context();
        let gradient = arguments[wrt].ty().generalized();
        let mut types: Vec<_> = Vec::new();
        if wants_value {
            types.extend(
                result
                    .leaves()
                    .iter()
                    .map(|(_, leaf)| ir_type(context, leaf)),
            );
        }
        let own = self.analysis.instances[id].frame[wrt].leaves();
        types.extend(own.iter().map(|(_, leaf)| ir_type(context, leaf)));
        let op = ad::Gradient::build(&mut self.function, &types, None, &leaves, &positions);
        op.set_callee(Some(&name));
        op.set_value(wants_value);
        let mut values: Vec<_> = (0..types.len()).map(|at| op.op().result(at)).collect();
        let value = wants_value.then(|| {
            let rest = values.split_off(result.leaves().len());
            let value = std::mem::replace(&mut values, rest);
            self.rebuild(&result, &mut value.into_iter())
        });
        Ok((value, self.rebuild(&gradient, &mut values.into_iter())))
    }

    fn global(&mut self, file: FileId, name: &str, span: Span) -> Result<Value<Ir<'b>>> {
        let global = self.analysis.world.global(file, name).cloned();
        if let Some(Global::Captured(id)) = global {
            return Ok(self.captured[&id].clone());
        }
        let mut evaluator = Evaluator {
            target: self,
            file,
            span,
        };
        evaluator.global_value(name, global)
    }

    fn world(&self) -> &World {
        self.analysis.world
    }

    fn set_span(&mut self, file: FileId, span: Span) {
        let place = self.analysis.world.place(file, span);
        let location = location(self.builder, &place);
        self.file = file;
        self.function.set_location(location);
    }
}
