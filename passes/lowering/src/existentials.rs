//! Existentials and calls of their methods, and of those of objects.
//!
//! ```text
//!   erase %d : struct<@Dense> to any<@Layer>     box | @tfx.witness.Dense_Layer | weights | bias |
//!   dynamic_call %a["call"](%x)                  table = load slot 0;  code = load table[position of "call"];  llvm.call code(%a, %x)
//!
//!   @tfx.witness.Dense_Layer = [@tfx.method.Dense_Layer.call, ...]        in the order of the protocol
//!
//!   llvm.func @tfx.method.Dense_Layer.call(%self, %x) {
//!     return func.call @dense_call(load slot 1 of %self, load slot 2 of %self, %x)
//!   }
//! ```
//!
//! A struct, tuple or enum is erased leaf by leaf: those of the `make_tuple` that it has become (`conforming` says what it was), in order; a method
//! takes the same leaves first. A method that changes `Self` takes references to them, or takes them by value and has the new ones after its own
//! results; either way it changes what is in the box, which all owners of the existential see. A method of an object is
//! known by the object's type, so it is called directly.
//!
//! Cost: one function for each method of each type that is erased to a protocol; the types of each kind of dynamic call are compared with each
//! table of the protocol once.

use std::collections::HashSet;
use std::ops::Range;

use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Location, Type, TypeLike};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::diag::{self, Diag};
use tfx_ir::{Builder, Op, Value};

use crate::boxes::{layout, replace};
use crate::declarations::{self, Signature};
use crate::globals::{Field, quote};
use crate::host_ops::Calls;
use crate::kinds::{Kind, is_handle};
use crate::ownership::Count;

/// The slot of an existential that holds the address of its witness table.
const SLOT_OF_TABLE: usize = 0;
/// The attribute of `erase` that says which type is erased, where that of the operand does not.
const CONFORMING: &str = "conforming";

/// The witness tables of a module, and what is called through them.
#[derive(Default)]
pub(crate) struct Methods<'a> {
    /// The names of the tables that are written.
    written: HashSet<&'a str>,
    /// Their methods.
    methods: Vec<Method<'a>>,
    /// The calls, one for each protocol, method and signature.
    calls: Vec<DynamicCall<'a>>,
    /// Those that are in `calls`; a type is known by its address.
    seen: HashSet<(&'a str, &'a str, usize)>,
}

struct Method<'a> {
    protocol: &'a str,
    name: &'a str,
    /// What it takes and gives beside `Self`.
    signature: Signature<'a>,
    table: Op<'a>,
    function: &'a str,
}

struct DynamicCall<'a> {
    protocol: &'a str,
    method: &'a str,
    signature: Signature<'a>,
    location: Location<'a>,
}

/// How a method takes `Self`.
struct Receiver {
    /// Whether a leaf is taken by reference.
    references: Vec<bool>,
    /// Where the new leaves are among the results of a method that takes the old ones by value and changes them.
    gives_back: Option<Range<usize>>,
}

impl Receiver {
    /// What a method gives beside the new leaves.
    fn own_results<T: Copy>(&self, results: &[T]) -> Vec<T> {
        let kept = results.iter().enumerate();
        let kept = kept.filter(|(index, _)| !self.given_back().contains(index));
        kept.map(|(_, &result)| result).collect()
    }

    fn given_back(&self) -> Range<usize> {
        self.gives_back.clone().unwrap_or_default()
    }
}

