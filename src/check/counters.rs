//! Counters of one sample: since boot or last clear, so what they show may be
//! long past. All are told as information; limits apply to differences
//! between two samples.

use super::pfc::lossless;
use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::model::{CounterField, Counters, Fact, Field, PriorityCounterField};
use crate::policy::Severity;

/// Said of every counter of one sample.
const SINCE: &str = "since boot or last clear";

/// One counter: unknown, zero or told. A negative one was cleared on the device
/// since the tool that printed it took its reference.
fn told(
    fact: &Fact<i64>,
    what: impl Fn(i64) -> String,
    unknown: &str,
    field: Field,
    out: &mut Verdicts,
) {
    match fact.get() {
        Some(0) => out.pass(),
        Some(count) if count < 0 => out.report(
            Detail::unknown(format!("{unknown} is unknown: the counter is negative"))
                .actual(count)
                .at(field),
        ),
        Some(count) => out.report(
            Detail::fail(format!("{} {SINCE}", what(count)))
                .severity(Severity::Info)
                .expected(0)
                .actual(count)
                .at(field),
        ),
        None if fact.is_unknown() => out.report(Detail::unknown_fact(unknown, fact).at(field)),
        None => {}
    }
}

macro_rules! counter_check {
    ($name:ident, $id:literal, $judges:ident, $title:literal, $explain:literal, $judge:expr) => {
        #[doc = $title]
        pub struct $name;

        impl Check for $name {
            fn about(&self) -> &'static About {
                &About {
                    id: $id,
                    severity: Severity::High,
                    needs: Needs::Counters,
                    judges: Judges::$judges,
                    title: $title,
                    explain: $explain,
                }
            }

            fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
                let judge: fn(&PortContext<'_>, &Counters, &mut Verdicts) = $judge;
                if let Some(counters) = &cx.port.counters {
                    judge(cx, counters, out);
                }
            }
        }
    };
}

counter_check!(
    LosslessDrop,
    "counters/lossless-drop",
    All,
    "No packet of a lossless priority was dropped",
    "A lossless class that drops is not lossless: headroom, maps or PFC are wrong somewhere \
     before. One sample counts since boot or last clear, so take a second one some seconds later \
     to see whether it still grows. Zero counts only while the device keeps the counter.",
    |cx, counters, out| {
        for priority in lossless(cx).iter() {
            let field = Field::PriorityCounter(priority, PriorityCounterField::Drops);
            match counters.by_priority.get(&priority) {
                Some(one) => told(
                    &one.drops,
                    |count| format!("{count} packets of priority {priority} were dropped"),
                    &format!("how many packets of priority {priority} were dropped"),
                    field,
                    out,
                ),
                None => out.report(
                    Detail::unknown(format!("no capture counts drops of priority {priority}"))
                        .at(field),
                ),
            }
        }
    }
);

counter_check!(
    PfcStorm,
    "counters/pfc-storm",
    All,
    "Pause frames are seen only on lossless priorities",
    "Pause on a priority that is not lossless means that the peer sees another configuration, or \
     that buffers spill over. Pause on lossless priorities is PFC at work: its rate, not its \
     count, tells a storm, and that takes two samples. A NIC that sends pause while it waits for \
     PCIe is a host that takes its packets too slowly: the fabric is not the cause.",
    |cx, counters, out| {
        slow_receiver(counters, out);
        let enabled = cx.port.pfc.enabled.get().unwrap_or_else(|| lossless(cx));
        for (priority, one) in &counters.by_priority {
            if enabled.contains(*priority) {
                continue;
            }
            for (fact, way, name) in [
                (&one.rx_pause, "received", PriorityCounterField::RxPause),
                (&one.tx_pause, "sent", PriorityCounterField::TxPause),
            ] {
                told(
                    fact,
                    |count| {
                        format!(
                            "{count} pause frames were {way} for priority {priority}, which is \
                             not lossless,"
                        )
                    },
                    &format!("how many pause frames were {way} for priority {priority}"),
                    Field::PriorityCounter(*priority, name),
                    out,
                );
            }
        }
    }
);

