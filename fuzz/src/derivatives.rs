//! Checks derivatives: those of `tfx-differentiate` are compared with dual numbers and with central
//! differences, and the derived program then passes all stages.
//!
//! ```text
//!   source ─┬─ tfx-differentiate ─┬─ @main: gradients, equations of derivatives ──┐
//!           │                     └─ all stages, as any program                   │
//!           ├─ @probe, on dual numbers: each number of the arguments              ├─ agree?
//!           └─ @probe, with each number of the arguments changed a little ────────┘
//! ```
//!
//! The reference interpreter computes both from the source, so they share no code with the rules
//! and the reversal. Dual numbers are exact except for rounding. Differences share nothing with any
//! derivative; two steps are compared: where they disagree, the function has a jump nearby, and the
//! number is not judged by them.

use melior::ir::Module;
use tfx::{Program, Source};
use tfx_interpreter::Tensor;
use tfx_ir::module;
use tfx_oracle::{End, HostFirst, Library, Limits, Returned, Value};

use crate::generate::Generated;
use crate::mismatch::Mismatch;
use crate::runs::{FUEL_LATER, MAIN, run, run_values};

/// The function of the derivatives of `main`.
const PROBE: &str = "probe";
/// The passes that replace requests for derivatives.
const PASSES: &str = "tfx-specialize,tfx-differentiate";
/// The relative error up to which derivatives agree with dual numbers, which round in another
/// order.
const EXACT: f64 = 1e-12;
/// The steps of central differences: their errors are about 1e-10 and 1e-11, from the third
/// derivative and from rounding.
const STEPS: [f64; 2] = [4e-5, 1e-5];
/// The relative error up to which derivatives agree with differences.
const TOLERANCE: f64 = 1e-6;
/// The relative error up to which the two differences agree.
const SMOOTH: f64 = 1e-7;

/// A program whose derivatives have been checked.
pub(crate) struct Derived {
    /// The program without requests for derivatives.
    pub(crate) generated: Generated,
    /// The number of partial derivatives that were compared.
    pub(crate) compared: u64,
}

/// Compares the derivatives of a program with central differences.
///
/// # Errors
/// The derivative that differs, or the reason why there is none.
pub(crate) fn check(context: &melior::Context, generated: &Generated) -> Result<Derived, Mismatch> {
    let failed = |what: String| Mismatch::new("derivatives", what);
    let parse = || {
        let parsed = Source::new("random.mlir", &generated.text).parse(context);
        parsed.map_err(|error| failed(format!("it does not parse: {error}")))
    };
    let source: Program<'_> = parse()?;
    let mut program = parse()?;
    program
        .run(PASSES)
        .map_err(|error| failed(format!("it is rejected: {error}")))?;
    let functions = Library::new(module::as_op(source.module()));
    let derived = Library::new(module::as_op(program.module()));
    let mut compared = 0;
    for arguments in &generated.arguments {
        let judged = Judge {
            functions: &functions,
            derived: &derived,
            arguments,
        };
        compared += judged.run().map_err(failed)?;
    }
    Ok(Derived {
        generated: Generated {
            text: text_of(program.module()),
            ..generated.clone()
        },
        compared,
    })
}

/// Returns the text of a module as that of a source: without the operation around.
fn text_of(module: &Module<'_>) -> String {
    let functions = module::as_op(module).children();
    functions.map(|function| format!("{function}\n")).collect()
}

/// One list of arguments.
struct Judge<'j, 'a> {
    /// The source, whose `main` requests derivatives.
    functions: &'j Library<'a>,
    derived: &'j Library<'a>,
    arguments: &'j [Tensor],
}

impl Judge<'_, '_> {
    /// Returns the number of compared partial derivatives.
    fn run(&self) -> Result<u64, String> {
        let mut compared = 0;
        for line in self.trace()? {
            let (kind, rest) = line.split_once(' ').unwrap_or_default();
            match kind {
                "value" => self.value(rest)?,
                "gradient" => compared += self.gradient(rest)?,
                "agree" if rest.starts_with("true") => {}
                _ => return Err(format!("'{line}'")),
            }
        }
        Ok(compared)
    }

    /// Returns the printed lines. A matrix takes several.
    fn trace(&self) -> Result<Vec<String>, String> {
        let behaviour = run(self.derived, MAIN, self.arguments, &mut HostFirst, limits());
        let behaviour = behaviour.map_err(|mismatch| mismatch.to_string())?;
        match behaviour.end {
            End::Returned(_) => Ok(behaviour.trace),
            end => Err(format!("the derived program ends by: {end}")),
        }
    }

