/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of module.h, as LLVM globals. Field order is that of module.h. */
#include "emit.h"

#include "../module.h"

#include <llvm-c/Target.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Frees the array of values. */
static LLVMValueRef table(const struct emitter *e, LLVMValueRef *rows, unsigned n)
{
    LLVMValueRef result = LLVMConstNull(e->pointer);
    if (n)
        result = global(e, LLVMConstArray(LLVMTypeOf(rows[0]), rows, n));
    free(rows);
    return result;
}

/* Returns a node of the function's metadata of that kind, or NULL. */
static LLVMValueRef metadata(const struct emitter *e, LLVMValueRef f, const char *kind)
{
    const unsigned id = LLVMGetMDKindIDInContext(e->context, kind, (unsigned)strlen(kind));
    size_t n;
    LLVMValueRef found = NULL;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(f, &n);
    for (unsigned i = 0; i < n; i++)
        if (LLVMValueMetadataEntriesGetKind(all, i) == id)
            found = LLVMMetadataAsValue(e->context, LLVMValueMetadataEntriesGetMetadata(all, i));
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

/* Returns the operands of a metadata node, and their number in *n. Free the result. */
static LLVMValueRef *operands(LLVMValueRef node, unsigned *n)
{
    *n = node ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0;
    LLVMValueRef *all = must_alloc(*n, sizeof *all);
    if (*n)
        LLVMGetMDNodeOperands(node, all);
    return all;
}

static LLVMValueRef metadata_text(const struct emitter *e, LLVMValueRef s)
{
    unsigned length;
    const char *t = LLVMGetMDString(s, &length);
    return text(e, t, length);
}

/* The name of a parameter's type: clang calls float4 "float __attribute__((ext_vector_type(4)))". */
static LLVMValueRef type_text(const struct emitter *e, LLVMValueRef s, LLVMTypeRef type)
{
    unsigned length;
    const char *t = LLVMGetMDString(s, &length);
    char name[64];
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return text(e, t, length);
    const int n = snprintf(name, sizeof name, "%.*s%u", (int)strcspn(t, " "), t, LLVMGetVectorSize(type));
    return text(e, name, (unsigned)n);
}

struct members {
    LLVMValueRef *row;
    unsigned n, room;
};

/* A vector of CUDA C++, "struct.float4", which is aligned more than its members are. */
static bool is_cuda_vector(LLVMTypeRef type)
{
    static const char *const names[] = {"char", "uchar", "short",    "ushort",    "int",   "uint",
                                        "long", "ulong", "longlong", "ulonglong", "float", "double"};
    const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    for (unsigned i = 0; name && !strncmp(name, "struct.", 7) && i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (!strncmp(name + 7, names[i], length) && strspn(name + 7 + length, "24") == 1 && !name[8 + length])
            return true;
    }
    return false;
}

/* clang adds an array of bytes behind the last member if a vector makes padding necessary. (An array of bytes
 * in the source that fills such a structure looks the same.) */
static bool is_padding(const struct emitter *e, LLVMTypeRef structure, unsigned index)
{
    LLVMTypeRef type = LLVMStructGetTypeAtIndex(structure, index);
    if (index && index + 1 < LLVMCountStructElementTypes(structure) &&
        LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
        LLVMGetElementType(type) == LLVMInt8TypeInContext(e->context))
        return is_cuda_vector(LLVMStructGetTypeAtIndex(structure, index + 1));
    if (index == 0 || index + 1 != LLVMCountStructElementTypes(structure) ||
        LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
        LLVMGetElementType(type) != LLVMInt8TypeInContext(e->context))
        return false;
    for (unsigned i = 0; i < index; i++) {
        LLVMTypeRef other = LLVMStructGetTypeAtIndex(structure, i);
        const unsigned alignment = LLVMABIAlignmentOfType(e->layout, other);
        if (alignment > 8 && LLVMGetArrayLength(type) < alignment)
            return true;
    }
    return false;
}

static void add_members(const struct emitter *e, struct members *m, LLVMTypeRef type, uint64_t offset)
{
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
        LLVMTypeRef element = LLVMGetElementType(type);
        for (unsigned i = 0; i < LLVMGetArrayLength(type); i++)
            add_members(e, m, element, offset + i * LLVMABISizeOfType(e->layout, element));
    } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (!is_padding(e, type, i))
                add_members(e, m, LLVMStructGetTypeAtIndex(type, i),
                            offset + LLVMOffsetOfElement(e->layout, type, i));
    } else {
        if (m->n == m->room && !(m->row = realloc(m->row, (m->room = 2 * m->room + 16) * sizeof *m->row)))
            refuse("out of memory");
        m->row[m->n++] = STRUCT(e, u32(e, offset), u32(e, LLVMABISizeOfType(e->layout, type)));
    }
}

