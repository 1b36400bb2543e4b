/**
 * What the cases of the CRI suite are led with: pods and containers of a case's own over any CRI server, and answers in a form that two servers can be
 * compared by (no ids, times or addresses).
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../base/errors.ts';
import {
	ContainerConfig,
	ContainerState,
	type ContainerStatus,
	type ImageServiceService,
	type LinuxContainerResources,
	LinuxContainerResources as Resources,
	LinuxContainerSecurityContext,
	NamespaceMode,
	type NamespaceOption,
	PodSandboxConfig,
	type RuntimeServiceService,
} from '../../../cri/proto.ts';
import type { GrpcClient } from '../../../wire/grpc/client.ts';
import { eventually } from '../../tools/eventually.ts';

/** A server that is asked. */
export interface CriServer {
	readonly runtime: GrpcClient<typeof RuntimeServiceService>;
	readonly images: GrpcClient<typeof ImageServiceService>;
	/** An image with busybox's applets, already pulled. */
	readonly image: string;
	/** One that only the registry has. */
	readonly other: string;
	/** A folder for logs and mounts, and the cgroup of all pods. */
	readonly dir: string;
	readonly cgroupParent: string;
}

export interface CriCase {
	readonly name: string;
	/** Plain data; equal on every server that does what the specification says. */
	answers(scene: Scene): Promise<unknown>;
}

export interface Pod {
	readonly id: string;
	readonly config: PodSandboxConfig;
}

/** The last word of a script, after which its log is whole. */
const OVER = 'over-and-out';

export class Scene {
	readonly runtime: CriServer['runtime'];
	readonly images: CriServer['images'];
	readonly image: string;
	readonly other: string;
	/** On the host, of this case only. */
	readonly dir: string;
	readonly #server: CriServer;
	readonly #name: string;
	readonly #pods: string[] = [];

	constructor(server: CriServer, name: string) {
		this.runtime = server.runtime;
		this.images = server.images;
		this.image = server.image;
		this.other = server.other;
		this.dir = join(server.dir, name);
		this.#server = server;
		this.#name = name;
	}

	podConfig(more: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
		const name = `${this.#name}-${this.#pods.length}`;
		return {
			...PodSandboxConfig.decode(Buffer.alloc(0)),
			metadata: { name, namespace: 'ns', uid: `uid-${name}`, attempt: 0 },
			hostname: 'host-of-pod',
			logDirectory: join(this.dir, 'logs', name),
			linux: {
				cgroupParent: this.#server.cgroupParent,
				sysctls: {},
				overhead: undefined,
				resources: undefined,
				securityContext: undefined,
			},
			...more,
		};
	}

	/** Run, and removed with the case. */
	async pod(more: Partial<PodSandboxConfig> = {}): Promise<Pod> {
		const config = this.podConfig(more);
		await mkdir(config.logDirectory, { recursive: true });
		const { podSandboxId } = await this.runtime.runPodSandbox({ config, runtimeHandler: '' });
		this.#pods.push(podSandboxId);
		return { id: podSandboxId, config };
	}

	containerConfig(name: string, command: readonly string[], more: Partial<ContainerConfig> = {}): ContainerConfig {
		return {
			...ContainerConfig.decode(Buffer.alloc(0)),
			metadata: { name, attempt: 0 },
			image: { image: this.image, annotations: {}, userSpecifiedImage: this.image, runtimeHandler: '', imageRef: '' },
			command: [...command],
			logPath: `${name}.log`,
			linux: linux({}),
			...more,
		};
	}

	async create(pod: Pod, name: string, command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
		const config = this.containerConfig(name, command, more);
		return (await this.runtime.createContainer({ podSandboxId: pod.id, config, sandboxConfig: pod.config })).containerId;
	}

