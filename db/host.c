/* SPDX-License-Identifier: Apache-2.0 */
#include "db/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void first_line(const char *path, char *line, size_t size)
{
    FILE *f = fopen(path, "r");
    line[0] = '\0';
    if (!f)
        return;
    if (!fgets(line, (int)size, f))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(f);
}

/* Start of a process in clock ticks since boot, field 22 of /proc/PID/stat; 0 if there is no such process. A
 * zombie (Z, X) counts as none: in containers it may stay one for ever. */
static int64_t process_started(int64_t pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    first_line(path, line, sizeof line);
    char *p = strrchr(line, ')'); /* the name before it may contain anything */
    if (p && p[1] && strchr("ZX", p[2]))
        return 0;
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    return p ? strtoll(p, NULL, 10) : 0;
}

static void cpu_name(char *name, size_t size)
{
    char line[512];
    snprintf(name, size, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon || !colon[1])
            continue;
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(name, size, "%.120s", colon + 2);
        break;
    }
    if (f)
        fclose(f);
}

void mp_db_host(struct mp_db_host *host)
{
    char machine[40], boot[40], space[40];
    memset(host, 0, sizeof *host);
    if (gethostname(host->name, sizeof host->name - 1) || !host->name[0])
        snprintf(host->name, sizeof host->name, "unknown");
    cpu_name(host->cpu, sizeof host->cpu);
    host->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    first_line("/etc/machine-id", machine, sizeof machine);
    first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[n > 0 ? n : 0] = '\0';
    /* With the host's name: images of a machine are copied together with its id. */
    snprintf(host->boot, sizeof host->boot, "%s@%.64s/%s/%s", machine, host->name, boot, space);
    host->pid = getpid();
    host->started = process_started(host->pid);
}

/* Process ids are valid within one boot and pid namespace only. If this machine has booted since, the process
 * is dead. Processes on other machines or in other containers are unknown, and so is the process of a copied
 * file: its run goes on in the original. Rows of earlier versions do not name the file. */
enum mp_db_alive mp_db_alive(const struct mp_db_host *here, uint64_t file, const char *recorded, int64_t pid,
                             int64_t started)
{
    char boot[sizeof here->boot];
    snprintf(boot, sizeof boot, "%s", recorded);
    char *inode = strstr(boot, MP_DB_FILE_MARK);
    if (inode) {
        *inode = '\0';
        if (strtoull(inode + strlen(MP_DB_FILE_MARK), NULL, 10) != file)
            return MP_DB_UNKNOWN;
    }
    if (!strcmp(here->boot, boot)) {
        int64_t now = process_started(pid);
        return started == 0 ? MP_DB_UNKNOWN : now == started ? MP_DB_ALIVE : MP_DB_DEAD;
    }
    const char *a = strchr(here->boot, '/'), *b = strchr(boot, '/');
    if (!a || !b || here->boot[0] == '@' || a - here->boot != b - boot ||
        strncmp(here->boot, boot, (size_t)(a - here->boot)) != 0)
        return MP_DB_UNKNOWN;
    const char *a_end = strchr(a + 1, '/'), *b_end = strchr(b + 1, '/');
    if (!a_end || !b_end)
        return MP_DB_UNKNOWN;
    bool same_boot = a_end - a == b_end - b && strncmp(a, b, (size_t)(a_end - a)) == 0;
    return same_boot ? MP_DB_UNKNOWN : MP_DB_DEAD;
}
