/** What the audit log has of answers: their code, the Status of those that failed, and, where the policy asks for it, the object. */
import { decodeEnvelope, isEnveloped } from '../../../api/codec/envelope.ts';
import type { Status } from '../../../api/gen/types.ts';
import type { StatusError } from '../../../api/status.ts';
import { ListBody } from '../answer/list-body.ts';
import { MadeList } from '../answer/made-list.ts';
import { TimedBody } from '../answer/timed-body.ts';
import type { ApiResponse } from '../contracts.ts';
import type { Trail } from './trail.ts';
import { written } from './written.ts';

/** The answer to send: a streamed one is gathered on its way when its object is wanted. @param verb of the request */
export function noteAnswer(trail: Trail, response: ApiResponse, verb: string, failure: StatusError | undefined): ApiResponse {
	if (response.type === 'upgraded') {
		trail.answered(101);
		return response;
	}
	if (response.type === 'stream') {
		trail.answered(response.status);
		const body = response.body instanceof ListBody || response.body instanceof MadeList ? timedList(trail, response.body) : response.body;
		const wanted = trail.wantsResponse && verb !== 'watch';
		return { ...response, body: wanted ? gathered(body, (bytes) => noteObject(trail, bytes)) : body };
	}
	// No representation was found for the answer, and so none for what the log would have of it.
	if (response.status === NOT_ACCEPTABLE) {
		trail.answered(response.status);
		return response;
	}
	trail.answered(response.status, failure?.status ?? statusIn(response.body));
	if (trail.wantsResponse) noteObject(trail, response.body);
	return response;
}

const NOT_ACCEPTABLE = 406;

/** What its pieces wait for the client is part of their making, as in upstream, which does both by one call. Items that are made for it tell of themselves. */
function timedList(trail: Trail, list: ListBody | MadeList): TimedBody {
	return new TimedBody(list, trail.clock, ({ totalMs, waitedMs }) => {
		trail.took('serialize-response-object', list instanceof MadeList ? waitedMs : totalMs);
		trail.took('response-write', waitedMs);
	});
}

function noteObject(trail: Trail, bytes: Uint8Array): void {
	const object = decoded(bytes);
	if (object !== undefined) trail.response(object);
}

/** Undefined for what is no object of the API: plain texts, the version, documents of OpenAPI. */
function decoded(bytes: Uint8Array): object | undefined {
	try {
		const value: unknown = isEnveloped(bytes) ? decodeEnvelope(Buffer.from(bytes)) : JSON.parse(Buffer.from(bytes).toString());
		return (value as { readonly kind?: unknown } | null)?.kind === undefined ? undefined : (value as object);
	} catch {
		return undefined;
	}
}

/** Removals, bindings and evictions may be answered by a Status that is a success. Only what can be one is read. */
function statusIn(bytes: Uint8Array): Status | undefined {
	if (!Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, STATUS_WITHIN)).includes('Status')) return undefined;
	const object = decoded(bytes) as Partial<Status> | undefined;
	return object?.kind === 'Status' ? (written(object, false) as Status) : undefined;
}

/** Kinds stand at the front, of JSON and of messages. */
const STATUS_WITHIN = 32;

async function* gathered(body: AsyncIterable<Uint8Array>, done: (bytes: Uint8Array) => void): AsyncGenerator<Uint8Array> {
	const pieces: Uint8Array[] = [];
	for await (const piece of body) {
		pieces.push(piece);
		yield piece;
	}
	done(Buffer.concat(pieces));
}
