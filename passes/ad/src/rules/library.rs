//! The collection of rules, by operation.

use std::cell::RefCell;
use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Module};
use rustc_hash::FxHashMap;
use tfx_dialects::tensor;
use tfx_graphdef::Registry;
use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef_mlir::attributes;
use tfx_ir::cast::Cast;
use tfx_ir::ops::func;
use tfx_ir::{Op, module, view};

use crate::rules::variadic;

/// The attribute of a rule with the operands whose cotangents it returns.
const WRT: &str = "tfx_ad.wrt";
/// The prefix of the attributes of a rule that operations must have: `tfx_ad.when.transpose_a`.
const WHEN: &str = "tfx_ad.when.";
/// The attribute of a rule of an operation whose derivative is zero.
const ZERO: &str = "tfx_ad.zero";
/// The attribute of a rule with the results whose cotangents are zero.
const UNUSED: &str = "tfx_ad.unused";
/// The attribute of a rule with other operations that it is for.
const ALSO: &str = "tfx_ad.also";
/// The attribute of a rule with the operand whose element type `f32` stands for.
const OTHER: &str = "tfx_ad.other";
/// The attribute of a function that rules call.
pub(crate) const HELPER: &str = "tfx_ad.helper";

/// The name and the text of a file.
macro_rules! file {
    ($name:literal) => {
        (
            concat!($name, ".mlir"),
            include_str!(concat!("../../rules/", $name, ".mlir")),
        )
    };
}

/// The files of rules.
static FILES: [(&str, &str); 12] = [
    file!("checkpoints"),
    file!("elementwise"),
    file!("helpers"),
    file!("images"),
    file!("indexing"),
    file!("losses"),
    file!("matrices"),
    file!("normalization"),
    file!("products"),
    file!("reductions"),
    file!("scalars"),
    file!("shapes"),
];

/// The parsed files, which own the rules.
pub(crate) struct Library<'c>(Vec<Module<'c>>);

impl<'c> Library<'c> {
    pub(crate) fn parse(context: &'c Context) -> Self {
        let parse = |(name, text): (&str, &str)| {
            let text = replaced(name).unwrap_or_else(|| text.to_owned());
            let parsed = module::parse(context, &text, name);
            parsed.unwrap_or_else(|| panic!("the rules in '{name}' are valid"))
        };
        Self(FILES.into_iter().map(parse).collect())
    }
}

/// Returns the names and the texts of the files of rules.
pub fn files() -> &'static [(&'static str, &'static str)] {
    &FILES
}

thread_local! {
    /// The file that [`with_rules`] replaces, and its text.
    static REPLACED: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

fn replaced(file: &str) -> Option<String> {
    REPLACED.with_borrow(|replaced| match replaced {
        Some((name, text)) if name == file => Some(text.clone()),
        _ => None,
    })
}

/// Calls a function while a file of rules has another text on this thread: tests of rules must
/// notice.
pub fn with_rules<R>(file: &str, text: &str, call: impl FnOnce() -> R) -> R {
    /// Restores the rules, also after a panic.
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            REPLACED.set(None);
        }
    }
    REPLACED.set(Some((file.to_owned(), text.to_owned())));
    let _restore = Restore;
    call()
}

/// A rule in IR.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'a> {
    pub(crate) function: Op<'a>,
    /// The operands whose cotangents it returns, in order; none: all of them.
    wrt: Option<Vec<i64>>,
    /// The attributes of the operations that it is for, each with its possible values.
    when: Vec<(&'a str, Vec<Value>)>,
    /// The operand whose element type `f32` stands for.
    other: Option<usize>,
    /// The results whose cotangents are zero.
    unused: Vec<i64>,
    is_zero: bool,
}

