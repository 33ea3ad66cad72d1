//! Generation of well-defined random programs, as text.
//!
//! ```text
//!   seed ──> weights (mix.rs), control flow (shape.rs) ──> functions ──> statements (body.rs)
//!                                                              └── call later functions, and those
//!                                                                  of prelude.mlir
//! ```
//!
//! Every program is valid by construction, terminates, and has no undefined behaviour: cycles count
//! down fuel, divisors are from 1 to 8 (except for those of `divisions`, whose quotients are
//! printed), shift amounts are smaller than the width, variables are initialized where they are
//! created, and array indices are in range. The same seed and the same mix give the same program.

mod body;
mod calls;
mod derivatives;
mod failures;
mod function;
mod invariants;
mod make;
mod mix;
mod nests;
mod networks;
mod numbers;
mod objects;
mod outline;
mod parts;
mod patterns;
mod prelude;
mod queues;
mod regions;
mod scalars;
mod shape;
mod tables;
mod tensors;
mod types;
mod unknown;
mod uses;

use tfx_interpreter::{Bool, Tensor};
use tfx_oracle::Random;

use body::Signature;
pub use derivatives::derivatives;
pub use mix::{Mix, Overrides};
use outline::Rendering;
use types::Ty;

/// A program, and the arguments of its calls.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The module.
    pub text: String,
    /// The same program with outlined expressions in place, if there are any.
    pub in_place: Option<String>,
    /// The lists of arguments for the main function.
    pub arguments: Vec<Vec<Tensor>>,
    /// Additional lists, for properties that must hold on some input only.
    pub more_arguments: Vec<Vec<Tensor>>,
    /// True if a CUDA device runs what it can.
    pub is_offloaded: bool,
}

impl Generated {
    /// Returns all lists of arguments.
    pub fn inputs(&self) -> impl Iterator<Item = &[Tensor]> {
        let all = self.arguments.iter().chain(&self.more_arguments);
        all.map(Vec::as_slice)
    }
}

/// The number of lists of arguments of a program.
const CALLS: usize = 2;
/// The number of additional lists.
const MORE_CALLS: usize = 6;

/// Returns the program of a seed, with some weights overridden.
pub fn generate(seed: u64, overrides: &Overrides) -> Generated {
    let mut random = Random::new(seed);
    // Decorrelates neighbouring seeds.
    random.next_u64();
    let mix = Mix::random(&mut random)
        .with_more(seed)
        .with_latest(seed)
        .with_queues(seed)
        .with_invariants(seed)
        .with_networks(seed);
    let mix = overrides.apply(mix);
    let mut generated = generate_mix(&mut random.clone(), &mix, Rendering::Outlined);
    if mix.outlined > 0 {
        let in_place = generate_mix(&mut random, &mix, Rendering::InPlace);
        generated.in_place = (in_place.text != generated.text).then_some(in_place.text);
    }
    generated.is_offloaded = mix.devices == mix::OFFLOADED;
    generated
}

/// Generates a program of a mix, with outlined expressions as functions or in place.
fn generate_mix(random: &mut Random, mix: &Mix, rendering: Rendering) -> Generated {
    let mut signatures = vec![main_signature(random)];
    for number in 0..random.below(mix.functions + 1) {
        signatures.push(signature(random, mix, number));
    }
    let mut text = String::new();
    for (index, own) in signatures.iter().enumerate() {
        let later = &signatures[index + 1..];
        text += &match own.is_tensor_code {
            true => {
                let later = later.iter().filter(|later| later.is_tensor_code);
                let later: Vec<_> = later.cloned().collect();
                function::function(random, &mix.tensor_code(), own, &later, false, rendering)
            }
            // Almost only tensor code: a little host code keeps it out of graphs.
            false if index > 0 && random.chance(50) => {
                let mut nearly = mix.tensor_code();
                match random.chance(50) {
                    true => nearly.prints = 1,
                    false => nearly.foreign = 1,
                }
                function::function(random, &nearly, own, later, false, rendering)
            }
            false => function::function(random, mix, own, later, index == 0, rendering),
        };
    }
    let mut lists = |count| {
        let list = |_| {
            let parameters = signatures[0].parameters.iter();
            parameters.map(|&ty| argument(random, mix, ty)).collect()
        };
        (0..count).map(list).collect()
    };
    let (arguments, more_arguments) = (lists(CALLS), lists(MORE_CALLS));
    Generated {
        text: with_states(prelude::needed(&text) + &text, random),
        in_place: None,
        arguments,
        more_arguments,
        is_offloaded: false,
    }
}

