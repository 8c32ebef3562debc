// 3 x 3 convolutions over 8 x 8 boards and their gradients on AMX tiles (bf16 in, f32 sums), and the elementwise passes between them.
// Activations are [boards][64][channels] bf16; channels are multiples of 32. ops.py holds the same operations in plain torch, and the tests compare.
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef uint16_t bf16;
enum { ROWS = 80, CHUNK = 4, MOST = 128 };  // a board with an empty rank above and below

static const struct __attribute__((packed)) { uint8_t palette, start, reserved[14]; uint16_t bytes[16]; uint8_t rows[16]; } TILES = {
    1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};

// Asks the kernel for the tile registers; 0 if the process may use them.
int amx_open(void) { return syscall(SYS_arch_prctl, 0x1023, 18) ? 1 : 0; }

typedef struct { uint8_t bytes[64] __attribute__((aligned(64))); } Config;
static void enter(Config *old) {
    _tile_storeconfig(old);
    _tile_loadconfig(&TILES);
}
static void leave(const Config *old) {
    if (old->bytes[0]) _tile_loadconfig(old);
    else _tile_release();
}

static inline __m512 widen(const bf16 *p) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16)); }
static inline void narrow(bf16 *p, __m512 v) { _mm256_storeu_si256((__m256i *)p, (__m256i)_mm512_cvtneps_pbh(v)); }
static inline bf16 one_narrow(float f) {
    __m128i v = (__m128i)_mm_cvtneps_pbh(_mm_set_ss(f));
    return _mm_extract_epi16(v, 0);
}

// w f32 [9][in][out] -> tiles [9][in / 32][out / 16][16][32]: pairs of input channels side by side.
void pack(const float *w, int in, int out, bf16 *tiles) {
    for (int t = 0; t < 9; t++)
        for (int i = 0; i < in; i++)
            for (int o = 0; o < out; o++)
                tiles[(((t * (in / 32) + i / 32) * (out / 16) + o / 16) * 16 + i % 32 / 2) * 32 + o % 16 * 2 + (i & 1)] = one_narrow(w[(t * in + i) * out + o]);
}

// Three copies of a board: each square holds its left neighbour, itself, its right neighbour (zero beyond the edge).
static void shifted(const bf16 *x, int c, bf16 *copies) {
    size_t row = c * sizeof *x;
    for (int d = 0; d < 3; d++) {
        bf16 *to = copies + (size_t)d * ROWS * c;
        memset(to, 0, 8 * row);
        memset(to + 72 * c, 0, 8 * row);
        if (d == 1) {
            memcpy(to + 8 * c, x, 64 * row);
            continue;
        }
        for (int r = 0; r < 8; r++) {
            bf16 *line = to + (8 + 8 * r) * c;
            if (d == 0) {
                memset(line, 0, row);
                memcpy(line + c, x + 8 * r * c, 7 * row);
            } else {
                memcpy(line, x + (8 * r + 1) * c, 7 * row);
                memset(line + 7 * c, 0, row);
            }
        }
    }
}

// Thirty-two squares times thirty-two channels of sums, at `sums` [32][32].
static void block(const bf16 *copies, const bf16 *tiles, int in, int out, int square, int o, float *sums) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int t = 0; t < 9; t++) {
        const bf16 *a = copies + ((size_t)(t % 3) * ROWS + square + 8 * (t / 3)) * in;
        const bf16 *b = tiles + ((size_t)t * (in / 32) * (out / 16) + o / 16) * 512;
        for (int k = 0; k < in; k += 32, b += out / 16 * 512) {
            _tile_loadd(4, a + k, in * 2);
            _tile_loadd(5, a + k + 16 * in, in * 2);
            _tile_loadd(6, b, 64);
            _tile_loadd(7, b + 512, 64);
            _tile_dpbf16ps(0, 4, 6);
            _tile_dpbf16ps(1, 4, 7);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
        }
    }
    _tile_stored(0, sums, 128);
    _tile_stored(1, sums + 16, 128);
    _tile_stored(2, sums + 16 * 32, 128);
    _tile_stored(3, sums + 16 * 32 + 16, 128);
}

