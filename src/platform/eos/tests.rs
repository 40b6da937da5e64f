use super::*;
use crate::model::{Field, Kind, Milli, Port, PortField, QueueField, State, Trust};
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

const GOOD: &str = include_str!("../../../fixtures/eos/4.32/good/raw/leaf1.cfg");

fn read(text: &str) -> Device {
    read_all(&Eos, &[("leaf1.cfg", text)])
}

/// What a command printed, below its prompt.
pub fn shown(command: &str, text: &str) -> Device {
    let mut capture = Capture::new("leaf1.log", text);
    capture.command = Some(command.to_owned());
    let spec = Eos.recognise(&capture).map(|found| found.spec);
    Eos.read("leaf1", &[(&capture, spec)])
}

fn changed(from: &str, to: &str) -> Device {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?}");
    read(&GOOD.replace(from, to))
}

#[test]
fn values_point_at_their_lines() {
    let device = read(GOOD);
    let port = device.port("Ethernet1").unwrap();
    assert_eq!(
        at(GOOD, &port.pfc.tx),
        "priority-flow-control priority 3 no-drop"
    );
    assert_eq!(at(GOOD, &port.mtu.ip), "mtu 9214");
    let ecn = &port.queue(3).unwrap().ecn;
    assert!(at(GOOD, &ecn.max_bytes).starts_with("random-detect ecn minimum-threshold 150 kbytes"));
    assert_eq!(
        port.queue(3).unwrap().share_percent.get(),
        Some(Milli::whole(60))
    );
    assert_eq!(at(GOOD, &device.os_version), "4.32.1F)");
}

#[test]
fn ports_of_one_profile_share_its_objects() {
    let device = read(GOOD);
    let ecn =
        |name: &str| std::sync::Arc::as_ptr(&device.port(name).unwrap().queue(3).unwrap().ecn);
    assert_eq!(ecn("Ethernet1"), ecn("Ethernet50"));
}

#[test]
fn absent_default_and_off_are_three_things() {
    let kind = |device: &Device, field| {
        let port = device.port("Ethernet1").unwrap();
        port.fact(&Field::Port(field)).unwrap().kind()
    };
    let off = changed(
        "   priority-flow-control on\n",
        "   no priority-flow-control\n",
    );
    assert_eq!(kind(&off, PortField::PfcTx), Kind::Explicit);
    let absent = changed("   priority-flow-control on\n", "");
    assert_eq!(kind(&absent, PortField::PfcTx), Kind::Default);
    for device in [&off, &absent] {
        assert_eq!(
            device.port("Ethernet1").unwrap().pfc.tx.get(),
            Some(set(&[]))
        );
    }
    let shown = read_all(
        &Eos,
        &[(
            "l/s.log",
            "Port Name Status Vlan Duplex Speed Type\nEt1 gpu01 connected routed full 400G x\n",
        )],
    );
    assert_eq!(kind(&shown, PortField::PfcTx), Kind::Unknown);
}

#[test]
fn one_changed_line_changes_its_fact() {
    let speed = |d: &Device| d.port("Ethernet1").unwrap().speed_mbps.get();
    let line = "   speed forced 400gfull\n   no switchport\n   ip address 198.51.100.1/31\n";
    let with = |speed: &str| changed(line, &line.replace("speed forced 400gfull", speed));
    assert_eq!(speed(&with("speed 100g-4")), Some(100_000));
    assert_eq!(speed(&with("speed auto 200gfull")), Some(200_000));
    assert_eq!(speed(&with("! speed")), None);
    let trust = |to: &str| {
        changed("   qos trust dscp\n", to)
            .port("Ethernet1")
            .unwrap()
            .trust
            .clone()
    };
    assert_eq!(trust("   qos trust cos\n").get(), Some(Trust::Pcp));
    assert_eq!(trust("   no qos trust\n").get(), Some(Trust::None));
    assert_eq!(trust("").kind(), Kind::Default);
    let ecn = |unit: &str| {
        let to = format!("minimum-threshold 150 {unit} maximum-threshold 1500 {unit}");
        let device = changed(
            "minimum-threshold 150 kbytes maximum-threshold 1500 kbytes",
            &to,
        );
        device
            .port("Ethernet2")
            .unwrap()
            .queue(3)
            .unwrap()
            .ecn
            .min_bytes
            .clone()
    };
    assert_eq!(ecn("bytes").get(), Some(150));
    assert_eq!(ecn("mbytes").get(), Some(150_000_000));
    for unit in ["segments", "milliseconds", "microseconds"] {
        assert!(ecn(unit).is_unknown(), "{unit}");
    }
}