/// Pause sent beside waits for PCIe: the host is slow, not the fabric.
fn slow_receiver(counters: &Counters, out: &mut Verdicts) {
    let stalls = counters.pcie_stalls.get().filter(|count| *count > 0);
    let mut sent = counters.by_priority.iter().filter_map(|(priority, one)| {
        let count = one.tx_pause.get().filter(|count| *count > 0)?;
        Some((*priority, count))
    });
    if let (Some(stalls), Some((priority, count))) = (stalls, sent.next()) {
        out.report(
            Detail::fail(format!(
                "the NIC sent {count} pause frames for priority {priority} and waited for PCIe \
                 {stalls} times {SINCE}: this host takes packets too slowly"
            ))
            .severity(Severity::Info)
            .expected(0)
            .actual(stalls)
            .at(Field::Counter(CounterField::PcieStalls))
            .at(Field::PriorityCounter(
                priority,
                PriorityCounterField::TxPause,
            )),
        );
    }
}

counter_check!(
    Watchdog,
    "counters/watchdog",
    Switches,
    "The PFC watchdog has not tripped",
    "Each trip is a lossless queue that was stopped for too long and then emptied by dropping. \
     Find who sent the pause.",
    |_, counters, out| told(
        &counters.watchdog_trips,
        |count| format!("the PFC watchdog tripped {count} times"),
        "how often the PFC watchdog tripped",
        Field::Counter(CounterField::WatchdogTrips),
        out,
    )
);

counter_check!(
    Retransmit,
    "counters/retransmit",
    Hosts,
    "No RDMA packet was sent again or came out of order",
    "RDMA sends again what was lost. On a lossless fabric with one path a flow there is nothing \
     to send again; where packets are sprayed over paths, arrival out of order is normal. On many \
     NICs these counters have 32 bits and begin again at zero, so that one sample can be smaller \
     than the truth; differences between two samples have to allow for that.",
    |_, counters, out| {
        told(
            &counters.retransmits,
            |count| format!("{count} retransmissions"),
            "the number of retransmissions",
            Field::Counter(CounterField::Retransmits),
            out,
        );
        told(
            &counters.out_of_sequence,
            |count| format!("{count} packets came out of order"),
            "the number of packets out of order",
            Field::Counter(CounterField::OutOfSequence),
            out,
        );
    }
);

counter_check!(
    LinkError,
    "counters/link-error",
    All,
    "The link has no errors",
    "A packet with a bit error is dropped, lossless or not. Clean the fibre, reseat or replace \
     the optic or cable.",
    |_, counters, out| told(
        &counters.link_errors,
        |count| format!("{count} link errors"),
        "the number of link errors",
        Field::Counter(CounterField::LinkErrors),
        out,
    )
);

counter_check!(
    PauseGlobal,
    "counters/pause-global",
    All,
    "No link pause (802.3x) was seen",
    "Link pause stops all traffic of a port. Frames counted here mean that one end has it on, \
     whatever the configuration says.",
    |_, counters, out| {
        told(
            &counters.link_pause_rx,
            |count| format!("{count} link pause frames were received"),
            "how many link pause frames were received",
            Field::Counter(CounterField::LinkPauseRx),
            out,
        );
        told(
            &counters.link_pause_tx,
            |count| format!("{count} link pause frames were sent"),
            "how many link pause frames were sent",
            Field::Counter(CounterField::LinkPauseTx),
            out,
        );
    }
);

