//! `tfx-scalarize`: structs and tuples become their fields, everywhere.
//!
//! ```text
//!   %p = make_struct(%x, %y)                     br ^next(%x, %y)
//!   br ^next(%p)                                 ^next(%a, %b):
//!   ^next(%q: Point):                  ──►         call @use(%a)
//!     %a = extract %q["x"]
//!     call @use(%a)
//! ```
//!
//! # Algorithm
//!
//! Every aggregate value stands for a list of leaves (`layout.rs` has their order). The blocks are visited in reverse postorder, so the leaves of an
//! operand are known when its user is met. `make_struct`, `extract` and their like only move leaves about and vanish. A variable becomes one variable for each
//! leaf; parameters, results, calls, block arguments and branch operands are exploded in place: an aggregate parameter or result is replaced by its
//! leaves, in order, in private and public functions and in declarations of foreign ones alike. A name (`tfx.name`) goes on to
//! the leaves as `name.field`. Generic structs are laid out for their type arguments.
//!
//! Where something wants an aggregate whole (a closure's capture, structured control flow, a function that a witness table names), it is
//! gathered there, so the program keeps its meaning; `tfx-verify-deabstracted` names what is left. A variable whose reference is wanted whole stays one, and
//! so, by a fixed point over calls, do the parameters that it is passed to and from.
//!
//! # Cost
//!
//! Linear in the input and the output: each leaf of each aggregate value is handled once for each operation that moves it.
//!
//! # Non-guarantees
//!
//! Bodies of generic functions are left alone: their types are not known. References in block arguments are not exploded. Blocks that control cannot
//! reach are erased.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use melior::ir::attribute::{ArrayAttribute, IntegerAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Location, Type};
use tfx_dialects::types::{HostType, host_type, walk_types};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::aggregates::{gather, leaf_names, spread};
use crate::layout::{Layouts, elements, is_reference, key};
use crate::names;
use crate::references::{self, Wholes};
use crate::{cfg, parameters};

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct Scalarize;

const REMOVED: Statistic = Statistic {
    name: "aggregates-removed",
    description: "Operations on aggregates that vanished",
};

impl Pass for Scalarize {
    type Options = ();
    const NAME: &'static str = "TfxScalarize";
    const ARGUMENT: &'static str = "tfx-scalarize";
    const DESCRIPTION: &'static str = "Replace structs and tuples by their fields";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[REMOVED];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        let signatures = Signatures::new(module);
        let functions: Vec<_> = signatures.functions.clone();
        functions
            .iter()
            .flat_map(|func| func.regions())
            .for_each(cfg::erase_unreachable_blocks);
        let mut layouts = Layouts::new(module);
        let wholes = references::wholes(&functions, &signatures, &mut layouts)?;
        let mut scalarizer = Scalarizer {
            layouts,
            signatures,
            wholes,
            leaves: HashMap::new(),
            exploded: HashMap::new(),
            dead: Vec::new(),
            loads: Vec::new(),
        };
        for func in functions {
            scalarizer.function(func)?;
        }
        cx.count(REMOVED, scalarizer.finish());
        erase_unused_structs(module);
        Ok(())
    }
}

/// Which functions may get another signature.
pub(crate) struct Signatures<'a> {
    /// All functions of the module that are not generic.
    functions: Vec<Op<'a>>,
    by_name: HashMap<&'a str, Op<'a>>,
}

impl<'a> Signatures<'a> {
    fn new(module: Op<'a>) -> Self {
        let top_level = module
            .regions()
            .flat_map(|region| region.blocks())
            .flat_map(|block| block.ops());
        let functions: Vec<_> = top_level
            .filter(|op| op.is(names::FUNC) && op.attribute(names::TYPE_PARAMS).is_none())
            .collect();
        let mut by_name: HashMap<_, _> = functions
            .iter()
            .filter_map(|op| Some((op.symbol_name()?, *op)))
            .collect();
        // A closure or a witness table says what type it wants.
        module.walk().for_each(|op| {
            names::symbols_other_than_calls(op, |symbol| {
                by_name.remove(symbol);
            })
        });
        Self { functions, by_name }
    }

