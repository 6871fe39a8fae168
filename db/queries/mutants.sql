-- SPDX-License-Identifier: Apache-2.0
-- each fault (of the latest, or :mutation): those that survived first, then those proven to be none, then those killed last
SELECT number, outcome, fault, cell, port, bit, source, mode, stride, transactions, difference
FROM mutant WHERE mutation = coalesce(:mutation, (SELECT max(id) FROM mutation))
ORDER BY outcome = 'killed', outcome = 'equivalent', transactions DESC, number;
