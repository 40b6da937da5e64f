//! Buffers of lossless classes.

use super::pfc::lossless_classes;
use super::{About, Check, Detail, DeviceContext, Judges, Needs, PortContext, Verdicts};
use crate::fabric::class_path::{Step, class_group, class_queue};
use crate::fabric::headroom::{Link, minimum, response_time};
use crate::finding::Breaks;
use crate::model::{
    BufferPool, Device, DeviceKind, Fact, Field, GroupField, Kind, PoolMode, PortField,
    PriorityGroup, QueueField,
};
use crate::policy::{Class, Severity};

/// Every Ethernet port carries at least this much IP (IEEE 802.3).
const SMALLEST_MTU: u32 = 1500;

/// More than any RoCE NIC accepts as its MTU: mlx5 stops at 9,978, ice at 9,702.
const LARGEST_MTU: u32 = 10_000;

/// Ethernet header, one VLAN tag and FCS around an IP packet.
const FRAME_HEADER: u64 = 22;

/// Whether the policy asks for headroom.
fn required(cx: &PortContext<'_>) -> bool {
    let wanted = cx.policy.buffers.headroom.as_ref();
    wanted.is_some_and(|wanted| wanted.value.value == crate::policy::Headroom::Required)
}

/// Room for what arrives after the pause.
pub struct Headroom;

impl Check for Headroom {
    fn about(&self) -> &'static About {
        &About {
            id: "buffer/headroom",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::All,
            title: "Lossless priority groups have headroom for speed, cable and MTU",
            explain: "After a port has decided to pause, packets still arrive: the pause frame \
                waits for a frame that is being sent, travels the cable, and the peer ends the \
                frame that it has begun. Headroom is the room for them. The least that is needed \
                is: one frame of the port's MTU + the pause frame + 2 x cable x 5 ns/m x speed + \
                one RoCE frame; vendors add pipeline and response times, so their values are \
                larger. A group without headroom drops as soon as it pauses. Sizes that the \
                switch computes by itself at run time are accepted, if it counts on a cable that is \
                not shorter than the policy's. On a NIC the receive buffer \
                of the lossless priority must hold at least two frames.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::INGRESS
    }

    fn working(&self, cx: &PortContext<'_>) -> Vec<String> {
        if cx.is_host() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for (class, priority) in lossless_classes(cx) {
            let needed = minimum(&link(cx));
            let name = &class.name.value;
            lines.push(format!("class {name}, priority {priority}"));
            let terms = needed.terms.iter();
            lines.extend(terms.map(|t| format!("  {:>9} B  {}: {}", t.bytes, t.name, t.how)));
            lines.push(format!(
                "  {:>9} B  the least that is needed",
                needed.total_bytes
            ));
            let speed = cx.port.speed_mbps.get();
            if let Some((quanta, bytes)) = speed.and_then(response_time) {
                lines.push(format!(
                    "  {bytes:>9} B  response: at most, {quanta} quanta by IEEE 802.3 31B.3.7"
                ));
                lines.push(format!(
                    "  {:>9} B  the most that the standard lets arrive, by these terms",
                    needed.total_bytes + bytes
                ));
            }
            let group = class_group(cx.port, cx.device.kind, class).known();
            let group = group.and_then(|id| cx.port.priority_group(id));
            let headroom = group.map(|group| &group.buffer.headroom_bytes);
            lines.push(match headroom.map(|fact| (fact.get(), fact.because())) {
                Some((Some(bytes), _)) => format!("  {bytes:>9} B  configured"),
                Some((None, Some(why))) => format!("  configured: unknown, {why}"),
                Some((None, None)) | None => "  configured: no size".to_owned(),
            });
        }
        lines
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        if !required(cx) {
            return;
        }
        let mut done = Vec::new();
        for (class, priority) in lossless_classes(cx) {
            let group = match class_group(cx.port, cx.device.kind, class) {
                Step::To(id) if done.contains(&id) => continue,
                Step::To(id) => {
                    done.push(id);
                    cx.port.priority_group(id)
                }
                _ => None,
            };
            let Some(group) = group else {
                let sends = cx.port.pfc.tx.get();
                if sends.is_some_and(|sends| !sends.contains(priority)) {
                    continue; // pfc/missing tells it
                }
                out.report(
                    Detail::unknown(format!(
                        "the buffer of priority {priority} is not known from these captures"
                    ))
                    .class(class)
                    .policy(position(cx))
                    .at(Field::Group(priority, GroupField::Headroom)),
                );
                continue;
            };
            if cx.is_host() {
                receive_buffer(cx, class, group, out);
            } else {
                switch_group(cx, class, group, out);
            }
        }
    }
}

