//! What `lldpctl` prints for people, on hosts and on switches that run lldpd.

/// A neighbour of a port, as far as it was told.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Neighbour<'t> {
    /// The own port.
    pub port: &'t str,
    /// The other device's name.
    pub device: Option<&'t str>,
    /// The other port's name. An identifier that is a MAC address is none.
    pub name: Option<&'t str>,
    /// The other port's description; hosts put the interface's name there.
    pub description: Option<&'t str>,
    /// Byte offset of the line that names the device, else of the port.
    pub offset: usize,
}

/// Reads all neighbours, in order.
pub fn neighbours(text: &str) -> Vec<Neighbour<'_>> {
    let mut all: Vec<Neighbour<'_>> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let Some((key, value)) = line.trim().split_once(':') else {
            continue;
        };
        let value = value.trim();
        if key == "Interface" {
            all.push(Neighbour {
                port: value.split(',').next().unwrap_or_default().trim(),
                offset: start,
                ..Neighbour::default()
            });
            continue;
        }
        let Some(last) = all.last_mut() else { continue };
        match key {
            "SysName" => (last.device, last.offset) = (Some(value), start),
            "PortID" => {
                let (kind, id) = value.split_once(' ').unwrap_or(("", value));
                last.name = matches!(kind, "ifname" | "local").then_some(id.trim());
            }
            "PortDescr" => last.description = Some(value),
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_by_port() {
        let text = "Interface:    Ethernet0, via: LLDP, RID: 1, Time: 0 day, 00:00:21\n  \
                    Chassis:\n    ChassisID:    mac 0c:42:a1:00:00:10\n    SysName:      gpu01\n  \
                    Port:\n    PortID:       mac 0c:42:a1:00:00:01\n    PortDescr:    ens1f0np0\n\
                    Interface:    Ethernet4, via: LLDP\n    SysName:      spine1\n    \
                    PortID:       local Eth1/1\n";
        let all = neighbours(text);
        let told: Vec<_> = all
            .iter()
            .map(|n| (n.port, n.device, n.name.or(n.description)))
            .collect();
        assert_eq!(
            told,
            [
                ("Ethernet0", Some("gpu01"), Some("ens1f0np0")),
                ("Ethernet4", Some("spine1"), Some("Eth1/1")),
            ]
        );
        assert_eq!(&text[all[0].offset..][..20], "    SysName:      gp");
        assert_eq!(neighbours("SysName: x\nPortID"), []);
    }
}
