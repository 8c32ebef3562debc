//! The network between the daemon and the sandbox: it carries bytes, until it breaks every connection and refuses new
//! ones for a while, as a server does that restarts, or falls silent on those that are open, as a router does that has
//! forgotten them.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    sync::watch,
    time::{Instant, sleep},
};
use tokio_util::task::AbortOnDropHandle;

/// The most that a request's head and body take: moves and chat are short.
const REQUEST: usize = 16 * 1024;

/// A way to a server that can be closed or fall silent.
pub(super) struct Network {
    address: String,
    gate: Arc<watch::Sender<Gate>>,
    given_up: Arc<Mutex<Vec<GivenUp>>>,
    _carrying: AbortOnDropHandle<()>,
}

/// What the network does.
#[derive(Debug, Clone, Copy)]
struct Gate {
    open: bool,
    /// How often it fell silent: connections that are older than the last time stay so.
    silences: usize,
}

/// What a connection was last used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The stream of events.
    Events,
    /// The stream of a game.
    Game,
    /// Anything else.
    Calls,
}

impl Use {
    /// What a request asks for, if these bytes begin one.
    fn of(bytes: &[u8]) -> Option<Self> {
        let is = |head: &str| bytes.starts_with(head.as_bytes());
        if is("GET /api/stream/event") {
            Some(Self::Events)
        } else if is("GET /api/bot/game/stream/") {
            Some(Self::Game)
        } else {
            (is("GET ") || is("POST ")).then_some(Self::Calls)
        }
    }
}

/// A connection on which nothing came any more was closed by the daemon.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenUp {
    /// What it was used for.
    pub used: Use,
    /// How long the daemon took to notice.
    pub after: Duration,
}

impl Network {
    /// A way to the server at this address of this machine, open.
    pub(super) async fn before(server: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let gate = Arc::new(watch::Sender::new(Gate {
            open: true,
            silences: 0,
        }));
        let given_up = Arc::new(Mutex::new(Vec::new()));
        let (state, list) = (Arc::clone(&gate), Arc::clone(&given_up));
        let carrying = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    // A closed way takes the call and drops it at once: to the caller it is a reset.
                    Ok((client, _)) if state.borrow().open => {
                        tokio::spawn(carry(client, server, state.subscribe(), Arc::clone(&list)));
                    }
                    Ok((client, _)) => drop(client),
                    Err(_) => sleep(Duration::from_millis(10)).await,
                }
            }
        });
        Ok(Self {
            address,
            gate,
            given_up,
            _carrying: AbortOnDropHandle::new(carrying),
        })
    }

    /// Where the daemon finds the server.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Breaks every connection and refuses new ones for so long.
    pub(super) async fn fail(&self, span: Duration) {
        self.gate.send_modify(|gate| gate.open = false);
        sleep(span).await;
        self.gate.send_modify(|gate| gate.open = true);
    }

    /// From now on nothing passes on the connections that are open, which nobody closes; new ones work.
    pub(super) fn fall_silent(&self) {
        self.gate.send_modify(|gate| gate.silences += 1);
    }

    /// The silent connections that were given up so far.
    pub(super) fn given_up(&self) -> Vec<GivenUp> {
        self.given_up
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// How a connection comes to its end.
enum Over {
    /// One of the two has closed it.
    Closed,
    /// The network has broken it.
    Broken,
    /// Nothing passes any more.
    Silent,
}

async fn carry(
    mut client: TcpStream,
    server: SocketAddr,
    mut gate: watch::Receiver<Gate>,
    list: Arc<Mutex<Vec<GivenUp>>>,
) {
    let before = gate.borrow().silences;
    let Ok(mut upstream) = TcpStream::connect(server).await else {
        return;
    };
    // Without this small answers would wait for each other; that it cannot be set would only cost time.
    let _ = client.set_nodelay(true);
    let _ = upstream.set_nodelay(true);
    let mut used = Use::Calls;
    let over = {
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = upstream.split();
        tokio::select! {
            () = requests(&mut from_client, &mut to_server, &mut used) => Over::Closed,
            _ = copy(&mut from_server, &mut to_client) => Over::Closed,
            state = gate.wait_for(|gate| !gate.open || gate.silences > before) => match state {
                Ok(gate) if gate.open => Over::Silent,
                _ => Over::Broken,
            },
        }
    };
    match over {
        Over::Closed => {}
        Over::Broken => {
            let _ = client.set_zero_linger();
        }
        // The server's end stays open as well: it does not know either.
        Over::Silent => {
            let since = Instant::now();
            until_closed(&mut client).await;
            let after = since.elapsed();
            list.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(GivenUp { used, after });
        }
    }
}

/// Carries requests, and notes what they ask for, until one of the two is gone.
async fn requests(client: &mut ReadHalf<'_>, server: &mut WriteHalf<'_>, used: &mut Use) {
    let mut bytes = vec![0; REQUEST];
    while let Ok(count @ 1..) = client.read(&mut bytes).await {
        let bytes = bytes.get(..count).unwrap_or_default();
        *used = Use::of(bytes).unwrap_or(*used);
        if server.write_all(bytes).await.is_err() {
            return;
        }
    }
}

/// Swallows what comes until the other end is closed.
async fn until_closed(client: &mut TcpStream) {
    let mut bytes = vec![0; REQUEST];
    while matches!(client.read(&mut bytes).await, Ok(1..)) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_silent_connection_stays_open_until_its_client_closes_it_and_new_ones_work() {
        let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let network = Network::before(server.local_addr().unwrap()).await.unwrap();
        let at = network
            .address()
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .to_owned();
        let mut bytes = [0; 64];
        let mut first = TcpStream::connect(&at).await.unwrap();
        let (mut served, _) = server.accept().await.unwrap();
        first.write_all(b"GET /api/stream/event ").await.unwrap();
        assert_eq!(served.read(&mut bytes).await.unwrap(), 22);
        network.fall_silent();
        let mut second = TcpStream::connect(&at).await.unwrap();
        let (mut served_too, _) = server.accept().await.unwrap();
        served_too.write_all(b"hello").await.unwrap();
        assert_eq!(second.read(&mut bytes).await.unwrap(), 5);
        first.write_all(b"lost").await.unwrap();
        drop(first);
        while network.given_up().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(network.given_up()[0].used, Use::Events);
        assert_eq!(
            served.read(&mut bytes).await.unwrap(),
            0,
            "nothing of it has come, and only now is it closed"
        );
    }
}
