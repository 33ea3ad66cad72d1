//! The rules of single commands: V6, and the shape of operands.
//!
//! | rule | reason |
//! |---|---|
//! | no legacy default stream | it synchronizes with all other streams of its device |
//! | an event and the stream of its record have one device | `cudaEventRecord` fails otherwise |
//! | a kernel accesses memory of its device, or pinned host memory | other addresses are invalid |
//! | a host function and the host access host memory | they run on the CPU |
//!
//! Source: the CUDA C programming guide and the reference of the driver API. The other two rules
//! of V6 need the bytes of operands, and are checked during the simulation: source and destination
//! of a copy are disjoint, and workspace is disjoint from all operands of launches in flight.

use crate::diagnostic::{ModelError, Name, Problem};
use crate::model::{Access, Agent, Buffer, Command, Device, Mode, Op, Part, Space, Work};
use crate::scopes::{Program, base, size, space};

/// Checks the rules of a command on its own.
pub(crate) fn check_command(program: Program<'_>, part: &Part, command: &Command) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(agent) = agent(&command.op) {
        check_agent(part, command, agent, &mut problems);
    }
    match &command.op {
        Op::Work {
            agent,
            kind,
            accesses,
        } => {
            if *kind == Work::Copy && !is_copy(part, accesses) {
                problems.push(model(command, ModelError::Copy));
            }
            let unreachable = accesses
                .iter()
                .filter(|access| !is_reachable(program, part, *agent, *kind, access));
            problems.extend(unreachable.map(|access| Problem::Unreachable {
                command: command.id,
                buffer: access.buffer,
            }));
        }
        Op::Record {
            agent: Agent::Stream(stream),
            event,
        } => {
            let stream = part.streams.get(stream.index());
            let found = part.events.get(event.index());
            if let (Some(stream), Some(found)) = (stream, found)
                && stream.device != found.device
            {
                problems.push(Problem::EventDevice {
                    command: command.id,
                    event: *event,
                });
            }
        }
        Op::Alloc { buffer, .. } | Op::Free { buffer, .. } => {
            // A bound buffer may be a slice.
            let is_parameter = part.parameters.buffers.contains(buffer);
            let view = part.buffers.get(buffer.index());
            if is_parameter || matches!(view, Some(Buffer::View { .. })) {
                problems.push(model(command, ModelError::NotASlice(*buffer)));
            }
        }
        Op::Call(call) => {
            for stream in &call.streams {
                check_agent(part, command, Agent::Stream(*stream), &mut problems);
            }
        }
        _ => {}
    }
    problems
}

/// Returns the agent that executes an operation, if it is one.
pub(crate) fn agent(op: &Op) -> Option<Agent> {
    match op {
        Op::Work { agent, .. }
        | Op::Record { agent, .. }
        | Op::Wait { agent, .. }
        | Op::Alloc { agent, .. }
        | Op::Free { agent, .. } => Some(*agent),
        Op::Loop(_) | Op::Branch(_) | Op::Call(_) => None,
    }
}

fn check_agent(part: &Part, command: &Command, agent: Agent, problems: &mut Vec<Problem>) {
    let Agent::Stream(id) = agent else {
        return;
    };
    match part.streams.get(id.index()) {
        Some(stream) if stream.is_legacy => problems.push(Problem::LegacyStream {
            command: command.id,
            stream: id,
        }),
        Some(_) => {}
        None => {
            let name = Name::Stream(id);
            problems.push(model(command, ModelError::Undefined(name)));
        }
    }
}

fn is_copy(part: &Part, accesses: &[Access]) -> bool {
    let [source, destination] = accesses else {
        return false;
    };
    source.mode == Mode::Read
        && destination.mode == Mode::Write
        && size(part, source.buffer) == size(part, destination.buffer)
}

fn is_reachable(
    program: Program<'_>,
    part: &Part,
    agent: Agent,
    kind: Work,
    access: &Access,
) -> bool {
    let Some(space) = space(part, access.buffer) else {
        return base(part, access.buffer).is_none();
    };
    let is_host = !matches!(space, Space::Device(_));
    let stream = match agent {
        Agent::Stream(stream) => part.streams.get(stream.index()),
        Agent::Host => None,
    };
    match (kind, stream) {
        (Work::Copy | Work::Input, _) => true,
        (Work::HostFunction | Work::Host, _) | (_, None) => is_host,
        (Work::Kernel | Work::Fill, Some(stream)) => {
            match (program.devices.get(stream.device.index()), space) {
                (_, Space::Device(device)) => device == stream.device,
                (Some(Device::Cuda), Space::Pageable) => false,
                _ => true,
            }
        }
    }
}

fn model(command: &Command, error: ModelError) -> Problem {
    Problem::Model {
        command: Some(command.id),
        error,
    }
}
