//! Refused texts, damaged texts, and runs that fail.

mod common;

use common::Argument::{self, Buffer};
use common::{Device, FILES, Random, address, pack, run, texts, value};
use tfx_ptx::{Cause, Fault, INSTRUCTION_LIMIT, Memory, Module, Refusal, RunError};

/// Returns a kernel with statements from line 3.
fn kernel(statements: &str) -> String {
    format!(
        ".visible .entry test(.param .u64 p)\n{{ .reg .b16 %rs<5>; .reg .b32 %r<5>; .reg .b64 %rd<5>; \
         .reg .pred %p<4>; .reg .f32 %f<3>;\n{statements}\n}}"
    )
}

#[test]
fn instructions_outside_the_subset_are_named_with_their_line() {
    let instructions = [
        "add.ftz.f32 %f0, %f1, %f2",
        "add.sat.s32 %r0, %r1, %r2",
        "add.rz.f32 %f0, %f1, %f2",
        "add.cc.u32 %r0, %r1, %r2",
        "add.s8 %rs0, %rs1, %rs2",
        "mul.s32 %r0, %r1, %r2",
        "mul.wide.u64 %rd0, %rd1, %rd2",
        "fma.rm.f32 %f0, %f1, %f2, %f1",
        "mad.rn.f32 %f0, %f1, %f2, %f1",
        "min.f16 %rs0, %rs1, %rs2",
        "shl.u32 %r0, %r1, %r2",
        "popc.u32 %r0, %r1",
        "lop3.b32 %r0, %r1, %r2, %r3, 0x80",
        "prmt.b32.f4e %r0, %r1, %r2, %r3",
        "setp.lt.b32 %p0, %r1, %r2",
        "setp.lo.s32 %p0, %r1, %r2",
        "setp.num.s32 %p0, %r1, %r2",
        "setp.lt.and.s32 %p0, %r1, %r2, %p1",
        "cvt.f32.s32 %f0, %r1",
        "cvt.rn.s32.f32 %r0, %f1",
        "cvt.f32.f64 %f0, %rd1",
        "cvt.rn.f64.f32 %rd0, %f1",
        "cvt.rzi.f64.f32 %rd0, %f1",
        "cvt.sat.f32.f32 %f0, %f1",
        "cvt.rn.bf16.f32 %rs0, %f1",
        "ld.acquire.gpu.b32 %r0, [%rd0]",
        "ld.global.L1::evict_last.b32 %r0, [%rd0]",
        "ld.nc.b32 %r0, [%rd0]",
        "ld.v4.b64 {%rd0, %rd1, %rd2, %rd3}, [%rd4]",
        "st.const.b32 [%rd0], %r0",
        "atom.global.add.u32 %r0, [%rd0], %r1",
        "red.global.add.u32 [%rd0], %r1",
        "shfl.sync.bfly.b32 %r0, %r1, %r2, %r3, %r4",
        "membar.gl",
        "bar.arrive 0, 32",
        "cvta.u64 %rd0, %rd1",
        "nanosleep.u32 5",
    ];
    for instruction in instructions {
        let error = Module::parse(&kernel(&format!("ret;\n{instruction};"))).expect_err("refused");
        let opcode = instruction.split_whitespace().next().expect("an opcode");
        let opcode = opcode.split("::").next().expect("a word").to_string();
        assert_eq!(
            (error.line, error.refusal),
            (4, Refusal::Instruction(opcode))
        );
    }
}

#[test]
fn results_without_defined_bits_are_refused() {
    for opcode in [
        "ex2.approx.f32",
        "lg2.approx.ftz.f32",
        "sin.approx.f32",
        "rsqrt.approx.f64",
    ] {
        let error = Module::parse(&kernel(&format!("{opcode} %f0, %f1;"))).expect_err("refused");
        assert_eq!(error.refusal, Refusal::Approximate(opcode.to_string()));
    }
    for opcode in ["div.approx.f32", "div.full.f32"] {
        let error = Module::parse(&kernel(&format!("{opcode} %f0, %f1, %f2;")));
        assert_eq!(
            error.expect_err("refused").refusal,
            Refusal::Approximate(opcode.to_string())
        );
    }
    for opcode in ["add.f32", "sub.f64", "mul.f32"] {
        let error = Module::parse(&kernel(&format!("{opcode} %f0, %f1, %f2;")));
        assert_eq!(
            error.expect_err("refused").refusal,
            Refusal::Contraction(opcode.to_string())
        );
    }
}

