//! The PCIe link of a card: `lspci -vv`, the kernel's log, `mlxlink`.

use super::{Evidence, Input, Part, Statements, Subject, leading_number, mlxconfig, pci_address};
use crate::model::{Fact, Origin, Pcie};
use crate::platform::linux::defaults;

/// Whether the text is of `lspci`.
pub fn recognise_lspci(text: &str) -> bool {
    super::lines(text).any(|(_, line)| heading(line).is_some())
}

/// `3b:00.0 Ethernet controller: …`: address, class, name.
fn heading(line: &str) -> Option<(&str, &str, &str)> {
    let (address, rest) = line.split_once(' ')?;
    pci_address(address)?;
    let (class, name) = rest.split_once(": ")?;
    let word = |c: char| c.is_ascii_alphanumeric() || " -/[]()".contains(c);
    (class.len() < 60 && class.starts_with(char::is_alphanumeric) && class.chars().all(word))
        .then_some((address, class, name))
}

/// A function of the listing.
struct Function<'a> {
    address: &'a str,
    class: &'a str,
    name: &'a str,
    at: Origin,
    link: Pcie,
    driver: Option<Fact<String>>,
    denied: Option<Origin>,
    /// Buses behind a bridge, first and last.
    buses: Option<(u8, u8)>,
    /// Whether requests between devices are sent up (ACSCtl: ReqRedir).
    acs: Option<Fact<bool>>,
}

impl Function<'_> {
    fn is_nic(&self) -> bool {
        matches!(
            self.class,
            "Ethernet controller" | "Infiniband controller" | "Network controller"
        ) || self.class.starts_with("Ethernet controller")
            || self.class.starts_with("Infiniband controller")
    }

    fn is_gpu(&self) -> bool {
        let graphics = [
            "3D controller",
            "VGA compatible controller",
            "Display controller",
        ];
        let graphics = graphics.iter().any(|class| self.class.starts_with(class));
        let accelerator = self.class.starts_with("Processing accelerators");
        let maker = ["NVIDIA", "Advanced Micro Devices"];
        (graphics || accelerator) && maker.iter().any(|maker| self.name.contains(maker))
    }

    /// Domain and bus.
    fn place(&self) -> Option<(String, u8)> {
        let full = pci_address(self.address)?;
        let (domain, rest) = full.split_once(':')?;
        let bus = u8::from_str_radix(rest.split(':').next()?, 16).ok()?;
        Some((domain.to_owned(), bus))
    }
}

/// Reads the links of NICs, the bridges above them, and whether there are GPUs.
pub fn lspci(input: &Input<'_>, out: &mut Statements) {
    let mut functions: Vec<Function<'_>> = Vec::new();
    for (offset, line) in input.lines() {
        if let Some((address, class, name)) = heading(line) {
            if functions.len() >= MOST {
                break;
            }
            functions.push(Function {
                address,
                class,
                name,
                at: input.at(offset),
                link: Pcie::default(),
                driver: None,
                denied: None,
                buses: None,
                acs: None,
            });
        } else if let Some(function) = functions.last_mut() {
            let at = input.at(offset + (line.len() - line.trim_start().len()));
            detail(line.trim(), at, function);
        }
    }
    let gpu = functions.iter().find(|function| function.is_gpu());
    let gpu = gpu.map(|function| Fact::explicit(true, function.at));
    let bridges: Vec<_> = functions
        .iter()
        .filter_map(|bridge| Some((bridge.place()?.0, bridge.buses?, &bridge.acs)))
        .collect();
    for function in functions.iter().filter(|function| function.is_nic()) {
        let evidence = match function.driver.as_ref().and_then(Fact::value) {
            Some(driver) if driver.starts_with("mlx5") => Evidence::Possible,
            _ => Evidence::None,
        };
        let mut part = Part::new(Subject::pci(function.address), evidence);
        let nic = part.nic();
        if let Some(driver) = &function.driver {
            nic.driver.clone_from(driver);
        }
        // A virtual function has no link of its own.
        if !function.name.contains("Virtual Function") {
            nic.pcie = function.link.clone();
            if let Some(at) = function.denied {
                for fact in [&mut nic.pcie.width, &mut nic.pcie.width_max] {
                    *fact = Fact::unknown_at(&defaults::LSPCI_OF_ROOT, at);
                }
            }
            if let Some(gpu) = &gpu {
                nic.pcie.gpus = gpu.clone();
            }
            if let Some((domain, bus)) = function.place() {
                nic.pcie.acs = acs_above(&bridges, &domain, bus);
            }
        }
        out.push(part);
    }
}

