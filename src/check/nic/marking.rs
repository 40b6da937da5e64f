//! With which DSCP RDMA traffic leaves.

use super::at;
use crate::check::{About, Check, Detail, Judges, Needs, PortContext, Verdicts, map};
use crate::finding::Breaks;
use crate::model::{Fact, Field, Kind, Nic, NicField};
use crate::platform::Remedy;
use crate::policy::{Class, Severity};

/// Marking of RDMA traffic.
pub struct Tos;

impl Check for Tos {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/tos",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "RDMA traffic is marked with the DSCP of a lossless class",
            explain: "A queue pair that is not told otherwise sends DSCP 0, into the default \
                class. The whole device can be forced to a traffic class, rdma_cm has a default \
                of its own, and applications set theirs (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS, the \
                ToS of NVMe-oF and Ceph). The DSCP is the traffic class shifted right by two; the \
                two low bits are ECN: 01 and 10 say that the sender understands marks, 11 says \
                that congestion was met and must never be sent. A forced class holds for queue \
                pairs that the kernel sets up; those that a GPU or a DevX library sets up keep \
                what the application asks for. A lossless class that nothing uses is told as \
                information: what was captured need not be all that runs.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::EGRESS
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        // Without lossless classes any declared class will do.
        let lossless = cx.policy.lossless_classes().next().is_some();
        let mut classes = cx.policy.classes.iter();
        let Some(class) = classes
            .find(|c| !c.dscp.value.is_empty() && !c.cnp.value && (c.lossless.value || !lossless))
        else {
            return;
        };
        let wanted = Wanted { class, lossless };
        let marks = marks(nic);
        let unknown = nic.applications.traffic_classes.iter();
        for (name, fact) in unknown.filter(|(_, fact)| fact.is_unknown()) {
            let field = Field::ApplicationClass(name.clone());
            wanted.tell(Detail::unknown_fact(name, fact).at(field), out);
        }
        // A class that may be forced would count more than what applications ask for.
        let forced = &nic.traffic_class;
        let open = *forced == Fact::default() && !marks.iter().any(|mark| mark.whole);
        if marks.is_empty() || open {
            let detail = Detail::unknown_fact("the DSCP of RDMA traffic", &nic.tos_dscp);
            wanted.tell(detail.at(at(NicField::TosDscp)), out);
        }
        let right: Vec<bool> = marks
            .iter()
            .map(|mark| wanted.judge(cx, nic, mark, out))
            .collect();
        if lossless && right.contains(&true) {
            unused(cx, &marks, out);
        }
    }
}

/// A source of the marking of RDMA traffic.
struct Mark {
    /// What it is, as people know it.
    what: String,
    dscp: u8,
    /// The ECN bits, where the source has any.
    ecn: Option<u8>,
    field: Field,
    kind: Kind,
    /// Whether it speaks for all traffic of the device.
    whole: bool,
    /// Whether another source counts more for most of the traffic.
    overridden: bool,
}

fn marks(nic: &Nic) -> Vec<Mark> {
    let byte = |what: &str, fact: &Fact<u8>, field: Field, whole: bool| {
        let tos = fact.get()?;
        Some(Mark {
            what: what.to_owned(),
            dscp: tos >> 2,
            ecn: Some(tos & 0b11),
            field,
            kind: fact.kind(),
            whole,
            overridden: false,
        })
    };
    let field = at(NicField::TrafficClass);
    let forced = byte("RDMA traffic", &nic.traffic_class, field, true);
    let is_forced = forced.is_some();
    let mut marks: Vec<Mark> = forced.into_iter().collect();
    if !is_forced {
        let field = at(NicField::RdmaCmTos);
        marks.extend(byte("RDMA traffic", &nic.rdma_cm_tos, field, true));
    }
    for (name, fact) in &nic.applications.traffic_classes {
        let mark = byte(
            &format!("what {name} governs"),
            fact,
            Field::ApplicationClass(name.clone()),
            false,
        );
        marks.extend(mark.map(|mark| Mark {
            overridden: is_forced,
            ..mark
        }));
    }
    if let (true, Some(dscp)) = (marks.is_empty(), nic.tos_dscp.get()) {
        marks.push(Mark {
            what: "RDMA traffic".to_owned(),
            dscp,
            ecn: None,
            field: at(NicField::TosDscp),
            kind: nic.tos_dscp.kind(),
            whole: true,
            overridden: false,
        });
    }
    marks
}

