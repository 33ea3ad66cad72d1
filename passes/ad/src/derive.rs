//! The derivation of functions, callees first: forward and backward functions, and functions of
//! tangents.
//!
//! ```text
//!   @loss with respect to 0 ──needs──► @layer with respect to 0, 1 ──needs──► a rule of @foreign
//! ```
//!
//! A function is derived once for each mode and each set of active parameters and results. The
//! functions that wait for a callee are on an explicit stack.
//!
//! Functions that reach each other are derived together: in reverse mode as `cycles.rs` describes,
//! in forward mode against declarations. For the calls of a function that is waiting with other
//! active parameters, all parameters and results are active, so the search ends.
//!
//! Source: Gabow, "Path-based depth-first search for strong and biconnected components", 2000.
//!
//! Cost: linear in the derived functions.

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::r#type::FunctionType;
use rustc_hash::FxHashMap;

use tfx_dialects::derivatives::Rule;
use tfx_ir::diag::{Diagnostic, Diagnostics};
use tfx_ir::location;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Op};

use crate::checkpoint::{self, Checkpoints};
use crate::custom_rules::{Given, by_rule};
use crate::cycles::Member;
use crate::derivative::{Derivative, Kept};
use crate::differentiate::Keeping;
use crate::forward::{self, forward};
use crate::functions::{add_function, block_of};
use crate::objects::Objects;
use crate::reverse::{Source, reverse};
use crate::rules::Rules;
use crate::summaries::Summaries;
use crate::tangents::{self, Tangents, tangents};
use crate::tasks::{Derived, Key, Mode, Task};
use crate::transposed_rules::{self, Parts, transpose};

