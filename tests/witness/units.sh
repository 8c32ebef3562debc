#!/usr/bin/env bash
# The shipped units under a systemd that runs: a Debian of its own, booted by systemd-nspawn, whose bots play on a sandbox.
#
# Usage, as root: units.sh PROGRAM DEBIAN
# DEBIAN: a folder in which debootstrap made a Debian with systemd and dbus; what an earlier run left there is removed.
set -euo pipefail

program=$1 debian=$2
units=$(dirname "$0")/../../systemd
port=18899
url=http://127.0.0.1:$port
work=$(mktemp -d)
passed=0

inside() { nsenter --target "$leader" --mount --uts --ipc --pid --cgroup --root --wd /bin/sh -c "$*"; }
fail() {
    echo "FAIL: $1"
    inside 'journalctl --no-pager -n 30 -o cat -u "sparring*"' || true
    exit 1
}
# Asks again until the command says yes, for so many seconds.
within() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until inside "$@" >"$work/said" 2>&1; do
        ((SECONDS < until)) || fail "$what"
        sleep 0.2
    done
    passed=$((passed + 1))
    echo "ok: $what"
}
shows() { echo "systemctl show $1 | grep -q '^$2\$'"; }
says() { echo "journalctl --no-pager -o cat -u $1 | grep -q '$2'"; }
person() { curl --silent --fail --header "Authorization: Bearer $ana" "$@"; }
tidy() {
    [[ -z ${nspawn-} ]] || kill -TERM "$nspawn" 2>/dev/null || true
    [[ -z ${leader-} ]] || kill -KILL "$leader" 2>/dev/null || true
    [[ -z ${sandbox-} ]] || kill "$sandbox" 2>/dev/null || true
    rm -rf "$work"
}
trap tidy EXIT

"$program" sandbox --port $port --bot Alone --bot One --bot Two --human ana >"$work/sandbox" &
sandbox=$!
until grep -q '^key' "$work/sandbox"; do sleep 0.1; done
token() { awk -v name="$1" '$2 == name { print $3 }' "$work/sandbox"; }
ana=$(token ana)

