//! What evaluation has cost, and where.

use std::collections::HashMap;

use tfx_ir::Block;

/// The budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManySteps;

/// Counts the operations that are evaluated, by block. A budget is for one attribute, so that it does not depend on how many others there are.
pub(super) struct Steps<'a> {
    limit: u64,
    used: u64,
    by_block: HashMap<Block<'a>, u64>,
    /// The blocks in the order in which they were first counted: the order of the hash map must not be seen.
    order: Vec<Block<'a>>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            used: 0,
            by_block: HashMap::new(),
            order: Vec::new(),
        }
    }

    /// Starts anew with a budget.
    pub(super) fn restart(&mut self, limit: u64) {
        *self = Self::new(limit);
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Pays for steps in a block.
    pub(super) fn pay(&mut self, block: Block<'a>, steps: u64) -> Result<(), TooManySteps> {
        self.used += steps;
        let count = self.by_block.entry(block).or_insert_with(|| {
            self.order.push(block);
            0
        });
        *count += steps;
        if self.used > self.limit {
            return Err(TooManySteps);
        }
        Ok(())
    }

    /// The blocks with what they cost, in the order in which they were met.
    pub(super) fn by_block(&self) -> impl Iterator<Item = (Block<'a>, u64)> {
        self.order
            .iter()
            .map(|block| (*block, self.by_block[block]))
    }
}
