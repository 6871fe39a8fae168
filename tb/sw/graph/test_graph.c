/* SPDX-License-Identifier: Apache-2.0 */
/* The graph generator and the two readers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"

typedef int reader(struct graph *g, FILE *f, const char *name, uint32_t max_vertices, struct mp_error *err);

static int read_text(reader *read, struct graph *g, const char *text, size_t bytes, struct mp_error *err)
{
    FILE *f = bytes ? fmemopen((void *)(uintptr_t)text, bytes, "r") : fopen("/dev/null", "r");
    assert_non_null(f);
    const int result = read(g, f, "f", 1000, err);
    fclose(f);
    return result;
}

static void expect_graph(const struct graph *g, uint32_t vertices, const uint32_t *offset,
                         const uint32_t *target)
{
    assert_int_equal(g->vertices, vertices);
    assert_memory_equal(g->offset, offset, (vertices + 1) * sizeof *offset);
    if (offset[vertices])
        assert_memory_equal(g->target, target, offset[vertices] * sizeof *target);
}

static void expect_simple(const struct graph *g)
{
    assert_int_equal(g->offset[0], 0);
    for (uint32_t v = 0; v < g->vertices; v++) {
        assert_true(g->offset[v] <= g->offset[v + 1]);
        for (uint32_t e = g->offset[v]; e < g->offset[v + 1]; e++) {
            assert_true(g->target[e] < g->vertices);
            assert_true(g->target[e] != v);
            assert_true(e == g->offset[v] || g->target[e - 1] < g->target[e]);
        }
    }
}

static void mtx_general(void **state)
{
    (void)state;
    static const char text[] = "%%MatrixMarket matrix coordinate real general\n% a comment\n\n4 4 6\n"
                               "1 3 0.5\n1 2 -1e3\r\n2 2 7\n1 3 9\n4 1 .25\n\n3 4\t1\n";
    struct graph g;
    struct mp_error err;
    assert_int_equal(read_text(graph_read_mtx, &g, text, sizeof text - 1, &err), 0);
    expect_graph(&g, 4, (uint32_t[]){0, 2, 2, 3, 4}, (uint32_t[]){1, 2, 3, 0}); /* no loop 2-2, one arc 1-3 */
    graph_free(&g);
}

static void mtx_symmetric_pattern(void **state)
{
    (void)state;
    static const char text[] = "%%matrixmarket MATRIX Coordinate pattern Symmetric\n3 3 3\n2 1\n3 2\n3 3";
    struct graph g;
    struct mp_error err;
    assert_int_equal(read_text(graph_read_mtx, &g, text, sizeof text - 1, &err), 0);
    expect_graph(&g, 3, (uint32_t[]){0, 1, 3, 4}, (uint32_t[]){1, 0, 2, 1});
    graph_free(&g);
}

static void mtx_without_entries(void **state)
{
    (void)state;
    static const char text[] = "%%MatrixMarket matrix coordinate integer general\n2 2 0\n";
    struct graph g;
    struct mp_error err;
    assert_int_equal(read_text(graph_read_mtx, &g, text, sizeof text - 1, &err), 0);
    expect_graph(&g, 2, (uint32_t[]){0, 0, 0}, NULL);
    graph_free(&g);
}

static void gr_plain(void **state)
{
    (void)state;
    static const char text[] = "c roads\nc\np sp 3 4\na 1 2 10\na 3 1 0\na 1 2 11\na 2 2 1\n";
    struct graph g;
    struct mp_error err;
    assert_int_equal(read_text(graph_read_gr, &g, text, sizeof text - 1, &err), 0);
    expect_graph(&g, 3, (uint32_t[]){0, 1, 1, 2}, (uint32_t[]){1, 0});
    graph_free(&g);
}

#define MTX "%%MatrixMarket matrix coordinate pattern general\n"

