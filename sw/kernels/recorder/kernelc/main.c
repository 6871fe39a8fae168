/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mempath-kernelc [--inline-limit N] [--kernel KERNEL]... NAME IN.bc OUT.o [SOURCE ...]
 *
 * Compiles a module of OpenCL C kernels (bitcode from clang, target spir64, not optimised) to a native object
 * with recording hooks, whose table is the symbol mp_module_NAME. Its content digest is computed from the
 * SOURCEs. If the module would have more than N instructions when all calls are inlined, functions that are
 * called from several places are kept. With --kernel, the module has only these kernels, and what the others
 * need is not compiled.
 */
#include "kernelc.h"

#include "../module.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define INLINE_LIMIT 20000 /* instructions before optimisation; compiling more takes seconds */
#define SPIR_KERNEL  76u   /* LLVM's number of SPIR's calling convention for kernels */

static LLVMModuleRef read_bitcode(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        refuse("%s: %s", path, message);
    if (LLVMParseBitcodeInContext2(context, buffer, &module))
        refuse("%s: not LLVM 14 bitcode", path);
    LLVMDisposeMemoryBuffer(buffer);
    return module;
}

static void set_attribute(LLVMValueRef f, const char *name, bool on)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    if (on)
        LLVMAddAttributeAtIndex(
            f, at, LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(f)), kind, 0));
    else
        LLVMRemoveEnumAttributeAtIndex(f, at, kind);
}

bool is_kernel(LLVMValueRef f)
{
    return LLVMGetFunctionCallConv(f) == SPIR_KERNEL && LLVMCountBasicBlocks(f) &&
           LLVMGetLinkage(f) != LLVMInternalLinkage;
}

static bool is_named(LLVMValueRef kernel, char *const *name, unsigned n)
{
    size_t length;
    unsigned i = 0;
    while (i < n && strcmp(LLVMGetValueName2(kernel, &length), name[i]) != 0)
        i++;
    return i < n;
}

/* A function of the C++ runtime library, which LLVM needs, too. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Writes the function's name in a demangled signature, with its template arguments and without blanks. */
static void name_in(const char *signature, char name[512])
{
    unsigned n = 0;
    int depth = 0;
    for (const char *at = signature; *at && (*at != '(' || depth) && n < 511; at++) {
        depth += *at == '<';
        depth -= *at == '>';
        if (*at != ' ')
            name[n++] = *at;
        else if (!depth) /* a template's result comes first */
            n = 0;
    }
    name[n] = 0;
}

/* Writes a mangled name with _Float16, which the demangler does not know, as OpenCL's half. */
static void as_half(const char *mangled, char name[1024])
{
    static const char float16[] = "DF16_";
    unsigned n = 0;
    while (*mangled && n < 1022)
        if (!strncmp(mangled, float16, strlen(float16))) {
            memcpy(name + n, "Dh", 2);
            n += 2;
            mangled += strlen(float16);
        } else {
            name[n++] = *mangled++;
        }
    name[n] = 0;
}

/* Gives a kernel of CUDA C++ its name in the source: "saxpy", "reduce<float>". */
static void name_kernel(LLVMValueRef f)
{
    size_t length;
    int status;
    char name[512], known[1024];
    const char *mangled = LLVMGetValueName2(f, &length);
    if (strncmp(mangled, "_Z", 2) != 0)
        return;
    as_half(mangled, known);
    char *signature = __cxa_demangle(known, NULL, NULL, &status);
    if (!signature)
        return;
    name_in(signature, name);
    free(signature);
    if (*name)
        LLVMSetValueName2(f, name, strlen(name));
}

/* Refuses a name that no kernel has. */
static void find_kernel(LLVMModuleRef module, char *name)
{
    char kernels[256] = "";
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (is_kernel(f) && is_named(f, &name, 1))
            return;
        const size_t used = strlen(kernels);
        if (is_kernel(f))
            snprintf(kernels + used, sizeof kernels - used, " %s", LLVMGetValueName2(f, &length));
    }
    if (kernels[0])
        refuse("%s: no such kernel; there are%s", name, kernels);
}

