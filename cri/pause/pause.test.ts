/** The pause process as it stands in its image, and what it is asked to be under. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { eventually } from '../../test/tools/eventually.ts';
import { sandboxCreateBody } from '../convert/sandbox-create.ts';
import type { HostAbilities } from '../host-abilities.ts';
import { installHelper } from '../network/helper.ts';
import { LinuxSandboxSecurityContext, PodSandboxConfig, SecurityProfile_ProfileType as Type } from '../proto.ts';
import { onlyProcess } from './only-process.ts';

for (const signal of ['SIGTERM', 'SIGINT'] as const)
	test(`pause: forbids itself all but waiting, and ends at ${signal}`, async (t) => {
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-pause-'));
		t.teardown(() => rm(dir, { recursive: true }));
		const child = spawn(await installHelper(dir), { stdio: 'ignore' });
		t.teardown(() => child.kill('SIGKILL'));
		const ended = once(child, 'exit');
		// SECCOMP_MODE_FILTER of linux/seccomp.h
		await eventually('the filter is in force', async () =>
			/^NoNewPrivs:\t1\nSeccomp:\t2$/m.test(await readFile(`/proc/${child.pid}/status`, 'utf8')),
		);
		child.kill(signal);
		t.deepEqual(await ended, [0, null]);
	});

const PLACEMENT = { image: 'pause', instance: 'i', cgroupParent: '', runtime: undefined, engineNetwork: false };
const HOST = { selinux: true, lowestOomScoreAdj: -1000 } as HostAbilities;
const LABEL = { user: '', role: '', type: '', level: 's0:c1' };

for (const [name, context, want] of [
	['none asked for: its own filter alone', {}, ['seccomp=unconfined']],
	[
		'the runtime default: forbids less than its own',
		{ seccomp: { profileType: Type.RuntimeDefault, localhostRef: '' } },
		['seccomp=unconfined'],
	],
	[
		'a file of this node, beside its own',
		{ seccomp: { profileType: Type.Localhost, localhostRef: '/p.json' } },
		['seccomp={"of":"/p.json"}'],
	],
	['with a label', { selinuxOptions: LABEL }, ['label=level:s0:c1', 'seccomp=unconfined']],
] as const)
	test(`pause profile: ${name}`, (t) => {
		const empty = Buffer.alloc(0);
		const securityContext = { ...LinuxSandboxSecurityContext.decode(empty), ...context };
		const linux = { cgroupParent: '', sysctls: {}, overhead: undefined, resources: undefined, securityContext };
		const config = { ...PodSandboxConfig.decode(empty), linux };
		const body = sandboxCreateBody(config, PLACEMENT, HOST, (path) => JSON.stringify({ of: path }));
		t.deepEqual(body.HostConfig.SecurityOpt, want);
	});

const GROUPS: Readonly<Record<string, string>> = {
	'/sys/fs/cgroup/devices/kubepods/pod1/c/cgroup.procs': '12\n',
	'/sys/fs/cgroup/devices/docker/c/cgroup.procs': '13\n',
	'/sys/fs/cgroup/kubepods/pod1/c/cgroup.procs': '14\n',
	'/sys/fs/cgroup/kubepods.slice/kubepods-pod1.slice/docker-c.scope/cgroup.procs': '15\n',
	'/sys/fs/cgroup/system.slice/docker-c.scope/cgroup.procs': '16\n',
	'/sys/fs/cgroup/devices/two/c/cgroup.procs': '17\n18\n',
	'/sys/fs/cgroup/devices/over/c/cgroup.procs': '',
	'/sys/fs/cgroup/devices/foreign/c/cgroup.procs': '0\n',
};
for (const [name, parent, cgroupDriver, cgroupVersion, want] of [
	['version 1, below a pod', '/kubepods/pod1', 'cgroupfs', 1, 12],
	['version 1, no parent', '', 'cgroupfs', 1, 13],
	['version 2', '/kubepods/pod1', 'cgroupfs', 2, 14],
	['a slice', 'kubepods-pod1.slice', 'systemd', 2, 15],
	['no slice', '', 'systemd', 2, 16],
	['two of them', '/two', 'cgroupfs', 1, undefined],
	['ended', '/over', 'cgroupfs', 1, undefined],
	['of another PID namespace', '/foreign', 'cgroupfs', 1, undefined],
	['elsewhere', '/nowhere', 'cgroupfs', 1, undefined],
] as const)
	test(`pause process by its control group: ${name}`, (t) =>
		t.is(
			onlyProcess('c', parent, { cgroupDriver, cgroupVersion }, (path) => GROUPS[path]),
			want,
		));
