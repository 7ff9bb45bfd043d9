// Products and decoding steps of the Llama family on a CPU. cpu_kernels.py compiles and calls this file, and says what each entry
// does.
//
// A weight (O outputs, I inputs) is stored in panels of PANEL outputs, and a panel input by input, so that the innermost loop reads
// it in order. Every sum has one fixed order that depends on nothing but its own row: a row gets the same bits in any batch.
//
//     float32   panel: I x PANEL floats
//     integers  panel: I/2 x PANEL x 2, one scale per output and GROUP inputs. Inputs are rounded to integers as well.
//
// N rows, K key-value heads, G query heads to each, D head size.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <thread>
#include <vector>
#include <pthread.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__) && defined(__AVX512BW__)
constexpr int WIDTH = 16, TILE = 12;
#elif defined(__AVX2__)
constexpr int WIDTH = 8, TILE = 6;
#else
constexpr int WIDTH = 4, TILE = 8;
#endif
constexpr int PANEL = 2 * WIDTH;  // outputs that are computed together
constexpr int CHUNK = 128;        // inputs whose weights stay in the L1 cache for all rows
constexpr int GROUP = 64;         // inputs with a common scale
constexpr int BLOCK = 192;        // rows whose inputs stay in the L2 cache
constexpr int LINE = 64;

typedef float Vector __attribute__((vector_size(WIDTH * 4)));
typedef int32_t Integers __attribute__((vector_size(WIDTH * 4)));

