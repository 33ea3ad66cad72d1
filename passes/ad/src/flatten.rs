//! Flat functions: the functions to differentiate, as structured functions of scalars and tensors.
//!
//! ```text
//!   func @loss(%m: struct @M, %x)          module {
//!     variables, closures, branches   ──►    func @loss(%m.w, %m.b, %x) { scf, arith, tfx_tensor }
//!                                          }
//! ```
//!
//! The functions are cloned into a nested module, with everything that they reach. Each function to
//! differentiate gets a public wrapper whose parameters and results are leaves. The passes of
//! deabstraction and structuring then run on the clone, by name. The functions of the program stay
//! as they are. A function with a rule becomes a declaration: `opaque.rs`.
//!
//! Cost: linear in the cloned functions, plus the passes.

use melior::ir::{Location, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::types::{HostType, host_type};
use tfx_dialects::{ad, host};
use tfx_ir::diag::Diagnostic;
use tfx_ir::location;
use tfx_ir::ops::{builtin, func};
use tfx_ir::symbols::{GRAPH_FUNCTION, SYMBOL_VISIBILITY, SymbolTable, for_each_symbol};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::aggregates::{all_leaves, cases, explode, implode, parts};
use crate::checkpoint;
use crate::functions::{add_function, block_of};
use crate::objects::{Objects, leaves_of};
use crate::opaque::{self, is_opaque};
use crate::primal::variable;
use crate::transposed_rules::Parts;

/// The passes from the source to structured functions of scalars and tensors.
pub(crate) const PASSES: &str = "tfx-deabstract,func.func(tfx-sese),tfx-infer-shapes";

/// A nested module with flat functions.
pub(crate) struct Flat<'a> {
    pub(crate) module: Op<'a>,
    /// The names of the wrappers, by function.
    wrappers: FxHashMap<Op<'a>, String>,
    /// The wrappers of functions of rules.
    pub(crate) parts: Parts,
    /// The objects that have been replaced, and those that stay.
    pub(crate) objects: Objects<'a>,
}

impl<'a> Flat<'a> {
    /// Removes the calls by the wrappers from the locations of the flat functions: no user wrote
    /// them.
    pub(crate) fn forget_wrappers(&self) {
        for function in self.module.children() {
            for op in function.walk().skip(1) {
                let location = op.location();
                if location.is_call_site() {
                    op.set_location(without_caller(location, function.location()));
                }
            }
        }
    }

    /// Clones functions and what they reach into a module at the end of the program.
    pub(crate) fn clone(
        program: &mut SymbolTable<'a>,
        functions: &[Op<'a>],
    ) -> Result<Self, Diagnostic<'a>> {
        let owner = program.owner();
        let mut builder = Builder::at_end(block_of(program), owner.location());
        let module = builtin::Module::build(&mut builder).op();
        let target = module.region(0).add_block(&[]);
        let mut builder = Builder::at_end(target, owner.location());
        let mut parts = Vec::new();
        for op in reachable(program, functions) {
            if is_opaque(op) {
                parts.extend(opaque::declare(op, target, program)?);
                continue;
            }
            let clone = builder.clone_op(op, &mut Mapping::new());
            if clone.isa::<func::Func>() {
                clone.set_string(SYMBOL_VISIBILITY, "private");
                split_markers(clone, program);
                checkpoint::mark(clone);
            }
        }
        let roots = functions.iter().chain(parts.iter().map(|(_, part)| part));
        let roots: Vec<_> = roots.filter_map(|root| root.symbol_name()).collect();
        let mut flat = Flat {
            module,
            wrappers: FxHashMap::default(),
            parts: Parts::default(),
            objects: Objects::replace(module, &roots, program),
        };
        for (name, part) in parts {
            let unique = program.unique_name(&format!("{name}.flat"));
            wrap(part, &unique, target, (program, &flat.objects));
            flat.parts.insert(name, unique);
        }
        for function in functions {
            let name = function.symbol_name().expect("a function has a name");
            let unique = program.unique_name(&format!("{name}.flat"));
            wrap(*function, &unique, target, (program, &flat.objects));
            flat.wrappers.insert(*function, unique);
        }
        Ok(flat)
    }

    /// Returns the flat function of a function, after the passes.
    pub(crate) fn function(&self, function: Op<'a>, symbols: &SymbolTable<'a>) -> Op<'a> {
        let wrapper = symbols.get(&self.wrappers[&function]);
        wrapper.expect("a public function stays")
    }
}

