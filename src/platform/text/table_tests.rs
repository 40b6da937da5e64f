use super::*;
use proptest::prelude::*;

fn only(text: &str) -> Table<'_> {
    let mut found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn texts<'t>(row: Row<'_, 't>) -> Vec<&'t str> {
    row.cells().iter().map(|cell| cell.text).collect()
}

/// Offsets point at what they are said to point at.
fn check_offsets(text: &str, table: &Table<'_>) {
    for row in table.rows() {
        assert!(text[row.offset()..].starts_with(row.line()));
        for cell in row.cells() {
            assert!(text[cell.offset..].starts_with(cell.text));
        }
    }
}

#[test]
fn right_aligned_with_names_of_two_words() {
    let text = "\
  Port Rx    PFC0    PFC3
---------  ------  ------
Ethernet0   1,200       0
Ethernet4     N/A      17

  Port Tx    PFC0    PFC3
---------  ------  ------
Ethernet0       5       6
";
    let found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].header(), ["Port Rx", "PFC0", "PFC3"]);
    assert_eq!(found[1].header(), ["Port Tx", "PFC0", "PFC3"]);
    let rows: Vec<_> = found[0].rows().collect();
    assert_eq!(texts(rows[0]), ["Ethernet0", "1,200", "0"]);
    assert_eq!(rows[1].cell("PFC3").unwrap().text, "17");
    assert!(rows[1].cell("PFC4").is_none());
    assert_eq!(rows[1].shape(), RowShape::Whole);
    found.iter().for_each(|table| check_offsets(text, table));
}

#[test]
fn cells_that_hold_blanks_or_nothing() {
    let text = "\
Interface    Type             Alias    Lossless priorities
-----------  ---------------  -------  ---------------------
Ethernet0    QSFP28 or later           3,4
Ethernet4                     etp2
";
    let table = only(text);
    let rows: Vec<_> = table.rows().collect();
    assert_eq!(rows[0].cell("Type").unwrap().text, "QSFP28 or later");
    assert_eq!(rows[0].cell("Alias").unwrap().text, "");
    assert_eq!(rows[0].cell("Lossless priorities").unwrap().text, "3,4");
    assert_eq!(texts(rows[1]), ["Ethernet4", "", "etp2"]);
    // The last column is not known to be empty: the line may have been cut.
    assert_eq!(rows[1].shape(), RowShape::Short(3));
    assert!(rows[1].cell("Lossless priorities").is_none());
    check_offsets(text, &table);
}

#[test]
fn a_cut_row_tells_how_far_it_goes() {
    let text = "\
       PORT    ACTION    DETECTION TIME    RESTORATION TIME
-----------  --------  ----------------  ------------------
 Ethernet32      drop               200                 200
 Ethernet36      drop               2
 Et
";
    let table = only(text);
    let shapes: Vec<_> = table.rows().map(|row| row.shape()).collect();
    assert_eq!(shapes[0], RowShape::Whole);
    assert_eq!(shapes[2], RowShape::Short(1));
    assert_ne!(shapes[1], RowShape::Whole);
    let cut = table.rows().nth(1).unwrap();
    assert!(cut.cell("RESTORATION TIME").is_none());
}

#[test]
fn values_wider_than_their_column() {
    let text = "\
     Port    PFC0    PFC1    PFC2
---------  ------  ------  ------
Ethernet0  1,234,567,890       1       2
Ethernet4       0  98,765,432,100       7
Ethernet8  a b c d e f g h i
";
    let table = only(text);
    let rows: Vec<_> = table.rows().collect();
    assert_eq!(texts(rows[0]), ["Ethernet0", "1,234,567,890", "1", "2"]);
    assert_eq!(texts(rows[1]), ["Ethernet4", "0", "98,765,432,100", "7"]);
    assert_eq!(rows[2].shape(), RowShape::Malformed);
    assert_eq!(texts(rows[2]), [""; 0]);
    assert_eq!(rows[2].line(), "Ethernet8  a b c d e f g h i");
}

