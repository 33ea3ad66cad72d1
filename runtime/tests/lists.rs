//! Lists of tensors on the embedded executor and on TensorFlow, in random programs.
//!
//! ```text
//! model of the lists ──chooses──> operation that mostly fits ──adds──> node of function "lists"
//!                                                                         |
//!                         results: what Stack, GetItem, Length, ... read ─┘   the same on both,
//!                                                                             or both fail
//! ```
//!
//! A program of random operations on a few lists of one element type, some of which are elements of
//! another list. The model knows the shape of each element, so that most operations fit; some do
//! not.

#[path = "support/data.rs"]
mod data;
mod support;

use std::collections::BTreeMap;

use data::Data;
use support::*;
use tfx_graphdef::{
    Use,
    element::from_number,
    proto::{AttrValue, NodeDef, attr_value::Value},
    resolve,
    resolve::{Computed, UNKNOWN},
};
use tfx_runtime::{
    DType::{self, Bool, F32, F64, I32, I64, Variant},
    ExecutorKind, Failure, Program, Tensor,
};

/// The number of random programs.
const PROGRAMS: u64 = 400;
/// The minimal percentage of programs that run to their end.
const COMPUTED: usize = 40;

/// A list of the program.
#[derive(Clone)]
struct List {
    /// The output that holds it.
    output: String,
    /// The type of its elements.
    element: DType,
    /// The shape of its elements, -1 where it is not declared; `None` if the rank is not either.
    declared: Option<Vec<i64>>,
    /// The shapes of the elements; `None` if an element is not set.
    items: Vec<Option<Vec<usize>>>,
}

/// A program under construction.
struct Builder {
    data: Data,
    element: DType,
    /// The usual shape of an element.
    shape: Vec<usize>,
    lists: Vec<List>,
    nodes: Vec<NodeDef>,
    results: Vec<(String, DType, String)>,
}

impl Builder {
    fn new(seed: u64) -> Self {
        let data = Data::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let element = [F32, F64, I32, I64, Bool][data.below(5)];
        let shapes: [&[usize]; 5] = [&[], &[2], &[2, 3], &[0, 2], &[3, 1]];
        let shape = shapes[data.below(shapes.len())].to_vec();
        Builder {
            data,
            element,
            shape,
            lists: Vec::new(),
            nodes: Vec::new(),
            results: Vec::new(),
        }
    }

    fn constant(&mut self, tensor: &Tensor) -> String {
        let name = format!("c{}", self.nodes.len());
        self.nodes.push(constant(&name, tensor));
        format!("{name}:output:0")
    }

    fn number(&mut self, value: i32) -> String {
        self.constant(&Tensor::scalar(value))
    }

