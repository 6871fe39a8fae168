/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies this host and process, and finds out whether the process of a recorded run is alive. */
#ifndef MP_DB_HOST_H
#define MP_DB_HOST_H

#include <stdint.h>

struct mp_db_host {
    char name[256], cpu[128];
    int cores;
    char boot[256];       /* machine, boot, pid namespace */
    int64_t pid, started; /* this process */
};
void mp_db_host(struct mp_db_host *host);

/* Follows the boot in a run's row; then comes the inode of the file into which its process records. */
#define MP_DB_FILE_MARK "/file:"

enum mp_db_alive { MP_DB_ALIVE, MP_DB_DEAD, MP_DB_UNKNOWN };

/* State of the process that a row names by `recorded`, pid and start, as read from the database with inode
 * `file`. */
enum mp_db_alive mp_db_alive(const struct mp_db_host *here, uint64_t file, const char *recorded, int64_t pid,
                             int64_t started);

#endif
