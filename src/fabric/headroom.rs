//! PFC headroom: how many bytes still arrive after a port decided to send
//! pause.
//!
//! The terms are those of IEEE 802.1Qbb (now 802.1Q, annex on delay
//! calculation): the pause frame waits for a frame that is being sent, travels
//! the cable, takes effect, and what is under way by then still arrives.
//! [`minimum`] leaves out what differs between devices (MAC, PHY and pipeline
//! delays, cells, the response time that 802.3 clause 31B.3.7 allows), so it
//! is a bound that no working configuration can stay under, not a
//! recommendation.

/// Propagation delay of fibre and copper, in nanoseconds per metre: 5 ns is
/// two thirds of the speed of light, as SONiC's buffer model and the vendors'
/// headroom pages use it.
const NANOSECONDS_PER_METRE: f64 = 5.0;

/// Preamble, start delimiter and gap around each frame (IEEE 802.3): bytes on
/// the wire that take time.
const FRAME_GAP: u64 = 20;

/// Ethernet header, one VLAN tag and FCS around an IP packet.
const FRAME_HEADER: u64 = 22;

/// A PFC frame (IEEE 802.1Qbb): the smallest Ethernet frame.
const PAUSE_FRAME: u64 = 64;

/// IP packet of the largest RoCE v2 message segment: 4,096 bytes of payload
/// with IPv6 (40), UDP (8), BTH (12), RETH (16) and ICRC (4).
const LARGEST_ROCE_PACKET: u64 = 4096 + 80;

/// A cable, as far as headroom depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Port speed in Mb/s.
    pub speed_mbps: u32,
    /// Cable length in metres.
    pub cable_m: u32,
    /// Usable IP MTU of the port in bytes.
    pub mtu_ip: u32,
}

/// The least headroom of a lossless priority group.
#[derive(Clone, Debug)]
pub struct Headroom {
    /// Its parts, in the order in which they happen.
    pub terms: Vec<Term>,
    /// Their sum in bytes.
    pub total_bytes: u64,
}

/// A part of the headroom.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub name: &'static str,
    /// How much still arrives because of it.
    pub bytes: u64,
    /// How it follows from the link.
    pub how: String,
}

/// The bytes that arrive at least after the decision to pause, on a link whose
/// sender keeps sending at line rate.
pub fn minimum(link: &Link) -> Headroom {
    let mtu = u64::from(link.mtu_ip);
    let own = mtu + FRAME_HEADER + FRAME_GAP;
    let pause = PAUSE_FRAME + FRAME_GAP;
    let peer = mtu.min(LARGEST_ROCE_PACKET) + FRAME_HEADER + FRAME_GAP;
    let bytes_per_nanosecond = f64::from(link.speed_mbps) / 8_000.0;
    let flight = 2.0 * f64::from(link.cable_m) * NANOSECONDS_PER_METRE * bytes_per_nanosecond;
    let terms = vec![
        Term {
            name: "own frame",
            bytes: own,
            how: format!("the pause frame waits for a frame of {mtu} bytes of IP"),
        },
        Term {
            name: "pause frame",
            bytes: pause,
            how: "the pause frame itself is sent".to_owned(),
        },
        Term {
            name: "cable",
            bytes: flight as u64,
            how: format!(
                "there and back over {} m at 5 ns/m and {} Mb/s",
                link.cable_m, link.speed_mbps
            ),
        },
        Term {
            name: "peer's frame",
            bytes: peer,
            how: "the peer ends the RoCE frame that it has begun".to_owned(),
        },
    ];
    Headroom {
        total_bytes: terms.iter().map(|term| term.bytes).sum(),
        terms,
    }
}

/// The bytes that arrive in the time that IEEE 802.3 (31B.3.7) gives a peer to
/// obey a pause at this speed, with the quanta of 512 bit times that it is
/// counted in; none for a speed without a value. Most devices need far less,
/// and vendors' headroom stays between [`minimum`] and the sum of both. Values
/// as SONiC's `buffer_headroom_mellanox.lua` takes them from the standard.
pub fn response_time(speed_mbps: u32) -> Option<(u64, u64)> {
    let quanta = match speed_mbps {
        10_000 => 67,
        25_000 => 80,
        40_000 => 118,
        50_000 => 147,
        100_000 => 394,
        200_000 => 453,
        400_000 | 800_000 => 905,
        _ => return None,
    };
    Some((quanta, quanta * 512 / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(speed_mbps: u32, cable_m: u32, mtu_ip: u32) -> u64 {
        let link = Link {
            speed_mbps,
            cable_m,
            mtu_ip,
        };
        minimum(&link).total_bytes
    }

    #[test]
    fn the_terms_add_up_as_by_hand() {
        // 100 Gb/s is 12.5 bytes a nanosecond; 2 x 40 m x 5 ns = 400 ns: 5,000 B.
        // 9100 + 42 + 84 + 5000 + 4176 + 42 = 18,444.
        assert_eq!(bytes(100_000, 40, 9100), 18_444);
        // A small MTU bounds both frames: 2 x (1500 + 42) + 84.
        assert_eq!(bytes(10_000, 0, 1500), 3_168);
    }

    #[test]
    fn the_time_to_obey_is_counted_in_quanta() {
        assert_eq!(response_time(100_000), Some((394, 25_216)));
        assert_eq!(response_time(123), None);
    }

    /// (speed, cable, xoff) of the tables that vendors ship with SONiC for
    /// the Mellanox MSN2700 and the Arista 7060X6 (pg_profile_lookup.ini).
    const SHIPPED: [(u32, u32, u64); 17] = [
        (10_000, 5, 29_696),
        (25_000, 5, 29_696),
        (40_000, 5, 29_696),
        (50_000, 5, 29_696),
        (100_000, 5, 30_720),
        (10_000, 40, 29_696),
        (25_000, 40, 31_744),
        (40_000, 40, 32_768),
        (50_000, 40, 33_792),
        (100_000, 40, 38_912),
        (10_000, 300, 36_864),
        (25_000, 300, 48_128),
        (40_000, 300, 59_392),
        (50_000, 300, 66_560),
        (100_000, 300, 104_448),
        (100_000, 40, 300_990),
        (200_000, 40, 300_990),
    ];

    #[test]
    fn no_shipped_profile_is_called_too_small() {
        for (speed, cable, xoff) in SHIPPED {
            assert!(bytes(speed, cable, 9100) <= xoff, "{speed} {cable}");
        }
    }

    #[test]
    fn a_profile_for_a_short_slow_cable_is_too_small_for_a_long_fast_one() {
        assert!(bytes(100_000, 300, 9100) > 29_696);
        assert!(bytes(400_000, 100, 9100) > 38_912);
    }
}
