//! Generation of programs that request derivatives.
//!
//! ```text
//!   func @f0(%x0: f64, %x1: tensor<3x3xf64>, %n: i64) -> f64     smooth, with random control flow
//!   func @f1 calls @f0, ...                                      the last one is differentiated
//!   func @probe                                                  calls it, for central differences
//!   func @main                                                   prints its result and derivatives
//! ```
//!
//! All values stay near 1, so that central differences judge derivatives: each statement is one of
//! a list of bounded forms. Branches are decided by integers, or by floats: a decision changes
//! between two neighbouring arguments only with a probability of about 1e-6. Loops run up to four
//! times, a number that the host knows only at run time, and some end early. The loops of some
//! functions keep checkpoints. Some functions call themselves, with a smaller number: once, twice,
//! in loops and branches, some of them through another function. Some variables are fields of
//! objects. Some closures are applied where a branch has selected one of two. Some programs do not
//! state the sizes of their tensors.
//!
//! `main` prints, one line each:
//!
//! | line | meaning |
//! |---|---|
//! | `value %v` | the result that `gradient` returns |
//! | `gradient %i %g` | the derivative by parameter i |
//! | `agree %b` | an equation of two derivatives holds: of modes, of pullbacks, of closures |

use std::fmt::Write;

use tfx_interpreter::Tensor;
use tfx_oracle::Random;

use super::Generated;

/// The number of lists of arguments of a program.
const CALLS: usize = 2;
/// The most functions that call each other.
const MOST_FUNCTIONS: usize = 3;
/// The deepest nesting of control flow.
const MOST_DEPTH: usize = 3;
/// The rows and columns of a matrix.
const SIZE: usize = 3;
/// One program in so many does not state the sizes of its tensors.
const OF_UNKNOWN_SIZES: u64 = 4;

/// The type of closures.
const CLOSURE: &str = "!tfx_host.closure<(i64) -> f64>";

/// A type with derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Number,
    Matrix,
    Row,
    Pair,
    /// An array with at least one element.
    List,
}

impl Ty {
    const ALL: [Ty; 5] = [Ty::Number, Ty::Matrix, Ty::Row, Ty::Pair, Ty::List];

    /// Returns whether no argument of an entry point can be of the type.
    fn is_inner(self) -> bool {
        matches!(self, Ty::Pair | Ty::List)
    }

    fn text(self) -> &'static str {
        match self {
            Ty::Number => "f64",
            Ty::Matrix => "tensor<3x3xf64>",
            Ty::Row => "tensor<3xf64>",
            Ty::Pair => "!tfx_host.struct<@Pair>",
            Ty::List => "!tfx_host.array<f64>",
        }
    }
}

/// A value in scope.
type Value = (String, Ty);

/// A function that others may call. Its last parameter is an `i64`.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    parameters: Vec<Ty>,
}

/// The declarations of each program, and what `main` compares with.
const PRELUDE: &str = r#"tfx_host.struct @Pair {left: f64, count: i64, right: f64}
tfx_host.class @Cell {count: i64, value: f64}
func.func private @touch(%cell: !tfx_host.object<@Cell>, %x: f64) {
  %value = tfx_host.member_ref %cell["value"] : !tfx_host.object<@Cell> -> !tfx_host.ref<f64>
  %old = tfx_host.load %value : !tfx_host.ref<f64>
  %s = math.sin %old : f64
  %new = arith.mulf %s, %x : f64
  tfx_host.store %new, %value : f64
  return
}
func.func private @close(%a: f64, %b: f64) -> i1 {
  %one = arith.constant 1.0 : f64
  %tolerance = arith.constant 1.0e-12 : f64
  %d = arith.subf %a, %b : f64
  %size = math.absf %d : f64
  %scale = math.absf %a : f64
  %sum = arith.addf %scale, %one : f64
  %bound = arith.mulf %sum, %tolerance : f64
  %fits = arith.cmpf ole, %size, %bound : f64
  return %fits : i1
}
func.func private @dot.Matrix(%a: tensor<3x3xf64>, %b: tensor<3x3xf64>) -> f64 {
  %p = tfx_tensor.op "Mul"(%a, %b) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}
func.func private @dot.Row(%a: tensor<3xf64>, %b: tensor<3xf64>) -> f64 {
  %p = tfx_tensor.op "Mul"(%a, %b) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}
func.func private @dot.Number(%a: f64, %b: f64) -> f64 {
  %r = arith.mulf %a, %b : f64
  return %r : f64
}
"#;

/// Returns the program of a seed.
pub fn derivatives(seed: u64) -> Generated {
    let mut random = Random::new(seed ^ 0x0ad0_0ad0);
    random.next_u64();
    let mut text = PRELUDE.to_owned();
    let mut signatures: Vec<Signature> = Vec::new();
    for number in 0..1 + random.below(MOST_FUNCTIONS) {
        let parameters = (0..1 + random.below(3)).map(|_| *random.pick(&Ty::ALL));
        let mut parameters: Vec<_> = parameters.collect();
        let is_last = number + 1 == MOST_FUNCTIONS || random.chance(50);
        if is_last {
            // Central differences need arguments of entry points.
            parameters.retain(|ty| !ty.is_inner());
            parameters.push(Ty::Number);
        }
        let signature = Signature {
            name: format!("f{number}"),
            parameters,
        };
        text += &Function::new(&mut random, &signatures).write(&signature);
        signatures.push(signature);
        if is_last {
            break;
        }
    }
    let mut last = signatures.pop().expect("there is one");
    if last.parameters.iter().any(|ty| ty.is_inner()) {
        let parameters = vec![Ty::Number, Ty::Matrix];
        let name = format!("f{}", signatures.len() + 1);
        signatures.push(last);
        last = Signature { name, parameters };
        text += &Function::new(&mut random, &signatures).write(&last);
    }
    text += &main(&mut random, &last);
    let mut list = || {
        let parameters = last.parameters.iter();
        let mut list: Vec<_> = parameters.map(|ty| argument(&mut random, *ty)).collect();
        list.push(Tensor::scalar(random.below(5) as i64));
        list
    };
    let arguments = (0..CALLS).map(|_| list()).collect();
    if seed.is_multiple_of(OF_UNKNOWN_SIZES) {
        text = with_unknown_sizes(&text);
    }
    Generated {
        text,
        in_place: None,
        arguments,
        more_arguments: Vec::new(),
        is_offloaded: false,
    }
}