/// Returns the text of the error of a kernel with statements.
fn message(statements: &str) -> String {
    Module::parse(&kernel(statements))
        .expect_err(statements)
        .to_string()
}

#[test]
fn operands_are_checked() {
    let cases = [
        (
            "add.s32 %r0, %r1, %rd2;",
            "line 3: the operand '%rd2' does not have 32 bits",
        ),
        (
            "add.s32 %rs0, %r1, %r2;",
            "line 3: the operand '%rs0' does not have 32 bits",
        ),
        (
            "mov.pred %p0, %r1;",
            "line 3: the operand '%r1' does not have 1 bits",
        ),
        (
            "mov.u32 %tid.x, %r1;",
            "line 3: the operand '%tid.x' does not have 32 bits",
        ),
        (
            "mov.u32 %r0, %laneid;",
            "line 3: '%laneid' is not declared, or not of a kind that is allowed here",
        ),
        (
            "add.s32 %r0, %r1, %r5;",
            "line 3: '%r5' is not declared, or not of a kind that is allowed here",
        ),
        (
            "add.s32 %r0, %r1, 4294967296;",
            "line 3: expected a number of the type, found '4294967296'",
        ),
        (
            "add.rn.f32 %r0, %r1, 1;",
            "line 3: expected a number of the type, found '1'",
        ),
        (
            "add.rn.f32 %r0, %r1, 0d3FF0000000000000;",
            "line 3: expected a number of the type, found '0d3FF0000000000000'",
        ),
        (
            "mov.b64 {%r0, %r1, %r2}, %rd0;",
            "line 3: expected 2 or 4 elements of the type's width, found '{'",
        ),
        (
            "ld.param.b64 %rd0, [p+8];",
            "line 3: 'p' is not an address in the state space of the access",
        ),
        (
            "ld.global.b64 %rd0, [p];",
            "line 3: 'p' is not an address in the state space of the access",
        ),
        (
            "st.param.b64 [p], %rd0;",
            "line 3: 'p' is not an address in the state space of the access",
        ),
        (
            "mov.b64 %rd1, p; st.param.b64 [%rd1], %rd0;",
            "line 3: '%rd1' is not an address in the state space of the access",
        ),
        (
            "bra LOST;",
            "line 3: 'LOST' is not declared, or not of a kind that is allowed here",
        ),
        (
            "brx.idx %r0, LOST;",
            "line 3: 'LOST' is not declared, or not of a kind that is allowed here",
        ),
        ("A: A:", "line 4: 'A' is declared twice, with differences"),
        (
            ".reg .b32 x; .reg .b64 x;",
            "line 3: 'x' is declared twice, with differences",
        ),
        (
            ".reg .f16 x;",
            "line 3: expected a type of the subset, found '.f16'",
        ),
        (
            ".reg .b32 x<99999999>;",
            "line 3: more than 1048576 registers of a function",
        ),
        (
            ".local .b8 x[99999999];",
            "line 3: more than 524288 elements of a variable",
        ),
        (
            "call vprintf, (p);",
            "line 3: 'vprintf' is not declared, or not of a kind that is allowed here",
        ),
        ("add.s32 %r0, %r1, %r2", "line 4: expected ';', found '}'"),
        (
            "/* a comment",
            "line 3: expected the end of a comment, found '/'",
        ),
        (
            ".maxnreg 5;",
            "line 3: the directive '.maxnreg' is not in the subset",
        ),
    ];
    for (statements, expected) in cases {
        assert_eq!(message(statements), expected);
    }
}

