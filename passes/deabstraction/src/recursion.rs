//! Unrolls recursion of constant depth into one function for each step: the option
//! `unroll-recursion`.
//!
//! ```text
//!   func @power(%x, %n) {                             call @power.3(%x, 3)
//!     n == 0: return %x                               func @power.3(%x, %n) { %y = call @power.2(%x, 2); return MatMul(%x, %y) }
//!     %y = call @power(%x, %n - 1)            ──►     func @power.2(%x, %n) { %y = call @power.1(%x, 1); ... }
//!     return MatMul(%x, %y)                           func @power.1(%x, %n) { %y = call @power.0(%x, 0); ... }
//!   }                                                 func @power.0(%x, %n) { return %x }
//!   call @power(%x, 3)
//! ```
//!
//! # Algorithm
//!
//! A call of a recursive function with constant operands requests a copy of the function for these
//! constants (`partial.rs`), whose calls request further copies; all calls with the same constants
//! share a copy (polyvariant specialization: Bulyonkov, 1984). If this ends within the limit, and
//! no copy is recursive, the call is replaced by one of the first copy: no recursion is left, and
//! `tfx-inline` does the rest. Otherwise, the copies of that call are erased, and it stays
//! unchanged.
//!
//! # Cost
//!
//! Linear in the copies: at most the limit for each call, times the function.
//!
//! # Non-guarantees
//!
//! Constants are integers and floats that are operands of a call, not those in structs that stay.
//! Recursion through closures stays.

use melior::ir::AttributeLike;
use petgraph::algo::kosaraju_scc;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_ir::ops::func;
use tfx_ir::scalars::Scalars;
use tfx_ir::symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY, SymbolTable};
use tfx_ir::{Builder, Mapping, Op};

use crate::cfg::{erase_unreachable_blocks, graph, is_cycle, reverse_postorder};
use crate::flow::Flow;
use crate::names;
use crate::partial::{Blocks, Known, constant};

/// Creates copies for the calls of recursive functions whose depth is known within `limit` copies.
/// Returns whether there was one.
pub(crate) fn unroll(module: Op<'_>, limit: usize) -> bool {
    let symbols = SymbolTable::new(module);
    let functions: Vec<_> = symbols
        .ops()
        .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
        .collect();
    let recursive = recursive(&functions);
    if recursive.is_empty() {
        return false;
    }
    // A recursive function may be the entry of the program: its own calls request copies when it is
    // copied.
    let roots = functions.iter().filter(|func| {
        func.symbol_name()
            .is_some_and(|name| !recursive.contains_key(name))
    });
    let calls: Vec<_> = roots.flat_map(|func| calls_in(*func)).collect();
    let mut copies = Copies {
        symbols,
        recursive,
        bodies: HashMap::default(),
        scalars: Scalars::new(),
        made: HashMap::default(),
        refused: HashSet::default(),
        limit,
    };
    let mut any = false;
    for call in calls {
        any |= copies.replace(call);
    }
    copies.sweep(module);
    any
}

/// Returns the recursive functions, also those that recurse through others, by name.
fn recursive<'a>(functions: &[Op<'a>]) -> HashMap<&'a str, Op<'a>> {
    let index: HashMap<_, _> = functions
        .iter()
        .enumerate()
        .filter_map(|(index, func)| Some((func.symbol_name()?, index)))
        .collect();
    let calls = functions.iter().map(|func| {
        let callees = calls_in(*func).into_iter();
        callees
            .filter_map(|call| index.get(call.symbol("callee")?).copied())
            .collect()
    });
    let calls: Vec<Vec<usize>> = calls.collect();
    let in_cycle = in_cycles(&calls);
    let members = functions.iter().zip(in_cycle).filter(|(_, cyclic)| *cyclic);
    members
        .filter_map(|(func, _)| Some((func.symbol_name()?, *func)))
        .collect()
}

/// By node: whether it is on a cycle.
fn in_cycles(successors: &[Vec<usize>]) -> Vec<bool> {
    let graph = graph(successors);
    let mut cyclic = vec![false; successors.len()];
    for part in kosaraju_scc(&graph) {
        if is_cycle(&graph, &part) {
            part.iter().for_each(|node| cyclic[node.index()] = true);
        }
    }
    cyclic
}

fn calls_in(func: Op<'_>) -> Vec<Op<'_>> {
    func.walk().filter(|op| op.isa::<func::Call>()).collect()
}

/// A function and the addresses of the constants that it is called with.
type Key<'a> = (&'a str, Vec<Option<usize>>);

