-- SPDX-License-Identifier: Apache-2.0
-- Shows what distinguishes runs of one experiment: the seed, and the differences from the shipped configuration. A
-- trace that is not of an application appears by its file name. Without an instance, a tenant has no number of slices.

ALTER TABLE run ADD COLUMN changes TEXT NOT NULL DEFAULT '';
