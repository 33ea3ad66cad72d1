//! What an operation gives: asked of the functions that are built in, or of TensorFlow.
//!
//! TensorFlow is asked once for each question.

use std::collections::HashMap;
use std::rc::Rc;

use tfx_graphdef::Resolved;
use tfx_graphdef::shapes::{self, Known, Mismatch, Shape};

use super::Shapes;
use super::tensorflow::ShapeGraph;

/// What comes out of an operation.
pub(super) type Inferred = Result<Vec<Shape>, Mismatch>;

/// Who is asked.
pub(super) struct Judge {
    tensorflow: Option<ShapeGraph>,
    answers: HashMap<(usize, Vec<Known>), Option<Inferred>>,
}

impl Judge {
    /// # Errors
    /// TensorFlow is asked for and cannot be loaded.
    pub(super) fn new(shapes: Shapes) -> Result<Self, String> {
        let tensorflow = match shapes {
            Shapes::Builtin => None,
            Shapes::TensorFlow => Some(ShapeGraph::new()?),
            Shapes::Auto => ShapeGraph::new().ok(),
        };
        Ok(Self {
            tensorflow,
            answers: HashMap::new(),
        })
    }

    /// Whether any operand may count with its value: TensorFlow does not say which do.
    pub(super) fn reads_all_values(&self) -> bool {
        self.tensorflow.is_some()
    }

    /// What an operation gives; `None` where nobody knows.
    ///
    /// TensorFlow is not asked what the functions here refuse: their messages are better, and where it only asserts what they check, it would end
    /// the process.
    pub(super) fn infer(
        &mut self,
        resolved: &Rc<Resolved>,
        operands: &[Known],
    ) -> Option<Inferred> {
        let ours = shapes::infer(resolved, operands);
        let Some(tensorflow) = &mut self.tensorflow else {
            return ours;
        };
        if let Some(Err(_)) = ours {
            return ours;
        }
        // What the registry says is kept as long as the pass runs, so its address stands for it.
        let key = (Rc::as_ptr(resolved) as usize, operands.to_vec());
        let answer = self.answers.entry(key);
        let theirs = answer.or_insert_with(|| tensorflow.infer(resolved, operands));
        match (ours, theirs.clone()) {
            (Some(Ok(ours)), Some(Ok(theirs))) => Some(Ok(both(ours, theirs))),
            (ours, None) => ours,
            (_, theirs) => theirs,
        }
    }
}

/// What two answers say together; TensorFlow's alone where they contradict each other.
fn both(ours: Vec<Shape>, theirs: Vec<Shape>) -> Vec<Shape> {
    let pairs = ours.into_iter().zip(theirs);
    pairs
        .map(|(ours, theirs)| ours.meet(&theirs).unwrap_or(theirs))
        .collect()
}