/// Returns a program whose types state no size of a tensor with derivatives, except those of
/// constants.
fn with_unknown_sizes(text: &str) -> String {
    let unknown = |text: &str| {
        let matrices = text.replace("tensor<3x3xf64>", "tensor<?x?xf64>");
        matrices.replace("tensor<3xf64>", "tensor<?xf64>")
    };
    let mut all = String::new();
    for (number, line) in text.lines().enumerate() {
        let constant = line
            .split_once(" = tfx_tensor.const ")
            .and_then(|(name, value)| Some((name, value, value.rsplit_once(" : ")?.1)))
            .filter(|(_, _, ty)| unknown(ty) != *ty);
        let _ = match constant {
            Some((name, value, ty)) => writeln!(
                all,
                "  %known.{number} = tfx_tensor.const {value}\n{name} = tfx_tensor.op \"Identity\"(%known.{number}) : ({ty}) -> {}",
                unknown(ty)
            ),
            None => writeln!(all, "{}", unknown(line)),
        };
    }
    all
}

fn argument(random: &mut Random, ty: Ty) -> Tensor {
    let mut number = || random.below(2000) as f64 / 1000.0 - 1.0 + 0.000_37;
    match ty {
        Ty::Number | Ty::Pair | Ty::List => Tensor::scalar(number()),
        Ty::Row => Tensor::from_slice(&[SIZE], &[(); SIZE].map(|()| number())).expect("three"),
        Ty::Matrix => {
            let elements = [(); SIZE * SIZE].map(|()| number());
            Tensor::from_slice(&[SIZE, SIZE], &elements).expect("nine")
        }
    }
}

/// Writes `probe` and `main` for the differentiated function.
fn main(random: &mut Random, function: &Signature) -> String {
    let types: Vec<_> = function.parameters.iter().map(|ty| ty.text()).collect();
    let names: Vec<_> = (0..types.len()).map(|index| format!("%x{index}")).collect();
    let parameters = names
        .iter()
        .zip(&types)
        .map(|(name, ty)| format!("{name}: {ty}, "));
    let parameters = parameters.collect::<String>() + "%n: i64";
    let arguments = format!("{}, %n", names.join(", "));
    let all_types = format!("{}, i64", types.join(", "));
    let name = &function.name;
    let wrt: Vec<_> = (0..types.len()).map(|index| index.to_string()).collect();
    let wrt = wrt.join(", ");
    let gradients: Vec<_> = (0..types.len()).map(|index| format!("%g{index}")).collect();
    let tangent_types = types.join(", ");
    let mut text = format!(
        "func.func public @probe({parameters}) -> f64 {{\n  %y = func.call @{name}({arguments}) : \
         ({all_types}) -> f64\n  return %y : f64\n}}\n"
    );
    // The derivative in a direction of one parameter, by both modes, for second derivatives.
    let second = random.below(types.len());
    let (ty, ty_text) = (function.parameters[second], types[second]);
    text += &format!(
        "func.func private @steepness({parameters}, %d: {ty_text}) -> f64 {{\n  \
         %g = tfx_ad.gradient @{name}({arguments}) wrt [{second}] : ({all_types}) -> {ty_text}\n  \
         %s = func.call @dot.{ty:?}(%g, %d) : ({ty_text}, {ty_text}) -> f64\n  return %s : f64\n}}\n\
         func.func private @along({parameters}, %d: {ty_text}) -> f64 {{\n  \
         %y, %t = tfx_ad.jvp @{name}({arguments}) tangents(%d : {ty_text}) wrt [{second}] : \
         ({all_types}) -> (f64, f64)\n  return %t : f64\n}}\n"
    );
    text += &of_closures(function, second);
    text += &format!("func.func public @main({parameters}) {{\n");
    text += &format!(
        "  %v, {} = tfx_ad.gradient @{name}({arguments}) wrt [{wrt}] value : ({all_types}) -> (f64, {tangent_types})\n",
        gradients.join(", ")
    );
    text += "  tfx_host.print \"value {}\"(%v) : f64\n";
    for (index, ty) in types.iter().enumerate() {
        text += &format!("  tfx_host.print \"gradient {index} {{}}\"(%g{index}) : {ty}\n");
    }
    // The product of the gradient and a direction is the directional derivative.
    let mut directions = Vec::new();
    for (index, ty) in function.parameters.iter().enumerate() {
        text += &direction(random, &format!("%d{index}"), *ty);
        directions.push(format!("%d{index}"));
    }
    let directions = directions.join(", ");
    text += &format!(
        "  %w, %t = tfx_ad.jvp @{name}({arguments}) tangents({directions} : {tangent_types}) wrt [{wrt}] : ({all_types}) -> (f64, f64)\n"
    );
    text += "  %zero = arith.constant 0.0 : f64\n";
    let mut sum = "%zero".to_owned();
    for (index, ty) in function.parameters.iter().enumerate() {
        let text_of = ty.text();
        text += &format!(
            "  %p{index} = func.call @dot.{ty:?}(%g{index}, %d{index}) : ({text_of}, {text_of}) -> f64\n  %s{index} = arith.addf {sum}, %p{index} : f64\n"
        );
        sum = format!("%s{index}");
    }
    text += &agree("first", &sum, "%t");
    // A pullback that is applied twice: what it has kept is still there for the second time.
    let closure = format!("!tfx_host.closure<(f64) -> {ty_text}>");
    text += &format!(
        "  %unit = arith.constant 1.0 : f64\n  %double = arith.constant 2.0 : f64\n  %u, %pull = tfx_ad.vjp @{name}({arguments}) wrt [{second}] : ({all_types}) -> (f64, {closure})\n"
    );
    for (index, seed) in ["%unit", "%double"].iter().enumerate() {
        text += &format!(
            "  %a{index} = tfx_host.apply %pull({seed}) : {closure}\n  %pa{index} = func.call @dot.{ty:?}(%a{index}, %d{second}) : ({ty_text}, {ty_text}) -> f64\n  %ea{index} = arith.mulf %p{second}, {seed} : f64\n"
        );
        text += &agree(
            &format!("pullback{index}"),
            &format!("%pa{index}"),
            &format!("%ea{index}"),
        );
    }
    text += &second_derivatives(random, (&arguments, &all_types), second, ty);
    // By a closure that is a parameter, and by the captures of a closure.
    let others: Vec<_> = (0..types.len()).filter(|index| *index != second).collect();
    let captured = others.iter().map(|&index| names[index].as_str());
    let captured = captured.chain(["%n"]).collect::<Vec<_>>().join(", ");
    let captured_types = others.iter().map(|&index| types[index]);
    let captured_types = captured_types.chain(["i64"]).collect::<Vec<_>>().join(", ");
    let closure = format!("!tfx_host.closure<({ty_text}) -> f64>");
    text += &format!(
        "  %rest = tfx_host.closure @last({captured}) : ({captured_types}) -> {closure}\n  %gc = func.call @slope(%rest, %x{second}) : ({closure}, {ty_text}) -> {ty_text}\n  %pgc = func.call @dot.{ty:?}(%gc, %d{second}) : ({ty_text}, {ty_text}) -> f64\n"
    );
    text += &agree("parameter", "%pgc", &format!("%p{second}"));
    let closure = "!tfx_host.closure<(i64) -> f64>";
    let tuple = format!("tuple<{tangent_types}>");
    text += &format!(
        "  %all = tfx_host.closure @{name}({}) : ({tangent_types}) -> {closure}\n  %gt = tfx_ad.gradient @applied(%all, %n) wrt [0] : ({closure}, i64) -> {tuple}\n  %gt.part = tfx_host.tuple_get %gt[{second}] : {tuple}\n  %pgt = func.call @dot.{ty:?}(%gt.part, %d{second}) : ({ty_text}, {ty_text}) -> f64\n",
        names.join(", ")
    );
    text += &agree("captures", "%pgt", &format!("%p{second}"));
    text + "  return\n}\n"
}

