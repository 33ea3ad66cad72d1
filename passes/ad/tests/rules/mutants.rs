//! Mutants of the rules: wrong rules, which the judges of right ones must reject.
//!
//! ```text
//!   rules/*.mlir ──> statements ──> mutants ──tfx_ad::with_rules──> judges: killed, or survived
//!
//!   %a = "Mul"(%dz, %y)      "Div"(%dz, %y)    %dz    %y          another operation, a term dropped
//!   %d = "Sub"(%x, %z)       "Sub"(%z, %x)                        operands swapped
//!   {adj_x = true}           {adj_x = false}                      an attribute flipped
//!   dense<2.0>               dense<3.0>    dense<-2.0>            a constant changed
//!   return %dx, %dy          return %dy, %dx                      results swapped
//! ```
//!
//! A text that MLIR rejects is not a mutant. A mutant of a helper is judged by all operations whose
//! rules call it. The mutants that no test can kill are listed with the reason; the test fails if
//! another one survives, or if one of the list is killed.
//!
//! Cost: a few programs for each mutant, since most are killed by the first example.

use std::collections::{BTreeMap, BTreeSet};

use melior::Context;
use tfx_ir::diag::Collector;
use tfx_ir::module;

/// A file of no rules: the distances of checkpoints, whose mutants are in `fuzz/mutants/ad.toml`.
const DISTANCES: &str = "checkpoints.mlir";

/// A statement of a rule, on one line.
#[derive(Clone, Debug)]
struct Statement {
    /// The place in the file.
    start: usize,
    end: usize,
    text: String,
}

/// A function of a file of rules.
#[derive(Clone, Debug)]
struct Function {
    file: &'static str,
    name: String,
    is_helper: bool,
    /// Other operations that the rule is for.
    also: Vec<String>,
    statements: Vec<Statement>,
}

/// A wrong rule.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) file: &'static str,
    /// The function, the statement and what is in its place.
    pub(crate) name: String,
    /// The operations whose examples judge it.
    pub(crate) ops: Vec<String>,
    /// The text of the file.
    pub(crate) text: String,
}

impl Mutant {
    /// Returns whether no judge runs the difference.
    pub(crate) fn is_untested(&self) -> bool {
        self.file == "images.mlir" && UNTESTED.iter().any(|name| self.name.contains(name))
    }

    /// Returns whether MLIR accepts the rule.
    pub(crate) fn is_valid(&self, context: &Context) -> bool {
        let _messages = Collector::new(context);
        module::parse(context, &self.text, self.file).is_some()
    }
}

/// Attributes of operations on images: TensorFlow's kernels for CPUs know one data format and no
/// gradients of dilated convolutions, and there is no second gradient of pooling with explicit
/// paddings.
const UNTESTED: &[&str] = &["data_format", "dilations", "explicit_paddings"];

/// Returns whether a mutant is known to compute the same.
pub(crate) fn is_equivalent(name: &str) -> bool {
    let mut all = EQUIVALENT.iter().flat_map(|(_, names)| *names);
    all.any(|listed| *listed == name)
}

