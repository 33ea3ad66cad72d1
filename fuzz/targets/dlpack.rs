//! The DLPack structure of a lent tensor, processed by `tfx_fuzz::bytes`.

#![no_main]

use tfx_fuzz::bytes::Target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Target::Dlpack.run(bytes);
});
