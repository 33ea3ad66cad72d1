//! How structs and tuples lie flat: the leaves of a type, in order.
//!
//! ```text
//!   struct @Line {from: @Point, to: @Point, name: string}
//!   leaves:  from.x  from.y  to.x  to.y  name          a field is a range of leaves
//! ```
//!
//! This order is also that of the parameters and results that an aggregate in a signature becomes. A reference to an aggregate has the references
//! to its leaves as leaves. A generic struct is laid out for its type arguments.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use melior::ir::attribute::{ArrayAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::TupleType;
use melior::ir::{Location, Type};
use tfx_dialects::types::{HostType, host_type, reference, substitute};
use tfx_ir::pass::PassFailed;
use tfx_ir::{Op, diag};

use crate::names;

/// An aggregate with more leaves is an error: nesting doubles easily, and nothing that a person writes has so many.
const MAX_LEAVES: usize = 1 << 16;

/// Types that nest deeper are taken for infinite: a generic struct can contain itself with ever larger arguments.
const MAX_NESTING: usize = 1000;

/// An aggregate type, flat.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    /// The types of the leaves.
    pub(crate) leaves: Vec<Type<'a>>,
    /// What it is made of, one level deep.
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of a struct, an element of a tuple (named by its position), or what a reference to those gives.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: String,
    pub(crate) ty: Type<'a>,
    /// The leaves that it covers.
    pub(crate) range: Range<usize>,
}

impl<'a> Layout<'a> {
    /// The leaves of a field.
    pub(crate) fn range(&self, name: &str) -> Option<Range<usize>> {
        self.fields
            .iter()
            .find(|field| field.name == name)
            .map(|field| field.range.clone())
    }

    fn of_references(&self) -> Self {
        let fields = self.fields.iter().map(|field| Field {
            ty: reference(field.ty),
            ..field.clone()
        });
        Self {
            leaves: self.leaves.iter().map(|leaf| reference(*leaf)).collect(),
            fields: fields.collect(),
        }
    }
}

/// The layouts of a module, each worked out once.
pub(crate) struct Layouts<'a> {
    structs: HashMap<&'a str, Op<'a>>,
    known: HashMap<usize, Option<Rc<Layout<'a>>>>,
}

impl<'a> Layouts<'a> {
    pub(crate) fn new(module: Op<'a>) -> Self {
        let declarations = module
            .regions()
            .flat_map(|region| region.blocks())
            .flat_map(|block| block.ops());
        let structs = declarations.filter(|op| op.is(names::STRUCT));
        Self {
            structs: structs
                .filter_map(|op| Some((op.symbol_name()?, op)))
                .collect(),
            known: HashMap::new(),
        }
    }