/* The name of a parameter's type by its IR, of CUDA C++: "float*", "int", also for unsigned. */
static LLVMValueRef plain_type(const struct emitter *e, LLVMTypeRef type)
{
    char name[64];
    const bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    LLVMTypeRef of = pointer ? LLVMGetElementType(type) : type;
    const char *base = "structure";
    if (LLVMGetTypeKind(of) == LLVMIntegerTypeKind)
        base = LLVMGetIntTypeWidth(of) <= 8    ? "char"
               : LLVMGetIntTypeWidth(of) <= 16 ? "short"
               : LLVMGetIntTypeWidth(of) <= 32 ? "int"
                                               : "long";
    else if (LLVMGetTypeKind(of) == LLVMFloatTypeKind)
        base = "float";
    else if (LLVMGetTypeKind(of) == LLVMDoubleTypeKind)
        base = "double";
    else if (LLVMGetTypeKind(of) == LLVMHalfTypeKind)
        base = "half";
    const int n = snprintf(name, sizeof name, "%s%s", base, pointer ? "*" : "");
    return text(e, name, (unsigned)n);
}

static LLVMValueRef plain_argument(const struct emitter *e, LLVMValueRef function, unsigned index)
{
    static const char changed[] = ".coerce"; /* what clang appends to a pointer's name */
    LLVMValueRef parameter = LLVMGetParam(function, index);
    LLVMTypeRef type = LLVMTypeOf(parameter);
    size_t length;
    const char *name = LLVMGetValueName2(parameter, &length), *end = strstr(name, changed);
    const bool by_value = by_value_memory(function, index, &type);
    const bool buffer = !by_value && LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    struct members m = {0};
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        add_members(e, &m, type, 0);
    const unsigned n = m.n;
    return STRUCT(e, text(e, name, (unsigned)(end ? (size_t)(end - name) : length)), plain_type(e, type),
                  table(e, m.row, m.n), u32(e, buffer ? RECORD_GLOBAL : RECORD_VALUE),
                  u32(e, LLVMABISizeOfType(e->layout, type)), u32(e, n), u32(e, true));
}

static LLVMValueRef argument(const struct emitter *e, LLVMValueRef function, unsigned index,
                             LLVMValueRef name, LLVMValueRef base_type)
{
    static const unsigned kinds[] = {RECORD_VALUE, RECORD_GLOBAL, RECORD_CONSTANT, RECORD_LOCAL};
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, index));
    unsigned kind = RECORD_VALUE;
    if (!by_value_memory(function, index, &type) && LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        unsigned length, named;
        const char *t = LLVMGetMDString(base_type, &length), *n = LLVMGetMDString(name, &named);
        const bool image = !strncmp(t, "image", 5), sampler = !strncmp(t, "sampler", 7);
        if (!memchr(t, '*', length) && !image && !sampler)
            refuse_at(place_of_function(function),
                      "parameter %.*s of a kernel has type %.*s, which is not supported", (int)named, n,
                      (int)length, t);
        kind = memchr(t, '*', length) ? kinds[LLVMGetPointerAddressSpace(type)]
               : image                ? RECORD_IMAGE
                                      : RECORD_SAMPLER;
    }
    struct members m = {0};
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        add_members(e, &m, type, 0);
    const unsigned n = m.n;
    return STRUCT(e, metadata_text(e, name), type_text(e, base_type, type), table(e, m.row, m.n),
                  u32(e, kind), u32(e, LLVMABISizeOfType(e->layout, type)), u32(e, n), u32(e, false));
}

