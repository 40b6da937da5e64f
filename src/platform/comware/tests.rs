use super::*;
use crate::model::{Kind, NoteKind, PfcMode, Priorities, SchedulerKind, Trust};
use crate::platform::Certainty;
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/comware/R6710/good/raw/leaf1/config.cfg");
const MODEL: &str = include_str!("../../../fixtures/comware/R6710/good/raw/leaf1/version.txt");
const PORT: &str = "HundredGigE1/0/1";
const LAST: &str = " qos apply policy count inbound\n";

fn read(text: &str) -> Device {
    read_all(&Comware, &[("leaf1.cfg", text)])
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
    let device = read_all(&Comware, &[("config.cfg", GOOD), ("version.txt", MODEL)]);
    let port = device.port(PORT).unwrap();
    assert_eq!(
        at(GOOD, &port.pfc.tx),
        "priority-flow-control no-drop dot1p 3"
    );
    assert_eq!(at(GOOD, &port.pfc.mode), "priority-flow-control enable");
    assert_eq!(at(GOOD, &port.trust), "qos trust dscp");
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9000");
    let three = port.queue(3).unwrap();
    assert!(at(GOOD, &three.ecn.max_bytes).starts_with("queue 3 drop-level 0"));
    // Cells of 208 bytes.
    assert_eq!(three.ecn.max_bytes.get(), Some(8000 * 208));
    let group = port.priority_group(3).unwrap();
    assert_eq!(group.buffer.headroom_bytes.get(), Some(1500 * 208));
    assert_eq!(group.buffer.pause_at_bytes.get(), Some(13_000 * 208));
    assert_eq!(group.buffer.resume_at_bytes.get(), Some(12_900 * 208));
    let strict = port.queue(6).unwrap().scheduler.get();
    assert_eq!(strict, Some(SchedulerKind::Strict));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(3));
    // By default DSCP 0 is 802.1p 0, and that is local precedence 2.
    assert_eq!(port.maps.value(MapName::DscpToTc, 0), Some(2));
    let model = device.hardware.value().map(String::as_str);
    assert_eq!(model, Some("S9820-64H"));
}

#[test]
fn the_last_line_wins() {
    let pfc = |lines: &str| with(lines).port(PORT).unwrap().pfc.enabled.get();
    assert_eq!(pfc(""), Some(set(&[3])));
    for off in [
        " undo priority-flow-control\n",
        " undo priority-flow-control enable\n",
        " undo priority-flow-control no-drop dot1p\n",
        " undo priority-flow-control no-drop dot1p 3\n",
    ] {
        assert_eq!(pfc(off), Some(Priorities::NONE), "{off}");
    }
    assert_eq!(
        pfc(" priority-flow-control no-drop dot1p 4,5\n"),
        Some(set(&[3, 4, 5]))
    );
    assert_eq!(pfc(" priority-flow-control auto\n"), None);
    let trust = |lines: &str| with(lines).port(PORT).unwrap().trust.clone();
    assert_eq!(trust(" qos trust dot1p\n").get(), Some(Trust::Pcp));
    assert_eq!(trust(" undo qos trust\n").kind(), Kind::Unknown);
    let mtu = |lines: &str| with(lines).port(PORT).unwrap().mtu.ip.clone();
    assert_eq!(mtu(" undo mtu\n").get(), Some(1500));
    assert_eq!(mtu(" mtu 9OOO\n").kind(), Kind::Unknown);
    assert_eq!(mtu(" undo jumboframe enable\n").get(), Some(1518));
}

#[test]
fn invented_lines_are_told_and_count_nothing() {
    for line in [
        "priority-flow-control mode on",
        "priority-flow-control no-drop 3",
        "priority-flow-control dot1p 3 xoff 100",
        "qos trust dscp-map",
        "qos wred queue 9 ecn",
        "qos wred queue 3 ecn enable",
        "qos wfq af9 group sp",
        "ecn-threshold 70",
    ] {
        let device = with(&format!(" {line}\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        let port = device.port(PORT).unwrap();
        assert_eq!(port.pfc.enabled.get(), Some(set(&[3])), "{line}");
        assert_eq!(port.trust.get(), Some(Trust::Dscp), "{line}");
    }
    for (from, to) in [
        (" accounting packet\n", " remarkdscp 0\n"),
        (" if-match any\n", " match any\n"),
        (" import 26 export 3\n", " import 26 to 3\n"),
        (" import 26 export 3\n", " import 64 export 3\n"),
        (
            "qos wred queue table ROCE\n",
            "qos wred queue table ROCE\n queue 3 mark\n",
        ),
    ] {
        assert_eq!(GOOD.matches(from).count(), 1, "{from}");
        let device = read(&GOOD.replace(from, to));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{to}");
    }
}

#[test]
fn members_of_an_aggregation() {
    let device = read(
        "interface Bridge-Aggregation1\n qos trust dscp\n priority-flow-control enable\n#\n\
         interface Twenty-FiveGigE1/0/1\n port link-aggregation group 1 mode dynamic\n\
         \x20priority-flow-control enable\n priority-flow-control no-drop dot1p 3\n#\n\
         interface Twenty-FiveGigE1/0/2\n port link-aggregation group 1\n",
    );
    let of = |name: &str| device.port(name).unwrap();
    assert_eq!(
        of("Twenty-FiveGigE1/0/1").pfc.enabled.get(),
        Some(set(&[3]))
    );
    assert_eq!(of("Twenty-FiveGigE1/0/2").pfc.enabled.kind(), Kind::Unknown);
    assert_eq!(of("Twenty-FiveGigE1/0/2").trust.get(), Some(Trust::Dscp));
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("\n#\n", "\n# \n"))), good);
    let lower = GOOD.replace("interface HundredGigE", "interface hundredgige ");
    assert_eq!(json(&read(&lower)), good);
    let banner = " header motd %\ninterface HundredGigE1/0/99\n qos trust dscp\n%\n";
    assert_eq!(json(&read(&format!("{banner}{GOOD}"))), good);
    let refused = "          ^\n % Unrecognized command found at '^' position.\n";
    assert_eq!(json(&read(&format!("{refused}{GOOD}"))), good);
}

