//! The meeting: both sides run in step, region by region, with room for one message in each channel.
//!
//! ```text
//!   host: recv 0, send 1, if           graph: send 0, recv 1, if
//!         │  ▲                                │  ▲
//!         └──┼── waits for ── send 0 ◄────────┘  │     go on with the one that can; both wait: rejected
//!            └─────────────── send 1 ◄───────────┘     both at control flow: it must be the same, and its regions meet in turn
//! ```
//!
//! One schedule that gets through is enough. A channel has one writer and one reader, so what can go on on one side is never taken away by the
//! other, and all schedules get as far as any (Kahn 1974); more room in a channel only lets more go on (Parks 1995). Control flow is
//! passed together here, which real programs need not do: that is one of the schedules. So if this one ends, no schedule at any capacity of
//! at least 1 has a cycle of waits. Other programs that the same host function runs do not matter: in a cycle the host waits for one of them only.
//!
//! Each region must be balanced: what is sent in one run of it is received in the same run. Then the runs of a loop are alike, and one is enough.
//! That both sides decide alike is a list of [`Claim`]s, for [`crate::same`] to prove.
//!
//! A branch of the host of which all ways but one are cancelled without a message is no branch to the graph: if the graph does not have it, the
//! one way is taken as part of what is around.
//!
//! On a way of the host that has only messages left before it cancels the graph, they may meet
//! those of loops of the graph, as far as these are certain to run ([`crate::cancelled`]).
//!
//! Where the host cancels the graph on each way through a region, the graph may run on to the end of its own until it hears of that. What it makes
//! there is nobody's decision any more: such regions are [dead ends](Meeting::dead_ends), and a loop that is cancelled before it decides claims nothing.
//!
//! Linear. The stack is explicit.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::ops::scf;
use tfx_ir::{Block, Op, Value};

use crate::cancelled::Followed;
use crate::lists::{Ending, Item, ListId, Projection, RegionId, RegionItem, cases};
use crate::reject::Reject;

/// A message of one run of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) channel: u32,
    /// Where the sender sends it, as an index into its steps.
    pub(crate) sent: usize,
    /// Where the receiver receives it.
    pub(crate) received: usize,
}

/// What one side does in a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Index of a message.
    Send(usize),
    /// Index of a message.
    Receive(usize),
    /// Index of a pair.
    Pair(usize),
    /// At most so many messages on a channel that nobody receives, since the host cancels the
    /// graph.
    Ahead(u32, u64),
}

/// What happens in one region on both sides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    pub(crate) host: Vec<Step>,
    pub(crate) graph: Vec<Step>,
    pub(crate) messages: Vec<Message>,
    /// What was proved, in the order of the schedule.
    pub(crate) order: Vec<Proved>,
    pub(crate) ending: Ending,
    /// Whether the graph waits here for ever once the host has cancelled it.
    pub(crate) graph_waits: bool,
}

/// One step of the schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proved {
    ToHost(u32),
    ToGraph(u32),
    Pair(usize),
}

/// Control flow that both sides pass together.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) host: Op<'a>,
    pub(crate) graph: Op<'a>,
    /// Where each side passes it, as indices into the steps of the scene around.
    pub(crate) host_at: usize,
    pub(crate) graph_at: usize,
    /// What happens in each region.
    pub(crate) scenes: Vec<usize>,
}

/// What must be the same on both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    pub(crate) host: Value<'a>,
    pub(crate) graph: Value<'a>,
    pub(crate) host_op: Op<'a>,
    pub(crate) graph_op: Op<'a>,
}

/// What must be true so that the graph runs a trip of a loop before the host cancels it.
#[derive(Debug)]
pub(crate) struct Implied<'a> {
    /// What the host has found true on its way.
    pub(crate) known_true: Vec<Value<'a>>,
    /// The condition of the loop, which must be one of these at first.
    pub(crate) condition: Value<'a>,
    pub(crate) graph_op: Op<'a>,
    /// What is wrong if it is none.
    pub(crate) otherwise: Reject<'a>,
}

