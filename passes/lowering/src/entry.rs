//! The entry: the function that a command line runs, and the names of its parameters and results.
//!
//! ```text
//!   func.func @main(%p: i1 {tfx.name = "p"}) -> (tensor<2xf32> {tfx.name = "r"})
//!        │
//!        ├─ @tfx.entry       TfxEntry {"main", location, parameters, results, @tfx.entry.call,
//!        │                   images}
//!        ├─ @tfx.entry.call  loads the arguments from addresses, calls @main, stores the results
//!        └─ @tfx_entry       returns the address of @tfx.entry; the only external name
//! ```
//!
//! For a process that calls compiled code in memory, each public function is described like this,
//! with its name as a suffix of all symbols: `@tfx_entry.train`.
//!
//! The C types are those of `docs/program-image.md`, section 5. The default names of parameters are
//! `arg0`, `arg1`, ..., those of results `result0`, `result1`, ...

use std::collections::BTreeSet;
use std::fmt::Write;

use melior::ir::Attribute;
use melior::ir::Type;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use tfx_graphdef_mlir::types;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::func;
use tfx_ir::{Op, attribute, location};

use crate::globals::{Field, Globals, quote};
use crate::images::Images;
use crate::kinds::{is_handle, is_string};

/// The attribute with the name of a parameter or a result.
const NAME: &str = "tfx.name";
/// The default entry.
const DEFAULT_ENTRY: &str = "main";

