//! Sizes that are known when a call starts: products of a constant and of unknown sizes.
//!
//! ```text
//! %x: tensor<?x64xf32>     the sizes s0 and 64; 64 s0 elements; strides 64 and 1
//! ```
//!
//! A size that its type leaves open is a *symbol*. Shape rules [`equate`](Symbols::equate) sizes:
//!
//! ```text
//! %y = MatMul(%x, %w)      %x: s0 x 64, %w: s1 x s2, %y: tensor<?x32xf32>      s1 = 64, s2 = 32
//! %z = AddV2(%y, %b)       %b: s3 x 32                                         s3 = s0
//! ```
//!
//! What is equated is what the code assumes of its arguments, and each call is checked against it.
//! An equation need not be necessary: of two sizes that broadcasting allows to differ, the code
//! assumes that they do not.
//!
//! Cost: an equation takes as long as the sizes in it, whose symbols are few.

/// A constant times symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Extent {
    factor: i64,
    /// The symbols in ascending order, each as often as it is a factor; none if the constant is 0.
    symbols: Vec<u32>,
}

/// The sizes of a tensor, outermost dimension first.
pub(crate) type Shape = Vec<Extent>;

impl Extent {
    /// Returns a constant.
    pub(crate) fn known(factor: i64) -> Self {
        Extent {
            factor,
            symbols: Vec::new(),
        }
    }

    /// Returns a known size. Sizes above the largest number of elements that a tensor can have are
    /// that number.
    pub(crate) fn size(size: u64) -> Self {
        Self::known(i64::try_from(size).unwrap_or(i64::MAX))
    }

    /// Returns a symbol.
    pub(crate) fn symbol(symbol: u32) -> Self {
        Extent {
            factor: 1,
            symbols: vec![symbol],
        }
    }

    /// Returns the constant factor.
    pub(crate) fn factor(&self) -> i64 {
        self.factor
    }

    /// Returns the symbols, each as often as it is a factor.
    pub(crate) fn symbols(&self) -> &[u32] {
        &self.symbols
    }

    /// Returns the value, if it is a constant.
    pub(crate) fn as_known(&self) -> Option<i64> {
        self.symbols.is_empty().then_some(self.factor)
    }

    /// Returns whether this is a constant of this value.
    pub(crate) fn is(&self, value: i64) -> bool {
        self.as_known() == Some(value)
    }

    /// Returns the symbol, if this is one alone.
    pub(crate) fn as_symbol(&self) -> Option<u32> {
        match self.symbols[..] {
            [symbol] if self.factor == 1 => Some(symbol),
            _ => None,
        }
    }

    /// Returns the product of two sizes.
    pub(crate) fn times(&self, other: &Extent) -> Self {
        let factor = self.factor.saturating_mul(other.factor);
        let mut symbols = Vec::new();
        if factor != 0 {
            symbols = [&self.symbols[..], &other.symbols].concat();
            symbols.sort_unstable();
        }
        Extent { factor, symbols }
    }

    /// Returns the product with a constant.
    pub(crate) fn scaled(&self, factor: i64) -> Self {
        self.times(&Self::known(factor))
    }

    /// Returns the quotient, if it is one without a remainder whatever the symbols are.
    pub(crate) fn divided(&self, other: &Extent) -> Option<Self> {
        if other.factor == 0 || self.factor % other.factor != 0 {
            return None;
        }
        let mut symbols = self.symbols.clone();
        for symbol in &other.symbols {
            let position = symbols.iter().position(|own| own == symbol)?;
            symbols.remove(position);
        }
        Some(Extent {
            factor: self.factor / other.factor,
            symbols,
        })
    }
}

/// Returns the number of elements of a shape.
pub(crate) fn count(shape: &[Extent]) -> Extent {
    let one = Extent::known(1);
    shape.iter().fold(one, |count, size| count.times(size))
}

/// Returns a shape of known sizes.
pub(crate) fn known_shape(sizes: &[u64]) -> Shape {
    sizes.iter().map(|&size| Extent::size(size)).collect()
}

/// Returns the sizes, if all are constants.
pub(crate) fn as_known_shape(shape: &[Extent]) -> Option<Vec<i64>> {
    shape.iter().map(Extent::as_known).collect()
}

/// An equation that no code can assume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unequal;

impl From<Unequal> for String {
    fn from(_: Unequal) -> Self {
        "it needs two sizes to be equal that are not".to_owned()
    }
}

/// The symbols of a graph, and what they are equal to.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// By symbol.
    meanings: Vec<Option<Extent>>,
    /// The number of symbols that are in use.
    used: usize,
    /// An equation was added since the last restart.
    has_grown: bool,
}

impl Symbols {
    /// Forgets which symbols are in use, and keeps their meanings. Returns whether there are new
    /// ones.
    pub(crate) fn restart(&mut self) -> bool {
        self.used = 0;
        std::mem::take(&mut self.has_grown)
    }

