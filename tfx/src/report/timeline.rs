//! The simulated timeline of a schedule as SVG, without scripts.
//!
//! ```text
//!             0 us                                     735.9 us
//!   host      ▯ ▯ ▯ ▯                                            the host issues commands
//!   cpu 0         ┌ kernel ─┐          ┌ kernel_2 ─┐             a box for each command
//!   cpu 1                   └─►┌ kernel_1 ─┐─►                   an arrow for each event
//!   host      ▁▁▁▁▂▂▂▂▂▂▂▂▂▂▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▂▂▂▂▂               bytes of live buffers
//!   768 KiB   - - - - - - - - - - - - - - - - - - -              the size of the arena
//! ```
//!
//! The axis is the time of the simulation. A box has a title with its name, start, duration and
//! source location, which browsers show next to the pointer. All text is escaped.
//!
//! Cost: linear in the boxes, arrows and changes of memory; the drawing has a limit.

use std::fmt::{Display, Write};

use tfx_streams::simulate_streams::{duration, size};

use super::counted;
use super::html::Html;
use super::schedule::{Arrow, Description, Executed, Simulation};

/// The largest number of boxes, and of arrows, of a schedule: a browser shows some thousand
/// elements without a delay, and with more on one line, most are narrower than a pixel.
const MAX_BOXES: usize = 2000;

/// The width of the names of lines.
const LABELS: usize = 130;
/// The width of the time axis.
const AXIS: usize = 870;
/// The height of a line of the host or a stream, and that of its boxes.
const LINE: usize = 22;
const BOX: usize = 16;
/// The height of the curve of a memory space, and of the gap above it.
const CURVE: usize = 48;
const GAP: usize = 14;
/// The height above the first line, for the times.
const TOP: usize = 20;
/// The least width of a box, so that a short command is visible.
const LEAST_WIDTH: f64 = 0.5;
/// The width of a letter of a name in a box, about.
const LETTER: f64 = 6.2;

/// Writes the head of arrows, which all drawings of a page share.
pub(super) fn heads(html: &mut Html) {
    html.raw(
        "<svg class=\"heads\" width=\"0\" height=\"0\"><defs><marker id=\"arrowhead\" \
         viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" \
         orient=\"auto\"><path d=\"M0 0L6 3L0 6Z\"/></marker></defs></svg>\n",
    );
}

/// Writes the drawing of a schedule.
pub(super) fn draw(html: &mut Html, schedule: &Description) {
    let Ok(simulation) = &schedule.simulation else {
        return;
    };
    html.element("h3", "", &format!("Timeline of {}", schedule.name))
        .raw("\n");
    let drawing = Drawing::new(schedule, simulation);
    let (commands, arrows) = (simulation.commands.len(), simulation.arrows.len());
    let left = commands - drawing.commands.len();
    if left > 0 || arrows > drawing.arrows.len() {
        let left_arrows = counted(arrows - drawing.arrows.len(), "event");
        let words = format!(
            "The start of the schedule: {} and {left_arrows} later are left out.",
            counted(left, "command")
        );
        html.element("p", "", &words).raw("\n");
    }
    drawing.write(html);
}

/// The part of a schedule that is drawn.
struct Drawing<'s> {
    schedule: &'s Description,
    simulation: &'s Simulation,
    commands: &'s [Executed],
    arrows: Vec<&'s Arrow>,
    /// The end of the axis, in nanoseconds.
    end: u64,
    /// The names of the memory spaces.
    spaces: Vec<&'s str>,
}

impl<'s> Drawing<'s> {
    fn new(schedule: &'s Description, simulation: &'s Simulation) -> Self {
        let commands = &simulation.commands;
        let (commands, end) = match commands.split_at_checked(MAX_BOXES) {
            Some((first, rest)) if !rest.is_empty() => {
                let ends = first.iter().map(|command| command.end);
                (first, ends.max().unwrap_or(0))
            }
            _ => (&commands[..], simulation.time),
        };
        let arrows = simulation.arrows.iter();
        let arrows = arrows.filter(|arrow| arrow.waited <= end).take(MAX_BOXES);
        let used = simulation.usage.iter().map(|usage| usage.space.as_str());
        let arenas = schedule.arenas.iter().map(|arena| arena.space.as_str());
        let mut spaces: Vec<&str> = used.chain(arenas).collect();
        spaces.sort_unstable();
        spaces.dedup();
        Self {
            schedule,
            simulation,
            commands,
            arrows: arrows.collect(),
            end: end.max(1),
            spaces,
        }
    }

    fn x(&self, time: u64) -> f64 {
        LABELS as f64 + time.min(self.end) as f64 / self.end as f64 * AXIS as f64
    }

