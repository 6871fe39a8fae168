/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of the numbers in a request. Three numbers, which do not depend on each other, give its origin: the
 * SM that made it, the address space in which its virtual address is translated (asid), and the tenant for
 * which it counts. Tables by tenant or by asid have these sizes.
 */
#ifndef MP_ENGINE_TENANT_H
#define MP_ENGINE_TENANT_H

#define MP_TENANTS 8u /* at most; numbered from 0 */
#define MP_ASIDS   8u /* likewise */

#endif
