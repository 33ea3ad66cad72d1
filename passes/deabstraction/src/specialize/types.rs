//! Types as trees: decomposition, matching, size, display names, and the types in an operation.
//!
//! ```text
//!   Pair<array<i32>, T>   head: struct @Pair, parts: array<i32>, T
//! ```
//!
//! Types nest as deeply as the input does, so all functions here have explicit stacks. MLIR keeps
//! one copy of each type, so a tree may be much larger than its memory: functions that print or
//! copy one stop at a limit.

use std::collections::{HashMap, HashSet};

use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::{FunctionType, RankedTensorType, TupleType};
use melior::ir::{Attribute, AttributeLike, Location, ShapedTypeLike, Type, TypeLike};
use tfx_dialects::types::{HostType, host_type, is_escaping, walk_types};
use tfx_ir::cast::Cast;
use tfx_ir::{Op, replace_types, signature_of};

use crate::layout::key;

/// The head of a type, without the types in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head<'a> {
    Ref,
    Array,
    Struct(&'a str),
    Enum(&'a str),
    Object(&'a str),
    Closure {
        escaping: bool,
    },
    Associated {
        protocol: &'a str,
        name: &'a str,
    },
    Tuple,
    Function {
        inputs: usize,
    },
    /// A tensor with a shape; its element type is a part.
    Tensor {
        rank: usize,
    },
    /// Any other type.
    Other(usize),
}

/// Splits a type into its head and the types in it.
pub(super) fn take_apart(ty: Type<'_>) -> (Head<'_>, Vec<Type<'_>>) {
    if let Some(tuple) = TupleType::cast(ty) {
        let elements = (0..tuple.type_count()).filter_map(|index| tuple.r#type(index).ok());
        return (Head::Tuple, elements.collect());
    }
    if let Some(function) = FunctionType::cast(ty) {
        let (mut types, results) = signature_of(function);
        let inputs = types.len();
        types.extend(results);
        return (Head::Function { inputs }, types);
    }
    if ty.is_tensor() {
        return tensor(ty);
    }
    match host_type(ty) {
        Some(HostType::Ref(pointee)) => (Head::Ref, vec![pointee]),
        Some(HostType::Array(element)) => (Head::Array, vec![element]),
        Some(HostType::Struct {
            declaration,
            arguments,
        }) => (Head::Struct(declaration), arguments),
        Some(HostType::Enum {
            declaration,
            arguments,
        }) => (Head::Enum(declaration), arguments),
        Some(HostType::Object {
            declaration,
            arguments,
        }) => (Head::Object(declaration), arguments),
        Some(HostType::Closure(signature)) => {
            let escaping = is_escaping(ty);
            (Head::Closure { escaping }, vec![signature])
        }
        Some(HostType::Assoc {
            base,
            protocol,
            name,
        }) => (Head::Associated { protocol, name }, vec![base]),
        _ => (Head::Other(key(ty)), Vec::new()),
    }
}

/// An unranked tensor is a whole.
fn tensor(ty: Type<'_>) -> (Head<'_>, Vec<Type<'_>>) {
    match RankedTensorType::try_from(ty) {
        Ok(ranked) => {
            let rank = ranked.rank();
            (Head::Tensor { rank }, vec![ranked.element()])
        }
        Err(_) => (Head::Other(key(ty)), Vec::new()),
    }
}

/// Returns the arguments for `params` that turn `pattern` into `ty`, in the order of the
/// parameters; `None` if there are none.
pub(super) fn match_pattern<'a>(
    pattern: Type<'a>,
    ty: Type<'a>,
    params: &[&'a str],
) -> Option<Vec<Type<'a>>> {
    let mut arguments = vec![None; params.len()];
    let mut pending = vec![(pattern, ty)];
    while let Some((pattern, ty)) = pending.pop() {
        if let Some(HostType::Param(name)) = host_type(pattern) {
            let index = params.iter().position(|param| *param == name)?;
            if *arguments[index].get_or_insert(ty) != ty {
                return None;
            }
            continue;
        }
        let ((head, parts), (other, others)) = (take_apart(pattern), take_apart(ty));
        if head != other || parts.len() != others.len() {
            return None;
        }
        // Two tensors with the same shape differ at most in the element.
        if let (Head::Tensor { .. }, [element], [wanted]) = (head, &parts[..], &others[..])
            && replace_types(pattern, &[(*element, *wanted)]) != ty
        {
            return None;
        }
        pending.extend(parts.into_iter().zip(others));
    }
    arguments.into_iter().collect()
}

/// The size of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measure {
    /// The depth of nesting.
    pub(super) nesting: usize,
    /// The number of types in it, each as often as it is written.
    pub(super) parts: usize,
}

/// Measures types, each once.
#[derive(Default)]
pub(super) struct Measures(HashMap<usize, Measure>);

impl Measures {
    pub(super) fn of(&mut self, root: Type<'_>) -> Measure {
        let mut stack = vec![root];
        while let Some(&ty) = stack.last() {
            let parts = take_apart(ty).1;
            let known: Option<Vec<_>> = parts.iter().map(|part| self.0.get(&key(*part))).collect();
            match known {
                Some(known) if !self.0.contains_key(&key(ty)) => {
                    let nesting = known.iter().map(|part| part.nesting).max();
                    let measure = Measure {
                        nesting: 1 + nesting.unwrap_or(0),
                        parts: known
                            .iter()
                            .fold(1, |sum, part| part.parts.saturating_add(sum)),
                    };
                    self.0.insert(key(ty), measure);
                }
                Some(_) => drop(stack.pop()),
                None => stack.extend(parts),
            }
        }
        self.0[&key(root)]
    }
}

/// The length at which names and messages cut a type.
const MAX_SHOWN: usize = 160;

/// Returns a type as in the source, cut if it is very long.
pub(super) fn describe(ty: Type<'_>) -> String {
    write(vec![Token::Type(ty)])
}

/// Returns `name<A, B>`, cut if it is very long.
pub(super) fn describe_applied<'a>(name: &'a str, arguments: &[Type<'a>]) -> String {
    write(applied(name, arguments))
}

/// The rest to write, in reverse order.
enum Token<'a> {
    Type(Type<'a>),
    Text(&'a str),
}

fn applied<'a>(name: &'a str, arguments: &[Type<'a>]) -> Vec<Token<'a>> {
    if arguments.is_empty() {
        return vec![Token::Text(name)];
    }
    let mut tokens = vec![Token::Text(">")];
    tokens.extend(list(arguments));
    tokens.extend([Token::Text("<"), Token::Text(name)]);
    tokens
}

fn list<'a>(types: &[Type<'a>]) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    for (index, ty) in types.iter().enumerate().rev() {
        tokens.push(Token::Type(*ty));
        if index > 0 {
            tokens.push(Token::Text(", "));
        }
    }
    tokens
}

