/** HTTP GET as probes and hooks make it: no certificate check, redirects only to the same host, a short body. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AppError } from '../../base/errors.ts';
import { dialMessage } from './dial-error.ts';
import { hostOf, type HttpTarget } from './target.ts';

export interface HttpAnswer {
	readonly status: number;
	readonly body: string;
	/** A redirect to another host, which is not followed. */
	readonly foreignRedirect: string | undefined;
}

const MAX_BODY_BYTES = 10 * 1024;
const MAX_REDIRECTS = 10;

export async function httpGet(target: HttpTarget, userAgent: string, signal: AbortSignal): Promise<HttpAnswer> {
	let url = new URL(`${target.scheme}://${hostOf(target)}${target.path}`);
	const host = url.hostname;
	for (let i = 0; ; i++) {
		const answer = await get(url, target.headers, userAgent, signal);
		const { status, location } = answer;
		if (status < 300 || status >= 400 || location === undefined) return { status, body: answer.body, foreignRedirect: undefined };
		const to = new URL(location, url);
		if (to.hostname !== host) return { status, body: answer.body, foreignRedirect: to.href };
		if (i >= MAX_REDIRECTS) throw new AppError('Aborted', `stopped after ${MAX_REDIRECTS} redirects`);
		url = to;
	}
}

interface Got {
	readonly status: number;
	readonly body: string;
	readonly location: string | undefined;
}

function get(url: URL, headers: Readonly<Record<string, string>>, userAgent: string, signal: AbortSignal): Promise<Got> {
	return new Promise((resolve, reject) => {
		const options = {
			headers: { 'user-agent': userAgent, accept: '*/*', connection: 'close', ...headers },
			agent: false,
			signal,
			rejectUnauthorized: false,
		};
		const onResponse = (response: IncomingMessage): void => {
			const chunks: Buffer[] = [];
			let length = 0;
			const done = (): void =>
				resolve({
					status: response.statusCode ?? 0,
					body: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8'),
					location: response.headers.location,
				});
			response.on('data', (chunk: Buffer) => {
				chunks.push(chunk);
				length += chunk.length;
				if (length < MAX_BODY_BYTES) return;
				done();
				response.destroy();
			});
			response.on('end', done);
			response.on('error', reject);
		};
		const request = url.protocol === 'https:' ? httpsRequest(url, options, onResponse) : httpRequest(url, options, onResponse);
		request.on('error', (error) =>
			reject(new AppError('Unavailable', `Get "${url.href}": ${dialMessage(error, url.hostname, portOf(url))}`, { cause: error })),
		);
		request.end();
	});
}

function portOf(url: URL): number {
	return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
