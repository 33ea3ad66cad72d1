//! Operations of a process on its program's channels, and on the program itself.

use crate::code::{Action, Instruction};
use crate::frame::Frame;
use crate::machine::{End, Flow, Machine, Process, Wait};
use crate::value::{Number, fitted};

impl<'a> Process<'a> {
    /// Sends, receives, finishes or terminates, or waits until it can.
    pub(crate) fn communicate(
        &mut self,
        machine: &mut Machine<'_, 'a>,
        instruction: &Instruction<'a>,
    ) -> Result<Flow, End<'a>> {
        let own = self.program;
        let Some(frame) = self.frames.last_mut() else {
            return Ok(Flow::End);
        };
        let program = match instruction.action {
            Action::Send { on_host: false, .. } | Action::Receive { on_host: false, .. } => own,
            Action::Send { .. } => frame.program(instruction.operands.last()),
            _ => frame.program(instruction.operands.first()),
        };
        let lost = || {
            let name = instruction.op.name();
            End::Misfit(format!("'{name}' does not belong to a running program").into())
        };
        let number = program.ok_or_else(lost)?;
        if machine.programs[number].is_over {
            return Err(lost());
        }
        let wait = |frame: &mut Frame<'a>, wait| {
            frame.next -= 1;
            Ok(Flow::Wait(wait))
        };
        match &instruction.action {
            Action::Send {
                channel,
                on_host,
                number: scalar,
            } => {
                let found = machine.programs[number].channels.get_mut(channel);
                let found = found
                    .filter(|found| found.to_host != *on_host)
                    .ok_or_else(lost)?;
                if found.messages.len() >= found.capacity {
                    return wait(frame, Wait::Capacity(number, *channel));
                }
                let value = frame.get(instruction.operands[0]).clone();
                found.messages.push_back((value, *scalar));
                machine.messages += 1;
                if let Some(taint) = &mut self.taint {
                    taint.sent(instruction);
                }
                Ok(Flow::Message)
            }
            Action::Receive {
                channel,
                on_host,
                ty,
            } => {
                let found = machine.programs[number].channels.get_mut(channel);
                let found = found
                    .filter(|found| found.to_host == *on_host)
                    .ok_or_else(lost)?;
                let Some((value, scalar)) = found.messages.pop_front() else {
                    return wait(frame, Wait::Message(number, *channel));
                };
                let value = fitted(value, scalar, *ty).map_err(|error| {
                    End::Misfit(format!("on channel {channel}: {error}").into())
                })?;
                frame.set(instruction, [value]);
                if let Some(taint) = &mut self.taint {
                    taint.received(instruction);
                }
                Ok(Flow::Message)
            }
            Action::Finish(types) => {
                let program = &mut machine.programs[number];
                let Some(results) = machine.processes[program.process].results.clone() else {
                    return wait(frame, Wait::End(number));
                };
                program.is_over = true;
                let left = program
                    .channels
                    .values()
                    .filter(|channel| !channel.messages.is_empty());
                if left.count() > 0 {
                    let name = program.graph.symbol_name().unwrap_or_default();
                    let message = format!("'@{name}' is finished with messages on its channels");
                    return Err(End::Misfit(message.into()));
                }
                let numbers = program.graph.signature().1.into_iter().map(Number::of);
                let results = results.into_iter().zip(numbers).zip(types);
                let results = results.map(|((value, number), ty)| fitted(value, number, *ty));
                let results: Result<Vec<_>, _> = results.collect();
                frame.set(instruction, results.map_err(End::Misfit)?);
                Ok(Flow::Message)
            }
            _ => {
                let program = &mut machine.programs[number];
                program.is_over = true;
                // Its further behaviour is not observable.
                machine.processes[program.process].frames.clear();
                Ok(Flow::Message)
            }
        }
    }
}
