//! Random numbers as functions of a seed and of their positions, without state, so that LLVM
//! vectorizes their loops.
//!
//! ```text
//! seed ──Philox──► key, counter                          the same for all numbers
//! position ──► group, place in it
//! key, counter, group ──Philox──► 4 words ──place──► 1 or 2 words ──► a number in [0, 1)
//!                                                    2 words or 4 ──► a normal number
//! ```
//!
//! A group has four numbers of `f32`, or two of `f64`. Each number computes the words of its group
//! again: that is arithmetic on vectors, and a loop over numbers can be joined with others.
//!
//! Source: Salmon et al., *Parallel random numbers: as easy as 1, 2, 3* (2011), for Philox 4x32
//! with ten rounds; Box and Muller (1958) for normal numbers. The numbers are those of the
//! interpreter's kernels (`interpreter/src/kernels/random.rs`), and so of TensorFlow.
//!
//! Cost: about 150 operations for a number, and as many again for each loop.
//!
//! Not guaranteed: the bits of normal numbers. Their logarithm, sine and cosine of `f32` are
//! polynomials.

use tfx_ir::Value;
use tfx_ir::ops::arith::{self, CmpFPredicate, CmpIPredicate};
use tfx_ir::ops::math;

use crate::element::Element;
use crate::scalar::{Constant, Scalars};

/// A distribution of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Distribution {
    /// In [0, 1).
    Uniform,
    /// With mean 0 and variance 1.
    Normal,
}

/// The words of a counter, or of a group of random words, in the lower halves of integers of 64
/// bits. The upper halves are arbitrary: no word is converted between two operations.
type Words<'a> = [Value<'a>; 4];

/// The factors of the two products of a round.
const FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];

/// The numbers that a round adds to the words of the key.
const STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

const ROUNDS: usize = 10;

/// The key with which TensorFlow scrambles the seeds of stateless operations.
const SCRAMBLE: [u32; 2] = [0x3ec8_f720, 0x0246_1e29];

/// The least number of which normal numbers have the logarithm: that of 0 is infinite.
const LEAST: f64 = 1.0e-7;

