//! The lowering of existentials: a box with the address of a witness table, and the erased value.
//!
//! ```text
//!   erase %d : struct<@Dense> to any<@Layer>     box | @tfx.witness.Dense_Layer | weights | bias |
//!
//!   @tfx.witness.Dense_Layer = [@tfx.method.Dense_Layer.call, ...]    in protocol order
//!
//!   llvm.func @tfx.method.Dense_Layer.call(%box, %x) {
//!     return func.call @dense_call(load slot 1 of %box, load slot 2 of %box, %x)
//!   }
//! ```
//!
//! A struct, tuple or enum is erased as its leaves: those of the `make_tuple` that deabstraction
//! has left (`conforming` is the erased type), in order. A method takes the same leaves as its
//! first arguments. A method that changes `Self` takes references to the leaves, or takes them by
//! value and returns the new ones after its own results. Either way it changes the contents of the
//! box, which all owners of the existential see.
//!
//! Cost: one thunk for each method of each type that is erased to a protocol.

use std::ops::Range;

use melior::ir::Type;
use melior::ir::r#type::TupleType;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::cast::Cast;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::llvm;
use tfx_ir::{Builder, Op, Value};

use crate::boxes::{layout, replace};
use crate::calls::Calls;
use crate::declarations;
use crate::generated::Method;
use crate::globals::{Field, quote};
use crate::kinds::agree;
use crate::ownership::Count;

/// The slot of an existential that holds the address of its witness table.
pub(crate) const TABLE_SLOT: usize = 0;

/// The way in which a method takes `Self`.
pub(crate) struct Receiver {
    /// For each leaf, whether it is passed by reference.
    pub(crate) references: Vec<bool>,
    /// The positions of the new leaves among the results, if the method takes the leaves by value
    /// and changes them.
    new_leaves: Option<Range<usize>>,
}

impl Receiver {
    /// Returns the results of a method without the new leaves.
    pub(crate) fn own_results<T: Copy>(&self, results: &[T]) -> Vec<T> {
        let kept = results.iter().enumerate();
        let kept = kept.filter(|(index, _)| !self.new_leaves().contains(index));
        kept.map(|(_, &result)| result).collect()
    }

    pub(crate) fn new_leaves(&self) -> Range<usize> {
        self.new_leaves.clone().unwrap_or_default()
    }
}

