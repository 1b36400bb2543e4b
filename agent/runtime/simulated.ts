/** A runtime without containers: pods play a script on the Clock. For nodes that are not there, and for tests on virtual time. */
import { writeFile } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { containerNamed } from '../pod/containers.ts';
import { containerHash } from '../pod/hash.ts';
import { linuxResources, toActual } from './cri-resources.ts';
import { simulatedUsage } from './simulated-usage.ts';
import { EventFeed } from './event-feed.ts';
import type {
	ContainerOptions,
	ContainerRuntime,
	ExecResult,
	ImageInfo,
	PodRuntime,
	PodUsage,
	ResourceRules,
	Runtime,
	RuntimeEvent,
	RuntimeStatus,
	SandboxOptions,
	SandboxRuntime,
} from './runtime.ts';
import type { Script, SimulatedOptions } from './simulated-script.ts';

export type { Script, SimulatedExec, SimulatedOptions } from './simulated-script.ts';

interface Held {
	readonly podUid: string;
	readonly pod: Pod;
	readonly script: Script;
	view: ContainerRuntime;
	timer: Disposable | undefined;
	readonly ended: PromiseWithResolvers<void>;
}

interface HeldSandbox {
	readonly pod: Pod;
	view: SandboxRuntime;
}

const MEMORY_BYTES = 2 ** 32;

const NOBODY = new Uint8Array();

export class SimulatedRuntime implements Runtime {
	readonly #options: SimulatedOptions;
	readonly #sandboxes = new Map<string, HeldSandbox>();
	readonly #containers = new Map<string, Held>();
	/** The processors that containers were kept to, by id. */
	readonly cpusOf = new Map<string, string>();
	readonly #feed = new EventFeed<RuntimeEvent>();
	#order = 0;

	constructor(options: SimulatedOptions) {
		this.#options = options;
	}

	async status(): Promise<RuntimeStatus> {
		return {
			runtimeReady: true,
			networkReady: true,
			message: '',
			name: 'simulated',
			version: '1',
			handlers: [],
			supplementalGroupsPolicy: false,
		};
	}

