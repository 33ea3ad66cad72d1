//! Opaque functions: those whose derivative does not come from their body.
//!
//! ```text
//!   func @f(struct @M) {...} rule  ──►  in the flat module      func private @f.leaves(leaves) rule
//!                                                               func @f(struct @M) calls it
//!                                       in the program          func @f.leaves(leaves) calls @f
//! ```
//!
//! A function with `tfx_ad.rule` or `tfx_ad.inactive` is a declaration in the flat module, so that
//! no pass inlines it before its rule is applied. Flat code has no structs. A function with structs
//! in its signature, or in those of the functions of its rule, is therefore called through versions
//! of leaves; the rule of the declaration names these.
//!
//! Cost: linear in the leaves of the signatures.

use melior::ir::{Attribute, Type};
use tfx_dialects::derivatives::{INACTIVE, RULE, Rule, rule};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::func;
use tfx_ir::symbols::{SYMBOL_VISIBILITY, SymbolTable};
use tfx_ir::{Block, Builder, Op, Value};

use crate::aggregates::{all_leaves, explode, has_enum, implode, leaves};
use crate::derive::source_name;
use crate::flatten::of_leaves;
use crate::functions::{add_function, block_of};
use crate::tangent::is_differentiable;
use crate::tasks::Mode;
use crate::transposed_rules::source;

/// Returns whether the derivative of a function does not come from its body.
pub(crate) fn is_opaque(op: Op<'_>) -> bool {
    let is_marked = || op.attribute(RULE).is_some() || op.attribute(INACTIVE).is_some();
    op.isa::<func::Func>() && is_marked()
}

/// Declares an opaque function of the program in the flat module. Returns the functions of its rule
/// that may be transposed, by their names in the rule of the declaration.
///
/// # Errors
///
/// A function of the rule has an enum, whose tangent has other leaves than the rest.
pub(crate) fn declare<'a>(
    function: Op<'a>,
    target: Block<'a>,
    program: &mut SymbolTable<'a>,
) -> Result<Vec<(String, Op<'a>)>, Diagnostic<'a>> {
    let rule = rule(function);
    let parts = functions_of(rule.as_ref(), program);
    let has_structs = |op: &Op<'a>| {
        let (parameters, results) = op.signature();
        let types = [parameters, results].concat();
        all_leaves(&types, program) != types
    };
    if !parts.iter().chain([&function]).any(has_structs) {
        add_declaration(function, function.attributes(), target);
        let parts = to_transpose(function, program).into_iter();
        return Ok(parts
            .map(|part| (source_name(part).to_owned(), part))
            .collect());
    }
    if rule.is_some() {
        let types = [function.signature().0, function.signature().1].concat();
        if let Some(ty) = types.into_iter().find(|ty| has_enum(*ty, program)) {
            return Err(enum_in_rule(function, ty));
        }
    }
    let own = leaf_version(function, program);
    let rule = rule.map(|rule| of_leaf_versions(function, &rule, program));
    let mut attributes = own.attributes();
    match rule {
        Some(rule) => attributes.push((RULE, rule)),
        None => attributes.push((INACTIVE, Attribute::unit(function.context()))),
    }
    let name = own.symbol_name().expect("a function has a name");
    let declaration = add_declaration(own, attributes, target);
    adapt(function, name, target, program);
    let parts = to_transpose(function, program).into_iter();
    let names = self::rule(declaration)
        .into_iter()
        .flat_map(|rule| names(&rule));
    Ok(names.map(str::to_owned).zip(parts).collect())
}

/// Returns the functions of the rule of a function that may be transposed.
pub(crate) fn to_transpose<'a>(function: Op<'a>, program: &SymbolTable<'a>) -> Vec<Op<'a>> {
    let names = rule(function).into_iter().flat_map(|rule| names(&rule));
    names.filter_map(|name| program.get(name)).collect()
}

/// Returns the names of the functions of a rule that may be transposed.
fn names<'a>(rule: &Rule<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let modes = [Mode::Reverse, Mode::Forward];
    let names = modes.map(|mode| source(rule, mode));
    names.into_iter().flatten()
}