    /// Adds an operation; returns its outputs.
    fn op(
        &mut self,
        op: &str,
        inputs: &[(&str, DType)],
        results: usize,
        attributes: &[(&str, Value)],
    ) -> Vec<String> {
        let attributes: BTreeMap<String, AttrValue> = attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), attr(value.clone())))
            .collect();
        let operands: Vec<_> = inputs
            .iter()
            .map(|(_, dtype)| from_number(dtype.tensorflow()))
            .collect();
        let resolved = resolve(&Use {
            operation: op,
            operands: &operands,
            results: &vec![UNKNOWN; results],
            attributes: &attributes,
            computed: &Computed::new(),
        })
        .expect("a valid use of an operation");
        let name = format!("n{}", self.nodes.len());
        let inputs: Vec<&str> = inputs.iter().map(|(input, _)| *input).collect();
        self.nodes.push(NodeDef {
            attr: resolved.attributes.clone(),
            ..node(&name, op, &inputs, &[])
        });
        let output = |flat| {
            let (argument, position) = resolved.result_name(flat).expect("a result");
            format!("{name}:{argument}:{position}")
        };
        (0..results).map(output).collect()
    }

    fn result(&mut self, dtype: DType, output: String) {
        let name = format!("r{}", self.results.len());
        self.results.push((name, dtype, output));
    }

    /// A shape operand: all sizes, some of them, or nothing at all.
    fn declared(&mut self, shape: &[usize]) -> Option<Vec<i64>> {
        if self.data.chance(30) {
            return None;
        }
        let some = self.data.chance(40);
        let size = |&size: &usize| match some && self.data.chance(50) {
            true => -1,
            false => size as i64,
        };
        Some(shape.iter().map(size).collect())
    }

    fn shape_operand(&mut self, declared: &Option<Vec<i64>>) -> String {
        let tensor = match declared {
            None => return self.number(-1),
            Some(sizes) => {
                let sizes: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
                Tensor::from_slice(&[sizes.len()], &sizes).expect("a vector")
            }
        };
        self.constant(&tensor)
    }

    /// A shape that mostly refines the declaration of a list.
    fn fitting(&mut self, list: &List) -> Vec<usize> {
        let mut shape = self.shape.clone();
        let is_open = |place: usize| match &list.declared {
            None => true,
            Some(sizes) => sizes.get(place) == Some(&-1),
        };
        if !shape.is_empty() && is_open(0) && self.data.chance(30) {
            shape[0] = self.data.below(4);
        }
        if self.data.chance(3) {
            shape.push(1);
        }
        shape
    }

    /// A value for a list: its output and shape.
    fn value(&mut self, list: &List) -> (String, Vec<usize>) {
        let shape = self.fitting(list);
        let tensor = self.data.tensor(list.element, &shape);
        (self.constant(&tensor), shape)
    }

    fn element_attribute(list: &List) -> (&'static str, Value) {
        ("element_dtype", Value::Type(list.element.tensorflow()))
    }

    fn create(&mut self) {
        let usual = self.shape.clone();
        let declared = self.declared(&usual);
        let operand = self.shape_operand(&declared);
        let element = Value::Type(self.element.tensorflow());
        let attributes = [("element_dtype", element)];
        let (output, items) = match self.data.below(3) {
            0 => {
                let limit = [-1, -1, 2][self.data.below(3)];
                let limit = self.number(limit);
                let inputs = [(operand.as_str(), I32), (&limit, I32)];
                let outputs = self.op("EmptyTensorList", &inputs, 1, &attributes);
                (outputs, Vec::new())
            }
            1 => {
                let length = self.data.below(4);
                let length_operand = self.number(length as i32);
                let inputs = [(operand.as_str(), I32), (&length_operand, I32)];
                let outputs = self.op("TensorListReserve", &inputs, 1, &attributes);
                (outputs, vec![None; length])
            }
            _ => {
                let length = self.data.below(4);
                let mut shape = usual.clone();
                shape.insert(0, length);
                let tensor = self.data.tensor(self.element, &shape);
                let tensor = self.constant(&tensor);
                let inputs = [(tensor.as_str(), self.element), (&operand, I32)];
                let outputs = self.op("TensorListFromTensor", &inputs, 1, &[]);
                (outputs, vec![Some(usual); length])
            }
        };
        self.lists.push(List {
            output: output[0].clone(),
            element: self.element,
            declared,
            items,
        });
    }

    /// Replaces a list, or adds the changed one as another list.
    fn changed(&mut self, place: usize, list: List) {
        match self.data.chance(70) {
            true => self.lists[place] = list,
            false => self.lists.push(list),
        }
    }

    fn change(&mut self, place: usize) {
        let mut list = self.lists[place].clone();
        let attributes = [Self::element_attribute(&list)];
        let own = (list.output.clone(), Variant);
        let own = (own.0.as_str(), own.1);
        let length = list.items.len();
        match self.data.below(6) {
            0 | 1 => {
                let (value, shape) = self.value(&list);
                let inputs = [own, (&value, list.element)];
                let outputs = self.op("TensorListPushBack", &inputs, 1, &attributes);
                list.output = outputs[0].clone();
                list.items.push(Some(shape));
            }
            2 if length > 0 || self.data.chance(5) => {
                let usual = self.shape.clone();
                let declared = self.declared(&usual);
                let operand = self.shape_operand(&declared);
                let inputs = [own, (&operand, I32)];
                let mut outputs = self.op("TensorListPopBack", &inputs, 2, &attributes);
                self.result(list.element, outputs.remove(1));
                list.output = outputs.remove(0);
                list.items.pop();
            }
            3 => {
                let resizes = self.data.chance(50);
                let index = self.data.below(length + 1 + 2 * usize::from(resizes));
                let index_operand = self.number(index as i32);
                let (value, shape) = self.value(&list);
                let inputs = [own, (&index_operand, I32), (&value, list.element)];
                let resize = ("resize_if_index_out_of_bounds", Value::B(resizes));
                let attributes = [attributes[0].clone(), resize];
                let outputs = self.op("TensorListSetItem", &inputs, 1, &attributes);
                list.output = outputs[0].clone();
                list.items.resize(length.max(index + 1), None);
                list.items[index] = Some(shape);
            }
            4 => {
                let length = self.data.below(5);
                let operand = self.number(length as i32);
                let inputs = [own, (&operand, I32)];
                list.output = self.op("TensorListResize", &inputs, 1, &[])[0].clone();
                list.items.resize(length, None);
            }
            _ if list.element != Bool => {
                let zeros = self.op("ZerosLike", &[own], 1, &[]);
                let inputs = [own, (&zeros[0], Variant), own];
                list.output = self.op("AddN", &inputs, 1, &[])[0].clone();
            }
            _ => list.output = self.op("ZerosLike", &[own], 1, &[])[0].clone(),
        }
        self.changed(place, list);
    }

    /// Puts a list into another one, and takes it out again.
    fn nest(&mut self, place: usize) {
        let list = self.lists[place].clone();
        let any = self.number(-1);
        let element = ("element_dtype", Value::Type(Variant.tensorflow()));
        let attributes = [element];
        let inputs = [(any.as_str(), I32), (&any, I32)];
        let outer = self.op("EmptyTensorList", &inputs, 1, &attributes);
        let inputs = [(outer[0].as_str(), Variant), (&list.output, Variant)];
        let outer = self.op("TensorListPushBack", &inputs, 1, &attributes);
        let zeros = self.op("ZerosLike", &[(&outer[0], Variant)], 1, &[]);
        let chosen = if self.data.chance(20) { zeros } else { outer };
        let first = self.number(0);
        let inputs = [(chosen[0].as_str(), Variant), (&first, I32), (&any, I32)];
        let inner = self.op("TensorListGetItem", &inputs, 1, &attributes);
        let output = inner[0].clone();
        self.changed(place, List { output, ..list });
    }

    fn read(&mut self, place: usize) {
        let list = self.lists[place].clone();
        let element = Self::element_attribute(&list);
        let length = list.items.len();
        let usual = self.shape.clone();
        let declared = self.declared(&usual);
        let own = (list.output.as_str(), Variant);
        match self.data.below(6) {
            0 => {
                let outputs = self.op("TensorListLength", &[own], 1, &[]);
                self.result(I32, outputs[0].clone());
            }
            1 => {
                let dtype = [I32, I64][self.data.below(2)];
                let attributes = [("shape_type", Value::Type(dtype.tensorflow()))];
                let outputs = self.op("TensorListElementShape", &[own], 1, &attributes);
                self.result(dtype, outputs[0].clone());
            }
            2 if length > 0 || self.data.chance(5) => {
                let index = self.data.below(length.max(1)) as i32;
                let index = self.number(if self.data.chance(3) { -1 } else { index });
                let operand = self.shape_operand(&declared);
                let inputs = [own, (&index, I32), (&operand, I32)];
                let outputs = self.op("TensorListGetItem", &inputs, 1, &[element]);
                self.result(list.element, outputs[0].clone());
            }
            3 => {
                let operand = self.shape_operand(&declared);
                let expected = match self.data.below(10) {
                    0..7 => -1,
                    7 | 8 => length as i64,
                    _ => length as i64 + 1,
                };
                let attributes = [element, ("num_elements", Value::I(expected))];
                let inputs = [own, (operand.as_str(), I32)];
                let outputs = self.op("TensorListStack", &inputs, 1, &attributes);
                self.result(list.element, outputs[0].clone());
            }
            4 => {
                let count = self.data.below(4);
                let index = |_| self.data.below(length + usize::from(self.data.chance(2))) as i32;
                let indices: Vec<i32> = match length {
                    0 => Vec::new(),
                    _ => (0..count).map(index).collect(),
                };
                let indices = Tensor::from_slice(&[indices.len()], &indices).expect("a vector");
                let indices = self.constant(&indices);
                let operand = self.shape_operand(&declared);
                let inputs = [own, (&indices, I32), (&operand, I32)];
                let outputs = self.op("TensorListGather", &inputs, 1, &[element]);
                self.result(list.element, outputs[0].clone());
            }
            _ => {
                let operand = self.shape_operand(&declared);
                let leading: Vec<i64> = match self.data.chance(30) {
                    true => Vec::new(),
                    false => (0..length).map(|_| self.data.below(3) as i64).collect(),
                };
                let leading = Tensor::from_slice(&[leading.len()], &leading).expect("a vector");
                let leading = self.constant(&leading);
                let inputs = [own, (&operand, I32), (&leading, I64)];
                let outputs = self.op("TensorListConcatV2", &inputs, 2, &[element]);
                self.result(list.element, outputs[0].clone());
                self.result(I64, outputs[1].clone());
            }
        }
    }

    fn build(mut self) -> Function {
        self.create();
        for _ in 0..2 + self.data.below(8) {
            let place = self.data.below(self.lists.len());
            match self.data.below(10) {
                0 => self.create(),
                1 => self.nest(place),
                2 | 3 => self.read(place),
                _ => self.change(place),
            }
        }
        for place in 0..self.lists.len() {
            self.read(place);
        }
        Function {
            results: self.results,
            ..Function::new("lists", &[], &[]).nodes(self.nodes)
        }
    }
}

