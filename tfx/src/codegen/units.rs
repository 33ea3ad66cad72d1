//! The units of a program: parts of a lowered module that are compiled by themselves.
//!
//! ```text
//! module of the LLVM dialect                units, one object each
//!   @main, images, constants         ──►    @main, images, constants
//!   @g.code      (calls @a, @b)      ──►    @g.code, @a
//!   @a           small kernel
//!   @b           large kernel        ──►    @tfx.kernel.4c62...   named after its content
//! ```
//!
//! Without native code, the module is the only unit. Otherwise each large kernel is a unit, and so
//! is the code of each graph with the small kernels that it calls, which LLVM may inline. Constants
//! stay with the host. The name of a large kernel follows from its content alone: equal kernels are
//! one unit, and a kernel has the same object in all programs (see `cache.rs`).
//!
//! Linear in the module; a small kernel is copied once for each graph that calls it.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Location, Module};
use sha2::{Digest as _, Sha256};
use tfx_dialects::native::FUNCTION;
use tfx_ir::Mapping;
use tfx_ir::cast::Cast;
use tfx_ir::module::{as_op, copy};
use tfx_ir::ops::llvm;
use tfx_ir::symbols::{SYMBOL_NAME, SymbolTable, for_each_symbol};
use tfx_ir::{Builder, Op, attribute};

/// The attribute of LLVM IR that large kernels have.
const NOT_INLINED: &str = "noinline";

/// The start of the name of a large kernel, which its digest follows.
const KERNEL: &str = "tfx.kernel.";

/// The attributes of functions and constants with their linkage and their value.
const LINKAGE: &str = "linkage";
const VALUE: &str = "value";

/// The bytes of the digest in the name of a kernel, so that different kernels have different names.
const NAME_BYTES: usize = 16;

/// The digest of a text.
type Digest = [u8; 32];

/// A module that is compiled by itself.
pub(super) struct Unit<'c> {
    pub(super) module: Module<'c>,
    digest: OnceCell<Digest>,
}

/// The units of a module in the LLVM dialect.
pub(super) struct Units<'c> {
    pub(super) host: Unit<'c>,
    /// The graphs, then the large kernels.
    pub(super) natives: Vec<Unit<'c>>,
}

/// Splits a module into units.
pub(super) fn split<'c>(module: &Module<'c>) -> Units<'c> {
    let all = Functions::of(as_op(module));
    if all.natives.is_empty() {
        return Units {
            host: Unit::of(copy(module)),
            natives: Vec::new(),
        };
    }
    let mut names = HashMap::new();
    let mut is_known = HashSet::new();
    let mut kernels = Vec::new();
    for &kernel in all.natives.iter().filter(|kernel| is_large(**kernel)) {
        let (name, unit) = all.kernel(kernel, module);
        names.insert(kernel.sym_name(), name.clone());
        if is_known.insert(name) {
            kernels.push(unit);
        }
    }
    let graphs = all.natives.iter().filter(|native| all.is_called(**native));
    let mut natives: Vec<_> = graphs
        .map(|&graph| Unit::of(all.unit(graph, graph.sym_name(), &names, module)))
        .collect();
    natives.extend(kernels);
    Units {
        host: Unit::of(all.host(module)),
        natives,
    }
}

impl<'c> Unit<'c> {
    fn of(module: Module<'c>) -> Self {
        let digest = OnceCell::new();
        Unit { module, digest }
    }

    /// Returns a digest of the text of the unit. For a kernel, it is that of the text without the
    /// kernel's name, which follows from it.
    pub(super) fn digest(&self) -> &Digest {
        let text = || as_op(&self.module).to_string();
        self.digest.get_or_init(|| Sha256::digest(text()).into())
    }
}

/// Returns true if LLVM must not inline a function.
fn is_large(function: llvm::LLVMFunc<'_>) -> bool {
    let listed = function.passthrough().and_then(ArrayAttribute::cast);
    let is_it = |list: ArrayAttribute<'_>| {
        (0..list.len()).any(|index| {
            let element = list.element(index).ok();
            element.and_then(attribute::text) == Some(NOT_INLINED)
        })
    };
    listed.is_some_and(is_it)
}

/// Returns the native function that an operation is.
fn native(op: Op<'_>) -> Option<llvm::LLVMFunc<'_>> {
    llvm::LLVMFunc::cast(op).filter(|function| function.op().attribute(FUNCTION).is_some())
}

/// Returns the symbols to which operations and those inside refer.
fn symbols_in<'a>(ops: impl Iterator<Item = Op<'a>>) -> BTreeSet<&'a str> {
    let mut symbols = BTreeSet::new();
    for op in ops.flat_map(Op::walk) {
        for_each_symbol(op, |symbol| {
            symbols.insert(symbol);
        });
    }
    symbols
}

