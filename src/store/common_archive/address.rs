//! Where the common archive is: a URL as PostgreSQL's own programs take it. No message quotes it, since it may hold a password.

use std::time::Duration;

use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

use super::PushError;

/// How long a server may take to answer, unless the URL says so.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server, a database and who logs in.
#[derive(Debug, Clone)]
pub struct Address {
    /// Without `Debug` for the password.
    pub(super) config: Config,
    pub(super) server: String,
    pub(super) user: String,
    pub(super) database: String,
}

impl Address {
    /// Reads a URL. `password` is for one that has none.
    ///
    /// # Errors
    /// [`PushError::Address`] when it is none of PostgreSQL's or does not name server and user.
    pub fn parse(url: &str, password: Option<String>) -> Result<Self, PushError> {
        let wrong = |what: &str| PushError::Address(what.to_owned());
        let rest = ["postgres://", "postgresql://"]
            .iter()
            .find_map(|scheme| url.strip_prefix(scheme))
            .ok_or_else(|| wrong("it does not begin with postgres://"))?;
        // The server would be looked for under the end of the password, and named in an error.
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if authority.matches('@').count() > 1 || (rest.contains('@') && !authority.contains('@')) {
            return Err(wrong(
                "what is before the last @ has a character that must be written as %40 for @, %2F for /, %3F for ?; PGPASSWORD needs none of that",
            ));
        }
        let mut config: Config = url
            .parse()
            .map_err(|_| wrong("expected postgres://USER@HOST:PORT/DATABASE, after it as in ?sslmode=require, prefer or disable, &host=FOLDER, &port=PORT"))?;
        if config.get_password().is_none()
            && let Some(password) = password
        {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        config.application_name("sparring games push");
        let user = config
            .get_user()
            .ok_or_else(|| wrong("it names no user"))?
            .to_owned();
        let server = match config.get_hosts() {
            [Host::Tcp(name)] => {
                let port = config.get_ports().first().copied().unwrap_or(5432);
                format!("{name}:{port}")
            }
            [] => return Err(wrong("it names no host; a socket is ?host=/var/run/postgresql")),
            // A socket, where there are any.
            [socket] => {
                let folder = match socket {
                    Host::Unix(folder) => folder.display().to_string(),
                    Host::Tcp(name) => name.clone(),
                };
                let port = config.get_ports().first().copied().unwrap_or(5432);
                // TLS is for the network.
                config.ssl_mode(SslMode::Disable);
                format!("{folder}/.s.PGSQL.{port}")
            }
            _ => {
                return Err(wrong(
                    "it names more than one host; beside ?host=FOLDER the port is &port=PORT",
                ));
            }
        };
        Ok(Self {
            database: config.get_dbname().unwrap_or(&user).to_owned(),
            config,
            server,
            user,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_server_user_and_database_but_never_the_password() {
        let address =
            Address::parse("postgres://ana:hunter2@db.example/games?sslmode=require", None).unwrap();
        assert_eq!(
            (
                address.server.as_str(),
                address.user.as_str(),
                address.database.as_str()
            ),
            ("db.example:5432", "ana", "games")
        );
        assert_eq!(address.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(address.config.get_password(), Some(&b"hunter2"[..]));
        assert!(!format!("{address:?}").contains("hunter2"));
        let given = Address::parse("postgresql://ana@localhost:5433", Some("hunter2".to_owned())).unwrap();
        assert_eq!(
            (given.server.as_str(), given.database.as_str()),
            ("localhost:5433", "ana")
        );
        assert_eq!(given.config.get_password(), Some(&b"hunter2"[..]));
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said_without_a_word_of_it() {
        for wrong in [
            "mysql://ana:hunter2@host/db",
            "ana:hunter2@host/db",
            "postgres://ana:hunter2@h@host/db",
            "postgres://ana:hunter2/h@host/db",
            "postgres://ana:hunter2@host:port/db",
            "postgres://ana:hunter2@host/db?pasword=hunter2",
            "postgres://ana:hunter2@host,hunter2/db",
            "postgres://ana:hunter2@/db",
            "postgres://host/hunter2",
        ] {
            let said = Address::parse(wrong, None).unwrap_err().to_string();
            assert!(said.starts_with("--to: ") && !said.contains("hunter2"), "{said}");
        }
    }
}