#[test]
fn titles_and_tables_without_blank_lines_between() {
    let text = "\
Ingress headroom per PG: (Namespace asic0)
     Port    PG0    PG3
---------  -----  -----
Ethernet0    100    101
Ethernet4    200    201
Ingress headroom per PG: (Namespace asic1)
         Port    PG0    PG3
-------------  -----  -----
Ethernet-BP25    300    301
";
    let found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(
        found[0].title(),
        Some("Ingress headroom per PG: (Namespace asic0)")
    );
    assert_eq!(
        found[1].title(),
        Some("Ingress headroom per PG: (Namespace asic1)")
    );
    assert_eq!(found[0].rows().count(), 2);
    assert_eq!(
        texts(found[1].rows().next().unwrap()),
        ["Ethernet-BP25", "300", "301"]
    );
}

#[test]
fn a_table_directly_below_the_rows_of_another() {
    let text = "\
   A    B
----  ---
   1    2
   A    B
----  ---
   3    4
";
    let found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].rows().count(), 1);
    assert_eq!(found[1].title(), None);
    assert_eq!(texts(found[1].rows().next().unwrap()), ["3", "4"]);
}

#[test]
fn tables_without_header() {
    let text = "\
Profile: LOSSY
-----------------------  -----
red_max_threshold        32760
ecn                      ecn_all
-----------------------  -----

Lossless traffic pattern:
--------------------  -
default_dynamic_th    0
--------------------  -

Pool: egress_lossy_pool
----  -------
mode  dynamic
type  egress
----  -------
Profile: q_lossy_profile
---------------------  ---------------
packet_discard_action  drop
pool                   egress_lossy
---------------------  ---------------
";
    let found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[2].title(), Some("Pool: egress_lossy_pool"));
    assert_eq!(found[3].title(), Some("Profile: q_lossy_profile"));
    assert_eq!(found[2].rows().count(), 2);
    assert_eq!(found[3].rows().count(), 2);
    assert_eq!(found[0].title(), Some("Profile: LOSSY"));
    assert!(found[0].header().is_empty());
    let rows: Vec<_> = found[0].rows().map(texts).collect();
    assert_eq!(rows[0], ["red_max_threshold", "32760"]);
    assert_eq!(rows[1], ["ecn", "ecn_all"]);
    assert_eq!(found[1].title(), Some("Lossless traffic pattern:"));
    assert_eq!(found[1].rows().count(), 1);
}

#[test]
fn dashes_below_the_last_row_close_a_table() {
    let text = "A     B\n----  ----\n1     2\n3     4\n----  ----\n\nend\n";
    let found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].rows().count(), 2);
    let twice = "A     B\n----  ----\nA     B\n----  ----\n";
    let rows: Vec<_> = tables(twice).map(|table| table.rows().count()).collect();
    assert_eq!(rows, [0, 0]);
}

#[test]
fn an_underlined_heading_is_no_row() {
    let text =
        "A     B\n----  ----\n1     2\nPool config\n===========\nC     D\n----  ----\n5     6\n";
    let found: Vec<_> = tables(text).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].rows().count(), 1);
    assert_eq!(found[1].title(), Some("Pool config"));
    assert_eq!(texts(found[1].rows().next().unwrap()), ["5", "6"]);
}

#[test]
fn headers_of_several_lines() {
    let text = "
                 Rx      Tx
Port         Frames  Frames
---------- -------- -------
Et1               5       6
";
    let table = only(text);
    assert_eq!(table.header(), ["Port", "Rx Frames", "Tx Frames"]);
    assert_eq!(
        table.rows().next().unwrap().cell("Tx Frames").unwrap().text,
        "6"
    );
}

#[test]
fn an_empty_table() {
    let table = only("  QUEUE    STATUS\n-------  --------\n");
    assert_eq!(table.header(), ["QUEUE", "STATUS"]);
    assert_eq!(table.rows().count(), 0);
}

#[test]
fn tabs_stand_for_columns() {
    let text = "\
DEV\tPORT\tGID\t\t\t\t\tIPv4  \t\tVER
---\t----\t---\t\t\t\t\t------------  \t---
mlx5_0\t1\tfe80:0000:0000:0000:0000:00ff:fe00:0001\t\t\tv1
mlx5_0\t1\t0000:0000:0000:0000:0000:ffff:0a4d:010b\t10.77.1.11\tv2
";
    let table = only(text);
    let rows: Vec<_> = table.rows().collect();
    assert_eq!(rows[0].cell("IPv4").unwrap().text, "");
    assert_eq!(rows[0].cell("VER").unwrap().text, "v1");
    assert_eq!(rows[1].cell("IPv4").unwrap().text, "10.77.1.11");
    check_offsets(text, &table);
}

