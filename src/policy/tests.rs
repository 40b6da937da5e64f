//! The language as a whole: shipped policies, the full example, bad input.

use proptest::prelude::*;
use serde_json::json;

use super::read::{Part as _, Visit};
use super::*;
use crate::model::PfcMode;

/// Every part of the language in one policy.
const FULL: &str = r##"version: 1
name: ai-backend
classes:
  roce:
    dscp: [26]
    priority: 3
    lossless: true
    ecn: {min: 150kB, max: 1500kB, probability: 100%}
    scheduler: {kind: weighted, share: ">= 50%"}
  cnp:
    cnp: true
    dscp: [48]
    priority: 6
    scheduler: {kind: strict}
  default: {priority: 0}
trust: dscp
pfc:
  mode: "on"
  watchdog: {detection: "<= 1s", restoration: any, action: any}
  link_pause: "off"
mtu: {switch: ">= 4200", host: ">= 4200", rdma: 4096}
buffers: {headroom: required, cable: 40m}
fabric: {routing: ecmp}
nic:
  gid: rocev2
  dcqcn: {enabled: true, params: {rpg_ai_rate: any, rpg_max_rate: 0}}
  persistent: true
bom:
  firmware: {"MT_0000000838": ">= 28.39.2048"}
  os: {sonic: ["202311.*"], eos: ["4.3*"]}
counters: {lossless_drops: 0, watchdog_trips: 0, uncorrectable: 0, flaps: 0, pause: "<= 1%", retransmits: "<= 1e-7/packet"}
load: {bandwidth: ">= 95%", below_median: "<= 3%", pairs: all, qps: 4, message: 64KiB, duration: 10s}
rails: {rail0: {hosts: [ens1f0np0], switches: ["leaf1*"]}}
roles:
  spine: {device: "spine*"}
  host-port: {device: "leaf*", peer: host}
overrides:
  - when: {role: spine, speed: 400G}
    classes: {roce: {ecn: {min: 1MB, max: 4MB}}}
scope: {ports: {exclude: ["Management*", "eth0", "Loopback*", "Vlan*", "Port-Channel*"]}, admin_down: skip, oper_down: info}
require: ["pfc/*", "map/*", "trust/*", "ecn/*", "path/*"]
severity: {"ecn/thresholds": low}
disable: [{check: sched/share, reason: "shares are set by the tenant tool"}]
waivers:
  - {check: pfc/watchdog, device: leaf3, port: Ethernet1/5, reason: "RMA 4411", owner: netops, expires: "2027-01-31"}
assert:
  - {id: site/no-25g, each: port, expr: "port.speed_mbps >= 100000", severity: low, message: "slow port in the RoCE fabric"}
"##;

