use super::*;
use crate::model::{Kind, NoteKind, PfcMode, Priorities, Trust};
use crate::platform::Certainty;
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/vrp/V300R023/good/raw/leaf1/config.cfg");
const PORT: &str = "100GE1/0/1";
const LAST: &str = " traffic-policy count inbound\n";

fn read(text: &str) -> Device {
    read_all(&Vrp, &[("leaf1.cfg", text)])
}

/// The configuration with further lines at the end of the first host port.
fn with(lines: &str) -> Device {
    assert_eq!(GOOD.matches(LAST).count(), 1);
    read(&GOOD.replace(LAST, &format!("{LAST}{lines}")))
}

fn json(device: &Device) -> String {
    crate::model::json::device(device).to_string()
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port(PORT).unwrap();
    assert_eq!(at(GOOD, &port.pfc.tx), "priority 3");
    assert_eq!(at(GOOD, &port.pfc.mode), "dcb pfc enable mode manual");
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9000");
    let three = port.queue(3).unwrap();
    assert!(at(GOOD, &three.ecn.max_bytes).starts_with("ecn buffer-size"));
    assert_eq!(three.ecn.max_bytes.get(), Some(1_500_000));
    assert_eq!(at(GOOD, &three.share_percent), "qos queue 3 drr weight 60");
    let group = port.priority_group(3).unwrap();
    assert_eq!(group.buffer.headroom_bytes.get(), Some(256 << 10));
    assert_eq!(port.pfc.watchdog.detection_ms.get(), Some(100));
    assert_eq!(port.trust.kind(), Kind::Default);
    let version = device.os_version.value().map(String::as_str);
    assert_eq!(version, Some("V300R023C00SPC500"));
}

#[test]
fn the_last_line_wins() {
    let pfc = |lines: &str| with(lines).port(PORT).unwrap().pfc.enabled.get();
    assert_eq!(pfc(""), Some(set(&[3])));
    assert_eq!(pfc(" undo dcb pfc enable\n"), Some(Priorities::NONE));
    assert_eq!(
        pfc(" undo dcb pfc enable\n dcb pfc enable mode manual\n"),
        Some(set(&[3]))
    );
    assert_eq!(pfc(" dcb pfc enable mode auto\n"), None);
    let trust = |lines: &str| with(lines).port(PORT).unwrap().trust.clone();
    assert_eq!(trust(" trust 8021p outer\n").get(), Some(Trust::Pcp));
    let back = trust(" trust 8021p outer\n undo trust 8021p\n");
    assert_eq!(
        (back.get(), back.kind()),
        (Some(Trust::Dscp), Kind::Default)
    );
    let ecn = |lines: &str| {
        with(lines)
            .port(PORT)
            .unwrap()
            .queue(3)
            .unwrap()
            .ecn
            .enabled
            .get()
    };
    assert_eq!(ecn(" undo qos queue 3 ecn\n"), Some(false));
    assert_eq!(ecn(" undo qos queue 3 wred\n"), None);
    let mtu = |lines: &str| with(lines).port(PORT).unwrap().mtu.ip.clone();
    assert_eq!(mtu(" undo mtu\n").get(), Some(1500));
    assert_eq!(mtu(" mtu 9OOO\n").kind(), Kind::Unknown);
}

#[test]
fn invented_lines_are_told_and_count_nothing() {
    for line in [
        "priority-flow-control mode on",
        "dcb pfc priority 3",
        "dcb pfc enable mode on",
        "qos queue 3 ecn enable",
        "qos queue 9 ecn",
        "qos wred roce",
        "dcb pfc buffer 3 xoff 1500",
        "trust dscp-map",
        "ecn-threshold 70",
    ] {
        let device = with(&format!(" {line}\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        let (port, good) = (device.port(PORT).unwrap(), read(GOOD));
        let good = good.port(PORT).unwrap();
        assert_eq!(port.pfc.enabled.get(), good.pfc.enabled.get(), "{line}");
        assert_eq!(port.trust.get(), good.trust.get(), "{line}");
    }
    for (from, to) in [
        (" statistics enable\n", " remarkdscp 0\n"),
        (" if-match acl 3001\n", " match acl 3001\n"),
        (
            "diffserv domain default\n",
            "diffserv domain default\n ip-dscp-inbound 64 phb af3 green\n",
        ),
        ("drop-profile roce\n", "drop-profile roce\n ecn on\n"),
        (
            "vlan batch 10\n",
            "port-group a\n group-member 100GE1/0/1\n trust dscp\n#\nvlan batch 10\n",
        ),
    ] {
        assert_eq!(GOOD.matches(from).count(), 1, "{from}");
        let device = read(&GOOD.replace(from, to));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{to}");
    }
}

#[test]
fn members_of_a_trunk() {
    let device = read(
        "drop-profile roce\n ecn buffer-size low-limit 1000 high-limit 2000 discard-percentage 10\n\
         #\ninterface Eth-Trunk1\n trust dscp\n qos queue 3 wred roce\n qos queue 3 ecn\n#\n\
         interface 25GE1/0/1\n eth-trunk 1\n dcb pfc enable mode manual\n#\n\
         interface 25GE1/0/2\n eth-trunk 1\n",
    );
    assert_eq!(device.ports.len(), 2);
    for port in &device.ports {
        assert_eq!(port.trust.get(), Some(Trust::Dscp));
        assert_eq!(port.queue(3).unwrap().ecn.max_bytes.get(), Some(2000));
    }
    let mode = |name: &str| device.port(name).unwrap().pfc.mode.get();
    assert_eq!(mode("25GE1/0/1"), Some(PfcMode::On));
    assert_eq!(mode("25GE1/0/2"), Some(PfcMode::Off));
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("\n ", "\n\t"))), good);
    assert_eq!(json(&read(&GOOD.replace("\n#\n", "\n# \n"))), good);
    let banner = "header login information %\ninterface 100GE1/0/99\n dcb pfc enable\n%\n";
    assert_eq!(json(&read(&format!("{banner}{GOOD}"))), good);
    let refused = "               ^\nError: Unrecognized command found at '^' position.\n";
    assert_eq!(json(&read(&format!("{refused}{GOOD}"))), good);
}

