/** A service that upstream's components reach by a file in kubeconfig form: audit, token and authorization webhooks. JSON over TLS, with retries. */
import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { jsonSyntaxError } from '../../../api/codec/json-syntax.ts';
import { formatDuration } from '../../../api/time.ts';
import { abortable, withDeadline } from '../../../base/abort.ts';
import { delayMs, type BackoffPolicy } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf, messageOf, type ErrorCode } from '../../../base/errors.ts';
import { execCluster, type ExecCredentials, type MadeCredentials } from '../../../client/exec-credentials.ts';
import { dataOrFile, parseKubeconfig } from '../../../client/kubeconfig.ts';
import { answerError, goError } from './go-errors.ts';
import { programOf } from './users.ts';

export interface RemoteTarget {
	/** The whole URL to post to. */
	readonly url: string;
	readonly ca?: string | undefined;
	readonly cert?: string | undefined;
	readonly key?: string | undefined;
	readonly token?: string | undefined;
	/** A program that makes the token or the certificate; what else is here comes first. */
	readonly program?: ExecCredentials | undefined;
	readonly basic?: { readonly username: string; readonly password: string } | undefined;
	readonly insecure?: boolean | undefined;
	readonly serverName?: string | undefined;
}

export interface RemoteRetries extends BackoffPolicy {
	readonly attempts: number;
	/** Whether another attempt is worth it; {@link RemoteError.mayPass} unless told. */
	readonly mayPass?: (error: unknown) => boolean;
}

/** Upstream's DefaultRetryBackoff of webhooks: four more attempts, from half a second. */
export const REMOTE_RETRIES: RemoteRetries = {
	initialMs: 500,
	factor: 1.5,
	maxMs: 30_000,
	jitter: 0.2,
	attempts: 5,
};

/** AppError InvalidArgument, NotFound. */
export async function remoteTarget(path: string): Promise<RemoteTarget> {
	let file: string;
	try {
		file = await readFile(path, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `Cannot read the webhook's configuration "${path}": ${messageOf(cause)}`, { cause });
	}
	const config = parseKubeconfig(file, dirname(path), path);
	const context = config.contexts.get(config.currentContext ?? '');
	if (context === undefined)
		throw new AppError('InvalidArgument', `"${path}": context was not found for specified context: ${config.currentContext ?? '""'}`);
	const cluster = config.clusters.get(context.cluster);
	if (cluster?.server === undefined) throw new AppError('InvalidArgument', `"${path}": the current context names no cluster with a server`);
	const user = config.users.get(context.user) ?? {};
	const token = user.tokenFile === undefined ? user.token : (await readFile(user.tokenFile, 'utf8')).trim();
	return {
		url: cluster.server,
		ca: await dataOrFile(cluster['certificate-authority-data'], cluster['certificate-authority']),
		cert: await dataOrFile(user['client-certificate-data'], user['client-certificate']),
		key: await dataOrFile(user['client-key-data'], user['client-key']),
		token,
		program: programOf(context.user, user, path, await execCluster(cluster)),
		basic: user.username === undefined ? undefined : { username: user.username, password: user.password ?? '' },
		insecure: cluster['insecure-skip-tls-verify'],
		serverName: cluster['tls-server-name'],
	};
}

/** A call that failed. */
class RemoteError extends AppError {
	/** The next one may do better, as upstream's DefaultShouldRetry sees it: the connection broke, or the answer says so. */
	readonly mayPass: boolean;
	/** Of the answer; undefined where there was none. */
	readonly status: number | undefined;
	constructor(
		code: ErrorCode,
		message: string,
		mayPass: boolean,
		{ status, cause }: { readonly status?: number; readonly cause?: unknown },
	) {
		super(code, message, { cause });
		this.mayPass = mayPass;
		this.status = status;
	}
}

/** Nobody answered in time, or somebody on the way said so. */
export function isTimeout(error: unknown): boolean {
	return codeOf(error) === 'DeadlineExceeded' || (error instanceof RemoteError && error.status === GATEWAY_TIMEOUT);
}

const GATEWAY_TIMEOUT = 504;

/** Told of each attempt. @param error undefined: it went well */
export type Attempted = (ms: number, error?: unknown) => void;

interface Answer {
	readonly status: number;
	/** Its content type; '' for none. */
	readonly type: string;
	readonly body: string;
	/** It says when to come again. */
	readonly asksForMore: boolean;
}

/** Internal error, timeout, too many requests: worth another attempt. */
const RETRIED: ReadonlySet<number> = new Set([429, 500, 504]);

export class Remote implements Disposable {
	readonly #target: RemoteTarget;
	readonly #clock: Clock;
	#agent: HttpAgent | HttpsAgent;
	/** What the program made that the agent shows. */
	#shown: MadeCredentials | undefined;

	constructor(target: RemoteTarget, clock: Clock) {
		this.#target = target;
		this.#clock = clock;
		this.#agent = agentOf(target, target);
	}

	/** The answer's JSON, undefined for an empty one. AppError Unavailable after the last attempt, DeadlineExceeded after `timeoutMs` each. */
	post(body: object, timeoutMs: number, signal: AbortSignal, retries = REMOTE_RETRIES, attempted?: Attempted): Promise<unknown> {
		return this.#attempts(body, timeoutMs, signal, retries, jsonIn, attempted);
	}

