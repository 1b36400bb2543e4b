/** Pods: life, identity, lists, and what is already done. */
import { readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { ContainerState, LinuxSandboxSecurityContext, NamespaceMode, PodSandboxState, Protocol } from '../../../cri/proto.ts';
import { eventually } from '../../tools/eventually.ts';
import { codeOfCall, type CriCase, isRefused, linux as linuxOf, sorted } from './scene.ts';

const NONE = { id: '', state: undefined, labelSelector: {} };
const MISSING = 'f'.repeat(64);
const HOST = { network: NamespaceMode.NODE, pid: NamespaceMode.NODE, ipc: NamespaceMode.NODE, targetId: '', usernsOptions: undefined };

export const POD_CASES: readonly CriCase[] = [
	{
		name: 'versions and conditions',
		answers: async ({ runtime }) => {
			const { version, runtimeApiVersion } = await runtime.version({ version: 'v1' });
			const { status } = await runtime.status({ verbose: false });
			const conditions = status?.conditions.filter((c) => c.type === 'RuntimeReady' || c.type === 'NetworkReady');
			return { version, runtimeApiVersion, conditions: conditions?.map((c) => [c.type, c.status]).toSorted() };
		},
	},
	{
		name: 'a pod from nothing to gone',
		answers: async (scene) => {
			const { runtime } = scene;
			const { id, config } = await scene.pod({ labels: { app: 'a' }, annotations: { note: 'n/1' } });
			const look = async (): Promise<unknown> => {
				const { status } = await runtime.podSandboxStatus({ podSandboxId: id, verbose: false });
				// Not the namespaces: of those that nobody asked for, containerd 1.6 tells the defaults, 2.1 nothing (the shim's: cri/convert/convert.test.ts).
				const { metadata, state, labels, annotations, runtimeHandler } = status ?? {};
				return { metadata, state, labels, annotations, runtimeHandler };
			};
			const before = await runtime.podSandboxStatus({ podSandboxId: id, verbose: false });
			const ready = await look();
			await runtime.stopPodSandbox({ podSandboxId: id });
			const stopped = await look();
			const again = await codeOfCall(runtime.stopPodSandbox({ podSandboxId: id }));
			await runtime.removePodSandbox({ podSandboxId: id });
			return {
				hasAddress: /^\d+\.\d+\.\d+\.\d+$/.test(before.status?.network?.ip ?? ''),
				made: (before.status?.createdAt ?? 0n) > 1_700_000_000_000_000_000n,
				sameName: (before.status?.metadata?.uid ?? '') === config.metadata?.uid,
				ready,
				stopped,
				again,
				gone: await codeOfCall(runtime.podSandboxStatus({ podSandboxId: id, verbose: false })),
				removedAgain: await codeOfCall(runtime.removePodSandbox({ podSandboxId: id })),
			};
		},
	},
	{
		name: 'pods in lists, by every filter',
		answers: async (scene) => {
			const { runtime } = scene;
			const [a, b] = [await scene.pod({ labels: { set: 'lists', x: '1' } }), await scene.pod({ labels: { set: 'lists', x: '2' } })];
			await runtime.stopPodSandbox({ podSandboxId: b.id });
			const list = async (filter: object): Promise<unknown> =>
				sorted(
					(await runtime.listPodSandbox({ filter: { ...NONE, ...filter } })).items
						.filter((i) => i.id === a.id || i.id === b.id)
						.map((i) => ({
							name: i.id === a.id ? 'a' : 'b',
							state: i.state,
							labels: i.labels,
							metadata: i.metadata,
							runtimeHandler: i.runtimeHandler,
						})),
				);
			return {
				all: await list({}),
				byId: await list({ id: a.id }),
				byShortId: await list({ id: b.id.slice(0, 12) }),
				ready: await list({ state: { state: PodSandboxState.SANDBOX_READY } }),
				notReady: await list({ state: { state: PodSandboxState.SANDBOX_NOTREADY } }),
				byLabel: await list({ labelSelector: { x: '2' } }),
				byTwo: await list({ labelSelector: { set: 'lists', x: '1' }, state: { state: PodSandboxState.SANDBOX_NOTREADY } }),
				none: await list({ id: MISSING }),
			};
		},
	},
	{
		// To stop what is gone is success; containerd 1.6 says so of its removal only.
		name: 'what there is not',
		answers: async ({ runtime }) => ({
			podStatus: await codeOfCall(runtime.podSandboxStatus({ podSandboxId: MISSING, verbose: false })),
			podRemove: await codeOfCall(runtime.removePodSandbox({ podSandboxId: MISSING })),
			status: await codeOfCall(runtime.containerStatus({ containerId: MISSING, verbose: false })),
			start: await isRefused(runtime.startContainer({ containerId: MISSING })),
			remove: await codeOfCall(runtime.removeContainer({ containerId: MISSING })),
			exec: await codeOfCall(runtime.execSync({ containerId: MISSING, cmd: ['true'], timeout: 1n })),
			stats: await isRefused(runtime.containerStats({ containerId: MISSING })),
			log: await isRefused(runtime.reopenContainerLog({ containerId: MISSING })),
			forward: await isRefused(runtime.portForward({ podSandboxId: MISSING, port: [80] })),
		}),
	},
	{
		name: 'ids may be cut short',
		answers: async (scene) => {
			const { runtime } = scene;
			const pod = await scene.pod();
			const id = await scene.sleeper(pod);
			const { status } = await runtime.podSandboxStatus({ podSandboxId: pod.id.slice(0, 13), verbose: false });
			return {
				pod: status?.id === pod.id,
				container: (await scene.status(id.slice(0, 13))).id === id,
				exec: await scene.exec(id.slice(0, 13), 'echo', 'x'),
			};
		},
	},
	{
		name: 'a pod that is stopped or removed takes its containers along',
		answers: async (scene) => {
			const { runtime } = scene;
			const pod = await scene.pod();
			const id = await scene.start(pod, 'main', ['sleep', '1000']);
			await runtime.stopPodSandbox({ podSandboxId: pod.id });
			const { state, exitCode } = await scene.status(id);
			// containerd 1.6 refuses the creation already, 2.1 only the start (the shim's: cri/shim.integration.test.ts).
			const inStopped = await isRefused(scene.start(pod, 'late', ['sleep', '1']));
			await runtime.removePodSandbox({ podSandboxId: pod.id });
			const second = await scene.pod();
			const running = await scene.start(second, 'main', ['sleep', '1000']);
			return {
				state: state === ContainerState.CONTAINER_EXITED,
				exitCode,
				inStopped,
				gone: await codeOfCall(runtime.containerStatus({ containerId: id, verbose: false })),
				removedWhileItRuns: await codeOfCall(runtime.removePodSandbox({ podSandboxId: second.id })),
				goneToo: await codeOfCall(runtime.containerStatus({ containerId: running, verbose: false })),
			};
		},
	},
	{
		name: 'name, resolver and namespaces of a pod',
		answers: async (scene) => {
			const pod = await scene.pod({
				dnsConfig: { servers: ['10.9.8.7', '10.9.8.6'], searches: ['a.example', 'b.example'], options: ['ndots:3'] },
			});
			const [a, b] = [await scene.sleeper(pod, 'a'), await scene.sleeper(pod, 'b')];
			const space = (id: string, kind: string): Promise<string> => scene.exec(id, 'readlink', `/proc/1/ns/${kind}`);
			const same: Record<string, boolean> = {};
			for (const kind of ['net', 'ipc', 'pid', 'mnt']) same[kind] = (await space(a, kind)) === (await space(b, kind));
			return { hostname: await scene.exec(a, 'hostname'), resolver: await scene.exec(a, 'cat', '/etc/resolv.conf'), same };
		},
	},
	{
		name: 'a pod of the host',
		answers: async (scene) => {
			const base = scene.podConfig();
			const { linux } = base;
			const context = { ...LinuxSandboxSecurityContext.decode(Buffer.alloc(0)), namespaceOptions: HOST };
			const pod = await scene.pod({ hostname: '', linux: { ...(linux as NonNullable<typeof linux>), securityContext: context } });
			const id = await scene.sleeper(pod, 'main', { linux: linuxOf({ namespaceOptions: HOST }) });
			const { status } = await scene.runtime.podSandboxStatus({ podSandboxId: pod.id, verbose: false });
			const shared: Record<string, boolean> = {};
			for (const kind of ['net', 'ipc', 'pid', 'uts', 'mnt'])
				shared[kind] = (await scene.exec(id, 'readlink', `/proc/self/ns/${kind}`)) === readlinkSync(`/proc/1/ns/${kind}`);
			return { shared, address: status?.network?.ip ?? '', options: status?.linux?.namespaces?.options };
		},
	},
	{
		name: 'sysctls of a pod',
		answers: async (scene) => {
			const { linux } = scene.podConfig();
			const sysctls = { 'net.ipv4.ip_local_port_range': '20000 30000', 'kernel.shm_rmid_forced': '1' };
			const pod = await scene.pod({ linux: { ...(linux as NonNullable<typeof linux>), sysctls } });
			const id = await scene.sleeper(pod);
			return [
				await scene.exec(id, 'cat', '/proc/sys/net/ipv4/ip_local_port_range'),
				await scene.exec(id, 'cat', '/proc/sys/kernel/shm_rmid_forced'),
			];
		},
	},
	{
		name: 'a port of the host leads into the pod, and no more once it is stopped',
		answers: async (scene) => {
			const pod = await scene.pod({ portMappings: [{ protocol: Protocol.TCP, containerPort: 8080, hostPort: 18080, hostIp: '' }] });
			await scene.start(pod, 'main', ['sh', '-c', 'while :; do echo from the pod | nc -l -p 8080; done']);
			const { status } = await scene.runtime.podSandboxStatus({ podSandboxId: pod.id, verbose: false });
			const direct = await eventually('the pod answers', async () => (await ask(status?.network?.ip ?? '', 8080)) || undefined);
			const peer = await scene.pod();
			const host = await scene.exec(await scene.sleeper(peer), 'sh', '-c', 'ip route | sed -n "s/^default via \\([^ ]*\\).*/\\1/p"');
			const mapped = await eventually('the port answers', async () => (await ask(host, 18080)) || undefined);
			await scene.runtime.stopPodSandbox({ podSandboxId: pod.id });
			return { direct, mapped, after: await ask(host, 18080) };
		},
	},
];

/** What is said on a connection; nothing where there is none. */
function ask(host: string, port: number): Promise<string> {
	return new Promise((resolve) => {
		let said = '';
		const socket = connect(port, host).setEncoding('utf8');
		socket.on('data', (chunk: string) => (said += chunk)).on('error', () => {});
		socket.on('close', () => resolve(said)).setTimeout(5000, () => socket.destroy());
	});
}