#[test]
fn what_the_grammar_does_not_know_is_told_and_not_counted() {
    for line in [
        "qos map dscp 26 traffic-class 3",
        "qos map dscp 26-99 to traffic-class 3",
        "priority-flow-control enable",
        "ecn-threshold 70",
        "dcbx on",
        "random-detect ecn",
    ] {
        let device = changed("ip routing\n", &format!("{line}\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{line}");
        assert_eq!(
            device.port("Ethernet1").unwrap().pfc.tx.get(),
            Some(set(&[3]))
        );
    }
    let device = changed(
        "   priority-flow-control on\n",
        "   priority-flow-control enabled\n",
    );
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
    assert_eq!(
        device.port("Ethernet1").unwrap().pfc.tx.get(),
        Some(set(&[]))
    );
}

#[test]
fn spelling_of_the_text_changes_nothing() {
    let json = |device: &Device| crate::model::json::device(device).to_string();
    let good = json(&read(GOOD));
    assert_eq!(json(&read(&GOOD.replace('\n', "\r\n"))), good);
    assert_eq!(json(&read(&GOOD.replace("   ", "\t"))), good);
    assert_eq!(json(&read(&GOOD.replace("!\n", "!\n\n"))), good);
    let banner = "banner motd\ninterface Ethernet9\n   priority-flow-control on\nEOF\n!\n";
    assert_eq!(json(&read(&format!("{banner}{GOOD}"))), good);
}

#[test]
fn another_vendor_s_configuration_is_not_claimed() {
    for text in [
        "interface Ethernet1/1\n  priority-flow-control mode on send-tlv\n  mtu 9216\nsystem qos\n  service-policy type network-qos N\n",
        "interface ethernet1/1/1\n mtu 9216\n priority-flow-control mode on\n",
        "class-of-service {\n    classifiers {\n        dscp d1 { }\n    }\n}\n",
        "{\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}}",
    ] {
        let found = Eos.recognise(&Capture::new("leaf1.cfg", text));
        assert!(
            found.is_none_or(|found| found.certainty < Certainty::Likely),
            "{text}"
        );
    }
}

#[test]
fn show_all_prints_the_defaults_that_hold_without_it() {
    let device = changed(
        "interface Ethernet3\n   shutdown\n",
        "interface Ethernet3\n   no shutdown\n   no switchport\n   mtu 1500\n   qos trust dscp\n   qos cos 0\n   no flowcontrol send\n   \
         no priority-flow-control\n   priority-flow-control pause watchdog\n   no priority-flow-control priority 3\n   \
         no priority-flow-control pause watchdog port action\n   tx-queue 3\n      priority strict\n      no bandwidth percent\n      \
         no random-detect ecn minimum-threshold\n      no random-detect drop\n      no random-detect ecn count\n",
    );
    assert_eq!(notes(&device, NoteKind::Unparsed), Vec::<&str>::new());
    let port = device.port("Ethernet3").unwrap();
    assert_eq!(port.pfc.tx.get(), Some(set(&[])));
    let enabled = port.fact(&Field::Queue(3, QueueField::EcnEnabled)).unwrap();
    assert_eq!(enabled.kind(), Kind::Explicit);
    assert_eq!(port.queue(3).unwrap().ecn.enabled.get(), Some(false));
}

/// A port with these lines, in a switch with these global lines.
fn port_with(global: &str, lines: &str) -> Device {
    let lines = lines.replace('\n', "\n   ");
    read(&format!(
        "{global}\n!\ninterface Ethernet1\n   no switchport\n   {lines}\n!\n"
    ))
}

fn port(device: &Device) -> &Port {
    device.port("Ethernet1").unwrap()
}

const PFC_ON: &str = "priority-flow-control on\npriority-flow-control priority 3 no-drop";

#[test]
fn pfc_is_said_on_ports_in_profiles_and_for_the_switch() {
    let tx = |global: &str, lines: &str| port(&port_with(global, lines)).pfc.tx.get();
    let (on, off) = (Some(set(&[3])), Some(set(&[])));
    assert_eq!(tx("", PFC_ON), on);
    let older = PFC_ON.replace("control on", "control mode on");
    assert_eq!(tx("", &older), on);
    // No-drop without PFC, PFC without no-drop, and drop by name.
    assert_eq!(tx("", "priority-flow-control priority 3 no-drop"), off);
    assert_eq!(tx("", "priority-flow-control on"), off);
    let drop = format!("{PFC_ON}\npriority-flow-control priority 3 drop");
    assert_eq!(tx("", &drop), off);
    let no = format!("{PFC_ON}\nno priority-flow-control priority 3");
    assert_eq!(tx("", &no), off);
    let profile = format!("qos profile R\n   {}", PFC_ON.replace('\n', "\n   "));
    assert_eq!(tx(&profile, "service-profile R"), on);
    assert_eq!(tx(&profile, ""), off);
    assert_eq!(tx(&profile, "service-profile r"), off);
    assert_eq!(
        tx(
            &format!("{profile}\n!\npriority-flow-control all off"),
            "service-profile R"
        ),
        off
    );
    // The profile has one more; a port adds to it and takes from it.
    let four = "service-profile R\npriority-flow-control priority 4 no-drop";
    assert_eq!(tx(&profile, four), Some(set(&[3, 4])));
    let less = "service-profile R\npriority-flow-control priority 3 drop";
    assert_eq!(tx(&profile, less), off);
}

#[test]
fn the_watchdog_takes_times_from_the_port_then_from_the_switch() {
    let global = "priority-flow-control pause watchdog default timeout 0.2\n\
                  priority-flow-control pause watchdog default recovery-time 0.4\n\
                  priority-flow-control pause watchdog action drop";
    let timer = "priority-flow-control pause watchdog port timer timeout 0.05 polling-interval \
                 auto recovery-time 1.11 forced\npriority-flow-control pause watchdog port action errdisable";
    let told = |global: &str, lines: &str| {
        let device = port_with(global, lines);
        let watchdog = port(&device).pfc.watchdog.clone();
        let times = (watchdog.detection_ms.get(), watchdog.restoration_ms.get());
        (
            watchdog.enabled.get(),
            times,
            watchdog.action.value().cloned(),
        )
    };
    let drop = Some("drop".to_owned());
    assert_eq!(
        told(global, ""),
        (Some(true), (Some(200), Some(400)), drop.clone())
    );
    let errdisable = Some("errdisable".to_owned());
    assert_eq!(
        told(global, timer),
        (Some(true), (Some(50), Some(1110)), errdisable.clone())
    );
    assert_eq!(
        told("", ""),
        (Some(false), (Some(0), None), errdisable.clone())
    );
    let off = "no priority-flow-control pause watchdog";
    assert_eq!(
        told(global, off),
        (Some(false), (Some(200), Some(400)), drop)
    );
    // Automatic on the port hides the time of the switch.
    let auto = timer.replace("recovery-time 1.11", "recovery-time auto");
    assert_eq!(told(global, &auto).1, (Some(50), None));
    let zero = global.replace("timeout 0.2", "timeout 0");
    assert_eq!(told(&zero, "").0, Some(false));
    // A line with a slip sets nothing, not even its first half.
    let slip = timer.replace("recovery-time 1.11", "recovery-time soon");
    let device = port_with(global, &slip);
    assert_eq!(port(&device).pfc.watchdog.detection_ms.get(), Some(200));
    assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1);
}