	async start(pod: Pod, name: string, command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<string> {
		const containerId = await this.create(pod, name, command, more);
		await this.runtime.startContainer({ containerId });
		return containerId;
	}

	/** A shell that sleeps, until it is stopped. */
	sleeper(pod: Pod, name = 'sleeper', more: Partial<ContainerConfig> = {}): Promise<string> {
		return this.start(pod, name, ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.05; done'], more);
	}

	async status(containerId: string): Promise<ContainerStatus> {
		const { status } = await this.runtime.containerStatus({ containerId, verbose: false });
		if (status === undefined) throw new Error(`ContainerStatus of ${containerId} has no status`);
		return status;
	}

	exit(containerId: string): Promise<ContainerStatus> {
		return eventually(`the end of ${containerId}`, async () => {
			const status = await this.status(containerId);
			return status.state === ContainerState.CONTAINER_EXITED ? status : undefined;
		});
	}

	/** Runs to the end: what it wrote, line by line, and how it ended. */
	async run(
		pod: Pod,
		name: string,
		script: string,
		more: Partial<ContainerConfig> = {},
	): Promise<{ readonly said: string[]; readonly exit: number }> {
		const { exitCode } = await this.exit(await this.start(pod, name, ['sh', '-c', `(${script}); code=$?; echo ${OVER}; exit $code`], more));
		const log = await this.log(pod, name, (text) => text.endsWith(` ${OVER}\n`));
		return { said: log.slice(0, -1).map((line) => line.split(' ').slice(3).join(' ')), exit: exitCode };
	}

	/** The lines of a log once it has what is waited for: a runtime may write the last of them after it has told the end. */
	async log(pod: Pod, name: string, has: (text: string) => boolean): Promise<string[]> {
		const path = join(pod.config.logDirectory, `${name}.log`);
		let text = '';
		return eventually(
			() => `all of the log of ${name}; seen: ${text.slice(-500)}`,
			async () => {
				text = await readFile(path, 'utf8').catch(() => '');
				return has(text) ? text.split('\n').filter(Boolean) : undefined;
			},
		);
	}

	async exec(containerId: string, ...cmd: string[]): Promise<string> {
		const { stdout, stderr, exitCode } = await this.runtime.execSync({ containerId, cmd, timeout: 30n });
		const errors = Buffer.from(stderr).toString();
		return `${Buffer.from(stdout).toString().trim()}${errors === '' ? '' : ` (stderr: ${errors.trim()})`}${exitCode === 0 ? '' : ` (${exitCode})`}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const podSandboxId of this.#pods) {
			await this.runtime.stopPodSandbox({ podSandboxId }).catch(() => {}); // containerd knows it no more once it is removed
			await this.runtime.removePodSandbox({ podSandboxId });
		}
	}
}

/** As a kubelet asks for where the pod says nothing: processes by container, the rest by pod. */
export const SPACES: NamespaceOption = {
	network: NamespaceMode.POD,
	pid: NamespaceMode.CONTAINER,
	ipc: NamespaceMode.POD,
	targetId: '',
	usernsOptions: undefined,
};

/** With the fields of a case; the rest as a kubelet leaves it. */
export function linux(
	context: Partial<LinuxContainerSecurityContext>,
	resources?: Partial<LinuxContainerResources>,
): NonNullable<ContainerConfig['linux']> {
	return {
		securityContext: { ...LinuxContainerSecurityContext.decode(Buffer.alloc(0)), namespaceOptions: SPACES, ...context },
		resources: resources === undefined ? undefined : { ...Resources.decode(Buffer.alloc(0)), ...resources },
	};
}

/** "ok", or the code that the call is refused with. */
export function codeOfCall(call: Promise<unknown>): Promise<string> {
	return call.then(
		() => 'ok',
		(error: unknown) => codeOf(error),
	);
}

/** Containers or pods in an order of their own names. */
export function sorted<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
	return all.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Where the specification says that a call fails and not how. */
export function isRefused(call: Promise<unknown>): Promise<boolean> {
	return call.then(
		() => false,
		() => true,
	);
}
