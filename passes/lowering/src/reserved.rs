//! Names of functions that compiled code needs for itself.
//!
//! ```text
//!   func.func private @tfx_abort(...) { body }    renamed, since nobody outside can know it
//!   func.func @tfx_abort, or without a body       refused: the runtime has one
//!   func.func private @exp(...) { body }          renamed: math.exp becomes a call of C's exp
//! ```
//!
//! What a program declares without a body is a function of C, so `@exp` is C's own there. Functions with a body are internal to the code;
//! but where code calls a function of C by its name, it would get the program's.

use tfx_ir::Op;
use tfx_ir::symbols::{self, SymbolTable};

/// What names of the runtime, and of what is made beside the program, start with.
const RUNTIME: [&str; 2] = ["tfx_", "tfx."];
/// What names of the C compiler's library, and of upstream's functions, start with.
const COMPILER: &str = "__";

/// The functions of C that code is made to call without being told to; those of mathematics also with an `f` at the end.
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

/// Whether a name is one of the runtime's.
pub(crate) fn is_of_runtime(name: &str) -> bool {
    RUNTIME.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether code may call a function of that name that is not the program's.
fn is_called(name: &str) -> bool {
    let base = name.strip_suffix('f').unwrap_or(name);
    is_of_runtime(name)
        || name.starts_with(COMPILER)
        || LIBRARY.iter().any(|known| *known == name || *known == base)
}

/// Why a program cannot have a function of that name.
pub(crate) fn refusal(function: Op<'_>) -> Option<String> {
    let name = function.symbol_name().filter(|name| is_of_runtime(name))?;
    let what = match (function.is_declaration(), function.is_private()) {
        (true, _) => "a foreign function",
        (false, false) => "a public function",
        (false, true) => return None,
    };
    Some(format!(
        "{what} cannot be called '@{name}': names that start with tfx_ or tfx. are those of the runtime; give it another name"
    ))
}

/// Gives other names to functions with a body whose names code may call. The entry keeps its own, which users see. Linear in the module for each
/// of them.
pub(crate) fn rename<'a>(module: Op<'a>, functions: &[Op<'a>], entry: Option<Op<'a>>) {
    let is_renamed = |function: &&Op<'a>| {
        Some(**function) != entry
            && !function.is_declaration()
            && function.symbol_name().is_some_and(is_called)
    };
    let renamed: Vec<_> = functions.iter().filter(is_renamed).copied().collect();
    for function in renamed {
        let name = format!("program.{}", function.symbol_name().unwrap_or_default());
        let name = SymbolTable::new(module).unique_name(&name);
        symbols::rename(module, function, &name);
    }
}
