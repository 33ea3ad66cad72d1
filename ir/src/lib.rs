//! Safe Rust over melior: walking, region surgery, symbol tables, diagnostics, the Pass trait.
