//! The policy language: every key, its type and its meaning.

use super::expect::Expect;
use super::quantity::{
    Bandwidth, Bytes, Duration, Metres, Number, PerPacket, Percent, Speed, Switch, Text, Threshold,
};
use super::read::{Code, Codes, Entries, Exactly, Globs, section};
use super::yaml::Located;
use crate::model::{PfcMode, SchedulerKind, Trust, words};

/// The policy language that this version reads.
pub const VERSION: u8 = 1;

/// The name of the class that stands for everything else.
pub const DEFAULT_CLASS: &str = "default";

words! {
    /// How much a finding matters.
    Severity {
        /// Traffic is lost, or not lossless at all.
        Critical = "critical",
        /// Loss under load.
        High = "high",
        /// Degraded, or a guard missing.
        Medium = "medium",
        /// Worth tidying.
        Low = "low",
        /// For information.
        Info = "info",
    }
}

words! {
    /// Whether a lossless priority group has to have headroom.
    Headroom {
        /// Enough for speed, cable and MTU.
        Required = "required",
        /// Not judged.
        Any = "any",
    }
}

words! {
    /// How the fabric spreads traffic over equal paths.
    Routing {
        /// By flow hash: packets of one flow stay in order.
        Ecmp = "ecmp",
        /// Dynamic load balancing by flowlet.
        Dlb = "dlb",
        /// Packet by packet: out-of-order arrival is normal.
        Spray = "spray",
    }
}

words! {
    /// What to do with ports in a state in which they carry nothing.
    PortState {
        /// Not judged.
        Skip = "skip",
        /// Judged, told as information.
        Info = "info",
        /// Judged like any other.
        Judge = "judge",
    }
}

words! {
    /// What an assert is evaluated for.
    Each {
        /// Once a device; `device` is known.
        Device = "device",
        /// Once a port; `device`, `port` and `nic` are known.
        Port = "port",
    }
}

words! {
    /// Which hosts a load test pairs.
    Pairs {
        /// Every host with every other.
        All = "all",
        /// Each host with the next.
        Ring = "ring",
    }
}

section! {
    /// A policy: what the fabric is meant to be.
    Policy includes body: Body {
        /// The version of the policy language: 1, also when not given.
        version: Located<Code<255>>,
        /// The policy's name, as reports show it.
        name: Located<String>,
        /// Which ports are judged.
        scope: Scope,
        /// Checks that must not stay unknown or skipped (globs).
        require: Vec<Located<Globs>>,
        /// Severities other than the checks' own; globs allowed.
        severity: Entries<Located<Exactly<Severity>>>,
        /// Checks that are not run.
        disable: Vec<Disable>,
        /// Findings that are accepted, some for a time.
        waivers: Vec<Waiver>,
        /// Role names; the first that matches wins, an inventory's role before all.
        roles: Entries<RoleSelector>,
        /// Partial policies over this one, in order.
        overrides: Vec<Override>,
        /// Conditions over the model in CEL.
        assert: Vec<Assert>,
    }
}

section! {
    /// What can be expected of devices; an override may restate any of it.
    Body {
        /// The traffic classes that cross the fabric, by name.
        classes: Entries<ClassSection>,
        /// Which field of a packet switches classify by.
        trust: Located<Expect<Trust>>,
        /// Priority flow control (802.1Qbb).
        pfc: Pfc,
        /// Maximum transmission units.
        mtu: Mtu,
        /// Buffers.
        buffers: Buffers,
        /// The fabric as a whole.
        fabric: Fabric,
        /// RDMA interfaces of hosts.
        nic: Nic,
        /// Firmware and operating system versions.
        bom: Bom,
        /// Limits on counters between two samples.
        counters: Counters,
        /// What a load test has to reach, and how it runs.
        load: Load,
        /// Which host interfaces belong to which switches.
        rails: Entries<Rail>,
    }
}

