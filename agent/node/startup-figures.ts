/** How long a node took until it was ready, under upstream's names; what happened to a Node that was there before does not count. */
import type { Clock } from '../../base/clock.ts';
import { Gauge, type Registry } from '../../base/metrics.ts';

type Stage = 'pre_kubelet' | 'pre_registration' | 'registration' | 'post_registration';

const HELP: Readonly<Record<Stage | 'all', string>> = {
	pre_kubelet: 'Duration in seconds of node startup before kubelet starts.',
	pre_registration: 'Duration in seconds of node startup before registration.',
	registration: 'Duration in seconds of node startup during registration.',
	post_registration: 'Duration in seconds of node startup after registration.',
	all: 'Duration in seconds of node startup in total.',
};

export class NodeStartup {
	readonly #registry: Registry;
	readonly #clock: Clock;
	/** All ms since the epoch. */
	readonly #bootedAt: number;
	readonly #startedAt: number;
	#attemptedAt: number | undefined;
	#registeredAt: number | undefined;
	#isReady = false;

	constructor(registry: Registry, clock: Clock, bootedAt: number) {
		this.#registry = registry;
		this.#clock = clock;
		this.#bootedAt = bootedAt;
		this.#startedAt = clock.now();
	}

	registering(): void {
		this.#attemptedAt ??= this.#clock.now();
	}

	/** The Node is new. */
	registered(): void {
		this.#registeredAt ??= this.#clock.now();
	}

	ready(): void {
		if (this.#isReady || this.#attemptedAt === undefined || this.#registeredAt === undefined) return;
		this.#isReady = true;
		const now = this.#clock.now();
		this.#set('pre_kubelet', this.#startedAt - this.#bootedAt);
		this.#set('pre_registration', this.#attemptedAt - this.#startedAt);
		this.#set('registration', this.#registeredAt - this.#attemptedAt);
		this.#set('post_registration', now - this.#registeredAt);
		this.#set('all', now - this.#bootedAt);
	}

	#set(stage: Stage | 'all', ms: number): void {
		const name = `kubelet_node_startup_${stage === 'all' ? '' : `${stage}_`}duration_seconds`;
		new Gauge({ name, help: `[ALPHA] ${HELP[stage]}`, registers: [this.#registry] }).set(ms / 1000);
	}
}