static void board_forward(const bf16 *copies, const bf16 *tiles, int in, int out, bf16 *y, float *sum, float *squares) {
    float sums[32 * 32] __attribute__((aligned(64)));
    for (int o = 0; o < out; o += 32) {
        __m512 s[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()}, q[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
        for (int square = 0; square < 64; square += 32) {
            block(copies, tiles, in, out, square, o, sums);
            for (int r = 0; r < 32; r++)
                for (int h = 0; h < 2; h++) {
                    __m512 v = _mm512_load_ps(sums + r * 32 + 16 * h);
                    narrow(y + (size_t)(square + r) * out + o + 16 * h, v);
                    s[h] = _mm512_add_ps(s[h], v);
                    q[h] = _mm512_fmadd_ps(v, v, q[h]);
                }
        }
        for (int h = 0; h < 2 && sum; h++) {
            _mm512_storeu_ps(sum + o + 16 * h, s[h]);
            _mm512_storeu_ps(squares + o + 16 * h, q[h]);
        }
    }
}

// y [n][64][out] = convolution of x [n][64][in]; sum and squares [n][out] f32 over the squares of a board (or 0).
void conv_forward(const bf16 *x, const bf16 *tiles, int n, int in, int out, bf16 *y, float *sum, float *squares) {
#pragma omp parallel
    {
        Config old;
        enter(&old);
        bf16 *copies = aligned_alloc(64, 3 * ROWS * MOST * sizeof *copies);
#pragma omp for schedule(dynamic, 8)
        for (int i = 0; i < n; i++) {
            shifted(x + (size_t)i * 64 * in, in, copies);
            board_forward(copies, tiles, in, out, y + (size_t)i * 64 * out, sum ? sum + (size_t)i * out : 0, squares ? squares + (size_t)i * out : 0);
        }
        free(copies);
        leave(&old);
    }
}

// [64 squares][c] -> [c][64], in blocks of sixteen pairs of squares by sixteen channels.
static void pairs(const bf16 *x, int c, int p, int ch, __m512i *row) {  // rows: pairs p..p+15, sixteen channels as (square, next square)
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    for (int i = 0; i < 16; i++) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(x + (size_t)2 * (p + i) * c + ch)), b = _mm256_loadu_si256((const __m256i *)(x + (size_t)(2 * (p + i) + 1) * c + ch));
        row[i] = _mm512_permutexvar_epi16(order, _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1));
    }
}
static void turn(__m512i *r) {  // transposes 16 x 16 numbers of 32 bits
    __m512i t[16];
    for (int i = 0; i < 16; i += 2) t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]), t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]), r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]), r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 16; i += 8)
        for (int k = 0; k < 4; k++) {
            t[i + k] = _mm512_shuffle_i32x4(r[i + k], r[i + k + 4], 0x88);
            t[i + k + 4] = _mm512_shuffle_i32x4(r[i + k], r[i + k + 4], 0xdd);
        }
    for (int k = 0; k < 8; k++) {
        r[k] = _mm512_shuffle_i32x4(t[k], t[k + 8], 0x88);
        r[k + 8] = _mm512_shuffle_i32x4(t[k], t[k + 8], 0xdd);
    }
}
// Three shifted copies of the transposed board, [3][c][ROWS].
static void transposed(const bf16 *x, int c, bf16 *out) {
    uint16_t left[32], right[32];
    for (int i = 0; i < 32; i++) left[i] = (i - 1) & 31, right[i] = (i + 1) & 31;
    const __m512i to_left = _mm512_loadu_si512(left), to_right = _mm512_loadu_si512(right);
    for (int ch = 0; ch < c; ch += 16)
        for (int half = 0; half < 2; half++) {
            __m512i r[16];
            pairs(x, c, 16 * half, ch, r);
            turn(r);
            for (int i = 0; i < 16; i++) {
                bf16 *to = out + (size_t)(ch + i) * ROWS + 8 + 32 * half;
                _mm512_storeu_si512(to, _mm512_maskz_permutexvar_epi16(0xfefefefe, to_left, r[i]));
                _mm512_storeu_si512(to + (size_t)c * ROWS, r[i]);
                _mm512_storeu_si512(to + (size_t)2 * c * ROWS, _mm512_maskz_permutexvar_epi16(0x7f7f7f7f, to_right, r[i]));
            }
        }
    for (int i = 0; i < 3 * c; i++) memset(out + (size_t)i * ROWS, 0, 16), memset(out + (size_t)i * ROWS + 72, 0, 16);
}
static void paired(const bf16 *g, int c, bf16 *out) {  // [32 pairs][c][2]
    for (int ch = 0; ch < c; ch += 16)
        for (int half = 0; half < 2; half++) {
            __m512i r[16];
            pairs(g, c, 16 * half, ch, r);
            for (int i = 0; i < 16; i++) _mm512_storeu_si512(out + ((size_t)(16 * half + i) * c + ch) * 2, r[i]);
        }
}

