-- SPDX-License-Identifier: Apache-2.0
-- all facts about a run
SELECT j.key AS fact, j.value
FROM run r, json_each(json_object('run', r.id, 'uuid', r.uuid, 'experiment', r.experiment, 'status', r.status,
    'error', r.error, 'command line', r.command_line, 'revision', r.revision, 'build type', r.build_type,
    'compiler', r.compiler, 'seed', printf('%u', r.seed), 'changes', nullif(r.changes, ''), 'configuration hash', r.config_hash, 'machine hash', r.machine_hash,
    'host', r.host, 'cpu', r.cpu, 'cores', r.cores, 'started', r.started, 'ended', r.ended, 'cycles', r.cycles,
    'warp instructions', r.instructions, 'memory accesses', r.accesses, 'translations', r.translations,
    'engine events', r.events, 'cut at cycle', r.cut_at, 'share in detail', r.detail, 'seconds', r.seconds, 'peak memory', r.peak_memory, 'digest', r.digest)) j
WHERE r.id = :run;
