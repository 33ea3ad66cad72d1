//! The C signatures of foreign functions.
//!
//! ```text
//!   func.func private @f(i1) -> (i32, tensor<f32>)   ──>   void f(bool, int32_t *, TfxTensor **)
//! ```
//!
//! Parameters of small integer types get an extension attribute, since C callees rely on it. A
//! foreign function with several results stores them to addresses that follow its arguments,
//! because the C ABI of a returned struct depends on the machine. The element types and sizes of
//! the tensors that it returns are checked at the place of the call. Functions with a body are
//! internal to the module, so that a user's `@read` or `@main` does not collide with functions of
//! C.
//!
//! In code for calls within a process, each call of a foreign function is preceded by its location,
//! at which a failure of the function is reported. The handles that it returns are adopted: the
//! runtime counts the references of compiled code and those of foreign code separately.

use std::collections::{HashMap, HashSet};

use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type};
use tfx_dialects::extracted::EXTRACTED;
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::types;
use tfx_ir::ops::func;
use tfx_ir::{Builder, Op, Value};

use crate::calls::Calls;
use crate::kinds::{Kind, from_stored, stored_type};
use crate::memory::{internal_linkage, load, pointer, stack_slots};

/// The attribute of a `func.func` with the linkage of its `llvm.func`.
const LINKAGE: &str = "llvm.linkage";

/// Returns the kinds of the results of each foreign function. The types are those of the IR.
pub(crate) fn handles<'a>(functions: &[func::Func<'a>]) -> HashMap<&'a str, Vec<Kind>> {
    let foreign = functions
        .iter()
        .filter(|function| function.is_declaration());
    let kinds = foreign.map(|function| {
        let results = function.signature().1.into_iter().map(Kind::of);
        (function.sym_name(), results.collect())
    });
    kinds.collect()
}

/// Inserts the location before each call of a foreign function, and the adoption of its results
/// after it.
pub(crate) fn bracket<'a>(
    module: Op<'a>,
    foreign: &HashMap<&'a str, Vec<Kind>>,
    lowered: &mut Calls<'a>,
) {
    let calls: Vec<_> = module.walk().filter_map(func::Call::cast).collect();
    for call in calls {
        let Some(kinds) = foreign.get(call.callee()) else {
            continue;
        };
        let location = lowered.location(call.op());
        let mut before = Builder::before(call.op());
        lowered.call(&mut before, "tfx_foreign_call", &[location]);
        let mut after = Builder::after(call.op());
        for (result, kind) in call.results().zip(kinds) {
            match kind {
                Kind::Plain => {}
                Kind::Tensor => {
                    lowered.call(&mut after, "tfx_tensor_adopt", &[result]);
                }
                Kind::Box => {
                    lowered.call(&mut after, "tfx_box_adopt", &[result]);
                }
            }
        }
    }
}

/// Sets the final signature of each function. The types are already those of host code.
pub(crate) fn set_signatures<'a>(module: Op<'a>, functions: &[func::Func<'a>]) {
    let mut several = HashSet::new();
    for &function in functions {
        function.set_arg_attrs(None);
        function.set_res_attrs(None);
        function.remove_attribute(EXTRACTED);
        if function.is_declaration() {
            if function.signature().1.len() > 1 {
                several.insert(function.sym_name());
                return_through_addresses(function);
            }
            extend_arguments(function);
        } else {
            function.set_attribute(LINKAGE, internal_linkage(function.context()));
        }
    }
    let calls: Vec<_> = module.walk().filter_map(func::Call::cast).collect();
    for call in calls {
        if several.contains(call.callee()) {
            call_with_addresses(call);
        }
    }
}

impl<'a> Calls<'a> {
    /// Checks the tensors that a call returned, if its callee is foreign: the compiler does not
    /// have its code, and generated code relies on their types.
    pub(crate) fn check_results(
        &mut self,
        builder: &mut Builder<'a>,
        callee: &str,
        results: &[(Value<'a>, Type<'a>)],
    ) {
        if !self.declarations.is_checked(callee) {
            return;
        }
        for &(tensor, ty) in results
            .iter()
            .filter(|(_, ty)| Kind::of(*ty) == Kind::Tensor)
        {
            let (dtype, sizes) = match types::data_type(ty) {
                Some(dtype) => (dtype, types::sizes(ty)),
                // A string.
                None => (DataType::DtString, Some(Vec::new())),
            };
            let rank = sizes.as_ref().map_or(-1, |sizes| sizes.len() as i64);
            let dims = sizes.into_iter().flatten();
            let dims: Vec<_> = dims
                .map(|size| size.map_or(-1, |size| size as i64))
                .collect();
            let dims = self.globals.sizes(&dims);
            let location = self.location_field(builder.location());
            let operands = [
                tensor,
                self.integer(builder, 32, dtype as i64),
                self.integer(builder, 32, rank),
                self.address(builder, &dims),
                self.address(builder, &location),
            ];
            self.call(builder, "tfx_check_tensor", &operands);
        }
    }
}

fn return_through_addresses(function: func::Func<'_>) {
    let context = function.context();
    let (mut inputs, results) = function.signature();
    inputs.extend(std::iter::repeat_n(pointer(context), results.len()));
    function.set_function_type(FunctionType::new(context, &inputs, &[]));
}

fn call_with_addresses<'a>(call: func::Call<'a>) {
    let types = call.result_types();
    // Memory has no `index`.
    let stored = |ty: Type<'a>| stored_type(ty, call.context());
    let slots: Vec<_> = types
        .iter()
        .map(|&ty| stack_slots(call.op(), stored(ty), 1))
        .collect();
    let mut builder = Builder::before(call.op());
    let mut operands = call.operands().to_vec();
    operands.extend(&slots);
    func::Call::build(&mut builder, &[], call.callee(), &operands);
    let values: Vec<_> = slots
        .iter()
        .zip(&types)
        .map(|(&slot, &ty)| {
            let value = load(&mut builder, slot, stored(ty));
            from_stored(&mut builder, value, ty)
        })
        .collect();
    call.replace_with(&values);
}

/// Returns the extension attribute of a small integer type, as the C ABI requires; `None` for other
/// types.
fn extension(ty: Type<'_>) -> Option<&'static str> {
    match ty.to_string().as_str() {
        "i1" => Some("llvm.zeroext"),
        "i8" | "i16" => Some("llvm.signext"),
        _ => None,
    }
}

fn extend_arguments(function: func::Func<'_>) {
    let context = function.context();
    let (inputs, _) = function.signature();
    if inputs.iter().any(|&input| extension(input).is_some()) {
        let attributes: Vec<_> = inputs
            .iter()
            .map(|&input| dictionary(context, extension(input)))
            .collect();
        function.set_arg_attrs(Some(ArrayAttribute::new(context, &attributes).into()));
    }
}

fn dictionary<'c>(context: &'c Context, unit: Option<&str>) -> Attribute<'c> {
    let text = unit.map_or_else(|| "{}".to_owned(), |name| format!("{{{name}}}"));
    Attribute::parse(context, &text).expect("a dictionary of units is an attribute")
}
