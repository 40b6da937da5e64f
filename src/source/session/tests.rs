use super::*;
use proptest::prelude::*;

/// Host, command and first line of output of each piece.
fn outline(text: &str) -> Vec<(&str, String, u32)> {
    let pieces = cut(text).unwrap_or_else(|| panic!("not cut: {text}"));
    for piece in &pieces {
        // The text of a piece stands at the line that it claims.
        let at = piece.text.as_ptr() as usize - text.as_ptr() as usize;
        assert_eq!(
            text[..at].matches('\n').count() + 1,
            piece.first_line as usize
        );
    }
    pieces
        .into_iter()
        .map(|p| (p.host.unwrap_or("-"), p.command, p.first_line))
        .collect()
}

fn check(text: &str, expected: &[(&str, &str, u32)]) {
    let outline = outline(text);
    let outline: Vec<_> = outline
        .iter()
        .map(|(h, c, l)| (*h, c.as_str(), *l))
        .collect();
    assert_eq!(outline, expected);
}

#[test]
fn shells_with_user_and_host() {
    check(
        "Last login: today\n\
         admin@leaf7:~$ show pfcwd stat\n\
         Usage: show pfcwd ...\n\
         admin@leaf7:~$ sudo ip netns exec asic1  show pfcwd stats  \n  QUEUE    STATUS\n\
         admin@leaf7:~$\n\n\n\
         root@gpu9:/home/me# strange-tool --now\nfine\n\
         [root@gpu8 ~]# mlnx_qos -i ens1\nDCBX mode: OS controlled\n\
         cumulus@tor:mgmt:~$ nv show qos roce\nenable on\n\
         (venv) me@gpu7:~/work$ ls\n",
        &[
            ("-", "", 1),
            ("leaf7", "show pfcwd stat", 3),
            ("leaf7", "sudo ip netns exec asic1  show pfcwd stats", 5),
            ("gpu9", "strange-tool --now", 10),
            ("gpu8", "mlnx_qos -i ens1", 12),
            ("tor", "nv show qos roce", 14),
            ("gpu7", "ls", 16),
        ],
    );
}

#[test]
fn comments_in_the_output_of_a_command_stay_there() {
    check(
        "root@gpu3:~# cat /etc/roce.conf\n# config written by setup\n# mtu first\nmtu=9000\n",
        &[("gpu3", "cat /etc/roce.conf", 2)],
    );
}

#[test]
fn users_are_kept() {
    let pieces = cut("root@gpu9:~# uname -r\n6.8.0\n").unwrap();
    assert_eq!(pieces[0].user, Some("root"));
    assert_eq!(pieces[0].text, "6.8.0\n");
}

#[test]
fn switches() {
    check(
        "spine2#show priority-flow-control \nGlobal PFC : Enabled\n\
         spine2# bash-less-thing x\nout\n\
         spine2#\n\
         spine2(config)# qos profile LOSSLESS\n\
         spine2(config-qos-profile-LOSSLESS)# priority-flow-control on\n\
         edge1>show version\nvEOS\n\
         lab@qfx> show class-of-service | no-more\n\nForwarding\n\
         {master:0}[edit]\nlab@qfx# run show version\n\
         A:srl1# info flat\n",
        &[
            ("spine2", "show priority-flow-control", 2),
            ("spine2", "bash-less-thing x", 4),
            ("spine2", "qos profile LOSSLESS", 7),
            ("spine2", "priority-flow-control on", 8),
            ("edge1", "show version", 9),
            ("qfx", "show class-of-service | no-more", 11),
            ("qfx", "run show version", 15),
            ("srl1", "info flat", 16),
        ],
    );
}

#[test]
fn vrp_views() {
    check(
        "<CE1> display dcb pfc\nslot 1\n<CE1> system-view\n[~CE1] display qos buffer\nx\n\
         [*CE1-100GE1/0/3] commit\n[~CE1-100GE1/0/3] quit\n<CE1>\n",
        &[
            ("CE1", "display dcb pfc", 2),
            ("CE1", "system-view", 4),
            ("CE1", "display qos buffer", 5),
            ("CE1", "commit", 7),
            ("CE1", "quit", 8),
        ],
    );
}

#[test]
fn marks_without_host() {
    check(
        "$ dcb pfc show dev ens3\nprio-pfc 0:off\n\n$ sometool\nx\n$ cat /sys/a\n$\n",
        &[
            ("-", "dcb pfc show dev ens3", 2),
            ("-", "sometool", 5),
            ("-", "cat /sys/a", 7),
        ],
    );
    check(
        "# ethtool -a eth9\nRX:\t\ton\n# pfcstat\nrest\n# dcb -j app show dev eth0     iproute2 < 6.5\n{}\n",
        &[
            ("-", "ethtool -a eth9", 2),
            ("-", "pfcstat", 4),
            ("-", "dcb -j app show dev eth0     iproute2 < 6.5", 6),
        ],
    );
    check(
        "bash-5.1$ ib_send_bw -d mlx5_1\n #bytes     #iterations\n",
        &[("-", "ib_send_bw -d mlx5_1", 2)],
    );
}

