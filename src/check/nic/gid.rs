//! The addresses of the NIC.

use super::at;
use crate::check::{About, Check, Detail, Judges, Needs, PortContext, Verdicts};
use crate::finding::Breaks;
use crate::model::{self, Field, GidType, Nic, NicField};
use crate::policy::{Position, Severity};
use std::net::Ipv6Addr;

/// GIDs.
pub struct Gid;

impl Check for Gid {
    fn about(&self) -> &'static About {
        &About {
            id: "nic/gid",
            severity: Severity::High,
            needs: Needs::Config,
            judges: Judges::Hosts,
            title: "The NIC has a routable RoCE v2 address (GID)",
            explain: "A queue pair is bound to a row of the GID table. RoCE v1 rows and \
                link-local ones do not cross a router: connections across leaves time out while \
                those within one leaf work. Choose the row by its content, not by its index: the \
                index moves when a link flaps or an address changes. An application that names \
                an index (NCCL_IB_GID_INDEX) has to name a routable RoCE v2 row of every NIC \
                that it uses; rdma_cm has a default version of its own.",
        }
    }

    fn breaks(&self) -> Option<Breaks> {
        Breaks::BOTH
    }

    fn port(&self, cx: &PortContext<'_>, out: &mut Verdicts) {
        let Some(nic) = cx.port.nic.as_deref() else {
            return;
        };
        let Some(wanted) = cx.policy.nic.gid.as_ref().filter(|gid| !gid.value.is_any()) else {
            return;
        };
        if nic.rdma_cm_mode.get() == Some(GidType::RoceV1) {
            out.report(
                Detail::fail(
                    "rdma_cm makes RoCE v1 connections by default: they do not cross a router",
                )
                .policy(wanted.position)
                .expected(GidType::RoceV2)
                .actual(GidType::RoceV1)
                .at(at(NicField::RdmaCmMode)),
            );
        }
        let Some(gids) = nic.gids.value() else {
            out.report(
                Detail::unknown_fact("the GID table", &nic.gids)
                    .policy(wanted.position)
                    .at(at(NicField::Gids)),
            );
            return;
        };
        asked_for(nic, gids, wanted.position, out);
        let v2 = |gid: &model::Gid| gid.kind == Some(GidType::RoceV2);
        if gids.iter().any(|gid| v2(gid) && is_routable(gid)) {
            return out.pass();
        }
        let unclear = gids
            .iter()
            .any(|gid| gid.kind.is_none() && is_routable(gid));
        let detail = if unclear {
            Detail::unknown("the GID table does not tell the RoCE version of its rows")
        } else if gids.is_empty() {
            Detail::fail("the GID table is empty").actual("no GID")
        } else {
            let actual = if gids.iter().any(v2) {
                "only link-local RoCE v2"
            } else {
                "only RoCE v1"
            };
            Detail::fail("the NIC has no routable RoCE v2 address").actual(actual)
        };
        out.report(
            detail
                .policy(wanted.position)
                .expected("a RoCE v2 GID with an IPv4 or global IPv6 address")
                .at(at(NicField::Gids)),
        );
    }
}

/// The rows that applications name.
fn asked_for(nic: &Nic, gids: &[model::Gid], policy: Position, out: &mut Verdicts) {
    for (name, fact) in &nic.applications.gid_indices {
        let field = Field::ApplicationGid(name.clone());
        let Some(index) = fact.get() else {
            if fact.is_unknown() {
                out.report(Detail::unknown_fact(name, fact).policy(policy).at(field));
            }
            continue;
        };
        let row = gids.iter().find(|gid| gid.index == index);
        let detail = match row.map(|gid| (gid.kind, is_routable(gid))) {
            Some((Some(GidType::RoceV2), true)) => {
                out.pass();
                continue;
            }
            Some((None, true)) => Detail::unknown(format!(
                "{name} names GID {index}, and the table does not tell its RoCE version"
            )),
            Some((_, false)) => Detail::fail(format!(
                "{name} names GID {index}, which no router forwards to"
            ))
            .actual("link-local"),
            Some((Some(kind), true)) => {
                Detail::fail(format!("{name} names GID {index}, which is no RoCE v2")).actual(kind)
            }
            None => Detail::fail(format!(
                "{name} names GID {index}, and there is no such row"
            ))
            .actual("no GID"),
        };
        out.report(
            detail
                .policy(policy)
                .expected("a RoCE v2 GID with an IPv4 or global IPv6 address")
                .at(field)
                .at(at(NicField::Gids)),
        );
    }
}

/// Whether a router can forward to a GID: a global address, IPv4 (in IPv6
/// form) or IPv6. Not link-local (RFC 4291, RFC 3927), not an empty row.
fn is_routable(gid: &model::Gid) -> bool {
    let address = Ipv6Addr::from(gid.address);
    match address.to_ipv4_mapped() {
        Some(v4) => !v4.is_link_local() && !v4.is_unspecified(),
        None => !gid.is_link_local() && !address.is_unspecified(),
    }
}
