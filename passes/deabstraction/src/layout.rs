//! The flattened layout of values: the leaves of a type, in order.
//!
//! ```text
//!   struct @Line {from: @Point, to: @Point, name: string}
//!   leaves:  from.x  from.y  to.x  to.y  name          a field is a range of leaves
//!
//!   enum @Shape {circle(f32), box(f32, i32), empty()}
//!   leaves:  tag  f32  i32                             a case chooses its slots from the union of all payloads
//! ```
//!
//! The parameters and results that replace an aggregate in a signature have the same order. The
//! leaves of a reference to an aggregate are references to its leaves, and the leaves of an array
//! of aggregates are an array for each leaf. A closure is one leaf, whose signature is flat: an
//! inout parameter is a parameter and a result (`inout.rs`). Generic types are laid out for their
//! type arguments.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;
use std::rc::Rc;
use tfx_dialects::host;

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::{FunctionType, IntegerType, TupleType};
use melior::ir::{Attribute, Location, Type, TypeLike};
use tfx_dialects::types::{
    HostType, array, closure, host_type, is_escaping, reference, substitute,
};
use tfx_ir::cast::Cast;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Op, attribute, signature_of};

/// The largest number of leaves of an aggregate; more are an error: nesting grows exponentially,
/// and no hand-written type has so many.
const MAX_LEAVES: usize = 1 << 16;

/// The deepest nesting of types; deeper ones count as infinite: a generic struct can contain itself
/// with ever larger arguments.
const MAX_NESTING: usize = 1000;

/// The tag of an enum: `cf.switch` takes no `index`.
pub(crate) const TAG_BITS: u32 = 32;

/// A flattened type that is not its own only leaf.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    /// The types of the leaves.
    pub(crate) leaves: Vec<Type<'a>>,
    /// The fields of a struct or a tuple, one level deep, and those of references to them or arrays
    /// of them.
    pub(crate) fields: Vec<Field<'a>>,
    /// The cases of an enum, in the order of its declaration. Leaf 0 is the tag.
    pub(crate) cases: Vec<Case>,
}

/// A field of a struct, an element of a tuple (named by its position), or the field of a reference
/// to one.
#[derive(Clone, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: String,
    pub(crate) ty: Type<'a>,
    /// The leaves that it covers.
    pub(crate) range: Range<usize>,
}

/// A case of an enum.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// By payload value: the leaves of the enum that hold its leaves.
    pub(crate) payload: Vec<Vec<usize>>,
}

impl<'a> Layout<'a> {
    fn of_leaves(leaves: Vec<Type<'a>>) -> Self {
        Self {
            leaves,
            fields: Vec::new(),
            cases: Vec::new(),
        }
    }

    /// Returns the leaves of a field.
    pub(crate) fn range(&self, name: &str) -> Option<Range<usize>> {
        let mut fields = self.fields.iter();
        let field = fields.find(|field| field.name == name)?;
        Some(field.range.clone())
    }

    /// Returns the position of a case, which is its tag, and the case.
    pub(crate) fn case(&self, name: &str) -> Option<(usize, &Case)> {
        let mut cases = self.cases.iter().enumerate();
        cases.find(|(_, case)| case.name == name)
    }

    /// Returns the layout with every type wrapped: a reference, an array.
    fn wrapped(&self, wrap: impl Fn(Type<'a>) -> Type<'a>) -> Self {
        let fields = self.fields.iter().map(|field| Field {
            ty: wrap(field.ty),
            ..field.clone()
        });
        Self {
            leaves: self.leaves.iter().map(|leaf| wrap(*leaf)).collect(),
            fields: fields.collect(),
            cases: Vec::new(),
        }
    }
}

/// The layouts of a module, each computed once.
pub(crate) struct Layouts<'a> {
    context: &'a Context,
    /// The declarations of structs and enums.
    nominal: HashMap<&'a str, Op<'a>>,
    known: HashMap<usize, Option<Rc<Layout<'a>>>>,
}