    /// The function that a direct call calls, if its signature may change.
    pub(crate) fn callee(&self, call: Op<'a>) -> Option<Op<'a>> {
        self.by_name.get(call.symbol("callee")?).copied()
    }

    /// Whether the signature of a function may change.
    pub(crate) fn is_free(&self, func: Op<'a>) -> bool {
        func.symbol_name()
            .is_some_and(|name| self.by_name.contains_key(name))
    }
}

struct Scalarizer<'a> {
    layouts: Layouts<'a>,
    signatures: Signatures<'a>,
    wholes: Wholes<'a>,
    /// What each aggregate value stands for.
    leaves: HashMap<Value<'a>, Vec<Value<'a>>>,
    /// The old arguments of a block that new ones stand for. They are erased at the end, when nothing uses them any more.
    exploded: HashMap<Block<'a>, Range<usize>>,
    /// What is erased at the end.
    dead: Vec<Op<'a>>,
    /// What reads the leaves of variables. A leaf that is not used was not read: it may not have been written yet.
    loads: Vec<Op<'a>>,
}

impl<'a> Scalarizer<'a> {
    fn function(&mut self, func: Op<'a>) -> Result<(), PassFailed> {
        let free = self.signatures.is_free(func);
        if free {
            self.signature(func)?;
        }
        let mut regions: Vec<Region<'a>> =
            func.regions().filter(|region| !region.is_empty()).collect();
        while let Some(region) = regions.pop() {
            cfg::erase_unreachable_blocks(region);
            let blocks = cfg::reverse_postorder(region);
            // Before anything is added: what spreads an argument is not to be taken apart again.
            let ops: Vec<_> = blocks.iter().flat_map(|block| block.ops()).collect();
            for block in blocks {
                if free && block.is_entry() && region.parent() == Some(func) {
                    self.explode_parameters(func, block)?;
                } else {
                    self.explode_arguments(block)?;
                }
            }
            for op in ops {
                regions.extend(op.regions().filter(|region| !region.is_empty()));
                self.operation(op)?;
            }
        }
        Ok(())
    }

    /// Whether a type is an aggregate. References are not, even those to aggregates.
    fn is_aggregate(&mut self, ty: Type<'a>, user: Location<'a>) -> Result<bool, PassFailed> {
        Ok(!is_reference(ty) && self.layouts.of(ty, user)?.is_some())
    }

    /// The types that a value of a type is replaced by.
    fn leaf_types(
        &mut self,
        ty: Type<'a>,
        user: Location<'a>,
    ) -> Result<Vec<Type<'a>>, PassFailed> {
        if self.is_aggregate(ty, user)? {
            self.layouts.leaves(ty, user)
        } else {
            Ok(vec![ty])
        }
    }

    /// What stands for an operand. An aggregate that is whole is spread before `user`; anything else stands for itself.
    fn leaves_of(&mut self, value: Value<'a>, user: Op<'a>) -> Result<Vec<Value<'a>>, PassFailed> {
        match self.leaves.get(&value) {
            Some(leaves) => Ok(leaves.clone()),
            None if is_reference(value.ty()) => Ok(vec![value]),
            None => spread(&mut Builder::before(user), &mut self.layouts, value),
        }
    }

    fn all_leaves_of(
        &mut self,
        values: impl IntoIterator<Item = Value<'a>>,
        user: Op<'a>,
    ) -> Result<Vec<Value<'a>>, PassFailed> {
        let lists = values.into_iter().map(|value| self.leaves_of(value, user));
        Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Replaces an operation by leaves for its only result.
    fn replace(&mut self, op: Op<'a>, leaves: Vec<Value<'a>>) {
        let result = op.result(0);
        match leaves[..] {
            [only] if only.ty() == result.ty() => result.replace_all_uses_with(only),
            _ => {
                self.leaves.insert(result, leaves);
            }
        }
        self.dead.push(op);
    }
}