section! {
    /// One traffic class.
    ClassSection {
        /// DSCP values that belong to the class, 0 to 63.
        dscp: Located<Codes<63>>,
        /// 802.1p code points that belong to the class, 0 to 7.
        pcp: Located<Codes<7>>,
        /// The class's 802.1p / PFC priority, 0 to 7.
        priority: Located<Code<7>>,
        /// The switch's internal traffic class; not given, not judged by number.
        tc: Located<Expect<Number>>,
        /// The egress queue; not given, not judged by number.
        queue: Located<Expect<Number>>,
        /// The ingress priority group; not given, not judged by number.
        pg: Located<Expect<Number>>,
        /// Whether the class must not lose packets to congestion.
        lossless: Located<Exactly<Switch>>,
        /// Whether this is the class of congestion notification packets.
        cnp: Located<Exactly<Switch>>,
        /// ECN marking; given (even empty), the class must be marked.
        ecn: Ecn,
        /// How the class's queue is served.
        scheduler: Scheduler,
    }
}

section! {
    /// ECN marking of a class's queue.
    Ecn {
        /// Fill where marking starts. Compared within 7 %.
        min: Located<Expect<Threshold>>,
        /// Fill where marking reaches its probability. Compared within 7 %.
        max: Located<Expect<Threshold>>,
        /// Marking probability at `max`.
        probability: Located<Expect<Percent>>,
    }
}

section! {
    /// Scheduling of a class's queue.
    Scheduler {
        /// Strict or weighted.
        kind: Located<Expect<SchedulerKind>>,
        /// Share among the weighted queues of what the strict ones leave.
        share: Located<Expect<Percent>>,
    }
}

section! {
    /// Priority flow control.
    Pfc {
        /// Static (`on`), negotiated (`auto`) or off.
        mode: Located<Expect<PfcMode>>,
        /// The PFC watchdog; given (even empty), it must run.
        watchdog: Watchdog,
        /// Link-level pause (802.3x).
        link_pause: Located<Expect<Switch>>,
    }
}

section! {
    /// The PFC watchdog of lossless priorities.
    Watchdog {
        /// Time in which a stuck queue is found.
        detection: Located<Expect<Duration>>,
        /// Time after which the queue is restored.
        restoration: Located<Expect<Duration>>,
        /// What it does with a stuck queue (`drop`, `forward`, …).
        action: Located<Expect<Text>>,
    }
}

section! {
    /// Usable IP payload, in bytes, whatever the platform counts.
    Mtu {
        /// Switch ports.
        switch: Located<Expect<Bytes>>,
        /// Host interfaces.
        host: Located<Expect<Bytes>>,
        /// The RDMA path MTU.
        rdma: Located<Expect<Bytes>>,
    }
}

section! {
    /// Buffers of lossless priority groups.
    Buffers {
        /// Whether headroom has to be there.
        headroom: Located<Exactly<Headroom>>,
        /// Cable length where the device doesn't know it.
        cable: Located<Exactly<Metres>>,
    }
}

section! {
    /// The fabric as a whole.
    Fabric {
        /// How traffic is spread over equal paths.
        routing: Located<Exactly<Routing>>,
    }
}

section! {
    /// RDMA interfaces of hosts.
    Nic {
        /// The GID type in use: `rocev2`.
        gid: Located<Expect<Text>>,
        /// End-to-end congestion control.
        dcqcn: Dcqcn,
        /// Whether what runs must be what the next boot brings.
        persistent: Located<Expect<Switch>>,
    }
}

section! {
    /// DCQCN on the NIC.
    Dcqcn {
        /// Whether it runs, as reaction and notification point.
        enabled: Located<Expect<Switch>>,
        /// Its parameters, by the driver's names.
        params: Entries<Located<Expect<Number>>>,
    }
}

section! {
    /// Versions, as text with globs, or compared.
    Bom {
        /// Firmware by part number (PSID).
        firmware: Entries<Located<Expect<Text>>>,
        /// Operating system by platform.
        os: Entries<Located<Expect<Text>>>,
    }
}

section! {
    /// Limits on what counters may grow by between two samples.
    Counters {
        /// Packets dropped in lossless classes.
        lossless_drops: Located<Expect<Number>>,
        /// PFC watchdog actions.
        watchdog_trips: Located<Expect<Number>>,
        /// Uncorrectable FEC blocks and symbol errors.
        uncorrectable: Located<Expect<Number>>,
        /// Link state changes.
        flaps: Located<Expect<Number>>,
        /// Part of the time in which a priority was paused.
        pause: Located<Expect<Percent>>,
        /// Retransmissions for each packet.
        retransmits: Located<Expect<PerPacket>>,
    }
}