template <class T> T load(const void* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T> void store(void* to, T value) { std::memcpy(to, &value, sizeof value); }

float sum(Vector value) {
    float total = 0;
    for (int i = 0; i < WIDTH; i++) total += value[i];
    return total;
}

// e to the power of each value, within two units in the last place.
Vector exp(Vector x) {
    x = x < -87.0f ? Vector{} - 87.0f : x;
    x = x > 88.0f ? Vector{} + 88.0f : x;
    const Vector shifted = x * 1.44269504f + 12582912.0f;  // rounds to an integer, which is in the lowest bits
    const Vector whole = shifted - 12582912.0f;
    const Vector rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    Vector y = Vector{} + 1.9875691500e-4f;
    y = y * rest + 1.3981999507e-3f;
    y = y * rest + 8.3334519073e-3f;
    y = y * rest + 4.1665795894e-2f;
    y = y * rest + 1.6666665459e-1f;
    y = y * rest + 5.0000001201e-1f;
    y = y * rest * rest + rest + 1.0f;
    const Integers power = ((Integers)shifted - 0x4B400000 + 127) << 23;
    return y * (Vector)power;
}

Vector tanh(Vector x) { return 1.0f - 2.0f / (exp(2.0f * x) + 1.0f); }

// ---- Threads ----------------------------------------------------------------------------------------------------------------

// The threads of the OpenMP library that torch computes with, by its functions. They spin for some time while they wait, so threads
// of our own beside them would have to share the cores with them. All pointers are null if torch has no such library.
struct Pool {
    void (*parallel)(void (*)(void*), void*, unsigned, unsigned);  // GOMP_parallel
    int (*number)();
    int (*count)();
} pool;

// Threads that compute one phase after the other. The tasks of a phase are shared out evenly. A thread that is done takes tasks of
// others, because another process may slow one of them down.
class Team {
   public:
    Team(int most, int phases) : most_(most), next_(most * phases) {}

    // Calls work(number) on each thread. There are fewer threads if the system refuses some.
    template <class Work> void run(Work work) {
        if (pool.parallel) {
            struct Call {
                Team* team;
                Work* work;
            } call{this, &work};
            const auto each = [](void* given) {
                Call& call = *(Call*)given;
                call.team->size_.store(pool.count(), std::memory_order_relaxed);
                (*call.work)(pool.number());
            };
            pool.parallel(each, &call, most_, 0);
            return;
        }
        std::vector<std::thread> others;
        others.reserve(most_);
        try {
            while ((int)others.size() < most_ - 1) {
                others.emplace_back([&, me = (int)others.size() + 1] {
                    wait([&] { return size_.load(std::memory_order_acquire) == 0; });
                    work(me);
                });
            }
        } catch (const std::exception&) {  // those that began are enough
        }
        size_.store((int)others.size() + 1, std::memory_order_release);
        work(0);
        for (auto& other : others) other.join();
    }

    // Calls task(i) for each i < count on some thread, and ends with a barrier.
    template <class Task> void share(int me, int phase, int64_t count, Task task) {
        const int size = size_.load(std::memory_order_relaxed);
        for (int turn = 0; turn < size; turn++) {
            const int64_t whose = (me + turn) % size, first = count * whose / size, end = count * (whose + 1) / size;
            auto& next = next_[phase * most_ + whose].value;
            for (int64_t i; (i = first + next.fetch_add(1, std::memory_order_relaxed)) < end;) task(i);
        }
        const int round = round_.load(std::memory_order_relaxed);
        if (waiting_.fetch_add(1, std::memory_order_acq_rel) == size - 1) {
            waiting_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
        } else {
            wait([&] { return round_.load(std::memory_order_acquire) == round; });
        }
    }

   private:
    struct alignas(LINE) Counter {
        std::atomic<int64_t> value{0};
    };

    template <class Condition> static void wait(Condition still) {
        for (int tries = 0; still();) {
            if (tries < 2000) tries++;
            else std::this_thread::yield();
#if defined(__x86_64__)
            _mm_pause();
#endif
        }
    }

    const int most_;
    std::vector<Counter> next_;
    alignas(LINE) std::atomic<int> size_{0};
    alignas(LINE) std::atomic<int> waiting_{0};
    alignas(LINE) std::atomic<int> round_{0};
};

// ---- Products ---------------------------------------------------------------------------------------------------------------

struct Weight {
    const void* data;
    const float* scales;  // [panel][group][PANEL], for integers
    const float* bias;    // or null
    int64_t outputs, inputs;
    int64_t bits;  // 32 for floats, otherwise 8 or 16 for integers
};

// Rows of inputs. Integers are made of floats by `round_row`.
struct Rows {
    const float* floats;
    int64_t step;  // from one row to the next
    const int16_t* integers;
    const float* scales;  // [row][group]
};

int64_t panels(const Weight& w) { return (w.outputs + PANEL - 1) / PANEL; }
int64_t groups(int64_t inputs) { return (inputs + GROUP - 1) / GROUP; }

// Adds the products of R rows with `count` inputs of a panel to sums[R][PANEL]. Fetches `lines` of what is computed next.
template <int R>
void multiply(const float* x, int64_t step, const float* w, int count, float* sums, const char* ahead, int lines) {
    Vector left[R], right[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) left[r] = load<Vector>(sums + r * PANEL), right[r] = load<Vector>(sums + r * PANEL + WIDTH);
    for (int i = 0; i < count; i++) {
        if (i < lines) __builtin_prefetch(ahead + i * LINE);
        const Vector a = load<Vector>(w + i * PANEL), b = load<Vector>(w + i * PANEL + WIDTH);
#pragma GCC unroll 16
        for (int r = 0; r < R; r++) {
            const float each = x[r * step + i];
            left[r] += each * a;
            right[r] += each * b;
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) store(sums + r * PANEL, left[r]), store(sums + r * PANEL + WIDTH, right[r]);
}

#if defined(__AVX512F__) && defined(__AVX512BW__)
#define PAIRS 1
Integers add_pairs(Integers total, Integers a, Integers b) {
#if defined(__AVX512VNNI__)
    return (Integers)_mm512_dpwssd_epi32((__m512i)total, (__m512i)a, (__m512i)b);
#else
    return total + (Integers)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#endif
}
#elif defined(__AVX2__)
#define PAIRS 1
Integers add_pairs(Integers total, Integers a, Integers b) {
    return total + (Integers)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}
#endif

#ifdef PAIRS
// Adds the products of R rows with one group of a panel to sums[R][PANEL].
template <int R>
void multiply_group(const int16_t* x, int64_t step, const float* x_scales, int64_t x_scales_step, const int16_t* w,
                    const float* w_scales, float* sums, const char* ahead, int lines) {
    Integers left[R], right[R];
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) left[r] = right[r] = Integers{};
    for (int i = 0; i < GROUP / 2; i++) {
        if (i < lines) __builtin_prefetch(ahead + i * LINE);
        const Integers a = load<Integers>(w + i * 2 * PANEL), b = load<Integers>(w + i * 2 * PANEL + PANEL);
#pragma GCC unroll 16
        for (int r = 0; r < R; r++) {
            const Integers each = Integers{} + load<int32_t>(x + r * step + 2 * i);
            left[r] = add_pairs(left[r], each, a);
            right[r] = add_pairs(right[r], each, b);
        }
    }
    const Vector a = load<Vector>(w_scales), b = load<Vector>(w_scales + WIDTH);
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) {
        const Vector each = Vector{} + x_scales[r * x_scales_step];
        float* into = sums + r * PANEL;
        store(into, load<Vector>(into) + __builtin_convertvector(left[r], Vector) * (each * a));
        store(into + WIDTH, load<Vector>(into + WIDTH) + __builtin_convertvector(right[r], Vector) * (each * b));
    }
}
#endif