#[test]
fn marking_is_read_in_all_units_and_at_all_levels() {
    let ecn = |global: &str, lines: &str| {
        let device = port_with(global, lines);
        let ecn = port(&device).queue(3).unwrap().ecn.clone();
        (ecn, notes(&device, NoteKind::Unparsed).len())
    };
    let queue = |word: &str, line: &str| format!("{word} 3\n   random-detect {line}");
    let line = "ecn minimum-threshold 320 kbytes maximum-threshold 1 mbytes max-mark-probability 90 weight 3";
    for word in ["tx-queue", "uc-tx-queue"] {
        let (own, _) = ecn("", &queue(word, line));
        assert_eq!(
            (
                own.min_bytes.get(),
                own.max_bytes.get(),
                own.probability_percent.get()
            ),
            (Some(320_000), Some(1_000_000), Some(Milli::whole(90)))
        );
    }
    assert_eq!(
        ecn("", &queue("mc-tx-queue", line)).0.enabled.get(),
        Some(false)
    );
    // Without a probability its default is not known.
    let (bare, _) = ecn(
        "",
        &queue(
            "tx-queue",
            "ecn minimum-threshold 320 bytes maximum-threshold 320 bytes",
        ),
    );
    assert_eq!(bare.enabled.get(), Some(true));
    assert!(bare.probability_percent.is_unknown());
    for wrong in [
        "ecn minimum-threshold 320 furlongs maximum-threshold 320 furlongs",
        "ecn minimum-threshold 0 kbytes maximum-threshold 320 kbytes",
        "ecn minimum-threshold 3 kbytes maximum-threshold 256000001 kbytes",
        "ecn minimum-threshold 3 kbytes maximum-threshold 9 kbytes max-mark-probability 101",
        "ecn minimum-threshold 3 kbytes maximum-threshold 9 kbytes weight 16",
        "ecn minimum-threshold 3 kbytes",
        "ecn",
        "ecn maximum-threshold 3 kbytes minimum-threshold 9 kbytes",
    ] {
        let (ecn, told) = ecn("", &queue("tx-queue", wrong));
        assert_eq!((ecn.enabled.get(), told), (Some(false), 1), "{wrong}");
    }
    // The buffer that all queues share marks for each of them.
    let shared =
        "qos random-detect ecn global-buffer minimum-threshold 2 mbytes maximum-threshold 6 mbytes";
    let (all, told) = ecn(shared, "");
    assert_eq!((all.enabled.get(), told), (Some(true), 0));
    assert!(all.min_bytes.is_unknown() && all.max_bytes.is_unknown());
    let (own, _) = ecn(shared, &queue("tx-queue", line));
    assert_eq!(own.min_bytes.get(), Some(320_000));
    // Drops of one drop precedence are not drops of the class.
    let drop = "drop minimum-threshold 1 kbytes maximum-threshold 10 kbytes drop-probability 100";
    assert_eq!(
        ecn("", &queue("tx-queue", drop)).0.wred_drop.get(),
        Some(true)
    );
    let level = drop.replace("drop min", "drop drop-precedence 2 min");
    assert!(ecn("", &queue("tx-queue", &level)).0.wred_drop.is_unknown());
    let both = format!("{}\n   random-detect {level}", queue("tx-queue", drop));
    assert_eq!(ecn("", &both).0.wred_drop.get(), Some(true));
}