#[test]
fn rulers_of_one_group_rule_no_table() {
    assert_eq!(tables("Device #1:\n----------\n\nName: N/A\n").count(), 0);
    assert_eq!(tables("").count(), 0);
    assert_eq!(tables("-- --").count(), 1);
}

#[test]
fn tables_whose_dashes_were_filtered_away() {
    let text = "\
    Port Rx    PFC0    PFC1     PFC2
  Ethernet0       0       0        0
Ethernet152       0       0  179,523
    Port Tx        PFC0    PFC1
  Ethernet0       1       2
Ethernet152       1
";
    let mut found = headed_tables(text, &["Port Rx", "PFC0", "PFC1", "PFC2"]);
    found.truncate(1);
    let rows: Vec<_> = found[0].rows().take(2).map(texts).collect();
    assert_eq!(rows[0], ["Ethernet0", "0", "0", "0"]);
    assert_eq!(rows[1], ["Ethernet152", "0", "0", "179,523"]);
    let found = headed_tables(text, &["Port Tx", "PFC0", "PFC1", "PFC2"]);
    assert_eq!(found[0].header(), ["Port Tx", "PFC0", "PFC1"]);
    let rows: Vec<_> = found[0].rows().collect();
    assert_eq!(texts(rows[0]), ["Ethernet0", "1", "2"]);
    assert_eq!(rows[1].shape(), RowShape::Short(2));
    assert!(headed_tables(text, &["Port", "PFC0"]).is_empty());
}

#[test]
fn hostile_widths_stay_cheap() {
    let wide = "- ".repeat(20_000) + "\n" + &"x\n".repeat(20_000);
    assert_eq!(tables(&wide).count(), 0);
    let most = "- ".repeat(MAX_COLUMNS) + "\n" + &"x\n".repeat(20_000);
    assert_eq!(only(&most).rows().count(), 20_000);
}

#[test]
fn thousands_separators() {
    for (text, expected) in [
        ("0", Some(0)),
        ("15,437", Some(15_437)),
        (" 1,234,567 ", Some(1_234_567)),
        ("-1,200", Some(-1_200)),
        ("2057328", Some(2_057_328)),
        ("N/A", None),
        ("", None),
        ("-", None),
        ("1,23", None),
        ("1234,567", None),
        (",123", None),
        ("1.5", None),
        ("+5", None),
        ("9,223,372,036,854,775,808", None),
    ] {
        assert_eq!(thousands(text), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in r"(\PC{0,9}|---|--  --\n|-+ {1,2}-+\n|A  B\n| 1   2\n|[ \t]{1,9}|\n){0,40}") {
        for table in tables(&text) {
            check_offsets(&text, &table);
            for row in table.rows() {
                let reach = match row.shape() {
                    RowShape::Whole => table.columns(),
                    RowShape::Short(filled) => filled,
                    RowShape::Malformed => 0,
                };
                prop_assert_eq!(row.cells().len(), reach);
            }
        }
        for table in headed_tables(&text, &["A", "B"]) {
            check_offsets(&text, &table);
        }
    }

    #[test]
    fn what_is_laid_out_is_read_back(
        rows in prop::collection::vec(prop::collection::vec("[a-z0-9,/]{1,9}( [a-z]{1,5})?", 4), 1..8),
        right in any::<bool>(),
    ) {
        let widths: Vec<usize> = (0..4)
            .map(|i| rows.iter().map(|row| row[i].len()).max().unwrap().max(3))
            .collect();
        let lay = |cells: &[String]| {
            let padded: Vec<String> = cells
                .iter()
                .zip(&widths)
                .map(|(cell, &width)| if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") })
                .collect();
            padded.join("  ").trim_end().to_owned() + "\n"
        };
        let names = ["One", "Two", "Six", "Ten"].map(str::to_owned);
        let dashes: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        let mut text = lay(&names) + &lay(&dashes);
        for row in &rows {
            text += &lay(row);
        }
        let table = only(&text);
        prop_assert_eq!(table.header(), names.as_slice());
        let read: Vec<Vec<&str>> = table.rows().map(texts).collect();
        prop_assert_eq!(read, rows);
    }
}
