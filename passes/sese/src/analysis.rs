//! The results of all analyses of a region, before it is changed.

use tfx_ir::diag::Diagnostic;

use crate::body::{Body, Slots, Terminators};
use crate::loop_forest::LoopForest;
use crate::plan::Plan;
use crate::tree::Tree;
use crate::units::Units;

/// The results of all analyses of a region.
pub(crate) struct Analysis<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) forest: LoopForest,
    pub(crate) units: Units,
    pub(crate) tree: Tree,
    pub(crate) slots: Slots<'a>,
    pub(crate) terminators: Terminators<'a>,
    pub(crate) plan: Plan<'a>,
}

impl<'a> Analysis<'a> {
    /// Analyzes `body`. `never_return` is the result of `Cfg::never_return`.
    pub(crate) fn new(
        body: Body<'a>,
        forest: LoopForest,
        never_return: &[bool],
    ) -> Result<Self, Diagnostic<'a>> {
        let units = Units::new(&body.cfg, &forest);
        let tree = Tree::new(&body.cfg, &forest, &units, never_return);
        let mut slots = Slots::new(&body, &forest);
        let plan = Plan::new(&body, &forest, &units, &tree, &mut slots);
        let terminators = Terminators::new(&body, &forest, &slots)?;
        Ok(Self {
            body,
            forest,
            units,
            tree,
            slots,
            terminators,
            plan,
        })
    }
}
