/* SPDX-License-Identifier: Apache-2.0 */
#include "image/image.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define PAGE       4096u
#define REGIONS    4096u
#define PIECES     (1u << 18)
#define TEXT_BYTES (1u << 20)
#define STACK      65536u
#define BATCH      512u /* pages whose state is read at once */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

struct region { /* writable memory, or, for GUARD, memory that may become writable: the ends of stacks */
    uint64_t start, end;
    enum { MAPPED, HEAP, GROWS_DOWN, GUARD } kind; /* HEAP: by brk; GROWS_DOWN: the stack */
};

struct piece { /* of the regions: pages that were ever written to, and so are in the image */
    uint64_t start, bytes;
};

/* The head of the file, which precedes the data of the pieces. */
struct head {
    ucontext_t context;
    uint64_t label;
    uint64_t regions, pieces, bytes; /* bytes: of all pieces */
};

/* Lies at the same address in all processes, away from what the kernel hands out, and is no part of an image.
 */
struct zone {
    uint64_t size; /* of the mapping */
    volatile bool entered;
    struct head head;
    struct region region[REGIONS];
    struct piece piece[PIECES];
    uint64_t state[BATCH];
    _Alignas(16) unsigned char stack[STACK];
    unsigned char note[IMAGE_NOTE_BYTES];
    char text[TEXT_BYTES];
    _Alignas(PAGE) unsigned char data[];
};

#define ZONE ((struct zone *)0x200000000000)

int image_supported(struct mp_error *err)
{
#if defined(__x86_64__) && defined(__linux__)
    return SANITIZED ? mp_fail(err, "checkpoints need a build without sanitizers; the preset release") : 0;
#else
    return mp_fail(err, "checkpoints are implemented for Linux on x86-64 only");
#endif
}

bool image_is_fixed(void)
{
    return (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
}

int image_fix(char **argv, struct mp_error *err)
{
    int now = personality(0xffffffff);
    if (now == -1 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1 || !image_is_fixed())
        return mp_fail(err, "this system does not allow addresses that are not random: %s", strerror(errno));
    execv("/proc/self/exe", argv);
    return mp_fail(err, "/proc/self/exe: %s", strerror(errno));
}

/* --- the map of this process's memory, without allocation --- */

/* Reads /proc/self/maps into a buffer. */
static int read_maps(char *text, size_t room, struct mp_error *err)
{
    size_t n = 0;
    ssize_t got = -1;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n < room - 1 && (got = read(fd, text + n, room - 1 - n)) > 0)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    if (got != 0)
        return mp_fail(err, "/proc/self/maps: %s", got < 0 ? strerror(errno) : "longer than 1 MiB");
    text[n] = 0;
    return 0;
}

static uint64_t hexadecimal(const char **at)
{
    uint64_t value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            return value;
    }
}

struct mapping {
    uint64_t start, end;
    const char *line, *flags, *name; /* name: "" for memory without a file; all end at the line's end */
};

/* The next line: "START-END FLAGS OFFSET DEVICE INODE   NAME". NULL at the end. */
static const char *next_mapping(const char *at, struct mapping *m)
{
    if (!*at)
        return NULL;
    m->line = at;
    m->start = hexadecimal(&at);
    at++;
    m->end = hexadecimal(&at);
    m->flags = ++at;
    for (unsigned fields = 0; fields < 4 && *at != '\n'; fields++) {
        while (*at != ' ' && *at != '\n')
            at++;
        while (*at == ' ')
            at++;
    }
    m->name = at;
    while (*at != '\n')
        at++;
    return at + 1;
}

static bool named(const struct mapping *m, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(m->name, name, n);
}

/* The instructions that the processor has: the C library chooses its functions by them. */
static XXH64_hash_t hash_processor(void)
{
    static const unsigned leaves[][2] = {{1, 0}, {7, 0}, {7, 1}, {13, 0}};
    XXH64_hash_t hash = 0;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        __get_cpuid_count(leaves[i][0], leaves[i][1], &a, &b, &c, &d);
        const unsigned same[] = {a, leaves[i][0] == 1 ? 0 : b, c,
                                 d}; /* of 1, b names the processor's number */
        hash = XXH64(same, sizeof same, hash);
    }
    return hash;
}

