//! The memory of threads and blocks: its start, its end, and what it hides.

mod common;

use common::Argument::Buffer;
use common::{bytes, run, value};
use tfx_ptx::{Cause, Fault, Memory, Module, RunError};

const ONE: [u32; 3] = [1, 1, 1];

#[test]
fn frames_end_with_their_calls() {
    // 5000 calls, one after the other, of a function with 1 KiB of local memory.
    let text =
        ".func (.param .b32 r) f(.param .b32 a) { .local .align 8 .b8 x[1024]; .reg .b32 %r<2>;
            ld.param.b32 %r0, [a]; st.local.b32 [x+1020], %r0; ld.local.b32 %r1, [x+1020];
            add.s32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
        .entry test(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %p<2>;
            mov.u32 %r0, 0;
            A: { .param .b32 a; .param .b32 r; st.param.b32 [a], %r0; call.uni (r), f, (a);
            ld.param.b32 %r0, [r]; }
            setp.lt.u32 %p1, %r0, 5000; @%p1 bra A;
            ld.param.b64 %rd0, [p]; st.b32 [%rd0], %r0; ret; }";
    let after = run(text, "test", ONE, ONE, &[Buffer(0)], &[vec![0; 4]]).expect("runs");
    assert_eq!(after[0], bytes(&[5000u32]));
}

#[test]
fn blocks_and_threads_start_without_the_values_of_earlier_ones() {
    let text = ".shared .align 4 .b8 s[8];
        .entry test(.param .u64 p) { .local .b32 x; .reg .b32 %r<8>; .reg .b64 %rd<4>;
            ld.param.b64 %rd0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
            mad.lo.u32 %r2, %r1, 2, %r0; mad.wide.u32 %rd1, %r2, 16, %rd0;
            ld.shared.b32 %r3, [s+4]; ld.local.b32 %r4, [x];
            st.v4.b32 [%rd1], {%r3, %r4, %r5, %r2};
            st.shared.b32 [s+4], %r2; st.local.b32 [x], 7; mov.u32 %r5, 8; ret; }";
    let after = run(
        text,
        "test",
        [2, 1, 1],
        [2, 1, 1],
        &[Buffer(0)],
        &[vec![0; 64]],
    );
    let unwritten = 0xa5a5_a5a5u32;
    let rows = [
        [unwritten, unwritten, unwritten, 0],
        [0, unwritten, unwritten, 1],
        [unwritten, unwritten, unwritten, 2],
        [2, unwritten, unwritten, 3],
    ];
    assert_eq!(after.expect("runs")[0], bytes(&rows.concat()));
}

#[test]
fn calls_are_nested_at_most_1024_times() {
    let text = ".func f(.param .b32 a) { .reg .b32 %r<2>; .reg .pred %p<2>; ld.param.b32 %r0, [a];
            setp.eq.u32 %p1, %r0, 0; @%p1 ret; sub.u32 %r0, %r0, 1;
            { .param .b32 b; st.param.b32 [b], %r0; call.uni f, (b); } ret; }
        .entry test(.param .u32 n) { .reg .b32 %r<2>; ld.param.b32 %r0, [n];
            { .param .b32 b; st.param.b32 [b], %r0; call.uni f, (b); } ret; }";
    let depth = |calls: u32| run(text, "test", ONE, ONE, &[value(calls - 1)], &[]);
    assert_eq!(depth(1024), Ok(Vec::new()));
    let error = depth(1025).expect_err("too deep");
    assert!(matches!(
        error,
        RunError::Thread {
            cause: Cause::Stack,
            line: 3,
            ..
        }
    ));
}

#[test]
fn exit_ends_the_thread_in_a_function() {
    let text = ".func f() { exit; }
        .entry test(.param .u64 p) { .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p<2>;
            ld.param.b64 %rd0, [p]; mov.u32 %r0, %tid.x; mad.wide.u32 %rd1, %r0, 4, %rd0;
            setp.eq.u32 %p1, %r0, 1; @%p1 ret;
            st.b32 [%rd1], 1; call.uni f; st.b32 [%rd1], 2; ret; }";
    let after = run(text, "test", ONE, [3, 1, 1], &[Buffer(0)], &[vec![0; 12]]);
    assert_eq!(after.expect("runs")[0], bytes(&[1u32, 0, 1]));
}

