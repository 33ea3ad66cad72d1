//! The judge: pullbacks against central differences.
//!
//! ```text
//!   u · (f(x + h e_i) - f(x - h e_i)) / 2h   =   (pullback of u at x)_i        for each element i
//! ```
//!
//! Reverse mode and forward mode agree: the product of a pullback with a direction is that of the
//! cotangent with the tangent along the direction.
//!
//! `x` and the cotangent `u` are random, in `f64`. The reference interpreter runs both sides:
//! the program before the pass, and after it.

use melior::Context;
use tfx::{Program, Source};
use tfx_dialects::tensor;
use tfx_graphdef::proto::NodeDef;
use tfx_interpreter::Tensor;
use tfx_ir::module::as_op;
use tfx_oracle::{End, Fair, Library, Limits, Random, Value, run};

use crate::example::{Example, Operand, Output, UNUSED, floats, fraction, tensor};
use crate::programs::{Order, Programs, Typing};
use crate::world::{Foreign, Kernels, Problem, node};

/// The largest difference of forward and reverse mode: both compute the same, except for rounding.
const EXACT: f64 = 1e-12;
/// The same for examples that round to `f32`.
const ROUNDED: f64 = 1e-5;
/// The largest difference from TensorFlow's gradients, relative to the larger side or to 1: some
/// examples round to `f32`.
const THEIRS: f64 = 1e-6;
/// The largest difference, relative to the larger side or to 1.
const TOLERANCE: f64 = 1e-6;
/// The same in `f32`, whose differences have errors of truncation and of rounding of about 1e-4.
const COARSE: f64 = 2e-3;
const PASSES: &str = "tfx-differentiate";
const SEED: u64 = 7;

/// The judge, with what it shares between examples.
pub(crate) struct Judge<'c> {
    pub(crate) context: &'c Context,
    pub(crate) kernels: Kernels,
}

