//! `setoption`: finds the option, checks the value, and puts it into the settings.

#[cfg(feature = "personality")]
use super::resources::NO_PERSONALITY;
use super::{
    option_error::OptionError,
    options::{EMPTY, Kind, OPTIONS},
    resources::UciResources,
    settings::{Change, Settings},
};
use sparring_chess::Variant;
use sparring_diagnostics::did_you_mean;
use sparring_engine::Params;

/// Sets an option or a search parameter by its name, in any case of letters.
///
/// # Errors [`OptionError`] for an unknown name or an invalid value; the settings are then unchanged.
pub(super) fn set_option(
    settings: &mut Settings,
    resources: &UciResources,
    name: &str,
    value: Option<&str>,
) -> Result<Change, OptionError> {
    let text = value.unwrap_or("");
    let Some(option) = OPTIONS
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
    else {
        return set_param(settings, name, text);
    };
    let (name, text) = (option.name, text.trim());
    match option.kind {
        Kind::Spin { min, max, set, .. } => match text.parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(set(settings, number)),
            _ => Err(OptionError::Spin {
                name,
                text: text.to_owned(),
                min,
                max,
            }),
        },
        Kind::Check { set, .. } => match text.to_ascii_lowercase().as_str() {
            "true" => Ok(set(settings, true)),
            "false" => Ok(set(settings, false)),
            _ => Err(OptionError::Check {
                name,
                text: text.to_owned(),
            }),
        },
        Kind::Text { set, .. } => {
            let is_empty = text.is_empty() || text == EMPTY;
            set(settings, (!is_empty).then(|| text.to_owned()))
        }
        #[cfg(feature = "personality")]
        Kind::Personality { set } => {
            let choices = || std::iter::once(NO_PERSONALITY).chain(resources.personalities());
            let alike = || choices().find(|choice| choice.eq_ignore_ascii_case(text));
            match choices().find(|choice| *choice == text).or_else(alike) {
                Some(choice) => Ok(set(
                    settings,
                    (choice != NO_PERSONALITY).then(|| choice.to_owned()),
                )),
                None => Err(OptionError::Combo {
                    name,
                    text: text.to_owned(),
                    choices: choices().collect::<Vec<_>>().join(", "),
                }),
            }
        }
        Kind::Variant { set } => {
            let named = |variant: &Variant| variant.uci_name().eq_ignore_ascii_case(text);
            let unknown = || OptionError::Combo {
                name,
                text: text.to_owned(),
                choices: Variant::of_uci()
                    .map(Variant::uci_name)
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            let variant = Variant::of_uci().find(named).ok_or_else(unknown)?;
            Ok(set(settings, variant))
        }
        Kind::Button { change } => {
            let _ = resources; // only personalities ask for it
            Ok(change())
        }
    }
}

fn set_param(settings: &mut Settings, name: &str, text: &str) -> Result<Change, OptionError> {
    let mut params = Params::LIST.iter();
    let Some(param) = params.find(|param| param.name.eq_ignore_ascii_case(name)) else {
        let options = OPTIONS.iter().map(|option| option.name);
        let hint = did_you_mean(name, options.chain(Params::LIST.iter().map(|param| param.name)));
        let name = name.to_owned();
        return Err(OptionError::Unknown { name, hint });
    };
    let value = text.trim().parse().map_err(|_| OptionError::Spin {
        name: param.name,
        text: text.to_owned(),
        min: u64::try_from(param.min).unwrap_or(0),
        max: u64::try_from(param.max).unwrap_or(0),
    })?;
    settings.params.set(param.name, value)?;
    Ok(Change::Params(Box::new(settings.params.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Millis;

    #[test]
    fn options_are_set_by_name_in_any_case() {
        let resources = UciResources::default();
        let mut settings = Settings::default();
        assert_eq!(
            set_option(&mut settings, &resources, "hash", Some("96")),
            Ok(Change::Hash(96))
        );
        assert_eq!(
            set_option(&mut settings, &resources, "move overhead", Some("55")),
            Ok(Change::None)
        );
        assert_eq!(
            set_option(&mut settings, &resources, "UCI_Chess960", Some("true")),
            Ok(Change::None)
        );
        assert_eq!(
            set_option(&mut settings, &resources, "Clear Hash", None),
            Ok(Change::Clear)
        );
        for (value, change, variant) in [
            ("chess", Change::None, Variant::Standard),
            ("3Check", Change::Variant, Variant::ThreeCheck),
            ("3check", Change::None, Variant::ThreeCheck),
        ] {
            assert_eq!(
                set_option(&mut settings, &resources, "uci_variant", Some(value)),
                Ok(change)
            );
            assert_eq!(settings.variant, variant);
        }
        assert!(settings.chess960 && settings.overhead == Millis(55) && settings.hash == 96);
        for (name, value) in [("rfp_margin", 80), ("RFP_Margin", 90)] {
            let change = set_option(&mut settings, &resources, name, Some(&value.to_string()));
            assert!(matches!(change, Ok(Change::Params(_))), "{name}: {change:?}");
            assert_eq!(settings.params.rfp_margin, value);
        }
    }

    #[test]
    fn invalid_options_are_reported_and_change_nothing() {
        let resources = UciResources::default();
        let mut settings = Settings::default();
        for (name, value, message) in [
            (
                "Hash",
                "0",
                "option \"Hash\" needs a number from 1 to 65536, not \"0\"",
            ),
            (
                "Hash",
                "many",
                "option \"Hash\" needs a number from 1 to 65536, not \"many\"",
            ),
            (
                "Ponder",
                "yes",
                "option \"Ponder\" needs true or false, not \"yes\"",
            ),
            (
                "UCI_Variant",
                "suicide",
                "option \"UCI_Variant\" needs one of chess, kingofthehill, 3check, antichess, atomic, horde, racingkings, crazyhouse, not \"suicide\"",
            ),
            ("Contempt", "3", "there is no option \"Contempt\""),
            ("Hahs", "3", "there is no option \"Hahs\"; did you mean \"Hash\"?"),
            (
                "rfp-margn",
                "50",
                "there is no option \"rfp-margn\"; did you mean \"rfp_margin\"?",
            ),
            (
                "rfp_margin",
                "9999",
                "9999 is not within 20 to 200 for \"rfp_margin\"",
            ),
        ] {
            assert_eq!(
                set_option(&mut settings, &resources, name, Some(value))
                    .unwrap_err()
                    .to_string(),
                message
            );
        }
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn the_defaults_listed_are_the_defaults_in_force() {
        let fresh = Settings::default();
        let resources = UciResources::default();
        for option in OPTIONS {
            let value = match option.kind {
                Kind::Spin { default, .. } => default.to_string(),
                Kind::Check { default, .. } => default.to_string(),
                Kind::Text { default, .. } => default.to_owned(),
                #[cfg(feature = "personality")]
                Kind::Personality { .. } => NO_PERSONALITY.to_owned(),
                Kind::Variant { .. } => Variant::Standard.uci_name().to_owned(),
                Kind::Button { .. } => continue,
            };
            let mut settings = fresh.clone();
            set_option(&mut settings, &resources, option.name, Some(&value)).unwrap();
            assert_eq!(settings, fresh, "{}", option.name);
        }
    }
}
