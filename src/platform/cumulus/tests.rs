use super::*;
use crate::model::{
    Fact, Kind, MapName, Milli, NoteKind, PfcMode, Port, SchedulerKind, State, Trust,
};
use crate::platform::testing::{at, notes, read as read_all, set};
use proptest::prelude::*;

/// RoCE by its one word, the rest by default.
const SHORT: &str = "\
- header:
    model: SN4700
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.11.1
- set:
    interface:
      bond1:
        bond:
          member:
            swp3: {}
            swp4: {}
        link:
          mtu: 9100
      eth0:
        type: eth
      swp1-2:
        link:
          mtu: 9216
          speed: 100G
          state:
            up: {}
        qos:
          pfc-watchdog:
            state: enable
        type: swp
      swp2:
        description: to gpu02
    qos:
      roce:
        enable: on
        mode: lossless
    system:
      hostname: leaf1
";

/// Everything by its own profile, as commands.
const LONG: &str = "\
nv set system hostname leaf1
nv set interface swp1-2 link mtu 9216
nv set interface swp1-2 qos pfc-watchdog state enable
nv set interface swp1-2 qos mapping profile roce-map
nv set interface swp1-2 qos pfc profile roce-pfc
nv set interface swp1-2 qos congestion-control profile roce-ecn
nv set interface swp1-2 qos egress-scheduler profile roce-ets
nv set qos mapping roce-map trust both
nv set qos mapping roce-map dscp 0-25,27-47,49-63 switch-priority 0
nv set qos mapping roce-map dscp 26 switch-priority 4
nv set qos mapping roce-map dscp 48 switch-priority 6
nv set qos pfc roce-pfc switch-priority 4
nv set qos pfc roce-pfc tx enable
nv set qos pfc roce-pfc rx enable
nv set qos pfc roce-pfc cable-length 40
nv set qos congestion-control roce-ecn traffic-class 5 ecn enable
nv set qos congestion-control roce-ecn traffic-class 5 min-threshold 150000
nv set qos congestion-control roce-ecn traffic-class 5 max-threshold 1500000
nv set qos congestion-control roce-ecn traffic-class 5 probability 100
nv set qos egress-scheduler roce-ets traffic-class 0 mode dwrr
nv set qos egress-scheduler roce-ets traffic-class 0 bw-percent 20
nv set qos egress-scheduler roce-ets traffic-class 5 mode dwrr
nv set qos egress-scheduler roce-ets traffic-class 5 bw-percent 60
nv set qos egress-scheduler roce-ets traffic-class 6 mode strict
nv set qos egress-queue-mapping default-global switch-priority 4 traffic-class 5
nv set qos traffic-pool default-lossy memory-percent 60
nv set qos traffic-pool default-lossless memory-percent 40
nv set qos pfc-watchdog polling-interval 200
nv set qos pfc-watchdog robustness 5
";

/// The files of switchd, by hand.
const FEATURES: &str = "\
traffic.packet_priority_source_set = [802.1p,dscp]
traffic.cos_0.priority_source.dscp = [0,1,2,3,4,5,6,7]
traffic.cos_3.priority_source.dscp = [24,25,26]
traffic.cos_6.priority_source.dscp = [48]
pfc.port_group_list = [roce]
pfc.roce.cos_list = [3]
pfc.roce.port_set = swp1-swp2,swp3s0-swp3s1
pfc.roce.port_buffer_bytes = 250000
pfc.roce.xoff_size = 10000
pfc.roce.xon_delta = 2000
pfc.roce.tx_enable = true
pfc.roce.rx_enable = true
pfc.roce.cable_length = 10
default_ecn_red_conf.egress_queue_list = [3]
default_ecn_red_conf.ecn_enable = true
default_ecn_red_conf.red_enable = false
default_ecn_red_conf.min_threshold_bytes = 9000
default_ecn_red_conf.max_threshold_bytes = 1500000
default_ecn_red_conf.probability = 100
default_egress_sched.egr_queue_0.bw_percent = 50
default_egress_sched.egr_queue_3.bw_percent = 50
default_egress_sched.egr_queue_6.bw_percent = 0
pfc_watchdog.port_group_list = [wd]
pfc_watchdog.wd.port_set = swp1-swp2
";

const INFRA: &str = "\
traffic.priority_group_list = [bulk]
priority_group.bulk.cos_list = [0,1,2,3,4,5,6,7]
ingress_service_pool.0.percent = 50.0
ingress_service_pool.0.mode = 1
ingress_service_pool.1.percent = 50.0
flow_control.ingress_service_pool = 1
flow_control.ingress_buffer.dynamic_quota = ALPHA_2
cos_egr_queue.cos_3.uc = 3
";

fn read(texts: &[&str]) -> Device {
    let texts: Vec<(&str, &str)> = texts.iter().map(|text| ("leaf1", *text)).collect();
    read_all(&Cumulus, &texts)
}

/// What a command printed.
fn printed(command: &str, text: &str) -> Capture {
    Capture {
        command: Some(command.to_owned()),
        ..Capture::new("log.txt", text)
    }
}

fn read_captures(captures: &[Capture]) -> Device {
    let spec = |capture| Cumulus.recognise(capture).map(|found| found.spec);
    let all: Vec<_> = captures.iter().map(|c| (c, spec(c))).collect();
    Cumulus.read("leaf1", &all)
}

/// The text with one place changed.
fn with(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replacen(from, to, 1)
}

fn first(device: &Device) -> &Port {
    device.port("swp1").unwrap()
}

/// What is told beside the facts, by kind.
fn told(device: &Device) -> Vec<NoteKind> {
    device.notes.iter().map(|note| note.kind).collect()
}