#[test]
fn the_limit_of_instructions_is_one_of_each_thread() {
    // Each of three threads executes half of the limit.
    let text = ".entry test() { .reg .b32 %r<2>; .reg .pred %p<2>; mov.u32 %r0, 0;
            A: add.s32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 11184810; @%p1 bra A; ret; }";
    assert_eq!(run(text, "test", ONE, [3, 1, 1], &[], &[]), Ok(Vec::new()));
}

/// A memory that has all addresses.
struct Everything;

impl Memory for Everything {
    fn load(&mut self, _: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        bytes.fill(1);
        Ok(())
    }

    fn store(&mut self, _: u64, _: &[u8]) -> Result<(), Fault> {
        Ok(())
    }
}

#[test]
fn addresses_of_the_interpreter_do_not_reach_the_device() {
    let addresses = [
        (0x1fff_ffff_fff0u64, true),
        (0x2000_0000_0000, false),
        (0x2100_0000_0000, false),
        (0x2200_0000_0000, false),
        (0x2300_0000_0000, false),
        (0x2400_0000_0000, false),
        (0x24ff_ffff_fff0, false),
        (0x2500_0000_0000, true),
        (0xffff_ffff_ffff_fff0, true),
    ];
    for (address, is_device) in addresses {
        for space in ["", ".global"] {
            let text = format!(
                ".entry test() {{ .reg .b32 %r<2>; .reg .b64 %rd<2>; mov.b64 %rd0, {address};
                    ld{space}.b32 %r0, [%rd0]; ret; }}"
            );
            let module = Module::parse(&text).expect("parses");
            let entry = module.entry("test").expect("exists");
            let result = module.run(entry, ONE, ONE, &[], &mut Everything);
            match result {
                Ok(()) => assert!(is_device, "{text}"),
                Err(RunError::Thread { cause, line, .. }) => {
                    assert!(!is_device);
                    assert_eq!((cause, line), (Cause::Load { address, bytes: 4 }, 2));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn special_registers_have_three_dimensions() {
    let mut expected = Vec::new();
    for block in 0..6u32 {
        for thread in 0..24u32 {
            let index = [thread % 4, thread / 4 % 3, thread / 12];
            let block = [block % 3, block / 3, 0];
            expected.extend([index, [4, 3, 2], block, [3, 2, 1]].concat());
        }
    }
    let registers = ["%tid", "%ntid", "%ctaid", "%nctaid"];
    let names = registers
        .iter()
        .flat_map(|name| ["x", "y", "z"].map(|d| format!("{name}.{d}")));
    let stores = names
        .enumerate()
        .map(|(index, name)| format!("mov.u32 %r2, {name}; st.b32 [%rd1+{}], %r2;", 4 * index));
    let stores: String = stores.collect();
    // The number of the thread: those of a block, and the blocks, with x first.
    let text = format!(
        ".entry test(.param .u64 p) {{ .reg .b32 %r<4>; .reg .b64 %rd<2>; ld.param.b64 %rd0, [p];
            mov.u32 %r0, %ctaid.y; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r0, 3, %r1;
            mov.u32 %r1, %tid.z; mad.lo.u32 %r0, %r0, 2, %r1;
            mov.u32 %r1, %tid.y; mad.lo.u32 %r0, %r0, 3, %r1;
            mov.u32 %r1, %tid.x; mad.lo.u32 %r0, %r0, 4, %r1;
            mad.wide.u32 %rd1, %r0, 48, %rd0; {stores} ret; }}"
    );
    let buffers = [vec![0; 4 * expected.len()]];
    let after = run(&text, "test", [3, 2, 1], [4, 3, 2], &[Buffer(0)], &buffers);
    assert_eq!(after.expect("runs")[0], bytes(&expected));
}
