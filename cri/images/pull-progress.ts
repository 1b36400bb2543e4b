/** Following a pull: it may take as long as it moves; one that stands still is given up. */
import { linked } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { lines } from '../../base/lines.ts';

/** As containerd's `image_pull_progress_timeout`. */
export const PULL_PROGRESS_TIMEOUT_MS = 300_000;

export interface PullBounds {
	readonly clock: Clock;
	/** How long nothing may change. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
}

/** `begin` opens the engine's stream of progress lines. Resolves when the pull is over; throws what the stream tells of, since failures come after HTTP 200. */
export async function followPull(
	image: string,
	begin: (signal: AbortSignal) => Promise<AsyncIterable<Buffer>>,
	{ clock, timeoutMs, signal }: PullBounds,
): Promise<void> {
	using bound = linked(signal);
	const stuck = new AppError('DeadlineExceeded', `Cannot pull image "${image}": nothing moved for ${timeoutMs / 1000} s`);
	const arm = (): Disposable => clock.after(timeoutMs, () => bound.abort(stuck));
	let timer = arm();
	try {
		const stream = await begin(bound.signal);
		let last = '';
		for await (const line of lines(stream)) {
			checkLine(image, line);
			if (line === last) continue;
			last = line;
			timer[Symbol.dispose]();
			timer = arm();
		}
	} catch (error) {
		throw bound.signal.reason === stuck ? stuck : error;
	} finally {
		timer[Symbol.dispose]();
	}
	if (bound.signal.aborted) throw bound.signal.reason;
}

function checkLine(image: string, line: string): void {
	if (!line.includes('"error"')) return;
	const { error = '' } = JSON.parse(line) as { error?: string };
	if (error !== '') throw pullError(image, error);
}

/** Pure: a registry's refusal by its words, which is all that the engine passes on. */
export function pullError(image: string, text: string): AppError {
	const code: ErrorCode = /not found|manifest unknown|does not exist|no such host/.test(text)
		? 'NotFound'
		: /unauthorized|denied|no basic auth credentials/.test(text)
			? 'PermissionDenied'
			: /connection refused|timeout|EOF|connection reset/i.test(text)
				? 'Unavailable'
				: 'Unknown';
	return new AppError(code, `Cannot pull image "${image}": ${text}`);
}
