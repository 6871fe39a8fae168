-- SPDX-License-Identifier: Apache-2.0
-- what the server of page faults spends its time on, by tenant and part; per batch, and per page that faulted
SELECT * FROM fault_cost WHERE run = :run ORDER BY tenant, position;