#[test]
fn declarations_of_modules_are_checked() {
    let cases = [
        (".address_size 32", "line 1: expected 64, found '32'"),
        (
            ".extern .shared .b8 x[];",
            "line 1: the directive '.extern' is not in the subset",
        ),
        (
            ".global .b8 x[99999999999];",
            "line 1: more than 67108864 elements of a variable",
        ),
        (
            ".const .b8 x[65536]; .const .b8 y;",
            "line 1: more than 65536 bytes of variables of a state space",
        ),
        (
            ".shared .b32 x = 1;",
            "line 1: expected no initial content, found ';'",
        ),
        (
            ".global .u64 x = y;",
            "line 1: 'y' is not declared, or not of a kind that is allowed here",
        ),
        (
            ".global .b32 x; .global .b32 x;",
            "line 1: 'x' is declared twice, with differences",
        ),
        (
            ".global .u8 x = 256;",
            "line 1: expected a number of the type, found '256'",
        ),
        (
            ".entry f(.param .b8 x[99999]) {}",
            "line 1: more than 32764 elements of a variable",
        ),
        (
            ".func f(); .func f(.param .b32 x) {}",
            "line 1: 'f' is declared twice, with differences",
        ),
        (
            ".entry f() {} .entry f() {}",
            "line 1: 'f' is declared twice, with differences",
        ),
        (
            ".extern .func f();\n.entry g() {\ncall f; }",
            "line 3: the function 'f' has no body in this module",
        ),
        (
            ".func f() {} .entry g() { .param .b32 a; call f, (a); }",
            "line 1: the arguments of the call are not those of 'f'",
        ),
        (
            ".entry f() {} .entry g() { call f; }",
            "line 1: the arguments of the call are not those of 'f'",
        ),
        (
            ".entry f() {",
            "line 1: expected an instruction, found 'end of text'",
        ),
        (
            ".tex .u32 x;",
            "line 1: the directive '.tex' is not in the subset",
        ),
        ("é", "line 1: expected a token, found 'é'"),
    ];
    for (text, expected) in cases {
        assert_eq!(Module::parse(text).expect_err(text).to_string(), expected);
    }
}

/// A memory without bytes.
struct Nothing;

impl Memory for Nothing {
    fn load(&mut self, _: u64, _: &mut [u8]) -> Result<(), Fault> {
        Err(Fault)
    }

    fn store(&mut self, _: u64, _: &[u8]) -> Result<(), Fault> {
        Err(Fault)
    }
}

/// Parses a text, and starts its kernels if it is valid.
fn try_text(text: &str) -> bool {
    let Ok(module) = Module::parse(text) else {
        return false;
    };
    for entry in module.entries() {
        let size = entry
            .parameter_offsets()
            .last()
            .zip(entry.parameter_bytes().last());
        let parameters = vec![0; size.map_or(0, |(offset, size)| offset + size)];
        let one = [1, 1, 1];
        drop(module.run(entry, one, one, &parameters, &mut Nothing));
    }
    true
}

#[test]
fn truncated_texts_are_errors() {
    for (name, text) in FILES.iter().flat_map(|file| texts(file)) {
        let end = text.trim_end().len();
        let start = text.find("{\n").expect("a body");
        for length in (start..end).step_by(13) {
            let is_valid = Module::parse(&text[..length]).is_ok();
            let depth = text[..length].matches('{').count() - text[..length].matches('}').count();
            assert!(depth == 0 || !is_valid, "{name}: {length} bytes");
        }
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let mut random = Random(31);
    let replacements = b"\0 ,;:{}[]()<>@%.-+09azAZ_$\"/*\n\xff";
    let mut valid = 0;
    for (_, text) in FILES.iter().flat_map(|file| texts(file)) {
        for _ in 0..150 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(3) {
                let position = random.below(bytes.len());
                match random.below(3) {
                    0 => drop(bytes.remove(position)),
                    1 => bytes[position] = replacements[random.below(replacements.len())],
                    _ => {
                        let other = random.below(bytes.len());
                        bytes.swap(position, other);
                    }
                }
            }
            valid += usize::from(try_text(&String::from_utf8_lossy(&bytes)));
        }
    }
    // Some damage is in comments, and some changes only the meaning.
    assert!((20..1900).contains(&valid), "{valid} texts are valid");
}

/// Runs a kernel with statements, and a buffer of 64 bytes as its parameter.
fn failure(statements: &str) -> (u32, Cause) {
    let text = kernel(&format!("ld.param.b64 %rd0, [p];\n{statements}"));
    let one = [1, 1, 1];
    let result = run(&text, "test", one, one, &[Buffer(0)], &[vec![0; 64]]);
    match result.expect_err(statements) {
        RunError::Thread { line, cause, .. } => (line, cause),
        error => panic!("{statements}: {error}"),
    }
}

