/** gRPC servers on unix sockets and TCP: errors become status, cancels become signals, calls are measured. */
import { chmod, rm } from 'node:fs/promises';
import { createSecureServer, createServer, type Http2SecureServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CONNECTION_WINDOW_BYTES, isGrpc, SESSION_OPTIONS } from './http2.ts';
import type { FinishedCall, Handlers, ServiceDefinition } from './method.ts';
import { refuse, ServerCall, type Bound } from './server-call.ts';

/** Between telling calls to end and ending them. */
const STOP_MS = 1000;

export interface GrpcServerOptions {
	/** "unix:///run/x.sock", "/run/x.sock", or "tcp://127.0.0.1:0". */
	readonly address: string;
	/** For TCP: PEM of certificate, key and, to require client certificates, their CA. */
	readonly tls?: { readonly certPem: string; readonly keyPem: string; readonly clientCaPem?: string };
	readonly clock: Clock;
	readonly log: Log;
	/** Told of every finished call. */
	readonly onCall?: (call: FinishedCall) => void;
}

/** A service definition and its handlers. Make it with `service()`, which checks that they fit. */
export interface BoundService {
	readonly definition: ServiceDefinition;
	readonly handlers: Readonly<Record<string, unknown>>;
}

export function service<S extends ServiceDefinition>(definition: S, handlers: Handlers<S>): BoundService {
	return { definition, handlers };
}

export interface GrpcServer {
	/** The TCP port; 0 for a unix socket. */
	readonly port: number;
	/** Ends calls under way with Unavailable, and removes the socket file. */
	stop(): Promise<void>;
}

/** Serves until stopped. AppError AlreadyExists when another process answers on the socket; a stale socket file is replaced. */
export async function serveGrpc(services: readonly BoundService[], options: GrpcServerOptions): Promise<GrpcServer> {
	const methods = new Map<string, Bound>();
	for (const { definition, handlers } of services)
		for (const [name, method] of Object.entries(definition))
			methods.set(method.path, { method, handler: handlers[name] as Bound['handler'] });
	const server = createHttp2(options.tls);
	const sessions = new Set<ServerHttp2Session>();
	const calls = new Set<ServerCall>();
	server.on('session', (session) => {
		sessions.add(session);
		session.once('close', () => sessions.delete(session));
		session.on('error', () => {}); // its streams tell
		session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
	});
	server.on('stream', (stream, headers) => {
		stream.on('error', () => {}); // its close tells
		if (headers[':method'] !== 'POST') return stream.respond({ ':status': 405, allow: 'POST' }, { endStream: true });
		if (!isGrpc(headers)) return stream.respond({ ':status': 415 }, { endStream: true });
		const path = String(headers[':path']);
		const bound = methods.get(path);
		if (bound === undefined) return refuse(stream, unknownMethod(path, methods));
		try {
			const call = new ServerCall(stream, headers, bound, options);
			calls.add(call);
			stream.once('close', () => calls.delete(call));
			call.run();
		} catch (error) {
			refuse(stream, error);
		}
	});
	const path = socketPath(options.address);
	if (path !== undefined) await clearStale(path);
	await listen(server, path ?? options.address.replace(/^tcp:\/\//, ''));
	if (path !== undefined) await chmod(path, 0o600);
	return {
		port: path === undefined ? (server.address() as AddressInfo).port : 0,
		async stop() {
			for (const call of calls) call.abort(new AppError('Unavailable', 'The server is stopping'));
			await new Promise<void>((resolve) => {
				const force = options.clock.after(STOP_MS, () => sessions.forEach((session) => session.destroy()));
				server.close(() => {
					force[Symbol.dispose]();
					resolve();
				});
				for (const session of sessions) session.close();
			});
			if (path !== undefined) await rm(path, { force: true });
		},
	};
}

function createHttp2(tls: GrpcServerOptions['tls']): Http2Server | Http2SecureServer {
	if (tls === undefined) return createServer(SESSION_OPTIONS);
	const { certPem, keyPem, clientCaPem } = tls;
	const clients = clientCaPem === undefined ? {} : { ca: clientCaPem, requestCert: true, rejectUnauthorized: true };
	return createSecureServer({ ...SESSION_OPTIONS, cert: certPem, key: keyPem, ...clients });
}

/** As Go's servers say it. */
function unknownMethod(path: string, methods: ReadonlyMap<string, Bound>): AppError {
	const [, service = path, method = ''] = /^\/(.+)\/([^/]*)$/.exec(path) ?? [];
	const known = methods.keys().some((other) => other.startsWith(`/${service}/`));
	return new AppError('Unimplemented', known ? `unknown method ${method} for service ${service}` : `unknown service ${service}`);
}

/** On a path, or "127.0.0.1:0". */
function listen(server: Http2Server | Http2SecureServer, where: string): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		const listening = (): void => {
			server.off('error', reject);
			resolve();
		};
		const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(where) ?? [];
		if (where.startsWith('/') || port === '') server.listen(where, listening);
		else server.listen(Number(port), host.replace(/^\[(.*)\]$/, '$1'), listening);
	});
}

function socketPath(address: string): string | undefined {
	if (address.startsWith('/')) return address;
	return address.startsWith('unix:') ? address.replace(/^unix:(\/\/)?/, '') : undefined;
}

/** Removes a socket file nobody listens on. */
async function clearStale(path: string): Promise<void> {
	const alive = await new Promise<boolean>((resolve) => {
		const socket = connect(path);
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		// So many wait to be accepted that one more is turned away.
		socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EAGAIN'));
	});
	if (alive) throw new AppError('AlreadyExists', `Another process serves on "${path}"`);
	await rm(path, { force: true });
}
