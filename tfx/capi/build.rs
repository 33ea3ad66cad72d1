//! Sets the soname of the shared library: its major and minor version, which name its ABI.

fn main() {
    let version = |part: &str| {
        let name = format!("CARGO_PKG_VERSION_{part}");
        std::env::var(name).expect("cargo sets the version")
    };
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libtfx_c.so.{major}.{minor}");
}
