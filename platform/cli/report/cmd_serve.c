/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `report` over a live database, on this machine only. Requests choose among four answers and
 * never name a file. What another site's page asks for is refused: by the host's name that the browser says
 * it wants, which names that point here by trick do not have, and by the site that it says asks. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/out.h"
#include "cli/report/report.h"

static const char doc[] =
    "Shows the page of mempath report over the result database as it is now: a local page, which follows a "
    "running sweep, "
    "with a box for SQL, the schema beside it, and pivot tables of the answers. Ctrl-C ends it.\vThe address "
    "is 127.0.0.1: "
    "no other machine reaches the page, and pages of other sites in the same browser are refused. Queries "
    "only read, and "
    "end after 10 seconds.\n"
    "\n"
    "Examples:\n"
    "  mempath serve                         mempath.db, or MEMPATH_DB, at http://127.0.0.1:8017/\n"
    "  mempath serve studies.db --port 9000  another database and port\n"
    "  mempath serve --open                  and show it in the browser\n"
    "  mempath serve --json                  prints the address for a program";

#define PORT       8017
#define QUERY_MS   10000
#define QUERY_ROWS 5000
#define QUERY_TEXT 20000 /* bytes of SQL, at most */

struct values {
    uint64_t port;
    bool open;
    const char *db;
};

struct server {
    const char *db;
    char host[2][32]; /* what a browser may ask for */
};

enum { OPTION_PORT = 256, OPTION_OPEN };

static const struct argp_option options[] = {
    {"port", OPTION_PORT, "N", 0, "port (default: 8017; 0: any that is free)", 0},
    {"open", OPTION_OPEN, NULL, 0, "show the page in the browser (xdg-open)", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case OPTION_PORT:
        return cli_number("--port", arg, 0, 65535, &v->port, err);
    case OPTION_OPEN:
        v->open = true;
        return 0;
    case ARGP_KEY_ARG:
        if (v->db)
            return mp_fail(err, "serve: '%s' is unexpected; one database", arg);
        v->db = arg;
        return 0;
    default:
        return 0;
    }
}

/* ---- answers: malloc'ed text, or NULL with err ---- */

static char *data(const struct server *s, struct mp_error *err)
{
    struct mp_db *db;
    if (mp_db_open(&db, s->db, MP_DB_READ, err))
        return NULL;
    char *text = report_data(s->db, db, true, err);
    mp_db_close(db);
    return text;
}

static char *page(const struct server *s, struct mp_error *err)
{
    char *text = NULL, *json = data(s, err);
    size_t size;
    if (!json)
        return NULL;
    FILE *f = cli_have(open_memstream(&text, &size));
    report_page(json, true, f);
    fclose(f);
    free(json);
    return text;
}

static char *ask(const struct server *s, const char *sql, struct mp_error *err)
{
    struct mp_db *db;
    char *text = NULL;
    size_t size;
    if (mp_db_open(&db, s->db, MP_DB_READ, err))
        return NULL;
    mp_db_guard(db, QUERY_MS, QUERY_ROWS);
    FILE *f = cli_have(open_memstream(&text, &size));
    int failed = mp_db_query(db, sql, 0, NULL, MP_DB_JSON, f, err);
    fclose(f);
    mp_db_close(db);
    if (!failed)
        return text;
    free(text);
    return NULL;
}

/* What changes when the page would: runs, their states and what belongs to no run. */
static char *version(const struct server *s, struct mp_error *err)
{
    static const char sql[] =
        "SELECT (SELECT count(*) || '.' || ifnull(sum(status = 'done'), 0) FROM run) || '.' || "
        "(SELECT count(*) FROM cosim) || '.' || (SELECT count(*) FROM rtl) || '.' || "
        "(SELECT count(*) FROM study) AS version";
    return ask(s, sql, err);
}

static char *answer(const struct server *s, const char *sql, struct mp_error *err)
{
    if (strlen(sql) <= QUERY_TEXT)
        return ask(s, sql, err);
    mp_fail(err, "query: %zu bytes; %d at most", strlen(sql), QUERY_TEXT);
    return NULL;
}

