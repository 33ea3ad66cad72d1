//! Single instructions, compared with the definitions of the PTX ISA bit by bit.

mod common;

use common::Argument::Buffer;
use common::{Random, bytes, run};

/// The operands of each instruction.
const COUNT: usize = 200;

/// Returns the register of a type.
fn register(ty: &str, number: usize) -> String {
    match &ty[1..] {
        "8" | "16" => format!("%rs{number}"),
        "32" => format!("%r{number}"),
        _ => format!("%rd{number}"),
    }
}

/// Returns a kernel that applies an instruction to operands of the given types. The values are in
/// elements of 64 bits: the result, and then the operands.
fn text(opcode: &str, result: &str, operands: &[&str]) -> String {
    let mut lines = vec![
        ".version 7.8".to_string(),
        ".target sm_90".to_string(),
        ".address_size 64".to_string(),
        ".visible .entry test(.param .u64 test_param_0)".to_string(),
        "{ .reg .b16 %rs<5>; .reg .b32 %r<8>; .reg .b64 %rd<9>; .reg .pred %p<2>;".to_string(),
        "mov.u32 %r6, %tid.x; ld.param.b64 %rd6, [test_param_0];".to_string(),
        "mad.wide.u32 %rd7, %r6, 40, %rd6;".to_string(),
    ];
    for (index, ty) in operands.iter().enumerate() {
        let number = index + 1;
        let bits = &ty[1..];
        let operand = register(ty, number);
        lines.push(format!(
            "ld.global.b{bits} {operand}, [%rd7+{}];",
            8 * number
        ));
    }
    let names = operands
        .iter()
        .enumerate()
        .map(|(index, ty)| register(ty, index + 1));
    let names: Vec<String> = names.collect();
    let target = register(result, 0);
    lines.push(format!("{opcode} {target}, {};", names.join(", ")));
    let bits = if target.starts_with("%rs") {
        "16"
    } else {
        &result[1..]
    };
    lines.push(format!("st.global.b{bits} [%rd7], {target}; ret; }}"));
    lines.join("\n")
}

/// Compares an instruction with a function of its operands. Those have random bits, where the
/// masks say.
fn check(
    opcode: &str,
    result: &str,
    operands: &[&str],
    masks: &[u64],
    expected: impl Fn(&[u64]) -> u64,
) {
    let text = text(opcode, result, operands);
    let mut random = Random(opcode.bytes().map(u64::from).sum());
    let mut values = vec![0; 5 * COUNT];
    for row in values.chunks_mut(5) {
        let integers = random.integers(operands.len());
        for (index, (value, ty)) in integers.iter().zip(operands).enumerate() {
            let bits: u32 = ty[1..].parse().expect("a width");
            let mask = masks.get(index).copied().unwrap_or(u64::MAX);
            row[index + 1] = value & mask & (u64::MAX >> (64 - bits));
        }
    }
    let arguments = [Buffer(0)];
    let buffers = [bytes(&values)];
    let after = run(
        &text,
        "test",
        [1, 1, 1],
        [COUNT as u32, 1, 1],
        &arguments,
        &buffers,
    );
    let after = after.unwrap_or_else(|error| panic!("{opcode}: {error}"));
    for (bytes, row) in after[0].chunks(40).zip(values.chunks(5)) {
        let got = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
        let operands = &row[1..=operands.len()];
        assert_eq!(got, expected(operands), "{opcode} {operands:x?}: {got:#x}");
    }
}

/// Returns a bit.
fn bit(value: u64, index: u64) -> u64 {
    if index < 64 { value >> index & 1 } else { 0 }
}

/// The definition of `bfe` in the ISA.
fn bfe(a: u64, b: u64, c: u64, bits: u64, is_signed: bool) -> u64 {
    let (start, length) = (b & 255, c & 255);
    let last = bits - 1;
    let sign = match is_signed && length > 0 {
        true => bit(a, (start + length - 1).min(last)),
        false => 0,
    };
    let field = |i| {
        if i < length && start + i <= last {
            bit(a, start + i)
        } else {
            sign
        }
    };
    (0..bits).map(|i| field(i) << i).sum()
}

