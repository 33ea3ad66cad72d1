//! The rules: the derivatives of operations, as IR.
//!
//! ```text
//!   func.func private @Mul(%x, %y, %z, %dz) -> (dx, dy) {        rules/*.mlir
//!     %p = "Mul"(%dz, %y);  %dx = sum_to %p, %x
//!     ...
//!   }
//!                     backward of   %c = "Mul"(%a, %b) : tensor<?xf32>
//!                        %x := primal %a, %y := primal %b, %dz := cotangent of %c, f64 := f32
//! ```
//!
//! A rule is a function named after an operation (`Mul`, `arith.mulf`), with the operands, the
//! results and the cotangents of the differentiable results as parameters. It returns a cotangent
//! for each operand, or for those that `tfx_ad.wrt` lists. Its float type is `f64`, which stands
//! for the operation's own; its tensors are of unknown shape. Attributes of a rule and of its
//! operations:
//!
//! | attribute | meaning |
//! |---|---|
//! | `tfx_ad.wrt = array<i64: 0>` | the operands whose cotangents the rule returns |
//! | `tfx_ad.when.transpose_a = true` | for operations with this attribute; its name has a suffix |
//! | `tfx_ad.when.data_format = ["NHWC"]` | the same, with one of these values |
//! | `tfx_ad.copy = ["axis"]` | an operation gets these attributes of the differentiated one |
//! | `tfx_ad.attribute = "axis"` | a constant has the value of this attribute, if it is given |
//! | `tfx_ad.other = 1 : i64` | `f32` stands for the float type of this operand |
//! | `tfx_ad.zero` | the derivative is zero where it exists: a rule without a body |
//! | `tfx_ad.also = ["Add"]` | the rule is for these operations, too |
//! | `tfx_ad.unused = array<i64: 1>` | for operations with zero cotangents of these results |
//! | `tfx_ad.helper` | not a rule, but a function that rules call |
//! | `tfx_ad.result = 1 : i64` | a `tfx_ad.sum_to` of a value of the shape of this result |
//! | `tfx_ad.matrices` | a `tfx_ad.sum_to` whose last two sizes are not broadcast |
//!
//! A rule is linear in its cotangents: its transpose is the forward derivative of the operation.
//! `tfx_ad.scale` and `MulNoNan` keep a zero cotangent from becoming a NaN.
//!
//! Instantiation clones the operations that the requested cotangents need. A parameter that they do
//! not need costs nothing: no residual is kept for it. Operations of any number of operands have
//! rules in Rust: `variadic.rs`.

mod einsum;
mod instantiate;
mod library;
mod variadic;

pub(crate) use instantiate::{Instance, Primal, apply, zero_of};
pub(crate) use library::{HELPER, Library, Rules, name};
pub use library::{files, with_rules};