    fn value(&self, printed: &str) -> Result<(), String> {
        let value = self.probe(self.arguments)?;
        match numbers(printed)[..] {
            [printed] if printed == value => Ok(()),
            _ => Err(format!("the result is {printed}, instead of {value}")),
        }
    }

    /// Compares the gradient by one parameter; returns the number of compared numbers.
    fn gradient(&self, printed: &str) -> Result<u64, String> {
        let (parameter, printed) = printed.split_once(' ').unwrap_or_default();
        let parameter: usize = parameter.parse().map_err(|_| "no parameter".to_owned())?;
        let mut compared = 0;
        for (position, found) in numbers(printed).into_iter().enumerate() {
            let differ = |a: f64, b: f64| (a - b).abs() / (1.0 + a.abs());
            let exact = self.dual(parameter, position)?;
            let difference = differ(found, exact);
            if difference.is_nan() || difference > EXACT {
                return Err(format!(
                    "the derivative by number {position} of parameter {parameter} is {found}, but dual numbers give {exact}"
                ));
            }
            let [rough, fine] = STEPS.map(|step| self.difference(parameter, position, step));
            let (rough, fine) = (rough?, fine?);
            if differ(rough, fine) > SMOOTH {
                continue;
            }
            let difference = differ(found, fine);
            if difference.is_nan() || difference > TOLERANCE {
                return Err(format!(
                    "the derivative by number {position} of parameter {parameter} is {found}, but central differences give {fine}"
                ));
            }
            compared += 1;
        }
        Ok(compared)
    }

    /// Returns the derivative by a number of an argument that a run on dual numbers gives.
    fn dual(&self, parameter: usize, position: usize) -> Result<f64, String> {
        let probe = self.functions.function(PROBE).ok_or("there is no probe")?;
        let types = self.functions.parameters(probe).into_iter();
        let mut values = Vec::new();
        for (index, (argument, ty)) in self.arguments.iter().zip(types).enumerate() {
            let given =
                |tensor: &Tensor| Value::given(tensor, ty).map_err(|error| error.to_string());
            let value = given(argument)?;
            values.push(match index == parameter {
                true => {
                    let tangent = given(&unit(argument, position))?;
                    Value::dual(value, tangent).map_err(|error| error.to_string())?
                }
                false => value,
            });
        }
        let behaviour = run_values(self.functions, probe, values, &mut HostFirst, limits());
        match &behaviour.end {
            End::Returned(values) => {
                let tangent = values.first().and_then(Returned::tangent);
                // The result does not depend on the argument.
                Ok(tangent.map_or(0.0, |it| it.item::<f64>().unwrap_or(f64::NAN)))
            }
            end => Err(format!("the function on dual numbers ends by: {end}")),
        }
    }

    /// Returns the central difference of a step at a number of an argument.
    fn difference(&self, parameter: usize, position: usize, step: f64) -> Result<f64, String> {
        let at = |step: f64| {
            let mut arguments = self.arguments.to_vec();
            arguments[parameter] = moved(&arguments[parameter], position, step);
            self.probe(&arguments)
        };
        Ok((at(step)? - at(-step)?) / (2.0 * step))
    }

    fn probe(&self, arguments: &[Tensor]) -> Result<f64, String> {
        let behaviour = run(self.functions, PROBE, arguments, &mut HostFirst, limits());
        let behaviour = behaviour.map_err(|mismatch| mismatch.to_string())?;
        match &behaviour.end {
            End::Returned(values) => {
                let value = values.first().and_then(Returned::tensor);
                let value = value.and_then(|value| value.item::<f64>().ok());
                value.ok_or_else(|| "the function does not return a number".to_owned())
            }
            end => Err(format!("the function ends by: {end}")),
        }
    }
}

fn limits() -> Limits {
    Limits {
        fuel: FUEL_LATER,
        ..Limits::default()
    }
}

/// Returns a tensor with one number changed by `step`.
fn moved(tensor: &Tensor, position: usize, step: f64) -> Tensor {
    let mut numbers: Vec<_> = tensor
        .bytes()
        .chunks_exact(size_of::<f64>())
        .map(read)
        .collect();
    numbers[position] += step;
    Tensor::from_slice(tensor.shape(), &numbers).expect("as many numbers as before")
}

/// Returns a tensor of the same shape with a one in a position, and zeros.
fn unit(like: &Tensor, position: usize) -> Tensor {
    let mut numbers = vec![0.0; like.elements()];
    numbers[position] = 1.0;
    Tensor::from_slice(like.shape(), &numbers).expect("as many numbers as before")
}

fn read(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

/// Returns the numbers in a printed tensor.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|character: char| character.is_whitespace() || "[]".contains(character));
    words.filter_map(|word| word.parse().ok()).collect()
}
