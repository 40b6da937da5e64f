//! Texts of others, hostile ones, and large ones.

use super::show::{COUNTED, GUARDED, LINKS, ROCE_COUNTED, SHOWN, STATUS};
use super::*;
use proptest::prelude::*;

#[test]
fn other_platforms_are_not_claimed() {
    for text in [
        "",
        "hostname leaf1\ninterface Ethernet1\n   priority-flow-control on\n",
        r#"{"PORT": {"Ethernet0": {"mtu": "9100"}}, "PORT_QOS_MAP": {}}"#,
        "set interfaces et-0/0/1 mtu 9216\nset class-of-service interfaces et-*\n",
        "qos:\n  - name: roce\n",
        "auto swp1\niface swp1\n    mtu 9216\n",
        r#"{"interface": {"Ethernet1": {}}, "qos": {}}"#,
    ] {
        let capture = Capture::new("x", text);
        assert!(Cumulus.recognise(&capture).is_none(), "{text}");
    }
    for (text, command) in [
        (SHORT, YAML),
        (LONG, COMMANDS),
        (FEATURES, crate::platform::cumulus::FEATURES),
        (INFRA, crate::platform::cumulus::INFRA),
        (STATUS, ROCE_STATUS),
        (SHOWN, ROCE),
        (ROCE_COUNTED, ROCE_COUNTERS),
        (COUNTED, COUNTERS),
        (GUARDED, WATCHDOG),
        (LINKS, INTERFACES),
    ] {
        let found = Cumulus.recognise(&Capture::new("x", text)).unwrap();
        assert_eq!(found.spec.command, command);
        assert_eq!(found.certainty, Certainty::Sure);
    }
}

/// How many settings and notes a text makes: work that must grow with it.
fn size(text: &str) -> usize {
    let device = read(&[text]);
    device.ports.len() + device.notes.len()
}

#[test]
fn hostile_lists_are_bounded() {
    // Ranges that together name more than any switch has.
    let mut text = String::new();
    for n in 0..2000 {
        text.push_str(&format!("nv set interface swp1-4096,x{n} link mtu 9216\n"));
    }
    let device = read(&[&text]);
    assert!(told(&device).contains(&NoteKind::Unparsed));
    assert!(device.ports.len() <= 4096);
    // A bond that is its own member.
    let bond = "nv set interface bond1 bond member bond1\nnv set interface swp1 link state up\n";
    assert_eq!(size(bond), 1);
    // Depth.
    let deep: String = (0..3000)
        .map(|n| format!("{}k:\n", " ".repeat(n + 6)))
        .collect();
    let device = read(&[&with(
        SHORT,
        "        mode: lossless\n",
        &format!(
            "        mode: lossless\n{}",
            deep.replace("      k:\n       k", "        k:\n         k")
        ),
    )]);
    assert!(!device.notes.is_empty());
    let flow = format!("      roce: {}{}\n", "{a: ".repeat(2000), "}".repeat(2000));
    let roce = "      roce:\n        enable: on\n        mode: lossless\n";
    assert_eq!(
        told(&read(&[&with(SHORT, roce, &flow)])),
        [NoteKind::Unparsed]
    );
}

/// Work in the square of a million lines would not end.
#[test]
fn a_million_lines_are_read() {
    let yaml = |lines: usize| {
        let mut text = SHORT.replace("    system:", "    router:\n      x: {}\n    system:");
        let at = text.find("      swp1-2:").unwrap();
        let more: String = (0..lines / 5)
            .map(|n| {
                let port = n % 4000 + 10;
                format!("      swp{port}:\n        link:\n          mtu: 9216\n        qos:\n          pfc-watchdog: {{}}\n")
            })
            .collect();
        text.insert_str(at, &more);
        text
    };
    let commands = |lines: usize| -> String {
        (0..lines)
            .map(|n| match n % 3 {
                0 => format!("nv set interface swp{} qos pfc-watchdog\n", n % 3999 + 1),
                1 => format!(
                    "nv set qos mapping p{} dscp 26 switch-priority 3\n",
                    n % 100_000
                ),
                _ => "nv set router bgp neighbor x remote-as external\n".to_owned(),
            })
            .collect()
    };
    let files = |lines: usize| -> String {
        let line = |n| format!("source.g{}.cos_3.priority_source.dscp = [26]\n", n % 10_000);
        FEATURES.to_owned() + &(0..lines).map(line).collect::<String>()
    };
    for text in [yaml(1_000_000), commands(1_000_000), files(1_000_000)] {
        assert!(size(&text) > 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn arbitrary_texts_never_panic(text in "(nv set |nv unset |- set:\n|- header:\n|pfc\\.|source\\.|[a-z0-9:{}',\\[\\]. \t=\n-]|\\PC){0,120}") {
        size(&text);
        size(&format!("- set:\n    qos:\n{text}"));
        size(&format!("nv set qos {text}"));
        size(&format!("{{\"set\": {{\"qos\": {text}"));
        size(&format!("pfc.port_group_list = [{text}"));
    }

    #[test]
    fn cut_texts_never_panic(cut in 0usize..4000, which in 0usize..11) {
        let all = [SHORT, LONG, FEATURES, INFRA, SHOWN, STATUS, ROCE_COUNTED, COUNTED, GUARDED, LINKS, SHORT];
        let text = all[which];
        let end = cut.min(text.len());
        let text = &text[..end];
        let commands = [
            "nv show interface swp1 qos roce status",
            "nv show interface swp1 qos roce counters",
            "nv show interface swp1 counters qos",
        ];
        size(text);
        for command in commands {
            read_captures(&[printed(command, text)]);
        }
    }
}