/// The mutants that compute the same, by the reason.
const EQUIVALENT: &[(&str, &[&str])] = &[
    (
        "differs for an infinite cotangent only, of which nothing is promised",
        &[
            "@MulNoNan: %a: \"Mul\"(%dz, for \"MulNoNan\"(%dz,",
            "@MulNoNan: %a: \"MulNoNan\"(%y, %dz) for \"MulNoNan\"(%dz, %y)",
        ],
    ),
    (
        "the number is an integer, except for rounding",
        &["@TruncateMod: %r becomes %q", "@arith.remf: %c becomes %b"],
    ),
    (
        "a constant that is the other operand, too",
        &["@Gather: %n: %axis, %zero) for %zero, %axis)"],
    ),
    (
        "a list of one size, of one element",
        &[
            "@GatherV2.one: %flat: dense<1> for dense<-1>",
            "@GatherV2.batches: %flat: dense<1> for dense<-1>",
            "@UnsortedSegmentSum: %flat: dense<1> for dense<-1>",
        ],
    ),
    (
        "the rule is for operations that have the attribute, and not with the value 0",
        &[
            "@GatherV2.batches: %batches: dense<1> for dense<0>",
            "@GatherV2.batches: %below: \"LessEqual\"(%batches, for \"Less\"(%batches,",
        ],
    ),
    (
        "the last axis of a matrix is 1",
        &[
            "@SoftmaxCrossEntropyWithLogits.loss: %last: dense<1> for dense<-1>",
            "@SoftmaxCrossEntropyWithLogits.both: %last: dense<1> for dense<-1>",
            "@SparseSoftmaxCrossEntropyWithLogits.loss: %last: dense<1> for dense<-1>",
            "@SparseSoftmaxCrossEntropyWithLogits.both: %last: dense<1> for dense<-1>",
        ],
    ),
    (
        "a logarithm of a probability is not positive",
        &[
            "@SoftmaxCrossEntropyWithLogits.loss: %n: \"Abs\"(%s) for \"Neg\"(%s)",
            "@SoftmaxCrossEntropyWithLogits.both: %n: \"Abs\"(%s) for \"Neg\"(%s)",
        ],
    ),
    (
        "the two signs cancel",
        &["@half_lower: %y: \"Sub\"(%c, %a) for \"Sub\"(%a, %c)"],
    ),
    (
        "two zeros of one shape, or two values of which the shape is read",
        &[
            "@FusedBatchNormV3.training: return: %zv, %zm for %zm, %zv",
            "@FusedBatchNormV3.training_last: %e:3: %v, %m, for %m, %v,",
            "@FusedBatchNormV3.training_first: %e:3: %v, %m, for %m, %v,",
        ],
    ),
    (
        "the factor is divided out again, or compared with 0",
        &[
            "@Prod: %one: dense<2.0> for dense<1.0>",
            "@Prod: %one: dense<-1.0> for dense<1.0>",
            "@Prod: %others: \"Sub\"(%o, %n) for \"Sub\"(%n, %o)",
        ],
    ),
    (
        "the number is 1 or -1, and its sign is replaced or divided by",
        &[
            "@math.copysign: %one: -1.0 for 1.0",
            "@math.copysign: %c: %c = arith.divf for %c = arith.mulf",
            "@math.copysign: %dx: %dx = arith.divf for %dx = arith.mulf",
        ],
    ),
    (
        "TensorFlow's kernels for CPUs know one data format",
        &[
            "@SpaceToDepth: %dx: {tfx_ad.copy = [\"block_size\"]} for \
             {tfx_ad.copy = [\"block_size\", \"data_format\"]}",
            "@DepthToSpace: %dx: {tfx_ad.copy = [\"block_size\"]} for \
             {tfx_ad.copy = [\"block_size\", \"data_format\"]}",
        ],
    ),
    (
        "the diagonals are zero, wherever they are aligned",
        &["@MatrixSetDiagV3: %dx: {tfx_ad.copy = []} for {tfx_ad.copy = [\"align\"]}"],
    ),
];

/// Returns all mutants of all rules, in the order of the files.
pub(crate) fn mutants() -> Vec<Mutant> {
    let files = tfx_ad::rule_files();
    let functions: Vec<_> = files
        .iter()
        .filter(|(file, _)| *file != DISTANCES)
        .flat_map(|(file, text)| functions(file, text))
        .collect();
    let ops = judges(&functions);
    let mut mutants = Vec::new();
    for function in &functions {
        let (_, text) = files
            .iter()
            .find(|(file, _)| *file == function.file)
            .expect("it is from a file");
        let mut seen = BTreeSet::new();
        for (at, statement) in function.statements.iter().enumerate() {
            for replacement in replacements(statement, &function.statements[at + 1..]) {
                let name = format!("@{}: {replacement}", function.name);
                if seen.insert(name.clone()) {
                    mutants.push(Mutant {
                        file: function.file,
                        name,
                        ops: ops[&function.name].iter().cloned().collect(),
                        text: replacement.apply(text),
                    });
                }
            }
        }
    }
    mutants
}