#[test]
fn what_roce_implies() {
    let device = read(&[SHORT]);
    assert_eq!(told(&device), []);
    assert_eq!(device.hostname.value().unwrap(), "leaf1");
    assert_eq!(device.os_version.value().unwrap(), "5.11.1");
    assert_eq!(device.hardware.value().unwrap(), "SN4700");
    let names: Vec<_> = device.ports.iter().map(|port| &*port.name).collect();
    assert_eq!(names, ["swp1", "swp2", "swp3", "swp4"]);
    let port = first(&device);
    assert_eq!(port.trust.get(), Some(Trust::Both));
    let pfc = &port.pfc;
    assert_eq!(pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(pfc.enabled.kind(), Kind::Default);
    assert_eq!(at(SHORT, &pfc.enabled), "mode: lossless");
    assert_eq!(pfc.mode.get(), Some(PfcMode::On));
    assert_eq!(pfc.watchdog.enabled.get(), Some(true));
    assert_eq!(pfc.watchdog.priorities.get(), Some(set(&[3])));
    assert_eq!(pfc.watchdog.detection_ms.get(), Some(300));
    assert_eq!(pfc.watchdog.restoration_ms.get(), Some(100));
    assert_eq!(port.cable_m.get(), Some(100));
    for (dscp, priority) in [(0, 0), (24, 3), (26, 3), (31, 3), (48, 6), (63, 7)] {
        assert_eq!(port.maps.value(MapName::DscpToTc, dscp), Some(priority));
    }
    for (priority, class) in [(0, 0), (2, 0), (3, 3), (5, 0), (6, 6), (7, 0)] {
        assert_eq!(port.maps.value(MapName::TcToQueue, priority), Some(class));
        assert_eq!(port.maps.value(MapName::PfcToQueue, priority), Some(class));
    }
    assert!(!port.maps.get(MapName::TcToPg).applies());
    for (class, marks) in [(0, true), (1, false), (3, true), (6, false)] {
        let ecn = &port.queue(class).unwrap().ecn;
        assert_eq!(ecn.enabled.get(), Some(marks), "{class}");
    }
    let queue = port.queue(3).unwrap();
    assert_eq!(queue.lossless.get(), Some(true));
    assert_eq!(queue.ecn.min_bytes.get(), Some(150_000));
    assert_eq!(queue.ecn.max_bytes.get(), Some(1_500_000));
    assert_eq!(queue.ecn.wred_drop.get(), Some(false));
    assert_eq!(queue.share_percent.get(), Some(Milli::whole(50)));
    let cnp = port.queue(6).unwrap();
    assert_eq!(cnp.scheduler.get(), Some(SchedulerKind::Strict));
    assert!(port.queue(5).unwrap().scheduler.is_unknown());
    let group = port.priority_group(3).unwrap();
    assert_eq!(group.lossless.get(), Some(true));
    assert_eq!(group.lossless.kind(), Kind::Default);
    assert!(group.buffer.headroom_bytes.is_unknown());
    assert_eq!(group.buffer.pool.value().unwrap(), "roce-lossless");
    assert_eq!(port.link_pause.rx.get(), Some(false));
    assert_eq!(port.mtu.ip.get(), Some(9216));
    assert_eq!(port.speed_mbps.get(), Some(100_000));
    assert_eq!(port.admin.get(), Some(State::Up));
    let other = device.port("swp2").unwrap();
    assert_eq!(other.description.value().unwrap(), "to gpu02");
    // A member of a bond has its MTU, and no watchdog of its own.
    let member = device.port("swp3").unwrap();
    assert_eq!(member.mtu.ip.get(), Some(9100));
    assert_eq!(member.pfc.watchdog.enabled.get(), Some(false));
    assert_eq!(member.pfc.enabled.get(), Some(set(&[3])));
}

#[test]
fn modes_of_roce_and_their_words_by_release() {
    let pfc = |from: &str, to: &str| {
        let device = read(&[&with(SHORT, from, to)]);
        first(&device).pfc.enabled.clone()
    };
    for (from, to, expected) in [
        ("mode: lossless", "mode: lossless-single-ipool", &[3][..]),
        ("mode: lossless", "mode: lossy", &[]),
        ("mode: lossless", "mode: lossy-multi-tc", &[]),
        ("        mode: lossless\n", "", &[3]),
        ("enable: on", "enable: off", &[]),
        ("enable: on", "enable: 'on'", &[3]),
        ("enable: on", "enable: true", &[3]),
        ("enable: on", "state: enabled", &[3]),
        ("enable: on", "state: disabled", &[]),
        ("        enable: on\n", "", &[3]),
        (
            "      roce:\n        enable: on\n        mode: lossless\n",
            "      roce: {}\n",
            &[3],
        ),
        (
            "      roce:\n        enable: on\n        mode: lossless\n",
            "      roce: {enable: on, mode: lossy}\n",
            &[],
        ),
    ] {
        assert_eq!(pfc(from, to).get(), Some(set(expected)), "{to}");
    }
    for (from, to) in [
        ("mode: lossless", "mode: losless"),
        ("enable: on", "enable: maybe"),
    ] {
        let device = read(&[&with(SHORT, from, to)]);
        assert!(first(&device).pfc.enabled.is_unknown(), "{to}");
        assert_eq!(told(&device), [NoteKind::Unparsed], "{to}");
    }
    // Lossy keeps maps, ECN and queues; trimming has its own.
    let lossy = read(&[&with(SHORT, "mode: lossless", "mode: lossy")]);
    let port = first(&lossy);
    assert_eq!(port.trust.get(), Some(Trust::Both));
    assert_eq!(port.queue(3).unwrap().ecn.enabled.get(), Some(true));
    assert_eq!(port.queue(3).unwrap().lossless.get(), Some(false));
    assert!(port.priority_groups.is_empty());
    let trimming = read(&[&with(SHORT, "mode: lossless", "mode: lossy-multi-tc")]);
    let port = first(&trimming);
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(4));
    assert_eq!(port.maps.value(MapName::TcToQueue, 4), Some(4));
    assert_eq!(port.queue(3).unwrap().ecn.min_bytes.get(), Some(166_912));
    let share = port.queue(4).unwrap().share_percent.get();
    assert_eq!(share, Some(Milli::whole(22)));
    // One pool for all.
    let single = with(SHORT, "mode: lossless", "mode: lossless-single-ipool");
    let device = read(&[&single]);
    let group = first(&device).priority_group(3).unwrap();
    assert_eq!(group.buffer.pool.value().unwrap(), "default-lossy");
}

#[test]
fn without_roce() {
    let roce = "      roce:\n        enable: on\n        mode: lossless\n";
    let device = read(&[&with(
        SHORT,
        roce,
        "      pfc-watchdog:\n        robustness: 5\n",
    )]);
    let port = first(&device);
    assert_eq!(port.trust.get(), Some(Trust::Pcp));
    assert_eq!(port.pfc.enabled.get(), Some(set(&[])));
    assert_eq!(port.pfc.watchdog.detection_ms.get(), Some(500));
    assert_eq!(port.maps.value(MapName::TcToQueue, 5), Some(5));
    assert_eq!(port.queue(0).unwrap().ecn.enabled.get(), Some(true));
    assert_eq!(port.queue(3).unwrap().ecn.enabled.get(), Some(false));
    assert_eq!(
        port.queue(3).unwrap().share_percent.get(),
        Some(Milli::whole(13))
    );
}