template <int R, class... Given> void multiply_any(int rows, Given... given) {
    if (rows == R) return multiply<R>(given...);
    if constexpr (R > 1) multiply_any<R - 1>(rows, given...);
}

#ifdef PAIRS
template <int R, class... Given> void multiply_group_any(int rows, Given... given) {
    if (rows == R) return multiply_group<R>(given...);
    if constexpr (R > 1) multiply_group_any<R - 1>(rows, given...);
}
#endif

// Calls work(first, count, number, tiles) for tiles of at most TILE rows, as equal as possible.
template <class Work> void tiled(int rows, Work work) {
    const int tiles = (rows + TILE - 1) / TILE;
    for (int i = 0; i < tiles; i++) {
        const int first = rows * i / tiles;
        work(first, rows * (i + 1) / tiles - first, i, tiles);
    }
}

void multiply_panel(const Weight& w, const Rows& x, int64_t row, int rows, int64_t panel, float* sums) {
    const float* weights = (const float*)w.data + panel * w.inputs * PANEL;
    for (int64_t from = 0; from < w.inputs; from += CHUNK) {
        const int count = (int)std::min<int64_t>(CHUNK, w.inputs - from);
        const float* now = weights + from * PANEL;
        tiled(rows, [&](int first, int size, int number, int tiles) {
            const int lines = count * PANEL * 4 / LINE / tiles + 1;
            const char* ahead = (const char*)(now + count * PANEL) + number * lines * LINE;
            multiply_any<TILE>(size, x.floats + (row + first) * x.step + from, x.step, now, count, sums + first * PANEL, ahead,
                               lines);
        });
    }
}

void multiply_integer_panel(const Weight& w, const Rows& x, int64_t row, int rows, int64_t panel, float* sums) {
    const int64_t all = groups(w.inputs), bytes = GROUP * PANEL * w.bits / 8;
    const char* weights = (const char*)w.data + panel * all * bytes;
    const float* scales = w.scales + panel * all * PANEL;
    for (int64_t group = 0; group < all; group++) {
        const char* now = weights + group * bytes;
#ifdef PAIRS
        alignas(LINE) int16_t wide[GROUP * PANEL];
        const int16_t* ready = (const int16_t*)now;
        if (w.bits == 8) {
            for (int i = 0; i < GROUP * PANEL; i++) wide[i] = ((const int8_t*)now)[i];
            ready = wide;
        }
        tiled(rows, [&](int first, int size, int number, int tiles) {
            const int lines = (int)bytes / LINE / tiles + 1;
            multiply_group_any<TILE>(size, x.integers + (row + first) * all * GROUP + group * GROUP, all * GROUP,
                                     x.scales + (row + first) * all + group, all, ready, scales + group * PANEL,
                                     sums + first * PANEL, now + bytes + number * lines * LINE, lines);
        });
#else
        float plain[GROUP * PANEL], inputs[TILE * GROUP];
        for (int i = 0; i < GROUP * PANEL; i++) {
            const int value = w.bits == 8 ? ((const int8_t*)now)[i] : ((const int16_t*)now)[i];
            plain[(i / (2 * PANEL) * 2 + i % 2) * PANEL + i / 2 % PANEL] = value * scales[group * PANEL + i / 2 % PANEL];
        }
        tiled(rows, [&](int first, int size, int, int) {
            for (int i = 0; i < size * GROUP; i++) {
                const int64_t from = row + first + i / GROUP;
                inputs[i] = x.integers[from * all * GROUP + group * GROUP + i % GROUP] * x.scales[from * all + group];
            }
            multiply_any<TILE>(size, inputs, (int64_t)GROUP, plain, GROUP, sums + first * PANEL, now, 0);
        });
#endif
    }
}

// The largest absolute value of a group. NaN if a value is NaN, because integers cannot hold it. Never 0, which is divided by.
float largest_of(const float* values) {
    int32_t largest = 0;
    for (int i = 0; i < GROUP; i++) largest = std::max(largest, load<int32_t>(values + i) & 0x7FFFFFFF);  // ordered like the floats
    const float value = load<float>(&largest);
    return value < 1e-30f ? 1e-30f : value;
}

