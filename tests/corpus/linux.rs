//! Hosts: captures of NICs, and fault reports.

use super::*;

#[test]
fn host_cases() {
    let Some(corpus) = corpus() else { return };
    let before = case(
        &corpus,
        "28-nxos-n9k-pfc-auto-off-dcb-all-off",
        "host",
        &["host_before.txt"],
        LOSSLESS,
    );
    assert_has(&before, &["fail pfc/missing host", "fail map/dscp host"]);
    let after = case(
        &corpus,
        "28-nxos-n9k-pfc-auto-off-dcb-all-off",
        "host",
        &["host_after.txt"],
        LOSSLESS,
    );
    assert_not(&after, &["fail pfc/missing", "fail map/dscp"]);

    let condensed = case(
        &corpus,
        "47-mlx5-gdaki-traffic-on-lossy-priority",
        "host",
        &["host.txt"],
        LOSSLESS,
    );
    // PFC is on 5 only, and the elided map proves nothing of DSCP 26.
    assert_has(
        &condensed,
        &["fail pfc/missing host", "unknown map/dscp host"],
    );
    assert_not(&condensed, &["fail map/dscp"]);

    let moved = case(
        &corpus,
        "50-mlnx-qos-remapped-dscp30",
        "host",
        &["mlnx_qos_dscp.txt", "traffic_class.txt"],
        LOSSLESS,
    );
    assert_has(&moved, &["fail buffer/headroom host ens14f0"]);
    assert_not(
        &moved,
        &[
            "fail map/dscp",
            "fail nic/trust",
            "fail nic/tos",
            "fail pfc/missing",
        ],
    );
    let pcp = case(
        &corpus,
        "50-mlnx-qos-remapped-dscp30",
        "host",
        &["mlnx_qos_pcp.txt"],
        LOSSLESS,
    );
    assert_has(&pcp, &["fail nic/trust host ens14f0"]);

    let old = case(
        &corpus,
        "52-mlnx-qos-trace-old-format",
        "host",
        &["session.txt"],
        LOSSLESS,
    );
    assert_not(
        &old,
        &[
            "fail pfc/",
            "fail map/dscp",
            "fail nic/trust",
            "fail nic/tos",
        ],
    );

    let typed = case(
        &corpus,
        "55-nic-vf-endash-flags",
        "host",
        &["commands.txt"],
        LOSSLESS,
    );
    assert!(
        typed
            .iter()
            .any(|line| line.starts_with("unknown collect/")),
        "{typed:#?}"
    );
    assert_not(&typed, &["fail"]);

    let gids = case(
        &corpus,
        "64-gid-link-local-not-routable",
        "host",
        &["ibv_devinfo_v.txt"],
        LOSSLESS,
    );
    assert_not(&gids, &["fail nic/gid", "unknown nic/gid"]);

    let pause = case(
        &corpus,
        "61-ethtool-pause-names-by-vendor",
        "host",
        &["ethtool_a.txt", "mlx5.txt"],
        LOSSLESS,
    );
    assert_has(&pause, &["fail pfc/link-pause host eth03"]);

    let symbols = case(
        &corpus,
        "76-linux-dcb-symbolic-dscp",
        "host",
        &["service_log.txt"],
        LOSSLESS,
    );
    assert_not(&symbols, &["fail pfc/", "fail map/dscp", "fail nic/trust"]);
    let kernel = case(
        &corpus,
        "76-linux-dcb-symbolic-dscp",
        "host",
        &["dcb_pfc_show_kernel_doc.txt"],
        LOSSLESS,
    );
    assert_has(
        &kernel,
        &["fail pfc/missing host eth0", "fail pfc/extra host eth0"],
    );

    // What a load test tells of the device: the RDMA MTU and the link type.
    for (name, file) in [
        ("41-perftest-bidir-with-warnings", "ib_write_bw.txt"),
        ("66-perftest-rdma-cm-slow", "ib_write_bw_server.txt"),
    ] {
        let fired = case(&corpus, name, "host", &[file], LOSSLESS);
        assert_not(
            &fired,
            &["fail", "unknown mtu/rdma", "unknown nic/link-type"],
        );
        assert_has(&fired, &["unknown pfc/missing host mlx5_0"]);
    }
    // Its header is lost: neither is known.
    let lost = case(
        &corpus,
        "73-perftest-header-lost-gid2",
        "host",
        &["ib_write_bw.txt"],
        LOSSLESS,
    );
    assert_not(&lost, &["fail"]);
    assert_has(&lost, &["unknown mtu/rdma", "unknown nic/link-type"]);
    // An interfaces file is what is meant to run, not what runs.
    let meant = case(
        &corpus,
        "78-ceph-proxmox-cumulus-dscp-nft",
        "host",
        &["interfaces", "nftables.conf"],
        LOSSLESS,
    );
    assert_not(&meant, &["fail", "unknown mtu/port"]);
    assert_has(
        &meant,
        &["unknown map/dscp host nic1", "unknown nic/trust host nic2"],
    );

    let soft = case(
        &corpus,
        "71-perftest-softroce-slow",
        "host",
        &["ib_write_bw.txt"],
        LOSSLESS,
    );
    assert_has(&soft, &["fail mtu/rdma host"]);

    let table = case(
        &corpus,
        "57-mlxconfig-three-layouts",
        "host",
        &["three_columns.txt"],
        LOSSLESS,
    );
    assert_not(&table, &["fail nic/pending", "fail cnp/marking"]);
}

