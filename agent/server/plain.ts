/** Servers of plain HTTP: health on a port of its own, and the read-only port, which asks nobody who they are. Both are off unless configured. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { messageOf } from '../../base/errors.ts';
import { requestUrl } from '../../wire/http/request-url.ts';
import { settingsIn } from '../config/settings.ts';
import { answer, BAD_REQUEST, refusalOf } from './answers.ts';
import type { ServerDeps, ServerState } from './deps.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { inRequestSpan } from './request-span.ts';
import { serve } from './routes.ts';

/** Upstream tries again so often where the port is taken. */
const RETRY_MS = 5000;

/** Until the signal aborts. */
export async function plainServers(deps: ServerDeps, state: ServerState, figures: HttpMetrics, signal: AbortSignal): Promise<void> {
	const { options } = deps.context;
	const settings = settingsIn(options).server;
	const health = settings.healthzPort ?? options.healthzPort ?? 0;
	await Promise.all([
		health === 0 ? undefined : keep('health', health, settings.healthzAddress, () => healthServer(state), deps, signal),
		settings.readOnlyPort === 0
			? undefined
			: keep(
					'read-only API',
					settings.readOnlyPort,
					options.bindAddress ?? '0.0.0.0',
					() => readOnlyServer(deps, state, figures, signal),
					deps,
					signal,
				),
	]);
}

function healthServer({ health }: ServerState): Server {
	return createServer((request, response) => {
		const url = requestUrl(request);
		if (url === undefined) return answer(response, BAD_REQUEST);
		const [, first, only, more] = url.pathname.split('/');
		const found = first === 'healthz' && more === undefined ? health.answer(only || undefined, url.searchParams) : undefined;
		answer(response, found ?? { status: 404, text: `404 page not found: ${url.pathname}\n` });
	});
}

function readOnlyServer(deps: ServerDeps, state: ServerState, figures: HttpMetrics, stop: AbortSignal): Server {
	const { clock } = deps.context;
	return createServer((request, response) => {
		const url = requestUrl(request);
		if (url === undefined) return answer(response, BAD_REQUEST);
		const done = figures.begin(request.method ?? '', url.pathname, 'readonly', () => clock.monotonic());
		const closed = new AbortController();
		response.once('close', () => {
			closed.abort();
			done();
		});
		const asked = { request, response, url, deps, state, signal: AbortSignal.any([closed.signal, stop]) };
		const failed = (error: unknown): void => {
			if (response.headersSent) response.destroy();
			else answer(response, refusalOf(error));
		};
		inRequestSpan(deps.context.tracer, request, url, response, () => serve(asked, true).catch(failed)).catch(() => response.destroy());
	});
}

async function keep(
	what: string,
	port: number,
	host: string,
	make: () => Server,
	{ context }: ServerDeps,
	signal: AbortSignal,
): Promise<void> {
	while (!signal.aborted) {
		const server = make();
		try {
			server.listen(port, host);
			await once(server, 'listening', { signal });
			await once(server, 'close', { signal });
		} catch (error) {
			if (!signal.aborted) context.log.warn('cannot serve', { what, host, port, reason: messageOf(error) });
		} finally {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		}
		await context.clock.sleep(RETRY_MS, signal).catch(() => {});
	}
}
