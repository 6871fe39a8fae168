-- SPDX-License-Identifier: Apache-2.0
-- Opening a file asks for runs that may have been killed: without the index, that reads every run.
CREATE INDEX run_running ON run (boot, pid, pid_started) WHERE status = 'running';