/// Writes the product of the second derivative with two directions: in all orders of the modes, and
/// with the directions exchanged.
fn second_derivatives(
    random: &mut Random,
    (arguments, types): (&str, &str),
    second: usize,
    ty: Ty,
) -> String {
    let one = ty.text();
    let mut text = direction(random, "%e", ty);
    let d = format!("%d{second}");
    let types = format!("{types}, {one}");
    let mut reverse = |result: &str, callee: &str, inner: &str, outer: &str| {
        text += &format!(
            "  %g{result} = tfx_ad.gradient @{callee}({arguments}, {inner}) wrt [{second}] : ({types}) -> {one}\n  \
             %{result} = func.call @dot.{ty:?}(%g{result}, {outer}) : ({one}, {one}) -> f64\n"
        );
    };
    reverse("rr", "steepness", &d, "%e");
    reverse("rf", "along", &d, "%e");
    let mut forward = |result: &str, inner: &str, outer: &str| {
        text += &format!(
            "  %v{result}, %{result} = tfx_ad.jvp @steepness({arguments}, {inner}) tangents({outer} : {one}) \
             wrt [{second}] : ({types}) -> (f64, f64)\n"
        );
    };
    forward("fr", &d, "%e");
    forward("exchanged", "%e", &d);
    text += &agree("reverse-over-reverse", "%rr", "%fr");
    text += &agree("reverse-over-forward", "%rf", "%fr");
    text += &agree("symmetric", "%exchanged", "%fr");
    text
}

/// Writes the functions with closures: `@last` has the parameter `second` as its last one.
fn of_closures(function: &Signature, second: usize) -> String {
    let ty = function.parameters[second].text();
    let parameters = function.parameters.iter().enumerate();
    let others = parameters.filter(|(index, _)| *index != second);
    let others: String = others
        .map(|(index, ty)| format!("%x{index}: {}, ", ty.text()))
        .collect();
    let names = 0..function.parameters.len();
    let names: String = names.map(|index| format!("%x{index}, ")).collect();
    let types = function.parameters.iter();
    let types: String = types.map(|ty| format!("{}, ", ty.text())).collect();
    let closure = format!("!tfx_host.closure<({ty}) -> f64>");
    let name = &function.name;
    format!(
        "func.func private @last({others}%n: i64, %x{second}: {ty}) -> f64 {{\n  %y = func.call @{name}({names}%n) : ({types}i64) -> f64\n  return %y : f64\n}}\n\
         func.func private @slope(%f: {closure}, %x: {ty}) -> {ty} {{\n  %g = tfx_ad.gradient %f of {closure} (%x) wrt [0] : ({ty}) -> {ty}\n  return %g : {ty}\n}}\n\
         func.func private @applied(%f: !tfx_host.closure<(i64) -> f64>, %n: i64) -> f64 {{\n  %y = tfx_host.apply %f(%n) : !tfx_host.closure<(i64) -> f64>\n  return %y : f64\n}}\n"
    )
}

