/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/gdb.h"

#include <stdio.h>
#include <string.h>

enum { PC = 32, FIRST_CSR = 65, GENERAL = 33, PRIVILEGE = FIRST_CSR + 4096, REGISTERS };

/* The CSRs in the description for GDB. */
static const struct {
    const char *name;
    unsigned number;
} csrs[] = {
    {"mstatus", 0x300},   {"misa", 0x301},       {"mie", 0x304},        {"mtvec", 0x305},
    {"mscratch", 0x340},  {"mepc", 0x341},       {"mcause", 0x342},     {"mtval", 0x343},
    {"mip", 0x344},       {"mcycle", 0xb00},     {"minstret", 0xb02},   {"cycle", 0xc00},
    {"instret", 0xc02},   {"mhartid", 0xf14},    {"sstatus", 0x100},    {"sie", 0x104},
    {"stvec", 0x105},     {"scounteren", 0x106}, {"sscratch", 0x140},   {"sepc", 0x141},
    {"scause", 0x142},    {"stval", 0x143},      {"sip", 0x144},        {"satp", 0x180},
    {"medeleg", 0x302},   {"mideleg", 0x303},    {"mcounteren", 0x306}, {"pmpcfg0", 0x3a0},
    {"pmpcfg2", 0x3a2},   {"pmpaddr0", 0x3b0},   {"pmpaddr1", 0x3b1},   {"pmpaddr2", 0x3b2},
    {"pmpaddr3", 0x3b3},  {"pmpaddr4", 0x3b4},   {"pmpaddr5", 0x3b5},   {"pmpaddr6", 0x3b6},
    {"pmpaddr7", 0x3b7},  {"pmpaddr8", 0x3b8},   {"pmpaddr9", 0x3b9},   {"pmpaddr10", 0x3ba},
    {"pmpaddr11", 0x3bb}, {"pmpaddr12", 0x3bc},  {"pmpaddr13", 0x3bd},  {"pmpaddr14", 0x3be},
    {"pmpaddr15", 0x3bf}, {"time", 0xc01},
};

/* --- text ----------------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;
    return at && *at ? (int)(at - digits) : -1;
}

/* Reads a hexadecimal number at *p and moves *p past it. Returns false if there is no digit or too many. */
static bool number(const char **p, uint64_t *value)
{
    unsigned n = 0;
    *value = 0;
    for (int d; (d = hex_digit(**p)) >= 0; (*p)++, n++)
        *value = *value << 4 | (unsigned)d;
    return n && n <= 16;
}

/* Reads two numbers with a separator between them and a terminator after them, as in "1000,40:". */
static bool two_numbers(const char **p, char between, char behind, uint64_t *a, uint64_t *b)
{
    if (!number(p, a) || **p != between)
        return false;
    (*p)++;
    if (!number(p, b) || **p != behind)
        return false;
    *p += behind != '\0';
    return true;
}

/* Reads 2 * bytes digits. */
static bool bytes_of(const char *p, uint8_t *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++, p += 2) {
        int high = hex_digit(p[0]), low = high < 0 ? -1 : hex_digit(p[1]);
        if (low < 0)
            return false;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static void add(struct mp_gdb *g, const char *text, size_t n)
{
    if (n > sizeof g->answer - g->answered)
        n = sizeof g->answer - g->answered;
    memcpy(g->answer + g->answered, text, n);
    g->answered += n;
}

static void add_text(struct mp_gdb *g, const char *text)
{
    add(g, text, strlen(text));
}

static void add_bytes(struct mp_gdb *g, const uint8_t *from, size_t bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes; i++) {
        const char two[2] = {digits[from[i] >> 4], digits[from[i] & 15]};
        add(g, two, 2);
    }
}

/* Little-endian, as the target's registers are. */
static void add_register(struct mp_gdb *g, uint64_t value)
{
    uint8_t b[8];
    for (unsigned i = 0; i < 8; i++)
        b[i] = (uint8_t)(value >> (8 * i));
    add_bytes(g, b, 8);
}

static bool register_of(const char *p, uint64_t *value)
{
    uint8_t b[8];
    if (!bytes_of(p, b, 8))
        return false;
    *value = 0;
    for (unsigned i = 0; i < 8; i++)
        *value |= (uint64_t)b[i] << (8 * i);
    return true;
}

/* Sends $answer#sum. */
static void send_answer(struct mp_gdb *g)
{
    uint8_t sum = 0;
    char tail[4];
    for (size_t i = 0; i < g->answered; i++)
        sum = (uint8_t)(sum + (uint8_t)g->answer[i]);
    snprintf(tail, sizeof tail, "#%02x", sum);
    g->target.send(g->target.self, "$", 1);
    g->target.send(g->target.self, g->answer, g->answered);
    g->target.send(g->target.self, tail, 3);
    g->answered = 0;
}

/* --- packets -------------------------------------------------------------------------------------- */

static void result(struct mp_gdb *g, bool ok)
{
    add_text(g, ok ? "OK" : "E01");
}