impl<'a> Calls<'a> {
    /// Gives each `erase` the leaves of what it erases as operands, so that they are counted.
    pub(crate) fn open_erasures(&mut self, function: Op<'a>) -> Result<(), Diag<'a>> {
        let erasures: Vec<_> = function
            .walk()
            .filter(|op| op.is("tfx_host.erase"))
            .collect();
        for op in erasures {
            let erased = op.operand(0);
            if op.attribute(CONFORMING).is_none() {
                op.set_attribute(CONFORMING, TypeAttribute::new(erased.ty()));
            }
            let (leaves, makers) = leaves(op, erased)?;
            op.set_operands(&leaves);
            for maker in makers {
                if maker.is_unused() {
                    maker.erase();
                }
            }
        }
        Ok(())
    }

    pub(crate) fn erase(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let erased = op.type_attribute(CONFORMING).expect("it was opened");
        let protocol = protocol_of(op.result(0).ty());
        let table = self.table(op, erased, protocol)?;
        let leaves: Vec<_> = op.operands().collect();
        let symbol = self.witnesses(op, table, protocol, &leaves)?;
        let mut builder = Builder::before(op);
        let address = self.address(&mut builder, &Field::Address(symbol));
        let values: Vec<_> = std::iter::once(address).chain(leaves).collect();
        let made = self.new_box(op, &format!("{erased} as any<@{protocol}>"), &values)?;
        replace(op, &[made]);
        Ok(())
    }

    /// The table by which a type conforms to a protocol.
    fn table(&self, op: Op<'a>, ty: Type<'a>, protocol: &str) -> Result<Op<'a>, Diag<'a>> {
        let tables = self.declarations.tables_of(ty).iter().copied();
        tables
            .filter(|table| table.symbol("protocol") == Some(protocol))
            .find(|table| declarations::strings(*table, "type_params").is_empty())
            .ok_or_else(|| {
                diag::error(
                    op.location(),
                    format!(
                        "{ty} is used as any<@{protocol}>, but there is no witness table that says how it conforms; declare one: tfx_host.witness_table \
                         @name : {ty} conforms @{protocol} {{method = @function}}"
                    ),
                )
            })
    }

    /// The constant with the code of all methods by which a type conforms to a protocol.
    fn witnesses(
        &mut self,
        op: Op<'a>,
        table: Op<'a>,
        protocol: &'a str,
        leaves: &[Value<'a>],
    ) -> Result<String, Diag<'a>> {
        let name = table.symbol_name().unwrap_or_default();
        let symbol = format!("tfx.witness.{name}");
        if !self.values.methods.written.insert(name) {
            return Ok(symbol);
        }
        let leaves: Vec<_> = leaves.iter().map(|leaf| leaf.ty()).collect();
        let declaration = self.declarations.protocol(protocol);
        let methods = declaration.map(|op| declarations::strings(op, "method_names"));
        let mut rows = Vec::new();
        for method in methods.into_iter().flatten() {
            let code = self.method_code(op, table, protocol, method, &leaves)?;
            rows.push(vec![Field::Address(code)]);
        }
        if rows.is_empty() {
            // A protocol without methods has no table to look into.
            rows.push(vec![Field::Null]);
        }
        self.globals.array(&symbol, &rows);
        Ok(symbol)
    }

    /// The function that calls a method with what is in an existential.
    fn method_code(
        &mut self,
        op: Op<'a>,
        table: Op<'a>,
        protocol: &'a str,
        method: &'a str,
        leaves: &[Type<'a>],
    ) -> Result<String, Diag<'a>> {
        let name = table.symbol_name().unwrap_or_default();
        let function = self.function_of(table, method)?;
        let (inputs, results) = self.signature_of(function);
        let receiver = self.receiver(table, protocol, method, function, leaves)?;
        let parameters = inputs[leaves.len()..].to_vec();
        let own_results = receiver.own_results(&results);

        let symbol = format!("tfx.method.{name}.{method}");
        let code = self.code(op, &symbol, &parameters, &own_results);
        let end = Builder::at_end(code.block, op.location())
            .op("llvm.return")
            .build();
        let mut builder = Builder::before(end);
        let slots: Vec<_> = std::iter::once(self.pointer)
            .chain(leaves.iter().copied())
            .collect();
        let (_, starts) = layout(op, &slots)?;
        let mut operands = Vec::with_capacity(inputs.len());
        let mut held = Vec::new();
        for ((&ty, &start), &by_reference) in
            leaves.iter().zip(&starts[1..]).zip(&receiver.references)
        {
            if by_reference {
                let reference = self.new_reference(end, code.this, start);
                self.count(&mut builder, Count::Retain, code.this, op.result(0).ty());
                held.push((reference, inputs[operands.len()]));
                operands.push(reference);
            } else {
                let address = self.slot_address(&mut builder, code.this, start);
                let leaf = self.load_from(&mut builder, address, ty);
                // The call may change the leaf in the box, but not the one that it was given.
                self.count(&mut builder, Count::Retain, leaf, ty);
                held.push((leaf, ty));
                operands.push(leaf);
            }
        }
        operands.extend(&code.arguments);
        let outcome = self.call_function(&mut builder, function, &operands, &results);
        let given_back = &outcome[receiver.given_back()];
        for ((&value, &ty), &start) in given_back.iter().zip(leaves).zip(&starts[1..]) {
            let address = self.slot_address(&mut builder, code.this, start);
            let before = self.load_from(&mut builder, address, ty);
            self.store_to(&mut builder, address, value);
            self.count(&mut builder, Count::Release, before, ty);
        }
        for (value, ty) in held {
            self.count(&mut builder, Count::Release, value, ty);
        }
        self.leave(&mut builder, &code, &receiver.own_results(&outcome));
        end.erase();

        self.values.referenced.push(declare(&symbol));
        self.values.methods.methods.push(Method {
            protocol,
            name: method,
            signature: (parameters, own_results),
            table,
            function,
        });
        Ok(symbol)
    }

    /// The function that a witness table, or else the protocol, has for a method.
    fn function_of(&self, table: Op<'a>, method: &str) -> Result<&'a str, Diag<'a>> {
        let function = self.declarations.method(table, method);
        function
            .filter(|name| self.declarations.signature(name).is_some())
            .ok_or_else(|| {
                let message = format!(
                    "this witness table has no function for method \"{method}\", and the protocol no default that can be called as it is"
                );
                diag::error(table.location(), message)
            })
    }

    fn signature_of(&self, function: &str) -> Signature<'a> {
        self.declarations
            .signature(function)
            .cloned()
            .unwrap_or_default()
    }

