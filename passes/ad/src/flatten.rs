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
//! as they are.
//!
//! Cost: linear in the cloned functions, plus the passes.

use rustc_hash::{FxHashMap, FxHashSet};

use tfx_dialects::host;
use tfx_ir::ops::{builtin, func};
use tfx_ir::symbols::{GRAPH_FUNCTION, SYMBOL_VISIBILITY, SymbolTable, for_each_symbol};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::aggregates::{all_leaves, explode, implode};
use crate::functions::{add_function, block_of};

/// The passes from the source to structured functions of scalars and tensors.
pub(crate) const PASSES: &str = "tfx-deabstract,func.func(tfx-sese),tfx-infer-shapes";

/// A nested module with flat functions.
pub(crate) struct Flat<'a> {
    pub(crate) module: Op<'a>,
    /// The names of the wrappers, by function.
    wrappers: FxHashMap<Op<'a>, String>,
}

impl<'a> Flat<'a> {
    /// Clones functions and what they reach into a module at the end of the program.
    pub(crate) fn clone(program: &SymbolTable<'a>, functions: &[Op<'a>]) -> Self {
        let owner = program.owner();
        let mut builder = Builder::at_end(block_of(program), owner.location());
        let module = builtin::Module::build(&mut builder).op();
        let target = module.region(0).add_block(&[]);
        let mut builder = Builder::at_end(target, owner.location());
        for op in reachable(program, functions) {
            let clone = builder.clone_op(op, &mut Mapping::new());
            if clone.isa::<func::Func>() {
                clone.set_string(SYMBOL_VISIBILITY, "private");
            }
        }
        let mut flat = Flat {
            module,
            wrappers: FxHashMap::default(),
        };
        for function in functions {
            let name = function.symbol_name().expect("a function has a name");
            let unique = program.unique_name(&format!("{name}.flat"));
            wrap(*function, &unique, target, program);
            flat.wrappers.insert(*function, unique);
        }
        flat
    }

    /// Returns the flat function of a function, after the passes.
    pub(crate) fn function(&self, function: Op<'a>, symbols: &SymbolTable<'a>) -> Op<'a> {
        let wrapper = symbols.get(&self.wrappers[&function]);
        wrapper.expect("a public function stays")
    }
}

/// Returns the declarations of types, and the functions that `roots` and these declarations reach,
/// in program order.
fn reachable<'a>(program: &SymbolTable<'a>, roots: &[Op<'a>]) -> Vec<Op<'a>> {
    let is_function = |op: &Op<'a>| op.isa::<func::Func>();
    let mut seen: FxHashSet<Op<'a>> = program.ops().filter(|op| !is_function(op)).collect();
    let mut todo: Vec<_> = seen.iter().copied().chain(roots.iter().copied()).collect();
    seen.extend(roots);
    while let Some(op) = todo.pop() {
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

/// Adds a public function of leaves that calls `function`.
fn wrap<'a>(function: Op<'a>, name: &str, target: Block<'a>, program: &SymbolTable<'a>) {
    let location = function.location();
    let (parameters, results) = function.signature();
    let leaves = all_leaves(&parameters, program);
    let arguments: Vec<_> = leaves.iter().map(|ty| (*ty, location)).collect();
    let body = Block::new(&arguments);
    let mut builder = Builder::at_end(body, location);
    let mut arguments = body.arguments();
    let arguments: Vec<_> = parameters
        .iter()
        .map(|ty| implode(&mut builder, *ty, program, &mut arguments))
        .collect();
    let callee = function.symbol_name().expect("a function has a name");
    let call = func::Call::build(&mut builder, &results, callee, &arguments);
    let mut leaves: Vec<Value<'a>> = Vec::new();
    for result in call.results() {
        explode(&mut builder, result, program, &mut leaves);
    }
    let wrapper = add_function(target, name, body, &leaves, location);
    wrapper.remove_attribute(SYMBOL_VISIBILITY);
}

/// Clones the flat functions that `roots`, functions of the program, refer to into the program,
/// with new names.
pub(crate) fn import<'a>(roots: &[Op<'a>], flat: &SymbolTable<'a>, program: &mut SymbolTable<'a>) {
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

/// The attribute of calls and closures with the name of the function.
const CALLEE: &str = func::Call::CALLEE_ATTR;

/// Returns the function that an operation calls or makes a closure of.
fn callee_of<'a>(op: Op<'a>) -> Option<&'a str> {
    match op.isa::<func::Call>() || op.isa::<host::Closure>() {
        true => op.symbol(CALLEE),
        false => None,
    }
}
