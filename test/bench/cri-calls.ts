/** The calls of a pod's life as a kubelet makes them: through the shim, and what an engine needs for the same with its own bridge. */
import { join } from 'node:path';
import type { Engine } from '../../cri/engine/engine.ts';
import type { ImageSpec, PodSandboxConfig } from '../../cri/proto.ts';
import type { KillableShim } from '../crash/cri/killable-shim.ts';
import { linux } from '../suites/cri/scene.ts';
import { containerConfig, sandboxConfig, TEST_IMAGE } from '../tools/cri.ts';

export const STEPS = [
	'RunPodSandbox',
	'CreateContainer',
	'StartContainer',
	'ExecSync',
	'StopContainer',
	'ContainerStatus after stop',
	'RemoveContainer',
	'StopPodSandbox',
	'RemovePodSandbox',
] as const;
export type Step = (typeof STEPS)[number];

/** Each gives and takes ids. */
export interface PodCalls {
	run(name: string): Promise<string>;
	create(sandbox: string, name?: string): Promise<string>;
	start(container: string): Promise<void>;
	exec(container: string): Promise<void>;
	stop(container: string): Promise<void>;
	/** How it ended. */
	status(container: string): Promise<void>;
	remove(container: string): Promise<void>;
	stopSandbox(sandbox: string): Promise<void>;
	removeSandbox(sandbox: string): Promise<void>;
}

const BAREST = { SecurityOpt: ['seccomp=unconfined'], MaskedPaths: [], ReadonlyPaths: [], LogConfig: { Type: 'none' } };
const SLEEP = ['busybox', 'sleep', '100000'] as const;

export class CallsOfShim implements PodCalls {
	readonly #shim: KillableShim;
	readonly #dir: string;
	readonly #configs = new Map<string, PodSandboxConfig>();
	#image: Promise<ImageSpec> | undefined;

	constructor(shim: KillableShim, dir: string) {
		this.#shim = shim;
		this.#dir = dir;
	}

	async run(name: string): Promise<string> {
		const config = sandboxConfig(name, { logDirectory: join(this.#dir, 'logs', name) });
		const { podSandboxId } = await this.#shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
		this.#configs.set(podSandboxId, config);
		return podSandboxId;
	}
	async create(podSandboxId: string, name = 'main'): Promise<string> {
		this.#image ??= this.#byId();
		// Processes of its own, as in every pod that does not share them: an engine takes longer to end one that is not the first of its namespace.
		const config = containerConfig(name, SLEEP, { image: await this.#image, linux: linux({}) });
		const created = await this.#shim.runtime.createContainer({ podSandboxId, config, sandboxConfig: this.#configs.get(podSandboxId) });
		return created.containerId;
	}
	async start(containerId: string): Promise<void> {
		await this.#shim.runtime.startContainer({ containerId });
	}
	async exec(containerId: string): Promise<void> {
		await this.#shim.runtime.execSync({ containerId, cmd: ['busybox', 'true'], timeout: 0n });
	}
	async stop(containerId: string): Promise<void> {
		await this.#shim.runtime.stopContainer({ containerId, timeout: 0n });
	}
	async status(containerId: string): Promise<void> {
		await this.#shim.runtime.containerStatus({ containerId, verbose: false });
	}
	async remove(containerId: string): Promise<void> {
		await this.#shim.runtime.removeContainer({ containerId });
	}
	async stopSandbox(podSandboxId: string): Promise<void> {
		await this.#shim.runtime.stopPodSandbox({ podSandboxId });
	}
	async removeSandbox(podSandboxId: string): Promise<void> {
		await this.#shim.runtime.removePodSandbox({ podSandboxId });
	}

	/** A kubelet asks for the status first, and names the image by what that says. */
	async #byId(): Promise<ImageSpec> {
		const spec = { image: TEST_IMAGE, annotations: {}, userSpecifiedImage: TEST_IMAGE, runtimeHandler: '', imageRef: '' };
		const { image } = await this.#shim.images.imageStatus({ image: spec, verbose: false });
		return { ...spec, image: image?.id ?? TEST_IMAGE };
	}
}

export class CallsOfEngine implements PodCalls {
	readonly #engine: Engine;
	readonly #barest: boolean;
	/** What a removal of the sandbox takes along. */
	readonly #joined = new Map<string, string>();

	/** The barest is the least that an engine can be asked for: no network, no filter of system calls, nothing masked, no log, one containerd shim a pod. */
	constructor(engine: Engine, kind: 'usual' | 'barest' = 'usual') {
		this.#engine = engine;
		this.#barest = kind === 'barest';
	}

	async run(name: string): Promise<string> {
		const id = await this.#create(
			`kubeling-bench-raw-${name}-pod`,
			{ IpcMode: 'shareable' },
			this.#barest ? { NetworkDisabled: true } : {},
		);
		await this.start(id);
		return id;
	}
	async create(sandbox: string): Promise<string> {
		const group = { Annotations: { 'io.containerd.runc.v2.group': sandbox } };
		const modes = { NetworkMode: `container:${sandbox}`, IpcMode: `container:${sandbox}`, ...(this.#barest ? group : {}) };
		const id = await this.#create(`kubeling-bench-raw-${sandbox.slice(0, 12)}-app`, modes);
		this.#joined.set(sandbox, id);
		return id;
	}
	async start(id: string): Promise<void> {
		await this.#engine.call<undefined>({ method: 'POST', path: `/containers/${id}/start` });
	}
	async exec(container: string): Promise<void> {
		const body = { AttachStdout: true, AttachStderr: true, Cmd: ['busybox', 'true'] };
		const { Id } = await this.#engine.call<{ Id: string }>({ method: 'POST', path: `/containers/${container}/exec`, body });
		const output = await this.#engine.stream({ method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false } });
		for await (const _ of output) void _;
		await this.#engine.call<unknown>({ method: 'GET', path: `/exec/${Id}/json` });
	}
	async stop(id: string): Promise<void> {
		await this.#engine.call<undefined>({ method: 'POST', path: `/containers/${id}/kill`, query: { signal: 'KILL' } });
	}
	async status(id: string): Promise<void> {
		await this.#engine.call<unknown>({ method: 'GET', path: `/containers/${id}/json` });
	}
	async remove(id: string): Promise<void> {
		await this.#engine.call<undefined>({ method: 'DELETE', path: `/containers/${id}`, query: { force: true } }).catch(() => {});
	}
	async stopSandbox(id: string): Promise<void> {
		await this.stop(id);
	}
	async removeSandbox(id: string): Promise<void> {
		const joined = this.#joined.get(id);
		if (joined !== undefined) await this.remove(joined);
		await this.remove(id);
	}

	async #create(name: string, HostConfig: object, more: object = {}): Promise<string> {
		const host = this.#barest ? { ...HostConfig, ...BAREST } : HostConfig;
		const body = { Image: TEST_IMAGE, Entrypoint: SLEEP.slice(0, 1), Cmd: SLEEP.slice(1), HostConfig: host, ...more };
		return (await this.#engine.call<{ Id: string }>({ method: 'POST', path: '/containers/create', query: { name }, body })).Id;
	}
}
