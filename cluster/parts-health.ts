/** How the parts are that clients are told of as componentstatuses, by whoever runs them; over a channel where the API server is a process of its own. */
import type { Service } from '../base/service.ts';
import type { Component } from '../controlplane/apiserver/subresources/component-statuses.ts';
import type { PartName } from './parts/config.ts';

/** In upstream's order. */
const TOLD = ['controller-manager', 'scheduler'] as const satisfies readonly PartName[];
export type ToldPart = (typeof TOLD)[number];

/** What upstream's answer to a healthy part is, and why a part is not. */
const HEALTHY = 'ok';
const BEGINS = 'not ready yet';
/** What a message about parts has, beside other messages of the channel. */
const KEY = 'partsHealth';

export class PartsHealth {
	readonly #states = new Map<string, string>();
	#changed: (() => void) | undefined;

	/** @param reason why it does not serve; it does without */
	tell(part: PartName, reason: string = HEALTHY): void {
		if (!TOLD.some((one) => one === part)) return;
		this.#states.set(part, reason);
		this.#changed?.();
	}

	/** Those of which anything was told. */
	components(): readonly Component[] {
		return TOLD.filter((part) => this.#states.has(part)).map((name) => ({
			name,
			check: async () => {
				const state = this.#states.get(name) ?? BEGINS;
				if (state !== HEALTHY) throw new Error(state);
				return state;
			},
		}));
	}

	/** Sends all that is told, at once and from now on, to whoever it was that followed last. */
	follow(send: (message: object) => void): void {
		const all = (): void => send({ [KEY]: Object.fromEntries(this.#states) });
		this.#changed = all;
		all();
	}

	/** What `follow` sent elsewhere; other messages are nothing to it. */
	take(message: unknown): void {
		const states: unknown = typeof message === 'object' && message !== null ? (message as Record<string, unknown>)[KEY] : undefined;
		if (typeof states !== 'object' || states === null) return;
		for (const [part, state] of Object.entries(states)) this.#states.set(part, String(state));
	}

	/** The services of a part of this process, which is told to serve once all of them are ready. */
	watched(part: ToldPart, services: readonly Service[]): readonly Service[] {
		this.tell(part, BEGINS);
		const waited = new Set(services);
		return services.map((service) => ({
			name: service.name,
			after: service.after,
			run: (signal, ready) =>
				service.run(signal, () => {
					waited.delete(service);
					if (waited.size === 0) this.tell(part);
					ready();
				}),
		}));
	}
}