// The nearest integer of a value below 2^22, ties go to the even one. Any integer for NaN.
int32_t nearest(float value) {
    const float shifted = value + 12582912.0f;  // its lowest bits are the integer
    return load<int32_t>(&shifted) - 0x4B400000;
}

// One row of integers from `inputs` floats. The largest of a group becomes the largest integer that cannot overflow a sum.
void round_row(const float* x, int64_t inputs, int64_t bits, int16_t* integers, float* scales) {
    const float most = bits == 8 ? 32767.0f : 8191.0f;
    for (int64_t group = 0; group < groups(inputs); group++) {
        alignas(LINE) float values[GROUP] = {};
        const int64_t from = group * GROUP;
        std::memcpy(values, x + from, std::min<int64_t>(GROUP, inputs - from) * 4);
        const float largest = largest_of(values), inverse = most / largest;
        for (int i = 0; i < GROUP; i++) integers[from + i] = (int16_t)nearest(values[i] * inverse);
        scales[group] = largest / most;
    }
}

// The tasks of a product: blocks of rows, and all panels for each. Small products of many threads get smaller blocks.
struct Plan {
    Plan(const Weight& w, int64_t rows, int threads) : rows(rows), panels_(panels(w)) {
        const int64_t wanted = (4 * threads + panels_ - 1) / panels_;
        const int64_t least = (rows + wanted - 1) / wanted;
        block = (int)std::min<int64_t>({BLOCK, rows, (least + TILE - 1) / TILE * TILE});
    }
    int64_t count() const { return (rows + block - 1) / block * panels_; }

    int64_t rows, panels_;
    int block;
};

// One task: results go to y, or are added to it.
void multiply_task(const Plan& plan, int64_t task, const Weight& w, const Rows& x, float* y, int64_t y_step) {
    alignas(LINE) float sums[BLOCK * PANEL];
    const int64_t panel = task % plan.panels_, row = task / plan.panels_ * plan.block;
    const int rows = (int)std::min<int64_t>(plan.block, plan.rows - row);
    const int outputs = (int)std::min<int64_t>(PANEL, w.outputs - panel * PANEL);
    alignas(LINE) float begin[PANEL] = {};
    if (w.bias) std::memcpy(begin, w.bias + panel * PANEL, outputs * sizeof(float));
    for (int r = 0; r < rows; r++) std::memcpy(sums + r * PANEL, begin, sizeof begin);
    (w.bits == 32 ? multiply_panel : multiply_integer_panel)(w, x, row, rows, panel, sums);
    for (int r = 0; r < rows; r++) {
        std::memcpy(y + (row + r) * y_step + panel * PANEL, sums + r * PANEL, outputs * sizeof(float));
    }
}

void pack_panel(const float* weight, const Weight& w, int64_t panel, float* to) {
    const int64_t first = panel * PANEL, count = std::min<int64_t>(PANEL, w.outputs - first);
    for (int64_t from = 0; from < w.inputs; from += LINE) {
        const int64_t end = std::min<int64_t>(w.inputs, from + LINE);
        for (int64_t o = 0; o < PANEL; o++) {
            for (int64_t i = from; i < end; i++) to[i * PANEL + o] = o < count ? weight[(first + o) * w.inputs + i] : 0.0f;
        }
    }
}

// The integers of a panel. The largest of a group becomes `most`.
template <class Integer>
void round_panel(const float* weight, const Weight& w, int64_t panel, float most, Integer* data, float* scales) {
    const int64_t all = groups(w.inputs);
    for (int64_t o = 0; o < PANEL; o++) {
        const int64_t output = panel * PANEL + o;
        for (int64_t group = 0; group < all; group++) {
            float values[GROUP] = {};
            const int64_t from = group * GROUP, count = std::min<int64_t>(GROUP, w.inputs - from);
            if (output < w.outputs) std::memcpy(values, weight + output * w.inputs + from, count * 4);
            const float largest = largest_of(values);
            scales[(panel * all + group) * PANEL + o] = largest / most;
            Integer* to = data + (panel * all + group) * GROUP * PANEL + 2 * o;
            for (int i = 0; i < GROUP; i++) to[i / 2 * 2 * PANEL + i % 2] = (Integer)nearest(values[i] * (most / largest));
        }
    }
}

// ---- A decoding step --------------------------------------------------------------------------------------------------------

