//! Replaces arrays of known length by their elements, if they are only read and changed.
//!
//! ```text
//!   %a = array(%x, %y)                           the second element is %y, the count is 2
//!   %e = array_get %a[%i]              ──►       switch %i [0: ^after(%x), 1: ^after(%y), default: ^outside]
//!   %n = array_count %a                          ^outside: abort
//! ```
//!
//! A literal may be forwarded by branches (a list of weights that a loop updates): if all literals
//! of a web have equally many elements, each block argument becomes one argument for each element.
//! A constant index selects the element directly; any other index becomes a switch over all
//! elements, which aborts if the index is out of bounds. A computed attribute gets an array of its
//! own, built where it is used. A change with a constant index is another list of elements; one
//! with a dynamic index selects each element, if there are few, of one shape.
//!
//! Cost: linear in the web's branches and changes times its elements; one edge or selection for
//! each element if an index is not constant.

use rustc_hash::FxHashMap as HashMap;
use tfx_dialects::host;
use tfx_ir::ops::arith::{self, CmpIPredicate};

use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef_mlir::types;
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::webs::{Kind, Web, undefined, webs};

/// The largest number of elements that a dynamic index selects from: each is an edge, and in a
/// graph a branch of a `Case`. A larger table belongs into a tensor.
pub(crate) const MAX_CHOICES: usize = 256;

/// The largest number of elements that a change with a dynamic index selects from: one selection
/// for each. Host code changes a larger array in place.
const MAX_SELECTIONS: usize = 8;

/// Replaces the arrays of a region. Returns whether there were any.
pub(crate) fn resolve(region: Region<'_>) -> bool {
    let mut any = false;
    for web in webs(region, Kind::Array) {
        match length(&web) {
            Some(length) if !web.readers.is_empty() => {
                take_apart(&web, length);
                any = true;
            }
            _ => any |= read_literals(&web),
        }
    }
    any
}

/// Folds reads that do not depend on the web: the count, and the elements at constant indices of a
/// literal that is read directly.
pub(crate) fn resolve_known(region: Region<'_>) {
    for web in webs(region, Kind::Array) {
        let length = common_length(&web);
        for reader in &web.readers {
            match (host::ArrayCount::cast(*reader), length) {
                (Some(count), Some(length)) => replace_count(count, length),
                _ => _ = read_literal(*reader, is_known),
            }
        }
    }
}

fn is_known(reader: Op<'_>, length: usize) -> bool {
    match host::ArrayGet::cast(reader) {
        Some(get) => constant_index(get).is_some_and(|index| index < length),
        None => true,
    }
}

/// Returns the literal that a read refers to.
fn direct(reader: Op<'_>) -> Option<Op<'_>> {
    let literal = reader.operand(0).defining_op();
    literal.filter(|op| op.isa::<host::Array>())
}

/// Returns the number of elements of each array of a closed web, if it is one number and every read
/// can be resolved.
fn length(web: &Web<'_>) -> Option<usize> {
    common_length(web).filter(|length| {
        let (mut readers, mut changes) = (web.readers.iter(), web.changes.iter());
        readers.all(|reader| can_resolve(*reader, *length))
            && changes.all(|change| can_select(*change, *length))
    })
}

/// Returns the number of elements of each array of a closed web, if it is one number.
fn common_length(web: &Web<'_>) -> Option<usize> {
    let mut lengths = literals(web).map(made);
    let length = lengths.next()??;
    (!web.is_open && lengths.all(|other| other == Some(length))).then_some(length)
}

fn literals<'w, 'a>(web: &'w Web<'a>) -> impl Iterator<Item = Op<'a>> + 'w {
    let makers = web.makers.iter().copied();
    makers.filter(|op| !op.isa::<host::Undef>())
}

/// Returns the number of elements of an array that an operation makes, if it is known and not too
/// large.
fn made(op: Op<'_>) -> Option<usize> {
    match host::ArrayFill::cast(op) {
        Some(fill) => usize::try_from(fill.count().constant_int()?)
            .ok()
            .filter(|count| *count <= MAX_CHOICES),
        None => Some(op.num_operands()),
    }
}

fn can_resolve(reader: Op<'_>, length: usize) -> bool {
    is_known(reader, length) || length <= MAX_CHOICES
}

/// Returns whether a change becomes other elements, or a selection for each element. A graph
/// selects between tensors by broadcasting, so these must be of one shape.
fn can_select(change: Op<'_>, length: usize) -> bool {
    let ty = change.operand(host::ArraySet::VALUE_INDEX).ty();
    let sizes = ty.is_tensor().then(|| types::sizes(ty));
    let is_known =
        sizes.is_none_or(|sizes| sizes.is_some_and(|sizes| sizes.iter().all(Option::is_some)));
    match changed_index(change) {
        Some(index) => index < length,
        None => length <= MAX_SELECTIONS && is_known,
    }
}

/// Returns the index of a change, if it is a constant that is not negative.
fn changed_index(change: Op<'_>) -> Option<usize> {
    let set = host::ArraySet::cast(change).expect("an array is changed by its elements");
    usize::try_from(set.index().constant_int()?).ok()
}

/// Builds the elements of changed arrays.
fn change_all<'a>(web: &Web<'a>, parts: &mut HashMap<Value<'a>, Vec<Value<'a>>>) {
    for first in &web.changes {
        // The changes that this one needs come first.
        let mut todo = vec![*first];
        while let Some(op) = todo.last().copied() {
            let old = op.operand(host::ArraySet::ARRAY_INDEX);
            if parts.contains_key(&op.result(0)) {
                todo.pop();
            } else if let Some(elements) = parts.get(&old) {
                let elements = changed(op, elements);
                parts.insert(op.result(0), elements);
                todo.pop();
            } else {
                todo.push(old.defining_op().expect("arguments have parts already"));
            }
        }
    }
}

