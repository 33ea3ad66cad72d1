//! Generation of a function: a random control-flow graph, with operations in its blocks.
//!
//! ```text
//!   ^b3(%a: i32):            the target of a back edge decrements the fuel, and leaves the cycle
//!     load, subi, store      when the fuel is exhausted, so that every cycle terminates (some
//!     cond_br ^run3, ^out    cycles abort there, so that only an abort ends them)
//!   ^run3: ...
//! ```

use tfx_oracle::Random;

use super::Mix;
use super::body::{Body, Signature};
use super::outline::{Outlined, Rendering};
use super::shape::Shape;
use super::types::Ty;

/// The maximal number of iterations of all cycles of one call together.
const FUEL: [usize; 4] = [3, 6, 10, 17];

/// Generates a function with a signature, which calls only the given functions.
pub(crate) fn function(
    random: &mut Random,
    mix: &Mix,
    signature: &Signature,
    functions: &[Signature],
    is_public: bool,
    rendering: Rendering,
) -> String {
    let max_blocks = if is_public {
        mix.blocks
    } else {
        1 + mix.blocks / 2
    };
    let shape = match mix.nested > 0 && random.chance(mix.nested) {
        true => Shape::nested(random, 2 * max_blocks),
        false => Shape::random(random, max_blocks),
    };
    let mut writer = Writer {
        body: Body::new(random, mix, functions),
        signature,
        arguments: Vec::new(),
        shape: &shape,
        made: vec![Vec::new(); shape.blocks()],
        has_spent: false,
    };
    writer.body.rendering = rendering;
    writer.body.outlined = Outlined::of(&signature.name);
    writer.head(is_public);
    writer.write();
    writer.body.text + &writer.body.outlined.functions
}

struct Writer<'w, 'g> {
    body: Body<'g>,
    signature: &'w Signature,
    shape: &'w Shape,
    /// The types of the arguments of each block.
    arguments: Vec<Vec<Ty>>,
    /// The values that each block defines, which the blocks that it dominates may use.
    made: Vec<Vec<(String, Ty)>>,
    /// Some cycle aborts when the fuel is exhausted.
    has_spent: bool,
}

