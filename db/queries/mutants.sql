-- SPDX-License-Identifier: Apache-2.0
-- each fault of a set (default: the latest): survivors first, then equivalent ones, then killed ones
SELECT number, outcome, fault, cell, port, bit, source, mode, stride, transactions, difference
FROM mutant WHERE mutation = coalesce(:mutation, (SELECT max(id) FROM mutation))
ORDER BY outcome = 'killed', outcome = 'equivalent', transactions DESC, number;