#[test]
fn profiles_of_ports() {
    let device = read(&[LONG]);
    assert_eq!(told(&device), []);
    let port = first(&device);
    assert_eq!(port.trust, Fact::explicit(Trust::Both, Origin::NONE));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(4));
    assert_eq!(port.maps.value(MapName::TcToQueue, 4), Some(5));
    assert_eq!(port.maps.value(MapName::TcToQueue, 3), Some(3));
    assert_eq!(port.maps.value(MapName::PfcToQueue, 4), Some(5));
    assert_eq!(port.pfc.enabled, Fact::explicit(set(&[4]), Origin::NONE));
    let line = "nv set qos pfc roce-pfc switch-priority 4";
    assert_eq!(at(LONG, &port.pfc.enabled), line);
    assert_eq!(port.cable_m.get(), Some(40));
    assert_eq!(port.queue(5).unwrap().lossless.get(), Some(true));
    assert_eq!(port.queue(5).unwrap().ecn.min_bytes.get(), Some(150_000));
    // What the profile does not name does not mark, and has no weight.
    assert_eq!(port.queue(0).unwrap().ecn.enabled.get(), Some(false));
    let share = |id| port.queue(id).unwrap().share_percent.get();
    assert_eq!(share(5), Some(Milli::whole(75)));
    assert_eq!(share(0), Some(Milli::whole(25)));
    assert_eq!(share(1), Some(Milli::whole(0)));
    let watchdog = &port.pfc.watchdog;
    assert_eq!(watchdog.priorities.get(), Some(set(&[4])));
    assert_eq!(watchdog.detection_ms.get(), Some(1000));
    assert_eq!(watchdog.restoration_ms.get(), Some(200));
    let group = port.priority_group(4).unwrap();
    assert_eq!(group.buffer.pool.value().unwrap(), "default-lossless");
    let pool = device.pool("default-lossless").unwrap();
    assert!(pool.size_bytes.is_unknown());
}

/// One place of [`LONG`] changed, and the fact that changes with it.
#[test]
fn single_changes() {
    type Of = fn(&Port) -> String;
    let pfc: Of = |port| format!("{:?}", port.pfc.enabled.get());
    let trust: Of = |port| format!("{:?}", port.trust.get());
    let dscp: Of = |port| format!("{:?}", port.maps.value(MapName::DscpToTc, 26));
    let queue: Of = |port| format!("{:?}", port.maps.value(MapName::TcToQueue, 4));
    let ecn: Of = |port| {
        let ecn = &port.queue(5).unwrap().ecn;
        format!("{:?} {:?}", ecn.enabled.get(), ecn.min_bytes.get())
    };
    let drop: Of = |port| format!("{:?}", port.queue(5).unwrap().ecn.wred_drop.get());
    let strict: Of = |port| format!("{:?}", port.queue(6).unwrap().scheduler.get());
    let mtu: Of = |port| format!("{:?}", port.mtu.ip.get());
    let watchdog: Of = |port| format!("{:?}", port.pfc.watchdog.enabled.get());
    let rewrite: Of = |port| format!("{:?}", port.maps.value(MapName::TcToDscp, 4));
    let pause: Of = |port| format!("{:?}", port.link_pause.tx.get());
    for (from, to, of, expected) in [
        (
            "roce-pfc switch-priority 4",
            "roce-pfc switch-priority 3",
            pfc,
            "Some([3])",
        ),
        (
            "roce-pfc switch-priority 4",
            "roce-pfc switch-priority 3,4",
            pfc,
            "Some([3, 4])",
        ),
        ("roce-pfc tx enable", "roce-pfc tx disable", pfc, "Some([])"),
        (
            "roce-pfc rx enable",
            "roce-pfc rx disabled",
            pfc,
            "Some([])",
        ),
        ("roce-pfc rx enable", "roce-pfc rx perhaps", pfc, "None"),
        (
            "nv set interface swp1-2 qos pfc profile roce-pfc\n",
            "",
            pfc,
            "Some([])",
        ),
        (
            "qos pfc profile roce-pfc",
            "qos pfc profile other",
            pfc,
            "Some([])",
        ),
        (
            "roce-map trust both",
            "roce-map trust l2",
            trust,
            "Some(Pcp)",
        ),
        (
            "roce-map trust both",
            "roce-map trust port",
            trust,
            "Some(None)",
        ),
        ("roce-map trust both", "roce-map trust l4", trust, "None"),
        (
            "nv set interface swp1-2 qos mapping profile roce-map\n",
            "",
            trust,
            "Some(Pcp)",
        ),
        (
            "dscp 26 switch-priority 4",
            "dscp 26 switch-priority 3",
            dscp,
            "Some(3)",
        ),
        (
            "dscp 26 switch-priority 4",
            "dscp 64 switch-priority 4",
            dscp,
            "None",
        ),
        (
            "dscp 26 switch-priority 4",
            "dscp 26 switch-priority 1-7",
            dscp,
            "None",
        ),
        (
            "switch-priority 4 traffic-class 5",
            "switch-priority 4 traffic-class 3",
            queue,
            "Some(3)",
        ),
        (
            "traffic-class 5 ecn enable",
            "traffic-class 5 ecn disable",
            ecn,
            "Some(false) None",
        ),
        (
            "min-threshold 150000",
            "min-threshold 100000",
            ecn,
            "Some(true) Some(100000)",
        ),
        (
            "min-threshold 150000",
            "min-threshold 150KB",
            ecn,
            "Some(true) None",
        ),
        (
            "traffic-class 5 probability 100",
            "traffic-class 5 red enable",
            drop,
            "Some(true)",
        ),
        (
            "traffic-class 6 mode strict",
            "traffic-class 6 mode dwrr",
            strict,
            "None",
        ),
        (
            "traffic-class 6 mode strict",
            "traffic-class 6 bw-percent 10",
            strict,
            "Some(Weighted)",
        ),
        ("link mtu 9216", "link mtu 1500", mtu, "Some(1500)"),
        ("link mtu 9216", "link mtu jumbo", mtu, "None"),
        (
            "nv set interface swp1-2 link mtu 9216\n",
            "",
            mtu,
            "Some(9216)",
        ),
        (
            "pfc-watchdog state enable",
            "pfc-watchdog state disable",
            watchdog,
            "Some(false)",
        ),
        (
            "pfc-watchdog state enable",
            "pfc-watchdog",
            watchdog,
            "Some(true)",
        ),
        (
            "nv set interface swp1-2 qos pfc-watchdog state enable\n",
            "",
            watchdog,
            "Some(false)",
        ),
        (
            "nv set system hostname leaf1\n",
            "nv set qos remark default-global rewrite l3\n\
             nv set qos remark default-global switch-priority 4 dscp 10\n",
            rewrite,
            "Some(10)",
        ),
        (
            "nv set system hostname leaf1\n",
            "nv set qos remark default-global rewrite l2\n\
             nv set qos remark default-global switch-priority 4 dscp 10\n",
            rewrite,
            "None",
        ),
        (
            "nv set system hostname leaf1\n",
            "nv set qos link-pause all tx enable\n\
             nv set interface swp1 qos link-pause profile all\n",
            pause,
            "Some(true)",
        ),
    ] {
        let device = read(&[&with(LONG, from, to)]);
        assert_eq!(of(first(&device)), expected, "{from} -> {to}");
    }
}