fn write(mut stack: Vec<Token<'_>>) -> String {
    let mut text = String::new();
    while let Some(token) = stack.pop() {
        match token {
            Token::Text(piece) => text.push_str(piece),
            Token::Type(ty) => match pieces(ty) {
                Some(tokens) => stack.extend(tokens),
                None => text.push_str(&ty.to_string()),
            },
        }
        if text.len() > MAX_SHOWN {
            let boundary = (0..=MAX_SHOWN)
                .rev()
                .find(|end| text.is_char_boundary(*end));
            text.truncate(boundary.unwrap_or(0));
            text.push_str("...");
            break;
        }
    }
    text
}

/// Splits a type into own names and nested types; `None` for those that MLIR prints well.
fn pieces(ty: Type<'_>) -> Option<Vec<Token<'_>>> {
    let (head, parts) = take_apart(ty);
    Some(match head {
        Head::Ref => applied("ref", &parts),
        Head::Array => applied("array", &parts),
        Head::Struct(name) | Head::Enum(name) | Head::Object(name) => applied(name, &parts),
        Head::Closure { escaping: false } => applied("closure", &parts),
        Head::Closure { escaping: true } => applied("escaping closure", &parts),
        Head::Tuple => applied("tuple", &parts),
        Head::Function { inputs } => {
            let mut tokens = vec![Token::Text(")")];
            tokens.extend(list(&parts[inputs..]));
            tokens.push(Token::Text(") -> ("));
            tokens.extend(list(&parts[..inputs]));
            tokens.push(Token::Text("("));
            tokens
        }
        Head::Associated { name, .. } => {
            vec![Token::Text(name), Token::Text("."), Token::Type(parts[0])]
        }
        Head::Tensor { .. } => return None,
        Head::Other(_) => match host_type(ty)? {
            HostType::Param(name) => vec![Token::Text(name)],
            HostType::Any(protocol) => vec![Token::Text(protocol), Token::Text("any ")],
            _ => vec![Token::Text("string")],
        },
    })
}

/// Returns the first associated type in a type whose base has none: inner ones come first.
pub(super) fn first_associated(ty: Type<'_>) -> Option<Type<'_>> {
    let mut first = None;
    walk_types(TypeAttribute::new(ty).into(), |part| {
        if first.is_none() && matches!(host_type(part), Some(HostType::Assoc { .. })) {
            first = Some(part);
        }
    });
    first
}

/// Returns the types of a kind in an operation and those inside, in program order, each once.
pub(super) fn types_in<'a>(root: Op<'a>, kind: &mut Kind<'a>) -> Vec<Type<'a>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut seen_attributes = HashSet::new();
    let mut visit = |ty: Type<'a>| {
        if seen.insert(key(ty)) && kind.has(ty) {
            found.push(ty);
        }
    };
    for op in root.walk() {
        op.definitions().for_each(|value| visit(value.ty()));
        if has_types(op) {
            for (_, attribute) in op.attributes() {
                if seen_attributes.insert(attribute.to_raw().ptr as usize) {
                    walk_types(attribute, &mut visit);
                }
            }
        }
    }
    found
}