/// The functions of a module.
struct Functions<'a> {
    symbols: SymbolTable<'a>,
    /// The functions of kernels and graphs.
    natives: Vec<llvm::LLVMFunc<'a>>,
    /// The symbols to which the host refers.
    of_host: BTreeSet<&'a str>,
}

impl<'a> Functions<'a> {
    fn of(module: Op<'a>) -> Self {
        Functions {
            symbols: SymbolTable::new(module),
            natives: module.children().filter_map(native).collect(),
            of_host: symbols_in(module.children().filter(|op| native(*op).is_none())),
        }
    }

    /// Returns true if the host calls a native function: then it is the code of a graph.
    fn is_called(&self, native: llvm::LLVMFunc<'_>) -> bool {
        self.of_host.contains(native.sym_name())
    }

    /// Returns the module without the bodies of native functions.
    fn host<'c>(&self, module: &Module<'c>) -> Module<'c> {
        let host = Module::new(as_op(module).location());
        let op = as_op(&host);
        for (name, value) in as_op(module).attributes() {
            op.set_attribute(name, value);
        }
        let used = symbols_in(self.natives.iter().map(|native| native.op()));
        for original in as_op(module).children() {
            match native(original) {
                None => {
                    let copy = clone(original, op);
                    if let Some(global) = llvm::Global::cast(copy)
                        && used.contains(global.sym_name())
                    {
                        global.set_linkage(external(op));
                    }
                }
                Some(native) if self.is_called(native) => {
                    declare(original, op);
                }
                Some(_) => {}
            }
        }
        host
    }

    /// Returns the unit of a large kernel, and the new name of the kernel.
    fn kernel<'c>(&self, kernel: llvm::LLVMFunc<'_>, module: &Module<'c>) -> (String, Unit<'c>) {
        let unit = Unit::of(self.unit(kernel, KERNEL, &HashMap::new(), module));
        let mut name = KERNEL.to_owned();
        for byte in &unit.digest()[..NAME_BYTES] {
            let _ = write!(name, "{byte:02x}");
        }
        first(&unit.module).set_string(SYMBOL_NAME, &name);
        (name, unit)
    }

    /// Returns a unit of a function, which other units see by a name, and what it calls: small
    /// kernels with their bodies, the rest as declarations. `names` are those of large kernels.
    fn unit<'c>(
        &self,
        function: llvm::LLVMFunc<'_>,
        name: &str,
        names: &HashMap<&str, String>,
        module: &Module<'c>,
    ) -> Module<'c> {
        let unit = Module::new(as_op(module).location());
        let op = as_op(&unit);
        let mut added = HashSet::new();
        let mut pending = vec![function.op()];
        while let Some(original) = pending.pop() {
            let copy = clone(original, op);
            for call in copy.walk().filter_map(llvm::Call::cast) {
                if let Some(name) = call.callee().and_then(|callee| names.get(callee)) {
                    call.set_callee(Some(name));
                }
            }
            for symbol in symbols_in(std::iter::once(original)) {
                let name = names.get(symbol).map_or(symbol, String::as_str);
                let Some(used) = self.symbols.get(symbol).filter(|_| added.insert(name)) else {
                    continue;
                };
                match native(used) {
                    Some(small) if !is_large(small) => pending.push(used),
                    _ => declare(used, op).set_string(SYMBOL_NAME, name),
                }
            }
        }
        let first = first(&unit);
        first.set_string(SYMBOL_NAME, name);
        first.set_attribute(LINKAGE, external(op));
        unit
    }
}

/// Returns the function that other units see.
fn first<'a>(unit: &'a Module<'_>) -> Op<'a> {
    let mut natives = as_op(unit).children().filter_map(native);
    natives
        .next()
        .expect("a unit starts with its function")
        .op()
}

/// Adds a copy of an operation to a module.
fn clone<'a>(op: Op<'a>, module: Op<'a>) -> Op<'a> {
    let body = module.region(0).entry().expect("a module has a block");
    Builder::at_end(body, module.location()).clone_op(op, &mut Mapping::new())
}

/// Adds a declaration of a function or of a constant to a module.
fn declare<'a>(symbol: Op<'a>, module: Op<'a>) -> Op<'a> {
    let body = module.region(0).entry().expect("a module has a block");
    let mut builder = Builder::at_end(body, module.location());
    let declared = builder.clone_without_regions(symbol, &mut Mapping::new());
    // With debug information, the location names the definition.
    declared.set_location(Location::unknown(module.context()));
    declared.remove_attribute(FUNCTION);
    declared.remove_attribute(VALUE);
    declared.set_attribute(LINKAGE, external(module));
    declared
}

/// Returns the linkage of symbols that other units define or see.
fn external<'a>(module: Op<'a>) -> Attribute<'a> {
    let linkage = Attribute::parse(module.context(), "#llvm.linkage<external>");
    linkage.expect("the LLVM dialect is loaded")
}
