//! Output of perftest, as far as it tells of the device; results are judged by
//! the load check.

use super::{Statement, Statements, Subject, Text};
use crate::model::LinkType;

pub fn is(text: &Text<'_>) -> bool {
    let perftest = text.text.contains("#bytes") && text.text.contains("#iterations")
        || text.text.contains(" Link type       :")
        || text.text.contains("RDMA_Write") && text.text.contains("Test");
    perftest || is_nccl(text)
}

fn is_nccl(text: &Text<'_>) -> bool {
    text.text.contains("# nccl-tests version") || text.text.contains("# nThread ")
}

/// The value of a label that stands in a header line with others.
fn label<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let rest = line.get(line.find(name)? + name.len()..)?;
    rest.trim_start()
        .strip_prefix(':')?
        .split_whitespace()
        .next()
}

pub fn parse(text: &Text<'_>, out: &mut Statements) {
    if is_nccl(text) {
        let remark = "results of nccl-tests: they tell nothing of the device's settings";
        let at = text.origin(text.text);
        out.push((
            text.subject.clone(),
            Statement::Remark(remark.to_owned(), at),
        ));
        return;
    }
    let mut subject = text.subject.clone();
    for line in text.lines() {
        if let Some(device) = label(line, "Device ") {
            subject = Subject::Rdma(device.to_owned());
        }
        let mut say = |statement| out.push((subject.clone(), statement));
        if let Some(mtu) = label(line, "Mtu ")
            && let Ok(mtu) = mtu.trim_end_matches("[B]").parse()
        {
            say(Statement::RdmaMtu(text.at(mtu, line)));
        }
        match label(line, "Link type ") {
            Some("Ethernet") => say(Statement::Link(text.at(LinkType::Ethernet, line))),
            Some("IB") => say(Statement::Link(text.at(LinkType::Infiniband, line))),
            _ => {}
        }
    }
}