#[test]
fn nic_captures_of_the_corpus_are_recognised() {
    let Some(corpus) = corpus() else { return };
    for entry in fs::read_dir(corpus.join("corpus/nic")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Help and version texts.
        if ["help", "version"].iter().any(|word| name.contains(word)) {
            continue;
        }
        for unit in discover(path.to_str().unwrap(), &[]).unwrap() {
            let read = read_unit(&unit);
            let told: Vec<_> = read.problems.iter().map(|(_, note)| &note.text).collect();
            let device = read.device.unwrap_or_else(|| panic!("{name}: {told:?}"));
            assert_eq!(device.platform, "linux", "{name}");
        }
    }
}

#[test]
fn more_cases_of_nvidia_and_plain_linux() {
    let Some(corpus) = corpus() else { return };
    let fired = |name: &str, files: &[&str]| case(&corpus, name, "host", files, LOSSLESS);

    // Half of the lanes: 63 Gb/s for a port of 100.
    let slot = fired("41-perftest-bidir-with-warnings", &["dmesg_pcie.txt"]);
    assert_has(&slot, &["fail nic/pcie host"]);

    // Two samples side by side are not one; nothing is read from them.
    let columns = fired("48-mlx5-ucx-tclass-one-direction", &["ethtool_diff.txt"]);
    assert_has(&columns, &["unknown collect/failed host"]);
    assert_not(&columns, &["fail"]);

    // A bit mask whose order changed between releases tells no setting.
    let mask = fired("54-lshca-roce-bitmask", &["lshca.txt"]);
    assert_has(&mask, &["unknown collect/unrecognised host"]);
    assert_not(&mask, &["fail"]);

    let infiniband = fired("68-perftest-interleaved-warning", &["ib_send_bw.txt"]);
    assert_has(&infiniband, &["fail nic/link-type host mlx5_0"]);

    // Another tool's benchmark says nothing of the NIC.
    let benchmark = fired("75-rdma-mtu-1500-vs-4200", &["nccl_before.txt"]);
    assert_not(&benchmark, &["fail"]);

    // What is meant to run at boot is no state: nothing of it fails or passes.
    let meant = fired("78-ceph-proxmox-cumulus-dscp-nft", &["interfaces"]);
    assert_not(&meant, &["fail"]);
    assert_has(
        &meant,
        &[
            "unknown pfc/missing host nic1",
            "unknown pfc/missing host nic2",
        ],
    );

    // Twice the same rail: the layouts of mlxconfig all tell the marking.
    for layout in ["one_column.txt", "three_columns.txt", "starred.txt"] {
        let table = fired("57-mlxconfig-three-layouts", &[layout]);
        assert_not(&table, &["fail cnp/marking", "fail dcqcn"]);
    }
}