section! {
    /// Load tests.
    Load {
        /// Bandwidth of a pair.
        bandwidth: Located<Expect<Bandwidth>>,
        /// How far a pair may stay below the median of all.
        below_median: Located<Expect<Percent>>,
        /// Which hosts are paired.
        pairs: Located<Exactly<Pairs>>,
        /// Queue pairs of one run, 1 to 255.
        qps: Located<Code<255>>,
        /// Message size.
        message: Located<Exactly<Bytes>>,
        /// How long a pair runs.
        duration: Located<Exactly<Duration>>,
    }
}

section! {
    /// A rail: the interfaces that belong to the same switches.
    Rail {
        /// Host interfaces (globs).
        hosts: Located<Globs>,
        /// Switches (globs).
        switches: Located<Globs>,
    }
}

section! {
    /// Which ports are judged.
    Scope {
        /// By name.
        ports: ScopePorts,
        /// Ports that are administratively down.
        admin_down: Located<Exactly<PortState>>,
        /// Ports that are up by configuration and down in operation.
        oper_down: Located<Exactly<PortState>>,
    }
}

section! {
    /// Ports by name.
    ScopePorts {
        /// Ports that are not judged (globs).
        exclude: Located<Globs>,
    }
}

section! {
    /// Who has a role; all keys given must match.
    RoleSelector {
        /// Device names (globs).
        device: Located<Globs>,
        /// Port names (globs).
        port: Located<Globs>,
        /// What is at the other end: `host` or `switch` (globs).
        peer: Located<Globs>,
        /// Platforms (globs).
        platform: Located<Globs>,
    }
}

section! {
    /// Where an override applies; all keys given must match.
    When {
        /// Device names (globs).
        device: Located<Globs>,
        /// Port names (globs).
        port: Located<Globs>,
        /// Roles (globs).
        role: Located<Globs>,
        /// Port speed.
        speed: Located<Expect<Speed>>,
        /// What is at the other end: `host` or `switch` (globs).
        peer: Located<Globs>,
        /// Platforms (globs).
        platform: Located<Globs>,
    }
}

section! {
    /// A partial policy for some devices or ports.
    Override includes body: Body {
        /// Where it applies.
        when: When,
    }
}

section! {
    /// A check that is not run.
    Disable {
        /// The check (glob).
        check: Located<Globs>,
        /// Why not.
        reason: Located<String>,
    }
}

section! {
    /// A finding that is accepted.
    Waiver {
        /// The check (glob).
        check: Located<Globs>,
        /// Devices (globs); not given: all.
        device: Located<Globs>,
        /// Ports (globs); not given: all.
        port: Located<Globs>,
        /// Why it is accepted.
        reason: Located<String>,
        /// Who answers for it.
        owner: Located<String>,
        /// The last day (UTC) on which it holds, `YYYY-MM-DD`.
        expires: Located<Day>,
    }
}

section! {
    /// A condition over the model.
    Assert {
        /// The check identifier in findings, such as `site/no-25g`.
        id: Located<String>,
        /// Evaluated for each `device` or each `port`.
        each: Located<Exactly<Each>>,
        /// The condition, in CEL.
        expr: Located<String>,
        /// The finding's severity.
        severity: Located<Exactly<Severity>>,
        /// The finding's message.
        message: Located<String>,
    }
}

/// A calendar day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(pub jiff::civil::Date);

impl super::read::Leaf for Day {
    fn read(node: &super::yaml::Node, reader: &mut super::read::Reader) -> Option<Self> {
        let text = super::read::scalar(node, "a date such as \"2027-01-31\"", reader)?;
        match text.parse() {
            Ok(date) if text.len() == "YYYY-MM-DD".len() => Some(Day(date)),
            _ => reader.fail(
                node.position,
                format!(
                    "{} is not a date: write \"YYYY-MM-DD\"",
                    super::error::quoted(text)
                ),
            ),
        }
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl schemars::JsonSchema for Day {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date"})
    }
}
