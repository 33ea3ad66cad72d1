//! Replaces calls and closures of generic functions, and calls through protocols, by those of known
//! functions.

use melior::ir::r#type::FunctionType;
use melior::ir::{Location, Type};
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::ops::func;
use tfx_ir::{Builder, Op, Value, diag};

use super::Specializer;
use super::conformances::types;
use super::types::describe;

/// The attributes of calls of the host dialect that a call of a function does not have.
const OF_CALLS: [&str; 5] = ["callee", "type_args", "protocol", "method", "conforming"];

impl<'a> Specializer<'a> {
    /// Resolves all calls in a function of known types; `user` is its number if it is a
    /// specialization.
    pub(super) fn resolve_calls(&mut self, function: Op<'a>, user: Option<usize>) {
        let of_interest = function.walk().filter(|op| {
            matches!(
                op.name(),
                func::Call::NAME
                    | host::Call::NAME
                    | host::WitnessCall::NAME
                    | host::Closure::NAME
                    | host::Erase::NAME
                    | host::DynamicCall::NAME
            )
        });
        for op in of_interest.collect::<Vec<_>>() {
            match op.name() {
                func::Call::NAME => self.check_plain_call(op, user),
                host::Call::NAME => self.resolve_generic_call(op, user),
                host::WitnessCall::NAME => self.resolve_witness_call(op, user),
                host::Closure::NAME => self.resolve_closure(op, user),
                host::Erase::NAME => self.resolve_erase(op, user),
                _ => self.resolve_dynamic_call(op, user),
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

    fn resolve_generic_call(&mut self, call: Op<'a>, user: Option<usize>) {
        let Some(callee) = call.symbol("callee") else {
            return;
        };
        let arguments: Vec<_> = types(call, "type_args").collect();
        self.call_function(call, callee, &arguments, user);
    }

    fn resolve_witness_call(&mut self, call: Op<'a>, user: Option<usize>) {
        let (Some(protocol), Some(method), Some(conforming)) = (
            call.symbol("protocol"),
            call.string("method"),
            call.type_attribute("conforming"),
        ) else {
            return;
        };
        match self.conformances.find(conforming, protocol) {
            Ok(conformance) => {
                let (function, arguments) = self
                    .conformances
                    .implementation(conforming, protocol, &conformance, method)
                    .expect("the verifier checks that tables are complete");
                self.call_function(call, function, &arguments, user);
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

    fn resolve_closure(&mut self, closure: Op<'a>, user: Option<usize>) {
        let Some(callee) = closure.symbol("callee") else {
            return;
        };
        if closure.attribute("type_args").is_none() {
            return;
        }
        let arguments: Vec<_> = types(closure, "type_args").collect();
        let Some((symbol, function)) = self.target(callee, &arguments, closure.location(), user)
        else {
            return;
        };
        let Some(HostType::Closure(signature)) = host_type(closure.result(0).ty()) else {
            return;
        };
        let signature = FunctionType::try_from(signature)
            .expect("the signature of a closure is a function type");
        let captures = closure.operands().map(Value::ty);
        let rest = (0..signature.input_count()).filter_map(|index| signature.input(index).ok());
        let inputs: Vec<_> = captures.chain(rest).collect();
        let results: Vec<_> = (0..signature.result_count())
            .filter_map(|index| signature.result(index).ok())
            .collect();
        if self.check_signature(closure, function, &inputs, &results, user) {
            closure.set_symbol("callee", &symbol);
            closure.remove_attribute("type_args");
            self.resolved += 1;
        }
    }
}