fn run(kind: ExecutorKind, seed: u64) -> Result<Vec<Tensor>, Failure> {
    let image = Builder::new(seed).build().image(vec![]);
    Program::start_on(kind, image, vec![])?.finish()
}

/// The operations of a program with their inputs and attributes, for a report.
fn text(seed: u64) -> String {
    let function = Builder::new(seed).build();
    let line = |node: &NodeDef| {
        let value = tfx_interpreter::kernels::constant(node);
        let value = value.map_or(String::new(), |value| format!("{value:?}"));
        let (name, op, inputs) = (&node.name, &node.op, node.input.join(", "));
        format!("{name} = {op}({inputs}) {value}")
    };
    let lines: Vec<String> = function.nodes.iter().map(line).collect();
    lines.join("\n")
}

/// Returns whether both executors compute the same results; `Ok(false)` if both fail.
fn agree(seed: u64) -> Result<bool, String> {
    let (ours, theirs) = (
        run(ExecutorKind::Embedded, seed),
        run(ExecutorKind::TensorFlow, seed),
    );
    let problem = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) if ours == theirs => return Ok(true),
        (Err(_), Err(_)) => return Ok(false),
        (Ok(ours), Ok(theirs)) => format!("{ours:?}, but TensorFlow has {theirs:?}"),
        (Ok(_), Err(error)) => format!("only TensorFlow fails: {error}"),
        (Err(error), Ok(_)) => format!("only the embedded executor fails: {error}"),
    };
    Err(format!("program {seed}: {problem}\n{}", text(seed)))
}

