//! The classes of values that may be the same list, with what is known of them.
//!
//! ```text
//! %l = TensorListReserve([16, 64], 50)     elements [16, 64], 50 of them
//! %r = while (%m = %l) ...                 %l, %m, what the body yields for %m, and %r are one class
//! send %l                                  the class stays a list
//! ```

use melior::Context;
use melior::ir::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::tensor::{self, TensorOp};
use tfx_dialects::{comm, types::is_graph_only};
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Builder, Op, Region, Value};

use super::bounds::{self, Bound};
use super::loops::Loops;
use super::{MOST_BYTES, zero_elements};

/// The integers of a constant, with its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) sizes: Vec<u64>,
    pub(super) numbers: Vec<i64>,
}

/// The tensor that the lists of a class become.
#[derive(Clone, Debug)]
pub(super) struct Class<'a> {
    pub(super) ty: Type<'a>,
    /// The sizes of an element.
    pub(super) item: Vec<u64>,
    /// The greatest number of elements; `None` if it is computed where a list is made.
    pub(super) length: Option<u64>,
    /// The shape of elements that the operations state which make the lists, if it is one.
    pub(super) stated: Option<Stated>,
    /// The lists grow and shrink, and need a count.
    pub(super) is_stack: bool,
}

/// The greatest number of elements of the lists of a class.
#[derive(Debug)]
enum Length<'a> {
    /// The operations that make lists state it.
    Stated(u64),
    Pushed(Bound<'a>),
}

/// A property of which all operations of a class must state the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Common<T> {
    #[default]
    Unknown,
    Known(T),
    Different,
}

impl<T: PartialEq> Common<T> {
    fn add(&mut self, other: T) {
        *self = match std::mem::take(self) {
            Common::Unknown => Common::Known(other),
            Common::Known(own) if own == other => Common::Known(own),
            _ => Common::Different,
        };
    }

    fn known(&self) -> Option<&T> {
        match self {
            Common::Known(known) => Some(known),
            _ => None,
        }
    }
}

/// The properties that the operations of a class state.
#[derive(Debug, Default)]
struct Facts<'a> {
    element: Common<Type<'a>>,
    item: Common<Vec<u64>>,
    length: Common<u64>,
    stated: Common<Option<Stated>>,
    /// An operation needs the shape that is stated.
    needs_stated: bool,
    is_stack: bool,
    is_array: bool,
    /// An operation that is not known, or a value that leaves the program.
    stays: bool,
    /// Lists are made that may have any number of elements.
    is_unbounded: bool,
    /// The operations that make lists that grow.
    makers: Vec<Op<'a>>,
    pushes: Vec<Op<'a>>,
    pops: Vec<Op<'a>>,
}

/// The classes of a module.
pub(super) struct Classes<'a> {
    context: &'a Context,
    numbers: FxHashMap<Value<'a>, usize>,
    parents: Vec<usize>,
    /// By representative.
    facts: Vec<Facts<'a>>,
    chosen: FxHashMap<usize, Class<'a>>,
    /// The number of elements in each list of a class that grows.
    pub(super) counts: FxHashMap<Value<'a>, Value<'a>>,
    /// The greatest number of elements of a list that grows, where it is computed.
    pub(super) lengths: FxHashMap<Value<'a>, Value<'a>>,
    /// Operations that are replaced. Their values are keys here, so they stay until all is done: a
    /// new value could have the address of one that is gone.
    retired: Vec<Op<'a>>,
}

impl<'a> Classes<'a> {
    pub(super) fn of(module: Op<'a>) -> Self {
        let mut classes = Classes {
            context: module.context(),
            numbers: FxHashMap::default(),
            parents: Vec::new(),
            facts: Vec::new(),
            chosen: FxHashMap::default(),
            counts: FxHashMap::default(),
            lengths: FxHashMap::default(),
            retired: Vec::new(),
        };
        let graphs: FxHashMap<&str, Op<'a>> = module
            .children()
            .filter(|op| op.isa::<tensor::Graph>())
            .filter_map(|op| Some((op.symbol_name()?, op)))
            .collect();
        let starts = module.walk().filter_map(comm::Start::cast);
        let started: FxHashSet<&str> = starts.map(comm::Start::graph).collect();
        let mut joined = Vec::new();
        for (name, graph) in &graphs {
            if !graph.is_private() || started.contains(name) {
                classes.keep_signature(*graph);
            }
        }
        for op in module.walk() {
            classes.operation(op, &graphs, &mut joined);
        }
        // The facts of each value are there before its class is known.
        for (one, other) in joined {
            classes.join(one, other);
        }
        classes
    }

    fn number(&mut self, value: Value<'a>) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(value).or_insert(next);
        if number == next {
            self.parents.push(next);
            self.facts.push(Facts::default());
        }
        number
    }