#[test]
fn maps_take_lists_and_refuse_what_does_not_exist() {
    let map = |line: &str| {
        let device = port_with(line, "");
        let maps = &port(&device).maps;
        let of = |name, key| maps.value(name, key);
        (
            of(MapName::DscpToTc, 26),
            of(MapName::PcpToTc, 3),
            of(MapName::TcToQueue, 3),
            notes(&device, NoteKind::Unparsed).len(),
        )
    };
    let default = (Some(3), Some(3), Some(3), 0);
    assert_eq!(map(""), default);
    for line in [
        "qos map dscp 26 to traffic-class 5",
        "qos map dscp 24 25 26 to traffic-class 5",
        "qos map dscp 24-31 to traffic-class 5",
        "qos map dscp 1,26 to traffic-class 5",
        "qos map dscp 26 to traffic-class 5 drop-precedence 2",
    ] {
        assert_eq!(map(line), (Some(5), Some(3), Some(3), 0), "{line}");
    }
    assert_eq!(
        map("qos map cos 3 to traffic-class 5"),
        (Some(3), Some(5), Some(3), 0)
    );
    assert_eq!(
        map("qos map traffic-class 2 3 to tx-queue 5"),
        (Some(3), Some(3), Some(5), 0)
    );
    // A rewrite is no classifier.
    assert_eq!(map("qos map traffic-class 5 to dscp 26"), default);
    assert_eq!(map("qos map traffic-class 3 to cos 7"), default);
    for line in [
        "qos map dscp 26 to traffic-class 8",
        "qos map dscp 64 to traffic-class 5",
        "qos map dscp to traffic-class 5",
        "qos map dscp 31-24 to traffic-class 5",
        "qos map dscp 26 traffic-class 5",
        "qos map cos 8 to traffic-class 5",
        "qos map traffic-class 3 to tx-queue 9",
        "qos map traffic-class 3 to queue 5",
    ] {
        assert_eq!(map(line), (Some(3), Some(3), Some(3), 1), "{line}");
    }
}

#[test]
fn what_is_rewritten_needs_the_switch_to_rewrite() {
    let rewrite = |global: &str| {
        let device = port_with(global, "");
        port(&device).maps.value(MapName::TcToDscp, 3)
    };
    let map = "qos map traffic-class 3 to dscp 26";
    assert_eq!(rewrite(map), None);
    assert_eq!(rewrite("qos rewrite dscp"), Some(24));
    assert_eq!(rewrite(&format!("qos rewrite dscp\n{map}")), Some(26));
}

#[test]
fn trust_and_mtu_follow_from_what_the_port_is() {
    let ports = |text: &str| {
        let device = read(text);
        let port = device.port("Ethernet1").unwrap();
        (port.trust.get(), port.mtu.ip.get())
    };
    let (dscp, pcp) = (Some(Trust::Dscp), Some(Trust::Pcp));
    for (text, expected) in [
        (
            "interface Ethernet1\n   no switchport\n",
            (dscp, Some(1500)),
        ),
        ("interface Ethernet1\n   switchport\n", (pcp, None)),
        ("interface Ethernet1\n   l2 mtu 9236\n", (pcp, Some(9222))),
        (
            "interface Ethernet1\n   mtu 9214\n   no switchport\n",
            (dscp, Some(9214)),
        ),
        (
            "switchport default mode routed\ninterface Ethernet1\n   no shutdown\n",
            (dscp, Some(1500)),
        ),
        (
            "interface defaults\n   mtu 9000\n!\ninterface Ethernet1\n   no switchport\n",
            (dscp, Some(9000)),
        ),
        (
            "interface Ethernet1\n   channel-group 7 mode active\n!\n\
             interface Port-Channel7\n   no switchport\n   mtu 9100\n   qos trust cos\n",
            (pcp, Some(9100)),
        ),
        (
            "interface Ethernet1\n   no switchport\n   mtu 9214\n   channel-group 7 mode on\n!\n\
             interface Port-Channel7\n   switchport\n   qos trust dscp\n",
            (dscp, None),
        ),
    ] {
        assert_eq!(ports(text), expected, "{text}");
    }
}

#[test]
fn members_have_what_their_port_channel_says() {
    let text = format!(
        "qos profile R\n   {}\n!\ninterface Port-Channel10\n   service-profile R\n!\n\
         interface Ethernet1\n   channel-group 10 mode active\n!\n\
         interface Ethernet2\n   channel-group 11 mode active\n",
        PFC_ON.replace('\n', "\n   ")
    );
    let device = read(&text);
    let tx = |name: &str| device.port(name).unwrap().pfc.tx.get();
    assert_eq!(tx("Ethernet1"), Some(set(&[3])));
    assert_eq!(tx("Ethernet2"), Some(set(&[])));
    // The port-channel is no port of its own.
    assert_eq!(device.ports.len(), 2);
}