/* Of a library, also its size and date. The program may be a copy elsewhere: its contents are the caller's
 * concern. */
static XXH64_hash_t hash_mapping(const struct mapping *m, const char *end, XXH64_hash_t hash)
{
    char path[PATH_MAX], program[PATH_MAX];
    struct stat st = {0};
    snprintf(path, sizeof path, "%.*s", (int)(end - m->name - 1), m->name);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    hash = XXH64(&m->start, sizeof m->start, hash);
    hash = XXH64(&m->end, sizeof m->end, hash);
    if (!strcmp(path, program))
        return hash;
    const int64_t file[] = {stat(path, &st) ? -1 : st.st_size, st.st_mtim.tv_sec};
    return XXH64(path, strlen(path), XXH64(file, sizeof file, hash));
}

int image_layout(uint64_t *layout, struct mp_error *err)
{
    static char text[TEXT_BYTES];
    struct mapping m;
    if (read_maps(text, sizeof text, err))
        return -1;
    XXH64_hash_t hash = hash_processor();
    for (const char *at = text; (at = next_mapping(at, &m));)
        if (m.flags[1] != 'w' && m.name[0] == '/')
            hash = hash_mapping(&m, at, hash);
    *layout = hash;
    return 0;
}

/* --- taking an image --- */

static struct zone *zone_make(uint64_t bytes, struct mp_error *err)
{
    uint64_t size = (sizeof(struct zone) + bytes + PAGE - 1) / PAGE * PAGE;
    void *got = mmap(ZONE, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != ZONE) {
        if (got != MAP_FAILED)
            munmap(got, size);
        mp_fail(err, "no memory for an image of %llu B at its address", (unsigned long long)bytes);
        return NULL;
    }
    ZONE->size = size;
    return ZONE;
}

void image_drop(void)
{
    munmap(ZONE, ZONE->size);
}

/* Bytes of writable private memory. */
static int writable_bytes(uint64_t *bytes, struct mp_error *err)
{
    static char text[TEXT_BYTES];
    struct mapping m;
    if (read_maps(text, sizeof text, err))
        return -1;
    *bytes = 1u << 26; /* what this and the map itself need */
    for (const char *at = text; (at = next_mapping(at, &m));)
        if (m.flags[1] == 'w' && m.flags[3] == 'p')
            *bytes += m.end - m.start;
    return 0;
}

static bool add_piece(struct zone *z, uint64_t start, uint64_t bytes)
{
    struct piece *next = &z->piece[z->head.pieces];
    if (z->head.pieces && next[-1].start + next[-1].bytes == start) {
        next[-1].bytes += bytes;
        return true;
    }
    if (z->head.pieces == PIECES)
        return false;
    z->piece[z->head.pieces++] = (struct piece){start, bytes};
    return true;
}

/* Adds the pages of a region that are in memory or swapped. Others were never written to, so they are zero.
 */
static bool add_pages(struct zone *z, const struct region *r, int pagemap)
{
    for (uint64_t at = r->start; at < r->end;) {
        uint64_t pages = (r->end - at) / PAGE;
        size_t want = (pages < BATCH ? pages : BATCH) * sizeof *z->state;
        if (pread(pagemap, z->state, want, (off_t)(at / PAGE * sizeof *z->state)) != (ssize_t)want)
            return false;
        for (size_t i = 0; i < want / sizeof *z->state; i++, at += PAGE)
            if (z->state[i] >> 62 && !add_piece(z, at, PAGE))
                return false;
    }
    return true;
}

