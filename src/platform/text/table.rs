//! Tables whose columns a line of dashes rules, as SONiC, EOS and many tools
//! print them:
//!
//! ```text
//!   Port Rx    PFC0    PFC1
//! ---------  ------  ------
//! Ethernet0   1,200     201
//! ```
//!
//! The groups of dashes give the columns. A row is split at them only where
//! its words respect them; where a wide value has pushed the others aside, by
//! white space if that gives the right number of cells; otherwise the row is
//! [malformed](RowShape::Malformed). A cell never gets a neighbour's text.

use crate::source::clean::PAGER_GAP;
use std::borrow::Cow;

/// No device prints more columns; a bound on the work that each row costs.
const MAX_COLUMNS: usize = 256;

/// The text of one cell without the blanks around it, and its byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'t> {
    /// May be empty.
    pub text: &'t str,
    /// Byte offset in the text that the table was read from; of an empty
    /// cell, that of its row.
    pub offset: usize,
}

/// How a row fits the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowShape {
    /// Every column has its cell.
    Whole,
    /// The line ends early and fills only so many columns. Either the last
    /// cells are empty, or the text was cut: then the last of these cells may
    /// be cut as well.
    Short(usize),
    /// The text fits the columns in no way; the row has no cells.
    Malformed,
}

#[derive(Debug, Clone)]
struct RowData<'t> {
    line: &'t str,
    offset: usize,
    shape: RowShape,
    cells: std::ops::Range<usize>,
}

/// One table.
#[derive(Debug, Clone)]
pub struct Table<'t> {
    title: Option<&'t str>,
    header: Vec<Cow<'t, str>>,
    offset: usize,
    columns: usize,
    /// The cells of all rows, as many to each as it fills.
    cells: Vec<Cell<'t>>,
    rows: Vec<RowData<'t>>,
}

impl<'t> Table<'t> {
    /// The line directly above the header, or above the dashes of a table
    /// without header: `Profile: AZURE_LOSSLESS`, `For namespace asic0:`.
    pub fn title(&self) -> Option<&'t str> {
        self.title
    }

    /// The column names, the lines of a header of several joined by a blank;
    /// none for a table without header.
    pub fn header(&self) -> &[Cow<'t, str>] {
        &self.header
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Byte offset of the header, or of the dashes of a table without one.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Index of the first column that is called `name`.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|header| header == name)
    }

    /// The rows in order, malformed ones included.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_, 't>> {
        self.rows.iter().map(|data| Row { table: self, data })
    }

    fn push(&mut self, line: Line<'t>, shape: RowShape, cells: impl IntoIterator<Item = Cell<'t>>) {
        let first = self.cells.len();
        self.cells.extend(cells);
        self.rows.push(RowData {
            line: line.text,
            offset: line.offset,
            shape,
            cells: first..self.cells.len(),
        });
    }
}

/// One row of a [`Table`].
#[derive(Debug, Clone, Copy)]
pub struct Row<'a, 't> {
    table: &'a Table<'t>,
    data: &'a RowData<'t>,
}

impl<'a, 't> Row<'a, 't> {
    /// How the row fits the columns.
    pub fn shape(&self) -> RowShape {
        self.data.shape
    }

    /// The row as it stands.
    pub fn line(&self) -> &'t str {
        self.data.line
    }

    /// Byte offset of the row's line.
    pub fn offset(&self) -> usize {
        self.data.offset
    }

    /// The cells, one a column as far as the row reaches; none of a malformed
    /// row.
    pub fn cells(&self) -> &'a [Cell<'t>] {
        self.table
            .cells
            .get(self.data.cells.clone())
            .unwrap_or_default()
    }

    /// The cell below `name`. `None` where there is no such column, where a
    /// short row does not reach it, and in a malformed row.
    pub fn cell(&self, name: &str) -> Option<Cell<'t>> {
        self.at(self.table.column(name)?)
    }

    /// The cell of the column with this index, under the same conditions.
    pub fn at(&self, column: usize) -> Option<Cell<'t>> {
        self.cells().get(column).copied()
    }
}

/// A count with thousands separators, `15,437`; may be negative. `None` for
/// `N/A` and whatever else is no whole number of at most 64 bits.
pub fn thousands(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut groups = digits.split(',');
    let first = groups.next()?;
    let is_number = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let separated = digits.len() > first.len();
    let valid = !first.is_empty()
        && is_number(first)
        && (!separated || first.len() <= 3)
        && groups.all(|group| group.len() == 3 && is_number(group));
    if !valid {
        return None;
    }
    if separated {
        text.replace(',', "").parse().ok()
    } else {
        text.parse().ok()
    }
}