/// Builds the elements of one changed array.
fn changed<'a>(change: Op<'a>, elements: &[Value<'a>]) -> Vec<Value<'a>> {
    let set = host::ArraySet::cast(change).expect("an array is changed by its elements");
    let mut elements = elements.to_vec();
    if let Some(index) = changed_index(change) {
        elements[index] = set.value();
        return elements;
    }
    let mut builder = Builder::before(change);
    let number = |builder: &mut Builder<'a>, number: usize| {
        builder.constant_int(number as i64, set.index().ty())
    };
    let end = number(&mut builder, elements.len());
    let fits = arith::CmpI::build(&mut builder, CmpIPredicate::Ult, set.index(), end);
    host::Assert::build(&mut builder, fits.result(), &message(elements.len()), &[]);
    for (index, element) in elements.iter_mut().enumerate() {
        let this = number(&mut builder, index);
        let is_this = arith::CmpI::build(&mut builder, CmpIPredicate::Eq, set.index(), this);
        let condition = is_this.result();
        let select = arith::Select::build(&mut builder, condition, set.value(), *element);
        *element = select.result();
    }
    elements
}

/// Returns the message for an index out of bounds.
fn message(length: usize) -> String {
    match length {
        1 => "index is out of bounds of an array of 1 element".to_owned(),
        length => format!("index is out of bounds of an array of {length} elements"),
    }
}

fn take_apart<'a>(web: &Web<'a>, length: usize) {
    let types = vec![element_type(web); length];
    let mut parts: HashMap<Value<'a>, Vec<Value<'a>>> = HashMap::default();
    for maker in &web.makers {
        let elements = match (maker.isa::<host::Array>(), host::ArrayFill::cast(*maker)) {
            (true, _) => maker.operands().collect(),
            (false, Some(fill)) => vec![fill.value(); length],
            (false, None) => undefined(&mut Builder::before(*maker), &types),
        };
        parts.insert(maker.result(0), elements);
    }
    web.add_arguments(&types, &mut parts);
    change_all(web, &mut parts);
    web.append_parts(&parts);
    for reader in web.readers.iter().rev() {
        read(*reader, &parts[&reader.operand(0)]);
    }
    for whole in &web.wholes {
        let array = whole.owner.operand(whole.operand);
        let mut builder = Builder::before(whole.owner).at(array.location());
        let own = host::Array::build(&mut builder, array.ty(), &parts[&array]);
        whole.owner.set_operand(whole.operand, own.array());
    }
    web.erase();
}

fn element_type<'a>(web: &Web<'a>) -> Type<'a> {
    match host_type(web.makers[0].result(0).ty()) {
        Some(HostType::Array(element)) => element,
        _ => unreachable!("the values of the web are arrays"),
    }
}

/// Folds the reads of a literal itself, if the array also has other uses.
fn read_literals(web: &Web<'_>) -> bool {
    let mut any = false;
    for reader in web.readers.iter().rev() {
        any |= read_literal(*reader, can_resolve);
    }
    any
}

/// Folds a read of a literal itself, if its number of elements allows. Returns whether it did.
fn read_literal(reader: Op<'_>, can: impl Fn(Op<'_>, usize) -> bool) -> bool {
    let literal = direct(reader).filter(|op| can(reader, op.num_operands()));
    if let Some(literal) = literal {
        let elements: Vec<_> = literal.operands().collect();
        read(reader, &elements);
    }
    literal.is_some()
}

fn read<'a>(reader: Op<'a>, elements: &[Value<'a>]) {
    if let Some(count) = host::ArrayCount::cast(reader) {
        return replace_count(count, elements.len());
    }
    let get = host::ArrayGet::cast(reader).expect("an array is read by its elements or its count");
    match constant_index(get).and_then(|index| elements.get(index)) {
        Some(element) => get.replace_with(&[*element]),
        None => choose(get, elements),
    }
}

fn replace_count(count: host::ArrayCount<'_>, length: usize) {
    let ty = count.count().ty();
    let constant = Builder::before(count.op()).constant_int(length as i64, ty);
    count.replace_with(&[constant]);
}

fn choose<'a>(get: host::ArrayGet<'a>, elements: &[Value<'a>]) {
    let location = get.location();
    let block = get.block().expect("a read is in a block");
    let after = block.split_before(get.op());
    let chosen = after.add_argument(get.element().ty(), location);
    let outside = Block::new(&[]);
    outside.move_before(after);
    let mut builder = Builder::at_end(outside, location);
    host::Abort::build(&mut builder, &message(elements.len()), &[]);
    host::Unreachable::build(&mut builder);
    let mut builder = Builder::at_end(block, location);
    let ty = IntegerType::new(builder.context(), u64::BITS);
    let number = arith::IndexCast::build(&mut builder, ty.into(), get.index()).out();
    let elements = elements.iter().map(std::slice::from_ref);
    let cases = (0..).zip(elements);
    let cases: Vec<_> = cases
        .map(|(index, element)| (index, after, element))
        .collect();
    match cases.is_empty() {
        true => builder.br(outside, &[]),
        false => builder.cf_switch(number, (outside, &[]), &cases),
    };
    get.replace_with(&[chosen]);
}

/// Returns the index of a read, if it is a constant that is not negative.
pub(crate) fn constant_index(get: host::ArrayGet<'_>) -> Option<usize> {
    usize::try_from(get.index().constant_int()?).ok()
}
