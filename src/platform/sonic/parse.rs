//! Captures → tables of CONFIG_DB.
//!
//! Four spellings give the same tables: nested (`{"TABLE": {"KEY": {…}}}`),
//! flat as redis dumps it (`{"TABLE|KEY": {…}}`), nested once more by ASIC
//! (`{"localhost": …, "asic0": …}`), and the text of some `show` commands.
//! Each ASIC has a database of its own; captures of one ASIC are joined.

use crate::model::Origin;
use crate::platform::text::json::{Document, Entries, JsonErrorKind, Kind, Node};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The tables that are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // each is named as its table
pub enum Table {
    DeviceMetadata,
    Versions,
    Port,
    PortQosMap,
    DscpToTc,
    Dot1pToTc,
    TcToQueue,
    TcToPg,
    PfcToQueue,
    PfcToPg,
    TcToDscp,
    Queue,
    Scheduler,
    WredProfile,
    BufferPool,
    BufferProfile,
    BufferPg,
    BufferQueue,
    CableLength,
    LosslessParameter,
    PfcWatchdog,
    Neighbor,
}

/// Tables that say nothing of a port's priorities, queues or buffers that
/// is read here, though their names sound like it.
const PASSED_OVER: &[&str] = &[
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "TC_TO_DOT1P_MAP",
    "DSCP_TO_FC_MAP",
    "EXP_TO_FC_MAP",
    "MPLS_TC_TO_TC_MAP",
    "PORT_STORM_CONTROL",
];

impl Table {
    const COUNT: usize = Table::Neighbor as usize + 1;

    /// The table's name in CONFIG_DB.
    pub fn name(self) -> &'static str {
        match self {
            Table::DeviceMetadata => "DEVICE_METADATA",
            Table::Versions => "VERSIONS",
            Table::Port => "PORT",
            Table::PortQosMap => "PORT_QOS_MAP",
            Table::DscpToTc => "DSCP_TO_TC_MAP",
            Table::Dot1pToTc => "DOT1P_TO_TC_MAP",
            Table::TcToQueue => "TC_TO_QUEUE_MAP",
            Table::TcToPg => "TC_TO_PRIORITY_GROUP_MAP",
            Table::PfcToQueue => "MAP_PFC_PRIORITY_TO_QUEUE",
            Table::PfcToPg => "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
            Table::TcToDscp => "TC_TO_DSCP_MAP",
            Table::Queue => "QUEUE",
            Table::Scheduler => "SCHEDULER",
            Table::WredProfile => "WRED_PROFILE",
            Table::BufferPool => "BUFFER_POOL",
            Table::BufferProfile => "BUFFER_PROFILE",
            Table::BufferPg => "BUFFER_PG",
            Table::BufferQueue => "BUFFER_QUEUE",
            Table::CableLength => "CABLE_LENGTH",
            Table::LosslessParameter => "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
            Table::PfcWatchdog => "PFC_WD",
            Table::Neighbor => "DEVICE_NEIGHBOR",
        }
    }

    fn from_name(name: &str) -> Option<Table> {
        Some(match name {
            "DEVICE_METADATA" => Table::DeviceMetadata,
            "VERSIONS" => Table::Versions,
            "PORT" => Table::Port,
            "PORT_QOS_MAP" => Table::PortQosMap,
            "DSCP_TO_TC_MAP" => Table::DscpToTc,
            "DOT1P_TO_TC_MAP" => Table::Dot1pToTc,
            "TC_TO_QUEUE_MAP" => Table::TcToQueue,
            "TC_TO_PRIORITY_GROUP_MAP" => Table::TcToPg,
            // The second spelling is that of APPL_DB and of the management model.
            "MAP_PFC_PRIORITY_TO_QUEUE" | "PFC_PRIORITY_TO_QUEUE_MAP" => Table::PfcToQueue,
            "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP" => Table::PfcToPg,
            "TC_TO_DSCP_MAP" => Table::TcToDscp,
            "QUEUE" => Table::Queue,
            "SCHEDULER" => Table::Scheduler,
            "WRED_PROFILE" => Table::WredProfile,
            "BUFFER_POOL" => Table::BufferPool,
            "BUFFER_PROFILE" => Table::BufferProfile,
            "BUFFER_PG" => Table::BufferPg,
            "BUFFER_QUEUE" => Table::BufferQueue,
            "CABLE_LENGTH" => Table::CableLength,
            "DEFAULT_LOSSLESS_BUFFER_PARAMETER" => Table::LosslessParameter,
            "PFC_WD" | "PFC_WD_TABLE" => Table::PfcWatchdog,
            "DEVICE_NEIGHBOR" => Table::Neighbor,
            _ => return None,
        })
    }

    /// Whether it holds quality-of-service settings.
    fn is_qos(self) -> bool {
        !matches!(
            self,
            Table::DeviceMetadata | Table::Versions | Table::Port | Table::Neighbor
        )
    }
}

