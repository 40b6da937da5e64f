//! Queue profiles of the memory management unit (`platform trident mmu`):
//! headroom and thresholds of all lossless priority groups, in force once a
//! profile is applied.

use super::defaults;
use super::parse::{Config, Reader, Said};
use crate::model::port::GroupBuffer;
use crate::model::{BufferPool, Device, Direction, Fact, Milli, NoteKind, Origin};
use crate::platform::notes::Notes;
use crate::platform::text::statements::Statement;
use std::collections::HashMap;
use std::sync::Arc;

/// The name that the model gives to the shared headroom.
const POOL: &str = "headroom-pool";

/// What the configuration says of the platform's buffers.
#[derive(Default)]
pub struct Buffers<'t> {
    profiles: HashMap<&'t str, (Profile, Origin)>,
    applied: Said<&'t str>,
    /// `platform trident mmu headroom-pool limit`.
    limit: Said<Memory>,
}

/// A queue profile.
#[derive(Default)]
struct Profile {
    headroom: Said<Memory>,
    /// Of all priority groups, and of single ones.
    reserved: Said<Memory>,
    alpha: Said<Milli>,
    groups: [(Said<Memory>, Said<Milli>); 8],
}

/// An amount of memory; nothing where it counts cells, whose size depends on
/// the platform.
type Memory = Option<u64>;

/// `165100`, `bytes 165100`, `cells 650`.
fn memory(words: &[&str]) -> Option<Memory> {
    match words {
        [number] | ["bytes", number] => Some(Some(number.parse().ok()?)),
        ["cells", number] => number.parse::<u64>().ok().map(|_| None),
        _ => None,
    }
}

/// `1/16`, `8`.
fn alpha(word: &str) -> Option<Milli> {
    let (over, under) = word.split_once('/').unwrap_or((word, "1"));
    let (over, under): (u8, u8) = (over.parse().ok()?, under.parse().ok()?);
    (under > 0).then(|| Milli::from_f64(f64::from(over) / f64::from(under)))
}

impl Reader<'_> {
    /// What follows `platform trident mmu`.
    pub fn buffers<'t>(
        &mut self,
        words: &[&'t str],
        statement: &Statement<'_, 't>,
        config: &mut Config<'t>,
    ) {
        let at = self.at(statement);
        let buffers = &mut config.buffers;
        match words {
            ["queue", "profile", name, "apply"] => buffers.applied = Some((name, at)),
            ["queue", "profile", name] => {
                let entry = buffers.profiles.entry(name);
                let (profile, _) = entry.or_insert_with(|| (Profile::default(), at));
                for line in statement.children() {
                    let read = profile.line(&line.words(), self.at(&line));
                    self.unless(read, None, &line);
                }
            }
            ["headroom-pool", "limit", amount @ ..] => {
                let limit = memory(amount);
                self.unless(limit.is_some(), None, statement);
                buffers.limit = limit.map(|limit| (limit, at));
            }
            _ => self.unparsed(None, statement),
        }
    }
}

impl Profile {
    /// Whether the line is known.
    fn line(&mut self, words: &[&str], at: Origin) -> bool {
        fn set<T>(place: &mut Said<T>, value: Option<T>, at: Origin) -> bool {
            let read = value.is_some();
            if let Some(value) = value {
                *place = Some((value, at));
            }
            read
        }
        match words {
            ["ingress", "headroom", amount @ ..] => set(&mut self.headroom, memory(amount), at),
            ["ingress", "reserved", amount @ ..] => set(&mut self.reserved, memory(amount), at),
            ["ingress", "threshold", factor] => set(&mut self.alpha, alpha(factor), at),
            // How far below the threshold sending may go on.
            ["ingress", "resume", amount] => memory(&[amount]).is_some(),
            ["ingress", "priority-group", group, rest @ ..] => {
                let group: Option<usize> = group.parse().ok();
                let Some((reserved, factor)) = group.and_then(|n| self.groups.get_mut(n)) else {
                    return false;
                };
                match rest {
                    ["reserved", amount @ ..] => set(reserved, memory(amount), at),
                    ["threshold", word] => set(factor, alpha(word), at),
                    _ => false,
                }
            }
            // Egress limits move with the free memory: no fixed limit.
            ["egress", "unicast" | "multicast", "queue", _, rest @ ..] => match rest {
                ["reserved", amount @ ..] => memory(amount).is_some(),
                ["threshold", word] | ["drop-precedence", _, "drop-threshold", word] => {
                    alpha(word).is_some()
                }
                _ => false,
            },
            _ => false,
        }
    }
}

