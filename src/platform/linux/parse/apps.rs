//! What applications ask for: NCCL and UCX by environment or file, NVMe-oF and
//! SPDK by their options, Ceph by its configuration.

use super::{Everywhere, Evidence, Input, Only, Part, Statements, Subject, lines};
use crate::model::{Fact, Origin, Reason};
use std::collections::BTreeMap;

/// What a setting names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A traffic class byte.
    Class,
    /// A row of the GID table.
    Gid,
}

/// Settings and the word or number by which the application chooses itself.
/// Sources: NCCL's and UCX's documentation; SPDK, bdev_nvme; Ceph,
/// `ms_async_rdma_dscp` is the whole byte (src/msg/async/rdma).
const SETTINGS: &[(&str, What, Option<&str>)] = &[
    ("NCCL_IB_TC", What::Class, None),
    ("NCCL_GIN_IB_TC", What::Class, None),
    ("UCX_IB_TRAFFIC_CLASS", What::Class, Some("auto")),
    ("MORI_RDMA_TC", What::Class, None),
    ("transport_tos", What::Class, None),
    (CEPH_CLASS, What::Class, None),
    ("NCCL_IB_GID_INDEX", What::Gid, Some("-1")),
    ("UCX_IB_GID_INDEX", What::Gid, Some("auto")),
    ("ms_async_rdma_gid_idx", What::Gid, None),
];

const CEPH_CLASS: &str = "ms_async_rdma_dscp";
const NVME_CLASS: &str = "nvme tos";

/// Which devices NCCL uses.
const DEVICES: &str = "NCCL_IB_HCA";

/// Ceph, src/common/options: the default of `ms_async_rdma_dscp`.
static CEPH_DEFAULT: Reason = Reason(
    "Ceph sends RDMA with traffic class 96 unless ms_async_rdma_dscp is set (Ceph, options)",
);

/// Whether the text has such settings.
pub fn recognise(text: &str) -> bool {
    lines(text).any(|(_, line)| {
        let line = line.trim();
        !is_comment(line) && (setting(line).is_some() || nvme(line).is_some() || is_ceph_rdma(line))
    })
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("//")
}

/// Reads them; each holds for all NICs that the application uses.
pub fn read(input: &Input<'_>, out: &mut Statements) {
    let mut asked: BTreeMap<&'static str, (What, Fact<i64>)> = BTreeMap::new();
    let mut only = Only::All;
    let mut ceph = None;
    let mut pending: Option<(&'static str, What, Option<&'static str>)> = None;
    for (offset, line) in input.lines() {
        let trimmed = line.trim();
        if is_comment(trimmed) {
            continue;
        }
        let at = input.at(offset + (line.len() - line.trim_start().len()));
        if is_ceph_rdma(trimmed) {
            ceph = Some(at);
        }
        if let Some(value) = value_of(trimmed, DEVICES) {
            only = devices(value);
        }
        // A pod names the variable on one line and its value on the next.
        if let (Some((name, what, auto)), Some(value)) =
            (pending.take(), trimmed.strip_prefix("value:"))
        {
            add(&mut asked, name, what, auto, unquoted(value.trim()), at);
        } else if let Some((name, what, auto, value)) = setting(trimmed) {
            match value {
                Some(value) => add(&mut asked, name, what, auto, value, at),
                None => pending = Some((name, what, auto)),
            }
        } else if let Some(value) = nvme(trimmed) {
            add(&mut asked, NVME_CLASS, What::Class, None, value, at);
        }
    }
    if let (Some(at), false) = (ceph, asked.contains_key(CEPH_CLASS)) {
        let fact = Fact::Default(96, (&CEPH_DEFAULT).into(), at);
        asked.insert(CEPH_CLASS, (What::Class, fact));
    }
    let mut part = Part::new(Subject::default(), Evidence::None);
    part.capture = input.index;
    let applications = &mut part.nic().applications;
    for (name, (what, fact)) in asked {
        match what {
            What::Class => {
                let class = narrow(&fact, |number| u8::try_from(number).ok());
                applications.traffic_classes.insert(name.to_owned(), class);
            }
            What::Gid => {
                let index = narrow(&fact, |number| u16::try_from(number).ok());
                applications.gid_indices.insert(name.to_owned(), index);
            }
        }
    }
    if part.says_something() {
        // The rest of the settings of such a text hold for these devices too.
        out.everywhere.push(Everywhere { part, only });
    }
}

fn narrow<T>(fact: &Fact<i64>, to: impl Fn(i64) -> Option<T>) -> Fact<T> {
    match fact {
        Fact::Explicit(number, at) => match to(*number) {
            Some(value) => Fact::explicit(value, *at),
            None => Fact::unknown_at(format!("{number} is out of range"), *at),
        },
        Fact::Default(number, why, at) => match to(*number) {
            Some(value) => Fact::Default(value, why.clone(), *at),
            None => Fact::Unknown(why.clone(), *at),
        },
        Fact::Unknown(why, at) => Fact::Unknown(why.clone(), *at),
        Fact::NotApplicable => Fact::NotApplicable,
    }
}

