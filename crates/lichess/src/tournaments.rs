//! Calls for tournaments and teams.

use reqwest::Method;

use super::{CallError, Client, retry::EndpointClass};
use crate::model::{ArenaId, ListedTournament, TeamId, Tournament};

/// Most tournaments of a team that are read. The list begins with those that begin last.
const LISTED: u32 = 30;

impl Client {
    /// The current state of an arena tournament.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn tournament(&self, tournament: &ArenaId) -> Result<Tournament, CallError> {
        let path = ["api", "tournament", tournament.as_str()];
        let request = self.transport.request(Method::GET, &path);
        self.transport.send("arena", EndpointClass::Read, request).await
    }

    /// The arena tournaments of a team, finished ones too.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn team_tournaments(&self, team: &TeamId) -> Result<Vec<ListedTournament>, CallError> {
        let request = self
            .transport
            .request(Method::GET, &["api", "team", team.as_str(), "arena"])
            .query(&[("max", LISTED)]);
        self.transport
            .list("arenas of a team", EndpointClass::Read, request)
            .await
    }

    /// Joins or rejoins a tournament, to be paired within the next minute (`pairMeAsap`).
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn join_tournament(
        &self,
        tournament: &ArenaId,
        team: Option<&TeamId>,
    ) -> Result<(), CallError> {
        let mut form = vec![("pairMeAsap", "true")];
        form.extend(team.map(|team| ("team", team.as_str())));
        let request = self
            .transport
            .request(Method::POST, &["api", "tournament", tournament.as_str(), "join"])
            .form(&form);
        self.transport
            .post_ok("join an arena", EndpointClass::Invite, request)
            .await
    }

    /// Withdraws from a tournament.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn withdraw_from_tournament(&self, tournament: &ArenaId) -> Result<(), CallError> {
        let path = ["api", "tournament", tournament.as_str(), "withdraw"];
        let request = self.transport.request(Method::POST, &path);
        self.transport
            .post_ok("leave an arena", EndpointClass::Command, request)
            .await
    }

    /// Joins a team, or requests to join.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn join_team(&self, team: &TeamId) -> Result<(), CallError> {
        let request = self
            .transport
            .request(Method::POST, &["team", team.as_str(), "join"]);
        self.transport
            .post_ok("join a team", EndpointClass::Invite, request)
            .await
    }
}