#[test]
fn policies_that_lead_to_themselves_end() {
    let device = with("#\ntraffic policy count\n classifier count behavior count\n");
    assert_eq!(notes(&device, NoteKind::Unresolved).len(), 1);
}

#[test]
fn another_vendor_s_configuration_is_not_claimed() {
    for text in [
        include_str!("../../../fixtures/comware/R6710/good/raw/leaf1/config.cfg"),
        include_str!("../../../fixtures/srlinux/25.3/good/raw/leaf1/config.txt"),
        include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/nxos/10.3/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/os10/10.5.4/good/raw/leaf1.cfg"),
        "hostname leaf1\n",
        "",
    ] {
        let found = Vrp.recognise(&Capture::new("leaf1.cfg", text));
        let start = text.lines().next().unwrap_or_default();
        assert!(found.is_none(), "{start}");
    }
    let own = Vrp.recognise(&Capture::new("leaf1.cfg", GOOD)).unwrap();
    assert_eq!((own.spec.command, own.certainty), (CONFIG, Certainty::Sure));
}

#[test]
fn fixes_do_what_they_are_for() {
    let off = with(" undo dcb pfc enable\n");
    let priorities = set(&[3]);
    let lines = Vrp.fix(&off, PORT, &Remedy::Pfc { priorities }).join("\n");
    let again = with(&format!(" undo dcb pfc enable\n#\n{lines}\n"));
    assert_eq!(again.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[3])));
    let none = |port: &str| Vrp.fix(&off, port, &Remedy::LinkPauseOff);
    assert!(none("100GE1/0/1\nreboot").is_empty());
    assert!(none("100GE1/0/99").is_empty());
    let ecn = Remedy::Ecn {
        queue: 3,
        min_bytes: Some(1000),
        max_bytes: Some(2000),
        probability_percent: Some(10),
    };
    let lines = Vrp.fix(&off, PORT, &ecn).join("\n");
    let again = with(&format!("#\n{lines}\n"));
    let marks = &again.port(PORT).unwrap().queue(3).unwrap().ecn;
    assert_eq!(
        (marks.enabled.get(), marks.max_bytes.get()),
        (Some(true), Some(2000))
    );
}

#[test]
fn tables_that_are_cut_are_told() {
    let table = "Interface  Queue  Received(Frames)  ReceivedRate(pps)  DeadlockNum\n\
        \x20          Transmitted(Frames)  TransmittedRate(pps)  RecoveryNum\n----\n\
        100GE1/0/1  3  5  0  0\n";
    let device = read_all(&Vrp, &[("pfc.txt", table)]);
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
    let whole = format!("{table}               1,007  0  0\n");
    let device = read_all(&Vrp, &[("pfc.txt", &whole)]);
    let counters = device.port(PORT).unwrap().counters.as_ref().unwrap();
    assert_eq!(counters.by_priority[&3].tx_pause.get(), Some(1007));
}

#[test]
fn a_million_lines_are_read() {
    // A million lines: work in the square of them would not end.
    let sections = 200_000;
    let section = |n: usize| {
        format!(
            "interface 100GE1/0/{}\n dcb pfc enable none\n bogus line\n qos x\n#\n",
            n % 512 + 1
        )
    };
    let text: String = (0..sections).map(section).collect();
    let device = read(&text);
    assert_eq!(device.ports.len(), 512);
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), sections);
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(interface (range )?100GE ?1/0/[0-9]{1,2}( to )?|dcb pfc |enable |buffer 3 |xoff |static |priority |drop-profile |ecn |qos queue |diffserv domain |ip-dscp-inbound |traffic (policy|behavior|classifier) |undo |display |[ #%0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn any_table_is_read(text in "(100GE1/0/1 |Interface |Received\\(Frames\\) |DeadlockNum|AI-ECN Model Version|PHY InUti OutUti inErrors|[0-9,]{1,25}|[ a-z-]|\r?\n){0,60}") {
        for head in ["Received(Frames) DeadlockNum\n", "AI-ECN Model Version\n", "InUti OutUti inErrors\n"] {
            read(&format!("{head}{text}"));
        }
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        prop_assert!(read(&GOOD[..end]).ports.len() <= 5);
    }
}
