//! The weights of features in a program: chosen by its seed, and overridden by the user.
//!
//! ```text
//!   seed ──> random mix ──> --mix size=50,objects=0 ──> half as many blocks, statements and
//!                                                       functions, and no objects
//! ```

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow};
use tfx_oracle::Random;

/// Defines the struct of weights, with access by name.
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident,)*) => {
        /// The weights of features. Weights of statements are relative to each other.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Mix {
            $($(#[$doc])* pub $part: usize,)*
        }

        impl Mix {
            /// The names of the weights.
            const PARTS: &[&str] = &[$(stringify!($part)),*];

            fn part(&mut self, name: &str) -> Option<&mut usize> {
                match name {
                    $(stringify!($part) => Some(&mut self.$part),)*
                    _ => None,
                }
            }
        }
    };
}

parts! {
    /// The maximal number of blocks of the main function; other functions have half as many.
    blocks,
    /// The maximal number of statements of a block.
    statements,
    /// The maximal number of functions besides the main one.
    functions,
    /// Weight: scalar arithmetic of the host.
    scalars,
    /// Weight: tensor operations.
    tensors,
    /// Weight: reads and writes of variables; a quarter of it is the maximal number of variables of
    /// a function.
    variables,
    /// Weight: structs, tuples, enums and arrays.
    aggregates,
    /// Weight: closures.
    closures,
    /// Weight: generic functions and protocols.
    generics,
    /// Weight: calls of foreign functions.
    foreign,
    /// Weight: prints and assertions.
    prints,
    /// Percentage of blocks whose newest value is printed.
    uses,
    /// Percentage of statements whose newest value is printed.
    shown,
    /// Weight: calls of the program's own functions.
    calls,
    /// Weight: loops and branches with regions.
    regions,
    /// Weight: objects, existentials, escaping closures, and recursion.
    objects,
    /// Weight: tensor operations with computed attributes.
    attributes,
    /// Percentage of branches that a foreign function decides.
    host_decides,
    /// Percentage of blocks without successors that abort.
    aborts,
    /// Percentage of functions with nested control flow and exits from several loops at once.
    nested,
    /// Percentage of cycles that abort when their fuel is exhausted.
    spent,
    /// Weight: patterns that some pass looks for, and that are otherwise rare.
    patterns,
    /// Weight: scalar expressions that are outlined into functions and closures.
    outlined,
    /// Percentage of conditions that are marked as intentional copies.
    marks,
    /// Percentage of constant conditions.
    constants,
    /// Weight: nested arrays, closures that return closures, and loops that read objects.
    nests,
    /// Weight: tensors whose size is known only at run time, including empty ones.
    unknown,
    /// Weight: divisions whose divisor may be zero.
    divisions,
    /// Percentage of float constants and arguments that are signed zeros, infinities or NaN.
    extremes,
    /// Weight: operations of `arith` and `math` whose results have the same bits everywhere.
    math,
    /// Weight: strings.
    strings,
    /// Weight: queues that a prefetch thread fills.
    prefetch,
    /// Weight: loops with the same computation in each iteration.
    invariants,
    /// Weight: divisions of a graph that may fail.
    failures,
    /// Weight: loops that only an abort of the host ends.
    endless,
    /// Percentage of the calls in attribute computations that have an effect.
    noted,
    /// Weight: layers, reductions and gradients of tables with many rows.
    networks,
    /// 1: some places of networks are CUDA devices. 2: there are no copies between places, and a
    /// CUDA device runs what it can.
    devices,
}

/// The value of `devices` for programs without copies between places.
pub(super) const OFFLOADED: usize = 2;

impl Mix {
    /// Returns a random mix: from a few blocks of scalars to all features.
    pub fn random(random: &mut Random) -> Self {
        let mut weight = |most: usize| random.below(most + 1);
        let mut mix = Mix {
            blocks: 1 + weight(9),
            statements: 1 + weight(7),
            functions: weight(3),
            scalars: 4 + weight(6),
            tensors: 4 + weight(14),
            variables: weight(12),
            aggregates: weight(6),
            closures: weight(4),
            generics: weight(4),
            foreign: weight(5),
            prints: weight(5),
            uses: weight(70),
            shown: weight(40),
            calls: weight(5),
            regions: weight(3),
            objects: weight(6).saturating_sub(3),
            attributes: weight(4).saturating_sub(2),
            host_decides: weight(60),
            aborts: weight(40),
            noted: NOTED,
            ..Mix::default()
        };
        // Some programs have only control flow and tensors.
        if random.chance(25) {
            mix.aggregates = 0;
            mix.closures = 0;
            mix.generics = 0;
            mix.functions = 0;
            mix.objects = 0;
            mix.shown /= 4;
        }
        mix
    }