/// The class that marking is compared with.
struct Wanted<'p> {
    class: &'p Class,
    lossless: bool,
}

impl Wanted<'_> {
    fn tell(&self, detail: Detail, out: &mut Verdicts) {
        out.report(detail.class(self.class).policy(self.class.dscp.position));
    }

    /// Judges one source; whether it leads into a class that is asked for.
    fn judge(&self, cx: &PortContext<'_>, nic: &Nic, mark: &Mark, out: &mut Verdicts) -> bool {
        let declared = cx.policy.class_of_dscp(mark.dscp);
        let right = |class: &&Class| !class.cnp.value && (class.lossless.value || !self.lossless);
        let Some(declared) = declared.filter(right) else {
            let wanted = &self.class.dscp.value;
            let traffic_class = wanted.first().map_or(0, |dscp| dscp << 2 | 0b10);
            let text = match mark.overridden {
                false => format!("{} leaves with DSCP {}", mark.what, mark.dscp),
                true => format!(
                    "{} asks for DSCP {}: the forced class replaces it, but not for queue pairs \
                     that a GPU or a DevX library sets up",
                    mark.what, mark.dscp
                ),
            };
            let detail = Detail::fail(text)
                .expected(format!("DSCP {}", map::compact(wanted)))
                .actual(format!("DSCP {}", mark.dscp))
                .kind(mark.kind)
                .at(mark.field.clone());
            let detail = match mark.overridden {
                true => detail.severity(Severity::Info),
                // What an application asks for is set with it.
                false if mark.whole => detail.remedy(Remedy::TrafficClass { traffic_class }),
                false => detail,
            };
            self.tell(detail, out);
            return false;
        };
        match mark.ecn {
            Some(0b11) if mark.overridden => {}
            Some(0b11) => self.tell(
                Detail::fail(format!(
                    "{} leaves already marked as congested (ECN bits 11)",
                    mark.what
                ))
                .expected("ECN bits 01 or 10")
                .actual("11")
                .at(mark.field.clone()),
                out,
            ),
            Some(0b01 | 0b10) => out.pass(),
            _ if declared.ecn.is_none() => out.pass(), // nothing marks this class
            _ if nic.sets_ect.get() == Some(true) => out.pass(),
            _ if mark.overridden => {}
            // No other NIC is known to be documented as setting ECT by itself.
            // mlx5 passes the firmware only the DSCP of a RoCE v2 path (Linux,
            // mlx5_set_path), and what the firmware makes of the rest is not told.
            _ => self.tell(
                Detail::unknown(
                    "whether the NIC sets the ECN bits by itself is unknown: the traffic class \
                     does not set them",
                )
                .at(mark.field.clone()),
                out,
            ),
        }
        true
    }
}

/// Classes that are lossless in the NIC, and that nothing captured uses.
fn unused(cx: &PortContext<'_>, marks: &[Mark], out: &mut Verdicts) {
    let on = cx.port.pfc.enabled.get().unwrap_or_default();
    for class in cx.policy.lossless_classes() {
        let priority = class.priority.as_ref().map(|priority| priority.value);
        let paused = priority.is_some_and(|priority| on.contains(priority));
        let dscp = &class.dscp.value;
        if !paused || dscp.is_empty() || marks.iter().any(|mark| dscp.contains(&mark.dscp)) {
            continue;
        }
        let mut used: Vec<u8> = marks.iter().map(|mark| mark.dscp).collect();
        used.sort_unstable();
        used.dedup();
        out.report(
            Detail::fail(format!(
                "class {} is lossless in the NIC, and nothing that was captured uses it",
                class.name.value
            ))
            .severity(Severity::Info)
            .class(class)
            .policy(class.dscp.position)
            .expected(format!("DSCP {}", map::compact(dscp)))
            .actual(format!("DSCP {}", map::compact(&used)))
            .at(Field::Port(crate::model::PortField::PfcEnabled)),
        );
    }
}