struct Layer {
    Weight qkv, out, gate_up, down;
    const float *norm_in, *norm_mid;
    const float *norm_attended, *norm_added;  // or null
    const float *norm_q, *norm_k;             // or null
    int64_t window;  // 0 for none
    int64_t rope;
    float scaling, cap;  // a cap of 0 for none
};

struct Model {
    const Layer* layers;
    const float* norm;
    int64_t count, hidden, inner, heads, kv_heads, size;
    float eps;
    int32_t gelu;
};

struct Prefix {
    const float* const* keys;  // [layer][K], packed (P, D)
    const float* const* values;  // packed (D, P)
    int64_t length, padded;
    int64_t first, count;  // its rows in `order`
};

struct Batch {
    float* x;  // (N, hidden): embeddings on entry, the last hidden states on return
    const float* const* cos;  // [rope] (N, D/2)
    const float* const* sin;
    float* const* keys;  // [layer], [slot][K][positions][D] each
    float* const* values;
    const int64_t* write;  // the position of each row's new key in its slot
    const int64_t* order;
    const Prefix* prefixes;
    int64_t rows, positions, prefix_count, threads;
};

void normed(const float* x, const float* weight, int64_t size, float eps, float* y) {
    Vector squares{};
    float rest = 0;
    int64_t i = 0;
    for (; i + WIDTH <= size; i += WIDTH) squares += load<Vector>(x + i) * load<Vector>(x + i);
    for (; i < size; i++) rest += x[i] * x[i];
    const float scale = 1.0f / std::sqrt((sum(squares) + rest) / size + eps);
    for (i = 0; i < size; i++) y[i] = x[i] * scale * weight[i];
}

void activate(const float* gate, const float* up, int64_t size, bool gelu, float* y) {
    for (int64_t i = 0; i < size; i += WIDTH) {
        const int count = (int)std::min<int64_t>(WIDTH, size - i);
        Vector g{}, u{};
        std::memcpy(&g, gate + i, count * 4);
        std::memcpy(&u, up + i, count * 4);
        const Vector cubic = 0.79788456f * (g + 0.044715f * g * g * g);
        const Vector a = gelu ? 0.5f * g * (1.0f + tanh(cubic)) : g / (1.0f + exp(-g));
        const Vector product = a * u;
        std::memcpy(y + i, &product, count * 4);
    }
}

void turn(float* x, const float* cos, const float* sin, int64_t size) {
    for (int64_t i = 0; i < size / 2; i++) {
        const float first = x[i], second = x[i + size / 2];
        x[i] = first * cos[i] - second * sin[i];
        x[i + size / 2] = second * cos[i] + first * sin[i];
    }
}

float dot(const float* a, const float* b, int64_t size) {
    Vector total{};
    float rest = 0;
    int64_t i = 0;
    for (; i + WIDTH <= size; i += WIDTH) total += load<Vector>(a + i) * load<Vector>(b + i);
    for (; i < size; i++) rest += a[i] * b[i];
    return sum(total) + rest;
}

// y += the sum of weights[j] values[j]
void add_weighted(const float* weights, const float* values, int64_t count, int64_t size, float* y) {
    int64_t i = 0;
    for (; i + 4 * WIDTH <= size; i += 4 * WIDTH) {
        Vector total[4];
        for (int v = 0; v < 4; v++) total[v] = load<Vector>(y + i + v * WIDTH);
        for (int64_t j = 0; j < count; j++) {
            for (int v = 0; v < 4; v++) total[v] += weights[j] * load<Vector>(values + j * size + i + v * WIDTH);
        }
        for (int v = 0; v < 4; v++) store(y + i + v * WIDTH, total[v]);
    }
    for (; i < size; i++) {
        for (int64_t j = 0; j < count; j++) y[i] += weights[j] * values[j * size + i];
    }
}

// Softmax, with a soft cap if it is above 0. Scores before `first` are hidden.
void soften(float* scores, int64_t count, int64_t first, float cap) {
    const Vector low = Vector{} - INFINITY;
    for (int64_t i = 0; i < first; i++) scores[i] = -INFINITY;
    for (int64_t i = count; i % WIDTH; i++) scores[i] = -INFINITY;
    Vector most = low;
    for (int64_t i = 0; i < count; i += WIDTH) {
        Vector x = load<Vector>(scores + i);
        if (cap > 0) {
            x = x == low ? low : cap * tanh(x / cap);
            store(scores + i, x);
        }
        most = x > most ? x : most;
    }
    float largest = most[0];
    for (int i = 1; i < WIDTH; i++) largest = std::max(largest, most[i]);
    Vector total{};
    for (int64_t i = 0; i < count; i += WIDTH) {
        const Vector x = load<Vector>(scores + i), e = x == low ? Vector{} : exp(x - largest);
        total += e;
        store(scores + i, e);
    }
    const float scale = 1.0f / sum(total);
    for (int64_t i = 0; i < count; i += WIDTH) store(scores + i, load<Vector>(scores + i) * scale);
}

