/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators of the language that C lacks. Each has a result for every operand, since a condition that the
 * algorithm evaluates before its requirement must not trap.
 */
#if GROUPS_BEFORE
static int64_t collc_groups_before(const struct collc_run *run, int64_t s, int64_t k)
{
    const struct collc_comm *own = run->own;
    int64_t n = 0, origin = 0;

#if ORIGIN && MAP
    origin = own->server[run->lead];
#elif ORIGIN
    origin = own->server[run->root];
#endif
    if (k == 1 && s >= 0 && s <= own->servers)
        return own->first[(origin + s) % own->servers] - own->first[origin] +
               (origin + s < own->servers ? 0 : run->p);
    for (int64_t i = 0; k != 0 && i < s && i < own->servers; i++)
        n += own->n_slots[(origin + i) % own->servers] / k;
    return n;
}

#endif
#if DIV
static int64_t collc_div(int64_t a, int64_t b) /* rounds down */
{
    if (b == 0)
        return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

#endif
#if MOD
static int64_t collc_mod(int64_t a, int64_t n) /* 0 .. n-1 */
{
    int64_t rest = n == 0 ? 0 : a % n;

    return rest != 0 && (rest < 0) != (n < 0) ? rest + n : rest;
}

#endif
#if POW
static int64_t collc_pow(int64_t a, int64_t n)
{
    uint64_t power = 1;

    while (n-- > 0)
        power *= (uint64_t)a;
    return (int64_t)power;
}

#endif
#if CEIL_LOG2
static int64_t collc_ceil_log2(int64_t n)
{
    int64_t k = 0;

    while (k < 62 && (INT64_C(1) << k) < n)
        k++;
    return k;
}

#endif
#if FLOOR_LOG2
static int64_t collc_floor_log2(int64_t n)
{
    int64_t k = 0;

    while (n > 1) {
        n /= 2;
        k++;
    }
    return k;
}

#endif
#if CEIL_LOG
static int64_t collc_ceil_log(int64_t b, int64_t n)
{
    int64_t k = 0;

    for (n--; b > 1 && n > 0; n /= b)
        k++;
    return k;
}

#endif
#if REVERSE_BITS
static int64_t collc_reverse_bits(int64_t n, int64_t k)
{
    uint64_t bits = (uint64_t)n, reversed = 0;

    for (; k > 0; k--, bits /= 2)
        reversed = 2 * reversed + bits % 2;
    return (int64_t)reversed;
}

#endif
#if MIN
static int64_t collc_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
#if MAX
static int64_t collc_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
#if ABS
static int64_t collc_abs(int64_t a)
{
    return a < 0 ? -a : a;
}

#endif
#if LCM
static int64_t collc_lcm(int64_t a, int64_t b)
{
    int64_t divisor = a, rest = b;

    while (rest > 0) {
        const int64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    return divisor > 0 ? a / divisor * b : 0;
}

#endif
#if REVERSE_DIGITS
static int64_t collc_reverse_digits(int64_t b, int64_t n, int64_t k)
{
    uint64_t reversed = 0;

    for (; b > 1 && k > 0; k--, n /= b)
        reversed = reversed * (uint64_t)b + (uint64_t)(n % b);
    return (int64_t)reversed;
}

#endif
#if CIRCULANT_BLOCK
struct collc_circulant {
    int64_t skip[63], goal, below, block;
    int round, last_round, is_taken[63];
};

/* Of the rounds from search->round on, along the paths that go on from rank `from`. */
static void collc_circulant_find(struct collc_circulant *search, int64_t from, int e)
{
    for (; e >= 0 && search->round <= search->last_round; e--) {
        const int64_t rank = from + search->skip[e];

        if (search->is_taken[e] || rank >= search->below ||
            rank > search->goal - search->skip[search->round])
            continue;
        if (rank <= search->goal - search->skip[search->round + 1])
            collc_circulant_find(search, rank, e);
        if (search->round > search->last_round ||
            from > search->goal - search->skip[search->round + 1])
            return;
        search->below = rank;
        search->block = e;
        search->is_taken[e] = 1;
        search->round++;
    }
}

static int64_t collc_circulant_block(int64_t n, int64_t r, int64_t k) /* Traeff 2025 */
{
    struct collc_circulant search = {.below = INT64_MAX, .last_round = (int)k};
    int64_t rest;
    int rounds = 0, base;

    while (rounds < 62 && (INT64_C(1) << rounds) < n)
        rounds++;
    if (k < 0 || k >= rounds)
        return 0;
    search.skip[rounds] = n;
    for (int i = rounds - 1; i >= 0; i--)
        search.skip[i] = (search.skip[i + 1] + 1) / 2;
    rest = (r % n + n) % n;
    search.goal = n + rest;
    base = rounds;
    for (int i = rounds - 1; i >= 0 && rest > 0; i--)
        if (search.skip[i] <= rest) {
            rest -= search.skip[i];
            base = i;
        }
    search.is_taken[base] = 1;
    collc_circulant_find(&search, 0, rounds);
    return search.block == rounds ? base : search.block - rounds;
}

#endif
#if EXTENT_OF
static int64_t collc_extent_of(const struct collc_run *run, int64_t d)
{
    return d >= 0 && d < run->dimensions ? run->grid[d] : 1;
}

#endif
#if COORDINATE
static int64_t collc_coordinate(const struct collc_run *run, int64_t r, int64_t d)
{
    int64_t rank = collc_mod(collc_mod(r, run->p) + run->first, run->p);
    int64_t stride = 1, n = collc_extent_of(run, d);

    for (int64_t i = 0; i < d && i < run->dimensions; i++)
        stride *= run->grid[i];
    return collc_mod(rank / stride % n - run->first / stride % n, n);
}

#endif
#if SHIFT
static int64_t collc_shift(const struct collc_run *run, int64_t r, int64_t d, int64_t k)
{
    int64_t rank = collc_mod(collc_mod(r, run->p) + run->first, run->p);
    int64_t stride = 1, n = collc_extent_of(run, d), at;

    for (int64_t i = 0; i < d && i < run->dimensions; i++)
        stride *= run->grid[i];
    at = rank / stride % n;
    rank += (collc_mod(at + collc_mod(k, n), n) - at) * stride;
    return collc_mod(rank - run->first, run->p);
}

#endif
#if DISPLACE
static int64_t collc_displace(const struct collc_run *run, int64_t r, int64_t v, int64_t k)
{
    for (int64_t d = 0; d < run->dimensions; d++)
        r = collc_shift(run, r, d,
                        collc_coordinate(run, v, d) * collc_mod(k, run->grid[d]));
    return collc_mod(r, run->p);
}

#endif
#if ROTATE
static int64_t collc_rotate_by(const struct collc_run *run, int64_t v, int64_t k)
{
    int64_t turned = 0;

    for (int64_t d = 0; d < run->dimensions; d++) {
        const int64_t other = (d + k) % run->dimensions;
        const int64_t from = run->grid[d], to = run->grid[other];
        const int64_t at = collc_coordinate(run, v, d);
        const int64_t hop = 2 * at <= from ? at : at - from;
        const int64_t twice = hop < 0 ? -2 * hop : 2 * hop;

        if (from != to && (twice >= from || twice >= to))
            return run->p;
        turned = collc_shift(run, turned, other, hop);
    }
    return turned;
}

static int64_t collc_rotate(const struct collc_run *run, int64_t v, int64_t k)
{
    const int64_t by = collc_mod(k, run->dimensions);
    const int64_t turned = collc_rotate_by(run, v, by);

    for (int64_t before = 0; before < by; before++)
        if (collc_rotate_by(run, v, before) == turned)
            return run->p;
    return turned;
}

#endif