#[test]
fn what_is_told_beside_the_facts() {
    let host = "nv set system hostname leaf1\n";
    for (to, kind, text) in [
        (
            "nv set qos traffic-class 3 pfc mode on\n",
            NoteKind::Unparsed,
            "traffic-class 3",
        ),
        (
            "nv set interface swp1 qos roce mode lossless\n",
            NoteKind::Unparsed,
            "roce mode",
        ),
        (
            "nv set qos pfc roce-pfc switch-priority 9\n",
            NoteKind::Unparsed,
            "switch-priority 9",
        ),
        (
            "nv set qos egress-queue-mapping mine switch-priority 1 traffic-class 1\n",
            NoteKind::Unparsed,
            "mine",
        ),
        (
            "nv set qos pfc spare switch-priority 5\n",
            NoteKind::Unresolved,
            "spare",
        ),
        (
            "nv set interface swp2 qos remark profile gone\n",
            NoteKind::Unresolved,
            "gone",
        ),
        (
            "nv set qos traffic-pool mc-lossy memory-percent 30\n",
            NoteKind::Conflict,
            "130",
        ),
        (
            "nv set acl VOICE rule 10 action set dscp 0\n\
          nv set interface swp1 acl VOICE inbound\n",
            NoteKind::Override,
            "VOICE",
        ),
        (
            "nv set acl POL rule 10 action police rate 400\n\
          nv set interface swp1 acl POL inbound\n",
            NoteKind::Override,
            "POL",
        ),
        (
            "nv set interface bond1 bond member swp1,swp9\n",
            NoteKind::Conflict,
            "swp9",
        ),
        (
            "nv set interface bond1 bond member swp1-2\n\
          nv set interface bond1 qos pfc-watchdog state enable\n",
            NoteKind::Remark,
            "bond1",
        ),
        (
            "nv set interface swp9-1 qos pfc profile roce-pfc\n",
            NoteKind::Unparsed,
            "swp9-1",
        ),
        (
            "net add interface swp1 storage-optimized pfc\n",
            NoteKind::Unparsed,
            "net add",
        ),
    ] {
        let device = read(&[&with(LONG, host, to)]);
        let texts = notes(&device, kind);
        assert_eq!(device.notes.len(), texts.len(), "{to}: {:?}", device.notes);
        assert!(
            texts.iter().any(|note| note.contains(text)),
            "{to}: {texts:?}"
        );
    }
    // An ACL that only permits is none of QoS.
    let acl = "nv set acl X rule 10 action permit\nnv set interface swp1 acl X inbound\n";
    assert_eq!(told(&read(&[&with(LONG, host, acl)])), []);
    // Link pause beside PFC.
    let both = "nv set qos link-pause all rx enable\nnv set qos link-pause all tx enable\n\
                nv set interface swp1 qos link-pause profile all\n";
    assert_eq!(
        told(&read(&[&with(LONG, host, both)])),
        [NoteKind::Conflict]
    );
}

#[test]
fn lines_over_what_roce_implies() {
    let roce = "        mode: lossless\n";
    let more = |text: &str| with(SHORT, roce, &format!("{roce}{text}"));
    // As the user guide moves RoCE to switch priority 2.
    let device = read(&[&more(
        "      pfc:\n        default-global:\n          switch-priority:\n            '2': {}\n\
         \x20     egress-queue-mapping:\n        default-global:\n          switch-priority:\n\
         \x20           '2':\n              traffic-class: 3\n            '3':\n\
         \x20             traffic-class: 0\n\
         \x20     mapping:\n        default-global:\n          dscp:\n            '26':\n\
         \x20             switch-priority: 2\n",
    )]);
    assert_eq!(told(&device), []);
    let port = first(&device);
    assert_eq!(port.pfc.enabled.get(), Some(set(&[2])));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(2));
    assert_eq!(port.maps.value(MapName::DscpToTc, 27), Some(3));
    assert_eq!(port.maps.value(MapName::TcToQueue, 2), Some(3));
    assert_eq!(port.maps.value(MapName::TcToQueue, 6), Some(6));
    assert_eq!(port.queue(3).unwrap().lossless.get(), Some(true));
    // Thresholds of one queue; whether the others mark still is not documented.
    let device = read(&[&more(
        "      congestion-control:\n        default-global:\n          traffic-class:\n\
         \x20           '0':\n              min-threshold: 200000\n",
    )]);
    let port = first(&device);
    assert_eq!(port.queue(0).unwrap().ecn.min_bytes.get(), Some(200_000));
    assert_eq!(port.queue(0).unwrap().ecn.max_bytes.get(), Some(1_500_000));
    assert!(port.queue(3).unwrap().ecn.enabled.is_unknown());
    assert_eq!(port.queue(6).unwrap().ecn.enabled.get(), Some(false));
    // A pool without memory, a factor, a limit.
    let device = read(&[&more(
        "      traffic-pool:\n        roce-lossless:\n          memory-percent: 0\n\
         \x20     advance-buffer-config:\n        default-global:\n\
         \x20         ingress-lossless-buffer:\n            shared-alpha: alpha_1_2\n\
         \x20         egress-lossless-buffer:\n            shared-bytes: 40000\n",
    )]);
    assert_eq!(told(&device), []);
    let pool = device.pool("roce-lossless").unwrap();
    assert_eq!(pool.size_bytes.get(), Some(0));
    let port = first(&device);
    let alpha = port.priority_group(3).unwrap().buffer.alpha.get();
    assert_eq!(alpha, Some(Milli(500)));
    assert_eq!(port.queue(3).unwrap().limit_bytes.get(), Some(40_000));
    assert!(!port.queue(0).unwrap().limit_bytes.applies());
}

