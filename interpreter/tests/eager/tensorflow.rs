//! TensorFlow, one operation at a time.

use prost::Message;
use tfx_graphdef::proto::{AttrValue, attr_value::Value};
use tfx_interpreter::{DType, Tensor};
use tfx_tensorflow::{Input, Tensor as Theirs, TensorFlow, eager::Context};

/// One call: an operation, its inputs (an argument that is a list has several), and the attributes
/// that do not follow from them.
pub(crate) struct Call<'c> {
    pub(crate) op: &'c str,
    pub(crate) inputs: &'c [Tensor],
    /// The number of inputs of each argument; `None` if it is no list.
    pub(crate) arguments: &'c [Option<usize>],
    pub(crate) attributes: &'c [(&'static str, Value)],
}

/// TensorFlow with a context in which operations run.
pub(crate) struct Eager {
    tensorflow: TensorFlow,
    context: Context,
}

impl Eager {
    /// Loads TensorFlow; the error is the reason why it cannot be loaded.
    pub(crate) fn new() -> Result<Self, String> {
        let tensorflow = TensorFlow::load().map_err(|error| error.to_string())?;
        let context = Context::new(tensorflow).map_err(|error| error.to_string())?;
        Ok(Eager {
            tensorflow,
            context,
        })
    }

    /// Runs one operation.
    pub(crate) fn run(&self, call: &Call<'_>) -> Result<Vec<Tensor>, String> {
        let tensors = call.inputs.iter().map(|input| self.tensor(input));
        let tensors: Vec<_> = tensors.collect::<Result<_, _>>()?;
        let mut rest = &tensors[..];
        let mut inputs = Vec::new();
        for argument in call.arguments {
            let (own, others) = rest.split_at(argument.unwrap_or(1));
            inputs.push(match argument {
                Some(_) => Input::List(own),
                None => Input::Single(&own[0]),
            });
            rest = others;
        }
        let attributes = call.attributes.iter().map(|(name, value)| {
            let value = Some(value.clone());
            (*name, AttrValue { value }.encode_to_vec())
        });
        let attributes: Vec<_> = attributes.collect();
        let results = self.context.run(call.op, &inputs, &attributes);
        let results = results.map_err(|error| error.to_string())?;
        let ours = |result: &Theirs| {
            let dtype = DType::from_tensorflow(result.data_type());
            let dtype = dtype.ok_or("a result of another type")?;
            let tensor = Tensor::from_bytes(dtype, &result.sizes(), result.bytes());
            tensor.map_err(|error| error.to_string())
        };
        results.iter().map(ours).collect()
    }

    fn tensor(&self, tensor: &Tensor) -> Result<Theirs, String> {
        let sizes: Vec<i64> = tensor.shape().iter().map(|&size| size as i64).collect();
        let (dtype, bytes) = (tensor.dtype().tensorflow(), tensor.bytes().to_vec());
        Theirs::lend(self.tensorflow, dtype, &sizes, bytes).map_err(|error| error.to_string())
    }
}