#[test]
fn bit_fields_are_extracted() {
    let masks = [u64::MAX, 0x13f, 0x15f];
    check("bfe.u32", "b32", &["b32", "b32", "b32"], &masks, |x| {
        bfe(x[0], x[1], x[2], 32, false)
    });
    check("bfe.s32", "b32", &["b32", "b32", "b32"], &masks, |x| {
        bfe(x[0], x[1], x[2], 32, true)
    });
    check("bfe.u64", "b64", &["b64", "b32", "b32"], &masks, |x| {
        bfe(x[0], x[1], x[2], 64, false)
    });
    check("bfe.s64", "b64", &["b64", "b32", "b32"], &masks, |x| {
        bfe(x[0], x[1], x[2], 64, true)
    });
}

/// The definition of `bfi` in the ISA.
fn bfi(x: &[u64], bits: u64) -> u64 {
    let (start, length) = (x[2] & 255, x[3] & 255);
    let is_field = |i| i >= start && i < start + length;
    (0..bits)
        .map(|i| {
            bit(
                if is_field(i) { x[0] } else { x[1] },
                if is_field(i) { i - start } else { i },
            ) << i
        })
        .sum()
}

#[test]
fn bit_fields_are_inserted() {
    let masks = [u64::MAX, u64::MAX, 0x13f, 0x15f];
    check(
        "bfi.b32",
        "b32",
        &["b32", "b32", "b32", "b32"],
        &masks,
        |x| bfi(x, 32),
    );
    check(
        "bfi.b64",
        "b64",
        &["b64", "b64", "b32", "b32"],
        &masks,
        |x| bfi(x, 64),
    );
}

#[test]
fn bytes_are_permuted() {
    check("prmt.b32", "b32", &["b32", "b32", "b32"], &[], |x| {
        let byte = |i: u64| {
            let digit = x[2] >> (4 * i) & 15;
            let word = if digit & 7 < 4 { x[0] } else { x[1] };
            let byte = word >> (8 * (digit & 3)) & 255;
            if digit < 8 { byte } else { 255 * (byte >> 7) }
        };
        (0..4).map(|i| byte(i) << (8 * i)).sum()
    });
}

#[test]
fn funnel_shifts_wrap_or_clamp() {
    let three = ["b32", "b32", "b32"];
    let wide = |x: &[u64]| u128::from(x[1] << 32 | x[0]);
    let low = |value: u128| (value & 0xffff_ffff) as u64;
    check("shf.l.wrap.b32", "b32", &three, &[], |x| {
        low(wide(x) << (x[2] & 31) >> 32)
    });
    check("shf.l.clamp.b32", "b32", &three, &[], |x| {
        low(wide(x) << x[2].min(32) >> 32)
    });
    check("shf.r.wrap.b32", "b32", &three, &[], |x| {
        low(wide(x) >> (x[2] & 31))
    });
    check("shf.r.clamp.b32", "b32", &three, &[], |x| {
        low(wide(x) >> x[2].min(32))
    });
}

#[test]
fn shifts_by_the_width_or_more_are_defined() {
    let masks = [u64::MAX, 0x7f];
    for bits in [16u32, 32, 64] {
        let ty = format!("b{bits}");
        let operands = [ty.as_str(), "b32"];
        let mask = u64::MAX >> (64 - bits);
        let amount = move |x: &[u64]| (x[1] as u32).min(127);
        let left = |x: &[u64]| (u128::from(x[0]) << amount(x)) as u64 & mask;
        check(&format!("shl.b{bits}"), &ty, &operands, &masks, left);
        let right = |x: &[u64]| (u128::from(x[0]) >> amount(x)) as u64;
        check(&format!("shr.u{bits}"), &ty, &operands, &masks, right);
        check(&format!("shr.b{bits}"), &ty, &operands, &masks, right);
        let sign = |x: &[u64]| i128::from((x[0] << (64 - bits)) as i64 >> (64 - bits));
        let right = |x: &[u64]| (sign(x) >> amount(x)) as u64 & mask;
        check(&format!("shr.s{bits}"), &ty, &operands, &masks, right);
    }
}