/// Splits a file into its functions with a body.
fn functions(file: &'static str, text: &str) -> Vec<Function> {
    const HEAD: &str = "func.func private @";
    let mut functions = Vec::new();
    for (start, _) in text.match_indices(HEAD) {
        let rest = &text[start + HEAD.len()..];
        let end = rest
            .find(HEAD)
            .map_or(text.len(), |end| start + HEAD.len() + end);
        let (Some(body), Some(close)) =
            (text[start..end].find(" {\n"), text[start..end].rfind("\n}"))
        else {
            continue; // A declaration.
        };
        let head = text[start..start + body].replace('\n', " ");
        let name = &rest[..rest.find('(').unwrap_or(0)];
        functions.push(Function {
            file,
            name: name.to_owned(),
            is_helper: head.contains("tfx_ad.helper"),
            also: list(&head, "tfx_ad.also = ["),
            statements: statements(text, start + body + " {\n".len(), start + close),
        });
    }
    functions
}

/// Returns the strings of a list that follows `before`.
fn list(text: &str, before: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once(before) else {
        return Vec::new();
    };
    let inner = rest.split(']').next().unwrap_or("");
    let names = inner.split(',').map(|name| name.trim().trim_matches('"'));
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Joins the lines of each statement.
fn statements(text: &str, start: usize, end: usize) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    let mut at = start;
    for line in text[start..=end].split_inclusive('\n') {
        let next = at + line.len();
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("//") {
            at = next;
            continue;
        }
        let is_new = line.starts_with("  %") || line.starts_with("  return");
        match statements.last_mut() {
            Some(last) if !is_new => {
                last.text = format!("{} {trimmed}", last.text);
                last.end = next;
            }
            _ => statements.push(Statement {
                start: at,
                end: next,
                text: trimmed.to_owned(),
            }),
        }
        at = next;
    }
    statements
}

/// Returns the operations whose examples judge each function.
fn judges(functions: &[Function]) -> BTreeMap<String, BTreeSet<String>> {
    let mut ops: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for function in functions {
        let own = ops.entry(function.name.clone()).or_default();
        if !function.is_helper {
            own.insert(operation(&function.name));
            own.extend(function.also.iter().cloned());
        }
    }
    // A helper may call another one.
    loop {
        let mut changed = false;
        for function in functions {
            let own = ops[&function.name].clone();
            let calls = function.statements.iter().filter_map(|statement| {
                let (_, rest) = statement.text.split_once("func.call @")?;
                Some(rest.split('(').next()?.to_owned())
            });
            for callee in calls {
                let judges = ops.entry(callee).or_default();
                let before = judges.len();
                judges.extend(own.iter().cloned());
                changed |= judges.len() > before;
            }
        }
        if !changed {
            return ops;
        }
    }
}

/// Returns the operation of a rule, without the suffix of an alternative.
fn operation(function: &str) -> String {
    const DIALECTS: [&str; 3] = ["arith", "math", "tfx_ad"];
    let mut parts = function.split('.');
    let first = parts.next().unwrap_or_default();
    match DIALECTS.contains(&first) {
        true => format!("{first}.{}", parts.next().unwrap_or_default()),
        false => first.to_owned(),
    }
}

/// Another text for a statement.
struct Replacement {
    statement: Statement,
    text: String,
    /// A value and the one that replaces it in later statements, if the statement is dropped.
    uses: Option<(String, String, Vec<Statement>)>,
}

