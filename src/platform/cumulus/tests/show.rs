//! What `nv show` prints, and what to type.

use super::*;

pub(super) const SHOWN: &str = "
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

pub(super) const STATUS: &str = "
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

pub(super) const ROCE_COUNTED: &str = "
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

pub(super) const COUNTED: &str = "\
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

pub(super) const GUARDED: &str = "
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

pub(super) const LINKS: &str = "\
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
