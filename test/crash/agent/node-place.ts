/** A node of a test's own: an API server in this process, a shim on the real engine and an agent, each in a process that can be killed. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Node, Pod, PodSpec } from '../../../api/gen/types.ts';
import { NAMESPACES, NODES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import type { AgentConfig } from '../../../cluster/parts/config.ts';
import { destroyShim } from '../../../cri/destroy.ts';
import type { ShimOptions } from '../../../cri/shim.ts';
import { testApiServer, type TestApiServer } from '../../fakes/api-server.ts';
import { removeCgroups } from '../../conformance/critest/place.ts';
import { ENGINE_SOCKET, TEST_IMAGE } from '../../tools/cri.ts';
import { eventually } from '../../tools/eventually.ts';
import { KillableProcess, type Program, SOURCE_FLAGS } from '../../tools/killable-process.ts';
import { unmountBelow } from '../../tools/shared-folder.ts';
import { KillableShim } from '../cri/killable-shim.ts';

export const NAMESPACE = 'default';
const NODE = 'node';
/** What runs to no end, and ends at once when it is told to. */
export const STAYS = ['busybox', 'sh', '-c', "trap 'exit 0' TERM; busybox sleep 36000 & wait"];

export interface Programs {
	readonly agent: Program;
	readonly shim?: Program;
}

const SOURCES: Programs = { agent: { file: new URL('./agent-process.ts', import.meta.url), nodeFlags: SOURCE_FLAGS } };

export class NodePlace implements AsyncDisposable {
	readonly name: string;
	readonly dir: string;
	readonly cgroup: string;
	readonly shim: KillableShim;
	readonly agent: KillableProcess;
	readonly #api: TestApiServer;
	readonly #stop: AbortController;

	private constructor(place: Pick<NodePlace, 'name' | 'dir' | 'cgroup' | 'shim' | 'agent'>, api: TestApiServer, stop: AbortController) {
		({ name: this.name, dir: this.dir, cgroup: this.cgroup, shim: this.shim, agent: this.agent } = place);
		this.#api = api;
		this.#stop = stop;
	}

	/** The node is ready when this resolves. @param dockerHost the engine, or what stands before it */
	static async start(kind: string, programs: Programs = SOURCES, dockerHost: string = ENGINE_SOCKET): Promise<NodePlace> {
		const name = `${kind}${process.pid}`;
		const dir = await mkdtemp(join(tmpdir(), `kubeling-${kind}-`));
		const cgroup = `/kubeling-${name}`;
		const stop = new AbortController();
		const at = (leaf: string): string => join(dir, leaf);
		const options: ShimOptions = {
			...{ socketPath: at('cri.sock'), dockerHost, dataDir: at('cri'), clusterName: name, cgroupParent: cgroup, network: 'bridge' },
		};
		const api = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
		await writeFile(at('kubeconfig'), JSON.stringify(kubeconfig(api)), { mode: 0o600 });
		const config: AgentConfig = {
			...{ nodeName: NODE, nodeIps: ['127.0.0.1'], kubeconfigFile: at('kubeconfig'), rootDir: at('agent'), podLogsDir: at('logs') },
			...{ runtimeEndpoint: at('cri.sock'), port: 0, clusterDomain: 'cluster.local', clusterDns: [], cgroupParent: cgroup },
			kubeletConfigFile: at('kubelet.json'),
		};
		await writeFile(at('agent.json'), JSON.stringify(config));
		// A machine of tests is short of disk now and then.
		const evictionHard = { 'memory.available': '1Mi', 'nodefs.available': '0.1%', 'imagefs.available': '0.1%' };
		await writeFile(at('kubelet.json'), JSON.stringify({ evictionHard, address: '127.0.0.1' }));
		const shim = await KillableShim.start(options, programs.shim);
		const agent = new KillableProcess(programs.agent, [at('agent.json')]);
		const place = new NodePlace({ name, dir, cgroup, shim, agent }, api, stop);
		await api.client.create(NAMESPACES, { metadata: { name: NAMESPACE } }).catch(() => {});
		await api.client.create(SERVICE_ACCOUNTS, { metadata: { namespace: NAMESPACE, name: 'default' } });
		await place.agent.up();
		return place;
	}