/// One field of a row.
#[derive(Clone, Debug)]
pub struct Field<'d> {
    /// Its name.
    pub name: Cow<'d, str>,
    /// Its value; `None` for anything but a string, a number or a boolean.
    pub value: Option<Cow<'d, str>>,
    /// Where the value stands.
    pub at: Origin,
}

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Row<'d> {
    /// Its key without the table's name.
    pub key: Cow<'d, str>,
    /// Where the key stands.
    pub at: Origin,
    /// False where the text ends within the row.
    pub complete: bool,
    body: Body<'d>,
}

#[derive(Clone, Debug)]
enum Body<'d> {
    Json(Node<'d>, u32, u32),
    Text(Vec<Field<'d>>),
}

impl<'d> Row<'d> {
    /// A row that a `show` command printed.
    pub fn shown(key: String, at: Origin, fields: Vec<Field<'d>>) -> Self {
        Row {
            key: Cow::Owned(key),
            at,
            complete: true,
            body: Body::Text(fields),
        }
    }

    /// Whether a `show` command printed it.
    pub fn is_shown(&self) -> bool {
        matches!(self.body, Body::Text(_))
    }

    /// Its fields in the order of the text.
    pub fn fields(&self) -> Fields<'_, 'd> {
        match &self.body {
            Body::Json(node, capture, base) => Fields::Json(node.entries(), *capture, *base),
            Body::Text(fields) => Fields::Text(fields.iter()),
        }
    }

    /// The field with this name; of duplicates the last, as on the device.
    pub fn get(&self, name: &str) -> Option<Field<'d>> {
        self.fields().filter(|field| field.name == name).last()
    }
}

/// Iterator over the fields of a row.
pub enum Fields<'r, 'd> {
    #[doc(hidden)]
    Json(Entries<'d>, u32, u32),
    #[doc(hidden)]
    Text(std::slice::Iter<'r, Field<'d>>),
}

impl<'d> Iterator for Fields<'_, 'd> {
    type Item = Field<'d>;

    fn next(&mut self) -> Option<Field<'d>> {
        match self {
            Fields::Json(entries, capture, base) => entries.next().map(|(key, node)| Field {
                name: key.text(),
                value: node.text(),
                at: origin(*capture, *base, node.offset()),
            }),
            Fields::Text(fields) => fields.next().cloned(),
        }
    }
}

/// The tables of one ASIC.
#[derive(Debug)]
pub struct Database<'d> {
    /// `asic0`; empty for the host, and on a switch of one ASIC.
    pub asic: String,
    /// The text of one of its documents ends in the middle: what is absent
    /// is unknown then.
    pub cut: bool,
    rows: [Vec<Row<'d>>; Table::COUNT],
    present: [bool; Table::COUNT],
    /// A document holds a table of quality-of-service settings.
    qos: bool,
    /// The keys of tables that `show` commands add to.
    keys: HashMap<Table, HashSet<String>>,
}

impl<'d> Database<'d> {
    /// Without tables yet.
    pub fn new(asic: &str) -> Self {
        Database {
            asic: asic.to_owned(),
            cut: false,
            rows: Default::default(),
            present: [false; Table::COUNT],
            qos: false,
            keys: HashMap::new(),
        }
    }

    /// The rows of a table.
    pub fn rows(&self, table: Table) -> &[Row<'d>] {
        &self.rows[table as usize]
    }

    /// The first row of a table with this key.
    pub fn row(&self, table: Table, key: &str) -> Option<&Row<'d>> {
        self.rows(table).iter().find(|row| row.key == key)
    }

    /// Whether the table stands there at all, even without rows.
    pub fn has(&self, table: Table) -> bool {
        self.present[table as usize]
    }

    /// Whether it is a whole configuration, so that an absent table means
    /// that nothing is configured. A rendered `qos.json` alone is not.
    pub fn is_whole(&self) -> bool {
        let port = self.has(Table::Port);
        let metadata = self.has(Table::DeviceMetadata);
        !self.cut && ((port || metadata) && self.qos || port && metadata)
    }

    /// Whether what is not in this table is known to be not configured.
    pub fn speaks_of(&self, table: Table) -> bool {
        !self.cut && (self.has(table) || self.is_whole())
    }

    fn mark(&mut self, table: Table) {
        self.present[table as usize] = true;
        self.qos |= table.is_qos();
    }

    fn add(&mut self, table: Table, row: Row<'d>) {
        self.mark(table);
        self.rows[table as usize].push(row);
    }

    /// Adds a row that a `show` command printed, unless the configuration
    /// holds it.
    pub fn add_shown(&mut self, table: Table, row: Row<'d>) {
        let rows = &mut self.rows[table as usize];
        let keys = self.keys.entry(table).or_insert_with(|| {
            let keys = rows.iter().map(|row| row.key.clone().into_owned());
            keys.collect()
        });
        let new = keys.insert(row.key.clone().into_owned());
        // What the switch computed for a pool completes its configuration.
        if new || table == Table::BufferPool {
            rows.push(row);
        }
    }

    /// Marks a table as printed to its end, though it may have no rows.
    pub fn mark_shown(&mut self, table: Table) {
        self.present[table as usize] = true;
    }
}