/// Returns the entry among the functions: the one with the name; if the name is empty, `main` or
/// the only public function with a body.
///
/// # Errors
///
/// If no function has the name.
pub fn find<'a>(
    module: Op<'a>,
    functions: &[func::Func<'a>],
    name: &str,
) -> Result<Option<func::Func<'a>>, Diagnostic<'a>> {
    let defined = || {
        functions
            .iter()
            .copied()
            .filter(|function| !function.is_declaration())
    };
    let named = |name: &str| defined().find(|function| function.sym_name() == name);
    if !name.is_empty() {
        return named(name).map(Some).ok_or_else(|| {
            let names: Vec<_> = defined()
                .map(|function| format!("'{}'", function.sym_name()))
                .collect();
            let candidates = match names.len() {
                0 => "there is none".to_owned(),
                1 => format!("there is {}", names[0]),
                _ => format!("there are {}", names.join(", ")),
            };
            diag::error(
                module.location(),
                format!("there is no function '{name}' with a body to run; {candidates}"),
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

/// Returns the signature of a function with its types in host code, as text.
pub(crate) fn signature(function: func::Func<'_>) -> String {
    let (inputs, results) = host_types(function);
    format!("({}) -> ({})", inputs.join(", "), results.join(", "))
}

/// Emits the description of the entry, with `suffix` at the end of its symbols.
pub(crate) fn describe<'a>(
    function: func::Func<'a>,
    suffix: &str,
    images: &Images,
    globals: &mut Globals,
) -> Result<(), Diagnostic<'a>> {
    let symbol = |base: &str| format!("{base}{suffix}");
    // In the order of their names: that of the map is not fixed.
    let images: BTreeSet<_> = images.values().collect();
    let images = images.into_iter().cloned();
    let images: Vec<_> = images.map(|image| vec![Field::Address(image)]).collect();
    let (inputs, results) = function.signature();
    let location = location::place(function.location()).map(|place| place.to_string());
    let location = location.as_deref();
    let names = parameter_names(function)?;
    let parameters = table(
        function,
        globals,
        &symbol("tfx.parameters"),
        &names,
        &inputs,
        location,
    )?;
    let names = result_names(function)?;
    let returned = table(
        function,
        globals,
        &symbol("tfx.results"),
        &names,
        &results,
        location,
    )?;
    let (entry, call) = (symbol("tfx.entry"), symbol("tfx.entry.call"));
    let fields = [
        Field::Address(globals.c_string(function.sym_name())),
        address(globals, location),
        Field::I32(inputs.len() as i32),
        Field::I32(results.len() as i32),
        parameters,
        returned,
        Field::Address(call.clone()),
        Field::I32(images.len() as i32),
        globals.array(&symbol("tfx.images"), &images),
    ];
    globals.function(&call_through_slots(function, &call));
    globals.record(&entry, &fields);
    globals.function(&format!(
        "llvm.func @{}() -> !llvm.ptr {{\n  %entry = llvm.mlir.addressof @{} : !llvm.ptr\n  llvm.return %entry : !llvm.ptr\n}}\n",
        quote(symbol("tfx_entry").as_bytes()),
        quote(entry.as_bytes())
    ));
    Ok(())
}

fn address(globals: &mut Globals, text: Option<&str>) -> Field {
    text.map_or(Field::Null, |text| Field::Address(globals.c_string(text)))
}

/// Emits the table of the parameters or of the results.
fn table<'a>(
    function: func::Func<'a>,
    globals: &mut Globals,
    symbol: &str,
    names: &[String],
    types: &[Type<'a>],
    location: Option<&str>,
) -> Result<Field, Diagnostic<'a>> {
    let mut rows = Vec::with_capacity(names.len());
    for (&ty, name) in types.iter().zip(names) {
        let dtype = if is_string(ty) {
            Some(tfx_graphdef::DataType::DtString)
        } else {
            types::data_type(ty)
        };
        let dtype = dtype.ok_or_else(|| {
            diag::error(
                function.location(),
                format!("'{name}' has type {ty}, which a command line cannot pass or print"),
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
            address(globals, location),
        ]);
    }
    Ok(globals.array(symbol, &rows))
}

/// Returns the names of the parameters of a function.
///
/// # Errors
///
/// If two have the same name, or a name is not a string.
pub fn parameter_names(function: func::Func<'_>) -> Result<Vec<String>, Diagnostic<'_>> {
    let count = function.function_type().input_count();
    names(function, function.arg_attrs(), count, "arg")
}

/// Returns the names of the results of a function.
///
/// # Errors
///
/// If two have the same name, or a name is not a string.
pub fn result_names(function: func::Func<'_>) -> Result<Vec<String>, Diagnostic<'_>> {
    let count = function.function_type().result_count();
    names(function, function.res_attrs(), count, "result")
}

fn names<'a>(
    function: func::Func<'a>,
    attributes: Option<Attribute<'a>>,
    count: usize,
    default: &str,
) -> Result<Vec<String>, Diagnostic<'a>> {
    let attributes = attributes.and_then(|list| ArrayAttribute::try_from(list).ok());
    let name = |index| {
        let dictionary = attributes.and_then(|list| list.element(index).ok());
        match dictionary.and_then(|dictionary| entry_of(dictionary, NAME)) {
            None => Ok(format!("{default}{index}")),
            Some(entry) => attribute::text(entry).map(str::to_owned).ok_or_else(|| {
                diag::error(
                    function.location(),
                    format!("'{NAME}' expects a string, such as \"x\", but is {entry}"),
                )
            }),
        }
    };
    let names = (0..count).map(name).collect::<Result<Vec<_>, _>>()?;
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(twice) => Err(diag::error(
            function.location(),
            format!("'{NAME}' is \"{twice}\" twice; each name must be unique for a command line"),
        )),
        None => Ok(names),
    }
}

/// Returns an entry of a dictionary.
fn entry_of<'a>(dictionary: Attribute<'a>, name: &str) -> Option<Attribute<'a>> {
    let dictionary = DictionaryAttribute::try_from(dictionary).ok()?;
    dictionary.element_by_name(name)
}

/// Returns the types of a function's parameters and results in host code, as text.
fn host_types(function: func::Func<'_>) -> (Vec<String>, Vec<String>) {
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

/// Returns the function that reads arguments and stores results through an array of addresses, as
/// text.
fn call_through_slots(function: func::Func<'_>, symbol: &str) -> String {
    let (inputs, results) = host_types(function);
    let symbol = quote(symbol.as_bytes());
    let mut text = format!("llvm.func internal @{symbol}(%slots: !llvm.ptr) {{\n");
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
    let name = quote(function.sym_name().as_bytes());
    let bound = if results.is_empty() {
        String::new()
    } else {
        format!("%r:{} = ", results.len())
    };
    let (types, returned) = (inputs.join(", "), results.join(", "));
    writeln!(
        text,
        "  {bound}func.call @{name}({}) : ({types}) -> ({returned})",
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