/// How two programs meet.
#[derive(Debug, Default)]
pub(crate) struct Meeting<'a> {
    pub(crate) scenes: Vec<Scene>,
    pub(crate) pairs: Vec<Pair<'a>>,
    /// What each receive is given.
    pub(crate) received: FxHashMap<Op<'a>, Value<'a>>,
    pub(crate) claims: Vec<Claim<'a>>,
    pub(crate) implied: Vec<Implied<'a>>,
    /// Blocks of the graph at whose end it has always been cancelled.
    pub(crate) dead_ends: FxHashSet<Block<'a>>,
}

/// Lets the program that `start` starts meet its graph.
pub(crate) fn meet<'a>(
    host: &Projection<'a>,
    list: ListId,
    start: Op<'a>,
    graph: &Projection<'a>,
    graph_op: Op<'a>,
) -> Result<Meeting<'a>, Reject<'a>> {
    let mut stage = Stage {
        host,
        graph,
        start,
        graph_op,
        meeting: Meeting::default(),
        flying: FxHashMap::default(),
        frames: Vec::new(),
    };
    let frame = stage.frame(Some(list), Some(graph.programs[0].list), None, None);
    stage.frames.push(frame);
    while !stage.frames.is_empty() {
        stage.act()?;
    }
    let Meeting {
        claims, dead_ends, ..
    } = &mut stage.meeting;
    claims.retain(|claim| {
        let condition = claim.graph_op.region(0).entry();
        !(claim.graph_op.isa::<scf::While>()
            && condition.is_some_and(|block| dead_ends.contains(&block)))
    });
    Ok(stage.meeting)
}

/// A message that was sent and not received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flying<'a> {
    pub(crate) send: Op<'a>,
    pub(crate) scene: usize,
    pub(crate) at: usize,
    pub(crate) by_host: bool,
    /// Whether the send is one of several trips of a loop that is followed.
    in_a_trip: bool,
}

/// A scene that is being played.
pub(crate) struct Frame<'a> {
    pub(crate) scene: usize,
    /// Where the host is: a list and a place in it, and those of the branches that are taken as part of it.
    pub(crate) host: Vec<(ListId, usize)>,
    pub(crate) graph: Option<(ListId, usize)>,
    /// Loops around that place which the host does not have, innermost last.
    pub(crate) followed: Vec<Followed>,
    /// Conditions of branches that the host has entered in this scene alone.
    pub(crate) known_true: Vec<Value<'a>>,
    flying: usize,
    /// The graph's block, where it is inside of control flow and there is one.
    block: Option<Block<'a>>,
    pub(crate) around: Option<Around<'a>>,
}

/// Control flow around a scene.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) host: Op<'a>,
    pub(crate) graph: Op<'a>,
    /// The frame that it is in.
    frame: usize,
}

/// Where a side is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    Item(Item<'a>),
    End,
}

pub(crate) struct Stage<'s, 'a> {
    pub(crate) host: &'s Projection<'a>,
    pub(crate) graph: &'s Projection<'a>,
    pub(crate) start: Op<'a>,
    pub(crate) graph_op: Op<'a>,
    meeting: Meeting<'a>,
    /// By channel.
    pub(crate) flying: FxHashMap<u32, Flying<'a>>,
    frames: Vec<Frame<'a>>,
}

