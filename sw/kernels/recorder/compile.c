/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wide.h"

struct work { /* a folder of temporary files */
    char folder[64], copy[96], bitcode[96], object[96], library[96], messages[96];
};

static bool make_work(struct work *w)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(w->folder, sizeof w->folder, "%.40s/mempath-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(w->folder))
        return false;
    snprintf(w->copy, sizeof w->copy, "%s/copy.cl", w->folder);
    snprintf(w->bitcode, sizeof w->bitcode, "%s/kernels.bc", w->folder);
    snprintf(w->object, sizeof w->object, "%s/kernels.o", w->folder);
    snprintf(w->library, sizeof w->library, "%s/kernels.so", w->folder);
    snprintf(w->messages, sizeof w->messages, "%s/messages", w->folder);
    return true;
}

static void remove_work(const struct work *w)
{
    const char *const files[] = {w->copy, w->bitcode, w->object, w->library, w->messages};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir(w->folder);
}

/* Runs a program and stores its messages in the work folder. Returns true if it succeeded. */
static bool run(char *const argv[], const struct work *w)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, w->messages, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    pid_t pid;
    int status = -1;
    const int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return false;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Hints for common mistakes. */
static const char *hint_for(const char *message)
{
    static const struct {
        const char *says, *hint;
    } hints[] = {{"use of undeclared identifier", "; -D NAME=VALUE defines a macro"},
                 {"unknown type name", "; -D NAME=TYPE defines a macro"},
                 {"file not found", "; -I FOLDER names where to look for it"}};
    for (unsigned i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(message, hints[i].says))
            return hints[i].hint;
    return "";
}

/* Returns the first line of the messages that contains "error", or the first line. */
static int complain(const char *path, const char *program, const struct work *w, struct mp_error *err)
{
    char line[400], first[400] = "";
    FILE *f = fopen(w->messages, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!first[0] || strstr(line, "error:"))
            memcpy(first, line, sizeof first);
        if (strstr(line, "error:"))
            break;
    }
    if (f)
        fclose(f);
    if (!first[0])
        return mp_fail(err, "%s: %s cannot be run; it is needed to compile kernels (Debian package clang)",
                       path, program);
    const char *hint = hint_for(first);
    static const char compiler[] = "kernelc: ";
    const size_t skip = strncmp(first, compiler, strlen(compiler)) ? 0 : strlen(compiler);
    return strstr(first, path) ? mp_fail(err, "%s%s", first, hint)
                               : mp_fail(err, "%s: %s%s", path, first + skip, hint);
}