fn full() -> PolicySet {
    parse("ai.yaml", FULL).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

fn port<'a>(device: &'a str, port: &'a str, speed_mbps: u64) -> Subject<'a> {
    Subject {
        device,
        port,
        speed_mbps: Some(speed_mbps),
        platform: "sonic",
        ..Subject::default()
    }
}

/// The only problem of a text.
fn problem(text: &str) -> Problem {
    match parse("p.yaml", text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => {
            assert_eq!(error.problems().len(), 1, "{}", error.render(false));
            error.problems()[0].clone()
        }
    }
}

fn at(problem: &Problem) -> (u32, u32) {
    (problem.position.line, problem.position.column)
}

#[derive(Default)]
struct Leaves(Vec<(String, String, Position)>);

impl Visit for Leaves {
    fn enter(&mut self, _: &str) {}
    fn leave(&mut self) {}
    fn leaf(&mut self, key: &str, text: String, position: Position) {
        self.0.push((key.to_owned(), text, position));
    }
}

#[test]
fn each_value_of_each_shipped_policy_has_its_place() {
    let mut texts: Vec<&str> = builtin_names().filter_map(builtin_text).collect();
    texts.extend([FULL, init_template()]);
    for text in texts {
        let set = parse("p.yaml", text).unwrap_or_else(|error| panic!("{}", error.render(false)));
        let mut leaves = Leaves::default();
        set.policy().visit("", &mut leaves);
        assert!(leaves.0.len() > 4);
        for (key, shown, position) in leaves.0 {
            assert!(position.line > 0 && position.column > 0, "{key}: {shown}");
            let line = text.lines().nth(position.line as usize - 1).unwrap();
            let rest: String = line.chars().skip(position.column as usize - 1).collect();
            let written = rest.trim_start_matches(['"', '[']);
            let first = shown.trim_start_matches('[');
            let first = first.split(',').next().unwrap().trim_end_matches(']');
            assert!(written.starts_with(first), "{key}: {shown} at {rest}");
        }
    }
}

#[test]
fn every_shipped_policy_says_what_it_is_for() {
    for name in builtin_names() {
        let set = load(&format!("builtin:{name}")).unwrap();
        assert_eq!(set.name(), name);
        assert!(builtin_description(name).unwrap().len() > 30);
        let second = builtin_text(name).unwrap().lines().nth(1).unwrap();
        assert_eq!(second, "# yaml-language-server: $schema=policy.schema.json");
        assert_eq!(set.policy().version.as_ref().unwrap().value.0, 1);
    }
    let template = parse("t.yaml", init_template()).unwrap();
    assert_eq!(template.base().lossless_priorities(), [3]);
}

#[test]
fn the_default_policy_leaves_thresholds_and_shares_open() {
    let set = load("builtin:roce-lossless").unwrap();
    let base = set.base();
    let roce = base.class("roce").unwrap();
    let ecn = roce.ecn.as_ref().unwrap();
    assert!(ecn.min.as_ref().unwrap().value.is_any());
    assert!(ecn.max.as_ref().unwrap().value.is_any());
    assert!(ecn.probability.as_ref().unwrap().value.is_any());
    assert!(
        roce.scheduler
            .as_ref()
            .unwrap()
            .share
            .as_ref()
            .unwrap()
            .value
            .is_any()
    );
    assert!(set.required("pfc/missing").is_some());
    assert!(set.required("ecn/order").is_some());
    assert!(set.required("path/lossless").is_none());
    assert!(set.policy().overrides.is_none() && set.policy().waivers.is_none());
}

#[test]
fn legal_policies_without_a_lossless_class_or_dcqcn() {
    let ecn_only = load("builtin:ecn-only").unwrap();
    assert!(ecn_only.base().lossless_priorities().is_empty());
    assert!(ecn_only.base().class("roce").unwrap().ecn.is_some());
    let pfc_only = load("builtin:pfc-only").unwrap();
    let dcqcn = pfc_only.base().nic.dcqcn.clone().unwrap();
    assert_eq!(
        dcqcn.enabled.unwrap().value.judge(&Switch::Off),
        Judgement::Met
    );
    let consistency = load("builtin:consistency").unwrap();
    assert!(consistency.base().classes.is_empty());
}

#[test]
fn shipped_vendor_defaults() {
    let sonic = load("builtin:sonic-azure").unwrap();
    assert_eq!(sonic.base().lossless_priorities(), [3, 4]);
    assert_eq!(
        sonic.base().class_of_dscp(4).unwrap().name.value,
        "lossless-4"
    );
    assert!(sonic.base().class_of_dscp(26).is_none());
    let spectrum = load("builtin:nvidia-spectrum").unwrap();
    assert_eq!(
        spectrum.base().class("roce").unwrap().dscp.value,
        (24..=31).collect::<Vec<_>>()
    );
    let pcp = load("builtin:pcp-storage").unwrap();
    assert_eq!(pcp.base().class_of_pcp(3).unwrap().name.value, "storage");
    let amd = load("builtin:amd-pensando").unwrap();
    assert_eq!(amd.base().lossless_priorities(), [0]);
    assert_eq!(amd.base().cnp_class().unwrap().dscp.value, [46]);
}

#[test]
fn an_override_lays_over_what_it_names_only() {
    let set = full();
    let spine = set.effective(&port("spine1", "Ethernet0", 400_000));
    let roce = spine.class("roce").unwrap();
    let ecn = roce.ecn.as_ref().unwrap();
    assert_eq!(ecn.min.as_ref().unwrap().value.to_string(), "1MB");
    assert_eq!(ecn.max.as_ref().unwrap().value.to_string(), "4MB");
    assert_eq!(ecn.probability.as_ref().unwrap().value.to_string(), "100%");
    // The override's line for what it wrote, the policy's for the rest.
    let line = |text: &str| {
        let at = FULL.lines().position(|line| line.contains(text)).unwrap();
        at as u32 + 1
    };
    assert_eq!(ecn.min.as_ref().unwrap().position.line, line("min: 1MB"));
    assert_eq!(
        ecn.probability.as_ref().unwrap().position.line,
        line("min: 150kB")
    );
    assert_eq!(roce.dscp.value, [26]);
    assert_eq!(roce.name.position.line, line("  roce:"));
    assert!(roce.lossless.value);

    for other in [
        port("spine1", "Ethernet0", 100_000),
        port("leaf1", "Ethernet0", 400_000),
        Subject {
            speed_mbps: None,
            ..port("spine1", "Ethernet0", 0)
        },
    ] {
        assert_eq!(set.effective(&other).id, EffectiveId(0));
    }
    // One object for all that match the same overrides.
    let again = set.effective(&port("spine2", "Ethernet8", 400_000));
    assert!(std::sync::Arc::ptr_eq(&spine, &again));
}

#[test]
fn later_overrides_win_and_lists_replace() {
    let set = parse(
        "p.yaml",
        "version: 1
classes: {roce: {dscp: [26, 27], priority: 3}}
mtu: {switch: 9000, host: 9000}
overrides:
  - when: {device: leaf*}
    classes: {roce: {dscp: [24]}, bulk: {dscp: [10]}}
    mtu: {switch: 9100}
  - when: {port: Ethernet1/*}
    mtu: {switch: 9200}
",
    )
    .unwrap();
    let effective = set.effective(&port("LEAF1", "Ethernet1/1", 1));
    assert_eq!(effective.class("roce").unwrap().dscp.value, [24]);
    assert_eq!(
        effective
            .class("roce")
            .unwrap()
            .priority
            .as_ref()
            .unwrap()
            .value,
        3
    );
    assert!(effective.class("bulk").is_some());
    let mtu = &effective.mtu;
    assert_eq!(mtu.switch.as_ref().unwrap().value.to_string(), "9200");
    assert_eq!(mtu.host.as_ref().unwrap().value.to_string(), "9000");
    let ids: std::collections::BTreeSet<_> = [
        ("leaf1", "Ethernet1/1"),
        ("leaf1", "Ethernet2/1"),
        ("spine1", "Ethernet1/1"),
        ("spine1", "Ethernet2/1"),
    ]
    .map(|(device, name)| set.effective(&port(device, name, 1)).id)
    .into();
    assert_eq!(ids.len(), 4);
}

#[test]
fn roles_first_match_and_the_inventory_wins() {
    let set = full();
    let spine = port("spine1", "Ethernet0", 1);
    assert_eq!(set.role(&spine), Some("spine"));
    assert_eq!(
        set.role(&Subject {
            role: Some("core"),
            ..spine
        }),
        Some("core")
    );
    let leaf = port("leaf1", "Ethernet0", 1);
    assert_eq!(set.role(&leaf), None);
    assert_eq!(
        set.role(&Subject {
            peer_kind: Some("host"),
            ..leaf
        }),
        Some("host-port")
    );
}

#[test]
fn a_waiver_holds_through_its_last_day() {
    let set = full();
    let now = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    let ask = |port, time: &str| {
        set.waiver("pfc/watchdog", "leaf3", port, now(time))
            .map(|waived| waived.expired)
    };
    assert_eq!(
        ask(Some("Ethernet1/5"), "2027-01-31T23:59:59Z"),
        Some(false)
    );
    assert_eq!(ask(Some("Ethernet1/5"), "2027-02-01T00:00:00Z"), Some(true));
    assert_eq!(ask(Some("Ethernet1/6"), "2027-01-01T00:00:00Z"), None);
    assert_eq!(ask(None, "2027-01-01T00:00:00Z"), None);
    assert_eq!(set.expired_waivers(now("2027-01-31T12:00:00Z")).count(), 0);
    assert_eq!(set.expired_waivers(now("2027-02-01T12:00:00Z")).count(), 1);
}

#[test]
fn what_matched_nothing_is_told() {
    let set = full();
    let kinds = |set: &PolicySet| -> Vec<&str> {
        set.unmatched()
            .iter()
            .map(|unmatched| unmatched.kind)
            .collect()
    };
    assert_eq!(kinds(&set), ["role", "role", "override", "waiver"]);
    set.effective(&port("spine1", "Ethernet0", 400_000));
    assert_eq!(kinds(&set), ["role", "waiver"]);
    let now = "2026-12-01T00:00:00Z".parse().unwrap();
    set.waiver("pfc/watchdog", "leaf3", Some("Ethernet1/5"), now);
    let unmatched = set.unmatched();
    assert_eq!(unmatched.len(), 1);
    assert_eq!(unmatched[0].text, "host-port");
}

#[test]
fn severity_disable_require_and_scope() {
    let set = full();
    assert_eq!(set.severity("ecn/thresholds").unwrap().value, Severity::Low);
    assert!(set.severity("ecn/order").is_none());
    assert!(
        set.disabled("sched/share")
            .unwrap()
            .reason
            .contains("tenant")
    );
    assert!(set.disabled("sched/cnp").is_none());
    assert!(set.required("path/cnp").is_some() && set.has_require());
    assert!(!set.scope().includes("Management1") && !set.scope().includes("Vlan10"));
    assert!(set.scope().includes("Ethernet1/1"));

    let globs = parse(
        "p.yaml",
        "version: 1\nseverity: {\"ecn/*\": low, ecn/order: high}\n",
    )
    .unwrap();
    assert_eq!(globs.severity("ecn/order").unwrap().value, Severity::High);
    assert_eq!(globs.severity("ecn/missing").unwrap().value, Severity::Low);
    assert_eq!(globs.scope().admin_down, PortState::Skip);
    assert!(!globs.scope().includes("Management1"));
}

#[test]
fn check_names_are_held_against_the_registry() {
    let set = full();
    let known = [
        "pfc/watchdog",
        "map/dscp",
        "trust/mode",
        "ecn/thresholds",
        "path/cnp",
        "sched/share",
    ];
    set.validate_checks(&known).unwrap();
    let error = set.validate_checks(&["pfc/watchdog", "map/dscp", "trust/mode", "ecn/threshold"]);
    let error = error.unwrap_err();
    let messages: Vec<_> = error
        .problems()
        .iter()
        .map(|p| p.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "no check `path/*`",
            "no check `ecn/thresholds`",
            "no check `sched/share`"
        ]
    );
    assert!(
        error.problems()[1]
            .help
            .as_ref()
            .unwrap()
            .contains("ecn/threshold")
    );
}

#[test]
fn an_assert_judges_the_model() {
    let set = full();
    let [assert] = set.asserts() else { panic!() };
    assert_eq!((assert.each, assert.severity), (Each::Port, Severity::Low));
    let device = Bound::new(&json!({"name": "leaf1"}));
    for (speed, outcome) in [
        (json!(100_000), Outcome::Holds),
        (json!(25_000), Outcome::Broken),
    ] {
        let bound = Bound::new(&json!({"speed_mbps": speed}));
        let bindings = Bindings {
            device: &device,
            port: Some(&bound),
            nic: None,
        };
        assert_eq!(assert.evaluate(bindings), outcome);
    }
    let unknown = Bound::new(&json!({"speed_mbps": null}));
    let bindings = Bindings {
        device: &device,
        port: Some(&unknown),
        nic: None,
    };
    assert!(matches!(assert.evaluate(bindings), Outcome::Unknown(_)));
}

#[test]
fn show_names_the_line_of_each_value() {
    let text = full().show(&port("spine1", "Ethernet0", 400_000));
    assert!(text.contains("role spine"), "{text}");
    let ecn = text
        .lines()
        .find(|line| line.trim_start().starts_with("min: 1MB"));
    assert!(ecn.unwrap().contains("# ai.yaml:39:"), "{text}");
    assert!(!text.contains("150kB"));
    assert!(text.contains("classes:\n  roce:\n    dscp: [26]"), "{text}");
}

#[test]
fn switches_in_any_case_quoted_or_not() {
    for on in ["on", "ON", "True", "true", "\"on\"", "'TRUE'"] {
        let text = format!(
            "version: 1\npfc: {{mode: {on}, link_pause: {on}}}\nnic: {{persistent: {on}}}\n"
        );
        let set = parse("p.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
        let pfc = &set.base().pfc;
        assert_eq!(pfc.mode.as_ref().unwrap().value.exact(), Some(&PfcMode::On));
        assert_eq!(
            pfc.link_pause.as_ref().unwrap().value.exact(),
            Some(&Switch::On)
        );
    }
    for off in ["off", "OFF", "False", "\"off\""] {
        let set = parse("p.yaml", &format!("pfc: {{mode: {off}}}\n")).unwrap();
        let mode = set.base().pfc.mode.clone().unwrap();
        assert_eq!(mode.value.exact(), Some(&PfcMode::Off));
    }
}

#[test]
fn bad_values_are_told_with_their_place() {
    for (text, place, message) in [
        ("version: 1\ntrsut: dscp\n", (2, 1), "unknown key `trsut`"),
        ("version: 2\nname: x\n", (1, 10), "version 2"),
        (
            "trust: vlan\n",
            (1, 8),
            "`vlan` is not `dscp`, `pcp`, `both`, `none`",
        ),
        ("trust: {a: b}\n", (1, 8), "found a map"),
        ("classes: [a]\n", (1, 10), "expected a map, found a list"),
        (
            "classes: {a: {dscp: 64}}\n",
            (1, 21),
            "`64` is not a code point from 0 to 63",
        ),
        (
            "classes: {a: {dscp: [1, x]}}\n",
            (1, 25),
            "`x` is not a code point",
        ),
        (
            "classes: {a: {dscp: 1, priority: 8}}\n",
            (1, 34),
            "`8` is not a whole number from 0 to 7",
        ),
        (
            "classes: {a: {priority: 1}}\n",
            (1, 11),
            "neither `dscp` nor `pcp`",
        ),
        (
            "classes: {a: {dscp: 1}, b: {dscp: [2, 1]}}\n",
            (1, 35),
            "DSCP 1 belongs to the class `a` and to `b`",
        ),
        (
            "classes: {a: {dscp: 1, ecn: {min: 2MB, max: 1MB}}}\n",
            (1, 35),
            "`min` 2MB is above `max` 1MB",
        ),
        (
            "mtu: {switch: \">= 9100 furlongs\"}\n",
            (1, 15),
            "`9100 furlongs` is not a size",
        ),
        ("mtu: {switch: }\n", (1, 13), "expected a size in bytes"),
        (
            "pfc: {watchdog: {detection: 5}}\n",
            (1, 29),
            "`5` is not a time",
        ),
        (
            "pfc: {mode: perhaps}\n",
            (1, 13),
            "`perhaps` is not `on`, `auto`, `off`",
        ),
        ("roles: {a: {device: \"x[\"}}\n", (1, 21), "is not a glob"),
        ("roles: {a: {}}\n", (1, 9), "selects nothing"),
        ("overrides: [{trust: dscp}]\n", (1, 13), "needs `when`"),
        (
            "overrides: [{when: {}, trust: dscp}]\n",
            (1, 13),
            "needs `when`",
        ),
        ("disable: [{check: a/b}]\n", (1, 11), "needs `reason`"),
        ("waivers: [{reason: x}]\n", (1, 11), "needs `check`"),
        (
            "waivers: [{check: a/b, reason: x, expires: 2027-02-30}]\n",
            (1, 44),
            "is not a date",
        ),
        (
            "waivers:\n- {check: a/b, reason: x}\n- {check: a/b, reason: y}\n",
            (3, 3),
            "stands on line 2 already",
        ),
        (
            "assert: [{id: a/b, expr: \"prot.x\"}]\n",
            (1, 26),
            "unknown variable `prot`",
        ),
        (
            "assert: [{id: nameless, expr: \"true\"}]\n",
            (1, 15),
            "no check identifier",
        ),
        ("assert: [{id: a/b}]\n", (1, 10), "needs `expr`"),
        (
            "severity: {\"a/*\": urgent}\n",
            (1, 19),
            "`urgent` is not `critical`",
        ),
        ("load: {qps: 0}\n", (1, 13), "at least one queue pair"),
        ("a: 1\na: 2\n", (2, 1), "duplicate key `a`"),
        ("- a\n", (1, 1), "expected a map, found a list"),
    ] {
        let problem = problem(text);
        assert_eq!(at(&problem), place, "{text}: {}", problem.message);
        assert!(
            problem.message.contains(message),
            "{text}: {}",
            problem.message
        );
    }
}

#[test]
fn a_misspelt_key_gets_its_neighbour() {
    let problem = problem("classes: {a: {dscp: 1, losless: true}}\n");
    assert_eq!(problem.help.as_deref(), Some("did you mean `lossless`?"));
}

#[test]
fn all_problems_at_once_in_order() {
    let error = parse(
        "p.yaml",
        "version: 3\ntrust: vlan\nmtu: {swtch: 1, host: x}\n",
    )
    .unwrap_err();
    let lines: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| problem.position.line)
        .collect();
    assert_eq!(lines, [1, 2, 3, 3]);
    assert!(
        error.to_string().starts_with("p.yaml:1:10: version 3"),
        "{error}"
    );
}

#[test]
fn an_empty_policy_is_none() {
    for text in [
        "",
        "\n\n",
        "# only words\n",
        "---\n",
        "{}\n",
        "null\n",
        "\u{feff}",
    ] {
        assert_eq!(problem(text).message, "the policy is empty", "{text:?}");
    }
}

#[test]
fn what_must_be_quoted_is_said() {
    for (text, quoted) in [
        ("version: 1\nmtu: {switch: >= 9100}\n", "\">= 9100\""),
        ("version: 1\nmtu:\n  switch: >= 9100\n", "\">= 9100\""),
        (
            "version: 1\nroles: {spine: {device: *spine}}\n",
            "\"*spine\"",
        ),
        ("scope: {ports: {exclude: [*mgmt]}}\n", "\"*mgmt\""),
    ] {
        let help = problem(text).help.unwrap_or_default();
        assert!(
            help.contains("must be quoted") && help.contains(quoted),
            "{text}: {help}"
        );
    }
}

#[test]
fn bombs_are_refused() {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (new, old) in ["b", "c", "d", "e", "f", "g", "h", "i"]
        .iter()
        .zip("abcdefgh".chars())
    {
        let aliases = vec![format!("*{old}"); 9].join(",");
        bomb.push_str(&format!("{new}: &{new} [{aliases}]\n"));
    }
    for text in [
        bomb,
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        format!("name: {}\n", "x".repeat(2 << 20)),
    ] {
        let problem = problem(&text);
        assert!(!problem.message.is_empty() && problem.message.len() < 400);
    }
}

#[test]
fn files() {
    let missing = load("/nonexistent/p.yaml").unwrap_err();
    assert!(matches!(missing, PolicyError::Unreadable { .. }));
    assert!(missing.to_string().contains("/nonexistent/p.yaml"));
    let unknown = load("builtin:roce").unwrap_err();
    assert!(unknown.to_string().contains("roce-lossless"), "{unknown}");

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("site.yaml"), "trust: dscp\n").unwrap();
    let set = load(&path("site.yaml")).unwrap();
    assert_eq!(set.name(), "site");
    // SHA-256 by sha256sum(1).
    assert_eq!(
        set.sha256(),
        "de31ec5334dd81117ed26b2b2daaa8bfaaa3783b3a10915c862db87a5fe08918"
    );
    std::fs::write(path("binary"), [0xff, 0xfe, 0x00]).unwrap();
    assert!(
        load(&path("binary"))
            .unwrap_err()
            .to_string()
            .contains("UTF-8")
    );
    std::fs::write(path("large.yaml"), vec![b'#'; 3 << 20]).unwrap();
    assert!(load(&path("large.yaml")).is_err());
    assert!(load(folder.path().to_str().unwrap()).is_err());
}

#[test]
fn the_schema_is_the_committed_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/policy.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, schema()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(
        committed == schema(),
        "run the test with UPDATE_SCHEMA=1 and look at the difference"
    );
    let schema: serde_json::Value = serde_json::from_str(&committed).unwrap();
    for key in [
        "classes",
        "trust",
        "waivers",
        "assert",
        "overrides",
        "version",
    ] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert!(!committed.contains("\"null\""));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = parse("p.yaml", &text).map_err(|error| error.render(true));
    }

    #[test]
    fn any_damage_to_a_policy_is_read_or_refused(at in 0..FULL.len(), length in 0usize..30, put in "[\\PC\n]{0,8}") {
        let mut text = FULL.to_owned();
        text.replace_range(at..(at + length).min(FULL.len()), &put);
        let _ = parse("p.yaml", &text).map_err(|error| error.render(false));
    }

    #[test]
    fn any_word_is_an_expectation_or_not(text in "\\PC{0,30}") {
        let _ = parse("p.yaml", &format!("mtu: {{switch: {text:?}}}\n"));
        let _ = parse("p.yaml", &format!("roles: {{a: {{device: {text:?}}}}}\n"));
    }
}
