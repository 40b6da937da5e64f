//! Definitions that nothing attaches.

use super::config::{Config, Entries, Named, Policy};
use crate::model::{NoteKind, Origin};
use crate::platform::notes::Notes;
use std::collections::HashSet;

/// Tells of definitions that nothing attaches.
pub fn tell(config: &Config<'_>, notes: &mut Notes) {
    let sections = config.ports.iter().map(|(_, settings)| settings.attached);
    let lags = config.lags.values().map(|settings| settings.attached);
    let mut used: HashSet<(&str, &str)> = HashSet::new();
    for attached in sections.chain(lags).chain([config.system]) {
        let all = [
            ("trust dscp-map", attached.trust_dscp),
            ("trust dot1p-map", attached.trust_dot1p),
            ("qos-map traffic-class", attached.qos_map),
            ("policy-map type network-qos", attached.network),
            ("policy-map type queuing", attached.queuing),
            ("policy-map type qos", attached.qos),
            ("wred", attached.wred),
        ];
        let all = all
            .into_iter()
            .filter_map(|(kind, r)| Some((kind, r?.name?)));
        used.extend(all);
    }
    let classes = config.queuing.values().flat_map(|policy| &policy.classes);
    let profiles = classes.filter_map(|class| class.wred);
    let profiles = profiles.chain(config.pools.iter().copied());
    used.extend(profiles.filter_map(|r| Some(("wred", r.name?))));

    fn of<'c, T>(
        kind: &'c str,
        defined: &'c Named<'_, T>,
        at: impl Fn(&T) -> Origin + 'c,
    ) -> impl Iterator<Item = (Origin, &'c str, &'c str)> {
        defined.iter().map(move |(name, it)| (at(it), kind, *name))
    }
    let entries = |it: &Entries| it.at;
    let policy = |it: &Policy<'_>| it.at;
    let mut unused: Vec<_> = of("trust dscp-map", &config.dscp_maps, entries)
        .chain(of("trust dot1p-map", &config.dot1p_maps, entries))
        .chain(of("qos-map traffic-class", &config.qos_maps, entries))
        .chain(of("policy-map type network-qos", &config.network, policy))
        .chain(of("policy-map type queuing", &config.queuing, policy))
        .chain(of("policy-map type qos", &config.qos, policy))
        .chain(of("wred", &config.wred, |it| it.at))
        .filter(|(_, kind, name)| !used.contains(&(*kind, *name)))
        .collect();
    unused.sort();
    for (at, kind, name) in unused {
        let text = format!("{kind} {name:?} is defined but attached nowhere");
        notes.add(NoteKind::Unresolved, None, text, at);
    }
}