impl<'a> Flat<'a> {
    /// Returns the functions of the program whose flat functions still have closures or
    /// existentials after the passes.
    pub(crate) fn with_closures(&self) -> Vec<Op<'a>> {
        let symbols = SymbolTable::new(self.module);
        let holds = |op: Op<'a>| op.definitions().any(|value| is_closure(value.ty()));
        let all = symbols.ops().filter(|op| op.isa::<func::Func>());
        let holders: FxHashSet<_> = all.filter(|op| op.walk().any(holds)).collect();
        let mut found = Vec::new();
        if !holders.is_empty() {
            found.extend(self.wrappers.keys().copied());
            found.retain(|function| {
                let root = self.function(*function, &symbols);
                let reached = reachable(&symbols, &[root]);
                reached.iter().any(|op| holders.contains(op))
            });
        }
        found
    }
}

/// Returns whether values of a type are closures or existentials, or arrays of them.
fn is_closure(ty: Type<'_>) -> bool {
    match host_type(ty) {
        Some(HostType::Closure(_) | HostType::Any(_)) => true,
        Some(HostType::Array(element)) => is_closure(element),
        _ => false,
    }
}

/// Returns the declarations of types, and the functions that `roots` and these declarations reach,
/// in program order.
pub(crate) fn reachable<'a>(program: &SymbolTable<'a>, roots: &[Op<'a>]) -> Vec<Op<'a>> {
    let is_function = |op: &Op<'a>| op.isa::<func::Func>();
    let mut seen: FxHashSet<Op<'a>> = program.ops().filter(|op| !is_function(op)).collect();
    let mut todo: Vec<_> = seen.iter().copied().chain(roots.iter().copied()).collect();
    seen.extend(roots);
    while let Some(op) = todo.pop() {
        if is_opaque(op) {
            let parts = opaque::to_transpose(op, program).into_iter();
            todo.extend(parts.filter(|part| seen.insert(*part)));
            continue;
        }
        for inner in op.walk() {
            for_each_symbol(inner, |name| {
                if let Some(target) = program.get(name)
                    && seen.insert(target)
                {
                    todo.push(target);
                }
            });
        }
    }
    program.ops().filter(|op| seen.contains(op)).collect()
}

/// Returns a location without the call sites at `caller`.
fn without_caller<'a>(location: Location<'a>, caller: Location<'a>) -> Location<'a> {
    let (mut stack, mut chain) = (vec![location], Vec::new());
    while let Some(next) = stack.pop() {
        if next.is_call_site() {
            stack.push(next.call_site_caller());
            stack.push(next.call_site_callee());
        } else if chain.is_empty() || next != caller {
            chain.push(next);
        }
    }
    let rest = chain.into_iter().reduce(location::call_site);
    rest.unwrap_or(location)
}

/// Replaces each `tfx_ad.stop` and `tfx_ad.save` of a struct, a tuple or an enum by one for each
/// leaf, which deabstraction leaves where it is.
fn split_markers<'a>(function: Op<'a>, program: &SymbolTable<'a>) {
    let is_marker = |op: &Op<'a>| op.isa::<ad::Stop>() || op.isa::<ad::Save>();
    let markers: Vec<_> = function.walk().filter(is_marker).collect();
    for marker in markers {
        let value = marker.operand(0);
        let ty = value.ty();
        if parts(ty, program).is_none() && cases(ty, program).is_none() {
            continue;
        }
        let mut builder = Builder::before(marker);
        let mut leaves = Vec::new();
        explode(&mut builder, value, program, &mut leaves);
        let mut marked = Vec::new();
        for leaf in leaves {
            marked.push(match marker.isa::<ad::Stop>() {
                true => ad::Stop::build(&mut builder, leaf).result(),
                false => ad::Save::build(&mut builder, leaf).result(),
            });
        }
        let whole = implode(&mut builder, ty, program, &mut marked.into_iter());
        marker.replace_with(&[whole]);
    }
}

/// Adds a public function of leaves that calls `function`. The last fields of the objects that are
/// its parameters come after the results.
fn wrap<'a>(
    function: Op<'a>,
    name: &str,
    target: Block<'a>,
    (program, objects): (&SymbolTable<'a>, &Objects<'a>),
) {
    let wrapper = of_leaves_and_fields(function, name, target, (program, Some(objects)));
    wrapper.remove_attribute(SYMBOL_VISIBILITY);
}