fn position(cx: &PortContext<'_>) -> crate::policy::Position {
    let headroom = cx.policy.buffers.headroom.as_ref();
    headroom.map(|located| located.position).unwrap_or_default()
}

/// The cable's length in metres: what the device knows, else the policy.
fn cable(cx: &PortContext<'_>) -> Option<u32> {
    cx.port.cable_m.get().or(declared_cable(cx))
}

fn declared_cable(cx: &PortContext<'_>) -> Option<u32> {
    let cable = cx.policy.buffers.cable.as_ref();
    cable.map(|cable| cable.value.value.0.round() as u32)
}

/// The link of the port. What is unknown counts as the least that it can be:
/// headroom that is too small even then is too small.
fn link(cx: &PortContext<'_>) -> Link {
    Link {
        speed_mbps: cx.port.speed_mbps.get().unwrap_or(0),
        cable_m: cable(cx).unwrap_or(0),
        mtu_ip: cx.port.mtu.ip.get().unwrap_or(SMALLEST_MTU),
    }
}

fn switch_group(cx: &PortContext<'_>, class: &Class, group: &PriorityGroup, out: &mut Verdicts) {
    let id = group.id;
    let lossless = Field::Group(id, GroupField::Lossless);
    match group.lossless.get() {
        Some(true) => {}
        Some(false) => {
            return out.report(
                Detail::fail(format!(
                    "priority group {id} of the lossless class {} has no headroom",
                    class.name.value
                ))
                .class(class)
                .policy(position(cx))
                .expected("a lossless buffer profile")
                .actual("none")
                .because(&group.lossless)
                .kind(group.lossless.kind())
                .at(lossless),
            );
        }
        None => {
            return out.report(
                Detail::unknown_fact(
                    &format!("whether priority group {id} is lossless"),
                    &group.lossless,
                )
                .class(class)
                .policy(position(cx))
                .at(lossless),
            );
        }
    }
    let headroom = &group.buffer.headroom_bytes;
    let Some(actual) = headroom.get() else {
        // Made by the switch itself at run time: it computes the sizes, from
        // the length of cable that it was told.
        if group.lossless.kind() == Kind::Default || matches!(headroom, Fact::NotApplicable) {
            return counts_on(cx, class, out);
        }
        return out.report(
            Detail::unknown_fact(&format!("the headroom of priority group {id}"), headroom)
                .class(class)
                .policy(position(cx))
                .at(Field::Group(id, GroupField::Headroom)),
        );
    };
    let (speed, cable, mtu) = (cx.port.speed_mbps.get(), cable(cx), cx.port.mtu.ip.get());
    let needed = minimum(&link(cx));
    if actual < needed.total_bytes {
        let link = match (speed, cable) {
            (Some(speed), Some(cable)) => {
                format!("{} Gb/s over {cable} m", f64::from(speed) / 1000.0)
            }
            _ => "any cable".to_owned(),
        };
        return out.report(
            Detail::fail(format!(
                "the headroom of priority group {id} is too small for {link}"
            ))
            .class(class)
            .policy(position(cx))
            .expected(format!(">= {}B", needed.total_bytes))
            .actual(format!("{actual}B"))
            .kind(headroom.kind())
            .at(Field::Group(id, GroupField::Headroom)),
        );
    }
    let missing = match (speed, cable, mtu) {
        (Some(_), Some(_), Some(_)) => return out.pass(),
        (None, ..) => "the port's speed",
        (_, None, _) => "the cable's length",
        _ => "the port's MTU",
    };
    out.report(
        Detail::unknown(format!(
            "whether the headroom of priority group {id} is enough is unknown: {missing} is unknown"
        ))
        .class(class)
        .policy(position(cx))
        .at(Field::Group(id, GroupField::Headroom)),
    );
}