static void read_all(struct mp_gdb *g)
{
    uint64_t value;
    for (unsigned i = 0; i < GENERAL; i++) {
        g->target.read_register(g->target.self, i, &value);
        add_register(g, value);
    }
}

static void write_all(struct mp_gdb *g, const char *p)
{
    uint64_t value;
    bool ok = strlen(p) >= 16 * GENERAL;
    for (unsigned i = 0; ok && i < GENERAL; i++)
        ok = register_of(p + (size_t)16 * i, &value) && g->target.write_register(g->target.self, i, value);
    result(g, ok);
}

static void read_one(struct mp_gdb *g, const char *p)
{
    uint64_t n, value;
    if (number(&p, &n) && !*p && n < REGISTERS &&
        g->target.read_register(g->target.self, (unsigned)n, &value))
        add_register(g, value);
    else
        result(g, false);
}

static void write_one(struct mp_gdb *g, const char *p)
{
    uint64_t n, value;
    result(g, number(&p, &n) && n < REGISTERS && *p == '=' && register_of(p + 1, &value) &&
                  g->target.write_register(g->target.self, (unsigned)n, value));
}

static void read_memory(struct mp_gdb *g, const char *p)
{
    uint8_t data[MP_GDB_PACKET / 2];
    uint64_t address, bytes;
    if (two_numbers(&p, ',', '\0', &address, &bytes) && bytes <= sizeof data &&
        g->target.read_memory(g->target.self, address, data, bytes))
        add_bytes(g, data, bytes);
    else
        result(g, false);
}

static void write_memory(struct mp_gdb *g, const char *p)
{
    uint8_t data[MP_GDB_PACKET / 2];
    uint64_t address, bytes;
    result(g, two_numbers(&p, ',', ':', &address, &bytes) && bytes <= sizeof data &&
                  bytes_of(p, data, bytes) && g->target.write_memory(g->target.self, address, data, bytes));
}

/* Reads type,address,kind. For breakpoints, types 0 and 1 (treated alike), kind does not matter; for
 * watchpoints it is the number of bytes. */
static void breakpoint(struct mp_gdb *g, const char *p, bool set)
{
    uint64_t address, kind;
    const struct mp_gdb_target *t = &g->target;
    char type = p[0];
    if (type < '0' || type > '4' || p[1] != ',')
        return;
    p += 2;
    bool ok = two_numbers(&p, ',', '\0', &address, &kind);
    if (ok && type >= '2')
        ok = t->watchpoint(t->self, (enum mp_gdb_watch)(type - '0'), address, kind, set);
    else if (ok)
        ok = t->breakpoint(t->self, address, set);
    result(g, ok);
}

static size_t description(char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size,
                                "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
                                "<architecture>riscv:rv64</architecture>"
                                "<feature name=\"org.gnu.gdb.riscv.cpu\">");
    for (unsigned i = 0; i < GENERAL; i++)
        n += (size_t)(i == PC ? snprintf(text + n, size - n,
                                         "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\"/>")
                              : snprintf(text + n, size - n, "<reg name=\"x%u\" bitsize=\"64\"/>", i));
    n += (size_t)snprintf(text + n, size - n, "</feature><feature name=\"org.gnu.gdb.riscv.csr\">");
    for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++)
        n += (size_t)snprintf(text + n, size - n, "<reg name=\"%s\" bitsize=\"64\" regnum=\"%u\"/>",
                              csrs[i].name, FIRST_CSR + csrs[i].number);
    return n + (size_t)snprintf(text + n, size - n,
                                "</feature><feature name=\"org.gnu.gdb.riscv.virtual\">"
                                "<reg name=\"priv\" bitsize=\"64\" regnum=\"%u\"/></feature></target>",
                                PRIVILEGE);
}

/* Sends a piece of the target's description: offset,length. */
static void transfer(struct mp_gdb *g, const char *p)
{
    char text[8192];
    uint64_t offset, bytes;
    size_t all = description(text, sizeof text);
    if (!two_numbers(&p, ',', '\0', &offset, &bytes) || offset > all) {
        result(g, false);
        return;
    }
    bool last = bytes >= all - offset;
    add_text(g, last ? "l" : "m");
    add(g, text + offset, last ? all - offset : bytes);
}

static const char *after(const char *packet, const char *start)
{
    size_t n = strlen(start);
    return strncmp(packet, start, n) ? NULL : packet + n;
}

static void query(struct mp_gdb *g, const char *packet)
{
    char text[64];
    const char *rest;
    if (after(packet, "qSupported")) {
        snprintf(text, sizeof text, "PacketSize=%x;qXfer:features:read+", MP_GDB_PACKET);
        add_text(g, text);
    } else if ((rest = after(packet, "qXfer:features:read:target.xml:"))) {
        transfer(g, rest);
    } else if (after(packet, "qAttached")) {
        add_text(g, "1");
    } else if (after(packet, "qC")) {
        add_text(g, "QC1");
    } else if (after(packet, "qfThreadInfo")) {
        add_text(g, "m1");
    } else if (after(packet, "qsThreadInfo")) {
        add_text(g, "l");
    }
}

