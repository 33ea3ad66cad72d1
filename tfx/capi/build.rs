//! Sets the options of the linker for the shared library.

fn main() {
    let version = |part: &str| {
        let name = format!("CARGO_PKG_VERSION_{part}");
        std::env::var(name).expect("cargo sets the version")
    };
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    let options = [
        // The name of the ABI: the major and minor version.
        &format!("-soname,libtfx_c.so.{major}.{minor}"),
        // The library calls its own runtime, also if the process has another one (libtfx_runtime).
        "-Bsymbolic-functions",
        // Threads of the library live as long as the process, so `dlclose` must not unload it.
        "-z,nodelete",
    ];
    println!("cargo:rerun-if-changed=build.rs");
    for option in options {
        println!("cargo:rustc-cdylib-link-arg=-Wl,{option}");
    }
}