impl Judge<'_> {
    /// Judges the derivatives of an example; the error says what is wrong.
    pub(crate) fn judge(
        &self,
        op: &str,
        example: &Example,
        typing: Typing,
        order: Order,
    ) -> Result<(), Problem> {
        let mut random = Random::new(SEED);
        let operands = example.parse(&mut random);
        let results = self.outputs(op, example, &operands)?;
        let programs = Programs {
            op,
            attributes: example.attributes,
            operands: &operands,
            results: &results,
            typing,
        };
        let text = programs.text(order);
        let mut derived = self.compile(&text, PASSES)?;
        let mut seeds = |order| -> Vec<_> {
            let slots = programs.judged(order).results;
            let random = &mut random;
            let one = slots
                .iter()
                .map(|slot| random_tensor(&slot.element, &slot.sizes, random));
            one.collect()
        };
        let parameters = programs.parameters();
        let mut arguments: Vec<_> = parameters.iter().map(Operand::tensor).collect();
        if order == Order::Second {
            arguments.extend(seeds(Order::First));
        }
        let cotangents = seeds(order);
        let judged = programs.judged(order);
        let all = [&arguments[..], &cotangents].concat();
        let tangents = derived.call(judged.pullback, &[all])?.remove(0);
        for (tangent, &position) in tangents.iter().zip(&judged.wrt) {
            if tangent.shape() != arguments[position].shape() {
                let (found, expected) = (tangent.shape(), arguments[position].shape());
                return Err(Problem::Wrong(format!(
                    "the tangent {position} has shape {found:?}, not {expected:?}"
                )));
            }
        }
        if order == Order::First {
            let directions = judged.wrt.iter().map(|&position| {
                let parameter = &arguments[position];
                random_tensor(parameter.dtype().name(), parameter.shape(), &mut random)
            });
            let directions: Vec<_> = directions.collect();
            let all = [&arguments[..], &directions].concat();
            let forward = derived.call("t", &[all])?.remove(0);
            let (forward, backward) = (along(&forward, &cotangents), along(&tangents, &directions));
            let exact = if example.rounds() { ROUNDED } else { EXACT };
            if !is_close(forward, backward, exact) {
                return Err(Problem::Wrong(format!(
                    "forwards {forward}, but backwards {backward}"
                )));
            }
        }
        let (elements, points) = points(&judged.wrt, &arguments, example.step);
        let values = match order {
            // The operation itself, as it is.
            Order::First => self.run(&text, "", judged.function, &points)?,
            Order::Second => derived.call(judged.function, &points)?,
        };
        for (&(tangent, element), pair) in elements.iter().zip(values.chunks(2)) {
            let found = floats(&tangents[tangent])[element];
            let expected = (along(&pair[0], &cotangents) - along(&pair[1], &cotangents))
                / (2.0 * example.step);
            let tolerance = if example.is_coarse { COARSE } else { TOLERANCE };
            if !is_close(found, expected, tolerance) {
                let position = judged.wrt[tangent];
                return Err(Problem::Wrong(format!(
                    "element {element} of operand {position}: {found}, but the difference is {expected}"
                )));
            }
        }
        Ok(())
    }

    /// Returns the tangents of the operands for cotangents with the number `seed` in each element,
    /// and the tangents of the results for such tangents of the operands.
    pub(crate) fn derivatives(
        &self,
        op: &str,
        example: &Example,
        seed: f64,
    ) -> Result<[Vec<Tensor>; 2], Problem> {
        let mut random = Random::new(SEED);
        let operands = example.parse(&mut random);
        let results = self.outputs(op, example, &operands)?;
        let programs = Programs {
            op,
            attributes: example.attributes,
            operands: &operands,
            results: &results,
            typing: Typing::Static,
        };
        let parameters = programs.parameters();
        let arguments: Vec<_> = parameters.iter().map(Operand::tensor).collect();
        let judged = programs.judged(Order::First);
        let splat = |element: &str, sizes: &[usize]| {
            let count = sizes.iter().product();
            tensor(element, sizes, &vec![seed; count])
        };
        let results = judged.results.iter();
        let cotangents = results.map(|slot| splat(&slot.element, &slot.sizes));
        let wrt = judged.wrt.iter().map(|&index| &arguments[index]);
        let tangents = wrt.map(|one| splat(one.dtype().name(), one.shape()));
        let backward = arguments.iter().cloned().chain(cotangents).collect();
        let forward = arguments.iter().cloned().chain(tangents).collect();
        let text = programs.text(Order::First);
        let mut derived = self.compile(&text, PASSES)?;
        let mut call = |function, arguments| derived.call(function, &[arguments]);
        Ok([
            call("g", backward)?.remove(0),
            call("t", forward)?.remove(0),
        ])
    }

    /// Compares the pullback of an example with TensorFlow's gradients. Returns whether TensorFlow
    /// has them.
    pub(crate) fn compare(&self, op: &str, example: &Example) -> Result<bool, Problem> {
        let mut random = Random::new(SEED);
        let operands = example.parse(&mut random);
        let results = self.outputs(op, example, &operands)?;
        let programs = Programs {
            op,
            attributes: example.attributes,
            operands: &operands,
            results: &results,
            typing: Typing::Dynamic,
        };
        let text = programs.text(Order::First);
        let judged = programs.judged(Order::First);
        let arguments: Vec<_> = programs.parameters().iter().map(Operand::tensor).collect();
        let slots = judged.results.iter();
        let seeds = slots.map(|slot| random_tensor(&slot.element, &slot.sizes, &mut random));
        let seeds: Vec<_> = seeds.collect();
        let positions = results.iter().enumerate();
        let positions = positions.filter(|(_, output)| output.is_float());
        let positions = positions.map(|(position, _)| position);
        let seeded: Vec<_> = positions.zip(seeds.iter().cloned()).collect();
        let node = self.node(&text)?;
        let theirs = self
            .kernels
            .gradients(&node, &arguments, &seeded, &judged.wrt)?;
        let Some(theirs) = theirs else {
            return Ok(false);
        };
        let all = [&arguments[..], &seeds].concat();
        let ours = self.run(&text, PASSES, "g", &[all])?.remove(0);
        for ((ours, theirs), position) in ours.iter().zip(&theirs).zip(&judged.wrt) {
            let ours = floats(ours);
            let theirs = theirs.as_ref().map(floats);
            let theirs = theirs.unwrap_or_else(|| vec![0.0; ours.len()]);
            let mut pairs = ours.iter().zip(&theirs);
            let is_same = |(a, b): (&f64, &f64)| is_close(*a, *b, THEIRS);
            if ours.len() != theirs.len() || !pairs.all(is_same) {
                return Err(Problem::Wrong(format!(
                    "operand {position}: {ours:?}, but TensorFlow has {theirs:?}"
                )));
            }
        }
        Ok(true)
    }

    /// Returns the node of the operation of a program.
    fn node(&self, text: &str) -> Result<NodeDef, Problem> {
        let program = Source::new("example.mlir", text).parse(self.context);
        let program = program.map_err(|error| error.to_string())?;
        let mut ops = as_op(program.module()).walk();
        let op = ops.find(|op| op.isa::<tensor::Op>());
        Ok(node(op.expect("the program has the operation"))?)
    }

    /// Returns the results of an operation, with their shapes.
    fn outputs(
        &self,
        op: &str,
        example: &Example,
        operands: &[Operand],
    ) -> Result<Vec<Output>, Problem> {
        let is_scalar = op.contains('.');
        let output = |ty: &&str| Output {
            element: ty
                .trim_start_matches(UNUSED)
                .trim_start_matches(RANK_0)
                .to_owned(),
            is_used: !ty.starts_with(UNUSED),
            sizes: (!is_scalar || ty.starts_with(RANK_0)).then(Vec::new),
        };
        let mut outputs: Vec<_> = example.results.iter().map(output).collect();
        if is_scalar {
            return Ok(outputs);
        }
        let programs = Programs {
            op,
            attributes: example.attributes,
            operands,
            results: &outputs,
            typing: Typing::Dynamic,
        };
        let arguments = programs.parameters().iter().map(Operand::tensor).collect();
        let values = self
            .run(&programs.text(Order::First), "", "f", &[arguments])?
            .remove(0);
        let floats = outputs.iter_mut().filter(|output| output.is_float());
        for (output, value) in floats.zip(values) {
            output.sizes = Some(value.shape().to_vec());
        }
        Ok(outputs)
    }

    /// Runs a function on several lists of arguments, after a pipeline.
    fn run(
        &self,
        text: &str,
        passes: &str,
        function: &str,
        arguments: &[Vec<Tensor>],
    ) -> Result<Vec<Vec<Tensor>>, Problem> {
        self.compile(text, passes)?.call(function, arguments)
    }

    /// Runs a pipeline on a program.
    fn compile<'s>(&'s self, text: &'s str, passes: &str) -> Result<Compiled<'s>, Problem> {
        let failed = |error: tfx::Error| format!("{error}\n{text}");
        let mut program = Source::new("example.mlir", text)
            .parse(self.context)
            .map_err(failed)?;
        match passes {
            // The interpreter runs derivatives only once they are ordinary functions.
            "" => {}
            passes => drop(program.run(passes).map_err(failed)?),
        }
        let foreign = Foreign::replace(as_op(program.module()), &self.kernels)?;
        Ok(Compiled {
            text,
            program,
            foreign,
        })
    }
}

