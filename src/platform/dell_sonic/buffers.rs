//! Buffer pools and profiles → priority groups.

use super::config::{Config, Profile, Settings};
use super::defaults;
use super::facts::{Lookup, Reader};
use crate::model::{
    BufferPool, Device, Direction, Fact, GroupBuffer, LineOnly, MapName, Milli, Origin, Port,
    PriorityGroup,
};
use std::sync::Arc;

/// The pool of all ingress traffic.
const INGRESS: &str = "ingress_lossless_pool";
/// The pool of lossless queues.
const EGRESS: &str = "egress_lossless_pool";

/// The pools that lossless buffers bring, and the shared headroom.
pub fn pools(device: &mut Device, config: &Config<'_>) {
    let at = config
        .roce
        .as_ref()
        .map(|(_, at)| *at)
        .or(config.buffer_init);
    if at.is_some() {
        device.buffer_pools.extend([pool(INGRESS), pool(EGRESS)]);
    }
    for (name, size) in &config.pools {
        let known = device
            .buffer_pools
            .iter()
            .position(|pool| pool.name == *name);
        let n = known.unwrap_or_else(|| {
            device.buffer_pools.push(pool(name));
            device.buffer_pools.len() - 1
        });
        if let Some(pool) = device.buffer_pools.get_mut(n) {
            pool.headroom_bytes = size.clone();
        }
    }
}

/// A pool of which only the name is known.
pub fn pool(name: &str) -> BufferPool {
    let direction = match name.split('_').next() {
        Some("ingress") => Fact::default_of(Direction::Ingress, &defaults::LOSSLESS),
        Some("egress") => Fact::default_of(Direction::Egress, &defaults::LOSSLESS),
        _ => Fact::default(),
    };
    BufferPool {
        name: name.to_owned(),
        direction,
        mode: Fact::default(),
        size_bytes: Fact::default(),
        headroom_bytes: Fact::default(),
        oversubscription: Fact::default(),
    }
}

/// The priority groups of a port: those that send pause, and those to which a
/// line binds a profile.
pub fn groups<'t>(reader: &mut Reader<'_, 't, '_>, port: &mut Port, settings: &Settings<'t>) {
    let enabled = port.pfc.tx.get().unwrap_or_default();
    let mapped = port.maps.get(MapName::PfcToPg).is_known();
    let mut pausing = [None; 8];
    for priority in enabled.iter() {
        let group = match mapped {
            true => port.maps.value(MapName::PfcToPg, priority),
            false => Some(priority),
        };
        if let Some(place) = group.and_then(|id| pausing.get_mut(usize::from(id))) {
            *place = Some(priority);
        }
    }
    for (id, reference) in (0..8u8).zip(settings.groups) {
        let found = reader.find(
            port,
            |c, name| c.profiles.get(name),
            reference,
            "buffer profile",
        );
        let group = match found {
            Lookup::Found(profile, at) => Some((lossless(profile, at), sizes(profile), at)),
            Lookup::Dangling(_, at) => {
                Some((Fact::explicit(false, at), GroupBuffer::default(), at))
            }
            Lookup::Absent => pausing
                .get(usize::from(id))
                .copied()
                .flatten()
                .map(|priority| {
                    let made = of_itself(reader, settings, id, priority);
                    (made, computed(), Origin::NONE)
                }),
        };
        if let Some((lossless, buffer, at)) = group {
            port.priority_groups.push(PriorityGroup {
                id,
                lossless,
                buffer: Arc::new(buffer),
                attached: LineOnly(at),
            });
        }
    }
}

fn lossless(profile: &Profile<'_>, at: Origin) -> Fact<bool> {
    match profile.pause {
        Some(bytes) => Fact::explicit(bytes > 0, at),
        None => Fact::Default(false, (&defaults::NO_PAUSE_THRESHOLD).into(), at),
    }
}

/// Whether the switch makes this group lossless without a line of its own.
fn of_itself(
    reader: &Reader<'_, '_, '_>,
    settings: &Settings<'_>,
    group: u8,
    priority: u8,
) -> Fact<bool> {
    let config = reader.config();
    let roce = config.roce.as_ref().map(|(_, at)| *at);
    let Some(at) = roce.or(config.buffer_init) else {
        return match config.hostname {
            Some(_) => Fact::default_of(false, &defaults::NO_LOSSLESS),
            None => Fact::unknown(&defaults::NOT_WHOLE),
        };
    };
    if let Some(Fact::Explicit(false, at)) = settings.default_lossless {
        return Fact::Default(false, (&defaults::NO_DEFAULT_PROFILE).into(), at);
    }
    let own = roce.is_some() && reader.roce_priorities().contains(&priority);
    match own || defaults::ROCE_PRIORITIES.contains(&group) {
        true => Fact::Default(true, (&defaults::LOSSLESS).into(), at),
        false => Fact::Default(false, (&defaults::OTHER_GROUP).into(), at),
    }
}

fn computed() -> GroupBuffer {
    let why = &defaults::SIZES_AT_RUN_TIME;
    GroupBuffer {
        headroom_bytes: Fact::unknown(why),
        reserved_bytes: Fact::unknown(why),
        pause_at_bytes: Fact::NotApplicable,
        resume_at_bytes: Fact::unknown(why),
        alpha: Fact::unknown(why),
        pool: Fact::unknown(why),
    }
}

fn sizes(profile: &Profile<'_>) -> GroupBuffer {
    let bytes = |size: Option<u64>| match size {
        Some(bytes) => Fact::explicit(bytes, profile.at),
        None => Fact::unknown_at(&defaults::NO_PAUSE_THRESHOLD, profile.at),
    };
    GroupBuffer {
        // What it calls `pause-threshold` is SONiC's `xoff`.
        headroom_bytes: bytes(profile.pause),
        reserved_bytes: Fact::explicit(profile.size, profile.at),
        pause_at_bytes: match profile.fixed {
            Some(bytes) => Fact::explicit(bytes, profile.at),
            // It moves with what is free.
            None => Fact::NotApplicable,
        },
        resume_at_bytes: bytes(profile.resume),
        alpha: match profile.dynamic {
            Some(power) => Fact::explicit(Milli::from_f64(f64::from(power).exp2()), profile.at),
            None => Fact::NotApplicable,
        },
        pool: Fact::explicit(profile.pool.to_owned(), profile.at),
    }
}
