/* SPDX-License-Identifier: Apache-2.0 */
/* The table of headlines in db/evidence/README.md is what the committed evidence gives, so that a verdict
 * that changes is a change of that page. `test_headlines --update` writes it. Rows of headlines.csv are
 * refused or judged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../whole_file.h"
#include "cli/paper/headlines.h"
#include "cli/paper/reproduce.h"

#define PAGE  EVIDENCE "/README.md"
#define BEGIN "<!-- headlines -->\n"
#define END   "<!-- end of headlines -->\n"

/* The page with the table in its place. */
static char *render(const char *page)
{
    struct headlines h;
    struct mp_error err;
    char *text = NULL;
    size_t size;
    if (headlines_read(&h, EVIDENCE, &err))
        fail_msg("%s", err.text);
    const char *begin = strstr(page, BEGIN), *end = strstr(page, END);
    assert_non_null(begin);
    assert_non_null(end);
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "%.*s" BEGIN, (int)(begin - page), page);
    headlines_markdown(&h, f);
    fputs(end, f);
    fclose(f);
    headlines_free(&h);
    return text;
}

static void the_page_has_the_verdicts(void **state)
{
    (void)state;
    char *page = whole_file(PAGE), *now = render(page);
    assert_string_equal(page, now);
    free(page);
    free(now);
}

static void every_headline_is_measured_and_explained(void **state)
{
    struct headlines h;
    struct mp_error err;
    unsigned papers = 0;
    const char *last = "";
    (void)state;
    if (headlines_read(&h, EVIDENCE, &err))
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < h.n; i++) {
        const struct headline *r = &h.row[i];
        if (r->verdict == HEADLINE_MISSING)
            fail_msg("%s/%s: %s: not measured", r->paper, r->figure, r->what);
        assert_int_equal(*r->why == 0, r->verdict < HEADLINE_CAUSE);
        papers += strcmp(last, r->paper) != 0;
        last = r->paper;
    }
    assert_int_equal(papers, 5); /* in one block each */
    headlines_free(&h);
}

/* What was tried for another open headline of the paper, by its figure: "as Figure 2". */
static bool refers_to_a_list(const struct headlines *h, const struct headline *of)
{
    char figure[32];
    snprintf(figure, sizeof figure, "fig%s", of->why + strlen("as Figure "));
    for (unsigned i = 0; i < h->n; i++) {
        const struct headline *r = &h->row[i];
        if (r->verdict == HEADLINE_OPEN && !strcmp(r->paper, of->paper) && !strcmp(r->figure, figure) &&
            strncmp(r->why, "as ", 3) != 0)
            return true;
    }
    return false;
}

static void what_was_tried_is_listed(void **state)
{
    struct headlines h;
    struct mp_error err;
    (void)state;
    if (headlines_read(&h, EVIDENCE, &err))
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < h.n; i++) {
        const struct headline *r = &h.row[i];
        bool listed = strncmp(r->why, "as ", 3) != 0 ? strcmp(r->why, "nothing tried yet") != 0
                                                     : refers_to_a_list(&h, r);
        if (r->verdict == HEADLINE_OPEN && !listed)
            fail_msg("%s/%s: %s: '%s' lists nothing that was tried", r->paper, r->figure, r->what, r->why);
    }
    headlines_free(&h);
}

static bool has_figure(const char *paper, const char *name)
{
    const struct evaluation *e = reproduce_evaluation(paper);
    for (unsigned i = 0; e && i < e->nfigures; i++)
        if (!strcmp(e->figure[i].name, name))
            return true;
    return e && e->table2 && !strcmp(name, "table2");
}

/* A cause is shown by a figure that exists, and not by the one that differs alone. */
static void a_cause_is_an_experiment(void **state)
{
    struct headlines h;
    struct mp_error err;
    (void)state;
    if (headlines_read(&h, EVIDENCE, &err))
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < h.n; i++) {
        const struct headline *r = &h.row[i];
        char paper[16], figure[32];
        int end = 0;
        if (r->verdict != HEADLINE_CAUSE)
            continue;
        if (sscanf(r->why, "mempath reproduce %15[a-z]/%31[a-z0-9-]%n", paper, figure, &end) != 2 ||
            !has_figure(paper, figure))
            fail_msg("%s/%s: '%s' names no figure", r->paper, r->figure, r->why);
        if (!strcmp(figure, r->figure) && !r->why[end])
            fail_msg("%s/%s: '%s' is the figure that differs", r->paper, r->figure, r->why);
    }
    headlines_free(&h);
}