#[test]
fn a_profile_that_names_some_dscps_leaves_the_rest_unknown() {
    let device = read(&[&with(
        LONG,
        "nv set qos mapping roce-map dscp 0-25,27-47,49-63 switch-priority 0\n",
        "",
    )]);
    let map = first(&device).maps.get(MapName::DscpToTc).value().unwrap();
    assert!(!map.complete);
    assert_eq!((map.value(26), map.value(10)), (Some(4), None));
}

#[test]
fn json_and_yaml_say_the_same() {
    let json = r#"[{"header": {"model": "SN4700", "nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.11.1"}},
 {"set": {"interface": {"bond1": {"bond": {"member": {"swp3": {}, "swp4": {}}}, "link": {"mtu": 9100}},
   "swp1-2": {"link": {"mtu": 9216, "speed": "100G", "state": {"up": {}}}, "qos": {"pfc-watchdog": {"state": "enable"}}},
   "swp2": {"description": "to gpu02"}},
  "qos": {"roce": {"enable": "on", "mode": "lossless"}}, "system": {"hostname": "leaf1"}}}]"#;
    let (a, b) = (read(&[SHORT]), read(&[json]));
    assert_eq!(told(&b), []);
    assert_eq!(a.hardware, b.hardware);
    for (one, other) in a.ports.iter().zip(&b.ports) {
        assert_eq!(one.name, other.name);
        assert!(one.settings() == other.settings(), "{}", one.name);
    }
    // CRLF, tabs for blanks, and a terminal that wrapped nothing.
    let crlf = read(&[&SHORT.replace('\n', "\r\n")]);
    assert!(first(&a).settings() == first(&crlf).settings());
    // The tree of settings alone.
    let bare = r#"{"interface": {"swp1": {"type": "swp"}}, "qos": {"roce": {"state": "enabled"}}}"#;
    let device = read(&[bare]);
    assert_eq!(first(&device).pfc.enabled.get(), Some(set(&[3])));
}

#[test]
fn breakout_parents_are_no_ports() {
    let device = read(&["nv set interface swp1 link breakout 4x\n\
                         nv set interface swp1s0-3 link mtu 9216\n\
                         nv set interface swp2 link breakout 1x\n"]);
    let names: Vec<_> = device.ports.iter().map(|port| &*port.name).collect();
    assert_eq!(names, ["swp1s0", "swp1s1", "swp1s2", "swp1s3", "swp2"]);
}

#[test]
fn later_commands_win_and_unset_takes_away() {
    let pfc = |text: &str| {
        let device = read(&[text]);
        (first(&device).pfc.enabled.get(), device.notes.len())
    };
    let port = "nv set interface swp1-4 link state up\n";
    for (text, expected) in [
        ("nv set qos roce\nnv unset qos roce\n", Some(set(&[]))),
        ("nv unset qos\nnv set qos roce\n", Some(set(&[3]))),
        (
            "nv set qos roce mode lossy\nnv set qos roce mode lossless\n",
            Some(set(&[3])),
        ),
        // The guide: the mode stays.
        (
            "nv set qos roce mode lossy\nnv set qos roce\n",
            Some(set(&[])),
        ),
        ("nv set qos roce\nError: not found\n", Some(set(&[]))),
    ] {
        assert_eq!(pfc(&format!("{port}{text}")).0, expected, "{text}");
    }
    // A part of a range is not followed: told, and nothing is sure.
    let unset = "nv set interface swp1-4 qos pfc-watchdog\nnv unset interface swp1 qos\n";
    let device = read(&[&format!("nv set qos roce\n{unset}")]);
    assert_eq!(told(&device), [NoteKind::Unparsed]);
    // Placeholders are of a guide, not of a switch.
    let guide = "nv set qos roce\nnv set interface <bond> bridge domain br_default\n";
    let device = read(&[guide]);
    let port = device.port("*").unwrap();
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert!(port.mtu.ip.is_unknown() && port.pfc.watchdog.enabled.is_unknown());
}

#[test]
fn commands_of_a_session_are_read_from_what_was_typed() {
    let device = read_captures(&[
        printed("nv set interface swp1 link mtu 9216", ""),
        printed("nv set qos roce", ""),
        printed("nv config apply", ""),
    ]);
    let port = first(&device);
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(port.mtu.ip.get(), Some(9216));
    assert!(port.pfc.watchdog.enabled.is_unknown());
}

#[test]
fn files_of_switchd() {
    let device = read(&[FEATURES, INFRA]);
    assert_eq!(told(&device), []);
    let port = first(&device);
    assert_eq!(port.trust.get(), Some(Trust::Both));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(3));
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(port.pfc.watchdog.enabled.get(), Some(true));
    assert_eq!(port.cable_m.get(), Some(10));
    let group = port.priority_group(3).unwrap();
    let buffer = &group.buffer;
    assert_eq!(buffer.reserved_bytes.get(), Some(250_000));
    assert_eq!(buffer.pause_at_bytes.get(), Some(10_000));
    assert_eq!(buffer.resume_at_bytes.get(), Some(8_000));
    assert_eq!(buffer.headroom_bytes.get(), Some(240_000));
    assert_eq!(buffer.alpha.get(), Some(Milli::whole(2)));
    assert_eq!(buffer.pool.value().unwrap(), "ingress_service_pool.1");
    let queue = port.queue(3).unwrap();
    assert_eq!(queue.ecn.min_bytes.get(), Some(9_000));
    assert_eq!(queue.share_percent.get(), Some(Milli::whole(50)));
    let strict = port.queue(6).unwrap().scheduler.get();
    assert_eq!(strict, Some(SchedulerKind::Strict));
    assert!(port.mtu.ip.is_unknown());
    // Out of the watchdog's list.
    let other = device.port("swp3s1").unwrap();
    assert_eq!(other.pfc.watchdog.enabled.get(), Some(false));

    for (from, to, kind) in [
        (
            "pfc.port_group_list = [roce]",
            "pfc.port_group_list = [other]",
            NoteKind::Unresolved,
        ),
        (
            "pfc.roce.port_set",
            "pfc.roces.port_set",
            NoteKind::Unresolved,
        ),
        (
            "pfc.roce.xoff_size",
            "pfc.roce.xof_size",
            NoteKind::Unparsed,
        ),
        (
            "pfc.roce.cos_list = [3]",
            "pfc.roce.cos_list = [8]",
            NoteKind::Unparsed,
        ),
        ("traffic.cos_6", "traffic.cos_8", NoteKind::Unparsed),
    ] {
        let device = read(&[&with(FEATURES, from, to), INFRA]);
        assert!(told(&device).contains(&kind), "{to}: {:?}", device.notes);
        let ports = device.ports.iter();
        let on = ports.filter(|port| port.pfc.enabled.get() == Some(set(&[3])));
        let told_unparsed = kind == NoteKind::Unparsed && !to.contains("cos_list");
        assert_eq!(on.count() > 0, told_unparsed, "{to}");
    }
    // Trust alone maps nothing: the default DSCP lines are comments.
    let lines = "traffic.cos_0.priority_source.dscp = [0,1,2,3,4,5,6,7]\n\
                 traffic.cos_3.priority_source.dscp = [24,25,26]\n\
                 traffic.cos_6.priority_source.dscp = [48]\n";
    let device = read(&[&with(FEATURES, lines, ""), INFRA]);
    let map = first(&device).maps.get(MapName::DscpToTc).value().unwrap();
    assert!(map.complete && map.entries().is_empty());
    // Without its pool.
    let device = read(&[
        FEATURES,
        &with(INFRA, "flow_control.ingress_service_pool = 1\n", ""),
    ]);
    let group = first(&device).priority_group(3).unwrap();
    let pool = group.buffer.pool.value().unwrap();
    assert!(device.pool(pool).is_none());
    // NVUE writes these files: what it holds comes first.
    let device = read(&[SHORT, FEATURES]);
    assert_eq!(told(&device), [NoteKind::Remark]);
}