fn enum_in_rule<'a>(function: Op<'a>, ty: Type<'a>) -> Diagnostic<'a> {
    let name = function.symbol_name().unwrap_or_default();
    let message = format!(
        "the rule of '@{name}' cannot be applied: its signature contains {ty}, an enum or a value with one"
    );
    let note = "pass the parts of the enum to a function of its own, and give that the rule";
    diag::error(function.location(), message).note(function.location(), note)
}

/// Returns the functions that a rule names.
fn functions_of<'a>(rule: Option<&Rule<'a>>, program: &SymbolTable<'a>) -> Vec<Op<'a>> {
    let names = rule.map_or([None; 3], |rule| [rule.forward, rule.backward, rule.jvp]);
    let functions = names.into_iter().flatten();
    functions.filter_map(|name| program.get(name)).collect()
}

/// Adds a private declaration with the signature of a function.
fn add_declaration<'a>(
    function: Op<'a>,
    attributes: Vec<(&'a str, Attribute<'a>)>,
    target: Block<'a>,
) -> Op<'a> {
    let mut builder = Builder::at_end(target, function.location());
    let mut declaration = builder.op(function.name()).regions(1);
    for (name, value) in attributes {
        declaration = declaration.attribute(name, value);
    }
    let declaration = declaration.build();
    declaration.set_string(SYMBOL_VISIBILITY, "private");
    declaration
}

/// Adds a function of leaves that calls `function` to the program.
fn leaf_version<'a>(function: Op<'a>, program: &mut SymbolTable<'a>) -> Op<'a> {
    let name = function.symbol_name().expect("a function has a name");
    let name = program.unique_name(&format!("{name}.leaves"));
    let version = of_leaves(function, &name, block_of(program), program);
    program.insert(version);
    version
}

/// Returns a rule in terms of leaves.
fn of_leaf_versions<'a>(
    function: Op<'a>,
    rule: &Rule<'a>,
    program: &mut SymbolTable<'a>,
) -> Attribute<'a> {
    let (parameters, _) = function.signature();
    let (mut all, mut wrt) = (Vec::new(), Vec::new());
    for (index, ty) in parameters.into_iter().enumerate() {
        let first = all.len();
        leaves(ty, program, &mut all);
        if rule.wrt.contains(&index) {
            let positions = first..all.len();
            wrt.extend(positions.filter(|&leaf| is_differentiable(all[leaf])));
        }
    }
    let wrt: Vec<_> = wrt.iter().map(usize::to_string).collect();
    let mut text = format!("#tfx_ad.rule<wrt = [{}]", wrt.join(", "));
    let names = [
        ("forward", rule.forward),
        ("backward", rule.backward),
        ("jvp", rule.jvp),
    ];
    for (role, name) in names {
        if let Some(part) = name.and_then(|name| program.get(name)) {
            let version = leaf_version(part, program);
            let name = version.symbol_name().expect("a function has a name");
            text += &format!(", {role} = @{name:?}");
        }
    }
    Attribute::parse(function.context(), &(text + ">")).expect("the dialect prints rules so")
}

/// Adds a function with the signature of `function` that calls the function of leaves `callee`.
fn adapt<'a>(function: Op<'a>, callee: &str, target: Block<'a>, program: &SymbolTable<'a>) {
    let location = function.location();
    let (parameters, results) = function.signature();
    let arguments: Vec<_> = parameters.iter().map(|ty| (*ty, location)).collect();
    let body = Block::new(&arguments);
    let mut builder = Builder::at_end(body, location);
    let mut given: Vec<Value<'a>> = Vec::new();
    for argument in body.arguments() {
        explode(&mut builder, argument, program, &mut given);
    }
    let types = all_leaves(&results, program);
    let call = func::Call::build(&mut builder, &types, callee, &given);
    let mut returned = call.results();
    let results = results
        .iter()
        .map(|ty| implode(&mut builder, *ty, program, &mut returned));
    let results: Vec<_> = results.collect();
    let name = function.symbol_name().expect("a function has a name");
    add_function(target, name, body, &results, location);
}
