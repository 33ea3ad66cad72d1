//! The entry: which function a command line runs, and what its parameters are called.
//!
//! ```text
//!   func.func @main(%p: i1 {tfx.name = "p"}) -> (tensor<2xf32> {tfx.name = "r"})
//!        │
//!        ├─ @tfx.entry       TfxEntry {"main", place, [{"p", scalar i1}], [{"r", tensor<2xf32>}], @tfx.entry.call}
//!        ├─ @tfx.entry.call  loads the arguments through an array of addresses, calls @main, stores the results
//!        └─ @tfx_entry       returns the address of @tfx.entry; the one name that others link against
//! ```
//!
//! The C types are those of `docs/program-image.md`, section 5. A parameter without `tfx.name` is called `arg0`, `arg1`, ...; a result
//! `result0`, ...

use std::collections::BTreeSet;
use std::fmt::Write;

use melior::ir::Attribute;
use melior::ir::Type;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use tfx_graphdef_mlir::types;
use tfx_ir::diag::{self, Diag};
use tfx_ir::{Op, attribute, location};

use crate::globals::{Field, Globals, quote};
use crate::kinds::{is_handle, is_string};

/// The attribute of a parameter or a result by which the command line calls it.
const NAME: &str = "tfx.name";
/// The function that is run where no other is asked for.
const DEFAULT_ENTRY: &str = "main";

/// The entry function among these; nothing where none is named and none stands out.
///
/// # Errors
/// A name that none of them has.
pub fn find<'a>(
    module: Op<'a>,
    functions: &[Op<'a>],
    name: &str,
) -> Result<Option<Op<'a>>, Diag<'a>> {
    let defined = || {
        functions
            .iter()
            .copied()
            .filter(|function| !function.is_declaration())
    };
    let named = |wanted: &str| defined().find(|function| function.symbol_name() == Some(wanted));
    if !name.is_empty() {
        return named(name).map(Some).ok_or_else(|| {
            let names: Vec<_> = defined()
                .filter_map(|function| function.symbol_name())
                .map(|name| format!("'{name}'"))
                .collect();
            let those = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            diag::error(
                module.location(),
                format!("there is no function '{name}' with a body to run; there is {those}"),
            )
        });
    }
    let public: Vec<_> = defined()
        .filter(|function| !function.is_private())
        .collect();
    Ok(named(DEFAULT_ENTRY).or(match public[..] {
        [only] => Some(only),
        _ => None,
    }))
}

/// The signature of a function with its types as they are in host code, as text.
pub(crate) fn signature(function: Op<'_>) -> String {
    let (inputs, results) = host_types(function);
    format!("({}) -> ({})", inputs.join(", "), results.join(", "))
}

/// Writes the description of the entry.
pub(crate) fn describe<'a>(function: Op<'a>, globals: &mut Globals) -> Result<(), Diag<'a>> {
    let (inputs, results) = function.signature();
    let place = location::place(function.location()).map(|place| place.to_string());
    let parameters = table(
        function,
        globals,
        &inputs,
        "arg",
        "tfx.parameters",
        place.as_deref(),
    )?;
    let outcomes = table(
        function,
        globals,
        &results,
        "res",
        "tfx.results",
        place.as_deref(),
    )?;
    let name = function.symbol_name().unwrap_or_default();
    let fields = [
        Field::Address(globals.c_string(name)),
        address(globals, place.as_deref()),
        Field::I32(inputs.len() as i32),
        Field::I32(results.len() as i32),
        parameters,
        outcomes,
        Field::Address("tfx.entry.call".to_owned()),
    ];
    globals.function(&call_through_slots(function));
    globals.record("tfx.entry", &fields);
    globals.function(
        "llvm.func @tfx_entry() -> !llvm.ptr {\n  %entry = llvm.mlir.addressof @tfx.entry : !llvm.ptr\n  llvm.return %entry : !llvm.ptr\n}\n",
    );
    Ok(())
}

fn address(globals: &mut Globals, text: Option<&str>) -> Field {
    text.map_or(Field::Null, |text| Field::Address(globals.c_string(text)))
}

