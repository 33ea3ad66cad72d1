//! The automatic differentiation family: derivatives of functions, as functions.
//!
//! ```text
//!   tfx_ad.gradient @loss(%w)   ──tfx-differentiate──►   %y, %r = call @loss.forward(%w)
//!                                                        %dw = call @loss.backward(%r, 1.0)
//! ```

#![forbid(unsafe_code)]

mod activity;
mod aggregates;
mod answer;
mod demand;
mod derive;
pub mod differentiate;
mod flatten;
mod forward;
mod functions;
mod number;
mod primal;
mod reverse;
mod rules;
mod tangent;
mod values;

pub use differentiate::{Differentiate, DifferentiateOptions};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<Differentiate>();
}