fn bytes(said: &Said<Memory>) -> Fact<u64> {
    match said {
        Some((Some(bytes), at)) => Fact::explicit(*bytes, *at),
        Some((None, at)) => Fact::unknown_at(&defaults::CELLS, *at),
        None => Fact::unknown(&defaults::NO_SIZE),
    }
}

/// What lossless groups of all ports share.
pub struct Groups {
    buffers: [Arc<GroupBuffer>; 8],
    /// The line that gives them headroom, where one does.
    headroom: Option<Origin>,
}

impl Groups {
    /// Adds the pool to the device, and tells of names that lead nowhere.
    pub fn new(device: &mut Device, config: &Config<'_>, notes: &mut Notes) -> Self {
        let Buffers {
            profiles,
            applied,
            limit,
        } = &config.buffers;
        if let Some((_, at)) = limit {
            device.buffer_pools.push(BufferPool {
                name: POOL.to_owned(),
                direction: Fact::explicit(Direction::Ingress, *at),
                mode: Fact::NotApplicable,
                size_bytes: bytes(limit),
                headroom_bytes: bytes(limit),
                oversubscription: Fact::NotApplicable,
            });
        }
        let none = Profile::default();
        let mut profile = &none;
        if let Some((name, at)) = applied {
            match profiles.get(name) {
                Some((found, _)) => profile = found,
                None => {
                    let text = format!("mmu queue profile {name} is applied and not defined");
                    notes.add(NoteKind::Unresolved, None, text, *at);
                }
            }
        }
        let pool = limit.map(|(_, at)| Fact::explicit(POOL.to_owned(), at));
        let buffers = profile.groups.each_ref().map(|(reserved, alpha)| {
            let alpha = alpha.or(profile.alpha);
            Arc::new(GroupBuffer {
                headroom_bytes: bytes(&profile.headroom),
                reserved_bytes: bytes(&reserved.or(profile.reserved)),
                pause_at_bytes: Fact::unknown(&defaults::NO_SIZE),
                resume_at_bytes: Fact::unknown(&defaults::NO_SIZE),
                alpha: match alpha {
                    Some((alpha, at)) => Fact::explicit(alpha, at),
                    None => Fact::unknown(&defaults::NO_SIZE),
                },
                pool: pool.clone().unwrap_or(Fact::NotApplicable),
            })
        });
        Groups {
            buffers,
            headroom: profile.headroom.map(|(_, at)| at),
        }
    }

    /// The group of a no-drop priority. Without a size the switch carves one
    /// by itself.
    pub fn of(&self, priority: u8, no_drop: Origin) -> crate::model::PriorityGroup {
        let mut group = crate::model::PriorityGroup::new(priority);
        group.lossless = match self.headroom {
            Some(at) => Fact::explicit(true, at),
            None => Fact::Default(true, (&defaults::NO_DROP_GROUP).into(), no_drop),
        };
        if let Some(buffer) = self.buffers.get(usize::from(priority)) {
            group.buffer = Arc::clone(buffer);
        }
        group
    }
}

impl<'t> Buffers<'t> {
    /// Profiles that are defined and not in force.
    pub fn idle(&self) -> impl Iterator<Item = (&'t str, Origin)> {
        let applied = self.applied.map(|(name, _)| name);
        let profiles = self.profiles.iter();
        let idle = profiles.filter(move |(name, _)| Some(**name) != applied);
        idle.map(|(name, (_, at))| (*name, *at))
    }
}