struct Copies<'a> {
    symbols: SymbolTable<'a>,
    recursive: HashMap<&'a str, Op<'a>>,
    /// The blocks of the functions that were copied.
    bodies: HashMap<&'a str, Blocks<'a>>,
    scalars: Scalars<'a>,
    made: HashMap<Key<'a>, Op<'a>>,
    /// Those that did not terminate.
    refused: HashSet<Key<'a>>,
    limit: usize,
}

impl<'a> Copies<'a> {
    /// Replaces a call of a recursive function by one of a copy, if its constants bound the depth.
    fn replace(&mut self, call: Op<'a>) -> bool {
        let Some((key, known)) = self.request_of(call) else {
            return false;
        };
        if self.refused.contains(&key) {
            return false;
        }
        if let Some(made) = self.made.get(&key) {
            call.set_symbol("callee", made.symbol_name().unwrap_or_default());
            return true;
        }
        let mut new = vec![(key.clone(), self.copy(&key, &known))];
        if self.complete(&mut new) {
            let first = new[0].1;
            call.set_symbol("callee", first.symbol_name().unwrap_or_default());
            return true;
        }
        for (key, func) in new.into_iter().rev() {
            self.made.remove(&key);
            self.symbols.erase(func);
        }
        self.refused.insert(key);
        false
    }

    /// Creates the copies that new ones request. Returns false if some call stays recursive, or
    /// there are more than the limit.
    fn complete(&mut self, new: &mut Vec<(Key<'a>, Op<'a>)>) -> bool {
        let mut positions = HashMap::from_iter([(new[0].1, 0)]);
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while let Some((_, func)) = new.get(successors.len()) {
            let mut called = Vec::new();
            for inner in calls_in(*func) {
                let callee = inner.symbol("callee").unwrap_or_default();
                if !self.recursive.contains_key(callee) {
                    continue;
                }
                let Some((key, known)) = self.request_of(inner) else {
                    return false;
                };
                let copy = match self.made.get(&key) {
                    Some(made) => *made,
                    None if new.len() == self.limit => return false,
                    None => {
                        let copy = self.copy(&key, &known);
                        positions.insert(copy, new.len());
                        new.push((key, copy));
                        copy
                    }
                };
                called.extend(positions.get(&copy).copied());
                inner.set_symbol("callee", copy.symbol_name().unwrap_or_default());
            }
            successors.push(called);
        }
        !in_cycles(&successors).contains(&true)
    }

    /// Erases the private recursive functions that are no longer referenced.
    fn sweep(&mut self, module: Op<'a>) {
        let is_doubtful = |op: &Op<'a>| {
            op.is_private()
                && op
                    .symbol_name()
                    .is_some_and(|name| self.recursive.contains_key(name))
        };
        let (doubtful, mut pending): (Vec<_>, Vec<_>) = module.children().partition(is_doubtful);
        let mut live = HashSet::default();
        while let Some(op) = pending.pop() {
            let mut reach = |symbol: &'a str| {
                if let Some(func) = self.recursive.get(symbol)
                    && live.insert(*func)
                {
                    pending.push(*func);
                }
            };
            for inner in op.walk() {
                inner.symbol("callee").into_iter().for_each(&mut reach);
                names::symbols_other_than_calls(inner, &mut reach);
            }
        }
        for func in doubtful.into_iter().filter(|func| !live.contains(func)) {
            self.symbols.erase(func);
        }
    }

    /// Returns the request of a call: the function with its known constants.
    fn request_of(&self, call: Op<'a>) -> Option<(Key<'a>, Vec<Known<'a>>)> {
        let callee = call.symbol("callee")?;
        let (callee, _) = self.recursive.get_key_value(callee)?;
        let known: Vec<_> = call.operands().map(constant).collect();
        let address = |known: &Known<'a>| known.map(|known| known.to_raw().ptr as usize);
        let addresses: Vec<_> = known.iter().map(address).collect();
        let any = known.iter().any(Option::is_some);
        any.then_some(((*callee, addresses), known))
    }

    /// Creates a private copy of a function for the known arguments.
    fn copy(&mut self, key: &Key<'a>, known: &[Known<'a>]) -> Op<'a> {
        let func = self.recursive[key.0];
        let copy = Builder::after(func).clone_without_regions(func, &mut Mapping::new());
        copy.set_string(SYMBOL_NAME, &self.symbols.unique_name(key.0));
        copy.set_string(SYMBOL_VISIBILITY, "private");
        self.symbols.insert(copy);
        let blocks = self.bodies.entry(key.0).or_insert_with(|| {
            let body = func.region(0);
            Blocks::new(&Flow::new(body), reverse_postorder(body))
        });
        let trip = blocks.trip(known.to_vec(), &mut self.scalars);
        blocks.copy(&trip, copy.region(0));
        erase_unreachable_blocks(copy.region(0));
        self.made.insert(key.clone(), copy);
        copy
    }
}