/// Returns whether the attributes of an operation may contain types of the host dialect.
fn has_types(op: Op<'_>) -> bool {
    !matches!(op.dialect(), "arith" | "math" | "index" | "cf" | "scf")
}

/// Returns the first location with a type.
pub(super) fn place_of<'a>(ty: Type<'a>, root: Op<'a>) -> Location<'a> {
    let has = |attribute: Attribute<'a>| {
        let mut found = false;
        walk_types(attribute, |part| found |= part == ty);
        found
    };
    for op in root.walk() {
        if let Some(value) = op.definitions().find(|value| value.ty() == ty) {
            return value.location();
        }
        if op
            .attributes()
            .into_iter()
            .any(|(_, attribute)| has(attribute))
        {
            return op.location();
        }
    }
    root.location()
}

/// The types with a property at any depth. Each type is checked once.
pub(super) struct Kind<'a> {
    is: Box<dyn Fn(Type<'a>) -> bool + 'a>,
    known: HashMap<usize, bool>,
}

impl<'a> Kind<'a> {
    pub(super) fn new(is: impl Fn(Type<'a>) -> bool + 'a) -> Self {
        Self {
            is: Box::new(is),
            known: HashMap::new(),
        }
    }

    /// The types with a parameter or an associated type.
    pub(super) fn open() -> Self {
        Self::new(|ty| {
            matches!(
                host_type(ty),
                Some(HostType::Param(_) | HostType::Assoc { .. })
            )
        })
    }

    fn has(&mut self, ty: Type<'a>) -> bool {
        *self.known.entry(key(ty)).or_insert_with(|| {
            let mut found = false;
            walk_types(TypeAttribute::new(ty).into(), |part| {
                found |= (self.is)(part)
            });
            found
        })
    }
}