impl std::fmt::Display for Replacement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.statement.text.split(" = ").next().unwrap_or_default();
        if let Some((_, operand, _)) = &self.uses {
            return write!(formatter, "{value} becomes {operand}");
        }
        let [old, new]: [Vec<_>; 2] =
            [&self.statement.text, &self.text].map(|text| text.split(' ').collect());
        let common = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let most = old.len().min(new.len()) - common;
        let pairs = old.iter().rev().zip(new.iter().rev());
        let last = pairs.take(most).take_while(|(a, b)| a == b).count();
        // With the name of an attribute.
        let first = match old[..common] {
            [.., "="] => common - 2,
            _ => common,
        };
        let part = |words: &[&str]| words[first..words.len() - last].join(" ");
        match value.starts_with("return") {
            true => write!(formatter, "return: {} for {}", part(&new), part(&old)),
            false => write!(formatter, "{value}: {} for {}", part(&new), part(&old)),
        }
    }
}

impl Replacement {
    /// Returns the text of the file with the replacement.
    fn apply(&self, file: &str) -> String {
        let mut text = file.to_owned();
        if let Some((from, to, later)) = &self.uses {
            for statement in later.iter().rev() {
                let changed = rename(&statement.text, from, to);
                text.replace_range(statement.start..statement.end, &format!("  {changed}\n"));
            }
        }
        let own = format!("  {}\n", self.text);
        text.replace_range(self.statement.start..self.statement.end, &own);
        text
    }
}

/// Replaces a value by another one.
fn rename(text: &str, from: &str, to: &str) -> String {
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let after = &rest[at + from.len()..];
        let is_whole = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || "_#:".contains(c));
        renamed += &rest[..at];
        renamed += if is_whole { to } else { from };
        rest = after;
    }
    renamed + rest
}

/// Operations, each with others that take the same operands.
const SIBLINGS: &[(&str, &[&str])] = &[
    ("\"Mul\"", &["\"Div\"", "\"AddV2\""]),
    ("\"Div\"", &["\"Mul\""]),
    ("\"AddV2\"", &["\"Sub\"", "\"Mul\""]),
    ("\"Sub\"", &["\"AddV2\""]),
    ("\"MulNoNan\"", &["\"Mul\""]),
    ("\"DivNoNan\"", &["\"Div\""]),
    ("\"Xdivy\"", &["\"Div\""]),
    ("\"Neg\"", &["\"Abs\""]),
    ("\"Square\"", &["\"Abs\""]),
    ("\"Reciprocal\"", &["\"Neg\""]),
    ("\"Sqrt\"", &["\"Rsqrt\""]),
    ("\"Rsqrt\"", &["\"Sqrt\""]),
    ("\"Exp\"", &["\"Expm1\""]),
    ("\"Log\"", &["\"Log1p\""]),
    ("\"Sin\"", &["\"Cos\""]),
    ("\"Cos\"", &["\"Sin\""]),
    ("\"Sinh\"", &["\"Cosh\""]),
    ("\"Cosh\"", &["\"Sinh\""]),
    ("\"Sum\"", &["\"Mean\"", "\"Max\""]),
    ("\"Mean\"", &["\"Sum\""]),
    ("\"Prod\"", &["\"Sum\""]),
    ("\"Any\"", &["\"All\""]),
    ("\"Maximum\"", &["\"Minimum\""]),
    ("\"Less\"", &["\"LessEqual\"", "\"Greater\""]),
    ("\"LessEqual\"", &["\"Less\"", "\"GreaterEqual\""]),
    ("\"Greater\"", &["\"GreaterEqual\"", "\"Less\""]),
    ("\"GreaterEqual\"", &["\"Greater\"", "\"LessEqual\""]),
    ("\"Equal\"", &["\"NotEqual\""]),
    ("\"NotEqual\"", &["\"Equal\""]),
    ("\"LogicalOr\"", &["\"LogicalAnd\""]),
    ("\"FloorMod\"", &["\"TruncateMod\""]),
    ("\"FloorDiv\"", &["\"Mul\""]),
    ("\"Softmax\"", &["\"LogSoftmax\""]),
    ("\"LogSoftmax\"", &["\"Softmax\""]),
    ("\"ReluGrad\"", &["\"Relu6Grad\""]),
    ("\"Relu6Grad\"", &["\"ReluGrad\""]),
    ("\"TanhGrad\"", &["\"SigmoidGrad\""]),
    ("\"SigmoidGrad\"", &["\"TanhGrad\""]),
    ("\"UnsortedSegmentSum\"", &["\"UnsortedSegmentMax\""]),
    ("\"InvertPermutation\"", &["\"Identity\""]),
    ("arith.mulf", &["arith.divf", "arith.addf"]),
    ("arith.divf", &["arith.mulf"]),
    ("arith.addf", &["arith.subf"]),
    ("arith.subf", &["arith.addf"]),
    ("arith.ori", &["arith.andi"]),
    ("tfx_ad.scale", &["arith.mulf"]),
    ("math.sin", &["math.cos"]),
    ("math.cos", &["math.sin"]),
    ("math.sinh", &["math.cosh"]),
    ("math.cosh", &["math.sinh"]),
    ("math.exp", &["math.expm1"]),
    ("math.log", &["math.log1p"]),
    ("math.sqrt", &["math.cbrt"]),
    ("cmpf olt", &["cmpf ole", "cmpf ogt"]),
    ("cmpf ole", &["cmpf olt", "cmpf oge"]),
    ("cmpf ogt", &["cmpf oge", "cmpf olt"]),
    ("cmpf oge", &["cmpf ogt", "cmpf ole"]),
    ("cmpf oeq", &["cmpf une"]),
    ("cmpf une", &["cmpf oeq"]),
    ("cmpf ueq", &["cmpf oeq"]),
    ("cmpf uge", &["cmpf oge", "cmpf ugt"]),
    ("cmpf ule", &["cmpf ole", "cmpf ult"]),
    ("= true", &["= false"]),
    ("= false", &["= true"]),
    (" {tfx_ad.matrices}", &[""]),
    (" {tfx_ad.result = 1 : i64}", &[""]),
];