#[test]
fn products_have_halves() {
    let (three, half) = (["b32", "b32", "b32"], ["b16", "b16"]);
    let signed = |x: u64| i64::from(x as i32);
    let word = |x: i64| x as u64 & 0xffff_ffff;
    check("mad.lo.s32", "b32", &three, &[], |x| {
        word((x[0] * x[1]).wrapping_add(x[2]) as i64)
    });
    check("mad.hi.u32", "b32", &three, &[], |x| {
        word((((x[0] * x[1]) >> 32) + x[2]) as i64)
    });
    check("mad.hi.s32", "b32", &three, &[], |x| {
        word(((signed(x[0]) * signed(x[1])) >> 32) + signed(x[2]))
    });
    check("mad.wide.s32", "b64", &["b32", "b32", "b64"], &[], |x| {
        (signed(x[0]) * signed(x[1])).wrapping_add(x[2] as i64) as u64
    });
    check("mad.wide.u32", "b64", &["b32", "b32", "b64"], &[], |x| {
        (x[0] * x[1]).wrapping_add(x[2])
    });
    check("mul.wide.u16", "b32", &half, &[], |x| x[0] * x[1]);
    check("mul.wide.s16", "b32", &half, &[], |x| {
        word(i64::from(x[0] as i16) * i64::from(x[1] as i16))
    });
    check("mul.hi.u16", "b16", &half, &[], |x| (x[0] * x[1]) >> 16);
    check("mul.hi.s16", "b16", &half, &[], |x| {
        ((i64::from(x[0] as i16) * i64::from(x[1] as i16)) >> 16) as u64 & 0xffff
    });
}

#[test]
fn integers_are_compared_by_their_type() {
    let two = ["b16", "b16"];
    check("min.s16", "b16", &two, &[], |x| {
        (x[0] as i16).min(x[1] as i16) as u16 as u64
    });
    check("max.s16", "b16", &two, &[], |x| {
        (x[0] as i16).max(x[1] as i16) as u16 as u64
    });
    check("min.u64", "b64", &["b64", "b64"], &[], |x| x[0].min(x[1]));
    check("max.u64", "b64", &["b64", "b64"], &[], |x| x[0].max(x[1]));
    check("neg.s64", "b64", &["b64"], &[], |x| x[0].wrapping_neg());
    check("abs.s64", "b64", &["b64"], &[], |x| {
        (x[0] as i64).unsigned_abs()
    });
    check("not.b16", "b16", &["b16"], &[], |x| !x[0] & 0xffff);
}

