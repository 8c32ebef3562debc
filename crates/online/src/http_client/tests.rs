//! A server of which the test sends every byte.

use super::*;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    sync::mpsc,
};

/// Serves these answers one after the other, then keeps silent; tells the head of each request.
async fn server(answers: Vec<String>) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (tell, heads) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut open = Vec::new();
        let mut answers = answers.into_iter();
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = vec![0; 4096];
            let count = socket.read(&mut head).await.unwrap_or(0);
            let _ = tell.send(String::from_utf8_lossy(&head[..count]).into_owned());
            match answers.next() {
                Some(answer) => {
                    let _ = socket.write_all(answer.as_bytes()).await;
                }
                None => open.push(socket),
            }
        }
    });
    (address, heads)
}

fn answer(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

async fn ask(client: &HttpClient, url: &str, improves: bool) -> Result<String, AskError> {
    let question = Question {
        url: url.to_owned(),
        improves,
    };
    let deadline = Instant::now() + Duration::from_millis(400);
    let body = client.ask(&question, None, deadline).await?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn a_token_goes_only_where_it_is_given() {
    let (url, mut heads) = server(vec![answer("200 OK", "{}"), answer("200 OK", "{}")]).await;
    let client = HttpClient::default();
    assert_eq!(ask(&client, &url, false).await.unwrap(), "{}");
    let head = heads.recv().await.unwrap().to_ascii_lowercase();
    assert!(
        !head.contains("authorization") && head.contains("user-agent: sparring/"),
        "{head}"
    );
    let question = Question { url, improves: false };
    let token = SecretString::from("lip_abc\n");
    let deadline = Instant::now() + Duration::from_secs(5);
    client.ask(&question, Some(&token), deadline).await.unwrap();
    let head = heads.recv().await.unwrap();
    assert!(head.contains("Bearer lip_abc\r\n"), "{head}");
}

#[tokio::test]
async fn every_failure_has_its_name() {
    let cut =
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{\"a\":1}\n{\"b\"".to_owned();
    let elsewhere =
        "HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned();
    for (sent, improves, result) in [
        (answer("500 Oh", ""), false, "status"),
        (elsewhere, false, "status"),
        (answer("404 No", "{}"), false, "unknown"),
        (answer("401 Who", "{}"), false, "unauthorized"),
        (answer("200 OK", &"x".repeat(LONGEST_BODY + 1)), false, "garbage"),
        (cut.clone(), false, "network"),
        ("no http".to_owned(), false, "network"),
    ] {
        let (url, _heads) = server(vec![sent]).await;
        let error = ask(&HttpClient::default(), &url, improves).await.unwrap_err();
        assert_eq!(error.result(), Some(result), "{error}");
    }
    let (url, _heads) = server(vec![cut]).await;
    let lines = ask(&HttpClient::default(), &url, true).await.unwrap();
    assert_eq!(lines, "{\"a\":1}\n{\"b\"", "whole lines count");
    let (url, _heads) = server(Vec::new()).await;
    let error = ask(&HttpClient::default(), &url, false).await.unwrap_err();
    assert_eq!(error.result(), Some("timeout"));
    let error = ask(&HttpClient::default(), "http://203.0.113.1/", false)
        .await
        .unwrap_err();
    assert_eq!(error.result(), Some("network"), "never unencrypted: {error}");
}

#[tokio::test]
async fn a_host_that_asks_for_a_pause_gets_it_and_others_are_asked() {
    let limited = answer("429 Slow", "").replace("Connection", "Retry-After: 90\r\nConnection");
    let (url, mut heads) = server(vec![limited, answer("200 OK", "{}")]).await;
    let client = HttpClient::default();
    let error = ask(&client, &url, false).await.unwrap_err();
    assert_eq!(error.pause(), Some(Duration::from_secs(90)));
    assert!(matches!(ask(&client, &url, false).await, Err(AskError::Paused)));
    heads.recv().await.unwrap();
    assert!(heads.try_recv().is_err(), "nothing more was sent");
    let (other, _heads) = server(vec![answer("200 OK", "{}")]).await;
    assert!(ask(&client, &other, false).await.is_ok());
}

#[tokio::test]
async fn a_host_gets_one_request_at_a_time() {
    let (url, mut heads) = server(Vec::new()).await;
    let client = HttpClient::default();
    let question = Question { url, improves: false };
    let deadline = Instant::now() + Duration::from_secs(1);
    let ask = || client.ask(&question, None, deadline);
    let (one, other) = tokio::join!(ask(), ask());
    let mut results = [one.unwrap_err().result(), other.unwrap_err().result()];
    results.sort_unstable();
    assert_eq!(results, [None, Some("timeout")], "the second had no time left");
    heads.recv().await.unwrap();
    assert!(heads.try_recv().is_err());
}
