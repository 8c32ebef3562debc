"""A run of a few steps on a handful of games: it learns, stops, resumes to the same weights, decays, and is exported as it is."""
import json, struct
import numpy as np
import pytest, torch
import export, games as collect
from batches import Stream, decisions
from native import parse_game
from samples import Games
from test_encoder import GAMES
from train import CONFIG, Run, trust


@pytest.fixture
def made(tmp_path):
    rows, moves, choices, at, where, count = [], [], [], 0, [], []
    for k, text in enumerate(GAMES):
        m, c = parse_game(text)
        rows.append((at, len(m), (900 + 300 * k, 1200), 1, 0, 0, -1, 1, k == 0, 2020, 300, 3, 1, 0))
        where += [(k, ply) for ply in range(len(m)) if c[ply] > 1]
        count += [n for n in c if n > 1]
        moves.append(m), choices.append(c)
        at += len(m)
    folder = tmp_path / 'games'
    folder.mkdir()
    for name, value in (('moves', np.concatenate(moves)), ('choices', np.concatenate(choices)), ('clock', np.arange(at, 0, -1).astype(np.int16)),
                        ('games', np.array(rows, collect.GAME))):
        np.save(folder / f'{name}.npy', value)
    shards = tmp_path / 'shards'
    shards.mkdir()
    count = np.array(count, np.uint8)
    np.savez(shards / '0000.npz', where=np.array(where, np.int32), count=count, chances=np.concatenate([np.full(n, 1 / n, np.float16) for n in count]))
    return Games(str(folder)), str(shards), tmp_path


def test_a_stopped_run_goes_on_as_if_it_had_not_been_stopped(made):
    games, shards, folder = made
    config = dict(CONFIG, batch=16, warm=2, net={'channels': 32, 'blocks': 1})
    weights = []
    for name, parts in (('whole', [6]), ('cut', [2, 3, 6])):
        for steps in parts:
            run = Run(str(folder), name + '.pt', config)
            run.train(games, shards, lambda r: r.step >= steps, looks=False)
        weights.append(run)
    whole, cut = weights
    assert whole.positions == cut.positions == 96 and whole.stream == cut.stream and whole.stream['passes'] > 0
    for a, b in zip(whole.net.state_dict().values(), cut.net.state_dict().values()):
        assert torch.allclose(a, b, atol=2e-2)
    assert not torch.equal(whole.net.first.conv.weight, Run(str(folder), 'new.pt', config).net.first.conv.weight)


def test_the_flat_file_holds_the_weights_with_batch_norm_folded_in(made):
    games, shards, folder = made
    run = Run(str(folder), 'run.pt', dict(CONFIG, batch=16, warm=2, net={'channels': 32, 'blocks': 1}))
    run.train(games, shards, lambda r: r.step >= 3, looks=False)
    size = export.write(folder / 'net.bin', export.round_as_shipped(run.net.eval()), run.config, run.positions)
    raw = (folder / 'net.bin').read_bytes()
    length, = struct.unpack('<I', raw[8:12])
    header = json.loads(raw[12:12 + length])
    data = np.frombuffer(raw[-(-(12 + length) // 64) * 64:], '<f2').astype(np.float32)
    assert raw[:8] == b'SPARNET1' and len(data) == size
    read = {t['name']: data[t['at']:t['at'] + int(np.prod(t['shape']))].reshape(t['shape']) for t in header['tensors']}
    b = decisions(games, np.array([0, 1]), np.array([9, 5]))
    x = b['planes'].float()
    want, scale, shift, _ = run.net.first.conv(x)
    image = x.view(2, 8, 8, -1).permute(0, 3, 1, 2)
    w = torch.from_numpy(read['first.conv.weight'].copy()).view(3, 3, 96, 32).permute(3, 2, 0, 1)
    got = torch.nn.functional.conv2d(image, w, torch.from_numpy(read['first.conv.bias'].copy()), padding=1).permute(0, 2, 3, 1).reshape(2, 64, 32)
    assert torch.allclose(got, want * scale + shift, atol=1e-3)


def test_chances_are_of_the_legal_moves_and_sum_to_one(made):
    games, shards, _ = made
    run = Run('nowhere', 'run.pt', dict(CONFIG, net={'channels': 32, 'blocks': 1}))
    b = decisions(games, np.array([0, 2, 4]), np.array([0, 7, 3]))
    with torch.no_grad():
        logs, outcome, times = run.net.eval()(b)
    assert logs.exp().sum(1).allclose(torch.ones(3), atol=1e-4) and outcome.shape == (3, 3) and times.shape == (3, 14)
    assert (logs.exp()[~b['mask']] == 0).all()


def test_think_times_and_results_are_the_movers(made):
    games, _, _ = made
    b = decisions(games, np.array([0, 0]), np.array([4, 5]))  # each clock falls by two seconds a move, with three added: five seconds
    assert b['time'].tolist() == [5, 5] and b['result'].tolist() == [0, 2]
    assert b['context'][0, 32].item() == 1 and b['context'][0, 14:19].tolist() == [0, 1, 0, 0, 0]


def test_the_teacher_is_trusted_where_it_knows_the_rating():
    share = trust(torch.tensor([500., 1050., 1500., 2125., 3000.]), CONFIG['trust'])
    assert share.tolist() == pytest.approx([0.4, 0.8, 0.8, 0.65, 0.35])


def test_batches_pass_over_a_shard_once_before_the_next_pass(made):
    games, shards, _ = made
    stream = Stream(games, shards, 32)
    for _ in range(2):
        stream.next()
    assert stream.state['passes'] == 0
