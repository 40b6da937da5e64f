//! What stands below `/qos`, the ports aside.

use super::parse::{Config, PfcProfile, Scheduler, Slope, Slopes, flag, number};
use crate::model::Origin;

/// Below `/qos`; whether it is known.
pub fn qos(config: &mut Config, words: &[&str], at: Origin) -> bool {
    match words {
        ["classifiers", rest @ ..] => return classifier(config, rest, at),
        ["rewrite-rules", rest @ ..] => return rewrite(config, rest, at),
        ["forwarding-classes", "forwarding-class", name, rest @ ..] => match rest {
            ["output", "unicast-queue" | "queue", queue] => {
                let class = ((*queue).to_owned(), at);
                config.classes.insert((*name).to_owned(), class);
            }
            ["name", _] | ["forwarding-class-index", _] | ["output", ..] => {}
            _ => return false,
        },
        [
            "queues",
            kind @ ("queue" | "pfc-queue"),
            name,
            "queue-index",
            index,
        ] => {
            let Some(index) = index.parse().ok().filter(|n: &u8| *n < 12) else {
                return false;
            };
            let list = match *kind {
                "queue" => &mut config.queues,
                _ => &mut config.pfc_queues,
            };
            list.insert((*name).to_owned(), (index, at));
        }
        [
            "queues",
            "queue" | "pfc-queue",
            _,
            "name" | "pfc-queue-name",
            _,
        ]
        | ["queues", "queue-depth-sampling", ..] => {}
        ["pfc-mapping-profile", name, rest @ ..] => {
            let profile = config.pfc_profiles.entry((*name).to_owned()).or_default();
            return pfc_profile(profile, rest, at);
        }
        ["buffer-management", rest @ ..] => return buffers(config, rest, at),
        ["queue-templates", "queue-template", name, rest @ ..] => {
            let slopes = config.profiles.entry((*name).to_owned()).or_default();
            slopes.template = true;
            return template(slopes, rest, at);
        }
        ["scheduler-policies", "scheduler-policy", name, rest @ ..] => {
            let scheduler = config.schedulers.entry((*name).to_owned()).or_default();
            return schedule(scheduler, rest, at);
        }
        [
            "scheduler-policies",
            "queue-scheduling-policy" | "scheduling-priority-mapping-table",
            ..,
        ] => {}
        _ => return false,
    }
    true
}

fn classifier(config: &mut Config, words: &[&str], at: Origin) -> bool {
    let (list, name, code, rest) = match words {
        ["dscp-policy", name, "dscp", code, rest @ ..] => {
            (&mut config.dscp_policies, name, (code, 63), rest)
        }
        ["dot1p-policy", name, "dot1p", code, rest @ ..] => {
            (&mut config.dot1p_policies, name, (code, 7), rest)
        }
        ["dscp-policy" | "dot1p-policy", _, "name", _] => return true,
        [
            "mpls-traffic-class-policy" | "vxlan-default" | "dscp-reclassify-policy",
            ..,
        ] => return true,
        _ => return false,
    };
    let policy = list.entry((*name).to_owned()).or_default();
    if !policy.at.is_known() {
        policy.at = at;
    }
    let code = code.0.parse().ok().filter(|n: &u8| *n <= code.1);
    match (rest, code) {
        (["forwarding-class", class], Some(code)) => {
            policy.entries.insert(code, ((*class).to_owned(), at));
            true
        }
        (
            [
                "drop-probability" | "profile" | "value" | "dscp-value" | "de-out-profile",
                _,
            ],
            Some(_),
        ) => true,
        _ => false,
    }
}

fn rewrite(config: &mut Config, words: &[&str], at: Origin) -> bool {
    match words {
        ["dscp-policy", name, "map", class, "dscp", dscp] => {
            let Some(dscp) = dscp.parse().ok().filter(|n: &u8| *n < 64) else {
                return false;
            };
            let map = config.rewrites.entry((*name).to_owned()).or_default();
            map.entry((*class).to_owned()).or_insert((dscp, at));
            true
        }
        // Of packets with low drop probability, before that of all.
        [
            "dscp-policy",
            name,
            "map",
            class,
            "drop-probability",
            "low",
            "dscp",
            dscp,
        ] => {
            let Some(dscp) = dscp.parse().ok().filter(|n: &u8| *n < 64) else {
                return false;
            };
            let map = config.rewrites.entry((*name).to_owned()).or_default();
            map.insert((*class).to_owned(), (dscp, at));
            true
        }
        ["dscp-policy", _, "name", _]
        | [
            "dscp-policy",
            _,
            "map",
            _,
            "forwarding-class" | "drop-probability" | "profile",
            ..,
        ]
        | [
            "mpls-traffic-class-policy" | "dot1p-policy" | "ip-rewrite-policy",
            ..,
        ]
        | ["vxlan-outer-header-dscp-policy", _] => true,
        _ => false,
    }
}

