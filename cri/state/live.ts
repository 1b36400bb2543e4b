/** What the engine says of a container now. */
import type { ContainerInspect } from '../engine/types.ts';

export type Live =
	| { readonly state: 'created' }
	| { readonly state: 'running'; readonly pid: number; readonly startedAtMs: number; readonly startedAtNanos: bigint }
	| {
			readonly state: 'exited';
			readonly startedAtNanos: bigint;
			readonly finishedAtNanos: bigint;
			readonly exitCode: number;
			readonly oomKilled: boolean;
			/** The engine's error, where the process never ran. */
			readonly error: string;
	  }
	| { readonly state: 'unknown' };

/** Pure: an inspect answer's state. */
export function liveOf({ State: s }: Pick<ContainerInspect, 'State'>): Live {
	switch (s.Status) {
		case 'created':
			// A start that failed leaves "created" with an error: the process is over before it began.
			return s.Error === '' ? { state: 'created' } : exited(s);
		case 'running':
		case 'paused':
		case 'restarting':
			return { state: 'running', pid: s.Pid, startedAtMs: Date.parse(s.StartedAt), startedAtNanos: nanosOf(s.StartedAt) };
		case 'exited':
		case 'dead':
		case 'removing':
			return exited(s);
	}
}

function exited(s: ContainerInspect['State']): Live {
	return {
		state: 'exited',
		startedAtNanos: nanosOf(s.StartedAt),
		finishedAtNanos: nanosOf(s.FinishedAt),
		exitCode: s.ExitCode,
		oomKilled: s.OOMKilled,
		error: s.Error,
	};
}

/** Pure: an RFC 3339 time with nanoseconds; the engine's zero time (year 1) is 0. */
export function nanosOf(time: string): bigint {
	const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time);
	if (match === null || time.startsWith('0001-')) return 0n;
	const seconds = BigInt(Date.parse(`${match[1]}${match[3]}`)) / 1000n;
	return seconds * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}