counter_check!(
    Class,
    "counters/class",
    Hosts,
    "Lossless traffic uses its priority",
    "Bytes on the lossless priority prove that the marking works end to end; none at all, while \
     other priorities are busy, means that RDMA goes unmarked or that nobody has used it yet. One \
     sample cannot tell these apart.",
    |cx, counters, out| {
        for priority in lossless(cx).iter() {
            let Some(one) = counters.by_priority.get(&priority) else {
                let field = Field::PriorityCounter(priority, PriorityCounterField::TxBytes);
                let what = format!("no capture counts bytes of priority {priority}");
                out.report(Detail::unknown(what).at(field));
                continue;
            };
            for (fact, way, name) in [
                (&one.tx_bytes, "sent", PriorityCounterField::TxBytes),
                (&one.rx_bytes, "received", PriorityCounterField::RxBytes),
            ] {
                let field = Field::PriorityCounter(priority, name);
                match fact.get() {
                    Some(0) => out.report(
                        Detail::fail(format!(
                            "nothing was {way} on the lossless priority {priority} {SINCE}"
                        ))
                        .severity(Severity::Info)
                        .expected("> 0B")
                        .actual("0B")
                        .at(field),
                    ),
                    Some(count) if count > 0 => out.pass(),
                    Some(count) => out.report(
                        Detail::unknown(format!(
                            "how much was {way} on priority {priority} is unknown: the counter is \
                             negative"
                        ))
                        .actual(count)
                        .at(field),
                    ),
                    None if fact.is_unknown() => out.report(
                        Detail::unknown_fact(
                            &format!("how much was {way} on priority {priority}"),
                            fact,
                        )
                        .at(field),
                    ),
                    None => {}
                }
            }
        }
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{Told, host, judged, stated, switch};
    use crate::model::{DeviceKind, Port, Priorities, PriorityCounters};

    fn port(counters: Counters) -> Port {
        let mut port = Port::new("Ethernet0");
        port.pfc.enabled = stated(Priorities::from_mask(0b1000));
        port.counters = Some(Box::new(counters));
        port
    }

    fn of_priority(priority: u8, counters: PriorityCounters) -> Port {
        port(Counters {
            by_priority: [(priority, counters)].into(),
            ..Counters::default()
        })
    }

    #[test]
    fn drops_of_a_lossless_priority() {
        let drops = |priority, drops| {
            let counters = PriorityCounters {
                drops,
                ..PriorityCounters::default()
            };
            switch(&LosslessDrop, &of_priority(priority, counters))
        };
        assert_eq!(drops(3, stated(0)), Told::Pass);
        assert_eq!(drops(3, stated(7)), Told::Fail);
        assert_eq!(drops(3, Fact::default()), Told::Unknown);
        // Cleared since the reference was taken: no drop is known, none is excluded.
        assert_eq!(drops(3, stated(-7)), Told::Unknown);
        assert_eq!(drops(0, stated(7)), Told::Unknown);
        assert_eq!(
            switch(&LosslessDrop, &Port::new("Ethernet0")),
            Told::Nothing
        );
    }

    #[test]
    fn one_sample_is_information_and_says_since_when() {
        let counters = PriorityCounters {
            drops: stated(7),
            ..PriorityCounters::default()
        };
        let port = of_priority(3, counters);
        let verdicts = judged(&LosslessDrop, DeviceKind::Switch, &port);
        let detail = &verdicts.details[0];
        assert_eq!(detail.severity, Some(Severity::Info));
        assert!(detail.message.contains("since boot or last clear"));
    }

    #[test]
    fn pause_where_nothing_is_lossless() {
        let pause = |priority, sent| {
            let counters = PriorityCounters {
                tx_pause: sent,
                rx_pause: stated(0),
                ..PriorityCounters::default()
            };
            switch(&PfcStorm, &of_priority(priority, counters))
        };
        assert_eq!(pause(0, stated(0)), Told::Pass);
        assert_eq!(pause(0, stated(15_437)), Told::Fail);
        assert_eq!(pause(0, Fact::default()), Told::Unknown);
        // PFC at work.
        assert_eq!(pause(3, stated(15_437)), Told::Nothing);
    }

    #[test]
    fn counters_of_the_whole_port() {
        type Set = fn(&mut Counters, Fact<i64>);
        let set: [(&dyn Check, Set); 4] = [
            (&Watchdog, |c, fact| c.watchdog_trips = fact),
            (&LinkError, |c, fact| c.link_errors = fact),
            (&PauseGlobal, |c, fact| {
                c.link_pause_tx = stated(0);
                c.link_pause_rx = fact;
            }),
            (&Retransmit, |c, fact| {
                c.retransmits = stated(0);
                c.out_of_sequence = fact;
            }),
        ];
        for (check, set) in set {
            let told = |fact| {
                let mut counters = Counters::default();
                set(&mut counters, fact);
                switch(check, &port(counters))
            };
            let id = check.about().id;
            assert_eq!(told(stated(0)), Told::Pass, "{id}");
            assert_eq!(told(stated(1)), Told::Fail, "{id}");
            assert_eq!(told(Fact::default()), Told::Unknown, "{id}");
        }
    }

    #[test]
    fn bytes_on_the_lossless_priority() {
        let bytes = |received| {
            let counters = PriorityCounters {
                tx_bytes: stated(3_964_146),
                rx_bytes: received,
                ..PriorityCounters::default()
            };
            host(&Class, &of_priority(3, counters))
        };
        assert_eq!(bytes(stated(4_015_359)), Told::Pass);
        // The peer sends unmarked: what it sends arrives on another priority.
        assert_eq!(bytes(stated(0)), Told::Fail);
        assert_eq!(bytes(Fact::default()), Told::Unknown);
        assert_eq!(host(&Class, &port(Counters::default())), Told::Unknown);
    }
}
