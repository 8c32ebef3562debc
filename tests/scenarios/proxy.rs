//! A network between the daemon and its server that can be told to misbehave: bytes one by one, pauses, resets.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

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