/// The table of the parameters, or of the results: `kind` is `arg` or `res`.
fn table<'a>(
    function: Op<'a>,
    globals: &mut Globals,
    list: &[Type<'a>],
    kind: &str,
    symbol: &str,
    place: Option<&str>,
) -> Result<Field, Diag<'a>> {
    let names = names(function, list.len(), kind)?;
    let mut rows = Vec::with_capacity(list.len());
    for (&ty, name) in list.iter().zip(&names) {
        let dtype = if is_string(ty) {
            Some(tfx_graphdef::DataType::DtString)
        } else {
            types::data_type(ty)
        };
        let dtype = dtype.ok_or_else(|| {
            diag::error(
                function.location(),
                format!(
                    "'{name}' has type {ty}, which cannot be given or printed by a command line"
                ),
            )
        })?;
        let sizes = types::sizes(ty);
        let dims: Vec<i64> = sizes
            .iter()
            .flatten()
            .map(|size| size.map_or(-1, |size| size as i64))
            .collect();
        rows.push(vec![
            Field::Address(globals.c_string(name)),
            Field::I32(i32::from(is_handle(ty))),
            Field::I32(dtype as i32),
            Field::I32(sizes.as_ref().map_or(-1, |sizes| sizes.len() as i32)),
            globals.sizes(&dims),
            address(globals, place),
        ]);
    }
    Ok(globals.array(symbol, &rows))
}

/// The names of the parameters (`kind` is `arg`), or of the results (`res`), of which there are so many; each is there once.
///
/// # Errors
/// Two of one name.
pub fn names<'a>(function: Op<'a>, count: usize, kind: &str) -> Result<Vec<String>, Diag<'a>> {
    let attributes = function
        .attribute(&format!("{kind}_attrs"))
        .and_then(|list| ArrayAttribute::try_from(list).ok());
    let default = if kind == "arg" { "arg" } else { "result" };
    let names: Vec<_> = (0..count)
        .map(|index| {
            let dictionary = attributes.and_then(|list| list.element(index).ok());
            dictionary
                .and_then(|dictionary| string_of(dictionary, NAME))
                .unwrap_or_else(|| format!("{default}{index}"))
        })
        .collect();
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(twice) => Err(diag::error(
            function.location(),
            format!("two of '{NAME}' are \"{twice}\"; a command line could not tell them apart"),
        )),
        None => Ok(names),
    }
}

/// A string of a dictionary.
fn string_of(dictionary: Attribute<'_>, name: &str) -> Option<String> {
    let entry = DictionaryAttribute::try_from(dictionary)
        .ok()?
        .element_by_name(name)?;
    attribute::text(entry).map(str::to_owned)
}

/// The types of a function's parameters and results in host code.
fn host_types(function: Op<'_>) -> (Vec<String>, Vec<String>) {
    let (inputs, results) = function.signature();
    let text = |ty: Type<'_>| {
        if is_handle(ty) {
            "!llvm.ptr".to_owned()
        } else {
            ty.to_string()
        }
    };
    (
        inputs.into_iter().map(text).collect(),
        results.into_iter().map(text).collect(),
    )
}

/// The function that finds arguments and leaves results through an array of addresses.
fn call_through_slots(function: Op<'_>) -> String {
    let (inputs, results) = host_types(function);
    let mut text = "llvm.func internal @tfx.entry.call(%slots: !llvm.ptr) {\n".to_owned();
    let slot = |text: &mut String, index: usize| {
        write!(
            text,
            "  %p{index} = llvm.getelementptr %slots[{index}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n  \
             %s{index} = llvm.load %p{index} : !llvm.ptr -> !llvm.ptr\n"
        )
        .expect("writing to a string does not fail");
    };
    for (index, ty) in inputs.iter().enumerate() {
        slot(&mut text, index);
        match ty.as_str() {
            "index" => {
                writeln!(text, "  %w{index} = llvm.load %s{index} : !llvm.ptr -> i64\n  %a{index} = arith.index_cast %w{index} : i64 to index")
            }
            _ => writeln!(text, "  %a{index} = llvm.load %s{index} : !llvm.ptr -> {ty}"),
        }
        .expect("writing to a string does not fail");
    }
    let arguments: Vec<_> = (0..inputs.len())
        .map(|index| format!("%a{index}"))
        .collect();
    let name = quote(function.symbol_name().unwrap_or_default().as_bytes());
    let bound = if results.is_empty() {
        String::new()
    } else {
        format!("%r:{} = ", results.len())
    };
    let (types, outcomes) = (inputs.join(", "), results.join(", "));
    writeln!(
        text,
        "  {bound}func.call @{name}({}) : ({types}) -> ({outcomes})",
        arguments.join(", ")
    )
    .expect("writing to a string does not fail");
    for (index, ty) in results.iter().enumerate() {
        let position = inputs.len() + index;
        slot(&mut text, position);
        match ty.as_str() {
            "index" => {
                writeln!(text, "  %o{index} = arith.index_cast %r#{index} : index to i64\n  llvm.store %o{index}, %s{position} : i64, !llvm.ptr")
            }
            _ => writeln!(text, "  llvm.store %r#{index}, %s{position} : {ty}, !llvm.ptr"),
        }
        .expect("writing to a string does not fail");
    }
    text.push_str("  llvm.return\n}\n");
    text
}