#[test]
fn traces_belong_to_the_prompt_before_them() {
    check(
        "$ ./tune.sh eth7 mlx5_3             [12/907]\n+ DEV=mlx5_3\n+ mlnx_qos -i eth7 --trust dscp\n\
         Priority trust state: dscp\n+ sudo sh -c ' echo 106 > /sys/x'\n+ sudo cma_roce_tos -d mlx5_3 -t 106\n106\n",
        &[
            ("-", "./tune.sh eth7 mlx5_3", 2),
            ("-", "DEV=mlx5_3", 3),
            ("-", "mlnx_qos -i eth7 --trust dscp", 4),
            ("-", "sudo sh -c ' echo 106 > /sys/x'", 6),
            ("-", "sudo cma_roce_tos -d mlx5_3 -t 106", 7),
        ],
    );
    check(
        "root@gpu3:~# sh -x t.sh\n+ ethtool -a eth0\nRX: on\n",
        &[("gpu3", "sh -x t.sh", 2), ("gpu3", "ethtool -a eth0", 3)],
    );
}

#[test]
fn continued_commands_are_joined() {
    check(
        "root@gpu3:~# ib_write_bw -d mlx5_0 \\\n> -q 4 \\\n> -R\n----\n",
        &[("gpu3", "ib_write_bw -d mlx5_0 -q 4 -R", 4)],
    );
}

#[test]
fn what_has_no_prompts_stays_whole() {
    for text in [
        "",
        "\n\n",
        "{\"PORT\": {\"Ethernet0\": {\"alias\": \"root@gpu01:~# show\"}}}",
        "[\n{\"dscp_prio\": [[26, 3]]}]",
        "# show the state of the fabric\ninterface Ethernet1\n# ip addresses are below\n mtu 9214\n",
        "interface Ethernet1\n# show run follows\n mtu 9214\n",
        "interface Ethernet1\n# show run follows\n# mtu first\n# and then pfc\n mtu 9214\n",
        "! comment\nfeature qos\n!\nclass-map type qos match-all ROCE\n  match dscp 26\nbanner motd #hello#\n",
        "#\nsysname CE1\n#\ndcb pfc\n priority 4\n# \ndcb pfc dscp-mapping enable slot 1\n",
        "# Switch settings\n\n## show version\n\nText.\n\n# Details\n",
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]\n 65536      5000             92.05\n",
        "# nccl-tests version 2.17\n# nThread 1 nGpus 1 minBytes 8\n#       size         count      type\n       8 2 float\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 11.5\n",
        "--- PFC Status ---\npfc-cap 8 macsec-bypass off delay 0\n",
        "Port#1 up\nPort#2 down\nport>4\n",
        "<config><host>leaf1</host>\n<host>show</host></config>\n",
        "[edit]\nset class-of-service x\n[INFO] start\n[WARN] stop\n",
        "mlx5_0 port 1 ==> ens1f0np0 (Up)\nmlx5_1 port 1 ==> ens1f1np1 (Down)\n",
        "GID: fe80::1\nContact: admin@example.com\nadmin@example.com wrote:\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n+ ip mtu 9000\n- ip mtu 1500\n",
        "#!/bin/bash\n# set trust\nmlnx_qos -i eth0 --trust dscp\n# ethtool below\n# disable pause\nethtool -A eth0 rx off\n",
        "+----+----+\n| a  | b  |\n+----+----+\n",
        "$5$salt$hash\n",
    ] {
        assert_eq!(cut(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn pieces_are_parts_of_the_text_in_order(text in r"(\PC{0,12}|root@a:~# |leaf1# show|\$ cat |# ip l|\+ tc |\[~A\] |<A>|a\(conf\)#|\n|\\\n){0,24}") {
        let mut last = 0;
        for piece in cut(&text).unwrap_or_default() {
            let at = piece.text.as_ptr() as usize - text.as_ptr() as usize;
            prop_assert!(at >= last && at <= text.len());
            // A command on the last line has no line of output.
            if !piece.text.is_empty() {
                prop_assert_eq!(
                    text[..at].matches('\n').count() + 1,
                    piece.first_line as usize
                );
            }
            last = at + piece.text.len();
        }
    }
}