fn pfc_profile(profile: &mut PfcProfile, words: &[&str], at: Origin) -> bool {
    if !profile.at.is_known() {
        profile.at = at;
    }
    let priority = |text: &str| number::<u8>(text, at).filter(|(n, _)| *n < 8);
    match words {
        ["name", _] => {}
        [
            "received-traffic",
            "unicast-mapping",
            "pfc-queue",
            queue,
            rest @ ..,
        ]
        | ["received-traffic", "pfc-queue", queue, rest @ ..] => {
            let sends = profile.sends.entry((*queue).to_owned()).or_default();
            match rest {
                ["forwarding-class", classes @ ..] => {
                    let classes = classes.iter().map(|class| ((*class).to_owned(), at));
                    sends.classes.extend(classes);
                }
                ["pfc-pause-frame-priority", number] => sends.priority = priority(number),
                ["dot1p", ..] | ["pfc-queue-name", _] | ["enable-pfc", _] => {}
                _ => return false,
            }
        }
        ["received-pfc-pause-frames", "queue", queue, rest @ ..] => {
            let obeys = profile.obeys.entry((*queue).to_owned()).or_default();
            match rest {
                ["pfc-pause-frame-priority", number] => obeys.priority = priority(number),
                ["enable-pfc", on] => obeys.enabled = flag(on, at),
                ["queue-name", _] => {}
                _ => return false,
            }
        }
        ["received-pfc-pause-frames", "deadlock", "enable", on] => profile.deadlock = flag(on, at),
        [
            "received-pfc-pause-frames",
            "deadlock",
            "detection-timer",
            time,
        ] => {
            profile.detection = number(time, at);
        }
        [
            "received-pfc-pause-frames",
            "deadlock",
            "recovery-timer",
            time,
        ] => {
            profile.recovery = number(time, at);
        }
        _ => return false,
    }
    true
}

fn buffers(config: &mut Config, words: &[&str], at: Origin) -> bool {
    match words {
        ["queue-management-profile", name, rest @ ..] => {
            let slopes = config.profiles.entry((*name).to_owned()).or_default();
            if !slopes.at.is_known() {
                slopes.at = at;
            }
            match rest {
                // The CLI names all keys but the first.
                [
                    "wred",
                    "wred-slope",
                    _,
                    "drop-probability",
                    level,
                    "enable-ecn",
                    ecn,
                    rest @ ..,
                ]
                | ["wred", "wred-slope", _, level, ecn, rest @ ..] => {
                    slope(slopes, level, *ecn == "true", rest, at)
                }
                ["name" | "weight-factor", _] => true,
                _ => false,
            }
        }
        [
            "buffer-allocation-profile"
            | "committed-burst-size-table"
            | "slope-policy"
            | "interface-pool-policy"
            | "fp-pool-policy",
            ..,
        ] => true,
        _ => false,
    }
}

fn template(slopes: &mut Slopes, words: &[&str], at: Origin) -> bool {
    if !slopes.at.is_known() {
        slopes.at = at;
    }
    match words {
        ["active-queue-management", "ecn-slope", level, rest @ ..] => {
            slope(slopes, level, true, rest, at)
        }
        [
            "active-queue-management",
            "wred-slope",
            _,
            "drop-probability",
            level,
            rest @ ..,
        ]
        | ["active-queue-management", "wred-slope", _, level, rest @ ..] => {
            slope(slopes, level, false, rest, at)
        }
        ["active-queue-management", "weight-factor", _] | ["name", _] | ["queue-depth", ..] => true,
        _ => false,
    }
}

/// A leaf of a slope. Of slopes by drop probability, that of packets with low
/// drop probability counts.
fn slope(slopes: &mut Slopes, level: &str, ecn: bool, words: &[&str], at: Origin) -> bool {
    let known = [
        "min-threshold-percent",
        "max-threshold-percent",
        "min-threshold",
        "max-threshold",
        "min-threshold-bytes",
        "max-threshold-bytes",
        "max-drop-probability-percent",
        "max-probability",
        "slope-enabled",
        "traffic-type",
        "drop-probability",
        "ecn-drop-probability",
        "enable-ecn",
        "weight-factor",
    ];
    let [leaf, value] = words else {
        return words.is_empty();
    };
    if !known.contains(leaf) {
        return false;
    }
    if !matches!(level, "all" | "low") {
        return true;
    }
    let slope = match ecn {
        true => &mut slopes.ecn,
        false => &mut slopes.drop,
    };
    let slope = slope.get_or_insert_with(|| Slope {
        at,
        ..Slope::default()
    });
    match *leaf {
        "min-threshold-percent" => slope.min_percent = number(value, at),
        "max-threshold-percent" => slope.max_percent = number(value, at),
        "min-threshold" | "min-threshold-bytes" => slope.min_bytes = number(value, at),
        "max-threshold" | "max-threshold-bytes" => slope.max_bytes = number(value, at),
        "max-drop-probability-percent" | "max-probability" => slope.probability = number(value, at),
        _ => {}
    }
    true
}

fn schedule(scheduler: &mut Scheduler, words: &[&str], at: Origin) -> bool {
    if !scheduler.at.is_known() {
        scheduler.at = at;
    }
    match words {
        ["name", _] | ["scheduler", _, "sequence", _] => {}
        ["scheduler", sequence, "priority", "strict"] => {
            scheduler.strict.push((*sequence).to_owned());
        }
        ["scheduler", sequence, "input", id, rest @ ..] => {
            let key = ((*sequence).to_owned(), (*id).to_owned());
            let input = scheduler.inputs.entry(key).or_default();
            match rest {
                ["queue-name" | "queue", queue] => input.queue = Some(((*queue).to_owned(), at)),
                ["weight", weight] => input.weight = number(weight, at),
                ["id" | "input-type" | "peak-rate-percent", _] => {}
                _ => return false,
            }
        }
        _ => return false,
    }
    true
}