static void run_passes(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine,
                       LLVMPassBuilderOptionsRef options)
{
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    if (error)
        refuse("LLVM: %s", LLVMGetErrorMessage(error));
    LLVMDisposePassBuilderOptions(options);
}

/* Deletes the other kernels and what only they call, so that nothing in them is refused. Without names, all
 * kernels are kept. */
static void keep_kernels(LLVMModuleRef module, char *const *name, unsigned n)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f) && !(is_kernel(f) && (n == 0 || is_named(f, name, n))))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    run_passes(module, "globaldce", NULL, LLVMCreatePassBuilderOptions());
}

/* Functions of the source, which have debug information, may call only what is defined: the host's C library,
 * which the built-in functions use, is not for kernels. What is called _Z... is a built-in function, see
 * check_call. */
static void check_definitions(LLVMModuleRef module)
{
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetSubprogram(f) ? LLVMGetFirstBasicBlock(f) : NULL; b;
             b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
                if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee))
                    continue;
                const char *name = LLVMGetValueName2(callee, &length);
                if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "llvm.", 5) != 0 &&
                    strncmp(name, "record_", 7) != 0 && strcmp(name, "printf") != 0)
                    refuse_at(place_of(i), "%s calls %s, which is declared but not defined",
                              LLVMGetValueName2(f, &length), name);
            }
}

/* Inlines helpers into their kernels, except those whose calls are kept. */
static void inline_helpers(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMCountBasicBlocks(f) || is_kernel(f))
            continue;
        set_attribute(f, "noinline", is_kept(f));
        set_attribute(f, "alwaysinline", !is_kept(f));
    }
}

/* Options of LLVM's own programs, for what its C interface does not have. */
static void set_options(const char *const *option, int n)
{
    const char *words[8] = {"kernelc"};
    memcpy(words + 1, option, (size_t)n * sizeof *option);
    LLVMParseCommandLineOptions(n + 1, words, "");
}
#define SET_OPTIONS(...)                                                                                     \
    set_options((const char *const[]){__VA_ARGS__},                                                          \
                (int)(sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *)))

/* Vectorising and unrolling for the host would distort the instructions of a GPU's lane. */
static void optimise(LLVMModuleRef module, bool cuda)
{
    /* `default<O2>` ignores the pass builder's option for vectorising loops. A second iteration of
     * instcombine nearly always finds nothing, but takes as long as the first. */
    SET_OPTIONS("-force-vector-width=1", "-force-vector-interleave=1", "-instcombine-max-iterations=1");
    /* It would load each element of a pair or vector of CUDA's that was loaded as one. */
    if (cuda)
        SET_OPTIONS("-disable-vector-combine");
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetSLPVectorization(o, false);
    LLVMPassBuilderOptionsSetLoopUnrolling(o, false);
    /* No target machine, so that the kernels' code is the same on every host. */
    run_passes(module, "default<O2>", NULL, o);
}

/* Inlines hooks and checks, and removes the checks that cannot fail. The rest is optimised already. */
static void clean_up(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    run_passes(module, "always-inline,function(early-cse,instcombine,correlated-propagation,simplifycfg)",
               machine, LLVMCreatePassBuilderOptions());
}

static void check_call(LLVMValueRef kernel, LLVMValueRef call)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "a computed address";
    const char *k = LLVMGetValueName2(kernel, &length);
    if (LLVMIsAInlineAsm(callee))
        refuse_at(place_of(call), "kernel %s has inline assembly, which is not supported", k);
    if (kept_callee(call))
        return;
    if (!LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee))
        refuse_recursion(kernel, call, name);
    if (strncmp(name, "_Z", 2) != 0 || is_barrier(call))
        return;
    const int n = atoi(name + 2); /* Itanium mangling: _Z<length><name>... */
    refuse_at(place_of(call),
              "kernel %s calls %.*s with arguments for which the recorder has no such built-in function "
              "(sw/kernels/recorder/README.md lists what is missing)",
              k, n, name + 2 + strspn(name + 2, "0123456789"));
}

