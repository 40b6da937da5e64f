//! With which DSCP RDMA traffic leaves.

use super::at;
use crate::check::{About, Check, Detail, Judges, Needs, PortContext, Verdicts, map};
use crate::finding::Breaks;
use crate::model::NicField;
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
                of its own, and applications set theirs (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS). The \
                DSCP is the traffic class shifted right by two; the two low bits are ECN: 01 and \
                10 say that the sender understands marks, 11 says that congestion was met and \
                must never be sent.",
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
        let wanted = map::compact(&class.dscp.value);
        let Some(dscp) = nic.tos_dscp.get() else {
            out.report(
                Detail::unknown_fact("the DSCP of RDMA traffic", &nic.tos_dscp)
                    .class(class)
                    .policy(class.dscp.position)
                    .at(at(NicField::TosDscp)),
            );
            return;
        };
        let declared = cx.policy.class_of_dscp(dscp);
        let right = |class: &&Class| !class.cnp.value && (class.lossless.value || !lossless);
        let Some(declared) = declared.filter(right) else {
            let traffic_class = class.dscp.value.first().map_or(0, |dscp| dscp << 2 | 0b10);
            out.report(
                Detail::fail(format!("RDMA traffic leaves with DSCP {dscp}"))
                    .class(class)
                    .policy(class.dscp.position)
                    .expected(format!("DSCP {wanted}"))
                    .actual(format!("DSCP {dscp}"))
                    .kind(nic.tos_dscp.kind())
                    .at(at(NicField::TosDscp))
                    .remedy(Remedy::TrafficClass { traffic_class }),
            );
            return;
        };
        // As with the DSCP, what is forced comes before rdma_cm's default.
        let (tos, field) = match nic.traffic_class.get() {
            Some(forced) => (Some(forced), NicField::TrafficClass),
            None => (nic.rdma_cm_tos.get(), NicField::RdmaCmTos),
        };
        match tos.map(|tos| tos & 0b11) {
            Some(0b11) => out.report(
                Detail::fail("RDMA traffic leaves already marked as congested (ECN bits 11)")
                    .class(class)
                    .policy(class.dscp.position)
                    .expected("ECN bits 01 or 10")
                    .actual("11")
                    .at(at(field)),
            ),
            Some(0b01 | 0b10) => out.pass(),
            _ if declared.ecn.is_none() => out.pass(), // nothing marks this class
            // No NIC is known to be documented as setting ECT by itself. mlx5
            // passes the firmware only the DSCP of a RoCE v2 path (Linux,
            // mlx5_set_path), and what the firmware makes of the rest is not told.
            _ => out.report(
                Detail::unknown(
                    "whether the NIC sets the ECN bits by itself is unknown: the traffic class \
                     does not set them",
                )
                .class(class)
                .policy(class.dscp.position)
                .at(at(field)),
            ),
        }
    }
}
