//! All ways between all hosts of Clos fabrics. See README.md.

use roceaudit::check::{self, FabricContext, FabricVerdicts};
use roceaudit::fabric::{Fabric, Hops, Node, NodePort, View};
use roceaudit::model::{DeviceKind, Fact, Origin, Peer};
use roceaudit::policy;
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// NICs of a host, each on a rail of its own.
const RAILS: usize = 8;
/// Hosts below one leaf.
const HOSTS_PER_LEAF: usize = 64;
/// Leaves of one pod, one group of hosts after the other.
const LEAVES_PER_POD: usize = 64;
/// Spines of one pod.
const SPINES_PER_POD: usize = 12;
/// Switches above all pods.
const CORES: usize = 16;
/// Rounds; the shortest counts.
const ROUNDS: usize = 3;

fn main() -> Result<()> {
    let policy = policy::load("builtin:roce-lossless")?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "hosts  switches   links   join     ways     per link  peak memory"
    )?;
    for hosts in [256, 1024, 2048] {
        let nodes = clos(hosts);
        let switches = nodes.len() - hosts;
        let mut best = (Duration::MAX, Duration::MAX);
        let mut links = 0;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let fabric = Fabric::join(nodes.clone(), &[]);
            links = fabric.links.len();
            let joined = begun.elapsed();
            let hops = Hops::new(fabric, std::iter::empty(), Some("cnp"));
            let context = FabricContext {
                hops: &hops,
                set: &policy,
            };
            for id in ["path/lossless", "path/cnp", "mtu/path", "link/mismatch"] {
                let mut verdicts = FabricVerdicts::default();
                let check = check::by_id(id).ok_or("no such check")?;
                check.fabric(&context, &mut verdicts);
                if verdicts.passes == 0 || !verdicts.details.is_empty() {
                    return Err(format!("{id}: a good fabric does not pass").into());
                }
            }
            let all = begun.elapsed();
            best = (best.0.min(joined), best.1.min(all - joined));
        }
        let whole = best.0 + best.1;
        writeln!(
            out,
            "{hosts:>5} {switches:>9} {links:>7} {:>8.1?} {:>8.1?} {:>7.2} us {:>8} MiB",
            best.0,
            best.1,
            whole.as_secs_f64() * 1e6 / links as f64,
            peak_memory_kib()? / 1024
        )?;
    }
    Ok(())
}

/// A fabric of three tiers: leaves of one rail each, spines of a pod, cores.
fn clos(hosts: usize) -> Vec<Node> {
    let view = Arc::new(View {
        mtu: Fact::explicit(9000, Origin::NONE),
        ..View::default()
    });
    let port = |name: String, peer: Option<(String, String)>| NodePort {
        name: name.into(),
        judged: true,
        description: None,
        peer: peer.map(|(device, port)| Peer {
            device,
            port: Some(port),
            by: "lldp",
            at: Default::default(),
        }),
        declared: None,
        profile: None,
        view: Arc::clone(&view),
    };
    let node = |name: String, kind: DeviceKind, ports: Vec<NodePort>| Node {
        name: name.into(),
        hostname: None,
        kind,
        role: None,
        ageing: None,
        vtep: false,
        tells_peers: true,
        ports,
    };
    let groups = hosts / HOSTS_PER_LEAF;
    let leaves = groups * RAILS;
    let pods = leaves.div_ceil(LEAVES_PER_POD);
    let mut nodes = Vec::new();
    for host in 0..hosts {
        let leaf = |rail| format!("leaf{}", host / HOSTS_PER_LEAF * RAILS + rail);
        let down = format!("down{}", host % HOSTS_PER_LEAF);
        let nic = |rail| port(format!("nic{rail}"), Some((leaf(rail), down.clone())));
        let ports = (0..RAILS).map(nic).collect();
        nodes.push(node(format!("gpu{host}"), DeviceKind::Host, ports));
    }
    for leaf in 0..leaves {
        let down = (0..HOSTS_PER_LEAF).map(|n| port(format!("down{n}"), None));
        let pod = leaf / LEAVES_PER_POD;
        let up = (0..SPINES_PER_POD).map(|n| {
            let spine = format!("spine{}", pod * SPINES_PER_POD + n);
            let at = format!("down{}", leaf % LEAVES_PER_POD);
            port(format!("up{n}"), Some((spine, at)))
        });
        let ports = down.chain(up).collect();
        nodes.push(node(format!("leaf{leaf}"), DeviceKind::Switch, ports));
    }
    for spine in 0..pods * SPINES_PER_POD {
        let down = (0..LEAVES_PER_POD).map(|n| port(format!("down{n}"), None));
        let up = (0..CORES).map(|n| {
            port(
                format!("up{n}"),
                Some((format!("core{n}"), format!("down{spine}"))),
            )
        });
        let ports = down.chain(up).collect();
        nodes.push(node(format!("spine{spine}"), DeviceKind::Switch, ports));
    }
    for core in 0..CORES {
        let down = (0..pods * SPINES_PER_POD).map(|n| port(format!("down{n}"), None));
        nodes.push(node(
            format!("core{core}"),
            DeviceKind::Switch,
            down.collect(),
        ));
    }
    nodes
}

fn peak_memory_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(number.ok_or("no VmHWM in /proc/self/status")?.parse()?)
}
