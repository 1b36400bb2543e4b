/** Requests below the typed API: chosen headers, the answer's own headers and text. TLS and credentials are the JavaScript client's. */
import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';

export interface Asked {
	readonly headers?: Readonly<Record<string, string>>;
	/** An object is sent as JSON, a string as it is. */
	readonly body?: object | string;
}

export interface Answer {
	readonly code: number;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
	/** The body as JSON. */
	json<T = Record<string, unknown>>(): T;
}

export async function raw(config: KubeConfig, method: string, path: string, { headers, body }: Asked = {}): Promise<Answer> {
	const options: RequestOptions = {
		method,
		headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
	};
	await config.applyToHTTPSOptions(options as never);
	return new Promise((resolve, reject) => {
		const asked = request(`${config.getCurrentCluster()?.server}${path}`, options, (response) => {
			textOf(response)
				.then((text) => resolve({ code: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) as never }))
				.catch(reject);
		});
		asked.once('error', reject);
		asked.end(typeof body === 'object' ? JSON.stringify(body) : body);
	});
}
