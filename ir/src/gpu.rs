//! Code for CUDA devices: PTX, by upstream's passes and LLVM.
//!
//! ```text
//! module { gpu.module @kernels [#nvvm.target<...>] { llvm.func @k() attributes {nvvm.kernel} } }
//!     ──► the text of the assembly, with an entry for each function
//! ```
//!
//! LLVM writes the text itself: no installation of CUDA is needed. The driver of the device
//! compiles it when a program loads it.
//!
//! Cost: that of LLVM, about a millisecond for a small kernel.

use melior::ir::Module;
use melior::pass::PassManager;
use melior::utility;

use crate::ops::builtin;
use crate::{ffi, module};

/// Upstream's passes from structured control flow to assembly.
const PIPELINE: &str = "builtin.module(convert-scf-to-cf,convert-math-to-llvm,\
    convert-index-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts,\
    gpu-module-to-binary{format=isa})";

/// Returns the assembly of the `gpu.module` of a module, which is changed.
///
/// Returns `None` if upstream's passes are not registered, or after MLIR has reported an error.
pub fn ptx(module: &mut Module<'_>) -> Option<String> {
    let context = module::as_op(module).context();
    utility::register_all_llvm_translations(context);
    let manager = PassManager::new(context);
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), PIPELINE).ok()?;
    manager.run(module).ok()?;
    let body = builtin::Module::cast(module::as_op(module))?
        .body_region()
        .entry()?;
    let binary = body.ops().next()?;
    ffi::gpu_object(binary.attribute("objects")?)
}

#[cfg(test)]
mod tests {
    use melior::Context;
    use melior::dialect::DialectRegistry;

    #[test]
    fn a_kernel_becomes_an_entry() {
        let registry = DialectRegistry::new();
        melior::utility::register_all_dialects(&registry);
        melior::utility::register_all_passes();
        let context = Context::new();
        context.append_dialect_registry(&registry);
        let text = "gpu.module @kernels [#nvvm.target<chip = \"sm_70\">] {
          llvm.func @root(%x: !llvm.ptr) attributes {nvvm.kernel} {
            %0 = llvm.load %x : !llvm.ptr -> f32
            %1 = math.sqrt %0 : f32
            llvm.store %1, %x : f32, !llvm.ptr
            llvm.return
          }
        }";
        let mut module = crate::module::parse(&context, text, "root.mlir").unwrap();
        let ptx = super::ptx(&mut module).unwrap();
        assert!(ptx.contains(".visible .entry root("), "{ptx}");
        assert!(ptx.contains("sqrt.rn.f32"), "{ptx}");
    }
}