/// The contribution of a rule to a function.
enum ByRule<'a> {
    Derived(Derived<'a>),
    /// First the derivative of a function of the rule is needed.
    Needs(Key<'a>),
}

/// Derives functions of a flat module.
pub(crate) struct Deriver<'d, 'a> {
    pub(crate) rules: &'d Rules<'a>,
    /// The flat functions.
    pub(crate) flat: &'d SymbolTable<'a>,
    /// The flat functions of rules.
    parts: &'d Parts,
    /// The program, which the derived functions are added to.
    pub(crate) program: &'d mut SymbolTable<'a>,
    /// The dependences of the flat functions.
    pub(crate) summaries: Summaries<'a>,
    /// The objects in the flat functions.
    pub(crate) objects: &'d Objects<'a>,
    /// The loops with checkpoints among the flat functions.
    pub(crate) checkpoints: &'d Checkpoints<'a>,
    /// The values that loops keep.
    pub(crate) keeping: Keeping,
    /// The symbol of the function that finds the next checkpoint.
    pub(crate) advance: Option<String>,
    derived: FxHashMap<Key<'a>, Derived<'a>>,
    /// The functions of cycles of calls, in reverse mode.
    pub(crate) members: FxHashMap<Key<'a>, Member<'a>>,
    /// The derived functions.
    pub(crate) functions: Vec<Op<'a>>,
}

impl<'d, 'a> Deriver<'d, 'a> {
    pub(crate) fn new(
        rules: &'d Rules<'a>,
        (flat, parts, objects): (&'d SymbolTable<'a>, &'d Parts, &'d Objects<'a>),
        (checkpoints, keeping): (&'d Checkpoints<'a>, Keeping),
        program: &'d mut SymbolTable<'a>,
    ) -> Self {
        Deriver {
            rules,
            flat,
            parts,
            program,
            summaries: Summaries::of(flat, rules),
            objects,
            checkpoints,
            keeping,
            advance: None,
            derived: FxHashMap::default(),
            members: FxHashMap::default(),
            functions: Vec::new(),
        }
    }

    /// Returns the derivative of the results `results` of a flat function with respect to the
    /// parameters `wrt`. `name` is the name of the function in the source.
    pub(crate) fn derive(
        &mut self,
        function: Op<'a>,
        wrt: Vec<usize>,
        results: Vec<usize>,
        name: &str,
    ) -> Result<Derivative<'a>, Diagnostics<'a>> {
        let mode = Mode::Reverse;
        let key = Key {
            mode,
            function,
            wrt,
            results,
        };
        let derived = self.complete(key, name)?;
        Ok(derived.reverse().expect("of this mode").clone())
    }

    /// Returns the function of tangents for the results `results` of a flat function with respect
    /// to the parameters `wrt`. `name` is the name of the function in the source.
    pub(crate) fn derive_tangents(
        &mut self,
        function: Op<'a>,
        wrt: Vec<usize>,
        results: Vec<usize>,
        name: &str,
    ) -> Result<Tangents, Diagnostics<'a>> {
        let mode = Mode::Forward;
        let key = Key {
            mode,
            function,
            wrt,
            results,
        };
        let derived = self.complete(key, name)?;
        Ok(derived.forward().expect("of this mode").clone())
    }

    fn complete(&mut self, key: Key<'a>, name: &str) -> Result<Derived<'a>, Diagnostics<'a>> {
        let mut search = Search::default();
        if self.known(&key).is_none() {
            search.enter(Task::of(key.clone(), self));
        }
        while let Some(&top) = search.path.last() {
            match self.missing(&mut search.open[top])? {
                None => {
                    let component = search.leave();
                    if !component.is_empty() {
                        self.finish(component, (top == 0).then_some(name))?;
                    }
                }
                Some((call, needed)) => {
                    let whole = needed.whole();
                    if let Some(&number) = search.numbers.get(&needed) {
                        search.open[top].of_cycle.insert(call, needed);
                        search.join(number);
                    } else if needed != whole && search.is_open(needed.function) {
                        search.open[top].require(call, whole);
                    } else {
                        search.enter(Task::of(needed, self));
                    }
                }
            }
        }
        Ok(self.known(&key).expect("it is derived"))
    }

    /// Returns what is derived of a key, for a caller outside of its cycle.
    fn known(&mut self, key: &Key<'a>) -> Option<Derived<'a>> {
        if let Some(derived) = self.derived.get(key) {
            return Some(derived.clone());
        }
        if !self.members.contains_key(key) {
            return None;
        }
        let derived = Derived::Reverse(self.enter_cycle(key));
        self.derived.insert(key.clone(), derived.clone());
        Some(derived)
    }

    /// Declares the function of tangents of a task that reaches itself. Returns its name.
    fn declare_tangents(&mut self, key: &Key<'a>) -> String {
        let (parameters, returned) = key.function.signature();
        let at = |types: &[Type<'a>], positions: &[usize]| {
            let types = positions.iter().map(|&index| types[index]);
            types.collect::<Vec<_>>()
        };
        let tangents = at(&parameters, &key.wrt);
        let of_results = at(&returned, &key.results);
        let name = source_name(key.function);
        let name = self.program.unique_name(&format!("{name}.tangents"));
        let mut builder = Builder::at_end(block_of(self.program), key.function.location());
        let inputs = [parameters, tangents].concat();
        let outputs = [returned, of_results].concat();
        let ty = FunctionType::new(builder.context(), &inputs, &outputs);
        let declaration = builder.func(&name, ty, true);
        self.program.insert(declaration).to_owned()
    }

    /// Collects the derivatives of the callees; returns the first that is still missing.
    fn missing(
        &mut self,
        task: &mut Task<'a>,
    ) -> Result<Option<(Op<'a>, Key<'a>)>, Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        for (call, needed) in &task.calls {
            if task.callees.contains_key(call) || task.of_cycle.contains_key(call) {
                continue;
            }
            let derived = match self.known(needed) {
                Some(derived) => derived,
                None => match self.by_rule(*call, needed) {
                    Some(Ok(ByRule::Derived(derived))) => derived,
                    Some(Err(error)) => {
                        errors.push(error);
                        continue;
                    }
                    Some(Ok(ByRule::Needs(part))) => {
                        errors.finish()?;
                        return Ok(Some((*call, part)));
                    }
                    None => {
                        errors.finish()?;
                        return Ok(Some((*call, needed.clone())));
                    }
                },
            };
            task.callees.insert(*call, derived);
        }
        errors.finish()?;
        Ok(None)
    }

    /// Returns the derivative that a rule gives a function; none if it is to be derived.
    fn by_rule(
        &mut self,
        call: Op<'a>,
        needed: &Key<'a>,
    ) -> Option<Result<ByRule<'a>, Diagnostic<'a>>> {
        let rule = match by_rule(call, needed, self.program)? {
            Ok(Given::Derived(derived)) => return Some(Ok(ByRule::Derived(derived))),
            Ok(Given::Transposed(rule)) => rule,
            Err(error) => return Some(Err(error)),
        };
        Some(self.by_transposition(call, needed, &rule))
    }

    /// Returns the half of a rule that the other half gives.
    fn by_transposition(
        &mut self,
        call: Op<'a>,
        needed: &Key<'a>,
        rule: &Rule<'a>,
    ) -> Result<ByRule<'a>, Diagnostic<'a>> {
        let whole = Key {
            wrt: rule.wrt.clone(),
            ..needed.whole()
        };
        if let Some(derived) = self.derived.get(&whole) {
            return Ok(ByRule::Derived(derived.clone()));
        }
        let part = transposed_rules::part(call, needed, rule, (self.flat, self.parts))?;
        let derivative = self.derived.get(&part).and_then(Derived::reverse);
        let Some(derivative) = derivative.cloned() else {
            return Ok(ByRule::Needs(part));
        };
        let (program, functions) = (&mut *self.program, &mut self.functions);
        let part = (&part, &derivative);
        let derived = transpose(call, needed, rule, part, (self.flat, program), functions)?;
        self.derived.insert(whole, derived.clone());
        Ok(ByRule::Derived(derived))
    }

    /// Derives functions that reach each other, or one that reaches no function that waits. `name`
    /// is the name of the only one in the source, if it is not its own.
    fn finish(
        &mut self,
        mut tasks: Vec<Task<'a>>,
        name: Option<&str>,
    ) -> Result<(), Diagnostics<'a>> {
        if let [task] = &tasks[..]
            && task.of_cycle.is_empty()
        {
            task.check_carriers(self.objects)?;
            let name = name.unwrap_or_else(|| source_name(task.key.function));
            let derived = match task.key.mode {
                Mode::Reverse => Derived::Reverse(self.reverse(task, name)?),
                Mode::Forward => Derived::Forward(self.forward(task, name, None)?),
            };
            self.derived.insert(task.key.clone(), derived);
            return Ok(());
        }
        if tasks[0].key.mode == Mode::Reverse {
            return self.reverse_cycle(&tasks);
        }
        for task in &tasks {
            let derived = Derived::Forward(Tangents {
                symbol: self.declare_tangents(&task.key),
                wrt: task.key.wrt.clone(),
                results: task.key.results.clone(),
            });
            self.derived.insert(task.key.clone(), derived);
        }
        let mut errors = Diagnostics::default();
        for task in &mut tasks {
            for (call, key) in &task.of_cycle {
                task.callees.insert(*call, self.derived[key].clone());
            }
            let declared = self.derived[&task.key].forward().expect("of this mode");
            let symbol = declared.symbol.clone();
            let checked = task.check_carriers(self.objects);
            let result = checked.and_then(|()| self.forward(task, "", Some(symbol)));
            if let Err(found) = result {
                errors.extend(found);
            }
        }
        errors.finish()
    }

    /// Derives a function of tangents. Its symbol comes from its name in the source, or is that of
    /// its declaration, which it replaces.
    fn forward(
        &mut self,
        task: &Task<'a>,
        name: &str,
        declared: Option<String>,
    ) -> Result<Tangents, Diagnostics<'a>> {
        let target = block_of(self.program);
        let source = tangents::Source {
            function: task.key.function,
            values: &task.values,
            activity: &task.activity,
            rules: self.rules,
            callees: &task.callees(Derived::forward),
            wrt: &task.key.wrt,
            results: &task.key.results,
        };
        let declaration = declared.as_deref().and_then(|name| self.program.get(name));
        if let Some(declaration) = declaration {
            self.program.erase(declaration);
        }
        let symbol = declared.unwrap_or_else(|| format!("{name}.tangents"));
        tangents(&source, target, &symbol)?;
        let function = target.last().expect("the function was added");
        self.functions.push(function);
        Ok(Tangents {
            symbol: self.program.insert(function).to_owned(),
            wrt: task.key.wrt.clone(),
            results: task.key.results.clone(),
        })
    }

    fn reverse(&mut self, task: &Task<'a>, name: &str) -> Result<Derivative<'a>, Diagnostics<'a>> {
        if let Some(checkpointed) = self.checkpoints.get(&task.key.function) {
            return Ok(checkpoint::derive(self, task, checkpointed, name));
        }
        let callees = task.callees(Derived::reverse);
        let target = block_of(self.program);
        let function = task.key.function;
        let source = Source {
            function,
            values: &task.values,
            activity: &task.activity,
            rules: self.rules,
            callees: &callees,
            of_cycle: None,
            wrt: &task.key.wrt,
            results: &task.key.results,
            keeping: self.keeping,
        };
        let body = reverse(&source)?;
        let location = function.location();
        let backward = format!("{name}.backward");
        let backward = add_function(target, &backward, body.entry, &body.tangents, location);
        mark_derived(backward);
        self.functions.push(backward);
        let backward = self.program.insert(backward).to_owned();
        let mut own = body.residuals;
        let kept = own.iter().map(|it| Kept::of(it, function)).collect();
        own.retain(|residual| matches!(Kept::of(residual, function), Kept::Own(_)));
        let source = forward::Source {
            function,
            residuals: &own,
            callees: &callees,
            cycle: None,
        };
        forward(&source, target, &format!("{name}.forward"));
        let forward = target.last().expect("the function was added");
        self.functions.push(forward);
        Ok(Derivative {
            forward: self.program.insert(forward).to_owned(),
            backward,
            kept,
            residuals: own,
            callees: Rc::new(callees),
            wrt: task.key.wrt.clone(),
            results: task.key.results.clone(),
            residuals_first: false,
        })
    }
}