install -m 755 "$program" "$debian/usr/bin/sparring"
install -m 644 "$units"/*.service "$debian/etc/systemd/system/"
rm -rf "$debian"/etc/sparring "$debian"/var/lib/sparring* "$debian"/var/lib/private/sparring* "$debian"/var/log/journal
mkdir -p "$debian/etc/sparring"
cp -r "$units/../books" "$units/../personalities" "$debian/etc/sparring/"
for place in "Alone ." "One one" "Two two"; do
    read -r name folder <<<"$place"
    mkdir -p "$debian/etc/sparring/$folder"
    cp "$units/../bot.toml" "$debian/etc/sparring/$folder/"
    sed -i "s#^url = .*#url = \"$url\"#" "$debian/etc/sparring/$folder/bot.toml"
    # All read the same books and personalities.
    [[ $folder = . ]] || sed -i 's#^\(books\|personalities\) = "#&../#' "$debian/etc/sparring/$folder/bot.toml"
    install -m 600 <(token "$name") "$debian/etc/sparring/$folder/lichess-token"
done

systemd-nspawn --directory "$debian" --register=no --keep-unit --machine sparring-units --boot </dev/null >"$work/boot" 2>&1 &
nspawn=$!
until leader=$(pgrep --parent $nspawn --oldest); do sleep 0.1; done
within 30 "the machine is up" 'systemctl is-system-running --wait | grep -Eq "running|degraded"'

inside systemctl start sparring sparring@one sparring@two
for unit in sparring sparring@one sparring@two; do
    within 5 "$unit: started, and says so" "$(shows $unit 'StatusText=.*: listening, 0 games')"
    within 1 "$unit: exposure 1.5 at most" "systemd-analyze security --threshold=15 $unit"
done
within 1 "three users" 'test "$(ps -C sparring -o uid= | sort -u | wc -l)" = 3'
within 1 "three folders of state" 'cd /var/lib/private; ls sparring/archive.db sparring-one/archive.db sparring-two/archive.db'
within 1 "the doctor finds the unit of the settings" \
    'sparring doctor --config /etc/sparring/one/bot.toml | grep -q "service  .*sparring@.service"'

inside 'sed -i "s/^max = 8/max = many/" /etc/sparring/bot.toml; systemctl reload sparring'
within 5 "settings with a mistake: told, and the old ones stay" "$(says sparring 'the settings stay as they were')"
inside 'sed -i "s/^max = many/max = 7/" /etc/sparring/bot.toml; systemctl reload sparring'
within 5 "settings in order are taken over" "$(says sparring 'new settings count')"

inside systemctl kill --signal KILL sparring
within 10 "killed: it runs again" "$(shows sparring NRestarts=1) && $(shows sparring 'StatusText=.*: listening, 0 games')"
inside 'kill -STOP $(systemctl show -p MainPID --value sparring@one)'
within 60 "halted: the watchdog ends it and it runs again" \
    "$(says sparring@one 'Failed with result .watchdog') && $(shows sparring@one 'StatusText=.*: listening, 0 games')"

game=$(person --data 'clock.limit=300&clock.increment=3&color=white' $url/api/challenge/Alone | grep -o '"id":"[^"]*' | head -1 | cut -d'"' -f4)
within 5 "a game begins" "$(shows sparring 'StatusText=.*: listening, 1 games*.*')"
person --request POST $url/api/board/game/"$game"/move/e2e4 >/dev/null
within 20 "its lines carry its id" "journalctl --no-pager -o cat SPARRING_ID=$game | grep -q ' 1\.\.\. '"
inside systemctl stop --no-block sparring
within 5 "asked to stop: no new games" "$(says sparring 'games* running, no new ones')"
person --request POST $url/api/board/game/"$game"/move/d2d4 >/dev/null
within 30 "the running one is played on" "journalctl --no-pager -o cat SPARRING_ID=$game | grep -q ' 2\.\.\. '"
person --request POST $url/api/board/game/"$game"/resign >/dev/null
within 10 "and then it leaves in peace" "$(shows sparring ActiveState=inactive) && $(shows sparring Result=success)"

# Another bot has the account: it is tried again until that one has ended.
install -m 600 "$debian"/etc/sparring/one/lichess-token "$debian/etc/sparring/two/lichess-token"
inside 'systemctl restart --no-block sparring@two'
within 10 "the token of another unit: says why" "$(says sparring@two 'another bot on this machine')"
within 40 "the token of another unit: started again" "$(says sparring@two 'status=75') && $(says sparring@two 'Scheduled restart job')"

# Each of these ends with a code that is not restarted.
refused() {
    inside 'systemctl restart sparring@two' 2>/dev/null || true
    within 5 "$1: ended with $2" "$(shows sparring@two ActiveState=failed) && $(shows sparring@two ExecMainStatus=$2)"
    within 1 "$1: says why" "$(says sparring@two "$3")"
}
install -m 600 <(echo lip_nobodyHasThisOne12) "$debian/etc/sparring/two/lichess-token"
refused "a token nobody knows" 77 'lichess does not know this token'
rm "$debian/etc/sparring/two/lichess-token"
refused "no token" 77 'the file that the unit names by LoadCredential=lichess-token'
install -m 600 <(token Two) "$debian/etc/sparring/two/lichess-token"
sed -i 's/^\[games\]/[gamez]/' "$debian/etc/sparring/two/bot.toml"
refused "settings that cannot be read" 78 'did you mean'
sed -i 's/^\[gamez\]/[games]/' "$debian/etc/sparring/two/bot.toml"
inside systemctl start sparring@two
within 5 "mended: it runs" "$(shows sparring@two 'StatusText=.*: listening, 0 games')"

for name in Alone One Two; do
    within 1 "the token of $name is in no journal" "! journalctl --no-pager -o export | grep -q '$(token $name)'"
done
echo "$passed things asked of $(inside 'systemctl --version | head -1'), all as they should be"
