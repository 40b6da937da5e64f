//! What could not be read, and what the policy gives rise to. The engine
//! emits some of these itself; they are declared here so that `checks`,
//! `explain` and policies know them.

use super::map::noted;
use super::{About, Check, Judges, Needs};
use crate::policy::Severity;

noted!(
    Failed,
    "collect/failed",
    High,
    Failed,
    true,
    "Every capture was read whole",
    "A capture that ends in the middle, a command that the device refused, or a file that cannot \
     be read: what it would have told is unknown, not right. Take the capture again."
);
noted!(
    Denied,
    "collect/denied",
    High,
    Denied,
    true,
    "Every command was allowed",
    "The account may not run the command, or the file is readable by root only. What it would have \
     told is unknown."
);
noted!(
    Unrecognised,
    "collect/unrecognised",
    High,
    Unrecognised,
    true,
    "Every capture is of a kind that is known",
    "The content was not recognised as a configuration or command output of any platform, so \
     nothing was read from it. Exclude it if it is none (--exclude)."
);
noted!(
    Unparsed,
    "config/unparsed",
    High,
    Unparsed,
    true,
    "Every QoS line was understood",
    "A line that speaks of QoS and was not understood: a typing error, a command of another \
     release, or a feature that is not known here. What it sets is unknown, and the device may \
     not have taken it either."
);

/// Declares a check that the engine emits by itself.
macro_rules! emitted {
    ($name:ident, $id:literal, $severity:ident, $title:literal, $explain:literal) => {
        #[doc = $title]
        pub struct $name;

        impl Check for $name {
            fn about(&self) -> &'static About {
                &About {
                    id: $id,
                    severity: Severity::$severity,
                    needs: Needs::Config,
                    judges: Judges::All,
                    title: $title,
                    explain: $explain,
                }
            }
        }
    };
}

emitted!(
    Unreachable,
    "collect/unreachable",
    High,
    "Every device could be reached",
    "A device that could not be reached was not audited, so its state is unknown, however it was \
     when it last answered. Look at the address, the account and the way there first."
);
emitted!(
    Parser,
    "internal/parser",
    High,
    "No parser stopped on an error of its own",
    "A fault in this program: a parser stopped, and its device was not judged. All others were. \
     Please report it with the capture."
);
emitted!(
    WaiverExpired,
    "policy/waiver-expired",
    Medium,
    "No waiver has expired",
    "A waiver whose last day has passed waives nothing any more; what it covered is a finding \
     again. Renew it, or mend what it covered."
);
emitted!(
    MatchesNothing,
    "policy/matches-nothing",
    Low,
    "Every waiver, role and override matches something",
    "A selector that matches nothing is a typing error, or a leftover of a device that is gone."
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::testing::{Told, verdicts_of};
    use crate::model::{Device, DeviceKind, Note, NoteKind, Origin, Port};

    #[test]
    fn what_could_not_be_read_is_unknown() {
        let kinds: [(&dyn Check, NoteKind); 4] = [
            (&Failed, NoteKind::Failed),
            (&Denied, NoteKind::Denied),
            (&Unrecognised, NoteKind::Unrecognised),
            (&Unparsed, NoteKind::Unparsed),
        ];
        for (check, kind) in kinds {
            let mut device = Device::new("leaf1", DeviceKind::Switch, "test");
            let told = |device: &Device| {
                let port = Port::new("Ethernet0");
                Told::from(&verdicts_of(check, device, &port, "builtin:roce-lossless"))
            };
            let id = check.about().id;
            assert_eq!(told(&device), Told::Nothing, "{id}");
            device.notes.push(Note {
                kind,
                port: None,
                text: "the capture ends in the middle".to_owned(),
                at: Origin::new(0, 0),
            });
            assert_eq!(told(&device), Told::Unknown, "{id}");
        }
    }

    #[test]
    fn severities_of_what_the_engine_tells() {
        for (check, severity) in [
            (&Unparsed as &dyn Check, Severity::High),
            (&Parser, Severity::High),
            (&Unreachable, Severity::High),
            (&WaiverExpired, Severity::Medium),
            (&MatchesNothing, Severity::Low),
        ] {
            assert_eq!(check.about().severity, severity, "{}", check.about().id);
        }
    }
}
