//! A kernel that mixes what it reads into what it writes: as PTX, and on the host.
//!
//! Words have eight bytes. The state starts with a number of the kernel, absorbs each word that is
//! read, and each word that is written is a next state.

use std::fmt::Write;

use tfx_commands::{Detail, Kernels, Operand, Use, Verified, uses};
use tfx_cuda::{DeviceKernels, Launch, LaunchOperand, PtxKernel};
use tfx_schedule::{Body, Buffer, BufferId, Op, Part, Work};

const FACTOR: u64 = 0x0100_0000_01b3;
const SHIFT: u32 = 29;
const SALT: u64 = 17;

/// The kernel on the host.
pub(crate) fn mix(operands: &mut [Operand<'_>]) {
    let mut state = SALT;
    for operand in operands.iter() {
        let bytes: &[u8] = match operand {
            Operand::Read(bytes) => bytes,
            Operand::Update(bytes) => bytes,
            Operand::Write(_) | Operand::Scratch(_) => continue,
        };
        for word in bytes.chunks_exact(8) {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            state = next(state ^ word);
        }
    }
    for operand in operands {
        if let Operand::Write(bytes) | Operand::Update(bytes) | Operand::Scratch(bytes) = operand {
            for word in bytes.chunks_exact_mut(8) {
                state = next(state);
                word.copy_from_slice(&state.to_le_bytes());
            }
        }
    }
}

fn next(state: u64) -> u64 {
    let state = state.wrapping_mul(FACTOR);
    (state ^ (state >> SHIFT)).wrapping_add(SALT)
}

/// The operands of a kernel: how they are used, and their words.
type Shape = Vec<(Use, u64)>;

/// Returns the name of the kernel of a shape, which is that of its entry.
fn name(shape: &Shape) -> String {
    let mut name = "mix".to_string();
    for (use_of, words) in shape {
        let letter = match use_of {
            Use::Read => 'r',
            Use::Write => 'w',
            Use::Update => 'u',
            Use::Scratch => 's',
        };
        let _ = write!(name, "_{letter}{words}");
    }
    name
}

/// Returns the module of a shape.
fn module(shape: &Shape) -> String {
    let parameters = (0..shape.len()).map(|index| format!(".param .u64 p{index}"));
    let parameters: Vec<String> = parameters.collect();
    let mut text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {}({})\n{{\n\
         .reg .pred %p<1>;\n.reg .b32 %r<3>;\n.reg .b64 %a<{}>;\n.reg .b64 %s<4>;\n\
         mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nor.b32 %r2, %r0, %r1;\n\
         setp.ne.u32 %p0, %r2, 0;\n@%p0 bra END;\n\
         mov.u64 %s0, {SALT};\nmov.u64 %s1, {FACTOR};\n",
        name(shape),
        parameters.join(", "),
        shape.len(),
    );
    let step = format!(
        "mul.lo.u64 %s0, %s0, %s1;\nshr.u64 %s2, %s0, {SHIFT};\nxor.b64 %s0, %s0, %s2;\n\
         add.u64 %s0, %s0, {SALT};\n"
    );
    for index in 0..shape.len() {
        let _ = write!(
            text,
            "ld.param.u64 %a{index}, [p{index}];\ncvta.to.global.u64 %a{index}, %a{index};\n"
        );
    }
    for (index, (use_of, words)) in shape.iter().enumerate() {
        for word in 0..*words {
            if matches!(use_of, Use::Read | Use::Update) {
                let offset = 8 * word;
                let _ = write!(
                    text,
                    "ld.global.u64 %s2, [%a{index}+{offset}];\nxor.b64 %s0, %s0, %s2;\n{step}"
                );
            }
        }
    }
    for (index, (use_of, words)) in shape.iter().enumerate() {
        for word in 0..*words {
            if *use_of != Use::Read {
                let offset = 8 * word;
                let _ = writeln!(text, "{step}st.global.u64 [%a{index}+{offset}], %s0;");
            }
        }
    }
    text.push_str("END:\nret;\n}\n");
    text
}

/// Returns the shape of a command.
fn shape(part: &Part, kind: Work, accesses: &[tfx_schedule::Access]) -> Shape {
    let size = |buffer: BufferId| match part.buffers[buffer.0 as usize] {
        Buffer::Slice { size, .. } | Buffer::View { size, .. } | Buffer::Bound { size, .. } => size,
    };
    let uses = uses(accesses, kind, |buffer| Some(size(buffer))).expect("all have sizes");
    let uses = uses.into_iter();
    uses.map(|(bytes, use_of)| (use_of, bytes / 8)).collect()
}

/// The kernels of a list.
#[derive(Default)]
pub(crate) struct All {
    pub(crate) cpu: Kernels,
    pub(crate) host: DeviceKernels,
    pub(crate) ptx: DeviceKernels,
    pub(crate) table: tfx_cuda::trace::Table,
}

impl All {
    /// Returns kernels for each name of a list: on threads, on the host for devices, and as PTX.
    pub(crate) fn new(verified: &Verified) -> Self {
        let mut all = Self::default();
        for detail in &verified.list().schedule().places {
            // Threads need a kernel for each name, also of a wait.
            if let Detail::Kernel(name) = detail {
                all.cpu.add(name, mix);
            }
        }
        for part in &verified.list().schedule().parts {
            all.body(verified, part, &part.body);
        }
        all
    }

    fn body(&mut self, verified: &Verified, part: &Part, body: &Body) {
        for command in &body.commands {
            match &command.op {
                Op::Loop(inner) => self.body(verified, part, &inner.body),
                Op::Branch(branch) => {
                    branch
                        .arms
                        .iter()
                        .for_each(|arm| self.body(verified, part, arm));
                }
                Op::Work { kind, accesses, .. } => {
                    if let Detail::Kernel(name) = verified.list().detail(command.id)
                        && !matches!(kind, Work::Copy | Work::Fill)
                    {
                        self.add(name, &shape(part, *kind, accesses));
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, kernel: &str, shape: &Shape) {
        for kernels in [&mut self.host, &mut self.ptx] {
            kernels.add_host(kernel, |operands, _| {
                mix(operands);
                Ok(())
            });
        }
        self.ptx.add_module(&module(shape));
        let operands = 0..shape.len();
        let launch = Launch {
            entry: name(shape),
            threads: 1,
            operands: operands
                .map(|operand| LaunchOperand { operand, offset: 0 })
                .collect(),
            product: None,
        };
        let launches = vec![launch];
        self.ptx.add_ptx(kernel, PtxKernel { launches });
        let parameters = shape.iter().map(|(use_of, words)| (*use_of, 8 * words));
        self.table.insert(name(shape), parameters.collect());
    }
}