impl<'a> Layouts<'a> {
    pub(crate) fn new(module: Op<'a>) -> Self {
        let nominal = module
            .children()
            .filter(|op| op.isa::<host::Struct>() || op.isa::<host::Enum>());
        Self {
            context: module.context(),
            nominal: nominal
                .filter_map(|op| Some((op.symbol_name()?, op)))
                .collect(),
            known: HashMap::default(),
        }
    }

    /// Returns the layout of a type; `None` if it is its own only leaf. Reports an error at `user`
    /// if it has none.
    pub(crate) fn of(
        &mut self,
        ty: Type<'a>,
        user: Location<'a>,
    ) -> Result<Option<Rc<Layout<'a>>>, Diagnostic<'a>> {
        if let Some(known) = self.known.get(&key(ty)) {
            return Ok(known.clone());
        }
        self.lay_out(ty, user)?;
        Ok(self.known[&key(ty)].clone())
    }

    /// Returns the leaves of a type.
    pub(crate) fn leaves(
        &mut self,
        ty: Type<'a>,
        user: Location<'a>,
    ) -> Result<Vec<Type<'a>>, Diagnostic<'a>> {
        Ok(self
            .of(ty, user)?
            .map_or_else(|| vec![ty], |layout| layout.leaves.clone()))
    }

    /// Lays out a type after its parts, with an explicit stack.
    fn lay_out(&mut self, root: Type<'a>, user: Location<'a>) -> Result<(), Diagnostic<'a>> {
        let mut stack = vec![root];
        let mut open = HashSet::default();
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
                let layout = self.assemble(&parts);
                let leaves = layout.as_ref().map_or(1, |layout| layout.leaves.len());
                if leaves > MAX_LEAVES {
                    let message = format!(
                        "'{root}' has more than {MAX_LEAVES} leaves; keep its values in a tensor instead"
                    );
                    return Err(diag::error(user, message));
                }
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