fn agree(name: &str, one: &str, other: &str) -> String {
    format!(
        "  %agree.{name} = func.call @close({one}, {other}) : (f64, f64) -> i1\n  tfx_host.print \"agree {{}} {{}} {{}}\"(%agree.{name}, {one}, {other}) : i1, f64, f64\n"
    )
}

/// Defines a direction of a type.
fn direction(random: &mut Random, name: &str, ty: Ty) -> String {
    let mut number = || format!("{:?}", random.below(200) as f64 / 100.0 - 1.0);
    let mut row = || (0..SIZE).map(|_| number()).collect::<Vec<_>>().join(", ");
    match ty {
        Ty::Row => format!(
            "  {name} = tfx_tensor.const dense<[{}]> : tensor<3xf64>\n",
            row()
        ),
        Ty::Matrix => {
            let rows = (0..SIZE)
                .map(|_| format!("[{}]", row()))
                .collect::<Vec<_>>();
            let rows = rows.join(", ");
            format!("  {name} = tfx_tensor.const dense<[{rows}]> : tensor<3x3xf64>\n")
        }
        Ty::Number | Ty::Pair | Ty::List => {
            format!("  {name} = arith.constant {} : f64\n", number())
        }
    }
}

/// The function that is being written.
struct Function<'r> {
    random: &'r mut Random,
    callees: &'r [Signature],
    text: String,
    /// The number of names so far.
    names: usize,
    scope: Vec<Value>,
    /// The counters of the loops around.
    counters: Vec<String>,
    /// The calls of itself that the function may still have.
    recursion: Option<Recursion>,
}

/// The recursion of a function.
struct Recursion {
    own: Signature,
    /// The number of calls that are left.
    calls: usize,
    /// The calls go through a function of this name.
    through: Option<String>,
    /// One of the calls so far is in a loop.
    is_in_loop: bool,
}

impl<'r> Function<'r> {
    fn new(random: &'r mut Random, callees: &'r [Signature]) -> Self {
        Function {
            random,
            callees,
            text: String::new(),
            names: 0,
            scope: Vec::new(),
            counters: Vec::new(),
            recursion: None,
        }
    }

    fn write(mut self, signature: &Signature) -> String {
        let recursion = self.random.chance(30).then(|| Recursion {
            own: signature.clone(),
            calls: 1 + self.random.below(2),
            through: (self.random.chance(30)).then(|| format!("{}.next", signature.name)),
            is_in_loop: false,
        });
        let other = recursion.as_ref().and_then(|it| it.through.as_deref());
        let other = other.map_or_else(String::new, |name| next(name, signature));
        let is_recursive = recursion.is_some();
        self.recursion = recursion;
        let parameters = signature.parameters.iter().enumerate();
        let mut list = String::new();
        for (index, ty) in parameters {
            let _ = write!(list, "%x{index}: {}, ", ty.text());
            self.scope.push((format!("%x{index}"), *ty));
        }
        self.line("%i0 = arith.constant 0 : i64");
        self.line("%i1 = arith.constant 1 : i64");
        self.line("%i2 = arith.constant 2 : i64");
        self.line("%half = arith.constant 0.5 : f64");
        self.line("%two = arith.constant 2.0 : f64");
        self.line("%three = arith.constant 3 : index");
        self.line("%axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>");
        self.line("%axis = tfx_tensor.const dense<0> : tensor<1xi32>");
        self.line("%first = tfx_tensor.const dense<0> : tensor<i32>");
        if !self.scope.iter().any(|(_, ty)| *ty == Ty::Number) {
            self.scope.push(("%half".to_owned(), Ty::Number));
        }
        let size = 2 + self.random.below(6);
        self.statements(size, 0);
        if is_recursive {
            self.recur();
        }
        // Several values, so that most of the function matters.
        let mut sum = self.number();
        for _ in 0..2 {
            let other = self.number();
            let added = self.define(&format!("arith.addf {sum}, {other} : f64"));
            sum = self.define(&format!("arith.mulf {added}, %half : f64"));
        }
        // A loop in which its function calls itself cannot keep checkpoints, which is an error.
        let attributes = match self.recursion.as_ref().is_some_and(|it| it.is_in_loop) {
            true => String::new(),
            false => self.checkpoints(),
        };
        format!(
            "func.func private @{}({list}%n: i64) -> f64{attributes} {{\n{}  return {sum} : f64\n}}\n{other}",
            signature.name, self.text
        )
    }

    /// Returns an attribute for the loops of the function, or nothing.
    fn checkpoints(&mut self) -> String {
        let number = 1 + self.random.below(3);
        let scheme = match self.random.below(6) {
            0 | 1 => format!("binomial<{number}>"),
            2 => format!("periodic<{number}>"),
            3 => "auto".to_owned(),
            _ => return String::new(),
        };
        format!(" attributes {{tfx_ad.checkpoint = #tfx_ad.checkpoint<{scheme}>}}")
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn label(&mut self) -> String {
        self.names += 1;
        format!("^b{}", self.names)
    }

    fn define(&mut self, operation: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {operation}"));
        name
    }

    fn add(&mut self, value: String, ty: Ty) {
        self.scope.push((value, ty));
    }

    /// Picks a value of a type, later definitions more often; makes one if there is none.
    fn pick(&mut self, ty: Ty) -> String {
        let of_type = self.scope.iter().filter(|(_, own)| *own == ty);
        let names: Vec<_> = of_type.map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            return self.make(ty);
        }
        let back = self
            .random
            .below(names.len())
            .min(self.random.below(names.len()));
        names[names.len() - 1 - back].clone()
    }

