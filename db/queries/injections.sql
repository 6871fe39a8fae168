-- SPDX-License-Identifier: Apache-2.0
-- faults on purpose in runs of firmware, the latest run first: where, when, and what became of them
SELECT run, seed, number, fault, place, planned, cycle, outcome FROM injection ORDER BY run DESC, number;
