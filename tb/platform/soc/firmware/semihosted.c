/* SPDX-License-Identifier: Apache-2.0 */
/* An ordinary program, for picolibc's semihosting: output, files, arguments, time and an exit code. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what)
{
    printf("%s: %s\n", what, strerror(errno));
    return 1;
}

static int copy(const char *from, const char *to)
{
    char text[64];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0)
        return fail("open");
    long n, all = 0;
    while ((n = read(in, text, sizeof text)) > 0) {
        for (long i = 0; i < n; i++)
            text[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 32) : text[i];
        if (write(out, text, (size_t)n) != n)
            return fail("write");
        all += n;
    }
    close(in);
    close(out);
    printf("%ld bytes\n", all);
    return 0;
}

int main(void)
{
    int c;
    printf("typed:");
    while ((c = getchar()) != EOF && c != '\n')
        printf(" %c", c);
    printf("\n");
    if (open("../outside", O_RDONLY) >= 0 || open("/etc/passwd", O_RDONLY) >= 0 ||
        open("link", O_RDONLY) >= 0)
        return fail("a file outside was opened");
    if (copy("in.txt", "out.txt"))
        return 2;
    return unlink("gone.txt") ? fail("unlink") : 7;
}
