//! Devices next to others of their role.

use super::{
    About, Check, Detail, FabricContext, FabricDetail, FabricVerdicts, Judges, Line, Needs,
};
use crate::fabric::fleet::Profile;
use crate::fabric::{Hops, PortId};
use crate::model::{DeviceKind, Field, PortField};
use crate::policy::Severity;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Fewer ports have no majority.
const FEWEST: usize = 3;
/// A port that differs in more settings is of another kind: told once.
const MOST: usize = 8;

/// Who differs from the majority.
pub struct Outlier;

impl Check for Outlier {
    fn about(&self) -> &'static About {
        &About {
            id: "fleet/outlier",
            severity: Severity::Low,
            needs: Needs::Peers,
            judges: Judges::All,
            title: "Each port is set like most ports of its role",
            explain: "Ports of one role, platform, speed and NIC, that face the same kind of \
                neighbour, are usually meant to be alike. Where more than half agree on a \
                setting, those that differ are told. Useful without any policy \
                (--policy builtin:consistency), and the only judge of what no vendor endorses \
                one value for, such as DCQCN parameters. Differences that are meant want roles \
                in the policy. A difference that another finding tells already is information.",
        }
    }

    fn fabric(&self, cx: &FabricContext<'_>, out: &mut FabricVerdicts) {
        for (role, ports) in groups(cx.hops) {
            let total: usize = ports.values().map(|(_, ports)| ports.len()).sum();
            if total >= FEWEST {
                group(cx.hops, &role, ports.into_values().collect(), total, out);
            }
        }
    }
}

type Alike = (Arc<Profile>, Vec<PortId>);

/// A setting in which a port differs from most.
struct Difference<'p> {
    field: &'p Field,
    usual: &'p str,
    own: Option<&'p str>,
    /// How many ports have the usual value.
    count: usize,
}

/// Ports that can be compared, by role, and there by equal settings.
fn groups(hops: &Hops) -> BTreeMap<String, BTreeMap<usize, Alike>> {
    let fabric = &hops.fabric;
    let mut groups: BTreeMap<String, BTreeMap<usize, Alike>> = BTreeMap::new();
    for (n, node) in fabric.nodes.iter().enumerate() {
        let role = match (&node.role, hops.paths.levels[n], node.kind) {
            (Some(role), ..) => role.clone(),
            (None, _, DeviceKind::Host) => "host".to_owned(),
            (None, Some(level), _) => format!("switch of tier {level}"),
            (None, None, _) => "switch".to_owned(),
        };
        for (p, port) in node.ports.iter().enumerate() {
            let Some(profile) = port.profile.as_ref().filter(|_| port.judged) else {
                continue;
            };
            let id = PortId {
                node: n as u32,
                port: p as u32,
            };
            let facing = match fabric.across(id).map(|other| fabric.node(other).kind) {
                Some(DeviceKind::Host) => "hosts",
                Some(DeviceKind::Switch) => "switches",
                None => "nothing known",
            };
            let key = format!("{role}, towards {facing}\u{1f}{}", profile.kind);
            let alike = groups.entry(key).or_default();
            // The address tells equal profiles, which are one object.
            let same = alike.entry(Arc::as_ptr(profile) as usize);
            let same = same.or_insert_with(|| (Arc::clone(profile), Vec::new()));
            same.1.push(id);
        }
    }
    groups
}

fn group(
    hops: &Hops,
    role: &str,
    mut profiles: Vec<Alike>,
    total: usize,
    out: &mut FabricVerdicts,
) {
    let role = role.split('\u{1f}').next().unwrap_or(role);
    profiles.sort_by_key(|(_, ports)| ports.first().copied());
    let known = profiles.iter().flat_map(|(profile, _)| &profile.settings);
    let fields: BTreeSet<&Field> = known.map(|(field, _)| field).collect();
    let mut differs: Vec<Vec<Difference<'_>>> = profiles.iter().map(|_| Vec::new()).collect();
    for field in fields {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (profile, ports) in &profiles {
            if let Some(value) = profile.get(field) {
                *counts.entry(value).or_default() += ports.len();
            }
        }
        let Some((usual, count)) = counts.iter().max_by_key(|(_, count)| **count) else {
            continue;
        };
        if count * 2 <= total {
            continue;
        }
        for ((profile, _), differs) in profiles.iter().zip(&mut differs) {
            let own = profile.get(field);
            if own != Some(usual) && !profile.is_unknown(field) {
                differs.push(Difference {
                    field,
                    usual,
                    own,
                    count: *count,
                });
            }
        }
    }
    for ((_, ports), mut differs) in profiles.iter().zip(differs) {
        // What is in force both ways tells of each way.
        if differs
            .iter()
            .any(|d| *d.field == Field::Port(PortField::PfcEnabled))
        {
            differs.retain(|d| {
                let way = [PortField::PfcTx, PortField::PfcRx];
                way.iter().all(|way| *d.field != Field::Port(*way))
            });
        }
        if differs.is_empty() {
            out.passes += ports.len();
        }
        if differs.len() > MOST {
            many(role, ports, &differs, total, out);
            continue;
        }
        for Difference {
            field,
            usual,
            own,
            count,
        } in differs
        {
            for port in ports {
                let message =
                    format!("{field} is not like most: {count} of {total} ports ({role})");
                let teller = hops.teller(*port, field);
                let mut detail = Detail::fail(message)
                    .expected(usual)
                    .actual(own.unwrap_or("nothing"))
                    .told_by(teller);
                if teller.is_some() {
                    detail = detail.severity(Severity::Info);
                }
                out.details
                    .push(FabricDetail::new(*port, detail).line(Line::Fact(*port, field.clone())));
            }
        }
    }
}

/// One finding for a port that is of another kind altogether.
fn many(
    role: &str,
    ports: &[PortId],
    differs: &[Difference<'_>],
    total: usize,
    out: &mut FabricVerdicts,
) {
    let first: Vec<String> = differs
        .iter()
        .take(4)
        .map(|d| d.field.to_string())
        .collect();
    let message = format!(
        "{} settings are not like most of {total} ports ({role}): {}, …",
        differs.len(),
        first.join(", ")
    );
    for port in ports {
        out.details
            .push(FabricDetail::new(*port, Detail::fail(&message)));
    }
}
