//! Typed views of upstream's operations, and what the structured ones have in common.
//!
//! The views are generated from upstream's ODS files by `build.rs`: each has the name of its C++
//! class without `Op`, as in [`scf::If`], [`cf::CondBranch`] and [`arith::AddI`]. See
//! [`crate::view`].

macro_rules! dialects {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => { $(
        $(#[$meta])*
        #[allow(clippy::identity_op, clippy::self_named_constructors, clippy::useless_conversion)]
        pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        }
    )* };
}

mod predicates;
mod structured;

pub use structured::{Destinations, Structured};

dialects! {
    /// Arithmetic on integers and floats.
    arith,
    /// Modules.
    builtin,
    /// Branches between blocks.
    cf,
    /// Functions, calls and returns.
    func,
    /// Arithmetic on `index`.
    index,
    /// The operations of LLVM IR that lowering produces.
    llvm,
    /// The intrinsics of LLVM IR that lowering produces.
    llvm_intrinsics,
    /// Mathematical functions.
    math,
    /// Structured control flow. [`Structured`] has what its operations share.
    scf,
    /// Operations on builtin tensors.
    tensor,
    /// Undefined behaviour.
    ub,
}
