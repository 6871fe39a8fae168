/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes mutants of a program for the core: copies of it, each with one instruction changed. A branch is taken
 * when it was not, and a store or a call is left out.
 *
 *     mutate IMAGE.elf SEED N PREFIX <places     writes PREFIX.1.elf ... PREFIX.N.elf
 *
 * A place is a line with an instruction's address, in hexadecimal, and a word that names it, such as its
 * source line. N of those that can be changed are drawn; fewer if there are fewer. Prints a line for each.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, NOP = 0x13, SHORT_NOP = 1 };
enum change { NONE, BRANCH, STORE, CALL };
static const char *const words[] = {
    [BRANCH] = "branch inverted", [STORE] = "store left out", [CALL] = "call left out"};

static struct place {
    uint64_t address;
    char name[96];
    uint8_t *at; /* in the image */
} places[MOST];
static uint8_t *image;
static size_t bytes;

static void fail(const char *what)
{
    fprintf(stderr, "mutate: %s\n", what);
    exit(1);
}

static void read_image(const char *name)
{
    enum { ROOM = 1 << 24 };
    FILE *f = fopen(name, "rb");
    image = malloc(ROOM);
    if (!f || !image)
        fail(name);
    bytes = fread(image, 1, ROOM, f);
    fclose(f);
    if (bytes < sizeof(Elf64_Ehdr) || bytes == ROOM || memcmp(image, ELFMAG, SELFMAG))
        fail("no ELF file");
}

/* The byte of the file that is loaded to this address; NULL: none. */
static uint8_t *find(uint64_t address)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)image;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(image + e->e_phoff);
    for (unsigned i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && address - p[i].p_vaddr < p[i].p_filesz)
            return image + p[i].p_offset + (address - p[i].p_vaddr);
    return NULL;
}

static bool is_long(const uint8_t *at)
{
    return (at[0] & 3) == 3;
}

static uint32_t get(const uint8_t *at)
{
    uint32_t word = 0;
    memcpy(&word, at, is_long(at) ? 4 : 2);
    return word;
}

/* RV64IMAC. Stores to the stack are the compiler's. */
static enum change change_of(uint32_t word)
{
    const unsigned opcode = word & 0x7f, rd = word >> 7 & 31, half = word & 3, kind = word >> 13 & 7;
    if (half == 3)
        return opcode == 0x63                                  ? BRANCH
               : opcode == 0x23 && (word >> 15 & 31) != 2      ? STORE
               : (opcode == 0x6f || opcode == 0x67) && rd == 1 ? CALL
                                                               : NONE;
    return half == 1 && kind >= 6                                   ? BRANCH
           : half == 0 && kind >= 6                                 ? STORE
           : half == 2 && (word >> 12) == 9 && rd && !(word & 0x7c) ? CALL
                                                                    : NONE;
}

static void mutate(uint8_t *at, enum change change)
{
    uint32_t word = get(at);
    if (change == BRANCH)
        word ^= is_long(at) ? 1u << 12 : 1u << 13;
    else
        word = is_long(at) ? NOP : SHORT_NOP;
    memcpy(at, &word, is_long(at) ? 4 : 2);
}

static uint64_t draw(uint64_t *state, uint64_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % n;
}

static void write_image(const char *prefix, unsigned k)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%u.elf", prefix, k);
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(image, 1, bytes, f) != bytes || fclose(f))
        fail(name);
}

int main(int argc, char *argv[])
{
    size_t n = 0;
    if (argc != 5)
        fail("IMAGE.elf SEED N PREFIX <places");
    read_image(argv[1]);
    uint64_t state = strtoull(argv[2], NULL, 0) * 2 + 1;
    while (n < MOST && scanf("%" SCNx64 " %95s", &places[n].address, places[n].name) == 2) {
        places[n].at = find(places[n].address);
        n += places[n].at && change_of(get(places[n].at));
    }
    const unsigned most = (unsigned)strtoul(argv[3], NULL, 0);
    for (unsigned k = 1; k <= most && n; k++) {
        const size_t i = draw(&state, n);
        const struct place p = places[i];
        places[i] = places[--n];
        uint8_t before[4];
        memcpy(before, p.at, sizeof before);
        const enum change change = change_of(get(p.at));
        mutate(p.at, change);
        write_image(argv[4], k);
        memcpy(p.at, before, sizeof before);
        printf("%u 0x%" PRIx64 " %s %s\n", k, p.address, p.name, words[change]);
    }
    free(image);
    return 0;
}