/// The cable that the switch computes headroom for must not be shorter than
/// the declared one.
fn counts_on(cx: &PortContext<'_>, class: &Class, out: &mut Verdicts) {
    let asked = cx.policy.buffers.cable.as_ref();
    let position = asked.map(|cable| cable.position).unwrap_or_default();
    let (Some(set), Some(declared)) = (cx.port.cable_m.get(), declared_cable(cx)) else {
        return out.pass();
    };
    out.judge(set >= declared, || {
        Detail::fail("the switch computes headroom for a shorter cable than the declared one")
            .class(class)
            .policy(position)
            .expected(format!(">= {declared}m"))
            .actual(format!("{set}m"))
            .because(&cx.port.cable_m)
            .kind(cx.port.cable_m.kind())
            .at(Field::Port(PortField::Cable))
    });
}

/// A NIC's buffer: at least two frames, one that is arriving when it fills and
/// one on the way.
fn receive_buffer(cx: &PortContext<'_>, class: &Class, group: &PriorityGroup, out: &mut Verdicts) {
    let field = Field::Group(group.id, GroupField::Reserved);
    let size = &group.buffer.reserved_bytes;
    let Some(actual) = size.get() else {
        return out.report(
            Detail::unknown_fact(&format!("the size of receive buffer {}", group.id), size)
                .class(class)
                .policy(position(cx))
                .at(field),
        );
    };
    let mtu = cx.port.mtu.ip.get();
    let two_frames = |otherwise| 2 * (u64::from(mtu.unwrap_or(otherwise)) + FRAME_HEADER);
    let least = two_frames(SMALLEST_MTU);
    if actual >= two_frames(LARGEST_MTU) {
        return out.pass();
    }
    let detail = if actual < least {
        Detail::fail(format!(
            "receive buffer {} of the lossless class {} holds less than two frames",
            group.id, class.name.value
        ))
        .expected(format!(">= {least}B"))
        .actual(format!("{actual}B"))
        .kind(size.kind())
    } else {
        Detail::unknown(format!(
            "whether receive buffer {} holds two frames is unknown: the port's MTU is unknown",
            group.id
        ))
    };
    out.report(detail.class(class).policy(position(cx)).at(field));
}

/// The pool behind a lossless group.
pub struct Pool;

impl Check for Pool {
    fn about(&self) -> &'static About {
        &About {
            id: "buffer/pool",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The pool of a lossless priority group exists and has room",
            explain: "A priority group takes its buffer from a pool. A pool that is not defined \
                leaves the group without buffer on platforms that create it from configuration; \
                a pool of size 0 pauses at the first packet. In a dynamic model the switch \
                computes pool sizes, and no size is configured.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, _) in lossless_classes(cx) {
            let group = class_group(cx.port, DeviceKind::Switch, class).known();
            let Some(group) = group.and_then(|id| cx.port.priority_group(id)) else {
                continue;
            };
            let Some(name) = group.buffer.pool.value() else {
                continue; // made at run time, or told by buffer/headroom
            };
            let field = Field::Group(group.id, GroupField::Pool);
            match cx.device.pool(name) {
                None if cx.device.buffer_pools.is_empty() => out.report(
                    Detail::unknown(format!(
                        "whether the buffer pool {name} exists is unknown: no capture holds the \
                         pools"
                    ))
                    .class(class)
                    .at(field),
                ),
                None => out.report(
                    Detail::fail(format!("the buffer pool {name} does not exist"))
                        .class(class)
                        .expected("a pool with room")
                        .actual("not defined")
                        .at(field),
                ),
                Some(pool) => size_of(pool, class, out),
            }
        }
    }
}

fn size_of(pool: &BufferPool, class: &Class, out: &mut Verdicts) {
    let size = &pool.size_bytes;
    match size.get() {
        Some(bytes) => out.judge(bytes > 0, || {
            Detail::fail(format!("the buffer pool {} has size 0", pool.name))
                .class(class)
                .expected("> 0B")
                .actual("0B")
                .kind(size.kind())
                .at_origin(size.at())
        }),
        None if size.at().is_known() => out.report(
            Detail::unknown_fact(&format!("the size of the buffer pool {}", pool.name), size)
                .class(class)
                .at_origin(size.at()),
        ),
        None => {} // no size is configured: the switch computes it
    }
}

/// More headroom promised than the shared pool holds.
pub struct Oversubscribed;