impl<'a> Rule<'a> {
    fn read(function: Op<'a>) -> Self {
        let when = function.attributes().into_iter();
        let when =
            when.filter_map(|(name, wanted)| Some((name.strip_prefix(WHEN)?, values(wanted))));
        Rule {
            function,
            wrt: view::integers_64(function, WRT),
            when: when.collect(),
            other: function.integer(OTHER).map(|operand| operand as usize),
            unused: view::integers_64(function, UNUSED).unwrap_or_default(),
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

    /// Returns the operand whose element type `f32` stands for in the rule.
    pub(crate) fn other(&self) -> Option<usize> {
        self.other
    }

    /// Returns whether the rule is for an operation. An attribute that the operation omits has
    /// TensorFlow's default.
    fn is_for(&self, op: Op<'a>) -> bool {
        self.when.iter().all(|(name, wanted)| {
            let value = match op.attribute(name) {
                Some(attribute) => value(attribute),
                None => default(self::name(op), name),
            };
            value.is_some_and(|value| wanted.contains(&value))
        })
    }
}

/// Returns the values that an attribute of a rule lists, or its only one.
fn values(attribute: Attribute<'_>) -> Vec<Value> {
    let Some(list) = ArrayAttribute::cast(attribute) else {
        return value(attribute).into_iter().collect();
    };
    let elements = (0..list.len()).filter_map(|index| list.element(index).ok());
    elements.filter_map(value).collect()
}

/// Returns the value of an attribute in TensorFlow.
fn value(attribute: Attribute<'_>) -> Option<Value> {
    let value = attributes::attribute(attribute, None, &str::to_owned).ok()?;
    value.value
}

/// Returns the value of an attribute that an operation omits.
fn default(op: &str, name: &str) -> Option<Value> {
    let mut attributes = Registry::get().lookup(op)?.attr.iter();
    let attribute = attributes.find(|attribute| attribute.name == name)?;
    attribute.default_value.as_ref()?.value.clone()
}

/// The rules by the name of the operation, and the functions that they call.
pub(crate) struct Rules<'a> {
    rules: BTreeMap<String, Vec<Rule<'a>>>,
    helpers: FxHashMap<&'a str, Op<'a>>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(library: &'a Library<'_>) -> Self {
        let mut all = Self {
            rules: BTreeMap::new(),
            helpers: FxHashMap::default(),
        };
        for module in &library.0 {
            let functions = module::as_op(module).children();
            for function in functions.filter(|op| op.isa::<func::Func>()) {
                all.add(function);
            }
        }
        all
    }

    fn add(&mut self, function: Op<'a>) {
        let name = function.symbol_name().unwrap_or_default();
        if function.attribute(HELPER).is_some() {
            // Another file may declare it.
            if !function.is_declaration() {
                self.helpers.insert(name, function);
            }
            return;
        }
        let others = view::strings(function, ALSO)
            .unwrap_or_default()
            .into_iter();
        for name in others.map(str::to_owned).chain([operation(name)]) {
            self.rules
                .entry(name)
                .or_default()
                .push(Rule::read(function));
        }
    }

    /// Returns a rule for an operation.
    pub(crate) fn find(&self, op: Op<'a>) -> Option<&Rule<'a>> {
        self.find_for(op, |_| true)
    }

    /// Returns the rule for an operation, some of whose results have the cotangent zero.
    pub(crate) fn find_for(
        &self,
        op: Op<'a>,
        is_zero: impl Fn(usize) -> bool,
    ) -> Option<&Rule<'a>> {
        let mut rules = self.rules.get(name(op))?.iter();
        let is_unused =
            |rule: &Rule<'a>| rule.unused.iter().all(|&result| is_zero(result as usize));
        rules.find(|rule| rule.is_for(op) && is_unused(rule))
    }

    /// Returns a function that rules call.
    pub(crate) fn helper(&self, name: &str) -> Op<'a> {
        self.helpers[name]
    }

    /// Returns the names of the operations with a rule, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.rules.keys().map(String::as_str).collect();
        names.extend(variadic::NAMES.iter().map(|(name, _)| *name));
        names.sort_unstable();
        names
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
const DIALECTS: [&str; 3] = ["arith", "math", "tfx_ad"];

/// Returns the operation that a rule is for, from the name of its function: without the suffix of
/// an alternative.
fn operation(function: &str) -> String {
    let mut parts = function.split('.');
    let first = parts.next().unwrap_or_default();
    match DIALECTS.contains(&first) {
        true => format!("{first}.{}", parts.next().unwrap_or_default()),
        false => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use melior::dialect::DialectRegistry;
    use melior::utility::register_all_dialects;
    use tfx_dialects::ad;
    use tfx_ir::ops::arith;

    use super::*;
    use crate::tangent::is_differentiable;

    /// The operations on floats that rules in Rust build, and those of `tfx_ad.sum_to`.
    const BUILT: [&str; 16] = [
        "AddV2",
        "BroadcastTo",
        "Cast",
        "ConcatV2",
        "Einsum",
        "ExpandDims",
        "Fill",
        "GatherV2",
        "Identity",
        "Pack",
        "Reshape",
        "Slice",
        "Sum",
        "Unpack",
        "arith.select",
        "tfx_ad.push",
    ];

    #[test]
    fn each_operation_of_a_rule_has_a_rule() {
        let context = Context::new();
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        tfx_dialects::register(&registry);
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        let library = Library::parse(&context);
        let rules = Rules::new(&library);
        let bodies = library
            .0
            .iter()
            .flat_map(|module| module::as_op(module).walk());
        let is_plain = |op: &Op<'_>| {
            !op.isa::<func::Func>()
                && !op.isa::<func::Return>()
                && !op.isa::<func::Call>()
                && !op.isa::<ad::SumTo>()
                && !op.isa::<arith::Constant>()
        };
        let has_floats = |op: &Op<'_>| {
            let is_float = |value: tfx_ir::Value<'_>| is_differentiable(value.ty());
            op.operands().any(is_float) && op.results().any(is_float)
        };
        let used = bodies
            .filter(is_plain)
            .filter(has_floats)
            .filter(|op| variadic::has_derivative(*op, 0).is_none() && rules.find(*op).is_none());
        let mut missing: Vec<_> = used.map(name).collect();
        let names = rules.names();
        missing.extend(BUILT.into_iter().filter(|name| !names.contains(name)));
        assert_eq!(missing, [""; 0]);
    }
}