/// Operations whose operands may be exchanged.
const COMMUTATIVE: &[&str] = &[
    "\"Mul\"",
    "\"AddV2\"",
    "\"Maximum\"",
    "\"Equal\"",
    "\"NotEqual\"",
    "\"LogicalOr\"",
    "arith.mulf",
    "arith.addf",
    "arith.ori",
    "oeq",
    "une",
    "ueq",
];

/// Returns the replacements of a statement, which `later` follow.
fn replacements(statement: &Statement, later: &[Statement]) -> Vec<Replacement> {
    let text = &statement.text;
    let mut texts = Vec::new();
    for (from, others) in SIBLINGS {
        let is_whole = |at: usize| {
            let after = &text[at + from.len()..];
            !after.starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        for (at, _) in text.match_indices(from).filter(|(at, _)| is_whole(*at)) {
            for other in *others {
                texts.push(format!(
                    "{}{other}{}",
                    &text[..at],
                    &text[at + from.len()..]
                ));
            }
        }
    }
    texts.extend(swapped(text));
    texts.extend(constants(text));
    texts.extend(with_fewer_attributes(text));
    let plain = |text: String| Replacement {
        statement: statement.clone(),
        text,
        uses: None,
    };
    let mut all: Vec<_> = texts.into_iter().map(plain).collect();
    all.extend(dropped(statement, later));
    all
}

/// Returns the operands of a statement, and the place of their list.
fn operands(text: &str) -> Option<(usize, usize, Vec<&str>)> {
    let right = match text.strip_prefix("return ") {
        Some(_) => "return ".len(),
        None => text.find(" = ")? + " = ".len(),
    };
    let start = right + text[right..].find('%')?;
    let end = start + text[start..].find([')', ':', '{'])?;
    let list = text[start..end].trim_end();
    Some((start, start + list.len(), list.split(", ").collect()))
}

/// Returns the types of operands and the type of the result.
fn types(text: &str, count: usize) -> Option<(Vec<String>, String)> {
    let (_, signature) = text.rsplit_once(" : ")?;
    match signature.rsplit_once(" -> ") {
        Some((from, to)) => {
            let from = from.trim().trim_start_matches('(').trim_end_matches(')');
            Some((from.split(", ").map(str::to_owned).collect(), to.to_owned()))
        }
        // All have one type, or each its own in a return.
        None if text.starts_with("return") => Some((
            signature.split(", ").map(str::to_owned).collect(),
            String::new(),
        )),
        None => Some((vec![signature.to_owned(); count], signature.to_owned())),
    }
}

/// Returns the statement with each two neighbours of one type exchanged.
fn swapped(text: &str) -> Vec<String> {
    let Some((start, end, operands)) = operands(text) else {
        return Vec::new();
    };
    let Some((types, _)) = types(text, operands.len()) else {
        return Vec::new();
    };
    if operands.len() != types.len() || COMMUTATIVE.iter().any(|name| text.contains(name)) {
        return Vec::new();
    }
    let pairs = (1..operands.len())
        .filter(|&at| types[at - 1] == types[at] && operands[at - 1] != operands[at]);
    pairs
        .map(|at| {
            let mut operands = operands.clone();
            operands.swap(at - 1, at);
            format!("{}{}{}", &text[..start], operands.join(", "), &text[end..])
        })
        .collect()
}

/// Returns the statement with other numbers in a constant.
fn constants(text: &str) -> Vec<String> {
    let place = ["dense<[", "dense<", "arith.constant "].into_iter();
    let Some(start) = place
        .filter_map(|before| Some(text.find(before)? + before.len()))
        .max()
    else {
        return Vec::new();
    };
    let is_number = |c: char| c.is_ascii_digit() || "-+.e".contains(c);
    let end = start + text[start..].find(|c| !is_number(c)).unwrap_or(0);
    let Ok(number) = text[start..end].parse::<f64>() else {
        return Vec::new();
    };
    let is_float = text[start..end].contains(['.', 'e']);
    let others = match number == 0.0 {
        true => vec![1.0],
        false => vec![number + 1.0, -number],
    };
    let written = |other: f64| match is_float {
        true => format!("{other:?}"),
        false => format!("{}", other as i64),
    };
    others
        .into_iter()
        .map(|other| format!("{}{}{}", &text[..start], written(other), &text[end..]))
        .collect()
}

/// Returns the statement with each copied attribute left out.
fn with_fewer_attributes(text: &str) -> Vec<String> {
    const COPY: &str = "tfx_ad.copy = [";
    let Some(start) = text.find(COPY).map(|at| at + COPY.len()) else {
        return Vec::new();
    };
    let end = start + text[start..].find(']').unwrap_or(0);
    let names: Vec<_> = text[start..end].split(", ").collect();
    (0..names.len())
        .map(|left_out| {
            let others = names.iter().enumerate().filter(|(at, _)| *at != left_out);
            let others: Vec<_> = others.map(|(_, name)| *name).collect();
            format!("{}{}{}", &text[..start], others.join(", "), &text[end..])
        })
        .collect()
}

/// Returns, for each operand of the type of the result, that operand in place of the result.
fn dropped(statement: &Statement, later: &[Statement]) -> Vec<Replacement> {
    let text = &statement.text;
    let (Some((value, _)), Some((_, _, operands))) = (text.split_once(" = "), operands(text))
    else {
        return Vec::new();
    };
    let Some((types, result)) = types(text, operands.len()) else {
        return Vec::new();
    };
    if value.contains(':') || operands.len() != types.len() {
        return Vec::new();
    }
    let same = operands.iter().zip(&types).filter(|(_, ty)| **ty == result);
    same.map(|(operand, _)| Replacement {
        statement: statement.clone(),
        text: text.clone(),
        uses: Some((value.to_owned(), (*operand).to_owned(), later.to_vec())),
    })
    .collect()
}
