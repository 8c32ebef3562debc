//! Calls for tournaments and teams.

use reqwest::Method;

use super::{CallError, Client, retry::EndpointClass};
use crate::model::{Arena, ArenaId, ListedArena, TeamId};

/// More arenas of a team are not looked at; the list begins with those that begin last.
const LISTED: u32 = 30;

impl Client {
    /// An arena as it stands now.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn arena(&self, arena: &ArenaId) -> Result<Arena, CallError> {
        let path = ["api", "tournament", arena.as_str()];
        let request = self.wire.request(Method::GET, &path);
        self.wire.send("arena", EndpointClass::Read, request).await
    }

    /// The arenas of a team, those that are over too.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn arenas_of(&self, team: &TeamId) -> Result<Vec<ListedArena>, CallError> {
        let request = self
            .wire
            .request(Method::GET, &["api", "team", team.as_str(), "arena"])
            .query(&[("max", LISTED)]);
        self.wire
            .list("arenas of a team", EndpointClass::Read, request)
            .await
    }

    /// Joins an arena, or joins it again, and asks to be paired within the next minute though nobody looks at its page.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn join_arena(&self, arena: &ArenaId, team: Option<&TeamId>) -> Result<(), CallError> {
        let mut form = vec![("pairMeAsap", "true")];
        form.extend(team.map(|team| ("team", team.as_str())));
        let request = self
            .wire
            .request(Method::POST, &["api", "tournament", arena.as_str(), "join"])
            .form(&form);
        self.wire
            .order("join an arena", EndpointClass::Invite, request)
            .await
    }

    /// Leaves an arena, or rests from it.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn withdraw_from_arena(&self, arena: &ArenaId) -> Result<(), CallError> {
        let path = ["api", "tournament", arena.as_str(), "withdraw"];
        let request = self.wire.request(Method::POST, &path);
        self.wire
            .order("leave an arena", EndpointClass::Command, request)
            .await
    }

    /// Becomes a member of a team, or asks for it.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn join_team(&self, team: &TeamId) -> Result<(), CallError> {
        let request = self.wire.request(Method::POST, &["team", team.as_str(), "join"]);
        self.wire
            .order("join a team", EndpointClass::Invite, request)
            .await
    }
}