static void check_calls(const struct flat *flat)
{
    for (unsigned f = 0; f < flat->nfunctions; f++) {
        LLVMValueRef function = flat->context[flat->function[f]].function;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i))
                    check_call(flat->context[0].function, i);
    }
}

/* The built-ins declare the work-item variable as a part of the program; the runtime defines it. */
static void import_work_item(LLVMModuleRef module)
{
    LLVMValueRef old = LLVMGetNamedGlobal(module, "record_work_item");
    if (!old)
        return;
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(module, LLVMGlobalGetValueType(old), "",
                                                 LLVMGetPointerAddressSpace(LLVMTypeOf(old)));
    LLVMReplaceAllUsesWith(old, g);
    LLVMDeleteGlobal(old);
    LLVMSetValueName2(g, "record_work_item", strlen("record_work_item"));
    LLVMSetGlobalConstant(g, true);
}

/* Replaces SPIR's calling convention and data layout by the host's. */
static void become_native(LLVMModuleRef module, LLVMTargetDataRef layout, const char *triple)
{
    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMSetFunctionCallConv(f, LLVMCCallConv);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i))
                    LLVMSetInstructionCallConv(i, LLVMCCallConv);
    }
}

static LLVMTargetMachineRef host_machine(char **triple)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    *triple = LLVMGetDefaultTargetTriple();
    LLVMTargetRef target;
    char *message;
    if (LLVMGetTargetFromTriple(*triple, &target, &message))
        refuse("%s: %s", *triple, message);
    /* The oldest CPU of the architecture: results must be the same on every machine. */
    return LLVMCreateTargetMachine(target, *triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

/* Barriers and collectives have become calls of the runtime. Of CUDA C++, what is left of their functions is
 * hidden, and would have to be defined. */
static void delete_unused(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}

static void digest_sources(char **paths, int n, uint64_t digest[2])
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, LLVM_VERSION, strlen(LLVM_VERSION));
    for (int i = 0; i < n; i++) {
        FILE *f = fopen(paths[i], "rb");
        if (!f)
            refuse("%s: cannot be read", paths[i]);
        char block[65536];
        for (size_t got; (got = fread(block, 1, sizeof block, f)) > 0;)
            XXH3_128bits_update(state, block, got);
        fclose(f);
    }
    const XXH128_hash_t h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    digest[0] = h.low64;
    digest[1] = h.high64;
}

static unsigned count_instructions(LLVMModuleRef module)
{
    unsigned n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                n++;
    return n;
}

#define LARGE 10000u /* instructions; compiling them takes longer than most recordings */

static void emit(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *path)
{
    char *message = NULL, partial[4096];
    if (count_instructions(module) > LARGE) /* a third less time, for code that is up to a tenth slower */
        SET_OPTIONS("-enable-misched=false", "-regalloc=basic");
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        refuse("internal: %s", message);
    LLVMDisposeMessage(message);
    snprintf(partial, sizeof partial, "%s.tmp", path);
    if (LLVMTargetMachineEmitToFile(machine, module, partial, LLVMObjectFile, &message))
        refuse("%s: %s", partial, message);
    if (rename(partial, path))
        refuse("%s: cannot be written", path);
}

struct command {
    char **kernel, **word; /* KERNELs; NAME IN.bc OUT.o SOURCE... */
    unsigned nkernels;
    int nwords;
    double inline_limit; /* instructions */
};

/* Generic pointers are parameters of helpers, and values of variables that become registers only when their
 * own pointers are no longer generic. */
static void lower_all_generic(LLVMModuleRef module)
{
    enum { ROUNDS = 5 };
    run_passes(module, "always-inline", NULL, LLVMCreatePassBuilderOptions());
    for (unsigned i = 0; i < ROUNDS && lower_generic(module); i++)
        run_passes(module, "function(sroa,early-cse,simplifycfg)", NULL, LLVMCreatePassBuilderOptions());
}