    /// How a method takes the leaves of `Self`.
    fn receiver(
        &self,
        table: Op<'a>,
        protocol: &str,
        method: &str,
        function: &str,
        leaves: &[Type<'a>],
    ) -> Result<Receiver, Diag<'a>> {
        let (inputs, results) = self.signature_of(function);
        let wrong = || {
            let list: Vec<_> = leaves.iter().map(Type::to_string).collect();
            diag::error(
                table.location(),
                format!(
                    "method \"{method}\" is @{function}, which does not take the parts of Self first: ({})",
                    list.join(", ")
                ),
            )
        };
        if inputs.len() < leaves.len() {
            return Err(wrong());
        }
        let mut references = Vec::with_capacity(leaves.len());
        for (&input, &leaf) in inputs.iter().zip(leaves) {
            references.push(match host_type(input) {
                Some(HostType::Ref(pointee)) if input != leaf && agree(pointee, leaf) => true,
                _ if agree(input, leaf) => false,
                _ => return Err(wrong()),
            });
        }
        let by_value = references.iter().all(|by_reference| !by_reference);
        let declared = self
            .declarations
            .protocol(protocol)
            .and_then(|op| declarations::method_type(op, method))
            .filter(|ty| by_value && is_reference(ty.input(0).ok()));
        let Some(declared) = declared else {
            return Ok(Receiver {
                references,
                gives_back: None,
            });
        };
        // What other inout parameters give back comes last.
        let others =
            (1..declared.input_count()).any(|index| is_reference(declared.input(index).ok()));
        let own = (0..declared.result_count()).map(|index| declared.result(index).ok());
        let first = match own.map(|ty| ty.is_some_and(is_leaf)).collect::<Vec<_>>() {
            _ if !others => results.len().checked_sub(leaves.len()),
            own if own.iter().all(|&leaf| leaf) => Some(own.len()),
            _ => None,
        };
        let range = first.map(|first| first..first + leaves.len());
        let gives_back = range.filter(|range| {
            let given = results.get(range.clone()).unwrap_or_default();
            given.len() == leaves.len() && given.iter().zip(leaves).all(|(&a, &b)| agree(a, b))
        });
        match gives_back {
            Some(range) => Ok(Receiver {
                references,
                gives_back: Some(range),
            }),
            None => Err(diag::error(
                table.location(),
                format!(
                    "method \"{method}\" changes Self, and @{function} does not say what Self is afterwards"
                ),
            )),
        }
    }

