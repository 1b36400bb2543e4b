/** A small aggregated API server over TLS, for tests: one group version, and notes of what it was asked by whom. */
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** What the aggregated server got. */
export interface Got {
	readonly url: string;
	readonly headers: IncomingMessage['headers'];
	readonly raw: readonly string[];
	readonly subject: string | undefined;
	readonly isTrusted: boolean;
	readonly body: string;
}

export interface Aggregated {
	readonly server: Server;
	readonly port: number;
	readonly got: Got[];
	/** Which groups it serves is told no sooner. */
	discovery: Promise<void>;
}

export const RESOURCES = {
	kind: 'APIResourceList',
	apiVersion: 'v1',
	groupVersion: 'r.io/v1',
	resources: [{ name: 'rs', singularName: 'r', namespaced: true, kind: 'R', verbs: ['get', 'list'], shortNames: ['rr'] }],
};
const OPENAPI_V2 = {
	swagger: '2.0',
	paths: { '/apis/r.io/v1/rs': { get: {} }, '/apis/other.io/v1/x': { get: {} } },
	definitions: { 'io.r.v1.R': { type: 'object', description: 'an R' } },
};

/** Trusts certificates of the front proxy's authority only. */
export async function aggregatedServer(serving: { cert: string; key: string }, proxyCa: string): Promise<Aggregated> {
	const got: Got[] = [];
	const it = { got, discovery: Promise.resolve() };
	const server = createServer({ ...serving, ca: proxyCa, requestCert: true, rejectUnauthorized: false }, (request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		const answered = async (): Promise<void> => {
			const socket = request.socket as TLSSocket;
			got.push({
				url: request.url ?? '',
				headers: request.headers,
				raw: request.rawHeaders,
				subject: socket.getPeerCertificate().subject?.CN as string | undefined,
				isTrusted: socket.authorized,
				body: Buffer.concat(chunks).toString(),
			});
			const [path] = (request.url ?? '').split('?');
			if (path === '/apis') await it.discovery;
			if (path === '/apis/r.io/v1/moved') return void response.writeHead(302, { location: '/apis/r.io/v1' }).end('there');
			const answers: Record<string, unknown> = {
				'/apis/r.io/v1': RESOURCES,
				'/openapi/v3': {
					paths: Object.fromEntries(
						['apis/r.io/v1', 'apis/r.io', 'apis', 'version'].map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=ABC` }]),
					),
				},
				'/openapi/v3/apis/r.io': { openapi: '3.0.0', paths: { '/apis/r.io/': {} } },
				'/openapi/v3/apis/r.io/v1': { openapi: '3.0.0', paths: {}, components: { schemas: { 'io.r.v1.R': { type: 'object' } } } },
				'/openapi/v2': OPENAPI_V2,
				'/apis/r.io/v1/namespaces/default/rs': { kind: 'RList', apiVersion: 'r.io/v1', metadata: {}, items: [] },
			};
			const answer = answers[path ?? ''];
			response.writeHead(answer === undefined ? 404 : request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
			response.end(JSON.stringify(answer ?? { kind: 'Status', status: 'Failure', code: 404, message: 'no such thing there' }));
		};
		request.on('end', () => void answered());
	});
	server.on('upgrade', (_request, socket) => {
		socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
		socket.pipe(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return Object.assign(it, { server, port: (server.address() as AddressInfo).port });
}