static void say_signal(struct mp_gdb *g)
{
    char text[8];
    snprintf(text, sizeof text, "S%02x", (unsigned)g->signal & 0xff);
    add_text(g, text);
}

/* c and s may give the address at which to continue. */
static enum mp_gdb_wish go(struct mp_gdb *g, const char *p, enum mp_gdb_wish wish)
{
    uint64_t address;
    if (*p && number(&p, &address))
        g->target.write_register(g->target.self, PC, address);
    return wish;
}

/* Answers the packet, or returns what the core shall do; that is answered when the core stops. */
static enum mp_gdb_wish take_packet(struct mp_gdb *g)
{
    const char *p = g->packet;
    switch (*p) {
    case 'c':
        return go(g, p + 1, MP_GDB_CONTINUE);
    case 's':
        return go(g, p + 1, MP_GDB_STEP);
    case 'k':
        return MP_GDB_KILL;
    case 'D':
        result(g, true);
        send_answer(g);
        return MP_GDB_DETACH;
    case '?':
        say_signal(g);
        break;
    case 'g':
        read_all(g);
        break;
    case 'G':
        write_all(g, p + 1);
        break;
    case 'p':
        read_one(g, p + 1);
        break;
    case 'P':
        write_one(g, p + 1);
        break;
    case 'm':
        read_memory(g, p + 1);
        break;
    case 'M':
        write_memory(g, p + 1);
        break;
    case 'Z':
    case 'z':
        breakpoint(g, p + 1, *p == 'Z');
        break;
    case 'H':
    case 'T':
        result(g, true); /* there is one thread */
        break;
    case 'q':
        query(g, p);
        break;
    default:
        break;
    }
    send_answer(g);
    return MP_GDB_NOTHING;
}

/* --- bytes ---------------------------------------------------------------------------------------- */

void mp_gdb_init(struct mp_gdb *g, const struct mp_gdb_target *target)
{
    memset(g, 0, sizeof *g);
    g->target = *target;
    g->signal = MP_GDB_SIGTRAP;
}

static enum mp_gdb_wish outside(struct mp_gdb *g, uint8_t byte)
{
    enum { CTRL_C = 3 };
    if (byte == '$') {
        g->state = MP_GDB_INSIDE;
        g->length = 0;
        g->sum = 0;
        g->too_long = false;
    }
    return byte == CTRL_C ? MP_GDB_INTERRUPT : MP_GDB_NOTHING; /* over a stream, + and - need no action */
}

static void inside(struct mp_gdb *g, uint8_t byte)
{
    if (byte == '#') {
        g->state = MP_GDB_SUM_HIGH;
        return;
    }
    g->sum = (uint8_t)(g->sum + byte);
    if (g->length < MP_GDB_PACKET)
        g->packet[g->length++] = (char)byte;
    else
        g->too_long = true;
}

static enum mp_gdb_wish end_packet(struct mp_gdb *g, char low)
{
    int h = hex_digit(g->sum_high), l = hex_digit(low);
    bool good = h >= 0 && l >= 0 && (h << 4 | l) == g->sum && !g->too_long;
    g->state = MP_GDB_OUTSIDE;
    g->packet[g->length] = '\0';
    g->target.send(g->target.self, good ? "+" : "-", 1);
    return good ? take_packet(g) : MP_GDB_NOTHING;
}

enum mp_gdb_wish mp_gdb_receive(struct mp_gdb *g, uint8_t byte)
{
    switch (g->state) {
    case MP_GDB_OUTSIDE:
        return outside(g, byte);
    case MP_GDB_INSIDE:
        inside(g, byte);
        return MP_GDB_NOTHING;
    case MP_GDB_SUM_HIGH:
        g->sum_high = (char)byte;
        g->state = MP_GDB_SUM_LOW;
        return MP_GDB_NOTHING;
    default:
        return end_packet(g, (char)byte);
    }
}

void mp_gdb_stopped(struct mp_gdb *g, enum mp_gdb_signal signal)
{
    g->signal = signal;
    say_signal(g);
    send_answer(g);
}

void mp_gdb_watched(struct mp_gdb *g, enum mp_gdb_watch kind, uint64_t address)
{
    static const char *const names[] = {
        [MP_GDB_WATCH_WRITE] = "watch", [MP_GDB_WATCH_READ] = "rwatch", [MP_GDB_WATCH_ACCESS] = "awatch"};
    char text[32];
    g->signal = MP_GDB_SIGTRAP;
    snprintf(text, sizeof text, "T%02x%s:%llx;", MP_GDB_SIGTRAP, names[kind], (unsigned long long)address);
    add_text(g, text);
    send_answer(g);
}

void mp_gdb_exited(struct mp_gdb *g, int code)
{
    char text[8];
    snprintf(text, sizeof text, "W%02x", (unsigned)code & 0xff);
    add_text(g, text);
    send_answer(g);
}
