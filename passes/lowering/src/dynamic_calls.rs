//! The lowering of dynamic calls: methods of existentials and of objects.
//!
//! ```text
//!   dynamic_call %a["call"](%x)      %a : any<@Layer>       table = load slot 0
//!                                                           thunk = load table[position of "call"]
//!                                                           llvm.call thunk(%a, %x)
//!   dynamic_call %o["call"](%x)      %o : object<@Dense>    func.call @dense_call(%o, %x)
//! ```
//!
//! The type of an object determines the function, so a method of an object is called directly.
//!
//! Cost: the signature of each kind of dynamic call is compared once with each witness table of the
//! protocol.

use melior::ir::r#type::FunctionType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Builder, Value};

use crate::boxes::replace;
use crate::calls::Calls;
use crate::declarations::{Signature, position};
use crate::existentials::TABLE_SLOT;
use crate::generated::{DynamicCall, Method, Methods};
use crate::kinds::agree;
use crate::ownership::Count;

impl<'a> Calls<'a> {
    pub(crate) fn dynamic_call(&mut self, op: host::DynamicCall<'a>) -> Result<(), Diagnostic<'a>> {
        match host_type(op.receiver().ty()) {
            Some(HostType::Any(protocol)) => self.call_existential(op, protocol),
            _ => self.call_object(op),
        }
    }

    fn call_existential(
        &mut self,
        op: host::DynamicCall<'a>,
        protocol: &'a str,
    ) -> Result<(), Diagnostic<'a>> {
        let method = op.method();
        let declaration = self.declarations.protocol(protocol);
        let position = declaration
            .and_then(|protocol| position(&protocol.method_names(), method))
            .ok_or_else(|| {
                let message = format!("protocol @{protocol} has no method \"{method}\"");
                diag::error(op.location(), message)
            })?;
        let arguments = op.arguments().to_vec();
        let signature = (types_of(&arguments), op.result_types());
        let ty = FunctionType::new(self.context, &signature.0, &signature.1);
        let key = (protocol, method, ty.to_raw().ptr as usize);
        if self.generated.methods.seen.insert(key) {
            self.generated.methods.calls.push(DynamicCall {
                protocol,
                method,
                signature,
                location: op.location(),
            });
        }
        let receiver = op.receiver();
        let mut builder = Builder::before(op.op());
        let address = self.slot_address(&mut builder, receiver, TABLE_SLOT);
        let table = self.load_from(&mut builder, address, self.pointer);
        let entry = self.element(&mut builder, table, position);
        let thunk = self.load_from(&mut builder, entry, self.pointer);
        let results = self.call_thunk(op.op(), thunk, receiver, &arguments);
        replace(op.op(), &results);
        Ok(())
    }

    fn call_object(&mut self, op: host::DynamicCall<'a>) -> Result<(), Diagnostic<'a>> {
        let (object, method) = (op.receiver(), op.method());
        let ty = object.ty();
        let tables: Vec<_> = self
            .declarations
            .tables_of(ty)
            .iter()
            .copied()
            .filter(|&table| self.declarations.method(table, method).is_some())
            .collect();
        let Some(&table) = tables.first() else {
            return Err(diag::error(
                op.location(),
                format!(
                    "no witness table of {ty} has a method \"{method}\"; call the function by its name, or declare a witness table of the class for \
                     the protocol of the method"
                ),
            ));
        };
        let function = self.implementation(table, method)?;
        if let Some(&other) = tables[1..]
            .iter()
            .find(|&&other| self.declarations.method(other, method) != Some(function))
        {
            let message = format!(
                "method \"{method}\" is ambiguous: {ty} has a function for it in two protocols; call one of them by its name"
            );
            return Err(diag::error(op.location(), message)
                .note(table.location(), "one is named here")
                .note(other.location(), "the other is named here"));
        }
        let protocol = table.protocol();
        let receiver = self.receiver(table, protocol, method, function, &[ty])?;
        let (inputs, all_results) = self.declarations.signature_or_empty(function);
        let results = receiver.own_results(&all_results);
        let arguments = op.arguments().to_vec();
        let call = DynamicCall {
            protocol,
            method,
            signature: (types_of(&arguments), op.result_types()),
            location: op.location(),
        };
        let method = Method {
            protocol,
            name: method,
            signature: (inputs[1..].to_vec(), results),
            table,
            function,
        };
        check(&call, &method)?;

        let mut builder = Builder::before(op.op());
        let this = if receiver.references[0] {
            self.variable_of(op, object)?
        } else {
            object
        };
        let operands: Vec<_> = std::iter::once(this).chain(arguments).collect();
        let returned = self.call_function(&mut builder, function, &operands, &all_results);
        if receiver.references[0] {
            self.count(&mut builder, Count::Release, this, inputs[0]);
        }
        // The method may have assigned another object to its own variable `self`: it has no effect.
        for &extra in &returned[receiver.new_leaves()] {
            self.count(&mut builder, Count::Release, extra, ty);
        }
        replace(op.op(), &receiver.own_results(&returned));
        Ok(())
    }

    /// Allocates a variable with an object, before `op`.
    fn variable_of(
        &mut self,
        op: host::DynamicCall<'a>,
        object: Value<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        let variable = self.new_variable(op.op(), object.ty())?;
        let mut builder = Builder::before(op.op());
        self.count(&mut builder, Count::Retain, object, object.ty());
        let address = self.slot_address(&mut builder, variable, 1);
        self.store_to(&mut builder, address, object);
        Ok(variable)
    }

    /// Checks that all calls through witness tables have the types of the methods in the tables.
    pub(crate) fn check_methods(&self) -> Result<(), Diagnostic<'a>> {
        let Methods { methods, calls, .. } = &self.generated.methods;
        for call in calls {
            let key = (call.protocol, call.method);
            for method in methods {
                if (method.protocol, method.name) == key {
                    check(call, method)?;
                }
            }
        }
        Ok(())
    }
}

fn check<'a>(call: &DynamicCall<'a>, method: &Method<'a>) -> Result<(), Diagnostic<'a>> {
    let (called, defined) = (&call.signature, &method.signature);
    let fits = |a: &[Type<'a>], b: &[Type<'a>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| agree(a, b))
    };
    if fits(&called.0, &defined.0) && fits(&called.1, &defined.1) {
        return Ok(());
    }
    let text = |(inputs, results): &Signature<'a>| {
        let list = |types: &[Type<'a>]| {
            let types: Vec<_> = types.iter().map(Type::to_string).collect();
            types.join(", ")
        };
        format!("({}) -> ({})", list(inputs), list(results))
    };
    let message = format!(
        "this call of method \"{}\" has type {}, but @{} has type {} without Self",
        call.method,
        text(called),
        method.function,
        text(defined)
    );
    Err(diag::error(call.location, message).note(
        method.table.location(),
        "this witness table names the function",
    ))
}

fn types_of<'a>(values: &[Value<'a>]) -> Vec<Type<'a>> {
    values.iter().map(|value| value.ty()).collect()
}