class Step {
   public:
    Step(const Model& model, const Batch& batch)
        : m_(model), b_(batch), team_((int)batch.threads, (int)model.count * PHASES + 1) {
        const int64_t heads = (m_.heads + 2 * m_.kv_heads) * m_.size;
        joined_.resize(b_.rows * std::max(heads, 2 * m_.inner));
        added_.resize(b_.rows * m_.hidden);
        const int64_t widest = std::max({m_.hidden, m_.heads * m_.size, m_.inner});
        step_ = widest + WIDTH;  // no power of two: rows would have the same place in the cache
        inputs_.resize(b_.rows * step_);
        if (m_.layers[0].qkv.bits != 32) {
            integers_.resize(b_.rows * groups(widest) * GROUP);
            scales_.resize(b_.rows * groups(widest));
        }
        const int64_t share = m_.heads / m_.kv_heads, most = std::max<int64_t>(1, TILE / share);
        for (int64_t prefix = 0; prefix < b_.prefix_count; prefix++) {
            const Prefix& each = b_.prefixes[prefix];
            for (int64_t from = 0; from < each.count; from += most) {
                blocks_.push_back({prefix, each.first + from, std::min<int64_t>(most, each.count - from)});
                const int64_t wide = columns(each, b_.order + blocks_.back().first, blocks_.back().count);
                room_size_ = std::max(room_size_, most * share * (wide + 2 * m_.size) + TILE * PANEL);
            }
        }
        room_.resize(b_.threads * room_size_);
    }

    void run() {
        team_.run([this](int me) {
            for (int64_t number = 0; number < m_.count; number++) layer(me, number);
            team_.share(me, (int)m_.count * PHASES, b_.rows, [&](int64_t row) {
                finish(row, m_.layers[m_.count - 1].norm_added);
                normed(x(row), m_.norm, m_.hidden, m_.eps, x(row));
            });
        });
    }

   private:
    static constexpr int PHASES = 9;
    struct Block {
        int64_t prefix, first, count;
    };

    float* x(int64_t row) { return b_.x + row * m_.hidden; }
    float* input(int64_t row) { return inputs_.data() + row * step_; }

    // Adds the result of the last product to a row.
    void finish(int64_t row, const float* norm) {
        float* added = added_.data() + row * m_.hidden;
        if (norm) normed(added, norm, m_.hidden, m_.eps, added);
        for (int64_t i = 0; i < m_.hidden; i++) x(row)[i] += added[i];
    }

    // The number of floats that the scores of one query need.
    int64_t columns(const Prefix& prefix, const int64_t* rows, int64_t count) {
        int64_t longest = 0;
        for (int64_t i = 0; i < count; i++) longest = std::max(longest, b_.write[rows[i]] + 1);
        return (prefix.padded + longest + WIDTH - 1) / WIDTH * WIDTH + WIDTH;
    }

    void round(int64_t row, const Weight& w) {
        if (w.bits == 32) return;
        const int64_t all = groups(w.inputs);
        round_row(input(row), w.inputs, w.bits, integers_.data() + row * all * GROUP, scales_.data() + row * all);
    }

    void product(int me, int phase, const Weight& w, float* y, int64_t y_step) {
        const Rows rows{inputs_.data(), step_, integers_.data(), scales_.data()};
        const Plan plan(w, b_.rows, (int)b_.threads);
        team_.share(me, phase, plan.count(), [&](int64_t task) { multiply_task(plan, task, w, rows, y, y_step); });
    }

