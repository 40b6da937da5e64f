//! What `qos roce` implies in each of its modes.

use super::config::{Config, Mode};
use super::defaults;
use crate::model::{Origin, Reason};

/// What `qos roce` is on this switch.
#[derive(Clone, Copy)]
pub enum Roce {
    /// Not set, or switched off.
    Off,
    /// In this mode, by this line.
    On(Mode, Origin),
    /// It can't be told, and why.
    Unknown(&'static Reason, Origin),
}

/// The switch priority of RoCE, which is also its traffic class.
const DATA: u8 = 3;
/// The switch priority of CNPs, which is also their traffic class.
const CNP: u8 = 6;

/// How a traffic class is served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    /// Before all others.
    Strict,
    /// By this weight.
    Weight(u32),
    /// `qos roce` does not say.
    NotSaid,
}

impl Roce {
    /// As the configuration sets it.
    pub fn of(config: &Config) -> Self {
        let roce = &config.roce;
        let Some(first) = roce.at else {
            return match config.partial {
                true => Roce::Unknown(&defaults::PARTIAL, Origin::NONE),
                false => Roce::Off,
            };
        };
        let at = match (&roce.mode, &roce.enabled) {
            (Some(mode), _) => mode.at,
            (None, Some(enabled)) => enabled.at,
            (None, None) => first,
        };
        match (&roce.enabled, &roce.mode) {
            (Some(enabled), _) if enabled.value == Some(false) => Roce::Off,
            (Some(enabled), _) if enabled.value.is_none() => {
                Roce::Unknown(&defaults::UNREADABLE, enabled.at)
            }
            (_, None) => Roce::On(Mode::Lossless, at),
            (_, Some(mode)) => match mode.value {
                Some(mode) => Roce::On(mode, at),
                None => Roce::Unknown(&defaults::ROCE_MODE, at),
            },
        }
    }

    /// Whether it gives PFC to the RoCE priority.
    pub fn is_lossless(self) -> bool {
        matches!(
            self,
            Roce::On(Mode::Lossless | Mode::LosslessSingleIpool, _)
        )
    }
}

impl Mode {
    /// Why what it implies holds.
    pub fn why(self) -> &'static Reason {
        match self {
            Mode::LossyMultiTc => &defaults::ROCE_TRIMMING,
            _ => &defaults::ROCE,
        }
    }

    /// DSCP → switch priority.
    pub fn switch_priority(self, dscp: u8) -> u8 {
        match (self, dscp) {
            (Mode::LossyMultiTc, 1..=2) => 1,
            (Mode::LossyMultiTc, 3..=4) => 2,
            (Mode::LossyMultiTc, 5..=6) => 3,
            (Mode::LossyMultiTc, 11..=40) => 4,
            (Mode::LossyMultiTc, _) => 0,
            _ => dscp / 8,
        }
    }

    /// Switch priority → traffic class.
    pub fn traffic_class(self, priority: u8) -> u8 {
        match self {
            Mode::LossyMultiTc => priority,
            _ if priority == DATA || priority == CNP => priority,
            _ => 0,
        }
    }

    /// Where a traffic class marks: from, to, probability; `None`: nowhere.
    pub fn marking(self, class: u8) -> Option<(u64, u64, i64)> {
        match (self, class) {
            (Mode::LossyMultiTc, 1..=3) => Some((
                defaults::TRIMMING_MIN,
                defaults::TRIMMING_MAX,
                defaults::TRIMMING_PROBABILITY,
            )),
            (Mode::LossyMultiTc, _) => None,
            (_, 0 | DATA) => Some((
                defaults::ECN_MIN,
                defaults::ECN_MAX,
                defaults::ECN_PROBABILITY,
            )),
            _ => None,
        }
    }

    /// How a traffic class is served.
    pub fn served(self, class: u8) -> Served {
        match (self, class) {
            (Mode::LossyMultiTc, _) => {
                let weights = [4, 8, 18, 22, 22, 22, 4, 0];
                let weight = weights.get(usize::from(class));
                weight.map_or(Served::NotSaid, |weight| Served::Weight(*weight))
            }
            (_, 0 | DATA) => Served::Weight(50),
            (_, CNP) => Served::Strict,
            _ => Served::NotSaid,
        }
    }
}
