//! `tfx-lower-lists`: lists of tensors become tensors.
//!
//! ```text
//! %l = TensorListReserve([16, 64], 50)      %l = const 0 : tensor<50x16x64xf32>
//! %m = TensorListSetItem(%l, %i, %v)   ──►  %m = TensorScatterUpdate(%l, [[%i]], [%v])
//! %w = TensorListGetItem(%m, %j)            %w = GatherV2(%m, %j, 0)
//! %t = TensorListStack(%m)                  %t = %m
//!
//! %s = EmptyTensorList([16, 64], 50)        %s = const 0 : tensor<50x16x64xf32>; %n = const 0
//! %p = TensorListPushBack(%s, %v)      ──►  %p = TensorScatterUpdate(%s, [[%n]], [%v]); %k = %n + 1
//! %q, %v = TensorListPopBack(%p)            %v = GatherV2(%p, %k - 1, 0); %q = %p, of %k - 1
//! ```
//!
//! A loop over a sequence reads and writes lists, and so does the loop of its derivative. There is
//! no native code for lists: they hold tensors of any shape.
//!
//! # Algorithm
//!
//! Values that may be the same list are one class (union-find): the operands and results of the
//! operations above, and what loops, branches and calls forward. A class becomes a tensor if the
//! shape of its elements and their greatest number are known, all its operations are known, and
//! no list of it is an input or a result of a program. Lists that grow also need their count, which
//! loops and branches carry next to them (`lower_lists/stacks.rs`). If nothing states their
//! greatest number of elements, as for the tapes of derivatives, the loops that push them bound it
//! (`lower_lists/bounds.rs`). A list that an interpreted loop carries stays a list
//! (`lower_lists/loops.rs`).
//!
//! If all elements of a list that grows are the same constant, each element is that constant. Such
//! are the shapes and lengths that TensorFlow's derivatives of loops keep. They may make other
//! lists known, so the pass repeats, with `tfx-fold-constants` before each round. The lengths and
//! shapes of lists whose origin is known are constants, too (`lower_lists/properties.rs`).
//!
//! Cost: linear in the graphs for each round, apart from the inverse Ackermann function of
//! union-find. Each round but the last one removes a class.
//!
//! # Non-guarantees
//!
//! A list that is read or written outside of its bounds is still an error, in other words: those of
//! the operations of tensors. Lists whose greatest number of elements is unknown stay lists, and so
//! do those of more than [`MOST_BYTES`].

mod bounds;
mod classes;
mod loops;
mod properties;
mod stacks;

use melior::Context;
use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Type};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::types;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Builder, Op, Value};

use classes::{Class, Classes};

/// The bytes of the largest list that becomes a tensor. The memory of a tensor is there from the
/// start, and a loop may end long before its greatest number of iterations.
const MOST_BYTES: u64 = 64 << 20;

const LISTS: Statistic = Statistic::new("lists", "Lists that became tensors");

/// Computes what the operations on lists state: shapes and numbers of elements.
const FOLD_CONSTANTS: &str = "tfx-fold-constants";

/// `tfx-lower-lists`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct LowerLists;

impl Pass for LowerLists {
    type Options = ();
    const NAME: &'static str = "TfxLowerLists";
    const ARGUMENT: &'static str = "tfx-lower-lists";
    const DESCRIPTION: &'static str = "Replace lists of tensors of one shape by tensors";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[LISTS];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        let mut has_changed = false;
        while has_lists(module) {
            cx.run_pipeline(module, FOLD_CONSTANTS)?;
            has_changed = round(module, cx);
            if !has_changed {
                break;
            }
        }
        if has_changed {
            cx.run_pipeline(module, FOLD_CONSTANTS)?;
        }
        Ok(())
    }
}

/// Replaces what is known of lists, or lists if nothing more is known. Returns whether the module
/// has changed.
fn round<'a>(module: Op<'a>, cx: &PassContext<'a, ()>) -> bool {
    if properties::replace(module) > 0 {
        return true;
    }
    bounds::separate(module);
    let mut classes = Classes::of(module);
    // Known elements may make other lists known.
    if classes.replace_known_elements() > 0 {
        return true;
    }
    let lowered = lower(module, &mut classes);
    cx.count(LISTS, lowered);
    lowered > 0
}

/// Returns whether a graph has an operation on lists.
fn has_lists(module: Op<'_>) -> bool {
    let mut ops = module.walk().filter_map(tensor::Op::cast);
    ops.any(|op| op.tf_name().contains("TensorList"))
}