static LLVMValueRef arguments(const struct emitter *e, LLVMValueRef function, unsigned *n)
{
    unsigned nnames, ntypes;
    LLVMValueRef *names = operands(metadata(e, function, "kernel_arg_name"), &nnames);
    LLVMValueRef *types = operands(metadata(e, function, "kernel_arg_base_type"), &ntypes);
    *n = LLVMCountParams(function);
    const bool plain = ntypes == 0 && nnames == 0;
    if (!plain && (ntypes != *n || nnames != *n))
        refuse("a kernel with %u parameters has metadata for %u (compile with -cl-kernel-arg-info)", *n,
               ntypes);
    LLVMValueRef *rows = must_alloc(*n, sizeof *rows);
    for (unsigned i = 0; i < *n; i++)
        rows[i] = plain ? plain_argument(e, function, i) : argument(e, function, i, names[i], types[i]);
    free(names);
    free(types);
    return table(e, rows, *n);
}

/* Builds void stub(i8 **args), which loads every argument through its pointer and calls the kernel. */
static LLVMValueRef call_stub(const struct emitter *e, LLVMValueRef function)
{
    LLVMTypeRef list = LLVMPointerType(e->pointer, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), &list, 1, false);
    LLVMValueRef stub = LLVMAddFunction(e->module, "record.call", type);
    LLVMSetLinkage(stub, LLVMInternalLinkage);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(e->context, stub, ""));
    const unsigned n = LLVMCountParams(function);
    LLVMValueRef *values = must_alloc(n, sizeof *values);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef index = u32(e, i);
        LLVMValueRef at = LLVMBuildGEP2(b, e->pointer, LLVMGetParam(stub, 0), &index, 1, "");
        LLVMValueRef place = LLVMBuildLoad2(b, e->pointer, at, "");
        LLVMTypeRef wanted = LLVMTypeOf(LLVMGetParam(function, i)), pointee;
        if (by_value_memory(function, i, &pointee))
            values[i] = LLVMBuildBitCast(b, place, wanted, "");
        else {
            values[i] =
                LLVMBuildLoad2(b, wanted, LLVMBuildBitCast(b, place, LLVMPointerType(wanted, 0), ""), "");
            LLVMSetAlignment(values[i], 1); /* the caller's vectors may be unaligned */
        }
    }
    LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, values, n, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    free(values);
    return LLVMConstBitCast(stub, e->pointer);
}

static LLVMValueRef segments(const struct emitter *e, const struct kernel *k)
{
    LLVMValueRef *rows = must_alloc(k->nsegments, sizeof *rows);
    for (unsigned i = 0; i < k->nsegments; i++) {
        const struct segment *s = &k->segments[i];
        rows[i] =
            STRUCT(e, u32(e, s->first), u32(e, s->count), u32(e, s->tail),
                   u32(e, s->loop_end == NO_LOOP ? 0 : s->loop_end), u32(e, s->issued), place(e, s->place));
    }
    return table(e, rows, k->nsegments);
}

static LLVMValueRef needs(const struct emitter *e, const struct access *a)
{
    LLVMValueRef *rows = must_alloc(a->nneeds, sizeof *rows);
    for (unsigned i = 0; i < a->nneeds; i++)
        rows[i] = u32(e, a->needs[i]);
    return table(e, rows, a->nneeds);
}

static LLVMValueRef accesses(const struct emitter *e, const struct kernel *k)
{
    LLVMValueRef *rows = must_alloc(k->naccesses, sizeof *rows);
    for (unsigned i = 0; i < k->naccesses; i++) {
        const struct access *a = &k->accesses[i];
        rows[i] = STRUCT(e, u32(e, a->gap), u32(e, a->bytes), u32(e, a->op),
                         u32(e, a->space == ANY_SPACE ? 1 : a->space), u32(e, a->any), u32(e, a->number),
                         u32(e, a->argument), place(e, a->place), needs(e, a), u32(e, a->nneeds));
    }
    return table(e, rows, k->naccesses);
}