/// Marks the operations of a backward function: diagnostics name them as derivatives of the
/// operations at their source locations.
pub(crate) fn mark_derived(function: Op<'_>) {
    for op in function.walk().skip(1) {
        op.set_location(location::derived(op.context(), op.location()));
    }
}

/// A depth-first search over the functions that derivatives need, callees first.
#[derive(Default)]
struct Search<'a> {
    /// The functions that are not derived yet, in the order of their discovery. Those that reach
    /// each other are next to each other.
    open: Vec<Task<'a>>,
    numbers: FxHashMap<Key<'a>, usize>,
    /// The number of open tasks of each function.
    functions: FxHashMap<Op<'a>, usize>,
    /// The functions that wait for a callee, by number.
    path: Vec<usize>,
    /// The first one of each component of the path, as far as is known.
    firsts: Vec<usize>,
}

impl<'a> Search<'a> {
    fn enter(&mut self, task: Task<'a>) {
        let number = self.open.len();
        self.numbers.insert(task.key.clone(), number);
        *self.functions.entry(task.key.function).or_default() += 1;
        self.open.push(task);
        self.path.push(number);
        self.firsts.push(number);
    }

    /// Returns whether a function, with any active parameters, is not derived yet.
    fn is_open(&self, function: Op<'a>) -> bool {
        self.functions
            .get(&function)
            .is_some_and(|&count| count > 0)
    }

    /// Joins the components from that of an open function on: they reach each other.
    fn join(&mut self, number: usize) {
        while self.firsts.last().is_some_and(|&first| first > number) {
            self.firsts.pop();
        }
    }

    /// Leaves the last function of the path. Returns its component, if it is complete.
    fn leave(&mut self) -> Vec<Task<'a>> {
        let number = self.path.pop();
        if self.firsts.last().copied() != number {
            return Vec::new();
        }
        self.firsts.pop();
        let component = self.open.split_off(number.unwrap_or_default());
        for task in &component {
            self.numbers.remove(&task.key);
            *self.functions.entry(task.key.function).or_default() -= 1;
        }
        component
    }
}

/// Returns the name of a function.
pub(crate) fn source_name<'a>(function: Op<'a>) -> &'a str {
    function.symbol_name().expect("a function has a name")
}
