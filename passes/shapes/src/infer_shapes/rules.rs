//! The shape functions: the built-in ones and TensorFlow's.

use std::collections::HashMap;
use std::rc::Rc;

use tfx_graphdef::Resolved;
use tfx_graphdef::shapes::{self, Known, Shape};
use tfx_tensorflow::LoadError;

use super::tensorflow::{Inferred, ShapeGraph};

tfx_ir::option_enum! {
    /// The shape functions that inference uses.
    pub enum Shapes {
        /// The built-in functions.
        Builtin = "builtin",
        /// TensorFlow's own functions; TensorFlow must be installed.
        TensorFlow = "tensorflow",
        /// TensorFlow's own functions if TensorFlow is installed, else the built-in functions.
        Auto = "auto",
    }
}

/// The shape functions that the options choose.
pub(super) struct ShapeFunctions {
    tensorflow: Option<ShapeGraph>,
    /// TensorFlow's answers: it is called once for each operation and operands.
    answers: HashMap<(usize, Vec<Known>), Option<Inferred>>,
}

impl ShapeFunctions {
    /// # Errors
    ///
    /// If the option requires TensorFlow, which cannot be loaded.
    pub(super) fn new(shapes: Shapes) -> Result<Self, LoadError> {
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

    /// Returns whether the elements of any operand may matter: TensorFlow does not report which
    /// operands its functions read.
    pub(super) fn reads_all_values(&self) -> bool {
        self.tensorflow.is_some()
    }

    /// Returns the shapes of the results of an operation; `None` if no function knows them.
    ///
    /// TensorFlow is not called for operands that the built-in functions reject: their messages are
    /// better, and TensorFlow ends the process where it only asserts the same condition.
    pub(super) fn infer(
        &mut self,
        resolved: &Rc<Resolved>,
        operands: &[Known],
    ) -> Option<Inferred> {
        let builtin = shapes::infer(resolved, operands);
        let Some(tensorflow) = &mut self.tensorflow else {
            return builtin;
        };
        if let Some(Err(_)) = builtin {
            return builtin;
        }
        // The resolved operations live as long as the pass, so an address identifies one.
        let key = (Rc::as_ptr(resolved) as usize, operands.to_vec());
        let answer = self.answers.entry(key);
        let answer = answer.or_insert_with(|| tensorflow.infer(resolved, operands));
        match (builtin, answer.clone()) {
            (Some(Ok(builtin)), Some(Ok(answer))) => Some(Ok(both(builtin, answer))),
            (builtin, None) => builtin,
            (_, answer) => answer,
        }
    }
}

/// Returns the meet of the shapes of both functions; TensorFlow's shape if they contradict each
/// other.
fn both(builtin: Vec<Shape>, tensorflow: Vec<Shape>) -> Vec<Shape> {
    let pairs = builtin.into_iter().zip(tensorflow);
    pairs
        .map(|(builtin, tensorflow)| builtin.meet(&tensorflow).unwrap_or(tensorflow))
        .collect()
}