// The gradient that reaches y is gy + gsum + 2 y gsquares. Writes dx (unless 0; back: the weights packed with turned taps and swapped
// channels) and adds to dw f32 [9][in][out].
void conv_backward(const bf16 *x, const bf16 *y, const bf16 *gy, const float *gsum, const float *gsquares, const bf16 *back, int n, int in, int out,
                   bf16 *dx, float *dw) {
    size_t weights = (size_t)9 * in * out;
#pragma omp parallel
    {
        Config old;
        enter(&old);
        bf16 *copies = aligned_alloc(64, 3 * ROWS * MOST * sizeof *copies), *g = aligned_alloc(64, 64 * MOST * sizeof *g);
        bf16 *xt = aligned_alloc(64, CHUNK * 3 * ROWS * MOST * sizeof *xt), *pair = aligned_alloc(64, CHUNK * 64 * MOST * sizeof *pair);
        float *own = aligned_alloc(64, weights * sizeof *own);
        memset(own, 0, weights * sizeof *own);
#pragma omp for schedule(dynamic, 2)
        for (int first = 0; first < n; first += CHUNK) {
            int boards = n - first < CHUNK ? n - first : CHUNK;
            for (int b = 0; b < boards; b++) {
                size_t i = first + b;
                for (int ch = 0; ch < out; ch += 16) {
                    __m512 s = gsum ? _mm512_loadu_ps(gsum + i * out + ch) : _mm512_setzero_ps();
                    __m512 q = gsquares ? _mm512_loadu_ps(gsquares + i * out + ch) : _mm512_setzero_ps();
                    q = _mm512_add_ps(q, q);
                    for (int k = 0; k < 64; k++) {
                        size_t at = (i * 64 + k) * out + ch;
                        narrow(g + k * out + ch, _mm512_fmadd_ps(widen(y + at), q, _mm512_add_ps(widen(gy + at), s)));
                    }
                }
                if (dx) {
                    shifted(g, out, copies);
                    board_forward(copies, back, out, in, dx + i * 64 * in, 0, 0);
                }
                transposed(x + i * 64 * in, in, xt + (size_t)b * 3 * ROWS * in);
                paired(g, out, pair + (size_t)b * 64 * out);
            }
            for (int d = 0; d < 3; d++)
                for (int i = 0; i < in; i += 32)
                    for (int o = 0; o < out; o += 32)
                        for (int r = 0; r < 3; r++) {
                            float *c = own + ((size_t)(3 * r + d) * in + i) * out + o;
                            _tile_loadd(0, c, out * 4);
                            _tile_loadd(1, c + 16, out * 4);
                            _tile_loadd(2, c + 16 * out, out * 4);
                            _tile_loadd(3, c + 16 * out + 16, out * 4);
                            for (int b = 0; b < boards; b++)
                                for (int k = 0; k < 2; k++) {
                                    const bf16 *a = xt + (((size_t)b * 3 + d) * in + i) * ROWS + 8 * r + 32 * k, *e = pair + (((size_t)b * 32 + 16 * k) * out + o) * 2;
                                    _tile_loadd(4, a, ROWS * 2);
                                    _tile_loadd(5, a + 16 * ROWS, ROWS * 2);
                                    _tile_loadd(6, e, out * 4);
                                    _tile_loadd(7, e + 32, out * 4);
                                    _tile_dpbf16ps(0, 4, 6);
                                    _tile_dpbf16ps(1, 4, 7);
                                    _tile_dpbf16ps(2, 5, 6);
                                    _tile_dpbf16ps(3, 5, 7);
                                }
                            _tile_stored(0, c, out * 4);
                            _tile_stored(1, c + 16, out * 4);
                            _tile_stored(2, c + 16 * out, out * 4);
                            _tile_stored(3, c + 16 * out + 16, out * 4);
                        }
        }
#pragma omp critical
        for (size_t i = 0; i < weights; i++) dw[i] += own[i];
        free(copies), free(g), free(xt), free(pair), free(own);
        leave(&old);
    }
}

// h = min(max(scale y + shift + x, 0), most), with scale and shift [n][c] f32 and x (or 0) of y's shape.
void affine_forward(const bf16 *y, const float *scale, const float *shift, const bf16 *x, int n, int c, float most, bf16 *h) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++)
        for (int ch = 0; ch < c; ch += 16) {
            __m512 s = _mm512_loadu_ps(scale + (size_t)i * c + ch), t = _mm512_loadu_ps(shift + (size_t)i * c + ch), top = _mm512_set1_ps(most);
            for (int k = 0; k < 64; k++) {
                size_t at = ((size_t)i * 64 + k) * c + ch;
                __m512 v = _mm512_fmadd_ps(widen(y + at), s, t);
                if (x) v = _mm512_add_ps(v, widen(x + at));
                narrow(h + at, _mm512_min_ps(_mm512_max_ps(v, _mm512_setzero_ps()), top));
            }
        }
}

// From dh: dy, dscale, dshift, and dx (or 0).
void affine_backward(const bf16 *dh, const bf16 *h, const bf16 *y, const float *scale, int n, int c, float most, bf16 *dy, float *dscale, float *dshift, bf16 *dx) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++)
        for (int ch = 0; ch < c; ch += 16) {
            __m512 s = _mm512_loadu_ps(scale + (size_t)i * c + ch), ds = _mm512_setzero_ps(), dt = ds, top = _mm512_set1_ps(most);
            for (int k = 0; k < 64; k++) {
                size_t at = ((size_t)i * 64 + k) * c + ch;
                __m512 v = widen(h + at);
                __mmask16 open = _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_GT_OQ) & _mm512_cmp_ps_mask(v, top, _CMP_LT_OQ);
                __m512 m = _mm512_maskz_mov_ps(open, widen(dh + at));
                narrow(dy + at, _mm512_mul_ps(m, s));
                ds = _mm512_fmadd_ps(m, widen(y + at), ds);
                dt = _mm512_add_ps(dt, m);
                if (dx) narrow(dx + at, m);
            }
            _mm512_storeu_ps(dscale + (size_t)i * c + ch, ds);
            _mm512_storeu_ps(dshift + (size_t)i * c + ch, dt);
        }
}