#[test]
fn conversions_of_integers_chop_or_saturate() {
    // The result is in a register of 32 bits, also for narrower types.
    let word = |x: i64| x as u64 & 0xffff_ffff;
    check("cvt.s8.s32", "b32", &["b32"], &[], |x| {
        word(i64::from(x[0] as i8))
    });
    check("cvt.u8.s32", "b32", &["b32"], &[], |x| x[0] & 255);
    check("cvt.s32.s8", "b32", &["b32"], &[], |x| {
        word(i64::from(x[0] as i8))
    });
    check("cvt.s16.u64", "b32", &["b64"], &[], |x| {
        word(i64::from(x[0] as i16))
    });
    check("cvt.s64.s16", "b64", &["b16"], &[], |x| x[0] as i16 as u64);
    check("cvt.sat.s8.s32", "b32", &["b32"], &[], |x| {
        word((x[0] as i32).clamp(-128, 127).into())
    });
    check("cvt.sat.u8.s64", "b32", &["b64"], &[], |x| {
        (x[0] as i64).clamp(0, 255) as u64
    });
    check("cvt.sat.s32.u64", "b32", &["b64"], &[], |x| {
        x[0].min(0x7fff_ffff)
    });
    check("cvt.sat.u64.s64", "b64", &["b64"], &[], |x| {
        (x[0] as i64).max(0) as u64
    });
    check("cvt.rni.s8.f32", "b32", &["b32"], &[], |x| {
        let value = f32::from_bits(x[0] as u32).round_ties_even();
        word(i64::from(value as i8))
    });
    check(
        "cvt.rmi.u32.f64",
        "b32",
        &["b64"],
        &[],
        |x| match f64::from_bits(x[0]) {
            value if value.is_nan() => 1 << 31,
            value => u64::from(value.floor() as u32),
        },
    );
    check(
        "cvt.rpi.s64.f32",
        "b64",
        &["b32"],
        &[],
        |x| match f32::from_bits(x[0] as u32) {
            value if value.is_nan() => 1 << 63,
            value => value.ceil() as i64 as u64,
        },
    );
}

/// Runs statements of a kernel with the parameter `p`, the address of a buffer of 64 bytes.
fn statements(statements: &str) -> Vec<u8> {
    let text = format!(
        ".visible .entry test(.param .u64 p)\n{{ .reg .b16 %rs<5>; .reg .b32 %r<5>; .reg .b64 %rd<5>; \
         .reg .pred %p<4>;\nld.param.u64 %rd0, [p];\n{statements}\n}}"
    );
    let after = run(
        &text,
        "test",
        [1, 1, 1],
        [1, 1, 1],
        &[Buffer(0)],
        &[vec![0; 64]],
    );
    after
        .unwrap_or_else(|error| panic!("{statements}: {error}"))
        .swap_remove(0)
}

#[test]
fn registers_are_packed_and_unpacked() {
    let after = statements(
        "mov.b64 %rd1, 0x0123456789abcdef; mov.b64 {%r1, %r2}, %rd1; mov.b64 {_, %r3}, %rd1;
         mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1; mov.b64 %rd2, {%r2, %r1};
         mov.b32 %r4, {%rs4, %rs1};
         st.v2.b32 [%rd0], {%r1, %r2}; st.b32 [%rd0+8], %r3; st.b32 [%rd0+12], %r4;
         st.v4.b16 [%rd0+16], {%rs1, %rs2, %rs3, %rs4}; st.b64 [%rd0+24], %rd2;",
    );
    let words = [0x89ab_cdefu32, 0x0123_4567, 0x0123_4567, 0xcdef_0123];
    let halves = [0xcdefu16, 0x89ab, 0x4567, 0x0123];
    let all = [
        bytes(&words),
        bytes(&halves),
        bytes(&[0x89ab_cdef_0123_4567u64]),
    ];
    assert_eq!(after[..32], all.concat());
}

#[test]
fn predicates_guard_instructions() {
    let after = statements(
        "setp.eq.s32 %p1, 1, 1; not.pred %p2, %p1; xor.pred %p3, %p1, %p2;
         @%p1 st.b8 [%rd0], 1; @!%p1 st.b8 [%rd0+1], 1; @%p2 st.b8 [%rd0+2], 1;
         @!%p2 st.b8 [%rd0+3], 1; @%p3 bra END; st.b8 [%rd0+4], 1;
         END: @%p1 exit; st.b8 [%rd0+5], 1;",
    );
    assert_eq!(after[..6], [1, 0, 0, 1, 0, 0]);
}

#[test]
fn scopes_hide_names() {
    let after = statements(
        "mov.u32 %r1, 1; { .reg .b32 %r1; .reg .b32 t<2>; mov.u32 %r1, 2; mov.u32 t1, %r1;
         st.u32 [%rd0], t1; } st.u32 [%rd0+4], %r1;",
    );
    assert_eq!(after[..8], bytes(&[2u32, 1]));
}
