/** The static pods of a URL: a Pod or a list of them, asked for every httpCheckFrequency. What cannot be read leaves what runs as it is. */
import { readYaml } from '../../base/parse-yaml.ts';
import type { Pod } from '../../api/gen/types.ts';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { staticPod } from './static-pod.ts';

export interface UrlSourceOptions {
	readonly url: string;
	readonly headers: Readonly<Record<string, readonly string[]>>;
	readonly nodeName: string;
	readonly periodMs: number;
	readonly clock: Clock;
	readonly log: Log;
	readonly found: (pods: readonly Pod[]) => void;
	readonly fetch?: typeof fetch;
}

/** Upstream's client gives up after this long. */
const TIMEOUT_MS = 10_000;
/** A manifest is small. */
const MAX_BYTES = 10 * 2 ** 20;

export async function followUrl(options: UrlSourceOptions, signal: AbortSignal): Promise<void> {
	const { clock, log, url, periodMs } = options;
	let before: { readonly text: string; readonly pods: readonly Pod[] } | undefined;
	let failures = 0;
	while (!signal.aborted) {
		try {
			const text = await download(options, signal);
			if (text !== before?.text) before = { text, pods: podsIn(text, options) };
			failures = 0;
			options.found(before.pods);
		} catch (error) {
			if (signal.aborted) return;
			// Said once an outage.
			if (failures++ === 0) log.warn('cannot read the static pods of a URL', { url, reason: messageOf(error) });
		}
		await clock.sleep(periodMs, signal).catch(() => {});
	}
}

async function download({ url, headers, clock, fetch: get = fetch }: UrlSourceOptions, signal: AbortSignal): Promise<string> {
	using deadline = withDeadline(clock, TIMEOUT_MS, 'download of static pods', signal);
	const given = Object.entries(headers).flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
	const response = await get(url, { headers: given, signal: deadline.signal });
	if (response.status !== 200) throw new AppError('Unavailable', `${url}: ${response.status} ${response.statusText}`);
	const text = await response.text();
	if (text.length > MAX_BYTES) throw new AppError('ResourceExhausted', `${url}: more than ${MAX_BYTES} bytes`);
	// Upstream takes an empty answer for a fault of the server, not for the wish to run nothing.
	if (text === '') throw new AppError('Unavailable', `zero-length data received from ${url}`);
	return text;
}

/** AppError InvalidArgument when it is neither a pod nor a list of pods, or one of them is wrong. */
export function podsIn(text: string, { url, nodeName, clock }: UrlSourceOptions): readonly Pod[] {
	const value: unknown = readYaml(text);
	const items = isList(value) ? value.items : [value];
	const origin = { source: 'http', place: url, nodeName, now: clock.now() } as const;
	return items.map((item) => staticPod({ apiVersion: 'v1', kind: 'Pod', ...(item as object) }, origin));
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
	return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}
