//! Replaces calls and closures of generic functions, and calls through protocols, by those of known
//! functions.

use melior::ir::{Location, Type};
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::ops::func;
use tfx_ir::{Builder, Op, Value, diag};

use super::specializer::Specializer;
use super::types::describe;
use crate::layout::closure_signature;

/// The attributes of calls of the host dialect that a call of a function does not have.
const OF_CALLS: [&str; 5] = ["callee", "type_args", "protocol", "method", "conforming"];

impl<'a> Specializer<'a> {
    /// Resolves all calls in a function of known types; `user` is its number if it is a
    /// specialization.
    pub(super) fn resolve_calls(&mut self, function: Op<'a>, user: Option<usize>) {
        let is_relevant = |op: &Op<'a>| op.isa::<func::Call>() || op.dialect() == "tfx_host";
        for op in function.walk().filter(is_relevant).collect::<Vec<_>>() {
            match HostOp::cast(op) {
                None => self.check_plain_call(op, user),
                Some(HostOp::Call(call)) => {
                    self.call_function(op, call.callee(), &call.type_args(), user)
                }
                Some(HostOp::WitnessCall(call)) => self.resolve_witness_call(call, user),
                Some(HostOp::Closure(closure)) => self.resolve_closure(closure, user),
                Some(HostOp::Erase(erase)) => self.resolve_erase(erase, user),
                Some(HostOp::DynamicCall(call)) => self.resolve_dynamic_call(call, user),
                _ => {}
            }
        }
    }

    /// `func.call` has no type arguments.
    fn check_plain_call(&mut self, call: Op<'a>, user: Option<usize>) {
        let generic = call
            .symbol("callee")
            .and_then(|callee| self.by_name.get(callee));
        if let Some(&generic) = generic {
            let generic = &self.generics[generic];
            let message = format!(
                "'@{}' is generic, but func.call has no type arguments; write tfx_host.call @{}<[...]>",
                generic.symbol, generic.symbol
            );
            let error = diag::error(call.location(), message)
                .note(generic.op.location(), "it is defined here");
            self.report(error, user);
        }
    }

    fn resolve_witness_call(&mut self, call: host::WitnessCall<'a>, user: Option<usize>) {
        let (protocol, method, conforming) = (call.protocol(), call.method(), call.conforming());
        match self.conformances.find(conforming, protocol) {
            Ok(conformance) => {
                let (function, arguments) = self
                    .conformances
                    .implementation(conforming, protocol, &conformance, method)
                    .expect("the verifier checks that tables are complete");
                self.call_function(call.op(), function, &arguments, user);
            }
            Err(problem) => self.report_problem(call.location(), &problem, user),
        }
    }

    /// Replaces a call by one of the function, or of its specialization if it is generic.
    fn call_function(
        &mut self,
        call: Op<'a>,
        function: &'a str,
        arguments: &[Type<'a>],
        user: Option<usize>,
    ) {
        let Some((symbol, callee)) = self.target(function, arguments, call.location(), user) else {
            return;
        };
        let operands: Vec<_> = call.operands().collect();
        let results = call.result_types();
        let inputs: Vec<_> = operands.iter().map(|operand| operand.ty()).collect();
        if !self.check_signature(call, callee, &inputs, &results, user) {
            return;
        }
        let new = Builder::before(call).call(&symbol, &operands, &results);
        let others = call.attributes().into_iter();
        for (name, attribute) in others.filter(|(name, _)| !OF_CALLS.contains(name)) {
            new.set_attribute(name, attribute);
        }
        let values: Vec<_> = new.results().collect();
        call.replace_with(&values);
        self.resolved += 1;
    }

    /// Returns the callee for a function and its type arguments, and its symbol. `None` if there is
    /// none, which has been reported.
    pub(super) fn target(
        &mut self,
        function: &'a str,
        arguments: &[Type<'a>],
        location: Location<'a>,
        user: Option<usize>,
    ) -> Option<(String, Op<'a>)> {
        let Some(&generic) = self.by_name.get(function) else {
            let op = self.symbols.get(function)?;
            return Some((function.to_owned(), op));
        };
        let instance = self.instance(generic, arguments, location, user)?;
        let instance = &self.instances[instance];
        Some((instance.name.clone(), instance.op))
    }

    /// Compares the arguments with the parameters of a function: the verifier could not check
    /// associated types.
    pub(super) fn check_signature(
        &mut self,
        call: Op<'a>,
        callee: Op<'a>,
        inputs: &[Type<'a>],
        results: &[Type<'a>],
        user: Option<usize>,
    ) -> bool {
        let (wanted, given) = callee.signature();
        let lists = [("argument", inputs, wanted), ("result", results, given)];
        for (what, actual, expected) in lists {
            for (index, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
                if actual == expected {
                    continue;
                }
                let message = format!(
                    "{what} {index} is of type '{}' here, but '@{}' has '{}' there",
                    describe(*actual),
                    callee.symbol_name().unwrap_or_default(),
                    describe(*expected)
                );
                let error = diag::error(call.location(), message)
                    .note(callee.location(), "it is defined here");
                self.report(error, user);
                return false;
            }
        }
        true
    }

    fn resolve_closure(&mut self, closure: host::Closure<'a>, user: Option<usize>) {
        let Some(arguments) = closure.type_args() else {
            return;
        };
        let location = closure.location();
        let target = self.target(closure.callee(), &arguments, location, user);
        let Some((symbol, function)) = target else {
            return;
        };
        let Some(HostType::Closure(signature)) = host_type(closure.closure().ty()) else {
            return;
        };
        let (parameters, results) = closure_signature(signature);
        let captures = closure.captures().iter().map(Value::ty);
        let inputs: Vec<_> = captures.chain(parameters).collect();
        if self.check_signature(closure.op(), function, &inputs, &results, user) {
            closure.set_callee(&symbol);
            closure.set_type_args(None);
            self.resolved += 1;
        }
    }
}