#[test]
fn cut_and_broken_texts_leave_the_rest_unknown() {
    let unknown = |text: &str| {
        let device = read(&[text]);
        assert_eq!(
            notes(&device, NoteKind::Failed).len(),
            1,
            "{:?}",
            device.notes
        );
        let port = first(&device);
        port.pfc.enabled.is_unknown() && port.pfc.watchdog.enabled.get() == Some(true)
    };
    let roce = SHORT.find("    qos:\n      roce").unwrap();
    assert!(unknown(&SHORT[..roce + "    qos:\n".len()]));
    assert!(unknown(&SHORT[..roce + "    qos:\n      ro".len()]));
    let json =
        r#"{"set": {"interface": {"swp1": {"qos": {"pfc-watchdog": {"state": "enable"}}}}, "qos"#;
    assert!(unknown(json));
    // A line that is none of it.
    let garbled = with(SHORT, "        type: swp\n", "% Invalid input\n");
    let device = read(&[&garbled]);
    assert_eq!(notes(&device, NoteKind::Failed).len(), 1);
    // An anchor, a list.
    for value in ["mode: *m", "mode: [lossless]", "mode: !x lossless"] {
        let device = read(&[&with(SHORT, "mode: lossless", value)]);
        assert_eq!(told(&device), [NoteKind::Unparsed], "{value}");
    }
}

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
        (FEATURES, super::FEATURES),
        (INFRA, super::INFRA),
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

const SHOWN: &str = "
                    operational  applied
------------------  -----------  --------
state                            enabled
mode                lossless     lossless
pfc
  pfc-priority      3
  rx-enabled        enabled
  tx-enabled        enabled
  cable-length      40
congestion-control
  congestion-mode   ECN
  enabled-tc        0,3
  min-threshold     146.48 KB
  max-threshold     1.43 MB
  probability       100
trust
  trust-mode        pcp,dscp
lldp-app-tlv
  priority          3

RoCE PCP/DSCP->SP mapping configurations
===========================================
       pcp  dscp                     switch-prio
    -  ---  -----------------------  -----------
    0  0    0,1,2,3,4,5,6,7          0
    3  3    24,25,26,27,28,29,30,31  3
    6  6    48,49,50,51,52,53,54,55  6
    7  7    -                        7
RoCE SP->TC mapping and ETS configurations
=============================================
       switch-prio  traffic-class  scheduler-weight
    -  -----------  -------------  ----------------
    0  0            0              DWRR-50%
    1  1            0              DWRR-50%
    3  3            3              DWRR-50%
    6  6            6              strict-priority
RoCE pool config
===================
       name                   mode     size   switch-priorities  traffic-class
    -  ---------------------  -------  -----  -----------------  -------------
    0  lossy-default-ingress  Dynamic  50.0%  0,1,2,4,5,6,7      -
    1  roce-reserved-ingress  Dynamic  50.0%  3                  -
    3  roce-reserved-egress   Dynamic  inf    -                  3
Exception List
=================
No Data
";

const STATUS: &str = "
                    operational    applied  description
------------------  -------------  -------  -----------------------------
congestion-control
  congestion-mode   ecn, absolute           Congestion config mode
  enabled-tc        0,3                     Enabled Traffic Class
  max-threshold     1.43 MB                 Maximum
  min-threshold     156 KB                  Minimum
  probability       100
pfc
  pfc-priority      3                       switch-prio with PFC
  rx-enabled        yes                     PFC Rx Enabled status
  tx-enabled        yes                     PFC Tx Enabled status
trust
  trust-mode        pcp,dscp                Trust Setting on the port
mode                lossless                Roce Mode

RoCE PCP/DSCP->SP mapping configurations
===========================================
          pcp  dscp  switch-prio
    ----  ---  ----  -----------
    cnp   6    48    6
    roce  3    26    3

RoCE SP->TC mapping and ETS configurations
=============================================
          switch-prio  traffic-class  scheduler-weight
    ----  -----------  -------------  ----------------
    cnp   6            6              strict priority
    roce  3            3              dwrr-50%

RoCE Pool Status
===================
        name                   mode     pool-id  switch-priorities  traffic-class  size      current-usage  max-usage
    --  ---------------------  -------  -------  -----------------  -------------  --------  -------------  ---------
    0   lossy-default-ingress  DYNAMIC  2        0,1,2,4,5,6,7      -              15.16 MB  0 Bytes        16.00 MB
    1   roce-reserved-ingress  DYNAMIC  3        3                  -              15.00 MB  7.30 MB        7.90 MB
";

const ROCE_COUNTED: &str = "
                               operational  applied  description
-----------------------------  -----------  -------  ----------------------
rx-stats
  rx-non-roce-stats
    no-buffer-discard          55                    Rx buffer discards
  rx-pfc-stats
    pause-packets              7                     Rx PFC pause packets
  rx-roce-stats
    no-buffer-discard          0                     Rx buffer discards
    roce-packets               12                    Rx RoCE Packets