impl<'a> Calls<'a> {
    /// Replaces the operand of each `erase` by its leaves, so that these are counted.
    pub(crate) fn expand_erasures(&mut self, function: Op<'a>) -> Result<(), Diagnostic<'a>> {
        let erasures: Vec<_> = function.walk().filter_map(host::Erase::cast).collect();
        for op in erasures {
            let erased = op.value();
            if op.conforming().is_none() {
                op.set_conforming(Some(erased.ty()));
            }
            let (leaves, constructors) = leaves(op, erased)?;
            op.set_operands(&leaves);
            for constructor in constructors {
                if constructor.is_unused() {
                    constructor.erase();
                }
            }
        }
        Ok(())
    }

    pub(crate) fn erase(&mut self, op: host::Erase<'a>) -> Result<(), Diagnostic<'a>> {
        let erased = op.conforming().expect("the erasure is expanded");
        let protocol = protocol_of(op.result().ty());
        let table = self.table(op, erased, protocol)?;
        let leaves: Vec<_> = op.operands().collect();
        let symbol = self.witness_table(op, table, protocol, &leaves)?;
        let mut builder = Builder::before(op.op());
        let address = self.address(&mut builder, &Field::Address(symbol));
        let values: Vec<_> = std::iter::once(address).chain(leaves).collect();
        let name = format!("{erased} as any<@{protocol}>");
        let existential = self.new_box(op.op(), &name, &values)?;
        replace(op.op(), &[existential]);
        Ok(())
    }

    /// Returns the witness table of a type for a protocol.
    fn table(
        &self,
        op: host::Erase<'a>,
        ty: Type<'a>,
        protocol: &str,
    ) -> Result<host::WitnessTable<'a>, Diagnostic<'a>> {
        let mut tables = self.declarations.tables_of(ty).iter().copied();
        tables
            .find(|table| table.protocol() == protocol && table.type_params().is_empty())
            .ok_or_else(|| {
                diag::error(
                    op.location(),
                    format!(
                        "{ty} is used as any<@{protocol}>, but has no witness table for the protocol; declare one: tfx_host.witness_table \
                         @name : {ty} conforms @{protocol} {{method = @function}}"
                    ),
                )
            })
    }

    /// Returns the symbol of the constant with the thunks of all methods by which a type conforms
    /// to a protocol.
    fn witness_table(
        &mut self,
        op: host::Erase<'a>,
        table: host::WitnessTable<'a>,
        protocol: &'a str,
        leaves: &[Value<'a>],
    ) -> Result<String, Diagnostic<'a>> {
        let name = table.sym_name();
        let symbol = format!("tfx.witness.{name}");
        if !self.generated.methods.tables.insert(name) {
            return Ok(symbol);
        }
        let leaves: Vec<_> = leaves.iter().map(|leaf| leaf.ty()).collect();
        let declaration = self.declarations.protocol(protocol);
        let methods = declaration.map_or(Vec::new(), |protocol| protocol.method_names());
        let mut rows = Vec::new();
        for method in methods {
            let thunk = self.method_thunk(op, table, protocol, method, &leaves)?;
            rows.push(vec![Field::Address(thunk)]);
        }
        if rows.is_empty() {
            // The table of a protocol without methods is never read.
            rows.push(vec![Field::Null]);
        }
        self.globals.array(&symbol, &rows);
        Ok(symbol)
    }

    /// Returns the symbol of the thunk that calls a method with the leaves in an existential.
    fn method_thunk(
        &mut self,
        op: host::Erase<'a>,
        table: host::WitnessTable<'a>,
        protocol: &'a str,
        method: &'a str,
        leaves: &[Type<'a>],
    ) -> Result<String, Diagnostic<'a>> {
        let function = self.implementation(table, method)?;
        let (inputs, results) = self.declarations.signature_or_empty(function);
        let receiver = self.receiver(table, protocol, method, function, leaves)?;
        let parameters = inputs[leaves.len()..].to_vec();
        let own_results = receiver.own_results(&results);

        let symbol = format!("tfx.method.{}.{method}", table.sym_name());
        let thunk = self.thunk(op.op(), &symbol, &parameters, &own_results);
        let end = llvm::Return::build(&mut Builder::at_end(thunk.block, op.location()), None);
        let mut builder = Builder::before(end.op());
        let slots: Vec<_> = std::iter::once(self.pointer)
            .chain(leaves.iter().copied())
            .collect();
        let (_, starts) = layout(op.op(), &slots)?;
        let mut operands = Vec::with_capacity(inputs.len());
        let mut owned = Vec::new();
        for ((&ty, &start), &by_reference) in
            leaves.iter().zip(&starts[1..]).zip(&receiver.references)
        {
            if by_reference {
                let reference = self.new_reference(end.op(), thunk.this, start);
                self.count(&mut builder, Count::Retain, thunk.this, op.result().ty());
                owned.push((reference, inputs[operands.len()]));
                operands.push(reference);
            } else {
                let address = self.slot_address(&mut builder, thunk.this, start);
                let leaf = self.load_from(&mut builder, address, ty);
                // The callee may replace the leaf in the box, which must not free its argument.
                self.count(&mut builder, Count::Retain, leaf, ty);
                owned.push((leaf, ty));
                operands.push(leaf);
            }
        }
        operands.extend(&thunk.arguments);
        let returned = self.call_function(&mut builder, function, &operands, &results);
        let new_leaves = &returned[receiver.new_leaves()];
        for ((&value, &ty), &start) in new_leaves.iter().zip(leaves).zip(&starts[1..]) {
            let address = self.slot_address(&mut builder, thunk.this, start);
            let former = self.load_from(&mut builder, address, ty);
            self.store_to(&mut builder, address, value);
            self.count(&mut builder, Count::Release, former, ty);
        }
        for (value, ty) in owned {
            self.count(&mut builder, Count::Release, value, ty);
        }
        self.return_from(&mut builder, &thunk, &receiver.own_results(&returned));
        end.erase();

        self.generated.referenced.push(declare(&symbol));
        self.generated.methods.methods.push(Method {
            protocol,
            name: method,
            signature: (parameters, own_results),
            table,
            function,
        });
        Ok(symbol)
    }

    /// Returns the function that implements a method by a witness table.
    pub(crate) fn implementation(
        &self,
        table: host::WitnessTable<'a>,
        method: &str,
    ) -> Result<&'a str, Diagnostic<'a>> {
        let function = self.declarations.method(table, method);
        function
            .filter(|name| self.declarations.signature(name).is_some())
            .ok_or_else(|| {
                let message = format!(
                    "this witness table has no function for method \"{method}\", and the protocol has no default that can be called without type arguments"
                );
                diag::error(table.location(), message)
            })
    }

    /// Determines how a method takes the leaves of `Self`.
    pub(crate) fn receiver(
        &self,
        table: host::WitnessTable<'a>,
        protocol: &str,
        method: &str,
        function: &str,
        leaves: &[Type<'a>],
    ) -> Result<Receiver, Diagnostic<'a>> {
        let (inputs, results) = self.declarations.signature_or_empty(function);
        let wrong = || {
            let list: Vec<_> = leaves.iter().map(Type::to_string).collect();
            diag::error(
                table.location(),
                format!(
                    "method \"{method}\" is @{function}, whose first parameters are not the parts of Self: ({})",
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
            .and_then(|protocol| declarations::method_type(protocol, method))
            .filter(|ty| by_value && is_reference(ty.input(0).ok()));
        let Some(declared) = declared else {
            return Ok(Receiver {
                references,
                new_leaves: None,
            });
        };
        // The results for other inout parameters are the last ones.
        let others =
            (1..declared.input_count()).any(|index| is_reference(declared.input(index).ok()));
        let own = (0..declared.result_count()).map(|index| declared.result(index).ok());
        let first = match own.map(|ty| ty.is_some_and(is_leaf)).collect::<Vec<_>>() {
            _ if !others => results.len().checked_sub(leaves.len()),
            own if own.iter().all(|&leaf| leaf) => Some(own.len()),
            _ => None,
        };
        let range = first.map(|first| first..first + leaves.len());
        let new_leaves = range.filter(|range| {
            let returned = results.get(range.clone()).unwrap_or_default();
            returned.len() == leaves.len()
                && returned.iter().zip(leaves).all(|(&a, &b)| agree(a, b))
        });
        match new_leaves {
            Some(_) => Ok(Receiver {
                references,
                new_leaves,
            }),
            None => Err(diag::error(
                table.location(),
                format!(
                    "method \"{method}\" changes Self, but @{function} does not return the new parts of Self"
                ),
            )),
        }
    }
}

fn protocol_of(existential: Type<'_>) -> &str {
    match host_type(existential) {
        Some(HostType::Any(protocol)) => protocol,
        _ => "",
    }
}

/// Returns a declaration of a function for a constant that contains its address, for which the type
/// does not matter.
fn declare(symbol: &str) -> String {
    format!("llvm.func @{}()\n", quote(symbol.as_bytes()))
}

/// Returns the leaves of a value in order, and the operations that construct the value, outermost
/// first.
fn leaves<'a>(
    op: host::Erase<'a>,
    value: Value<'a>,
) -> Result<(Vec<Value<'a>>, Vec<Op<'a>>), Diagnostic<'a>> {
    let (mut leaves, mut constructors) = (Vec::new(), Vec::new());
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        let constructor = value
            .defining_op()
            .filter(|op| matches!(op.name(), host::MakeStruct::NAME | host::MakeTuple::NAME));
        match constructor {
            Some(constructor) => {
                stack.extend(constructor.operands().rev());
                constructors.push(constructor);
            }
            None if is_aggregate(value.ty()) => {
                let message = format!(
                    "the parts of the erased {} are unknown: run tfx-deabstract before tfx-lower-host",
                    value.ty()
                );
                return Err(diag::error(op.location(), message));
            }
            None => leaves.push(value),
        }
    }
    Ok((leaves, constructors))
}

fn is_reference(ty: Option<Type<'_>>) -> bool {
    matches!(ty.and_then(host_type), Some(HostType::Ref(_)))
}

/// Returns whether a value of a type is known to be one value after deabstraction. A type parameter
/// may be an aggregate.
fn is_leaf(ty: Type<'_>) -> bool {
    let is_open = matches!(
        host_type(ty),
        Some(HostType::Param(_) | HostType::Assoc { .. })
    );
    !is_open && !is_aggregate(ty)
}

fn is_aggregate(ty: Type<'_>) -> bool {
    TupleType::cast(ty).is_some()
        || matches!(
            host_type(ty),
            Some(HostType::Struct { .. } | HostType::Enum { .. })
        )
}
