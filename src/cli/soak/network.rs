//! The network between the daemon and the sandbox: it carries bytes, until it breaks every connection and refuses new
//! ones for a while, as a server does that restarts.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    time::sleep,
};
use tokio_util::task::AbortOnDropHandle;

/// A way to a server that can be closed.
pub(super) struct Network {
    address: String,
    open: Arc<watch::Sender<bool>>,
    _carrying: AbortOnDropHandle<()>,
}

impl Network {
    /// A way to the server at this address of this machine, open.
    pub(super) async fn before(server: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let open = Arc::new(watch::Sender::new(true));
        let gate = Arc::clone(&open);
        let carrying = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    // A closed way takes the call and drops it at once: to the caller it is a reset.
                    Ok((client, _)) if *gate.borrow() => {
                        tokio::spawn(carry(client, server, gate.subscribe()));
                    }
                    Ok((client, _)) => drop(client),
                    Err(_) => sleep(Duration::from_millis(10)).await,
                }
            }
        });
        Ok(Self {
            address,
            open,
            _carrying: AbortOnDropHandle::new(carrying),
        })
    }

    /// Where the daemon finds the server.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Breaks every connection and refuses new ones for so long.
    pub(super) async fn fail(&self, span: Duration) {
        self.open.send_replace(false);
        sleep(span).await;
        self.open.send_replace(true);
    }
}

async fn carry(mut client: TcpStream, server: SocketAddr, mut open: watch::Receiver<bool>) {
    let Ok(mut upstream) = TcpStream::connect(server).await else {
        return;
    };
    // Without this small answers would wait for each other; that it cannot be set would only cost time.
    let _ = client.set_nodelay(true);
    let _ = upstream.set_nodelay(true);
    tokio::select! {
        // However it ends, the connection is over.
        _ = copy_bidirectional(&mut client, &mut upstream) => {}
        _ = open.wait_for(|open| !open) => {
            let _ = client.set_zero_linger();
        }
    }
}
