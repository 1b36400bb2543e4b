/** One-time tokens: what a streaming URL stands for, until it is used or a minute has passed. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';

/** Upstream's limits (k8s.io/kubelet streaming: cache TTL and in-flight maximum). */
const TTL_MS = 60_000;
const MAX_IN_FLIGHT = 1000;

export class Tokens<T> {
	readonly #clock: Clock;
	readonly #values = new Map<string, { readonly value: T; readonly expiresAt: number }>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	issue(value: T): string {
		const now = this.#clock.monotonic();
		for (const [token, entry] of this.#values) {
			if (entry.expiresAt > now) break; // in the order they were issued
			this.#values.delete(token);
		}
		if (this.#values.size >= MAX_IN_FLIGHT) throw new AppError('ResourceExhausted', 'Too many streaming requests wait for their client');
		const token = randomBytes(24).toString('base64url');
		this.#values.set(token, { value, expiresAt: now + TTL_MS });
		return token;
	}

	/** The value, once. */
	redeem(token: string): T | undefined {
		const entry = this.#values.get(token);
		this.#values.delete(token);
		return entry !== undefined && entry.expiresAt > this.#clock.monotonic() ? entry.value : undefined;
	}
}