/// The dash-ruled tables of `text`, in order. A table ends at a blank line, at
/// a line of dashes that closes it, and where the next one begins.
pub fn tables(text: &str) -> Tables<'_> {
    Tables {
        lines: lines(text),
        next: 0,
    }
}

/// The tables of `text` whose header is `header`, ruled or not: a filter like
/// `grep` may have taken the dashes away. A header that was cut, and so shows
/// only the first of the names (at least two), counts too. Rows are split at
/// runs of blanks, hence must have all cells filled.
pub fn headed_tables<'t>(text: &'t str, header: &[&str]) -> Vec<Table<'t>> {
    let lines = lines(text);
    let is_header = |line: &Line<'t>| header_columns(line.text, header);
    let mut tables: Vec<Table<'t>> = Vec::new();
    let mut inside = false;
    for (index, &line) in lines.iter().enumerate() {
        if let Some(cells) = is_header(&line) {
            inside = true;
            let above = index.checked_sub(1).and_then(|above| lines.get(above));
            let was_row = tables
                .last()
                .and_then(|table| table.rows.last())
                .is_some_and(|row| above.is_some_and(|above| row.offset == above.offset));
            tables.push(Table {
                title: above
                    .filter(|above| !was_row && !above.is_blank())
                    .map(|above| above.text.trim()),
                offset: line.offset,
                columns: cells.len(),
                header: cells.into_iter().map(Cow::Borrowed).collect(),
                cells: Vec::new(),
                rows: Vec::new(),
            });
        } else if line.is_blank() {
            inside = false;
        } else if inside
            && !line.is_rule()
            && let Some(table) = tables.last_mut()
        {
            let words = words(line);
            push_by_blanks(table, line, &words);
        }
    }
    tables
}

/// The cells of `line` if it is `header` or the beginning of it.
fn header_columns<'t>(line: &'t str, header: &[&str]) -> Option<Vec<&'t str>> {
    let mut rest = line.trim();
    let mut cells = Vec::new();
    for name in header {
        if rest.is_empty() {
            break;
        }
        rest.strip_prefix(name)
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))?;
        let (cell, after) = rest.split_at(name.len());
        cells.push(cell);
        rest = after.trim_start();
    }
    (rest.is_empty() && cells.len() >= header.len().min(2) && !cells.is_empty()).then_some(cells)
}

#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    offset: usize,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Equals signs below a heading.
    fn is_underline(&self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|b| b == b'=')
    }

    /// At least two groups of dashes and nothing else.
    fn is_rule(&self) -> bool {
        self.text.trim_start().starts_with('-')
            && self.text.bytes().all(|b| matches!(b, b'-' | b' ' | b'\t'))
            && (2..=MAX_COLUMNS).contains(&self.text.split_ascii_whitespace().count())
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n')
        .map(|whole| {
            let line = Line {
                text: whole.trim_end(),
                offset,
            };
            offset += whole.len();
            line
        })
        // A pager's prompt stood there: the table goes on.
        .filter(|line| !line.text.contains(PAGER_GAP))
        .collect()
}

/// A word, or a group of dashes: its columns on the screen and its bytes.
#[derive(Debug, Clone, Copy)]
struct Word {
    left: usize,
    right: usize,
    start: usize,
    end: usize,
}

/// The words of a line. Tabs go to every eighth column, as a terminal's do.
fn words(line: Line<'_>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut column = 0;
    let mut inside = false;
    for (at, c) in line.text.char_indices() {
        let width = if c == '\t' { 8 - column % 8 } else { 1 };
        if c == ' ' || c == '\t' {
            inside = false;
        } else {
            if !inside {
                words.push(Word {
                    left: column,
                    right: column,
                    start: at,
                    end: at,
                });
                inside = true;
            }
            if let Some(word) = words.last_mut() {
                word.right = column + 1;
                word.end = at + c.len_utf8();
            }
        }
        column += width;
    }
    words
}

fn cell<'t>(line: Line<'t>, words: &[Word]) -> Cell<'t> {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Cell {
            text: line.text.get(first.start..last.end).unwrap_or_default(),
            offset: line.offset + first.start,
        },
        _ => Cell {
            text: "",
            offset: line.offset,
        },
    }
}