fn add(
    asked: &mut BTreeMap<&'static str, (What, Fact<i64>)>,
    name: &'static str,
    what: What,
    auto: Option<&str>,
    value: &str,
    at: Origin,
) {
    let number = super::shell::number(value);
    let fact = match (number, auto == Some(value)) {
        // NCCL picks the row by its content.
        (_, true) if what == What::Gid => Fact::NotApplicable,
        (_, true) => Fact::unknown_at("the application chooses it (auto)".to_owned(), at),
        (Some(number), _) => Fact::explicit(number, at),
        (None, _) => Fact::unknown_at(format!("`{}` is no number", cut(value)), at),
    };
    let known = asked.entry(name).or_insert_with(|| (what, fact.clone()));
    if known.1 != fact {
        known.1 = Fact::unknown_at(
            "it is set more than once, to different values".to_owned(),
            at,
        );
    }
}

fn cut(value: &str) -> &str {
    value.get(..value.floor_char_boundary(40)).unwrap_or(value)
}

type Named<'a> = (&'static str, What, Option<&'static str>, Option<&'a str>);

/// A setting on a line, with its value; without one where a pod's `name:` only
/// names it.
fn setting(line: &str) -> Option<Named<'_>> {
    SETTINGS.iter().find_map(|(name, what, auto)| {
        if let Some(value) = value_of(line, name) {
            return Some((*name, *what, *auto, Some(value)));
        }
        let named = line.trim_start_matches("- ").strip_prefix("name:")?;
        (unquoted(named.trim()) == *name).then_some((*name, *what, *auto, None))
    })
}

/// The value behind a name: `NAME=106`, `NAME: "106"`, `NAME = 106`, `NAME set
/// by environment to 106.`, and the columns of `ceph config dump`.
fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut from = 0;
    loop {
        let start = from + line.get(from..)?.find(name)?;
        let end = start + name.len();
        let before = line.get(..start)?.chars().next_back();
        let rest = line.get(end..)?;
        from = end;
        if before.is_some_and(is_name) || rest.starts_with(is_name) {
            continue;
        }
        let rest = rest.trim_start_matches(['"', ' ', '\t']);
        let told = rest.strip_prefix("set by environment to ");
        let told = told.map(|value| value.trim_end_matches('.'));
        let assigned = rest.strip_prefix(['=', ':']);
        // A table has no sign between.
        let column =
            (name == CEPH_CLASS && rest.starts_with(|c: char| c.is_ascii_digit())).then_some(rest);
        let value = told.or(assigned).or(column)?.trim_start();
        let quoted = value.starts_with(['"', '\'']);
        let value = value.trim_start_matches(['"', '\'']);
        let stop = |c: char| match quoted {
            true => c == '"' || c == '\'',
            false => c.is_whitespace() || c.is_control() || ",;\\\"'}".contains(c),
        };
        let end = match name {
            DEVICES => value.find(|c: char| c.is_whitespace() || c == '"' || c == '\''),
            _ => value.find(stop),
        };
        return Some(
            value
                .get(..end.unwrap_or(value.len()))?
                .trim_end_matches('.'),
        );
    }
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['"', '\''])
}

/// The ToS of `nvme connect` and of the lines of discovery.conf.
fn nvme(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let rdma = words
        .windows(2)
        .any(|pair| matches!(pair, ["-t" | "--transport", "rdma"]))
        || words.contains(&"--transport=rdma");
    if !rdma {
        return None;
    }
    let joined = words.iter().find_map(|word| word.strip_prefix("--tos="));
    joined.or_else(|| {
        let n = words
            .iter()
            .position(|word| matches!(*word, "-T" | "--tos"))?;
        words.get(n + 1).copied()
    })
}

/// Ceph's messenger over RDMA.
fn is_ceph_rdma(line: &str) -> bool {
    let words = line.replace([' ', '\t'], "");
    let key = words.split('=').next().unwrap_or_default();
    matches!(
        key,
        "ms_type" | "ms_cluster_type" | "ms_public_type" | "mstype" | "msclustertype"
    ) && words.ends_with("=async+rdma")
}

/// `mlx5_0,mlx5_1:1`, with `=` for whole names and `^` for all but these.
fn devices(value: &str) -> Only {
    let (except, value) = match value.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    let (exact, value) = match value.strip_prefix('=') {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    let names = value.split(',').filter_map(|name| name.split(':').next());
    let names: Vec<String> = names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    match names.is_empty() {
        true => Only::All,
        false => Only::Devices {
            names,
            exact,
            except,
        },
    }
}
