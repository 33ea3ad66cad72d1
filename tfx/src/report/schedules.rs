//! The schedules of graphs, as cells of a table and as JSON.
//!
//! ```text
//!   Schedules
//!     schedule             where            kernels  copies  waits  streams  time      busy ...
//!     main.graph.schedule  towers.mlir:5:8  4        0       2      2 cpu    735.9 us  host 1 % ...
//! ```
//!
//! `timeline.rs` draws them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tfx_streams::simulate_streams::duration;

use super::schedule::{Description, Simulation};

/// The text if no part of a graph has a schedule.
pub(super) const NONE: &str = "no part of a graph of this program has a schedule";

/// The head of the table; [`cells`] returns the values of the columns.
pub(super) const COLUMNS: [&str; 9] = [
    "schedule", "where", "kernels", "copies", "waits", "streams", "time", "busy", "arenas",
];

pub(super) fn cells(schedule: &Description) -> [String; COLUMNS.len()] {
    let counts = &schedule.counts;
    let arenas = schedule.arenas.iter().map(|arena| {
        let bound = arena.bound.map(|bound| format!(", bound {bound}"));
        let bound = bound.unwrap_or_default();
        format!("{}: {} bytes{bound}", arena.space, arena.bytes)
    });
    let (time, busy) = match &schedule.simulation {
        Ok(simulation) => (time(simulation), busy(simulation)),
        Err(error) => (format!("not simulated: {error}"), String::new()),
    };
    [
        schedule.name.clone(),
        schedule
            .place
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        counts.kernels.to_string(),
        counts.copies.to_string(),
        counts.waits.to_string(),
        streams(&schedule.streams),
        time,
        busy,
        arenas.collect::<Vec<_>>().join("; "),
    ]
}

/// Returns the number of streams of each device, such as `2 cpu, 1 cuda`.
fn streams(devices: &[String]) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for device in devices {
        *numbers.entry(device).or_default() += 1;
    }
    let numbers = numbers.iter();
    let texts: Vec<String> = numbers
        .map(|(device, number)| format!("{number} {device}"))
        .collect();
    texts.join(", ")
}

fn time(simulation: &Simulation) -> String {
    let time = duration(simulation.time);
    match simulation.assumed.as_str() {
        "" => time,
        assumed => format!("{time}, assumed: {assumed}"),
    }
}

/// Returns the part of the time in which host, devices and links are busy.
fn busy(simulation: &Simulation) -> String {
    let all = u128::from(simulation.time.max(1));
    let part = |time: u64| u128::from(time) * 100 / all;
    let mut texts = vec![format!("host {} %", part(simulation.host))];
    let devices = simulation.devices.iter();
    texts.extend(devices.map(|(device, time)| format!("{device} {} %", part(*time))));
    let links = simulation.links.iter();
    texts.extend(links.map(|(from, to, time)| format!("{from} to {to} {} %", part(*time))));
    texts.join(", ")
}

/// Returns a schedule as JSON. All times are in nanoseconds.
pub(super) fn value(schedule: &Description, span: Option<Value>) -> Value {
    let arenas = schedule
        .arenas
        .iter()
        .map(|arena| json!({"space": arena.space, "bytes": arena.bytes, "bound": arena.bound}));
    let counts = &schedule.counts;
    json!({
        "name": schedule.name,
        "span": span,
        "kernels": counts.kernels,
        "copies": counts.copies,
        "records": counts.records,
        "waits": counts.waits,
        "streams": schedule.streams,
        "arenas": arenas.collect::<Vec<_>>(),
        "simulation": schedule.simulation.as_ref().ok().map(simulation),
    })
}

fn simulation(simulation: &Simulation) -> Value {
    let devices = simulation.devices.iter();
    let devices = devices.map(|(device, busy)| json!({"device": device, "busy": busy}));
    let links = simulation.links.iter();
    let links = links.map(|(from, to, busy)| json!({"from": from, "to": to, "busy": busy}));
    let memory = simulation.memory.iter();
    let memory = memory.map(|(space, bytes)| json!({"space": space, "bytes": bytes}));
    json!({
        "time": simulation.time,
        "host": simulation.host,
        "devices": devices.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "memory": memory.collect::<Vec<_>>(),
        "assumed": simulation.assumed,
    })
}
