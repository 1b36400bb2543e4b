/** A driver that dies at steps and comes back, as under a supervisor; its clients ask again until they are answered, as sidecars and kubelets do. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { BackendKind } from '../../../csi/backends/kinds.ts';
import type { CsiOptions } from '../../../csi/driver.ts';
import { ControllerService, GroupControllerService, NodeService } from '../../../csi/proto.ts';
import type { Step } from '../../../csi/steps.ts';
import { grpcClient, type GrpcClient } from '../../../wire/grpc/client.ts';
import type { Place } from '../../conformance/csi-sanity/place.ts';

/** A client asks this often at most: each death answers one call with a failure, and some come twice. */
const MOST_TRIES = 40;
/** Longer each time: a connection that was refused is not tried again for up to a second. */
const waitMs = (tries: number): number => Math.min(500, 10 * 2 ** tries);

export class MortalDriver implements AsyncDisposable {
	readonly controller: GrpcClient<typeof ControllerService>;
	readonly groups: GrpcClient<typeof GroupControllerService>;
	readonly node: GrpcClient<typeof NodeService>;
	/** Steps at which it still dies. */
	readonly deadly: Set<Step>;
	/** Steps at which it died, in order. */
	readonly died: Step[] = [];
	readonly #options: CsiOptions;
	readonly #lives: () => number;
	#child: ChildProcess | undefined;
	#said = '';

	/** It dies at each of the `deadly` steps once, and after as many steps as `lives` says at each start. */
	static async start(options: CsiOptions, deadly: readonly Step[], lives: () => number = () => Infinity): Promise<MortalDriver> {
		const at = { address: options.socketPath, clock: realClock };
		const [controller, groups, node] = await Promise.all([
			grpcClient(ControllerService, at),
			grpcClient(GroupControllerService, at),
			grpcClient(NodeService, at),
		]);
		const driver = new MortalDriver(options, deadly, lives, controller, groups, node);
		await driver.#up();
		return driver;
	}

	private constructor(
		options: CsiOptions,
		deadly: readonly Step[],
		lives: () => number,
		controller: MortalDriver['controller'],
		groups: MortalDriver['groups'],
		node: MortalDriver['node'],
	) {
		this.#options = options;
		this.deadly = new Set(deadly);
		this.#lives = lives;
		this.controller = controller;
		this.groups = groups;
		this.node = node;
	}

	get address(): string {
		return this.#options.socketPath;
	}

	/** The call's answer, however often the driver dies of it. Any other refusal is thrown. */
	async ask<T>(call: () => Promise<T>): Promise<T> {
		for (let tries = 1; ; tries++) {
			try {
				await this.#up();
				return await call();
			} catch (error) {
				if (!['Unavailable', 'Aborted', 'Canceled'].includes(codeOf(error)) || tries === MOST_TRIES)
					throw new Error(`${messageOf(error)}; died at ${this.died.join(', ')}; said: ${this.#said.slice(-2000)}`, { cause: error });
				await new Promise((resolve) => setTimeout(resolve, waitMs(tries)));
			}
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.controller.close();
		this.groups.close();
		this.node.close();
		const child = this.#child;
		if (child === undefined) return;
		const gone = once(child, 'exit');
		child.kill('SIGTERM');
		await gone;
	}

	async #up(): Promise<void> {
		if (this.#child !== undefined) return;
		const child = fork(
			new URL('./driver-process.ts', import.meta.url),
			[JSON.stringify(this.#options), JSON.stringify([...this.deadly]), String(this.#lives())],
			{
				execArgv: ['--disable-warning=ExperimentalWarning'],
				stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
			},
		);
		this.#child = child;
		child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
		child.once('exit', () => {
			if (this.#child === child) this.#child = undefined;
		});
		const ready = new Promise<boolean>((resolve) => {
			child.on('message', (message: 'ready' | { readonly step: Step }) => {
				if (message === 'ready') return resolve(true);
				this.deadly.delete(message.step);
				this.died.push(message.step);
			});
			child.once('exit', () => resolve(false));
		});
		if (!(await ready)) throw new Error(`the driver does not start; it said: ${this.#said.slice(-2000)}`);
	}
}

/** A whole driver with one back end, all of it in that place. */
export function mortalOptions({ dir, pool }: Place, backend: BackendKind): CsiOptions {
	return {
		driverName: 'local.csi.kubeling.dev',
		version: 'test',
		role: 'all',
		socketPath: join(dir, 'csi.sock'),
		dataDir: pool,
		runDir: join(dir, 'run'),
		nodeId: 'node',
		maxVolumesPerNode: 0,
		targetRoots: [dir],
		backends: [backend],
	};
}
