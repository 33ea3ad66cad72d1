//! Replaces closures that control flow selects by a tag and their captures.
//!
//! ```text
//!   br ^join(closure @f(%x))             br ^join(0, %x)
//!   br ^join(closure @g(%y))      ──►    br ^join(1, %y)
//!   ^join(%c): apply %c(%a)              ^join(%tag, %k): switch %tag [0: call @f(%k, %a), 1: call @g(%k, %a)]
//! ```
//!
//! This is defunctionalization (Reynolds, "Definitional Interpreters for Higher-Order Programming
//! Languages", 1972), web by web. Functions share slots for captures of the same type, as the cases
//! of an enum do. A slot with the same value at all its uses is replaced by that value. A web with
//! one function needs no tag; a closure that is applied where it is made becomes a direct call.
//!
//! Cost: linear in the web's branches times its slots, and in its applications times its functions.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_dialects::host;

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::cfg::Cfg;
use crate::layout::TAG_BITS;
use crate::webs::{Kind, Web, undefined, webs};

/// Replaces the closed webs of a region, and calls closures that are applied where they are made.
/// Returns whether there was anything to do.
pub(crate) fn resolve(region: Region<'_>) -> bool {
    let (open, closed): (Vec<_>, Vec<_>) = webs(region, Kind::Closure)
        .into_iter()
        .partition(|web| web.is_open);
    // Other uses of the closure do not affect a call.
    let applied = open.iter().flat_map(|web| applications(web));
    let direct = applied.filter_map(|apply| {
        let maker = apply.closure().defining_op()?;
        maker.isa::<host::Closure>().then_some((maker, apply))
    });
    let direct: Vec<_> = direct.collect();
    for (maker, apply) in &direct {
        apply_known(*maker, *apply);
    }
    let webs: Vec<_> = closed
        .into_iter()
        .filter(|web| !web.readers.is_empty())
        .collect();
    if webs.is_empty() {
        return !direct.is_empty();
    }
    let dominance = Cfg::new(region);
    // All applications are collected before the first one splits a block.
    let apart: Vec<_> = webs.iter().map(|web| Apart::new(web, &dominance)).collect();
    apart.into_iter().for_each(Apart::rewrite);
    true
}

/// A function of the closures of a web.
struct Case<'a> {
    callee: &'a str,
    /// By capture: its slot.
    slots: Vec<usize>,
}

/// The contents of a slot.
struct Slot<'a> {
    ty: Type<'a>,
    /// The operand of a maker that is the value of the slot at all its uses; it stays valid when
    /// operands are replaced.
    same: Option<(Op<'a>, usize)>,
}

/// A web that is being replaced.
struct Apart<'w, 'a> {
    web: &'w Web<'a>,
    cases: Vec<Case<'a>>,
    slots: Vec<Slot<'a>>,
    /// The tag, if there is one, and the slots without a fixed value, for each value of the web.
    parts: HashMap<Value<'a>, Vec<Value<'a>>>,
}

impl<'w, 'a> Apart<'w, 'a> {
    fn new(web: &'w Web<'a>, dominance: &Cfg<'a>) -> Self {
        let mut apart = Self {
            web,
            cases: Vec::new(),
            slots: Vec::new(),
            parts: HashMap::default(),
        };
        let mut numbers = HashMap::default();
        let mut held: Vec<Held<'a>> = Vec::new();
        for maker in web.makers.iter().filter_map(|op| host::Closure::cast(*op)) {
            let callee = maker.callee();
            let case = *numbers.entry(callee).or_insert(apart.cases.len());
            if case == apart.cases.len() {
                let slots = apart.slots_for(maker);
                apart.cases.push(Case { callee, slots });
            }
            held.resize(apart.slots.len(), Held::Nothing);
            for (index, slot) in apart.cases[case].slots.iter().enumerate() {
                held[*slot].add(maker.op(), index);
            }
        }
        for (slot, held) in apart.slots.iter_mut().zip(&held) {
            slot.same = match held {
                Held::One(maker, index) if is_fixed(web, dominance, maker.operand(*index)) => {
                    Some((*maker, *index))
                }
                _ => None,
            };
        }
        apart
    }

