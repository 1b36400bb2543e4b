/** Large YAML bodies are read in a thread of their own, one at a time, with bounds on memory and time: the event loop goes on meanwhile. */
import { Worker } from 'node:worker_threads';
import { keepRead, type ReadYaml } from '../../../api/codec/yaml-body.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';

/** Smaller ones take a few milliseconds, a thread takes more. */
const AHEAD_BYTES = 16 * 1024;
/** A definition of 2 MB takes half a second and 100 MB. */
const LIMIT_MS = 10_000;
const LIMIT_MIB = 192;
const YOUNG_MIB = 16;

const YAML_TYPES: ReadonlySet<string> = new Set(['application/yaml', 'application/apply-patch+yaml']);
const BRACE = 0x7b;

export function isYaml(contentType = ''): boolean {
	return contentType.includes('yaml') && YAML_TYPES.has(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');
}

let last: Promise<unknown> = Promise.resolve();

/** The bytes; what is large has been read for parseYamlBody(). StatusError RequestEntityTooLarge where that takes too much. */
export async function readYamlAhead(bytes: Uint8Array, signal: AbortSignal, clock: Clock): Promise<Uint8Array> {
	// What begins with a brace is most likely JSON.
	if (bytes.length <= AHEAD_BYTES || bytes[0] === BRACE) return bytes;
	const before = last;
	const done = Promise.withResolvers<void>();
	last = done.promise;
	try {
		await before;
		signal.throwIfAborted();
		keepRead(bytes, await readInThread(bytes, clock, signal));
		return bytes;
	} finally {
		done.resolve();
	}
}

async function readInThread(bytes: Uint8Array, clock: Clock, signal: AbortSignal): Promise<ReadYaml> {
	const worker = new Worker(besideThisFile(), {
		workerData: bytes,
		resourceLimits: { maxOldGenerationSizeMb: LIMIT_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
	});
	const { promise, resolve, reject } = Promise.withResolvers<ReadYaml>();
	const gone = (): void => reject(signal.reason as Error);
	signal.addEventListener('abort', gone, { once: true });
	using _late = clock.after(LIMIT_MS, () => reject(tooMuch('takes too long to read')));
	worker.once('message', resolve);
	worker.once('error', (error: Error & { readonly code?: string }) =>
		reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('takes too much memory to read') : error),
	);
	worker.once('exit', (code) => reject(new AppError('Internal', `The YAML reader ended with code ${code}`)));
	try {
		return await promise;
	} finally {
		signal.removeEventListener('abort', gone);
		await worker.terminate();
	}
}

function besideThisFile(): URL {
	return new URL(import.meta.url.endsWith('.ts') ? './yaml-worker.ts' : './yaml-worker.js', import.meta.url);
}

function tooMuch(why: string): StatusError {
	const message = `Request entity too large: the YAML document ${why}; JSON of the same size does not`;
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'RequestEntityTooLarge', code: 413 });
}