/// Replaces the lists of the classes that may become tensors. Returns the number of classes.
fn lower<'a>(module: Op<'a>, classes: &mut Classes<'a>) -> u64 {
    let lowered = classes.choose(module);
    if lowered == 0 {
        return 0;
    }
    let graphs = module.children().filter(|op| op.isa::<tensor::Graph>());
    for graph in graphs {
        // The order of the program: a list is replaced before its users are.
        for op in graph.walk().collect::<Vec<_>>() {
            stacks::carry(op, classes);
            if let Some(op) = tensor::Op::cast(op) {
                operation(op, classes);
            }
        }
        for op in graph.walk() {
            for value in op.definitions() {
                if let Some(class) = classes.lowered(value) {
                    value.set_ty(class.ty);
                }
            }
        }
        let (inputs, results) = graph.signature();
        let body = graph.region(0).entry().expect("a graph has a body");
        let new: Vec<_> = body.arguments().map(Value::ty).collect();
        let returned = body.terminator().expect("a graph returns").operands();
        let returned: Vec<_> = returned.map(Value::ty).collect();
        let has_changed = |(old, new): (&Type<'a>, &Type<'a>)| {
            tfx_dialects::types::is_graph_only(*old) && old != new
        };
        if inputs.iter().zip(&new).any(has_changed)
            || results.iter().zip(&returned).any(has_changed)
        {
            graph.set_function_type(FunctionType::new(graph.context(), &new, &returned));
        }
    }
    classes.erase_retired();
    lowered
}

/// Replaces an operation on a list that becomes a tensor.
fn operation<'a>(op: tensor::Op<'a>, classes: &mut Classes<'a>) {
    let mut lists = op.op().operands().chain(op.op().results());
    let Some(class) = lists.find_map(|value| classes.lowered(value)) else {
        return;
    };
    let mut builder = Builder::before(op.op());
    let old = op.op();
    let result = old.result(0);
    match op.tf_name() {
        "TensorListReserve" => {
            let zeros = zeros(&mut builder, class.ty);
            classes.move_to(result, zeros);
            classes.retire(old, &[zeros]);
        }
        "TensorListFromTensor" => classes.retire(old, &[old.operand(0)]),
        // The same operations of tensors.
        "AddN" | "ZerosLike" => {}
        "Identity" if !class.is_stack => {}
        "TensorListSetItem" => {
            let [list, index, item] = [0, 1, 2].map(|operand| old.operand(operand));
            let updated = update(&mut builder, &class, (list, index, item));
            classes.move_to(result, updated);
            classes.retire(old, &[updated]);
        }
        "TensorListGetItem" => {
            let item = item(&mut builder, old.operand(0), old.operand(1), result.ty());
            classes.retire(old, &[item]);
        }
        "TensorListStack" => {
            let same = tf(&mut builder, "Identity", &[old.operand(0)], result.ty());
            classes.retire(old, &[same]);
        }
        "TensorListLength" => {
            let length = match stacks::count(classes, old.operand(0)) {
                Some(count) => count,
                None => {
                    let length = class.length.expect("only lists that grow have no length");
                    integers(&mut builder, 32, &[], &[length as i64])
                }
            };
            let same = tf(&mut builder, "Identity", &[length], result.ty());
            classes.retire(old, &[same]);
        }
        "TensorListElementShape" => {
            let stated = class.stated.clone().expect("`choose` has checked it");
            let bits = types::width(types::element_type(result.ty())).unwrap_or(32);
            let shape = integers(&mut builder, bits, &stated.sizes, &stated.numbers);
            let same = tf(&mut builder, "Identity", &[shape], result.ty());
            classes.retire(old, &[same]);
        }
        _ => stacks::operation(op, &class, classes),
    }
}

/// Builds a tensor with another element at an index of its first dimension.
fn update<'a>(
    builder: &mut Builder<'a>,
    class: &Class<'a>,
    (list, index, item): (Value<'a>, Value<'a>, Value<'a>),
) -> Value<'a> {
    let context = builder.context();
    let one = integers(builder, 32, &[2], &[1, 1]);
    let ty = types::tensor_of(
        context,
        Some(&[Some(1), Some(1)]),
        types::element_type(index.ty()),
    );
    let index = tf(builder, "Reshape", &[index, one], ty);
    let first = integers(builder, 32, &[], &[0]);
    let element = types::element_type(class.ty);
    let sizes: Vec<_> = [1]
        .iter()
        .chain(&class.item)
        .map(|size| Some(*size))
        .collect();
    let ty = types::tensor_of(context, Some(&sizes), element);
    let item = tf(builder, "ExpandDims", &[item, first], ty);
    tf(
        builder,
        "TensorScatterUpdate",
        &[list, index, item],
        class.ty,
    )
}