#[test]
fn names_of_interfaces_are_read_as_they_may_be_typed() {
    for (list, names) in [
        ("Ethernet1", &["Ethernet1"][..]),
        ("ethernet 1/1", &["Ethernet1/1"]),
        ("Et3/1/1", &["Ethernet3/1/1"]),
        (
            "Ethernet1-3,7",
            &["Ethernet1", "Ethernet2", "Ethernet3", "Ethernet7"],
        ),
        ("eth1/1-2", &["Ethernet1/1", "Ethernet1/2"]),
        ("Ethernet1,Ethernet4", &["Ethernet1", "Ethernet4"]),
        ("Ethernet1.100", &[]),
        ("Vlan1", &[]),
        ("Management1", &[]),
    ] {
        let device = read(&format!("interface {list}\n   qos trust cos\n"));
        let found: Vec<&str> = device.ports.iter().map(|port| &*port.name).collect();
        assert_eq!(found, names, "{list}");
        assert!(notes(&device, NoteKind::Unparsed).is_empty(), "{list}");
    }
    for list in [
        "range Ethernet1-4",
        "Ethernet1-x",
        "Ethernet4-1",
        "Ethernet1-99999",
        "Ethernet",
    ] {
        let device = read(&format!("interface {list}\n   qos trust cos\n"));
        assert!(device.ports.is_empty(), "{list}");
        assert_eq!(notes(&device, NoteKind::Unparsed).len(), 1, "{list}");
    }
}

#[test]
fn blocks_and_captures_of_one_thing_add_up() {
    let text = "interface Ethernet1-2\n   no switchport\n   mtu 9214\n!\n\
                interface Ethernet1\n   priority-flow-control on\n!\n\
                interface Ethernet1\n   priority-flow-control priority 3 no-drop\n   no switchport\n   mtu 4200\n";
    let device = read(text);
    assert_eq!(device.ports.len(), 2);
    assert_eq!(port(&device).pfc.tx.get(), Some(set(&[3])));
    assert_eq!(port(&device).mtu.ip.get(), Some(4200));
    assert_eq!(device.port("Ethernet2").unwrap().mtu.ip.get(), Some(9214));
    let parts = read_all(
        &Eos,
        &[
            (
                "leaf1/port.cfg",
                "interface Ethernet1\n   no switchport\n   service-profile R\n",
            ),
            (
                "leaf1/qos.cfg",
                &format!("qos profile R\n   {}\n", PFC_ON.replace('\n', "\n   ")),
            ),
        ],
    );
    assert_eq!(port(&parts).pfc.tx.get(), Some(set(&[3])));
    assert!(notes(&parts, NoteKind::Unresolved).is_empty());
}

#[test]
fn printed_defaults_hide_nothing_of_a_profile() {
    let block = "   no priority-flow-control\n   priority-flow-control pause watchdog\n   \
                 no priority-flow-control priority 3\n   qos trust dscp\n   tx-queue 3\n      \
                 priority strict\n      no random-detect ecn minimum-threshold\n";
    let port_lines = "   ip address 198.51.100.1/31\n   service-profile ROCE\n";
    let all = GOOD.replace(port_lines, &format!("{port_lines}{block}"));
    let typed = read(&all);
    assert_eq!(port(&typed).pfc.tx.get(), Some(set(&[])));
    let printed = read(&all.replace(
        "Command: show running-config",
        "Command: show running-config all",
    ));
    assert_eq!(port(&printed).pfc.tx.get(), Some(set(&[3])));
    assert_eq!(
        port(&printed).queue(3).unwrap().ecn.enabled.get(),
        Some(true)
    );
    assert_eq!(
        port(&printed).queue(3).unwrap().share_percent.get(),
        Some(Milli::whole(60))
    );
}

#[test]
fn of_several_speeds_none_is_known() {
    let speed = |lines: &str| port(&port_with("", lines)).speed_mbps.get();
    assert_eq!(speed("speed forced 100gfull"), Some(100_000));
    let printed = "speed auto\nspeed auto 100full\nspeed forced 25gfull\nspeed forced 10000full\nspeed 100full";
    assert_eq!(speed(printed), None);
}

