/** Requests to something behind the API server (a kubelet, a pod, a service endpoint), bodies streamed and upgrades passed through byte for byte. */
import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { internalError, serviceUnavailable } from '../../../../api/status.ts';
import { KeptConnections, responseTo } from '../../../../wire/http/kept-connection.ts';
import { tie } from '../../../../wire/upgrade/tie.ts';
import type { ApiRequest, ApiResponse } from '../../contracts.ts';
import { isYaml } from '../../request/yaml-ahead.ts';
import { clientError, noUpgrade, transportError, upgradeError } from './backend-errors.ts';
import { answeredHeaders, passedHeaders, type Changes } from './passed-headers.ts';

export interface BackendTarget extends Changes {
	readonly scheme: 'http' | 'https';
	readonly host: string;
	readonly port: number;
	/** Path and query. */
	readonly path: string;
	/** Where each target is trusted on terms of its own. */
	readonly tls?: BackendTls | undefined;
	/** The answer when nobody answers; a Status unless told. */
	readonly unreachable?: ((error: Error) => ApiResponse | Promise<ApiResponse>) | undefined;
	/** Takes over when it has upgraded; unless told, the two connections are joined as they are. */
	readonly upgraded?: ((answer: Upgraded) => Promise<ApiResponse>) | undefined;
}

export interface Upgraded {
	readonly message: IncomingMessage;
	readonly socket: Duplex;
	/** What came behind the answer already. */
	readonly head: Buffer;
}

export interface BackendTls {
	/** PEM of the certificate and key shown to the backend. */
	readonly cert?: string;
	readonly key?: string;
	/** PEM; without it the backend's certificate is not verified (upstream's default towards kubelets without --kubelet-certificate-authority). */
	readonly ca?: string;
	/** The name its certificate must have, where that is not the address. */
	readonly serverName?: string;
	/** Unless told, a certificate is verified when there is a CA to verify it by. */
	readonly verify?: boolean;
}

/** Smaller bodies are read first, so that a request that meets the end of a kept connection can be told from one that was heard. */
const READ_FIRST_BYTES = 256 * 1024;
const FIRST_ERROR = 400;

export class Backend {
	readonly #tls: () => BackendTls;
	readonly #kept = new KeptConnections(new Agent({ keepAlive: true, maxFreeSockets: 16 }));

	constructor(tls: () => BackendTls) {
		this.#tls = tls;
	}

	/** Sends the request on and gives the answer back as it comes. StatusError ServiceUnavailable when nobody answers. */
	async pass(request: ApiRequest, target: BackendTarget): Promise<ApiResponse> {
		const { upgrade } = request;
		const isUpgrade = upgrade !== undefined;
		const body = isUpgrade ? undefined : await bodyOf(request);
		let answer: Answer;
		try {
			answer = await this.#kept.send(() => this.#send(request, target, isUpgrade, body), answered);
		} catch (error) {
			if (target.unreachable !== undefined) return target.unreachable(error as Error);
			if (isUpgrade) throw upgradeError(error as Error, target);
			throw serviceUnavailable(`error trying to reach service: ${transportError(error as Error, target)}`);
		}
		if (answer.type === 'upgrade') {
			if (upgrade === undefined) throw internalError('the backend upgraded a connection nobody asked to upgrade');
			if (target.upgraded !== undefined) return target.upgraded(answer);
			const { socket, head } = upgrade();
			join(answer.message, answer.socket, answer.head, socket, head);
			return { type: 'upgraded' };
		}
		const { message } = answer;
		const { statusCode: status = 502 } = message;
		if (isUpgrade && status < FIRST_ERROR) {
			message.destroy();
			throw noUpgrade(status);
		}
		const { 'set-cookie': cookies = [] } = message.headers;
		const headers = answeredHeaders(message);
		return { type: 'stream', status, headers, ...(cookies.length === 0 ? {} : { cookies }), body: message };
	}

	/** Asks for something itself, whatever the client's request was. StatusError without a reason when nobody answers. */
	async get(target: BackendTarget, signal: AbortSignal): Promise<IncomingMessage> {
		try {
			return await this.#kept.send(() => this.#open(target, 'GET', {}, signal, true).end(), responseTo);
		} catch (error) {
			throw clientError(error as Error, target);
		}
	}