/// Operations.
impl<'a> Scalarizer<'a> {
    fn operation(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        match op.name() {
            names::MAKE_STRUCT | names::MAKE_TUPLE => {
                let leaves = self.all_leaves_of(op.operands(), op)?;
                self.replace(op, leaves);
            }
            names::EXTRACT | names::TUPLE_GET => {
                let leaves = self.leaves_of(op.operand(0), op)?;
                let range = self.field(op, op.operand(0))?;
                self.replace(op, leaves[range].to_vec());
            }
            names::INSERT => {
                let inserted = self.leaves_of(op.operand(0), op)?;
                let mut leaves = self.leaves_of(op.operand(1), op)?;
                let range = self.field(op, op.operand(1))?;
                leaves.splice(range, inserted);
                self.replace(op, leaves);
            }
            names::UNDEF => self.split(op)?,
            names::VAR if !self.wholes.value(op.result(0)) => self.split(op)?,
            names::FIELD_REF => self.field_ref(op)?,
            names::LOAD => self.load(op)?,
            names::STORE => self.store(op)?,
            names::CALL if self.signatures.callee(op).is_some() => self.call(op)?,
            names::RETURN
                if op
                    .parent()
                    .is_some_and(|func| self.signatures.is_free(func)) =>
            {
                let leaves = self.all_leaves_of(op.operands(), op)?;
                if leaves.len() != op.num_operands()
                    || leaves
                        .iter()
                        .zip(op.operands())
                        .any(|(leaf, operand)| *leaf != operand)
                {
                    op.set_operands(&leaves);
                }
            }
            _ if op.num_successors() > 0 => self.branch(op)?,
            _ => self.keep(op)?,
        }
        Ok(())
    }

    /// The leaves of `aggregate` that a field access means.
    fn field(&mut self, op: Op<'a>, aggregate: Value<'a>) -> Result<Range<usize>, PassFailed> {
        let layout = self
            .layouts
            .of(aggregate.ty(), op.location())?
            .expect("the verifier checks that it is an aggregate");
        let name = match op.string("field") {
            Some(name) => name.to_owned(),
            None => {
                let index = op
                    .attribute("index")
                    .and_then(|index| IntegerAttribute::try_from(index).ok());
                index
                    .expect("the verifier checks the index")
                    .value()
                    .to_string()
            }
        };
        Ok(layout.range(&name).expect("the verifier checks the name"))
    }

    /// A variable or an undefined value becomes one for each leaf.
    fn split(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(layout) = self.layouts.of(op.result(0).ty(), op.location())? else {
            return Ok(());
        };
        let mut builder = Builder::before(op);
        let leaves = layout
            .leaves
            .iter()
            .map(|leaf| builder.op(op.name()).result(*leaf).value())
            .collect();
        self.replace(op, leaves);
        Ok(())
    }

    fn field_ref(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(leaves) = self.leaves.get(&op.operand(0)).cloned() else {
            return Ok(());
        };
        let range = self.field(op, op.operand(0))?;
        self.replace(op, leaves[range].to_vec());
        Ok(())
    }