tx-stats
  tx-cnp-stats
    unicast-no-buffer-discard  0                     Tx buffer discards
  tx-ecn-stats
    ecn-marked-packets         693777677344          Tx ECN marked packets
  tx-pfc-stats
    pause-packets              9                     Tx PFC pause packets
  tx-roce-stats
    roce-packets               99                    Tx RoCE Packets
    unicast-no-buffer-discard  663060754115          Tx buffer discards
";

const COUNTED: &str = "\
Ingress Buffer Statistics
============================
    priority-group  rx-frames  rx-buffer-discards  rx-shared-buffer-discards
    --------------  ---------  ------------------  -------------------------
    0               12         0 Bytes             0 Bytes
    3               0          0 Bytes             0 Bytes

Egress Queue Statistics
==========================
    traffic-class  tx-frames  tx-bytes  tx-uc-buffer-discards  wred-discards
    -------------  ---------  --------  ---------------------  -------------
    0              8          9 KB      1.46 KB                0
    3              0          0 Bytes   0 Bytes                0

PFC Statistics
=================
    switch-priority  rx-pause-frames  rx-pause-duration  tx-pause-frames  tx-pause-duration
    ---------------  ---------------  -----------------  ---------------  -----------------
    0                0                0                  0                0
    3                4                10                 5                12

Qos Port Statistics
======================
    Counter             Receive  Transmit
    ------------------  -------  --------
    ecn-marked-packets  n/a      17
    pause-frames        0        0
";

const GUARDED: &str = "
                 operational  applied
---------------  -----------  -------
state            enabled      enabled

PFC WD Status
===========================
    traffic-class  status    deadlock-count
    -------------  --------  --------------

    0              OK        0
    3              DEADLOCK  2
";

const LINKS: &str = "\
Interface  Admin Status  Oper Status  Speed  MTU    Type      Remote Host  Remote Port  Summary
---------  ------------  -----------  -----  -----  --------  -----------  -----------  ------------------------
eth0       up            up           1G     1500   eth       oob          swp10        IP Address: 192.0.2.1/24
lo         up            unknown             65536  loopback                            IP Address: 127.0.0.1/8
                                                                                        IP Address:      ::1/128
swp1       up            up           400G   9216   swp       gpu01        ens1f0np0
swp2       up            down                1500   swp
";

#[test]
fn what_nv_show_qos_roce_tells_alone() {
    let device = read(&[SHOWN]);
    assert_eq!(told(&device), []);
    assert!(device.coverage.config && device.coverage.operational);
    let port = device.port("*").unwrap();
    assert_eq!(port.trust.get(), Some(Trust::Both));
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(port.pfc.operational.get(), Some(set(&[3])));
    assert_eq!(port.cable_m.get(), Some(40));
    assert_eq!(port.maps.value(MapName::DscpToTc, 26), Some(3));
    assert_eq!(port.maps.value(MapName::TcToQueue, 1), Some(0));
    let queue = port.queue(3).unwrap();
    assert_eq!(queue.lossless.get(), Some(true));
    assert_eq!(queue.ecn.min_bytes.get(), Some(149_996));
    assert_eq!(queue.share_percent.get(), Some(Milli::whole(50)));
    assert_eq!(port.queue(6).unwrap().ecn.enabled.get(), Some(false));
    assert_eq!(port.priority_groups.len(), 1);
    // Off, lossy, one side, an exception.
    let off = with(
        SHOWN,
        "state                            enabled",
        "enable                           off",
    );
    assert!(read(&[&off]).port("*").unwrap().pfc.enabled.is_unknown());
    let lossy = with(SHOWN, "pfc-priority      3", "pfc-priority      -");
    assert_eq!(
        read(&[&lossy]).port("*").unwrap().pfc.enabled.get(),
        Some(set(&[]))
    );
    let deaf = with(
        SHOWN,
        "rx-enabled        enabled",
        "rx-enabled        disabled",
    );
    let device = read(&[&deaf]);
    let pfc = &device.port("*").unwrap().pfc;
    assert_eq!(
        (pfc.tx.get(), pfc.rx.get()),
        (Some(set(&[3])), Some(set(&[])))
    );
    let rows = "    interface  setting\n    ---------  -------\n    swp1       mapping\n";
    let device = read(&[&with(SHOWN, "No Data\n", rows)]);
    assert_eq!(told(&device), [NoteKind::Conflict]);
    // JSON, with the keys of the text.
    let json = r#"{"enable": "on", "mode": "lossless", "congestion-control": {"enabled-tc": "0,3", "min-threshold": "150000 B", "max-threshold": "1500000 B", "probability": 100},
      "pfc": {"pfc-priority": "3", "rx-enabled": "enabled", "tx-enabled": "enabled"}, "trust": {"trust-mode": "pcp,dscp"}}"#;
    let device = read(&[json]);
    let port = device.port("*").unwrap();
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    assert_eq!(port.queue(3).unwrap().ecn.min_bytes.get(), Some(150_000));
    assert!(port.maps.get(MapName::DscpToTc).is_unknown());
}

#[test]
fn what_is_in_force_beside_the_configuration() {
    let device = read(&[SHORT, SHOWN]);
    let port = first(&device);
    assert_eq!(port.pfc.operational.get(), Some(set(&[3])));
    // What is configured stays.
    assert_eq!(port.queue(3).unwrap().ecn.min_bytes.get(), Some(150_000));
    assert!(device.port("*").is_none());
    let blank = with(SHOWN, "pfc-priority      3", "pfc-priority       ");
    let device = read(&[SHORT, &blank]);
    assert!(first(&device).pfc.operational.is_unknown());
    let none = with(SHOWN, "pfc-priority      3", "pfc-priority      -");
    let device = read(&[SHORT, &none]);
    assert_eq!(first(&device).pfc.operational.get(), Some(set(&[])));
}