#[test]
fn policies_are_followed_as_far_as_they_match_by_dscp() {
    let class = "class-map type qos match-any ROCE\n   match dscp 26\n!\n\
                 class-map type qos match-any HOSTS\n   match ip access-group FROM-HOSTS\n!\n\
                 policy-map type quality-of-service P\n";
    let told = |policy: &str| {
        let device = port_with(
            &format!("{class}{policy}"),
            "service-policy type qos input P",
        );
        let dscp = |key| port(&device).maps.value(MapName::DscpToTc, key);
        let over = notes(&device, NoteKind::Override);
        let over = over
            .first()
            .map(|text| text.rsplit(": ").next().unwrap().to_owned());
        let unparsed = notes(&device, NoteKind::Unparsed).len();
        (dscp(26), dscp(0), over, unparsed)
    };
    // What agrees with the map changes nothing.
    assert_eq!(
        told("   class ROCE\n      set traffic-class 3\n"),
        (Some(3), Some(1), None, 0)
    );
    let over = |what: &str| Some(what.to_owned());
    assert_eq!(
        told("   class ROCE\n      set traffic-class 5\n"),
        (Some(5), Some(1), over("DSCP 26 to traffic-class 5"), 0)
    );
    assert_eq!(
        told(
            "   class ROCE\n      set traffic-class 3\n   class class-default\n      set traffic-class 2\n"
        ),
        (Some(3), Some(2), over("DSCP 0 to traffic-class 2"), 0)
    );
    // The first class that matches decides.
    assert_eq!(
        told(
            "   class ROCE\n      set traffic-class 3\n   class ROCE\n      set traffic-class 5\n"
        ),
        (Some(3), Some(1), None, 0)
    );
    // An access list may match any packet of a DSCP.
    assert_eq!(
        told(
            "   class HOSTS\n      set traffic-class 5\n   class ROCE\n      set traffic-class 4\n"
        ),
        (
            Some(3),
            Some(1),
            over("match ip access-group FROM-HOSTS, set traffic-class 5"),
            0
        )
    );
    assert_eq!(
        told("   class ROCE\n      police rate 10 gbps burst-size 64 kbytes\n").2,
        over("police rate 10 gbps burst-size 64 kbytes")
    );
    assert_eq!(
        told("   class ROCE\n      set traffic-class 9\n"),
        (Some(3), Some(1), None, 1)
    );
    assert_eq!(told("   class ROCE\n      bandwidth percent 50\n").3, 1);
}

#[test]
fn a_traffic_policy_that_sets_a_class_is_told() {
    let policy = "traffic-policies\n   traffic-policy T\n      match ALL ipv4\n         protocol udp\n         \
                  actions\n            set traffic class 5\n   !\n   traffic-policy COUNT\n      match ALL ipv4\n         \
                  actions\n            count\n";
    let told = |name: &str| {
        let device = port_with(policy, &format!("traffic-policy input {name}"));
        (
            notes(&device, NoteKind::Override).len(),
            notes(&device, NoteKind::Unresolved).len(),
        )
    };
    assert_eq!(
        (told("T"), told("COUNT"), told("X")),
        ((1, 0), (0, 0), (0, 1))
    );
}

