//! The structure of a tensor that another library lends. What is done with it is the library's: `tfx_fuzz::bytes`.

#![no_main]

use tfx_fuzz::bytes::Target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Target::Dlpack.run(bytes);
});