#[test]
fn views_of_one_interface() {
    let device = read_captures(&[
        printed("nv show interface swp16 qos roce status", STATUS),
        printed("nv show interface swp16 qos roce counters", ROCE_COUNTED),
    ]);
    assert_eq!(told(&device), []);
    let port = device.port("swp16").unwrap();
    assert_eq!(port.pfc.enabled.get(), Some(set(&[3])));
    let map = port.maps.get(MapName::DscpToTc).value().unwrap();
    assert!(!map.complete && map.value(26) == Some(3) && map.value(48) == Some(6));
    let queue = port.queue(3).unwrap();
    assert_eq!(queue.ecn.min_bytes.get(), Some(159_744));
    assert!(queue.share_percent.is_unknown());
    let strict = port.queue(6).unwrap().scheduler.get();
    assert_eq!(strict, Some(SchedulerKind::Strict));
    let pool = device.pool("roce-reserved-ingress").unwrap();
    assert_eq!(pool.size_bytes.get(), Some(15 * 1024 * 1024));
    let counters = port.counters.as_ref().unwrap();
    let three = &counters.by_priority[&3];
    assert_eq!(three.drops.get(), Some(663_060_754_115));
    assert_eq!(
        (three.rx_pause.get(), three.tx_pause.get()),
        (Some(7), Some(9))
    );
    assert_eq!(counters.drops.get(), Some(663_060_754_170));
    assert_eq!(counters.ecn_marked.get(), Some(693_777_677_344));
    // Of which interface is it?
    let device = read(&[STATUS]);
    assert_eq!(told(&device), [NoteKind::Failed]);
}

#[test]
fn counters_and_the_watchdog() {
    let device = read_captures(&[
        Capture::new("startup.yaml", SHORT),
        printed("nv show interface swp1 counters qos", COUNTED),
        printed("nv show interface swp1 qos pfc-watchdog", GUARDED),
    ]);
    let port = first(&device);
    let counters = port.counters.as_ref().unwrap();
    let of = |id| &counters.by_priority[&id];
    assert_eq!(
        (of(3).rx_pause.get(), of(3).tx_pause.get()),
        (Some(4), Some(5))
    );
    assert_eq!(of(3).drops.get(), Some(0));
    // Counted in bytes, and shared by all priorities of the queue.
    assert!(of(0).drops.is_unknown() && of(5).drops.is_unknown());
    assert_eq!(counters.ecn_marked.get(), Some(17));
    assert_eq!(counters.watchdog_trips.get(), Some(2));
    assert_eq!(port.pfc.watchdog.stormed.get(), Some(set(&[3])));
    // Discards of a group could be of any priority.
    let dropped = with(
        COUNTED,
        "3               0          0 Bytes",
        "3               0          64 Bytes",
    );
    let device = read_captures(&[
        Capture::new("startup.yaml", SHORT),
        printed("nv show interface swp1 counters qos", &dropped),
    ]);
    let counters = first(&device).counters.as_ref().unwrap();
    assert!(counters.by_priority[&3].drops.is_unknown());
}

#[test]
fn links_and_neighbours() {
    let device = read(&[SHORT, LINKS]);
    let port = first(&device);
    assert_eq!(port.oper.get(), Some(State::Up));
    // What the configuration sets stays.
    assert_eq!(port.speed_mbps.get(), Some(100_000));
    let peer = port.peer.as_ref().unwrap();
    assert_eq!(
        (&*peer.device, peer.port.as_deref()),
        ("gpu01", Some("ens1f0np0"))
    );
    let other = device.port("swp2").unwrap();
    assert_eq!(other.oper.get(), Some(State::Down));
    assert!(other.peer.is_none());
    assert!(device.coverage.peers);
    let alone = read(&[LINKS]);
    assert_eq!(alone.ports.len(), 2);
    assert_eq!(first(&alone).mtu.ip.get(), Some(9216));
}

#[test]
fn remedies_are_nvue_commands() {
    use crate::platform::Remedy;
    let device = read(&[SHORT]);
    let fix = |device: &Device, remedy: Remedy| Cumulus.fix(device, "swp1", &remedy);
    let watchdog = Remedy::Watchdog {
        priorities: set(&[3]),
        detection_ms: 200,
        restoration_ms: 200,
    };
    let state = |version: &str| {
        let device = read(&[&with(SHORT, "5.11.1", version)]);
        fix(&device, watchdog.clone())
    };
    assert_eq!(
        state("5.14.0"),
        ["nv set interface swp1 qos pfc-watchdog state enable"]
    );
    assert_eq!(
        state("5.15.0"),
        ["nv set interface swp1 qos pfc-watchdog state enabled"]
    );
    let pfc = || Remedy::Pfc {
        priorities: set(&[3]),
    };
    let lossy = read(&[&with(SHORT, "mode: lossless", "mode: lossy")]);
    assert_eq!(fix(&lossy, pfc()), ["nv set qos roce mode lossless"]);
    let bare = read(&["nv set interface swp1 link mtu 9216\n"]);
    assert_eq!(
        fix(&bare, pfc()),
        [
            "nv set qos traffic-pool default-lossy memory-percent 50",
            "nv set qos traffic-pool default-lossless memory-percent 50",
            "nv set qos pfc default-global switch-priority 3",
            "nv set qos pfc default-global tx enable",
            "nv set qos pfc default-global rx enable",
        ]
    );
    let entry = |map, key, value| Remedy::MapEntry { map, key, value };
    for (remedy, command) in [
        (
            entry(MapName::DscpToTc, 26, 3),
            "nv set qos mapping default-global dscp 26 switch-priority 3",
        ),
        (
            entry(MapName::TcToQueue, 3, 3),
            "nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 3",
        ),
        (
            Remedy::Trust { dscp: true },
            "nv set qos mapping default-global trust l3",
        ),
        (
            Remedy::Strict { queue: 6 },
            "nv set qos egress-scheduler default-global traffic-class 6 mode strict",
        ),
        (
            Remedy::Mtu { ip_bytes: 9000 },
            "nv set interface swp1 link mtu 9000",
        ),
        (
            Remedy::LinkPauseOff,
            "nv unset interface swp1 qos link-pause",
        ),
    ] {
        assert_eq!(fix(&device, remedy), [command]);
    }
    assert!(fix(&device, entry(MapName::TcToPg, 3, 3)).is_empty());
    // A name that a shell could take for more is not handed on.
    assert!(Cumulus.fix(&device, "swp1;reboot", &pfc()).is_empty());
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

/// A text of `n` lines takes time in proportion: of two sizes in one run, the
/// larger takes no more than its share, generously counted.
#[test]
fn a_million_lines_take_linear_time() {
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
    type Make<'m> = &'m dyn Fn(usize) -> String;
    for make in [&yaml as Make<'_>, &commands, &files] {
        let time = |lines: usize| {
            let text = make(lines);
            let start = std::time::Instant::now();
            assert!(size(&text) > 0);
            start.elapsed().as_secs_f64()
        };
        let small = time(62_500).max(0.01);
        let large = time(1_000_000);
        // Quadratic time would be 256-fold.
        assert!(large < small * 100.0, "{large} s after {small} s");
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
