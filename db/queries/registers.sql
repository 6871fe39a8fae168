-- SPDX-License-Identifier: Apache-2.0
-- registers of the management core by address (from mempath firmware regs --record)
SELECT block, name, printf('0x%08x', address) AS address, count, bytes, access, printf('0x%x', reset) AS reset,
    printf('0x%x', reserved) AS reserved, effects, description
FROM register r WHERE :block IS NULL OR block = :block ORDER BY r.address, access, name;