    fn find(&mut self, mut number: usize) -> usize {
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    fn facts(&mut self, value: Value<'a>) -> &mut Facts<'a> {
        let number = self.number(value);
        let root = self.find(number);
        &mut self.facts[root]
    }

    fn join(&mut self, one: Value<'a>, other: Value<'a>) {
        let (one, other) = (self.number(one), self.number(other));
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return;
        }
        let (kept, gone) = (one.min(other), one.max(other));
        self.parents[gone] = kept;
        let gone = std::mem::take(&mut self.facts[gone]);
        let facts = &mut self.facts[kept];
        merge(&mut facts.element, gone.element);
        merge(&mut facts.item, gone.item);
        merge(&mut facts.length, gone.length);
        merge(&mut facts.stated, gone.stated);
        facts.needs_stated |= gone.needs_stated;
        facts.is_stack |= gone.is_stack;
        facts.is_array |= gone.is_array;
        facts.stays |= gone.stays;
        facts.is_unbounded |= gone.is_unbounded;
        facts.makers.extend(gone.makers);
        facts.pushes.extend(gone.pushes);
        facts.pops.extend(gone.pops);
    }

    /// The parameters and results of a graph keep their types.
    fn keep_signature(&mut self, graph: Op<'a>) {
        let body = graph.region(0).entry();
        let arguments = body.into_iter().flat_map(|body| body.arguments());
        let returned = body.and_then(tfx_ir::Block::terminator);
        let returned = returned.into_iter().flat_map(|op| op.operands());
        let values: Vec<_> = arguments.chain(returned).collect();
        for value in values.into_iter().filter(|value| is_list(*value)) {
            self.facts(value).stays = true;
        }
    }

    fn operation(
        &mut self,
        op: Op<'a>,
        graphs: &FxHashMap<&str, Op<'a>>,
        joined: &mut Vec<(Value<'a>, Value<'a>)>,
    ) {
        let mut pair = |one: Value<'a>, other: Value<'a>| {
            if is_list(one) {
                joined.push((one, other));
            }
        };
        match TensorOp::cast(op) {
            Some(TensorOp::Op(op)) => self.list_operation(op, joined),
            Some(TensorOp::While(_)) => {
                let [condition, body] = [0, 1].map(|region| op.region(region).entry());
                let (Some(condition), Some(body)) = (condition, body) else {
                    return;
                };
                let yielded = body.terminator();
                for (position, initial) in op.operands().enumerate() {
                    pair(initial, op.result(position));
                    pair(initial, condition.argument(position));
                    pair(initial, body.argument(position));
                    if let Some(yielded) = yielded {
                        pair(initial, yielded.operand(position));
                    }
                }
            }
            Some(TensorOp::If(_) | TensorOp::Case(_)) => {
                for terminator in op.regions().filter_map(Region::terminator) {
                    for (result, yielded) in op.results().zip(terminator.operands()) {
                        pair(result, yielded);
                    }
                }
            }
            Some(TensorOp::Call(call)) => {
                let callee = graphs.get(call.callee()).copied();
                let body = callee.and_then(|graph| graph.region(0).entry());
                let Some(body) = body else { return };
                for (operand, argument) in op.operands().zip(body.arguments()) {
                    pair(operand, argument);
                }
                let returned = body.terminator();
                let returned = returned.into_iter().flat_map(|op| op.operands());
                for (result, value) in op.results().zip(returned) {
                    pair(result, value);
                }
                // A count has no place in the signature.
                for value in op.operands().chain(op.results()).filter(|it| is_list(*it)) {
                    self.facts(value).is_array = true;
                }
            }
            Some(TensorOp::Graph(_) | TensorOp::Yield(_) | TensorOp::Return(_)) => {}
            _ => {
                for value in op.operands().chain(op.results()).filter(|it| is_list(*it)) {
                    self.facts(value).stays = true;
                }
            }
        }
    }

    fn list_operation(&mut self, op: tensor::Op<'a>, joined: &mut Vec<(Value<'a>, Value<'a>)>) {
        let lists = op.op().operands().chain(op.op().results());
        let lists: Vec<_> = lists.filter(|value| is_list(*value)).collect();
        let Some(&first) = lists.first() else { return };
        let name = op.tf_name();
        let operand = |index: usize| op.op().operands().nth(index);
        let facts = self.facts(first);
        match name {
            "TensorListReserve" | "EmptyTensorList" => {
                let (shape, length) = (operand(0), operand(1));
                facts.state(shape);
                match op.op().type_attribute("element_dtype") {
                    Some(ty) => facts.element.add(ty),
                    None => facts.stays = true,
                }
                let length = length.and_then(tensors::integers).unwrap_or_default();
                let is_stack = name == "EmptyTensorList";
                match length[..] {
                    [length] if length >= 0 => facts.length.add(length as u64),
                    _ if is_stack => facts.is_unbounded = true,
                    _ => facts.stays = true,
                }
                match is_stack {
                    true => facts.is_stack = true,
                    false => facts.is_array = true,
                }
                facts.makers.extend(is_stack.then_some(op.op()));
            }
            "TensorListFromTensor" => {
                facts.is_array = true;
                facts.state(operand(1));
                let ty = operand(0).map(Value::ty);
                match ty.and_then(types::sizes).as_deref() {
                    Some([Some(length), ..]) => facts.length.add(*length),
                    _ => facts.stays = true,
                }
                facts.stack_of(ty);
                // The tensor is the list.
                facts.stays |= !ty.is_some_and(is_static);
            }
            "TensorListSetItem" => {
                facts.is_array = true;
                facts.stays |= op.op().boolean("resize_if_index_out_of_bounds") == Some(true);
                facts.has_item(operand(2).map(Value::ty));
            }
            "TensorListGetItem" => {
                facts.is_array = true;
                facts.has_item(Some(op.op().result(0).ty()));
            }
            "TensorListStack" => {
                facts.is_array = true;
                facts.stack_of(Some(op.op().result(0).ty()));
            }
            "TensorListPushBack" => {
                facts.is_stack = true;
                facts.has_item(operand(1).map(Value::ty));
                facts.pushes.push(op.op());
            }
            "TensorListPopBack" => {
                facts.is_stack = true;
                facts.has_item(Some(op.op().result(1).ty()));
                facts.pops.push(op.op());
            }
            "TensorListElementShape" => facts.needs_stated = true,
            "TensorListLength" | "Identity" => {}
            "AddN" | "ZerosLike" => facts.is_array = true,
            _ => facts.stays = true,
        }
        joined.extend(lists.iter().skip(1).map(|&other| (first, other)));
    }

    /// Replaces the elements of lists that grow, if all elements are the same constant. Returns the
    /// number of replaced elements.
    pub(super) fn replace_known_elements(&mut self) -> u64 {
        let mut replaced = 0;
        for facts in &self.facts {
            let constant = |push: &Op<'a>| {
                let value = push.operand(1);
                let op = value.defining_op().and_then(tensor::Const::cast)?;
                Some((op.value(), value.ty()))
            };
            let Some((value, ty)) = facts.pushes.first().and_then(constant) else {
                continue;
            };
            let is_same = |push| constant(push) == Some((value, ty));
            if facts.stays || facts.is_array || !facts.pushes.iter().all(is_same) {
                continue;
            }
            for pop in facts.pops.iter().filter(|pop| !pop.result(1).is_unused()) {
                let mut builder = Builder::before(*pop);
                let element = tensor::Const::build(&mut builder, ty, value).result();
                let old = pop.result(1).ty();
                let same = super::tf(&mut builder, "Identity", &[element], old);
                pop.result(1).replace_all_uses_with(same);
                replaced += 1;
            }
        }
        replaced
    }

