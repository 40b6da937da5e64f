//! Configurations as fabrics have them, of any length: per-port blocks, and
//! beside them the VLANs, lists and neighbours that have nothing to do with
//! RoCE.

/// What the configurations of a platform are made of. `{n}` in a block is its
/// number, `{a}` and `{b}` the two low bytes of an address made of it.
pub struct Kind {
    pub platform: &'static str,
    /// What stands once, before and after the blocks of ports and of the rest.
    once: [&'static str; 3],
    /// The block of a port.
    port: &'static str,
    /// What else there is, as much as ports.
    other: &'static str,
}

impl Kind {
    /// A configuration of about so many lines.
    pub fn configuration(&self, lines: usize) -> String {
        let blocks = lines / (self.port.lines().count() + self.other.lines().count());
        let [first, second, third] = self.once;
        let mut text = first.to_owned();
        for (block, after) in [(self.port, second), (self.other, third)] {
            (1..=blocks).for_each(|n| add(&mut text, block, n));
            text.push_str(after);
        }
        text
    }
}

fn add(text: &mut String, block: &str, n: usize) {
    let block = block.replace("{n}", &n.to_string());
    let block = block.replace("{a}", &(n / 256 % 256).to_string());
    text.push_str(&block.replace("{b}", &(n % 256).to_string()));
}

pub const ALL: [Kind; 6] = [EOS, NXOS, JUNOS, CUMULUS, OS10, DELL_SONIC];

const EOS: Kind = Kind {
    platform: "eos",
    once: [
        "\
! Command: show running-config
! device: leaf1 (DCS-7060DX5-64, EOS-4.32.1F)
!
! boot system flash:/EOS-4.32.1F.swi
!
service routing protocols model multi-agent
!
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
!
hostname leaf1
!
spanning-tree mode none
!
",
        "\
interface Loopback0
   ip address 203.0.113.11/32
!
priority-flow-control pause watchdog default timeout 0.2
priority-flow-control pause watchdog default recovery-time 0.4
!
",
        "\
router bgp 65011
   router-id 203.0.113.11
   neighbor SPINES peer group
   neighbor SPINES remote-as 65100
!
end
",
    ],
    port: "\
interface Ethernet{n}
   description to gpu{n} ens1f0np0
   mtu 9214
   speed forced 400gfull
   no switchport
   ip address 10.64.{a}.{b}/31
   qos trust dscp
   !
   tx-queue 3
      bandwidth percent 60
      random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0
   !
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
!
",
    other: "\
vlan {n}
   name TENANT-{n}
!
interface Vlan{n}
   description gateway of tenant {n}
   vrf TENANT-{n}
   ip address virtual 10.65.{a}.{b}/24
!
ip prefix-list TENANT-{n} seq 10 permit 10.65.{a}.0/24 le 32
ip access-list FROM-TENANT-{n}
   10 permit tcp 10.65.{a}.0/24 any eq bgp
   20 permit udp any any eq 4791
   30 deny ip any any log
!
ip route vrf TENANT-{n} 0.0.0.0/0 10.64.{a}.{b}
",
};

const NXOS: Kind = Kind {
    platform: "nxos",
    once: [
        "\
!Command: show running-config
!Running configuration last done at: Mon Nov 30 08:12:44 2026

version 10.3(4a) Bios:version 05.47
switchname leaf1
feature bgp
feature lldp
priority-flow-control watch-dog-interval on

policy-map type network-qos NETWORK-QOS
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
class-map type qos match-any ROCE
  match dscp 26
class-map type qos match-any CNP
  match dscp 48
policy-map type qos CLASSIFY
  class ROCE
    set qos-group 3
  class CNP
    set qos-group 7
policy-map type queuing QUEUING-OUT
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes drop-probability 100 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
system qos
  service-policy type queuing output QUEUING-OUT
  service-policy type network-qos NETWORK-QOS

",
        "\
interface mgmt0
  vrf member management
  ip address 192.0.2.11/24

",
        "\
boot nxos bootflash:/nxos64-cs.10.3.4a.M.bin
router bgp 65011
  neighbor 198.51.100.128
    remote-as 65100
",
    ],
    port: "\
interface Ethernet1/{n}
  description to gpu{n} ens1f0np0
  no switchport
  speed 400000
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  mtu 9216
  service-policy type qos input CLASSIFY
  ip address 10.64.{a}.{b}/31
  no shutdown

",
    other: "\
vlan {n}
  name TENANT-{n}
  vn-segment 1{n}
vrf context TENANT-{n}
  ip route 0.0.0.0/0 10.64.{a}.{b}
interface Vlan{n}
  description gateway of tenant {n}
  vrf member TENANT-{n}
  ip address 10.65.{a}.{b}/24
ip access-list FROM-TENANT-{n}
  10 permit tcp 10.65.{a}.0/24 any eq bgp
  20 permit udp any any eq 4791
",
};

const JUNOS: Kind = Kind {
    platform: "junos",
    once: [
        "\
## Last changed: 2026-11-30 08:12:44 UTC
version 23.4X100-D20.12-EVO;
system {
    host-name leaf1;
}
class-of-service {
    classifiers {
        dscp ROCE-DSCP {
            forwarding-class CNP {
                loss-priority low code-points 110000;
            }
            forwarding-class NO-LOSS {
                loss-priority low code-points 011010;
            }
        }
    }
    drop-profiles {
        MARK {
            interpolate {
                fill-level [ 55 90 ];
                drop-probability [ 0 100 ];
            }
        }
    }
    forwarding-classes {
        class CNP queue-num 3;
        class NO-LOSS queue-num 4 no-loss pfc-priority 3;
    }
    congestion-notification-profile {
        PFC {
            pfc-watchdog;
            input {
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
            output {
                ieee-802.1 {
                    code-point 011 {
                        flow-control-queue 4;
                    }
                }
            }
        }
    }
    interfaces {
        et-* {
            congestion-notification-profile PFC;
            scheduler-map QUEUES;
            unit * {
                classifiers {
                    dscp ROCE-DSCP;
                }
            }
        }
    }
    scheduler-maps {
        QUEUES {
            forwarding-class CNP scheduler STRICT;
            forwarding-class NO-LOSS scheduler LOSSLESS;
        }
    }
    schedulers {
        LOSSLESS {
            transmit-rate percent 60;
            drop-profile-map loss-priority any protocol any drop-profile MARK;
            explicit-congestion-notification;
        }
        STRICT {
            priority strict-high;
        }
    }
}
interfaces {
",
        "\
}
policy-options {
",
        "\
}
",
    ],
    port: "    et-0/0/{n} {
        description \"gpu{n} ens1f0np0\";
        mtu 9216;
        speed 400g;
        unit 0 {
            family inet {
                address 10.64.{a}.{b}/31;
            }
        }
    }
",
    other: "    prefix-list TENANT-{n} {
        10.65.{a}.0/24;
    }
    policy-statement FROM-TENANT-{n} {
        term own {
            from {
                prefix-list TENANT-{n};
            }
            then accept;
        }
        then reject;
    }
",
};

const CUMULUS: Kind = Kind {
    platform: "cumulus",
    once: [
        "\
nv set system hostname leaf1
nv set interface eth0 type eth
nv set qos mapping roce-map trust l3
nv set qos mapping roce-map dscp 0-25,27-47,49-63 switch-priority 0
nv set qos mapping roce-map dscp 26 switch-priority 3
nv set qos mapping roce-map dscp 48 switch-priority 6
nv set qos pfc roce-pfc switch-priority 3
nv set qos pfc roce-pfc tx enable
nv set qos pfc roce-pfc rx enable
nv set qos pfc roce-pfc cable-length 40
nv set qos congestion-control roce-ecn traffic-class 3 ecn enable
nv set qos congestion-control roce-ecn traffic-class 3 min-threshold 150000
nv set qos congestion-control roce-ecn traffic-class 3 max-threshold 1500000
nv set qos congestion-control roce-ecn traffic-class 3 probability 100
nv set qos egress-scheduler roce-ets traffic-class 0 mode dwrr
nv set qos egress-scheduler roce-ets traffic-class 0 bw-percent 40
nv set qos egress-scheduler roce-ets traffic-class 3 mode dwrr
nv set qos egress-scheduler roce-ets traffic-class 3 bw-percent 60
nv set qos egress-scheduler roce-ets traffic-class 6 mode strict
nv set qos traffic-pool default-lossy memory-percent 60
nv set qos traffic-pool default-lossless memory-percent 40
nv set qos pfc-watchdog polling-interval 200
nv set qos pfc-watchdog robustness 5
",
        "nv set router bgp autonomous-system 65011\n",
        "nv set router bgp router-id 203.0.113.11\n",
    ],
    port: "\
nv set interface swp{n} description 'gpu{n} ens1f0np0'
nv set interface swp{n} type swp
nv set interface swp{n} ip address 10.64.{a}.{b}/31
nv set interface swp{n} link mtu 9216
nv set interface swp{n} link speed 100G
nv set interface swp{n} qos pfc-watchdog state enable
nv set interface swp{n} qos mapping profile roce-map
nv set interface swp{n} qos pfc profile roce-pfc
nv set interface swp{n} qos congestion-control profile roce-ecn
nv set interface swp{n} qos egress-scheduler profile roce-ets
",
    other: "\
nv set bridge domain br_default vlan {n} vni 1{n}
nv set interface vlan{n} ip address 10.65.{a}.{b}/24
nv set interface vlan{n} ip vrf TENANT-{n}
nv set interface vlan{n} type svi
nv set vrf TENANT-{n} router bgp autonomous-system 65011
nv set vrf TENANT-{n} router bgp address-family ipv4-unicast redistribute connected enable on
nv set router policy prefix-list TENANT-{n} rule 10 action permit
nv set router policy prefix-list TENANT-{n} rule 10 match 10.65.{a}.0/24
",
};

const OS10: Kind = Kind {
    platform: "os10",
    once: [
        "\
! Version 10.5.4.3
! Last configuration change at Nov  03 09:12:44 2026
!
ip vrf default
!
hostname leaf1
ntp server 192.0.2.123
!
dcbx enable
!
wred roce-ecn
 random-detect ecn
 random-detect color green minimum-threshold 150 maximum-threshold 1500 drop-probability 100
 random-detect color yellow minimum-threshold 150 maximum-threshold 1500 drop-probability 100
 random-detect color red minimum-threshold 100 maximum-threshold 500 drop-probability 100
!
class-map type network-qos roce-traffic
 match qos-group 3
!
class-map type queuing queue0
 match queue 0
!
class-map type queuing queue3
 match queue 3
!
class-map type queuing queue6
 match queue 6
!
trust dscp-map roce-dscp
 qos-group 3 dscp 26
 qos-group 6 dscp 48
!
qos-map traffic-class roce-queues
 queue 0 qos-group 0-2,4-5,7
 queue 3 qos-group 3
 queue 6 qos-group 6
!
policy-map type network-qos roce-pfc
 !
 class roce-traffic
  pause
  pfc-cos 3
!
policy-map type queuing roce-ets
 !
 class queue0
  bandwidth percent 40
 !
 class queue3
  bandwidth percent 60
  random-detect roce-ecn
 !
 class queue6
  priority
!
system qos
 trust-map dscp roce-dscp
 ets mode on
 qos-map traffic-class roce-queues
!
",
        "\
interface mgmt1/1/1
 no shutdown
 ip address 192.0.2.11/24
!
",
        "\
router bgp 65011
 router-id 203.0.113.11
 !
 neighbor 198.51.100.128
  remote-as 65001
  no shutdown
!
",
    ],
    port: "\
interface ethernet1/1/{n}
 description gpu{n}:ens1f0np0
 no shutdown
 no switchport
 mtu 9216
 ip address 10.64.{a}.{b}/31
 flowcontrol receive off
 flowcontrol transmit off
 priority-flow-control mode on
 service-policy input type network-qos roce-pfc
 service-policy output type queuing roce-ets
 ets mode on
!
",
    other: "\
interface vlan{n}
 description gateway of tenant {n}
 no shutdown
 mtu 9216
 ip address 10.65.{a}.{b}/24
!
ip prefix-list TENANT-{n} permit 10.65.{a}.0/24 le 32
ip access-list FROM-TENANT-{n}
 seq 10 permit tcp 10.65.{a}.0/24 any eq 179
 seq 20 permit udp any any eq 4791
!
",
};

const DELL_SONIC: Kind = Kind {
    platform: "dell-sonic",
    once: [
        "\
!
hostname leaf1
interface-naming standard
lldp enable
!
buffer init lossless
!
qos wred-policy roce
 green minimum-threshold 150 maximum-threshold 1500 drop-probability 100
 ecn green
!
qos scheduler-policy roce
 !
 queue 0
  type dwrr
  weight 40
 !
 queue 3
  type dwrr
  weight 60
 !
 queue 6
  type strict
!
qos map dscp-tc roce
 dscp 0-25,27-47,49-63 traffic-class 0
 dscp 26 traffic-class 3
 dscp 48 traffic-class 6
!
qos map tc-queue roce
 traffic-class 0-2,4-5,7 queue 0
 traffic-class 3 queue 3
 traffic-class 6 queue 6
!
qos map tc-pg roce
 traffic-class 3 priority-group 3
 traffic-class 0-2,4-7 priority-group 7
!
qos map pfc-priority-queue roce
 pfc-priority 0-2,4-5,7 queue 0
 pfc-priority 3 queue 3
 pfc-priority 6 queue 6
!
qos map pfc-priority-pg roce
 pfc-priority 3 pg 3
!
priority-flow-control watchdog polling-interval 100
!
",
        "\
interface Loopback 0
 ip address 203.0.113.11/32
!
",
        "\
router bgp 65011
 router-id 203.0.113.11
!
end
",
    ],
    port: "\
interface Eth1/{n}
 description \"gpu{n} ens1f0np0\"
 mtu 9216
 speed 400000
 fec RS
 unreliable-los auto
 no shutdown
 ip address 10.64.{a}.{b}/31
 queue 3 wred-policy roce
 scheduler-policy roce
 qos-map dscp-tc roce
 qos-map tc-queue roce
 qos-map tc-pg roce
 qos-map pfc-priority-queue roce
 qos-map pfc-priority-pg roce
 priority-flow-control priority 3
 priority-flow-control watchdog action drop
 priority-flow-control watchdog on detect-time 200
 priority-flow-control watchdog restore-time 400
!
",
    other: "\
interface Vlan{n}
 description \"gateway of tenant {n}\"
 ip vrf forwarding VrfTenant{n}
 ip address 10.65.{a}.{b}/24
!
ip prefix-list TENANT-{n} seq 10 permit 10.65.{a}.0/24 le 32
ip access-list FROM-TENANT-{n}
 seq 10 permit tcp 10.65.{a}.0/24 any eq 179
 seq 20 permit udp any any eq 4791
!
",
};
