/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a driver's function: FW_OK, or the reason why it did nothing. */
#ifndef FW_ERROR_H
#define FW_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#define FW_ERRORS(E)                                                                                         \
    E(OK, "done")                                                                                            \
    E(EINVAL, "an argument is out of range")                                                                 \
    E(EABSENT, "no such device")                                                                             \
    E(EEXIST, "there already")                                                                               \
    E(ENOENT, "not there")                                                                                   \
    E(ENOMEM, "no room")                                                                                     \
    E(EBUSY, "in use")                                                                                       \
    E(EUNSUPPORTED, "the machine cannot do that")                                                            \
    E(EFAULT, "an access was given up")                                                                      \
    E(EDOUBLE, "freed twice")                                                                                \
    E(EBUS, "bus error")                                                                                     \
    E(EPREEMPTED, "stopped, and may go on")                                                                  \
    E(ETIMEOUT, "no answer in time")                                                                         \
    E(ESTOPPED, "the launch was stopped")                                                                    \
    E(EDATA, "data was lost")

enum fw_error {
#define FW_ERROR_CODE(name, text) FW_##name,
    FW_ERRORS(FW_ERROR_CODE)
};

const char *fw_error_text(enum fw_error e);

#ifdef __cplusplus
}
#endif
#endif