#[test]
fn random_programs_agree() {
    if let Err(problem) = tensorflow() {
        return eprintln!("skipped: {problem}");
    }
    let outcomes = within_time(|| (0..PROGRAMS).map(agree).collect::<Vec<_>>());
    let problems: Vec<_> = outcomes
        .iter()
        .filter_map(|one| one.as_ref().err())
        .collect();
    if let Some(first) = problems.first() {
        panic!("{} programs differ, such as {first}", problems.len());
    }
    let computed = outcomes.iter().filter(|one| **one == Ok(true)).count();
    assert!(
        100 * computed >= COMPUTED * outcomes.len(),
        "only {computed} of {} programs run to their end",
        outcomes.len()
    );
}

/// A list is neither a result nor a message.
#[test]
fn lists_do_not_cross_to_the_host() {
    on_each_executor(|kind| {
        let create = |builder: &mut Builder| {
            builder.create();
            builder.lists[0].output.clone()
        };
        let mut builder = Builder::new(1);
        let list = create(&mut builder);
        builder.result(Variant, list);
        let function = Function {
            results: builder.results,
            ..Function::new("lists", &[], &[]).nodes(builder.nodes)
        };
        let result = Program::start_on(kind, function.image(vec![]), vec![]);
        let failure = result
            .and_then(|program| program.finish())
            .expect_err("a list as a result");
        let message = "values of type !tfx_tensor.variant cannot cross to the host";
        assert!(failure.to_string().contains(message), "{failure}");
    });
}

/// The last iteration of a loop that appends 1000 elements to a list, read on both executors.
#[test]
fn lists_are_iteration_arguments() {
    let element = attr(Value::Type(I32.tensorflow()));
    let shapes = attr(Value::Type(I32.tensorflow()));
    let of_list = move |name: &str, op: &str, inputs: &[&str]| {
        let attributes = [("element_dtype", element.clone())];
        node(name, op, inputs, &attributes)
    };
    on_each_executor(move |kind| {
        let mut loops = CountedLoop {
            name: "lists",
            inputs: &[("n", I32), ("list", Variant)],
            results: &["list"],
            updates: &[("list", "push:output_handle:0")],
            body: vec![of_list("push", "TensorListPushBack", &["list", "i"])],
            keep: &[],
        }
        .functions();
        let main = &mut loops[0];
        main.inputs.pop();
        let any = constant("any", &Tensor::scalar(-1));
        let mut empty = of_list(
            "empty",
            "EmptyTensorList",
            &["any:output:0", "any:output:0"],
        );
        empty.attr.insert("shape_type".into(), shapes.clone());
        let mut stack = of_list("all", "TensorListStack", &["loop:output:2", "any:output:0"]);
        stack.attr.insert("num_elements".into(), attr(Value::I(-1)));
        for node in &mut main.nodes {
            for input in node.input.iter_mut().filter(|input| *input == "list") {
                *input = "empty:handle:0".into();
            }
        }
        main.nodes.extend([any, empty, stack]);
        main.results = vec![("all".into(), I32, "all:tensor:0".into())];
        let program = Program::start_on(kind, image(vec![], loops), vec![Tensor::scalar(1000)]);
        let results = program
            .and_then(|program| program.finish())
            .expect("numbers");
        let expected: Vec<i32> = (0..1000).collect();
        assert_eq!(results[0].values::<i32>(), Ok(&expected[..]), "{kind:?}");
    });
}
