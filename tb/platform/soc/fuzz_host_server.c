/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes from a driver in another process: each message gets one answer, which is itself a message.
 */
#include <stdlib.h>

#include "fake_port.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
    if (!truth)
        abort();
}

static void check(const struct mp_driver_message *request, const struct mp_driver_message *answer)
{
    uint8_t bytes[MP_MESSAGE_HEADER + MP_MESSAGE_DATA];
    struct mp_driver_message decoded;
    require(answer->kind == MP_MESSAGE_ERROR || answer->kind == request->kind);
    require(answer->bytes == 0 || answer->kind == MP_MESSAGE_READ);
    mp_driver_message_encode(answer, bytes);
    if (answer->bytes)
        memcpy(bytes + MP_MESSAGE_HEADER, answer->data, answer->bytes);
    require(mp_driver_message_decode(bytes, sizeof bytes, &decoded) ==
            (int)(MP_MESSAGE_HEADER + answer->bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mp_host_server s;
    struct mp_driver_message request, answer = {.kind = MP_MESSAGE_HELLO};
    s = (struct mp_host_server){.port = &fake_port, .memory_bytes = FAKE_MEMORY};
    for (int n;
         answer.kind != MP_MESSAGE_ERROR && (n = mp_driver_message_decode(data, size, &request)) != 0;) {
        if (n < 0) {
            require(mp_host_server_refuse(&s).kind == MP_MESSAGE_ERROR);
            return 0;
        }
        require((size_t)n <= size);
        answer = mp_host_server_answer(&s, &request);
        check(&request, &answer);
        data += n;
        size -= (size_t)n;
    }
    return 0;
}