/// More functions than a host has.
const MOST: usize = 4096;

fn detail(line: &str, at: Origin, function: &mut Function<'_>) {
    if line.contains("<access denied>") {
        function.denied = Some(at);
    } else if let Some(link) = line.strip_prefix("LnkCap:") {
        (function.link.speed_max_mtps, function.link.width_max) = link_of(link, at);
    } else if let Some(link) = line.strip_prefix("LnkSta:") {
        (function.link.speed_mtps, function.link.width) = link_of(link, at);
    } else if let Some(driver) = line.strip_prefix("Kernel driver in use:") {
        function.driver = Some(Fact::explicit(driver.trim().to_owned(), at));
    } else if let Some(buses) = line.strip_prefix("Bus:") {
        let number = |key: &str| {
            let rest = buses.split_once(key)?.1;
            u8::from_str_radix(rest.get(..2)?, 16).ok()
        };
        function.buses = number("secondary=").zip(number("subordinate="));
    } else if let Some(control) = line.strip_prefix("ACSCtl:") {
        let redirects = control
            .split_whitespace()
            .find(|word| word.starts_with("ReqRedir"));
        function.acs = redirects.map(|word| Fact::explicit(word.ends_with('+'), at));
    }
}

/// `Port #0, Speed 32GT/s, Width x16, …`.
fn link_of(text: &str, at: Origin) -> (Fact<u32>, Fact<u8>) {
    let after = |key: &str| text.split_once(key).map(|(_, rest)| rest);
    let speed = after("Speed ").and_then(speed);
    let width = after("Width x").and_then(|rest| u8::try_from(leading_number(rest)?).ok());
    (
        speed
            .map(|speed| Fact::explicit(speed, at))
            .unwrap_or_default(),
        width
            .filter(|width| *width > 0)
            .map(|width| Fact::explicit(width, at))
            .unwrap_or_default(),
    )
}

/// `16GT/s`, `2.5 GT/s PCIe`, `16G-Gen 4`: millions of transfers a second.
pub fn speed(text: &str) -> Option<u32> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let giga = unit.starts_with("GT/s") || unit.starts_with("G-Gen");
    let (whole, tenths) = number.split_once('.').unwrap_or((number, "0"));
    let tenths: u32 = tenths.get(..1)?.parse().ok()?;
    let whole: u32 = whole.parse().ok().filter(|whole| *whole < 1000)?;
    giga.then_some(whole * 1000 + tenths * 100)
}

/// A bridge: its domain, the buses below it, and what its ACS capability says,
/// if it has one.
type Bridge<'c> = (String, (u8, u8), &'c Option<Fact<bool>>);

