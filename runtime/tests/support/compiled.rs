//! The same cases compiled by XLA. An operation that `tfx_graphdef::xla` allows XLA to compile has
//! the result, or the failure, of TensorFlow's own kernel.

use std::collections::BTreeMap;

use tfx_graphdef::{
    DataType, Use, element::from_number, naming::COMPILE_ATTRIBUTE, resolve, resolve::Computed, xla,
};

use super::*;

impl Case {
    /// Returns the requirements of XLA; `None` if the case is not compiled.
    fn needs(&self) -> Option<xla::Needs> {
        let data_type = |dtype: DType| from_number(dtype.tensorflow());
        let operands: Vec<DataType> = self
            .inputs
            .iter()
            .map(|input| data_type(input.dtype()))
            .collect();
        let results: Vec<DataType> = self
            .results
            .iter()
            .map(|&result| data_type(result))
            .collect();
        let attributes: BTreeMap<String, AttrValue> = self
            .attrs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let resolved = resolve(&Use {
            operation: self.op,
            operands: &operands,
            results: &results,
            attributes: &attributes,
            computed: &Computed::new(),
        });
        let needs = xla::check(&resolved.ok()?).ok()?;
        let divides_by_zero = needs
            .no_zeros
            .is_some_and(|divisor| has_zero(&self.inputs[divisor]));
        // Shifts of these tables exceed the width.
        (!divides_by_zero && needs.shifts_below.is_none()).then_some(needs)
    }

    /// Runs the case as a compiled function, in which operands that XLA must know are constants.
    fn run_compiled(&self, needs: &xla::Needs) -> Result<Vec<Tensor>, Failure> {
        let is_constant =
            |index: &usize| needs.constants.contains(index) || needs.no_zeros == Some(*index);
        let names: Vec<String> = (0..self.inputs.len())
            .map(|index| format!("x{index}"))
            .collect();
        let references: Vec<String> = (0..self.inputs.len())
            .map(|index| match is_constant(&index) {
                true => format!("x{index}:output:0"),
                false => format!("x{index}"),
            })
            .collect();
        let taken: Vec<usize> = (0..self.inputs.len())
            .filter(|index| !is_constant(index))
            .collect();
        let inputs: Vec<(&str, DType)> = taken
            .iter()
            .map(|&index| (names[index].as_str(), self.inputs[index].dtype()))
            .collect();
        let references: Vec<&str> = references.iter().map(String::as_str).collect();
        let constants = (0..self.inputs.len()).filter(is_constant);
        let mut nodes: Vec<_> = constants
            .map(|index| constant(&names[index], &self.inputs[index]))
            .collect();
        nodes.push(node("op", self.op, &references, &self.attrs));
        let outputs = self.outputs();
        let inner = function("inner", &inputs, &outputs).nodes(nodes);
        let called: Vec<_> = outputs
            .into_iter()
            .enumerate()
            .map(|(index, (name, dtype, _))| (name, dtype, format!("call:output:{index}")))
            .collect();

        let types = |dtypes: Vec<DType>| types_attr(&dtypes);
        let call = node(
            "call",
            "PartitionedCall",
            &inputs.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            &[
                (
                    "Tin",
                    types(inputs.iter().map(|(_, dtype)| *dtype).collect()),
                ),
                ("Tout", types(self.results.clone())),
                ("f", function_attr("inner")),
                (COMPILE_ATTRIBUTE, attr(Value::B(true))),
            ],
        );
        let one = function("one", &inputs, &called).nodes([call]);
        let arguments = taken
            .iter()
            .map(|&index| self.inputs[index].clone())
            .collect();
        Program::start_on(
            ExecutorKind::TensorFlow,
            image("one", vec![one, inner], vec![]),
            arguments,
        )?
        .finish()
    }

    /// Compares XLA with TensorFlow's kernel.
    pub(super) fn compiles_to_the_same(&self) -> Result<(), String> {
        let Some(needs) = self.needs() else {
            return Ok(());
        };
        let describe = || format!("{} of {:?} compiled", self.op, self.inputs);
        match (
            self.run_compiled(&needs),
            self.run(ExecutorKind::TensorFlow),
        ) {
            (Ok(compiled), Ok(plain)) => {
                let pairs = || compiled.iter().zip(&plain);
                if compiled.len() == plain.len() && pairs().all(|(one, other)| close(one, other)) {
                    return Ok(());
                }
                Err(format!(
                    "{}: {compiled:?}, but the kernel returns {plain:?}",
                    describe()
                ))
            }
            (Err(_), Err(_)) => Ok(()),
            (Ok(compiled), Err(plain)) => Err(format!(
                "{}: {compiled:?}, but the kernel fails: {plain}",
                describe()
            )),
            (Err(compiled), Ok(_)) => Err(format!("{}: fails: {compiled}", describe())),
        }
    }
}

fn function(name: &str, inputs: &[(&str, DType)], outputs: &[(String, DType, String)]) -> Function {
    let outputs: Vec<(&str, DType, &str)> = outputs
        .iter()
        .map(|(name, dtype, what)| (name.as_str(), *dtype, what.as_str()))
        .collect();
    Function::new(name, inputs, &outputs)
}

fn has_zero(tensor: &Tensor) -> bool {
    let size = tensor.bytes().len() / tensor.elements().max(1);
    tensor
        .bytes()
        .chunks(size.max(1))
        .any(|element| element.iter().all(|&byte| byte == 0))
}