impl Check for Oversubscribed {
    fn about(&self) -> &'static About {
        &About {
            id: "buffer/oversubscribed",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "Headroom is not promised beyond the configured over-subscription",
            explain: "A shared headroom pool is smaller than the sum of all headrooms on purpose: \
                not all ports pause at once. The configured ratio says how much smaller it may \
                be. Above it, enough ports pausing together overflow the pool, and packets are \
                lost on ports that did nothing wrong.",
        }
    }

    fn device(&self, cx: &DeviceContext<'_>, out: &mut Verdicts) {
        for pool in &cx.device.buffer_pools {
            let (Some(room), Some(ratio)) =
                (pool.headroom_bytes.get(), pool.oversubscription.get())
            else {
                continue; // no shared headroom is configured
            };
            // A ratio of 0 turns over-subscription off (SONiC, over_subscribe_ratio).
            if room == 0 || ratio.0 == 0 {
                continue;
            }
            let (promised, unknown) = promised(cx.device, pool);
            let allowed = room as f64 * ratio.as_f64();
            let detail = if promised as f64 > allowed {
                Detail::fail(format!(
                    "the ports are promised {promised} bytes of headroom from the pool {}",
                    pool.name
                ))
                .expected(format!("<= {allowed}B ({room}B x {ratio})"))
                .actual(format!("{promised}B"))
                .kind(pool.headroom_bytes.kind())
            } else if unknown > 0 {
                Detail::unknown(format!(
                    "how much headroom the ports are promised from the pool {} is unknown: the \
                     sizes of {unknown} lossless priority groups are unknown",
                    pool.name
                ))
            } else {
                out.pass();
                continue;
            };
            out.report(detail.at_origin(pool.headroom_bytes.at()));
        }
    }
}

/// The headroom that all lossless groups may take from a pool, and of how many
/// groups it is not known how much they may take, or whether from this pool.
fn promised(device: &Device, pool: &BufferPool) -> (u64, usize) {
    let mut sum = 0u64;
    let mut unknown = 0;
    for group in device.ports.iter().flat_map(|port| &port.priority_groups) {
        let own = group.buffer.pool.value().map(|name| *name == pool.name);
        match (group.lossless.get(), own, group.buffer.headroom_bytes.get()) {
            (Some(false), ..) | (_, Some(false), _) => {}
            (Some(true), Some(true), Some(bytes)) => sum = sum.saturating_add(bytes),
            _ => unknown += 1,
        }
    }
    (sum, unknown)
}

/// A small limit on the lossless egress queue.
pub struct Egress;

impl Check for Egress {
    fn about(&self) -> &'static About {
        &About {
            id: "buffer/egress",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Switches,
            title: "The egress queue of a lossless class is not limited to a small fill",
            explain: "Lossless traffic is held back by the ingress side. An egress limit below \
                what the ingress may hold drops packets on the way out, before any pause is \
                sent. Shipped profiles give the lossless egress queue the whole pool.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        for (class, _) in lossless_classes(cx) {
            let id = class_queue(cx.port, DeviceKind::Switch, class).known();
            let Some(queue) = id.and_then(|id| cx.port.queue(id)) else {
                continue;
            };
            let Some(limit) = queue.limit_bytes.get() else {
                continue; // no fixed limit
            };
            let field = Field::Queue(queue.id, QueueField::Limit);
            let Some(least) = least_egress(cx.device) else {
                out.report(
                    Detail::unknown(format!(
                        "whether the limit of egress queue {} is small is unknown: no size of an \
                         ingress pool is configured",
                        queue.id
                    ))
                    .class(class)
                    .at(field),
                );
                continue;
            };
            out.judge(limit >= least, || {
                Detail::fail(format!(
                    "egress queue {} of the lossless class {} is limited to {limit} bytes",
                    queue.id, class.name.value
                ))
                .class(class)
                .expected(format!(">= {least}B, half of the ingress pool"))
                .actual(format!("{limit}B"))
                .kind(queue.limit_bytes.kind())
                .at(field)
            });
        }
    }
}

/// Half of the largest ingress pool: shipped profiles give all of it, so less
/// than half is a limit that somebody set. Unknown sizes judge nothing.
fn least_egress(device: &Device) -> Option<u64> {
    let pools = device.buffer_pools.iter();
    let ingress = pools.filter(|pool| {
        pool.direction.get() != Some(crate::model::Direction::Egress)
            && pool.mode.get() != Some(PoolMode::Static)
    });
    let largest = ingress.filter_map(|pool| pool.size_bytes.get()).max()?;
    Some(largest / 2)
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
