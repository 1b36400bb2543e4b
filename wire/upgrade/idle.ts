/** Ends a connection on which nothing is said for long. */
import type { Clock } from '../../base/clock.ts';

/** How long nothing may be said. */
export interface Idle {
	readonly clock: Clock;
	readonly idleMs: number;
}

export interface IdleWatch extends Disposable {
	/** Something was said. */
	heard(): void;
}

export function watchIdle({ clock, idleMs }: Idle, end: () => void): IdleWatch {
	let heardAt = clock.monotonic();
	const watch = (): void => {
		const leftMs = heardAt + idleMs - clock.monotonic();
		if (leftMs <= 0) end();
		else timer = clock.after(leftMs, watch);
	};
	let timer = clock.after(idleMs, watch);
	return { heard: () => void (heardAt = clock.monotonic()), [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