/* The folder of this program, which also contains clang's built-ins and kernelc. */
static void own_folder(char folder[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
}

/* The kernel compiler's command line. Free the result. */
static char **kernelc_words(char *kernelc, const struct launched *launched, char *const rest[],
                            unsigned nrest)
{
    unsigned n = 1;
    char **words = calloc(2 * launched->n + nrest + 4, sizeof *words);
    if (!words)
        return NULL;
    words[0] = kernelc;
    if (launched->inline_limit) {
        words[n++] = (char *)(uintptr_t) "--inline-limit";
        words[n++] = (char *)(uintptr_t)launched->inline_limit;
    }
    for (unsigned i = 0; i < launched->n; i++) {
        words[n++] = (char *)(uintptr_t) "--kernel";
        words[n++] = (char *)(uintptr_t)launched->kernel[i];
    }
    memcpy(words + n, rest, nrest * sizeof *words);
    return words;
}

/* The words of clang's command line: program, its flags, the user's, the rest. Free the result. */
static char **join(char *flags, char *const *flag, unsigned nflags, char *const *rest, unsigned nrest)
{
    unsigned n = 1;
    char **words = calloc(strlen(flags) + nflags + nrest + 3, sizeof *words);
    if (!words)
        return NULL;
    words[0] = MEMPATH_CLANG;
    for (char *at = flags, *word; (word = strsep(&at, " "));)
        words[n++] = word;
    memcpy(words + n, flag, nflags * sizeof *words);
    memcpy(words + n + nflags, rest, nrest * sizeof *words);
    return words;
}

/* clang's command line for a file, which becomes bitcode with the built-in functions in it. generic: OpenCL
 * C's pointers without an address space may be into any. Free the result. */
static char **clang_words(char *source, bool cuda, bool generic, char *const *flag, unsigned nflags,
                          const char *folder, const struct work *w)
{
    static char flags[sizeof MEMPATH_CL_FLAGS + sizeof MEMPATH_CU_FLAGS],
        library[] = "-mlink-builtin-bitcode", option[] = "-Xclang", include[] = "-include", search[] = "-I",
        spaces[] = "-cl-ext=+__opencl_c_generic_address_space";
    static char generics[PATH_MAX + 32], images[PATH_MAX + 32], builtins[PATH_MAX + 32],
        atomics[PATH_MAX + 32], before[PATH_MAX + 32], headers[PATH_MAX + 32];
    snprintf(flags, sizeof flags, "%s",
             cuda ? MEMPATH_CU_FLAGS : MEMPATH_CL_FLAGS); /* join() cuts it into words */
    snprintf(generics, sizeof generics, "%s/generic.bc", folder);
    snprintf(images, sizeof images, "%s/image.bc", folder);
    snprintf(builtins, sizeof builtins, "%s/builtins.bc", folder);
    snprintf(atomics, sizeof atomics, "%s/atomic11.bc", folder);
    snprintf(headers, sizeof headers, "%s/cuda", folder);
    snprintf(before, sizeof before, "%s/%s", folder, cuda ? "cuda/cuda_runtime.h" : "opencl.h");
    char *const words[] = {option,       spaces,  option,  library,  option,
                           generics,     option,  library, option,   images,
                           option,       library, option,  builtins, option,
                           library,      option,  atomics, include,  before,
                           "-emit-llvm", "-c",    source,  "-o",     (char *)(uintptr_t)w->bitcode,
                           search,       headers};
    const unsigned skipped = generic ? 0 : 6, last = cuda ? 0 : 2;
    return join(flags, flag, nflags, words + skipped, sizeof words / sizeof *words - skipped - last);
}

static bool to_bitcode(char *source, bool cuda, bool generic, char *const *flag, unsigned nflags,
                       const char *folder, const struct work *w)
{
    char **words = clang_words(source, cuda, generic, flag, nflags, folder, w);
    const bool done = words && run(words, w);
    free(words);
    return done;
}

/* A program without generic pointers compiles to the code that it has always had. */
static bool with_either_pointers(char *source, bool cuda, char *const *flag, unsigned nflags,
                                 const char *folder, const struct work *w)
{
    return to_bitcode(source, cuda, false, flag, nflags, folder, w) ||
           (!cuda && to_bitcode(source, cuda, true, flag, nflags, folder, w));
}

/* A file with vectors of 32: clang reads a copy, which includes what the file would. */
static bool wide_to_bitcode(const char *path, char *const *flag, unsigned nflags, const char *folder,
                            const struct work *w)
{
    static char define[] = "-Dcl_qcom_extra_vector_types", search[] = "-iquote";
    char own[PATH_MAX], copy[sizeof w->copy];
    snprintf(own, sizeof own, "%s", path);
    snprintf(copy, sizeof copy, "%s", w->copy);
    char **flags = calloc(nflags + 3, sizeof *flags);
    if (!flags)
        return false;
    memcpy(flags, flag, nflags * sizeof *flags);
    flags[nflags] = define;
    flags[nflags + 1] = search;
    flags[nflags + 2] = dirname(own);
    const bool done = with_either_pointers(copy, false, flags, nflags + 3, folder, w);
    free(flags);
    return done;
}

static int compile(const char *path, bool cuda, char *const *flag, unsigned nflags,
                   const struct launched *launched, const struct work *w, struct mp_error *err)
{
    char folder[PATH_MAX], kernelc[PATH_MAX + 32], source[PATH_MAX];
    own_folder(folder);
    snprintf(kernelc, sizeof kernelc, "%s/mempath-kernelc", folder);
    snprintf(source, sizeof source, "%s", path);
    const bool wide = !cuda && wide_copy(path, w->copy);
    if (wide ? !wide_to_bitcode(path, flag, nflags, folder, w)
             : !with_either_pointers(source, cuda, flag, nflags, folder, w))
        return complain(path, MEMPATH_CLANG, w, err);
    char name[] = "user";
    char *const files[] = {name, (char *)(uintptr_t)w->bitcode, (char *)(uintptr_t)w->object, source};
    char **to_object = kernelc_words(kernelc, launched, files, sizeof files / sizeof *files);
    const bool lowered = to_object && run(to_object, w);
    free(to_object);
    if (!lowered)
        return complain(path, kernelc, w, err);
    /* No library: what kernels need, the recorder has. libgcc's conversions of half have another interface.
     */
    char *const to_library[] = {MEMPATH_CLANG, "-shared",
                                "-nostdlib",   (char *)(uintptr_t)w->object,
                                "-o",          (char *)(uintptr_t)w->library,
                                NULL};
    return run(to_library, w) ? 0 : complain(path, MEMPATH_CLANG, w, err);
}

int compile_kernels(const struct record_module **out, const char *path, bool cuda, char *const *flag,
                    unsigned nflags, const struct launched *launched, struct mp_error *err)
{
    struct work w;
    if (access(path, R_OK))
        return mp_fail(err, "%s: %s; a file of OpenCL C or CUDA C++ that can be read", path, strerror(errno));
    if (!make_work(&w))
        return mp_fail(err, "%s: %s; a folder for temporary files (TMPDIR)", w.folder, strerror(errno));
    int result = compile(path, cuda, flag, nflags, launched, &w, err);
    if (result == 0) {
        void *library = dlopen(w.library, RTLD_NOW | RTLD_LOCAL);
        const struct record_module *module = library ? dlsym(library, "mp_module_user") : NULL;
        if (!module)
            result = mp_fail(err, "%s: %s", path, dlerror());
        *out = module;
    }
    remove_work(&w);
    return result;
}