    /// Makes a value of a type from numbers.
    fn make(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Number => "%half".to_owned(),
            Ty::Matrix | Ty::Row => {
                let number = self.pick(Ty::Number);
                let scalar = self.define(&format!("tfx_tensor.from_scalar {number} : f64"));
                let text = ty.text();
                let elements = match ty {
                    Ty::Row => "[0.3, -0.2, 0.7]",
                    _ => "[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]",
                };
                let constant = self.define(&format!("tfx_tensor.const dense<{elements}> : {text}"));
                self.define(&format!(
                    "tfx_tensor.op \"Mul\"({scalar}, {constant}) : (tensor<f64>, {text}) -> {text}"
                ))
            }
            Ty::Pair => {
                let (left, right) = (self.pick(Ty::Number), self.pick(Ty::Number));
                self.define(&format!(
                    "tfx_host.make_struct({left}, %n, {right}) : (f64, i64, f64) -> {}",
                    ty.text()
                ))
            }
            Ty::List => self.list(),
        }
    }

    /// Makes an array: of three numbers, or of one to three equal ones.
    fn list(&mut self) -> String {
        let (a, text) = (self.pick(Ty::Number), Ty::List.text());
        if self.random.chance(50) {
            let (b, c) = (self.pick(Ty::Number), self.pick(Ty::Number));
            return self.define(&format!("tfx_host.array({a}, {b}, {c}) : {text}"));
        }
        let index = self.index("%three");
        let one = self.define("arith.constant 1 : index");
        let count = self.define(&format!("arith.addi {index}, {one} : index"));
        self.define(&format!("tfx_host.array_fill {a}, {count} : {text}"))
    }

    /// Returns an index that is less than a number.
    fn index(&mut self, count: &str) -> String {
        let number = self.counter();
        let number = self.define(&format!("arith.index_cast {number} : i64 to index"));
        self.define(&format!("arith.remui {number}, {count} : index"))
    }

    /// Returns a valid index of an array.
    fn index_of(&mut self, list: &str) -> String {
        let text = Ty::List.text();
        let count = self.define(&format!("tfx_host.array_count {list} : {text}"));
        self.index(&count)
    }

    /// Reads or replaces an element of an array.
    fn element(&mut self) {
        let (list, text) = (self.pick(Ty::List), Ty::List.text());
        let index = self.index_of(&list);
        if self.random.chance(50) {
            let element = self.define(&format!("tfx_host.array_get {list}[{index}] : {text}"));
            return self.add(element, Ty::Number);
        }
        let value = self.pick(Ty::Number);
        let changed = self.define(&format!(
            "tfx_host.array_set {value} into {list}[{index}] : {text}"
        ));
        self.add(changed, Ty::List);
    }

    /// Returns a number that depends on a value of any type.
    fn number(&mut self) -> String {
        let ty = *self.random.pick(&Ty::ALL);
        let value = self.pick(ty);
        self.reduced(&value, ty)
    }

    fn reduced(&mut self, value: &str, ty: Ty) -> String {
        let text = ty.text();
        match ty {
            Ty::Number => value.to_owned(),
            Ty::Matrix | Ty::Row => {
                let axes = match ty {
                    Ty::Row => ("%axis", "tensor<1xi32>"),
                    _ => ("%axes", "tensor<2xi32>"),
                };
                let sum = self.define(&format!(
                    "tfx_tensor.op \"Sum\"({value}, {}) : ({text}, {}) -> tensor<f64>",
                    axes.0, axes.1
                ));
                let sum = self.define(&format!("tfx_tensor.to_scalar {sum} : tensor<f64> -> f64"));
                self.define(&format!("math.sin {sum} : f64"))
            }
            Ty::Pair => {
                let field = ["left", "right"][self.random.below(2)];
                self.define(&format!(
                    "tfx_host.extract {value}[\"{field}\"] : {text} -> f64"
                ))
            }
            Ty::List => {
                let index = self.index_of(value);
                self.define(&format!("tfx_host.array_get {value}[{index}] : {text}"))
            }
        }
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            match self.random.below(if depth < MOST_DEPTH { 15 } else { 10 }) {
                0..4 => self.scalar(),
                4..6 => self.tensor(),
                6 => self.pair(),
                7 => self.recur(),
                8 => self.closure(),
                9 => self.element(),
                10 | 11 => self.branch(depth),
                12 => self.variable(depth),
                _ => self.repeat(depth),
            }
        }
    }

    /// A bounded function of numbers.
    fn scalar(&mut self) {
        let (a, b) = (self.pick(Ty::Number), self.pick(Ty::Number));
        let result = match self.random.below(9) {
            8 => {
                let product = self.define(&format!("arith.mulf {a}, {b} : f64"));
                let kept = self.define(&format!("tfx_ad.save {product} : f64"));
                let sum = self.define(&format!("arith.addf {product}, {kept} : f64"));
                self.define(&format!("math.sin {sum} : f64"))
            }
            0 => {
                let product = self.define(&format!("arith.mulf {a}, {b} : f64"));
                self.define(&format!("math.sin {product} : f64"))
            }
            1 => {
                let sum = self.define(&format!("arith.addf {a}, {b} : f64"));
                self.define(&format!("arith.mulf {sum}, %half : f64"))
            }
            2 => {
                let difference = self.define(&format!("arith.subf {a}, {b} : f64"));
                self.define(&format!("math.cos {difference} : f64"))
            }
            3 => {
                let sine = self.define(&format!("math.sin {b} : f64"));
                let divisor = self.define(&format!("arith.addf {sine}, %two : f64"));
                self.define(&format!("arith.divf {a}, {divisor} : f64"))
            }
            4 => {
                let sine = self.define(&format!("math.sin {a} : f64"));
                let power = self.define(&format!("math.exp {sine} : f64"));
                self.define(&format!("arith.mulf {power}, %half : f64"))
            }
            5 => {
                let cosine = self.define(&format!("math.cos {a} : f64"));
                let positive = self.define(&format!("arith.addf {cosine}, %two : f64"));
                self.define(&format!("math.log {positive} : f64"))
            }
            6 => self.define(&format!("arith.negf {a} : f64")),
            _ => {
                let constant = self.define(&format!("tfx_ad.stop {a} : f64"));
                let product = self.define(&format!("arith.mulf {constant}, %half : f64"));
                let stopped = self.define(&format!("arith.subf {product}, {product} : f64"));
                let other = self.define(&format!("arith.addf {b}, {stopped} : f64"));
                self.define(&format!("math.sin {other} : f64"))
            }
        };
        self.add(result, Ty::Number);
    }

    /// A bounded function of matrices and rows.
    fn tensor(&mut self) {
        let matrix = Ty::Matrix.text();
        let row = Ty::Row.text();
        let a = self.pick(Ty::Matrix);
        let (result, ty) = match self.random.below(6) {
            5 => {
                let index = self.index("%three");
                let number = self.define(&format!("arith.index_cast {index} : index to i64"));
                let at = self.define(&format!("tfx_tensor.from_scalar {number} : i64"));
                let selected = self.define(&format!(
                    "tfx_tensor.op \"GatherV2\"({a}, {at}, %first) : ({matrix}, tensor<i64>, tensor<i32>) -> {row}"
                ));
                (selected, Ty::Row)
            }
            0 => {
                let b = self.pick(Ty::Matrix);
                let product = self.define(&format!(
                    "tfx_tensor.op \"MatMul\"({a}, {b}) {{transpose_a = false, transpose_b = false}} : ({matrix}, {matrix}) -> {matrix}"
                ));
                (self.tanh(&product, Ty::Matrix), Ty::Matrix)
            }
            1 => {
                let b = self.pick(Ty::Row);
                let sum = self.define(&format!(
                    "tfx_tensor.op \"AddV2\"({a}, {b}) : ({matrix}, {row}) -> {matrix}"
                ));
                (self.tanh(&sum, Ty::Matrix), Ty::Matrix)
            }
            2 => {
                let b = self.pick(Ty::Row);
                let product = self.define(&format!(
                    "tfx_tensor.op \"Mul\"({b}, {a}) : ({row}, {matrix}) -> {matrix}"
                ));
                (self.tanh(&product, Ty::Matrix), Ty::Matrix)
            }
            3 => {
                let sum = self.define(&format!(
                    "tfx_tensor.op \"Sum\"({a}, %axis) : ({matrix}, tensor<1xi32>) -> {row}"
                ));
                (self.tanh(&sum, Ty::Row), Ty::Row)
            }
            _ => {
                let number = self.pick(Ty::Number);
                let scalar = self.define(&format!("tfx_tensor.from_scalar {number} : f64"));
                let difference = self.define(&format!(
                    "tfx_tensor.op \"Sub\"({scalar}, {a}) : (tensor<f64>, {matrix}) -> {matrix}"
                ));
                (self.tanh(&difference, Ty::Matrix), Ty::Matrix)
            }
        };
        self.add(result, ty);
    }

    fn tanh(&mut self, value: &str, ty: Ty) -> String {
        let text = ty.text();
        self.define(&format!(
            "tfx_tensor.op \"Tanh\"({value}) : ({text}) -> {text}"
        ))
    }

    fn pair(&mut self) {
        if self.random.chance(50) {
            let pair = self.make(Ty::Pair);
            return self.add(pair, Ty::Pair);
        }
        let (pair, value) = (self.pick(Ty::Pair), self.pick(Ty::Number));
        let text = Ty::Pair.text();
        let field = ["left", "right"][self.random.below(2)];
        let changed = self.define(&format!(
            "tfx_host.insert {value} into {pair}[\"{field}\"] : f64, {text}"
        ));
        self.add(changed, Ty::Pair);
    }

    fn arguments(&mut self, callee: &Signature) -> (String, String) {
        let values: Vec<_> = callee.parameters.iter().map(|ty| self.pick(*ty)).collect();
        let types: Vec<_> = callee.parameters.iter().map(|ty| ty.text()).collect();
        (values.join(", "), types.join(", "))
    }

    fn call(&mut self) {
        if self.callees.is_empty() {
            return self.scalar();
        }
        let callee = self.random.pick(self.callees).clone();
        let (values, types) = self.arguments(&callee);
        let count = self.counter();
        let result = self.define(&format!(
            "func.call @{}({values}, {count}) : ({types}, i64) -> f64",
            callee.name
        ));
        self.add(result, Ty::Number);
    }

    /// A recursive call, if the number is not zero yet; otherwise another call.
    fn recur(&mut self) {
        let Some(recursion) = self.recursion.as_mut().filter(|it| it.calls > 0) else {
            return self.call();
        };
        recursion.calls -= 1;
        recursion.is_in_loop |= !self.counters.is_empty();
        let own = recursion.own.clone();
        let name = recursion
            .through
            .clone()
            .unwrap_or_else(|| own.name.clone());
        let default = self.pick(Ty::Number);
        let more = self.define("arith.cmpi sgt, %n, %i0 : i64");
        let (then, join) = (self.label(), self.label());
        self.line(&format!(
            "cf.cond_br {more}, {then}, {join}({default} : f64)"
        ));
        let _ = writeln!(self.text, "{then}:");
        let outside = self.scope.len();
        // The number of calls stays small: it is halved if there is more than one in a run.
        let less = match self.counters.is_empty() {
            true => "arith.subi %n, %i1 : i64",
            false => "arith.divsi %n, %i2 : i64",
        };
        let less = self.define(less);
        let (values, types) = self.arguments(&own);
        let result = self.define(&format!(
            "func.call @{name}({values}, {less}) : ({types}, i64) -> f64"
        ));
        self.line(&format!("cf.br {join}({result} : f64)"));
        self.scope.truncate(outside);
        let value = self.fresh();
        let _ = writeln!(self.text, "{join}({value}: f64):");
        self.add(value, Ty::Number);
    }

    /// A closure over all arguments but the last, which is applied at once: one that is known, or
    /// one of two, which a branch selects or stores in a variable.
    fn closure(&mut self) {
        if self.callees.is_empty() {
            return self.tensor();
        }
        let count = self.counter();
        let closure = match self.random.below(4) {
            0 => self.selected_closure(),
            1 => self.stored_closure(),
            _ => self.made_closure(),
        };
        let result = self.define(&format!("tfx_host.apply {closure}({count}) : {CLOSURE}"));
        self.add(result, Ty::Number);
    }

    fn made_closure(&mut self) -> String {
        let callee = self.random.pick(self.callees).clone();
        let (values, types) = self.arguments(&callee);
        self.define(&format!(
            "tfx_host.closure @{}({values}) : ({types}) -> {CLOSURE}",
            callee.name
        ))
    }

    fn selected_closure(&mut self) -> String {
        let join = self.arms(|this| format!("({} : {CLOSURE})", this.made_closure()));
        let closure = self.fresh();
        let _ = writeln!(self.text, "{join}({closure}: {CLOSURE}):");
        closure
    }

    fn stored_closure(&mut self) -> String {
        let variable = self.define(&format!("tfx_host.var : !tfx_host.ref<{CLOSURE}>"));
        let first = self.made_closure();
        self.line(&format!("tfx_host.store {first}, {variable} : {CLOSURE}"));
        let condition = self.condition();
        let (then, join) = (self.label(), self.label());
        self.line(&format!("cf.cond_br {condition}, {then}, {join}"));
        let _ = writeln!(self.text, "{then}:");
        let outside = self.scope.len();
        let second = self.made_closure();
        self.line(&format!("tfx_host.store {second}, {variable} : {CLOSURE}"));
        self.line(&format!("cf.br {join}"));
        self.scope.truncate(outside);
        let _ = writeln!(self.text, "{join}:");
        self.define(&format!(
            "tfx_host.load {variable} : !tfx_host.ref<{CLOSURE}>"
        ))
    }

    /// Returns an integer: the number of the function, or a counter of a loop around.
    fn counter(&mut self) -> String {
        match self.counters.last() {
            Some(counter) if self.random.chance(50) => counter.clone(),
            _ => "%n".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        if self.random.chance(50) {
            let value = self.pick(Ty::Number);
            let limit = self.random.below(100) as f64 / 100.0 - 0.4;
            let limit = self.define(&format!("arith.constant {limit:?} : f64"));
            return self.define(&format!("arith.cmpf ogt, {value}, {limit} : f64"));
        }
        let count = self.counter();
        let rest = self.define(&format!("arith.remsi {count}, %i2 : i64"));
        self.define(&format!("arith.cmpi eq, {rest}, %i1 : i64"))
    }

    /// The values that an arm or a loop changes: names of values in scope, and their types.
    fn changed(&mut self) -> Vec<Value> {
        let mut changed = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let ty = *self.random.pick(&Ty::ALL);
            changed.push((self.pick(ty), ty));
        }
        changed
    }

    fn branch(&mut self, depth: usize) {
        let changed = self.changed();
        let join = self.arms(|this| {
            let size = this.random.below(4);
            this.statements(size, depth + 1);
            let values: Vec<_> = changed
                .iter()
                .map(|(_, ty)| (this.pick(*ty), *ty))
                .collect();
            forwarded(&values)
        });
        self.block(&join, &changed);
    }

    /// Two arms, which `arm` fills and whose operands for the block after them it returns. Returns
    /// the label of that block.
    fn arms(&mut self, mut arm: impl FnMut(&mut Self) -> String) -> String {
        let condition = self.condition();
        let (then, other, join) = (self.label(), self.label(), self.label());
        self.line(&format!("cf.cond_br {condition}, {then}, {other}"));
        for label in [then, other] {
            let _ = writeln!(self.text, "{label}:");
            let outside = self.scope.len();
            let operands = arm(self);
            self.line(&format!("cf.br {join}{operands}"));
            self.scope.truncate(outside);
        }
        join
    }

    /// Starts a block with an argument for each value, and adds these to the scope.
    fn block(&mut self, label: &str, values: &[Value]) {
        let arguments: Vec<_> = values.iter().map(|(_, ty)| (self.fresh(), *ty)).collect();
        let list = arguments
            .iter()
            .map(|(name, ty)| format!("{name}: {}", ty.text()));
        let list = list.collect::<Vec<_>>().join(", ");
        let _ = writeln!(self.text, "{label}({list}):");
        self.scope.extend(arguments);
    }

    /// A variable, or a field of an object, that a branch changes.
    fn variable(&mut self, depth: usize) {
        let first = self.pick(Ty::Number);
        let cell = self.random.chance(50).then(|| {
            self.define(&format!(
                "tfx_host.new(%n, {first}) : (i64, f64) -> !tfx_host.object<@Cell>"
            ))
        });
        let variable = match &cell {
            Some(cell) => self.define(&format!(
                "tfx_host.member_ref {cell}[\"value\"] : !tfx_host.object<@Cell> -> !tfx_host.ref<f64>"
            )),
            None => {
                let variable = self.define("tfx_host.var : !tfx_host.ref<f64>");
                self.line(&format!("tfx_host.store {first}, {variable} : f64"));
                variable
            }
        };
        let condition = self.condition();
        let (then, join) = (self.label(), self.label());
        self.line(&format!("cf.cond_br {condition}, {then}, {join}"));
        let _ = writeln!(self.text, "{then}:");
        let outside = self.scope.len();
        let loaded = self.define(&format!("tfx_host.load {variable} : !tfx_host.ref<f64>"));
        self.add(loaded, Ty::Number);
        let size = 1 + self.random.below(2);
        self.statements(size, depth + 1);
        let stored = self.pick(Ty::Number);
        self.line(&format!("tfx_host.store {stored}, {variable} : f64"));
        if let Some(cell) = cell {
            let by = self.pick(Ty::Number);
            self.line(&format!(
                "func.call @touch({cell}, {by}) : (!tfx_host.object<@Cell>, f64) -> ()"
            ));
        }
        self.line(&format!("cf.br {join}"));
        self.scope.truncate(outside);
        let _ = writeln!(self.text, "{join}:");
        let loaded = self.define(&format!("tfx_host.load {variable} : !tfx_host.ref<f64>"));
        self.add(loaded, Ty::Number);
    }

    fn repeat(&mut self, depth: usize) {
        let changed = self.changed();
        let limit = match self.random.chance(60) {
            true => "%n".to_owned(),
            false => {
                let most = self.random.below(4);
                self.define(&format!("arith.constant {most} : i64"))
            }
        };
        let (head, body, end) = (self.label(), self.label(), self.label());
        let counter = self.fresh();
        self.line(&format!("cf.br {head}{}", with_counter("%i0", &changed)));
        let outside = self.scope.len();
        let arguments: Vec<_> = changed.iter().map(|(_, ty)| (self.fresh(), *ty)).collect();
        let list = arguments
            .iter()
            .map(|(name, ty)| format!(", {name}: {}", ty.text()));
        let _ = writeln!(
            self.text,
            "{head}({counter}: i64{}):",
            list.collect::<String>()
        );
        self.scope.extend(arguments.clone());
        self.counters.push(counter.clone());
        // Code before the condition runs once more than the body.
        let size = self.random.below(2);
        self.statements(size, depth + 1);
        let left: Vec<_> = changed
            .iter()
            .map(|(_, ty)| (self.pick(*ty), *ty))
            .collect();
        let more = self.define(&format!("arith.cmpi slt, {counter}, {limit} : i64"));
        self.line(&format!(
            "cf.cond_br {more}, {body}, {end}{}",
            forwarded(&left)
        ));
        let _ = writeln!(self.text, "{body}:");
        let size = 1 + self.random.below(3);
        self.statements(size, depth + 1);
        if self.random.chance(30) {
            let left: Vec<_> = changed
                .iter()
                .map(|(_, ty)| (self.pick(*ty), *ty))
                .collect();
            let condition = self.condition();
            let next = self.label();
            self.line(&format!(
                "cf.cond_br {condition}, {end}{}, {next}",
                forwarded(&left)
            ));
            let _ = writeln!(self.text, "{next}:");
            let size = self.random.below(2);
            self.statements(size, depth + 1);
        }
        let next: Vec<_> = changed
            .iter()
            .map(|(_, ty)| (self.pick(*ty), *ty))
            .collect();
        let step = self.define(&format!("arith.addi {counter}, %i1 : i64"));
        self.line(&format!("cf.br {head}{}", with_counter(&step, &next)));
        self.counters.pop();
        self.scope.truncate(outside);
        self.block(&end, &changed);
    }
}

