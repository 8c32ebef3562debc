# Sparring in a container: the program with its page, and nothing else, no shell either; it runs as nobody in particular.
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

# Alpine's programs need no library of the system that they run on.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache build-base ca-certificates
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
COPY packaging/image-root.sh packaging/
COPY --from=page /src/web/dist web/dist
RUN cargo build --locked --profile dist --bin sparring
RUN sh packaging/image-root.sh target/dist/sparring /image

# packaging/image.sh makes the images of a release from this stage.
FROM scratch
COPY --from=build --chown=10001:10001 /image /
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
