//! How a switch forwards, beyond its ports: VXLAN tunnels, and how long it
//! remembers MAC and ARP addresses.

use memchr::memmem;

/// Seconds with the offset of the line that gives them.
pub type Seconds = Option<(u32, usize)>;

/// The shortest age of MAC addresses (`mac address-table aging-time 300`) and
/// the longest of ARP entries on VLAN interfaces (EOS `arp aging timeout 300`,
/// NX-OS `ip arp timeout 300`), where lines give them. 0 is never.
pub fn ageing(config: &str) -> (Seconds, Seconds) {
    let (mut mac, mut arp): (Seconds, Seconds) = (None, None);
    if memmem::find(config.as_bytes(), b"aging-time").is_none() {
        return (mac, arp); // nothing to compare with
    }
    let (mut offset, mut vlan) = (0, false);
    for line in config.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if !line.starts_with([' ', '\t']) {
            let lower = line.get(..14).unwrap_or_default().to_ascii_lowercase();
            vlan = lower == "interface vlan";
        }
        if !line.contains("aging") && !line.contains("arp") {
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let seconds = |text: &str| text.parse().ok().filter(|seconds| *seconds > 0);
        match words.as_slice() {
            ["mac", "address-table", "aging-time", time, ..] => {
                let shorter = |time: &u32| mac.is_none_or(|(known, _)| *time < known);
                mac = seconds(time)
                    .filter(shorter)
                    .map(|time| (time, start))
                    .or(mac);
            }
            ["arp", "aging", "timeout", time] | ["ip", "arp", "timeout", time] if vlan => {
                let longer = |time: &u32| arp.is_none_or(|(known, _)| *time > known);
                arp = seconds(time)
                    .filter(longer)
                    .map(|time| (time, start))
                    .or(arp);
            }
            _ => {}
        }
    }
    (mac, arp)
}

/// The line that makes a switch an end of VXLAN tunnels: EOS `interface
/// Vxlan1`, NX-OS `interface nve1`, Junos `vtep-source-interface` or
/// `encapsulation vxlan`.
pub fn vtep(config: &str) -> Option<usize> {
    let config = config.as_bytes();
    let line = |word: &str| {
        let mut found = memmem::find_iter(config, word);
        found.find(|at| *at == 0 || config.get(at - 1) == Some(&b'\n'))
    };
    line("interface Vxlan")
        .or_else(|| line("interface nve"))
        .or_else(|| memmem::find(config, b"vtep-source-interface "))
        .or_else(|| memmem::find(config, b"encapsulation vxlan;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_tunnels() {
        assert_eq!(vtep("!\ninterface Vxlan1\n"), Some(2));
        assert_eq!(vtep("interface nve1\n"), Some(0));
        assert_eq!(vtep("    vtep-source-interface lo0.0;\n"), Some(4));
        assert_eq!(vtep("! interface nve1\ninterface Ethernet1\n"), None);
    }

    #[test]
    fn the_shortest_and_the_longest_that_lines_give() {
        let text = "mac address-table aging-time 300\ninterface Ethernet1\n   arp aging timeout 9\n\
                    interface Vlan10\n   arp aging timeout 14400\ninterface Vlan20\n  ip arp timeout 60\n";
        let at = |line: &str| text.find(line).unwrap();
        assert_eq!(
            ageing(text),
            (
                Some((300, 0)),
                Some((14400, at("   arp aging timeout 14400")))
            )
        );
        let two =
            "mac address-table aging-time 600 vlan 1\nmac address-table aging-time 120 vlan 2\n";
        assert_eq!(ageing(two).0.map(|(time, _)| time), Some(120));
        assert_eq!(ageing("mac address-table aging-time 0\n"), (None, None));
        assert_eq!(
            ageing("interface Vlan1\n ip arp timeout 60\n"),
            (None, None)
        );
    }
}
