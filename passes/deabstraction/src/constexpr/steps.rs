//! The cost of evaluation, by location.

use std::collections::HashMap;

use tfx_ir::Block;

/// The budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManySteps;

/// Counts the evaluated operations, by block. A budget is for one attribute, so that it does not
/// depend on the number of others.
pub(super) struct Steps<'a> {
    limit: u64,
    used: u64,
    by_block: HashMap<Block<'a>, u64>,
    /// The blocks in the order in which they were first counted, so that the order of the hash map
    /// is not observable.
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

    /// Starts again with a budget.
    pub(super) fn restart(&mut self, limit: u64) {
        *self = Self::new(limit);
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Charges steps to a block.
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

    /// Returns the blocks with their steps, in the order in which they were first counted.
    pub(super) fn by_block(&self) -> impl Iterator<Item = (Block<'a>, u64)> {
        self.order
            .iter()
            .map(|block| (*block, self.by_block[block]))
    }
}