static int find_pieces(struct zone *z, struct mp_error *err)
{
    struct mapping m;
    bool good = true;
    if (read_maps(z->text, sizeof z->text, err))
        return -1;
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0)
        return mp_fail(err, "/proc/self/pagemap: %s", strerror(errno));
    for (const char *at = z->text; good && (at = next_mapping(at, &m));) {
        bool guard = m.flags[0] == '-' && m.flags[2] == '-' && m.name[0] == '\n';
        if ((m.flags[1] != 'w' && !guard) || m.flags[3] != 'p' || m.start == (uint64_t)(uintptr_t)z ||
            named(&m, "[v"))
            continue;
        struct region *r = &z->region[z->head.regions];
        good = z->head.regions++ < REGIONS;
        if (!good)
            break;
        *r = (struct region){m.start, m.end,
                             guard                  ? GUARD
                             : named(&m, "[heap]")  ? HEAP
                             : named(&m, "[stack]") ? GROWS_DOWN
                                                    : MAPPED};
        /* Of a file, also the pages that were only read. */
        if (!guard)
            good = m.name[0] == '/' ? add_piece(z, m.start, m.end - m.start) : add_pages(z, r, pagemap);
    }
    close(pagemap);
    return good ? 0
                : mp_fail(err, "the memory of this process is in too many parts, or its pages are not known");
}

int image_take(struct mp_error *err)
{
    uint64_t bytes;
    if (image_supported(err) || writable_bytes(&bytes, err) || !zone_make(bytes, err))
        return -1;
    struct zone *z = ZONE;
    if (find_pieces(z, err)) {
        image_drop();
        return -1;
    }
    /* From here to the end of the copy nothing is allocated, so that the copy is of one moment. */
    if (getcontext(&z->head.context)) {
        mp_fail(err, "getcontext: %s", strerror(errno));
        image_drop();
        return -1;
    }
    if (ZONE->entered)
        return 1;
    for (uint64_t i = 0; i < z->head.pieces; i++) {
        memcpy(z->data + z->head.bytes, (const void *)(uintptr_t)z->piece[i].start, z->piece[i].bytes);
        z->head.bytes += z->piece[i].bytes;
    }
    return 0;
}

/* --- files --- */

#define FILE_BUFFER 131072u

static int write_span(FILE *f, ZSTD_CCtx *c, const void *data, size_t bytes, bool last, struct mp_error *err)
{
    unsigned char buffer[FILE_BUFFER];
    ZSTD_inBuffer in = {data, bytes, 0};
    for (size_t left = 1; left || in.pos < in.size;) {
        ZSTD_outBuffer out = {buffer, sizeof buffer, 0};
        left = ZSTD_compressStream2(c, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return mp_fail(err, "cannot compress: %s", ZSTD_getErrorName(left));
        if (fwrite(buffer, 1, out.pos, f) != out.pos)
            return mp_fail(err, "%s", strerror(errno));
        if (!last && in.pos == in.size)
            break;
    }
    return 0;
}

int image_save(FILE *f, uint64_t label, struct mp_error *err)
{
    struct zone *z = ZONE;
    z->head.label = label;
    const struct head *h = &z->head;
    ZSTD_CCtx *c = ZSTD_createCCtx();
    int bad = c ? 0 : mp_fail(err, "out of memory");
    if (!bad) {
        ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 1);
        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
        bad = write_span(f, c, h, sizeof *h, false, err) ||
              write_span(f, c, z->region, h->regions * sizeof *z->region, false, err) ||
              write_span(f, c, z->piece, h->pieces * sizeof *z->piece, false, err) ||
              write_span(f, c, z->data, h->bytes, true, err);
    }
    ZSTD_freeCCtx(c);
    image_drop();
    return bad ? -1 : 0;
}

struct source {
    FILE *f;
    ZSTD_DCtx *d;
    ZSTD_inBuffer in;
    size_t hint; /* 0: the end, whose checksum was right */
    unsigned char buffer[FILE_BUFFER];
};

static int read_span(struct source *s, void *data, size_t bytes, struct mp_error *err)
{
    ZSTD_outBuffer out = {data, bytes, 0};
    while (out.pos < out.size) {
        if (s->in.pos == s->in.size) {
            s->in = (ZSTD_inBuffer){s->buffer, fread(s->buffer, 1, sizeof s->buffer, s->f), 0};
            if (!s->in.size)
                return mp_fail(err, "the image ends early");
        }
        s->hint = ZSTD_decompressStream(s->d, &out, &s->in);
        if (ZSTD_isError(s->hint))
            return mp_fail(err, "the image is damaged: %s", ZSTD_getErrorName(s->hint));
    }
    return 0;
}