/// Something in a document that could not be read.
#[derive(Debug)]
pub enum Trouble {
    /// The text breaks off or breaks the grammar here.
    Broken(JsonErrorKind, Origin),
    /// A table of this name is not known.
    Unknown(String, Origin),
    /// A row or table that is no object.
    Shape(String, Origin),
}

/// A document and where it was found.
pub struct Source<'t> {
    /// Index of its capture.
    pub capture: usize,
    /// Byte at which the JSON begins in the capture.
    pub base: usize,
    /// What people call the capture.
    pub name: &'t str,
    /// The JSON.
    pub document: Document<'t>,
}

impl<'t> Source<'t> {
    /// Reads the JSON of a capture, from the first line that opens it on.
    pub fn read(capture: usize, name: &'t str, text: &'t str) -> Option<Self> {
        let base = json_start(text)?;
        Some(Source {
            capture,
            base,
            name,
            document: Document::parse(text.get(base..)?),
        })
    }
}

/// Where JSON begins: at the first brace that opens a line. Warnings may
/// stand above it.
pub fn json_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let blanks = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
    if bytes.get(blanks) == Some(&b'{') {
        return Some(blanks);
    }
    memmem::find(bytes, b"\n{").map(|at| at + 1)
}

/// Joins the tables of all documents, one database an ASIC.
pub fn databases<'d>(sources: &'d [Source<'d>]) -> (Vec<Database<'d>>, Vec<Trouble>) {
    let mut reader = Reader::default();
    for source in sources {
        reader.source(source);
    }
    (reader.databases, reader.troubles)
}

#[derive(Default)]
struct Reader<'d> {
    databases: Vec<Database<'d>>,
    troubles: Vec<Trouble>,
    capture: u32,
    base: u32,
}

impl<'d> Reader<'d> {
    fn source(&mut self, source: &'d Source<'d>) {
        self.capture = source.capture as u32;
        self.base = source.base as u32;
        let mut cut = false;
        if let Some(error) = source.document.error() {
            // A prompt that follows the JSON takes nothing away from it.
            if error.kind != JsonErrorKind::TrailingText {
                cut = true;
                let at = self.origin(error.offset);
                self.troubles.push(Trouble::Broken(error.kind, at));
            }
        }
        let Some(root) = source.document.root() else {
            return;
        };
        let mut by_asic = false;
        for (key, node) in root.entries() {
            let name = key.text();
            if node.kind() == Kind::Object && is_asic(&name) {
                by_asic = true;
                let asic = if name == "localhost" { "" } else { &*name };
                self.tables(node, asic, !node.complete());
            }
        }
        if !by_asic {
            let asic = asic_of(root).or_else(|| asic_of_file(source.name).map(Cow::Owned));
            self.tables(root, asic.as_deref().unwrap_or_default(), cut);
        }
    }

    fn origin(&self, offset: u32) -> Origin {
        origin(self.capture, self.base, offset)
    }

    fn tables(&mut self, node: Node<'d>, asic: &str, cut: bool) {
        let found = self.databases.iter().position(|db| db.asic == asic);
        let n = found.unwrap_or_else(|| {
            self.databases.push(Database::new(asic));
            self.databases.len() - 1
        });
        let (capture, base) = (self.capture, self.base);
        let Some(database) = self.databases.get_mut(n) else {
            return;
        };
        database.cut |= cut;
        let row = |key: Cow<'d, str>, at: u32, node: Node<'d>| Row {
            key,
            at: origin(capture, base, at),
            complete: node.complete(),
            body: Body::Json(node, capture, base),
        };
        for (key, value) in node.entries() {
            let text = key.text();
            let at = origin(capture, base, key.offset());
            let (name, flat) = match &text {
                Cow::Borrowed(text) => match text.split_once('|') {
                    Some((name, rest)) => (Cow::Borrowed(name), Some(Cow::Borrowed(rest))),
                    None => (Cow::Borrowed(*text), None),
                },
                Cow::Owned(text) => match text.split_once('|') {
                    Some((name, rest)) => (
                        Cow::Owned(name.to_owned()),
                        Some(Cow::Owned(rest.to_owned())),
                    ),
                    None => (Cow::Owned(text.clone()), None),
                },
            };
            let Some(table) = Table::from_name(&name) else {
                if sounds_like_qos(&name) && !PASSED_OVER.contains(&&*name) {
                    self.troubles.push(Trouble::Unknown(name.into_owned(), at));
                }
                continue;
            };
            if value.kind() != Kind::Object {
                if table.is_qos() {
                    self.troubles.push(Trouble::Shape(text.into_owned(), at));
                }
                continue;
            }
            if let Some(rest) = flat {
                database.add(table, row(rest, key.offset(), value));
                continue;
            }
            database.mark(table);
            let rows = &mut database.rows[table as usize];
            for (key, value) in value.entries() {
                if value.kind() == Kind::Object {
                    rows.push(row(key.text(), key.offset(), value));
                } else if table.is_qos() {
                    let at = origin(capture, base, key.offset());
                    let text = format!("{name}|{}", key.text());
                    self.troubles.push(Trouble::Shape(text, at));
                }
            }
        }
    }
}