	/** Asks for an upgrade itself, whatever the client's request was. Rejects as node:http does when nobody answers. */
	upgrade(target: BackendTarget, method: string, headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<Answer> {
		return answered(this.#open(target, method, { ...headers, connection: 'Upgrade' }, signal, false).end());
	}

	/** How it shows itself and whom it trusts. */
	get tls(): BackendTls {
		return this.#tls();
	}

	close(): void {
		this.#kept[Symbol.dispose]();
	}

	#send(request: ApiRequest, target: BackendTarget, isUpgrade: boolean, body: Body): ClientRequest {
		const headers = passedHeaders(request, target, isUpgrade);
		const isStream = body instanceof Readable;
		if (isStream) Object.assign(headers, lengthOf(request));
		else if (body !== undefined && body.length > 0) headers['content-length'] = body.length;
		const out = this.#open(target, target.asks?.method ?? request.method, headers, request.signal, !isUpgrade && !isStream);
		if (!isStream) return out.end(body);
		// Where the backend takes no more, the client's connection still gets the answer.
		out.once('close', () => body.unpipe(out));
		return body.pipe(out);
	}

	#open(target: BackendTarget, method: string, headers: OutgoingHttpHeaders, signal: AbortSignal, isKept: boolean): ClientRequest {
		const { host, port, path, scheme } = target;
		const options = { host, port, path, method, headers, signal };
		const { ca, cert, key, serverName = '', verify = ca !== undefined } = target.tls ?? this.#tls();
		const tls = {
			...(cert === undefined ? {} : { cert }),
			...(key === undefined ? {} : { key }),
			...(ca === undefined ? {} : { ca }),
			servername: serverName === '' ? (isIP(host) === 0 ? host : '') : serverName, // else it would be that of the Host header
			rejectUnauthorized: verify,
		};
		const agent = isKept ? this.#kept.agent : false;
		const out =
			scheme === 'https' ? httpsRequest({ ...options, ...tls, agent }) : httpRequest({ ...options, ...(isKept ? {} : { agent: false }) });
		const abort = (): void => void out.destroy();
		signal.addEventListener('abort', abort, { once: true });
		out.once('close', () => signal.removeEventListener('abort', abort));
		return out;
	}
}

type Body = Uint8Array | Readable | undefined;

async function bodyOf(request: ApiRequest): Promise<Body> {
	const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
	if (length === undefined && encoding === undefined && ['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return undefined;
	const isLong = length === undefined || Number(length) > READ_FIRST_BYTES;
	// A document that is read as one has become JSON.
	const stream = isLong || isYaml(request.headers['content-type']) ? request.stream?.() : undefined;
	return stream ?? request.body(Infinity);
}

function lengthOf({ headers }: ApiRequest): OutgoingHttpHeaders {
	const { 'content-length': length } = headers;
	return length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };
}

type Answer = { readonly type: 'response'; readonly message: IncomingMessage } | ({ readonly type: 'upgrade' } & Upgraded);

function answered(out: ClientRequest): Promise<Answer> {
	return new Promise((resolve, reject) => {
		out.once('response', (message) => resolve({ type: 'response', message }));
		out.once('upgrade', (message, socket, head) => resolve({ type: 'upgrade', message, socket, head }));
		out.on('error', reject);
	});
}

/** Writes the backend's 101 to the client and ties the two sockets together until either ends. */
function join(message: IncomingMessage, back: Duplex, backHead: Buffer, front: Duplex, frontHead: Uint8Array): void {
	const lines = [`HTTP/1.1 101 ${message.statusMessage ?? 'Switching Protocols'}`];
	for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) lines.push(`${message.rawHeaders[i]}: ${message.rawHeaders[i + 1]}`);
	front.write(`${lines.join('\r\n')}\r\n\r\n`);
	if (backHead.length > 0) front.write(backHead);
	if (frontHead.length > 0) back.write(frontHead);
	tie(front, back);
}
