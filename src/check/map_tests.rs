use super::compact;

#[test]
fn code_points_are_shown_as_ranges() {
    assert_eq!(compact(&[0, 1, 2, 5, 24, 25]), "0-2, 5, 24, 25");
    assert_eq!(compact(&[]), "");
    assert_eq!(compact(&[63]), "63");
}
