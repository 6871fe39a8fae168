/* SPDX-License-Identifier: Apache-2.0 */
/* Work-item functions. The structure equals struct record_work_item of module.h; the runtime fills it. */
struct record_work_item {
    ulong global_id[3], local_id[3];
    ulong group_id[3], global_size[3], local_size[3], groups[3], offset[3], dimensions;
    ulong sub_group, sub_lane, sub_lanes, cuda_lane;
    ulong lanes;
};
extern __constant struct record_work_item record_work_item;

#define WORK_ITEM(NAME, FIELD, OUTSIDE)                                                                              \
    size_t __attribute__((overloadable, const)) NAME(uint d) { return d < 3 ? record_work_item.FIELD[d] : OUTSIDE; }
WORK_ITEM(get_global_id, global_id, 0)
WORK_ITEM(get_local_id, local_id, 0)
WORK_ITEM(get_group_id, group_id, 0)
WORK_ITEM(get_global_size, global_size, 1)
WORK_ITEM(get_local_size, local_size, 1)
WORK_ITEM(get_num_groups, groups, 1)
WORK_ITEM(get_global_offset, offset, 0)
WORK_ITEM(get_enqueued_local_size, local_size, 1)
size_t __attribute__((overloadable, const)) get_local_linear_id(void)
{
    const __constant struct record_work_item *w = &record_work_item;
    return (w->local_id[2] * w->local_size[1] + w->local_id[1]) * w->local_size[0] + w->local_id[0];
}
size_t __attribute__((overloadable, const)) get_global_linear_id(void)
{
    const __constant struct record_work_item *w = &record_work_item;
    return (w->global_id[2] * w->global_size[1] + w->global_id[1]) * w->global_size[0] + w->global_id[0];
}
uint __attribute__((overloadable, const)) get_work_dim(void) { return (uint)record_work_item.dimensions; }

/* One host thread runs all work-items, so memory is always consistent. The runtime defines barrier(). */
void __attribute__((overloadable)) mem_fence(cl_mem_fence_flags f) {}
void __attribute__((overloadable)) read_mem_fence(cl_mem_fence_flags f) {}
void __attribute__((overloadable)) write_mem_fence(cl_mem_fence_flags f) {}
