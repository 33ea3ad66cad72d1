//! The program of some calls of an operation: two functions for each call, one with known sizes and
//! one with unknown sizes.

use std::fmt::{self, Display, Formatter, Write};

use melior::Context;
use tfx::codegen::has_address_sanitizer;
use tfx::options::CompileOptions;
use tfx::run::{Executable, ForeignFunctions, LoadOptions};
use tfx::{Error, Source};
use tfx_graphdef::proto::{DataType, attr_value::Value};
use tfx_graphdef::{Registry, element};
use tfx_interpreter::{DType, Tensor};

use crate::table::Made;

/// The sizes of the tensors of a program: stated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    Known,
    Unknown,
}

impl Sizes {
    /// The name of the function of a call.
    pub(crate) fn function(self, call: usize) -> String {
        match self {
            Sizes::Known => format!("known{call}"),
            Sizes::Unknown => format!("unknown{call}"),
        }
    }

    /// The type of a tensor.
    fn type_of(self, tensor: &Tensor) -> String {
        let size = |size: &usize| match self {
            Sizes::Known => format!("{size}x"),
            Sizes::Unknown => "?x".to_owned(),
        };
        let sizes: String = tensor.shape().iter().map(size).collect();
        format!("tensor<{sizes}{}>", tensor.dtype().name())
    }
}

/// A call of an operation.
pub(crate) struct Call {
    op: &'static str,
    pub(crate) made: Made,
    pub(crate) expected: Vec<Tensor>,
    /// For each input, true if the program has it as a constant.
    is_constant: Vec<bool>,
}

impl Call {
    pub(crate) fn new(op: &'static str, made: Made, expected: Vec<Tensor>) -> Self {
        let mut is_constant = constants(op, made.inputs.len());
        for (is_constant, input) in is_constant.iter_mut().zip(&made.inputs) {
            *is_constant &= [DType::I32, DType::I64].contains(&input.dtype());
        }
        Call {
            op,
            made,
            expected,
            is_constant,
        }
    }

    /// The arguments of the function.
    pub(crate) fn arguments(&self) -> Vec<Tensor> {
        let inputs = self.made.inputs.iter().zip(&self.is_constant);
        let arguments = inputs.filter(|(_, is_constant)| !**is_constant);
        arguments.map(|(input, _)| input.clone()).collect()
    }

    /// Writes the function.
    fn write(&self, text: &mut String, name: &str, sizes: Sizes) -> fmt::Result {
        let (mut parameters, mut types) = (Vec::new(), Vec::new());
        let mut body = String::new();
        let inputs = self.made.inputs.iter().zip(&self.is_constant);
        for (index, (input, is_constant)) in inputs.enumerate() {
            if *is_constant {
                let ty = Sizes::Known.type_of(input);
                let value = elements(input);
                writeln!(body, "  %{index} = tfx_tensor.const dense<{value}> : {ty}")?;
                types.push(ty);
            } else {
                let ty = sizes.type_of(input);
                parameters.push(format!("%{index}: {ty}"));
                types.push(ty);
            }
        }
        let results: Vec<_> = self.expected.iter().map(|it| sizes.type_of(it)).collect();
        let operands: Vec<_> = (0..types.len()).map(|index| format!("%{index}")).collect();
        let mut names: Vec<_> = (0..results.len())
            .map(|index| format!("%r#{index}"))
            .collect();
        let mut twice = String::new();
        if let Some(op) = involution(self.expected[0].dtype()) {
            let ty = &results[0];
            for (operand, result) in [("%r#0", "%once"), ("%once", "%twice")] {
                writeln!(
                    twice,
                    "  {result} = tfx_tensor.op \"{op}\"({operand}) : ({ty}) -> {ty}"
                )?;
            }
            names[0] = "%twice".to_owned();
        }
        let (results, count) = (results.join(", "), names.len());
        writeln!(
            text,
            "func.func @{name}({}) -> ({results}) {{\n{body}  %r:{count} = tfx_tensor.op \"{}\"({}) \
             {{{}}} : ({}) -> ({results})\n{twice}  return {} : {results}\n}}",
            parameters.join(", "),
            self.op,
            operands.join(", "),
            attributes(&self.made.attributes),
            types.join(", "),
            names.join(", ")
        )
    }
}

