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
mod arrays;
mod checkpoint;
mod classes;
mod closures;
mod contexts;
mod custom_rules;
mod cycles;
mod defunctionalize;
mod demand;
mod dependence;
mod derivative;
mod derive;
pub mod differentiate;
mod flatten;
mod forward;
mod functions;
mod linear;
mod number;
mod objects;
mod opaque;
mod places;
mod primal;
mod recompute;
mod reverse;
mod rules;
mod scatter;
mod summaries;
mod tangent;
mod tangent_types;
mod tangents;
mod tapes;
mod tasks;
mod transpose;
mod transposed_rules;
mod values;

use melior::Context;

use rules::{Library, Rules};

pub use differentiate::{Differentiate, DifferentiateOptions, Tape};
#[doc(hidden)]
pub use rules::{files as rule_files, with_rules};

/// Returns the names of the operations that have a rule, sorted. The dialects are loaded.
pub fn operations_with_rules(context: &Context) -> Vec<String> {
    let library = Library::parse(context);
    let rules = Rules::new(&library);
    rules.names().into_iter().map(str::to_owned).collect()
}

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<Differentiate>();
}
