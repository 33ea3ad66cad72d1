//! Drivers that are missing or incomplete, and lists that do not fit.

use std::path::Path;

use tfx_commands::{Detail, Memory, Verified};
use tfx_cuda::driver::{Driver, LoadError};
use tfx_cuda::{
    DeviceKernels, Error, Executable, Launch, LaunchOperand, Options, PtxKernel, RunOptions,
};
use tfx_schedule::{Builder, Device, Lifetime, Names, Space, write, write_any};

use crate::support::{Fake, verified};

#[test]
fn a_missing_library_is_an_error_that_names_the_driver() {
    let error = Driver::load(Some(Path::new("libcuda-missing.so.1"))).expect_err("no such file");
    let text = error.to_string();
    assert!(
        text.starts_with("libcuda-missing.so.1 cannot be loaded: "),
        "{text}"
    );
    assert!(text.contains("install the NVIDIA driver"), "{text}");
}

#[test]
fn a_library_without_a_function_is_an_error_that_names_it() {
    let error = Driver::load(Some(Path::new("libc.so.6"))).expect_err("not a driver");
    assert!(
        matches!(
            error,
            LoadError::Symbol {
                symbol: "cuInit",
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("libc.so.6 has no function cuInit"),
        "{error}"
    );
}

#[test]
fn a_machine_without_a_device_is_an_error() {
    let fake = Fake::new(0);
    let error = Driver::load(Some(&fake.file)).expect_err("no device");
    assert_eq!(error, LoadError::NoDevice);
}

#[test]
fn devices_are_described() {
    let driver = Fake::new(3).driver();
    assert_eq!(driver.device_count(), Ok(3));
    assert_eq!(driver.version(), Ok(12040));
    let info = driver.device_info(2).expect("the last device");
    assert_eq!(
        (info.name.as_str(), info.capability),
        ("Fake CUDA device", [9, 0])
    );
    let error = driver.device_info(3).expect_err("no such device");
    let text = "cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE (invalid device ordinal)";
    assert_eq!(error.to_string(), text);
}

/// Returns a list that writes a buffer of a space on the last of some devices.
fn list(devices: usize, space: Option<Space>, size: u64) -> Verified {
    let mut b = Builder::new();
    let devices: Vec<_> = (0..devices).map(|_| b.device(Device::Cuda)).collect();
    let device = *devices.last().expect("a device");
    b.begin_part("main");
    let stream = b.stream(device);
    match space {
        Some(space) => {
            let buffer = b.buffer(size, space);
            b.launch(Detail::kernel("k"), stream, &[write_any(buffer)]);
        }
        None => {
            let root = b.root(size, Space::Device(device), Lifetime::Managed);
            let buffer = b.slice(root, 0, size);
            b.alloc(Detail::None, tfx_schedule::Agent::Stream(stream), buffer);
            let value = b.value();
            b.launch(Detail::kernel("k"), stream, &[write(buffer, value)]);
        }
    }
    b.end_part(Names::default());
    verified(b.finish().expect("a part"))
}

fn host() -> DeviceKernels {
    let mut kernels = DeviceKernels::default();
    kernels.add_host("k", |_, _| Ok(()));
    kernels
}

fn ptx(text: &str, entry: &str, threads: u64, operand: usize) -> DeviceKernels {
    let mut kernels = DeviceKernels::default();
    kernels.add_module(text);
    let launch = Launch {
        entry: entry.to_string(),
        threads,
        operands: vec![LaunchOperand { operand, offset: 0 }],
        product: None,
    };
    let launches = vec![launch];
    kernels.add_ptx("k", PtxKernel { launches });
    kernels
}

#[test]
fn lists_that_do_not_fit_are_errors() {
    let fake = Fake::new(1);
    let driver = fake.driver();
    let error = |verified: Verified, kernels: &DeviceKernels, devices: Option<Vec<u32>>| {
        let options = Options {
            devices,
            ..Options::default()
        };
        Executable::new(verified, kernels, &driver, &options).expect_err("it does not fit")
    };
    let two = || list(2, None, 8);
    let one = || list(1, None, 8);
    let found = error(two(), &host(), None);
    assert_eq!(
        found,
        Error::Devices {
            ordinal: 1,
            found: 1
        }
    );
    let found = error(two(), &host(), Some(vec![0]));
    assert_eq!(
        found,
        Error::Ordinals {
            needed: 2,
            named: 1
        }
    );
    let device = Space::Device(tfx_schedule::DeviceId(0));
    let found = error(list(1, Some(device), 8), &host(), None);
    assert_eq!(found, Error::DeviceRoot(0));
    let found = error(one(), &DeviceKernels::default(), None);
    assert_eq!(found, Error::Kernel("k".to_string()));
    let found = error(one(), &ptx("", "e", 1, 0), None);
    assert!(matches!(found, Error::Entry { .. }), "{found}");
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry e(.param .u64 p)\n{\nret;\n}\n";
    let found = error(one(), &ptx(text, "e", 1, 1), None);
    assert!(
        matches!(
            found,
            Error::Operand {
                operand: 1,
                found: 1,
                ..
            }
        ),
        "{found}"
    );
    let found = error(one(), &ptx(text, "e", u64::MAX, 0), None);
    assert!(matches!(found, Error::Threads { .. }), "{found}");
    let found = error(one(), &ptx(&text.replace("ret", "rat"), "e", 1, 0), None);
    let text = found.to_string();
    assert!(
        text.starts_with("cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX"),
        "{text}"
    );
    assert!(text.contains("line 6"), "the log of the compiler: {text}");
    drop(driver);
    fake.assert_empty("after errors");
}

#[test]
fn two_devices_may_be_the_same_one() {
    let fake = Fake::new(1);
    let options = Options {
        devices: Some(vec![0, 0]),
        ..Options::default()
    };
    let driver = fake.driver();
    let executable = Executable::new(list(2, None, 8), &host(), &driver, &options);
    let executable = executable.expect("one device is enough");
    assert_eq!(executable.run(&mut [], &mut RunOptions::default()), Ok(()));
}

#[test]
fn memory_that_does_not_fit_is_an_error() {
    let fake = Fake::new(1);
    fake.set("MEMORY", "4096");
    let driver = fake.driver();
    let new = |verified| Executable::new(verified, &host(), &driver, &Options::default());
    let executable = new(list(1, None, 5000)).expect("memory is allocated by the run");
    let error = executable
        .run(&mut [], &mut RunOptions::default())
        .expect_err("too large");
    let text = "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)";
    assert_eq!(error.to_string(), text);
    let executable = new(list(1, Some(Space::Pinned), 8)).expect("a small list");
    let run = |memory: &mut [Memory<'_>]| executable.run(memory, &mut RunOptions::default());
    assert_eq!(
        run(&mut []),
        Err(Error::Memory {
            expected: 1,
            got: 0
        })
    );
    assert_eq!(run(&mut [Memory::Read(&[0; 8])]), Err(Error::ReadOnly(0)));
    assert_eq!(run(&mut [Memory::Write(&mut [0; 8])]), Ok(()));
}