    fn load(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        match self.leaves.get(&op.operand(0)).cloned() {
            None => self.keep(op),
            Some(references) => {
                let mut builder = Builder::before(op);
                let load = |reference: Value<'a>| {
                    let Some(HostType::Ref(ty)) = host_type(reference.ty()) else {
                        unreachable!("leaves of references are references")
                    };
                    builder
                        .op(names::LOAD)
                        .operand(reference)
                        .result(ty)
                        .value()
                };
                let leaves: Vec<_> = references.into_iter().map(load).collect();
                self.loads
                    .extend(leaves.iter().filter_map(|leaf| leaf.defining_op()));
                self.replace(op, leaves);
                Ok(())
            }
        }
    }

    fn store(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(references) = self.leaves.get(&op.operand(1)).cloned() else {
            return self.keep(op);
        };
        let values = self.leaves_of(op.operand(0), op)?;
        let mut builder = Builder::before(op);
        for (value, reference) in values.into_iter().zip(references) {
            builder
                .op(names::STORE)
                .operand(value)
                .operand(reference)
                .build();
        }
        self.dead.push(op);
        Ok(())
    }

    /// A call of a function whose signature is exploded.
    fn call(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let callee = self.signatures.callee(op).expect("the caller asks for it");
        let mut operands = Vec::new();
        for (index, operand) in op.operands().enumerate() {
            if is_reference(operand.ty())
                && !self.wholes.parameter(callee, index)
                && !self.leaves.contains_key(&operand)
            {
                operands.extend(spread(
                    &mut Builder::before(op),
                    &mut self.layouts,
                    operand,
                )?);
            } else {
                operands.extend(self.leaves_of(operand, op)?);
            }
        }
        let mut types = Vec::new();
        let mut ranges = Vec::new();
        for result in op.results() {
            let start = types.len();
            types.extend(self.leaf_types(result.ty(), op.location())?);
            ranges.push(start..types.len());
        }
        if operands.iter().copied().eq(op.operands()) && types == op.result_types() {
            return Ok(());
        }
        let mut builder = Builder::before(op);
        let mut call = builder.op(names::CALL).operands(&operands).results(&types);
        for (name, attribute) in op.attributes() {
            call = call.attribute(name, attribute);
        }
        let results: Vec<_> = call.build().results().collect();
        for (result, range) in op.results().zip(ranges) {
            match results[range.clone()] {
                [only] if only.ty() == result.ty() => result.replace_all_uses_with(only),
                _ => {
                    self.leaves.insert(result, results[range].to_vec());
                }
            }
        }
        self.dead.push(op);
        Ok(())
    }

    /// An operation that knows nothing of leaves: gathers what it takes, spreads what it gives.
    fn keep(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        for (index, operand) in op.operands().enumerate() {
            self.gather_operand(op, index, operand)?;
        }
        self.spread_results(op)
    }

    fn gather_operand(
        &mut self,
        op: Op<'a>,
        index: usize,
        operand: Value<'a>,
    ) -> Result<(), PassFailed> {
        if let Some(leaves) = self.leaves.get(&operand).cloned() {
            let whole = gather(
                &mut Builder::before(op),
                &mut self.layouts,
                operand.ty(),
                &leaves,
            )?;
            op.set_operand(index, whole);
        }
        Ok(())
    }

    fn spread_results(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        for result in op.results() {
            if self.is_aggregate(result.ty(), op.location())? && !result.is_unused() {
                let leaves = spread(&mut Builder::after(op), &mut self.layouts, result)?;
                self.leaves.insert(result, leaves);
            }
        }
        Ok(())
    }
}

/// Signatures and entry blocks.
impl<'a> Scalarizer<'a> {
    /// Explodes the types of parameters and results, with their attributes.
    fn signature(&mut self, func: Op<'a>) -> Result<(), PassFailed> {
        let ty = func
            .function_type()
            .expect("a function has a function type");
        let location = func.location();
        let mut inputs = Vec::new();
        for index in 0..ty.input_count() {
            let input = ty.input(index).expect("the index is in range");
            let whole = self.wholes.parameter(func, index);
            inputs.push((
                input,
                if whole {
                    vec![input]
                } else {
                    self.layouts.leaves(input, location)?
                },
            ));
        }
        let mut results = Vec::new();
        for index in 0..ty.result_count() {
            let result = ty.result(index).expect("the index is in range");
            results.push((result, self.leaf_types(result, location)?));
        }
        if inputs
            .iter()
            .chain(&results)
            .all(|(ty, leaves)| leaves[..] == [*ty])
        {
            return Ok(());
        }
        self.explode_attributes(func, "arg_attrs", &inputs)?;
        self.explode_attributes(func, "res_attrs", &results)?;
        let flat = |list: &[(Type<'a>, Vec<Type<'a>>)]| {
            list.iter()
                .flat_map(|(_, leaves)| leaves.clone())
                .collect::<Vec<_>>()
        };
        let ty = FunctionType::new(func.context(), &flat(&inputs), &flat(&results));
        func.set_attribute("function_type", TypeAttribute::new(ty.into()));
        Ok(())
    }