    void layer(int me, int64_t number) {
        const Layer& layer = m_.layers[number];
        const int phase = (int)number * PHASES;
        team_.share(me, phase, b_.rows, [&](int64_t row) {
            if (number) finish(row, m_.layers[number - 1].norm_added);
            normed(x(row), layer.norm_in, m_.hidden, m_.eps, input(row));
            round(row, layer.qkv);
        });
        product(me, phase + 1, layer.qkv, joined_.data(), layer.qkv.outputs);
        const int64_t blocks = (int64_t)blocks_.size();
        team_.share(me, phase + 2, blocks * m_.kv_heads, [&](int64_t task) {
            attend(number, task / blocks, blocks_[task % blocks], room_.data() + me * room_size_);
        });
        if (layer.out.bits != 32) team_.share(me, phase + 3, b_.rows, [&](int64_t row) { round(row, layer.out); });
        product(me, phase + 4, layer.out, added_.data(), m_.hidden);
        team_.share(me, phase + 5, b_.rows, [&](int64_t row) {
            finish(row, layer.norm_attended);
            normed(x(row), layer.norm_mid, m_.hidden, m_.eps, input(row));
            round(row, layer.gate_up);
        });
        product(me, phase + 6, layer.gate_up, joined_.data(), 2 * m_.inner);
        team_.share(me, phase + 7, b_.rows, [&](int64_t row) {
            const float* gate = joined_.data() + row * 2 * m_.inner;
            activate(gate, gate + m_.inner, m_.inner, m_.gelu, input(row));
            round(row, layer.down);
        });
        product(me, phase + 8, layer.down, added_.data(), m_.hidden);
    }

    // The attention of some rows with a common prefix, in the query heads of one head of keys. Stores the new keys and values.
    void attend(int64_t number, int64_t head, const Block& block, float* scores) {
        const Layer& layer = m_.layers[number];
        const Prefix& prefix = b_.prefixes[block.prefix];
        float *slot_keys = b_.keys[number], *slot_values = b_.values[number];
        const int64_t size = m_.size, share = m_.heads / m_.kv_heads, queries = block.count * share;
        const int64_t* rows = b_.order + block.first;
        const int64_t step = columns(prefix, rows, block.count);
        float *query = scores + queries * step, *found = query + queries * size, *sums = found + queries * size;
        for (int64_t i = 0; i < queries; i++) {
            const int64_t row = rows[i / share], half = size / 2;
            const float *cos = b_.cos[layer.rope] + row * half, *sin = b_.sin[layer.rope] + row * half;
            float* heads = joined_.data() + row * layer.qkv.outputs;
            float* mine = query + i * size;
            std::memcpy(mine, heads + (head * share + i % share) * size, size * 4);
            if (layer.norm_q) normed(mine, layer.norm_q, size, m_.eps, mine);
            turn(mine, cos, sin, size);
            for (int64_t d = 0; d < size; d++) mine[d] *= layer.scaling;
            if (i % share == 0) {
                const int64_t place = ((row * m_.kv_heads + head) * b_.positions + b_.write[row]) * size;
                float* key = slot_keys + place;
                std::memcpy(key, heads + (m_.heads + head) * size, size * 4);
                if (layer.norm_k) normed(key, layer.norm_k, size, m_.eps, key);
                turn(key, cos, sin, size);
                std::memcpy(slot_values + place, heads + (m_.heads + m_.kv_heads + head) * size, size * 4);
            }
        }
        const int64_t place = number * m_.kv_heads + head;
        if (prefix.length) {
            const Weight keys{prefix.keys[place], nullptr, nullptr, prefix.padded, size, 32};
            products(keys, {query, size, nullptr, nullptr}, (int)queries, scores, step, sums);
        }
        for (int64_t i = 0; i < queries; i++) {
            const int64_t row = rows[i / share], own = b_.write[row] + 1, slot = (row * m_.kv_heads + head) * b_.positions * size;
            const int64_t all = prefix.length + own, hidden = layer.window ? std::max<int64_t>(0, all - layer.window) : 0;
            float* mine = scores + i * step;
            for (int64_t j = std::max<int64_t>(0, hidden - prefix.length); j < own; j++) {
                mine[prefix.length + j] = dot(query + i * size, slot_keys + slot + j * size, size);
            }
            soften(mine, all, hidden, layer.cap);
        }
        std::memset(found, 0, queries * size * 4);
        if (prefix.length) {
            // the row's own attention weights move behind the padding, which gets the weight 0
            for (int64_t i = 0; i < queries; i++) {
                const int64_t own = b_.write[rows[i / share]] + 1;
                float* mine = scores + i * step;
                std::memmove(mine + prefix.padded, mine + prefix.length, own * 4);
                std::memset(mine + prefix.length, 0, (prefix.padded - prefix.length) * 4);
            }
            const Weight values{prefix.values[place], nullptr, nullptr, size, prefix.padded, 32};
            products(values, {scores, step, nullptr, nullptr}, (int)queries, found, size, sums);
        }
        for (int64_t i = 0; i < queries; i++) {
            const int64_t row = rows[i / share], own = b_.write[row] + 1, slot = (row * m_.kv_heads + head) * b_.positions * size;
            const int64_t skipped = layer.window ? std::max<int64_t>(0, own - layer.window) : 0;
            add_weighted(scores + i * step + prefix.padded + skipped, slot_values + slot + skipped * size, own - skipped, size,
                         found + i * size);
            std::memcpy(input(row) + (head * share + i % share) * size, found + i * size, size * 4);
        }
    }

