/* SPDX-License-Identifier: Apache-2.0 */
/* Every exception with its cause, address and value; the state that a faulting instruction must not
 * change; and wrong accesses to the address map. */
#include "fw.h"

/* Executes the instruction, which must trap. Stores its address. */
#define TRAPS(expected, instruction, input)                                                                  \
    ({                                                                                                       \
        uint64_t count_ = fw_trap.count, at_, in_ = (input), out_ = 0x1234;                                  \
        __asm__ volatile("la %0, 1f\n1: " instruction "\n" : "=&r"(at_), "+r"(out_) : "r"(in_) : "memory");  \
        CHECK(fw_trap.count == count_ + 1);                                                                  \
        CHECK(fw_trap.cause == (expected));                                                                  \
        CHECK(fw_trap.epc == at_);                                                                           \
        out_;                                                                                                \
    })

static uint32_t word[4] __attribute__((aligned(16)));

static void exceptions(void)
{
    TRAPS(11, "ecall", 0);
    TRAPS(3, "ebreak", 0);
    TRAPS(3, ".2byte 0x9002", 0);
    TRAPS(2, ".2byte 0", 0);
    CHECK(fw_trap.value == 0);
    TRAPS(2, ".4byte 0xffffffff", 0);
    CHECK(fw_trap.value == 0xffffffff);
    TRAPS(2, "csrr %1, 0x123", 0);
    TRAPS(4, "lr.w %1, (%2)", (uintptr_t)word + 2);
    CHECK(fw_trap.value == (uintptr_t)word + 2);
    TRAPS(6, "amoadd.w %1, %1, (%2)", (uintptr_t)word + 1);
    CHECK(fw_trap.value == (uintptr_t)word + 1);
    TRAPS(6, "amoswap.d %1, %1, (%2)", (uintptr_t)word + 4);
}

/* Accesses outside the map, and accesses to devices with a wrong width, address or direction or by an
 * atomic. The register that would be loaded keeps its value. */
static void bus_errors(void)
{
    CHECK(TRAPS(5, "ld %1, (%2)", 0x40000000) == 0x1234);
    CHECK(fw_trap.value == 0x40000000);
    TRAPS(7, "sd %1, 8(%2)", 0x40000000);
    CHECK(fw_trap.value == 0x40000008);
    CHECK(TRAPS(5, "lb %1, (%2)", 0) == 0x1234);
    TRAPS(7, "sb zero, (%2)", UINT64_MAX);
    CHECK(TRAPS(5, "ld %1, -8(%2)", MP_PLIC_BASE + 16) == 0x1234);
    CHECK(fw_trap.value == MP_PLIC_BASE + 8);
    CHECK(TRAPS(5, "lbu %1, (%2)", MP_PLIC_BASE + MP_PLIC_ENABLE) == 0x1234);
    CHECK(TRAPS(5, "lw %1, 2(%2)", MP_PLIC_BASE + MP_PLIC_ENABLE) == 0x1234);
    TRAPS(7, "sw %1, 2(%2)", MP_PLIC_BASE + MP_PLIC_ENABLE);
    CHECK(fw_trap.value == MP_PLIC_BASE + MP_PLIC_ENABLE + 2);
    TRAPS(7, "sw %1, (%2)", MP_PLIC_BASE + MP_PLIC_PENDING);
    CHECK(TRAPS(5, "lw %1, (%2)", MP_FINISHER_BASE) == 0x1234);
    TRAPS(7, "amoadd.w %1, %1, (%2)", MP_PLIC_BASE + MP_PLIC_ENABLE);
    CHECK(TRAPS(5, "lr.w %1, (%2)", MP_PLIC_BASE + MP_PLIC_ENABLE) == 0x1234);
    CHECK(TRAPS(5, "ld %1, (%2)", MP_UART_BASE + 0xffc) == 0x1234); /* half of the access is outside */
    TRAPS(7, "sw %1, (%2)", MP_ROM_BASE);
    CHECK(READ32(MP_PLIC_BASE + MP_PLIC_ENABLE) == 0);
}

/* The compressed loads and stores, at a register of 4 bytes and at one of 8 bytes. */
static void compressed(void)
{
    uint64_t four = MP_PLIC_BASE + MP_PLIC_PRIORITY, eight = MP_DMA_BASE, got4, got8, sp;
    __asm__ volatile("mv a0, %2\n mv a1, %3\n li a2, 5\n li a3, -9\n"
                     "c.sw a2, 4(a0)\n c.lw a4, 4(a0)\n c.sd a3, 8(a1)\n c.ld a5, 8(a1)\n"
                     "mv %0, a4\n mv %1, a5"
                     : "=r"(got4), "=r"(got8)
                     : "r"(four), "r"(eight)
                     : "a0", "a1", "a2", "a3", "a4", "a5", "memory");
    CHECK(got4 == 5 && got8 == (uint64_t)-9 && READ32(four + 4) == 5 && READ64(eight + 8) == (uint64_t)-9);
    __asm__ volatile("mv %2, sp\n li a2, 3\n li a3, -7\n mv sp, %3\n c.swsp a2, 8(sp)\n c.lwsp a4, 8(sp)\n"
                     "mv sp, %4\n c.sdsp a3, 8(sp)\n c.ldsp a5, 8(sp)\n mv sp, %2\n mv %0, a4\n mv %1, a5"
                     : "=&r"(got4), "=&r"(got8), "=&r"(sp)
                     : "r"(four), "r"(eight)
                     : "a2", "a3", "a4", "a5", "memory");
    CHECK(got4 == 3 && got8 == (uint64_t)-7 && READ32(four + 8) == 3);
    WRITE64(eight + 8, 0);
    WRITE32(four + 4, 0);
    WRITE32(four + 8, 0);
}

/* A jump to an address that cannot contain code returns through the trap handler. */
static void jump_to(uint64_t address)
{
    uint64_t count = fw_trap.count;
    ((void (*)(void))(uintptr_t)address)();
    CHECK(fw_trap.count == count + 1 && fw_trap.cause == 1);
    CHECK(fw_trap.epc == address && fw_trap.value == address);
}

/* Counters count instructions, so the host has no influence on them. */
static void counters(void)
{
    uint64_t a, b, c;
    __asm__ volatile("csrr %0, mcycle\n nop\n nop\n csrr %1, minstret\n rdcycle %2"
                     : "=r"(a), "=r"(b), "=r"(c));
    CHECK(b == a + 3 && c == b + 1);
}

int main(void)
{
    counters();
    exceptions();
    bus_errors();
    compressed();
    jump_to(0x40000000);
    jump_to(MP_UART_BASE);
    jump_to(0);
    jump_to(MP_RAM_BASE + MP_RAM_BYTES);
    counters();
    printf("%ld traps\n", (long)fw_trap.count);
    return 0;
}
