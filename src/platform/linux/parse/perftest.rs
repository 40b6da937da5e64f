//! Banners of perftest (`ib_write_bw` and its kin): what they say of the
//! device. Results are judged elsewhere.

use super::{Evidence, Input, Part, Statements, Subject, leading_number};
use crate::model::Fact;

/// Whether the text is of perftest.
pub fn recognise(text: &str) -> bool {
    let banner = [" BW Test", " Latency Test"];
    (banner.iter().any(|words| text.contains(words)) && text.contains("#bytes"))
        || text.contains(" Transport type : ")
        || (text.contains("Link type") && text.contains("rdma_cm QPs"))
}

/// Whether the text is of nccl-tests.
pub fn is_nccl(text: &str) -> bool {
    text.contains("nccl-tests version")
        || (text.contains("busbw") && text.contains("algbw"))
        || (text.contains("\"nccl_version\"") && text.contains("\"average_bus_bandwidth\""))
}

/// Reads device, MTU and link type where the banner has them.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let named = input.option(&["-d", "--ib-dev"]).map(Subject::rdma);
    let mut part = Part::new(named.unwrap_or_default(), Evidence::Rdma);
    part.nic();
    for (offset, line) in input.lines() {
        let at = input.at(offset);
        // Two fields stand on a line: `Dual-port : OFF   Device : mlx5_0`.
        let field = |name: &str| {
            let rest = line.get(line.find(name)? + name.len()..)?;
            rest.trim_start().strip_prefix(':').map(str::trim)
        };
        if let Some(device) = field("Device ") {
            let subject = Subject::rdma(device);
            if let Some(name) = &subject.rdma {
                part.nic().rdma_device = Fact::explicit(name.clone(), at);
            }
            part.subject = subject;
        } else if let Some(mtu) = field(" Mtu ").and_then(leading_number) {
            if let Ok(mtu) = u32::try_from(mtu) {
                part.nic().rdma_mtu = Fact::explicit(mtu, at);
            }
        } else if let Some(link) = field("Link type ") {
            part.nic().link_type = super::rdma::link_layer(link, at);
        }
    }
    out.push(part);
}
