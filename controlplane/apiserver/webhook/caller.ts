/** Posts JSON to webhooks over TLS: connections are kept and shared by destination and authorities, and every call has its deadline. */
import { createHash } from 'node:crypto';
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { abortable, withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { readAnswer } from '../../../api/codec/answer.ts';
import { AppError } from '../../../base/errors.ts';
import type { ObjectReader } from '../contracts.ts';
import { destinationOf, type ClientConfig } from './destination.ts';
import type { Address } from './endpoints.ts';
import { answerError, goError } from './go-errors.ts';
import type { WebhookUser, WebhookUsers } from './users.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly clock: Clock;
	/** As whom webhooks are called; nobody unless told. */
	readonly users?: WebhookUsers | undefined;
}

/** Unused clients are dropped, oldest first. */
const MAX_AGENTS = 100;
/** An answer larger than what an object may be is none. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;

/** Whom we believe, and as whom we come: connections are shared by both. */
interface Trust {
	/** base64 of PEM; '' for the system's authorities. */
	readonly caBundle: string;
	readonly user: string;
	readonly cert?: string | undefined;
	readonly key?: string | undefined;
}

interface Answer {
	readonly status: number;
	readonly type: string;
	/** Undefined: it was cut off. */
	readonly body: string | undefined;
}

export class WebhookCaller implements Disposable {
	readonly #deps: Deps;
	readonly #agents = new Map<string, Agent>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/**
	 * The answer's JSON. AppError Unavailable in Go's words: `Post "https://…": dial tcp …`; DeadlineExceeded after `timeoutMs`.
	 * @param query tells the webhook its time limit, as upstream does for admission
	 */
	async post(config: ClientConfig, body: object, timeoutMs: number, signal: AbortSignal, query = ''): Promise<unknown> {
		const { objects, clock, users } = this.#deps;
		const { url, dial } = destinationOf(config, objects, clock);
		const path = `${url.pathname}${query === '' ? url.search : `?${query}`}`;
		const port = url.port === '' && config.service !== undefined ? ':443' : '';
		const named = JSON.stringify(`https://${url.host}${port}${path}`);
		using deadline = withDeadline(clock, timeoutMs, `calling ${named}`, signal);
		const target = `${url.hostname}:${config.service?.port ?? (url.port === '' ? 443 : url.port)}`;
		const serverName = url.hostname.replace(/^\[|\]$/g, '');
		let address: Address = { host: serverName, port: 443 };
		let answer: Answer;
		try {
			address = dial();
			const user = users?.(target);
			answer = await this.#send(
				config.caBundle ?? '',
				user,
				address,
				serverName,
				path,
				`${url.host}${port}`,
				JSON.stringify(body),
				deadline.signal,
			);
		} catch (error) {
			signal.throwIfAborted();
			const cause = deadline.signal.aborted ? (deadline.signal.reason as unknown) : error;
			const code = cause instanceof AppError ? cause.code : 'Unavailable';
			throw new AppError(code, `Post ${named}: ${goError(cause, address, serverName)}`, { cause });
		}
		if (answer.body === undefined) {
			signal.throwIfAborted();
			const why = 'unexpected error when reading response body. Please retry. Original error: unexpected EOF';
			throw new AppError('Unavailable', why);
		}
		if (answer.status === 401) users?.(target)?.refused?.();
		if (answer.status < 200 || answer.status > 206) throw new AppError('Unavailable', answerError(answer.status, answer.body));
		if (answer.body === '') {
			const why = `0-length response with status code: ${answer.status} and content type: ${answer.type}`;
			throw new AppError('Unavailable', why);
		}
		return readAnswer(answer.body);
	}

	[Symbol.dispose](): void {
		for (const agent of this.#agents.values()) agent.destroy();
		this.#agents.clear();
	}

	async #send(
		caBundle: string,
		user: WebhookUser | undefined,
		{ host, port }: Address,
		serverName: string,
		path: string,
		hostHeader: string,
		body: string,
		signal: AbortSignal,
	): Promise<Answer> {
		const { clock } = this.#deps;
		// A program may take longer than the webhook is waited for.
		const shown = user === undefined ? {} : await abortable(user.headers(clock), signal);
		const trust: Trust = {
			caBundle,
			user: user?.name ?? '',
			...(user === undefined ? {} : await abortable(user.certificate(clock), signal)),
		};
		return new Promise((resolve, reject) => {
			const request = httpsRequest({
				agent: this.#agent(trust),
				host,
				port,
				path,
				method: 'POST',
				...(/^[\d.]+$|:/.test(serverName) ? {} : { servername: serverName }),
				headers: {
					host: hostHeader,
					accept: 'application/json, */*',
					'content-type': 'application/json',
					'content-length': Buffer.byteLength(body),
					'user-agent': 'kube-apiserver-admission',
					...shown,
				},
				signal,
			});
			request.once('error', reject);
			request.once('response', (message) => {
				const { statusCode = 0, headers } = message;
				// What a client of Go's asks for is what it takes an answer for that does not say.
				const type = headers['content-type'] ?? 'application/json';
				read(message).then(
					(sent) => resolve({ status: statusCode, type, body: sent }),
					(error: unknown) => (error instanceof AppError ? reject(error) : resolve({ status: statusCode, type, body: undefined })),
				);
			});
			request.end(body);
		});
	}

	#agent({ caBundle, user, cert, key: privateKey }: Trust): Agent {
		const key = createHash('sha256')
			.update(`${user}\0${caBundle}\0${cert ?? ''}`)
			.digest('base64');
		let agent = this.#agents.get(key);
		if (agent === undefined) {
			agent = new Agent({
				keepAlive: true,
				maxFreeSockets: 16,
				...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString() }),
				...(cert === undefined ? {} : { cert, key: privateKey }),
			});
			const [oldest] = this.#agents;
			if (this.#agents.size >= MAX_AGENTS && oldest !== undefined) {
				oldest[1].destroy();
				this.#agents.delete(oldest[0]);
			}
			this.#agents.set(key, agent);
		}
		return agent;
	}
}

function read(message: IncomingMessage): Promise<string> {
	let bytes = 0;
	message.on('data', (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > MAX_ANSWER_BYTES) message.destroy(new AppError('Unavailable', 'http: response body too large'));
	});
	return text(message);
}