    /// Returns whether equations were added since the last restart.
    pub(crate) fn has_grown(&self) -> bool {
        self.has_grown
    }

    /// Returns the number of symbols that are in use.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Returns the meaning of the next symbol.
    pub(crate) fn next(&mut self) -> Extent {
        let symbol = self.used;
        self.used += 1;
        if self.meanings.len() < self.used {
            self.meanings.push(None);
        }
        self.resolve(&Extent::symbol(symbol as u32))
    }

    /// Returns a size in terms of symbols that are not equal to anything else.
    pub(crate) fn resolve(&self, extent: &Extent) -> Extent {
        let mut resolved = extent.clone();
        loop {
            let has_meaning = |symbol: &&u32| self.meanings[**symbol as usize].is_some();
            let Some(&symbol) = resolved.symbols.iter().find(has_meaning) else {
                return resolved;
            };
            let meaning = self.meanings[symbol as usize].as_ref();
            let rest = resolved.divided(&Extent::symbol(symbol));
            let (Some(meaning), Some(rest)) = (meaning, rest) else {
                return resolved;
            };
            resolved = rest.times(meaning);
        }
    }

    /// Assumes that two sizes are equal.
    ///
    /// # Errors
    /// They cannot be, or the equation cannot be solved for one of the symbols.
    pub(crate) fn equate(&mut self, one: &Extent, other: &Extent) -> Result<(), Unequal> {
        let (mut one, mut other) = (self.resolve(one), self.resolve(other));
        if one == other {
            return Ok(());
        }
        for symbol in one.symbols.clone() {
            let symbol = Extent::symbol(symbol);
            if let (Some(less), Some(other_less)) = (one.divided(&symbol), other.divided(&symbol)) {
                (one, other) = (less, other_less);
            }
        }
        if let Some(quotient) = one.divided(&Extent::known(other.factor)) {
            one = quotient;
            other.factor = 1;
        } else if let Some(quotient) = other.divided(&Extent::known(one.factor)) {
            other = quotient;
            one.factor = 1;
        }
        // The later symbol gets the meaning: the first ones are those of the arguments.
        let solved = [(&one, &other), (&other, &one)]
            .into_iter()
            .filter_map(|(symbol, meaning)| Some((symbol.as_symbol()?, meaning)))
            .filter(|(symbol, meaning)| !meaning.symbols.contains(symbol))
            .max_by_key(|(symbol, _)| *symbol);
        let Some((symbol, meaning)) = solved else {
            return Err(Unequal);
        };
        self.meanings[symbol as usize] = Some(meaning.clone());
        self.has_grown = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols<const N: usize>() -> (Symbols, [Extent; N]) {
        let mut symbols = Symbols::default();
        let all = [(); N].map(|()| symbols.next());
        (symbols, all)
    }

    #[test]
    fn products_and_quotients() {
        let (_, [rows, columns]) = symbols();
        let elements = rows.times(&columns).scaled(6);
        assert_eq!(elements.divided(&columns.scaled(2)), Some(rows.scaled(3)));
        assert_eq!(elements.divided(&Extent::known(4)), None);
        assert_eq!(rows.divided(&columns), None);
        assert!(elements.scaled(0).is(0));
    }

    #[test]
    fn equal_symbols_are_one() {
        let (mut symbols, [a, b, c]) = symbols();
        assert_eq!(symbols.equate(&b, &c), Ok(()));
        assert_eq!(symbols.equate(&c.scaled(10), &a.scaled(10)), Ok(()));
        assert_eq!(symbols.resolve(&b), a);
        assert_eq!(symbols.resolve(&c), a);
        assert_eq!(symbols.equate(&b, &Extent::known(7)), Ok(()));
        assert!(symbols.resolve(&c.times(&c)).is(49));
    }

    #[test]
    fn a_symbol_may_be_a_product() {
        let (mut symbols, [a, b]) = symbols();
        assert_eq!(symbols.equate(&b, &a.scaled(10)), Ok(()));
        assert_eq!(symbols.resolve(&b), a.scaled(10));
    }

    #[test]
    fn impossible_equations() {
        let (mut symbols, [a]) = symbols();
        assert!(
            symbols
                .equate(&Extent::known(2), &Extent::known(3))
                .is_err()
        );
        assert!(symbols.equate(&a.scaled(2), &Extent::known(3)).is_err());
        assert!(symbols.equate(&a.scaled(2), &a.scaled(3)).is_err());
        assert!(!symbols.has_grown());
    }

    #[test]
    fn meanings_survive_a_restart() {
        let (mut symbols, [a, b]) = symbols();
        assert_eq!(symbols.equate(&a, &b), Ok(()));
        assert!(symbols.restart());
        assert_eq!([symbols.next(), symbols.next()], [a.clone(), a]);
        assert!(!symbols.restart());
    }
}