impl Writer<'_, '_> {
    fn head(&mut self, is_public: bool) {
        let signature = self.signature;
        let mut parameters: Vec<_> = signature
            .parameters
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("%p{index}: {ty}"))
            .collect();
        let named = signature.parameters.iter().enumerate();
        self.body
            .values
            .extend(named.map(|(index, &ty)| (format!("%p{index}"), ty)));
        if let Some(ty) = signature.inout {
            parameters.push(format!("%inout: {}", ty.reference()));
            self.body.variables.push(("%inout".to_owned(), ty));
        }
        let results: Vec<_> = signature.results.iter().map(|ty| ty.text()).collect();
        let visibility = if is_public { "" } else { "private " };
        self.body.text += &format!(
            "func.func {visibility}@{}({}) -> ({}) {{\n",
            signature.name,
            parameters.join(", "),
            results.join(", ")
        );
    }

    fn write(&mut self) {
        self.arguments = (0..self.shape.blocks())
            .map(|block| {
                let count = if block == 0 {
                    0
                } else {
                    self.body.random.below(3)
                };
                (0..count)
                    .map(|_| Ty::data(self.body.random, self.body.mix))
                    .collect()
            })
            .collect();
        for block in 0..self.shape.blocks() {
            if self.shape.is_reached[block] {
                self.block(block);
            }
        }
        // The values that are visible everywhere: parameters and variables.
        if self.leaves() {
            self.body.values = self.parameters();
            self.body.text += "^out:\n";
            self.give_back();
        }
        if self.has_spent {
            self.body.text += "^spent:\n";
            self.abort("spent");
        }
        self.body.text += "}\n";
    }

    fn leaves(&self) -> bool {
        self.shape.is_header.contains(&true)
    }

    fn parameters(&self) -> Vec<(String, Ty)> {
        let types = self.signature.parameters.iter().enumerate();
        types
            .map(|(index, &ty)| (format!("%p{index}"), ty))
            .collect()
    }

    fn give_back(&mut self) {
        // The last operations of a graph may fail, after its last message.
        if self.body.mix.failures > 0 && self.body.random.chance(60) {
            self.body.divided();
        }
        let results = self.signature.results.clone();
        let values: Vec<_> = results.iter().map(|&ty| self.body.any(ty)).collect();
        let types: Vec<_> = results.iter().map(|ty| ty.text()).collect();
        match values.is_empty() {
            true => self.body.line("return"),
            false => self.body.line(&format!(
                "return {} : {}",
                values.join(", "),
                types.join(", ")
            )),
        }
    }

    fn block(&mut self, block: usize) {
        let mut visible = self.parameters();
        for dominator in (0..self.shape.blocks())
            .filter(|&other| other != block && self.shape.dominators[block][other])
        {
            visible.extend(self.made[dominator].iter().cloned());
        }
        let before = visible.len();
        self.body.values = visible;
        if block == 0 {
            self.enter();
        } else {
            self.begin(block);
        }
        let count = 1 + self.body.random.below(self.body.mix.statements);
        self.body.statements(count);
        if self.body.random.chance(self.body.mix.uses) {
            self.body.use_newest();
        }
        self.end(block);
        self.made[block] = self.body.values[before..].to_vec();
    }

    /// Writes the variables and the fuel.
    fn enter(&mut self) {
        if self.leaves() {
            let fuel = *self.body.random.pick(&FUEL);
            self.body.line("%fuel = tfx_host.var : !tfx_host.ref<i32>");
            self.body
                .line(&format!("%full = arith.constant {fuel} : i32"));
            self.body.line("tfx_host.store %full, %fuel : i32");
        }
        let count = self.body.random.below(1 + self.body.mix.variables / 4);
        for number in 0..count {
            let ty = Ty::data(self.body.random, self.body.mix);
            let value = self.body.any(ty);
            let name = format!("%x{number}");
            self.body
                .line(&format!("{name} = tfx_host.var : {}", ty.reference()));
            self.body
                .line(&format!("tfx_host.store {value}, {name} : {ty}"));
            self.body.variables.push((name, ty));
        }
    }

    fn begin(&mut self, block: usize) {
        let arguments = self.arguments[block].clone();
        let named: Vec<_> = arguments
            .iter()
            .enumerate()
            .map(|(index, &ty)| (format!("%a{block}_{index}"), ty))
            .collect();
        let list: Vec<_> = named
            .iter()
            .map(|(name, ty)| format!("{name}: {ty}"))
            .collect();
        let list = if list.is_empty() {
            String::new()
        } else {
            format!("({})", list.join(", "))
        };
        self.body.text += &format!("^b{block}{list}:\n");
        self.body.values.extend(named);
        if self.shape.is_header[block] {
            let spent = self.body.mix.spent;
            let out = match spent > 0 && self.body.random.chance(spent) {
                true => "spent",
                false => "out",
            };
            self.has_spent |= out == "spent";
            for line in [
                format!("%f{block} = tfx_host.load %fuel : !tfx_host.ref<i32>"),
                format!("%u{block} = arith.constant 1 : i32"),
                format!("%g{block} = arith.subi %f{block}, %u{block} : i32"),
                format!("tfx_host.store %g{block}, %fuel : i32"),
                format!("%e{block} = arith.cmpi slt, %f{block}, %u{block} : i32"),
                format!("cf.cond_br %e{block}, ^{out}, ^run{block}"),
            ] {
                self.body.line(&line);
            }
            self.body.text += &format!("^run{block}:\n");
        }
    }

    fn edge(&mut self, target: usize) -> String {
        let types = self.arguments[target].clone();
        format!("^b{target}{}", self.body.forwarded(&types))
    }

    fn end(&mut self, block: usize) {
        let successors = self.shape.successors[block].clone();
        match successors[..] {
            [] if self.shape.stops[block]
                || block > 0 && self.body.random.chance(self.body.mix.aborts) =>
            {
                self.abort(&format!("stop {block}"));
            }
            [] => self.give_back(),
            [only] => {
                let edge = self.edge(only);
                self.body.line(&format!("cf.br {edge}"));
            }
            [yes, no] => {
                let condition = self.condition();
                let (yes, no) = (self.edge(yes), self.edge(no));
                self.body
                    .line(&format!("cf.cond_br {condition}, {yes}, {no}"));
            }
            [first, second, third, ..] => self.switch([first, second, third]),
        }
    }

    fn abort(&mut self, message: &str) {
        self.body.line(&format!("tfx_host.abort \"{message}\""));
        self.body.line("tfx_host.unreachable");
    }

    fn condition(&mut self) -> String {
        if let Some(constant) = self.body.constant_condition() {
            return constant;
        }
        let condition = match self.body.random.chance(self.body.mix.host_decides) {
            true => self.body.value(Ty::I1, "func.call @decide() : () -> i1"),
            false => self.body.any(Ty::I1),
        };
        self.body.marked(condition)
    }

    /// Writes a switch on a number, usually on its low bits, so that each case is taken.
    fn switch(&mut self, targets: [usize; 3]) {
        let mut selector = self.body.any(Ty::I32);
        let mut cases = [0, 2];
        if self.body.random.chance(75) {
            let three = self.body.value(Ty::I32, "arith.constant 3 : i32");
            let low = format!("arith.andi {selector}, {three} : i32");
            selector = self.body.value(Ty::I32, &low);
        } else {
            // As unsigned numbers, these are larger than all nonnegative signed numbers.
            cases = *self.body.random.pick(&[[-1, 0], [1, -7], [-2, 2147483647]]);
        }
        let edges = targets.map(|target| self.edge(target));
        self.body.line(&format!(
            "cf.switch {selector} : i32, [default: {}, {}: {}, {}: {}]",
            edges[0], cases[0], edges[1], cases[1], edges[2]
        ));
    }
}