/* Kernels share kept functions. */
static bool has_context_of(const struct kernel *k, LLVMValueRef function)
{
    unsigned f = 0;
    while (f < k->flat.nfunctions && k->flat.context[k->flat.function[f]].function != function)
        f++;
    return f < k->flat.nfunctions;
}

static void instrument(LLVMModuleRef module, LLVMTargetDataRef layout, unsigned n,
                       const struct kernel *kernels)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned f = 0; f < kernels[i].flat.nfunctions; f++) {
            const unsigned context = kernels[i].flat.function[f];
            LLVMValueRef function = kernels[i].flat.context[context].function;
            unsigned before = 0;
            while (before < i && !has_context_of(&kernels[before], function))
                before++;
            if (before < i)
                continue;
            insert_checks(module, layout, function);
            insert_hooks(module, &kernels[i], context);
            lower_printf(module, layout, function);
        }
}

static struct command read_command(int argc, char **argv)
{
    struct command c = {.kernel = must_alloc((size_t)argc, sizeof *c.kernel),
                        .word = argv + 1,
                        .nwords = argc - 1,
                        .inline_limit = INLINE_LIMIT};
    if (c.nwords > 1 && !strcmp(c.word[0], "--inline-limit")) {
        c.inline_limit = atof(c.word[1]);
        c.word += 2;
        c.nwords -= 2;
    }
    for (; c.nwords > 1 && !strcmp(c.word[0], "--kernel"); c.word += 2, c.nwords -= 2)
        c.kernel[c.nkernels++] = c.word[1];
    if (c.nwords < 3)
        refuse(
            "usage: mempath-kernelc [--inline-limit N] [--kernel KERNEL]... NAME IN.bc OUT.o [SOURCE ...]");
    return c;
}

int main(int argc, char **argv)
{
    const struct command c = read_command(argc, argv);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_bitcode(context, c.word[1]);
    char *triple;
    LLVMTargetMachineRef machine = host_machine(&triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);

    replace_float_additions(module);
    const bool cuda = !strcmp(LLVMGetTarget(module), "spirv64"); /* OpenCL C is compiled for spir64 */
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (cuda && is_kernel(f))
            name_kernel(f);
    for (unsigned i = 0; i < c.nkernels; i++)
        find_kernel(module, c.kernel[i]);
    keep_kernels(module, c.kernel, c.nkernels);
    check_definitions(module);
    keep_calls(module, c.inline_limit);
    inline_helpers(module);
    import_work_item(module);
    join_shared_arrays(module);
    if (lower_generic(module))
        lower_all_generic(module);
    optimise(module, cuda);
    lower_generic(module);
    unsigned n = 0, room = 0;
    struct kernel *kernels = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!is_kernel(f))
            continue;
        if (n == room && !(kernels = realloc(kernels, (room = 2 * room + 8) * sizeof *kernels)))
            refuse("out of memory");
        kernels[n++] = (struct kernel){.function = f};
    }
    if (!n)
        refuse("no kernel in it; at least one __kernel function is needed");
    become_native(module, layout, triple);
    struct variable *variables = NULL;
    forget_effects_of_kept(module);
    const unsigned nvariables = move_variables(module, &variables);
    for (unsigned i = 0; i < n; i++) {
        kernels[i].flat = flatten(kernels[i].function);
        check_calls(&kernels[i].flat);
        analyse_kernel(&kernels[i], module, layout);
    }
    instrument(module, layout, n, kernels);
    uint64_t digest[2];
    digest_sources(c.word + 3, c.nwords - 3, digest);
    add_module_table(module, layout, c.word[0], digest, n, kernels, nvariables, variables);
    for (unsigned i = 0; i < n; i++) {
        LLVMSetLinkage(kernels[i].function, LLVMInternalLinkage);
        kernel_free(&kernels[i]);
    }
    free(kernels);
    for (unsigned i = 0; i < nvariables; i++)
        free(variables[i].name);
    free(variables);
    free(c.kernel);
    clean_up(module, machine);
    delete_unused(module);
    emit(module, machine, c.word[2]);
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeMessage(triple);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return 0;
}
