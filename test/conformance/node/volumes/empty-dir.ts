/** [sig-storage] EmptyDir volumes, on the disk and in memory. */
import { conformance, type World } from '../../suite.ts';
import { containerOf, create, logOf, nameOf, output, until } from '../pod.ts';

type Medium = '' | 'Memory';

async function withVolume(world: World, medium: Medium, script: string, runAsUser?: number): Promise<string> {
	return output(world, {
		script,
		container: {
			volumeMounts: [{ name: 'v', mountPath: '/v' }],
			...(runAsUser === undefined ? {} : { securityContext: { runAsUser } }),
		},
		spec: { volumes: [{ name: 'v', emptyDir: { medium } }] },
	});
}

/** Anybody may write into it, and what is written keeps its mode and its owner. */
async function supports(world: World, user: number, mode: string, medium: Medium): Promise<void> {
	const script = `umask 0; echo content > /v/file; chmod ${mode} /v/file; stat -c '%a %u' /v/file; cat /v/file; grep -c ' /v tmpfs ' /proc/mounts; true`;
	const inMemory = medium === 'Memory' ? 1 : 0;
	world.t.is(await withVolume(world, medium, script, user), `${mode} ${user}\ncontent\n${inMemory}\n`);
}

const ROOT = 0;
const OTHER = 1001;
const cases: readonly (readonly [string, number, string, Medium])[] = [
	['[sig-storage] EmptyDir volumes should support (root,0644,default) [LinuxOnly] [NodeConformance] [Conformance]', ROOT, '644', ''],
	['[sig-storage] EmptyDir volumes should support (root,0666,default) [LinuxOnly] [NodeConformance] [Conformance]', ROOT, '666', ''],
	['[sig-storage] EmptyDir volumes should support (root,0777,default) [LinuxOnly] [NodeConformance] [Conformance]', ROOT, '777', ''],
	['[sig-storage] EmptyDir volumes should support (non-root,0644,default) [LinuxOnly] [NodeConformance] [Conformance]', OTHER, '644', ''],
	['[sig-storage] EmptyDir volumes should support (non-root,0666,default) [LinuxOnly] [NodeConformance] [Conformance]', OTHER, '666', ''],
	['[sig-storage] EmptyDir volumes should support (non-root,0777,default) [LinuxOnly] [NodeConformance] [Conformance]', OTHER, '777', ''],
	['[sig-storage] EmptyDir volumes should support (root,0644,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]', ROOT, '644', 'Memory'],
	['[sig-storage] EmptyDir volumes should support (root,0666,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]', ROOT, '666', 'Memory'],
	['[sig-storage] EmptyDir volumes should support (root,0777,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]', ROOT, '777', 'Memory'],
	[
		'[sig-storage] EmptyDir volumes should support (non-root,0644,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
		OTHER,
		'644',
		'Memory',
	],
	[
		'[sig-storage] EmptyDir volumes should support (non-root,0666,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
		OTHER,
		'666',
		'Memory',
	],
	[
		'[sig-storage] EmptyDir volumes should support (non-root,0777,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
		OTHER,
		'777',
		'Memory',
	],
];
for (const [title, user, mode, medium] of cases) conformance(title, (world) => supports(world, user, mode, medium));

conformance(
	'[sig-storage] EmptyDir volumes volume on default medium should have the correct mode [LinuxOnly] [NodeConformance] [Conformance]',
	async (world) => {
		world.t.is(await withVolume(world, '', 'stat -c %a /v'), '777\n');
	},
);

conformance(
	'[sig-storage] EmptyDir volumes volume on tmpfs should have the correct mode [LinuxOnly] [NodeConformance] [Conformance]',
	async (world) => {
		world.t.is(await withVolume(world, 'Memory', 'stat -c %a /v; grep -c " /v tmpfs " /proc/mounts'), '1777\n1\n');
	},
);

conformance('[sig-storage] EmptyDir volumes pod should support shared volumes between containers [Conformance]', async (world) => {
	const volumeMounts = [{ name: 'v', mountPath: '/v' }];
	const containers = [
		containerOf(world, 'echo "Hello from the busy-box sub-container" > /v/part; mv /v/part /v/shared', { name: 'writer', volumeMounts }),
		containerOf(world, 'until test -e /v/shared; do sleep 0.1; done; cat /v/shared', { name: 'reader', volumeMounts }),
	];
	const name = nameOf(await create(world, { spec: { containers, volumes: [{ name: 'v', emptyDir: {} }] } }));
	await until(world, name, 'has succeeded', ({ status }) => status?.phase === 'Succeeded');
	world.t.is(await logOf(world, name, 'reader'), 'Hello from the busy-box sub-container\n');
});