    pub(crate) fn dynamic_call(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        match host_type(op.operand(0).ty()) {
            Some(HostType::Any(protocol)) => self.call_existential(op, protocol),
            _ => self.call_object(op),
        }
    }

    fn call_existential(&mut self, op: Op<'a>, protocol: &'a str) -> Result<(), Diag<'a>> {
        let method = op.string("method").unwrap_or_default();
        let declaration = self.declarations.protocol(protocol);
        let position = declaration
            .and_then(|declaration| declarations::position(declaration, "method_names", method))
            .ok_or_else(|| {
                let message = format!("protocol @{protocol} has no method \"{method}\"");
                diag::error(op.location(), message)
            })?;
        let arguments: Vec<_> = op.operands().skip(1).collect();
        let signature = (types_of(&arguments), op.result_types());
        let ty = FunctionType::new(self.context, &signature.0, &signature.1);
        let key = (protocol, method, ty.to_raw().ptr as usize);
        if self.values.methods.seen.insert(key) {
            self.values.methods.calls.push(DynamicCall {
                protocol,
                method,
                signature,
                location: op.location(),
            });
        }
        let receiver = op.operand(0);
        let mut builder = Builder::before(op);
        let address = self.slot_address(&mut builder, receiver, SLOT_OF_TABLE);
        let table = self.load_from(&mut builder, address, self.pointer);
        let entry = self.element(&mut builder, table, position);
        let code = self.load_from(&mut builder, entry, self.pointer);
        let results = self.call_code(op, code, receiver, &arguments);
        replace(op, &results);
        Ok(())
    }

    fn call_object(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let (object, method) = (op.operand(0), op.string("method").unwrap_or_default());
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
                    "no witness table of {ty} says what its method \"{method}\" is; call the function by its name, or declare how the class conforms \
                     to the protocol of the method"
                ),
            ));
        };
        let function = self.function_of(table, method)?;
        if let Some(&other) = tables[1..]
            .iter()
            .find(|&&other| self.declarations.method(other, method) != Some(function))
        {
            let message = format!(
                "two protocols have a method \"{method}\", and {ty} has a function for each; call the one that is meant by its name"
            );
            return Err(diag::error(op.location(), message)
                .note(table.location(), "one is named here")
                .note(other.location(), "the other is named here"));
        }
        let protocol = table.symbol("protocol").unwrap_or_default();
        let receiver = self.receiver(table, protocol, method, function, &[ty])?;
        let (inputs, all_results) = self.signature_of(function);
        let results = receiver.own_results(&all_results);
        let arguments: Vec<_> = op.operands().skip(1).collect();
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

        let mut builder = Builder::before(op);
        let this = if receiver.references[0] {
            self.variable_of(op, object)?
        } else {
            object
        };
        let operands: Vec<_> = std::iter::once(this).chain(arguments).collect();
        let outcome = self.call_function(&mut builder, function, &operands, &all_results);
        if receiver.references[0] {
            self.count(&mut builder, Count::Release, this, inputs[0]);
        }
        // The variable that a method may have put another object into is the method's own.
        for &extra in &outcome[receiver.given_back()] {
            self.count(&mut builder, Count::Release, extra, ty);
        }
        replace(op, &receiver.own_results(&outcome));
        Ok(())
    }

    /// A variable that holds an object, before `op`.
    fn variable_of(&mut self, op: Op<'a>, object: Value<'a>) -> Result<Value<'a>, Diag<'a>> {
        let variable = self.new_variable(op, object.ty())?;
        let mut builder = Builder::before(op);
        self.count(&mut builder, Count::Retain, object, object.ty());
        let address = self.slot_address(&mut builder, variable, 1);
        self.store_to(&mut builder, address, object);
        Ok(variable)
    }

    /// An error where a call through a table has other types than a function in the table.
    pub(crate) fn check_methods(&self) -> Result<(), Diag<'a>> {
        for call in &self.values.methods.calls {
            let methods = self.values.methods.methods.iter();
            for method in methods
                .filter(|method| (method.protocol, method.name) == (call.protocol, call.method))
            {
                check(call, method)?;
            }
        }
        Ok(())
    }
}

