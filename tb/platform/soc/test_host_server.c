/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol of drivers in other processes: each request and its answer, and those that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_port.h"

static struct mp_host_server s;

static int setup(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    s = (struct mp_host_server){.port = &fake_port, .memory_bytes = FAKE_MEMORY};
    return 0;
}

/* As it goes through the socket. */
static struct mp_driver_message ask(struct mp_driver_message m)
{
    static uint8_t bytes[MP_MESSAGE_HEADER + MP_MESSAGE_DATA + 1];
    const int length = (int)(MP_MESSAGE_HEADER + m.bytes);
    struct mp_driver_message decoded;
    mp_driver_message_encode(&m, bytes);
    memcpy(bytes + MP_MESSAGE_HEADER, m.bytes ? m.data : bytes, m.bytes);
    for (int n = 0; n < length; n++)
        assert_int_equal(mp_driver_message_decode(bytes, (size_t)n, &decoded), 0);
    assert_int_equal(mp_driver_message_decode(bytes, (size_t)length + 1, &decoded), length);
    struct mp_driver_message answer = mp_host_server_answer(&s, &decoded);
    assert_int_equal(answer.b, fake.now);
    return answer;
}

static void refuses(struct mp_driver_message m, enum mp_driver_message_error why)
{
    struct mp_driver_message answer = ask(m);
    assert_int_equal(answer.kind, MP_MESSAGE_ERROR);
    assert_int_equal(answer.a, why);
    assert_true(mp_host_server_error(why)[0]);
}

static const struct mp_driver_message hello = {
    .kind = MP_MESSAGE_HELLO, .a = MP_MESSAGE_VERSION, .b = MP_MESSAGE_MAGIC};

static void greeting(void **state)
{
    (void)state;
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_GET}, MP_MESSAGE_VERSION_ERROR);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_HELLO, .a = 2, .b = MP_MESSAGE_MAGIC},
            MP_MESSAGE_VERSION_ERROR);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_HELLO, .a = 1, .b = 0}, MP_MESSAGE_VERSION_ERROR);
    assert_int_equal(ask(hello).a, FAKE_MEMORY);
    refuses(hello, MP_MESSAGE_VERSION_ERROR);
}

static void requests(void **state)
{
    (void)state;
    uint8_t data[MP_MESSAGE_DATA];
    memset(data, 0x5a, sizeof data);
    ask(hello);
    assert_int_equal(ask((struct mp_driver_message){.kind = MP_MESSAGE_PUT, .a = 8, .b = 77}).kind,
                     MP_MESSAGE_PUT);
    assert_int_equal(fake.reg[2], 77);
    assert_int_equal(ask((struct mp_driver_message){.kind = MP_MESSAGE_GET, .a = 8}).a, 77);
    ask((struct mp_driver_message){.kind = MP_MESSAGE_WRITE, .a = 4096, .bytes = 4096, .data = data});
    assert_int_equal(fake.memory[4095], 0);
    assert_int_equal(fake.memory[4096], 0x5a);
    assert_int_equal(fake.memory[8191], 0x5a);
    struct mp_driver_message answer =
        ask((struct mp_driver_message){.kind = MP_MESSAGE_READ, .a = 4095, .b = 2});
    assert_int_equal(answer.kind, MP_MESSAGE_READ);
    assert_int_equal(answer.bytes, 2);
    assert_memory_equal(answer.data, "\0\x5a", 2);
    ask((struct mp_driver_message){.kind = MP_MESSAGE_WAIT, .a = 500});
    assert_int_equal(fake.now, 500);
    assert_false(s.over);
    ask((struct mp_driver_message){.kind = MP_MESSAGE_BYE});
    assert_true(s.over);
}

static void refusals(void **state)
{
    (void)state;
    uint8_t data[8] = {0};
    ask(hello);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_GET, .a = 64}, MP_MESSAGE_REGISTER);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_GET, .a = UINT64_C(1) << 32}, MP_MESSAGE_REGISTER);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_PUT, .a = 2}, MP_MESSAGE_REGISTER);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_PUT, .b = UINT64_C(1) << 32}, MP_MESSAGE_REGISTER);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_READ, .a = FAKE_MEMORY - 1, .b = 2},
            MP_MESSAGE_MEMORY);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_READ, .a = UINT64_MAX, .b = 2}, MP_MESSAGE_MEMORY);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_READ, .b = MP_MESSAGE_DATA + 1},
            MP_MESSAGE_MALFORMED);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_READ, .bytes = 1, .data = data},
            MP_MESSAGE_MALFORMED);
    refuses(
        (struct mp_driver_message){.kind = MP_MESSAGE_WRITE, .a = FAKE_MEMORY - 7, .bytes = 8, .data = data},
        MP_MESSAGE_MEMORY);
    refuses((struct mp_driver_message){.kind = MP_MESSAGE_ERROR}, MP_MESSAGE_MALFORMED);
    assert_int_equal(mp_host_server_refuse(&s).a, MP_MESSAGE_MALFORMED);
}

static void no_messages(void **state)
{
    static const struct mp_driver_message bad[] = {{.kind = 0},
                                                   {.kind = MP_MESSAGE_ERROR + 1},
                                                   {.kind = MP_MESSAGE_GET, .bytes = 1},
                                                   {.kind = MP_MESSAGE_WRITE, .bytes = MP_MESSAGE_DATA + 1},
                                                   {.kind = MP_MESSAGE_READ, .bytes = UINT32_MAX}};
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint8_t header[MP_MESSAGE_HEADER];
        struct mp_driver_message m;
        mp_driver_message_encode(&bad[i], header);
        assert_int_equal(mp_driver_message_decode(header, sizeof header, &m), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(greeting, setup), cmocka_unit_test_setup(requests, setup),
        cmocka_unit_test_setup(refusals, setup), cmocka_unit_test(no_messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