static bool sane(const struct zone *z)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < z->head.pieces && bytes <= z->head.bytes; i++)
        bytes += z->piece[i].bytes;
    return bytes == z->head.bytes;
}

static int load(struct source *s, uint64_t label, struct mp_error *err)
{
    struct head h = {.label = 0};
    if (read_span(s, &h, sizeof h, err))
        return -1;
    if (h.label != label)
        return mp_fail(err, "the head is damaged, or of another image");
    if (h.regions > REGIONS || h.pieces > PIECES || h.bytes >> 44)
        return mp_fail(err, "the image is damaged: its sizes cannot be");
    if (!zone_make(h.bytes, err))
        return -1;
    struct zone *z = ZONE;
    z->head = h;
    int bad = read_span(s, z->region, h.regions * sizeof *z->region, err) ||
              read_span(s, z->piece, h.pieces * sizeof *z->piece, err) || read_span(s, z->data, h.bytes, err);
    unsigned char more;
    ZSTD_outBuffer none = {&more, 1, 0};
    while (!bad && s->hint) { /* the checksum follows */
        if (s->in.pos == s->in.size)
            s->in = (ZSTD_inBuffer){s->buffer, fread(s->buffer, 1, sizeof s->buffer, s->f), 0};
        s->hint = s->in.size ? ZSTD_decompressStream(s->d, &none, &s->in) : (size_t)-1;
        if (ZSTD_isError(s->hint) || none.pos)
            bad = mp_fail(err, "the image is damaged or ends early");
    }
    if (!bad && !sane(z))
        bad = mp_fail(err, "the image is damaged: its parts do not add up");
    if (bad)
        image_drop();
    return bad ? -1 : 0;
}

int image_load(FILE *f, uint64_t label, struct mp_error *err)
{
    static struct source s;
    s = (struct source){.f = f, .d = ZSTD_createDCtx()};
    int bad = s.d ? load(&s, label, err) : mp_fail(err, "out of memory");
    ZSTD_freeDCtx(s.d);
    return bad ? -1 : 0;
}

void *image_note(void)
{
    return ZONE->note;
}

/* --- entering an image --- */

#if defined(__x86_64__)
/* While memory is replaced, nothing of the C library may be called: its data are replaced, too. */
static inline long kernel(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = (uint64_t)-1;
    register uint64_t r9 __asm__("r9") = 0;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline void copy(uint64_t to, const unsigned char *from, uint64_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}

/* Runs on the zone's stack. */
__attribute__((noreturn, noinline, used, optimize("no-stack-protector"))) static void replace(void)
{
    struct zone *z = ZONE;
    const unsigned char *from = z->data;
    static const char refused[] = "mempath: checkpoint: the system gives no memory at its addresses\n";
    for (uint64_t i = 0; i < z->head.regions; i++) {
        const struct region *r = &z->region[i];
        bool good;
        if (r->kind == HEAP)
            good = kernel(SYS_brk, r->start, 0, 0, 0) == (long)r->start &&
                   kernel(SYS_brk, r->end, 0, 0, 0) == (long)r->end;
        else
            good = kernel(SYS_mmap, r->start, r->end - r->start,
                          r->kind == GUARD ? PROT_NONE : PROT_READ | PROT_WRITE,
                          /* It may be larger than the host's memory, as most of it is not in use. */
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE |
                              (r->kind == GROWS_DOWN ? MAP_GROWSDOWN : 0)) == (long)r->start;
        if (!good) {
            kernel(SYS_write, STDERR_FILENO, (uint64_t)refused, sizeof refused - 1, 0);
            kernel(SYS_exit_group, 1, 0, 0, 0);
        }
    }
    for (uint64_t i = 0; i < z->head.pieces; i++) {
        copy(z->piece[i].start, from, z->piece[i].bytes);
        from += z->piece[i].bytes;
    }
    z->entered = true;
    setcontext(&z->head.context);
    __builtin_trap();
}

void image_enter(void)
{
    __asm__ volatile("mov %0, %%rsp\n\tcall *%1" ::"r"(ZONE->stack + STACK), "r"(replace) : "memory");
    __builtin_unreachable();
}
#else
void image_enter(void)
{
    __builtin_trap();
}
#endif