static const struct {
    reader *read;
    const char *text, *where; /* the error begins with where and has "; " before what is allowed */
} bad[] = {
    {graph_read_mtx, "", "f:1: \"\" as word 1"},
    {graph_read_mtx, "3 3 1\n1 2\n", "f:1: \"3\" as word 1"},
    {graph_read_mtx, "%%MatrixMarket matrix array real general\n", "f:1: \"array\" as word 3"},
    {graph_read_mtx, "%%MatrixMarket matrix coordinate complex general\n", "f:1: \"complex\" as word 4"},
    {graph_read_mtx, "%%MatrixMarket matrix coordinate real hermitian\n", "f:1: \"hermitian\" as word 5"},
    {graph_read_mtx, MTX, "f:2: the number of rows"},
    {graph_read_mtx, MTX "2 3 1\n1 2\n", "f:2: 2 rows and 3 columns"},
    {graph_read_mtx, MTX "0 0 0\n", "f:2: the number of rows"},
    {graph_read_mtx, MTX "1001 1001 0\n", "f:2: the number of rows"},
    {graph_read_mtx, MTX "2 2 99999999999999999999999\n", "f:2: the number of entries"},
    {graph_read_mtx, MTX "2 2 1 1\n1 2\n", "f:2: \"1\" after the last field"},
    {graph_read_mtx, MTX "2 2 1\n1 3\n", "f:3: the column"},
    {graph_read_mtx, MTX "2 2 1\n0 1\n", "f:3: the row"},
    {graph_read_mtx, MTX "2 2 1\n1 2x\n", "f:3: the column"},
    {graph_read_mtx, MTX "2 2 1\n1 2 3\n", "f:3: \"3\" after the last field"},
    {graph_read_mtx, MTX "2 2 1\n1 2\n2 1\n", "f:4: more entries"},
    {graph_read_mtx, MTX "2 2 2\n1 2\n", "f:4: the file ends after 1 entries"},
    {graph_read_mtx, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", "f:3: the value"},
    {graph_read_mtx, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.0q\n", "f:3: the value"},
    {graph_read_gr, "", "f:1: the file ends after 0 arcs"},
    {graph_read_gr, "a 1 2 3\n", "f:1: an arc before the problem line"},
    {graph_read_gr, "p max 2 1\n", "f:1: a problem other than sp"},
    {graph_read_gr, "p spx 2 1\n", "f:1: a problem other than sp"},
    {graph_read_gr, "p sp 2\n", "f:1: the number of arcs"},
    {graph_read_gr, "p sp 2 0\np sp 2 0\n", "f:2: a second problem line"},
    {graph_read_gr, "p sp 2 1\na 1 3 1\n", "f:2: the arc's end"},
    {graph_read_gr, "p sp 2 1\na 1 2\n", "f:2: the arc's weight"},
    {graph_read_gr, "p sp 2 1\na 1 2 -4\n", "f:2: the arc's weight"},
    {graph_read_gr, "p sp 2 1\na 1 2 4 5\n", "f:2: \"5\" after the last field"},
    {graph_read_gr, "p sp 2 1\na 1 2 4\na 2 1 4\n", "f:3: more arcs"},
    {graph_read_gr, "p sp 2 2\na 1 2 4\n", "f:3: the file ends after 1 arcs"},
    {graph_read_gr, "p sp 2 1\ne 1 2 4\n", "f:2: a line that begins with"},
};

static void bad_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct graph g;
        struct mp_error err = {""};
        const int result = read_text(bad[i].read, &g, bad[i].text, strlen(bad[i].text), &err);
        if (result != -1 || strncmp(err.text, bad[i].where, strlen(bad[i].where)) != 0 ||
            !strstr(err.text, "; "))
            fail_msg("case %zu: result %d, error \"%s\", expected \"%s...\"", i, result, err.text,
                     bad[i].where);
    }
}