/* ---- requests ---- */

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *type, char *text)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    if (!r) {
        free(text);
        return MHD_NO;
    }
    MHD_add_response_header(r, "Content-Type", type);
    for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(r, "Allow", "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    char *text = NULL;
    size_t size;
    FILE *f = cli_have(open_memstream(&text, &size));
    fputs("{\"error\": ", f);
    mp_db_json_text(why, f);
    fputs("}\n", f);
    fclose(f);
    return reply(c, status, "application/json", text);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* A browser says which site asks; other programs say nothing. */
static bool from_here(const struct server *s, struct MHD_Connection *c)
{
    const char *host = header(c, "Host"), *site = header(c, "Sec-Fetch-Site"), *origin = header(c, "Origin");
    char own[2][48];
    for (unsigned i = 0; i < 2; i++)
        snprintf(own[i], sizeof own[i], "http://%s", s->host[i]);
    return (!strcmp(host, s->host[0]) || !strcmp(host, s->host[1])) &&
           (!*site || !strcmp(site, "same-origin") || !strcmp(site, "none")) &&
           (!*origin || !strcmp(origin, own[0]) || !strcmp(origin, own[1]));
}

static enum MHD_Result handle(void *self, struct MHD_Connection *c, const char *url, const char *method,
                              const char *http, const char *upload, size_t *upload_size, void **state)
{
    static int seen;
    const struct server *s = self;
    struct mp_error err;
    char *text = NULL;
    (void)http, (void)upload;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        *upload_size = 0;
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
    }
    if (!*state) { /* the headers; the request is complete at the next call */
        *state = &seen;
        return MHD_YES;
    }
    *upload_size = 0;
    if (!from_here(s, c))
        return refuse(c, MHD_HTTP_FORBIDDEN, "this page belongs to 127.0.0.1 alone");
    if (!strcmp(url, "/"))
        text = page(s, &err);
    else if (!strcmp(url, "/data"))
        text = data(s, &err);
    else if (!strcmp(url, "/version"))
        text = version(s, &err);
    else if (!strcmp(url, "/query")) {
        const char *sql = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "sql");
        if (!sql)
            return refuse(c, MHD_HTTP_BAD_REQUEST, "query: no sql; /query?sql=SELECT...");
        text = answer(s, sql, &err);
    } else
        return refuse(c, MHD_HTTP_NOT_FOUND, "not here; /, /data, /version, /query?sql=SELECT...");
    if (!text)
        return refuse(c, MHD_HTTP_BAD_REQUEST, err.text);
    return reply(c, MHD_HTTP_OK, !strcmp(url, "/") ? "text/html; charset=utf-8" : "application/json", text);
}

/* ---- the server ---- */

static struct MHD_Daemon *start(struct server *s, uint64_t port, struct mp_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct MHD_Daemon *d = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_CONNECTION_LIMIT, 32u, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(64 << 10), MHD_OPTION_END);
    if (!d) {
        mp_fail(err, "--port: 127.0.0.1:%" PRIu64 " cannot be had (%s); another port, or 0 for any", port,
                strerror(errno));
        return NULL;
    }
    unsigned own = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port;
    snprintf(s->host[0], sizeof s->host[0], "127.0.0.1:%u", own);
    snprintf(s->host[1], sizeof s->host[1], "localhost:%u", own);
    return d;
}

static void announce(const struct cli *cli, const char *url, const char *db)
{
    if (cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        json_text(&j, "url", url);
        json_text(&j, "database", db);
        json_end_object(&j);
    } else {
        printf("%s shows %s; Ctrl-C ends it\n", url, db);
    }
    fflush(stdout);
}

static int serve(const struct cli *cli, const struct values *v)
{
    struct server s = {.db = v->db ? v->db : cli->db};
    struct mp_error err;
    struct mp_db *db;
    char url[64];
    if (mp_db_open(&db, s.db, MP_DB_READ, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    mp_db_close(db);
    struct MHD_Daemon *d = start(&s, v->port, &err);
    if (!d)
        return cli_fail(CLI_USAGE, "%s", err.text);
    snprintf(url, sizeof url, "http://%s/", s.host[0]);
    announce(cli, url, s.db);
    int code = v->open ? report_open(url) : CLI_DONE;
    const struct timespec tick = {.tv_nsec = 100000000};
    while (!code && !cli_stop)
        nanosleep(&tick, NULL);
    MHD_stop_daemon(d);
    return code;
}

int cmd_serve(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath serve", .args = "[DB]", .doc = doc, .options = options, .option = option};
    struct values v = {.port = PORT};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    cli_catch_signals();
    return serve(cli, &v);
}
