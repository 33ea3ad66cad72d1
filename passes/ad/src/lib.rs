//! The automatic differentiation family: derivatives of functions, as functions.
//!
//! ```text
//!   tfx_ad.gradient @loss(%w)   ──tfx-differentiate──►   %y, %r = call @loss.forward(%w)
//!                                                        %dw = call @loss.backward(%r, 1.0)
//!   tfx_ad.jvp @loss(%w), %tw   ──tfx-differentiate──►   %y, %ty = call @loss.tangents(%w, %tw)
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
mod opaque;
mod primal;
mod reverse;
mod rules;
mod tangent;
mod tangents;
mod transpose;
mod values;

pub use differentiate::Differentiate;

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<Differentiate>();
}
