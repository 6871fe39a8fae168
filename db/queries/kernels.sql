-- SPDX-License-Identifier: Apache-2.0
-- each launch of a kernel: when it ran, and what was counted since the launch before
SELECT * FROM kernels WHERE run = :run ORDER BY run, tenant, launch;