impl<'a> Scalars<'_, 'a> {
    /// Builds the random number at a position, a float of this type. The seed and the position are
    /// integers of 64 bits.
    pub(crate) fn random(
        &mut self,
        distribution: Distribution,
        element: Element,
        seed: [Value<'a>; 2],
        position: Value<'a>,
    ) -> Value<'a> {
        let [a, b] = seed.map(|word| self.halves(word));
        let key = SCRAMBLE.map(|word| self.integer(word.into()));
        let [key_low, key_high, counter_low, counter_high] =
            self.group([a[0], a[1], b[0], b[1]], key);
        let place_bits = match element {
            Element::F32 => 2,
            _ => 1,
        };
        let place_bits = self.integer(place_bits);
        let group = arith::ShRUI::build(self.builder, position, place_bits).result();
        let [low, high] = self.halves(group);
        let words = self.group([low, high, counter_low, counter_high], [key_low, key_high]);
        match (distribution, element) {
            (Distribution::Uniform, Element::F32) => {
                let [first, second] = self.pair(words, position);
                let word = self.chosen(position, 1, first, second);
                self.unit(word)
            }
            (Distribution::Normal, Element::F32) => {
                let pair = self.pair(words, position);
                self.normal(pair, position)
            }
            (Distribution::Uniform, _) => {
                let high = self.chosen(position, 1, words[0], words[2]);
                let low = self.chosen(position, 1, words[1], words[3]);
                self.wide_unit(high, low)
            }
            (Distribution::Normal, _) => self.wide_normal(words, position),
        }
    }

    /// Builds the four words of a counter.
    fn group(&mut self, counter: Words<'a>, key: [Value<'a>; 2]) -> Words<'a> {
        let (mut words, mut key) = (counter, key);
        for round in 0..ROUNDS {
            if round > 0 {
                let steps = STEPS.map(|word| self.integer(word.into()));
                for (word, step) in key.iter_mut().zip(steps) {
                    *word = arith::AddI::build(self.builder, *word, step).result();
                }
            }
            let [one, other] = [
                self.product(words[0], FACTORS[0]),
                self.product(words[2], FACTORS[1]),
            ];
            words = [
                self.mixed(other[1], words[1], key[0]),
                other[0],
                self.mixed(one[1], words[3], key[1]),
                one[0],
            ];
        }
        words
    }

    /// Builds the lower and the upper half of a product of words.
    fn product(&mut self, word: Value<'a>, factor: u32) -> [Value<'a>; 2] {
        let (word, factor) = (self.lower(word), self.integer(factor.into()));
        let product = arith::MulI::build(self.builder, word, factor).result();
        self.halves(product)
    }

    fn mixed(&mut self, x: Value<'a>, y: Value<'a>, z: Value<'a>) -> Value<'a> {
        let mixed = arith::XOrI::build(self.builder, x, y).result();
        arith::XOrI::build(self.builder, mixed, z).result()
    }

    /// Returns the two words of a group from which the number at a position, and that next to it,
    /// are made.
    fn pair(&mut self, words: Words<'a>, position: Value<'a>) -> [Value<'a>; 2] {
        [
            self.chosen(position, 2, words[0], words[2]),
            self.chosen(position, 2, words[1], words[3]),
        ]
    }

    /// Returns `other` where this bit of the position is set, else `value`.
    fn chosen(
        &mut self,
        position: Value<'a>,
        bit: u64,
        value: Value<'a>,
        other: Value<'a>,
    ) -> Value<'a> {
        let (bit, zero) = (self.integer(bit), self.integer(0));
        let bit = arith::AndI::build(self.builder, position, bit).result();
        let is_set = arith::CmpI::build(self.builder, CmpIPredicate::Ne, bit, zero).result();
        arith::Select::build(self.builder, is_set, other, value).result()
    }

    /// Builds a float in [0, 1): its fraction has the last 23 bits of a word.
    fn unit(&mut self, word: Value<'a>) -> Value<'a> {
        let word = self.narrow(word);
        let number = |bits: u32| Constant::number(Element::I32, bits as i32);
        let mask = number((1 << 23) - 1).build(self.builder);
        let one = number(1.0f32.to_bits()).build(self.builder);
        let fraction = arith::AndI::build(self.builder, word, mask).result();
        let bits = arith::OrI::build(self.builder, fraction, one).result();
        self.less_one(Element::F32, bits)
    }

    /// Builds an `f64` in [0, 1): its fraction has the last 52 bits of two words.
    fn wide_unit(&mut self, high: Value<'a>, low: Value<'a>) -> Value<'a> {
        let (mask, half) = (self.integer((1 << 20) - 1), self.integer(32));
        let high = arith::AndI::build(self.builder, high, mask).result();
        let high = arith::ShLI::build(self.builder, high, half).result();
        let low = self.lower(low);
        let fraction = arith::OrI::build(self.builder, high, low).result();
        let one = self.integer(1.0f64.to_bits());
        let bits = arith::OrI::build(self.builder, fraction, one).result();
        self.less_one(Element::F64, bits)
    }

    /// Builds the float with these bits, less 1.
    fn less_one(&mut self, element: Element, bits: Value<'a>) -> Value<'a> {
        let float = element.value_type(self.builder.context());
        let number = arith::Bitcast::build(self.builder, float, bits).out();
        let one = Constant::float(element, 1.0).build(self.builder);
        arith::SubF::build(self.builder, number, one).result()
    }

    /// Builds the normal number of two words: the sine at even positions, the cosine at odd ones.
    fn normal(&mut self, [first, second]: [Value<'a>; 2], position: Value<'a>) -> Value<'a> {
        let unit = self.unit(first);
        let radius = self.radius(Element::F32, unit);
        let unit = self.unit(second);
        let wide = Element::F64.value_type(self.builder.context());
        let unit = arith::ExtF::build(self.builder, wide, unit).out();
        let angle = self.angle(unit);
        let float = Element::F32.value_type(self.builder.context());
        let angle = arith::TruncF::build(self.builder, float, angle).out();
        let one = self.integer(1);
        let quarters = arith::AndI::build(self.builder, position, one).result();
        let quarters = self.narrow(quarters);
        let sine = self.elementary(Element::F32).sin_in_turn(angle, quarters);
        arith::MulF::build(self.builder, sine, radius).result()
    }

    /// Builds the normal `f64` of a group of words, as [`Self::normal`].
    fn wide_normal(&mut self, words: Words<'a>, position: Value<'a>) -> Value<'a> {
        let [first, second] = [[words[0], words[1]], [words[2], words[3]]]
            .map(|[high, low]| self.wide_unit(high, low));
        let radius = self.radius(Element::F64, first);
        let angle = self.angle(second);
        let sine = math::Sin::build(self.builder, angle).result();
        let cosine = math::Cos::build(self.builder, angle).result();
        let factor = self.chosen(position, 1, sine, cosine);
        arith::MulF::build(self.builder, factor, radius).result()
    }

    /// Builds the distance of a point with two normal coordinates from 0.
    fn radius(&mut self, element: Element, unit: Value<'a>) -> Value<'a> {
        let [least, factor] =
            [LEAST, -2.0].map(|number| Constant::float(element, number).build(self.builder));
        let is_less = arith::CmpF::build(self.builder, CmpFPredicate::Olt, unit, least).result();
        let unit = arith::Select::build(self.builder, is_less, least, unit).result();
        let logarithm = self.log(element, unit);
        let square = arith::MulF::build(self.builder, logarithm, factor).result();
        math::Sqrt::build(self.builder, square).result()
    }

    /// Builds the angle of such a point, an `f64` in radians.
    fn angle(&mut self, unit: Value<'a>) -> Value<'a> {
        let turn = Constant::float(Element::F64, 2.0 * std::f64::consts::PI).build(self.builder);
        arith::MulF::build(self.builder, unit, turn).result()
    }

    /// Returns the lower and the upper half of an integer as words.
    fn halves(&mut self, x: Value<'a>) -> [Value<'a>; 2] {
        let half = self.integer(32);
        [x, arith::ShRUI::build(self.builder, x, half).result()]
    }

    /// Builds the integer that a word is.
    fn lower(&mut self, word: Value<'a>) -> Value<'a> {
        let mask = self.integer(u32::MAX.into());
        arith::AndI::build(self.builder, word, mask).result()
    }

    fn narrow(&mut self, word: Value<'a>) -> Value<'a> {
        let ty = Element::I32.value_type(self.builder.context());
        arith::TruncI::build(self.builder, ty, word).out()
    }

    fn integer(&mut self, bits: u64) -> Value<'a> {
        let element = Element::I64;
        Constant { element, bits }.build(self.builder)
    }
}