impl Display for Call {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text, "call", Sizes::Known)?;
        write!(formatter, "{text}  {:?}", self.arguments())
    }
}

/// Returns an operation that is its own inverse. Two of them follow each call: a single elementwise
/// operation is not worth native code, and three are.
fn involution(dtype: DType) -> Option<&'static str> {
    match dtype {
        DType::F32 | DType::F64 | DType::I32 | DType::I64 => Some("Neg"),
        DType::Bool => Some("LogicalNot"),
        _ => None,
    }
}

/// Compiles the functions of calls, with tasks of this cost at least. AddressSanitizer checks the
/// code where the process has it (`make sanitize-native`).
pub(crate) fn load(calls: &[&Call], task_cost: i64) -> Result<Executable, Error> {
    let mut text = String::new();
    for (index, call) in calls.iter().enumerate() {
        for sizes in [Sizes::Known, Sizes::Unknown] {
            call.write(&mut text, &sizes.function(index), sizes)
                .expect("writing to a string does not fail");
        }
    }
    let context = Context::new();
    tfx::prepare(&context);
    let mut options = CompileOptions::default();
    options.native.native = true;
    options.native.native_task_cost = task_cost;
    options.native.native_sanitize = has_address_sanitizer();
    options.native.for_this_machine();
    let program = Source::new("calls.mlir", text).parse(&context)?;
    program
        .with_options(options)
        .load(ForeignFunctions::new(), &LoadOptions::default())
}

/// The type attributes of the elements that an operation computes with, and of indices.
const OWN_TYPES: [&str; 7] = ["T", "Ta", "Tb", "SrcT", "TI", "Tindices", ""];

/// Returns for each input whether it is a constant: where the type of the elements is not that of
/// the operation, as of axes and shapes, except for indices.
fn constants(op: &str, inputs: usize) -> Vec<bool> {
    let definition = Registry::get().lookup(op).expect("a known operation");
    let arguments = &definition.input_arg;
    let length = inputs + 1 - arguments.len().min(inputs + 1);
    let arguments = arguments.iter().flat_map(|argument| {
        let is_integer = matches!(DataType::try_from(argument.r#type), Ok(DataType::DtInt32));
        let is_own = OWN_TYPES.contains(&argument.type_attr.as_str());
        let is_list = !argument.number_attr.is_empty();
        let count = if is_list { length } else { 1 };
        let is_constant = is_integer || !is_own && argument.type_list_attr.is_empty();
        std::iter::repeat_n(is_constant, count)
    });
    let mut arguments: Vec<_> = arguments.collect();
    arguments.resize(inputs, false);
    arguments
}

/// Returns numbers as the text of a constant.
fn elements(tensor: &Tensor) -> String {
    if tensor.bytes().is_empty() {
        return String::new();
    }
    let digits = tensor.bytes().iter().map(|byte| format!("{byte:02X}"));
    format!("\"0x{}\"", digits.collect::<String>())
}

/// Returns attributes as text.
fn attributes(attributes: &[(&'static str, Value)]) -> String {
    let list: Vec<_> = attributes
        .iter()
        .map(|(name, value)| format!("{name} = {}", attribute(value)))
        .collect();
    list.join(", ")
}

fn attribute(value: &Value) -> String {
    match value {
        Value::B(truth) => truth.to_string(),
        Value::I(number) => number.to_string(),
        Value::F(number) => format!("{number:?} : f32"),
        Value::S(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Value::Type(number) => {
            let name = element::to_mlir(element::from_number(*number));
            name.expect("a type of MLIR").to_owned()
        }
        Value::Shape(shape) => {
            let sizes: Vec<_> = shape.dim.iter().map(|dim| dim.size.to_string()).collect();
            format!("[{}]", sizes.join(", "))
        }
        Value::List(list) => {
            let numbers = list.i.iter().map(|number| number.to_string());
            let floats = list.f.iter().map(|number| format!("{number:?} : f32"));
            let list: Vec<_> = numbers.chain(floats).collect();
            format!("[{}]", list.join(", "))
        }
        other => panic!("no attribute of the table: {other:?}"),
    }
}
