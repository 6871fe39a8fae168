/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target once over each file of the folders named on the command line. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return -1;
    }
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    int failed = !data || fread(data, 1, (size_t)size, f) != (size_t)size;
    fclose(f);
    if (!failed)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
    unsigned files = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entry;
        int n = scandir(argv[i], &entry, NULL, alphasort);
        if (n < 0) {
            perror(argv[i]);
            return 1;
        }
        for (int k = 0; k < n; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entry[k]->d_name);
            if (entry[k]->d_name[0] != '.') {
                if (replay_file(path))
                    return 1;
                files++;
            }
            free(entry[k]);
        }
        free(entry);
    }
    printf("%u corpus files replayed\n", files);
    return files ? 0 : 1;
}