    /// Returns the top of a line: 0 for the host, and the streams after it.
    fn y(line: usize) -> usize {
        TOP + line * LINE
    }

    fn lines(&self) -> usize {
        self.schedule.streams.len() + 1
    }

    fn write(&self, html: &mut Html) {
        let width = LABELS + AXIS;
        let height = Self::y(self.lines()) + self.spaces.len() * (CURVE + GAP) + GAP;
        markup(
            html,
            format_args!(
                "<div class=\"wide\"><svg class=\"timeline\" viewBox=\"0 0 {width} {height}\" \
                 width=\"{width}\" height=\"{height}\" role=\"img\">\n"
            ),
        );
        text(html, "time", LABELS, TOP - 8, "0");
        text(html, "time last", width, TOP - 8, &duration(self.end));
        let streams = self.schedule.streams.iter().enumerate();
        let streams = streams.map(|(number, device)| format!("{device} stream {number}"));
        let names = std::iter::once("host".to_owned()).chain(streams);
        for (line, name) in names.enumerate() {
            let y = Self::y(line);
            text(html, "line", 0, y + BOX - 3, &name);
            let middle = y + BOX / 2;
            markup(
                html,
                format_args!("<path class=\"lane\" d=\"M{LABELS} {middle}H{width}\"/>\n"),
            );
        }
        self.issues(html);
        self.commands
            .iter()
            .for_each(|command| self.command(html, command));
        self.arrows.iter().for_each(|arrow| self.arrow(html, arrow));
        for (number, space) in self.spaces.iter().enumerate() {
            self.memory(html, number, space);
        }
        html.raw("</svg></div>\n");
    }

    /// Draws the times in which the host issues commands of streams, as one element.
    fn issues(&self, html: &mut Html) {
        html.raw("<path class=\"issue\" d=\"");
        let on_streams = self.commands.iter();
        for command in on_streams.filter(|command| command.stream.is_some()) {
            let start = self.x(command.issued.saturating_sub(self.simulation.launch));
            let (end, y) = (self.x(command.issued), Self::y(0));
            markup(html, format_args!("M{start:.1} {y}v{BOX}H{end:.1}v-{BOX}Z"));
        }
        html.raw("\"><title>the host issues commands</title></path>\n");
    }

    fn command(&self, html: &mut Html, command: &Executed) {
        let line = line(command.stream.map(|stream| stream.0));
        let (x, y) = (self.x(command.start), Self::y(line));
        let width = (self.x(command.end) - x).max(LEAST_WIDTH);
        let class = if command.is_copy { "box copy" } else { "box" };
        markup(
            html,
            format_args!(
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" \
                 height=\"{BOX}\"><title>"
            ),
        );
        let place = command.place.as_ref();
        let place = place.map(|place| format!(", {place}")).unwrap_or_default();
        let title = format!(
            "{}, starts at {}, takes {}{place}",
            command.name,
            duration(command.start),
            duration(command.end.saturating_sub(command.start))
        );
        html.words(&title).raw("</title></rect>\n");
        let name = command.name.rsplit('.').next().unwrap_or_default();
        if name.chars().count() as f64 * LETTER < width {
            text(
                html,
                "name",
                format_args!("{:.1}", x + 2.0),
                y + BOX - 4,
                name,
            );
        }
    }

    fn arrow(&self, html: &mut Html, arrow: &Arrow) {
        let middle = |stream: Option<u32>| Self::y(line(stream)) + BOX / 2;
        let from = middle(arrow.from.map(|stream| stream.0));
        let to = middle(arrow.to.map(|stream| stream.0));
        let (start, end) = (self.x(arrow.recorded), self.x(arrow.waited));
        markup(
            html,
            format_args!(
                "<path class=\"event\" marker-end=\"url(#arrowhead)\" \
                 d=\"M{start:.1} {from}L{end:.1} {to}\"/>\n"
            ),
        );
    }

