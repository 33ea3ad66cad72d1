//! The part of ODS that views need, read from the records of `llvm-tblgen --dump-json`.

use std::collections::BTreeMap;
use std::path::Path;

use heck::{ToSnakeCase, ToUpperCamelCase};
use serde_json::Value as Json;

/// A dialect whose operations get views.
#[derive(Clone, Copy, Debug)]
pub struct Dialect<'a> {
    /// The file with the operations, such as `comm/CommOps.td`.
    pub definitions: &'a Path,
    /// The namespace, such as `tfx_comm`. Operations of other dialects in the file are left out.
    pub namespace: &'a str,
    /// The operations that get a view, by mnemonic. Empty: all of the dialect.
    pub only: &'a [&'a str],
    /// The name of the `enum` of the operations, such as `CommOp`.
    pub enumeration: &'a str,
    /// The path of the crate `tfx_ir` in the generated code: `crate` or `::tfx_ir`.
    pub ir: &'a str,
}

/// The views of one dialect.
pub(crate) struct Views {
    pub(crate) operations: Vec<Operation>,
    /// The enums of the attributes, by name.
    pub(crate) enums: BTreeMap<String, Enum>,
}

/// An operation.
pub(crate) struct Operation {
    /// The C++ class without `Op`, such as `CondBranch`.
    pub(crate) class: String,
    /// The full name, such as `cf.cond_br`.
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) results: Vec<Group>,
    pub(crate) regions: Vec<Group>,
    pub(crate) successors: Vec<Group>,
    /// `AttrSizedOperandSegments`: an attribute holds the sizes of the operand groups.
    pub(crate) has_segments: bool,
    pub(crate) inference: Inference,
}

impl Operation {
    /// Returns the groups of operands, in order.
    pub(crate) fn operands(&self) -> Vec<&Group> {
        let operands = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Operand(group) => Some(group),
            Argument::Attribute(_) => None,
        });
        operands.collect()
    }
}

/// An element of the list `arguments` of ODS.
pub(crate) enum Argument {
    Operand(Group),
    Attribute(Attribute),
}

/// A named group of operands, results, regions or successors.
pub(crate) struct Group {
    /// In snake case.
    pub(crate) name: String,
    pub(crate) arity: Arity,
    pub(crate) summary: String,
}

/// The number of members of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arity {
    One,
    Optional,
    Variadic,
}

/// An inherent attribute.
pub(crate) struct Attribute {
    /// The name in the IR.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Optional, or with a default.
    pub(crate) optional: bool,
    pub(crate) summary: String,
}

/// The Rust type of an attribute.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Present or absent.
    Unit,
    String,
    Symbol,
    Bool,
    /// An integer, with the number of bits (0: `index`).
    Integer(u32),
    Type,
    FunctionType,
    Strings,
    Symbols,
    Types,
    /// A dense array of integers, with the number of bits of each.
    Integers(u32),
    Enum(String),
    /// Any other: melior's `Attribute`.
    Other,
}

/// An `enum` that an integer attribute holds.
pub(crate) struct Enum {
    pub(crate) bits: u32,
    /// The names in Rust and in the assembly, and the numbers.
    pub(crate) cases: Vec<(String, String, i64)>,
}

/// The source of the result types in `build`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Inference {
    /// Parameters of `build`.
    None,
    /// The one result has the type of this operand.
    Operand(String),
    /// MLIR infers them.
    Mlir,
}

/// The reason why a dialect cannot get views.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsupported {
    #[error("{dialect} has no operation '{operation}'")]
    NoOperation { dialect: String, operation: String },
    #[error("'{0}' has several groups of results")]
    ResultGroups(String),
}

pub(crate) fn read(records: &Json, dialect: &Dialect<'_>) -> Result<Views, Unsupported> {
    let reader = Reader { records };
    let mut enums = BTreeMap::new();
    let mut operations = Vec::new();
    let names = array(&records["!instanceof"]["Op"]);
    for record in names.filter_map(|name| records.get(name.as_str()?)) {
        let mnemonic = text(&record["opName"]);
        let namespace = text(&reader.definition(&record["opDialect"])["name"]);
        let chosen = dialect.only.is_empty() || dialect.only.contains(&mnemonic);
        if namespace == dialect.namespace && chosen {
            operations.push(reader.operation(record, namespace, mnemonic, &mut enums)?);
        }
    }
    let name = |mnemonic: &str| format!("{}.{mnemonic}", dialect.namespace);
    let exists = |mnemonic: &str| operations.iter().any(|op| op.name == name(mnemonic));
    if let Some(missing) = dialect.only.iter().find(|mnemonic| !exists(mnemonic)) {
        return Err(Unsupported::NoOperation {
            dialect: dialect.namespace.to_owned(),
            operation: (*missing).to_owned(),
        });
    }
    operations.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(Views { operations, enums })
}