    /// Returns the parts of a type, one level deep.
    fn parts(&self, ty: Type<'a>, user: Location<'a>) -> Result<Parts<'a>, Diagnostic<'a>> {
        if let Some(tuple) = TupleType::cast(ty) {
            let element = |index| (index, tuple.r#type(index).expect("the index is in range"));
            let elements = (0..tuple.type_count()).map(element);
            let elements = elements.map(|(index, ty)| (index.to_string(), ty));
            return Ok(Parts::Fields(elements.collect()));
        }
        Ok(match host_type(ty) {
            Some(HostType::Ref(pointee)) => Parts::Reference(pointee),
            Some(HostType::Array(element)) => Parts::Array(element),
            Some(HostType::Closure(signature)) => Parts::Closure(ty, signature),
            Some(HostType::Struct {
                declaration,
                arguments,
            }) => Parts::Fields(fields(
                self.declaration(declaration, host::Struct::NAME, user)?,
                &arguments,
            )),
            Some(HostType::Enum {
                declaration,
                arguments,
            }) => Parts::Cases(cases(
                self.declaration(declaration, host::Enum::NAME, user)?,
                &arguments,
            )),
            _ => Parts::None,
        })
    }

    fn declaration(
        &self,
        name: &str,
        kind: &str,
        user: Location<'a>,
    ) -> Result<Op<'a>, Diagnostic<'a>> {
        let found = self.nominal.get(name).copied();
        found.filter(|op| op.is(kind)).ok_or_else(|| {
            let message = format!("uses '@{name}', but no {kind} of that name is declared");
            diag::error(user, message)
        })
    }

    /// Returns the layout of a type whose parts are laid out.
    fn assemble(&self, parts: &Parts<'a>) -> Option<Layout<'a>> {
        match parts {
            Parts::None => None,
            Parts::Reference(pointee) => Some(self.known_layout(*pointee)?.wrapped(reference)),
            Parts::Array(element) => {
                let mut layout = self.known_layout(*element)?.wrapped(array);
                if layout.leaves.is_empty() {
                    // The count has to be stored somewhere.
                    let bit = IntegerType::new(self.context, 1).into();
                    layout.leaves.push(array(bit));
                }
                Some(layout)
            }
            Parts::Closure(ty, signature) => {
                let flat = self.flat_closure(*ty, *signature);
                (flat != *ty).then(|| Layout::of_leaves(vec![flat]))
            }
            Parts::Fields(fields) => Some(self.assemble_fields(fields)),
            Parts::Cases(cases) => Some(self.assemble_cases(cases)),
        }
    }

    fn known_layout(&self, ty: Type<'a>) -> Option<&Layout<'a>> {
        self.known[&key(ty)].as_deref()
    }

    fn known_leaves(&self, ty: Type<'a>) -> Vec<Type<'a>> {
        self.known_layout(ty)
            .map_or_else(|| vec![ty], |layout| layout.leaves.clone())
    }

    fn assemble_fields(&self, fields: &[(String, Type<'a>)]) -> Layout<'a> {
        let mut layout = Layout::of_leaves(Vec::new());
        for (name, part) in fields {
            let start = layout.leaves.len();
            layout.leaves.extend(self.known_leaves(*part));
            layout.fields.push(Field {
                name: name.clone(),
                ty: *part,
                range: start..layout.leaves.len(),
            });
        }
        layout
    }

    /// Each leaf of a payload takes the first slot of its type that its own case has not taken yet.
    fn assemble_cases(&self, cases: &[(String, Vec<Type<'a>>)]) -> Layout<'a> {
        let tag = IntegerType::new(self.context, TAG_BITS).into();
        let mut layout = Layout::of_leaves(vec![tag]);
        let mut slots_of_type: HashMap<usize, Vec<usize>> = HashMap::default();
        for (name, types) in cases {
            let mut taken: HashMap<usize, usize> = HashMap::default();
            let mut slot = |leaf: Type<'a>| {
                let slots = slots_of_type.entry(key(leaf)).or_default();
                let taken = taken.entry(key(leaf)).or_insert(0);
                if *taken == slots.len() {
                    slots.push(layout.leaves.len());
                    layout.leaves.push(leaf);
                }
                *taken += 1;
                slots[*taken - 1]
            };
            let payload = types
                .iter()
                .map(|ty| self.known_leaves(*ty).into_iter().map(&mut slot).collect());
            let payload = payload.collect();
            layout.cases.push(Case {
                name: name.clone(),
                payload,
            });
        }
        layout
    }

    fn flat_closure(&self, ty: Type<'a>, signature: Type<'a>) -> Type<'a> {
        let (parameters, given) = closure_signature(signature);
        let (mut inputs, mut results, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for input in parameters {
            match host_type(input) {
                Some(HostType::Ref(pointee)) => {
                    let leaves = self.known_leaves(pointee);
                    inputs.extend(leaves.clone());
                    outputs.extend(leaves);
                }
                _ => inputs.extend(self.known_leaves(input)),
            }
        }
        results.extend(
            given
                .into_iter()
                .flat_map(|result| self.known_leaves(result)),
        );
        results.extend(outputs);
        let signature = FunctionType::new(self.context, &inputs, &results);
        closure(signature.into(), is_escaping(ty))
    }

    fn infinite(&self, root: Type<'a>, user: Location<'a>) -> Diagnostic<'a> {
        let message = format!(
            "'{root}' contains itself, so its size is infinite; put the inner value into a class"
        );
        let error = diag::error(user, message);
        match host_type(root) {
            Some(HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. }) => {
                error.note(self.nominal[declaration].location(), "it is declared here")
            }
            _ => error,
        }
    }
}

/// The parts of a type.
enum Parts<'a> {
    /// It is its own only leaf.
    None,
    Reference(Type<'a>),
    Array(Type<'a>),
    /// With its signature.
    Closure(Type<'a>, Type<'a>),
    Fields(Vec<(String, Type<'a>)>),
    Cases(Cases<'a>),
}

/// The cases of an enum with the types of their payloads.
type Cases<'a> = Vec<(String, Vec<Type<'a>>)>;

impl<'a> Parts<'a> {
    fn types(&self) -> Box<dyn Iterator<Item = Type<'a>> + '_> {
        match self {
            Parts::None => Box::new(std::iter::empty()),
            Parts::Reference(part) | Parts::Array(part) => Box::new(std::iter::once(*part)),
            Parts::Closure(_, signature) => {
                let (inputs, results) = closure_signature(*signature);
                // An inout parameter is its value.
                let all = inputs.into_iter().chain(results);
                Box::new(all.map(|ty| match host_type(ty) {
                    Some(HostType::Ref(pointee)) => pointee,
                    _ => ty,
                }))
            }
            Parts::Fields(fields) => Box::new(fields.iter().map(|(_, ty)| *ty)),
            Parts::Cases(cases) => Box::new(cases.iter().flat_map(|(_, types)| types).copied()),
        }
    }
}

/// Returns the fields of a struct or class declaration for its type arguments.
pub(crate) fn fields<'a>(declaration: Op<'a>, arguments: &[Type<'a>]) -> Vec<(String, Type<'a>)> {
    let params = strings(declaration, "type_params");
    let substitution: Vec<_> = params.zip(arguments.iter().copied()).collect();
    let types = types(declaration, "field_types").map(|ty| substitute(ty, &substitution));
    let names = strings(declaration, "field_names").map(str::to_owned);
    names.zip(types).collect()
}

/// Returns the cases of an enum declaration for its type arguments.
fn cases<'a>(declaration: Op<'a>, arguments: &[Type<'a>]) -> Cases<'a> {
    let params = strings(declaration, "type_params");
    let substitution: Vec<_> = params.zip(arguments.iter().copied()).collect();
    let payloads = elements(declaration, "case_types").map(|payload| {
        let types = elements_of(payload).filter_map(type_of);
        types.map(|ty| substitute(ty, &substitution)).collect()
    });
    let names = strings(declaration, "case_names").map(str::to_owned);
    names.zip(payloads).collect()
}

fn type_of(attribute: Attribute<'_>) -> Option<Type<'_>> {
    TypeAttribute::cast(attribute).map(|attribute| attribute.value())
}

/// Returns the texts of an array attribute of an operation.
pub(crate) fn strings<'a>(op: Op<'a>, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    elements(op, name).filter_map(attribute::text)
}

/// Returns the types of an array attribute of an operation.
pub(crate) fn types<'a>(op: Op<'a>, name: &str) -> impl Iterator<Item = Type<'a>> + use<'a> {
    elements(op, name).filter_map(type_of)
}

/// Returns the elements of an array attribute of an operation.
pub(crate) fn elements<'a>(
    op: Op<'a>,
    name: &str,
) -> impl Iterator<Item = Attribute<'a>> + use<'a> {
    op.attribute(name).into_iter().flat_map(elements_of)
}

fn elements_of(attribute: Attribute<'_>) -> impl Iterator<Item = Attribute<'_>> {
    let array = ArrayAttribute::cast(attribute);
    array
        .into_iter()
        .flat_map(|array| (0..array.len()).filter_map(move |index| array.element(index).ok()))
}

/// Returns the parameters and results of a closure of this signature.
pub(crate) fn closure_signature(signature: Type<'_>) -> (Vec<Type<'_>>, Vec<Type<'_>>) {
    signature_of(FunctionType::try_from(signature).expect("a closure has a signature"))
}

/// Returns whether a type is a reference type.
pub(crate) fn is_reference(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Ref(_)))
}

/// Types are unique in their context, so an address identifies one.
pub(crate) fn key(ty: Type<'_>) -> usize {
    ty.to_raw().ptr as usize
}