	get client(): Client {
		return this.#api.client;
	}

	/** Bound to the node already: nobody schedules here. */
	create(name: string, spec: Partial<PodSpec> = {}): Promise<Pod> {
		return this.client.create<Pod>(PODS, {
			apiVersion: 'v1',
			kind: 'Pod',
			metadata: { namespace: NAMESPACE, name },
			spec: {
				...{ nodeName: NODE, automountServiceAccountToken: false, terminationGracePeriodSeconds: 1 },
				containers: [{ name: 'c', image: TEST_IMAGE, imagePullPolicy: 'IfNotPresent', command: STAYS }],
				...spec,
			},
		});
	}

	async pods(): Promise<readonly Pod[]> {
		return (await this.client.list(PODS, { namespace: NAMESPACE })).items;
	}

	node(): Promise<Node> {
		return this.client.get(NODES, NODE);
	}

	/** How often the pod's first container was started again. */
	async restartsOf(name: string): Promise<{ readonly uid: string; readonly restarts: number }> {
		const { metadata, status } = await this.client.get(PODS, `${NAMESPACE}/${name}`);
		return { uid: metadata.uid ?? '', restarts: status?.containerStatuses?.[0]?.restartCount ?? 0 };
	}

	/** How many pods this life of the agent has looked at: each one's first round is its `create`. */
	async synced(): Promise<number> {
		const metrics = await this.#ask('/metrics');
		return Number(/^kubelet_pod_worker_duration_seconds_count{operation_type="create"} (\d+)/m.exec(metrics)?.[1] ?? 0);
	}

	async #ask(path: string): Promise<string> {
		const { status } = await this.node();
		const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
		const headers = { authorization: `Bearer ${this.#api.token}` };
		const asked = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false }).end();
		const [response] = (await once(asked, 'response')) as [IncomingMessage];
		return text(response);
	}

	/** Resolves once so many pods are ready. */
	async ready(count: number, boundMs = 300_000): Promise<void> {
		let seen = 0;
		await eventually(
			() => `${count} pods are ready, ${seen} were; the agent said: ${this.agent.said.slice(-10).join('\n')}`,
			async () => {
				seen = (await this.pods()).filter(isReady).length;
				return seen === count;
			},
			boundMs,
		);
	}

	/** Deletes a pod, and resolves once it is gone. */
	async remove(name: string, boundMs = 300_000): Promise<void> {
		await this.client.delete(PODS, `${NAMESPACE}/${name}`);
		await eventually(`${name} is gone`, async () => (await this.pods()).every((pod) => pod.metadata.name !== name), boundMs);
	}

	/** Deletes all pods, and resolves once they are gone. */
	async clear(boundMs = 300_000): Promise<void> {
		for (const { metadata } of await this.pods()) await this.client.delete(PODS, `${NAMESPACE}/${metadata.name}`);
		await eventually('no pod is left', async () => (await this.pods()).length === 0, boundMs);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.agent[Symbol.asyncDispose]();
		await this.shim[Symbol.asyncDispose]();
		this.#stop.abort();
		await this.#api.stopped;
		await destroyShim({ ...this.shim.options, dockerHost: ENGINE_SOCKET }, { clock: realClock, log: noLog });
		await removeCgroups(this.cgroup);
		await unmountBelow(this.dir);
		await rm(this.dir, { recursive: true, force: true });
	}
}

export function isReady(pod: Pod): boolean {
	return pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
}

function kubeconfig({ url, ca, token }: TestApiServer): object {
	return {
		apiVersion: 'v1',
		kind: 'Config',
		clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
		users: [{ name: 'u', user: { token } }],
		contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
		'current-context': 'c',
	};
}
