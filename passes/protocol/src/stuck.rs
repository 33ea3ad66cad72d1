//! What is said where two programs do not meet: where each of them is, and what is in the way.

use tfx_ir::Op;

use crate::lists::Item;
use crate::meet::{At, Stage};
use crate::reject::Reject;

impl<'a> Stage<'_, 'a> {
    pub(crate) fn never_received(&self, scene: usize) -> Reject<'a> {
        let lost = self
            .flying
            .iter()
            .filter(|(_, flying)| flying.scene == scene)
            .min_by_key(|(channel, _)| **channel)
            .expect("a message of the scene is flying");
        let message = format!(
            "a message on channel {} is sent here and never received",
            lost.0
        );
        let reject = Reject::new(lost.1.send.location(), message);
        self.notes_on_start(reject)
    }

    pub(crate) fn other_control(&self, host: Op<'a>, graph: Op<'a>) -> Reject<'a> {
        let message = format!(
            "the host is at '{}' here, where the graph is at '{}': messages inside of them would not meet",
            host.name(),
            graph.name()
        );
        let reject = Reject::new(host.location(), message).note(
            graph.location(),
            "the graph is here, with other control flow",
        );
        self.notes_on_start(reject)
    }

    pub(crate) fn notes_on_start(&self, reject: Reject<'a>) -> Reject<'a> {
        let graph = self.graph_op.symbol_name().unwrap_or_default();
        reject.note(
            self.start.location(),
            format!("the host starts the graph '@{graph}' here"),
        )
    }

    pub(crate) fn stuck(&self, host: At<'a>, graph: At<'a>) -> Reject<'a> {
        let (host_op, host_does) = self.describe(host, true);
        let (graph_op, graph_does) = self.describe(graph, false);
        let headline = match (host, graph) {
            (At::Item(Item::Receive(_, channel)), _) if !self.comes_later(channel, false) => {
                format!(
                    "the host waits for a message on channel {channel} that the graph does not send"
                )
            }
            (_, At::Item(Item::Receive(_, channel))) if !self.comes_later(channel, true) => {
                let message = format!(
                    "the graph waits for a message on channel {channel} that the host does not send"
                );
                let reject = Reject::new(graph_op.location(), message).note(
                    host_op.location(),
                    format!("meanwhile the host {host_does}"),
                );
                return self.notes_on_start(self.note_on_channel(channel, reject));
            }
            (At::Item(Item::Send(_, channel)), _) if !self.comes_later(channel, false) => {
                format!(
                    "the host sends a message on channel {channel} that the graph does not receive"
                )
            }
            (_, At::Item(Item::Send(_, channel))) if !self.comes_later(channel, true) => {
                let message = format!(
                    "the graph sends a message on channel {channel} that the host does not receive"
                );
                let reject = Reject::new(graph_op.location(), message).note(
                    host_op.location(),
                    format!("meanwhile the host {host_does}"),
                );
                return self.notes_on_start(self.note_on_channel(channel, reject));
            }
            (At::Item(Item::Region(_)), _) => format!(
                "the host has '{}' with messages inside here, and the graph has none in this place",
                host_op.name()
            ),
            (_, At::Item(Item::Region(_))) => {
                let message = format!(
                    "the graph has '{}' with messages inside here, and the host has none in this place",
                    graph_op.name()
                );
                let reject = Reject::new(graph_op.location(), message).note(
                    host_op.location(),
                    format!("meanwhile the host {host_does}"),
                );
                return self.notes_on_start(reject);
            }
            _ => "the host and the graph wait for each other and never go on".to_owned(),
        };
        let mut reject = Reject::new(host_op.location(), headline);
        reject = reject.note(host_op.location(), format!("the host {host_does}"));
        reject = reject.note(
            graph_op.location(),
            format!("meanwhile the graph {graph_does}"),
        );
        if let At::Item(Item::Send(_, channel) | Item::Receive(_, channel)) = host {
            reject = self.note_on_channel(channel, reject);
        }
        self.notes_on_start(reject)
    }

    /// Where a message is that cannot be received here, or is in the way.
    fn note_on_channel(&self, channel: u32, reject: Reject<'a>) -> Reject<'a> {
        match self.flying.get(&channel) {
            Some(flying) if flying.scene != self.top().scene => reject.note(
                flying.send.location(),
                format!("a message on channel {channel} was sent here, outside of this control flow, where it must be received too"),
            ),
            Some(flying) => reject.note(
                flying.send.location(),
                format!("channel {channel} may have room for one message only, which was sent here"),
            ),
            None => reject,
        }
    }

    /// Whether a side has an event on a channel further down in this scene, or inside of control flow there.
    pub(crate) fn comes_later(&self, channel: u32, on_host: bool) -> bool {
        let (projection, mut lists): (_, Vec<_>) = if on_host {
            (self.host, self.top().host.clone())
        } else {
            let mut lists: Vec<_> = self.top().graph.into_iter().collect();
            for followed in &self.top().followed {
                let again = &self.graph.regions[followed.region].lists;
                lists.extend(again.iter().flatten().map(|&list| (list, 0)));
                lists.extend(followed.after);
            }
            (self.graph, lists)
        };
        while let Some((list, at)) = lists.pop() {
            for &item in &projection.lists[list].items[at.min(projection.lists[list].items.len())..]
            {
                match item {
                    Item::Send(_, other) | Item::Receive(_, other) if other == channel => {
                        return true;
                    }
                    Item::Region(region) => {
                        let inside = projection.regions[region].lists.iter().flatten();
                        lists.extend(inside.map(|&list| (list, 0)));
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// What a side is doing, and where.
    fn describe(&self, at: At<'a>, on_host: bool) -> (Op<'a>, String) {
        let (regions, function) = if on_host {
            (&self.host.regions, self.start)
        } else {
            (&self.graph.regions, self.graph_op)
        };
        match at {
            At::Item(Item::Send(op, channel)) => (op, format!("sends on channel {channel}")),
            At::Item(Item::Receive(op, channel)) => {
                (op, format!("waits for a message on channel {channel}"))
            }
            At::Item(Item::Region(region)) => {
                let op = regions[region].op;
                (op, format!("is at this '{}'", op.name()))
            }
            At::Item(Item::Finish(op)) => (op, "waits for the graph to end".to_owned()),
            At::Item(Item::Stop(op)) => (op, "cancels the graph".to_owned()),
            At::End if !on_host && !self.top().followed.is_empty() => {
                let region = self.top().followed.last().map(|followed| followed.region);
                let op = region.map_or(function, |region| regions[region].op);
                (op, format!("is in this '{}'", op.name()))
            }
            At::End => match self.top().around {
                Some(around) => {
                    let op = if on_host { around.host } else { around.graph };
                    (
                        op,
                        format!("is at the end of a region of this '{}'", op.name()),
                    )
                }
                None => (function, "has nothing left to do".to_owned()),
            },
        }
    }
}
