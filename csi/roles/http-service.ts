/** What a sidecar answers over HTTP, as a Service. */
import { createServer, type ServerResponse } from 'node:http';
import { aborted } from '../../base/abort.ts';
import type { Service } from '../../base/service.ts';

export interface HttpOptions {
	/** All of this machine where it is empty. */
	readonly host: string;
	/** 0: any, told to `onListening`. */
	readonly port: number;
	readonly onListening?: (port: number) => void;
}

export interface HttpAnswer {
	readonly status: number;
	readonly text: string;
	readonly contentType?: string;
}

/** Answers by path, whatever parameters come with it; any other path is 404. */
export type HttpPaths = Readonly<Record<string, () => Promise<HttpAnswer>>>;

export function createHttpService(name: string, { host, port, onListening }: HttpOptions, paths: HttpPaths): Service {
	return {
		name,
		after: [],
		async run(signal, ready) {
			const server = createServer((request, response) => {
				const [path = ''] = (request.url ?? '').split('?');
				const answer = Object.hasOwn(paths, path) ? paths[path] : undefined;
				if (answer === undefined) return void response.writeHead(404).end();
				answer().then(
					(given) => write(response, given),
					() => response.destroy(),
				);
			});
			try {
				await new Promise<void>((resolve, reject) => {
					server.once('error', reject);
					server.listen(port, host, resolve);
				});
				const bound = server.address();
				onListening?.(typeof bound === 'object' && bound !== null ? bound.port : port);
				ready();
				await aborted(signal);
			} finally {
				server.closeAllConnections();
				await new Promise((resolve) => server.close(resolve));
			}
		},
	};
}

function write(response: ServerResponse, { status, text, contentType = 'text/plain' }: HttpAnswer): void {
	response.writeHead(status, { 'content-type': contentType }).end(text);
}
