/** The parts that upstream's API server asks for their health wherever it runs: those at their usual ports of this host, whoever they are (componentstatus' HttpServer). */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf } from '../../../base/errors.ts';
import { clientError } from './proxy/backend-errors.ts';
import type { Component } from './component-statuses.ts';

/** As `componentstatus/validator.go` has it. */
const PROBE_MS = 20_000;
/** Of an answer no more is read, or shown. */
const MAX_BYTES = 10 * 1024;
const LOOPBACK = '127.0.0.1';

/** Where upstream's parts serve, in the order in which they are told. */
const USUAL: readonly (readonly [name: string, port: number])[] = [
	['controller-manager', 10_257],
	['scheduler', 10_259],
];

export function usualParts(clock: Clock): readonly Component[] {
	return USUAL.map(([name, port]) => probed(name, port, clock));
}

/** A part that answers `/healthz` with TLS; its certificate is not looked at. */
export function probed(name: string, port: number, clock: Clock): Component {
	const place = { scheme: 'https', host: LOOPBACK, port, path: '/healthz' } as const;
	return {
		name,
		async check(signal) {
			using deadline = withDeadline(clock, PROBE_MS, 'The probe', signal);
			const answered = await ask(place, deadline.signal).catch((error: Error) => {
				throw codeOf(error) === 'DeadlineExceeded'
					? new Error(`${clientError(error, place).message} (Client.Timeout exceeded while awaiting headers)`)
					: clientError(error, place);
			});
			if (answered.status >= 400) throw new Error(`HTTP probe failed with statuscode: ${answered.status}`);
			return answered.text;
		},
	};
}

async function ask(
	{ host, port, path }: { readonly host: string; readonly port: number; readonly path: string },
	signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
	const sent = request({ host, port, path, rejectUnauthorized: false, agent: false, headers: { 'user-agent': 'kube-probe/1.36' } });
	const stop = (): void => void sent.destroy(signal.reason as Error);
	signal.addEventListener('abort', stop);
	try {
		sent.end();
		const [response] = (await once(sent, 'response')) as [IncomingMessage];
		return { status: response.statusCode ?? 0, text: await beginning(response) };
	} finally {
		signal.removeEventListener('abort', stop);
	}
}

async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
	const chunks: Uint8Array[] = [];
	let read = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		read += chunk.length;
		if (read >= MAX_BYTES) break;
	}
	return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8');
}
