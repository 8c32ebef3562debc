import pytest, torch
import ops


@pytest.mark.skipif(ops.AMX is None, reason='no AMX here')
@pytest.mark.parametrize('fan, out, n', [(96, 64, 5), (64, 64, 9), (32, 96, 1)])
def test_amx_equals_plain_torch(fan, out, n):
    torch.manual_seed(1)
    made = [torch.randn(n, 64, fan), torch.randn(9, fan, out) * 0.05, torch.rand(n, out) + 0.5, torch.randn(n, out), torch.randn(n, 64, out)]

    def both(convolve, affine, kind):
        x, w, s, t, r = (v.to(kind if v.ndim == 3 and v is not made[1] else torch.float32).requires_grad_() for v in made)
        y, sums, squares = convolve(x, w)
        h = affine(y, s * squares / 64, t + sums / 64, r)
        return [y, sums, squares, h, *torch.autograd.grad((h.float() ** 2).sum(), (x, w, s, t, r))]
    for a, b in zip(both(ops.convolve, ops.affine, torch.bfloat16), both(ops.plain_convolve, ops.plain_affine, torch.float32)):
        assert (a.float() - b).norm() <= 0.1 * b.norm()  # rounding moves a few values across the ends of the ReLU