    /// Draws the bytes of live buffers of a space, and the size of its arenas.
    fn memory(&self, html: &mut Html, number: usize, space: &str) {
        let usage = self.simulation.usage.iter();
        let mut usage = usage.filter(|usage| usage.space == space);
        let changes = usage.next().map_or(&[][..], |usage| &usage.changes);
        let arenas = self.schedule.arenas.iter();
        let arenas = arenas.filter(|arena| arena.space == space);
        let arena = arenas.fold(0u64, |sum, arena| sum.saturating_add(arena.bytes));
        let most = changes.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        let all = most.max(arena).max(1);
        let bottom = Self::y(self.lines()) + (number + 1) * (CURVE + GAP);
        let y = |bytes: u64| bottom as f64 - bytes as f64 / all as f64 * CURVE as f64;
        let top = bottom - CURVE;
        text(html, "line", 0, top + 10, &format!("{space} memory"));
        if arena > 0 {
            text(html, "line", 0, top + 25, &format!("arena {}", size(arena)));
        }
        markup(
            html,
            format_args!("<path class=\"memory\" d=\"M{LABELS} {bottom}"),
        );
        for column in columns(changes, |time| self.x(time).round() as usize) {
            let (x, most, last) = (column.x, y(column.most), y(column.last));
            markup(html, format_args!("H{x}V{most:.1}V{last:.1}"));
        }
        let end = LABELS + AXIS;
        markup(html, format_args!("H{end}V{bottom}Z\"><title>"));
        let title = format!("{space}: at most {} of live buffers", size(most));
        html.words(&title).raw("</title></path>\n");
        if arena > 0 {
            let y = y(arena);
            markup(
                html,
                format_args!("<path class=\"arena\" d=\"M{LABELS} {y:.1}H{end}\"/>\n"),
            );
        }
    }
}

/// The changes of memory in one column of the drawing.
struct Column {
    x: usize,
    most: u64,
    last: u64,
}

/// Unites the changes of each column, so that a curve has at most as many points as columns.
fn columns(changes: &[(u64, u64)], x: impl Fn(u64) -> usize) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for &(time, bytes) in changes {
        let x = x(time);
        match columns.last_mut() {
            Some(column) if column.x == x => {
                column.most = column.most.max(bytes);
                column.last = bytes;
            }
            _ => columns.push(Column {
                x,
                most: bytes,
                last: bytes,
            }),
        }
    }
    columns
}

/// Returns the line of a stream, or of the host.
fn line(stream: Option<u32>) -> usize {
    stream.map_or(0, |stream| stream as usize + 1)
}

fn text(html: &mut Html, class: &str, x: impl Display, y: usize, words: &str) {
    markup(
        html,
        format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">"),
    );
    html.words(words).raw("</text>\n");
}

/// Appends markup. Writing to a string does not fail.
fn markup(html: &mut Html, markup: std::fmt::Arguments<'_>) {
    let _ = html.text.write_fmt(markup);
}

#[cfg(test)]
mod tests {
    use tfx_streams::describe::{ArenaSize, Counts, SpaceUsage, StreamId};

    use super::*;

    /// A schedule of kernels of 10 ns on one stream.
    fn schedule(kernels: u64) -> Description {
        let commands = (0..kernels).map(|number| Executed {
            name: "graph.<kernel>".to_owned(),
            is_copy: false,
            place: None,
            stream: Some(StreamId(0)),
            issued: number,
            start: 10 * number,
            end: 10 * number + 10,
        });
        Description {
            name: "main".to_owned(),
            place: None,
            counts: Counts::default(),
            streams: vec!["cpu".to_owned()],
            arenas: vec![ArenaSize {
                space: "host".to_owned(),
                bytes: 256,
                bound: None,
            }],
            simulation: Ok(Simulation {
                time: 10 * kernels,
                commands: commands.collect(),
                usage: vec![SpaceUsage {
                    space: "host".to_owned(),
                    changes: (0..10 * kernels).map(|time| (time, time % 2)).collect(),
                }],
                ..Simulation::default()
            }),
        }
    }

    fn page(kernels: u64) -> String {
        let mut html = Html::default();
        draw(&mut html, &schedule(kernels));
        html.text
    }

    #[test]
    fn the_number_of_boxes_is_limited() {
        let most = MAX_BOXES as u64;
        let page_of_all = page(most);
        assert_eq!(page_of_all.matches("<rect").count(), MAX_BOXES);
        assert!(!page_of_all.contains("left out"));
        let page = page(most + 5);
        assert_eq!(page.matches("<rect").count(), MAX_BOXES);
        assert!(page.contains("5 commands and 0 events later are left out"));
        // The axis ends with the last box.
        assert!(page.contains(&format!(">{}<", duration(10 * most))));
    }

    #[test]
    fn a_curve_has_at_most_a_point_for_each_column() {
        let page = page(1000);
        let curve = page.split("class=\"memory\"").nth(1).unwrap();
        let curve = curve.split('>').next().unwrap();
        assert!(curve.matches('H').count() <= AXIS + 2, "{curve}");
    }

    #[test]
    fn names_are_escaped() {
        let page = page(1);
        assert!(page.contains("<title>graph.&lt;kernel&gt;, starts at 0 ns, takes 10 ns</title>"));
        assert!(!page.contains("<kernel>"));
    }
}