#[test]
fn failures_name_their_line() {
    let buffer = address(0);
    let cases = [
        ("ret;\nld.b32 %r0, [%rd0];", None),
        (
            "ld.b32 %r0, [%rd0+64];",
            Some((
                4,
                Cause::Load {
                    address: buffer + 64,
                    bytes: 4,
                },
            )),
        ),
        (
            "\nld.v2.b64 {%rd1, %rd2}, [%rd0+64];",
            Some((
                5,
                Cause::Load {
                    address: buffer + 64,
                    bytes: 16,
                },
            )),
        ),
        (
            "ld.b64 %rd1, [%rd0+60];",
            Some((
                4,
                Cause::Misaligned {
                    address: buffer + 60,
                    bytes: 8,
                },
            )),
        ),
        (
            "st.v2.b32 [%rd0+4], {%r0, %r1};",
            Some((
                4,
                Cause::Misaligned {
                    address: buffer + 4,
                    bytes: 8,
                },
            )),
        ),
        (
            "st.b8 [%rd0+-1], 1;",
            Some((
                4,
                Cause::Store {
                    address: buffer - 1,
                    bytes: 1,
                },
            )),
        ),
        (
            "mov.b64 %rd1, 0; ld.global.b32 %r0, [%rd1];",
            Some((
                4,
                Cause::Load {
                    address: 0,
                    bytes: 4,
                },
            )),
        ),
        (
            "ld.local.b32 %r0, [0];",
            Some((
                4,
                Cause::Load {
                    address: 0,
                    bytes: 4,
                },
            )),
        ),
        (
            "ld.const.b32 %r0, [%rd0];",
            Some((
                4,
                Cause::Load {
                    address: buffer,
                    bytes: 4,
                },
            )),
        ),
        (
            "cvta.to.local.u64 %rd1, %rd0;",
            Some((4, Cause::Space(buffer))),
        ),
        (
            ".local .b32 x; mov.b64 %rd1, x; cvta.local.u64 %rd2, %rd1; ld.global.b32 %r0, [%rd2];",
            Some((
                4,
                Cause::Load {
                    address: 0x2300_0000_0000,
                    bytes: 4,
                },
            )),
        ),
        (
            "mov.b64 %rd1, p; cvta.param.u64 %rd2, %rd1; ld.b64 %rd3, [%rd2]; st.b64 [%rd2], %rd3;",
            Some((
                4,
                Cause::Store {
                    address: 0x2400_0000_0000,
                    bytes: 8,
                },
            )),
        ),
        ("div.s32 %r0, 1, 0;", Some((4, Cause::DivisionByZero))),
        ("rem.u64 %rd1, 1, 0;", Some((4, Cause::DivisionByZero))),
        (
            "div.s32 %r0, 0x80000000, -1;",
            Some((4, Cause::DivisionOverflow)),
        ),
        (
            "rem.s16 %rs0, 0x8000, -1;",
            Some((4, Cause::DivisionOverflow)),
        ),
        ("trap;", Some((4, Cause::Trap))),
        (
            "T: .branchtargets A, A;\nA: brx.idx 2, T;",
            Some((
                5,
                Cause::Branch {
                    index: 2,
                    targets: 2,
                },
            )),
        ),
        (
            "A: bra A;",
            Some((4, Cause::Instructions(INSTRUCTION_LIMIT))),
        ),
    ];
    for (statements, expected) in cases {
        match expected {
            Some(expected) => assert_eq!(failure(statements), expected, "{statements}"),
            None => {
                let text = kernel(statements);
                let one = [1, 1, 1];
                assert!(run(&text, "test", one, one, &[Buffer(0)], &[]).is_ok());
            }
        }
    }
}

#[test]
fn failures_name_their_thread() {
    for (name, text) in texts("elementwise") {
        let arguments = [value(2.0f32), Buffer(0), Buffer(1), value(1000u32)];
        let buffers = [vec![0; 4 * 1000], vec![0; 4 * 70]];
        let error = run(&text, "saxpy", [8, 1, 1], [32, 1, 1], &arguments, &buffers);
        let error = error.expect_err("beyond the end");
        let RunError::Thread {
            kernel,
            line,
            block,
            thread,
            cause,
        } = error
        else {
            panic!("{name}: {error}");
        };
        assert_eq!(
            (kernel.as_str(), block, thread),
            ("saxpy", [2, 0, 0], [6, 0, 0])
        );
        assert_eq!(
            cause,
            Cause::Load {
                address: address(1) + 280,
                bytes: 4
            }
        );
        let line = text.lines().nth(line as usize - 1).expect("a line");
        assert!(line.trim().starts_with("ld."), "{name}: {line}");
    }
}