fn check<'a>(call: &DynamicCall<'a>, method: &Method<'a>) -> Result<(), Diag<'a>> {
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
        "this call of method \"{}\" has type {}, but @{} is {} beside Self",
        call.method,
        text(called),
        method.function,
        text(defined)
    );
    Err(diag::error(call.location, message)
        .note(method.table.location(), "which this witness table names"))
}

/// Whether values of two types are the same thing to host code.
fn agree(a: Type<'_>, b: Type<'_>) -> bool {
    a == b || is_handle(a) && Kind::of(a) == Kind::of(b)
}

fn types_of<'a>(values: &[Value<'a>]) -> Vec<Type<'a>> {
    values.iter().map(|value| value.ty()).collect()
}

fn protocol_of(existential: Type<'_>) -> &str {
    match host_type(existential) {
        Some(HostType::Any(protocol)) => protocol,
        _ => "",
    }
}

/// Something that has the name of a function, for a constant that takes its address: the type does not matter to that.
fn declare(symbol: &str) -> String {
    format!("llvm.func @{}()\n", quote(symbol.as_bytes()))
}

/// The leaves of a value, in order, and the operations that put them together, the outermost first.
fn leaves<'a>(op: Op<'a>, value: Value<'a>) -> Result<(Vec<Value<'a>>, Vec<Op<'a>>), Diag<'a>> {
    let (mut leaves, mut makers) = (Vec::new(), Vec::new());
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        let maker = value.defining_op().filter(|maker| {
            ["tfx_host.make_struct", "tfx_host.make_tuple"].contains(&maker.name())
        });
        match maker {
            Some(maker) => {
                stack.extend(maker.operands().rev());
                makers.push(maker);
            }
            None if is_aggregate(value.ty()) => {
                let message = format!(
                    "the parts of the {} that is made an existential here are not known: run tfx-deabstract before tfx-lower-host",
                    value.ty()
                );
                return Err(diag::error(op.location(), message));
            }
            None => leaves.push(value),
        }
    }
    Ok((leaves, makers))
}

fn is_reference(ty: Option<Type<'_>>) -> bool {
    matches!(ty.and_then(host_type), Some(HostType::Ref(_)))
}

/// Whether a value of a type is one value in flat code too. Of a type parameter that is not known.
fn is_leaf(ty: Type<'_>) -> bool {
    let is_open = matches!(
        host_type(ty),
        Some(HostType::Param(_) | HostType::Assoc { .. })
    );
    !is_open && !is_aggregate(ty)
}

fn is_aggregate(ty: Type<'_>) -> bool {
    melior::ir::r#type::TupleType::try_from(ty).is_ok()
        || matches!(
            host_type(ty),
            Some(HostType::Struct { .. } | HostType::Enum { .. })
        )
}
