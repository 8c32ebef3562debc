//! The common archive of many bots: a PostgreSQL database that each bot's own archive is pushed to.
//!
//! A push goes by revisions: the target keeps for each archive the revision that it has reached, and moves this mark in the
//! transaction of the rows. So a push may end at any moment and be repeated at will.

mod accounts;
mod address;
mod batch;
mod copy_text;
mod error;
mod schema;
mod tls;

use tokio_postgres::{
    Client, Socket, Transaction,
    config::SslMode,
    tls::{MakeTlsConnect, NoTls},
};

pub use address::Address;
pub use error::PushError;

use self::{
    accounts::Accounts,
    batch::{Batch, CHALLENGES, GAMES},
    tls::Tls,
};
use crate::store::Archive;

/// Games in a transaction where nobody says otherwise: half a second's worth, so that little is lost when it ends early.
pub const BATCH: u32 = 4000;

/// The advisory lock of all who write: batches of two pushes never meet in the middle.
const LOCK: i64 = i64::from_be_bytes(*b"sparring");
/// How long a push waits for another one's batch.
const PATIENCE: &str = "SET lock_timeout = '60s'";

/// What a push has done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Pushed {
    /// Games that have ended in the bot's archive.
    pub total: u64,
    /// Those of them that the common archive had before.
    pub known: u64,
    /// Games that are pushed.
    pub games: u64,
    /// Their half moves.
    pub moves: u64,
    /// Challenges that are pushed.
    pub challenges: u64,
}

/// A connection to the common archive.
pub struct CommonArchive {
    client: Client,
    address: Address,
}

impl CommonArchive {
    /// Connects, and creates or migrates the tables.
    ///
    /// # Errors
    /// [`PushError`] when the server cannot be reached or refuses, or the tables are newer.
    pub async fn open(address: Address) -> Result<Self, PushError> {
        let client = if address.config.get_ssl_mode() == SslMode::Disable {
            connect(&address, NoTls).await?
        } else {
            let tls = Tls::new().map_err(|error| PushError::Refused(format!("no TLS: {error}")))?;
            connect(&address, tls).await?
        };
        let mut common = Self { client, address };
        common.prepare().await?;
        Ok(common)
    }

    async fn prepare(&mut self) -> Result<(), PushError> {
        let Self { client, address } = self;
        let failed = |error: tokio_postgres::Error| PushError::of(&error, address);
        client.batch_execute(PATIENCE).await.map_err(failed)?;
        let transaction = client.transaction().await.map_err(failed)?;
        schema::migrate(&transaction, address).await?;
        transaction.commit().await.map_err(failed)?;
        client.batch_execute(batch::STAGE).await.map_err(failed)
    }

    /// Pushes the rows of an archive that the common archive does not have yet. `pushed` is brought up to date, and `told` called,
    /// with each batch of at most `batch` games that the server has taken.
    ///
    /// # Errors
    /// [`PushError`] when the archive or the server fails. Every batch before stays.
    pub async fn push(
        &mut self,
        archive: &Archive,
        batch: u32,
        pushed: &mut Pushed,
        mut told: impl FnMut(&Pushed),
    ) -> Result<(), PushError> {
        let accounts = Accounts::of(archive)?;
        // Challenges have no account, and the oldest games have none. Until a game tells, nobody knows whose they are.
        if accounts.is_empty() {
            return Ok(());
        }
        for kind in [&GAMES, &CHALLENGES] {
            // The mark is asked for once: two copies of an archive that are pushed at once would set each other back for ever.
            let mut mark = None;
            loop {
                let Self { client, address } = self;
                let failed = |error: tokio_postgres::Error| PushError::of(&error, address);
                let transaction = client.transaction().await.map_err(failed)?;
                lock(&transaction, address).await?;
                let part = Batch {
                    transaction: &transaction,
                    address,
                    archive,
                    accounts: &accounts,
                    kind,
                    most: batch,
                };
                let (sum, reached) = part.write(mark, *pushed).await?;
                transaction.commit().await.map_err(failed)?;
                *pushed = sum;
                told(pushed);
                match reached {
                    Some(_) => mark = reached,
                    None => break,
                }
            }
        }
        Ok(())
    }
}

/// Waits for its turn until the end of the transaction.
async fn lock(transaction: &Transaction<'_>, address: &Address) -> Result<(), PushError> {
    let locked = transaction
        .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
        .await;
    locked.map(drop).map_err(|error| PushError::of(&error, address))
}

async fn connect<T>(address: &Address, tls: T) -> Result<Client, PushError>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let connected = address.config.connect(tls).await;
    let (client, connection) = connected.map_err(|error| PushError::of(&error, address))?;
    // Its end shows in the next call of the client.
    tokio::spawn(connection);
    Ok(client)
}