impl<'a> Stage<'_, 'a> {
    fn frame(
        &mut self,
        host: Option<ListId>,
        graph: Option<ListId>,
        block: Option<Block<'a>>,
        around: Option<Around<'a>>,
    ) -> Frame<'a> {
        self.meeting.scenes.push(Scene {
            ending: Ending::Through,
            ..Scene::default()
        });
        Frame {
            scene: self.meeting.scenes.len() - 1,
            host: host.into_iter().map(|list| (list, 0)).collect(),
            graph: graph.map(|list| (list, 0)),
            followed: Vec::new(),
            known_true: Vec::new(),
            flying: 0,
            block,
            around,
        }
    }

    /// Plays the innermost scene until it ends or gets to control flow.
    fn act(&mut self) -> Result<(), Reject<'a>> {
        loop {
            while self.host_moves() | self.graph_moves() {}
            // Only now is it known which control flow the graph is at.
            if self.host_takes_the_only_way() {
                continue;
            }
            let (host, graph) = (self.host_at(), self.graph_at());
            match (host, graph) {
                (At::Item(Item::Region(host)), At::Item(Item::Region(graph))) => {
                    return self.together(host, graph);
                }
                (At::Item(Item::Stop(_)), _) => return self.end(Ending::Stopped),
                (At::End, _) if self.top().host_is_stopped(self.host) => {
                    return self.end(Ending::Stopped);
                }
                (At::End, At::End) => return self.end(Ending::Through),
                (At::Item(Item::Finish(op)), At::End) => {
                    self.nothing_left(op)?;
                    return self.end(Ending::Finished);
                }
                (At::Item(Item::Send(..) | Item::Receive(..)), _) if self.graph_goes_ahead()? => {}
                _ => return Err(self.stuck(host, graph)),
            }
        }
    }

    pub(crate) fn top(&self) -> &Frame<'a> {
        self.frames.last().expect("a scene is being played")
    }

    pub(crate) fn top_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a scene is being played")
    }

    pub(crate) fn scene(&mut self) -> &mut Scene {
        let scene = self.top().scene;
        &mut self.meeting.scenes[scene]
    }

    pub(crate) fn implied(&mut self, implied: Implied<'a>) {
        self.meeting.implied.push(implied);
    }

    pub(crate) fn graph_at(&self) -> At<'a> {
        let item = self
            .top()
            .graph
            .and_then(|(list, at)| self.graph.lists[list].items.get(at));
        item.map_or(At::End, |&item| At::Item(item))
    }

    fn host_at(&mut self) -> At<'a> {
        loop {
            let Some(&(list, at)) = self.top().host.last() else {
                return At::End;
            };
            let Some(&item) = self.host.lists[list].items.get(at) else {
                if self.top().host.len() == 1 {
                    return At::End;
                }
                self.top_mut().host.pop();
                continue;
            };
            let Item::Region(region) = item else {
                return At::Item(item);
            };
            let RegionItem { op, summary, .. } = &self.host.regions[region];
            match (summary.messages, summary.ending) {
                // Nothing but ends: no control flow of the graph's.
                (0, Ending::Stopped) => return At::Item(Item::Stop(*op)),
                (0, Ending::Finished) => return At::Item(Item::Finish(*op)),
                (0, Ending::Through) => self.host_passes(),
                _ => return At::Item(item),
            }
        }
    }

    /// Goes into a branch of which the graph has no part, because all of its ways but one cancel the graph at once.
    fn host_takes_the_only_way(&mut self) -> bool {
        let At::Item(Item::Region(region)) = self.host_at() else {
            return false;
        };
        let Some(way) = self
            .only_way(region)
            .filter(|way| !self.graph_has(region, *way))
        else {
            return false;
        };
        let RegionItem { op, lists, .. } = &self.host.regions[region];
        let known_true = (op.isa::<scf::If>() && lists[0] == way).then(|| op.operand(0));
        self.top_mut().known_true.extend(known_true);
        self.host_passes();
        self.top_mut().host.extend(way.map(|list| (list, 0)));
        true
    }

    /// What the host waits at, which is no end of a list.
    pub(crate) fn host_at_now(&self) -> Option<Item<'a>> {
        let &(list, at) = self.top().host.last()?;
        self.host.lists[list].items.get(at).copied()
    }

    /// The one way through a branch that is not cancelled at once, if there is just one.
    fn only_way(&self, region: RegionId) -> Option<Option<ListId>> {
        let item = &self.host.regions[region];
        if !matches!(item.op.name(), scf::If::NAME | scf::IndexSwitch::NAME) {
            return None;
        }
        let is_cancelled = |list: &Option<ListId>| {
            list.is_some_and(|list| {
                let summary = self.host.lists[list].summary;
                summary.messages == 0 && summary.ending == Ending::Stopped
            })
        };
        let mut ways = item.lists.iter().filter(|list| !is_cancelled(list));
        let way = *ways.next()?;
        let cancelled = item.lists.iter().any(is_cancelled);
        (cancelled && ways.next().is_none()).then_some(way)
    }

    /// Whether the graph is at the same branch, of which the host has one way. A guess: if it is wrong, no proof is found. Of branches inside,
    /// either side may have some that the other one has not; the first message of the way is at the same place in both.
    fn graph_has(&self, region: RegionId, way: Option<ListId>) -> bool {
        let At::Item(Item::Region(other)) = self.graph_at() else {
            return false;
        };
        let (one, other) = (&self.host.regions[region], &self.graph.regions[other]);
        let first_of_graph = || {
            let place = one.lists.iter().position(|list| *list == way)?;
            let list = other.lists.get(place).copied().flatten()?;
            self.graph.lists[list].summary.first
        };
        let begins_alike = || {
            let first = way.and_then(|list| self.host.lists[list].summary.first);
            first.is_some() && first == first_of_graph()
        };
        one.op.name() == other.op.name()
            && (one.op.location() == other.op.location()
                || one.summary.shape == other.summary.shape
                || begins_alike())
    }

    fn host_passes(&mut self) {
        if let Some((_, at)) = self.top_mut().host.last_mut() {
            *at += 1;
        }
    }

    pub(crate) fn graph_passes(&mut self) {
        if let Some((_, at)) = &mut self.top_mut().graph {
            *at += 1;
        }
    }

    fn host_moves(&mut self) -> bool {
        let mut moved = false;
        loop {
            match self.host_at() {
                At::Item(Item::Send(op, channel)) if self.has_room(channel) => {
                    let at = self.scene().host.len();
                    self.send(op, channel, at, true);
                    self.scene().host.push(Step::Send(usize::MAX));
                }
                At::Item(Item::Receive(op, channel)) if self.has_message(channel) => {
                    let at = self.scene().host.len();
                    let (message, sent) = self.receive(op, channel, at);
                    let scene = self.scene();
                    scene.host.push(Step::Receive(message));
                    scene.graph[sent] = Step::Send(message);
                    scene.order.push(Proved::ToHost(channel));
                }
                _ => return moved,
            }
            self.host_passes();
            moved = true;
        }
    }

    fn graph_moves(&mut self) -> bool {
        let mut moved = false;
        loop {
            match self.graph_at() {
                At::Item(Item::Send(op, channel)) if self.has_room(channel) => {
                    let at = self.scene().graph.len();
                    self.send(op, channel, at, false);
                    self.scene().graph.push(Step::Send(usize::MAX));
                }
                At::Item(Item::Receive(op, channel)) if self.has_message(channel) => {
                    let at = self.scene().graph.len();
                    let (message, sent) = self.receive(op, channel, at);
                    let scene = self.scene();
                    scene.graph.push(Step::Receive(message));
                    scene.host[sent] = Step::Send(message);
                    scene.order.push(Proved::ToGraph(channel));
                }
                _ => return moved,
            }
            self.graph_passes();
            moved = true;
        }
    }

    fn has_room(&self, channel: u32) -> bool {
        !self.flying.contains_key(&channel)
    }

    /// Whether a message of the same run of the region can be received.
    fn has_message(&self, channel: u32) -> bool {
        let flying = self.flying.get(&channel);
        flying.is_some_and(|flying| flying.scene == self.top().scene)
    }

    fn send(&mut self, send: Op<'a>, channel: u32, at: usize, by_host: bool) {
        let scene = self.top().scene;
        let flying = Flying {
            send,
            scene,
            at,
            by_host,
            in_a_trip: !by_host && !self.top().followed.is_empty(),
        };
        self.flying.insert(channel, flying);
        self.top_mut().flying += 1;
    }

    /// The number of the message, and where it was sent.
    fn receive(&mut self, receive: Op<'a>, channel: u32, received: usize) -> (usize, usize) {
        let flying = self
            .flying
            .remove(&channel)
            .expect("there is a message to receive");
        self.top_mut().flying -= 1;
        let in_a_trip = flying.by_host && !self.top().followed.is_empty();
        if !in_a_trip && !flying.in_a_trip {
            self.meeting
                .received
                .insert(receive, flying.send.operand(0));
        }
        let messages = &mut self.scene().messages;
        messages.push(Message {
            channel,
            sent: flying.at,
            received,
        });
        (messages.len() - 1, flying.at)
    }

    /// Both sides pass control flow.
    fn together(&mut self, host: RegionId, graph: RegionId) -> Result<(), Reject<'a>> {
        let (one, other) = (&self.host.regions[host], &self.graph.regions[graph]);
        let (host_op, graph_op) = (one.op, other.op);
        if host_op.name() != graph_op.name() || cases(host_op) != cases(graph_op) {
            return Err(self.other_control(host_op, graph_op));
        }
        self.claim(host_op, graph_op);
        let lists: Vec<_> = one
            .lists
            .iter()
            .copied()
            .zip(other.lists.iter().copied())
            .collect();
        let pair = self.meeting.pairs.len();
        let scene = self.scene();
        scene.host.push(Step::Pair(pair));
        scene.graph.push(Step::Pair(pair));
        scene.order.push(Proved::Pair(pair));
        let (host_at, graph_at) = (scene.host.len() - 1, scene.graph.len() - 1);
        self.host_passes();
        self.graph_passes();
        let first = self.frames.len();
        let around = Around {
            host: host_op,
            graph: graph_op,
            frame: first - 1,
        };
        let mut scenes = Vec::new();
        for ((host, graph), region) in lists.into_iter().zip(graph_op.regions()) {
            let frame = self.frame(host, graph, region.entry(), Some(around));
            scenes.push(frame.scene);
            self.frames.push(frame);
        }
        self.frames[first..].reverse();
        self.meeting.pairs.push(Pair {
            host: host_op,
            graph: graph_op,
            host_at,
            graph_at,
            scenes,
        });
        Ok(())
    }

    /// What decides about control flow must be the same.
    fn claim(&mut self, host_op: Op<'a>, graph_op: Op<'a>) {
        let mut claim = |host, graph| {
            self.meeting.claims.push(Claim {
                host,
                graph,
                host_op,
                graph_op,
            })
        };
        match host_op.name() {
            scf::For::NAME => (0..FOR_BOUNDS)
                .for_each(|bound| claim(host_op.operand(bound), graph_op.operand(bound))),
            scf::While::NAME => {
                let condition = |op: Op<'a>| op.region(0).entry().and_then(|block| block.last());
                if let (Some(host), Some(graph)) = (condition(host_op), condition(graph_op))
                    && host.num_operands() > 0
                    && graph.num_operands() > 0
                {
                    claim(host.operand(0), graph.operand(0));
                }
            }
            _ => claim(host_op.operand(0), graph_op.operand(0)),
        }
    }

    /// Ends the innermost scene.
    fn end(&mut self, ending: Ending) -> Result<(), Reject<'a>> {
        self.scene().ending = ending;
        if ending == Ending::Stopped {
            let block = self.top().block;
            self.meeting.dead_ends.extend(block);
            self.note_what_is_left();
        }
        if self.top().flying > 0 {
            let scene = self.top().scene;
            if ending == Ending::Stopped {
                // The graph is cancelled, its messages with it.
                self.flying.retain(|_, flying| flying.scene != scene);
            } else {
                return Err(self.never_received(scene));
            }
        }
        self.frames.pop();
        Ok(())
    }

    /// When the host waits for the end, nothing may be left to do around.
    fn nothing_left(&self, finish: Op<'a>) -> Result<(), Reject<'a>> {
        // The other ways through what is around are not taken in this run.
        let mut at = Some(self.top());
        while let Some(frame) = at {
            if frame.flying > 0 {
                return Err(self.never_received(frame.scene));
            }
            let left = frame
                .graph
                .and_then(|(list, at)| self.graph.lists[list].items.get(at));
            if let Some(&item) = left {
                return Err(self.stuck(At::Item(Item::Finish(finish)), At::Item(item)));
            }
            at = frame.around.map(|around| &self.frames[around.frame]);
        }
        Ok(())
    }
}

impl<'a> Frame<'a> {
    /// Whether what the host passed last was its end in this scene, by cancelling the graph on each way.
    fn host_is_stopped(&self, host: &Projection<'a>) -> bool {
        let Some(&(list, at)) = self.host.first() else {
            return false;
        };
        at > 0
            && at == host.lists[list].items.len()
            && host.lists[list].summary.ending == Ending::Stopped
    }
}

/// `scf.for` has a lower bound, an upper bound and a step before its initial values.
pub(crate) const FOR_BOUNDS: usize = 3;
