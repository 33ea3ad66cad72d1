//! The collection of rules, by operation.

use melior::Context;
use melior::ir::{Attribute, Module};
use rustc_hash::FxHashMap;
use tfx_dialects::tensor;
use tfx_ir::ops::func;
use tfx_ir::{Op, module, view};

use crate::rules::variadic;

/// The attribute of a rule with the operands whose cotangents it returns.
const WRT: &str = "tfx_ad.wrt";
/// The prefix of the attributes of a rule that operations must have: `tfx_ad.when.transpose_a`.
const WHEN: &str = "tfx_ad.when.";
/// The attribute of a rule of an operation whose derivative is zero.
const ZERO: &str = "tfx_ad.zero";

/// The files of rules.
const FILES: [(&str, &str); 2] = [
    ("scalars.mlir", include_str!("../../rules/scalars.mlir")),
    ("tensors.mlir", include_str!("../../rules/tensors.mlir")),
];

/// The parsed files, which own the rules.
pub(crate) struct Library<'c>(Vec<Module<'c>>);

impl<'c> Library<'c> {
    pub(crate) fn parse(context: &'c Context) -> Self {
        let parse = |(name, text)| {
            let parsed = module::parse(context, text, name);
            parsed.unwrap_or_else(|| panic!("the rules in '{name}' are valid"))
        };
        Self(FILES.into_iter().map(parse).collect())
    }
}

/// A rule in IR.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'a> {
    pub(crate) function: Op<'a>,
    /// The operands whose cotangents it returns, in order; none: all of them.
    wrt: Option<Vec<i64>>,
    /// The attributes of the operations that it is for.
    when: Vec<(&'a str, Attribute<'a>)>,
    is_zero: bool,
}

impl<'a> Rule<'a> {
    fn read(function: Op<'a>) -> Self {
        let when = function.attributes().into_iter();
        let when = when.filter_map(|(name, wanted)| Some((name.strip_prefix(WHEN)?, wanted)));
        Rule {
            function,
            wrt: view::integers_64(function, WRT),
            when: when.collect(),
            is_zero: function.attribute(ZERO).is_some(),
        }
    }

    /// Returns the position of the cotangent of an operand among the results; none if the
    /// derivative is zero.
    pub(crate) fn position(&self, operand: usize) -> Option<usize> {
        if self.is_zero {
            return None;
        }
        match &self.wrt {
            Some(wrt) => wrt.iter().position(|&index| index == operand as i64),
            None => Some(operand),
        }
    }

    fn is_for(&self, op: Op<'a>) -> bool {
        self.when
            .iter()
            .all(|(name, wanted)| match op.attribute(name) {
                Some(attribute) => attribute == *wanted,
                None => is_default(*wanted),
            })
    }
}

/// Attributes of rules that operations may omit have these values by default in TensorFlow.
fn is_default(attribute: Attribute<'_>) -> bool {
    matches!(attribute.to_string().as_str(), "false" | "0 : i64")
}

/// The rules by the name of the operation.
pub(crate) struct Rules<'a>(FxHashMap<String, Vec<Rule<'a>>>);

impl<'a> Rules<'a> {
    pub(crate) fn new(library: &'a Library<'_>) -> Self {
        let mut rules: FxHashMap<String, Vec<Rule<'a>>> = FxHashMap::default();
        for module in &library.0 {
            let functions = module::as_op(module).children();
            for function in functions.filter(|op| op.isa::<func::Func>()) {
                let name = function.symbol_name().unwrap_or_default();
                rules
                    .entry(operation(name))
                    .or_default()
                    .push(Rule::read(function));
            }
        }
        Self(rules)
    }

    /// Returns the rule for an operation.
    pub(crate) fn find(&self, op: Op<'a>) -> Option<&Rule<'a>> {
        let rules = self.0.get(name(op))?;
        rules.iter().find(|rule| rule.is_for(op))
    }

    /// Returns whether the results of `op` may have a derivative with respect to an operand. If
    /// there is no rule, the answer is yes, and the reversal reports an error.
    pub(crate) fn has_derivative(&self, op: Op<'a>, operand: usize) -> bool {
        if let Some(depends) = variadic::has_derivative(op, operand) {
            return depends;
        }
        self.find(op)
            .is_none_or(|rule| rule.position(operand).is_some())
    }
}

/// Returns the name of an operation in rules: that of TensorFlow, or that of MLIR.
pub(crate) fn name<'a>(op: Op<'a>) -> &'a str {
    match tensor::Op::cast(op) {
        Some(op) => op.tf_name(),
        None => op.name(),
    }
}

/// The dialects whose operations have rules.
const SCALAR_DIALECTS: [&str; 2] = ["arith", "math"];

/// Returns the operation that a rule is for, from the name of its function: without the suffix of
/// an alternative.
fn operation(function: &str) -> String {
    let mut parts = function.split('.');
    let first = parts.next().unwrap_or_default();
    match SCALAR_DIALECTS.contains(&first) {
        true => format!("{first}.{}", parts.next().unwrap_or_default()),
        false => first.to_owned(),
    }
}
