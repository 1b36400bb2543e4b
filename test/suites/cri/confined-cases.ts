/** What a container may do, sees and gets: users, rights, name spaces, mounts, limits. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mount, MountPropagation, NamespaceMode, SecurityProfile_ProfileType as Profile } from '../../../cri/proto.ts';
import { must } from '../../tools/command.ts';
import { type CriCase, linux, type Pod, type Scene, SPACES } from './scene.ts';

const STATUS = 'grep -E "^(Uid|Gid|Groups|NoNewPrivs|Seccomp|CapInh|CapPrm|CapEff|CapBnd|CapAmb):" /proc/self/status';

const mount = (hostPath: string, containerPath: string, more: Partial<Mount> = {}): Mount => ({
	containerPath,
	hostPath,
	readonly: false,
	selinuxRelabel: false,
	propagation: MountPropagation.PROPAGATION_PRIVATE,
	uidMappings: [],
	gidMappings: [],
	recursiveReadOnly: false,
	image: undefined,
	imageSubPath: '',
	...more,
});

/** Each container's words, one after the other. */
async function each(
	scene: Scene,
	script: string,
	kinds: Readonly<Record<string, Parameters<typeof linux>[0]>>,
	pod?: Pod,
): Promise<unknown> {
	const where = pod ?? (await scene.pod());
	const answers: Record<string, unknown> = {};
	for (const [name, context] of Object.entries(kinds)) answers[name] = await scene.run(where, name, script, { linux: linux(context) });
	return answers;
}