/// How the words of a line lie on the columns.
enum Fit<'t> {
    /// All within their columns.
    Exact(Vec<Cell<'t>>),
    /// Some reach into the gap beside their column, none into another column.
    Overhanging(Vec<Cell<'t>>),
    /// A word touches two columns or none.
    Straddling,
}

fn fit<'t>(line: Line<'t>, words: &[Word], columns: &[Word]) -> Fit<'t> {
    let mut cells = Vec::with_capacity(columns.len());
    let mut rest = words;
    let mut exact = true;
    for (index, column) in columns.iter().enumerate() {
        let next_left = columns.get(index + 1).map_or(usize::MAX, |next| next.left);
        let count = rest
            .iter()
            .take_while(|word| word.left < column.right)
            .count();
        let (own, others) = rest.split_at(count);
        if own
            .iter()
            .any(|word| word.right <= column.left || word.right > next_left)
        {
            return Fit::Straddling;
        }
        exact &= own
            .iter()
            .all(|word| word.left >= column.left && word.right <= column.right);
        cells.push(cell(line, own));
        rest = others;
    }
    match rest {
        [] if exact => Fit::Exact(cells),
        [] => Fit::Overhanging(cells),
        _ => Fit::Straddling,
    }
}

fn push_row<'t>(table: &mut Table<'t>, line: Line<'t>, columns: &[Word]) {
    let words = words(line);
    match fit(line, &words, columns) {
        Fit::Exact(cells) => push_cells(table, line, cells),
        // One word a column: whatever was pushed aside, this is the order.
        _ if words.len() == table.columns => push_by_blanks(table, line, &words),
        Fit::Overhanging(cells) if !cells.iter().any(|cell| has_gap(cell.text)) => {
            push_cells(table, line, cells);
        }
        _ => push_by_blanks(table, line, &words),
    }
}

/// Two cells' text in one.
fn has_gap(text: &str) -> bool {
    text.contains("  ") || text.contains('\t')
}

fn push_cells<'t>(table: &mut Table<'t>, line: Line<'t>, cells: Vec<Cell<'t>>) {
    let filled = cells
        .iter()
        .rposition(|cell| !cell.text.is_empty())
        .map_or(0, |last| last + 1);
    let shape = if filled == table.columns {
        RowShape::Whole
    } else {
        RowShape::Short(filled)
    };
    table.push(line, shape, cells.into_iter().take(filled));
}

/// Splits a row by white space if that gives one word a column, else at runs
/// of blanks. A row of an unruled table that has fewer cells than columns is
/// short; of a ruled one it is malformed, for which are missing is not known.
fn push_by_blanks<'t>(table: &mut Table<'t>, line: Line<'t>, words: &[Word]) {
    if words.len() == table.columns {
        let cells = words.chunks(1).map(|word| cell(line, word)).collect();
        return push_cells(table, line, cells);
    }
    let cells: Vec<Cell<'t>> = words
        .chunk_by(|a, b| b.left - a.right < 2)
        .map(|group| cell(line, group))
        .collect();
    let left_aligned = words.first().is_some_and(|word| word.left == 0);
    let cut = cells.len() < table.columns && cells.len() == words.len() && left_aligned;
    if cells.len() == table.columns || cut && words.len() > 1 {
        push_cells(table, line, cells);
    } else {
        table.push(line, RowShape::Malformed, []);
    }
}

/// Iterator over the dash-ruled tables of a text.
#[derive(Debug, Clone)]
pub struct Tables<'t> {
    lines: Vec<Line<'t>>,
    next: usize,
}

/// Where the parts of a table lie, as indices of lines.
struct Layout<'t> {
    columns: Vec<Word>,
    /// First line of title, header or dashes, whichever comes first.
    begin: usize,
    title: Option<&'t str>,
    header: std::ops::Range<usize>,
    rule: usize,
}

