-- SPDX-License-Identifier: Apache-2.0
-- What disturbed the readings of a search for functions: threads on other SMs, each of which loads from random addresses.
ALTER TABLE reveal ADD COLUMN neighbours INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reveal ADD COLUMN gap INTEGER; -- cycles between a thread's loads, at most; NULL without threads