fn origin(capture: u32, base: u32, offset: u32) -> Origin {
    Origin::new(capture as usize, base as usize + offset as usize)
}

/// `localhost` or `asic` and a number: a level above the tables.
fn is_asic(name: &str) -> bool {
    name == "localhost"
        || name
            .strip_prefix("asic")
            .is_some_and(|n| (1..=2).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The ASIC that a document says it belongs to.
fn asic_of<'d>(root: Node<'d>) -> Option<Cow<'d, str>> {
    let row = root.entries().find_map(|(key, node)| match &*key.text() {
        "DEVICE_METADATA" => node.get("localhost"),
        "DEVICE_METADATA|localhost" => Some(node),
        _ => None,
    })?;
    let asic = row.get("asic_name")?.str()?;
    // The files themselves spell it in both cases.
    match asic.to_ascii_lowercase() {
        lower if is_asic(&lower) => Some(Cow::Owned(lower)),
        _ => None,
    }
}

/// The ASIC in a file name: `config_db1.json` is that of `asic1`.
fn asic_of_file(name: &str) -> Option<String> {
    let file = name.rsplit(['/', '\\']).next()?;
    let number = file.strip_prefix("config_db")?.strip_suffix(".json")?;
    let digits = (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| format!("asic{number}"))
}

/// Whether a table that is not known would matter if it were.
fn sounds_like_qos(name: &str) -> bool {
    ["PFC", "WRED", "BUFFER_", "QOS_", "QUEUE_", "SCHEDULER_"]
        .iter()
        .any(|start| name.starts_with(start))
        || [
            "_TO_TC_MAP",
            "_TO_QUEUE_MAP",
            "_QOS_MAP",
            "_TO_PRIORITY_GROUP_MAP",
        ]
        .iter()
        .any(|end| name.ends_with(end))
}

/// A reference to a row, in either spelling: `AZURE` or `[TABLE|AZURE]`.
#[derive(Clone, Debug)]
pub struct Reference<'v> {
    /// The name of the row.
    pub name: &'v str,
    /// The table's name, where the spelling with brackets gives it.
    pub table: Option<&'v str>,
}

/// Reads a reference.
pub fn reference(value: &str) -> Reference<'_> {
    let value = value.trim_ascii();
    let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
    match inner.map(|inner| inner.split_once(['|', ':']).unwrap_or(("", inner))) {
        Some((table, name)) => Reference {
            name,
            table: Some(table),
        },
        None => Reference {
            name: value,
            table: None,
        },
    }
}

/// The ports of a key before its last part, and the numbers of that part:
/// `Ethernet0,Ethernet4|3-4`. A key of a VOQ chassis has host and ASIC in front.
#[derive(Debug)]
pub struct PortKey<'k> {
    /// The name of another line card, where the key has one.
    pub host: Option<&'k str>,
    /// The ports, separated by commas.
    pub ports: &'k str,
    /// Queues or priority groups.
    pub first: u8,
    /// The last of them.
    pub last: u8,
}

/// Reads the key of a queue or a priority group; `None` where it is none.
pub fn port_key(key: &str) -> Option<PortKey<'_>> {
    let bar = memchr::memrchr(b'|', key.as_bytes())?;
    let (ports, numbers) = (key.get(..bar)?, key.get(bar + 1..)?);
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let number = |text: &str| text.parse().ok().filter(|n: &u8| *n < 64);
    let (first, last) = (number(first)?, number(last)?);
    let (host, ports) = match ports.split_once('|') {
        Some((host, rest)) => (Some(host), rest.rsplit('|').next().unwrap_or(rest)),
        None => (None, ports),
    };
    (first <= last).then_some(PortKey {
        host,
        ports,
        first,
        last,
    })
}