impl<'t> Tables<'t> {
    fn line(&self, index: usize) -> Option<Line<'t>> {
        self.lines.get(index).copied()
    }

    /// Looks for the next line of dashes from `from` on, and for the header
    /// and title above it, which do not reach above `from`. The header has at
    /// most `height` lines.
    fn layout(&self, from: usize, height: usize) -> Option<Layout<'t>> {
        let rule = (from..self.lines.len())
            .find(|&index| self.line(index).is_some_and(|line| line.is_rule()))?;
        let columns = words(self.line(rule)?);
        let above = |index: usize| {
            let index = index.checked_sub(1).filter(|&index| index >= from)?;
            self.line(index).filter(|line| !line.is_blank())
        };
        let mut first = rule;
        if let Some(line) = above(rule)
            && header_cells(line, &columns)
                .is_some_and(|cells| cells.iter().filter(|cell| !cell.text.is_empty()).count() > 1)
        {
            first -= 1;
            // The upper lines of a header name more than the first column.
            while rule - first < height
                && let Some(line) = above(first)
                && header_cells(line, &columns)
                    .is_some_and(|cells| cells.iter().skip(1).any(|cell| !cell.text.is_empty()))
            {
                first -= 1;
            }
        }
        let mut begin = first;
        if above(begin).is_some_and(|line| line.is_underline()) {
            begin -= 1;
        }
        let title = above(begin).map(|line| line.text.trim());
        Some(Layout {
            columns,
            begin: begin - usize::from(title.is_some()),
            title,
            header: first..rule,
            rule,
        })
    }

    fn read(&self, layout: &Layout<'t>) -> (Table<'t>, usize) {
        let mut header: Vec<Cow<'t, str>> = Vec::new();
        for line in layout.header.clone().filter_map(|index| self.line(index)) {
            let cells = header_cells(line, &layout.columns).unwrap_or_default();
            header.resize(layout.columns.len(), Cow::Borrowed(""));
            for (name, cell) in header.iter_mut().zip(cells) {
                if name.is_empty() {
                    *name = Cow::Borrowed(cell.text);
                } else if !cell.text.is_empty() {
                    *name = Cow::Owned(format!("{name} {}", cell.text));
                }
            }
        }
        let mut table = Table {
            title: layout.title,
            header,
            offset: self.line(layout.header.start).map_or(0, |line| line.offset),
            columns: layout.columns.len(),
            cells: Vec::new(),
            rows: Vec::new(),
        };
        let mut index = layout.rule + 1;
        while let Some(line) = self.line(index) {
            if line.is_blank() {
                break;
            }
            if line.is_rule() {
                self.give_back(&mut table, layout, &mut index);
                break;
            }
            if line.is_underline() {
                // The line above is the heading of what follows.
                table.rows.pop();
                index -= 1;
                break;
            }
            index += 1;
            push_row(&mut table, line, &layout.columns);
        }
        (table, index)
    }

    /// At a second line of dashes: it closes the table if it is the same as
    /// the first and the line above it is a row; else the lines above it are
    /// the title and header of the next table, not rows of this one. Only one
    /// of them is the header's, since a row looks like a header's upper line.
    fn give_back(&self, table: &mut Table<'t>, layout: &Layout<'t>, index: &mut usize) {
        let text = |index: usize| self.line(index).map(|line| line.text);
        let same = text(*index) == text(layout.rule);
        let header = layout.header.clone().last().and_then(text);
        let repeated = header.is_some() && index.checked_sub(1).and_then(text) == header;
        let ends = self.line(*index + 1).is_none_or(|line| line.is_blank());
        if same && !repeated && (ends || table.header.is_empty()) {
            *index += 1;
            return;
        }
        let Some(next) = self.layout(layout.rule + 1, 1) else {
            return;
        };
        let mut begin = next.begin;
        let title_is_row = next.title.is_some()
            && begin
                .checked_sub(layout.rule + 1)
                .and_then(|row| table.rows.get(row))
                .is_some_and(|row| row.shape == RowShape::Whole);
        if title_is_row {
            begin += 1;
        }
        table.rows.truncate(begin.saturating_sub(layout.rule + 1));
        *index = begin;
    }
}

/// The cells of a header's line. A header lies on the columns exactly, since
/// the dashes are at least as wide; what does not is a title. A first line
/// whose indentation was lost in pasting is moved back to the right.
fn header_cells<'t>(line: Line<'t>, columns: &[Word]) -> Option<Vec<Cell<'t>>> {
    let mut words = words(line);
    if let Fit::Exact(cells) = fit(line, &words, columns) {
        return Some(cells);
    }
    words.first().filter(|first| first.left == 0)?;
    let lost = columns.last()?.right.checked_sub(words.last()?.right)?;
    for word in &mut words {
        word.left += lost;
        word.right += lost;
    }
    match fit(line, &words, columns) {
        Fit::Exact(cells) if cells.iter().all(|cell| !cell.text.is_empty()) => Some(cells),
        _ => None,
    }
}

impl<'t> Iterator for Tables<'t> {
    type Item = Table<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let layout = self.layout(self.next, 3)?;
        let (table, end) = self.read(&layout);
        self.next = end.max(layout.rule + 1);
        Some(table)
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
