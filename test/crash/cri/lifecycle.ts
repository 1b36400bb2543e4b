/** One pod from RunPodSandbox to RemovePodSandbox as a kubelet leads it: every call may fail, and is decided again from what the lists say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../../base/errors.ts';
import { ContainerState, PodSandboxState, Protocol, type PodSandboxConfig } from '../../../cri/proto.ts';
import { containerConfig, sandboxConfig } from '../../tools/cri.ts';
import type { KillableShim } from './killable-shim.ts';

export interface LifecycleDeps {
	readonly shim: KillableShim;
	readonly dir: string;
	/** Bound of one call, and of the whole. */
	readonly callMs: number;
	readonly wholeMs: number;
}

export interface LifecycleWish {
	readonly name: string;
	readonly lines: number;
	readonly exitCode: number;
	readonly hostPort: number | undefined;
	/** Ends the container by StopContainer instead of waiting for it. */
	readonly stopped: boolean;
	readonly exec: boolean;
}

/** Leads the pod through; resolves with what was not as it should be. */
export async function lifecycle(wish: LifecycleWish, deps: LifecycleDeps): Promise<readonly string[]> {
	const led = new Lifecycle(wish, deps);
	try {
		return await led.lead();
	} catch (error) {
		return [`${wish.name}: ${messageOf(error)}`];
	}
}

class Lifecycle {
	readonly #wish: LifecycleWish;
	readonly #deps: LifecycleDeps;
	readonly #config: PodSandboxConfig;
	readonly #until: number;
	#last: unknown;

	constructor(wish: LifecycleWish, deps: LifecycleDeps) {
		this.#wish = wish;
		this.#deps = deps;
		this.#until = Date.now() + deps.wholeMs;
		const ports = wish.hostPort === undefined ? [] : [{ protocol: Protocol.TCP, containerPort: 80, hostPort: wish.hostPort, hostIp: '' }];
		this.#config = sandboxConfig(wish.name, { logDirectory: join(deps.dir, 'logs', wish.name), portMappings: ports });
	}