    // All products of a few rows, on one thread.
    void products(const Weight& w, const Rows& x, int rows, float* y, int64_t y_step, float* sums) {
        for (int first = 0; first < rows; first += TILE) {
            const int count = std::min(TILE, rows - first);
            for (int64_t panel = 0; panel < panels(w); panel++) {
                std::memset(sums, 0, count * PANEL * 4);
                multiply_panel(w, x, first, count, panel, sums);
                const int64_t outputs = std::min<int64_t>(PANEL, w.outputs - panel * PANEL);
                for (int r = 0; r < count; r++) {
                    std::memcpy(y + (first + r) * y_step + panel * PANEL, sums + r * PANEL, outputs * 4);
                }
            }
        }
    }

    const Model& m_;
    const Batch& b_;
    Team team_;
    std::vector<float> joined_, added_, inputs_, scales_, room_;
    std::vector<int16_t> integers_;
    std::vector<Block> blocks_;
    int64_t step_, room_size_ = 0;
};

}  // namespace

// ---- Entries ----------------------------------------------------------------------------------------------------------------

// 0, or 1 if there is not enough memory.
template <class Work> static int guarded(Work work) {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc&) {
        return 1;
    }
}

extern "C" {

// Uses the threads of an OpenMP library, by the addresses of GOMP_parallel, omp_get_thread_num and omp_get_num_threads.
// A forked process has none of these threads, and would wait for them.
void verigym_use_pool(const Pool* given) {
    pool = *given;
    pthread_atfork(nullptr, nullptr, [] { pool = {}; });
}

int verigym_panel() { return PANEL; }

int verigym_group() { return GROUP; }

// Packs a weight (outputs, inputs) into `data`, and into `scales` if it becomes integers of 8 or 16 bits.
int verigym_pack(const float* weight, int64_t outputs, int64_t inputs, int64_t bits, void* data, float* scales, int threads) {
    return guarded([=] {
        const Weight w{data, scales, nullptr, outputs, inputs, bits};
        Team team(threads, 1);
        team.run([&](int me) {
            team.share(me, 0, panels(w), [&](int64_t panel) {
                if (bits == 32) pack_panel(weight, w, panel, (float*)data + panel * inputs * PANEL);
                else if (bits == 8) round_panel(weight, w, panel, 127.0f, (int8_t*)data, scales);
                else round_panel(weight, w, panel, 4095.0f, (int16_t*)data, scales);
            });
        });
    });
}

// y = x W^T + bias, for contiguous x (rows, inputs) and y (rows, outputs).
int verigym_linear(const Weight* weight, const float* x, int64_t rows, float* y, int threads) {
    return guarded([=] {
        const Weight& w = *weight;
        Team team(threads, 2);
        const int64_t step = w.inputs + WIDTH, all = groups(w.inputs);
        std::vector<float> inputs, scales;
        std::vector<int16_t> integers;
        if (w.bits == 32) inputs.resize(rows * step);
        else integers.resize(rows * all * GROUP), scales.resize(rows * all);
        const Plan plan(w, rows, threads);
        const Rows ready{inputs.data(), step, integers.data(), scales.data()};
        team.run([&](int me) {
            team.share(me, 0, rows, [&](int64_t row) {
                const float* from = x + row * w.inputs;
                if (w.bits == 32) std::memcpy(inputs.data() + row * step, from, w.inputs * 4);
                else round_row(from, w.inputs, w.bits, integers.data() + row * all * GROUP, scales.data() + row * all);
            });
            team.share(me, 1, plan.count(), [&](int64_t task) { multiply_task(plan, task, w, ready, y, w.outputs); });
        });
    });
}

// One decoding step of all layers.
int verigym_step(const Model* model, const Batch* batch) {
    return guarded([=] { Step(*model, *batch).run(); });
}
}