struct Reader<'a> {
    records: &'a Json,
}

impl<'a> Reader<'a> {
    /// Returns the record that a field refers to.
    fn definition(&self, field: &Json) -> &'a Json {
        &self.records[text(&field["def"])]
    }

    fn operation(
        &self,
        record: &Json,
        namespace: &str,
        mnemonic: &str,
        enums: &mut BTreeMap<String, Enum>,
    ) -> Result<Operation, Unsupported> {
        let name = format!("{namespace}.{mnemonic}");
        let mut arguments = Vec::new();
        for (constraint, argument) in self.dag(&record["arguments"]) {
            let constraint = self.unwrapped(constraint);
            if is(constraint, "AttrConstraint") {
                arguments.push(Argument::Attribute(
                    self.attribute(constraint, argument, enums),
                ));
            } else if is(constraint, "TypeConstraint") {
                let fallback = format!("operand_{}", arguments.len());
                arguments.push(Argument::Operand(group(constraint, argument, &fallback)));
            }
        }
        let groups = |field: &str, fallback: &str| -> Vec<Group> {
            let members = self.dag(&record[field]);
            let members =
                members.map(|(constraint, name)| group(self.unwrapped(constraint), name, fallback));
            members.collect()
        };
        let mut operation = Operation {
            class: class(text(&record["!name"])),
            summary: text(&record["summary"]).trim().to_owned(),
            description: unindented(text(&record["description"])),
            arguments,
            results: groups("results", "result"),
            regions: groups("regions", "region"),
            successors: groups("successors", "successor"),
            has_segments: self
                .traits(record)
                .any(|found| is_named(found, "AttrSizedOperandSegments")),
            inference: Inference::None,
            name,
        };
        let mut results = operation.results.iter();
        if operation.results.len() > 1 && results.any(|group| group.arity != Arity::One) {
            return Err(Unsupported::ResultGroups(operation.name));
        }
        operation.inference = self.inference(record, &operation);
        Ok(operation)
    }

    fn attribute(
        &self,
        constraint: &'a Json,
        name: &str,
        enums: &mut BTreeMap<String, Enum>,
    ) -> Attribute {
        let optional = constraint["isOptional"] == 1 || !constraint["defaultValue"].is_null();
        let mut base = constraint;
        while is(base, "OptionalAttr") || is(base, "DefaultValuedAttr") || is(base, "ConfinedAttr")
        {
            base = self.definition(&base["baseAttr"]);
        }
        let kind = self.kind(base);
        if let Kind::Enum(name) = &kind {
            enums
                .entry(name.clone())
                .or_insert_with(|| self.enumeration(base));
        }
        Attribute {
            name: name.to_owned(),
            kind,
            optional,
            summary: summary(constraint),
        }
    }

    fn kind(&self, base: &Json) -> Kind {
        match text(&base["!name"]) {
            "UnitAttr" => Kind::Unit,
            "FlatSymbolRefAttr" => Kind::Symbol,
            "BoolAttr" => Kind::Bool,
            "IndexAttr" => Kind::Integer(0),
            "StrArrayAttr" => Kind::Strings,
            "TypeArrayAttr" => Kind::Types,
            "FlatSymbolRefArrayAttr" => Kind::Symbols,
            "DenseI32ArrayAttr" => Kind::Integers(32),
            "DenseI64ArrayAttr" => Kind::Integers(64),
            _ if is(base, "StringBasedAttr") => Kind::String,
            _ if is(base, "IntEnumAttr") && !is(base, "BitEnumAttrBase") => {
                Kind::Enum(text(&base["className"]).to_owned())
            }
            _ if is(base, "TypedSignlessIntegerAttrBase") => {
                let ty = text(&base["valueType"]["def"]);
                Kind::Integer(ty.trim_start_matches('I').parse().unwrap_or(64))
            }
            _ if text(&base["returnType"]).trim() == "::mlir::FunctionType" => Kind::FunctionType,
            _ if is(base, "TypeAttrBase") => Kind::Type,
            _ => Kind::Other,
        }
    }

    fn enumeration(&self, base: &Json) -> Enum {
        let cases = array(&base["enumerants"]).map(|case| {
            let case = self.definition(case);
            let name = text(&case["symbol"]).to_upper_camel_case();
            let number = case["value"].as_i64().unwrap_or_default();
            (name, text(&case["str"]).to_owned(), number)
        });
        Enum {
            bits: if is(base, "I32EnumAttr") { 32 } else { 64 },
            cases: cases.collect(),
        }
    }

    /// Follows the rules of ODS if one operand determines the type; otherwise MLIR infers it.
    /// Operations with regions infer from the regions, which `build` leaves empty, so `build` takes
    /// their result types.
    fn inference(&self, record: &Json, operation: &Operation) -> Inference {
        let [result] = &*operation.results else {
            let inferred = operation
                .results
                .iter()
                .all(|group| group.arity == Arity::One)
                && self.traits(record).any(infers);
            return match inferred && !operation.results.is_empty() {
                true => Inference::Mlir,
                false => Inference::None,
            };
        };
        if result.arity != Arity::One || !operation.regions.is_empty() {
            return Inference::None;
        }
        let operands = operation.operands();
        let one = |name: &str| {
            operands
                .iter()
                .any(|group| group.name == name && group.arity == Arity::One)
        };
        for found in self.traits(record) {
            if is_named(found, "SameOperandsAndResultType") {
                return Inference::Operand(operands[0].name.clone());
            }
            if is(found, "AllTypesMatch") {
                let names = array(&found["values"]).map(|name| text(name).to_snake_case());
                let names: Vec<String> = names.collect();
                let operand = names.iter().find(|name| one(name));
                if let (true, Some(operand)) = (names.contains(&result.name), operand) {
                    return Inference::Operand(operand.clone());
                }
            }
        }
        let (constraint, _) = self.dag(&record["results"]).next().expect("one result");
        let known = !text(&self.unwrapped(constraint)["builderCall"]).is_empty();
        let matched = self.traits(record).any(|found| {
            infers(found)
                || is(found, "TypesMatchWith")
                    && text(&found["rhs"]).to_snake_case() == result.name
                    && one(&text(&found["lhs"]).to_snake_case())
        });
        match known || matched {
            true => Inference::Mlir,
            false => Inference::None,
        }
    }

    /// Returns the traits, with lists of traits flattened.
    fn traits(&self, record: &'a Json) -> impl Iterator<Item = &'a Json> {
        let mut open: Vec<&Json> = array(&record["traits"]).collect();
        open.reverse();
        let records = self.records;
        std::iter::from_fn(move || {
            loop {
                let found = &records[text(&open.pop()?["def"])];
                if !is(found, "TraitList") {
                    return Some(found);
                }
                open.extend(array(&found["traits"]));
            }
        })
    }

    /// Returns the members of a list of ODS: a constraint and a name, which may be empty.
    fn dag(&self, field: &'a Json) -> impl Iterator<Item = (&'a Json, &'a str)> {
        let records = self.records;
        let members = array(&field["args"]);
        members.map(move |member| (&records[text(&member[0]["def"])], text(&member[1])))
    }

    /// Returns the constraint inside of `Arg` and `Res`.
    fn unwrapped(&self, constraint: &'a Json) -> &'a Json {
        match is(constraint, "OpVariable") {
            true => self.definition(&constraint["constraint"]),
            false => constraint,
        }
    }
}

fn group(constraint: &Json, name: &str, fallback: &str) -> Group {
    let variadic = ["Variadic", "VariadicRegion", "VariadicSuccessor"];
    let arity = match () {
        () if variadic.iter().any(|class| is(constraint, class)) => Arity::Variadic,
        () if is(constraint, "Optional") => Arity::Optional,
        () => Arity::One,
    };
    let fallback = match arity {
        Arity::Variadic => format!("{fallback}s"),
        _ => fallback.to_owned(),
    };
    Group {
        name: if name.is_empty() {
            fallback
        } else {
            name.to_snake_case()
        },
        arity,
        summary: summary(constraint),
    }
}

/// Returns whether a trait stands for `InferTypeOpInterface`.
fn infers(found: &Json) -> bool {
    is_named(found, "InferTypeOpAdaptor")
        || text(&found["cppInterfaceName"]) == "InferTypeOpInterface"
}

fn is_named(record: &Json, name: &str) -> bool {
    text(&record["!name"]) == name
}

/// Returns whether a record is of a class.
fn is(record: &Json, class: &str) -> bool {
    array(&record["!superclasses"]).any(|found| found == class)
}

fn array(field: &Json) -> impl Iterator<Item = &Json> {
    field.as_array().into_iter().flatten()
}

fn text(field: &Json) -> &str {
    field.as_str().unwrap_or_default()
}

fn summary(constraint: &Json) -> String {
    let text = text(&constraint["summary"]);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the C++ class of a definition, as `mlir-tblgen` names it, without the ending `Op`.
fn class(definition: &str) -> String {
    let class = definition
        .split_once('_')
        .map_or(definition, |(_, class)| class);
    let class = if class.is_empty() { definition } else { class };
    class
        .strip_suffix("Op")
        .filter(|class| !class.is_empty())
        .unwrap_or(class)
        .to_owned()
}

/// Returns a description without the common indentation of its lines.
fn unindented(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let shared = lines()
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.get(shared..).unwrap_or("").trim_end())
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