    /// The layout of a type; `None` if it is not an aggregate. An error at `user` if it has none.
    pub(crate) fn of(
        &mut self,
        ty: Type<'a>,
        user: Location<'a>,
    ) -> Result<Option<Rc<Layout<'a>>>, PassFailed> {
        if let Some(known) = self.known.get(&key(ty)) {
            return Ok(known.clone());
        }
        self.lay_out(ty, user)?;
        Ok(self.known[&key(ty)].clone())
    }

    /// The leaves of a type; that of anything but an aggregate is itself.
    pub(crate) fn leaves(
        &mut self,
        ty: Type<'a>,
        user: Location<'a>,
    ) -> Result<Vec<Type<'a>>, PassFailed> {
        Ok(self
            .of(ty, user)?
            .map_or_else(|| vec![ty], |layout| layout.leaves.clone()))
    }

    /// Lays out a type after those that it is made of, with a stack of its own.
    fn lay_out(&mut self, root: Type<'a>, user: Location<'a>) -> Result<(), PassFailed> {
        let mut stack = vec![root];
        let mut open = HashSet::new();
        while let Some(&ty) = stack.last() {
            if self.known.contains_key(&key(ty)) {
                stack.pop();
                continue;
            }
            let parts = self.parts(ty, user)?;
            let missing: Vec<_> = parts
                .types()
                .filter(|part| !self.known.contains_key(&key(*part)))
                .collect();
            if missing.is_empty() {
                let layout = self.assemble(root, &parts, user)?;
                self.known.insert(key(ty), layout.map(Rc::new));
                open.remove(&key(ty));
                stack.pop();
            } else if !open.insert(key(ty)) || open.len() > MAX_NESTING {
                return Err(self.infinite(root, user));
            } else {
                stack.extend(missing.into_iter().rev());
            }
        }
        Ok(())
    }

    /// What an aggregate is made of, one level deep.
    fn parts(&self, ty: Type<'a>, user: Location<'a>) -> Result<Parts<'a>, PassFailed> {
        if let Ok(tuple) = TupleType::try_from(ty) {
            let element = |index| (index, tuple.r#type(index).expect("the index is in range"));
            let elements = (0..tuple.type_count()).map(element);
            return Ok(Parts::Fields(
                elements
                    .map(|(index, ty)| (index.to_string(), ty))
                    .collect(),
            ));
        }
        match host_type(ty) {
            Some(HostType::Ref(pointee)) => Ok(Parts::Reference(pointee)),
            Some(HostType::Struct {
                declaration,
                arguments,
            }) => {
                let Some(op) = self.structs.get(declaration) else {
                    let message = format!(
                        "uses '@{declaration}', but no tfx_host.struct of that name is declared"
                    );
                    return Err(diag::error(user, message).fail());
                };
                Ok(Parts::Fields(fields(*op, &arguments)))
            }
            _ => Ok(Parts::None),
        }
    }

    /// The layout of an aggregate whose parts are laid out; `root` is the type that was asked for.
    fn assemble(
        &self,
        root: Type<'a>,
        parts: &Parts<'a>,
        user: Location<'a>,
    ) -> Result<Option<Layout<'a>>, PassFailed> {
        let fields = match parts {
            Parts::None => return Ok(None),
            Parts::Reference(pointee) => {
                return Ok(self.known[&key(*pointee)]
                    .as_ref()
                    .map(|layout| layout.of_references()));
            }
            Parts::Fields(fields) => fields,
        };
        let mut layout = Layout {
            leaves: Vec::new(),
            fields: Vec::new(),
        };
        for (name, part) in fields {
            let start = layout.leaves.len();
            match &self.known[&key(*part)] {
                // A reference in an aggregate is one leaf: it may be to anything.
                Some(inner) if !is_reference(*part) => layout.leaves.extend(&inner.leaves),
                _ => layout.leaves.push(*part),
            }
            let range = start..layout.leaves.len();
            layout.fields.push(Field {
                name: name.clone(),
                ty: *part,
                range,
            });
        }
        if layout.leaves.len() > MAX_LEAVES {
            let message = format!(
                "'{root}' has more than {MAX_LEAVES} fields when it is taken apart; keep its values in a tensor instead"
            );
            return Err(diag::error(user, message).fail());
        }
        Ok(Some(layout))
    }

    fn infinite(&self, root: Type<'a>, user: Location<'a>) -> PassFailed {
        let message = format!(
            "'{root}' contains itself, so it has no size; hold the inner value in a class instead"
        );
        let error = diag::error(user, message);
        match host_type(root) {
            Some(HostType::Struct { declaration, .. }) => error
                .note(self.structs[declaration].location(), "it is declared here")
                .fail(),
            _ => error.fail(),
        }
    }
}

/// What an aggregate is made of.
enum Parts<'a> {
    /// It is no aggregate.
    None,
    Reference(Type<'a>),
    Fields(Vec<(String, Type<'a>)>),
}

impl<'a> Parts<'a> {
    fn types(&self) -> Box<dyn Iterator<Item = Type<'a>> + '_> {
        match self {
            Parts::None => Box::new(std::iter::empty()),
            Parts::Reference(pointee) => Box::new(std::iter::once(*pointee)),
            Parts::Fields(fields) => Box::new(fields.iter().map(|(_, ty)| *ty)),
        }
    }
}

/// The fields of a struct declaration for its type arguments.
fn fields<'a>(declaration: Op<'a>, arguments: &[Type<'a>]) -> Vec<(String, Type<'a>)> {
    let strings = |name| {
        elements(declaration, name)
            .filter_map(|attribute| StringAttribute::try_from(attribute).ok())
    };
    let params: Vec<_> = strings("type_params")
        .map(|param| param.value().to_owned())
        .collect();
    let substitution: Vec<_> = params
        .iter()
        .map(String::as_str)
        .zip(arguments.iter().copied())
        .collect();
    let types = elements(declaration, "field_types")
        .filter_map(|attribute| TypeAttribute::try_from(attribute).ok());
    let types = types.map(|ty| substitute(ty.value(), &substitution));
    strings("field_names")
        .map(|name| name.value().to_owned())
        .zip(types)
        .collect()
}

/// The elements of an array attribute.
pub(crate) fn elements<'a>(
    op: Op<'a>,
    name: &str,
) -> impl Iterator<Item = melior::ir::Attribute<'a>> {
    let array = op
        .attribute(name)
        .and_then(|attribute| ArrayAttribute::try_from(attribute).ok());
    array
        .into_iter()
        .flat_map(|array| (0..array.len()).filter_map(move |index| array.element(index).ok()))
}

/// Whether a type is that of references.
pub(crate) fn is_reference(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Ref(_)))
}

/// Types are unique in their context, so an address names one.
pub(crate) fn key(ty: Type<'_>) -> usize {
    use melior::ir::TypeLike;
    ty.to_raw().ptr as usize
}