/// Builds the element at an index of the first dimension.
fn item<'a>(
    builder: &mut Builder<'a>,
    list: Value<'a>,
    index: Value<'a>,
    ty: Type<'a>,
) -> Value<'a> {
    let axis = integers(builder, 32, &[], &[0]);
    tf(builder, "GatherV2", &[list, index, axis], ty)
}

/// Builds an operation with one result.
pub(crate) fn tf<'a>(
    builder: &mut Builder<'a>,
    name: &str,
    operands: &[Value<'a>],
    ty: Type<'a>,
) -> Value<'a> {
    tensor::Op::build(builder, &[ty], name, operands)
        .op()
        .result(0)
}

/// Builds a constant of integers with this number of bits.
pub(crate) fn integers<'a>(
    builder: &mut Builder<'a>,
    bits: u32,
    sizes: &[u64],
    numbers: &[i64],
) -> Value<'a> {
    let context = builder.context();
    let element: Type<'a> = IntegerType::new(context, bits).into();
    let sizes: Vec<_> = sizes.iter().map(|size| Some(*size)).collect();
    let ty = types::tensor_of(context, Some(&sizes), element);
    let attributes: Vec<Attribute<'a>> = numbers
        .iter()
        .map(|&number| IntegerAttribute::new(element, number).into())
        .collect();
    let is_splat = numbers.iter().all(|number| Some(number) == numbers.first());
    let value = match attributes.first() {
        Some(first) if is_splat => DenseElementsAttribute::splat(ty, *first),
        _ => DenseElementsAttribute::new(ty, &attributes).expect("there is a number for each"),
    };
    tensor::Const::build(builder, ty, value.into()).result()
}

/// Builds a constant of zeros.
fn zeros<'a>(builder: &mut Builder<'a>, ty: Type<'a>) -> Value<'a> {
    let value = zero_elements(builder.context(), ty);
    tensor::Const::build(builder, ty, value.expect("`choose` has checked it")).result()
}

/// Builds zeros for the elements of a list, whose greatest number is a value.
///
/// A cluster knows the sizes of its arguments when it is called, but no values. So the number is
/// that of the rows of a tensor without elements, which the interpreter makes; the zeros have their
/// place in the memory of the cluster.
fn zeros_of<'a>(builder: &mut Builder<'a>, class: &Class<'a>, length: Value<'a>) -> Value<'a> {
    let (context, index) = (builder.context(), types::element_type(length.ty()));
    let element = types::element_type(class.ty);
    let zero = zeros(builder, types::tensor_of(context, Some(&[]), element));
    let fill = |builder: &mut Builder<'a>, sizes: &[Value<'a>], ty| {
        let rank = Some(sizes.len() as u64);
        let shape = types::tensor_of(context, Some(&[rank]), index);
        let sizes = tf(builder, "Pack", sizes, shape);
        tf(builder, "Fill", &[sizes, zero], ty)
    };
    let none = integers(builder, bounds::BITS, &[], &[0]);
    let rows = types::tensor_of(context, Some(&[None, Some(0)]), element);
    let rows = fill(builder, &[length, none], rows);
    let shape = types::tensor_of(context, Some(&[Some(2)]), index);
    let shape = tf(builder, "Shape", &[rows], shape);
    let length = item(builder, shape, none, length.ty());
    let sizes = class.item.iter().map(|&size| size as i64);
    let sizes = sizes.map(|size| integers(builder, bounds::BITS, &[], &[size]));
    let sizes: Vec<_> = std::iter::once(length)
        .chain(sizes.collect::<Vec<_>>())
        .collect();
    fill(builder, &sizes, class.ty)
}

/// Returns zeros of a type; `None` if its elements are not numbers or booleans.
fn zero_elements<'a>(context: &'a Context, ty: Type<'a>) -> Option<Attribute<'a>> {
    let element = types::element_type(ty);
    let zero = match types::width(element) {
        Some(1) => "false",
        Some(_) => "0",
        None => "0.0",
    };
    Attribute::parse(context, &format!("dense<{zero}> : {ty}"))
}
