//! Versions of what the fabric is built of.

use super::{About, Check, Detail, DeviceContext, Judges, Needs, PortContext, Verdicts};
use crate::model::{Fact, Field, NicField};
use crate::policy::{Expect, Judgement, Located, Severity, Text};

/// Operating systems and firmware.
pub struct Version;

impl Check for Version {
    fn about(&self) -> &'static About {
        &About {
            id: "bom/version",
            severity: Severity::Low,
            needs: Needs::Config,
            judges: Judges::All,
            title: "Operating systems and NIC firmware are of the versions that the policy names",
            explain: "A fabric is accepted as a whole: with other firmware a NIC marks, paces or \
                recovers differently, and with another release a switch counts headroom anew. \
                Versions are compared as text with globs (202311.*), or in order (>= 28.39.2048). \
                Firmware is named by the card's part number (PSID). Only what the policy names is \
                judged.",
        }
    }

    fn device(&self, cx: &DeviceContext<'_>, out: &mut Verdicts) {
        let systems = cx.policy.bom.os.as_ref();
        let wanted = systems.and_then(|systems| systems.get(cx.device.platform));
        if let Some(wanted) = wanted {
            let fact = &cx.device.os_version;
            let what = format!("the version of {}", cx.device.platform);
            if let Some(detail) = judge(fact, wanted, &what, out) {
                out.report(detail.at_origin(fact.at()));
            }
        }
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let (Some(nic), Some(firmware)) = (&cx.port.nic, &cx.policy.bom.firmware) else {
            return;
        };
        let Some(part) = nic.part.value() else {
            if let (Some((name, _)), true) = (firmware.iter().next(), nic.part.is_unknown()) {
                out.report(
                    Detail::unknown_fact("the part number of the NIC", &nic.part)
                        .policy(name.position)
                        .at(Field::Nic(NicField::Part)),
                );
            }
            return;
        };
        if let Some(wanted) = firmware.get(part) {
            let what = format!("the firmware of {part}");
            if let Some(detail) = judge(&nic.firmware, wanted, &what, out) {
                out.report(detail.at(Field::Nic(NicField::Firmware)));
            }
        }
    }
}

/// A pass, or what to report.
fn judge(
    fact: &Fact<String>,
    wanted: &Located<Expect<Text>>,
    what: &str,
    out: &mut Verdicts,
) -> Option<Detail> {
    let detail = match fact.value() {
        None => Detail::unknown_fact(what, fact),
        Some(version) if wanted.value.judge(&Text::actual(version)) == Judgement::Met => {
            out.pass();
            return None;
        }
        Some(version) => Detail::fail(format!("{what} is not as the policy asks"))
            .expected(&wanted.value)
            .actual(version)
            .kind(fact.kind()),
    };
    Some(detail.policy(wanted.position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{Told, host_port, stated, verdicts_of};
    use crate::model::{Device, DeviceKind, Port};
    use crate::policy;

    const POLICY: &str =
        "version: 1\nbom: {firmware: {MT_1: \">= 28.39.2048\"}, os: {sonic: [\"202311.*\"]}}\n";

    fn port(part: Option<&str>, firmware: &str) -> Port {
        host_port(|nic| {
            if let Some(part) = part {
                nic.part = stated(part.to_owned());
            }
            nic.firmware = stated(firmware.to_owned());
        })
    }

    fn told(part: Option<&str>, firmware: &str) -> Told {
        let device = Device::new("gpu01", DeviceKind::Host, "linux");
        Told::from(&verdicts_of(
            &Version,
            &device,
            &port(part, firmware),
            POLICY,
        ))
    }

    #[test]
    fn firmware_is_compared_as_a_version() {
        assert_eq!(told(Some("MT_1"), "28.39.2048"), Told::Pass);
        assert_eq!(told(Some("MT_1"), "28.40.1000"), Told::Pass);
        assert_eq!(told(Some("MT_1"), "28.39.999"), Told::Fail);
        assert_eq!(told(Some("MT_2"), "1.0.0"), Told::Nothing);
        assert_eq!(told(None, "28.39.2048"), Told::Unknown);
    }

    #[test]
    fn the_operating_system_is_named_by_platform() {
        let set = policy::parse("policy.yaml", POLICY).unwrap();
        let judged = |platform: &'static str, version: Option<&str>| {
            let mut device = Device::new("leaf1", DeviceKind::Switch, platform);
            if let Some(version) = version {
                device.os_version = stated(version.to_owned());
            }
            let mut verdicts = Verdicts::default();
            let context = DeviceContext {
                device: &device,
                policy: set.base(),
                set: &set,
            };
            Version.device(&context, &mut verdicts);
            Told::from(&verdicts)
        };
        assert_eq!(judged("sonic", Some("202311.4-abc")), Told::Pass);
        assert_eq!(judged("sonic", Some("202305.1")), Told::Fail);
        assert_eq!(judged("sonic", None), Told::Unknown);
        assert_eq!(judged("eos", Some("4.32.0F")), Told::Nothing);
    }
}
