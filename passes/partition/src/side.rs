//! The two sides of a split function.

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Host,
    Graph,
}

impl Side {
    pub(crate) const BOTH: [Side; 2] = [Side::Host, Side::Graph];

    pub(crate) fn other(self) -> Side {
        match self {
            Side::Host => Side::Graph,
            Side::Graph => Side::Host,
        }
    }
}
