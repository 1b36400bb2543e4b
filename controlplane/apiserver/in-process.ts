/** The transport of the parts that live in the apiserver's own process: a fixed user, and everything but HTTP. */
import { linked, type Linked } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../client/transport.ts';
import { StatusError } from '../../api/status.ts';
import { PushedBody } from './answer/pushed-body.ts';
import type { ApiRequest, UserInfo } from './contracts.ts';
import type { Answer } from './request/exchange.ts';
import type { Pipeline } from './request/pipeline.ts';

const NO_BODY = new Uint8Array();

export function inProcessTransport(pipeline: Pipeline, user: UserInfo): Transport {
	let closed = false;
	return {
		async request(request, signal) {
			if (closed) throw new AppError('Unavailable', 'The transport is closed');
			signal.throwIfAborted();
			const warnings: string[] = [];
			const link = linked(signal);
			try {
				const answer = await pipeline.serve(
					asApiRequest(request, user, link.signal, (text) => warnings.push(text)),
					() => user,
				);
				const { response, finished } = answer;
				// Read to its end, given up, or never read at all: that the link ends is what all of them have in common.
				const over = (): void => {
					finished?.();
					if (response.type !== 'stream') return;
					response.events?.close();
					if (response.body instanceof PushedBody) response.body.close();
				};
				if (link.signal.aborted) over();
				else link.signal.addEventListener('abort', over, { once: true });
				signal.throwIfAborted();
				// A stream ends with its reader; everything else is over.
				if (response.type !== 'stream') link[Symbol.dispose]();
				return answered(answer, warnings, link);
			} catch (error) {
				link.abort(error);
				throw error;
			}
		},
		upgrade(request) {
			const message = `Cannot upgrade ${request.path} in process: connect over the network`;
			return Promise.reject(new StatusError({ metadata: {}, status: 'Failure', message, reason: 'BadRequest', code: 400 }));
		},
		close() {
			closed = true;
			return Promise.resolve();
		},
	};
}

function asApiRequest(request: TransportRequest, user: UserInfo, signal: AbortSignal, warn: (text: string) => void): ApiRequest {
	const at = request.path.indexOf('?');
	const { body } = request;
	return {
		method: request.method,
		path: at < 0 ? request.path : request.path.slice(0, at),
		query: new URLSearchParams(at < 0 ? '' : request.path.slice(at + 1)),
		headers: request.headers ?? {},
		takesEvents: request.takesEvents,
		user,
		remoteAddress: '',
		body: () => Promise.resolve(body === undefined ? NO_BODY : typeof body === 'string' ? Buffer.from(body) : body),
		signal,
		warn,
	};
}

function answered({ response, auditId }: Answer, warnings: readonly string[], link: Linked): TransportResponse {
	if (response.type === 'upgraded') throw new AppError('Internal', 'A request without a socket was upgraded');
	const head = { status: response.status, headers: { ...response.headers, 'audit-id': auditId }, warnings };
	if (response.type === 'bytes') return { ...head, body: once(response.body) };
	const { body, events } = response;
	if (events === undefined) return { ...head, body: untilStopped(body, link) };
	return { ...head, body, events: untilStopped(events, link) };
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
	if (body.length > 0) yield body;
}

/** A caller that stops reading ends the request, and who waits for a pushed body need not wait any longer once the request ends. */
function untilStopped<P>(body: AsyncIterable<P>, link: Linked): AsyncIterable<P> {
	const reader = body[Symbol.asyncIterator]();
	if (body instanceof PushedBody) link.signal.addEventListener('abort', () => void reader.return?.(), { once: true });
	return (async function* () {
		try {
			yield* { [Symbol.asyncIterator]: () => reader };
		} finally {
			link.abort();
		}
	})();
}
