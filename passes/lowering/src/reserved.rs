//! Function names that are reserved for compiled code.
//!
//! ```text
//!   func.func private @tfx_abort(...) { body }    renamed: it is not visible outside
//!   func.func @tfx_abort, or without a body       rejected: it collides with the runtime
//!   func.func private @exp(...) { body }          renamed: math.exp becomes a call of C's exp
//! ```
//!
//! A function without a body is a function of C, so a declaration of `@exp` is C's own. Functions
//! with a body are internal to the module, but a call of a C function by its name would reach the
//! program's function.

use tfx_ir::Op;
use tfx_ir::ops::func;
use tfx_ir::symbols::{self, SymbolTable};

/// The prefixes of names of the runtime and of generated code.
const RUNTIME: [&str; 2] = ["tfx_", "tfx."];
/// The prefix of names of the C compiler's library and of upstream's functions.
const COMPILER: &str = "__";

/// The functions of C that lowering calls implicitly; the mathematical ones also with the suffix
/// `f`.
const LIBRARY: [&str; 38] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "log",
    "log10",
    "log1p",
    "log2",
    "memcpy",
    "memmove",
    "memset",
    "pow",
    "round",
    "roundeven",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

/// Returns whether a name is one of the runtime or of generated code.
pub(crate) fn is_of_runtime(name: &str) -> bool {
    RUNTIME.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether compiled code may call a function of that name outside of the program.
fn is_called(name: &str) -> bool {
    let base = name.strip_suffix('f').unwrap_or(name);
    is_of_runtime(name)
        || name.starts_with(COMPILER)
        || LIBRARY.iter().any(|known| *known == name || *known == base)
}

/// Returns an error message if a program cannot have a function of that name.
pub(crate) fn conflict(function: func::Func<'_>) -> Option<String> {
    let name = Some(function.sym_name()).filter(|name| is_of_runtime(name))?;
    let what = match (function.is_declaration(), function.is_private()) {
        (true, _) => "a foreign function",
        (false, false) => "a public function",
        (false, true) => return None,
    };
    Some(format!(
        "{what} cannot be called '@{name}': names that start with tfx_ or tfx. are reserved for the runtime; give it another name"
    ))
}

/// Renames functions with a body and a name that compiled code may call, except for the entry,
/// whose name users see. Linear in the module for each renamed function.
pub(crate) fn rename<'a>(
    module: Op<'a>,
    functions: &[func::Func<'a>],
    entry: Option<func::Func<'a>>,
) {
    for &function in functions {
        let is_called = is_called(function.sym_name());
        if is_called && !function.is_declaration() && Some(function) != entry {
            let name = format!("program.{}", function.sym_name());
            let name = SymbolTable::new(module).unique_name(&name);
            symbols::rename(module, function.op(), &name);
        }
    }
}
