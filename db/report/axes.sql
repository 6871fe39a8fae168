-- SPDX-License-Identifier: Apache-2.0
-- What varies in each study, in the order of its file.
SELECT study, path FROM axis WHERE varies ORDER BY study DESC, position, path;
