-- SPDX-License-Identifier: Apache-2.0
-- what each metric counts, and its unit
SELECT component_kind, name, kind, unit, description FROM metric ORDER BY component_kind, name;
