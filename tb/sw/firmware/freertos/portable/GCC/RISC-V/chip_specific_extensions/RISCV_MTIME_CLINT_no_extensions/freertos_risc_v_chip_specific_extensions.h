/* SPDX-License-Identifier: Apache-2.0 */
#define STAND_IN 1