/// A program that the interpreter can run.
struct Compiled<'s> {
    text: &'s str,
    program: Program<'s>,
    foreign: Foreign<'s>,
}

impl Compiled<'_> {
    /// Runs a function on several lists of arguments.
    fn call(
        &mut self,
        function: &str,
        arguments: &[Vec<Tensor>],
    ) -> Result<Vec<Vec<Tensor>>, Problem> {
        let library = Library::new(as_op(self.program.module()));
        let function = library.function(function).expect("it has the function");
        let parameters = library.parameters(function);
        let mut all = Vec::new();
        for arguments in arguments {
            let values = arguments.iter().zip(&parameters);
            let values = values.map(|(argument, ty)| Value::given(argument, *ty));
            let values = values
                .collect::<Result<_, _>>()
                .map_err(|error| error.to_string())?;
            let limits = Limits::default();
            let mut schedule = Fair::default();
            let behaviour = run(
                &library,
                function,
                values,
                &mut self.foreign,
                &mut schedule,
                limits,
            );
            let End::Returned(results) = behaviour.end else {
                let text = self.text;
                return Err(Problem::Wrong(format!("{}\n{text}", behaviour.end)));
            };
            let results = results
                .iter()
                .map(|result| result.tensor().ok_or_else(|| "it has no tensor".to_owned()));
            all.push(results.collect::<Result<_, _>>()?);
        }
        Ok(all)
    }
}

/// The prefix of the element type of a tensor of rank 0.
const RANK_0: &str = "[]x";

/// Returns random cotangents or tangents.
fn random_tensor(element: &str, sizes: &[usize], random: &mut Random) -> Tensor {
    let count = sizes.iter().product();
    let values: Vec<_> = (0..count).map(|_| 0.5 + fraction(random)).collect();
    tensor(element, sizes, &values)
}

/// Returns whether two numbers differ by at most `tolerance`, relative to the larger one or to 1. A
/// NaN is close to no number.
fn is_close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// Returns the elements of the arguments `wrt`, with two points for each: a step both ways.
fn points(
    wrt: &[usize],
    arguments: &[Tensor],
    step: f64,
) -> (Vec<(usize, usize)>, Vec<Vec<Tensor>>) {
    let (mut elements, mut points) = (Vec::new(), Vec::new());
    for (tangent, &position) in wrt.iter().enumerate() {
        let argument = &arguments[position];
        let element_type = argument.dtype().name();
        for element in 0..argument.elements() {
            elements.push((tangent, element));
            for step in [step, -step] {
                let mut values = floats(argument);
                values[element] += step;
                let mut point = arguments.to_vec();
                point[position] = tensor(element_type, argument.shape(), &values);
                points.push(point);
            }
        }
    }
    (elements, points)
}

/// Returns the product of values and cotangents.
fn along(values: &[Tensor], cotangents: &[Tensor]) -> f64 {
    let pairs = values.iter().zip(cotangents);
    let products = pairs.map(|(value, cotangent)| -> f64 {
        let pairs = floats(value).into_iter().zip(floats(cotangent));
        pairs.map(|(value, cotangent)| value * cotangent).sum()
    });
    products.sum()
}
