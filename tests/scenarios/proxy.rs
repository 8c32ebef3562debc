//! A network between the daemon and its server that can be told to misbehave: bytes one by one, pauses, resets.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinHandle,
};

/// What is done to everything that the server says.
#[derive(Debug, Default)]
struct Weather {
    /// Bytes go out one by one, each in a packet of its own.
    slices: AtomicBool,
    /// Between two pieces, in microseconds.
    pause: AtomicU64,
    /// Each piece is late by up to so many milliseconds, by chance.
    jitter: AtomicU64,
    /// How many pieces were late so far, which is the seed of the next one's lateness.
    late: AtomicU64,
}

impl Weather {
    /// How late the next piece is, if it is.
    fn lateness(&self) -> Option<Duration> {
        let most = self.jitter.load(Ordering::Relaxed);
        let piece = (most > 0).then(|| self.late.fetch_add(1, Ordering::Relaxed))?;
        let millis = ChaCha8Rng::seed_from_u64(piece).random_range(0..=most);
        Some(Duration::from_millis(millis))
    }
}

/// A proxy of plain TCP on this machine.
pub struct Proxy {
    pub url: String,
    weather: Arc<Weather>,
    /// Counts up when all connections are to be reset.
    resets: watch::Sender<u32>,
    serving: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Proxy {
    /// A proxy before this server, fair weather.
    pub async fn before(server: &str) -> Self {
        let server: SocketAddr = server.trim_start_matches("http://").parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let weather = Arc::new(Weather::default());
        let resets = watch::Sender::new(0);
        let (sky, calls) = (Arc::clone(&weather), resets.clone());
        let serving = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                tokio::spawn(carry(client, server, Arc::clone(&sky), calls.subscribe()));
            }
        });
        Self {
            url,
            weather,
            resets,
            serving,
        }
    }

    /// From now on every byte of the server comes alone, with so much between two.
    pub fn slice(&self, pause: Duration) {
        self.weather.slices.store(true, Ordering::Relaxed);
        self.weather
            .pause
            .store(pause.as_micros() as u64, Ordering::Relaxed);
    }

    /// From now on each piece of the server is late by up to so much, by chance.
    pub fn jitter(&self, most: Duration) {
        self.weather
            .jitter
            .store(most.as_millis() as u64, Ordering::Relaxed);
    }

    /// Resets every connection: no farewell, whatever is under way is lost.
    pub fn reset(&self) {
        self.resets.send_modify(|count| *count += 1);
    }
}

async fn carry(
    client: TcpStream,
    server: SocketAddr,
    weather: Arc<Weather>,
    mut resets: watch::Receiver<u32>,
) {
    let Ok(upstream) = TcpStream::connect(server).await else {
        return;
    };
    // Closed with a reset instead of a farewell when the tasks are dropped.
    for stream in [&client, &upstream] {
        stream.set_nodelay(true).unwrap();
        stream.set_zero_linger().unwrap();
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = upstream.into_split();
    let fair = Arc::new(Weather::default());
    tokio::select! {
        () = pour(from_client, to_server, fair) => {}
        () = pour(from_server, to_client, weather) => {}
        _ = resets.changed() => {}
    }
}

async fn pour(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, weather: Arc<Weather>) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let size = if weather.slices.load(Ordering::Relaxed) {
            1
        } else {
            count
        };
        for piece in buffer[..count].chunks(size) {
            if let Some(late) = weather.lateness() {
                tokio::time::sleep(late).await;
            }
            if to.write_all(piece).await.is_err() {
                return;
            }
            let pause = weather.pause.load(Ordering::Relaxed);
            if pause > 0 {
                tokio::time::sleep(Duration::from_micros(pause)).await;
            }
        }
    }
}