/// Writes the function through which another one calls itself.
fn next(name: &str, callee: &Signature) -> String {
    let types = callee.parameters.iter().map(|ty| ty.text());
    let parameters = types.clone().enumerate();
    let parameters: String = parameters
        .map(|(index, ty)| format!("%x{index}: {ty}, "))
        .collect();
    let arguments: String = (0..callee.parameters.len())
        .map(|index| format!("%x{index}, "))
        .collect();
    let types: String = types.map(|ty| format!("{ty}, ")).collect();
    format!(
        "func.func private @{name}({parameters}%n: i64) -> f64 {{\n  %y = func.call @{}({arguments}%n) : ({types}i64) -> f64\n  %z = math.sin %y : f64\n  %p = arith.mulf %z, %y : f64\n  return %p : f64\n}}\n",
        callee.name
    )
}

/// Returns the operands of a branch.
fn forwarded(values: &[Value]) -> String {
    let names: Vec<_> = values.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<_> = values.iter().map(|(_, ty)| ty.text()).collect();
    format!("({} : {})", names.join(", "), types.join(", "))
}

fn with_counter(counter: &str, values: &[Value]) -> String {
    let names = values.iter().map(|(name, _)| format!(", {name}"));
    let types = values.iter().map(|(_, ty)| format!(", {}", ty.text()));
    format!(
        "({counter}{} : i64{})",
        names.collect::<String>(),
        types.collect::<String>()
    )
}
