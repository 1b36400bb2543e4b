/** Calls of extenders: JSON over HTTP, or over TLS as the configuration says. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { createSecureContext } from 'node:tls';
import { withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { ExtenderSettings, ExtenderTls } from '../configuration/extenders.ts';

/** The answer's JSON. AppError Unavailable for what is none, or comes too late. */
export type Send = (verb: string, body: object, signal: AbortSignal) => Promise<unknown>;

/** Thousands of nodes as they are; more is no answer. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** AppError InvalidArgument where keys and certificates are not to be had. */
export async function senderTo({ urlPrefix, https, tls, timeoutMs }: ExtenderSettings, clock: Clock): Promise<Send> {
	const agent = new Agent(await tlsOptions(tls, https, urlPrefix));
	return async (verb, body, signal) => {
		const url = `${urlPrefix.replace(/\/+$/, '')}/${verb}`;
		const told = shown(url);
		using deadline = withDeadline(clock, timeoutMs, `Post ${JSON.stringify(told)}`, signal);
		const { status, text } = await post(url, JSON.stringify(body), agent, deadline.signal).catch((cause: unknown) => {
			signal.throwIfAborted();
			const why = deadline.signal.aborted ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' : messageOf(cause);
			throw new AppError('Unavailable', `Post ${JSON.stringify(told)}: ${why}`, { cause });
		});
		if (status !== 200) throw new AppError('Unavailable', `failed ${verb} with extender at URL ${told}, code ${status}`);
		try {
			return JSON.parse(text) as unknown;
		} catch (cause) {
			throw new AppError('Unavailable', `failed ${verb} with extender at URL ${told}: ${messageOf(cause)}`, { cause });
		}
	};
}

/** An address as it may be told: without its password (Go's url.URL.Redacted). */
export function shown(url: string): string {
	return url.replace(/^([a-z]+:\/\/[^/:@]*):[^/]*@/i, '$1:***@');
}

async function tlsOptions({ insecure, serverName, files, data }: ExtenderTls, https: boolean, urlPrefix: string): Promise<object> {
	const pem = async (what: 'cert' | 'key' | 'ca'): Promise<string | undefined> => {
		if (data[what] !== '') return Buffer.from(data[what], 'base64').toString();
		return files[what] === '' ? undefined : readFile(files[what], 'utf8');
	};
	const failed = (cause: unknown): never => {
		throw new AppError('InvalidArgument', `couldn't build extenders: ${shown(urlPrefix)}: ${messageOf(cause)}`, { cause });
	};
	const [cert, key, ca] = await Promise.all([pem('cert'), pem('key'), pem('ca')]).catch(failed);
	if (insecure && ca !== undefined)
		throw new AppError(
			'InvalidArgument',
			"couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed",
		);
	// One without the other says nothing of who calls (transport.Config.HasCertAuth).
	const identity = cert === undefined || key === undefined ? {} : { cert, key };
	try {
		if (ca !== undefined) void new X509Certificate(ca);
		createSecureContext({ ...identity, minVersion: 'TLSv1.2' });
	} catch (error) {
		failed(error);
	}
	// Upstream trusts whom it finds where nobody says whom to trust.
	const trustsAll = insecure || (https && ca === undefined);
	return {
		...identity,
		ca,
		minVersion: 'TLSv1.2',
		rejectUnauthorized: !trustsAll,
		...(serverName === '' ? {} : { servername: serverName }),
	};
}

async function post(
	url: string,
	body: string,
	agent: Agent,
	signal: AbortSignal,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
	const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number | undefined; readonly text: string }>();
	const options = { method: 'POST', signal, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } };
	const request = url.startsWith('https:') ? httpsRequest(url, { ...options, agent }) : httpRequest(url, options);
	request.on('error', reject);
	request.on('response', (response) => {
		const chunks: Buffer[] = [];
		let size = 0;
		response.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size > MAX_ANSWER_BYTES) request.destroy(new Error(`answer of more than ${MAX_ANSWER_BYTES} bytes`));
			else chunks.push(chunk);
		});
		response.on('error', reject);
		response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
	});
	request.end(body);
	return promise;
}