#[test]
fn names_lead_somewhere_or_are_told() {
    let told = |global: &str, lines: &str| {
        let device = port_with(global, lines);
        let notes = notes(&device, NoteKind::Unresolved);
        notes.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let none: Vec<String> = Vec::new();
    let profile = "qos profile R\n   qos trust dscp";
    assert_eq!(told(profile, "service-profile R"), none);
    assert_eq!(
        told(profile, ""),
        ["qos profile R is defined and attached nowhere"]
    );
    assert_eq!(told("", "service-profile R").len(), 1);
    assert_eq!(told("", "service-policy type qos input P").len(), 1);
    let policy = "policy-map type quality-of-service P\n   class C\n      set traffic-class 1";
    assert_eq!(
        told(policy, ""),
        ["policy-map P is defined and attached nowhere"]
    );
    assert_eq!(
        told(policy, "service-policy type qos input P"),
        ["policy-map P: there is no class-map C"]
    );
    let mmu = "platform trident mmu queue profile M\n    ingress headroom 64000";
    assert_eq!(
        told(mmu, ""),
        ["mmu queue profile M is defined and attached nowhere"]
    );
    assert_eq!(
        told(
            &format!("{mmu}\n!\nplatform trident mmu queue profile M apply"),
            ""
        ),
        none
    );
    // Policies of other planes are none of ports.
    assert_eq!(
        told(
            "policy-map type control-plane copp-system-policy\n   class copp\n",
            ""
        ),
        none
    );
    // A part of a configuration: the rest may attach it.
    assert!(notes(&read(profile), NoteKind::Unresolved).is_empty());
}

#[test]
fn headroom_comes_from_the_profile_that_is_applied() {
    let group = |mmu: &str| {
        let device = port_with(mmu, PFC_ON);
        let group = port(&device).priority_group(3).unwrap().clone();
        let kind = group.lossless.kind();
        let buffer = &group.buffer;
        let told = notes(&device, NoteKind::Unparsed).len();
        (
            kind,
            buffer.headroom_bytes.get(),
            buffer.alpha.get(),
            buffer.reserved_bytes.get(),
            told,
        )
    };
    let bare = (Kind::Default, None, None, None, 0);
    let profile = "platform trident mmu queue profile M\n    ingress threshold 1/16\n    \
                   ingress headroom 165100\n    ingress priority-group 3 reserved bytes 1664\n    \
                   ingress priority-group 4 threshold 8\n    egress unicast queue 3 threshold 8\n";
    let apply = "!\nplatform trident mmu queue profile M apply\n";
    assert_eq!(group(profile), bare);
    let whole = (
        Kind::Explicit,
        Some(165_100),
        Some(Milli(63)),
        Some(1664),
        0,
    );
    assert_eq!(group(&format!("{profile}{apply}")), whole);
    let cells = profile.replace("headroom 165100", "headroom cells 650");
    assert_eq!(
        group(&format!("{cells}{apply}")),
        (Kind::Explicit, None, whole.2, whole.3, 0)
    );
    let slip = profile.replace("headroom 165100", "headroom 165100 bytes");
    assert_eq!(
        group(&format!("{slip}{apply}")),
        (Kind::Default, None, whole.2, whole.3, 1)
    );

    let device = port_with(
        "platform trident mmu headroom-pool limit bytes 9000000",
        PFC_ON,
    );
    let pool = device.pool("headroom-pool").unwrap();
    assert_eq!(pool.headroom_bytes.get(), Some(9_000_000));
    let group = port(&device).priority_group(3).unwrap();
    assert_eq!(
        group.buffer.pool.value().map(String::as_str),
        Some("headroom-pool")
    );
    let device = port_with(
        "platform trident mmu headroom-pool limit cells 24000",
        PFC_ON,
    );
    assert!(
        device
            .pool("headroom-pool")
            .unwrap()
            .size_bytes
            .is_unknown()
    );
}

#[test]
fn two_spellings_of_queues_are_told_as_doubtful() {
    let device = port_with(
        "",
        "tx-queue 1\n   no priority\nuc-tx-queue 3\n   no priority",
    );
    assert_eq!(notes(&device, NoteKind::Remark).len(), 1);
    let device = port_with(
        "",
        "uc-tx-queue 1\n   no priority\nmc-tx-queue 3\n   no priority",
    );
    assert!(notes(&device, NoteKind::Remark).is_empty());
}

#[test]
fn shows_tell_what_is_in_force() {
    let table = "The PFC watchdog timeout is 0.2 second(s)\nThe PFC watchdog recovery-time is 0.4 second(s)\n\
        The PFC watchdog action is drop\nE: PFC Enabled, D: PFC Disabled, A: PFC Active, W: PFC Watchdog Enabled\n\
        Port       Status  Priorities  Action      Timeout  Recovery        Polling         Note\n\
        Et1/1      E A W   3 4         drop        0.2      0.4 / -         0.1 / 0.1\n\
        Et1/2      D - -               -           -        - / -           - / -\n\
        Et1/3      E - W   3           drop        0.2      0.4 / -         0.1 / 0.1\n";
    let device = read(table);
    let pfc = |name: &str| &device.port(name).unwrap().pfc;
    assert_eq!(pfc("Ethernet1/1").enabled.get(), Some(set(&[3, 4])));
    assert_eq!(pfc("Ethernet1/1").operational.get(), Some(set(&[3, 4])));
    let watchdog = &pfc("Ethernet1/1").watchdog;
    assert_eq!(
        (watchdog.enabled.get(), watchdog.detection_ms.get()),
        (Some(true), Some(200))
    );
    assert_eq!(watchdog.restoration_ms.get(), Some(400));
    assert_eq!(pfc("Ethernet1/2").enabled.get(), Some(set(&[])));
    assert_eq!(pfc("Ethernet1/2").watchdog.enabled.get(), Some(false));
    assert_eq!(pfc("Ethernet1/3").enabled.get(), Some(set(&[3])));
    assert_eq!(pfc("Ethernet1/3").operational.get(), Some(set(&[])));
    let odd = read(&table.replace("E A W   3 4 ", "E X W   3 4 "));
    assert_eq!(notes(&odd, NoteKind::Unparsed).len(), 1);

    let status = "{\"interfaceStatuses\":{\"Ethernet1\":{\"linkStatus\":\"connected\",\"bandwidth\":400000000000},\
                  \"Ethernet2\":{\"linkStatus\":\"notconnect\",\"bandwidth\":0}}}";
    let device = read(status);
    let link = |name: &str| {
        let port = device.port(name).unwrap();
        (port.oper.get(), port.speed_mbps.get())
    };
    assert_eq!(link("Ethernet1"), (Some(State::Up), Some(400_000)));
    assert_eq!(link("Ethernet2"), (Some(State::Down), None));

    let ecn = |command: &str| {
        shown(
            command,
            "Tx-Queue  Threshold  ECN Min     ECN Max\n          Unit       Threshold   Threshold\n\
             --------  ---------  ---------   ---------\n3         kbytes     256         512\n",
        )
    };
    for command in [
        "show qos interfaces ethernet 3/1 ecn",
        "show qos interfaces Et3/1 ecn",
    ] {
        let device = ecn(command);
        let queue = device.port("Ethernet3/1").unwrap().queue(3).unwrap();
        assert_eq!(queue.ecn.max_bytes.get(), Some(512_000), "{command}");
    }
    let unnamed = ecn("show qos interfaces ecn").notes;
    assert_eq!(unnamed.len(), 1);
}

#[test]
fn versions_are_read_from_text_and_json() {
    let of = |text: &str| {
        let device = read(text);
        (
            device.os_version.value().cloned(),
            device.hardware.value().cloned(),
        )
    };
    let expected = (
        Some("4.32.1F".to_owned()),
        Some("DCS-7060DX5-64".to_owned()),
    );
    assert_eq!(
        of("Arista DCS-7060DX5-64\nSoftware image version: 4.32.1F\n"),
        expected
    );
    let json = "{\"modelName\":\"DCS-7060DX5-64\",\"internalVersion\":\"4.32.1F-1\",\"version\":\"4.32.1F\"}";
    assert_eq!(of(json), expected);
}

#[test]
fn counters_are_read_from_text_and_json() {
    let of = |text: &str| port(&read(text)).counters.clone().unwrap();
    let drops_of = |device: &Device| {
        let counters = port(device).counters.clone().unwrap();
        (
            counters.drops.get(),
            counters.by_priority.get(&3).and_then(|of| of.drops.get()),
        )
    };
    let drops = |text: &str| drops_of(&read(text));
    let rows = "Port  TxQ  Pkts  Bytes  DropPkts  DropBytes\n\
                Et1   UC3  10    1000   7         700\nEt1   MC3  1     1      9         9\n";
    let device = shown("show interfaces counters queue detail", rows);
    assert_eq!(drops_of(&device), (Some(7), Some(7)));
    let voq = "{\"interfaces\":{\"Ethernet1\":{\"trafficClasses\":{\"TC3\":{\"ingressVoqCounters\":\
               {\"countersSum\":{\"droppedPackets\":5}},\"egressQueueCounters\":{\"countersSum\":\
               {\"droppedPackets\":2}}}}}}}";
    assert_eq!(drops(voq), (Some(7), Some(7)));
    let huge = "{\"egressQueueCounters\":{\"interfaces\":{\"Ethernet1\":{\"ucastQueues\":{\"trafficClasses\":\
                {\"TC3\":{\"dropPrecedences\":{\"DP0\":{\"droppedPackets\":9223372036854775807},\
                \"DP1\":{\"droppedPackets\":1}}}}}}}}}";
    assert_eq!(drops(huge).0, Some(i64::MAX));
    let flow = "Port  Send FlowControl  Receive FlowControl  RxPause  TxPause\n\
                \x20     admin oper  admin oper\n----- ----- -----  ----- -----  ------- -------\n\
                Et1   off   off   on    on   12  3\n";
    let device = shown("show interfaces flow-control", flow);
    let pause = &port(&device).link_pause;
    assert_eq!((pause.rx.get(), pause.tx.get()), (Some(true), Some(false)));
    let counters = port(&device).counters.clone().unwrap();
    assert_eq!(
        (counters.link_pause_rx.get(), counters.link_pause_tx.get()),
        (Some(12), Some(3))
    );
    let marks =
        "{\"intfQueueCounters\":{\"Ethernet1\":{\"queueCounters\":{\"0\":\"-\",\"3\":\"12\"}}}}";
    assert_eq!(of(marks).ecn_marked.get(), Some(12));
    assert!(of(&marks.replace("12", "-")).ecn_marked.is_unknown());
}

#[test]
fn what_is_typed_for_a_remedy_is_read_as_its_remedy() {
    let bad = "interface Ethernet1\n   flowcontrol receive on\n   qos trust cos\n   \
               priority-flow-control on\n   priority-flow-control priority 4 no-drop\n";
    let device = read(bad);
    let remedied = |remedy: &Remedy| {
        let lines = Eos.fix(&device, "Ethernet1", remedy).join("\n");
        let device = read(&format!("{bad}!\n{lines}\n"));
        assert_eq!(notes(&device, NoteKind::Unparsed), Vec::<&str>::new());
        port(&device).clone()
    };
    let priorities = set(&[3]);
    assert_eq!(
        remedied(&Remedy::Pfc { priorities }).pfc.tx.get(),
        Some(priorities)
    );
    assert_eq!(
        remedied(&Remedy::LinkPauseOff).link_pause.rx.get(),
        Some(false)
    );
    let trusted = remedied(&Remedy::Trust { dscp: true });
    assert_eq!(trusted.trust.get(), Some(Trust::Dscp));
    let watched = remedied(&Remedy::Watchdog {
        detection_ms: 200,
        restoration_ms: 400,
        priorities,
    });
    assert_eq!(watched.pfc.watchdog.detection_ms.get(), Some(200));
    let map = MapName::DscpToTc;
    let mapped = remedied(&Remedy::MapEntry {
        map,
        key: 26,
        value: 5,
    });
    assert_eq!(mapped.maps.value(map, 26), Some(5));
    let marked = remedied(&Remedy::Ecn {
        queue: 3,
        min_bytes: Some(150_000),
        max_bytes: Some(1_500_000),
        probability_percent: None,
    });
    assert_eq!(
        marked.queue(3).unwrap().ecn.max_bytes.get(),
        Some(1_500_000)
    );
    // Nothing is typed into a port whose name is none.
    assert!(
        Eos.fix(&device, "Ethernet9", &Remedy::LinkPauseOff)
            .is_empty()
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(interface Ethernet[0-9,-]{1,6}|qos |profile |priority-flow-control |tx-queue |random-detect ecn |[ !0-9a-z\t]|\r?\n){0,60}") {
        read(&text);
    }

    #[test]
    fn a_cut_configuration_is_read(end in 0..GOOD.len()) {
        let end = (0..=end).rev().find(|n| GOOD.is_char_boundary(*n)).unwrap_or(0);
        let device = read(&GOOD[..end]);
        prop_assert!(device.ports.len() <= 5);
    }
}
