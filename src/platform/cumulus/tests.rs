mod hostile;
mod show;

use super::*;
use crate::model::{
    Fact, Kind, MapName, Milli, NoteKind, PfcMode, Port, SchedulerKind, State, Trust,
};
use crate::platform::testing::{at, notes, read as read_all, set};

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
    // The same pool by its number.
    let device = read(&[&more(
        "      advance-buffer-config:\n        default-global:\n\
         \x20         ingress-service-pool:\n            '1':\n              memory-percent: 0\n\
         \x20         ingress-lossless-buffer:\n            shared-alpha: alpha_1_2\n\
         \x20         egress-lossless-buffer:\n            shared-bytes: 40000\n",
    )]);
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
    assert!(device.pool(group.buffer.pool.value().unwrap()).is_none());
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
