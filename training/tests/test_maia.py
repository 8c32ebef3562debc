import json, os
import numpy as np
import pytest, torch
from maia import Maia, teach
from native import looks, parse_game

FOLDER = os.environ.get('MAIA', os.path.join(os.path.dirname(__file__), '../../../shared/data/maia'))
pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(FOLDER, 'reference.jsonl')), reason='no Maia files in $MAIA')


@pytest.mark.parametrize('dtype, least, far', [(torch.float32, 200, 0.001), (torch.bfloat16, 190, 0.1)])
def test_the_teachers_agree_with_the_reference_outputs(dtype, least, far):
    rows = [json.loads(line) for line in open(os.path.join(FOLDER, 'reference.jsonl'))]
    games = [parse_game(row['moves'])[0] for row in rows]
    plies = np.array([len(g) for g in games])
    moves, begin = np.concatenate(games), np.cumsum([0, *plies[:-1]])
    legal = looks(moves, begin, plies, plies, planes=False)['legal']
    for rating in (1100, 1500, 1900):
        chances = teach(Maia(FOLDER, rating, dtype), moves, begin, plies).numpy()
        same = 0
        for row, list_, own, ply in zip(rows, legal, chances, plies):
            flip = 56 if ply & 1 else 0

            def uci(code):
                name = lambda s: 'abcdefgh'[s & 7] + '12345678'[s >> 3]
                return name((code & 63) ^ flip) + name((code >> 6 & 63) ^ flip) + ' nbrq'[code >> 12].strip()
            ours = {uci(int(code)): p for code, p in zip(list_, own) if code < 65535}
            same += max(ours, key=ours.get) == row[str(rating)]['top'][0][0]
            for move, p in row[str(rating)]['top']:
                assert abs(ours[move] - p) < far
        assert same >= least