    fn explode_attributes(
        &mut self,
        func: Op<'a>,
        name: &str,
        list: &[(Type<'a>, Vec<Type<'a>>)],
    ) -> Result<(), PassFailed> {
        let attributes: Vec<_> = elements(func, name).collect();
        if attributes.len() != list.len() {
            return Ok(());
        }
        let mut exploded: Vec<Attribute<'a>> = Vec::new();
        for ((ty, leaves), attribute) in list.iter().zip(attributes) {
            match parameters::name(attribute) {
                Some(name) if leaves[..] != [*ty] => {
                    let names = leaf_names(&mut self.layouts, *ty, name, func.location())?;
                    exploded.extend(
                        names
                            .iter()
                            .map(|name| parameters::renamed(func.context(), attribute, name)),
                    );
                }
                _ => exploded.extend(leaves.iter().map(|_| attribute)),
            }
        }
        func.set_attribute(name, ArrayAttribute::new(func.context(), &exploded));
        Ok(())
    }

    fn explode_parameters(&mut self, func: Op<'a>, entry: Block<'a>) -> Result<(), PassFailed> {
        let count = entry.num_arguments();
        let exploded = (0..count).map(|index| {
            let argument = entry.argument(index);
            let layout = self.layouts.of(argument.ty(), argument.location())?;
            Ok(layout.is_some() && !self.wholes.parameter(func, index))
        });
        let exploded = exploded.collect::<Result<Vec<_>, PassFailed>>()?;
        self.replace_arguments(entry, &exploded)
    }
}

/// Block arguments and branches.
impl<'a> Scalarizer<'a> {
    /// Explodes those that every branch to the block hands on; spreads the others.
    fn explode_arguments(&mut self, block: Block<'a>) -> Result<(), PassFailed> {
        let aggregates = block
            .arguments()
            .map(|argument| self.is_aggregate(argument.ty(), argument.location()));
        let aggregates = aggregates.collect::<Result<Vec<_>, _>>()?;
        if !aggregates.contains(&true) {
            return Ok(());
        }
        let handed_on = first_handed_on(block);
        for index in (0..handed_on.min(aggregates.len())).filter(|index| aggregates[*index]) {
            let argument = block.argument(index);
            let leaves = spread(
                &mut Builder::at_start(block, argument.location()),
                &mut self.layouts,
                argument,
            )?;
            self.leaves.insert(argument, leaves);
        }
        let exploded: Vec<_> = aggregates
            .iter()
            .enumerate()
            .map(|(index, yes)| *yes && index >= handed_on)
            .collect();
        self.replace_arguments(block, &exploded)
    }

    /// From the first exploded one on, adds new arguments for all.
    fn replace_arguments(&mut self, block: Block<'a>, exploded: &[bool]) -> Result<(), PassFailed> {
        let Some(first) = exploded.iter().position(|exploded| *exploded) else {
            return Ok(());
        };
        for (index, explode) in exploded.iter().enumerate().skip(first) {
            let old = block.argument(index);
            let types = if *explode {
                self.layouts.leaves(old.ty(), old.location())?
            } else {
                vec![old.ty()]
            };
            let new: Vec<_> = types
                .iter()
                .map(|ty| block.add_argument(*ty, old.location()))
                .collect();
            if *explode {
                self.leaves.insert(old, new);
            } else {
                old.replace_all_uses_with(new[0]);
            }
        }
        self.exploded.insert(block, first..exploded.len());
        Ok(())
    }