	async pods(): Promise<readonly PodRuntime[]> {
		const uids = new Set([...this.#sandboxes.values()].map((s) => s.pod.metadata.uid ?? ''));
		return [...uids].map((uid) => this.#pod(uid));
	}

	readonly states: Runtime['states'] = () => this.pods();
	sandbox: Runtime['sandbox'] = async (id) =>
		this.#sandboxes.get(id)?.view ?? Promise.reject(new AppError('NotFound', `There is no sandbox "${id}"`));

	async pod(uid: string): Promise<PodRuntime | undefined> {
		const found = this.#pod(uid);
		return found.sandboxes.length + found.containers.length === 0 ? undefined : found;
	}

	#pod(uid: string): PodRuntime {
		const sandboxes = [...this.#sandboxes.values()].filter((s) => s.pod.metadata.uid === uid);
		const containers = [...this.#containers.values()].filter((c) => c.podUid === uid);
		const { name = '', namespace = '' } = sandboxes[0]?.pod.metadata ?? containers[0]?.pod.metadata ?? {};
		// Insertion order is creation order; newest come first.
		return {
			uid,
			name,
			namespace,
			sandboxes: sandboxes.map((s) => s.view).toReversed(),
			containers: containers.map((c) => c.view).toReversed(),
		};
	}

	events(signal: AbortSignal, opened?: () => void): AsyncIterable<RuntimeEvent> {
		return this.#feed.follow(signal, opened);
	}

	async runSandbox(pod: Pod, options: SandboxOptions, signal: AbortSignal): Promise<string> {
		signal.throwIfAborted();
		const order = ++this.#order;
		const hostNetwork = pod.spec?.hostNetwork === true;
		const view = {
			id: `sandbox-${order}`,
			attempt: options.attempt,
			ready: true,
			createdAt: this.#options.clock.now(),
			ips: hostNetwork ? [] : [`10.0.${order >> 8}.${order & 255}`],
			hostNetwork,
		};
		this.#sandboxes.set(view.id, { pod, view });
		return view.id;
	}

	async createContainer(sandboxId: string, pod: Pod, name: string, options: ContainerOptions, signal: AbortSignal): Promise<string> {
		signal.throwIfAborted();
		if (this.#sandboxes.get(sandboxId)?.view.ready !== true) throw new AppError('NotFound', `Sandbox "${sandboxId}" does not run`);
		const spec = containerNamed(pod, name)?.spec;
		if (spec === undefined) throw new AppError('InvalidArgument', `Pod has no container "${name}"`);
		const id = `container-${++this.#order}`;
		const view: ContainerRuntime = {
			id,
			name,
			sandboxId,
			state: 'created',
			attempt: options.attempt,
			image: spec.image ?? '',
			imageRef: options.imageId,
			imageId: options.imageId,
			createdAt: this.#options.clock.now(),
			startedAt: undefined,
			finishedAt: undefined,
			exitCode: undefined,
			reason: '',
			message: '',
			hash: containerHash(spec),
			annotations: options.annotations,
			logPath: '',
			resources: toActual(linuxResources(pod, { kind: 'app', spec, target: '' }, MEMORY_BYTES, options.rules)),
		};
		const script = this.#options.script?.(pod, name, options.attempt) ?? {};
		this.#containers.set(id, { podUid: pod.metadata.uid ?? '', pod, script, view, timer: undefined, ended: Promise.withResolvers() });
		if (options.placement !== undefined) this.cpusOf.set(id, options.placement.cpus);
		this.#tell(id, 'created');
		return id;
	}

	async startContainer(id: string, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		const held = this.#container(id);
		const { clock } = this.#options;
		const { failStart, runMs, exitCode = 0 } = held.script;
		if (failStart !== undefined) throw new AppError('Internal', failStart);
		if (held.view.state !== 'created') throw new AppError('FailedPrecondition', `Container "${id}" was started before`);
		held.view = { ...held.view, state: 'running', startedAt: clock.now() };
		this.#tell(id, 'started');
		if (runMs !== undefined) held.timer = clock.after(runMs, () => this.#end(id, exitCode));
	}

	async stopContainer(id: string, graceMs: number, signal: AbortSignal): Promise<void> {
		const held = this.#containers.get(id);
		if (held === undefined || held.view.state !== 'running') return;
		const { stopMs = 0, exitCode = 0 } = held.script;
		held.timer?.[Symbol.dispose]();
		const killed = stopMs > graceMs;
		if (stopMs === 0) this.#end(id, exitCode);
		else held.timer = this.#options.clock.after(Math.min(stopMs, graceMs), () => this.#end(id, killed ? 137 : exitCode));
		const aborted = new Promise<never>((_resolve, reject) =>
			signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
		);
		aborted.catch(() => {});
		await Promise.race([held.ended.promise, aborted]);
	}

	#end(id: string, exitCode: number): void {
		const held = this.#containers.get(id);
		if (held === undefined || held.view.state !== 'running') return;
		held.timer?.[Symbol.dispose]();
		held.view = {
			...held.view,
			state: 'exited',
			finishedAt: this.#options.clock.now(),
			exitCode,
			reason: exitCode === 0 ? 'Completed' : 'Error',
		};
		held.ended.resolve();
		this.#tell(id, 'stopped');
	}

	async removeContainer(id: string): Promise<void> {
		this.#end(id, 137);
		if (this.#containers.has(id)) this.#tell(id, 'deleted');
		this.#containers.delete(id);
	}

	async updateResources(id: string, pod: Pod, name: string, rules: ResourceRules, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		const held = this.#container(id);
		const c = containerNamed(pod, name);
		if (held.script.failUpdate !== undefined) throw new AppError('Internal', held.script.failUpdate);
		if (c !== undefined) held.view = { ...held.view, resources: toActual(linuxResources(pod, c, MEMORY_BYTES, rules)) };
	}

	readonly keepToCpus: Runtime['keepToCpus'] = async (id, cpus) => void this.cpusOf.set(this.#container(id).view.id, cpus);

	async stopSandbox(id: string): Promise<void> {
		const sandbox = this.#sandboxes.get(id);
		if (sandbox === undefined) return;
		for (const held of this.#containers.values()) if (held.view.sandboxId === id) this.#end(held.view.id, 137);
		sandbox.view = { ...sandbox.view, ready: false };
	}

	async removeSandbox(id: string): Promise<void> {
		await this.stopSandbox(id);
		for (const held of this.#containers.values()) if (held.view.sandboxId === id) await this.removeContainer(held.view.id);
		this.#sandboxes.delete(id);
	}

	/** As a machine that starts anew and keeps nothing: no container, no sandbox. */
	reboot(): void {
		for (const held of this.#containers.values()) held.timer?.[Symbol.dispose]();
		this.#containers.clear();
		this.#sandboxes.clear();
	}

	async image(image: string): Promise<ImageInfo | undefined> {
		const { images } = this.#options;
		if (images !== undefined && !images.includes(image)) return undefined;
		return { id: image, tags: [image], digests: [], sizeBytes: 1, uid: 0, username: '', pinned: false };
	}

	async images(): Promise<readonly ImageInfo[]> {
		return (await Promise.all((this.#options.images ?? []).map((i) => this.image(i)))).filter((i) => i !== undefined);
	}

	async pullImage(image: string): Promise<string> {
		if ((await this.image(image)) === undefined) throw new AppError('NotFound', `image "${image}" not found`);
		return image;
	}

	async removeImage(): Promise<void> {}

	async exec(id: string, command: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ExecResult> {
		signal.throwIfAborted();
		const { view } = this.#container(id);
		if (view.state !== 'running') throw new AppError('FailedPrecondition', `Container "${id}" does not run`);
		const { exitCode = 0, output = '', runMs = 0 } = this.#options.exec?.(view, command) ?? {};
		const late = timeoutMs > 0 && runMs > timeoutMs;
		if (runMs > 0) await this.#options.clock.sleep(late ? timeoutMs : runMs, signal);
		if (late) throw new AppError('DeadlineExceeded', `command timed out after ${timeoutMs} ms`);
		return { exitCode, stdout: Buffer.from(output), stderr: NOBODY };
	}

	execUrl(): Promise<string> {
		return Promise.reject(new AppError('Unimplemented', 'A simulated container has no streams'));
	}

	attachUrl(): Promise<string> {
		return this.execUrl();
	}

	portForwardUrl(): Promise<string> {
		return this.execUrl();
	}

	async cgroupDriver(): Promise<undefined> {}

	async reopenLog(): Promise<void> {}

	async checkpoint(id: string, file: string): Promise<void> {
		const { view } = this.#container(id);
		if (view.state !== 'running') throw new AppError('FailedPrecondition', `Container "${id}" does not run`);
		await writeFile(file, JSON.stringify(view), { flag: 'wx', mode: 0o600 });
	}

	async imageFolder(): Promise<string | undefined> {
		return undefined;
	}

	async usage(_signal: AbortSignal, podUid?: string): Promise<readonly PodUsage[]> {
		const at = this.#options.clock.now();
		return (await this.pods())
			.filter(({ uid, sandboxes }) => sandboxes[0]?.ready === true && uid === (podUid ?? uid))
			.map((pod) => simulatedUsage(pod, at, (id) => this.#containers.get(id)?.script ?? {}));
	}

	#container(id: string): Held {
		const held = this.#containers.get(id);
		if (held === undefined) throw new AppError('NotFound', `Container "${id}" does not exist`);
		return held;
	}

	#tell(containerId: string, type: RuntimeEvent['type']): void {
		this.#feed.publish({ podUid: this.#containers.get(containerId)?.podUid ?? '', containerId, type, at: this.#options.clock.now() });
	}
}