    /// Captures take the first slots of their types that this function has not taken yet.
    fn slots_for(&mut self, maker: host::Closure<'a>) -> Vec<usize> {
        let mut taken = HashSet::default();
        let slot = |capture: Value<'a>| {
            let ty = capture.ty();
            let mut free = (0..self.slots.len()).filter(|slot| !taken.contains(slot));
            let found = free.find(|slot| self.slots[*slot].ty == ty);
            let slot = found.unwrap_or_else(|| {
                self.slots.push(Slot { ty, same: None });
                self.slots.len() - 1
            });
            taken.insert(slot);
            slot
        };
        maker.captures().iter().map(slot).collect()
    }

    fn has_tag(&self) -> bool {
        self.cases.len() > 1
    }

    fn tag_type(&self) -> Type<'a> {
        IntegerType::new(self.web.readers[0].context(), TAG_BITS).into()
    }

    /// Returns the types of the parts of a value.
    fn types(&self) -> Vec<Type<'a>> {
        let tag = self.has_tag().then(|| self.tag_type());
        let moving = self.slots.iter().filter(|slot| slot.same.is_none());
        tag.into_iter().chain(moving.map(|slot| slot.ty)).collect()
    }

    fn rewrite(mut self) {
        for maker in &self.web.makers {
            let parts = self.parts_of_maker(*maker);
            self.parts.insert(maker.result(0), parts);
        }
        let types = self.types();
        self.web.forward_parts(&types, &mut self.parts);
        // The last application of a block first: the operations before it stay in the block.
        for apply in applications(self.web).collect::<Vec<_>>().into_iter().rev() {
            self.apply(apply);
        }
        self.web.erase();
    }

    fn parts_of_maker(&self, maker: Op<'a>) -> Vec<Value<'a>> {
        let mut builder = Builder::before(maker);
        let callee = host::Closure::cast(maker).map(host::Closure::callee);
        let mut cases = self.cases.iter();
        let case = cases.position(|case| callee == Some(case.callee));
        let mut held: Vec<Option<Value<'a>>> = vec![None; self.slots.len()];
        if let Some(case) = case {
            for (slot, capture) in self.cases[case].slots.iter().zip(maker.operands()) {
                held[*slot] = Some(capture);
            }
        }
        let mut parts = Vec::new();
        if self.has_tag() {
            // The tag of an unread value is arbitrary.
            parts.push(builder.constant_int(case.unwrap_or(0) as i64, self.tag_type()));
        }
        let moving = self
            .slots
            .iter()
            .zip(held)
            .filter(|(slot, _)| slot.same.is_none());
        let mut undef = |ty| host::Undef::build(&mut builder, ty).result();
        parts.extend(moving.map(|(slot, held)| held.unwrap_or_else(|| undef(slot.ty))));
        parts
    }

    /// Builds a call of the function, or a switch between calls.
    fn apply(&self, apply: host::Apply<'a>) {
        if let Some(maker) = apply.closure().defining_op() {
            return apply_known(maker, apply);
        }
        let parts = &self.parts[&apply.closure()];
        let (tag, mut moving) = match self.has_tag() {
            true => (Some(parts[0]), parts[1..].iter()),
            false => (None, parts.iter()),
        };
        let held = self.slots.iter().map(|slot| match slot.same {
            Some((maker, index)) => maker.operand(index),
            None => *moving
                .next()
                .expect("there is a part for each slot that moves"),
        });
        let held: Vec<_> = held.collect();
        let types = apply.result_types();
        let call = |builder: &mut Builder<'a>, case: &Case<'a>| {
            let captures = case.slots.iter().map(|slot| held[*slot]);
            let operands: Vec<_> = captures.chain(apply.arguments().iter()).collect();
            let call = builder.call(case.callee, &operands, &types);
            call.results().collect::<Vec<_>>()
        };
        match tag {
            None => {
                let mut builder = Builder::before(apply.op());
                let results = match self.cases.first() {
                    Some(case) => call(&mut builder, case),
                    // Only unread values reach this point.
                    None => undefined(&mut builder, &types),
                };
                apply.replace_with(&results);
            }
            Some(tag) => self.choose(apply, tag, call),
        }
    }

    fn choose(
        &self,
        apply: host::Apply<'a>,
        tag: Value<'a>,
        call: impl Fn(&mut Builder<'a>, &Case<'a>) -> Vec<Value<'a>>,
    ) {
        let location = apply.location();
        let block = apply.block().expect("an application is in a block");
        let after = block.split_before(apply.op());
        let results = apply.results();
        let joined = results.map(|result| after.add_argument(result.ty(), location));
        let joined: Vec<_> = joined.collect();
        let mut blocks = Vec::new();
        for case in &self.cases {
            let chosen = Block::new(&[]);
            chosen.move_before(after);
            let mut builder = Builder::at_end(chosen, location);
            let results = call(&mut builder, case);
            builder.br(after, &results);
            blocks.push(chosen);
        }
        let last = blocks.pop().expect("a choice is between several");
        let cases = (0..).zip(blocks);
        let cases: Vec<_> = cases.map(|(tag, block)| (tag, block, &[][..])).collect();
        Builder::at_end(block, location).cf_switch(tag, (last, &[]), &cases);
        apply.replace_with(&joined);
    }
}

/// Replaces an application of the only closure of `maker` by a call, with the values captured
/// there.
fn apply_known<'a>(maker: Op<'a>, apply: host::Apply<'a>) {
    let mut builder = Builder::before(apply.op());
    let types = apply.result_types();
    let results = match host::Closure::cast(maker) {
        Some(maker) => {
            let captures = maker.captures().iter();
            let operands: Vec<_> = captures.chain(apply.arguments().iter()).collect();
            let call = builder.call(maker.callee(), &operands, &types);
            call.results().collect()
        }
        None => undefined(&mut builder, &types),
    };
    apply.replace_with(&results);
}

fn applications<'w, 'a>(web: &'w Web<'a>) -> impl Iterator<Item = host::Apply<'a>> + 'w {
    web.readers.iter().filter_map(|op| host::Apply::cast(*op))
}

/// The contents that the makers of a web give a slot.
#[derive(Clone, Copy)]
enum Held<'a> {
    Nothing,
    /// The value of an operand of a maker.
    One(Op<'a>, usize),
    Several,
}

impl<'a> Held<'a> {
    fn add(&mut self, maker: Op<'a>, index: usize) {
        *self = match *self {
            Self::Nothing => Self::One(maker, index),
            Self::One(other, at) if other.operand(at) == maker.operand(index) => *self,
            _ => Self::Several,
        };
    }
}

/// Returns whether a captured value is available and unchanged wherever the path decides which of
/// the web's values is read. If its block strictly dominates each block that forwards a value of
/// the web, control cannot pass its definition again between the creation of a closure and its
/// application without creating a new one.
fn is_fixed<'a>(web: &Web<'a>, dominance: &Cfg<'a>, value: Value<'a>) -> bool {
    let position = |block| dominance.find(block);
    let Some(home) = value.block() else {
        return false;
    };
    web.arguments.iter().all(|argument| {
        let (block, _) = argument.as_argument().expect("it is a block argument");
        match (position(home), position(block)) {
            (Some(home), Some(block)) => dominance.strictly_dominates(home, block),
            // Defined outside of the region.
            (home, _) => home.is_none(),
        }
    })
}