const HEADER: &str = "Interface                        AdminMode  OperMode  Dot1pList   Prio  Recv\n\
    \n   Send       Inpps      Outpps\n\n------------\n\n---\n\n";

#[test]
fn tables_wrapped_and_whole_are_the_same() {
    let wrapped =
        format!("{HEADER}HGE1/0/1     Auto    Enabled  3,5     3     1,000\n\n   7    0    0\n");
    let whole = "Interface AdminMode OperMode Dot1pList Prio Recv Send Inpps Outpps\n---------\n\
        HGE1/0/1     Auto    Enabled  3,5     3     1,000   7    0    0\n";
    for table in [&*wrapped, whole] {
        let device = read_all(&Comware, &[("pfc.txt", table)]);
        let port = device.port(PORT).unwrap();
        assert_eq!(port.pfc.mode.get(), Some(PfcMode::Auto));
        assert_eq!(port.pfc.operational.get(), Some(set(&[3, 5])));
        let counted = &port.counters.as_ref().unwrap().by_priority[&3];
        assert_eq!(
            (counted.rx_pause.get(), counted.tx_pause.get()),
            (Some(1000), Some(7))
        );
    }
    // An empty list of priorities does not shift the columns.
    let empty =
        format!("{HEADER}HGE1/0/1     Enabled    Enabled       3     5\n\n   7    0    0\n");
    let device = read_all(&Comware, &[("pfc.txt", &empty)]);
    let port = device.port(PORT).unwrap();
    assert_eq!(port.pfc.enabled.get(), Some(Priorities::NONE));
    assert!(port.counters.as_ref().unwrap().by_priority.contains_key(&3));
}

#[test]
fn another_vendor_s_configuration_is_not_claimed() {
    for text in [
        include_str!("../../../fixtures/vrp/V300R023/good/raw/leaf1/config.cfg"),
        include_str!("../../../fixtures/srlinux/25.3/good/raw/leaf1/config.txt"),
        include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/nxos/10.3/good/raw/leaf1.cfg"),
        include_str!("../../../fixtures/os10/10.5.4/good/raw/leaf1.cfg"),
        "hostname leaf1\n",
        "",
    ] {
        let found = Comware.recognise(&Capture::new("leaf1.cfg", text));
        let start = text.lines().next().unwrap_or_default();
        assert!(found.is_none(), "{start}");
    }
    let own = Comware.recognise(&Capture::new("leaf1.cfg", GOOD)).unwrap();
    assert_eq!((own.spec.command, own.certainty), (CONFIG, Certainty::Sure));
}

#[test]
fn fixes_do_what_they_are_for() {
    let off = with(" undo priority-flow-control\n");
    let priorities = set(&[3]);
    let lines = Comware.fix(&off, PORT, &Remedy::Pfc { priorities });
    let again = with(&format!(
        " undo priority-flow-control\n#\n{}\n",
        lines.join("\n")
    ));
    assert_eq!(again.port(PORT).unwrap().pfc.enabled.get(), Some(set(&[3])));
    let none = |port: &str| Comware.fix(&off, port, &Remedy::LinkPauseOff);
    assert!(none("HundredGigE1/0/1\nreboot").is_empty());
    assert!(none("HundredGigE1/0/99").is_empty());
    let entry = Remedy::MapEntry {
        map: MapName::DscpToTc,
        key: 26,
        value: 4,
    };
    let lines = Comware.fix(&off, PORT, &entry).join("\n");
    let again = with(&format!("#\n{lines}\n"));
    let map = &again.port(PORT).unwrap().maps;
    assert_eq!(map.value(MapName::DscpToTc, 26), Some(4));
}

#[test]
fn a_million_lines_are_read() {
    // A million lines: work in the square of them would not end.
    let sections = 200_000;
    let section = |n: usize| {
        format!(
            "interface HundredGigE1/0/{}\n qos wred apply none\n bogus line\n qos x\n#\n",
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
    fn any_text_is_read(text in "(interface (range )?HundredGigE ?1/0/[0-9]{1,2}( to )?|priority-flow-control |no-drop |dot1p |deadlock |qos |wred |queue |table |apply |map-table |import |export |wfq |traffic (behavior|classifier) |undo |[ #%0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn any_table_is_read(text in "(HGE1/0/1 |Enabled |Auto |[0-9,]{1,25}|[ a-z-]|\r?\n){0,60}") {
        read(&format!("{HEADER}{text}"));
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        prop_assert!(read(&GOOD[..end]).ports.len() <= 5);
    }
}
