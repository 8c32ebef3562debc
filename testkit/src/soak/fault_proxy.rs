//! The network between the daemon and the sandbox: it carries bytes, until it breaks every connection and refuses new
//! ones for a while, as a server does that restarts, or falls silent on those that are open, as a router does that has
//! forgotten them.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
pub(super) struct FaultProxy {
    address: String,
    gate: Arc<watch::Sender<Gate>>,
    diary: Arc<Mutex<ProxyLog>>,
    _carrying: AbortOnDropHandle<()>,
}

/// Mode of the network.
#[derive(Debug, Clone, Copy)]
struct Gate {
    open: bool,
    /// How often it fell silent: connections that are older than the last time stay so.
    silences: usize,
}

/// Last use of a connection.
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
    /// The use by the first bytes of a request.
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

/// A connection on which nothing came any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Silence {
    /// Its use.
    pub used: Use,
    /// How long it was there.
    pub lasted: Duration,
    /// Whether the daemon has noticed: it was closed, and not by a kill or by the end of the soak.
    pub is_noticed: bool,
}

/// Statistics of the network.
#[derive(Debug, Default)]
struct ProxyLog {
    /// Silent connections that are open, under numbers of their own.
    silent: BTreeMap<usize, (Use, Instant)>,
    /// Those that are over.
    over: Vec<Silence>,
    /// When the network worked again after it had broken every connection, and how long the daemon took from there to ask
    /// for events.
    mended: Option<Instant>,
    reopened: Vec<Duration>,
}

impl ProxyLog {
    fn falls_silent(&mut self, used: Use) -> usize {
        let number = self.over.len() + self.silent.len();
        self.silent.insert(number, (used, Instant::now()));
        number
    }

    fn ends(&mut self, number: usize, is_noticed: bool) {
        if let Some((used, since)) = self.silent.remove(&number) {
            let lasted = since.elapsed();
            self.over.push(Silence {
                used,
                lasted,
                is_noticed,
            });
        }
    }
}

fn look(diary: &Mutex<ProxyLog>) -> MutexGuard<'_, ProxyLog> {
    diary.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultProxy {
    /// A way to the server at this address of this machine, open.
    pub(super) async fn before(server: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let gate = Arc::new(watch::Sender::new(Gate {
            open: true,
            silences: 0,
        }));
        let diary = Arc::<Mutex<ProxyLog>>::default();
        let (state, seen) = (Arc::clone(&gate), Arc::clone(&diary));
        let carrying = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    // A closed way takes the call and drops it at once: to the caller it is a reset.
                    Ok((client, _)) if state.borrow().open => {
                        tokio::spawn(carry(client, server, state.subscribe(), Arc::clone(&seen)));
                    }
                    Ok((client, _)) => drop(client),
                    Err(_) => sleep(Duration::from_millis(10)).await,
                }
            }
        });
        Ok(Self {
            address,
            gate,
            diary,
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
        look(&self.diary).mended = Some(Instant::now());
        self.gate.send_modify(|gate| gate.open = true);
    }

    /// From now on nothing passes on the connections that are open, which nobody closes; new ones work.
    pub(super) fn fall_silent(&self) {
        self.gate.send_modify(|gate| gate.silences += 1);
    }

    /// The daemon is about to be killed, which closes connections of which it knew nothing.
    pub(super) fn loses_daemon(&self) {
        let mut diary = look(&self.diary);
        diary.mended = None;
        let open: Vec<usize> = diary.silent.keys().copied().collect();
        for number in open {
            diary.ends(number, false);
        }
    }

    /// The silent connections so far, with those that nobody has closed yet.
    pub(super) fn silences(&self) -> Vec<Silence> {
        let diary = look(&self.diary);
        let open = diary.silent.values().map(|(used, since)| Silence {
            used: *used,
            lasted: since.elapsed(),
            is_noticed: false,
        });
        diary.over.iter().copied().chain(open).collect()
    }

    /// How long the daemon took to ask for events, each time that the network worked again after it had been broken.
    pub(super) fn reopened(&self) -> Vec<Duration> {
        look(&self.diary).reopened.clone()
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
    diary: Arc<Mutex<ProxyLog>>,
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
            () = requests(&mut from_client, &mut to_server, &mut used, &diary) => Over::Closed,
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
            let number = look(&diary).falls_silent(used);
            until_closed(&mut client).await;
            look(&diary).ends(number, true);
        }
    }
}

/// Forwards bytes and records the use, until one end closes.
async fn requests(
    client: &mut ReadHalf<'_>,
    server: &mut WriteHalf<'_>,
    used: &mut Use,
    diary: &Mutex<ProxyLog>,
) {
    let mut bytes = vec![0; REQUEST];
    while let Ok(count @ 1..) = client.read(&mut bytes).await {
        let bytes = bytes.get(..count).unwrap_or_default();
        *used = Use::of(bytes).unwrap_or(*used);
        if *used == Use::Events {
            let mut diary = look(diary);
            let mended = diary.mended.take();
            diary.reopened.extend(mended.map(|mended| mended.elapsed()));
        }
        if server.write_all(bytes).await.is_err() {
            return;
        }
    }
}

/// Discards bytes until the other end closes.
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
        let network = FaultProxy::before(server.local_addr().unwrap()).await.unwrap();
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
        while network.silences().is_empty() {
            tokio::task::yield_now().await;
        }
        let silence = network.silences()[0];
        assert!(silence.used == Use::Events && !silence.is_noticed, "{silence:?}");
        drop(first);
        while !network.silences()[0].is_noticed {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            served.read(&mut bytes).await.unwrap(),
            0,
            "nothing of it has come, and only now is it closed"
        );
    }

    #[tokio::test]
    async fn what_a_kill_closes_was_not_noticed_and_a_broken_network_is_timed_until_events_are_asked_for() {
        let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let network = FaultProxy::before(server.local_addr().unwrap()).await.unwrap();
        let at = network
            .address()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let mut bytes = [0; 64];
        let mut first = TcpStream::connect(at).await.unwrap();
        first.write_all(b"GET /api/stream/event ").await.unwrap();
        let (mut served, _) = server.accept().await.unwrap();
        assert_eq!(served.read(&mut bytes).await.unwrap(), 22);
        assert!(network.reopened().is_empty(), "nothing was broken");
        network.fall_silent();
        while network.silences().is_empty() {
            tokio::task::yield_now().await;
        }
        network.loses_daemon();
        drop(first);
        assert_eq!(served.read(&mut bytes).await.unwrap(), 0);
        let silences = network.silences();
        assert!(silences.len() == 1 && !silences[0].is_noticed, "{silences:?}");
        network.fail(Duration::ZERO).await;
        let mut second = TcpStream::connect(at).await.unwrap();
        second.write_all(b"GET /api/stream/event ").await.unwrap();
        while network.reopened().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(network.reopened().len(), 1);
    }
}