/// Adds a private function of leaves that calls `function`.
pub(crate) fn of_leaves<'a>(
    function: Op<'a>,
    name: &str,
    target: Block<'a>,
    program: &SymbolTable<'a>,
) -> Op<'a> {
    of_leaves_and_fields(function, name, target, (program, None))
}

fn of_leaves_and_fields<'a>(
    function: Op<'a>,
    name: &str,
    target: Block<'a>,
    (program, objects): (&SymbolTable<'a>, Option<&Objects<'a>>),
) -> Op<'a> {
    let location = function.location();
    let (parameters, results) = function.signature();
    let fields = |ty: Type<'a>| objects.and_then(|objects| objects.fields(ty, program));
    let mut leaves = Vec::new();
    for &ty in &parameters {
        match fields(ty) {
            Some(fields) => leaves.extend(leaves_of(&fields, program)),
            None => leaves.extend(all_leaves(&[ty], program)),
        }
    }
    let arguments: Vec<_> = leaves.iter().map(|ty| (*ty, location)).collect();
    let body = Block::new(&arguments);
    let mut builder = Builder::at_end(body, location);
    let mut given = body.arguments();
    let (mut arguments, mut variables) = (Vec::new(), Vec::new());
    for &ty in &parameters {
        let Some(fields) = fields(ty) else {
            arguments.push(implode(&mut builder, ty, program, &mut given));
            continue;
        };
        for field in fields {
            let value = implode(&mut builder, field.ty, program, &mut given);
            let variable = variable(&mut builder, value);
            arguments.push(variable);
            variables.push(variable);
        }
    }
    let callee = function.symbol_name().expect("a function has a name");
    let call = func::Call::build(&mut builder, &results, callee, &arguments);
    let mut leaves: Vec<Value<'a>> = Vec::new();
    for result in call.results() {
        explode(&mut builder, result, program, &mut leaves);
    }
    for variable in variables {
        let last = host::Load::build(&mut builder, variable).op().result(0);
        explode(&mut builder, last, program, &mut leaves);
    }
    add_function(target, name, body, &leaves, location)
}

/// Clones the flat functions that `roots`, functions of the program, refer to into the program,
/// with new names. A call of a function of a rule, which the program has too, stays.
pub(crate) fn import<'a>(
    roots: &[Op<'a>],
    (flat, parts): (&SymbolTable<'a>, &Parts),
    program: &mut SymbolTable<'a>,
) {
    let mut imported: FxHashMap<&'a str, String> = FxHashMap::default();
    let mut todo = roots.to_vec();
    let body = block_of(program);
    while let Some(function) = todo.pop() {
        for op in function.walk() {
            let Some(callee) = callee_of(op).and_then(|name| flat.get(name)) else {
                continue;
            };
            if callee.is_declaration() || !callee.isa::<func::Func>() {
                continue;
            }
            let name = callee.symbol_name().expect("a function has a name");
            let own = program.get(name).filter(|_| parts.contains_key(name));
            if own.is_some_and(|own| calls(op, own)) {
                continue;
            }
            let new = imported.entry(name).or_insert_with(|| {
                let mut builder = Builder::at_end(body, callee.location());
                let clone = builder.clone_op(callee, &mut Mapping::new());
                clone.set_string(SYMBOL_VISIBILITY, "private");
                clone.remove_attribute(GRAPH_FUNCTION);
                todo.push(clone);
                program.insert(clone).to_owned()
            });
            op.set_symbol(CALLEE, new);
        }
    }
}

/// Returns whether an operation is a call with the types of a function.
fn calls<'a>(op: Op<'a>, function: Op<'a>) -> bool {
    let (parameters, results) = function.signature();
    let given = op.operands().map(|operand| operand.ty());
    op.isa::<func::Call>() && given.eq(parameters) && op.result_types() == results
}

/// The attribute of calls and closures with the name of the function.
const CALLEE: &str = func::Call::CALLEE_ATTR;

/// Returns the function that an operation calls or makes a closure of.
fn callee_of<'a>(op: Op<'a>) -> Option<&'a str> {
    match op.isa::<func::Call>() || op.isa::<host::Closure>() {
        true => op.symbol(CALLEE),
        false => None,
    }
}