	/** The same where it is enough that it was taken, whatever the answer says. */
	async deliver(body: object, timeoutMs: number, signal: AbortSignal, retries: RemoteRetries): Promise<void> {
		await this.#attempts(body, timeoutMs, signal, retries, () => undefined);
	}

	async #attempts(
		body: object,
		timeoutMs: number,
		signal: AbortSignal,
		retries: RemoteRetries,
		read: (answer: string) => unknown,
		attempted?: Attempted,
	): Promise<unknown> {
		const clock = this.#clock;
		const bytes = Buffer.from(JSON.stringify(body));
		const mayPass = retries.mayPass ?? ((error: unknown) => error instanceof RemoteError && error.mayPass);
		for (let attempt = 1; ; attempt++) {
			const started = clock.monotonic();
			try {
				const answer = read(await this.#once(bytes, timeoutMs, signal));
				attempted?.(clock.monotonic() - started);
				return answer;
			} catch (error) {
				attempted?.(clock.monotonic() - started, error);
				if (signal.aborted || attempt >= retries.attempts || !mayPass(error)) throw error;
				await clock.sleep(delayMs(retries, attempt - 1, clock.random()), signal);
			}
		}
	}

	[Symbol.dispose](): void {
		this.#agent.destroy();
	}

	async #once(body: Buffer, timeoutMs: number, signal: AbortSignal): Promise<string> {
		const url = new URL(this.#target.url);
		url.searchParams.set('timeout', formatDuration(BigInt(Math.round(timeoutMs)) * 1_000_000n));
		using deadline = withDeadline(this.#clock, timeoutMs, `calling ${url.href}`, signal);
		let made: MadeCredentials | undefined;
		let answer: Answer;
		try {
			made = await abortable(this.#madeNow(), deadline.signal);
			const token = made === undefined ? this.#target.token : made.token === '' ? undefined : made.token;
			answer = await this.#send(url, body, token, deadline.signal);
		} catch (error) {
			signal.throwIfAborted();
			const cause = deadline.signal.aborted ? (deadline.signal.reason as unknown) : error;
			const host = url.hostname.replace(/^\[|\]$/g, '');
			const address = { host, port: Number(url.port === '' ? 443 : url.port) };
			const code = cause instanceof AppError ? cause.code : 'Unavailable';
			const isReset = (cause as NodeJS.ErrnoException).code === 'ECONNRESET';
			throw new RemoteError(code, `Post ${JSON.stringify(url.href)}: ${goError(cause, address, host)}`, isReset, { cause });
		}
		if (answer.status === 401 && made !== undefined) this.#target.program?.refused(made);
		if (answer.status < 200 || answer.status > 206)
			throw new RemoteError(
				answer.status >= 500 || answer.status === 429 ? 'Unavailable' : 'Internal',
				answerError(answer.status, answer.body, answer.type),
				RETRIED.has(answer.status) || (answer.status > 500 && answer.asksForMore),
				{ status: answer.status },
			);
		return answer.body;
	}

	/** What the program gives, where nothing else says who we are; connections with a certificate that it no longer gives are closed. */
	async #madeNow(): Promise<MadeCredentials | undefined> {
		const { token, basic, cert, program } = this.#target;
		if (program === undefined || token !== undefined || basic !== undefined || cert !== undefined) return undefined;
		const made = await program.get(this.#clock);
		if (made.cert !== this.#shown?.cert) {
			this.#agent.destroy();
			this.#agent = agentOf(this.#target, made);
		}
		this.#shown = made;
		return made;
	}

	#send(url: URL, body: Buffer, token: string | undefined, signal: AbortSignal): Promise<Answer> {
		const { basic } = this.#target;
		const authorization =
			token === undefined
				? basic === undefined
					? undefined
					: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`
				: `Bearer ${token}`;
		return new Promise((resolve, reject) => {
			const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
			const request = send(url, {
				agent: this.#agent,
				method: 'POST',
				signal,
				headers: {
					accept: 'application/json, */*',
					'content-type': 'application/json',
					'content-length': body.length,
					'user-agent': 'kube-apiserver',
					...(authorization === undefined ? {} : { authorization }),
				},
			});
			request.once('error', reject);
			request.once('response', (message) => {
				const asksForMore = Number(message.headers['retry-after']) > 0;
				text(message).then(
					(answered) =>
						resolve({ status: message.statusCode ?? 0, type: message.headers['content-type'] ?? '', body: answered, asksForMore }),
					reject,
				);
			});
			request.end(body);
		});
	}
}

function agentOf(
	{ url, ca, insecure = false, serverName = '' }: RemoteTarget,
	{ cert, key }: Pick<RemoteTarget, 'cert' | 'key'>,
): HttpAgent | HttpsAgent {
	if (!url.startsWith('https:')) return new HttpAgent({ keepAlive: true });
	return new HttpsAgent({
		keepAlive: true,
		...(ca === undefined ? {} : { ca }),
		...(cert === undefined ? {} : { cert, key }),
		rejectUnauthorized: !insecure,
		...(serverName === '' ? {} : { servername: serverName }),
	});
}

function jsonIn(answer: string): unknown {
	if (answer === '') return undefined;
	try {
		return JSON.parse(answer) as unknown;
	} catch (cause) {
		throw new AppError('Internal', `couldn't get version/kind; json parse error: ${jsonSyntaxError(answer)}`, { cause });
	}
}