#define HEAD "paper,figure,series,x,as,what,order,kind,why\n"

static void judged(void **state)
{
    static const struct {
        const char *rows;
        enum headline_verdict verdict;
        double printed, measured;
        const char *why;
    } table[] = {
        /* DWS gains 37 % in the paper, and 37.3 % here */
        {"dws,fig5,all,DWS,gain,w,,open,t", HEADLINE_AGREES, 37, 37.3, ""},
        {"dws,fig5,all,DWS++,gain,w,VII-A: DWS++ gains slightly less,open,t", HEADLINE_ORDER, 34, 27.4, ""},
        {"dws,fig5,all,DWS++,gain,w,,open,tried this", HEADLINE_OPEN, 34, 27.4, "tried this"},
        {"dws,fig5,all,DWS++,value,w,,open,t", HEADLINE_AGREES, 1.34, 1.274, ""},
        {"dws,fig5,all,DWS++,gain,w,,cause,mempath reproduce dws/fig5", HEADLINE_CAUSE, 34, 27.4,
         "mempath reproduce dws/fig5"},
        {"dws,fig5,all,DWS++,gain,w,,contradiction,c", HEADLINE_CONTRADICTION, 34, 27.4, "c"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct headlines h;
        struct mp_error err;
        char *text;
        assert_true(asprintf(&text, HEAD "%s\n", table[i].rows) > 0);
        if (headlines_parse(&h, text, EVIDENCE, &err))
            fail_msg("%s", err.text);
        assert_int_equal(h.n, 1);
        assert_int_equal(h.row[0].verdict, table[i].verdict);
        assert_true(h.row[0].printed > table[i].printed - 0.1 && h.row[0].printed < table[i].printed + 0.1);
        assert_true(h.row[0].measured > table[i].measured - 0.1 &&
                    h.row[0].measured < table[i].measured + 0.1);
        assert_string_equal(h.row[0].why, table[i].why);
        headlines_free(&h);
    }
}

static void refused(void **state)
{
    static const char *const table[][2] = {
        {"pws,fig5,all,DWS,gain,w,,open,t", "db/papers/headlines.csv:2: no paper 'pws'"},
        {"dws,fig5,all,DWS,percent,w,,open,t", "db/papers/headlines.csv:2: as 'percent'; value or gain"},
        {"dws,fig5,all,DWS,gain,w,,closed,t",
         "kind 'closed', why 't'; cause, contradiction or open, and a reason"},
        {"dws,fig5,all,DWS,gain,w,,open,", "kind 'open', why ''"},
        {"dws,fig5,all,DWS,gain,w,,cause,noise", "the cause 'noise' is no command; mempath ..."},
        {"dws,fig5,all,X,gain,w,,open,t", "db/papers/dws.csv has no fig5,all,X"},
        {"dws,fig5,all,DWS,gain,w,so,open,t", "db/papers/dws_claims.csv does not say 'so'"},
        {"dws,fig5,all,DWS,gain,w,,open", "8 fields; 9 are needed"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct headlines h;
        struct mp_error err;
        char *text;
        assert_true(asprintf(&text, HEAD "%s\n", table[i][0]) > 0);
        assert_int_equal(headlines_parse(&h, text, EVIDENCE, &err), -1);
        if (!strstr(err.text, table[i][1]))
            fail_msg("'%s' is not in '%s'", table[i][1], err.text);
        headlines_free(&h);
    }
}

static int update(void)
{
    char *page = whole_file(PAGE), *now = render(page);
    FILE *f = fopen(PAGE, "w");
    int failed = !f || fputs(now, f) < 0;
    failed |= !f || fclose(f);
    free(page);
    free(now);
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_verdicts),
        cmocka_unit_test(every_headline_is_measured_and_explained),
        cmocka_unit_test(what_was_tried_is_listed),
        cmocka_unit_test(a_cause_is_an_experiment),
        cmocka_unit_test(judged),
        cmocka_unit_test(refused),
    };
    if (argc > 1 && !strcmp(argv[1], "--update"))
        return update();
    return cmocka_run_group_tests_name("headlines", tests, NULL, NULL);
}