    /// Chooses the classes that become tensors. Returns their number.
    pub(super) fn choose(&mut self, module: Op<'a>) -> u64 {
        let loops = Loops::of(module, self);
        let mut found = Vec::new();
        for (number, facts) in self.facts.iter().enumerate() {
            if self.parents[number] != number {
                continue;
            }
            let length = match facts.is_unbounded {
                true => bounds::of_pushes(&facts.pushes, |op| loops.is_carried(op, number))
                    .map(Length::Pushed),
                false => facts.length.known().copied().map(Length::Stated),
            };
            if let Some(length) = length
                && let Some(class) = facts.class(self.context, &length)
            {
                found.push((number, class, length));
            }
        }
        let mut compiled = found.iter().map(|(number, ..)| *number).collect();
        loops.retain_compiled(&mut compiled);
        found.retain(|(number, ..)| compiled.contains(number));
        for (number, class, length) in found {
            if let (None, Length::Pushed(bound)) = (class.length, length) {
                for maker in &self.facts[number].makers {
                    let mut builder = Builder::before(*maker);
                    let length = bound.build(&mut builder);
                    self.lengths.insert(maker.result(0), length);
                }
            }
            self.chosen.insert(number, class);
        }
        self.chosen.len() as u64
    }

    /// Returns the number of the class of a list.
    pub(super) fn class_of(&mut self, list: Value<'a>) -> usize {
        let number = self.number(list);
        self.find(number)
    }

