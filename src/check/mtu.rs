//! Packet sizes.

use super::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::model::{Field, NicField, PortField};
use crate::platform::Remedy;
use crate::policy::{Bytes, Expect, Judgement, Located, Severity};

/// Usable IP MTU of a port.
pub struct Port;

impl Check for Port {
    fn about(&self) -> &'static About {
        &About {
            id: "mtu/port",
            severity: Severity::Medium,
            needs: Needs::Config,
            judges: Judges::All,
            title: "Every port carries the largest RoCE packet",
            explain: "An RDMA MTU of 4096 needs 4,200 bytes of IP on every hop; a smaller MTU \
                makes a NIC fall back to 1,024-byte packets, or a switch drop what is too large, \
                which no counter of a lossless class shows. What is compared is the usable IP \
                packet, whatever the platform counts.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let wanted = if cx.is_host() {
            &cx.policy.mtu.host
        } else {
            &cx.policy.mtu.switch
        };
        let Some(wanted) = wanted.as_ref().filter(|wanted| !wanted.value.is_any()) else {
            return;
        };
        let fact = &cx.port.mtu.ip;
        match fact.get() {
            Some(actual) => {
                let met = wanted.value.judge(&Bytes(f64::from(actual))) == Judgement::Met;
                out.judge(met, || {
                    let detail = Detail::fail(format!("the MTU is {actual} bytes of IP"))
                        .policy(wanted.position)
                        .expected(&wanted.value)
                        .actual(actual)
                        .kind(fact.kind())
                        .at(Field::Port(PortField::MtuIp));
                    match least(wanted) {
                        Some(ip_bytes) => detail.remedy(Remedy::Mtu { ip_bytes }),
                        None => detail,
                    }
                });
            }
            None => out.report(
                Detail::unknown_fact("the MTU", fact)
                    .policy(wanted.position)
                    .at(Field::Port(PortField::MtuIp)),
            ),
        }
    }
}

/// The smallest of the usual sizes that satisfies the policy.
fn least(wanted: &Located<Expect<Bytes>>) -> Option<u32> {
    let usual = [4200u32, 9000, 9100, 9216, 9214];
    let exact = wanted.value.exact().map(|bytes| bytes.0 as u32);
    exact.or_else(|| {
        usual
            .into_iter()
            .find(|bytes| wanted.value.judge(&Bytes(f64::from(*bytes))) == Judgement::Met)
    })
}

/// Active RDMA MTU.
pub struct Rdma;

impl Check for Rdma {
    fn about(&self) -> &'static About {
        &About {
            id: "mtu/rdma",
            severity: Severity::Medium,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "RDMA uses the packet size that the policy asks",
            explain: "The NIC takes the largest of 256 to 4096 bytes that fits the port's MTU: \
                1500 gives 1024, 4200 gives 4096. Small packets cost about 5 % of the bandwidth; \
                two ends that differ fail to connect, or hang.",
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let wanted = cx.policy.mtu.rdma.as_ref();
        let (Some(wanted), Some(nic)) = (wanted.filter(|w| !w.value.is_any()), &cx.port.nic) else {
            return;
        };
        let field = Field::Nic(NicField::RdmaMtu);
        match nic.rdma_mtu.get() {
            Some(actual) => {
                let met = wanted.value.judge(&Bytes(f64::from(actual))) == Judgement::Met;
                out.judge(met, || {
                    let mtu = cx.port.mtu.ip.get();
                    let mtu = mtu.map(|mtu| format!("; the port's MTU is {mtu}"));
                    Detail::fail(format!(
                        "the active RDMA MTU is {actual}{}",
                        mtu.unwrap_or_default()
                    ))
                    .policy(wanted.position)
                    .expected(&wanted.value)
                    .actual(actual)
                    .kind(nic.rdma_mtu.kind())
                    .at(field)
                });
            }
            None => out.report(
                Detail::unknown_fact("the active RDMA MTU", &nic.rdma_mtu)
                    .policy(wanted.position)
                    .at(field),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Port as PortMtu, Rdma};
    use crate::check::testing::{Told, host, host_port, judged, stated, switch};
    use crate::model::{DeviceKind, Mtu, MtuCounts, Port};
    use crate::platform::Remedy;

    fn port(raw: u32, counts: MtuCounts) -> Port {
        Port {
            mtu: Mtu::from_raw(stated(raw), counts),
            ..Port::new("Ethernet0")
        }
    }

    #[test]
    fn what_the_number_counts_does_not_matter() {
        // 4,200 bytes of IP are what an RDMA MTU of 4096 needs.
        for (raw, counts) in [
            (4200, MtuCounts::Ip),
            (4214, MtuCounts::L2),
            (4218, MtuCounts::Frame),
        ] {
            assert_eq!(switch(&PortMtu, &port(raw, counts)), Told::Pass);
            assert_eq!(switch(&PortMtu, &port(raw - 1, counts)), Told::Fail);
        }
        assert_eq!(switch(&PortMtu, &Port::new("Ethernet0")), Told::Unknown);
    }

    #[test]
    fn the_remedy_is_the_least_usual_size() {
        let short = port(1500, MtuCounts::Ip);
        let verdicts = judged(&PortMtu, DeviceKind::Switch, &short);
        let remedy = verdicts.details[0].remedy.clone();
        assert_eq!(remedy, Some(Remedy::Mtu { ip_bytes: 4200 }));
    }

    #[test]
    fn active_rdma_mtu() {
        let of = |mtu: u32| host_port(|nic| nic.rdma_mtu = stated(mtu));
        assert_eq!(host(&Rdma, &of(4096)), Told::Pass);
        assert_eq!(host(&Rdma, &of(1024)), Told::Fail);
        assert_eq!(host(&Rdma, &host_port(|_| ())), Told::Unknown);
    }
}