export const CONFINED_CASES: readonly CriCase[] = [
	{
		name: 'users and groups',
		answers: (scene) =>
			each(scene, `${STATUS.replace('NoNewPrivs|Seccomp|CapInh|CapPrm|CapEff|CapBnd|CapAmb', 'x')}; id -un`, {
				image: {},
				uid: { runAsUser: { value: 65534n } },
				name: { runAsUsername: 'www-data' },
				group: { runAsUser: { value: 65534n }, runAsGroup: { value: 1234n } },
				more: { runAsUser: { value: 65534n }, supplementalGroups: [7n, 5000n] },
			}),
	},
	{
		name: 'capabilities',
		answers: (scene) => {
			const caps = (addCapabilities: string[], dropCapabilities: string[]): Parameters<typeof linux>[0] => ({
				capabilities: { addCapabilities, dropCapabilities, addAmbientCapabilities: [] },
			});
			return each(scene, 'grep -E "^Cap(Prm|Eff|Bnd|Amb):" /proc/self/status', {
				usual: {},
				added: caps(['SYS_PTRACE', 'NET_ADMIN'], []),
				dropped: caps([], ['CHOWN', 'KILL']),
				none: caps([], ['ALL']),
				few: caps(['NET_BIND_SERVICE'], ['ALL']),
				nobody: { ...caps(['NET_ADMIN'], []), runAsUser: { value: 65534n } },
			});
		},
	},
	{
		name: 'new privileges and seccomp',
		answers: (scene) =>
			each(scene, 'grep -E "^(NoNewPrivs|Seccomp):" /proc/self/status', {
				usual: {},
				noNew: { noNewPrivs: true },
				unconfined: { seccomp: { profileType: Profile.Unconfined, localhostRef: '' } },
				runtimeDefault: { seccomp: { profileType: Profile.RuntimeDefault, localhostRef: '' } },
			}),
	},
	{
		name: 'what is read-only and hidden',
		answers: async (scene) => {
			const paths = { maskedPaths: ['/proc/kcore', '/proc/timer_list', '/home'], readonlyPaths: ['/proc/sys', '/var/www'] };
			const script = [
				'touch /tmp/x 2>/dev/null && echo writes; echo "timers: $(head -c 1 /proc/timer_list | wc -c)"; echo "home: $(ls -A /home | wc -l)"',
				'touch /var/www/x 2>/dev/null && echo www; touch /home/x 2>/dev/null && echo home; true',
			].join('; ');
			return each(scene, script, { usual: paths, readOnly: { ...paths, readonlyRootfs: true } });
		},
	},
	{
		name: 'process name spaces',
		answers: async (scene) => {
			const pod = await scene.pod();
			const target = await scene.sleeper(pod, 'target');
			const own = await scene.sleeper(pod, 'own', { linux: linux({ namespaceOptions: SPACES }) });
			const joined = await scene.sleeper(pod, 'joined', {
				linux: linux({ namespaceOptions: { ...SPACES, pid: NamespaceMode.TARGET, targetId: target } }),
			});
			const space = (id: string): Promise<string> => scene.exec(id, 'readlink', '/proc/self/ns/pid');
			return {
				own: (await space(own)) !== (await space(target)),
				ownFirst: await scene.exec(own, 'sh', '-c', 'tr "\\0" " " < /proc/1/cmdline | cut -c1-5'),
				joined: (await space(joined)) === (await space(target)),
			};
		},
	},
	{
		name: 'mounts: files, folders, links, read-only, what is missing',
		answers: async (scene) => {
			const at = (name: string): string => join(scene.dir, name);
			await mkdir(at('folder'), { recursive: true });
			await writeFile(at('file'), 'of the host\n');
			await writeFile(at('folder/in'), 'inside\n');
			await symlink(at('folder'), at('link'));
			const mounts = [
				mount(at('file'), '/given/file'),
				mount(at('folder'), '/given/folder'),
				mount(at('link'), '/given/link', { readonly: true }),
				mount(at('missing'), '/given/missing'),
			];
			const pod = await scene.pod();
			const script = [
				'cat /given/file /given/link/in; ls -d /given/missing; echo made > /given/folder/made',
				'touch /given/link/x 2>/dev/null || echo refused',
			].join('; ');
			const { said } = await scene.run(pod, 'main', script, { mounts });
			const id = await scene.create(pod, 'looked-at', ['true'], { mounts });
			const told = (await scene.status(id)).mounts.map((m) => [
				m.containerPath,
				m.hostPath.replace(scene.dir, ''),
				m.readonly,
				m.propagation,
			]);
			return {
				said,
				made: await readFile(at('folder/made'), 'utf8'),
				told: told.filter(([path]) => String(path).startsWith('/given')).toSorted(),
			};
		},
	},
	{
		name: 'mounts that are made later propagate as asked for',
		answers: async (scene) => {
			const answers: Record<string, unknown> = {};
			const pod = await scene.pod();
			for (const [name, propagation] of [
				['private', MountPropagation.PROPAGATION_PRIVATE],
				['down', MountPropagation.PROPAGATION_HOST_TO_CONTAINER],
				['both', MountPropagation.PROPAGATION_BIDIRECTIONAL],
			] as const) {
				const dir = join(scene.dir, name);
				await mkdir(join(dir, 'sub'), { recursive: true });
				await must('mount', ['--bind', dir, dir]);
				await must('mount', ['--make-shared', dir]);
				const id = await scene.sleeper(pod, name, { mounts: [mount(dir, '/shared', { propagation })] });
				await must('mount', ['-t', 'tmpfs', 'tmpfs', join(dir, 'sub')]);
				await writeFile(join(dir, 'sub', 'later'), '');
				answers[name] = await scene.exec(id, 'ls', '/shared/sub');
				await must('umount', [join(dir, 'sub')]);
			}
			return answers;
		},
	},
	{
		name: "the whole host, the runtime's own folders among it",
		answers: async (scene) => {
			const file = join(scene.dir, 'of-the-host');
			await mkdir(scene.dir, { recursive: true });
			await writeFile(file, 'here\n');
			const mounts = [mount('/', '/rootfs', { readonly: true })];
			return (await scene.run(await scene.pod(), 'main', `cat /rootfs${file}`, { mounts })).said;
		},
	},
	{
		name: 'limits, and new ones in place',
		answers: async (scene) => {
			const pod = await scene.pod();
			const given = { cpuPeriod: 100_000n, cpuQuota: 20_000n, cpuShares: 512n, memoryLimitInBytes: 64n << 20n, oomScoreAdj: 500n };
			const id = await scene.sleeper(pod, 'main', { linux: linux({}, given) });
			const limits = async (): Promise<unknown> => {
				const pid = (await readFile(`/proc/${await pidOf(scene, id)}/cgroup`, 'utf8')).split('\n');
				const pathOf = (controller: string): string =>
					pid.find((l) => l.split(':')[1]?.split(',').includes(controller))?.split(':')[2] ?? '';
				const value = async (controller: string, file: string): Promise<string> =>
					(await readFile(join('/sys/fs/cgroup', controller, pathOf(controller), file), 'utf8')).trim();
				return {
					shares: await value('cpu', 'cpu.shares'),
					quota: await value('cpu', 'cpu.cfs_quota_us'),
					period: await value('cpu', 'cpu.cfs_period_us'),
					memory: await value('memory', 'memory.limit_in_bytes'),
					score: await scene.exec(id, 'cat', '/proc/1/oom_score_adj'),
				};
			};
			const first = await limits();
			const { linux: more } = {
				linux: linux({}, { ...given, cpuQuota: 50_000n, cpuShares: 100n, memoryLimitInBytes: 96n << 20n }).resources,
			};
			await scene.runtime.updateContainerResources({ containerId: id, linux: more, windows: undefined, annotations: {} });
			return { first, then: await limits() };
		},
	},
];

/** The first process of the container as the host names it; those that it starts may be gone a moment later. */
async function pidOf(scene: Scene, containerId: string): Promise<string> {
	const space = await scene.exec(containerId, 'readlink', '/proc/self/ns/mnt');
	return (
		await must('sh', [
			'-c',
			`for p in /proc/[0-9]*; do [ "$(readlink $p/ns/mnt)" = "${space}" ] && grep -q "^NSpid:.*[[:space:]]1$" $p/status && echo \${p#/proc/}; done | head -1`,
		])
	).trim();
}
