//! The same cases compiled by XLA. An operation that `tfx_graphdef::xla` allows XLA to compile has
//! the result, or the failure, of TensorFlow's own kernel.

use tfx_graphdef::{naming::COMPILE_ATTRIBUTE, xla};

use super::*;

impl Case {
    /// Returns the requirements of XLA; `None` if the case is not compiled.
    fn needs(&self) -> Option<xla::Needs> {
        let needs = xla::check(&self.resolved).ok()?;
        let divides_by_zero = needs
            .no_zeros
            .is_some_and(|divisor| has_zero(&self.inputs[divisor]));
        // Shifts of these tables exceed the width.
        (!divides_by_zero && needs.shifts_below.is_none()).then_some(needs)
    }

    /// Runs the case as a compiled function, in which operands that XLA must know are constants.
    fn run_compiled(&self, needs: &xla::Needs) -> Result<Vec<Tensor>, Failure> {
        let mut nodes = Vec::new();
        let mut inputs = Vec::new();
        let mut arguments = Vec::new();
        let mut references = Vec::new();
        for (index, input) in self.inputs.iter().enumerate() {
            let name = format!("x{index}");
            if needs.constants.contains(&index) || needs.no_zeros == Some(index) {
                nodes.push(constant(&name, input));
                references.push(format!("{name}:output:0"));
            } else {
                references.push(name.clone());
                inputs.push((name, input.dtype()));
                arguments.push(input.clone());
            }
        }
        let references: Vec<&str> = references.iter().map(String::as_str).collect();
        nodes.push(self.node(&references));
        let results: Vec<DType> = self.results.iter().map(|(_, dtype, _)| *dtype).collect();
        let taken: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        let types: Vec<DType> = arguments.iter().map(Tensor::dtype).collect();
        let call = node(
            "call",
            "PartitionedCall",
            &taken,
            &[
                ("Tin", types_attr(&types)),
                ("Tout", types_attr(&results)),
                ("f", function_attr("inner")),
                (COMPILE_ATTRIBUTE, flag(true)),
            ],
        );
        let mut called = self.results.clone();
        for (index, (_, _, place)) in called.iter_mut().enumerate() {
            *place = format!("call:output:{index}");
        }
        let one = function("one", inputs.clone(), called, vec![call]);
        let inner = function("inner", inputs, self.results.clone(), nodes);
        let image = image(vec![], [one, inner]);
        Program::start_on(ExecutorKind::TensorFlow, image, arguments)?.finish()
    }

    /// Compares XLA with TensorFlow's kernel.
    pub(super) fn compiles_to_the_same(&self) -> Result<(), String> {
        let Some(needs) = self.needs() else {
            return Ok(());
        };
        let compared = self.compare(self.run_compiled(&needs));
        compared
            .map(|_| ())
            .map_err(|problem| format!("compiled, {problem}"))
    }
}

fn has_zero(tensor: &Tensor) -> bool {
    let size = tensor.bytes().len() / tensor.elements().max(1);
    tensor
        .bytes()
        .chunks(size.max(1))
        .any(|element| element.iter().all(|&byte| byte == 0))
}