static LLVMValueRef locals(const struct emitter *e, const struct kernel *k)
{
    LLVMValueRef *rows = must_alloc(k->nlocals, sizeof *rows);
    for (unsigned i = 0; i < k->nlocals; i++) {
        LLVMValueRef variable = k->locals[i];
        const char *name = array_name(variable);
        rows[i] = STRUCT(e, text(e, name, (unsigned)strlen(name)),
                         LLVMConstPtrToInt(variable, LLVMInt64TypeInContext(e->context)),
                         u64(e, LLVMABISizeOfType(e->layout, LLVMGlobalGetValueType(variable))));
    }
    return table(e, rows, k->nlocals);
}

static LLVMValueRef required_group(const struct emitter *e, LLVMValueRef function)
{
    unsigned n;
    LLVMValueRef *size = operands(metadata(e, function, "reqd_work_group_size"), &n), fields[3];
    for (unsigned i = 0; i < 3; i++)
        fields[i] = u32(e, i < n ? LLVMConstIntGetZExtValue(size[i]) : 0);
    free(size);
    return LLVMConstArray(LLVMInt32TypeInContext(e->context), fields, 3);
}

static LLVMValueRef kernel_row(const struct emitter *e, const struct kernel *k)
{
    size_t length;
    const char *name = LLVMGetValueName2(k->function, &length);
    unsigned nargs;
    LLVMValueRef args = arguments(e, k->function, &nargs);
    return STRUCT(e, text(e, name, (unsigned)length), call_stub(e, k->function), args, segments(e, k),
                  accesses(e, k), locals(e, k), u32(e, nargs), u32(e, k->nsegments), u32(e, k->naccesses),
                  u32(e, k->nlocals), u32(e, k->local_bytes), u32(e, k->private_bytes), u32(e, k->barriers),
                  u32(e, k->words), required_group(e, k->function));
}

static LLVMValueRef variable_table(const struct emitter *e, unsigned n, const struct variable *all)
{
    LLVMValueRef *rows = must_alloc(n, sizeof *rows);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef initial = LLVMGetInitializer(all[i].variable);
        rows[i] = STRUCT(e, text(e, all[i].name, (unsigned)strlen(all[i].name)),
                         LLVMConstBitCast(global(e, initial), e->pointer),
                         LLVMConstBitCast(all[i].slot, e->pointer),
                         u64(e, LLVMABISizeOfType(e->layout, LLVMGlobalGetValueType(all[i].variable))));
    }
    return table(e, rows, n);
}

void add_module_table(LLVMModuleRef module, LLVMTargetDataRef layout, const char *name,
                      const uint64_t digest[2], unsigned nkernels, const struct kernel *kernels,
                      unsigned nvariables, const struct variable *variables)
{
    const struct emitter e = emitter_of(module, layout);
    LLVMValueRef *rows = must_alloc(nkernels, sizeof *rows);
    for (unsigned i = 0; i < nkernels; i++)
        rows[i] = kernel_row(&e, &kernels[i]);
    LLVMValueRef halves[2] = {u64(&e, digest[0]), u64(&e, digest[1])};
    LLVMValueRef value =
        STRUCT(&e, text(&e, name, (unsigned)strlen(name)), table(&e, rows, nkernels),
               variable_table(&e, nvariables, variables), u32(&e, nkernels), u32(&e, nvariables),
               u32(&e, RECORD_VERSION), LLVMConstArray(LLVMInt64TypeInContext(e.context), halves, 2));
    char symbol[256];
    snprintf(symbol, sizeof symbol, "mp_module_%s", name);
    LLVMValueRef g = LLVMAddGlobal(module, LLVMTypeOf(value), symbol);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, true);
}