#[test]
fn endless_loops_and_recursions_are_errors() {
    let one = [1, 1, 1];
    for (name, text) in texts("control") {
        let spin = |step: u32| {
            let arguments = [value(step), Buffer(0)];
            run(&text, "spin", one, one, &arguments, &[vec![0; 4]])
        };
        assert_eq!(spin(7).expect("ends")[0], 1001u32.to_le_bytes(), "{name}");
        let error = spin(0).expect_err("does not end");
        assert!(matches!(
            error,
            RunError::Thread {
                cause: Cause::Instructions(_),
                ..
            }
        ));
        let check = |x: u32| {
            run(
                &text,
                "check",
                one,
                one,
                &[value(x), Buffer(0)],
                &[vec![0; 4]],
            )
        };
        assert_eq!(check(6).expect("ends")[0], [6, 0, 0, 0]);
        let error = check(7).expect_err("traps");
        assert!(matches!(
            error,
            RunError::Thread {
                cause: Cause::Trap,
                ..
            }
        ));
    }
    for (_, text) in texts("calls") {
        let arguments = [Buffer(0), value(100_000u32)];
        let error = run(&text, "recursion", one, one, &arguments, &[vec![0; 4]]);
        let error = error.expect_err("too deep");
        assert!(matches!(
            error,
            RunError::Thread {
                cause: Cause::Stack,
                ..
            }
        ));
    }
}

#[test]
fn barriers_that_not_all_threads_reach_are_errors() {
    let cases = [
        "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 3; @%p0 ret;\nbar.sync 0;",
        "mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 3; @%p0 bra A;\nbar.sync 0; ret; A: bar.sync 1;",
    ];
    for statements in cases {
        let error = run(
            &kernel(statements),
            "test",
            [1, 1, 1],
            [4, 1, 1],
            &[Buffer(0)],
            &[],
        );
        let expected = RunError::Thread {
            kernel: "test".to_string(),
            line: 4,
            block: [0, 0, 0],
            thread: [0, 0, 0],
            cause: Cause::Barrier,
        };
        assert_eq!(error, Err(expected));
    }
}

#[test]
fn launches_are_checked() {
    let text = ".entry f(.param .u32 a, .param .u64 b) {} .entry g() .maxntid 8, 4 {}
        .entry h() .reqntid 8 {}";
    let module = Module::parse(text).expect("parses");
    let [f, g, h] = ["f", "g", "h"].map(|name| module.entry(name).expect("exists"));
    assert_eq!(f.parameter_bytes(), [4, 8]);
    assert_eq!(f.parameter_offsets(), [0, 8]);
    let run =
        |entry, grid, block, bytes| module.run(entry, grid, block, &vec![0; bytes], &mut Nothing);
    let one = [1, 1, 1];
    assert_eq!(run(f, one, one, 16), Ok(()));
    assert_eq!(
        run(f, one, one, 12),
        Err(RunError::Parameters {
            expected: 16,
            got: 12
        })
    );
    for block in [
        [0, 1, 1],
        [1025, 1, 1],
        [1, 1, 65],
        [64, 32, 1],
        [u32::MAX; 3],
    ] {
        assert_eq!(
            run(f, one, block, 16),
            Err(RunError::Grid { grid: one, block })
        );
    }
    for grid in [[1, 0, 1], [1, 65_536, 1], [u32::MAX; 3]] {
        assert_eq!(
            run(f, grid, one, 16),
            Err(RunError::Grid { grid, block: one })
        );
    }
    assert_eq!(run(g, one, [16, 2, 1], 0), Ok(()));
    assert!(run(g, one, [33, 1, 1], 0).is_err());
    assert_eq!(run(h, one, [8, 1, 1], 0), Ok(()));
    assert!(run(h, one, [7, 1, 1], 0).is_err());
    let other = Module::parse(".entry k() {}").expect("parses");
    let foreign = other.entry("k").expect("exists");
    assert_eq!(
        run(foreign, one, one, 0),
        Err(RunError::Entry("k".to_string()))
    );
    assert!(module.entry("k").is_none());
    let names: Vec<&str> = module.entries().map(|entry| entry.name()).collect();
    assert_eq!(names, ["f", "g", "h"]);
}

#[test]
fn unwritten_registers_have_a_pattern() {
    let text = kernel("ld.param.b64 %rd0, [p]; st.b32 [%rd0], %r0; st.b64 [%rd0+8], %rd1;");
    let module = Module::parse(&text).expect("parses");
    let entry = module.entry("test").expect("exists");
    let mut device = Device {
        buffers: vec![vec![0; 16]],
    };
    let parameters = pack(entry, &[Argument::Buffer(0)]);
    module
        .run(entry, [1, 1, 1], [1, 1, 1], &parameters, &mut device)
        .expect("runs");
    assert_eq!(device.buffers[0][..4], [0xa5; 4]);
    assert_eq!(device.buffers[0][8..], [0xa5; 8]);
}