static void nul_bytes_and_long_lines_are_refused(void **state)
{
    (void)state;
    static const char nul[] = "p sp 2 1\na 1 2\0 3\n";
    char longest[5000];
    struct graph g;
    struct mp_error err;
    assert_int_equal(read_text(graph_read_gr, &g, nul, sizeof nul - 1, &err), -1);
    assert_non_null(strstr(err.text, "f:2: a NUL byte"));
    memset(longest, ' ', sizeof longest);
    assert_int_equal(read_text(graph_read_mtx, &g, longest, sizeof longest, &err), -1);
    assert_non_null(strstr(err.text, "f:1: a line of over 4096 bytes"));
}

static void suffix_chooses_the_reader(void **state)
{
    (void)state;
    char mtx[] = "/tmp/graphXXXXXX.mtx", gr[] = "/tmp/graphXXXXXX.gr";
    static const char *const text[] = {MTX "2 2 1\n1 2\n", "p sp 2 1\na 1 2 3\n"};
    char *const path[] = {mtx, gr};
    const int suffix[] = {4, 3};
    struct graph g;
    struct mp_error err;
    for (int i = 0; i < 2; i++) {
        const int fd = mkstemps(path[i], suffix[i]);
        assert_int_equal(write(fd, text[i], strlen(text[i])), strlen(text[i]));
        close(fd);
        assert_int_equal(graph_load(&g, path[i], &err), 0);
        expect_graph(&g, 2, (uint32_t[]){0, 1, 1}, (uint32_t[]){1});
        graph_free(&g);
        unlink(path[i]);
        assert_int_equal(graph_load(&g, path[i], &err), -1);
        assert_non_null(strstr(err.text, "cannot be opened"));
    }
    assert_int_equal(graph_load(&g, "roads.txt", &err), -1);
    assert_non_null(strstr(err.text, ".mtx (Matrix Market) or .gr (DIMACS)"));
}

static void rmat_is_simple_and_repeatable(void **state)
{
    (void)state;
    const struct graph_rmat r = {.scale = 11, .degree = 8};
    struct graph a, b, other;
    struct mp_error err;
    assert_int_equal(graph_generate(&a, &r, 7, &err), 0);
    assert_int_equal(graph_generate(&b, &r, 7, &err), 0);
    assert_int_equal(graph_generate(&other, &r, 8, &err), 0);
    expect_simple(&a);
    const uint32_t arcs = a.offset[a.vertices];
    assert_int_equal(a.vertices, 1u << 11);
    assert_in_range(arcs, 8u << 10, 8u << 11); /* repeats are dropped, but not most */
    expect_graph(&b, a.vertices, a.offset, a.target);
    assert_true(memcmp(a.offset, other.offset, (a.vertices + 1) * sizeof *a.offset) != 0);
    graph_free(&a);
    graph_free(&b);
    graph_free(&other);
}

/* The top left quadrant's share is a^k over k levels: the busiest vertex expects (a + b)^scale of all arcs,
 * and the hundredth part of the vertices has far more than a hundredth of them. */
static void rmat_is_skewed(void **state)
{
    (void)state;
    const struct graph_rmat r = {.scale = 14, .degree = 4};
    struct graph g;
    struct mp_error err;
    assert_int_equal(graph_generate(&g, &r, 1, &err), 0);
    uint32_t most = 0;
    for (uint32_t v = 0; v < g.vertices; v++)
        if (g.offset[v + 1] - g.offset[v] > most)
            most = g.offset[v + 1] - g.offset[v];
    assert_in_range(most, 500, 1600); /* 65536 * 0.76^14 = 1405 before repeats are dropped */
    graph_free(&g);
}

static void rmat_both_ways_is_symmetric(void **state)
{
    (void)state;
    const struct graph_rmat r = {.scale = 9, .degree = 5, .both_ways = true};
    struct graph g, t;
    struct mp_error err;
    assert_int_equal(graph_generate(&g, &r, 3, &err), 0);
    expect_simple(&g);
    graph_transpose(&t, &g);
    expect_graph(&t, g.vertices, g.offset, g.target);
    graph_free(&t);
    graph_free(&g);
}

