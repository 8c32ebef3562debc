# Sparring in a container: the page, the program, and nothing else; it runs as nobody in particular.
#
#   docker build -t sparring .
#   docker run -d --name sparring --restart on-failure --stop-timeout 1200 --read-only --cap-drop ALL \
#     -v sparring-state:/state -v ./etc:/etc/sparring:ro -e LICHESS_TOKEN sparring
#
# ./etc holds bot.toml and, if you have your own, books/ and personalities/. A token file must be readable by user 10001
# alone; or pass the token in the variable, from where the program takes it once.

FROM node:20-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY web/tsconfig.json web/build.mjs ./
COPY web/src src
RUN npm run --silent build

# The same Debian as below: a program built with a newer C library would not start there.
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
# By name, so that nothing else comes along: what is in a stage stays in the cache of whoever builds.
COPY Cargo.toml Cargo.lock build.rs bot.toml ./
COPY src src
COPY crates crates
# Members of the workspace; nothing of them is built.
COPY lab lab
COPY testkit testkit
COPY examples examples
COPY books books
COPY personalities personalities
COPY --from=page /src/web/dist web/dist
RUN cargo build --locked --profile dist --bin sparring

FROM debian:bookworm-slim
# The roots that lichess' certificate is checked against.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin sparring \
    && install -d -o sparring -g sparring -m 0700 /state
COPY --from=build /src/target/dist/sparring /usr/bin/sparring
USER 10001:10001
# What systemd calls the folder that it makes for a service: the archive lies there.
ENV STATE_DIRECTORY=/state
VOLUME /state
WORKDIR /etc/sparring
# Running games are played to their end, up to `shutdown-timeout` in bot.toml, if docker waits so long: without --stop-timeout it kills
# after ten seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/sparring"]
# docker starts again whatever ends with another code than 0, though nobody but you can mend settings or a token.
CMD ["run", "--config", "/etc/sparring/bot.toml", "--quit-if-hopeless"]