#[test]
fn nic_captures_of_the_corpus_are_read_whole() {
    let Some(corpus) = corpus() else { return };
    for entry in fs::read_dir(corpus.join("corpus/nic")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Help and version texts; what a person elided.
        let other = ["help", "version", "DERIVED"];
        if other.iter().any(|word| name.contains(word)) {
            continue;
        }
        for unit in discover(path.to_str().unwrap(), &[]).unwrap() {
            let read = read_unit(&unit);
            let told: Vec<_> = read.problems.iter().map(|(_, note)| &note.text).collect();
            assert!(told.is_empty(), "{name}: {told:?}");
            let device = read.device.unwrap();
            let told: Vec<_> = device
                .notes
                .iter()
                .filter(|note| note.kind == roceaudit::model::NoteKind::Failed)
                .map(|note| &note.text)
                .collect();
            assert!(told.is_empty(), "{name}: {told:?}");
        }
    }
}

#[test]
fn cases_of_other_makes() {
    let Some(corpus) = corpus() else { return };
    let fired = |name: &str, files: &[&str]| case(&corpus, name, "host", files, LOSSLESS);
    const THOR: &str = "62-bnxt-niccli-get-qos";

    // As the vendor's guide has it; the digit of PFC can be read in two ways.
    for file in ["get_qos.txt", "get_qos_with_prompt.txt"] {
        let qos = fired(THOR, &[file]);
        assert_not(&qos, &["fail pfc/", "fail map/", "fail nic/trust"]);
        assert_has(&qos, &["unknown pfc/missing"]);
    }
    // No DSCP has a priority at all.
    let minimal = fired(THOR, &["get_qos_minimal.txt"]);
    assert_has(&minimal, &["fail map/dscp host"]);
    let off = fired(THOR, &["support_rdma.txt"]);
    assert_has(&off, &["fail nic/link-type host"]);
    // Devices, queues and the map of code points say nothing wrong.
    let more = ["get_qos.txt", "listdev.txt", "pri2cos.txt", "dscp2prio.txt"];
    let wrong = [
        "fail pfc/",
        "fail map/",
        "fail nic/trust",
        "unknown collect",
    ];
    assert_not(&fired(THOR, &more), &wrong);

    // One traffic class, one counter: told once, and pause alone is no fault.
    let shared = fired("59-irdma-e810-all-prios-in-tc", &["ethtool_prio.txt"]);
    assert_not(&shared, &["unknown collect"]);
    assert_has(&shared, &["fail counters/pfc-storm host enp175s0f0"]);

    let names = fired("61-ethtool-pause-names-by-vendor", &["ixgbe.txt"]);
    assert_not(&names, &["fail pfc/", "fail counters/", "unknown collect"]);
}

#[test]
fn other_makes_of_the_corpus() {
    let Some(corpus) = corpus() else { return };
    let read = |name: &str| model(&corpus.join("corpus/nic").join(name));
    let nics = read("nicctl_show_qos_SYNTHETIC.txt");
    let port = &nics["ports"][0];
    assert_eq!(port["name"], "rocep6s0");
    assert_eq!(port["pfc"]["enabled"], json!([3]));
    assert_eq!(port["trust"], "dscp");
    assert_eq!(port["dscp_to_tc"]["26"], 3);
    assert_eq!(port["dscp_to_tc"]["63"], 1);
    assert_eq!(member(&port["queues"], 6)["scheduler"]["kind"], "strict");
    assert_eq!(
        member(&port["queues"], 3)["scheduler"]["share_percent"],
        90.0
    );
    let dcqcn = &port["nic"]["dcqcn"];
    assert_eq!(dcqcn["cnp_dscp"], 46);
    assert_eq!(dcqcn["cnp_priority"], 6);
    assert_eq!(dcqcn["np_enabled"], true);

    // The digit behind `PFC enabled` stays open.
    let thor = read("niccli_listdev_qos.txt");
    let port = &thor["ports"][0];
    assert_eq!(port["pfc"]["enabled"], Value::Null);
    assert_eq!(port["nic"]["driver"], "bnxt_en");
}