static void rmat_refuses_what_does_not_fit(void **state)
{
    (void)state;
    static const struct graph_rmat r[] = {
        {.scale = 29, .degree = 1}, {.scale = 28, .degree = 16}, {.scale = 4}, {.scale = 90, .degree = 1}};
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        struct graph g;
        struct mp_error err = {""};
        assert_int_equal(graph_generate(&g, &r[i], 1, &err), -1);
        assert_non_null(strstr(err.text, "; "));
    }
}

static void grids_join_rows_and_columns(void **state)
{
    (void)state;
    struct graph g;
    graph_lattice(&g, &(struct graph_grid){.side = 3}, 1);
    expect_graph(&g, 9, (uint32_t[]){0, 2, 5, 7, 10, 14, 17, 19, 22, 24},
                 (uint32_t[]){1, 3, 0, 2, 4, 1, 5, 0, 4, 6, 1, 3, 5, 7, 2, 4, 8, 3, 7, 4, 6, 8, 5, 7});
    assert_int_equal(graph_busiest_vertex(&g), 4);
    graph_free(&g);
}

/* 300 * 299 * 2 edges of which 59 % stay: 105846, with a standard deviation of 208. */
static void grids_lose_edges_both_ways(void **state)
{
    (void)state;
    struct graph g, t, other;
    const struct graph_grid grid = {.side = 300, .removed = 410};
    graph_lattice(&g, &grid, 5);
    graph_lattice(&other, &grid, 6);
    expect_simple(&g);
    assert_in_range(g.offset[g.vertices], 2 * (105846 - 5 * 208), 2 * (105846 + 5 * 208));
    graph_transpose(&t, &g);
    expect_graph(&t, g.vertices, g.offset, g.target);
    assert_true(memcmp(g.offset, other.offset, (g.vertices + 1) * sizeof *g.offset) != 0);
    graph_free(&other);
    graph_free(&t);
    graph_free(&g);
}

static void reverses_are_added(void **state)
{
    (void)state;
    static const char text[] = "p sp 3 3\na 1 2 1\na 2 1 1\na 3 1 1\n";
    struct graph g;
    struct mp_error err;
    assert_int_equal(read_text(graph_read_gr, &g, text, sizeof text - 1, &err), 0);
    assert_int_equal(graph_both_ways(&g, &err), 0);
    expect_graph(&g, 3, (uint32_t[]){0, 2, 3, 4}, (uint32_t[]){1, 2, 0, 0});
    graph_free(&g);
}

static void sources_choose_the_generator(void **state)
{
    (void)state;
    static const struct {
        struct graph_source source;
        uint32_t vertices;
    } table[] = {{{.grid.side = 5}, 25},
                 {{.uniform = {.vertices = 100, .arcs = 50}}, 100},
                 {{.rmat = {.scale = 6, .degree = 2}}, 64}};
    struct graph g;
    struct mp_error err;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(graph_open(&g, &table[i].source, NULL, 1, &err), 0);
        assert_int_equal(g.vertices, table[i].vertices);
        expect_simple(&g);
        graph_free(&g);
        assert_int_equal(graph_open(&g, &table[i].source, "nowhere.gr", 1, &err), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mtx_general),
        cmocka_unit_test(mtx_symmetric_pattern),
        cmocka_unit_test(mtx_without_entries),
        cmocka_unit_test(gr_plain),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(nul_bytes_and_long_lines_are_refused),
        cmocka_unit_test(suffix_chooses_the_reader),
        cmocka_unit_test(rmat_is_simple_and_repeatable),
        cmocka_unit_test(rmat_is_skewed),
        cmocka_unit_test(rmat_both_ways_is_symmetric),
        cmocka_unit_test(rmat_refuses_what_does_not_fit),
        cmocka_unit_test(grids_join_rows_and_columns),
        cmocka_unit_test(grids_lose_edges_both_ways),
        cmocka_unit_test(reverses_are_added),
        cmocka_unit_test(sources_choose_the_generator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
