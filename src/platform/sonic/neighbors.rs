//! What LLDP heard (sonic-utilities, `scripts/lldpshow`).

use crate::model::{LineOnly, Origin, Peer, is_mac};
use crate::platform::ports::Ports;
use crate::platform::text::{lldp, table};

/// `show lldp table`.
pub fn table(ports: &mut Ports, capture: usize, text: &str) {
    for table in table::tables(text).filter(|table| table.column("LocalPort").is_some()) {
        for row in table.rows() {
            let cell = |name| row.cell(name).map(|cell| cell.text);
            let told = |name| cell(name).filter(|text| !text.is_empty());
            let (Some(port), Some(device)) = (told("LocalPort"), told("RemoteDevice")) else {
                continue;
            };
            // A host's port identifier is its MAC address; its description
            // names the interface.
            let id = told("RemotePortID").filter(|id| !is_mac(id));
            let other = id.or(told("RemotePortDescr"));
            heard(
                ports,
                port,
                device,
                other,
                Origin::new(capture, row.offset()),
            );
        }
    }
}

/// `show lldp neighbors`.
pub fn list(ports: &mut Ports, capture: usize, text: &str) {
    for told in lldp::neighbours(text) {
        if let Some(device) = told.device.filter(|device| !device.is_empty()) {
            let other = told.name.or(told.description);
            let at = Origin::new(capture, told.offset);
            heard(ports, told.port, device, other, at);
        }
    }
}

/// What was heard comes before what DEVICE_NEIGHBOR declares.
fn heard(ports: &mut Ports, name: &str, device: &str, other: Option<&str>, at: Origin) {
    if !name.starts_with("Ethernet") {
        return; // the management port, or the line that counts the rows
    }
    let Some(port) = ports.get(name) else { return };
    if port.peer.as_ref().is_some_and(|peer| peer.by == "config") {
        port.declared = port.peer.take();
    }
    port.peer = Some(Peer {
        device: device.to_owned(),
        port: other.map(str::to_owned),
        by: "lldp",
        at: LineOnly(at),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Port;

    fn peers(ports: &Ports) -> Vec<String> {
        let peer = |port: &Port| {
            let peer = port.peer.as_ref()?;
            let other = peer.port.as_deref().unwrap_or("?");
            Some(format!("{} = {} {other}", port.name, peer.device))
        };
        ports.list.iter().filter_map(peer).collect()
    }

    #[test]
    fn the_table_of_all_neighbours() {
        let text = "Capability codes: (R) Router, (B) Bridge, (O) Other\n\
                    LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr\n\
                    -----------  --------------  -----------------  ------------  -----------------\n\
                    Ethernet0    gpu01           0c:42:a1:00:00:01  O             ens1f0np0\n\
                    Ethernet4                    0c:42:a1:00:00:02\n\
                    Ethernet8    spine1          Ethernet1/1        BR            to leaf1\n\
                    eth0         oob-sw          swp7               BR            swp7\n\
                    --------------------------------------------------\n\
                    Total entries displayed:  4\n";
        let mut ports = Ports::default();
        table(&mut ports, 0, text);
        assert_eq!(
            peers(&ports),
            [
                "Ethernet0 = gpu01 ens1f0np0",
                "Ethernet8 = spine1 Ethernet1/1"
            ]
        );
    }

    #[test]
    fn what_was_heard_stands_beside_what_is_declared() {
        let text = "Interface:    Ethernet0, via: LLDP, RID: 3, Time: 2 days, 01:00:00\n  \
                    Chassis:\n    ChassisID:    mac 0c:42:a1:00:00:09\n    SysName:      gpu02\n  \
                    Port:\n    PortID:       ifname ens1f0np0\n    PortDescr:    up\n";
        let mut ports = Ports::default();
        if let Some(port) = ports.get("Ethernet0") {
            port.peer = Some(Peer {
                device: "gpu01".to_owned(),
                port: Some("ens1f0np0".to_owned()),
                by: "config",
                at: LineOnly::default(),
            });
        }
        list(&mut ports, 0, text);
        assert_eq!(peers(&ports), ["Ethernet0 = gpu02 ens1f0np0"]);
        let declared = ports.list[0].declared.as_ref().map(|peer| &*peer.device);
        assert_eq!(declared, Some("gpu01"));
    }
}