    /// Adds the second group of features to half of the programs. A separate random stream keeps
    /// the other half unchanged.
    pub(super) fn with_more(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ MORE);
        if random.chance(50) {
            return self;
        }
        let mut weight = |most: usize| random.below(most + 1);
        self.nested = weight(100);
        self.spent = weight(60).saturating_sub(30);
        self.patterns = weight(8);
        self
    }

    /// Adds the third group of features to a third of the programs, by a separate random stream.
    pub(super) fn with_latest(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ LATEST);
        if !random.chance(33) {
            return self;
        }
        let mut weight = |most: usize| random.below(most + 1);
        self.outlined = weight(4);
        self.marks = weight(40);
        self.constants = weight(30).saturating_sub(15);
        self.nests = weight(6).saturating_sub(2);
        self.unknown = weight(6);
        self.divisions = weight(4);
        self.extremes = weight(30);
        self.math = weight(5);
        self.strings = weight(5).saturating_sub(2);
        self
    }

    /// Adds queues to some programs, by a separate random stream.
    pub(super) fn with_queues(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ QUEUES);
        if random.chance(8) {
            self.prefetch = 1 + random.below(5);
        }
        self
    }

    /// Adds features that are otherwise rare to some programs, by a separate random stream:
    /// failures, effects and states that a transformation must preserve.
    pub(super) fn with_invariants(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ INVARIANTS);
        if !random.chance(15) {
            return self;
        }
        let mut weight = |most: usize| random.below(most + 1);
        self.invariants = weight(4);
        self.failures = weight(6);
        self.endless = weight(4).saturating_sub(3);
        self.attributes += weight(3).saturating_sub(1);
        self.noted = NOTED + weight(70);
        self
    }

    /// Adds networks to some programs, by a separate random stream.
    pub(super) fn with_networks(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ NETWORKS);
        if random.chance(10) {
            self.networks = 1 + random.below(4);
        }
        self
    }
}

/// The default percentage of the calls in attribute computations that have an effect.
pub(super) const NOTED: usize = 30;

/// Masks that derive separate random streams from a seed.
const MORE: u64 = 0x6d6f_7265;
const LATEST: u64 = 0x6c61_7465;
const QUEUES: u64 = 0x7072_6566;
const INVARIANTS: u64 = 0x696e_7661;
const NETWORKS: u64 = 0x6e65_7477;

impl Mix {
    /// Returns the mix without features that only host code has.
    pub(super) fn tensor_code(&self) -> Mix {
        Mix {
            closures: 0,
            generics: 0,
            foreign: 0,
            prints: 0,
            uses: 0,
            shown: 0,
            objects: 0,
            aborts: 0,
            nested: 0,
            spent: 0,
            patterns: 0,
            host_decides: 0,
            outlined: 0,
            marks: 0,
            nests: 0,
            divisions: 0,
            strings: 0,
            prefetch: 0,
            invariants: 0,
            failures: 0,
            endless: 0,
            networks: 0,
            devices: 0,
            aggregates: self.aggregates.min(1),
            ..self.clone()
        }
    }
}

/// Weights that override those of the seeds: `size=50,objects=0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overrides {
    /// The number of blocks, statements and functions, in percent of the seed's.
    size: usize,
    /// The overridden weights, by name.
    fixed: Vec<(&'static str, usize)>,
}

/// The name of the weight that scales a program.
const SIZE: &str = "size";
/// The size of the seed.
const PERCENT: usize = 100;

impl Default for Overrides {
    fn default() -> Self {
        Overrides {
            size: PERCENT,
            fixed: Vec::new(),
        }
    }
}

impl Overrides {
    /// Returns the help text of the option.
    pub fn help() -> String {
        format!(
            "Feature weights that override those of the seeds, such as {SIZE}=50,objects=0 (see fuzz/src/generate/mix.rs): {SIZE} (in percent), {}",
            Mix::PARTS.join(", ")
        )
    }

    pub(super) fn apply(&self, mut mix: Mix) -> Mix {
        // Each function has at least one block, and each block at least one statement.
        for (part, least) in [
            (&mut mix.blocks, 1),
            (&mut mix.statements, 1),
            (&mut mix.functions, 0),
        ] {
            *part = (*part * self.size / PERCENT).max(least);
        }
        for (name, number) in &self.fixed {
            if let Some(part) = mix.part(name) {
                *part = *number;
            }
        }
        mix
    }
}

impl FromStr for Overrides {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut overrides = Overrides::default();
        for entry in text.split(',').filter(|entry| !entry.is_empty()) {
            let (name, number) = entry
                .split_once('=')
                .with_context(|| format!("expected name=number, found '{entry}'"))?;
            let number: usize = number
                .parse()
                .map_err(|_| anyhow!("expected a number for '{name}', found '{number}'"))?;
            if name == SIZE {
                overrides.size = number;
                continue;
            }
            let known = Mix::PARTS.iter().find(|&&part| part == name);
            let part = known.with_context(|| {
                let all = Mix::PARTS.join(", ");
                format!("there is no weight '{name}'; there are {SIZE}, {all}")
            })?;
            overrides.fixed.push((part, number));
        }
        Ok(overrides)
    }
}

impl fmt::Display for Overrides {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{SIZE}={}", self.size)?;
        let mut fixed = self.fixed.iter();
        fixed.try_for_each(|(name, number)| write!(formatter, ",{name}={number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_are_parsed_as_printed() {
        let overrides: Overrides = "size=50,objects=0,blocks=3".parse().expect("overrides");
        assert_eq!(overrides.to_string().parse().ok(), Some(overrides.clone()));
        let mix = overrides.apply(Mix::random(&mut Random::new(1)));
        assert_eq!((mix.objects, mix.blocks), (0, 3));
    }

    #[test]
    fn unknown_weights_are_errors() {
        for (text, expected) in [
            ("loops=3", "no weight 'loops'"),
            ("size", "expected name=number"),
            ("size=big", "expected a number"),
        ] {
            let error = text.parse::<Overrides>().expect_err("an error");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