    /// Hands on leaves from the first argument that was exploded on, and whole values before it.
    fn branch(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        for number in 0..op.num_successors() {
            let Some(exploded) = self.exploded.get(&op.successor(number)).cloned() else {
                continue;
            };
            let operands = || {
                op.successor_operands(number)
                    .expect("only what branches hand on is exploded")
            };
            let values = operands().values();
            // The last ones, whatever the branch makes itself before them.
            let first = values.len() - exploded.len();
            let leaves = self.all_leaves_of(values[first..].iter().copied(), op)?;
            operands().append(&leaves);
            for index in (first..values.len()).rev() {
                // While the block has old and new arguments, the branch seems to make more of them itself.
                operands().erase(operands().produced() + index);
            }
        }
        self.keep(op)
    }
}

/// The first argument of a block from which on every branch to it hands the values on; those before are made by a branch. That of
/// a block that something else enters, such as the first of a region, is past the last.
fn first_handed_on(block: Block<'_>) -> usize {
    let incoming = block.incoming();
    let handed_on =
        incoming.iter().map(
            |(branch, number)| match branch.successor_operands(*number) {
                Some(operands) => operands.produced(),
                None => usize::MAX,
            },
        );
    if block.is_entry() {
        usize::MAX
    } else {
        handed_on.max().unwrap_or(usize::MAX)
    }
}

/// Erasing.
impl<'a> Scalarizer<'a> {
    fn finish(self) -> u64 {
        let count = self.dead.len() as u64;
        // Users were met after what they use, but for regions, which were left for later: let go of everything first.
        self.dead.iter().for_each(|op| op.drop_all_references());
        self.dead.into_iter().rev().for_each(Op::erase);
        self.loads
            .into_iter()
            .filter(|load| load.is_unused())
            .for_each(Op::erase);
        for (block, range) in self.exploded {
            range.rev().for_each(|index| block.erase_argument(index));
        }
        count
    }
}

/// Erases the declarations of structs that no type names any more.
fn erase_unused_structs(module: Op<'_>) {
    let top_level = module
        .regions()
        .flat_map(|region| region.blocks())
        .flat_map(|block| block.ops());
    let structs: HashMap<_, _> = top_level
        .filter(|op| op.is(names::STRUCT))
        .filter_map(|op| Some((op.symbol_name()?, op)))
        .collect();
    if structs.is_empty() {
        return;
    }
    let mut used = UsedStructs::default();
    module
        .walk()
        .filter(|op| !op.is(names::STRUCT))
        .for_each(|op| used.visit(op));
    while let Some(name) = used.pending.pop() {
        structs.get(name).into_iter().for_each(|op| used.visit(*op));
    }
    structs
        .iter()
        .filter(|(name, _)| !used.names.contains(*name))
        .for_each(|(_, op)| op.erase());
}

#[derive(Default)]
struct UsedStructs<'a> {
    names: HashSet<&'a str>,
    /// Those whose own fields are still to be looked at.
    pending: Vec<&'a str>,
    seen: HashSet<usize>,
}

impl<'a> UsedStructs<'a> {
    fn visit(&mut self, op: Op<'a>) {
        let arguments = op
            .regions()
            .flat_map(|region| region.blocks())
            .flat_map(|block| block.arguments());
        for ty in op.results().chain(arguments).map(Value::ty) {
            if self.seen.insert(key(ty)) {
                self.attribute(TypeAttribute::new(ty).into());
            }
        }
        if !names::is_plain(op) {
            op.attributes()
                .into_iter()
                .for_each(|(_, attribute)| self.attribute(attribute));
        }
    }

    fn attribute(&mut self, attribute: Attribute<'a>) {
        walk_types(attribute, |ty| {
            if let Some(HostType::Struct { declaration, .. }) = host_type(ty)
                && self.names.insert(declaration)
            {
                self.pending.push(declaration);
            }
        });
    }
}