/// Declares in half of the programs that some foreign functions share a state, and that another is
/// pure.
fn with_states(text: String, random: &mut Random) -> String {
    if random.chance(50) {
        return text;
    }
    let mut text = text;
    for (declaration, attribute) in [
        ("@next(i32) -> i32", "tfx.state = \"world\""),
        ("@decide() -> i1", "tfx.state = \"world\""),
        (
            "@turn(tensor<4xi32>) -> tensor<4xi32>",
            "tfx.state = \"world\"",
        ),
        ("@mix(i32, i32) -> i32", "tfx.pure"),
    ] {
        let plain = format!("func.func private {declaration}\n");
        let annotated = format!("func.func private {declaration} attributes {{{attribute}}}\n");
        text = text.replacen(&plain, &annotated, 1);
    }
    text
}

fn main_signature(random: &mut Random) -> Signature {
    const PARAMETERS: [Ty; 6] = [Ty::I32, Ty::I1, Ty::Vector, Ty::Floats, Ty::F32, Ty::Number];
    const RESULTS: [Ty; 7] = [
        Ty::I32,
        Ty::Vector,
        Ty::Floats,
        Ty::Number,
        Ty::I1,
        Ty::Vector,
        Ty::Matrix,
    ];
    let mut list = |least: usize, types: &[Ty]| {
        let count = least + random.below(4);
        (0..count).map(|_| *random.pick(types)).collect()
    };
    Signature {
        name: "main".to_owned(),
        parameters: list(2, &PARAMETERS),
        results: list(0, &RESULTS),
        inout: None,
        is_tensor_code: false,
    }
}

fn signature(random: &mut Random, mix: &Mix, number: usize) -> Signature {
    let is_tensor_code = random.chance(40);
    let plain = mix.tensor_code();
    let mix = if is_tensor_code { &plain } else { mix };
    let mut list = |most| -> Vec<Ty> {
        (0..random.below(most))
            .map(|_| Ty::data(random, mix))
            .collect()
    };
    let (parameters, mut results) = (list(5), list(4));
    results.retain(|ty| ty.is_returnable());
    let inout = random.chance(30).then(|| Ty::data(random, mix));
    Signature {
        name: format!("f{number}"),
        parameters,
        results,
        inout,
        is_tensor_code,
    }
}

/// Float arguments with special arithmetic.
const EXTREMES: [f32; 5] = [
    -0.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
];

fn argument(random: &mut Random, mix: &Mix, ty: Ty) -> Tensor {
    let float = |random: &mut Random| match mix.extremes > 0 && random.chance(mix.extremes) {
        true => *random.pick(&EXTREMES),
        false => (random.below(21) as i32 - 10) as f32 / 2.0,
    };
    let number = |random: &mut Random| random.below(21) as i32 - 10;
    let vector = |random: &mut Random| [(); 4].map(|()| number(random));
    let tensor = match ty {
        Ty::I1 => return Tensor::scalar(Bool::from(random.chance(50))),
        Ty::F32 => return Tensor::scalar(float(random)),
        Ty::Vector => Tensor::from_slice(&[4], &vector(random)),
        Ty::Floats => Tensor::from_slice(&[4], &[(); 4].map(|()| float(random))),
        _ => return Tensor::scalar(number(random)),
    };
    tensor.expect("four elements are a vector")
}
