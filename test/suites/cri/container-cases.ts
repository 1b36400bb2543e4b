/** Containers: life, how they end, what runs in them, their logs. */
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ContainerState } from '../../../cri/proto.ts';
import { eventually } from '../../tools/eventually.ts';
import { codeOfCall, type CriCase, isRefused, linux, sorted } from './scene.ts';

const NONE = { id: '', state: undefined, podSandboxId: '', labelSelector: {} };

export const CONTAINER_CASES: readonly CriCase[] = [
	{
		name: 'a container from nothing to gone',
		answers: async (scene) => {
			const { runtime } = scene;
			const pod = await scene.pod();
			const more = { labels: { app: 'c' }, annotations: { why: 'because' } };
			const id = await scene.create(pod, 'main', ['sh', '-c', 'trap "exit 5" TERM; echo ready; while :; do sleep 0.05; done'], more);
			const look = async (): Promise<unknown> => {
				const s = await scene.status(id);
				const times = [s.createdAt, s.startedAt, s.finishedAt].map((at) => (at === 0n ? 'zero' : 'set'));
				const { metadata, state, exitCode, reason, labels, annotations, image, mounts } = s;
				const log = s.logPath.startsWith(pod.config.logDirectory) ? s.logPath.slice(pod.config.logDirectory.length) : s.logPath;
				return { metadata, state, exitCode, reason, labels, annotations, image: image?.image, mounts, log, times };
			};
			const created = await look();
			await runtime.startContainer({ containerId: id });
			const running = await look();
			const twice = await isRefused(runtime.startContainer({ containerId: id }));
			await scene.log(pod, 'main', (text) => text.includes('ready'));
			await runtime.stopContainer({ containerId: id, timeout: 30n });
			const exited = await look();
			const stoppedAgain = await codeOfCall(runtime.stopContainer({ containerId: id, timeout: 1n }));
			const startedAgain = await isRefused(runtime.startContainer({ containerId: id }));
			const execInExited = await isRefused(runtime.execSync({ containerId: id, cmd: ['true'], timeout: 5n }));
			await runtime.removeContainer({ containerId: id });
			return {
				created,
				running,
				twice,
				exited,
				stoppedAgain,
				startedAgain,
				execInExited,
				gone: await codeOfCall(runtime.containerStatus({ containerId: id, verbose: false })),
				removedAgain: await codeOfCall(runtime.removeContainer({ containerId: id })),
			};
		},
	},
	{
		name: 'how containers end',
		answers: async (scene) => {
			const pod = await scene.pod();
			const end = async (name: string, script: string): Promise<unknown> => {
				const { exitCode, reason } = await scene.exit(await scene.start(pod, name, ['sh', '-c', script]));
				return { exitCode, reason };
			};
			const stopped = async (name: string, script: string, timeout: bigint): Promise<unknown> => {
				const id = await scene.start(pod, name, ['sh', '-c', `${script}; echo ready; while :; do sleep 0.05; done`]);
				await scene.log(pod, name, (text) => text.includes('ready'));
				await scene.runtime.stopContainer({ containerId: id, timeout });
				const { exitCode, reason, state } = await scene.status(id);
				return { exitCode, reason, state };
			};
			return {
				well: await end('well', 'exit 0'),
				badly: await end('badly', 'exit 42'),
				bySignal: await end('signal', 'kill -9 $$'),
				stopped: await stopped('stopped', 'trap "exit 3" TERM', 60n),
				deaf: await stopped('deaf', 'trap "" TERM', 1n),
				atOnce: await stopped('at-once', 'trap "exit 3" TERM', 0n),
			};
		},
	},
	{
		name: 'one that has no memory left',
		answers: async (scene) => {
			const pod = await scene.pod();
			const resources = { memoryLimitInBytes: 24n << 20n, memorySwapLimitInBytes: 24n << 20n };
			const id = await scene.start(pod, 'main', ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=128M', 'count=1'], {
				linux: linux({}, resources),
			});
			// containerd may see the end before the kernel's word of the reason, and then says "Error".
			const { exitCode } = await scene.exit(id);
			return exitCode;
		},
	},
	{
		name: 'a program that is not there',
		answers: async (scene) => {
			const pod = await scene.pod();
			const id = await scene.create(pod, 'main', ['/no/such/program']);
			const refused = await isRefused(scene.runtime.startContainer({ containerId: id }));
			const { state } = await scene.status(id);
			return { refused, state, removed: await codeOfCall(scene.runtime.removeContainer({ containerId: id })) };
		},
	},
	{
		name: 'an image that is not there',
		answers: async (scene) => {
			const pod = await scene.pod();
			const image = { image: 'registry.k8s.io/none/such:1', annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
			return isRefused(scene.create(pod, 'main', ['true'], { image }));
		},
	},
	{
		name: 'containers in lists, by every filter',
		answers: async (scene) => {
			const [p, q] = [await scene.pod(), await scene.pod()];
			const ids = {
				running: await scene.sleeper(p, 'running', { labels: { set: 'clist', x: '1' } }),
				created: await scene.create(p, 'created', ['sleep', '1'], { labels: { set: 'clist', x: '2' } }),
				exited: await scene.start(q, 'exited', ['true'], { labels: { set: 'clist' } }),
			};
			await scene.exit(ids.exited);
			const nameOf = (id: string): string | undefined => Object.entries(ids).find(([, i]) => i === id)?.[0];
			const list = async (filter: object): Promise<unknown> =>
				sorted(
					(await scene.runtime.listContainers({ filter: { ...NONE, ...filter } })).containers
						.filter((c) => nameOf(c.id) !== undefined)
						.map((c) => ({
							name: c.metadata?.name ?? '',
							state: c.state,
							labels: c.labels,
							image: c.image?.image,
							pod: c.podSandboxId === p.id ? 'p' : 'q',
						})),
				);
			return {
				all: await list({}),
				byId: await list({ id: ids.running }),
				byShortId: await list({ id: ids.created.slice(0, 12) }),
				byState: await list({ state: { state: ContainerState.CONTAINER_RUNNING } }),
				created: await list({ state: { state: ContainerState.CONTAINER_CREATED } }),
				byPod: await list({ podSandboxId: q.id }),
				byLabel: await list({ labelSelector: { set: 'clist', x: '2' } }),
				byTwo: await list({ podSandboxId: q.id, labelSelector: { x: '1' } }),
			};
		},
	},
	{
		name: 'the next attempt beside what ended',
		answers: async (scene) => {
			const pod = await scene.pod();
			const first = await scene.start(pod, 'main', ['sh', '-c', 'exit 1']);
			await scene.exit(first);
			const second = await scene.sleeper(pod, 'main', { metadata: { name: 'main', attempt: 1 }, logPath: 'main.1.log' });
			const all = await Promise.all([first, second].map((id) => scene.status(id)));
			return all.map(({ metadata, state, exitCode }) => ({ metadata, state, exitCode }));
		},
	},
	{
		name: 'a container is removed while it runs',
		answers: async (scene) => {
			const pod = await scene.pod();
			const id = await scene.start(pod, 'main', ['sleep', '1000']);
			const removed = await codeOfCall(scene.runtime.removeContainer({ containerId: id }));
			return { removed, gone: await codeOfCall(scene.runtime.containerStatus({ containerId: id, verbose: false })) };
		},
	},
	{
		name: 'arguments, environment and working folder',
		answers: async (scene) => {
			const pod = await scene.pod();
			const said = async (name: string, script: string, more: object): Promise<unknown> => scene.run(pod, name, script, more);
			return {
				args: await said('args', 'for a; do echo "[$a]"; done', { args: ['zero', 'a b', '', '$HOME'] }),
				envs: await said('envs', 'echo "$A|$B|$PATH"', {
					envs: [
						{ key: 'A', value: Buffer.from('x=y z') },
						{ key: 'B', value: Buffer.alloc(0) },
					],
				}),
				folder: await said('folder', 'pwd', { workingDir: '/made/on/the/way' }),
			};
		},
	},
	{
		name: 'ExecSync: output, exit code, time',
		answers: async (scene) => {
			const { runtime } = scene;
			const pod = await scene.pod();
			const containerId = await scene.sleeper(pod, 'main', { workingDir: '/tmp', envs: [{ key: 'MINE', value: Buffer.from('m') }] });
			const { stdout, stderr, exitCode } = await runtime.execSync({
				containerId,
				cmd: ['sh', '-c', 'echo out; echo err >&2; exit 9'],
				timeout: 30n,
			});
			const late = await codeOfCall(runtime.execSync({ containerId, cmd: ['sleep', '777'], timeout: 1n }));
			const left = await eventually('the late one is ended', async () => !(await scene.exec(containerId, 'ps')).includes('sleep 777'));
			return {
				out: Buffer.from(stdout).toString(),
				err: Buffer.from(stderr).toString(),
				exitCode,
				late,
				left,
				where: await scene.exec(containerId, 'sh', '-c', 'echo "$PWD $MINE"'),
				missing: await isRefused(
					runtime.execSync({ containerId, cmd: ['/no/such'], timeout: 5n }).then((a) => {
						if (a.exitCode !== 0) throw new Error('told by its exit code');
					}),
				),
				inCreated: await isRefused(
					scene.create(pod, 'created', ['true']).then((id) => runtime.execSync({ containerId: id, cmd: ['true'], timeout: 5n })),
				),
			};
		},
	},
	{
		name: 'the log: form, streams, parts, tty',
		answers: async (scene) => {
			const pod = await scene.pod();
			const script = 'echo one; echo two >&2; head -c 40000 /dev/zero | tr "\\0" x; echo; printf end';
			await scene.exit(await scene.start(pod, 'main', ['sh', '-c', script]));
			const written = await scene.log(pod, 'main', (text) => / two\n/.test(text) && / end\n/.test(text));
			const lines = written.map((line) => {
				const [time = '', stream, tag, ...rest] = line.split(' ');
				// containerd leaves out zeros at the end of the fraction.
				const timed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(time);
				return [timed, stream, tag, rest.join(' ')] as const;
			});
			// Into how many parts a long line goes is a runtime's own choice.
			const long = lines.filter(([, , , text]) => text.startsWith('xx'));
			await scene.exit(await scene.start(pod, 'tty', ['sh', '-c', 'echo out; echo err >&2; sleep 0.5'], { tty: true }));
			const tty = (await scene.log(pod, 'tty', (text) => /err\r?\n/.test(text))).map((l) => l.split(' ').slice(1).join(' ').trim());
			return {
				// Nobody promises an order between the streams.
				short: lines.filter((l) => !long.includes(l)).toSorted(([, a = ''], [, b = '']) => a.localeCompare(b)),
				long: {
					whole: long.map(([, , , text]) => text).join('').length,
					parts: long.every(([, , tag], i) => tag === (i === long.length - 1 ? 'F' : 'P')) && long.length > 1,
				},
				tty,
			};
		},
	},
	{
		name: 'a log is reopened after its rotation',
		answers: async (scene) => {
			const pod = await scene.pod();
			const id = await scene.start(pod, 'main', ['sh', '-c', 'i=0; while :; do echo line $i; i=$((i+1)); sleep 0.02; done']);
			const file = join(pod.config.logDirectory, 'main.log');
			await eventually('the first lines', async () => (await linesOf(file)).length > 5);
			await rename(file, `${file}.1`);
			await scene.runtime.reopenContainerLog({ containerId: id });
			await eventually('the next lines', async () => (await linesOf(file)).length > 5);
			await scene.runtime.stopContainer({ containerId: id, timeout: 0n });
			return {
				// The last of what was said before may be written a moment later.
				whole: await eventually('no line is missing', async () => {
					const numbers = [...(await linesOf(`${file}.1`)), ...(await linesOf(file))].map((l) => Number(l.split(' ').at(-1)));
					return numbers.every((n, i) => n === i);
				}),
				afterTheEnd: await isRefused(scene.runtime.reopenContainerLog({ containerId: id })),
			};
		},
	},
];

async function linesOf(file: string): Promise<readonly string[]> {
	return (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
}
