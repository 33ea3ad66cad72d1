//! How much of what a program has: by its seed, and by what is asked for.
//!
//! ```text
//!   seed ──> mix by chance ──> --mix size=50,objects=0 ──> half as many blocks, statements and functions as by chance, and no objects
//! ```

use std::fmt;
use std::str::FromStr;

use tfx_oracle::Random;

/// The struct, and its numbers by name.
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident,)*) => {
        /// How much of what a program has. Weights of statements are relative to each other.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Mix {
            $($(#[$doc])* pub $part: usize,)*
        }

        impl Mix {
            /// What has a number.
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
    /// The most blocks of the main function; others have half as many.
    blocks,
    /// The most statements of a block.
    statements,
    /// The most functions beside the main one.
    functions,
    /// Weight: arithmetic of the host.
    scalars,
    /// Weight: tensor operations.
    tensors,
    /// Weight: reads and writes of variables; a quarter of it is the most variables of a function.
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
    /// Percent of the blocks whose newest value is shown.
    uses,
    /// Percent of the statements whose newest value is shown.
    shown,
    /// Weight: calls of the program's own functions.
    calls,
    /// Weight: loops and branches with regions.
    regions,
    /// Weight: objects, existentials, closures that escape, and recursion.
    objects,
    /// Weight: tensor operations with attributes that are computed.
    attributes,
    /// Percent of the branches that a foreign function decides.
    host_decides,
    /// Percent of the blocks without successors that abort.
    aborts,
    /// Percent of the functions whose control flow nests, with ways out of several loops at once.
    nested,
    /// Percent of the cycles that abort where their fuel is used up.
    spent,
    /// Weight: what some pass looks for, and what seldom comes together by chance.
    patterns,
    /// Weight: scalar expressions that are outlined into functions and closures.
    outlined,
    /// Percent of the conditions that are marked as copied on purpose.
    marks,
    /// Percent of the conditions that are constants.
    constants,
    /// Weight: arrays in arrays, closures that return closures, and loops that read objects.
    nests,
    /// Weight: tensors whose size only the run time knows, which may be empty.
    unknown,
    /// Weight: divisions whose divisor may be zero.
    divisions,
    /// Percent of the float constants and arguments that are zeros with a sign, infinities or NaN.
    extremes,
    /// Weight: the operations of `arith` and `math` that have the same bits everywhere.
    math,
    /// Weight: strings.
    strings,
    /// Weight: queues that a thread fills.
    prefetch,
    /// Weight: loops that compute the same in each iteration.
    invariants,
    /// Weight: divisions of a graph that may fail.
    failures,
    /// Weight: loops that an abort of the host alone ends.
    endless,
    /// Percent of the calls in what attributes are computed of that have an effect.
    noted,
}

impl Mix {
    /// A mix for a seed: from a few blocks of scalars to all that there is.
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
            nested: 0,
            spent: 0,
            patterns: 0,
            noted: NOTED,
            ..Mix::default()
        };
        // Some are of nothing but control flow and tensors.
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

    /// Adds to half of the programs what came later. It has a stream of its own, so that the other half is what it was.
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

    /// Adds to a third of the programs, by a stream of its own, what came later still.
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
}

impl Mix {
    /// Adds queues to a few of the programs, by a stream of its own.
    pub(super) fn with_queues(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ QUEUES);
        if random.chance(8) {
            self.prefetch = 1 + random.below(5);
        }
        self
    }
}

impl Mix {
    /// Adds to some of the programs, by a stream of its own, what random programs seldom have:
    /// failures, effects and states that a transformation must leave alone.
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
}

/// Percent of the calls in what attributes are computed of that have an effect, where nothing else
/// is asked for.
pub(super) const NOTED: usize = 30;

/// What makes other streams of a seed.
const MORE: u64 = 0x6d6f_7265;
const LATEST: u64 = 0x6c61_7465;
const QUEUES: u64 = 0x7072_6566;
const INVARIANTS: u64 = 0x696e_7661;

impl Mix {
    /// The same with nothing that only the host has.
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
            aggregates: self.aggregates.min(1),
            ..self.clone()
        }
    }
}

/// What is asked of all programs, whatever their seeds: `size=50,objects=0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overrides {
    /// How many blocks, statements and functions there are, in percent of what a seed has.
    size: usize,
    /// Numbers of a mix, by name.
    fixed: Vec<(&'static str, usize)>,
}

/// The name of what scales a program.
const SIZE: &str = "size";
/// As a seed has it.
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
    /// What can be asked for, in words.
    pub fn help() -> String {
        format!(
            "What programs have of what, whatever their seeds, such as {SIZE}=50,objects=0: {SIZE} (in percent), {}",
            Mix::PARTS.join(", ")
        )
    }

    pub(super) fn apply(&self, mut mix: Mix) -> Mix {
        // A program has a block and a statement at least, and each function has a half of its blocks.
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut overrides = Overrides::default();
        for entry in text.split(',').filter(|entry| !entry.is_empty()) {
            let (name, number) = entry
                .split_once('=')
                .ok_or_else(|| format!("'{entry}' is no name=number"))?;
            let number: usize = number
                .parse()
                .map_err(|_| format!("'{number}' is no number that '{name}' can be"))?;
            if name == SIZE {
                overrides.size = number;
                continue;
            }
            let known = Mix::PARTS.iter().find(|&&part| part == name);
            let part = known.ok_or_else(|| {
                let all = Mix::PARTS.join(", ");
                format!("programs have no '{name}'; there are {SIZE}, {all}")
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
    fn wishes_are_read_as_they_are_written() {
        let overrides: Overrides = "size=50,objects=0,blocks=3".parse().expect("overrides");
        assert_eq!(overrides.to_string().parse(), Ok(overrides.clone()));
        let mix = overrides.apply(Mix::random(&mut Random::new(1)));
        assert_eq!((mix.objects, mix.blocks), (0, 3));
    }

    #[test]
    fn wishes_that_nobody_can_grant_are_named() {
        for (text, said) in [
            ("loops=3", "no 'loops'"),
            ("size", "no name=number"),
            ("size=big", "no number"),
        ] {
            let error = text.parse::<Overrides>().expect_err("no entry");
            assert!(error.contains(said), "{error}");
        }
    }
}