    /// Returns the class of a value that becomes a tensor.
    pub(super) fn lowered(&mut self, value: Value<'a>) -> Option<Class<'a>> {
        let number = *self.numbers.get(&value)?;
        let root = self.find(number);
        self.chosen.get(&root).cloned()
    }

    /// Replaces the results of an operation, which is erased at the end.
    pub(super) fn retire(&mut self, op: Op<'a>, values: &[Value<'a>]) {
        for (result, value) in op.results().zip(values) {
            result.replace_all_uses_with(*value);
        }
        self.retired.push(op);
    }

    /// Erases the operations that are replaced.
    pub(super) fn erase_retired(&mut self) {
        self.retired.drain(..).for_each(Op::erase);
    }

    /// Lets another value be in the class of a value.
    pub(super) fn move_to(&mut self, old: Value<'a>, new: Value<'a>) {
        if let Some(&number) = self.numbers.get(&old) {
            self.numbers.insert(new, number);
        }
    }
}

fn merge<T: PartialEq>(own: &mut Common<T>, other: Common<T>) {
    match other {
        Common::Unknown => {}
        Common::Known(other) => own.add(other),
        Common::Different => *own = Common::Different,
    }
}

impl<'a> Facts<'a> {
    /// Adds the shape that an operation states which makes a list.
    fn state(&mut self, shape: Option<Value<'a>>) {
        let constant = shape.and_then(|shape| {
            let sizes: Option<Vec<u64>> = types::sizes(shape.ty())?.into_iter().collect();
            Some(Stated {
                sizes: sizes?,
                numbers: tensors::integers(shape)?,
            })
        });
        if let Some(stated) = &constant {
            let sizes = stated.numbers.iter().map(|&size| u64::try_from(size).ok());
            // A scalar is -1: a shape of any rank.
            if let (1, Some(sizes)) = (stated.sizes.len(), sizes.collect()) {
                self.item.add(sizes);
            }
        }
        self.stated.add(constant);
    }

    /// Adds the type of an element.
    fn has_item(&mut self, ty: Option<Type<'a>>) {
        let Some(ty) = ty else { return };
        self.element.add(types::element_type(ty));
        let sizes = types::sizes(ty).and_then(|sizes| sizes.into_iter().collect());
        if let Some(sizes) = sizes {
            self.item.add(sizes);
        }
    }

    /// Adds the type of all elements together.
    fn stack_of(&mut self, ty: Option<Type<'a>>) {
        let Some(ty) = ty else { return };
        self.element.add(types::element_type(ty));
        let sizes = types::sizes(ty).unwrap_or_default();
        if let Some((_, item)) = sizes.split_first()
            && let Some(item) = item.iter().copied().collect()
        {
            self.item.add(item);
        }
    }

    /// Returns the tensor that the lists become, which have this number of elements at most.
    fn class(&self, context: &'a Context, length: &Length<'a>) -> Option<Class<'a>> {
        let (element, item) = (*self.element.known()?, self.item.known()?.clone());
        let stated = self.stated.known().cloned().flatten();
        let is_one_kind = self.is_stack != self.is_array;
        if self.stays || !is_one_kind || self.needs_stated && stated.is_none() {
            return None;
        }
        if item.contains(&0) {
            return None;
        }
        let (length, may_be_large) = match length {
            Length::Stated(0) => return None,
            Length::Stated(length) => (Some(*length), false),
            Length::Pushed(bound) => {
                let constant = bound.as_constant();
                let is_known = |maker: &Op<'a>| bound.is_known_before(*maker);
                if constant.is_none() && !self.makers.iter().all(is_known) {
                    return None;
                }
                // A list has as much memory, and a tensor has an element.
                (constant.map(|length| length.max(1)), !bound.is_inexact)
            }
        };
        let sizes: Vec<_> = std::iter::once(length)
            .chain(item.iter().map(|size| Some(*size)))
            .collect();
        let ty = types::tensor_of(context, Some(&sizes), element);
        let bits = types::width(element).unwrap_or(64);
        let bytes = item.iter().try_fold(length.unwrap_or(1), |product, &size| {
            product.checked_mul(size)
        });
        let bytes = bytes.and_then(|count| count.checked_mul(u64::from(bits.div_ceil(8))));
        let fits = bytes.is_some_and(|bytes| may_be_large || bytes <= MOST_BYTES);
        let scalar = types::tensor_of(context, Some(&[]), element);
        (fits && zero_elements(context, scalar).is_some()).then_some(Class {
            ty,
            item,
            length,
            stated,
            is_stack: self.is_stack,
        })
    }
}

/// Returns whether a value is a tensor of variants, which are lists here.
pub(super) fn is_list(value: Value<'_>) -> bool {
    is_graph_only(value.ty()) && value.ty().to_string().contains("variant")
}

fn is_static(ty: Type<'_>) -> bool {
    types::sizes(ty).is_some_and(|sizes| sizes.iter().all(Option::is_some))
}