	async lead(): Promise<readonly string[]> {
		const { exitCode, stopped, exec } = this.#wish;
		const sandbox = await this.#again('run the sandbox', () => this.#sandbox());
		const { id, attempt } = await this.#again('start the container', () => this.#container(sandbox));
		if (exec) await this.#again('exec', () => this.#exec(id));
		if (stopped)
			await this.#again('stop the container', () =>
				this.#runtime.stopContainer({ containerId: id, timeout: 1n }, this.#bound).then(() => true as const),
			);
		const code = await this.#again('see the exit', async () => {
			const { status } = await this.#runtime.containerStatus({ containerId: id, verbose: false }, this.#bound);
			return status?.state === ContainerState.CONTAINER_EXITED ? { code: status.exitCode } : undefined;
		});
		const problems = [
			...(code.code === exitCode || stopped ? [] : [`exit code ${code.code}, not ${exitCode}`]),
			...(await this.#logProblems(attempt, stopped)),
		];
		await this.#again('stop the sandbox', () =>
			this.#runtime.stopPodSandbox({ podSandboxId: sandbox }, this.#bound).then(() => true as const),
		);
		await this.#again('remove every sandbox', () => this.#removeAll());
		return problems.map((p) => `${this.#wish.name}: ${p}`);
	}

	get #runtime(): KillableShim['runtime'] {
		return this.#deps.shim.runtime;
	}
	get #bound(): { timeoutMs: number } {
		return { timeoutMs: this.#deps.callMs };
	}

	/** Until `work` gives something: errors and undefined mean once more. */
	async #again<T>(what: string, work: () => Promise<T | undefined>): Promise<T> {
		while (Date.now() < this.#until) {
			try {
				const value = await work();
				if (value !== undefined) return value;
			} catch (error) {
				this.#last = error;
				if (codeOf(error) === 'Unavailable') await this.#deps.shim.up();
			}
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		throw new Error(`cannot ${what} within ${this.#deps.wholeMs} ms: ${messageOf(this.#last)}`);
	}

	/** As the kubelet: the ready one of the list; else the next attempt, after what failed is removed. */
	async #sandbox(): Promise<string | undefined> {
		const uid = this.#config.metadata?.uid ?? '';
		const { items } = await this.#runtime.listPodSandbox({ filter: undefined }, this.#bound);
		const mine = items.filter((s) => s.metadata?.uid === uid);
		const ready = mine.find((s) => s.state === PodSandboxState.SANDBOX_READY);
		if (ready !== undefined) return ready.id;
		for (const { id } of mine) {
			await this.#runtime.stopPodSandbox({ podSandboxId: id }, this.#bound);
			await this.#runtime.removePodSandbox({ podSandboxId: id }, this.#bound);
		}
		const attempt = Math.max(-1, ...mine.map((s) => s.metadata?.attempt ?? 0)) + 1;
		const metadata = { name: this.#wish.name, namespace: 'default', uid, attempt };
		return (await this.#runtime.runPodSandbox({ config: { ...this.#config, metadata }, runtimeHandler: '' }, this.#bound)).podSandboxId;
	}

	async #container(podSandboxId: string): Promise<{ id: string; attempt: number } | undefined> {
		const { containers } = await this.#runtime.listContainers({ filter: undefined }, this.#bound);
		const mine = containers.filter((c) => c.podSandboxId === podSandboxId);
		const started = mine.find((c) => c.state === ContainerState.CONTAINER_RUNNING || c.state === ContainerState.CONTAINER_EXITED);
		if (started !== undefined) return { id: started.id, attempt: started.metadata?.attempt ?? 0 };
		for (const { id } of mine) await this.#runtime.removeContainer({ containerId: id }, this.#bound);
		const attempt = Math.max(-1, ...mine.map((c) => c.metadata?.attempt ?? 0)) + 1;
		const config = containerConfig('main', ['sh', '-c', this.#script()], {
			metadata: { name: 'main', attempt },
			logPath: `${attempt}.log`,
		});
		const { containerId } = await this.#runtime.createContainer({ podSandboxId, config, sandboxConfig: this.#config }, this.#bound);
		await this.#runtime.startContainer({ containerId }, this.#bound);
		return { id: containerId, attempt };
	}

	#script(): string {
		const { lines, exitCode, stopped, exec } = this.#wish;
		const print = `i=0; while [ $i -lt ${lines} ]; do echo line $i; i=$((i+1)); done`;
		return stopped || exec ? `${print}; busybox sleep ${stopped ? 1000 : 3}; exit ${exitCode}` : `${print}; exit ${exitCode}`;
	}

	/** One that has ended meanwhile is no failure. */
	async #exec(containerId: string): Promise<true> {
		try {
			const { stdout } = await this.#runtime.execSync({ containerId, cmd: ['sh', '-c', 'echo said'], timeout: 5n }, this.#bound);
			if (Buffer.from(stdout).toString() !== 'said\n') throw new Error(`exec printed "${Buffer.from(stdout).toString()}"`);
		} catch (error) {
			const { status } = await this.#runtime.containerStatus({ containerId, verbose: false }, this.#bound);
			if (status?.state !== ContainerState.CONTAINER_EXITED) throw error;
		}
		return true;
	}

	/** Every line once, in order. */
	async #logProblems(attempt: number, stopped: boolean): Promise<readonly string[]> {
		const path = join(this.#config.logDirectory, `${attempt}.log`);
		const want = Array.from({ length: this.#wish.lines }, (_, i) => `line ${i}`).join('\n');
		const got = await this.#again('read the log', async () => {
			const text = await readFile(path, 'utf8').catch(() => '');
			const lines = text
				.split('\n')
				.filter(Boolean)
				.map((line) => line.split(' ').slice(3).join(' '));
			// What came within the last moments may still be on its way.
			return lines.length >= this.#wish.lines || stopped || Date.now() > this.#until - this.#deps.wholeMs / 2
				? { text: lines.join('\n') }
				: undefined;
		});
		const right = stopped ? want.startsWith(got.text) : got.text === want;
		return right
			? []
			: [`the log has ${JSON.stringify(got.text.slice(-200))}, ${got.text.split('\n').length} lines of ${this.#wish.lines}`];
	}

	async #removeAll(): Promise<true | undefined> {
		const uid = this.#config.metadata?.uid;
		const { items } = await this.#runtime.listPodSandbox({ filter: undefined }, this.#bound);
		const mine = items.filter((s) => s.metadata?.uid === uid);
		for (const { id } of mine) await this.#runtime.removePodSandbox({ podSandboxId: id }, this.#bound);
		return mine.length === 0 ? true : undefined;
	}
}