/// Whether a bridge between the root and this bus redirects; unknown where the
/// listing shows no bridge there.
fn acs_above(bridges: &[Bridge<'_>], domain: &str, bus: u8) -> Fact<bool> {
    let above = bridges
        .iter()
        .filter(|(own, (first, last), _)| own == domain && (*first..=*last).contains(&bus));
    let mut acs = Fact::default();
    for (_, _, control) in above {
        match control {
            Some(fact) if fact.get() == Some(true) => return fact.clone(),
            Some(fact) => acs = fact.clone(),
            // A bridge without the capability redirects nothing.
            None => {}
        }
    }
    acs
}

/// Whether the kernel's log tells of PCIe links.
pub fn recognise_log(text: &str) -> bool {
    text.contains(" available PCIe bandwidth")
}

/// Drivers of NICs with RDMA.
const DRIVERS: &[&str] = &["mlx5_core", "bnxt_en", "ice", "ionic"];

/// Reads the kernel's log: `mlx5_core 0000:3b:00.0: 63.008 Gb/s available PCIe
/// bandwidth, limited by 8.0 GT/s PCIe x8 link at … (capable of … with 8.0 GT/s
/// PCIe x16 link)` (`pcie_print_link_status`).
pub fn log(input: &Input<'_>, out: &mut Statements) {
    for (offset, line) in input.lines() {
        let Some((before, rest)) = line.split_once(" available PCIe bandwidth") else {
            continue;
        };
        let mut words = before.split_whitespace().rev().skip(2);
        let (address, driver) = (words.next(), words.next());
        let (Some(address), Some(driver)) = (address.map(|a| a.trim_end_matches(':')), driver)
        else {
            continue;
        };
        let subject = Subject::pci(address);
        if !DRIVERS.contains(&driver) || subject.is_empty() {
            continue;
        }
        let at = input.at(offset);
        let mut part = Part::new(subject, Evidence::Possible);
        part.nic().driver = Fact::explicit(driver.to_owned(), at);
        let link = |text: &str| {
            let (speed_text, width) = text.split_once(" PCIe x")?;
            Some((
                speed(speed_text)?,
                u8::try_from(leading_number(width)?).ok()?,
            ))
        };
        let limited = rest
            .split_once("limited by ")
            .and_then(|(_, rest)| link(rest));
        let capable = match limited {
            Some(_) => rest.split_once(" with ").and_then(|(_, rest)| link(rest)),
            None => link(rest.trim_start_matches([' ', '('])),
        };
        let Some((speed_max, width_max)) = capable else {
            continue;
        };
        let (speed, width) = limited.unwrap_or((speed_max, width_max));
        part.nic().pcie = Pcie {
            width: Fact::explicit(width, at),
            width_max: Fact::explicit(width_max, at),
            speed_mtps: Fact::explicit(speed, at),
            speed_max_mtps: Fact::explicit(speed_max, at),
            ..Pcie::default()
        };
        out.push(part);
    }
}

/// Whether the text is of `mlxlink --port_type PCIE`.
pub fn recognise_mlxlink(text: &str) -> bool {
    text.contains("Link Width Active (Enabled)")
}

/// Reads `mlxlink -d DEV --port_type PCIE`: active, and in brackets what the
/// card has enabled.
pub fn mlxlink(input: &Input<'_>, out: &mut Statements) {
    let device = input.option(&["-d", "--device"]).map(mlxconfig::device);
    let mut part = Part::new(device.unwrap_or_default(), Evidence::Rdma);
    let pcie = &mut part.nic().pcie;
    for pair in crate::platform::text::keyvalue::pairs(input.text) {
        let at = input.at(pair.offset);
        let Some((active, enabled)) = pair.value.split_once('(') else {
            continue;
        };
        let width = |text: &str| u8::try_from(leading_number(text)?).ok();
        match pair.key {
            "Link Width Active (Enabled)" => {
                let (active, enabled) = (width(active), width(enabled));
                set(&mut pcie.width, active, at);
                set(&mut pcie.width_max, enabled, at);
            }
            "Link Speed Active (Enabled)" => {
                set(&mut pcie.speed_mtps, speed(active), at);
                set(&mut pcie.speed_max_mtps, speed(enabled), at);
            }
            _ => {}
        }
    }
    out.push(part);
}

fn set<T>(fact: &mut Fact<T>, value: Option<T>, at: Origin) {
    if let Some(value) = value {
        *fact = Fact::explicit(value, at);
    }
}
